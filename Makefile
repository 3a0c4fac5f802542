# Commands that set themselves up: `make demo`, `make test` and `make docs` first of all.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# of thousands of files few are imported, and Python compiles those when they are
INSTALL := $(PIP) install --no-compile

# tests start many processes: what one has compiled, the next one loads
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo app test test-long docs docs-pictures bench mutants clean

demo: $(VENV)/installed
	$(BIN)/tacita demo --folder demo --force

# the page, in the browser
app: $(VENV)/installed-for-app
	$(BIN)/tacita app

test: $(VENV)/installed
	# everything is compiled once, which both workers of the tests would do otherwise: from one end while the rest
	# of what tests need is installed, then from the other end too
	@$(BIN)/tacita warmup >/dev/null 2>&1 & \
	$(MAKE) --no-print-directory $(VENV)/installed-for-tests || { wait; exit 1; }; \
	$(BIN)/python -m pytest -q -m "not long" tests/test_warming.py & warmed=$$!; \
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy; clean=$$?; \
	wait $$warmed || clean=1; wait; exit $$clean
	# neighbours stay with one worker, which then makes what they share once
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m "not long" --ignore tests/test_warming.py

# the proofs that take longest, and of all laws more examples; `make test` leaves them out
test-long: $(VENV)/installed-for-tests
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m long --hypothesis-profile thorough

# the site, from docs/ into site/; open site/index.html
docs: $(VENV)/installed-for-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

# the pictures of methods, of the terminal, of pages and of `tacita app`; the last two need Chromium
docs-pictures: $(VENV)/installed-for-tests
	$(BIN)/python docs/pictures.py
	$(BIN)/python docs/screens.py
	$(BIN)/python docs/page_screens.py

bench: $(VENV)/installed-for-tests
	$(BIN)/python -m benchmarks

mutants: $(VENV)/installed-for-tests
	$(BIN)/python -m mutants

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(VENV)/bin/python pyproject.toml
	$(INSTALL) --editable .
	touch $@

$(VENV)/installed-for-app: $(VENV)/bin/python pyproject.toml
	$(INSTALL) --editable '.[app]'
	touch $@ $(VENV)/installed

$(VENV)/installed-for-docs: $(VENV)/bin/python pyproject.toml
	$(INSTALL) --editable '.[docs]'
	touch $@ $(VENV)/installed

$(VENV)/installed-for-tests: $(VENV)/bin/python pyproject.toml
	$(INSTALL) --editable '.[test]'
	# peers of single tests; their own bounds on pandas are older than what they work with
	$(INSTALL) --no-deps 'recordlinkage>=0.16,<0.17' 'pycanon>=1.3,<2'
	# the page is tested in a browser; without one, and without the right to install one, those tests skip
	command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	  { apt-get install -y -qq --no-install-recommends chromium || { apt-get update -qq && \
	  apt-get install -y -qq --no-install-recommends chromium; }; } >/dev/null 2>&1; } || true
	touch $@ $(VENV)/installed

clean:
	rm -rf $(VENV) demo build dist site
