#!/usr/bin/env bash
# examples.sh [--write] - builds every program of examples/c/ against an installed library, as a user would, runs it and compares
# what it prints with the .expected beside it; with --write that is written anew.
#
# Each is linked twice: with the shared library through pkg-config, and with the static one and sanitizers, which also find
# what it forgets to free. Then the C in the documents: documents.py.
set -eu
cd "$(dirname "$0")/.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cc=${CC:-gcc}
passed=0 failed=0
good() { passed=$((passed + 1)); echo "ok $*"; }
bad() { failed=$((failed + 1)); echo "not ok $*"; }

make -s install DESTDIR="$tmp/root" PREFIX=/usr
root=$tmp/root/usr
export PKG_CONFIG_PATH=$root/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$tmp/root PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
export LD_LIBRARY_PATH=$root/lib
read -ra cflags < <(pkg-config --cflags cando)
read -ra libs < <(pkg-config --libs cando)
warn=(-std=c17 -O1 -Wall -Wextra -Werror -Wshadow -pedantic)
"$root/bin/cando" build --quiet -o "$tmp/acme.snap" examples/acme.toml

run() { # program, its name
    case "$2" in
    profile) "$1" acme/rocket-3 "$tmp/acme.snap" ;; # texts and places that no update of the catalog changes
    *) "$1" ;;
    esac
}

for source in examples/c/*.c; do
    name=$(basename "$source" .c) expected=${source%.c}.expected
    if ! "$cc" "${warn[@]}" "${cflags[@]}" -o "$tmp/$name" "$source" "${libs[@]}"; then
        bad "$name: does not compile"
        continue
    fi
    "$cc" "${warn[@]}" -g -fsanitize=address,undefined "${cflags[@]}" -o "$tmp/$name-static" "$source" "$root/lib/libcando.a" -lm
    [ "${1:-}" != --write ] || run "$tmp/$name" "$name" >"$expected"
    for program in "$tmp/$name" "$tmp/$name-static"; do
        if run "$program" "$name" >"$tmp/out" && diff -u "$expected" "$tmp/out"; then
            good "${program##*/}"
        else
            bad "${program##*/}"
        fi
    done
done

[ $failed -eq 0 ] || { echo "$passed passed, $failed failed"; exit 1; }
documents=$(tests/documents.py "$cc") || failed=1
echo "$documents"
[[ $(tail -n 1 <<<"$documents") =~ ([0-9]+)\ passed,\ ([0-9]+)\ failed ]]
echo "$((passed + BASH_REMATCH[1])) passed, ${BASH_REMATCH[2]} failed"
exit $failed
