#!/usr/bin/env bash
# run.sh [WORD...] - the page: its modules, then Chromium before it; with words only the files of tests that contain one of them.
set -eu
cd "$(dirname "$0")/../.."
tests/site/ready.sh
files=()
for word in "${@:-}"; do files+=(tests/site/*"$word"*.test.mjs); done
log=$(mktemp)
trap 'rm -f "$log"' EXIT
rc=0
CANDO_PACKAGE=build/npm/package node --test --test-concurrency=1 --test-timeout=400000 --test-reporter=tap "${files[@]}" >"$log" 2>&1 || rc=$?
grep -A 30 '^ *not ok' "$log" || true
sed -nE 's/^# pass ([0-9]+)$/\1/p; s/^# (fail|cancelled) ([0-9]+)$/\2/p' "$log" | { read -r good && read -r bad && read -r cut && echo "$good passed, $((bad + cut)) failed"; }
exit $rc
