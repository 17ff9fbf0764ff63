/*
 * cost_ahead.c - cost of a request, before it is sent: low, expected, high.
 *
 * The request is scanned as preflight scans it, for the model that shall answer: its
 * tokenizer decides how many tokens the prompt has, its profile how long an answer may
 * be, its price what that costs. Three usages come of it (estimate.h), and each is
 * billed like a reply. The costs of the answer itself are those of `expected`, so that
 * whoever reads the costs of a reply can read these.
 */
#include "cost_job.h"

#include "request/estimate.h"
#include "request/demand.h"

struct ahead {
    struct cost_job *j;
    struct demands request;
    bool has_told;      /* `output_tokens` */
    uint64_t told;
    struct estimate e;
    struct estimate_bill bill[ESTIMATE_ENDS], room;
};

static const char *const ends[ESTIMATE_ENDS] = {"low", "expected", "high"};

/* -- the question ------------------------------------------------------------------------- */

static bool read_args(struct ahead *x)
{
    struct op_call *c = x->j->c;
    const struct json *told = json_get(c->args, "output_tokens");
    if (json_get(c->args, "usage_form"))
        return op_fail(c, CODE_bad_argument, STR("/usage_form"), "'usage_form' goes with 'usage', the form of a request is its 'dialect'");
    if (json_get(c->args, "keep"))
        return op_fail(c, CODE_bad_argument, STR("/keep"), "nothing is known already of what a request will cost");
    if (json_get(c->args, "target") && json_get(c->args, "provider"))
        return op_fail(c, CODE_bad_argument, STR("/provider"), "'target' names the provider of a request already");
    x->has_told = told && told->kind != JSON_NULL;
    if (x->has_told && !json_uint(told, &x->told)) {
        op_fail(c, CODE_bad_argument, STR("/output_tokens"), "'output_tokens' is no whole number");
        return op_hint(c, "how many tokens one answer is expected to have");
    }
    struct reading r = {.ar = c->ar};
    struct str api;
    const struct json *v = json_get(c->args, "request");
    if (!arg_text(c, "dialect", &api))
        return false;
    cando_bytes body = {c->text.p + v->at, v->end - v->at};
    return demands_read(&r, body, api.n ? api.p : NULL, STR("/request"), &x->request) ||
           op_fail_error(c, str_dup(c->ar, str_of(r.error.at)), &r.error);
}

static bool scan(struct op_call *c, const cando_catalog *cat, struct str provider, struct str model, struct demands *d)
{
    struct reading r = {.ar = c->ar};
    return demands_scan(&r, cat, provider, model, d) || op_fail_error(c, str_dup(c->ar, str_of(r.error.at)), &r.error);
}

/* Who shall answer, if nobody says: the request names the model, and its form is that
 * of somebody's API. */
static bool find_target(struct ahead *x)
{
    struct cost_job *j = x->j;
    struct demands *r = &x->request;
    if (!j->provider.n) {
        j->model = estimate_model(r->body);
        if (!arg_text(j->c, "provider", &j->provider))
            return false;
        if (!j->provider.n && j->model.n) {
            if (!scan(j->c, j->cat, STR(""), STR(""), r))
                return false;
            r->told = r->api;
            j->provider = demands_vendor(j->cat, r);
            j->target_from = "the API that the request is for";
        }
    }
    bool known = j->provider.n && j->model.n;
    return scan(j->c, j->cat, known ? j->provider : STR(""), known ? j->model : STR(""), r);
}

static bool find_price(struct ahead *x)
{
    struct cost_job *j = x->j;
    const struct json *pricing = json_get(j->c->args, "pricing");
    if (pricing)
        return cost_pricing(j, pricing);
    if (j->provider.n && j->model.n)
        return cost_target_price(j);
    j->no_price = j->model.n ? "the request does not say who shall answer, and a price depends on it"
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
        {UNIT_input_audio_tokens, F_input_audio},   {UNIT_input_image_tokens, F_input_image},   {UNIT_input_video_tokens, F_input_video},
        {UNIT_output_audio_tokens, F_output_audio}, {UNIT_output_image_tokens, F_output_image},
    };
    _Static_assert(sizeof media / sizeof *media <= ESTIMATE_MEDIA, "room for each");
    for (size_t i = 0; i < sizeof media / sizeof *media; i++)
        if (demands(x, media[i].field))
            x->e.media[x->e.n_media++] = media[i].unit;
}

/* Some forms do not let us see how large a thing in the prompt is. */
static const char *find_unsized(const struct ahead *x)
{
    bool large = demands(x, F_input_pdf) || demands(x, F_input_audio) || demands(x, F_input_video);
    struct str api = str_of(x->request.api);
    if (x->e.unsized)
        return x->e.unsized;
    if (large && (x->e.input.high < FIT_MEDIA_HIGH || str_is(api, "anthropic-messages")))
        return "how many tokens a document, sound or film in the prompt has cannot be seen";
    if (str_is(api, "allm") && demands(x, F_input_image))
        return "how many tokens a picture in the prompt has cannot be seen in this form";
    return NULL;
}

static void fill_estimate(struct ahead *x)
{
    static const unsigned hosted[] = {F_web_search, F_web_fetch, F_code_execution, F_file_search, F_remote_mcp};
    const struct demands *r = &x->request;
    const cando_planes *p = &r->planes;
    struct estimate *e = &x->e;
    e->has_told = x->has_told;
    e->told = x->told;
    if (!e->counts)
        e->input = r->tokens;
    if (r->output) {
        e->has_asked = true;
        e->asked = r->output;
    }
    e->has_max = p->number_known >> NUM_max_output & 1;
    e->max_output = p->number[NUM_max_output];
    bool own = p->number_known >> NUM_max_input & 1;
    e->has_window = own || (p->number_known >> NUM_context_window & 1);
    e->window = p->number[own ? NUM_max_input : NUM_context_window];
    e->reasons = planes_level(p, plane_slot(F_reasoning)) > CANDO_UNSUPPORTED;
    for (size_t i = 0; i < sizeof hosted / sizeof *hosted; i++)
        e->hosted |= demands(x, hosted[i]);
    /* of this API an image in the answer is made by a tool */
    e->hosted |= str_is(str_of(r->api), "openai-responses") && demands(x, F_output_image);
    find_media(x);
    e->unsized = find_unsized(x);
    estimate_settle(e);
}

static bool price_ends(struct ahead *x)
{
    struct cost_job *j = x->j;
    for (unsigned i = 0; i < ESTIMATE_ENDS; i++) {
        struct cost *c = &x->bill[i].cost;
        if (!estimate_price(&x->e, (enum estimate_end)i, &j->pricing, &j->options, &x->bill[i], &x->room))
            return op_fail(j->c, CODE_bad_argument, STR("/pricing"), "a number of this bill has more digits than we keep");
        if (j->no_price) /* not even nothing is known to cost nothing */
            c->input.known = c->output.known = c->total.known = false;
    }
    return true;
}

/* -- the answer ----------------------------------------------------------------------------------- */

static void write_count(struct json_writer *w, const char *key, const struct usage *u, unsigned unit)
{
    char text[DECIMAL_TEXT];
    jw_keyz(w, key);
    if (u->state[unit] == COUNT_KNOWN)
        jw_raw(w, decimal_text(&u->count[unit], text));
    else
        jw_null(w);
}

static bool write_end(struct ahead *x, enum estimate_end end)
{
    struct json_writer *w = x->j->c->w;
    const struct estimate_bill *b = &x->bill[end];
    const struct cost_excuse excuse = {b->no_input, b->no_output};
    jw_keyz(w, ends[end]);
    jw_object(w);
    write_count(w, "input_tokens", &b->usage, UNIT_input_tokens);
    write_count(w, "output_tokens", &b->usage, UNIT_output_tokens);
    write_costs(w, &b->cost);
    if (!write_items(x->j, &b->cost, &excuse))
        return false;
    write_unknowns(x->j, &b->cost, &excuse);
    jw_object_end(w);
    return true;
}

static void write_number(struct json_writer *w, const char *key, bool known, uint64_t n)
{
    jw_keyz(w, key);
    if (known)
        jw_uint(w, n);
    else
        jw_null(w);
}

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

static void write_assumptions(struct json_writer *w, const struct estimate *e)
{
    static const char *const bounds[] = {NULL, "request", "model"};
    write_number(w, "output_limit", e->bound != BOUND_NOBODY && e->answer != ANSWER_NONE, e->limit);
    jw_keyz(w, "output_limit_from");
    jw_strz(w, e->answer == ANSWER_NONE ? NULL : bounds[e->bound]);
    jw_keyz(w, "choices");
    jw_uint(w, e->choices);
    jw_keyz(w, "assumed_output_tokens");
    jw_uint(w, e->assumed);
    jw_keyz(w, "why");
    jw_strz(w, why_answer(e));
    jw_keyz(w, "assumes");
    jw_array(w);
    if (e->cache != CACHE_UNMARKED)
        jw_strz(w, "expected: nothing is read from the cache or written to it; low: all of the prompt is read, high: all is written");
    if (e->hosted)
        jw_strz(w, "expected: the tools that the provider runs are not called");
    if (e->reasons && (e->answer == ANSWER_USUAL || e->answer == ANSWER_CUT) && e->assumed)
        jw_strz(w, "expected: the model's reasoning, which is billed as output, is within the assumed tokens");
    jw_array_end(w);
}

static bool write_estimate(struct ahead *x)
{
    struct json_writer *w = x->j->c->w;
    const struct estimate *e = &x->e;
    jw_keyz(w, "estimate");
    jw_object(w);
    jw_keyz(w, "tokens");
    jw_object(w);
    jw_keyz(w, "low");
    jw_uint(w, e->input.low);
    jw_keyz(w, "expected");
    jw_uint(w, e->input.expected);
    jw_keyz(w, "high");
    jw_uint(w, e->input.high);
    write_number(w, "output", e->has_asked, e->asked);
    jw_object_end(w);
    write_assumptions(w, e);
    for (unsigned i = 0; i < ESTIMATE_ENDS; i++)
        if (!write_end(x, (enum estimate_end)i))
            return false;
    jw_object_end(w);
    return true;
}

static bool write_answer(struct ahead *x)
{
    struct cost_job *j = x->j;
    struct json_writer *w = j->c->w;
    const struct estimate_bill *b = &x->bill[ESTIMATE_EXPECTED];
    const struct cost_excuse excuse = {b->no_input, b->no_output};
    jw_object(w);
    if (!write_cost_target(j))
        return false;
    jw_keyz(w, "currency");
    jw_strz(w, "USD");
    write_costs(w, &b->cost);
    jw_keyz(w, "model");
    if (x->e.model.n)
        jw_str(w, x->e.model);
    else
        jw_null(w);
    jw_keyz(w, "dialect");
    jw_strz(w, x->request.api);
    if (j->options.tier.n) {
        jw_keyz(w, "service_tier");
        jw_str(w, j->options.tier);
    }
    if (j->options.dated)
        write_instant(w, "at", &j->options.at);
    if (!write_estimate(x) || !write_items(j, &b->cost, &excuse))
        return false;
    write_unknowns(j, &b->cost, &excuse);
    jw_object_end(w);
    return true;
}

bool cost_ahead(struct cost_job *j)
{
    struct ahead *x = arena_alloc(j->c->ar, sizeof *x);
    if (!x)
        return op_memory(j->c);
    x->j = j;
    if (!read_args(x) || !cost_catalog(j) || !find_target(x))
        return false;
    estimate_read(x->request.body, str_of(x->request.api), (enum fit_family)x->request.tokenizer, &x->e);
    if (!cost_options(j, NULL, x->request.batch ? STR("batch") : x->e.tier) || !find_price(x))
        return false;
    fill_estimate(x);
    return price_ends(x) && write_answer(x);
}
