#!/usr/bin/env bash
# check_style.sh [--lower] - the habits that a machine can watch over. Prints file:line of each breach.
# With --lower the numbers of scripts/long_lines.txt that have become too high are lowered.
set -u
cd "$(dirname "$0")/.."
bad=0
report() { # what, lines of file:line:text
    [ -n "$2" ] || return 0
    printf '%s:\n%s\n' "$1" "$(printf '%s\n' "$2" | head -n 20 | cut -c 1-160 | sed 's/^/  /')"
    bad=1
}
changed() { # lines of file:line:text: those of files that differ from the last commit, or all
    local files
    files=$(git diff --name-only HEAD 2>/dev/null; git ls-files --others --exclude-standard 2>/dev/null)
    printf '%s\n' "$1" | grep -F -e "$(printf '%s' "${files:-:}" | sed 's/$/:/')" || printf '%s\n' "$1"
}
mapfile -t c < <(find src include cli tests bench fuzz examples stores serve mcp nginx -name '*.[chS]' -o -name '*.def' 2>/dev/null | LC_ALL=C sort)
mapfile -t code < <(printf '%s\n' "${c[@]}"; find scripts tests .ci -type f \( -name '*.sh' -o -name '*.py' -o -name run \) | LC_ALL=C sort; echo Makefile)
mapfile -t all < <(printf '%s\n' "${code[@]}"; find docs catalog examples -type f 2>/dev/null | LC_ALL=C sort; ls ./*.md 2>/dev/null)

# The words are split so that this file does not find itself.
report "tabs in C" "$(grep -nP '\t' "${c[@]}" | grep -v '\.S:')"
report "space at the end of a line" "$(grep -nE ' +$' "${code[@]}")"
report "lines over 140 bytes" "$(awk 'length($0) > 140 && FILENAME !~ /\.def$|^tests/ {print FILENAME ":" FNR ": " length($0)}' "${c[@]}")"
# Lines of at most 100 columns, tables (.def) apart. There are longer ones from before: scripts/long_lines.txt says how
# many each folder may still have, and that number may only be lowered.
while read -r folder most; do
    mapfile -t own < <(printf '%s\n' "${c[@]}" | grep "^$folder/" | grep -v '\.def$')
    long=$(LC_ALL=C.UTF-8 grep -nHE '^.{101}' "${own[@]}" /dev/null)
    n=$(printf '%s' "$long" | grep -c '^')
    [ "$n" -le "$most" ] || report "lines over 100 columns in $folder: $n, and $most are allowed (scripts/long_lines.txt)" "$(changed "$long")"
    [ "$n" -ge "$most" ] || echo "$folder has $n lines over 100 columns, $most are allowed: scripts/check_style.sh --lower"
    [ "$n" -ge "$most" ] || [ "${1:-}" != --lower ] || sed -i "s/^$folder .*/$folder $n/" scripts/long_lines.txt
done < <(cat scripts/long_lines.txt)
report "files over 1200 lines" "$(wc -l "${c[@]}" | awk '$2 != "total" && $1 > ($2 == "include/cando.h" ? 2000 : 1200) {print $2 ":" $1 " lines"}')"
report "paths of one machine" "$(grep -nE '(^|[^A-Za-z0-9_.~-])/(ho''me|ro''ot|wo''rk|Us''ers)/|/tm''p/[a-z]' "${all[@]}" | grep -v 'XX''XXXX')"
report "unfinished words" "$(grep -nE '\b(TO''DO|FIX''ME|XX''X|HA''CK)\b' "${code[@]}" | grep -v 'XX''XXXX')"
report "tests that sleep" "$(grep -nE '\b(u|nano|clock_nano)?sle''ep[ (]|time\.sle''ep' $(find tests -type f -name '*.[chp]*' -o -path './tests/*' -name '*.sh') 2>/dev/null | grep -v '^tests/io_shim.c:')"
for f in "${c[@]}"; do
    case "$f" in src/*|cli/*|include/*) ;; *) continue ;; esac
    # a header speaks for the .c beside it
    [ -e "${f%.c}.h" ] && [ "${f##*.}" = c ] && continue
    head -n 3 "$f" | grep -q '/\*' || report "no comment at the top" "$f:1"
done
[ $bad -eq 0 ] && echo "${#all[@]} files, nothing found"
exit $bad
