/*
 * cmd_init.c - cando init: a cando.toml to begin with.
 *
 * It says what one's own file is for, by examples that are commented out; only what the command
 * line tells (the providers that there are keys for) is in force.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"
#include "engine.h"

#include <fcntl.h>
#include <unistd.h>

struct ask {
    const char *const *keys;
    size_t n_keys;
    const char *output;
};

static const struct option_row options[] = {
    {COMMAS("keys", keys, n_keys, "LIST",
            "providers that you have keys for: cando pick names no others")},
    {TEXT("output", output, "FILE", "instead of cando.toml"), .letter = 'o'},
    {0},
};

static const char head[] =
    "# What only you know, on top of the catalog. cando help fields lists what can be set.\n"
    "# cando where shows which files are in force, cando lint cando.toml judges this one.\n"
    "schema = \"cando/rules@1\"\n\n"
    "[policy]\n"
    "# The providers that you have keys for: cando pick names models of these.\n";

static const char rest[] =
    "# What may be used at all, and what never: cando check, models and pick follow it.\n"
    "# allow = [\"openai\", \"anthropic/claude-*\"]\n"
    "# deny = [\"*/*-preview\"]\n\n"
    "# Deployments and gateways: which model a name of your own stands for.\n"
    "[aliases]\n"
    "# \"azure/prod-chat\" = \"openai/gpt-4o\"\n\n"
    "# A price of your own. A price is never taken over from the model that an alias names.\n"
    "# [[models]]\n"
    "# provider = \"azure\"\n"
    "# id = \"prod-chat\"\n"
    "# set = { price = { input_tokens = \"2.2\", output_tokens = \"8.8\" } }\n"
    "# source = \"contract of 2026-03\"\n\n"
    "# A correction: what you have seen, for a model or for all that a pattern matches.\n"
    "# [[rules]]\n"
    "# providers = [\"openai\"]\n"
    "# match = \"gpt-6*\"\n"
    "# set = { temperature = \"unsupported\" }\n"
    "# source = \"https://example.com/where-it-is-said\"\n";

/* A name that nobody knows has been reported, with a suggestion. */
static int check_keys(struct call *c, const struct ask *k)
{
    const cando_query q = {
        .providers = k->keys, .n_providers = k->n_keys, .limit = {.value = 0, .known = true}};
    return cando_ask_models(c->engine, &q, c->room, &c->err) ? EXIT_YES : fail(&c->err);
}

static void put_keys(struct buf *b, const struct ask *k)
{
    buf_putz(b, k->n_keys ? "keys = [" : "# keys = [\"openai\", \"anthropic\"]\n\n");
    for (size_t i = 0; i < k->n_keys; i++)
        buf_printf(b, "%s\"%s\"", i ? ", " : "", k->keys[i]);
    buf_putz(b, k->n_keys ? "]\n\n" : "");
}

static int run(struct call *c)
{
    const struct ask *k = c->ask;
    const char *path = k->output ? k->output : "cando.toml", *name = strrchr(path, '/');
    int code = check_keys(c, k);
    if (code != EXIT_YES)
        return code;
    if (access(path, F_OK) == 0)
        return fail_with(CANDO_BAD_QUESTION, CODE_io, "it is left as it is; -o names another file",
                         "%s is there already", path);
    struct buf b;
    buf_init(&b, NULL, 1u << 20);
    buf_putz(&b, head);
    put_keys(&b, k);
    buf_putz(&b, rest);
    if (b.failed)
        code = fail_memory();
    else if (file_replace(path, b.p, b.n, NULL, &c->err) != CANDO_OK)
        code = fail(&c->err);
    else if (strcmp(name ? name + 1 : path, "cando.toml") == 0)
        out("%s: written; cando where shows that it is in force\n", path);
    else
        out("%s: written; it is in force with --overlay %s, or as a cando.toml\n", path, path);
    buf_free(&b);
    return code;
}

const struct verb verb_init = {
    .name = "init",
    .summary = "writes a cando.toml to begin with: your providers and deployments",
    .usage = "[OPTION]...",
    .text =
        "Writes a file of your own with comments and examples: the providers that you have keys "
        "for, names of deployments, what may be used, prices and corrections. It lies over the "
        "catalog for everything below this folder. A file that is there is left alone.",
    .examples = "cando init --keys openai,anthropic",
    .options = options,
    .ask = sizeof(struct ask),
    OPERANDS(0, 0, NULL, "takes no operand"),
    .opens = OPENS_PLAIN,
    .run = run,
};
