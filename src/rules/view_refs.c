/*
 * view_refs.c - a profile as those write it who give one inline (decide/claims.h): a
 * backend's manifest, a provider's claims, a catalog's model reference. What is written
 * here is read there.
 */
#include "catalog/price.h"
#include "view.h"

/* -- manifest: a level for each capability; what nobody says is not advertised ------------- */

bool view_manifest(struct view *v, struct arena *ar)
{
    size_t cap = 0;
    for (unsigned f = 0; f < FIELD_COUNT && vocab_row(f)->type == CANDO_SUPPORT; f++) {
        const char *at = vocab_row(f)->names;
        struct str name;
        while (v->fact[f].value.known && words_next(&at, &name)) {
            if (!str_starts(name, STR("abp:")))
                continue;
            struct str own = str_dup(ar, str_from(name, 4));
            if (!own.p || !ARENA_GROW(ar, v->field, v->n, cap))
                return false;
            view_put(v, own.p, f, v->fact[f].value);
        }
    }
    return v->n || view_room(v, ar, 1);
}

/* -- rows of a fixed form ------------------------------------------------------------------ */

struct row {
    const char *name; /* "a/b": the member b of a */
    uint8_t field;
};

/* Yes and no for levels. */
static cando_value plain(const struct view *v, unsigned f)
{
    const struct profile_fact *fact = &v->fact[f];
    return vocab_row(f)->type == CANDO_SUPPORT ? view_bool(fact) : fact->value;
}

/* -- claims: what nobody knows is found out by using it ------------------------------------ */

bool view_claims(struct view *v, struct arena *ar)
{
    static const struct row rows[] = {
        {"streaming", F_streaming},
        {"toolCalling", F_tool_calling},
        {"structuredOutput", F_structured_output},
        {"multimodal/image", F_input_image},
        {"multimodal/audio", F_input_audio},
        {"multimodal/video", F_input_video},
        {"reasoning", F_reasoning},
        {"contextWindow", F_context_window},
        {"promptCaching", F_prompt_caching},
    };
    size_t n = COUNT_OF(rows);
    if (!view_room(v, ar, n))
        return false;
    for (size_t i = 0; i < n; i++) {
        cando_value value = plain(v, rows[i].field);
        view_put(v, rows[i].name, rows[i].field, value.known ? value : view_word("probed"));
    }
    return true;
}

/* -- model references: what nobody knows is left out --------------------------------------- */

static void put_known(struct view *v, const char *name, unsigned field, cando_value value)
{
    if (value.known)
        view_put(v, name, field, value);
}

/* A rate of the price, in USD for a million tokens. */
static cando_value rate(const struct view *v, const char *key)
{
    const cando_value *price = &v->fact[F_price].value;
    for (uint32_t i = 0; price->known && i < price->count; i++) {
        struct str item = value_item_of(price, i);
        size_t cut = price_item_cut(item);
        if (str_is(str_head(item, cut), key))
            return (cando_value){.known = true, .type = CANDO_TEXT, .text = item.p + cut + 1};
    }
    return view_unknown;
}

bool view_model_ref(struct view *v, struct arena *ar)
{
    static const struct row rows[] = {
        {"capabilities/chat", F_output_text},
        {"capabilities/tools/enabled", F_tool_calling},
        {"capabilities/tools/parallel", F_parallel_tool_calls},
        {"capabilities/json_native", F_structured_output},
        {"capabilities/streaming/text", F_streaming},
        {"capabilities/reasoning/enabled", F_reasoning},
        {"capabilities/vision/enabled", F_input_image},
        {"capabilities/images_enabled", F_output_image},
        {"capabilities/supported_image_operations", F_image_operations},
        {"capabilities/embeddings_enabled", F_embeddings},
        {"capabilities/dimensions_max", F_embedding_dimensions},
        {"capabilities/moderation_enabled", F_moderation},
        {"capabilities/rerank", F_rerank},
        {"limits/context", F_context_window},
        {"limits/input", F_max_input},
        {"limits/output", F_max_output},
    };
    size_t n = COUNT_OF(rows);
    if (!view_room(v, ar, n + 4))
        return false;
    view_put(v, "provider", CANDO_NO_FIELD, view_word(v->provider.p));
    view_put(v, "id", CANDO_NO_FIELD, view_word(v->model.p));
    for (size_t i = 0; i < n; i++)
        put_known(v, rows[i].name, rows[i].field, plain(v, rows[i].field));
    put_known(v, "pricing/input", F_price, rate(v, "input_tokens"));
    put_known(v, "pricing/output", F_price, rate(v, "output_tokens"));
    return true;
}
