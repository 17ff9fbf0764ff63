/*
 * builtin.S - the bytes of the built-in catalog.
 *
 * With CANDO_BUILTIN_SNAP (a file name in quotes) the snapshot lies between the
 * two symbols, aligned for every record in it; without, nothing does. The
 * second form links the program that makes the snapshot for the first.
 */
#ifdef __CET__
#include <cet.h> /* no code, and marked so: a file without the mark takes it from the program */
#endif
        .section .rodata
        .balign 64
        .globl cando_builtin_start
        .hidden cando_builtin_start
        .type cando_builtin_start, STT_OBJECT
cando_builtin_start:
#ifdef CANDO_BUILTIN_SNAP
        .incbin CANDO_BUILTIN_SNAP
#endif
        .globl cando_builtin_end
        .hidden cando_builtin_end
        .type cando_builtin_end, STT_OBJECT
cando_builtin_end:
        .byte 0
        .section .note.GNU-stack, "", %progbits
