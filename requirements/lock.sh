#!/bin/sh
# Resolves the .in files into pinned, hashed .txt files for every platform and Python 3.11 and newer.
# The output names no registry host and no local folder; pip's own extra sources are left out on purpose.
set -eu
cd "$(dirname "$0")"
command -v uv >/dev/null || { echo "Resolving needs uv, and it was not found. Install it in an environment of its own: pip install uv" >&2; exit 1; }
unset PIP_FIND_LINKS UV_FIND_LINKS UV_INDEX UV_EXTRA_INDEX_URL
compile() {
    UV_CUSTOM_COMPILE_COMMAND="make lock" uv pip compile --quiet --no-config --universal --python-version 3.11 \
        --generate-hashes --no-emit-index-url --no-emit-find-links --strip-extras "$@"
}
compile app.in -o app.txt
compile -c app.txt dev.in -o dev.txt
compile --no-deps llama.in -o llama.txt
compile build.in -o build.txt
compile --no-deps starter.in -o starter.txt
