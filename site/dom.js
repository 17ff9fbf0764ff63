// dom.js - elements, and nothing but elements: texts become text nodes, whatever stands in them.

const svgTags = new Set(["svg", "g", "path", "circle", "line", "rect", "text", "polyline", "title"]);

/** h("a", { href, class: "x", onclick: f, disabled: true }, "text", child, [more]) */
export function h(tag, props, ...children) {
  const svg = svgTags.has(tag) && !(tag === "title" && !props?.svg);
  const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const name in props ?? {}) put(made, name, props[name]);
  add(made, children);
  return made;
}

function put(made, name, value) {
  if (value === undefined || value === null || value === false || name === "svg") return;
  if (name.startsWith("on") && typeof value === "function") made.addEventListener(name.slice(2), value);
  else if (name === "value" || name === "checked" || name === "indeterminate") made[name] = value;
  else if (name === "href" && !safeLink(value)) return;
  else if (name === "src" && !/^data:image\/svg\+xml[,;]/.test(value)) return; // a picture that was made here; in it nothing runs
  else if (name === "style" || name === "srcdoc" || name.startsWith("on")) throw new Error(`no ${name} from data`);
  else made.setAttribute(name, value === true ? "" : value);
}

/** Links of a catalog or of a pasted text lead to pages or within this one, never to script. */
export function safeLink(value) {
  return /^(https?:\/\/|#|blob:|[\w-]+(\/[\w.~\/-]*)?(\.[a-z]+)?$)/i.test(String(value));
}

export function add(to, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    to.append(child instanceof Node ? child : String(child));
  }
  return to;
}

/** What is in it is replaced. */
export function fill(node, ...children) {
  node.replaceChildren();
  return add(node, children);
}

/** The same; what had the focus has it again, if it is still there (by its data-key). */
export function refill(node, ...children) {
  const key = node.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  fill(node, ...children);
  if (key !== undefined) node.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
  return node;
}

/** Offers a text as a file. */
export function save(name, text, type = "text/plain") {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** A few words at the bottom that go away. */
export function toast(text, action) {
  const box = h("div", { class: "toast" }, text, action && h("button", { type: "button", onclick: action.run }, action.label));
  document.getElementById("toasts").append(box);
  if (!action) setTimeout(() => box.remove(), 2500);
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast("Copied");
  } catch {
    toast("The browser does not allow copying");
  }
}
