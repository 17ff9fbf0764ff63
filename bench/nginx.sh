#!/usr/bin/env bash
# nginx.sh MODULE - how much of plain proxying is left with the module in the way: wrk, a body of 1 KB, one core for
# nginx. The upstream is an nginx of its own that answers with a reply of the same size.
#
#     nginx.report.1k, nginx.repair.1k    requests a second
#     nginx.report.1k.cpu, ...            requests for a second of the processor's time that nginx got: the same where the
#                                         core is its own, and steadier where it is not
#
# Rounds are short and alternate. Each is held against the plain ones before and behind it, and the median counts: what
# else the machine does comes and goes more slowly than that.
set -eu
module=$(realpath "${1:?usage: nginx.sh MODULE}")
rounds=${ROUNDS:-15} seconds=${SECONDS_EACH:-1}
dir=$(mktemp -d)
chmod 755 "$dir"
pids=()
trap 'kill "${pids[@]}" 2>/dev/null; wait; rm -rf "$dir"' EXIT
user=$([ "$(id -u)" -ne 0 ] || echo 'user root;')
temp="client_body_temp_path $dir/b; proxy_temp_path $dir/p; fastcgi_temp_path $dir/f; scgi_temp_path $dir/s; uwsgi_temp_path $dir/u;"
python3 - "$dir" <<'P'
import json, sys
text = "The quick brown fox jumps over the lazy dog. " * 16
body = json.dumps({"model": "gpt-5.6-sol", "messages": [{"role": "developer", "content": "Answer briefly."}, {"role": "user", "content": text}],
                   "max_completion_tokens": 500, "reasoning_effort": "none", "tools": [{"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {"q": {"type": "string"}}}}}]}, separators=(",", ":"))  # as clients write it
reply = json.dumps({"id": "chatcmpl-1", "object": "chat.completion", "created": 1790000000, "model": "gpt-5.6-sol",
                    "choices": [{"index": 0, "message": {"role": "assistant", "content": text[:500]}, "finish_reason": "stop"}],
                    "usage": {"prompt_tokens": 200, "completion_tokens": 100, "total_tokens": 300}}, separators=(",", ":"))
open(sys.argv[1] + "/post.lua", "w").write('wrk.method="POST" wrk.headers["content-type"]="application/json" wrk.body=[[%s]]' % body)
open(sys.argv[1] + "/reply.json", "w").write(reply)
P
conf() { # name, what stands in http
    printf '%s daemon off; master_process off; worker_processes 1; pid %s/%s.pid; error_log %s/error.log warn; events { worker_connections 1024; } http { %s access_log off; keepalive_requests 1000000; %s }\n' \
        "$3 $user" "$dir" "$1" "$dir" "$temp" "$2" >"$dir/$1.conf"
    taskset -c "$4" nginx -e "$dir/error.log" -p "$dir" -c "$dir/$1.conf" &
    pids+=($!)
    until [ -S "$dir/$1.socket" ] || [ -s "$dir/$1.pid" ]; do sleep 0.1; done
}
port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
up=$(port) plain=$(port)
last=$(($(nproc) - 1))
conf up "server { listen 127.0.0.1:$up; location / { default_type application/json; return 200 '$(cat "$dir/reply.json")'; } }" "" "$last"
conf gate "upstream u { server 127.0.0.1:$up; keepalive 64; } proxy_http_version 1.1; proxy_set_header Connection ''; client_body_buffer_size 16k;
    server { listen 127.0.0.1:$plain; location /plain/ { proxy_pass http://u/; } location /report/ { cando report; cando_provider openai; proxy_pass http://u/; }
    location /repair/ { cando repair; cando_provider openai; proxy_pass http://u/; } }" "load_module $module;" 0
gate=${pids[1]}
used() { cut -d' ' -f1 "/proc/$gate/schedstat"; } # nanoseconds
round() { # place: requests a second, and for a second of nginx's time
    local before after
    before=$(used)
    taskset -c "$last" wrk -t1 -c32 -d"${seconds}s" -s "$dir/post.lua" "http://127.0.0.1:$plain/$1/v1/chat/completions" >"$dir/wrk"
    after=$(used)
    awk -v place="$1" -v ns=$((after - before)) '/requests in/ { n = $1 } /Requests\/sec/ { print place, $2, n * 1e9 / ns }
        /Non-2xx/ { print "errors" > "/dev/stderr" }' "$dir/wrk"
}
round plain >/dev/null
for ((i = 0; i < rounds; i++)); do
    for place in report repair; do round plain; round $place; done
done >"$dir/rounds"
round plain >>"$dir/rounds"
python3 - "$dir/rounds" <<'P'
import json, statistics, sys
rows = [(place, float(rate), float(cpu)) for place, rate, cpu in (line.split() for line in open(sys.argv[1]))]
for place in ("report", "repair"):
    at = [i for i, row in enumerate(rows) if row[0] == place]
    for column, tail in ((1, ""), (2, ".cpu")):
        value = statistics.median(2 * rows[i][column] / (rows[i - 1][column] + rows[i + 1][column]) for i in at)
        mine, plain = statistics.median(rows[i][column] for i in at), statistics.median(r[column] for r in rows if r[0] == "plain")
        bench = f"nginx.{place}.1k{tail}"
        print(f"{bench:28} {value:8.2f} x   against plain proxying ({mine:.0f} of {plain:.0f} requests a second)", file=sys.stderr)
        print(json.dumps({"bench": bench, "value": round(value, 3), "unit": "x", "against": "plain proxying by nginx"}, separators=(",", ":")))
P
