/*
 * json_value.c - questions to a parsed JSON value.
 *
 * Members, whole numbers, equality, JSON Pointer. Nothing here needs memory.
 *
 * Numbers keep their text, so what they are worth is worked out here, exactly:
 * a number is a row of significant digits times a power of ten, without zeros
 * at either end of the row. 100, 1e2 and 1.00E+2 all are "1" times 10^2, so
 * equality is equality of rows and powers, however long the numbers are.
 *
 * A parsed tree is at most LIMIT_JSON_DEPTH deep. Walks use a fixed stack of
 * that height instead of recursion, because some hosts (WebAssembly) have
 * little C stack.
 */
#include "json.h"

#include "base/limits.h"

/* What a value is, by its first byte. */
static enum json_kind kind_of(char first)
{
    switch (first) {
    case '{':
        return JSON_OBJECT;
    case '[':
        return JSON_ARRAY;
    case '"':
        return JSON_STRING;
    case 't':
        return JSON_TRUE;
    case 'f':
        return JSON_FALSE;
    case 'n':
        return JSON_NULL;
    default:
        return JSON_NUMBER;
    }
}

const char *json_kind_name(const struct json *v)
{
    static const char *const names[] = {"null",     "a boolean", "a boolean", "a number",
                                        "a string", "an array",  "an object"};
    if (!v)
        return "nothing";
    return names[v->kind == JSON_RAW ? kind_of(v->text.p[0]) : v->kind];
}

/* The number of the member with this key; v->n if there is none. The search
 * begins at `hint`, where it ends at once if two objects have one order. */
static size_t member(const struct json *v, struct str key, size_t hint)
{
    for (size_t i = hint; i < v->n; i++)
        if (str_eq(v->key[i].text, key))
            return i;
    for (size_t i = 0; i < hint; i++)
        if (str_eq(v->key[i].text, key))
            return i;
    return v->n;
}

const struct json *json_member(const struct json *object, struct str key)
{
    if (!object || object->kind != JSON_OBJECT)
        return NULL;
    size_t i = member(object, key, 0);
    return i < object->n ? &object->item[i] : NULL;
}

/* -- numbers ------------------------------------------------------------------- */

#define EXPONENT_MAX INT64_C(1000000000000000) /* far beyond what a text can hold as digits */

struct decimal {
    bool negative;
    const char *digit; /* the first significant digit; a '.' may stand between */
    size_t n;          /* how many digits; 0 for zero */
    int64_t power;     /* of ten, of the last of them */
};

static int64_t read_exponent(struct str s)
{
    bool negative = s.n && s.p[0] == '-';
    int64_t e = 0;
    for (size_t i = s.n && !char_is_digit(s.p[0]); i < s.n; i++)
        if (e < EXPONENT_MAX)
            e = e * 10 + (s.p[i] - '0');
    return negative ? -e : e;
}

/* `s` has the grammar of a JSON number. */
static struct decimal decimal_of(struct str s)
{
    struct decimal d = {.negative = s.n && s.p[0] == '-'};
    size_t end = 0, seen = 0; /* seen: digits from the first significant one on */
    bool point = false;
    int64_t after = 0; /* digits behind the point, up to the last significant one */
    int64_t behind = 0;
    while (end < s.n && s.p[end] != 'e' && s.p[end] != 'E')
        end++;
    for (size_t i = d.negative; i < end; i++) {
        if (s.p[i] == '.') {
            point = true;
            continue;
        }
        behind += point;
        if (s.p[i] != '0' && !d.digit)
            d.digit = s.p + i;
        if (d.digit)
            seen++;
        if (s.p[i] != '0') {
            d.n = seen;
            after = behind;
        }
    }
    if (d.n == 0)
        return (struct decimal){.digit = s.p};
    /* zeros between the last significant digit and the point (or the end of an
     * integer) belong to the power */
    int64_t zeros = (int64_t)(seen - d.n) - (behind - after);
    d.power = zeros - after + read_exponent(str_from(s, end + 1));
    return d;
}

/* The next digit of the row; steps over the point. */
static char next_digit(const char **p)
{
    if (**p == '.')
        ++*p;
    return *(*p)++;
}

/* A row of digits that is short enough not to need a closer look. */
static bool plain_uint(struct str s, uint64_t *out)
{
    uint64_t u = 0;
    if (s.n > 15)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        if (!char_is_digit(s.p[i]))
            return false;
        u = u * 10 + (uint64_t)(s.p[i] - '0');
    }
    *out = u;
    return true;
}

bool json_uint(const struct json *v, uint64_t *out)
{
    if (!v || v->kind != JSON_NUMBER)
        return false;
    if (plain_uint(v->text, out))
        return true;
    struct decimal d = decimal_of(v->text);
    if (d.n == 0) {
        *out = 0;
        return true;
    }
    if (d.negative || d.power < 0 || d.n > 16 || d.power > 16 || d.n + (size_t)d.power > 16)
        return false; /* LIMIT_NUMBER has 16 digits */
    uint64_t u = 0;
    for (size_t i = 0; i < d.n; i++)
        u = u * 10 + (uint64_t)(next_digit(&d.digit) - '0');
    for (int64_t i = 0; i < d.power; i++)
        u *= 10;
    if (u > LIMIT_NUMBER)
        return false;
    *out = u;
    return true;
}

static bool number_equal(struct str a, struct str b)
{
    if (str_eq(a, b))
        return true;
    struct decimal x = decimal_of(a), y = decimal_of(b);
    if (x.negative != y.negative || x.n != y.n || x.power != y.power)
        return false;
    if (x.power >= EXPONENT_MAX / 2 || x.power <= -EXPONENT_MAX / 2)
        return false; /* an exponent that was cut: only the same text is surely the same number */
    for (size_t i = 0; i < x.n; i++)
        if (next_digit(&x.digit) != next_digit(&y.digit))
            return false;
    return true;
}

/* -- equality ------------------------------------------------------------------ */

/* Everything but the values inside of a container. */
static bool equal_outside(const struct json *a, const struct json *b)
{
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case JSON_NUMBER:
        return number_equal(a->text, b->text);
    case JSON_STRING:
    case JSON_RAW:
        return str_eq(a->text, b->text);
    case JSON_ARRAY:
    case JSON_OBJECT:
        return a->n == b->n;
    default:
        return true;
    }
}

/* Linear where the keys stand in one order, else the square of the number of
 * keys in an object. */
bool json_equal(const struct json *a, const struct json *b)
{
    struct pair {
        const struct json *a, *b;
        size_t i;
    } up[LIMIT_JSON_DEPTH];
    size_t depth = 0;
    if (!a || !b)
        return a == b;
    for (;;) {
        if (!equal_outside(a, b))
            return false;
        if (a->kind >= JSON_ARRAY && a->n) {
            if (depth == LIMIT_JSON_DEPTH)
                return false; /* no parsed value */
            up[depth++] = (struct pair){a, b, 0};
        }
        while (depth && up[depth - 1].i == up[depth - 1].a->n)
            depth--;
        if (depth == 0)
            return true;
        struct pair *top = &up[depth - 1];
        size_t i = top->i++, j = i;
        if (top->a->kind == JSON_OBJECT)
            j = member(top->b, top->a->key[i].text, i);
        if (j == top->b->n)
            return false;
        a = &top->a->item[i];
        b = &top->b->item[j];
    }
}

/* -- JSON Pointer --------------------------------------------------------------- */

void json_pointer_token(struct buf *out, struct str token)
{
    for (size_t i = 0; i < token.n; i++) {
        if (token.p[i] == '~')
            buf_put(out, "~0", 2);
        else if (token.p[i] == '/')
            buf_put(out, "~1", 2);
        else
            buf_putc(out, token.p[i]);
    }
}

static bool token_valid(struct str token)
{
    for (size_t i = 0; i < token.n; i++) {
        if (token.p[i] != '~')
            continue;
        if (i + 1 == token.n || (token.p[i + 1] != '0' && token.p[i + 1] != '1'))
            return false;
    }
    return true;
}

/* Is the escaped token this key? */
static bool token_is(struct str token, struct str key)
{
    size_t k = 0;
    for (size_t i = 0; i < token.n; i++, k++) {
        char c = token.p[i];
        if (c == '~')
            c = token.p[++i] == '0' ? '~' : '/';
        if (k == key.n || key.p[k] != c)
            return false;
    }
    return k == key.n;
}

static const struct json *pointer_step(const struct json *v, struct str token)
{
    if (v->kind == JSON_OBJECT) {
        for (size_t i = 0; i < v->n; i++)
            if (token_is(token, v->key[i].text))
                return &v->item[i];
        return NULL;
    }
    if (v->kind != JSON_ARRAY || token.n == 0 || (token.n > 1 && token.p[0] == '0'))
        return NULL;
    size_t at = 0;
    for (size_t i = 0; i < token.n; i++) {
        if (!char_is_digit(token.p[i]) || at >= v->n)
            return NULL;
        /* v->n items fit into memory, so ten times n does not wrap */
        at = at * 10 + (size_t)(token.p[i] - '0');
    }
    return at < v->n ? &v->item[at] : NULL;
}

const struct json *json_pointer(const struct json *root, struct str pointer)
{
    const struct json *v = root;
    while (v && pointer.n) {
        if (pointer.p[0] != '/')
            return NULL;
        pointer = str_from(pointer, 1);
        struct str token = str_head(pointer, str_find_char(pointer, '/'));
        if (!token_valid(token))
            return NULL;
        v = pointer_step(v, token);
        pointer = str_from(pointer, token.n);
    }
    return v;
}
