# The files in force: the user's, the project's, --overlay; allow and deny lists; cando where.

user() { mkdir -p c/cando; cat >"c/cando/${1:-mine}.toml"; }
ask() { XDG_CONFIG_HOME=$PWD/c XDG_DATA_HOME=$PWD/d XDG_CACHE_HOME=$PWD/k run "$cando" "$@"; }
rule() { printf 'schema = "cando/rules@1"\n[[rules]]\nname = "%s"\nmatch = "zz-test*"\non = "id"\nset = { context_window = %s, tool_calling = "native" }\nsource = "x"\n' "$1" "$2"; }

test_user_files_in_order_of_name() {
    rule second 2000 | user b; rule first 1000 | user a
    ask show --all openai/zz-test; exits 0; out_matches '^  context_window +2,000$'
    ask why openai/zz-test context_window; out_has "second"; out_has "(user)"
    ask show --all --no-config openai/zz-test; out_lacks 2,000
    ask where; exits 0; out_matches '^ 2  user +.*/c/cando/a.toml +0 errors, 2 warnings$'; out_matches '^ 3  user +.*/c/cando/b.toml +ok$'
}
test_project_over_user() {
    rule mine 1000 | user; rule ours 3000 >cando.toml; rule now 4000 >o.toml
    ask show --all openai/zz-test; out_matches 'context_window +3,000$'
    ask show --all --overlay o.toml openai/zz-test; out_matches 'context_window +4,000$'
    ask where --overlay o.toml --json; exits 0
    python3 -c 'import json; f = json.load(open("out"))["files"]; assert [x["layer"] for x in f] == ["catalog", "user", "project", "project"], f
assert f[0]["path"] == "built-in" and f[3]["path"] == "o.toml"' || fail "not as wanted"
}
test_home_folders() {
    HOME=$PWD/h; mkdir -p h/.config/cando; rule mine 1000 >h/.config/cando/x.toml
    run "$cando" show --all openai/zz-test; out_matches 'context_window +1,000$'
    XDG_CONFIG_HOME=relative run "$cando" show --all openai/zz-test; out_matches 'context_window +1,000$'
    ls h/.cache/cando/*.snap >/dev/null || fail "nothing was kept"
}
test_project_is_looked_for_upwards_in_a_repository() {
    mkdir -p r/.git r/a/b; rule ours 3000 >r/cando.toml
    cd r/a/b; run "$cando" show --all openai/zz-test; out_matches 'context_window +3,000$'; cd ../../..
    mkdir -p r/a/own/.git; cd r/a/own; run "$cando" show --all openai/zz-test; out_lacks 3,000; cd ../../..
    mkdir -p open/a; rule ours 3000 >open/cando.toml; cd open/a; run "$cando" show --all openai/zz-test; out_lacks 3,000
}
test_project_of_somebody_else() {
    [ "$(id -u)" -eq 0 ] || return 0 # only root can give a file away
    rule ours 3000 >cando.toml; chown 12345 cando.toml
    ask show --all openai/zz-test; exits 0; out_lacks 3,000; err_has "cando.toml is somebody else's, and is left out"
    ask show --all --overlay cando.toml openai/zz-test; out_matches 'context_window +3,000$'
    SUDO_UID=12345 ask show --all openai/zz-test; out_matches 'context_window +3,000$'
}
test_project_is_told() {
    rule ours 3000 >cando.toml; ask show --all openai/zz-test; out_has "2 fields decided by the project's file $PWD/cando.toml"
    ask show --all --no-config openai/gpt-4o; out_lacks decided
}
test_no_rule_file_is_not_shown() {
    printf 'root:hunter2:0\n' >cando.toml; ask show --all openai/gpt-4o; exits 3; err_lacks hunter2; err_has "no rule file"
    printf 'key = hunter2\n' >cando.toml; ask show --all openai/gpt-4o; exits 3; err_lacks hunter2
    printf 'hunter2 = "x"\n' >cando.toml; ask show --all openai/gpt-4o; exits 3; err_lacks hunter2; err_has schema-missing
    printf 'schema = "cando/rules@1"\nx = hunter2\n' >real; rm cando.toml; ln -s real cando.toml; ask show --all openai/gpt-4o; exits 3; err_lacks hunter2
    rm cando.toml; cp real cando.toml; ask show --all openai/gpt-4o; exits 3; err_has hunter2
}
test_batch_is_plain() {
    rule ours 3000 >cando.toml; echo '{"op":"resolve","target":"openai/zz-test"}' >q
    ask batch <q; out_has '"context_window":null'; ask batch --config <q; out_has '"context_window":3000'
    ask batch --overlay cando.toml <q; out_has '"context_window":3000'
}
test_rules_stand_alone() { rule ours 3000 >cando.toml; rule other 5 >r.toml; ask show --all --rules r.toml openai/zz-test; out_matches 'context_window +5$'; ask show --no-builtin openai/zz-test; out_lacks 3,000; }

test_cache_is_never_trusted() {
    rule ours 3000 >cando.toml; ask show --all openai/zz-test; out_matches 'context_window +3,000$'
    set -- k/cando/*.snap; [ $# -eq 1 ] || fail "one file"
    ask show --all openai/zz-test; out_matches 'context_window +3,000$'; err_empty
    printf 'x' | dd of="$1" bs=1 seek=3000 conv=notrunc status=none
    ask show --all openai/zz-test; exits 0; err_empty; out_matches 'context_window +3,000$'
    head -c 100 /dev/zero >"$1"; ask show --all openai/zz-test; exits 0; err_empty; out_matches 'context_window +3,000$'
    rule ours 3001 >cando.toml; ask show --all openai/zz-test; out_matches 'context_window +3,001$'
    set -- k/cando/*.snap; [ $# -eq 1 ] || fail "the old one is still there"
    rm -r k; echo no >k; ask show --all openai/zz-test; exits 0; err_empty; out_matches 'context_window +3,001$'
}

test_cache_of_another_is_not_taken() {
    printf 'schema = "cando/rules@1"\n[policy]\ndeny = ["openai"]\n' >closed.toml; rule ours 3000 >open.toml
    ask show --all --overlay open.toml openai/zz-test; cp k/cando/*.snap other; rm k/cando/*.snap
    ask show --all --overlay closed.toml openai/gpt-5; out_has denied
    set -- k/cando/*.snap; cp other "$1"
    ask show --all --overlay closed.toml openai/gpt-5; exits 0; out_has denied
}
test_cache_of_a_folder_that_others_write_to() {
    rule ours 3000 >cando.toml; mkdir -p k/cando; chmod 777 k/cando
    ask show --all openai/zz-test; exits 0; err_empty; out_matches 'context_window +3,000$'
    [ -z "$(ls k/cando)" ] || fail "was written to"
}
test_cache_is_bounded() {
    rule ours 3000 >cando.toml; mkdir -p k/cando; chmod 700 k/cando
    for i in $(seq 40); do : >"k/cando/old-$i.snap"; done
    ask show --all openai/zz-test; exits 0; out_matches 'context_window +3,000$'
    [ "$(ls k/cando | wc -l)" -eq 32 ] || fail "want 32, have $(ls k/cando | wc -l)"
    ask show --all openai/zz-test; exits 0; out_matches 'context_window +3,000$'
}

policy() { printf 'schema = "cando/rules@1"\n[policy]\n%s\n' "$1" >cando.toml; }
test_deny() {
    policy 'deny = ["openai/gpt-4*"]'
    ask show --all openai/gpt-4o; exits 0; out_has "denied by a deny list: openai/gpt-4* at"; out_has "cando.toml:3"
    ask show --all openai/gpt-5; out_lacks denied
    ask models --provider openai; exits 0; out_lacks openai/gpt-4o; out_has openai/gpt-5; err_matches '; [0-9]+ more denied by a policy'
    ask models --model gpt-4o --provider openai; exits 1; err_has "denied by a policy"
}
test_deny_reaches_every_spelling() {
    printf 'schema = "cando/rules@1"\n[policy]\ndeny = ["openai/gpt-4o"]\n' | user
    printf 'schema = "cando/rules@1"\n[aliases]\n"openai/cheap" = "openai/gpt-4o"\n"azure/ours" = "openai/gpt-4o"\n' >cando.toml
    for m in gpt-4o "gpt-4o " " gpt-4o" GPT-4o gpt-4o-2024-08-06 gpt-4o:extended cheap gpt-4o/ $'gpt-4o\xc2\xa0' $'gpt-4o \xe2\x80\x8b/' $'\xef\xbb\xbfgpt-4o'; do
        ask show --all "openai/$m"; exits 0; out_has "denied by a deny list: openai/gpt-4o at"
    done
    ask show --all azure/ours; out_has "denied by a deny list"
    for m in openai/gpt-4o-mini openai/gpt-4 azure/gpt-4o; do ask show --all "$m"; out_lacks denied; done
    ask models --provider openai; exits 0; out_lacks gpt-4o-2024; out_has openai/gpt-4o-mini
}
test_deny_wins_over_allow() { policy 'allow = ["openai"]
deny = ["openai"]'; ask models --provider openai; exits 1; out_empty; }
test_deny_by_another_name_of_the_provider() { policy 'deny = ["bedrock"]'; ask models --provider amazon-bedrock; exits 1; out_empty; ask show --all amazon-bedrock/whatever; out_has denied; }
test_allow() { policy 'allow = ["anthropic/claude-*"]'; ask show --all openai/gpt-5; out_has "denied: not in an allow list"; ask models; exits 0; out_has anthropic/; out_lacks openai/; }
test_a_project_cannot_open_what_the_user_closed() {
    printf 'schema = "cando/rules@1"\n[policy]\nallow = ["anthropic"]\n' | user; policy 'allow = ["openai", "anthropic/*opus*"]'
    ask models; exits 0; out_has anthropic/claude-opus; out_lacks openai/; out_lacks sonnet
}
test_a_malformed_list_closes() {
    for bad in 'allow = "openai"' 'deny = [1]' 'deny = [""]' 'deny = ["openai/"]' 'deny = ["/x"]' 'deny = ["x[a-"]' 'denny = ["openai"]' 'deny = [["openai"]]' 'deny = {}' 'allow = ["openai", " groq"]'; do
        policy "$bad"; ask show --all openai/gpt-5; exits 0; out_has "denied: a list cannot be read"; err_has "[policy-malformed]"; err_has "everything is denied"
    done
    ask show --all openai/gpt-5; err_has "[policy-malformed]" # what was kept closes, too
    ask models; exits 1; out_empty
    ask where; exits 3; out_matches 'cando.toml +1 error'
}
test_a_broken_file_stops() { echo 'x = = 1' >cando.toml; ask show --all openai/gpt-5; exits 3; out_empty; err_has "[toml-syntax]"; ask where; exits 3; out_has cando.toml; err_has "[toml-syntax]"; }
test_where_tells_of_typos() { policy 'deny = ["opnai"]'; ask where; exits 0; out_matches 'cando.toml +0 errors, 1 warning'; err_has "did you mean 'openai'?"; }
test_where_without_files() { ask where; exits 0; [ "$(grep -c catalog out)" -ge 1 ]; out_matches '^ 1  catalog +built-in +[0-9,]+ models, '; err_empty; }

test_aliases() {
    cat >cando.toml <<'T'
schema = "cando/rules@1"
[aliases]
"azure/Prod-Chat" = "openai/gpt-4o"
"amazon-bedrock/arn:aws:bedrock:us-east-1:1:application-inference-profile/abc" = "anthropic/claude-opus-4-5"
T
    ask show --all azure/prod-chat; exits 0; out_has "as openai/gpt-4o (but for the price)"; out_matches '^  tool_calling +native$'; out_matches '^  context_window +128,000$'; out_matches '^  unknown$'
    ask show --all amazon-bedrock/arn:aws:bedrock:us-east-1:1:application-inference-profile/abc; out_has "as anthropic/claude-opus-4-5"; out_lacks 'per million'
    ask models --provider azure prod-chat; out_matches '^azure/Prod-Chat +128,000 +[0-9,]+ +\? +\?'
    ask why azure/prod-chat context_window; exits 0; out_has fact; out_has openai.toml
}
test_overlay_leaves_borrowed_facts_as_they_are() {
    printf 'schema = "cando/rules@1"\n[[models]]\nprovider = "openai"\nid = "zz"\nset = { temperature = "native" }\n' >o.toml
    run "$cando" models --no-config --csv --columns context_window,input_image; exits 0; grep -v 'openai,zz,' out | tr A-Z a-z >plain
    run "$cando" models --no-config --csv --columns context_window,input_image --overlay o.toml; exits 0
    grep -v 'openai,zz,' out | tr A-Z a-z | cmp -s - plain || fail "what is borrowed changed"
}
