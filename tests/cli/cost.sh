# cando cost: one reply, a log of them, a request in advance, comparisons, what is unknown.

prices() { cat >p.toml <<'T'
schema = "cando/rules@1"

[[providers]]
id = "acme"

[[models]]
provider = "acme"
id = "one"
source = "https://acme.example/prices"
[models.set.price]
input_tokens = "3"
output_tokens = "15"
cache_read_tokens = "0.3"
"input_tokens @batch" = "1.5"
"output_tokens from=2026-12-01" = "10"

[[models]]
provider = "acme"
id = "two"
source = "https://acme.example/prices"
[models.set.price]
input_tokens = "0.1"
output_tokens = "0.4"
T
}
reply() { printf '{"id":"x","model":"%s","created":%s,"choices":[],"usage":{"prompt_tokens":%s,"completion_tokens":%s}}\n' "$@"; }
# holds EXPRESSION: over the JSON r in the file out
holds() { python3 -c "import json; r = json.load(open('out')); assert $1, r" || fail "want $1"; }

test_one_reply() {
    prices; reply one 1760000000 1000 100 >r.json
    run "$cando" cost --rules p.toml --provider acme r.json; exits 0; err_empty
    out_has 'acme/one'; out_has 'input_tokens'; out_matches 'total +\$0\.0045$'; out_matches 'input_tokens +1,000 +\$3\.00 +1,000,000 +\$0\.003$'
}
test_one_reply_from_stdin_without_line_end() {
    prices; reply one 1760000000 1000 100 | tr -d '\n' >r.json
    run "$cando" cost --rules p.toml --target acme/two - <r.json; exits 0; out_matches 'total +\$0\.00014$'
}
test_pretty_printed_reply() {
    prices; reply one 1760000000 1000 100 | python3 -m json.tool >r.json
    run "$cando" cost --rules p.toml --provider acme r.json; exits 0; out_matches 'total +\$0\.0045$'
}
test_json() {
    prices; reply one 1760000000 1000 100 >r.json
    run "$cando" cost --rules p.toml --provider acme --json r.json; exits 0; err_empty
    holds 'r["total_cost"] == "0.0045" and r["target"] == "acme/one" and r["usage"]["input_tokens"] == 1000'
}
test_tier_and_time() {
    prices; reply one 1760000000 1000 100 >r.json
    run "$cando" cost --rules p.toml --provider acme --tier batch --at 2026-12-02 --json r.json; exits 0
    holds 'r["input_cost"] == "0.0015" and r["output_cost"] == "0.001"'
    run "$cando" cost --rules p.toml --provider acme --at now --json r.json; exits 0
    run "$cando" cost --rules p.toml --provider acme --at soon r.json; exits 2; err_has 'at'
}
test_compare() {
    prices; reply one 1760000000 1000 100 >r.json
    run "$cando" cost --rules p.toml --provider acme --compare acme/two --compare acme/three r.json; exits 1
    out_matches 'acme/two +\$0\.00014$'; out_matches 'acme/three +unknown$'
}
test_unknown_is_no_zero() {
    prices; reply three 1760000000 1000 100 >r.json
    run "$cando" cost --rules p.toml --provider acme r.json; exits 1; out_matches 'total +unknown$'; out_lacks '$0'
    reply one 1760000000 1000 100 >r.json
    run "$cando" cost --rules p.toml r.json; exits 1; out_has 'does not say who answered'
}
test_stream_that_was_cut() {
    prices; echo '[{"type":"message_start","message":{"type":"message","model":"one","usage":{"input_tokens":1000,"output_tokens":1}}}]' >r.json
    run "$cando" cost --rules p.toml --target acme/one --at 2026-01-01 r.json; exits 1; out_matches 'at least +\$0\.003015$'; out_has 'cut'
}
test_log() {
    prices; { reply one 1760000000 1000 100; echo; reply two 1760000000 1000 100; reply one 1760090000 2000 0; } >log
    run "$cando" cost --rules p.toml --provider acme log; exits 0; err_empty
    out_matches 'acme/one +2 +3,000 +100  \$0\.0105$'; out_matches 'acme/two +1 .*\$0\.00014$'
    out_matches '2025-10-09 +2 .*\$0\.00464$'; out_matches '2025-10-10 +1 .*\$0\.006$'; out_has '3 replies cost $0.01064'
}
test_log_json() {
    prices; { reply one 1760000000 1000 100; reply two 1760000000 1000 100; reply three 1760090000 2000 0; } >log
    run "$cando" cost --rules p.toml --provider acme --compare acme/two --json <log; exits 1
    holds 'r["replies"] == 3 and r["unknown"] == 1 and r["total_cost"] is None and r["known_cost"] == "0.00464"'
    holds '[m["model"] for m in r["models"]] == ["acme/one", "acme/two", "acme/three"] and len(r["days"]) == 2'
    holds 'r["compare"] == [{"target":"acme/two","replies":3,"unknown":0,"input_tokens":0,"output_tokens":0,"known_cost":"0.00048","total_cost":"0.00048"}]'
}
test_log_with_broken_lines() {
    prices; { reply one 1760000000 1000 100; echo '{"usage":'; echo 'hello'; echo '{"a":1},"target":"acme/two"'; echo '{"usage":{"prompt_tokens":-1}}'; } >log
    run "$cando" cost --rules p.toml --provider acme log; exits 3
    err_has 'log:2:'; err_has 'log:3:'; err_has 'log:4:'; err_has 'log:5:'; out_has 'at least $0.0045'; out_has '4 lines could not be read'
}
test_log_of_envelopes() {
    prices
    echo '{"target":"acme/two","response":{"model":"x","usage":{"prompt_tokens":1000,"completion_tokens":0}}}' >log
    echo '{"provider":"acme","service_tier":"batch","at":"2026-01-01","response":{"model":"one","usage":{"prompt_tokens":1000,"completion_tokens":0}}}' >>log
    run "$cando" cost --rules p.toml --json log; exits 0; holds 'r["total_cost"] == "0.0016" and r["days"][1]["day"] == "2026-01-01"'
}
test_log_memory_is_constant() {
    prices; python3 - <<'P'
line = '{"id":"x","model":"one","created":%d,"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":7}}\n'
with open('log', 'w') as f:
    for i in range(60000):
        f.write(line % (1760000000 + i % 100 * 86400, i % 5000))
P
    bash -c 'ulimit -v 60000; "$0" version' "$cando" >/dev/null 2>&1 || return 0 # a sanitizer needs more for itself
    run bash -c 'ulimit -v 60000; "$0" cost --rules p.toml --provider acme --json log' "$cando"; exits 0
    holds 'r["replies"] == 60000 and r["total_cost"] == "%s" % (sum(i % 5000 * 3 + 7 * 15 for i in range(60000)) / 10**6)'
}
test_overlay_price() {
    prices; cat >o.toml <<'T'
schema = "cando/rules@1"
[[rules]]
providers = "acme"
match = "one"
source = "contract"
set = { price = { input_tokens = "1", output_tokens = "1" } }
T
    reply one 1760000000 1000 100 >r.json
    run "$cando" cost --rules p.toml --overlay o.toml --provider acme r.json; exits 0; out_matches 'total +\$0\.0011$'
}
test_price_key_is_linted() {
    prices; sed 's/cache_read_tokens/cache_reed_tokens/' p.toml >q.toml
    run "$cando" lint q.toml; exits 1; out_has 'bad-price'; out_has 'cache_read_tokens'
    sed 's/= "15"/= "-15"/' p.toml >q.toml; run "$cando" lint q.toml; exits 1; out_has 'bad-price'
    run "$cando" lint p.toml; exits 0
}
# limits: the prices, and what is known of "one"
limits() { prices; cat p.toml - >l.toml <<'T'

[[rules]]
providers = "acme"
match = "one"
source = "https://acme.example/models"
set = { max_output = 4000, tokenizer = "o200k" }
T
}
# request [MEMBERS]: 800 bytes of prompt; 100, 197 and 290 tokens by o200k, 100, 212 and 320 where nobody knows the tokenizer
request() { python3 -c 'import sys; print("{\"model\":\"one\",\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]%s}" % ("a" * 800, sys.argv[1]))' "${1:-}"; }

test_request() {
    prices; request ',"max_tokens":1000' >q.json
    run "$cando" cost --overlay p.toml --provider acme --at 2026-01-01 q.json; exits 0; err_empty
    out_has 'acme/one: what this request will cost (openai-chat)'
    out_matches '^ +low +expected +high$'; out_matches '^  input tokens +100 +212 +320$'; out_matches '^  output tokens +0 +500 +1,000$'
    out_matches '^  total +\$0\.0003 +\$0\.008136 +\$0\.01596$'
    out_has 'expected: 500 tokens of output; nobody can know'; out_has '--output N'; out_has '1,000 tokens is the longest that the request allows'
}
test_request_json() {
    limits; request >q.json
    run "$cando" cost --overlay l.toml --target acme/one --at 2026-01-01 --json q.json; exits 0; err_empty
    holds 'r["target"] == "acme/one" and r["total_cost"] == r["estimate"]["expected"]["total_cost"] == "0.00%d" % (197 * 3 + 7500)'
    holds 'r["estimate"]["tokens"] == {"low":100,"expected":197,"high":290,"output":None}'
    holds 'r["estimate"]["output_limit"] == 4000 and r["estimate"]["high"]["total_cost"] == "0.06087"'
}
test_request_pretty_printed_from_stdin() {
    prices; request ',"max_tokens":10' | python3 -m json.tool >q.json
    run "$cando" cost --overlay p.toml --target acme/two <q.json; exits 0; out_matches '^  total +\$0\.00001 +\$0\.0000252 +\$0\.000036$'
}
test_request_output_told() {
    prices; request ',"max_tokens":1000' >q.json
    run "$cando" cost --overlay p.toml --target acme/two --output 700 --json q.json; exits 0
    holds 'r["estimate"]["assumed_output_tokens"] == 700 and r["output_cost"] == "0.00028"'
    run "$cando" cost --overlay p.toml --target acme/two --output many q.json; exits 2; err_has 'whole number'
    reply one 1760000000 1000 100 >r.json
    run "$cando" cost --overlay p.toml --target acme/two --output 700 r.json; exits 2; err_has '--request'
}
test_request_tier_and_choices() {
    prices; request ',"max_tokens":10,"n":3,"service_tier":"batch"' >q.json
    run "$cando" cost --overlay p.toml --target acme/one --at 2026-01-01 q.json; exits 0; out_has 'service tier batch'; out_has '3 times 10 tokens'
    out_matches '^  input +\$0\.00015 +\$0\.000318 +\$0\.00048$'; out_matches '^  output +\$0\.00 +\$0\.00045 +\$0\.00045$'
    run "$cando" cost --overlay p.toml --target acme/one --at 2026-01-01 --tier default q.json; exits 0; out_matches '^  input +\$0\.0003 '
}
test_request_compared() {
    limits; request >q.json
    run "$cando" cost --overlay l.toml --target acme/one --at 2026-01-01 --compare acme/two --compare acme/three q.json; exits 1
    out_has 'the same request at'; out_matches '^  acme/two +212 +\$0\.00001 +\$0\.0002212 +unknown$'; out_matches '^  acme/three +212 +unknown +unknown +unknown$'
    run "$cando" cost --overlay l.toml --target acme/one --compare acme/two --json q.json; exits 1; [ "$(wc -l <out)" = 1 ] || fail 'want one object'
}
test_request_without_bound() {
    prices; request >q.json
    run "$cando" cost --overlay p.toml --target acme/one q.json; exits 1; out_matches '^  output tokens +0 +500 +unknown$'; out_has 'note: high: output_tokens: neither'
}
test_request_for_nobody() {
    request | sed 's/"model":"one",//' >q.json
    run "$cando" cost q.json; exits 1; out_has 'does not say which model'; out_has '--target'; out_lacks '$0'
    request >q.json; run "$cando" cost q.json; exits 1; out_has 'does not say who shall answer'; out_lacks openai/one
}
test_request_forced() {
    prices; echo '{"model":"one","previous_response_id":"resp_1","max_output_tokens":10}' >q.json
    run "$cando" cost --overlay p.toml --provider acme q.json; exits 2; err_has 'no usage'; err_has 'request'
    run "$cando" cost --overlay p.toml --provider acme --request q.json; exits 1; out_has 'openai-responses'; out_has 'kept by the provider'
    echo '{"hello":1}' >q.json; run "$cando" cost --request q.json; exits 2; err_has 'no known dialect'; err_has 'dialect'
    run "$cando" cost --request --dialect smoke q.json; exits 2; err_has 'openai-chat'
}
test_request_of_a_batch_job() {
    prices; { printf '{"custom_id":"1","method":"POST","url":"/v1/chat/completions","body":'; request ',"max_tokens":10' | tr -d '\n'; echo '}'; } >q.json
    run "$cando" cost --overlay p.toml --target acme/one --at 2026-01-01 --json q.json; exits 0; holds 'r["service_tier"] == "batch" and r["input_cost"] == "0.000318"'
}
test_requests_are_no_log() {
    request >q.json; request >>q.json
    run "$cando" cost --request --target openai/gpt-4o q.json; exits 0; out_has '2 requests will cost'
}
test_request_with_rules_alone() {
    prices; request >q.json; run "$cando" cost --rules p.toml --target acme/one q.json; exits 2; err_has 'overlay'
}
test_no_such_file() { run "$cando" cost nofile.json; exits 3; err_has 'nofile.json'; }
test_empty_input() { run "$cando" cost </dev/null; exits 3; }
test_not_json() { echo hello >h; run "$cando" cost h; exits 3; err_has 'is no JSON'; echo '{hello' >h; run "$cando" cost h; exits 3; err_has 'neither one JSON reply'; }
test_stream_captures() {
    prices
    printf 'event: message_start\ndata: {"type":"message_start","message":{"type":"message","model":"one","usage":{"input_tokens":1000,"output_tokens":1}}}\n\nevent: ping\ndata: {"type":"ping"}\n\n: a comment\nevent: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":100}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n' >a.sse
    run "$cando" cost --rules p.toml --target acme/one --at 2026-01-01 a.sse; exits 0; out_matches 'total +\$0\.0045$'
    printf 'data: {"object":"chat.completion.chunk","created":1760000000,"model":"one","choices":[]}\r\n\r\ndata: {"object":"chat.completion.chunk","created":1760000000,"model":"one","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":100}}\r\n\r\ndata: [DONE]\r\n\r\n' >o.sse
    run "$cando" cost --rules p.toml --provider acme o.sse; exits 0; out_matches 'total +\$0\.0045$'
    cat o.sse o.sse >two.sse; run "$cando" cost --rules p.toml --provider acme two.sse; exits 0; out_has '2 replies cost $0.009'
    grep -v '^.$' o.sse >narrow.sse; run "$cando" cost --rules p.toml --provider acme narrow.sse; exits 0; out_matches 'total +\$0\.0045$'
    echo 'data: {"a":' >bad.sse; run "$cando" cost bad.sse; exits 3
}
test_several_files_and_gzip() {
    prices; reply one 1760000000 1000 100 >a.json; { reply two 1760000000 1000 100; reply one 1760090000 2000 0; } >b.jsonl; gzip -k b.jsonl
    run "$cando" cost --rules p.toml --provider acme a.json b.jsonl.gz; exits 0; out_has '3 replies cost $0.01064'
    run "$cando" cost --rules p.toml --provider acme <b.jsonl.gz; exits 0; out_has '2 replies cost $0.00614'
    head -c 80 b.jsonl.gz >cut.gz; run "$cando" cost --rules p.toml --provider acme cut.gz; exits 3; err_has 'ends too early'
    run "$cando" cost --rules p.toml --provider acme a.json none.json; exits 3; out_has '1 reply cost $0.0045'; err_has none.json
    run "$cando" cost --rules p.toml --provider acme --output 5 a.json b.jsonl; exits 2; err_has 'looks like a reply'
}
test_since_until_by_csv() {
    prices; { reply one 1760000000 1000 100; reply two 1760000000 1000 100; reply one 1760090000 2000 0; reply one 1762600000 0 10; echo '{"model":"one","usage":{"prompt_tokens":1,"completion_tokens":1}}'; } >log
    run "$cando" cost --rules p.toml --provider acme --by day,model --csv log; exits 0; err_empty
    [ "$(head -n 2 out | tail -n 1 | tr -d '\r')" = "(no date),acme/one,1,1,1,0.000013,0" ] || fail "the first row"
    grep -q '^2025-10-09,acme/two,1,1000,100,0.00014,0' out || fail "a row for each"; [ "$(wc -l <out)" = 6 ] || fail "six lines"
    run "$cando" cost --rules p.toml --provider acme --since 2025-10-10 log; exits 0; out_has '2 replies cost $0.00615'; out_has '2 of another time left out'; out_has '1 without a date left out'
    run "$cando" cost --rules p.toml --provider acme --until 2025-10 log; exits 0; out_has '3 replies cost $0.01064'
    run "$cando" cost --rules p.toml --provider acme --since 2025-10-10 --until 2025-10-10 --by provider --json log; exits 0
    holds 'r["replies"] == 1 and r["by"][0]["provider"] == "acme" and r["total_cost"] == "0.006"'
    run "$cando" cost --by hour log; exits 2; err_has 'day month model provider'
    run "$cando" cost --since soon log; exits 2; err_has '2026-11-15'
}
test_money_is_aligned() {
    prices; { reply one 1760000000 1000000 100; reply two 1760000000 1000 100; reply three 1760000000 1 1; } >log
    run "$cando" cost --rules p.toml --provider acme log; exits 1
    out_matches '^acme/one +1 +1,000,000 +100  \$3\.0015$'; out_matches '^acme/two +1 +1,000 +100  \$0\.00014$' || fail "the points"
    run "$cando" cost --rules p.toml --target acme/one a.json 2>/dev/null || true
    reply one 1760000000 1000 100 >r.json; run "$cando" cost --rules p.toml --provider acme r.json; out_lacks 'its own rate'
}
test_envelope_wins_over_provider() {
    prices; echo '{"provider":"acme","response":{"model":"one","usage":{"prompt_tokens":1000,"completion_tokens":0}}}' >log
    echo '{"target":"acme/two","response":{"model":"one","usage":{"prompt_tokens":1000,"completion_tokens":0}}}' >>log
    run "$cando" cost --rules p.toml --provider nobody --json log; exits 0; holds 'r["total_cost"] == "0.0031"'
    run "$cando" cost --rules p.toml --target acme/two --json log; exits 0; holds 'r["total_cost"] == "0.0002"'
}
test_progress() {
    command -v script >/dev/null || return 0
    prices; { reply one 1760000000 1000 100; reply one 1760000000 1000 100; reply one 1760000000 1000 100; } >log
    CANDO_PROGRESS_MS=0 TERM=xterm script -qec "'$cando' cost --rules p.toml --provider acme log" /dev/null >out 2>&1 </dev/null; out_has 'log: 1 replies, 100%'; out_has '3 replies cost'
    CANDO_PROGRESS_MS=0 run "$cando" cost --rules p.toml --provider acme log; err_empty
    mkdir requests; echo '{"model":"one","messages":[{"role":"user","content":"x"}]}' >requests/a.json
    CANDO_PROGRESS_MS=0 TERM=xterm script -qec "'$cando' check acme/one --rules p.toml requests" /dev/null >out 2>&1 </dev/null || true; out_has '1 requests'
}

# What a batch costs is said once for all models: by how much less, who says so, and to whom it holds.
test_batch_discount() {
    reply o3 1760000000 3000 900 >r.json
    run "$cando" cost --provider openai --tier batch r.json; exits 0; err_empty
    out_matches '^  input_tokens +3,000 +\$1\.00 +1,000,000 +\$0\.003 +tier batch: 50% off$'; out_matches '^  total +\$0\.0066$'
    out_has '  batch: 50% off, says https://developers.openai.com/api/docs/pricing (2026-11-18)'
    run "$cando" cost --provider openai --tier priority r.json; out_lacks '50% off'
    request ',"max_tokens":10' >q.json
    run "$cando" cost --target openai/o3 --tier batch q.json; exits 0; out_has 'batch: 50% off, says https://'; out_matches '^  output +\$0\.00 +\$0\.00004 '
}
test_batch_discount_is_not_for_a_price_of_ones_own() {
    printf 'schema = "cando/rules@1"\n[[rules]]\nname = "mine"\nproviders = ["openai"]\nmatch = "o3"\nset = { price = { input_tokens = "1", output_tokens = "3" } }\n' >mine.toml
    reply o3 1760000000 3000 900 >r.json
    run "$cando" cost --overlay mine.toml --provider openai --tier batch r.json; exits 1; out_has "your own rules has no rates for the service tier 'batch'"
    sed -i 's/set = {/set = { batch_discount_percent = 10,/' mine.toml
    run "$cando" cost --overlay mine.toml --provider openai --tier batch r.json; exits 0; out_has '  batch: 10% off, says mine.toml'; out_matches '^  total +\$0\.00513$'
    mkdir -p c/cando; mv mine.toml c/cando # and where it is the user's file that says both
    XDG_CONFIG_HOME=$PWD/c run "$cando" cost --provider openai --tier batch r.json; exits 0; out_has '  batch: 10% off, says'; out_matches '^  total +\$0\.00513$'
}
test_bill_fits_80_columns() {
    printf '{"id":"x","model":"o3","choices":[],"usage":{"prompt_tokens":3000,"completion_tokens":900,"prompt_tokens_details":{"cached_tokens":1024}}}' >r.json
    run "$cando" cost --provider openai --tier batch r.json; exits 0
    out_has 'note: input_tokens: with cache_read_tokens, which has no rate of its own'
    ! grep -v 'says https' out | grep -q '.\{81\}' || fail 'a line is longer than 80 columns'
}
