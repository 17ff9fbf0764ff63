#!/usr/bin/env python3
"""uses.py CANDO - an explicit no is never passed over: asks the program about every cell of docs/request-uses.md.

For each condition of a rule that uses a capability a small request is made that meets it, and a profile that says no to that
capability alone. The finding must name it; with a profile that says yes there must be none. The first rule of a cell that is about
no single model must answer for its API's own vendor.
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scripts"))
import uses  # noqa: E402

BASE = {
    "openai-chat": {"model": "m", "messages": [{"role": "user", "content": "hi"}]},
    "openai-responses": {"model": "m", "input": [{"role": "user", "content": "answer in JSON"}]},
    "anthropic-messages": {"model": "m", "max_tokens": 100, "messages": [{"role": "user", "content": "hi"}]},
    "gemini": {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]},
    "bedrock-converse": {"messages": [{"role": "user", "content": [{"text": "hi"}]}]},
    "mistral-chat": {"model": "m", "messages": [{"role": "user", "content": "hi"}]},
    "ollama-chat": {"model": "m", "messages": [{"role": "user", "content": "hi"}]},
}
VENDOR = {"openai-chat": "openai", "openai-responses": "openai", "anthropic-messages": "anthropic", "gemini": "google",
          "bedrock-converse": "amazon-bedrock", "mistral-chat": "mistral", "ollama-chat": "ollama"}
# what goes with a tool is refused without one
TOOLS = {
    "openai-chat": {"tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}]},
    "openai-responses": {"tools": [{"type": "function", "name": "f", "parameters": {"type": "object", "properties": {}}}]},
    "anthropic-messages": {"tools": [{"name": "g", "input_schema": {"type": "object"}}, {"name": "f", "input_schema": {"type": "object"}},
                                     {"type": "tool_search_tool_regex_20251119", "name": "tool_search_tool_regex"}]},
}
WITH_TOOLS = {"parallel_tool_calls", "tool_choice", "defer_loading"}
# good values of members that take no other text
GOOD = {"effort": "low", "reasoning_effort": "high", "verbosity": "low", "summary": "auto", "think": "low", "thinkingLevel": "low",
        "responseSchema": {"type": "OBJECT"}, "responseJsonSchema": {"type": "object"}, "cachePoint": {"type": "default"},
        "cache_control": {"type": "ephemeral"}, "stop": ["x"], "stop_sequences": ["x"], "stopSequences": ["x"], "seed": 1, "top_k": 5,
        "topK": 5, "random_seed": 1, "top_logprobs": 2, "logit_bias": {"50256": -100}, "temperature": 0.5, "topP": 0.5,
        "frequencyPenalty": 0.5, "presencePenalty": 0.5, "thinkingBudget": 512}

WHOLE = {"compact_": "compact_20260112"}  # of prefixes that are no value by themselves


def value_for(condition):
    """A value that passes the condition."""
    key = condition["path"].split(".")[-1]
    if key in GOOD and not {"is", "prefix", "inside"} & set(condition):
        return GOOD[key]
    word = condition.get("is", condition.get("prefix"))
    if word is not None:
        word = word[0] if isinstance(word, list) else word
        return WHOLE.get(word, word)
    if "inside" in condition:
        return condition["inside"][0]
    if "length" in condition:
        return ["x"] * max(1, int(condition["length"][0]))
    kind = condition.get("kind")
    if kind:
        return {"object": {}, "array": [{}], "string": "x", "number": 1}[kind if isinstance(kind, str) else kind[0]]
    return 0.5 if "not" in condition and not isinstance(condition["not"], (str, list)) else "x"


def put(at, path, value):
    """Sets what a path leads to; a new item of an array where that is a message."""
    keys = path.replace("[0]", "[]").replace("[-1]", "[]").split(".")
    for i, key in enumerate(keys):
        name, arrays = key.replace("[]", ""), key.count("[]")
        last = i == len(keys) - 1
        if not arrays:
            if last:
                at[name] = value
            elif not isinstance(at.get(name), dict):
                at[name] = {}
            at = at[name] if not last else at
            continue
        if not isinstance(at.get(name), list):
            at[name] = []
        items = at[name]
        if last:
            items.append(value)
        elif not items or keys[i + 1:] == ["cachePoint"] or i == 0 and keys[i + 1:] == ["role"]:
            items.append({"content": "hi"} if keys[i + 1:] == ["role"] else {})
        at = items[-1 if name != "tools" else 0]


def request_for(api, name, rule, condition, besides):
    if condition["path"].startswith("@"):
        return BASE[api], [value_for(condition) + "x"]
    body = json.loads(json.dumps({**BASE[api], **(TOOLS.get(api, {}) if name in WITH_TOOLS else {})}))
    if uses.place(rule, condition).startswith("generationConfig.response") and name == "structured_output":
        body["generationConfig"] = {"responseMimeType": "application/json"}
    if name == "system_message" and "role" in condition["path"]:
        body["messages" if "messages" in body else "input"].insert(0, {"role": "system", "content": "be brief"})
        return body, []
    for c in [condition, *besides]:
        put(body, uses.place(rule, c), value_for(c))
    for messages in (body.get("messages"), body.get("input"), body.get("contents")):
        for m in messages if isinstance(messages, list) else []:
            m.setdefault("role", "user")
    return body, []


def questions():
    names = set(uses.capabilities())
    for (api, name), rules in sorted(uses.cells().items()):
        if api not in BASE or name not in names:
            continue
        general = [r for r in rules if "match" not in r[0] and "version_min" not in r[0]]
        for rule, condition, besides in general or rules[:1]:
            listed = rule.get("providers", "*")
            if listed != "*" and (VENDOR[api] in listed) == rule.get("others", False):
                continue
            body, betas = request_for(api, name, rule, condition, besides)
            ask = {"op": "preflight", "dialect": api, "request": body, "profile_form": "cando"}
            if betas:
                ask["betas"] = betas
            yield api, name, rule["name"], ask


def main():
    cando, asked, text = sys.argv[1], [], []
    for api, name, rule, ask in questions():
        for level in ("unsupported", "native"):
            asked.append((api, name, rule, level, ask))
            text.append(json.dumps({**ask, "profile": {name: level}}))
    replies = subprocess.run([cando, "batch"], input="\n".join(text) + "\n", capture_output=True, text=True).stdout
    failed, seen = 0, set()
    for (api, name, rule, level, ask), line in zip(asked, replies.splitlines(), strict=True):
        reply = json.loads(line)
        found = [f for f in reply.get("result", {}).get("findings", []) if f.get("capability") == name]
        if level == "unsupported" and found:
            seen.add((api, name))
        if bool(found) != (level == "unsupported") or not reply["ok"]:
            failed += 1
            print("%s/%s by %s: %s is %s" % (name, api, rule, level, "passed over" if not found else "a finding"))
            print("    " + json.dumps(ask["request"]) + ("" if reply["ok"] else " " + line))
    for api, name in sorted(k for k in uses.cells() if k[0] in BASE and k[1] in uses.capabilities()):
        if (api, name) not in seen:
            failed += 1
            print("%s/%s: no request was made that shows it" % (name, api))
    print("%d asked, %d failed" % (len(asked), failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
