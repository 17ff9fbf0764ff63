// ask.js - the engine runs in a worker; here it is asked.
//
//     const answer = await ask("resolve", { target: "openai/gpt-5" });
//     const table = await job("table", {}, { signal, onProgress });

/** A question that cannot be answered; `code`, `at` (a JSON Pointer) and `hint` say more. */
export class CandoError extends Error {
  constructor({ code, message, at, hint }) {
    super(message);
    this.name = "CandoError";
    Object.assign(this, { code, at, hint });
  }
}

const waiting = new Map();
let worker;
let last = 0;

/** Starts the engine, before the first question. */
export function start(makeWorker, today) {
  worker = makeWorker();
  worker.onmessage = ({ data }) => heard(data);
  worker.onerror = (e) => fail(new Error(e.message || "the engine does not start in this browser"));
  worker.postMessage({ today });
}

function fail(error) {
  for (const { no } of waiting.values()) no(error);
  waiting.clear();
}

function heard({ id, result, error, progress, broken }) {
  if (broken) return fail(new Error(broken));
  const asked = waiting.get(id);
  if (!asked) return;
  if (progress !== undefined) return asked.onProgress?.(progress);
  waiting.delete(id);
  if (error) asked.no(error.code ? new CandoError(error) : new Error(error.message));
  else asked.yes(result);
}

function send(message, { signal, onProgress } = {}) {
  return new Promise((yes, no) => {
    if (signal?.aborted) return no(signal.reason);
    const id = ++last;
    waiting.set(id, { yes, no, onProgress });
    signal?.addEventListener("abort", () => {
      if (!waiting.delete(id)) return;
      worker.postMessage({ cancel: id });
      no(signal.reason);
    }, { once: true });
    worker.postMessage({ id, ...message });
  });
}

/** One question; its result. */
export const ask = (op, question = {}, options) => send({ op, question }, options);

/** A longer work of the worker (site/jobs): newer questions overtake it. */
export const job = (name, args = {}, options) => send({ job: name, args }, options);
