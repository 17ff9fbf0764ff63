/*
 * lint_index.c - finds the rules that cover a program, without looking at all.
 *
 * A rule's programs are filed under each provider that the rule names (or under
 * everybody) and under the plain bytes that their matches begin with (the head),
 * or else under plain bytes that their matches contain (the gram):
 *
 *     openai     "gpt-4"  ->  gpt-4*  gpt-4?-mini
 *     openai    ..-mini.. ->  *-mini  *-mini-*
 *     openai     ""       ->  *  ?*
 *     everybody  "o"      ->  o[134]*
 *
 * A program can only match a text that begins with its head or contains its
 * gram, so the candidates for a text are in few and mostly short lists.
 *
 * To ask whether a program is covered:
 *
 *   1. for two witnesses of it, which fields do the rules give that match them?
 *      Nearly always the answer is "none", and that is the end of it.
 *   2. of the rules that match the more general witness, does one alone cover
 *      the program?
 *   3. do all that overlap with it cover it together?
 *
 * The question is put once for every scope of the program's rule, since each
 * may be taken by other rules. In first-match order there is one "field", the
 * decision itself (bit 0).
 *
 * Two things must hold beyond the patterns. A scope of APIs is met by another
 * of these, or by a provider that is declared with that API and that
 * nobody falls through to (whoever falls through brings an API of its own).
 * And in layered order the walk over families is taken in each layer by itself,
 * so a rule of another layer may not be reached by a provider that falls
 * through to this one's, unless it is a rule for everybody.
 */
#include "lint.h"

#include <stdlib.h>

#define KEY_BYTES 63u /* of a head; so that the lengths fit into one word */

struct lint_slot {
    uint64_t hash;
    uint32_t name;
    uint32_t first, last; /* nodes; LINT_NONE: a free slot */
};

struct lint_node {
    uint64_t letters; /* of the program: most candidates end here */
    uint32_t program, next;
};

#define GRAMS (UINT32_C(1) << 31) /* set in the name of a list that is filed by gram */
#define GLOB_WORK 8u              /* a match costs as much as so many looks, */
#define GLOB_STEPS 64u            /* and one more for so many steps */
#define CELL_WORK 16u             /* what it costs to begin: a rule may have very many scopes */

/* -- filing ---------------------------------------------------------------------- */

static uint64_t hash_start(uint32_t name)
{
    return (UINT64_C(0xcbf29ce484222325) ^ name) * UINT64_C(0x9e3779b97f4a7c15);
}

static uint64_t hash_step(uint64_t h, char c)
{
    h = (h ^ (unsigned char)c) * UINT64_C(0x100000001b3);
    return h ^ h >> 29;
}

static struct str program_key(const struct lint_program *p)
{
    return p->gram.n ? p->gram : str_head(p->head, KEY_BYTES);
}

static struct lint_slot *slot_find(const struct lint_index *x, uint64_t hash, uint32_t name,
                                   struct str key)
{
    size_t i = (size_t)(hash ^ hash >> 32) & (x->cap_slots - 1);
    for (;; i = (i + 1) & (x->cap_slots - 1)) {
        struct lint_slot *s = &x->slot[i];
        if (s->first == LINT_NONE)
            return s;
        if (s->hash == hash && s->name == name &&
            str_eq(program_key(&x->l->program[x->node[s->first].program]), key))
            return s;
    }
}

static bool slots_grow(struct lint_index *x)
{
    struct lint_slot *old = x->slot;
    size_t n = x->cap_slots;
    x->cap_slots = n ? n * 2 : 64;
    x->slot = arena_array(&x->l->ar, x->cap_slots, sizeof *x->slot);
    if (!x->slot)
        return false;
    for (size_t i = 0; i < x->cap_slots; i++)
        x->slot[i].first = LINT_NONE;
    for (size_t i = 0; i < n; i++)
        if (old[i].first != LINT_NONE) {
            struct str key = program_key(&x->l->program[x->node[old[i].first].program]);
            *slot_find(x, old[i].hash, old[i].name, key) = old[i];
        }
    return true;
}

bool lint_index_init(struct lint_index *x, struct lint *l, bool layered)
{
    *x = (struct lint_index){.l = l, .layered = layered};
    x->in = arena_array(&l->ar, l->rs->n_rules, sizeof *x->in);
    return x->in && slots_grow(x);
}

static void file_program(struct lint_index *x, uint32_t program, uint32_t name)
{
    const struct lint_program *p = &x->l->program[program];
    struct str key = program_key(p);
    if (p->gram.n)
        name |= GRAMS;
    uint64_t hash = hash_start(name);
    for (size_t i = 0; i < key.n; i++)
        hash = hash_step(hash, key.p[i]);
    if ((x->n_slots + 1) * 2 > x->cap_slots && !slots_grow(x))
        return;
    if (!ARENA_GROW(&x->l->ar, x->node, x->n_nodes, x->cap_nodes))
        return;
    uint32_t n = (uint32_t)x->n_nodes++;
    x->node[n] = (struct lint_node){p->letters, program, LINT_NONE};
    *(p->gram.n ? &x->grams : &x->lengths) |= UINT64_C(1) << key.n;
    struct lint_slot *s = slot_find(x, hash, name, key);
    if (s->first == LINT_NONE) {
        x->n_slots++;
        *s = (struct lint_slot){hash, name, n, n};
    } else {
        x->node[s->last].next = n;
        s->last = n;
    }
}

void lint_index_add(struct lint_index *x, uint32_t rule)
{
    struct lint *l = x->l;
    const struct lint_rule *r = &l->rule[rule];
    size_t scopes = r->n_scopes ? r->n_scopes : 1;
    if (x->in[rule] || x->n_nodes + r->n_programs * scopes > LINT_NODES)
        return;
    x->in[rule] = true;
    for (uint32_t p = 0; p < r->n_programs; p++)
        for (size_t s = 0; s < scopes && !l->ar.failed; s++)
            file_program(x, r->program + p,
                         r->n_scopes ? l->scope[r->scope + s] : lint_everybody(l));
}

/* -- finding ------------------------------------------------------------------------- */

static void cursor_restart(struct lint_cursor *c, uint32_t name, bool all)
{
    const struct lint_index *x = c->x;
    c->name = name;
    c->all = all && name != lint_everybody(x->l);
    c->in_grams = false;
    c->from = c->length = 0;
    c->hash = hash_start(name);
    c->node = x->lengths & 1 ? slot_find(x, c->hash, name, STR(""))->first : LINT_NONE;
}

void lint_cursor_init(struct lint_cursor *c, const struct lint_index *x, struct str text,
                      uint32_t name, bool all, size_t *work)
{
    *c = (struct lint_cursor){.x = x, .text = text, .letters = lint_letters(text), .work = work};
    cursor_restart(c, name, all);
}

/* One byte more of the text, or the next place in it; after the heads the
 * grams, after the name everybody. */
static bool cursor_step(struct lint_cursor *c)
{
    size_t most = c->in_grams ? 63 - (size_t)__builtin_clzll(c->x->grams) : KEY_BYTES;
    if (c->from + c->length < c->text.n && c->length < most) {
        c->hash = hash_step(c->hash, c->text.p[c->from + c->length++]);
        return true;
    }
    if (c->in_grams ? ++c->from < c->text.n : !c->heads_only && c->x->grams != 0 && c->text.n > 0) {
        c->in_grams = true;
        c->length = 0;
        c->hash = hash_start(c->name | GRAMS);
        return true;
    }
    if (!c->all)
        return false;
    cursor_restart(c, lint_everybody(c->x->l), false);
    return true;
}

static void cursor_open(struct lint_cursor *c)
{
    const struct lint_index *x = c->x;
    if (c->length && ((c->in_grams ? x->grams : x->lengths) >> c->length & 1))
        c->node = slot_find(x, c->hash, c->in_grams ? c->name | GRAMS : c->name,
                            str_make(c->text.p + c->from, c->length))
                      ->first;
}

uint32_t lint_cursor_next(struct lint_cursor *c)
{
    for (; *c->work > 0; --*c->work) {
        while (c->node == LINT_NONE) {
            if (!cursor_step(c))
                return LINT_NONE;
            if (c->node == LINT_NONE)
                cursor_open(c);
        }
        const struct lint_node *n = &c->x->node[c->node];
        c->node = n->next;
        if (!(n->letters & ~c->letters))
            return n->program;
    }
    return LINT_NONE;
}

void lint_charge(size_t *work, struct str code, struct str text)
{
    size_t cost = GLOB_WORK + code.n * text.n / GLOB_STEPS;
    *work -= cost < *work ? cost : *work;
}

/* -- asking ----------------------------------------------------------------------------- */

/* One scope of the asking rule. */
struct cell {
    uint32_t name;
    unsigned api;
};

struct question {
    struct lint_index *x;
    const struct lint_ask *ask;
    const struct lint_program *b;
    struct cell cell;
    struct lint_takers *takers;
};

static struct lint_mask program_gives(const struct question *q, const struct lint_program *a)
{
    if (!q->x->layered)
        return (struct lint_mask){{1, 0, 0}};
    return q->x->l->rule[a->rule].fields;
}

static bool versions_agree(const struct question *q, const struct rule *a, const struct rule *b)
{
    if (lint_version_covers(a, b))
        return true;
    return q->b->whole && !a->on_base && !b->on_base && lint_version_takes(a, q->b->head);
}

/* The layers of two rules, see above. A row of facts that a higher layer
 * corrects is what the layers are for, so that never counts. */
static bool layers_agree(const struct question *q, const struct lint_program *a,
                         const struct rule *ra, const struct rule *rb)
{
    const struct lint *l = q->x->l;
    if (!q->x->layered || l->rs->source[ra->source].layer == l->rs->source[rb->source].layer)
        return true;
    if (rb->kind == RULE_FACT)
        return false;
    return l->rule[a->rule].n_scopes == 0 || l->name[q->cell.name].children == 0;
}

/* May program `a` count as one that covers, its pattern aside? */
static bool may_cover(const struct question *q, const struct lint_program *a)
{
    const struct lint *l = q->x->l;
    if (a->off)
        return false;
    if (a->rule == q->ask->rule)
        return q->ask->own != OWN_NOT && a->pattern != q->b->pattern;
    if (q->ask->own == OWN_ONLY)
        return false;
    const struct rule *ra = &l->rs->rule[a->rule], *rb = &l->rs->rule[q->ask->rule];
    if (ra->on_base != rb->on_base && !lint_is_any(a))
        return false;
    uint64_t apis = l->rule[a->rule].apis;
    if (apis && (q->cell.api >= LINT_NO_API || !(apis >> q->cell.api & 1)))
        return false;
    return versions_agree(q, ra, rb) && layers_agree(q, a, ra, rb);
}

static void take(const struct question *q, const struct lint_program *a, struct lint_mask fields)
{
    struct lint_takers *t = q->takers;
    const struct lint *l = q->x->l;
    for (unsigned f = 0; f < CANDO_MAX_FIELDS; f++) {
        if (!lint_mask_has(fields, f))
            continue;
        if (t->rule[f] != LINT_NONE && t->rule[f] != a->rule)
            t->several[f] = true;
        if (t->rule[f] == LINT_NONE || l->rule[a->rule].order < l->rule[t->rule[f]].order)
            t->rule[f] = a->rule;
    }
    if (lint_is_any(a) && a->rule != q->ask->rule &&
        (t->any == LINT_NONE || l->rule[a->rule].order < l->rule[t->any].order))
        t->any = a->rule;
}

void lint_takers_init(struct lint_takers *t)
{
    memset(t, 0, sizeof *t);
    for (unsigned f = 0; f < CANDO_MAX_FIELDS; f++)
        t->rule[f] = LINT_NONE;
    t->any = LINT_NONE;
}

struct hits {
    const struct lint_program *item[LINT_HITS]; /* in order */
    size_t n;
};

static void hits_put(struct hits *h, const struct lint *l, const struct lint_program *a)
{
    uint32_t order = l->rule[a->rule].order;
    size_t at = h->n;
    while (at > 0 && l->rule[h->item[at - 1]->rule].order > order)
        at--;
    if (at >= LINT_HITS)
        return;
    if (h->n < LINT_HITS)
        h->n++;
    memmove(&h->item[at + 1], &h->item[at], (h->n - 1 - at) * sizeof *h->item);
    h->item[at] = a;
}

/* The fields that are given to this one text. */
static struct lint_mask given_to(const struct question *q, struct str text, struct lint_mask want,
                                 struct hits *h)
{
    struct lint_index *x = q->x;
    struct lint_mask given = {{0}};
    struct lint_cursor c;
    lint_cursor_init(&c, x, text, q->cell.name, true, &x->work);
    for (uint32_t p; (p = lint_cursor_next(&c)) != LINT_NONE;) {
        const struct lint_program *a = &x->l->program[p];
        struct lint_mask here = lint_mask_and(program_gives(q, a), want);
        lint_charge(&x->work, a->code, text);
        if (!lint_mask_any(here) || !may_cover(q, a) || !glob_run(a->code, text))
            continue;
        given = lint_mask_or(given, here);
        hits_put(h, x->l, a);
    }
    return given;
}

/* -- unions -------------------------------------------------------------------------------- */

static int by_head(const void *a, const void *b)
{
    const struct lint_program *const *x = a, *const *y = b;
    int c = str_cmp((*x)->head, (*y)->head);
    return c ? c : *x < *y ? -1 : *x > *y;
}

/* Sorts the programs of the whole set by their heads, once. */
static bool sort_programs(struct lint_index *x)
{
    struct lint *l = x->l;
    const struct lint_program **all = arena_array(&l->ar, l->n_programs, sizeof *all);
    x->sorted = arena_array(&l->ar, l->n_programs, sizeof *x->sorted);
    if (!all || !x->sorted) {
        x->sorted = NULL;
        return false;
    }
    for (size_t i = 0; i < l->n_programs; i++)
        all[i] = &l->program[i];
    if (l->n_programs)
        qsort(all, l->n_programs, sizeof *all, by_head);
    for (size_t i = 0; i < l->n_programs; i++)
        x->sorted[i] = (uint32_t)(all[i] - l->program);
    return true;
}

/* Where the heads that are not below `head` begin. */
static size_t sorted_from(const struct lint_index *x, struct str head)
{
    size_t low = 0, high = x->l->n_programs;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (str_cmp(x->l->program[x->sorted[mid]].head, head) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

struct band {
    const struct lint_program *item[LINT_UNION];
    size_t n;
};

static void band_put(const struct question *q, struct band *u, const struct lint_program *a,
                     struct lint_mask want)
{
    struct lint_index *x = q->x;
    if (!x->in[a->rule] || !lint_mask_any(lint_mask_and(program_gives(q, a), want)) ||
        !may_cover(q, a))
        return;
    lint_charge(&x->work, a->code, q->b->code);
    if (u->n < LINT_UNION && lint_overlap(x->l, a, q->b))
        u->item[u->n++] = a;
}

/* Those programs of the sorted list whose head begins with `head`, as far as
 * they are filed in the cell; without a head only those that have a gram. */
static void gather_sorted(const struct question *q, struct band *u, struct lint_mask want,
                          struct str head, bool grams)
{
    struct lint_index *x = q->x;
    const struct lint *l = x->l;
    for (size_t i = grams ? 0 : sorted_from(x, head);
         i < l->n_programs && x->work > 0 && u->n < LINT_UNION; i++) {
        const struct lint_program *a = &l->program[x->sorted[i]];
        if (grams ? a->head.n > 0 : !str_starts(a->head, head))
            break;
        x->work--;
        bool here = l->rule[a->rule].n_scopes == 0 || lint_rule_names(l, a->rule, q->cell.name);
        if (here && (grams ? a->gram.n > 0 : a->head.n > head.n))
            band_put(q, u, a, want);
    }
}

/* All that may cover a part of the program: what is filed under a beginning of
 * its head, what has a longer head that begins with it, and what has none. */
static void gather(const struct question *q, struct band *u, struct lint_mask want)
{
    struct lint_index *x = q->x;
    const struct lint *l = x->l;
    struct str head = q->b->head;
    struct lint_cursor c;
    lint_cursor_init(&c, x, head, q->cell.name, true, &x->work);
    c.heads_only = true;
    c.letters = UINT64_MAX;
    for (uint32_t p; u->n < LINT_UNION && (p = lint_cursor_next(&c)) != LINT_NONE;
         x->work -= x->work > 0)
        if (l->program[p].head.n <= head.n)
            band_put(q, u, &l->program[p], want);
    if (!x->sorted && !sort_programs(x))
        return;
    gather_sorted(q, u, want, head, false);
    gather_sorted(q, u, want, head, true);
}

static struct lint_mask covered_together(const struct question *q, struct lint_mask want)
{
    struct lint_mask covered = {{0}};
    struct band u = {.n = 0};
    gather(q, &u, want);
    for (unsigned f = 0; f < CANDO_MAX_FIELDS; f++) {
        struct str part[LINT_UNION];
        size_t n = 0;
        struct lint_mask one = {{0}};
        lint_mask_set(&one, f);
        if (!lint_mask_has(want, f))
            continue;
        for (size_t i = 0; i < u.n; i++)
            if (lint_mask_has(program_gives(q, u.item[i]), f))
                part[n++] = u.item[i]->code;
        if (!lint_union_covers(q->x->l, part, n, q->b))
            continue;
        covered = lint_mask_or(covered, one);
        for (size_t i = 0; i < u.n; i++)
            if (lint_mask_has(program_gives(q, u.item[i]), f))
                take(q, u.item[i], one);
    }
    return covered;
}

/* -- the answer ------------------------------------------------------------------------------ */

static struct lint_mask covered_in_cell(const struct question *q, struct lint_mask want)
{
    static const struct str runs[] = {STR("\x7f\x7f\x7f"), STR("")};
    struct hits h = {.n = 0};
    char room[LINT_WITNESS_BYTES];
    q->x->work -= q->x->work < CELL_WORK ? q->x->work : CELL_WORK;
    for (size_t i = 0; i < (q->b->whole ? 1 : 2) && lint_mask_any(want); i++) {
        struct hits other = {.n = 0};
        bool ok;
        struct str w = lint_witness(q->b, runs[i], room, &ok);
        if (ok)
            want = lint_mask_and(want, given_to(q, w, want, i == 0 ? &h : &other));
    }
    struct lint_mask covered = {{0}}, left = want;
    unsigned tries = 0;
    for (size_t i = 0; i < h.n && lint_mask_any(left) && tries < LINT_TRIES; i++) {
        struct lint_mask gives = lint_mask_and(program_gives(q, h.item[i]), left);
        if (!lint_mask_any(gives))
            continue;
        tries += !h.item[i]->open && !q->b->whole;
        if (!lint_one_covers(q->x->l, h.item[i], q->b))
            continue;
        take(q, h.item[i], gives);
        covered = lint_mask_or(covered, gives);
        left = lint_mask_less(left, gives);
    }
    if (lint_mask_any(left) && !q->b->whole)
        covered = lint_mask_or(covered, covered_together(q, left));
    return covered;
}

struct lint_mask lint_index_ask(struct lint_index *x, const struct lint_ask *ask, uint32_t program,
                                struct lint_mask want, struct lint_takers *t)
{
    const struct lint *l = x->l;
    const struct lint_rule *r = &l->rule[ask->rule];
    size_t scopes = r->n_scopes ? r->n_scopes : 1;
    struct question q = {.x = x, .ask = ask, .b = &l->program[program], .takers = t};
    for (size_t s = 0; s < scopes && lint_mask_any(want); s++) {
        q.cell.name = r->n_scopes ? l->scope[r->scope + s] : lint_everybody(l);
        const struct lint_name *name = &l->name[q.cell.name];
        q.cell.api = name->children ? LINT_NO_API : name->api;
        if (!r->apis)
            want = covered_in_cell(&q, want);
        for (unsigned d = 0; d < LINT_NO_API && lint_mask_any(want); d++)
            if (r->apis >> d & 1) {
                q.cell.api = d;
                want = covered_in_cell(&q, want);
            }
    }
    return want;
}
