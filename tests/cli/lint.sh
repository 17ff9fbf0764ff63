# cando lint: findings with places and carets.

good() { cat >"$1" <<'T'
schema = "cando/rules@1"

[[providers]]
id = "acme"

[[rules]]
name = "acme-one"
providers = "acme"
match = "one-*"
set = { tool_calling = "native" }
source = "https://acme.example/docs"
checked = 2026-01-02
T
}

test_clean_file() { good a.toml; run "$cando" lint a.toml; exits 0; out_empty; err_has "no findings"; }

test_syntax_error_has_a_caret() {
    printf 'schema = "cando/rules@1"\nname = = 1\n' >a.toml
    run "$cando" lint a.toml; exits 1; out_matches '^a\.toml:2:8: error: .*\[toml-syntax\]$'
    grep -A 2 '^a.toml:2:8' out >part
    [ "$(sed -n 2p part)" = "    name = = 1" ] || fail "want the line"
    [ "$(sed -n 3p part)" = "           ^" ] || fail "want the caret below the second ="
    err_has "1 error"
}
test_unknown_key_is_underlined_and_suggested() {
    good a.toml; sed -i 's/tool_calling/tool_caling/' a.toml
    run "$cando" lint a.toml; exits 1; out_matches '^a\.toml:10:[0-9]+: error: .*\[unknown-key\]$'
    out_matches '^ +\^~{10}$'; out_has "hint: "; out_has "tool_calling"
}
test_caret_under_wide_text() {
    printf 'schema = "cando/rules@1"\n\t"キー" = = 1\n' >a.toml
    run "$cando" lint a.toml; exits 1
    line=$(grep -n '"キー"' out | cut -d: -f1)
    # tab 4 + quote 1 + two wide characters 4 + `" = ` 4
    [ "$(sed -n "$((line + 1))p" out)" = "$(printf '%17s^' '')" ] || fail "want the caret 13 columns in"
}
test_control_characters_do_not_reach_the_terminal() {
    printf 'schema = "cando/rules@1"\nx\033[31m = = 1\n' >a.toml
    run "$cando" lint a.toml; exits 1; ! grep -q $'\033' out || fail "an escape went through"
}
test_warnings_pass_unless_strict() {
    cat >a.toml <<'T'
schema = "cando/rules@1"
resolution = "first-match"
[[rules]]
name = "all"
match = "a*"
set = { tool_calling = "native" }
source = "x"
[[rules]]
name = "some"
match = "ab*"
set = { tool_calling = "unsupported" }
source = "x"
T
    run "$cando" lint a.toml; exits 0; out_has "[rule-shadowed]"; err_matches '1 warning'
    run "$cando" lint --strict a.toml; exits 1
}
test_json() {
    printf 'schema = "cando/rules@1"\nname = = 1\n' >a.toml
    run "$cando" lint --json a.toml; exits 1; err_empty
    python3 -c 'import json; r = json.load(open("out")); f = r["findings"][0]
assert r["errors"] == 1 and f["code"] == "toml-syntax" and (f["line"], f["column"], f["file"]) == (2, 8, "a.toml")' || fail "not as wanted"
}
test_standard_input() { rc=0; printf 'x = \n' | "$cando" lint - >out 2>err || rc=$?; exits 1; out_matches '^<stdin>:1:'; }
test_missing_file() { run "$cando" lint nowhere.toml; exits 3; out_empty; err_has nowhere.toml; err_has "[io]"; }
test_unreadable_file() {
    [ "$(id -u)" -ne 0 ] || return 0
    good a.toml; chmod 000 a.toml; run "$cando" lint a.toml; exits 3; out_empty; err_has "[io]"
}
test_folder() { mkdir -p d/sub; good d/a.toml; printf 'x = = 1\n' >d/sub/b.toml; run "$cando" lint d; exits 1; out_matches '^d/sub/b\.toml:1:'; }
test_empty_folder() { mkdir d; run "$cando" lint d; exits 3; err_has "[no-sources]"; }
test_two_files_are_one_set() {
    good a.toml; good b.toml; run "$cando" lint a.toml b.toml; exits 1; out_has "[duplicate-name]"
}

test_builtin_providers_are_known() {
    printf 'schema = "cando/rules@1"\n[[providers]]\nid = "mygw"\ndialect = "openai-chat"\n[[rules]]\nproviders = ["openai", "mygw"]\nmatch = "gpt-6*"\nset = { temperature = "unsupported" }\nsource = "https://x.example"\n' >p.toml
    run "$cando" lint p.toml; exits 0; err_has "no findings"
    printf '[policy]\ndeny = ["anthropc/*"]\n' >>p.toml
    run "$cando" lint p.toml; exits 0; out_has "did you mean 'anthropic'?"
}
test_providers_that_are_nearly_known() {
    printf 'schema = "cando/rules@1"\n[[rules]]\nproviders = ["opnai"]\nmatch = "gpt-6*"\nset = { temperature = "unsupported" }\nsource = "https://x.example"\n' >p.toml
    run "$cando" lint p.toml; exits 0; out_has "p.toml:3:14: warning: no provider is called 'opnai' [provider-unknown]"; out_has "did you mean 'openai'?"
    sed -i 's/opnai/our-own-gateway/' p.toml; run "$cando" lint p.toml; exits 0; err_has "no findings"
}
test_pattern_with_a_vendor() {
    printf 'schema = "cando/rules@1"\n[[rules]]\nproviders = ["groq"]\nmatch = "qwen/qwen3-32b"\nset = { temperature = "unsupported" }\nsource = "https://x.example"\n' >q.toml
    run "$cando" lint q.toml; exits 0; out_has "q.toml:4:9: warning"; out_has "[pattern-vendor]"; out_has 'write "qwen3-32b"'
    run "$cando" why --overlay q.toml groq/qwen/qwen3-32b temperature; exits 0; out_matches "near miss +unsupported by rule at q.toml:2 .*is compared with 'qwen3-32b'"
    sed -i 's/^match.*/match = "qwen\/*"/' q.toml; run "$cando" lint q.toml; out_has "[pattern-vendor]"
    for ok in '"qwen3-32b"' '"*\/qwen3"' '"qwen\/qwen3-32b"\non = "id"' '"nobody-knows\/x"'; do
        sed "s/^match.*/match = $ok/" q.toml >ok.toml; run "$cando" lint ok.toml; exits 0; out_lacks "pattern-vendor"
    done
}
test_no_raw_bytes() {
    { printf '\200\377\033[31m\001'; seq 300 | awk '{ printf "%c", 128 + $1 % 100 }'; } >raw.toml; printf 'schema = "cando/rules@1"\nx = "a\x80\033[31mb"\n' >esc.toml
    for f in raw.toml esc.toml; do
        run "$cando" lint $f; exits 1; ! LC_ALL=C grep -q '[^ -~]' out || fail "bytes that are no text"
        [ "$(wc -l <out)" -le 2 ] || fail "an excerpt of no text"
    done
    { printf 'schema = "cando/rules@1"\nx = "'; head -c 5000 /dev/zero | tr '\0' a; printf '"\n'; } >long.toml
    run "$cando" lint long.toml; exits 1; [ "$(wc -L <out)" -le 160 ] || fail "an endless line"
}
