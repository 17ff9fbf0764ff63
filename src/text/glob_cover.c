/*
 * glob_cover.c - what can be proven about compiled globs.
 *
 * Does a set of programs match everything that another one matches? The answer
 * is a search for a text that b matches and no a does. A node of the search is
 * a place in b and the set of places where the a's may be after the same text:
 *
 *     b:   c l a u d e - * |              place 7
 *     a0:  c l a * - * |                  places 3 4 (star, and what follows)
 *     a1:  c l a u d e - ? |              place 7
 *
 * Three things keep it small. Characters that all programs treat alike are one
 * symbol, so the alphabet is a handful. Inside of one a, a star that has been
 * reached makes all places before it pointless: whatever those could still
 * match, the star can too. And an a that stands at a final star matches every
 * continuation, so the search need not go on from there.
 *
 * Texts are folded before they are matched: the alphabet has no A to Z.
 *
 * The number of nodes and the work at them are bounded. A search that hits the
 * bound, or has no memory, has proven nothing and says so.
 */
#include "glob.h"

#include "base/map.h"
#include "glob_token.h"

#include <stdlib.h>

#define COVER_WORK (GLOB_COVER_STATES * 128u) /* places looked at, over all nodes */
#define NOTHING UINT32_MAX                    /* a symbol that no text has */

struct atom {
    uint8_t kind;    /* enum glob_kind */
    uint32_t first;  /* the first atom of its program */
    uint32_t symbol; /* CHAR: the character packed into four bytes, then its symbol */
    const char *set; /* CLASS */
};

struct atoms {
    struct atom *list;
    size_t n, cap;
};

struct alphabet {
    uint32_t of_ascii[128];
    uint32_t *beyond; /* packed characters beyond ASCII that programs name, sorted */
    size_t n_beyond;
    uint32_t first_beyond;       /* the symbol of the first of them */
    unsigned char byte[128 + 1]; /* a member of each ASCII symbol, and of "other beyond ASCII" */
    uint32_t n;
    uint32_t n_ascii;
};

/* -- atoms ------------------------------------------------------------------------- */

static uint32_t pack(const char *p, unsigned n)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < n; i++)
        v = v << 8 | (unsigned char)p[i];
    return v;
}

static bool is_upper(uint32_t c)
{
    return c >= 'A' && c <= 'Z';
}

/* Appends the steps of a program and an END; runs of stars become one. */
static bool add_program(struct arena *ar, struct atoms *as, struct str program)
{
    uint32_t first = (uint32_t)as->n;
    struct glob_token t;
    size_t at = 0;
    do {
        t = glob_token_at(program, at);
        at += t.size;
        if (t.kind == GLOB_T_RUN && as->n > first && as->list[as->n - 1].kind == GLOB_T_RUN)
            continue;
        if (as->n >= UINT32_MAX - 1 || !ARENA_GROW(ar, as->list, as->n, as->cap))
            return false;
        as->list[as->n++] = (struct atom){.kind = (uint8_t)t.kind,
                                          .first = first,
                                          .symbol = t.kind == GLOB_T_CHAR ? pack(t.p, t.n) : 0,
                                          .set = t.p};
    } while (t.kind != GLOB_T_END);
    return true;
}

/* -- the alphabet -------------------------------------------------------------------- */

/* Splits every group of ASCII characters that a class cuts through. */
static void split_by_class(uint32_t group[128], uint32_t *n, const char *set)
{
    uint32_t inside[128];
    bool has_out[128] = {false}, has_in[128] = {false};
    for (unsigned c = 0; c < 128; c++)
        if (group[c] != NOTHING)
            *(glob_class_has(set, (unsigned char)c) ? &has_in[group[c]] : &has_out[group[c]]) =
                true;
    uint32_t groups = *n;
    for (uint32_t g = 0; g < groups; g++)
        inside[g] = has_in[g] && has_out[g] ? (*n)++ : g;
    for (unsigned c = 0; c < 128; c++)
        if (group[c] != NOTHING && glob_class_has(set, (unsigned char)c))
            group[c] = inside[group[c]];
}

static void split_by_atoms(uint32_t group[128], uint32_t *n, const struct atoms *as)
{
    bool named[128] = {false};
    unsigned members[128] = {0};
    for (unsigned c = 0; c < 128; c++)
        if (group[c] != NOTHING)
            members[group[c]]++;
    for (size_t i = 0; i < as->n; i++)
        if (as->list[i].kind == GLOB_T_CHAR && as->list[i].symbol < 128)
            named[as->list[i].symbol] = true;
    for (unsigned c = 0; c < 128; c++) {
        if (!named[c] || group[c] == NOTHING || members[group[c]] == 1)
            continue;
        members[group[c]]--;
        members[*n] = 1;
        group[c] = (*n)++;
    }
    for (size_t i = 0; i < as->n; i++)
        if (as->list[i].kind == GLOB_T_CLASS)
            split_by_class(group, n, as->list[i].set);
}

static bool collect_beyond(struct arena *ar, struct alphabet *al, const struct atoms *a,
                           const struct atoms *b)
{
    al->beyond = arena_array(ar, a->n + b->n, sizeof *al->beyond);
    if (!al->beyond)
        return false;
    size_t n = 0;
    const struct atoms *both[2] = {a, b};
    for (unsigned k = 0; k < 2; k++)
        for (size_t i = 0; i < both[k]->n; i++)
            if (both[k]->list[i].kind == GLOB_T_CHAR && both[k]->list[i].symbol >= 128)
                al->beyond[n++] = both[k]->list[i].symbol;
    if (n)
        qsort(al->beyond, n, sizeof *al->beyond, u32_order);
    for (size_t i = 0; i < n; i++)
        if (al->n_beyond == 0 || al->beyond[al->n_beyond - 1] != al->beyond[i])
            al->beyond[al->n_beyond++] = al->beyond[i];
    return true;
}

static void number_atoms(const struct alphabet *al, struct atoms *as)
{
    for (size_t i = 0; i < as->n; i++) {
        struct atom *at = &as->list[i];
        if (at->kind != GLOB_T_CHAR)
            continue;
        if (at->symbol < 128) {
            at->symbol = al->of_ascii[at->symbol];
            continue;
        }
        const uint32_t *q =
            bsearch(&at->symbol, al->beyond, al->n_beyond, sizeof *al->beyond, u32_order);
        at->symbol = q ? al->first_beyond + (uint32_t)(q - al->beyond) : NOTHING;
    }
}

/* Makes the alphabet of these programs and puts its symbols into their atoms.
 * Symbols: the groups of ASCII, then "any other character beyond ASCII", then
 * those that are named. */
static bool make_alphabet(struct arena *ar, struct alphabet *al, struct atoms *a, struct atoms *b)
{
    uint32_t n = 1;
    for (unsigned c = 0; c < 128; c++)
        al->of_ascii[c] = is_upper(c) ? NOTHING : 0;
    split_by_atoms(al->of_ascii, &n, b);
    split_by_atoms(al->of_ascii, &n, a);
    for (unsigned c = 0; c < 128; c++)
        if (al->of_ascii[c] != NOTHING)
            al->byte[al->of_ascii[c]] = (unsigned char)c;
    al->n_ascii = n;
    al->byte[n] = 0x80;
    al->first_beyond = n + 1;
    if (!collect_beyond(ar, al, a, b))
        return false;
    al->n = al->first_beyond + (uint32_t)al->n_beyond;
    number_atoms(al, a);
    number_atoms(al, b);
    return true;
}

static bool atom_takes(const struct alphabet *al, const struct atom *at, uint32_t symbol)
{
    switch (at->kind) {
    case GLOB_T_CHAR:
        return at->symbol == symbol;
    case GLOB_T_ONE:
    case GLOB_T_RUN:
        return true;
    case GLOB_T_CLASS:
        return glob_class_has(at->set, symbol < al->n_ascii ? al->byte[symbol] : 0x80);
    default:
        return false;
    }
}

/* -- is b covered? ---------------------------------------------------------------------- */

struct search {
    struct arena *ar;
    struct atoms a, b;
    struct alphabet al;
    struct map seen;
    struct str *todo; /* nodes: the place in b, then the places in a, ascending */
    size_t n_todo, cap_todo;
    uint32_t *next; /* room for one node */
    size_t n_next;
    size_t nodes, work;
    bool all; /* `next` matches every continuation */
};

/* Puts the place into `next`; a star lets go of the places before it and
 * brings the place behind it. `from` is where the program's places begin. */
static void put_place(struct search *s, uint32_t place, size_t from)
{
    const struct atom *at = &s->a.list[place];
    if (at->kind != GLOB_T_RUN) {
        s->next[s->n_next++] = place;
        return;
    }
    s->n_next = from;
    s->next[s->n_next++] = place;
    s->next[s->n_next++] = place + 1;
    if (s->a.list[place + 1].kind == GLOB_T_END)
        s->all = true;
}

/* The places after one symbol. Those of one program are together, its last
 * star first, so the result is sorted and without repeats as well. */
static void advance(struct search *s, const uint32_t *place, size_t n, uint32_t symbol)
{
    uint32_t program = NOTHING;
    size_t from = 1;
    s->n_next = 1;
    s->all = false;
    s->work += n + 1;
    for (size_t i = 0; i < n && !s->all; i++) {
        const struct atom *at = &s->a.list[place[i]];
        if (at->first != program) {
            program = at->first;
            from = s->n_next;
        }
        if (!atom_takes(&s->al, at, symbol))
            continue;
        put_place(s, at->kind == GLOB_T_RUN ? place[i] : place[i] + 1, from);
    }
}

static bool accepts(const struct search *s)
{
    for (size_t i = 1; i < s->n_next; i++)
        if (s->a.list[s->next[i]].kind == GLOB_T_END)
            return true;
    return false;
}

/* Takes the node (b_place, places in `next`) and those that a star of b adds.
 * False ends the search: a counter-example, or the bound. */
static bool enter(struct search *s, uint32_t b_place)
{
    if (s->all)
        return true;
    for (;; b_place++) {
        uint8_t kind = s->b.list[b_place].kind;
        if (kind == GLOB_T_END)
            return accepts(s);
        s->next[0] = b_place;
        struct str node = str_make((const char *)s->next, s->n_next * sizeof *s->next);
        if (!map_get(&s->seen, node)) {
            if (++s->nodes > GLOB_COVER_STATES)
                return false;
            node.p = arena_copy(s->ar, node.p, node.n);
            if (!node.p || !map_put(&s->seen, node, 0) ||
                !ARENA_GROW(s->ar, s->todo, s->n_todo, s->cap_todo))
                return false;
            s->todo[s->n_todo++] = node;
        }
        if (kind != GLOB_T_RUN)
            return true;
    }
}

static bool expand(struct search *s, struct str node)
{
    const uint32_t *place = (const uint32_t *)(const void *)node.p;
    size_t n = node.n / sizeof *place - 1;
    const struct atom *b = &s->b.list[place[0]];
    uint32_t to = b->kind == GLOB_T_RUN ? place[0] : place[0] + 1;
    uint32_t first = 0, behind = s->al.n;
    if (b->kind == GLOB_T_CHAR) {
        if (b->symbol == NOTHING)
            return true;
        first = b->symbol;
        behind = first + 1;
    }
    /* Downwards: what was entered last is looked at first, and the characters
     * that no program names are the likeliest to lead out of the a's. */
    for (uint32_t symbol = behind; symbol-- > first;) {
        if (!atom_takes(&s->al, b, symbol))
            continue;
        advance(s, place + 1, n, symbol);
        if (s->work > COVER_WORK || !enter(s, to))
            return false;
    }
    return true;
}

static bool start(struct search *s)
{
    s->next = arena_array(s->ar, s->a.n + 2, sizeof *s->next);
    if (!s->next)
        return false;
    s->n_next = 1;
    for (size_t i = 0; i < s->a.n && !s->all; i++)
        if (s->a.list[i].first == i)
            put_place(s, (uint32_t)i, s->n_next);
    return enter(s, 0);
}

/* Could any text begin with both? Cheap, and leaves few programs to search. */
static bool heads_agree(struct str head, struct str a)
{
    char own[64];
    size_t n = glob_literal_prefix(a, own, sizeof own, NULL);
    if (n > head.n)
        n = head.n;
    return n == 0 || memcmp(own, head.p, n) == 0;
}

bool glob_covered(struct arena *scratch, struct str b, const struct str *a, size_t n)
{
    bool whole;
    for (size_t i = 0; i < n; i++)
        if (str_eq(a[i], b))
            return true;
    char *head = arena_alloc(scratch, b.n + 1);
    if (!head)
        return false;
    struct str text = str_make(head, glob_literal_prefix(b, head, b.n, &whole));
    if (whole) {
        for (size_t i = 0; i < n; i++)
            if (glob_run(a[i], text))
                return true;
        return false;
    }
    struct search *s = arena_alloc(scratch, sizeof *s);
    if (!s)
        return false;
    s->ar = scratch;
    map_init(&s->seen, scratch, false);
    if (!add_program(scratch, &s->b, b))
        return false;
    for (size_t i = 0; i < n; i++)
        if (heads_agree(text, a[i]) && !add_program(scratch, &s->a, a[i]))
            return false;
    if (!make_alphabet(scratch, &s->al, &s->a, &s->b) || !start(s))
        return false;
    while (s->n_todo)
        if (!expand(s, s->todo[--s->n_todo]))
            return false;
    return true;
}

/* -- do two overlap? ------------------------------------------------------------------------ */

#define OVERLAP_PAIRS ((size_t)1 << 24) /* of a bitmap: 2 MiB */

/* Is there a character that both steps take? */
static bool atoms_meet(const struct atom *x, const struct atom *y)
{
    if (x->kind == GLOB_T_END || y->kind == GLOB_T_END || x->kind == GLOB_T_BROKEN ||
        y->kind == GLOB_T_BROKEN)
        return false;
    if (y->kind == GLOB_T_CHAR) {
        const struct atom *t = x;
        x = y;
        y = t;
    }
    if (x->kind == GLOB_T_CHAR) { /* packed: a first byte beyond ASCII makes the number large */
        if (is_upper(x->symbol))
            return false;
        if (y->kind == GLOB_T_CHAR)
            return x->symbol == y->symbol;
        return y->kind != GLOB_T_CLASS ||
               glob_class_has(y->set, x->symbol < 128 ? (unsigned char)x->symbol : 0x80);
    }
    for (unsigned c = 0; c <= 0x80; c++)
        if (!is_upper(c) && (x->kind != GLOB_T_CLASS || glob_class_has(x->set, (unsigned char)c)) &&
            (y->kind != GLOB_T_CLASS || glob_class_has(y->set, (unsigned char)c)))
            return true;
    return false;
}

struct pairs {
    struct arena *ar;
    const struct atoms *a, *b;
    unsigned char *seen;
    struct pair {
        uint32_t a, b;
    } * todo;
    size_t n, cap, count;
    bool found;  /* both at their ends */
    bool failed; /* bound or memory */
};

static void reach(struct pairs *ps, uint32_t a, uint32_t b)
{
    size_t bit = (size_t)a * ps->b->n + b;
    if (ps->seen[bit >> 3] >> (bit & 7) & 1)
        return;
    ps->seen[bit >> 3] = (unsigned char)(ps->seen[bit >> 3] | 1u << (bit & 7));
    if (ps->a->list[a].kind == GLOB_T_END && ps->b->list[b].kind == GLOB_T_END)
        ps->found = true;
    else if (++ps->count > GLOB_COVER_STATES || !ARENA_GROW(ps->ar, ps->todo, ps->n, ps->cap))
        ps->failed = true;
    else
        ps->todo[ps->n++] = (struct pair){a, b};
}

static void follow(struct pairs *ps, struct pair at)
{
    const struct atom *x = &ps->a->list[at.a], *y = &ps->b->list[at.b];
    bool run_x = x->kind == GLOB_T_RUN, run_y = y->kind == GLOB_T_RUN;
    if (atoms_meet(x, y) && !(run_x && run_y))
        reach(ps, run_x ? at.a : at.a + 1, run_y ? at.b : at.b + 1);
    if (run_x)
        reach(ps, at.a + 1, at.b);
    if (run_y)
        reach(ps, at.a, at.b + 1);
}

bool glob_overlap(struct arena *scratch, struct str a, struct str b)
{
    struct atoms x = {0}, y = {0};
    if (!add_program(scratch, &x, a) || !add_program(scratch, &y, b))
        return true;
    size_t bits = mem_size(x.n, y.n, 0);
    if (bits == 0 || bits > OVERLAP_PAIRS)
        return true;
    struct pairs ps = {.ar = scratch, .a = &x, .b = &y, .seen = arena_alloc(scratch, bits / 8 + 1)};
    if (!ps.seen)
        return true;
    reach(&ps, 0, 0);
    while (ps.n && !ps.found && !ps.failed)
        follow(&ps, ps.todo[--ps.n]);
    return ps.found || ps.failed;
}
