// model.js - a model's page: what it can do and who says so, where else it is served, what it costs, what it takes, how long it lives.
import { correction } from "../correct.js";
import { copy, fill, h } from "../dom.js";
import { codeWithDoubt, evidenceWords, openEvidence, sourceLink } from "../evidence.js";
import { capabilityGroups, labelOf, saysOf } from "../fields.js";
import { codeOf, codeWords, count, glyph, money, rate, relativeDay, tokens, valueText } from "../format.js";
import { labelRows, lifeOf } from "../lib/life.js";
import { apiName, takesText } from "../lib/params.js";
import { inForce, periods, perOf, priceTable, unitName } from "../lib/prices.js";
import { link, modelLink } from "../state.js";
import { growing, modelName, picker } from "./parts.js";

export const title = "Model";
export const path = "model";

const settings = ["max_input", "max_thinking_budget", "max_tools", "reasoning_efforts", "thinking_modes", "token_limit_param", "tokenizer", "cache_min_tokens", "embedding_dimensions", "tool_search", "model_kind", "model_family", "open_weights"];
const shorter = { "provider-docs": "provider's docs", "provider-api": "provider's list", "vendor-doc": "maker's docs", "sdk-code": "provider's code", "live-test": "tried out", observed: "seen in replies", spec: "API's spec", agreed: "lists agree", catalog: "one list", contested: "lists disagree", inferred: "inferred" };
const grouped = new Set(capabilityGroups.flatMap((group) => group.fields.map((field) => field.id)));

export function mount(root, ctx) {
  const page = h("div", { class: "page model" });
  const watch = new ResizeObserver(() => layLife(page.querySelector(".life")));
  let [shown, turn, form] = ["", 0, undefined];
  let state = new URLSearchParams();
  root.append(page);

  const section = (name, id, ...inside) => h("section", { "aria-labelledby": `h-${id}`, class: `part ${id}` }, h("h2", { id: `h-${id}` }, name), inside);

  // -- one model ----------------------------------------------------------------------------------------

  async function show(provider, model, mine) {
    const target = { provider, model };
    const name = `${provider}/${model}`;
    const [answer, hosts, ends, disputes] = await Promise.all([
      ctx.ask("resolve", { target, why: "all" }),
      ctx.ask("models", { model: name, marks: true, sort: "price" }).catch(() => ({ models: [] })),
      ctx.ask("retiring", { providers: provider, within: 36500 }).catch(() => ({ retiring: [] })),
      ctx.ask("conflicts", { target }).catch(() => ({ total: 0 })),
    ]);
    if (mine !== turn) return;
    if (answer.identity === "default" || (answer.identity === "family" && !hosts.models.length)) await showUnknown(answer, name, mine);
    else showKnown(answer, name, hosts.models, ends.retiring.find((r) => r.provider === answer.provider && r.model === (answer.canonical ?? model)), disputes.total, mine);
  }

  function showKnown(answer, name, hosts, end, disputes, mine) {
    const { fields, provider } = answer;
    const canonical = hosts.find((m) => m.provider === provider && m.model === answer.model)?.canonical ?? hosts[0]?.canonical ?? "";
    const parts = [head(answer, name, canonical, end, disputes), numbers(answer), life(answer, end), can(answer), prices(answer), servedBy(answer, name, hosts), takes(answer, name, canonical.split("/")[0], mine), nearly(answer), wrong(answer)];
    fill(page, parts);
    document.title = `${fields.display_name ?? answer.model} · cando`;
    layLife(page.querySelector(".life"));
  }

  function head(answer, name, canonical, end, disputes) {
    const { fields, provider, model } = answer;
    const status = fields.status && fields.status !== "active" ? h("span", { class: `chip ${fields.status === "retired" ? "bad" : "warn"}` }, fields.status) : fields.status === "active" ? h("span", { class: "chip good" }, "active") : "";
    const other = answer.identity === "alias" && answer.canonical;
    return h("header", { class: "head" },
      h("div", { class: "row" }, h("h1", {}, fields.display_name ?? model), status, fields.model_kind && fields.model_kind !== "chat" && h("span", { class: "chip" }, fields.model_kind), fields.open_weights === true && h("span", { class: "chip" }, "open weights")),
      h("p", { class: "row who" }, h("code", { class: "id" }, h("a", { href: link("explore", "", { provider }), title: `All at ${provider}` }, provider), `/${model}`),
        h("button", { type: "button", class: "plain", onclick: () => copy(model) }, "Copy id"),
        canonical && canonical !== name && h("span", { class: "soft" }, "the model ", modelName(canonical))),
      other && h("p", { class: "note" }, "Another spelling of ", modelName(`${provider}/${other}`), "."),
      answer.identity === "family" && h("p", { class: "note warn" }, "This host's own row is missing: what follows is said of its family."),
      ending(answer, end),
      h("p", { class: "row acts" },
        h("a", { class: "button primary", href: link("compare", "", { m: name }) }, "Compare"), h("a", { class: "button", href: link("check", "", { model: name }) }, "Check a request"),
        h("a", { class: "button", href: link("badges", "", { model: name }) }, "Badge"), disputes > 0 && h("a", { class: "button", href: link("conflicts", "", { q: name }) }, `Conflicts (${count(disputes)})`)));
  }

  function ending({ fields, provider }, end) {
    if (!end || end.ending === "not-before") return "";
    const use = end.use ?? end.replaced_by;
    const instead = use && [" Use ", modelName(`${provider}/${use}`, true), " instead."];
    const who = end.source && h("span", { class: "small" }, " ", sourceLink(end.source));
    if (end.ending === "stopped") return h("p", { class: "note bad" }, h("b", {}, fields.retires_on ? `Stopped ${relativeDay(fields.retires_on, ctx.today)}, on ${fields.retires_on}.` : "It is no longer served."), end.inferred && " Nobody says so: it is missing from the provider's list.", instead, who);
    if (end.ending === "stops") return h("p", { class: "note warn" }, h("b", {}, `Stops ${relativeDay(end.retires_on, ctx.today)}, on ${end.retires_on}.`), instead, who);
    return h("p", { class: "note warn" }, h("b", {}, "Deprecated."), " Nobody says when it stops.", instead, who);
  }

  // -- the numbers that everyone looks for ----------------------------------------------------------------

  const evidence = (answer, field) => (event) => openEvidence(ctx, answer.provider, answer.model, field, event.currentTarget);
  const doubt = (answer, field) => { const code = codeOfDoubt(answer, field); return code && h("span", { class: "doubt", title: code }, code === "inferred" ? "~" : "!", h("span", { class: "sr" }, ` ${code}`)); };

  function numbers(answer) {
    const { fields } = answer;
    const now = inForce(fields.price, ctx.today).filter((r) => !r.tier && !r.above && !r.time);
    const price = (unit) => now.find((r) => r.unit === unit)?.rate;
    const tile = (field, label, value, exact) => h("button", { type: "button", class: "tile", onclick: evidence(answer, field), title: "Who says so" },
      h("span", { class: "of" }, label), h("span", { class: "is" }, value || h("span", { class: "soft" }, "unknown"), value && doubt(answer, field)), h("span", { class: "more soft" }, exact));
    const [input, output] = [price("input_tokens"), price("output_tokens")];
    return h("div", { class: "tiles" },
      tile("context_window", "Context", tokens(fields.context_window), fields.context_window ? `${count(fields.context_window)} tokens` : "tokens"),
      !fields.embeddings || fields.embeddings !== "native" ? tile("max_output", "Output", tokens(fields.max_output), fields.max_output ? `${count(fields.max_output)} tokens at most` : "tokens") : tile("embedding_dimensions", "Dimensions", count(fields.embedding_dimensions), "numbers in a vector"),
      tile("price", "Input", input === "0" ? "free" : rate(input), "a million tokens"),
      fields.embeddings !== "native" && tile("price", "Output", output === "0" ? "free" : rate(output), "a million tokens"),
      tile("release_date", "Released", fields.release_date, fields.release_date ? relativeDay(fields.release_date, ctx.today) : ""),
      tile("knowledge_cutoff", "Knows until", fields.knowledge_cutoff, fields.knowledge_cutoff ? relativeDay(fields.knowledge_cutoff, ctx.today) : ""));
  }

  // -- its life ---------------------------------------------------------------------------------------------

  function life(answer, end) {
    const { fields, provider } = answer;
    const made = lifeOf(fields, ctx.today);
    if (!made || made.marks.length < 2) return "";
    const marks = [...made.marks.map((m) => ({ ...m, past: m.at <= made.today })), { label: "Today", day: ctx.today, at: made.today, field: "" }].sort((a, b) => a.at - b.at);
    const use = fields.replaced_by ?? end?.use;
    const line = h("ol", { class: "life", "aria-label": "Life of the model" }, made.served && h("li", { class: "served", "aria-hidden": "true", "data-from": made.served.from, "data-to": made.served.to }),
      marks.map((m) => h("li", { class: `mark ${m.field || "today"}`, "data-at": m.at },
        h("span", { class: "dot", "aria-hidden": "true" }), h("span", { class: "text" }, m.field ? h("button", { type: "button", class: "plain", onclick: evidence(answer, m.field) }, m.label) : h("b", {}, m.label), h("time", { datetime: m.day }, m.day),
          m.field === "retires_on" && use && h("span", {}, "→ ", modelName(`${provider}/${use}`, true))))));
    watch.disconnect();
    watch.observe(line);
    return section("Life", "living", line, use && !fields.retires_on && h("p", {}, "Successor: ", modelName(`${provider}/${use}`, true)));
  }

  // -- what it can do -----------------------------------------------------------------------------------------

  function can(answer) {
    const row = ({ id, label }) => {
      const why = answer.why?.[id];
      const code = codeWithDoubt(answer, id);
      return h("li", {}, h("button", { type: "button", class: "fact", onclick: evidence(answer, id), title: [saysOf(id), typeof answer.fields[id] === "object" ? valueText(answer.fields[id]) : ""].filter(Boolean).join("; ") },
        glyph(code), h("span", { class: "of" }, label), h("span", { class: "by soft" }, shorter[why?.evidence] ?? evidenceWords(why?.evidence), why?.checked && h("span", { class: "day" }, ` ${why.checked}`))));
    };
    const rest = Object.keys(answer.fields).filter((id) => !grouped.has(id) && !["input_text", "output_text"].includes(id) && codeOf(answer.fields[id]) && (typeof answer.fields[id] === "string" || answer.fields[id].restricted)).map((id) => ({ id, label: labelOf(id) }));
    const groups = [...capabilityGroups, { name: "More", fields: rest }].map(({ name, fields }) => {
      const known = fields.filter(({ id }) => codeOf(answer.fields[id]));
      const unknown = fields.filter(({ id }) => !codeOf(answer.fields[id]));
      if (!known.length && !unknown.length) return "";
      return h("div", { class: "group" }, h("h3", {}, name), h("ul", { class: "bare" }, known.map(row)),
        unknown.length > 0 && h("p", { class: "silent soft" }, "Nobody says: ", unknown.map(({ id, label }, i) => [h("span", { class: "whole" }, h("button", { type: "button", class: "quiet", onclick: evidence(answer, id) }, label), i < unknown.length - 1 && ","), " "])));
    });
    const set = settings.filter((id) => answer.fields[id] !== null && answer.fields[id] !== undefined && answer.fields[id] !== "");
    return section("What it can do", "can", h("p", { class: "legend" }, [3, 2, 4, 1, 11, 19].map((code) => h("span", {}, glyph(code), " ", codeWords(code).replace("yes, ", "")))),
      h("div", { class: "groups" }, groups, set.length > 0 && h("div", { class: "group" }, h("h3", {}, "Settings"), h("ul", { class: "bare" }, set.map((id) =>
        h("li", {}, h("button", { type: "button", class: "fact", onclick: evidence(answer, id) }, h("span", { class: "of" }, labelOf(id)), h("span", { class: "set" }, valueText(answer.fields[id]), doubt(answer, id)))))))));
  }

  // -- prices ---------------------------------------------------------------------------------------------------

  function prices(answer) {
    const { price } = answer.fields;
    if (!price || !Object.keys(price).length) return section("Price", "price", h("p", { class: "soft" }, "Nobody says what it costs here. A price is never taken from another host."));
    const why = answer.why?.price;
    const times = periods(price, ctx.today);
    const now = times.find((t) => t.now);
    const others = times.filter((t) => !t.now);
    return section("Price", "price",
      now ? priceOn(price, now, answer) : h("p", { class: "soft" }, "None is in force yet."),
      h("p", { class: "soft small" }, `${now?.from ? `Since ${now.from}. ` : ""}${capital(evidenceWords(why?.evidence))}`, why?.source && [", ", sourceLink(why.source)], why?.checked && `, ${why.checked}. `, " ", h("button", { type: "button", class: "plain small", onclick: evidence(answer, "price") }, "Who says so")),
      others.map((t) => h("details", { open: t.from > ctx.today }, h("summary", {}, t.from > ctx.today ? `From ${t.from} on` : `Until ${t.until}`), priceOn(price, t, answer))));
  }
  function priceOn(price, time, { provider, model }) {
    const { tiers, rows } = priceTable(inForce(price, time.from || (time.until || ctx.today)));
    const usual = rows.every((row) => perOf(row.unit) === "a million");
    return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Price of ${provider}/${model}` }, h("table", { class: "rates" }, h("caption", { class: "sr" }, "Price in dollars"),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, usual ? "$ a million" : "$"), tiers.map((t) => h("th", { scope: "col", class: "num" }, t ? capital(t) : "Standard")), !usual && h("th", { scope: "col" }, "For"))),
      [...new Set(rows.map(condition))].map((when) => h("tbody", {}, when && h("tr", {}, h("th", { scope: "rowgroup", colspan: tiers.length + (usual ? 1 : 2) }, when)), rows.filter((row) => condition(row) === when).map((row) => h("tr", {}, h("th", { scope: "row" }, unitName(row.unit)), tiers.map((t) => h("td", { class: "num" }, row.rates[t] === undefined ? "" : row.rates[t] === "0" ? "free" : rate(row.rates[t]))), !usual && h("td", { class: "soft" }, perOf(row.unit))))))));
  }

  // -- parameters -------------------------------------------------------------------------------------------------

  function takes(answer, name, lab, mine) {
    const box = h("div", { class: "takes" }, h("p", { class: "soft" }, "…"));
    const draw = async () => {
      try {
        const told = await ctx.job("parameters", { target: name, lab, api: state.get("api") ?? undefined });
        if (mine === turn) fill(box, parametersIn(answer, name, told, draw));
      } catch (error) {
        if (mine === turn) fill(box, h("p", { class: "soft" }, error.message));
      }
    };
    draw();
    return section("Parameters", "params", box);
  }
  function parametersIn(answer, name, { apis, api, rows, unknown }, again) {
    if (unknown) return h("p", { class: "soft" }, "Nobody says which API this provider speaks.");
    if (!apis.length) return h("p", { class: "soft" }, answer.fields.model_kind && answer.fields.model_kind !== "chat" ? `It takes no conversation: it is for ${answer.fields.model_kind}.` : "None of the APIs that cando knows serves it.");
    const choose = (id) => { state.delete("fix"); state.set("api", id); ctx.replace(state); again(); };
    const [yes, no] = [rows.filter((r) => !r.refused), rows.filter((r) => r.refused)];
    return [
      h("div", { class: "row" }, h("span", { class: "soft" }, apis.length > 1 ? "APIs" : "API"), h("span", { class: "tabs", role: "group", "aria-label": "API" }, apis.map((id) => h("button", { type: "button", "aria-pressed": String(id === api), onclick: () => choose(id) }, apiName(id)))), h("span", { class: "grow" }), h("a", { href: link("check", "", { model: name }) }, "Check a request")),
      no.length > 0 && [h("h3", {}, `Refused (${count(no.length)})`), h("ul", { class: "refused" }, no.map((r) => h("li", {}, h("span", { class: `glyph ${r.refused.code === "parameters-conflict" ? "restricted" : "no"}`, "aria-hidden": "true" }, r.refused.code === "parameters-conflict" ? "◑" : "✕"), h("code", {}, r.name), h("span", {}, r.refused.message, r.refused.fix && h("span", { class: "soft" }, `: ${r.refused.fix}`), " ", h("span", { class: "small" }, sourceLink(r.refused.source))))))],
      no.length > 0 && yes.length > 0 && h("h3", {}, `Taken (${count(yes.length)})`),
      yes.length > 0 ? h("ul", { class: "taken" }, yes.map((r) => h("li", {}, h("code", {}, r.name, r.required && h("span", { class: "soft" }, " required")), h("span", { class: "what", title: r.values?.length > 10 ? r.values.join(", ") : undefined }, takesText(r.values?.length > 10 ? { ...r, values: [...r.values.slice(0, 8), `${r.values.length - 8} more`] } : r), r.remark && h("span", { class: "soft" }, `; ${r.remark}`), r.without && h("span", { class: "soft", title: [...new Set(r.without.map((w) => w.message))].join("; ") }, ` (not ${r.without.map((w) => w.value).join(", ")})`))))) : h("p", { class: "soft" }, "Which parameters it takes there, nobody says."),
    ];
  }

  // -- hosts ------------------------------------------------------------------------------------------------------

  function servedBy(answer, name, hosts) {
    if (hosts.length < 2) return "";
    const lab = (m) => m.canonical === `${m.provider}/${m.model}`;
    const here = (m) => `${m.provider}/${m.model}` === name;
    const rows = [...hosts].sort((a, b) => here(b) - here(a) || lab(b) - lab(a));
    const best = (of, way) => { const known = rows.filter((m) => m.status !== "retired").map(of).filter((v) => v > 0); const top = way(...known); return known.filter((v) => v === top).length * 3 <= known.length ? top : undefined; };
    const top = { in: best((m) => Number(m.input_price), Math.min), out: best((m) => Number(m.output_price), Math.min), window: best((m) => m.context_window, Math.max), output: best((m) => m.max_output, Math.max) };
    const mark = (text, on) => (on ? h("b", { class: "best", title: "the best of these" }, text) : text);
    const price = (v) => (v === null ? "" : v === "0" ? "free" : money(v));
    const list = growing({
      caption: "The same model at its hosts", step: 12,
      columns: [
        { label: "Host", cell: (m) => (here(m) ? h("span", { class: "id" }, h("b", {}, m.provider), h("span", { class: "soft under" }, `/${m.model}`)) : h("a", { class: "id", href: modelLink(m.provider, m.model) }, m.provider, h("span", { class: "soft under" }, `/${m.model}`))) },
        { label: "In $/M", number: true, cell: (m) => mark(price(m.input_price), Number(m.input_price) === top.in && m.input_price !== null) },
        { label: "Out $/M", number: true, cell: (m) => mark(price(m.output_price), Number(m.output_price) === top.out && m.output_price !== null) },
        { label: "Context", number: true, cell: (m) => h("span", { title: count(m.context_window) }, mark(tokens(m.context_window), m.context_window === top.window)) },
        { label: "Output", number: true, cell: (m) => h("span", { title: count(m.max_output) }, mark(tokens(m.max_output), m.max_output === top.output)) },
        { label: "Status", cell: (m) => (m.status && m.status !== "active" ? h("span", { class: `chip ${m.status === "retired" ? "bad" : "warn"}` }, m.status) : m.status ?? "") },
        { label: h("span", { class: "sr" }, "Compare"), cell: (m) => (here(m) ? h("span", { class: "soft" }, "this page") : h("a", { href: link("compare", "", { m: `${name},${m.provider}/${m.model}` }), "aria-label": `Compare with ${m.provider}/${m.model}` }, "compare")) },
      ],
    });
    list.show(rows);
    return section(`Hosts (${count(hosts.length)})`, "hosts", list.node);
  }

  // -- what nearly applied, and what is wrong -----------------------------------------------------------------------

  function nearly(answer) {
    const list = answer.near_misses ?? [];
    if (!list.length) return "";
    return h("section", { class: "part" }, h("details", {}, h("summary", {}, h("h2", {}, `What nearly applied (${count(list.length)})`)), h("p", { class: "soft" }, "Rules about its relatives, and what kept each away."),
      h("ul", { class: "near" }, list.map((miss) => h("li", {}, h("code", {}, miss.rule), h("span", {}, miss.reason, " ", h("span", { class: "small soft" }, sourceLink(miss.source), miss.checked ? ` ${miss.checked}` : "")))))));
  }

  function wrong(answer, known = true) {
    const field = state.get("fix");
    form = correction(ctx);
    form.show({ target: `${answer.provider}/${answer.canonical ?? answer.model}`, answer, field: field ?? "tool_calling" });
    return h("section", { class: "part", id: "wrong" }, h("details", { open: !!field }, h("summary", {}, h("h2", {}, known ? "Is something wrong?" : "Do you know it?")), h("p", { class: "soft" }, `${known ? "Correct" : "Write"} it in a file of your own, at once and for yourself:`), form.node));
  }

  // -- a model that nobody knows --------------------------------------------------------------------------------------

  async function showUnknown(answer, name, mine) {
    const model = answer.model;
    const [found, known] = await Promise.all([nearTo(answer.provider, model), ctx.ask("models", { providers: answer.provider, limit: 1 }).then(() => true, () => false)]);
    if (mine !== turn) return;
    document.title = `${name} · cando`;
    fill(page, h("h1", { class: "id" }, name), h("p", { class: "note warn" }, known ? `The catalog has no such model at ${answer.provider}.` : `The catalog has no provider ${answer.provider}.`, " That says nothing about what it can do."),
      found.length > 0 && section("Did you mean", "near", h("ul", { class: "bare" }, found.map((m) => h("li", {}, modelName(`${m.provider}/${m.model}`), m.name && h("span", { class: "soft" }, ` ${m.name}`))))),
      finder(known && answer.provider),
      answer.identity === "family" && [can(answer), takes(answer, name, "", mine), nearly(answer)], wrong(answer, false));
    if (answer.identity === "family") page.querySelector(".can h2").textContent = "What its family can do";
  }

  // Names that are near, else those that begin alike, the newest first.
  async function nearTo(provider, model) {
    const seen = new Set();
    const found = [];
    const look = async (question) => {
      const { models } = await ctx.ask("models", { limit: 8, ...question }).catch(() => ({ models: [] }));
      for (const m of models) if (!seen.has(`${m.provider}/${m.model}`) && seen.add(`${m.provider}/${m.model}`)) found.push(m);
    };
    await look({ like: `${provider}/${model}` });
    await look({ like: model.slice(model.lastIndexOf("/") + 1) });
    for (let words = model.split(/(?=[-_.:/])/); words.length && !found.length; words = words.slice(0, -1)) await look({ words: words.join(""), providers: provider, sort: "release" });
    return found.slice(0, 8);
  }

  function finder(provider) {
    const box = picker(ctx, { label: "Find a model", placeholder: "gpt-5, claude opus…", onpick: (t) => { if (t) ctx.go(`model/${t}`); } });
    return h("div", { class: "finder" }, box.node, provider && h("p", {}, h("a", { href: link("explore", "", { provider }) }, `All models at ${provider}`)));
  }

  return {
    async update(next) {
      state = new URLSearchParams(next);
      if (next.rest === shown && shown) {
        if (state.get("fix")) openFix(state.get("fix"));
        return;
      }
      const mine = ++turn;
      shown = next.rest;
      const at = shown.indexOf("/");
      document.title = `${shown || title} · cando`;
      if (page.firstChild) scrollTo(0, 0);
      fill(page, h("h1", { class: "id" }, shown.slice(at + 1) || title), h("p", { class: "soft" }, "…"));
      try {
        if (at > 0 && at < shown.length - 1) await show(shown.slice(0, at), shown.slice(at + 1), mine);
        else if (shown.replace("/", "")) await showBare(shown.replace("/", ""), mine);
        else fill(page, h("h1", {}, "A model"), finder());
      } catch (error) {
        if (mine === turn) fill(page, h("h1", { class: "id" }, shown), h("p", { class: "note bad" }, error.message, error.hint ? ` ${error.hint}` : ""), finder());
      }
      if (mine === turn && state.get("fix")) openFix(state.get("fix"));
    },
    unmount() {
      turn++;
      watch.disconnect();
    },
  };

  // An id without its provider: who serves it?
  async function showBare(model, mine) {
    const { models } = await ctx.ask("models", { model, sort: "price" }).catch(() => ({ models: [] }));
    const near = models.length ? models : (await ctx.ask("models", { like: model, limit: 8 })).models;
    if (mine !== turn) return;
    fill(page, h("h1", { class: "id" }, model), h("p", { class: "soft" }, models.length ? "Served by" : "Nobody is known to serve it. Did you mean"), h("ul", { class: "bare" }, near.slice(0, 40).map((m) => h("li", {}, modelName(`${m.provider}/${m.model}`)))), finder());
  }

  function openFix(field) {
    const box = document.getElementById("wrong");
    if (!box || !form) return;
    box.querySelector("details").open = true;
    form.pick(field);
    box.scrollIntoView({ block: "start" });
    box.querySelector("select").focus({ preventScroll: true });
  }
}

// When a rate holds: "more than 272k tokens in", "01:00 to 04:00 UTC, mon to fri".
const condition = ({ above, graduated, time, days }) => capital([above > 0 && (graduated ? `for what is above ${tokens(above)} tokens in` : `more than ${tokens(above)} tokens in`), time && `${time.replace("-", " to ")} UTC`, days && days.replace("-", " to ")].filter(Boolean).join(", "));
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function codeOfDoubt(answer, field) {
  const why = answer.why?.[field];
  return why?.evidence === "contested" ? "sources disagree" : why?.evidence === "inferred" || ["borrowed", "inherited"].includes(why?.from) ? "inferred" : "";
}

// Marks at their places, their labels below each other where they would overlap; on a phone they are a list (pages.css).
function layLife(line) {
  if (!line) return;
  const marks = [...line.querySelectorAll(".mark")];
  const served = line.querySelector(".served");
  const narrow = line.clientWidth < 560;
  line.classList.toggle("upright", narrow);
  const width = line.clientWidth;
  const places = narrow ? [] : labelRows(marks.map((m) => Number(m.dataset.at)), marks.map((m) => m.querySelector(".text").offsetWidth), width);
  const high = Math.max(...marks.map((m) => m.querySelector(".text").offsetHeight)) + 6;
  marks.forEach((m, i) => {
    const [dot, text] = [m.querySelector(".dot"), m.querySelector(".text")];
    dot.style.left = narrow ? "" : `${Number(m.dataset.at) * width}px`;
    text.style.left = narrow ? "" : `${places[i].left}px`;
    text.style.top = narrow ? "" : `${24 + places[i].row * high}px`;
  });
  if (served) {
    served.style.left = narrow ? "" : `${Number(served.dataset.from) * width}px`;
    served.style.width = narrow ? "" : `${(Number(served.dataset.to) - Number(served.dataset.from)) * width}px`;
  }
  line.style.height = narrow ? "" : `${24 + (1 + Math.max(0, ...places.map((p) => p.row))) * high}px`;
}
