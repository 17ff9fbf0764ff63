/*
 * test_json_reference.c - the reader against one that is as plain as can be:
 * recursive, a byte at a time, no limits but the depth.
 *
 * Both write what they found as text: kinds, places and decoded bytes of a text
 * that is accepted, code and place of one that is refused. The texts must agree on
 * all files of the suite and on what becomes of them by small edits.
 */
#include "json_case.h"

#include "base/limits.h"

#define EDITED_TEXTS 20000

/* -- the reference ------------------------------------------------------------------- */

struct reference {
    struct arena *ar;
    const char *p;
    size_t n, at;
    unsigned depth;
    struct buf *out;
    enum code code; /* of what is wrong */
    size_t bad;
};

static bool wrong(struct reference *r, enum code code, size_t at)
{
    r->code = code;
    r->bad = at;
    return false;
}

static char here(const struct reference *r)
{
    return r->at < r->n ? r->p[r->at] : '\0';
}

static bool take(struct reference *r, char c)
{
    if (r->at == r->n || r->p[r->at] != c)
        return false;
    r->at++;
    return true;
}

static void space(struct reference *r)
{
    while (take(r, ' ') || take(r, '\t') || take(r, '\n') || take(r, '\r'))
        ;
}

static bool reference_hex4(struct reference *r, uint32_t *out)
{
    *out = 0;
    for (unsigned i = 0; i < 4; i++) {
        char c = here(r);
        if (c >= '0' && c <= '9')
            *out = *out * 16 + (uint32_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            *out = *out * 16 + (uint32_t)(c - 'a' + 10);
        else if (c >= 'A' && c <= 'F')
            *out = *out * 16 + (uint32_t)(c - 'A' + 10);
        else
            return wrong(r, CODE_json_syntax, r->at);
        r->at++;
    }
    return true;
}

/* r->at is at the backslash. */
static bool reference_escape(struct reference *r, struct buf *text)
{
    size_t at = r->at++;
    uint32_t high, low;
    char utf8[4];
    if (r->at == r->n)
        return wrong(r, CODE_json_syntax, r->n);
    char c = r->p[r->at++];
    switch (c) {
    case '"':
    case '\\':
    case '/':
        buf_putc(text, c);
        return true;
    case 'b':
        buf_putc(text, '\b');
        return true;
    case 'f':
        buf_putc(text, '\f');
        return true;
    case 'n':
        buf_putc(text, '\n');
        return true;
    case 'r':
        buf_putc(text, '\r');
        return true;
    case 't':
        buf_putc(text, '\t');
        return true;
    case 'u':
        break;
    default:
        return wrong(r, CODE_json_syntax, r->at - 1);
    }
    if (!reference_hex4(r, &high))
        return false;
    if (high >= 0xDC00 && high <= 0xDFFF)
        return wrong(r, CODE_json_syntax, at);
    if (high >= 0xD800 && high <= 0xDBFF) {
        if (r->n - r->at < 2 || !take(r, '\\') || !take(r, 'u'))
            return wrong(r, CODE_json_syntax, at);
        if (!reference_hex4(r, &low))
            return false;
        if (low < 0xDC00 || low > 0xDFFF)
            return wrong(r, CODE_json_syntax, at);
        high = 0x10000 + (high - 0xD800) * 0x400 + (low - 0xDC00);
    }
    buf_put(text, utf8, utf8_put(high, utf8));
    return true;
}

static bool reference_string(struct reference *r, struct buf *text)
{
    size_t open = r->at++;
    while (r->at < r->n) {
        unsigned char c = (unsigned char)here(r);
        if (c == '"') {
            r->at++;
            return true;
        }
        if (c == '\\') {
            if (!reference_escape(r, text))
                return false;
            continue;
        }
        unsigned step = c < 0x20 ? 0 : utf8_step(r->p + r->at, r->n - r->at);
        if (step == 0)
            return wrong(r, CODE_json_syntax, r->at);
        buf_put(text, r->p + r->at, step);
        r->at += step;
    }
    return wrong(r, CODE_json_syntax, open);
}

static bool reference_digits(struct reference *r)
{
    if (!char_is_digit(here(r)))
        return wrong(r, CODE_json_syntax, r->at);
    while (char_is_digit(here(r)))
        r->at++;
    return true;
}

static bool reference_number(struct reference *r)
{
    take(r, '-');
    if (take(r, '0')) {
        if (char_is_digit(here(r)))
            return wrong(r, CODE_json_syntax, r->at - 1);
    } else if (!reference_digits(r)) {
        return false;
    }
    if (take(r, '.') && !reference_digits(r))
        return false;
    if (take(r, 'e') || take(r, 'E')) {
        if (!take(r, '+'))
            take(r, '-');
        return reference_digits(r);
    }
    return true;
}

static bool reference_value(struct reference *r);

/* "places bytes" of a string or a number. */
static void note(struct buf *out, char kind, size_t at, size_t end, struct str text)
{
    buf_printf(out, "%c %zu %zu %zu ", kind, at, end, text.n);
    buf_puts(out, text);
    buf_putc(out, '\n');
}

struct keys {
    struct reference_key {
        size_t at;
        struct str text;
    } *key;
    size_t n, cap;
};

static bool reference_key(struct reference *r, struct keys *keys)
{
    struct buf text;
    size_t at = r->at;
    if (here(r) != '"')
        return wrong(r, CODE_json_syntax, r->at);
    buf_init_arena(&text, r->ar, 1 << 20);
    if (!reference_string(r, &text))
        return false;
    struct str s = str_make(text.p, text.n);
    note(r->out, 'k', at, r->at, s);
    assert_true(ARENA_GROW(r->ar, keys->key, keys->n, keys->cap));
    keys->key[keys->n++] = (struct reference_key){at, s};
    space(r);
    return take(r, ':') ? true : wrong(r, CODE_json_syntax, r->at);
}

static bool reference_members(struct reference *r)
{
    struct keys keys = {0};
    for (;;) {
        space(r);
        if (!reference_key(r, &keys) || !reference_value(r))
            return false;
        space(r);
        if (take(r, '}'))
            break;
        if (!take(r, ','))
            return wrong(r, CODE_json_syntax, r->at);
    }
    for (size_t i = 0; i < keys.n; i++)
        for (size_t k = 0; k < i; k++)
            if (str_eq(keys.key[i].text, keys.key[k].text))
                return wrong(r, CODE_json_duplicate_key, keys.key[i].at);
    return true;
}

static bool reference_items(struct reference *r)
{
    for (;;) {
        if (!reference_value(r))
            return false;
        space(r);
        if (take(r, ']'))
            return true;
        if (!take(r, ','))
            return wrong(r, CODE_json_syntax, r->at);
    }
}

static bool reference_container(struct reference *r)
{
    size_t at = r->at;
    char open = r->p[r->at];
    bool ok = true;
    if (r->depth == LIMIT_JSON_DEPTH)
        return wrong(r, CODE_json_depth, at);
    r->depth++;
    r->at++;
    buf_printf(r->out, "%c %zu\n", open, at);
    space(r);
    if (open == '[' && !take(r, ']'))
        ok = reference_items(r);
    else if (open == '{' && !take(r, '}'))
        ok = reference_members(r);
    r->depth--;
    if (ok)
        buf_printf(r->out, "end %zu\n", r->at);
    return ok;
}

static bool reference_word(struct reference *r, const char *word)
{
    size_t at = r->at, n = strlen(word);
    if (r->n - at < n || memcmp(r->p + at, word, n) != 0)
        return wrong(r, CODE_json_syntax, at);
    r->at += n;
    if (char_is_alpha(here(r)) || char_is_digit(here(r)) || here(r) == '_')
        return wrong(r, CODE_json_syntax, at);
    note(r->out, word[0], at, r->at, STR_NONE);
    return true;
}

static bool reference_value(struct reference *r)
{
    space(r);
    size_t at = r->at;
    char c = here(r);
    if (c == '{' || c == '[')
        return reference_container(r);
    if (c == 't')
        return reference_word(r, "true");
    if (c == 'f')
        return reference_word(r, "false");
    if (c == 'n')
        return reference_word(r, "null");
    if (c == '-' || char_is_digit(c)) {
        if (!reference_number(r))
            return false;
        note(r->out, '1', at, r->at, str_make(r->p + at, r->at - at));
        return true;
    }
    if (c != '"')
        return wrong(r, CODE_json_syntax, at);
    struct buf text;
    buf_init_arena(&text, r->ar, 1 << 20);
    if (!reference_string(r, &text))
        return false;
    note(r->out, '"', at, r->at, str_make(text.p, text.n));
    return true;
}

static void reference_read(struct arena *ar, struct str s, struct buf *out)
{
    struct reference r = {.ar = ar, .p = s.n ? s.p : "", .n = s.n, .out = out};
    bool mark = str_starts(s, STR("\xEF\xBB\xBF"));
    bool ok = mark ? wrong(&r, CODE_json_syntax, 0) : reference_value(&r);
    if (ok) {
        space(&r);
        ok = r.at == r.n ? true : wrong(&r, CODE_json_syntax, r.at);
    }
    if (ok)
        return;
    buf_clear(out);
    buf_printf(out, "%s %zu\n", code_name(r.code), r.bad);
}

/* -- the reader ------------------------------------------------------------------------ */

static void note_value(const struct json *v, struct buf *out)
{
    static const char kind[] = "nft1\"[{";
    if (v->kind != JSON_ARRAY && v->kind != JSON_OBJECT) {
        note(out, kind[v->kind], v->at, v->end, v->text);
        return;
    }
    buf_printf(out, "%c %zu\n", kind[v->kind], (size_t)v->at);
    for (size_t i = 0; i < v->n; i++) {
        if (v->kind == JSON_OBJECT)
            note(out, 'k', v->key[i].at, v->key[i].end, v->key[i].text);
        note_value(&v->item[i], out);
    }
    buf_printf(out, "end %zu\n", (size_t)v->end);
}

static void reader_read(struct arena *ar, struct str s, struct buf *out)
{
    struct json_error err;
    const struct json *v = json_parse(ar, s, &err);
    if (v)
        note_value(v, out);
    else
        buf_printf(out, "%s %zu\n", code_name(err.code), err.at);
}

static bool agree(struct arena *ar, struct str s, struct buf *ours, struct buf *theirs)
{
    arena_clear(ar);
    buf_clear(ours);
    buf_clear(theirs);
    reader_read(ar, s, ours);
    reference_read(ar, s, theirs);
    assert_false(ours->failed || theirs->failed);
    if (ours->n != theirs->n || memcmp(ours->p, theirs->p, ours->n) != 0)
        fail_msg("of %.*s\nthe reader says\n%.*s\nthe reference\n%.*s", STR_ARG(s),
                 STR_ARG(str_make(ours->p, ours->n)), STR_ARG(str_make(theirs->p, theirs->n)));
    return !str_starts(str_make(ours->p, ours->n), STR("json-"));
}

static void test_reference(void **state)
{
    (void)state;
    struct json_texts texts;
    struct arena ar;
    struct buf ours, theirs;
    unsigned accepted = 0;
    json_texts_read(&texts);
    arena_init(&ar, NULL);
    buf_init(&ours, NULL, 1 << 20);
    buf_init(&theirs, NULL, 1 << 20);
    for (size_t i = 0; i < texts.n; i++)
        agree(&ar, texts.text[i], &ours, &theirs);
    for (unsigned i = 0; i < EDITED_TEXTS; i++) {
        struct str s = json_text_edited(&texts);
        accepted += agree(&ar, s, &ours, &theirs);
        json_text_free(s);
    }
    assert_true(accepted > EDITED_TEXTS / 20 && accepted < EDITED_TEXTS / 2);
    buf_free(&ours);
    buf_free(&theirs);
    arena_free(&ar);
    json_texts_free(&texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reference)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
