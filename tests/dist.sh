#!/usr/bin/env bash
# dist.sh - the archives of a release are the same bytes, made twice, and their checksums hold.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
version=$(sed -n 's/^#define CANDO_VERSION "\(.*\)"/\1/p' include/cando.h)
scripts/dist.py "$tmp/a" "$version" make >/dev/null
(umask 077; TZ=Asia/Tokyo LC_ALL=C scripts/dist.py "$tmp/b" "$version" make >/dev/null)
diff -r "$tmp/a" "$tmp/b"
(cd "$tmp/a" && sha256sum --quiet -c SHA256SUMS)
python3 - "$tmp/a/cando-$version.spdx.json" <<'P'
import json, sys
d = json.load(open(sys.argv[1]))
names = {f["fileName"] for f in d["files"]}
assert d["spdxVersion"] == "SPDX-2.3" and any(n.endswith("/include/cando.h") for n in names), "no list"
P
