/*
 * ask_preflight.c - preflight: will this request be taken, and what would make it so?
 *
 * The request is judged as the bytes that it came in, so that what a rewrite does not touch
 * goes back as it was. A rewrite is judged again: a change may bring another one with it, and
 * what is handed out has passed its own check.
 */
#include "claims.h"

#include "catalog/api.h"
#include "catalog/engine.h"
#include "catalog/offered.h"
#include "request/demand.h"
#include "request/named.h"
#include "request/targets.h"

enum {
    WANT_API = 2,
    WANT_FINDINGS = 4,
    WANT_MORE = 8,
    WANT_REQUEST = 16,
    WANT_CHANGES = 32,
    WANT_TOKENS = 64,
    WANT_LEFT = 128,
    WANT_TARGET = 256, /* and by what the API was told */
    WANT_ALL = 511
};

/* By the number of its bit. */
static const char *const members[] = {"verdict", "dialect", "findings", "more",
                                      "request", "changes", "tokens",   "left"};

enum { SIGN_SHOWN = 40 }; /* bytes of a word by which an API was told */

struct job {
    const cando_preflight_question *q;
    cando_room *room;
    cando_preflight_answer *a;
    cando_report *report;
    unsigned want;
    struct str text; /* as it is now, */
    size_t lead;     /* and the white space before it, which is not counted */
    struct {         /* a line of a batch job has the request in an envelope: */
        struct str before, behind;
        const char *at; /* "/body"; "": there is none */
    } envelope;
    uint32_t day;        /* that is asked about; 0: today */
    struct str provider; /* of the target, or empty */
    struct change_list changes;
};

/* For what few requests need: the frames of all others stay small, and in the nearest memory. */
#define RARE __attribute__((noinline))

static bool refuse(cando_error *err, enum code code, struct str at, const char *message)
{
    error_set(err, CANDO_BAD_QUESTION, code, "%s", message);
    error_at(err, at, 0, 0);
    return false;
}

/* -- the question ----------------------------------------------------------------------------- */

enum { MEMBERS = COUNT_OF(members) };

RARE static bool no_member(struct job *j, size_t i, cando_error *err)
{
    struct nearest near = nearest_to(str_of(j->q->only[i]));
    struct str at = str_printf(&j->room->ar, "/only/%zu", i);
    if (!at.p)
        return no_memory(err);
    for (unsigned k = 0; k < MEMBERS; k++)
        nearest_try(&near, str_of(members[k]));
    error_set(err, CANDO_BAD_QUESTION, CODE_bad_argument, "an answer has no '%.80s'",
              j->q->only[i]);
    if (near.name.n)
        error_hint(err, "did you mean '%.*s'?", STR_ARG(near.name));
    error_at(err, at, 0, 0);
    return false;
}

/* Most names differ in their first letter. */
static bool is_same(const char *a, const char *b)
{
    return a[0] == b[0] && strcmp(a, b) == 0;
}

static bool read_only(struct job *j, cando_error *err)
{
    j->want = j->q->n_only ? 0 : WANT_ALL;
    for (size_t i = 0; i < j->q->n_only; i++) {
        unsigned k = 0;
        while (k < MEMBERS && !is_same(j->q->only[i], members[k]))
            k++;
        if (k == MEMBERS)
            return no_member(j, i, err);
        j->want |= 1u << k;
    }
    return true;
}

/* May it begin as the lines of batch jobs do? One look: most requests do not. */
static bool is_enveloped(struct str text)
{
    static const char *const first[] = {"custom_id", "key",    "method", "url",
                                        "body",      "params", "request"};
    size_t at = text.n && text.p[0] == '{' ? locate_space(text, 1) : text.n;
    if (at >= text.n || text.p[at] != '"')
        return false;
    struct str rest = str_from(text, at + 1);
    struct str key = str_head(rest, str_find_char(rest, '"'));
    for (size_t i = 0; key.n < rest.n && i < COUNT_OF(first); i++)
        if (str_is(key, first[i]))
            return true;
    return str_find_char(key, '\\') < key.n; /* spelt with escapes */
}

RARE static bool open_envelope(struct job *j, cando_error *err)
{
    struct reading r = {.ar = &j->room->ar};
    struct demands d;
    struct str whole = str_from(j->text, j->lead);
    if (!demands_read(&r, (cando_bytes){whole.p, whole.n}, j->q->api, &d)) {
        reading_end(&r, err);
        return false;
    }
    if (!d.batch)
        return true;
    j->envelope.before = str_make(whole.p, (size_t)(d.text.p - whole.p));
    j->envelope.behind = str_from(whole, j->envelope.before.n + d.text.n);
    j->envelope.at = d.at.p + strlen("/request");
    j->text = d.text;
    j->lead = 0;
    return true;
}

static bool read_request(struct job *j, cando_error *err)
{
    struct str text = STR_IN(j->q->request);
    if (!text.p)
        return refuse(err, CODE_missing_argument, STR("/request"), "there is no request");
    size_t last = locate_back(text, text.n);
    j->text = str_head(text, last == SIZE_MAX ? 0 : last + 1);
    j->lead = locate_space(j->text, 0);
    j->envelope.at = "";
    return !is_enveloped(str_from(j->text, j->lead)) || open_envelope(j, err);
}

/* The same of what stands in the envelope, in the words of the whole line. */
static bool put_outside(struct job *j, const char **path)
{
    if (!*j->envelope.at || !*path)
        return true;
    *path = str_join(&j->room->ar, str_of(j->envelope.at), str_of(*path), STR("")).p;
    return *path != NULL;
}

RARE static bool read_allow(struct job *j, cando_error *err)
{
    for (size_t i = 0; i < j->q->n_allow; i++) {
        struct str name = str_of(j->q->allow[i]);
        enum code code = code_find(name);
        if (code < CODE_COUNT) {
            report_allow(j->report, code);
            continue;
        }
        struct nearest near = nearest_to(name);
        for (unsigned k = 0; k < CODE_COUNT; k++)
            nearest_try(&near, str_of(code_name((enum code)k)));
        struct str at = str_printf(&j->room->ar, "/allow/%zu", i);
        if (!at.p)
            return no_memory(err);
        error_set(err, CANDO_BAD_QUESTION, CODE_bad_argument, "no finding has the code '%.80s'",
                  j->q->allow[i]);
        if (near.name.n)
            error_hint(err, "did you mean '%.*s'?", STR_ARG(near.name));
        error_at(err, at, 0, 0);
        return false;
    }
    return true;
}

RARE static bool read_day(struct job *j, cando_error *err)
{
    struct reading r = {.ar = &j->room->ar};
    if (reading_day(&r, j->q->at, &j->day))
        return true;
    reading_end(&r, err);
    return false;
}

/* -- what comes beside the request ----------------------------------------------------------- */

struct beta_list {
    struct str *item;
    size_t n, cap;
    struct str version; /* of the API, or empty */
};

static struct str without_spaces(struct str s)
{
    while (s.n && s.p[0] == ' ')
        s = str_from(s, 1);
    while (s.n && s.p[s.n - 1] == ' ')
        s.n--;
    return s;
}

/* A list that is separated by commas. */
static bool add_betas(struct job *j, struct beta_list *l, struct str text)
{
    while (text.n) {
        size_t comma = str_find_char(text, ',');
        struct str one = without_spaces(str_head(text, comma));
        text = comma < text.n ? str_from(text, comma + 1) : STR("");
        if (one.n == 0)
            continue;
        if (!ARENA_GROW(&j->room->ar, l->item, l->n, l->cap))
            return false;
        l->item[l->n++] = one;
    }
    return true;
}

bool cando_is_beta_header(const char *name, size_t len)
{
#define WORD(header) STR(header),
    static const struct str headers[] = {API_BETA_HEADERS};
#undef WORD
    for (size_t i = 0; i < COUNT_OF(headers); i++)
        if (headers[i].n == len && str_eq_fold(headers[i], str_make(name, len)))
            return true;
    return false;
}

static bool is_version_header(struct str name)
{
    for (const struct api *a = apis; a < apis + API_COUNT; a++)
        if (a->version_header.n && str_eq_fold(a->version_header, name))
            return true;
    return false;
}

/* Of the headers the one that switches features on: a text, or a list of them; and the one that
 * says of which day the API is. */
RARE static bool read_headers(struct job *j, struct beta_list *l, cando_error *err)
{
    struct reading r = {.ar = &j->room->ar};
    const struct json *v = reading_json(&r, j->q->headers, STR("/headers"));
    if (!v) {
        reading_end(&r, err);
        return false;
    }
    if (v->kind != JSON_OBJECT && v->kind != JSON_NULL)
        return refuse(err, CODE_bad_argument, STR("/headers"), "'headers' must be an object");
    for (size_t i = 0; v->kind == JSON_OBJECT && i < v->n; i++) {
        const struct json *x = &v->item[i];
        if (x->kind == JSON_STRING && is_version_header(v->key[i].text))
            l->version = x->text;
        if (!cando_is_beta_header(v->key[i].text.p, v->key[i].text.n))
            continue;
        bool ok = x->kind != JSON_STRING || add_betas(j, l, x->text);
        for (size_t k = 0; ok && x->kind == JSON_ARRAY && k < x->n; k++)
            ok = x->item[k].kind != JSON_STRING || add_betas(j, l, x->item[k].text);
        if (!ok)
            return no_memory(err);
    }
    return true;
}

static bool read_beside(struct job *j, cando_error *err)
{
    const cando_preflight_question *q = j->q;
    struct beta_list l = {0};
    for (size_t i = 0; i < q->n_betas; i++)
        if (!add_betas(j, &l, str_of(q->betas[i])))
            return no_memory(err);
    if (q->headers.p && !read_headers(j, &l, err))
        return false;
    j->report->beside = (struct scan_beside){
        .known = q->betas || q->headers.p, .beta = l.item, .n_betas = l.n, .version = l.version};
    return true;
}

/* Claims, which may be none at all. */
RARE static const cando_target *claimed_target(struct job *j, const cando_catalog *cat,
                                               unsigned flags, cando_error *err)
{
    const cando_preflight_question *q = j->q;
    struct reading r = {.ar = &j->room->ar};
    cando_planes planes;
    planes_clear(&planes);
    bool none = str_is(STR_IN(q->profile), "null");
    if (q->target) {
        refuse(err, CODE_bad_argument, STR("/profile"),
               "'target' and 'profile' exclude each other");
        return NULL;
    }
    if (!none && !claims_read_text(&r, q->profile_form, q->profile, STR("/profile"), &planes)) {
        reading_end(&r, err);
        return NULL;
    }
    void *memory = arena_alloc_raw(r.ar, cando_target_size(cat));
    if (!memory)
        no_memory(err);
    return memory ? cando_target_init_planes(memory, cat, &planes, flags) : NULL;
}

static bool take_target(struct job *j, struct str provider, struct str model, cando_error *err)
{
    if (!(j->want & WANT_TARGET))
        return true;
    j->a->target = str_join(&j->room->ar, provider, model.n ? STR("/") : STR(""), model).p;
    return j->a->target || no_memory(err);
}

/* A model, claims, or nobody in particular. To be released. */
static const cando_target *find_target(struct job *j, const cando *c, const cando_catalog *cat,
                                       cando_error *err)
{
    const cando_preflight_question *q = j->q;
    struct str provider = STR(""), model = STR("");
    struct named named;
    unsigned flags =
        q->adapter && q->adapter->requires_structured_finalize ? CANDO_TARGET_FINALIZE : 0;
    if (q->profile.p)
        return claimed_target(j, cat, flags, err);
    if (q->target && !name_split(*q->target, &provider, &model, STR("/target"), err)) {
        offered_hint(cat, str_of(q->target->model ? q->target->model : ""), err);
        return NULL;
    }
    if (!q->target && request_named(c, cat, j->report, &j->room->ar, str_from(j->text, j->lead),
                                    q->api, q->provider, &named)) {
        provider = named.provider;
        model = named.model;
        if (!take_target(j, provider, model, err))
            return NULL;
    }
    j->provider = provider;
    return targets_take(c, cat, provider, model, flags, err);
}

/* -- the verdict ------------------------------------------------------------------------------ */

static const char *kind_at(char first)
{
    enum json_kind kind = first == '['   ? JSON_ARRAY
                          : first == '"' ? JSON_STRING
                          : first == 't' ? JSON_TRUE
                          : first == 'f' ? JSON_FALSE
                          : first == 'n' ? JSON_NULL
                                         : JSON_NUMBER;
    return json_kind_name(&(struct json){.kind = kind});
}

/* What a request cannot ask for as a line of a batch job. */
RARE static void judge_batch(struct job *j)
{
    struct scan_place v;
    if (locate_member(j->text, j->lead, STR("stream"), &v) &&
        str_starts(str_from(j->text, v.at), STR("true")))
        report_add(j->report, CODE_stream_in_batch, CANDO_WARNING, v.at,
                   "leave it out: the answers come when the batch is done");
}

static bool judge(struct job *j, const cando_target *t, const char *api, cando_error *err)
{
    cando_status st = cando_preflight(t, api, j->text.p, j->text.n, j->q->fix, j->report, err);
    bool broken = st != CANDO_OK && err->line;
    if (!broken && j->lead < j->text.n && j->text.p[j->lead] != '{') {
        error_set(err, CANDO_BAD_QUESTION, CODE_bad_argument,
                  "'request' must be an object, it is %s", kind_at(j->text.p[j->lead]));
        error_at(err, STR("/request"), 0, 0);
        return false;
    }
    if (st == CANDO_OK && *j->envelope.at)
        judge_batch(j);
    if (st == CANDO_OK)
        return true;
    error_at(err, st == CANDO_BAD_QUESTION ? STR("/dialect") : STR("/request"), err->line,
             err->column);
    if (!broken && st != CANDO_INTERNAL)
        err->status = CANDO_BAD_QUESTION;
    return false;
}

static const cando_finding *take_findings(struct job *j, size_t *n, cando_error *err)
{
    cando_finding *list = (cando_finding *)cando_report_words(j->report, j->room, n, err);
    uint32_t before = (uint32_t)j->envelope.before.n;
    for (size_t i = 0; list && i < *n; i++) {
        list[i].at -= (uint32_t)(list[i].at < j->lead ? list[i].at : j->lead);
        list[i].end -= (uint32_t)(list[i].end < j->lead ? list[i].end : j->lead);
        list[i].at += before;
        list[i].end += before;
        if (put_outside(j, &list[i].path))
            continue;
        return no_memory(err);
    }
    return list;
}

/* "it has /system", `its /messages/0/content/0/type is "tool_use"` */
static struct str sign_at(struct job *j, uint32_t at)
{
    struct arena *ar = &j->room->ar;
    struct str path = locate_path(ar, j->text, at), value = str_from(j->text, at);
    bool word = value.n && value.p[0] == '"';
    value = str_head(value, locate_end(j->text, at) - at);
    for (size_t i = 0; i < value.n; i++)
        word &= (unsigned char)value.p[i] > ' ' && value.n <= SIGN_SHOWN;
    if (!path.p)
        return STR_NONE;
    return word
               ? str_printf(ar, "its %s%.*s is %.*s", j->envelope.at, STR_ARG(path), STR_ARG(value))
               : str_printf(ar, "it has %s%.*s", j->envelope.at, STR_ARG(path));
}

/* By what the request told its API, in words. */
static bool take_reason(struct job *j, cando_error *err)
{
    const struct scan_told *told = &j->report->shape.told;
    struct arena *ar = &j->room->ar;
    bool own = strcmp(j->report->api, API_PLAIN) != 0 && strcmp(j->report->api, API_NEUTRAL) != 0;
    struct str by;
    if (!str_is(told->shape, "messages") && !(own && str_is(told->shape, API_PLAIN))) {
        by = sign_at(j, told->at);
    } else if (own) {
        by = str_printf(ar, "such messages go to %.*s by its own API", STR_ARG(j->provider));
    } else {
        by = STR("it is a plain list of messages, as most providers take it");
    }
    j->a->api_by = by.p;
    return by.p || no_memory(err);
}

/* What is said of the request as it came. */
static bool take_report(struct job *j, cando_error *err)
{
    cando_preflight_answer *a = j->a;
    const cando_report *r = j->report;
    if (j->want & WANT_API)
        a->api = r->api;
    if (j->want & WANT_MORE)
        a->more = r->more;
    if (j->want & WANT_TOKENS) {
        cando_tokens *tokens = arena_alloc(&j->room->ar, sizeof *tokens);
        if (!tokens)
            return no_memory(err);
        *tokens = cando_report_tokens(r);
        a->tokens = tokens;
    }
    a->decided = cando_report_decided(r);
    if (j->want & WANT_FINDINGS)
        a->findings = take_findings(j, &a->n_findings, err);
    return !(j->want & WANT_FINDINGS) || a->findings;
}

RARE static bool rewrite(struct job *j, cando_error *err)
{
    size_t n, length;
    if (j->want & WANT_CHANGES && !report_changes(j->report, &j->room->ar, &j->changes))
        return no_memory(err);
    const cando_bytes *piece = cando_report_rewrite(j->report, &n, &length, err);
    if (!piece) {
        error_at(err, STR("/request"), 0, 0);
        return false;
    }
    char *text = arena_alloc_raw(&j->room->ar, length + 1);
    if (!text)
        return no_memory(err);
    rewrite_join(piece, n, text);
    text[length] = '\0';
    j->text = str_make(text + j->lead, length - j->lead);
    j->lead = 0;
    return true;
}

static bool answer(struct job *j, const cando_target *t, cando_error *err)
{
    cando_preflight_answer *a = j->a;
    unsigned round = 0;
    if (!judge(j, t, j->q->api, err) || !take_report(j, err))
        return false;
    if (j->want & WANT_TARGET && !j->q->api && !take_reason(j, err))
        return false;
    const char *api = j->report->api;
    cando_verdict first = j->report->verdict;
    for (; j->report->n_edits && round < REWRITE_ROUNDS; round++)
        if (!rewrite(j, err) || !judge(j, t, api, err))
            return false;
    a->verdict = j->report->verdict;
    if (round == 0)
        return true;
    if (first == CANDO_REWRITE && a->verdict == CANDO_REJECTED)
        a->decided = SIZE_MAX; /* by what the rewrite brought with it */
    if (j->want & WANT_LEFT)
        a->left = take_findings(j, &a->n_left, err);
    if (j->want & WANT_LEFT && !a->left)
        return false;
    if (a->verdict != CANDO_REJECTED)
        a->verdict = CANDO_REWRITE;
    else if (!j->q->partial)
        return true; /* a rewrite that ends in a rejection was none */
    a->changes = j->changes.item;
    a->n_changes = j->changes.n;
    for (size_t i = 0; i < j->changes.n; i++)
        if (!put_outside(j, &j->changes.item[i].path) || !put_outside(j, &j->changes.item[i].from))
            return no_memory(err);
    if (!(j->want & WANT_REQUEST))
        return true;
    struct str whole = j->text;
    if (*j->envelope.at)
        whole = str_join(&j->room->ar, j->envelope.before, j->text, j->envelope.behind);
    a->request = (cando_bytes){whole.p, whole.n};
    return whole.p || no_memory(err);
}

const cando_preflight_answer *cando_ask_preflight(const cando *c, const cando_preflight_question *q,
                                                  cando_room *room, cando_error *err)
{
    cando_error own;
    struct job j = {.q = q, .room = room};
    err = err ? err : &own;
    const cando_catalog *cat = room_catalog(room, c);
    j.a = cat ? arena_alloc(&room->ar, sizeof *j.a) : NULL;
    j.report = j.a ? report_room(room) : NULL;
    if (!j.report)
        return no_memory(err);
    if (!read_only(&j, err) || !read_request(&j, err))
        return NULL;
    if (q->at && !read_day(&j, err))
        return NULL;
    if (q->profile.p && !cat->snap.sec[SEC_REQ_APIS].n)
        cat = cando_catalog_builtin(); /* claims need no catalog, but what requests say is in one */
    const cando_target *t = find_target(&j, c, cat, err);
    if (!t)
        return NULL;
    report_begin(j.report);
    j.report->day = j.day;
    j.report->strict = q->strict;
    j.report->partial = q->partial;
    bool ok = read_beside(&j, err) && read_allow(&j, err) && answer(&j, t, err);
    cando_target_release(t);
    return ok ? j.a : NULL;
}
