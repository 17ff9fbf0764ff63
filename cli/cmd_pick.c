/*
 * cmd_pick.c - cando pick: which model fits best, and why that one?
 */
#define _POSIX_C_SOURCE 200809L
#include "query.h"
#include "request.h"
#include "screen.h"

#include <unistd.h>

struct ask {
    cando_query q;
    const char *request;
    bool why, any_provider;
};

static const struct option_row options[] = {
    {TEXT("request", request, "FILE", "only what would take this request; \"-\" is stdin")},
    {FLAG("refused", q.refused, "with --request: list what would refuse it, and why")},
    {FLAG("any-provider", any_provider, "also those that cando.toml names no key for")},
    {FLAG("why", why, "what each one has of what was asked for, and what excluded the rest")},
    {REQUEST_API(q.api)},
    {JSON("print the reply of the operation select")},
    {.more = query_options},
};

/* A line, broken where a terminal is too narrow. */
static void put_text(const char *before, const char *text)
{
    fputs(before, stdout);
    out_note(stdout, str_of(text), 4, strlen(before));
}

static void put_lines(const char *const *line, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put_text("  ", line[i]);
}

/* Each with its reasons. */
static void put_reasons(const cando_select_answer *r)
{
    for (size_t i = 0; i < r->n_matches; i++) {
        out("%c%s" END "\n", i ? STYLE_PLAIN : STYLE_BOLD, r->matches[i].target);
        put_lines(r->matches[i].why, r->matches[i].n_why);
    }
    if (!r->runner_up)
        return;
    out("the first won by %s%s\n", r->runner_up->decided_by,
        r->runner_up->n_lacks ? "; the second:" : "");
    put_lines(r->runner_up->lacks, r->runner_up->n_lacks);
}

static bool is_of(const cando_offering *x, const char *target)
{
    size_t n = strlen(x->provider);
    return strncmp(target, x->provider, n) == 0 && target[n] == '/' &&
           strcmp(target + n + 1, x->model) == 0;
}

/* The same table as that of cando models, in the order of the choice. */
static int put_table(struct call *c, const cando_select_answer *r)
{
    struct table t = {.ar = &c->ar, .whole = "--json"};
    const char **target = arena_array(&c->ar, r->n_matches, sizeof *target);
    if (!target)
        return fail_memory();
    for (size_t i = 0; i < r->n_matches; i++)
        target[i] = r->matches[i].target;
    cando_query q = {.allow = target, .n_allow = r->n_matches};
    const cando_models_answer *a = cando_ask_models(c->engine, &q, c->room, &c->err);
    if (!a)
        return fail(&c->err);
    offering_columns(&t, true);
    for (size_t i = 0; i < r->n_matches; i++)
        for (size_t k = 0; k < a->n_models; k++)
            if (is_of(&a->models[k], target[i]))
                offering_row(&t, &a->models[k], true);
    return table_print(&t, screen_room());
}

static void put_counts(const struct ask *k, const cando_select_answer *r)
{
    struct buf b;
    char number[32];
    buf_init(&b, NULL, 1u << 16);
    buf_printf(&b, "%s of ", out_number(r->matched, number).p);
    buf_printf(&b, "%s fit", out_number(r->considered, number).p);
    if (r->n_matches < r->matched)
        buf_printf(&b, ", %s shown (-n N: more)", out_number(r->n_matches, number).p);
    bool why = k->why || !r->n_matches;
    for (size_t i = 0; why && i < r->n_excluded; i++)
        buf_printf(&b, "%s%s: %s out%s", i ? ", " : " (", r->excluded[i].reason,
                   out_number(r->excluded[i].count, number).p, i + 1 < r->n_excluded ? "" : ")");
    if (why)
        put_text("", buf_cstr(&b));
    else
        out("%s" DIM "; --why tells why these" END "\n", buf_cstr(&b));
    buf_free(&b);
}

/* On a terminal, where all the world's providers are meant: how it could be one's own. */
static void mention_keys(const struct call *c, const struct ask *k)
{
    if (k->any_provider || k->q.n_providers || k->q.n_allow || k->q.n_kinds || c->n_rules)
        return;
    fflush(stdout);
    if (isatty(STDERR_FILENO))
        out_to(stderr, DIM "of all providers; cando init --keys openai,.. says which you have keys "
                           "for" END "\n");
}

static int put_page(struct call *c, const cando_select_answer *r)
{
    const struct ask *k = c->ask;
    int code = EXIT_YES;
    if (!r->n_matches)
        out(WARN "no model fits" END "\n");
    else if (k->why)
        put_reasons(r);
    else
        code = put_table(c, r);
    put_counts(k, r);
    mention_keys(c, k);
    return code;
}

/* "openai/o1: /temperature: 'temperature' must be 1" */
static void put_refused(const cando_select_answer *r)
{
    for (size_t i = 0; i < r->n_refused; i++) {
        const cando_refused *x = &r->refused[i];
        char text[1200];
        snprintf(text, sizeof text, "%s%s%s", x->path, *x->path ? ": " : "",
                 *x->message ? x->message : "it would refuse the request");
        out(WARN "%s" END ": ", x->target);
        out_note(stdout, str_of(text), 4, out_width(str_of(x->target)) + 2);
    }
}

/* Does it ask for something that a conversation does not give? */
static bool asks_other(const cando_wanted *list, size_t n)
{
    static const char *const made[] = {"output_image", "output_audio", "output_video",
                                       "embeddings",   "moderation",   "rerank"};
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < COUNT_OF(made); k++)
            if (cando_field_find(list[i].capability) == cando_field_find(made[k]))
                return true;
    return false;
}

/* A model for a conversation is meant, unless something else is asked for. */
static void usual_purpose(struct ask *k)
{
    static const char *const chat[] = {"chat"};
    const cando_query *q = &k->q;
    bool text = true;
    for (size_t i = 0; i < q->n_output; i++)
        text = text && strcmp(q->output[i], "text") == 0;
    if (!text || q->n_purpose || q->model || k->request)
        return;
    if (asks_other(q->require, q->n_require) || asks_other(q->can, q->n_can))
        return;
    k->q.purpose = chat;
    k->q.n_purpose = 1;
}

enum { KEYS_MOST = 256 };

/* Who has said which providers there are keys for means those, unless others are named. */
static bool usual_providers(struct call *c, struct ask *k)
{
    const char **list = arena_array(&c->ar, KEYS_MOST, sizeof *list);
    if (!list)
        return false;
    if (k->any_provider || k->q.n_providers || k->q.n_allow)
        return true;
    const cando_catalog *catalog = cando_get_catalog(c->engine); /* which the engine keeps */
    size_t n = cando_catalog_keys(catalog, list, KEYS_MOST);
    cando_catalog_release(catalog);
    k->q.allow = n ? list : k->q.allow;
    k->q.n_allow = n;
    return true;
}

static int run(struct call *c)
{
    struct ask *k = c->ask;
    cando_wanted *require = arena_array(&c->ar, (size_t)c->n, sizeof *require);
    if (!require)
        return fail_memory();
    for (int i = 0; i < c->n; i++)
        require[i] = (cando_wanted){.capability = c->operand[i], .min_support = CANDO_MIN_EMULATED};
    k->q.require = require;
    k->q.n_require = (size_t)c->n;
    usual_purpose(k);
    if (!usual_providers(c, k))
        return fail_memory();
    query_sort(&k->q, CANDO_SORT_PRICE);
    if (!k->q.limit.known)
        k->q.limit = (cando_number){5, true};
    int code = query_check(c, &k->q);
    if (code == EXIT_YES)
        code = request_member(c, "select", "request", k->request, &k->q);
    if (code != EXIT_YES)
        return code;
    const cando_select_answer *r = cando_ask_select(c->engine, &k->q, c->room, &c->err);
    if (call_page(c, "select", r)) {
        put_refused(r);
        c->code = put_page(c, r);
    }
    return call_end(c, r && r->n_matches);
}

const struct verb verb_pick = {
    .name = "pick",
    .summary = "which model fits best: the cheapest that can do all this",
    .usage = "[OPTION]... [CAPABILITY]...",
    .text =
        "Lists the models of the catalog that are known to have every capability named, in "
        "order: preferred providers, more of the preferred capabilities, then price (or "
        "--sort), then name; five unless --limit says otherwise. What is unknown is not taken "
        "for a yes, and an unknown price comes last. The options are those of cando "
        "models. What is meant is a model for conversations, unless --for, another --output or "
        "a capability of other models (embeddings, output_image, ..) says otherwise.\n\n"
        "Where cando.toml says which providers there are keys for (keys below [policy]; cando "
        "init writes such a file), only those are meant, unless --provider, --allow or "
        "--any-provider says otherwise.\n\n"
        "With --request the models that would run a request: everything that it demands is "
        "required, a window for the prompt and the answer, and the answer that it asks for; "
        "and cando check must not reject it there. A model that wants it repaired first (by "
        "cando fix, without a loss) is fine. --refused lists the others.\n\n"
        "With --why it tells what each one has of what was asked for, why the first one won, what "
        "the second lacked, and what excluded the rest.",
    .examples = "cando pick tools vision --max-input-price 1\n"
                "cando pick reasoning --provider openai,anthropic --min-context 200k\n"
                "cando pick --request request.json --why",
    .options = options,
    .ask = sizeof(struct ask),
    OPERANDS(0, MANY, NULL, NULL),
    .opens = OPENS_CATALOG,
    .requests = true,
    .paged = true,
    .run = run,
};
