#!/usr/bin/env bash
# deb.sh FOLDER [VERSION] - the Debian packages of what is built, into FOLDER; VERSION in place of debian/changelog's.
#
# The sources and what the plain build has made are copied with their times to FOLDER/tree, and
# dpkg-buildpackage builds there as it would from a fresh tree: make finds what is up to date and
# compiles what is not. So the packages are of these sources, and take no longer than packing them.
set -eu
cd "$(dirname "$0")/.."
folder=${1:?usage: deb.sh FOLDER [VERSION]}
mkdir -p "$folder"
folder=$(realpath "$folder")
tree=$folder/tree
rm -rf "$tree" "$folder"/*.deb "$folder"/*.buildinfo "$folder"/*.changes
mkdir -p "$tree/build"
if [ -d .git ]; then git ls-files -z --cached --others --exclude-standard; else find . -path ./build -prune -o -type f -print0; fi |
    tar --null --no-recursion --ignore-failed-read -T - -cf - | tar -C "$tree" -xpf -
find . -path ./build -prune -o -path ./.git -prune -o -type d -print0 | while read -r -d '' d; do [ ! -d "$tree/$d" ] || touch -r "$d" "$tree/$d"; done
for made in obj gen nginx; do [ ! -e "build/$made" ] || cp -a "build/$made" "$tree/build/"; done
find build -maxdepth 1 \( -type f -o -type l \) ! -name '*.log' ! -name '*.jsonl' -exec cp -a {} "$tree/build/" \;
cd "$tree"
if [ -n "${2:-}" ]; then sed -i "1s/(.*)/($2)/" debian/changelog; fi
# packing is most of the time, and these are for this machine first: a release sets DEB_FAST to nothing
export DEB_FAST=${DEB_FAST-1} DEB_BUILD_OPTIONS="noautodbgsym nocheck${DEB_BUILD_OPTIONS:+ $DEB_BUILD_OPTIONS}"
unset MAKEFLAGS MFLAGS MAKELEVEL
dpkg-buildpackage --build=binary --no-sign --no-check-builddeps --no-pre-clean >"$folder/build.log" 2>&1 || {
    tail -n 30 "$folder/build.log"
    exit 1
}
rm -rf "$tree"
ls "$folder"/*.deb
