// grid.js - a table of thousands of rows of which only those in sight exist. Arrows move, Enter
// opens; rows are of one height, so that the scroll bar tells the truth.
import { h } from "./dom.js";

const rowHeight = 32;
const beyond = 5; // rows that are there above and below what is seen
const printed = 500; // rows that go to paper
const idle = globalThis.requestIdleCallback ?? ((f) => setTimeout(f, 50));

/**
 * columns: [{ id, label, title, width, class, cell(td, entry), open(entry, td), mark(entry) }]; Enter opens, Space marks where it can
 * on.sort(id), and the label of the table.
 */
export function grid({ label, onSort }) {
  let columns = [];
  let entries = [];
  let from = 0;
  let rows = []; // the elements of entries[from ..]
  let printing = false;
  let active = { row: 0, column: 0 };
  // How large the box is and how far it was scrolled, as its observers said last: to ask it while rows change would lay them out twice.
  let [wide, high, top, aside] = [0, 0, 0, 0];
  let ends = []; // of the columns, in pixels

  const cols = h("colgroup");
  const head = h("tr", { "aria-rowindex": "1" });
  const above = h("tr", { class: "spacer", "aria-hidden": "true" }, h("td"));
  const below = h("tr", { class: "spacer", "aria-hidden": "true" }, h("td"));
  const body = h("tbody", {}, above, below);
  const table = h("table", { role: "grid", "aria-label": label }, cols, h("thead", {}, head), body);
  const box = h("div", { class: "grid", tabindex: "-1" }, table);

  function setColumns(list, sort) {
    columns = list;
    cols.replaceChildren(...columns.map(() => h("col")));
    widths();
    head.replaceChildren(...columns.map((column) => h("th", {
      scope: "col", class: column.class, "aria-sort": sort.id === column.id ? (sort.down ? "descending" : "ascending") : undefined,
    }, h("button", { type: "button", class: "sort", title: column.title, tabindex: "-1", onclick: () => onSort(column.id) },
      column.label, sort.id === column.id ? (sort.down ? " ↓" : " ↑") : ""))));
    table.setAttribute("aria-colcount", columns.length);
    for (const row of rows) row.remove();
    rows = [];
    active.column = Math.min(active.column, columns.length - 1);
    draw();
    mark();
  }

  // On a phone the first column leaves room for others beside it.
  function widths() {
    let all = 0;
    ends = columns.map((column, k) => {
      const width = k === 0 && wide < 600 ? Math.min(column.width, 168) : column.width;
      cols.children[k].style.width = `${width}px`;
      return (all += width);
    });
    table.style.width = `${all}px`;
  }

  // `hasty`, as while somebody types: what is in sight is drawn at once, all beyond it when there is time.
  function setEntries(list, toTop = true, hasty = false) {
    entries = list;
    table.setAttribute("aria-rowcount", entries.length + 1);
    if (toTop) scrollTo(0), active.row = 0;
    active.row = Math.min(active.row, Math.max(0, entries.length - 1));
    for (const row of rows) row.stale = true;
    draw(hasty);
    mark();
    if (hasty) idle(() => draw());
  }

  function scrollTo(to) {
    if (top !== to) box.scrollTop = top = to;
  }

  function measure() {
    [wide, high, top, aside] = [box.clientWidth, box.clientHeight, box.scrollTop, box.scrollLeft];
  }

  function fillRow(row, at, hasty) {
    const entry = entries[at];
    row.stale = hasty;
    row.at = at;
    row.setAttribute("aria-rowindex", at + 2);
    row.className = entry.host ? "host" : "";
    columns.forEach((column, k) => { if (!hasty || !k || (ends[k] > aside && ends[k] - column.width < aside + wide)) column.cell(row.cells[k], entry); });
  }

  function makeRow() {
    const row = h("tr");
    columns.forEach((column, k) => row.append(h(k ? "td" : "th", { class: column.class, tabindex: "-1", scope: k ? undefined : "row" })));
    row.stale = true;
    return row;
  }

  // `hasty`: rows and columns out of sight may stay as they are.
  function draw(hasty = false) {
    if (!high) measure();
    const seen = printing ? Math.min(entries.length, printed) : Math.ceil(high / rowHeight) + 1;
    const sight = Math.floor(top / rowHeight);
    const first = printing ? 0 : Math.max(0, Math.min(sight - beyond, entries.length - seen));
    const last = Math.min(entries.length, first + seen + (printing ? 0 : 2 * beyond));
    const kept = document.activeElement;
    const inside = kept && body.contains(kept);
    // Rows that left on one side come back on the other.
    while (rows.length && from < first) { const row = rows.shift(); from++; if (rows.length + from < last) rows.push(row), row.stale = true, body.insertBefore(row, below); else row.remove(); }
    if (!rows.length) from = first;
    while (rows.length && from + rows.length > last) rows.pop().remove();
    while (from > first) { const row = makeRow(); body.insertBefore(row, rows[0] ?? below); rows.unshift(row); from--; }
    while (from + rows.length < last) { const row = makeRow(); body.insertBefore(row, below); rows.push(row); }
    rows.forEach((row, k) => { if ((row.stale || row.at !== from + k) && !(hasty && (from + k < sight || from + k > sight + seen))) fillRow(row, from + k, hasty); });
    above.firstChild.style.height = `${from * rowHeight}px`;
    below.firstChild.style.height = `${Math.max(0, entries.length - from - rows.length) * rowHeight}px`;
    above.hidden = from === 0;
    below.hidden = printing || entries.length === from + rows.length;
    if (inside) place(true);
  }

  const cellOf = ({ row, column }) => rows[row - from]?.cells[column];

  // One cell can be reached by Tab; arrows lead to the others.
  function mark() {
    for (const cell of body.querySelectorAll('[tabindex="0"]')) cell.setAttribute("tabindex", "-1");
    cellOf(active)?.setAttribute("tabindex", "0");
  }

  function place(focus) {
    mark();
    const cell = cellOf(active);
    if (focus) (cell ?? box).focus({ preventScroll: true });
  }

  function move(row, column) {
    active = { row: Math.max(0, Math.min(entries.length - 1, row)), column: Math.max(0, Math.min(columns.length - 1, column)) };
    const at = active.row * rowHeight;
    const room = high - 36 - rowHeight;
    if (at < top) scrollTo(at);
    else if (at > top + room) scrollTo(at - room);
    draw();
    place(true);
    const cell = cellOf(active);
    if (!cell || !active.column) return void (active.column || (box.scrollLeft = 0));
    const fixed = rows[0].cells[0].offsetWidth;
    if (cell.offsetLeft - fixed < box.scrollLeft) box.scrollLeft = cell.offsetLeft - fixed;
    else if (cell.offsetLeft + cell.offsetWidth > box.scrollLeft + box.clientWidth) box.scrollLeft = cell.offsetLeft + cell.offsetWidth - box.clientWidth;
  }

  const steps = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1], PageDown: [20, 0], PageUp: [-20, 0], Home: [0, -1000], End: [0, 1000] };

  box.addEventListener("keydown", (event) => {
    if (event.ctrlKey && (event.key === "Home" || event.key === "End")) move(event.key === "Home" ? 0 : entries.length, active.column);
    else if (steps[event.key]) move(active.row + steps[event.key][0], active.column + steps[event.key][1]);
    else if (event.key === "Enter" || event.key === " ") {
      if (event.target.closest("button, a") || !entries.length) return;
      const { open, mark: choose } = columns[active.column];
      if (event.key === " " && choose) choose(entries[active.row]);
      else open?.(entries[active.row], cellOf(active));
    } else return;
    event.preventDefault();
  });

  body.addEventListener("click", (event) => {
    const cell = event.target.closest("td, th");
    const row = cell?.parentNode;
    if (!cell || row.classList.contains("spacer")) return;
    active = { row: row.at, column: cell.cellIndex };
    mark();
    if (!event.target.closest("a, button")) columns[cell.cellIndex].open?.(entries[row.at], cell);
  });

  let asked = 0;
  box.addEventListener("scroll", () => { asked ||= requestAnimationFrame(() => { asked = 0; [top, aside] = [box.scrollTop, box.scrollLeft]; draw(); }); }, { passive: true });
  const size = new ResizeObserver(() => { measure(); widths(); draw(); });
  size.observe(box);
  const print = (event) => { printing = event.type === "beforeprint"; draw(); };
  for (const name of ["beforeprint", "afterprint"]) addEventListener(name, print);

  function close() {
    size.disconnect();
    for (const name of ["beforeprint", "afterprint"]) removeEventListener(name, print);
  }
  return { box, setColumns, setEntries, focus: () => move(active.row, active.column), close };
}
