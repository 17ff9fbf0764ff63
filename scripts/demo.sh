#!/usr/bin/env bash
# demo.sh CANDO - what cando is for, on real examples: what `make run` shows, on two screens, the best first.
#
# The commands are printed before their output, so that they can be tried by hand.
# A "no" (exit code 1) is an answer; anything above it ends the demo.
set -eu
cd "$(dirname "$0")/.."
cando=$1
export PAGER=cat

ask() {
    printf '\n$ cando %s\n' "$*"
    rc=0
    "$cando" "$@" || rc=$?
    [ "$rc" -le 1 ]
}

echo "Would this request run? It would get a 400; and one line repairs it."
ask check examples/hello.json
ask fix examples/hello.json
ask cost --provider openai examples/log.jsonl --by model
ask pick tool_calling input_image --min-context 500k --limit 3
ask switch openai/gpt-4o openai/o3-mini --request examples/hello.json
printf '\ncando help lists what else there is; sudo make install installs it.\n'
