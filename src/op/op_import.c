/*
 * op_import.c - import: files of other catalogs in, our own rule files out.
 *
 * Nothing is fetched and nothing is written here: texts come with the question
 * and go with the answer. `cando import` and `cando update` are doors to it.
 */
#include "op.h"

#include "base/instant.h"
#include "base/limits.h"
#include "facts/write.h"

static const struct op_arg args[] = {
    {"sources", true, "[{\"source\":\"models.dev\",\"day\":\"2026-07-02\",\"text\":\"<the file>\"},..]"},
    {"providers", false, "ids of providers to write files for; without it all"},
    {"skipped", false, "true: list every record that was not imported, with its reason"},
    {"files", false, "false: only count"},
    {"current", false, "true: leave chat models of hosts out that only the oldest list has"},
    {0},
};

/* -- the sources, shared with `conflicts` -------------------------------------------------- */

static bool source_member(struct op_call *c, const struct json *v, size_t i, const char *key, struct str *out)
{
    const struct json *m = json_get(v, key);
    struct str at = str_printf(c->ar, "/sources/%zu/%s", i, key);
    if (!at.p)
        return op_memory(c);
    if (!m)
        return op_fail(c, CODE_missing_argument, at, "a source has no '%s'", key);
    if (m->kind != JSON_STRING)
        return op_fail(c, CODE_bad_argument, at, "'%s' must be a string, it is %s", key, json_kind_name(m));
    *out = m->text;
    return true;
}

static bool unknown_source(struct op_call *c, struct str at, struct str name)
{
    struct buf list;
    buf_init(&list, c->a, 1024);
    for (unsigned i = 0; i < FACT_SOURCES; i++)
        buf_printf(&list, "%s%s", i ? ", " : "", fact_source_row(i)->name);
    op_fail(c, CODE_bad_argument, at, "there is no source '%.*s'", STR_ARG(str_head(name, 80)));
    if (!list.failed)
        op_hint(c, "known: %.*s", STR_ARG(str_make(list.p, list.n)));
    buf_free(&list);
    return false;
}

static bool day_number(struct str s, uint32_t *out)
{
    int32_t day;
    *out = 0;
    if (!day_parse(s, &day))
        return false;
    for (size_t i = 0; i < s.n; i++)
        if (char_is_digit(s.p[i]))
            *out = *out * 10 + (uint32_t)(s.p[i] - '0');
    return true;
}

static bool read_source(struct op_call *c, struct import *im, const struct json *v, size_t i)
{
    struct str name, day, text, at = str_printf(c->ar, "/sources/%zu", i);
    struct json_error bad;
    uint32_t yyyymmdd;
    if (!at.p)
        return op_memory(c);
    if (v->kind != JSON_OBJECT)
        return op_fail(c, CODE_bad_argument, at, "a source is an object, this is %s", json_kind_name(v));
    for (size_t k = 0; k < v->n; k++) {
        struct str key = v->key[k].text;
        if (!str_is(key, "source") && !str_is(key, "day") && !str_is(key, "text"))
            return op_fail(c, CODE_unknown_argument, at, "a source has 'source', 'day' and 'text', not '%.*s'",
                           STR_ARG(str_head(key, 80)));
    }
    if (!source_member(c, v, i, "source", &name) || !source_member(c, v, i, "day", &day) || !source_member(c, v, i, "text", &text))
        return false;
    unsigned source = fact_source_find(name);
    if (source == FACT_SOURCES)
        return unknown_source(c, at, name);
    if (!day_number(day, &yyyymmdd))
        return op_fail(c, CODE_bad_date, at, "'%.*s' is not a day", STR_ARG(str_head(day, 40)));
    if (im->count[source].given)
        return op_fail(c, CODE_bad_argument, at, "the source '%.*s' is given twice", STR_ARG(name));
    if (import_read(im, source, text, yyyymmdd, &bad))
        return true;
    if (bad.code == CODE_memory)
        return op_memory(c);
    return op_fail(c, bad.code, at, "%.*s: line %u, column %u: %s", STR_ARG(name), bad.line, bad.column, bad.message);
}

bool arg_fact_sources(struct op_call *c, const struct id_tables *ids, struct import *im)
{
    const struct json *list = json_get(c->args, "sources");
    import_init(im, c->ar, ids);
    if (!list || list->kind != JSON_ARRAY)
        return op_fail(c, CODE_bad_argument, STR("/sources"), "'sources' must be a list%s%s", list ? ", it is " : "",
                       list ? json_kind_name(list) : "");
    for (size_t i = 0; i < list->n; i++)
        if (!read_source(c, im, &list->item[i], i))
            return false;
    return true;
}

/* -- the answer ------------------------------------------------------------------------------- */

static void write_counts(struct json_writer *w, const struct import *im)
{
    char day[16];
    jw_keyz(w, "sources");
    jw_array(w);
    for (unsigned s = 0; s < FACT_SOURCES; s++) {
        const struct import_count *n = &im->count[s];
        size_t skipped = 0;
        if (!n->given)
            continue;
        jw_object(w);
        jw_keyz(w, "source");
        jw_strz(w, fact_source_row(s)->name);
        jw_keyz(w, "day");
        jw_strz(w, day_dashed(n->day, day));
        jw_keyz(w, "read");
        jw_uint(w, n->read);
        jw_keyz(w, "imported");
        jw_uint(w, n->imported);
        jw_keyz(w, "reasons");
        jw_object(w);
        for (unsigned r = 0; r < SKIP_REASONS; r++) {
            skipped += n->skipped[r];
            if (!n->skipped[r])
                continue;
            jw_keyz(w, skip_word((enum skip_reason)r));
            jw_uint(w, n->skipped[r]);
        }
        jw_object_end(w);
        jw_keyz(w, "skipped");
        jw_uint(w, skipped);
        jw_keyz(w, "bad_values");
        jw_uint(w, n->bad_values);
        jw_object_end(w);
    }
    jw_array_end(w);
}

static void write_place(struct json_writer *w, unsigned source, struct str at, const char *reason, struct str detail)
{
    jw_object(w);
    jw_keyz(w, "source");
    jw_strz(w, fact_source_row(source)->name);
    jw_keyz(w, "at");
    jw_str(w, at);
    jw_keyz(w, "reason");
    jw_strz(w, reason);
    jw_keyz(w, "detail");
    jw_str(w, detail);
    jw_object_end(w);
}

static void write_skipped(struct json_writer *w, const struct import *im)
{
    jw_keyz(w, "skipped");
    jw_array(w);
    for (size_t i = 0; i < im->n_skips; i++)
        write_place(w, im->skip[i].source, im->skip[i].at, skip_word((enum skip_reason)im->skip[i].reason), im->skip[i].detail);
    for (size_t i = 0; i < im->n_bad; i++)
        write_place(w, im->bad[i].source, im->bad[i].at, "bad-value", im->bad[i].detail);
    jw_array_end(w);
}

static bool wanted(const struct json *providers, struct str id)
{
    if (!providers)
        return true;
    for (size_t i = 0; i < providers->n; i++)
        if (providers->item[i].kind == JSON_STRING && str_eq_fold(providers->item[i].text, id))
            return true;
    return false;
}

/* Hosts change what they serve by the week, and say so nowhere. */
static bool is_host(const struct op_call *c, struct str id)
{
    const struct snapshot *s = &c->catalog->snap;
    uint32_t p = snapshot_provider(s, id);
    return p != SNAP_NONE && str_is(snap_str(s, snap_provider(s, p).kind), "host");
}

struct output {
    const struct json *providers; /* NULL: all */
    bool texts, current;
};

/* One file a provider; counts models and providers that have rows. */
static bool write_files(struct op_call *c, struct import *im, struct merged *m, struct output out)
{
    size_t models = 0, files = 0, old = 0;
    struct buf b;
    buf_init(&b, c->a, LIMIT_TOML_BYTES);
    jw_keyz(c->w, "files");
    jw_array(c->w);
    for (size_t from = 0, to; from < m->n_rows && !b.failed; from = to) {
        struct str id = im->offering[m->row[from].offering].provider;
        for (to = from; to < m->n_rows && str_eq(im->offering[m->row[to].offering].provider, id); to++)
            continue;
        if (!wanted(out.providers, id))
            continue;
        if (out.current && is_host(c, id))
            old += merge_mark_old(im, m, from, to);
        buf_clear(&b);
        size_t n = write_rows(&b, im, m, from, to);
        if (!n || b.failed)
            continue;
        models += n;
        files++;
        jw_object(c->w);
        jw_keyz(c->w, "provider");
        jw_str(c->w, id);
        jw_keyz(c->w, "models");
        jw_uint(c->w, n);
        if (out.texts) {
            jw_keyz(c->w, "text");
            jw_str(c->w, str_make(b.p, b.n));
        }
        jw_object_end(c->w);
    }
    jw_array_end(c->w);
    bool ok = !b.failed && !im->failed;
    buf_free(&b);
    jw_keyz(c->w, "models");
    jw_uint(c->w, models);
    jw_keyz(c->w, "providers");
    jw_uint(c->w, files);
    size_t bare = 0, gone = 0;
    for (size_t i = 0; i < m->n_rows; i++) {
        gone += m->row[i].gone;
        bare += !m->row[i].gone && !m->row[i].substantial;
    }
    jw_keyz(c->w, "bare"); /* only known to exist */
    jw_uint(c->w, bare);
    jw_keyz(c->w, "gone"); /* no longer on the provider's own list */
    jw_uint(c->w, gone);
    jw_keyz(c->w, "old"); /* left out because of `current` */
    jw_uint(c->w, old);
    return ok || op_memory(c);
}

static bool arg_switch(struct op_call *c, const char *name, bool absent, bool *out)
{
    const struct json *v = json_get(c->args, name);
    *out = v ? v->kind == JSON_TRUE : absent;
    if (!v || v->kind == JSON_TRUE || v->kind == JSON_FALSE)
        return true;
    return op_fail(c, CODE_bad_argument, str_printf(c->ar, "/%s", name), "'%s' must be true or false, it is %s", name,
                   json_kind_name(v));
}

static bool run(struct op_call *c)
{
    const struct json *providers = json_get(c->args, "providers");
    struct id_tables ids = snapshot_ids(&c->catalog->snap);
    struct import im;
    struct merged m;
    bool skipped;
    struct output out = {.providers = providers};
    if (providers && providers->kind != JSON_ARRAY)
        return op_fail(c, CODE_bad_argument, STR("/providers"), "'providers' must be a list, it is %s", json_kind_name(providers));
    if (!arg_switch(c, "skipped", false, &skipped) || !arg_switch(c, "files", true, &out.texts) ||
        !arg_switch(c, "current", false, &out.current) || !arg_fact_sources(c, &ids, &im))
        return false;
    if (!merge_claims(&im, &m))
        return op_memory(c);
    jw_object(c->w);
    write_counts(c->w, &im);
    if (skipped)
        write_skipped(c->w, &im);
    if (!write_files(c, &im, &m, out))
        return false;
    jw_object_end(c->w);
    return true;
}

const struct op op_import = {.name = "import", .doc = "files of other catalogs in, our own rule files out", .arg = args, .run = run};
