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
    if (!s)
        return no_memory(err);
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
    for (size_t i = 0; i < s->n_held; i++)
        cando_catalog_release(s->held[i]);
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

static cando_status hold(cando_sources *s, const cando_catalog *c, cando_error *err)
{
    if (!ARENA_GROW(&s->ar, s->held, s->n_held, s->cap_held))
        return error_memory(err);
    s->held[s->n_held++] = cando_catalog_retain(c);
    forget_build(s);
    return CANDO_OK;
}

cando_status cando_sources_add_requests(cando_sources *s, const cando_catalog *c, cando_error *err)
{
    cando_status st = s->rs.requests ? CANDO_OK : hold(s, c, err);
    if (st != CANDO_OK || s->rs.requests)
        return st;
    ruleset_take_requests(&s->rs, &c->snap);
    return out_of_memory(s) ? error_memory(err) : CANDO_OK;
}

static cando_status add_catalog(cando_sources *s, const cando_catalog *c, cando_layer layer,
                                uint32_t without, cando_error *err)
{
    cando_status st = hold(s, c, err);
    if (st != CANDO_OK)
        return st;
    ruleset_decompile(&s->rs, &c->snap, layer, without);
    return out_of_memory(s) ? error_memory(err) : CANDO_OK;
}

cando_status cando_sources_add_catalog(cando_sources *s, const cando_catalog *c, uint32_t without,
                                       cando_error *err)
{
    if (s->rs.n_sources)
        return error_set(err, CANDO_INTERNAL, CODE_internal,
                         "a catalog must come before other sources, once");
    return add_catalog(s, c, CANDO_LAYER_FAMILY, without, err);
}

/* What `cando build` made of files stands for them. */
static cando_status add_snapshot(cando_sources *s, const char *name, struct str bytes,
                                 cando_layer layer, cando_error *err)
{
    const cando_catalog *c = cando_catalog_open_copy(bytes.p, bytes.n, s->a, err);
    if (!c) {
        error_at(err, str_of(name ? name : ""), 0, 0);
        return err ? err->status : CANDO_BAD_INPUT;
    }
    cando_status st = add_catalog(s, c, layer, 0, err);
    cando_catalog_release(c);
    return st;
}

cando_status cando_sources_add(cando_sources *s, const char *name, const char *text, size_t len,
                               cando_syntax syntax, cando_layer layer, cando_error *err)
{
    if ((unsigned)syntax > CANDO_SYNTAX_HARN || (unsigned)layer >= CANDO_LAYER_COUNT)
        return error_set(err, CANDO_BAD_QUESTION, CODE_bad_argument, "no such dialect or layer");
    if (len >= sizeof snap_magic && memcmp(text, snap_magic, sizeof snap_magic) == 0)
        return add_snapshot(s, name, str_make(text, len), layer, err);
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
        st = file_read(file[i].p, LIMIT_SNAPSHOT_BYTES, s->a, &text, &len, err);
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

/* -- over a catalog ------------------------------------------------------------------------ */

/* Is it meant to lie over others: our own form, or the project's part of Harn's? */
static bool is_overlay(const struct rule_source *s)
{
    return s->syntax == CANDO_SYNTAX_HARN ? s->overrides : s->syntax == CANDO_SYNTAX_CANDO;
}

static bool is_found(const struct diag_list *d, const struct finding *f, struct place at)
{
    for (size_t i = 0; i < d->n; i++)
        if (d->item[i].code == f->code && d->item[i].at.file == at.file &&
            d->item[i].at.line == at.line && d->item[i].at.column == at.column)
            return true;
    return false;
}

/* Takes what was found from finding `first` on in the sources from `base` on, but not by
 * themselves. */
static void take_findings(cando_sources *s, const struct ruleset *over, size_t first, size_t base)
{
    for (size_t i = first; i < over->diag.n; i++) {
        const struct finding *f = &over->diag.item[i];
        struct place at = f->at;
        size_t k = base;
        while (k < over->n_sources && over->source[k].file != at.file)
            k++;
        if (k == over->n_sources || f->severity < CANDO_ERROR)
            continue;
        for (size_t own = 0; own < s->rs.n_sources; own++)
            if (s->rs.source[own].text.p == over->source[k].text.p)
                at.file = s->rs.source[own].file;
        if (is_found(&s->rs.diag, f, at))
            continue;
        diag_add(&s->rs.diag, f->code, at, "%.*s", STR_ARG(f->message));
        diag_hint(&s->rs.diag, "%.*s", STR_ARG(f->hint));
    }
    diag_sort(&s->rs.diag);
}

cando_status cando_sources_lint_over(cando_sources *s, const cando_catalog *c, cando_error *err)
{
    cando_status st = cando_sources_lint(s, err);
    if (st != CANDO_OK || s->rs.fatal)
        return st;
    struct arena ar;
    struct ruleset over;
    arena_init(&ar, s->a);
    ruleset_init(&over, &ar);
    ruleset_decompile(&over, &c->snap, CANDO_LAYER_FAMILY, 0);
    size_t base = over.n_sources;
    for (size_t i = 0; i < s->rs.n_sources && !over.failed; i++) {
        const struct rule_source *own = &s->rs.source[i];
        if (!own->compiled && is_overlay(own))
            ruleset_read(&over, own->name, own->text, own->syntax, CANDO_LAYER_PROJECT);
    }
    size_t read = over.diag.n; /* what the readers found is known */
    if (!over.failed && over.n_sources > base)
        ruleset_lint_routes(&over);
    bool failed = over.failed || over.diag.failed || ar.failed;
    if (!failed)
        take_findings(s, &over, read, base);
    arena_free(&ar);
    return failed || out_of_memory(s) ? error_memory(err) : CANDO_OK;
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
