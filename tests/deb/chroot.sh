#!/usr/bin/env bash
# chroot.sh FOLDER - the packages of a folder in a clean Debian: installed, used, upgraded, removed, purged.
#
# debootstrap makes the Debian once, from the mirror of this machine's own apt (FOLDER/base.tar has it from then on); what
# the packages need besides is fetched by this machine's apt and kept, too. Nothing in the chroot uses the network.
# Where that cannot be done, the test says why and that it was skipped.
set -eu
cd "$(dirname "$0")/../.."
folder=$(realpath "${1:?usage: chroot.sh FOLDER}")
skip() { echo "skipped: $*"; exit 0; }
[ "$(id -u)" -eq 0 ] || skip "a chroot needs root"
command -v debootstrap >/dev/null || skip "there is no debootstrap"
unshare -m -p -f true 2>/dev/null || skip "there are no namespaces to be had"
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
passed=0
ok() { passed=$((passed + 1)); echo "ok $*"; }
die() { echo "not ok: $*"; echo "$passed passed, 1 failed"; exit 1; }

# -- a clean Debian --

suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
base=$folder/base.tar
if [ ! -s "$base" ]; then
    mirror=$(apt-get indextargets --format '$(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
        awk -v s="$suite" '$2 == s && $3 == "main" { print $1; exit }')
    [ -n "$mirror" ] || skip "apt knows no mirror of $suite"
    debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$folder/debootstrap.log" 2>&1 || skip "debootstrap failed: $(tail -n 1 "$folder/debootstrap.log")"
    rm -rf "$root"/var/cache/apt/archives/*.deb
    tar -C "$root" --exclude=./dev --exclude=./proc --exclude=./sys -cf "$base.new" . && mv "$base.new" "$base"
fi
rm -rf "$root" && mkdir -p "$root" && tar -C "$root" -xpf "$base"
chmod 755 "$root" # it is everybody's / in there
mkdir -p "$root/dev" "$root/proc" "$root/sys" "$root/pkg"
for d in "null 1 3" "zero 1 5" "random 1 8" "urandom 1 9"; do # shellcheck disable=SC2086
    set -- $d; mknod -m 666 "$root/dev/$1" c "$2" "$3" 2>/dev/null || true
done
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" && chmod +x "$root/usr/sbin/policy-rc.d"
in_root() { unshare -m -p -f --mount-proc="$root/proc" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"; }
must() { in_root "$@" >"$root/pkg/out" 2>&1 || die "$*: $(tail -n 15 "$root/pkg/out")"; }

# -- what the packages need --

needs="$folder/needs"
mkdir -p "$needs/partial"
apt-get -o Dir::State::status="$root/var/lib/dpkg/status" -o Dir::Cache::archives="$needs" -o Debug::NoLocking=1 -o APT::Sandbox::User=root \
    --no-install-recommends --download-only -y install "$folder"/*.deb >"$folder/fetch.log" 2>&1 || skip "what the packages need cannot be fetched: $(tail -n 1 "$folder/fetch.log")"
cp "$needs"/*.deb "$root/pkg/" 2>/dev/null || true
cp "$folder"/*.deb "$root/pkg/"
in_root sh -c 'rm -f /etc/apt/sources.list /etc/apt/sources.list.d/*; find / -xdev \( -path /proc -o -path /pkg \) -prune -o -print | sort > /pkg/before'

# -- installed --

must sh -c 'apt-get install -y --no-install-recommends /pkg/*.deb'
for p in libcando0.1 libcando-store0.1 libcando-dev cando cando-serve cando-fleet python3-cando libnginx-mod-http-cando; do
    [ "$(in_root dpkg-query -W -f '${db:Status-Status}' $p)" = installed ] || die "$p is not installed"
done
ok "installed"
must sh -c 'cando show openai/gpt-4o && cando --version'
must /usr/bin/python3 -c 'import cando; assert cando.resolve("openai/gpt-4o")'
must nginx -t
must test -L /etc/nginx/modules-enabled/50-mod-http-cando.conf
must ldconfig
must sh -c 'ldconfig -p | grep -q libcando.so'
ok "program, Python, nginx, library"

# -- used: the daemon as its unit starts it, with a record in the trail --

must sh -c 'getent passwd _cando | grep -q nologin'
must sh -c 'install -d -o _cando -m 700 /var/lib/cando-serve /var/cache/cando-serve; grep -q ^User=_cando /lib/systemd/system/cando.service'
cat >"$root/pkg/use.py" <<'P'
import json, os, subprocess, sys, time, urllib.request
run = ["setpriv", "--reuid=_cando", "--regid=_cando", "--clear-groups", "--no-new-privs"]
unit = open("/lib/systemd/system/cando.service").read()
start = next(l[10:] for l in unit.splitlines() if l.startswith("ExecStart=")).replace("${STATE_DIRECTORY}", "/var/lib/cando-serve")
p = subprocess.Popen(run + start.split() + ["--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
                     env={"PATH": os.environ["PATH"], "XDG_CONFIG_HOME": "/etc/cando-serve", "XDG_DATA_HOME": "/var/lib/cando-serve"})
url = next(line for line in p.stderr if "listening on" in line).split()[-1]
def post(path, body):
    return urllib.request.urlopen(urllib.request.Request(url + path, body.encode(), {"Content-Type": "application/json"}), timeout=30).read()
assert json.loads(post("/op/resolve", '{"target":"acme/mine-1"}'))["result"]["fields"]["tool_calling"] == "native", "the rules of /etc are not in force"
post("/audit", '{"verdict":"accepted","missing":[],"warnings":[],"target":"openai/gpt-5","previous":"a/b"}')
p.terminate()
sys.exit(p.wait())
P
printf 'schema = "cando/rules@1"\n[[rules]]\nname = "mine"\nmatch = "mine-*"\nset = { tool_calling = "native" }\nsource = "https://acme.example"\n' >"$root/etc/cando-serve/cando/mine.toml"
in_root sh -c 'ip link set lo up 2>/dev/null' || true
must /usr/bin/python3 /pkg/use.py
[ "$(in_root setpriv --reuid=_cando --regid=_cando --clear-groups cando audit verify --store /var/lib/cando-serve/trail.db | cut -d, -f1)" = "whole: 1 record" ] || die "the trail has no record"
[ "$(stat -c %a "$root/var/lib/cando-serve/trail.db")" = 600 ] || die "the trail can be read by others"
ok "the daemon, as its user, with rules of /etc and a trail"

# -- upgraded --

version=$(sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)
scripts/deb.sh "$folder/next" "$version+next" >/dev/null || die "the next version is not built"
rm -f "$root"/pkg/*.deb && cp "$folder"/next/*.deb "$root/pkg/"
must sh -c 'apt-get install -y --no-install-recommends /pkg/*.deb'
[ "$(in_root dpkg-query -W -f '${Version}' cando-serve)" = "$version+next" ] || die "it is not upgraded"
must nginx -t
must /usr/bin/python3 /pkg/use.py
[ "$(in_root setpriv --reuid=_cando --regid=_cando --clear-groups cando audit verify --store /var/lib/cando-serve/trail.db | cut -d, -f1)" = "whole: 2 records" ] || die "the trail did not go on"
ok "upgraded: rules stay, the trail goes on"

# -- removed and purged --

names="libcando0.1 libcando-store0.1 libcando-dev cando cando-serve cando-fleet python3-cando libnginx-mod-http-cando"
# shellcheck disable=SC2086
must dpkg --remove $names
must sh -c '! command -v cando && ! command -v cando-serve && test -s /var/lib/cando-serve/trail.db && test -s /etc/cando-serve/cando/mine.toml'
must nginx -t
ok "removed: what was recorded stays"
rm "$root/etc/cando-serve/cando/mine.toml"
# shellcheck disable=SC2086
must dpkg --purge $names
in_root sh -c 'find / -xdev \( -path /proc -o -path /pkg \) -prune -o -print | sort > /pkg/after'
left=$(comm -13 "$root/pkg/before" "$root/pkg/after" | grep -i cando | grep -v '^/var/lib/dpkg\|/var/cache/apt\|/var/log' || true)
[ -z "$left" ] || die "left behind: $left"
ok "purged: nothing is left"
echo "$passed passed, 0 failed"
