/*
 * view.c - a profile in the words of one system or another: our own, and Nika's.
 *
 * Our own view shows the main fields always, unknown or not, and the wire-level
 * ones where somebody said something. The views of others have that system's names
 * and types, whatever rules the profile came from: where a rule set the field itself
 * its word counts, and else what the other fields say.
 */
#include "view.h"

bool view_room(struct view *v, struct arena *ar, size_t n)
{
    v->field = arena_array(ar, n, sizeof *v->field);
    return v->field != NULL;
}

/* -- lists that stand for capabilities --------------------------------------------------- */

/* A word of a list and the capability that it stands for. */
static const struct list_word {
    uint8_t list, field;
    const char *word;
} list_words[] = {
#define DERIVE(target, source, word, level) {F_##source, F_##target, word},
#define DERIVE_ELSE(target, source, level)
#define DERIVE_WORD(target, source, word, value)
#define DERIVE_DAY(target, source, value)
#include "catalog/derive.def"
#undef DERIVE
#undef DERIVE_ELSE
#undef DERIVE_WORD
#undef DERIVE_DAY
};

/* The next word of a list after `w`, from the first on; NULL behind the last. */
static const struct list_word *next_word(unsigned list, const struct list_word *w)
{
    for (w = w ? w + 1 : list_words; w < list_words + COUNT_OF(list_words); w++) {
        bool second = w > list_words && w[-1].list == list && w[-1].field == w->field;
        if (w->list == list && !second)
            return w;
    }
    return NULL;
}

/* What a capability itself says against or for its word in the list: a value that was
 * concluded from the list says nothing, and parameters are another question than
 * modalities: only a modality that was corrected by itself changes the list. */
static bool word_overruled(const struct profile_fact *all, const struct list_word *w, bool *present)
{
    const struct profile_fact *fact = &all[w->field];
    if (w->list == F_supported_parameters || !fact->value.known ||
        (fact->derived && fact->via == w->list))
        return false;
    *present = view_usable(fact);
    return true;
}

static const struct list_word *find_word(unsigned list, struct str text)
{
    const struct list_word *w = next_word(list, NULL);
    while (w && !str_is(text, w->word))
        w = next_word(list, w);
    return w;
}

bool view_list(const struct profile_fact *all, struct arena *ar, unsigned list, cando_value *out)
{
    const cando_value *own = &all[list].value;
    uint32_t n = 0, written = own->known ? own->count : 0;
    bool any = own->known;
    const char **item = arena_array(ar, written + COUNT_OF(list_words), sizeof *item);
    if (!item)
        return false;
    for (uint32_t i = 0; i < written; i++) {
        struct str text = value_item_of(own, i);
        const struct list_word *w = find_word(list, text);
        bool present = true;
        if (!w || !word_overruled(all, w, &present) || present)
            item[n++] = text.p;
    }
    for (const struct list_word *w = NULL; (w = next_word(list, w));) {
        any |= all[w->field].value.known;
        bool present = !own->known && view_usable(&all[w->field]);
        if (own->known && !value_has(own, str_of(w->word)))
            word_overruled(all, w, &present);
        if (present)
            item[n++] = w->word;
    }
    *out = any ? value_list(item, n) : view_unknown;
    return true;
}

/* -- our own ------------------------------------------------------------------------- */

/* Did somebody say something? A rule of Harn's that answers alone leaves all else open, which is
 * no news of each field. */
static bool is_shown(const struct view *v, unsigned f)
{
    const struct profile_fact *fact = &v->fact[f];
    if (vocab_row(f)->main || !fact->set || fact->value.known)
        return vocab_row(f)->main || fact->set;
    const struct snapshot *s = &v->p->catalog->snap;
    return snap_file(s, snap_rule(s, fact->rule).file).syntax != CANDO_SYNTAX_HARN;
}

static bool cando_view_make(struct view *v, struct arena *ar)
{
    size_t n = 0;
    for (unsigned f = 0; f < FIELD_COUNT; f++)
        n += is_shown(v, f);
    if (!view_room(v, ar, n))
        return false;
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        if (!is_shown(v, f))
            continue;
        cando_value value = v->fact[f].value;
        if (view_is_corrected(f) && value.known && !view_list(v->fact, ar, f, &value))
            return false;
        view_put(v, vocab_row(f)->name, f, value);
    }
    return true;
}

/* -- Nika ------------------------------------------------------------------------------ */

static const uint8_t nika_fields[] = {
    F_token_limit_param, F_temperature,       F_stop_sequences,      F_reasoning,
    F_input_modalities,  F_output_modalities, F_tokenizer,           F_supported_parameters,
    F_system_message,    F_context_window,    F_max_output,          F_json_output,
    F_streaming,         F_tool_calling,      F_parallel_tool_calls, F_caching,
    F_reasoning_efforts,
};

static cando_value nika_json_mode(const struct view *v)
{
    const struct profile_fact *schema = &v->fact[F_structured_output];
    const struct profile_fact *object = &v->fact[F_json_mode];
    if (v->fact[F_json_output].value.known)
        return v->fact[F_json_output].value;
    if (view_usable(schema))
        return view_word("schema");
    if (view_usable(object))
        return view_word("object");
    return schema->value.known && object->value.known ? view_word("unavailable") : view_unknown;
}

static cando_value nika_caching(const struct view *v, const cando_profile *p)
{
    const struct profile_fact *prompt = &v->fact[F_prompt_caching];
    uint32_t value, rule;
    if (v->fact[F_caching].value.known)
        return v->fact[F_caching].value;
    if (!prompt->value.known || !profile_raw(p, F_prompt_caching, &value, &rule))
        return view_unknown;
    return view_word(view_usable(prompt) ? "prompt-caching" : "none");
}

/* Nika has yes and no where we have levels. A boolean that it writes apart from its
 * parameter list is not made true by the list alone. */
static cando_value nika_bool(const struct profile_fact *fact)
{
    if (!fact->value.known || (fact->derived && fact->via == F_supported_parameters))
        return view_unknown;
    return view_flag(view_usable(fact));
}

static bool nika_value(const struct view *v, struct arena *ar, const cando_profile *p, unsigned f,
                       cando_value *out)
{
    switch (f) {
    case F_input_modalities:
    case F_output_modalities:
    case F_supported_parameters:
        return view_list(v->fact, ar, f, out);
    case F_json_output:
        *out = nika_json_mode(v);
        return true;
    case F_caching:
        *out = nika_caching(v, p);
        return true;
    default:
        *out = vocab_row(f)->type == CANDO_SUPPORT ? nika_bool(&v->fact[f]) : v->fact[f].value;
        return true;
    }
}

static bool nika_view_make(struct view *v, struct arena *ar, const cando_profile *p)
{
    if (!view_room(v, ar, sizeof nika_fields))
        return false;
    for (size_t i = 0; i < sizeof nika_fields; i++) {
        cando_value value;
        struct str name = str_dup(ar, vocab_name(VOCAB_NIKA, nika_fields[i]));
        if (!name.p || !nika_value(v, ar, p, nika_fields[i], &value))
            return false;
        view_put(v, name.p, nika_fields[i], value);
    }
    return true;
}

bool view_make(struct view *v, struct arena *ar, const cando_profile *p, cando_view words,
               struct str provider, struct str model)
{
    v->p = p;
    v->provider = provider;
    v->model = model;
    v->field = NULL;
    v->n = 0;
    profile_facts(p, v->fact); /* sets all of them: they are too many to be cleared before */
    switch (words) {
    case CANDO_VIEW_NIKA:
        return nika_view_make(v, ar, p);
    case CANDO_VIEW_HARN:
        return view_harn(v, ar);
    case CANDO_VIEW_MANIFEST:
        return view_manifest(v, ar);
    case CANDO_VIEW_CLAIMS:
        return view_claims(v, ar);
    case CANDO_VIEW_MODEL_REF:
        return view_model_ref(v, ar);
    default:
        return cando_view_make(v, ar);
    }
}
