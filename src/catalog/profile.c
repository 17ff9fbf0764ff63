/*
 * profile.c - what a resolved profile says of a field, and who says so.
 *
 * A profile is either a finished record of the snapshot or the arrays that the
 * resolver filled; both hold only what rules set. What follows from it (an
 * input_modalities list says something of input_image) is concluded here, on
 * reading, by the rows of derive.def: the later statement wins, and within one
 * rule the direct one. Then by those of without.def.
 */
#include "profile.h"

#include "base/bits.h"
#include "base/instant.h"
#include "evidence.h"
#include "price.h"

#include <stdio.h>

struct derive_row {
    uint8_t target, source, level;
    struct str word;   /* that the source says; p is NULL: whatever else */
    const char *value; /* of a WORD target; else NULL */
    bool dated;        /* the source is a day */
};

_Static_assert(FIELD_COUNT <= UINT8_MAX, "widen derive_row");

static const struct derive_row derive_rows[] = {
#define DERIVE(target, source, word, level)                                                        \
    {F_##target, F_##source, CANDO_##level, {word, sizeof word - 1}, NULL, false},
#define DERIVE_ELSE(target, source, level)                                                         \
    {F_##target, F_##source, CANDO_##level, {NULL, 0}, NULL, false},
#define DERIVE_WORD(target, source, word, value)                                                   \
    {F_##target, F_##source, 0, {word, sizeof word - 1}, value, false},
#define DERIVE_DAY(target, source, value) {F_##target, F_##source, 0, {NULL, 0}, value, true},
#include "derive.def"
#undef DERIVE
#undef DERIVE_ELSE
#undef DERIVE_WORD
#undef DERIVE_DAY
};
#define N_DERIVE COUNT_OF(derive_rows)

/* What there is not without another thing: without.def. */
static const struct {
    uint8_t source, target;
} without_rows[] = {
#define WITHOUT(source, target) {F_##source, F_##target},
#include "without.def"
#undef WITHOUT
};
#define N_WITHOUT COUNT_OF(without_rows)

/* The targets alone, in the order of the rows: most fields are none. */
static const uint8_t derive_targets[] = {
#define DERIVE(target, source, word, level) F_##target,
#define DERIVE_ELSE(target, source, level) F_##target,
#define DERIVE_WORD(target, source, word, value) F_##target,
#define DERIVE_DAY(target, source, value) F_##target,
#include "derive.def"
#undef DERIVE
#undef DERIVE_ELSE
#undef DERIVE_WORD
#undef DERIVE_DAY
};

/* The first row from `i` on that concludes something of it, or N_DERIVE. */
static size_t derive_next(unsigned field, size_t i)
{
    const uint8_t *at = memchr(derive_targets + i, (int)field, N_DERIVE - i);
    return at ? (size_t)(at - derive_targets) : N_DERIVE;
}

void profile_harn_fields(bool out[FIELD_COUNT])
{
    for (unsigned f = 0; f < FIELD_COUNT; f++)
        out[f] = vocab_name(VOCAB_HARN, f).n != 0;
    for (size_t i = 0; i < N_DERIVE; i++) /* no source is a target */
        if (out[derive_rows[i].source] && derive_rows[i].source != F_model_kind)
            out[derive_rows[i].target] = true;
    for (size_t i = 0; i < N_DERIVE; i++)
        if (out[derive_rows[i].target] && derive_rows[i].source != F_model_kind)
            out[derive_rows[i].source] = true;
}

static uint32_t record_word(const cando_profile *p, size_t i)
{
    return snap_le32(p->record[i]);
}

bool profile_is_price(unsigned field)
{
    return field == F_price || field == F_claims;
}

/* Is it the record of another spelling? An alias that was declared has one of its own. */
static bool is_borrowed(const cando_profile *p)
{
    return p->identity == CANDO_BY_ALIAS && RECORD_IDENTITY(record_word(p, 0)) != CANDO_BY_ALIAS;
}

/* What the row's own rule says of a field, by the file's number. */
static bool own_raw(const cando_profile *p, unsigned f, uint32_t *value, uint32_t *origin)
{
    const struct snapshot *s = &p->catalog->snap;
    uint32_t rule = record_word(p, RECORD_OWN), n;
    if (rule == SNAP_NONE)
        return false;
    uint32_t at = snap_rule_assigns(s, rule, &n);
    for (uint32_t i = at; i < at + n; i++) {
        struct snap_assign a = snap_assign_at(s, i);
        if (a.field != f)
            continue;
        *value = a.value;
        *origin = rule;
        return true;
    }
    return false;
}

/* What a profile says, or the record behind it, of whatever spelling that is. */
static bool any_raw(const cando_profile *p, unsigned field, uint32_t *value, uint32_t *origin)
{
    if (!p->record) {
        if (!bit_get(p->set, field))
            return false;
        *value = p->value[field];
        *origin = p->origin[field];
        return true;
    }
    unsigned f = p->catalog->snap.file_field[field];
    if (f >= CANDO_MAX_FIELDS)
        return false;
    if (!(record_word(p, RECORD_FIELDS + f / 32) >> (f % 32) & 1))
        return own_raw(p, f, value, origin);
    unsigned before = 0, all = 0;
    for (unsigned w = 0; w < RECORD_BITS; w++) {
        uint32_t bits = record_word(p, RECORD_FIELDS + w);
        all += (unsigned)__builtin_popcount(bits);
        if (w < f / 32)
            before += (unsigned)__builtin_popcount(bits);
        else if (w == f / 32)
            before += (unsigned)__builtin_popcount(bits & ((1u << (f % 32)) - 1));
    }
    const uint32_t *origins = p->record + RECORD_HEAD + all;
    const unsigned char *which =
        (const unsigned char *)(origins + RECORD_ORIGINS(record_word(p, 0)));
    *value = record_word(p, RECORD_HEAD + before);
    *origin = snap_le32(origins[which[before]]);
    return true;
}

bool profile_raw(const cando_profile *p, unsigned field, uint32_t *value, uint32_t *origin)
{
    if (p->record && profile_is_price(field) && is_borrowed(p))
        return false;
    return any_raw(p, field, value, origin);
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
        v.items = s;
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

struct str value_item_of(const cando_value *v, uint32_t i)
{
    if (v->list != SNAP_NONE)
        return value_item(v->items, *v, i);
    return i < v->count ? str_of(((const char *const *)v->items)[i]) : STR("");
}

bool value_has(const cando_value *v, struct str item)
{
    for (uint32_t i = 0; i < v->count; i++)
        if (str_eq(value_item_of(v, i), item))
            return true;
    return false;
}

cando_value value_list(const char *const *items, uint32_t n)
{
    return (cando_value){
        .known = true, .type = CANDO_LIST, .count = n, .items = items, .list = SNAP_NONE};
}

static bool has_items(const cando_value *v)
{
    return v->known && (v->type == CANDO_LIST || v->type == CANDO_MAP);
}

const char *cando_value_item(const cando_value *v, uint32_t i)
{
    return has_items(v) && i < v->count ? value_item_of(v, i).p : NULL;
}

size_t cando_value_key(const cando_value *v, uint32_t i)
{
    return has_items(v) ? price_item_cut(value_item_of(v, i)) : 0;
}

static bool says(const struct snapshot *s, const cando_value *v, struct str word)
{
    switch (v->type) {
    case CANDO_FLAG:
        return str_is(word, v->flag ? "true" : "false");
    case CANDO_WORD:
    case CANDO_TEXT:
        return str_is(word, v->text);
    case CANDO_LIST:
        if (str_is(word, "*"))
            return v->count != 0;
        for (uint32_t i = 0; i < v->count; i++)
            if (str_eq(value_item(s, *v, i), word))
                return true;
        return false;
    default:
        return false;
    }
}

/* A month has come when it is over. */
static bool has_come(const cando_profile *p, const char *text)
{
    uint32_t day = day_number(str_of(text)), today = p->day ? p->day : day_today();
    return day && (day % 100 ? day : day + 99) <= today;
}

/* Is what is said already what a later row's day leads to? Days lead on and never back: what is
 * retired is not deprecated again by the day on which its end was announced. */
static bool is_further(const struct derive_row *row, const struct profile_fact *said)
{
    const struct derive_row *end = derive_rows + N_DERIVE;
    for (const struct derive_row *r = row + 1; r < end && r->target == row->target; r++)
        if (r->dated && said->value.known && strcmp(r->value, said->value.text) == 0)
            return true;
    return false;
}

/* What the rows of one target and one source conclude, from row *i on, which moves past
 * them. It takes the place of what is said of the target where it was said later; rules
 * that a walk met nearer are not told apart from farther ones here, both set their
 * fields whole. */
static void conclude(const cando_profile *p, size_t *i, const struct profile_fact *from,
                     struct profile_fact *best)
{
    const struct snapshot *s = &p->catalog->snap;
    const struct derive_row *row = &derive_rows[*i], *found = NULL;
    bool applies = from->set && from->value.known;
    if (applies && row->dated)
        applies = has_come(p, from->value.text);
    if (applies && best->set) {
        uint32_t said = snap_rule_prec(s, best->rule, p->how);
        uint32_t later = snap_rule_prec(s, from->rule, p->how);
        applies = later > said || (row->dated && later == said && !is_further(row, best));
    }
    unsigned target = row->target, source = row->source;
    for (; *i < N_DERIVE && row->target == target && row->source == source; ++*i, row++)
        if (applies && !found && (!row->word.p || says(s, &from->value, row->word)))
            found = row;
    if (!found)
        return;
    best->value = (cando_value){.known = true,
                                .type = vocab_row(target)->type,
                                .support = (cando_support)found->level,
                                .text = found->value};
    best->set = best->derived = true;
    best->via = source;
    best->rule = from->rule;
    best->borrowed = from->borrowed;
    best->inherited = from->inherited;
}

/* Of another model, or of another's offer of it. */
static bool is_anothers(const struct profile_fact *fact)
{
    return fact->borrowed || fact->inherited;
}

/* The target has nothing where the source is known to be missing. */
static void conclude_without(const cando_profile *p, size_t i, const struct profile_fact *from,
                             struct profile_fact *best)
{
    const struct snapshot *s = &p->catalog->snap;
    if (!from->set || !from->value.known || from->value.support != CANDO_UNSUPPORTED)
        return;
    if (best->set && is_anothers(best) != is_anothers(from)) {
        if (is_anothers(from))
            return;
    } else if (best->set &&
               snap_rule_prec(s, best->rule, p->how) > snap_rule_prec(s, from->rule, p->how)) {
        return;
    }
    if (best->value.known && best->value.support == CANDO_UNSUPPORTED)
        return;
    *best = *from;
    best->derived = true;
    best->via = without_rows[i].source;
}

static bool follows(const struct profile_fact *fact)
{
    return fact->derived && vocab_row(fact->via)->type == CANDO_SUPPORT;
}

bool profile_follows(const cando_profile *p, unsigned field)
{
    struct profile_fact fact = profile_fact(p, field);
    return follows(&fact);
}

static void fact_make(const struct snapshot *s, unsigned field, uint32_t value, uint32_t origin,
                      struct profile_fact *out)
{
    out->value = value_decode(s, field, value);
    out->set = true;
    out->derived = false;
    out->borrowed = origin & ORIGIN_BORROWED;
    out->inherited = origin & ORIGIN_INHERITED;
    out->via = FIELD_COUNT;
    out->rule = origin & ~ORIGIN_MARKS;
}

static void fact_of(const cando_profile *p, unsigned field, struct profile_fact *out)
{
    uint32_t value, origin;
    if (profile_raw(p, field, &value, &origin))
        fact_make(&p->catalog->snap, field, value, origin, out);
    else
        *out = (struct profile_fact){.via = FIELD_COUNT, .value = {.type = vocab_row(field)->type}};
}

struct profile_fact profile_fact(const cando_profile *p, unsigned field)
{
    struct profile_fact best;
    fact_of(p, field, &best);
    for (size_t i = derive_next(field, 0); i < N_DERIVE; i = derive_next(field, i)) {
        struct profile_fact from;
        fact_of(p, derive_rows[i].source, &from);
        conclude(p, &i, &from, &best);
    }
    for (size_t i = 0; i < N_WITHOUT; i++)
        if (without_rows[i].target == field) {
            struct profile_fact from = profile_fact(p, without_rows[i].source);
            conclude_without(p, i, &from, &best);
        }
    return best;
}

/* What a record says itself, in one pass over its bits. */
static void record_facts(const cando_profile *p, struct profile_fact *out)
{
    const struct snapshot *s = &p->catalog->snap;
    const uint32_t *value = p->record + RECORD_HEAD, *rule = value;
    uint32_t own = record_word(p, RECORD_OWN), n = 0;
    uint32_t at = own == SNAP_NONE ? 0 : snap_rule_assigns(s, own, &n);
    for (uint32_t i = at; i < at + n; i++) {
        struct snap_assign a = snap_assign_at(s, i);
        unsigned f = s->field[a.field];
        if (f < FIELD_COUNT && !(profile_is_price(f) && is_borrowed(p)))
            fact_make(s, f, a.value, own, &out[f]);
    }
    for (unsigned w = 0; w < RECORD_BITS; w++)
        rule += __builtin_popcount(record_word(p, RECORD_FIELDS + w));
    const unsigned char *which = (const unsigned char *)(rule + RECORD_ORIGINS(record_word(p, 0)));
    for (unsigned w = 0; w < RECORD_BITS; w++)
        for (uint32_t bits = record_word(p, RECORD_FIELDS + w); bits;
             bits &= bits - 1, value++, which++) {
            unsigned f = s->field[w * 32 + (unsigned)__builtin_ctz(bits)];
            if (f < FIELD_COUNT && !(profile_is_price(f) && is_borrowed(p)))
                fact_make(s, f, snap_le32(*value), snap_le32(rule[*which]), &out[f]);
        }
}

void profile_facts(const cando_profile *p, struct profile_fact *out)
{
    memset(out, 0, FIELD_COUNT * sizeof *out);
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        out[f].value.type = vocab_row(f)->type;
        out[f].via = FIELD_COUNT;
        if (!p->record && bit_get(p->set, f))
            fact_make(&p->catalog->snap, f, p->value[f], p->origin[f], &out[f]);
    }
    if (p->record)
        record_facts(p, out);
    for (size_t i = 0; i < N_DERIVE;) /* no source is a target: all sources are there */
        conclude(p, &i, &out[derive_rows[i].source], &out[derive_rows[i].target]);
    for (size_t i = 0; i < N_WITHOUT; i++)
        conclude_without(p, i, &out[without_rows[i].source], &out[without_rows[i].target]);
}

cando_status cando_set_today(const char *day, cando_error *err)
{
    uint32_t number = day_number(str_of(day));
    if (day && number % 100 == 0) {
        error_set(err, CANDO_BAD_QUESTION, CODE_bad_date, "'%.40s' is not a day", day);
        error_hint(err, "for example 2026-11-15");
        return CANDO_BAD_QUESTION;
    }
    day_set_today(number);
    return CANDO_OK;
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
        snprintf(o.checked, sizeof o.checked, "%04u-%02u-%02u", r.checked / 10000 % 10000,
                 r.checked / 100 % 100, r.checked % 100);
    return o;
}

enum row_status row_status_find(struct str word)
{
    static const char *const words[ROW_STATUSES] = {"active", "preview", "unlisted", "deprecated",
                                                    "retired"};
    unsigned i = 0;
    while (i < ROW_STATUSES && !str_is(word, words[i]))
        i++;
    return i;
}

static enum row_status status_on(const cando_profile *p, uint32_t day)
{
    cando_profile then = *p;
    then.day = day;
    cando_value v = profile_fact(&then, F_status).value;
    enum row_status status = v.known ? row_status_find(str_of(v.text)) : ROW_ACTIVE;
    return status < ROW_STATUSES ? status : ROW_ACTIVE;
}

/* The day that a field names, if the status then is this one by that day. */
static uint32_t day_of_status(const cando_profile *p, unsigned field, enum row_status status)
{
    cando_value v = profile_fact(p, field).value;
    uint32_t day = v.known ? day_number(str_of(v.text)) : 0;
    day += day && day % 100 == 0 ? 99 : 0; /* a month has come when it is over */
    return day > 1 && status_on(p, day) == status && status_on(p, day - 1) != status ? day : 0;
}

struct profile_life profile_life(const cando_profile *p)
{
    return (struct profile_life){
        .status = status_on(p, 1), /* before any day that changes it */
        .deprecated = day_of_status(p, F_deprecated_on, ROW_DEPRECATED),
        .retires = day_of_status(p, F_retires_on, ROW_RETIRED),
    };
}

/* -- evidence ----------------------------------------------------------------------------- */

/* What the sources of a merged row said, one after the other:
 * "input_pdf|litellm|2026-08-08=native", "*|litellm|2026-08-08=tool_choice streaming". */
struct said {
    struct str field, source, value;
};

/* The pieces of an item of `claims`. */
static struct said said_of(struct str item)
{
    struct said x = {.value = STR("")};
    size_t sign = str_find_char(item, '='), field = str_find_char(item, '|');
    x.field = str_head(item, field);
    x.source = str_from(item, field + 1 < item.n ? field + 1 : item.n);
    x.source = str_head(x.source, str_find_char(x.source, '|'));
    if (sign + 1 < item.n)
        x.value = str_from(item, sign + 1);
    return x;
}

static bool has_word(struct str list, struct str word)
{
    while (list.n) {
        size_t n = str_find_char(list, ' ');
        if (str_eq(str_head(list, n), word))
            return true;
        list = str_from(list, n < list.n ? n + 1 : n);
    }
    return false;
}

/* Does it make a refusal doubtful? Another no does not, nor does a lower limit. */
static bool contradicts(const struct snapshot *s, const cando_value *v, struct str said)
{
    uint64_t number;
    switch (v->type) {
    case CANDO_SUPPORT:
        return !str_is(said, support_name(v->support));
    case CANDO_NUMBER:
        str_number(said, 18, &number);
        return number > v->number;
    case CANDO_LIST:
        for (size_t n; said.n; said = str_from(said, n < said.n ? n + 1 : n)) {
            n = str_find_char(said, ' ');
            if (!says(s, v, str_head(said, n)))
                return true;
        }
        return false;
    default:
        return false;
    }
}

/* Of a row that was merged from several sources: the one that gave the field, if it is not the
 * row's, and whether any contradicts. */
static void hear_sources(const cando_profile *p, unsigned field, const struct profile_fact *fact,
                         struct str *giver, bool *contested)
{
    const struct snapshot *s = &p->catalog->snap;
    struct profile_fact claims;
    uint32_t value, origin;
    if (!any_raw(p, F_claims, &value, &origin))
        return;
    fact_make(s, F_claims, value, origin, &claims);
    if (!claims.value.known || claims.rule != fact->rule)
        return;
    struct str own = str_of(vocab_row(field)->name),
               written = fact->derived ? str_of(vocab_row(fact->via)->name) : own;
    for (uint32_t i = 0; i < claims.value.count; i++) {
        struct said x = said_of(value_item(s, claims.value, i));
        if (str_is(x.field, "*") && (has_word(x.value, own) || has_word(x.value, written)))
            *giver = x.source;
        else if (str_eq(x.field, own))
            *contested |= contradicts(s, &fact->value, x.value);
    }
}

const char *profile_evidence(const cando_profile *p, unsigned field, const struct profile_fact *of)
{
    const struct snapshot *s = &p->catalog->snap;
    struct profile_fact here = of ? *of : profile_fact(p, field);
    if (!here.set)
        return "";
    if (here.borrowed || follows(&here))
        return "inferred";
    struct snap_rule r = snap_rule(s, here.rule);
    const char *word = snap_str(s, r.evidence).p;
    struct str giver = STR("");
    bool contested = false;
    hear_sources(p, field, &here, &giver, &contested);
    bool own = giver.n && p->provider != SNAP_NONE &&
               str_eq(giver, snap_str(s, snap_provider(s, p->provider).id));
    if (giver.n)
        word = own ? "provider-api" : "catalog"; /* a provider's own list has its name */
    bool catalog = strcmp(word, "catalog") == 0;
    if (contested && (catalog || !*word))
        return "contested";
    uint32_t bits = agreed_bit(field) | (here.derived ? agreed_bit(here.via) : 0);
    return catalog && r.flags >> RULEF_AGREED & bits ? "agreed" : word;
}

bool profile_rejects(const cando_profile *p, unsigned field)
{
    struct profile_fact here = profile_fact(p, field);
    bool known = p->provider != SNAP_NONE;
    if (!known && here.set && snap_rule(&p->catalog->snap, here.rule).layer < CANDO_LAYER_USER)
        return false; /* who serves it is unknown, and may do as he likes */
    return evidence_rejects(str_of(profile_evidence(p, field, &here)));
}

cando_origin cando_profile_why(const cando_profile *p, cando_field f)
{
    cando_origin none = {
        .via = CANDO_NO_FIELD, .layer = "", .rule = "", .file = "", .source = "", .evidence = ""};
    if (f >= FIELD_COUNT)
        return none;
    struct profile_fact fact = profile_fact(p, f);
    if (!fact.set)
        return none;
    cando_origin o = rule_origin(&p->catalog->snap, fact.rule);
    o.derived = fact.derived;
    o.borrowed = fact.borrowed;
    o.evidence = profile_evidence(p, f, &fact);
    if (fact.derived)
        o.via = (cando_field)fact.via;
    return o;
}
