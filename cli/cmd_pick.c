/*
 * cmd_pick.c - cando pick: which model fits best, and why that one?
 */
#include "base/limits.h"
#include "decide.h"
#include "request.h"

enum {
    OPTION_JSON = OPTION_LONG,
    OPTION_WITHOUT,
    OPTION_PREFER,
    OPTION_MIN,
    OPTION_MAX,
    OPTION_PROVIDER,
    OPTION_ALLOW,
    OPTION_DENY,
    OPTION_SORT,
    OPTION_LIMIT,
    OPTION_REQUEST,
};

static const struct option_row options[] = {
    {OPTION_REQUEST, "request", "FILE", NULL, "what this request needs is required, too; \"-\" is stdin"},
    {'d', "dialect", "NAME", REQUEST_API_WORDS, "the API that the request is for, where its shape does not tell"},
    {OPTION_WITHOUT, "without", "CAPABILITY", NULL, "leave out what has it; may be repeated"},
    {OPTION_PREFER, "prefer", "NAME", NULL, "a provider, in order of preference, or a capability; may be repeated"},
    {OPTION_MIN, "min", "FIELD=N", NULL, "at least: context_window=200000; may be repeated"},
    {OPTION_MAX, "max", "FIELD=N", NULL, "at most: input_price=1.5 (USD per million tokens); may be repeated"},
    {OPTION_PROVIDER, "provider", "NAME", NULL, "only of this provider; may be repeated"},
    {OPTION_ALLOW, "allow", "PATTERN", NULL, "only these: openai, openai/gpt-*; may be repeated"},
    {OPTION_DENY, "deny", "PATTERN", NULL, "none of these, whatever is allowed; may be repeated"},
    {OPTION_SORT, "sort", "ORDER", "price context release name", "price unless said otherwise"},
    {OPTION_LIMIT, "limit", "N", NULL, "how many are listed, 5 unless said otherwise"},
    {OPTION_JSON, "json", NULL, NULL, "print the reply of the operation select"},
    ENGINE_OPTIONS,
    {0},
};

struct ask {
    struct values require, without, prefer, min, max, provider, allow, deny;
    const char *sort, *limit, *request, *api;
    bool json;
};

static bool take(struct ask *k, int id, const struct args *a)
{
    switch (id) {
    case OPTION_WITHOUT:
        return values_add(&k->without, a->value);
    case OPTION_PREFER:
        return values_add(&k->prefer, a->value);
    case OPTION_MIN:
        return values_add(&k->min, a->value);
    case OPTION_MAX:
        return values_add(&k->max, a->value);
    case OPTION_PROVIDER:
        return values_add(&k->provider, a->value);
    case OPTION_ALLOW:
        return values_add(&k->allow, a->value);
    case OPTION_DENY:
        return values_add(&k->deny, a->value);
    case OPTION_SORT:
        k->sort = a->value;
        return args_word(a, id);
    case OPTION_LIMIT:
        k->limit = a->value;
        for (const char *z = a->value; *z; z++)
            if (!char_is_digit(*z))
                return false;
        return *a->value != '\0' && (a->value[0] != '0' || !a->value[1]);
    case OPTION_REQUEST:
        k->request = a->value;
        return true;
    case 'd':
        k->api = a->value;
        return args_word(a, id);
    case OPTION_JSON:
        k->json = true;
        return true;
    default:
        return false;
    }
}

static int build(const struct engine *e, const struct ask *k, struct buf *q)
{
    buf_printf(q, "{\"op\":\"select\",\"sort\":\"%s\",\"limit\":%s", k->sort ? k->sort : "price", k->limit ? k->limit : "5");
    put_names(q, "require", &k->require);
    put_names(q, "forbid", &k->without);
    put_names(q, "prefer", &k->prefer);
    put_names(q, "providers", &k->provider);
    put_names(q, "allow", &k->allow);
    put_names(q, "deny", &k->deny);
    if (!put_bounds(q, "minimum", &k->min) || !put_bounds(q, "maximum", &k->max))
        return EXIT_QUESTION;
    if (k->api)
        buf_printf(q, ",\"dialect\":\"%s\"", k->api);
    return k->request ? put_file(e, q, "request", k->request) : EXIT_YES;
}

static void put_list(struct str list, const char *lead, struct buf *b)
{
    for (struct str at = list, v; pull_next(&at, NULL, &v);) {
        buf_clear(b);
        pull_string(v, b);
        fputs(lead, stdout);
        out_safe(stdout, str_make(b->p ? b->p : "", b->n));
        fputc('\n', stdout);
    }
}

static void put_excluded(struct str result, struct buf *b)
{
    const char *sep = " (";
    uint64_t considered = 0, matched = 0;
    pull_number(pull_get(result, "considered"), &considered);
    pull_number(pull_get(result, "matched"), &matched);
    printf("%llu of %llu fit", (unsigned long long)matched, (unsigned long long)considered);
    for (struct str at = pull_get(result, "excluded"), key, v; pull_next(&at, &key, &v); sep = ", ") {
        fputs(sep, stdout);
        buf_clear(b);
        pull_string(key, b);
        out_safe(stdout, str_make(b->p ? b->p : "", b->n));
        printf(": %.*s out", (int)v.n, v.p);
    }
    puts(*sep == ',' ? ")" : "");
}

static int put_page(struct str result, struct buf *b)
{
    size_t n = 0;
    for (struct str at = pull_get(result, "matches"), v; pull_next(&at, NULL, &v); n++) {
        out_cell(stdout, n ? STYLE_PLAIN : STYLE_BOLD, text_of(v, "target", b), 0);
        fputc('\n', stdout);
        put_list(pull_get(v, "why"), "  ", b);
    }
    if (n == 0)
        out_print(stdout, STYLE_WARN, "no model fits");
    if (n == 0)
        fputc('\n', stdout);
    struct str second = pull_get(result, "runner_up"), lacks = pull_get(second, "lacks"), any = lacks, v;
    if (pull_kind(second) == PULL_OBJECT) {
        fputs("the first won by ", stdout);
        out_safe(stdout, text_of(second, "decided_by", b));
        puts(pull_next(&any, NULL, &v) ? "; the second:" : "");
        put_list(lacks, "  ", b);
    }
    put_excluded(result, b);
    return n ? EXIT_YES : EXIT_NO;
}

static int run(const struct verb *self, int argc, char **argv)
{
    struct ask k = {0};
    struct engine e;
    engine_init(&e);
    struct args a = args_begin(self, argc, argv);
    for (int id; (id = args_next(&a)) != ARGS_END;) {
        if (take(&k, id, &a))
            continue;
        if (id == OPTION_LIMIT)
            return args_usage(&a, "--limit takes a whole number");
        if (!engine_option(&e, id, a.value))
            return args_stop(&a, id);
    }
    for (int i = 0; i < a.n_rest; i++)
        if (!values_add(&k.require, a.rest[i]))
            return EXIT_QUESTION;
    int code = engine_open(&e);
    if (code != EXIT_YES) {
        engine_close(&e);
        return code;
    }
    struct buf q, b;
    struct str reply = STR_NONE, result;
    buf_init(&q, NULL, LIMIT_JSON_BYTES);
    buf_init(&b, NULL, LIMIT_JSON_BYTES);
    code = build(&e, &k, &q);
    if (code == EXIT_YES)
        code = decide_ask(&e, &q, k.json, &reply, &result);
    if (code == EXIT_YES) {
        struct str list = pull_get(result, "matches"), v;
        code = k.json ? (pull_next(&list, NULL, &v) ? EXIT_YES : EXIT_NO) : put_page(result, &b);
    }
    engine_done(&e, reply);
    buf_free(&q);
    buf_free(&b);
    engine_close(&e);
    return code;
}

const struct verb verb_pick = {
    .name = "pick",
    .summary = "which model fits best, and why that one?",
    .usage = "[OPTION]... [CAPABILITY]...",
    .text = "Lists the models of the catalog that are known to have every capability named, in order: preferred providers, more of the "
            "preferred capabilities, then price (or --sort), then name. What is unknown is not taken for a yes, and an unknown price "
            "comes last.\n\n"
            "With --request the models that would run a request: everything that it demands is required, a window for the prompt and the "
            "answer, and the answer that it asks for. Another provider may want it in another form.\n\n"
            "It tells why the first one won, what the second lacked, and what excluded the rest.",
    .options = options,
    .run = run,
};
