#include "value.h"

static void put_support(const cando_value *v, struct buf *out)
{
    static const char *const words[] = {
        "unknown", "unsupported", "restricted: ", "emulated", "native",
    };
    buf_putz(out, words[v->support]);
    if (v->support == CANDO_RESTRICTED && v->text)
        buf_putz(out, v->text);
}

static void put_items(const cando_value *v, struct buf *out)
{
    for (uint32_t i = 0; i < v->count; i++) {
        struct str item = str_of(cando_value_item(v, i));
        size_t key = v->type == CANDO_MAP ? cando_value_key(v, i) : item.n;
        buf_putz(out, i ? ", " : "");
        buf_puts(out, str_head(item, key));
        buf_putz(out, v->type == CANDO_MAP ? " = " : "");
        buf_puts(out, str_from(item, key + 1));
    }
    if (!v->count)
        buf_putz(out, "none");
}

static void put_words(const cando_value *v, struct buf *out)
{
    char digits[32];
    switch (v->known ? v->type : CANDO_TEXT) {
    case CANDO_SUPPORT:
        put_support(v, out);
        break;
    case CANDO_FLAG:
        buf_putz(out, v->flag ? "yes" : "no");
        break;
    case CANDO_NUMBER:
        buf_puts(out, out_number(v->number, digits));
        break;
    case CANDO_WORD:
    case CANDO_TEXT:
        buf_putz(out, v->known ? v->text : "unknown");
        break;
    case CANDO_LIST:
    case CANDO_MAP:
        put_items(v, out);
        break;
    }
}

enum style value_words(const cando_value *v, struct buf *out)
{
    static const struct {
        const char *word;
        enum style style;
    } styles[] = {
        {"native", STYLE_GOOD}, {"emulated", STYLE_WARN}, {"unsupported", STYLE_BAD},
        {"yes", STYLE_GOOD},    {"no", STYLE_BAD},        {"unknown", STYLE_DIM},
    };
    buf_clear(out);
    put_words(v, out);
    if (v->known && v->type == CANDO_SUPPORT && v->support == CANDO_RESTRICTED)
        return STYLE_WARN;
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
        if (str_is(str_make(out->p, out->n), styles[i].word))
            return styles[i].style;
    return STYLE_PLAIN;
}

void value_print(const cando_value *v, struct buf *room)
{
    enum style style = value_words(v, room);
    out_cell(stdout, style, str_make(room->p, room->n), 0);
}
