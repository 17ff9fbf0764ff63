#!/usr/bin/env bash
# run.sh - what `make test` runs: a line a step, the log of what failed, and "N passed, M failed" at the very end.
#
# A step that counts prints "N passed, M failed" as its own last line; any other step counts as one test.
# Logs stay in build/log/. With a word as argument only the steps whose name contains it are run.
set -u
cd "$(dirname "$0")/.."
make=${MAKE:-make}
jobs=${JOBS:-$(nproc)}
only=${1:-}
mkdir -p build/log
counts=build/log/counts
: >"$counts"
unset MAKEFLAGS MFLAGS MAKELEVEL NO_COLOR
export CANDO_TODAY=2026-11-16 # what is retired then stays so
export LC_ALL=C.UTF-8 ASAN_OPTIONS=abort_on_error=0:detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
export make only counts

step() { # name, command...
    local name=$1 log good=0 bad=0 start=$SECONDS rc last
    shift
    case "$name" in *"$only"*) ;; *) return 0 ;; esac
    log=build/log/$(printf '%s' "$name" | tr -c 'A-Za-z0-9' '_').log
    "$@" >"$log" 2>&1
    rc=$?
    last=$(tail -n 1 "$log")
    if [[ $last =~ ([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
        good=${BASH_REMATCH[1]} bad=${BASH_REMATCH[2]}
    elif [ $rc -eq 0 ]; then
        good=1
    fi
    if [ $rc -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
    echo "$good $bad" >>"$counts"
    if [ "$bad" -eq 0 ]; then
        printf 'ok    %-44s %5d  %4ds\n' "$name" "$good" $((SECONDS - start))
    else
        printf 'FAIL  %-44s %5d  %4ds   %s\n%s\n' "$name" "$bad" $((SECONDS - start)) "$log" "$(tail -n 25 "$log" | sed 's/^/        /')"
    fi
    [ "$bad" -eq 0 ]
}

build() { "$make" -s -j"$JOBS" "$@"; }

# Chains of steps, each of which runs on one core: as many at once as there are cores.
beside() {
    printf '%s\n' "$@" | JOBS=1 xargs -P "$jobs" -I{} bash -c '"$1"' bash {}
}

# ---- the product, by gcc ----------------------------------------------------------------------

rules() {
    step "style" scripts/check_style.sh
    step "layers" scripts/check_layers.py
    step "generated files" scripts/check_generated.sh
}

programs() {
    step "unit and property tests" tests/run_units.sh build
    step "cases" tests/run_cases.py build/cando tests/cases
    step "repairs" tests/repairs.py build/cando
    step "spellings" tests/spellings.py build/cando tests/cases/preflight_*.jsonl
    step "toml cases" tests/toml_cases.sh build/toml-test
    step "limits of the catalog" scripts/catalog_report.py build/cando
    step "uses of capabilities" tests/uses.py build/cando
    step "hostile questions and rules" tests/hostile.py build/cando
    step "a disk that fails" tests/torture_io.py build/cando --quick
    step "schemas of the operations" tests/schemas.py build/cando tests/cases
}

papers() {
    step "tables of the operations" scripts/ops_tables.py build/cando
    step "examples of the documents" scripts/examples.py build/cando
    step "picture of the terminal" scripts/picture.py build/cando
    step "hardening" tests/hardening.sh build
    step "install" tests/install.sh
    step "release" tests/dist.sh
    step "examples in C" tests/examples.sh
}

command_line() { step "command line" tests/cli/run.sh build/cando; }

packages() {
    if step "build the packages" build npm python; then step "packages" tests/bindings/run.sh build/cando; fi
}

# ---- other compilers and machines ------------------------------------------------------------

abi() {
    if step "build with debug information" build VARIANT=debug build/debug/libcando.so; then
        step "ABI" tests/abi.sh build/debug/libcando.so
    fi
}

threads() {
    if step "build with TSan" build VARIANT=tsan build/tsan/tests/unit/test_threads; then
        step "threads, TSan" build/tsan/tests/unit/test_threads
    fi
}

cross() { step "build for aarch64 and s390x" build cross; }

# By clang, which therefore compiles all that there is; with what the fuzz targets need besides.
asan() { step "build with clang, ASan and UBSan" build VARIANT=asan test-programs fuzz-programs objects; }

asan_programs() {
    step "unit and property tests, ASan and UBSan" tests/run_units.sh build/asan
    step "cases, ASan and UBSan" tests/run_cases.py build/asan/cando tests/cases
    step "toml cases, ASan and UBSan" tests/toml_cases.sh build/asan/toml-test
    step "hostile questions and rules, ASan and UBSan" tests/hostile.py build/asan/cando
    step "torture" build/asan/tests/torture --quick
    step "fuzz targets, briefly" tests/run_fuzz.sh build/asan/fuzz -runs=3000 -max_total_time=6 -seed=1
}

asan_command_line() { step "command line, ASan and UBSan" tests/cli/run.sh build/asan/cando; }

# ---- all of it: what takes long begins first ----------------------------------------------------

export -f step build rules programs papers command_line packages abi threads cross asan asan_programs asan_command_line
rules
if JOBS=$jobs step "build with gcc" build all test-programs; then
    beside asan packages command_line programs
    beside asan_command_line asan_programs papers threads cross abi
fi

awk '{ good += $1; bad += $2 } END { printf "%d passed, %d failed\n", good, bad; exit bad > 0 }' "$counts"
