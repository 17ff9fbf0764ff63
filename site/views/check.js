// check.js - Check: will this request run, what would make it so, what does it cost, who else takes it as it is.
import { copy, fill, h, save } from "../dom.js";
import { count, money, tokens } from "../format.js";
import { diffLines } from "../lib/textdiff.js";
import { matcher } from "../lib/words.js";
import { pack, unpack } from "../state.js";
import { editor, filterBox, growing, later, modelName, picker, rowsByTarget, tabs } from "./parts.js";

export const title = "Check a request";
export const path = "check";

const EXAMPLES = {
  "an old parameter": `{
  "model": "gpt-5.6-sol",
  "max_tokens": 500,
  "temperature": 0.2,
  "messages": [
    {"role": "user", "content": "Say hello."}
  ]
}`,
  "tools and an image": `{
  "model": "claude-opus-4-5",
  "max_tokens": 1024,
  "temperature": 1.4,
  "messages": [
    {"role": "user", "content": [
      {"type": "image", "source": {"type": "url", "url": "https://example.com/receipt.png"}},
      {"type": "text", "text": "What did I buy?"}
    ]}
  ],
  "tools": [
    {"name": "save_receipt", "input_schema": {"type": "object", "properties": {"total": {"type": "number"}}}}
  ]
}`,
  "a conversation": `{
  "model": "kimi-k2.5",
  "messages": [
    {"role": "user", "content": "Will it rain in Oslo?"},
    {"role": "assistant", "content": null, "tool_calls": [
      {"id": "functions.weather:0", "type": "function", "function": {"name": "weather", "arguments": "{\\"city\\": \\"Oslo\\"}"}}
    ]},
    {"role": "tool", "tool_call_id": "functions.weather:0", "content": "rain"}
  ]
}`,
};

const VERDICTS = {
  ok: ["good", "✓", "It will run"],
  rewrite: ["warn", "✎", "It will run once repaired"],
  reject: ["bad", "✕", "It will be refused"],
};
const SWITCHES = { accepted: ["good", "✓", "All of it goes along"], degraded: ["warn", "◐", "It goes on, and loses something"], rejected: ["bad", "✕", "It breaks"] };
const SIGNS = { error: ["✕", "error"], warning: ["!", "warning"], note: ["i", "note"] };

// The text outlives the view: who looks at a model and comes back finds it again.
let kept = "";

export function mount(root, ctx) {
  let [packed, state] = ["", new URLSearchParams()];
  let running = new AbortController();
  let checked;

  const edit = editor({ label: "Request", placeholder: "Paste the JSON body of a request here, of any API, or drop a file.", onchange: typed, rows: 22 });
  const examples = h("select", { "aria-label": "Examples", onchange: (e) => { if (e.target.value) start(EXAMPLES[e.target.value]); e.target.value = ""; } },
    h("option", { value: "" }, "Examples"), Object.keys(EXAMPLES).map((k) => h("option", { value: k }, k)));
  edit.bar.append(examples);
  const model = picker(ctx, { label: "Model", placeholder: "the one it names", onpick: (target) => { put({ model: target }); run(); } });
  const target = picker(ctx, { label: "Go on with", placeholder: "another model", onpick: (to) => { put({ to }); switchTo(); } });

  const verdict = h("div", { class: "verdict", role: "status", "aria-live": "polite" });
  const facts = h("dl", { class: "facts" });
  const found = h("div", {});
  const mended = h("div", {});
  const takes = h("div", {});
  const dies = h("div", {});
  const tabbed = tabs("Results", [
    { id: "findings", label: "Findings", node: found },
    { id: "repair", label: "Repair", node: mended },
    { id: "takers", label: "Who takes it", node: takes },
    { id: "switch", label: "Switch", node: h("div", {}, h("p", { class: "soft" }, "What of the conversation so far would another model not take?"), target.node, dies) },
  ], (tab) => put({ tab: tab === "findings" ? "" : tab }));
  const results = h("div", { class: "results", hidden: true }, verdict, facts, tabbed.node);
  const hello = h("div", { class: "hello panel" }, h("h2", {}, "Will it run?"),
    h("p", {}, "Paste what you send to a model. You see what it would be refused for, line by line; a repair that you can take piece by piece; what it costs; and every offering that takes it as it is, the cheapest first."),
    h("p", {}, "Or try: ", Object.keys(EXAMPLES).map((k, i) => [i ? ", " : "", h("button", { type: "button", class: "plain", onclick: () => start(EXAMPLES[k]) }, k)]), "."));
  root.append(h("div", { class: "page wide" }, h("h1", { class: "sr" }, title), h("div", { class: "check" }, h("section", { class: "left", "aria-label": "Request" }, model.node, edit.node), h("section", { class: "right", "aria-label": "Answer" }, hello, results))));

  // -- state

  function put(params) {
    for (const [k, v] of Object.entries(params)) {
      if (v) state.set(k, v);
      else state.delete(k);
    }
    ctx.replace(state);
  }
  const remember = later(400, async () => {
    const text = edit.get();
    const made = text.trim() && !edit.isHeld() ? await pack(text) : "";
    packed = made ?? "";
    put({ body: packed });
  });
  function start(text) {
    edit.set(text);
    typed(text);
  }
  const soon = later(90, run);
  function typed(text) {
    kept = text;
    remember();
    soon();
  }

  // -- asking

  async function run() {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    const text = edit.get();
    const empty = !text.trim();
    hello.hidden = !empty;
    results.hidden = empty;
    if (empty) return edit.mark([]);
    const about = { text, target: model.get() || undefined };
    const quiet = (error) => { if (!signal.aborted) fill(verdict, h("p", { class: "note bad" }, error.message, error.hint ? ` ${error.hint}` : "")); };
    try {
      checked = await ctx.job("check", about, { signal });
    } catch (error) {
      return quiet(error);
    }
    drawCheck();
    if (checked.broken) return;
    ctx.job("repair", about, { signal }).then(drawRepair, quiet);
    ctx.job("takers", { text }, { signal, onProgress: drawTakers }).then(drawTakers, quiet);
    switchTo();
  }

  async function switchTo() {
    const to = target.get();
    const { signal } = running;
    tabbed.count("switch", "");
    if (!to || !checked || checked.broken) return fill(dies);
    try {
      drawSwitch(await ctx.job("switched", { text: edit.get(), from: checked.target, to }, { signal }), to);
    } catch (error) {
      if (!signal.aborted) fill(dies, h("p", { class: "note bad" }, error.message, error.hint ? ` ${error.hint}` : ""));
    }
  }

  // -- drawing

  const finding = (f) => h("li", { class: f.severity },
    h("p", { class: "what" }, h("span", { class: "sign" }, SIGNS[f.severity][0], h("span", { class: "sr" }, ` ${SIGNS[f.severity][1]}: `)), f.message),
    h("button", { type: "button", class: "at", onclick: () => edit.show(f.index, f.end), disabled: edit.isHeld() }, h("span", { class: "where" }, `line ${count(f.line)}`), h("code", {}, f.excerpt.text.slice(0, f.excerpt.from).trimStart(), h("mark", { class: f.severity }, f.excerpt.text.slice(f.excerpt.from, f.excerpt.to)), f.excerpt.text.slice(f.excerpt.to))),
    f.fix && h("p", { class: "fix" }, "→ ", f.fix),
    h("p", { class: "soft small" }, h("code", {}, f.code), f.source && [" · ", h("a", { href: f.source, target: "_blank", rel: "noopener noreferrer" }, "source")]));

  function drawCheck() {
    const { broken } = checked;
    if (broken) {
      edit.mark([{ ...broken, end: broken.index + 1, severity: "error" }]);
      fill(verdict, h("p", { class: "say bad" }, h("span", { class: "sign" }, "✕"), " This is no JSON yet"));
      fill(facts);
      fill(found, h("ul", { class: "findings" }, finding({ ...broken, end: broken.index + 1, severity: "error", code: "json-syntax" })));
      for (const box of [mended, takes, dies]) fill(box);
      for (const tab of ["findings", "repair", "takers", "switch"]) tabbed.count(tab, "");
      return;
    }
    const [tone, sign, say] = VERDICTS[checked.verdict];
    edit.mark(checked.findings);
    const who = checked.target ? [" on ", modelName(checked.target)] : "";
    fill(verdict, h("p", { class: `say ${tone}` }, h("span", { class: "sign" }, sign), " ", say, who),
      !checked.target && h("p", { class: "soft" }, "It names no model that its API's vendor has: choose one above, to be told more."));
    model.hint(checked.named && checked.target ? `${checked.target} (the one it names)` : "the one it names");
    drawFacts();
    fill(found, checked.findings.length ? h("ul", { class: "findings" }, checked.findings.map(finding)) : h("p", { class: "none" }, "Nothing to say against it."),
      checked.more && h("p", { class: "soft" }, `and ${count(checked.more)} more`));
    tabbed.count("findings", checked.findings.length);
  }

  function drawFacts() {
    const { tokens: t, cost, dialect } = checked;
    const fact = (name, ...what) => [h("dt", {}, name), h("dd", {}, what)];
    const range = (a, b, of) => (a === null || b === null || a === undefined || b === undefined || a === b ? "" : h("span", { class: "soft" }, ` (${of(a)} to ${of(b)})`));
    const price = cost && (cost.expected?.total_cost !== null && cost.expected ? [money(cost.expected.total_cost), range(cost.low?.total_cost, cost.high?.total_cost, money)] : ["unknown"]);
    fill(facts,
      fact("API", dialect ?? "unknown"),
      t && fact("Prompt", `${count(t.expected)} tokens`, range(t.low, t.high, tokens)),
      price && fact("Cost", price, cost.expected && h("span", { class: "soft" }, `, with an answer of ${count(cost.expected.output_tokens ?? 0)} tokens`)));
  }

  const diffOf = (before, after) => h("pre", { class: "diff" }, diffLines(before, after).map((row) => row.kind === "skip"
    ? h("span", { class: "skip" }, `   ⋯ ${count(row.n)} ${row.n === 1 ? "line" : "lines"}\n`)
    : h("span", { class: row.kind }, h("span", { class: "sign" }, { same: " ", gone: "−", new: "+" }[row.kind]), " ", row.parts.map(([text, changed]) => (changed ? h(row.kind === "gone" ? "del" : "ins", {}, text) : text)), "\n")));

  function drawRepair({ pieces, all, safe, left, large }) {
    const before = edit.get().trim();
    tabbed.count("repair", pieces.length || "");
    if (large) return fill(mended, h("p", { class: "none" }, "Too long to be repaired here; ", h("code", {}, "cando fix"), " takes any length."));
    const needs = left?.filter((f) => f.severity === "error") ?? [];
    const rest = needs.length > 0 && h("div", { class: "note warn" }, h("p", {}, pieces.length ? "This is left for you:" : "Only you can mend this:"), h("ul", {}, needs.map((f) => h("li", {}, f.message, f.fix && ` → ${f.fix}`))));
    if (!pieces.length) return fill(mended, rest || h("p", { class: "none" }, "Nothing to repair."));
    const safes = pieces.filter((p) => p.kind === "safe").length;
    fill(mended,
      h("div", { class: "row" },
        h("button", { type: "button", class: "primary", onclick: () => edit.type(all) }, pieces.length === 1 ? "Take it" : `Take all ${pieces.length}`),
        safe && safes < pieces.length && h("button", { type: "button", onclick: () => edit.type(safe) }, `Only the ${safes === 1 ? "one" : safes} that lose${safes === 1 ? "s" : ""} nothing`),
        h("button", { type: "button", onclick: () => copy(all) }, "Copy"),
        h("button", { type: "button", onclick: () => save("request.json", all, "application/json") }, "Save")),
      h("ol", { class: "pieces" }, pieces.map((p) => h("li", {},
        h("div", { class: "row" }, h("strong", { class: "grow" }, p.title), h("span", { class: `chip ${p.kind === "safe" ? "good" : "warn"}` }, p.kind === "safe" ? "same meaning" : "loses something"),
          pieces.length > 1 && h("button", { type: "button", onclick: () => edit.type(p.text), "aria-label": `Take: ${p.title}` }, "Take")),
        p.why && h("p", { class: "soft" }, p.why), diffOf(before, p.text)))),
      rest);
  }

  const words = filterBox("Filter who takes it", () => showTakers());
  const list = growing({
    caption: "Offerings that take the request as it is",
    step: 60,
    empty: "None.",
    columns: [
      { label: "Model", cell: (r) => modelName(r.target) },
      { label: "This request", number: true, title: "the prompt as it is counted, and the answer", cell: (r) => (r.cost === null ? h("span", { class: "soft" }, "unknown") : r.cost === "0" ? "free" : money(r.cost)) },
      { label: "Window", number: true, cell: (r) => (r.row === undefined ? "" : tokens(r.table.context[r.row])) },
      { label: h("span", { class: "sr" }, "Check"), class: "act", cell: (r) => h("button", { type: "button", class: "plain", "aria-label": `Check on ${r.target}`, onclick: () => { model.set(r.target); put({ model: r.target }); run(); } }, "check") },
    ],
  });
  const free = h("input", { type: "checkbox", checked: true, onchange: () => showTakers() });
  let told;
  async function drawTakers(answer) {
    told = answer;
    tabbed.count("takers", count(answer.takers.length));
    const off = Object.entries(answer.excluded).filter(([, n]) => n > 0).sort((a, b) => b[1] - a[1]);
    const reasons = h("details", {}, h("summary", {}, `${count(answer.considered - answer.takers.length)} do not`),
      h("ul", { class: "reasons" }, answer.repaired.length > 0 && h("li", {}, h("b", {}, count(answer.repaired.length)), " once it is repaired"), off.map(([why, n]) => h("li", {}, h("b", {}, count(n)), " ", whyNot(why)))));
    fill(takes, h("div", { class: "row" }, words, h("label", { class: "row" }, free, "Free ones too"), h("span", { class: "soft grow" }, `${count(answer.takers.length)} of ${count(answer.considered)} take it as it is`)), reasons,
      h("p", { class: "soft small" }, `Cost of ${count(answer.usage.input_tokens)} tokens in and ${count(answer.usage.output_tokens)} out.`), list.node);
    await showTakers();
  }
  async function showTakers() {
    const { table, lookup, providers } = await rowsByTarget(ctx);
    const fits = matcher(words.value, providers);
    list.show(told.takers.filter((r) => (free.checked || r.cost !== "0") && fits(r.target)).map((r) => ({ ...r, table, row: lookup.get(r.target) })));
  }

  function drawSwitch(answer, to) {
    const [tone, sign, say] = SWITCHES[answer.verdict] ?? ["", "", ""];
    const lost = [...answer.findings];
    tabbed.count("switch", lost.length || "");
    fill(dies, h("p", { class: `say ${tone}` }, h("span", { class: "sign" }, sign), " ", say, " on ", modelName(to)),
      answer.suggestion && h("p", {}, "It would fit on ", h("button", { type: "button", class: "plain", onclick: () => { target.set(answer.suggestion); put({ to: answer.suggestion }); switchTo(); } }, answer.suggestion)),
      lost.length ? h("ul", { class: "findings" }, lost.map(finding)) : h("p", { class: "none" }, "Nothing of the conversation dies."));
  }

  return {
    async update(next) {
      state = new URLSearchParams(next);
      model.set(state.get("model") ?? "");
      target.set(state.get("to") ?? "");
      tabbed.choose(state.get("tab") || "findings");
      const body = state.get("body") ?? "";
      if (body && body !== packed) {
        packed = body;
        kept = (await unpack(body)) ?? "";
      } else if (!body && packed) kept = packed = "";
      edit.set(kept);
      if (kept && !body) remember();
      run();
    },
    unmount() {
      running.abort();
      remember.cancel();
      soon.cancel();
    },
  };
}

const REASONS = { retired: "have stopped", deprecated: "are deprecated" };
function whyNot(why) {
  if (Object.hasOwn(REASONS, why)) return REASONS[why];
  const [kind, name] = why.split(" ");
  if (kind === "require") return ["are not known to have ", h("code", {}, name)];
  if (kind === "minimum") return ["have too small a ", h("code", {}, name)];
  if (kind === "request") return ["would refuse it: ", h("code", {}, name)];
  return why;
}
