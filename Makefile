# Everything a new machine needs, with nothing but Python 3.11 or newer, git and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STACK ?= stacks/aws-h100-training
STAMP := $(VENV)/.installed

WHEELS := dist

.PHONY: demo test engine engine-tier wheel check lint types layers docs docs-check bench lock clean

demo: $(STAMP)  ## Deploy a shipped stack to a simulated cloud: no account, no money. Without an engine: its plan.
	@if $(BIN)/gpuinfra engine install; then $(BIN)/gpuinfra up $(STACK) --simulate; \
	else echo "No Pulumi engine can be had here, so this is the plan alone:"; $(BIN)/gpuinfra plan $(STACK)/cluster.yaml; fi

test: $(STAMP)  ## Every test but those of the engine tier.
	$(BIN)/python -m pytest --ignore tests/engine

engine: $(STAMP)  ## Get a Pulumi engine into the cache, where none is found: downloaded, or built in about four minutes.
	$(BIN)/gpuinfra engine install

engine-tier: engine  ## The tests that deploy for real, to simulated clouds. They fail where there is no engine.
	GPUINFRA_REQUIRE_ENGINE=1 $(BIN)/python -m pytest -n auto tests/engine

$(STAMP): pyproject.toml requirements.lock
	$(PYTHON) -c 'import sys; sys.exit("gpuinfra needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Name another: make PYTHON=python3.12") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	# Compiled once here: where bytecode is not written at run time, every command would compile the package anew.
	$(BIN)/python -m compileall -q gpuinfra
	touch $(STAMP)

wheel: $(STAMP)  ## Build the package for other projects: dist/gpuinfra-*.whl
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir $(WHEELS) .

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/pyright

layers: $(STAMP)
	$(BIN)/lint-imports

docs: $(STAMP)  ## Write docs/reference from code.
	$(BIN)/gpuinfra docs

docs-check: $(STAMP)
	$(BIN)/gpuinfra docs --check

bench: $(STAMP)  ## A short run of every benchmark.
	$(BIN)/python -m benchmarks --smoke

check: lint types layers docs-check test bench

lock: $(STAMP)  ## Renew requirements.lock from what is installed.
	$(BIN)/python -m pip freeze --exclude-editable > requirements.lock

clean:
	rm -rf $(VENV)
