// bench_site.mjs OUTPUT - the page in Chromium, over loopback, as its user waits for it.
//
//   site.first      an empty cache: from the request of the page to the table of models on the screen; 1000 ms are allowed
//   site.search     a key pressed in the search to the changed table on the screen; 50 ms are allowed
//   site.takes      a pasted request: which of all offerings take it as it is, and what it costs at each; 500 ms are allowed
//   site.scroll     3,000 rows and more, 300 pixels further at each frame: the time between two frames, at the 95th of a
//                   hundred; 50 ms are allowed
//
// The best of several rounds counts for the first three: others use this machine, too. The browser is Debian's, without a GPU.
import { appendFileSync } from "node:fs";
import { open } from "../tests/site/browser.mjs";

const output = process.argv[2];
const site = await open();

function report(bench, value, limit) {
  console.log(`${bench.padEnd(32)} ${value.toFixed(1).padStart(8)} ms      against ${limit} ms allowed`);
  if (output) appendFileSync(output, JSON.stringify({ bench, value: Number(value.toPrecision(4)), unit: "ms", against: `${limit} ms allowed`, limit }) + "\n");
}

async function best(rounds, measure) {
  let least = Infinity;
  for (let i = 0; i < rounds; i++) least = Math.min(least, await measure());
  return least;
}

/** A page of an empty profile with its table there, and when that was, in milliseconds from the first request on. */
async function fresh(hash = "") {
  const page = await site.page(hash, { query: "" });
  await page.locator(".grid tbody th a").first().waitFor();
  const at = await page.evaluate(() => new Promise((done) => {
    const look = () => {
      const [mark] = performance.getEntriesByName("cando-table");
      if (mark) requestAnimationFrame(() => done(mark.startTime));
      else requestAnimationFrame(look);
    };
    look();
  }));
  return { page, at };
}

const first = await best(5, async () => {
  const { page, at } = await fresh();
  await page.context().close();
  return at;
});
report("site.first", first, 1000);

// -- search: the key goes in as a key does; the answer is there when a frame with other rows was made

const { page } = await fresh();
const keys = [..."claude opus"];
await page.getByRole("searchbox", { name: "Search" }).focus();
await page.evaluate(() => {
  globalThis.times = [];
  const box = document.querySelector("input[type=search]");
  let began;
  box.addEventListener("beforeinput", (event) => { began = event.timeStamp; });
  // What is drawn in this frame is on the screen when the task after it runs.
  box.addEventListener("input", () => requestAnimationFrame(() => { const channel = new MessageChannel(); channel.port1.onmessage = () => times.push(performance.now() - began); channel.port2.postMessage(0); }));
});
const search = await best(3, async () => {
  await page.evaluate(() => { times.length = 0; });
  for (const key of keys) await page.keyboard.press(key === " " ? "Space" : key);
  await page.evaluate((n) => new Promise((done) => { const look = () => (times.length >= n ? done() : requestAnimationFrame(look)); look(); }), keys.length);
  const slowest = Math.max(...await page.evaluate(() => times));
  for (const _ of keys) await page.keyboard.press("Backspace");
  return slowest;
});
report("site.search", search, 50);

// -- who takes it: the job itself, from the question to the whole answer in the page

await page.goto(`${site.url}#/check`);
const request = JSON.stringify({
  model: "gpt-5.6-sol", max_completion_tokens: 500,
  messages: [{ role: "user", content: [{ type: "text", text: "What is on this picture, and what did it cost?" }, { type: "image_url", image_url: { url: "https://example.com/receipt.png" } }] }],
  tools: [{ type: "function", function: { name: "save_receipt", parameters: { type: "object", properties: { total: { type: "number" } } } } }],
}, null, 2);
await page.getByRole("textbox", { name: "Request" }).waitFor();
const takes = await best(5, () => page.evaluate(async (text) => {
  const { job } = await import("./ask.js");
  const start = performance.now();
  const answer = await job("takers", { text });
  if (!answer.done || answer.takers.length < 100) throw new Error("bench: hardly anyone takes it");
  return performance.now() - start;
}, request));
report("site.takes", takes, 500);

// -- scrolling

await page.goto(`${site.url}#/explore?group=0`);
await page.locator(".grid tbody th a").first().waitFor();
const frames = await page.evaluate(() => new Promise((done) => {
  const box = document.querySelector(".grid");
  const gaps = [];
  let last = performance.now();
  const step = (now) => {
    gaps.push(now - last);
    last = now;
    if (box.scrollTop + box.clientHeight >= box.scrollHeight - 1 || gaps.length > 600) return done({ gaps: gaps.slice(2), rows: Number(box.firstChild.getAttribute("aria-rowcount")) });
    box.scrollTop += 300;
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}));
if (frames.rows < 3000) throw new Error(`bench: ${frames.rows} rows to scroll`);
const sorted = frames.gaps.sort((a, b) => a - b);
report("site.scroll", sorted[Math.floor(sorted.length * 0.95)], 50);
site.clean();
await site.close();
