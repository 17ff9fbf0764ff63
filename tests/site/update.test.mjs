// update.test.mjs - the site is built anew while people have it open: nobody gets files of two builds.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { open, until } from "./browser.mjs";

const folder = mkdtempSync(join(tmpdir(), "cando-site-"));
cpSync("build/site", folder, { recursive: true, filter: (path) => !/build\/site\/(?:badge|embed|calendar)/.test(path) });
const site = await open({ folder, prefix: "/a/b/" });
after(async () => {
  await site.close();
  rmSync(folder, { recursive: true });
});

// A build is told by the titles of two views: one that is loaded at once, and one that is loaded when it is asked for.
function build(name) {
  for (const view of ["cost", "about"]) {
    const file = join(folder, "views", `${view}.js`);
    writeFileSync(file, readFileSync(file, "utf8").replace(/^export const title = .*$/m, `export const title = "${view} of ${name}";`));
  }
  execFileSync(process.execPath, ["scripts/site_offline.mjs", folder]);
}
const titleIs = (page, title) => page.waitForFunction((wanted) => document.title === wanted, `${title} · cando`); // also over a reload
const go = (page, view) => page.evaluate((to) => { location.hash = to; }, `#/${view}`);
const kept = (page) => until(page, () => page.evaluate(() => !!navigator.serviceWorker.controller), "the page is kept");
const look = (page) => page.evaluate(async () => { await (await navigator.serviceWorker.getRegistration()).update(); });
const builds = (page) => page.evaluate(async () => (await caches.keys()).length);

test("a newer build takes over at once, and whole, when its reader says so", async () => {
  build("one");
  const page = await site.page("#/cost");
  await titleIs(page, "cost of one");
  await kept(page);
  build("two");
  await look(page);
  const reload = page.getByRole("button", { name: "Reload" });
  await reload.waitFor();
  await go(page, "about");
  await titleIs(page, "about of one");
  await reload.click();
  await titleIs(page, "about of two");
  await go(page, "cost");
  await titleIs(page, "cost of two");
  await until(page, async () => (await builds(page)) === 1, "the older build is gone");
  await page.context().close();
  site.clean();
});

test("it waits for other pages of the older build, and then takes over when a page is loaded again", async () => {
  build("three");
  const first = await site.page("#/cost");
  await titleIs(first, "cost of three");
  await kept(first);
  const second = await first.context().newPage();
  await second.goto(first.url());
  await kept(second);
  build("four");
  await look(first);
  await first.getByRole("button", { name: "Reload" }).click();
  await first.getByText("waits until the other tabs").waitFor();
  for (const page of [first, second]) {
    await go(page, "about");
    await titleIs(page, "about of three");
  }
  await second.close();
  const [worker] = first.context().serviceWorkers();
  await until(first, async () => (await worker.evaluate(() => clients.matchAll({ type: "window" }).then((pages) => pages.length))) === 1, "the other page is gone");
  await first.reload();
  await titleIs(first, "about of four");
  await first.context().close();
  site.clean();
});

test("a build that is not whole is not kept", async () => {
  build("five");
  const page = await site.page("#/cost");
  await titleIs(page, "cost of five");
  await kept(page);
  page.context().allowed = /./; // the browser says that the newer worker failed
  build("six");
  const file = join(folder, "views", "about.js");
  const whole = readFileSync(file);
  writeFileSync(file, "// the host is in the middle of a change\n");
  await look(page).catch(() => {});
  assert.equal(await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).waiting), null);
  await go(page, "about");
  await titleIs(page, "about of five");
  await page.reload();
  await titleIs(page, "about of five");
  writeFileSync(file, whole);
  await look(page);
  // A page that was loaded a moment ago goes over by itself.
  await page.waitForFunction(() => [...document.querySelectorAll(".toast button")].some((button) => (button.click(), true)) || document.title === "about of six · cando");
  await titleIs(page, "about of six");
  await page.context().close();
  site.clean();
});
