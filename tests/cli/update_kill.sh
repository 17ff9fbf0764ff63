# An update that is killed at any moment leaves a catalog that loads: the old one or the new one, whole.

# Most of the time of an update goes by before a file changes, so most of the kills are those of the program whose
# catalog has a few lines; some are of the whole one.
killed_at_any_moment() { # PROGRAM KILLS
    cando=$1 kills=$2
    . "$here/update.sh"
    api; cp api.json a.json; sed 's/"input":1.5/"input":1.25/' api.json >b.json
    serve
    XDG_DATA_HOME=$PWD/d; export XDG_DATA_HOME
    "$cando" update --force --source models.dev@2026-09-02=a.json >/dev/null
    # how long one takes, so that the moments are spread over all of it
    from=$(date +%s%N); "$cando" update --force --source models.dev@2026-09-02=b.json >/dev/null; whole=$((($(date +%s%N) - from) / 1000))
    # a machine that is slow or has other things to do tries fewer
    [ $((whole * kills)) -le 240000000 ] || kills=$((240000000 / whole)); [ $kills -ge 20 ] || kills=20
    RANDOM=7; killed=0
    for i in $(seq $kills); do
        case $((i % 3)) in # the last moments, where files change, more often than the rest
        0) us=$(((RANDOM * 32768 + RANDOM) % (whole + 1))) ;;
        *) us=$((whole * 2 / 3 + (RANDOM * 32768 + RANDOM) % (whole / 2 + 1))) ;;
        esac
        file=a.json; [ $((i % 2)) -eq 0 ] || file=b.json
        [ $((i % 5)) -ne 0 ] || file=http://127.0.0.1:$port/$file
        from=$(date +%s%N); rc=0
        timeout --foreground -s KILL "$(printf '%d.%06d' $((us / 1000000)) $((us % 1000000)))" "$cando" update --force --source "models.dev@2026-09-02=$file" >/dev/null 2>&1 || rc=$?
        # the machine has other things to do as well: how long one takes now
        if [ $rc -ne 137 ]; then whole=$((($(date +%s%N) - from) / 1000))
        elif [ $us -gt $whole ]; then whole=$us; fi
        [ $rc -ne 137 ] || killed=$((killed + 1))
        run "$cando" show --json openai/gpt-zz-test
        exits 0; err_empty; out_matches '"input_tokens":"1\.(25|5)"'
    done
    echo "$killed of $kills updates were killed"
    [ $killed -ge $((kills / 4)) ] || fail "too few updates were killed to say anything: $killed of $kills"
    run "$cando" update --force --source models.dev@2026-09-02=a.json; exits 0
    [ "$(ls "$(data)" | tr '\n' ' ')" = "catalog.snap catalog.snap.1 update.lock " ] || fail "something is left over: $(ls "$(data)")"
    run "$cando" update --undo; exits 0; run "$cando" where; exits 0; err_empty
}
test_update_killed_at_any_moment_slow() {
    if [ -x "$cando-small" ]; then killed_at_any_moment "$cando-small" 300; else killed_at_any_moment "$cando" 200; fi
}
test_update_of_all_killed_at_any_moment_slow() { killed_at_any_moment "$cando" 30; }
