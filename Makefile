# Warm Start: the two commands are `make book` and `make test`; `make help` lists the rest.
# Written for GNU make 3.81 (macOS) and later, and a POSIX shell.

SHELL := /bin/sh
PYTHON ?= $(shell command -v python3.11 || command -v python3 || echo python3.11)
VENV := .venv
PY := $(VENV)/bin/python
# More arguments for installing torch, for instance an extra index that has the CPU build.
TORCH_ARGS ?=
# The digest of torch's CPU build for Linux on x86-64, which is not where `make lock` finds the others' digests.
TORCH_CPU := sha256:6746dbcbeb526eb61330b76b41ff1b4eb848951103a892eeb080dfa2b264667b
# As it is, `make lock` keeps the versions that still fit.
LOCK_ARGS ?=
# More arguments for JupyterLab.
LAB_ARGS ?=
# Worker processes of the test run.
JOBS ?= auto

# The tour of JupyterLab is no page of the book.
NOTEBOOKS := $(filter-out notebooks/start.py,$(wildcard notebooks/*.py))
# These call compiled kernels, which are compiled once for all of them, beside the first of the others.
COMPUTING := positions learning perfect_play orientation one_run rhea searches games play
# The longest first, so that no core waits for one of them at the end.
SLOW := $(COMPUTING) warmstart on_the_way verdicts explorer what_came_out
NAMES := $(NOTEBOOKS:notebooks/%.py=%)
NAMES := $(foreach name,$(SLOW),$(filter $(name),$(NAMES))) $(filter-out $(SLOW),$(NAMES))
RUNS := $(NAMES:%=book/runs/%.ipynb)
CORES := $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
LIBRARY := $(shell find wslib -name '*.py' -o -name '*.js' 2>/dev/null)
PAGES := $(shell find book -type f -not -path 'book/runs/*' -not -path '*/__pycache__/*' 2>/dev/null)

# A kernel found in the reader's home must not stand in for the one of this environment.
export JUPYTER_PREFER_ENV_PATH := 1
# Notebooks run side by side, so each keeps to its core.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
# A bar is for eyes: none in logs.
BAR := $(shell [ -t 2 ] || echo --no-progress-bar)

.PHONY: help env book book-alone runs study test lab bench bits count trainers faults dist clean clean-all lock audit lint types \
        test-lint test-types test-unit test-notebooks test-book test-pages
.DEFAULT_GOAL := help

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile

# --- environment ------------------------------------------------------------

env: $(VENV)/.ok  ## create or update .venv from requirements.lock

PIP := $(PY) -m pip install --quiet --disable-pip-version-check
UV_PIP := $(PY) -m uv pip install --quiet --python $(PY)
# The lines of the lock that belong to a package.
LOCKED := f() { awk -v name="$$1==" '/^[a-z0-9]/ {mine = index($$0, name) == 1} mine' requirements.lock; }; f
NO_NETWORK := echo "Setting up needs the network, this once, and the packages could not be had (what stands above says why). The same command goes on from there." >&2; exit 1
IS_3_11 := -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null

$(PY):
	@$(PYTHON) $(IS_3_11) || { echo "Warm Start needs Python 3.11, and '$(PYTHON)' is not one: install 3.11, or say where it is with 'make $(MAKECMDGOALS) PYTHON=/path/to/python3.11'." >&2; exit 1; }
	@echo "making $(VENV) with $(PYTHON)"
	@$(PYTHON) -m venv $(VENV)

# torch comes first and by pip, because pip accepts a CPU build where uv would go for the one with CUDA.
$(VENV)/.ok: requirements.lock pyproject.toml Makefile | $(PY)
	@$(PY) $(IS_3_11) || { echo "The environment in $(VENV) does not work or is not Python 3.11: 'make clean-all' removes it." >&2; exit 1; }
	@# Whoever was stopped while the environment was made has a Python without pip there.
	@$(PY) -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv $(VENV)
	@echo "installing requirements.lock into $(VENV)"
	@# The lock names every package, so each is installed by itself, and only a file whose digest the lock knows.
	@$(LOCKED) uv > $(VENV)/uv.lock && $(LOCKED) torch > $(VENV)/torch.lock
	@$(PIP) --require-hashes --no-deps -r $(VENV)/uv.lock || echo "uv is not available here; pip takes over."
	@# Fetched before it is checked: of several files whose digests are known, pip would not take the CPU build.
	@$(PY) -m pip download --quiet --disable-pip-version-check --no-deps --dest $(VENV)/torch $(TORCH_ARGS) "$$(grep -o '^torch==[0-9.]*' requirements.lock)" || { $(NO_NETWORK); }
	@$(PIP) --require-hashes --no-deps --no-index --find-links $(VENV)/torch -r $(VENV)/torch.lock && rm -r $(VENV)/torch
	@if $(PY) -m uv --version >/dev/null 2>&1; \
	then $(UV_PIP) --require-hashes --no-deps --compile-bytecode -r requirements.lock && $(UV_PIP) --no-deps --no-build-isolation -e .; \
	else $(PIP) --require-hashes --no-deps -r requirements.lock && $(PIP) --no-deps --no-build-isolation -e .; fi || { $(NO_NETWORK); }
	@# A build of torch for graphics cards needs their libraries, which the lock leaves to it: nothing here needs a card.
	@$(PY) -c 'import torch' 2>/dev/null || $(PIP) $(TORCH_ARGS) "$$(grep -o '^torch==[0-9.]*' requirements.lock)" || { $(NO_NETWORK); }
	@mkdir -p $(VENV)/etc/jupyter/labconfig $(VENV)/etc/ipython
	@# JupyterLab: .py files open as notebooks, and no window asks for news from the network.
	@printf '%s\n' '{' \
	  '  "@jupyterlab/docmanager-extension:plugin": {"defaultViewers": {"python": "Jupytext Notebook"}},' \
	  '  "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": false}' \
	  '}' > $(VENV)/etc/jupyter/labconfig/default_setting_overrides.json
	@# ipykernel warns at every start that it talks TCP on this machine.
	@printf '%s\n' 'c = get_config()' 'c.IPKernelApp.log_level = 40' > $(VENV)/etc/ipython/ipython_kernel_config.py
	@touch $@

lock: | $(PY)  ## compile requirements.lock from requirements.in (LOCK_ARGS=--upgrade for newer versions)
	@$(PY) -m uv --version >/dev/null 2>&1 || $(PIP) uv
	@# No address of an index goes into the lock, and no +cpu: that build's name exists on few indexes.
	$(PY) -m uv pip compile --quiet $(LOCK_ARGS) --python-version 3.11 --generate-hashes --no-header --no-emit-index-url \
	  --no-emit-find-links --output-file requirements.lock requirements.in
	@awk '/^torch==/ {sub(/\+[a-z0-9.]*/, ""); print; print "    --hash=$(TORCH_CPU) \\"; next} 1' requirements.lock > requirements.lock.new \
	  && mv requirements.lock.new requirements.lock
	@# conda's pip cannot install this project beside a file with digests, so its file names the versions.
	@{ sed '/^  - pip:/q' environment.yml; sed -n 's/^\([a-z0-9][^ ]*==[^ ]*\).*/      - \1/p' requirements.lock; echo "      - -e ."; } \
	  > environment.yml.new && mv environment.yml.new environment.yml

audit: $(VENV)/.ok  ## look up known weaknesses of the locked versions (asks the network)
	@# With --strict a package about which nothing could be learned is an error, not a silence.
	@$(PY) -m uv tool run --quiet pip-audit --strict --requirement requirements.lock --require-hashes --no-deps --disable-pip --progress-spinner off \
	  || { echo "Not clean, or not known to be: see above (the advisories come from the package index over the network)." >&2; exit 1; }

# --- book -------------------------------------------------------------------

book: $(VENV)/.ok  ## run the notebooks that changed (one per core), build the book, say where it is
	@# One build at a time in a folder; the next one waits, and then has little to do.
	@$(PY) -m wslib.study.engine.alone _build/lock 'make book' $(MAKE) --no-print-directory book-alone
	@$(PY) -c 'import pathlib; print("The book:", pathlib.Path("_build/html/index.html").resolve().as_uri())'

book-alone:
	@$(MAKE) --no-print-directory -j $(CORES) runs
	@$(MAKE) --no-print-directory _build/html/index.html

runs: $(RUNS)

# Pages show what is there: what is missing would take days (WSLIB_AS_IT_IS).
# A page is replaced only by a run that finished; a run that fails stays where it can be looked at.
book/runs/%.ipynb: notebooks/%.py requirements.lock $(LIBRARY) $(shell find data/thesis -type f 2>/dev/null) | $(VENV)/.ok
	@mkdir -p book/runs _build/failed
	@echo "notebooks/$*.py"
	@WSLIB_AS_IT_IS=1 $(ONE_THREAD) $(PY) -m papermill $(BAR) --log-level WARNING notebooks/$*.py _build/failed/$*.ipynb || \
	  { echo "notebooks/$*.py failed: the cell and its error are in _build/failed/$*.ipynb; the last good page, if there is one, is untouched." >&2; exit 1; }
	@mv -f _build/failed/$*.ipynb $@

$(COMPUTING:%=book/runs/%.ipynb): | _build/kernels

_build/kernels: requirements.lock $(LIBRARY) | $(VENV)/.ok
	@mkdir -p $(@D)
	@echo "compiling the searches"
	@$(PY) -m wslib.study.engine.prepare && touch $@

# A notebook also depends on its published results.
define published
book/runs/$(1).ipynb: $(shell find data/$(1) -type f -not -path '*/.*' 2>/dev/null)
endef
$(foreach name,$(NAMES),$(eval $(call published,$(name))))
# One plays against the published networks.
book/runs/play.ipynb: $(wildcard data/*/networks/*/manifest.json)
# These pages look at results of several experiments.
SHARING := verdicts explorer what_came_out elo on_the_way adaptive adaptive_vs_fixed beyond control iprime published_tournaments rating
$(SHARING:%=book/runs/%.ipynb): $(shell find data -name '*.csv*' -not -path '*/.*' 2>/dev/null)

# Built beside the last book and moved over it only when nothing is wrong: a page of an earlier
# build cannot survive, and neither can a broken book replace a good one.
_build/html/index.html: $(RUNS) $(NOTEBOOKS) $(PAGES) _config.yml | $(VENV)/.ok
	@# What is left of a notebook that is gone would still be listed.
	@for run in book/runs/*.ipynb; do case " $(RUNS) " in *" $$run "*) ;; *) rm -f "$$run" ;; esac; done
	@rm -rf _build/next && mkdir -p _build
	@echo "building the book"
	@# Its last words name the temporary folder, so they go to a log; warnings are errors and are shown.
	@$(VENV)/bin/jupyter-book build . --path-output _build/next --toc book/_toc.yml -q -n -W --keep-going --all > _build/book.log || \
	  { echo "The book was not built: a warning above is an error here (more in _build/book.log); the last good book is untouched." >&2; exit 1; }
	@rm -rf _build/html && mv _build/next/_build/html _build/html && rm -rf _build/next && touch $@

# How it is computed: `make study STUDY="--plan"`, `make study STUDY="--only warmstart --publish"`.
study: $(VENV)/.ok  ## compute what is missing of the whole study: days; it says how long, and goes on where it stopped
	@$(VENV)/bin/wslib study $(STUDY)

dist: book  ## zip the built book into dist/, for reading elsewhere, and the networks that are not in data/
	@rm -rf dist && mkdir -p dist && cp -R _build/html dist/warm-start-book
	@cd dist && ../$(PY) -m zipfile -c warm-start-book.zip warm-start-book && rm -rf warm-start-book
	@$(VENV)/bin/wslib pack dist/warm-start-networks.zip
	@echo "dist/warm-start-book.zip: unzip it anywhere and open warm-start-book/index.html"

lab: $(VENV)/.ok  ## open JupyterLab with a tour of ten minutes (LAB_ARGS="--no-browser --port 9000" and the like)
	@# What the first move and the first search need is compiled meanwhile.
	@$(MAKE) --no-print-directory _build/kernels >/dev/null 2>&1 &
	@# Jupyter refuses to start for root, which in a container everybody is.
	$(PY) -m jupyterlab --allow-root --LabApp.default_url=/lab/tree/notebooks/start.py $(LAB_ARGS)

# With arguments for both parts: `make bench BENCH_ARGS="--repetitions 3 --publish"`.
bench: $(VENV)/.ok  ## compare our speed with that of OpenSpiel, and of pgx and mctx
	@status=0; $(PY) tests/bench/run.py $(BENCH_ARGS) || status=1; $(PY) tests/bench/learning.py $(BENCH_ARGS) || status=1; exit $$status

# What is broken on purpose; `make faults FAULTS="dask_kills --number 100"` runs one of them.
faults: $(VENV)/.ok  ## break what can break, for an hour or two, and record how often that went well (data/reliability)
	$(PY) tests/faults/run.py $(FAULTS)

bits: $(VENV)/.ok  ## compute a small study as compiled for several processors, and compare the bits
	$(PY) tests/bits.py --all $(BITS_ARGS)

count:  ## lines of code and prose by room, beside their bars
	@$(PYTHON) tests/count.py

trainers: $(VENV)/.ok  ## whether our kernels and torch learn alike: an hour of training by either
	$(PY) tests/bench/trainers.py $(TRAINERS_ARGS)

# --- checks -----------------------------------------------------------------

lint: $(VENV)/.ok  ## style and common mistakes (ruff)
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .

types: $(VENV)/.ok  ## types of wslib (mypy)
	$(PY) -m mypy

STAGES := lint types unit notebooks book pages

test: $(VENV)/.ok  ## everything: lint, types, tests, notebooks at smoke scale, strict book, browser
	@for stage in $(STAGES); do \
	  echo "== make test: $$stage"; \
	  $(MAKE) --no-print-directory test-$$stage || { echo "make test: stage '$$stage' failed (alone: make test-$$stage)" >&2; exit 1; }; \
	done
	@echo "make test: all stages passed ($(STAGES))"

test-lint: lint
test-types: types
test-unit: $(VENV)/.ok
	$(PY) -m pytest -q -n $(JOBS) -m "not book and not browser and not notebooks"
test-notebooks: $(VENV)/.ok
	$(PY) -m pytest -q -n $(JOBS) -m notebooks
test-book: book
test-pages: $(VENV)/.ok
	WSLIB_TEST_BOOK=1 $(PY) -m pytest -q -m "book or browser"

# --- cleaning ---------------------------------------------------------------

clean:  ## remove what was built (book, executed notebooks, caches)
	rm -rf _build book/runs dist build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -path './.venv*' -prune -o \( -name __pycache__ -o -name .ipynb_checkpoints \) -type d -print | xargs rm -rf
	@echo "Left in place: the environment (.venv), the published results (data/) and your own (.wslib-store or WSLIB_STORE)."

clean-all: clean  ## clean, and remove the environments too
	rm -rf .venv .venv-*
	@echo "Your own results are still in .wslib-store (or WSLIB_STORE): they may have taken hours, so removing them is left to you."
