# edge.capnp - a worker at the edge: no files, and of WebAssembly only what was compiled before. Paths are those of
# the folder that edge.mjs makes.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "unix:edge.sock", http = (), service = "main")],
);

const worker :Workerd.Worker = (
  compatibilityDate = "2026-01-01",
  modules = [
    (name = "edge.js", esModule = embed "edge.js"),
    (name = "cando.js", esModule = embed "cando.js"),
    (name = "engine.js", esModule = embed "engine.js"),
    (name = "mould.js", esModule = embed "mould.js"),
    (name = "operations.js", esModule = embed "operations.js"),
    (name = "cando.wasm", wasm = embed "cando.wasm"),
    (name = "cando.snap", data = embed "cando.snap"),
  ],
);
