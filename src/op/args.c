/*
 * args.c - arguments that several operations share.
 */
#include "op.h"

#include "base/limits.h"
#include "rules/sources.h"

bool arg_text(struct op_call *c, const char *name, struct str *out)
{
    const struct json *v = json_get(c->args, name);
    *out = STR("");
    if (!v)
        return true;
    if (v->kind != JSON_STRING)
        return op_fail(c, CODE_bad_argument, str_printf(c->ar, "/%s", name), "'%s' must be a string, it is %s", name, json_kind_name(v));
    *out = v->text;
    return true;
}

bool arg_word(struct op_call *c, const char *name, const char *const *words, unsigned n, unsigned absent, unsigned *out)
{
    struct str s;
    *out = absent;
    if (!arg_text(c, name, &s))
        return false;
    if (!json_get(c->args, name))
        return true;
    struct buf list;
    buf_init(&list, c->a, 1024);
    for (unsigned i = 0; i < n; i++) {
        if (str_is(s, words[i])) {
            *out = i;
            buf_free(&list);
            return true;
        }
        buf_printf(&list, "%s'%s'", i ? ", " : "", words[i]);
    }
    struct str known = list.failed ? STR_NONE : str_dup(c->ar, str_make(list.p, list.n));
    buf_free(&list);
    if (!known.p)
        return op_memory(c);
    op_fail(c, CODE_bad_argument, str_printf(c->ar, "/%s", name), "'%.*s' is no value of '%s'", STR_ARG(str_head(s, 80)), name);
    return op_hint(c, "known: %.*s", STR_ARG(known));
}

static bool target_member(struct op_call *c, const struct json *target, const char *at, const char *key, struct str *out)
{
    const struct json *v = json_get(target, key);
    struct str place = str_printf(c->ar, "/%s/%s", at, key);
    if (!v)
        return op_fail(c, CODE_missing_argument, place, "'%s' has no '%s'", at, key);
    if (v->kind != JSON_STRING)
        return op_fail(c, CODE_bad_argument, place, "'%s' must be a string, it is %s", key, json_kind_name(v));
    *out = v->text;
    return true;
}

static bool target_object(struct op_call *c, const struct json *target, const char *name, struct str *provider, struct str *model)
{
    for (size_t i = 0; i < target->n; i++)
        if (!str_is(target->key[i].text, "provider") && !str_is(target->key[i].text, "model"))
            return op_fail(c, CODE_unknown_argument, str_printf(c->ar, "/%s", name), "a target has 'provider' and 'model', not '%.*s'",
                           STR_ARG(str_head(target->key[i].text, 80)));
    return target_member(c, target, name, "provider", provider) && target_member(c, target, name, "model", model);
}

bool arg_target(struct op_call *c, const char *name, struct str *provider, struct str *model)
{
    const struct json *v = json_get(c->args, name);
    struct str at = str_printf(c->ar, "/%s", name);
    if (!v)
        return op_fail(c, CODE_missing_argument, at, "the argument '%s' is missing", name);
    if (v->kind == JSON_OBJECT) {
        if (!target_object(c, v, name, provider, model))
            return false;
    } else if (v->kind == JSON_STRING) {
        size_t cut = str_find_char(v->text, '/'), colon = str_find_char(v->text, ':');
        if (colon < cut)
            cut = colon;
        if (cut == v->text.n || cut == 0) {
            op_fail(c, CODE_unknown_target, at, "'%.*s' does not name a provider", STR_ARG(str_head(v->text, 80)));
            return op_hint(c, "write it as provider/model, for example openai/gpt-4o");
        }
        *provider = str_head(v->text, cut);
        *model = str_from(v->text, cut + 1);
    } else {
        return op_fail(c, CODE_bad_argument, at, "'%s' must be a string or an object, it is %s", name, json_kind_name(v));
    }
    if (provider->n > LIMIT_NAME_BYTES || model->n > LIMIT_NAME_BYTES)
        return op_fail(c, CODE_too_long, at, "a name has at most %u bytes", LIMIT_NAME_BYTES);
    return true;
}

bool syntax_by_name(struct str name, cando_syntax *out)
{
    static const char *const names[] = {"auto", "cando", "nika", "harn"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (str_is(name, names[i])) {
            *out = (cando_syntax)i;
            return true;
        }
    return false;
}

/* One {"dialect":..,"text":..,"name"?:..}. */
static bool add_source(struct op_call *c, cando_sources *s, const struct json *v, struct str at, cando_layer layer)
{
    static const char *const keys[] = {"dialect", "text", "name"};
    if (v->kind != JSON_OBJECT)
        return op_fail(c, CODE_bad_argument, at, "rules are {\"dialect\":..,\"text\":..}, this is %s", json_kind_name(v));
    for (size_t i = 0; i < v->n; i++) {
        struct str key = v->key[i].text;
        if (!str_is(key, keys[0]) && !str_is(key, keys[1]) && !str_is(key, keys[2]))
            return op_fail(c, CODE_unknown_argument, at, "rules have 'dialect', 'text' and 'name', not '%.*s'", STR_ARG(str_head(key, 80)));
        if (v->item[i].kind != JSON_STRING)
            return op_fail(c, CODE_bad_argument, at, "'%.*s' must be a string, it is %s", STR_ARG(key), json_kind_name(&v->item[i]));
    }
    const struct json *text = json_get(v, "text"), *syntax = json_get(v, "dialect"), *name = json_get(v, "name");
    cando_syntax d = CANDO_SYNTAX_AUTO;
    if (!text)
        return op_fail(c, CODE_missing_argument, at, "rules have no 'text'");
    if (syntax && !syntax_by_name(syntax->text, &d)) {
        op_fail(c, CODE_bad_argument, at, "there is no rule dialect '%.*s'", STR_ARG(str_head(syntax->text, 80)));
        return op_hint(c, "known: 'cando', 'nika', 'harn'");
    }
    struct str label = name ? str_dup(c->ar, name->text) : at;
    cando_error err = {0};
    if (!label.p)
        return op_memory(c);
    if (cando_sources_add(s, label.p, text->text.p, text->text.n, d, layer, &err) != CANDO_OK)
        return op_fail_error(c, at, &err);
    return true;
}

static bool add_sources(struct op_call *c, cando_sources *s, const char *name, cando_layer layer)
{
    const struct json *v = json_get(c->args, name);
    if (!v)
        return true;
    if (v->kind != JSON_ARRAY)
        return add_source(c, s, v, str_printf(c->ar, "/%s", name), layer);
    for (size_t i = 0; i < v->n; i++)
        if (!add_source(c, s, &v->item[i], str_printf(c->ar, "/%s/%zu", name, i), layer))
            return false;
    return true;
}

const cando_catalog *arg_catalog(struct op_call *c)
{
    bool rules = json_get(c->args, "rules") != NULL, overlay = json_get(c->args, "overlay") != NULL;
    if (!rules && !overlay)
        return cando_catalog_retain(c->catalog);
    cando_error err = {0};
    cando_sources *s = cando_sources_new(c->a, &err);
    const cando_catalog *cat = NULL;
    bool ok = s != NULL;
    if (!ok)
        op_fail_error(c, STR(""), &err);
    if (ok && !rules && sources_add_catalog(s, c->catalog, &err) != CANDO_OK)
        ok = op_fail_error(c, STR("/overlay"), &err);
    ok = ok && add_sources(c, s, "rules", CANDO_LAYER_FAMILY) && add_sources(c, s, "overlay", CANDO_LAYER_PROJECT);
    if (ok && !(cat = sources_open(s, &err)))
        op_fail_error(c, rules ? STR("/rules") : STR("/overlay"), &err);
    cando_sources_free(s);
    return cat;
}
