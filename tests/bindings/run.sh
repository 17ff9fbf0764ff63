#!/usr/bin/env bash
# run.sh CANDO - the packages of other languages: built, installed from their files into an empty project and an
# empty virtual environment without a network, then asked every question that there is, and used as people do.
set -eu
cd "$(dirname "$0")/../.."
cando=$(realpath "${1:?usage: run.sh CANDO}")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python=${PYTHON:-/usr/bin/python3}
failed=0

install_npm() {
    mkdir "$tmp/js"
    cd "$tmp/js"
    echo '{"private":true,"type":"module"}' >package.json
    npm install --silent --offline --no-audit --no-fund "$1"/build/npm/cando-*.tgz
    echo 'import { load } from "cando"; console.log((await load()).resolve("openai/gpt-5").identity);' >first.js
    [ "$(node first.js)" = exact ]
}
(install_npm "$PWD") || { echo "the package does not install or answer in an empty project"; failed=$((failed + 1)); }

"$python" -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-index --disable-pip-version-check build/python/cando-*.whl
py="$tmp/venv/bin/python"

package="$tmp/js/node_modules/cando"
for engine in addon wasm; do
    CANDO_ENGINE=$engine CANDO_PACKAGE=$package node --test tests/bindings/js.test.mjs >"$tmp/log" 2>&1 || { cat "$tmp/log"; failed=$((failed + 1)); }
done
CANDO_PACKAGE=$package node --test tests/bindings/load.test.mjs >"$tmp/log" 2>&1 || { cat "$tmp/log"; failed=$((failed + 1)); }
CANDO_ENGINE=wasm CANDO_PACKAGE=$package node --expose-gc --test tests/bindings/fetch.test.mjs >"$tmp/log" 2>&1 || { cat "$tmp/log"; failed=$((failed + 1)); }
tests/bindings/clients.sh "$package" || failed=$((failed + 1))
"$py" tests/bindings/test_python.py >"$tmp/log" 2>&1 || { cat "$tmp/log"; failed=$((failed + 1)); }
PYTHONPATH=/usr/lib/python3/dist-packages "$py" tests/bindings/test_guard.py >"$tmp/log" 2>&1 || { cat "$tmp/log"; failed=$((failed + 1)); }

cp bindings/js/README.md "$tmp"
scripts/bindings.py "$cando" readme "$tmp"
cmp -s bindings/js/README.md "$tmp/README.md" || { echo "bindings/js/README.md is stale; run 'make docs'"; failed=$((failed + 1)); }

# Many calls do not grow memory. A day's worth is CANDO_CALLS=1000000.
calls=${CANDO_CALLS:-100000}
for engine in addon wasm; do
    node --max-semi-space-size=1 --expose-gc tests/bindings/many.mjs "$package" $engine "$calls" || { echo "$engine: memory grows"; failed=$((failed + 1)); }
done
"$py" tests/bindings/many.py "$calls" || { echo "python: memory grows"; failed=$((failed + 1)); }

# The first example of each README is run as it stands there.
example() { # README, language
    awk -v open="\`\`\`$2" '$0 == open { inside = 1; next } /^```/ && inside { exit } inside' "$1"
}
example bindings/js/README.md js >"$tmp/js/readme.js"
example bindings/python/README.md python >"$tmp/readme.py"
for said in "$(cd "$tmp/js" && node readme.js)" "$("$py" "$tmp/readme.py")"; do
    case "$said" in
    *"takes max_completion_tokens"*) ;;
    *) echo "the example of a README says: $said"; failed=$((failed + 1)) ;;
    esac
done
[ "$failed" -eq 0 ] || exit 1
tests/bindings/cli.py "$cando" "$tmp/js/node_modules/.bin/cando"
tests/bindings/doors.sh
doors=build/doors/node_modules/.bin
lines=tests/bindings/lines.mjs
tests/bindings/same.py "$cando" "wasm=node $lines $package wasm" "addon=node $lines $package addon" \
    "wasm-plain=node $lines $package cando-plain.wasm" "python=$py tests/bindings/lines.py" "cli/4=node $package/cli.js batch" \
    "chromium/4=node tests/bindings/browser.mjs $package" "deno/4=$doors/deno run --quiet -A $lines $package wasm" \
    "edge/4=node tests/bindings/edge.mjs $package"
