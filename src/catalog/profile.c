/*
 * profile.c - what a resolved profile says of a field, and who says so.
 *
 * A profile is either a finished record of the snapshot or the arrays that the
 * resolver filled; both hold only what rules set. What follows from it (an
 * input_modalities list says something of input_image) is concluded here, on
 * reading, by the rows of derive.def: the later statement wins, and within one
 * rule the direct one.
 */
#include "profile.h"

#include <stdio.h>

enum derive_kind { DERIVE_KIND_WORD_IS, DERIVE_KIND_ELSE };

struct derive_row {
    uint8_t target, source, kind, level;
    const char *word;
    const char *value; /* of a WORD target; else NULL */
};

_Static_assert(FIELD_COUNT <= UINT8_MAX, "widen derive_row");

static const struct derive_row derive_rows[] = {
#define DERIVE(target, source, word, level) {F_##target, F_##source, DERIVE_KIND_WORD_IS, CANDO_##level, word, NULL},
#define DERIVE_ELSE(target, source, level) {F_##target, F_##source, DERIVE_KIND_ELSE, CANDO_##level, NULL, NULL},
#define DERIVE_WORD(target, source, word, value) {F_##target, F_##source, DERIVE_KIND_WORD_IS, 0, word, value},
#include "derive.def"
#undef DERIVE
#undef DERIVE_ELSE
#undef DERIVE_WORD
};
#define N_DERIVE (sizeof derive_rows / sizeof derive_rows[0])

static uint32_t record_word(const cando_profile *p, size_t i)
{
    return snap_le32(p->record[i]);
}

bool profile_is_price(unsigned field)
{
    return field == F_price || field == F_claims;
}

bool profile_raw(const cando_profile *p, unsigned field, uint32_t *value, uint32_t *rule)
{
    if (!p->record) {
        if (!(p->set[field / 64] >> (field % 64) & 1))
            return false;
        *value = p->value[field];
        *rule = p->origin[field];
        return true;
    }
    /* the record of another spelling; an alias that was declared has one of its own */
    if (p->identity == CANDO_BY_ALIAS && profile_is_price(field) && record_word(p, 0) != CANDO_BY_ALIAS)
        return false;
    unsigned f = p->catalog->snap.file_field[field];
    if (f >= CANDO_MAX_FIELDS || !(record_word(p, 1 + f / 32) >> (f % 32) & 1))
        return false;
    unsigned before = 0, all = 0;
    for (unsigned w = 0; w < RECORD_BITS; w++) {
        uint32_t bits = record_word(p, 1 + w);
        all += (unsigned)__builtin_popcount(bits);
        if (w < f / 32)
            before += (unsigned)__builtin_popcount(bits);
        else if (w == f / 32)
            before += (unsigned)__builtin_popcount(bits & ((1u << (f % 32)) - 1));
    }
    *value = record_word(p, RECORD_HEAD + before);
    *rule = record_word(p, RECORD_HEAD + all + before);
    return true;
}

cando_value value_decode(const struct snapshot *s, unsigned field, uint32_t value)
{
    cando_value v = {.known = true, .type = vocab_row(field)->type};
    uint32_t payload = VAL_PAYLOAD(value);
    switch (VAL_TAG(value)) {
    case VAL_SUPPORT:
        v.support = (cando_support)(payload & 7);
        if (payload >> 3)
            v.text = snap_str(s, payload >> 3).p;
        break;
    case VAL_FLAG:
        v.flag = payload != 0;
        break;
    case VAL_NUMBER:
        v.number = payload;
        break;
    case VAL_BIG:
        v.number = snap_number(s, payload);
        break;
    case VAL_TEXT:
        v.text = snap_str(s, payload).p;
        break;
    case VAL_LIST:
        v.list = payload;
        v.count = snap_u32(s, SEC_LISTS, payload);
        break;
    default:
        v.known = false;
    }
    return v;
}

struct str value_item(const struct snapshot *s, cando_value v, uint32_t i)
{
    return i < v.count ? snap_str(s, snap_u32(s, SEC_LISTS, v.list + 1 + i)) : STR("");
}

static bool says(const struct snapshot *s, cando_value v, const char *word)
{
    switch (v.type) {
    case CANDO_FLAG:
        return v.flag ? strcmp(word, "true") == 0 : strcmp(word, "false") == 0;
    case CANDO_WORD:
    case CANDO_TEXT:
        return strcmp(v.text, word) == 0;
    case CANDO_LIST:
        if (strcmp(word, "*") == 0)
            return v.count != 0;
        for (uint32_t i = 0; i < v.count; i++)
            if (str_is(value_item(s, v, i), word))
                return true;
        return false;
    default:
        return false;
    }
}

/* Larger is later. Rules that a walk met nearer are not told apart from farther
 * ones here; both set their fields whole. */
static uint32_t prec_of(const cando_profile *p, uint32_t rule)
{
    return snap_rule(&p->catalog->snap, rule).prec[p->how];
}

/* What the rows of one (target, source) pair say, from row i on; *i moves past
 * them. False: nothing. */
static bool conclude(const struct snapshot *s, size_t *i, bool known, cando_value from, cando_value *out)
{
    const struct derive_row *first = &derive_rows[*i];
    bool found = false;
    for (; *i < N_DERIVE && derive_rows[*i].target == first->target && derive_rows[*i].source == first->source; ++*i) {
        const struct derive_row *row = &derive_rows[*i];
        if (!known || found || (row->kind == DERIVE_KIND_WORD_IS && !says(s, from, row->word)))
            continue;
        found = true;
        *out = (cando_value){.known = true, .type = vocab_row(row->target)->type, .support = (cando_support)row->level,
                             .text = row->value};
    }
    return found;
}

struct profile_fact profile_fact(const cando_profile *p, unsigned field)
{
    const struct snapshot *s = &p->catalog->snap;
    struct profile_fact best = {.via = FIELD_COUNT};
    best.value.type = vocab_row(field)->type;
    uint32_t value, rule, prec = 0;
    if (profile_raw(p, field, &value, &rule)) {
        best = (struct profile_fact){.value = value_decode(s, field, value), .set = true, .via = FIELD_COUNT, .rule = rule};
        prec = prec_of(p, rule);
    }
    for (size_t i = 0; i < N_DERIVE;) {
        if (derive_rows[i].target != field) {
            i++;
            continue;
        }
        unsigned source = derive_rows[i].source;
        bool set = profile_raw(p, source, &value, &rule);
        cando_value from = {0}, out = {0};
        if (set)
            from = value_decode(s, source, value);
        if (!conclude(s, &i, set && from.known, from, &out))
            continue;
        uint32_t at = prec_of(p, rule);
        if (!best.set || at > prec) {
            best = (struct profile_fact){.value = out, .set = true, .derived = true, .via = source, .rule = rule};
            prec = at;
        }
    }
    return best;
}

cando_value cando_profile_get(const cando_profile *p, cando_field f)
{
    if (f >= FIELD_COUNT)
        return (cando_value){.type = CANDO_TEXT};
    return profile_fact(p, f).value;
}

static const char *const layer_names[CANDO_LAYER_COUNT] = {
    "defaults", "family", "facts", "curated", "user", "project", "observed",
};

const char *layer_name(cando_layer layer)
{
    return (unsigned)layer < CANDO_LAYER_COUNT ? layer_names[layer] : "";
}

bool layer_by_name(struct str name, cando_layer *out)
{
    for (unsigned l = 0; l < CANDO_LAYER_COUNT; l++)
        if (str_is(name, layer_names[l])) {
            *out = (cando_layer)l;
            return true;
        }
    return false;
}

cando_origin rule_origin(const struct snapshot *s, uint32_t rule)
{
    struct snap_rule r = snap_rule(s, rule);
    bool is_default = r.flags & (RULEF_DEFAULT | RULEF_PROVIDER_DEFAULT);
    cando_origin o = {
        .known = true,
        .via = CANDO_NO_FIELD,
        .layer = layer_name(is_default ? CANDO_LAYER_DEFAULTS : (cando_layer)r.layer),
        .rule = snap_str(s, r.name).p,
        .file = snap_str(s, snap_file(s, r.file).name).p,
        .source = snap_str(s, r.origin).p,
        .evidence = snap_str(s, r.evidence).p,
        .line = r.line,
    };
    if (r.checked && r.checked <= 99991231)
        snprintf(o.checked, sizeof o.checked, "%04u-%02u-%02u", r.checked / 10000 % 10000, r.checked / 100 % 100, r.checked % 100);
    return o;
}

cando_origin cando_profile_why(const cando_profile *p, cando_field f)
{
    cando_origin none = {.via = CANDO_NO_FIELD, .layer = "", .rule = "", .file = "", .source = "", .evidence = ""};
    if (f >= FIELD_COUNT)
        return none;
    struct profile_fact fact = profile_fact(p, f);
    if (!fact.set)
        return none;
    cando_origin o = rule_origin(&p->catalog->snap, fact.rule);
    o.derived = fact.derived;
    if (fact.derived)
        o.via = (cando_field)fact.via;
    return o;
}

const char *cando_catalog_item(const cando_catalog *c, cando_value v, uint32_t i)
{
    if (!v.known || (v.type != CANDO_LIST && v.type != CANDO_MAP) || i >= v.count)
        return NULL;
    return value_item(&c->snap, v, i).p;
}
