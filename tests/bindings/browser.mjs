// browser.mjs PACKAGE - questions as lines of JSON in, answers out, through a page in Chromium. A worker of the page
// is asked the same, and has to agree. Run where playwright-core can be imported from (tests/bindings/doors.sh).
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { extname, join, resolve } from "node:path";

const folder = resolve(process.argv[2]);
const { chromium } = createRequire(resolve("build/doors/package.json"))("playwright-core");
const questions = readFileSync(0);
const types = { ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };
const given = {}; // what the page and its worker answered

// The package's files, the page's, the questions; answers are posted.
const server = createServer({ keepAliveTimeout: 0 }, async (asked, reply) => {
  const { pathname } = new URL(asked.url, "http://page");
  if (asked.method === "POST") {
    const parts = [];
    for await (const part of asked) parts.push(part);
    given[pathname.slice(1)] = Buffer.concat(parts);
    return reply.end();
  }
  reply.setHeader("content-type", types[extname(pathname)] ?? "application/octet-stream");
  if (pathname === "/questions") return reply.end(questions);
  if (pathname === "/empty.html") return reply.end("<!doctype html>");
  try {
    reply.end(readFileSync(pathname === "/page.js" ? new URL("page.js", import.meta.url) : join(folder, pathname)));
  } catch {
    reply.writeHead(404).end();
  }
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));

const profile = mkdtempSync(join(tmpdir(), "cando-page-"));
const flags = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";
const browser = await chromium.launchPersistentContext(profile, { executablePath: "/usr/bin/chromium", headless: true, args: flags.split(" ") });
try {
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/empty.html`);
  await page.evaluate(async (today) => {
    const post = (name, body) => fetch(name, { method: "POST", body });
    const worker = new Worker("/page.js", { type: "module" });
    const said = new Promise((done, fail) => {
      worker.onmessage = ({ data }) => done(data);
      worker.onerror = (e) => fail(new Error(e.message ?? "the worker does not start"));
    });
    worker.postMessage(today);
    await post("/page", await (await import("/page.js")).answers(today));
    await post("/worker", await said);
  }, process.env.CANDO_TODAY);
} finally {
  await browser.close();
  server.close();
  rmSync(profile, { recursive: true, force: true });
}
process.stdout.write(given.page);
if (!given.page.equals(given.worker)) {
  console.error(`the worker answers otherwise than the page: ${given.worker.toString().slice(0, 500)}`);
  process.exitCode = 1;
}
