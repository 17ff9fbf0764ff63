/*
 * cmd_match.c - cando match: does a backend satisfy this work order?
 */
#include "base/limits.h"
#include "decide.h"

enum { OPTION_JSON = OPTION_LONG, OPTION_ORDER, OPTION_NEED, OPTION_MANIFEST };

static const struct option_row options[] = {
    {OPTION_ORDER, "order", "FILE", NULL, "the work order, as JSON; \"-\" is stdin"},
    {OPTION_NEED, "need", "NAME", NULL, "a capability, NAME=native or NAME=any for another threshold; may be repeated"},
    {OPTION_MANIFEST, "manifest", "FILE", NULL, "a manifest, as JSON, instead of a backend"},
    {OPTION_JSON, "json", NULL, NULL, "print the reply of the operation match"},
    ENGINE_OPTIONS,
    {0},
};

struct ask {
    const char *order, *manifest;
    struct values need;
    bool json;
};

static int build(const struct engine *e, const struct ask *k, const char *side, struct buf *q)
{
    int code = EXIT_YES;
    buf_putz(q, "{\"op\":\"match\"");
    if (k->order)
        code = put_file(e, q, "work_order", k->order);
    if (k->need.n || !k->order) {
        buf_putz(q, ",\"required\":[");
        for (size_t i = 0; i < k->need.n; i++) {
            const char *eq = strchr(k->need.v[i], '=');
            buf_putz(q, i ? ",{\"capability\":" : "{\"capability\":");
            out_quoted(q, str_make(k->need.v[i], eq ? (size_t)(eq - k->need.v[i]) : strlen(k->need.v[i])));
            buf_putz(q, ",\"min_support\":");
            out_quoted(q, str_of(eq ? eq + 1 : "emulated"));
            buf_putc(q, '}');
        }
        buf_putc(q, ']');
    }
    if (code == EXIT_YES && k->manifest)
        code = put_file(e, q, "manifest", k->manifest);
    if (side) {
        /* a backend has a plain name, or is the provider "backend"'s */
        bool target = strchr(side, '/') && strncmp(side, "backend/", 8) != 0;
        buf_putz(q, target ? ",\"target\":" : ",\"backend\":");
        out_quoted(q, str_of(side));
    }
    if (!side && !k->manifest)
        buf_putz(q, ",\"rank\":true");
    return code;
}

static void put_bucket(struct str result, const char *key, enum style style, struct buf *b)
{
    for (struct str at = pull_get(result, key), v; pull_next(&at, NULL, &v);) {
        fputs("  ", stdout);
        out_cell(stdout, style, str_of(key), 13);
        if (pull_kind(v) == PULL_STRING) {
            buf_clear(b);
            pull_string(v, b);
            out_safe(stdout, str_make(b->p, b->n));
            fputc('\n', stdout);
            continue;
        }
        out_cell(stdout, STYLE_PLAIN, text_of(v, "capability", b), 32);
        struct str strategy = text_of(v, "strategy", b);
        out_safe(stdout, strategy);
        bool both = strategy.n != 0;
        struct str reason = text_of(v, "reason", b);
        if (reason.n && both)
            fputs(": ", stdout);
        out_safe(stdout, reason);
        fputc('\n', stdout);
    }
}

static int put_page(struct str result, struct buf *b)
{
    bool ok = pull_kind(pull_get(result, "satisfied")) == PULL_TRUE;
    out_print(stdout, ok ? STYLE_GOOD : STYLE_BAD, ok ? "satisfied" : "not satisfied");
    fputc('\n', stdout);
    put_bucket(result, "native", STYLE_GOOD, b);
    put_bucket(result, "emulated", STYLE_WARN, b);
    put_bucket(result, "unsupported", STYLE_BAD, b);
    return ok ? EXIT_YES : EXIT_NO;
}

static size_t length(struct str list)
{
    size_t n = 0;
    for (struct str at = list, v; pull_next(&at, NULL, &v);)
        n++;
    return n;
}

/* The exit code is that of the best one. */
static int put_ranking(struct str ranking, struct buf *b)
{
    int code = EXIT_NO;
    for (struct str at = ranking, v; pull_next(&at, NULL, &v);) {
        bool ok = pull_kind(pull_get(v, "satisfied")) == PULL_TRUE;
        code = ok ? EXIT_YES : code;
        out_cell(stdout, ok ? STYLE_GOOD : STYLE_BAD, ok ? STR("yes") : STR("no"), 5);
        out_cell(stdout, STYLE_BOLD, text_of(v, "backend", b), 14);
        printf("%zu native, %zu emulated, %zu unsupported", length(pull_get(v, "native")), length(pull_get(v, "emulated")),
               length(pull_get(v, "unsupported")));
        const char *sep = ": ";
        for (struct str u = pull_get(v, "unsupported"), x; pull_next(&u, NULL, &x); sep = ", ") {
            fputs(sep, stdout);
            out_safe(stdout, text_of(x, "capability", b));
        }
        fputc('\n', stdout);
    }
    return code;
}

static int answer(struct str result, bool json, struct buf *b)
{
    struct str ranking = pull_get(result, "ranking");
    if (!json)
        return ranking.n ? put_ranking(ranking, b) : put_page(result, b);
    struct str first = result;
    if (ranking.n && !pull_next(&ranking, NULL, &first))
        return EXIT_NO;
    return pull_kind(pull_get(first, "satisfied")) == PULL_TRUE ? EXIT_YES : EXIT_NO;
}

static int run(const struct verb *self, int argc, char **argv)
{
    struct ask k = {0};
    struct engine e;
    engine_init(&e);
    struct args a = args_begin(self, argc, argv);
    for (int id; (id = args_next(&a)) != ARGS_END;) {
        if (id == OPTION_JSON)
            k.json = true;
        else if (id == OPTION_ORDER)
            k.order = a.value;
        else if (id == OPTION_MANIFEST)
            k.manifest = a.value;
        else if (id == OPTION_NEED && values_add(&k.need, a.value))
            continue;
        else if (!engine_option(&e, id, a.value))
            return args_stop(&a, id);
    }
    if (a.n_rest > 1 || (a.n_rest && k.manifest))
        return args_usage(&a, "one backend, model or manifest at a time");
    if (!k.order && !k.need.n)
        return args_usage(&a, "what is needed? give --order or --need");
    if (k.order && k.need.n)
        return args_usage(&a, "--order and --need exclude each other");
    int code = engine_open(&e);
    if (code != EXIT_YES) {
        engine_close(&e);
        return code;
    }
    struct buf q, b;
    struct str reply = STR_NONE, result;
    buf_init(&q, NULL, LIMIT_JSON_BYTES);
    buf_init(&b, NULL, LIMIT_JSON_BYTES);
    code = build(&e, &k, a.n_rest ? a.rest[0] : NULL, &q);
    if (code == EXIT_YES)
        code = decide_ask(&e, &q, k.json, &reply, &result);
    if (code == EXIT_YES)
        code = answer(result, k.json, &b);
    engine_done(&e, reply);
    buf_free(&q);
    buf_free(&b);
    engine_close(&e);
    return code;
}

const struct verb verb_match = {
    .name = "match",
    .summary = "does an agent backend satisfy a work order, and which does best?",
    .usage = "[OPTION]... [BACKEND | PROVIDER/MODEL]",
    .text = "Holds a work order against the manifest of a backend: what is native, what is emulated and how, what is missing and why. "
            "Without a backend all of the catalog's are ranked, the best first.\n\n"
            "The exit code is 0 if the order is satisfied, by the best one where several were asked.",
    .options = options,
    .run = run,
};
