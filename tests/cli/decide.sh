# cando switch, match, pick, diff: pages, JSON, exit codes.

rules() { cat >r.toml <<'T'
schema = "cando/rules@1"

[[providers]]
id = "p"

[[models]]
provider = "p"
id = "big"
set = { tool_calling = "native", streaming = "native", context_window = 200000, prompt_caching = "unsupported", temperature = "unsupported", price = { input_tokens = "2", output_tokens = "8" } }

[[models]]
provider = "p"
id = "small"
set = { tool_calling = "unsupported", streaming = "native", context_window = 8000, price = { input_tokens = "0.1", output_tokens = "0.4" } }

[[models]]
provider = "q"
id = "other"
set = { tool_calling = "emulated", context_window = 64000, price = { input_tokens = "1", output_tokens = "4" } }

[[providers]]
id = "q"

[[providers]]
id = "agents"
kind = "backend"

[[models]]
provider = "agents"
id = "mine"
set = { streaming = "native", tool_read = { restricted = "sandbox only" } }
T
}

test_switch_accepted() { rules; run "$cando" switch --rules r.toml p/big --need tool_calling --need context_window=64000; exits 0; err_empty; out_has "accepted: p/big"; }
test_switch_degraded() { rules; run "$cando" switch --rules r.toml p/big --want prompt_caching; exits 0; out_has degraded; out_matches 'prompt_caching .*has unsupported.*preferred-unmet'; }
test_switch_rejected() {
    rules; run "$cando" switch --rules r.toml p/small --from p/big --need tool_calling --need context_window=64000; exits 1; err_empty
    out_has "rejected: p/small"; out_matches '^  tool_calling '; out_matches '^  context_window .*64,000.*8,000'
    out_has "still on p/big"; out_has "would fit: p/big"
}
test_switch_session() {
    rules; echo '{"state_machine":{"attached":true},"hooks":[{"id":"h","kind":"guard","on":"token"}]}' >s.json
    run "$cando" switch --rules r.toml p/small --session s.json; exits 1; out_has "required by state_machine"; out_lacks hook
    run "$cando" switch --rules r.toml p/big --session - <s.json; exits 0
}
test_switch_params() {
    rules; echo '[{"path":["temperature"],"value":1,"layer":"launch"}]' >p.json
    run "$cando" switch --rules r.toml p/big --params p.json; exits 0; out_has "temperature will not apply: unsupported: temperature (from launch)"
}
test_switch_plain_params() {
    rules; echo '{"temperature":1,"reasoning":{"effort":"high"}}' >p.json
    run "$cando" switch --rules r.toml p/big --params p.json; exits 0; out_has "  temperature will not apply: unsupported: temperature"
    run "$cando" switch --rules r.toml p/big --params p.json --json; out_has '"param_path":["reasoning","effort"]'
    echo '7' >p.json; run "$cando" switch --rules r.toml p/big --params p.json; exits 2; err_has "must be an object or a list"
}
# What the help shows of each file is taken as it stands there.
test_help_shows_files() {
    rules
    for option in session params history claims; do
        "$cando" help switch | awk -v o="  --$option" '$0 == o { on = 1; next } !/^      / { on = 0 } on' >"$option.json"
        [ -s "$option.json" ] || fail "no example of --$option"
        run "$cando" switch --rules r.toml p/big --$option "$option.json"; [ "$rc" -le 1 ] || fail "--$option"; err_empty
    done
    for option in order manifest; do
        "$cando" match --help | awk -v o="  --$option" '$0 == o { on = 1; next } !/^      / { on = 0 } on' >"$option.json"
    done
    run "$cando" match --order order.json --manifest manifest.json; exits 0; out_has satisfied
}
test_switch_history() {
    rules; echo '{"messages":[{"role":"user","content":"hi"},{"role":"tool","tool_call_id":"c1","content":"x"}]}' >h.json
    run "$cando" switch --rules r.toml p/big --history h.json; exits 0; out_has degraded; out_matches 'tool-result-orphaned +/messages/1: .*; drop the result'
    run "$cando" switch --rules r.toml p/small --history - <h.json; exits 1; out_matches 'capability-unsupported +/messages/1: '
    echo '{"messages":[{"role":"user","content":"hi"}]}' >h.json
    run "$cando" switch --rules r.toml p/big --history h.json; exits 0; out_has "accepted: p/big"
    echo '{"messages":[7]}' >h.json; run "$cando" switch --rules r.toml p/big --history h.json; exits 2; err_has "a message is an object"
}
test_switch_json() { rules; run "$cando" switch --json --rules r.toml p/small --need tool_calling; exits 1; python3 -c 'import json; assert json.load(open("out"))["missing"][0]["capability"] == "tool_calling"' || fail json; }
test_switch_bad() {
    rules; run "$cando" switch --rules r.toml; exits 2
    run "$cando" switch --rules r.toml p/big --need tool_caling; exits 2; err_has "did you mean"
    echo '{' >bad.json; run "$cando" switch --rules r.toml p/big --session bad.json; exits 3; err_has "bad.json is not JSON"
    run "$cando" switch --rules r.toml p/big --session none.json; exits 3
    run "$cando" switch --rules r.toml p/big --unknown perhaps; exits 2
}
test_switch_unknown() { rules; run "$cando" switch --rules r.toml p/big --need reasoning --unknown deny; exits 1; run "$cando" switch --rules r.toml p/big --need reasoning; exits 0; out_has probe-pending; }

test_match_backend() {
    rules; run "$cando" match --rules r.toml --need streaming=native --need tool_read mine; exits 0; out_has satisfied
    out_matches '^  native +streaming$'; out_matches '^  emulated +tool_read +client_side: sandbox only$'
    run "$cando" match --rules r.toml --need tool_read=native mine; exits 1; out_has "not satisfied"; out_has "restricted is below native: sandbox only"
}
test_match_manifest() { echo '{"tool_bash":"unsupported"}' >m.json; run "$cando" match --need tool_bash --manifest m.json; exits 1; out_has "declared unsupported"; }
test_match_order() { rules; echo '{"requirements":{"required":[{"capability":"streaming","min_support":"native"}]}}' >o.json; run "$cando" match --rules r.toml --order o.json p/big; exits 0; out_matches 'native +streaming'; }
test_match_rank() {
    run "$cando" match --need mcp_server --need session_fork; exits 0
    [ "$(awk '{print $2}' out | tr '\n' ' ')" = "copilot gemini kimi claude codex " ] || fail "order"
    out_matches '^no +codex .*undeclared: mcp_server, session_fork$'
}
test_match_bad() { run "$cando" match; exits 2; run "$cando" match --need nope claude; exits 2; run "$cando" match --need streaming cluade; exits 2; err_has "did you mean 'claude'?"; }

test_pick() {
    rules; run "$cando" pick --rules r.toml tool_calling; exits 0; err_empty
    [ "$(sed -n 2p out)" = "q/other   64,000       ?  \$1.00  \$4.00  ?" ] || fail "the cheapest first"
    out_has "2 of 3 fit; --why tells why these"; out_lacks "native"
    run "$cando" pick --rules r.toml tool_calling --why; exits 0; [ "$(head -n 1 out)" = "q/other" ] || fail "the cheapest first"
    out_has "the first won by price"; out_has "2 of 3 fit (require tool_calling: 1 out)"
    run "$cando" pick --rules r.toml tool_calling --sort context --limit 1; exits 0; sed -n 2p out | grep -q "^p/big" || fail "the largest first"
    run "$cando" pick --rules r.toml tool_caling; exits 2; err_has "did you mean 'tool_calling'?"
    run "$cando" pick tool_calling --provider opnai; exits 2; err_has "did you mean 'openai'?"
    run "$cando" pick tool_calling --min-context 200k --provider openai,anthropic --limit 2; exits 0; out_has openai/; out_lacks google/
}
test_pick_bounds() {
    rules; run "$cando" pick --rules r.toml --min context_window=8001 --max input_price=1.5; exits 0; out_has q/other; out_lacks p/big; out_lacks p/small
    run "$cando" pick --rules r.toml reasoning; exits 1; out_has "no model fits"
    run "$cando" pick --rules r.toml --without tool_calling; exits 0; out_has p/small
    run "$cando" pick --rules r.toml --prefer p --deny 'p/s*'; exits 0; sed -n 2p out | grep -q "^p/big" || fail "preferred first"
}
test_pick_has_the_filters_of_models() {
    rules; run "$cando" pick --rules r.toml --can tool_calling=native --provider p; exits 0; out_has p/big; out_lacks q/other
    run "$cando" pick --rules r.toml --min-context 100k --max-input-price '$9'; exits 0; out_has p/big; out_lacks p/small
    run "$cando" pick --rules r.toml --min context_window=1m --min context_window=8k; exits 0; out_has p/small
}
test_pick_request() {
    rules; cat >q.json <<'J'
{"messages":[{"role":"user","content":"hello"}],"tools":[{"type":"function","function":{"name":"f"}}]}
J
    run "$cando" pick --overlay r.toml --allow 'p/*' --allow 'q/*' --request q.json --why; exits 0; err_empty; out_has q/other; out_has 'tool_calling native'; out_lacks p/small
    run "$cando" pick --overlay r.toml --allow 'p/*' --request - --json <q.json; exits 0; python3 -c 'import json; r = json.load(open("out")); assert [m["target"] for m in r["matches"]] == ["p/big"], r' || fail json
    run "$cando" pick --dialect openai-chat; exits 2; err_has "goes with 'request'"
    echo '{' >q.json; run "$cando" pick --request q.json; exits 3; err_has 'not JSON'
}
test_switch_request() {
    rules; echo '{"messages":[{"role":"user","content":"hello"}],"tools":[{"type":"function","function":{"name":"f"}}],"max_tokens":7999}' >q.json
    run "$cando" switch --overlay r.toml --request q.json p/small; exits 1; out_has 'rejected: p/small'; out_has 'required by rule:openai-chat-tools'
    run "$cando" switch --overlay r.toml --request q.json --dialect openai-chat p/big; exits 0
    run "$cando" switch --overlay r.toml --request q.json --need streaming p/big; exits 2; err_has 'exclude each other'
}
test_pick_bad() { run "$cando" pick --limit x; exits 2; run "$cando" pick --min context_window; exits 2; err_has NAME=VALUE; run "$cando" pick tool_caling; exits 2; err_has "did you mean"; run "$cando" pick --sort beauty; exits 2; }
test_pick_json() { rules; run "$cando" pick --json --rules r.toml tool_calling; exits 0; python3 -c 'import json; r = json.load(open("out")); assert r["matches"][0]["target"] == "q/other" and r["considered"] == 3' || fail json; }

test_diff() {
    rules; run "$cando" diff --rules r.toml p/small p/big; exits 0; err_empty
    out_matches '^gains$'; out_matches '^  tool_calling +unsupported -> native$'; out_matches '^  context_window +8,000 -> 200,000$'; out_lacks losses
    run "$cando" diff --rules r.toml p/big p/big; exits 0; out_has "no difference"
    run "$cando" diff p/big; exits 2
}
test_diff_backends() { run "$cando" diff backend/claude backend/codex; exits 0; out_matches '^  tool_read +emulated -> native$'; }
test_overlay_reaches_decisions() {
    cat >o.toml <<'T'
schema = "cando/rules@1"
[[rules]]
providers = "openai"
match = "gpt-4o"
set = { tool_calling = "unsupported" }
T
    echo '{"op":"negotiate","target":"openai/gpt-4o","requirements":[{"name":"tool_calling","level":"hard"}]}' >q
    run "$cando" batch --overlay o.toml <q; exits 0; out_has rejected
    run "$cando" switch --overlay o.toml openai/gpt-4o --need tool_calling; exits 1
}

# a model qualifies only if the whole verdict on the request is no rejection
test_pick_request_verdict() {
    echo '{"model":"x","temperature":0.5,"messages":[{"role":"user","content":"hi"}]}' >q.json
    run "$cando" pick --provider openai --request q.json --status active,deprecated --or-unknown --limit 99 --why; exits 0
    out_lacks openai/gpt-5.5; out_has openai/gpt-4o; out_matches 'request parameters-conflict: [0-9]+ out'
    run "$cando" pick --provider openai --request q.json --status active,deprecated --or-unknown --refused; exits 0
    out_matches '^openai/gpt-5.5: /temperature: '
    run "$cando" pick --refused; exits 2
}
test_switch_request_verdict() {
    echo '{"model":"x","temperature":0.5,"messages":[{"role":"user","content":"hi"}]}' >q.json
    run "$cando" switch openai/gpt-5.5 --request q.json; exits 1; out_has "rejected: openai/gpt-5.5"
    out_matches 'parameters-conflict +/temperature: '; out_matches '^would fit: '
    echo '{"model":"x","max_tokens":50,"messages":[{"role":"user","content":"hi"}]}' >q.json
    run "$cando" switch openai/gpt-5.1 --request q.json; exits 0; out_has "degraded: openai/gpt-5.1"; out_has parameter-renamed
}

# Ten everyday questions: whatever is named can be used on the day of asking, and is for what was asked.
test_pick_everyday() {
    cat >ask.py <<'P'
import json, subprocess, sys
QUESTIONS = [
    ('chat', '--can tools'),
    ('chat', '--input image --min-context 200k'),
    ('chat', '--can reasoning'),
    ('chat', '--input pdf'),
    ('chat', '--can structured_output --provider openai'),
    ('chat', '--can structured_output --provider anthropic'),
    ('chat', '--input audio'),
    ('embedding', '--output embedding'),
    ('chat', '--can open_weights --kind host'),
    ('chat', '--min-output 100k --can tools,prompt_caching'),
]
def say(*args):
    return json.loads(subprocess.run([sys.argv[1], *args, '--json'], stdout=subprocess.PIPE).stdout)
known = {m['provider'] + '/' + m['model']: m for m in say('models')['models']}
for kind, question in QUESTIONS:
    named = [m['target'] for m in say('pick', *question.split(), '--limit', '40')['matches']]
    assert len(named) > 3, question
    for name in named:
        m = known[name]
        assert m['status'] in (None, 'active', 'preview'), (question, name, m['status'])
        assert m['fields'].get('model_kind') in (kind, None), (question, name, m['fields'].get('model_kind'))
        assert not name.endswith(':batch') and '-live' not in name, (question, name)
P
    CANDO_TODAY=2026-11-16 python3 ask.py "$cando" || fail "a model that cannot be used"
}
test_match_undeclared() {
    run "$cando" match --need tool_calling claude
    exits 1
    out_matches '^  undeclared +tool_calling +not declared$'
    run "$cando" match --need tool_calling
    out_matches '^no +claude +0 native, 0 emulated, 1 undeclared: tool_calling$'
}
test_schema_of_documents() {
    for name in work_order session manifest; do
        run "$cando" schema $name
        exits 0
        out_has "\"title\": \"$name\""
    done
    run "$cando" schema manifests
    exits 2
}
test_manifest_round_trip() {
    run "$cando" show --view manifest --json backend/codex
    sed 's/.*"fields"://; s/}$//' out >m.json
    run "$cando" match --manifest m.json --need session_resume --need tool_read=native
    exits 0
    run "$cando" match --manifest m.json --need mcp_client
    exits 1
}
# Rules that stand instead of the catalog say nothing of requests, and need not.
test_request_over_rules() {
    rules
    echo '{"messages":[{"role":"user","content":"hello"}],"tools":[{"type":"function","function":{"name":"f"}}]}' >q.json
    run "$cando" switch --rules r.toml --request q.json p/small
    exits 1
    out_has "rejected: p/small"
    run "$cando" pick --rules r.toml --request q.json --why
    exits 0
    out_has q/other
    out_lacks p/small
    echo '{"op":"preflight","dialect":"allm","target":"a/b","request":{"messages":[],"tools":[{"name":"f"}]}}' >q
    run "$cando" batch --no-builtin <q
    out_has '"verdict":"ok"'
}
test_claims_round_trip() {
    for view in claims model_ref manifest; do
        "$cando" show --view $view --json anthropic/claude-opus-4-5 | sed 's/.*"fields"://; s/}$//' >c.json
        run "$cando" switch --claims c.json --need tool_calling anthropic/claude-opus-4-5
        exits 0
        out_has "accepted: anthropic/claude-opus-4-5"
    done
}
test_pick_without_a_catalog() { run "$cando" pick --no-builtin --can tools; exits 2; err_has "catalog-not-loaded"; }
test_switch_session_and_needs() {
    rules
    echo '{"state_machine":{}}' >s.json
    run "$cando" switch --rules r.toml p/small --session s.json --need context_window=100000 --spawn --json
    exits 1
    out_has '"error":"Subagent/ModelCapabilityMismatch"'
    out_has '"required_by":"state_machine"'
    out_has '"required_by":"command line"'
}
# A request that goes where another API is spoken: what that one cannot say, a line each, also where it is accepted.
test_switch_to_another_api() {
    echo '{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"seed":1,"n":2,"logprobs":true,"max_completion_tokens":9}' >r.json
    run "$cando" switch openai/gpt-4o amazon-bedrock/amazon.nova-pro-v1:0 --request r.json; exits 0
    out_has 'not-in-api           /n: its own API, bedrock-converse, has no member for several answers'; out_has '/seed: its own API, bedrock-converse, has no member for it'; out_has '/logprobs: '
    run "$cando" switch openai/gpt-4o amazon-bedrock/anthropic.claude-opus-4-5-20251101-v1:0 --request r.json; exits 1
    out_has "Claude is not served by Chat Completions here"; out_has not-in-api
    COLUMNS=80 run "$cando" switch openai/gpt-4o amazon-bedrock/amazon.nova-pro-v1:0 --request r.json; ! grep '.\{81\}' out || fail 'a long line'
    run "$cando" switch openai/gpt-4o openai/gpt-4.1 --request r.json; out_lacks not-in-api
    run "$cando" explain not-in-api; exits 0
}
