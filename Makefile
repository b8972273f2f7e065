# make test | lint | types | demo | look | fuzz. The virtual environment in .venv is made when it is missing or pyproject.toml changed.
# Another Python (3.11 or later): make test PYTHON=python3.12
PYTHON ?= python3
PY := .venv/bin/python

.PHONY: demo fuzz lint look test types

demo: .venv/installed
	$(PY) fixtures/demo.py

# The commands once more on a console that cannot show every character, as on Windows.
test: .venv/installed
	$(PY) -m pytest
	PYTHONIOENCODING=cp1250:strict $(PY) -m pytest tests/test_cli*.py

# Pictures of the report's pages, light, dark and printed, into build/look; needs a Chromium.
look: .venv/installed
	$(PY) tests/look.py build/look

# 100,000 mutants of all fixtures through every reader; minutes. Another seed: make fuzz SEED=2
SEED ?= 1
fuzz: .venv/installed
	$(PY) tests/fuzz.py --seed $(SEED)

lint: .venv/installed
	$(PY) -m ruff check .

types: .venv/installed
	$(PY) -m mypy --strict

.venv/installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "screenplug needs Python 3.11 or later: make PYTHON=...")'
	$(PYTHON) -m venv --clear .venv
	$(PY) -m pip install --quiet --editable '.[dev]'
	touch $@
