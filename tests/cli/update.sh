# cando update: from files and from this machine's own server; nothing here leaves the machine.

api() { cat >api.json <<'J'
{"acme-none":{"id":"acme-none","models":{}},
"openai":{"id":"openai","name":"OpenAI","models":{
"gpt-4o":{"id":"gpt-4o","name":"GPT-4o","tool_call":true,"reasoning":false,"temperature":true,"release_date":"2024-05-13","modalities":{"input":["text","image"],"output":["text"]},"cost":{"input":2.5,"output":10},"limit":{"context":128000,"output":16384}},
"gpt-zz-test":{"id":"gpt-zz-test","name":"GPT Test","tool_call":true,"reasoning":true,"temperature":true,"release_date":"2026-09-01","modalities":{"input":["text"],"output":["text"]},"cost":{"input":1.5,"output":6},"limit":{"context":400000,"output":128000}}}}}
J
}
data() { echo "$PWD/d/cando"; }
update() { XDG_DATA_HOME=$PWD/d run "$cando" update --force --source models.dev@2026-09-02=api.json "$@"; }
careful() { XDG_DATA_HOME=$PWD/d run "$cando" update --source models.dev@2026-09-03=api.json "$@"; }
ask() { XDG_DATA_HOME=$PWD/d run "$cando" "$@"; }

test_update_puts_a_catalog_in_force() {
    api; ask show openai/gpt-zz-test; out_lacks "GPT Test"
    update; exits 0; out_matches '^  \+ openai/gpt-zz-test$'; out_has "catalog.snap: "
    ask show openai/gpt-zz-test; exits 0; out_has "GPT Test, released 2026-09-01"; out_has 'input $1.50 / output $6.00 per million tokens'; out_has "checked 2026-09-02"
    ask where; out_matches '^ 2  catalog +.*/d/cando/catalog.snap'
    ask show --no-config openai/gpt-zz-test; out_lacks "GPT Test"
    echo '{"op":"resolve","target":"openai/gpt-zz-test"}' >q; ask batch <q; out_lacks "GPT Test"
    ask batch --config <q; out_has "GPT Test"
}
test_update_dry_run() { api; update --dry-run; exits 0; out_has "+ openai/gpt-zz-test"; out_has "nothing was changed"; [ ! -e d ] || fail "it wrote something"; }
test_update_shows_prices_and_limits() {
    api; update; exits 0
    sed -i 's/"input":1.5/"input":1.25/; s/"context":400000/"context":500000/' api.json
    update --json --dry-run; exits 0; python3 - <<'P' || fail "not as wanted"
import json
r = json.load(open("out"))
want = [{"change": "price", "provider": "openai", "model": "gpt-zz-test", "what": "input_tokens", "before": "1.5", "after": "1.25"},
        {"change": "limit", "provider": "openai", "model": "gpt-zz-test", "what": "context_window", "before": "400,000", "after": "500,000"}]
assert r["changes"] == want and r["installed"] is False, r
P
    update; exits 0; out_has 'openai/gpt-zz-test  input_tokens $1.5 -> $1.25'; out_has "openai/gpt-zz-test  context_window 400,000 -> 500,000"; out_lacks "added"
    update --json; exits 0; python3 -c 'import json; r = json.load(open("out")); assert r["changes"] == [] and r["installed"] is True' || fail "not as wanted"
}
test_update_gone() {
    api; update; exits 0
    python3 -c 'import json; d = json.load(open("api.json")); del d["openai"]["models"]["gpt-zz-test"]; json.dump(d, open("api.json", "w"))'
    update --all; exits 0; out_has "  - openai/gpt-zz-test"
    ask show openai/gpt-zz-test; out_lacks "GPT Test"
}
test_update_keeps_other_providers() { api; update; exits 0; ask show anthropic/claude-opus-4-5; out_has "knows until 2025-03-31"; }
test_update_keeps_the_one_before() {
    api; update; exits 0; cp "$(data)/catalog.snap" first
    sed -i 's/"input":1.5/"input":1.25/' api.json
    update; exits 0; cmp -s first "$(data)/catalog.snap.1" || fail "the one before is not kept"
    ask update --undo; exits 0; cmp -s first "$(data)/catalog.snap" || fail "it is not back"
    ask update --undo; exits 0; cmp -s first "$(data)/catalog.snap.1" || fail "it was not taken back"
    ask show openai/gpt-zz-test; out_has 'input $1.25'; ask update --undo; ask show openai/gpt-zz-test; out_has 'input $1.50'
}
test_update_undo_of_the_first() {
    api; update; exits 0; cp "$(data)/catalog.snap" first
    ask update --undo; exits 0; out_has "the built-in catalog is in force"; ask show openai/gpt-zz-test; out_lacks "GPT Test"; err_lacks catalog.snap
    ask update --undo; exits 0; cmp -s first "$(data)/catalog.snap" || fail "it is not back"; [ ! -e "$(data)/catalog.snap.1" ] || fail "there was none before"
    ask update --undo; update; exits 0; ask update --undo; out_has "built-in"
}
# Eight models of one provider and four of another; what is done to them is in the argument.
many() { python3 - "$1" <<'P'
import json, sys
def model(i): return {"id": i, "name": i, "release_date": "2026-09-01", "modalities": {"input": ["text"], "output": ["text"]}, "cost": {"input": 2, "output": 8}, "limit": {"context": 400000, "output": 100000}}
d = {p: {"id": p, "models": {"zz-%d" % i: model("zz-%d" % i) for i in range(n)}} for p, n in (("openai", 8), ("groq", 4))}
m = d["openai"]["models"]
exec(sys.argv[1])
json.dump(d, open("api.json", "w"))
P
}
refused() { exits 3; err_has "[update-refused]"; err_has "--force"; cmp -s first "$(data)/catalog.snap" || fail "the catalog changed"; }
test_update_refuses_losses() {
    many ""; careful; exits 3; err_has "the old catalog stays [update-refused]"; err_matches '^anthropic: models.dev had [0-9]+ of its models and has 0'
    [ ! -e "$(data)/catalog.snap" ] || fail "it was put in force"
    update; exits 0; cp "$(data)/catalog.snap" first
    for i in "del d['groq']" "d['openai']['models'] = {'zz-1': m['zz-1']}"; do many "$i"; careful; refused; done
    err_matches '^openai: models.dev had [0-9]+ of its models and has 1'; out_has "  - openai/zz-0"
    many 'for x in m.values(): x["limit"] = {"context": 400, "output": 100}'; careful --dry-run; refused; err_has "8 with limits far below what they were; for example zz-0"
    many 'for x in m.values(): x["cost"] = {"input": 0.000002, "output": 0.000008}'; careful; refused; err_has "8 with prices out of scale"
}
test_update_keeps_what_was_corrected_by_hand() {
    many ""; update; exits 0; ask retiring --at 2026-11-16 --provider openai --all; exits 1; out_has "gpt-3.5-turbo-0613"
}
test_update_window_and_output_of_two_days() {
    many 'd = {"xai": {"id": "xai", "models": {"grok-4.3": {"id": "grok-4.3", "limit": {"output": 90000000}}}}}'
    careful --force; exits 0; ask show xai/grok-4.3; exits 0; out_lacks "context_window       1,"
}
test_update_broken_source_changes_nothing() {
    api; update; exits 0; cp "$(data)/catalog.snap" first
    echo '{"openai": {' >api.json; update; exits 2; out_empty; err_has "[json-syntax]"
    cmp -s first "$(data)/catalog.snap" || fail "the catalog changed"; [ ! -e "$(data)/catalog.snap.1" ] || fail "a copy was made"
    rm api.json; update; exits 3; err_has "[io]"
}
test_update_one_at_a_time() { api; update; exec 9>>"$(data)/update.lock"; flock 9; update; exits 2; err_has "another update is running"; }
test_update_damaged_catalog_is_passed_over() {
    api; update; exits 0; printf 'x' | dd of="$(data)/catalog.snap" bs=1 seek=5000 conv=notrunc status=none
    ask show anthropic/claude-opus-4-5; exits 0; out_has "knows until 2025-03-31"; err_has "[snapshot-bad]"; err_has "catalog.snap.1"
    update; exits 0; ask show openai/gpt-zz-test; err_empty; out_has "GPT Test"
}
test_update_bad_options() {
    run "$cando" update --source x; exits 2; err_has "NAME=FILE"
    run "$cando" update --source models.dev=http://example.com/api.json; exits 2; err_has "not https"
    run "$cando" update --source models.dev=http://localhost.example.com/api.json; exits 2; err_has "not https"
    run "$cando" update --source models.dev=http://localhost@example.com/api.json; exits 2; err_has "not https"
    run "$cando" update extra; exits 2; err_has "--source"
    api; run "$cando" update --source nobody=api.json; exits 2; err_has "no source 'nobody'"
}

# A server of our own for one test: prints its port. /moved leads to plain http, /large never ends.
serve() { cat >server.py <<'P'
import http.server, os, sys, threading
class H(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *a): pass
    def do_GET(self):
        if self.path == "/moved":
            self.send_response(302); self.send_header("Location", "http://127.0.0.1:%d/api.json" % self.server.server_port); self.end_headers()
        elif self.path == "/large":
            self.send_response(200); self.end_headers()
            try:
                for _ in range(80): self.wfile.write(b" " * (1 << 20))
            except OSError: pass
        else: super().do_GET()
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), H)
print(s.server_port, flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0))).start()
s.serve_forever()
P
    # it leaves when its input ends: with this shell, however long that takes
    mkfifo hold; python3 server.py >port <hold & exec 8>hold
    while [ ! -s port ]; do :; done
    port=$(cat port)
}
has_curl() { python3 -c 'import ctypes; ctypes.CDLL("libcurl.so.4")' 2>/dev/null || python3 -c 'import ctypes; ctypes.CDLL("libcurl-gnutls.so.4")' 2>/dev/null; }
from_url() { XDG_DATA_HOME=$PWD/d run "$cando" update --force --source "models.dev@2026-09-02=http://127.0.0.1:$port/$1"; }
test_update_from_an_address() {
    api; serve
    has_curl || { echo "no libcurl here"; return 0; }
    from_url api.json; exits 0; out_has "+ openai/gpt-zz-test"
    cp "$(data)/catalog.snap" first
    from_url nothing.json; exits 3; err_has "the server answered 404"
    from_url moved; exits 3; err_has "cannot fetch"
    from_url large; exits 3; err_has "larger than"
    cmp -s first "$(data)/catalog.snap" || fail "the catalog changed"
}
