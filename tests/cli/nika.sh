# shellcheck shell=bash
# nika.sh - the page's own example, the provider table, lists by convention, the listing.

page() {
    cat >page.toml <<'X'
[defaults]
input_modalities     = ["text", "image"]
output_modalities    = ["text"]
supported_parameters = []

[[rules]]
scope.providers = ["anthropic", "bedrock"]
match = { kind = "prefix_any", prefixes = ["claude", "anthropic.claude"] }
caps.streaming            = true
caps.tool_calling         = true
caps.parallel_tool_calls  = true
caps.json_mode            = "schema"
caps.caching              = "prompt-caching"
caps.token_limit_param    = "max-tokens"
caps.supported_parameters = ["prompt-caching", "thinking-budget"]

[[rules]]
scope.providers = ["anthropic"]
match = { kind = "prefix_any", prefixes = ["claude-opus-4"] }
caps.supported_parameters = ["prompt-caching", "thinking-budget", "computer-use", "citations"]
X
}

test_page() {
    page
    run "$cando" lint --syntax nika page.toml
    exits 0
    err_has "no findings"
    run "$cando" build --syntax nika -o page.snap page.toml
    exits 0
    err_empty
    run "$cando" show --rules page.snap --view nika --json anthropic/claude-opus-4-5-20260201
    out_has '"supported_parameters":["prompt-caching","thinking-budget","computer-use","citations"]'
    out_has '"json_mode":"schema","streaming":true,"tool_calling":true,"parallel_tool_calls":true,"caching":"prompt-caching"'
    run "$cando" show --rules page.snap --view nika --resolution first-match --json anthropic/claude-opus-4-5-20260201
    out_has '"supported_parameters":["prompt-caching","thinking-budget"]'
    run "$cando" why --rules page.snap --resolution first-match anthropic/claude-opus-4-5-20260201 supported_parameters
    out_has "page.toml:6"
}

test_schema_line_wants_all() {
    page
    sed '1i schema = "nika/model-capabilities@1.0"' page.toml >whole.toml
    run "$cando" lint whole.toml
    exits 1
    out_has "[defaults] lacks: token_limit_param"
    out_has "the rule has no 'name'"
    out_has "[unordered-list]"
}

table() {
    cat >table.toml <<'X'
schema = "nika/llm-providers@1.0"
[[providers]]
id = "anthropic"
name = "Anthropic"
aliases = ["claude"]
env_var = "ANTHROPIC_API_KEY"
default_model = "claude-sonnet-4-6"
cheap_model = "claude-sonnet-4-6"
requires_key = true
description = "x"
api_dialect = "anthropic"
tags = ["cloud"]
[[providers.models]]
id = "sonnet"
model = "claude-sonnet-4-6"
context_window_tokens = 200000
max_output_tokens = 64000
X
    cat >rules.toml <<'X'
[[rules]]
scope.api_dialect = "anthropic"
match = { kind = "any" }
caps.tokenizer = "qwen"
[[rules]]
scope.providers = ["gemini"]
match = { kind = "any" }
caps.tokenizer = "granite"
X
    "$cando" build --syntax nika -q -o rules.snap rules.toml
}

test_table_offers_models() {
    table
    run "$cando" lint table.toml
    exits 0
    run "$cando" models --rules table.toml --csv
    out_has "anthropic,claude-sonnet-4-6,,200000,64000"
    run "$cando" show --rules table.toml --rules rules.snap --view nika --json claude/claude-sonnet-4-6
    out_has '"tokenizer":"qwen"'
    out_has '"context_window_tokens":200000,"max_output_tokens":64000'
    run "$cando" show --rules table.toml --rules rules.snap --resolution first-match --view nika --json claude/claude-sonnet-4-6
    out_has '"tokenizer":"qwen"'
    out_has '"context_window_tokens":200000'
}

test_nika_words_over_the_catalog() {
    table
    run "$cando" show --overlay rules.snap --json anthropic/claude-opus-4-5
    out_has '"tokenizer":"qwen"'
    run "$cando" show --overlay rules.snap --json google/gemini-2.5-pro
    out_has '"tokenizer":"granite"'
    run "$cando" show --overlay rules.snap --json openai/gpt-4o
    out_has '"tokenizer":"o200k"'
}

test_lists() {
    cat >l.toml <<'X'
schema = "nika/model-capabilities@1.0"
[defaults]
token_limit_param = "max-tokens"
supports_temperature = true
supports_stop_sequences = true
reasoning = false
input_modalities = ["text"]
output_modalities = ["text"]
supported_parameters = []
supports_system_messages = true
[[rules]]
name = "a"
match = { kind = "any" }
caps.input_modalities = ["video", "text", "audio"]
caps.supported_parameters = ["batch-api", "citations", "web-search"]
[[rules]]
name = "b"
match = { kind = "any" }
caps.supported_parameters = ["thinking-budget", "prompt-caching", "citations", "citations"]
X
    run "$cando" lint l.toml
    exits 0
    out_has "l.toml:19:80: warning: 'citations' stands twice in 'supported_parameters' [repeated-word]"
    out_lacks "unordered-list"
    sed 1d l.toml >page.toml # without a schema too
    run "$cando" lint --syntax nika page.toml
    exits 0
    out_has "[repeated-word]"
}

test_brief() {
    run "$cando" models --provider anthropic --brief
    exits 0
    out_matches '^claude-opus-4-5 +streaming · tools · json=schema · cache · thinking · computer-use$'
    run "$cando" models --can computer-use --brief
    out_matches '^anthropic/claude-opus-4-5$'
}
