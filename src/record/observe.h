/*
 * observe.h - the set of observations, and rules made of them.
 *
 * An observation is one field of one offering, with what was seen and until when it
 * counts. The set keeps the newest of each, sorted, so that the same observations
 * give the same rule file:
 *
 *     # learnt 2026-11-15 from an error reply, until 2026-12-15:
 *     # Unsupported parameter: 'temperature' is not supported with this model.
 *     [[rules]]
 *     name = "observed-openai-gpt-5-temperature"
 *     providers = ["openai"]
 *     match = { exact = "gpt-5" }
 *     ...
 *
 * The same text is the observed layer of a profile and what `cando learn` puts into
 * an overlay. No clock is read: `now` is always the caller's.
 */
#ifndef CANDO_OBSERVE_H
#define CANDO_OBSERVE_H

#include "base/buf.h"
#include "base/diag.h"
#include "text/toml_write.h"

struct observation {
    struct str target, provider, model; /* the first holds the others */
    unsigned field;
    struct str value, evidence, by;
    uint64_t seen, expires;
    char *block; /* where the texts are */
    size_t size;
};

struct cando_observations {
    const cando_allocator *a;
    struct observation *item; /* by provider, model (folded), field */
    size_t n, cap;
    struct buf rules;
};

/* The line that begins a file of rules. */
#define OBSERVE_SCHEMA "schema = \"cando/rules@1\"\n"

/* Writes one rule, named `name`; its lines end with `newline`. */
void observe_rule(struct buf *out, const struct observation *o, struct str name,
                  const char *newline);
/* "observed-openai-gpt-5-temperature"; p is NULL if there was no memory. */
struct str observe_name(struct arena *ar, const struct observation *o);
/* The value as TOML; false if it is none of the field's. */
bool observe_value(struct toml_writer *w, unsigned field, struct str value);

#endif
