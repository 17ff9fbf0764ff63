#!/usr/bin/env bash
# lint.sh FOLDER - the packages of a folder: lintian finds no error, and unpacked beside each other they work.
set -eu
cd "$(dirname "$0")/../.."
folder=$(realpath "${1:?usage: lint.sh FOLDER}")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
passed=0
ok() { passed=$((passed + 1)); echo "ok $*"; }
die() { echo "not ok: $*"; echo "$passed passed, 1 failed"; exit 1; }

names="libcando0.1 libcando-store0.1 libcando-dev cando cando-serve cando-fleet python3-cando libnginx-mod-http-cando"
for n in $names; do compgen -G "$folder/${n}_*.deb" >/dev/null || die "there is no $n"; done
ok "all packages are there"

lintian --fail-on error --allow-root --suppress-tags no-symbols-control-file "$folder"/*.changes >"$tmp/lintian" 2>&1 || die "lintian: $(grep '^E' "$tmp/lintian")"
grep -v '^N' "$tmp/lintian" || true
ok "lintian has no error"

version=$(sed -n 's/^#define CANDO_VERSION "\(.*\)"/\1/p' include/cando.h)
[ "$(sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)" = "$version" ] || die "debian/changelog has another version than include/cando.h"
case "$version" in 0.*) abi=${version%.*} ;; *) abi=${version%%.*} ;; esac # RELEASING.md
compgen -G "$folder/libcando${abi}_*.deb" >/dev/null || die "the library's package has not the name of its soname, libcando.so.$abi"
ok "version and soname"

root=$tmp/root
for d in "$folder"/*.deb; do dpkg-deb -x "$d" "$root"; done
lib=$(dirname "$(find "$root/usr/lib" -name "libcando.so.$abi")")
"$root/usr/bin/cando" --version | grep -qF "cando $version" || die "the program does not run"
HOME=$tmp "$root/usr/bin/cando" show openai/gpt-4o >"$tmp/out" || die "the program knows no model"
"$root/usr/bin/cando" audit --nats nats://127.0.0.1:1 >"$tmp/out" 2>&1 && die "a fleet that is not there"
! grep -q "its library" "$tmp/out" || die "the fleet's library is not found: $(cat "$tmp/out")"
ok "the program, and the fleet's library"

cat >"$tmp/use.c" <<'C'
#include <cando_store.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    cando_error err;
    cando_store *s = cando_store_open(argv[argc - 1], &(cando_store_options){.create = true}, NULL, &err);
    printf("%s %s\n", cando_version(), s ? "opened" : err.message);
    if (s)
        s->ops->close(s);
    return !s;
}
C
export PKG_CONFIG_PATH=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
# shellcheck disable=SC2046
gcc -Wall -Werror -o "$tmp/use" "$tmp/use.c" $(pkg-config --cflags --libs cando-store)
[ "$(LD_LIBRARY_PATH=$lib "$tmp/use" "$tmp/trail.db")" = "$version opened" ] || die "a program with the libraries"
ok "a program with the libraries"

PYTHONPATH=$root/usr/lib/python3/dist-packages /usr/bin/python3 -c 'import cando; assert cando.resolve("openai/gpt-4o")' || die "Python"
ok "Python"

mkdir "$tmp/run"
printf 'daemon off; master_process off; pid %s/pid; error_log %s/log; load_module %s;\nevents {}\nhttp { access_log off; server { listen unix:%s/s; location / { cando report; return 204; } } }\n' \
    "$tmp/run" "$tmp/run" "$root/usr/lib/nginx/modules/ngx_http_cando_module.so" "$tmp/run" >"$tmp/nginx.conf"
nginx -t -c "$tmp/nginx.conf" >"$tmp/out" 2>&1 || die "nginx: $(cat "$tmp/out")"
ok "nginx loads the module"

grep -q '^User=_cando' "$root/lib/systemd/system/cando.service" || die "the service has no user of its own"
grep -q '^u _cando ' "$root/usr/lib/sysusers.d/cando-serve.conf" || die "nobody makes the user"
if command -v systemd-analyze >/dev/null; then
    systemd-analyze security --offline=true --threshold=20 "$root/lib/systemd/system/cando.service" >"$tmp/out" 2>&1 || die "the sandbox: $(tail -n 3 "$tmp/out")"
fi
ok "the service is sandboxed"
"$root/usr/bin/cando-serve" --listen "unix:$tmp/run/d" --no-config 2>"$tmp/err" &
daemon=$!
trap 'kill $daemon 2>/dev/null || true; rm -rf "$tmp"' EXIT
for _ in $(seq 100); do [ ! -S "$tmp/run/d" ] || break; sleep 0.1; done
curl -sf --unix-socket "$tmp/run/d" http://localhost/healthz >/dev/null || die "the daemon does not answer: $(cat "$tmp/err")"
kill $daemon
wait $daemon || die "the daemon ends with $?"
ok "the daemon"
echo "$passed passed, 0 failed"
