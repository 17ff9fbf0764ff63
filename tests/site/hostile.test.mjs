// hostile.test.mjs - a catalog of somebody who wishes us ill (hostile.toml), through all that is written for other programs: badges, tables,
// calendars, sheets, stanzas. CANDO builds the catalog, CANDO_PACKAGE reads it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { badge, badgesOf, CAPABILITIES, capabilityBadge, capabilityTable, embed, FIELDS, modelTable, pathOf, tableHtml } from "../../site/lib/badge.js";
import { calendar } from "../../site/lib/ics.js";
import { idsIn, indexOf } from "../../site/lib/ids.js";
import { stanza } from "../../site/lib/overlay.js";
import { comparison, filter, indexOf as searchable } from "../../site/lib/rows.js";
import { sheet } from "../../site/lib/sheet.js";
import { table } from "../../site/jobs/table.js";
import { link, modelLink, parse } from "../../site/state.js";

const folder = mkdtempSync(join(tmpdir(), "cando-site-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
const snapshot = join(folder, "hostile.snap");
execFileSync(resolve(process.env.CANDO ?? "build/cando"), ["build", "--quiet", "-o", snapshot, "tests/site/hostile.toml"]);
const { load } = await import(pathToFileURL(resolve(process.env.CANDO_PACKAGE ?? "build/npm/package") + "/cando.js"));
const cando = await load({ engine: "wasm", catalog: readFileSync(snapshot), today: "2026-11-16" });
const { models } = cando.models({ fields: FIELDS, marks: true });

// Each tag of a text with its attributes, read as strictly as nobody else would: any < begins one.
function tagsOf(text) {
  return [...text.matchAll(/<([^>]*?)\/?(?:>|$)/g)].map(([, inside]) => {
    const [, name, rest] = /^\/?([\w!-]+)(.*)$/s.exec(inside) ?? [];
    assert.ok(name, `a tag that is none: <${inside.slice(0, 40)}`);
    assert.equal(rest.replace(/\s+[\w:-]+(?:="[^"<>]*")?/g, "").trim(), "", `odd attributes: <${inside}`);
    return { name: name.toLowerCase(), attributes: [...rest.matchAll(/\s([\w:-]+)(?:="([^"]*)")?/g)].map(([, key, value]) => [key.toLowerCase(), value]) };
  });
}
function harmless(text, allowed) {
  for (const { name, attributes } of tagsOf(text)) {
    assert.ok(allowed.includes(name), `<${name}>`);
    for (const [key, value] of attributes) {
      assert.ok(!key.startsWith("on") && key !== "style" && key !== "srcdoc", `${name} ${key}`);
      if (key === "href") assert.match(value, /^\.\.\//);
    }
  }
  assert.ok(!/[\0-\x08\x0b\x0c\x0e-\x1f\u202e]/.test(text));
}

test("a hostile catalog is read as it is", () => {
  assert.equal(models.length, 4);
  assert.ok(models.some((m) => m.provider === "__proto__"));
});

test("badges and tables of it run nothing", () => {
  for (const row of models) {
    for (const about of Object.values(badgesOf(row))) harmless(badge(about), ["svg", "title", "rect", "path", "g", "text"]);
    const inTable = ["table", "caption", "thead", "tbody", "tr", "th", "td", "span"];
    const about = { title: `${row.provider}/${row.model}`, rows: modelTable(row) };
    harmless(tableHtml(about), inTable);
    harmless(embed({ ...about, day: "2026-11-16", css: "../embed.css", home: `../${modelLink(row.provider, row.model)}` }), [...inTable, "!doctype", "html", "head", "meta", "title", "link", "body", "p", "a"]);
  }
  for (const [field] of CAPABILITIES) {
    harmless(badge(capabilityBadge(models, field)), ["svg", "title", "rect", "path", "g", "text"]);
    harmless(tableHtml(capabilityTable(models, field)), ["table", "caption", "thead", "tbody", "tr", "th", "td", "span"]);
  }
  harmless(badge({ label: "\ud800x".repeat(1000), value: "y" }), ["svg", "title", "rect", "path", "g", "text"]);
  assert.ok(badge({ label: "x".repeat(100000), value: "y" }).length < 1000);
});

test("files of it stay where they belong", () => {
  for (const { provider, model } of models) {
    const path = pathOf(provider, model);
    assert.equal(resolve("/site", path), join("/site", path));
    assert.match(path, /^[\w~.-]+(?:\/[\w~.-]+)+$/);
    assert.ok(path.split("/").every((part) => !part.startsWith(".")));
  }
});

test("a sheet of it has no formula", () => {
  const text = sheet([["a"], ...models.map((m) => [m.model]), ["=1"], ["-1"], ["-1+cmd"], ["\t=1"], ["\n=1"], ["＝1"], [-2.5], [NaN], ["a,b\"c"]]);
  for (const line of text.split(/\r\n/).filter(Boolean)) assert.match(line, /^(?:-\d+(?:\.\d+)?$|"?'|[^=+\-@＝\t]|$)/);
  assert.ok(text.includes('\r\n"a,b""c"\r\n') && text.includes("\r\n-1\r\n") && text.includes("\r\n'-1+cmd\r\n"));
});

test("a calendar of it has the events that there are", () => {
  const text = calendar(cando.retiring({ within: 36500 }).retiring.filter((r) => r.ending === "stops"), { stamp: "2026-11-16" });
  assert.equal(text.match(/^BEGIN:VEVENT\r$/gm).length, 2);
  assert.equal(text.match(/^END:VCALENDAR\r$/gm).length, 1);
});

test("names of it are found, sorted and linked like others", async () => {
  const rows = await table(cando);
  const index = searchable(rows);
  for (const name of ["__proto__", "constructor", "toString", "can", "n", "nothing"]) {
    const state = new URLSearchParams({ can: name, cannot: name });
    const found = filter(rows, index, state);
    assert.equal(found.length, 3); // what has stopped is left out
    assert.deepEqual(found.sort(comparison(rows, name, true)), found.slice().sort(comparison(rows, "model", true)));
  }
  const ids = [...idsIn('model = "__proto__/x", "constructor/toString", hasOwnProperty', indexOf(models))].at(-1);
  assert.deepEqual(ids, { targets: ["constructor/toString"], unknown: ["__proto__/x"] });
  for (const { provider, model } of models) {
    const state = parse(modelLink(provider, model));
    assert.deepEqual([state.view, state.rest], ["model", `${provider}/${model}`]);
  }
  assert.equal(link("model", "a/\ud800"), "#/model/a/%EF%BF%BD");
  assert.equal({}.x, undefined);
});

test("a stanza says what was typed, whatever that is", () => {
  for (const { provider, model } of models) {
    const text = stanza({ provider, model, field: "tool_calling", kind: "support", value: "unsupported", source: 'x"\n[[models]]\n', day: "2026-11-16" });
    assert.equal(cando.lint({ text }).errors, 0, text);
    assert.equal(text.match(/^\[\[models\]\]$/gm).length, 1);
    assert.equal(cando.resolve({ target: { provider, model }, overlay: { dialect: "cando", text } }).fields.tool_calling, "unsupported");
  }
});
