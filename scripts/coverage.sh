#!/usr/bin/env bash
# coverage.sh BUILD - runs all tests of a build with --coverage, and says what of src and cli they reach.
#
# The page is BUILD/index.html. A test that fails is told, and the exit code is 1; what was reached is printed all
# the same. The failing allocations count as well: most branches that are not taken otherwise are theirs.
set -u
build=${1:?usage: coverage.sh BUILD}
cd "$(dirname "$0")/.."
mkdir -p build/log
export CANDO_TODAY=2026-11-16 LC_ALL=C.UTF-8 CASES_TIMEOUT=1800
failed=0

run() { # name, command...
    local log=build/log/coverage_$1.log
    shift
    if "$@" >"$log" 2>&1; then
        tail -n 1 "$log"
    else
        failed=1
        echo "failed: $*" >&2
        tail -n 25 "$log" >&2
    fi
}

find "$build" -name '*.gcda' -delete
run units tests/run_units.sh "$build"
run cases tests/run_cases.py "$build/cando" tests/cases
run hostile tests/hostile.py "$build/cando"
run schemas tests/schemas.py "$build/cando" tests/cases
run cli tests/cli/run.sh "$build/cando"
run disk tests/torture_io.py "$build/cando" --quick
run torture "$build/tests/torture"
# Two processes that end at once can leave a count that is no number; such a line is passed over. STR_ARG asks
# whether there is a text at all, which is no branch of the line that prints it.
gcovr --root . --object-directory "$build" --gcov-ignore-parse-errors --exclude-unreachable-branches \
    --exclude-branches-by-pattern '^(?!.*\b(if|for|while)\b).*STR_ARG\(' \
    --filter 'src/' --filter 'cli/' --filter 'stores/' --html-details "$build/index.html" \
    --json-summary "$build/summary.json" >/dev/null || failed=1
python3 - "$build/summary.json" <<'P' || failed=1
import json, sys
of = {}
for f in json.load(open(sys.argv[1]))["files"]:
    sums = of.setdefault(f["filename"].split("/")[0], [0, 0, 0, 0])
    for i, key in enumerate(("line_covered", "line_total", "branch_covered", "branch_total")):
        sums[i] += f[key]
for folder, (l, lines, b, branches) in sorted(of.items()):
    print("%-7s lines %5.1f%% (%d of %d), branches %5.1f%% (%d of %d)" % (
        folder, 100 * l / lines, l, lines, 100 * b / branches, b, branches))
P
exit $failed
