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

enum {
    OPTION_SOURCE = OPTION_LONG,
    OPTION_OUT,
    OPTION_PROVIDER,
    OPTION_SKIPPED,
    OPTION_CURRENT,
    OPTION_JSON
};

static const struct option_row options[] = {
    {OPTION_SOURCE, "source", "NAME[@DAY]=FILE", NULL, FACTS_OPTION_HELP},
    {OPTION_OUT, "out", "FOLDER", NULL, "write FOLDER/<provider>.toml; without it only count"},
    {OPTION_PROVIDER, "provider", "LIST", NULL,
     "only these providers, separated by commas; may be repeated"},
    {OPTION_CURRENT, "current", NULL, NULL,
     "leave chat models of hosts out that only litellm lists: it keeps what was taken down"},
    {OPTION_SKIPPED, "skipped", NULL, NULL,
     "list every record that is not imported, with its reason"},
    {OPTION_JSON, "json", NULL, NULL, "print the reply of the operation import"},
    ENGINE_OPTIONS,
    {0},
};

#define MAX_PROVIDERS 256

struct import {
    struct facts_files files;
    const char *out;
    struct arena ar; /* names of providers */
    const char *provider[MAX_PROVIDERS];
    cando_import_question q;
    bool json;
};

static bool add_providers(struct import *m, const char *list)
{
    for (struct str s = str_of(list); s.n;) {
        size_t cut = str_find_char(s, ',');
        struct str own = cut ? str_dup(&m->ar, str_head(s, cut)) : STR_NONE;
        if (own.p && m->q.n_providers < MAX_PROVIDERS)
            m->provider[m->q.n_providers++] = own.p;
        else if (cut)
            return false;
        s = str_from(s, cut + 1);
    }
    m->q.providers = m->provider;
    return true;
}

/* A line a source, then why records are missing. */
static void put_counts(const cando_import_answer *a)
{
    printf("%-14s %-10s %8s %9s %8s %10s\n", "source", "day", "read", "imported", "skipped",
           "bad values");
    for (size_t i = 0; i < a->n_sources; i++) {
        const cando_import_count *s = &a->sources[i];
        out_cell(stdout, STYLE_PLAIN, str_of(s->source), 14);
        fputc(' ', stdout);
        out_cell(stdout, STYLE_PLAIN, str_of(s->day), 10);
        printf(" %8ju %9ju %8ju %10ju\n", (uintmax_t)s->read, (uintmax_t)s->imported,
               (uintmax_t)s->skipped, (uintmax_t)s->bad_values);
        for (size_t k = 0; k < s->n_reasons; k++) {
            fputs("    ", stdout);
            out_cell(stdout, STYLE_PLAIN, str_of(s->reasons[k].name), 20);
            printf(" %8ju\n", (uintmax_t)s->reasons[k].n);
        }
    }
}

static void put_skipped(const cando_import_answer *a)
{
    for (size_t i = 0; i < a->n_skipped; i++) {
        const cando_import_skip *s = &a->skipped[i];
        out_safe(stdout, str_of(s->source));
        fputc(':', stdout);
        out_safe(stdout, str_of(s->at ? s->at : ""));
        fputs(": ", stdout);
        out_safe(stdout, str_of(s->reason));
        if (s->detail && *s->detail) {
            fputs(" (", stdout);
            out_safe(stdout, str_of(s->detail));
            fputc(')', stdout);
        }
        fputc('\n', stdout);
    }
}

static cando_status write_file(const char *folder, const cando_import_file *f, cando_error *err)
{
    struct buf path;
    buf_init(&path, NULL, 1u << 16);
    buf_printf(&path, "%s/", folder);
    size_t name = path.n;
    buf_putz(&path, f->provider);
    for (size_t i = name; i < path.n; i++) /* an id is a file name, never a path */
        if (path.p[i] == '/' || (i == name && path.p[i] == '.'))
            path.p[i] = '_';
    buf_putz(&path, ".toml");
    const char *at = buf_cstr(&path);
    cando_status st = at ? file_replace(at, f->text.p, f->text.n, NULL, err) : error_memory(err);
    buf_free(&path);
    return st;
}

static int put_answer(const struct engine *e, const struct import *m, const cando_import_answer *a)
{
    cando_error err;
    for (size_t i = 0; m->out && i < a->n_files; i++)
        if (write_file(m->out, &a->files[i], &err) != CANDO_OK)
            return engine_failed(&err);
    if (m->json)
        return engine_json(e, "import", a);
    if (m->q.skipped)
        put_skipped(a);
    put_counts(a);
    out_count(stdout, a->models, "model", " with facts at ");
    out_count(stdout, a->providers, "provider", "\n");
    printf("%ju only known to exist, %ju no longer on their provider's list, %ju left out as old\n",
           (uintmax_t)a->bare, (uintmax_t)a->gone, (uintmax_t)a->old);
    return EXIT_YES;
}

static int ask(struct engine *e, struct import *m)
{
    cando_error err;
    struct facts_texts texts = {0};
    const cando_import_answer *a = NULL;
    if (facts_read(&m->files, &texts, &err) == CANDO_OK) {
        m->q.files = m->out || m->json;
        m->q.sources = texts.source;
        m->q.n_sources = texts.n;
        a = cando_ask_import(e->c, &m->q, e->room, &err);
    }
    int code = a ? put_answer(e, m, a) : engine_failed(&err);
    facts_free(&texts);
    return code;
}

static int run_with(struct import *m, struct engine *e, struct args *a)
{
    for (int id; (id = args_next(a)) != ARGS_END;) {
        if (id == OPTION_SOURCE) {
            if (!facts_option(&m->files, a->value))
                return EXIT_QUESTION;
        } else if (id == OPTION_OUT)
            m->out = a->value;
        else if (id == OPTION_PROVIDER) {
            if (!add_providers(m, a->value))
                return args_usage(a, "--provider names too many providers");
        } else if (id == OPTION_SKIPPED)
            m->q.skipped = true;
        else if (id == OPTION_CURRENT)
            m->q.current = true;
        else if (id == OPTION_JSON)
            m->json = true;
        else if (!engine_option(e, id, a->value))
            return args_stop(a, id);
    }
    if (a->n_rest)
        return args_usage(a, "files are given with --source NAME=FILE");
    if (!m->files.n)
        return args_usage(a, "which files?");
    int code = engine_open(e);
    return code == EXIT_YES ? ask(e, m) : code;
}

static int run(const struct verb *self, int argc, char **argv)
{
    struct import m = {.out = NULL};
    struct engine e;
    engine_init(&e);
    e.plain = true;
    arena_init(&m.ar, NULL);
    struct args a = args_begin(self, argc, argv);
    int code = run_with(&m, &e, &a);
    engine_close(&e);
    arena_free(&m.ar);
    return code;
}

const struct verb verb_import = {
    .name = "import",
    .summary = "turns files of other catalogs into rule files of facts",
    .usage = "[OPTION]... --source NAME=FILE...",
    .text = "Reads the files that models.dev, litellm, genai-prices, ruby_llm, openrouter, "
            "anthropic, google, openai and xai serve, "
            "weighs what they say of each model, and writes one file of facts a provider. Where "
            "sources disagree, all that they said "
            "is kept with the winner. Nothing is fetched.\n\n"
            "Every record is imported or counted with the reason why not; --skipped lists these. "
            "docs/catalog.md tells how "
            "sources are weighed.",
    .options = options,
    .run = run,
};
