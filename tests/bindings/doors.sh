#!/usr/bin/env bash
# doors.sh - what opens the package for JavaScript where it is no Node that runs it: Deno, workerd (workers at the edge) and
# what steers Chromium. They come from the npm registry, at these versions, and stay in build/doors until one of the
# versions is another. Chromium is Debian's.
set -eu
cd "$(dirname "$0")/../.."
folder=$PWD/build/doors
versions="deno@2.9.6 workerd@1.20261104.1 playwright-core@1.65.0"

[ "$(cat "$folder/versions" 2>/dev/null)" = "$versions" ] && exit 0
rm -rf "$folder"
mkdir -p "$folder"
echo '{"private":true}' >"$folder/package.json"
# shellcheck disable=SC2086 # a list
if ! (cd "$folder" && npm install --no-audit --no-fund --no-progress $versions >npm.log 2>&1); then
    tail -n 5 "$folder/npm.log"
    echo "these could not be installed: $versions; 'npm ping' tells whether the registry is within reach"
    exit 1
fi
echo "$versions" >"$folder/versions"
