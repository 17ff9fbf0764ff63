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
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
        if (strcmp(words, styles[i].word) == 0)
            return styles[i].style;
    return STYLE_PLAIN;
}

void value_print(const cando_value *v, struct arena *ar)
{
    const char *words = value_words(v, ar);
    out("%c%s" END, value_style(v, words), words);
}
