# cando check for machines: formats, folders, lines, and the git hook of docs/ci.md.

bad() { printf '{\n "model": "gpt-4o",\n "temperature": 9,\n "messages": [{"role": "user", "content": "hi"}]\n}\n'; }
good() { printf '{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}\n'; }
tree() {
    mkdir -p r/sub r/.hidden; bad >r/a.json; good >r/sub/b.json; bad >r/.hidden/c.json; ln -s ../a.json r/sub/link.json
    echo '{"name":"no request"}' >r/package.json
    { good; echo; printf '{"custom_id":"x","method":"POST","url":"/v1/chat/completions","body":%s}\n' "$(bad | tr -d '\n')"; } >r/l.jsonl
}

test_check_folder() {
    tree; run "$cando" check --at 2026-01-01 r; exits 1; out_has "r/a.json:3:17: error"; out_has "at /body/temperature"; out_matches '^r/l\.jsonl:3:[0-9]+: error'
    out_lacks hidden; out_lacks link; err_has "r/package.json: left out"; err_has "r/l.jsonl:3: 1 error"; err_has "4 requests: 2 errors; 1 left out"
    (cd r && run "$cando" check --at 2026-01-01 .; mv out err ..); out_has "a.json:3:17"; out_lacks "./a.json"
    mkdir empty; run "$cando" check empty; exits 2; out_empty; err_has "no request found in empty"
}
test_check_named_must_be_a_request() { echo '{"name":"no request"}' >p.json; run "$cando" check p.json; exits 3; err_has unknown-shape; echo '[]' >p.json; run "$cando" check p.json; exits 3; }
test_check_goes_on() { printf '{' >x.json; bad >y.json; run "$cando" check --at 2026-01-01 x.json none.json y.json; exits 3; err_has "x.json:1:2"; err_has none.json; out_has "y.json:3:17"; }
test_check_lines() { { good; good; } >x; run "$cando" check --at 2026-01-01 --lines - <x; exits 0; err_has "2 requests: no findings"; run "$cando" check --at 2026-01-01 - <x; exits 3; }
test_check_max_warnings_of_all() {
    good >x.json; good >y.json; run "$cando" check --at 2026-11-01 --max-warnings 1 x.json; exits 0
    run "$cando" check --at 2026-11-01 --max-warnings 1 x.json y.json; exits 1
}
test_check_nobody() { echo '{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}' >g.json; run "$cando" check g.json; exits 0; err_has "it does not say whose model it asks for: it is judged by the rules of gemini alone"; }
test_check_beta() {
    echo '{"model":"claude-opus-4-5","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}' >a.json
    run "$cando" check --at 2026-01-01 --beta context-1m-2025-08-07 --beta x anthropic/claude-opus-4-5 a.json; exits 0
}

test_check_format_json() {
    tree; run "$cando" check --at 2026-01-01 --format json r; exits 1
    python3 - <<'P' || fail json
import json
lines = [json.loads(x) for x in open("out")]
assert [(x["file"], x["line"], x["verdict"]) for x in lines] == [
    ("r/a.json", 1, "reject"), ("r/l.jsonl", 1, "ok"), ("r/l.jsonl", 3, "reject"), ("r/sub/b.json", 1, "ok")], lines
f = lines[0]["findings"][0]
assert (f["path"], f["line"], f["column"], f["width"], f["severity"]) == ("/temperature", 3, 17, 1, "error"), f
P
}
test_check_format_github() {
    mkdir 'a,b'; bad >'a,b/x:y%.json'; run "$cando" check --at 2026-01-01 --format github 'a,b'; exits 1
    out_matches '^::error file=a%2Cb/x%3Ay%25\.json,line=3,col=17,endColumn=18,title=value-out-of-range::.*, at /temperature; '
    printf '{' >b.json; run "$cando" check --format github b.json; exits 3; out_matches '^::error file=b.json,line=1,col=2,.*title=json-syntax::'
}
# what the schema of SARIF 2.1.0 requires, and what viewers rely on
test_check_format_sarif() {
    tree; printf '{"a":' >'r/brök en.json'; run "$cando" check --at 2026-11-01 --format sarif r; exits 3
    python3 - <<'P' || fail sarif
import json
log = json.load(open("out"))
assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-2.1.0.json")
(run,) = log["runs"]
driver = run["tool"]["driver"]
rules = driver["rules"]
assert driver["name"] == "cando" and run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
assert len({r["id"] for r in rules}) == len(rules)
assert all(r["shortDescription"]["text"] and r["fullDescription"]["text"] for r in rules)
for r in run["results"]:
    assert rules[r["ruleIndex"]]["id"] == r["ruleId"] and r["message"]["text"]
    assert r["level"] in ("none", "note", "warning", "error")
    (place,) = r["locations"]
    p = place["physicalLocation"]
    assert p["region"]["startLine"] >= 1 and p["region"]["endColumn"] >= p["region"]["startColumn"] >= 1
    assert not set(p["artifactLocation"]["uri"]) & set(' "<>\\^`{|}') and p["artifactLocation"]["uri"].isascii()
found = {(r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], r["ruleId"]) for r in run["results"]}
assert ("r/a.json", "value-out-of-range") in found and ("r/br%C3%B6k%20en.json", "json-syntax") in found, found
P
    good >g.json; run "$cando" check --at 2026-01-01 --format sarif g.json; exits 0; python3 -c 'import json; assert json.load(open("out"))["runs"][0]["results"] == []' || fail empty
    run "$cando" check --format xml g.json; exits 2
}

test_git_hook() {
    command -v git >/dev/null || return 0
    mkdir repo; cd repo || return 1
    git init -q . && git config user.email a@b.c && git config user.name n && mkdir -p requests .git/hooks
    sed -n '/<!-- hook -->/,/^```$/p' "$here/../../docs/ci.md" | sed '1,2d;$d' >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit
    PATH=$(dirname "$cando"):$PATH; export PATH
    good >requests/a.json; git add -A; run git commit -qm good; exits 0
    bad >requests/b.json; git add -A; run git commit -qm bad; exits 1
    grep -q "requests/b.json:3:17: error" out err || fail "the hook says nothing"
    good >requests/b.json; git add -A; bad >requests/b.json; run git commit -qm "what is staged counts"; exits 0
    cd ..
}
