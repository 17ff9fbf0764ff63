/*
 * estimate.c - see estimate.h.
 *
 * Counts of a reply are exact and say how they were sold; those of a request are
 * ranges and do not. Where the price list tells apart what the request cannot
 * (audio in the prompt has a rate of its own, and nobody knows how many of the
 * tokens are audio), the count of that unit is unknown and the bill says so; where the
 * list makes no difference, neither does the bill.
 */
#include "estimate.h"

/* -- what a request says -------------------------------------------------------------- */

static bool has_member(const struct json *v, const char *key)
{
    const struct json *x = json_get(v, key);
    return x && x->kind != JSON_NULL && !(x->kind == JSON_STRING && x->text.n == 0);
}

#define WORD(path) " " path
struct str estimate_model(const struct json *request)
{
    struct str s = api_text(request, "" API_MODEL_PATHS);
    return str_starts(s, STR("models/")) ? str_from(s, 7) : s;
}

/* A fast mode is a tier by another name. */
static struct str read_tier(const struct json *v)
{
    if (str_is(api_text(v, "speed"), "fast"))
        return STR("fast");
    return api_text(v, "" API_TIER_PATHS);
}
#undef WORD

static uint64_t read_choices(const struct json *v, const struct api *api)
{
    const struct json *n = api_value(v, api->choices.n ? api->choices.p : "n", NULL);
    uint64_t choices;
    return n && json_uint(n, &choices) && choices > 0 ? choices : 1;
}

/* Text that the provider adds on its side, at the caller's expense. */
static const char *read_elsewhere(const struct json *v, const struct api *api)
{
    for (size_t i = 0; i < api->n_kept; i++)
        if (api->kept[i].why.n && has_member(v, api->kept[i].member.p))
            return api->kept[i].why.p;
    return NULL;
}

#define READ_DEPTH 10u /* messages, a message, its blocks, a block, a result's blocks, a block */

/* What stands beside the texts of a request. */
struct beside {
    enum estimate_cache cache;
    bool remote_file; /* a picture or file lies with the provider: the request has its name alone */
};

/* Marks for the cache stand beside blocks of text and beside tools; a tool's schema may well
 * have a property of the same name, so that only these places are looked at. */
static void read_beside(const struct json *v, unsigned depth, struct beside *out)
{
    static const char *const through[] = {"messages",   "content",    "system", "tools",
                                          "toolConfig", "toolResult", "image"};
    if (depth == 0)
        return;
    for (size_t i = 0; v->kind == JSON_ARRAY && i < v->n; i++)
        read_beside(&v->item[i], depth - 1, out);
    if (v->kind != JSON_OBJECT)
        return;
    const struct json *mark = api_value(v, "cache_control cachePoint", NULL);
    if (mark && mark->kind == JSON_OBJECT) {
        enum estimate_cache c =
            str_is(api_text(mark, "ttl"), "1h") ? CACHE_MARKED_1H : CACHE_MARKED;
        out->cache = c > out->cache ? c : out->cache;
    }
    const struct json *remote = api_value(v, "source/file_id source/s3Location", NULL);
    out->remote_file |= remote && !(remote->kind == JSON_STRING && remote->text.n == 0);
    for (size_t i = 0; i < COUNT_OF(through); i++) {
        const struct json *x = json_get(v, through[i]);
        if (x)
            read_beside(x, depth - 1, out);
    }
}

/* -- inputs that are counted here ---------------------------------------------------------- */

/* Texts, and texts that are given as the numbers of their tokens. */
struct counted_inputs {
    struct fit_text text;
    uint64_t tokens;
    bool any_text;
};

static void add_inputs(struct counted_inputs *in, const struct json *v, unsigned depth)
{
    if (v->kind == JSON_STRING) {
        fit_text(&in->text, v->text);
        in->any_text = true;
    }
    if (v->kind == JSON_NUMBER)
        in->tokens++;
    for (size_t i = 0; depth > 0 && v->kind == JSON_ARRAY && i < v->n; i++)
        add_inputs(in, &v->item[i], depth - 1);
}

static void count_inputs(const struct json *v, enum fit_family family, struct estimate *out)
{
    struct counted_inputs in = {0};
    if (v)
        add_inputs(&in, v, 2);
    const struct fit f = {.family = family, .text_bytes = in.text.bytes};
    struct fit_range t = {0};
    if (in.any_text)
        t = fit_input(&f, in.text.wide, in.text.tails, 0);
    out->input = (struct fit_range){t.low + in.tokens, t.expected + in.tokens, t.high + in.tokens};
    out->counts = true;
}

void estimate_read(const struct json *request, const struct api *api, enum fit_family family,
                   struct estimate *out)
{
    struct beside beside = {.cache = CACHE_UNMARKED};
    read_beside(request, READ_DEPTH, &beside);
    *out = (struct estimate){
        .model = estimate_model(request),
        .tier = read_tier(request),
        .choices = read_choices(request, api),
        .cache = beside.cache,
        .elsewhere = read_elsewhere(request, api),
        .generates = true,
    };
    if (api->unsized_files && beside.remote_file)
        out->unsized =
            "a picture or file in the prompt lies with the provider, and its size cannot be seen";
    if (api->no_answer) {
        out->generates = false;
        out->choices = 1;
    }
    if (api->makes_images)
        out->no_tokens = "images are asked for, and how they are counted the request does not say";
    if (api->counted.n)
        count_inputs(json_get(request, api->counted.p), family, out);
    uint64_t limit;
    const struct json *max = api->nothing.n ? json_get(request, api->nothing.p) : NULL;
    out->has_asked = max && json_uint(max, &limit) && limit == 0;
}

/* -- what follows ---------------------------------------------------------------------------- */

void estimate_settle(struct estimate *e)
{
    e->bound = BOUND_NOBODY;
    e->limit = 0;
    if (e->has_asked) {
        e->bound = BOUND_REQUEST;
        e->limit = e->asked;
    }
    if (e->has_max && (!e->has_asked || e->max_output < e->asked)) {
        e->bound = BOUND_MODEL;
        e->limit = e->max_output;
    }
    e->answer = e->has_told ? ANSWER_TOLD : ANSWER_USUAL;
    e->assumed = e->has_told ? e->told : ESTIMATE_ANSWER;
    if (e->bound != BOUND_NOBODY && e->limit < e->assumed) {
        e->answer = ANSWER_CUT;
        e->assumed = e->limit;
    }
    if (!e->generates || e->no_tokens) {
        e->answer = ANSWER_NONE;
        e->assumed = 0;
    }
}

/* -- usages ----------------------------------------------------------------------------------- */

static void put_count(struct usage *u, unsigned unit, const struct decimal *n)
{
    u->state[unit] = COUNT_KNOWN;
    u->count[unit] = *n;
}

static void put_unknown(struct usage *u, unsigned unit)
{
    u->state[unit] = COUNT_UNKNOWN;
    u->count[unit] = DECIMAL_ZERO;
}

static bool has_rate(const struct pricing *p, unsigned unit)
{
    for (unsigned i = 0; i < p->n; i++)
        if (p->rate[i].key.unit == unit)
            return true;
    return false;
}

/* The prompt at one end; false, with the reason, where it has no bound. */
static bool input_at(const struct estimate *e, enum estimate_end end, uint64_t *out,
                     const char **why)
{
    *out = end == ESTIMATE_LOW        ? e->input.low
           : end == ESTIMATE_EXPECTED ? e->input.expected
                                      : e->input.high;
    *why = NULL;
    if (end == ESTIMATE_LOW)
        return true;
    if (e->unsized)
        *why = e->unsized;
    else if (e->hosted && end == ESTIMATE_HIGH)
        *why = "what the provider's tools find is added to the input, and how much that is nobody "
               "knows";
    else if (e->elsewhere && end == ESTIMATE_HIGH && e->has_window)
        *out = e->window > e->input.high ? e->window
                                         : e->input.high; /* the model takes no more than that */
    else
        *why = e->elsewhere;
    return !*why;
}

/* All answers together. */
static bool output_at(const struct estimate *e, enum estimate_end end, struct decimal *out,
                      const char **why, bool *fits)
{
    const struct decimal one = decimal_from(end == ESTIMATE_EXPECTED ? e->assumed : e->limit),
                         n = decimal_from(e->choices);
    *out = DECIMAL_ZERO;
    *why = NULL;
    *fits = true;
    if (end == ESTIMATE_LOW || !e->generates)
        return true;
    if (e->no_tokens) {
        *why = e->no_tokens;
        return false;
    }
    if (end == ESTIMATE_HIGH && e->bound == BOUND_NOBODY) {
        *why = "neither the request nor what is known of the model bounds the answer";
        return false;
    }
    *fits = decimal_mul(&one, &n, out);
    return true;
}

static bool make_usage(const struct estimate *e, enum estimate_end end, const struct pricing *p,
                       struct estimate_bill *out)
{
    struct decimal output;
    uint64_t input;
    bool fits;
    out->usage = (struct usage){0};
    if (input_at(e, end, &input, &out->no_input)) {
        struct decimal n = decimal_from(input);
        put_count(&out->usage, UNIT_input_tokens, &n);
    } else {
        put_unknown(&out->usage, UNIT_input_tokens);
    }
    if (output_at(e, end, &output, &out->no_output, &fits))
        put_count(&out->usage, UNIT_output_tokens, &output);
    else
        put_unknown(&out->usage, UNIT_output_tokens);
    for (unsigned i = 0; i < e->n_media && end != ESTIMATE_LOW; i++)
        if (has_rate(p, e->media[i]))
            put_unknown(&out->usage, e->media[i]);
    return fits;
}

/* -- bills ------------------------------------------------------------------------------------ */

enum { WAY_CACHE = 1, WAY_REASONING = 2, WAYS = 4 };

/* The ways in which the same tokens may be sold at this end. */
static unsigned ways_at(const struct estimate *e, enum estimate_end end, const struct pricing *p,
                        const struct usage *u)
{
    unsigned ways = 0;
    if (e->cache != CACHE_UNMARKED && end != ESTIMATE_EXPECTED &&
        u->state[UNIT_input_tokens] == COUNT_KNOWN)
        ways |= WAY_CACHE;
    if (end == ESTIMATE_HIGH && has_rate(p, UNIT_output_reasoning_tokens) &&
        u->state[UNIT_output_tokens] == COUNT_KNOWN)
        ways |= WAY_REASONING;
    return ways;
}

static void sell(const struct estimate *e, enum estimate_end end, unsigned way, struct usage *u)
{
    struct decimal input = u->count[UNIT_input_tokens], output = u->count[UNIT_output_tokens];
    if ((way & WAY_CACHE) && end == ESTIMATE_LOW)
        put_count(u, UNIT_cache_read_tokens, &input);
    if ((way & WAY_CACHE) && end == ESTIMATE_HIGH)
        put_count(u, UNIT_cache_write_tokens, &input);
    if ((way & WAY_CACHE) && end == ESTIMATE_HIGH &&
        e->cache == CACHE_MARKED_1H) /* a part of the writes */
        put_count(u, UNIT_cache_write_1h_tokens, &input);
    if (way & WAY_REASONING)
        put_count(u, UNIT_output_reasoning_tokens, &output);
}

/* Is this way the one that counts for the end? */
static bool further(enum estimate_end end, const struct cost *than, const struct cost *c)
{
    if (!than->total.known || !c->total.known)
        return false;
    int d = decimal_cmp(&c->total.value, &than->total.value);
    return end == ESTIMATE_LOW ? d < 0 : d > 0;
}

bool estimate_price(struct reading *r, const struct estimate *e, enum estimate_end end,
                    const struct pricing *p, const struct cost_options *o,
                    struct estimate_bill *out, struct estimate_bill *room)
{
    if (!make_usage(e, end, p, out))
        return reading_fail(r, CODE_bad_argument, STR("/pricing"),
                            "a number of this bill has more digits than we keep");
    if (!cost_compute(r, &out->usage, p, o, &out->cost))
        return false;
    unsigned ways = ways_at(e, end, p, &out->usage);
    struct usage plain = out->usage;
    for (unsigned way = 1; way < WAYS; way++) {
        if (way & ~ways)
            continue;
        room->usage = plain;
        sell(e, end, way, &room->usage);
        if (!cost_compute(r, &room->usage, p, o, &room->cost))
            return false;
        if (!further(end, &out->cost, &room->cost))
            continue;
        out->usage = room->usage;
        out->cost = room->cost;
    }
    return true;
}
