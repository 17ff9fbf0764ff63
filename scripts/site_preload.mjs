#!/usr/bin/env node
// site_preload.mjs SITE PACKAGE - what the first view needs, so that it is there at once:
//
//     index.html         names the modules: a browser asks for all of them together, and not for each when the one before it has come
//     engine/table.bin   the table with the usual columns, which is drawn while the engine starts; the engine's own replaces it
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { defaultColumns } from "../site/columns.js";
import { table } from "../site/jobs/table.js";
import { plain } from "../site/lib/tablefile.js";

const [site, folder] = process.argv.slice(2).map((path) => resolve(path));
const first = ["app.js", "views/explore.js"];
const found = new Set();

function visit(path) {
  if (found.has(path)) return;
  found.add(path);
  for (const [, from] of readFileSync(join(site, path), "utf8").matchAll(/^(?:import|export) .* from "(\.[^"]+)";$/gm)) visit(posix.join(dirname(path), from));
}
first.forEach(visit);
found.delete("app.js");

const file = join(site, "index.html");
const html = readFileSync(file, "utf8");
const line = '<script type="module" src="app.js"></script>\n';
if (!html.includes(line)) throw new Error("index.html does not start app.js");
writeFileSync(file, html.replace(line, () => line + [...found].sort().map((path) => `<link rel="modulepreload" href="${path}">\n`).join("")));

const { load } = await import(pathToFileURL(join(folder, "cando.js")));
const made = await table(await load(), { only: defaultColumns });
writeFileSync(join(site, "engine/table.bin"), gzipSync(JSON.stringify(plain(made)), { level: 9 }));
