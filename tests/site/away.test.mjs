// away.test.mjs - the page where it is not at home: below a path, without a network, as one file, and with what others wrote to
// do it harm.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, afterEach, test } from "node:test";
import { pathToFileURL } from "node:url";
import { deflateRawSync, gzipSync } from "node:zlib";
import { open, until } from "./browser.mjs";

const site = await open({ prefix: "/some/where/" });
const tmp = mkdtempSync(join(tmpdir(), "cando-page-"));
after(async () => {
  await site.close();
  rmSync(tmp, { recursive: true, force: true });
});
afterEach(async () => {
  for (const context of site.browser.contexts()) await context.close();
  site.clean();
});
const packed = (text) => deflateRawSync(text).toString("base64url");
const views = ["explore", "compare", "check", "cost", "mine", "conflicts", "retiring", "badges", "about"];
const ready = (page) => page.locator(".grid tbody th a").first().waitFor();

test("the policy of the page allows its own origin and nothing else", async () => {
  const page = await site.page();
  await ready(page);
  const policy = await page.locator("meta[http-equiv=Content-Security-Policy]").getAttribute("content");
  const rules = Object.fromEntries(policy.split(";").map((rule) => rule.trim().split(/ (.*)/)));
  assert.equal(rules["default-src"], "'none'");
  for (const [name, value] of Object.entries(rules)) assert.ok(value.split(" ").every((word) => ["'none'", "'self'", "data:", "blob:", "'wasm-unsafe-eval'"].includes(word)), `${name} ${value}`);
  assert.ok(!rules["script-src"].includes("data:") && !rules["script-src"].includes("blob:"));
  const left = await page.evaluate(() => fetch("https://example.com/").then(() => "sent", () => "refused"));
  assert.equal(left, "refused");
  await assert.rejects(async () => site.clean(), /violates/); // and the refusal is told
});

test("all views work below a path, with every file from there", async () => {
  const page = await site.page();
  await ready(page);
  for (const view of views) {
    await page.goto(`${site.url}?today=2026-11-16#/${view}`);
    await page.locator(`.view-${view} h1`).first().waitFor({ state: "attached" });
    assert.equal(await page.locator(".failed").count(), 0, view);
  }
});

test("without a network after the first visit: every view, the engine, a link that was kept", async () => {
  const page = await site.page("", { query: "" });
  await ready(page);
  await until(page, () => page.evaluate(() => !!navigator.serviceWorker.controller), "the page is kept");
  await page.context().setOffline(true);
  await site.shut(); // not even by a way around
  try {
    await page.goto(`${site.url}#/explore?q=opus`);
    await page.reload();
    await ready(page);
    for (const view of views) {
      await page.goto(`${site.url}#/${view}`);
      await page.locator(`.view-${view} h1`).first().waitFor({ state: "attached" });
      assert.equal(await page.locator(".failed").count(), 0, view);
    }
    await page.goto(`${site.url}#/check?body=${packed('{"model":"gpt-5.6-sol","max_tokens":5,"messages":[{"role":"user","content":"hi"}]}')}`);
    await page.reload();
    await page.getByText("It will run once repaired on").waitFor();
  } finally {
    await site.reopen();
  }
});

test("one file, opened from a disk", async () => {
  const file = pathToFileURL(resolve("build/site/cando.html")).href;
  const page = await site.page("#/explore?q=claude", { url: file });
  await ready(page);
  await page.getByRole("link", { name: "Check", exact: true }).click();
  await page.getByRole("textbox", { name: "Request" }).fill('{"model":"gpt-5.6-sol","max_tokens":5,"messages":[{"role":"user","content":"hi"}]}');
  await page.getByText("It will run once repaired on").waitFor();
  for (const view of views) {
    await page.goto(`${file}?today=2026-11-16#/${view}`);
    await page.locator(`.view-${view} h1`).first().waitFor({ state: "attached" });
    assert.equal(await page.locator(".failed").count(), 0, view);
  }
  assert.doesNotMatch(readFileSync("build/site/cando.html", "utf8").replace(/<script[\s>].*?<\/script>/gs, ""), /(?:src|href)="https?:/);
});

// -- harm ---------------------------------------------------------------------------------------------

const EVIL = `<img src=x onerror="globalThis.pwned=1"><script>globalThis.pwned=1</script>"><svg onload=globalThis.pwned=1> javascript:globalThis.pwned=1`;
const unharmed = async (page, what) => {
  assert.equal(await page.evaluate(() => globalThis.pwned), undefined, what);
  assert.equal(await page.locator("body img:not([src^='data:image/svg+xml']), #view script, dialog script, body iframe, body [onload], body [onerror], body a[href^='javascript:' i], body a[href^='data:text/html' i]").count(), 0, what);
};

test("what is pasted or stands in a link cannot run", async () => {
  const page = await site.page();
  await ready(page);
  const evil = encodeURIComponent(EVIL);
  const request = packed(JSON.stringify({ model: EVIL, messages: [{ role: EVIL, content: EVIL, [EVIL]: EVIL }], [EVIL]: 1, tools: [{ type: "function", function: { name: EVIL } }] }, null, 1));
  const log = packed([{ id: "a", model: EVIL, usage: { prompt_tokens: 5, completion_tokens: 5, [EVIL]: 5 } }, { id: "b", model: "gpt-4o", created: EVIL, usage: { prompt_tokens: 5, completion_tokens: 5 } }].map((reply) => JSON.stringify(reply)).join("\n"));
  const links = [
    `#/explore?q=${evil}&provider=${evil}&can=${evil}&sort=${evil}&cols=${evil},__proto__,constructor&context=${evil}..&x=${evil}&as=plot`,
    `#/explore?q=${evil}&family=${evil}&status=${evil}&pick=${evil}`,
    `#/${evil}`, `#/model/${evil}/${evil}`, `#/model/openai/${evil}`, `#/compare?m=${evil},openai/gpt-5`,
    `#/check?body=${request}&model=${evil}&to=${evil}&tab=${evil}`, `#/check?body=${request}&tab=repair`, `#/check?body=${evil}`,
    `#/cost?in=${evil}&q=${evil}&can=${evil}`, `#/cost?tab=bill&body=${log}&provider=${evil}&tier=${evil}`,
    `#/mine?ids=${evil},openai/gpt-5`, `#/conflicts?q=${evil}&field=${evil}&source=${evil}&kind=${evil}`, `#/retiring?q=${evil}&provider=${evil}&month=${evil}&show=${evil}`,
    `#/badges?model=${evil}&field=${evil}&m=${evil}`, `#/about?model=${evil}&field=${evil}&value=${evil}`,
  ];
  for (const link of links) {
    await page.goto(`${site.url}?today=2026-11-16${link}`);
    await page.reload();
    await page.locator("#view h1").first().waitFor({ state: "attached" });
    await page.evaluate(async () => (await import("./ask.js")).ask("resolve", { target: "openai/gpt-5" })); // all that was asked before has been answered
    await unharmed(page, link.slice(0, 60));
  }
});

// The site with another catalog: hostile.toml, built by the program itself.
test("a catalog that is written to do harm cannot run either", async () => {
  const evil = await evilSite();
  try {
    const page = await evil.page();
    await ready(page);
    await unharmed(page, "the table");
    const links = await page.locator(".grid tbody th a").evaluateAll((list) => list.map((node) => node.getAttribute("href")));
    assert.ok(links.length > 1);
    for (const cell of await page.locator(".grid td.cap").all()) {
      await cell.click();
      await page.getByRole("dialog").locator("h2").waitFor();
      await page.evaluate(async () => (await import("./ask.js")).ask("resolve", { target: "openai/gpt-5" }));
      await unharmed(page, "the evidence");
      await page.keyboard.press("Escape");
    }
    const all = links.map((link) => decodeURIComponent(link.slice("#/model/".length)));
    for (const link of ["#/explore?as=plot", ...links, `#/compare?m=${all.map(encodeURIComponent).join(",")}`, "#/retiring", "#/retiring?show=stopped", "#/conflicts", `#/mine?ids=${all.map(encodeURIComponent).join(",")}`, "#/about", "#/badges", "#/cost"]) {
      await page.goto(`${evil.url}?today=2026-11-16${link}`);
      await page.locator("#view h1").first().waitFor({ state: "attached" });
      await page.evaluate(async () => (await import("./ask.js")).ask("resolve", { target: "openai/gpt-5" }));
      await unharmed(page, link.slice(0, 40));
    }
    evil.clean();
  } finally {
    await evil.close();
  }
});

async function evilSite() {
  const { execFileSync } = await import("node:child_process");
  const folder = join(tmp, "site");
  cpSync("build/site", folder, { recursive: true, filter: (path) => !/build\/site\/(?:badge|embed|calendar)/.test(path) });
  execFileSync("build/cando", ["build", "--quiet", "-o", join(tmp, "evil.snap"), "tests/site/hostile.toml"]);
  writeFileSync(join(folder, "engine/catalog.bin"), gzipSync(readFileSync(join(tmp, "evil.snap"))));
  rmSync(join(folder, "sw.js"));
  writeFileSync(join(folder, "made.js"), readFileSync(join(folder, "made.js"), "utf8").replace(/^export const (files|build) = .*$/gm, (_, name) => `export const ${name} = ${name === "files" ? "false" : '""'};`));
  return open({ folder });
}

// -- size ---------------------------------------------------------------------------------------------

/** What part of the time from `act` until `done` the page did not answer in one piece; and how often it did. */
async function pausesOf(page, act, done) {
  await page.evaluate(() => {
    globalThis.pauses = { longest: 0, last: performance.now(), first: performance.now(), n: 0 };
    const turn = () => {
      const now = performance.now();
      Object.assign(pauses, { longest: Math.max(pauses.longest, now - pauses.last), last: now, n: pauses.n + 1 });
      setTimeout(turn);
    };
    turn();
  });
  await act();
  await done();
  return page.evaluate(() => ({ part: pauses.longest / (pauses.last - pauses.first), ...pauses }));
}

const twenty = 20_000_000;
const story = "It was a dark and stormy night; the rain fell in torrents. ".repeat(400);

// How long it takes depends on the machine; a page that were frozen would answer once, at the end.
for (const [what, link, name, text, done] of [
  ["a request", "#/check", "Request", () => JSON.stringify({ model: "gpt-5.6-sol", max_tokens: 5, messages: Array.from({ length: Math.ceil(twenty / story.length) }, () => ({ role: "user", content: story })) }),
    (page) => page.getByText("It will be refused on").waitFor({ timeout: 60000 })],
  ["a log", "#/cost?tab=bill", /Reply/, () => Array.from({ length: 900 }, (_, i) => JSON.stringify({ id: `r${i}`, model: "gpt-4o-mini", created: 1793491200 + i * 600, choices: [{ message: { content: story } }], usage: { prompt_tokens: 1000, completion_tokens: 100 } })).join("\n"),
    (page) => page.getByText("for 900 replies").waitFor({ timeout: 60000 })],
  ["no JSON at all", "#/mine", /Or find them/, () => `${"x y-1 ".repeat(twenty / 6)} gpt-5`,
    (page) => page.locator(".page .note").waitFor({ timeout: 60000 })],
]) {
  test(`20 MB that are pasted do not freeze the page: ${what}`, async () => {
    const page = await site.page(link);
    const box = page.getByRole("textbox", { name });
    await box.waitFor();
    await page.evaluate((pasted) => { globalThis.pasted = pasted; }, text());
    const { part, n, longest } = await pausesOf(page, () => box.evaluate((node) => {
      const data = new DataTransfer();
      data.setData("text/plain", globalThis.pasted);
      node.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    }), () => done(page));
    assert.ok(part < 0.8 && n > 10, `the page answered ${n} times, and not for ${Math.round(longest)} ms`);
    await page.getByRole("link", { name: "Retiring", exact: true }).click();
    await page.locator(".stop").first().waitFor();
  });
}
