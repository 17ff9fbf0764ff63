/*
 * spin.h - a lock for what takes a few microseconds at most. 0: nobody has it.
 */
#ifndef CANDO_SPIN_H
#define CANDO_SPIN_H

#include <stdatomic.h>
#include <stdint.h>

/* Whoever waits only looks, so that the line of memory is not fought for. */
static inline void spin_lock(_Atomic uint32_t *lock)
{
    while (atomic_exchange_explicit(lock, 1, memory_order_acquire))
        while (atomic_load_explicit(lock, memory_order_relaxed)) {
#if defined(__x86_64__) || defined(__i386__)
            __builtin_ia32_pause();
#endif
        }
}

static inline void spin_unlock(_Atomic uint32_t *lock)
{
    atomic_store_explicit(lock, 0, memory_order_release);
}

#endif
