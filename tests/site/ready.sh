#!/usr/bin/env bash
# ready.sh - builds the page, and fetches what steers Chromium and what looks for barriers (axe) into build/pages. Needs the
# package for JavaScript (make npm).
set -eu
cd "$(dirname "$0")/../.."
${MAKE:-make} -s site >/dev/null
exec tests/npm.sh build/pages playwright-core@1.65.0 axe-core@4.14.0
