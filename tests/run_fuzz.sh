#!/usr/bin/env bash
# run_fuzz.sh FOLDER OPTION... - runs each fuzz target of a folder over its seeds, JOBS of them at a time.
# New inputs go to FOLDER/corpus/<target>, what breaks a target to FOLDER/crash/.
set -u
folder=${1:?usage: run_fuzz.sh FOLDER OPTION...}
shift
cd "$(dirname "$0")/.."

# one TARGET OPTION...: its log is FOLDER/TARGET.log, its exit code FOLDER/TARGET.rc
one() {
    local name=$1 corpus=$folder/corpus/$1 seeds=() extra=()
    shift
    mkdir -p "$corpus"
    [ -d "fuzz/corpus/$name" ] && seeds=("fuzz/corpus/$name")
    [ -d "fuzz/corpus/${name#fuzz_}" ] && seeds=("fuzz/corpus/${name#fuzz_}")
    [ -f "fuzz/$name.dict" ] && extra=("-dict=fuzz/$name.dict")
    # a snapshot is so much code at once that to weigh each edge costs a third of the time
    [ "$name" != fuzz_snapshot ] || extra+=("-entropic=0")
    "$folder/$name" "$@" "${extra[@]}" -max_len=8192 -timeout=20 -rss_limit_mb=2048 -artifact_prefix="$folder/crash/$name-" \
        -print_final_stats=1 "$corpus" "${seeds[@]}" >"$folder/$name.log" 2>&1
    echo $? >"$folder/$name.rc"
}
export -f one
export folder
mkdir -p "$folder/crash"
names=()
for src in fuzz/fuzz_*.c; do [ ! -e "$src" ] || names+=("$(basename "${src%.c}")"); done
rm -f "$folder"/*.rc
printf '%s\n' "${names[@]}" | xargs -P "${JOBS:-$(nproc)}" -I{} bash -c 'one "$@"' bash {} "$@"

passed=0 failed=0
for name in "${names[@]}"; do
    if [ "$(cat "$folder/$name.rc" 2>/dev/null)" = 0 ]; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/$name.log")
        echo "$name: ${runs:-?} runs, nothing found"
        passed=$((passed + 1))
    else
        echo "$name: failed, see $folder/$name.log"
        grep -m 1 -A 12 -E 'ERROR|runtime error' "$folder/$name.log" | sed 's/^/    /'
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
