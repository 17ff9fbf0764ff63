/*
 * fuzz_import.c - the importers, the merge and the writer against any bytes.
 *
 * The first byte picks a source, a NUL byte begins the text of the next one.
 * What must hold: every record that was read is imported or listed with a
 * reason; claims point at offerings that exist; whatever is written can be read
 * by our own reader without an error; conflicts have at least one claim.
 */
#include "fuzz.h"

#include "facts/conflicts.h"
#include "facts/write.h"

static bool find(const void *ctx, enum id_table table, struct str key, struct str *value)
{
    static const char *const known[] = {"openai",     "anthropic", "google", "xai",
                                        "openrouter", "acme",      "azure",  "bedrock"};
    (void)ctx;
    for (size_t i = 0; table == ID_PROVIDER && i < sizeof known / sizeof *known; i++)
        if (str_is(key, known[i])) {
            *value = str_of(known[i]);
            return true;
        }
    return false;
}

static void check_counts(const struct import *im)
{
    for (unsigned s = 0; s < FACT_SOURCES; s++) {
        const struct import_count *n = &im->count[s];
        size_t skipped = 0, listed = 0;
        for (unsigned r = 0; r < SKIP_REASONS; r++)
            skipped += n->skipped[r];
        for (size_t i = 0; i < im->n_skips; i++)
            listed += im->skip[i].source == s;
        MUST(n->imported + skipped == n->read && listed == skipped);
    }
    for (size_t i = 0; i < im->n_claims; i++) {
        struct price_key key;
        MUST(im->claim[i].offering < im->n_offerings && im->claim[i].field < FIELD_COUNT);
        if (im->claim[i].field == F_price)
            MUST(price_key_parse(im->claim[i].key, &key) == NULL);
    }
}

static void check_written(struct arena *ar, struct import *im, const struct merged *m)
{
    struct buf b;
    struct ruleset rs;
    buf_init(&b, NULL, LIMIT_TOML_BYTES);
    size_t n = write_rows(&b, im, m, 0, m->n_rows);
    MUST(!b.failed);
    if (n) {
        ruleset_init(&rs, ar);
        ruleset_read(&rs, STR("facts.toml"), str_make(b.p, b.n), CANDO_SYNTAX_CANDO,
                     CANDO_LAYER_FACTS);
        MUST(rs.fatal == 0 && rs.diag.count[CANDO_ERROR] == 0 && rs.n_rules == n);
    }
    buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct id_tables ids = {NULL, find};
    struct str rest = str_make((const char *)data, size);
    struct arena ar;
    struct import im;
    struct merged m;
    struct conflict_list l;
    arena_init(&ar, NULL);
    import_init(&im, &ar, &ids);
    while (rest.n > 1) {
        size_t cut = str_find_char(str_from(rest, 1), '\0') + 1;
        unsigned source = (unsigned char)rest.p[0] % FACT_SOURCES;
        struct json_error err;
        if (!im.count[source].given)
            import_read(&im, source, str_make(rest.p + 1, cut - 1), 20260702 + source, &err);
        rest = str_from(rest, cut + 1);
    }
    MUST(!im.ar->failed);
    if (im.n_claims < 20000) {
        MUST(merge_claims(&im, &m));
        check_counts(&im);
        check_written(&ar, &im, &m);
        conflicts_init(&l, &ar);
        conflicts_from_merge(&l, &im, &m);
        conflicts_sort(&l);
        for (size_t i = 0; i < l.n; i++)
            MUST(l.item[i].n > 0 && l.item[i].score > 0);
    }
    arena_free(&ar);
    return 0;
}
