// state.js - the whole state of a view is in the link: #/explore?q=opus&can=tool_calling
//
// Texts that were pasted are packed (deflate, base64url) where that makes a link that people can
// still send around; longer ones stay in memory alone.

const longest = 30000; // of a packed text, in characters

/** "#/model/openai/gpt-5?a=1" -> { view: "model", rest: "openai/gpt-5", params } */
export function parse(hash) {
  const text = hash.replace(/^#\/?/, "");
  const at = text.indexOf("?");
  const path = at < 0 ? text : text.slice(0, at);
  const slash = path.indexOf("/");
  const params = new URLSearchParams(at < 0 ? "" : text.slice(at + 1));
  params.rest = decode(slash < 0 ? "" : path.slice(slash + 1));
  params.view = decode(slash < 0 ? path : path.slice(0, slash));
  return params;
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// Half a character, as in a text that was cut, is none for links.
const whole = (text) => text.toWellFormed?.() ?? text;

const path = (text) => whole(text).split("/").map(encodeURIComponent).join("/").replaceAll("%3A", ":").replaceAll("%40", "@");

/** The link to a view; members that are empty are left out. */
export function link(view, rest = "", params = {}) {
  const kept = new URLSearchParams();
  const pairs = params instanceof URLSearchParams ? params : Object.entries(params);
  for (const [name, value] of pairs) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined && one !== null && one !== "" && one !== false) kept.append(name, one === true ? "1" : one);
  }
  const query = kept.toString().replaceAll("%2C", ",").replaceAll("%2F", "/").replaceAll("%3A", ":");
  return `#/${view}${rest ? `/${path(rest)}` : ""}${query ? `?${query}` : ""}`;
}

/** The link to a model's page. */
export const modelLink = (provider, model) => link("model", `${provider}/${model}`);

const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

/** A text for a link, or null if it is too long for one. */
export async function pack(text) {
  if (text.length > longest * 20) return null;
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  if (bytes.length > longest * 0.75) return null;
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The text of a link; null if it is none. What it unpacks to is bounded. */
export async function unpack(packed) {
  try {
    const binary = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    const decoder = new TextDecoder();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      text += decoder.decode(value, { stream: true });
      if (text.length > longest * 200) return null;
    }
  } catch {
    return null;
  }
}
