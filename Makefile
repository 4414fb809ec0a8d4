# Everything starts here: `make lab` for a reader, `make test` for a developer.
# Each target makes the environment it needs in .venv; python3 (3.11 or later) and make have to be there.

VENV   := .venv
TOOLS  := build/release/tools
PY     := $(VENV)/bin/python
LESSON := lessons/00-tour.ipynb
REPORT := build/tests.xml
INSTALL := -m pip install --quiet --disable-pip-version-check
PIP    := $(PY) $(INSTALL)

# `make test-course` has an environment of its own: servers run there, from the wheel of this checkout.
COURSE := build/course

# What an installation is made of: when one of these changes, it is made again.
PARTS := pyproject.toml lessons/press/overrides.json $(wildcard $(addprefix rh_kernel/kernel/,spec/* grading/* labextension/* labextension/*/*))

# JupyterLab asks nothing about news before the first lesson, and opens the pages of the appendix rendered.
LAB_SETTINGS := mkdir -p $(VENV)/share/jupyter/lab/settings && cp lessons/press/overrides.json $(VENV)/share/jupyter/lab/settings/

# What `make quick` runs: the tests that start no process, no compiler and no browser.
LANGUAGE := tests/test_paper.py $(addprefix tests/,syntax typing primitives operational denotational programs arrays session training laws) \
	--ignore tests/arrays/native --ignore tests/arrays/cuda --ignore tests/programs/test_paper.py

# Jupyter and pip want a home to write to, if only an empty one.
ifeq ($(strip $(HOME)),)
export HOME := $(CURDIR)/$(if $(filter release-check,$(MAKECMDGOALS)),$(TOOLS),$(VENV))/home
endif

# The tests start hundreds of kernels and command lines; without bytecode each of them compiles the package again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help lab notebooks test quick test-all lessons book lite test-browser test-course laws fuzz check bench bench-gpu release-check clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' Makefile | while IFS='	' read -r name text; do \
		printf '  make %-13s %s\n' "$$name" "$$text"; done

lab: notebooks ## open JupyterLab at the first lesson (ARGS=--no-browser and the like are passed on)
	$(PY) -m jupyterlab --LabApp.default_url=/lab/tree/$(LESSON) $(if $(filter 0,$(shell id -u)),--allow-root) $(ARGS)

notebooks: $(VENV)/.lessons ## write the notebooks of the lessons beside their texts, but over nothing that a reader has changed
	@$(PY) -m lessons.press notebooks lessons

# The tiers are described in tests/README.md, with what each of them costs.
test: $(VENV)/.dev ## run the essential tests: eight minutes on two cores (ARGS=tests/typing: those alone)
	$(PY) -m pytest -n auto $(or $(ARGS),--junitxml $(REPORT))
	$(if $(ARGS),,@$(PY) -m tests.timing $(REPORT))

quick: $(VENV)/.dev ## run the tests of the language alone, without kernels and browsers: two minutes
	RH_TIER=quick $(PY) -m pytest -n auto $(or $(ARGS),$(LANGUAGE))

test-all: $(VENV)/.oracles ## run all tests, each law on all of its examples, and measure coverage: half an hour
ifeq ($(strip $(ARGS)),)
	$(PY) -m pytest -n auto --cov --junitxml $(REPORT)
	@$(PY) -m tests.timing $(REPORT) 30
	RH_TIER=rest $(PY) -m pytest -n auto --junitxml $(REPORT)
	@RH_TIER=rest $(PY) -m tests.timing $(REPORT)
else
	RH_TIER=all $(PY) -m pytest -n auto $(ARGS)
endif

lessons: $(VENV)/.lessons ## run all lessons through the kernel, with solutions and with stubs, and compare what they show (ARGS=04: that one)
	$(PY) -m lessons.press run $(ARGS)

book: $(VENV)/.lessons ## make the lessons and the appendix into pages: build/book/index.html
	$(PY) -m lessons.press book build/book

lite: $(VENV)/.lessons ## make the browser edition: build/lite (PYODIDE=folder of an unpacked release, where there is no network)
	$(PY) -m lessons.browser build/lite $(if $(PYODIDE),--pyodide $(PYODIDE))

test-browser: $(VENV)/.dev ## run the tests that drive JupyterLab in Debian's Chromium
	RH_TIER=all $(PY) -m pytest tests/browser $(ARGS)

test-course: $(COURSE)/.servers ## hold a course: JupyterHub, nbgrader and Otter with real servers, in an environment of its own: ten minutes
	@$(COURSE)/bin/python $(INSTALL) --force-reinstall --no-deps .
	RH_TIER=course $(COURSE)/bin/python -m pytest --timeout 1200 -o faulthandler_timeout=0 tests/course $(ARGS)

laws: $(VENV)/.oracles ## try every law on twenty times as many programs: 10,000 for the agreement of the three evaluators
	RH_TIER=deep $(PY) -m pytest -n auto --timeout 0 -o faulthandler_timeout=0 tests/laws tests/denotational tests/oracles $(ARGS)

fuzz: $(VENV)/.dev ## make up programs for ten minutes and see whether one breaks it (RH_FUZZ_SEED=n begins from that seed)
	RH_TIER=all RH_FUZZ=600 $(PY) -m pytest --timeout 0 -o faulthandler_timeout=0 tests/fuzz $(ARGS)

check: $(VENV)/.dev ## style, types and import contracts
	$(PY) -m ruff check
	$(PY) -m pyright
	$(VENV)/bin/lint-imports
	$(PY) -m lessons.reference --check

bench: $(VENV)/.bench ## measure how fast this is, beside NumPy, PyTorch, JAX and C (ARGS=--quick: has it become slower? ARGS="--only W1")
	$(PY) -m tests.benchmarks $(ARGS)

bench-gpu: $(if $(PYTHON),,$(VENV)/.dev) ## measure on a graphics card (PYTHON=python3: with that one, which has NumPy and CuPy)
	$(or $(PYTHON),$(PY)) -m tests.benchmarks.gpu

release-check: $(TOOLS)/.release ## build what is released, and try it on every Python: at most a quarter of an hour; it does not touch .venv
	$(TOOLS)/bin/python -m tests.release

clean: ## remove what tests and builds left behind (and, for a wholly new start, delete .venv)
	rm -rf build dist htmlcov .coverage .coverage.* .hypothesis .import_linter_cache .pytest_cache .ruff_cache
	find rh_kernel tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.made $(TOOLS)/.made $(COURSE)/.made:
	@for python in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11; do \
		if "$$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			echo "Making $(@D) with $$("$$python" --version)"; \
			"$$python" -m venv --clear $(@D) && touch $@; exit; \
		fi; \
	done; \
	echo "rh_kernel needs Python 3.11 or later with its modules venv and ensurepip; found: $$(python3 --version 2>&1)." >&2; \
	echo "Install one (on Debian and Ubuntu: apt-get install python3-venv), or name one: make PYTHON=/path/to/python3" >&2; \
	exit 1

$(VENV)/.lessons: $(VENV)/.made $(PARTS)
	@echo "Installing rh_kernel and JupyterLab into $(VENV) (about a minute) ..."
	@$(PIP) --editable '.[lessons]'
	@$(LAB_SETTINGS)
	@touch $@

$(VENV)/.dev: $(VENV)/.made $(PARTS)
	@echo "Installing rh_kernel, JupyterLab and the development tools into $(VENV) (a minute or two) ..."
	@$(PIP) --editable '.[dev,lessons]'
	@$(LAB_SETTINGS)
	@touch $@ $(VENV)/.lessons

$(VENV)/.oracles: $(VENV)/.dev
	@echo "Installing what the slow tests compare with into $(VENV): PyTorch (a minute or two) ..."
	@$(PIP) --editable '.[oracles]' && touch $@ || echo "It is not available; the tests that need it are skipped."

$(TOOLS)/.release: $(TOOLS)/.made pyproject.toml
	@echo "Installing what checks a release into $(TOOLS) ..."
	@$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check --group release
	@touch $@

$(VENV)/.bench: $(VENV)/.dev
	@echo "Installing what is compared with into $(VENV): PyTorch, JAX and autograd (some minutes) ..."
	@$(PIP) --editable '.[bench]' && touch $@ || echo "Part of it is not available and will be left out."

$(COURSE)/.servers: $(COURSE)/.made pyproject.toml
	@command -v npm >/dev/null || { echo "The proxy of JupyterHub comes from npm; install Node.js with npm first." >&2; exit 1; }
	@echo "Installing rh_kernel, JupyterHub, nbgrader and Otter into $(COURSE) (two minutes) ..."
	@$(COURSE)/bin/python $(INSTALL) '.[course,dev,lessons]'
	@npm install --silent --no-fund --no-audit --prefix $(COURSE) configurable-http-proxy@5
	@touch $@
