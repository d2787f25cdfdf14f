# Two commands on a fresh machine: `make run` and `make test`. They need Python 3.11 or later and a package index.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PORT ?= 8000
HOST ?= 127.0.0.1
COLLECTION ?= quire
# The store that QUIRE_STORE names, in the shell or in .env; commands read it themselves, make needs it for a stamp.
STORE := $(or $(QUIRE_STORE),$(shell sed -n 's/^QUIRE_STORE=//p' .env 2>/dev/null),.quire/store)

VENV := .venv
PY := $(VENV)/bin/python
MYPY_PATHS := layers/core/python/quire build_index functions tests $(if $(wildcard infra/*.py),infra)

# What the environment holds hangs on these two; a stamp for each keeps the second `make` quick.
RUN_READY := $(VENV)/.run
TEST_READY := $(VENV)/.test

.PHONY: help
help: ## show the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# ---- environment ------------------------------------------------------------------------------------------------

$(VENV)/bin/python:
	@found=; for oldest in "3, 11, 5" "3, 11"; do \
		for python in $(or $(PYTHON),python3 python3.13 python3.12 python3.11 python3.14 python); do \
			if [ -z "$$found" ] && $$python -c "import sys; sys.exit(sys.version_info < ($$oldest))" 2>/dev/null; then found=$$python; fi; \
		done; \
	done; \
	if [ -z "$$found" ]; then \
		echo "make: wanted Python 3.11 or later, found $$($(or $(PYTHON),python3) --version 2>&1 | head -1); say PYTHON=/path/to/python" >&2; \
		exit 1; \
	fi; \
	echo "environment: $(VENV) with $$($$found --version)"; \
	$$found -c 'import sys; sys.exit(sys.version_info < (3, 11, 5))' || \
		echo "make: its re module misreads patterns, which 3.11.5 mended: some pages are read badly; say PYTHON=/path/to/a/newer/one" >&2; \
	$$found -m venv --clear $(VENV) || { rm -rf $(VENV); \
		echo "make: this Python has no venv module with pip; on Debian: apt-get install python3-venv" >&2; exit 1; }

$(RUN_READY): build_index/requirements.txt infra/packaging/install.py pyproject.toml | $(VENV)/bin/python
	@$(PY) infra/packaging/install.py build_index/requirements.txt
	@touch $@

$(TEST_READY): tests/requirements.txt infra/packaging/install.py pyproject.toml | $(VENV)/bin/python
	@$(PY) infra/packaging/install.py tests/requirements.txt
	@touch $@ $(RUN_READY)

.PHONY: setup
setup: $(TEST_READY) ## make the environment in .venv, tools for tests and checks included

# ---- running ----------------------------------------------------------------------------------------------------

# The index of this repository is built again when one of its files changed; never into a store that is not a folder.
QUIRE_SOURCES := collections.toml pyproject.toml $(shell find . -name '.?*' -prune -o -name node_modules -prune -o \
	-path ./tests -prune -o -path ./build -prune -o \( -name '*.md' -o -name '*.py' \) -print)
QUIRE_WANTED := $(if $(findstring :,$(STORE)),,$(STORE)/.quire-wanted)

$(QUIRE_WANTED): $(QUIRE_SOURCES)
	@mkdir -p $(@D) && touch $@

# The build goes on beside the server, which serves it from the moment when its names and words can be searched. What is
# stopped before its end is begun again by the next `make run`, which finds what was embedded in the cache. One process
# holds both, and takes the shell's place: make passes SIGTERM to it alone.
BESIDE = exec env $(if $(QUIRE_WANTED),$(PY) -m build_index.beside quire $(STORE) $(QUIRE_WANTED) $(STORE)/.quire-built)

.PHONY: run
run: $(RUN_READY) $(QUIRE_WANTED) ## serve http://127.0.0.1:8000 over an index of this repository
	@$(PY) -m functions.app.listening $(HOST) $(PORT)
	@$(BESIDE) env PYTHONPATH=layers/core/python QUIRE_ENV_FILE=$(wildcard .env) $(PY) -m functions.cli serve \
		--host $(HOST) --port $(PORT) --ask "What does the shrink guard refuse?" --collection quire

.PHONY: dev
dev: $(RUN_READY) $(QUIRE_WANTED) ## the same with hot reload
	@$(PY) -m functions.app.listening $(HOST) $(PORT)
	@$(BESIDE) $(PY) -m uvicorn functions.local:app --host $(HOST) --port $(PORT) --no-access-log \
		--timeout-graceful-shutdown 10 --reload --reload-dir functions --reload-dir layers/core/python

.PHONY: index
index: $(RUN_READY) ## build and publish one collection of collections.toml: make index COLLECTION=roblox
	@$(PY) -m build_index build $(COLLECTION)

# ---- checking ---------------------------------------------------------------------------------------------------

# Tests start dozens of processes: what one has compiled the next must find, whatever the shell says.
# Some tests hold a bound in seconds, which a machine that is busy with something else can break: what failed runs once
# more, alone; what fails twice fails the suite, and the first run's summary stays above to tell what was slow.
# numpy's algebra has one thread, as in the functions: others wait by turning, and take CPU from the next process of a run.
# PROCESSES=4 runs so many at once; by itself it is one more than there are cores, for some wait.
PYTEST = PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1 $(PY) -m pytest
PROCESSES ?= auto

.PHONY: test
test: $(TEST_READY) ## run the whole suite, on all cores; uses ../shared (or $QUIRE_SHARED) where it is there
	@$(PYTEST) --numprocesses $(PROCESSES) --dist loadfile $(ARGS) || { [ $$? -eq 1 ] && echo "What failed runs again, alone:" \
		&& $(PYTEST) --numprocesses 0 --last-failed --last-failed-no-failures none --maxfail 5 $(ARGS); }

.PHONY: test-profile
test-profile: $(TEST_READY) ## the same as `make test`, and print the CPU seconds that files and tests took
	@$(PYTEST) -p tests.support.cpu_profile --numprocesses $(PROCESSES) --dist loadfile $(ARGS)

.PHONY: spec
spec: $(TEST_READY) ## print each requirement of the five specifications with its test and whether it holds
	@$(PY) -m tests.support.spec_table

.PHONY: test-llm
test-llm: $(TEST_READY) ## test answering over a real local model, fetched unless GGUF=path names one
	@$(VENV)/bin/uv pip install --quiet --python $(PY) --require-hashes -r tests/llm-requirements.txt
	@QUIRE_TEST_GGUF=$(GGUF) $(PY) -m pytest -m llm tests/quire/answering/generative/test_real_model.py $(ARGS)

.PHONY: test-clients
test-clients: $(TEST_READY) ## test with clients of other ecosystems: generated ones, the OpenAI SDKs, LangChain, LlamaIndex
	@$(PY) -m tests.support.real_clients .quire/clients
	@QUIRE_TEST_CLIENTS=$(CURDIR)/.quire/clients $(PY) -m pytest -n0 tests/functions/test_real_clients.py $(ARGS)

.PHONY: test-dask
test-dask: $(TEST_READY) ## test builds in shards on a Dask cluster of this machine, 20 rounds of kill -9 included
	@$(VENV)/bin/uv pip install --quiet --python $(PY) --require-hashes --no-deps -r tests/dask-requirements.txt
	@$(PY) -m pytest -n0 -m "soak or not soak" tests/build_index/distributed/test_dask.py $(ARGS)

.PHONY: check
check: lint types ## formatting, lint and strict types

.PHONY: lint
lint: $(TEST_READY) ## formatting and lint
	@$(VENV)/bin/ruff format --check .
	@$(VENV)/bin/ruff check .

.PHONY: types
types: $(TEST_READY) ## strict types
	@$(PY) -m mypy $(MYPY_PATHS)

.PHONY: format
format: $(TEST_READY) ## format the code and mend what the linter can
	@$(VENV)/bin/ruff check --fix-only --quiet . || true
	@$(VENV)/bin/ruff format .

.PHONY: bench
bench: $(TEST_READY) ## measure speed and size; one of tests/bench alone: make bench BENCH=bench_model
	@for bench in $(or $(BENCH),$(basename $(notdir $(wildcard tests/bench/bench_*.py)))); do \
		echo "== $$bench"; $(PY) -m tests.bench.$$bench $(ARGS) || exit 1; \
	done

.PHONY: eval
eval: $(TEST_READY) ## print quality: golden questions of the collections and BEIR sets; one alone: make eval COLLECTION=roblox
	@$(PY) -m tests.bench.quality --store $(STORE) \
		$(if $(filter-out file,$(origin COLLECTION)),--collection $(COLLECTION)) $(ARGS)

.PHONY: tune
tune: $(TEST_READY) ## choose constants of ranking on some corpora, report on others: make tune REPOSITORIES=dir
	@$(PY) -m tests.bench.tune --store $(STORE) --repositories $(REPOSITORIES) $(ARGS)

.PHONY: peers
peers: $(TEST_READY) ## the same questions through Quire and its peers, side by side: make peers REPOSITORIES=dir
	@$(WITH_ENV) $(PY) -m tests.bench.compare_peers $(if $(REPOSITORIES),--repositories $(REPOSITORIES)) $(ARGS)

.PHONY: soak
soak: $(TEST_READY) ## the long rounds that CI leaves out, then a server under load: make soak MINUTES=10; prints a table
	@$(PY) -m tests.support.soak $(or $(MINUTES),10) $(ARGS)

.PHONY: fuzz
fuzz: $(TEST_READY) ## damaged requests, texts and artifacts for as long as asked: make fuzz MINUTES=60; the corpus is in .quire/fuzz
	@$(VENV)/bin/uv pip install --quiet --python $(PY) --require-hashes --only-binary :all: -r tests/fuzz-requirements.txt \
		|| echo "make: atheris cannot be had here, so that no reader is led by coverage"
	@$(PY) -m tests.support.fuzz $(or $(MINUTES),10)

# ---- upkeep -----------------------------------------------------------------------------------------------------

COMPILE = $(VENV)/bin/uv pip compile --quiet --generate-hashes --universal --python-version 3.11 \
	--fork-strategy fewest --no-header --no-emit-index-url --no-emit-find-links $(UPGRADE)
PROJECT = pyproject.toml
RUNTIME_NAMES = $$(sed -n 's/^\([A-Za-z0-9._-]*\)==.*/--no-emit-package \1/p' layers/runtime/requirements.txt)

.PHONY: lock
lock: | $(RUN_READY) ## lock the dependencies of pyproject.toml with digests; UPGRADE=--upgrade takes newer ones
	@echo "lock: tests/requirements.txt" && $(COMPILE) $(PROJECT) --extra llm --extra dev --group checkout --group infra --group rig -o tests/requirements.txt
	@echo "lock: tests/llm-requirements.txt" && $(COMPILE) -c tests/requirements.txt --group test-llm $(RUNTIME_NAMES) -o tests/llm-requirements.txt
	@echo "lock: tests/dask-requirements.txt" && $(COMPILE) -c tests/requirements.txt --group test-dask $(RUNTIME_NAMES) -o tests/dask-requirements.txt
	@echo "lock: tests/fuzz-requirements.txt" && $(COMPILE) --group test-fuzz -o tests/fuzz-requirements.txt
	@echo "lock: build_index/requirements.txt" && $(COMPILE) $(PROJECT) -c tests/requirements.txt --group checkout -o build_index/requirements.txt
	@echo "lock: layers/runtime/requirements.txt" && $(COMPILE) -c tests/requirements.txt --group lambda -o layers/runtime/requirements.txt
	@echo "lock: layers/llm/requirements.txt" && $(COMPILE) -c tests/requirements.txt --group lambda-llm $(RUNTIME_NAMES) -o layers/llm/requirements.txt
	@echo "lock: layers/grammars/requirements.txt" && $(COMPILE) -c tests/requirements.txt --group lambda-grammars $(RUNTIME_NAMES) -o layers/grammars/requirements.txt
	@echo "lock: infra/requirements.txt" && $(COMPILE) -c tests/requirements.txt --group infra -o infra/requirements.txt
	@echo "lock: infra/tools-requirements.txt" && $(COMPILE) --group tools -o infra/tools-requirements.txt

.PHONY: routes
routes: $(TEST_READY) ## write functions/routes.json after a change of the routes
	@$(PY) -m functions.app.route_table

.PHONY: screenshots
screenshots: $(TEST_READY) ## write pictures of a running server's page to .github/pictures: URL=http://127.0.0.1:8000
	@$(PY) -m tests.support.screenshots $(or $(URL),http://127.0.0.1:8000) $(or $(FOLDER),.github/pictures) $(ARGS)

.PHONY: licenses
licenses: $(TEST_READY) ## list third-party licences after a change of the locks
	@$(PY) -m infra.packaging.licenses

.PHONY: layers
layers: $(TEST_READY) ## make the Lambda layers and the functions asset in build/layers; needs Python 3.13 and strip
	@$(PY) -m infra.packaging.layers $(ARGS)

# ---- AWS --------------------------------------------------------------------------------------------------------

# Choices of infra/settings.py for once: make deploy CONTEXT="-c alarm_email=ops@example.com -c repository=owner/name"
CDK = npx --prefix infra --no-install cdk
CDK_READY := infra/node_modules/.package-lock.json
export JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION := 1

$(CDK_READY): infra/package.json infra/package-lock.json
	@command -v npm >/dev/null || { echo "make: the CDK's CLI needs Node.js with npm; on Debian: apt-get install npm" >&2; exit 1; }
	@npm ci --prefix infra --no-audit --no-fund --loglevel=error
	@touch $@

.PHONY: synth
synth: layers $(CDK_READY) ## write the CloudFormation template to cdk.out, judged by cdk-nag
	@$(CDK) synth --quiet $(CONTEXT)

.PHONY: rehearse
rehearse: layers ## rehearse the deployment at emulators and print a report: publish, roll back, rotate, kill
	@$(PY) -m tests.support.rehearsal $(ARGS)

TOOLS := build/tools

$(TOOLS)/.ready: infra/tools-requirements.txt | $(RUN_READY)
	@$(VENV)/bin/uv venv --quiet --clear --python $(PY) $(TOOLS)
	@$(VENV)/bin/uv pip install --quiet --python $(TOOLS)/bin/python --require-hashes -r $<
	@touch $@

.PHONY: validate
validate: $(TOOLS)/.ready ## have sam, pinned by digest, judge the template that `make synth` wrote
	@SAM_CLI_TELEMETRY=0 $(TOOLS)/bin/sam validate --lint --template cdk.out/quire.template.json --region $(or $(AWS_REGION),us-west-2)

.PHONY: advisories
advisories: $(TOOLS)/.ready ## what is known against the packages that the locks pin; a failing network is told, no fault
	@$(TOOLS)/bin/python -m infra.packaging.advisories

.PHONY: bootstrap
bootstrap: layers $(CDK_READY) ## prepare the account and region of the shell's credentials for the CDK, once
	@$(CDK) bootstrap $(CONTEXT)

.PHONY: deploy
deploy: layers $(CDK_READY) ## deploy to the AWS account of the shell's credentials
	@$(CDK) deploy --outputs-file build/outputs.json $(CONTEXT)

.PHONY: rotate-key
rotate-key: $(TEST_READY) ## add a new key for the first caller, with the next deployment; the older one counts on
	@$(PY) -m infra.rotate rotate

.PHONY: retire-key
retire-key: $(TEST_READY) ## take the older key back, with the next deployment
	@$(PY) -m infra.rotate retire

.PHONY: rollback
rollback: $(TEST_READY) ## lead every function back to the code before: make rollback FUNCTIONS="..." (output FunctionNames)
	@$(PY) -m build_index.release.snapshots --rollback --alias live \
		$(or $(FUNCTIONS),$$($(PY) -c 'import json; print(next(iter(json.load(open("build/outputs.json")).values()))["FunctionNames"])'))

.PHONY: destroy
destroy: layers $(CDK_READY) ## take the deployment down; bucket and table stay unless deployed with keep_data=false
	@$(CDK) destroy $(CONTEXT)

.PHONY: local
local: synth ## the synthesized API on this machine with sam; needs sam and a container runtime, see README
	@printf '{"Parameters": {"QUIRE_STORE": "%s", "QUIRE_API_KEY": "local", "QUIRE_MODEL_SECRET": "", %s}}\n' \
		'$(STORE)' '"QUIRE_MEMORY": "/tmp/memory.sqlite"' > build/local.json
	@sam local start-api --template cdk.out/quire.template.json --port $(PORT) --env-vars build/local.json

.PHONY: clean
clean: ## remove the environment, the local store and every cache
	@rm -rf $(VENV) .quire .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist cdk.out infra/node_modules
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
