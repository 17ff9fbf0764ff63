// page.js - asks every line of /questions, in a page or in a worker of it, and gives the answers back as lines.
import { load } from "/cando.js";

export async function answers(today) {
  const cando = await load({ engine: "/cando.wasm", catalog: "/cando.snap", today });
  const lines = (await (await fetch("/questions")).text()).split("\n");
  return lines.filter((line) => line).map((line) => cando.raw(line) + "\n").join("");
}

if (typeof document === "undefined") onmessage = async ({ data }) => postMessage(await answers(data).catch(String));
