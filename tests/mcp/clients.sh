#!/usr/bin/env bash
# clients.sh CANDO SERVE - the Model Context Protocol with the official clients, the inspector's command line and the
# conformance suite. They come from the npm registry, at these versions, and stay in build/mcp until one is another.
set -eu
cd "$(dirname "$0")/../.."
cando=$(realpath "${1:?usage: clients.sh CANDO SERVE}")
serve=$(realpath "${2:?usage: clients.sh CANDO SERVE}")
folder=$PWD/build/mcp
tests=$PWD/tests/mcp
versions="@modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0 @modelcontextprotocol/inspector@2.12.0
    @modelcontextprotocol/conformance@0.1.16 conformance-coming@npm:@modelcontextprotocol/conformance@0.2.0-alpha.12 node@24.21.0"
passed=0
failed=0

# shellcheck disable=SC2086 # a list
tests/npm.sh "$folder" $versions
rm -rf "$folder/test"
mkdir "$folder/test"
cp "$tests"/*.mjs "$folder/test"
cd "$folder"
node=$folder/node_modules/.bin/node # these want a newer one than Debian's

# Nobody's files count.
HOME=$folder/home
export HOME
unset XDG_DATA_HOME XDG_CONFIG_HOME XDG_CACHE_HOME CANDO_STORE CANDO_TOKEN
mkdir -p "$HOME"
"$serve" --listen 127.0.0.1:0 2>"$folder/serve.log" &
pid=$!
trap 'kill $pid 2>/dev/null || true' EXIT
until grep -q http:// "$folder/serve.log" 2>/dev/null; do kill -0 $pid; done
MCP_URL=$(sed -n 's|.*\(http://[^ ]*\).*|\1/mcp|p;q' "$folder/serve.log")
export MCP_URL CANDO=$cando

step() { # what, command..
    if "${@:2}" >log 2>&1; then passed=$((passed + 1)); else cat log; echo "$1"; failed=$((failed + 1)); fi
}
# inspect WORD ARGUMENT..: the inspector's command line says something with the word in it
inspect() { # era, word, target and arguments..
    "$node" node_modules/.bin/mcp-inspector --cli "${@:3}" --protocol-era "$1" >said 2>log && grep -q -- "$2" said || { cat said log; false; }
}
step "the official clients" "$node" --test --test-timeout=60000 test/clients.test.mjs
for era in legacy modern; do
    for target in "$cando mcp" "$MCP_URL"; do
        # shellcheck disable=SC2086 # a command
        inspector() { step "inspector, $era, $target: $1" inspect "$era" "$1" $target "${@:2}"; }
        inspector '"check_request"' --method tools/list
        inspector 'max_completion_tokens' --method tools/call --tool-name fix_request \
            --tool-args-json '{"request":{"model":"gpt-5.6-sol","max_tokens":5,"messages":[{"role":"user","content":"x"}]}}'
        inspector 'tool_calling' --method resources/read --uri cando://model/openai/gpt-4o
    done
done
step "the conformance suite" "$node" test/conformance.mjs
tail -n 1 log
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
