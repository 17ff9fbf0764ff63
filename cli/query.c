#include "query.h"

#include "when.h"

struct ask { /* as far as it is that of any verb */
    cando_query q;
};

static take_fn take_bound;
#define BOUND(name, m, n, arg, help)                                                               \
    TAKES(name, take_bound, arg, help), LIST_(m, n, const cando_bound *)
#define AT_LEAST(name, field_, help)                                                               \
    BOUND(name, q.minimum, q.n_minimum, "TOKENS", help), .field = field_, .value = true
#define AT_MOST(name, field_, help)                                                                \
    BOUND(name, q.maximum, q.n_maximum, "USD", help), .field = field_

const struct option_row query_options[] = {
    {COMMAS("provider", q.providers, q.n_providers, "LIST", "of these providers; may be repeated")},
    {COMMAS("kind", q.kinds, q.n_kinds, "LIST",
            "of providers of these kinds: first-party, cloud, host, router, local")},
    {COMMAS("allow", q.allow, q.n_allow, "LIST", "only these: openai, openai/gpt-*")},
    {COMMAS("deny", q.deny, q.n_deny, "LIST", "none of these, whatever is allowed")},
    {TEXT("model", q.model, "ID", "the offerings of one model, under whatever spelling")},
    {WANTED("can", q.can, q.n_can, "LIST",
            "have these capabilities; NAME=native takes nothing less")},
    {WANTED("cannot", q.cannot, q.n_cannot, "LIST", "are known not to have these")},
    {WANTED("without", q.forbid, q.n_forbid, "LIST", "leave out what has these")},
    {COMMAS("input", q.input, q.n_input, "LIST", "take image, audio, video, pdf, text")},
    {COMMAS("output", q.output, q.n_output, "LIST", "make image, audio, video, text, embedding")},
    {COMMAS("for", q.purpose, q.n_purpose, "LIST",
            "what they are for: chat, completion, embedding, rerank, speech, transcription, image, "
            "video, moderation, ocr, realtime, music")},
    {AT_LEAST("min-context", "context_window",
              "context window of at least that: 200000, 200k, 1m")},
    {AT_LEAST("min-output", "max_output", "output limit of at least that")},
    {BOUND("min", q.minimum, q.n_minimum, "FIELD=N", "at least: context_window=200000")},
    {AT_MOST("max-input-price", "input_price", "at most that per million tokens of input")},
    {AT_MOST("max-output-price", "output_price", "the same for output")},
    {BOUND("max", q.maximum, q.n_maximum, "FIELD=N",
           "at most: input_price=1.5 (USD per million tokens)")},
    {DAY("released-after", q.released_after, "DAY",
         "2026-01-15, 2026-01, or 6m ago: released then or later")},
    {DAY("released-before", q.released_before, "DAY", "released earlier than that")},
    {COMMAS("status", q.status, q.n_status, "LIST",
            "active, preview, unlisted, deprecated, retired")},
    {SETS("or-unknown", q.unknown, CANDO_INCLUDE_UNKNOWN,
          "what nobody knows passes a filter, too")},
    {WANTED("prefer", q.prefer, q.n_prefer, "LIST",
            "first: providers, in order of preference, and what has these capabilities")},
    {WORD("sort", q.sort, "KEY",
          "name provider context output price input-price output-price release",
          "best first, unknown last"),
     .value = 1},
    {FLAG("reverse", q.reverse, "worst first, unknown still last")},
    {NUMBER("limit", q.limit, "N", "no more than that"), .letter = 'n'},
    {.more = engine_options},
};

void query_sort(cando_query *q, cando_sort usual)
{
    q->sort = q->sort ? (cando_sort)(q->sort - 1) : usual;
}

int query_check(struct call *c, const cando_query *q)
{
    cando_query names = {
        .providers = q->providers, .n_providers = q->n_providers, .limit = {0, true}};
    return cando_ask_models(c->engine, &names, c->room, &c->err) ? EXIT_YES : fail(&c->err);
}

/* "context_window=200k", or the number alone where the option names the field. The last word
 * on a field counts. */
static bool take_bound(struct call *c, const struct option_row *o, const char *value)
{
    struct str s = str_of(value), head = str_head(s, str_find_char(s, '='));
    const char *field = o->field, *text = field ? value : value + head.n + 1;
    const cando_bound *list;
    cando_bound *item = NULL;
    uint64_t n;
    if (!field && (!head.n || head.n + 1 >= s.n)) {
        fail_with(CANDO_BAD_QUESTION, CODE_bad_option, "for example context_window=64000",
                  "'%s' is not of the form NAME=VALUE", value);
        return false;
    }
    if (o->value && !read_number(value, &n))
        return option_refuse(o, value, WHOLE_NUMBER);
    if (*text == '$')
        text++;
    else if (read_number(text, &n))
        text = str_printf(&c->ar, "%ju", n).p;
    if (!field)
        field = str_dup(&c->ar, head).p;
    if (!field || !text)
        return fail_memory() == EXIT_YES;
    memcpy(&list, option_member(c, o), sizeof list);
    for (size_t i = 0; i < option_length(c, o); i++)
        if (strcmp(list[i].field, field) == 0)
            item = (cando_bound *)&list[i];
    if (!item)
        item = option_item(c, o, sizeof *item);
    if (item)
        *item = (cando_bound){field, text};
    return item != NULL;
}
