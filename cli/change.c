#include "change.h"

#include "base/map.h"

static const char *const kinds[CHANGES] = {"added", "gone", "price", "limit"};

static char *dup_text(struct change_list *l, struct str s)
{
    struct str own = str_dup(&l->ar, s);
    if (!own.p)
        l->failed = true;
    return (char *)own.p;
}

static void add(struct change_list *l, struct change c)
{
    if (!ARENA_GROW(&l->ar, l->item, l->n, l->cap)) {
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
    for (int side = 0; side < 2;
         side++) { /* what is new or changed, then what is no longer there */
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

static void compare(struct change_list *l, const cando_catalog *old, const cando_catalog *new,
                    cando_model m)
{
    cando_profile a, b;
    struct change base = {.provider = m.provider, .id = m.id};
    if (cando_resolve_parts(old, m.provider, strlen(m.provider), m.id, strlen(m.id),
                            CANDO_AS_WRITTEN, &a, NULL) != CANDO_OK ||
        cando_resolve_parts(new, m.provider, strlen(m.provider), m.id, strlen(m.id),
                            CANDO_AS_WRITTEN, &b, NULL) != CANDO_OK)
        return;
    compare_price(l, base, &a, &b);
    compare_limits(l, base, &a, &b);
}

/* -- two catalogs ---------------------------------------------------------------------- */

static struct str full_name(struct change_list *l, cando_model m)
{
    struct str s = str_printf(&l->ar, "%s/%s", m.provider, m.id);
    if (!s.p)
        l->failed = true;
    return s;
}

static bool index_of(struct change_list *l, const cando_catalog *c, struct map *out)
{
    map_init(out, &l->ar, true);
    for (size_t i = 0; i < cando_catalog_models(c) && !l->failed; i++)
        if (!map_put(out, full_name(l, cando_catalog_model(c, i)), (uint32_t)i))
            l->failed = true;
    return !l->failed;
}

void change_find(struct change_list *l, const cando_catalog *old, const cando_catalog *new)
{
    struct map before, after;
    *l = (struct change_list){0};
    arena_init(&l->ar, NULL);
    if (!index_of(l, old, &before) || !index_of(l, new, &after))
        return;
    for (size_t i = 0; i < cando_catalog_models(new) && !l->failed; i++) {
        cando_model m = cando_catalog_model(new, i);
        if (map_get(&before, full_name(l, m)))
            compare(l, old, new, m);
        else
            add(l, (struct change){CHANGE_ADDED, m.provider, m.id, NULL, NULL, NULL});
    }
    for (size_t i = 0; i < cando_catalog_models(old) && !l->failed; i++) {
        cando_model m = cando_catalog_model(old, i);
        if (!map_get(&after, full_name(l, m)))
            add(l, (struct change){CHANGE_GONE, m.provider, m.id, NULL, NULL, NULL});
    }
}

void change_free(struct change_list *l)
{
    arena_free(&l->ar);
}

/* -- words ----------------------------------------------------------------------------- */

static void put_change(const struct change *c)
{
    static const enum style styles[CHANGES] = {STYLE_GOOD, STYLE_BAD, STYLE_WARN, STYLE_WARN};
    static const char *const signs[CHANGES] = {"+", "-", "$", "~"};
    const char *money = c->kind == CHANGE_PRICE ? "$" : "";
    fputs("  ", stdout);
    out_print(stdout, styles[c->kind], signs[c->kind]);
    fputc(' ', stdout);
    out_safe(stdout, str_of(c->provider));
    fputc('/', stdout);
    out_safe(stdout, str_of(c->id));
    if (c->what) {
        fputs("  ", stdout);
        out_safe(stdout, str_of(c->what));
        printf(" %s", c->before ? money : "");
        out_safe(stdout, str_of(c->before ? c->before : "unknown"));
        printf(" -> %s", c->after ? money : "");
        out_safe(stdout, str_of(c->after ? c->after : "unknown"));
    }
    fputc('\n', stdout);
}

void change_print(const struct change_list *l, size_t most)
{
    static const char *const titles[CHANGES] = {"added", "gone", "changed prices",
                                                "changed limits"};
    for (unsigned k = 0; k < CHANGES; k++) {
        char digits[32];
        size_t shown = 0;
        if (!l->count[k])
            continue;
        printf("%s: %s\n", titles[k], out_number(l->count[k], digits).p);
        for (size_t i = 0; i < l->n && shown < most; i++)
            if (l->item[i].kind == (enum change_kind)k) {
                put_change(&l->item[i]);
                shown++;
            }
        if (shown < l->count[k])
            printf("  and %s more: --all lists them\n", out_number(l->count[k] - shown, digits).p);
    }
    if (!l->n)
        puts("no offering, price or limit is different");
}

static void put_member(struct buf *b, const char *name, const char *value)
{
    buf_printf(b, ",\"%s\":", name);
    if (value)
        out_quoted(b, str_of(value));
    else
        buf_putz(b, "null");
}

void change_json(const struct change_list *l, struct buf *b)
{
    buf_putc(b, '[');
    for (size_t i = 0; i < l->n; i++) {
        const struct change *c = &l->item[i];
        buf_printf(b, "%s{\"change\":\"%s\"", i ? "," : "", kinds[c->kind]);
        put_member(b, "provider", c->provider);
        put_member(b, "model", c->id);
        if (c->what) {
            put_member(b, "what", c->what);
            put_member(b, "before", c->before);
            put_member(b, "after", c->after);
        }
        buf_putc(b, '}');
    }
    buf_putc(b, ']');
}
