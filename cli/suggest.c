#include "suggest.h"

#include "base/limits.h"

enum { LISTED = 20 };

/* Mistakes are not reported: there is one already. */
static const cando_models_answer *ask(const struct engine *e, cando_models_question q)
{
    q.limit = (cando_number){LISTED, true};
    const cando_models_answer *a = cando_ask_models(e->c, &q, e->room, NULL);
    return a && a->n_models ? a : NULL;
}

static void put_name(const cando_offering *m)
{
    char name[2 * LIMIT_NAME_BYTES + 2];
    snprintf(name, sizeof name, "%s/%s", m->provider, m->model);
    out_print(stderr, STYLE_BOLD, name);
}

bool suggest_offerings(const struct engine *e, const char *target)
{
    cando_error err;
    size_t cut = strcspn(target, "/:");
    if (target[cut] && cut > 0)
        return false;
    error_set(&err, CANDO_BAD_QUESTION, CODE_unknown_target, "'%s' does not name a provider",
              target);
    const cando_models_answer *a = ask(e, (cando_models_question){.model = target});
    if (a) {
        out_error(&err);
        fputs("it is offered as\n", stderr);
        for (size_t i = 0; i < a->n_models; i++) {
            fputs("    ", stderr);
            put_name(&a->models[i]);
            fputc('\n', stderr);
        }
        if (a->matched > a->n_models)
            fprintf(stderr, "    and %ju more: cando models %s\n",
                    (uintmax_t)(a->matched - a->n_models), target);
        return true;
    }
    a = ask(e, (cando_models_question){.like = target});
    if (a)
        error_hint(&err, "did you mean %s/%s?", a->models[0].provider, a->models[0].model);
    else
        error_hint(&err, "write it as provider/model, for example openai/gpt-4o");
    out_error(&err);
    return true;
}

/* Are two names the same but for their digits? Then one is another version, and no
 * typing mistake. */
static bool differ_in_digits_only(struct str a, struct str b)
{
    size_t i = 0, k = 0;
    for (;;) {
        while (i < a.n && (char_is_digit(a.p[i]) || a.p[i] == '.' || a.p[i] == '-'))
            i++;
        while (k < b.n && (char_is_digit(b.p[k]) || b.p[k] == '.' || b.p[k] == '-'))
            k++;
        if (i == a.n || k == b.n)
            return i == a.n && k == b.n;
        if (char_fold(a.p[i++]) != char_fold(b.p[k++]))
            return false;
    }
}

static bool near_provider(const struct engine *e, struct str provider)
{
    const cando_catalog *c = cando_get_catalog(e->c);
    struct nearest near = nearest_to(provider);
    bool known = false;
    for (size_t i = 0; i < cando_catalog_models(c) && !known; i++) {
        struct str name = str_of(cando_catalog_model(c, i).provider);
        known = str_eq_fold(name, provider);
        if (near.name.p != name.p) /* offerings of one provider stand together */
            nearest_try(&near, name);
    }
    if (!known && near.name.n)
        fprintf(stderr, "note: no provider is called '%.*s'; did you mean '%.*s'?\n",
                STR_ARG(provider), STR_ARG(near.name));
    cando_catalog_release(c);
    return !known && near.name.n;
}

void suggest_near(const struct engine *e, const char *provider, const char *model)
{
    if (near_provider(e, str_of(provider)))
        return;
    cando_models_question q = {
        .like = model, .providers = &provider, .n_providers = *provider != '\0'};
    const cando_models_answer *a = ask(e, q);
    if (!a || differ_in_digits_only(str_of(a->models[0].model), str_of(model)))
        return;
    fputs("note: no fact is about this model; did you mean ", stderr);
    put_name(&a->models[0]);
    fputs("?\n", stderr);
}
