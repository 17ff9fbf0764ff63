/*
 * page_data.S - the page as bytes: build/page.bin, or nothing where it was not built.
 */
#ifdef __CET__
#include <cet.h> /* no code, and marked so: a file without the mark takes it from the program */
#endif
    .section .rodata
    .balign 16
    .globl page_data, page_data_end
    .hidden page_data, page_data_end
page_data:
#ifdef CANDO_PAGE
    .incbin CANDO_PAGE
#endif
page_data_end:
    .byte 0
    .section .note.GNU-stack,"",%progbits
