#!/usr/bin/env bash
# clients.sh PACKAGE - the package for JavaScript beside the clients it is used with: the guard in each of them, the
# types under tsc, the examples of the README. PACKAGE: its folder.
set -eu
cd "$(dirname "$0")/../.."
package=$(realpath "${1:?usage: clients.sh PACKAGE}")
folder=$(tests/bindings/npm.sh)
tests=$PWD/tests/bindings
failed=0

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
