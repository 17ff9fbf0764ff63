// fields.js - capabilities by the names that people know, in the order of the page.
//
// What is not here is shown under the catalog's name, with spaces.

const groups = [
  ["Takes", [
    ["input_image", "Images in", "images in the prompt"],
    ["input_pdf", "PDF in", "PDF documents in the prompt"],
    ["input_audio", "Audio in", "audio in the prompt"],
    ["input_video", "Video in", "video in the prompt"],
  ]],
  ["Gives", [
    ["output_image", "Images out", "it makes images"],
    ["output_audio", "Audio out", "it speaks"],
    ["output_video", "Video out", "it makes videos"],
    ["embeddings", "Embeddings", "vectors instead of text"],
  ]],
  ["Tools", [
    ["tool_calling", "Tools", "it calls functions that you define"],
    ["parallel_tool_calls", "Parallel tools", "several tool calls in one turn"],
    ["tool_choice", "Tool choice", "you may force or forbid a tool call"],
    ["web_search", "Web search", "the provider searches the web for it"],
    ["web_fetch", "Web fetch", "the provider fetches pages for it"],
    ["file_search", "File search", "the provider searches uploaded files"],
    ["code_execution", "Code execution", "the provider runs code for it"],
    ["computer_use", "Computer use", "it operates a screen"],
    ["remote_mcp", "MCP servers", "the provider connects to MCP servers itself"],
  ]],
  ["Output", [
    ["structured_output", "JSON schema", "output bound to a JSON schema"],
    ["json_mode", "JSON mode", "output is some JSON object"],
    ["streaming", "Streaming", "answers arrive as they are made"],
    ["citations", "Citations", "answers cite their sources"],
    ["logprobs", "Logprobs", "probabilities of tokens are returned"],
    ["predicted_outputs", "Predicted output", "you may send the likely answer along"],
    ["fim", "Fill in middle", "it fills in the middle of a text"],
  ]],
  ["Reasoning", [
    ["reasoning", "Reasoning", "it thinks before it answers"],
    ["reasoning_effort", "Effort", "you set how hard it thinks"],
    ["thinking_budget", "Thinking budget", "you set a budget of tokens for thinking"],
    ["adaptive_thinking", "Adaptive thinking", "it decides itself how long it thinks"],
    ["interleaved_thinking", "Interleaved thinking", "it thinks between tool calls"],
    ["verbosity", "Verbosity", "you set how wordy the answer is"],
  ]],
  ["Prompt", [
    ["prompt_caching", "Prompt caching", "repeated beginnings are cached"],
    ["system_message", "System message", "system instructions are honoured"],
    ["assistant_prefill", "Prefill", "you may begin the answer"],
  ]],
  ["Sampling", [
    ["temperature", "Temperature", "sampling temperature is accepted"],
    ["top_p", "Top p", "nucleus sampling is accepted"],
    ["top_k", "Top k", "top-k sampling is accepted"],
    ["seed", "Seed", "a seed makes answers repeatable"],
    ["stop_sequences", "Stop sequences", "stop sequences are accepted"],
    ["frequency_penalty", "Frequency penalty", "frequency penalty is accepted"],
    ["presence_penalty", "Presence penalty", "presence penalty is accepted"],
    ["logit_bias", "Logit bias", "single tokens can be made likelier"],
  ]],
  ["API", [
    ["batch", "Batch", "cheaper, asynchronous requests"],
    ["files_api", "Files API", "uploaded files can be referred to"],
    ["responses_api", "Responses API", "served through the Responses API"],
    ["chat_completions", "Chat Completions", "served through Chat Completions"],
    ["conversation_state", "Kept conversation", "the provider keeps the conversation"],
    ["background_mode", "Background", "requests run in the background"],
    ["compaction", "Compaction", "the provider shortens long conversations"],
  ]],
];

/** [{ name: "Tools", fields: [{ id, label, says }] }] */
export const capabilityGroups = groups.map(([name, fields]) => ({ name, fields: fields.map(([id, label, says]) => ({ id, label, says })) }));
export const capabilities = capabilityGroups.flatMap((group) => group.fields);

const others = {
  context_window: "Context", max_input: "Max. input", max_output: "Max. output", max_tools: "Max. tools", max_thinking_budget: "Max. thinking budget",
  cache_min_tokens: "Cached from", embedding_dimensions: "Dimensions", token_limit_param: "Length parameter", tokenizer: "Tokenizer",
  reasoning_efforts: "Efforts", thinking_modes: "Thinking modes", input_modalities: "Takes", output_modalities: "Gives", price: "Price",
  display_name: "Name", model_kind: "Kind", model_family: "Family", release_date: "Released", knowledge_cutoff: "Knows until", status: "Status",
  deprecated_on: "Deprecated", retires_on: "Retires", replaced_by: "Successor", open_weights: "Open weights", input_price: "Input $/M", output_price: "Output $/M",
  input_text: "Text in", output_text: "Text out", rerank: "Rerank", moderation: "Moderation", tool_search: "Tool search",
};
const byId = new Map(capabilities.map((field) => [field.id, field]));

export const isCapability = (id) => byId.has(id);

/** "tool_calling" -> "Tools" */
export function labelOf(id) {
  const known = byId.get(id)?.label ?? (Object.hasOwn(others, id) ? others[id] : undefined);
  if (known) return known;
  const words = id.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const saysOf = (id) => byId.get(id)?.says ?? "";
