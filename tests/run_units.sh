#!/usr/bin/env bash
# run_units.sh BUILD - runs every unit and property test program of a build folder.
# Prints what failed, and at the end "N passed, M failed" counted in single tests.
set -u
build=${1:?usage: run_units.sh BUILD}
cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0 failed=0
for src in tests/unit/test_*.c tests/prop/test_*.c tests/prop/prop_*.c; do
    [ -e "$src" ] || continue
    t=$build/${src%.c}
    "$t" >"$log" 2>&1
    rc=$?
    # cmocka: "[  PASSED  ] 12 test(s)." and "[  FAILED  ] 1 test(s), listed below:"
    good=$(sed -n 's/^\[  PASSED  \] \([0-9][0-9]*\) test(s)\..*/\1/p' "$log" | awk '{n += $1} END {print n + 0}')
    bad=$(sed -n 's/^\[  FAILED  \] \([0-9][0-9]*\) test(s).*/\1/p' "$log" | awk '{n += $1} END {print n + 0}')
    if [ $rc -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi # it crashed or a sanitizer ended it
    if [ $rc -eq 0 ] && [ "$good" -eq 0 ]; then good=1; fi
    passed=$((passed + good)) failed=$((failed + bad))
    if [ "$bad" -ne 0 ]; then
        echo "$t: exit $rc"
        grep -vE '^\[ (RUN  |     OK|===) |^\[==========\]|^\[       OK \]|^\[ RUN      \]' "$log" | head -n 40 | sed 's/^/    /'
    fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
