/*
 * scan_emulated.c - src/request/scan_avx512.c for processors that have no AVX-512: the same
 * source, with each instruction as a function of SIMDe. For test_scan.c alone; much slower
 * than plain C.
 */
#if defined(__x86_64__)
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512/add.h>
#include <simde/x86/avx512/and.h>
#include <simde/x86/avx512/broadcast.h>
#include <simde/x86/avx512/cast.h>
#include <simde/x86/avx512/cmpeq.h>
#include <simde/x86/avx512/cmplt.h>
#include <simde/x86/avx512/extract.h>
#include <simde/x86/avx512/loadu.h>
#include <simde/x86/avx512/min.h>
#include <simde/x86/avx512/mov_mask.h>
#include <simde/x86/avx512/or.h>
#include <simde/x86/avx512/permutexvar.h>
#include <simde/x86/avx512/set1.h>
#include <simde/x86/avx512/setzero.h>
#include <simde/x86/avx512/shuffle.h>
#include <simde/x86/avx512/srli.h>
#include <simde/x86/avx512/storeu.h>
#include <simde/x86/avx512/subs.h>
#include <simde/x86/avx512/test.h>
#include <simde/x86/avx512/xor.h>
#include <simde/x86/clmul.h>

/* Those that SIMDe 0.7.4 does not have. */
#define _mm512_mask_loadu_epi8 emulated_load
#define _mm512_maskz_compress_epi8 emulated_compress
#define _mm512_cvtepu8_epi32 emulated_widen

/* What is not asked for is not read either. */
static inline simde__m512i emulated_load(simde__m512i v, uint64_t mask, const unsigned char *p)
{
    unsigned char out[64];
    simde_mm512_storeu_si512(out, v);
    for (unsigned i = 0; i < 64; i++)
        if (mask >> i & 1)
            out[i] = p[i];
    return simde_mm512_loadu_si512(out);
}

static inline simde__m512i emulated_compress(uint64_t mask, simde__m512i v)
{
    unsigned char in[64], out[64] = {0};
    unsigned n = 0;
    simde_mm512_storeu_si512(in, v);
    for (unsigned i = 0; i < 64; i++)
        if (mask >> i & 1)
            out[n++] = in[i];
    return simde_mm512_loadu_si512(out);
}

static inline simde__m512i emulated_widen(simde__m128i v)
{
    unsigned char in[16];
    uint32_t out[16];
    simde_mm_storeu_si128((simde__m128i *)(void *)in, v);
    for (unsigned i = 0; i < 16; i++)
        out[i] = in[i];
    return simde_mm512_loadu_si512(out);
}

#define SCAN_EMULATED
#define scan_fill_avx512 scan_fill_emulated
#include "request/scan_avx512.c"
#else
typedef int scan_emulated_is_empty;
#endif
