/*
 * fuzz_json.c - the JSON reader and writer against any bytes.
 *
 * What must hold: a refusal names a place inside of the text and says
 * something printable; every value of an accepted text lies inside of its
 * container's bytes; an accepted text, written again in both layouts, reads
 * back as an equal value; its compact form does not change any more. With some
 * members kept as they are it is the same text, or refused for the same reason.
 * Any bytes, written as a string, read back as UTF-8.
 */
#include "fuzz.h"

#include "base/limits.h"
#include "text/json.h"

/* The bytes between the quotes, decoded on their own and in their place. */
static void check_string(const struct json *v, const char *text)
{
    size_t n = v->end - v->at - 2;
    MUST(utf8_check(v->text) == v->text.n && v->text.n <= n);
    char *own = malloc(n + 1);
    MUST(own);
    memcpy(own, text + v->at + 1, n);
    n = json_unescape(str_make(own, n), own);
    MUST(str_eq(str_make(own, n), v->text));
    free(own);
}

static void check_ranges(const struct json *v, const char *text, size_t at, size_t end)
{
    MUST(v->at >= at && v->at < v->end && v->end <= end);
    if (v->kind == JSON_STRING)
        check_string(v, text);
    if (v->kind == JSON_NUMBER)
        MUST(v->text.n == v->end - v->at);
    size_t from = v->at + 1;
    for (size_t i = 0; v->kind >= JSON_ARRAY && i < v->n; i++) {
        if (v->kind == JSON_OBJECT) {
            MUST(v->key[i].at >= from && v->key[i].end > v->key[i].at + 1);
            MUST(json_get(v, "") == NULL || json_get(v, "")->end <= v->end);
            from = v->key[i].end;
        }
        check_ranges(&v->item[i], text, from, v->end - 1);
        from = v->item[i].end;
    }
}

static void check_error(const struct json_error *e, size_t size)
{
    MUST(e->at <= size && e->line >= 1 && e->column >= 1);
    MUST(e->code == CODE_json_syntax || e->code == CODE_json_duplicate_key ||
         e->code == CODE_json_depth);
    size_t n = strlen(e->message);
    MUST(n > 0 && n < sizeof e->message && utf8_check(str_make(e->message, n)) == n);
    for (size_t i = 0; i < n; i++)
        MUST((unsigned char)e->message[i] >= 0x20);
}

static void write_value(struct buf *out, const struct json *v, bool pretty)
{
    struct json_writer w;
    buf_init(out, NULL, SIZE_MAX / 2);
    jw_init(&w, out, pretty);
    jw_value(&w, v);
    MUST(!out->failed);
}

static bool keep_some(void *ctx, struct str key)
{
    (void)ctx;
    return str_hash(key, 0) & 1;
}

/* What json_parse said of the text is v, or NULL and err. */
static void check_kept(struct arena *ar, struct str text, const struct json *v,
                       const struct json_error *err)
{
    struct json_error kept = {0};
    struct json *k = json_parse_keeping(ar, text, keep_some, NULL, &kept);
    bool ok = k != NULL;
    for (size_t i = 0; k && k->kind == JSON_OBJECT && i < k->n; i++) {
        const struct json *read = json_raw_parse(ar, text, &k->item[i], &kept);
        ok = ok && read;
        if (read)
            k->item[i] = *read;
    }
    MUST(ok == (v != NULL));
    if (v)
        MUST(json_equal(v, k) && v->at == k->at && v->end == k->end);
    else
        MUST(kept.code == err->code && kept.at == err->at && !strcmp(kept.message, err->message));
}

static void check_written(struct arena *ar, struct str bytes)
{
    struct buf out;
    struct json_writer w;
    struct json_error err;
    buf_init_arena(&out, ar, SIZE_MAX / 2);
    jw_init(&w, &out, false);
    jw_array(&w);
    jw_str(&w, bytes);
    jw_array_end(&w);
    MUST(!out.failed && utf8_check(str_make(out.p, out.n)) == out.n);
    const struct json *v = json_parse(ar, str_make(out.p, out.n), &err);
    MUST(v && v->n == 1 && v->item[0].kind == JSON_STRING);
    if (utf8_check(bytes) == bytes.n)
        MUST(str_eq(v->item[0].text, bytes));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena ar;
    struct json_error err = {0};
    arena_init(&ar, NULL);
    struct str text = str_make((const char *)data, size);
    struct json *v = json_parse(&ar, text, &err);
    check_kept(&ar, text, v, &err);
    check_written(&ar, text);
    if (!v) {
        check_error(&err, size);
        arena_free(&ar);
        return 0;
    }
    check_ranges(v, text.p, 0, size);
    MUST(json_equal(v, v));
    uint64_t number;
    if (json_uint(v, &number))
        MUST(v->kind == JSON_NUMBER && number <= LIMIT_NUMBER);
    struct buf pretty, compact, again;
    write_value(&pretty, v, true);
    struct json *back = json_parse(&ar, str_make(pretty.p, pretty.n), &err);
    MUST(back && json_equal(v, back) && json_equal(back, v));
    write_value(&compact, v, false);
    back = json_parse(&ar, str_make(compact.p, compact.n), &err);
    MUST(back && json_equal(v, back));
    write_value(&again, back, false);
    MUST(again.n == compact.n && memcmp(again.p, compact.p, again.n) == 0);
    buf_free(&pretty);
    buf_free(&compact);
    buf_free(&again);
    arena_free(&ar);
    return 0;
}
