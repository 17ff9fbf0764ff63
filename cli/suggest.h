/*
 * suggest.h - what to say when a name is not there as it was typed.
 *
 * A model without its provider is a good question: if a lab has one of this very id, that is
 * meant, else the answer is the list of those who offer it. A name that is a letter off gets the
 * nearest one. Both come from the question `models`.
 */
#ifndef CANDO_CLI_SUGGEST_H
#define CANDO_CLI_SUGGEST_H

#include "verb.h"

/* The target, with its provider. A name without one is taken as the lab's own offering if exactly
 * one has this very id, and that is told; else the offerings of that model, or the nearest names,
 * have been listed on stderr: NULL, and the exit code is EXIT_QUESTION. */
const char *suggest_target(struct call *c, const char *target);
/* The same where it may be something else: NULL, and nothing said, if no lab has it. */
const char *suggest_own(struct call *c, const char *name);
/* Is its provider known, or the whole name to rules of one's own? */
bool suggest_knows_provider(struct call *c, const char *target);
/* Tells the nearest provider or model on stderr if there is one that is near; for
 * what nobody knows. */
void suggest_near(struct call *c, const char *provider, const char *model);
/* Says on stderr what cando check would of a provider or model that is not known, in its words:
 * only a note where names are everybody's own. */
void suggest_unknown(struct call *c, const char *target);
/* The same, and that it has ended, will end (which is told and no more), or is denied; errors if
 * one is `strict`. How grave it is; a note also where there is nothing to say. */
cando_severity suggest_of_model(struct call *c, const char *target, bool strict);
/* Is it such a finding? */
bool suggest_is_of_model(const cando_finding *x);
/* What a source is called, "models.dev"; else its address. */
const char *source_name(const struct call *c, const char *url);
/* A field by its name in any vocabulary, or by the words of filters: input_price, context. */
cando_field field_meant(const char *name);
/* The nearest field, or the nearest capability. */
struct nearest nearest_field(const char *name, bool capability);
/* No field has that name: those that are near, or have a word of it. Gives the exit code. */
int fail_field(struct call *c, const char *name);

#endif
