# make lab    read the course in JupyterLab        make test   run everything that must hold
# make notebooks   execute the notebooks anew      make bench  measure the kernels, write docs/benchmarks.md
# make sweep  train the models of notebook 09      make lock   refresh the pinned versions
# make homework PS=03  copy a problem set to my_work/   make grade IN=folder  grade submissions
# make lecture NB=03   give a notebook as a talk   make slides  build decks and handouts in build/slides/
# make site   the course as a web page (OFFLINE=1: with Python in it)   make test-site  build and test that
# make test-slides   every deck and the live slides, in a browser    make test-pages  the site without its Python
# make exercises   from solutions/, with nbgrader  make flashcards  write downloads/
# make format tidy the code                        make clean  remove the environment

PYTHON ?= python3
LAB_ARGS ?=
# Slides in a browser take minutes of their own: make test-slides.
SLIDE_TESTS := tests/browser/test_decks.py tests/browser/test_live_slides.py
BIN := .venv/bin
SITE_TESTS = SDPA_SITE=build/site SDPA_LITE=$(if $(ALL),all) $(BIN)/python -m pytest -n auto --dist worksteal -p no:nbval
# Jupyter asks for this when it runs as root, as it does in many containers.
AS_ROOT := $(shell [ "$$(id -u)" = 0 ] && echo --allow-root)

ENVIRONMENT = @command -v $(PYTHON) >/dev/null || { \
	echo "sdpa-course: $(PYTHON) was not found; Python 3.11 or newer is needed (or name it: make PYTHON=/path/to/python3)" >&2; \
	exit 1; }; $(PYTHON) tools/environment.py

.PHONY: help lab test notebooks test-slides lecture slides site test-site test-pages homework exercises grade bench flashcards sweep lock format clean

help:
	@sed -n 's/^# //p' Makefile

lab:
	$(ENVIRONMENT) install lab
	@echo "sdpa-course: starting JupyterLab; its address with the token is printed below, Ctrl-C stops it"
	@$(BIN)/jupyter lab --ip=127.0.0.1 --ServerApp.root_dir="$(CURDIR)" \
		--LabApp.default_url=/lab/tree/notebooks/00_start_here.ipynb $(AS_ROOT) $(LAB_ARGS)

test:
	$(ENVIRONMENT) install lab tests homework classroom lectures torch dask
	@echo "sdpa-course: style of code and notebooks"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@echo "sdpa-course: tests, doctests and notebooks"
	@$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder --doctest-modules \
		--nbval --nbval-current-env --nbval-cell-timeout 300 --ignore=tests/site \
		$(SLIDE_TESTS:%=--ignore=%) $(TEST_ARGS)

notebooks:
	$(ENVIRONMENT) install lab tests
	@$(BIN)/python tools/run_notebooks.py $(NB)

lecture:
	$(ENVIRONMENT) install lab lectures
	@$(BIN)/python -m lectures.lecture "$(NB)" $(AS_ROOT) $(LAB_ARGS)

slides:
	$(ENVIRONMENT) install lab lectures
	@$(BIN)/python -m lectures.slides $(NB)

site:
	$(ENVIRONMENT) install lab lectures site
	@$(BIN)/python -m docs.site.build $(if $(OFFLINE),--offline)

test-slides:
	$(ENVIRONMENT) install lab tests lectures
	@echo "sdpa-course: every deck and the live slides in a browser"
	@$(BIN)/python -m pytest -n auto --dist loadfile -p no:nbval $(SLIDE_TESTS) $(TEST_ARGS)

test-site:
	$(ENVIRONMENT) install lab tests homework lectures site
	@$(BIN)/python -m docs.site.build --offline
	@$(SITE_TESTS) tests/site $(TEST_ARGS)

test-pages:
	$(ENVIRONMENT) install lab tests homework lectures site
	@$(BIN)/python -m docs.site.build
	@$(SITE_TESTS) tests/site/test_site.py $(TEST_ARGS)

homework:
	@$(PYTHON) tools/homework.py $(PS)

exercises:
	$(ENVIRONMENT) install lab tests homework
	@$(BIN)/python tools/exercises.py

grade:
	$(ENVIRONMENT) install lab classroom
	@$(BIN)/sdpa-course grade $(IN) $(GRADE_ARGS)

bench:
	$(ENVIRONMENT) install lab tests classroom torch
	@$(BIN)/python -m tools.bench $(ONLY)

flashcards:
	$(ENVIRONMENT) install lab tests
	@$(BIN)/python tools/flashcards.py

sweep:
	$(ENVIRONMENT) install lab
	@$(BIN)/python -m sdpa_course.experiments

lock:
	$(ENVIRONMENT) lock

format:
	$(ENVIRONMENT) install tests
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

clean:
	rm -rf .venv build *.egg-info classroom/build classroom/*.egg-info
