/*
 * fuzz_scan.c - the request scanner against any bytes.
 *
 * What must hold: all index makers agree with each other and with the JSON
 * reader of text/json.h on what is JSON; a refusal has the same code, and its
 * place lies inside of the text; watching with the rules of an API changes
 * nothing about that. The text lies in memory of exactly its size, so that a
 * sanitizer sees every byte read too far.
 */
#include "fuzz.h"

#include "request/preflight.h"
#include "text/json.h"

/* Objects with more keys than the scan remembers may repeat one unseen. */
static bool few_keys(struct str text)
{
    size_t colons = 0;
    for (size_t i = 0; i < text.n; i++)
        colons += text.p[i] == ':';
    return colons < 256;
}

static enum code scan_code(struct scan *s, const struct scan_target *t, uint32_t api,
                           struct str text, enum scan_path path)
{
    if (scan_run(s, t, api, text, path))
        return CODE_COUNT;
    size_t at = s->error_at;
    char message[200] = "";
    enum code code = s->error;
    if (code == CODE_json_syntax)
        code = scan_error(text, &at, message, sizeof message);
    MUST(at <= text.n);
    return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const cando_target *target;
    static struct scan scan;
    if (!target)
        target =
            cando_target_new(cando_catalog_builtin(), (cando_name){0}, TARGET_NEEDS, NULL, NULL);
    MUST(target);
    char *copy = malloc(size ? size : 1);
    MUST(copy);
    memcpy(copy, data, size);
    struct str text = str_make(copy, size);
    struct arena ar;
    struct json_error err;
    arena_init(&ar, NULL);
    enum code want = json_parse(&ar, text, &err) ? CODE_COUNT : err.code;
    arena_free(&ar);
    bool exact = few_keys(text);
    for (unsigned path = SCAN_PLAIN; path < SCAN_PATHS; path++) {
        enum code have = scan_code(&scan, NULL, SNAP_NONE, text, (enum scan_path)path);
        /* which of two faults comes first may differ; that there is one may not */
        MUST((have == CODE_COUNT) == (want == CODE_COUNT) ||
             (!exact && want == CODE_json_duplicate_key));
        MUST(have != CODE_internal);
        for (uint32_t d = 0; d < target->catalog->snap.sec[SEC_REQ_APIS].n; d++)
            MUST(scan_code(&scan, target_scan(target, d), d, text, (enum scan_path)path) == have);
    }
    free(copy);
    return 0;
}
