/*
 * compile.c - lays a set of rules out as a snapshot.
 *
 * Rules are numbered by layer, source and line; the number is also their order
 * in layered resolution. Each rule carries its precedence for the three ways to
 * resolve (as written, layered, first match), so that a reader compares two
 * numbers and never has to know why one rule beats another.
 *
 * The file is written twice: first without finished profiles, then the resolver
 * runs over that draft for every id that is named whole (compile_exact.c), so
 * that a finished profile is by construction what resolving would have given.
 */
#include "compile.h"

#include <stdlib.h>

/* -- small pieces ----------------------------------------------------------------- */

uint32_t compile_string(struct compiler *c, struct str s)
{
    uint32_t *have = map_get(&c->strings, s);
    if (have)
        return *have;
    struct buf *b = &c->sec[SEC_STRINGS];
    if (b->n + s.n > VAL_REASON_MAX) {
        c->too_large = true;
        return SNAP_EMPTY;
    }
    uint32_t length = s.n < SNAP_LONG ? (uint32_t)s.n : SNAP_LONG;
    if (length == SNAP_LONG)
        compile_u32(c, SEC_STRINGS, (uint32_t)s.n);
    buf_putc(b, (char)(length & 255));
    buf_putc(b, (char)(length >> 8));
    uint32_t ref = (uint32_t)b->n;
    buf_puts(b, s);
    buf_putc(b, '\0');
    map_put(&c->strings, s, ref);
    return ref;
}

void compile_u32(struct compiler *c, enum snap_section sec, uint32_t v)
{
    v = snap_le32(v);
    buf_put(&c->sec[sec], &v, 4);
}

void compile_words(struct compiler *c, enum snap_section sec, const uint32_t *word, size_t n)
{
    for (size_t i = 0; i < n; i++)
        compile_u32(c, sec, word[i]);
}

void compile_put(struct compiler *c, enum snap_section sec, const void *record)
{
    compile_words(c, sec, record, snapshot_record_size(sec) / 4);
}

uint32_t compile_count(const struct compiler *c, enum snap_section sec)
{
    return (uint32_t)(c->sec[sec].n / snapshot_record_size(sec));
}

uint32_t compile_postings(struct compiler *c, const uint32_t *item, size_t n)
{
    if (n == 0)
        return 0;
    uint32_t at = compile_count(c, SEC_POSTINGS);
    compile_u32(c, SEC_POSTINGS, (uint32_t)n);
    compile_words(c, SEC_POSTINGS, item, n);
    return at;
}

/* -- providers, APIs, families ------------------------------------------------------ */

static uint32_t api_number(struct compiler *c, struct str name)
{
    uint32_t *have = map_get(&c->api, name);
    if (have)
        return *have;
    if (!map_put(&c->api, name, c->n_apis) ||
        !ARENA_GROW(&c->ar, c->api_name, c->n_apis, c->cap_api_names))
        return 0;
    c->api_name[c->n_apis] = name;
    return c->n_apis++;
}

static void put_name(struct snap_name *table, size_t size, uint32_t kind, struct str key,
                     uint32_t key_ref, uint32_t value)
{
    uint64_t h = name_hash(kind, key);
    size_t i = (size_t)h & (size - 1);
    while (table[i].key != SNAP_NONE) {
        if (table[i].table == kind && table[i].key == key_ref)
            return; /* the first one counts */
        i = (i + 1) & (size - 1);
    }
    table[i] = (struct snap_name){(uint32_t)(h >> 32), kind, key_ref, value};
}

static size_t table_size(size_t n)
{
    size_t size = 8;
    while (size < n * 2)
        size *= 2;
    return size;
}

static void compile_names(struct compiler *c)
{
    const struct ruleset *rs = c->rs;
    size_t n = c->providers.n_names + rs->n_ids + c->n_alias_of;
    if (n == 0)
        return;
    size_t size = table_size(n);
    struct snap_name *table = arena_array(&c->ar, size, sizeof *table);
    if (!table)
        return;
    for (size_t i = 0; i < size; i++)
        table[i].key = SNAP_NONE;
    for (size_t i = 0; i < c->providers.n_names; i++)
        put_name(table, size, NAME_PROVIDER_INDEX, c->providers.name[i].name,
                 compile_string(c, c->providers.name[i].name), c->providers.name[i].provider);
    for (size_t i = rs->n_ids;
         i-- > 0;) /* what an overlay says comes behind what was imported, and counts */
        put_name(table, size, (uint32_t)rs->id[i].table, rs->id[i].key,
                 compile_string(c, rs->id[i].key), compile_string(c, rs->id[i].value));
    for (size_t i = 0; i < c->n_alias_of; i++)
        put_name(table, size, NAME_ALIAS, c->alias_of[i].key, compile_string(c, c->alias_of[i].key),
                 compile_string(c, c->alias_of[i].alias->target));
    for (size_t i = 0; i < size; i++)
        compile_put(c, SEC_NAMES, &table[i]);
}

static void compile_apis(struct compiler *c)
{
    for (uint32_t i = 0; i < c->n_apis; i++) {
        struct snap_api rec = {compile_string(c, c->api_name[i]), c->api_scope[i]};
        compile_put(c, SEC_APIS, &rec);
    }
}

static void compile_families(struct compiler *c)
{
    const struct ruleset *rs = c->rs;
    for (size_t i = 0; i < rs->n_families; i++) {
        const struct family *f = &rs->family[i];
        struct snap_family rec = {*map_get(&c->alias, f->child), *map_get(&c->alias, f->parent),
                                  f->source, f->at.line};
        compile_put(c, SEC_FAMILIES, &rec);
    }
}

/* The words of a list that is `ref` from its second item on; equal lists are kept once. */
static uint32_t put_list(struct compiler *c, uint32_t *ref, size_t n)
{
    struct str bytes = {(const char *)ref, (n + 1) * 4};
    ref[0] = (uint32_t)n;
    uint32_t *have = map_get(&c->lists, bytes);
    if (have)
        return *have;
    uint32_t at = compile_count(c, SEC_LISTS);
    for (size_t i = 0; i <= n; i++)
        compile_u32(c, SEC_LISTS, ref[i]);
    map_put(&c->lists, bytes, at);
    return at;
}

static uint32_t compile_list(struct compiler *c, const struct rule_value *v)
{
    uint32_t *ref = arena_array(&c->ar, v->n + 1, 4);
    for (size_t i = 0; ref && i < v->n; i++)
        ref[i + 1] = compile_string(c, v->item[i]);
    return ref ? put_list(c, ref, v->n) : 0;
}

static uint32_t compile_spoken(struct compiler *c, const struct scope_name *name, size_t n)
{
    uint32_t *ref = arena_array(&c->ar, n + 1, 4);
    for (size_t i = 0; ref && i < n; i++)
        ref[i + 1] = compile_string(c, name[i].name);
    return ref ? put_list(c, ref, n) : SNAP_NONE;
}

struct base {
    struct str host, path;
    uint32_t provider;
    cando_layer layer;
};

static bool is_wild(struct str host)
{
    return str_find_char(host, '*') < host.n;
}

/* The order that struct snap_base wants; of two that are the same that of the higher layer. */
static int base_order(const void *left, const void *right)
{
    const struct base *a = left, *b = right;
    int d = (int)is_wild(b->host) - (int)is_wild(a->host);
    d = d ? d : str_cmp(a->host, b->host);
    if (d == 0 && a->path.n != b->path.n)
        d = a->path.n > b->path.n ? -1 : 1;
    d = d ? d : str_cmp(a->path, b->path);
    d = d ? d : (int)b->layer - (int)a->layer;
    return d ? d : (a->provider > b->provider) - (a->provider < b->provider);
}

static void compile_bases(struct compiler *c, const struct provider *const *declared)
{
    size_t n = 0, used = 0;
    for (uint32_t p = 0; p < c->providers.n; p++)
        n += declared[p] ? declared[p]->n_bases : 0;
    struct base *list = arena_array(&c->ar, n, sizeof *list);
    if (!list)
        return;
    for (uint32_t p = 0; p < c->providers.n; p++) {
        const struct provider *d = declared[p];
        for (size_t i = 0; d && i < d->n_bases; i++) {
            size_t cut = str_find_char(d->base[i].name, '/');
            list[used++] =
                (struct base){str_head(d->base[i].name, cut), str_from(d->base[i].name, cut), p,
                              c->rs->source[d->source].layer};
        }
    }
    if (n)
        qsort(list, n, sizeof *list, base_order);
    for (size_t i = 0; i < n; i++) {
        bool again =
            i && str_eq(list[i].host, list[i - 1].host) && str_eq(list[i].path, list[i - 1].path);
        struct snap_base rec = {compile_string(c, list[i].host), compile_string(c, list[i].path),
                                list[i].provider};
        if (!again)
            compile_put(c, SEC_BASES, &rec);
    }
}

static void compile_providers(struct compiler *c)
{
    const struct ruleset *rs = c->rs;
    struct family_graph g;
    const struct provider **declared = arena_array(&c->ar, c->providers.n, sizeof *declared);
    if (!declared || !families_link(&g, &c->providers, rs, &c->ar))
        return;
    compile_families(c);
    const struct str *id = c->providers.id;
    for (size_t i = 0; i < rs->n_providers; i++) {
        uint32_t number = *map_get(&c->alias, rs->provider[i].id);
        if (str_eq(id[number], rs->provider[i].id)) /* a later declaration replaces an earlier */
            declared[number] = &rs->provider[i];
    }
    for (uint32_t p = 0; p < c->providers.n; p++) {
        uint32_t walk[LIMIT_FAMILY_DEPTH];
        size_t n = family_walk(&g, p, walk);
        if (n > LIMIT_FAMILY_DEPTH)
            n = LIMIT_FAMILY_DEPTH;
        const struct provider *d = declared[p];
        struct snap_provider rec = {
            .id = compile_string(c, id[p]),
            .name = compile_string(c, d ? d->name : STR("")),
            .kind = compile_string(c, d ? d->kind : STR("")),
            .api = d && d->api.n ? api_number(c, d->api) : SNAP_NONE,
            .scope = c->provider_scope[p],
            .walk = compile_count(c, SEC_WALKS),
            .n_walk = (uint32_t)n,
            .apis = d && d->n_spoken ? compile_spoken(c, d->spoken, d->n_spoken) : SNAP_NONE,
            .own_names = d && d->own_names,
        };
        for (size_t i = 0; i < n; i++)
            compile_u32(c, SEC_WALKS, walk[i]);
        compile_put(c, SEC_PROVIDERS, &rec);
    }
    compile_bases(c, declared);
}

/* -- values ------------------------------------------------------------------------ */

static uint32_t compile_value(struct compiler *c, unsigned field, const struct rule_value *v)
{
    uint32_t payload = 0;
    if (v->cleared)
        return VAL(VAL_CLEARED, 0);
    switch (vocab_row(field)->type) {
    case CANDO_SUPPORT:
        if (v->support == CANDO_UNKNOWN)
            return VAL(VAL_CLEARED, 0);
        return VAL(VAL_SUPPORT,
                   (uint32_t)v->support | (v->text.n ? compile_string(c, v->text) << 3 : 0));
    case CANDO_FLAG:
        return VAL(VAL_FLAG, v->flag);
    case CANDO_NUMBER:
        if (v->number <= VAL_PAYLOAD_MAX)
            return VAL(VAL_NUMBER, (uint32_t)v->number);
        payload = compile_count(c, SEC_NUMBERS);
        compile_u32(c, SEC_NUMBERS, (uint32_t)v->number);
        compile_u32(c, SEC_NUMBERS, (uint32_t)(v->number >> 32));
        return VAL(VAL_BIG, payload);
    case CANDO_WORD:
    case CANDO_TEXT:
        return VAL(VAL_TEXT, compile_string(c, v->text));
    case CANDO_LIST:
    case CANDO_MAP:
        payload = compile_list(c, v);
        if (payload > VAL_PAYLOAD_MAX)
            c->too_large = true;
        return VAL(VAL_LIST, payload);
    }
    return VAL(VAL_CLEARED, 0);
}

/* -- rules -------------------------------------------------------------------------- */

/* How each stage resolves; without any rule there is one, layered. */
static void compile_stages(struct compiler *c)
{
    const struct rule_order *o = &c->order;
    for (size_t i = o->first; i < c->rs->n_rules; i++)
        if (i == o->first || o->stage[i] != o->stage[i - 1])
            buf_putc(&c->sec[SEC_STAGES], rule_is_first_match(c->rs, o->rule[i]) ? 1 : 0);
    if (o->n_stages == 0)
        buf_putc(&c->sec[SEC_STAGES], 0);
}

static uint32_t rule_flags(const struct rule *r)
{
    return (r->kind == RULE_FACT ? RULEF_FACT : 0u) |
           (r->kind == RULE_DEFAULT ? RULEF_DEFAULT : 0u) |
           (r->kind == RULE_PROVIDER_DEFAULT ? RULEF_PROVIDER_DEFAULT : 0u) |
           (r->extends ? RULEF_EXTENDS : 0u) | (r->never ? RULEF_NEVER : 0u) |
           (r->on_base ? RULEF_ON_BASE : 0u) | (r->scheme == SCHEME_ANY ? RULEF_SCHEME_ANY : 0u) |
           (r->min.set ? RULEF_MIN : 0u) | (r->max.set ? RULEF_MAX : 0u) |
           r->agreed << RULEF_AGREED;
}

static uint32_t assigns_end(const struct compiler *c)
{
    return compile_count(c, SEC_ASSIGNS);
}

static void compile_assign(struct compiler *c, unsigned field, uint32_t value)
{
    compile_u32(c, SEC_ASSIGNS, value);
    buf_putc(&c->sec[SEC_ASSIGNS], (char)field);
}

/* What a rule sets; one that answers alone clears the rest. */
static uint32_t compile_assigns(struct compiler *c, const struct rule *r, bool alone)
{
    uint32_t at = assigns_end(c);
    bool open[FIELD_COUNT] = {false};
    if (alone)
        profile_harn_fields(open);
    for (size_t i = 0; i < r->n_assigns; i++) {
        unsigned field = r->assign[i].field;
        open[field] = false;
        compile_assign(c, field, compile_value(c, field, &r->assign[i].value));
    }
    for (unsigned f = 0; f < FIELD_COUNT; f++)
        if (open[f])
            compile_assign(c, f, VAL(VAL_CLEARED, 0));
    return at;
}

static uint32_t compile_rule_scopes(struct compiler *c, const struct rule *r)
{
    uint32_t at = compile_count(c, SEC_RULE_SCOPES);
    for (size_t i = 0; i < r->n_providers; i++)
        compile_u32(c, SEC_RULE_SCOPES, *map_get(&c->alias, r->provider[i].name));
    for (size_t i = 0; i < r->n_apis; i++)
        compile_u32(c, SEC_RULE_SCOPES, api_number(c, r->api[i].name));
    return at;
}

/* Patterns were laid out by compile_matchers in the order of new numbers: one
 * for each program of a glob. */
static uint32_t rule_pattern_count(const struct rule *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_patterns; i++)
        n += r->pattern[i].kind == MATCH_GLOB ? r->pattern[i].n_programs : 1;
    return (uint32_t)n;
}

uint32_t compile_bounds(struct compiler *c, const struct rule *r)
{
    if (!r->min.set && !r->max.set)
        return 0;
    const struct version_bound *const ends[2] = {&r->min, &r->max};
    uint32_t at = compile_count(c, SEC_NUMBERS);
    for (unsigned i = 0; i < 2; i++) {
        compile_u32(c, SEC_NUMBERS, (uint32_t)ends[i]->minor);
        compile_u32(c, SEC_NUMBERS, (uint32_t)ends[i]->major);
    }
    return at + 1;
}

static void compile_rules(struct compiler *c)
{
    const struct ruleset *rs = c->rs;
    const struct rule_order *o = &c->order;
    uint32_t patterns = 0;
    for (uint32_t i = 0; i < rs->n_rules && !c->ar.failed; i++) {
        const struct rule *r = &rs->rule[o->rule[i]];
        struct snap_rule_packed rec = {
            .name = compile_string(c, r->name),
            .origin = compile_string(c, r->origin),
            .evidence = compile_string(c, r->evidence),
            .checked = r->checked,
            .file = r->source,
            .line = r->at.line,
            .flags = rule_flags(r),
            .as_written = o->prec[CANDO_AS_WRITTEN][i],
            .first_match = o->prec[CANDO_FIRST_MATCH][i],
            .bounds = compile_bounds(c, r),
            .scopes = compile_rule_scopes(c, r),
            .patterns = patterns,
            .assigns = compile_assigns(c, r, rule_is_alone(rs, o->rule[i], o->stage[i])),
            .id = r->id.n ? compile_string(c, r->id) : 0,
        };
        uint32_t n_patterns = rule_pattern_count(r);
        c->too_large |= n_patterns > SNAP_RULE_MAX_PATTERNS ||
                        r->n_providers > SNAP_RULE_MAX_PROVIDERS ||
                        r->n_apis > SNAP_RULE_MAX_APIS || o->stage[i] > SNAP_RULE_MAX_STAGE;
        rec.counts = n_patterns | (uint32_t)r->n_providers << 16;
        rec.kinds = (assigns_end(c) - rec.assigns) | (uint32_t)r->n_apis << 8 |
                    (uint32_t)rs->source[r->source].layer << 16 | o->stage[i] << 20;
        patterns += n_patterns;
        compile_put(c, SEC_RULES, &rec);
    }
}

/* -- the file ------------------------------------------------------------------------- */

static uint64_t sources_hash(const struct ruleset *rs)
{
    uint64_t h = SNAP_MAJOR;
    for (size_t i = 0; i < rs->n_sources; i++) {
        const struct rule_source *s = &rs->source[i];
        h = str_hash(s->name, h + (uint64_t)s->layer * 16 + (uint64_t)s->syntax);
        h = str_hash(s->text, h);
    }
    return h;
}

static void put_le(struct buf *b, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        buf_putc(b, (char)(v >> (8 * i)));
}

static uint32_t header_flags(const struct ruleset *rs)
{
    uint32_t flags = rs->n_ids ? SNAP_HAS_IDS : 0;
    for (size_t i = 0; i < rs->n_rules; i++)
        if (rs->rule[i].kind == RULE_FACT)
            return flags | SNAP_HAS_FACTS;
    return flags;
}

/* Header, table, sections in the order of their ids, each on a multiple of eight. */
static cando_status write_file(struct compiler *c, void **out, size_t *len, cando_error *err)
{
    struct buf b;
    buf_init(&b, c->a, LIMIT_SNAPSHOT_BYTES);
    uint32_t n = SEC_END - 1;
    uint64_t at = sizeof(struct snap_header) + n * sizeof(struct snap_section_entry), size = at;
    for (unsigned id = 1; id < SEC_END; id++)
        size = (size + c->sec[id].n + 7) & ~UINT64_C(7);
    buf_put(&b, snap_magic, sizeof snap_magic);
    put_le(&b, SNAP_MAJOR, 2);
    put_le(&b, SNAP_MINOR, 2);
    put_le(&b, sizeof(struct snap_header), 4);
    put_le(&b, n, 4);
    put_le(&b, header_flags(c->rs), 4);
    put_le(&b, size, 8);
    put_le(&b, sources_hash(c->rs), 8);
    put_le(&b, 0, 8);
    for (unsigned id = 1; id < SEC_END; id++) {
        put_le(&b, id, 4);
        put_le(&b, snapshot_record_size((enum snap_section)id), 4);
        put_le(&b, at, 8);
        put_le(&b, c->sec[id].n, 8);
        at = (at + c->sec[id].n + 7) & ~UINT64_C(7);
    }
    for (unsigned id = 1; id < SEC_END; id++) {
        buf_put(&b, c->sec[id].p, c->sec[id].n);
        buf_align(&b, 8);
    }
    char *exact = b.failed ? NULL : mem_resize(c->a, b.p, b.cap, b.n);
    if (!exact) {
        buf_free(&b);
        return error_memory(err);
    }
    uint64_t sum = snapshot_checksum(exact, b.n);
    for (unsigned i = 0; i < 8; i++)
        exact[offsetof(struct snap_header, checksum) + i] = (char)(sum >> (8 * i));
    *out = exact;
    *len = b.n;
    return CANDO_OK;
}

static void compile_tables(struct compiler *c)
{
    compile_string(c, STR(""));
    compile_u32(c, SEC_POSTINGS, 0);
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        struct snap_field row = {compile_string(c, str_of(vocab_row(f)->name)),
                                 (uint32_t)vocab_row(f)->type, c->rs->borrow[f]};
        compile_put(c, SEC_FIELDS, &row);
    }
    for (size_t i = 0; i < c->rs->n_sources; i++) {
        const struct rule_source *src = &c->rs->source[i];
        struct snap_file f = {compile_string(c, src->name), (uint32_t)src->layer,
                              (uint32_t)src->syntax, src->first_match};
        compile_put(c, SEC_FILES, &f);
    }
}

static bool compile_scopes_room(struct compiler *c)
{
    /* API numbers are given on first sight: see all of them before */
    for (size_t i = 0; i < c->rs->n_providers; i++)
        if (c->rs->provider[i].api.n)
            api_number(c, c->rs->provider[i].api);
    for (size_t i = 0; i < c->rs->n_rules; i++)
        for (size_t k = 0; k < c->rs->rule[i].n_apis; k++)
            api_number(c, c->rs->rule[i].api[k].name);
    c->provider_scope = arena_array(&c->ar, c->providers.n, 4);
    c->api_scope = arena_array(&c->ar, c->n_apis, 4);
    return c->provider_scope && c->api_scope && !c->ar.failed;
}

static bool sections_failed(const struct compiler *c)
{
    for (unsigned id = 1; id < SEC_END; id++)
        if (c->sec[id].failed)
            return true;
    return c->failed || c->ar.failed;
}

static bool compile_all(struct compiler *c)
{
    compile_tables(c);
    if (!providers_number(&c->providers, c->rs, &c->ar))
        return false;
    c->alias = c->providers.number;
    if (!compile_scopes_room(c) || !rules_order(&c->order, c->rs, &c->ar))
        return false;
    compile_stages(c);
    compile_matchers(c);
    if (c->ar.failed)
        return false;
    compile_apis(c);
    compile_providers(c);
    if (c->ar.failed)
        return false;
    if (!compile_alias_list(c))
        return false;
    compile_names(c);
    compile_policy(c);
    compile_rules(c);
    compile_requests(c);
    return !sections_failed(c);
}

/* Writes what there is by now and lets `pass` ask it. */
static cando_status compile_through(struct compiler *c,
                                    void (*pass)(struct compiler *, const cando_catalog *),
                                    cando_error *err)
{
    void *draft = NULL;
    size_t draft_len = 0;
    cando_status st = write_file(c, &draft, &draft_len, err);
    if (st != CANDO_OK)
        return st;
    const cando_catalog *cat = catalog_open_trusted(draft, draft_len, c->a, err);
    if (!cat) {
        mem_free(c->a, draft, draft_len);
        return CANDO_INTERNAL;
    }
    pass(c, cat);
    cando_catalog_release(cat);
    return sections_failed(c) ? error_memory(err) : CANDO_OK;
}

static cando_status compile_twice(struct compiler *c, void **out, size_t *len, cando_error *err)
{
    cando_status st = compile_through(c, compile_exact, err);
    if (st == CANDO_OK && c->n_alias_of)
        st = compile_through(c, compile_aliases, err);
    return st == CANDO_OK ? write_file(c, out, len, err) : st;
}

cando_status ruleset_compile(const struct ruleset *rs, const cando_allocator *a, void **out,
                             size_t *len, cando_error *err)
{
    if (rs->failed || rs->diag.failed)
        return error_memory(err);
    if (rs->fatal)
        return error_set(err, CANDO_BAD_INPUT, CODE_internal,
                         "the sources have errors and cannot be compiled");
    struct compiler *c = mem_alloc(a, sizeof *c);
    if (!c)
        return error_memory(err);
    memset(c, 0, sizeof *c);
    c->rs = rs;
    c->a = a;
    arena_init(&c->ar, a);
    for (unsigned id = 1; id < SEC_END; id++)
        buf_init(&c->sec[id], a, LIMIT_SNAPSHOT_BYTES);
    map_init(&c->strings, &c->ar, false);
    map_init(&c->lists, &c->ar, false);
    map_init(&c->req_lists, &c->ar, false);
    map_init(&c->req_types, &c->ar, false);
    map_init(&c->api, &c->ar, false);
    cando_status st = compile_all(c) ? CANDO_OK : error_memory(err);
    if (c->too_large)
        st = error_set(err, CANDO_BAD_INPUT, CODE_too_long,
                       "the rules are too large for one snapshot");
    if (st == CANDO_OK)
        st = compile_twice(c, out, len, err);
    for (unsigned id = 1; id < SEC_END; id++)
        buf_free(&c->sec[id]);
    arena_free(&c->ar);
    mem_free(a, c, sizeof *c);
    return st;
}
