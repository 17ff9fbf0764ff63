// columns.js - the columns that a table of offerings may have.
import { h } from "./dom.js";
import { capabilities, capabilityGroups } from "./fields.js";
import { codeWords, count, glyphChar, glyphClass, money, tokens } from "./format.js";
import { modelLink } from "./state.js";

const plain = [
  { id: "provider", label: "Provider", width: 132 },
  { id: "context", label: "Context", width: 78, field: "context_window", say: tokens, exact: count, title: "tokens of prompt and answer together" },
  { id: "output", label: "Output", width: 78, field: "max_output", say: tokens, exact: count, title: "most tokens of an answer" },
  { id: "inputPrice", label: "In $/M", width: 80, field: "price", say: money, title: "dollars for a million tokens of input" },
  { id: "outputPrice", label: "Out $/M", width: 84, field: "price", say: money, title: "dollars for a million tokens of output" },
  { id: "released", field: "release_date", label: "Released", width: 106 },
  { id: "status", field: "status", label: "Status", width: 96 },
  { id: "retires", field: "retires_on", label: "Retires", width: 106, title: "the day after which it no longer answers" },
  { id: "successor", field: "replaced_by", label: "Successor", width: 150 },
  { id: "kind", field: "model_kind", label: "Kind", width: 96 },
  { id: "family", field: "model_family", label: "Family", width: 120 },
  { id: "name", field: "display_name", label: "Name", width: 200 },
];

export const allColumns = [...plain, ...capabilities.map(({ id, label, says }) => ({ id, label, title: says, width: Math.max(64, 26 + Math.round(label.length * 7.8)), can: true }))];
export const defaultColumns = ["provider", "context", "output", "inputPrice", "outputPrice", "released", "tool_calling", "input_image", "input_pdf",
  "structured_output", "reasoning", "web_search", "prompt_caching", "input_audio", "output_image", "status"];

// A text where another may stand already: a node that stays is cheaper than a new one.
function text(node, value) {
  if (!node.firstChild) node.append(value);
  else if (node.firstChild.data !== value) node.firstChild.data = value;
}

/** Columns for grid.js; `open` opens what is behind a capability, `toggle` the hosts of a model; `pick` takes a model for a comparison, or puts it back. */
export function gridColumns(table, ids, { open, toggle, openGroups, grouped, pick, picked }) {
  // Elements of a cell are made once; which entry they are for is written to the cell.
  function parts(td) {
    const button = (name, onclick, more) => h("button", { type: "button", class: name, tabindex: "-1", onclick, ...more });
    td.append(h("a", { tabindex: "-1" }), button("pick", () => pick(td.target), { title: "Compare" }), button("hosts", () => toggle(td.entry.key)));
    return td.children;
  }

  const model = {
    id: "model", label: "Model", title: "id of the model", width: 290,
    cell(td, entry) {
      const { i, hosts, key } = entry;
      const [link, compare, more] = td.children.length ? td.children : parts(td);
      const target = `${table.provider[i]}/${table.model[i]}`;
      td.entry = entry;
      if (td.target !== target) {
        td.target = target;
        link.href = modelLink(table.provider[i], table.model[i]);
        link.title = table.name[i] || table.model[i];
        text(link, table.model[i]);
        compare.setAttribute("aria-label", `Compare ${target}`);
      }
      compare.setAttribute("aria-pressed", String(picked.includes(target)));
      text(compare, picked.includes(target) ? "✓" : "+");
      more.hidden = !grouped || hosts < 2;
      td.classList.toggle("many", !more.hidden);
      if (more.hidden) return;
      more.setAttribute("aria-expanded", String(openGroups.has(key)));
      more.setAttribute("aria-label", `${hosts - 1} more host${hosts > 2 ? "s" : ""} of ${table.model[i]}`);
      text(more, `+${hosts - 1}`);
    },
    open: ({ i }) => { location.hash = modelLink(table.provider[i], table.model[i]); },
    mark: ({ i }) => pick(`${table.provider[i]}/${table.model[i]}`),
  };
  const made = ids.map((id) => allColumns.find((column) => column.id === id)).filter((column) => column).map((column) => {
    if (column.can) return capabilityColumn(table, column, open);
    const values = table[column.id];
    const numeric = values instanceof Float64Array;
    const disputed = table.contested[column.id];
    return {
      ...column, class: numeric ? "num" : "",
      cell(td, { i }) {
        if (disputed) td.classList.toggle("contested", !!disputed[i]);
        if (Object.is(td.value, values[i])) return; // what is the same is not drawn again
        td.value = values[i];
        text(td, column.say ? column.say(values[i]) : values[i]);
        if (column.exact || !numeric) td.title = column.exact ? column.exact(values[i]) : values[i];
        if (column.id === "status") td.className = `status ${values[i]}`;
      },
      open: column.field && (({ i }, td) => open(i, column.field, td)),
    };
  });
  return [model, ...made];
}

function capabilityColumn(table, column, open) {
  const codes = table.can[column.id];
  return {
    ...column, class: "cap",
    cell(td, { i }) {
      const code = codes?.[i] ?? 0;
      const mark = td.firstChild ?? td.appendChild(h("span", { role: "img" }));
      if (td.code === code) return;
      td.code = code;
      mark.className = glyphClass(code);
      text(mark, glyphChar(code));
      mark.setAttribute("aria-label", `${column.label}: ${codeWords(code)}`);
      td.title = codeWords(code);
    },
    open: (entry, td) => open(entry.i, column.id, td),
  };
}

/** Which columns, to be chosen by check marks. */
export function columnsDialog(shown, done) {
  const boxes = new Map();
  const part = (name, columns) => h("fieldset", {}, h("legend", {}, name), columns.map(({ id, label }) => {
    const box = h("input", { type: "checkbox", checked: shown.includes(id), onchange: () => done(chosen()) });
    boxes.set(id, box);
    return h("label", { class: "row tight" }, box, label);
  }));
  const chosen = () => {
    const on = allColumns.map(({ id }) => id).filter((id) => boxes.get(id)?.checked);
    return [...shown.filter((id) => on.includes(id)), ...on.filter((id) => !shown.includes(id))];
  };
  const dialog = h("dialog", { class: "choose", "aria-label": "Columns" },
    h("header", {}, h("h2", {}, "Columns"), h("button", { type: "button", class: "icon", "aria-label": "Close", onclick: () => dialog.close() }, "✕")),
    h("div", { class: "sets" }, part("Facts", plain), capabilityGroups.map((group) => part(group.name, group.fields))),
    h("p", { class: "row" }, h("button", { type: "button", onclick: () => { for (const [id, box] of boxes) box.checked = defaultColumns.includes(id); shown = defaultColumns; done(defaultColumns); } }, "The usual ones"),
      h("button", { type: "button", class: "primary", onclick: () => dialog.close() }, "Done")));
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  document.body.append(dialog);
  dialog.showModal();
}
