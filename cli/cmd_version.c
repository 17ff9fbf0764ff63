/*
 * cmd_version.c - cando version: the program's version and its built-in catalog.
 */
#include "engine.h"

enum { OPTION_JSON = OPTION_LONG };

static const struct option_row options[] = {
    {OPTION_JSON, "json", NULL, NULL, "print one JSON object"},
    {0},
};

static int run(const struct verb *self, int argc, char **argv)
{
    bool json = false;
    struct args a = args_begin(self, argc, argv);
    for (int id; (id = args_next(&a)) != ARGS_END;) {
        if (id == OPTION_JSON)
            json = true;
        else
            return args_stop(&a, id);
    }
    if (a.n_rest)
        return args_usage(&a, "takes no operands");
    cando_catalog_info info;
    cando_catalog_describe(cando_catalog_builtin(), &info);
    if (json) {
        printf("{\"version\":\"%s\",\"format_version\":%u,\"rules\":%u,\"models\":%u,"
               "\"providers\":%u,\"fields\":%u,\"bytes\":%ju,\"source_hash\":\"%016jx\"}\n",
               cando_version(), info.format_version, info.rules, info.models, info.providers,
               cando_field_count(), (uintmax_t)info.bytes, (uintmax_t)info.source_hash);
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
    .run = run,
};
