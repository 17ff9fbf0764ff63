#include "suggest.h"

enum { LISTED = 20 };

/* Mistakes are not reported: there is one already. */
static const cando_models_answer *ask(struct call *c, cando_models_question q)
{
    q.limit = (cando_number){LISTED, true};
    const cando_models_answer *a = cando_ask_models(c->engine, &q, c->room, NULL);
    return a && a->n_models ? a : NULL;
}

bool suggest_offerings(struct call *c, const char *target)
{
    cando_error err;
    size_t cut = strcspn(target, "/:");
    if (target[cut] && cut > 0)
        return false;
    error_set(&err, CANDO_BAD_QUESTION, CODE_unknown_target, "'%s' does not name a provider",
              target);
    const cando_models_answer *a = ask(c, (cando_models_question){.model = target});
    if (a) {
        fail(&err);
        fputs("it is offered as\n", stderr);
        for (size_t i = 0; i < a->n_models; i++)
            out_to(stderr, "    " BOLD "%s/%s" END "\n", a->models[i].provider, a->models[i].model);
        if (a->matched > a->n_models)
            out_to(stderr, "    and %ju more: cando models %s\n",
                   (uintmax_t)(a->matched - a->n_models), target);
        return true;
    }
    a = ask(c, (cando_models_question){.like = target});
    if (a)
        error_hint(&err, "did you mean %s/%s?", a->models[0].provider, a->models[0].model);
    else
        error_hint(&err, "write it as provider/model, for example openai/gpt-4o");
    fail(&err);
    return true;
}

/* The letters of a name one by one, without what a version is made of. */
static char next_letter(const char **p)
{
    while (char_is_digit(**p) || **p == '.' || **p == '-')
        (*p)++;
    return **p ? char_fold(*(*p)++) : '\0';
}

/* Are two names the same but for their digits? Then one is another version, and no
 * typing mistake. */
static bool differ_in_digits_only(const char *a, const char *b)
{
    for (;;) {
        char x = next_letter(&a), y = next_letter(&b);
        if (x != y)
            return false;
        if (!x)
            return true;
    }
}

static bool near_provider(struct call *c, struct str provider)
{
    const cando_catalog *catalog = cando_get_catalog(c->engine);
    struct nearest near = nearest_to(provider);
    bool known = false;
    for (size_t i = 0; i < cando_catalog_models(catalog) && !known; i++) {
        struct str name = str_of(cando_catalog_model(catalog, i).provider);
        known = str_eq_fold(name, provider);
        if (near.name.p != name.p) /* offerings of one provider stand together */
            nearest_try(&near, name);
    }
    bool told = !known && near.name.n;
    if (told)
        out_to(stderr, "note: no provider is called '%.*s'; did you mean '%.*s'?\n",
               STR_ARG(provider), STR_ARG(near.name));
    cando_catalog_release(catalog);
    return told;
}

void suggest_near(struct call *c, const char *provider, const char *model)
{
    if (near_provider(c, str_of(provider)))
        return;
    cando_models_question q = {
        .like = model, .providers = &provider, .n_providers = *provider != '\0'};
    const cando_models_answer *a = ask(c, q);
    if (!a || differ_in_digits_only(a->models[0].model, model))
        return;
    out_to(stderr, "note: no fact is about this model; did you mean " BOLD "%s/%s" END "?\n",
           a->models[0].provider, a->models[0].model);
}

struct nearest nearest_field(const char *name, bool capability)
{
    struct nearest near = nearest_to(str_of(name));
    for (unsigned i = 0; i < cando_field_count(); i++)
        if (!capability || cando_field_type((cando_field)i) == CANDO_SUPPORT)
            nearest_try(&near, str_of(cando_field_name((cando_field)i)));
    return near;
}
