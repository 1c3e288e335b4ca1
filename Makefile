# Everything that a checkout can do. `make run` and `make test` set up what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
OUT ?= out
RULES ?= face-up
ROUNDS ?= 8
KILLS ?= 1000
# A window where there is a screen, else pictures in a folder.
SCREEN := $(if $(or $(DISPLAY),$(WAYLAND_DISPLAY)),,--headless)

.PHONY: help venv run test lint bench soak endurance cluster gallery deb emulated-pi lock clean

help:
	@echo 'make run      play a simulated table (RULES=face-up ROUNDS=8 OUT=out)'
	@echo 'make test     lint, types and every test'
	@echo 'make lint     ruff and mypy'
	@echo 'make bench    the measured ratios, one JSON object a line'
	@echo 'make soak     kill the table with -9 and ask what was lost (KILLS=1000 SEED=…)'
	@echo 'make endurance  24 hours of rounds in minutes: memory, files and threads stay flat'
	@echo 'make cluster  kill nodes of a real cluster under twenty tables (nats-server; minutes)'
	@echo 'make gallery  every scene of the sign in every size, in $(OUT)/gallery'
	@echo 'make deb      Debian packages in dist/ (ARCH="arm64 amd64")'
	@echo 'make emulated-pi  play on an emulated Pi, and take things away (root, QEMU; minutes; ARCH=arm64)'
	@echo 'make lock     write requirements.lock anew'

venv: $(STAMP)

$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

run: $(STAMP)
	$(BIN)/fortune-table simulate --rules $(RULES) --rounds $(ROUNDS) --out $(OUT) $(SCREEN)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint
	$(BIN)/pytest

bench: $(STAMP)
	@for file in tests/bench/bench_*.py; do $(BIN)/python $$file || exit 1; done

soak: $(STAMP)
	$(BIN)/python tests/soak/soak.py --kills $(KILLS) $(if $(SEED),--seed $(SEED))

endurance: $(STAMP)
	$(BIN)/python tests/soak/endurance.py

cluster: $(STAMP)
	FORTUNE_CLUSTER=1 $(BIN)/pytest tests/floor/test_floor_cluster.py

gallery: $(STAMP)
	$(BIN)/python -m firmware_app.signage.gallery $(OUT)/gallery

deb: $(STAMP)
	$(BIN)/python systemd/debian/build_deb.py --out dist $(ARCH)

# Not part of the tests: it needs root, QEMU and mmdebstrap, and takes minutes. In this order: all of
# it is played on one table, from which the package is removed at last.
SCENARIOS := power rounds weight losses watchdog package
emulated-pi: ARCH ?= amd64
emulated-pi: $(STAMP)
	$(BIN)/python systemd/debian/build_deb.py --out dist $(ARCH)
	ARCH=$(ARCH) $(BIN)/pytest --timeout 3000 --log-cli-level INFO \
	  $(SCENARIOS:%=tests/emulated_pi/scenario_%.py)
	ARCH=$(ARCH) $(BIN)/pytest --timeout 3000 --log-cli-level INFO tests/emulated_pi/power_cuts.py

# uv resolves for every supported Python at once and writes no index address.
lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  --all-extras --output-file requirements.lock pyproject.toml

clean:
	rm -rf $(VENV) out dist build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
