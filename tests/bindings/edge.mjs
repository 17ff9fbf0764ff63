// edge.mjs PACKAGE - questions as lines of JSON in, answers out, through a worker in workerd, which is what runs
// workers at the edge. Run where workerd is installed (tests/bindings/doors.sh).
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const folder = mkdtempSync(join(tmpdir(), "cando-edge-"));
const take = (from, ...names) => names.forEach((name) => cpSync(join(from, name), join(folder, name)));
take(process.argv[2], "cando.js", "engine.js", "mould.js", "operations.js", "cando.wasm", "cando.snap");
take(fileURLToPath(new URL(".", import.meta.url)), "edge.js", "edge.capnp");

const socketPath = join(folder, "edge.sock");
const server = spawn(resolve("build/doors/node_modules/.bin/workerd"), ["serve", "edge.capnp"], { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
const ended = new Promise((done) => server.on("exit", done));

function ask(body) {
  return new Promise((done, fail) => {
    const asked = request({ socketPath, method: "POST", headers: { today: process.env.CANDO_TODAY } }, async (reply) => {
      const parts = [];
      for await (const part of reply) parts.push(part);
      if (reply.statusCode === 200) done(Buffer.concat(parts));
      else fail(new Error(`${reply.statusCode} ${Buffer.concat(parts)}`));
    });
    asked.on("error", fail).end(body);
  });
}

try {
  while (!existsSync(socketPath) && server.exitCode === null) await wait(20);
  process.stdout.write(await ask(readFileSync(0)));
} finally {
  server.kill("SIGKILL");
  await ended;
  rmSync(folder, { recursive: true, force: true });
}
