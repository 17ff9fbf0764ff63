#include "observe.h"

#include "base/instant.h"
#include "base/limits.h"
#include "catalog/vocab.h"
#include "learn.h"
#include "redact.h"

/* -- values as TOML ---------------------------------------------------------------------- */

static bool put_support(struct toml_writer *w, struct str value)
{
    cando_support level;
    static const char prefix[] = "restricted:";
    if (str_starts(value, STR(prefix))) {
        struct str reason = str_from(value, sizeof prefix - 1);
        while (reason.n && reason.p[0] == ' ')
            reason = str_from(reason, 1);
        tw_table(w);
        tw_pair(w, STR("restricted"), reason);
        tw_table_end(w);
        return reason.n > 0;
    }
    tw_str(w, value);
    return support_find(value, &level) && level != CANDO_RESTRICTED;
}

static bool put_number(struct toml_writer *w, struct str value)
{
    uint64_t n = 0;
    for (size_t i = 0; i < value.n; i++) {
        if (!char_is_digit(value.p[i]))
            return false;
        n = n * 10 + (uint64_t)(value.p[i] - '0');
        if (n > LIMIT_NUMBER)
            return false;
    }
    tw_plain(w, "%ju", (uintmax_t)n);
    return value.n > 0;
}

static bool put_list(struct toml_writer *w, unsigned field, struct str value)
{
    size_t n = 0;
    tw_list(w);
    while (value.n) {
        size_t end = str_find_char(value, ' ');
        struct str word = str_head(value, end);
        value = str_from(value, end + 1);
        if (!word.n)
            continue;
        if (!vocab_word(field, word))
            return false;
        tw_str(w, word);
        n++;
    }
    tw_list_end(w);
    return n > 0;
}

bool observe_value(struct toml_writer *w, unsigned field, struct str value)
{
    cando_type type = vocab_row(field)->type;
    if (str_is(value, "unknown")) {
        tw_str(w, value);
        return true;
    }
    switch (type) {
    case CANDO_SUPPORT:
        return put_support(w, value);
    case CANDO_FLAG:
        tw_plain(w, str_is(value, "true") ? "true" : "false");
        return str_is(value, "true") || str_is(value, "false");
    case CANDO_NUMBER:
        return put_number(w, value);
    case CANDO_WORD:
    case CANDO_TEXT:
        tw_str(w, value);
        return value.n && (type == CANDO_TEXT || vocab_word(field, value));
    case CANDO_LIST:
        return put_list(w, field, value);
    default:
        return false; /* a map (a price) is not observed on use */
    }
}

/* -- the set --------------------------------------------------------------------------------- */

cando_observations *cando_observations_new(const cando_allocator *a, cando_error *err)
{
    struct cando_observations *o = mem_alloc(a, sizeof *o);
    if (!o)
        return no_memory(err);
    *o = (struct cando_observations){.a = a};
    buf_init(&o->rules, a, LIMIT_TOML_BYTES);
    return o;
}

void cando_observations_free(cando_observations *o)
{
    if (!o)
        return;
    for (size_t i = 0; i < o->n; i++)
        mem_free(o->a, o->item[i].block, o->item[i].size);
    if (o->item)
        mem_free(o->a, o->item, o->cap * sizeof *o->item);
    buf_free(&o->rules);
    mem_free(o->a, o, sizeof *o);
}

static int cmp_fold(struct str a, struct str b)
{
    for (size_t i = 0; i < a.n && i < b.n; i++) {
        unsigned char x = (unsigned char)char_fold(a.p[i]), y = (unsigned char)char_fold(b.p[i]);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return a.n == b.n ? 0 : a.n < b.n ? -1 : 1;
}

static int cmp(const struct observation *a, const struct observation *b)
{
    int c = cmp_fold(a->provider, b->provider);
    if (!c)
        c = cmp_fold(a->model, b->model);
    return c ? c : (int)a->field - (int)b->field;
}

/* Where `x` is, or where it belongs. */
static size_t place_of(const struct cando_observations *o, const struct observation *x, bool *there)
{
    size_t low = 0, high = o->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (cmp(&o->item[mid], x) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    *there = low < o->n && cmp(&o->item[low], x) == 0;
    return low;
}

static bool is_line(struct str s, size_t max)
{
    if (s.n > max || utf8_check(s) != s.n)
        return false;
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f)
            return false;
    return true;
}

static cando_status refuse(cando_error *err, const char *what)
{
    return error_set(err, CANDO_BAD_QUESTION, CODE_bad_observation, "%s", what);
}

/* The public form as ours; texts are borrowed still. */
static cando_status read_one(const struct cando_observations *set, const cando_observation *from,
                             struct observation *o, cando_error *err)
{
    *o = (struct observation){.target = str_of(from->target),
                              .value = str_of(from->value),
                              .evidence = str_of(from->evidence),
                              .by = str_of(from->by && *from->by ? from->by : "probe"),
                              .seen = from->seen,
                              .expires = from->expires};
    size_t slash = str_find_char(o->target, '/'), colon = str_find_char(o->target, ':');
    size_t cut = slash < colon ? slash : colon;
    if (cut == 0 || cut + 1 >= o->target.n)
        return error_set(err, CANDO_BAD_QUESTION, CODE_unknown_target,
                         "an observation is of a provider/model");
    o->provider = str_head(o->target, cut);
    o->model = str_from(o->target, cut + 1);
    if (!is_line(o->provider, LIMIT_NAME_BYTES) || !is_line(o->model, LIMIT_NAME_BYTES))
        return refuse(err, "the target is too long, or is not one line of UTF-8");
    o->field = from->field ? vocab_find_any(str_of(from->field)) : FIELD_COUNT;
    if (o->field >= FIELD_COUNT) {
        error_set(err, CANDO_BAD_QUESTION, CODE_unknown_field, "no field is called '%.80s'",
                  from->field ? from->field : "");
        struct str near = vocab_suggest(VOCAB_CANDO, str_of(from->field));
        if (near.n)
            error_hint(err, "did you mean %.*s?", STR_ARG(near));
        return CANDO_BAD_QUESTION;
    }
    if (!is_line(o->value, LIMIT_EVIDENCE_BYTES) || !is_line(o->evidence, LIMIT_EVIDENCE_BYTES) ||
        !is_line(o->by, 64))
        return refuse(err, "value and evidence are one line of UTF-8 of at most 400 bytes");
    if (o->seen / 86400000 > 2932896 || o->expires / 86400000 > 2932896)
        return refuse(err, "times are milliseconds, before the year 10000");
    struct buf toml;
    struct toml_writer w;
    buf_init(&toml, set->a, LIMIT_EVENT_BYTES);
    tw_init(&w, &toml, "\n");
    bool good = observe_value(&w, o->field, o->value), failed = toml.failed;
    buf_free(&toml);
    if (failed)
        return error_memory(err);
    if (good)
        return CANDO_OK;
    error_set(err, CANDO_BAD_QUESTION, CODE_bad_observation, "'%.*s' is no value of %s",
              STR_ARG(str_head(o->value, 80)), vocab_row(o->field)->name);
    return CANDO_BAD_QUESTION;
}

static struct str keep_text(char **at, struct str s)
{
    char *p = *at;
    if (s.n)
        memcpy(p, s.p, s.n);
    p[s.n] = '\0';
    *at = p + s.n + 1;
    return str_make(p, s.n);
}

/* Copies the texts into one block; they have lost their secrets before. */
static bool own_texts(const cando_allocator *a, struct observation *o)
{
    o->size = o->target.n + o->value.n + o->evidence.n + o->by.n + 4;
    o->block = mem_alloc(a, o->size);
    if (!o->block)
        return false;
    char *at = o->block;
    size_t provider = o->provider.n;
    o->target = keep_text(&at, o->target);
    o->provider = str_head(o->target, provider);
    o->model = str_from(o->target, provider + 1);
    o->value = keep_text(&at, o->value);
    o->evidence = keep_text(&at, o->evidence);
    o->by = keep_text(&at, o->by);
    return true;
}

static cando_status make_room(struct cando_observations *o, cando_error *err)
{
    if (o->n >= LIMIT_OBSERVATIONS)
        return error_set(err, CANDO_BAD_QUESTION, CODE_too_long,
                         "at most %u observations; drop what has expired", LIMIT_OBSERVATIONS);
    if (o->n < o->cap)
        return CANDO_OK;
    size_t cap = o->cap ? o->cap * 2 : 16, size = sizeof *o->item;
    void *item = o->item ? mem_resize(o->a, o->item, o->cap * size, cap * size)
                         : mem_alloc(o->a, cap * size);
    if (!item)
        return error_memory(err);
    o->item = item;
    o->cap = cap;
    return CANDO_OK;
}

/* A text without its secrets; NULL without memory. */
static const char *clean(struct arena *ar, const char *text)
{
    struct buf b;
    buf_init_arena(&b, ar, LIMIT_EVENT_BYTES);
    redact_text(&b, str_of(text), STR(""));
    return buf_cstr(&b);
}

static cando_status add(struct cando_observations *o, const cando_observation *observation,
                        struct arena *ar, cando_error *err)
{
    struct observation x;
    bool there;
    cando_observation own = *observation;
    own.target = clean(ar, own.target);
    own.value = clean(ar, own.value);
    if (!own.target || !own.value)
        return error_memory(err);
    cando_status st = read_one(o, &own, &x, err);
    if (st != CANDO_OK)
        return st;
    size_t at = place_of(o, &x, &there);
    if (there && o->item[at].seen > x.seen)
        return CANDO_OK;
    if (!there && (st = make_room(o, err)) != CANDO_OK)
        return st;
    x.evidence = learn_line(ar, x.evidence);
    if (!x.evidence.p || !own_texts(o->a, &x))
        return error_memory(err);
    if (there) {
        mem_free(o->a, o->item[at].block, o->item[at].size);
    } else {
        memmove(o->item + at + 1, o->item + at, (o->n - at) * sizeof *o->item);
        o->n++;
    }
    o->item[at] = x;
    return CANDO_OK;
}

cando_status cando_observations_add(cando_observations *o, const cando_observation *observation,
                                    cando_error *err)
{
    struct arena ar;
    arena_init(&ar, o->a);
    cando_status st = add(o, observation, &ar, err);
    arena_free(&ar);
    return st;
}

/* One by one, after all of it was read: a reply is learnt from as a whole or, without
 * memory, in part; nothing that was there is lost. */
static cando_status add_learnt(cando_observations *o, const struct learning *l, const char *target,
                               uint64_t seen, uint64_t expires, cando_error *err)
{
    cando_status st = CANDO_OK;
    for (size_t i = 0; st == CANDO_OK && i < l->n; i++) {
        struct str value = str_dup(l->ar, l->item[i].value),
                   evidence = str_dup(l->ar, l->item[i].evidence);
        if (!value.p || !evidence.p)
            return error_memory(err);
        cando_observation x = {.target = target,
                               .field = vocab_row(l->item[i].field)->name,
                               .value = value.p,
                               .evidence = evidence.p,
                               .by = "error-reply",
                               .seen = seen,
                               .expires = expires};
        st = cando_observations_add(o, &x, err);
    }
    return st;
}

cando_status cando_observations_learn(cando_observations *o, const char *target, const char *reply,
                                      size_t len, uint64_t seen, uint64_t expires, size_t *learnt,
                                      cando_error *err)
{
    struct arena ar;
    struct str t = str_of(target);
    size_t slash = str_find_char(t, '/'), colon = str_find_char(t, ':');
    if (learnt)
        *learnt = 0;
    if (len > LIMIT_REPLY_BYTES)
        return error_set(err, CANDO_BAD_QUESTION, CODE_too_long,
                         "an error reply has at most %u bytes", LIMIT_REPLY_BYTES);
    arena_init(&ar, o->a);
    struct learning *l = arena_alloc(&ar, sizeof *l);
    cando_status st = CANDO_OK;
    if (l) {
        l->ar = &ar;
        l->model = str_from(t, (slash < colon ? slash : colon) + 1);
    }
    if (!l || !learn_from(l, str_make(reply, len)))
        st = error_memory(err);
    else
        st = add_learnt(o, l, target, seen, expires, err);
    if (st == CANDO_OK && learnt)
        *learnt = l->n;
    arena_free(&ar);
    return st;
}

static bool holds(const struct observation *o, uint64_t now)
{
    return !o->expires || o->expires > now;
}

size_t cando_observations_expire(cando_observations *o, uint64_t now)
{
    size_t kept = 0, n = o->n;
    for (size_t i = 0; i < n; i++) {
        if (holds(&o->item[i], now))
            o->item[kept++] = o->item[i];
        else
            mem_free(o->a, o->item[i].block, o->item[i].size);
    }
    o->n = kept;
    return n - kept;
}

size_t cando_observations_count(const cando_observations *o)
{
    return o->n;
}

cando_observation cando_observations_get(const cando_observations *o, size_t i)
{
    if (i >= o->n)
        return (cando_observation){
            .target = "", .field = "", .value = "", .evidence = "", .by = ""};
    const struct observation *x = &o->item[i];
    return (cando_observation){
        x->target.p, vocab_row(x->field)->name, x->value.p, x->evidence.p, x->by.p, x->seen,
        x->expires};
}

/* -- rules ------------------------------------------------------------------------------------- */

struct str observe_name(struct arena *ar, const struct observation *o)
{
    const char *field = vocab_row(o->field)->name;
    if (o->target.n <= 300)
        return str_printf(ar, "observed-%.*s-%.*s-%s", STR_ARG(o->provider), STR_ARG(o->model),
                          field);
    return str_printf(ar, "observed-%016jx-%s", (uintmax_t)str_hash_fold(o->target, 0), field);
}

static const char *by_words(struct str by)
{
    return str_is(by, "error-reply") ? "an error reply" : "a probe";
}

void observe_rule(struct buf *out, const struct observation *o, struct str name,
                  const char *newline)
{
    char seen[INSTANT_TEXT], until[INSTANT_TEXT];
    struct toml_writer w;
    struct buf source;
    tw_init(&w, out, newline);
    buf_init(&source, out->a, LIMIT_EVENT_BYTES);
    buf_putz(&source, by_words(o->by));
    buf_putz(out, "# learnt");
    if (o->seen)
        buf_printf(out, " %.10s", instant_text(o->seen, seen).p);
    buf_printf(out, " from %s", by_words(o->by));
    if (o->expires)
        buf_printf(out, ", until %.10s", instant_text(o->expires, until).p);
    if (o->evidence.n) {
        buf_printf(out, ":%s# ", newline);
        buf_puts(out, o->evidence);
        buf_putz(&source, ": ");
        buf_puts(&source, o->evidence);
    }
    tw_line(&w, "");
    tw_line(&w, "[[rules]]");
    tw_pair(&w, STR("name"), name);
    tw_key(&w, STR("providers"));
    tw_list(&w);
    tw_str(&w, o->provider);
    tw_list_end(&w);
    tw_key(&w, STR("match"));
    tw_table(&w);
    tw_pair(&w, STR("exact"), o->model);
    tw_table_end(&w);
    tw_line(&w, "on = \"id\"");
    tw_line(&w, "extends = true");
    tw_key(&w, STR("set"));
    tw_table(&w);
    tw_key(&w, str_of(vocab_row(o->field)->name));
    observe_value(&w, o->field, o->value);
    tw_table_end(&w);
    tw_pair(&w, STR("source"), STR_IN(source));
    tw_line(&w, "evidence = \"live-test\"");
    if (o->seen) {
        tw_key(&w, STR("checked"));
        tw_plain(&w, "%.10s", seen);
    }
    out->failed |= source.failed;
    buf_free(&source);
}

cando_status cando_observations_rules(cando_observations *o, uint64_t now, const char **text,
                                      size_t *len, cando_error *err)
{
    struct arena ar;
    arena_init(&ar, o->a);
    buf_clear(&o->rules);
    buf_putz(&o->rules, OBSERVE_SCHEMA);
    for (size_t i = 0; i < o->n; i++) {
        if (!holds(&o->item[i], now))
            continue;
        struct str name = observe_name(&ar, &o->item[i]);
        buf_putc(&o->rules, '\n');
        if (name.p)
            observe_rule(&o->rules, &o->item[i], name, "\n");
        else
            o->rules.failed = true;
    }
    arena_free(&ar);
    *text = buf_cstr(&o->rules);
    *len = o->rules.n;
    return *text ? CANDO_OK : error_memory(err);
}
