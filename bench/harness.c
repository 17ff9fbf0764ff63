#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile uint64_t kept;
static const char *output; /* the file for programs, or NULL */

void bench_output(const char *path)
{
    output = path;
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double one(bench_fn *fn, void *ctx, unsigned repeat)
{
    double start = now_ns();
    uint64_t sum = 0;
    for (unsigned i = 0; i < repeat; i++)
        sum += fn(ctx);
    double end = now_ns();
    kept += sum;
    return (end - start) / repeat;
}

/* Enough repeats that one round takes a few milliseconds. */
static unsigned repeats(bench_fn *fn, void *ctx)
{
    double t = one(fn, ctx, 1);
    t = one(fn, ctx, 1);
    double n = 4e6 / (t > 1 ? t : 1);
    return n < 1 ? 1 : n > 1e6 ? 1000000 : (unsigned)n;
}

#define ROUNDS 25

struct bench_pair bench_compare(bench_fn *a, void *a_ctx, bench_fn *b, void *b_ctx, double calls)
{
    unsigned n_a = repeats(a, a_ctx), n_b = repeats(b, b_ctx);
    struct bench_pair best = {1e300, 1e300};
    for (int r = 0; r < ROUNDS; r++) {
        double x = one(a, a_ctx, n_a), y = one(b, b_ctx, n_b);
        if (x < best.a_ns)
            best.a_ns = x;
        if (y < best.b_ns)
            best.b_ns = y;
    }
    best.a_ns /= calls;
    best.b_ns /= calls;
    return best;
}

double bench_time(bench_fn *a, void *ctx, double calls)
{
    unsigned n = repeats(a, ctx);
    double best = 1e300;
    for (int r = 0; r < ROUNDS; r++) {
        double x = one(a, ctx, n);
        if (x < best)
            best = x;
    }
    return best / calls;
}

void bench_report(const char *name, double value, const char *unit, const char *against)
{
    printf("%-28s %12.2f %-7s %s%s\n", name, value, unit, against ? "against " : "",
           against ? against : "");
    FILE *f = output ? fopen(output, "a") : NULL;
    if (!f)
        return;
    fprintf(f, "{\"bench\":\"%s\",\"value\":%.4g,\"unit\":\"%s\"", name, value, unit);
    if (against)
        fprintf(f, ",\"against\":\"%s\"", against);
    fputs("}\n", f);
    fclose(f);
}

extern void *__libc_malloc(size_t n);
extern void *__libc_realloc(void *p, size_t n);
extern void *__libc_calloc(size_t n, size_t size);
static uint64_t mallocs;

void *malloc(size_t n)
{
    mallocs++;
    return __libc_malloc(n);
}

void *realloc(void *p, size_t n)
{
    mallocs++;
    return __libc_realloc(p, n);
}

void *calloc(size_t n, size_t size)
{
    mallocs++;
    return __libc_calloc(n, size);
}

uint64_t bench_mallocs(void)
{
    return mallocs;
}

uint32_t bench_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}
