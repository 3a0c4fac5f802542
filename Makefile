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
PREPARE := $(PIP) install 'uv>=0.8,<1'
INSTALL := $(BIN)/uv pip install --quiet --python $(BIN)/python --resolution lowest-direct
endif
# pip reads the groups of pyproject.toml since 25.1; an environment may come with an older one
NEWER_PIP := $(PIP) install 'pip>=25.1'
FOR_TESTS := --editable '.[all]' --group test --group docs --group lint

# tests start many processes: what one has compiled, the next one loads
unexport PYTHONDONTWRITEBYTECODE

QUICK := tests/core tests/io tests/datasets tests/bad_inputs tests/conformance tests/test_api.py tests/test_sklearn.py
# what `make check` runs: two minutes of them
CORE := tests/core tests/io tests/conformance tests/test_api.py tests/house/test_architecture.py

.PHONY: demo app check test test-quick test-lowest test-long coverage hooks docs docs-pictures bench mutants licences supported clean

demo: $(VENV)/installed
	$(BIN)/tacita demo --folder demo --force

# the page, in the browser
app: $(VENV)/installed-for-app
	$(BIN)/tacita app

# Kernels are compiled while the rest of what tests need is installed; then come the tests, lint and types,
# each whatever the others say, and all verdicts at the end.
test: $(VENV)/installed
	@{ $(BIN)/python .ci/compiled.py load; $(BIN)/tacita warmup; } >/dev/null 2>&1 & \
	$(MAKE) --no-print-directory $(VENV)/installed-for-tests || { wait; exit 1; }; \
	bash .ci/checks $(BIN)

# while something is worked on: lint, types and two minutes of the suite
check: $(VENV)/installed-for-tests
	@bash .ci/checks $(BIN) $(CORE)

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

# which lines and branches of src/ the tests run, processes that they start included; htmlcov/ shows them
coverage: $(VENV)/installed-for-tests
	$(INSTALL) --group dev
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -q -n 2 --dist worksteal -m "not long"; \
	status=$$?; $(BIN)/coverage combine --quiet && $(BIN)/coverage html --quiet && $(BIN)/coverage report && exit $$status

# `git commit` checks what is committed, as .pre-commit-config.yaml says
hooks: $(VENV)/installed-for-tests
	$(INSTALL) --group dev
	$(BIN)/pre-commit install

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
	$(NEWER_PIP)
	$(INSTALL) --editable . --group docs
	touch $@ $(VENV)/installed

$(VENV)/installed-for-tests: $(VENV)/bin/python pyproject.toml
	$(NEWER_PIP)
	$(INSTALL) $(FOR_TESTS)
	# peers of single tests; their own bounds on pandas are older than what they work with
	$(INSTALL) --no-deps 'recordlinkage>=0.16,<0.17' 'pycanon>=1.3,<2'
	# the page is tested in a browser; without one, and without the right to install one, those tests skip
	@sh .ci/install_browser
	touch $@ $(VENV)/installed

# every dependency with its version and licence
licences: $(VENV)/installed-for-tests
	$(BIN)/python .ci/licences.py

supported:
	@echo $(SUPPORTED)

clean:
	rm -rf $(VENV) .venv-oldest .venv-lowest demo build dist site htmlcov .coverage .coverage.*
