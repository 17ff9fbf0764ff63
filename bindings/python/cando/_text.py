"""JSON as the engine writes and reads it.

encode(value) gives its text; scan(text, at) the value that begins there, and where it ends.

The module json takes longer to load than all of this package, for its regular expressions; what it is
made of, _json, does not. Where that is missing json itself does the same.
"""
try:
    from _json import encode_basestring, make_encoder, make_scanner
except ImportError:
    import json

    encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode
    scan = json.JSONDecoder().raw_decode
else:

    class _Plain:
        strict = True
        object_hook = object_pairs_hook = parse_constant = None
        parse_float = float
        parse_int = int

    scan = make_scanner(_Plain)

    def _unknown(value):
        raise TypeError("%s is no JSON" % type(value).__name__)

    def encode(value):
        if isinstance(value, str):
            return encode_basestring(value)
        return "".join(make_encoder({}, _unknown, encode_basestring, None, ":", ",", False, False, False)(value, 0))
