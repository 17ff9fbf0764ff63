// app.js - the frame: it starts the engine, reads the link, shows the view that it names.
import { ask, job, start } from "./ask.js";
import { fill, h } from "./dom.js";
import { count, relativeDay } from "./format.js";
import { isCapability } from "./fields.js";
import { newest } from "./lib/fresh.js";
import { restored } from "./lib/tablefile.js";
import { textOf } from "./lib/packed.js";
import { catalog, files } from "./made.js";
import { keepForLater } from "./offline.js";
import { link, parse } from "./state.js";

const views = {
  explore: { label: "Models", key: "e", load: () => import("./views/explore.js") },
  compare: { label: "Compare", key: "c", load: () => import("./views/compare.js") },
  check: { label: "Check", key: "k", load: () => import("./views/check.js") },
  cost: { label: "Cost", key: "o", load: () => import("./views/cost.js") },
  mine: { label: "My models", key: "m", load: () => import("./views/mine.js") },
  conflicts: { label: "Conflicts", key: "x", load: () => import("./views/conflicts.js") },
  retiring: { label: "Retiring", key: "r", load: () => import("./views/retiring.js") },
  badges: { label: "Badges", key: "b", load: () => import("./views/badges.js") },
  about: { label: "About", key: "a", load: () => import("./views/about.js") },
  model: { load: () => import("./views/model.js") },
};

// Another day than the clock's can be asked about: ?today=2026-11-16
const given = new URLSearchParams(location.search).get("today");
const asked = given && /^\d{4}-\d\d-\d\d$/.test(given) ? given : undefined;
const today = asked ?? new Date().toISOString().slice(0, 10);

start(globalThis.candoWorker ?? (() => new Worker(new URL("./worker.js", import.meta.url), { type: "module" })), asked);

let tablePromise;
/** All offerings as columns (jobs/table.js); made once. */
const table = () => (tablePromise ??= job("table"));

// The table as it was when the site was built, with the usual columns; undefined if other capabilities are wanted or there is none.
async function builtTable(only) {
  if (!files || asked) return undefined;
  const answer = await fetch(new URL("./engine/table.bin", import.meta.url)).catch(() => undefined);
  if (!answer?.ok) return undefined;
  const made = restored(JSON.parse(await textOf(await answer.blob())));
  return only.every((id) => !isCapability(id) || made.can[id]) ? made : undefined;
}

/** A table to begin with, until the whole one is there: of these capabilities alone. */
const firstTable = async (only) => tablePromise ?? (await builtTable(only)) ?? job("table", { only });

const root = document.getElementById("view");
let shown; // { name, view, parts }
let turn = 0;

const ctx = {
  ask, job, h, today, table, firstTable,
  /** A step that "back" undoes. */
  go(path, params) {
    const [view, ...rest] = path.split("/");
    location.hash = link(view, rest.join("/"), params);
  },
  /** The same view with another state, without a step. */
  replace(params) {
    const state = parse(location.hash);
    history.replaceState(null, "", link(state.view || "explore", state.rest, params));
  },
};

async function show() {
  const state = parse(location.hash);
  const name = Object.hasOwn(views, state.view) ? state.view : "explore";
  const mine = ++turn;
  if (shown?.name === name) return shown.parts.update(state);
  for (const item of document.querySelectorAll("#nav a")) {
    if (item.dataset.view === name) item.setAttribute("aria-current", "page");
    else item.removeAttribute("aria-current");
  }
  showCurrent();
  let view;
  try {
    view = await views[name].load();
  } catch (error) {
    return mine === turn && broken(error);
  }
  if (mine !== turn) return;
  shown?.parts.unmount();
  root.replaceChildren();
  root.className = `view-${name}`;
  document.title = `${view.title} · cando`;
  shown = { name, parts: view.mount(root, ctx) };
  await shown.parts.update(state);
}

function broken(error) {
  shown = undefined;
  fill(root, h("div", { class: "panel failed" }, h("h1", {}, "This did not work"), h("p", {}, error.message)));
}

// -- navigation, theme, keys --------------------------------------------------------------------------

function drawNav() {
  const items = Object.entries(views).filter(([, view]) => view.label);
  fill(document.getElementById("nav"), items.map(([name, view]) => h("a", { href: `#/${name}`, "data-view": name }, view.label)));
}

// On a phone they do not all fit.
function showCurrent() {
  const item = document.querySelector("#nav a[aria-current]");
  if (item) item.parentNode.scrollLeft = item.offsetLeft - item.parentNode.offsetLeft - 40;
}

function changeTheme() {
  const html = document.documentElement;
  const dark = html.dataset.theme ? html.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  html.dataset.theme = dark ? "light" : "dark";
  try {
    localStorage.setItem("theme", html.dataset.theme);
  } catch {
    // it holds for this visit
  }
}

const typing = (target) => target.closest?.("input, textarea, select, [contenteditable]");
let leading = 0;

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  if (event.key === "/") {
    const box = root.querySelector("input[type=search], textarea");
    if (box) { event.preventDefault(); box.focus(); box.select?.(); }
  } else if (event.key === "?") showKeys();
  else if (event.key === "g") leading = Date.now();
  else if (Date.now() - leading < 1500) {
    leading = 0;
    const found = Object.entries(views).find(([, view]) => view.key === event.key);
    if (found) location.hash = `#/${found[0]}`;
  }
}

function showKeys() {
  const rows = [["/", "search"], ["Arrows", "move in a table"], ["Enter", "open what is marked"], ["Esc", "close"], ["?", "these keys"],
    ...Object.values(views).filter((view) => view.key).map((view) => [`g ${view.key}`, view.label])];
  const box = h("dialog", { class: "keys", "aria-label": "Keys" },
    h("h2", {}, "Keys"), h("dl", {}, rows.map(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)])),
    h("button", { type: "button", onclick: () => box.close() }, "Close"));
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
}

function drawFresh() {
  if (!catalog) return;
  const day = newest(catalog.sources);
  document.getElementById("fresh").textContent = `${count(catalog.models)} offerings, as of ${day} (${relativeDay(day, today)})`;
}

drawNav();
drawFresh();
document.getElementById("theme").addEventListener("click", changeTheme);
document.getElementById("skip").addEventListener("click", (event) => { event.preventDefault(); root.focus(); });
addEventListener("keydown", onKey);
addEventListener("resize", showCurrent);
addEventListener("hashchange", () => show().catch(broken));
show().catch(broken).then(keepForLater);
