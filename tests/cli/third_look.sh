# What a third newcomer stumbled over, with the help alone: nothing waits in silence, a name is understood wherever it stands,
# and what is printed fits a screen.

request() { printf '{"model":"%s","messages":[{"role":"user","content":"Hi"}],"max_completion_tokens":10}' "${2:-gpt-5}" >"$1"; }
# on COLUMNS COMMAND...: on a terminal of that many columns; what it prints, without colours, in `out`
on() {
    local columns=$1; shift
    NO_COLOR=1 TERM=xterm script -qec "stty cols $columns; $*" /dev/null </dev/null 2>&1 | tr -d '\r' >out || true
}
terminal() { command -v script >/dev/null; }

test_a_folder_that_is_not_there() {
    request r.json
    for name in promts/ ./promts nowhere/a.txt promts/a ~x; do
        run timeout 20 "$cando" check --strict $name </dev/null; exits 3; out_empty; err_has "cannot open $name: No such file or directory"
    done
    run "$cando" check openai/gpt-5 <r.json; exits 0; err_has "judged for openai/gpt-5"
    run "$cando" check promts/ r.json; exits 3; err_has "cannot open promts/"
    run "$cando" fix promts/ r.json; exits 3; err_has "cannot open promts/"
    run "$cando" cost promts/; exits 3; err_has "cannot open promts/"
    mkdir here; run "$cando" cost here; exits 3; err_has "is a folder"
}
test_the_terminal_is_read_aloud() {
    terminal || return 0
    request r.json
    on 80 "'$cando' check openai/gpt-5"; out_has "it is read from the terminal"
    on 80 "'$cando' cost -"; out_has "it is read from the terminal"
    on 80 "'$cando' cost"; out_has "of which request, reply or log?"
    run "$cando" check openai/gpt-5 <r.json; err_lacks "terminal"
}
test_compare_takes_a_list() {
    request r.json
    run "$cando" cost r.json --compare openai/gpt-4o,anthropic/claude-opus-5; exits 0; out_matches '^  openai/gpt-4o +[0-9]+ +\$'; out_matches '^  anthropic/claude-opus-5 +[0-9]+ +\$'
    run "$cando" cost r.json --compare openai/gpt-4o,anthropic/claude-sonet-5; exits 1; err_has "did you mean 'claude-sonnet-5'?"
    run "$cando" cost r.json --compare nobody/x; exits 1; err_has "nobody"
    run "$cando" cost openai/gpt-5 anthropic/claude-opus-5 r.json; exits 2; err_has "--compare anthropic/claude-opus-5"
    run "$cando" cost --target openai/gpt-5 anthropic/claude-opus-5 r.json; exits 2; err_has "--compare anthropic/claude-opus-5"
    run "$cando" cost r.json --json --compare openai/gpt-4o,openai/gpt-4o-mini; exits 0; [ "$(wc -l <out)" = 1 ] || fail "more than one object"
    python3 -c 'import json; r=json.load(open("out")); assert [x["target"] for x in r["compare"]] == ["openai/gpt-4o","openai/gpt-4o-mini"], r; assert r["total_cost"]' || fail "compare"
    printf '{"id":"c","object":"chat.completion","created":1793000000,"model":"gpt-4o-mini","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":0,"total_tokens":1000}}' >reply.json
    run "$cando" cost --provider openai reply.json --json --compare openai/gpt-4o; exits 0
    python3 -c 'import json; r=json.load(open("out")); assert r["compare"][0]["total_cost"] == "0.0025", r' || fail "compare"
    run "$cando" cost --provider openai reply.json --compare openai/gtp-4o; exits 1
}
test_cost_of_a_batch_file() {
    body='{"model":"gpt-4o-mini","messages":[{"role":"user","content":"Hi"}],"max_tokens":1000000}'
    printf '{"custom_id":"1","method":"POST","url":"/v1/chat/completions","body":%s}\n' "$body" "$body" >batch.jsonl
    run "$cando" cost batch.jsonl; exits 0; out_has "openai/gpt-4o-mini (batch)"; out_has "2 requests will cost about"; out_has "500 tokens"
    run "$cando" cost batch.jsonl --output 1000000 --json; exits 0
    python3 -c 'import json; r=json.load(open("out")); assert r["requests"] == 2 and r["models"][0]["service_tier"] == "batch" and abs(float(r["high"]) - 0.0098) < 0.0002, r' || fail "sum"
    a='{"model":"claude-opus-5-5","max_tokens":100,"messages":[{"role":"user","content":"Hi"}]}'
    printf '{"custom_id":"1","params":%s}\n' "$a" "$a" >batch.jsonl
    run "$cando" cost batch.jsonl; exits 0; out_has "anthropic/claude-opus-5-5 (batch)"
    printf '%s\n' "$body" "$a" >plain.jsonl
    run "$cando" cost plain.jsonl; exits 0; out_has "openai/gpt-4o-mini "; out_has "anthropic/claude-opus-5-5 "; out_lacks "(batch)"
    run "$cando" cost plain.jsonl --tier batch --compare openai/gpt-4o; exits 0; out_has "the same requests at"
    run "$cando" cost plain.jsonl --csv; exits 0; out_has "target,requests,input_tokens,output_tokens,low,expected,high,unknown"
    run "$cando" cost plain.jsonl --by model; exits 2; err_has "a request has no date"
    run "$cando" cost plain.jsonl --budget 0.0000001; exits 1; err_has "over the budget"
    printf 'no json\n' >>plain.jsonl; run "$cando" cost plain.jsonl; exits 3; err_has "plain.jsonl:3:"
    request a.json; request b.json gpt-4o
    run "$cando" cost a.json b.json; exits 0; out_has "2 requests will cost about"
    printf '{"id":"c","object":"chat.completion","created":1793000000,"model":"gpt-4o-mini","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":0,"total_tokens":1000}}' >reply.json
    run "$cando" cost a.json reply.json; exits 2; err_has "requests and replies"
    printf '%s' "$a" >one.json; run "$cando" cost one.json; exits 0; out_has "anthropic/claude-opus-5-5: what this request will cost (anthropic-messages)"
}
test_cost_of_a_plain_text() {
    printf 'Say "hello",\tthen\\more.\n' >prompt.txt
    run "$cando" cost --target openai/gpt-4o prompt.txt; exits 0; err_has "priced in advance as the text of a prompt"; out_has "openai/gpt-4o: what this request will cost"
    run "$cando" cost anthropic/claude-opus-5 prompt.txt; exits 0; out_has "anthropic/claude-opus-5: what"
    run "$cando" cost prompt.txt; exits 3; err_has "cando cost PROVIDER/MODEL FILE"
    printf '{"broken' >x.txt; run "$cando" cost openai/gpt-4o x.txt; exits 3; err_lacks "as the text of a prompt"
}
# A name without its provider is the lab's own, wherever it stands, if exactly one lab has it; else all who have it are listed.
test_a_model_without_its_provider() {
    request r.json gpt-4o
    run "$cando" show gpt-5; exits 0; err_has "note: gpt-5 is taken as openai/gpt-5; others: cando models gpt-5"; out_matches '^openai/gpt-5$'
    run "$cando" why claude-opus-5 temperature; exits 0; err_has "taken as anthropic/claude-opus-5"
    run "$cando" switch gpt-4o claude-opus-5 --need tools; exits 0; out_has "accepted: anthropic/claude-opus-5"; err_has "gpt-4o is taken as openai/gpt-4o"
    run "$cando" check gpt-4o r.json; exits 0; err_has "judged for openai/gpt-4o"
    run "$cando" fix gemini-2.5-flash r.json; err_has "taken as google/gemini-2.5-flash"
    run "$cando" cost --target gpt-4o r.json --compare claude-opus-5; exits 0; out_matches '^  anthropic/claude-opus-5 '
    run "$cando" cost gpt-4o r.json; exits 0; out_has "openai/gpt-4o: what"
    run "$cando" diff gpt-4o gpt-5; exits 0; out_has "openai/gpt-4o -> openai/gpt-5"
    run "$cando" fields gpt-5 tools; exits 0; out_has "openai-chat tools"; run "$cando" fields openai-chat tools; err_empty
    run "$cando" matrix gpt-4o; exits 0; out_has "openai/gpt-4o"
    for verb in show why "check -q" "cost" "fix" "switch"; do
        case $verb in check*|cost|fix) set -- llama-3.3-70b r.json ;; *) set -- llama-3.3-70b ;; esac
        # shellcheck disable=SC2086
        run "$cando" $verb "$@"; exits 2; out_empty; err_has "it is offered as"; err_has "    groq/llama-3.3-70b-versatile"
    done
    run "$cando" show o1-mini-x; exits 2; err_lacks "taken as"
}
test_completion_can_be_found() {
    run "$cando" help; out_matches "^  completion "
    for shell in bash zsh fish; do run "$cando" completion $shell; exits 0; cp out theirs; run "$cando" help --$shell; cmp -s out theirs || fail "two scripts for $shell"; done
    SHELL=/usr/bin/fish run "$cando" completion; exits 0; out_has "fish completion"
    SHELL=/bin/ksh run "$cando" completion; exits 2; err_has "which shell?"
    run "$cando" help --complete cost --tar; exits 0; out_matches '^--target$'
    run "$cando" help --complete -- cost --tar; exits 0; out_matches '^--target$'
}
test_the_daemon_is_a_program_of_its_own() {
    mkdir bin; cp "$cando" bin/cando
    run bin/cando serve; exits 3; err_has "package cando-serve"; err_has "libmicrohttpd-dev"
    run "$cando" help serve; out_has "second program"
}
# Help names nothing that only the sources have.
test_help_needs_no_documents() {
    for v in $("$cando" help | sed -n '/^for example/q; s/^  \([a-z]*\) .*/\1/p') fields; do
        run "$cando" help "$v"; exits 0; out_lacks "docs/"; [ "$(wc -L <out)" -le 80 ] || fail "the help of $v is wider than a screen"
    done
    run "$cando" init; ! grep docs/ cando.toml || fail "a document in cando.toml"
    run "$cando" schema check; exits 2; err_has "'preflight'"; err_has "cando schema --list"
    run "$cando" schema nothing; exits 2; err_has "the operations are: "; err_has "preflight"
    run "$cando" schema --list; exits 0; out_matches '^preflight +will a request be taken'
    run "$cando" help mcp; out_has '{"mcpServers":{"cando":{"command":"cando","args":["mcp"]}}}'
    run "$cando" help match; out_has "cando schema work_order"; out_has "native, emulated"
}
test_how_a_trail_begins() {
    export CANDO_STORE="$PWD/t.db"
    run "$cando" audit; exits 3; err_has "there is no audit trail"; err_has "cando audit"; err_has "add"
    run "$cando" audit add </dev/null; exits 0; out_has "added 0 records"; err_has "nothing to add"; err_has "cando switch --json"
    "$cando" switch openai/gpt-5 --need tools --json 2>err | "$cando" audit add >out; out_has "added 1 record"
    "$cando" help audit | tr '\n' ' ' >out; out_has "cando switch --json"
    run "$cando" help switch; out_has 'CANDO_STORE'
}
test_init_elsewhere() {
    run "$cando" init -o y.toml; exits 0; out_lacks "that it is in force"; out_has "--overlay y.toml"
    run "$cando" init; exits 0; out_has "cando where shows that it is in force"
    mkdir sub; run "$cando" init -o sub/cando.toml; exits 0; out_has "cando where"
}
# The same words everywhere: spans of time, how many, fields and providers.
test_spans_of_time() {
    export CANDO_TODAY=2026-05-31
    run "$cando" models --released-after 3m --csv; exits 0; cp out span; run "$cando" models --released-after 2026-02-28 --csv; cmp -s out span || fail "three months before the last of May"
    run "$cando" models --released-after 1y --csv; exits 0; cp out span; run "$cando" models --released-after 2025-05-31 --csv; cmp -s out span || fail "a year"
    run "$cando" models --released-after 2w --csv; cp out span; run "$cando" models --released-after 14d --csv; cmp -s out span || fail "two weeks"
    for span in 30d 2w 6m 1y; do run "$cando" retiring --within $span; [ $rc -lt 2 ] || fail "--within $span"; done
    run "$cando" retiring --within 1y; cp err span; run "$cando" retiring --within 365; cmp -s err span || fail "within a year"
    printf '{"id":"c","object":"chat.completion","created":1777600000,"model":"gpt-4o-mini","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":0,"total_tokens":1000}}\n' >log.jsonl # the first of May
    run "$cando" cost --provider openai log.jsonl --since 2m; exits 0; out_has "1 reply cost"
    run "$cando" cost --provider openai log.jsonl --since 1w; out_has "of another time left out"
    "$cando" switch openai/gpt-5 --need tools --json 2>err | "$cando" audit add --store t.db >out
    run "$cando" audit --store t.db --since 6m; exits 0; out_has "openai/gpt-5"
    run "$cando" audit --store t.db --since 6x; exits 2; err_has "30d, 2w, 6m or 1y"
}
test_one_word_for_one_thing() {
    for verb in pick models conflicts "matrix --provider openai"; do
        # shellcheck disable=SC2086
        run "$cando" $verb -n 2; exits 0; run "$cando" $verb --limit 2; exits 0
    done
    run "$cando" models --any-provider gpt -n 1; exits 0
    run "$cando" why openai/gpt-5 input_price; exits 0; out_has "price  input"
    run "$cando" why openai/gpt-5 context; exits 0; out_has "context_window  400,000"
    run "$cando" models gpt-5 --columns input_price,context -n 1; exits 0
    run "$cando" conflicts context_window -n 3; exits 0; out_has "context_window"; out_lacks "max_output"
    run "$cando" conflicts openai -n 3; exits 0; out_matches '^openai/'
    run "$cando" conflicts input_price -n 3; exits 0; out_has "price."
}
# What programs read: one line a request, one object a question, and who was asked.
test_json_for_programs() {
    printf '{\n  "model": "gpt-5",\n  "max_tokens": 5,\n  "messages": [{"role": "user", "content": "Hi"}]\n}\n' >r.json
    run "$cando" check --json r.json; exits 1; [ "$(wc -l <out)" = 1 ] || fail "more than a line a request"
    run "$cando" check --json openai/gpt-4o r.json; grep -q '"target":"openai/gpt-4o"' out || fail "no target"
    run "$cando" check --format json openai/gpt-4o r.json; grep -q '"target":"openai/gpt-4o"' out || fail "no target"
    run "$cando" check --format json r.json; grep -q '"target":"openai/gpt-5"' out || fail "no target"
    request d.json gpt-5; run "$cando" check --format sarif d.json; exits 0; out_has '"level":"warning"'
    run "$cando" check --strict --format sarif d.json; exits 1; out_has '"level":"error"'; out_lacks '"level":"warning"'
}
test_a_model_for_a_verb() { run "$cando" gpt-5; exits 2; err_has "cando show gpt-5 shows a model"; run "$cando" gpt-none; exits 2; err_lacks "shows a model"; }
test_python_is_no_json() {
    printf "{'model': 'gpt-4o', 'messages': [{'role': 'user', 'content': 'hi'}]}" >py.json
    for verb in check fix cost; do run "$cando" $verb py.json; [ $rc -ge 2 ] || fail "$verb takes it"; err_has "json.dumps"; done
}
test_show_of_an_unknown_model_is_short() {
    run "$cando" show openai/gtp-4o; exits 0; err_has "did you mean openai/gpt-4o?"; out_lacks "tool_calling"; [ "$(wc -l <out)" -le 3 ] || fail "a page of nothing"
    run "$cando" show openai/gtp-4o --all; exits 0; out_has "tool_calling"
}
test_a_dumb_terminal_gets_no_escapes() {
    terminal || return 0
    request r.json; for i in 1 2 3; do cat r.json; echo; done >r.jsonl
    for what in "check r.jsonl" "cost r.jsonl" "show openai/gpt-5" "models gpt"; do
        CANDO_PROGRESS_MS=0 TERM=dumb script -qec "'$cando' $what" /dev/null </dev/null >out 2>&1
        ! grep -q "$(printf '\033')" out || fail "an escape of $what"
    done
}
test_the_age_is_told_once_a_day() {
    terminal || return 0
    export HOME="$PWD/home" CANDO_TODAY=2026-11-16; mkdir home
    on 80 "'$cando' show openai/gpt-5"; out_has "days old: cando update"
    on 80 "'$cando' show openai/gpt-5"; out_lacks "days old"
    CANDO_TODAY=2026-11-17 on 80 "'$cando' show openai/gpt-5"; out_has "days old"
    rm -rf home; : >home; on 80 "'$cando' show openai/gpt-5"; out_has "days old"; on 80 "'$cando' show openai/gpt-5"; out_has "days old"
}
# Everything fits 80 columns; a pipe gets whole lines, unless COLUMNS says otherwise.
test_lines_fit_a_screen() {
    terminal || return 0
    printf '{"model":"gpt-5","max_tokens":5,"temperature":0.2,"top_k":3,"logit_bias":{"1":1},"messages":[{"role":"user","content":"Hi"}]}' >r.json
    printf '{"id":"c","object":"chat.completion","created":1793000000,"model":"gpt-4o-mini-2024-07-18","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":0,"total_tokens":1000}}\n{"id":"d","object":"chat.completion","created":1793000000,"model":"a-fine-tune-of-ones-own-with-a-long-name","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":0,"total_tokens":1000}}\n' >log.jsonl
    "$cando" switch openai/gpt-4o anthropic/claude-opus-4-5 --need input_audio --json 2>err | "$cando" audit add --store t.db >out
    for what in "check r.json" "check anthropic/claude-opus-5 r.json" "fix --dry-run r.json" "fix --dry-run anthropic/claude-opus-5 r.json" "switch openai/gpt-4o anthropic/claude-opus-5 --request r.json" \
        "switch openai/gpt-4o anthropic/claude-opus-4-5 --need input_audio --need tool_calling" "pick tools vision --why" "pick --request r.json --refused -n 3" "explain" "explain parameter-renamed" where \
        "audit --store t.db" "why openai/gpt-5" "why openai/gpt-5 temperature" "cost --provider openai log.jsonl --by month,model" "cost --provider openai log.jsonl" "help audit" "help key" "matrix --provider openai" \
        "show nothing" "models gpt-4o --columns price,display_name -n 3" "models claude sonnet" "conflicts -n 3" "retiring --within 1m" "schema check" "check promts/"; do
        on 80 "'$cando' $what" ; grep -v 'https\?://\|^    {' out >plain || true
        [ "$(wc -L <plain)" -le 80 ] || fail "$what is wider than a screen: $(awk 'length($0) > 80' plain | head -3)"
    done
    on 80 "'$cando' cost --provider openai log.jsonl --by month,model"; out_has "too narrow for: unpriced; --csv shows all"
    run "$cando" check r.json; out_matches '^r.json:1:[0-9]+: error: the model takes max_completion_tokens in place of max_tokens \[parameter-renamed\]$'
    COLUMNS=60 run "$cando" check r.json; [ "$(grep '^r.json' out | wc -L)" -le 60 ] || fail "COLUMNS is not heeded"
}
