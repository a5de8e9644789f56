# Without make: see the head of setup_env.py.
PYTHON ?= python3
BIN := .venv/bin
UV := build/lock/bin/uv --no-config pip compile pyproject.toml --extra fast --extra lan \
      --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --quiet

.DEFAULT_GOAL := help
.PHONY: help run test lint types measure docs wheel lock book train clean

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## /make \1\t/p' Makefile | expand -t 14

run:  ## set up, then a server with house bots: make run ARGS="--lan"
	@$(PYTHON) setup_env.py run
	@exec $(BIN)/plyhouse up $(ARGS)

test:  ## set up, then the tests: make test ARGS="tests/test_setup.py -k lock"
	@$(PYTHON) setup_env.py dev
	@exec $(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile \
	  --override-ini faulthandler_exit_on_timeout=true $(ARGS)

lint:  ## ruff: rules and format
	@$(PYTHON) setup_env.py dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types:  ## mypy --strict over the product
	@$(PYTHON) setup_env.py dev
	$(BIN)/mypy

measure:  ## what the tree counts: make measure ARGS="--against COMMIT"
	@$(PYTHON) -m tests.measure $(ARGS)

# A notice about mkdocs itself, over and over, is no news of these docs.
docs:  ## the docs as a site, into build/docs, which any web server serves
	@$(PYTHON) setup_env.py dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

wheel:  ## dist/plyhouse-*.whl
	@$(PYTHON) setup_env.py dev
	@mkdir -p build
	$(BIN)/plyhouse man --print >build/plyhouse.1
	$(BIN)/python -m build --wheel --no-isolation

# uv, because pip cannot lock for platforms and Pythons other than its own.  The run lock is made
# first, with all that building needs; the other follows its versions.
lock:  ## both lock files anew, with the newest versions
	@$(PYTHON) -m venv build/lock
	@build/lock/bin/python -m pip install --quiet uv
	@echo hatchling >build/lock/build.in
	$(UV) build/lock/build.in --upgrade --output-file requirements.lock
	$(UV) --extra dev --extra docs --constraint requirements.lock --upgrade --output-file requirements-dev.lock

# It goes on where it was stopped: what it has found lies in build/.
book:  ## the opening book of connect four anew: make book ARGS="--jobs 2"
	@$(PYTHON) setup_env.py dev
	@exec $(BIN)/python -m lab.book $(ARGS)

# It goes on where it was stopped, too; two hours at most on two cores.
train:  ## the nets of backgammon anew, into build/: make train ARGS="--games 100000"
	@$(PYTHON) setup_env.py run
	@exec $(BIN)/plyhouse train backgammon $(ARGS)

clean:  ## what was made here, but the environment and data
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
