# What a fourth newcomer stumbled over: what is repaired and what is left, by what an API was told, and whom a price is for.

# several: slips at the top and at the bottom of many lines; one loses something, one has no repair
several() {
    printf '{\n  "model": "gpt-5.6-sol",\n  "max_tokens": 100,\n\n\n\n\n\n\n\n\n\n  "messages": [\n    {"role": "user", "content": "Hi"},\n    {"role": "tool", "content": "x"}\n  ],\n  "temperature": 0.5\n}\n' >>a.json
}
test_fix_repairs_what_it_can() {
    several; cp a.json old.json
    run "$cando" fix a.json; exits 1; out_has '"max_completion_tokens": 100'; out_has '"temperature": 0.5'
    err_has "a.json: changed, and would still be refused: 2 errors left"; err_has "move /max_tokens to /max_completion_tokens"
    err_matches 'left /temperature: .* --allow parameters-conflict would do it'; err_has 'left /messages/1: '
    run "$cando" fix --lossy --in-place a.json; exits 1; out_empty; err_has "1 error left"; grep -q max_completion_tokens a.json || fail "not written"
    cp a.json left.json; run "$cando" fix left.json; exits 1; out_empty; err_has "left.json: not repaired, and would be refused: 1 error left"
    cp old.json a.json; run "$cando" fix -o new.json a.json; exits 1; grep -q max_completion_tokens new.json || fail "not written"
}
test_fix_dry_run() {
    several; cp a.json old.json
    run "$cando" fix --dry-run --in-place --lossy a.json; exits 1; cmp -s a.json old.json || fail "written"
    out_has "move /max_tokens to /max_completion_tokens"; out_has "remove /temperature"; out_lacks '"messages"'; err_has "would be changed"
    [ "$(wc -l <out)" = 2 ] || fail "a line a change"
    printf '{"model":"gpt-5.6-sol","max_tokens":9,"messages":[{"role":"user","content":"x"}]}' >b.json
    run "$cando" fix --dry-run b.json; exits 0; out_has "move /max_tokens"; err_has "b.json: would be changed"; err_lacks refused
}
test_fix_diff() {
    several; cp a.json old.json
    run "$cando" fix --diff --lossy a.json; exits 1; cmp -s a.json old.json || fail "written"
    out_has "--- a.json"; out_has "+++ a.json"; out_has '-  "max_tokens": 100,'; out_has '+  "max_completion_tokens": 100,'; out_has '-  "temperature": 0.5'
    [ "$(grep -c '^@@ ' out)" = 2 ] || fail "two places are two hunks"
    cp out a.diff; "$cando" fix --lossy a.json >want 2>err || true
    diff -u a.json want | sed 1,2d >theirs || true; sed 1,2d a.diff >ours; cmp -s ours theirs || fail "not what diff prints"
    printf '{"model":"gpt-5.6-sol","max_tokens":9,"messages":[{"role":"user","content":"x"}]}' >b.json
    run "$cando" fix --diff b.json; exits 0; out_has 'No newline at end of file'
    printf '{"model":"gpt-5.6-sol","messages":[{"role":"user","content":"x"}]}' >b.json; run "$cando" fix --diff b.json; exits 0; out_empty
}
test_fix_json() {
    several
    run "$cando" fix --json a.json; exits 1; err_empty
    python3 -c 'import json; r=json.load(open("out")); assert r["verdict"] == "reject" and r["request"]["max_completion_tokens"] == 100 and r["changes"] and [x["path"] for x in r["left"]] == ["/messages/1", "/temperature"], r' || fail "the reply"
    run "$cando" fix --json -o new.json a.json; exits 1; grep -q max_completion_tokens new.json || fail "not written"
}
test_an_api_is_told_with_its_reason() {
    printf '{"model":"claude-opus-5","max_tokens":5,"messages":[{"role":"user","content":"x"}]}' >a.json
    run "$cando" check a.json; err_has "read as anthropic-messages: such messages go to anthropic by its own API"
    run "$cando" check -d anthropic-messages a.json; err_lacks "read as"
    run "$cando" check -q a.json; err_lacks "read as"
    printf '{"model":"claude-opus-5","system":"Be kind.","max_tokens":5,"messages":[{"role":"user","content":"x"}]}' >a.json
    run "$cando" check a.json; err_has "read as anthropic-messages: it has /system"
    printf '{"custom_id":"1","body":{"model":"gpt-5.6-sol","messages":[{"role":"user","content":"x"}],"max_completion_tokens":5}}' >a.json
    run "$cando" check a.json; err_has "read as openai-chat: it has /body/max_completion_tokens"
    printf '{"model":"gpt-5.6-sol","messages":[{"role":"user","content":"x"}]}' >a.json
    run "$cando" check a.json; err_has "read as openai-chat: it is a plain list of messages"
    run "$cando" check --json a.json; out_has '"dialect_by":"it is a plain list of messages'
}
test_a_price_is_of_whom_check_judges_it_for() {
    request='{"model":"claude-sonnet-5","max_tokens":100,"messages":[{"role":"user","content":"Hi"}]}'
    printf '{"op":"cost","request":%s}\n' "$request" >q.jsonl
    run "$cando" batch <q.jsonl; out_has '"target":"anthropic/claude-sonnet-5"'; out_has '"target_from":"the lab whose model it is"'; out_has '"dialect":"anthropic-messages"'
    printf '%s\n%s\n' "$request" "$request" >log.jsonl; run "$cando" cost log.jsonl; exits 0; out_has "anthropic/claude-sonnet-5"
    printf '%s' "$request" >r.json; run "$cando" cost r.json; exits 0; out_has "taken from the lab whose model it is"
    printf '{"model":"nobodys-own","messages":[{"role":"user","content":"Hi"}]}' >r.json; run "$cando" cost r.json; exits 1; out_lacks openai/nobodys-own
}
test_a_denial_names_its_line() {
    printf '{"model":"gpt-5.6-sol","messages":[{"role":"user","content":"x"}]}' >r.json
    printf 'schema = "cando/rules@1"\n[policy]\ndeny = ["openai/gpt-5*"]\n' >cando.toml
    run "$cando" check r.json; exits 1; out_matches 'a policy denies this model: openai/gpt-5\* at .*cando.toml:3 \[denied\]'
    printf 'schema = "cando/rules@1"\n[policy]\nallow = ["anthropic"]\n' >cando.toml
    run "$cando" check r.json; exits 1; out_matches 'it is not in the allow list at .*cando.toml:[0-9]+'
}
test_a_day_ahead() {
    printf '{"model":"o3","messages":[{"role":"user","content":"x"}]}' >r.json
    for day in 90d +90d "in 90 days" "13 weeks" 3m 1y; do run "$cando" check --at "$day" r.json; exits 1; out_has model-retired; done
    for day in 2d "in 1 day" 2026-10-02; do run "$cando" check --at "$day" r.json; exits 0; out_has model-deprecated; done
    for day in soon "90 dogs" 90ds "in days" +d; do run "$cando" check --at "$day" r.json; exits 2; err_has "is no day"; done
    run "$cando" retiring --at +90d --provider openai; exits 1; out_matches "stopped +2026-12-11 +o3"
}
test_what_runs_at_home_has_no_price() {
    printf '{"model":"llama3.2","messages":[{"role":"user","content":"hi"}],"options":{"max_tokens":10}}' >r.json
    run "$cando" cost ollama/llama3.2 r.json; exits 1; out_has "it runs on a machine of your own"
    run "$cando" check r.json; exits 0; out_has "the option is called num_predict here"; run "$cando" fix r.json; exits 0; out_has '"num_predict":10'
}
test_a_policy_and_an_alias_hold_where_nobody_says_the_provider() {
    printf 'schema = "cando/rules@1"\n[policy]\ndeny = ["deepseek", "*/qwen*"]\n[aliases]\n"azure/prod-chat-eu" = "openai/gpt-5-mini"\n' >mine.toml
    for model in deepseek-chat deepseek/deepseek-v4-pro qwen3-max; do
        printf '{"model":"%s","messages":[{"role":"user","content":"x"}]}' "$model" >r.json
        run "$cando" check --overlay mine.toml r.json; exits 1; out_has "a policy denies this model"; out_has "mine.toml:3"; out_lacks "provider-unknown"
    done
    printf '{"model":"llama-3.3-70b","messages":[{"role":"user","content":"x"}]}' >r.json; run "$cando" check --overlay mine.toml r.json; exits 0
    printf '{"model":"prod-chat-eu","temperature":0.2,"messages":[{"role":"user","content":"x"}]}' >r.json
    run "$cando" check --overlay mine.toml r.json; exits 1; out_has "does not take temperature"
}
