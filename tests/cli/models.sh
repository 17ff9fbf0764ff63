# cando models: filters, orders and forms; and what is said of a name that is not there.

rules() { cat >a.toml <<'T'
schema = "cando/rules@1"
[[providers]]
id = "acme"
[[providers]]
id = "host"
[[models]]
provider = "acme"
id = "Big-1"
set = { display_name = "Big, \"One\"", tool_calling = "native", context_window = 400000, max_output = 64000, release_date = "2026-05-10", price = { input_tokens = "3", output_tokens = "15", cache_read_tokens = "0.3", "input_tokens >200000" = "6", "output_tokens @batch" = "7.5", web_searches = "10" } }
source = "https://acme.example/big"
checked = 2026-06-01
[[models]]
provider = "acme"
id = "small-1"
set = { tool_calling = "emulated", context_window = 128000, status = "deprecated", price = { input_tokens = "0.1", output_tokens = "0.4" } }
[[models]]
provider = "host"
id = "acme/big-1"
set = { input_modalities = ["text", "image"] }
T
}
models() { rules; run "$cando" models --rules a.toml "$@"; }

test_models_table() {
    models; exits 0; [ "$(wc -l <out)" -eq 4 ] || fail "lines"
    out_matches '^model +context +output +in/M +out/M +released +status$'
    out_matches '^acme/Big-1 +400,000 +64,000 +\$3\.00 +\$15\.00 +2026-05-10$'
    out_matches '^acme/small-1 +128,000 +\? +\$0\.10 +\$0\.40 +\? +deprecated$'
    out_matches '^host/acme/big-1 +\? +\? +\? +\? +\?$'; err_has "3 models"
}
test_models_filters() {
    models --can tool_calling=native; exits 0; out_has Big-1; out_lacks small-1; err_has "1 model"
    models --min-context 200k --provider acme,host; exits 0; out_has Big-1; out_lacks small-1
    models --max-output-price '$0.4'; exits 0; out_has small-1; out_lacks Big-1
    models --input image; exits 0; out_has host/acme/big-1; out_lacks acme/small
    models --status deprecated --columns tool_calling; exits 0; out_matches 'deprecated +emulated$'
    models big; exits 0; out_has acme/Big-1; out_has host/acme/big-1; out_lacks small
    models 'big*'; exits 0; out_lacks host
    models --or-unknown --min-context 1m; exits 0; out_has host; out_lacks acme/Big
}
test_models_order() {
    models --sort price --limit 1; exits 0; out_has small-1; out_lacks Big; err_has "1 of 3 models"
    models --sort context --reverse --csv; exits 0; [ "$(sed -n 2p out | cut -d, -f2)" = small-1 ] || fail "order"
}
test_models_has_the_filters_of_pick() {
    models --deny 'acme/*' --limit 9; exits 0; out_has host/acme; out_lacks acme/Big
    models --min context_window=200k; exits 0; out_has Big-1; out_lacks small-1
    models --prefer host --limit 1; exits 0; out_has host/acme
}
test_models_none_is_a_no() { models --min-output 1m; exits 1; out_empty; err_has "0 models"; }
test_models_csv() {
    models --csv; exits 0; err_empty
    python3 -c 'import csv; r = list(csv.DictReader(open("out", newline="")))
assert [x["model"] for x in r] == ["Big-1", "small-1", "acme/big-1"] and r[0]["name"] == "Big, \"One\"" and r[0]["input_price"] == "3" and r[2]["context_window"] == ""
assert open("out", "rb").read().count(b"\r\n") == 4' || fail "not as wanted"
}
test_models_markdown() { models --markdown; exits 0; out_has '| model | context |'; out_has '|---|---:|'; out_has '| acme/Big-1 | 400,000 |'; }
test_models_json() {
    models --json; exits 0; err_empty
    python3 -c 'import json; r = json.load(open("out")); assert r["matched"] == 3 and r["models"][0]["fields"]["tool_calling"] == "native" and r["models"][0]["fields"]["reasoning"] is None' || fail "not as wanted"
}
test_models_mistakes() {
    models --provider acmee; exits 2; out_empty; err_has "did you mean 'acme'?"
    models --can tool_caling; exits 2; err_has "did you mean 'tool_calling'?"
    models --can tool_calling=often; exits 2; err_has "native or emulated"
    models --min-context lots; exits 2; err_has "200k"
    models --columns colour; exits 2; err_has "no field is called 'colour'"
    models --columns contxt_window; exits 2; err_has "did you mean context_window?"
    models --limit x; exits 2; err_has "--limit does not take 'x'"; err_has "whole number"
    models --sort size; exits 2; err_has "one of: name"
    models smal-1; exits 1; out_empty; err_has "did you mean acme/small-1?"
}
test_models_hostile_names() {
    cat >b.toml <<'T'
schema = "cando/rules@1"
[[models]]
provider = "acme"
id = "x\u001b[31m|y"
T
    run "$cando" models --rules b.toml; exits 0; ! grep -q $'\033' out || fail "an escape went through"
    run "$cando" models --rules b.toml --markdown; out_has '\|y'
}
test_models_of_the_builtin_catalog() { run "$cando" models --provider anthropic --can tool_calling; exits 0; out_has "anthropic/claude-"; out_lacks "openai/"; }

test_show_price_and_source() {
    rules; run "$cando" show --rules a.toml acme/big-1; exits 0
    out_matches '^price +input \$3\.00 / output \$15\.00 per million tokens$'; out_matches '^ +other rates: above 200,000 tokens of input; batch$'
    run "$cando" show --all --rules a.toml acme/big-1; exits 0
    out_has 'Big, "One", released 2026-05-10'; out_has "source https://acme.example/big, checked 2026-06-01"
    out_matches '^  input \$3\.00 / output \$15\.00 per million tokens$'; out_matches '^  cache read \$0\.30 per million tokens$'
    out_matches '^  above 200,000 tokens of input: input \$6\.00 per million tokens$'; out_matches '^  batch: output \$7\.50 per million tokens$'
    out_matches '^  web searches \$10\.00 per thousand$'
    run "$cando" show --all --rules a.toml host/acme/big-1; exits 0; out_matches '^price$'; out_matches '^  unknown$'
}
test_show_bare_id_lists_offerings() {
    rules; for verb in show why; do
        run "$cando" $verb --rules a.toml big-1; exits 2; out_empty; err_has "does not name a provider"; err_matches '^ +acme/Big-1$'; err_matches '^ +host/acme/big-1$'
    done
    run "$cando" show --rules a.toml smal-1; exits 2; err_has "did you mean acme/small-1?"
    run "$cando" show --rules a.toml qwertyuiop; exits 2; err_has "provider/model"
}
test_show_suggests() {
    rules; run "$cando" show --rules a.toml acmee/big-1; exits 0; err_has "did you mean 'acme'?"
    run "$cando" show --rules a.toml acme/smalll-1; exits 0; err_has "did you mean acme/small-1?"
    run "$cando" show --rules a.toml acme/small-2; exits 0; err_lacks "did you mean"
}
test_models_is_safe_in_every_form() {
    printf 'schema = "cando/rules@1"\n[[models]]\nprovider = "openai"\nid = "=cmd|x"\nset = { display_name = "-1+cmd()", tool_calling = "native" }\n' >r.toml
    printf '[[models]]\nprovider = "openai"\nid = "a\\u009b31m\\u202eb"\nset = { display_name = "x\\u2066y", tool_calling = "native" }\n' >>r.toml
    run "$cando" models --rules r.toml --csv; exits 0; out_has "\"'=cmd|x\""; out_has "\"'-1+cmd()\""
    for form in --csv --markdown --json; do
        run "$cando" models --rules r.toml $form; exits 0
        python3 -c 'import sys; t = open("out").read(); sys.exit(any(c in t for c in "\x9b\u202e\u2066"))' || fail "$form: a raw character"
    done
    out_has '\u009b31m\u202eb'
    echo '{"op":"resolve","target":"openai/a\u009b31m\u202eb"}' >q; run "$cando" batch --rules r.toml <q; out_has '"model":"a\u009b31m\u202eb"'
}

test_words_are_all_in_the_name() {
    run "$cando" models Claude sonnet; exits 0; out_has anthropic/claude-sonnet-4-5; out_lacks haiku; out_lacks opus
    run "$cando" models opus-4 4-5 --provider anthropic; exits 0; out_has anthropic/claude-opus-4-5
    run "$cando" models 'claude-opus-4-5' 'gpt-4o'; exits 1
    run "$cando" models '*/claude-opus-4-5' '*/gpt-4o'; exits 0; out_has openai/gpt-4o; out_has anthropic/claude-opus-4-5
}
