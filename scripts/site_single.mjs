#!/usr/bin/env node
// site_single.mjs SITE - writes SITE/cando.html: the whole page as one file, for file://, where browsers load no modules.
//
//     modules ──► functions in one script      import ──► a look into a table of what was exported
//     worker  ──► a script of its own, as text; the page starts it from a blob
//     engine and catalog ──► packed, as base64, in elements that are no script
//
// This is no bundler for any code, only for ours: imports and exports begin a line, and name what they mean. What is written in
// another way is an error here, not a surprise there. The policy of the page allows these very scripts and styles, by their hashes.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { gzipSync } from "node:zlib";

const site = process.argv[2];
const read = (path) => readFileSync(join(site, path), "utf8");

// -- modules ----------------------------------------------------------------------------------------

const importLine = /^(import|export) (\{[^}]*\}|\* as \w+) from "(\.[^"]+)";$/gm;
const exportList = /^export (\{[^}]*\});$/gm;
const exportThing = /^export ((?:async )?(?:function\*?|class|const|let) ?\*? ?(\w+))/gm;
const lazyImport = /\bimport\("(\.[^"]+)"\)/g;

const pairs = (braces) => braces.slice(1, -1).split(",").map((part) => part.trim().split(/\s+as\s+/)).filter(([name]) => name);

/** One module as a function that gives its exports, and the modules that must be there before; those of later are, too. */
function moduleOf(path) {
  const near = (name) => posix.join(dirname(path), name);
  const needs = [];
  const exported = [];
  let body = path === "made.js" ? alone(read(path)) : read(path);
  body = body.replace(importLine, (_, kind, what, from) => {
    const key = JSON.stringify(near(from));
    needs.push(near(from));
    if (kind === "export") {
      exported.push(...pairs(what).map(([name, as = name]) => `get ${as}() { return modules[${key}].${name}; }`));
      return "";
    }
    return what.startsWith("*") ? `const ${what.slice(5)} = modules[${key}];` : `const { ${pairs(what).map((pair) => pair.join(": ")).join(", ")} } = modules[${key}];`;
  });
  body = body.replace(exportList, (_, what) => {
    exported.push(...pairs(what).map(([name, as = name]) => `get ${as}() { return ${name}; }`));
    return "";
  });
  body = body.replace(exportThing, (_, thing, name) => {
    exported.push(`get ${name}() { return ${name}; }`);
    return thing;
  });
  body = body.replace(lazyImport, (_, from) => {
    needs.push(near(from));
    return `Promise.resolve(modules[${JSON.stringify(near(from))}])`;
  });
  body = body.replaceAll("import.meta.url", "location.href");
  const odd = /^(?:import|export)\b.*|import\.meta.*/m.exec(body);
  if (odd) throw new Error(`${path}: this form cannot be put into one file: ${odd[0]}`);
  return { needs, text: `\n// -- ${path}\nmodules[${JSON.stringify(path)}] = (() => {\n${body}return { ${exported.join(", ")} };\n})();\n` };
}

// There are no files beside this one, and it keeps itself.
const alone = (text) => text.replace(/^export const files = .*$/m, "export const files = false;").replace(/^export const build = .*$/m, 'export const build = "";');

/** All that an entry needs, in an order in which each module finds what it imports. */
function bundle(entry) {
  const [done, open] = [new Set(), new Set()];
  const parts = ["const modules = Object.create(null);\n"];
  const visit = (path) => {
    if (done.has(path)) return;
    if (open.has(path)) throw new Error(`${path} imports itself, by way of others`);
    open.add(path);
    const { needs, text } = moduleOf(path);
    needs.forEach(visit);
    done.add(path);
    parts.push(text);
  };
  visit(entry);
  return parts.join("");
}

// -- the page ---------------------------------------------------------------------------------------

const sha256 = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const packed = (path) => gzipSync(readFileSync(join(site, path)), { level: 9 }).toString("base64");
const carried = { "cando.wasm": packed("engine/cando.wasm"), "catalog.bin": readFileSync(join(site, "engine/catalog.bin")).toString("base64") };

// A text in an element ends where the parser sees its end, whatever it is in JavaScript.
function inScript(text) {
  const safe = text.replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "<\\!--");
  if (/<\/script|<!--/i.test(safe)) throw new Error("a script that would end early");
  return safe;
}

const start = `
globalThis.candoWorker = () => {
  const take = (id) => { const found = document.getElementById(id); found.remove(); return found.textContent; };
  const files = ["cando.wasm", "catalog.bin"].flatMap((name) => [JSON.stringify(name), ':"', take(name), '",']);
  const parts = ['"use strict";globalThis.candoFiles={', ...files, "};", JSON.parse(take("worker"))];
  return new Worker(URL.createObjectURL(new Blob(parts, { type: "text/javascript" })));
};
`;

const index = read("index.html");
const sheetLine = /^<link rel="stylesheet" href="([^"]+)">\n/gm;
const styles = inStyle([...index.matchAll(sheetLine)].map(([, path]) => read(path)).join("\n"));
function inStyle(text) {
  if (/<\/style/i.test(text)) throw new Error("a style that would end early");
  return text;
}
const theme = inScript(read("theme.js"));
const page = inScript(`"use strict";\n{${start}}\n{\n${bundle("app.js")}}\n`);
const data = (id, text) => `<script type="text/plain" id="${id}">${text}</script>\n`;
const policy = `default-src 'none'; script-src ${sha256(theme)} ${sha256(page)} 'wasm-unsafe-eval'; style-src ${sha256(styles)}; img-src data: blob:; worker-src blob:; base-uri 'none'; form-action 'none'`;

// Each line of index.html that names another file is replaced by what is in it.
function replaced(html, line, by) {
  if (!html.includes(line)) throw new Error(`index.html has no line ${line}`);
  return html.replace(line, () => by);
}
let html = index.replace(/(http-equiv="Content-Security-Policy" content=")[^"]*/, (_, head) => head + policy);
html = replaced(html, '<link rel="icon" href="icon.svg" type="image/svg+xml">\n', `<link rel="icon" href="data:image/svg+xml;base64,${Buffer.from(read("icon.svg")).toString("base64")}">\n`);
html = replaced(html, '<link rel="manifest" href="manifest.webmanifest">\n', "");
html = html.replace(/^<link rel="modulepreload".*\n/gm, "").replace(sheetLine, "");
html = replaced(html, "</head>", `<style>${styles}</style>\n</head>`);
html = replaced(html, '<script src="theme.js"></script>\n', `<script>${theme}</script>\n`);
html = replaced(html, '<script type="module" src="app.js"></script>\n', "");
html = replaced(html, "</body>", `${data("worker", JSON.stringify(bundle("worker.js")).replaceAll("<", "\\u003c"))}${Object.entries(carried).map(([name, text]) => data(name, text)).join("")}<script>${page}</script>\n</body>`);
const left = /(?:src|href)="(?!#|data:)[^"]*"/.exec(html.replace(/<script[\s>].*?<\/script>/gs, ""));
if (left) throw new Error(`index.html still asks for another file: ${left[0]}`);
writeFileSync(join(site, "cando.html"), html);
console.log(`cando.html, ${(html.length / 1e6).toFixed(1)} MB`);
