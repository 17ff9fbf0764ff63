/*
 * evidence.h - evidence decides how loud a finding is: the one rule.
 *
 * A provider's specification, documentation, API or client library, a live test, an observed
 * refusal, or two independent sources that agree reject. A single third-party catalog, an
 * inference, and what sources contradict each other on only warn. Who says something in a file
 * of his own and names no evidence gives his word for it, which rejects.
 *
 * The same words grade rules about requests (`confidence`) and facts about models (`evidence`).
 */
#ifndef CANDO_EVIDENCE_H
#define CANDO_EVIDENCE_H

#include "base/str.h"

#define EVIDENCE_OF_RULES "spec vendor-doc sdk-code observed agreed catalog contested"
#define EVIDENCE_OF_FACTS                                                                          \
    "provider-api provider-docs spec live-test observed agreed catalog contested inferred"

/* Does a finding that rests on this reject, or only warn? */
bool evidence_rejects(struct str word);

/* That sources agree on a field is a bit in the flags of the rule that says it, for the fields
 * that findings rest on: few enough for a number of 32 bits beside the other flags. */
#define AGREED_BITS 23u
/* Its bit, or 0: nobody keeps that of this field. */
uint32_t agreed_bit(unsigned field);

#endif
