// browser.mjs - Chromium before the site, as a person has it. Debian's, steered by playwright-core, which tests/site/run.sh
// puts into build/pages.
//
//     const site = await open();                   a server and a browser
//     const page = await site.page("#/check");     a page that is watched: at the end of a test
//     site.clean();                                nothing may have gone wrong in any of them
//
// What is watched: errors in the console (a breach of the content security policy is one), exceptions, answers that are
// none, and requests to anyone but the server.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { serve } from "./serve.mjs";

const fetched = createRequire(resolve("build/pages/package.json"));
const { chromium } = fetched("playwright-core");
const axe = readFileSync(fetched.resolve("axe-core/axe.min.js"), "utf8");

export const today = "2026-11-16";
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
  "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"];

export const launch = (more = {}) => chromium.launch({ executablePath: "/usr/bin/chromium", headless: true, args: flags, ...more });

/** A server for the site, at a path if one is given, and a browser. */
export async function open({ prefix = "/", folder = "build/site", args = [] } = {}) {
  let server = await serve(folder, { prefix });
  const browser = await launch({ args: [...flags, ...args] });
  const { origin } = new URL(server.url);
  let wrong = [];

  function watch(context) {
    context.on("console", (message) => { if (message.type() === "error" && !context.allowed?.test(message.text())) wrong.push(`console: ${message.text()}`); });
    context.on("weberror", (error) => wrong.push(`exception: ${error.error().stack}`));
    context.on("request", (request) => {
      const url = new URL(request.url());
      if (url.origin !== origin && !["blob:", "data:", "file:"].includes(url.protocol)) wrong.push(`left the page: ${url}`);
    });
    context.on("response", (response) => { if (response.status() >= 400) wrong.push(`${response.status()}: ${response.url()}`); });
  }

  return {
    url: server.url,
    browser,
    /** The server goes away, and comes back at the same address. */
    shut: () => server.close(),
    async reopen() { server = await serve(folder, { prefix, port: Number(new URL(server.url).port) }); },
    /** A page of its own profile, at a link of the site. */
    async page(hash = "", { width = 1280, height = 800, theme = "light", query = `?today=${today}`, url = server.url, ...more } = {}) {
      const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion: "reduce", acceptDownloads: true, ...more });
      context.setDefaultTimeout(60000);
      watch(context);
      const page = await context.newPage();
      await page.goto(`${url}${query}${hash}`);
      return page;
    },
    /** Nothing went wrong since the last time. */
    clean() {
      const list = wrong;
      wrong = [];
      assert.deepEqual(list, []);
    },
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

/** Waits until `check` gives something that is true, looking again at each frame of the page. */
export async function until(page, check, what, ms = 60000) {
  const end = Date.now() + ms;
  for (;;) {
    const value = await check();
    if (value) return value;
    if (Date.now() > end) throw new Error(`did not come: ${what ?? check}`);
    await page.evaluate(() => new Promise((next) => requestAnimationFrame(next)));
  }
}

/** The file that a click brings, as text. */
export async function saved(page, click) {
  const [file] = await Promise.all([page.waitForEvent("download"), click()]);
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
}

/** Breaches that axe finds, a line each. */
export async function breaches(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return violations.flatMap(({ id, help, nodes }) => nodes.slice(0, 3).map((node) => `${id}: ${help}: ${node.html.slice(0, 160)} ${node.any[0]?.message ?? ""}`));
}
