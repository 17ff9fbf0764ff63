// explore.js - all offerings: search, filter, sort, choose columns, look behind every cell; as a table or as a plot.
import { allColumns, columnsDialog, defaultColumns, gridColumns } from "../columns.js";
import { fill, h, save, toast } from "../dom.js";
import { openEvidence } from "../evidence.js";
import { isCapability } from "../fields.js";
import { activeCount, activeFilters, filters } from "../filters.js";
import { count, glyph, levels } from "../format.js";
import { grid } from "../grid.js";
import { comparison, filter, flat, group, indexOf } from "../lib/rows.js";
import { sheet } from "../lib/sheet.js";
import { plot } from "../plot.js";
import { link, modelLink } from "../state.js";
import { later } from "./parts.js";

export const title = "Models";
export const path = "explore";

const axes = {
  x: { inputPrice: "$ per million in", outputPrice: "$ per million out" },
  y: { context: "context", output: "output" },
};

export function mount(root, ctx) {
  const openGroups = new Set();
  let state = new URLSearchParams();
  let table, index, panel, found = [], columnsShown = "", columnsButton, legend, actions;

  const button = (label, onclick, more = {}) => h("button", { type: "button", onclick, ...more }, label);
  const search = h("input", { type: "search", placeholder: "Search models, providers, families…", "aria-label": "Search", spellcheck: "false", autocomplete: "off" });
  const tally = h("span", { class: "tally", role: "status" });
  const filterButton = button("Filters", () => openPanel(panel.node.hidden), { "aria-expanded": "false" });
  const showAs = ["table", "plot"].map((as) => button(as === "table" ? "Table" : "Plot", () => change({ as: as === "plot" ? "plot" : "" })));
  const groupBox = h("input", { type: "checkbox", onchange: () => change({ group: groupBox.checked ? "" : "0" }) });
  const chips = h("div", { class: "row active" });
  const place = h("div", { class: "slot" });
  const tray = h("div", { class: "row picked", role: "status", hidden: true });
  const picked = []; // to be compared
  const list = grid({ label: "Offerings", onSort: sortBy });
  const points = plot({ label: "Price against tokens" });
  const axisBar = h("div", { class: "row" }, Object.entries(axes).map(([axis, choices]) => h("label", { class: "row" }, axis === "x" ? "Price" : "Tokens",
    h("select", { "data-axis": axis, onchange: (event) => change({ [axis]: event.target.value }) }, Object.entries(choices).map(([value, label]) => h("option", { value }, label))))));
  const none = h("div", { class: "none", hidden: true });

  root.append(h("h1", { class: "sr" }, "Models"),
    h("div", { class: "bar" }, search, actions = h("div", { class: "actions", inert: true }, filterButton, h("span", { class: "tabs", role: "group", "aria-label": "Show as" }, showAs),
      h("label", { class: "row tight" }, groupBox, "Group hosts"),
      columnsButton = button("Columns", () => columnsDialog(shownIds(), (ids) => change({ cols: ids.join(",") === defaultColumns.join(",") ? "" : ids.join(",") }))),
      h("span", { class: "tabs", role: "group", "aria-label": "Export" }, button("CSV", exportCsv), button("JSON", exportJson))), tally),
    chips, tray, place, axisBar, none, list.box, points.box,
    legend = h("p", { class: "legend", "aria-label": "Legend" }, [3, 2, 4, 1, 0, 11, 19].map((code) => h("span", {}, glyph(code), " ", legendOf(code)))));

  // While one types, the link waits: with each change of it browsers fetch the page's icon anew, and some count and refuse.
  const remember = later(250, () => ctx.replace(state));
  search.addEventListener("input", () => {
    put({ q: search.value.trim() && search.value });
    remember();
    draw(true, true);
  });
  search.addEventListener("blur", remember.now);
  search.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") { event.preventDefault(); list.focus(); }
  });

  const shownIds = () => state.get("cols")?.split(",") ?? defaultColumns;

  function openPanel(open) {
    panel.node.hidden = !open;
    if (open) panel.update(state);
    filterButton.setAttribute("aria-expanded", String(open));
  }

  function put(params) {
    for (const [name, value] of Object.entries(params)) if (value) state.set(name, value); else state.delete(name);
  }

  function change(params) {
    put(params);
    ctx.replace(state);
    draw();
  }

  const sorting = () => {
    const text = state.get("sort") || "-released";
    return text.startsWith("-") ? { id: text.slice(1), down: true } : { id: text, down: false };
  };

  // Of these one host may have more, or be cheaper: then that one is looked for.
  const best = (id) => isCapability(id) || ["context", "output", "inputPrice", "outputPrice"].includes(id);

  function sortBy(id) {
    const now = sorting();
    const large = isCapability(id) || ["context", "output", "released"].includes(id); // the largest first
    change({ sort: (now.id === id ? !now.down : large) ? `-${id}` : id });
  }

  function toggle(key) {
    if (!openGroups.delete(key)) openGroups.add(key);
    draw(false);
  }

  function pick(target) {
    const at = picked.indexOf(target);
    if (at >= 0) picked.splice(at, 1);
    else if (picked.length < 4) picked.push(target);
    else return toast("Four can be compared");
    state.set("pick", picked.join(","));
    if (!picked.length) state.delete("pick");
    ctx.replace(state);
    draw(false);
  }

  function drawTray() {
    tray.hidden = !picked.length;
    fill(tray, picked.map((target) => h("button", { type: "button", class: "chip", "aria-label": `Do not compare ${target}`, onclick: () => pick(target) }, target, " ×")),
      h("a", { class: "button primary", href: link("compare", "", { m: picked.join(",") }) }, picked.length > 1 ? `Compare ${picked.length}` : "Compare"));
  }

  function draw(top = true, hasty = false) {
    if (!table) return;
    const sort = sorting();
    const grouped = state.get("group") !== "0";
    const asPlot = state.get("as") === "plot";
    found = filter(table, index, state).sort(comparison(table, sort.id, sort.down));
    const { entries, models } = grouped ? group(table, found, openGroups, !best(sort.id)) : { entries: flat(found) };
    drawBar(grouped, asPlot, models);
    drawTray();
    if (asPlot) drawPlot(entries);
    else drawTable(entries, sort, grouped, top, hasty);
    drawNone();
  }

  function drawBar(grouped, asPlot, models) {
    tally.textContent = models === undefined ? `${count(found.length)} offerings` : `${count(models)} ${models === 1 ? "model" : "models"}, ${count(found.length)} ${found.length === 1 ? "offering" : "offerings"}`;
    groupBox.checked = grouped;
    showAs[0].setAttribute("aria-pressed", String(!asPlot));
    showAs[1].setAttribute("aria-pressed", String(asPlot));
    if (!panel.node.hidden) panel.update(state);
    const active = activeFilters(state, change);
    fill(chips, active);
    chips.hidden = !active.length;
    filterButton.textContent = activeCount(state) ? `Filters (${activeCount(state)})` : "Filters";
    list.box.hidden = asPlot || !found.length;
    points.box.hidden = axisBar.hidden = !asPlot;
    columnsButton.hidden = asPlot;
    legend.hidden = list.box.hidden;
  }

  function drawTable(entries, sort, grouped, top, hasty) {
    const ids = shownIds();
    const now = JSON.stringify([ids, sort, grouped]);
    if (now !== columnsShown) {
      const open = (i, field, cell) => openEvidence(ctx, table.provider[i], table.model[i], field, cell);
      list.setColumns(gridColumns(table, ids, { open, toggle, openGroups, grouped, pick, picked }), sort);
    }
    columnsShown = now;
    list.setEntries(entries, top, hasty);
  }

  function drawPlot(entries) {
    const [x, y] = ["x", "y"].map((axis) => (Object.hasOwn(axes[axis], state.get(axis) ?? "") ? state.get(axis) : Object.keys(axes[axis])[0]));
    for (const select of axisBar.querySelectorAll("select")) select.value = select.dataset.axis === "x" ? x : y;
    const chat = !state.get("kind"); // what embeds or transcribes is cheap by another measure
    const shown = entries.filter(({ i, host }) => !host && table[x][i] >= 0 && table[y][i] > 0 && (!chat || ["chat", ""].includes(table.kind[i])));
    points.set(shown.map(({ i }) => ({
      x: table[x][i], y: table[y][i], name: table.model[i], provider: table.provider[i],
      open: () => { location.hash = modelLink(table.provider[i], table.model[i]); },
    })), { x: axes.x[x], y: axes.y[y] });
  }

  // Nothing fits: names that are near to what was typed.
  async function drawNone() {
    none.hidden = found.length > 0;
    if (found.length) return;
    const q = state.get("q");
    fill(none, "Nothing fits. ");
    if (!q) return;
    const { models } = await ctx.ask("models", { like: q, limit: 6 });
    if (found.length || q !== state.get("q") || !models.length) return;
    fill(none, h("p", {}, "Nothing fits. Did you mean"), h("ul", { class: "bare" }, models.map((m) => h("li", {}, h("a", { href: modelLink(m.provider, m.model) }, `${m.provider}/${m.model}`)))));
  }

  const columnsOut = () => [{ id: "model", label: "Model" }, ...shownIds().map((id) => allColumns.find((column) => column.id === id)).filter((column) => column)];
  const valueOut = (column, i) => (column.can ? levels[table.can[column.id][i] & 7] : table[column.id][i]);

  function exportCsv() {
    const columns = columnsOut();
    save("cando.csv", sheet([columns.map((column) => column.id), ...found.map((i) => columns.map((column) => valueOut(column, i)))]), "text/csv");
  }

  function exportJson() {
    const columns = columnsOut();
    const value = (column, i) => { const v = valueOut(column, i); return v === "" || v === "unknown" || Number.isNaN(v) ? null : v; };
    save("cando.json", JSON.stringify(found.map((i) => Object.fromEntries(columns.map((column) => [column.id, value(column, i)]))), null, 1), "application/json");
  }

  // First what is looked at; the other capabilities are there before one has found their filters.
  async function begin() {
    const asked = ["can", "cannot"].flatMap((name) => (state.get(name) ?? "").split(","));
    const first = await ctx.firstTable([...shownIds(), sorting().id, ...asked]);
    if (table) return;
    take(first);
    ctx.table().then((whole) => {
      if (whole === table) return;
      take(whole);
      draw(false);
    }, broken);
  }

  const broken = (error) => fill(none, error.message);

  function take(made) {
    table = made;
    index ??= indexOf(table);
    columnsShown = "";
    if (!panel) {
      panel = filters(table, change);
      panel.node.hidden = true;
      place.append(panel.node);
      actions.inert = false;
    }
  }

  return {
    async update(now) {
      remember.cancel();
      state = now;
      picked.splice(0, 4, ...(state.get("pick")?.split(",").filter(Boolean).slice(0, 4) ?? []));
      if (search.value.trim() !== (state.get("q") ?? "").trim()) search.value = state.get("q") ?? "";
      if (!table) await begin();
      draw();
      performance.mark("cando-table");
    },
    unmount() {
      remember.cancel();
      list.close();
      points.close();
    },
  };
}

function legendOf(code) {
  return { 3: "yes", 2: "emulated", 4: "with conditions", 1: "no", 0: "nobody says", 11: "inferred", 19: "sources disagree" }[code];
}

