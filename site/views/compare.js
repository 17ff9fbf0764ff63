// compare.js - two to four models side by side: where they differ, what a switch gains, loses and breaks, what the same traffic costs on each.
import { fill, h } from "../dom.js";
import { codeWithDoubt, openEvidence, sourceLink } from "../evidence.js";
import { labelOf, saysOf } from "../fields.js";
import { count, glyph, money, rate, tokens, valueText } from "../format.js";
import { decimal, units } from "../lib/decimal.js";
import { apiName } from "../lib/params.js";
import { isOwn } from "../lib/rows.js";
import { versus } from "../lib/versus.js";
import { link } from "../state.js";
import { mine as kept } from "./mine.js";
import { cachedSlider, later, modelName, picker, slider, TRAFFIC } from "./parts.js";

export const title = "Compare";
export const path = "compare";

const MOST = 4;
const shortOf = (target) => target.slice(target.lastIndexOf("/") + 1);

export function mount(root, ctx) {
  let [state, targets, turn] = [new URLSearchParams(), [], 0];
  let focus; // what has the focus once the models are drawn anew
  const values = {};
  const put = (params) => {
    for (const [name, value] of Object.entries(params)) if (value) state.set(name, value); else state.delete(name);
    ctx.replace(state);
  };
  const soon = later(40, () => drawCost(turn));
  const chosen = h("ol", { class: "chosen", "aria-label": "Models" });
  const add = picker(ctx, { label: "Add a model", placeholder: "gpt-5, claude opus…", onpick: (t) => {
    if (!t) return;
    add.set("");
    add.node.querySelector("input").value = "";
    choose([...targets, t]);
  } });
  const sliders = TRAFFIC.map((s) => slider(s, values, (n) => { put({ [s.id]: n === s.usual ? "" : n }); soon(); }));
  const cached = cachedSlider((percent) => { put({ cached: percent }); soon(); });
  const batch = h("input", { type: "checkbox", onchange: () => { put({ batch: batch.checked ? "1" : "" }); soon(); } });
  const hello = h("div", { class: "hello" });
  const table = h("div", {});
  const moves = h("div", { class: "moves" });
  const bill = h("div", { class: "bills", role: "status" });
  const results = h("div", { class: "versus", hidden: true }, h("section", { class: "part", "aria-labelledby": "h-different" }, table),
    h("section", { class: "part", "aria-labelledby": "h-switch" }, h("h2", { id: "h-switch" }, "A switch"), moves),
    h("section", { class: "part", "aria-labelledby": "h-cost" }, h("h2", { id: "h-cost" }, "The same traffic"), h("div", { class: "panel sliders" }, sliders.map((s) => s.node), cached.node, h("label", { class: "row" }, batch, "Batch")), bill));
  root.append(h("div", { class: "page compare" }, h("h1", {}, title), chosen, add.node, hello, results));

  // -- the models ---------------------------------------------------------------------------------------

  function choose(list) {
    const next = [...new Set(list)].slice(0, MOST);
    state.delete("m");
    const rest = Object.fromEntries(state);
    ctx.go("compare", { m: next.join(","), ...rest });
  }
  function move(i, by) {
    const next = [...targets];
    [next[i], next[i + by]] = [next[i + by], next[i]];
    focus = `${by < 0 ? "Move left" : "Move right"}: ${targets[i]}`;
    choose(next);
  }
  function drawChosen() {
    const small = (label, text, onclick, disabled) => h("button", { type: "button", class: "icon", "aria-label": label, title: label.slice(0, label.indexOf(":")), onclick, disabled }, text);
    fill(chosen, targets.map((target, i) => h("li", {}, h("span", { class: "n", "aria-hidden": "true" }, i + 1), modelName(target),
      h("span", { class: "tools" }, small(`Move left: ${target}`, "←", () => move(i, -1), i === 0), small(`Move right: ${target}`, "→", () => move(i, 1), i === targets.length - 1), small(`Remove: ${target}`, "×", () => { focus = "add"; choose(targets.filter((t) => t !== target)); })))));
    chosen.hidden = !targets.length;
    add.node.hidden = targets.length >= MOST;
    const wanted = focus === "add" ? add.node.querySelector("input") : [...chosen.querySelectorAll("button")].find((b) => b.getAttribute("aria-label") === focus);
    if (focus) (wanted?.disabled ? wanted.parentNode.querySelector("button:not(:disabled)") : wanted)?.focus();
    focus = undefined;
  }

  // Nothing to compare yet: the newest of those who are served most, and one's own.
  async function drawHello(my) {
    const t = await ctx.table();
    if (my !== turn) return;
    const newest = newestOfLabs(t);
    const own = kept().slice(0, MOST);
    const offer = (label, list) => h("a", { class: "button", href: link("compare", "", { m: list.join(",") }) }, label);
    if (targets.length === 1) {
      const others = newest.filter((target) => target !== targets[0] && target.split("/")[0] !== targets[0].split("/")[0]).slice(0, 4);
      return fill(hello, h("p", { class: "row" }, "With", others.map((target) => offer(shortOf(target), [targets[0], target]))));
    }
    fill(hello, h("p", { class: "lead" }, "Two to four models: where they differ, what a switch breaks, what the same traffic costs."),
      h("p", { class: "row" }, own.length > 1 && offer("My models", own), newest.slice(0, 4).map((target, i) => i > 0 && offer(`${shortOf(newest[0])} or ${shortOf(target)}`, [newest[0], target]))));
  }

  // -- where they differ ----------------------------------------------------------------------------------

  function drawTable(answers) {
    const rows = versus(answers, ctx.today);
    const [different, partly, same] = [rows.filter((r) => r.differs), rows.filter((r) => r.partly), rows.filter((r) => !r.differs && !r.partly)];
    const folded = (label, list, open) => list.length > 0 && h("details", { open }, h("summary", {}, `${label} (${count(list.length)})`), tableOf(list, answers, label));
    fill(table, h("h2", { id: "h-different" }, different.length ? `Different (${count(different.length)})` : "No difference is known"), different.length > 0 && tableOf(different, answers, "Different"),
      folded("Known of some only", partly, different.length < 4), folded("The same", same, false));
  }
  function tableOf(rows, answers, caption) {
    const groups = [...new Set(rows.map((r) => r.group))];
    return h("div", { class: "sides", role: "table", "aria-label": caption, "data-n": answers.length },
      h("div", { role: "rowgroup", class: "heads" }, h("div", { role: "row" }, h("span", { role: "columnheader", class: "of" }, h("span", { class: "sr" }, "What")), answers.map(({ provider, model }, i) => h("span", { role: "columnheader", class: "name", title: `${provider}/${model}` }, h("span", { class: "n", "aria-hidden": "true" }, i + 1), h("span", {}, h("span", { class: "soft" }, `${provider}/`), model))))),
      groups.map((group) => h("div", { role: "rowgroup", class: "bunch" }, h("div", { role: "row", class: "group" }, h("span", { role: "rowheader" }, group), answers.map(() => h("span", { role: "cell", class: "sr" }))),
        rows.filter((r) => r.group === group).map((row) => h("div", { role: "row" }, h("span", { role: "rowheader", class: "of", title: saysOf(row.field) }, row.label), answers.map((answer, i) => h("span", { role: "cell" }, cell(row, answer, i))))))));
  }
  function cell(row, answer, i) {
    const value = row.values[i];
    const unknown = value === null || value === undefined || value === "";
    const open = (event) => openEvidence(ctx, answer.provider, answer.model, row.field, event.currentTarget);
    const inside = row.kind === "can" ? [glyph(codeWithDoubt(answer, row.field)), h("span", { class: "word", "aria-hidden": "true" }, unknown ? "" : valueText(value))]
      : unknown ? glyph(0) : row.field === "replaced_by" ? modelName(`${answer.provider}/${value}`, true) : row.kind === "tokens" ? tokens(value) : row.kind === "price" ? (value === "0" ? "free" : rate(value)) : valueText(value);
    if (row.field === "replaced_by" && !unknown) return inside;
    return h("button", { type: "button", class: `cell${row.best?.[i] ? " best" : ""}`, onclick: open, title: row.kind === "tokens" && !unknown ? count(value) : undefined }, h("span", { class: "sr" }, `${row.label}: `), inside);
  }

  // -- what a switch does -----------------------------------------------------------------------------------

  async function drawSwitches(my) {
    const t = await ctx.table();
    const labs = Object.fromEntries(targets.map((target) => [target, (t.canonical[t.model.findIndex((m, i) => `${t.provider[i]}/${m}` === target)] ?? "").split("/")[0]]));
    const list = await ctx.job("switches", { targets, labs });
    if (my !== turn) return;
    document.getElementById("h-switch").textContent = `From ${shortOf(targets[0])}`;
    fill(moves, list.map((one) => switchCard(targets[0], one)));
  }
  const step = (field, a, b) => {
    const say = tokens(a) === tokens(b) ? count : tokens;
    if (/^(?:context|max_|cache_min)/.test(field)) return ` ${say(a) || "unknown"} → ${say(b) || "unknown"}`;
    return a?.restricted || b?.restricted || b === "emulated" || a === "emulated" ? ` ${valueText(a)} → ${valueText(b)}` : "";
  };
  const chipsOf = (list, tone) => h("p", { class: "row" }, list.map(({ field, a, b }) => h("span", { class: `chip ${tone}`, title: `${valueText(a)} → ${valueText(b)}` }, labelOf(field), step(field, a, b))));
  function switchCard(from, { to, gains, losses, unsure, breaks, api, apis }) {
    const apart = apis.from.length > 0 && apis.to.length > 0 && !api;
    const part = (label, inside) => [h("h4", {}, label), inside];
    return h("article", { class: "panel move", "aria-label": `From ${from} to ${to}` }, h("h3", {}, "To ", modelName(to)),
      losses.length > 0 && part("Loses", chipsOf(losses, "bad")),
      (breaks.length > 0 || apart) && part(apart ? "Breaks" : `Breaks in ${apiName(api)}`, h("ul", { class: "refused" },
        apart && h("li", {}, h("span", { class: "glyph no", "aria-hidden": "true" }, "✕"), h("span", {}, `Every request: it speaks ${apis.to.map(apiName).join(", ")}, not ${apis.from.map(apiName).join(", ")}.`)),
        breaks.map((b) => h("li", {}, h("span", { class: "glyph no", "aria-hidden": "true" }, "✕"), h("code", {}, b.name, b.value !== undefined && `: ${b.value}`), h("span", {}, b.message, b.fix && h("span", { class: "soft" }, `: ${b.fix}`), " ", h("span", { class: "small" }, sourceLink(b.source))))))),
      gains.length > 0 && part("Gains", chipsOf(gains, "good")),
      unsure.length > 0 && part("Nobody says whether it has", h("p", { class: "soft" }, unsure.map(labelOf).join(", "))),
      !losses.length && !breaks.length && !apart && !gains.length && h("p", { class: "soft" }, "Nothing that is known changes, but for what stands above."),
      h("p", { class: "small" }, h("a", { href: link("check", "", { model: from, to, tab: "switch" }) }, "Try a conversation")));
  }

  // -- what it costs --------------------------------------------------------------------------------------------

  async function drawCost(my) {
    if (targets.length < 2) return;
    const read = cached.of(values.in);
    const usage = { input_tokens: values.in, output_tokens: values.out, ...(read ? { cache_read_tokens: read } : {}) };
    const tier = batch.checked ? "batch" : undefined;
    const [list, t] = await Promise.all([Promise.all(targets.map((target) => ctx.ask("cost", { usage, target, service_tier: tier, at: `${ctx.today}T12:00:00Z` }))), ctx.table()]);
    if (my !== turn) return;
    const rows = list.map((cost, i) => {
      const one = units(cost.total_cost);
      const row = t.model.findIndex((m, k) => `${t.provider[k]}/${m}` === targets[i]);
      return { target: targets[i], cost, one, month: one === undefined ? undefined : one * BigInt(Math.max(1, values.n)), tiered: !!tier && cost.items.some((x) => x.why.includes(`tier ${tier}`)), small: t.context[row] < values.in + values.out || t.output[row] < values.out };
    });
    const most = rows.reduce((top, r) => (r.month !== undefined && r.month > top ? r.month : top), 0n);
    const least = rows.filter((r) => r.month !== undefined).reduce((low, r) => (low === undefined || r.month < low ? r.month : low), undefined);
    fill(bill, h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "What it costs on each" }, h("table", { class: "sums" }, h("caption", { class: "sr" }, "The same traffic on each"),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Model"), h("th", { scope: "col", class: "num" }, "A month"), h("th", { scope: "col", class: "num" }, "Against the first"), h("th", { scope: "col", class: "num" }, "A request"), h("th", { scope: "col" }, h("span", { class: "sr" }, "As a bar")))),
      h("tbody", {}, rows.map((r, i) => h("tr", {}, h("th", { scope: "row" }, modelName(r.target), r.small && h("span", { class: "chip warn" }, "too small for this"), tier && !r.tiered && h("span", { class: "soft small" }, " no batch price known")),
        h("td", { class: `num${r.month === least && rows.length > 1 && least !== most ? " best" : ""}`, title: r.month === undefined ? undefined : `$${decimal(r.month)}` }, r.month === undefined ? h("span", { class: "soft" }, "unknown") : r.month === 0n ? "free" : h("b", {}, money(decimal(r.month)))),
        h("td", { class: "num" }, i === 0 ? "" : against(rows[0].month, r.month)),
        h("td", { class: "num mono" }, r.one === undefined ? "" : `$${decimal(r.one)}`),
        h("td", { class: "barred" }, r.month !== undefined && most > 0n && h("svg", { width: 160, height: 12, viewBox: "0 0 160 12", "aria-hidden": "true" }, h("rect", { class: "bar b0", x: 0, y: 1, height: 10, width: Math.max(1, Number((r.month * 1600n) / most) / 10) })))))))),
      h("details", {}, h("summary", {}, "What a request consists of"), h("div", { class: "items" }, rows.map((r) => h("div", {}, h("h3", {}, r.target), h("ul", { class: "bare small" }, r.cost.items.map((x) => h("li", {}, `${count(x.quantity)} ${x.unit.replaceAll("_", " ")}`, x.rate !== null && ` × $${x.rate} / ${tokens(x.per)}`, " = ", x.cost === null ? "unknown" : `$${x.cost}`, h("span", { class: "soft" }, `, ${x.why}`)))))))));
  }
  const against = (first, now) => {
    if (first === undefined || now === undefined || first === 0n) return "";
    const percent = Number((now * 1000n) / first) / 10 - 100;
    return percent === 0 ? "the same" : Math.abs(percent) < 200 ? `${percent > 0 ? "+" : "−"}${Math.abs(percent) < 10 ? Math.abs(percent).toFixed(1) : Math.round(Math.abs(percent))} %` : `× ${(percent / 100 + 1).toFixed(1)}`;
  };

  return {
    async update(next) {
      const my = ++turn;
      state = new URLSearchParams(next);
      const list = [...new Set(next.getAll("m").flatMap((m) => m.split(",")).map((m) => m.trim()).filter((m) => m.indexOf("/") > 0))].slice(0, MOST);
      const same = list.join() === targets.join() && !results.hidden;
      targets = list;
      for (const s of sliders) s.set(state.get(s.id));
      cached.set(state.get("cached"));
      batch.checked = state.get("batch") === "1";
      document.title = `${targets.length > 1 ? targets.map(shortOf).join(" or ") : title} · cando`;
      drawChosen();
      results.hidden = targets.length < 2;
      hello.hidden = !results.hidden;
      if (results.hidden) return drawHello(my);
      if (!same) {
        const answers = await Promise.all(targets.map((target) => ctx.ask("resolve", { target, why: true })));
        if (my !== turn) return;
        drawTable(answers);
        fill(moves, h("p", { class: "soft" }, "…"));
        drawSwitches(my).catch((error) => my === turn && fill(moves, h("p", { class: "note bad" }, error.message)));
      }
      await drawCost(my);
    },
    unmount() {
      turn++;
      soon.cancel();
    },
  };
}

/** The newest model of each lab, those labs first whose models most hosts serve. */
function newestOfLabs(t) {
  const labs = new Map();
  for (let i = 0; i < t.n; i++) {
    const name = t.canonical[i].split("/")[0];
    if (!name) continue;
    const lab = labs.get(name) ?? { served: 0, best: -1 };
    lab.served++;
    const fit = isOwn(t, i) && t.kind[i] === "chat" && !["retired", "deprecated"].includes(t.status[i]) && t.inputPrice[i] > 0 && t.released[i] && t.can.tool_calling[i] & 7;
    const better = lab.best < 0 || t.released[i] > t.released[lab.best] || (t.released[i] === t.released[lab.best] && t.inputPrice[i] > t.inputPrice[lab.best]);
    if (fit && better) lab.best = i;
    labs.set(name, lab);
  }
  return [...labs.values()].filter((lab) => lab.best >= 0).sort((a, b) => b.served - a.served).map(({ best }) => `${t.provider[best]}/${t.model[best]}`);
}
