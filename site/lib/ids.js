// ids.js - ids of models in any text: a list, a log, source code.
//
// What stands between quotes or blanks is looked up in the catalog; what the text says of a model by a key (model: "..") is
// told as unknown where the catalog has not got it.

const TOKEN = /[A-Za-z0-9][A-Za-z0-9._:@/+-]*[A-Za-z0-9]/g;
const KEYED = /["']?\bmodel(?:_?id|_?name)?["']?\s*[:=]\s*["']([^"'\n]{2,120})["']/gi;
const MOST = 500; // models of one table

/** A look-up over rows of the operation models, with marks: by "provider/model" and by model alone, the lab's own first. */
export function indexOf(models) {
  const byTarget = new Map();
  const byModel = new Map();
  for (const m of models) {
    const target = `${m.provider}/${m.model}`;
    byTarget.set(target.toLowerCase(), target);
    const key = m.model.toLowerCase();
    const list = byModel.get(key);
    const own = m.canonical?.startsWith(`${m.provider}/`);
    if (list) own ? list.unshift(target) : list.push(target);
    else byModel.set(key, [target]);
  }
  return { byTarget, byModel };
}

// Plain words (sonar, command) are ids only where something says so: a number or a dash in it, a key before it, a line of its own.
const tellsItself = (word) => /[0-9]/.test(word) && /[a-z]/i.test(word) && word.length > 3;

const SLICE = 200_000; // characters between two pauses

/**
 * The models that a text names: { targets, unknown }, in the end; undefined between slices. Of a bare id with several hosts it is the lab's
 * own, or the first.
 */
export function* idsIn(text, index) {
  const targets = new Set();
  const unknown = new Set();
  const look = (word, sure) => {
    const key = word.toLowerCase();
    const exact = index.byTarget.get(key);
    if (exact) targets.add(exact);
    if (exact) return true;
    const list = index.byModel.get(key);
    if (list && (sure || tellsItself(word))) targets.add(list[0]);
    return !!list;
  };
  const sureOf = (word) => {
    if (!look(word, true) && unknown.size < 50) unknown.add(word);
  };
  // All that fits a pattern, with pauses.
  const each = function* (pattern, take) {
    let at = 0;
    for (const found of text.matchAll(pattern)) {
      if (targets.size >= MOST) return;
      take(found);
      if (found.index - at < SLICE) continue;
      at = found.index;
      yield undefined;
    }
  };
  yield* each(KEYED, ([, word]) => sureOf(word));
  const lines = text.length < 20000 ? text.split(/[\n,;]/) : undefined;
  if (lines?.every((l) => /^[\s"'*-]*[\w.:@/+-]*[\s"']*$/.test(l))) {
    for (const line of lines) {
      const word = line.replace(/^[\s"'*-]+|[\s"']+$/g, "");
      if (word) sureOf(word);
    }
  } else yield* each(TOKEN, ([word]) => look(word, false));
  yield { targets: [...targets], unknown: [...unknown] };
}
