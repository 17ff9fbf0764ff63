// views.test.mjs - each view as a person uses it: types, filters, pastes, follows links, goes back, opens a link that was
// sent around.
import assert from "node:assert/strict";
import { after, afterEach, test } from "node:test";
import { open, saved, until } from "./browser.mjs";

const site = await open();
after(() => site.close());
afterEach(async () => {
  for (const context of site.browser.contexts()) await context.close();
  site.clean();
});

const grid = (page) => page.getByRole("grid", { name: "Offerings" });
const models = (page) => grid(page).locator("tbody th a").allTextContents();
const tally = (page) => page.locator(".tally").textContent();
const numberIn = (text) => Number(/[\d,]+/.exec(text)[0].replaceAll(",", ""));
const hash = (page) => new URL(page.url()).hash;
const rowsOf = (page, name) => page.getByRole("table", { name }).locator("tbody tr");
const ready = (page) => grid(page).locator("tbody th a").first().waitFor();

/** The cells of a row of the grid under their columns. */
async function cells(page, model, provider) {
  const head = await grid(page).locator("thead th").allTextContents();
  const row = grid(page).locator("tbody tr").filter({ has: page.getByText(model, { exact: true }) }).filter({ hasText: provider }).first();
  const texts = await row.locator("th, td").allTextContents();
  return Object.fromEntries(head.map((name, i) => [name.replace(/ [↑↓]$/, ""), texts[i]]));
}

// -- Models -----------------------------------------------------------------------------------------

test("search narrows at each letter, and forgives how a name is spelt", async () => {
  const page = await site.page();
  await ready(page);
  assert.match(await page.title(), /Models/);
  const all = numberIn(await tally(page));
  assert.ok(all > 1000);
  const search = page.getByRole("searchbox", { name: "Search" });
  await search.pressSequentially("claude opus");
  await until(page, async () => (await models(page)).every((name) => /claude.*opus/i.test(name)), "only claude opus");
  assert.ok(numberIn(await tally(page)) < all / 10);
  await search.fill("ClaudeOpus45");
  await until(page, async () => (await models(page))[0]?.includes("claude-opus-4-5"), "the same without dashes");
  await until(page, () => /q=ClaudeOpus45/.test(hash(page)), "the link");
  await search.fill("gpt-5-minii");
  const near = page.locator(".none a");
  await near.first().waitFor();
  assert.ok((await near.allTextContents()).some((name) => name.endsWith("gpt-5-mini")));
  await near.first().click();
  await until(page, () => hash(page).startsWith("#/model/"), "a model's page");
});

test("filters: what it must have, what it must not, ranges, providers; each can be taken away again", async () => {
  const page = await site.page();
  await ready(page);
  await page.getByRole("button", { name: "Filters" }).click();
  const panel = page.getByRole("region", { name: "Filters" });
  await panel.getByRole("button", { name: "Images in" }).click();
  await panel.getByRole("button", { name: "Reasoning", exact: true }).click();
  await panel.getByRole("button", { name: "Reasoning: must have it" }).click();
  await panel.getByRole("textbox", { name: "Context from" }).fill("500k");
  for (const name of ["openai", "google"]) await panel.getByRole("combobox", { name: "Add a provider" }).fill(name);
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("dialog", { name: "Columns" }).getByRole("button", { name: "Done" }).click();
  assert.match(hash(page), /can=input_image&cannot=reasoning/);
  assert.match(hash(page), /provider=openai,google/);
  const providers = await grid(page).locator("tbody tr:not(.spacer) td:nth-child(2)").allTextContents();
  assert.ok(providers.length && providers.every((name) => ["openai", "google"].includes(name)), String(providers));
  const two = numberIn(await tally(page));
  await page.getByRole("button", { name: "Any of these" }).click();
  assert.ok(numberIn(await tally(page)) > two);
  await page.getByRole("button", { name: "Clear all" }).click();
  assert.equal(hash(page), "#/explore");
  assert.equal(await page.locator(".row.active button").count(), 0);
});

test("sorting leaves what nobody knows at the end, either way", async () => {
  const page = await site.page("#/explore?group=0&provider=openai,anthropic,google");
  await ready(page);
  const prices = async () => (await grid(page).locator("tbody tr:not(.spacer) td:nth-child(5)").allTextContents()).map((text) => Number(text.replace("$", "")));
  for (const way of ["ascending", "descending"]) {
    await grid(page).getByRole("button", { name: "In $/M" }).click();
    await grid(page).locator(`th[aria-sort=${way}]`).waitFor();
    const list = await prices();
    assert.deepEqual(list, [...list].sort((a, b) => (way === "ascending" ? a - b : b - a)));
    assert.ok(list.length > 10 && list.every((n) => n > 0 || way === "ascending"));
  }
  assert.match(hash(page), /sort=-inputPrice/);
});

test("columns are chosen, and go along with the link and into the files", async () => {
  const page = await site.page("#/explore?q=gpt-5.6&provider=openai");
  await ready(page);
  await page.getByRole("button", { name: "Columns" }).click();
  const dialog = page.getByRole("dialog", { name: "Columns" });
  await dialog.getByRole("checkbox", { name: "Family" }).check();
  await dialog.getByRole("checkbox", { name: "Web search" }).uncheck();
  await page.keyboard.press("Escape");
  const wanted = async () => {
    const head = await grid(page).locator("thead th").allTextContents();
    return head.includes("Family") && !head.includes("Web search");
  };
  assert.ok(await wanted());
  const sheet = await saved(page, () => page.getByRole("button", { name: "CSV" }).click());
  assert.equal(sheet.name, "cando.csv");
  const [head, ...rows] = sheet.text.trim().split("\r\n").map((line) => line.split(","));
  assert.ok(head.includes("family") && !head.includes("web_search"));
  assert.ok(rows.length > 2 && rows.every((row) => row.length === head.length && row[0].startsWith("gpt-5.6")));
  const list = JSON.parse((await saved(page, () => page.getByRole("button", { name: "JSON", exact: true }).click())).text);
  assert.equal(list.length, rows.length);
  assert.equal(list.find((row) => row.model === "gpt-5.6-sol").tool_calling, "native");
  await page.reload();
  await ready(page);
  assert.ok(await wanted());
  assert.equal((await models(page)).length, list.length);
});

test("hosts of a model fold out, and a cell opens what stands behind it", async () => {
  const page = await site.page("#/explore?q=kimi-k2.5");
  await ready(page);
  const more = grid(page).locator("button.hosts").first();
  const hosts = numberIn(await more.textContent());
  const before = (await models(page)).length;
  await more.click();
  await until(page, async () => (await models(page)).length === before + hosts, "its hosts");
  await page.getByRole("checkbox", { name: "Group hosts" }).uncheck();
  assert.match(await tally(page), /offerings$/);

  await page.getByRole("searchbox", { name: "Search" }).fill("openai/gpt-5.6-sol");
  await grid(page).locator("td.cap").first().click();
  const box = page.getByRole("dialog", { name: /^Tools, openai\/gpt-5.6-sol/ });
  await box.getByText("Who says so").waitFor();
  await box.getByText("Checked", { exact: true }).waitFor();
  assert.match(await box.locator("a[target=_blank]").first().getAttribute("href"), /^https:/);
  assert.match(await box.textContent(), /20\d\d-\d\d-\d\d/);
  await page.keyboard.press("Escape");
  await box.waitFor({ state: "detached" });
  assert.deepEqual(await page.evaluate(() => document.activeElement.cellIndex > 0), true, "the focus is back at the cell");
});

test("the plot: a point tells what it is, and leads to the model", async () => {
  const page = await site.page("#/explore?as=plot&provider=openai,anthropic,google");
  const plot = page.getByRole("group", { name: /Price against tokens/ });
  const points = plot.locator("circle.top");
  await points.first().waitFor();
  const few = await points.count();
  await page.getByRole("combobox", { name: "Tokens" }).selectOption("output");
  await until(page, async () => /y=output/.test(hash(page)) && (await points.count()) > 0, "output limits");
  assert.ok(few > 0);
  let spot, name; // while the plot is drawn anew there is none, and what was pointed at is gone
  const said = plot.getByRole("status").locator("strong");
  await until(page, async () => {
    spot = await points.first().boundingBox();
    if (spot === null) return false;
    await page.mouse.move(0, 0);
    await page.mouse.move(spot.x + spot.width / 2, spot.y + spot.height / 2);
    name = await said.textContent({ timeout: 3000 }).catch(() => null);
    return name !== null;
  }, "what a point is");
  await page.mouse.click(spot.x + spot.width / 2, spot.y + spot.height / 2);
  await until(page, () => hash(page).startsWith("#/model/") && decodeURIComponent(hash(page)).endsWith(name), "its page");
  await page.goBack();
  await points.first().waitFor();
  assert.match(hash(page), /as=plot.*y=output|y=output.*as=plot/);
});

// -- Check ------------------------------------------------------------------------------------------

const REQUEST = `{
  "model": "gpt-5.6-sol",
  "max_tokens": 500,
  "temperature": 0.2,
  "messages": [
    {"role": "user", "content": "Say hello."}
  ]
}`;

/** As if it came from the clipboard. */
const paste = async (page, name, text) => {
  const box = page.getByRole("textbox", { name });
  await box.focus();
  await page.keyboard.insertText(text);
};

test("a request: findings at their lines, repairs piece by piece, who takes it, what it costs", async () => {
  const page = await site.page("#/check");
  await paste(page, "Request", REQUEST);
  await page.getByText("It will be refused on").waitFor();
  const findings = page.locator(".findings > li");
  assert.deepEqual(await findings.locator(".where").allTextContents(), ["line 3", "line 4"]);
  assert.deepEqual(await page.locator(".gutter b").allTextContents(), ["3", "4"]);
  assert.match(await page.locator(".results .facts").textContent(), /openai-chat.*tokens.*\$0\.\d+/);
  await findings.first().getByRole("button").click();
  assert.equal(await page.evaluate(() => { const { selectionStart: a, selectionEnd: b, value } = document.activeElement; return value.slice(a, b); }), "500");

  await page.getByRole("tab", { name: /Repair 2/ }).click();
  assert.deepEqual(await page.locator(".diff ins").allTextContents(), ['"max_completion_tokens"']);
  const take = page.getByRole("button", { name: "Take: rename max_tokens to max_completion_tokens" });
  await take.click();
  await page.getByRole("tab", { name: /Repair 1/ }).waitFor();
  await page.getByRole("textbox", { name: "Request" }).press("Control+z");
  await page.getByRole("tab", { name: /Repair 2/ }).waitFor();
  assert.equal(await page.getByRole("textbox", { name: "Request" }).inputValue(), REQUEST, "undo brings it back");
  await take.click();
  await page.getByRole("tab", { name: /Repair 1/ }).waitFor();
  assert.match(await page.getByRole("textbox", { name: "Request" }).inputValue(), /"max_completion_tokens": 500,\n {2}"temperature"/);
  const body = () => new URLSearchParams(hash(page).split("?")[1]).get("body");
  const once = await until(page, body, "the text in the link");
  await page.getByRole("button", { name: "Take it" }).click();
  await page.getByText("It will run on").waitFor();
  await until(page, () => body() !== once, "the repaired text in the link");
  assert.equal(await page.getByRole("textbox", { name: "Request" }).inputValue(), REQUEST.replace("max_tokens", "max_completion_tokens").replace('  "temperature": 0.2,\n', ""));

  await page.getByRole("tab", { name: /Who takes it/ }).click();
  await page.getByRole("checkbox", { name: "Free ones too" }).uncheck();
  await page.getByRole("searchbox", { name: "Filter who takes it" }).fill("openai, google");
  const takers = rowsOf(page, "Offerings that take the request as it is");
  const names = () => takers.locator("th").allTextContents();
  await until(page, async () => (await takers.count()) > 10 && (await names()).every((name) => /^(openai|google)\//.test(name)), "these providers alone");
  const costs = (await takers.locator("td:nth-child(2)").allTextContents()).filter((text) => text !== "unknown").map((text) => Number(text.slice(1)));
  assert.ok(costs.length > 5);
  assert.deepEqual(costs, [...costs].sort((a, b) => a - b));
  const first = await takers.first().locator("th").textContent();
  await takers.first().getByRole("button").click();
  await until(page, async () => (await page.locator(".verdict").textContent()).includes(`It will run on ${first}`), "the chosen model's verdict");

  const again = await site.page(hash(page));
  await until(again, async () => (await again.locator(".verdict").textContent()).includes(`It will run on ${first}`), "the link has it all");
});

test("a request that is being typed: no JSON yet, another model, a conversation that is to go on elsewhere", async () => {
  const page = await site.page("#/check");
  await page.getByRole("button", { name: "a conversation" }).click();
  const verdict = page.locator(".verdict");
  await until(page, async () => /It will/.test(await verdict.textContent()), "a verdict");
  await page.getByRole("textbox", { name: "Request" }).press("End");
  await page.keyboard.type(" ,");
  await page.getByText("This is no JSON yet").waitFor();
  await page.getByRole("textbox", { name: "Request" }).press("Control+z");
  await until(page, async () => /It will/.test(await verdict.textContent()), "JSON again");

  await page.getByRole("tab", { name: "Switch" }).click();
  const to = page.getByRole("combobox", { name: "Go on with" });
  await to.pressSequentially("anthropic/claude-opus-4-6");
  await page.locator(".picker [role=option]").first().waitFor();
  await to.press("Enter");
  await page.getByText("It breaks on").waitFor();
  assert.ok((await page.locator(".findings .where:visible").allTextContents()).every((text) => /^line [56789]$/.test(text)));
  await page.getByRole("combobox", { name: "Model" }).fill("openai/gpt-4o");
  await page.locator(".picker").getByRole("option", { name: /^openai\/gpt-4o( |$)/ }).click();
  await until(page, async () => (await verdict.textContent()).includes("openai/gpt-4o"), "asked of another");
});

test("a file is dropped, opened or packed", async () => {
  const page = await site.page("#/check");
  const { gzipSync } = await import("node:zlib");
  await page.setInputFiles("input[type=file]", { name: "request.json.gz", mimeType: "application/gzip", buffer: gzipSync(REQUEST) });
  await page.getByText("It will be refused on").waitFor();
  assert.equal(await page.getByRole("textbox", { name: "Request" }).inputValue(), REQUEST);
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByText("Will it run?").waitFor();
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "request.json"));
    document.querySelector(".editor").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }, REQUEST);
  await page.getByText("It will be refused on").waitFor();
});

// -- Cost, My models --------------------------------------------------------------------------------

test("traffic that is planned, by sliders", async () => {
  const page = await site.page("#/cost");
  const rows = rowsOf(page, "What it costs, the cheapest first");
  await rows.first().waitFor();
  await page.getByRole("searchbox", { name: "Filter by provider or model" }).fill("openai gpt-5.6-sol");
  const sol = rows.filter({ has: page.getByRole("link", { name: "openai/gpt-5.6-sol", exact: true }) });
  const month = async () => Number((await sol.locator("td").first().textContent()).replace(/[$,]/g, ""));
  const before = await until(page, async () => (await rows.count()) < 10 && month(), "few models");
  const input = page.getByRole("textbox", { name: "Prompt, tokens" });
  await input.fill("20k");
  await input.press("Enter");
  const twice = await until(page, async () => { const now = await month(); return now > before && now; }, "a longer prompt");
  await page.getByRole("slider", { name: "From the cache" }).press("End");
  await until(page, async () => (await month()) < twice, "a cached prompt");
  await page.getByRole("checkbox", { name: "Batch" }).check();
  await sol.getByText("batch").waitFor();
  assert.match(hash(page), /in=20000/);
  assert.match(hash(page), /cached=95/);
  await page.reload();
  await sol.getByText("batch").waitFor();
  await page.getByRole("searchbox", { name: "Filter by provider or model" }).fill("");
  await page.getByRole("button", { name: "Images" }).click();
  await until(page, async () => (await rows.count()) > 20, "all others");
  const sheet = await saved(page, () => page.getByRole("button", { name: "CSV" }).click());
  const costs = sheet.text.trim().split("\r\n").slice(1).map((line) => line.split(",")[1]).filter(Boolean).map(Number);
  assert.deepEqual(costs, [...costs].sort((a, b) => a - b));
});

test("a reply, and a log by day and model", async () => {
  const page = await site.page("#/cost?tab=bill");
  await page.getByRole("button", { name: "Example" }).click();
  const said = page.locator(".billed .say");
  await said.waitFor();
  assert.match(await said.textContent(), /for 4 replies/);
  assert.equal(await rowsOf(page, "By model").count(), 3);
  await rowsOf(page, "The same elsewhere").first().waitFor();
  const sheet = await saved(page, () => page.getByRole("button", { name: "CSV by day and model" }).click());
  assert.match(sheet.text, /2026-11-01,openai\/gpt-5.6-sol,1,1200,300,/);
  const sum = sheet.text.trim().split("\r\n").slice(1).reduce((all, line) => all + Number(line.split(",")[5]), 0);
  assert.ok((await said.textContent()).includes(`$${Number(sum.toFixed(9))} for`), `${sum}`);
  const box = page.getByRole("textbox", { name: /Reply/ });
  await box.fill('{"id":"m","type":"message","model":"claude-opus-4-6","usage":{"input_tokens":90,"cache_read_input_tokens":8000,"output_tokens":420}}');
  const items = rowsOf(page, "What it consists of");
  await items.first().waitFor();
  assert.match((await items.allTextContents()).join("\n"), /read from the cache.*8,000/);
  await box.fill(REQUEST);
  await page.getByText("This is a request, yet to be sent").waitFor();
  await box.fill("no log at all");
  await page.getByText("No reply was found in it").waitFor();
});

test("my models: out of code, with what stops next, kept for the next visit and in the link", async () => {
  const page = await site.page("#/mine");
  await paste(page, /Or find them/, 'client.chat(model="gpt-5")\nopenai/gpt-4o\nmodel: "my-own-model"\nanthropic/claude-opus-4-5');
  const rows = rowsOf(page, "My models, what stops next first");
  await until(page, async () => (await rows.count()) === 3, "three models");
  await page.getByText("Not known: my-own-model").waitFor();
  assert.match(await page.getByRole("status").first().textContent(), /openai\/gpt-5 stops in 25 days, on 2026-12-11/);
  const days = await saved(page, () => page.getByRole("button", { name: "Calendar" }).click());
  assert.match(days.text, /BEGIN:VCALENDAR[^]*20261211/);
  const add = page.getByRole("combobox", { name: "Add a model" });
  await add.pressSequentially("gemini-2.5-pro");
  await page.locator(".picker [role=option]").first().waitFor();
  await add.press("ArrowDown");
  await add.press("Enter");
  await until(page, async () => (await rows.count()) === 4, "a fourth");
  await page.getByRole("button", { name: "Remove openai/gpt-4o" }).click();
  await until(page, async () => (await rows.count()) === 3, "one less");
  const link = hash(page);
  assert.match(link, /ids=/);
  await page.goto(`${site.url}?today=2026-11-16#/retiring?mine=1`);
  await until(page, async () => (await page.locator(".stop li").allTextContents()).join().startsWith("gpt-5"), "only mine");
  await page.goto(`${site.url}?today=2026-11-16#/mine`);
  await until(page, async () => (await rows.count()) === 3, "they are kept");
  const friend = await site.page(link);
  await until(friend, async () => (await rowsOf(friend, "My models, what stops next first").count()) === 3, "and in the link");
});

// -- a model, Compare -----------------------------------------------------------------------------------

test("a model's page: what it can and who says so, its hosts, its price, its end; a host leads on", async () => {
  const page = await site.page("#/explore?q=claude-opus-4-5");
  await ready(page);
  await grid(page).getByRole("link", { name: "claude-opus-4-5", exact: true }).first().click();
  await until(page, () => hash(page) === "#/model/anthropic/claude-opus-4-5", "its page");
  await page.getByRole("heading", { level: 1, name: /Claude Opus 4.5/ }).waitFor();
  const text = await until(page, async () => { const all = await page.locator("#view").innerText(); return /Hosts \(/.test(all) && all; }, "its hosts");
  for (const word of [/200,000 tokens/, /\$5\.00/, /\$25\.00/, /Released/, /2025-11-24/, /Nobody says/]) assert.match(text, word);
  await page.getByRole("button", { name: /Images in/ }).first().click();
  const box = page.getByRole("dialog");
  await box.getByText("Who says so").waitFor();
  await page.keyboard.press("Escape");
  const hosts = rowsOf(page, "The same model at its hosts");
  assert.ok((await hosts.count()) > 2);
  const host = hosts.locator("th a").first();
  const name = await host.textContent();
  await host.click();
  await until(page, () => decodeURIComponent(hash(page)) === `#/model/${name}`, "its host");
  await page.goBack();
  await page.getByRole("heading", { level: 1, name: /Claude Opus 4.5/ }).waitFor();
  await page.reload();
  await page.getByRole("heading", { level: 1, name: /Claude Opus 4.5/ }).waitFor();
});

test("a model that has an end says when and what comes after it; one that nobody knows has neighbours", async () => {
  const page = await site.page("#/model/openai/gpt-5");
  await page.getByText("2026-12-11").first().waitFor();
  await page.getByRole("link", { name: "gpt-5.6-sol" }).first().waitFor();
  await page.goto(`${site.url}?today=2026-11-16#/model/openai/gpt-5-minii`);
  await page.getByRole("link", { name: /gpt-5-mini/ }).first().waitFor();
});

test("two to four beside each other: differences first, what a switch loses, what the same traffic costs", async () => {
  const page = await site.page("#/explore?q=openai/gpt-5.6-sol");
  await ready(page);
  await grid(page).getByRole("button", { name: "Compare openai/gpt-5.6-sol", exact: true }).click();
  await page.getByRole("searchbox", { name: "Search" }).fill("anthropic/claude-opus-4-5");
  await grid(page).getByRole("button", { name: "Compare anthropic/claude-opus-4-5", exact: true }).click();
  await page.getByRole("link", { name: "Compare 2" }).click();
  const different = page.getByRole("table", { name: "Different" });
  await different.waitFor();
  const rows = await different.getByRole("row").allInnerTexts();
  assert.ok(rows.some((row) => /^Context/.test(row) && /200k/.test(row)), rows.slice(0, 4).join("; "));
  const move = page.getByRole("article", { name: "From openai/gpt-5.6-sol to anthropic/claude-opus-4-5" });
  await move.getByText("Loses").waitFor();
  const costs = rowsOf(page, "The same traffic on each");
  await until(page, async () => (await costs.count()) === 2, "two costs");
  const month = () => costs.first().locator("td").first().textContent();
  const before = await month();
  await page.getByRole("slider", { name: "Answer" }).press("End");
  await until(page, async () => (await month()) !== before, "longer answers cost more");
  const add = page.getByRole("combobox", { name: "Add a model" });
  await add.pressSequentially("google/gemini-2.5-pro");
  await page.locator(".picker [role=option]").first().waitFor();
  await add.press("Enter");
  await until(page, async () => (await costs.count()) === 3, "a third");
  await page.reload();
  await until(page, async () => (await costs.count()) === 3, "the link has them");
  await page.goBack();
  await until(page, async () => (await costs.count()) === 2, "back are two");
});

// -- Conflicts, Retiring ------------------------------------------------------------------------------

test("where sources disagree: what about, whose word, which kind", async () => {
  const page = await site.page("#/conflicts");
  const rows = rowsOf(page, "Where sources disagree, the worst first");
  await rows.first().waitFor();
  const status = page.getByRole("status").first();
  const all = numberIn(await status.textContent());
  await page.getByRole("combobox", { name: "Field" }).selectOption({ index: 1 });
  const some = await until(page, async () => { const n = numberIn(await status.textContent()); return n < all && n; }, "one field");
  await page.getByRole("searchbox").fill("openrouter");
  await until(page, async () => numberIn(await status.textContent()) < some, "one provider");
  const sheet = await saved(page, () => page.getByRole("button", { name: "CSV" }).click());
  assert.ok(sheet.text.trim().split("\r\n").slice(1).every((line) => line.startsWith("openrouter,")));
  await page.getByRole("searchbox").fill("");
  await page.getByRole("combobox", { name: "Field" }).selectOption("");
  const chip = page.getByRole("button", { name: /^rounding/ });
  await chip.press("Enter");
  await until(page, async () => (await page.locator("td .chip").allTextContents()).every((text) => text === "rounding"), "one kind");
  assert.ok(await chip.evaluate((node) => node === document.activeElement), "the focus stays");
  await page.reload();
  await until(page, async () => (await rows.count()) && (await page.locator("td .chip").allTextContents()).every((text) => text === "rounding"), "the link has it");
  await rows.first().locator("th a").click();
  await until(page, () => hash(page).startsWith("#/model/"), "a model's page");
  await page.goBack();
  await rows.first().waitFor();
  assert.match(hash(page), /kind=rounding/);
});

test("what stops when: a month of the time line, a provider, a calendar", async () => {
  const page = await site.page("#/retiring");
  const stops = page.locator(".stop");
  await stops.first().waitFor();
  await page.getByRole("button", { name: /^December 2026: / }).click();
  await until(page, async () => (await page.locator(".months h2").allTextContents()).join() === "December 2026", "one month");
  await page.getByRole("combobox", { name: "Provider" }).selectOption("openai");
  await until(page, async () => (await page.locator(".stop h3").allTextContents()).every((text) => text.startsWith("openai")), "one provider");
  const days = await saved(page, () => page.getByRole("button", { name: "Calendar (.ics)" }).click());
  assert.match(days.text, /SUMMARY:[^\r]*gpt-5/);
  assert.ok(days.text.split("\r\n").every((line) => new TextEncoder().encode(line).length <= 75), "lines of a calendar are short");
  await page.getByRole("combobox", { name: "Provider" }).selectOption("google");
  await page.getByRole("button", { name: /^No day yet/ }).click();
  await page.getByRole("table", { name: "Deprecated, without a day" }).waitFor();
  await page.reload();
  await page.getByRole("table", { name: "Deprecated, without a day" }).waitFor();
  assert.equal(await page.getByRole("combobox", { name: "Provider" }).inputValue(), "google");
});

// -- Badges, About -----------------------------------------------------------------------------------------

test("a badge and a table for other pages: what is copied is there", async () => {
  const page = await site.page("#/badges");
  const model = page.getByRole("combobox", { name: "Model" });
  await model.pressSequentially("openai/gpt-5.6-sol");
  await page.locator(".picker [role=option]").first().waitFor();
  await model.press("Enter");
  await until(page, async () => (await page.locator("#view").innerText()).includes("badge/openai/gpt-5.6-sol/"), "its badges");
  const text = await page.locator("#view").innerText();
  const [picture, frame] = [/http[^"()\s]*\/badge\/[^"()\s]*\.svg/.exec(text)[0], /http[^"()\s]*\/embed\/[^"()\s]*\.html/.exec(text)[0]];
  const badge = await page.evaluate((url) => fetch(url).then((answer) => answer.text()), picture);
  assert.match(badge, /^<svg [^]*gpt-5\.6-sol/);
  await page.goto(frame);
  assert.match(await page.locator("body").innerText(), /openai\/gpt-5.6-sol[^]*tools/i);
});

test("about: how fresh it is, and a correction ready to be copied", async () => {
  const page = await site.page("#/about?model=openai/gpt-5&field=context_window&value=512000");
  const stanza = page.locator("pre.stanza").first();
  await until(page, async () => /context_window = 512000/.test(await stanza.textContent()), "the correction");
  assert.match(await stanza.textContent(), /provider = "openai"\nid = "gpt-5"/);
  await page.getByRole("combobox", { name: /^What/ }).selectOption("max_output");
  await page.getByLabel("Right is").fill("64k");
  await until(page, async () => /max_output = 64000/.test(await stanza.textContent()), "another field, as people write numbers");
  await until(page, () => /field=max_output/.test(page.url()) && /value=64k/.test(page.url()), "the link");
  assert.match(await page.locator("#view").innerText(), /How fresh it is[^]*20\d\d-\d\d-\d\d/);
  assert.match(await page.locator("#fresh").textContent(), /offerings, as of 20\d\d-/);
});

test("a model's page corrects by the same form: the contrary of what is there, and what is wrong with it", async () => {
  const page = await site.page("#/model/openai/gpt-5?fix=tool_calling");
  const stanza = page.locator("#wrong pre.stanza");
  await until(page, async () => /tool_calling = "unsupported"/.test(await stanza.textContent()), "the contrary");
  assert.match(await page.locator("#wrong .now").innerText(), /^Now: .*yes/i);
  await page.locator("#wrong").getByLabel("What").selectOption("max_output");
  await page.locator("#wrong").getByLabel("Right is").fill("lots");
  await until(page, async () => /expected a whole number/.test(await page.locator("#wrong .problems").innerText()), "that it is no number");
});

test("a word that is typed is in the link once one pauses, and before one goes on", async () => {
  const page = await site.page();
  await ready(page);
  await page.getByRole("searchbox", { name: "Search" }).pressSequentially("mistral");
  await page.getByRole("link", { name: "Conflicts", exact: true }).click();
  await page.getByRole("heading", { name: "Conflicts" }).waitFor();
  await page.goBack();
  await until(page, () => /q=mistral$/.test(page.url()), "the word");
  assert.equal(await page.getByRole("searchbox", { name: "Search" }).inputValue(), "mistral");
});

// -- the frame ----------------------------------------------------------------------------------------

test("back and forth between views keeps what was there", async () => {
  const page = await site.page();
  await ready(page);
  await page.getByRole("searchbox", { name: "Search" }).fill("mistral");
  const found = await tally(page);
  await page.getByRole("link", { name: "Check", exact: true }).click();
  await paste(page, "Request", REQUEST);
  await page.getByText("It will be refused on").waitFor();
  await until(page, () => hash(page).includes("body="), "the request in the link");
  await page.getByRole("link", { name: "Retiring", exact: true }).click();
  await page.locator(".stop").first().waitFor();
  assert.equal(await page.getByRole("link", { name: "Retiring", exact: true }).getAttribute("aria-current"), "page");
  await page.goBack();
  await page.getByText("It will be refused on").waitFor();
  await page.goBack();
  await until(page, async () => (await tally(page)) === found, "the search is there again");
  assert.equal(await page.getByRole("searchbox", { name: "Search" }).inputValue(), "mistral");
  await page.goForward();
  await page.getByText("It will be refused on").waitFor();
});

test("a whole job with the keyboard alone", async () => {
  const page = await site.page();
  await ready(page);
  await page.keyboard.press("/");
  await page.keyboard.type("openai/gpt-5.6-sol");
  await until(page, async () => (await models(page))[0] === "gpt-5.6-sol", "found");
  await page.keyboard.press("ArrowDown");
  for (let i = 0; i < 7; i++) await page.keyboard.press("ArrowRight");
  assert.equal(await page.evaluate(() => document.activeElement.className), "cap");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByText("Who says so").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("Home");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("g");
  await page.keyboard.press("k");
  const box = page.getByRole("textbox", { name: "Request" });
  await box.waitFor();
  await page.keyboard.press("/");
  await page.keyboard.press("Tab"); // the model's box was first
  for (let i = 0; i < 5 && !(await box.evaluate((node) => node === document.activeElement)); i++) await page.keyboard.press("Tab");
  await page.keyboard.insertText(REQUEST);
  await page.getByText("It will be refused on").waitFor();
  const tab = page.getByRole("tab", { name: /Findings/ });
  for (let i = 0; i < 5 && !(await tab.evaluate((node) => node === document.activeElement)); i++) await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowRight");
  const all = page.getByRole("button", { name: "Take all 2" });
  await all.waitFor();
  await page.keyboard.press("Tab");
  assert.ok(await all.evaluate((node) => node === document.activeElement));
  await page.keyboard.press("Enter");
  await page.getByText("It will run on").waitFor();
});

test("on a phone: a view is not wider than it, and a cell's evidence fills the bottom", async () => {
  const page = await site.page("", { width: 360, height: 740, hasTouch: true, isMobile: true });
  await ready(page);
  for (const [view, there] of Object.entries({ explore: ".grid tbody th", check: ".hello", cost: ".grows tbody tr", mine: "h1", conflicts: ".grows tbody tr", retiring: ".stop" })) {
    await page.goto(`${site.url}?today=2026-11-16#/${view}`);
    await page.locator(`.view-${view} ${there}`).first().waitFor();
    await until(page, () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${view} fits the width`);
    const link = page.locator("#nav a[aria-current]");
    const [spot, nav] = [await link.boundingBox(), await page.locator("#nav").boundingBox()];
    assert.ok(spot.x >= nav.x - 1 && spot.x + spot.width <= nav.x + nav.width + 1, `${view} is in sight above`);
  }
  await page.goto(`${site.url}?today=2026-11-16#/explore?q=openai/gpt-5.6-sol&cols=tool_calling`);
  await grid(page).locator("td.cap").first().tap();
  await page.getByRole("dialog").getByText("Who says so").waitFor();
  const box = await page.getByRole("dialog").boundingBox();
  assert.ok(box.width >= 355 && box.y + box.height >= 738, JSON.stringify(box));
});

test("the theme is changed by hand, and stays", async () => {
  const page = await site.page();
  await ready(page);
  const dark = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await dark();
  await page.getByRole("button", { name: "Change theme" }).click();
  const now = await dark();
  assert.notEqual(now, before);
  await page.reload();
  assert.equal(await dark(), now);
});
