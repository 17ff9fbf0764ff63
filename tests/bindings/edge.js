// edge.js - a worker at the edge: it answers the questions of a request, a line each.
import engine from "./cando.wasm"; // a WebAssembly.Module: nothing is compiled here
import catalog from "./cando.snap";
import { load } from "./cando.js";

export default {
  async fetch(request) {
    const cando = await load({ engine, catalog, today: request.headers.get("today") });
    const lines = (await request.text()).split("\n");
    return new Response(lines.filter((line) => line).map((line) => cando.raw(line) + "\n").join(""));
  },
};
