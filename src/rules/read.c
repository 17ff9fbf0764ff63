/*
 * read.c - rule files into the set: which syntax, in which order, and what
 * the sources share.
 *
 * A file says itself what it is, by its `schema`; Harn files, which have none,
 * are known by their tables. The reader of the syntax then walks the TOML
 * tree. TOML groups what belongs together ([[provider.a]] rules are one array,
 * whatever stood between them), but precedence follows the text, so the rules
 * of a source are put back into the order of their lines before they get
 * their names checked.
 *
 * Providers, families and identities are tables of the whole set. There a
 * later layer corrects an earlier one, whichever was read first, and two
 * statements in one layer are a finding.
 */
#include "read.h"
#include "request.h"

#include "catalog/api.h"

#include <stdlib.h>

#define SCHEMA_CANDO "cando/rules@1"
#define SCHEMA_REQUESTS "cando/requests@1"
#define SCHEMAS_COMPILED "cando/api@1 cando/refusals@1 cando/nika@1 cando/prices@1 cando/secrets@1"
#define SCHEMA_NIKA_RULES "nika/model-capabilities@1.0"
#define SCHEMA_NIKA_PROVIDERS "nika/llm-providers@1.0"

void ruleset_init(struct ruleset *rs, struct arena *ar)
{
    *rs = (struct ruleset){.ar = ar};
    diag_init(&rs->diag, ar);
    map_init(&rs->by_name, ar, false);
    map_init(&rs->by_provider, ar, false);
    map_init(&rs->by_id, ar, false);
}

/* -- what others put into the set ------------------------------------------------ */

/* [table]key, as it stands in by_id. */
struct str id_key(struct arena *ar, enum id_table table, struct str prefix, struct str key)
{
    size_t n = 1 + prefix.n + (prefix.n > 0) + key.n;
    char *p = arena_alloc(ar, n + 1), *q = p;
    if (!p)
        return STR_NONE;
    *q++ = (char)('0' + table);
    if (prefix.n) {
        memcpy(q, prefix.p, prefix.n);
        q += prefix.n;
        *q++ = '/';
    }
    for (size_t i = 0; i < key.n; i++)
        *q++ = char_fold(key.p[i]);
    return str_make(p, n);
}

static bool put_first(struct map *m, struct str key, size_t value)
{
    return map_get(m, key) || map_put(m, key, (uint32_t)value);
}

/* A catalog that was compiled before is put into the set without a reader; the
 * maps learn of it here. Its providers and identities have no line, and give
 * way to whatever a source says. */
bool ruleset_index(struct ruleset *rs)
{
    for (; rs->known_rules < rs->n_rules; rs->known_rules++) {
        const struct rule *rule = &rs->rule[rs->known_rules];
        if (rule->kind == RULE_MATCH && rule->name.n &&
            !put_first(&rs->by_name, rule->name, rs->known_rules))
            return false;
    }
    for (; rs->known_providers < rs->n_providers; rs->known_providers++) {
        const struct provider *p = &rs->provider[rs->known_providers];
        if (!put_first(&rs->by_provider, p->id, rs->known_providers))
            return false;
        for (size_t k = 0; k < p->n_aliases; k++)
            if (!put_first(&rs->by_provider, p->alias[k].name, rs->known_providers))
                return false;
    }
    for (; rs->known_ids < rs->n_ids; rs->known_ids++) {
        const struct id_entry *e = &rs->id[rs->known_ids];
        struct str key = id_key(rs->ar, e->table, STR(""), e->key);
        if (!key.p || !put_first(&rs->by_id, key, rs->known_ids))
            return false;
    }
    return true;
}

/* -- findings ----------------------------------------------------------------- */

struct place read_place(const struct reader *r, struct toml_pos at)
{
    return (struct place){r->file, at.line, at.column, at.width};
}

bool read_hints(const struct ruleset *rs)
{
    return rs->diag.last_listed;
}

bool read_full(struct reader *r, size_t n, unsigned limit, const char *what, struct place at)
{
    if (n < limit)
        return false;
    r->full = true;
    r->rs->fatal++;
    diag_add(&r->rs->diag, CODE_too_long, at, "more than %u %s", limit, what);
    return true;
}

bool read_no_memory(struct reader *r)
{
    r->rs->failed = true;
    return false;
}

void nearest_try_words(struct nearest *n, const char *words)
{
    struct str word;
    while (words_next(&words, &word))
        nearest_try(n, word);
}

/* -- which syntax --------------------------------------------------------------- */

/* [[provider.x]] somewhere, or a table that only Harn has. */
static bool looks_like_harn(const struct toml *root)
{
    const struct toml *p = toml_get(root, STR("provider"));
    if (p && p->kind == TOML_TABLE)
        for (size_t i = 0; i < p->n; i++)
            if (p->entry[i].value->kind == TOML_ARRAY)
                return true;
    return toml_get(root, STR("provider_family")) || toml_get(root, STR("provider_defaults")) ||
           toml_get(root, STR("capabilities"));
}

static cando_syntax schema_syntax(struct str schema)
{
    if (str_is(schema, SCHEMA_CANDO) || str_is(schema, SCHEMA_REQUESTS) ||
        words_have(SCHEMAS_COMPILED, schema))
        return CANDO_SYNTAX_CANDO;
    if (str_is(schema, SCHEMA_NIKA_RULES) || str_is(schema, SCHEMA_NIKA_PROVIDERS))
        return CANDO_SYNTAX_NIKA;
    return CANDO_SYNTAX_AUTO;
}

static const char *syntax_name(cando_syntax d)
{
    return d == CANDO_SYNTAX_NIKA ? "nika" : d == CANDO_SYNTAX_HARN ? "harn" : "cando";
}

static void missing_schema(struct reader *r, bool fatal)
{
    r->rs->fatal += fatal;
    READ_ERROR(r, CODE_schema_missing, r->root->at, "the file has no 'schema'");
    READ_HINT(r, r->syntax == CANDO_SYNTAX_NIKA ? "begin with schema = \"" SCHEMA_NIKA_RULES
                                                  "\" or \"" SCHEMA_NIKA_PROVIDERS "\""
                                                : "begin with schema = \"" SCHEMA_CANDO "\"");
}

/* Settles r->syntax; `told` is what the caller said. False if the file cannot
 * be read at all. Harn knows no schema, so there the key is the reader's to
 * judge. */
static bool settle_syntax(struct reader *r, cando_syntax told)
{
    struct toml_entry *e = toml_entry_of(r->root, STR("schema"));
    r->syntax = told;
    if (told == CANDO_SYNTAX_HARN)
        return true;
    if (!e) {
        if (told == CANDO_SYNTAX_AUTO && looks_like_harn(r->root)) {
            r->syntax = CANDO_SYNTAX_HARN;
            return true;
        }
        if (told == CANDO_SYNTAX_NIKA) /* a part of a file: see read_nika.c */
            return true;
        missing_schema(r, told == CANDO_SYNTAX_AUTO);
        return told != CANDO_SYNTAX_AUTO;
    }
    if (e->value->kind != TOML_STRING)
        return read_wrong_type(r, e->key, e->value, "a string");
    cando_syntax is = schema_syntax(e->value->text);
    if (is != CANDO_SYNTAX_AUTO && (is == told || told == CANDO_SYNTAX_AUTO)) {
        r->syntax = is;
        return true;
    }
    if (is != CANDO_SYNTAX_AUTO) {
        READ_FATAL(r, CODE_schema_unknown, e->value->at,
                   "schema \"%.*s\" is not one of the dialect '%s'", STR_ARG(e->value->text),
                   syntax_name(told));
        READ_HINT(r, "read it as '%s'", syntax_name(is));
        return false;
    }
    READ_FATAL(r, CODE_schema_unknown, e->value->at, "no schema \"%.*s\"", STR_ARG(e->value->text));
    READ_HINT(r, "known: \"" SCHEMA_CANDO "\", \"" SCHEMA_REQUESTS "\", \"" SCHEMA_NIKA_RULES
                 "\", \"" SCHEMA_NIKA_PROVIDERS "\"");
    return false;
}

/* -- order and names --------------------------------------------------------------- */

static int rule_cmp(const void *a, const void *b)
{
    const struct rule *x = a, *y = b;
    if (x->at.line != y->at.line)
        return x->at.line < y->at.line ? -1 : 1;
    return x->at.column < y->at.column ? -1 : x->at.column > y->at.column;
}

static void order_rules(struct ruleset *rs, size_t first)
{
    for (size_t i = first + 1; i < rs->n_rules; i++)
        if (rule_cmp(&rs->rule[i - 1], &rs->rule[i]) > 0) {
            qsort(rs->rule + first, rs->n_rules - first, sizeof *rs->rule, rule_cmp);
            return;
        }
}

/* A fact without a name of its own is called provider/id. Another layer may
 * well correct it by a row for the same model, so these names are looked up
 * by layer: [layer]provider/id. */
static struct str default_name(struct reader *r, struct rule *rule)
{
    struct str provider = rule->provider[0].name, id = rule->pattern[0].text;
    char layer = (char)(1 + r->rs->source[r->source].layer);
    struct str key = str_printf(r->rs->ar, "%c%.*s/%.*s", layer, STR_ARG(provider), STR_ARG(id));
    if (key.p)
        rule->name = str_from(key, 1);
    return key;
}

static void check_name(struct reader *r, size_t i)
{
    struct ruleset *rs = r->rs;
    struct rule *rule = &rs->rule[i];
    struct str key = rule->name;
    if (rule->kind == RULE_FACT && key.n == 0)
        key = default_name(r, rule);
    else if (key.n == 0)
        return;
    if (!key.p) {
        rs->failed = true;
        return;
    }
    const uint32_t *other = map_get(&rs->by_name, key);
    if (!other) {
        if (!map_put(&rs->by_name, key, (uint32_t)i))
            rs->failed = true;
        return;
    }
    const struct rule *first = &rs->rule[*other];
    diag_add(&rs->diag, CODE_duplicate_name, rule->at, "the name '%.*s' is taken: %.*s, line %u",
             STR_ARG(rule->name), STR_ARG(rs->source[first->source].name),
             (unsigned)first->at.line);
    READ_HINT(r, rule->kind == RULE_FACT ? "one row a model; merge the two"
                                         : "give each rule a name of its own");
}

/* -- the call ----------------------------------------------------------------------- */

static bool add_source(struct ruleset *rs, struct rule_source s)
{
    s.file = diag_add_file(&rs->diag, s.name, s.text);
    if (s.file == UINT32_MAX || !ARENA_GROW(rs->ar, rs->source, rs->n_sources, rs->cap_sources))
        return false;
    rs->source[rs->n_sources++] = s;
    return true;
}

bool read_root(struct reader *r, struct str text)
{
    enum code code = CODE_internal;
    struct toml_pos at = {1, 1, 1};
    char message[256] = "";
    r->root = toml_parse(r->rs->ar, text, &code, &at, message, sizeof message);
    if (r->root)
        return true;
    if (code == CODE_memory)
        return read_no_memory(r);
    return READ_FATAL(r, code, at, "%s", message);
}

/* Is the file's schema one of these? */
static bool has_schema(const struct toml *root, const char *names)
{
    const struct toml *schema = toml_get(root, STR("schema"));
    return schema && schema->kind == TOML_STRING && words_have(names, schema->text);
}

static bool read_source(struct reader *r, struct str text, cando_syntax told)
{
    if (!read_root(r, text) || !settle_syntax(r, told))
        return false;
    r->rs->source[r->source].syntax = r->syntax;
    r->vocab = r->syntax == CANDO_SYNTAX_NIKA   ? VOCAB_NIKA
               : r->syntax == CANDO_SYNTAX_HARN ? VOCAB_HARN
                                                : VOCAB_CANDO;
    if (!vocab_index(r->vocab, r->rs->ar, &r->field))
        return read_no_memory(r);
    if (r->syntax == CANDO_SYNTAX_NIKA)
        read_nika(r);
    else if (r->syntax == CANDO_SYNTAX_HARN)
        read_harn(r);
    else if (has_schema(r->root, SCHEMA_REQUESTS))
        read_requests(r, text);
    else if (!has_schema(r->root, SCHEMAS_COMPILED)) /* what is said there is in the library */
        read_cando(r);
    order_rules(r->rs, r->first_rule);
    for (size_t i = r->first_rule; i < r->rs->n_rules && !r->rs->failed; i++)
        check_name(r, i);
    return !r->full && !r->rs->failed;
}

void ruleset_read(struct ruleset *rs, struct str name, struct str text, cando_syntax syntax,
                  cando_layer layer)
{
    if (rs->failed)
        return;
    struct rule_source s = {
        .name = name,
        .text = text.p ? text : STR(""),
        .syntax = syntax == CANDO_SYNTAX_AUTO ? CANDO_SYNTAX_CANDO : syntax,
        .layer = layer,
    };
    if (!ruleset_index(rs) || !add_source(rs, s)) {
        rs->failed = true;
        return;
    }
    struct reader r = {
        .rs = rs,
        .source = (uint32_t)(rs->n_sources - 1),
        .file = rs->source[rs->n_sources - 1].file,
        .first_rule = rs->n_rules,
    };
    if (!read_source(&r, text, syntax))
        rs->source[r.source].broken = true;
    rs->known_rules = rs->n_rules;
    rs->known_providers = rs->n_providers;
    rs->known_ids = rs->n_ids;
    if (rs->diag.failed)
        rs->failed = true;
}

/* -- layers --------------------------------------------------------------------------- */

static cando_layer layer_of(const struct ruleset *rs, uint32_t source)
{
    return rs->source[source].layer;
}

/* For messages: the file's name, if it is another one than the reader's. */
static struct str other_file(const struct reader *r, uint32_t file)
{
    return file == r->file ? STR("this file") : r->rs->diag.file[file].name;
}

/* -- providers ------------------------------------------------------------------------- */

/* True if nobody has the name yet; then it is provider i's. */
static bool take_provider_name(struct reader *r, struct str name, struct place at, size_t i)
{
    struct ruleset *rs = r->rs;
    const uint32_t *owner = map_get(&rs->by_provider, name);
    if (!owner) {
        if (!map_put(&rs->by_provider, name, (uint32_t)i))
            return read_no_memory(r);
        return true;
    }
    const struct provider *p = &rs->provider[*owner];
    diag_add(&rs->diag, CODE_duplicate_item, at,
             "the provider name '%.*s' is taken by '%.*s': %.*s, line %u", STR_ARG(name),
             STR_ARG(p->id), STR_ARG(other_file(r, p->at.file)), (unsigned)p->at.line);
    READ_HINT(r, "ids and aliases are unique together, case folded");
    return false;
}

/* `again`: the provider was declared in another layer, so it may have some of
 * them already. */
static void add_aliases(struct reader *r, size_t i, struct scope_name *alias, size_t n, bool again)
{
    struct provider *p = &r->rs->provider[i];
    size_t had = p->n_aliases;
    struct scope_name *all = arena_array(r->rs->ar, had + n, sizeof *all);
    if (!all) {
        read_no_memory(r);
        return;
    }
    if (had)
        memcpy(all, p->alias, had * sizeof *all);
    p->alias = all;
    for (size_t k = 0; k < n; k++) {
        const uint32_t *owner = map_get(&r->rs->by_provider, alias[k].name);
        if (again && owner && *owner == i)
            continue;
        if (!take_provider_name(r, alias[k].name, alias[k].at, i))
            continue;
        p->alias[p->n_aliases++] = alias[k];
        if (!read_id(r, ID_PROVIDER, STR(""), alias[k].name, p->id, alias[k].at))
            return;
    }
}

/* What the higher layer says stands; the other one fills its gaps. */
static void merge_provider(struct provider *old, const struct provider *p, bool newer)
{
    const struct provider *hi = newer ? p : old, *lo = newer ? old : p;
    struct provider out = *hi;
    if (!out.name.n)
        out.name = lo->name;
    if (!out.api.n)
        out.api = lo->api;
    if (!out.kind.n)
        out.kind = lo->kind;
    out.alias = old->alias;
    out.n_aliases = old->n_aliases;
    *old = out;
}

struct provider read_provider_begin(const struct reader *r, const struct toml *t)
{
    return (struct provider){.id = STR(""),
                             .name = STR(""),
                             .api = STR(""),
                             .kind = STR(""),
                             .at = read_place(r, t->at)};
}

void read_provider(struct reader *r, struct provider *p)
{
    struct ruleset *rs = r->rs;
    p->source = r->source;
    p->api = read_api(p->api);
    const uint32_t *known = map_get(&rs->by_provider, p->id);
    struct scope_name *alias = p->alias;
    size_t n_aliases = p->n_aliases, i;
    p->alias = NULL;
    p->n_aliases = 0;
    struct provider *old = known ? &rs->provider[*known] : NULL;
    if (old && str_eq(old->id, p->id) &&
        (old->at.line == 0 || layer_of(rs, old->source) != layer_of(rs, r->source))) {
        i = *known;
        merge_provider(old, p,
                       old->at.line == 0 || layer_of(rs, r->source) > layer_of(rs, old->source));
        add_aliases(r, i, alias, n_aliases, true);
        return;
    }
    i = rs->n_providers;
    if (read_full(r, i, LIMIT_PROVIDERS, "providers", p->at))
        return;
    if (!take_provider_name(r, p->id, p->at, i))
        return;
    if (!ARENA_GROW(rs->ar, rs->provider, rs->n_providers, rs->cap_providers)) {
        rs->failed = true;
        return;
    }
    rs->provider[rs->n_providers++] = *p;
    if (read_id(r, ID_PROVIDER, STR(""), p->id, p->id, p->at))
        add_aliases(r, i, alias, n_aliases, false);
}

/* -- families --------------------------------------------------------------------------- */

/* Clears the way for what this source says of `child`. False if it does not
 * count. A family at line 0 was written by nobody and always gives way. */
static bool family_makes_way(struct reader *r, struct str child, struct toml_pos at)
{
    struct ruleset *rs = r->rs;
    cando_layer mine = layer_of(rs, r->source);
    const struct family *said = NULL;
    for (size_t i = 0; i < rs->n_families && !said; i++)
        if (rs->family[i].at.line && str_eq(rs->family[i].child, child))
            said = &rs->family[i];
    if (said && layer_of(rs, said->source) > mine)
        return false;
    if (said && layer_of(rs, said->source) == mine) {
        READ_ERROR(r, CODE_duplicate_item, at,
                   "the family of '%.*s' is declared twice: %.*s, line %u", STR_ARG(child),
                   STR_ARG(other_file(r, said->at.file)), (unsigned)said->at.line);
        READ_HINT(r, "several parents are one list, in order");
        if (said->source == r->source)
            return false;
    }
    size_t kept = 0;
    for (size_t i = 0; i < rs->n_families; i++)
        if (!str_eq(rs->family[i].child, child))
            rs->family[kept++] = rs->family[i];
    rs->n_families = kept;
    return true;
}

static bool add_family(struct reader *r, struct str child, struct str parent, struct toml_pos at)
{
    struct ruleset *rs = r->rs;
    if (read_full(r, rs->n_families, LIMIT_PROVIDERS, "families", read_place(r, at)))
        return false;
    if (!ARENA_GROW(rs->ar, rs->family, rs->n_families, rs->cap_families))
        return read_no_memory(r);
    rs->family[rs->n_families++] = (struct family){child, parent, read_place(r, at), r->source};
    return true;
}

void read_family(struct reader *r, const struct toml_entry *e, void *to)
{
    (void)to;
    struct str child, parent;
    struct read_items items;
    bool list = r->syntax == CANDO_SYNTAX_CANDO;
    if (!read_key_name(r, e, &child))
        return;
    if (!list && e->value->kind != TOML_STRING) {
        read_wrong_type(r, e->key, e->value, "the name of a provider");
        return;
    }
    if (!read_items(r, e, true, LIMIT_LIST_ITEMS, &items) || !family_makes_way(r, child, e->at))
        return;
    if (items.n == 0)
        READ_FATAL(r, CODE_empty_value, e->value->at, "'%.*s' has an empty list of parents",
                   STR_ARG(e->key));
    read_repeats(r, e->key, items);
    for (size_t i = 0; i < items.n; i++)
        if (read_name_fold(r, e->key, items.item[i], &parent) &&
            !add_family(r, child, parent, items.n == 1 ? e->at : items.item[i]->at))
            return;
}

void read_mock_family(struct reader *r)
{
    struct str mock = STR("mock");
    for (size_t i = 0; i < r->rs->n_families; i++)
        if (str_eq(r->rs->family[i].child, mock))
            return;
    struct toml_pos nowhere = {0, 0, 0};
    if (add_family(r, mock, STR("anthropic"), nowhere))
        add_family(r, mock, STR("openai"), nowhere);
}

/* -- identities ------------------------------------------------------------------------- */

bool read_id(struct reader *r, enum id_table table, struct str prefix, struct str key,
             struct str value, struct place at)
{
    struct ruleset *rs = r->rs;
    struct str full = id_key(rs->ar, table, prefix, key);
    if (!full.p)
        return read_no_memory(r);
    struct id_entry entry = {table, r->source, str_from(full, 1), value, at};
    const uint32_t *known = map_get(&rs->by_id, full);
    if (!known) {
        if (!ARENA_GROW(rs->ar, rs->id, rs->n_ids, rs->cap_ids) ||
            !map_put(&rs->by_id, full, (uint32_t)rs->n_ids))
            return read_no_memory(r);
        rs->id[rs->n_ids++] = entry;
        return true;
    }
    struct id_entry *old = &rs->id[*known];
    cando_layer was = layer_of(rs, old->source), is = layer_of(rs, r->source);
    bool gives_way = old->at.line == 0 || is > was;
    if (str_eq(old->value, value) || (is < was && !gives_way))
        return true;
    if (gives_way) {
        *old = entry;
        return true;
    }
    diag_add(&rs->diag, CODE_duplicate_item, at, "'%.*s' means '%.*s' already: %.*s, line %u",
             STR_ARG(entry.key), STR_ARG(old->value), STR_ARG(other_file(r, old->at.file)),
             (unsigned)old->at.line);
    return true;
}

/* -- scopes ------------------------------------------------------------------------------- */

struct scope_check {
    struct ruleset *rs;
    struct map nika;          /* id or alias -> row of nika_names.providers */
    bool nika_own, cando_own; /* the set has a table of providers */
    unsigned hints;           /* left: looking for near names is not cheap */
};

#define SCOPE_HINTS 200

static bool index_nika(struct scope_check *c)
{
    map_init(&c->nika, c->rs->ar, false);
    for (size_t i = 0; i < nika_names.n_providers; i++) {
        const char *cursor = nika_names.providers[i].aliases;
        struct str alias;
        if (!map_put(&c->nika, nika_names.providers[i].id, (uint32_t)i))
            return false;
        while (words_next(&cursor, &alias))
            if (!map_put(&c->nika, alias, (uint32_t)i))
                return false;
    }
    return true;
}

/* The id that `name` stands for in the table of its syntax; empty if none. */
static struct str scope_id(const struct scope_check *c, bool nika, struct str name)
{
    if (nika && !c->nika_own) {
        const uint32_t *i = map_get(&c->nika, name);
        return i ? nika_names.providers[*i].id : STR("");
    }
    const uint32_t *i = map_get(&c->rs->by_provider, name);
    return i ? c->rs->provider[*i].id : STR("");
}

static void scope_hint(struct scope_check *c, bool nika, struct str name)
{
    if (!c->hints || !read_hints(c->rs))
        return;
    c->hints--;
    struct nearest near = nearest_to(name);
    if (nika && !c->nika_own)
        for (size_t i = 0; i < nika_names.n_providers; i++)
            nearest_try(&near, nika_names.providers[i].id);
    else
        for (size_t i = 0; i < c->rs->n_providers; i++) {
            const struct provider *p = &c->rs->provider[i];
            nearest_try(&near, p->id);
            for (size_t k = 0; !nika && k < p->n_aliases; k++)
                nearest_try(&near, p->alias[k].name);
        }
    diag_suggest(&c->rs->diag, near.name,
                 "declare it in [[providers]], or name a provider that is there");
}

static void check_scope(struct scope_check *c, bool nika, const struct scope_name *s)
{
    struct str id = scope_id(c, nika, s->name);
    if (id.n == 0) {
        diag_add(&c->rs->diag, CODE_unknown_provider, s->at, "no provider '%.*s'",
                 STR_ARG(s->name));
        scope_hint(c, nika, s->name);
    } else if (nika && !str_eq(id, s->name)) {
        diag_add(&c->rs->diag, CODE_provider_alias, s->at, "'%.*s' is an alias", STR_ARG(s->name));
        diag_hint(&c->rs->diag, "write '%.*s'", STR_ARG(id));
    }
}

/* Over a catalog, a file that declares no providers may name one that nobody knows; but not one
 * that is nearly another. */
static void check_slip(struct scope_check *c, const struct scope_name *s)
{
    if (!c->hints || scope_id(c, false, s->name).n)
        return;
    c->hints--;
    struct nearest near = nearest_to(s->name);
    for (size_t i = 0; i < c->rs->n_providers; i++)
        nearest_try(&near, c->rs->provider[i].id);
    if (!nearest_is_slip(&near))
        return;
    diag_add(&c->rs->diag, CODE_provider_unknown, s->at, "no provider is called '%.*s'",
             STR_ARG(s->name));
    diag_suggest(&c->rs->diag, near.name, NULL);
}

void ruleset_check_scopes(struct ruleset *rs)
{
    struct scope_check c = {.rs = rs, .hints = SCOPE_HINTS};
    for (size_t i = 0; i < rs->n_providers; i++) {
        const struct provider *p = &rs->provider[i];
        cando_syntax d = p->at.line ? rs->source[p->source].syntax : CANDO_SYNTAX_AUTO;
        c.nika_own |= d == CANDO_SYNTAX_NIKA;
        c.cando_own |= d == CANDO_SYNTAX_CANDO;
    }
    if (rs->failed || !ruleset_index(rs) || !index_nika(&c)) {
        rs->failed = true;
        return;
    }
    for (size_t i = 0; i < rs->n_rules; i++) {
        const struct rule *rule = &rs->rule[i];
        cando_syntax d = rs->source[rule->source].syntax;
        if (d == CANDO_SYNTAX_NIKA || (d == CANDO_SYNTAX_CANDO && c.cando_own))
            for (size_t k = 0; k < rule->n_providers; k++)
                check_scope(&c, d == CANDO_SYNTAX_NIKA, &rule->provider[k]);
        else if (d == CANDO_SYNTAX_CANDO)
            for (size_t k = 0; k < rule->n_providers; k++)
                check_slip(&c, &rule->provider[k]);
    }
    if (rs->diag.failed)
        rs->failed = true;
}
