#!/usr/bin/env bash
# packages.sh OUTPUT - measures the packages for JavaScript and Python, beside others that are fetched into build/bench.
set -eu
cd "$(dirname "$0")/.."
tests/npm.sh build/bench/npm tokenlens@1.3.1 llm-info@1.0.69 @pydantic/genai-prices@0.1.8 || true # their rows are left out then
node bench/bench_js.mjs "$1"
rm -rf build/bench/python
"${PYTHON:-python3}" -m zipfile -e build/python/cando-*.whl build/bench/python
PYTHONPATH=build/bench/python "${PYTHON:-python3}" bench/bench_python.py "$1"
