/*
 * compile_request.c - request rules into slots and records; compile_request.h has the whole.
 *
 * Equal conditions of one subject share a slot. Bits are numbered so that every subject
 * but the request itself has one word of its own; rules of an array whose items need more
 * have several subjects there.
 */
#include "compile_request.h"

#include "base/pack.h"

/* The slots of a rule's conditions. */
enum {
    LIST_ALL,
    LIST_NONE,
    LIST_ANY,
    LIST_PREV,
    LIST_PREV_NONE,
    LIST_NEXT,
    LIST_NEXT_NONE,
    LIST_OUTER_ALL,
    LIST_OUTER_NONE,
    LIST_ROOT_ALL,
    LIST_ROOT_NONE,
    LIST_ROOT_ANY,
    LIST_COUNT
};

struct wired {
    uint32_t subject, outer;
    uint32_t *slot[LIST_COUNT];
    size_t n[LIST_COUNT];
    uint32_t *pivot; /* slots that it hangs on */
    size_t n_pivots;
    uint32_t point;
};

/* -- slots -------------------------------------------------------------------------------- */

static bool same_test(const struct req_cond *a, const struct req_cond *b)
{
    if (a->test != b->test || a->kinds != b->kinds || a->n_words != b->n_words ||
        a->field != b->field || a->measure != b->measure || a->at_least != b->at_least ||
        memcmp(&a->lo, &b->lo, sizeof a->lo) != 0 || memcmp(&a->hi, &b->hi, sizeof a->hi) != 0)
        return false;
    for (size_t i = 0; i < a->n_words; i++)
        if (!str_eq(a->word[i], b->word[i]))
            return false;
    return true;
}

/* The slot of a place that makes this test for the subject, or NULL. */
static const uint32_t *find_slot(const struct builder *b, uint32_t place, uint32_t subject,
                                 const struct req_cond *c)
{
    const struct place_of_path *p = &b->place[place];
    for (size_t i = 0; i < p->n_slots; i++) {
        const struct slot *s = &b->slot[p->slot[i]];
        if (s->subject == subject && same_test(&s->cond, c))
            return &p->slot[i];
    }
    return NULL;
}

static uint32_t slot_for(struct builder *b, uint32_t subject, const struct req_cond *c,
                         const struct str *known, size_t n_known)
{
    uint32_t from = c->absolute ? PLACE_REQUEST : b->subject[subject].place;
    uint32_t place = walk_path(b, from, c->path, known, n_known);
    if (b->c->failed)
        return 0;
    const uint32_t *old = find_slot(b, place, subject, c);
    if (old)
        return *old;
    struct place_of_path *p = &b->place[place];
    if (!ARENA_GROW(&b->c->ar, b->slot, b->n_slots, b->cap_slots) ||
        !ARENA_GROW(&b->c->ar, p->slot, p->n_slots, p->cap_slots))
        return builder_failed(b);
    b->slot[b->n_slots] =
        (struct slot){.place = place, .subject = subject, .cond = *c, .bit = SNAP_NONE};
    p->slot[p->n_slots++] = (uint32_t)b->n_slots;
    if (c->test != TEST_MEASURE)
        b->subject[subject].n_slots++;
    return (uint32_t)b->n_slots++;
}

/* -- subjects ------------------------------------------------------------------------------ */

#define SUBJECT_SLOTS 64u

/* Has the subject room for the conditions that it does not have yet, and for one more? */
static bool has_room(struct builder *b, uint32_t subject, const struct req_rule *q,
                     const struct req_conds *const *list, size_t n)
{
    size_t slots = b->subject[subject].n_slots + 1;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < list[i]->n && !b->c->failed; k++) {
            const struct req_cond *c = &list[i]->item[k];
            uint32_t from = b->subject[subject].place;
            uint32_t place = walk_path(b, from, c->path, q->known, q->n_known);
            slots += b->c->failed || !find_slot(b, place, subject, c);
        }
    return slots <= SUBJECT_SLOTS;
}

/* A subject of the path with room for these conditions of the rule. */
static uint32_t subject_of(struct builder *b, struct str path, const struct req_rule *q,
                           const struct req_conds *const *list, size_t n)
{
    uint32_t place = walk_path(b, PLACE_REQUEST, path, NULL, 0);
    if (b->c->failed)
        return 0;
    for (size_t i = 0; i < b->place[place].n_subjects; i++) {
        uint32_t subject = b->place[place].subject[i];
        if (subject == 0 || has_room(b, subject, q, list, n))
            return subject;
    }
    struct place_of_path *p = &b->place[place];
    if (!ARENA_GROW(&b->c->ar, b->subject, b->n_subjects, b->cap_subjects) ||
        !ARENA_GROW(&b->c->ar, p->subject, p->n_subjects, p->cap_subjects))
        return builder_failed(b);
    b->c->too_large |=
        p->loop && p->n_subjects; /* a schema's bits are kept while an inner one ends */
    b->subject[b->n_subjects] = (struct subject){.place = place};
    p->subject[p->n_subjects++] = (uint32_t)b->n_subjects;
    return (uint32_t)b->n_subjects++;
}

static bool wire_conds(struct builder *b, const struct req_rule *q, const struct req_conds *conds,
                       struct wired *w, unsigned which)
{
    uint32_t subject = which >= LIST_ROOT_ALL ? 0 : which >= LIST_OUTER_ALL ? w->outer : w->subject;
    w->slot[which] = arena_array(&b->c->ar, conds->n + 1, sizeof *w->slot[which]);
    if (!w->slot[which])
        return builder_failed(b);
    for (size_t i = 0; i < conds->n && !b->c->failed; i++) {
        uint32_t s = slot_for(b, subject, &conds->item[i], q->known, q->n_known);
        w->slot[which][w->n[which]++] = s;
        if (conds->item[i].point && (which == LIST_ALL || which == LIST_ANY))
            w->point = s;
    }
    return !b->c->failed;
}

/* What a rule hangs on: on each of its alternatives if it has nothing else, or on a condition
 * that says more than that something is there, if there is one. */
static void find_pivots(const struct builder *b, struct wired *w)
{
    w->pivot = w->slot[LIST_ALL];
    w->n_pivots = 1;
    if (w->n[LIST_ALL] == 0) {
        w->pivot = w->slot[LIST_ANY];
        w->n_pivots = w->n[LIST_ANY];
        return;
    }
    for (size_t i = w->n[LIST_ALL]; i-- > 0;)
        if (b->slot[w->slot[LIST_ALL][i]].cond.test != TEST_KIND)
            w->pivot = &w->slot[LIST_ALL][i];
}

static bool wire_rule(struct builder *b, const struct req_rule *q, uint32_t number, struct wired *w)
{
    const struct req_conds *lists[LIST_COUNT] = {
        &q->all,       &q->none,      &q->any,        &q->prev,     &q->prev_none, &q->next,
        &q->next_none, &q->outer_all, &q->outer_none, &q->root_all, &q->root_none, &q->root_any};
    *w = (struct wired){.point = SNAP_NONE};
    if (q->effect == REQ_ADJUST) /* nothing sets it off */
        return true;
    w->subject = subject_of(b, q->subject, q, lists, LIST_OUTER_ALL);
    if (q->outer_all.n + q->outer_none.n && !b->c->failed)
        w->outer = subject_of(b, req_around(q->subject), q, lists + LIST_OUTER_ALL, 2);
    for (unsigned i = 0; i < LIST_COUNT; i++)
        if (b->c->failed || !wire_conds(b, q, lists[i], w, i))
            return false;
    if (w->n[LIST_ALL] + w->n[LIST_ANY] == 0) { /* it hangs on the subject itself */
        struct req_cond there = {.path = STR(""), .test = TEST_KIND, .kinds = 127, .at_least = 1};
        w->slot[LIST_ALL][w->n[LIST_ALL]++] = slot_for(b, w->subject, &there, NULL, 0);
        if (b->c->failed)
            return false;
    } else if (q->effect == REQ_SHAPE && w->n[LIST_ANY]) {
        w->point = SNAP_NONE; /* a shape is told by the alternative that is there */
    } else if (w->point == SNAP_NONE && w->n[LIST_ALL]) {
        w->point = w->slot[LIST_ALL][0];
    }
    find_pivots(b, w);
    for (size_t i = 0; i < w->n_pivots; i++) {
        struct slot *pivot = &b->slot[w->pivot[i]];
        if (!ARENA_GROW(&b->c->ar, pivot->rule, pivot->n_rules, pivot->cap_rules))
            return builder_failed(b);
        pivot->rule[pivot->n_rules++] = number;
    }
    return true;
}

/* The request's own bits first, then a word for each other subject. */
static bool number_bits(struct builder *b)
{
    b->root_words = b->subject[0].n_slots ? (b->subject[0].n_slots + 63) / 64 : 1;
    b->n_words = b->root_words;
    for (size_t i = 1; i < b->n_subjects; i++) {
        b->subject[i].word = b->n_words++;
        if (b->subject[i].n_slots > SUBJECT_SLOTS)
            return false;
    }
    uint32_t *next = arena_array(&b->c->ar, b->n_subjects, sizeof *next);
    if (!next)
        return builder_failed(b);
    for (size_t i = 0; i < b->n_slots; i++) {
        struct slot *s = &b->slot[i];
        if (s->cond.test == TEST_MEASURE)
            continue;
        uint32_t k = next[s->subject]++;
        s->bit = (s->subject ? b->subject[s->subject].word * 64 : 0) + k;
    }
    return b->n_words <= REQ_MAX_WORDS;
}

/* -- writing ---------------------------------------------------------------------------------- */

/* The number that such bytes of a section have; if none, `*number`, which they have from now on. */
static bool is_there(struct compiler *c, struct map *m, const void *p, size_t n, uint32_t *number)
{
    struct str bytes = str_make(p, n);
    const uint32_t *have = map_get(m, bytes);
    if (have) {
        *number = *have;
        return true;
    }
    bytes = str_dup(&c->ar, bytes);
    c->failed |= !bytes.p || !map_put(m, bytes, *number);
    return false;
}

uint32_t req_put_list(struct compiler *c, const uint32_t *item, size_t n)
{
    uint32_t at = compile_count(c, SEC_REQ_WORDS);
    if (is_there(c, &c->req_lists, item, n * sizeof *item, &at))
        return at;
    compile_u32(c, SEC_REQ_WORDS, (uint32_t)n);
    compile_words(c, SEC_REQ_WORDS, item, n);
    return at;
}

uint32_t req_put_type(struct compiler *c, const struct snap_req_type *type)
{
    uint32_t number = compile_count(c, SEC_REQ_TYPES);
    if (!is_there(c, &c->req_types, type, sizeof *type, &number))
        compile_put(c, SEC_REQ_TYPES, type);
    return number;
}

/* Room for what a list is made of. */
static uint32_t *list_room(struct compiler *c, size_t n)
{
    uint32_t *room = arena_array(&c->ar, n, sizeof *room);
    c->failed |= !room;
    return room;
}

uint32_t req_put_strings(struct compiler *c, const struct str *s, size_t n)
{
    uint32_t *ref = list_room(c, n);
    if (!ref)
        return 0;
    for (size_t i = 0; i < n; i++)
        ref[i] = compile_string(c, s[i]);
    return req_put_list(c, ref, n);
}

void req_put_double(double d, uint32_t out[2])
{
    uint64_t u;
    memcpy(&u, &d, 8);
    snap_put64(out, u);
}

void req_put_way(struct compiler *c, const struct snap_req_way *way, uint32_t member)
{
    compile_put(c, SEC_REQ_WAYS, way);
    compile_u32(c, SEC_REQ_WAY_MEMBERS, member);
}

/* A class is written as in a bracket of a glob: "A-Za-z0-9_-"; a minus at its end
 * is itself. One character beyond ASCII stands for all of them: they share the bit of NUL. */
static void add_class(uint32_t bits[4], struct str set)
{
    for (size_t i = 0; i < set.n; i++) {
        unsigned char from = (unsigned char)set.p[i], to = from;
        if (i + 2 < set.n && set.p[i + 1] == '-') {
            to = (unsigned char)set.p[i + 2];
            i += 2;
        }
        for (unsigned k = from; k <= to && k < 128; k++)
            bits[k / 32] |= 1u << (k % 32);
        bits[0] |= from >= 128;
    }
}

uint32_t req_put_classes(struct compiler *c, const struct str *set)
{
    uint32_t bits[8] = {0};
    add_class(bits, set[0]);
    add_class(bits + 4, set[1]);
    return req_put_list(c, bits, 8);
}

static void put_slot(struct builder *b, struct slot *s, bool outer)
{
    struct compiler *c = b->c;
    const struct req_cond *q = &s->cond;
    struct snap_req_slot rec = {
        .bit = s->bit,
        .test = q->test,
        .at_least = q->at_least ? q->at_least : 1,
        .outer = outer,
    };
    req_put_double(q->lo, rec.lo);
    req_put_double(q->hi, rec.hi);
    rec.rules = req_put_list(c, s->rule, s->n_rules);
    switch (q->test) {
    case TEST_KIND:
        rec.arg = q->kinds;
        break;
    case TEST_ABOVE_FACT:
    case TEST_NOT_IN_FACT:
        rec.arg = q->field;
        break;
    case TEST_MEASURE:
        rec.arg = q->measure;
        break;
    case TEST_NOT_CHARS:
    case TEST_KEY_CHARS:
        rec.arg = req_put_classes(c, q->word);
        break;
    case TEST_WORDS:
        rec.arg = req_put_strings(c, q->word, q->n_words);
        if (q->n_words == 1 && q->word[0].n) {
            struct req_key key = req_key((const unsigned char *)q->word[0].p, q->word[0].n);
            rec.test = TEST_WORD;
            snap_put64(rec.lo, key.head);
            rec.hi[0] = (uint32_t)key.n;
            rec.hi[1] = (uint32_t)key.tail;
        }
        break;
    default:
        rec.arg = req_put_strings(c, q->word, q->n_words);
    }
    s->number = compile_count(c, SEC_REQ_SLOTS);
    compile_put(c, SEC_REQ_SLOTS, &rec);
}

static bool has_subject(const struct builder *b, const struct place_set *set, uint32_t subject)
{
    for (size_t i = 0; i < set->n; i++) {
        const struct place_of_path *p = &b->place[set->place[i]];
        for (size_t k = 0; k < p->n_subjects; k++)
            if (p->subject[k] == subject)
                return true;
    }
    return false;
}

/* All slots of the places of a set. One that stands where its own subject ends, and is not about
 * that value itself, is of the subject around it: schemas hold schemas. */
static void put_slots(struct builder *b, const struct place_set *set)
{
    for (size_t i = 0; i < set->n; i++) {
        const struct place_of_path *p = &b->place[set->place[i]];
        for (size_t k = 0; k < p->n_slots; k++) {
            struct slot *s = &b->slot[p->slot[k]];
            bool outer = s->subject && s->cond.path.n && !s->cond.absolute &&
                         has_subject(b, set, s->subject);
            put_slot(b, s, outer);
        }
    }
}

/* The subjects of a set: one that may hold itself first. */
static void put_subjects(struct builder *b, const struct place_set *set, struct snap_req_watch *rec)
{
    uint32_t more[64];
    size_t n = 0;
    bool loops = false;
    for (size_t i = 0; i < set->n; i++) {
        const struct place_of_path *p = &b->place[set->place[i]];
        for (size_t k = 0; k < p->n_subjects && n < 64; k++) {
            if (p->subject[k] == 0)
                continue;
            uint32_t word = b->subject[p->subject[k]].word;
            b->c->too_large |= loops && p->loop;
            if (p->loop || rec->subject == SNAP_NONE) {
                if (rec->subject != SNAP_NONE)
                    more[n++] = rec->subject;
                rec->subject = word;
                loops |= p->loop;
            } else {
                more[n++] = word;
            }
        }
    }
    if (n)
        rec->subjects = req_put_list(b->c, more, n);
}

/* In the order of their numbers, which are those of their sets. */
static void put_watches(struct builder *b)
{
    for (size_t i = 0; i < b->n_sets && !b->c->failed; i++) {
        const struct place_set *set = &b->set[i];
        if (!set->watch)
            continue;
        struct snap_req_watch rec = {.subject = SNAP_NONE, .subjects = SNAP_NONE};
        rec.slots = compile_count(b->c, SEC_REQ_SLOTS);
        put_slots(b, set);
        rec.n_slots = compile_count(b->c, SEC_REQ_SLOTS) - rec.slots;
        put_subjects(b, set, &rec);
        compile_put(b->c, SEC_REQ_WATCHES, &rec);
    }
}

static uint32_t put_bits(struct builder *b, const uint32_t *slot, size_t n)
{
    uint32_t *bit = n ? list_room(b->c, n) : NULL;
    if (!bit)
        return SNAP_NONE;
    for (size_t i = 0; i < n; i++)
        bit[i] = b->slot[slot[i]].bit;
    return req_put_list(b->c, bit, n);
}

static uint32_t put_providers(struct compiler *c, const struct rule *r)
{
    uint32_t *number = r->n_providers ? list_room(c, r->n_providers) : NULL, n = 0;
    if (!number)
        return SNAP_NONE;
    for (size_t i = 0; i < r->n_providers; i++) {
        const uint32_t *p = map_get(&c->alias, r->provider[i].name);
        if (p)
            number[n++] = *p;
    }
    return req_put_list(c, number, n);
}

static uint32_t put_patterns(struct compiler *c, const struct rule *r, uint32_t *n)
{
    static const uint32_t kinds[] = {PAT_ANY, PAT_EXACT, PAT_PREFIX, PAT_GLOB, PAT_CONTAINS};
    uint32_t at = compile_count(c, SEC_REQ_PATTERNS);
    *n = 0;
    for (size_t i = 0; i < r->n_patterns; i++) {
        const struct pattern *p = &r->pattern[i];
        size_t programs = p->kind == MATCH_GLOB ? p->n_programs : 1;
        for (size_t k = 0; k < programs; k++, ++*n) {
            struct snap_req_pattern rec = {
                kinds[p->kind], compile_string(c, p->text),
                compile_string(c, p->kind == MATCH_GLOB ? p->program[k] : STR(""))};
            compile_put(c, SEC_REQ_PATTERNS, &rec);
        }
    }
    return at;
}

static uint32_t put_facts(struct compiler *c, const struct req_rule *q)
{
    uint32_t *fact = q->n_facts ? list_room(c, q->n_facts * 3) : NULL;
    if (!fact)
        return SNAP_NONE;
    for (size_t i = 0; i < q->n_facts; i++) {
        fact[i * 3] = q->fact[i].field;
        fact[i * 3 + 1] = q->fact[i].fact;
        fact[i * 3 + 2] = compile_string(c, q->fact[i].text);
    }
    return req_put_list(c, fact, q->n_facts * 3);
}

static bool compares(const struct req_conds *all)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->item[i].test == TEST_ABOVE_FACT || all->item[i].test == TEST_NOT_IN_FACT)
            return true;
    return false;
}

/* What few rules have: it is not in the record of all. */
static void put_beside(struct compiler *c, const struct snap_req_beside *b,
                       struct snap_req_rule *rec)
{
    uint32_t behind = b->prev & b->prev_none, ahead = b->next & b->next_none;
    uint32_t around = b->outer_all & b->outer_none;
    uint32_t whole = b->root_all & b->root_none & b->root_any;
    rec->beside = SNAP_NONE;
    rec->flags |= (behind != SNAP_NONE ? REQF_BEHIND : 0u) |
                  (ahead != SNAP_NONE ? REQF_AHEAD : 0u) |
                  (around != SNAP_NONE ? REQF_AROUND : 0u) | (whole != SNAP_NONE ? REQF_WHOLE : 0u);
    if ((behind & ahead & around & whole) == SNAP_NONE)
        return;
    rec->beside = compile_count(c, SEC_REQ_BESIDES);
    compile_put(c, SEC_REQ_BESIDES, b);
}

static uint32_t put_fix_from(struct compiler *c, const struct req_rule *q)
{
    uint32_t range[4];
    if (q->fix_field < FIELD_COUNT)
        return q->fix_field;
    if (q->fix != FIX_CLAMP)
        return SNAP_NONE;
    req_put_double(q->fix_lo, range);
    req_put_double(q->fix_hi, range + 2);
    return FIX_RANGE | req_put_list(c, range, 4);
}

static uint32_t put_adjusts(struct compiler *c, const struct req_rule *q)
{
    uint32_t *item = q->effect == REQ_ADJUST ? list_room(c, 1 + q->n_adjusts) : NULL;
    if (!item)
        return SNAP_NONE;
    item[0] = q->wrongs;
    for (size_t i = 0; i < q->n_adjusts; i++)
        item[1 + i] = compile_string(c, q->adjust[i]);
    return req_put_list(c, item, 1 + q->n_adjusts);
}

static void put_rule(struct builder *b, const struct req_rule *q, const struct wired *w)
{
    struct compiler *c = b->c;
    const struct rule *r = &q->scope.rule;
    struct snap_req_rule rec = {
        .name = compile_string(c, r->name),
        .file = r->source,
        .line = r->at.line,
        .code = compile_string(c, q->code),
        .severity = q->severity,
        .confidence = compile_string(c, q->confidence),
        .field = q->field < FIELD_COUNT ? q->field : SNAP_NONE,
        .message = compile_string(c, q->message),
        .advice = compile_string(c, q->advice),
        .source = compile_string(c, r->origin),
        .effect = q->effect,
        .flags = q->flags | (r->on_base ? REQF_ON_BASE : 0u) | (r->min.set ? REQF_MIN : 0u) |
                 (r->max.set ? REQF_MAX : 0u) | (r->never ? REQF_NEVER : 0u) |
                 (compares(&q->all) ? REQF_COMPARES : 0u),
        .subject = w->subject ? b->subject[w->subject].word : 0,
        .point = w->point == SNAP_NONE ? SNAP_NONE : b->slot[w->point].bit,
        .fix = q->fix,
        .fix_from = put_fix_from(c, q),
        .check = q->check,
        .event = q->event,
        .bounds = compile_bounds(c, r),
    };
    struct snap_req_beside beside = {.outer = w->outer ? b->subject[w->outer].word : SNAP_NONE};
    uint32_t *const list[LIST_COUNT] = {&rec.all,          &rec.none,         &rec.any,
                                        &beside.prev,      &beside.prev_none, &beside.next,
                                        &beside.next_none, &beside.outer_all, &beside.outer_none,
                                        &beside.root_all,  &beside.root_none, &beside.root_any};
    for (unsigned i = 0; i < LIST_COUNT; i++)
        *list[i] = put_bits(b, w->slot[i], w->n[i]);
    put_beside(c, &beside, &rec);
    rec.pivots = put_bits(b, w->pivot, w->n_pivots);
    rec.adjusts = put_adjusts(c, q);
    rec.fix_text = q->fix == FIX_ADD || q->fix == FIX_MAP
                       ? req_put_strings(c, q->fix_pair, q->n_fix_pairs * 2)
                       : compile_string(c, q->fix_text);
    rec.providers = put_providers(c, r);
    rec.patterns = put_patterns(c, r, &rec.n_patterns);
    put_patterns(c, &q->except.rule, &rec.n_excepts);
    rec.facts = put_facts(c, q);
    compile_put(c, SEC_REQ_RULES, &rec);
}

static uint32_t put_bit_slots(struct builder *b)
{
    struct compiler *c = b->c;
    uint32_t n = b->n_words * 64, *slot = list_room(c, n);
    if (!slot)
        return 0;
    for (uint32_t i = 0; i < n; i++)
        slot[i] = SNAP_NONE;
    for (size_t i = 0; i < b->n_slots; i++)
        if (b->slot[i].bit != SNAP_NONE)
            slot[b->slot[i].bit] = b->slot[i].number;
    return req_put_list(c, slot, n);
}

/* Whose API it is: the provider that the dialect's files name. */
static uint32_t vendor_of(const struct compiler *c, struct str api)
{
    const struct ruleset_requests *all = c->rs->requests;
    for (size_t i = all->n_texts; i-- > 0;)
        if (str_eq(all->text[i].api, api) && all->text[i].vendor.n) {
            const uint32_t *p = map_get(&c->alias, all->text[i].vendor);
            return p ? *p : SNAP_NONE;
        }
    return SNAP_NONE;
}

static bool takes_snake(const struct compiler *c, struct str api)
{
    const struct ruleset_requests *all = c->rs->requests;
    for (size_t i = 0; i < all->n_texts; i++)
        if (str_eq(all->text[i].api, api) && all->text[i].also_snake)
            return true;
    return false;
}

/* The ways to the whole request: everybody's, and those of providers with shapes of their own. */
static void put_roots(struct builder *b, struct snap_req_api *rec)
{
    struct compiler *c = b->c;
    const struct ruleset_requests *all = c->rs->requests;
    const struct shape_set *common = NULL;
    uint32_t pair[128];
    size_t n = 0;
    for (size_t i = 0; i < all->n_sets; i++)
        if (str_eq(all->set[i].api, b->api) && all->set[i].n_providers == 0)
            common = &all->set[i];
    uint32_t set = set_of_place(b, PLACE_REQUEST);
    rec->root = compile_root(b, set, common);
    for (size_t i = 0; i < all->n_sets && !c->failed; i++) {
        const struct shape_set *own = &all->set[i];
        if (!str_eq(own->api, b->api) || own->n_providers == 0)
            continue;
        uint32_t way = compile_root(b, set, own);
        for (size_t k = 0; k < own->n_providers && n + 2 <= 128; k++) {
            const uint32_t *provider = map_get(&c->alias, own->provider[k].name);
            if (!provider)
                continue;
            pair[n++] = *provider;
            pair[n++] = way;
        }
    }
    rec->roots = req_put_list(c, pair, n);
    rec->outside = SNAP_NONE;
    if (b->place[PLACE_BESIDE].n_edges && !c->failed) {
        uint32_t beside = set_of_place(b, PLACE_BESIDE);
        rec->outside = compile_root(b, beside, NULL);
    }
}

static bool builder_init(struct builder *b)
{
    struct compiler *c = b->c;
    struct place_set empty = {.n = 0};
    map_init(&b->by_places, &c->ar, false);
    new_place(b);
    new_place(b);
    if (c->failed || !ARENA_GROW(&c->ar, b->set, b->n_sets, b->cap_sets) ||
        !map_put(&b->by_places, STR(""), 0))
        return builder_failed(b);
    b->set[b->n_sets++] = empty;
    subject_of(b, STR(""), NULL, NULL, 0);
    return !c->failed;
}

/* Adjustments come behind all others: nothing sets them off. */
static bool is_of(const struct builder *b, const struct req_rule *q, bool adjusts)
{
    return str_eq(q->api, b->api) && (q->effect == REQ_ADJUST) == adjusts;
}

static uint32_t wire_rules(struct builder *b, struct wired *wired, uint32_t first)
{
    const struct ruleset_requests *all = b->c->rs->requests;
    uint32_t n = 0;
    for (size_t i = 0; i < 2 * all->n && !b->c->failed; i++) {
        size_t k = i % all->n;
        if (is_of(b, &all->rule[k], i >= all->n) &&
            wire_rule(b, &all->rule[k], first + n, &wired[k]))
            n++;
    }
    return n;
}

static uint32_t put_rules(struct builder *b, const struct wired *wired)
{
    const struct ruleset_requests *all = b->c->rs->requests;
    uint32_t adjusts = 0;
    for (size_t i = 0; i < 2 * all->n && !b->c->failed; i++) {
        size_t k = i % all->n;
        if (!is_of(b, &all->rule[k], i >= all->n))
            continue;
        put_rule(b, &all->rule[k], &wired[k]);
        adjusts += i >= all->n;
    }
    return adjusts;
}

/* One dialect. `base` counts the words of all of them. */
static void compile_api(struct compiler *c, struct str api, uint32_t *base)
{
    const struct ruleset_requests *all = c->rs->requests;
    struct builder b = {.c = c, .api = api, .snake = takes_snake(c, api)};
    struct wired *wired = arena_array(&c->ar, all->n, sizeof *wired);
    uint32_t first = compile_count(c, SEC_REQ_RULES), n = 0;
    if (!wired)
        builder_failed(&b);
    if (c->failed || !builder_init(&b))
        return;
    for (size_t i = 0; i < all->n_measures && !c->failed; i++)
        if (str_eq(all->measure[i].api, api))
            slot_for(&b, 0, &all->measure[i].cond, NULL, 0);
    n = wire_rules(&b, wired, first);
    if (c->failed)
        return;
    if (!number_bits(&b)) {
        c->too_large = !c->failed; /* or there was no memory */
        return;
    }
    struct snap_req_api rec = {
        .name = compile_string(c, api),
        .ways = compile_count(c, SEC_REQ_WAYS),
        .nodes = compile_count(c, SEC_REQ_NODES),
        .watches = compile_count(c, SEC_REQ_WATCHES),
        .rules = first,
        .n_rules = n,
        .n_bits = b.n_words * 64,
        .root_words = b.root_words,
        .base = *base,
        .vendor = vendor_of(c, api),
    };
    b.first_node = rec.nodes;
    b.first_watch = rec.watches - 1; /* a set's number begins with 1 */
    compile_nodes_begin(&b);
    if (!c->failed)
        put_roots(&b, &rec);
    compile_nodes_end(&b);
    put_watches(&b);
    rec.n_adjusts = put_rules(&b, wired);
    if (c->failed)
        return;
    rec.n_ways = compile_count(c, SEC_REQ_WAYS) - rec.ways;
    rec.n_nodes = compile_count(c, SEC_REQ_NODES) - rec.nodes;
    rec.n_watches = compile_count(c, SEC_REQ_WATCHES) - rec.watches;
    rec.bits = put_bit_slots(&b);
    *base += b.n_words;
    c->too_large |= *base > LIMIT_REQUEST_WORDS ||
                    compile_count(c, SEC_REQ_NODES) > LIMIT_REQUEST_NODES ||
                    compile_count(c, SEC_REQ_SLOTS) > LIMIT_REQUEST_SLOTS ||
                    compile_count(c, SEC_REQ_WATCHES) > WAY_MAX_WATCH;
    compile_put(c, SEC_REQ_APIS, &rec);
}

/* The ways and the watch that nobody has. */
static void put_first(struct compiler *c)
{
    struct snap_req_way way = {
        .key = SNAP_NONE, .n = SNAP_NONE, .node = SNAP_NONE, .info = 127 | WAY_NO_BIT << 8};
    struct snap_req_watch watch = {.subject = SNAP_NONE, .subjects = SNAP_NONE};
    req_put_way(c, &way, SNAP_NONE);
    way.info = WAY_NO_BIT << 8;
    req_put_way(c, &way, SNAP_NONE);
    compile_put(c, SEC_REQ_WATCHES, &watch);
}

static bool has_api(const struct ruleset_requests *all, struct str api)
{
    for (size_t i = 0; i < all->n; i++)
        if (str_eq(all->rule[i].api, api))
            return true;
    for (size_t i = 0; i < all->n_measures; i++)
        if (str_eq(all->measure[i].api, api))
            return true;
    for (size_t i = 0; i < all->n_sets; i++)
        if (str_eq(all->set[i].api, api))
            return true;
    return false;
}

/* All texts as one packed text. A snapshot over which nobody said more of requests has it. */
static struct str packed_texts(struct compiler *c, const struct ruleset_requests *all)
{
    struct buf texts, packed;
    size_t size = 0;
    if (all->n_packed == all->n_texts)
        return all->packed;
    for (size_t i = 0; i < all->n_texts; i++)
        size += all->text[i].text.n;
    buf_init_arena(&texts, &c->ar, size + 1);
    buf_init_arena(&packed, &c->ar, size + size / 128 + 64);
    for (size_t i = 0; i < all->n_texts; i++)
        buf_puts(&texts, all->text[i].text);
    if (texts.failed || !pack_text(&packed, STR_IN(texts), &c->ar))
        c->ar.failed = true;
    return STR_IN(packed);
}

static void put_texts(struct compiler *c, const struct ruleset_requests *all)
{
    struct str packed = packed_texts(c, all);
    if (c->ar.failed)
        return;
    uint32_t text = compile_string(c, packed);
    for (size_t i = 0; i < all->n_texts; i++) {
        struct snap_req_text rec = {
            .file = all->text[i].source, .text = text, .size = (uint32_t)all->text[i].text.n};
        compile_put(c, SEC_REQ_TEXTS, &rec);
    }
}

void compile_requests(struct compiler *c)
{
    const struct ruleset_requests *all = c->rs->requests;
    const char *cursor = REQUEST_APIS;
    struct str api;
    uint32_t base = 0;
    if (!all)
        return;
    put_first(c);
    put_texts(c, all);
    while (words_next(&cursor, &api) && !c->failed && !c->too_large)
        if (has_api(all, api))
            compile_api(c, api, &base);
}
