/*
 * fuzz_http.c - the request path: bytes of a connection through serve/strict.c, in one piece and in
 * many, and what the daemon does with the parts of a request by itself.
 *
 * What passes must not depend on how the bytes were cut; what passes as a head must have one Host,
 * one length, lines that end in CR LF. A slow reference (below) says so in another way.
 */
#include "serve/json.h"
#include "serve/pack.h"
#include "serve/strict.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok)
{
    if (!ok)
        abort();
}

/* In pieces whose sizes the input chooses. */
static size_t feed_in_pieces(struct strict *s, const char *p, size_t n, uint8_t seed)
{
    size_t at = 0;
    while (at < n) {
        size_t piece = 1 + (seed = (uint8_t)(seed * 5 + 3)) % 9;
        piece = piece < n - at ? piece : n - at;
        size_t passed = strict_feed(s, p + at, piece);
        at += passed;
        if (passed < piece)
            break;
    }
    return at;
}

/* How often a header stands in a head, by the letter. */
static unsigned count_header(struct str head, const char *name)
{
    struct str want = str_of(name);
    unsigned n = 0;
    for (size_t i = 0; i + want.n + 2 < head.n; i++) {
        if (head.p[i] != '\n' || !str_eq_fold(str_make(head.p + i + 1, want.n), want))
            continue;
        n += head.p[i + 1 + want.n] == ':';
    }
    return n;
}

/* The first head, if all of it has passed. */
static void judge_head(struct str passed)
{
    size_t end = str_find(passed, STR("\r\n\r\n"));
    if (end == SIZE_MAX)
        return;
    struct str head = str_head(passed, end + 4);
    check(count_header(head, "host") == 1);
    check(count_header(head, "content-length") + count_header(head, "transfer-encoding") <= 1);
    for (size_t i = 0; i < head.n; i++) {
        check(head.p[i] != '\0');
        check(head.p[i] != '\n' || (i && head.p[i - 1] == '\r'));
        check(head.p[i] != '\r' || head.p[i + 1] == '\n');
        check(head.p[i] != '\n' || i + 1 == head.n ||
              (head.p[i + 1] != ' ' && head.p[i + 1] != '\t'));
    }
}

static void fuzz_strict(struct str text, uint8_t seed)
{
    struct strict whole, cut;
    strict_init(&whole);
    strict_init(&cut);
    size_t n = strict_feed(&whole, text.p, text.n);
    check(n == feed_in_pieces(&cut, text.p, text.n, seed));
    check((n < text.n) == (whole.status != 0));
    check(whole.status == cut.status && whole.state == cut.state && whole.left == cut.left);
    check(!whole.status || (whole.status >= 400 && whole.status < 600 && whole.why));
    if (whole.status)
        check(strict_feed(&whole, text.p, text.n) == 0);
    judge_head(str_head(text, n));
}

static void fuzz_texts(struct str text)
{
    struct buf b;
    struct str key, value;
    size_t at = 0, steps = 0;
    pack_is_accepted(text);
    buf_init(&b, NULL, 1 << 20);
    json_str(&b, text);
    check(!b.failed && b.n >= 2 && utf8_check(str_make(b.p, b.n)) == b.n);
    buf_free(&b);
    while (object_next(text, &at, &key, &value)) {
        check(key.p >= text.p && value.p + value.n <= text.p + text.n);
        check(++steps <= text.n);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    struct str text = {(const char *)data + 1, size - 1};
    fuzz_strict(text, data[0]);
    fuzz_texts(text);
    return 0;
}
