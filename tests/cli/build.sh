# cando build: snapshots, written whole or not at all.

good() { cat >"$1" <<'T'
schema = "cando/rules@1"

[[providers]]
id = "acme"

[[rules]]
name = "acme-one"
providers = "acme"
match = "one-*"
set = { tool_calling = "native", context_window = 200000 }
source = "https://acme.example/docs"
checked = 2026-01-02
T
}

test_build_counts() {
    good a.toml; run "$cando" build -o a.snap a.toml; exits 0; err_empty
    out_matches '^a\.snap: 1 rule, 0 models, 1 provider, [0-9,]+ bytes$'; [ -s a.snap ] || fail "no snapshot"
}
test_build_is_the_same_twice() {
    good a.toml; "$cando" build -q -o a.snap a.toml; "$cando" build -q -o b.snap a.toml; cmp a.snap b.snap || fail "other bytes"
}
test_quiet() { good a.toml; run "$cando" build -q -o a.snap a.toml; exits 0; out_empty; err_empty; }
test_check() {
    good a.toml; "$cando" build -q -o a.snap a.toml
    run "$cando" build --check -o a.snap a.toml; exits 0; out_has "fresh"
    cat >>a.toml <<'T'

[[rules]]
name = "acme-two"
match = "two-*"
set = { tool_calling = "native" }
source = "https://acme.example/docs"
T
    cp a.snap before
    run "$cando" build --check -o a.snap a.toml; exits 1; out_has "stale"; out_matches 'rules +1 -> 2'; out_has "first difference at byte"
    cmp -s a.snap before || fail "--check wrote"
}
test_check_of_a_damaged_file() {
    good a.toml; echo nonsense >a.snap; run "$cando" build --check -o a.snap a.toml; exits 1; out_has "stale"
}
test_check_of_a_missing_file() { good a.toml; run "$cando" build --check -o a.snap a.toml; exits 3; err_has "[io]"; [ ! -e a.snap ] || fail "wrote"; }
test_lint_errors_refuse() {
    good a.toml; sed -i 's/tool_calling/tool_caling/' a.toml; echo old >a.snap
    run "$cando" build -o a.snap a.toml; exits 3; out_empty; err_has "[unknown-key]"; err_has "--force"
    [ "$(cat a.snap)" = old ] || fail "the old file is gone"
}
test_force() {
    good a.toml; sed -i 's/^id = "acme"/id = "acme"\naliases = ["b", "a"]/' a.toml
    run "$cando" build -o a.snap a.toml; exits 3
    run "$cando" build --force -o a.snap a.toml; exits 0; [ -s a.snap ] || fail "no snapshot"
}
test_fatal_errors_refuse_even_with_force() {
    good a.toml; echo 'x = = 1' >>a.toml; echo old >a.snap
    run "$cando" build --force -o a.snap a.toml; exits 3; err_has "[toml-syntax]"; [ "$(cat a.snap)" = old ] || fail "the old file is gone"
}
test_nothing_to_build() { run "$cando" build; exits 2; mkdir d; run "$cando" build -o a.snap d; exits 3; err_has "[no-sources]"; [ ! -e a.snap ] || fail "wrote"; }
test_layers_by_option() {
    good a.toml; sed 's/acme-one/acme-late/; s/"native"/"emulated"/' a.toml | grep -v '^\[\[providers\|^id = ' >b.toml
    "$cando" build -q -o a.snap --layer project=b.toml a.toml
    # the option says which layer, and the layer decides, whatever the order
    for layer in project:emulated user:emulated defaults:native; do
        mkdir -p d/cando; "$cando" build -q -o d/cando/catalog.snap --layer "${layer%:*}=b.toml" --layer family=a.toml
        XDG_DATA_HOME=$PWD/d run "$cando" why acme/one-x tool_calling; exits 0; out_has "tool_calling  ${layer#*:}"
        [ "${layer#*:}" = native ] || out_has "(${layer%:*})"
    done
    run "$cando" build --layer nowhere=b.toml a.toml; exits 2; err_has "--layer does not take 'nowhere=b.toml'"; err_has "curated"
    run "$cando" show --all --rules a.toml --overlay b.toml acme/one-x; exits 0; out_matches '^ +tool_calling +emulated$'
}
test_layers_by_folder() {
    mkdir -p c/project; good c/z.toml
    sed 's/acme-one/acme-late/; s/"native"/"emulated"/' c/z.toml | grep -v '^\[\[providers\|^id = ' >c/project/a.toml
    run "$cando" show --all --rules c acme/one-x; exits 0; out_matches '^ +tool_calling +emulated$'
    run "$cando" why --rules c acme/one-x tool_calling; exits 0; out_has "c/project/a.toml:"; out_has "(project)"
}
test_unwritable_folder() { good a.toml; run "$cando" build -o nowhere/a.snap a.toml; exits 3; out_empty; err_has "nowhere/a.snap"; }

# A writer that is killed at any moment leaves the old file or the new one.
test_killed_writer_leaves_a_whole_file() {
    good a.toml; good b.toml
    for i in $(seq 1 3000); do
        printf '\n[[rules]]\nname = "r%d"\nmatch = "m%d-*"\nset = { tool_calling = "native" }\nsource = "x"\n' "$i" "$i"
    done >>b.toml
    "$cando" build -q -o old.snap a.toml; "$cando" build -q -o new.snap b.toml
    cp old.snap a.snap
    seen_old=0
    for i in $(seq 1 30); do
        "$cando" build -q -o a.snap b.toml 2>/dev/null &
        pid=$!
        # from almost at once to after its end, by work that takes a little longer each time
        n=0; while [ $n -lt $((i * i * 60)) ]; do n=$((n + 1)); done
        kill -9 $pid 2>/dev/null || true
        wait $pid 2>/dev/null || true
        if cmp -s a.snap old.snap; then seen_old=1; elif ! cmp -s a.snap new.snap; then fail "a torn file"; fi
        cp old.snap a.snap
    done
    [ $seen_old -eq 1 ] || fail "no writer was killed in time"
}
test_build_writes_to_what_is_no_file() {
    printf 'schema = "cando/rules@1"\n[[rules]]\nname = "a"\nmatch = "x"\nset = { streaming = "native" }\nsource = "x"\n' >r.toml
    mkfifo p; timeout 20 cat p >got & run "$cando" build -o p r.toml; wait; exits 0
    [ -p p ] || fail "the pipe was replaced"; [ -s got ] || fail "nothing came"
}
