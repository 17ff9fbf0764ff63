// params.js - which parameters a model takes: those of the API (operation fields), each held against the model by trying it (operation preflight).
//
// Nothing is concluded here. A parameter counts as refused if a request that has it gets a finding that the same request
// without it does not get.

const said = (content) => [{ role: "user", content }];

/** The wire APIs, with the smallest request of each. `lab`: whose own form it is. */
export const apis = [
  { id: "openai-responses", label: "Responses", body: { input: "x" } },
  { id: "openai-chat", label: "Chat Completions", body: { messages: said("x") } },
  { id: "anthropic-messages", label: "Messages", lab: "anthropic", body: { max_tokens: 16, messages: said("x") } },
  { id: "gemini", label: "Gemini", lab: "google", body: { contents: [{ role: "user", parts: [{ text: "x" }] }] } },
  { id: "bedrock-converse", label: "Converse", body: { messages: said([{ text: "x" }]) } },
  { id: "mistral-chat", label: "Mistral chat", lab: "mistral", body: { messages: said("x") } },
  { id: "ollama-chat", label: "Ollama chat", body: { messages: said("x") } },
];
export const apiName = (id) => apis.find((api) => api.id === id)?.label ?? id;

const modelOf = (target) => target.slice(target.indexOf("/") + 1);
const providerOf = (target) => target.slice(0, target.indexOf("/"));

function findingsOf(cando, target, api, body) {
  return cando.operation("preflight", { target, dialect: api.id, request: { model: modelOf(target), ...body }, only: ["findings"] }).findings;
}

const absent = new Set(["api-not-spoken", "model-elsewhere", "model-no-chat"]);

/** The ids of the APIs by which a model is served, its lab's own first; `unknown` if nobody knows the provider. */
export function spoken(cando, target, lab = "") {
  const found = [];
  let unknown = false;
  for (const api of apis) {
    const codes = findingsOf(cando, target, api, api.body).map((f) => f.code);
    unknown ||= codes.includes("provider-unknown");
    if (!codes.some((code) => absent.has(code))) found.push(api);
  }
  if (unknown) return { unknown, apis: [] };
  // A cloud that speaks the forms of several labs speaks each for that lab's models.
  const ofLabs = found.filter((api) => api.lab);
  const kept = ofLabs.length > 1 ? found.filter((api) => !api.lab || api.lab === lab) : found;
  return { unknown, apis: [...kept.filter((api) => api.lab && api.lab === lab), ...kept.filter((api) => !api.lab || api.lab !== lab)].map((api) => api.id) };
}

// -- one API -------------------------------------------------------------------------------------------

const refusing = new Set(["parameter-unsupported", "parameter-renamed", "parameters-conflict", "capability-unsupported", "silently-ignored"]);
const valued = new Set(["value-unsupported", "value-out-of-range", "value-malformed"]); // it is the value that is wrong
const about = (pointer, codes) => (f) => codes(f.code) && f.severity !== "note" && (f.path === pointer || f.path.startsWith(`${pointer}/`));
const merged = (body, steps, value) => (steps.length ? { ...body, [steps[0]]: merged(body?.[steps[0]] ?? {}, steps.slice(1), value) } : value);

// Values that the API takes there; an object or list without a known inside is not tried.
function samples(field) {
  if (field.values) return field.values.filter((v, i) => v && !/unspecified/i.test(v) && field.values.findIndex((w) => w.toLowerCase() === v.toLowerCase()) === i);
  if (field.kinds.includes("boolean")) return [true];
  if (field.kinds.includes("integer") || field.kinds.includes("number")) {
    const [least, most] = [field.least, field.most].map((n) => (n === undefined ? undefined : Number(n)));
    const middle = least !== undefined && most !== undefined ? (least + most) / 4 + least / 2 : Math.max(least ?? 1, 1);
    return [field.kinds.includes("integer") ? Math.ceil(middle) : middle];
  }
  return field.kinds.includes("string") ? ["x"] : [];
}

/** One parameter: { name, kinds, values, least, most, .., refused: { message, fix, source, code } }, or undefined for what has no form. */
function tried(cando, target, api, steps, field, most) {
  const { name, of, source, ...rest } = field;
  const kinds = field.kinds.filter((kind) => kind !== "null");
  if (kinds.length > 4) return undefined;
  const row = { ...rest, name: steps.join("."), kinds };
  const pointer = `/${steps.join("/")}`;
  const look = (value) => findingsOf(cando, target, api, merged(api.body, steps, value));
  const values = samples({ ...field, kinds });
  const refuses = about(pointer, (code) => refusing.has(code) || (!!field.values && valued.has(code)));
  const answers = values.map((value) => {
    const findings = look(value);
    return { value, finding: findings.find(refuses), remark: findings.find(about(pointer, (code) => valued.has(code))) };
  });
  const taken = answers.filter(({ finding }) => !finding).map(({ value }) => value);
  if (field.values) row.values = taken.length ? taken : values;
  if (values.length && !taken.length) row.refused = brief(answers[0].finding);
  else if (field.values && taken.length < values.length) row.without = answers.filter(({ finding }) => finding).map(({ value, finding }) => ({ value, ...brief(finding) }));
  // A word that was made up for the trial tells what the parameter wants.
  else if (!field.values && answers[0]?.remark) row.remark = brief(answers[0].remark).message;
  if (kinds.includes("integer") && !row.refused && most !== undefined && !field.most && look(1e9).some((f) => f.capability === "max_output" && f.path === pointer)) row.most = String(most);
  return row;
}

const brief = ({ code, message, fix, source, severity }) => ({ code, message: message.replace(/; is (?:"[^"]*"|\S+)$/, ""), fix, source, severity });

const wide = 6; // members of an object within an object that are still listed one by one

function* under(cando, target, api, steps, most, depth) {
  let answer;
  try {
    answer = cando.operation("fields", { dialect: api.id, path: steps.join("."), provider: providerOf(target) });
  } catch {
    return; // nothing is known of its inside
  }
  if (answer.by && steps.length) {
    const row = tried(cando, target, api, [...steps, answer.by], { name: answer.by, kinds: ["string"], values: answer.cases, required: false }, most);
    if (row) yield row;
    return;
  }
  for (const field of answer.fields) {
    const path = [...steps, field.name];
    const row = tried(cando, target, api, path, field, most);
    if (!row) continue;
    const object = depth > 0 && row.kinds.includes("object") && !row.kinds.includes("array") && field.of && !row.refused;
    const inside = object ? [...under(cando, target, api, path, most, depth - 1)] : [];
    const listed = inside.length > 0 && (!steps.length || inside.length <= wide);
    if (!listed || row.kinds.length > 1) yield row;
    if (listed) yield* inside;
  }
}

/** The parameters of one API, as the model has them. */
export function parametersOf(cando, target, id) {
  const api = apis.find((one) => one.id === id);
  const most = cando.operation("resolve", { target }).fields.max_output ?? undefined;
  return [...under(cando, target, api, [], most, 2)].filter((row) => row.name !== "model" && row.name !== "modelId");
}

/** { unknown, apis, api, rows }: the APIs of a model, and the parameters of one of them: that which was asked for, else the first of which some are known. */
export function parameters(cando, { target, lab, api }) {
  const found = spoken(cando, target, lab);
  for (const id of found.apis.includes(api) ? [api] : found.apis) {
    const rows = parametersOf(cando, target, id);
    if (rows.length || id === api) return { ...found, api: id, rows };
  }
  return { ...found, api: found.apis[0], rows: [] };
}

const count = (n) => Number(n).toLocaleString("en-US");
const range = (least, most, what = "") => (least !== undefined && most !== undefined ? `${count(least)} to ${count(most)}${what}` : most !== undefined ? `up to ${count(most)}${what}` : least !== undefined ? `from ${count(least)}${what}` : "");

/** What it takes, in words: "0 to 2", "text, up to 64 characters". */
export function takesText({ kinds, values, least, most, fewest, longest, open }) {
  const list = kinds.includes("array");
  const words = [
    values && values.join(", ") + (open ? ", …" : ""),
    (kinds.includes("number") || kinds.includes("integer")) && (range(least, most) || (kinds.includes("integer") ? "whole number" : "number")),
    kinds.includes("boolean") && "true, false",
    !values && kinds.includes("string") && !kinds.some((kind) => ["number", "integer", "boolean"].includes(kind)) && (longest && !list ? `text, ${range(undefined, longest, " characters")}` : "text"),
    list && `list${longest ? `, ${range(fewest, longest)}` : ""}`,
    kinds.includes("object") && "object",
  ].filter(Boolean);
  return words.join(" or ");
}
