#include "stream.h"

static struct str trimmed(struct str s)
{
    while (s.n && (s.p[0] == ' ' || s.p[0] == '\t'))
        s = str_from(s, 1);
    while (s.n && (s.p[s.n - 1] == '\r' || s.p[s.n - 1] == ' '))
        s.n--;
    return s;
}

/* "data" of "data: {..}"; the field of a comment is empty. False: it is no line of a stream. */
static bool split(struct str line, struct str *field, struct str *value)
{
    size_t colon = str_find_char(line, ':');
    *field = str_head(line, colon);
    *value = trimmed(str_from(line, colon + 1));
    return colon < line.n && (!field->n || str_is(*field, "data") || str_is(*field, "event") ||
                              str_is(*field, "id") || str_is(*field, "retry"));
}

bool stream_begins(struct str line)
{
    struct str field, value;
    return split(trimmed(line), &field, &value);
}

bool stream_next(struct str *rest, struct buf *out)
{
    struct str line, field, value;
    bool inside = false; /* an event may have several lines of data */
    buf_clear(out);
    while (rest->n) {
        line = str_head(*rest, str_find_char(*rest, '\n'));
        *rest = str_from(*rest, line.n + 1);
        line = trimmed(line);
        if (!line.n)
            inside = false;
        if (!split(line, &field, &value) || !str_is(field, "data") || !value.n)
            continue;
        if (str_is(value, "[DONE]") && out->n)
            break;
        if (value.p[0] != '{' && value.p[0] != '[' && !inside)
            continue; /* "ping" and the like say nothing of what it costs */
        bool next = !inside || (value.p[0] == '{' && out->p[out->n - 1] == '}');
        buf_putz(out, !next ? "\n" : out->n ? "," : "[");
        buf_puts(out, value);
        inside = true;
    }
    if (out->n)
        buf_putc(out, ']');
    return out->n != 0;
}
