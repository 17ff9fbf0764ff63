#!/usr/bin/env node
// site_static.mjs SITE PACKAGE - what `make site` knows in advance, as files beside the page:
//
//     made.js       the catalog's size and the days of its sources, for About and the footer
//     badge/        badge/openai/gpt-5/tool_calling.svg: badges of the labs' own chat models, and of capabilities
//     embed/        embed/openai/gpt-5.html, embed/tool_calling.html: small tables for an iframe
//     calendar/     calendar/all.ics, calendar/openai.ics: what stops when
//
// A model that has stopped keeps its files for a year: who has put a badge somewhere is told so by it. What hosts offer besides is made
// in the page (site/views/badges.js) from the same site/lib/badge.js, and saved by hand.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { badge, badgesOf, CAPABILITIES, capabilityBadge, capabilityTable, embed, FIELDS, hasFiles, modelTable, pathOf } from "../site/lib/badge.js";
import { calendar } from "../site/lib/ics.js";
import { newest } from "../site/lib/fresh.js";
import { modelLink } from "../site/state.js";

const MOST = 15000; // files: some hosts take no more than 20,000
const [site, folder] = process.argv.slice(2).map((path) => resolve(path));

// The package tells of itself: its catalog is the page's.
function versionOf() {
  const told = JSON.parse(execFileSync(process.execPath, [join(folder, "cli.js"), "version", "--json"], { env: { ...process.env, XDG_DATA_HOME: join(site, "none"), HOME: join(site, "none") } }));
  const { version, models, providers, rules, sources, source_hash } = told;
  return { version, models, providers, rules, source_hash, sources: sources.map(({ source, day, models: n }) => ({ source, day, models: n })) };
}

const catalog = versionOf();
const day = newest(catalog.sources);
const { load } = await import(pathToFileURL(join(folder, "cando.js")));
const cando = await load({ today: day });

let files = 0;
const made = new Set();
function write(path, text) {
  if (++files > MOST) throw new Error(`more than ${MOST} files: choose fewer in scripts/site_static.mjs`);
  const file = join(site, path);
  if (!made.has(dirname(file))) mkdirSync(dirname(file), { recursive: true });
  made.add(dirname(file));
  writeFileSync(file, text);
}

// -- badges and tables ----------------------------------------------------------------------------

const up = (path) => "../".repeat(path.split("/").length - 1);
const table = (path, about) => write(path, embed({ ...about, day, css: `${up(path)}embed.css` }));

function writeModels(models) {
  for (const row of models) {
    const at = pathOf(row.provider, row.model);
    for (const [name, about] of Object.entries(badgesOf(row))) write(`badge/${at}/${name}.svg`, badge(about));
    const path = `embed/${at}.html`;
    table(path, { title: `${row.provider}/${row.model}`, rows: modelTable(row), home: up(path) + modelLink(row.provider, row.model) });
  }
}

function writeCapabilities(models) {
  for (const [field] of CAPABILITIES) {
    write(`badge/${field}.svg`, badge(capabilityBadge(models, field)));
    table(`embed/${field}.html`, { ...capabilityTable(models, field), home: `../#/explore?can=${field}` });
  }
}

// -- calendars --------------------------------------------------------------------------------------

function writeCalendars() {
  const { retiring } = cando.retiring({ within: 36500 });
  const stops = retiring.filter((r) => r.ending === "stops");
  write("calendar/all.ics", calendar(stops, { stamp: day }));
  for (const provider of new Set(retiring.map((r) => r.provider))) {
    write(`calendar/${pathOf(provider)}.ics`, calendar(stops.filter((r) => r.provider === provider), { stamp: day, name: `${provider}: models that stop` }));
  }
}

const { models } = cando.models({ kinds: ["first-party"], fields: FIELDS, marks: true });
const chats = models.filter((m) => hasFiles(m, day));
writeModels(chats);
writeCapabilities(chats);
writeCalendars();
write("made.js", `// made.js - what is known when the site is built (scripts/site_static.mjs).\nexport const catalog = ${JSON.stringify(catalog)};\nexport const files = true;\nexport const build = "";\n`);
console.log(`${files} files of badges, tables and calendars, of ${chats.length} models`);
