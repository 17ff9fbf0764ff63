# Signed catalogs and witnessed heads: what somebody in between, or with an old key, could try.

rules() { printf 'schema = "cando/rules@1"\n[[rules]]\nname = "%s"\nmatch = "m-*"\nset = { tool_calling = "native" }\nsource = "https://acme.example/docs"\n' "$1" >"$1.toml"; }
keys() { for k in "$@"; do "$cando" key new "$k" >/dev/null; done; }
# publish NAME VERSION KEY [OPTION]...: NAME.snap and NAME.snap.signed
publish() { local n=$1 v=$2 k=$3; shift 3; rules "$n"; "$cando" build -q -o "$n.snap" --sign "$k" --release "$v" --root root "$@" "$n.toml"; }
mine() { XDG_DATA_HOME=$PWD/d run "$cando" "$@"; }
data() { echo "$PWD/d/cando"; }
# A root, a catalog of version 7 in force, and what is then in the folder.
begin() {
    keys r c; "$cando" key root root --root r.pub --catalog c.pub --sign r >/dev/null
    publish seven 7 c; mine key trust root; exits 0
    mine update --from seven.snap; exits 0; remember
}
remember() { rm -rf was; cp -r d was; }
unchanged() { rm -f d/cando/update.lock was/cando/update.lock; diff -r was d >/dev/null || fail "something was changed: $(diff -rq was d)"; }
in_force() { cmp -s "$1.snap" "$(data)/catalog.snap" || fail "$1 is not in force"; }

test_key_new() {
    run "$cando" key new k; exits 0; out_matches '^k is secret, k.pub is public: [0-9a-f]{64}$'
    [ "$(stat -c %a k)" = 600 ] && [ "$(stat -c %a k.pub)" = 644 ] || fail "wrong modes"
    cp k old; run "$cando" key new k; exits 3; err_has "k.pub: File exists"; cmp -s k old || fail "a key was overwritten"
    rm k.pub; run "$cando" key new k; exits 3; cmp -s k old || fail "a key was overwritten"; [ ! -e k.pub ] || fail "half a pair is left"
    run "$cando" key new none/k; exits 3; run "$cando" key new; exits 2; run "$cando" key nwe; exits 2; err_has "one of show, new"
}
test_key_must_be_a_secret() {
    keys k; rules a; chmod 644 k; run "$cando" build -q --sign k a.toml; exits 3; err_has "can be read by others"; [ ! -e cando.snap.signed ] || fail "signed"
    run "$cando" build -q --sign k.pub a.toml; exits 3; err_has "[key-file]"
    chmod 600 k; echo "cando-ed25519-secret 12" >k; run "$cando" build -q --sign k a.toml; exits 3; err_has "k is no secret key"
}
# Anybody can check a signature: the same bytes, by another program.
test_signature_is_plain_ed25519() {
    keys k; rules a; "$cando" build -q --sign k a.toml
    sed -n 1p cando.snap.signed | tr -d '\n' >doc; { printf 'cando signed line 1\n'; cat doc; } >text
    sed -n 's/.*"signature":"\([0-9a-f]*\)".*/\1/p' cando.snap.signed | python3 -c 'import sys; sys.stdout.buffer.write(bytes.fromhex(sys.stdin.read().strip()))' >sig
    # the DER of a public key of this kind is this head and the key
    { echo 302a300506032b6570032100; sed 's/.* //' k.pub; } | tr -d '\n' | python3 -c 'import sys; sys.stdout.buffer.write(bytes.fromhex(sys.stdin.read()))' >der
    openssl pkeyutl -verify -pubin -inkey der -keyform DER -rawin -in text -sigfile sig >said || fail "openssl does not take it: $(cat said)"
    printf x >>text; ! openssl pkeyutl -verify -pubin -inkey der -keyform DER -rawin -in text -sigfile sig >/dev/null || fail "openssl takes anything"
}
test_build_signs() {
    keys c; rules a
    run "$cando" build --sign c --days 9 -o a.snap a.toml; exits 0; out_matches '^a.snap.signed: version 20[0-9]{12}$'
    sha=$(sha256sum a.snap | cut -d' ' -f1); grep -qF "\"bytes\":$(stat -c %s a.snap),\"sha256\":\"$sha\"" a.snap.signed || fail "it does not name the snapshot"
    run "$cando" build --sign c --release 3 -o a.snap a.toml; exits 0; out_has "version 3"; run "$cando" key show a.snap.signed; exits 0; out_matches '^catalog 3  holds until 20'
    run "$cando" build --check --sign c a.toml; exits 2; run "$cando" build --release 3 a.toml; exits 2; err_has "go with --sign"
    run "$cando" build --sign none -o b.snap a.toml; exits 3; [ ! -e b.snap.signed ] || fail "signed"
}
test_update_takes_a_signed_snapshot() {
    begin; in_force seven
    mine show acme/m-1; exits 0; mine where; out_matches 'catalog.snap'
    mine key; exits 0; out_matches '^root 1  holds until 20'; out_matches '^    catalog +1 of [0-9a-f]{16}$'; out_matches '^catalog 7  holds until'
    mine key --json; exits 0; python3 -c 'import json; d = json.load(open("out")); assert d["root"]["version"] == 1 and d["catalog"]["version"] == 7' || fail "not as wanted"
    publish eight 8 c; mine update --from eight.snap --dry-run; exits 0; out_has "nothing was changed"; unchanged
    mine update --from eight.snap; exits 0; in_force eight; cmp -s seven.snap "$(data)/catalog.snap.1" || fail "the one before is not kept"
}
test_update_undo_of_a_signed_one() {
    begin; publish eight 8 c; mine update --from eight.snap; exits 0
    mine update --undo; exits 0; in_force seven
    mine update --from seven.snap; exits 3; err_has "[catalog-older]" # to go back is for --undo alone
    mine update --from eight.snap; exits 0; in_force eight            # the same again is no way back
}
test_update_from_nobody() {
    keys c; : >root; publish a 1 c; XDG_DATA_HOME=$PWD/d run "$cando" update --from a.snap; exits 3; err_has "no root is pinned"; err_has "cando key trust"
    [ ! -e "$(data)/catalog.snap" ] || fail "it was put in force"
    mine key; exits 1; out_has "no root is pinned"
    mine update --from a.snap --undo; exits 2; mine update --from a.snap --source models.dev=x; exits 2; err_has "--from takes a whole catalog"
}
test_update_unsigned() {
    begin; rules a; "$cando" build -q -o a.snap a.toml
    mine update --from a.snap; exits 3; err_has "a.snap.signed"; unchanged
    sed '/"signature"/d' seven.snap.signed >a.snap.signed; mine update --from a.snap; exits 3; err_has "0 of the 1 keys"; err_has "nobody has signed it"; unchanged
}
test_update_refuses_a_stranger() {
    begin; keys s; publish eight 8 s; mine update --from eight.snap; exits 3; err_has "[signature-missing]"; err_has "key $(sed 's/.* //' s.pub | cut -c1-16) signed it"; unchanged
    publish eight 8 r; mine update --from eight.snap; exits 3; err_has "[signature-missing]"; unchanged # a root's key signs no catalogs
}
test_update_refuses_a_changed_manifest() {
    begin; publish eight 8 c; sed -i 's/"version":8/"version":9/' eight.snap.signed
    mine update --from eight.snap; exits 3; err_has "not of these bytes"; unchanged
    publish eight 8 c; sed -i 's/"signature":"../"signature":"00/' eight.snap.signed; mine update --from eight.snap; exits 3; err_has "[signature-missing]"; unchanged
    for bad in '{' '[]' '{"cando":"other"}' '{"cando":"catalog","version":0}' '{"cando":"catalog","version":1}' '{"key":"00"}' 'no' '{"cando":"catalog","version":8,"version":9}'; do
        echo "$bad" >eight.snap.signed; mine update --from eight.snap; exits 3; err_has "[signed-file]"; err_has "eight.snap.signed:1"; unchanged
    done
    : >eight.snap.signed; mine update --from eight.snap; exits 3; err_has "no manifest"; unchanged
}
# Rollback: what was signed once and is older.
test_update_refuses_a_rollback() {
    begin; publish six 6 c; mine update --from six.snap; exits 3; err_has "version 6 is older than version 7"; err_has "[catalog-older]"; unchanged
    publish other 7 c; mine update --from other.snap; exits 3; err_has "another catalog than the version 7"; unchanged
    rm "$(data)/catalog.snap"; remember; mine update --from six.snap; exits 3; err_has "[catalog-older]"; unchanged # it is no matter what is in force
}
# Freeze: the same old files, for ever.
test_update_refuses_a_freeze() {
    begin; publish eight 8 c --days 3; export CANDO_TODAY; CANDO_TODAY=$(date -u -d '+5 days' +%F)
    mine update --from eight.snap; exits 3; err_has "the manifest of version 8 expired at"; err_has "[signed-expired]"; unchanged
    mine update --from seven.snap; exits 0 # for thirty days
    CANDO_TODAY=2001-01-01; publish old 9 c --days 0; remember; mine update --from old.snap; exits 3; err_has "[signed-expired]"; unchanged # nobody sets the clock back
    CANDO_TODAY=$(date -u -d '+400 days' +%F); mine update --from seven.snap; exits 3; err_has "version 1 of the root expired"; unchanged
    mine key; exits 0; out_matches '^root 1  EXPIRED'; mine show acme/m-1; exits 0 # and answers go on
}
# Mix and match: each of them was signed, together they were not.
test_update_refuses_a_mixture() {
    begin; publish eight 8 c; publish ninth 9 c; cp ninth.snap.signed eight.snap.signed
    mine update --from eight.snap; exits 3; err_has "[snapshot-other]"; unchanged
    cp ninth.snap eight.snap; printf x | dd of=eight.snap bs=1 seek=300 conv=notrunc status=none
    mine update --from eight.snap; exits 3; err_has "not the one that the manifest of version 9 names"; unchanged
    printf x >>ninth.snap; mine update --from ninth.snap; exits 3; err_has "bytes, and"; unchanged
}
rotate() { keys c2; "$cando" key root root --catalog c2.pub --sign r >/dev/null; }
# A stolen old key: it was taken out of the root, and signs no more.
test_update_refuses_a_stolen_old_key() {
    begin; rotate; publish eight 8 c2; mine update --from eight.snap; exits 0; in_force eight; mine key; out_matches '^root 2 '
    cp root both; "$cando" key show both >out; out_matches '^root 1 '; remember
    publish thief 9 c; mine update --from thief.snap; exits 3; err_has "[signature-missing]"; err_has "not, or no longer"; unchanged
    head -2 both >root; publish thief 9 c; mine update --from thief.snap; exits 3; err_has "version 2 of the root"; unchanged # with the old root before it
    head -4 both >root; mine key trust root; exits 0
}
test_update_keeps_a_root_whose_manifest_is_refused() {
    begin; rotate; publish thief 9 c; mine update --from thief.snap; exits 3; err_has "version 2 of the root"; in_force seven; mine key; out_matches '^root 2 '
    sed -n '1,2p' root >one; cp one root; publish thief 9 c; remember; mine update --from thief.snap; exits 3; unchanged
}
test_update_dry_run_pins_nothing() { begin; rotate; publish eight 8 c2; mine update --dry-run --from eight.snap; exits 0; unchanged; }
# A thief may have signed the highest version there is; who has a new root is not stuck there.
test_update_after_a_thief_went_far_ahead() {
    begin; publish far 9007199254740991 c; mine update --from far.snap; exits 0; rotate
    publish eight 8 c2; mine update --from eight.snap; exits 0; in_force eight
    publish seven 7 c2; mine update --from seven.snap; exits 3; err_has "[catalog-older]"
}
test_key_root_is_followed_by_old_and_new_keys() {
    begin; keys r2 s
    cp root good; "$cando" key root root --root r2.pub --sign r2 >said; grep -q "lacks signatures: 0 of 1 by the keys of version 1" said || fail "not told"
    publish eight 8 c; mine update --from eight.snap; exits 3; err_has "[signature-missing]"; unchanged
    run "$cando" key root root --sign r2; exits 3; err_has "[signature-missing]" # nothing is built upon it
    run "$cando" key sign root --sign s; exits 0; publish eight 8 c; mine update --from eight.snap; exits 3; unchanged
    run "$cando" key sign root --sign r; exits 0; out_has "3 signatures"; publish eight 8 c; mine update --from eight.snap; exits 0; mine key; out_matches '^root 2 '
    cp good root; "$cando" key root root --sign r >/dev/null; remember # a thief of the first root's key
    publish ninth 9 c; mine update --from ninth.snap; exits 3; err_has "another version 2 of the root"; unchanged
    "$cando" key root root --sign r >/dev/null; sed -i '3,4d' root; publish ninth 9 c; mine update --from ninth.snap; exits 3; err_has "[signature-missing]"; unchanged
}
test_key_root_missing_between() {
    begin; for i in 2 3; do "$cando" key root root --sign r >/dev/null; done; sed -i '3,4d' root
    publish eight 8 c; mine update --from eight.snap; exits 3; err_has "those between are missing"; unchanged
    mine key trust root; exits 3; mine key trust --replace root; exits 3
    sed -n '3,4p' root >three; mine key trust --replace three; exits 0; out_matches '^root 3 '
}
test_key_threshold() {
    keys r a b c; "$cando" key root root --root r.pub --catalog a.pub --catalog b.pub --catalog c.pub --threshold catalog=2 --sign r >/dev/null; mine key trust root; exits 0
    publish one 1 a; mine update --from one.snap; exits 3; err_has "1 of the 2 keys"
    "$cando" key sign one.snap.signed --sign a >/dev/null; mine update --from one.snap; exits 3; err_has "1 of the 2 keys" # the same one twice
    sed -n '$p' one.snap.signed >line; cat line >>one.snap.signed; mine update --from one.snap; exits 3; err_has "1 of the 2 keys"
    run "$cando" key sign one.snap.signed --sign b; exits 0; mine update --from one.snap; exits 0; in_force one
    publish two 2 a --sign c; mine update --from two.snap; exits 0
    run "$cando" key root other --root r.pub --threshold root=2 --sign r; exits 3; err_has "more signatures than it has keys"
    run "$cando" key root other --root r.pub --threshold roots=2 --sign r; exits 2; err_has "ROLE=N"
    run "$cando" key root other --catalog a.pub --sign r; exits 3; err_has "no keys of its own"; [ ! -e other ] || fail "written"
    run "$cando" key root other --root r.pub; exits 2; err_has "--sign KEY"
}
test_key_trust() {
    keys r s; "$cando" key root mine --root r.pub --catalog r.pub --sign r >/dev/null; "$cando" key root theirs --root s.pub --catalog s.pub --sign s >/dev/null
    sed 's/"signature":"../"signature":"00/' mine >bad; mine key trust bad; exits 3; err_has "[signature-missing]"; [ ! -e d/cando/trust.jsonl ] || fail "pinned"
    mine key trust mine; exits 0; mine key trust mine; exits 0; remember
    mine key trust theirs; exits 3; err_has "another version 1 of the root"; err_has "--replace"; unchanged
    mine key trust --replace theirs; exits 0
    "$cando" key root short --root r.pub --days 0 --sign r >/dev/null; mine key trust --replace short; exits 3; err_has "[signed-expired]"
    echo '{}' >x; mine key trust x; exits 3; err_has "x:1"; : >x; mine key trust x; exits 3; err_has "no root in it"
}
test_update_signed_from_an_address() {
    . "$here/update.sh"; serve; has_curl || { echo "no libcurl here"; return 0; }
    begin; publish eight 8 c; mine update --from "http://127.0.0.1:$port/eight.snap"; exits 0; in_force eight; remember
    publish six 6 c; mine update --from "http://127.0.0.1:$port/six.snap"; exits 3; err_has "[catalog-older]"; unchanged
    mine update --from "http://127.0.0.1:$port/none.snap"; exits 3; err_has "404"; unchanged
    mine update --from http://example.com/six.snap; exits 2; err_has "not https"; unchanged
}
test_update_signed_but_no_snapshot() {
    begin; head -c 5000 /dev/urandom >x.snap; sha=$(sha256sum x.snap | cut -d' ' -f1)
    printf '{"cando":"catalog","version":8,"expires":"2999-01-01","bytes":5000,"sha256":"%s"}\n' "$sha" >x.snap.signed
    "$cando" key sign x.snap.signed --sign c >/dev/null; mine update --from x.snap; exits 3; err_has "[snapshot-bad]"; unchanged
}
# Ended at any moment it leaves the old catalog or the new one, and what was taken is not forgotten.
test_update_signed_killed_at_any_moment() {
    begin; cp -r d first; publish eight 8 c
    from=$(date +%s%N); mine update --from eight.snap; exits 0; whole=$((($(date +%s%N) - from) / 1000)); killed=0
    for i in $(seq 40); do
        rm -rf d; cp -r first d; rc=0
        XDG_DATA_HOME=$PWD/d timeout --foreground -s KILL "$(printf '0.%06d' $((whole * i / 36 % 1000000)))" "$cando" update --from eight.snap >/dev/null 2>&1 || rc=$?
        [ $rc -ne 137 ] || killed=$((killed + 1))
        cmp -s seven.snap "$(data)/catalog.snap" || in_force eight
        mine show acme/m-1; exits 0; err_empty
        mine update --from eight.snap; exits 0; in_force eight
        mine update --from seven.snap; exits 3; err_has "[catalog-older]"
    done
    echo "$killed of 40 were killed"
}

diagnostic() { echo '{"verdict":"accepted","missing":[],"warnings":[],"target":"openai/gpt-5","previous":"a/b"}'; }
add() { for i in $(seq "$1"); do diagnostic; done | "$cando" audit add --store t.db >/dev/null; }
head_of() { "$cando" audit sign --store t.db --sign node >head; }
keep() { run "$cando" audit witness head --sign other --trust node.pub --kept kept; }
verify() { run "$cando" audit verify --store t.db --witness kept --trust node.pub --trust other.pub; }
test_audit_witness() {
    keys node other; add 3; head_of; grep -q '"cando":"head","version":3' head || fail "no head"
    keep; exits 0; out_has "1 new head"; verify; exits 0; keep; exits 0; out_has "0 new heads"
    add 2; head_of; keep; exits 0; [ "$(grep -c '"cando"' kept)" -eq 2 ] || fail "want two heads"; add 1; verify; exits 0; err_empty; out_has "whole: 6 records"
}
# The end is cut off, and the head file goes along: whoever can write both leaves nothing to be seen but this.
test_audit_witness_finds_a_cut_end() {
    keys node other; add 3; cp t.db old.db; cp t.db-head old.head; add 2; head_of; keep; exits 0
    cp old.db t.db; cp old.head t.db-head; run "$cando" audit verify --store t.db; exits 0
    verify; exits 1; err_has "record 5 is not the one that was witnessed: the trail ends before it"; err_has "[audit-damaged]"
    add 2; run "$cando" audit verify --store t.db; exits 0; verify; exits 1; err_has "record 5 is not the one that was witnessed"
    head_of; keep; exits 3; err_has "record 5 has another hash"; add 1; cp kept was; head_of; keep; exits 0; verify; exits 1 # all heads count, not the last alone
    cp was kept; cp old.db t.db; cp old.head t.db-head; head_of; keep; exits 3; err_has "gone back"; cmp -s kept was || fail "the kept heads were changed"
}
test_audit_witness_signatures() {
    keys node other stranger; add 3; head_of; run "$cando" audit witness head --sign other --trust stranger.pub --kept kept; exits 3; err_has "[signature-missing]"; [ ! -e kept ] || fail "kept"
    cp head kept; verify; exits 3; err_has "1 of the 2 keys"
    keep; exits 0; cp head kept; rm kept; keep; exits 0; verify; exits 0; sed -i 's/"version":3/"version":2/' kept; verify; exits 3; err_has "[signature-missing]"
    run "$cando" audit verify --store t.db --witness kept; exits 2; err_has "--trust KEY.pub"
    : >kept; verify; exits 3; err_has "no head"; run "$cando" audit witness --sign other --kept kept; exits 2; run "$cando" audit witness head --sign other; exits 2; err_has "--kept"
    run "$cando" audit sign --store t.db; exits 2; err_has "--sign KEY"; run "$cando" audit list more --store t.db; exits 2
}
test_audit_witness_by_the_pinned_root() {
    keys r node other; "$cando" key root root --root r.pub --audit node.pub --audit other.pub --threshold audit=2 --sign r >/dev/null; mine key trust root; exits 0
    add 3; head_of; mine audit verify --store t.db --witness head; exits 3; err_has "1 of the 2 keys"
    mine audit witness head --sign other --kept kept; exits 0; mine audit verify --store t.db --witness kept; exits 0
}
test_audit_witness_and_retention() {
    keys node other; add 5; head_of; keep; exits 0; add 5; head_of; keep; exits 0
    "$cando" audit retain --store t.db --keep 3 >/dev/null; verify; exits 0
    "$cando" audit retain --store t.db --keep 1 >/dev/null; verify; exits 1; err_has "it was dropped"
}
test_audit_sign_only_what_is_whole() {
    keys node; add 3; sed -i 's/"verdict":"accepted"/"verdict":"degraded"/' t.db; run "$cando" audit sign --store t.db --sign node; exits 1; out_empty; err_has "[audit-damaged]"
}
