# Three commands do all the set-up: `make demo`, `make web` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet


# Libraries that not everyone needs: make install EXTRAS=db,spark, or EXTRAS=all.
EXTRAS :=
KNOWN := all crypto db excel frames lake learn optimal paper private report spark stats web
comma := ,
WANTED := $(subst $(comma), ,$(EXTRAS))
ifneq ($(filter-out $(KNOWN),$(WANTED)),)
$(error There is no extra '$(filter-out $(KNOWN),$(WANTED))'. There are: $(KNOWN))
endif

.PHONY: install demo web study test suite test-large quick lint types wheels bench growth screenshots pictures catalogues docs lock clean

install: $(VENV)/.installed $(WANTED:%=$(VENV)/.with-%)

KERNELS := hatch_build.py $(wildcard src/shoal/kernels/*.c src/shoal/kernels/*.h)

$(VENV)/.installed: pyproject.toml paper/pyproject.toml requirements.lock $(KERNELS)
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "shoal needs Python 3.11 or later; try make PYTHON=python3.12")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --no-deps --no-build-isolation -e . -e paper
	$(BIN)/python -m compileall -q src/shoal paper/src/shoal_paper  # as for any installed package: a start then costs a third less
	touch $@

$(VENV)/.with-paper: $(VENV)/.installed  # which has brought it
	touch $@

$(VENV)/.with-%: requirements-%.lock $(VENV)/.installed
	$(PIP) install --require-hashes -r $<
	touch $@

$(VENV)/.tested: $(VENV)/.installed requirements-test.lock
	$(PIP) install --require-hashes -r requirements-test.lock
	touch $@

demo: install
	$(BIN)/shoal demo
	@echo "Now the paper's study, on 300,000 made-up records; make study runs it on all 3,985,166."
	$(BIN)/shoal study --rows 300000 --out demo

# The workbench, in the browser: make web FILE=patients.csv, or without a file.
FILE :=

web: $(VENV)/.with-web $(VENV)/.with-report
	$(BIN)/shoal web $(FILE)

study: install $(VENV)/.with-private
	$(BIN)/shoal study --repeats 20 --out reproduction/proper_anonymization
	$(BIN)/shoal study --private --rows 20000 --out reproduction/privacy
	$(BIN)/python tools/keep_results.py

lint: $(VENV)/.tested
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.tested
	$(BIN)/mypy

# Modules are compiled as for any installed package, since the tests start hundreds of processes; and so are the tests.
# Types are checked beside them, which takes one core for a while.
test: lint
	$(BIN)/python -m compileall -q src/shoal paper/src/shoal_paper
	$(MAKE) --no-print-directory --jobs=2 types suite

suite: $(VENV)/.tested
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --numprocesses=auto --dist=loadgroup

test-large: $(VENV)/.tested
	$(BIN)/python -m pytest -m large

# The inner loop while working on a part, in little more than a minute on two cores: no Spark, browser, database or
# compiler, no public tables, fewer random examples and odd tables.
QUICK := not large and not slow and not spark and not browser and not database and not compiler and not golden

quick: $(VENV)/.tested
	SHOAL_HYPOTHESIS=quick SHOAL_DEGENERATE=100 $(BIN)/python -m pytest --numprocesses=auto --dist=loadgroup tests/architecture tests/unit tests/property -m "$(QUICK)"

# For every platform, compiled here; the one for this platform is installed into an empty environment and tried.
wheels: $(VENV)/.tested
	$(BIN)/python tools/wheels.py --out dist

bench: $(VENV)/.tested
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/levels.py

growth: $(VENV)/.tested
	$(BIN)/python benchmarks/growth.py

screenshots: $(VENV)/.tested
	$(BIN)/python tools/screenshots.py --out screenshots

# Those of README and docs that shoal makes itself.
pictures: $(VENV)/.tested
	$(BIN)/python tools/pictures.py

# What is said in source and templates, as translators find it.
catalogues: $(VENV)/.tested
	$(BIN)/python tools/catalogues.py

# The site, into site/. It has an environment of its own, and reads docstrings from the source: nothing is imported.
docs: .docs/.installed
	.docs/bin/zensical build --strict --clean

.docs/.installed: requirements-docs.lock
	$(PYTHON) -m venv .docs
	.docs/bin/python -m pip --disable-pip-version-check --quiet install --require-hashes -r $<
	touch $@

# What an extra brings has the versions that were tested, where the tests use it.
COMPILE := .uv/bin/uv pip compile --universal --generate-hashes --no-header --no-annotate --no-emit-index-url --python-version 3.11
ONE_BY_ONE := $(filter-out all paper,$(KNOWN))

lock: .uv/bin/uv
	$(COMPILE) pyproject.toml requirements-build.in -o requirements.lock
	$(COMPILE) --extra test -c requirements.lock pyproject.toml requirements-build.in -o requirements-test.lock
	$(COMPILE) requirements-docs.in -o requirements-docs.lock
	$(COMPILE) $(ONE_BY_ONE:%=--extra %) -c requirements-test.lock pyproject.toml -o requirements-all.lock
	for extra in $(ONE_BY_ONE); do \
		$(COMPILE) --extra $$extra -c requirements-all.lock pyproject.toml -o requirements-$$extra.lock || exit 1; \
	done

.uv/bin/uv:
	$(PYTHON) -m venv .uv
	.uv/bin/python -m pip --disable-pip-version-check --quiet install uv

clean:
	rm -rf $(VENV) .uv .docs site src/shoal/kernels/_native.* .mypy_cache .ruff_cache .hypothesis
	find src paper tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
