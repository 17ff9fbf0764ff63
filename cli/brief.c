#include "brief.h"

#include "out.h"

static const char *const fields[] = {"streaming", "tool_calling",   "structured_output",
                                     "json_mode", "prompt_caching", "context_caching",
                                     "reasoning", "computer_use"};
enum { STREAMING, TOOLS, SCHEMA, OBJECT_, CACHE, NAMED_CACHE, THINKING, COMPUTER, FIELDS };

const char *const *brief_fields(size_t *n)
{
    *n = FIELDS;
    return fields;
}

static bool has(const cando_offering *x, unsigned i)
{
    const cando_value *v = &x->fields[i].value;
    return v->known && v->support > CANDO_UNSUPPORTED;
}

static void put_words(const cando_offering *x)
{
    const struct {
        bool on;
        const char *word;
    } words[] = {
        {has(x, STREAMING), "streaming"},
        {has(x, TOOLS), "tools"},
        {has(x, SCHEMA), "json=schema"},
        {!has(x, SCHEMA) && has(x, OBJECT_), "json=object"},
        {has(x, CACHE) || has(x, NAMED_CACHE), "cache"},
        {has(x, THINKING), "thinking"},
        {has(x, COMPUTER), "computer-use"},
    };
    bool any = false;
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        if (!words[i].on)
            continue;
        out("%s%s", any ? " \xc2\xb7 " : "", words[i].word);
        any = true;
    }
    out("\n");
}

int brief_print(const cando_models_answer *r, bool told)
{
    size_t width = 0;
    for (size_t i = 0; i < r->n_models; i++) {
        size_t n = out_width(str_of(r->models[i].model));
        width = n > width ? n : width;
    }
    for (size_t i = 0; i < r->n_models; i++) {
        const cando_offering *x = &r->models[i];
        if (!told) {
            out("%s/%s\n", x->provider, x->model);
            continue;
        }
        out("%-*s", (int)width + 4, x->model);
        put_words(x);
    }
    return EXIT_YES;
}
