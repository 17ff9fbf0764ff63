# What a fifth newcomer stumbled over: prices of a tier, members without effect, switches, rows that are cut.

test_a_tier_without_rates_has_no_price() {
    line='{"custom_id":"a","method":"POST","url":"/v1/chat/completions","body":{"model":"m1","max_tokens":10,"messages":[{"role":"user","content":"hello"}]}}'
    printf 'schema = "cando/rules@1"\n[[rules]]\nproviders = ["openai"]\nmatch = "m1"\nset = { price = { input_tokens = "2", output_tokens = "8", "input_tokens @flex" = "1", "output_tokens @flex" = "4" } }\n' >cando.toml
    printf '%s\n' "$line" >b.jsonl
    run "$cando" cost --target openai/m1 b.jsonl; exits 1; out_has "service tier batch"; out_has "the price in your own rules has no rates for the service tier 'batch'"; out_matches 'total +unknown +unknown +unknown'
    printf '%s\n%s\n' "$line" "$line" >b.jsonl; run "$cando" cost --target openai/m1 b.jsonl; exits 1; out_has "what 2 requests will cost is unknown"; err_has "b.jsonl:1: the price in your own rules has no rates"
    run "$cando" cost --target openai/m1 --tier standard b.jsonl; exits 0
    run "$cando" cost --target openai/m1 --tier flex b.jsonl; exits 0
    printf '{"model":"m1","usage":{"prompt_tokens":1000,"completion_tokens":500}}' >r.json
    run "$cando" cost --target openai/m1 --tier batch r.json; exits 1; out_matches 'total +unknown'; out_has "'standard' prices it in full"
    run "$cando" cost --target openai/m1 --tier flex r.json; exits 0; out_matches 'total +\$0.003'
}
test_a_bill_adds_up() {
    printf '{"id":"msg_1","type":"message","role":"assistant","model":"m1","content":[],"usage":{"input_tokens":1000,"output_tokens":500,"server_tool_use":{"web_search_requests":3}}}' >r.json
    printf 'schema = "cando/rules@1"\n[[rules]]\nproviders = ["anthropic"]\nmatch = "m1"\nset = { price = { input_tokens = "2", output_tokens = "10", web_searches = "10" } }\n' >cando.toml
    run "$cando" cost --target anthropic/m1 r.json; exits 0; out_matches '^  other +\$0.03$'; out_matches 'total +\$0.037'
    run "$cando" cost --target anthropic/m1 --json r.json; out_has '"total_cost":"0.037"'
    printf '{"id":"msg_1","type":"message","role":"assistant","model":"m1","content":[],"usage":{"input_tokens":1000,"output_tokens":500}}' >r.json
    run "$cando" cost --target anthropic/m1 r.json; out_lacks other
}
# What is told in lines fits the columns that there are.
test_notes_are_broken() {
    printf '{"model":"nobodys-own-model-of-my-gateway","messages":[{"role":"user","content":"x"}]}' >r.json
    COLUMNS=80 run "$cando" check r.json; exits 0; err_has "it is judged by the rules of"; ! grep -E '.{81}' err || fail "a long line"
    printf '{"custom_id":"a","body":{"model":"gpt-4-0314-of-mine","max_tokens":9,"messages":[{"role":"user","content":"hello"}]}}\n' >b.jsonl; cat b.jsonl b.jsonl >c.jsonl
    COLUMNS=80 run "$cando" cost --target openai/gpt-4-0314-of-mine --tier batch b.jsonl; exits 1; ! grep -E '.{81}' out err || fail "a long line"
    COLUMNS=80 run "$cando" cost --target openai/gpt-5-codex c.jsonl; exits 1; err_has "c.jsonl:1: "; ! grep -E '.{81}' err || fail "a long line"
}
test_lines_of_a_batch() {
    line='{"custom_id":"%s","method":"POST","url":"/v1/chat/completions","body":{"model":"gpt-5.6-sol",%s"messages":[{"role":"user","content":"custom_id"}]}}\n'
    # shellcheck disable=SC2059
    { printf "$line" a '"stream":true,'; printf "$line" b ''; printf "$line" a ''; } >b.jsonl
    run "$cando" check b.jsonl; exits 1; out_matches 'b.jsonl:1:[0-9]+: warning: a batch job has no stream \[stream-in-batch\]'; out_has "at /body/stream"
    out_has "b.jsonl:3:14: error: line 1 has this custom_id, too [duplicate-item]"; err_has "3 requests: 1 error, 1 warning"
    run "$cando" check --json b.jsonl; exits 1; tail -1 out | grep -q '"verdict":"reject".*"path":"/custom_id"' || fail "in JSON, too"
    # shellcheck disable=SC2059
    { printf "$line" a ''; printf "$line" b ''; } >b.jsonl; cp b.jsonl c.jsonl; run "$cando" check b.jsonl c.jsonl; exits 0; out_empty
    printf '{"model":"gpt-5.6-sol","stream":true,"messages":[{"role":"user","content":"x"}]}' >r.json; run "$cando" check r.json; exits 0; out_lacks stream-in-batch
}
test_api_is_dialect() {
    printf '{"model":"gpt-5.6-sol","messages":[{"role":"user","content":"x"}],"max_completion_tokens":9}' >r.json
    for verb in check fix cost; do run "$cando" $verb --api openai-chat r.json; exits 0; done
    run "$cando" check --api nonsense r.json; exits 2; run "$cando" check --api openai-chat -d openai-chat r.json; exits 2; err_has "given twice"
}
# What ends is named where the request names another model.
test_the_model_that_ends_is_named() {
    printf '{"model":"gpt-5.6-sol","messages":[{"role":"user","content":"x"}]}' >r.json
    run "$cando" check openai/o3 r.json; exits 0; out_has "openai/o3 is deprecated and ends on"
    printf '{"model":"o3","messages":[{"role":"user","content":"x"}]}' >r.json
    run "$cando" check openai/o3 r.json; exits 0; out_has "the model is deprecated and ends on"
}
# Where two rules find the same value wrong, and what a model refuses is told by show and why as well.
test_one_slip_is_one_finding() {
    printf '{"model":"gpt-5","messages":[{"role":"user","content":"x"}],"temperature":3}' >r.json
    run "$cando" check r.json; exits 1; [ "$(grep -c 'error: ' out)" = 1 ] || fail "one finding"; out_has "takes no temperature but 1"
    run "$cando" why openai/o3 stop_sequences; exits 0; out_has unsupported; out_has openai-openapi
    run "$cando" show openai/o3; out_matches 'stop_sequences'
    printf '{"model":"gpt-4o","messages":[{"role":"user","content":"x"}],"n":200}' >r.json; run "$cando" check r.json; exits 1; out_has "n is from 1 to 128; it is 200"
}
