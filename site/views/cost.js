// cost.js - Cost: of traffic that one plans (sliders), of replies that one has (a reply, a stream, a log); the cheapest first.
import { fill, h, save } from "../dom.js";
import { count, money, rate, tokens } from "../format.js";
import { ceiling } from "../lib/scale.js";
import { sheet } from "../lib/sheet.js";
import { matcher } from "../lib/words.js";
import { pack, unpack } from "../state.js";
import { cachedSlider, editor, filterBox, growing, later, modelName, rowsByTarget, slider, tabs, TRAFFIC } from "./parts.js";

export const title = "Cost";
export const path = "cost";

const NEEDS = [["tool_calling", "Tools"], ["input_image", "Images"], ["input_pdf", "PDF"], ["structured_output", "JSON schema"], ["reasoning", "Reasoning"]];
const SAMPLE = `{"id":"a","model":"gpt-5.6-sol","created":1793491200,"usage":{"prompt_tokens":1200,"completion_tokens":300}}
{"id":"b","model":"gpt-4o-mini","created":1793491200,"usage":{"prompt_tokens":9000,"completion_tokens":150}}
{"id":"c","type":"message","model":"claude-opus-4-6","usage":{"input_tokens":90,"cache_read_input_tokens":8000,"output_tokens":420}}
{"id":"d","model":"gpt-5.6-sol","created":1793577600,"usage":{"prompt_tokens":2500,"completion_tokens":800}}`;

let kept = "";

export function mount(root, ctx) {
  let [state, packed] = [new URLSearchParams(), ""];
  const put = (params) => {
    for (const [k, v] of Object.entries(params)) {
      if (v) state.set(k, v);
      else state.delete(k);
    }
    ctx.replace(state);
  };
  const plan = planned(ctx, put);
  const bill = billed(ctx, put, (text) => { packed = text; });
  const tabbed = tabs("What to price", [{ id: "plan", label: "Plan", node: plan.node }, { id: "bill", label: "Reply or log", node: bill.node }], (tab) => {
    put({ tab: tab === "plan" ? "" : tab });
    if (tab === "plan") plan.run();
  });
  root.append(h("div", { class: "page" }, h("h1", {}, title), h("p", { class: "lead" }, "What your traffic would cost everywhere, or what it did cost. All sums are exact."), tabbed.node));
  return {
    async update(next) {
      state = new URLSearchParams(next);
      const tab = state.get("tab") === "bill" ? "bill" : "plan";
      tabbed.choose(tab);
      plan.set(state);
      const body = state.get("body") ?? "";
      if (body && body !== packed) {
        packed = body;
        kept = (await unpack(body)) ?? "";
      } else if (!body && packed) kept = packed = "";
      bill.set(state, kept);
      if (tab === "plan") plan.run();
    },
    unmount() {
      plan.stop();
      bill.stop();
    },
  };
}

// -- what is planned ----------------------------------------------------------------------------------

function planned(ctx, put) {
  const values = {};
  let running = new AbortController();
  let [rows, providers] = [[]];
  const soon = later(60, run);

  const sliders = TRAFFIC.map((s) => slider(s, values, (n) => { put({ [s.id]: n === s.usual ? "" : n }); soon(); }));
  const cached = cachedSlider((percent) => { put({ cached: percent }); soon(); });
  const batch = h("input", { type: "checkbox", onchange: () => { put({ batch: batch.checked ? "1" : "" }); soon(); } });
  const free = h("input", { type: "checkbox", onchange: () => { put({ free: free.checked ? "1" : "" }); draw(); } });
  const words = filterBox("Filter by provider or model", () => { put({ q: words.value }); draw(); });
  const needs = NEEDS.map(([id, label]) => h("button", { type: "button", class: "chip", "aria-pressed": "false", "data-id": id, onclick: (e) => {
    const on = e.currentTarget.getAttribute("aria-pressed") !== "true";
    e.currentTarget.setAttribute("aria-pressed", String(on));
    put({ can: wanted().join(",") });
    soon();
  } }, label));
  const wanted = () => needs.filter((b) => b.getAttribute("aria-pressed") === "true").map((b) => b.dataset.id);
  const tally = h("span", { class: "soft", role: "status" });
  const list = growing({
    caption: "What it costs, the cheapest first",
    empty: "Nothing fits.",
    columns: [
      { label: "Model", cell: (r) => modelName(r.target) },
      { label: "A month", number: true, cell: (r) => (r.month === "0" ? "free" : r.month === null ? h("span", { class: "soft" }, "unknown") : h("b", {}, money(r.month))) },
      { label: "A request", number: true, cell: (r) => (r.cost === null || r.cost === "0" ? "" : money(r.cost)) },
      { label: "In $/M", number: true, class: "wide", cell: (r) => money(r.table.inputPrice[r.row]) },
      { label: "Out $/M", number: true, cell: (r) => money(r.table.outputPrice[r.row]) },
      { label: "Window", number: true, cell: (r) => tokens(r.table.context[r.row]) },
      { label: "", cell: (r) => (r.tiered ? h("span", { class: "chip good" }, "batch") : "") },
    ].map((c) => (c.label ? c : { ...c, label: h("span", { class: "sr" }, "Tier") })),
  });
  const node = h("div", { class: "plan" },
    h("div", { class: "panel sliders" }, sliders.map((s) => s.node), cached.node,
      h("div", { class: "row" }, needs, h("label", { class: "row" }, batch, "Batch"), h("label", { class: "row" }, free, "Free ones too"))),
    h("div", { class: "row" }, words, tally, h("span", { class: "grow" }), h("button", { type: "button", onclick: () => save("cost.csv", sheet([["model", "a month", "a request"], ...shown().map((r) => [r.target, r.month, r.cost])]), "text/csv") }, "CSV")), list.node);

  const shown = () => {
    const fits = matcher(words.value, providers);
    return rows.filter((r) => (free.checked || r.month !== "0") && fits(r.target));
  };
  function draw() {
    const now = shown();
    tally.textContent = `${count(now.length)} offerings`;
    list.show(now);
  }
  async function run() {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    const { table, lookup, providers: known } = await rowsByTarget(ctx);
    providers = known;
    const can = wanted();
    const targets = [];
    for (let i = 0; i < table.n; i++) {
      if (table.kind[i] !== "chat" || table.status[i] === "retired" || table.context[i] < values.in + values.out || table.output[i] < values.out) continue;
      if (can.every((id) => [2, 3, 4].includes(table.can[id][i] & 7))) targets.push(`${table.provider[i]}/${table.model[i]}`);
    }
    const read = cached.of(values.in);
    const usage = { input_tokens: values.in, output_tokens: values.out, ...(read ? { cache_read_tokens: read } : {}) };
    try {
      const month = await ctx.job("compare", { usage, tier: batch.checked ? "batch" : undefined, targets, times: values.n, at: `${ctx.today}T12:00:00Z` }, { signal });
      rows = month.map((r) => ({ target: r.target, month: r.cost, cost: r.cost === null ? null : String(Number(r.cost) / Math.max(1, values.n)), tiered: r.tiered, table, row: lookup.get(r.target) }));
      draw();
    } catch (error) {
      if (!signal.aborted) tally.textContent = error.message;
    }
  }
  return {
    node,
    run,
    stop() {
      running.abort();
      soon.cancel();
    },
    set(state) {
      for (const s of sliders) s.set(state.get(s.id));
      cached.set(state.get("cached"));
      batch.checked = state.get("batch") === "1";
      free.checked = state.get("free") === "1";
      if (document.activeElement !== words) words.value = state.get("q") ?? "";
      const can = (state.get("can") ?? "").split(",");
      for (const b of needs) b.setAttribute("aria-pressed", String(can.includes(b.dataset.id)));
    },
  };
}

// -- what was used ------------------------------------------------------------------------------------

const UNITS = { input_tokens: "input tokens", output_tokens: "output tokens", cache_read_tokens: "read from the cache", cache_write_tokens: "written to the cache", cache_write_1h_tokens: "written to the cache for an hour" };
const unitName = (unit) => (Object.hasOwn(UNITS, unit) ? UNITS[unit] : unit.replaceAll("_", " "));
const known = (row) => [h("b", {}, money(row.cost)), row.unknown > 0 && h("span", { class: "soft" }, ` + ${count(row.unknown)} unknown`)];

function billed(ctx, put, packedIs) {
  let running = new AbortController();
  const soon = later(150, run);
  const remember = later(400, async () => {
    const text = edit.get();
    const made = (text.trim() && !edit.isHeld() ? await pack(text) : "") ?? "";
    packedIs(made);
    put({ body: made });
  });
  const edit = editor({ label: "Reply, captured stream, or log", placeholder: "Paste a reply as it came, a stream (data: …), or lines of JSON; or drop a file, packed by gzip or not.", rows: 8, onchange(text) {
    kept = text;
    remember();
    soon();
  } });
  edit.bar.append(h("button", { type: "button", onclick: () => edit.type(SAMPLE) }, "Example"));
  const who = h("input", { type: "text", list: "providers", placeholder: "as it says", autocomplete: "off", onchange: () => { put({ provider: who.value.trim() }); run(); } });
  const tier = h("select", { onchange: () => { put({ tier: tier.value }); run(); } }, h("option", { value: "" }, "as it says"), ["batch", "flex", "priority"].map((t) => h("option", {}, t)));
  const providers = h("datalist", { id: "providers" });
  const out = h("div", { class: "bill", "aria-live": "polite" });
  const bar = h("progress", { max: 100, value: 0, hidden: true, "aria-label": "Read so far" });
  ctx.table().then((t) => fill(providers, [...new Set(t.provider)].map((p) => h("option", { value: p }))), () => {});

  async function run() {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    const text = edit.get();
    bar.hidden = true;
    if (!text.trim()) return fill(out);
    const onProgress = (p) => {
      if (!p || p.done) return;
      bar.hidden = false;
      bar.value = (100 * p.at) / p.total;
    };
    try {
      const told = await ctx.job("log", { text, provider: who.value.trim() || undefined, tier: tier.value || undefined }, { signal, onProgress });
      bar.hidden = true;
      draw(told, signal);
    } catch (error) {
      if (signal.aborted) return;
      bar.hidden = true;
      fill(out, h("p", { class: "note bad" }, error.message, error.hint ? ` ${error.hint}` : ""));
    }
  }

  function draw(told, signal) {
    if (told.kind === "request") return fill(out, h("p", { class: "note" }, "This is a request, yet to be sent: ", h("a", { href: "#/check" }, "Check"), " tells what it will cost."));
    if (!told.all.replies) return fill(out, h("p", { class: "note bad" }, told.broken[0]?.message ? `No reply was found in it: ${told.broken[0].message}.` : "No reply was found in it. A reply is JSON with its usage."));
    const { all, one } = told;
    const notes = [
      told.guessed.length > 0 && `Who answered is not said; it is taken to be ${told.guessed.join(", ")}.`,
      all.unknown === all.replies && "The cost is not known: say who answered.",
      told.partial > 0 && `${count(told.partial)} ended early: what they cost is more.`,
      told.bad > 0 && `${count(told.bad)} could not be read${told.broken[0] ? ` (the first: ${told.broken[0].message})` : ""}.`,
    ].filter(Boolean);
    const elsewhere = h("div", {});
    fill(out,
      h("p", { class: "say" }, all.unknown === all.replies ? "Cost unknown" : [money(all.cost), h("span", { class: "soft exact" }, ` $${all.cost}`)], h("span", { class: "soft exact" }, ` for ${count(all.replies)} ${all.replies === 1 ? "reply" : "replies"}, ${tokens(all.input)} in, ${tokens(all.output)} out`)),
      notes.map((n) => h("p", { class: "note" }, n)),
      one ? items(one) : [
        h("div", { class: "row" }, h("h2", { class: "grow" }, "By day"), h("button", { type: "button", onclick: () => saveCells(told) }, "CSV by day and model")), chart(told),
        h("h2", {}, "By model"), tableOf(told.models, "Model", (r) => (r.name.includes("/") ? modelName(r.name) : r.name)),
        h("details", {}, h("summary", {}, "The days as a table"), tableOf(told.days, "Day", (r) => r.name)),
      ],
      elsewhere);
    compareWith(all, one, elsewhere, signal);
  }

  const items = (one) => h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "What it consists of" }, h("table", {},
    h("caption", { class: "sr" }, "What it consists of"),
    h("thead", {}, h("tr", {}, ["What", "How many", "Rate", "Cost", "Why"].map((t, i) => h("th", { scope: "col", class: i && i < 4 ? "num" : "" }, t)))),
    h("tbody", {}, one.items.map((i) => h("tr", {}, h("th", { scope: "row" }, unitName(i.unit)), h("td", { class: "num" }, count(i.quantity)), h("td", { class: "num" }, i.rate === null ? "" : `${rate(i.rate)} / ${tokens(i.per)}`), h("td", { class: "num" }, i.cost === null ? "unknown" : money(i.cost)), h("td", { class: "soft" }, i.why))),
      one.reported_cost && h("tr", {}, h("th", { scope: "row" }, "the provider's own account"), h("td"), h("td"), h("td", { class: "num" }, money(one.reported_cost)), h("td")))));

  const tableOf = (rows, label, name) => {
    const list = growing({ caption: `By ${label.toLowerCase()}`, step: 50, columns: [{ label, cell: name }, { label: "Replies", number: true, cell: (r) => count(r.replies) }, { label: "In", number: true, cell: (r) => tokens(r.input) }, { label: "Cached", number: true, cell: (r) => tokens(r.cached) }, { label: "Out", number: true, cell: (r) => tokens(r.output) }, { label: "Cost", number: true, cell: known }] });
    list.show(rows);
    return list.node;
  };
  const saveCells = (told) => save("cost-by-day-and-model.csv", sheet([["day", "model", "replies", "input", "output", "cost", "unknown"], ...told.cells.map((c) => [c.day, c.model, c.replies, c.input, c.output, c.cost, c.unknown])]), "text/csv");

  // What the usual one of these replies would cost elsewhere, as often.
  async function compareWith(all, one, box, signal) {
    const { table, lookup } = await rowsByTarget(ctx);
    const mean = (n) => Math.round(n / all.replies);
    const usage = one?.usage ?? { input_tokens: mean(all.input), output_tokens: mean(all.output), ...(all.cached ? { cache_read_tokens: mean(all.cached) } : {}) };
    const targets = [];
    for (let i = 0; i < table.n; i++) if (table.kind[i] === "chat" && table.status[i] !== "retired" && !(table.context[i] < (usage.input_tokens ?? 0))) targets.push(`${table.provider[i]}/${table.model[i]}`);
    const rows = await ctx.job("compare", { usage, targets, times: all.replies, at: `${ctx.today}T12:00:00Z` }, { signal }).catch(() => []);
    const list = growing({ caption: "The same elsewhere", step: 20, columns: [{ label: "Model", cell: (r) => modelName(r.target) }, { label: all.replies > 1 ? "About" : "Cost", number: true, cell: (r) => (r.cost === null ? "unknown" : money(r.cost)) }, { label: "Window", number: true, cell: (r) => tokens(table.context[lookup.get(r.target)]) }] });
    list.show(rows.filter((r) => r.cost !== "0"));
    fill(box, h("h2", {}, "The same elsewhere"), h("p", { class: "soft small" }, all.replies > 1 ? "Counted as so many replies of the mean size. Free ones are left out." : "The same tokens; another model counts a little differently. Free ones are left out."), list.node);
  }

  return {
    node: h("div", { class: "billed" }, h("div", { class: "row" }, h("label", { class: "field" }, h("span", {}, "Who answered"), who), h("label", { class: "field" }, h("span", {}, "Tier"), tier)), providers, edit.node, bar, out),
    set(state, text) {
      who.value = state.get("provider") ?? "";
      tier.value = ["batch", "flex", "priority"].includes(state.get("tier")) ? state.get("tier") : "";
      edit.set(text);
      run();
    },
    stop() {
      running.abort();
      soon.cancel();
      remember.cancel();
    },
  };
}

// Bars a day, the most expensive models told apart by their pattern of grey and colour.
function chart(told) {
  const days = told.days.filter((d) => /^\d/.test(d.name)).slice(-90);
  if (!days.length) return h("p", { class: "soft" }, "No reply says when it was made.");
  const top = told.models.slice(0, 4).map((m) => m.name);
  const cells = new Map();
  for (const c of told.cells) {
    const list = cells.get(c.day) ?? new Array(5).fill(0);
    list[top.includes(c.model) ? top.indexOf(c.model) : 4] += Number(c.cost);
    cells.set(c.day, list);
  }
  const most = ceiling(Math.max(...days.map((d) => Number(d.cost))));
  const [w, hh] = [Math.max(days.length, 8) * 24, 140];
  const bars = days.map((d, i) => {
    let y = hh;
    const parts = (cells.get(d.name) ?? []).map((v, k) => {
      const high = (v / most) * hh;
      y -= high;
      return high > 0 && h("rect", { class: `bar b${k}`, x: i * 24 + 3, y, width: 18, height: Math.max(high, 0.5) });
    });
    return h("g", {}, h("title", { svg: true }, `${d.name}: ${money(d.cost)}`), parts);
  });
  const used = [...top, ...(told.models.length > 4 ? ["others"] : [])];
  return h("figure", { class: "chart" },
    h("div", { class: "plotted" }, h("span", { class: "soft small" }, money(most)), h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Cost by day" }, h("svg", { viewBox: `0 0 ${w} ${hh}`, width: w, height: hh, role: "img", "aria-label": `Cost by day, ${days[0]?.name} to ${days.at(-1)?.name}` }, h("line", { class: "axis", x1: 0, x2: w, y1: hh, y2: hh }), bars))),
    h("figcaption", { class: "legend" }, h("span", {}, days.length > 1 ? `${days[0].name} to ${days.at(-1).name}` : days[0]?.name), used.map((name, k) => h("span", {}, h("svg", { width: 10, height: 10, "aria-hidden": "true" }, h("rect", { class: `bar b${k}`, width: 10, height: 10 })), " ", name))));
}
