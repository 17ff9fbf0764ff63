#!/usr/bin/env bash
# demo.sh CANDO - what cando is for, on real examples: what `make run` shows.
#
# The commands are printed before their output, so that they can be tried by hand.
# A "no" (exit code 1) is an answer; anything above it ends the demo.
set -eu
cd "$(dirname "$0")/.."
cando=$1

ask() {
    printf '\n$ cando %s\n' "$*"
    rc=0
    "$cando" "$@" || rc=$?
    [ "$rc" -le 1 ]
}

ask show anthropic/claude-opus-4-5
ask why openai/gpt-5-mini temperature
ask check openai/gpt-5 examples/request.json
ask cost --target anthropic/claude-opus-4-5 examples/reply.json
ask pick tool_calling input_image --min context_window=500000 --limit 3
ask diff openai/gpt-4o anthropic/claude-opus-4-5
