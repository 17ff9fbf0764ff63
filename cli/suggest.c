#include "suggest.h"

#include "base/limits.h"
#include "pull.h"

enum { LISTED = 20 };

/* Asks `models` with one more member, and gives the list. The reply is to be given
 * back. Mistakes are not reported: there is one already. */
static struct str ask_models(const struct engine *e, const char *member, struct str value, struct str provider, struct str *reply)
{
    struct buf q;
    char *text = NULL;
    size_t len = 0;
    *reply = STR_NONE;
    buf_init(&q, NULL, LIMIT_JSON_BYTES);
    buf_printf(&q, "{\"op\":\"models\",\"limit\":%d,\"%s\":", LISTED, member);
    out_quoted(&q, value);
    if (provider.n) {
        buf_putz(&q, ",\"providers\":");
        out_quoted(&q, provider);
    }
    buf_putc(&q, '}');
    bool ok = !q.failed && cando_call(e->c, q.p, q.n, &text, &len) == CANDO_OK;
    buf_free(&q);
    if (!ok)
        return STR_NONE;
    *reply = str_make(text, len);
    return pull_get(pull_get(*reply, "result"), "models");
}

static void put_name(FILE *f, struct str model, struct buf *b)
{
    buf_clear(b);
    pull_string(pull_get(model, "provider"), b);
    buf_putc(b, '/');
    pull_string(pull_get(model, "model"), b);
    out_cell(f, STYLE_BOLD, str_make(b->p, b->n), 0);
}

/* A line each; how many there are. */
static size_t put_offerings(struct str models, struct buf *b)
{
    size_t n = 0;
    struct str at = models, m;
    for (; pull_next(&at, NULL, &m); n++) {
        fputs("    ", stderr);
        put_name(stderr, m, b);
        fputc('\n', stderr);
    }
    return n;
}

bool suggest_offerings(const struct engine *e, const char *target)
{
    struct str t = str_of(target), reply;
    struct buf b;
    cando_error err;
    size_t slash = str_find_char(t, '/'), colon = str_find_char(t, ':');
    if ((slash < t.n && slash > 0) || (colon < t.n && colon > 0))
        return false;
    buf_init(&b, NULL, LIMIT_JSON_BYTES);
    error_set(&err, CANDO_BAD_QUESTION, CODE_unknown_target, "'%s' does not name a provider", target);
    struct str models = ask_models(e, "model", t, STR(""), &reply), first = models, m;
    if (pull_next(&first, NULL, &m)) {
        uint64_t all = 0;
        pull_number(pull_get(pull_get(reply, "result"), "matched"), &all);
        out_error(&err);
        fputs("it is offered as\n", stderr);
        size_t n = put_offerings(models, &b);
        if (all > n)
            fprintf(stderr, "    and %ju more: cando models %s\n", (uintmax_t)(all - n), target);
    } else {
        engine_done(e, reply);
        models = first = ask_models(e, "like", t, STR(""), &reply);
        if (pull_next(&first, NULL, &m)) {
            buf_clear(&b);
            pull_string(pull_get(m, "provider"), &b);
            buf_putc(&b, '/');
            pull_string(pull_get(m, "model"), &b);
            error_hint(&err, "did you mean %.*s?", (int)b.n, b.p);
        } else {
            error_hint(&err, "write it as provider/model, for example openai/gpt-4o");
        }
        out_error(&err);
    }
    engine_done(e, reply);
    buf_free(&b);
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
        fprintf(stderr, "note: no provider is called '%.*s'; did you mean '%.*s'?\n", STR_ARG(provider), STR_ARG(near.name));
    cando_catalog_release(c);
    return !known && near.name.n;
}

void suggest_near(const struct engine *e, struct str provider, struct str model)
{
    struct str reply, m;
    struct buf b;
    if (near_provider(e, provider))
        return;
    buf_init(&b, NULL, LIMIT_JSON_BYTES);
    struct str models = ask_models(e, "like", model, provider, &reply);
    if (pull_next(&models, NULL, &m)) {
        pull_string(pull_get(m, "model"), &b);
        if (!b.failed && !differ_in_digits_only(str_make(b.p, b.n), model)) {
            fputs("note: no fact is about this model; did you mean ", stderr);
            put_name(stderr, m, &b);
            fputs("?\n", stderr);
        }
    }
    engine_done(e, reply);
    buf_free(&b);
}
