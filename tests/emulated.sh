#!/usr/bin/env bash
# emulated.sh MACHINE PROGRAM [CASES...] - all cases, or these, through a static program of another machine, under qemu.
set -eu
cd "$(dirname "$0")/.."
machine=${1:?usage: emulated.sh MACHINE PROGRAM [CASES...]}
program=$(realpath "${2:?usage: emulated.sh MACHINE PROGRAM [CASES...]}")
shift 2
[ $# -gt 0 ] || set -- tests/cases
qemu=$(command -v "qemu-$machine-static" || command -v "qemu-$machine") || { echo "no qemu for $machine: scripts/deps.sh cross-test installs it"; exit 1; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
die() { echo "$machine: $*"; echo "0 passed, 1 failed"; exit 1; }

printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$qemu" "$program" >"$tmp/cando"
chmod +x "$tmp/cando"
readelf -h "$program" | grep -E 'Data|Machine' | sed "s/^ */$machine: /"
! readelf -l "$program" | grep -q INTERP || die "it is not static"
# what it does without, it says
HOME=$tmp "$tmp/cando" audit verify --store "$program" >"$tmp/out" 2>&1 && die "a trail without SQLite"
grep -q "needs SQLite" "$tmp/out" || die "it does not say that SQLite is missing: $(cat "$tmp/out")"
HOME=$tmp "$tmp/cando" key new "$tmp/k" >"$tmp/out" 2>&1 && die "a key without libcrypto"
grep -q "without libcrypto" "$tmp/out" || die "it does not say that libcrypto is missing: $(cat "$tmp/out")"
CASES_TIMEOUT=900 tests/run_cases.py "$tmp/cando" "$@"
