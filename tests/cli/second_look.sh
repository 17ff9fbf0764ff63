# What a second newcomer missed: what is known already is said so, one wording for one thing, and exit codes that CI can use.

request() { printf '{"model":"gpt-5","messages":[{"role":"user","content":"Hi"}]}' >"$1"; }

test_version_tells_the_age() {
    CANDO_TODAY=2026-11-16 run "$cando" version; exits 0; out_matches 'genai-prices +2026-08-22  86 days old \(3 months\) +[0-9]+ models'
    CANDO_TODAY=2026-08-22 run "$cando" version; out_matches 'genai-prices +2026-08-22  today '
    CANDO_TODAY=2026-08-23 run "$cando" version; out_matches 'genai-prices +2026-08-22  yesterday '
    CANDO_TODAY=2029-08-22 run "$cando" version; out_matches 'genai-prices .*1096 days old \(3 years\)'
    CANDO_TODAY=2026-11-16 run "$cando" version --json; out_has '"source":"genai-prices","day":"2026-08-22","days_old":86,'
    CANDO_TODAY=2026-08-01 run "$cando" version --json; exits 0; out_has '"source":"genai-prices","day":"2026-08-22","models"'
}
test_headers() {
    printf '{"model":"claude-sonnet-5","max_tokens":100,"mcp_servers":[{"type":"url","url":"https://x.example/sse","name":"x"}],"messages":[{"role":"user","content":"Hi"}]}' >r.json
    run "$cando" check r.json; exits 1; out_has "[parameter-required]"
    run "$cando" check r.json --header "Anthropic-Beta: mcp-client-2025-04-04"; exits 0; out_lacks "[parameter-required]"
    run "$cando" check r.json -H 'x-title: a "b\c' -H "anthropic-beta: other" -H "anthropic-beta:mcp-client-2025-04-04"; exits 0
    run "$cando" check r.json -H "anthropic-beta: other, mcp-client-2025-04-04"; exits 0
    run "$cando" check r.json -H nothing; exits 2; err_has "NAME:VALUE"
    run "$cando" check r.json -H "x: $(printf 'a\001b')"; exits 2
    run "$cando" fix r.json -H "anthropic-beta: mcp-client-2025-04-04"; exits 0; err_has "nothing to repair"
}
# why and conflicts tell a disagreement in the same lines.
test_one_wording_of_a_disagreement() {
    model=google/gemini-2.5-pro-preview-tts
    for field in context_window price; do
        "$cando" conflicts $model --field $field | sed -n '/^  [* ] .* 20..-/s/^ *//p' >theirs; [ -s theirs ] || fail "no disagreement on $field"
        "$cando" why $model $field | sed -n '/^    disagree/,$p' | sed -n '/^  *[*$0-9].* 20/s/^ *//p' >ours
        diff theirs ours || fail "$field"
    done
    run "$cando" conflicts $model; out_matches '^  \* 8,192 '; out_has '$20.00'
    run "$cando" why $model price; out_has "price  input \$1.00 / output \$20.00 per million tokens"
    run "$cando" why openai/gpt-4o vision; exits 0; out_lacks "disagree"
}
test_a_misspelt_field() {
    run "$cando" why openai/gpt-5 tempurature; exits 2; err_has "did you mean temperature?"
    run "$cando" why openai/gpt-5 cache; exits 2; err_has "prompt_caching"; err_has "cache_min_tokens"
    run "$cando" why openai/gpt-5 visoin; exits 2; err_has "did you mean input_image?"
    run "$cando" why openai/gpt-5 zzz; exits 2; err_has "cando help fields"
}
# What nearly applied is told of the field that was asked about, with what it says.
test_near_misses_by_field() {
    run "$cando" why openai/gpt-9 temperature; exits 0; out_has "near miss  unsupported by rule gpt-5-reasoning"; out_lacks "gpt-vision"
    run "$cando" why openai/gpt-9; exits 0; out_has "rule gpt-vision"
    echo '{"op":"resolve","target":"openai/gpt-9","why":"all","field":"temperatur"}' | "$cando" batch >answer || true
    grep -q '"unknown-field"' answer || fail "$(cat answer)"
}
test_a_difference_a_price() {
    run "$cando" diff openai/gpt-4o openai/gpt-4o-mini --json; exits 0
    out_has '{"field":"price.input_tokens","a":"2.5","b":"0.15","change":"change"}'; out_has '"price.input_tokens @batch"'; out_lacks '"field":"price",'
    run "$cando" diff openai/gpt-4o anthropic/claude-opus-4-5 --json; out_has '{"field":"price.web_searches","a":null,"b":"10","change":"known"}'
    out_has '{"field":"price.input_tokens @batch","a":"1.25","b":null,"change":"unknown"}'
    run "$cando" diff openai/gpt-4o openai/gpt-4o-mini; out_matches '^prices$'; out_has 'input                     $2.50 -> $0.15 per million tokens'
    run "$cando" diff openai/gpt-4o openai/gpt-4o; out_lacks price
}
