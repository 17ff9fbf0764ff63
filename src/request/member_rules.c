/*
 * member_rules.c - the rules about one member of requests that a model wakes: what `check` would
 * hold against it, and who says so.
 *
 * A rule shows one of its conditions, or hangs on some; a condition is a bit, which is set by the
 * watches of the ways that lead to its member. So the ways of that name lead to its rules:
 *
 *     way "temperature" --> watch --> slots --> bits  <-- point, pivots of a rule that may fire
 */
#include "member_rules.h"

#include "asked.h"
#include "base/bits.h"
#include "catalog/vocab.h"

struct finder {
    struct reading *r;
    const struct snapshot *s;
    cando_target *t;
    struct str member;
    unsigned field; /* of that name, or FIELD_COUNT */
    uint64_t *bits; /* of the API at hand, that the member sets */
    cando_member_rule *list;
    uint8_t rank[MEMBER_RULES]; /* larger ones are told first */
    size_t n;
};

static bool has_bit(const struct finder *f, const struct snap_req_api *d, uint32_t bit)
{
    return bit < d->n_bits && bit_get(f->bits, bit);
}

static void take_bits(struct finder *f, const struct snap_req_api *d)
{
    memset(f->bits, 0, d->n_bits / 8);
    for (uint32_t i = d->ways; i < d->ways + d->n_ways; i++) {
        struct snap_req_way w = snap_req_way(f->s, i);
        if (w.key == SNAP_NONE || !WAY_WATCH(w.info) || !str_eq(snap_str(f->s, w.key), f->member))
            continue;
        struct snap_req_watch at = snap_req_watch(f->s, WAY_WATCH(w.info));
        for (uint32_t k = at.slots; k < at.slots + at.n_slots; k++) {
            uint32_t bit = snap_req_slot(f->s, k).bit;
            if (bit < d->n_bits)
                bit_put(f->bits, bit);
        }
    }
}

/* Is it about some models, and not about each that is asked in the API? */
static bool is_chosen(const struct snap_req_rule *r)
{
    return r->n_patterns || r->facts != SNAP_NONE || r->field < CANDO_MAX_FIELDS;
}

static bool is_about(const struct finder *f, const struct snap_req_api *d,
                     const struct snap_req_rule *r)
{
    bool finds = r->effect == REQ_FINDING || r->effect == REQ_NEEDS;
    if (!finds || str_is(f->member, "*"))
        return finds && is_chosen(r);
    if (r->field < CANDO_MAX_FIELDS && f->field < FIELD_COUNT && f->s->field[r->field] == f->field)
        return true;
    if (r->point != SNAP_NONE)
        return has_bit(f, d, r->point);
    for (uint32_t i = 0; r->pivots != SNAP_NONE && i < snap_req_count(f->s, r->pivots); i++)
        if (has_bit(f, d, snap_req_item(f->s, r->pivots, i)))
            return true;
    return false;
}

static const char *said(const struct snapshot *s, uint32_t text)
{
    return text == SNAP_NONE ? NULL : snap_str(s, text).p;
}

/* One rule may be several, one for each place of the member: it is told once. */
static bool is_told(const struct finder *f, const cando_member_rule *x)
{
    for (size_t i = 0; i < f->n; i++) {
        const cando_member_rule *y = &f->list[i];
        if (y->api == x->api && y->file == x->file && y->line == x->line &&
            y->message == x->message && y->severity == x->severity)
            return true;
    }
    return false;
}

static void take_rules(struct finder *f, const struct snap_req_api *d)
{
    for (uint32_t i = d->rules; i < d->rules + d->n_rules; i++) {
        struct snap_req_rule r = snap_req_rule(f->s, i);
        if (f->n == MEMBER_RULES || !bit_get(f->t->may_fire, i) || !is_about(f, d, &r))
            continue;
        cando_severity grave = (cando_severity)r.severity;
        const char *message = said(f->s, r.message);
        enum code code = code_find(snap_str(f->s, r.code));
        if (grave == CANDO_ERROR && bit_get(f->t->only_warns, i))
            grave = CANDO_WARNING;
        f->rank[f->n] = (uint8_t)(2 * grave + is_chosen(&r));
        f->list[f->n] = (cando_member_rule){
            .api = snap_str(f->s, d->name).p,
            .rule = said(f->s, r.name),
            .code = code_name(code),
            .severity = grave,
            .message = message && *message ? message : code_text(code),
            .advice = said(f->s, r.advice),
            .file = snap_str(f->s, snap_file(f->s, r.file).name).p,
            .line = r.line,
            .source = said(f->s, r.source),
            .confidence = said(f->s, r.confidence),
        };
        f->n += !is_told(f, &f->list[f->n]);
    }
}

/* Is the target asked in it? The provider's own is the one where nobody says what it speaks. */
static bool is_asked_in(const struct finder *f, const struct snap_req_api *d)
{
    struct str name = snap_str(f->s, d->name);
    uint32_t provider = f->t->profile.provider;
    if (str_is(name, "shape"))
        return false;
    if (str_is(name, f->t->api_name))
        return true;
    return provider != SNAP_NONE && snap_provider(f->s, provider).apis != SNAP_NONE &&
           provider_speaks(f->s, provider, name);
}

/* The grave ones first, and of these what is about such models; then as they stand in the files. */
static void sort_rules(struct finder *f)
{
    for (size_t i = 1; i < f->n; i++) {
        cando_member_rule x = f->list[i];
        uint8_t rank = f->rank[i];
        size_t k = i;
        for (; k > 0 && f->rank[k - 1] < rank; k--) {
            f->list[k] = f->list[k - 1];
            f->rank[k] = f->rank[k - 1];
        }
        f->list[k] = x;
        f->rank[k] = rank;
    }
}

bool member_rules(struct reading *r, const cando_catalog *cat, struct str provider,
                  struct str model, struct str member, const cando_member_rule **list, size_t *n)
{
    cando_error err = {0};
    struct finder f = {.r = r, .s = &cat->snap, .member = member};
    uint32_t most = 64;
    for (uint32_t i = 0; i < f.s->sec[SEC_REQ_APIS].n; i++)
        most = snap_req_api(f.s, i).n_bits > most ? snap_req_api(f.s, i).n_bits : most;
    void *memory = arena_alloc_raw(r->ar, cando_target_size(cat));
    f.bits = arena_array(r->ar, most / 64, sizeof *f.bits);
    f.list = arena_array(r->ar, MEMBER_RULES, sizeof *f.list);
    if (!memory || !f.bits || !f.list)
        return reading_memory(r);
    f.t = target_init(memory, cat, provider, model, 0, &err);
    if (!f.t)
        return reading_error(r, STR("/target"), &err);
    f.field = vocab_find_any(member);
    for (uint32_t i = 0; i < f.s->sec[SEC_REQ_APIS].n; i++) {
        struct snap_req_api d = snap_req_api(f.s, i);
        if (!is_asked_in(&f, &d))
            continue;
        target_settle(f.t, i);
        take_bits(&f, &d);
        take_rules(&f, &d);
    }
    sort_rules(&f);
    *list = f.list;
    *n = f.n;
    return true;
}
