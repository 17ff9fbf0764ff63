/*
 * merge.c - one row an offering, by the policy of merge.h.
 *
 * Claims are put into the order of offering, field and key once; after that
 * every step looks at a short run of neighbours.
 */
#include "merge.h"

#include "base/invariant.h"
#include "catalog/evidence.h"

#include <stdlib.h>

struct merger {
    struct import *im;
    struct merged *out;
    double median[UNIT_COUNT]; /* 0: too few rates */
    uint32_t *order;           /* claims, sorted */
};

static struct claim *claim_at(const struct merger *m, size_t i)
{
    invariant(i < m->im->n_claims && m->order[i] < m->im->n_claims);
    return &m->im->claim[m->order[i]];
}

/* -- values ---------------------------------------------------------------------------- */

double rate_about(struct str text)
{
    double v = 0, unit = 1;
    bool point = false;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '.')
            point = true;
        else if (char_is_digit(text.p[i])) {
            v = v * 10 + (text.p[i] - '0');
            unit *= point ? 10 : 1;
        }
    }
    return v / unit;
}

struct str value_text(struct arena *ar, cando_type type, const struct rule_value *v)
{
    struct str s = STR("");
    switch (type) {
    case CANDO_SUPPORT:
        return str_of(support_name(v->support));
    case CANDO_FLAG:
        return v->flag ? STR("true") : STR("false");
    case CANDO_NUMBER:
        return str_printf(ar, "%llu", (unsigned long long)v->number);
    case CANDO_LIST:
        for (size_t i = 0; i < v->n && s.p; i++)
            s = str_printf(ar, "%.*s%s%.*s", STR_ARG(s), i ? " " : "", STR_ARG(v->item[i]));
        return s;
    default:
        return v->text;
    }
}

struct str claim_text(struct arena *ar, const struct claim *c)
{
    return value_text(ar, vocab_row(c->field)->type, &c->value);
}

static bool same_value(const struct claim *a, const struct claim *b)
{
    const struct rule_value *x = &a->value, *y = &b->value;
    switch (vocab_row(a->field)->type) {
    case CANDO_SUPPORT:
        return x->support == y->support;
    case CANDO_FLAG:
        return x->flag == y->flag;
    case CANDO_NUMBER:
        return x->number == y->number;
    case CANDO_LIST:
        for (size_t i = 0; i < x->n && x->n == y->n; i++)
            if (!str_eq(x->item[i], y->item[i]))
                return false;
        return x->n == y->n;
    default:
        return str_eq(x->text, y->text);
    }
}

/* Fields that only describe: any source will do, and nobody disputes them. */
static bool descriptive(unsigned field)
{
    return field == F_display_name || field == F_model_family || field == F_release_date ||
           field == F_knowledge_cutoff || field == F_status || field == F_deprecated_on ||
           field == F_retires_on || field == F_replaced_by;
}

/* -- who is right --------------------------------------------------------------------------- */

static int32_t days_since_1970(uint32_t yyyymmdd)
{
    char text[16];
    int32_t day = 0;
    return day_parse(str_of(day_dashed(yyyymmdd, text)), &day) ? day : 0;
}

/* Does `a` come before `b`, given how many voices agree with each? */
static bool better(const struct claim *a, unsigned votes_a, const struct claim *b, unsigned votes_b)
{
    int32_t newer = days_since_1970(a->day) - days_since_1970(b->day);
    if (a->evidence != b->evidence)
        return a->evidence > b->evidence;
    if (votes_a != votes_b)
        return votes_a > votes_b;
    if (newer >= MERGE_NEWER_DAYS || newer <= -MERGE_NEWER_DAYS)
        return newer > 0;
    return a->voice != b->voice ? a->voice < b->voice : a->source < b->source;
}

/* Is `b` what the voice of `a` said last? */
static bool later_word(const struct claim *a, const struct claim *b)
{
    return a->voice == b->voice &&
           (b->evidence != a->evidence ? b->evidence > a->evidence : b->day > a->day);
}

static bool counts(const struct claim *c)
{
    return !(c->flags & (CLAIM_PLACEHOLDER | CLAIM_ABSURD | CLAIM_OLD)) &&
           c->evidence > EVIDENCE_INFERRED;
}

/* Claims of one field of one offering, next to each other, and who wins of them. */
struct run {
    size_t from, to;
    uint32_t winner;
};

static const struct run no_run = {0, 0, NO_CLAIM};

static unsigned bits(uint32_t set)
{
    return (unsigned)__builtin_popcount(set);
}

/* How many voices say the same, itself included. */
static unsigned votes(const struct merger *m, struct run r, const struct claim *c)
{
    uint32_t voices = 0;
    for (size_t i = r.from; i < r.to; i++) {
        const struct claim *other = claim_at(m, i);
        if (counts(other) && same_value(c, other))
            voices |= 1u << other->voice;
    }
    return bits(voices);
}

static void mark_old(const struct merger *m, struct run r)
{
    for (size_t i = r.from; i < r.to; i++)
        for (size_t k = r.from; k < r.to; k++)
            if (later_word(claim_at(m, i), claim_at(m, k)))
                claim_at(m, i)->flags |= CLAIM_OLD;
}

/* The winner of a run, or NO_CLAIM; no number above `most`, if that is not 0. */
static uint32_t winner_of(const struct merger *m, struct run r, uint64_t most)
{
    uint32_t best = NO_CLAIM;
    unsigned best_votes = 0;
    for (size_t i = r.from; i < r.to; i++) {
        const struct claim *c = claim_at(m, i);
        if (!counts(c) || (most && c->value.number > most))
            continue;
        unsigned v = votes(m, r, c);
        if (best == NO_CLAIM || better(c, v, &m->im->claim[best], best_votes)) {
            best = m->order[i];
            best_votes = v;
        }
    }
    for (size_t i = r.from; i < r.to && best == NO_CLAIM; i++) /* a name is better than none */
        if (descriptive(claim_at(m, i)->field) && claim_at(m, i)->field != F_status)
            best = m->order[i];
    return best;
}

static const struct claim *claim_of(const struct merger *m, uint32_t winner)
{
    return winner == NO_CLAIM ? NULL : &m->im->claim[winner];
}

/* -- disputes -------------------------------------------------------------------------- */

static struct dispute *dispute_open(struct merger *m, unsigned field, const struct claim *like,
                                    uint32_t winner, size_t room)
{
    struct merged *out = m->out;
    if (!ARENA_GROW(m->im->ar, out->dispute, out->n_disputes, out->cap_disputes))
        return NULL;
    struct dispute *d = &out->dispute[out->n_disputes];
    *d = (struct dispute){.offering = like->offering,
                          .field = (uint16_t)field,
                          .key = like->key,
                          .claim = arena_array(m->im->ar, room + 1, sizeof *d->claim),
                          .has_winner = winner != NO_CLAIM,
                          .silent = FACT_SOURCES};
    if (d->claim && d->has_winner)
        d->claim[d->n++] = winner;
    return d->claim ? d : NULL;
}

static bool disputable(const struct claim *c)
{
    return c->evidence > EVIDENCE_INFERRED && !(c->flags & CLAIM_OLD);
}

/* Two records of one source that say the same are one claim. */
static bool listed(const struct merger *m, const struct dispute *d, const struct claim *c)
{
    for (size_t i = 0; i < d->n; i++) {
        const struct claim *have = &m->im->claim[d->claim[i]];
        if (have->source == c->source && have->field == c->field && same_value(have, c))
            return true;
    }
    return false;
}

/* Adds what counts of a run; true if something differs from the winner. */
static bool dispute_add(const struct merger *m, struct dispute *d, struct run r)
{
    const struct claim *winner = d->has_winner ? &m->im->claim[d->claim[0]] : NULL;
    bool differs = false;
    for (size_t i = r.from; i < r.to; i++) {
        const struct claim *c = claim_at(m, i);
        if (!disputable(c) || listed(m, d, c))
            continue;
        differs |= !winner || !same_value(c, winner);
        d->claim[d->n++] = m->order[i];
    }
    return differs;
}

/* Keeps what somebody of these runs says otherwise than the winner of the first. */
static void look_for_dispute(struct merger *m, unsigned field, struct run r, struct run also)
{
    struct dispute *d =
        dispute_open(m, field, claim_at(m, r.from), r.winner, r.to - r.from + also.to - also.from);
    if (!d)
        return;
    bool differs = dispute_add(m, d, r);
    differs |= dispute_add(m, d, also);
    m->out->n_disputes += differs;
}

/* A source whose flag is optional, and who lists the model without it. */
static void look_for_silence(struct merger *m, struct run r, size_t first, size_t last)
{
    const struct claim *w = claim_of(m, r.winner);
    bool spoke = false, lists = false;
    if (!w || w->field != F_structured_output || w->evidence > EVIDENCE_CATALOG ||
        w->value.support != CANDO_NATIVE)
        return;
    for (size_t i = r.from; i < r.to; i++)
        spoke |= claim_at(m, i)->voice == SRC_MODELS_DEV;
    for (size_t i = first; i < last; i++)
        lists |= claim_at(m, i)->source == SRC_MODELS_DEV;
    if (spoke || !lists)
        return;
    struct dispute *d = dispute_open(m, w->field, w, r.winner, r.to - r.from);
    if (!d)
        return;
    dispute_add(m, d, r);
    d->silent = SRC_MODELS_DEV;
    m->out->n_disputes++;
}

/* -- the row --------------------------------------------------------------------------- */

static void row_add(struct merger *m, struct merged_row *row, uint32_t winner)
{
    if (winner == NO_CLAIM)
        return;
    const struct claim *c = &m->im->claim[winner];
    if (!descriptive(c->field) && c->field != F_open_weights && c->field != F_output_text &&
        c->field != F_input_text && c->field != F_model_kind)
        row->substantial = true;
    row->fact[row->n_facts++] = winner;
}

/* Is it one limit seen from two sides? One source states both, or the output
 * limit is the difference. */
static bool window_both(const struct merger *m, struct run window, const struct claim *input,
                        const struct claim *total)
{
    for (size_t i = window.from; i < window.to; i++)
        if (claim_at(m, i)->source == input->source && same_value(claim_at(m, i), total))
            return input->value.number < total->value.number;
    return false;
}

static bool window_sums(const struct merger *m, struct run output, uint64_t prompt, uint64_t total)
{
    for (size_t i = output.from; i < output.to; i++)
        if (prompt < total && total - prompt == claim_at(m, i)->value.number)
            return true;
    return false;
}

/* Some write the total as the limit of the prompt. Where another source states
 * both limits, its own is the better one. */
static uint32_t narrower_input(const struct merger *m, struct run window, struct run input,
                               const struct claim *total)
{
    if (m->im->claim[input.winner].value.number == total->value.number)
        for (size_t i = input.from; i < input.to; i++)
            if (counts(claim_at(m, i)) && window_both(m, window, claim_at(m, i), total))
                return m->order[i];
    return input.winner;
}

/* The window and the limit of the prompt are decided together. */
static void merge_window(struct merger *m, struct merged_row *row, struct run window,
                         struct run input, struct run output)
{
    if (window.winner == NO_CLAIM || input.winner == NO_CLAIM) {
        struct run only = window.winner == NO_CLAIM ? input : window;
        row_add(m, row, only.winner);
        if (only.winner != NO_CLAIM)
            look_for_dispute(m, F_context_window, only, no_run);
        return;
    }
    const struct claim *w = &m->im->claim[window.winner];
    input.winner = narrower_input(m, window, input, w);
    const struct claim *in = &m->im->claim[input.winner];
    uint64_t total = w->value.number, prompt = in->value.number;
    bool both = window_both(m, window, in, w), keep_w = true, keep_in = prompt < total;
    if (prompt != total && !both && !window_sums(m, output, prompt, total)) {
        uint64_t apart = prompt > total ? prompt - total : total - prompt;
        bool prompt_wins = better(in, votes(m, input, in), w, votes(m, window, w));
        keep_in = prompt_wins;
        keep_w = !prompt_wins || (prompt < total && apart <= total / 20);
    }
    row_add(m, row, keep_w ? window.winner : NO_CLAIM);
    row_add(m, row, keep_in ? input.winner : NO_CLAIM);
    if (!keep_w)
        window.winner = input.winner;
    look_for_dispute(m, F_context_window, window, both ? no_run : input);
}

static void merge_field(struct merger *m, struct merged_row *row, struct run r, size_t first,
                        size_t last)
{
    unsigned field = claim_at(m, r.from)->field;
    row_add(m, row, r.winner);
    if (r.winner != NO_CLAIM && !descriptive(field))
        look_for_dispute(m, field, r, no_run);
    look_for_silence(m, r, first, last);
}

/* An answer cannot be longer than the window: the best claim that fits. */
static uint32_t output_that_fits(const struct merger *m, struct run output,
                                 const struct merged_row *row)
{
    for (size_t i = 0; i < row->n_facts; i++)
        if (m->im->claim[row->fact[i]].field == F_context_window)
            return winner_of(m, output, m->im->claim[row->fact[i]].value.number);
    return output.winner;
}

/* -- prices ---------------------------------------------------------------------------- */

/* What one source says of the price. */
struct quote {
    const struct claim *like; /* any claim of it: who, when, how sure */
    struct str in, out;       /* plain rates, or empty */
    unsigned votes;
    uint8_t source;
    bool usable, old;
};

static bool plain(struct str key)
{
    return str_find_char(key, ' ') == key.n;
}

static bool has_step(struct str key)
{
    return str_find_char(key, '>') != key.n || str_find(key, STR("from=")) != SIZE_MAX ||
           str_find(key, STR("time=")) != SIZE_MAX;
}

static bool sold_as_free(struct str id)
{
    return str_ends(id, STR(":free")) || str_ends(id, STR("-free")) || str_ends(id, STR("/free"));
}

/* Marks rates out of all proportion, and lets a free model cost nothing. */
static void judge_rates(struct merger *m, size_t from, size_t to, bool is_free)
{
    for (size_t i = from; i < to; i++) {
        struct claim *c = claim_at(m, i);
        if (is_free)
            c->flags &= (uint8_t)~CLAIM_PLACEHOLDER;
        unsigned unit = unit_find(str_head(c->key, str_find_char(c->key, ' ')));
        double rate = rate_about(c->value.text);
        if (unit == UNIT_COUNT || c->flags & CLAIM_PLACEHOLDER)
            continue;
        if (m->median[unit] > 0 && rate > MERGE_ABSURD_MEDIAN * m->median[unit])
            c->flags |= CLAIM_ABSURD;
        for (size_t k = from; k < to; k++) {
            const struct claim *o = claim_at(m, k);
            double other = rate_about(o->value.text);
            if (o->source != c->source && str_eq(o->key, c->key) && other > 0 &&
                rate >= MERGE_ABSURD_TIMES * other)
                c->flags |= CLAIM_ABSURD;
        }
    }
}

static size_t take_quotes(const struct merger *m, size_t from, size_t to,
                          struct quote quote[FACT_SOURCES])
{
    size_t n = 0;
    for (unsigned s = 0; s < FACT_SOURCES; s++) {
        struct quote q = {.source = (uint8_t)s, .in = STR(""), .out = STR("")};
        bool absurd = false;
        for (size_t i = from; i < to; i++) {
            const struct claim *c = claim_at(m, i);
            if (c->source != s)
                continue;
            q.like = c;
            absurd |= (c->flags & CLAIM_ABSURD) != 0;
            if (c->flags & (CLAIM_PLACEHOLDER | CLAIM_ABSURD))
                continue;
            q.usable |= c->evidence > EVIDENCE_INFERRED;
            if (str_is(c->key, "input_tokens") && !q.in.n)
                q.in = c->value.text;
            if (str_is(c->key, "output_tokens") && !q.out.n)
                q.out = c->value.text;
        }
        q.usable &= !absurd;
        if (q.like)
            quote[n++] = q;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            quote[i].old |= quote[k].usable && later_word(quote[i].like, quote[k].like);
    return n;
}

/* Same rates; a source that knows only one of the two does not contradict. */
static bool agree(const struct quote *a, const struct quote *b)
{
    return str_eq(a->in, b->in) && (str_eq(a->out, b->out) || !a->out.n || !b->out.n) &&
           (a->in.n || a->out.n);
}

static const struct quote *best_quote(struct quote *quote, size_t n)
{
    const struct quote *best = NULL;
    for (size_t i = 0; i < n; i++) {
        uint32_t voices = 0;
        for (size_t k = 0; k < n; k++)
            if (quote[k].usable && !quote[k].old && (k == i || agree(&quote[i], &quote[k])))
                voices |= 1u << quote[k].like->voice;
        quote[i].votes = bits(voices);
    }
    for (size_t i = 0; i < n; i++)
        if (quote[i].usable && !quote[i].old &&
            (!best || better(quote[i].like, quote[i].votes, best->like, best->votes)))
            best = &quote[i];
    /* of those who agree with it, the newest knows best which tiers there are */
    const struct quote *newest = best;
    for (size_t i = 0; best && i < n; i++)
        if (quote[i].usable && agree(&quote[i], best) &&
            quote[i].like->evidence == best->like->evidence &&
            quote[i].like->day > newest->like->day && quote[i].out.n >= best->out.n)
            newest = &quote[i];
    return newest;
}

static bool row_has_key(const struct merger *m, const struct merged_row *row, struct str key)
{
    for (size_t i = 0; i < row->n_prices; i++)
        if (str_eq(m->im->claim[row->price[i]].key, key))
            return true;
    return false;
}

static void take_rates(struct merger *m, struct merged_row *row, size_t from, size_t to,
                       const struct quote *q, bool steps)
{
    for (size_t i = from; i < to; i++) {
        const struct claim *c = claim_at(m, i);
        if (c->source == q->source && !(c->flags & (CLAIM_PLACEHOLDER | CLAIM_ABSURD)) &&
            (steps || !has_step(c->key)) && !row_has_key(m, row, c->key))
            row->price[row->n_prices++] = m->order[i];
    }
}

/* One dispute a plain key: whoever differs from the row. */
static void price_disputes(struct merger *m, const struct merged_row *row, size_t from, size_t to)
{
    for (size_t i = from, end; i < to; i = end) {
        const struct claim *first = claim_at(m, i);
        for (end = i; end < to && str_eq(claim_at(m, end)->key, first->key); end++)
            continue;
        uint32_t winner = NO_CLAIM;
        for (size_t k = 0; k < row->n_prices; k++)
            if (str_eq(m->im->claim[row->price[k]].key, first->key))
                winner = row->price[k];
        bool absurd = false;
        for (size_t k = i; k < end; k++)
            absurd |= (claim_at(m, k)->flags & CLAIM_ABSURD) != 0;
        if (!plain(first->key) || (winner == NO_CLAIM && !absurd))
            continue;
        look_for_dispute(m, F_price, (struct run){i, end, winner}, no_run);
    }
}

static bool merge_price(struct merger *m, struct merged_row *row, size_t from, size_t to)
{
    struct quote quote[FACT_SOURCES];
    judge_rates(m, from, to, sold_as_free(m->im->offering[row->offering].id));
    size_t n = take_quotes(m, from, to, quote);
    for (size_t i = from; i < to; i++) {
        struct claim *c = claim_at(m, i);
        for (size_t k = 0; k < n; k++)
            if (quote[k].source == c->source && quote[k].old)
                c->flags |= CLAIM_OLD;
    }
    row->price = arena_array(m->im->ar, to - from, sizeof *row->price);
    if (!row->price)
        return false;
    const struct quote *best = best_quote(quote, n);
    if (best) {
        take_rates(m, row, from, to, best, true);
        for (size_t i = 0; i < n; i++)
            if (&quote[i] != best && quote[i].usable && agree(&quote[i], best) &&
                quote[i].like->evidence > EVIDENCE_INFERRED)
                take_rates(m, row, from, to, &quote[i], false);
        row->source = best->source;
        row->evidence = best->like->evidence;
        row->day = best->like->day;
        row->substantial |= row->n_prices > 0;
    }
    price_disputes(m, row, from, to);
    return !m->im->ar->failed;
}

/* -- all rows -------------------------------------------------------------------------- */

/* Without a price the row speaks for the source of most of its facts. */
static void name_source(const struct merger *m, struct merged_row *row)
{
    size_t n[FACT_SOURCES] = {0}, best = 0;
    for (size_t i = 0; i < row->n_facts; i++) {
        const struct claim *c = &m->im->claim[row->fact[i]];
        if (c->evidence == EVIDENCE_INFERRED && row->substantial)
            continue; /* a date or a name; the rest comes from somebody else */
        if (++n[c->source] > best || (n[c->source] == best && c->source < row->source)) {
            best = n[c->source];
            row->source = c->source;
            row->evidence = c->evidence;
            row->day = c->day;
        }
    }
}

/* A model that does not reason has no settings for it, whoever lists them. */
static void drop_idle_settings(const struct merger *m, struct merged_row *row)
{
    const struct claim *claim = m->im->claim;
    bool idle = false;
    size_t n = 0;
    for (size_t i = 0; i < row->n_facts; i++)
        idle |= claim[row->fact[i]].field == F_reasoning &&
                claim[row->fact[i]].value.support == CANDO_UNSUPPORTED;
    for (size_t i = 0; i < row->n_facts; i++) {
        unsigned f = claim[row->fact[i]].field;
        if (!idle ||
            (f != F_reasoning_effort && f != F_reasoning_efforts && f != F_thinking_budget &&
             f != F_thinking_modes && f != F_max_thinking_budget && f != F_adaptive_thinking))
            row->fact[n++] = row->fact[i];
    }
    row->n_facts = n;
}

/* OpenRouter's list has every id that it takes, so what its voice does not name
 * is no longer there. (Labs leave the shorter names of dated ids out.) */
static bool is_gone(const struct merger *m, const struct merged_row *row, size_t first, size_t last)
{
    if (!m->im->count[SRC_OPENROUTER].given ||
        !str_is(m->im->offering[row->offering].provider, "openrouter"))
        return false;
    for (size_t i = first; i < last; i++)
        if (claim_at(m, i)->voice == SRC_OPENROUTER)
            return false;
    return true;
}

/* Is the one the limit of the prompt, and the other that with or without the answer's? */
static bool same_room(const struct claim *c, const struct claim *o, uint64_t max_output)
{
    bool window = c->field == F_context_window && o->field == F_max_input;
    if (!window && (c->field != F_max_input || o->field != F_context_window))
        return false;
    uint64_t total = (window ? c : o)->value.number, prompt = (window ? o : c)->value.number;
    return prompt == total || (max_output && prompt < total && total - prompt == max_output);
}

/* Does a second catalog say the same, which did not copy it? */
static bool confirms(const struct claim *c, const struct claim *o, uint64_t max_output)
{
    if (!counts(o) || o->voice == c->voice || o->source == SRC_GENAI_PRICES)
        return false;
    return o->field == c->field ? same_value(c, o) : same_room(c, o, max_output);
}

static void note_agreement(const struct merger *m, struct merged_row *row, size_t first,
                           size_t last)
{
    for (size_t k = 0; k < row->n_facts; k++) {
        const struct claim *c = &m->im->claim[row->fact[k]];
        uint32_t bit = agreed_bit(c->field);
        if (!bit || c->evidence != EVIDENCE_CATALOG || c->source == SRC_GENAI_PRICES)
            continue;
        for (size_t i = first; i < last; i++)
            if (confirms(c, claim_at(m, i), row->max_output))
                row->agreed |= bit;
    }
}

static bool merge_offering(struct merger *m, struct merged_row *row, size_t first, size_t last)
{
    struct run window = no_run, input = no_run, output = no_run, price = no_run;
    row->fact = arena_array(m->im->ar, last - first, sizeof *row->fact);
    row->dispute = m->out->n_disputes;
    if (!row->fact)
        return false;
    for (size_t from = first, to; from < last && !m->im->ar->failed; from = to) {
        unsigned field = claim_at(m, from)->field;
        for (to = from; to < last && claim_at(m, to)->field == field; to++)
            continue;
        if (field == F_price) {
            price = (struct run){from, to, NO_CLAIM};
            continue;
        }
        struct run r = {from, to, NO_CLAIM};
        mark_old(m, r);
        r.winner = winner_of(m, r, 0);
        if (field == F_context_window)
            window = r;
        else if (field == F_max_input)
            input = r;
        else if (field == F_max_output)
            output = r;
        else
            merge_field(m, row, r, first, last);
    }
    merge_window(m, row, window, input, output);
    output.winner = output_that_fits(m, output, row);
    if (output.to > output.from) {
        merge_field(m, row, output, first, last);
        if (output.winner != NO_CLAIM)
            row->max_output = m->im->claim[output.winner].value.number;
    }
    drop_idle_settings(m, row);
    note_agreement(m, row, first, last);
    name_source(m, row);
    bool ok = price.from == price.to || merge_price(m, row, price.from, price.to);
    row->n_disputes = m->out->n_disputes - row->dispute;
    row->gone = is_gone(m, row, first, last);
    for (size_t i = first; i < last; i++)
        row->said_by |= (uint16_t)(1u << claim_at(m, i)->source);
    return ok && !m->im->ar->failed;
}

static int by_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of the plain rates of each unit, over all that was read. */
static bool take_medians(struct merger *m)
{
    const struct import *im = m->im;
    double *rate = arena_array(im->ar, im->n_claims, sizeof *rate);
    if (!rate)
        return false;
    for (unsigned u = 0; u < UNIT_COUNT; u++) {
        size_t n = 0;
        struct str name = str_of(unit_name(u));
        for (size_t i = 0; i < im->n_claims; i++)
            if (im->claim[i].field == F_price && !(im->claim[i].flags & CLAIM_PLACEHOLDER) &&
                str_eq(im->claim[i].key, name))
                rate[n++] = rate_about(im->claim[i].value.text);
        if (n < MERGE_MEDIAN_LEAST)
            continue;
        qsort(rate, n, sizeof *rate, by_double);
        m->median[u] = rate[n / 2];
    }
    return true;
}

/* qsort has no context: what it compares carries all that it needs. */
struct sort_item {
    struct str provider, id; /* id folded */
    uint32_t index;
};

static int by_offering(const void *a, const void *b)
{
    const struct sort_item *x = a, *y = b;
    int c = str_cmp(x->provider, y->provider);
    if (!c)
        c = str_cmp(x->id, y->id);
    return c ? c : (x->index > y->index) - (x->index < y->index);
}

static int by_claim(const void *a, const void *b)
{
    const struct claim *x = *(const struct claim *const *)a, *y = *(const struct claim *const *)b;
    if (x->offering != y->offering)
        return x->offering < y->offering ? -1 : 1;
    if (x->field != y->field)
        return x->field < y->field ? -1 : 1;
    int c = str_cmp(x->key, y->key);
    return c ? c : (x > y) - (x < y);
}

static bool sort_claims(struct merger *m, uint32_t **first_of)
{
    struct import *im = m->im;
    const struct claim **list = arena_array(im->ar, im->n_claims, sizeof *list);
    uint32_t *first = arena_array(im->ar, im->n_offerings + 1, sizeof *first);
    m->order = arena_array(im->ar, im->n_claims, sizeof *m->order);
    if (!list || !first || !m->order)
        return false;
    for (size_t i = 0; i < im->n_claims; i++)
        list[i] = &im->claim[i];
    qsort(list, im->n_claims, sizeof *list, by_claim);
    size_t at = 0;
    for (size_t o = 0; o <= im->n_offerings; o++) {
        while (at < im->n_claims && list[at]->offering < o)
            at++;
        first[o] = (uint32_t)at;
    }
    for (size_t i = 0; i < im->n_claims; i++)
        m->order[i] = (uint32_t)(list[i] - im->claim);
    *first_of = first;
    return true;
}

static struct sort_item *sort_offerings(struct merger *m)
{
    struct import *im = m->im;
    struct sort_item *item = arena_array(im->ar, im->n_offerings, sizeof *item);
    for (size_t i = 0; item && i < im->n_offerings; i++) {
        struct str folded = str_dup_fold(im->ar, im->offering[i].id);
        if (!folded.p)
            item = NULL;
        else
            item[i] = (struct sort_item){im->offering[i].provider, folded, (uint32_t)i};
    }
    if (!item)
        return NULL;
    qsort(item, im->n_offerings, sizeof *item, by_offering);
    return item;
}

bool merge_claims(struct import *im, struct merged *out)
{
    struct merger m = {.im = im, .out = out};
    uint32_t *first;
    *out = (struct merged){0};
    import_finish(im);
    if (im->ar->failed || !take_medians(&m) || !sort_claims(&m, &first))
        return false;
    const struct sort_item *item = sort_offerings(&m);
    out->row = arena_array(im->ar, im->n_offerings, sizeof *out->row);
    if (!item || !out->row)
        return false;
    for (size_t i = 0; i < im->n_offerings; i++) {
        uint32_t o = item[i].index;
        if (!im->offering[o].established)
            continue;
        struct merged_row *row = &out->row[out->n_rows++];
        *row = (struct merged_row){.offering = o};
        if (!merge_offering(&m, row, first[o], first[o + 1]))
            return false;
    }
    return true;
}

static bool is_chat(const struct import *im, const struct merged_row *row)
{
    for (size_t i = 0; i < row->n_facts; i++) {
        const struct claim *c = &im->claim[row->fact[i]];
        if (c->value.support == CANDO_NATIVE &&
            (c->field == F_embeddings || c->field == F_output_image || c->field == F_rerank))
            return false;
    }
    return true;
}

/* A price list has names for what it matches, and a registry has ids alone: by themselves neither
 * says enough of what a host serves. Labs are asked for the prices of models that have ended. */
static bool said_by_the_way(const struct import *im, const struct merged_row *row)
{
    struct str provider = im->offering[row->offering].provider;
    bool has_list = fact_source_find(provider) != FACT_SOURCES;
    if (row->said_by == 1u << SRC_GENAI_PRICES)
        return !has_list;
    return row->said_by == 1u << SRC_MASTRA;
}

size_t merge_mark_old(const struct import *im, struct merged *m, size_t from, size_t to)
{
    bool listed = false;
    size_t n = 0;
    for (size_t i = from; i < to; i++)
        listed |= (m->row[i].said_by & 1u << SRC_MODELS_DEV) != 0;
    for (size_t i = from; i < to && listed; i++) {
        m->row[i].old = (m->row[i].said_by == 1u << SRC_LITELLM && is_chat(im, &m->row[i])) ||
                        said_by_the_way(im, &m->row[i]);
        n += m->row[i].old && m->row[i].substantial && !m->row[i].gone;
    }
    return n;
}

void merge_mark_unlisted(struct merged *m, size_t from, size_t to)
{
    const uint16_t priced = 1u << SRC_GENAI_PRICES;
    bool listed = false;
    for (size_t i = from; i < to; i++)
        listed |= (m->row[i].said_by & ~priced) != 0;
    for (size_t i = from; i < to; i++)
        m->row[i].unlisted = listed && m->row[i].said_by == priced;
}
