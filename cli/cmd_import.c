/*
 * cmd_import.c - cando import: files of other catalogs to our own rule files.
 *
 * How catalog/facts/ is made. The reading and the merging are the operation
 * `import`; here are only files: texts in, one file a provider out, each replaced
 * in one step.
 */
#include "base/file.h"
#include "base/limits.h"
#include "engine.h"
#include "facts.h"
#include "pull.h"

enum { OPTION_SOURCE = OPTION_LONG, OPTION_OUT, OPTION_PROVIDER, OPTION_SKIPPED, OPTION_CURRENT, OPTION_JSON };

static const struct option_row options[] = {
    {OPTION_SOURCE, "source", "NAME[@DAY]=FILE", NULL, FACTS_OPTION_HELP},
    {OPTION_OUT, "out", "FOLDER", NULL, "write FOLDER/<provider>.toml; without it only count"},
    {OPTION_PROVIDER, "provider", "LIST", NULL, "only these providers, separated by commas; may be repeated"},
    {OPTION_CURRENT, "current", NULL, NULL, "leave chat models of hosts out that only litellm lists: it keeps what was taken down"},
    {OPTION_SKIPPED, "skipped", NULL, NULL, "list every record that is not imported, with its reason"},
    {OPTION_JSON, "json", NULL, NULL, "print the reply of the operation import"},
    ENGINE_OPTIONS,
    {0},
};

struct import {
    struct facts_files files;
    const char *out;
    struct buf providers; /* "a","b" */
    bool skipped, current, json;
};

static void add_providers(struct import *m, const char *list)
{
    for (struct str s = str_of(list); s.n;) {
        size_t cut = str_find_char(s, ',');
        if (cut) {
            buf_putz(&m->providers, m->providers.n ? "," : "");
            out_quoted(&m->providers, str_head(s, cut));
        }
        s = str_from(s, cut + 1);
    }
}

static uint64_t number_of(struct str object, const char *key)
{
    uint64_t n = 0;
    pull_number(pull_get(object, key), &n);
    return n;
}

static void put_decoded(FILE *f, struct str v, struct buf *b, size_t width)
{
    buf_clear(b);
    pull_string(v, b);
    out_cell(f, STYLE_PLAIN, str_make(b->p, b->n), width);
}

/* A line a source, then why records are missing. */
static void put_counts(struct str result, struct buf *b)
{
    printf("%-14s %-10s %8s %9s %8s %10s\n", "source", "day", "read", "imported", "skipped", "bad values");
    for (struct str at = pull_get(result, "sources"), s; pull_next(&at, NULL, &s);) {
        put_decoded(stdout, pull_get(s, "source"), b, 14);
        fputc(' ', stdout);
        put_decoded(stdout, pull_get(s, "day"), b, 10);
        printf(" %8ju %9ju %8ju %10ju\n", (uintmax_t)number_of(s, "read"), (uintmax_t)number_of(s, "imported"),
               (uintmax_t)number_of(s, "skipped"), (uintmax_t)number_of(s, "bad_values"));
        for (struct str r = pull_get(s, "reasons"), k, v; pull_next(&r, &k, &v);) {
            uint64_t n = 0;
            pull_number(v, &n);
            fputs("    ", stdout);
            put_decoded(stdout, k, b, 20);
            printf(" %8ju\n", (uintmax_t)n);
        }
    }
}

static void put_skipped(struct str result, struct buf *b)
{
    for (struct str at = pull_get(result, "skipped"), s; pull_next(&at, NULL, &s);) {
        put_decoded(stdout, pull_get(s, "source"), b, 0);
        fputc(':', stdout);
        put_decoded(stdout, pull_get(s, "at"), b, 0);
        fputs(": ", stdout);
        put_decoded(stdout, pull_get(s, "reason"), b, 0);
        buf_clear(b);
        pull_string(pull_get(s, "detail"), b);
        if (b->n) {
            fputs(" (", stdout);
            out_safe(stdout, str_make(b->p, b->n));
            fputc(')', stdout);
        }
        fputc('\n', stdout);
    }
}

static cando_status write_file(const char *folder, struct str file, cando_error *err)
{
    struct buf path, text;
    buf_init(&path, NULL, 1u << 16);
    buf_init(&text, NULL, LIMIT_TOML_BYTES);
    buf_printf(&path, "%s/", folder);
    size_t name = path.n;
    pull_string(pull_get(file, "provider"), &path);
    for (size_t i = name; i < path.n; i++) /* an id is a file name, never a path */
        if (path.p[i] == '/' || (i == name && path.p[i] == '.'))
            path.p[i] = '_';
    buf_putz(&path, ".toml");
    pull_string(pull_get(file, "text"), &text);
    const char *at = buf_cstr(&path);
    cando_status st = !at || text.failed ? error_memory(err) : file_replace(at, text.p, text.n, NULL, err);
    buf_free(&path);
    buf_free(&text);
    return st;
}

static int put_result(const struct import *m, struct str result)
{
    struct buf b;
    cando_error err;
    cando_status st = CANDO_OK;
    buf_init(&b, NULL, LIMIT_JSON_BYTES);
    for (struct str at = pull_get(result, "files"), f; m->out && st == CANDO_OK && pull_next(&at, NULL, &f);)
        st = write_file(m->out, f, &err);
    if (st != CANDO_OK) {
        out_error(&err);
    } else if (m->json) {
        out_line(result);
    } else {
        if (m->skipped)
            put_skipped(result, &b);
        put_counts(result, &b);
        out_count(stdout, number_of(result, "models"), "model", " with facts at ");
        out_count(stdout, number_of(result, "providers"), "provider", "\n");
        printf("%ju only known to exist, %ju no longer on their provider's list, %ju left out as old\n",
               (uintmax_t)number_of(result, "bare"), (uintmax_t)number_of(result, "gone"), (uintmax_t)number_of(result, "old"));
    }
    buf_free(&b);
    return (int)st;
}

static int ask(struct engine *e, const struct import *m)
{
    struct buf q;
    cando_error err;
    struct str reply = STR_NONE, result;
    buf_init(&q, NULL, LIMIT_JSON_BYTES);
    buf_printf(&q, "{\"op\":\"import\",\"skipped\":%s,\"current\":%s,\"files\":%s", m->skipped ? "true" : "false",
               m->current ? "true" : "false", m->out || m->json ? "true" : "false");
    if (m->providers.n) {
        buf_putz(&q, ",\"providers\":[");
        buf_put(&q, m->providers.p, m->providers.n);
        buf_putc(&q, ']');
    }
    cando_status st = facts_put(&m->files, &q, &err);
    buf_putc(&q, '}');
    if (st == CANDO_OK && q.failed)
        st = error_memory(&err);
    int code = (int)st;
    if (st != CANDO_OK)
        out_error(&err);
    else if ((code = engine_ask(e, str_make(q.p, q.n), &reply, &result)) == EXIT_YES)
        code = put_result(m, result);
    engine_done(e, reply);
    buf_free(&q);
    return code;
}

static int run(const struct verb *self, int argc, char **argv)
{
    struct import m = {.out = NULL};
    struct engine e;
    int code = EXIT_YES;
    engine_init(&e);
    e.plain = true;
    buf_init(&m.providers, NULL, 1u << 20);
    struct args a = args_begin(self, argc, argv);
    for (int id; code == EXIT_YES && (id = args_next(&a)) != ARGS_END;) {
        if (id == OPTION_SOURCE)
            code = facts_option(&m.files, a.value) ? EXIT_YES : EXIT_QUESTION;
        else if (id == OPTION_OUT)
            m.out = a.value;
        else if (id == OPTION_PROVIDER)
            add_providers(&m, a.value);
        else if (id == OPTION_SKIPPED)
            m.skipped = true;
        else if (id == OPTION_CURRENT)
            m.current = true;
        else if (id == OPTION_JSON)
            m.json = true;
        else if (!engine_option(&e, id, a.value)) {
            code = args_stop(&a, id);
            goto done;
        }
    }
    if (code == EXIT_YES && a.n_rest)
        code = args_usage(&a, "files are given with --source NAME=FILE");
    else if (code == EXIT_YES && !m.files.n)
        code = args_usage(&a, "which files?");
    else if (code == EXIT_YES && (code = engine_open(&e)) == EXIT_YES)
        code = ask(&e, &m);
done:
    engine_close(&e);
    buf_free(&m.providers);
    return code;
}

const struct verb verb_import = {
    .name = "import",
    .summary = "turns files of other catalogs into rule files of facts",
    .usage = "[OPTION]... --source NAME=FILE...",
    .text = "Reads the files that models.dev, litellm, genai-prices, ruby_llm, openrouter, anthropic, google, openai and xai serve, "
            "weighs what they say of each model, and writes one file of facts a provider. Where sources disagree, all that they said "
            "is kept with the winner. Nothing is fetched.\n\n"
            "Every record is imported or counted with the reason why not; --skipped lists these. docs/catalog.md tells how "
            "sources are weighed.",
    .options = options,
    .run = run,
};
