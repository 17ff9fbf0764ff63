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
    out_matches '^ +1  20[0-9-]+T[0-9:]+  switch +accepted s-1 +anthropic/claude-opus-4-5 -> openai/gpt-5$'
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
    rm t.db-head; run "$cando" audit verify --store t.db; exits 0; err_has "no head file"
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
