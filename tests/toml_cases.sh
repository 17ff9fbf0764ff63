#!/bin/sh
# toml_cases.sh DECODER [update] - the TOML cases of tests/cases/toml.
#
# valid/*.toml must decode to exactly the .json beside it: same values, same
# types, same order. invalid/*.toml must be refused with exit code 1 and with
# the place and the message that errors.txt has for it, one line a file.
# DECODER is the program of tests/toml_decoder.c.
#
# With "update" the .json files and errors.txt are written anew from what the
# decoder says; read the difference before you commit it.
set -u
LC_ALL=C
export LC_ALL

if [ $# -lt 1 ] || [ ! -x "$1" ]; then
    echo "usage: $0 DECODER [update]" >&2
    exit 2
fi
decoder=$1
cases=$(dirname "$0")/cases/toml
update=no
[ "${2:-}" = update ] && update=yes
out=$(mktemp -d) || exit 2
trap 'rm -rf "$out"' EXIT
trap 'exit 2' HUP INT TERM
passed=0
failed=0

pass() {
    passed=$((passed + 1))
}

fail() {
    failed=$((failed + 1))
    echo "FAIL $1: $2"
}

for file in "$cases"/valid/*.toml; do
    name=$(basename "$file")
    want=${file%.toml}.json
    if ! "$decoder" "$name" <"$file" >"$out/json" 2>"$out/error"; then
        fail "valid/$name" "refused: $(head -n 1 "$out/error")"
    elif [ $update = yes ]; then
        cp "$out/json" "$want" && pass
    elif ! cmp -s "$out/json" "$want"; then
        fail "valid/$name" "decodes to something else (< expected, > decoded):"
        diff "$want" "$out/json" | sed 's/^/    /'
    else
        pass
    fi
done

: >"$out/errors"
for file in "$cases"/invalid/*.toml; do
    name=$(basename "$file")
    "$decoder" "$name" <"$file" >"$out/json" 2>"$out/error"
    status=$?
    got=$(head -n 1 "$out/error")
    printf '%s\n' "$got" >>"$out/errors"
    want=$(grep "^$name:" "$cases/errors.txt" 2>/dev/null)
    if [ $status -ne 1 ]; then
        fail "invalid/$name" "exit code $status, expected 1"
    elif [ -s "$out/json" ]; then
        fail "invalid/$name" "refused, but with output"
    elif [ $update = no ] && [ "$got" != "$want" ]; then
        fail "invalid/$name" "another error than expected:"
        printf '    expected %s\n    found    %s\n' "$want" "$got"
    else
        pass
    fi
done
[ $update = yes ] && cp "$out/errors" "$cases/errors.txt"

echo "toml cases: $passed passed, $failed failed"
[ $failed -eq 0 ]
