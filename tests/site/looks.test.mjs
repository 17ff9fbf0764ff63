// looks.test.mjs - each view in both themes: axe finds nothing, and there are pictures of it in build/site-shots, for a phone,
// a laptop and a wide screen, to be looked at.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { after, test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { breaches, open, until } from "./browser.mjs";

const shots = "build/site-shots";
const narrowest = 360; // it must fit there, too; no picture of it
const sizes = [[narrowest, 740], [390, 844], [1280, 800], [1920, 1080]];
const packed = (text) => deflateRawSync(text).toString("base64url");
const request = packed(`{
  "model": "gpt-5.6-sol",
  "max_tokens": 500,
  "temperature": 0.2,
  "messages": [
    {"role": "user", "content": "Say hello."}
  ],
  "tools": [{"type": "function", "function": {"name": "a b", "parameters": {"type": "object", "properties": {}}}}]
}`);
const log = packed(Array.from({ length: 12 }, (_, i) => JSON.stringify({
  id: `r${i}`, model: ["gpt-5.6-sol", "gpt-4o-mini", "claude-opus-4-6"][i % 3], created: 1793491200 + i * 43200,
  usage: { prompt_tokens: 1200 * (i + 1), completion_tokens: 300 + 70 * i },
})).join("\n"));

// name: [link, what is there once it is all drawn]
const views = {
  explore: ["#/explore", ".grid tbody th a"],
  filters: ["#/explore?can=tool_calling&context=1M..", ".filters", (page) => page.getByRole("button", { name: "Filters" }).click()],
  evidence: ["#/explore?q=openai/gpt-5.6-sol", "dialog dt", (page) => page.locator(".grid td.cap").first().click()],
  columns: ["#/explore", "dialog.choose", (page) => page.getByRole("button", { name: "Columns" }).click()],
  plot: ["#/explore?as=plot", ".plot circle"],
  nothing: ["#/explore?q=gpt-5-minii", ".none a"],
  "check-empty": ["#/check", ".hello"],
  check: [`#/check?body=${request}`, ".findings > li"],
  repair: [`#/check?tab=repair&body=${request}`, ".pieces li"],
  takers: [`#/check?tab=takers&body=${request}`, ".grows tbody tr"],
  cost: ["#/cost", ".grows tbody tr"],
  log: [`#/cost?tab=bill&body=${log}`, ".billed .chart"],
  mine: ["#/mine?ids=openai/gpt-5,anthropic/claude-opus-4-5,openai/gpt-4o,google/gemini-2.5-pro", ".grows tbody tr"],
  "mine-empty": ["#/mine", "h1"],
  conflicts: ["#/conflicts", ".grows tbody tr"],
  retiring: ["#/retiring", ".stop"],
  model: ["#/model/anthropic/claude-opus-4-5", "h2"],
  compare: ["#/compare?m=openai/gpt-5,anthropic/claude-opus-4-5,google/gemini-2.5-pro", "table tbody tr"],
  badges: ["#/badges", "h1"],
  about: ["#/about", "h2"],
};

const details = new Set(["filters", "evidence", "columns", "nothing", "check-empty", "repair", "takers", "mine-empty"]);
const shown = (name, width, theme) => !details.has(name) || `${width} ${theme}` === "1280 light" || (width <= 390 && theme === "dark");

const site = await open();
after(() => site.close());
mkdirSync(shots, { recursive: true });

for (const [name, [link, there, act]] of Object.entries(views)) {
  test(name, async () => {
    const page = await site.page(link);
    try {
      await page.locator("#view h1").first().waitFor({ state: "attached" });
      if (act) await act(page);
      await page.locator(there).first().waitFor();
      for (const theme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme: theme });
        assert.deepEqual(await breaches(page), [], `${name}, ${theme}`);
        for (const [width, height] of sizes.filter(([wide]) => shown(name, wide, theme))) {
          await page.setViewportSize({ width, height });
          await until(page, () => page.evaluate((wanted) => innerWidth === wanted && document.documentElement.scrollWidth <= innerWidth, width), `${name} fits ${width}`);
          if (width > narrowest) await page.screenshot({ path: `${shots}/${name}-${width}-${theme}.png` });
        }
      }
    } finally {
      await page.context().close();
    }
    site.clean();
  });
}
