# Commands that set themselves up: `make demo`, `make test` and `make docs` first of all.
# The Pythons that tacita is tested on, newest first; `make PYTHON=... VENV=...` chooses another one.
SUPPORTED := 3.14 3.13 3.12 3.11
PYTHON ?= $(shell sh .ci/find_python $(SUPPORTED))
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# of thousands of files few are imported, and Python compiles those when they are
INSTALL := $(PIP) install --no-compile
# VERSIONS=lowest installs the lowest versions that pyproject.toml allows, which pip cannot look for
ifeq ($(VERSIONS),lowest)
PREPARE := $(PIP) install 'uv>=0.5,<1'
INSTALL := $(BIN)/uv pip install --quiet --python $(BIN)/python --resolution lowest-direct
endif

# tests start many processes: what one has compiled, the next one loads
unexport PYTHONDONTWRITEBYTECODE

QUICK := tests/core tests/io tests/datasets tests/bad_inputs tests/conformance tests/test_api.py tests/test_sklearn.py

.PHONY: demo app test test-quick test-lowest test-long docs docs-pictures bench mutants supported clean

demo: $(VENV)/installed
	$(BIN)/tacita demo --folder demo --force

# the page, in the browser
app: $(VENV)/installed-for-app
	$(BIN)/tacita app

# Kernels are compiled while the rest of what tests need is installed; then come the tests, lint and types,
# each whatever the others say, and all verdicts at the end.
test: $(VENV)/installed
	@$(BIN)/tacita warmup >/dev/null 2>&1 & \
	$(MAKE) --no-print-directory $(VENV)/installed-for-tests || { wait; exit 1; }; \
	bash .ci/checks $(BIN)

# a few minutes of the suite, for a second Python: values, files, commands, and one release of every method
test-quick: $(VENV)/installed-for-tests
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m "not long" $(QUICK)

# the whole suite on the oldest supported Python, with the lowest versions that pyproject.toml allows
test-lowest:
	@$(MAKE) --no-print-directory test VERSIONS=lowest VENV=.venv-lowest \
	  PYTHON="$$(sh .ci/find_python $(lastword $(SUPPORTED)))"

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
	@sh .ci/find_python --check "$(PYTHON)" $(SUPPORTED)
	$(PYTHON) -m venv $(VENV)
	$(PREPARE)

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

supported:
	@echo $(SUPPORTED)

clean:
	rm -rf $(VENV) .venv-oldest .venv-lowest demo build dist site
