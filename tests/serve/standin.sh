#!/usr/bin/env bash
# standin.sh DAEMON - the stand-in for the providers before their own clients, from npm, and before curl.
set -eu
cd "$(dirname "$0")/../.."
daemon=$(realpath "${1:?usage: standin.sh DAEMON}")
folder=$(tests/bindings/npm.sh)
tmp=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null || true; rm -rf "$tmp"' EXIT

mkfifo "$tmp/said"
CANDO_TODAY=2026-11-16 CANDO_CONFIG_DIR=$tmp "$daemon" --listen 127.0.0.1:0 2>"$tmp/said" &
pid=$!
exec 3<"$tmp/said"
read -t 20 -r said <&3 || { echo "the daemon does not say where it listens"; exit 1; }
base=${said##* }

mkdir -p "$folder/standin"
cp tests/serve/standin.test.mjs "$folder/standin"
failed=0
(cd "$folder" && BASE=$base timeout 60 node_modules/.bin/node --test --test-timeout=20000 standin/standin.test.mjs) \
    >"$tmp/out" 2>&1 || { grep -v '^# \|^    ---\|^  ---' "$tmp/out" | head -150; failed=1; }

# curl, as people try things out: what is written, and whether the exit code tells a refusal.
say() { curl -sS --max-time 10 "$@" "$base$path"; }
check() { # what, wanted, got
    [ "$2" = "$3" ] || { echo "curl, $1: wanted $2, got $3"; failed=1; }
}
path=/v1/chat/completions
body='{"model":"gpt-5.6-sol","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}'
check "a refusal" 400 "$(say -o "$tmp/reply" -w '%{http_code}' -d "$body")"
check "what it is about" max_tokens "$(python3 -c 'import json, sys; print(json.load(sys.stdin)["error"]["param"])' <"$tmp/reply")"
check "-f fails" 22 "$(say -f -o /dev/null -d "$body" 2>/dev/null || echo $?)"
body='{"model":"gpt-5.6-sol","stream":true,"messages":[{"role":"user","content":"hi"}]}'
check "the end of a stream" 'data: [DONE]' "$(say -N -D "$tmp/head" -d "$body" | grep . | tail -1)"
check "the verdict" ok "$(tr -d '\r' <"$tmp/head" | sed -n 's/^x-cando-verdict: //p')"
check "no JSON" 400 "$(say -o /dev/null -w '%{http_code}' -d '{"model":')"
check "no body" 400 "$(say -o /dev/null -w '%{http_code}' -X POST)"
path=/nowhere/v1/chat/completions
check "a provider that is none" 404 "$(say -o /dev/null -w '%{http_code}' -d "$body")"
path=/openai/v1/models
check "a list" list "$(say | python3 -c 'import json, sys; print(json.load(sys.stdin)["object"])')"
path=/v1beta/models/gemini-3.1-flash-lite:streamGenerateContent
body='{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}'
check "a stream as an array" STOP "$(say -d "$body" | python3 -c 'import json, sys; print(json.load(sys.stdin)[-1]["candidates"][0]["finishReason"])')"

kill "$pid"
wait "$pid" || true
pid=
awk -v failed="$failed" '$2 == "pass" { good = $3 } $2 == "fail" { bad = $3 } END { printf "%d passed, %d failed\n", good, bad + failed }' "$tmp/out"
[ "$failed" -eq 0 ]
