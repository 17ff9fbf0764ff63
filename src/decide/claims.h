/*
 * claims.h - profiles that are given inline, in four vocabularies.
 *
 *     claims      {"toolCalling":"hard","contextWindow":128000|"probed",..}
 *                 hard and preferred are a yes, absent a no, probed unknown
 *     manifest    {"tool_read":"native"|"emulated"|"unsupported"|{"restricted":{"reason":..}}}
 *     model_ref   {"capabilities":{"tools":{"enabled":false},..},"limits":{},"pricing":{}}
 *     cando       {"tool_calling":"native",..}, as `resolve` writes it
 *
 * All become planes. What is not mentioned is unknown. The first, second and
 * fourth form are closed: an unknown name or level is an error. A model reference
 * is an open map by design, and what we do not know in it is passed over.
 */
#ifndef CANDO_CLAIMS_H
#define CANDO_CLAIMS_H

#include "need.h"

/* As cando_claim_form has them; ANY is guessed. */
enum claim_form { FORM_ANY, FORM_CLAIMS, FORM_MANIFEST, FORM_MODEL_REF, FORM_CANDO, FORM_COUNT };

extern const struct shape_words claim_form_words;

/* The texts of reasons are copied into the reader's arena. */
bool claims_read(struct reading *r, enum claim_form form, const struct json *v, struct str at,
                 cando_planes *out);
/* The same of JSON as bytes. */
bool claims_read_text(struct reading *r, cando_claim_form form, cando_bytes text, struct str at,
                      cando_planes *out);

#endif
