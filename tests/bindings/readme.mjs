// readme.mjs README NODE FOLDER - runs each example of the README that is JavaScript, in FOLDER,
// where the packages are that it imports. It prints what the comments behind its console.log say in
// quotes. Calls go to a server of our own.
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { provider } from "./provider.mjs";

const [readme, node, folder] = process.argv.slice(2);
const server = await provider();
const preload = join(folder, "readme-local.mjs");
writeFileSync(
  preload,
  `
Date.now = () => Date.parse("2026-11-16T12:00:00Z");
const real = globalThis.fetch;
globalThis.fetch = (input, init) => {
  const url = new URL(input.url ?? input);
  return real(${JSON.stringify(server.origin)} + url.pathname + url.search, init);
};
for (const key of ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"]) process.env[key] = "x";
`,
);

let failed = 0;
let ran = 0;
async function run([at, code]) {
  const file = join(folder, `readme-${at}.mjs`);
  writeFileSync(file, code);
  const want = [...code.matchAll(/console\.log\(.*?\);(?: \/\/ "(.*?)"(?:$|:))?/gm)].map(
    (m) => m[1],
  );
  const { stdout, stderr, error } = await promisify(execFile)(node, ["--import", preload, file], {
    timeout: 60_000,
  }).catch((e) => ({ ...e, error: e }));
  const have = stdout.split("\n").filter(Boolean);
  const same =
    have.length === want.length && want.every((line, i) => line === undefined || line === have[i]);
  ran++;
  if (!error && same) return;
  failed++;
  console.log(
    `${readme}:${at}: it prints ${JSON.stringify(have)}, and not ${JSON.stringify(want)}\n${stderr}`,
  );
}

const text = readFileSync(readme, "utf8");
const examples = [...text.matchAll(/^```js\n([^]*?)^```/gm)].map((m) => [
  text.slice(0, m.index).split("\n").length,
  m[1],
]);
for (let i = 0; i < examples.length; i += 2) await Promise.all(examples.slice(i, i + 2).map(run));
await server.close();
if (failed || ran < 8) console.log(`${ran} examples, ${failed} failed`);
process.exit(failed || ran < 8 ? 1 : 0);
