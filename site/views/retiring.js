// retiring.js - Retiring: what stops when, as a time line, and as a calendar to subscribe to.
import { copy, fill, h, refill, save } from "../dom.js";
import { count, relativeDay } from "../format.js";
import { pathOf } from "../lib/badge.js";
import { byDay, calendar } from "../lib/ics.js";
import { sheet } from "../lib/sheet.js";
import { matcher } from "../lib/words.js";
import { files } from "../made.js";
import { mine } from "./mine.js";
import { filterBox, growing, later, modelName } from "./parts.js";

export const title = "Retiring";
export const path = "retiring";

const SHOWS = [["stops", "Stops"], ["stopped", "Stopped"], ["not-before", "Promised until"], ["deprecated", "No day yet"]];
const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const monthName = (m) => `${MONTHS[Number(m.slice(5, 7)) - 1]} ${m.slice(0, 4)}`;

export function mount(root, ctx) {
  let [state, all, providers] = [new URLSearchParams()];
  let [limit, key] = [300, ""];
  const put = (params) => {
    for (const [k, v] of Object.entries(params)) {
      if (v) state.set(k, v);
      else state.delete(k);
    }
    ctx.replace(state);
    draw();
  };
  const words = filterBox("Filter by provider or model", later(60, () => put({ q: words.value })));
  const provider = h("select", { "aria-label": "Provider", onchange: () => put({ provider: provider.value }) });
  const own = h("input", { type: "checkbox", onchange: () => put({ mine: own.checked ? "1" : "" }) });
  const shows = h("div", { class: "row", role: "group", "aria-label": "What to show" });
  const line = h("div", {});
  const out = h("div", { class: "months" });
  const tally = h("span", { class: "soft", role: "status" });
  const subscribe = h("div", { class: "row" });
  root.append(h("div", { class: "page" }, h("h1", {}, title), h("p", { class: "lead" }, "What stops when, what its provider names instead, and who says so."),
    h("div", { class: "row narrow" }, words, provider, h("label", { class: "row" }, own, "Only my models"), tally, h("span", { class: "grow" }), subscribe), shows, line, out));

  const show = () => (SHOWS.some(([id]) => id === state.get("show")) ? state.get("show") : "stops");
  function fits() {
    const named = matcher(state.get("q"), providers);
    const mineNow = state.get("mine") === "1" ? new Set(mine()) : undefined;
    return all.retiring.filter((r) => {
      const id = `${r.provider}/${r.model}`;
      return (!state.get("provider") || r.provider === state.get("provider")) && (!mineNow || mineNow.has(id)) && named(id);
    });
  }

  function draw() {
    if (!all) return;
    const some = fits();
    const which = show();
    const rows = some.filter((r) => r.ending === which && (!state.get("month") || r.retires_on?.startsWith(state.get("month"))));
    const now = [which, state.get("q"), state.get("provider"), state.get("month"), state.get("mine")].join();
    if (now !== key) [limit, key] = [300, now];
    refill(shows, SHOWS.map(([id, label]) => h("button", { type: "button", class: "chip", "data-key": id, "aria-pressed": String(id === which), onclick: () => put({ show: id === "stops" ? "" : id, month: "" }) }, label, " ", h("span", { class: "soft" }, count(some.filter((r) => r.ending === id).length)))));
    tally.textContent = `${count(rows.length)} models`;
    drawLine(some.filter((r) => r.ending === "stops" || r.ending === "stopped"));
    drawCalendar(some.filter((r) => r.ending === "stops"));
    if (which === "stops" || which === "stopped") drawMonths(rows, which === "stopped");
    else drawTable(rows, which);
  }

  // A bar a month, the past year and all that is to come; a click leads to the month.
  function drawLine(rows) {
    const start = new Date(Date.parse(`${ctx.today.slice(0, 7)}-01T00:00:00Z`));
    start.setUTCMonth(start.getUTCMonth() - 12);
    const n = new Map();
    for (const r of rows) if (r.retires_on) n.set(r.retires_on.slice(0, 7), (n.get(r.retires_on.slice(0, 7)) ?? 0) + 1);
    const last = [...n.keys()].sort().at(-1) ?? ctx.today.slice(0, 7);
    const months = [];
    for (const m = new Date(start); months.length < 36 && (m.toISOString().slice(0, 7) <= last || months.length < 16); m.setUTCMonth(m.getUTCMonth() + 1)) months.push(m.toISOString().slice(0, 7));
    const most = Math.max(1, ...months.map((m) => n.get(m) ?? 0));
    const today = ctx.today.slice(0, 7);
    const before = line.firstChild?.scrollLeft;
    refill(line, h("ol", { class: "timeline", "aria-label": "Models that stop, by month" }, months.map((m) => {
      const many = n.get(m) ?? 0;
      const on = state.get("month") === m;
      return h("li", { class: m < today ? "past" : m === today ? "now" : "" },
        h("button", { type: "button", "data-key": m, "aria-pressed": String(on), disabled: !many, "aria-label": `${monthName(m)}: ${many} ${many === 1 ? "model" : "models"}`, title: `${monthName(m)}: ${many}`, onclick: () => put(on ? { month: "" } : { month: m, show: m < today ? "stopped" : m > today ? "" : rows.some((r) => r.ending === show() && r.retires_on.startsWith(m)) ? state.get("show") : show() === "stops" ? "stopped" : "" }) },
          h("span", { class: "n" }, many || ""), h("svg", { width: 22, height: 60, viewBox: "0 0 22 60", "aria-hidden": "true" }, h("rect", { x: 1, y: 60 - Math.max(many ? 2 : 0, (many / most) * 60), width: 20, height: Math.max(many ? 2 : 0, (many / most) * 60) }))),
        h("span", { class: "month", "aria-hidden": "true" }, m.slice(5) === "01" || m === months[0] ? `${MONTHS[Number(m.slice(5)) - 1].slice(0, 3)} ${m.slice(2, 4)}` : MONTHS[Number(m.slice(5)) - 1].slice(0, 3)));
    })));
    const list = line.firstChild;
    const now = list.querySelector(".now");
    list.scrollLeft = before ?? (now ? now.offsetLeft - list.offsetLeft - list.clientWidth / 3 : 0);
  }

  function drawCalendar(rows) {
    const who = state.get("provider");
    const address = new URL(`calendar/${who ? pathOf(who) : "all"}.ics`, document.baseURI).href.replace(/[?#].*$/, "");
    fill(subscribe,
      files && !state.get("q") && state.get("mine") !== "1" && h("button", { type: "button", title: "The address of a calendar: add it to yours, and it stays up to date", onclick: () => copy(address) }, "Copy calendar address"),
      h("button", { type: "button", disabled: !rows.length, onclick: () => save("retiring.ics", calendar(rows, { stamp: ctx.today }), "text/calendar") }, "Calendar (.ics)"),
      h("button", { type: "button", onclick: () => save("retiring.csv", sheet([["provider", "model", "ending", "stops", "use instead", "source", "checked"], ...fits().map((r) => [r.provider, r.model, r.ending, r.retires_on, r.use, r.source, r.checked])]), "text/csv") }, "CSV"));
  }

  const oneModel = (r) => h("li", {}, modelName(`${r.provider}/${r.model}`, true), r.inferred && h("span", { class: "soft", title: "nobody says so: it is missing where it would be" }, " ~ inferred"), r.use && [h("span", { class: "soft" }, " → "), modelName(`${r.provider}/${r.use}`, true)]);
  function drawMonths(rows, past) {
    if (!rows.length) return fill(out, h("p", { class: "none" }, "Nothing is known to stop."));
    const groups = byDay(rows);
    if (past) groups.reverse();
    const undated = rows.filter((r) => !groups.some((g) => g.day === r.retires_on));
    let [left, month] = [limit, ""];
    const parts = [];
    for (const g of groups) {
      if (left <= 0) break;
      left -= g.models.length;
      if (g.day.slice(0, 7) !== month) {
        month = g.day.slice(0, 7);
        parts.push(h("h2", {}, monthName(month)));
      }
      const source = g.models.find((m) => m.source)?.source;
      parts.push(h("article", { class: "stop", "aria-label": `${g.day}, ${g.provider}` },
        h("p", { class: "when" }, h("time", { datetime: g.day }, g.day.slice(8).replace(/^0/, ""), " ", MONTHS[Number(g.day.slice(5, 7)) - 1].slice(0, 3)), h("span", { class: "soft" }, relativeDay(g.day, ctx.today))),
        h("div", {}, h("h3", {}, g.provider, source && h("a", { class: "small", href: source, target: "_blank", rel: "noopener noreferrer" }, "source")), h("ul", {}, g.models.map(oneModel)))));
    }
    const more = rows.length - undated.length - (limit - left);
    if (more > 0) parts.push(h("button", { type: "button", class: "more", onclick: () => { limit += 1000; draw(); } }, `Show more (${count(more)})`));
    if (undated.length) parts.push(h("details", {}, h("summary", {}, `${count(undated.length)} without a day`), h("ul", { class: "undated" }, undated.slice(0, 500).map((r) => h("li", {}, modelName(`${r.provider}/${r.model}`))))));
    fill(out, parts);
  }
  function drawTable(rows, which) {
    const list = growing({
      caption: which === "deprecated" ? "Deprecated, without a day" : "Promised until a day",
      columns: [
        { label: "Model", cell: (r) => modelName(`${r.provider}/${r.model}`) },
        which === "deprecated" ? { label: "Deprecated", cell: (r) => r.deprecated_on ?? "" } : { label: "Not before", cell: (r) => `${r.retires_not_before}, ${relativeDay(r.retires_not_before, ctx.today)}` },
        { label: "Use instead", cell: (r) => (r.use ? modelName(`${r.provider}/${r.use}`, true) : "") },
        { label: "Source", cell: (r) => [r.source?.startsWith("http") ? h("a", { href: r.source, target: "_blank", rel: "noopener noreferrer" }, "source") : r.source, h("span", { class: "soft" }, r.checked ? ` ${r.checked}` : "")] },
      ],
    });
    list.show(rows);
    fill(out, which === "not-before" && h("p", { class: "soft" }, "Served at least until then; nobody says that it ends then."), list.node);
  }

  return {
    async update(next) {
      state = new URLSearchParams(next);
      if (!all) {
        all = await ctx.ask("retiring", { within: 36500 });
        providers = new Set(all.retiring.map((r) => r.provider));
        fill(provider, h("option", { value: "" }, "every provider"), [...providers].sort().map((p) => h("option", {}, p)));
      }
      if (document.activeElement !== words) words.value = state.get("q") ?? "";
      provider.value = state.get("provider") ?? "";
      own.checked = state.get("mine") === "1";
      draw();
    },
    unmount() {},
  };
}
