# Two commands for a newcomer, `make demo` and `make test`; `make help` lists the rest.
#
# .venv/stamps remembers what was set up and from which sources. So a second `make` starts at once, and a changed source is
# built again.

SHELL := /bin/bash
PY := .venv/bin/python
STAMPS := .venv/stamps
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SECONDARY:

COLLECTOR_SOURCES := $(shell find collector schemas -name '*.[ch]' -o -name '*.map' -o -name '*.in' -o -name CMakeLists.txt -o -name '*.cmake')
NATIVE_SOURCES := pyproject.toml CMakeLists.txt $(wildcard collector/otf2.cmake) $(shell find analysis/native tests/paths/native schemas collector/src/plan collector/src/json collector/include -type f)

# An editable installation knows which modules there are: a new name is installed again, a changed file is not.
MODULES := $(shell find analysis/hopscope dashboard/hopscope_dashboard -name '*.py' | LC_ALL=C sort | cksum | cut -d' ' -f1)
$(shell [ ! -d $(STAMPS) ] || [ "$$(cat $(STAMPS)/modules 2>/dev/null)" = $(MODULES) ] || echo $(MODULES) >$(STAMPS)/modules)

.PHONY: help demo test test-quick test-all check check-algorithms check-kills check-network check-random check-mutations check-mpi4py check-otf2 check-apps check-pythons check-fresh check-wheel wheel release fuzz sanitize bench bench-large bench-predictions dev lock clean setup-demo setup-test

help: ## List all targets
	@awk -F ':.*## ' '/^[a-z0-9%-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: setup-demo ## Trace a real solver, explain it, improve its tree and run it again (three minutes after the first set-up)
	@$(PY) demo/run.py

test: setup-test ## Run all that a change can break, under Open MPI 4 and MPICH 5 (ten minutes)
	@tools/test change

test-quick: setup-test ## Run the checks, tests that start no program, and one job per MPI library (under five minutes)
	@tools/test quick

test-all: setup-test ## Run everything: every release, sanitizers, guides, kills, mutants, predictions (hours)
	@tools/test all

slice-%: setup-test ## Run slice 1 to 9 of what `make test` leaves out (three to ten minutes; tools/slice --list)
	@tools/slice $*

check: setup-test ## Check formatting, types, lints, schemas and generated pages
	@tools/check

check-algorithms: setup-test ## Force every algorithm of Open MPI 4 and see what is recognised, a minute
	@$(PY) tests/algorithms/check_algorithms.py

check-kills: setup-test ## Kill 1,000 runs at random moments and recover every event, half an hour (RUNS=n SEED=n)
	@$(PY) tests/kills/check_kills.py --runs $(or $(RUNS),1000) --seed $(or $(SEED),1)

check-network: setup-test ## Run 64 jobs on networks of hosts and kill 16 more; nothing may be left, five minutes, root (RUNS=n KILLS=n)
	@PYTHONPATH=tools:tests/network $(PY) tests/network/check_network.py --runs $(or $(RUNS),64) --kills $(or $(KILLS),16)

check-random: setup-test ## Run random MPI programs with and without the collector, ten minutes (FOR=seconds SEED=n)
	@PYTHONPATH=tools:collector/tests/runtime $(PY) tests/engine/check_random.py --seconds $(or $(FOR),600) --seed $(or $(SEED),1)

check-mutations: setup-test ## Make over forty known mistakes in a copy; a test must notice each (ONLY="name ...")
	@PYTHONPATH=tools $(PY) tests/mutations/check_mutations.py $(ONLY)

check-mpi4py: setup-test ## Run mpi4py's own tests with and without the collector, some hours (MPI=release RANKS="1 2")
	@$(PY) tests/exactness/check_mpi4py.py $(if $(MPI),--mpi $(MPI)) $(if $(RANKS),--ranks $(RANKS))

check-otf2: setup-test ## Check the sample traces, and new ones, against the rules of OTF2's other readers, two minutes (SAMPLE=n)
	@$(PY) tests/archives/check_otf2.py $(if $(SAMPLE),--sample $(SAMPLE))
	@$(PY) -m pytest -q tests/archives

check-apps: setup-test ## Run LAMMPS, HPCC and ScaLAPACK's testers with and without the collector (ONLY=name WHOLE=1)
	@$(PY) tests/exactness/check_apps.py $(if $(ONLY),--only '$(ONLY)') $(if $(WHOLE),--whole)

check-pythons: setup-demo ## Install the wheel under each Python found, build a collector, trace and analyse (ONLY=version)
	@$(PY) tools/check_pythons.py $(ONLY)

wheel: setup-test ## Make a self-contained wheel for .venv's Python in dist/, with the collectors for all MPI libraries found
	@tools/wheel

release: setup-test ## Check version, changelog and documents, make both wheels of a release in dist/, and say how to tag it
	@PYTHONPATH=tools $(PY) tools/release.py

check-wheel: setup-test ## Install the wheels on a Debian without compilers, trace, analyse and show a run; root (ONLY="trixie/mpich ...")
	@PYTHONPATH=tools $(PY) tests/end_to_end/check_wheel.py $(ONLY)

check-fresh: ## Run the demo on a fresh Debian 12 and 13; needs root (ONLY=trixie)
	@tools/check-fresh $(ONLY)

fuzz: setup-test ## Feed mutated tree files, topology files and spools to their readers (SECONDS=60 each)
	@tools/fuzz $(or $(SECONDS),60)

sanitize: setup-test ## Run the collector's tests under the address, undefined-behaviour and thread sanitizers
	@tools/sanitize

bench: setup-test ## Run the benchmarks: ratios, taken in one run
	@$(PY) benchmarks/run.py

bench-large: setup-test ## Convert and analyse 2, 20 and 200 million events; needs 10 GB in TMPDIR
	@$(PY) benchmarks/run.py large

bench-predictions: setup-test ## Compare predictions with reruns and with SimGrid, an hour (CASES=n BLOCKS=n NETWORKS=n SIMULATED=n EXHAUSTIVE=n EACH=1)
	@$(PY) benchmarks/predictions.py --cases $(or $(CASES),75) --blocks $(or $(BLOCKS),25) --networks $(or $(NETWORKS),25) \
	  --simulated $(or $(SIMULATED),75) --exhaustive $(or $(EXHAUSTIVE),0) $(if $(EACH),--each)

dev: setup-test ## Set up everything for working on Hopscope: packages, .venv, native modules, collectors
	@echo "ready: source .venv/bin/activate"

lock: ## Resolve the Python packages of pyproject.toml again, into requirements/
	@$(firstword $(wildcard $(PY)) python3) tools/lock.py

clean: ## Remove everything that was built except .venv
	rm -rf build demo_run .pytest_cache .ruff_cache .hypothesis $(STAMPS)
	find analysis dashboard tests demo benchmarks -name __pycache__ -prune -exec rm -rf {} +

# Stamps. A stamp of `test` also serves `demo`, but not the other way round.
setup-demo: $(if $(wildcard $(STAMPS)/python-test),$(STAMPS)/python-test,$(STAMPS)/python-demo)
setup-test: $(STAMPS)/python-test
# In a make of its own: an MPI library that was fetched for python-test has taken the stamp away, which this one would not see.
setup-demo setup-test:
	@$(MAKE) --no-print-directory -s $(STAMPS)/collector

build/system-%: tools/setup
	@mkdir -p $(@D) && tools/setup system $* && touch $@

$(STAMPS)/python-%: $(NATIVE_SOURCES) $(wildcard requirements/*.txt) $(wildcard $(STAMPS)/modules) | build/system-%
	@tools/setup python $* && mkdir -p $(@D) && echo $(MODULES) >$(@D)/modules && touch $@

$(STAMPS)/collector: $(COLLECTOR_SOURCES) | $(if $(wildcard build/system-test),build/system-test,build/system-demo)
	@tools/setup collector && mkdir -p $(@D) && touch $@
