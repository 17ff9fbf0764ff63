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
