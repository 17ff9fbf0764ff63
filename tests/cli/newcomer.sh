# What somebody types who has never seen the program: mistakes get a way out, and help ends with examples.

request() { printf '{"model":"gpt-5","messages":[{"role":"user","content":"Hi"}]}' >"$1"; }

test_help_ends_with_examples() {
    for v in check fix cost switch fields show why pick models diff matrix retiring match init lint learn update conflicts batch explain; do
        run "$cando" $v --help; exits 0; out_has "for example:"; [ "$(wc -L <out)" -le 80 ] || fail "the help of $v is wider than a screen"
        sed -n '/^for example:/,$p' out | grep -q "^  .*cando $v" || fail "no example of $v"
    done
}
# Each example is a command that is understood: what may fail is the file, which is not there.
test_examples_are_understood() {
    mkdir prompts src; request request.json; request prompts/a.json; echo '{"messages":[]}' >conversation.json; : >config.yaml
    for v in check fix show why pick models diff matrix fields retiring conflicts explain switch; do
        "$cando" $v --help | sed -n '/^for example:/,$p' | sed -n 's/^  cando //p' >commands
        while read -r line; do
            # shellcheck disable=SC2086
            run "$cando" $line </dev/null; [ $rc -lt 2 ] || fail "cando $line"
        done <commands
    done
}
test_verbs_of_other_programs() {
    run "$cando" compare a/b c/d; exits 2; err_has "did you mean 'cando diff'?"
    run "$cando" list; exits 2; err_has "did you mean 'cando models'?"
    run "$cando" validate x.json; exits 2; err_has "did you mean 'cando check'?"
}
test_a_file_or_a_model_for_a_verb() {
    request r.json
    run "$cando" r.json; exits 2; err_has "cando check r.json judges a request"
    run "$cando" openai/gpt-5; exits 2; err_has "cando show openai/gpt-5 shows a model"
}
test_half_a_name() {
    run "$cando" show gemini-3; exits 2; err_has "'gemini-3' is part of many names"; err_has "    google/gemini-3"; err_matches "and [0-9,]+ more: cando models gemini-3"
    run "$cando" show claude; exits 2; err_has "'claude' is the provider anthropic; which of its models?"; err_has "    anthropic/claude-"; err_lacks "claude-1"
    [ "$(wc -l <err)" -le 12 ] || fail "more than one looks at"
    run "$cando" show mistral; exits 2; err_has "'mistral' is a provider; which of its models?"; err_has "    mistral/mistral-"; err_matches "and [0-9]+ more: cando models --provider mistral"
    run "$cando" show claude-3-5-sonnet; exits 2; [ "$(sed -n 3p err)" = "    anthropic/claude-3-5-sonnet-20241022" ] || fail "the lab's own comes first"
    run "$cando" show openai gpt-5; exits 2; err_has "cando show openai/gpt-5"; err_has "cando models openai gpt-5"
    run "$cando" conflicts llama-3.3-70b; exits 2; err_has "it is offered as"; err_has "groq/llama-3.3-70b-versatile"
}
test_a_part_of_a_name_is_enough() {
    run "$cando" why openai/gpt-5 context; exits 0; out_has "context_window"
    run "$cando" pick image; exits 2; err_has "did you mean 'input_image'?"
}
test_models_where_files_are_read() {
    request r.json
    run "$cando" check r.json openai/gpt-5; exits 3; out_empty; err_has "it comes first: cando check openai/gpt-5 FILE"
    run "$cando" check gpt-5; exits 3; out_empty; err_has "it comes first: cando check gpt-5 FILE"
    run "$cando" cost openai/gpt-5; exits 3; err_has "if that is a model, it comes first: cando cost openai/gpt-5 FILE"
    run "$cando" retiring openai/gpt-5; exits 3; err_has "cando show PROVIDER/MODEL"
    run "$cando" fix r.json r.json; exits 2; err_has "one file at a time"
}
test_who_was_asked() {
    request r.json
    run "$cando" check openai/gpt-4o r.json; err_has "; judged for openai/gpt-4o"
    run "$cando" check r.json; err_lacks "judged for"
    run "$cando" check openai/gpt-5 r.json; err_has "; judged for openai/gpt-5"; err_lacks "it names"
    run "$cando" check anthropic/claude-sonnet-5 r.json; exits 1; err_has "; judged for anthropic/claude-sonnet-5 as anthropic-messages (it names gpt-5)"
    run "$cando" fix openai/gpt-4.1 r.json; exits 0; err_has "r.json: the request names gpt-5, which stays, and was judged for openai/gpt-4.1 as openai-chat"
    run "$cando" fix openai/gpt-5 r.json; exits 0; err_lacks "request names"
    run "$cando" fix r.json; exits 0; err_lacks "request names"
}
test_a_folder_without_requests() {
    mkdir empty; run "$cando" check empty; exits 2; out_empty; err_has "no request found in empty"; err_has "the .json and .jsonl files below it"
    run "$cando" check --json openai/gpt-5 empty; exits 2; out_empty; err_has "no request found in empty"
}
test_a_capability_among_the_words() {
    run "$cando" models openai tools; exits 0; out_has "openai/gpt-4o"; err_has "no name has 'tools'; it is taken as the capability: --can tools"
    cp out words; run "$cando" models openai --can tools; cmp -s words out || fail "not the same as --can"
    run "$cando" models openai vision; exits 0; err_has "'vision' was looked for in names; what can do it: --can vision"
    run "$cando" models openai tools --json; exits 0; out_has '"model":"gpt-4o"'
    run "$cando" models claude sonnet; exits 0; err_lacks "note:"
    run "$cando" models openai nonesuch tools; exits 1; err_lacks "taken as"
}
test_prices_of_what_has_one() {
    run "$cando" models --provider openai --for embedding --sort price; exits 0; err_has "note: none has both prices; --sort input-price goes by one"
    run "$cando" models --provider openai --for chat --sort price; exits 0; err_lacks "note:"
}
# Lines of findings may be as long as they are; what sums up fits a screen of 80 columns.
test_sums_fit_a_screen() {
    command -v script >/dev/null || return 0
    request r.json
    for command in "check openai/gpt-4o r.json" "retiring --provider anthropic --within 365" "switch openai/gpt-5 anthropic/claude-opus-5" "diff anthropic/claude-sonnet-4-5 anthropic/claude-sonnet-5" "models openai tools" "show mistral" "fields openai/gpt-5"; do
        NO_COLOR=1 PAGER=cat TERM=xterm script -qec "stty cols 80 rows 24; $cando $command" /dev/null 2>&1 </dev/null | tr -d '\r' >out
        ! grep -vE '^[^ ]+:[0-9]+:[0-9]+: ' out | LC_ALL=C.UTF-8 grep -E '^.{81}' || fail "wider than the screen: $command"
    done
}
test_a_log_of_two_providers() {
    echo '{"object":"chat.completion","model":"gpt-4o-mini","usage":{"prompt_tokens":1000000,"completion_tokens":0}}' >log.jsonl
    echo '{"object":"chat.completion","model":"mistral-small-latest","usage":{"prompt_tokens":1000000,"completion_tokens":0}}' >>log.jsonl
    run "$cando" cost log.jsonl; exits 1; out_has "--provider openai,anthropic names all who answered"
    run "$cando" cost log.jsonl --provider openai; exits 1; out_has "1 of them has a cost that is not known"
    run "$cando" cost log.jsonl --provider openai,mistral; exits 0; out_has "openai/gpt-4o-mini"; out_has "mistral/mistral-small-latest"; out_lacks unknown; out_lacks "names all who"
    run "$cando" cost log.jsonl --provider mistral --provider openai --json; exits 0; out_has '"unknown":0'
    head -n 1 log.jsonl >one.json
    run "$cando" cost one.json --provider mistral,openai; exits 0; out_has "openai/gpt-4o-mini"
}
test_a_model_is_named_alike() {
    echo '{"object":"chat.completion","model":"x","usage":{"prompt_tokens":1000000,"completion_tokens":0}}' >1.json; request r.json
    run "$cando" cost openai/gpt-4o-mini 1.json; exits 0; out_has "openai/gpt-4o-mini"; out_has '$0.15'; cp out one
    run "$cando" cost --target openai/gpt-4o-mini 1.json; exits 0; cmp -s one out || fail "not as --target"
    run "$cando" cost openai/gpt-4o-mini 1.json 1.json; exits 0; out_has '2 replies cost $0.30'
    run "$cando" fix --provider azure r.json; exits 0; run "$cando" fix --provider nonesuch r.json; [ $rc -ne 0 ] || err_has nonesuch
    echo "'top_p' is not supported with this model." >error.txt
    run "$cando" learn openai/gpt-9 --from-error error.txt; exits 0; out_has 'top_p = "unsupported"'; cp out one
    run "$cando" learn --target openai/gpt-9 --from-error error.txt; exits 0; cmp -s one out || fail "not as --target"
}
test_words_of_values_are_explained() {
    for word in native emulated restricted unsupported unknown inferred; do run "$cando" explain $word; exits 0; out_has "$word (a value, no code)"; done
    run "$cando" explain restricted --json; exits 2; run "$cando" explain nativ; exits 2
}
test_a_budget_of_several_files() {
    for i in 1 2 3; do echo '{"object":"chat.completion","model":"gpt-4o-mini","usage":{"prompt_tokens":1000000,"completion_tokens":0}}' >$i.json; done
    run "$cando" cost --provider openai --budget 0.40 1.json 2.json 3.json; exits 1; err_has "over the budget: \$0.45 of \$0.40"
    run "$cando" cost --provider openai --budget 0.45 1.json 2.json 3.json; exits 0; err_lacks "over the budget"
}
test_switch_from_one_to_another() {
    run "$cando" switch openai/gpt-4o openai/gpt-5; exits 0; out_has "accepted: openai/gpt-5"
    err_has "nothing was asked:"; err_has "cando diff openai/gpt-4o openai/gpt-5"
    run "$cando" switch openai/gpt-4o openai/gpt-5.6-sol --need tool_calling; exits 0; err_empty
    run "$cando" switch openai/gpt-5 --need embeddings --from openai/gpt-4o; exits 1; cp out named
    run "$cando" switch openai/gpt-4o openai/gpt-5 --need embeddings; exits 1; cmp -s out named || fail "FROM and --from differ"
    run "$cando" switch a/b c/d --from e/f; exits 2; err_has "which is the one in force now?"
}
# What a model is told of by check is told by switch, whatever is asked of it.
test_switch_to_what_ends() {
    export CANDO_TODAY=2026-11-16
    run "$cando" switch openai/gpt-4o anthropic/claude-opus-4-1 --need tool_calling; exits 1; out_has "rejected"; err_has "error: the model is retired since 2026-08-05"
    run "$cando" switch openai/gpt-5.6-sol openai/gpt-4o --need tool_calling; exits 0; out_has "accepted"; err_has "warning: the model is deprecated and ends on 2027-01-14"
    printf 'schema = "cando/rules@1"\n[policy]\ndeny = ["deepseek"]\n' >o.toml
    run "$cando" switch openai/gpt-4o deepseek/deepseek-flash --need tool_calling --overlay o.toml; exits 1; err_has "error: a policy denies"
}
# A request that several APIs could take is that of the lab whose model it names.
test_a_plain_request_of_a_lab() {
    echo '{"model":"claude-opus-4-5","max_tokens":100,"temperature":1.7,"messages":[{"role":"user","content":"hi"}]}' >r.json
    run "$cando" check r.json; exits 1; out_has "temperature is from 0 to 1"; err_lacks "is not said"
    sed -i 's/"max_tokens"/"max_completion_tokens"/' r.json
    run "$cando" check r.json; exits 0; err_has "does not say at which provider"
}
test_json_with_a_comma_too_many() {
    printf '{"model":"gpt-5","messages":[],}' >bad.json
    run "$cando" check bad.json; exits 3; err_has "bad.json:1:32"; err_has "take the comma before it away"
    run "$cando" cost bad.json; exits 3; err_has "bad.json: line 1, column 32"
    run "$cando" check - </dev/null; exits 3; err_has "it is empty"
}
test_no_request_at_all() { echo '{"foo":1}' >foo.json; run "$cando" check foo.json; exits 3; err_has "such as openai-chat"; }
test_an_error_reply_for_learn_and_explain() {
    run "$cando" learn reply.json; exits 2; err_has "--from-error FILE"
    run "$cando" explain "max_tokens is not supported"; exits 2; err_has "cando learn --help"
}
test_a_field_with_nothing_in_it() {
    run "$cando" fields openai-chat temperature; exits 0; out_has "temperature  number or null: 0 to 2"
    run "$cando" fields openai-chat reasoning_effort; exits 0; out_has "none, minimal, low"
}
test_an_excerpt_fits_the_screen() {
    printf '{"messages":[{"role":"user","content":"%0300d"}],"temperature":0.2,"model":"gpt-5","user":"%0300d"}' 0 0 >long.json
    run "$cando" check long.json; out_has '^~'; ! grep '^    ' out | grep -E '^.{81}' || fail "wider than the screen"
}
test_budget() {
    request r.json
    printf '{"id":"c","object":"chat.completion","created":1793000000,"model":"gpt-4o-mini","choices":[],"usage":{"prompt_tokens":1000000,"completion_tokens":0,"total_tokens":1000000}}\n' >one.json
    cat one.json one.json >log.jsonl
    run "$cando" cost --provider openai one.json --budget 0.15; exits 0; err_empty
    run "$cando" cost --provider openai one.json --budget 0.14; exits 1; err_has 'over the budget: $0.15 of $0.14'
    run "$cando" cost --provider openai log.jsonl --budget '$0.30'; exits 0
    run "$cando" cost --provider openai log.jsonl --budget 0.2; exits 1; err_has 'over the budget: $0.30 of $0.20'; out_has "openai/gpt-4o-mini"
    run "$cando" cost --provider openai log.jsonl --json --budget 0.2; exits 1
    run "$cando" cost r.json --budget 10; exits 0; run "$cando" cost r.json --budget 0; exits 1; err_has "over the budget"
    run "$cando" cost r.json --budget much; exits 2; err_has "an amount in US dollars"
}
test_shared_options_stand_apart() {
    run "$cando" show --help; exits 0; sed '/^options that other verbs have, too:/,$d' out >own
    grep -q -- --view own || fail "no --view"; ! grep -q -- '--overlay\|--color' own || fail "shared among its own"
    run "$cando" init --help; exits 0; out_matches '^options:'; out_has "options that other verbs have, too:"
}
test_a_name_of_ones_own_gateway() {
    request r.json; sed -i s/gpt-5/prod-chat/ r.json
    run "$cando" check r.json; exits 0; err_has "does not say at which provider"; err_has "cando check PROVIDER/MODEL FILE"; err_has "cando init"
}
test_pick_tells_of_keys_on_a_terminal() {
    command -v script >/dev/null || return 0
    for option in "" "--provider openai"; do
        NO_COLOR=1 TERM=xterm script -qec "stty cols 80; '$cando' pick tools $option" /dev/null </dev/null >"out$option" 2>&1
    done
    grep -q "cando init --keys" out || fail "no word of keys"
    ! grep -q "cando init --keys" "out--provider openai" || fail "a word of keys too many"
    run "$cando" pick tools; exits 0; err_empty
}
test_a_log_of_several_providers() {
    reply() { printf '{"id":"c","object":"chat.completion","created":1793000000,"model":"%s","choices":[],"usage":{"prompt_tokens":1000000,"completion_tokens":0,"total_tokens":1000000}}' "$1"; }
    { reply gpt-4o-mini; echo; reply claude-opus-4-5; echo; } >log.jsonl
    run "$cando" cost log.jsonl; exits 1; out_has "--provider says who answered"
    run "$cando" cost --provider openai log.jsonl; exits 1; out_has "1 of them has a cost that is not known"; out_has '{"provider":..,"response":{..}}'
    run "$cando" cost --provider groq log.jsonl; exits 1; out_has "no price of these models is known there"; out_lacks "--provider says"
    { reply gpt-4o-mini; echo; printf '{"provider":"anthropic","response":%s}\n' "$(reply claude-opus-4-5)"; } >log.jsonl
    run "$cando" cost --provider openai log.jsonl; exits 0; out_has "anthropic/claude-opus-4-5"; out_lacks "not known"
}
test_price_of_an_alias() {
    run "$cando" init --keys openai; exits 0; sed -i 's|^# "azure/prod-chat".*|"mygw/fast" = "openai/gpt-4o-mini"|' cando.toml
    request r.json; sed -i s/gpt-5/fast/ r.json
    run "$cando" cost --provider mygw r.json; exits 1; out_has "it has no price under this name"; out_has "cando init"
}
# A name that nobody knows is told by every verb as cando check tells it.
test_a_model_that_nobody_knows() {
    request r.json; printf '{"messages":[{"role":"user","content":"Hi"}]}' >conv.json
    run "$cando" switch openai/gpt-4o anthropic/claude-sonet-5 --history conv.json; exits 0; out_has "degraded: anthropic/claude-sonet-5"
    err_has "warning: anthropic is not known to have a model 'claude-sonet-5'; did you mean 'claude-sonnet-5'?"
    run "$cando" switch openai/gpt-4o opnai/gpt-5 --history conv.json; exits 0; err_has "did you mean 'openai'?"
    run "$cando" switch openai/gpt-4o opnai/gpt-5 --history conv.json --strict; exits 1; out_has "rejected: opnai/gpt-5"; out_has "still on openai/gpt-4o"
    run "$cando" switch opnai/gpt-5 --request r.json --strict; exits 1; out_has "provider-unknown"
    run "$cando" switch azure/ours --history conv.json --strict; exits 0; out_has "accepted"; err_has "note: azure is not known"
    run "$cando" switch ollama/ours --history conv.json --strict; exits 0; err_empty
    run "$cando" switch anthropic/claude-sonnet-5 req/conv.json; exits 2; out_empty; err_has "--history req/conv.json"
    run "$cando" cost --target opnai/gpt-5 r.json; exits 1; err_has "did you mean 'openai'?"
    run "$cando" cost --target anthropic/claude-sonet-5 r.json; exits 1; err_has "did you mean 'claude-sonnet-5'?"
}
test_a_slip_in_the_request() {
    request r.json; sed -i s/gpt-5/gpt-4o-minii/ r.json
    run "$cando" check r.json; exits 0; out_has "warning: openai is not known to have a model 'gpt-4o-minii' [model-unknown]"; out_has "did you mean 'gpt-4o-mini'?"
    run "$cando" check --strict r.json; exits 1; out_has "error: openai is not known"
    run "$cando" check openai/gpt-4o-minii r.json; exits 0; out_has "did you mean 'gpt-4o-mini'?"
    request r.json; sed -i s/gpt-5/gpt-5.9/ r.json # another version is no slip
    run "$cando" check r.json; exits 0; out_has "warning: openai is not known to have a model 'gpt-5.9' [model-unknown]"; out_lacks "did you mean"
    for other in llama-3.3-70b prod-chat grok-4; do # another's model, one's own
        request r.json; sed -i s/gpt-5/$other/ r.json
        run "$cando" check r.json --strict; exits 0; out_empty; err_has "does not say at which provider"
        run "$cando" check -q r.json; exits 0; out_empty; err_lacks "note:"; err_lacks "hint:"
    done
}
test_the_verb_fields_and_the_fields() {
    run "$cando" help fields; exits 0; [ "$(tail -n 1 out)" = "cando fields --help tells of the verb fields" ] || fail "no word of the verb"
    run "$cando" fields --for x; exits 2; err_has "cando fields --help lists its options"
    run "$cando" fields openai/gpt-5 reasoning_effort; exits 0; out_has "openai-chat reasoning_effort"; out_has "cando show openai/gpt-5"
    run "$cando" fields anthropic tools; exits 0; out_has "anthropic-messages tools"; out_lacks "cando show"
    run "$cando" fields anthropic/claude-opus-5; exits 0; out_has "anthropic-messages: request"
    run "$cando" fields nobody/nothing; exits 2; err_has "known: openai-chat"
}
test_what_is_shown_of_nobody() {
    "$cando" show opnai/gpt-5 >both 2>&1; head -n 1 both | grep -q "did you mean 'openai'?" || fail "show does not say so first"
    run "$cando" show openai/gpt-5-mni; exits 0; err_has "note: no fact is about this model; did you mean openai/gpt-5-mini?"
    "$cando" diff openai/gpt-5 openai/gpt-9 >both 2>&1; head -n 1 both | grep -q "openai is not known to have a model 'gpt-9'" || fail "diff does not say so first"
    "$cando" conflicts anthropic/claude-opus-99 >both 2>&1; head -n 1 both | grep -q "anthropic is not known to have a model 'claude-opus-99'" || fail "conflicts does not say so first"
    run "$cando" diff openai/gpt-5 anthropic/claude-opus-5; exits 0; err_empty
    run "$cando" diff backend/claude backend/codex; exits 0; err_empty
}
test_a_member_with_a_slip() {
    printf '{"model":"gpt-5","messages":[{"role":"user","content":"Hi"}],"reasoning_efort":"low","zzzzz":1}' >r.json
    run "$cando" check r.json; exits 1; out_has "hint: rename it to 'reasoning_effort'; if it is not wanted, leave it out (cando fix --lossy does it)"; out_has "hint: leave it out (cando"
}
test_half_an_option_and_half_a_field() {
    run "$cando" pick --max-price 1; exits 2; err_has "did you mean --max-input-price?"
    run "$cando" check --model x r.json; exits 2; err_has "the model is no option: cando check PROVIDER/MODEL"
    run "$cando" why openai/gpt-5 pdff; exits 2; err_has "did you mean input_pdf?"
    run "$cando" why openai/gpt-5 vidoe; exits 2; err_has "did you mean input_video?"
}
