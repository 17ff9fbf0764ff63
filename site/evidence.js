// evidence.js - what stands behind a value: who says so, since when, who else says what.
import { fill, h } from "./dom.js";
import { capabilities, labelOf, saysOf } from "./fields.js";
import { codeOf, CONTESTED, glyph, INFERRED, relativeDay, valueText } from "./format.js";
import { claimsAbout } from "./lib/claims.js";
import { link } from "./state.js";

const kinds = {
  "provider-docs": "the provider's documentation", "provider-api": "the provider's own list", "vendor-doc": "the maker's documentation", "sdk-code": "the provider's code",
  "live-test": "tried out", observed: "seen in replies", spec: "the API's specification", agreed: "lists agree", catalog: "a public list", contested: "lists disagree", inferred: "inferred",
};

/** "the provider's documentation" */
export const evidenceWords = (word) => (Object.hasOwn(kinds, word) ? kinds[word] : word || "unknown");

/** The host of a source as a link, or its name. */
export function sourceLink(source) {
  if (!/^https?:/i.test(source ?? "")) return source ?? "";
  let host = source;
  try {
    const url = new URL(source);
    host = url.hostname.replace(/^www\./, "");
    if (host === "raw.githubusercontent.com") host = `github.com/${url.pathname.split("/").slice(1, 3).join("/")}`;
  } catch {
    return source;
  }
  return h("a", { href: source, target: "_blank", rel: "noopener noreferrer", title: source }, host);
}

/** The code of a value with its doubts, from an answer of resolve with why. */
export function codeWithDoubt(answer, field) {
  const code = codeOf(answer.fields[field]);
  const evidence = answer.why?.[field]?.evidence;
  const borrowed = ["borrowed", "inherited"].includes(answer.why?.[field]?.from);
  return code && (code | (evidence === "contested" ? CONTESTED : evidence === "inferred" || borrowed ? INFERRED : 0));
}

function place(why, today) {
  const where = why.file ? `${why.file}${why.line ? `:${why.line}` : ""}` : "";
  return [
    h("dt", {}, "Who says so"), h("dd", {}, evidenceWords(why.evidence), why.from === "borrowed" ? " (from the same model elsewhere)" : why.from === "inherited" ? " (from an earlier model)" : why.via ? ` (follows from ${labelOf(why.via).toLowerCase()})` : ""),
    why.source && [h("dt", {}, "Source"), h("dd", {}, sourceLink(why.source))],
    why.checked && [h("dt", {}, "Checked"), h("dd", {}, why.checked, " ", h("span", { class: "soft" }, relativeDay(why.checked, today)))],
    where && [h("dt", {}, "Stands in"), h("dd", { class: "mono" }, where)],
  ];
}

/** The inside of the panel, from an answer of resolve with why: "all". */
export function evidenceOf(answer, field, today) {
  const why = answer.why?.[field];
  const value = answer.fields[field];
  const claims = claimsAbout(answer.fields.claims, field);
  const parts = [h("p", { class: "said" }, ["string", "object"].includes(typeof value) && codeOf(value) ? glyph(codeWithDoubt(answer, field)) : "", " ", h("strong", {}, valueText(value)), " ", h("span", { class: "soft" }, saysOf(field)))];
  if (why) parts.push(h("dl", { class: "facts" }, place(why, today)));
  else parts.push(h("p", {}, "Nobody has said. Unknown is neither yes nor no."));
  if (claims.length) {
    parts.push(h("h3", {}, "Lists"), h("ul", { class: "bare" }, claims.map(({ source, day, value: said }) => h("li", {}, h("strong", {}, said === null ? "the same" : valueText(said)), ` ${source} `, h("span", { class: "soft" }, day)))));
  }
  if (why?.overrode?.length) {
    parts.push(h("h3", {}, "Overruled"), h("ul", { class: "bare" }, why.overrode.map((other) => h("li", {}, h("strong", {}, valueText(other.value)), " ", evidenceWords(other.evidence), " ", sourceLink(other.source), " ", h("span", { class: "soft" }, other.reason)))));
  }
  if (why?.near_misses?.length) {
    parts.push(h("details", {}, h("summary", {}, `Nearly applied (${why.near_misses.length})`), h("ul", { class: "bare" }, why.near_misses.map((other) => h("li", {}, h("strong", {}, valueText(other.value)), " ", h("code", {}, other.rule ?? ""), " ", h("span", { class: "soft" }, other.reason))))));
  }
  return parts;
}

/** Opens the panel beside `anchor`; the focus returns there. */
export async function openEvidence(ctx, provider, model, field, anchor) {
  const body = h("div", {}, h("p", { class: "soft" }, "…"));
  const box = h("dialog", { class: "evidence", "aria-label": `${labelOf(field)}, ${provider}/${model}` },
    h("header", {}, h("h2", {}, labelOf(field)), h("button", { type: "button", class: "icon", "aria-label": "Close", onclick: () => box.close() }, "✕")),
    h("p", { class: "mono soft" }, `${provider}/${model}`), body,
    h("p", { class: "row" }, h("a", { href: link("model", `${provider}/${model}`) }, "The model's page"), capabilities.some(({ id }) => id === field) && h("a", { href: link("explore", "", { can: field }) }, "All that can"), h("a", { href: link("model", `${provider}/${model}`, { fix: field }) }, "Correct it")));
  box.addEventListener("close", () => { box.remove(); anchor?.focus?.(); });
  box.addEventListener("click", (event) => { if (event.target === box || event.target.closest("a[href^='#']")) box.close(); });
  document.body.append(box);
  box.showModal();
  put(box, anchor);
  try {
    const answer = await ctx.ask("resolve", { target: { provider, model }, why: "all" });
    fill(body, evidenceOf(answer, field, ctx.today));
  } catch (error) {
    fill(body, h("p", {}, error.message));
  }
  put(box, anchor);
}

// Below the anchor, or above it where there is no room; on a phone at the bottom (style.css).
function put(box, anchor) {
  if (!anchor || innerWidth < 600) return;
  const at = anchor.getBoundingClientRect();
  const { width, height } = box.getBoundingClientRect();
  const top = at.bottom + height + 8 < innerHeight ? at.bottom + 4 : Math.max(8, Math.min(at.top - height - 4, innerHeight - height - 8));
  box.style.margin = "0";
  box.style.left = `${Math.max(8, Math.min(at.left - 20, innerWidth - width - 8))}px`;
  box.style.top = `${top < 8 ? 8 : top}px`;
}
