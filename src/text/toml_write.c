#include "toml_write.h"

#include <stdarg.h>
#include <stdio.h>

void tw_init(struct toml_writer *w, struct buf *out, const char *newline)
{
    *w = (struct toml_writer){.out = out, .newline = newline};
}

void tw_line(struct toml_writer *w, const char *line)
{
    buf_putz(w->out, line);
    buf_putz(w->out, w->newline);
}

/* Before a key, or an item of a list. */
static void next(struct toml_writer *w)
{
    uint32_t bit = UINT32_C(1) << w->depth;
    if (w->depth && (w->more & bit))
        buf_putz(w->out, ", ");
    w->more |= bit;
}

static void value_begin(struct toml_writer *w)
{
    if (!w->after_key)
        next(w);
    w->after_key = false;
}

static void value_end(struct toml_writer *w)
{
    if (!w->depth)
        buf_putz(w->out, w->newline);
}

static void open(struct toml_writer *w, const char *bracket)
{
    value_begin(w);
    buf_putz(w->out, bracket);
    w->more &= ~(UINT32_C(1) << ++w->depth);
}

static void close(struct toml_writer *w, const char *bracket)
{
    w->depth--;
    buf_putz(w->out, bracket);
    value_end(w);
}

static void put_string(struct buf *b, struct str s)
{
    buf_putc(b, '"');
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c == '"' || c == '\\')
            buf_printf(b, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            buf_printf(b, "\\u%04X", c);
        else
            buf_putc(b, (char)c);
    }
    buf_putc(b, '"');
}

void tw_key(struct toml_writer *w, struct str key)
{
    next(w);
    if (key.n > 0 && str_made_of(key, "_-"))
        buf_puts(w->out, key);
    else
        put_string(w->out, key);
    buf_putz(w->out, " = ");
    w->after_key = true;
}

void tw_table(struct toml_writer *w)
{
    open(w, "{ ");
}

void tw_table_end(struct toml_writer *w)
{
    close(w, " }");
}

void tw_list(struct toml_writer *w)
{
    open(w, "[");
}

void tw_list_end(struct toml_writer *w)
{
    close(w, "]");
}

void tw_str(struct toml_writer *w, struct str s)
{
    value_begin(w);
    put_string(w->out, s);
    value_end(w);
}

void tw_plain(struct toml_writer *w, const char *fmt, ...)
{
    char text[64];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    value_begin(w);
    buf_putz(w->out, text);
    value_end(w);
}
