# Two commands do all the set-up: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: install demo study test test-large lint types bench growth screenshots lock clean

install: $(VENV)/.installed

KERNELS := hatch_build.py $(wildcard src/shoal/kernels/*.c src/shoal/kernels/*.h)

$(VENV)/.installed: pyproject.toml requirements.lock $(KERNELS)
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "shoal needs Python 3.11 or later; try make PYTHON=python3.12")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --no-deps --no-build-isolation -e .
	$(BIN)/python -m compileall -q src/shoal  # as for any installed package: a start then costs a third less
	touch $@

$(VENV)/.tested: $(VENV)/.installed requirements-test.lock
	$(PIP) install --require-hashes -r requirements-test.lock
	touch $@

demo: install
	$(BIN)/shoal demo
	$(BIN)/shoal study --out demo

study: install
	$(BIN)/shoal study --out reproduction/proper_anonymization

lint: $(VENV)/.tested
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.tested
	$(BIN)/mypy

test: lint types
	$(BIN)/python -m pytest --numprocesses=auto --dist=loadgroup

test-large: $(VENV)/.tested
	$(BIN)/python -m pytest -m large

bench: $(VENV)/.tested
	$(BIN)/python benchmarks/run.py

growth: $(VENV)/.tested
	$(BIN)/python benchmarks/growth.py

screenshots: $(VENV)/.tested
	$(BIN)/python tools/screenshots.py --out screenshots

lock:
	uv pip compile --universal --generate-hashes --no-header --no-annotate --no-emit-index-url --python-version 3.11 \
		pyproject.toml requirements-build.in -o requirements.lock
	uv pip compile --universal --generate-hashes --no-header --no-annotate --no-emit-index-url --python-version 3.11 \
		--extra test -c requirements.lock pyproject.toml requirements-build.in -o requirements-test.lock

clean:
	rm -rf $(VENV) src/shoal/kernels/_native.* .mypy_cache .ruff_cache .hypothesis
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
