# Two commands for a newcomer, `make demo` and `make test`; `make help` lists the rest.
#
# What was set up is remembered in .venv/stamps, each against the sources it was made from, so a second `make` starts
# at once and a changed source is built again.

SHELL := /bin/bash
PY := .venv/bin/python
STAMPS := .venv/stamps
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SECONDARY:

COLLECTOR_SOURCES := $(shell find collector -name '*.[ch]' -o -name '*.map' -o -name '*.in' -o -name CMakeLists.txt -o -name '*.cmake')
NATIVE_SOURCES := pyproject.toml CMakeLists.txt $(shell find analysis/native schemas -type f)

.PHONY: help demo test check check-kills check-random check-mpi4py check-apps check-pythons check-fresh fuzz sanitize bench bench-large dev lock clean setup-demo setup-test unit

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: setup-demo ## A real solver traced, explained, remapped and run again: about two minutes after the first set-up
	@$(PY) demo/run.py

test: setup-test ## All tests: the collector's under every MPI library found, and the Python ones
	@status=0; $(MAKE) --no-print-directory unit || status=1; $(PY) -m pytest -q -n 2 -m 'not alone' || status=1; \
	  $(PY) -m pytest -q -m alone || status=1; exit $$status

unit: setup-test
	@mkdir -p build && tools/setup collector
	@status=0; for build in build/collector-*/; do echo "ctest: $$build"; \
	  ctest --test-dir $$build --output-on-failure || status=1; done; exit $$status

check: setup-test ## Formatting, types, lints and the schemas
	@tools/check

check-kills: setup-test ## 1,000 runs killed at random moments: is every event recovered? About half an hour
	@$(PY) tests/kills/check_kills.py --runs $(or $(RUNS),1000) --seed $(or $(SEED),1)

check-random: setup-test ## Random MPI programs with and without the collector, ten minutes (FOR=seconds SEED=n)
	@PYTHONPATH=tools:collector/tests/runtime $(PY) tests/engine/check_random.py --seconds $(or $(FOR),600) --seed $(or $(SEED),1)

check-mpi4py: setup-test ## mpi4py's own tests with and without the collector, in some hours (MPI=release RANKS="1 2")
	@$(PY) tests/exactness/check_mpi4py.py $(if $(MPI),--mpi $(MPI)) $(if $(RANKS),--ranks $(RANKS))

check-apps: setup-test ## LAMMPS, HPCC and ScaLAPACK's testers with and without the collector (ONLY=name WHOLE=1)
	@$(PY) tests/exactness/check_apps.py $(if $(ONLY),--only '$(ONLY)') $(if $(WHOLE),--whole)

check-pythons: setup-demo ## The wheel under each further Python found here: install, build a collector, trace, analyse
	@$(PY) tools/check_pythons.py $(ONLY)

check-fresh: ## The demo on Debian 12 and 13 as they are before anything was installed; needs root (ONLY=trixie)
	@tools/check-fresh $(ONLY)

fuzz: setup-test ## The readers of tree files, topology files and spools against mutated input: SECONDS=60 each
	@tools/fuzz $(or $(SECONDS),60)

sanitize: setup-test ## The collector's tests under the address, undefined-behaviour and thread sanitizers
	@tools/sanitize

bench: setup-test ## The benchmarks: ratios, taken in one run
	@$(PY) benchmarks/run.py

bench-large: setup-test ## Conversion and analyses of 2, 20 and 200 million events side by side; 10 GB in TMPDIR
	@$(PY) benchmarks/run.py large

dev: setup-test ## Everything for working on Hopscope: packages, .venv, native modules, collectors
	@echo "ready: source .venv/bin/activate"

lock: ## Resolve the Python packages of pyproject.toml anew, into requirements/
	@$(firstword $(wildcard $(PY)) python3) tools/lock.py

clean: ## Remove what was built, but not .venv
	rm -rf build demo_run .pytest_cache .ruff_cache .hypothesis $(STAMPS)
	find analysis dashboard tests demo benchmarks -name __pycache__ -prune -exec rm -rf {} +

# Stamps. A stamp of `test` serves `demo` as well; the other way round it does not.
setup-demo: $(if $(wildcard $(STAMPS)/python-test),$(STAMPS)/python-test,$(STAMPS)/python-demo) $(STAMPS)/collector
setup-test: $(STAMPS)/python-test $(STAMPS)/collector

build/system-%: tools/setup
	@mkdir -p $(@D) && tools/setup system $* && touch $@

$(STAMPS)/python-%: $(NATIVE_SOURCES) $(wildcard requirements/*.txt) | build/system-%
	@tools/setup python $* && mkdir -p $(@D) && touch $@

$(STAMPS)/collector: $(COLLECTOR_SOURCES) | $(if $(wildcard build/system-test),build/system-test,build/system-demo)
	@tools/setup collector && mkdir -p $(@D) && touch $@
