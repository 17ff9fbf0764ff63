/*
 * fuzz_signed.c - signed files of any bytes.
 *
 * What must hold: a refusal names a line and says something; what was read keeps its bounds;
 * written again it reads back as the same documents. And nothing that was not signed by the keys
 * of the pinned root is ever taken: there is none here that could be.
 */
#include "fuzz.h"

#include "cli/trust.h"

static void check_document(const struct document *d)
{
    MUST(d->kind <= SIGNED_HEAD && d->version >= 1);
    MUST(d->n <= SIGNED_SIGNATURES && d->line.n <= SIGNED_LINE_BYTES);
    for (unsigned i = 0; i < ROLES; i++)
        MUST(d->role[i].n <= SIGNED_KEYS && d->role[i].threshold <= d->role[i].n);
    MUST(d->kind != SIGNED_ROOT || d->role[SIGNED_ROOT].threshold >= 1);
}

static void check_again(const struct signed_file *f, struct arena *ar)
{
    struct buf b;
    struct signed_file back;
    buf_init_arena(&b, ar, SIZE_MAX / 2);
    for (size_t i = 0; i < f->n; i++)
        signed_write(&b, &f->document[i]);
    MUST(!b.failed);
    MUST(signed_parse(str_make(b.p, b.n), "again", ar, &back, NULL) == CANDO_OK);
    MUST(back.n == f->n);
    for (size_t i = 0; i < f->n; i++) {
        MUST(str_eq(back.document[i].line, f->document[i].line));
        MUST(back.document[i].n == f->document[i].n);
    }
}

static void check_trust(const struct signed_file *f)
{
    struct trust t = {.has_root = true, .root = {.version = 1}};
    cando_error err;
    t.root.role[SIGNED_ROOT] = t.root.role[SIGNED_CATALOG] = (struct role){.threshold = 1, .n = 1};
    memset(t.root.role[SIGNED_ROOT].key[0], 0x5a, ED25519_KEY);
    memset(t.root.role[SIGNED_CATALOG].key[0], 0xa5, ED25519_KEY);
    trust_follow(&t, f, false, &err);
    MUST(t.root.version == 1);
    MUST(trust_catalog(&t, f, 0, &err) != CANDO_OK && err.message[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena ar;
    struct signed_file f;
    cando_error err = {0};
    arena_init(&ar, NULL);
    struct str text = str_make((const char *)data, size);
    if (signed_parse(text, "file", &ar, &f, &err) != CANDO_OK) {
        MUST(err.message[0] && err.line >= 1);
        arena_free(&ar);
        return 0;
    }
    for (size_t i = 0; i < f.n; i++)
        check_document(&f.document[i]);
    check_again(&f, &ar);
    check_trust(&f);
    arena_free(&ar);
    return 0;
}
