/*
 * fuzz_learn.c - error replies and users' rule files against any bytes.
 *
 * The input is an error reply; behind a line of three dashes it is the rule file that
 * the rule goes into. What must hold: whatever was learnt is a field of the vocabulary
 * with a value that a rule file may have, its evidence is one clean line, the rules that
 * come of it are read without an error, and a file that takes them keeps all its bytes
 * and takes them once only.
 */
#include "fuzz.h"

#include "record/insert.h"
#include "record/learn.h"
#include "text/toml.h"

static void check_line(const char *text)
{
    struct str s = str_of(text);
    MUST(s.n <= LIMIT_EVIDENCE_BYTES && utf8_check(s) == s.n);
    for (size_t i = 0; i < s.n; i++)
        MUST((unsigned char)s.p[i] >= 0x20 && s.p[i] != 0x7f);
}

static void check_rules(cando_observations *o)
{
    const char *text;
    size_t len;
    MUST(cando_observations_rules(o, 1, &text, &len, NULL) == CANDO_OK);
    cando_sources *s = cando_sources_new(NULL, NULL);
    MUST(cando_sources_add(s, "observed", text, len, CANDO_SYNTAX_CANDO, CANDO_LAYER_OBSERVED,
                           NULL) == CANDO_OK);
    MUST(cando_sources_count(s, CANDO_ERROR) == 0);
    cando_sources_free(s);
}

/* The old text is there in two pieces at most, in order. */
static void check_kept(struct str before, struct str after)
{
    size_t head = 0, tail = 0;
    while (head < before.n && head < after.n && before.p[head] == after.p[head])
        head++;
    while (tail < before.n - head && before.p[before.n - 1 - tail] == after.p[after.n - 1 - tail])
        tail++;
    MUST(head + tail == before.n);
}

static void check_insert(cando_observations *o, struct str file)
{
    struct buf out, again;
    struct insert_result r;
    buf_init(&out, NULL, 1 << 24);
    buf_init(&again, NULL, 1 << 24);
    if (insert_rules(&out, file, o, 1, &r, NULL) == CANDO_OK && r.added) {
        struct str text = str_make(out.p, out.n);
        size_t blank = 0;
        while (blank < file.n && strchr(" \t\r\n", file.p[blank]) && file.p[blank])
            blank++;
        if (blank < file.n)
            check_kept(file, text);
        size_t added = r.added;
        MUST(insert_rules(&again, text, o, 1, &r, NULL) == CANDO_OK);
        MUST(r.added == 0 && r.present >= added && str_eq(str_make(again.p, again.n), text));
    }
    buf_free(&out);
    buf_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str reply = str_make((const char *)data, size), file = STR("");
    size_t cut = str_find(reply, STR("\n---\n")), learnt;
    if (cut != SIZE_MAX) {
        file = str_from(reply, cut + 5);
        reply = str_head(reply, cut);
    }
    cando_observations *o = cando_observations_new(NULL, NULL);
    MUST(cando_observations_learn(o, "openai/gpt-5", reply.p, reply.n, 1, 0, &learnt, NULL) ==
         CANDO_OK);
    for (size_t i = 0; i < cando_observations_count(o); i++)
        check_line(cando_observations_get(o, i).evidence);
    check_rules(o);
    if (learnt)
        check_insert(o, file);
    cando_observations_free(o);
    return 0;
}
