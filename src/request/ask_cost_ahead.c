/*
 * ask_cost_ahead.c - cost of a request, before it is sent: low, expected, high.
 *
 * The request is scanned as preflight scans it, for the model that shall answer: its
 * tokenizer decides how many tokens the prompt has, its profile how long an answer may
 * be, its price what that costs. Three usages come of it (estimate.h), and each is
 * billed like a reply. The costs of the answer itself are those of `expected`, so that
 * whoever reads the costs of a reply can read these.
 */
#include "ask_cost.h"

#include "demand.h"
#include "estimate.h"
#include "named.h"

struct ahead {
    struct cost_job *j;
    struct demands request;
    const struct api *api; /* the request's */
    struct estimate e;
    struct estimate_bill bill, room;
    cando_bill end[ESTIMATE_ENDS];
};

/* -- the question ------------------------------------------------------------------------- */

static bool read_question(struct ahead *x)
{
    struct reading *r = &x->j->r;
    const cando_cost_question *q = x->j->q;
    if (q->usage_form)
        return reading_fail(
            r, CODE_bad_argument, STR("/usage_form"),
            "'usage_form' goes with 'usage', the form of a request is its 'dialect'");
    if (q->keep)
        return reading_fail(r, CODE_bad_argument, STR("/keep"),
                            "nothing is known already of what a request will cost");
    if (q->target && q->provider)
        return reading_fail(r, CODE_bad_argument, STR("/provider"),
                            "'target' names the provider of a request already");
    const char *api = q->api && *q->api ? q->api : NULL;
    return demands_read(r, q->request, api, &x->request);
}

/* Who shall answer, if nobody says: the one whom preflight would judge it for. */
static bool find_target(struct ahead *x)
{
    static const char *const from[] = {
        [NAMED_BY_API] = "the API that the request is for",
        [NAMED_BY_LAB] = "the lab whose model it is",
        [NAMED_BY_ALIAS] = "the alias of this name",
        [NAMED_BY_POLICY] = "the policy that denies it",
    };
    struct cost_job *j = x->j;
    struct demands *d = &x->request;
    if (!j->provider.n) {
        cando_report *work = report_room(j->room);
        struct named named;
        if (!work)
            return reading_memory(&j->r);
        j->model = estimate_model(d->body);
        if (request_named(j->c, j->cat, work, j->r.ar, d->text, d->told, j->q->provider, &named)) {
            j->provider = named.provider;
            j->target_from = from[named.by];
        }
        if (j->r.ar->failed) /* for its name */
            return reading_memory(&j->r);
    }
    bool known = j->provider.n && j->model.n;
    return demands_scan(&j->r, j->cat, known ? j->provider : STR(""), known ? j->model : STR(""),
                        d);
}

static bool find_price(struct cost_job *j)
{
    if (j->q->pricing.p)
        return cost_price_given(j);
    if (j->provider.n && j->model.n)
        return cost_price_of_target(j);
    j->pricing->n = 0;
    j->no_price = j->model.n
                      ? "the request does not say who shall answer, and a price depends on it"
                      : "the request does not say which model shall answer";
    return true;
}

/* -- the estimate ------------------------------------------------------------------------------ */

static bool demands(const struct ahead *x, unsigned field)
{
    return demands_has(&x->request, plane_slot(field));
}

static void find_media(struct ahead *x)
{
    static const struct {
        uint8_t unit;
        unsigned field;
    } media[] = {
        {UNIT_input_audio_tokens, F_input_audio},   {UNIT_input_image_tokens, F_input_image},
        {UNIT_input_video_tokens, F_input_video},   {UNIT_output_audio_tokens, F_output_audio},
        {UNIT_output_image_tokens, F_output_image},
    };
    _Static_assert(COUNT_OF(media) <= ESTIMATE_MEDIA, "room for each");
    for (size_t i = 0; i < COUNT_OF(media); i++)
        if (demands(x, media[i].field))
            x->e.media[x->e.n_media++] = media[i].unit;
}

/* Some forms do not let us see how large a thing in the prompt is. */
static const char *find_unsized(const struct ahead *x)
{
    bool large = demands(x, F_input_pdf) || demands(x, F_input_audio) || demands(x, F_input_video);
    if (x->e.unsized)
        return x->e.unsized;
    if (large && (x->e.input.high < FIT_MEDIA_HIGH || x->api->unsized_media))
        return "how many tokens a document, sound or film in the prompt has cannot be seen";
    if (x->api->unsized_images && demands(x, F_input_image))
        return "how many tokens a picture in the prompt has cannot be seen in this form";
    return NULL;
}

static void fill_estimate(struct ahead *x)
{
    static const unsigned hosted[] = {F_web_search, F_web_fetch, F_code_execution, F_file_search,
                                      F_remote_mcp};
    const struct demands *d = &x->request;
    const cando_planes *p = &d->planes;
    struct estimate *e = &x->e;
    e->has_told = x->j->q->output_tokens.known;
    e->told = x->j->q->output_tokens.value;
    if (!e->counts)
        e->input = d->tokens;
    if (d->output) {
        e->has_asked = true;
        e->asked = d->output;
    }
    e->has_max = p->number_known >> NUM_max_output & 1;
    e->max_output = p->number[NUM_max_output];
    bool own = p->number_known >> NUM_max_input & 1;
    e->has_window = own || (p->number_known >> NUM_context_window & 1);
    e->window = p->number[own ? NUM_max_input : NUM_context_window];
    e->reasons = planes_level(p, plane_slot(F_reasoning)) > CANDO_UNSUPPORTED;
    for (size_t i = 0; i < COUNT_OF(hosted); i++)
        e->hosted |= demands(x, hosted[i]);
    e->hosted |= x->api->image_tools && demands(x, F_output_image);
    find_media(x);
    e->unsized = find_unsized(x);
    estimate_settle(e);
}

static bool price_end(struct ahead *x, enum estimate_end end)
{
    struct cost_job *j = x->j;
    struct estimate_bill *b = &x->bill;
    cando_bill *out = &x->end[end];
    struct bill_words words = {.no_price = j->no_price, .dated = j->options.dated};
    if (!estimate_price(&j->r, &x->e, end, j->pricing, &j->options, b, &x->room))
        return false;
    if (j->no_price) /* not even nothing is known to cost nothing */
        b->cost.input.known = b->cost.output.known = b->cost.total.known = false;
    words.no_input = b->no_input;
    words.no_output = b->no_output;
    out->input_tokens = text_count(&j->t, &b->usage, UNIT_input_tokens);
    out->output_tokens = text_count(&j->t, &b->usage, UNIT_output_tokens);
    return bill_write(&j->t, &b->cost, &words, out);
}

/* -- the answer ------------------------------------------------------------------------------- */

static const char *why_answer(const struct estimate *e)
{
    switch (e->answer) {
    case ANSWER_TOLD:
        return "the question says so";
    case ANSWER_CUT:
        return "the longest answer that is allowed";
    case ANSWER_NONE:
        return "no tokens are generated";
    case ANSWER_USUAL:
        break;
    }
    return "nobody can know: most of a page is assumed";
}

static void list_assumptions(const struct estimate *e, const char **list, size_t *n)
{
    if (e->cache != CACHE_UNMARKED)
        list[(*n)++] = "expected: nothing is read from the cache or written to it; low: all of the "
                       "prompt is read, high: all is written";
    if (e->hosted)
        list[(*n)++] = "expected: the tools that the provider runs are not called";
    if (e->reasons && (e->answer == ANSWER_USUAL || e->answer == ANSWER_CUT) && e->assumed)
        list[(*n)++] = "expected: the model's reasoning, which is billed as output, is within the "
                       "assumed tokens";
}

static bool write_estimate(struct ahead *x)
{
    static const char *const bounds[] = {NULL, "request", "model"};
    const struct estimate *e = &x->e;
    struct reading *r = &x->j->r;
    cando_estimate *out = arena_alloc(r->ar, sizeof *out);
    cando_tokens *tokens = arena_alloc(r->ar, sizeof *tokens);
    const char **assumes = arena_array(r->ar, 3, sizeof *assumes);
    if (!out || !tokens || !assumes)
        return reading_memory(r);
    *tokens =
        (cando_tokens){e->input.low, e->input.expected, e->input.high, {e->asked, e->has_asked}};
    bool bounded = e->bound != BOUND_NOBODY && e->answer != ANSWER_NONE;
    *out = (cando_estimate){
        .model = e->model.n ? reading_copy(r, e->model) : NULL,
        .api = x->request.api,
        .service_tier = x->j->options.tier.n ? reading_copy(r, x->j->options.tier) : NULL,
        .tokens = tokens,
        .output_limit = {e->limit, bounded},
        .output_limit_from = bounded ? bounds[e->bound] : NULL,
        .choices = e->choices,
        .assumed_output_tokens = e->assumed,
        .why = why_answer(e),
        .assumes = assumes,
        .low = &x->end[ESTIMATE_LOW],
        .expected = &x->end[ESTIMATE_EXPECTED],
        .high = &x->end[ESTIMATE_HIGH],
    };
    list_assumptions(e, assumes, &out->n_assumes);
    x->j->a->estimate = out;
    return r->error.status == CANDO_OK;
}

bool cost_ahead(struct cost_job *j)
{
    struct ahead *x = arena_alloc(j->r.ar, sizeof *x);
    if (!x)
        return reading_memory(&j->r);
    x->j = j;
    if (!read_question(x) || !find_target(x))
        return false;
    const struct demands *d = &x->request;
    x->api = api_find(str_of(d->api));
    if (!x->api)
        x->api = &api_none;
    estimate_read(d->body, x->api, (enum fit_family)d->tokenizer, &x->e);
    if (!cost_options(j, NULL, NULL, d->batch ? STR("batch") : x->e.tier) || !find_price(j))
        return false;
    fill_estimate(x);
    for (unsigned i = 0; i < ESTIMATE_ENDS; i++)
        if (!price_end(x, (enum estimate_end)i))
            return false;
    return write_estimate(x) && cost_answer(j, &x->end[ESTIMATE_EXPECTED]);
}

/* -- is it one? ------------------------------------------------------------------------------- */

static bool has_any(const struct json *v, const char *keys)
{
    struct str key;
    while (words_next(&keys, &key))
        for (size_t i = 0; i < v->n; i++)
            if (str_eq(v->key[i].text, key))
                return true;
    return false;
}

static bool is_request(const struct json *v)
{
    static const char *const inner[] = {"body", "params", "request"};
    if (!v || v->kind != JSON_OBJECT)
        return false;
    if (has_any(v, "response result choices candidates output usageMetadata error"))
        return false;
    const struct json *usage = json_get(v, "usage"); /* a router's requests may ask for it */
    if (usage && (usage->kind != JSON_OBJECT || !json_get(usage, "include")))
        return false;
    if (has_any(v, "messages contents input prompt"))
        return true;
    if (!has_any(v, "custom_id key")) /* a line of a batch job */
        return false;
    for (size_t i = 0; i < COUNT_OF(inner); i++) {
        const struct json *x = json_get(v, inner[i]);
        if (x && x->kind == JSON_OBJECT)
            return true;
    }
    return false;
}

bool cando_is_request(const char *json, size_t len)
{
    struct arena ar;
    arena_init(&ar, NULL);
    bool is = is_request(json_parse(&ar, str_make(json, len), NULL));
    arena_free(&ar);
    return is;
}
