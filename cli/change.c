#include "change.h"

#include <stdlib.h>

static const struct {
    const char *word, *title, *sign;
    enum style style;
} kinds[CHANGES] = {
    [CHANGE_ADDED] = {"added", "added", "+", STYLE_GOOD},
    [CHANGE_GONE] = {"gone", "gone", "-", STYLE_BAD},
    [CHANGE_PRICE] = {"price", "changed prices", "$", STYLE_WARN},
    [CHANGE_LIMIT] = {"limit", "changed limits", "~", STYLE_WARN},
};

enum {
    LIMIT_FALLS = 4,  /* to less than this part of what it was: it collapsed */
    PRICE_FALLS = 10, /* the same; or rises by as much */
    FEW = 3,          /* models of a provider: fewer tell nothing */
    SOURCES = 32,     /* as in struct voices */
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

/* -- one offering in both -- */

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

/* Prices fall, and seldom rise; both by far less. */
static bool is_out_of_scale(double before, double after)
{
    return after * PRICE_FALLS < before || after > before * PRICE_FALLS;
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
            base.collapsed = !side && its && is_out_of_scale(strtod(its, NULL), strtod(mine, NULL));
            add(l, base);
        }
    }
}

static void compare_limits(struct change_list *l, struct change base, const cando_profile *a,
                           const cando_profile *b)
{
    static const char *const limits[] = {"context_window", "max_input", "max_output"};
    base.kind = CHANGE_LIMIT;
    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        cando_field f = cando_field_find(limits[i]);
        cando_value v[2] = {cando_profile_get(a, f), cando_profile_get(b, f)};
        char text[32];
        if (v[0].known == v[1].known && (!v[0].known || v[0].number == v[1].number))
            continue;
        base.what = limits[i];
        base.collapsed = v[0].known && v[1].known && v[1].number < v[0].number / LIMIT_FALLS;
        base.before = v[0].known ? dup_text(l, out_number(v[0].number, text)) : NULL;
        base.after = v[1].known ? dup_text(l, out_number(v[1].number, text)) : NULL;
        add(l, base);
    }
}

bool change_resolve(const cando_catalog *c, cando_model m, cando_profile *out)
{
    return cando_resolve_parts(c, m.provider, strlen(m.provider), m.id, strlen(m.id),
                               CANDO_AS_WRITTEN, out, NULL) == CANDO_OK;
}

static void compare(struct change_list *l, const cando_catalog *old, const cando_catalog *new,
                    cando_model m)
{
    cando_profile a, b;
    struct change base = {.provider = m.provider, .id = m.id};
    if (!change_resolve(old, m, &a) || !change_resolve(new, m, &b))
        return;
    compare_price(l, base, &a, &b);
    compare_limits(l, base, &a, &b);
}

/* -- two catalogs -- */

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
            add(l, (struct change){CHANGE_ADDED, m.provider, m.id, NULL, NULL, NULL, false});
    }
    for (size_t i = 0; i < cando_catalog_models(old) && !l->failed; i++) {
        cando_model m = cando_catalog_model(old, i);
        if (!change_has(&after, l->ar, m))
            add(l, (struct change){CHANGE_GONE, m.provider, m.id, NULL, NULL, NULL, false});
    }
}

/* -- losses -- */

/* What one provider had, and what is left of it. */
struct loss {
    const char *provider;
    size_t living, gone;       /* models that are not retired */
    size_t had[SOURCES];       /* by source that was read: models that it spoke of */
    size_t limits, prices;     /* models whose limits or prices collapsed */
    const char *last[CHANGES]; /* the model that was counted last */
    const char *example;
};

static bool is_living(const cando_profile *p)
{
    cando_value v = cando_profile_get(p, cando_field_find("status"));
    return !v.known || strcmp(v.text, "retired") != 0;
}

bool voices_init(struct voices *v, struct arena *ar, const cando_catalog *old,
                 const cando_catalog *fresh, const cando_import_answer *read)
{
    v->old = old;
    v->read = read;
    v->n = cando_catalog_sources(old, v->source, COUNT_OF(v->source));
    return change_index(ar, fresh, &v->there);
}

/* Which of the sources that were read now this is, or SIZE_MAX. */
static size_t read_now(const struct voices *v, const char *name)
{
    for (size_t i = 0; i < v->read->n_sources && i < SOURCES; i++)
        if (strcmp(v->read->sources[i].source, name) == 0)
            return i;
    return SIZE_MAX;
}

/* Does the offering itself have something from this source? What it borrows is not its own. */
static bool is_said_by(const cando_profile *p, const cando_catalog_source *source)
{
    static const char *const fields[] = {"price", "context_window", "display_name"};
    cando_value claims = cando_profile_get(p, cando_field_find("claims"));
    char mark[64];
    snprintf(mark, sizeof mark, "|%.40s|", source->name); /* "*|litellm|2026-08-08=streaming" */
    for (uint32_t i = 0; claims.known && i < claims.count; i++)
        if (strstr(cando_value_item(&claims, i), mark))
            return true;
    for (size_t k = 0; k < COUNT_OF(fields); k++) {
        cando_origin o = cando_profile_why(p, cando_field_find(fields[k]));
        if (o.known && strcmp(o.source, source->url) == 0 && strcmp(o.evidence, "inferred") != 0)
            return true;
    }
    return false;
}

bool voices_gone(const struct voices *v, struct arena *ar, cando_model m)
{
    bool theirs = false;
    cando_profile p;
    if (change_has(&v->there, ar, m) || !change_resolve(v->old, m, &p))
        return false;
    for (size_t i = 0; i < v->n; i++) {
        if (!v->source[i].name || !is_said_by(&p, &v->source[i]))
            continue;
        if (read_now(v, v->source[i].name) == SIZE_MAX)
            return false;
        theirs = true;
    }
    return theirs;
}

/* One more model of the provider. */
static void count_model(const struct voices *v, struct arena *ar, cando_model m, struct loss *out)
{
    cando_profile p;
    bool said = false;
    if (!change_resolve(v->old, m, &p) || !is_living(&p))
        return;
    for (size_t i = 0; i < v->n; i++) {
        if (!v->source[i].name || !is_said_by(&p, &v->source[i]))
            continue;
        size_t now = read_now(v, v->source[i].name);
        said = true;
        if (now != SIZE_MAX)
            out->had[now]++;
    }
    out->living += said;
    if (!said || !voices_gone(v, ar, m))
        return;
    out->gone++;
    out->example = out->example ? out->example : m.id;
}

static void count_changes(const struct change_list *l, struct loss *x)
{
    for (size_t i = 0; i < l->n; i++) {
        const struct change *c = &l->item[i];
        if (!c->collapsed || c->id == x->last[c->kind] || strcmp(c->provider, x->provider) != 0)
            continue;
        x->last[c->kind] = c->id;
        x->example = x->example ? x->example : c->id;
        x->limits += c->kind == CHANGE_LIMIT;
        x->prices += c->kind == CHANGE_PRICE;
    }
}

/* Of how many of the provider's models a source speaks now. */
static uint64_t has_now(const cando_import_count *c, const char *provider)
{
    for (size_t i = 0; i < c->n_providers; i++)
        if (strcmp(c->providers[i].name, provider) == 0)
            return c->providers[i].n;
    return 0;
}

static bool source_lost(const struct loss *x, const cando_import_count *c, size_t source)
{
    return x->had[source] >= FEW && has_now(c, x->provider) * 2 < x->had[source];
}

static bool is_lost(const struct loss *x, const cando_import_answer *read)
{
    for (size_t i = 0; i < read->n_sources && i < SOURCES; i++)
        if (source_lost(x, &read->sources[i], i))
            return true;
    return (x->gone >= FEW && x->gone * 2 > x->living) ||
           (x->limits >= FEW && x->limits * 4 > x->living) ||
           (x->prices >= FEW && x->prices * 4 > x->living);
}

static void put_loss(const struct loss *x, const cando_import_answer *read)
{
    const char *comma = "";
    out_to(stderr, "%s:", x->provider);
    for (size_t i = 0; i < read->n_sources && i < SOURCES; i++) {
        if (!source_lost(x, &read->sources[i], i))
            continue;
        out_to(stderr, "%s %s had %'zu of its models and has %'ju", comma, read->sources[i].source,
               x->had[i], has_now(&read->sources[i], x->provider));
        comma = ",";
    }
    if (x->gone)
        out_to(stderr, "%s %'zu of %'zu gone", comma, x->gone, x->living);
    comma = x->gone ? "," : comma;
    if (x->limits)
        out_to(stderr, "%s %'zu with limits far below what they were", comma, x->limits);
    comma = x->limits ? "," : comma;
    if (x->prices)
        out_to(stderr, "%s %'zu with prices out of scale", comma, x->prices);
    out_to(stderr, MAYBE("; for example %s") "\n", x->example);
}

size_t change_losses(const struct change_list *l, const struct voices *v)
{
    size_t lost = 0, models = cando_catalog_models(v->old);
    for (size_t i = 0; i < models;) {
        struct loss one = {.provider = cando_catalog_model(v->old, i).provider};
        for (; i < models; i++) {
            cando_model m = cando_catalog_model(v->old, i);
            if (strcmp(m.provider, one.provider) != 0)
                break;
            count_model(v, l->ar, m, &one);
        }
        count_changes(l, &one);
        if (!is_lost(&one, v->read))
            continue;
        put_loss(&one, v->read);
        lost++;
    }
    return lost;
}

/* -- words -- */

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
