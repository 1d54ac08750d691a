# Two commands for a newcomer: `make demo` and `make test`. Both work on a bare machine with python3 >= 3.11, pip and make.
PYTHON ?= python3
VENV := .venv
DEMO := build/demo
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
READY := $(VENV)/.ready-$(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
READY_DEV := $(READY)-dev

# Debian ships python3 without ensurepip: then the machine's own pip fills the environment
MAKE_VENV = $(PYTHON) -m venv $(VENV) || { $(PYTHON) -m venv --without-pip --clear $(VENV) && \
	$(PYTHON) -m pip --python $(BIN)/python install --quiet pip; }

.PHONY: demo test quick anywhere lint types rooms unit docs anndata bench claims release clean

demo: $(READY)
	$(BIN)/eigenlens report --demo wine --out $(DEMO)/wine --force
	$(BIN)/eigenlens report --demo cities --out $(DEMO)/cities --force
	@echo
	@echo "Open these in a browser:"
	@echo "  $(CURDIR)/$(DEMO)/wine/report.html"
	@echo "  $(CURDIR)/$(DEMO)/cities/report.html"

test: lint types rooms unit

# Before every commit, in about a minute: every law for every method, the first tests of each, arrays of other libraries
METHODS := $(filter-out %/__init__.py $(wildcard src/eigenlens/methods/_*.py),$(wildcard src/eigenlens/methods/*.py))
QUICK := tests/test_architecture.py tests/test_house.py tests/test_beside.py tests/test_laws.py::test_law \
	tests/test_single_precision_device.py tests/rows/test_sources.py \
	$(METHODS:src/eigenlens/methods/%.py=tests/methods/test_%.py) tests/regress/test_regressors.py
quick: lint types rooms
	$(BIN)/python -m pytest -n 2 --quick $(QUICK)

lint: $(READY_DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY_DEV)
	$(BIN)/mypy

rooms: $(READY_DEV)
	$(BIN)/lint-imports

unit: $(READY_DEV)
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2

# The site, its gallery run (kept from one build to the next where nothing changed); the tests build it without the gallery
docs: $(READY_DEV)
	$(BIN)/python -m sphinx -W --keep-going -q -b html -d build/doctrees docs build/docs
	@echo "Open $(CURDIR)/build/docs/index.html"

# anndata asks for pandas 2, and the others are tested with the newest: it gets an environment of its own
anndata: VENV := .venv-anndata
anndata: pyproject.toml
	test -x $(VENV)/bin/python || $(MAKE_VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[cli]' anndata 'pandas<3' pytest pytest-timeout 'dask[dataframe]' duckdb fsspec polars xarray zarr
	$(VENV)/bin/python -m pytest -o addopts=-q tests/rows/test_anndata.py
	$(VENV)/bin/python -m pytest -o addopts=-q tests/rows/test_kinds_of_rows.py -k anndata

# The tests on every processor, Python and version that is allowed; ONLY="haswell py313" runs some
anywhere: $(READY_DEV)
	$(BIN)/python tools/anywhere.py $(ONLY)

bench: $(READY_DEV)
	$(BIN)/python benchmarks/run.py

# What the README says about speed and memory, in processor time on one BLAS thread; fails where a figure is missed
claims: $(READY_DEV)
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python benchmarks/run.py --claims

# A release that is ready to cut: the packages in dist/, each tried in environments of its own
release: quick
	$(BIN)/python tools/release.py $(QUICK)

$(READY): pyproject.toml
	$(MAKE_VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[cli]'
	touch $@

$(READY_DEV): pyproject.toml
	$(MAKE_VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@ $(READY)

clean:
	rm -rf $(VENV) .venv-anndata build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
