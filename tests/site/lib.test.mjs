// lib.test.mjs - the modules of site/lib that need neither a page nor the engine.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cheaper, decimal, units } from "../../site/lib/decimal.js";
import { byDay, calendar, folded } from "../../site/lib/ics.js";
import { applyChange, applyChanges, pieces } from "../../site/lib/jsonedit.js";
import { indexOfByte, jsonError, placeOf, spanOf } from "../../site/lib/jsonplace.js";
import { diffLines, edits, marked } from "../../site/lib/textdiff.js";

const chance = (seed) => () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;

test("bytes of the engine are places of the text", () => {
  const text = '{"a":"é€😀","b":1}';
  const bytes = new TextEncoder().encode(text);
  for (let i = 0; i <= text.length; i++) {
    if (/[\udc00-\udfff]/.test(text[i] ?? "")) continue;
    assert.equal(indexOfByte(text, new TextEncoder().encode(text.slice(0, i)).length), i);
  }
  assert.equal(indexOfByte(text, bytes.length + 5), text.length);
  assert.deepEqual(placeOf("ab\ncd\n", 4), { line: 2, column: 2 });
  assert.deepEqual(placeOf("ab\ncd\n", 6), { line: 3, column: 1 });
});

test("JSON and no JSON, as the parser sees it", () => {
  const texts = ["1", " [ ] ", "{}", '{"a":[1,{"b":null}]}', "[1,]", '{"a"}', '{"a":1,}', "[1 2]", '"x', "{", "tru", "01", "-", "[1]x", '{"a":1 "b":2}', '"\\q"', '"\n"', "", "1e5", "[[[]]]", "[[[", '{"a":tru}'];
  for (const text of texts) {
    let fine = true;
    try {
      JSON.parse(text);
    } catch {
      fine = false;
    }
    assert.equal(jsonError(text) === undefined, fine, JSON.stringify(text));
  }
  assert.deepEqual(jsonError('{"a": 1,\n "b" 2}'), { index: 14, message: "expected ':'" });
  assert.ok(jsonError("[".repeat(1000000)));
});

test("a pointer leads to its value", () => {
  const text = '{ "a/b": [10, {"~x": "é"}], "n" : {"m":2} }';
  const at = (p) => {
    const s = spanOf(text, p);
    return s && text.slice(s.start, s.end);
  };
  assert.equal(at(""), text);
  assert.equal(at("/a~1b/0"), "10");
  assert.equal(at("/a~1b/1/~0x"), '"é"');
  assert.equal(at("/n"), '{"m":2}');
  assert.equal(at("/n/m"), "2");
  assert.equal(at("/a~1b/2"), undefined);
  assert.equal(at("/z"), undefined);
});

test("a change touches nothing else", () => {
  const text = '{\n  "a": 1,\n  "b": [1, 2, 3],\n  "c": {}\n}';
  assert.equal(applyChange(text, { op: "remove", path: "/a" }), '{\n  "b": [1, 2, 3],\n  "c": {}\n}');
  assert.equal(applyChange(text, { op: "remove", path: "/c" }), '{\n  "a": 1,\n  "b": [1, 2, 3]\n}');
  assert.equal(applyChange(text, { op: "remove", path: "/b/1" }), '{\n  "a": 1,\n  "b": [1, 3],\n  "c": {}\n}');
  assert.equal(applyChange(text, { op: "move", from: "/a", path: "/z" }), text.replace('"a"', '"z"'));
  assert.equal(applyChange(text, { op: "replace", path: "/b/2", value: "x" }), text.replace("3]", '"x"]'));
  assert.equal(applyChange(text, { op: "add", path: "/d", value: true }), '{\n  "a": 1,\n  "b": [1, 2, 3],\n  "c": {},\n  "d": true\n}');
  assert.equal(applyChange(text, { op: "add", path: "/c/d", value: 1 }), text.replace("{}", '{"d": 1}'));
  assert.deepEqual(JSON.parse(applyChange(text, { op: "move", from: "/a", path: "/c/a" })), { b: [1, 2, 3], c: { a: 1 } });
  assert.equal(applyChange(text, { op: "remove", path: "/q" }), undefined);
  assert.equal(applyChange('{"a":1}', { op: "remove", path: "/a" }), "{}");
});

test("pieces can be taken in any order", () => {
  const text = '{"a":1,"b":[1,2,3],"c":{"d":1,"e":2}}';
  const changes = [
    { op: "move", from: "/a", path: "/x" },
    { op: "remove", path: "/b/0" },
    { op: "replace", path: "/b/1", value: 9 },
    { op: "remove", path: "/c/d" },
    { op: "add", path: "/c/f", value: 3 },
  ];
  const groups = pieces(changes);
  assert.deepEqual(groups.map((g) => g.length), [1, 2, 1, 1]);
  const whole = JSON.parse(applyChanges(text, changes));
  for (const order of [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]]) {
    assert.deepEqual(JSON.parse(applyChanges(text, order.flatMap((i) => groups[i]))), whole);
  }
});

test("edits lead from one list to the other", () => {
  const random = chance(7);
  for (let round = 0; round < 300; round++) {
    const list = () => Array.from({ length: Math.floor(random() * 12) }, () => "abc"[Math.floor(random() * 3)]);
    const [a, b] = [list(), list()];
    const [from, to] = [[], []];
    for (const e of edits(a, b)) {
      for (let i = 0; i < e.n; i++) {
        if (e.kind !== "new") from.push(a[e.a + i]);
        if (e.kind !== "gone") to.push(b[e.b + i]);
      }
    }
    assert.deepEqual([from, to], [a, b]);
  }
  assert.equal(edits(["a", "b", "c", "d"], ["a", "c", "d"]).filter((e) => e.kind === "gone").length, 1);
});

test("a changed line shows what changed in it", () => {
  const [a, b] = marked('  "max_tokens": 500,', '  "max_completion_tokens": 500,');
  assert.deepEqual(a, [["  ", false], ['"max_tokens"', true], [": 500,", false]]);
  assert.deepEqual(b, [["  ", false], ['"max_completion_tokens"', true], [": 500,", false]]);
  const rows = diffLines("1\n2\n3\n4\n5\nx\n7", "1\n2\n3\n4\n5\ny\n7");
  assert.deepEqual(rows.map((r) => r.kind), ["skip", "same", "gone", "new", "same"]);
  const long = "a ".repeat(20000);
  assert.ok(diffLines(long + "x", long + "y").every((r) => r.parts.reduce((n, [t]) => n + t.length, 0) < 400));
});

test("money is exact", () => {
  assert.equal(decimal(units("0.1") + units("0.2")), "0.3");
  assert.equal(decimal(units("-1.05")), "-1.05");
  assert.equal(decimal(units("3")), "3");
  assert.equal(units(null), undefined);
  assert.equal(units("1e5"), undefined);
  const sorted = [undefined, units("2"), units("10"), units("0")].sort(cheaper);
  assert.deepEqual(sorted.slice(0, 3).map(decimal), ["0", "2", "10"]);
});

test("a calendar holds what a calendar may", () => {
  const rows = [
    { provider: "openai", model: "gpt-5", retires_on: "2026-12-11", use: "gpt-5.6-sol", source: "https://a.example/x" },
    { provider: "openai", model: "a,b;c\\d\r\nBEGIN:VEVENT", retires_on: "2026-12-11", use: null, source: null },
    { provider: "x", model: "ü".repeat(80), retires_on: "2026-12-31", use: null },
    { provider: "x", model: "no day", retires_on: null },
    { provider: "x", model: "no day", retires_on: "2026-13-99" },
  ];
  assert.deepEqual(byDay(rows).map((g) => [g.day, g.provider, g.models.length]), [["2026-12-11", "openai", 2], ["2026-12-31", "x", 1]]);
  const text = calendar(rows, { stamp: "2026-11-16" });
  assert.equal(text.match(/BEGIN:VEVENT\r\n/g).length, 2);
  assert.ok(text.split("\r\n").every((l) => new TextEncoder().encode(l).length <= 75));
  assert.ok(!/[^\r]\n|\r[^\n]/.test(text));
  assert.ok(text.includes("DTEND;VALUE=DATE:20270101"));
  assert.ok(text.replaceAll("\r\n ", "").includes("a\\,b\\;c\\\\d\\nBEGIN:VEVENT"));
  assert.equal(folded("x".repeat(80)), "x".repeat(75) + "\r\n " + "x".repeat(5));
});
