/*
 * test_reader.c - replies that go by in pieces, cut at every place that there is.
 */
#include "test.h"

enum { LIMIT = 4096 };

struct row {
    const char *type, *text, *want; /* want NULL: nothing to read */
};

static const struct row rows[] = {
    {"application/json", "{\"usage\":{}}", "{\"usage\":{}}"},
    {NULL, "anything", "anything"},
    {"application/json", "", NULL},
    {"text/event-stream",
     "event: a\ndata: {\"type\":\"start\"}\n\n"
     "data: {\"delta\":1}\n\ndata: {\"delta\":2}\n\n"
     "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3}}\n\ndata: [DONE]\n\n",
     "[{\"type\":\"start\"},{\"choices\":[],\"usage\":{\"prompt_tokens\":3}}]"},
    /* The last event counts, too, and one may lack its end. */
    {"text/event-stream; charset=utf-8",
     "data:{\"a\":1}\r\n\r\ndata:{\"b\":2}\r\n\r\ndata: {\"c\":3}", "[{\"a\":1},{\"c\":3}]"},
    /* Several lines of data are one event, and comments are none. */
    {"text/event-stream", ": ping\n\ndata: {\"usage\" :\ndata: {\"n\":1}}\n\n",
     "[{\"usage\" :\n {\"n\":1}}]"},
    {"text/event-stream", ": ping\n\ndata: [DONE]\n\n", NULL},
    {"text/event-stream", "data: {\"a\":1}\r\rdata: {\"usage\":{}}\r\r",
     "[{\"a\":1},{\"usage\":{}}]"},
    {"application/x-ndjson", "{\"a\":1}\n\n{\"b\":2}\n{\"done\":true,\"usage\":{}}\n",
     "[{\"a\":1},{\"done\":true,\"usage\":{}}]"},
    {"application/jsonl", "{\"a\":1}", "[{\"a\":1}]"},
    /* Counts are told from texts that speak of them. */
    {"application/x-ndjson", "{\"a\":1}\n{\"text\":\"usage: {\"}\n{\"myUsageData\":{}}\n{\"z\":0}",
     "[{\"a\":1},{\"myUsageData\":{}},{\"z\":0}]"},
};

static void check(const struct row *row, size_t piece)
{
    cando_reader *r = cando_reader_new(row->type, LIMIT, NULL, NULL);
    assert_non_null(r);
    size_t n = strlen(row->text);
    for (size_t i = 0; i < n; i += piece) {
        /* in memory of its own, so that a look past its end is seen */
        size_t take = n - i < piece ? n - i : piece;
        char *copy = malloc(take);
        assert_non_null(copy);
        memcpy(copy, row->text + i, take);
        cando_reader_see(r, copy, take);
        free(copy);
    }
    const char *why = "none";
    cando_bytes have = cando_reader_end(r, &why);
    if (!row->want) {
        assert_null(have.p);
        assert_non_null(why);
    } else {
        assert_null(why);
        assert_int_equal(have.n, strlen(row->want));
        assert_memory_equal(have.p, row->want, have.n);
    }
    cando_reader_free(r);
}

static void test_all_cuts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t piece = 1; piece <= strlen(rows[i].text) + 1; piece++)
            check(&rows[i], piece);
}

/* -- frames -- */

static void put_number(struct buf *b, uint32_t n)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        buf_putc(b, (char)(n >> shift));
}

static void put_frame(struct buf *b, const char *type, const char *payload)
{
    struct str name = STR(":event-type");
    size_t headers = 1 + name.n + 3 + strlen(type);
    put_number(b, (uint32_t)(12 + headers + strlen(payload) + 4));
    put_number(b, (uint32_t)headers);
    put_number(b, 0);
    buf_putc(b, (char)name.n);
    buf_puts(b, name);
    buf_put(b, "\7\0", 2);
    buf_putc(b, (char)strlen(type));
    buf_putz(b, type);
    buf_putz(b, payload);
    put_number(b, 0);
}

static const char frames_type[] = "application/vnd.amazon.eventstream";

static void test_frames(void **state)
{
    (void)state;
    static const char want[] =
        "[{\"messageStart\":{\"role\":\"assistant\"}},{\"metadata\":{\"usage\":{}}}]";
    struct buf b;
    buf_init(&b, NULL, LIMIT);
    put_frame(&b, "messageStart", "{\"role\":\"assistant\"}");
    put_frame(&b, "contentBlockDelta", "{\"delta\":{}}");
    put_frame(&b, "metadata", "{\"usage\":{}}");
    for (size_t piece = 1; piece <= b.n; piece++) {
        cando_reader *r = cando_reader_new(frames_type, LIMIT, NULL, NULL);
        for (size_t i = 0; i < b.n; i += piece)
            cando_reader_see(r, b.p + i, b.n - i < piece ? b.n - i : piece);
        cando_bytes have = cando_reader_end(r, NULL);
        /* the frame with the counts is there only once, though it is the last */
        assert_int_equal(have.n, strlen(want));
        assert_memory_equal(have.p, want, have.n);
        cando_reader_free(r);
    }
    buf_free(&b);
}

static void test_no_frames(void **state)
{
    (void)state;
    static const char *const bad[] = {"\0\0\0\1\0\0\0\0aaaaaaaa", "\0\0\0\x20\0\0\xff\0aaaaaaaa"};
    for (size_t i = 0; i < 2; i++) {
        const char *why;
        cando_reader *r = cando_reader_new(frames_type, LIMIT, NULL, NULL);
        cando_reader_see(r, bad[i], 16);
        cando_reader_see(r, bad[i], 16);
        assert_null(cando_reader_end(r, &why).p);
        assert_string_equal(why, "the reply is no event stream");
        cando_reader_free(r);
    }
}

static void test_limit(void **state)
{
    (void)state;
    static const char *const types[] = {"application/json", "text/event-stream", "x-ndjson",
                                        frames_type};
    static const char filled[64] = "data: {\"usage\":{}}\n\ndata: {\"usage\":{}}\n\n";
    for (size_t i = 0; i < 4; i++) {
        const char *why;
        cando_reader *r = cando_reader_new(types[i], 200, NULL, NULL);
        char frame[64] = "\0\0\x10\0\0\0\0\0";
        for (int k = 0; k < 100; k++)
            cando_reader_see(r, i == 3 ? frame : filled, i == 3 ? sizeof frame : strlen(filled));
        assert_null(cando_reader_end(r, &why).p);
        assert_string_equal(why, "the reply has more to keep than the limit allows");
        cando_reader_free(r);
    }
    /* What is not kept does not count. */
    cando_reader *r = cando_reader_new("text/event-stream", 200, NULL, NULL);
    for (int k = 0; k < 1000; k++)
        cando_reader_see(r, "data: {\"delta\":\"x\"}\n\n", 21);
    assert_non_null(cando_reader_end(r, NULL).p);
    cando_reader_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_cuts),
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_no_frames),
        cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
