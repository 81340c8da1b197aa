# `make up` and `make test` need Python 3.11+, Java 17+ and make; everything else they set up themselves, in .venv and .jars.
SHELL := /bin/sh
PY := .venv/bin/python
# Arguments for the command underneath: make up UP='--port 9083 --detach', make test TEST='tests/unit -k offsets'.
UP ?=
# All of it is more waiting than work, and runs in two processes side by side.
TEST ?= --numprocesses 2 --dist loadscope --durations 30
BENCH ?=

.PHONY: up down test lint bench screenshots lock jars openapi clean
.DEFAULT_GOAL := up

up: .venv/.installed
	@exec $(PY) manage.py up $(UP)

down: .venv/.installed
	@exec $(PY) manage.py down

test: .venv/.installed
	@$(PY) manage.py jars spark broker peer older
	@$(PY) -m pytest $(TEST)

lint: .venv/.installed
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy --explicit-package-bases .

bench: .venv/.installed
	@$(PY) manage.py jars spark broker peer
	@$(PY) -m bench $(BENCH)

jars: .venv/.installed
	@$(PY) manage.py jars spark broker peer older

# docs/screenshots/, anew: every page over Drover and an Apache Kafka Connect.
screenshots: .venv/.installed
	@$(PY) manage.py jars spark broker peer
	@$(PY) -m tests.screenshots

# docs/openapi.yaml and docs/control-room-openapi.yaml, anew.
openapi: .venv/.installed
	@$(PY) manage.py openapi docs/openapi.yaml
	@$(PY) manage.py room_openapi docs/control-room-openapi.yaml

# Only what pyproject.toml pins is moved; the rest of the lock stays as it is where it still fits.
lock: .venv/.installed
	@$(PY) -m pip install --quiet uv
	@$(PY) -m uv pip compile pyproject.toml --extra dev --generate-hashes --universal --python-version 3.11 --no-header --quiet -o requirements.lock

# What make can make again. The data folder (.drover/) is not: remove it by hand to start from nothing.
clean:
	@if [ -x $(PY) ]; then $(PY) manage.py down; fi
	rm -rf .venv .jars .clients build *.egg-info .mypy_cache .ruff_cache .pytest_cache staticfiles
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The editable install last and by itself: its build needs setuptools, which the lock has brought by then, so that nothing is fetched
# whose hash is not known.
.venv/.installed: .venv/.locked pyproject.toml
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

.venv/.locked: requirements.lock | .venv/bin/pip
	@echo "Installing what requirements.lock names into .venv (the first time about 700 MB) ..."
	@$(PY) -m pip install --disable-pip-version-check --require-hashes -r requirements.lock
	@touch $@

# pip is the last thing that `venv` puts in place: an interrupted attempt is made again.
.venv/bin/pip:
	@java=$${JAVA_HOME:+$$JAVA_HOME/bin/}java; \
	version=$$("$$java" -version 2>&1 | sed -n 's/.*version "\(1\.\)\{0,1\}\([0-9][0-9]*\).*/\2/p' | head -n 1); \
	if [ "$${version:-0}" -lt 17 ]; then \
	  echo "Drover needs Java 17 or later$${version:+, and $$java is Java $$version}: install it, or set JAVA_HOME to where it is." >&2; exit 1; \
	fi; \
	for candidate in python3.13 python3.12 python3.11 python3; do \
	  if "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then python=$$candidate; break; fi; \
	done; \
	if [ -z "$$python" ]; then echo "Drover needs Python 3.11 or later, and none is on the PATH: install it." >&2; exit 1; fi; \
	"$$python" -m venv --clear .venv || { echo "$$python cannot make a virtual environment: install its venv module (Debian: python3-venv)." >&2; exit 1; }
