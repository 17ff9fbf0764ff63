// badges.js - Badges: a model or a capability as a badge and as a small table, for other people's pages.
//
// What `make site` has written as files (scripts/site_static.mjs) has an address; all else is made here, from the same lib/badge.js, and saved.
import { copy, fill, h, save } from "../dom.js";
import { badge, badgesOf, CAPABILITIES, capabilityBadge, capabilityTable, FIELDS, hasFiles, modelTable, pathOf, tableHtml } from "../lib/badge.js";
import { newest } from "../lib/fresh.js";
import { catalog, files } from "../made.js";
import { link, modelLink } from "../state.js";
import { picker } from "./parts.js";

export const title = "Badges";
export const path = "badges";

const USUAL = "anthropic/claude-opus-4-5";
const NAMES = { model: "Window and price", status: "Is it served?", window: "Window", price: "Price" };
const inline = (svg) => `data:image/svg+xml,${encodeURIComponent(svg)}`;
const attribute = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
const marked = (text) => String(text).replace(/[\\[\]`*_<>!]/g, "\\$&");
const address = (to) => new URL(to, document.baseURI.replace(/[?#].*$/, "")).href;

export function mount(root, ctx) {
  let [state, labs] = [new URLSearchParams(), undefined];
  const put = (params) => {
    for (const [name, value] of Object.entries(params)) {
      if (value) state.set(name, value);
      else state.delete(name);
    }
    ctx.replace(state);
    draw();
  };
  const abouts = [["", "A model"], ["capability", "A capability"]].map(([id, label]) => h("button", { type: "button", "data-id": id, onclick: () => put({ about: id }) }, label));
  const model = picker(ctx, { label: "Model", placeholder: USUAL, onpick: (target) => put({ model: target }) });
  const capability = h("select", { onchange: () => put({ field: capability.value }) }, CAPABILITIES.map(([id, label]) => h("option", { value: id }, label)));
  const capabilityBox = h("label", { class: "field" }, h("span", {}, "Capability"), capability);
  const out = h("div", { class: "badges" });
  root.append(h("div", { class: "page" }, h("h1", {}, title), h("p", { class: "lead" }, "Say in your README or on your page what a model can do. Badges and tables are pictures and plain HTML: they run nothing and load nothing else."),
    h("div", { class: "row filters" }, h("span", { class: "tabs", role: "group", "aria-label": "About" }, abouts), h("div", { class: "which" }, model.node, capabilityBox)), out));

  /** The labs' own models that have files. */
  const own = () => (labs ??= ctx.ask("models", { kinds: ["first-party"], fields: FIELDS, marks: true }).then(({ models }) => models.filter((m) => hasFiles(m, catalog ? newest(catalog.sources) : ctx.today))));

  async function draw() {
    const aboutCapability = state.get("about") === "capability";
    for (const button of abouts) button.setAttribute("aria-pressed", String((button.dataset.id === "capability") === aboutCapability));
    model.node.hidden = aboutCapability;
    capabilityBox.hidden = !aboutCapability;
    const now = state.toString();
    const parts = aboutCapability ? await ofCapability() : await ofModel();
    if (now === state.toString()) fill(out, parts);
  }

  async function ofModel() {
    const target = state.get("model") || USUAL;
    const at = target.indexOf("/");
    const isIt = (m) => `${m.provider}/${m.model}` === target;
    const known = (await own()).find(isIt);
    const row = known ?? (await ctx.ask("models", { providers: [target.slice(0, at)], fields: FIELDS, marks: true }).then(({ models }) => models.find(isIt), () => undefined));
    if (!row) return h("p", { class: "none" }, "This model is not in the catalog.");
    const has = files && !!known;
    const where = pathOf(row.provider, row.model);
    const home = modelLink(row.provider, row.model);
    const all = Object.entries(badgesOf(row)).map(([id, about]) => ({ id, name: NAMES[id] ?? CAPABILITIES.find(([field]) => field === id)?.[1] ?? id, about, path: `badge/${where}/${id}.svg`, file: `${row.model.split("/").at(-1)}-${id}.svg` }));
    return shown({ all, home, has, table: { title: target, rows: modelTable(row) }, page: `embed/${where}.html`, wide: 420, high: 460 });
  }

  async function ofCapability() {
    const field = CAPABILITIES.some(([id]) => id === state.get("field")) ? state.get("field") : CAPABILITIES[0][0];
    const models = await own();
    const all = CAPABILITIES.filter(([id]) => id === field).map(([id, name]) => ({ id, name, about: capabilityBadge(models, id), path: `badge/${id}.svg`, file: `${id}.svg` }));
    return shown({ all, home: link("explore", "", { can: field }), has: files, table: capabilityTable(models, field), page: `embed/${field}.html`, wide: 640, high: 520 });
  }

  function shown({ all, home, has, table, page, wide, high }) {
    const chosen = all.find((b) => b.id === state.get("badge")) ?? all[0];
    const svg = badge(chosen.about);
    const words = `${chosen.about.label}: ${chosen.about.value}`;
    const [picture, more] = [address(chosen.path), address(home).replace(/[()]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)];
    const codes = has ? [
      ["Markdown", `[![${marked(words)}](${picture})](${more})`],
      ["HTML", `<a href="${attribute(more)}"><img src="${attribute(picture)}" alt="${attribute(words)}"></a>`],
      ["Address", picture],
    ] : [["HTML", svg.trim()]];
    const plain = tableHtml(table);
    return [
      h("section", { "aria-labelledby": "badge-h" }, h("h2", { id: "badge-h" }, "Badge"),
        all.length > 1 && h("div", { class: "choices", role: "group", "aria-label": "Badges" }, all.map((b) => h("button", { type: "button", "aria-pressed": String(b === chosen), "aria-label": `${b.name}: ${b.about.value}`, title: b.name, onclick: () => put({ badge: b.id === all[0].id ? "" : b.id }) }, h("img", { src: inline(badge(b.about)), alt: "" })))),
        h("p", { class: "preview" }, h("img", { src: inline(svg), alt: words }), h("button", { type: "button", onclick: () => save(chosen.file, svg, "image/svg+xml") }, "Save SVG")),
        !has && h("p", { class: "note" }, files ? "Files with an address are kept for the labs' own chat models. This one you can save, or paste as it is." : "This copy of the page has no files beside it: save the picture, or paste it as it is."),
        codes.map(([name, text]) => code(name, text))),
      h("section", { "aria-labelledby": "table-h" }, h("h2", { id: "table-h" }, "Table"), drawn(table),
        has && code("For a page, always as of the last build", `<iframe src="${attribute(address(page))}" title="${attribute(table.title)}" width="${wide}" height="${high}" loading="lazy"></iframe>`),
        h("div", { class: "row" }, has && h("a", { class: "button", href: page, target: "_blank", rel: "noopener" }, "Open it"), h("button", { type: "button", onclick: () => copy(plain) }, "Copy as HTML"), h("button", { type: "button", onclick: () => save("table.html", plain, "text/html") }, "Save HTML"))),
    ];
  }

  const code = (name, text) => h("div", { class: "code" }, h("div", { class: "row" }, h("span", { class: "soft grow" }, name), h("button", { type: "button", "aria-label": `Copy: ${name}`, onclick: () => copy(text) }, "Copy")), h("pre", { tabindex: "0", "aria-label": name }, text));

  const cellOf = (c) => (c && typeof c === "object" ? h("span", { class: `tone-${c.tone}` }, c.value) : c ?? "?");
  function drawn({ title: name, head, rows, note }) {
    return h("div", { class: "scroll sample", tabindex: "0", role: "region", "aria-label": name }, h("table", {}, h("caption", {}, name),
      head && h("thead", {}, h("tr", {}, head.map((t) => h("th", { scope: "col" }, t)))),
      h("tbody", {}, rows.map((cells) => h("tr", {}, cells.map((c, i) => (i ? h("td", {}, cellOf(c)) : h("th", { scope: "row" }, cellOf(c)))))))), note && h("p", { class: "soft small" }, note));
  }

  return {
    update(next) {
      state = new URLSearchParams(next);
      model.set(state.get("model") ?? "");
      capability.value = CAPABILITIES.some(([id]) => id === state.get("field")) ? state.get("field") : CAPABILITIES[0][0];
      return draw();
    },
    unmount() {},
  };
}
