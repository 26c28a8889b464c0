# Munin's commands. `make run` and `make test` set up what they need; the second time that takes a moment and no network.
PYTHON ?= python3
# Portable: a build for exactly this processor crashes where a virtual machine hides part of it. Your own CMAKE_ARGS win.
CMAKE_ARGS ?= -DGGML_NATIVE=OFF
CMAKE_BUILD_PARALLEL_LEVEL ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
export CMAKE_ARGS CMAKE_BUILD_PARALLEL_LEVEL

BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
key = $(shell $(1) | cksum | cut -d' ' -f1)
LLAMA_KEY := $(call key,{ printf '%s' '$(CMAKE_ARGS)'; cat requirements/llama.txt; })
SETUP_KEY := $(call key,cat requirements/build.txt requirements/dev.txt pyproject.toml)
STARTER_KEY := $(call key,cat requirements/starter.txt models/catalog.toml)
LLAMA_CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/munin/pip-$(LLAMA_KEY)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup run test soak screens check fix translations lock client clean

help: ## shows this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile | expand -t 16

setup: .venv/llama-$(LLAMA_KEY) .venv/setup-$(SETUP_KEY) models/starter/.unpacked-$(STARTER_KEY) .venv/client-asked-for ## makes .venv and fetches the starter models
	@:

run: setup ## opens Munin (in a browser where there is no display)
	@$(BIN)/munin $(ARGS)

test: setup ## runs every test
	@$(BIN)/python -m pytest $(ARGS)

soak: setup ## kills Munin 1,000 times while it chats, learns, restores, imports and locks; and a chat of 300 turns
	@MUNIN_KILLS=$${MUNIN_KILLS:-1000} MUNIN_TURNS=300 $(BIN)/python -m pytest $(ARGS) \
	  $(wildcard tests/e2e/test_*killed.py) tests/imports/test_killed.py tests/model/test_long_chat.py

screens: setup ## leaves a picture of every screen in tests/shots/screens/, dark and light; ONLY=palette: of some
	@MUNIN_SHOTS=tests/shots/screens MUNIN_SHOTS_ONLY=$(ONLY) $(BIN)/python -m pytest -q tests/e2e/test_browser_screens.py

check: setup ## style, types and the direction of imports
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/python -m pytest -q --noconftest tests/unit/test_imports.py

fix: setup ## repairs what ruff can repair
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

translations: setup ## brings munin_app/locale in step with the sentences in the source
	@$(BIN)/python tools/translations.py

client: ## asks again for Flet's desktop client
	@rm -f .venv/client-asked-for
	@$(MAKE) --no-print-directory setup

lock: ## resolves requirements/*.in again (needs uv)
	@sh requirements/lock.sh

clean: ## removes what set-up made, except your data
	rm -rf .venv models/starter .mypy_cache .ruff_cache .pytest_cache .hypothesis munin.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/bin/python:
	@command -v $(PYTHON) >/dev/null || { echo "Munin needs Python 3.11 or newer; no $(PYTHON) was found." \
	  "Install it (Debian: apt install python3), or name yours: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Munin needs Python 3.11 or newer; $(PYTHON) is" \
	  "$$($(PYTHON) -V 2>&1). Name a newer one: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	@echo "Making .venv"
	@# Debian splits ensurepip off into python3-venv; pip itself can fill an environment too.
	@$(PYTHON) -m venv .venv >/dev/null 2>&1 \
	  || { $(PYTHON) -m venv --clear --without-pip .venv && $(PYTHON) -m pip -q --python .venv/bin/python install \
	  --require-hashes -r requirements/build.txt; } \
	  || { rm -rf .venv; echo "No environment could be made in .venv. Install pip for $(PYTHON) (Debian: apt install" \
	  "python3-venv python3-pip) and run the same command again." >&2; exit 1; }

.venv/build-tools: requirements/build.txt .venv/bin/python
	@$(PIP) install -q --require-hashes -r requirements/build.txt $(call or_say,Python's installer)
	@touch $@

.venv/llama-$(LLAMA_KEY): | .venv/build-tools
	@command -v $${CXX:-c++} >/dev/null || { echo "llama.cpp is compiled during set-up, and no C++ compiler was found." \
	  "Install one (Debian: apt install g++ cmake make; macOS: xcode-select --install) and run the same command again." >&2; exit 1; }
	@echo "Compiling llama.cpp with $$CMAKE_ARGS (about 8 minutes on two cores the first time, then kept)"
	@# pip keeps a wheel that it built without regard to CMAKE_ARGS: hence a cache of its own for each set of flags.
	@PIP_CACHE_DIR="$(LLAMA_CACHE)" $(PIP) install -q --require-hashes --no-deps --force-reinstall \
	  -r requirements/llama.txt $(call or_say,llama.cpp)
	@rm -f .venv/llama-*; touch $@

.venv/setup-$(SETUP_KEY): | .venv/llama-$(LLAMA_KEY)
	@echo "Installing what Munin needs"
	@$(PIP) install -q --require-hashes -r requirements/dev.txt $(call or_say,the packages in requirements/dev.txt)
	@PYTHONWARNINGS=ignore $(PIP) install -q --no-deps --no-index --no-build-isolation --editable . $(call or_say,Munin itself)
	@rm -f .venv/setup-*; touch $@

models/starter/.unpacked-$(STARTER_KEY): | .venv/setup-$(SETUP_KEY)
	@$(BIN)/python -m munin_app.library.starter
	@rm -f models/starter/.unpacked-*; touch $@

.venv/client-asked-for: | .venv/setup-$(SETUP_KEY)
	@$(BIN)/python tools/desktop_client.py
	@touch $@

or_say = || { echo "Set-up stopped while installing $(1): the reason stands above." \
	  "With the network up, run the same command again; it goes on where it stopped." >&2; exit 1; }
