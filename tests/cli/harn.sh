# shellcheck shell=bash
# harn.sh - rules in Harn's form over the catalog, the gate over what is in force, fragments as one file.

unpin() {
    cat >pin.toml <<'X'
schema = "cando/rules@1"
[[rules]]
name = "unpin"
providers = ["openrouter"]
match = "gpt-oss-120b"
set = { openrouter_provider_order = "unknown" }
X
    cat >harn.toml <<'X'
[[capabilities.provider.openrouter]]
model_match = "openai/gpt-oss-120b"
auto_reasoning_overrides = { agent = "off" }
extends = true
X
}

test_gate_lint() {
    unpin
    run "$cando" lint pin.toml
    exits 1
    out_has "pin.toml:6:9: error: tools need the reasoning channel, and the route is pinned to no upstream [route-unpinned]"
    run "$cando" lint harn.toml
    exits 1
    out_has "harn.toml:3:1: error: reasoning is required for tools, and turned off for 'agent' [reasoning-contradiction]"
}

test_gate_where() {
    unpin
    run "$cando" where --overlay pin.toml
    exits 3
    err_has "[route-unpinned]"
    run "$cando" where --overlay harn.toml
    exits 3
    err_has "[reasoning-contradiction]"
}

test_gate_build() {
    unpin
    cat >base.toml <<'X'
schema = "cando/rules@1"
[[rules]]
name = "oss"
match = "gpt-oss*"
set = { reasoning_required_for_tools = true, openrouter_provider_order = ["Groq"] }
X
    run "$cando" build -o a.snap base.toml --layer project=harn.toml
    exits 3
    err_has "[reasoning-contradiction]"
    run "$cando" build --check -o a.snap base.toml --layer project=pin.toml
    exits 3
    err_has "[route-unpinned]"
}

test_override_is_alone() {
    printf '[[capabilities.provider.anthropic]]\nmodel_match = "claude-opus-4-5"\nnative_tools = true\n' >h.toml
    run "$cando" show --overlay h.toml --view harn --json anthropic/claude-opus-4-5
    exits 0
    out_has '"native_tools":true,'
    out_has '"vision":false,'
    out_has '"prompt_caching":false,'
    out_has '"message_wire_format":"openai"'
    run "$cando" show --overlay h.toml --json anthropic/claude-opus-4-5
    out_has '"prompt_caching":null,'
    out_has '"context_window":200000,' # Harn has no word for it
    out_lacks '"prefers_xml_tools"'
    run "$cando" show --overlay h.toml --view harn --json anthropic/claude-sonnet-4-5
    out_has '"vision":true,'
    echo 'extends = true' >>h.toml
    run "$cando" show --overlay h.toml --view harn --json anthropic/claude-opus-4-5
    out_has '"vision":true,'
    out_has '"message_wire_format":"anthropic"'
}

test_override_defaults() {
    cat >h.toml <<'X'
[[capabilities.provider.anthropic]]
model_match = "claude-opus-4-5"
native_tools = true
[capabilities.provider_defaults.anthropic]
prompt_caching = true
X
    run "$cando" show --overlay h.toml --view harn --json anthropic/claude-opus-4-5
    out_has '"prompt_caching":true,'
    out_has '"vision":false,'
}

test_fragments() {
    printf '[[provider.acme]]\nmodel_match = "rocket-*"\nnative_tools = true\n' >a.toml
    printf '[[provider.acme]]\nmodel_match = "*"\n[provider_family]\nother = "acme"\n' >b.toml
    run "$cando" build -o m.snap a.toml b.toml
    exits 0
    for how in --rules --overlay; do
        run "$cando" show $how m.snap --view harn --json other/rocket-1
        exits 0
        out_has '"native_tools":true,'
    done
    run "$cando" show --overlay m.snap --json openai/gpt-4o
    out_has '"tool_calling":"native"'
    run "$cando" where --overlay m.snap
    exits 0
    out_has "m.snap"
    run "$cando" why --overlay m.snap acme/rocket-1 tool_calling
    out_has "a.toml:1 (project)"
    run "$cando" build --check -o m.snap a.toml b.toml
    exits 0
    run "$cando" build -o again.snap m.snap
    exits 0
    printf 'CANDO\r\n\032not a snapshot' >bad.snap
    run "$cando" show --rules bad.snap openai/gpt-4o
    exits 3
}
