// worker.js - the engine in a worker: questions in, answers out. Jobs (site/jobs) work in slices,
// and between two of them whatever came meanwhile is answered.

// Code is fetched while engine and catalog are, not before them.
const code = Promise.all([import("./engine/cando.js"), import("./jobs/table.js"), import("./jobs/pages.js"), import("./jobs/work.js")]);

let jobs;
const running = new Map(); // jobs: true, or false once they are cancelled
const early = [];
let cando;

// Engine and catalog lie beside the page. Where the page is one file (cando.html) they come along, packed and as base64.
const carried = globalThis.candoFiles;
const beside = (name) => new URL(`./engine/${name}`, import.meta.url);
const decoded = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

// What is packed is unpacked; a host that does so by itself is as good.
async function unpacked(bytes) {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function found(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url.pathname} could not be fetched: ${answer.status}`);
  return answer;
}

async function catalogBytes(name) {
  return unpacked(carried ? decoded(carried[name]) : new Uint8Array(await (await found(beside(name))).arrayBuffer()));
}

async function compiled(name) {
  if (carried) return WebAssembly.compile(await unpacked(decoded(carried[name])));
  const answer = await found(beside(name));
  const streams = answer.headers.get("content-type") === "application/wasm";
  return streams ? WebAssembly.compileStreaming(answer) : WebAssembly.compile(await answer.arrayBuffer());
}

const files = Promise.all([compiled("cando.wasm"), catalogBytes("catalog.bin")]);

async function begin(today) {
  const [[engine, catalog], [{ load }, ...parts]] = await Promise.all([files, code]);
  jobs = Object.assign({}, ...parts);
  cando = await load({ engine, catalog, today });
}

const said = (error) => ({ code: error.code, message: error.message, at: error.at, hint: error.hint });

// Lets whatever else was posted come first.
const channel = new MessageChannel();
const turns = [];
channel.port1.onmessage = () => turns.shift()?.();
const turn = () => new Promise((next) => {
  turns.push(next);
  channel.port2.postMessage(0);
});

async function work(id, name, args) {
  const step = async () => {
    await turn();
    if (!running.get(id)) throw new Error("cancelled");
  };
  running.set(id, true);
  try {
    const result = await jobs[name](cando, args, { step, progress: (progress) => postMessage({ id, progress }) });
    postMessage({ id, result });
  } catch (error) {
    postMessage({ id, error: said(error) });
  } finally {
    running.delete(id);
  }
}

function answer({ id, op, question, job, args, cancel }) {
  if (cancel) return running.has(cancel) && running.set(cancel, false);
  if (job) return work(id, job, args);
  try {
    postMessage({ id, result: cando.operation(op, question) });
  } catch (error) {
    postMessage({ id, error: said(error) });
  }
}

onmessage = ({ data }) => {
  if ("today" in data) {
    begin(data.today ?? undefined).then(
      () => { for (const message of early.splice(0)) answer(message); },
      (error) => postMessage({ broken: error.message }),
    );
  } else if (cando) answer(data);
  else early.push(data);
};
