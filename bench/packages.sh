#!/usr/bin/env bash
# packages.sh OUTPUT - measures the packages for JavaScript and Python, beside others that are fetched into build/bench.
set -eu
cd "$(dirname "$0")/.."
beside=(tokenlens@1.3.1 llm-info@1.0.69 @pydantic/genai-prices@0.1.8)
folder=build/bench/npm
if [ "$(cat $folder/wanted 2>/dev/null)" != "${beside[*]}" ]; then
    rm -rf $folder
    mkdir -p $folder
    echo '{"private":true}' >$folder/package.json
    if npm install --silent --ignore-scripts --no-audit --no-fund --prefix $folder "${beside[@]}" >/dev/null 2>&1; then
        echo "${beside[*]}" >$folder/wanted
    fi
fi
node bench/bench_js.mjs "$1"
rm -rf build/bench/python
"${PYTHON:-python3}" -m zipfile -e build/python/cando-*.whl build/bench/python
PYTHONPATH=build/bench/python "${PYTHON:-python3}" bench/bench_python.py "$1"
