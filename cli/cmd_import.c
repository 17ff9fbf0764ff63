/*
 * cmd_import.c - cando import: files of other catalogs to our own rule files.
 *
 * How catalog/facts/ is made. The reading and the merging are the operation
 * `import`; here are only files: texts in, one file a provider out, each replaced
 * in one step.
 */
#include "base/file.h"
#include "engine.h"
#include "facts.h"

struct ask {
    const struct source *source;
    size_t n_source;
    const char *out;
    cando_import_question q;
};

static const struct option_row options[] = {
    {SOURCES("NAME[@DAY]=FILE",
             "a catalog's or a server's file, and the day it is of (today); may be repeated")},
    {TEXT("out", out, "FOLDER", "write FOLDER/<provider>.toml; without it only count")},
    {COMMAS("provider", q.providers, q.n_providers, "LIST",
            "only these providers, separated by commas; may be repeated")},
    {FLAG("current", q.current,
          "leave chat models of hosts out that only litellm lists: it keeps what was taken down")},
    {FLAG("skipped", q.skipped, "list every record that is not imported, with its reason")},
    {JSON("print the reply of the operation import")},
    {.more = engine_options},
};

/* A line a source, then why records are missing. */
static void put_counts(const cando_import_answer *a)
{
    out("%-14s %-10s %8s %9s %8s %10s\n", "source", "day", "read", "imported", "skipped",
        "bad values");
    for (size_t i = 0; i < a->n_sources; i++) {
        const cando_import_count *s = &a->sources[i];
        out("%-14s %-10s %8ju %9ju %8ju %10ju\n", s->source, s->day, s->read, s->imported,
            s->skipped, s->bad_values);
        for (size_t k = 0; k < s->n_reasons; k++)
            out("    %-20s %8ju\n", s->reasons[k].name, s->reasons[k].n);
    }
}

static void put_page(const cando_import_answer *a)
{
    for (size_t i = 0; i < a->n_skipped; i++) {
        const cando_import_skip *s = &a->skipped[i];
        out("%s:%s: %s" MAYBE(" (%s)") "\n", s->source, s->at, s->reason, s->detail);
    }
    put_counts(a);
    out("%'ju model" PLURAL " with facts at %'ju provider" PLURAL "\n", a->models, a->providers);
    out("%ju only known to exist, %ju no longer on their provider's list, %ju left out as old\n",
        a->bare, a->gone, a->old);
}

static cando_status write_file(struct call *c, const char *folder, const cando_import_file *f)
{
    struct str path = str_printf(&c->ar, "%s/%s.toml", folder, f->provider);
    if (!path.p)
        return error_memory(&c->err);
    char *name = (char *)path.p + strlen(folder) + 1;
    if (name[0] == '.') /* an id is a file name, never a path */
        name[0] = '_';
    for (; *name; name++)
        if (*name == '/')
            *name = '_';
    return file_replace(path.p, f->text.p, f->text.n, NULL, &c->err);
}

static int check(struct call *c)
{
    const struct ask *k = c->ask;
    return k->n_source ? EXIT_YES : call_usage(c, "which files?");
}

static int run(struct call *c)
{
    struct ask *k = c->ask;
    cando_fact_source *sources = facts_read(c, k->source, k->n_source, NULL);
    if (!sources)
        return fail(&c->err);
    k->q.files = k->out || c->json;
    k->q.sources = sources;
    k->q.n_sources = k->n_source;
    const cando_import_answer *a = cando_ask_import(c->engine, &k->q, c->room, &c->err);
    for (size_t i = 0; k->out && a && i < a->n_files; i++)
        if (write_file(c, k->out, &a->files[i]) != CANDO_OK)
            a = NULL;
    if (call_page(c, "import", a))
        put_page(a);
    facts_free(sources, k->n_source);
    return c->code;
}

const struct verb verb_import = {
    .name = "import",
    .summary = "turns files of other catalogs into rule files",
    .usage = "[OPTION]... --source NAME=FILE...",
    .text = "Reads the files that models.dev, litellm, genai-prices, ruby_llm, openrouter, "
            "anthropic, google, openai and xai serve, weighs what they say of each model, and "
            "writes one file of facts a provider. Where sources disagree, all that they said is "
            "kept with the winner. Nothing is fetched from other machines.\n\n"
            "A server on this machine says what it has itself: vllm, lmstudio, ollama and llamacpp "
            "take a file with one of its replies, or its address, and may be repeated: "
            "vllm=http://localhost:8000/v1/models, lmstudio=http://localhost:1234/api/v0/models, "
            "llamacpp=http://localhost:8080/props, ollama=http://localhost:11434/api/tags, and of "
            "one model ollama=http://localhost:11434/api/show#llama3.1:8b. What is written to "
            "FOLDER can be used with --overlay.\n\n"
            "Every record is imported or counted with the reason why not; --skipped lists these. "
            "Where sources disagree the weightier wins; cando conflicts shows who said what.",
    .options = options,
    .ask = sizeof(struct ask),
    OPERANDS(0, 0, NULL, "files are given with --source NAME=FILE"),
    .opens = OPENS_PLAIN,
    .check = check,
    .run = run,
};
