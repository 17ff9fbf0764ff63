#include "suggest.h"

#include "api_words.h"

enum { LISTED = 20 };

/* NULL: there is none; `err` may say why. */
static const cando_models_answer *ask(struct call *c, cando_models_question q, cando_error *err)
{
    q.limit = (cando_number){LISTED, true};
    const cando_models_answer *a = cando_ask_models(c->engine, &q, c->room, err);
    return a && a->n_models ? a : NULL;
}

bool suggest_offerings(struct call *c, const char *target)
{
    cando_error err;
    size_t cut = strcspn(target, "/:");
    if (!*target || (target[cut] && !target[cut + 1])) {
        fail_with(CANDO_BAD_QUESTION, CODE_unknown_target,
                  "write it as provider/model, for example openai/gpt-4o", "'%.80s' names no model",
                  target);
        return true;
    }
    if (target[cut] && cut > 0)
        return false;
    error_set(&err, CANDO_BAD_QUESTION, CODE_unknown_target, "'%s' does not name a provider",
              target);
    const cando_models_answer *a = ask(c, (cando_models_question){.model = target}, NULL);
    if (a) {
        fail(&err);
        fputs("it is offered as\n", stderr);
        for (size_t i = 0; i < a->n_models; i++)
            out_to(stderr, "    " BOLD "%s/%s" END "\n", a->models[i].provider, a->models[i].model);
        if (a->matched > a->n_models)
            out_to(stderr, "    and %ju more: cando models %s\n", (a->matched - a->n_models),
                   target);
        return true;
    }
    const char *words[] = {target};
    a = ask(c, (cando_models_question){.words = words, .n_words = 1}, NULL);
    if (a) {
        error_hint(&err, "cando models %s lists %ju with that in their name", target, a->matched);
        fail(&err);
        return true;
    }
    a = ask(c, (cando_models_question){.like = target}, NULL);
    if (a)
        error_hint(&err, "did you mean %s/%s?", a->models[0].provider, a->models[0].model);
    else
        error_hint(&err, "write it as provider/model, for example openai/gpt-4o");
    fail(&err);
    return true;
}

void suggest_near(struct call *c, const char *provider, const char *model)
{
    cando_error err = {.status = CANDO_OK};
    cando_models_question q = {
        .like = model, .providers = &provider, .n_providers = *provider != '\0'};
    const cando_models_answer *a = ask(c, q, &err);
    if (strcmp(err.code, code_name(CODE_unknown_provider)) == 0 && err.hint[0])
        out_to(stderr, "note: %s; %s\n", err.message, err.hint);
    if (!a || str_same_but_digits(str_of(a->models[0].model), str_of(model)))
        return;
    out_to(stderr, "note: no fact is about this model; did you mean " BOLD "%s/%s" END "?\n",
           a->models[0].provider, a->models[0].model);
}

cando_severity suggest_unknown(struct call *c, const char *target, bool strict)
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
    const cando_preflight_answer *a = cando_ask_preflight(c->engine, &q, c->room, &err);
    for (size_t i = 0; a && i < a->n_findings; i++) {
        const cando_finding *x = &a->findings[i];
        if (strcmp(x->code, code_name(CODE_provider_unknown)) != 0 &&
            strcmp(x->code, code_name(CODE_model_unknown)) != 0)
            continue;
        out_to(stderr, "%c%s" END ": %s" MAYBE("; %s") "\n", out_severity(x->severity),
               severity_name(x->severity), x->message, x->hint);
        return x->severity;
    }
    return CANDO_NOTE;
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
