# cando import and cando conflicts: other catalogs' files in, disagreements out.

providers() { cat >p.toml <<'T'
schema = "cando/rules@1"
[[providers]]
id = "wandb"
[[providers]]
id = "openai"
T
}
files() {
    providers
    echo '{"wandb":{"models":{"m":{"name":"M","tool_call":true,"cost":{"input":0.15,"output":0.6}}}},"other":{"models":{"x":{}}}}' >md.json
    echo '{"wandb/m":{"litellm_provider":"wandb","input_cost_per_token":0.015},"sample_spec":{},"gpt-x":{"litellm_provider":"openai","mode":"chat","max_output_tokens":4096}}' >ll.json
    s="--rules p.toml --source models.dev@2026-07-02=md.json --source litellm@2026-08-08=ll.json"
}

test_import_counts() {
    files; run "$cando" import $s; exits 0; err_empty
    out_matches '^models\.dev +2026-07-02 +2 +1 +1 +0$'; out_matches '^litellm +2026-08-08 +3 +2 +1 +0$'
    out_matches '^ +unknown-provider +1$'; out_matches '^ +not-a-model +1$'; out_has "2 models with facts at 2 providers"
}
test_import_lists_what_is_missing() {
    files; run "$cando" import $s --skipped; exits 0
    out_has "models.dev:/other/models/x: unknown-provider (other)"; out_has "litellm:/sample_spec: not-a-model"
}
test_import_writes_files() {
    files; mkdir facts; run "$cando" import $s --out facts; exits 0
    [ "$(ls facts)" = "openai.toml
wandb.toml" ] || fail "other files: $(ls facts)"
    grep -qF 'price = { input_tokens = "0.15", output_tokens = "0.6" }' facts/wandb.toml || fail "no price"
    run "$cando" lint p.toml facts; exits 0
    cp facts/wandb.toml before; "$cando" import $s --out facts >out; cmp before facts/wandb.toml || fail "not the same twice"
}
test_import_one_provider() {
    files; mkdir facts; run "$cando" import $s --out facts --provider wandb,nobody; exits 0
    [ "$(ls facts)" = wandb.toml ] || fail "other files: $(ls facts)"
}
test_import_json() { files; run "$cando" import $s --json; exits 0; out_has '"provider":"wandb"'; out_has '[[models]]'; }
test_import_no_folder() { files; run "$cando" import $s --out nowhere; exits 3; err_has "[io]"; }
test_import_no_file() { providers; run "$cando" import --rules p.toml --source litellm=none.json; exits 3; err_has "none.json"; }
test_import_broken_file() {
    providers; echo '{' >b.json; run "$cando" import --rules p.toml --source litellm=b.json; exits 2; err_has "[json-syntax]"; err_has "line 2"
}
test_import_bad_option() {
    providers; run "$cando" import --source litellm; exits 2; err_has "NAME=FILE"
    run "$cando" import --source rumour=p.toml --rules p.toml; exits 2; err_has "known: anthropic"
}
test_import_wants_files() { run "$cando" import; exits 2; err_has "which files?"; }

test_conflicts_of_files() {
    files; run "$cando" conflicts $s; exits 0; err_empty
    out_matches '^wandb/m +price\.input_tokens +absurd$'; out_matches '^ +\* \$0\.15 +models\.dev +2026-07-02$'
    out_matches '^ +\$15000\.00 +litellm +2026-08-08$'; out_has "1 disagreement"; out_matches 'litellm +0 won, 1 lost'
}
test_conflicts_filters() {
    files; run "$cando" conflicts $s --field max_output; exits 0; out_has "0 disagreements"
    run "$cando" conflicts $s --kind absurd --by litellm --provider wandb wandb/m; exits 0; out_has "1 disagreement"
    run "$cando" conflicts $s --kind worse; exits 2
    run "$cando" conflicts $s --limit few; exits 2; err_has "whole number"
}
test_conflicts_json() { files; run "$cando" conflicts $s --json; exits 0; out_has '"kind":"absurd"'; out_has '"total":1'; }
test_conflicts_of_the_catalog() { run "$cando" conflicts deepseek/deepseek-chat --field context_window; exits 0; out_has "1 disagreement"; }

# A server of our own that answers as Ollama does, for one test.
test_import_from_a_local_server() {
    cat >server.py <<'P'
import http.server, json, os, threading
class H(http.server.BaseHTTPRequestHandler):
    def log_message(self, *a): pass
    def say(self, x):
        self.send_response(200); self.end_headers(); self.wfile.write(json.dumps(x).encode())
    def do_GET(self): self.say({"models": [{"name": "llama3.1:8b", "model": "llama3.1:8b", "details": {"family": "llama"}}]})
    def do_POST(self):
        q = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.say({"modelfile": "# FROM %s\n" % q["model"], "parameters": "", "model_info": {"general.architecture": "llama", "llama.context_length": 65536}, "capabilities": ["completion", "tools"]})
s = http.server.HTTPServer(("127.0.0.1", 0), H)
print(s.server_port, flush=True)
threading.Timer(600, lambda: os._exit(0)).start()
s.serve_forever()
P
    python3 server.py >port & server=$!
    trap 'kill $server 2>/dev/null || :' EXIT
    while [ ! -s port ]; do :; done
    at=http://127.0.0.1:$(cat port); mkdir f
    run "$cando" import --out f --source "ollama@2026-11-16=$at/api/tags" --source "ollama@2026-11-16=$at/api/show#llama3.1:8b"
    if grep -q "libcurl" err; then echo "no libcurl here"; return 0; fi
    exits 0; grep -q 'provider-api' f/ollama.toml || fail "not first-party"
    run "$cando" show --all --no-config --overlay f/ollama.toml ollama/llama3.1:8b; exits 0; out_matches 'context_window +65,536$'; out_matches 'tool_calling +native$'; out_lacks "not known"; out_lacks "known under"
    run "$cando" import --source ollama=http://example.com/api/tags; exits 2; err_has "only servers on this machine are"
}
