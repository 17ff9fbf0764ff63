#!/usr/bin/env bash
# gateway.sh MODULE - a request with a mistake, sent through nginx to a provider on this machine that shows what it got.
set -eu
module=$(realpath "${1:?usage: gateway.sh MODULE}")
dir=$(mktemp -d)
chmod 755 "$dir"
nginx= provider=
finish() {
    [ -z "$nginx" ] || kill "$nginx"
    [ -z "$provider" ] || kill "$provider"
    wait 2>/dev/null || true
    rm -rf "$dir"
}
trap finish EXIT

# The provider: prints what it is sent, and answers as OpenAI's API does.
cat >"$dir/provider.py" <<'P'
import http.server, json, sys, time
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        print("the provider gets   " + json.dumps(body), flush=True)
        reply = json.dumps({"id": "chatcmpl-1", "object": "chat.completion", "created": int(time.time()), "model": body["model"],
                            "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello!"}, "finish_reason": "stop"}],
                            "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)
    def log_message(self, *args): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
open(sys.argv[1], "w").write(str(server.server_port))
server.serve_forever()
P
python3 "$dir/provider.py" "$dir/port" &
provider=$!
until [ -s "$dir/port" ]; do sleep 0.1; done

user=$([ "$(id -u)" -ne 0 ] || echo 'user root;')
cat >"$dir/conf" <<C
load_module $module;
$user
daemon off; pid $dir/pid; error_log $dir/error.log;
events {}
http {
    client_body_temp_path $dir/b; proxy_temp_path $dir/p; fastcgi_temp_path $dir/f; scgi_temp_path $dir/s; uwsgi_temp_path $dir/u;
    log_format cost '\$cando_model: \$cando_action (\$cando_findings), \$cando_input_tokens tokens in, \$cando_output_tokens out, USD \$cando_cost';
    server {
        listen unix:$dir/socket;
        location /v1/ { cando repair; cando_provider openai; proxy_pass http://127.0.0.1:$(cat "$dir/port"); access_log $dir/log cost; }
        location /strict/ { cando reject; cando_provider openai; proxy_pass http://127.0.0.1:$(cat "$dir/port"); access_log off; }
    }
}
C
nginx -e "$dir/error.log" -p "$dir" -c "$dir/conf" &
nginx=$!
until [ -S "$dir/socket" ] || ! kill -0 "$nginx"; do sleep 0.1; done

body='{"model":"gpt-5.6-sol","max_tokens":500,"messages":[{"role":"user","content":"Say hello."}]}'
post() { curl -sS --unix-socket "$dir/socket" -H 'content-type: application/json' -d "$body" "http://gateway$1"; }

echo "a client sends      $body"
echo
echo "location /v1/ { cando repair; cando_provider openai; proxy_pass ...; }"
post /v1/chat/completions >"$dir/reply"
until [ -s "$dir/log" ]; do sleep 0.1; done
echo "the access log has  $(cat "$dir/log")"
echo
echo "the same with cando reject, which asks nobody:"
echo "the client gets     $(post /strict/v1/chat/completions)"
