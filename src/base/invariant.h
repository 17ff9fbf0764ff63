/*
 * invariant.h - what holds here, whatever came in.
 *
 *     invariant(at <= s->n);
 *
 * For what the code promises to itself, and a reader would otherwise have to work
 * out. Never for input: what comes from outside and is wrong is an error with its
 * place. In the builds that look for mistakes (CANDO_INVARIANTS: debug, asan, fuzz)
 * one that does not hold ends the program on the spot, without a word, since the
 * library never prints; a debugger, a core file or the sanitizer's trace shows the
 * line. In all others it is compiled and never evaluated: no cost, and no use of it
 * may have an effect of its own.
 */
#ifndef CANDO_INVARIANT_H
#define CANDO_INVARIANT_H

#ifdef CANDO_INVARIANTS
#define invariant(x) ((x) ? (void)0 : __builtin_trap())
#else
#define invariant(x) ((void)(0 && (x)))
#endif

#endif
