# What a sixth newcomer stumbled over, with the help alone and a screen of 80 columns.

on_screen() { NO_COLOR=1 PAGER=cat TERM=xterm script -qec "stty cols 80 rows 24; $1" /dev/null 2>&1 </dev/null | tr -d '\r' >out; }
reply() { printf '{"id":"chatcmpl-1","object":"chat.completion","created":1790000000,"choices":[],"model":"%s","usage":{"prompt_tokens":1000000,"completion_tokens":0}}' "$1"; }

test_pick_says_how_many_are_shown() {
    run "$cando" pick tools --provider openai; exits 0; out_matches '^[0-9,]+ of [0-9,]+ fit, 5 shown \(-n N: more\); --why tells why these$'
    run "$cando" pick tools --provider openai -n 2 --why; exits 0; out_matches '^[0-9,]+ of [0-9,]+ fit, 2 shown \(-n N: more\) \('; out_matches 'providers: [0-9],[0-9]{3} out'
    run "$cando" pick tools --provider openai -n 900; exits 0; out_lacks " shown"
}
test_options_of_other_programs() {
    run "$cando" pick --vision; exits 2; err_has "it is a capability: --can vision"
    run "$cando" models --tools; exits 2; err_has "it is a capability: --can tools"
    run "$cando" check --fix r.json; exits 2; err_has "cando fix repairs what can be repaired"
    run "$cando" cost --batch r.json; exits 2; err_has "--tier batch"
    run "$cando" show --format json openai/gpt-5; exits 2; err_has "--json prints it for programs"
    run "$cando" models --free; exits 2; err_has "--max-input-price 0"
    run "$cando" show --vision openai/gpt-5; exits 2; err_lacks "--can"
    run "$cando" diff a/b c/d e/f; exits 2; err_has "cando matrix A B C lays several side by side"
}
# An id may have a slash or a colon where a provider ends.
test_an_id_that_looks_like_a_provider() {
    run "$cando" show us.anthropic.claude-sonnet-4-5-20250929-v1:0; exits 0; out_has "amazon-bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0"; err_has "is taken as amazon-bedrock/us.anthropic"
    run "$cando" show meta-llama/Llama-3.3-70B-Instruct; exits 0; err_has "several providers have it: cando models meta-llama/Llama-3.3-70B-Instruct"
    run "$cando" show openai/gpt-5; exits 0; err_empty
}
test_a_denied_model_without_its_provider() {
    printf 'schema = "cando/rules@1"\n[policy]\ndeny = ["openai/gpt-4o*"]\n' >cando.toml
    run "$cando" show gpt-4o; exits 0; err_has "gpt-4o is taken as openai/gpt-4o"; out_has "denied by a deny list"
    run "$cando" show gpt-4; exits 0; err_has "gpt-4 is taken as openai/gpt-4"
    run "$cando" show 'gpt-4o"x'; exits 2
}
# Names that are cut stay apart.
test_rows_differ_when_they_are_cut() {
    command -v script >/dev/null || return 0
    on_screen "$cando models claude sonnet 4-5 bedrock"; grep -q '…' out || fail "nothing was cut"
    sed -n 's/^\(amazon-bedrock[^ ]*\) .*/\1/p' out >names; [ "$(wc -l <names)" -gt 5 ] || fail "few rows"
    [ -z "$(sort names | uniq -d)" ] || fail "two rows look alike: $(sort names | uniq -d)"
}
test_notes_fit_where_stdout_is_a_pipe() {
    command -v script >/dev/null || return 0
    on_screen "$cando show us.anthropic.claude-sonnet-4-5-20250929-v1:0 | cat >/dev/null"
    grep -q "is taken as" out || fail "no note"; ! LC_ALL=C.UTF-8 grep -E '^.{81}' out || fail "wider than the screen"
}
test_a_source_in_words_fits() {
    command -v script >/dev/null || return 0
    printf '{"error":{"message":"Unsupported value: '"'temperature'"' does not support 0.2 with this model. Only the default (1) value is supported."}}' >e.json
    run "$cando" learn openai/gpt-5 --from-error e.json --write cando.toml; exits 0
    on_screen "$cando why openai/gpt-5 temperature"; grep -q "an error reply" out || fail "no source"; ! grep -v 'http\|cando.toml' out | LC_ALL=C.UTF-8 grep -E '^.{81}' || fail "wider than the screen"
}
test_why_a_log_has_no_price() {
    { reply gpt-4o-mini-2024-07-18; echo; printf '{"provider":"deepinfra","response":%s}\n' "$(reply acme/none-17b)"; } >log.jsonl
    run "$cando" cost log.jsonl; exits 1; out_has "no price, or not for all that was used: deepinfra/acme/none-17b;"; out_lacks "names all who answered"; out_has "unpriced"
    reply mistral-small-latest >>log.jsonl; run "$cando" cost log.jsonl; exits 1; out_has "names all who answered"
    run "$cando" cost log.jsonl --csv; out_has "known_cost,unknown"
}
test_a_bill_fits() {
    command -v script >/dev/null || return 0
    echo '{"id":"resp_1","object":"response","created_at":1790000000,"model":"gpt-5","output":[],"usage":{"input_tokens":1000,"output_tokens":200,"output_tokens_details":{"reasoning_tokens":100}}}' >r.json
    on_screen "$cando cost r.json"; grep -q "note: output_tokens: with output_reasoning_tokens" out || fail "no note"; ! LC_ALL=C.UTF-8 grep -E '^.{81}' out || fail "wider than the screen"
}
# A folder with logs in it is not a page of lines that say the same.
test_lines_that_are_no_requests() {
    mkdir d; for _ in 1 2 3; do reply gpt-4o; echo; done >d/log.jsonl; echo '{"model":"gpt-5","messages":[{"role":"user","content":"Hi"}]}' >d/r.json
    run "$cando" check d; exits 0; err_has "d/log.jsonl: 3 lines left out: of no known API"; err_has "1 request: "; err_has "; 3 left out"; [ "$(grep -c 'log.jsonl' err)" -eq 1 ] || fail "more than one line"
    run "$cando" check d/log.jsonl; exits 3; err_has "d/log.jsonl:1:1: error"; err_has "d/log.jsonl: 2 more lines of no known API"; err_lacks "log.jsonl:2:"
    cp d/r.json one.jsonl; reply gpt-4o >>one.jsonl; run "$cando" check one.jsonl; exits 3; err_has "one.jsonl:2:1: error"; err_lacks "more line"
}
test_nobodys_model_is_told_once() {
    for _ in 1 2 3; do echo '{"model":"my-model","messages":[{"role":"user","content":"Hi"}]}'; done >a.jsonl; head -n 1 a.jsonl >b.json
    run "$cando" check a.jsonl b.json; exits 0; [ "$(grep -c "it asks for 'my-model'" err)" -eq 2 ] || fail "not once a file"; [ "$(grep -c 'hint:' err)" -eq 1 ] || fail "not one hint"
}
test_rates_of_the_past() {
    run "$cando" diff openai/gpt-4o openai/gpt-5.6; exits 0; out_has "input, until 2026-08-20"; out_lacks "flex, until"; out_lacks "input, until 2026-08-20 \$"
}
test_match_leads_on() {
    run "$cando" match tool_bash; exits 2; err_has "cando match --need tool_bash ranks the agent backends"
    run "$cando" match; exits 2; err_has "cando match --need"
    run "$cando" match --need vision; exits 1; err_has "cando pick vision asks it of models"
    run "$cando" match --need tool_bash; exits 0; err_empty
    run "$cando" match copilot --need tool_bash,mcp_client=native; exits 0; out_matches 'native +tool_bash'; out_matches 'native +mcp_client'
    run "$cando" match --need tool_bash,mcp_client=much; exits 2; err_has "no threshold is called 'much'"
    echo '{"model":"gpt-5"}' >o.json; run "$cando" match --order o.json; exits 0; err_has "the order asks for nothing"
    run "$cando" switch openai/gpt-5 --need tool_calling,context_window=900000; exits 1; out_has context_window
}
# The time goes with the rows, not with their square.
test_a_long_list_is_quick() {
    awk 'BEGIN { print "schema = \"cando/rules@1\""; for (i = 0; i < 20000; i++) printf "[[models]]\nprovider = \"acme\"\nid = \"m-%d\"\nset = { price = { input_tokens = \"%d.5\", output_tokens = \"1.25\" } }\n", i, i }' >l.toml
    "$cando" build -o l.snap l.toml >/dev/null; run timeout 8 "$cando" models --rules l.snap; exits 0; [ "$(wc -l <out)" -gt 20000 ] || fail "few models"
}
# The rules of requests that are about a model: API by API, its own first, each said once.
test_show_requests() {
    run "$cando" show anthropic/claude-opus-5; exits 0; out_matches '; --requests: [0-9]+ rules$'
    run "$cando" show anthropic/claude-opus-5 --requests; exits 0; out_matches '^  error    the model has adaptive thinking only; budgets are gone$'; out_matches '^  note     this model thinks unless told not to'; out_lacks "context  "
    [ "$(grep '^requests of' out | head -n 1)" = "requests of anthropic-messages" ] || fail "its own API comes first"; out_has "requests of openai-chat"
    awk '/^requests of/ { api = $0 } /^  / { print api, substr($0, 12) }' out | sort | uniq -d >twice; [ ! -s twice ] || fail "said twice: $(cat twice)"
    run "$cando" show openai/gpt-4o --requests; exits 0; out_lacks "adaptive thinking"; out_has "the model does not reason and refuses reasoning_effort"
    run "$cando" show openai/gpt-4o --requests --json; exits 0; out_has '"rule":"openai-chat-'; out_has '"source":"http'
    run "$cando" show backend/claude --requests; exits 0; out_has "no rule of requests is about such models"
    run "$cando" why openai/gpt-4o max_output; exits 0; [ "$(grep -c 'rule hosts-output-limit (openai-chat)' out)" -eq 1 ] || fail "a rule is told twice"
}
# A few models side by side: what one compares first stands first.
test_matrix_tells_window_and_price() {
    run "$cando" matrix openai/gpt-4o anthropic/claude-opus-4-5; exits 0; out_matches '^context +128,000 +200,000$'; out_matches '^input per M +\$2.50 +\$5.00$'; out_matches '^output per M +\$10.00 +\$25.00$'
    [ "$(grep -n '^context' out | cut -d: -f1)" -lt "$(grep -n '^tool_calling' out | cut -d: -f1)" ] || fail "not first"
    run "$cando" matrix acme/none openai/gpt-4o; exits 0; out_matches '^context +\? +128,000$'
    run "$cando" matrix acme/none; exits 0; out_lacks "context"
    run "$cando" matrix --can tools openai/gpt-4o; exits 0; out_lacks "context"; run "$cando" matrix --backends; exits 0; out_lacks "per M"
    run "$cando" matrix --markdown openai/gpt-4o; exits 0; out_lacks "per M"
}
test_a_provider_among_the_words() {
    run "$cando" models openai; exits 0; err_has "note: 'openai' was looked for in names; its own alone: --provider openai"
    run "$cando" models --provider openai; exits 0; err_lacks "note:"; run "$cando" models gpt-5; exits 0; err_lacks "note:"; run "$cando" models openai --json; exits 0; err_lacks "note:"
}
test_a_name_of_ones_own() {
    echo '{"model":"prod-chat","messages":[{"role":"user","content":"Hi"}]}' >r.json
    run "$cando" check azure/prod-chat r.json; exits 0; out_has "what you call one yourself goes into cando.toml (cando init)"
    printf 'schema = "cando/rules@1"\n[aliases]\n"azure/prod-chat" = "openai/gpt-4o"\n' >cando.toml; run "$cando" check azure/prod-chat r.json; exits 0; out_lacks "model-unknown"
}
test_one_of_several_words_is_mistyped() {
    run "$cando" models claude sonnnet; exits 1; out_empty; err_has "nothing has 'sonnnet' as well; did you mean 'sonnet'?"
    run "$cando" models clude sonnet; exits 1; err_has "did you mean 'claude'?"; run "$cando" models claude sonent; exits 1; err_has "did you mean 'sonnet'?"
    run "$cando" models claude zzzzzz; exits 1; err_lacks "did you mean"
    run "$cando" negotiate; exits 2; err_has "did you mean 'cando switch'?"; run "$cando" preflight r.json; exits 2; err_has "did you mean 'cando check'?"
}
test_why_is_a_summary() {
    run "$cando" why openai/gpt-5; exits 0; [ "$(grep -c 'near miss' out)" -eq 3 ] || fail "not three near misses"; out_matches '^    and [0-9]+ more: --all$'
    run "$cando" why --all openai/gpt-5; exits 0; [ "$(sed -n '/^nearly applied/,$p' out | grep -c 'near miss')" -gt 3 ] || fail "not all of them"; out_lacks "more: --all"
}
# What the README has, in the order in which somebody reads who has never heard of it.
test_readme_order() {
    readme=$here/../../README.md
    grep -n '^!\[\|^## Against\|^## Install\|^## The five jobs\|^## From JavaScript\|^## And more' "$readme" | sed 's/^[0-9]*://; s/^!.*/picture/; s/^## //' >have
    printf '%s\n' picture "Against the lists that you may use now" Install "The five jobs" "From JavaScript, Python and C" "And more" | cmp -s - have || fail "$(cat have)"
    [ "$(grep -n '^!\[' "$readme" | cut -d: -f1)" -le 24 ] || fail "the picture is not on the first screen"
    for job in Check Fix Cost Pick Switch; do sed -n '/^## The five jobs/,/^## From/p' "$readme" | grep -q "^\*\*$job\.\*\*" || fail "no job: $job"; done
    grep -q '](docs/requests.md)' "$readme" || fail "no link to the language of rules"
}
test_show_of_a_field() {
    run "$cando" show openai/gpt-4o context; exits 2; err_has "cando why openai/gpt-4o context tells of one field"
    run "$cando" show gpt-4o max_output; exits 2; err_has "cando why gpt-4o max_output tells of one field"; run "$cando" show openai gpt-5; exits 2; err_has "cando show openai/gpt-5"
}
test_a_request_is_the_body_alone() {
    echo "curl https://api.openai.com/v1/chat/completions -d '{}'" >c.txt; run "$cando" check c.txt; exits 3; err_has "c.txt:1:1: error"; err_has "hint: a request is JSON, as it is sent: the body alone"
}
# A name as routers have it: who routes is asked for, and told.
test_a_request_to_a_router() {
    echo '{"model":"anthropic/claude-opus-5","messages":[{"role":"user","content":"Hi"}]}' >r.json
    run "$cando" check r.json; exits 0; err_has "--provider NAME says whose router it goes to"
    run "$cando" check --provider openrouter r.json; exits 0; err_has "; judged for openrouter/anthropic/claude-opus-5"; err_lacks "hint:"
    echo '{"model":"my-model","messages":[{"role":"user","content":"Hi"}]}' >r.json; run "$cando" check r.json; err_has "goes into cando.toml"; err_lacks "router"
}

test_make_run_fits_two_screens() {
    "$here/../../scripts/demo.sh" "$cando" >demo
    fold -w 80 demo >folded
    lines=$(wc -l <folded)
    [ "$lines" -le 48 ] || fail "make run prints $lines lines of 80 columns, two screens have 48"
}
