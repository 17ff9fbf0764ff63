/*
 * view.c - a profile in the words of one system or another.
 *
 * Our own view shows the main fields always, unknown or not, and the wire-level
 * ones where somebody said something. The views of Nika and Harn have that
 * system's names, types and defaults, every field present, whatever rules the
 * profile came from: where a rule set the field itself its word counts, and
 * else what the other fields say.
 */
#include "op.h"

#include "catalog/price.h"
#include "catalog/profile.h"

/* -- our own ------------------------------------------------------------------------- */

void view_value(struct json_writer *w, const struct snapshot *s, cando_value v)
{
    if (!v.known) {
        jw_null(w);
        return;
    }
    switch (v.type) {
    case CANDO_SUPPORT:
        if (v.support != CANDO_RESTRICTED) {
            jw_strz(w, support_name(v.support));
            break;
        }
        jw_object(w);
        jw_keyz(w, "restricted");
        jw_object(w);
        jw_keyz(w, "reason");
        jw_strz(w, v.text ? v.text : "");
        jw_object_end(w);
        jw_object_end(w);
        break;
    case CANDO_FLAG:
        jw_bool(w, v.flag);
        break;
    case CANDO_NUMBER:
        jw_uint(w, v.number);
        break;
    case CANDO_WORD:
    case CANDO_TEXT:
        jw_strz(w, v.text);
        break;
    case CANDO_LIST:
        jw_array(w);
        for (uint32_t i = 0; i < v.count; i++)
            jw_str(w, value_item(s, v, i));
        jw_array_end(w);
        break;
    case CANDO_MAP:
        jw_object(w);
        for (uint32_t i = 0; i < v.count; i++) {
            struct str item = value_item(s, v, i);
            size_t cut = price_item_cut(item);
            jw_key(w, str_head(item, cut));
            jw_str(w, str_from(item, cut + 1));
        }
        jw_object_end(w);
        break;
    }
}

static void cando_fields(struct json_writer *w, const cando_profile *p)
{
    jw_object(w);
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        struct profile_fact fact = profile_fact(p, f);
        if (!vocab_row(f)->main && !fact.set)
            continue;
        jw_keyz(w, vocab_row(f)->name);
        view_value(w, &p->catalog->snap, fact.value);
    }
    jw_object_end(w);
}

/* -- Nika ------------------------------------------------------------------------------ */

static const uint8_t nika_fields[] = {
    F_token_limit_param, F_temperature,    F_stop_sequences, F_reasoning,      F_input_modalities,
    F_output_modalities, F_tokenizer,      F_supported_parameters, F_system_message, F_context_window,
    F_max_output,        F_json_output,    F_streaming,      F_tool_calling,   F_parallel_tool_calls,
    F_caching,           F_reasoning_efforts,
};

/* A word of a list and the capability that it stands for. */
struct list_word {
    uint8_t list, field;
    const char *word;
};

static const struct list_word list_words[] = {
    {F_input_modalities, F_input_text, "text"},
    {F_input_modalities, F_input_image, "image"},
    {F_input_modalities, F_input_audio, "audio"},
    {F_input_modalities, F_input_video, "video"},
    {F_input_modalities, F_input_pdf, "pdf"},
    {F_output_modalities, F_output_text, "text"},
    {F_output_modalities, F_output_image, "image-gen"},
    {F_output_modalities, F_output_audio, "speech"},
    {F_output_modalities, F_output_video, "video"},
    {F_output_modalities, F_embeddings, "embedding"},
    {F_supported_parameters, F_parallel_tool_calls, "parallel-tool-calls"},
    {F_supported_parameters, F_reasoning_effort, "reasoning-effort"},
    {F_supported_parameters, F_thinking_budget, "thinking-budget"},
    {F_supported_parameters, F_prompt_caching, "prompt-caching"},
    {F_supported_parameters, F_file_search, "file-search"},
    {F_supported_parameters, F_web_search, "web-search"},
    {F_supported_parameters, F_streaming_thinking, "streaming-thinking"},
    {F_supported_parameters, F_batch, "batch-api"},
    {F_supported_parameters, F_context_caching, "context-caching"},
    {F_supported_parameters, F_predicted_outputs, "predicted-outputs"},
    {F_supported_parameters, F_computer_use, "computer-use"},
    {F_supported_parameters, F_citations, "citations"},
    {F_supported_parameters, F_include_reasoning, "include-reasoning"},
};
#define N_LIST_WORDS (sizeof list_words / sizeof list_words[0])

static bool usable(cando_value v)
{
    return v.known && v.support > CANDO_UNSUPPORTED;
}

/* What a capability itself says against or for its word in the list; a value
 * that was concluded from the list says nothing. */
static bool word_overruled(const cando_profile *p, unsigned list, struct str word, bool *present)
{
    for (size_t i = 0; i < N_LIST_WORDS; i++) {
        if (list_words[i].list != list || !str_is(word, list_words[i].word))
            continue;
        struct profile_fact fact = profile_fact(p, list_words[i].field);
        if (!fact.set || !fact.value.known || (fact.derived && fact.via == list))
            return false;
        *present = usable(fact.value);
        /* parameters and modalities are different questions: only a modality that
         * was corrected by itself changes the list */
        return list != F_supported_parameters;
    }
    return false;
}

static bool list_has(const struct snapshot *s, cando_value v, const char *word)
{
    for (uint32_t i = 0; i < v.count; i++)
        if (str_is(value_item(s, v, i), word))
            return true;
    return false;
}

/* A list as it was written, less what single fields deny, plus what they grant;
 * without a list what the fields grant, or null if they say nothing. */
static void nika_list(struct json_writer *w, const cando_profile *p, unsigned list)
{
    const struct snapshot *s = &p->catalog->snap;
    cando_value v = profile_fact(p, list).value;
    bool any = v.known;
    for (size_t i = 0; i < N_LIST_WORDS && !any; i++)
        any = list_words[i].list == list && profile_fact(p, list_words[i].field).value.known;
    if (!any) {
        jw_null(w);
        return;
    }
    jw_array(w);
    for (uint32_t i = 0; v.known && i < v.count; i++) {
        bool present = true;
        struct str word = value_item(s, v, i);
        if (!word_overruled(p, list, word, &present) || present)
            jw_str(w, word);
    }
    for (size_t i = 0; i < N_LIST_WORDS; i++) {
        if (list_words[i].list != list || (v.known && list_has(s, v, list_words[i].word)))
            continue;
        bool present = false;
        if (v.known ? word_overruled(p, list, str_of(list_words[i].word), &present) && present
                    : usable(profile_fact(p, list_words[i].field).value))
            jw_strz(w, list_words[i].word);
    }
    jw_array_end(w);
}

static void nika_json_mode(struct json_writer *w, const cando_profile *p)
{
    cando_value own = profile_fact(p, F_json_output).value;
    cando_value schema = profile_fact(p, F_structured_output).value, object = profile_fact(p, F_json_mode).value;
    if (own.known)
        jw_strz(w, own.text);
    else if (usable(schema))
        jw_strz(w, "schema");
    else if (usable(object))
        jw_strz(w, "object");
    else if (schema.known && object.known)
        jw_strz(w, "unavailable");
    else
        jw_null(w);
}

static void nika_caching(struct json_writer *w, const cando_profile *p)
{
    cando_value own = profile_fact(p, F_caching).value, prompt = profile_fact(p, F_prompt_caching).value;
    uint32_t value, rule;
    if (own.known)
        jw_strz(w, own.text);
    else if (!profile_raw(p, F_prompt_caching, &value, &rule) || !prompt.known)
        jw_null(w);
    else
        jw_strz(w, usable(prompt) ? "prompt-caching" : "none");
}

/* Nika has yes and no where we have levels. */
static void write_bool(struct json_writer *w, cando_value v)
{
    if (!v.known)
        jw_null(w);
    else
        jw_bool(w, v.type == CANDO_FLAG ? v.flag : usable(v));
}

/* A boolean that Nika writes apart from its parameter list: the list alone does
 * not make it true. */
static cando_value own_or_unknown(const cando_profile *p, unsigned field)
{
    struct profile_fact fact = profile_fact(p, field);
    if (fact.derived && fact.via == F_supported_parameters)
        fact.value.known = false;
    return fact.value;
}

static void nika_field(struct json_writer *w, const cando_profile *p, unsigned f)
{
    switch (f) {
    case F_input_modalities:
    case F_output_modalities:
    case F_supported_parameters:
        nika_list(w, p, f);
        break;
    case F_json_output:
        nika_json_mode(w, p);
        break;
    case F_caching:
        nika_caching(w, p);
        break;
    default:
        if (vocab_row(f)->type == CANDO_SUPPORT)
            write_bool(w, own_or_unknown(p, f));
        else
            view_value(w, &p->catalog->snap, profile_fact(p, f).value);
    }
}

/* -- Harn -------------------------------------------------------------------------------- */

/* Switches that are on unless a rule says otherwise. */
static bool harn_default_on(unsigned f)
{
    switch (f) {
    case F_temperature:
    case F_top_p:
    case F_top_k:
    case F_seed:
    case F_frequency_penalty:
    case F_presence_penalty:
    case F_stop_sequences:
    case F_text_tool_wire_format:
        return true;
    default:
        return false;
    }
}

/* Harn concludes less than we do: a thinking mode does not switch the effort
 * parameter on. */
static cando_value harn_value(const cando_profile *p, unsigned f)
{
    struct profile_fact fact = profile_fact(p, f);
    if (fact.derived && (fact.via == F_thinking_modes || fact.via == F_reasoning_efforts))
        fact.value.known = false;
    return fact.value;
}

static void harn_text(struct json_writer *w, unsigned f, cando_value v)
{
    if (f == F_structured_output_transport && v.known && strcmp(v.text, "none") == 0)
        jw_null(w);
    else if (v.known)
        jw_strz(w, v.text);
    else if (f == F_server_parser)
        jw_strz(w, "none");
    else if (f == F_message_wire_format)
        jw_strz(w, "openai");
    else
        jw_null(w);
}

static void harn_thinking_modes(struct json_writer *w, const cando_profile *p)
{
    cando_value v = harn_value(p, F_thinking_modes), old = harn_value(p, F_legacy_thinking);
    if (v.known) {
        view_value(w, &p->catalog->snap, v);
        return;
    }
    jw_array(w);
    if (old.known && old.flag)
        jw_strz(w, "enabled");
    jw_array_end(w);
}

static void harn_field(struct json_writer *w, const cando_profile *p, unsigned f)
{
    cando_value v = harn_value(p, f);
    switch (vocab_row(f)->type) {
    case CANDO_SUPPORT:
    case CANDO_FLAG:
        if (v.known)
            write_bool(w, v);
        else
            jw_bool(w, harn_default_on(f));
        break;
    case CANDO_WORD:
    case CANDO_TEXT:
        harn_text(w, f, v);
        break;
    case CANDO_LIST:
        if (f == F_thinking_modes) {
            harn_thinking_modes(w, p);
        } else if (v.known) {
            view_value(w, &p->catalog->snap, v);
        } else {
            jw_array(w);
            jw_array_end(w);
        }
        break;
    default:
        view_value(w, &p->catalog->snap, v);
    }
}

/* -- all views ------------------------------------------------------------------------------ */

/* Names of a field in Harn's vocabulary: several may stand for one. The cursor
 * counts fields in its upper part and names of the field in its lower. */
static bool harn_next(unsigned *cursor, struct str *name, unsigned *field)
{
    for (unsigned f = *cursor >> 8, k = *cursor & 255; f < FIELD_COUNT; f++, k = 0) {
        const char *at = vocab_row(f)->names;
        struct str word;
        for (unsigned i = 0; words_next(&at, &word);) {
            if (!str_starts(word, STR("harn:")) || i++ < k)
                continue;
            *name = str_from(word, 5);
            *field = f;
            *cursor = f << 8 | i;
            return true;
        }
    }
    return false;
}

bool view_next(enum view view, const cando_profile *p, unsigned *cursor, struct str *name, unsigned *field)
{
    if (view == VIEW_HARN)
        return harn_next(cursor, name, field);
    if (view == VIEW_NIKA) {
        if (*cursor >= sizeof nika_fields)
            return false;
        *field = nika_fields[(*cursor)++];
        *name = vocab_name(VOCAB_NIKA, *field);
        return true;
    }
    while (*cursor < FIELD_COUNT) {
        unsigned f = (*cursor)++;
        if (!vocab_row(f)->main && !profile_fact(p, f).set)
            continue;
        *field = f;
        *name = str_of(vocab_row(f)->name);
        return true;
    }
    return false;
}

void view_fields(struct json_writer *w, const cando_profile *p, enum view view)
{
    if (view == VIEW_CANDO) {
        cando_fields(w, p);
        return;
    }
    unsigned cursor = 0, field;
    struct str name;
    jw_object(w);
    while (view_next(view, p, &cursor, &name, &field)) {
        jw_key(w, name);
        if (view == VIEW_NIKA)
            nika_field(w, p, field);
        else
            harn_field(w, p, field);
    }
    if (view == VIEW_HARN) {
        cando_value style = harn_value(p, F_thinking_block_style);
        jw_keyz(w, "emits_inline_reasoning");
        jw_bool(w, style.known && strcmp(style.text, "inline") == 0);
    }
    jw_object_end(w);
}
