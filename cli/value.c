#include "value.h"

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

struct rate {
    struct str unit, condition, value;
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
    uint64_t n = 0;
    char text[32];
    for (size_t i = 0; i < digits.n && i < 15 && char_is_digit(digits.p[i]); i++)
        n = n * 10 + (uint64_t)(digits.p[i] - '0');
    buf_puts(b, out_number(n, text));
}

/* "@batch >200000" as "batch, above 200,000 tokens of input" */
static void put_condition(struct buf *b, struct str condition)
{
    for (bool first = true; condition.n; first = false) {
        size_t cut = str_find_char(condition, ' ');
        struct str one = str_head(condition, cut), rest = str_from(one, 1);
        buf_putz(b, first ? "" : ", ");
        if (one.p[0] == '@') {
            buf_puts(b, rest);
        } else if (one.p[0] == '>' || one.p[0] == '^') {
            buf_putz(b, one.p[0] == '>' ? "above " : "for what is above ");
            put_count(b, rest);
            buf_putz(b, " tokens of input");
        } else if (str_starts(one, STR("from="))) {
            buf_putz(b, "from ");
            buf_puts(b, str_from(one, 5));
            buf_putz(b, " on");
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
    struct str condition = rate[first].condition;
    const char *per = per_words(rate[first].unit);
    bool plain = is_plain(&rate[first]), any = false;
    buf_clear(b);
    put_condition(b, condition);
    if (condition.n)
        buf_putz(b, ": ");
    for (size_t i = first; i < n; i++) {
        if (done[i] || !str_eq(rate[i].condition, condition))
            continue;
        if (strcmp(per_words(rate[i].unit), per) != 0)
            continue;
        if (!condition.n && is_plain(&rate[i]) != plain)
            continue;
        if (any)
            buf_putz(b, plain && str_is(rate[i].unit, "output_tokens") ? " / " : ", ");
        put_rate(b, &rate[i]);
        done[i] = any = true;
    }
    buf_printf(b, " %s", per);
    out_wrapped(stdout, str_make(b->p, b->n), indent, column);
}

/* Conditions under which there are other rates, each once. */
static void put_conditions(const struct rate *rate, size_t n, size_t indent, size_t column,
                           struct buf *b)
{
    buf_clear(b);
    for (size_t i = 0; i < n; i++) {
        bool again = !rate[i].condition.n;
        for (size_t k = 0; k < i && !again; k++)
            again = str_eq(rate[k].condition, rate[i].condition);
        if (again)
            continue;
        buf_putz(b, b->n ? "; " : "other rates: ");
        put_condition(b, rate[i].condition);
    }
    if (b->n)
        out_wrapped(stdout, str_make(b->p, b->n), indent, column);
}

static size_t read_rates(const cando_value *price, struct rate rate[MAX_RATES])
{
    size_t n = 0;
    for (uint32_t i = 0; n < MAX_RATES && i < price->count; i++) {
        struct str item = str_of(cando_value_item(price, i));
        struct str key = str_head(item, cando_value_key(price, i));
        size_t cut = str_find_char(key, ' ');
        rate[n++] = (struct rate){
            .unit = str_head(key, cut),
            .condition = str_from(key, cut + 1),
            .value = str_from(item, key.n + 1),
        };
    }
    return n;
}

void price_page(const cando_value *price, size_t indent, size_t column, bool all)
{
    struct rate rate[MAX_RATES];
    bool done[MAX_RATES] = {false};
    size_t n = read_rates(price, rate);
    struct buf b;
    buf_init(&b, NULL, LIMIT_JSON_BYTES);
    for (int conditions = 0; conditions < 1 + all; conditions++)
        for (size_t i = 0; i < n; i++) {
            if (done[i] || (rate[i].condition.n != 0) != conditions)
                continue;
            put_line(rate, n, done, i, indent, column, &b);
            column = 0;
        }
    if (!all)
        put_conditions(rate, n, indent, column, &b);
    buf_free(&b);
}

/* The value of a rate, or nothing. */
static struct str rate_of(const struct rate *rate, size_t n, const struct rate *like)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(rate[i].unit, like->unit) && str_eq(rate[i].condition, like->condition))
            return rate[i].value;
    return STR("");
}

static void put_money(struct buf *b, struct str value)
{
    if (value.n)
        price_words(value, b);
    else
        buf_putz(b, "unknown");
}

/* "  input        $2.50 -> $5.00 per million tokens" */
static void put_change(const struct rate *r, struct str before, struct str after, size_t width,
                       struct buf *b)
{
    buf_clear(b);
    put_unit(b, r->unit);
    if (r->condition.n) {
        buf_putz(b, ", ");
        put_condition(b, r->condition);
    }
    out("  %-*s", (int)width, buf_cstr(b));
    buf_clear(b);
    put_money(b, before);
    buf_putz(b, " -> ");
    put_money(b, after);
    out("%s " DIM "%s" END "\n", buf_cstr(b), per_words(r->unit));
}

void price_changes(const cando_value *before, const cando_value *after, size_t width)
{
    struct rate a[MAX_RATES], b[MAX_RATES];
    size_t n_a = read_rates(before, a), n_b = read_rates(after, b);
    struct buf text;
    buf_init(&text, NULL, LIMIT_JSON_BYTES);
    for (size_t i = 0; i < n_a; i++) {
        struct str value = rate_of(b, n_b, &a[i]);
        if (!str_eq(value, a[i].value))
            put_change(&a[i], a[i].value, value, width, &text);
    }
    for (size_t i = 0; i < n_b; i++)
        if (!rate_of(a, n_a, &b[i]).n)
            put_change(&b[i], STR(""), b[i].value, width, &text);
    buf_free(&text);
}
