#!/usr/bin/env bash
# deps.sh WHAT - installs the Debian packages that `make WHAT` needs and that are missing.
#
# Silent and quick when nothing is missing. A command that is there counts,
# whoever installed it; only libraries are looked up in the package database.
# Needs root or sudo; without either it prints what to run and ends with 1.
set -eu

# "command:package" is there if the command is; a bare name is a package.
compile="gcc:gcc libc6-dev libsqlite3-dev zlib1g-dev libmicrohttpd-dev"
loaded="libcurl4-openssl-dev libssl-dev" # their headers; the libraries are loaded where they are there
unit="libcmocka-dev libsimde-dev python3:python3"
cross="aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu libc6-dev-arm64-cross s390x-linux-gnu-gcc:gcc-s390x-linux-gnu libc6-dev-s390x-cross"
wasm="clang:clang wasm-ld:lld wasi-libc libclang-rt-dev-wasm32"
packages="node:nodejs npm:npm python3:python3 python3-dev python3-build python3-setuptools python3-wheel python3-venv python3-httpx python3-requests"
nginx="nginx:nginx-light nginx-dev curl:curl python3:python3"
fleet="libnats-dev nats-server:nats-server python3:python3 openssl:openssl"
emulate="qemu-aarch64-static:qemu-user-static"
deb="dpkg-buildpackage:dpkg-dev dh:debhelper dh-python fakeroot:fakeroot lintian:lintian scdoc:scdoc libnats-dev"
case "${1:-}" in
make)     want="make:make" ;;
run)      want="$compile $loaded" ;;
serve)    want="$compile $loaded $wasm $packages"; node_headers=1 ;;
quick)    want="$compile $loaded $unit scdoc:scdoc" ;;
test)     want="$compile $loaded $unit clang:clang libclang-rt-dev libjansson-dev python3-jsonschema abigail-tools scdoc:scdoc pkg-config:pkgconf $cross $wasm $packages $nginx $fleet $deb $emulate chromium:chromium" ;;
bench)    want="$compile jq:jq g++:g++ libsimdjson-dev libjansson-dev $wasm $packages $nginx wrk:wrk chromium:chromium" ;;
fuzz)     want="$compile clang:clang libclang-rt-dev" ;;
lint)     want="$compile libnats-dev clang-tidy:clang-tidy clang-format:clang-format cppcheck:cppcheck" ;;
wasm)     want="$compile $wasm" ;;
npm)      want="$compile $packages"; node_headers=1 ;;
python)   want="$compile $packages" ;;
cross)    want="$cross" ;;
cross-test) want="$compile $loaded $cross $emulate python3:python3" ;;
static)   want="$compile musl-gcc:musl-tools" ;;
nginx)    want="$compile $nginx" ;;
fleet)    want="$compile $fleet" ;;
deb)      want="$compile $loaded $packages $nginx $deb" ;;
deb-test) want="$compile $loaded $packages $nginx $deb debootstrap:debootstrap" ;;
shapes)   want="python3:python3 python3-yaml" ;;
coverage) want="$compile $unit gcovr:gcovr" ;;
*)        echo "usage: deps.sh make|run|serve|quick|test|bench|fuzz|lint|wasm|npm|python|cross|cross-test|static|deb|deb-test|coverage|shapes|nginx|fleet" >&2; exit 2 ;;
esac

libraries=()
missing=()
for w in $want; do
    case "$w" in
    *:*) command -v "${w%%:*}" >/dev/null 2>&1 || missing+=("${w#*:}") ;;
    *) libraries+=("$w") ;;
    esac
done

if [ ${#libraries[@]} -gt 0 ] && command -v dpkg-query >/dev/null 2>&1; then
    installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "${libraries[@]}" 2>/dev/null || true)
    for p in "${libraries[@]}"; do
        case $'\n'"$installed"$'\n' in
        *$'\n'"$p installed"$'\n'*) ;;
        *) missing+=("$p") ;;
        esac
    done
fi

# Node's headers come with some Nodes and not with Debian's.
if [ -n "${node_headers:-}" ] && ! "${0%/*}/node_headers.sh" >/dev/null; then missing+=(libnode-dev); fi

[ ${#missing[@]} -eq 0 ] && exit 0

install=(apt-get install -y --no-install-recommends "${missing[@]}")
if ! command -v apt-get >/dev/null 2>&1; then
    echo "cando: these are missing, and there is no apt-get to install them with:" >&2
    printf '  %s\n' "${missing[@]}" >&2
    exit 1
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        as_root=(sudo)
    else
        echo "cando: these Debian packages are missing:" >&2
        printf '  %s\n' "${missing[@]}" >&2
        echo "run as root, then try again:" >&2
        echo "  apt-get update && ${install[*]}" >&2
        exit 1
    fi
fi

echo "cando: installing ${missing[*]}" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
run() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "$@" >"$log" 2>&1 </dev/null; }
if ! run apt-get update || ! run "${install[@]}"; then
    tail -n 15 "$log" >&2
    echo "cando: could not install; this was tried:" >&2
    echo "  apt-get update && ${install[*]}" >&2
    exit 1
fi
