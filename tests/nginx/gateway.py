"""gateway.py - a real nginx with the module, and a provider behind it that keeps what it was sent.

The provider's stream waits between two events until the test lets it go on, so a gateway that held
events back would hang the test, not slow it down.
"""
import http.client
import http.server
import json
import os
import queue
import shutil
import socket
import subprocess
import tempfile
import threading
import zlib

CONF = """
load_module {module};
worker_processes {workers};
daemon off;
pid {dir}/pid;
error_log {dir}/error.log info;
events {{ worker_connections 512; }}
http {{
    client_body_temp_path {dir}/body; proxy_temp_path {dir}/proxy; fastcgi_temp_path {dir}/f;
    scgi_temp_path {dir}/s; uwsgi_temp_path {dir}/u;
    log_format judged escape=json '{{"n":"$arg_n","status":$status,"verdict":"$cando_verdict","action":"$cando_action",'
        '"findings":"$cando_findings","provider":"$cando_provider","api":"$cando_api","model":"$cando_model",'
        '"reason":"$cando_reason","tokens":"$cando_tokens","estimate":"$cando_estimate","cost":"$cando_cost",'
        '"input":"$cando_input_tokens","output":"$cando_output_tokens"}}';
    access_log {dir}/access.log judged;
    client_body_buffer_size 4k;
    client_max_body_size 64m;
    proxy_http_version 1.1;
    {http}
    upstream provider {{ server 127.0.0.1:{port}; }}
    upstream api.openai.com {{ server 127.0.0.1:{port}; }}
    map $cando_model $room {{ default other; gpt-5.6-sol sol; }}
    server {{
        listen 127.0.0.1:{listen};
        listen 127.0.0.1:{listen2} http2;
        location /report/ {{ cando report; cando_provider openai; proxy_pass http://provider/; }}
        location /repair/ {{ cando repair; cando_provider openai; proxy_pass http://provider/; }}
        location /reject/ {{ cando reject; cando_provider openai; proxy_pass http://provider/; }}
        location /unbuffered/ {{ cando repair; cando_provider openai; proxy_request_buffering off; proxy_buffering off; proxy_pass http://provider/; }}
        location /anthropic/ {{ cando reject; cando_provider anthropic; proxy_pass http://provider/; }}
        location /bedrock/ {{ cando reject; cando_provider bedrock; proxy_pass http://provider/; }}
        location /signed/ {{ cando repair; cando_provider openai; proxy_pass http://provider/; }}
        location /small/ {{ cando reject; cando_provider openai; cando_body_limit 2k; proxy_pass http://provider/; }}
        location /strict/ {{ cando reject; cando_strict on; cando_provider openai; proxy_pass http://provider/; }}
        location /byhost/ {{ cando reject; rewrite ^/byhost(/.*)$ $1 break; proxy_pass http://api.openai.com; }}
        location /v1/ {{ cando reject; proxy_pass http://api.openai.com; }}
        location /named/ {{ cando reject; cando_provider $http_x_provider; proxy_pass http://provider/; }}
        location /off/ {{ proxy_pass http://provider/; }}
        location /routed/ {{ cando report; cando_provider openai; proxy_set_header X-Room $room; proxy_set_header X-Tokens $cando_tokens; proxy_pass http://provider/; }}
    }}
}}
"""


def look_again():
    """A moment, in a loop that waits for something to be there."""
    threading.Event().wait(0.01)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Provider(http.server.ThreadingHTTPServer):
    """Answers as it is told; `seen` has what it was sent."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen = []
        self.reply = (200, {"content-type": "application/json"}, [b"{}"])
        self.go = None  # a queue: one item lets one more piece go
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        if "chunked" in self.headers.get("transfer-encoding", ""):
            body = b""
            while n := int(self.rfile.readline(), 16):
                body += self.rfile.read(n)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
        self.server.seen.append((self.path, dict(self.headers.items()), body))
        status, headers, pieces = self.server.reply
        cut = pieces is not None and None in pieces
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for piece in pieces:
            if piece is None:
                break
            if self.server.go:
                self.server.go.get(timeout=30)
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.flush()
        if cut:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *args):
        pass


class Gateway:
    """nginx in a folder of its own."""

    def __init__(self, module, http="", workers=1, env=None):
        self.provider = Provider()
        self.dir = tempfile.mkdtemp()
        self.port, self.port2 = free_port(), free_port()
        os.chmod(self.dir, 0o755)
        with open(os.path.join(self.dir, "conf"), "w", encoding="utf-8") as f:
            f.write(CONF.format(module=os.path.realpath(module), dir=self.dir, listen=self.port, listen2=self.port2,
                                port=self.provider.server_port, http=http, workers=workers))
        self.env = dict(os.environ, **(env or {}))
        with open(os.path.join(self.dir, "stderr"), "wb") as errors:
            self.process = subprocess.Popen(self.command(), env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)
        self.wait_for(self.port)

    def command(self, *more):
        user = ["-g", "user root;"] if os.getuid() == 0 else []
        return ["nginx", "-e", os.path.join(self.dir, "error.log"), "-p", self.dir, "-c", os.path.join(self.dir, "conf"), *user, *more]

    def wait_for(self, port):
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                if self.process.poll() is not None:
                    raise RuntimeError("nginx does not start: " + self.text("error.log") + self.text("stderr"))
                look_again()

    def text(self, name):
        try:
            with open(os.path.join(self.dir, name), encoding="utf-8", errors="replace") as f:
                return f.read()
        except FileNotFoundError:
            return ""

    def post(self, path, body, headers=None, chunks=None):
        """(status, headers, body) of a request of its own connection."""
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            data = body if isinstance(body, (bytes, str)) else json.dumps(body)
            if chunks:
                data = data.encode() if isinstance(data, str) else data
                pieces = (data[i:i + chunks] for i in range(0, len(data), chunks))
                c.request("POST", path, pieces, {"content-type": "application/json", **(headers or {})}, encode_chunked=True)
            else:
                c.request("POST", path, data, {"content-type": "application/json", **(headers or {})})
            r = c.getresponse()
            return r.status, {k.lower(): v for k, v in r.getheaders()}, r.read()
        finally:
            c.close()

    def logged(self, n):
        """The line of the access log of the request with ?n=N; it is written when the request has ended."""
        while True:
            for line in self.text("access.log").split("\n")[:-1]:
                one = json.loads(line)
                if one["n"] == n:
                    return one
            if self.process.poll() is not None:
                raise RuntimeError("nginx has gone: " + self.text("error.log") + self.text("stderr"))
            look_again()

    def close(self):
        self.process.terminate()
        self.process.wait(30)
        self.provider.shutdown()
        self.provider.server_close()
        errors = self.text("stderr") + "".join(line for line in self.text("error.log").splitlines(True) if "[info]" not in line and "[notice]" not in line)
        shutil.rmtree(self.dir)
        return self.process.returncode, errors


def packed(data):
    z = zlib.compressobj(wbits=31)
    return z.compress(data) + z.flush()


__all__ = ["Gateway", "look_again", "packed", "queue"]
