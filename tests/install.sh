#!/usr/bin/env bash
# install.sh - installs into a temporary folder, builds a program against both libraries through pkg-config, uninstalls.
set -eu
cd "$(dirname "$0")/.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
passed=0
ok() { passed=$((passed + 1)); echo "ok $*"; }
die() { echo "not ok: $*"; echo "$passed passed, 1 failed"; exit 1; }

make -s install DESTDIR="$tmp/root" PREFIX=/usr
root=$tmp/root/usr
for f in bin/cando lib/libcando.a lib/libcando.so include/cando.h lib/pkgconfig/cando.pc lib/libcando_store.a \
    lib/libcando_store.so include/cando_store.h lib/pkgconfig/cando-store.pc share/man/man1/cando.1 \
    share/bash-completion/completions/cando bin/cando-serve lib/systemd/system/cando.service lib/systemd/system/cando.socket; do
    [ -s "$root/$f" ] || die "$f is not installed"
done
ok "all files are there"

cat >"$tmp/use.c" <<'C'
#include <cando.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    cando_error err;
    cando *c = cando_new(NULL, NULL, &err);
    const char *q = "{\"op\":\"resolve\",\"id\":1,\"target\":\"anthropic/claude-opus-4-5\"}";
    char *reply;
    size_t len;
    if (!c || cando_call(c, q, strlen(q), &reply, &len) != CANDO_OK)
        return 1;
    printf("%s %.*s\n", cando_version(), (int)len, reply);
    cando_free_text(c, reply, len);
    cando_free(c);
    return 0;
}
C
export PKG_CONFIG_PATH=$root/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$tmp/root PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
cc=${CC:-gcc}
# shellcheck disable=SC2046
$cc -Wall -Werror -o "$tmp/shared" "$tmp/use.c" $(pkg-config --cflags --libs cando)
# shellcheck disable=SC2046
$cc -Wall -Werror -o "$tmp/static" "$tmp/use.c" $(pkg-config --cflags cando) "$root/lib/libcando.a" -lm
want="$(pkg-config --modversion cando) {\"id\":1,\"ok\":true"
got=$(LD_LIBRARY_PATH=$root/lib "$tmp/shared") || die "the program with the shared library failed"
case "$got" in "$want"*) ok "shared library" ;; *) die "shared library says: $got" ;; esac
got=$("$tmp/static") || die "the program with the static library failed"
case "$got" in "$want"*) ok "static library" ;; *) die "static library says: $got" ;; esac

# A host in C that keeps what its sessions decide: nothing but what is installed.
cat >"$tmp/host.c" <<'C'
#include <cando_store.h>
#include <stdio.h>

static void keep(void *store, const cando_event *e)
{
    cando_store *s = store;
    s->ops->append(s, e, 1, NULL);
}

static bool print(void *user, const cando_store_record *r)
{
    (void)user;
    printf("%.*s\n", (int)r->text.n, r->text.p);
    return true;
}

int main(int argc, char **argv)
{
    cando_error err = {0};
    cando *c = cando_new(NULL, NULL, &err);
    cando_room *room = cando_room_new(NULL, &err);
    cando_events *events = cando_events_new(NULL, &err);
    cando_store *store = cando_store_open(argv[argc - 1], &(cando_store_options){.create = true}, NULL, &err);
    if (!c || !room || !events || !store)
        return printf("%s\n", err.message), 1;
    cando_events_subscribe(events, CANDO_EVERY_EVENT, keep, store, &err);
    cando_set_events(c, events, NULL, NULL);
    cando_session *s = cando_session_new(c, (cando_name){.model = "openai/gpt-4.1"}, &err);
    cando_session_name(s, "s-1", &err);
    cando_state_machine machine = {.attached = true, .id = "flow"};
    cando_change attach = {.kind = CANDO_CHANGE_ATTACH, .state_machine = &machine};
    cando_change leave = {.kind = CANDO_CHANGE_TARGET, .target.model = "openai/text-embedding-3-small"};
    cando_session_change(s, &attach, room, &err);
    cando_session_change(s, &leave, room, &err);
    cando_store_report report;
    if (store->ops->flush(store, &err) || store->ops->query(store, &(cando_store_query){.verdict = "rejected"}, print, NULL, &err) ||
        store->ops->verify(store, &report, &err) || report.problems)
        return printf("%s\n", err.message), 1;
    store->ops->close(store);
    cando_session_free(s);
    cando_free(c);
    cando_events_free(events);
    cando_room_free(room);
    return 0;
}
C
# shellcheck disable=SC2046
$cc -Wall -Werror -o "$tmp/host" "$tmp/host.c" $(pkg-config --cflags --libs cando-store)
# shellcheck disable=SC2046
$cc -Wall -Werror -o "$tmp/host_static" "$tmp/host.c" $(pkg-config --cflags cando-store) "$root/lib/libcando_store.a" "$root/lib/libcando.a" -lsqlite3 -lm
for host in host host_static; do
    got=$(LD_LIBRARY_PATH=$root/lib "$tmp/$host" "$tmp/$host.db") || die "the program with the store failed: $got"
    case "$got" in
    *'"kind":"rejection","session":"s-1","change":"switch"'*'"missing":["tool_calling"],"required_by":["state_machine"]'*) ok "the store, $host" ;;
    *) die "the store says: $got" ;;
    esac
done

version=$(pkg-config --modversion cando)
case "$version" in 0.*) abi=${version%.*} ;; *) abi=${version%%.*} ;; esac # RELEASING.md
readelf -d "$tmp/shared" | grep -qF "[libcando.so.$abi]" || die "the soname does not end in $abi"
ok "soname"
for lib in "$root/lib/libcando.so -D" "$root/lib/libcando.a -g" "$root/lib/libcando_store.so -D" "$root/lib/libcando_store.a -g"; do
    # shellcheck disable=SC2086
    others=$(nm --defined-only $lib 2>/dev/null | awk '$2 ~ /[A-Z]/ && $3 !~ /^(cando_|CANDO_[0-9.]+$)/ {print $3}')
    [ -z "$others" ] || die "${lib% *} exports $(echo "$others" | head -n 5 | tr '\n' ' ')"
done
ok "only cando_* is exported"
g++ --version >/dev/null 2>&1 && { echo '#include <cando_store.h>' | g++ -std=c++17 -Wall -Werror -I"$root/include" -fsyntax-only -x c++ - || die "the header is not C++"; }
ok "the header reads in C++"
"$root/bin/cando" --version | grep -q '^cando [0-9]' || die "the program does not run"
bash -n "$root/share/bash-completion/completions/cando" || die "the completion is broken"
grep -q '^\.SH NAME' "$root/share/man/man1/cando.1" || die "the manual page is broken"
ok "program, completion, manual page"

make -s uninstall DESTDIR="$tmp/root" PREFIX=/usr
[ -z "$(find "$tmp/root" ! -type d)" ] || die "left behind: $(find "$tmp/root" ! -type d | head -n 3)"
ok "uninstall leaves nothing"
echo "$passed passed, 0 failed"
