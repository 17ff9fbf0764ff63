/*
 * view.c - a profile in the words of one system or another.
 *
 * Our own view shows the main fields always, unknown or not, and the wire-level
 * ones where somebody said something. The views of Nika and Harn have that
 * system's names, types and defaults, every field present, whatever rules the
 * profile came from: where a rule set the field itself its word counts, and
 * else what the other fields say.
 */
#include "view.h"

static const cando_value unknown = {.type = CANDO_TEXT};

static cando_value flag(bool on)
{
    return (cando_value){.known = true, .type = CANDO_FLAG, .flag = on};
}

static cando_value word(const char *text)
{
    return (cando_value){.known = true, .type = CANDO_WORD, .text = text};
}

static bool usable(const struct profile_fact *fact)
{
    return fact->value.known && fact->value.support > CANDO_UNSUPPORTED;
}

static void put(struct view *v, const char *name, unsigned field, cando_value value)
{
    v->field[v->n++] =
        (cando_field_value){.name = name, .field = (cando_field)field, .value = value};
}

/* -- our own ------------------------------------------------------------------------- */

static bool cando_view_make(struct view *v, struct arena *ar)
{
    size_t n = 0;
    for (unsigned f = 0; f < FIELD_COUNT; f++)
        n += vocab_row(f)->main || v->fact[f].set;
    v->field = arena_array(ar, n, sizeof *v->field);
    if (!v->field)
        return false;
    for (unsigned f = 0; f < FIELD_COUNT; f++)
        if (vocab_row(f)->main || v->fact[f].set)
            put(v, vocab_row(f)->name, f, v->fact[f].value);
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
#define N_LIST_WORDS (sizeof list_words / sizeof list_words[0])

/* The next word of a list after `w`, from the first on; NULL behind the last. */
static const struct list_word *next_word(unsigned list, const struct list_word *w)
{
    for (w = w ? w + 1 : list_words; w < list_words + N_LIST_WORDS; w++) {
        bool second = w > list_words && w[-1].list == list && w[-1].field == w->field;
        if (w->list == list && !second)
            return w;
    }
    return NULL;
}

/* What a capability itself says against or for its word in the list: a value that was
 * concluded from the list says nothing, and parameters are another question than
 * modalities: only a modality that was corrected by itself changes the list. */
static bool word_overruled(const struct view *v, const struct list_word *w, bool *present)
{
    const struct profile_fact *fact = &v->fact[w->field];
    if (w->list == F_supported_parameters || !fact->value.known ||
        (fact->derived && fact->via == w->list))
        return false;
    *present = usable(fact);
    return true;
}

static const struct list_word *find_word(unsigned list, struct str text)
{
    const struct list_word *w = next_word(list, NULL);
    while (w && !str_is(text, w->word))
        w = next_word(list, w);
    return w;
}

static bool list_has(const cando_value *list, const char *text)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (str_is(value_item_of(list, i), text))
            return true;
    return false;
}

/* A list as it was written, less what single fields deny, plus what they grant;
 * without a list what the fields grant, or unknown if they say nothing. */
static bool nika_list(const struct view *v, struct arena *ar, unsigned list, cando_value *out)
{
    const cando_value *own = &v->fact[list].value;
    uint32_t n = 0, written = own->known ? own->count : 0;
    bool any = own->known;
    const char **item = arena_array(ar, written + N_LIST_WORDS, sizeof *item);
    if (!item)
        return false;
    for (uint32_t i = 0; i < written; i++) {
        struct str text = value_item_of(own, i);
        const struct list_word *w = find_word(list, text);
        bool present = true;
        if (!w || !word_overruled(v, w, &present) || present)
            item[n++] = text.p;
    }
    for (const struct list_word *w = NULL; (w = next_word(list, w));) {
        any |= v->fact[w->field].value.known;
        bool present = !own->known && usable(&v->fact[w->field]);
        if (own->known && !list_has(own, w->word))
            word_overruled(v, w, &present);
        if (present)
            item[n++] = w->word;
    }
    *out = any ? value_list(item, n) : unknown;
    return true;
}

static cando_value nika_json_mode(const struct view *v)
{
    const struct profile_fact *schema = &v->fact[F_structured_output];
    const struct profile_fact *object = &v->fact[F_json_mode];
    if (v->fact[F_json_output].value.known)
        return v->fact[F_json_output].value;
    if (usable(schema))
        return word("schema");
    if (usable(object))
        return word("object");
    return schema->value.known && object->value.known ? word("unavailable") : unknown;
}

static cando_value nika_caching(const struct view *v, const cando_profile *p)
{
    const struct profile_fact *prompt = &v->fact[F_prompt_caching];
    uint32_t value, rule;
    if (v->fact[F_caching].value.known)
        return v->fact[F_caching].value;
    if (!prompt->value.known || !profile_raw(p, F_prompt_caching, &value, &rule))
        return unknown;
    return word(usable(prompt) ? "prompt-caching" : "none");
}

/* Nika has yes and no where we have levels. A boolean that it writes apart from its
 * parameter list is not made true by the list alone. */
static cando_value nika_bool(const struct profile_fact *fact)
{
    if (!fact->value.known || (fact->derived && fact->via == F_supported_parameters))
        return unknown;
    return flag(usable(fact));
}

static bool nika_value(const struct view *v, struct arena *ar, const cando_profile *p, unsigned f,
                       cando_value *out)
{
    switch (f) {
    case F_input_modalities:
    case F_output_modalities:
    case F_supported_parameters:
        return nika_list(v, ar, f, out);
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
    v->field = arena_array(ar, sizeof nika_fields, sizeof *v->field);
    for (size_t i = 0; v->field && i < sizeof nika_fields; i++) {
        cando_value value;
        struct str name = str_dup(ar, vocab_name(VOCAB_NIKA, nika_fields[i]));
        if (!name.p || !nika_value(v, ar, p, nika_fields[i], &value))
            return false;
        put(v, name.p, nika_fields[i], value);
    }
    return v->field != NULL;
}

/* -- Harn -------------------------------------------------------------------------------- */

/* Switches that are on unless a rule says otherwise. */
static bool harn_default_on(unsigned f)
{
    static const uint8_t on[] = {F_temperature,
                                 F_top_p,
                                 F_top_k,
                                 F_seed,
                                 F_frequency_penalty,
                                 F_presence_penalty,
                                 F_stop_sequences,
                                 F_text_tool_wire_format};
    return memchr(on, (int)f, sizeof on) != NULL;
}

/* Harn concludes less than we do: a thinking mode does not switch the effort
 * parameter on. */
static bool harn_knows(const struct profile_fact *fact)
{
    return fact->value.known &&
           !(fact->derived && (fact->via == F_thinking_modes || fact->via == F_reasoning_efforts));
}

static cando_value harn_text(unsigned f, const struct profile_fact *fact)
{
    if (harn_knows(fact)) {
        bool none = f == F_structured_output_transport && strcmp(fact->value.text, "none") == 0;
        return none ? unknown : fact->value;
    }
    if (f == F_server_parser)
        return word("none");
    return f == F_message_wire_format ? word("openai") : unknown;
}

static cando_value harn_value(const struct view *v, unsigned f)
{
    static const char *const enabled[] = {"enabled"};
    const struct profile_fact *fact = &v->fact[f], *old = &v->fact[F_legacy_thinking];
    switch (vocab_row(f)->type) {
    case CANDO_SUPPORT:
        return flag(harn_knows(fact) ? usable(fact) : harn_default_on(f));
    case CANDO_FLAG:
        return flag(harn_knows(fact) ? fact->value.flag : harn_default_on(f));
    case CANDO_WORD:
    case CANDO_TEXT:
        return harn_text(f, fact);
    case CANDO_LIST:
        if (harn_knows(fact))
            return fact->value;
        return value_list(enabled, f == F_thinking_modes && harn_knows(old) && old->value.flag);
    default:
        return harn_knows(fact) ? fact->value : unknown;
    }
}

/* A field has as many places as it has names. */
static bool harn_view_make(struct view *v, struct arena *ar)
{
    size_t cap = 0;
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        const char *at = vocab_row(f)->names;
        struct str name;
        while (words_next(&at, &name)) {
            if (!str_starts(name, STR("harn:")))
                continue;
            struct str own = str_dup(ar, str_from(name, 5));
            if (!own.p || !ARENA_GROW(ar, v->field, v->n, cap))
                return false;
            put(v, own.p, f, harn_value(v, f));
        }
    }
    const struct profile_fact *style = &v->fact[F_thinking_block_style];
    if (!ARENA_GROW(ar, v->field, v->n, cap))
        return false;
    put(v, "emits_inline_reasoning", CANDO_NO_FIELD,
        flag(harn_knows(style) && strcmp(style->value.text, "inline") == 0));
    return true;
}

bool view_make(struct view *v, struct arena *ar, const cando_profile *p, cando_view words)
{
    v->field = NULL;
    v->n = 0;
    profile_facts(p, v->fact);
    switch (words) {
    case CANDO_VIEW_NIKA:
        return nika_view_make(v, ar, p);
    case CANDO_VIEW_HARN:
        return harn_view_make(v, ar);
    default:
        return cando_view_make(v, ar);
    }
}
