// plot.js - offerings as points: price to the right, tokens upwards, both logarithmic. Those that
// nothing cheaper reaches are joined by a line and named.
import { fill, h } from "./dom.js";
import { money, tokens } from "./format.js";
import { frontier, logScale, logTicks } from "./lib/scales.js";

const margin = { left: 58, right: 20, top: 14, bottom: 42 };

/** points: [{ x, y, name, provider, open() }]; x 0 is free and stands at the left edge. */
export function plot({ label }) {
  const tip = h("div", { class: "tip", role: "status", hidden: true });
  const picture = h("svg", { role: "img" });
  const box = h("div", { class: "plot", tabindex: "0", role: "group", "aria-label": `${label}. Arrow keys go from point to point, Enter opens.` }, picture, tip);
  let points = [], names = {}, placed = [], at = -1;

  function draw() {
    const [width, height] = [box.clientWidth, box.clientHeight];
    if (!width || !height) return;
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    picture.setAttribute("aria-label", `${points.length} models: ${names.y} against ${names.x}`);
    const paid = points.filter((p) => p.x > 0);
    if (!paid.length) return fill(picture, h("text", { x: width / 2, y: height / 2, "text-anchor": "middle", class: "axis" }, "Nothing here has both numbers"));
    const low = Math.min(...paid.map((p) => p.x)), high = Math.max(...paid.map((p) => p.x));
    const bottom = Math.min(...points.map((p) => p.y)), top = Math.max(...points.map((p) => p.y));
    const free = points.length > paid.length ? 46 : 0;
    const x = logScale(low, high * 1.15, margin.left + free + 14, width - margin.right);
    const y = logScale(bottom * 0.8, top * 1.3, height - margin.bottom, margin.top);
    placed = points.map((p) => ({ ...p, px: p.x > 0 ? x(p.x) : margin.left + 22, py: y(p.y) })).sort((a, b) => a.px - b.px || a.py - b.py);
    const best = frontier(placed.filter((p) => p.x > 0));
    fill(picture,
      logTicks(low, high).map((tick) => [h("line", { x1: x(tick), x2: x(tick), y1: margin.top, y2: height - margin.bottom, class: "rule" }), h("text", { x: x(tick), y: height - margin.bottom + 16, "text-anchor": "middle", class: "axis" }, money(tick).replace(/\.00$/, ""))]),
      free ? h("text", { x: margin.left + 22, y: height - margin.bottom + 16, "text-anchor": "middle", class: "axis" }, "free") : [],
      logTicks(bottom * 0.8, top * 1.3).map((tick) => [h("line", { x1: margin.left, x2: width - margin.right, y1: y(tick), y2: y(tick), class: "rule" }), h("text", { x: margin.left - 8, y: y(tick) + 4, "text-anchor": "end", class: "axis" }, tokens(tick))]),
      h("text", { x: width - margin.right, y: height - 6, "text-anchor": "end", class: "axis" }, `${names.x} →`),
      h("text", { x: margin.left - 48, y: margin.top - 2, class: "axis" }, `↑ ${names.y}`),
      h("polyline", { points: best.map((p) => `${p.px},${p.py}`).join(" "), class: "best" }),
      placed.map((p) => h("circle", { cx: p.px, cy: p.py, r: 3.5, class: "point" })),
      best.map((p) => h("circle", { cx: p.px, cy: p.py, r: 5, class: "point top" })),
      namesOf(best, width),
      h("circle", { r: 8, class: "here", cx: -20, cy: -20 }));
  }

  // Names where no other name stands already.
  function namesOf(best, width) {
    const taken = [];
    return [...best].reverse().map((p) => {
      const long = p.name.length * 6.4;
      const left = p.px + 9 + long > width - 4;
      const spot = { x0: left ? p.px - 9 - long : p.px + 9, y0: p.py - 16, x1: left ? p.px - 9 : p.px + 9 + long, y1: p.py - 2 };
      if (taken.some((t) => spot.x0 < t.x1 && spot.x1 > t.x0 && spot.y0 < t.y1 && spot.y1 > t.y0)) return null;
      taken.push(spot);
      return h("text", { x: left ? p.px - 9 : p.px + 9, y: p.py - 5, "text-anchor": left ? "end" : "start", class: "name" }, p.name);
    });
  }

  function mark(index) {
    at = index;
    const p = placed[at];
    const here = picture.querySelector(".here");
    if (!p || !here) return void (tip.hidden = true);
    here.setAttribute("cx", p.px);
    here.setAttribute("cy", p.py);
    fill(tip, h("strong", {}, p.name), h("br"), p.provider, h("br"), `${p.x === 0 ? "free" : `${money(p.x)} ${names.x}`}`, h("br"), `${tokens(p.y)} ${names.y}`);
    tip.hidden = false;
    tip.style.left = `${Math.min(p.px + 12, Math.max(0, box.clientWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${Math.max(4, p.py - tip.offsetHeight - 12)}px`;
  }

  function nearest(event) {
    const area = box.getBoundingClientRect();
    const [mx, my] = [event.clientX - area.left, event.clientY - area.top];
    let found = -1, least = 18 * 18;
    placed.forEach((p, i) => {
      const far = (p.px - mx) ** 2 + (p.py - my) ** 2;
      if (far < least) { least = far; found = i; }
    });
    return found;
  }

  box.addEventListener("pointermove", (event) => {
    const found = nearest(event);
    if (found >= 0) mark(found);
    else tip.hidden = true;
    box.classList.toggle("over", found >= 0);
  });
  box.addEventListener("click", (event) => placed[nearest(event)]?.open());
  box.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (step && placed.length) mark((at + step + placed.length) % placed.length);
    else if (event.key === "Enter" && placed[at]) placed[at].open();
    else if (event.key === "Escape") tip.hidden = true;
    else return;
    event.preventDefault();
  });
  const size = new ResizeObserver(draw);
  size.observe(box);

  return {
    box,
    set(list, axes) {
      points = list;
      names = axes;
      at = -1;
      tip.hidden = true;
      draw();
    },
    close: () => size.disconnect(),
  };
}
