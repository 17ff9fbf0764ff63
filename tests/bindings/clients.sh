#!/usr/bin/env bash
# clients.sh PACKAGE - the package for JavaScript beside the clients it is used with: the guard in each of them, the
# types under tsc, the examples of the README. PACKAGE: its folder. The clients come from the npm registry, at these
# versions, and stay in build/clients until one of the versions is another.
set -eu
cd "$(dirname "$0")/../.."
package=$(realpath "${1:?usage: clients.sh PACKAGE}")
folder=$PWD/build/clients
versions="openai@7.53.0 @anthropic-ai/sdk@1.8.0 @google/genai@2.32.0 ai@7.0.169 @ai-sdk/openai@4.0.114
    @ai-sdk/anthropic@4.0.102 typescript@7.0.2 node@24.21.0"
tests=$PWD/tests/bindings
failed=0

if [ "$(cat "$folder/versions" 2>/dev/null)" != "$versions" ]; then
    rm -rf "$folder"
    mkdir -p "$folder"
    echo '{"private":true,"type":"module"}' >"$folder/package.json"
    # shellcheck disable=SC2086 # a list
    if ! (cd "$folder" && npm install --no-audit --no-fund --no-progress --fetch-retries=1 $versions >npm.log 2>&1); then
        grep -m 3 'npm error' "$folder/npm.log" || true
        echo "the clients could not be installed; 'npm ping' tells whether the registry is within reach"
        exit 1
    fi
    echo "$versions" >"$folder/versions"
fi
rm -rf "$folder/node_modules/cando" "$folder/test"
cp -r "$package" "$folder/node_modules/cando"
mkdir "$folder/test"
cp "$tests/clients.test.mjs" "$tests/provider.mjs" "$tests/types.ts" "$folder/test"
cd "$folder"
node=$folder/node_modules/.bin/node # the clients want a newer one than Debian's

step() { # what, command..
    "${@:2}" >log 2>&1 || { cat log; echo "$1"; failed=$((failed + 1)); }
}
types=(node_modules/.bin/tsc --noEmit --strict --target es2024 --module nodenext --lib "es2024,dom,dom.iterable" --types "")
step "the guard in the hands of the clients" "$node" --test --test-timeout=60000 test/clients.test.mjs
step "the types as they are used" "${types[@]}" --skipLibCheck test/types.ts
step "the types themselves" "${types[@]}" node_modules/cando/cando.d.ts node_modules/cando/fetch.d.ts
step "the examples of the README" "$node" "$tests/readme.mjs" "$package/README.md" "$node" "$folder/test"
[ "$failed" -eq 0 ]
