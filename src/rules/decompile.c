/*
 * decompile.c - reads a compiled catalog back into the rule form.
 *
 * An overlay does not patch a snapshot and is not asked beside it: its rules
 * and the catalog's are compiled into one new snapshot, so that there is one
 * resolver and precedence is decided in one place. The catalog's sources need
 * not be there for it; the snapshot keeps all that the compiler was given.
 */
#include "decompile.h"

#include "borrow.h"
#include "base/pack.h"
#include "request.h"

/* Memory that runs out is remembered by the arena, and asked for at the end. */

/* Where things go: the snapshot's files have numbers of their own. */
struct taking {
    struct ruleset *rs;
    const struct snapshot *s;
    uint32_t *source; /* by file */
    uint32_t first;   /* of the sources that come from here */
    uint32_t without; /* layers that are left out */
};

static struct place place_of(const struct taking *t, uint32_t file, uint32_t line)
{
    return (struct place){.file = t->rs->source[t->source[file]].file, .line = line};
}

static struct str provider_id(const struct snapshot *s, uint32_t provider)
{
    return snap_str(s, snap_provider(s, provider).id);
}

static void take_file(struct taking *t, uint32_t i, cando_layer layer)
{
    struct ruleset *rs = t->rs;
    struct snap_file f = snap_file(t->s, i);
    struct str name = snap_str(t->s, f.name);
    if (!ARENA_GROW(rs->ar, rs->source, rs->n_sources, rs->cap_sources))
        return;
    t->source[i] = (uint32_t)rs->n_sources;
    /* the text is gone: what stands in for it keeps the hash of the whole */
    rs->source[rs->n_sources++] = (struct rule_source){
        .name = name,
        .text = str_make((const char *)t->s->data, sizeof(struct snap_header)),
        .file = diag_add_file(&rs->diag, name, STR("")),
        .syntax = (cando_syntax)f.syntax,
        .layer = layer < CANDO_LAYER_USER ? (cando_layer)f.layer : layer,
        .first_match = f.first_match,
        .compiled = true,
    };
}

/* In the order of their layers: where all go into one, that is what is left of it. */
static bool take_files(struct taking *t, cando_layer layer)
{
    uint32_t n = (uint32_t)t->s->sec[SEC_FILES].n;
    t->source = arena_array(t->rs->ar, n, sizeof *t->source);
    if (!t->source)
        return false;
    bool as_they_are = layer < CANDO_LAYER_USER;
    for (uint32_t l = 0; l < (as_they_are ? 1 : CANDO_LAYER_COUNT); l++)
        for (uint32_t i = 0; i < n; i++)
            if (as_they_are || snap_file(t->s, i).layer == l)
                take_file(t, i, layer);
    return !t->rs->ar->failed;
}

/* -- rules ------------------------------------------------------------------------- */

static struct rule_value value_of(struct ruleset *rs, const struct snapshot *s, uint32_t v)
{
    uint32_t payload = VAL_PAYLOAD(v);
    struct rule_value out = {.cleared = false};
    switch (VAL_TAG(v)) {
    case VAL_SUPPORT:
        out.support = (cando_support)(payload & 7);
        out.text = payload >> 3 ? snap_str(s, payload >> 3) : STR("");
        break;
    case VAL_FLAG:
        out.flag = payload != 0;
        break;
    case VAL_NUMBER:
        out.number = payload;
        break;
    case VAL_BIG:
        out.number = snap_number(s, payload);
        break;
    case VAL_TEXT:
        out.text = snap_str(s, payload);
        break;
    case VAL_LIST:
        out.n = snap_u32(s, SEC_LISTS, payload);
        out.item = arena_array(rs->ar, out.n, sizeof *out.item);
        for (size_t i = 0; out.item && i < out.n; i++)
            out.item[i] = snap_str(s, snap_u32(s, SEC_LISTS, payload + 1 + i));
        break;
    default:
        out.cleared = true;
    }
    return out;
}

static struct pattern pattern_of(struct ruleset *rs, const struct snapshot *s, uint32_t i)
{
    static const enum match_kind kinds[] = {
        [PAT_ANY] = MATCH_ANY,   [PAT_EXACT] = MATCH_EXACT,       [PAT_PREFIX] = MATCH_PREFIX,
        [PAT_GLOB] = MATCH_GLOB, [PAT_CONTAINS] = MATCH_CONTAINS,
    };
    struct snap_pattern p = snap_pattern(s, i);
    struct str program = snap_str(s, p.program);
    struct pattern out = {.kind = kinds[p.kind], .text = snap_str(s, p.text)};
    if (program.n == 0 || p.kind == PAT_ANY)
        return out;
    out.kind = MATCH_GLOB; /* a glob that was plain enough to be filed as something simpler */
    out.n_programs = 1;
    out.program = arena_copy(rs->ar, &program, sizeof program);
    return out;
}

static struct version_bound bound_of(const struct snapshot *s, const struct snap_rule *r,
                                     uint32_t flag, unsigned end)
{
    struct version_bound b = {.set = r->flags & flag};
    uint32_t major, minor;
    snap_rule_bound(s, r->bounds, end, &major, &minor);
    b.major = major;
    b.minor = minor;
    return b;
}

static struct rule rule_of(const struct taking *t, const struct snap_rule *r)
{
    const struct snapshot *s = t->s;
    return (struct rule){
        .kind = r->flags & RULEF_FACT               ? RULE_FACT
                : r->flags & RULEF_DEFAULT          ? RULE_DEFAULT
                : r->flags & RULEF_PROVIDER_DEFAULT ? RULE_PROVIDER_DEFAULT
                                                    : RULE_MATCH,
        .source = t->source[r->file],
        .name = snap_str(s, r->name),
        .id = r->id ? snap_str(s, r->id) : STR(""),
        .at = place_of(t, r->file, r->line),
        .origin = snap_str(s, r->origin),
        .evidence = snap_str(s, r->evidence),
        .agreed = r->flags >> RULEF_AGREED,
        .checked = r->checked,
        .n_providers = r->n_providers,
        .n_apis = r->n_apis,
        .n_patterns = r->n_patterns,
        .min = bound_of(s, r, RULEF_MIN, 0),
        .max = bound_of(s, r, RULEF_MAX, 1),
        .never = r->flags & RULEF_NEVER,
        .extends = r->flags & RULEF_EXTENDS,
        .on_base = r->flags & RULEF_ON_BASE,
        .scheme = r->flags & RULEF_SCHEME_ANY ? SCHEME_ANY : SCHEME_HARN,
    };
}

static void take_rule(const struct taking *t, const struct snap_rule *r)
{
    struct ruleset *rs = t->rs;
    const struct snapshot *s = t->s;
    struct rule out = rule_of(t, r);
    out.provider = arena_array(rs->ar, r->n_providers, sizeof *out.provider);
    out.api = arena_array(rs->ar, r->n_apis, sizeof *out.api);
    out.pattern = arena_array(rs->ar, r->n_patterns, sizeof *out.pattern);
    out.assign = arena_array(rs->ar, r->n_assigns, sizeof *out.assign);
    if (!ARENA_GROW(rs->ar, rs->rule, rs->n_rules, rs->cap_rules) || rs->ar->failed)
        return;
    for (uint32_t i = 0; i < r->n_providers; i++)
        out.provider[i].name = provider_id(s, snap_u32(s, SEC_RULE_SCOPES, r->scopes + i));
    for (uint32_t i = 0; i < r->n_apis; i++) {
        uint32_t api = snap_u32(s, SEC_RULE_SCOPES, r->scopes + r->n_providers + i);
        out.api[i].name = snap_str(s, snap_api(s, api).name);
    }
    for (uint32_t i = 0; i < r->n_patterns; i++)
        out.pattern[i] = pattern_of(rs, s, r->patterns + i);
    for (uint32_t i = 0; i < r->n_assigns; i++) {
        struct snap_assign a = snap_assign_at(s, r->assigns + i);
        unsigned field = s->field[a.field];
        if (field < FIELD_COUNT) /* a newer one: this library cannot speak of it */
            out.assign[out.n_assigns++] = (struct assign){field, value_of(rs, s, a.value), out.at};
    }
    rs->rule[rs->n_rules++] = out;
}

static void take_family(const struct taking *t, size_t i)
{
    struct ruleset *rs = t->rs;
    const struct snapshot *s = t->s;
    struct snap_family f = snap_family(s, i);
    if (ARENA_GROW(rs->ar, rs->family, rs->n_families, rs->cap_families))
        rs->family[rs->n_families++] =
            (struct family){provider_id(s, f.child), provider_id(s, f.parent),
                            place_of(t, f.file, f.line), t->source[f.file]};
}

/* Rows of one entry, for its alternatives and other names, stand together. */
static void take_policy(const struct taking *t)
{
    struct ruleset *rs = t->rs;
    const struct snapshot *s = t->s;
    struct snap_policy last = {.kind = SNAP_POLICY_KINDS};
    for (size_t i = 0; i < s->sec[SEC_POLICY].n; i++) {
        struct snap_policy p = snap_policy(s, i);
        bool again = p.kind == last.kind && p.file == last.file && p.line == last.line &&
                     p.text == last.text;
        if (again || t->without >> snap_file(s, p.file).layer & 1)
            continue;
        last = p;
        if (ARENA_GROW(rs->ar, rs->policy, rs->n_policies, rs->cap_policies))
            rs->policy[rs->n_policies++] =
                (struct policy_entry){(enum policy_kind)p.kind, snap_str(s, p.text),
                                      t->source[p.file], place_of(t, p.file, p.line)};
    }
}

/* -- names ------------------------------------------------------------------------- */

/* An overlay may add to a provider or correct it, so that its declaration is
 * known to the readers; it counts as one of the lowest layer. */
static uint32_t lowest_source(const struct ruleset *rs, uint32_t first)
{
    uint32_t lowest = first;
    for (uint32_t i = first + 1; i < rs->n_sources; i++)
        if (rs->source[i].layer < rs->source[lowest].layer)
            lowest = i;
    return lowest;
}

/* The addresses of a provider; false: no memory. */
static bool take_bases(struct ruleset *rs, const struct snapshot *s, uint32_t number,
                       struct provider *out)
{
    size_t n = s->sec[SEC_BASES].n, used = 0;
    for (size_t i = 0; i < n; i++)
        out->n_bases += snap_base(s, i).provider == number;
    out->base = arena_array(rs->ar, out->n_bases, sizeof *out->base);
    for (size_t i = 0; out->base && i < n; i++) {
        struct snap_base b = snap_base(s, i);
        if (b.provider != number)
            continue;
        struct str text = str_join(rs->ar, snap_str(s, b.host), snap_str(s, b.path), STR(""));
        if (!text.p)
            return false;
        out->base[used++].name = text;
    }
    return out->base != NULL;
}

static void take_provider(struct ruleset *rs, const struct snapshot *s, uint32_t number,
                          uint32_t aliases, uint32_t source)
{
    struct snap_provider p = snap_provider(s, number);
    struct provider out = {
        .id = snap_str(s, p.id),
        .name = snap_str(s, p.name),
        .kind = snap_str(s, p.kind),
        .api = p.api == SNAP_NONE ? STR("") : snap_str(s, snap_api(s, p.api).name),
        .alias = arena_array(rs->ar, aliases, sizeof *out.alias),
        .n_spoken = p.apis == SNAP_NONE ? 0 : snap_u32(s, SEC_LISTS, p.apis),
        .own_names = p.own_names,
        .source = source,
    };
    out.spoken = arena_array(rs->ar, out.n_spoken, sizeof *out.spoken);
    if (!ARENA_GROW(rs->ar, rs->provider, rs->n_providers, rs->cap_providers))
        return;
    if (!out.alias || !out.spoken || !take_bases(rs, s, number, &out))
        return;
    for (uint32_t i = 0; i < out.n_spoken; i++)
        out.spoken[i].name = snap_str(s, snap_u32(s, SEC_LISTS, p.apis + 1 + i));
    if (map_put(&rs->by_provider, out.id, (uint32_t)rs->n_providers))
        rs->provider[rs->n_providers++] = out;
}

static void take_alias(struct ruleset *rs, uint32_t provider, struct str name)
{
    struct provider *p = &rs->provider[provider];
    if (!map_get(&rs->by_provider, name) && map_put(&rs->by_provider, name, provider))
        p->alias[p->n_aliases++].name = name;
}

static void take_id(struct ruleset *rs, const struct snapshot *s, const struct snap_name *row)
{
    if (row->table > ID_SPELLING)
        return;
    if (rs->known_ids) {
        struct str key = id_key(rs->ar, (enum id_table)row->table, STR(""), snap_str(s, row->key));
        if (!key.p || map_get(&rs->by_id, key))
            return;
    }
    if (ARENA_GROW(rs->ar, rs->id, rs->n_ids, rs->cap_ids))
        rs->id[rs->n_ids++] = (struct id_entry){.table = (enum id_table)row->table,
                                                .key = snap_str(s, row->key),
                                                .value = snap_str(s, row->value)};
}

/* "provider/id" is an alias of "provider/model". */
static void take_model_alias(struct ruleset *rs, const struct snapshot *s,
                             const struct snap_name *row, uint32_t source)
{
    struct str key = snap_str(s, row->key);
    size_t cut = str_find_char(key, '/');
    uint32_t provider = snapshot_provider(s, str_head(key, cut));
    struct str id = str_from(key, cut + 1), written = id;
    for (size_t i = 0; i < s->sec[SEC_ROWS].n; i++) {
        struct snap_row r = snap_row(s, i);
        if (r.provider == provider && str_eq(snap_str(s, r.key), id))
            written = snap_str(s, r.id);
    }
    if (ARENA_GROW(rs->ar, rs->alias, rs->n_aliases, rs->cap_aliases))
        rs->alias[rs->n_aliases++] = (struct model_alias){.provider = str_head(key, cut),
                                                          .id = id,
                                                          .written = written,
                                                          .target = snap_str(s, row->value),
                                                          .source = source};
}

/* Providers in their own order, then their aliases, then the identity tables.
 * Names that only stand in scopes are no providers yet: whoever declares them
 * later may still make them an alias. */
static void take_names(const struct taking *t)
{
    struct ruleset *rs = t->rs;
    const struct snapshot *s = t->s;
    size_t n = s->sec[SEC_PROVIDERS].n, n_names = s->sec[SEC_NAMES].n;
    uint32_t *aliases = arena_array(rs->ar, n, sizeof *aliases),
             *index = arena_array(rs->ar, n, sizeof *index);
    uint32_t source = lowest_source(rs, t->first);
    if (!aliases || !index)
        return;
    for (size_t i = 0; i < n_names; i++) {
        struct snap_name row = snap_name(s, i);
        if (row.key != SNAP_NONE && row.table == NAME_PROVIDER_INDEX)
            aliases[row.value]++;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct str id = provider_id(s, i);
        index[i] = SNAP_NONE;
        if (snapshot_name(s, ID_PROVIDER, id) == SNAP_NONE || map_get(&rs->by_provider, id))
            continue;
        index[i] = (uint32_t)rs->n_providers;
        take_provider(rs, s, i, aliases[i], source);
    }
    for (size_t i = 0; i < n_names && !rs->ar->failed; i++) {
        struct snap_name row = snap_name(s, i);
        if (row.key == SNAP_NONE)
            continue;
        if (row.table == NAME_ALIAS)
            take_model_alias(rs, s, &row, source);
        else if (row.table != NAME_PROVIDER_INDEX)
            take_id(rs, s, &row);
        else if (index[row.value] != SNAP_NONE)
            take_alias(rs, index[row.value], snap_str(s, row.key));
    }
}

/* The sources as they were written, one after the other; NULL: no memory. */
static const char *request_texts(struct ruleset *rs, const struct snapshot *s)
{
    size_t size = snap_req_texts_size(s);
    char *room = arena_alloc_raw(rs->ar, size + 1);
    if (!room || !unpack_text(snap_str(s, snap_req_text(s, 0).text), room, size))
        return NULL;
    room[size] = '\0';
    return room;
}

static void take_requests(const struct taking *t)
{
    struct ruleset *rs = t->rs;
    const struct snapshot *s = t->s;
    size_t n = s->sec[SEC_REQ_TEXTS].n;
    const char *at = n ? request_texts(rs, s) : "";
    rs->failed |= !at;
    for (size_t i = 0; i < n && !rs->failed; i++) {
        struct snap_req_text text = snap_req_text(s, i);
        if (!(t->without >> snap_file(s, text.file).layer & 1))
            ruleset_read_requests(rs, t->source[text.file], str_make(at, text.size));
        at += text.size;
    }
    if (!rs->failed && n && rs->requests && rs->requests->n_texts == n) {
        rs->requests->packed = snap_str(s, snap_req_text(s, 0).text);
        rs->requests->n_packed = n;
    }
}

void ruleset_decompile(struct ruleset *rs, const struct snapshot *s, cando_layer layer,
                       uint32_t without)
{
    struct taking t = {.rs = rs, .s = s, .first = (uint32_t)rs->n_sources, .without = without};
    bool taken = ruleset_index(rs) && take_files(&t, layer);
    rs->base = rs->base ? rs->base : s;
    for (uint32_t i = 0; taken && i < s->n_fields; i++)
        if (s->field[i] < FIELD_COUNT)
            rs->borrow[s->field[i]] |= (uint16_t)(snap_field(s, i).borrow & BORROW_ALL);
    if (taken)
        take_names(&t);
    if (!rs->ar->failed)
        take_policy(&t);
    for (size_t i = 0; i < s->sec[SEC_FAMILIES].n && !rs->ar->failed; i++)
        take_family(&t, i);
    for (uint32_t i = 0; i < s->sec[SEC_RULES].n && !rs->ar->failed; i++) {
        struct snap_rule r = snap_rule(s, i);
        if (!(without >> r.layer & 1))
            take_rule(&t, &r);
    }
    rs->failed |= rs->ar->failed;
    take_requests(&t);
}

void ruleset_take_requests(struct ruleset *rs, const struct snapshot *s)
{
    struct taking t = {.rs = rs, .s = s, .first = (uint32_t)rs->n_sources};
    rs->failed |= !take_files(&t, CANDO_LAYER_FAMILY);
    take_requests(&t);
}
