// conflicts.js - Conflicts: where sources disagree, what each says, and whose word counts.
import { fill, h, refill, save } from "../dom.js";
import { labelOf } from "../fields.js";
import { count, money, rate, tokens } from "../format.js";
import { sheet } from "../lib/sheet.js";
import { matcher } from "../lib/words.js";
import { filterBox, growing, later, modelName } from "./parts.js";

export const title = "Conflicts";
export const path = "conflicts";

const KINDS = {
  absurd: ["absurd", "one is off by a factor of a hundred or more"],
  conflict: ["conflict", "they differ, and at most one is right"],
  "input-window": ["window", "one counts the prompt alone, the other prompt and answer"],
  rounding: ["rounding", "1,000 or 1,024"],
  silent: ["silent", "one says nothing"],
  placeholder: ["placeholder", "one gives a value that stands for no value"],
};
const said = (field, value) => {
  if (value === null) return "nothing";
  if (/^(?:context_window|max_)/.test(field) && /^\d+$/.test(value)) return tokens(Number(value));
  if (field.startsWith("price.")) return Number(value) >= 1000 ? money(value) : rate(value);
  return value === "native" ? "yes" : value === "unsupported" ? "no" : value;
};
const fieldName = (field) => (field.startsWith("price.") ? `Price: ${field.slice(6).replaceAll("_", " ").replace(/ tokens$/, "")}` : labelOf(field));

export function mount(root, ctx) {
  let [state, all, providers] = [new URLSearchParams()];
  const put = (params) => {
    for (const [k, v] of Object.entries(params)) {
      if (v) state.set(k, v);
      else state.delete(k);
    }
    ctx.replace(state);
    draw();
  };
  const words = filterBox("Filter by provider or model", later(60, () => put({ q: words.value })));
  const field = h("select", { "aria-label": "Field", onchange: () => put({ field: field.value }) });
  const source = h("select", { "aria-label": "Source", onchange: () => put({ source: source.value }) });
  const kinds = h("div", { class: "row", role: "group", "aria-label": "Kinds" });
  const tally = h("span", { class: "soft", role: "status" });
  const fair = h("div", {});
  const list = growing({
    caption: "Where sources disagree, the worst first",
    empty: "No conflict fits.",
    columns: [
      { label: "Model", cell: (c) => modelName(`${c.provider}/${c.model}`) },
      { label: "About", cell: (c) => fieldName(c.field) },
      { label: "In force", cell: (c) => h("b", {}, said(c.field, c.value)) },
      { label: "Who says what", class: "claims", cell: (c) => c.claims.map((k) => h("span", { class: `claim${k.wins ? " wins" : ""}`, title: `${k.day}${k.on ? `, of ${k.on}` : ""}` }, k.wins ? "✓ " : "", h("span", { class: "soft" }, k.source), " ", said(k.on ?? c.field, k.value), k.wins && h("span", { class: "sr" }, ", which counts"))) },
      { label: "Kind", class: "kind", cell: (c) => h("span", { class: `chip ${c.kind === "absurd" ? "bad" : c.kind === "conflict" ? "warn" : ""}`, title: KINDS[c.kind]?.[1] }, KINDS[c.kind]?.[0] ?? c.kind) },
    ],
  });
  root.append(h("div", { class: "page" }, h("h1", {}, title), h("p", { class: "lead" }, "Catalogs copy from each other, and err. Here is where they disagree, what each says, and whose word counts. A provider's own list wins over anyone's."),
    fair, h("div", { class: "row narrow" }, words, field, source, tally, h("span", { class: "grow" }), h("button", { type: "button", onclick: saveAll }, "CSV")), kinds, list.node));

  let named = () => true;
  const fits = (c, but) => {
    return named(`${c.provider}/${c.model}`) && (!state.get("field") || c.field === state.get("field")) && (!state.get("source") || c.claims.some((k) => k.source === state.get("source"))) && (but || !state.get("kind") || c.kind === state.get("kind"));
  };
  function saveAll() {
    save("conflicts.csv", sheet([["provider", "model", "field", "kind", "counts", "source", "day", "says", "wins"], ...all.conflicts.filter((c) => fits(c)).flatMap((c) => c.claims.map((k) => [c.provider, c.model, c.field, c.kind, c.value, k.source, k.day, k.value, k.wins]))]), "text/csv");
  }
  function draw() {
    if (!all) return;
    named = matcher(state.get("q"), providers);
    const some = all.conflicts.filter((c) => fits(c, true));
    const n = {};
    for (const c of some) n[c.kind] = (n[c.kind] ?? 0) + 1;
    refill(kinds, Object.keys(KINDS).filter((k) => all.by_kind[k]).map((k) => h("button", { type: "button", class: "chip", "data-key": k, title: KINDS[k][1], "aria-pressed": String(state.get("kind") === k), onclick: () => put({ kind: state.get("kind") === k ? "" : k }) }, KINDS[k][0], " ", h("span", { class: "soft" }, count(n[k] ?? 0)))));
    const rows = some.filter((c) => fits(c));
    tally.textContent = `${count(rows.length)} of ${count(all.total)}`;
    list.show(rows);
  }
  function drawFair() {
    const rows = Object.entries(all.by_source).map(([name, s]) => ({ name, ...s, n: s.won + s.lost })).sort((a, b) => b.n - a.n);
    const most = Math.max(...rows.map((r) => r.n));
    fill(fair, h("details", {}, h("summary", {}, "Whose word counts how often"), h("table", { class: "fair" }, h("caption", { class: "sr" }, "How often the word of each source counts"),
      h("thead", {}, h("tr", {}, ["Source", "Counts", "Overruled"].map((t, i) => h("th", { scope: "col", class: i ? "num" : "" }, t)), h("th", { scope: "col" }, h("span", { class: "sr" }, "As a bar")))),
      h("tbody", {}, rows.map((r) => h("tr", {}, h("th", { scope: "row" }, r.name), h("td", { class: "num" }, count(r.won)), h("td", { class: "num" }, count(r.lost)),
        h("td", {}, h("svg", { width: 200, height: 12, "aria-hidden": "true" }, h("rect", { class: "won", x: 0, y: 0, width: (r.won / most) * 200, height: 12 }), h("rect", { class: "lost", x: (r.won / most) * 200, y: 0, width: (r.lost / most) * 200, height: 12 })))))))));
  }

  return {
    async update(next) {
      state = new URLSearchParams(next);
      if (!all) {
        all = await ctx.ask("conflicts", {});
        providers = new Set(all.conflicts.map((c) => c.provider));
        const sorted = (o) => Object.keys(o).sort();
        fill(field, h("option", { value: "" }, "every field"), sorted(all.by_field).map((f) => h("option", { value: f }, `${fieldName(f)} (${count(all.by_field[f])})`)));
        fill(source, h("option", { value: "" }, "every source"), sorted(all.by_source).map((s) => h("option", { value: s }, s)));
        drawFair();
      }
      if (document.activeElement !== words) words.value = state.get("q") ?? "";
      field.value = state.get("field") ?? "";
      source.value = state.get("source") ?? "";
      draw();
    },
    unmount() {},
  };
}
