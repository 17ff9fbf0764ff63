// about.js - About: how it knows, how fresh it is, how to correct it.
import { correction } from "../correct.js";
import { h } from "../dom.js";
import { count, glyph, relativeDay } from "../format.js";
import { byAge } from "../lib/fresh.js";
import { catalog, files } from "../made.js";
import { picker } from "./parts.js";

export const title = "About";
export const path = "about";

const SIGNS = [
  [3, "Yes", "the provider does it itself"],
  [2, "Emulated", "something before the model makes up for it"],
  [4, "With conditions", "only some of it, or only sometimes; the cell says which"],
  [1, "No", "somebody says that it does not"],
  [0, "Nobody says", "neither yes nor no: it is never guessed"],
  [11, "Inferred", "nobody said it of this offering; the same model at its lab or at other hosts has it, or its predecessor"],
  [19, "Sources disagree", "what counts is shown, and who says otherwise"],
];

const LAYERS = [
  ["Rules", "what holds for a family of models"],
  ["Public lists", "facts of single offerings; where lists disagree, the disagreement is kept"],
  ["Read by hand", "corrections from the providers' own pages, each with its link and day"],
  ["Your files", "what only you know: a contract's price, a deployment's name"],
];

export function mount(root, ctx) {
  const part = (id, name, ...inside) => h("section", { id, "aria-labelledby": `${id}-h` }, h("h2", { id: `${id}-h` }, name), inside);
  const correct = corrections(ctx);
  root.append(h("div", { class: "page prose" }, h("h1", {}, title),
    h("p", { class: "lead" }, "What a language model can do depends on who serves it, and on whom you ask. Every value here has a source and a day; click a cell to see them."),
    part("signs", "What the signs mean", h("dl", { class: "signs" }, SIGNS.map(([code, name, says]) => [h("dt", {}, glyph(code), " ", name), h("dd", {}, says)]))),
    part("knows", "How it knows", h("p", {}, "Each layer overrules the one above it, field by field:"),
      h("ol", { class: "layers" }, LAYERS.map(([name, says]) => h("li", {}, h("strong", {}, name), h("span", { class: "soft" }, ` ${says}`)))),
      h("p", {}, "Evidence decides how loud it is. What a provider documents, what was tried out, or what two lists say independently makes an ", h("strong", {}, "error"), " in Check. A single list, an inference, or a disputed value makes a ", h("strong", {}, "warning"), ". Unknown is said, and rejects nothing."),
      h("p", {}, "Prices are never taken over from another host. ", h("a", { href: "#/conflicts" }, "Conflicts"), " shows all disagreements.")),
    part("fresh-part", "How fresh it is", fresh(ctx)),
    part("correct", "How to correct it", correct.node),
    part("private", "What leaves this page", h("p", {}, "Nothing. Engine and catalog run in your browser; what you paste is read here, and the page's policy lets it talk to no other host. After the first visit it works without a network."),
      files && h("p", {}, h("a", { href: "cando.html", download: "cando.html" }, "cando.html"), " is all of it in one file, to keep or to open from a disk. ", h("a", { href: "NOTICE.txt" }, "Sources and their licences"), ", ", h("a", { href: "LICENSE.txt" }, "licence"), "."))));
  return {
    update: (state) => correct.set(state),
    unmount() {},
  };
}

function fresh(ctx) {
  if (!catalog) return h("p", { class: "soft" }, "This copy does not say.");
  const rows = byAge(catalog.sources);
  return [
    h("p", {}, `${count(catalog.models)} offerings of ${count(catalog.providers)} providers, and ${count(catalog.rules)} rules for those that are not listed. cando ${catalog.version}.`),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Sources and their days" }, h("table", { class: "fresh" }, h("caption", { class: "sr" }, "Sources and their days"),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Source"), h("th", { scope: "col" }, "Last read"), h("th", { scope: "col", class: "num" }, "Offerings"))),
      h("tbody", {}, rows.map((s) => h("tr", {}, h("th", { scope: "row" }, s.source), h("td", {}, s.day ?? "unknown", " ", s.day && h("span", { class: "soft" }, relativeDay(s.day, ctx.today))), h("td", { class: "num" }, count(s.models))))))),
    h("p", { class: "soft small" }, "An offering counts for the source that its values come from. ", h("code", {}, "cando update"), " reads the lists anew."),
  ];
}

// -- a correction -------------------------------------------------------------------------------------

function corrections(ctx) {
  let [state, asked] = [new URLSearchParams(), undefined];
  const put = (params) => {
    for (const [name, value] of Object.entries(params)) {
      if (value) state.set(name, value);
      else state.delete(name);
    }
    ctx.replace(state);
  };
  const model = picker(ctx, { label: "Model", placeholder: "openai/gpt-5", onpick: (target) => { put({ model: target, value: "" }); look(); } });
  const form = correction(ctx, put);
  const node = h("div", { class: "correct" },
    h("p", {}, "Fill in what is right. You get a few lines for ", h("code", {}, "cando.toml"), " beside your project, or for ", h("code", {}, "~/.config/cando/"), "; they count for you at once. With a link that proves it they can go into ", h("code", {}, "catalog/curated/"), " for everyone."),
    model.node, form.node);

  async function look() {
    const target = model.get() || "openai/gpt-5";
    asked = target;
    const answer = await ctx.ask("resolve", { target, why: "all" }).catch(() => undefined);
    if (asked === target) form.show({ target, answer, field: state.get("field") ?? undefined, value: state.get("value") ?? undefined, source: state.get("source") ?? "" });
  }

  return {
    node,
    set(next) {
      state = new URLSearchParams(next);
      model.set(state.get("model") ?? "");
      if (state.get("model")) node.scrollIntoView({ block: "nearest" });
      return look();
    },
  };
}
