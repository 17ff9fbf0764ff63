// jsonplace.js - places in the text of a JSON value.
//
//     byte of the engine ──► index of the text ──► line and column
//     JSON Pointer       ──► span of the value, and of the member that it belongs to
//
// Nothing here recurses: the text may be nested as deep as it likes.

/** The index in `text` (UTF-16) of the byte `byte` of its UTF-8 form. */
export function indexOfByte(text, byte) {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    if (bytes >= byte) return i;
    const c = text.charCodeAt(i);
    if (c < 0x80) bytes += 1;
    else if (c < 0x800) bytes += 2;
    else if (c >= 0xd800 && c < 0xdc00 && i + 1 < text.length) {
      bytes += 4;
      i++;
    } else bytes += 3;
  }
  return text.length;
}

/** Line and column, both from 1 on, of an index. */
export function placeOf(text, index) {
  let line = 1;
  let start = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < index; at = text.indexOf("\n", at + 1)) {
    line++;
    start = at + 1;
  }
  return { line, column: index - start + 1 };
}

/** The steps of a JSON Pointer; undefined if it is none. */
export function steps(pointer) {
  if (pointer === "") return [];
  if (pointer[0] !== "/") return undefined;
  return pointer.slice(1).split("/").map((s) => s.replaceAll("~1", "/").replaceAll("~0", "~"));
}

const blank = (c) => c === 32 || c === 10 || c === 13 || c === 9;

/** The first index from `i` on that is no white space. */
export function skip(text, i) {
  while (i < text.length && blank(text.charCodeAt(i))) i++;
  return i;
}

// The index behind the string that begins at i, or -1: it does not end.
function stringEnd(text, i) {
  for (i++; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 92) i++;
    else if (c === 34) return i + 1;
    else if (c < 32) return -1;
  }
  return -1;
}

const ESCAPES = /^(?:[^\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*$/;
const SCALAR = /(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)/y;

function scalarEnd(text, i) {
  SCALAR.lastIndex = i;
  return SCALAR.test(text) ? SCALAR.lastIndex : -1;
}

/**
 * Walks through the text once. `see(event)` hears of each value when it ends: { start, end, depth, key, keyStart, index,
 * parent }; what it returns true for ends the walk. The result is undefined, or { index, message } where it is no JSON.
 */
export function walk(text, see) {
  const stack = []; // of { open: "{" or "[", start, key, keyStart, n }
  let i = skip(text, 0);
  let top;
  const bad = (index, message) => ({ index: Math.min(index, text.length), message });
  const heard = (start, end) => see?.({ start, end, depth: stack.length, key: top?.key, keyStart: top?.keyStart, index: top?.n, parent: top?.open });

  // A member's name and its colon; then i is where the value begins.
  const key = () => {
    if (text[i] !== '"') return bad(i, 'expected "name"');
    const end = stringEnd(text, i);
    if (end < 0) return bad(i, "the text does not end");
    top.key = text.slice(i, end);
    top.keyStart = i;
    i = skip(text, end);
    if (text[i] !== ":") return bad(i, "expected ':'");
    i = skip(text, i + 1);
    return undefined;
  };

  for (;;) {
    // a value begins at i
    const start = i;
    const c = text[i];
    if (c === "{" || c === "[") {
      i = skip(text, i + 1);
      if (text[i] === (c === "{" ? "}" : "]")) {
        i++;
        if (heard(start, i)) return undefined;
      } else {
        top = { open: c, start, key: undefined, keyStart: undefined, n: 0 };
        stack.push(top);
        const error = c === "{" ? key() : undefined;
        if (error) return error;
        continue;
      }
    } else {
      const end = c === '"' ? stringEnd(text, i) : scalarEnd(text, i);
      if (end < 0) return bad(i, c === '"' ? "the text does not end" : i >= text.length ? "it ends too early" : "expected a value");
      if (c === '"' && end - i < 1000 && !ESCAPES.test(text.slice(i + 1, end - 1))) return bad(i, "an escape that is none");
      i = end;
      if (heard(start, i)) return undefined;
    }
    // a value has ended: what follows it?
    for (;;) {
      i = skip(text, i);
      if (!top) return i < text.length ? bad(i, "expected the end") : undefined;
      const close = top.open === "{" ? "}" : "]";
      if (text[i] === ",") {
        i = skip(text, i + 1);
        top.n++;
        const error = top.open === "{" ? key() : undefined;
        if (error) return error;
        break;
      }
      if (text[i] !== close) return bad(i, i >= text.length ? "it ends too early" : `expected ',' or '${close}'`);
      const done = stack.pop();
      top = stack.at(-1);
      i++;
      if (heard(done.start, i)) return undefined;
    }
  }
}

/** What is wrong with a text as JSON: { index, message }, or undefined. */
export function jsonError(text) {
  return skip(text, 0) >= text.length ? { index: 0, message: "nothing here" } : walk(text);
}

const unquoted = (key) => {
  try {
    return JSON.parse(key);
  } catch {
    return key.slice(1, -1);
  }
};

/**
 * Where the value of a pointer stands: { start, end, key, keyStart, parent, index }. Undefined if there is none. Of members of
 * the same name the last counts, as it does for parsers.
 */
export function spanOf(text, pointer) {
  const path = steps(pointer);
  if (!path) return undefined;
  let from = skip(text, 0);
  let found = { start: from, end: endOf(text, from) };
  if (found.end === undefined) return undefined;
  for (const step of path) {
    const part = text.slice(found.start, found.end);
    let next;
    walk(part, (v) => {
      if (v.depth !== 1) return false;
      const same = v.parent === "{" ? unquoted(v.key) === step : String(v.index) === step;
      if (same) next = v;
      return same && v.parent === "[";
    });
    if (!next) return undefined;
    const base = found.start;
    found = {
      start: base + next.start,
      end: base + next.end,
      parent: next.parent,
      index: next.index,
      key: next.key,
      keyStart: next.keyStart === undefined ? undefined : base + next.keyStart,
    };
  }
  return found;
}

function endOf(text, from) {
  let end;
  const error = walk(text, (v) => {
    if (v.depth === 0) end = v.end;
    return false;
  });
  return error || from >= text.length ? undefined : end;
}
