#!/usr/bin/env bash
# hardening.sh BUILD - the product has what compilers and linkers offer against mistakes.
set -eu
b=${1:?usage: hardening.sh BUILD}
fail() { echo "$*"; exit 1; }
for f in "$b/cando" "$b/cando-serve" "$b/libcando.so" "$b/libcando_fleet.so"; do
    readelf -dW "$f" | grep -qE 'BIND_NOW|NOW' || fail "$f: no BIND_NOW"
    readelf -lW "$f" | grep -q GNU_RELRO || fail "$f: no RELRO"
    ! readelf -lW "$f" | grep -E 'GNU_STACK.*RWE' || fail "$f: an executable stack"
    ! readelf -dW "$f" | grep -q TEXTREL || fail "$f: relocations in its text"
    readelf --dyn-syms -W "$f" | grep -q __stack_chk_fail || fail "$f: no stack protector"
    readelf --dyn-syms -W "$f" | grep -q '_chk@' || fail "$f: no fortified function"
done
for f in "$b/cando" "$b/cando-serve"; do readelf -hW "$f" | grep -q "Type: *DYN" || fail "$f: no PIE"; done
# CET: a program is marked for it if each file in it is, the C library's among them, which is not ours.
case $(${CC:-gcc} -dumpmachine) in
x86_64*)
    for f in "$b"/obj/{base,libcando}.o "$b"/obj/{cli,stores,serve,mcp}/*.o; do
        readelf -nW "$f" | grep -q 'IBT, SHSTK' || fail "$f: not marked for CET"
    done ;;
esac
