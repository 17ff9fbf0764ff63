// check.js - what the view Check asks of the engine: findings with their places, the repair in pieces, who takes it as it is.
//
// `cando` is the engine (load() of the package). The text goes to it as it was pasted, so bytes that it names are the text's.
import { cheaper, units } from "./decimal.js";
import { applyChanges, pieces } from "./jsonedit.js";
import { jsonError, placeOf, skip, spanOf, steps } from "./jsonplace.js";

const LONGEST = 120; // of an excerpt
const REPAIRED = 2_000_000; // characters; longer texts are not repaired, and judged once
const encoder = new TextEncoder();

// A long text goes to the engine as bytes: they need a third of the room that is kept for characters.
const bodyOf = (text) => (text.length > 100_000 ? encoder.encode(text) : text);

/** Index, line and column of each byte offset, in one pass over the text. `base`: where the engine's byte 0 is. */
export function placesOf(text, bytes, base = 0) {
  const order = bytes.map((at, i) => [at, i]).sort((a, b) => a[0] - b[0]);
  const places = new Array(bytes.length);
  let [i, byte, line, start] = [base, 0, 1, 0];
  for (let at = text.indexOf("\n"); at >= 0 && at < base; at = text.indexOf("\n", at + 1)) [line, start] = [line + 1, at + 1];
  for (const [wanted, which] of order) {
    while (i < text.length && byte < wanted) {
      const c = text.charCodeAt(i);
      if (c === 10) [line, start] = [line + 1, i + 1];
      if (c >= 0xd800 && c < 0xdc00) i++;
      byte += c < 0x80 ? 1 : c < 0x800 ? 2 : c >= 0xd800 && c < 0xdc00 ? 4 : 3;
      i++;
    }
    places[which] = { index: i, line, column: i - start + 1 };
  }
  return places;
}

/** The line around an index, cut to what can be looked at: { text, from, to }, the part in question at from..to. */
export function excerptOf(text, index, end) {
  const lineStart = text.lastIndexOf("\n", index - 1) + 1;
  const newline = text.indexOf("\n", index);
  const lineEnd = newline < 0 ? text.length : newline;
  const from = index - lineStart < 50 ? lineStart : index - 30;
  const to = Math.min(lineEnd, from + LONGEST);
  const before = from > lineStart ? "…" : "";
  return { text: before + text.slice(from, to) + (to < lineEnd ? "…" : ""), from: index - from + before.length, to: Math.min(end, to) - from + before.length };
}

// The end of the value that begins at an index: of a scalar itself, of an object or list its bracket.
function valueEnd(text, index) {
  if (text[index] === '"') {
    for (let i = index + 1; i < text.length; i++) {
      if (text[i] === "\\") i++;
      else if (text[i] === '"') return i + 1;
    }
    return text.length;
  }
  const m = /[^\s,\]}:]*/y;
  m.lastIndex = index;
  return "{[".includes(text[index]) ? index + 1 : index + (m.exec(text)?.[0].length || 1);
}

function placed(text, findings) {
  const base = skip(text, 0);
  const places = placesOf(text, findings.map((f) => f.at ?? 0), base);
  return findings.map((f, i) => {
    const end = valueEnd(text, places[i].index);
    return { ...f, ...places[i], end, excerpt: excerptOf(text, places[i].index, end) };
  });
}

/**
 * Will it run? { broken } where it is no JSON, else { verdict, dialect, target, named, findings, tokens, cost }, each finding
 * with index, line, column, end and excerpt. `target`: the model chosen; without one the one that the request names.
 */
export function check(cando, { text, target, provider, dialect }) {
  const broken = jsonError(text);
  if (broken) return { broken: { ...broken, ...placeOf(text, broken.index), excerpt: excerptOf(text, broken.index, broken.index + 1) } };
  if (text[skip(text, 0)] !== "{") return { broken: { index: 0, line: 1, column: 1, message: "a request is one JSON object", excerpt: excerptOf(text, skip(text, 0), 1) } };
  const about = { target: target || undefined, provider: provider || undefined, dialect: dialect || undefined };
  const body = bodyOf(text);
  const answer = cando.operation("preflight", { ...about, request: body });
  const found = target || answer.target;
  return { ...answer, target: found, named: !target, findings: placed(text, answer.findings ?? []), cost: priced(cando, body, found, dialect) };
}

// What it will cost there, if that can be known at all.
function priced(cando, body, target, dialect) {
  if (!target) return undefined;
  try {
    const { total_cost, estimate, unknown } = cando.operation("cost", { request: body, target, dialect: dialect || undefined });
    return { total_cost, unknown, low: estimate?.low, expected: estimate?.expected, high: estimate?.high, why: estimate?.why, assumes: estimate?.assumes };
  } catch {
    return undefined;
  }
}

// -- the repair -----------------------------------------------------------------------------------

// The request of an answer as the engine wrote it: parsing it would lose how numbers and blanks stand there.
function repairedBy(cando, text, about) {
  const question = JSON.stringify({ op: "preflight", ...about, fix: true }).slice(0, -1) + ',"request":' + text + "}";
  const answer = cando.raw(question);
  const { ok, result } = JSON.parse(answer);
  if (!ok || !result.changes?.length) return undefined;
  const at = spanOf(answer, "/result/request");
  return at && { changes: result.changes, request: answer.slice(at.start, at.end), left: result.left ?? [] };
}

// A request that is refused for what nobody can mend is not repaired at all. What else is wrong with it can be: it is judged
// without the members in which the trouble is, and of that repair only those changes count which findings of the whole
// request ask for.
function repairedInPart(cando, text, about, findings) {
  const hopeless = findings.filter((f) => f.severity === "error" && f.fix_kind !== "safe" && f.fix_kind !== "lossy");
  const members = [...new Set(hopeless.map((f) => f.path.split("/")[1]).filter((m) => m && m !== "model"))];
  if (!members.length || members.some((m) => ["messages", "contents", "input"].includes(m))) return undefined;
  const scratch = applyChanges(text, members.map((m) => ({ op: "remove", path: "/" + m })));
  const repaired = scratch && repairedBy(cando, scratch, about);
  if (!repaired) return undefined;
  const asked = (c) => findings.some((f) => (f.fix_kind === "safe" || f.fix_kind === "lossy") && (f.path === c.path || f.path === c.from));
  const kept = repaired.changes.filter((c) => asked(c) && !members.includes(c.path.split("/")[1]));
  const request = applyChanges(text, kept);
  const mended = (f) => kept.some((c) => c.path === f.path || c.from === f.path);
  return kept.length && request ? { changes: kept, request, left: findings.filter((f) => f.severity === "error" && !mended(f)) } : undefined;
}

const shown = (pointer) => steps(pointer)?.join(".") ?? pointer;
function told({ op, from, path, value }) {
  if (op === "move") return `rename ${shown(from)} to ${shown(path)}`;
  if (op === "remove") return `leave out ${shown(path)}`;
  const json = JSON.stringify(value) ?? "";
  const short = json.length > 60 ? json.slice(0, 60) + "…" : json;
  return op === "add" ? `add ${shown(path)}: ${short}` : `${shown(path)}: ${short}`;
}

/**
 * The repair in pieces that can be taken one by one: { pieces: [{ changes, title, kind, why, text }], all, safe, left }. `text`
 * is the request after this piece alone, `all` after all of them, `safe` after those that lose nothing. Without a repair the
 * list is empty.
 */
export function repair(cando, { text, target, provider, dialect }) {
  const none = { pieces: [], left: [] };
  if (text.length > REPAIRED) return { ...none, large: true };
  if (jsonError(text) || text[skip(text, 0)] !== "{") return none;
  const body = text.trim();
  const about = { target: target || undefined, provider: provider || undefined, dialect: dialect || undefined };
  const { findings = [] } = cando.operation("preflight", { ...about, request: body, only: ["findings"] });
  const whole = repairedBy(cando, body, about);
  const repaired = whole ?? repairedInPart(cando, body, about, findings);
  if (!repaired) return { ...none, left: findings.filter((f) => f.severity === "error") };

  const made = pieces(repaired.changes).map((changes) => pieceOf(body, changes, findings));
  const usable = made.every((p) => p.text !== undefined) && same(applyChanges(body, repaired.changes), repaired.request);
  const list = usable ? made : [{ ...pieceOf(body, repaired.changes, findings), text: repaired.request }];
  const safe = list.filter((p) => p.kind === "safe");
  return { pieces: list, all: repaired.request, safe: safe.length ? applyChanges(body, safe.flatMap((p) => p.changes)) : undefined, left: repaired.left };
}

function pieceOf(text, changes, findings) {
  const about = findings.filter((f) => changes.some((c) => c.path === f.path || c.from === f.path));
  return {
    changes,
    title: changes.map(told).join(", "),
    kind: about.some((f) => f.fix_kind === "lossy") ? "lossy" : "safe",
    why: about.map((f) => f.message).join("; "),
    code: about[0]?.code,
    text: applyChanges(text, changes),
  };
}

function same(a, b) {
  try {
    return JSON.stringify(sorted(JSON.parse(a))) === JSON.stringify(sorted(JSON.parse(b)));
  } catch {
    return false;
  }
}
function sorted(v) {
  if (Array.isArray(v)) return v.map(sorted);
  if (!v || typeof v !== "object") return v;
  return Object.fromEntries(Object.keys(v).sort().map((k) => [k, sorted(v[k])]));
}

// -- who takes it ---------------------------------------------------------------------------------

const FIRST = 60; // rows that are looked at before the first answer: those that are seen

/**
 * Which of all offerings take the request as it is, the cheapest first. Yields answers that get better:
 * { takers: [{ target, cost }], repaired: [targets that take it once repaired], refused: [{ target, code, path, message }],
 * considered, excluded, done }.
 */
export function* takers(cando, { text, dialect, status }) {
  const request = bodyOf(text);
  const question = { request, dialect: dialect || undefined, status };
  const { tokens } = cando.operation("preflight", { request, dialect: dialect || undefined, only: ["tokens"] });
  const found = cando.operation("select", { ...question, sort: "price", refused: true });
  const usage = { input_tokens: tokens?.expected ?? 0, output_tokens: Math.min(tokens?.output ?? 500, 500) };
  let rows = found.matches.map(({ target }) => ({ target, cost: cando.operation("cost", { usage, target }).total_cost }));
  const at = new Map(rows.map((r) => [r, units(r.cost)]));
  rows.sort((a, b) => cheaper(at.get(a), at.get(b)) || (a.target < b.target ? -1 : 1));

  const repaired = [];
  const answer = (done) => ({ takers: rows, repaired, refused: found.refused ?? [], considered: found.considered, excluded: found.excluded, usage, done });
  let looked = 0;
  const look = (n) => {
    const out = new Set();
    for (const row of rows.slice(looked, looked + n)) {
      const { verdict } = cando.operation("preflight", { request, dialect: dialect || undefined, target: row.target, only: [] });
      if (verdict !== "ok") {
        repaired.push(row.target);
        out.add(row);
      }
    }
    looked += n - out.size;
    if (out.size) rows = rows.filter((r) => !out.has(r));
  };
  if (text.length > REPAIRED) {
    yield answer(true);
    return;
  }
  look(FIRST);
  yield answer(looked >= rows.length);
  if (looked >= rows.length) return;
  while (looked < rows.length) {
    look(20);
    yield undefined;
  }
  yield answer(true);
}

// -- a conversation -------------------------------------------------------------------------------

/** What of the conversation in a request dies on a switch from one model to another, each finding at its line. */
export function switched(cando, { text, from, to }) {
  const body = text.trim();
  if (jsonError(body) || body[0] !== "{") return { verdict: null, findings: [], missing: [] };
  const answer = cando.operation("negotiate", { history: body, previous: from || undefined, target: to, requirements: [] });
  const lead = skip(text, 0);
  const findings = answer.findings.map((f) => {
    const at = spanOf(body, f.path);
    const index = lead + (at?.start ?? 0);
    const end = valueEnd(text, index);
    return { ...f, index, end, ...placeOf(text, index), excerpt: excerptOf(text, index, end) };
  });
  return { ...answer, findings };
}
