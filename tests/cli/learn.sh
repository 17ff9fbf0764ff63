# cando learn: from a provider's refusal to a rule.

refusal() { echo '{"error":{"message":"Unsupported parameter: '"'$1'"' is not supported with this model.","param":"'"$1"'"}}' >reply.json; }
unset CANDO_STORE

test_learn_says_what_is_known() {
    echo '{"error":{"message":"Unsupported parameter: '"'temperature'"' is not supported with this model.","type":"invalid_request_error","param":"temperature","code":"unsupported_parameter"}}' >reply.json
    run "$cando" learn --target openai/gpt-5 --from-error reply.json; exits 0; out_has 'temperature = "unsupported"'; err_has "note: the catalog says so already: temperature unsupported ("
    run "$cando" learn --target openai/gpt-4o --from-error reply.json --write my.toml; exits 0; out_has "added 1 rule"; err_has "note: the catalog says otherwise, the rule overrules it: temperature native ("
    run "$cando" learn --target openai/gpt-5 --from-error reply.json --json; exits 0; err_empty
    run "$cando" learn --target nonesuch/some-model --from-error reply.json; exits 0; err_has "note: this is new: nobody has said temperature of nonesuch/some-model"
}
test_learn_prints_a_rule() {
    refusal temperature; run "$cando" learn --from-error reply.json --target openai/gpt-9; exits 0; err_has "note: this is new"
    out_has 'name = "observed-openai-gpt-9-temperature"'; out_has 'set = { temperature = "unsupported" }'; out_has "# Unsupported parameter: 'temperature'"
}
test_learn_from_stdin() { refusal top_p; run "$cando" learn --from-error - --target openai/gpt-9 <reply.json; exits 0; out_has 'set = { top_p = "unsupported" }'; }
test_learn_json() { refusal top_p; run "$cando" learn --from-error reply.json --target openai/gpt-9 --json; exits 0; out_has '"field":"top_p","value":"unsupported"'; }
test_learn_nothing() {
    echo 'temperature is not supported for this model when thinking is enabled.' >reply.json
    run "$cando" learn --from-error reply.json --target openai/gpt-9; exits 1; out_empty; err_has "nothing was learnt: it holds under a condition"
}
test_learn_probe() {
    run "$cando" learn --target acme/one --probe input_image=unsupported --probe context_window=32768 --evidence "tried it" --days 30; exits 0
    out_has 'set = { input_image = "unsupported" }'; out_has 'set = { context_window = 32768 }'; out_has 'source = "a probe: tried it"'; out_matches 'until 20'
}
test_learn_bad_questions() {
    run "$cando" learn; exits 2; refusal x; run "$cando" learn --from-error reply.json; exits 2; run "$cando" learn --target a/b; exits 2
    run "$cando" learn --from-error none.json --target a/b; exits 3; run "$cando" learn --probe x --target a/b; exits 2
    run "$cando" learn --probe visoin=native --target a/b; exits 2; err_has "[unknown-field]"
    run "$cando" learn --probe vision=native --target a/b --days soon; exits 2; run "$cando" learn --probe vision=native --target a; exits 2
}
test_learn_write_makes_a_file() {
    refusal temperature; run "$cando" learn --from-error reply.json --target openai/gpt-9 --write mine.toml; exits 0; out_has "mine.toml: added 1 rule"
    run "$cando" lint mine.toml; exits 0
    run "$cando" why openai/gpt-9 temperature --overlay mine.toml --no-config; exits 0; out_has "unsupported"; out_has "mine.toml:5"; out_has "an error reply:"
}
test_learn_write_keeps_the_file() {
    printf 'schema = "cando/rules@1"\n# my own\n\n[[rules]]\nname = "a"\nmatch = "x*"   # spaced\nset = { seed = true }\nsource = "me"' >mine.toml; cp mine.toml before
    refusal temperature; run "$cando" learn --from-error reply.json --target openai/gpt-9 --write mine.toml; exits 0
    cmp -n "$(stat -c %s before)" before mine.toml || fail "the old text changed"
    run "$cando" lint mine.toml; exits 0
    cp mine.toml before; run "$cando" learn --from-error reply.json --target openai/gpt-9 --write mine.toml; exits 0; out_has "added 0 rules, 1 there already"
    cmp before mine.toml || fail "written twice"
}
test_learn_write_refuses() {
    refusal temperature
    for text in 'x = = 1' 'schema = "nika/model-capabilities@1.0"' '[provider_family]'; do
        echo "$text" >mine.toml; cp mine.toml before
        run "$cando" learn --from-error reply.json --target openai/gpt-9 --write mine.toml; exits 2; cmp before mine.toml || fail "was changed"
    done
    printf '\377' >mine.toml; run "$cando" learn --from-error reply.json --target openai/gpt-9 --write mine.toml; exits 3; err_has "UTF-8"
    run "$cando" learn --from-error reply.json --target openai/gpt-9 --write none/mine.toml; exits 3
    [ "$(ls | grep -c mine)" -eq 1 ] || fail "left something behind"
}
test_learn_write_through_a_link() {
    mkdir d; printf 'schema = "cando/rules@1"\n' >d/real.toml; ln -s d/real.toml mine.toml; refusal temperature
    run "$cando" learn --from-error reply.json --target openai/gpt-9 --write mine.toml; exits 0
    [ -L mine.toml ] || fail "the link is gone"; grep -q gpt-9 d/real.toml || fail "not written"
}
test_learn_write_at_the_same_time() {
    for i in 1 2 3 4 5 6 7 8; do "$cando" learn --target "acme/m-$i" --probe vision=native --write mine.toml >/dev/null & done; wait
    [ "$(grep -c '^name = "observed-acme' mine.toml)" -eq 8 ] || fail "$(cat mine.toml)"
}
test_learn_records() {
    refusal temperature; run "$cando" learn --from-error reply.json --target openai/gpt-9 --store t.db --days 30; exits 0
    run "$cando" audit --store t.db; exits 0; out_matches 'observation.*openai/gpt-9  temperature = unsupported'
    run "$cando" audit verify --store t.db; exits 0
    run "$cando" learn --observed --store t.db; exits 0; out_has 'schema = "cando/rules@1"'; out_has 'name = "observed-openai-gpt-9-temperature"'
}
test_learn_is_the_top_layer() {
    printf 'schema = "cando/rules@1"\n[[rules]]\nproviders = ["openai"]\nmatch = "gpt-9"\nset = { temperature = "native" }\nsource = "me"\n' >over.toml
    run "$cando" why openai/gpt-9 temperature --overlay over.toml --no-config; out_has "native"
    refusal temperature; "$cando" learn --from-error reply.json --target openai/gpt-9 --store t.db >/dev/null
    run "$cando" why openai/gpt-9 temperature --overlay over.toml --no-config --observed t.db; exits 0; out_has "temperature  unsupported"; out_has "(observed)"
    out_has "overrode"
    CANDO_STORE=t.db run "$cando" why openai/gpt-9 temperature --overlay over.toml; exits 0; out_has "(observed)"
}
test_learn_trail_in_trouble_stops_no_answer() {
    echo "no database, but a letter that somebody left lying about here; it is more than a hundred bytes long, as it should be" >t.db
    refusal temperature; run "$cando" learn --from-error reply.json --target openai/gpt-9 --store t.db; exits 0; out_has "unsupported"; err_has "[audit-store]"
    CANDO_STORE=t.db run "$cando" show openai/gpt-9; exits 0; err_has "[audit-store]"
    run "$cando" show openai/gpt-9 --observed t.db; exits 3
}

test_what_is_written_passes_lint() {
    cp "$here/../../examples/acme.toml" a.toml
    run "$cando" learn --target openai/gpt-5 --probe input_image=unsupported --write a.toml; exits 0
    run "$cando" lint --strict a.toml; exits 0
    cp a.toml before; run "$cando" learn --target nobodys/thing --probe input_image=unsupported --write a.toml
    exits 3; err_has "no provider 'nobodys'"; err_has "a.toml is left as it is"; cmp a.toml before || fail "it was changed"
}
