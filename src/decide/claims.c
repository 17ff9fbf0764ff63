/*
 * claims.c - reads the four forms of claims.h.
 */
#include "claims.h"

#include "text/shape.h"

static const char *const claim_forms[FORM_COUNT] = {NULL, "claims", "manifest", "model_ref",
                                                    "cando"};
const struct shape_words claim_form_words = WORDS(claim_forms);

static struct str member_at(struct reading *r, struct str at, struct str key)
{
    return str_printf(r->ar, "%.*s/%.*s", STR_ARG(at), STR_ARG(str_head(key, 80)));
}

static bool bad_claim(struct reading *r, struct str at, struct str key, const char *what)
{
    reading_fail(r, CODE_bad_claim, member_at(r, at, key), "'%.*s' has no such value",
                 STR_ARG(str_head(key, 80)));
    return reading_hint(r, "it takes %s", what);
}

/* Keeps the reason of a restriction beside the planes. */
static bool add_reason(struct reading *r, cando_planes *p, unsigned slot, struct str text)
{
    struct cando_reason *list = arena_array(r->ar, (size_t)p->n_reasons + 1, sizeof *list);
    text = str_dup(r->ar, text);
    if (!list || !text.p)
        return reading_memory(r);
    if (p->n_reasons)
        memcpy(list, p->reason, p->n_reasons * sizeof *list);
    list[p->n_reasons] = (struct cando_reason){(uint32_t)slot, (uint32_t)text.n, text.p};
    p->reason = list;
    p->n_reasons++;
    return true;
}

/* Where a level is kept: with its field, where it has one. */
static unsigned own_slot(unsigned slot)
{
    unsigned field = slot_field(slot);
    return field < FIELD_COUNT ? plane_slot(field) : slot;
}

static bool read_count(const struct json *v, uint64_t *out)
{
    return v->kind == JSON_NUMBER && json_uint(v, out);
}

/* -- session negotiation --------------------------------------------------------------- */

static bool claim_level(const struct json *v, cando_support *out)
{
    *out = CANDO_UNKNOWN;
    switch (v->kind) {
    case JSON_NULL:
        return true;
    case JSON_TRUE:
        *out = CANDO_NATIVE;
        return true;
    case JSON_FALSE:
        *out = CANDO_UNSUPPORTED;
        return true;
    case JSON_STRING:
        if (str_is(v->text, "hard") || str_is(v->text, "preferred"))
            *out = CANDO_NATIVE;
        else if (str_is(v->text, "absent"))
            *out = CANDO_UNSUPPORTED;
        else
            return str_is(v->text, "probed");
        return true;
    default:
        return false;
    }
}

/* {"image":..,"audio":..,"video":..}, or one level for any of them. A plain "no"
 * denies all three; a plain "yes" does not tell which. */
static bool claim_multimodal(struct reading *r, const struct json *v, struct str at,
                             cando_planes *out)
{
    static const struct {
        const char *name;
        unsigned field;
    } kinds[] = {{"image", F_input_image}, {"audio", F_input_audio}, {"video", F_input_video}};
    cando_support level;
    if (v->kind != JSON_OBJECT) {
        if (!claim_level(v, &level))
            return bad_claim(r, at, STR("multimodal"),
                             "'hard', 'preferred', 'probed', 'absent' or "
                             "{\"image\":..,\"audio\":..,\"video\":..}");
        planes_put(out, SLOT_multimodal, level);
        for (unsigned i = 0; i < 3 && level == CANDO_UNSUPPORTED; i++)
            planes_put(out, kinds[i].field, level);
        return true;
    }
    struct str here = reading_at(r, at, "multimodal");
    if (!reading_keys(r, v, here, "'multimodal'", "image audio video"))
        return false;
    for (unsigned i = 0; i < 3; i++) {
        const struct json *m = json_get(v, kinds[i].name);
        if (m && !claim_level(m, &level))
            return bad_claim(r, here, str_of(kinds[i].name),
                             "'hard', 'preferred', 'probed' or 'absent'");
        if (m)
            planes_put(out, kinds[i].field, level);
    }
    return true;
}

static bool read_claim(struct reading *r, struct str key, const struct json *v, struct str at,
                       cando_planes *out)
{
    uint8_t kind, slot;
    cando_support level;
    uint64_t number;
    if (!need_name(r, key, member_at(r, at, key), &kind, &slot))
        return false;
    if (kind == NEED_SLOT && slot == SLOT_multimodal)
        return claim_multimodal(r, v, at, out);
    if (kind == NEED_SLOT) {
        if (!claim_level(v, &level))
            return bad_claim(r, at, key, "'hard', 'preferred', 'probed' or 'absent'");
        planes_put(out, own_slot(slot), level);
        return true;
    }
    if (kind == NEED_SET)
        return bad_claim(r, at, key, "no claim: it is a list");
    if (v->kind == JSON_NULL || (v->kind == JSON_STRING && str_is(v->text, "probed")))
        return true;
    if (!read_count(v, &number))
        return bad_claim(r, at, key, "a whole number or 'probed'");
    planes_put_number(out, slot, number);
    return true;
}

/* -- agent backends -------------------------------------------------------------------- */

static bool manifest_level(const struct json *v, cando_support *out, struct str *reason)
{
    *reason = STR("");
    if (v->kind == JSON_STRING)
        return support_find(v->text, out) && *out != CANDO_UNKNOWN && *out != CANDO_RESTRICTED;
    if (v->kind != JSON_OBJECT || v->n != 1 || !str_is(v->key[0].text, "restricted"))
        return false;
    const struct json *body = &v->item[0];
    if (body->kind != JSON_OBJECT || body->n != 1 || !str_is(body->key[0].text, "reason") ||
        body->item[0].kind != JSON_STRING)
        return false;
    *out = CANDO_RESTRICTED;
    *reason = body->item[0].text;
    return true;
}

/* The field of a name that has a slot of its own: what both say is the better. */
static void put_field_too(cando_planes *out, unsigned slot, cando_support level)
{
    unsigned field = slot_field(slot);
    if (slot < SLOT_multimodal || field == FIELD_COUNT)
        return;
    if (level > planes_level(out, field))
        planes_put(out, field, level);
}

static bool read_declared(struct reading *r, struct str key, const struct json *v, struct str at,
                          cando_planes *out)
{
    uint8_t kind, slot;
    cando_support level;
    struct str reason;
    if (!need_name(r, key, member_at(r, at, key), &kind, &slot))
        return false;
    if (kind != NEED_SLOT)
        return bad_claim(r, at, key, "no support level: a manifest has capabilities alone");
    if (!manifest_level(v, &level, &reason))
        return bad_claim(
            r, at, key,
            "'native', 'emulated', 'unsupported' or {\"restricted\":{\"reason\":\"..\"}}");
    planes_put(out, slot, level);
    put_field_too(out, slot, level);
    if (level != CANDO_RESTRICTED)
        return true;
    unsigned field = slot_field(slot);
    return add_reason(r, out, slot, reason) &&
           (slot < SLOT_multimodal || field == FIELD_COUNT || add_reason(r, out, field, reason));
}

/* Names that backends tell apart stay apart, so nothing is filled in from the
 * fields; only `multimodal` and our own names follow. */
static void finish_manifest(cando_planes *p)
{
    cando_planes whole = *p;
    planes_finish(&whole);
    planes_put(p, SLOT_multimodal, planes_level(&whole, SLOT_multimodal));
    for (unsigned s = SLOT_tool_use; s < SLOT_COUNT; s++) {
        /* declared under our own name: that covers every name that it has elsewhere */
        bool twin = false;
        for (unsigned t = SLOT_tool_use; t < SLOT_COUNT; t++)
            twin |= slot_field(t) == slot_field(s) && planes_level(p, t) != CANDO_UNKNOWN;
        if (!twin)
            planes_put(p, s, planes_level(&whole, s));
    }
}

/* -- our own --------------------------------------------------------------------------- */

/* Words that nobody knows are passed over; false: there is one. */
static bool read_words(const struct json *v, unsigned set, cando_planes *out)
{
    bool known = true;
    for (size_t i = 0; i < v->n; i++) {
        uint32_t bit =
            v->item[i].kind == JSON_STRING ? set_bit(set_field(set), v->item[i].text) : 0;
        out->set[set] |= bit;
        known &= bit != 0;
    }
    out->set_known |= 1u << set;
    return known;
}

static bool own_set(const struct json *v, unsigned set, cando_planes *out)
{
    return v->kind == JSON_ARRAY && read_words(v, set, out);
}

static bool own_price(const struct json *v, cando_planes *out)
{
    static const char *const keys[] = {"input_tokens", "output_tokens"};
    if (v->kind != JSON_OBJECT)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        const struct json *m = json_get(v, keys[i]);
        if (m && m->kind != JSON_NULL &&
            ((m->kind != JSON_STRING && m->kind != JSON_NUMBER) ||
             !price_parse(m->text, &out->price[i])))
            return false;
    }
    return true;
}

static bool read_own(struct reading *r, struct str key, const struct json *v, struct str at,
                     cando_planes *out)
{
    uint8_t kind, slot;
    uint64_t number;
    if (v->kind == JSON_NULL || !need_find(key, &kind, &slot)) {
        unsigned field = vocab_find_any(key);
        if (field == FIELD_COUNT && slot_special(key) == SLOT_NONE)
            return need_name(r, key, member_at(r, at, key), &kind, &slot);
        if (field == F_price && v->kind != JSON_NULL && !own_price(v, out))
            return bad_claim(r, at, key, "{\"input_tokens\":\"1.5\",..} in USD per million tokens");
        return true; /* a field that no need asks for: words and texts */
    }
    if (kind == NEED_NUMBER) {
        if (!read_count(v, &number))
            return bad_claim(r, at, key, "a whole number or null");
        planes_put_number(out, slot, number);
        return true;
    }
    if (kind == NEED_SET)
        return own_set(v, slot, out) || bad_claim(r, at, key, vocab_row(set_field(slot))->words);
    unsigned place = own_slot(slot);
    if (v->kind == JSON_TRUE || v->kind == JSON_FALSE) {
        planes_put(out, place, v->kind == JSON_TRUE ? CANDO_NATIVE : CANDO_UNSUPPORTED);
        return true;
    }
    cando_support level;
    struct str reason;
    if (!manifest_level(v, &level, &reason))
        return bad_claim(r, at, key,
                         "'native', 'emulated', 'unsupported', "
                         "{\"restricted\":{\"reason\":\"..\"}}, true, false or null");
    planes_put(out, place, level);
    return level != CANDO_RESTRICTED || add_reason(r, out, place, reason);
}

/* -- catalog references ---------------------------------------------------------------- */

/* A capability of a reference: true, false, or an object whose `member` tells. */
static cando_support ref_level(const struct json *v, const char *member)
{
    if (v && v->kind == JSON_OBJECT) {
        const struct json *m = json_get(v, "enabled");
        if (!m && member)
            m = json_get(v, member);
        if (!m && !member)
            return CANDO_NATIVE; /* described, and so there */
        v = m;
    }
    return !v                      ? CANDO_UNKNOWN
           : v->kind == JSON_TRUE  ? CANDO_NATIVE
           : v->kind == JSON_FALSE ? CANDO_UNSUPPORTED
                                   : CANDO_UNKNOWN;
}

struct ref_row {
    const char *key, *member; /* in an object; NULL: being there is enough */
    unsigned field;
};

/* Of two rows for one field the first that says something counts. */
static const struct ref_row ref_rows[] = {
    {"chat", NULL, F_output_text},
    {"tools", "enabled", F_tool_calling},
    {"json_native", NULL, F_structured_output},
    {"json", "native", F_structured_output},
    {"json", "schema", F_structured_output},
    {"streaming", "text", F_streaming},
    {"reasoning", "enabled", F_reasoning},
    {"vision", "enabled", F_input_image},
    {"images_enabled", NULL, F_output_image},
    {"embeddings", NULL, F_embeddings},
    {"embeddings_enabled", NULL, F_embeddings},
    {"moderation", NULL, F_moderation},
    {"moderation_enabled", NULL, F_moderation},
    {"rerank", NULL, F_rerank},
};

static void read_ref_capabilities(const struct json *caps, cando_planes *out)
{
    for (size_t i = 0; i < COUNT_OF(ref_rows); i++) {
        const struct ref_row *row = &ref_rows[i];
        if (planes_level(out, row->field) == CANDO_UNKNOWN)
            planes_put(out, row->field, ref_level(json_get(caps, row->key), row->member));
    }
    const struct json *tools = json_get(caps, "tools"),
                      *ops = json_get(caps, "supported_image_operations"),
                      *dims = json_get(caps, "dimensions_max");
    uint64_t number;
    if (tools && tools->kind == JSON_OBJECT)
        planes_put(out, F_parallel_tool_calls, ref_level(json_get(tools, "parallel"), NULL));
    if (dims && read_count(dims, &number))
        planes_put_number(out, NUM_embedding_dimensions, number);
    if (ops && ops->kind == JSON_ARRAY)
        read_words(ops, SET_image_operations, out);
    for (size_t i = 0; i < caps->n; i++) { /* whatever else is said plainly, under any name */
        uint8_t kind, slot;
        if (!need_find(caps->key[i].text, &kind, &slot) || kind != NEED_SLOT)
            continue;
        unsigned place = own_slot(slot);
        if (planes_level(out, place) == CANDO_UNKNOWN)
            planes_put(out, place, ref_level(&caps->item[i], "enabled"));
    }
}

static void read_model_ref(const struct json *v, cando_planes *out)
{
    static const struct {
        const char *key;
        unsigned number;
    } limits[] = {{"context", NUM_context_window}, {"context_window", NUM_context_window},
                  {"output", NUM_max_output},      {"max_output_tokens", NUM_max_output},
                  {"input", NUM_max_input},        {"dimensions_max", NUM_embedding_dimensions}};
    static const char *const sides[] = {"input", "output"};
    const struct json *caps = json_get(v, "capabilities"), *lim = json_get(v, "limits"),
                      *price = json_get(v, "pricing");
    uint64_t number;
    if (caps && caps->kind == JSON_OBJECT)
        read_ref_capabilities(caps, out);
    for (size_t i = 0; lim && lim->kind == JSON_OBJECT && i < COUNT_OF(limits); i++) {
        const struct json *m = json_get(lim, limits[i].key);
        if (m && read_count(m, &number) && !(out->number_known >> limits[i].number & 1))
            planes_put_number(out, limits[i].number, number);
    }
    for (unsigned i = 0; price && price->kind == JSON_OBJECT && i < 2; i++) {
        const struct json *m = json_get(price, sides[i]);
        uint64_t value;
        if (m && (m->kind == JSON_STRING || m->kind == JSON_NUMBER) && price_parse(m->text, &value))
            out->price[i] = value;
    }
}

/* -- all of them ----------------------------------------------------------------------- */

/* Which form does an object look like? */
static enum claim_form claims_guess(const struct json *v)
{
    if (v->kind != JSON_OBJECT || json_get(v, "capabilities") || json_get(v, "pricing") ||
        json_get(v, "limits"))
        return FORM_MODEL_REF;
    const struct json *kinds = json_get(v, "multimodal");
    if (kinds && kinds->kind == JSON_OBJECT)
        return FORM_CLAIMS;
    for (size_t i = 0; i < v->n; i++)
        if (v->item[i].kind == JSON_STRING &&
            (str_is(v->item[i].text, "hard") || str_is(v->item[i].text, "preferred") ||
             str_is(v->item[i].text, "probed") || str_is(v->item[i].text, "absent")))
            return FORM_CLAIMS;
    return FORM_CANDO;
}

bool claims_read(struct reading *r, enum claim_form form, const struct json *v, struct str at,
                 cando_planes *out)
{
    planes_clear(out);
    if (v->kind == JSON_NULL) /* no information */
        return true;
    if (form == FORM_ANY)
        form = claims_guess(v);
    if (!reading_object(r, v, at, "a profile"))
        return false;
    if (form == FORM_MODEL_REF) {
        read_model_ref(v, out);
        planes_finish(out);
        return true;
    }
    for (size_t i = 0; i < v->n; i++) {
        struct str key = v->key[i].text;
        bool ok = form == FORM_CLAIMS     ? read_claim(r, key, &v->item[i], at, out)
                  : form == FORM_MANIFEST ? read_declared(r, key, &v->item[i], at, out)
                                          : read_own(r, key, &v->item[i], at, out);
        if (!ok)
            return false;
    }
    if (form == FORM_MANIFEST)
        finish_manifest(out);
    else
        planes_finish(out);
    return true;
}

bool claims_read_text(struct reading *r, cando_claim_form form, cando_bytes text, struct str at,
                      cando_planes *out)
{
    const struct json *v = reading_json(r, text, at);
    if (!v)
        return false;
    if ((unsigned)form >= FORM_COUNT)
        return reading_fail(r, CODE_bad_argument, at, "%u is no form of claims", (unsigned)form);
    return claims_read(r, (enum claim_form)form, v, at, out);
}

/* -- the public object ----------------------------------------------------------------- */

struct cando_claims {
    const cando_allocator *a;
    struct arena ar;
    cando_planes planes;
};

cando_claims *cando_claims_read(const char *form, const char *json, size_t len,
                                const cando_allocator *a, cando_error *err)
{
    unsigned f = FORM_CLAIMS;
    while (f < FORM_COUNT && (!form || strcmp(form, claim_forms[f]) != 0))
        f++;
    if (f == FORM_COUNT) {
        error_set(err, CANDO_BAD_QUESTION, CODE_bad_argument, "no form of claims is called '%.80s'",
                  form ? form : "");
        error_hint(err, "known: 'claims', 'manifest', 'model_ref', 'cando'");
        return NULL;
    }
    struct cando_claims *c = mem_alloc(a, sizeof *c);
    if (!c)
        return no_memory(err);
    c->a = a;
    arena_init(&c->ar, a);
    struct reading r = {.ar = &c->ar};
    struct json_error bad;
    const struct json *v = json_parse(&c->ar, str_make(json, len), &bad);
    if (v && claims_read(&r, (enum claim_form)f, v, STR(""), &c->planes))
        return c;
    if (v)
        reading_end(&r, err);
    else if (bad.code == CODE_memory)
        error_memory(err);
    else
        error_set(err, CANDO_BAD_INPUT, bad.code, "line %u, column %u: %s", bad.line, bad.column,
                  bad.message);
    cando_claims_free(c);
    return NULL;
}

const cando_planes *cando_claims_planes(const cando_claims *c)
{
    return &c->planes;
}

void cando_claims_free(cando_claims *c)
{
    if (!c)
        return;
    arena_free(&c->ar);
    mem_free(c->a, c, sizeof *c);
}
