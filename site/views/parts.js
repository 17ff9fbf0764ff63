// parts.js - what several views are made of: a box for a model, an editor for pasted texts, tables that grow.
import { add, fill, h, toast } from "../dom.js";
import { count, glyph, numberOf } from "../format.js";
import { textOf } from "../lib/packed.js";
import { logScale } from "../lib/scale.js";
import { modelLink } from "../state.js";

let ids = 0;

/** f, but only once the calls have stopped for so long; cancel() drops what waits, now() does it. */
export function later(ms, f) {
  let timer, waiting;
  const made = (...args) => {
    clearTimeout(timer);
    waiting = () => f(...args);
    timer = setTimeout(made.now, ms);
  };
  made.cancel = () => {
    clearTimeout(timer);
    waiting = undefined;
  };
  made.now = () => {
    const todo = waiting;
    made.cancel();
    todo?.();
  };
  return made;
}

/** "openai/gpt-5" as a link to its page; `short`: without the provider. */
export function modelName(target, short = false) {
  const at = target.indexOf("/");
  if (at < 1) return h("span", { class: "id" }, target);
  return h("a", { class: "id", href: modelLink(target.slice(0, at), target.slice(at + 1)) }, !short && h("span", { class: "host" }, target.slice(0, at), "/"), target.slice(at + 1));
}

/** 1,234,567 bytes as people say it. */
export const size = (n) => (n < 1000 ? `${n} bytes` : n < 1e6 ? `${Math.round(n / 1e3)} kB` : `${(n / 1e6).toFixed(1)} MB`);

// -- a table that grows -----------------------------------------------------------------------------

/**
 * A table of which the first rows are made, and more on demand. `columns`: [{ label, cell(row), number, title }]; show(rows) fills it.
 */
export function growing({ columns, caption, step = 100, empty = "Nothing here." }) {
  const body = h("tbody");
  const more = h("button", { type: "button", class: "more", hidden: true });
  const none = h("p", { class: "none" }, empty);
  const table = h("table", { class: "rows" },
    h("caption", { class: "sr" }, caption),
    h("thead", {}, h("tr", {}, columns.map((c) => h("th", { scope: "col", class: c.number ? "num" : c.class, title: c.title }, c.label)))), body);
  const scroll = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, table);
  const node = h("div", { class: "grows" }, scroll, none, more);
  let [rows, shown] = [[], 0];
  const grow = (n) => {
    for (const row of rows.slice(shown, shown + n)) body.append(h("tr", {}, columns.map((c, i) => cellOf(c, row, i))));
    shown = Math.min(rows.length, shown + n);
    more.hidden = shown >= rows.length;
    more.textContent = `Show more (${count(rows.length - shown)})`;
  };
  more.addEventListener("click", () => grow(step * 3));
  return {
    node,
    show(list) {
      [rows, shown] = [list, 0];
      body.replaceChildren();
      scroll.hidden = !list.length;
      none.hidden = !!list.length;
      grow(step);
    },
  };
}

const cellOf = (c, row, i) => add(h(i === 0 ? "th" : "td", { scope: i === 0 ? "row" : null, class: c.number ? "num" : c.class }), [c.cell(row)]);

/** The glyph of a column of the table, for one of its rows. */
export const can = (table, field, i, label) => glyph(table.can[field]?.[i] ?? 0, label);

let lookup, providers;
/** All offerings by "provider/model": the number of their row in the table; and the names of all providers. */
export async function rowsByTarget(ctx) {
  const table = await ctx.table();
  lookup ??= new Map(table.model.map((m, i) => [`${table.provider[i]}/${m}`, i]));
  providers ??= new Set(table.provider);
  return { table, lookup, providers };
}

/** A box for words that narrow a list: lib/words.js. */
export const filterBox = (label, oninput) => h("input", { type: "search", placeholder: "Filter: openai, claude opus", title: "Providers or parts of a name; a comma means or", "aria-label": label, spellcheck: "false", autocomplete: "off", oninput });

// -- a box for a model ------------------------------------------------------------------------------

// Labs before hosts: most who type "gpt-5" mean that one.
const rank = (table, i, word) => {
  const model = table.model[i].toLowerCase();
  const lab = table.model[i].includes("/") ? 2 : 0;
  const first = model === word ? 0 : model.startsWith(word) ? 1 : 2;
  return first * 4 + lab + (table.status[i] === "retired" ? 20 : 0) + Math.min(model.length / 100, 0.9);
};

/** The rows of the table that a few words lead to, the likeliest first. */
export function suggest(table, text, most = 12) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const found = [];
  for (let i = 0; i < table.n; i++) {
    const id = `${table.provider[i]}/${table.model[i]} ${table.name[i]}`.toLowerCase();
    if (words.every((w) => id.includes(w))) found.push(i);
  }
  const word = words[0].slice(words[0].indexOf("/") + 1);
  return found.map((i) => [rank(table, i, word), i]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).slice(0, most).map(([, i]) => i);
}

/** A box that finds models while one types. `onpick(target)` hears what was chosen, "" for none. */
export function picker(ctx, { label, placeholder, onpick }) {
  const id = `pick${++ids}`;
  const list = h("ul", { role: "listbox", id: `${id}l`, "aria-label": label, hidden: true });
  const input = h("input", { id, type: "search", role: "combobox", "aria-expanded": "false", "aria-controls": `${id}l`, "aria-autocomplete": "list", autocomplete: "off", spellcheck: "false", placeholder });
  const node = h("div", { class: "picker" }, h("label", { for: id }, label), h("div", { class: "box" }, input, list));
  let [found, at, chosen] = [[], -1, ""];

  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const pick = (target) => {
    input.value = target;
    close();
    if (target !== chosen) onpick((chosen = target));
  };
  const mark = (n) => {
    at = n;
    [...list.children].forEach((item, i) => item.setAttribute("aria-selected", i === n ? "true" : "false"));
    if (n >= 0) input.setAttribute("aria-activedescendant", list.children[n].id);
    list.children[n]?.scrollIntoView({ block: "nearest" });
  };
  const look = async () => {
    const text = input.value.trim();
    if (!text) {
      close();
      return pick("");
    }
    const table = await ctx.table();
    found = suggest(table, text).map((i) => ({ target: `${table.provider[i]}/${table.model[i]}`, note: table.status[i] === "retired" ? "stopped" : table.status[i] === "deprecated" ? "deprecated" : "" }));
    fill(list, found.map(({ target, note }, i) => h("li", { role: "option", id: `${id}o${i}`, "aria-selected": "false", onmousedown: (e) => { e.preventDefault(); pick(target); } }, target, note && [" ", h("small", {}, note)])));
    list.hidden = !found.length;
    input.setAttribute("aria-expanded", String(!!found.length));
    at = -1;
  };
  input.addEventListener("input", look);
  input.addEventListener("keydown", (e) => {
    if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      e.preventDefault();
      if (found.length && !list.hidden) mark((at + (e.key === "ArrowDown" ? 1 : found.length)) % found.length);
    } else if (e.key === "Enter") {
      e.preventDefault();
      const exact = found.find((f) => f.target === input.value.trim());
      pick(found[at]?.target ?? exact?.target ?? (input.value.includes("/") ? input.value.trim() : found[0]?.target ?? ""));
    } else if (e.key === "Escape") close();
  });
  input.addEventListener("blur", () => {
    close();
    const text = input.value.trim();
    if (text !== chosen && (text.includes("/") || !text)) pick(text);
  });
  return {
    node,
    set(target) {
      chosen = target;
      if (document.activeElement !== input) input.value = target;
    },
    get: () => chosen,
    hint: (text) => { input.placeholder = text; },
  };
}

// -- an editor ----------------------------------------------------------------------------------------

const SHOWN = 400_000; // characters that are edited here; longer texts are held, and not shown
const PAINTED = 150_000; // characters up to which places are marked in the text itself

/**
 * A box for a text that is typed, pasted or dropped as a file. Long ones are held beside it, so that the page stays quick. `onchange(text)` hears of each
 * change; mark(places) draws [{ index, end, line, severity }] into it.
 */
export function editor({ label, placeholder, onchange, rows = 16 }) {
  const id = `edit${++ids}`;
  const area = h("textarea", { id, rows, wrap: "off", spellcheck: "false", autocomplete: "off", autocapitalize: "off", placeholder });
  const back = h("pre", { class: "back", "aria-hidden": "true" });
  const gutter = h("pre", { class: "gutter", "aria-hidden": "true" });
  const file = h("input", { type: "file", class: "sr", id: `${id}f`, tabindex: "-1", "aria-label": `${label}: a file` });
  const note = h("p", { class: "held", hidden: true });
  const pane = h("div", { class: "pane" }, gutter, h("div", { class: "under" }, back, area));
  const open = h("button", { type: "button", onclick: () => file.click() }, "Open a file");
  const clear = h("button", { type: "button", onclick: () => { put(""); area.focus(); } }, "Clear");
  const node = h("div", { class: "editor" }, h("div", { class: "bar" }, h("label", { for: id }, label), open, clear), pane, note, file);
  let held; // a text that is not shown
  let places = [];

  const value = () => held ?? area.value;
  const told = () => {
    paint();
    onchange(value());
  };
  function hold(text, name) {
    held = text;
    area.value = "";
    pane.hidden = true;
    note.hidden = false;
    fill(note, h("strong", {}, name), ` ${size(text.length)} of text, read but not shown: it is too long to edit here. Lines below are of this text.`);
  }
  function put(text, name = "Pasted") {
    places = [];
    if (text.length > SHOWN) hold(text, name);
    else {
      held = undefined;
      pane.hidden = false;
      note.hidden = true;
      area.value = text;
    }
    told();
  }
  async function take(f) {
    try {
      put(await textOf(f), f.name);
    } catch (error) {
      toast(error instanceof RangeError ? `This file is ${error.message}` : "This file cannot be read");
    }
  }

  function paint() {
    const text = area.value;
    const painted = text.length <= PAINTED;
    const lines = painted ? text.split("\n").length : 0;
    const bad = new Map();
    for (const p of places) if (bad.get(p.line) !== "error") bad.set(p.line, p.severity);
    fill(gutter, Array.from({ length: lines }, (_, i) => (bad.has(i + 1) ? [h("b", { class: bad.get(i + 1) }, i + 1), "\n"] : `${i + 1}\n`)));
    const parts = [];
    let at = 0;
    for (const p of painted ? [...places].sort((a, b) => a.index - b.index) : []) {
      if (p.index < at || p.index > text.length) continue;
      parts.push(text.slice(at, p.index), h("mark", { class: p.severity }, text.slice(p.index, p.end)));
      at = p.end;
    }
    fill(back, places.length ? [...parts, painted ? text.slice(at) : "", "\n"] : []);
    scrolled();
  }
  function scrolled() {
    back.scrollTop = gutter.scrollTop = area.scrollTop;
    back.scrollLeft = area.scrollLeft;
  }

  area.addEventListener("scroll", scrolled, { passive: true });
  area.addEventListener("input", () => {
    places = [];
    told();
  });
  area.addEventListener("paste", (e) => {
    const f = e.clipboardData?.files?.[0];
    const text = e.clipboardData?.getData("text/plain") ?? "";
    if (f && !text) {
      e.preventDefault();
      take(f);
    } else if (text.length + area.value.length > SHOWN) {
      e.preventDefault();
      put(area.value.slice(0, area.selectionStart) + text + area.value.slice(area.selectionEnd));
    }
  });
  for (const name of ["dragover", "drop"]) {
    node.addEventListener(name, (e) => {
      if (!e.dataTransfer?.types.includes("Files")) return;
      e.preventDefault();
      if (name === "drop" && e.dataTransfer.files[0]) take(e.dataTransfer.files[0]);
    });
  }
  file.addEventListener("change", () => file.files[0] && take(file.files[0]).then(() => { file.value = ""; }));
  paint();
  return {
    node,
    bar: node.firstChild,
    area,
    get: value,
    isHeld: () => held !== undefined,
    /** Another text; nobody is told. */
    set(text) {
      if (text === value()) return;
      const keep = onchange;
      onchange = () => {};
      put(text);
      onchange = keep;
    },
    /** Another text, as if it had been typed: undo brings the old one back. */
    type(text) {
      if (text.length > SHOWN || held !== undefined) return put(text);
      area.focus();
      area.select();
      if (!document.execCommand("insertText", false, text)) put(text);
      else told();
    },
    mark(list) {
      places = list;
      if (held === undefined) paint();
    },
    show(index, end) {
      if (held !== undefined) return;
      area.focus();
      area.setSelectionRange(index, end);
      const lines = area.value.slice(0, index).split("\n").length - 1;
      const all = Math.max(1, area.value.split("\n").length);
      area.scrollTop = Math.max(0, (area.scrollHeight / all) * lines - area.clientHeight / 3);
    },
  };
}

// -- tabs -----------------------------------------------------------------------------------------------

/** Tabs: [{ id, label }] and what belongs to each. `onchange(id)` hears of a choice. */
export function tabs(label, items, onchange) {
  const id = `tabs${++ids}`;
  const buttons = items.map((item) => h("button", { type: "button", role: "tab", id: `${id}${item.id}`, "aria-controls": `${id}${item.id}p`, onclick: () => choose(item.id, true) }, item.label, h("span", { class: "n" })));
  const panels = items.map((item) => h("div", { role: "tabpanel", id: `${id}${item.id}p`, "aria-labelledby": `${id}${item.id}` }, item.node));
  function choose(which, tell) {
    items.forEach((item, i) => {
      const on = item.id === which;
      buttons[i].setAttribute("aria-selected", String(on));
      buttons[i].tabIndex = on ? 0 : -1;
      panels[i].hidden = !on;
    });
    if (tell) onchange(which);
  }
  const bar = h("div", { role: "tablist", "aria-label": label, class: "tabs" }, buttons);
  bar.addEventListener("keydown", (e) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!step) return;
    const now = buttons.findIndex((b) => b.tabIndex === 0);
    const next = (now + step + items.length) % items.length;
    choose(items[next].id, true);
    buttons[next].focus();
  });
  choose(items[0].id);
  return { node: h("div", { class: "tabbed" }, bar, panels), choose, count: (which, n) => { buttons[items.findIndex((i) => i.id === which)].querySelector(".n").textContent = n === undefined || n === "" ? "" : ` ${n}`; } };
}

// -- sliders --------------------------------------------------------------------------------------------

/** Traffic that is planned; `usual` is where a slider begins. */
export const TRAFFIC = [
  { id: "in", label: "Prompt", unit: "tokens", least: 100, most: 1000000, usual: 10000 },
  { id: "out", label: "Answer", unit: "tokens", least: 10, most: 128000, usual: 1000 },
  { id: "n", label: "Requests a month", unit: "", least: 1, most: 100000000, usual: 10000 },
];

/** A slider for numbers of any size, with a box for the exact one. It writes values[id]; `onchange(n)` hears what a person chose. */
export function slider(s, values, onchange) {
  const scale = logScale(s.least, s.most);
  const range = h("input", { type: "range", min: 0, max: 1000, step: 1, id: `s-${s.id}`, oninput: () => change(scale.at(Number(range.value)), true) });
  const box = h("input", { type: "text", inputmode: "numeric", class: "amount", "aria-label": `${s.label}${s.unit ? `, ${s.unit}` : ""}`, onchange: () => {
    const n = numberOf(box.value);
    change(Number.isFinite(n) ? Math.max(0, Math.round(n)) : values[s.id], true);
  } });
  function change(n, tell) {
    values[s.id] = n;
    range.value = scale.position(Math.max(1, n));
    range.setAttribute("aria-valuetext", `${count(n)} ${s.unit}`.trim());
    if (document.activeElement !== box || tell) box.value = count(n);
    if (tell) onchange(n);
  }
  return {
    ...s, change,
    /** What a link says, or the usual. */
    set(text) {
      const n = Number(text ?? s.usual);
      change(Number.isFinite(n) && n >= 0 ? Math.min(n, 1e12) : s.usual, false);
    },
    node: h("div", { class: "slider" }, h("label", { for: `s-${s.id}` }, s.label), range, h("span", { class: "amounts" }, box, h("span", { class: "soft" }, s.unit))),
  };
}

/** How much of a prompt comes from the cache, in percent. */
export function cachedSlider(onchange) {
  const say = h("span", { class: "amounts" });
  const range = h("input", { type: "range", min: 0, max: 95, step: 5, value: 0, id: "s-cached", oninput: () => { told(); onchange(range.value === "0" ? "" : range.value); } });
  const told = () => {
    say.textContent = `${range.value} %`;
    range.setAttribute("aria-valuetext", `${range.value} percent`);
  };
  return { node: h("div", { class: "slider" }, h("label", { for: "s-cached" }, "From the cache"), range, say), of: (n) => Math.round((n * Number(range.value)) / 100), set: (text) => { range.value = Number(text) || 0; told(); } };
}
