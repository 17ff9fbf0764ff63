/*
 * cmd_pick.c - cando pick: which model fits best, and why that one?
 */
#include "base/limits.h"
#include "decide.h"
#include "list.h"
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
    {OPTION_REQUEST, "request", "FILE", NULL,
     "what this request needs is required, too; \"-\" is stdin"},
    {'d', "dialect", "NAME", API_REQUEST_WORDS,
     "the API that the request is for, where its shape does not tell"},
    {OPTION_WITHOUT, "without", "CAPABILITY", NULL, "leave out what has it; may be repeated"},
    {OPTION_PREFER, "prefer", "NAME", NULL,
     "a provider, in order of preference, or a capability; may be repeated"},
    {OPTION_MIN, "min", "FIELD=N", NULL, "at least: context_window=200000; may be repeated"},
    {OPTION_MAX, "max", "FIELD=N", NULL,
     "at most: input_price=1.5 (USD per million tokens); may be repeated"},
    {OPTION_PROVIDER, "provider", "NAME", NULL, "only of this provider; may be repeated"},
    {OPTION_ALLOW, "allow", "PATTERN", NULL, "only these: openai, openai/gpt-*; may be repeated"},
    {OPTION_DENY, "deny", "PATTERN", NULL, "none of these, whatever is allowed; may be repeated"},
    {OPTION_SORT, "sort", "ORDER", "price context release name", "price unless said otherwise"},
    {OPTION_LIMIT, "limit", "N", NULL, "how many are listed, 5 unless said otherwise"},
    {OPTION_JSON, "json", NULL, NULL, "print the reply of the operation select"},
    ENGINE_OPTIONS,
    {0},
};

struct bounds {
    cando_bound *item;
    size_t n, cap;
};

struct ask {
    struct arena ar;
    struct wanted require, without, prefer;
    struct bounds min, max;
    struct list provider, allow, deny;
    cando_query q;
    const char *request;
    bool json;
};

/* "context_window=200000" */
static bool add_bound(struct ask *k, struct bounds *l, const char *text)
{
    const char *eq = strchr(text, '=');
    if (eq && eq != text && eq[1]) {
        struct str field = str_dup(&k->ar, str_make(text, (size_t)(eq - text)));
        if (!field.p || !ARENA_GROW(&k->ar, l->item, l->n, l->cap))
            return false;
        l->item[l->n++] = (cando_bound){field.p, eq + 1};
        return true;
    }
    cando_error err;
    error_set(&err, CANDO_BAD_QUESTION, CODE_bad_option, "'%s' is not of the form NAME=VALUE",
              text);
    error_hint(&err, "for example context_window=64000");
    out_error(&err);
    return false;
}

static bool take_sort(struct ask *k, const struct args *a)
{
    static const struct {
        const char *word;
        cando_sort sort;
    } sorts[] = {{"price", CANDO_SORT_PRICE},
                 {"context", CANDO_SORT_CONTEXT},
                 {"release", CANDO_SORT_RELEASE},
                 {"name", CANDO_SORT_NAME}};
    if (!args_word(a, OPTION_SORT))
        return false;
    for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++)
        if (strcmp(sorts[i].word, a->value) == 0)
            k->q.sort = sorts[i].sort;
    return true;
}

static bool take_limit(struct ask *k, const char *value)
{
    uint64_t n = 0;
    if (!*value || (value[0] == '0' && value[1]))
        return false;
    for (; char_is_digit(*value) && n < LIMIT_NUMBER; value++)
        n = n * 10 + (uint64_t)(*value - '0');
    k->q.limit.value = n;
    return !*value;
}

static bool take(struct ask *k, int id, const struct args *a)
{
    struct str value = str_of(a->value);
    switch (id) {
    case OPTION_WITHOUT:
        return wanted_add(&k->ar, &k->without, a->value);
    case OPTION_PREFER:
        return wanted_add(&k->ar, &k->prefer, a->value);
    case OPTION_MIN:
        return add_bound(k, &k->min, a->value);
    case OPTION_MAX:
        return add_bound(k, &k->max, a->value);
    case OPTION_PROVIDER:
        return list_add(&k->ar, &k->provider, value);
    case OPTION_ALLOW:
        return list_add(&k->ar, &k->allow, value);
    case OPTION_DENY:
        return list_add(&k->ar, &k->deny, value);
    case OPTION_SORT:
        return take_sort(k, a);
    case OPTION_LIMIT:
        return take_limit(k, a->value);
    case OPTION_REQUEST:
        k->request = a->value;
        return true;
    case 'd':
        k->q.api = a->value;
        return args_word(a, id);
    case OPTION_JSON:
        k->json = true;
        return true;
    default:
        return false;
    }
}

#define PUT(member, list) (k->q.member = (list).item, k->q.n_##member = (list).n)

static void finish_query(struct ask *k)
{
    PUT(require, k->require);
    PUT(forbid, k->without);
    PUT(prefer, k->prefer);
    PUT(minimum, k->min);
    PUT(maximum, k->max);
    PUT(providers, k->provider);
    PUT(allow, k->allow);
    PUT(deny, k->deny);
}

static void put_lines(const char *const *line, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        fputs("  ", stdout);
        out_safe(stdout, str_of(line[i]));
        fputc('\n', stdout);
    }
}

static void put_excluded(const cando_select_answer *r)
{
    printf("%ju of %ju fit", (uintmax_t)r->matched, (uintmax_t)r->considered);
    for (size_t i = 0; i < r->n_excluded; i++) {
        fputs(i ? ", " : " (", stdout);
        out_safe(stdout, str_of(r->excluded[i].reason));
        printf(": %ju out", (uintmax_t)r->excluded[i].count);
    }
    puts(r->n_excluded ? ")" : "");
}

static void put_page(const cando_select_answer *r)
{
    for (size_t i = 0; i < r->n_matches; i++) {
        out_cell(stdout, i ? STYLE_PLAIN : STYLE_BOLD, str_of(r->matches[i].target), 0);
        fputc('\n', stdout);
        put_lines(r->matches[i].why, r->matches[i].n_why);
    }
    if (!r->n_matches) {
        out_print(stdout, STYLE_WARN, "no model fits");
        fputc('\n', stdout);
    }
    if (r->runner_up) {
        printf("the first won by %s%s\n", r->runner_up->decided_by,
               r->runner_up->n_lacks ? "; the second:" : "");
        put_lines(r->runner_up->lacks, r->runner_up->n_lacks);
    }
    put_excluded(r);
}

static int answer(const struct engine *e, struct ask *k)
{
    cando_error err;
    int code = k->request ? decide_file(e, "select", "request", k->request, &k->q) : EXIT_YES;
    if (code != EXIT_YES)
        return code;
    const cando_select_answer *r = cando_ask_select(e->c, &k->q, e->room, &err);
    if (!r)
        return engine_failed(&err);
    if (k->json)
        code = engine_json(e, "select", r);
    else
        put_page(r);
    return code != EXIT_YES ? code : r->n_matches ? EXIT_YES : EXIT_NO;
}

static int run_with(const struct verb *self, int argc, char **argv, struct ask *k, struct engine *e)
{
    struct args a = args_begin(self, argc, argv);
    for (int id; (id = args_next(&a)) != ARGS_END;) {
        if (take(k, id, &a))
            continue;
        if (id == OPTION_LIMIT)
            return args_usage(&a, "--limit takes a whole number");
        if (!engine_option(e, id, a.value))
            return args_stop(&a, id);
    }
    for (int i = 0; i < a.n_rest; i++)
        if (!wanted_add(&k->ar, &k->require, a.rest[i]))
            return EXIT_INTERNAL;
    finish_query(k);
    int code = engine_open(e);
    return code == EXIT_YES ? answer(e, k) : code;
}

static int run(const struct verb *self, int argc, char **argv)
{
    struct ask k = {.q = {.sort = CANDO_SORT_PRICE, .limit = {5, true}}};
    struct engine e;
    engine_init(&e);
    arena_init(&k.ar, NULL);
    int code = run_with(self, argc, argv, &k, &e);
    engine_close(&e);
    arena_free(&k.ar);
    return code;
}

const struct verb verb_pick = {
    .name = "pick",
    .summary = "which model fits best, and why that one?",
    .usage = "[OPTION]... [CAPABILITY]...",
    .text =
        "Lists the models of the catalog that are known to have every capability named, in order: "
        "preferred providers, more of the "
        "preferred capabilities, then price (or --sort), then name. What is unknown is not taken "
        "for a yes, and an unknown price "
        "comes last.\n\n"
        "With --request the models that would run a request: everything that it demands is "
        "required, a window for the prompt and the "
        "answer, and the answer that it asks for. Another provider may want it in another form.\n\n"
        "It tells why the first one won, what the second lacked, and what excluded the rest.",
    .options = options,
    .run = run,
};
