# cando retiring: the catalog, files, logs and whole trees; what git ignores; what is no text.

rules() { cat >a.toml <<'T'
schema = "cando/rules@1"
[[providers]]
id = "acme"
[[labs]]
id = "acme"
families = ["rocket"]
models = ["rocket-1-0613", "rocket-2-0613", "rocket-3"]
[[models]]
provider = "acme"
id = "rocket-1-0613"
set = { retires_on = "2026-09-01", replaced_by = "rocket-2-0613" }
[[models]]
provider = "acme"
id = "rocket-0-0101"
set = { retires_on = "2024-09-01" }
[[models]]
provider = "acme"
id = "rocket-2-0613"
set = { retires_on = "2026-12-01", replaced_by = "rocket-3" }
[[models]]
provider = "acme"
id = "rocket-2-promised"
set = { retires_not_before = "2026-11-01" }
[[models]]
provider = "acme"
id = "rocket-3"
T
}
retiring() { rules; run env CANDO_TODAY=2026-10-01 "$cando" retiring --rules a.toml "$@"; }

test_retiring_catalog() {
    retiring; exits 1
    out_has acme; out_matches '^  stopped +2026-09-01  rocket-1-0613$'; out_matches '^ +-> rocket-2-0613 \(ends on 2026-12-01, then rocket-3\)$'
    out_matches '^  stops +2026-12-01  rocket-2-0613  -> rocket-3$'
    out_matches '^  not before  2026-11-01  rocket-2-promised$'
    out_lacks rocket-0; out_has "1 more stopped before that"
    err_has "2 stopped, 1 will within 90 days, 1 may; --all lists all of them"
    retiring --all; exits 1; out_has rocket-0-0101
    retiring --within 7d; exits 1; out_lacks rocket-2; err_has "1 later"
    retiring --at 2024-01-01; exits 0; err_has "0 stopped"
    retiring --provider nobody; exits 2; err_has "no provider is called 'nobody'"
    retiring --within soon; exits 2; err_has "a number of days, or a span: 90, 30d, 2w, 6m or 1y"
}
test_retiring_file() {
    mkdir t; printf 'x\nmodel = "rocket-1-0613"\n' >t/a.py
    retiring t/a.py; exits 1; out_has "t/a.py:2:10"; out_has "stopped     2026-09-01  acme/rocket-1-0613"; err_has "1 file read"
    printf 'rocket-3 "rocket-3"\n' >t/a.py; retiring t/a.py; exits 0; out_empty
    retiring nowhere; exits 3; err_has "cannot read nowhere"
    rules; rc=0; CANDO_TODAY=2026-10-01 "$cando" retiring --rules a.toml - <<<'rocket-2-0613' >out 2>err || rc=$?
    exits 0; out_has "(input):1:1"
}
test_retiring_strict() {
    echo '"rocket-2-0613"' >a.py
    retiring a.py; exits 0; retiring a.py --strict; exits 1; retiring a.py --strict --within 7d; exits 0; err_has "1 later"
    retiring a.py --strict --json; exits 1; echo '"rocket-2-promised"' >a.py; retiring a.py --strict; exits 0
    run "$cando" retiring --help; out_has "with --strict also if anything will"
}
# What is named as a replacement may end itself, or be nothing that the catalog knows; two may name each other.
test_retiring_replacements() {
    rules; cat >>a.toml <<'T'
[[models]]
provider = "acme"
id = "rocket-4-old"
set = { retires_on = "2026-09-01", replaced_by = "rocket-9-secret" }
[[models]]
provider = "acme"
id = "rocket-5-one"
set = { retires_on = "2026-11-01", replaced_by = "rocket-5-two" }
[[models]]
provider = "acme"
id = "rocket-5-two"
set = { retires_on = "2026-12-01", replaced_by = "rocket-5-one" }
[[models]]
provider = "acme"
id = "rocket-6-old"
set = { status = "deprecated", replaced_by = "rocket-6-older" }
[[models]]
provider = "acme"
id = "rocket-6-older"
set = { status = "deprecated", replaced_by = "rocket-7-secret" }
T
    cp a.toml b.toml; echo '"rocket-1-0613" "rocket-4-old" "rocket-5-one" "rocket-6-old" "rocket-2-0613"' >a.py
    run "$cando" retiring --rules b.toml a.py; exits 1; tr -s ' \n' ' ' <out >all
    grep -q -- '-> rocket-2-0613 (ends on 2026-12-01, then rocket-3)' all || fail "what ends itself"
    grep -q -- 'acme/rocket-4-old -> rocket-9-secret (not in the catalog)' all || fail "what is not known"
    grep -q -- '-> rocket-6-older (deprecated, then rocket-7-secret, which is not in the catalog)' all || fail "the chain"
    grep -q -- '-> rocket-5-two (ends on 2026-12-01)' all || fail "a circle"
    grep -q -- 'acme/rocket-2-0613 -> rocket-3 ' all || fail "what lives"
}
test_retiring_json() {
    mkdir t; echo 'acme/rocket-1-0613 rocket-2-0613' >t/log.jsonl
    retiring --json t; exits 1
    python3 -c 'import json; a = json.load(open("out")); e = a["retiring"]
assert (a["stopped"], a["stopping"], len(e)) == (1, 1, 2), a
assert e[0]["use"] == "rocket-2-0613" and e[0]["places"] == [{"name": "t/log.jsonl", "line": 1, "column": 1, "as": "acme/rocket-1-0613"}], e' || fail "not as wanted"
}
test_retiring_leaves_out() {
    mkdir -p t/.git t/deep; echo rocket-1-0613 >t/.git/x; printf 'rocket-1-0613\0' >t/binary
    ln -s ../a.toml t/link; ln -s . t/loop; mkfifo t/pipe
    { head -c 9000000 /dev/zero | tr '\0' x; echo; echo rocket-1-0613; } >t/large
    retiring t; exits 0; out_empty; err_has "1 file over 8 MB left out; name one to have it read"
    echo rocket-1-0613 >t/deep/.hidden; retiring t; exits 1; out_has "t/deep/.hidden:1:1"
    retiring t/large; exits 1; out_has "t/large:2:1"
}
test_retiring_asks_git() {
    command -v git >/dev/null || return 0
    mkdir -p t/sub/out; cd t; git init -q .; cd ..
    printf '*.log\nout/\n!kept.log\n' >t/.gitignore; printf '/only\n' >t/sub/.gitignore
    for f in a.log kept.log sub/out/x sub/only sub/other only; do echo rocket-1-0613 >"t/$f"; done
    git -C t config core.fsmonitor "touch $PWD/ran"
    retiring t; exits 1; out_has t/kept.log:1:1; out_has t/sub/other:1:1; out_has t/only:1:1
    out_lacks a.log; out_lacks sub/out; out_lacks sub/only; [ ! -e ran ] || fail "a command of the repository was run"
    cd t; rules; run env CANDO_TODAY=2026-10-01 GIT_DIR=/nowhere "$cando" retiring --rules ../a.toml sub; exits 1
    out_has sub/other:1:1; out_lacks sub/only
    git add -f a.log; run env CANDO_TODAY=2026-10-01 "$cando" retiring --rules ../a.toml .; exits 1; out_has "    a.log:1:1"
}
test_retiring_large_log_in_pieces() {
    awk 'BEGIN { for (i = 1; i <= 900000; i++) print "{\"n\":" i ",\"model\":\"rocket-3\",\"text\":\"some words of a log\"}"; print "{\"model\":\"rocket-1-0613\"}" }' >big.log
    retiring big.log; exits 1; out_has "big.log:900001:11"
}
