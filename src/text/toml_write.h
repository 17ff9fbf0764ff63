/*
 * toml_write.h - TOML out, into a buffer: the one writer of rule files.
 *
 * A member a line; inside of tw_table and tw_list all on that line, with the commas
 * put by the writer. What is written is read back as it was given.
 *
 *     tw_key(&w, STR("set"));          set = { seed = true, efforts = ["low"] }
 *     tw_table(&w);
 *     ...
 *     tw_table_end(&w);
 */
#ifndef CANDO_TOML_WRITE_H
#define CANDO_TOML_WRITE_H

#include "base/buf.h"

struct toml_writer {
    struct buf *out;
    const char *newline;
    unsigned depth; /* tables and lists that are open; few */
    uint32_t more;  /* a bit a depth: something stands before */
    bool after_key;
};

void tw_init(struct toml_writer *w, struct buf *out, const char *newline);
/* A line as it is: "[[rules]]", "" for an empty one. */
void tw_line(struct toml_writer *w, const char *line);
void tw_key(struct toml_writer *w, struct str key); /* quoted where it must be */
void tw_table(struct toml_writer *w);
void tw_table_end(struct toml_writer *w);
void tw_list(struct toml_writer *w);
void tw_list_end(struct toml_writer *w);
void tw_str(struct toml_writer *w, struct str s);
/* Numbers, dates and booleans. */
void tw_plain(struct toml_writer *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A key with its string. */
static inline void tw_pair(struct toml_writer *w, struct str key, struct str value)
{
    tw_key(w, key);
    tw_str(w, value);
}

#endif
