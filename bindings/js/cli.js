#!/usr/bin/env node
// cli.js - the command line wherever Node runs: `npx cando check request.json`.
import { readFileSync } from "node:fs";
import { Exit, system } from "./system.js";

const beside = (name) => new URL(name, import.meta.url);
const host = system(["cando", ...process.argv.slice(2)], process.env, beside("./cando.snap"));
const program = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(beside("./cando-plain.wasm"))), host.imports);
host.use(program.exports);
try {
  program.exports._initialize();
  program.exports.main();
} catch (e) {
  if (!(e instanceof Exit)) throw e;
  process.exitCode = e.code;
}
