/*
 * locate.c - finds its way in a JSON text that is known to be sound, a byte at a
 * time. It is only run where there is a finding to be shown or an edit to be made.
 */
#include "preflight.h"

size_t locate_space(struct str text, size_t at)
{
    while (at < text.n && char_is_space(text.p[at]))
        at++;
    return at;
}

size_t locate_back(struct str text, size_t at)
{
    while (at-- > 0)
        if (!char_is_space(text.p[at]))
            return at;
    return SIZE_MAX;
}

/* Behind the first quote that no odd number of backslashes stands before: texts are long, and
 * have few of either. */
static size_t string_end(struct str text, size_t at)
{
    for (size_t from = at + 1; from < text.n;) {
        const char *quote = memchr(text.p + from, '"', text.n - from);
        size_t end = quote ? (size_t)(quote - text.p) : text.n, slashes = 0;
        while (end - slashes > from && text.p[end - slashes - 1] == '\\')
            slashes++;
        if (!quote || slashes % 2 == 0)
            return quote ? end + 1 : text.n;
        from = end + 1;
    }
    return text.n;
}

/* What a byte is outside of strings; all that are none of these make up words. */
enum { IN_WORD, A_QUOTE, OPENS, CLOSES, BETWEEN };
static const unsigned char kinds[256] = {
    ['"'] = A_QUOTE,  ['{'] = OPENS,    ['['] = OPENS,    ['}'] = CLOSES,
    [']'] = CLOSES,   [','] = BETWEEN,  [':'] = BETWEEN,  [' '] = BETWEEN,
    ['\n'] = BETWEEN, ['\r'] = BETWEEN, ['\t'] = BETWEEN,
};

static unsigned kind_of(char c)
{
    return kinds[(unsigned char)c];
}

/* Words end at what may follow one: a quote and an opening bracket may not, and are part of it. */
static size_t word_end(struct str text, size_t at)
{
    while (at < text.n && kind_of(text.p[at]) != BETWEEN && kind_of(text.p[at]) != CLOSES)
        at++;
    return at;
}

size_t locate_end(struct str text, size_t at)
{
    size_t depth = 0;
    while (at < text.n) {
        switch (kind_of(text.p[at])) {
        case OPENS:
            depth++;
            at++;
            continue;
        case CLOSES:
            at++;
            if (depth <= 1)
                return at;
            depth--;
            continue;
        case BETWEEN:
            if (depth == 0)
                return at;
            at++;
            continue;
        case A_QUOTE:
            at = string_end(text, at);
            break;
        default:
            at = word_end(text, at);
        }
        if (depth == 0)
            return at;
    }
    return text.n;
}

bool locate_key(struct str text, size_t at, size_t *key)
{
    size_t colon = locate_back(text, at);
    if (colon == SIZE_MAX || text.p[colon] != ':')
        return false;
    size_t close = locate_back(text, colon);
    if (close == SIZE_MAX || text.p[close] != '"')
        return false;
    for (size_t i = close; i-- > 0;) {
        if (text.p[i] != '"')
            continue;
        size_t slashes = 0;
        while (slashes < i && text.p[i - 1 - slashes] == '\\')
            slashes++;
        if (slashes % 2 == 0) {
            *key = i;
            return true;
        }
    }
    return false;
}

bool locate_next(struct str text, size_t *at, struct str *key, struct scan_place *value)
{
    *at = locate_space(text, *at);
    if (*at < text.n && text.p[*at] == ',')
        *at = locate_space(text, *at + 1);
    if (*at >= text.n || text.p[*at] == '}' || text.p[*at] == ']')
        return false;
    *key = STR("");
    size_t end = locate_end(text, *at), colon = locate_space(text, end);
    if (text.p[*at] == '"' && colon < text.n && text.p[colon] == ':') {
        *key = str_make(text.p + *at + 1, end - *at - 2);
        *at = locate_space(text, colon + 1);
        end = locate_end(text, *at);
    }
    if (end == *at)
        return false; /* there is nothing where a value must be */
    *value = (struct scan_place){(uint32_t)*at, (uint32_t)end};
    *at = end;
    return true;
}

static bool key_is(struct str key, struct str name)
{
    size_t a = 0, b = 0;
    while (a < key.n && b < name.n)
        if (scan_char((const unsigned char *)key.p, key.n, &a) !=
            scan_char((const unsigned char *)name.p, name.n, &b))
            return false;
    return a == key.n && b == name.n;
}

bool locate_member(struct str text, size_t object, struct str name, struct scan_place *out)
{
    size_t at = object + 1;
    struct str key;
    if (object >= text.n || text.p[object] != '{')
        return false;
    while (locate_next(text, &at, &key, out))
        if (key_is(key, name))
            return true;
    return false;
}

size_t locate_parent(struct str text, size_t target)
{
    size_t parent = SIZE_MAX, here = locate_space(text, 0);
    while (here < target && here < text.n && (text.p[here] == '{' || text.p[here] == '[')) {
        size_t at = here + 1;
        struct str key;
        struct scan_place v;
        bool found = false;
        while (!found && locate_next(text, &at, &key, &v))
            found = target >= v.at && target < v.end;
        if (!found)
            break;
        parent = here;
        here = v.at;
    }
    return parent;
}

struct pointer {
    char *out;
    size_t size, n;
};

static void put(struct pointer *p, const char *s, size_t n)
{
    size_t room = p->n + 1 < p->size ? p->size - 1 - p->n : 0;
    if (n && room)
        memcpy(p->out + p->n, s, n < room ? n : room);
    p->n += n;
}

static void put_number(struct pointer *p, size_t number)
{
    char text[24];
    size_t at = sizeof text;
    do
        text[--at] = (char)('0' + number % 10);
    while (number /= 10);
    put(p, text + at, sizeof text - at);
}

/* Bytes of a key that stand for themselves in a pointer. */
static size_t plain_run(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if ((unsigned char)c >= 0x80 || c == '\\' || c == '~' || c == '/')
            return i;
    }
    return s.n;
}

/* A key as a reference token: without JSON's escapes, with the pointer's own. */
static void put_token(struct pointer *p, struct str key)
{
    for (size_t at = 0; at < key.n;) {
        size_t plain = plain_run(str_from(key, at));
        put(p, key.p + at, plain);
        at += plain;
        if (at == key.n)
            return;
        uint32_t cp = scan_char((const unsigned char *)key.p, key.n, &at);
        char text[4];
        if (cp == '~')
            put(p, "~0", 2);
        else if (cp == '/')
            put(p, "~1", 2);
        else
            put(p, text, utf8_put(cp, text));
    }
}

/* What stands behind the target is of no interest: a value that goes on there holds it. */
size_t locate_pointer(struct str text, size_t target, char *out, size_t size)
{
    struct pointer p = {out, size, 0};
    size_t here = locate_space(text, 0);
    text = str_head(text, target + 1);
    while (here < target && here < text.n && (text.p[here] == '{' || text.p[here] == '[')) {
        size_t at = here + 1, index = 0;
        struct str key;
        struct scan_place v;
        bool found = false, object = text.p[here] == '{';
        while (!found && locate_next(text, &at, &key, &v)) {
            found = target >= v.at && target < v.end;
            index += !found;
        }
        if (!found || (object && text.p[locate_back(text, v.at)] != ':'))
            break; /* between values, or in a key */
        put(&p, "/", 1);
        if (object)
            put_token(&p, key);
        else
            put_number(&p, index);
        here = v.at;
    }
    if (size)
        out[p.n < size ? p.n : size - 1] = '\0';
    return p.n;
}

struct str locate_path(struct arena *ar, struct str text, size_t at)
{
    char room[256];
    size_t n = locate_pointer(text, at, room, sizeof room);
    if (n < sizeof room)
        return str_dup(ar, str_make(room, n));
    char *out = arena_alloc(ar, n + 1);
    if (!out)
        return STR_NONE;
    locate_pointer(text, at, out, n + 1);
    return str_make(out, n);
}
