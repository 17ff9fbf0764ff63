#!/usr/bin/env bash
# run.sh FOLDER - the short form of `make deb-test`: the packages of what is built, judged and unpacked, in no chroot.
set -eu
cd "$(dirname "$0")/../.."
scripts/deb.sh "${1:?usage: run.sh FOLDER}"
tests/deb/lint.sh "$1"
