/*
 * cmd_version.c - cando version: the program's version and its built-in catalog.
 */
#include "verb.h"

static const struct option_row options[] = {
    {JSON("print one JSON object")},
    {0},
};

static int run(struct call *c)
{
    cando_catalog_info info;
    char hash[20];
    cando_catalog_describe(cando_catalog_builtin(), &info);
    if (c->json) {
        snprintf(hash, sizeof hash, "%016jx", (uintmax_t)info.source_hash);
        json("{'version':%s,'format_version':%u,'rules':%u,'models':%u,'providers':%u,'fields':%u,"
             "'bytes':%ju,'source_hash':%s}\n",
             cando_version(), info.format_version, info.rules, info.models, info.providers,
             cando_field_count(), (uintmax_t)info.bytes, hash);
        return EXIT_YES;
    }
    printf("cando %s\nbuilt-in catalog: ", cando_version());
    out_count(stdout, info.rules, "rule", ", ");
    out_count(stdout, info.models, "model", ", ");
    out_count(stdout, info.providers, "provider", ", ");
    out_count(stdout, info.bytes, "byte", "\n");
    return EXIT_YES;
}

const struct verb verb_version = {
    .name = "version",
    .summary = "the version, and what the built-in catalog holds",
    .usage = "[OPTION]...",
    .text = "Prints the version of the program and the size of the catalog that is linked into it.",
    .options = options,
    .too_many = "takes no operands",
    .run = run,
};
