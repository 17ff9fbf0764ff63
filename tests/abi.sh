#!/usr/bin/env bash
# abi.sh LIBRARY [--write] - compares what the shared library shows with the committed baseline.
#
# LIBRARY has debug information. Additions pass; what a program that was linked before would trip over does not. With
# --write the baseline is written anew: RELEASING.md says when.
set -eu
cd "$(dirname "$0")/.."
library=$(readlink -f "${1:?usage: abi.sh LIBRARY [--write]}")
baseline=tests/libcando.abi
if [ "${2:-}" = --write ]; then
    abidw --exported-interfaces-only --header-file include/cando.h --drop-private-types --no-corpus-path --no-comp-dir-path --no-show-locs \
        --no-elf-needed --no-parameter-names --out-file "$baseline" "$library"
    exit
fi
# exit codes are bits: 1 an error, 2 a usage error, 4 a change, 8 one that breaks
rc=0
abidiff --hf2 include/cando.h --drop-private-types --no-added-syms "$baseline" "$library" || rc=$?
if [ $((rc & 11)) -ne 0 ]; then
    echo "the ABI has changed; RELEASING.md says what to do"
    exit 1
fi
