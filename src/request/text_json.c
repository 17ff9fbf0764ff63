/*
 * text_json.c - does the text of a JSON string hold JSON itself, as arguments
 * of calls do?
 *
 * It is read as it stands, escape by escape, and nothing is kept but one bit per
 * level. In doubt it is JSON: bare line ends in texts, odd numbers, NaN and what is
 * nested deeper than the bits reach are let pass, since some servers read them.
 */
#include "scan.h"

enum { TEXT_END = 0x7FFFFFFF, TEXT_DEEPEST = 64 };

struct text {
    const unsigned char *p;
    size_t n, at;
};

static uint32_t text_peek(const struct text *t)
{
    size_t at = t->at;
    return at < t->n ? scan_char(t->p, t->n, &at) : TEXT_END;
}

static uint32_t text_next(struct text *t)
{
    return t->at < t->n ? scan_char(t->p, t->n, &t->at) : TEXT_END;
}

static uint32_t text_skip(struct text *t)
{
    uint32_t c;
    while ((c = text_peek(t)) == ' ' || c == '\n' || c == '\r' || c == '\t')
        text_next(t);
    return c;
}

static bool text_string(struct text *t)
{
    if (text_skip(t) != '"')
        return false;
    text_next(t);
    for (uint32_t c; (c = text_next(t)) != '"';) {
        if (c == '\\') {
            c = text_next(t);
            if (c >= 128 || !c || !strchr("\"\\/bfnrtu", (int)c))
                return false;
        }
        if (c == TEXT_END)
            return false;
    }
    return true;
}

/* A number, or a word: true, false, null, NaN, Infinity. */
static bool text_scalar(struct text *t)
{
    static const char *const word[] = {"true", "false", "null", "NaN", "Infinity"};
    char room[32];
    size_t n = 0;
    uint32_t c;
    bool number = (c = text_peek(t)) == '-' || (c >= '0' && c <= '9');
    while ((c = text_peek(t)) < 128 && c > ' ' && !strchr(",]}:\"{[", (int)c)) {
        if (n < sizeof room - 1)
            room[n++] = (char)c;
        text_next(t);
    }
    room[n] = 0;
    for (size_t i = 0; !number && i < COUNT_OF(word); i++)
        if (!strcmp(room, word[i]))
            return true;
    return number && strspn(room, "0123456789+-.eEINafinty") == n;
}

/* A member's name and the colon behind it. */
static bool text_name(struct text *t)
{
    return text_string(t) && text_skip(t) == ':' && text_next(t);
}

bool scan_holds_json(const unsigned char *p, size_t n)
{
    struct text t = {p, n, 0};
    uint64_t objects = 0; /* one bit per level: an object, or an array */
    unsigned depth = 0;
    if (text_skip(&t) == TEXT_END)
        return true; /* nothing: no arguments */
    for (;;) {
        uint32_t c = text_skip(&t);
        if (c == '{' || c == '[') {
            if (depth == TEXT_DEEPEST)
                return true;
            text_next(&t);
            objects = objects << 1 | (c == '{');
            depth++;
            if (text_skip(&t) != (c == '{' ? '}' : ']')) {
                if (c == '{' && !text_name(&t))
                    return false;
                continue;
            }
        } else if (!(c == '"' ? text_string(&t) : text_scalar(&t))) {
            return false;
        }
        while (depth && text_skip(&t) == (objects & 1 ? '}' : ']')) {
            text_next(&t);
            objects >>= 1;
            depth--;
        }
        if (!depth)
            return text_skip(&t) == TEXT_END;
        if (text_next(&t) != ',' || (objects & 1 && !text_name(&t)))
            return false;
    }
}
