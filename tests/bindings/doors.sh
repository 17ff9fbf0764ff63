#!/usr/bin/env bash
# doors.sh - what opens the package for JavaScript where it is no Node that runs it: Deno, workerd (workers at the edge) and
# what steers Chromium. They come from the npm registry, at these versions, and stay in build/doors until one of the
# versions is another. Chromium is Debian's.
set -eu
cd "$(dirname "$0")/../.."
exec tests/npm.sh build/doors deno@2.9.6 workerd@1.20261104.1 playwright-core@1.65.0
