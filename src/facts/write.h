/*
 * write.h - merged rows as rule files of our own, one a provider.
 *
 *     [[models]]
 *     provider = "openai"
 *     id = "gpt-4o"
 *     set = { context_window = 128000, .., price = { input_tokens = "2.5" }, claims = { .. } }
 *     source = "https://models.dev/api.json"
 *     evidence = "catalog"
 *     checked = 2026-07-02
 *
 * One block a model, sorted by id, fields in the order of the vocabulary: the same
 * claims give the same bytes, and an update shows as a small difference.
 *
 * `source`, `evidence` and `checked` are those of the price, where there is one.
 * `claims` has the rest of the evidence: "field|source|day" for every claim where
 * sources disagree (the winner's too), and "*|source|day" with the names of the
 * fields that came from another source than the row's.
 */
#ifndef CANDO_WRITE_H
#define CANDO_WRITE_H

#include "base/buf.h"
#include "merge.h"

/* Is the row worth writing? Not if it says no more than that a model exists (a
 * borrowed profile answers better), and not if the model is gone or old. */
bool row_is_written(const struct merged_row *row);
/* The rows [from, to) of one provider as a file. Gives how many were written;
 * b->failed tells of missing memory. */
size_t write_rows(struct buf *b, struct import *im, const struct merged *m, size_t from, size_t to);

#endif
