/*
 * sources.c - the public way from texts to findings and snapshots.
 */
#include "sources.h"

#include "base/file.h"
#include "catalog/profile.h"
#include "compile.h"
#include "decompile.h"

cando_sources *cando_sources_new(const cando_allocator *a, cando_error *err)
{
    struct cando_sources *s = mem_alloc(a, sizeof *s);
    if (!s) {
        error_memory(err);
        return NULL;
    }
    memset(s, 0, sizeof *s);
    s->a = a;
    arena_init(&s->ar, a);
    ruleset_init(&s->rs, &s->ar);
    return s;
}

void cando_sources_free(cando_sources *s)
{
    if (!s)
        return;
    mem_free(s->a, s->built, s->built_len);
    cando_catalog_release(s->base);
    arena_free(&s->ar);
    mem_free(s->a, s, sizeof *s);
}

static void forget_build(cando_sources *s)
{
    mem_free(s->a, s->built, s->built_len);
    s->built = NULL;
    s->built_len = 0;
}

static bool out_of_memory(const cando_sources *s)
{
    return s->rs.failed || s->rs.diag.failed;
}

cando_status cando_sources_add_catalog(cando_sources *s, const cando_catalog *c, uint32_t without,
                                       cando_error *err)
{
    if (s->base || s->rs.n_sources)
        return error_set(err, CANDO_INTERNAL, CODE_internal,
                         "a catalog must come before other sources, once");
    s->base = cando_catalog_retain(c);
    ruleset_decompile(&s->rs, &c->snap, without);
    return out_of_memory(s) ? error_memory(err) : CANDO_OK;
}

cando_status cando_sources_add(cando_sources *s, const char *name, const char *text, size_t len,
                               cando_syntax syntax, cando_layer layer, cando_error *err)
{
    if ((unsigned)syntax > CANDO_SYNTAX_HARN || (unsigned)layer >= CANDO_LAYER_COUNT)
        return error_set(err, CANDO_BAD_QUESTION, CODE_bad_argument, "no such dialect or layer");
    if (len > LIMIT_TOML_BYTES) {
        error_set(err, CANDO_BAD_INPUT, CODE_toml_size,
                  "the text has %zu bytes, the limit for a rule file is %u", len, LIMIT_TOML_BYTES);
        error_at(err, str_of(name), 0, 0);
        return CANDO_BAD_INPUT;
    }
    forget_build(s);
    struct str own_name = str_dup(&s->ar, str_of(name ? name : ""));
    struct str own_text = str_dup(&s->ar, str_make(text, len));
    if (!own_name.p || !own_text.p)
        return error_memory(err);
    ruleset_read(&s->rs, own_name, own_text, syntax, layer);
    return out_of_memory(s) ? error_memory(err) : CANDO_OK;
}

/* Below a folder, a folder that is named like a layer puts its files there. */
static cando_layer layer_of(struct str root, struct str path, cando_layer layer)
{
    struct str rest = str_from(path, root.n);
    for (;;) {
        while (rest.n && rest.p[0] == '/')
            rest = str_from(rest, 1);
        size_t end = str_find_char(rest, '/');
        if (end == rest.n)
            return layer;
        cando_layer found;
        if (layer_by_name(str_head(rest, end), &found))
            return found;
        rest = str_from(rest, end);
    }
}

cando_status cando_sources_add_path(cando_sources *s, const char *path, cando_syntax syntax,
                                    cando_layer layer, cando_error *err)
{
    struct str *file;
    size_t n;
    cando_status st = file_list(path, ".toml", &s->ar, &file, &n, err);
    if (st == CANDO_OK && n == 0) {
        st = error_set(err, CANDO_BAD_INPUT, CODE_no_sources, "no .toml file below %s", path);
        error_at(err, str_of(path), 0, 0);
    }
    for (size_t i = 0; st == CANDO_OK && i < n; i++) {
        char *text;
        size_t len;
        st = file_read(file[i].p, LIMIT_TOML_BYTES, s->a, &text, &len, err);
        if (st != CANDO_OK)
            break;
        st = cando_sources_add(s, file[i].p, text, len, syntax,
                               layer_of(str_of(path), file[i], layer), err);
        mem_free(s->a, text, len + 1);
    }
    return st;
}

/* Is this the fact row of (provider, id)? What was corrected by hand stays. Names of rules
 * are folded. */
static bool is_fact_of(const struct ruleset *rs, const struct rule *r, struct str provider,
                       struct str id)
{
    return r->kind == RULE_FACT && rs->source[r->source].layer <= CANDO_LAYER_FACTS &&
           r->n_providers == 1 && r->n_patterns == 1 && str_eq_fold(r->pattern[0].text, id) &&
           str_eq_fold(r->provider[0].name, provider);
}

cando_status cando_sources_forget(cando_sources *s, const char *provider, const char *id,
                                  cando_error *err)
{
    struct ruleset *rs = &s->rs;
    size_t kept = 0;
    if (rs->linted)
        return error_set(err, CANDO_BAD_QUESTION, CODE_bad_argument,
                         "the sources are linted already");
    forget_build(s);
    for (size_t i = 0; i < rs->n_rules; i++)
        if (!is_fact_of(rs, &rs->rule[i], str_of(provider), str_of(id)))
            rs->rule[kept++] = rs->rule[i];
    if (kept != rs->n_rules) { /* names are numbered anew when they are asked for */
        map_init(&rs->by_name, rs->ar, rs->by_name.fold);
        rs->known_rules = 0;
    }
    rs->n_rules = kept;
    return CANDO_OK;
}

cando_status cando_sources_lint(cando_sources *s, cando_error *err)
{
    if (!s->rs.linted)
        ruleset_lint(&s->rs);
    return out_of_memory(s) ? error_memory(err) : CANDO_OK;
}

size_t cando_sources_findings(const cando_sources *s)
{
    return s->rs.diag.n;
}

cando_finding cando_sources_finding(const cando_sources *s, size_t i)
{
    if (i >= s->rs.diag.n)
        return (cando_finding){.code = "", .file = "", .message = "", .hint = "", .excerpt = ""};
    const struct diag_list *d = &s->rs.diag;
    const struct finding *f = &d->item[i];
    return (cando_finding){
        .code = code_name(f->code),
        .severity = f->severity,
        .file = f->at.file < d->n_files ? d->file[f->at.file].name.p : "",
        .line = f->at.line,
        .column = f->at.column,
        .width = f->at.width,
        .message = f->message.p,
        .hint = f->hint.p,
        .excerpt = f->excerpt.p,
    };
}

size_t cando_sources_count(const cando_sources *s, cando_severity severity)
{
    return (unsigned)severity <= CANDO_ERROR ? s->rs.diag.count[severity] : 0;
}

/* The first finding that is an error, as an error. */
static cando_status first_error(const cando_sources *s, cando_error *err)
{
    for (size_t i = 0; i < s->rs.diag.n; i++) {
        const struct finding *f = &s->rs.diag.item[i];
        if (f->severity != CANDO_ERROR)
            continue;
        error_set(err, CANDO_BAD_INPUT, f->code, "%.*s", STR_ARG(f->message));
        error_hint(err, "%.*s", STR_ARG(f->hint));
        error_at(err, f->at.file < s->rs.diag.n_files ? s->rs.diag.file[f->at.file].name : STR(""),
                 f->at.line, f->at.column);
        return CANDO_BAD_INPUT;
    }
    return error_set(err, CANDO_BAD_INPUT, CODE_internal, "the sources have errors");
}

cando_status cando_sources_build(cando_sources *s, const void **out, size_t *out_len,
                                 cando_error *err)
{
    if (out_of_memory(s))
        return error_memory(err);
    if (s->rs.fatal)
        return first_error(s, err);
    if (!s->built) {
        cando_status st = ruleset_compile(&s->rs, s->a, &s->built, &s->built_len, err);
        if (st != CANDO_OK)
            return st;
    }
    *out = s->built;
    *out_len = s->built_len;
    return CANDO_OK;
}

const cando_catalog *sources_open(cando_sources *s, cando_error *err)
{
    const void *bytes;
    size_t len;
    if (cando_sources_build(s, &bytes, &len, err) != CANDO_OK)
        return NULL;
    const cando_catalog *c = catalog_open_trusted(s->built, s->built_len, s->a, err);
    if (c) { /* the catalog owns the bytes now */
        s->built = NULL;
        s->built_len = 0;
    }
    return c;
}
