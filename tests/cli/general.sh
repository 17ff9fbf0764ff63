# What all verbs share: help, suggestions, exit codes, streams, colour.

test_no_verb_is_a_bad_question() { run "$cando"; exits 2; out_empty; err_has "usage: cando VERB"; }
test_help_goes_to_stdout() { run "$cando" --help; exits 0; err_empty; out_has "usage: cando VERB"; out_has "explain"; }
test_version_option() { run "$cando" --version; exits 0; err_empty; out_matches '^cando [0-9]+\.[0-9]+\.[0-9]+$'; }

test_unknown_verb_is_suggested() {
    run "$cando" shwo; exits 2; out_empty; err_has "no verb 'shwo'"; err_has "did you mean 'cando show'?"; err_has "[unknown-verb]"
}
test_far_off_verb_is_not_suggested() { run "$cando" frobnicate; exits 2; err_lacks "did you mean"; err_has "cando help"; }
test_unknown_option_is_suggested() {
    run "$cando" show --jsno openai/gpt-5; exits 2; out_empty; err_has "show has no option --jsno"; err_has "did you mean --json?"
}
test_unknown_letter() { run "$cando" lint -x a.toml; exits 2; out_empty; err_has "lint has no option -x"; }
test_option_without_value() { run "$cando" build -o; exits 2; err_has "--output wants a value: --output FILE"; }
test_help_with_value() { run "$cando" show --help=3; exits 2; err_has "--help takes no value"; run "$cando" lint --quiet=3 x; exits 2; err_has "--quiet takes no value"; }
test_an_option_may_be_repeated_any_number_of_times() {
    many=()
    for i in $(seq 200); do many+=(--need "streaming"); done
    run "$cando" switch openai/gpt-4o "${many[@]}"; exits 0; out_has accepted
}
test_switch_with_value() { run "$cando" show --json=yes openai/gpt-5; exits 2; err_has "--json takes no value"; }
test_option_with_wrong_word() {
    run "$cando" show --view nikka openai/gpt-5; exits 2; out_empty; err_has "--view does not take 'nikka'"; err_has "cando nika harn"
}
test_missing_operand_shows_the_usage() { run "$cando" show; exits 2; out_empty; err_has "usage: cando show"; }

test_every_verb_has_help() {
    for v in show why lint build batch explain version help; do
        run "$cando" help $v; exits 0; err_empty; out_has "usage: cando $v"; out_has "--help"
        cp out first
        run "$cando" $v --help; exits 0; cmp -s out first || fail "help $v and $v --help differ"
    done
}
test_help_on_nothing_known() { run "$cando" help shwo; exits 2; out_empty; err_has "did you mean cando help show?"; }
test_help_fields_lists_the_vocabulary() {
    run "$cando" help fields; exits 0; err_empty
    out_matches '^tool_calling +support +structured calls'
    out_matches '^context_window +number '
    [ "$(wc -l <out)" -gt 100 ] || fail "want the whole vocabulary"
}
test_help_man_is_scdoc() {
    run "$cando" help --man; exits 0; err_empty; [ "$(head -n 1 out)" = "cando(1)" ] || fail "first line"
    for v in show why lint build batch explain version help; do out_has "## cando $v"; done
    if command -v scdoc >/dev/null; then scdoc <out >page || fail "scdoc refuses it"; grep -qF 'cando show [OPTION]... PROVIDER/MODEL' page || fail "no heading"; fi
}
test_help_bash_completes() {
    run "$cando" help --bash; exits 0
    mkdir bin; ln -s "$cando" bin/cando; export PATH="$PWD/bin:$PATH"
    cat >try.sh <<'S'
. ./out
COMP_WORDS=(cando "$@"); COMP_CWORD=$#
_cando; printf '%s\n' "${COMPREPLY[@]}"
S
    [ "$(bash try.sh sh)" = show ] || fail "verb"
    [ "$(bash try.sh show --vi)" = --view ] || fail "option"
    [ "$(bash try.sh show --view ha)" = harn ] || fail "word"
    [ "$(bash try.sh why openai/gpt-5 tool_call)" = tool_calling ] || fail "field"
    [ "$(bash try.sh explain rule-sh)" = rule-shadowed ] || fail "code"
    [ "$(bash try.sh show anthrop)" = anthropic/ ] || fail "provider"
    bash try.sh show anthropic/claude-opus-4-5 >found; grep -q "^anthropic/claude-opus-4-5$" found || fail "model"
    [ "$(bash try.sh models --can tool_calling,input_im)" = tool_calling,input_image ] || fail "the last of a list"
    [ "$(bash try.sh pick --provider openai,anthro)" = openai,anthropic ] || fail "providers"
    [ "$(bash try.sh cost --target openai/gpt-4o-mini-20)" = openai/gpt-4o-mini-2024-07-18 ] || fail "a target"
    [ -z "$(bash try.sh lint x)" ] || fail "files are the shell's"
}
test_help_zsh_and_fish_complete() {
    mkdir bin; ln -s "$cando" bin/cando; export PATH="$PWD/bin:$PATH"
    run "$cando" help --zsh; exits 0; out_has "#compdef cando"; out_has "cando help --complete --"
    command -v zsh >/dev/null && { zsh -n out || fail "zsh"; }
    run "$cando" help --fish; exits 0; out_has "complete -c cando"; out_has "cando help --complete --"
    if command -v fish >/dev/null; then fish -c "source out; complete -C'cando show anthropic/claude-opus-4-5'" >found; grep -q claude-opus found || fail "fish"; fi
    run "$cando" help --complete -- show anthropic/claude-opus-4-; exits 0; out_has anthropic/claude-opus-4-5
}

test_explain() {
    run "$cando" explain rule-shadowed; exits 0; err_empty; out_has "rule-shadowed (warning): the rule can never decide anything"
    cp out first
    run "$cando" explain RULE_SHADOWED; exits 0; cmp -s out first || fail "dashes, underscores and case are the same"
}
test_explain_lists_all() { run "$cando" explain; exits 0; out_matches '^toml-syntax +error +'; out_matches '^no-source +note +'; }
test_explain_unknown() { run "$cando" explain rule-shadwed; exits 2; out_empty; err_has "did you mean rule-shadowed?"; err_has "[unknown-code]"; }
test_explain_json() {
    run "$cando" explain --json toml-syntax; exits 0; err_empty
    python3 -c 'import json,sys; r = json.load(open("out")); sys.exit(r["code"] != "toml-syntax")' || fail "not the code"
}

test_version_days() { run "$cando" version; exits 0; err_empty; out_matches '^  models.dev +2026-[0-9-]{5}  .* old.* +[0-9]+ models$'; out_matches '^  read by hand +20[0-9-]+ '; }
test_old_catalog_is_mentioned_on_a_terminal() {
    CANDO_TODAY=2027-08-01 on_terminal "'$cando' show --no-config openai/gpt-4o"; out_matches 'the catalog is of 2026-[0-9-]+, [0-9]+ days old: cando update makes it anew'
    CANDO_TODAY=2026-08-22 on_terminal "'$cando' show --no-config openai/gpt-4o"; out_lacks "days old"
    run env CANDO_TODAY=2027-08-01 "$cando" show --no-config openai/gpt-4o; err_empty
}
test_version_json() {
    run "$cando" version --json; exits 0; err_empty
    python3 -c 'import json; r = json.load(open("out")); assert r["version"].count(".") == 2 and r["fields"] > 100' || fail "not as wanted"
}

test_no_colour_in_a_pipe() { run "$cando" explain; ! grep -q $'\033' out || fail "escapes in a pipe"; }
# script(1) gives the program a terminal; without it the test has nothing to say
on_terminal() { script -qec "$1" /dev/null >out 2>&1 </dev/null; }
test_colour_on_a_terminal() {
    command -v script >/dev/null || return 0
    TERM=xterm on_terminal "'$cando' explain"; grep -q $'\033\[' out || fail "no colour on a terminal"
}
test_no_color_variable() {
    command -v script >/dev/null || return 0
    TERM=xterm NO_COLOR=1 on_terminal "'$cando' explain"; out_has rule-shadowed; ! grep -q $'\033\[' out || fail "colour in spite of NO_COLOR"
}
test_dumb_terminal() {
    command -v script >/dev/null || return 0
    TERM=dumb on_terminal "'$cando' explain"; ! grep -q $'\033\[' out || fail "colour on a dumb terminal"
}

test_reader_goes_away() {
    for i in 1 2 3 4 5; do
        "$cando" explain 2>>err | head -n 1 >>out
        "$cando" help fields 2>>err | head -n 1 >>out
    done
    err_empty
    [ "$(wc -l <out)" -eq 10 ] || fail "want one line each"
}
test_reader_goes_away_where_sigpipe_is_ignored() {
    (trap '' PIPE; timeout 20 "$cando" help fields 2>err | head -n 1 >out)
    err_empty; [ "$(wc -l <out)" -eq 1 ] || fail "want one line"
}
test_full_disk_is_an_error() {
    [ -w /dev/full ] || return 0
    rc=0; "$cando" explain >/dev/full 2>err || rc=$?
    exits 4; err_has "could not be written"
}

test_fields() {
    run "$cando" fields openai-chat; exits 0; out_matches '^messages +array of message, required: not empty$'; out_matches '^temperature +number or null: 0 to 2$'
    run "$cando" fields openai-chat messages; exits 0; out_has "'role' decides"; out_has "  assistant"
    run "$cando" fields openai-chat messages.user --json; exits 0; python3 -c 'import json; assert json.load(open("out"))["closed"]' || fail json
    run "$cando" fields openai-chat mesages; exits 2; err_has "did you mean 'messages'"
    for api in openai-chat openai-responses anthropic-messages gemini bedrock-converse mistral-chat ollama-chat; do
        run "$cando" fields $api; exits 0; [ "$(wc -L <out)" -le 80 ] || fail "$api is wider than a page"
    done
}

test_repeated_option() {
    run "$cando" pick --limit 3 --limit 4; exits 2; out_empty; err_has "--limit was given twice"
    run "$cando" models --min-context 3k --min-context 4k; exits 2; err_has "--min-context was given twice"
    run "$cando" cost --target a/b --target a/b x.json; exits 2; err_has "--target was given twice"
    run "$cando" models gpt-4o --provider openai --provider azure; exits 0; out_has azure/gpt-4o
}
test_no_name_is_a_bad_question() {
    for verb in show why matrix; do run "$cando" $verb ''; exits 2; out_empty; err_has "names no model"; err_lacks "offered as"; done
    run "$cando" show openai/; exits 2; err_has "'openai/' names no model"
    run "$cando" models ''; exits 2; out_empty
}
test_byte_order_mark() {
    bom() { printf '\xef\xbb\xbf' >"$2"; cat "$1" >>"$2"; }
    bom "$here/../../examples/request.json" q.json; bom "$here/../../examples/reply.json" r.json; bom "$here/../../examples/acme.toml" a.toml
    run "$cando" check openai/gpt-5 q.json; exits 1; out_has "q.json:3:18: error"
    run "$cando" fix openai/gpt-5 q.json --lossy; exits 0; [ "$(head -c 1 out)" = "{" ] || fail "a mark is written"
    run "$cando" pick --request q.json; exits 0
    run "$cando" cost --target anthropic/claude-opus-4-5 r.json; exits 0
    run "$cando" lint a.toml; exits 0
}
test_color() {
    run "$cando" explain --color always io; exits 0; grep -q $'\033\[' out || fail "no colour"
    run "$cando" explain --color sometimes io; exits 2; err_has "auto always never"
    command -v script >/dev/null || return 0
    TERM=xterm on_terminal "'$cando' explain --color never"; ! grep -q $'\033\[' out || fail "colour"
}
# sized COMMAND: on a terminal of 80 columns
sized() { script -qec "stty cols 80 rows 24; $1" /dev/null >out 2>&1 </dev/null; }
test_pager() {
    command -v script >/dev/null || return 0
    export TERM=xterm NO_COLOR=1 PAGER="sed 's/^/paged: /'"
    sized "'$cando' show openai/gpt-4o"; out_has "paged: openai/gpt-4o"
    sized "'$cando' show --no-pager openai/gpt-4o"; out_lacks "paged:"
    sized "'$cando' version"; out_lacks "paged:"
    sized "PAGER=cat '$cando' show openai/gpt-4o"; out_lacks "paged:"
    run "$cando" show openai/gpt-4o; out_lacks "paged:"
}
test_columns_that_do_not_fit_are_named() {
    command -v script >/dev/null || return 0
    export TERM=dumb
    sized "'$cando' models claude-opus --provider anthropic"; out_matches 'too narrow for: .*released'
    sized "'$cando' models claude sonnet --provider bedrock"; out_matches 'too narrow for: .*status'
    run "$cando" models claude-opus --provider anthropic; out_lacks "too narrow"; out_has status
}

test_init_and_keys() {
    run "$cando" init --keys openai,anthropc; exits 2; err_has "did you mean 'anthropic'?"; [ ! -e cando.toml ] || fail "written all the same"
    run "$cando" init --keys openai,anthropic; exits 0; run "$cando" lint --strict cando.toml; exits 0
    run "$cando" init; exits 2; err_has "there already"
    run "$cando" pick tool_calling --limit 50; exits 0; out_has openai/; ! grep -vE '^(model|openai/|anthropic/|[0-9]+ of )' out || fail "others"
    run "$cando" pick tool_calling --any-provider --limit 50; exits 0; grep -qvE '^(model|openai/|anthropic/|[0-9]+ of )' out || fail "no others"
    run "$cando" pick tool_calling --provider google --limit 3; exits 0; out_has google/
    run "$cando" show google/gemini-2.5-pro; exits 0; out_lacks denied
    sed -i 's/^# \(.*= .*\)/\1/; s/^# \[\[/[[/' cando.toml; run "$cando" lint cando.toml; exits 0
}

test_a_bare_command_that_fails_fails_its_test() {
    printf '%s\n' 'test_bare() { false; true; }' 'test_good() { true; }' >some.sh
    run "$here/run.sh" "$cando" some.sh
    exits 1
    out_has "FAILED some: test_bare"
    out_has "ok     some: test_good"
}
