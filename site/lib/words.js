// words.js - what is typed into a filter of targets ("provider/model").
//
//     openai, anthropic     of one of these providers
//     claude opus, gpt-5    all words of one of the alternatives

const alternatives = (text) => text.toLowerCase().split(",").map((part) => part.split(/\s+/).filter(Boolean)).filter((part) => part.length);

/** A test of targets; `providers` (a Set): a word that is the whole name of one means just that one. */
export function matcher(text, providers = new Set()) {
  const any = alternatives(text ?? "");
  if (!any.length) return () => true;
  const fits = (target, word) => (providers.has(word) ? target.startsWith(`${word}/`) : target.includes(word));
  return (target) => {
    const id = target.toLowerCase();
    return any.some((words) => words.every((word) => fits(id, word)));
  };
}
