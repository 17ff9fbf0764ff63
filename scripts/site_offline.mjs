#!/usr/bin/env node
// site_offline.mjs SITE - tells the service worker (site/sw.js) which files the page consists of, and their hashes.
//
// made.js knows the build, too, so that a page and its worker can tell whether they belong together.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

const site = process.argv[2];
const others = new Set(["badge", "embed", "calendar", "sw.js", "cando.html"]); // for other pages, or kept by nobody

function* filesOf(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (others.has(relative(site, path))) continue;
    if (entry.isDirectory()) yield* filesOf(path);
    else yield relative(site, path).replaceAll("\\", "/");
  }
}

const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");
const hashes = () => Object.fromEntries([...filesOf(site)].sort().map((path) => [path, sha256(readFileSync(join(site, path)))]));

// Writes `const NAME = ...;` anew; a line that is not there is an error.
function put(path, name, value) {
  const file = join(site, path);
  const text = readFileSync(file, "utf8");
  const line = new RegExp(`^((?:export )?const ${name} = )[^;]*;`, "m");
  if (!line.test(text)) throw new Error(`${path} has no ${name}`);
  writeFileSync(file, text.replace(line, (_, head) => `${head}${JSON.stringify(value)};`));
}

const build = sha256(JSON.stringify(hashes())).slice(0, 16);
put("made.js", "build", build);
put("sw.js", "build", build);
put("sw.js", "files", hashes());
