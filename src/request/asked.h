/*
 * asked.h - who is asked: is there such a model, does it chat, does its provider speak the
 * API, and is it still there?
 *
 * What the catalog says of the target itself is looked up once, when the target is made;
 * the API and the day come with the request. A provider's word is an error, what is merely
 * inferred or contested warns. Nothing is said where names are everybody's own matter, or
 * where the catalog has no offerings.
 */
#ifndef CANDO_ASKED_H
#define CANDO_ASKED_H

#include "preflight.h"

/* Does the provider speak it? */
enum spoken { NOT_SPOKEN, SPOKEN, NOBODY_SAYS };
enum spoken provider_speaks(const struct snapshot *s, uint32_t provider, struct str api);
/* Is it one of which that is asked? Those of conversations are. */
bool api_is_spoken(struct str api);
/* Fills target->asked; the profile and the planes are there. */
void asked_prepare(cando_target *t, struct str provider, struct str model);
/* Adds what is to say to the report, at the request's `model`. */
void asked_judge(cando_report *out);
/* The words of such a finding; false: it is none of these, or no memory (then *message.p
 * is NULL). */
bool asked_words(struct arena *ar, const cando_report *r, const struct report_finding *f,
                 struct str *message, struct str *hint);

#endif
