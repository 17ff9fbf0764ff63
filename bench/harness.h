/*
 * harness.h - ratios that hold on noisy machines.
 *
 * Two sides of a comparison run by turns in one process, and the best round of
 * each counts. Results go to stdout as a table for people and, one JSON object
 * a line, to a file for programs.
 */
#ifndef BENCH_HARNESS_H
#define BENCH_HARNESS_H

#include <stddef.h>
#include <stdint.h>

/* One measured piece of work; `ctx` is the bench's own. Its result is folded
 * into a sum that the harness keeps, so that no compiler can leave it out. */
typedef uint64_t bench_fn(void *ctx);

struct bench_pair {
    double a_ns, b_ns; /* best round of each side, nanoseconds a call */
};

/* Runs both sides by turns. `calls` is how many units of work one call does. */
struct bench_pair bench_compare(bench_fn *a, void *a_ctx, bench_fn *b, void *b_ctx, double calls);
double bench_time(bench_fn *a, void *ctx, double calls);

/* Appends to this file as well; NULL: to none. */
void bench_output(const char *path);
void bench_report(const char *name, double value, const char *unit, const char *against);

/* How often malloc, calloc or realloc were called so far, by anybody: nothing can slip
 * past the library's own hook unseen. */
uint64_t bench_mallocs(void);

/* A fixed pseudo-random sequence. */
uint32_t bench_random(uint64_t *state);

#endif
