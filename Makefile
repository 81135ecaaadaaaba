# Two commands for a newcomer, `make demo` and `make test`; `make help` lists the rest.
VENV := .venv
PY := $(VENV)/bin/python

.DEFAULT_GOAL := help
