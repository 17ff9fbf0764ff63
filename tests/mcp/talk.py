"""talk.py - ways to speak with the server: over pipes, and over HTTP."""
import http.client
import json
import subprocess

META = "io.modelcontextprotocol/"
NEW = "2026-07-28"
VERSIONS = ["2025-06-18", "2025-11-25", NEW]


def request(version, method, params=None, ident=1):
    """A request of that version; of the new era with its _meta."""
    params = dict(params or {})
    if version == NEW:
        params["_meta"] = {META + "protocolVersion": NEW, META + "clientCapabilities": {},
                           META + "clientInfo": {"name": "test", "version": "1"}}
    return {"jsonrpc": "2.0", "id": ident, "method": method, "params": params}


def hello(version):
    return request(None, "initialize", {"protocolVersion": version, "capabilities": {},
                                        "clientInfo": {"name": "test", "version": "1"}})


class Stdio:
    """A conversation with `cando mcp`."""

    def __init__(self, cando, *options, **more):
        self.p = subprocess.Popen([cando, "mcp", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, **more)

    def tell(self, message):
        text = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.p.stdin.write(text + b"\n")
        self.p.stdin.flush()

    def ask(self, message):
        self.tell(message)
        line = self.p.stdout.readline()
        assert line.endswith(b"\n"), "no reply"
        return json.loads(line)

    def end(self):
        """Closes its input: what it still says, what it says on stderr, and its exit code."""
        out, err = self.p.communicate(timeout=60)
        return out, err, self.p.returncode


class Http:
    """The daemon, on a port of its own."""

    def __init__(self, serve):
        self.p = subprocess.Popen([serve, "--listen", "127.0.0.1:0"], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        line = self.p.stderr.readline().decode()
        self.host = line.strip().rsplit("http://", 1)[1].rstrip("/")
        self.url = "http://%s/mcp" % self.host

    def send(self, method, body=None, headers=None):
        """Status, headers and body; a dictionary is sent as JSON with what its era wants for headers."""
        head = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if isinstance(body, dict):
            head.update(headers_of(body))
            body = json.dumps(body)
        head.update(headers or {})
        c = http.client.HTTPConnection(self.host, timeout=60)
        c.request(method, "/mcp", body=body, headers={k: v for k, v in head.items() if v is not None})
        r = c.getresponse()
        text = r.read()
        c.close()
        return r.status, dict(r.getheaders()), text

    def ask(self, message, headers=None):
        status, _, text = self.send("POST", message, headers)
        assert status in (200, 400, 404), status
        return json.loads(text)

    def end(self):
        self.p.terminate()
        self.p.communicate(timeout=60)
        return self.p.returncode


def headers_of(message):
    params = message.get("params") or {}
    version = (params.get("_meta") or {}).get(META + "protocolVersion")
    if version is None:
        return {}
    out = {"MCP-Protocol-Version": version, "Mcp-Method": message["method"]}
    name = params.get("name", params.get("uri"))
    if name is not None:
        out["Mcp-Name"] = name
    return out
