/*
 * select.c - select: which offerings fit, in which order, and why the first one.
 */
#include "query.h"

#include "base/instant.h"
#include "catalog/engine.h"
#include "rules/view.h"

/* -- lines of text, made of pieces --------------------------------------------------------- */

struct teller {
    struct reading *r;
    const struct query *q;
    const char *(*levels)[CANDO_NATIVE + 1]; /* "tool_calling native", by test; made once */
    const char **line;
    size_t n;
    cando_view view; /* in whose words matches are described */
};

static const char *join(struct teller *t, const struct str *piece, size_t n)
{
    size_t size = 1, at = 0;
    for (size_t i = 0; i < n; i++)
        size += piece[i].n;
    char *text = arena_alloc(t->r->ar, size);
    if (!text) {
        reading_memory(t->r);
        return "";
    }
    for (size_t i = 0; i < n; at += piece[i++].n)
        if (piece[i].n)
            memcpy(text + at, piece[i].p, piece[i].n);
    return text;
}
#define JOIN(t, ...)                                                                               \
    join(t, (const struct str[]){__VA_ARGS__},                                                     \
         sizeof((const struct str[]){__VA_ARGS__}) / sizeof(struct str))

static void say(struct teller *t, const char *line)
{
    t->line[t->n++] = line;
}

static struct str number_text(uint64_t v, char text[40])
{
    size_t at = 39;
    text[at] = '\0';
    do
        text[--at] = (char)('0' + v % 10);
    while (v /= 10);
    return str_make(text + at, 39 - at);
}

static const char *target(struct teller *t, uint32_t index)
{
    return JOIN(t, candidate_provider(&t->q->from, index), STR("/"),
                candidate_id(&t->q->from, index));
}

/* In the words of a view. What was given inline is described already. */
static bool describe(struct teller *t, uint32_t index, cando_choice *out)
{
    const struct offers *o = &t->q->from.offers;
    cando_profile p;
    if (t->view == CANDO_VIEW_CANDO || !o->cat)
        return true;
    struct view *v = arena_alloc(t->r->ar, sizeof *v);
    if (!v)
        return reading_memory(t->r);
    offer_profile(o, &o->row[index], &p);
    if (!view_make(v, t->r->ar, &p, t->view, offer_provider(o, &o->row[index]),
                   offer_id(o, &o->row[index])))
        return reading_memory(t->r);
    out->fields = v->field;
    out->n_fields = v->n;
    return true;
}

/* -- why ----------------------------------------------------------------------------------- */

static const char *test_field(const struct query_test *t)
{
    return need_capability(&(struct need){.kind = t->kind, .slot = t->slot});
}

/* "tool_calling native" */
static const char *required_words(struct teller *t, size_t i, uint32_t index)
{
    const struct query_test *x = &t->q->test[i];
    uint32_t words;
    bool listed = x->kind == TEST_SET && candidate_set(&t->q->from, index, x->slot, &words);
    cando_support level = listed                ? CANDO_NATIVE
                          : x->kind == TEST_SET ? CANDO_UNKNOWN
                                                : candidate_level(&t->q->from, index, x->slot);
    const char **made = &t->levels[i][level];
    if (!*made)
        *made = JOIN(t, str_of(test_field(x)), listed ? STR(" has what is asked for") : STR(" "),
                     listed ? STR("") : str_of(support_name(level)));
    return *made;
}

static uint64_t row_sort_number(const struct snap_row *row, cando_sort sort)
{
    return row_u64(sort == CANDO_SORT_OUTPUT ? row->max_output : row->context_window);
}

/* What a candidate has of the thing that the order is by. */
static const char *sort_words(struct teller *t, uint32_t index)
{
    const struct snap_row *row = &t->q->from.offers.row[index];
    cando_sort sort = t->q->sort;
    char in[40], out[40];
    bool limit = sort == CANDO_SORT_CONTEXT || sort == CANDO_SORT_OUTPUT;
    if (t->q->like.n || sort == CANDO_SORT_NAME || sort == CANDO_SORT_PROVIDER)
        return JOIN(t, STR("name "), str_of(target(t, index)));
    if (limit && !row_sort_number(row, sort))
        return sort == CANDO_SORT_OUTPUT ? "its output limit is unknown"
                                         : "its context window is unknown";
    if (limit)
        return JOIN(t, sort == CANDO_SORT_OUTPUT ? STR("max_output ") : STR("context_window "),
                    number_text(row_sort_number(row, sort), in));
    if (sort == CANDO_SORT_RELEASE) {
        /* a day, or a month, or a year */
        size_t known = row->release % 100 ? 10 : row->release % 10000 ? 7 : 4;
        struct str day = str_head(str_of(day_dashed(row->release, in)), known);
        return row->release ? JOIN(t, STR("released "), day) : "its release is unknown";
    }
    struct offer_price price = offer_price(&t->q->from.offers, index);
    bool both = sort == CANDO_SORT_PRICE;
    unsigned side = sort == CANDO_SORT_OUTPUT_PRICE;
    if (price.side[side] == CANDO_NO_PRICE || (both && price.side[1] == CANDO_NO_PRICE))
        return "its price is unknown";
    if (both)
        return JOIN(t, STR("price "), price_text(price.side[0], in), STR(" in, "),
                    price_text(price.side[1], out), STR(" out (USD per million tokens)"));
    return JOIN(t, STR("price "), price_text(price.side[side], in), side ? STR(" out") : STR(" in"),
                STR(" (USD per million tokens)"));
}

/* "context_window 128000, at least 64000" */
static void say_bound(struct teller *t, const struct query_test *x, uint32_t index)
{
    const struct snap_row *row = &t->q->from.offers.row[index];
    uint64_t v, bound = x->word == TEST_MAXIMUM ? x->most : x->least;
    char have[40], want[40];
    bool price = x->kind == TEST_PRICE, known;
    if (price) {
        v = offer_price(&t->q->from.offers, index).side[x->slot];
        known = v != CANDO_NO_PRICE;
    } else if (x->slot == NUM_context_window || x->slot == NUM_max_output) {
        v = row_u64(x->slot == NUM_max_output ? row->max_output : row->context_window);
        known = v != 0;
    } else {
        known = candidate_number(&t->q->from, index, x->slot, &v);
    }
    if (known)
        say(t, JOIN(t, x->name, STR(" "), price ? price_text(v, have) : number_text(v, have),
                    x->word == TEST_MAXIMUM ? STR(", at most ") : STR(", at least "),
                    price ? price_text(bound, want) : number_text(bound, want)));
}

static bool begin_lines(struct teller *t, size_t most)
{
    t->n = 0;
    t->line = arena_array(t->r->ar, most, sizeof *t->line);
    return t->line || reading_memory(t->r);
}

static bool tell_choice(struct teller *t, const struct query_hit *h, cando_choice *out)
{
    const struct query *q = t->q;
    if (!begin_lines(t, q->n_tests + q->n_prefer + 2))
        return false;
    if (hit_favourite(h) < q->n_favourites)
        say(t, JOIN(t, STR("preferred provider "), q->favourite[hit_favourite(h)]));
    for (size_t i = 0; i < q->n_tests; i++)
        if (q->test[i].word == TEST_REQUIRE)
            say(t, required_words(t, i, h->index));
    for (size_t i = 0; i < q->n_prefer; i++)
        if (query_prefers(q, &q->prefer[i], h->index))
            say(t, JOIN(t, STR("preferred "), str_of(test_field(&q->prefer[i]))));
    for (size_t i = 0; i < q->n_tests; i++)
        if (q->test[i].word == TEST_MINIMUM || q->test[i].word == TEST_MAXIMUM)
            say_bound(t, &q->test[i], h->index);
    if (q->sort != CANDO_SORT_NAME)
        say(t, sort_words(t, h->index));
    *out = (cando_choice){.target = target(t, h->index), .why = t->line, .n_why = t->n};
    return describe(t, h->index, out) && !reading_no_memory(t->r);
}

/* -- the second ---------------------------------------------------------------------------- */

/* What put the first before the second: the first key of the order that differs. */
static const cando_runner_up *tell_second(struct teller *t, const struct query_hit *a,
                                          const struct query_hit *b)
{
    static const char *const sorts[] = {"name",  "provider",    "context",      "output",
                                        "price", "input_price", "output_price", "release"};
    const struct query *q = t->q;
    bool provider = hit_favourite(a) != hit_favourite(b), unknown = (a->rank ^ b->rank) & 1;
    bool key = unknown || a->value != b->value;
    cando_runner_up *out = arena_alloc(t->r->ar, sizeof *out);
    if (!out || !begin_lines(t, q->n_prefer + 2))
        return reading_memory(t->r);
    out->target = target(t, b->index);
    out->decided_by = provider                             ? "provider"
                      : (a->rank ^ b->rank) & ~UINT64_C(1) ? "preferred capabilities"
                      : !key                               ? "name"
                      : q->like.n                          ? "like"
                                                           : sorts[q->sort];
    if (provider)
        say(t,
            JOIN(t, STR("its provider is preferred less than "), q->favourite[hit_favourite(a)]));
    for (size_t i = 0; i < q->n_prefer; i++) {
        const struct query_test *x = &q->prefer[i];
        if (!query_prefers(q, x, a->index) || query_prefers(q, x, b->index))
            continue;
        const char *level = x->kind == TEST_SLOT
                                ? support_name(candidate_level(&q->from, b->index, x->slot))
                                : "less";
        say(t, JOIN(t, str_of(test_field(x)), STR(" is "), str_of(level)));
    }
    if (key)
        say(t, JOIN(t, str_of(sort_words(t, b->index)), STR(" against "),
                    str_of(sort_words(t, a->index))));
    out->lacks = t->line;
    out->n_lacks = t->n;
    return out;
}

/* -- all of it ----------------------------------------------------------------------------- */

/* "require tools" */
static const char *reason_words(struct teller *t, size_t reason)
{
    static const char *const fixed[OUT_TESTS] = {
        "",         "providers",  "kinds",  "allow", "deny",  "policy", "retired",
        "unlisted", "deprecated", "status", "model", "match", "like",   "for",
        "request"};
    static const char *const words[] = {"require ", "forbid ",  "cannot ",
                                        "minimum ", "maximum ", "released"};
    if (reason < OUT_TESTS)
        return fixed[reason];
    const struct query_test *x = &t->q->test[reason - OUT_TESTS];
    return JOIN(t, str_of(words[x->word]), x->name);
}

/* What preflight says: "request parameter-unsupported". */
static void tell_codes(struct teller *t, const struct query_result *found, cando_excluded *list,
                       cando_select_answer *out)
{
    for (unsigned code = 0; found->codes && code <= CODE_COUNT; code++)
        if (found->codes[code])
            list[out->n_excluded++] = (cando_excluded){
                code < CODE_COUNT ? JOIN(t, STR("request "), str_of(code_name((enum code)code)))
                                  : "request",
                found->codes[code]};
}

/* The same criterion twice is one reason. */
static bool tell_excluded(struct teller *t, const struct query_result *found,
                          cando_select_answer *out)
{
    size_t most = OUT_TESTS + t->q->n_tests;
    cando_excluded *list = arena_array(t->r->ar, most + CODE_COUNT + 1, sizeof *list);
    if (!list)
        return reading_memory(t->r);
    for (size_t i = FITS + 1; i < most; i++) {
        size_t same = 0;
        if (!found->count[i] || i == OUT_REQUEST)
            continue;
        const char *reason = reason_words(t, i);
        while (same < out->n_excluded && strcmp(list[same].reason, reason) != 0)
            same++;
        list[same].reason = reason;
        list[same].count += found->count[i];
        out->n_excluded += same == out->n_excluded;
    }
    tell_codes(t, found, list, out);
    out->excluded = list;
    return true;
}

static bool tell_refused(struct teller *t, const struct query_result *found,
                         cando_select_answer *out)
{
    cando_refused *list = arena_array(t->r->ar, found->n_refused, sizeof *list);
    if (!list)
        return reading_memory(t->r);
    for (size_t i = 0; i < found->n_refused; i++) {
        const struct verdict *v = found->refused[i].verdict;
        list[i] =
            (cando_refused){target(t, found->refused[i].index),
                            v->code < CODE_COUNT ? code_name(v->code) : "", v->path, v->message};
    }
    out->refused = list;
    out->n_refused = found->n_refused;
    return true;
}

static bool tell(struct teller *t, const struct query_result *found, cando_select_answer *out)
{
    struct arena *ar = t->r->ar;
    cando_choice *choice = arena_array(ar, found->n, sizeof *choice);
    t->levels = arena_array(ar, t->q->n_tests, sizeof *t->levels);
    if (!choice || !t->levels)
        return reading_memory(t->r);
    for (size_t i = 0; i < found->n; i++)
        if (!tell_choice(t, &found->hit[i], &choice[i]))
            return false;
    out->matches = choice;
    out->n_matches = found->n;
    out->considered = found->considered;
    out->matched = found->count[FITS];
    if (found->n >= 2)
        out->runner_up = tell_second(t, &found->hit[0], &found->hit[1]);
    return tell_excluded(t, found, out) && tell_refused(t, found, out) && !reading_no_memory(t->r);
}

/* Nothing to choose from is no answer of a catalog. */
static bool there_are_any(struct reading *r, const struct query *q)
{
    if (!q->from.offers.cat || q->from.offers.n)
        return true;
    reading_fail(r, CODE_catalog_not_loaded, STR(""),
                 "there is no catalog of models to select from");
    return reading_hint(r, "leave out 'rules' (--rules, --no-builtin), or give 'models'");
}

const cando_select_answer *cando_ask_select(const cando *c, const cando_select_question *q,
                                            cando_room *room, cando_error *err)
{
    struct reading r = {.ar = &room->ar};
    struct query x;
    struct query_result found;
    struct teller t = {.r = &r, .q = &x, .view = q->view};
    const cando_catalog *cat = room_catalog(room, c);
    cando_select_answer *out = arena_alloc(&room->ar, sizeof *out);
    if (!cat || !out)
        reading_memory(&r);
    else if (query_read(&r, cat, q, false, &x) && there_are_any(&r, &x) &&
             query_run(&r, &x, &found) && tell(&t, &found, out))
        return out;
    reading_end(&r, err);
    return NULL;
}
