# The everyday questions of docs/questions.md, on a terminal of 80 columns. What they answer is compared by
# scripts/examples.py; here is whether one can look at it.

# on_screen COMMAND: leaves what the screen shows in the file out
on_screen() {
    PATH="$PWD/bin:$PATH" PAGER=cat TERM=xterm-color NO_COLOR=1 CANDO_TODAY=2026-11-16 \
        script -qec "stty cols 80 rows 24; $1" /dev/null 2>&1 </dev/null | tr -d '\r' >out
}
test_questions() {
    command -v script >/dev/null || return 0
    mkdir bin build; ln -s "$cando" bin/cando; ln -s "$here/../../examples" examples
    sed -n 's/^\$ //p' "$here/../../docs/questions.md" >commands
    [ "$(wc -l <commands)" -eq "$(grep -c '^\*\*[0-9]' "$here/../../docs/questions.md")" ] && [ "$(wc -l <commands)" -ge 28 ] || fail "a question without its command"
    while IFS= read -r command; do
        on_screen "$command"
        [ -s out ] || fail "nothing: $command"
        [ "$(wc -l <out)" -le 48 ] || fail "more than two screens: $command"
        # an address may be as long as it is
        ! grep -vF '://' out | LC_ALL=C.UTF-8 grep -E '^.{81}' || fail "wider than the screen: $command"
        ! grep -q 'error: no \|usage:' out || fail "no answer: $command"
    done <commands
}
# What a newcomer types is found from the help: the verbs of the questions are in its first screens, with their options.
test_help_leads_there() {
    run "$cando" --help; exits 0; [ "$(wc -L <out)" -le 80 ] || fail "help is wider than a screen"; [ "$(wc -l <out)" -le 48 ] || fail "help is longer than two screens"
    cp out help
    while read -r verb; do grep -qE "^  $verb " help || fail "no word of $verb"; done < <(grep -oE '(^\$ |\| )cando [a-z]+' "$here/../../docs/questions.md" | sed 's/.*cando //' | sort -u)
    for verb in show why check fix cost pick models matrix diff switch retiring fields learn init; do
        run "$cando" $verb --help; exits 0; [ "$(wc -L <out)" -le 80 ] || fail "the help of $verb is wider than a screen"
    done
}
