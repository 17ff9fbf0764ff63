#include "suggest.h"

#include "api_words.h"

enum { LISTED = 20, NEWEST = 8 };
static const char *const of_lab[] = {"first-party"}; /* the kind of provider that they are */

/* NULL: there is none; `err` may say why. */
static const cando_models_answer *ask(struct call *c, cando_models_question q, cando_error *err)
{
    q.limit = (cando_number){LISTED, true};
    const cando_models_answer *a = cando_ask_models(c->engine, &q, c->room, err);
    return a && a->n_models ? a : NULL;
}

/* What is still served, the newest first. */
static const cando_models_answer *newest(struct call *c, cando_models_question q)
{
    static const char *const status[] = {"active", "preview"};
    q.status = status;
    q.n_status = COUNT_OF(status);
    q.unknown = CANDO_INCLUDE_UNKNOWN;
    q.sort = CANDO_SORT_RELEASE;
    return ask(c, q, NULL);
}

static void list_newest(const cando_models_answer *a, const char *all, const char *target)
{
    fputs("the newest are\n", stderr);
    for (size_t i = 0; i < a->n_models && i < NEWEST; i++)
        out_to(stderr, "    " BOLD "%s/%s" END "\n", a->models[i].provider, a->models[i].model);
    if (a->matched > NEWEST)
        out_to(stderr, "    and %'ju more: cando models %s%s\n", a->matched - NEWEST, all, target);
}

/* The name of a provider, or of a family such as claude: what there is of it. */
static bool suggest_part(struct call *c, const char *target, cando_error *err)
{
    const char *words[] = {target};
    const cando_models_answer *a =
        newest(c, (cando_models_question){.providers = words, .n_providers = 1});
    if (a) {
        const char *provider = a->models[0].provider;
        bool other = !str_eq_fold(str_of(provider), str_of(target));
        error_set(err, CANDO_BAD_QUESTION, CODE_unknown_target,
                  "'%.80s' is %s provider%s%s; which of its models?", target, other ? "the" : "a",
                  other ? " " : "", other ? provider : "");
        fail(err);
        list_newest(a, "--provider ", provider);
        return true;
    }
    a = newest(c, (cando_models_question){
                      .words = words, .n_words = 1, .kinds = of_lab, .n_kinds = COUNT_OF(of_lab)});
    if (!a)
        a = newest(c, (cando_models_question){.words = words, .n_words = 1});
    if (!a)
        return false;
    error_set(err, CANDO_BAD_QUESTION, CODE_unknown_target,
              "'%.80s' is part of many names; which of them?", target);
    fail(err);
    list_newest(a, "", target);
    return true;
}

/* Is it the lab's own offering of its model? */
static bool is_own(const cando_offering *x)
{
    struct str of = str_of(x->canonical ? x->canonical : "");
    return str_eq_fold(str_head(of, str_find_char(of, '/')), str_of(x->provider));
}

static void put_offered(const cando_models_answer *a, bool own)
{
    for (size_t i = 0; a && i < a->n_models; i++)
        if (is_own(&a->models[i]) == own)
            out_to(stderr, "    " BOLD "%s/%s" END "\n", a->models[i].provider, a->models[i].model);
}

/* The offerings of a model, the lab's own first, whatever comes first by name. */
static void list_offered(const cando_models_answer *a, const cando_models_answer *own,
                         const char *target)
{
    fputs("it is offered as\n", stderr);
    put_offered(own ? own : a, true);
    put_offered(a, false);
    if (a->matched > a->n_models)
        out_to(stderr, "    and %ju more: cando models %s\n", (a->matched - a->n_models), target);
}

/* The one offering of a lab's own that has this very id; NULL: none, or several. */
static const cando_offering *only_own(const cando_models_answer *own, const char *target)
{
    const cando_offering *found = NULL;
    for (size_t i = 0; own && i < own->n_models; i++) {
        const cando_offering *x = &own->models[i];
        if (!is_own(x) || strcmp(x->model, target) != 0)
            continue;
        if (found)
            return NULL;
        found = x;
    }
    return found;
}

static const char *take(struct str taken, const char *target)
{
    if (!taken.p) {
        fail_memory();
        return NULL;
    }
    fflush(stdout);
    out_notef(stderr, 6, "note: %s is taken as %s; others: cando models %s", target, taken.p,
              target);
    return taken.p;
}

static const char *take_own(struct call *c, const cando_offering *x, const char *target)
{
    return take(str_printf(&c->ar, "%s/%s", x->provider, x->model), target);
}

/* What labs have of a model. */
static const cando_models_answer *ask_labs(struct call *c, const char *model)
{
    return ask(c,
               (cando_models_question){
                   .model = model, .marks = true, .kinds = of_lab, .n_kinds = COUNT_OF(of_lab)},
               NULL);
}

/* A model of its maker's that a policy denies, so that no list has it; NULL: it is none. */
static const char *denied_own(struct call *c, const char *model)
{
    cando_model_id_question q = {.model = model};
    const cando_model_id_answer *a = cando_ask_model_id(c->engine, &q, c->room, NULL);
    if (!a || !a->canonical || !a->vendor)
        return NULL;
    const cando_catalog *catalog = cando_get_catalog(c->engine);
    bool allowed =
        cando_catalog_policy(catalog, a->vendor, strlen(a->vendor), model, strlen(model)).allowed;
    cando_catalog_release(catalog);
    return allowed ? NULL : str_printf(&c->ar, "%s/%s", a->vendor, model).p;
}

const char *suggest_own(struct call *c, const char *name)
{
    const cando_offering *one =
        *name && !strpbrk(name, "/:") ? only_own(ask_labs(c, name), name) : NULL;
    return one ? take_own(c, one, name) : NULL;
}

/* What stands before its slash or colon may be no provider, but the begin of an id that several
 * have, or one: us.anthropic.claude-sonnet-4-5-20250929-v1:0 is Bedrock's. */
static const char *whole_id(struct call *c, const char *target)
{
    const cando_offering *one = NULL;
    cando_name name = {.model = target};
    cando_resolve_question q = {.target = &name};
    const cando_resolve_answer *known = cando_ask_resolve(c->engine, &q, c->room, NULL);
    if (!known || known->identity > CANDO_BY_FAMILY || suggest_knows_provider(c, target))
        return target;
    const cando_models_answer *a = ask(c, (cando_models_question){.model = target}, NULL);
    for (size_t i = 0; a && i < a->n_models; i++) {
        if (!str_eq_fold(str_of(a->models[i].model), str_of(target)))
            continue;
        if (one) {
            out_notef(stderr, 6, "note: several providers have it: cando models %s", target);
            return target;
        }
        one = &a->models[i];
    }
    return one ? take_own(c, one, target) : target;
}

const char *suggest_target(struct call *c, const char *target)
{
    cando_error err;
    size_t cut = strcspn(target, "/:");
    if (!*target || (target[cut] && !target[cut + 1])) {
        fail_with(CANDO_BAD_QUESTION, CODE_unknown_target,
                  "write it as provider/model, for example openai/gpt-4o", "'%.80s' names no model",
                  target);
        return NULL;
    }
    if (target[cut] && cut > 0)
        return whole_id(c, target);
    const cando_models_answer *own = ask_labs(c, target);
    const cando_offering *one = only_own(own, target);
    if (one)
        return take_own(c, one, target);
    const char *denied = denied_own(c, target);
    if (denied)
        return take(str_of(denied), target);
    const cando_models_answer *a =
        ask(c, (cando_models_question){.model = target, .marks = true}, NULL);
    error_set(&err, CANDO_BAD_QUESTION, CODE_unknown_target, "'%s' does not name a provider",
              target);
    if (a) {
        fail(&err);
        list_offered(a, own, target);
        return NULL;
    }
    if (suggest_part(c, target, &err))
        return NULL;
    a = ask(c, (cando_models_question){.like = target}, NULL);
    if (a)
        error_hint(&err, "did you mean %s/%s?", a->models[0].provider, a->models[0].model);
    else
        error_hint(&err, "write it as provider/model, for example openai/gpt-4o");
    fail(&err);
    return NULL;
}

void suggest_near(struct call *c, const char *provider, const char *model)
{
    cando_error err = {.status = CANDO_OK};
    cando_models_question q = {
        .like = model, .providers = &provider, .n_providers = *provider != '\0'};
    const cando_models_answer *a = ask(c, q, &err);
    if (strcmp(err.code, code_name(CODE_unknown_provider)) == 0 && err.hint[0])
        out_notef(stderr, 6, "note: %s; %s", err.message, err.hint);
    if (!a || str_same_but_digits(str_of(a->models[0].model), str_of(model)))
        return;
    out_to(stderr, "note: no fact is about this model; did you mean " BOLD "%s/%s" END "?\n",
           a->models[0].provider, a->models[0].model);
}

/* What is wrong with the model itself, whatever is asked of it: its name, its end, a policy. */
bool suggest_is_of_model(const cando_finding *x)
{
    static const enum code codes[] = {CODE_provider_unknown, CODE_model_unknown, CODE_model_retired,
                                      CODE_model_deprecated, CODE_denied};
    for (size_t i = 0; i < COUNT_OF(codes); i++)
        if (strcmp(x->code, code_name(codes[i])) == 0)
            return true;
    return false;
}

static bool is_of_name(const cando_finding *x)
{
    return strcmp(x->code, code_name(CODE_provider_unknown)) == 0 ||
           strcmp(x->code, code_name(CODE_model_unknown)) == 0;
}

/* What is to be said of any request there; NULL: the question fails. */
static const cando_preflight_answer *judge(struct call *c, const char *target, bool strict)
{
    static const char request[] = "{\"messages\":[]}", *const only[] = {"findings"};
    cando_error err;
    cando_name name = {.model = target};
    cando_preflight_question q = {.target = &name,
                                  .api = API_PLAIN,
                                  .request = {request, sizeof request - 1},
                                  .only = only,
                                  .n_only = COUNT_OF(only),
                                  .strict = strict};
    return cando_ask_preflight(c->engine, &q, c->room, &err);
}

bool suggest_knows_provider(struct call *c, const char *target)
{
    const cando_preflight_answer *a = judge(c, target, false);
    for (size_t i = 0; a && i < a->n_findings; i++)
        if (strcmp(a->findings[i].code, code_name(CODE_provider_unknown)) == 0)
            return false;
    return a != NULL;
}

static cando_severity tell(struct call *c, const char *target, bool strict,
                           bool (*wanted)(const cando_finding *x))
{
    const cando_preflight_answer *a = judge(c, target, strict);
    cando_severity worst = CANDO_NOTE;
    for (size_t i = 0; a && i < a->n_findings; i++) {
        const cando_finding *x = &a->findings[i];
        if (!wanted(x))
            continue;
        const char *hint = x->hint && *x->hint ? x->hint : "";
        out_to(stderr, "%c%s" END, out_severity(x->severity), severity_name(x->severity));
        char text[2000];
        snprintf(text, sizeof text, ": %s%s%s", x->message, *hint ? "; " : "", hint);
        out_note(stderr, str_of(text), 4, strlen(severity_name(x->severity)));
        bool ends = strcmp(x->code, code_name(CODE_model_deprecated)) == 0; /* but not yet */
        worst = !ends && x->severity > worst ? x->severity : worst;
    }
    return worst;
}

void suggest_unknown(struct call *c, const char *target)
{
    tell(c, target, false, is_of_name);
}

cando_severity suggest_of_model(struct call *c, const char *target, bool strict)
{
    return tell(c, target, strict, suggest_is_of_model);
}

const char *source_name(const struct call *c, const char *url)
{
    cando_catalog_source s[32];
    const cando_catalog *catalog = cando_get_catalog(c->engine); /* which the engine keeps */
    size_t n = cando_catalog_sources(catalog, s, COUNT_OF(s));
    cando_catalog_release(catalog);
    for (size_t i = 0; i < n; i++)
        if (s[i].name && strcmp(s[i].url, url) == 0)
            return s[i].name;
    return url;
}

cando_field field_meant(const char *name)
{
    static const char *const words[][2] = {
        {"input_price", "price"},      {"output_price", "price"},    {"prices", "price"},
        {"context", "context_window"}, {"window", "context_window"}, {"output", "max_output"}};
    cando_field f = cando_field_find(name);
    for (size_t i = 0; f == CANDO_NO_FIELD && i < COUNT_OF(words); i++)
        if (strcmp(name, words[i][0]) == 0)
            f = cando_field_find(words[i][1]);
    return f;
}

/* Of all fields the nearest by its name, or by the last word of it alone: pdff is input_pdf. */
static struct nearest field_near(const char *name, bool capability, bool by_word)
{
    struct nearest near = nearest_to(str_of(name));
    for (unsigned i = 0; i < cando_field_count(); i++) {
        const char *field = cando_field_name((cando_field)i), *word = strrchr(field, '_');
        if (capability && cando_field_type((cando_field)i) != CANDO_SUPPORT)
            continue;
        unsigned before = near.distance;
        if (!by_word)
            nearest_try(&near, str_of(field));
        else if (word)
            nearest_try(&near, str_of(word + 1));
        if (by_word && near.distance < before)
            near.name = str_of(field);
    }
    return near;
}

struct nearest nearest_field(const char *name, bool capability)
{
    struct nearest near = field_near(name, capability, false);
    return near.name.n ? near : field_near(name, capability, true);
}

/* Has the field a word that begins as one of the name does, but for its last letter? "cache" is
 * near prompt_caching. */
static bool shares_word(const char *field, const char *name)
{
    enum { LEAST = 4 };
    for (const char *at = name; *at; at += strspn(at, "_- ")) {
        size_t n = strcspn(at, "_- ");
        for (const char *f = field; n >= LEAST && f; f = strchr(f, '_')) {
            f += *f == '_';
            if (str_eq_fold(str_head(str_of(f), n - 1), str_make(at, n - 1)))
                return true;
        }
        at += n;
    }
    return false;
}

/* A name of another vocabulary, with two letters in the wrong order or one too many. */
static cando_field slip_of(const char *name)
{
    char other[64];
    size_t n = strlen(name);
    cando_field found = CANDO_NO_FIELD;
    for (size_t i = 0; n < sizeof other && i + 1 < n && found == CANDO_NO_FIELD; i++) {
        memcpy(other, name, n + 1);
        other[i] = name[i + 1];
        other[i + 1] = name[i];
        found = cando_field_find(other);
        if (found != CANDO_NO_FIELD)
            break;
        memcpy(other, name, i);
        memcpy(other + i, name + i + 1, n - i);
        found = cando_field_find(other);
    }
    return found;
}

int fail_field(struct call *c, const char *name)
{
    enum { NAMED = 5 };
    struct nearest near = nearest_field(name, false);
    if (!near.name.n && slip_of(name) != CANDO_NO_FIELD)
        near.name = str_of(cando_field_name(slip_of(name)));
    struct buf b;
    size_t n = near.name.n != 0;
    cando_error err;
    buf_init_arena(&b, &c->ar, sizeof err.hint);
    buf_puts(&b, near.name);
    bool slip = n && nearest_is_slip(&near);
    for (unsigned i = 0; !slip && i < cando_field_count() && n < NAMED; i++) {
        const char *field = cando_field_name((cando_field)i);
        if (str_is(near.name, field) || !shares_word(field, name))
            continue;
        buf_printf(&b, "%s%s", n++ ? ", " : "", field);
    }
    error_set(&err, CANDO_BAD_QUESTION, CODE_unknown_field, "no field is called '%.80s'", name);
    if (n)
        error_hint(&err, "did you mean %s?", buf_cstr(&b));
    else
        error_hint(&err, "cando help fields lists them");
    return fail(&err);
}
