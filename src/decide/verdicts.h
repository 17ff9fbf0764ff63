/*
 * verdicts.h - one request judged for many models: would each of them take it?
 *
 * The verdict is that of preflight, whole: what the API, the rules, the limits and the life of
 * the model say, and whether what is repaired then passes. Three things make it quick enough for
 * a whole catalog:
 *
 *     Of the rules of an API only those count that would fire for anybody: one scan tells.
 *     What tells two targets apart as far as the request can see is a key of a few hundred bytes:
 *     these rules, the limits that they compare with, whether it fits the window, who is asked.
 *     All models with one key share one verdict.
 *
 * What is repaired may meet other rules. Then all of them count, and all limits.
 */
#ifndef CANDO_VERDICTS_H
#define CANDO_VERDICTS_H

#include "catalog/planes.h"
#include "text/reading.h"

struct verdict {
    cando_verdict verdict;
    enum code code;             /* of the finding that decided; CODE_COUNT: none that is listed */
    const char *path, *message; /* its words; "": it is no rejection */
};

struct verdicts;

/* `api` may be NULL; `day` 0 is today. NULL: r->error is set. */
struct verdicts *verdicts_open(struct reading *r, const cando_catalog *cat, cando_bytes request,
                               const char *api, uint32_t day);
/* Of a model of the catalog, or of claims. Where nobody says whether the provider speaks the
 * API of the request, it is a model for it only if `or_unknown`. NULL: r->error is set. */
const struct verdict *verdicts_of(struct verdicts *v, struct str provider, struct str model,
                                  bool or_unknown);
const struct verdict *verdicts_claimed(struct verdicts *v, const cando_planes *claims);
/* The report of the request as it came, if that model or those claims were the last to be asked
 * for with `verdicts_report`: all findings. NULL: r->error is set. */
const cando_report *verdicts_report(struct verdicts *v, struct str provider, struct str model,
                                    const cando_planes *claims, cando_verdict *out);

#endif
