// lines.mjs PACKAGE addon|wasm|FILE.wasm - questions as lines of JSON in, answers out, through the package for JavaScript.
// The result that a question gives without its answer's text is the same one.
import { readFileSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

const [folder, engine] = process.argv.slice(2);
const at = (name) => pathToFileURL(resolve(folder, name));
const { load } = await import(at("cando.js"));
const cando = await load({ today: process.env.CANDO_TODAY, engine: engine.endsWith(".wasm") ? at(engine) : engine });
function isSame(line, answer) {
  const { ok, result } = JSON.parse(answer);
  const bare = line.replace(/^({"op": ?"\w+"), ?"id": ?\d+/, "$1");
  if (!ok) return true;
  if (bare === line) throw new Error(`where is the id of ${line}?`);
  return JSON.stringify(cando.call(bare)) === JSON.stringify(result);
}
let text = "";
for (const line of readFileSync(0, "utf8").split("\n")) {
  if (!line) continue;
  const answer = cando.raw(line);
  text += (isSame(line, answer) ? answer : `another result than ${answer}`) + "\n";
}
const bytes = Buffer.from(text);
for (let n = 0; n < bytes.length;) n += writeSync(1, bytes, n);
