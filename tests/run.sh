#!/usr/bin/env bash
# run.sh - what `make test` runs: a line a step, the log of what failed, and "N passed, M failed" at the very end.
#
# A step that counts prints "N passed, M failed" as its own last line; any other step counts as one test. Behind the count are
# the seconds that a step took, and those of the processor.
# Logs stay in build/log/. With a word as argument only the steps whose name contains it are run.
set -u
cd "$(dirname "$0")/.."
make=${MAKE:-make}
jobs=${JOBS:-$(nproc)}
only=${1:-}
mkdir -p build/log
counts=build/log/counts
asan_built=build/log/asan_built # has the exit code of that build once it is done
: >"$counts"
: >"$asan_built"
unset MAKEFLAGS MFLAGS MAKELEVEL NO_COLOR
export CANDO_TODAY=2026-11-16 # what is retired then stays so
export LC_ALL=C.UTF-8 ASAN_OPTIONS=abort_on_error=0:detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
export make only counts asan_built
# A python3 that is a script which looks for the one that is meant does so hundreds of times.
python=$(python3 -c 'import sys; print(sys.executable)')
[ "$python" -ef "$(command -v python3)" ] || PATH=${python%/*}:$PATH

# Leaves in $busy the seconds of the processor that the commands of this shell have taken so far.
busy() {
    local file=build/log/times.$BASHPID a b c d
    times >"$file" # in a shell of its own it would tell of that
    { read -r _; IFS='ms ' read -r a b c d; } <"$file"
    rm -f "$file"
    busy=$((a * 60 + ${b%.*} + c * 60 + ${d%.*}))
}

step() { # name, command...
    local name=$1 log good=0 bad=0 start=$SECONDS rc last took work busy
    shift
    case "$name" in *"$only"*) ;; *) return 0 ;; esac
    log=build/log/$(printf '%s' "$name" | tr -c 'A-Za-z0-9' '_').log
    busy
    work=$busy
    "$@" >"$log" 2>&1
    rc=$?
    busy
    took=$((SECONDS - start)) work=$((busy - work))
    last=$(tail -n 1 "$log")
    if [[ $last =~ ([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
        good=${BASH_REMATCH[1]} bad=${BASH_REMATCH[2]}
    elif [ $rc -eq 0 ]; then
        good=1
    fi
    if [ $rc -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
    echo "$good $bad" >>"$counts"
    if [ "$bad" -eq 0 ]; then
        printf 'ok    %-44s %5d  %4ds %4ds\n' "$name" "$good" "$took" "$work"
    else
        printf 'FAIL  %-44s %5d  %4ds %4ds   %s\n%s\n' "$name" "$bad" "$took" "$work" "$log" "$(tail -n 25 "$log" | sed 's/^/        /')"
    fi
    [ "$bad" -eq 0 ]
}

build() { "$make" -s -j"$JOBS" "$@"; }

# Chains of steps, each of which runs on one core: one more at once than there are cores, since some wait a lot.
beside() {
    printf '%s\n' "$@" | JOBS=1 xargs -P "$((jobs + 1))" -I{} bash -c '"$1"' bash {}
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
    step "instances of schemas" tests/instances.py build/cando tests/cases
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

gateway() {
    if step "build the nginx module" build build/nginx/ngx_http_cando_module.so; then
        step "nginx" tests/nginx/test_nginx.py build/nginx/ngx_http_cando_module.so
        step "a request that nginx repairs" nginx/gateway.sh build/nginx/ngx_http_cando_module.so
        step "packages for Debian" tests/deb/run.sh build/deb
    fi
}

daemon() {
    step "daemon" tests/serve/run.py build/cando-serve
    step "daemon under load" tests/serve/soak.py build/cando-serve 30
}

fleet() {
    step "fleet of a thousand nodes, simulated" build/tests/fleet/simulate
    step "fleet" tests/fleet/run.py build/cando-serve 8
    step "fleet, as make fleet shows it" scripts/fleet.py build
}

packages() {
    step "build the packages" build npm python || return
    step "page" tests/site/run.sh
    step "packages" tests/bindings/run.sh build/cando
    step "the providers' clients before the stand-in" tests/serve/standin.sh build/cando-serve
}

agents() {
    step "agents, the protocol on the wire" tests/mcp/wire.py build/cando build/cando-serve
    step "agents, official clients and conformance" tests/mcp/clients.sh build/cando build/cando-serve
}

# ---- other compilers and machines ------------------------------------------------------------

# One build for both: it is not optimised, and has the debug information that tells of types.
threads() {
    if step "build with TSan" build VARIANT=tsan build/tsan/tests/unit/test_threads build/tsan/libcando.so; then
        step "threads, TSan" build/tsan/tests/unit/test_threads
        step "ABI" tests/abi.sh build/tsan/libcando.so
    fi
}

cross() {
    step "build for aarch64 and s390x" build cross
    if step "build the program for s390x" build VARIANT=s390x build/s390x/cando-static; then
        step "some cases on s390x, emulated" tests/emulated.sh s390x build/s390x/cando-static \
            tests/cases/{alias,asked,cost,history,select,preflight_openai_chat,preflight_shapes}.jsonl
    fi
}

# By clang, which therefore compiles all that there is; with what the fuzz targets need besides.
asan() {
    step "build with clang, ASan and UBSan" build VARIANT=asan test-programs fuzz-programs objects
    echo $? >"$asan_built"
    [ "$(cat "$asan_built")" -eq 0 ] || return
    step "unit and property tests, ASan and UBSan" tests/run_units.sh build/asan
    step "cases, ASan and UBSan" tests/run_cases.py build/asan/cando tests/cases
    step "toml cases, ASan and UBSan" tests/toml_cases.sh build/asan/toml-test
    step "hostile questions and rules, ASan and UBSan" tests/hostile.py build/asan/cando
    step "instances of schemas, ASan and UBSan" tests/instances.py build/asan/cando tests/cases
    step "torture" build/asan/tests/torture --quick
    asan_gateway
    step "fuzz targets, briefly" tests/run_fuzz.sh build/asan/fuzz -runs=3000 -max_total_time=6 -seed=1
}

# nginx itself has no sanitizer, so its library comes first.
asan_gateway() {
    if step "build the nginx module with ASan and UBSan" build VARIANT=asan build/asan/nginx/ngx_http_cando_module.so; then
        ASAN_OPTIONS=detect_leaks=0 CANDO_PRELOAD=$(clang -print-file-name=libclang_rt.asan-x86_64.so) \
            step "nginx, ASan and UBSan" tests/nginx/test_nginx.py build/asan/nginx/ngx_http_cando_module.so
    fi
}

asan_daemon() {
    until [ -s "$asan_built" ]; do sleep 1; done
    [ "$(cat "$asan_built")" -eq 0 ] || return
    SERVE_PATIENCE=90 step "daemon, ASan and UBSan" tests/serve/run.py build/asan/cando-serve "" test_cases
    SERVE_PATIENCE=90 step "daemon under load, ASan and UBSan" tests/serve/soak.py build/asan/cando-serve 30
    SERVE_PATIENCE=90 step "fleet, ASan and UBSan" tests/fleet/run.py build/asan/cando-serve shared
    step "agents, the protocol on the wire, ASan and UBSan" tests/mcp/wire.py build/asan/cando build/asan/cando-serve
}

asan_command_line() {
    until [ -s "$asan_built" ]; do sleep 1; done
    [ "$(cat "$asan_built")" -eq 0 ] || return
    # to look for leaks at the end of thousands of short lives takes half of the time; the others do.
    # A program that is killed has nothing to tell of its memory.
    CLI_WITHOUT=killed ASAN_OPTIONS=detect_leaks=0 step "command line, ASan and UBSan" tests/cli/run.sh build/asan/cando
}

# ---- all of it: what takes long begins first, what needs another build when that is likely there ---

export -f busy step build rules programs papers command_line daemon agents packages fleet gateway asan_gateway threads cross asan asan_command_line asan_daemon
rules
if JOBS=$jobs step "build with gcc" build all test-programs; then
    beside asan packages command_line asan_command_line agents programs daemon fleet asan_daemon gateway cross threads papers
fi

awk '{ good += $1; bad += $2 } END { printf "%d passed, %d failed\n", good, bad; exit bad > 0 }' "$counts"
