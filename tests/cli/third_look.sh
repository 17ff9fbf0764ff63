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
    a='{"model":"claude-haiku-4-5","max_tokens":100,"messages":[{"role":"user","content":"Hi"}]}'
    printf '{"custom_id":"1","params":%s}\n' "$a" "$a" >batch.jsonl
    run "$cando" cost batch.jsonl; exits 0; out_has "anthropic/claude-haiku-4-5 (batch)"
    printf '%s\n' "$body" "$a" >plain.jsonl
    run "$cando" cost plain.jsonl; exits 0; out_has "openai/gpt-4o-mini "; out_has "anthropic/claude-haiku-4-5 "; out_lacks "(batch)"
    run "$cando" cost plain.jsonl --tier batch --compare openai/gpt-4o; exits 0; out_has "the same requests at"
    run "$cando" cost plain.jsonl --csv; exits 0; out_has "target,requests,input_tokens,output_tokens,low,expected,high,unknown"
    run "$cando" cost plain.jsonl --by model; exits 2; err_has "a request has no date"
    run "$cando" cost plain.jsonl --budget 0.0000001; exits 1; err_has "over the budget"
    printf 'no json\n' >>plain.jsonl; run "$cando" cost plain.jsonl; exits 3; err_has "plain.jsonl:3:"
    request a.json; request b.json gpt-4o
    run "$cando" cost a.json b.json; exits 0; out_has "2 requests will cost about"
    printf '{"id":"c","object":"chat.completion","created":1793000000,"model":"gpt-4o-mini","choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":0,"total_tokens":1000}}' >reply.json
    run "$cando" cost a.json reply.json; exits 2; err_has "requests and replies"
    printf '%s' "$a" >one.json; run "$cando" cost one.json; exits 0; out_has "anthropic/claude-haiku-4-5: what this request will cost (anthropic-messages)"
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
    run "$cando" matrix gpt-4o; exits 0; out_has "openai/gpt-4o"
    for verb in show why "check -q" "cost" "fix" "switch"; do
        case $verb in check*|cost|fix) set -- llama-3.3-70b r.json ;; *) set -- llama-3.3-70b ;; esac
        # shellcheck disable=SC2086
        run "$cando" $verb "$@"; exits 2; out_empty; err_has "it is offered as"; err_has "    groq/llama-3.3-70b-versatile"
    done
    run "$cando" show o1-mini-x; exits 2; err_lacks "taken as"
}
