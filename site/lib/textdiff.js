// textdiff.js - what differs between two texts, line by line, and within lines that were changed.

const MOST = 400; // edits that are looked for one by one; beyond that all between is shown as changed

/**
 * The edits from list `a` to list `b`: [{ kind: "same" | "gone" | "new", a, b, n }], runs of indices. Common ends are cut off
 * first; between them it is Myers' shortest edit.
 */
export function edits(a, b) {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const out = [];
  const put = (kind, i, j, n) => {
    if (!n) return;
    const last = out.at(-1);
    if (last?.kind === kind) last.n += n;
    else out.push({ kind, a: i, b: j, n });
  };
  put("same", 0, 0, head);
  const n = a.length - head - tail;
  const m = b.length - head - tail;
  const path = n && m ? shortest(a, b, head, n, m) : undefined;
  if (path) for (const [kind, i, j] of path) put(kind, i, j, 1);
  else {
    put("gone", head, head, n);
    put("new", head + n, head, m);
  }
  put("same", a.length - tail, b.length - tail, tail);
  return out;
}

function shortest(a, b, head, n, m) {
  const most = Math.min(n + m, MOST);
  const at = new Int32Array(2 * most + 3);
  const trace = [];
  for (let d = 0; d <= most; d++) {
    trace.push(at.slice(most - d, most + d + 3));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && at[most + 1 + k - 1] < at[most + 1 + k + 1]);
      let x = down ? at[most + 1 + k + 1] : at[most + 1 + k - 1] + 1;
      let y = x - k;
      while (x < n && y < m && a[head + x] === b[head + y]) {
        x++;
        y++;
      }
      at[most + 1 + k] = x;
      if (x >= n && y >= m) return back(trace, d, n, m, head);
    }
  }
  return undefined;
}

function back(trace, d, n, m, head) {
  const path = [];
  let x = n;
  let y = m;
  for (; d > 0; d--) {
    const row = trace[d]; // row[i] is diagonal i - d - 1
    const v = (k) => row[k + d + 1];
    const k = x - y;
    const down = k === -d || (k !== d && v(k - 1) < v(k + 1));
    const before = down ? k + 1 : k - 1;
    const px = v(before);
    const py = px - before;
    while (x > px && y > py) path.push(["same", head + --x, head + --y]);
    if (down) path.push(["new", head + x, head + --y]);
    else path.push(["gone", head + --x, head + y]);
  }
  while (x > 0 && y > 0) path.push(["same", head + --x, head + --y]);
  return path.reverse();
}

const WORDS = /"(?:[^"\\]|\\.)*"|[A-Za-z0-9_.+-]+|\s+|[^]/g;

/** A changed line and what it became, in parts: [[text, changed]] each. */
export function marked(a, b) {
  if (a.length > 5000 || b.length > 5000) return [[[a, true]], [[b, true]]];
  const [left, right] = [a.match(WORDS) ?? [], b.match(WORDS) ?? []];
  const [one, two] = [[], []];
  const put = (list, text, changed) => {
    const last = list.at(-1);
    if (last && last[1] === changed) last[0] += text;
    else list.push([text, changed]);
  };
  for (const e of edits(left, right)) {
    for (let i = 0; i < e.n; i++) {
      if (e.kind !== "new") put(one, left[e.a + i], e.kind === "gone");
      if (e.kind !== "gone") put(two, right[e.b + i], e.kind === "new");
    }
  }
  return [one, two];
}

// A line that is far too long to look at (a request in one line) is cut around what changed.
const WIDE = 160;
export function clipped(parts, wide = WIDE) {
  if (parts.reduce((n, [t]) => n + t.length, 0) <= wide) return parts;
  const half = Math.floor(wide / 4);
  return parts.map(([text, changed], i) => {
    if (changed) return [text.length > wide ? text.slice(0, wide) + "…" : text, true];
    const first = i === 0;
    const last = i === parts.length - 1;
    if (text.length <= (first || last ? half : 2 * half)) return [text, false];
    if (first && last) return [text.slice(0, wide) + "…", false];
    if (first) return ["…" + text.slice(-half), false];
    if (last) return [text.slice(0, half) + "…", false];
    return [text.slice(0, half) + "…" + text.slice(-half), false];
  });
}

/**
 * The lines that differ, with `around` lines before and after: [{ kind, line, parts }], where a line of kind "skip" stands for
 * those left out. `line` is the number in the text that the line is of.
 */
export function diffLines(a, b, around = 1) {
  const [left, right] = [a.split("\n"), b.split("\n")];
  const runs = edits(left, right);
  const out = [];
  const same = (run, from, to) => {
    for (let i = from; i < to; i++) out.push({ kind: "same", line: run.b + i + 1, parts: clipped([[right[run.b + i], false]]) });
  };
  for (let r = 0; r < runs.length; r++) {
    const run = runs[r];
    if (run.kind === "same") {
      const before = r > 0 ? around : 0;
      const after = r < runs.length - 1 ? around : 0;
      if (run.n <= before + after + 1) same(run, 0, run.n);
      else {
        same(run, 0, before);
        out.push({ kind: "skip", n: run.n - before - after });
        same(run, run.n - after, run.n);
      }
      continue;
    }
    const next = runs[r + 1];
    if (run.kind === "gone" && next?.kind === "new") {
      pair(out, left, right, run, next);
      r++;
      continue;
    }
    const list = run.kind === "gone" ? left : right;
    const from = run.kind === "gone" ? run.a : run.b;
    for (let i = 0; i < run.n; i++) out.push({ kind: run.kind, line: from + i + 1, parts: clipped([[list[from + i], false]]) });
  }
  return out;
}

function pair(out, left, right, gone, fresh) {
  const both = Math.min(gone.n, fresh.n);
  const marks = [];
  for (let i = 0; i < both; i++) marks.push(marked(left[gone.a + i], right[fresh.b + i]));
  for (let i = 0; i < gone.n; i++) {
    out.push({ kind: "gone", line: gone.a + i + 1, parts: clipped(i < both ? marks[i][0] : [[left[gone.a + i], false]]) });
  }
  for (let i = 0; i < fresh.n; i++) {
    out.push({ kind: "new", line: fresh.b + i + 1, parts: clipped(i < both ? marks[i][1] : [[right[fresh.b + i], false]]) });
  }
}
