/*
 * target.c - a target made ready for preflight.
 *
 * What a request rule says about the model (scope, profile) does not depend on
 * the request, so that it is settled here, once: a rule may fire or it may not.
 * From those that may follow the slots that a scan has to look at.
 *
 * Two things keep false alarms away. A demand may fire only where the profile says
 * an explicit no; and where the evidence for that is weak (evidence.h), the finding
 * warns instead of rejecting.
 */
#include "asked.h"

#include "base/bits.h"
#include "base/spin.h"
#include "catalog/engine.h"
#include "catalog/evidence.h"
#include "catalog/profile.h"
#include "rules/match.h"
#include "text/glob.h"

struct maker {
    cando_target *t;
    const struct snapshot *s;
    uint32_t vendor; /* of the API at hand */
    uint8_t grade[FIELD_COUNT];
};

/* -- the scope ------------------------------------------------------------------------- */

static bool pattern_fits(const struct snapshot *s, uint32_t i, struct str text)
{
    struct snap_req_pattern p = snap_req_pattern(s, i);
    struct str want = snap_str(s, p.text);
    switch (p.kind) {
    case PAT_ANY:
        return true;
    case PAT_EXACT:
        return str_eq(text, want);
    case PAT_PREFIX:
        return str_starts(text, want);
    case PAT_GLOB:
        return glob_run(snap_str(s, p.program), text);
    default:
        return word_contains(text, want);
    }
}

static bool any_fits(struct maker *m, const struct snap_req_rule *r, uint32_t first, uint32_t n)
{
    if (n)
        query_parse(&m->t->q);
    struct str text = r->flags & REQF_ON_BASE ? m->t->q.base : m->t->q.id;
    for (uint32_t i = 0; i < n; i++)
        if (pattern_fits(m->s, first + i, text))
            return true;
    return false;
}

/* Where nobody is named, the API's own vendor is meant. */
static bool provider_fits(const struct maker *m, const struct snap_req_rule *r)
{
    uint32_t who = m->t->named ? m->t->q.provider : m->vendor;
    bool listed = r->flags & REQF_OTHERS ? false : true;
    if (r->providers == SNAP_NONE)
        return true;
    for (uint32_t i = 0; i < snap_req_count(m->s, r->providers); i++)
        if (snap_req_item(m->s, r->providers, i) == who && who != SNAP_NONE)
            return listed;
    return !listed;
}

static bool version_fits(struct maker *m, const struct snap_req_rule *r)
{
    uint32_t major, minor;
    if (!(r->flags & (REQF_MIN | REQF_MAX)))
        return true;
    query_parse(&m->t->q);
    if (!model_version(m->t->q.base, SCHEME_ANY, &major, &minor) &&
        !query_version(&m->t->q, SCHEME_ANY, &major, &minor))
        return false;
    uint32_t from_major, from_minor, to_major, to_minor;
    snap_rule_bound(m->s, r->bounds, 0, &from_major, &from_minor);
    snap_rule_bound(m->s, r->bounds, 1, &to_major, &to_minor);
    if ((r->flags & REQF_MIN) &&
        (major < from_major || (major == from_major && minor < from_minor)))
        return false;
    return !(r->flags & REQF_MAX) || major < to_major || (major == to_major && minor <= to_minor);
}

/* A general rule leaves models out of which the catalog's no is too coarse. What a user says holds
 * nevertheless. */
static bool is_excepted(struct maker *m, const struct snap_req_rule *r)
{
    if (!any_fits(m, r, r->patterns + r->n_patterns, r->n_excepts))
        return false;
    unsigned f = snap_our_field(m->s, r->field);
    if (!(r->flags & REQF_GENERAL) || f >= FIELD_COUNT)
        return true;
    struct profile_fact fact = profile_fact(&m->t->profile, f);
    return !fact.set || snap_rule(m->s, fact.rule).layer < CANDO_LAYER_USER;
}

static bool scope_fits(struct maker *m, const struct snap_req_rule *r)
{
    if ((r->flags & REQF_NEVER) ||
        ((r->flags & REQF_FINALIZE) && !(m->t->flags & CANDO_TARGET_FINALIZE)) ||
        !provider_fits(m, r))
        return false;
    if (!m->t->named)
        return r->n_patterns == 0 && !(r->flags & (REQF_MIN | REQF_MAX));
    return (r->n_patterns == 0 || any_fits(m, r, r->patterns, r->n_patterns)) &&
           !is_excepted(m, r) && version_fits(m, r);
}

/* -- the profile ------------------------------------------------------------------------- */

static bool word_is(const struct maker *m, unsigned field, struct str want)
{
    if (!m->t->named)
        return false;
    cando_value v = profile_fact(&m->t->profile, field).value;
    return v.known && v.text && str_is(want, v.text);
}

static bool fact_holds(const struct maker *m, uint32_t file_field, uint32_t fact, struct str text)
{
    unsigned f = snap_our_field(m->s, file_field);
    if (fact == FACT_UNKNOWN)
        return !fact_holds(m, file_field, FACT_KNOWN, text);
    if (f >= FIELD_COUNT)
        return false;
    unsigned slot = plane_slot(f), set = plane_set(f), number = plane_number(f);
    const cando_planes *p = &m->t->planes;
    if (set != SLOT_NONE) {
        bool known = p->set_known >> set & 1, has = p->set[set] & set_bit(f, text);
        return fact == FACT_KNOWN ? known
               : fact == FACT_HAS ? known && has
                                  : fact == FACT_LACKS && known && !has;
    }
    if (slot != SLOT_NONE) {
        cando_support level = planes_level(p, slot);
        if (fact == FACT_KNOWN || level == CANDO_UNKNOWN)
            return fact == FACT_KNOWN && level != CANDO_UNKNOWN;
        if (vocab_row(f)->type == CANDO_FLAG)
            return str_is(text, level > CANDO_UNSUPPORTED ? "true" : "false");
        return str_is(text, support_name(level)) ||
               (str_is(text, "usable") && level > CANDO_UNSUPPORTED);
    }
    if (number != SLOT_NONE)
        return fact == FACT_KNOWN && (p->number_known >> number & 1);
    if (fact == FACT_KNOWN)
        return m->t->named && profile_fact(&m->t->profile, f).value.known;
    return word_is(m, f, text);
}

static bool facts_hold(const struct maker *m, const struct snap_req_rule *r)
{
    for (uint32_t i = 0; i + 2 < snap_req_count(m->s, r->facts); i += 3)
        if (!fact_holds(m, snap_req_item(m->s, r->facts, i), snap_req_item(m->s, r->facts, i + 1),
                        snap_str(m->s, snap_req_item(m->s, r->facts, i + 2))))
            return false;
    return true;
}

/* What the profile says of a field, asked once for each. */
enum { GRADE_ASKED = 1, GRADE_FIRM = 2, FOLLOWS_ASKED = 4, FOLLOWS = 8 };

/* Is it good enough to reject? */
static bool is_firm(struct maker *m, unsigned field)
{
    uint8_t *grade = &m->grade[field];
    if (!m->t->named)
        return true;
    if (!(*grade & GRADE_ASKED))
        *grade |= GRADE_ASKED | (profile_rejects(&m->t->profile, field) ? GRADE_FIRM : 0);
    return *grade & GRADE_FIRM;
}

/* Does it follow from what another field lacks? Then that is what is to be said. */
static bool follows(struct maker *m, unsigned field)
{
    uint8_t *grade = &m->grade[field];
    if (m->t->named && !(*grade & FOLLOWS_ASKED))
        *grade |= FOLLOWS_ASKED | (profile_follows(&m->t->profile, field) ? FOLLOWS : 0);
    return *grade & FOLLOWS;
}

static bool is_firm_here(struct maker *m, uint32_t file_field)
{
    unsigned f = snap_our_field(m->s, file_field);
    return f >= FIELD_COUNT || is_firm(m, f);
}

/* The facts that a rule rests on, one after the other from *at = 0 on, as numbers of the file;
 * SNAP_NONE is the end. */
static uint32_t next_fact(const struct snapshot *s, const struct snap_req_api *d,
                          const struct snap_req_rule *r, uint32_t *at)
{
    uint32_t needs = r->effect == REQ_NEEDS, facts = needs + snap_req_count(s, r->facts) / 3;
    uint32_t i = (*at)++;
    if (i < needs)
        return r->field;
    if (i < facts)
        return snap_req_item(s, r->facts, (i - needs) * 3);
    for (; r->flags & REQF_COMPARES && i - facts < snap_req_count(s, r->all); i = (*at)++) {
        struct snap_req_slot room;
        uint32_t slot = snap_req_item(s, d->bits, snap_req_item(s, r->all, i - facts));
        const struct snap_req_slot *x =
            slot == SNAP_NONE ? NULL : snap_peek_req_slot(s, slot, &room);
        if (x && (x->test == TEST_ABOVE_FACT || x->test == TEST_NOT_IN_FACT))
            return x->arg;
    }
    return SNAP_NONE;
}

/* Do all facts that the rule rests on reject? */
static bool rests_on_firm(struct maker *m, const struct snap_req_api *d,
                          const struct snap_req_rule *r)
{
    uint32_t at = 0;
    for (uint32_t f; (f = next_fact(m->s, d, r, &at)) != SNAP_NONE;)
        if (!is_firm_here(m, f))
            return false;
    return true;
}

const char *target_evidence(const cando_target *t, uint32_t rule)
{
    const struct snapshot *s = &t->catalog->snap;
    struct snap_req_rule room;
    const struct snap_req_rule *r = snap_peek_req_rule(s, rule, &room);
    const char *word = "";
    uint32_t k = 0, at = 0;
    struct snap_req_api d = snap_req_api(s, 0);
    while (rule >= d.rules + d.n_rules)
        d = snap_req_api(s, ++k);
    for (uint32_t f; !t->neutral && (f = next_fact(s, &d, r, &at)) != SNAP_NONE;) {
        unsigned field = snap_our_field(s, f);
        if (field >= FIELD_COUNT || (*word && !evidence_rejects(str_of(word))))
            continue;
        const char *here = profile_evidence(&t->profile, field, NULL);
        if (!*word || !evidence_rejects(str_of(here)))
            word = here;
    }
    return word;
}

static bool can_fire(struct maker *m, const struct snap_req_api *d, const struct snap_req_rule *r,
                     bool *only_warns)
{
    if (m->t->flags & TARGET_NEEDS)
        return r->effect == REQ_NEEDS;
    if (m->t->flags & TARGET_ANY)
        return true;
    *only_warns = false;
    if (r->effect == REQ_NEEDS) {
        unsigned f = snap_our_field(m->s, r->field);
        if (f >= FIELD_COUNT || plane_slot(f) == SLOT_NONE ||
            planes_level(&m->t->planes, plane_slot(f)) != CANDO_UNSUPPORTED)
            return false;
        if (follows(m, f))
            return false;
    }
    if (!scope_fits(m, r) || !facts_hold(m, r))
        return false;
    *only_warns = r->severity == CANDO_ERROR && !rests_on_firm(m, d, r);
    return true;
}

/* -- what a scan must look at ---------------------------------------------------------------- */

/* What is wanted, while it is gathered: bits of an API's slots. */
struct wanted {
    uint64_t bit[REQ_MAX_WORDS];
};

static void need_bits(const struct snapshot *s, struct wanted *w, uint32_t list)
{
    for (uint32_t i = 0; i < snap_req_count(s, list); i++)
        bit_put(w->bit, snap_req_item(s, list, i));
}

static void wake(const struct snapshot *s, struct wanted *w, const struct snap_req_rule *r,
                 uint64_t *pivot)
{
    if (r->effect == REQ_ADJUST)
        return;
    need_bits(s, w, r->all);
    need_bits(s, w, r->none);
    need_bits(s, w, r->any);
    if (r->beside != SNAP_NONE) {
        struct snap_req_beside b = snap_req_beside(s, r->beside);
        const uint32_t lists[] = {b.prev,       b.prev_none, b.next,      b.next_none, b.outer_all,
                                  b.outer_none, b.root_all,  b.root_none, b.root_any};
        for (size_t i = 0; i < COUNT_OF(lists); i++)
            need_bits(s, w, lists[i]);
    }
    for (uint32_t i = 0; i < snap_req_count(s, r->pivots); i++)
        bit_put(pivot, snap_req_item(s, r->pivots, i));
}

/* What nearly every node has is kept with the node itself: text and messages that are
 * counted, and one test for kinds. Is the slot one of these? */
static bool at_once(struct cando_watch *w, const struct snap_req_slot *slot)
{
    if (slot->test == TEST_MEASURE && (slot->arg == MEASURE_TEXT || slot->arg == MEASURE_TURN)) {
        w->actions |= slot->arg == MEASURE_TEXT ? WATCH_TEXT : WATCH_TURN;
        return true;
    }
    if (slot->test != TEST_KIND || slot->at_least != 1 || w->kinds || !slot->arg)
        return false;
    w->kinds = (uint8_t)slot->arg;
    w->bit = (uint16_t)slot->bit;
    return true;
}

/* The kinds of values that a test may do something about; what is not here is said of texts. */
static unsigned kinds_asked(const struct snap_req_slot *slot)
{
    static const uint8_t kinds[TEST_COUNT] = {
        [TEST_INSIDE] = REQ_NUMBER,
        [TEST_OUTSIDE] = REQ_NUMBER,
        [TEST_NOT_WHOLE] = REQ_NUMBER,
        [TEST_LENGTH] = REQ_STRING | REQ_ARRAY | REQ_OBJECT,
        [TEST_NOT_LENGTH] = REQ_STRING | REQ_ARRAY | REQ_OBJECT,
        [TEST_ABOVE_FACT] = REQ_NUMBER | REQ_ARRAY,
        [TEST_MEASURE] = REQ_KINDS,
        [TEST_KEY_LENGTH] = REQ_KINDS,
        [TEST_KEY_CHARS] = REQ_KINDS,
    };
    if (slot->test == TEST_KIND)
        return slot->arg;
    return slot->test < TEST_COUNT && kinds[slot->test] ? kinds[slot->test] : REQ_STRING;
}

/* Everything else is a test of its own. */
static void add_test(struct cando_watch *w, const struct snap_req_slot *slot, uint32_t number,
                     struct cando_watch_op *out)
{
    bool quick = slot->at_least == 1 && (slot->test != TEST_WORD || slot->hi[0] <= REQ_WORD);
    *out = (struct cando_watch_op){
        .slot = (uint16_t)number,
        .bit = slot->bit == SNAP_NONE ? WATCH_NO_BIT : (uint16_t)slot->bit,
        .test =
            (uint8_t)(quick ? slot->test : TEST_COUNT), /* TEST_COUNT: look at the slot itself */
        .arg = (uint8_t)(slot->test == TEST_KIND || slot->test == TEST_MEASURE ? slot->arg : 0),
    };
    if (slot->test == TEST_MEASURE || slot->test == TEST_KEY_LENGTH ||
        slot->test == TEST_KEY_CHARS || slot->at_least != 1)
        w->actions |= WATCH_EACH;
    if (slot->test == TEST_WORDS || slot->test == TEST_NOT_WORDS)
        w->actions |= WATCH_WORDS | WATCH_MORE;
    else if (!quick || slot->test != TEST_WORD)
        w->actions |= WATCH_MORE;
    if (quick && slot->test == TEST_WORD) {
        w->actions |= WATCH_WORDS;
        w->initials |= (uint8_t)(watch_letter((unsigned char)slot->lo[0]) | watch_letter('\\'));
    }
    w->asks |= (uint8_t)kinds_asked(slot);
    w->count++;
}

/* The tests of one watch that are wanted: its own, or those of the subject around. Measures always
 * are. Are there tests of the other kind? */
static bool add_tests(cando_target *t, const struct wanted *w, const struct snap_req_watch *n,
                      struct cando_watch *watch, bool outer, uint32_t *used)
{
    const struct snapshot *s = &t->catalog->snap;
    uint32_t end = n->slots + n->n_slots, ops = *used;
    bool others = false;
    for (uint32_t k = n->slots; k < end && ops < t->n_ops; k++) {
        struct snap_req_slot copy;
        const struct snap_req_slot *slot = snap_peek_req_slot(s, k, &copy);
        if ((slot->outer != 0) != outer)
            others = true;
        else if (slot->bit != SNAP_NONE && !bit_get(w->bit, slot->bit))
            continue;
        else if (outer || !at_once(watch, slot))
            add_test(watch, slot, k, &t->op[ops++]);
    }
    *used = ops;
    return others;
}

static void wake_watch(cando_target *t, const struct wanted *w, uint32_t number, uint32_t *used)
{
    struct snap_req_watch room;
    const struct snap_req_watch *n = snap_peek_req_watch(&t->catalog->snap, number, &room);
    struct cando_watch *watch = &t->watch[number];
    *watch = (struct cando_watch){.first = (uint16_t)*used, .subject = (uint8_t)n->subject};
    bool outer = add_tests(t, w, n, watch, false, used);
    if (outer) {
        struct cando_watch own = *watch;
        uint32_t n_own = *used;
        add_tests(t, w, n, watch, true, used);
        *watch = own;
        if (*used > n_own) {
            t->op[*used - 1].last = 1;
            watch->actions |= WATCH_OUTER;
        }
    }
    if (n->subjects != SNAP_NONE)
        watch->actions |= WATCH_SUBJECTS;
    if (watch->subject != WATCH_NO_SUBJECT || (watch->actions & WATCH_TEXT))
        watch->actions |= WATCH_EACH;
    if (watch->actions & WATCH_EACH)
        watch->actions &= (uint8_t)~WATCH_WORDS;
}

/* Targets so far: a scan keeps what it knows of requests for one, and tells them apart by these. */
static _Atomic uint64_t made;

/* Which rules of an API may fire, of those that count, and only warn. Rules of two APIs may share a
 * word, and the other one's may be in use. */
static void decide_api(struct maker *m, uint32_t api, const uint64_t *rules)
{
    struct snap_req_api d = snap_req_api(m->s, api);
    const uint32_t end = d.rules + d.n_rules;
    uint64_t fire = 0, warn = 0;
    m->vendor = d.vendor;
    for (uint32_t i = d.rules; i < end; i++) {
        struct snap_req_rule room;
        bool only_warns = false, may = !rules || bit_get(rules, i);
        if (may && api != m->t->shape)
            may = can_fire(m, &d, snap_peek_req_rule(m->s, i, &room), &only_warns);
        fire |= (uint64_t)may << i % 64;
        warn |= (uint64_t)(may && only_warns) << i % 64;
        if (i % 64 < 63 && i + 1 < end)
            continue;
        bits_put_shared(&m->t->may_fire[i / 64], fire);
        bits_put_shared(&m->t->only_warns[i / 64], warn);
        fire = warn = 0;
    }
}

static uint64_t api_bit(uint32_t api)
{
    return api < LIMIT_REQUEST_APIS ? UINT64_C(1) << api : 0;
}

/* What a scan needs; which rules may fire is settled here only if they are of one API. */
static void end_target(struct maker *m, const struct target_scope *scope)
{
    cando_target *t = m->t;
    if (scope->api != SNAP_NONE) {
        t->decided = UINT64_MAX;
        decide_api(m, scope->api, scope->rules);
    }
    t->scan = (struct scan_target){
        .s = m->s,
        .planes = &t->planes,
        .profile = t->named ? &t->profile : NULL,
        .may_fire = t->may_fire,
        .only_warns = t->only_warns,
        .watch = t->watch,
        .op = t->op,
        .pivot = t->pivot,
        .images = (enum image_rule)t->images,
        .family = (enum fit_family)t->tokenizer,
        .provider = t->named ? t->q.provider : SNAP_NONE,
        .shapes = !(t->flags & (TARGET_NEEDS | TARGET_ANY)),
        .id = atomic_fetch_add_explicit(&made, 1, memory_order_relaxed) + 1,
    };
}

/* What the rules of an API ask for that may fire. The tests of an API stand together, in the
 * order of its watches, so that no two APIs share a place. */
static void wake_api(cando_target *t, uint32_t api)
{
    const struct snapshot *s = &t->catalog->snap;
    struct snap_req_api d = snap_req_api(s, api);
    struct wanted w;
    memset(w.bit, 0, d.n_bits / 8);
    for (uint32_t i = d.rules; i < d.rules + d.n_rules; i++) {
        struct snap_req_rule room;
        if (bit_get(t->may_fire, i))
            wake(s, &w, snap_peek_req_rule(s, i, &room), t->pivot + d.base);
    }
    uint32_t used = d.n_watches ? snap_req_watch(s, d.watches).slots : 0;
    for (uint32_t i = 0; i < d.n_watches; i++)
        wake_watch(t, &w, d.watches + i, &used);
}

/* Who calls has the lock, or the target is nobody else's. */
static void settle(cando_target *t, uint32_t api)
{
    struct maker m = {.t = t, .s = &t->catalog->snap};
    if (t->decided & api_bit(api))
        return;
    decide_api(&m, api, NULL);
    t->decided |= api_bit(api);
}

void target_settle(cando_target *t, uint32_t api)
{
    spin_lock(&t->waking);
    settle(t, api);
    spin_unlock(&t->waking);
}

const struct scan_target *target_scan(const cando_target *target, uint32_t api)
{
    cando_target *t = (cando_target *)target;
    uint64_t bit = api_bit(api);
    if (atomic_load_explicit(&t->awake, memory_order_acquire) & bit)
        return &t->scan;
    spin_lock(&t->waking);
    if (bit && !(atomic_load_explicit(&t->awake, memory_order_relaxed) & bit)) {
        settle(t, api);
        wake_api(t, api);
        atomic_fetch_or_explicit(&t->awake, bit, memory_order_release);
    }
    spin_unlock(&t->waking);
    return &t->scan;
}

/* -- memory ------------------------------------------------------------------------------------ */

/* How long the tables of a target are. */
struct extent {
    size_t rules, subjects, watches, ops; /* rules: words of bits */
};

static struct extent extent_of(const struct snapshot *s)
{
    struct extent e = {.watches = s->sec[SEC_REQ_WATCHES].n, .ops = s->sec[SEC_REQ_SLOTS].n};
    size_t rules = s->sec[SEC_REQ_RULES].n;
    e.rules = ((rules < LIMIT_REQUEST_RULES ? rules : LIMIT_REQUEST_RULES) + 63) / 64;
    for (size_t i = 0; i < s->sec[SEC_REQ_APIS].n; i++) {
        struct snap_req_api d = snap_req_api(s, i);
        size_t end = d.base + (d.n_bits + 63) / 64;
        e.subjects = end > e.subjects ? end : e.subjects;
    }
    e.subjects++; /* an API without bits has a subject all the same */
    return e;
}

static size_t size_of(const struct extent *e)
{
    return sizeof(cando_target) + (e->subjects + 2 * e->rules) * sizeof(uint64_t) +
           e->watches * sizeof(struct cando_watch) + e->ops * sizeof(struct cando_watch_op);
}

size_t cando_target_size(const cando_catalog *catalog)
{
    struct extent e = extent_of(&catalog->snap);
    return size_of(&e);
}

/* An empty one; the tables of watches and tests are not cleared. */
static cando_target *target_begin(void *memory, const cando_catalog *catalog, unsigned flags)
{
    const struct extent e = extent_of(&catalog->snap);
    cando_target *t = memory;
    uint64_t *pivot = (uint64_t *)(t + 1), *may_fire = pivot + e.subjects;
    memset(pivot, 0, (e.subjects + 2 * e.rules) * sizeof *pivot);
    atomic_init(&t->refs, 0);
    atomic_init(&t->awake, 0);
    atomic_init(&t->waking, 0);
    t->decided = 0;
    t->flags = flags;
    t->named = false;
    t->a = NULL;
    t->catalog = catalog;
    t->pivot = pivot;
    t->may_fire = may_fire;
    t->only_warns = may_fire + e.rules;
    t->watch = (struct cando_watch *)(may_fire + 2 * e.rules);
    t->op = (struct cando_watch_op *)(t->watch + e.watches);
    t->n_ops = (uint32_t)e.ops;
    if (e.watches) /* that of nobody */
        t->watch[0] = (struct cando_watch){.subject = WATCH_NO_SUBJECT};
    t->api = SNAP_NONE;
    t->api_name = "";
    t->shape = snapshot_req_api(&catalog->snap, STR("shape"));
    t->tokenizer = FIT_OTHER;
    t->images = IMAGES_UNKNOWN;
    t->neutral = t->denied = t->ends = t->window_weak = t->input_weak = false;
    memset(t->asked, ASKED_NOTHING, sizeof t->asked);
    return t;
}

/* -- the whole --------------------------------------------------------------------------------- */

/* What the model's own facts say beside the rules. */
static void take_profile(struct maker *m, struct str provider, struct str model)
{
    cando_target *t = m->t;
    cando_profile_pack(&t->profile, &t->planes);
    query_parse(&t->q);
    t->q.given = STR(""); /* the caller's own, and read by now */
    cando_value tokenizer = profile_fact(&t->profile, F_tokenizer).value;
    t->tokenizer = (uint8_t)fit_family_of(str_of(tokenizer.text));
    t->images = (uint8_t)api_images(t->q.mid.vendor, t->q.base);
    if (!(t->flags & TARGET_NEEDS))
        t->denied =
            !cando_catalog_policy(t->catalog, provider.p, provider.n, model.p, model.n).allowed;
    if (!(t->flags & TARGET_NEEDS))
        asked_prepare(t, provider, model);
    t->window_weak = !is_firm(m, F_context_window);
    t->input_weak = !is_firm(m, F_max_input);
    uint32_t api = t->q.api;
    if (api == SNAP_NONE)
        return;
    struct str name = snap_str(m->s, snap_api(m->s, api).name);
    t->api = snapshot_req_api(m->s, name);
    t->api_name = t->api == SNAP_NONE ? "" : name.p;
}

static const struct target_scope every_api = {.api = SNAP_NONE};

static cando_status make_target(cando_target *t, struct str provider, struct str model,
                                const struct target_scope *scope, cando_error *err)
{
    struct maker m = {.t = t, .s = &t->catalog->snap};
    cando_status st = cando_resolve_parts(t->catalog, provider.p, provider.n, model.p, model.n,
                                          CANDO_AS_WRITTEN, &t->profile, err);
    if (st != CANDO_OK)
        return st;
    if (!query_init(&t->q, m.s, provider, model))
        return error_set(err, CANDO_BAD_QUESTION, CODE_too_long, "a name is over its limit");
    planes_clear(&t->planes);
    t->named = provider.n || model.n;
    if (t->named)
        take_profile(&m, provider, model);
    end_target(&m, scope);
    return CANDO_OK;
}

cando_target *target_init(void *memory, const cando_catalog *catalog, struct str provider,
                          struct str model, unsigned flags, cando_error *err)
{
    cando_target *t = target_begin(memory, catalog, flags);
    return make_target(t, provider, model, &every_api, err) == CANDO_OK ? t : NULL;
}

static cando_target *make_claimed(void *memory, const cando_catalog *catalog,
                                  const cando_planes *planes, const struct target_scope *scope,
                                  unsigned flags)
{
    cando_target *t = target_begin(memory, catalog, flags);
    struct maker m = {.t = t, .s = &catalog->snap};
    t->neutral = true;
    t->planes = *planes;
    end_target(&m, scope);
    return t;
}

cando_target *target_init_for(void *memory, const cando_catalog *catalog, struct str provider,
                              struct str model, const cando_planes *claims,
                              const struct target_scope *scope, cando_error *err)
{
    if (claims)
        return make_claimed(memory, catalog, claims, scope, 0);
    cando_target *t = target_begin(memory, catalog, 0);
    t->key = (struct target_key){.provider = provider, .model = model};
    return make_target(t, provider, model, scope, err) == CANDO_OK ? t : NULL;
}

cando_target *target_init_any(void *memory, const cando_catalog *catalog, uint32_t api)
{
    cando_planes none;
    planes_clear(&none);
    return make_claimed(memory, catalog, &none, &(struct target_scope){.api = api}, TARGET_ANY);
}

bool target_name(cando_name name, struct str *provider, struct str *model, cando_error *err)
{
    *provider = *model = STR("");
    return (!name.model && !name.provider) || name_split(name, provider, model, STR(""), err);
}

cando_target *cando_target_init(void *memory, const cando_catalog *catalog, cando_name name,
                                unsigned flags, cando_error *err)
{
    struct str provider, model;
    if (!target_name(name, &provider, &model, err))
        return NULL;
    return target_init(memory, catalog, provider, model, flags, err);
}

cando_target *cando_target_init_planes(void *memory, const cando_catalog *catalog,
                                       const cando_planes *planes, unsigned flags)
{
    return make_claimed(memory, catalog, planes, &every_api, flags);
}

/* -- on the heap ------------------------------------------------------------------------------- */

struct target_key target_key(struct str provider, struct str model, unsigned flags)
{
    return (struct target_key){str_hash(model, str_hash(provider, flags)), provider, model, flags};
}

static size_t heap_size(const cando_catalog *catalog, const struct target_key *k)
{
    return cando_target_size(catalog) + k->provider.n + k->model.n;
}

static struct str put_name(char **to, struct str name)
{
    if (name.n)
        memcpy(*to, name.p, name.n);
    struct str own = str_make(*to, name.n);
    *to += name.n;
    return own;
}

const cando_target *target_make(const cando_catalog *catalog, const struct target_key *k,
                                const cando_allocator *a, cando_error *err)
{
    size_t size = heap_size(catalog, k);
    char *memory = mem_alloc(a, size);
    if (!memory)
        return no_memory(err);
    cando_target *t = target_init(memory, catalog, k->provider, k->model, k->flags, err);
    if (!t) {
        mem_free(a, memory, size);
        return NULL;
    }
    char *names = (char *)(t->op + t->n_ops);
    atomic_init(&t->refs, 1);
    t->a = a;
    t->key = *k;
    t->key.provider = put_name(&names, k->provider);
    t->key.model = put_name(&names, k->model);
    cando_catalog_retain(catalog);
    return t;
}

const cando_target *cando_target_new(const cando_catalog *catalog, cando_name name, unsigned flags,
                                     const cando_allocator *a, cando_error *err)
{
    struct str provider, model;
    if (!target_name(name, &provider, &model, err))
        return NULL;
    struct target_key k = target_key(provider, model, flags);
    return target_make(catalog, &k, a, err);
}

const cando_target *target_retain(const cando_target *t)
{
    atomic_fetch_add_explicit(&((cando_target *)t)->refs, 1, memory_order_relaxed);
    return t;
}

void cando_target_release(const cando_target *target)
{
    cando_target *t = (cando_target *)target;
    if (!t || atomic_load_explicit(&t->refs, memory_order_relaxed) == 0)
        return;
    if (atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) != 1)
        return;
    const cando_catalog *catalog = t->catalog;
    mem_free(t->a, t, heap_size(catalog, &t->key));
    cando_catalog_release(catalog);
}
