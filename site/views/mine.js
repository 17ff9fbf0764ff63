// mine.js - My models: ids out of a list, a log or source code, as one table, with what stops next. It is kept in this browser alone.
import { fill, h, save } from "../dom.js";
import { count, money, relativeDay, tokens } from "../format.js";
import { calendar } from "../lib/ics.js";
import { sheet } from "../lib/sheet.js";
import { can, editor, growing, later, modelName, picker, rowsByTarget } from "./parts.js";

export const title = "My models";
export const path = "mine";

const CAN = [["tool_calling", "Tools"], ["structured_output", "JSON"], ["reasoning", "Reasoning"], ["input_image", "Images"], ["input_pdf", "PDF"], ["prompt_caching", "Caching"]];
const LONGEST = 12000; // of the ids in a link

const store = {
  get() {
    try {
      return JSON.parse(localStorage.getItem("mine") ?? "[]").filter((t) => typeof t === "string").slice(0, 500);
    } catch {
      return [];
    }
  },
  set(targets) {
    try {
      localStorage.setItem("mine", JSON.stringify(targets));
    } catch {
      // it holds for this visit
    }
  },
};
/** The models that are kept, for other views. */
export const mine = () => store.get();

export function mount(root, ctx) {
  let [state, targets, unknown, ends] = [new URLSearchParams(), [], [], new Map()];
  let looking = new AbortController();
  const add = picker(ctx, { label: "Add a model", placeholder: "gpt-5, claude opus…", onpick: (t) => { if (t) { keep([...targets, t]); add.set(""); add.node.querySelector("input").value = ""; } } });
  const edit = editor({ label: "Or find them in a list, a log, or your code", placeholder: "Paste ids, lines of a log, a configuration, source code; or drop a file.", rows: 6, onchange: later(200, found) });
  const next = h("div", { role: "status" });
  const odd = h("div", {});
  const out = h("div", {});
  root.append(h("div", { class: "page" }, h("h1", {}, title), h("p", { class: "lead" }, "The models that you use, in one table. Nothing is sent anywhere: the list is kept in this browser, and in the link."),
    h("div", { class: "mine" }, add.node, edit.node), odd, next, out));

  function keep(list) {
    targets = [...new Set(list)].slice(0, 500);
    store.set(targets);
    const joined = targets.join(",");
    state = new URLSearchParams(joined.length > LONGEST ? {} : { ids: joined });
    ctx.replace(state);
    draw();
  }
  async function found(text) {
    looking.abort();
    looking = new AbortController();
    if (!text.trim()) return;
    const names = await ctx.job("ids", { text }, { signal: looking.signal }).catch(() => undefined);
    if (!names) return;
    unknown = names.unknown;
    fill(odd, h("p", { class: "note" }, names.targets.length ? `${count(names.targets.length)} found.` : "No id of a model was found in it.", unknown.length > 0 && [" Not known: ", unknown.slice(0, 12).map((u, i) => [i ? ", " : "", h("code", {}, u)]), unknown.length > 12 && " …"]));
    keep([...targets, ...names.targets]);
  }

  async function draw() {
    const list = targets;
    const { table, lookup } = await rowsByTarget(ctx);
    if (!ends.size) for (const r of (await ctx.ask("retiring", { within: 36500 })).retiring) ends.set(`${r.provider}/${r.model}`, r);
    if (list !== targets) return;
    const day = (t) => ends.get(t)?.retires_on ?? "";
    const order = (t) => { const e = ends.get(t); return !e ? "3" : e.ending === "stops" ? `0${day(t)}` : e.ending === "stopped" ? `1${day(t)}` : "2"; };
    const rows = [...list].sort((a, b) => (order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : a < b ? -1 : 1)).map((target) => ({ target, i: lookup.get(target), end: ends.get(target) }));
    drawNext(rows);
    const shown = growing({
      caption: "My models, what stops next first",
      columns: [
        { label: "Model", cell: (r) => modelName(r.target) },
        { label: "Ends", cell: (r) => endOf(r) },
        { label: "Window", number: true, cell: (r) => (r.i === undefined ? "" : tokens(table.context[r.i])) },
        { label: "Output", number: true, cell: (r) => (r.i === undefined ? "" : tokens(table.output[r.i])) },
        { label: "In $/M", number: true, cell: (r) => (r.i === undefined ? "" : money(table.inputPrice[r.i])) },
        { label: "Out $/M", number: true, cell: (r) => (r.i === undefined ? "" : money(table.outputPrice[r.i])) },
        ...CAN.map(([id, label]) => ({ label, class: "cap", cell: (r) => (r.i === undefined ? "" : can(table, id, r.i, label)) })),
        { label: h("span", { class: "sr" }, "Remove"), cell: (r) => h("button", { type: "button", class: "icon", "aria-label": `Remove ${r.target}`, onclick: () => keep(targets.filter((t) => t !== r.target)) }, "×") },
      ],
    });
    shown.show(rows);
    fill(out, rows.length > 0 && h("div", { class: "row tools" }, h("h2", { class: "grow" }, `${count(rows.length)} ${rows.length === 1 ? "model" : "models"}`),
      rows.length > 1 && h("a", { class: "button", href: `#/compare?${new URLSearchParams({ m: rows.slice(0, 4).map((r) => r.target).join(",") })}` }, "Compare"),
      h("button", { type: "button", onclick: () => saveSheet(rows, table) }, "CSV"),
      rows.some((r) => r.end?.ending === "stops") && h("button", { type: "button", onclick: () => save("my-models.ics", calendar(rows.map((r) => r.end).filter((e) => e?.ending === "stops"), { stamp: ctx.today, name: "My models" }), "text/calendar") }, "Calendar"),
      h("button", { type: "button", onclick: () => { edit.set(""); fill(odd); keep([]); } }, "Clear")), rows.length > 0 && shown.node);
  }
  const saveSheet = (rows, t) => save("my-models.csv", sheet([["model", "ends", "use instead", "window", "output", "input $/M", "output $/M", ...CAN.map(([id]) => id)],
    ...rows.map((r) => [r.target, r.end?.retires_on, r.end?.use, t.context[r.i] || "", t.output[r.i] || "", t.inputPrice[r.i] ?? "", t.outputPrice[r.i] ?? "", ...CAN.map(([id]) => ["unknown", "no", "emulated", "yes", "restricted"][(t.can[id][r.i] ?? 0) & 7])])]), "text/csv");

  function endOf({ end, target }) {
    if (!end) return "";
    const use = end.use && [" → ", modelName(`${target.slice(0, target.indexOf("/"))}/${end.use}`, true)];
    if (end.ending === "stopped") return [h("span", { class: "chip bad" }, `✕ stopped ${end.retires_on ?? ""}`), use];
    if (end.ending === "stops") return [h("span", { class: "chip warn" }, `! ${end.retires_on}, ${relativeDay(end.retires_on, ctx.today)}`), use];
    if (end.ending === "not-before") return h("span", { class: "soft" }, `not before ${end.retires_not_before}`);
    return [h("span", { class: "chip warn" }, "deprecated"), use];
  }
  function drawNext(rows) {
    const stops = rows.find((r) => r.end?.ending === "stops");
    const gone = rows.filter((r) => r.end?.ending === "stopped");
    fill(next, gone.length > 0 && h("p", { class: "say bad" }, h("span", { class: "sign" }, "✕"), ` ${count(gone.length)} of these ${gone.length === 1 ? "has" : "have"} stopped`),
      stops && h("p", { class: "say warn" }, h("span", { class: "sign" }, "!"), " Next: ", modelName(stops.target), ` stops ${relativeDay(stops.end.retires_on, ctx.today)}, on ${stops.end.retires_on}`),
      rows.length > 0 && !stops && !gone.length && h("p", { class: "say good" }, h("span", { class: "sign" }, "✓"), " None of these is known to stop"));
  }

  return {
    update(nextState) {
      state = new URLSearchParams(nextState);
      const ids = state.get("ids");
      targets = ids === null ? store.get() : [...new Set(ids.split(",").filter(Boolean))].slice(0, 500);
      if (ids === null && targets.length) keep(targets);
      else draw();
    },
    unmount() {
      looking.abort();
    },
  };
}
