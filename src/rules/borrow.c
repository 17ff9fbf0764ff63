#include "agree.h"
#include "catalog/evidence.h"
#include "inherit.h"

#include <stdlib.h>

/* The offerings of one model. */
struct group {
    const struct snapshot *s;
    const uint16_t *mask;  /* by field: a bit for each word of BORROW_WORDS */
    const unsigned *field; /* those that have one */
    size_t n_fields;
    struct offering **member;
    uint8_t *own; /* by member: 1 if the lab itself serves it, 2 under the model's very name */
    struct borrow_said *said; /* by member, then by field */
    size_t n;
};

unsigned borrow_word(struct str word)
{
    static const char *const words[] = {"lab",     "lab-no", "hosts",   "hosts-no", "host",
                                        "host-no", "twin",   "twin-no", "version",  "family"};
    unsigned i = 0;
    while (!str_is(word, words[i]))
        i++;
    return i;
}

/* Is it said of the offering itself? Rules for families are not. */
static bool is_fact(const struct snapshot *s, const struct profile_fact *f)
{
    if (!f->set)
        return false;
    struct snap_rule r = snap_rule(s, f->rule);
    return r.layer >= CANDO_LAYER_FACTS || r.flags & RULEF_FACT;
}

/* What a user says of one offering is said of no other. */
static bool is_lent(const struct snapshot *s, const struct profile_fact *f)
{
    return is_fact(s, f) && snap_rule(s, f->rule).layer < CANDO_LAYER_USER;
}

static uint32_t encode(const cando_value *v)
{
    switch (v->type) {
    case CANDO_SUPPORT:
        return VAL(VAL_SUPPORT, v->support);
    case CANDO_FLAG:
        return VAL(VAL_FLAG, v->flag);
    default:
        return v->number <= VAL_PAYLOAD_MAX ? VAL(VAL_NUMBER, v->number) : 0;
    }
}

/* Whatever a file says: texts and lists are not. */
static bool can_be_lent(unsigned field)
{
    cando_type type = vocab_row(field)->type;
    return type == CANDO_SUPPORT || type == CANDO_FLAG || type == CANDO_NUMBER;
}

static void listen(struct group *g, size_t member)
{
    struct profile_fact fact[FIELD_COUNT];
    const cando_profile *p = &g->member[member]->profile;
    profile_facts(p, fact);
    for (size_t i = 0; i < g->n_fields; i++) {
        const struct profile_fact *f = &fact[g->field[i]];
        struct borrow_said *x = &g->said[member * g->n_fields + i];
        *x = (struct borrow_said){.what = SAID_NOTHING, .mine = is_fact(g->s, f)};
        if (!is_lent(g->s, f) || !f->value.known || !encode(&f->value))
            continue;
        bool no = f->value.type == CANDO_SUPPORT && f->value.support == CANDO_UNSUPPORTED;
        x->what = no ? SAID_NO : SAID_YES;
        x->value = encode(&f->value);
        x->rule = f->rule;
        if (no && agreed_bit(g->field[i]) && g->n > 1)
            x->firm = evidence_rejects(str_of(profile_evidence(p, g->field[i], f)));
    }
}

static bool agree(const struct borrow_said *a, const struct borrow_said *b, bool numbers)
{
    return a->what == b->what && (!numbers || a->value == b->value);
}

/* What the others say of a field to `self`; to nobody in particular, if that is SIZE_MAX. */
static const struct borrow_said *donor(const struct group *g, size_t self, size_t field)
{
    uint16_t mask = g->mask[g->field[field]];
    bool numbers = vocab_row(g->field[field])->type != CANDO_SUPPORT;
    uint32_t at = self == SIZE_MAX ? SNAP_NONE : g->member[self]->provider;
    const struct borrow_said *host = NULL, *lab = NULL, *twin = NULL;
    uint8_t rank = 0;
    size_t hosts = 0;
    bool twins_agree = true;
    for (size_t i = 0; i < g->n; i++) {
        const struct borrow_said *x = &g->said[i * g->n_fields + field];
        if (x->what == SAID_NOTHING || i == self)
            continue;
        if (g->member[i]->provider == at) {
            twins_agree &= !twin || agree(twin, x, numbers);
            twin = x;
        } else if (g->own[i]) {
            lab = lab && g->own[i] <= rank ? lab : x;
            rank = g->own[i] > rank ? g->own[i] : rank;
        } else if (host && !agree(host, x, numbers)) {
            hosts = SIZE_MAX / 2; /* they disagree: far more than any number of hosts */
        } else {
            host = host ? host : x;
            hosts++;
        }
    }
    if (twin && twins_agree && mask >> (BORROW_TWIN + (twin->what == SAID_NO)) & 1)
        return twin;
    const struct borrow_said *x = lab ? lab : hosts < SIZE_MAX / 2 ? host : NULL;
    if (!x)
        return NULL;
    unsigned from = lab ? BORROW_LAB : hosts > 1 ? BORROW_HOSTS : BORROW_HOST;
    return mask >> (from + (x->what == SAID_NO)) & 1 ? x : NULL;
}

static void take(cando_profile *p, unsigned field, const struct borrow_said *x)
{
    p->set[field / 64] |= UINT64_C(1) << (field % 64);
    p->value[field] = x->value;
    p->origin[field] = x->rule | ORIGIN_BORROWED;
}

/* Does the provider of another offering say the same no, and none of those that say anything a
 * yes? Only where such a no may be borrowed: there it is one of the model itself. */
static bool no_is_confirmed(const struct group *g, size_t self, size_t field)
{
    unsigned f = g->field[field];
    bool confirmed = false;
    for (size_t i = 0; i < g->n; i++) {
        const struct borrow_said *x = &g->said[i * g->n_fields + field];
        unsigned from = g->own[i] ? BORROW_LAB : BORROW_HOSTS;
        if (x->what == SAID_YES)
            return false;
        if (i == self || x->what != SAID_NO || g->member[i]->provider == g->member[self]->provider)
            continue;
        confirmed |= (g->mask[f] >> (from + 1) & 1) && x->firm;
    }
    return confirmed;
}

static void confirm_noes(struct compiler *c, const struct group *g, size_t self)
{
    for (size_t i = 0; i < g->n_fields; i++) {
        const struct borrow_said *x = &g->said[self * g->n_fields + i];
        if (x->what == SAID_NO && agreed_bit(g->field[i]) && no_is_confirmed(g, self, i))
            agree_on(c, x->rule, g->field[i]);
    }
}

/* What the model's offerings say of a field together, to those who come after it. */
static void sum_up(const struct group *g, struct borrow_said *word)
{
    for (size_t f = 0; f < g->n_fields; f++) {
        bool numbers = vocab_row(g->field[f])->type != CANDO_SUPPORT, agreed = true;
        const struct borrow_said *lab = NULL, *any = NULL;
        for (size_t i = 0; i < g->n; i++) {
            const struct borrow_said *x = &g->said[i * g->n_fields + f];
            if (x->what == SAID_NOTHING)
                continue;
            agreed &= !any || agree(any, x, numbers);
            any = x;
            lab = g->own[i] && !lab ? x : lab;
        }
        any = lab ? lab : agreed ? any : NULL;
        word[f] = any ? *any : (struct borrow_said){.what = SAID_NOTHING};
    }
}

/* Is it one to talk to, as far as anybody says what it is? */
static bool talks(const struct group *g)
{
    for (size_t i = 0; i < g->n; i++) {
        cando_value kind = profile_fact(&g->member[i]->profile, F_model_kind).value;
        if (kind.known && strcmp(kind.text, "chat") != 0)
            return false;
    }
    return true;
}

static void hear_group(struct compiler *c, struct group *g, struct inherit_model *m)
{
    struct borrow_said *word = arena_array(&c->ar, g->n_fields, sizeof *word);
    if (!word)
        return;
    for (size_t i = 0; i < g->n; i++)
        listen(g, i);
    for (size_t i = 0; i < g->n && g->n > 1; i++)
        confirm_noes(c, g, i);
    sum_up(g, word);
    *m = (struct inherit_model){.name = g->member[0]->model, .word = word, .talks = talks(g)};
    m->lends = m->talks && g->member[0]->listed;
}

/* Does the lab, or the same provider of another id of the model, say no? */
static bool is_denied(const struct group *g, const struct offering *self, size_t field)
{
    for (size_t i = 0; i < g->n; i++) {
        bool near = g->own[i] || (self && g->member[i]->provider == self->provider);
        if (near && g->said[i * g->n_fields + field].what == SAID_NO)
            return true;
    }
    return false;
}

/* What a model takes of those before it, by field: the same for all of its offerings, and dear. */
struct inherited {
    const struct inherit *in;
    const struct inherit_model *model;
    const struct borrow_said *word[FIELD_COUNT];
    bool asked[FIELD_COUNT];
};

static const struct borrow_said *inherited_word(struct inherited *x, size_t field, uint16_t mask)
{
    if (!x->asked[field])
        x->word[field] = inherit_word(x->in, x->model, field, mask);
    x->asked[field] = true;
    return x->word[field];
}

/* The fields that are still open, by the models before it; `self` is NULL for what is said of the
 * model to nobody in particular. */
static void inherit_fill(const struct group *g, const struct offering *self, struct inherited *in,
                         cando_profile *p)
{
    for (size_t f = 0; f < g->n_fields; f++) {
        unsigned field = g->field[f];
        struct profile_fact have = profile_fact(p, field);
        if (have.value.known || inherit_refused(g->s, &have) || is_denied(g, self, f))
            continue;
        const struct borrow_said *x = inherited_word(in, f, g->mask[field]);
        if (!x)
            continue;
        take(p, field, x);
        p->origin[field] |= ORIGIN_INHERITED;
    }
}

static void fill_group(struct compiler *c, struct group *g, const struct inherit *in,
                       const struct inherit_model *m)
{
    cando_profile all = {.catalog = g->member[0]->profile.catalog};
    struct inherited inherited = {.in = in, .model = m};
    for (size_t i = 0; i < g->n; i++) {
        for (size_t f = 0; f < g->n_fields; f++) {
            const struct borrow_said *x = g->said[i * g->n_fields + f].mine ? NULL : donor(g, i, f);
            if (x)
                take(&g->member[i]->profile, g->field[f], x);
        }
        inherit_fill(g, g->member[i], &inherited, &g->member[i]->profile);
    }
    for (size_t f = 0; f < g->n_fields; f++) {
        const struct borrow_said *x = donor(g, SIZE_MAX, f);
        if (x)
            take(&all, g->field[f], x);
    }
    inherit_fill(g, NULL, &inherited, &all);
    for (size_t i = 0; i < g->n; i++) {
        struct str name = g->member[i]->canonical;
        if (!g->member[i]->listed && g->n == 1)
            continue; /* one voice on what its lab does not list: others are better asked */
        if (i == 0 || !str_eq(name, g->member[i - 1]->canonical))
            compile_pair_put(c, SNAP_NONE, name, name, &all, CANDO_BY_FAMILY);
    }
}

static int by_canonical(const void *a, const void *b)
{
    const struct offering *x = *(struct offering *const *)a, *y = *(struct offering *const *)b;
    int c = str_cmp(x->model, y->model);
    if (!c)
        c = str_cmp(x->canonical, y->canonical);
    return c ? c : x < y ? -1 : x > y;
}

/* Is it the lab's own API? Some labs have a second one, which is called like an alias of theirs. */
static bool is_of_lab(const struct snapshot *s, struct str provider, struct str lab)
{
    struct id_tables names = snapshot_ids(s);
    struct str found;
    if (str_eq(provider, lab))
        return true;
    return names.find(names.ctx, ID_LAB, provider, &found) && str_eq(found, lab);
}

static void mark_own(const struct compiler *c, struct group *g)
{
    struct str model = g->member[0]->model, lab = str_head(model, str_find_char(model, '/'));
    struct str name = str_from(model, lab.n + 1);
    for (size_t i = 0; i < g->n; i++) {
        bool own = is_of_lab(g->s, c->providers.id[g->member[i]->provider], lab);
        g->own[i] = own ? 1 + str_eq_fold(g->member[i]->id, name) : 0;
    }
}

/* An alias and its only dated id are one model: claude-haiku-4-5 and claude-haiku-4-5-20251001. */
static bool join_dated(struct compiler *c, struct offering *list, size_t n)
{
    struct map names, dated; /* of models; of what is left without the date: the last one so */
    map_init(&names, &c->ar, false);
    map_init(&dated, &c->ar, false);
    for (size_t i = 0; i < n; i++)
        if (!map_put(&names, list[i].canonical, (uint32_t)i))
            return false;
    for (size_t i = 0; i < n; i++) {
        struct str base = model_undated(list[i].canonical);
        const uint32_t *have = base.n == list[i].canonical.n ? NULL : map_get(&dated, base);
        bool other =
            have && (*have == UINT32_MAX || !str_eq(list[*have].canonical, list[i].canonical));
        if (base.n == list[i].canonical.n)
            continue;
        if (!map_put(&dated, base, other ? UINT32_MAX : (uint32_t)i))
            return false;
    }
    for (size_t i = 0; i < n; i++) {
        struct str base = model_undated(list[i].canonical);
        const uint32_t *only = base.n == list[i].canonical.n ? NULL : map_get(&dated, base);
        bool one = only && *only != UINT32_MAX && map_get(&names, base);
        list[i].model = one ? base : list[i].canonical;
    }
    return true;
}

/* The next model's offerings, from where those of the last one end. */
static bool next_group(const struct compiler *c, struct group *g, struct offering **order, size_t n,
                       struct borrow_said *said)
{
    size_t at = g->member ? (size_t)(g->member - order) + g->n : 0;
    while (at < n && !order[at]->canonical.n)
        at++;
    if (at >= n)
        return false;
    for (g->n = 1; at + g->n < n && str_eq(order[at + g->n]->model, order[at]->model);)
        g->n++;
    g->member = order + at;
    g->said = said + at * g->n_fields;
    mark_own(c, g);
    return true;
}

void borrow_fill(struct compiler *c, struct offering *list, size_t n)
{
    unsigned field[FIELD_COUNT];
    struct group start = {.mask = c->rs->borrow, .field = field}, g;
    struct inherit in = {0};
    for (unsigned f = 0; f < FIELD_COUNT; f++)
        if (c->rs->borrow[f] && can_be_lent(f))
            field[start.n_fields++] = f;
    for (size_t i = 0; i < n; i++) /* an agent is no offering of a model that is called so */
        if (snap_is_backend(&list[i].profile.catalog->snap, list[i].profile.provider))
            list[i].canonical = STR("");
    if (!start.n_fields || !n || !join_dated(c, list, n))
        return;
    struct offering **order = arena_array(&c->ar, n, sizeof *order);
    struct borrow_said *said = arena_array(&c->ar, n * start.n_fields, sizeof *said);
    start.own = arena_array(&c->ar, n, sizeof *start.own);
    in.model = arena_array(&c->ar, n, sizeof *in.model);
    if (!order || !start.own || !said || !in.model)
        return;
    start.s = &list[0].profile.catalog->snap;
    for (size_t i = 0; i < n; i++)
        order[i] = &list[i];
    qsort(order, n, sizeof *order, by_canonical);
    for (g = start; !c->ar.failed && next_group(c, &g, order, n, said);)
        hear_group(c, &g, &in.model[in.n++]);
    if (c->ar.failed || !inherit_link(&in, &c->ar))
        return;
    for (g = start; !c->ar.failed && next_group(c, &g, order, n, said);)
        fill_group(c, &g, &in, inherit_find(&in, g.member[0]->model));
    inherit_keep(c, &in, field, start.n_fields, list[0].profile.catalog);
}

struct str borrow_name(struct match_query *q, char room[BORROW_NAME_ROOM])
{
    struct buf b;
    query_parse(q);
    if (q->mid.canonical.n || !q->mid.vendor.n)
        return q->mid.canonical;
    buf_init_lent(&b, room, BORROW_NAME_ROOM);
    buf_puts(&b, q->mid.vendor);
    buf_putc(&b, '/');
    buf_puts(&b, q->mid.base);
    return b.failed ? STR("") : STR_IN(b);
}

void borrow_apply(struct match_query *q, cando_profile *out)
{
    const struct snapshot *s = q->s;
    char room[BORROW_NAME_ROOM];
    if (!s->has_facts || snap_is_backend(s, out->provider))
        return;
    struct str name = borrow_name(q, room);
    uint32_t at = name.n ? snapshot_exact(s, SNAP_NONE, name) : SNAP_NONE;
    if (at == SNAP_NONE) {
        inherit_apply(q, out);
        return;
    }
    cando_profile all = *out;
    all.record = (const uint32_t *)(const void *)(s->sec[SEC_RECORDS].p + (size_t)at * 4);
    all.identity = CANDO_BY_FAMILY;
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        uint32_t value, origin;
        if (!profile_raw(&all, f, &value, &origin))
            continue;
        struct profile_fact have = profile_fact(out, f);
        if (is_fact(s, &have) || (origin & ORIGIN_INHERITED && have.value.known))
            continue;
        out->set[f / 64] |= UINT64_C(1) << (f % 64);
        out->value[f] = value;
        out->origin[f] = origin;
        if (out->identity == CANDO_BY_DEFAULT)
            out->identity = CANDO_BY_FAMILY;
    }
}
