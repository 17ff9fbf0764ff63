/*
 * read_shape.c - the shapes of a file of request rules: [shape.NAME].
 *
 * docs/request-shapes.md is the form. What is read here is what was written; that a
 * name leads to a shape, and what a shape takes over from another one, is settled
 * when all files are there (ruleset_check_shapes, compile_shape.c).
 */
#include "request.h"

#include "base/instant.h"

#include <math.h>

#define NAME_CHARS "letters, digits, '_', '-' and '.'"

bool req_day(struct reader *r, const struct toml_entry *e, uint32_t *out)
{
    if (e->value->kind != TOML_LOCAL_DATE) {
        READ_FATAL(r, CODE_bad_date, e->value->at, "'%.*s' is %s, expected a date", STR_ARG(e->key),
                   toml_kind_name(e->value->kind));
        READ_HINT(r, "write it as 2026-11-15, without quotes");
        return false;
    }
    *out = day_number(e->value->text);
    return true;
}

/* -- kinds: "string | part[] | null" -------------------------------------------------- */

struct kind_text {
    struct reader *r;
    struct str rest;
    const struct toml *v;
};

static bool kind_wrong(struct kind_text *k, const char *what)
{
    READ_FATAL(k->r, CODE_bad_kind, k->v->at, "the kind '%.*s' cannot be read: %s",
               STR_ARG(k->v->text), what);
    READ_HINT(k->r, "write it like \"string | part[] | null\"");
    return false;
}

static void skip_spaces(struct kind_text *k)
{
    while (k->rest.n && k->rest.p[0] == ' ')
        k->rest = str_from(k->rest, 1);
}

static struct shape_kind *new_kind(struct kind_text *k)
{
    struct shape_kind *kind = arena_alloc(k->r->rs->ar, sizeof *kind);
    if (kind)
        kind->at = read_place(k->r, k->v->at);
    else
        read_no_memory(k->r);
    return kind;
}

/* A plain word, or the name of a shape. */
static bool kind_word(struct kind_text *k, struct str word, struct shape_kind *out)
{
    static const struct {
        const char *word;
        uint32_t kinds;
    } plain[] = {
        {"string", REQ_STRING},  {"number", REQ_NUMBER},
        {"integer", REQ_NUMBER}, {"boolean", REQ_TRUE | REQ_FALSE},
        {"null", REQ_NULL},      {"object", REQ_OBJECT},
        {"array", REQ_ARRAY},    {"true", REQ_TRUE},
        {"false", REQ_FALSE},    {"any", 127},
    };
    for (size_t i = 0; i < COUNT_OF(plain); i++)
        if (str_is(word, plain[i].word)) {
            out->kinds |= plain[i].kinds;
            out->any_string |= (plain[i].kinds & REQ_STRING) != 0;
            out->whole = str_is(word, "integer");
            return true;
        }
    if (out->n_names == COUNT_OF(out->name))
        return kind_wrong(k, "there are too many alternatives");
    out->name[out->n_names++] = word;
    return true;
}

/* One alternative with what stands behind it, added to `out`. */
static bool kind_part(struct kind_text *k, struct shape_kind *out)
{
    size_t n = 0;
    skip_spaces(k);
    while (n < k->rest.n && char_is_name(k->rest.p[n]))
        n++;
    struct str word = str_head(k->rest, n);
    k->rest = str_from(k->rest, n);
    if (n == 0)
        return kind_wrong(k, "a kind or the name of a shape is missing");
    struct shape_kind *part = new_kind(k);
    if (!part || !kind_word(k, word, part))
        return false;
    while (str_starts(k->rest, STR("[]")) || str_starts(k->rest, STR("{}"))) {
        struct shape_kind *outer = new_kind(k);
        bool array = k->rest.p[0] == '[';
        if (!outer)
            return false;
        outer->kinds = array ? REQ_ARRAY : REQ_OBJECT;
        outer->item = array ? part : NULL;
        outer->map = array ? NULL : part;
        part = outer;
        k->rest = str_from(k->rest, 2);
    }
    if ((out->item && part->item) || (out->map && part->map))
        return kind_wrong(k, "there are two arrays or two objects in it");
    if (k->rest.n && k->rest.p[0] == '?') {
        out->kinds |= REQ_NULL;
        k->rest = str_from(k->rest, 1);
    }
    if (part->kinds & REQ_NUMBER)
        out->whole = part->whole && (!(out->kinds & REQ_NUMBER) || out->whole);
    out->kinds |= part->kinds;
    out->any_string |= part->any_string;
    out->item = part->item ? part->item : out->item;
    out->map = part->map ? part->map : out->map;
    for (unsigned i = 0; i < part->n_names; i++)
        if (!kind_word(k, part->name[i], out))
            return false;
    return true;
}

static struct shape_kind *read_kind(struct reader *r, struct str key, const struct toml *v)
{
    struct kind_text k = {.r = r, .v = v};
    if (!read_text(r, key, v, &k.rest))
        return NULL;
    struct shape_kind *out = new_kind(&k);
    if (!out)
        return NULL;
    for (;;) {
        if (!kind_part(&k, out))
            return NULL;
        skip_spaces(&k);
        if (k.rest.n == 0)
            return out;
        if (k.rest.p[0] != '|') {
            kind_wrong(&k, "'|' is missing between two kinds");
            return NULL;
        }
        k.rest = str_from(k.rest, 1);
    }
}

/* A text is a kind, a list is words. */
static bool read_is(struct reader *r, const struct toml_entry *e, struct shape_kind **kind,
                    struct shape_test *test)
{
    if (e->value->kind != TOML_ARRAY) {
        *kind = read_kind(r, e->key, e->value);
        return *kind != NULL;
    }
    *kind = arena_alloc(r->rs->ar, sizeof **kind);
    if (!*kind)
        return read_no_memory(r);
    (*kind)->kinds = REQ_STRING;
    (*kind)->at = read_place(r, e->value->at);
    return req_words(r, e, &test->word, &test->n_words);
}

/* -- tests -------------------------------------------------------------------------------- */

static const struct shape_test no_test = {
    .range = {-INFINITY, INFINITY},
    .length = {0, INFINITY},
    .items = {0, INFINITY},
    .members = {0, INFINITY},
    .chars = {{NULL, 0}, {NULL, 0}},
    .unique = {NULL, 0},
};

static bool read_range(struct reader *r, const struct toml_entry *e, struct shape_range *out)
{
    return req_range(r, e, &out->lo, &out->hi);
}

static bool read_bound(struct reader *r, const struct toml_entry *e, double *out, bool *left_out)
{
    *left_out = req_number(r, e->key, e->value, out);
    return *left_out;
}

static bool read_unique(struct reader *r, const struct toml_entry *e, struct shape_test *t)
{
    bool on = false;
    if (e->value->kind == TOML_STRING)
        return read_text(r, e->key, e->value, &t->unique);
    if (!read_bool(r, e, &on))
        return false;
    if (on)
        t->unique = STR("");
    return true;
}

static bool read_key_test(struct reader *r, const struct toml_entry *e, struct shape_test *t);

/* A key that is a test. False: it is none, or it is wrong, which has been said then. */
static bool read_test(struct reader *r, const struct toml_entry *e, struct shape_test *t, bool *ok)
{
    if (str_is(e->key, "range"))
        *ok = read_range(r, e, &t->range);
    else if (str_is(e->key, "above"))
        *ok = read_bound(r, e, &t->range.lo, &t->above);
    else if (str_is(e->key, "below"))
        *ok = read_bound(r, e, &t->range.hi, &t->below);
    else if (str_is(e->key, "length"))
        *ok = read_range(r, e, &t->length);
    else if (str_is(e->key, "items"))
        *ok = read_range(r, e, &t->items);
    else if (str_is(e->key, "chars"))
        *ok = req_chars(r, e, t->chars);
    else if (str_is(e->key, "prefix"))
        *ok = req_words(r, e, &t->prefix, &t->n_prefixes);
    else if (str_is(e->key, "words")) {
        t->open = true;
        *ok = req_words(r, e, &t->word, &t->n_words);
    } else if (str_is(e->key, "unique"))
        *ok = read_unique(r, e, t);
    else if (str_is(e->key, "base64"))
        *ok = read_bool(r, e, &t->base64);
    else if (str_is(e->key, "keys"))
        *ok = read_key_test(r, e, t);
    else
        return false;
    return true;
}

/* keys = { length = [1, 64], chars = "A-Z" } */
static bool read_key_test(struct reader *r, const struct toml_entry *e, struct shape_test *t)
{
    if (!read_is_table(r, e))
        return false;
    t->key = arena_alloc(r->rs->ar, sizeof *t->key);
    if (!t->key)
        return read_no_memory(r);
    *t->key = no_test;
    for (size_t i = 0; i < e->value->n; i++) {
        const struct toml_entry *f = &e->value->entry[i];
        bool ok = str_is(f->key, "length") || str_is(f->key, "chars");
        if (!ok) {
            READ_FATAL(r, CODE_unknown_key, f->at, "'keys' has no key '%.*s'", STR_ARG(f->key));
            READ_HINT(r, "known here: length, chars");
        }
        if (!ok || !read_test(r, f, t->key, &ok) || !ok)
            return false;
    }
    return true;
}

static bool read_said(struct reader *r, const struct toml_entry *e, struct shape_said *s, bool *ok)
{
    if (str_is(e->key, "severity")) {
        s->severe = true;
        *ok = req_severity(r, e, &s->severity);
    } else if (str_is(e->key, "source"))
        *ok = read_text(r, e->key, e->value, &s->source);
    else if (str_is(e->key, "confidence"))
        *ok = req_confidence(r, e, &s->confidence);
    else if (str_is(e->key, "checked")) {
        s->checked = 0;
        *ok = req_day(r, e, &s->checked);
    } else
        return false;
    return true;
}

/* -- members ------------------------------------------------------------------------------- */

#define MEMBER_WORDS                                                                               \
    "is, words, range, above, below, length, chars, prefix, items, unique, members, keys, "        \
    "base64, also, required, "                                                                     \
    "severity, source, checked, confidence"

static bool member_key(struct reader *r, const struct toml_entry *e, struct shape_member *m)
{
    bool ok = true;
    if (str_is(e->key, "is"))
        return read_is(r, e, &m->kind, &m->test);
    if (str_is(e->key, "members"))
        return read_range(r, e, &m->test.members);
    if (str_is(e->key, "also"))
        return req_words(r, e, &m->also, &m->n_also);
    if (str_is(e->key, "required"))
        return read_bool(r, e, &m->required);
    if (read_test(r, e, &m->test, &ok) || read_said(r, e, &m->said, &ok))
        return ok;
    READ_FATAL(r, CODE_unknown_key, e->at, "a member has no key '%.*s'", STR_ARG(e->key));
    READ_HINT(r, "known here: " MEMBER_WORDS);
    return false;
}

static bool read_member(struct reader *r, const struct toml_entry *e, struct req_shape *s)
{
    struct shape_member m = {
        .name = e->key, .test = no_test, .said = s->said, .at = read_place(r, e->at)};
    if (e->value->kind != TOML_TABLE) {
        if (!read_is(r, e, &m.kind, &m.test))
            return false;
    } else {
        for (size_t i = 0; i < e->value->n; i++)
            if (!member_key(r, &e->value->entry[i], &m))
                return false;
    }
    if (!m.kind) {
        static struct shape_kind any = {.kinds = 127, .any_string = true};
        m.kind = m.test.n_words ? NULL : &any;
        if (!m.kind && !(m.kind = arena_alloc(r->rs->ar, sizeof *m.kind)))
            return read_no_memory(r);
        if (m.test.n_words)
            m.kind->kinds = REQ_STRING;
    }
    if (!ARENA_GROW(r->rs->ar, s->member, s->n_members, s->cap_members))
        return read_no_memory(r);
    s->member[s->n_members++] = m;
    return true;
}

static void key_members(struct reader *r, const struct toml_entry *e, void *to)
{
    struct req_shape *s = to;
    if (e->value->kind == TOML_ARRAY) { /* how many a map has */
        read_range(r, e, &s->test.members);
        return;
    }
    if (!read_is_table(r, e))
        return;
    for (size_t i = 0; i < e->value->n; i++)
        if (!read_member(r, &e->value->entry[i], s))
            return;
}

/* -- the other keys of a shape -------------------------------------------------------------- */

static void key_is(struct reader *r, const struct toml_entry *e, void *to)
{
    struct req_shape *s = to;
    read_is(r, e, &s->kind, &s->test);
}

static void key_rest(struct reader *r, const struct toml_entry *e, void *to)
{
    struct req_shape *s = to;
    s->rest = read_kind(r, e->key, e->value);
}

static void key_required(struct reader *r, const struct toml_entry *e, void *to)
{
    struct req_shape *s = to;
    req_words(r, e, &s->required, &s->n_required);
}

static void key_closed(struct reader *r, const struct toml_entry *e, void *to)
{
    struct req_shape *s = to;
    bool closed = false;
    if (read_bool(r, e, &closed))
        s->closed = closed ? CLOSED_YES : CLOSED_NO;
}

/* some = [["a", "b"], ["c", "d"]] */
static void key_group(struct reader *r, const struct toml_entry *e, void *to)
{
    struct req_shape *s = to;
    enum req_group kind = str_is(e->key, "some")  ? GROUP_SOME
                          : str_is(e->key, "one") ? GROUP_ONE
                                                  : GROUP_EXACTLY;
    if (e->value->kind != TOML_ARRAY) {
        read_wrong_type(r, e->key, e->value, "a list of lists of members");
        return;
    }
    for (size_t i = 0; i < e->value->n; i++) {
        struct toml_entry one = {e->key, e->value->item[i]->at, e->value->item[i]};
        struct shape_group g = {.kind = kind, .at = read_place(r, one.at)};
        if (one.value->kind != TOML_ARRAY) {
            read_wrong_type(r, e->key, one.value, "a list of members");
            return;
        }
        if (!req_words(r, &one, &g.name, &g.n))
            return;
        if (!ARENA_GROW(r->rs->ar, s->group, s->n_groups, s->cap_groups)) {
            read_no_memory(r);
            return;
        }
        s->group[s->n_groups++] = g;
    }
}

static void key_cases(struct reader *r, const struct toml_entry *e, void *to)
{
    struct req_shape *s = to;
    if (!read_is_table(r, e))
        return;
    s->choice = arena_array(r->rs->ar, e->value->n, sizeof *s->choice);
    if (!s->choice) {
        read_no_memory(r);
        return;
    }
    for (size_t i = 0; i < e->value->n; i++) {
        const struct toml_entry *f = &e->value->entry[i];
        s->choice[i] = (struct shape_case){.word = f->key, .at = read_place(r, f->value->at)};
        if (!read_name(r, f->key, f->value, &s->choice[i].shape))
            return;
    }
    s->n_choices = e->value->n;
}

static bool shape_rest(struct reader *r, const struct toml_entry *e, void *to)
{
    struct req_shape *s = to;
    bool ok;
    return read_test(r, e, &s->test, &ok) || read_said(r, e, &s->said, &ok);
}

#define S struct req_shape
static const struct read_key shape_key[] = {
    READ_KEY("is", key_is),
    READ_KEY("members", key_members),
    READ_KEY("required", key_required),
    READ_KEY("closed", key_closed),
    READ_KEY("rest", key_rest),
    READ_KEY("some", key_group),
    READ_KEY("one", key_group),
    READ_KEY("exactly", key_group),
    KEY_NAME("by", by),
    READ_KEY("cases", key_cases),
    KEY_NAME("other", other),
    KEY_NAME("missing", missing),
    KEY_NAME("like", like),
};
#undef S
static const struct read_keys shape_keys = READ_KEYS("[shape]", shape_key, shape_rest);

/* -- sets ------------------------------------------------------------------------------------ */

/* Everybody's shapes of an API are one set, whatever files they stand in; those of some providers
 * are their file's. */
static struct shape_set *set_of(struct reader *r, const struct req_file *f)
{
    struct ruleset_requests *all = r->rs->requests;
    for (size_t i = 0; i < all->n_sets && f->n_providers == 0; i++)
        if (all->set[i].n_providers == 0 && str_eq(all->set[i].api, f->api)) {
            if (f->root.n)
                all->set[i].root = f->root;
            return &all->set[i];
        }
    if (!ARENA_GROW(r->rs->ar, all->set, all->n_sets, all->cap_sets)) {
        read_no_memory(r);
        return NULL;
    }
    all->set[all->n_sets] = (struct shape_set){
        .api = f->api,
        .root = f->root,
        .provider = f->provider,
        .n_providers = f->n_providers,
        .at = f->at,
    };
    map_init(&all->set[all->n_sets].by_name, r->rs->ar, false);
    return &all->set[all->n_sets++];
}

static void read_shape(struct reader *r, const struct toml_entry *e, const struct req_file *f,
                       struct shape_set *set)
{
    struct req_shape s = {
        .name = e->key,
        .like = STR(""),
        .by = STR(""),
        .other = STR(""),
        .missing = STR(""),
        .test = no_test,
        .closed = f->closed ? CLOSED_YES : CLOSED_UNSAID,
        .nulls = f->nulls,
        .said = f->said,
        .at = read_place(r, e->at),
    };
    size_t fatal = r->rs->fatal;
    for (size_t i = 0; i < e->key.n; i++)
        if (!char_is_name(e->key.p[i])) {
            READ_FATAL(r, CODE_bad_kind, e->at, "the name of a shape is made of " NAME_CHARS);
            return;
        }
    if (!read_is_table(r, e))
        return;
    /* who says so counts for the members, wherever it stands */
    for (size_t i = 0; i < e->value->n; i++) {
        bool ok;
        read_said(r, &e->value->entry[i], &s.said, &ok);
    }
    if (r->rs->fatal != fatal || r->rs->failed)
        return;
    read_table(r, e->value, &shape_keys, &s);
    if (r->rs->fatal != fatal || r->rs->failed)
        return;
    if ((s.by.n > 0) != (s.n_choices > 0))
        READ_FATAL(r, CODE_missing_key, e->at, "'by' and 'cases' stand together");
    if (s.said.source.n == 0)
        READ_ERROR(r, CODE_no_source, e->at, "the shape does not say where it comes from");
    const uint32_t *before = map_get(&set->by_name, s.name);
    s.before = before ? *before : SNAP_NONE;
    if (!ARENA_GROW(r->rs->ar, set->shape, set->n, set->cap) ||
        !map_put(&set->by_name, s.name, (uint32_t)set->n)) {
        read_no_memory(r);
        return;
    }
    set->shape[set->n++] = s;
}

void read_shapes(struct reader *r, const struct toml_entry *e, const struct req_file *f)
{
    if (!read_is_table(r, e))
        return;
    struct shape_set *set = set_of(r, f);
    for (size_t i = 0; set && i < e->value->n && !r->rs->failed; i++)
        read_shape(r, &e->value->entry[i], f, set);
}

/* -- names --------------------------------------------------------------------------------------
 */

const struct req_shape *req_shape_find(const struct shape_set *set, struct str name)
{
    const uint32_t *i = map_get(&set->by_name, name);
    return i ? &set->shape[*i] : NULL;
}

struct checker {
    struct ruleset *rs;
    const struct shape_set *set;
};

static void want_shape(struct checker *c, struct str name, struct place at)
{
    if (name.n == 0 || req_shape_find(c->set, name))
        return;
    c->rs->fatal++;
    diag_add(&c->rs->diag, CODE_bad_kind, at, "there is no shape '%.*s'", STR_ARG(name));
    if (!read_hints(c->rs))
        return;
    struct nearest near = nearest_to(name);
    for (size_t i = 0; i < c->set->n; i++)
        nearest_try(&near, c->set->shape[i].name);
    if (near.name.n)
        diag_hint(&c->rs->diag, "did you mean '%.*s'?", STR_ARG(near.name));
}

static void want_kind(struct checker *c, const struct shape_kind *k)
{
    for (; k; k = k->item ? k->item : k->map) {
        for (unsigned i = 0; i < k->n_names; i++)
            want_shape(c, k->name[i], k->at);
        if (k->item && k->map)
            want_kind(c, k->map);
    }
}

static void check_shape(struct checker *c, const struct req_shape *s)
{
    want_shape(c, s->like, s->at);
    want_kind(c, s->kind);
    want_kind(c, s->rest);
    for (size_t i = 0; i < s->n_members; i++)
        want_kind(c, s->member[i].kind);
    for (size_t i = 0; i < s->n_choices; i++)
        want_shape(c, s->choice[i].shape, s->choice[i].at);
    if (!str_is(s->other, "open") && !str_is(s->other, "closed"))
        want_shape(c, s->other, s->at);
    want_shape(c, s->missing, s->at);
}

void ruleset_check_shapes(struct ruleset *rs)
{
    for (size_t i = 0; rs->requests && i < rs->requests->n_sets; i++) {
        struct checker c = {rs, &rs->requests->set[i]};
        if (c.set->root.n == 0) {
            rs->fatal++;
            diag_add(&rs->diag, CODE_missing_key, c.set->at,
                     "no file says which shape a request of '%.*s' has: 'root'",
                     STR_ARG(c.set->api));
        }
        want_shape(&c, c.set->root, c.set->at);
        for (size_t k = 0; k < c.set->n; k++)
            check_shape(&c, &c.set->shape[k]);
    }
}
