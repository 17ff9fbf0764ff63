// lines.mjs PACKAGE addon|wasm|FILE.wasm - questions as lines of JSON in, answers out, through the package for JavaScript.
import { readFileSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

const [folder, engine] = process.argv.slice(2);
const at = (name) => pathToFileURL(resolve(folder, name));
const { load } = await import(at("cando.js"));
const cando = await load({ today: process.env.CANDO_TODAY, engine: engine.endsWith(".wasm") ? at(engine) : engine });
let text = "";
for (const line of readFileSync(0, "utf8").split("\n")) if (line) text += cando.raw(line) + "\n";
const bytes = Buffer.from(text);
for (let n = 0; n < bytes.length;) n += writeSync(1, bytes, n);
