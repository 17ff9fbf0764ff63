#!/usr/bin/env bash
# run_units.sh BUILD - runs every unit and property test program of a build folder, JOBS of them at a time.
# Prints what failed, in one order always, and at the end "N passed, M failed" counted in single tests.
set -u
build=${1:?usage: run_units.sh BUILD}
cd "$(dirname "$0")/.."
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
programs=() # the property tests take longest, so they begin
for src in tests/prop/test_*.c tests/prop/prop_*.c tests/unit/test_*.c; do
    [ ! -e "$src" ] || programs+=("${src%.c}")
done

# One that crashes or is not there has an exit code like any other.
run_one() {
    local log=$logs/${1//\//_}
    "$build/$1" >"$log" 2>&1
    echo $? >"$log.rc"
}
export -f run_one
export build logs
printf '%s\n' "${programs[@]}" | xargs -P "${JOBS:-$(nproc)}" -I{} bash -c 'run_one {}'

passed=0 failed=0
for t in "${programs[@]}"; do
    log=$logs/${t//\//_}
    rc=$(cat "$log.rc" 2>/dev/null || echo "none")
    # cmocka: "[  PASSED  ] 12 test(s)." and "[  FAILED  ] 1 test(s), listed below:"
    read -r good bad < <(sed -n 's/^\[  \(PASSED\|FAILED\)  \] \([0-9][0-9]*\) test(s).*/\1 \2/p' "$log" |
        awk '{n[$1] += $2} END {print n["PASSED"] + 0, n["FAILED"] + 0}')
    if [ "$rc" != 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi # it crashed or a sanitizer ended it
    if [ "$rc" = 0 ] && [ "$good" -eq 0 ]; then good=1; fi
    passed=$((passed + good)) failed=$((failed + bad))
    if [ "$bad" -ne 0 ]; then
        echo "$build/$t: exit $rc"
        grep -vE '^\[ (RUN  |     OK|===) |^\[==========\]|^\[       OK \]|^\[ RUN      \]' "$log" | head -n 40 | sed 's/^/    /'
    fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
