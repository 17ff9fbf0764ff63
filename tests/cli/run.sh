#!/usr/bin/env bash
# run.sh CANDO [FILE...] - black-box tests of the command line.
#
# Each tests/cli/*.sh (but this one) holds functions test_*; each runs by itself in an empty folder with $cando set,
# JOBS of them at a time; those with CLI_WITHOUT in their name are left out. Prints one line a test and at the end
# "N passed, M failed".
set -u
here=$(cd "$(dirname "$0")" && pwd)
cando=$(realpath "${1:?usage: run.sh CANDO [FILE...]}")
shift
[ $# -gt 0 ] || set -- "$here"/*.sh
unset NO_COLOR PAGER XDG_DATA_HOME XDG_CONFIG_HOME XDG_CACHE_HOME
export cando here

# run COMMAND...: leaves its exit code in $rc and its two outputs in the files out and err.
run() { rc=0; "$@" >out 2>err || rc=$?; }
fail() {
    echo "$*"
    if [ -n "${rc:-}" ]; then echo "exit code: $rc"; fi
    for f in out err; do if [ -s $f ]; then echo "-- $f"; head -c 2000 $f; fi; done
    exit 1
}
exits() { [ "$rc" -eq "$1" ] || fail "want exit code $1"; }
out_has() { grep -qF -- "$1" out || fail "want in stdout: $1"; }
err_has() { grep -qF -- "$1" err || fail "want in stderr: $1"; }
out_lacks() { ! grep -qF -- "$1" out || fail "not wanted in stdout: $1"; }
err_lacks() { ! grep -qF -- "$1" err || fail "not wanted in stderr: $1"; }
out_empty() { [ ! -s out ] || fail "want an empty stdout"; }
err_empty() { [ ! -s err ] || fail "want an empty stderr"; }
out_matches() { grep -qE -- "$1" out || fail "want in stdout: $1"; }
err_matches() { grep -qE -- "$1" err || fail "want in stderr: $1"; }

# one FILE TEST: leaves what it said in $tmp/NAME.log, and $tmp/NAME.ok if it passed.
one() {
    local name
    name=$(basename "$1" .sh).$2
    mkdir "$tmp/$name"
    # in a shell of its own: inside of a condition nothing that fails ends a test
    bash -c 'set -eu; cd "$1"; . "$2"; "$3"' bash "$tmp/$name" "$1" "$2" >"$tmp/$name.log" 2>&1 && : >"$tmp/$name.ok"
    rm -rf "${tmp:?}/$name"
}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export CANDO_TODAY=2026-10-01 PAGER=cat
export HOME="$tmp/home" # nobody's own files are in force
mkdir "$HOME"
export tmp
# shellcheck disable=SC2046
export -f $(declare -F | sed 's/.* //')
tests=()
for file in "$@"; do
    file=$(realpath "$file")
    [ "$(basename "$file")" != run.sh ] || continue
    for t in $(sed -n 's/^\(test_[a-z0-9_]*\)().*/\1/p' "$file"); do
        case "$t" in *"${CLI_WITHOUT:- }"*) ;; *) tests+=("$file $t") ;; esac
    done
done
# JOBS at a time; a test whose name ends in _slow begins, so that nobody waits for it at the end
{ printf '%s\n' "${tests[@]}" | grep '_slow$'; printf '%s\n' "${tests[@]}" | grep -v '_slow$'; } |
    xargs -d '\n' -P "${JOBS:-$(nproc)}" -I{} bash -c 'one "${1% *}" "${1##* }"' bash {}

passed=0 failed=0
for test in "${tests[@]}"; do
    t=${test##* } name=$(basename "${test% *}" .sh)
    if [ -e "$tmp/$name.$t.ok" ]; then
        echo "ok     $name: $t"
        passed=$((passed + 1))
    else
        echo "FAILED $name: $t"
        sed 's/^/    /' "$tmp/$name.$t.log"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
