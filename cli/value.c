#include "value.h"

#include "base/decimal.h"
#include "base/instant.h"
#include "base/limits.h"

static void put_items(const cando_value *v, struct buf *b)
{
    for (uint32_t i = 0; i < v->count; i++) {
        struct str item = str_of(cando_value_item(v, i));
        size_t key = v->type == CANDO_MAP ? cando_value_key(v, i) : item.n;
        buf_putz(b, i ? ", " : "");
        buf_puts(b, str_head(item, key));
        buf_putz(b, v->type == CANDO_MAP ? " = " : "");
        buf_puts(b, str_from(item, key + 1));
    }
    if (!v->count)
        buf_putz(b, "none");
}

const cando_value *value_find(const cando_resolve_answer *a, const char *name)
{
    for (size_t i = 0; i < a->n_fields; i++)
        if (strcmp(a->fields[i].name, name) == 0 && a->fields[i].value.known)
            return &a->fields[i].value;
    return NULL;
}

const char *value_words(const cando_value *v, struct arena *ar)
{
    static const char *const levels[] = {"unknown", "unsupported", "restricted: ", "emulated",
                                         "native"};
    char digits[32];
    struct buf b;
    buf_init_arena(&b, ar, LIMIT_JSON_BYTES);
    if (!v->known)
        return "unknown";
    if (v->type == CANDO_FLAG)
        return v->flag ? "yes" : "no";
    if (v->type == CANDO_SUPPORT && v->support != CANDO_RESTRICTED)
        return levels[v->support];
    if (v->type == CANDO_SUPPORT)
        buf_putz(&b, levels[v->support]);
    if (v->type == CANDO_NUMBER)
        buf_puts(&b, out_number(v->number, digits));
    else if (v->type == CANDO_LIST || v->type == CANDO_MAP)
        put_items(v, &b);
    else
        buf_puts(&b, str_of(v->text));
    const char *words = buf_cstr(&b);
    return words ? words : "";
}

enum style value_style(const cando_value *v, const char *words)
{
    static const struct {
        const char *word;
        enum style style;
    } styles[] = {
        {"native", STYLE_GOOD}, {"emulated", STYLE_WARN}, {"unsupported", STYLE_BAD},
        {"yes", STYLE_GOOD},    {"no", STYLE_BAD},        {"unknown", STYLE_DIM},
    };
    if (v->known && v->type == CANDO_SUPPORT && v->support == CANDO_RESTRICTED)
        return STYLE_WARN;
    for (size_t i = 0; i < COUNT_OF(styles); i++)
        if (strcmp(words, styles[i].word) == 0)
            return styles[i].style;
    return STYLE_PLAIN;
}

void value_print(const cando_value *v, struct arena *ar)
{
    const char *words = value_words(v, ar);
    out("%c%s" END, value_style(v, words), words);
}

/* -- prices -- */

enum { MAX_RATES = 256 };

/* When a rate holds, seen from the day of asking. */
enum { RATE_PAST, RATE_NOW, RATE_LATER };

struct rate {
    struct str unit, condition, value;
    struct str behind; /* the condition behind its "from=", where it has one */
    uint32_t from;     /* yyyymmdd; 0: ever since */
    uint32_t until;    /* the day on which another list replaces it; 0: none does */
    uint8_t when;
};

struct rates {
    size_t n;
    struct rate rate[MAX_RATES];
};

void price_words(struct str decimal, struct buf *out)
{
    size_t point = str_find_char(decimal, '.');
    size_t behind = point < decimal.n ? decimal.n - point - 1 : 0;
    buf_putc(out, '$');
    buf_puts(out, decimal);
    if (behind == 1)
        buf_putc(out, '0');
    else if (behind == 0)
        buf_putz(out, ".00");
}

const char *money_text(const char *decimal, struct arena *ar)
{
    struct buf b;
    buf_init_arena(&b, ar, 256);
    price_words(str_of(decimal), &b);
    return buf_cstr(&b);
}

/* What a rate is for; empty for tokens that are counted by the million. */
static const char *per_words(struct str unit)
{
    if (str_ends(unit, STR("_tokens")))
        return "per million tokens";
    if (str_ends(unit, STR("_characters")))
        return "per million characters";
    if (str_ends(unit, STR("audio_seconds")))
        return "per hour";
    if (str_ends(unit, STR("_seconds")))
        return "per second";
    if (str_ends(unit, STR("_images")))
        return "each";
    if (str_ends(unit, STR("_pixels")))
        return "per billion";
    return "per thousand";
}

/* "cache_read_tokens" as "cache read" */
static void put_unit(struct buf *b, struct str unit)
{
    if (str_ends(unit, STR("_tokens")))
        unit.n -= sizeof "_tokens" - 1;
    for (size_t i = 0; i < unit.n; i++)
        buf_putc(b, unit.p[i] == '_' ? ' ' : unit.p[i]);
}

static void put_count(struct buf *b, struct str digits)
{
    uint64_t n;
    char text[32];
    str_number(digits, 15, &n);
    buf_puts(b, out_number(n, text));
}

/* "@batch >200000" as "batch, above 200,000 tokens of input", behind a comma where there are some
 * already since `start`. */
static void put_words(struct buf *b, size_t start, struct str condition)
{
    while (condition.n) {
        size_t cut = str_find_char(condition, ' ');
        struct str one = str_head(condition, cut), rest = str_from(one, 1);
        buf_putz(b, b->n > start ? ", " : "");
        if (one.p[0] == '@') {
            buf_puts(b, rest);
        } else if (one.p[0] == '>' || one.p[0] == '^') {
            buf_putz(b, one.p[0] == '>' ? "above " : "for what is above ");
            put_count(b, rest);
            buf_putz(b, " tokens of input");
        } else if (str_starts(one, STR("time="))) {
            buf_putz(b, "at ");
            buf_puts(b, str_from(one, 5));
            buf_putz(b, " UTC");
        } else if (str_starts(one, STR("days="))) {
            buf_puts(b, str_from(one, 5));
        } else {
            buf_puts(b, one);
        }
        condition = str_from(condition, cut + 1);
    }
}

static const char *day_before(uint32_t number, char text[16])
{
    int32_t day;
    if (!day_parse(str_of(day_dashed(number, text)), &day))
        return text;
    return day_text(day - 1, text).p;
}

/* All that a rate depends on, in words; nothing for one that simply holds. */
static void put_condition(struct buf *b, const struct rate *r)
{
    size_t start = b->n;
    char day[16];
    put_words(b, start, r->condition);
    if (r->when != RATE_NOW)
        buf_putz(b, b->n > start ? ", " : "");
    if (r->when == RATE_PAST)
        buf_printf(b, "until %s", day_before(r->until, day));
    else if (r->when == RATE_LATER)
        buf_printf(b, "from %s on", day_dashed(r->from, day));
    put_words(b, start, r->behind);
}

static bool has_condition(const struct rate *r)
{
    return r->condition.n || r->behind.n || r->when != RATE_NOW;
}

/* But for the day. */
static bool alike(const struct rate *a, const struct rate *b)
{
    return str_eq(a->condition, b->condition) && str_eq(a->behind, b->behind);
}

static bool same_condition(const struct rate *a, const struct rate *b)
{
    if (a->when != b->when || !alike(a, b))
        return false;
    if (a->when == RATE_NOW)
        return true;
    return a->when == RATE_PAST ? a->until == b->until : a->from == b->from;
}

static void put_rate(struct buf *b, const struct rate *r)
{
    put_unit(b, r->unit);
    buf_putc(b, ' ');
    price_words(r->value, b);
}

static bool is_plain(const struct rate *r)
{
    return str_is(r->unit, "input_tokens") || str_is(r->unit, "output_tokens");
}

/* Rates that are counted alike, on one line: input and output first. */
static void put_line(const struct rate *rate, size_t n, bool *done, size_t first, size_t indent,
                     size_t column, struct buf *b)
{
    bool condition = has_condition(&rate[first]);
    const char *per = per_words(rate[first].unit);
    bool plain = is_plain(&rate[first]), any = false;
    buf_clear(b);
    put_condition(b, &rate[first]);
    if (condition)
        buf_putz(b, ": ");
    for (size_t i = first; i < n; i++) {
        if (done[i] || !same_condition(&rate[i], &rate[first]))
            continue;
        if (strcmp(per_words(rate[i].unit), per) != 0)
            continue;
        if (!condition && is_plain(&rate[i]) != plain)
            continue;
        if (any)
            buf_putz(b, plain && str_is(rate[i].unit, "output_tokens") ? " / " : ", ");
        put_rate(b, &rate[i]);
        done[i] = any = true;
    }
    buf_printf(b, " %s", per);
    out_wrapped(stdout, STR_IN(*b), indent, column);
}

/* Of what is past nobody asks for the rates of tiers and thresholds. */
static bool is_of_interest(const struct rate *r)
{
    return r->when != RATE_PAST || !(r->condition.n || r->behind.n);
}

/* Conditions under which there are other rates, each once. */
static void put_conditions(const struct rate *rate, size_t n, size_t indent, size_t column,
                           struct buf *b)
{
    buf_clear(b);
    for (size_t i = 0; i < n; i++) {
        bool again = !has_condition(&rate[i]) || !is_of_interest(&rate[i]);
        for (size_t k = 0; k < i && !again; k++)
            again = same_condition(&rate[k], &rate[i]);
        if (again)
            continue;
        buf_putz(b, b->n ? "; " : "other rates: ");
        put_condition(b, &rate[i]);
    }
    if (b->n)
        out_wrapped(stdout, STR_IN(*b), indent, column);
}

/* "@batch" of a condition, or nothing. */
static struct str tier_of(const struct rate *r)
{
    struct str s = str_from(r->condition, str_find_char(r->condition, '@'));
    return str_head(s, str_find_char(s, ' '));
}

static bool is_timed(const struct rate *r)
{
    return str_find(r->condition, STR("time=")) != SIZE_MAX ||
           str_find(r->behind, STR("time=")) != SIZE_MAX;
}

/* Cuts "from=" and its day out of the condition. */
static void take_from(struct rate *r)
{
    size_t at = str_find(r->condition, STR("from="));
    if (at == SIZE_MAX)
        return;
    struct str day = str_from(r->condition, at + 5);
    size_t cut = str_find_char(day, ' ');
    r->from = day_number(str_head(day, cut));
    r->behind = str_from(day, cut + 1);
    r->condition = str_head(r->condition, at ? at - 1 : 0);
}

/* A newer list of a unit and tier replaces the older ones whole; one for some hours does not, as
 * the others then hold for the rest of the day. */
static void set_period(struct rate *r, const struct rates *all)
{
    uint32_t today = day_today();
    for (size_t i = 0; i < all->n; i++) {
        const struct rate *x = &all->rate[i];
        if (x->from <= r->from || is_timed(x) || (r->until && r->until <= x->from))
            continue;
        if (str_eq(x->unit, r->unit) && str_eq(tier_of(x), tier_of(r)))
            r->until = x->from;
    }
    r->when = r->until && r->until <= today ? RATE_PAST : r->from > today ? RATE_LATER : RATE_NOW;
}

static void read_rates(const cando_value *price, struct rates *out)
{
    out->n = 0;
    for (uint32_t i = 0; out->n < MAX_RATES && i < price->count; i++) {
        struct str item = str_of(cando_value_item(price, i));
        struct str key = str_head(item, cando_value_key(price, i));
        size_t cut = str_find_char(key, ' ');
        struct rate *r = &out->rate[out->n++];
        *r = (struct rate){
            .unit = str_head(key, cut),
            .condition = str_from(key, cut + 1),
            .behind = STR(""),
            .value = str_from(item, key.n + 1),
        };
        take_from(r);
    }
    for (size_t i = 0; i < out->n; i++)
        set_period(&out->rate[i], out);
}

void price_page(const cando_value *price, size_t indent, size_t column, bool all)
{
    struct rates list;
    bool done[MAX_RATES] = {false};
    struct buf b;
    read_rates(price, &list);
    buf_init(&b, NULL, LIMIT_JSON_BYTES);
    for (int conditions = 0; conditions < 1 + all; conditions++)
        for (size_t i = 0; i < list.n; i++) {
            if (done[i] || has_condition(&list.rate[i]) != conditions)
                continue;
            put_line(list.rate, list.n, done, i, indent, column, &b);
            column = 0;
        }
    if (!all)
        put_conditions(list.rate, list.n, indent, column, &b);
    buf_free(&b);
}

/* "@batch >200000" is "@batch" above 200,000. */
static struct str without_threshold(struct str condition, uint64_t *above)
{
    size_t at = str_find_char(condition, '>');
    str_number(str_from(condition, at + 1), 18, above);
    return str_head(condition, at && at < condition.n ? at - 1 : at);
}

/* Does a rate hold where this one does? One for less input does, unless there is one for more. */
static bool covers(const struct rate *x, const struct rate *like, uint64_t *above)
{
    uint64_t wanted;
    struct str plain = without_threshold(like->condition, &wanted);
    return str_eq(x->unit, like->unit) && str_eq(x->behind, like->behind) &&
           str_eq(without_threshold(x->condition, above), plain) && *above <= wanted;
}

/* The rate of another list that is in force while this one is, or NULL: today if that is today, on
 * its first day if that is to come, and before its end if it is past. */
static const struct rate *rate_of(const struct rates *l, const struct rate *like)
{
    uint32_t day = like->when == RATE_NOW ? day_today() : like->from;
    const struct rate *best = NULL;
    uint64_t highest = 0, above;
    for (size_t i = 0; i < l->n; i++) {
        const struct rate *x = &l->rate[i];
        if (!covers(x, like, &above) || (best && above <= highest))
            continue;
        bool holds = like->when == RATE_PAST ? x->from < like->until : x->from <= day;
        bool ended = like->when == RATE_PAST ? x->until < like->until : x->until <= day;
        if (!holds || (x->until && ended))
            continue;
        best = x;
        highest = above;
    }
    return best;
}

/* Rates of a batch where its discount is known and they are not: those of tokens that are counted
 * as they come, since what a batch does to cached ones differs. */
static void add_batch(struct rates *l, unsigned percent, struct arena *ar)
{
    const struct decimal rest = decimal_from(100 - percent);
    size_t stated = l->n;
    for (size_t i = 0; i < stated && l->n < MAX_RATES; i++) {
        struct rate r = l->rate[i];
        struct decimal value;
        char text[DECIMAL_TEXT];
        if (r.when != RATE_NOW || r.condition.n || r.behind.n || !is_plain(&r))
            continue;
        r.condition = STR("@batch");
        const struct rate *known = rate_of(l, &r);
        if (known || !decimal_parse(r.value, &value) || !decimal_mul(&value, &rest, &value) ||
            !decimal_shift(&value, -2, &value))
            continue;
        r.value = str_dup(ar, decimal_text(&value, text));
        l->rate[l->n] = r;
        l->n += r.value.p != NULL;
    }
}

static void put_money(struct buf *b, const struct rate *r)
{
    if (r)
        price_words(r->value, b);
    else
        buf_putz(b, "unknown");
}

/* "  input        $2.50 -> $5.00 per million tokens" */
static void put_change(const struct rate *r, const struct rate *before, const struct rate *after,
                       size_t width, struct buf *b)
{
    buf_clear(b);
    put_unit(b, r->unit);
    if (has_condition(r)) {
        buf_putz(b, ", ");
        put_condition(b, r);
    }
    enum { LONGEST = 30 }; /* beside which a price still fits; a longer name has its own line */
    out("  %-*s%s", (int)width, buf_cstr(b), b->n < width || b->n > LONGEST ? "" : " ");
    if (b->n > LONGEST)
        out("\n  %-*s", (int)width, "");
    buf_clear(b);
    put_money(b, before);
    buf_putz(b, " -> ");
    put_money(b, after);
    out("%s " DIM "%s" END "\n", buf_cstr(b), per_words(r->unit));
}

/* Is it different at the other one? What comes is told, too, where that ends a difference. */
static bool differs(const struct rate *r, const struct rates *own, const struct rates *other)
{
    const struct rate *its = rate_of(other, r);
    struct rate now = *r;
    if (!its || !str_eq(its->value, r->value))
        return true;
    if (r->when != RATE_LATER)
        return false;
    now.when = RATE_NOW;
    const struct rate *mine = rate_of(own, &now);
    its = rate_of(other, &now);
    return mine && (!its || !str_eq(its->value, mine->value));
}

static bool has_tier(const struct rates *l, struct str tier)
{
    for (size_t i = 0; i < l->n; i++)
        if (str_eq(tier_of(&l->rate[i]), tier))
            return true;
    return false;
}

/* Tiers that the other one has no rates of are named, and no more. */
static bool is_alone(const struct rate *r, const struct rates *other)
{
    struct str tier = tier_of(r);
    return tier.n && !has_tier(other, tier);
}

static void put_alone(const struct rates *own, const struct rates *other, const char *which,
                      size_t width, struct buf *b)
{
    buf_clear(b);
    for (size_t i = 0; i < own->n; i++) {
        const struct rate *r = &own->rate[i];
        bool told = r->when == RATE_PAST || !is_alone(r, other);
        for (size_t k = 0; k < i && !told; k++)
            told = own->rate[k].when != RATE_PAST && str_eq(tier_of(&own->rate[k]), tier_of(r));
        if (told)
            continue;
        buf_putz(b, b->n ? ", " : "");
        buf_puts(b, str_from(tier_of(r), 1));
    }
    if (b->n)
        out("  %-*sof the %s only\n", (int)width, buf_cstr(b), which);
}

static void put_changes(const struct rates *a, const struct rates *b, int when, size_t width,
                        struct buf *text)
{
    for (size_t i = 0; i < a->n; i++) {
        const struct rate *r = &a->rate[i];
        if (r->when == when && is_of_interest(r) && !is_alone(r, b) && differs(r, a, b))
            put_change(r, r, rate_of(b, r), width, text);
    }
    for (size_t i = 0; i < b->n; i++) {
        const struct rate *r = &b->rate[i], *its = rate_of(a, r);
        bool told = its && same_condition(its, r);
        if (r->when != when || !is_of_interest(r) || is_alone(r, a) || told)
            continue;
        if (differs(r, b, a))
            put_change(r, its, r, width, text);
    }
}

void price_changes(const struct priced *before, const struct priced *after, size_t width,
                   struct arena *ar)
{
    struct rates a, b;
    struct buf text;
    read_rates(before->price, &a);
    read_rates(after->price, &b);
    if (before->batch_percent)
        add_batch(&a, before->batch_percent, ar);
    if (after->batch_percent)
        add_batch(&b, after->batch_percent, ar);
    buf_init(&text, NULL, LIMIT_JSON_BYTES);
    put_changes(&a, &b, RATE_NOW, width, &text);
    put_changes(&a, &b, RATE_LATER, width, &text);
    put_changes(&a, &b, RATE_PAST, width, &text);
    put_alone(&a, &b, "first", width, &text);
    put_alone(&b, &a, "second", width, &text);
    buf_free(&text);
}
