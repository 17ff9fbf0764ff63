#include "value.h"

#include "pull.h"

static void put_scalar(struct str v, struct buf *out)
{
    uint64_t n;
    char digits[32];
    switch (pull_kind(v)) {
    case PULL_NULL:
    case PULL_NONE:
        buf_putz(out, "unknown");
        break;
    case PULL_TRUE:
        buf_putz(out, "yes");
        break;
    case PULL_FALSE:
        buf_putz(out, "no");
        break;
    case PULL_NUMBER:
        buf_puts(out, pull_number(v, &n) ? out_number(n, digits) : v);
        break;
    case PULL_STRING:
        pull_string(v, out);
        break;
    default:
        buf_puts(out, v);
    }
}

static void put_list(struct str list, struct buf *out)
{
    size_t before = out->n;
    for (struct str at = list, v; pull_next(&at, NULL, &v);) {
        if (out->n != before)
            buf_putz(out, ", ");
        put_scalar(v, out);
    }
    if (out->n == before)
        buf_putz(out, "none");
}

static void put_object(struct str object, struct buf *out)
{
    struct str reason = pull_get(object, "restricted");
    if (reason.n) {
        buf_putz(out, "restricted");
        struct str text = pull_kind(reason) == PULL_OBJECT ? pull_get(reason, "reason") : reason;
        if (pull_kind(text) == PULL_STRING) {
            buf_putz(out, ": ");
            pull_string(text, out);
        }
        return;
    }
    size_t before = out->n;
    for (struct str at = object, k, v; pull_next(&at, &k, &v);) {
        if (out->n != before)
            buf_putz(out, ", ");
        pull_string(k, out);
        buf_putz(out, " = ");
        put_scalar(v, out);
    }
    if (out->n == before)
        buf_putz(out, "none");
}

enum style value_words(struct str json, struct buf *out)
{
    static const struct {
        const char *word;
        enum style style;
    } styles[] = {
        {"native", STYLE_GOOD}, {"emulated", STYLE_WARN}, {"unsupported", STYLE_BAD},
        {"yes", STYLE_GOOD},    {"no", STYLE_BAD},        {"unknown", STYLE_DIM},
    };
    buf_clear(out);
    enum pull_kind kind = pull_kind(json);
    if (kind == PULL_LIST)
        put_list(json, out);
    else if (kind == PULL_OBJECT)
        put_object(json, out);
    else
        put_scalar(json, out);
    struct str text = str_make(out->p, out->n);
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
        if (str_is(text, styles[i].word))
            return styles[i].style;
    return str_starts(text, STR("restricted")) && kind == PULL_OBJECT ? STYLE_WARN : STYLE_PLAIN;
}
