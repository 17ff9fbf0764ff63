// sw.js - the page without a network: a service worker that keeps the page's own files.
//
// All files of one build are fetched together, compared with their hashes and kept in one cache; what is not whole is not kept. A
// page gets all of its files from one build, however late it asks for them: a newer build waits until the last page of the older one
// is gone, or until the only one asks for it and loads itself again (offline.js). Badges, tables and calendars are for others, and not kept.

// `make site` writes these two (scripts/site_offline.mjs).
const build = "";
const files = {}; // path from here: SHA-256

const { scope } = registration;
const mine = `cando ${scope} `; // other pages of this origin may have caches, too
const name = mine + build;

const hex = (bytes) => Array.from(new Uint8Array(bytes), (b) => b.toString(16).padStart(2, "0")).join("");

async function keep(cache, path, hash) {
  const url = new URL(path, scope);
  const answer = await fetch(url, { cache: "no-cache" });
  const bytes = await answer.arrayBuffer();
  if (!answer.ok || hex(await crypto.subtle.digest("SHA-256", bytes)) !== hash) throw new Error(`${url.pathname} is not of this build`);
  const headers = new Headers(answer.headers);
  for (const gone of ["content-encoding", "content-length", "transfer-encoding"]) headers.delete(gone); // the bytes are plain now
  await cache.put(url, new Response(bytes, { headers }));
}

async function keepAll() {
  const cache = await caches.open(name);
  try {
    await Promise.all(Object.entries(files).map(([path, hash]) => keep(cache, path, hash)));
  } catch (error) {
    await caches.delete(name);
    throw error;
  }
}

async function dropOlder() {
  const names = await caches.keys();
  await Promise.all(names.filter((one) => one.startsWith(mine) && one !== name).map((one) => caches.delete(one)));
}

async function answer(request, path) {
  const cache = await caches.open(name);
  return (await cache.match(new URL(path, scope))) ?? fetch(request);
}

// A page would like the newer build that waits: it gets it if it is the only one.
async function giveWay(page) {
  const pages = await clients.matchAll({ type: "window" });
  if (pages.length === 1) registration.waiting?.postMessage({ takeOver: true });
  else page.postMessage({ others: true });
}

addEventListener("install", (event) => event.waitUntil(keepAll()));
addEventListener("activate", (event) => event.waitUntil(dropOlder()));
addEventListener("message", (event) => {
  const { data } = event;
  if (data?.giveWay) event.waitUntil(giveWay(event.source));
  else if (data?.takeOver) skipWaiting();
  else if (data?.claim === build) clients.claim(); // a first visit: the page has just been loaded, and is of this build
});
addEventListener("fetch", (event) => {
  const { request } = event;
  const url = request.url.replace(/[?#].*$/, "");
  if (request.method !== "GET" || !url.startsWith(scope)) return;
  const path = url.slice(scope.length) || "index.html";
  if (Object.hasOwn(files, path)) event.respondWith(answer(request, path));
});
