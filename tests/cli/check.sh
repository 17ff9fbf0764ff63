# cando check and cando fix: requests in files.

request() { cat >"$1" <<'T'
{
  "model": "gpt-5",
  "messages": [{"role": "user", "content": "hi"}],
  "max_tokens": 100,
  "temperature": 0.2
}
T
}

test_check_good() {
    printf '{"model":"m","messages":[{"role":"user","content":"hi"}]}' >a.json
    run "$cando" check openai/gpt-4o a.json; exits 0; out_empty; err_has "no findings"
}
test_check_bad_has_carets() {
    request a.json; run "$cando" check openai/gpt-5 a.json; exits 1
    out_matches '^a\.json:4:17: error: .*\[parameter-renamed\]$'; out_matches '^a\.json:5:18: error: .*\[parameter-unsupported\]$'
    out_has '      "max_tokens": 100,'; out_matches '^ +\^~~$'; out_has 'at /max_tokens'; err_has "2 errors"
}
test_check_json() { request a.json; run "$cando" check --json openai/gpt-5 a.json; exits 1; out_has '"verdict":"reject"'; }
test_check_stdin() { printf "{\"messages\":[]}" >a.json; run "$cando" check openai/gpt-4o - <a.json; exits 1; out_has "<stdin>:1:13"; }
test_check_no_model() { printf '{"messages":[{"role":"user","content":"x"}],"temperature":3}' >a.json; run "$cando" check - a.json; exits 1; out_has value-out-of-range; }
test_check_broken_json() { printf '{\n "a": tru\n}' >a.json; run "$cando" check openai/gpt-4o a.json; exits 3; err_has "json-syntax"; err_has "a.json:2:7"; }
test_check_long_line() {
    printf '{"messages":[{"role":"user","content":"%05000d"}],"temperature":9}' 0 >a.json
    run "$cando" check openai/gpt-4o a.json; exits 1; [ "$(wc -c <out)" -lt 600 ] || fail "the whole line is shown"
}
test_check_several() {
    request a.json; printf '{"messages":[{"role":"user","content":"x"}]}' >b.json
    run "$cando" check openai/gpt-5 b.json a.json; exits 1; out_has "a.json:4"
}
test_check_strict() {
    printf '{"messages":[{"role":"user","content":"x"}]}' >a.json # its end is announced: a warning
    run "$cando" check --at 2026-11-01 openai/gpt-4o a.json; exits 0
    run "$cando" check --at 2026-11-01 --strict openai/gpt-4o a.json; exits 1
}
test_check_missing_file() { run "$cando" check openai/gpt-4o nothing.json; exits 3; err_has nothing.json; }
test_check_stdin_is_the_request() { printf '{"messages":[]}' >a.json; run "$cando" check openai/gpt-4o <a.json; exits 1; out_has "<stdin>:1:13"; }
test_check_names_its_model() {
    request a.json; run "$cando" check a.json; exits 1; out_has parameter-renamed; err_has "a.json: 2 errors"
    run "$cando" check --provider opnai a.json; exits 0; out_has "did you mean 'openai'"
    run "$cando" check --provider opnai --strict a.json; exits 1
}
test_check_file_beats_model() { mkdir openai; request openai/gpt-4o; run "$cando" check openai/gpt-4o; exits 1; out_has "openai/gpt-4o:4"; }
test_check_at() {
    printf '{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}' >a.json
    run "$cando" check --at 2026-11-01 a.json; exits 0; out_has model-deprecated
    run "$cando" check --at 2026-11-01 --max-warnings 0 a.json; exits 1
    run "$cando" check --at 2026-11-01 --max-warnings 1 a.json; exits 0
    run "$cando" check --at soon a.json; exits 2; err_has "is no day"
}
test_check_wrong_name() { run "$cando" check nothing.json; exits 3; err_has nothing.json; }

test_fix_safe_keeps_other_bytes() {
    printf '{ "max_tokens":5,\n\t"messages" : [{"role":"user","content":"\\u0041"}] }' >a.json
    run "$cando" fix openai/gpt-5 a.json; exits 0
    [ "$(cat out)" = "$(printf '{ "max_completion_tokens":5,\n\t"messages" : [{"role":"user","content":"\\u0041"}] }')" ] || fail "other bytes changed"
    err_has "/max_tokens to /max_completion_tokens"
}
test_fix_refuses_without_lossy() { request a.json; run "$cando" fix openai/gpt-5 a.json; exits 1; out_has temperature; err_has "would still be refused: 1 error left"; }
test_fix_lossy() {
    request a.json; run "$cando" fix --lossy openai/gpt-5 a.json; exits 0; out_has max_completion_tokens; out_lacks temperature
    err_has "remove /temperature"; cp out b.json; run "$cando" check openai/gpt-5 b.json; exits 0
}
test_fix_in_place() { request a.json; run "$cando" fix --lossy --in-place openai/gpt-5 a.json; exits 0; out_empty; grep -q max_completion_tokens a.json || fail "not written"; }
test_fix_keeps_mode_and_link() {
    request a.json; chmod 640 a.json; ln -s a.json l.json
    run "$cando" fix --lossy --in-place openai/gpt-5 l.json; exits 0
    [ -L l.json ] || fail "the link is gone"; grep -q max_completion_tokens a.json || fail "not written"
    [ "$(stat -c %a a.json)" = 640 ] || fail "mode $(stat -c %a a.json)"
    (umask 077; "$cando" fix --lossy -o new.json openai/gpt-5 a.json) 2>err || fail "not written"
    [ "$(stat -c %a new.json)" = 600 ] || fail "mode $(stat -c %a new.json)"
}
test_fix_writes_to_what_is_no_file() {
    request a.json; mkfifo p; timeout 20 cat p >got & "$cando" fix --lossy -o p openai/gpt-5 a.json 2>err; wait
    [ -p p ] || fail "the pipe was replaced"; grep -q max_completion_tokens got || fail "nothing came"
}
test_fix_allow() {
    request a.json; run "$cando" fix --allow parameter-unsupported openai/gpt-5 a.json; exits 0; out_lacks temperature
    run "$cando" fix --allow value-unsupported openai/gpt-5 a.json; exits 1; out_has temperature
    err_has "left /temperature: "; err_has "--allow parameter-unsupported would do it"; err_has "--lossy would do all of it"
    run "$cando" fix --allow parameter-unsuported openai/gpt-5 a.json; exits 2; err_has "did you mean 'parameter-unsupported'"
}
test_fix_example() {
    cp "$here/../../examples/request.json" r.json; run "$cando" fix --lossy --in-place openai/gpt-5 r.json; exits 0
    err_has '/reasoning_effort = "minimal"'; err_has "left /model: "
    run "$cando" check --at 2026-01-01 openai/gpt-5 r.json; exits 0; out_lacks error
}
test_fix_note() {
    printf '{"model":"o3","messages":[{"role":"system","content":"a"},{"role":"user","content":"b"}]}' >a.json
    run "$cando" check --at 2026-01-01 openai/o3 a.json; exits 0; out_has "(cando fix --allow role-unsupported does it)"
    run "$cando" fix --at 2026-01-01 openai/o3 a.json; exits 0; out_has system; err_has "nothing to repair"; err_has "--allow role-unsupported would do it"
    run "$cando" fix --allow role-unsupported openai/o3 a.json; exits 0; out_has developer
}
test_fix_nothing() { printf '{"messages":[{"role":"user","content":"x"}]}' >a.json; run "$cando" fix openai/gpt-4o a.json; exits 0; err_has "nothing to repair"; }
test_check_rules_of_ones_own() {
    printf 'schema = "cando/rules@1"\n[[rules]]\nmatch = "m"\nevidence = "live-test"\nset = { tool_calling = "unsupported" }\n' >r.toml
    echo '{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f"}}]}' >q.json
    run "$cando" check --rules r.toml p/m q.json
    out_has "[capability-unsupported]"
    run "$cando" check --no-builtin p/m q.json
    exits 0
}
# What is no conversation is told by its name, and not checked.
test_request_of_an_api_that_is_not_checked() {
    echo '{"model":"llama3.2","prompt":"hi","stream":false,"options":{"temperature":0}}' >r.json
    run "$cando" check ollama/llama3.2 r.json; exits 3; err_has "this is a request of another API, Ollama's /api/generate, which is not checked [unknown-shape]"
    echo '{"model":"gpt-3.5-turbo-instruct","prompt":"hi","max_tokens":5}' >r.json
    run "$cando" check r.json; exits 3; err_has "/v1/completions"
    echo '{"model":"gpt-image-1","prompt":"a cat","size":"1024x1024"}' >r.json
    run "$cando" check r.json; exits 3; err_has "of no known dialect"
}
