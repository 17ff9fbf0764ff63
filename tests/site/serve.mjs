// serve.mjs - the site on a plain static server, as any host would: files below a folder, under a path prefix, nothing packed.
//
//     const server = await serve("build/site", { prefix: "/a/b/" });
//     server.url      http://127.0.0.1:PORT/a/b/
//     await server.close()
//
// As a program (node tests/site/serve.mjs [FOLDER] [PORT]) it is there to look at the page by hand.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const types = {
  ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".json": "application/json",
  ".svg": "image/svg+xml", ".wasm": "application/wasm", ".webmanifest": "application/manifest+json", ".ics": "text/calendar; charset=utf-8",
};

export async function serve(folder, { prefix = "/", port = 0 } = {}) {
  const root = resolve(folder);

  async function answer(asked, reply) {
    const path = decodeURIComponent(new URL(asked.url, "http://page").pathname);
    let file = path.startsWith(prefix) ? join(root, normalize(`/${path.slice(prefix.length)}`)) : "";
    let found = file && await stat(file).catch(() => undefined);
    if (found?.isDirectory()) found = await stat((file = join(file, "index.html"))).catch(() => undefined);
    if (!found) return reply.writeHead(404, { "content-type": "text/plain" }).end("not found");
    reply.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream", "content-length": found.size, "cache-control": "no-cache" });
    createReadStream(file).pipe(reply);
  }

  const server = createServer({ keepAliveTimeout: 0 }, (asked, reply) => answer(asked, reply).catch(() => reply.writeHead(400).end()));
  await new Promise((done) => server.listen(port, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${server.address().port}${prefix}`,
    close: () => new Promise((done) => { server.close(done); server.closeAllConnections(); }),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log((await serve(process.argv[2] ?? "build/site", { port: Number(process.argv[3] ?? 8000) })).url);
}
