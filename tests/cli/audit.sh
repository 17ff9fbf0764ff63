# cando audit: records in, records out, and nobody changes one unseen.

diagnostic() { echo '{"verdict":"'"$1"'","missing":['"${2:-}"'],"warnings":[],"target":"openai/gpt-5","previous":"anthropic/claude-opus-4-5"}'; }
trail() { # three records
    diagnostic accepted | "$cando" audit add --store t.db --session s-1 >/dev/null
    diagnostic rejected '{"capability":"tool_calling"},{"capability":"input_image"}' | "$cando" audit add --store t.db --session s-2 --change attach >/dev/null
    diagnostic degraded | "$cando" audit add --store t.db --session s-1 >/dev/null
}
test_audit_needs_a_store() { unset CANDO_STORE; run "$cando" audit; exits 2; err_has "--store"; }
test_audit_no_file() { run "$cando" audit verify --store none.db; exits 3; err_has "none.db"; [ ! -e none.db ] || fail "made a file"; }
test_audit_not_a_trail() {
    echo "this is no database, and long enough to be looked at as one; it has more than a hundred bytes, as a header has" >x.db
    run "$cando" audit verify --store x.db; exits 3; err_has "[audit-store]"
}
test_audit_list() {
    trail; run "$cando" audit --store t.db; exits 0; err_empty
    [ "$(wc -l <out)" -eq 3 ] || fail "want three lines"
    out_matches '^ +1 20[0-9-]+T[0-9:]+ switch +accepted s-1 anthropic/claude-opus-4-5 -> openai/gpt-5$'
    out_matches 'rejection +rejected s-2 .*tool_calling, input_image$'; out_matches 'downgrade +degraded'
}
test_audit_store_of_the_environment() { trail; export CANDO_STORE=t.db; run "$cando" audit; exits 0; [ "$(wc -l <out)" -eq 3 ] || fail "want three lines"; }
test_audit_filters() {
    trail
    count() { run "$cando" audit list --store t.db --json "$@"; exits 0; wc -l <out; }
    [ "$(count --session s-1)" = 2 ] && [ "$(count --verdict rejected)" = 1 ] && [ "$(count --model gpt-5)" = 3 ] && [ "$(count --model gpt-4)" = 0 ] &&
        [ "$(count --kind downgrade)" = 1 ] && [ "$(count --since 2001-01-01)" = 3 ] && [ "$(count --until 2001-01-01)" = 0 ] &&
        [ "$(count --since 1d)" = 3 ] && [ "$(count -n 2)" = 2 ] && [ "$(count --model anthropic/claude-opus-4-5 --session s-2)" = 1 ] || fail "wrong count"
    run "$cando" audit --store t.db -n 1 --json; out_has '"n":3'
}
test_audit_bad_options() {
    trail; run "$cando" audit --store t.db --verdict maybe; exits 2; err_has "accepted degraded rejected"
    run "$cando" audit --store t.db --since yesterday; exits 2; run "$cando" audit --store t.db -n x; exits 2
    run "$cando" audit lst --store t.db; exits 2; run "$cando" audit retain --store t.db; exits 2; err_has "--keep"
}
test_audit_verify() {
    trail; run "$cando" audit verify --store t.db; exits 0; err_empty; out_matches '^whole: 3 records, 1 to 3, head 3:[0-9a-f]{64}$'
    run "$cando" audit verify --store t.db --json; exits 0; out_has '"whole":true,"records":3,"first":1,"last":3'; out_has '"problem":null'
}
test_audit_expect() {
    trail; "$cando" audit verify --store t.db | sed 's/.*head //' >head
    diagnostic accepted | "$cando" audit add --store t.db >/dev/null
    run "$cando" audit verify --store t.db --expect "$(cat head)"; exits 0
    run "$cando" audit verify --store t.db --expect "$(sed 's/^3/2/' head)"; exits 1; err_has "record 2 is not the one that was expected"
    run "$cando" audit verify --store t.db --expect "$(sed 's/^3/9/' head)"; exits 1; err_has "the trail ends before it"
    run "$cando" audit verify --store t.db --expect 3:abc; exits 2
}
test_audit_finds_a_change() {
    trail; sed -i 's/"verdict":"rejected"/"verdict":"accepted"/' t.db
    run "$cando" audit verify --store t.db; exits 1; out_empty; err_has "[audit-damaged]"
    run "$cando" audit verify --store t.db --json; exits 1; out_has '"whole":false'
}
test_audit_finds_a_cut_end() {
    trail; cp t.db old.db; diagnostic accepted | "$cando" audit add --store t.db >/dev/null; cp old.db t.db
    run "$cando" audit verify --store t.db; exits 1; err_has "the end is cut off"
    rm t.db-head; run "$cando" audit verify --store t.db; exits 1; err_has "no head file"; err_has "audit acknowledge"
}
test_audit_a_cut_end_is_not_forgotten() {
    trail; cp t.db old.db; diagnostic accepted | "$cando" audit add --store t.db >/dev/null; cp old.db t.db; cp t.db-head evidence
    for i in 1 2; do diagnostic accepted | "$cando" audit add --store t.db >/dev/null; done
    cmp t.db-head evidence || fail "the head was overwritten"
    run "$cando" audit verify --store t.db; exits 1; err_has "is not the one that was acknowledged"
    run "$cando" audit --store t.db; [ "$(grep -c ' break ' out)" -eq 1 ] || fail "want one record of the break"; out_has "the end is cut off: record 4"
    run "$cando" audit acknowledge --store t.db; exits 2; err_has "--by"
    run "$cando" audit acknowledge --store t.db --by "anna"; exits 0; out_has "of record 4 is acknowledged by anna"
    run "$cando" audit verify --store t.db; exits 0; out_has "7 records"
    run "$cando" audit --store t.db; out_has "of record 4, by anna"
    run "$cando" audit acknowledge --store t.db --by anna; exits 0; out_has "nothing to acknowledge"
}
test_audit_a_deleted_trail_is_not_forgotten() {
    trail; rm t.db; diagnostic accepted | "$cando" audit add --store t.db >/dev/null
    run "$cando" audit verify --store t.db; exits 1; err_has "[audit-damaged]"
    run "$cando" audit --store t.db; out_has "record 3 was acknowledged, the last one here is 0"
    run "$cando" audit acknowledge --store t.db --by anna --json; exits 0; out_has '{"acknowledged":1}'
    run "$cando" audit verify --store t.db; exits 0
}
test_audit_a_head_that_is_gone() {
    trail; rm t.db-head; diagnostic accepted | "$cando" audit add --store t.db >/dev/null
    [ ! -e t.db-head ] || fail "made a new head"
    run "$cando" audit verify --store t.db; exits 1; err_has "no head file"
    run "$cando" audit acknowledge --store t.db --by anna; exits 0; run "$cando" audit verify --store t.db; exits 0
}
test_audit_follows_no_links() {
    echo precious >target; ln -s "$PWD/target" t.db-head
    diagnostic accepted | "$cando" audit add --store t.db >/dev/null
    [ "$(cat target)" = precious ] || fail "wrote through the link"
    run "$cando" audit verify --store t.db; exits 1; err_has "head file"
    mkfifo f.db-head; diagnostic accepted | timeout 20 "$cando" audit add --store f.db >/dev/null || fail "hangs"
    run timeout 20 "$cando" audit verify --store f.db; exits 1
    ln -s "$PWD/target" l.db; diagnostic accepted >lines; run "$cando" audit add --store l.db <lines; exits 3; err_has "link"
    [ "$(cat target)" = precious ] || fail "wrote through the link"
    mkfifo p.db; run timeout 20 "$cando" audit add --store p.db <lines; exits 3; err_has "no regular file"
}
test_audit_is_private() {
    (umask 000; trail)
    for f in t.db t.db-head; do [ "$(stat -c %a $f)" = 600 ] || fail "$f is $(stat -c %a $f)"; done
}
test_audit_tells_what_was_lost() {
    trail
    python3 - <<'P' &
import signal, sqlite3
db = sqlite3.connect("t.db", isolation_level=None)
db.execute("BEGIN EXCLUSIVE")
open("locked", "w").close()
signal.pause()
P
    locker=$!
    until [ -e locked ]; do :; done
    for i in $(seq 5); do diagnostic accepted; done >lines
    run "$cando" audit add --store t.db --wait 1 <lines; kill $locker
    exits 3; out_has "added 0 records"; err_has "5 record(s) are lost"
    run "$cando" audit verify --store t.db; exits 0; out_has "3 records"
}
test_audit_what_is_no_trail_is_not_obeyed() {
    python3 - <<'P'
import sqlite3
db = sqlite3.connect("v.db")
db.execute("CREATE VIEW record AS WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) "
           "SELECT n, '{}' AS text, x'00' AS hash, '' AS time, '' AS kind, '' AS session, '' AS target, '' AS previous, '' AS verdict FROM x")
db.execute("CREATE TABLE anchor (one, n, hash)")
db.commit()
P
    for a in list export verify; do run timeout 60 "$cando" audit $a --store v.db; [ "$rc" -ne 124 ] && [ "$rc" -ne 0 ] || fail "$a"; done
    run timeout 60 "$cando" show openai/gpt-4o --observed v.db; exits 3
    diagnostic accepted >lines; run timeout 60 "$cando" audit add --store v.db <lines; exits 3; err_has "not those of a trail"
}
test_audit_a_changed_trail_is_not_obeyed() {
    run "$cando" learn --target openai/gpt-4o --probe seed=unsupported --store t.db; exits 0
    run "$cando" why openai/gpt-4o seed --observed t.db; exits 0; out_has unsupported
    python3 - <<'P'
import sqlite3
db = sqlite3.connect("t.db")
db.execute("DROP TRIGGER record_update")
db.execute("UPDATE record SET text = replace(text, 'seed', 'streaming')")
db.execute("CREATE TRIGGER record_update BEFORE UPDATE ON record BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END")
db.commit()
P
    run "$cando" show openai/gpt-4o --observed t.db; exits 3; err_has "t.db"
    CANDO_STORE=t.db run "$cando" why openai/gpt-4o streaming; out_lacks "observed"
}
test_audit_export_is_safe_for_a_terminal() {
    trail; sed -i 's/"session":"s-2"/"session":"s\x1b2"/' t.db
    "$cando" audit export --store t.db >out 2>err || :
    out_has '\u001b'; ! grep -q "$(printf '\033')" out || fail "a raw escape"
}
test_audit_export_is_a_chain() {
    trail; run "$cando" audit export --store t.db; exits 0
    python3 - <<'P' || fail "no chain"
import hashlib, json, sys
prev = "0" * 64
for n, line in enumerate(open("out"), 1):
    r = json.loads(line)
    text = line.rstrip("\n").replace(',"hash":"%s"}' % r["hash"], "}")
    if r["n"] != n or r["prev"] != prev or hashlib.sha256(text.encode()).hexdigest() != r["hash"]:
        sys.exit("record %d" % n)
    prev = r["hash"]
sys.exit(0 if n == 3 else "%d records" % n)
P
}
test_audit_retain() {
    trail; run "$cando" audit retain --store t.db --keep 1; exits 0; out_has "dropped 2 records"
    run "$cando" audit --store t.db; exits 0; out_matches '^ +3 '; out_matches '^ +4 .*retention.*up to record 2'; [ "$(wc -l <out)" -eq 2 ] || fail "want two"
    run "$cando" audit verify --store t.db; exits 0; out_has "2 records, 3 to 4"
    run "$cando" audit retain --store t.db --before 2001-01-01; exits 0; out_has "dropped 0 records"
    run "$cando" audit retain --store t.db --keep 0 --json; exits 0; out_has '{"dropped":2}'
    run "$cando" audit verify --store t.db; exits 0; out_has "1 record, 5 to 5"
}
test_audit_add_takes_replies() {
    echo '{"id":1,"ok":true,"result":'"$(diagnostic accepted)"'}' >lines; echo >>lines; diagnostic degraded >>lines
    run "$cando" audit add --store t.db --session s --kind spawn <lines; exits 0; out_has "added 2 records"
    run "$cando" audit --store t.db --json; out_has '"kind":"spawn"'; out_has '"kind":"downgrade"'
}
test_audit_add_refuses_prose() {
    echo '{"verdict":"accepted","target":"x/y"}' >lines; echo 'please write a poem' >>lines
    run "$cando" audit add --store t.db --session s <lines; exits 2; err_has "[bad-event]"; out_has "added 1 record"
    run "$cando" audit add --store t.db --session "a poem please" <lines; exits 2; err_has "session"
    run "$cando" audit verify --store t.db; exits 0; out_has "1 record"
}
test_audit_two_processes() {
    for i in 1 2 3 4; do (for k in 1 2 3 4 5; do diagnostic accepted | "$cando" audit add --store t.db --session "s-$i" >/dev/null; done) & done; wait
    run "$cando" audit verify --store t.db; exits 0; out_has "20 records, 1 to 20"
}

# However long a diagnostic is, there is a record of it.
test_long_diagnostic() {
    python3 -c 'import json; json.dump({"k" * 400 + str(i): {"temperature": 1} for i in range(200)}, open("p.json", "w"))'
    "$cando" switch --params p.json openai/o3 --json | "$cando" audit add --store t.db >/dev/null
    run "$cando" audit export --store t.db; exits 0; out_has '"kind":"downgrade"'; out_has '"reason":"unsupported: temperature"'
}
