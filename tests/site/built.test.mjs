// built.test.mjs - what `make site` wrote: all files of the page are kept for later, the one file allows its own scripts alone, and what is for
// other pages is there, and bounded.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";

const site = "build/site";
const read = (path) => readFileSync(join(site, path), "utf8");
const filesBelow = (folder) => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((e) => e.isFile()).map((e) => join(e.parentPath ?? e.path, e.name));
const hash = (bytes, as) => createHash("sha256").update(bytes).digest(as);

test("the service worker keeps all that the page consists of, by its hash", () => {
  const sw = read("sw.js");
  const files = JSON.parse(/^const files = (\{.*\});/m.exec(sw)[1]);
  const [, build] = /^const build = "(\w+)";/m.exec(sw);
  assert.equal(/^export const build = "(\w+)";/m.exec(read("made.js"))[1], build);
  for (const [path, sum] of Object.entries(files)) assert.equal(hash(readFileSync(join(site, path)), "hex"), sum, path);
  const rest = filesBelow(site).map((path) => relative(site, path)).filter((path) => !Object.hasOwn(files, path));
  assert.deepEqual(rest.filter((path) => !/^(?:badge|embed|calendar)\//.test(path)).sort(), ["cando.html", "sw.js"]);
});

test("one file that asks for nothing, and allows its own scripts and styles alone", () => {
  const html = read("cando.html");
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)[1];
  const inside = (tag) => [...html.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, "g"))].map(([, text]) => `'sha256-${hash(text, "base64")}'`);
  const allowed = (name) => policy.split("; ").find((part) => part.startsWith(`${name} `)).split(" ").slice(1);
  assert.deepEqual(allowed("script-src"), [...inside("script"), "'wasm-unsafe-eval'"]);
  assert.deepEqual(allowed("style-src"), inside("style"));
  assert.ok(!/unsafe-(?:inline|eval')|https?:|\*/.test(policy.replace("'wasm-unsafe-eval'", "")));
  assert.equal(policy.includes("connect-src"), false); // default-src 'none'
  const tags = html.replace(/(<script[^>]*>)[\s\S]*?<\/script>/g, "$1");
  assert.ok(!/<(?:script|link|img|iframe)\b[^>]*(?:src|href)="(?!data:)/.test(tags));
  assert.ok(html.length < 5e6);
});

test("the page's own policy lets nothing in and nothing out", () => {
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(read("index.html"))[1];
  assert.match(policy, /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self';/);
  assert.match(policy, /connect-src 'self';.*base-uri 'none'; form-action 'none'$/);
  assert.ok(!/unsafe-inline|'unsafe-eval'|https?:|\*/.test(policy));
});

test("badges, tables and calendars have addresses, and are not too many", () => {
  for (const path of ["badge/openai/gpt-5/tool_calling.svg", "badge/tool_calling.svg", "embed/openai/gpt-5.html", "embed/tool_calling.html", "calendar/all.ics", "calendar/openai.ics"]) assert.ok(existsSync(join(site, path)), path);
  const files = ["badge", "embed", "calendar"].flatMap((folder) => filesBelow(join(site, folder)));
  assert.ok(files.length > 1000 && files.length <= 15000, String(files.length));
  assert.ok(files.reduce((n, path) => n + statSync(path).size, 0) < 20e6);
  for (const path of ["embed/openai/gpt-5.html", "embed/tool_calling.html"]) {
    const html = read(path);
    const css = /rel="stylesheet" href="([^"]+)"/.exec(html)[1];
    assert.ok(existsSync(join(site, dirname(path), css)), css);
    assert.ok(!/<script|\son\w+=/i.test(html));
  }
});
