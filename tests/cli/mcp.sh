# cando mcp: what a person may type; messages are the matter of tests/mcp/wire.py.

test_call_prints_the_words() {
    run "$cando" mcp --call can_it '{"target":"openai/gpt-4o","capabilities":["function calling"]}'; exits 0; err_empty
    out_has 'tool_calling: native ('
}
test_call_without_arguments() { run "$cando" mcp --call what_retires; exits 0; err_empty; out_has 'as of '; }
test_call_that_is_wrong() {
    run "$cando" mcp --call can_it '{"target":"gpt-4o"}'; exits 2; err_empty; out_has 'openai/gpt-4o'; out_has 'code: unknown-target'
    run "$cando" mcp --call can_it; exits 2; out_has "needs 'target'"
}
test_call_of_nothing() {
    run "$cando" mcp --call chek_request '{}'; exits 2; out_empty; err_has "did you mean 'check_request'?"
    run "$cando" mcp --call 'a"b\'; exits 2; out_empty; err_has 'there is no tool'
}
test_call_with_broken_arguments() {
    for args in '{' '[]' '7' '{"a":1}}' '{},"id":2'; do run "$cando" mcp --call can_it "$args"; exits 2; done
}
test_operand_without_call() { run "$cando" mcp file.json </dev/null; exits 2; out_empty; err_has 'standard input'; }
test_words_are_safe() {
    run "$cando" mcp --call can_it '{"target":"openai/x\u001b[31m\u0007"}'; ! grep -q "$(printf '\033')" out err || fail "an escape sequence"
}
test_end_of_input() { run "$cando" mcp </dev/null; exits 0; out_empty; err_empty; }
