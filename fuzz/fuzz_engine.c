/*
 * fuzz_engine.c - rule text from end to end.
 *
 * The first byte picks the API and the layer, the rest is a rule file. It
 * is read, judged, built and opened with all checks: what the compiler wrote
 * must be accepted. Then some ids are resolved, the catalog is imported and
 * built again, and both must say the same, by the same lines.
 */
#include "fuzz.h"

#include "catalog/profile.h"
#include "rules/sources.h"

static const cando_catalog *build(cando_sources *s)
{
    const void *bytes;
    size_t n;
    cando_error err;
    if (cando_sources_build(s, &bytes, &n, &err) != CANDO_OK) {
        if (err.status != CANDO_BAD_INPUT)
            abort();
        return NULL;
    }
    const cando_catalog *cat = cando_catalog_open_copy(bytes, n, NULL, NULL);
    if (!cat)
        abort();
    return cat;
}

static void same_answer(const cando_profile *a, const cando_profile *b)
{
    if (a->identity != b->identity)
        abort();
    for (unsigned f = 0; f < cando_field_count(); f++) {
        cando_value v = cando_profile_get(a, (cando_field)f),
                    w = cando_profile_get(b, (cando_field)f);
        cando_origin o = cando_profile_why(a, (cando_field)f),
                     u = cando_profile_why(b, (cando_field)f);
        if (v.known != w.known || o.known != u.known || o.line != u.line ||
            o.derived != u.derived || strcmp(o.rule, u.rule) != 0)
            abort();
        if (v.known &&
            (v.support != w.support || v.flag != w.flag || v.number != w.number ||
             v.count != w.count || !v.text != !w.text || (v.text && strcmp(v.text, w.text) != 0)))
            abort();
    }
}

static void compare(const cando_catalog *a, const cando_catalog *b)
{
    static const char *const ids[] = {
        "",     "a", "ab", "gpt-5", "gpt-4o-mini", "claude-opus-4-5", "vendor/llama-3.3-70b:free",
        "x-y.z"};
    static const char *const names[] = {"", "a", "openai", "anthropic", "mock", "q"};
    cando_profile p, q;
    for (unsigned i = 0; i < 48; i++) {
        const char *id = ids[i % 8], *name = names[i / 8];
        cando_resolution how = (cando_resolution)(i % 3);
        if (cando_resolve_parts(a, name, strlen(name), id, strlen(id), how, &p, NULL) != CANDO_OK ||
            cando_resolve_parts(b, name, strlen(name), id, strlen(id), how, &q, NULL) != CANDO_OK)
            abort();
        same_answer(&p, &q);
    }
}

/* A text that begins so is a snapshot, and may be a broken one. */
static bool begins_as_snapshot(const uint8_t *p, size_t n)
{
    return n >= sizeof snap_magic && memcmp(p, snap_magic, sizeof snap_magic) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    cando_sources *s = cando_sources_new(NULL, NULL);
    if (!s)
        return 0;
    cando_syntax syntax = (cando_syntax)(data[0] % 4);
    cando_layer layer = (cando_layer)(data[0] / 4 % CANDO_LAYER_COUNT);
    cando_error err;
    if (cando_sources_add(s, "fuzz.toml", (const char *)data + 1, size - 1, syntax, layer, &err) !=
        CANDO_OK) {
        if (!begins_as_snapshot(data + 1, size - 1) || err.status != CANDO_BAD_INPUT)
            abort();
        cando_sources_free(s);
        return 0;
    }
    if (cando_sources_lint(s, NULL) != CANDO_OK)
        abort();
    const cando_catalog *cat = build(s);
    cando_sources_free(s);
    if (!cat)
        return 0;
    s = cando_sources_new(NULL, NULL);
    if (!s || sources_add_catalog(s, cat, NULL) != CANDO_OK)
        abort();
    const cando_catalog *again = build(s);
    if (!again)
        abort();
    cando_sources_free(s);
    compare(cat, again);
    cando_catalog_release(again);
    cando_catalog_release(cat);
    return 0;
}
