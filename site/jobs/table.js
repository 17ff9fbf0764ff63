// table.js - all offerings as columns: what the table, the plot and every picker work on.
import { capabilities } from "../fields.js";
import { codeOf, CONTESTED, INFERRED } from "../format.js";

const texts = ["model_family", "model_kind", "retires_on", "replaced_by"];
const number = (v) => (v === null || v === undefined ? NaN : Number(v));

/** { n, provider: [..], model: [..], context: Float64Array, can: { tool_calling: Uint8Array } }; `only`: with these capabilities alone, which takes less. */
export async function table(cando, { only } = {}) {
  const ids = capabilities.map(({ id }) => id).filter((id) => !only || only.includes(id));
  const { models } = cando.models({ fields: [...ids, ...texts, "context_window", "max_output"], marks: true });
  const n = models.length;
  const numbers = (of) => Float64Array.from(models, of);
  const made = {
    n,
    provider: models.map((m) => m.provider),
    model: models.map((m) => m.model),
    name: models.map((m) => m.name ?? ""),
    released: models.map((m) => m.release_date ?? ""),
    status: models.map((m) => m.status ?? ""),
    context: numbers((m) => number(m.context_window)),
    output: numbers((m) => number(m.max_output)),
    inputPrice: numbers((m) => number(m.input_price)),
    outputPrice: numbers((m) => number(m.output_price)),
    family: models.map((m) => m.fields.model_family ?? ""),
    kind: models.map((m) => m.fields.model_kind ?? ""),
    retires: models.map((m) => m.fields.retires_on ?? ""),
    successor: models.map((m) => m.fields.replaced_by ?? ""),
    canonical: models.map((m) => m.canonical ?? ""),
    contested: { context: new Uint8Array(n), output: new Uint8Array(n) }, // sources disagree about these numbers
    can: {},
  };
  for (const id of ids) {
    const column = new Uint8Array(n);
    for (let i = 0; i < n; i++) column[i] = codeOf(models[i].fields[id]);
    made.can[id] = column;
  }
  models.forEach((m, i) => {
    for (const id of m.inferred ?? []) if (made.can[id]) made.can[id][i] |= INFERRED;
    for (const id of m.contested ?? []) {
      if (made.can[id]) made.can[id][i] |= CONTESTED;
      else if (id === "context_window") made.contested.context[i] = 1;
      else if (id === "max_output") made.contested.output[i] = 1;
    }
  });
  return made;
}
