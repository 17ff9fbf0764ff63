// mould.js - objects that are made of answers without parsing them.
//
// The engine tells which answers differ in their texts and numbers alone, and where in the text these are
// (bindings/mould.h). The first one of a kind is parsed. Those that follow are copies of it, with the values that differ.
const NEW = 0x100; // as in mould.h
const SAME = 0xffffffff;

// Where `fill` is: in this answer, at this value of it.
let text;
let values;
let at;

const TEXT = 1;
const NUMBER = 2;
const WITHIN = 3;

const isWithin = (value) => typeof value === "object" && value !== null;

// Of an object or array: a copy of it is filled, member by member. `within` makes those that are no values themselves.
function mouldOf(like) {
  const members = [];
  for (const name of Object.keys(like)) {
    const value = like[name];
    const kind = isWithin(value) ? WITHIN : typeof value === "string" ? TEXT : typeof value === "number" ? NUMBER : 0;
    if (kind) members.push({ name: Array.isArray(like) ? Number(name) : name, kind, within: kind === WITHIN ? mouldOf(value) : undefined });
  }
  return { like, list: Array.isArray(like), members };
}

function fill({ like, list, members }) {
  const made = list ? like.slice() : { ...like };
  for (let i = 0; i < members.length; i++) {
    const { name, kind, within } = members[i];
    if (kind === WITHIN) {
      made[name] = fill(within);
      continue;
    }
    const value = values[at++];
    if (value !== SAME) made[name] = kind === NUMBER ? value : text.substring(value & 0xffff, value >>> 16);
  }
  return made;
}

/** The moulds of one engine, by their numbers. */
export class Moulds {
  #known = [];

  /** What JSON.parse(answer) gives. `said` is what the engine says of it. */
  parse(answer, said) {
    const number = said[0];
    const mould = this.#known[number];
    if (number !== 0 && mould !== undefined) {
      text = answer;
      values = said;
      at = 1;
      return fill(mould);
    }
    const value = JSON.parse(answer);
    if (number > NEW) this.#learn(number - NEW, answer, value);
    return value;
  }

  // Members come in the order of the text, and each once, if it is the text that the object gives.
  #learn(number, answer, value) {
    const plain = typeof value === "object" && value !== null && !answer.includes('"__proto__"') && JSON.stringify(value) === answer;
    this.#known[number] = plain ? mouldOf(JSON.parse(answer)) : undefined;
  }
}
