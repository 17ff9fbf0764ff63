/*
 * page.h - the form that the page has inside of the daemon; scripts/pack_page.c writes it.
 */
#ifndef CANDO_SERVE_PAGE_H
#define CANDO_SERVE_PAGE_H

#include <stdint.h>

#define PAGE_MAGIC "cando page 1\n"

struct page_file {
    uint32_t name, type,
        at;               /* behind the table: "views/explore.js" and a NUL, its type, its bytes */
    uint32_t bytes, size; /* as they are kept, and as they are */
    uint32_t packed;      /* they are kept as gzip */
    char tag[32];
};

struct page_head {
    char magic[16];
    uint32_t n, unused;
    struct page_file file[]; /* in the order of their names */
};

#endif
