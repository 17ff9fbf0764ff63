#include "change.h"

static const struct {
    const char *word, *title, *sign;
    enum style style;
} kinds[CHANGES] = {
    [CHANGE_ADDED] = {"added", "added", "+", STYLE_GOOD},
    [CHANGE_GONE] = {"gone", "gone", "-", STYLE_BAD},
    [CHANGE_PRICE] = {"price", "changed prices", "$", STYLE_WARN},
    [CHANGE_LIMIT] = {"limit", "changed limits", "~", STYLE_WARN},
};

static char *dup_text(struct change_list *l, struct str s)
{
    struct str own = str_dup(l->ar, s);
    if (!own.p)
        l->failed = true;
    return (char *)own.p;
}

static void add(struct change_list *l, struct change c)
{
    if (!ARENA_GROW(l->ar, l->item, l->n, l->cap)) {
        l->failed = true;
        return;
    }
    l->item[l->n++] = c;
    l->count[c.kind]++;
}

/* -- one offering in both -------------------------------------------------------------- */

/* The rate of a key in a price, or NULL. */
static const char *rate_of(const cando_value *v, struct str key)
{
    for (uint32_t i = 0; v->known && i < v->count; i++) {
        const char *item = cando_value_item(v, i);
        size_t cut = cando_value_key(v, i);
        if (str_eq(str_make(item, cut), key) && item[cut])
            return item + cut + 1;
    }
    return NULL;
}

static void compare_price(struct change_list *l, struct change base, const cando_profile *a,
                          const cando_profile *b)
{
    cando_field f = cando_field_find("price");
    cando_value old = cando_profile_get(a, f), new = cando_profile_get(b, f);
    base.kind = CHANGE_PRICE;
    for (int side = 0; side < 2; side++) { /* what is new or changed, then what is gone */
        const cando_value *v = side ? &old : &new, *other = side ? &new : &old;
        for (uint32_t i = 0; v->known && i < v->count; i++) {
            const char *item = cando_value_item(v, i);
            struct str key = str_make(item, cando_value_key(v, i));
            if (!item[key.n])
                continue;
            const char *mine = item + key.n + 1, *its = rate_of(other, key);
            if (its && (side || strcmp(its, mine) == 0))
                continue;
            base.what = dup_text(l, key);
            base.before = side ? mine : its;
            base.after = side ? NULL : mine;
            add(l, base);
        }
    }
}

static void compare_limits(struct change_list *l, struct change base, const cando_profile *a,
                           const cando_profile *b)
{
    static const char *const limits[] = {"context_window", "max_input", "max_output"};
    base.kind = CHANGE_LIMIT;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        cando_field f = cando_field_find(limits[i]);
        cando_value v[2] = {cando_profile_get(a, f), cando_profile_get(b, f)};
        char text[32];
        if (v[0].known == v[1].known && (!v[0].known || v[0].number == v[1].number))
            continue;
        base.what = limits[i];
        base.before = v[0].known ? dup_text(l, out_number(v[0].number, text)) : NULL;
        base.after = v[1].known ? dup_text(l, out_number(v[1].number, text)) : NULL;
        add(l, base);
    }
}

static bool resolve(const cando_catalog *c, cando_model m, cando_profile *out)
{
    return cando_resolve_parts(c, m.provider, strlen(m.provider), m.id, strlen(m.id),
                               CANDO_AS_WRITTEN, out, NULL) == CANDO_OK;
}

static void compare(struct change_list *l, const cando_catalog *old, const cando_catalog *new,
                    cando_model m)
{
    cando_profile a, b;
    struct change base = {.provider = m.provider, .id = m.id};
    if (!resolve(old, m, &a) || !resolve(new, m, &b))
        return;
    compare_price(l, base, &a, &b);
    compare_limits(l, base, &a, &b);
}

/* -- two catalogs ---------------------------------------------------------------------- */

bool change_index(struct arena *ar, const cando_catalog *c, struct map *out)
{
    map_init(out, ar, true);
    for (size_t i = 0; i < cando_catalog_models(c); i++) {
        cando_model m = cando_catalog_model(c, i);
        struct str name = str_printf(ar, "%s/%s", m.provider, m.id);
        if (!name.p || !map_put(out, name, 1) || !map_put(out, str_of(m.provider), 1))
            return false;
    }
    return true;
}

bool change_has(const struct map *index, struct arena *ar, cando_model m)
{
    return map_get(index, str_printf(ar, "%s/%s", m.provider, m.id)) != NULL;
}

void change_find(struct change_list *l, const cando_catalog *old, const cando_catalog *new)
{
    struct map before, after;
    if (!change_index(l->ar, old, &before) || !change_index(l->ar, new, &after)) {
        l->failed = true;
        return;
    }
    for (size_t i = 0; i < cando_catalog_models(new) && !l->failed; i++) {
        cando_model m = cando_catalog_model(new, i);
        if (change_has(&before, l->ar, m))
            compare(l, old, new, m);
        else
            add(l, (struct change){CHANGE_ADDED, m.provider, m.id, NULL, NULL, NULL});
    }
    for (size_t i = 0; i < cando_catalog_models(old) && !l->failed; i++) {
        cando_model m = cando_catalog_model(old, i);
        if (!change_has(&after, l->ar, m))
            add(l, (struct change){CHANGE_GONE, m.provider, m.id, NULL, NULL, NULL});
    }
}

/* -- words ----------------------------------------------------------------------------- */

static void put_change(const struct change *c)
{
    const char *money = c->kind == CHANGE_PRICE ? "$" : "";
    out("  %c%s" END " %s/%s", kinds[c->kind].style, kinds[c->kind].sign, c->provider, c->id);
    if (c->what)
        out("  %s %s%s -> %s%s", c->what, c->before ? money : "", c->before ? c->before : "unknown",
            c->after ? money : "", c->after ? c->after : "unknown");
    out("\n");
}

void change_print(const struct change_list *l, size_t most)
{
    for (unsigned k = 0; k < CHANGES; k++) {
        size_t shown = 0;
        if (!l->count[k])
            continue;
        out("%s: %'zu\n", kinds[k].title, l->count[k]);
        for (size_t i = 0; i < l->n && shown < most; i++)
            if (l->item[i].kind == (enum change_kind)k) {
                put_change(&l->item[i]);
                shown++;
            }
        if (shown < l->count[k])
            out("  and %'zu more: --all lists them\n", l->count[k] - shown);
    }
    if (!l->n)
        puts("no offering, price or limit is different");
}

void change_json(const struct change_list *l)
{
    json("[");
    for (size_t i = 0; i < l->n; i++) {
        const struct change *c = &l->item[i];
        if (i)
            json(",");
        json("{'change':%s,'provider':%s,'model':%s", kinds[c->kind].word, c->provider, c->id);
        if (c->what)
            json(",'what':%s,'before':%s,'after':%s", c->what, c->before, c->after);
        json("}");
    }
    json("]");
}
