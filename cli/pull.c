#include "pull.h"

static struct str skip_space(struct str s)
{
    size_t i = 0;
    while (i < s.n && (s.p[i] == ' ' || s.p[i] == '\n' || s.p[i] == '\t' || s.p[i] == '\r'))
        i++;
    return str_from(s, i);
}

enum pull_kind pull_kind(struct str v)
{
    v = skip_space(v);
    if (!v.n)
        return PULL_NONE;
    switch (v.p[0]) {
    case '{':
        return PULL_OBJECT;
    case '[':
        return PULL_LIST;
    case '"':
        return PULL_STRING;
    case 'n':
        return PULL_NULL;
    case 't':
        return PULL_TRUE;
    case 'f':
        return PULL_FALSE;
    default:
        return v.p[0] == '-' || char_is_digit(v.p[0]) ? PULL_NUMBER : PULL_NONE;
    }
}

/* Length of the string at the start of s with its quotes; 0 if it does not end. */
static size_t string_length(struct str s)
{
    for (size_t i = 1; i < s.n; i++) {
        if (s.p[i] == '\\')
            i++;
        else if (s.p[i] == '"')
            return i + 1;
    }
    return 0;
}

/* Length of the value at the start of s; 0 if there is no whole one. */
static size_t value_length(struct str s)
{
    if (!s.n)
        return 0;
    if (s.p[0] == '"')
        return string_length(s);
    size_t depth = 0, i = 0;
    while (i < s.n) {
        char c = s.p[i];
        if (c == '"') {
            size_t n = string_length(str_from(s, i));
            if (!n)
                return 0;
            i += n;
            continue;
        }
        if (depth == 0 && (c == ',' || c == ']' || c == '}' || c == ':' || c == ' ' || c == '\n' || c == '\r' || c == '\t'))
            return i;
        if (c == '{' || c == '[')
            depth++;
        if ((c == '}' || c == ']') && --depth == 0)
            return i + 1;
        i++;
    }
    return depth ? 0 : i;
}

bool pull_next(struct str *at, struct str *key, struct str *value)
{
    struct str s = skip_space(*at);
    if (!s.n || s.p[0] == ']' || s.p[0] == '}')
        return false;
    if (s.p[0] != '[' && s.p[0] != '{' && s.p[0] != ',')
        return false;
    s = skip_space(str_from(s, 1));
    size_t n = value_length(s);
    if (!n || s.p[0] == ']' || s.p[0] == '}')
        return false;
    struct str first = str_head(s, n);
    s = skip_space(str_from(s, n));
    struct str name = STR_NONE;
    if (s.n && s.p[0] == ':') {
        name = first;
        s = skip_space(str_from(s, 1));
        n = value_length(s);
        if (!n)
            return false;
        first = str_head(s, n);
        s = str_from(s, n);
    }
    if (key)
        *key = name;
    *value = first;
    *at = s;
    return true;
}

struct str pull_get(struct str object, const char *key)
{
    struct str want = str_of(key), k, v;
    if (pull_kind(object) != PULL_OBJECT)
        return STR("");
    for (struct str at = object; pull_next(&at, &k, &v);)
        if (k.n == want.n + 2 && memcmp(k.p + 1, want.p, want.n) == 0)
            return v;
    return STR("");
}

static bool hex4(const char *p, uint32_t *out)
{
    *out = 0;
    for (int i = 0; i < 4; i++) {
        char c = char_fold(p[i]);
        if (!char_is_digit(c) && (c < 'a' || c > 'f'))
            return false;
        *out = *out << 4 | (uint32_t)(char_is_digit(c) ? c - '0' : c - 'a' + 10);
    }
    return true;
}

/* One escape at s (which begins with a backslash); gives its length. */
static size_t put_escape(struct str s, struct buf *out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (s.n < 2)
        return s.n;
    const char *q = memchr(from, s.p[1], sizeof from - 1);
    if (q) {
        buf_putc(out, to[q - from]);
        return 2;
    }
    uint32_t cp, low;
    char utf8[4];
    if (s.p[1] != 'u' || s.n < 6 || !hex4(s.p + 2, &cp))
        return 2;
    size_t used = 6;
    if (cp >= 0xD800 && cp < 0xDC00 && s.n >= 12 && s.p[6] == '\\' && s.p[7] == 'u' && hex4(s.p + 8, &low) &&
        low >= 0xDC00 && low < 0xE000) {
        cp = 0x10000 + ((cp - 0xD800) << 10) + (low - 0xDC00);
        used = 12;
    }
    buf_put(out, utf8, utf8_put(cp, utf8));
    return used;
}

bool pull_string(struct str v, struct buf *out)
{
    v = skip_space(v);
    if (pull_kind(v) != PULL_STRING || v.n < 2)
        return false;
    struct str s = {v.p + 1, v.n - 2};
    while (s.n) {
        if (s.p[0] == '\\') {
            s = str_from(s, put_escape(s, out));
            continue;
        }
        size_t plain = str_find_char(s, '\\');
        buf_put(out, s.p, plain);
        s = str_from(s, plain);
    }
    return !out->failed;
}

bool pull_number(struct str v, uint64_t *out)
{
    v = skip_space(v);
    uint64_t n = 0;
    if (!v.n)
        return false;
    for (size_t i = 0; i < v.n; i++) {
        if (!char_is_digit(v.p[i]) || n > (UINT64_MAX - 9) / 10)
            return false;
        n = n * 10 + (uint64_t)(v.p[i] - '0');
    }
    *out = n;
    return true;
}

/* -- values of fields, for replies that are still JSON --------------------------------------- */

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

enum style pull_words(struct str json, struct buf *out)
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
