/*
 * cmd_pick.c - cando pick: which model fits best, and why that one?
 */
#include "request.h"

struct ask {
    cando_query q;
    const char *request;
    unsigned sort;
};

static take_fn take_name, take_bound;
#define NAMES(name, m, n, arg, help)                                                               \
    TAKES(name, take_name, arg, help), LIST_(m, n, const cando_wanted *)
#define BOUNDS(name, m, n, help)                                                                   \
    TAKES(name, take_bound, "FIELD=N", help), LIST_(m, n, const cando_bound *)

static const struct option_row options[] = {
    {TEXT("request", request, "FILE", "what this request needs is required, too; \"-\" is stdin")},
    {REQUEST_API(q.api)},
    {NAMES("without", q.forbid, q.n_forbid, "CAPABILITY",
           "leave out what has it; may be repeated")},
    {NAMES("prefer", q.prefer, q.n_prefer, "NAME",
           "a provider, in order of preference, or a capability; may be repeated")},
    {BOUNDS("min", q.minimum, q.n_minimum, "at least: context_window=200000; may be repeated")},
    {BOUNDS("max", q.maximum, q.n_maximum,
            "at most: input_price=1.5 (USD per million tokens); may be repeated")},
    {TEXTS("provider", q.providers, q.n_providers, "NAME",
           "only of this provider; may be repeated")},
    {TEXTS("allow", q.allow, q.n_allow, "PATTERN",
           "only these: openai, openai/gpt-*; may be repeated")},
    {TEXTS("deny", q.deny, q.n_deny, "PATTERN",
           "none of these, whatever is allowed; may be repeated")},
    {WORD("sort", sort, "ORDER", "price context release name", "price unless said otherwise")},
    {NUMBER("limit", q.limit, "N", "how many are listed, 5 unless said otherwise")},
    {JSON("print the reply of the operation select")},
    {.more = engine_options},
};

/* Whatever is in it. */
static bool take_name(struct call *c, const struct option_row *o, const char *value)
{
    cando_wanted *item = option_item(c, o, sizeof *item);
    if (item)
        *item = (cando_wanted){.capability = value, .min_support = CANDO_MIN_EMULATED};
    return item != NULL;
}

/* "context_window=200000" */
static bool take_bound(struct call *c, const struct option_row *o, const char *value)
{
    const char *eq = strchr(value, '=');
    if (!eq || eq == value || !eq[1]) {
        fail_with(CANDO_BAD_QUESTION, CODE_bad_option, "for example context_window=64000",
                  "'%s' is not of the form NAME=VALUE", value);
        return false;
    }
    const char *field = call_text(c, str_make(value, (size_t)(eq - value)));
    cando_bound *item = field ? option_item(c, o, sizeof *item) : NULL;
    if (item)
        *item = (cando_bound){field, eq + 1};
    return item != NULL;
}

static void put_lines(const char *const *line, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out("  %s\n", line[i]);
}

static void put_page(const cando_select_answer *r)
{
    for (size_t i = 0; i < r->n_matches; i++) {
        out("%c%s" END "\n", i ? STYLE_PLAIN : STYLE_BOLD, r->matches[i].target);
        put_lines(r->matches[i].why, r->matches[i].n_why);
    }
    if (!r->n_matches)
        out(WARN "no model fits" END "\n");
    if (r->runner_up) {
        out("the first won by %s%s\n", r->runner_up->decided_by,
            r->runner_up->n_lacks ? "; the second:" : "");
        put_lines(r->runner_up->lacks, r->runner_up->n_lacks);
    }
    out("%ju of %ju fit", (uintmax_t)r->matched, (uintmax_t)r->considered);
    for (size_t i = 0; i < r->n_excluded; i++)
        out("%s%s: %ju out", i ? ", " : " (", r->excluded[i].reason,
            (uintmax_t)r->excluded[i].count);
    puts(r->n_excluded ? ")" : "");
}

static int run(struct call *c)
{
    static const cando_sort sorts[] = {CANDO_SORT_PRICE, CANDO_SORT_CONTEXT, CANDO_SORT_RELEASE,
                                       CANDO_SORT_NAME};
    struct ask *k = c->ask;
    cando_wanted *require = arena_array(&c->ar, (size_t)c->n, sizeof *require);
    if (!require)
        return fail_memory();
    for (int i = 0; i < c->n; i++)
        require[i] = (cando_wanted){.capability = c->operand[i], .min_support = CANDO_MIN_EMULATED};
    k->q.require = require;
    k->q.n_require = (size_t)c->n;
    k->q.sort = sorts[k->sort];
    if (!k->q.limit.known)
        k->q.limit = (cando_number){5, true};
    int code = request_member(c, "select", "request", k->request, &k->q);
    if (code != EXIT_YES)
        return code;
    const cando_select_answer *r = cando_ask_select(c->engine, &k->q, c->room, &c->err);
    if (call_page(c, "select", r))
        put_page(r);
    return call_end(c, r && r->n_matches);
}

const struct verb verb_pick = {
    .name = "pick",
    .summary = "which model fits best, and why that one?",
    .usage = "[OPTION]... [CAPABILITY]...",
    .text = "Lists the models of the catalog that are known to have every capability named, in "
            "order: preferred providers, more of the preferred capabilities, then price (or "
            "--sort), then name. What is unknown is not taken for a yes, and an unknown price "
            "comes last.\n\n"
            "With --request the models that would run a request: everything that it demands is "
            "required, a window for the prompt and the answer, and the answer that it asks for. "
            "Another provider may want it in another form.\n\n"
            "It tells why the first one won, what the second lacked, and what excluded the rest.",
    .options = options,
    .ask = sizeof(struct ask),
    .most = MANY,
    .opens = OPENS_CATALOG,
    .run = run,
};
