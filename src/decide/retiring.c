/*
 * retiring.c - retiring: what has stopped, what will, when, and what to take instead.
 *
 * Of the whole catalog, or of the offerings that texts name (mentions.h). An offering
 * has one ending, by its status on the day that is asked about and by its days; what
 * replaces it is followed from id to id until one lives.
 */
#include "mentions.h"

#include "base/instant.h"
#include "catalog/engine.h"
#include "text/reading.h"

#include <stdlib.h>

enum { WITHIN = 90, PLACES = 100, SUCCESSORS = 16 };

/* An offering that the texts name. */
struct named {
    uint32_t row;
    uint64_t mentions;
    cando_place *place;
    size_t n, cap;
};

struct retiring {
    struct reading *r;
    const cando_retiring_question *q;
    struct offers offers;
    struct mentions mentions;
    uint32_t day, last; /* asked about; the last of those within */
    int32_t days;       /* the day asked about since 1970 */
    uint8_t *only;      /* by provider: one of those asked for; NULL: any */
    struct map by_row;  /* bytes of the row's number -> which of `named` */
    struct named *named;
    size_t n_named, cap_named;
    const cando_text *text; /* at hand, with the last place that was counted */
    size_t counted;
    uint64_t line, column;
    cando_retiring *out;
    size_t n_out, cap_out;
    cando_retiring_answer answer;
};

static bool read_question(struct retiring *x)
{
    struct reading *r = x->r;
    const cando_retiring_question *q = x->q;
    const struct snapshot *s = &x->offers.cat->snap;
    char text[16];
    if (!reading_day(r, q->at, &x->day))
        return false;
    x->offers.day = x->day;
    x->day = x->day ? x->day : day_today();
    day_parse(str_of(day_dashed(x->day, text)), &x->days);
    uint64_t within = q->within.known ? q->within.value : WITHIN;
    int32_t end = x->days + (int32_t)(within < 36500 ? within : 36500);
    x->last = day_number(day_text(end, text));
    if (!q->n_providers)
        return true;
    x->only = arena_alloc(r->ar, s->sec[SEC_PROVIDERS].n + 1);
    for (size_t i = 0; x->only && i < q->n_providers; i++) {
        struct str name = str_of(q->providers[i]);
        uint32_t p = snapshot_provider(s, name);
        if (p == SNAP_NONE)
            return reading_fail(r, CODE_unknown_provider, str_printf(r->ar, "/providers/%zu", i),
                                "no provider is called '%.*s'", STR_ARG(str_head(name, 80)));
        x->only[p] = 1;
    }
    return x->only || reading_memory(r);
}

/* -- in texts -- */

static struct named *named_of(struct retiring *x, uint32_t row)
{
    uint32_t *have = map_get(&x->by_row, str_make((const char *)&row, sizeof row));
    if (have)
        return &x->named[*have];
    struct arena *ar = x->r->ar;
    struct str key = str_dup(ar, str_make((const char *)&row, sizeof row));
    if (!key.p || !ARENA_GROW(ar, x->named, x->n_named, x->cap_named) ||
        !map_put(&x->by_row, key, (uint32_t)x->n_named))
        return NULL;
    x->named[x->n_named] = (struct named){.row = row};
    return &x->named[x->n_named++];
}

/* Moves to a place; where that lies behind, from the start. */
static void count_to(struct retiring *x, size_t at)
{
    const cando_bytes t = x->text->text;
    if (at < x->counted) {
        x->counted = 0;
        x->column = 1;
        x->line = x->text->line.known ? x->text->line.value : 1;
    }
    for (const char *nl; (nl = memchr(t.p + x->counted, '\n', at - x->counted));) {
        x->counted = (size_t)(nl - t.p) + 1;
        x->column = 1;
        x->line++;
    }
    x->column += str_utf8_len(str_make(t.p + x->counted, at - x->counted));
    x->counted = at;
}

static void take_mention(void *ctx, const struct mention *found)
{
    struct retiring *x = ctx;
    struct named *n = named_of(x, found->row);
    uint64_t most = x->q->places.known ? x->q->places.value : PLACES;
    if (!n)
        return;
    if (n->mentions++ >= most || !ARENA_GROW(x->r->ar, n->place, n->n, n->cap))
        return;
    count_to(x, found->at);
    n->place[n->n++] =
        (cando_place){x->text->name, x->line, x->column, reading_copy(x->r, found->as)};
}

static bool look_through(struct retiring *x)
{
    const cando_retiring_question *q = x->q;
    struct reading *r = x->r;
    if (!mentions_open(&x->mentions, &x->offers, x->day, r->ar))
        return reading_memory(r);
    x->mentions.only = x->only;
    for (size_t i = 0; i < q->n_texts; i++) {
        x->text = &q->texts[i];
        x->counted = SIZE_MAX;
        if (!mentions_find(&x->mentions, STR_IN(x->text->text), take_mention, x))
            return reading_memory(r);
    }
    return !r->ar->failed || reading_memory(r);
}

/* -- endings -- */

static enum row_status status_of(const cando_profile *p)
{
    const char *word = profile_text(p, F_status);
    return word ? row_status_find(str_of(word)) : ROW_ACTIVE;
}

/* The first successor that is served; NULL: there is none, or it is the model itself. */
static const char *living(struct retiring *x, struct str provider, const char *id)
{
    for (unsigned i = 0; id && i < SUCCESSORS; i++) {
        cando_profile p;
        if (cando_resolve_parts(x->offers.cat, provider.p, provider.n, id, strlen(id),
                                CANDO_AS_WRITTEN, &p, NULL) != CANDO_OK)
            return NULL;
        p.day = x->day;
        if (status_of(&p) != ROW_RETIRED)
            return id;
        id = profile_text(&p, F_replaced_by);
    }
    return NULL;
}

/* Days between the day asked about and another one. */
static cando_number distance(const struct retiring *x, const char *text)
{
    int32_t day;
    if (!text || !day_parse(str_of(text), &day))
        return (cando_number){0, false};
    return (cando_number){(uint64_t)(day < x->days ? x->days - day : day - x->days), true};
}

/* Which ending the offering has; false: none that is asked about. */
static bool ending_of(struct retiring *x, const cando_profile *p, cando_retiring *out)
{
    struct profile_life life = profile_life(p);
    enum row_status status = life_status(&life, x->day);
    uint32_t not_before = out->retires_not_before ? day_number(str_of(out->retires_not_before)) : 0;
    if (status == ROW_RETIRED) {
        out->ending = CANDO_STOPPED;
        x->answer.stopped++;
    } else if (life.retires) {
        out->ending = CANDO_STOPS;
        x->answer.stopping += life.retires <= x->last;
        x->answer.later += life.retires > x->last;
        return life.retires <= x->last;
    } else if (not_before && not_before <= x->last) {
        out->ending = CANDO_NOT_BEFORE;
        x->answer.not_before++;
    } else {
        out->ending = CANDO_DEPRECATED;
        x->answer.deprecated += status == ROW_DEPRECATED;
        return status == ROW_DEPRECATED;
    }
    return true;
}

static bool add_ending(struct retiring *x, uint32_t index, const struct named *n)
{
    const struct snap_row *row = &x->offers.row[index];
    struct str provider = offer_provider(&x->offers, row);
    cando_profile p;
    offer_profile(&x->offers, row, &p);
    p.day = x->day;
    cando_retiring out = {
        .provider = provider.p,
        .model = offer_id(&x->offers, row).p,
        .deprecated_on = profile_text(&p, F_deprecated_on),
        .retires_on = profile_text(&p, F_retires_on),
        .retires_not_before = profile_text(&p, F_retires_not_before),
        .replaced_by = profile_text(&p, F_replaced_by),
    };
    if (!ending_of(x, &p, &out))
        return true;
    unsigned said = out.ending == CANDO_NOT_BEFORE ? F_retires_not_before
                    : out.retires_on               ? F_retires_on
                                                   : F_status;
    cando_origin origin = cando_profile_why(&p, (cando_field)said);
    out.days = distance(x, out.ending == CANDO_NOT_BEFORE   ? out.retires_not_before
                           : out.ending != CANDO_DEPRECATED ? out.retires_on
                                                            : NULL);
    out.use = living(x, provider, out.replaced_by);
    out.inferred = strcmp(profile_evidence(&p, said, NULL), "inferred") == 0;
    out.source = *origin.source ? origin.source : NULL;
    out.checked = *origin.checked ? reading_copy(x->r, str_of(origin.checked)) : NULL;
    if (n) {
        out.mentions = n->mentions;
        out.places = n->place;
        out.n_places = n->n;
    }
    if (!ARENA_GROW(x->r->ar, x->out, x->n_out, x->cap_out))
        return reading_memory(x->r);
    x->out[x->n_out++] = out;
    return true;
}

static const char *day_of(const cando_retiring *e)
{
    const char *day = e->ending == CANDO_NOT_BEFORE ? e->retires_not_before : e->retires_on;
    return day ? day : "";
}

/* What stopped last comes first, and what stops next. */
static int by_ending(const void *a, const void *b)
{
    const cando_retiring *x = a, *y = b;
    if (x->ending != y->ending)
        return x->ending < y->ending ? -1 : 1;
    int days = strcmp(day_of(x), day_of(y));
    if (days)
        return x->ending == CANDO_STOPPED ? -days : days;
    int who = strcmp(x->provider, y->provider);
    return who ? who : strcmp(x->model, y->model);
}

static bool add_endings(struct retiring *x)
{
    for (size_t i = 0; i < x->n_named; i++)
        if (!add_ending(x, x->named[i].row, &x->named[i]))
            return false;
    for (uint32_t i = 0; i < x->offers.n; i++) {
        if (x->only && !x->only[x->offers.row[i].provider])
            continue;
        x->answer.considered++;
        if (!x->q->n_texts && !add_ending(x, i, NULL))
            return false;
    }
    return true;
}

static bool answer(struct retiring *x, const cando_catalog *cat, cando_retiring_answer *out)
{
    char day[16];
    map_init(&x->by_row, x->r->ar, false);
    if (!offers_open(&x->offers, cat, x->r->ar))
        return reading_memory(x->r);
    if (!read_question(x))
        return false;
    if (x->q->n_texts && !look_through(x))
        return false;
    if (!add_endings(x))
        return false;
    if (x->n_out)
        qsort(x->out, x->n_out, sizeof *x->out, by_ending);
    *out = x->answer;
    out->day = reading_copy(x->r, str_of(day_dashed(x->day, day)));
    out->retiring = x->out;
    out->n_retiring = x->n_out;
    return !x->r->ar->failed || reading_memory(x->r);
}

const cando_retiring_answer *cando_ask_retiring(const cando *c, const cando_retiring_question *q,
                                                cando_room *room, cando_error *err)
{
    struct reading r = {.ar = &room->ar};
    const cando_catalog *cat = room_catalog(room, c);
    cando_retiring_answer *out = arena_alloc(&room->ar, sizeof *out);
    struct retiring *x = arena_alloc(&room->ar, sizeof *x);
    if (!cat || !out || !x) {
        reading_memory(&r);
    } else {
        x->r = &r;
        x->q = q;
        if (answer(x, cat, out))
            return out;
    }
    reading_end(&r, err);
    return NULL;
}
