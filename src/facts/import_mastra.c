/*
 * import_mastra.c - Mastra's registry of providers.
 *
 *     { "providers": { "vercel": { "models": [ "..", .. ] }, .. },
 *       "capabilities": { "vercel": { "temperature": [ ".." ], "structuredOutput": [ ".." ] },
 *                         .. } }
 *
 * Mastra keeps the two in files of their own; `scripts/refresh_facts.sh` puts them together. Its
 * traps:
 *   - It is made from models.dev, so it is a later word of that voice and no second opinion.
 *   - Its lists are of ids that have a capability. What they leave out is not said.
 *   - `attachment` is files of any kind; what it says of images is right in 94 of 100, too few.
 */
#include "claim.h"

static const struct fact_key lists[] = {
    {"temperature", F_temperature},
    {"structuredOutput", F_structured_output},
};

static void models(struct import *im, const struct json *ids, const struct json *can, struct str at)
{
    for (size_t i = 0; i < ids->n && !im->ar->failed; i++) {
        struct str place = str_printf(im->ar, "%.*s/%zu", STR_ARG(at), i);
        if (ids->item[i].kind != JSON_STRING) {
            record_skip(im, SKIP_BAD_RECORD, place, str_of(json_kind_name(&ids->item[i])));
            continue;
        }
        if (!record_begin(im, im->provider, ids->item[i].text, place, false))
            continue;
        for (size_t k = 0; k < COUNT_OF(lists); k++)
            if (import_has_word(import_list(can, lists[k].path), ids->item[i].text))
                say_support(im, lists[k].field, true);
    }
}

void import_mastra(struct import *im, const struct json *root)
{
    const struct json *all = json_get(root, "providers"), *can = json_get(root, "capabilities");
    im->voice = SRC_MODELS_DEV;
    if (!all || all->kind != JSON_OBJECT) {
        record_skip(im, SKIP_BAD_RECORD, STR(""), STR("no object of providers"));
        return;
    }
    for (size_t i = 0; i < all->n && !im->ar->failed; i++) {
        struct str at = import_at(im, STR("/providers"), all->key[i].text);
        im->provider = all->key[i].text;
        models(im, import_list(&all->item[i], "models"), json_member(can, all->key[i].text),
               import_at(im, at, STR("models")));
    }
}
