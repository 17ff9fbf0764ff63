#!/usr/bin/env bash
# npm.sh FOLDER NAME@VERSION... - packages of the npm registry in a folder below build/, where they stay until one of the
# versions is another. Nothing of them is committed.
set -eu
cd "$(dirname "$0")/.."
folder=${1:?usage: npm.sh FOLDER NAME@VERSION...}
shift
[ "$(cat "$folder/versions" 2>/dev/null)" = "$*" ] && exit 0
rm -rf "$folder"
mkdir -p "$folder"
echo '{"private":true,"type":"module"}' >"$folder/package.json"
if ! (cd "$folder" && npm install --no-audit --no-fund --no-progress --fetch-retries=3 --fetch-retry-mintimeout=2000 --fetch-retry-maxtimeout=15000 "$@" >npm.log 2>&1); then
    grep -m 3 'npm error' "$folder/npm.log" || true
    echo "these could not be installed: $*; 'npm ping' tells whether the registry is within reach"
    exit 1
fi
echo "$*" >"$folder/versions"
