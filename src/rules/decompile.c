/*
 * decompile.c - reads a compiled catalog back into the rule form.
 *
 * An overlay does not patch a snapshot and is not asked beside it: its rules
 * and the catalog's are compiled into one new snapshot, so that there is one
 * resolver and precedence is decided in one place. The catalog's sources need
 * not be there for it; the snapshot keeps all that the compiler was given.
 */
#include "decompile.h"

#include "request.h"

static bool decompile_files(struct ruleset *rs, const struct snapshot *s, uint32_t *first)
{
    *first = (uint32_t)rs->n_sources;
    for (size_t i = 0; i < s->sec[SEC_FILES].n; i++) {
        struct snap_file f = snap_file(s, i);
        struct str name = snap_str(s, f.name);
        if (!ARENA_GROW(rs->ar, rs->source, rs->n_sources, rs->cap_sources))
            return false;
        /* the text is gone: what stands in for it keeps the hash of the whole */
        rs->source[rs->n_sources++] = (struct rule_source){
            .name = name,
            .text = str_make((const char *)s->data, sizeof(struct snap_header)),
            .file = diag_add_file(&rs->diag, name, STR("")),
            .syntax = (cando_syntax)f.syntax,
            .layer = (cando_layer)f.layer,
            .first_match = f.first_match,
        };
    }
    return true;
}

static bool decompile_value(struct ruleset *rs, const struct snapshot *s, uint32_t v,
                            struct rule_value *out)
{
    uint32_t payload = VAL_PAYLOAD(v);
    *out = (struct rule_value){0};
    switch (VAL_TAG(v)) {
    case VAL_SUPPORT:
        out->support = (cando_support)(payload & 7);
        out->text = payload >> 3 ? snap_str(s, payload >> 3) : STR("");
        return true;
    case VAL_FLAG:
        out->flag = payload != 0;
        return true;
    case VAL_NUMBER:
        out->number = payload;
        return true;
    case VAL_BIG:
        out->number = snap_number(s, payload);
        return true;
    case VAL_TEXT:
        out->text = snap_str(s, payload);
        return true;
    case VAL_LIST:
        out->n = snap_u32(s, SEC_LISTS, payload);
        out->item = arena_array(rs->ar, out->n, sizeof *out->item);
        if (!out->item)
            return false;
        for (size_t i = 0; i < out->n; i++)
            out->item[i] = snap_str(s, snap_u32(s, SEC_LISTS, payload + 1 + i));
        return true;
    default:
        out->cleared = true;
        return true;
    }
}

static bool decompile_pattern(struct ruleset *rs, const struct snapshot *s, uint32_t i,
                              struct pattern *out)
{
    static const enum match_kind kinds[] = {
        [PAT_ANY] = MATCH_ANY,   [PAT_EXACT] = MATCH_EXACT,       [PAT_PREFIX] = MATCH_PREFIX,
        [PAT_GLOB] = MATCH_GLOB, [PAT_CONTAINS] = MATCH_CONTAINS,
    };
    struct snap_pattern p = snap_pattern(s, i);
    struct str program = snap_str(s, p.program);
    *out = (struct pattern){.kind = kinds[p.kind], .text = snap_str(s, p.text)};
    if (program.n == 0 || p.kind == PAT_ANY)
        return true;
    out->kind = MATCH_GLOB; /* a glob that was plain enough to be filed as something simpler */
    out->n_programs = 1;
    out->program = arena_copy(rs->ar, &program, sizeof program);
    return out->program != NULL;
}

static bool decompile_scopes(struct ruleset *rs, const struct snapshot *s,
                             const struct snap_rule *r, struct rule *out)
{
    out->n_providers = r->n_providers;
    out->n_apis = r->n_apis;
    out->provider = arena_array(rs->ar, r->n_providers, sizeof *out->provider);
    out->api = arena_array(rs->ar, r->n_apis, sizeof *out->api);
    if (!out->provider || !out->api)
        return false;
    for (uint32_t i = 0; i < r->n_providers; i++)
        out->provider[i].name =
            snap_str(s, snap_provider(s, snap_u32(s, SEC_RULE_SCOPES, r->scopes + i)).id);
    for (uint32_t i = 0; i < r->n_apis; i++)
        out->api[i].name = snap_str(
            s, snap_api(s, snap_u32(s, SEC_RULE_SCOPES, r->scopes + r->n_providers + i)).name);
    return true;
}

static bool decompile_rule(struct ruleset *rs, const struct snapshot *s, uint32_t i,
                           uint32_t first_source)
{
    struct snap_rule r = snap_rule(s, i);
    struct rule out = {
        .kind = r.flags & RULEF_FACT               ? RULE_FACT
                : r.flags & RULEF_DEFAULT          ? RULE_DEFAULT
                : r.flags & RULEF_PROVIDER_DEFAULT ? RULE_PROVIDER_DEFAULT
                                                   : RULE_MATCH,
        .source = first_source + r.file,
        .name = snap_str(s, r.name),
        .id = r.id ? snap_str(s, r.id) : STR(""),
        .at = {.file = rs->source[first_source + r.file].file, .line = r.line},
        .origin = snap_str(s, r.origin),
        .evidence = snap_str(s, r.evidence),
        .checked = r.checked,
        .min = {.set = r.flags & RULEF_MIN, .major = r.min_major, .minor = r.min_minor},
        .max = {.set = r.flags & RULEF_MAX, .major = r.max_major, .minor = r.max_minor},
        .never = r.flags & RULEF_NEVER,
        .extends = r.flags & RULEF_EXTENDS,
        .on_base = r.flags & RULEF_ON_BASE,
        .scheme = r.flags & RULEF_SCHEME_ANY ? SCHEME_ANY : SCHEME_HARN,
        .n_patterns = r.n_patterns,
    };
    if (!decompile_scopes(rs, s, &r, &out))
        return false;
    out.pattern = arena_array(rs->ar, r.n_patterns, sizeof *out.pattern);
    out.assign = arena_array(rs->ar, r.n_assigns, sizeof *out.assign);
    if (!out.pattern || !out.assign || !ARENA_GROW(rs->ar, rs->rule, rs->n_rules, rs->cap_rules))
        return false;
    for (uint32_t k = 0; k < r.n_patterns; k++)
        if (!decompile_pattern(rs, s, r.patterns + k, &out.pattern[k]))
            return false;
    for (uint32_t k = 0; k < r.n_assigns; k++) {
        struct snap_assign a = snap_assign_at(s, r.assigns + k);
        if (s->field[a.field] >= FIELD_COUNT)
            continue; /* a newer field: this library cannot speak of it */
        struct assign *to = &out.assign[out.n_assigns++];
        to->field = s->field[a.field];
        to->at = out.at;
        if (!decompile_value(rs, s, a.value, &to->value))
            return false;
    }
    rs->rule[rs->n_rules++] = out;
    return true;
}

/* An overlay may add to a provider or correct it, so that its declaration is
 * known to the readers; it counts as one of the lowest layer. */
static uint32_t lowest_source(const struct ruleset *rs)
{
    uint32_t lowest = 0;
    for (uint32_t i = 1; i < rs->n_sources; i++)
        if (rs->source[i].layer < rs->source[lowest].layer)
            lowest = i;
    return lowest;
}

static bool decompile_provider(struct ruleset *rs, const struct snapshot *s, uint32_t number,
                               uint32_t aliases, uint32_t source)
{
    struct snap_provider p = snap_provider(s, number);
    if (!ARENA_GROW(rs->ar, rs->provider, rs->n_providers, rs->cap_providers))
        return false;
    struct provider *out = &rs->provider[rs->n_providers];
    *out = (struct provider){
        .id = snap_str(s, p.id),
        .name = snap_str(s, p.name),
        .kind = snap_str(s, p.kind),
        .api = p.api == SNAP_NONE ? STR("") : snap_str(s, snap_api(s, p.api).name),
        .source = source,
    };
    out->alias = arena_array(rs->ar, aliases, sizeof *out->alias);
    if (!out->alias || !map_put(&rs->by_provider, out->id, (uint32_t)rs->n_providers))
        return false;
    rs->n_providers++;
    return true;
}

static bool decompile_alias(struct ruleset *rs, uint32_t provider, struct str name)
{
    struct provider *p = &rs->provider[provider];
    if (map_get(&rs->by_provider, name))
        return true;
    p->alias[p->n_aliases++].name = name;
    return map_put(&rs->by_provider, name, provider);
}

static bool decompile_id(struct ruleset *rs, const struct snapshot *s, const struct snap_name *row)
{
    if (row->table > ID_SPELLING)
        return true;
    if (!ARENA_GROW(rs->ar, rs->id, rs->n_ids, rs->cap_ids))
        return false;
    rs->id[rs->n_ids++] = (struct id_entry){.table = (enum id_table)row->table,
                                            .key = snap_str(s, row->key),
                                            .value = snap_str(s, row->value)};
    return true;
}

/* "provider/id" is an alias of "provider/model". */
static bool import_model_alias(struct ruleset *rs, const struct snapshot *s,
                               const struct snap_name *row, uint32_t source)
{
    struct str key = snap_str(s, row->key);
    size_t cut = str_find_char(key, '/');
    uint32_t provider = snapshot_provider(s, str_head(key, cut));
    struct str id = str_from(key, cut + 1), written = id;
    if (!ARENA_GROW(rs->ar, rs->alias, rs->n_aliases, rs->cap_aliases))
        return false;
    for (size_t i = 0; i < s->sec[SEC_ROWS].n; i++) {
        struct snap_row r = snap_row(s, i);
        if (r.provider == provider && str_eq(snap_str(s, r.key), id))
            written = snap_str(s, r.id);
    }
    rs->alias[rs->n_aliases++] = (struct model_alias){.provider = str_head(key, cut),
                                                      .id = id,
                                                      .written = written,
                                                      .target = snap_str(s, row->value),
                                                      .source = source};
    return true;
}

/* Rows of one entry, for its alternatives and other names, stand together. */
static bool decompile_policy(struct ruleset *rs, const struct snapshot *s, uint32_t first,
                             uint32_t without)
{
    struct snap_policy last = {.kind = SNAP_POLICY_KINDS};
    for (size_t i = 0; i < s->sec[SEC_POLICY].n; i++) {
        struct snap_policy p = snap_policy(s, i);
        if (without >> snap_file(s, p.file).layer & 1)
            continue;
        if (p.kind == last.kind && p.file == last.file && p.line == last.line &&
            p.text == last.text)
            continue;
        last = p;
        if (!ARENA_GROW(rs->ar, rs->policy, rs->n_policies, rs->cap_policies))
            return false;
        rs->policy[rs->n_policies++] =
            (struct policy_entry){(enum policy_kind)p.kind,
                                  snap_str(s, p.text),
                                  first + p.file,
                                  {.file = rs->source[first + p.file].file, .line = p.line}};
    }
    return true;
}

/* Providers in their own order, then their aliases, then the identity tables.
 * Names that only stand in scopes are no providers yet: whoever declares them
 * later may still make them an alias. */
static bool decompile_names(struct ruleset *rs, const struct snapshot *s)
{
    size_t n = s->sec[SEC_PROVIDERS].n;
    uint32_t *aliases = arena_array(rs->ar, n, sizeof *aliases),
             *index = arena_array(rs->ar, n, sizeof *index);
    uint32_t source = lowest_source(rs);
    if (!aliases || !index)
        return false;
    for (size_t i = 0; i < s->sec[SEC_NAMES].n; i++) {
        struct snap_name row = snap_name(s, i);
        if (row.key != SNAP_NONE && row.table == NAME_PROVIDER_INDEX)
            aliases[row.value]++;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct str id = snap_str(s, snap_provider(s, i).id);
        index[i] = SNAP_NONE;
        if (snapshot_name(s, ID_PROVIDER, id) == SNAP_NONE || map_get(&rs->by_provider, id))
            continue;
        index[i] = (uint32_t)rs->n_providers;
        if (!decompile_provider(rs, s, i, aliases[i], source))
            return false;
    }
    for (size_t i = 0; i < s->sec[SEC_NAMES].n; i++) {
        struct snap_name row = snap_name(s, i);
        if (row.key == SNAP_NONE)
            continue;
        if (row.table == NAME_ALIAS) {
            if (!import_model_alias(rs, s, &row, source))
                return false;
        } else if (row.table != NAME_PROVIDER_INDEX) {
            if (!decompile_id(rs, s, &row))
                return false;
        } else if (index[row.value] != SNAP_NONE &&
                   !decompile_alias(rs, index[row.value], snap_str(s, row.key))) {
            return false;
        }
    }
    return true;
}

static bool decompile_families(struct ruleset *rs, const struct snapshot *s, uint32_t first)
{
    for (size_t i = 0; i < s->sec[SEC_FAMILIES].n; i++) {
        struct snap_family f = snap_family(s, i);
        if (!ARENA_GROW(rs->ar, rs->family, rs->n_families, rs->cap_families))
            return false;
        rs->family[rs->n_families++] = (struct family){
            .child = snap_str(s, snap_provider(s, f.child).id),
            .parent = snap_str(s, snap_provider(s, f.parent).id),
            .at = {.file = rs->source[first + f.file].file, .line = f.line},
            .source = first + f.file,
        };
    }
    return true;
}

static bool decompile_rules(struct ruleset *rs, const struct snapshot *s, uint32_t first,
                            uint32_t without)
{
    for (uint32_t i = 0; i < s->sec[SEC_RULES].n; i++)
        if (!(without >> snap_rule(s, i).layer & 1) && !decompile_rule(rs, s, i, first))
            return false;
    return true;
}

void ruleset_decompile(struct ruleset *rs, const struct snapshot *s, uint32_t without)
{
    uint32_t first;
    if (!decompile_files(rs, s, &first) || !decompile_names(rs, s) ||
        !decompile_policy(rs, s, first, without) || !decompile_families(rs, s, first) ||
        !decompile_rules(rs, s, first, without)) {
        rs->failed = true;
        return;
    }
    for (size_t i = 0; i < s->sec[SEC_REQ_TEXTS].n && !rs->failed; i++) {
        struct snap_req_text t = snap_req_text(s, i);
        if (!(without >> rs->source[first + t.file].layer & 1))
            ruleset_read_requests(rs, first + t.file, snap_str(s, t.text));
    }
}
