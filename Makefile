# make demo and make test work on a fresh clone with only Python and make.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# One BLAS thread: the kernels are compiled, and small matrices only suffer from more.
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: demo test check docs pictures bench calibration test-baselines test-gpu test-interop test-oldest test-newest clean
.PHONY: fuzz fuzz-readers faults endurance lock audit dist test-pythons

demo: $(VENV)/.installed
	$(BIN)/dagdecor demo --out demo --force

test: check
	$(BIN)/python -m pytest

check: $(VENV)/.installed
	$(BIN)/ruff format --check src tests bench
	$(BIN)/ruff check src tests bench
	$(BIN)/mypy
	$(BIN)/lint-imports

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

# The site, in the folder site/; warnings are errors.
docs: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# The pictures of the README, drawn anew.
pictures: $(VENV)/.installed
	$(BIN)/python bench/pictures.py

# Speed and objective beside other packages; each prints a table. Slow: up to an hour.
bench: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[bench]'
	for part in directed precision covariance refit identify paper; do $(BIN)/python bench/$$part.py || exit 1; done

# How often intervals hold the truth, and whether shares are what they say. A quarter of an hour.
calibration: $(VENV)/.installed
	$(BIN)/python bench/intervals.py
	$(BIN)/python bench/calibration.py --tables 5 --draws 10 --only local "paper .4" abic --picture docs/pictures/reliability.svg

# The suite against the lower bounds of the dependencies, and against the newest releases.
test-oldest:
	$(or $(OLDEST_PYTHON),$(PYTHON)) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --constraint tests/constraints/oldest.txt --editable '.[test]'
	.venv-oldest/bin/python -m pytest

test-newest:
	$(or $(NEWEST_PYTHON),$(PYTHON)) -m venv .venv-newest
	.venv-newest/bin/python -m pip install --quiet --upgrade --editable '.[test]'
	.venv-newest/bin/python -m pytest

# The rivals that are other packages, each extra in an environment of its own: their pins differ.
test-baselines:
	for extra in baselines lingam deep; do \
		$(PYTHON) -m venv .venv-$$extra || exit 1; \
		.venv-$$extra/bin/python -m pip install --quiet --editable ".[test,$$extra]" || exit 1; \
		.venv-$$extra/bin/python -m pytest tests/test_baselines.py tests/test_baselines_packages.py || exit 1; \
	done

# The dense steps by torch, on a GPU where there is one. Another build of torch: TORCH='torch==...'.
TORCH ?= torch>=2.4
test-gpu:
	$(PYTHON) -m venv .venv-gpu
	.venv-gpu/bin/python -m pip install --quiet '$(TORCH)' --editable . hypothesis pytest pytest-timeout
	.venv-gpu/bin/python -m pytest tests/test_torch.py

# Graphs in the hands of other packages. ananke wants numpy < 2 and pandas < 2, lingam an old scipy:
# each gets a place of its own, ananke's without our dependencies, of which graphs need only numpy.
# lavaan is tried where R has it; elsewhere its tests are skipped and say so.
INTEROP_TEST := hypothesis pytest pytest-timeout
test-interop:
	$(PYTHON) -m venv .venv-interop
	.venv-interop/bin/python -m pip install --quiet --editable '.[interop]' $(INTEROP_TEST)
	.venv-interop/bin/python -m pytest tests/test_packages.py -rs
	.venv-interop/bin/python -m pytest tests/test_docs.py -k 'python_blocks and other-tools.md'
	$(PYTHON) -m venv .venv-ananke
	.venv-ananke/bin/python -m pip install --quiet 'ananke-causal>=0.5' 'scipy<1.15' $(INTEROP_TEST)
	.venv-ananke/bin/python -m pip install --quiet --no-deps --editable .
	.venv-ananke/bin/python -m pytest tests/test_packages.py -k ananke
	$(PYTHON) -m venv .venv-interop-lingam
	.venv-interop-lingam/bin/python -m pip install --quiet --editable . 'lingam>=1.9' 'pandas<3' $(INTEROP_TEST)
	.venv-interop-lingam/bin/python -m pytest tests/test_packages.py -k lingam

# What makes a fit break: tables by the thousand, and a count of what came of them.
MINUTES ?= 0
NUMBER ?= 1000000
WORKERS ?= 2
SEED ?= 0
fuzz: $(VENV)/.installed
	$(BIN)/python bench/fuzz.py --minutes $(MINUTES) --number $(NUMBER) --workers $(WORKERS) --seed $(SEED)

# Bytes at every reader, led by what they reach; atheris has an environment of its own.
READER_MINUTES ?= 5
fuzz-readers:
	$(PYTHON) -m venv .venv-atheris
	.venv-atheris/bin/python -m pip install --quiet --editable '.[yaml]' atheris
	.venv-atheris/bin/python bench/fuzz_readers.py --minutes $(READER_MINUTES) --seed $(SEED)

# kill -9 at random moments of a fit and of a study, and fits onto full disks; counts what is left.
KILLS ?= 40
faults: $(VENV)/.installed
	$(BIN)/python bench/faults.py --kills $(KILLS)
	$(BIN)/python bench/study_faults.py --kills 20 --rows 500

# Memory and open files over many fits in one process.
FITS ?= 10000
endurance: $(VENV)/.installed
	$(BIN)/python bench/endurance.py --fits $(FITS)

$(VENV)/.released: pyproject.toml $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[release]'
	touch $@

# The development packages, pinned by hash for every Python and system that is supported.
lock: $(VENV)/.released
	$(BIN)/uv pip compile pyproject.toml --quiet --extra dev --universal --python-version 3.10 \
		--generate-hashes --no-emit-index-url --custom-compile-command "make lock" \
		--upgrade --output-file tests/constraints/dev.txt

# Known vulnerabilities among them.
audit: $(VENV)/.released
	$(BIN)/python bench/audit.py tests/constraints/dev.txt

# Wheel and sdist, each installed into an empty environment and tried there.
dist: $(VENV)/.released
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	for file in dist/*.whl dist/*.tar.gz; do \
		rm -rf .venv-dist && $(PYTHON) -m venv .venv-dist || exit 1; \
		.venv-dist/bin/python -m pip install --quiet $$file || exit 1; \
		echo "$$file" && .venv-dist/bin/python -I bench/smoke.py || exit 1; \
	done

# The suite, or TESTS, on other Pythons, found or fetched by uv.
PYTHONS ?= 3.10 3.11 3.12 3.13
TESTS ?= tests
test-pythons: $(VENV)/.released
	for version in $(PYTHONS); do \
		$(BIN)/uv venv --quiet --clear --python $$version .venv-$$version || exit 1; \
		$(BIN)/uv pip install --quiet --python .venv-$$version --editable '.[test]' || exit 1; \
		echo "Python $$version" && .venv-$$version/bin/python -m pytest $(TESTS) || exit 1; \
	done

clean:
	rm -rf .venv .venv-oldest .venv-newest .venv-baselines .venv-lingam .venv-deep .venv-gpu .venv-interop .venv-ananke \
		.venv-interop-lingam .venv-atheris .venv-dist .venv-3.* demo dist build site
