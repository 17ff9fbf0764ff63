"""shapes.py - what each message of the server must look like, as JSON Schemas, for each version of the protocol.

These are the parts that we send, written down from the specification and closed where it leaves room, so that a member
that was not thought of is noticed.
"""
from talk import META, NEW


def obj(required, optional=None, more=False):
    return {"type": "object", "properties": {**required, **(optional or {})}, "required": sorted(required),
            "additionalProperties": more}


def lst(items, **more):
    return {"type": "array", "items": items, **more}


TEXT = {"type": "string"}
FILLED = {"type": "string", "minLength": 1}
ID = {"type": ["string", "integer"]}
INFO = obj({"name": {"const": "cando"}, "version": FILLED, "title": FILLED})
ABLE = obj({"tools": obj({}), "resources": obj({}), "completions": obj({})})
BOOL = {"type": "boolean"}
TOOL = obj({"name": {"type": "string", "pattern": "^[A-Za-z0-9_.-]{1,128}$"}, "title": FILLED, "description": FILLED,
            "inputSchema": obj({"type": {"const": "object"}}, more=True),
            "outputSchema": obj({"type": {"const": "object"}}, more=True),
            "annotations": obj({"readOnlyHint": {"const": True}, "destructiveHint": {"const": False},
                                "idempotentHint": {"const": True}, "openWorldHint": {"const": False}})})
RESOURCE = obj({"uri": {"type": "string", "pattern": "^cando://"}, "name": FILLED, "title": FILLED,
                "description": FILLED, "mimeType": FILLED})
TEMPLATE = obj({"uriTemplate": {"type": "string", "pattern": "^cando://"}, "name": FILLED, "title": FILLED,
                "description": FILLED, "mimeType": FILLED})
CONTENT = obj({"type": {"const": "text"}, "text": FILLED})
RESULTS = {
    "initialize": obj({"protocolVersion": FILLED, "capabilities": ABLE, "serverInfo": INFO, "instructions": FILLED}),
    "server/discover": obj({"supportedVersions": lst(FILLED, minItems=1), "capabilities": ABLE, "instructions": FILLED}),
    "ping": obj({}),
    "tools/list": obj({"tools": lst(TOOL, minItems=5)}),
    "tools/call": obj({"content": lst(CONTENT, minItems=1), "isError": BOOL}, {"structuredContent": {"type": "object"}}),
    "resources/list": obj({"resources": lst(RESOURCE)}),
    "resources/templates/list": obj({"resourceTemplates": lst(TEMPLATE)}),
    "resources/read": obj({"contents": lst(obj({"uri": FILLED, "mimeType": FILLED, "text": FILLED}), minItems=1)}),
    "completion/complete": obj({"completion": obj({"values": lst(TEXT, maxItems=100), "total": {"type": "integer"},
                                                   "hasMore": BOOL})}),
}
KEPT = {"server/discover", "tools/list", "resources/list", "resources/templates/list", "resources/read"}
MODERN = {"resultType": {"const": "complete"}, "_meta": obj({META + "serverInfo": INFO})}
MAY_KEEP = {"ttlMs": {"type": "integer", "minimum": 0}, "cacheScope": {"enum": ["private", "public"]}}


def result(version, method):
    base = RESULTS[method]
    if version != NEW:
        return base
    extra = {**MODERN, **(MAY_KEEP if method in KEPT else {})}
    return {**base, "properties": {**base["properties"], **extra}, "required": base["required"] + list(extra)}


def reply(version, method):
    """Of a reply to this method: a result of its shape, or an error with a code of that era."""
    codes = [-32700, -32600, -32601, -32602, -32603] + ([-32020, -32022] if version == NEW else [-32002, -32022])
    error = obj({"code": {"enum": codes}, "message": FILLED}, {"data": {"type": "object"}})
    good = obj({"jsonrpc": {"const": "2.0"}, "id": ID, "result": result(version, method)}) if method in RESULTS else False
    return {"anyOf": [good, obj({"jsonrpc": {"const": "2.0"}, "error": error}, {"id": ID})]}
