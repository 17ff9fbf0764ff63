// claims.js - what single lists said, as the catalog keeps it: {"input_pdf|litellm|2026-08-08": "native"}, and of all
// that a list gave {"*|litellm|2026-08-08": "streaming price"}.

/** [{ source, day, value }] about one field, the newest first; value null: it gave what is in force. */
export function claimsAbout(claims, field) {
  const found = [];
  for (const [key, value] of Object.entries(claims ?? {})) {
    const [about, source, day] = key.split("|");
    if (about === field) found.push({ source, day: day ?? "", value: String(value) });
    else if (about === "*" && String(value).split(" ").includes(field)) found.push({ source, day: day ?? "", value: null });
  }
  return found.sort((a, b) => (a.day < b.day ? 1 : a.day > b.day ? -1 : 0));
}
