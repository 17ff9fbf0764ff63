#!/usr/bin/env bash
# check_generated.sh - writes every generated file that is committed once more and compares.
set -eu
cd "$(dirname "$0")/.."
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
scripts/gen_docs.py "$fresh"
rc=0
for f in "$fresh"/*; do
    committed=docs/$(basename "$f")
    if ! cmp -s "$f" "$committed"; then
        echo "$committed:1: stale; run 'make docs'"
        diff -u "$committed" "$f" | sed -n '3,12p' || true
        rc=1
    fi
done
[ $rc -ne 0 ] || echo "all generated files are fresh"
exit $rc
