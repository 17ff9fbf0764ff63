/*
 * cmd_match.c - cando match: does a backend satisfy this work order?
 */
#include "request.h"

struct ask {
    const char *order, *manifest;
    cando_match_question q;
};

static take_fn take_need;

static const struct option_row options[] = {
    {TEXT("order", order, "FILE", "the work order, as JSON; \"-\" is stdin")},
    {TAKES("need", take_need, "LIST",
           "capabilities, NAME=native or NAME=any for another threshold; may be repeated"),
     LIST_(q.required, q.n_required, const cando_order_need *)},
    {TEXT("manifest", manifest, "FILE", "a manifest, as JSON, instead of a backend")},
    {JSON("print the reply of the operation match")},
    {.more = engine_options},
};

/* "NAME", or "NAME=native" */
static bool add_need(struct call *c, const struct option_row *o, struct str s)
{
    static const char *const words[] = {"emulated", "native", "any"};
    struct str name = str_head(s, str_find_char(s, '=')), wanted = str_from(s, name.n + 1);
    unsigned level = 0;
    while (name.n < s.n && level < 3 && !str_is(wanted, words[level]))
        level++;
    if (level == 3) {
        fail_with(CANDO_BAD_QUESTION, CODE_bad_argument, "known: 'native', 'emulated', 'any'",
                  "no threshold is called '%.*s'", STR_ARG(wanted));
        return false;
    }
    const char *own = call_text(c, name);
    cando_order_need *item = own ? option_item(c, o, sizeof *item) : NULL;
    if (item)
        *item = (cando_order_need){own, (cando_min_support)level};
    return item != NULL;
}

/* "NAME,NAME=native" */
static bool take_need(struct call *c, const struct option_row *o, const char *value)
{
    struct str rest = str_of(value);
    bool fine = true;
    do {
        struct str one = str_head(rest, str_find_char(rest, ','));
        fine = add_need(c, o, one);
        rest = str_from(rest, one.n + 1);
    } while (fine && rest.n);
    return fine;
}

static void put_need(const char *word, enum style style, const cando_matched_need *x)
{
    out("  %c%-13s" END "%-32s%s%s%s\n", style, word, x->capability, x->strategy,
        x->reason && x->strategy ? ": " : "", x->reason);
}

/* Nobody said anything of it, which is not the same as a no. */
static bool is_undeclared(const cando_matched_need *x)
{
    return strcmp(x->reason, "not declared") == 0;
}

static void put_match(const cando_matched *m)
{
    out("%c%s" END "\n", m->satisfied ? STYLE_GOOD : STYLE_BAD,
        m->satisfied ? "satisfied" : "not satisfied");
    for (size_t i = 0; i < m->n_native; i++)
        out("  " GOOD "%-13s" END "%s\n", "native", m->native[i]);
    for (size_t i = 0; i < m->n_emulated; i++)
        put_need("emulated", STYLE_WARN, &m->emulated[i]);
    for (size_t i = 0; i < m->n_unsupported; i++)
        put_need(is_undeclared(&m->unsupported[i]) ? "undeclared" : "unsupported", STYLE_BAD,
                 &m->unsupported[i]);
}

/* ", 2 unsupported: a, b" */
static void put_lacking(const cando_matched *m, const char *word, bool undeclared)
{
    size_t n = 0, told = 0;
    for (size_t k = 0; k < m->n_unsupported; k++)
        n += is_undeclared(&m->unsupported[k]) == undeclared;
    if (!n)
        return;
    out(", %zu %s", n, word);
    for (size_t k = 0; k < m->n_unsupported; k++)
        if (is_undeclared(&m->unsupported[k]) == undeclared)
            out("%s%s", told++ ? ", " : ": ", m->unsupported[k].capability);
}

static void put_ranked(const cando_matched *m)
{
    out("%c%-5s" END BOLD "%-14s" END "%zu native, %zu emulated",
        m->satisfied ? STYLE_GOOD : STYLE_BAD, m->satisfied ? "yes" : "no", m->backend, m->n_native,
        m->n_emulated);
    put_lacking(m, "unsupported", false);
    put_lacking(m, "undeclared", true);
    out("\n");
}

/* Nothing says what is needed; a capability in the place of a backend may be meant so. */
static int no_order(const struct call *c)
{
    const char *need = "tool_bash";
    if (c->n && cando_field_find(c->operand[0]) != CANDO_NO_FIELD)
        need = c->operand[0];
    char hint[120];
    snprintf(hint, sizeof hint, "cando match --need %.60s ranks the agent backends", need);
    return fail_with(CANDO_BAD_QUESTION, CODE_missing_argument, hint,
                     "match: what is needed? give --order or --need");
}

static int check(struct call *c)
{
    struct ask *k = c->ask;
    if (c->n && k->manifest)
        return call_usage(c, c->verb->too_many);
    if (!k->order && !k->q.n_required)
        return no_order(c);
    if (k->order && k->q.n_required)
        return call_usage(c, "--order and --need exclude each other");
    return EXIT_YES;
}

/* What may surprise: an order that asks for nothing, and needs that are a model's. */
static void put_notes(const struct ask *k, const cando_match_answer *r)
{
    bool declared = false;
    for (size_t i = 0; i < r->n_ranking; i++) {
        const cando_matched *m = &r->ranking[i];
        declared |= m->n_native || m->n_emulated;
        for (size_t n = 0; n < m->n_unsupported; n++)
            declared |= !is_undeclared(&m->unsupported[n]);
    }
    const cando_matched *one = r->match ? r->match : r->n_ranking ? r->ranking : NULL;
    bool empty = one && !one->n_native && !one->n_emulated && !one->n_unsupported;
    fflush(stdout);
    if (empty)
        out_notef(stderr, 6,
                  "note: the order asks for nothing; needs stand in requirements.required: see "
                  "cando help match");
    else if (r->n_ranking && !declared && k->q.n_required)
        out_notef(stderr, 6,
                  "note: no backend says anything of that; cando pick %s asks it of models",
                  k->q.required[0].capability);
}

static int run(struct call *c)
{
    struct ask *k = c->ask;
    cando_name target = {.model = c->n ? c->operand[0] : NULL};
    k->q.rank = !c->n && !k->manifest;
    /* a backend has a plain name, or is the provider "backend"'s */
    if (c->n && strchr(target.model, '/') && !str_starts(str_of(target.model), STR("backend/")))
        k->q.target = &target;
    else
        k->q.backend = target.model;
    int code = request_member(c, "match", "work_order", k->order, &k->q);
    if (code == EXIT_YES)
        code = request_member(c, "match", "manifest", k->manifest, &k->q);
    if (code != EXIT_YES)
        return code;
    const cando_match_answer *r = cando_ask_match(c->engine, &k->q, c->room, &c->err);
    if (call_page(c, "match", r)) {
        if (r->match)
            put_match(r->match);
        for (size_t i = 0; i < r->n_ranking; i++)
            put_ranked(&r->ranking[i]);
        put_notes(k, r);
    }
    const cando_matched *best = !r ? NULL : r->match ? r->match : r->n_ranking ? r->ranking : NULL;
    return call_end(c, best && best->satisfied);
}

static const struct file_form files[] = {
    {"order", "{\"requirements\":{\"required\":[\n"
              "  {\"capability\":\"tool_bash\",\"min_support\":\"native\"}]}}"},
    {"manifest", "{\"tool_bash\":\"native\",\"checkpointing\":\"emulated\"}"},
    {NULL, NULL},
};

const struct verb verb_match = {
    .name = "match",
    .summary = "which agent backend satisfies a work order?",
    .usage = "[OPTION]... [BACKEND | PROVIDER/MODEL]",
    .text = "Holds a work order against the manifest of a backend: what is native, what is "
            "emulated and how, what is missing and why. Without a backend all of the catalog's "
            "are ranked, the best first. min_support is native, emulated (or better), or any (also "
            "restricted); cando schema work_order has all that an order can say.\n\n"
            "The exit code is 0 if the order is satisfied, by the best one where several were "
            "asked.",
    .examples = "cando match --need tool_bash\n"
                "cando match claude --order order.json",
    .options = options,
    .files = files,
    .ask = sizeof(struct ask),
    OPERANDS(0, 1, NULL, "one backend, model or manifest at a time"),
    .opens = OPENS_CATALOG,
    .check = check,
    .run = run,
};
