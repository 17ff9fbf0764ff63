# cando batch: the envelope, and the conversation over pipes.

# ask LINE...: one reply a line in the file out
ask() { ask_with 0 "$@"; }
# ask_with CODE LINE...: the same with this exit code; 3 is for lines that cannot be read
ask_with() { local code=$1; shift; printf '%s\n' "$@" >in; rc=0; "$cando" batch <in >out 2>err || rc=$?; exits "$code"; err_empty; }
# holds EXPRESSION: over the list r of all replies
holds() { python3 -c "import json; r = [json.loads(l) for l in open('out')]; assert $1, r" || fail "want $1"; }

test_id_is_echoed() {
    ask '{"op":"explain","id":7,"code":"io"}' '{"op":"explain","code":"io"}' '{"op":"explain","id":null,"code":"io"}' \
        '{"op":"explain","id":"a\u00e4\"","code":"io"}' '{"op":"explain","id":{"a":[1,2.50]},"code":"io"}' '{"op":"explain","id":-0.5e3,"code":"io"}'
    holds '[x["id"] for x in r] == [7, None, None, "a\u00e4\"", {"a": [1, 2.5]}, -500]'
    holds 'all(x["ok"] is True for x in r)'
}
test_broken_line_and_on() {
    ask_with 3 '{"op":' '[1]' '{"op":"explain","id":2,"code":"io"}'
    holds 'len(r) == 3 and r[0]["id"] is None and r[0]["ok"] is False and r[0]["error"]["code"] == "json-syntax"'
    holds 'r[1]["ok"] is False and r[2]["id"] == 2 and r[2]["ok"] is True'
}
test_unknown_op_is_suggested() {
    ask '{"op":"resolv","id":8}'; holds 'r[0]["id"] == 8 and r[0]["error"]["code"] == "unknown-op" and "resolve" in r[0]["error"]["hint"]'
}
test_missing_op() { ask '{"id":1}'; holds 'r[0]["id"] == 1 and r[0]["ok"] is False and r[0]["error"]["code"] == "missing-argument"'; }
test_unknown_argument() {
    ask '{"op":"resolve","id":1,"target":"openai/gpt-5","vieww":"nika"}'
    holds 'r[0]["error"]["code"] == "unknown-argument" and r[0]["error"]["at"] == "/vieww" and "view" in r[0]["error"]["hint"]'
}
test_wrong_type() { ask '{"op":"resolve","id":1,"target":5}'; holds 'r[0]["ok"] is False and r[0]["error"]["at"] == "/target"'; }
test_duplicate_key() { ask_with 3 '{"op":"explain","id":1,"code":"io","code":"io"}'; holds 'r[0]["ok"] is False and r[0]["error"]["code"] == "json-duplicate-key"'; }
test_empty_lines_are_passed_over() { ask '' '   ' '{"op":"explain","id":1,"code":"io"}' ''; holds 'len(r) == 1'; }
test_crlf_and_no_last_line_end() {
    printf '{"op":"explain","id":1,"code":"io"}\r\n\r\n{"op":"explain","id":2,"code":"io"}' >in
    run "$cando" batch <in; exits 0; err_empty; holds '[x["id"] for x in r] == [1, 2]'
}
test_empty_input() { run "$cando" batch </dev/null; exits 0; out_empty; err_empty; }
test_order_of_many() {
    for i in $(seq 1 2000); do echo "{\"op\":\"model_id\",\"id\":$i,\"model\":\"gpt-5-$i\"}"; done >in
    run "$cando" batch <in; exits 0; holds '[x["id"] for x in r] == list(range(1, 2001))'
}
test_over_long_line_and_on() {
    { printf '{"op":"explain","id":1,"code":"'; head -c 68000000 /dev/zero | tr '\0' x; printf '"}\n{"op":"explain","id":2,"code":"io"}\n'; } >in
    run "$cando" batch <in; exits 3
    holds 'len(r) == 2 and r[0]["ok"] is False and r[0]["error"]["code"] == "too-long" and r[0]["id"] is None and r[1]["id"] == 2'
}
test_over_long_last_line() {
    head -c 68000000 /dev/zero | tr '\0' x >in
    run "$cando" batch <in; exits 3; holds 'len(r) == 1 and r[0]["error"]["code"] == "too-long"'
}
test_nul_bytes() { printf '{"op":"expl\0ain"}\n{"op":"explain","id":2,"code":"io"}\n' >in; run "$cando" batch <in; exits 3; holds 'r[0]["ok"] is False and r[1]["ok"] is True'; }

# The reply comes while the input is still open; a program that waited for more would hang here.
test_conversation() {
    coproc talk { timeout 20 "$cando" batch; }
    for i in 1 2 3; do
        echo "{\"op\":\"explain\",\"id\":$i,\"code\":\"io\"}" >&"${talk[1]}"
        IFS= read -r -t 20 line <&"${talk[0]}" || fail "no reply while the input is open"
        case "$line" in "{\"id\":$i,"*) ;; *) fail "got $line" ;; esac
    done
}
test_reader_goes_away() {
    for i in $(seq 1 20000); do echo '{"op":"explain","id":1,"code":"io"}'; done >in
    timeout 20 "$cando" batch <in 2>err | head -n 1 >out
    [ "${PIPESTATUS[0]}" -ne 124 ] || fail "hangs"; err_empty; [ "$(wc -l <out)" -eq 1 ] || fail "want one line"
}
test_operands_are_refused() { run "$cando" batch in.jsonl </dev/null; exits 2; out_empty; }

rules() { cat >a.toml <<'T'
schema = "cando/rules@1"
[[rules]]
name = "one"
match = "one-*"
set = { tool_calling = "native", reasoning = "native" }
T
cat >o.toml <<'T'
schema = "cando/rules@1"
[[rules]]
name = "ours"
match = "*"
set = { tool_calling = "unsupported" }
T
}
test_rules_option() {
    rules; echo '{"op":"resolve","target":"acme/one-x"}' >in
    run "$cando" batch --rules a.toml <in; exits 0; holds 'r[0]["result"]["fields"]["tool_calling"] == "native"'
    run "$cando" batch --rules a.toml --overlay o.toml <in; exits 0
    holds 'r[0]["result"]["fields"]["tool_calling"] == "unsupported" and r[0]["result"]["fields"]["reasoning"] == "native"'
}
test_overlay_on_the_builtin_catalog() {
    rules
    printf '%s\n' '{"op":"resolve","id":1,"target":"acme/one-x"}' ' {"op":"explain","id":2,"code":"io"}' '{"op":"resolve","id":3,"target":"acme/one-x","overlay":[]}' '{"op":' >in
    run "$cando" batch --overlay o.toml <in; exits 3
    holds 'r[0]["result"]["fields"]["tool_calling"] == "unsupported" and r[1]["ok"] is True and r[3]["ok"] is False'
}
test_no_builtin_option() {
    echo '{"op":"resolve","target":"anthropic/claude-opus-4-5"}' >in
    run "$cando" batch --no-builtin <in; exits 0; holds 'r[0]["result"]["identity"] == "default"'
}
test_broken_rules_option() { echo 'x = = 1' >a.toml; run "$cando" batch --rules a.toml </dev/null; exits 3; out_empty; err_matches '^a\.toml:1:5: error: '; }

test_wrong_question_is_read() { ask '{"op":"nope"}'; holds 'r[0]["ok"] is False'; }
test_byte_order_mark_is_passed_over() { printf '\xef\xbb\xbf{"op":"explain","id":1,"code":"io"}\n' >in; run "$cando" batch <in; exits 0; holds 'r[0]["ok"]'; }

test_a_model_without_its_provider_is_told_who_has_it() {
    for question in '"op":"learn","error":"x"' '"op":"conflicts"' '"op":"resolve"'; do
        printf '{%s,"target":"gpt-4o"}\n' "$question" >in
        run "$cando" batch <in
        out_has '"hint":"it is offered as '
        out_has "openai/gpt-4o"
    done
}
