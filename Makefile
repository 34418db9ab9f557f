# For readers and students
#   make lab               read the course in JupyterLab
#   make homework PS=03    copy a problem set to my_work/
#   make progress          show how far you are with each of them
#   make model             fetch a small language model that runs on our kernels (93 MB, once)
#
# For instructors
#   make lecture NB=03     give a lecture from a notebook, with live sliders
#   make slides            build all decks and handouts in build/slides/
#   make grade IN=folder   grade submissions
#   make site              build the course as a website (OFFLINE=1: with Python in it)
#   make release           build a release's files in build/release/
#
# For contributors
#   make check             seconds: style, types, layers, kernels, doctests
#   make test              minutes: everything a reader or student can meet
#   make test-all          what make test leaves out: PyTorch, browser, pictures, grading, slides, site
#   make notebooks         execute the notebooks and store their outputs (NB=path for one)
#   make minutes           count how long each notebook takes to read
#   make exercises         make exercises/ from solutions/, and what downloads/ has
#   make sweep             do the training runs that aren't stored yet
#   make bench             measure everything, write docs/benchmarks.md (ONLY="call step" for parts)
#   make clean             remove the environment and what was built

PYTHON ?= python3
LAB_ARGS ?=
BIN := .venv/bin
PYTEST := $(BIN)/python -m pytest
# Jupyter asks for this when it runs as root, as it does in many containers.
AS_ROOT := $(shell [ "$$(id -u)" = 0 ] && echo --allow-root)
NBVAL := --nbval --nbval-current-env --nbval-cell-timeout 300 --nbval-sanitize-with tools/nbval.cfg
# WebAssembly wheels that PyPI doesn't have: with them the notebooks are tested in the browser as well.
WHEELS := $(wildcard $(or $(SDPA_WASM_WHEELS),../shared/wasm)/numpy-*.whl)

ENVIRONMENT = @command -v $(PYTHON) >/dev/null || { \
	echo "sdpa-course: $(PYTHON) was not found; Python 3.11 or newer is needed (or name it: make PYTHON=/path/to/python3)" >&2; \
	exit 1; }; $(PYTHON) tools/environment.py

.PHONY: help lab homework progress model lecture slides grade site release check test test-all notebooks minutes exercises sweep bench clean

help:
	@sed -n '/^PYTHON/q; s/^# \{0,1\}//p' Makefile

lab:
	$(ENVIRONMENT) install lab
	@$(BIN)/sdpa-course lab $(LAB_ARGS)

homework:
	@$(PYTHON) tools/homework.py $(PS)

progress:
	@$(PYTHON) tools/homework.py --progress

model:
	$(ENVIRONMENT) install model
	@$(BIN)/python -m tools.model fetch

lecture:
	$(ENVIRONMENT) install lab lectures
	@$(BIN)/python -m lectures.lecture "$(NB)" $(AS_ROOT) $(LAB_ARGS)

slides:
	$(ENVIRONMENT) install lab lectures
	@$(BIN)/python -m lectures.slides $(NB)

grade:
	$(ENVIRONMENT) install lab classroom $(if $(SCHEDULER),dask)
	@$(BIN)/sdpa-course grade $(IN) $(if $(SCHEDULER),--scheduler $(SCHEDULER)) $(GRADE_ARGS)

site:
	$(ENVIRONMENT) install lab lectures site
	@$(BIN)/python -m docs.site.build $(if $(OFFLINE),--offline)

release:
	$(ENVIRONMENT) install lab lectures site
	@$(BIN)/python -m tools.release

check:
	$(ENVIRONMENT) install check
	@echo "sdpa-course: style, types, layers"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@echo "sdpa-course: kernels and doctests"
	@$(PYTEST) -q -m "not full" --doctest-modules tests/kernels tests/test_package.py sdpa_course/kernels sdpa_course/verify

test: check
	$(ENVIRONMENT) install lab check tests model
	@echo "sdpa-course: the package, the notebooks, the problem sets"
	@$(PYTEST) -n auto --dist loadfile --no-loadscope-reorder -m "not full" --doctest-modules $(NBVAL) \
		--ignore=notebooks/A1_pytorch.ipynb --ignore=sdpa_course/kernels --ignore=sdpa_course/verify \
		$(wildcard tests/test_*.py) sdpa_course notebooks solutions $(TEST_ARGS)

test-all:
	$(ENVIRONMENT) install lab check tests homework classroom lectures site torch dask model
	@$(BIN)/python -m tools.model fetch
	@echo "sdpa-course: PyTorch, Dask and transformers' stored answers as judges"
	@$(PYTEST) -n auto --dist loadfile -m full $(NBVAL) tests notebooks/A1_pytorch.ipynb
	@echo "sdpa-course: pictures, grading, lectures, sliders and slides in a browser"
	@$(PYTEST) -n auto --dist loadfile -p no:nbval tests/pictures tests/grading tests/lectures tests/browser
	@echo "sdpa-course: the site$(if $(WHEELS),, (no WebAssembly wheels in SDPA_WASM_WHEELS: without its Python))"
	@$(BIN)/python -m docs.site.build $(if $(WHEELS),--offline)
	@SDPA_SITE=build/site SDPA_LITE=$(if $(ALL),all) $(PYTEST) -n auto --dist worksteal -p no:nbval tests/site

notebooks:
	$(ENVIRONMENT) install lab tests
	@$(BIN)/python tools/run_notebooks.py $(NB)

minutes:
	@$(PYTHON) tools/minutes.py $(NB)

exercises:
	$(ENVIRONMENT) install lab tests homework
	@$(BIN)/python tools/exercises.py
	@$(BIN)/python tools/flashcards.py
	@$(BIN)/python -m tools.card

sweep:
	$(ENVIRONMENT) install lab $(if $(SCHEDULER),dask)
	@$(BIN)/python -m sdpa_course.experiments $(if $(SCHEDULER),--scheduler $(SCHEDULER))

bench:
	$(ENVIRONMENT) install lab tests classroom torch dask
	@$(BIN)/python -m tools.bench $(ONLY)

clean:
	rm -rf .venv build *.egg-info classroom/build classroom/*.egg-info
