# cando show and cando why: the page, its JSON, and who says so.

rules() { cat >a.toml <<'T'
schema = "cando/rules@1"

[defaults]
streaming = "native"

[[providers]]
id = "acme"
aliases = ["acme-cloud"]

[[rules]]
name = "acme-base"
providers = "acme"
match = "*"
set = { tool_calling = "emulated", temperature = "native" }
source = "https://acme.example/models"
evidence = "provider-docs"
checked = 2026-01-02

[[rules]]
name = "acme-two"
providers = "acme"
match = "two-*"
set = { tool_calling = "native", context_window = 1048576, input_image = { restricted = "png only" }, reasoning_efforts = ["low", "high"], image_urls = false }
source = "https://acme.example/two"
checked = 2026-02-03

[[rules]]
name = "acme-two-late"
providers = "acme"
match = "two-*"
version_min = [9, 0]
set = { tool_calling = "unsupported" }
source = "https://acme.example/nine"
T
}

test_page() {
    rules; run "$cando" show --all --rules a.toml acme/two-x; exits 0; err_empty
    [ "$(head -n 1 out)" = "acme/two-x" ] || fail "first line"
    out_has "not in the catalog; this is by the rules of its family"
    out_matches '^capabilities$'; out_matches '^limits$'
    out_matches '^  tool_calling +native$'; out_matches '^  streaming +native$'
    out_matches '^  context_window +1,048,576$'; out_matches '^  input_image +restricted: png only$'
    out_matches '^  reasoning_efforts +low, high$'; out_matches '^  image_urls +no$'
    out_matches '^  parallel_tool_calls +unknown$'; out_has computer_use; out_has tool_bash
}
test_screen_batch() { run "$cando" show openai/o3; exits 0; out_matches '^ +a batch: 50% off$'; out_lacks batch_discount; run "$cando" show --all openai/o3; out_matches 'batch_discount_percent +50'; }
test_screen() {
    rules; run "$cando" show --rules a.toml acme/two-x; exits 0; err_empty
    out_matches '^context +1,048,576 tokens$'; out_matches '^can +streaming, tool_calling, reasoning_effort, temperature$'
    out_matches '^restricted +input_image png only$'; out_matches '^settings +reasoning_efforts low, high; image_urls no$'
    out_matches '^unknown +parallel_tool_calls, '; out_has computer_use; out_lacks tool_bash
    for m in anthropic/claude-opus-4-5 openai/gpt-5 openai/gpt-4o google/gemini-2.5-pro mistral/mistral-large-latest; do
        run "$cando" show $m; exits 0
        [ "$(wc -l <out)" -le 25 ] || fail "$m is longer than a screen"
        [ "$(wc -L <out)" -le 80 ] || fail "$m is wider than a screen"
    done
}
test_show_breaks_long_lines() {
    for m in anthropic/claude-sonnet-4-5 anthropic/claude-1; do # a long name, a source without one
        script -qec "stty cols 80 rows 24; '$cando' show --no-pager --color never $m" /dev/null 2>&1 </dev/null | tr -d '\r' >out
        [ "$(wc -L <out)" -le 80 ] || fail "$m is wider than a screen"
    done
}
test_all() { rules; run "$cando" show --all --rules a.toml acme/two-x; exits 0; out_matches '^  tool_bash +unknown$'; }
test_json_is_the_reply() {
    rules; run "$cando" show --json --rules a.toml acme/two-x; exits 0; err_empty
    python3 -c 'import json; r = json.load(open("out"))
assert r["identity"] == "family" and r["fields"]["context_window"] == 1048576 and r["fields"]["computer_use"] is None' || fail "not as wanted"
}
test_view() { rules; run "$cando" show --view nika --rules a.toml acme/two-x; exits 0; out_matches '^  context_window_tokens +1,048,576$'; out_lacks "max_thinking_budget"; }
test_nothing_known() {
    rules; run "$cando" show --rules a.toml nobody/nothing; exits 0; out_has "not known: defaults only"; err_has "check the spelling"
}
test_no_builtin() { run "$cando" show --no-builtin anthropic/claude-opus-4-5; exits 0; out_has "not known"; run "$cando" show --no-builtin --all anthropic/claude-opus-4-5; exits 0; out_matches '^  tool_calling +unknown'; }
test_target_without_provider() { run "$cando" show llama-3.3-70b; exits 2; out_empty; err_has "[unknown-target]"; }
test_two_targets() { run "$cando" show a/b c/d; exits 2; out_empty; err_has "one model at a time"; }
test_overlay_on_rules() {
    rules; cat >o.toml <<'T'
schema = "cando/rules@1"
[[rules]]
match = "two-*"
set = { tool_calling = "unsupported" }
T
    run "$cando" show --all --rules a.toml --overlay o.toml acme/two-x; exits 0; out_matches '^  tool_calling +unsupported$'
    out_matches '^  context_window +1,048,576$'
}
test_overlay_on_the_builtin_catalog() {
    cat >o.toml <<'T'
schema = "cando/rules@1"
[[rules]]
name = "ours"
match = "zz-test-*"
set = { tool_calling = "emulated" }
T
    run "$cando" show --all --overlay o.toml openai/zz-test-1; exits 0; out_matches '^  tool_calling +emulated$'
    run "$cando" why --overlay o.toml openai/zz-test-1 tool_calling; exits 0; out_has "ours"; out_has "o.toml:2"
}
test_broken_rules_file() {
    echo 'x = = 1' >a.toml
    run "$cando" show --rules a.toml acme/two-x; exits 3; out_empty; err_matches '^a\.toml:1:5: error: .*\[toml-syntax\]$'; err_matches '^ +\^'
    run "$cando" show --overlay a.toml acme/two-x; exits 3; out_empty; err_matches '^a\.toml:1:5: error: '
}
test_missing_rules_file() { run "$cando" show --rules nowhere.toml a/b; exits 3; out_empty; err_has "[io]"; }
test_hostile_name() { rules; run "$cando" show --rules a.toml "acme/$(printf 'x\033[31m"\\')"; exits 0; ! grep -q $'\033' out || fail "an escape went through"; }
test_name_over_the_limit() { run "$cando" show "a/$(printf '%0600d' 0)"; exits 2; out_empty; err_has "[too-long]"; }

test_why_field() {
    rules; run "$cando" why --rules a.toml acme/two-x tool_calling; exits 0; err_empty
    [ "$(head -n 1 out)" = "tool_calling  native" ] || fail "first line"
    out_has "rule acme-two at a.toml:19"; out_has "https://acme.example/two"; out_has "2026-02-03"
    out_matches 'overrode +emulated by rule acme-base at a\.toml:10'
    out_matches 'near miss +.*acme-two-late at a\.toml:27'
}
test_why_by_another_name() { rules; run "$cando" why --rules a.toml acme/two-x native_tools; exits 0; out_has "tool_calling  native"; }
test_why_default() { rules; run "$cando" why --rules a.toml acme/two-x streaming; exits 0; out_has "default at a.toml:3"; }
test_why_nobody() { rules; run "$cando" why --rules a.toml acme/two-x computer_use; exits 0; out_has "computer_use  unknown"; out_has "nobody"; }
test_why_summary() {
    rules; run "$cando" why --rules a.toml acme/two-x; exits 0; out_matches '^rule acme-two at a.toml:19 \(family\), checked 2026-02-03$'; out_has "  tool_calling, reasoning_effort"; out_has "nearly applied"
    run "$cando" why anthropic/claude-opus-4-5; exits 0; out_has "genai-prices"; [ "$(wc -l <out)" -le 50 ] || fail "a summary is short"
}
test_why_all_fields() { rules; run "$cando" why --all --rules a.toml acme/two-x; exits 0; out_has "tool_calling  native"; out_has "temperature  native"; out_has "nearly applied"; out_lacks "computer_use"; }
test_why_evidence() { rules; run "$cando" why --rules a.toml acme/two-x temperature; exits 0; out_has "provider-docs"; }
test_why_names_rules_of_requests() {
    run "$cando" why openai/o3 temperature; exits 0; out_has "temperature  unsupported"
    out_has "error      rule openai-chat-temp (openai-chat): the model takes no temperature but 1 [parameter-unsupported]"; out_matches 'catalog/requests/openai-chat.toml:[0-9]+, sdk-code$'
    run "$cando" why openai/gpt-4o temperature; exits 0; out_lacks openai-chat-temp' '; out_has openai-chat-temp-range
    run "$cando" why anthropic/claude-opus-5-5 n; exits 0; out_has "n  a member of requests"; out_has "rule anthropic-compat-n (openai-chat): n is 1 here"
    COLUMNS=80 run "$cando" why openai/o3 temperature; ! grep -v http out | grep '.\{81\}' || fail "a long line"
}
test_why_unknown_field() { run "$cando" why openai/gpt-5 tool_caling; exits 2; out_empty; err_has "did you mean tool_calling?"; err_has "[unknown-field]"; }
test_why_json() {
    rules; run "$cando" why --json --rules a.toml acme/two-x tool_calling; exits 0
    python3 -c 'import json; w = json.load(open("out"))["why"]["tool_calling"]; assert w["rule"] == "acme-two" and w["line"] == 19' || fail "not as wanted"
}
test_why_provider_alias() { rules; run "$cando" why --rules a.toml acme-cloud/two-x tool_calling; exits 0; out_has "acme-two"; }
test_show_marks() {
    run "$cando" show --all moonshotai/kimi-k3; exits 0; out_matches '^  tool_calling .*\(inferred from its other offerings\)$'
    CANDO_TODAY=2026-11-16 run "$cando" show openai/gpt-4o; exits 0; out_has "ends on 2027-01-14, instead: gpt-6-luna"
    CANDO_TODAY=2027-02-01 run "$cando" show openai/gpt-4o; out_has "ended on 2027-01-14"
    run "$cando" show --all openai/gpt-4o; out_matches '^  tool_calling +native$'
}

# Prices with a day: what holds on the day of asking comes first, and is what filters and orders.
dated_rules() {
    cat >dated.toml <<'END'
schema = "cando/rules@1"
[[providers]]
id = "p"
[[models]]
provider = "p"
id = "m"
[models.set]
streaming = "native"
[models.set.price]
input_tokens = "2"
output_tokens = "10"
"input_tokens from=2026-09-01" = "3"
"output_tokens from=2026-09-01" = "15"
"output_tokens from=2027-01-01" = "20"
[[models]]
provider = "p"
id = "n"
set = { streaming = "native", price = { input_tokens = "3", output_tokens = "12" } }
END
}
test_price_of_the_day() {
    dated_rules
    CANDO_TODAY=2026-08-31 run "$cando" show --rules dated.toml p/m
    exits 0; out_has 'input $2.00 / output $10.00'; out_has 'other rates: from 2026-09-01 on; from 2027-01-01 on'
    CANDO_TODAY=2026-09-01 run "$cando" show --rules dated.toml p/m
    exits 0; out_has 'input $3.00 / output $15.00'; out_has 'other rates: until 2026-08-31; from 2027-01-01 on'
    CANDO_TODAY=2027-01-01 run "$cando" show --rules dated.toml --all p/m
    exits 0; out_has 'input $3.00 / output $20.00'
    out_has 'until 2026-08-31: input $2.00 / output $10.00'; out_has 'until 2026-12-31: output $15.00'
    CANDO_TODAY=2026-08-31 run "$cando" models --rules dated.toml --provider p --max-input-price 2 --csv
    out_has 'p,m,,,,2,10,'
    CANDO_TODAY=2026-09-01 run "$cando" models --rules dated.toml --provider p --max-input-price 2 --csv
    out_lacks 'p,m'
    CANDO_TODAY=2026-09-01 run "$cando" pick --rules dated.toml --provider p --sort price
    out_matches 'p/m .*\$3.00 +\$15.00'
    [ "$(grep -o 'p/[mn]' out | tr '\n' ' ')" = 'p/n p/m ' ] || fail "the cheaper one on that day comes first"
}
test_price_of_the_day_in_diff() {
    dated_rules
    CANDO_TODAY=2026-09-01 run "$cando" diff --rules dated.toml p/m p/n
    exits 0
    out_matches '^  output +\$15.00 -> \$12.00'; out_lacks 'input  '
    out_has 'input, until 2026-08-31   $2.00 -> $3.00'; out_has 'output, from 2027-01-01 on $20.00 -> $12.00'
    CANDO_TODAY=2026-08-31 run "$cando" diff --rules dated.toml p/m p/n
    out_matches '^  input +\$2.00 -> \$3.00'; out_has 'input, from 2026-09-01 on $3.00 -> $3.00'
}
# A batch whose discount is known has a price; above a threshold that one does not have its rate stays what it is.
test_rates_that_one_does_not_have() {
    cat >rates.toml <<'END'
schema = "cando/rules@1"
[[providers]]
id = "p"
[[models]]
provider = "p"
id = "m"
[models.set]
batch = "native"
batch_discount_percent = 40
[models.set.price]
input_tokens = "5"
output_tokens = "25"
"input_tokens >1000" = "6"
"input_tokens @express" = "9"
[[models]]
provider = "p"
id = "n"
[models.set.price]
input_tokens = "4"
output_tokens = "25"
"input_tokens >2000" = "8"
"input_tokens @batch" = "2"
"output_tokens @batch" = "15"
END
    run "$cando" diff --rules rates.toml p/n p/m; exits 0; err_empty
    out_matches '^  input, batch +\$2.00 -> \$3.00 per'; out_lacks 'output, batch'
    out_matches '^  express +of the second only$'; out_lacks 'express  *unknown'
    grep -A 1 '^  input, above 2,000 tokens of input' out | grep -q '\$8.00 -> \$6.00 per' || fail "the rate above 1,000 tokens holds above 2,000"
    grep -A 1 '^  input, above 1,000 tokens of input' out | grep -q '\$4.00 -> \$6.00 per' || fail "the rate without a threshold holds above 1,000"
    sed -i 's/batch = "native"/batch = "unsupported"/' rates.toml
    run "$cando" diff --rules rates.toml p/n p/m; exits 0; out_matches '^  batch +of the first only$'
}
