/*
 * toml_table.c - the tables of a TOML tree: entries, lookup, growth.
 *
 * Entries stay in the order of the text. Up to sixteen of them are searched in
 * turn, which is what nearly every table of a rule file needs. A larger table
 * gets an index: a crit-bit tree, whose inner nodes each name the first bit
 * in which the keys below them differ.
 *
 *            byte 0, bit 1                keys "ant", "bee", "beet", "cat"
 *            /           \
 *          ant      byte 0, bit 0
 *                   /           \
 *           byte 3, bit 8       cat      (bit 8: is there a byte at all?)
 *            /        \
 *          bee       beet
 *
 * A tree instead of a hash table because rule files are hostile input and the
 * library has no source of randomness: equal hashes can be made in advance,
 * and would make reading quadratic. Here the work is bound by the length of
 * the key, whatever the keys are. Nodes and entries are numbered, not pointed
 * to, because both arrays move when they grow.
 */
#include "toml_impl.h"

#define INDEX_FROM 16   /* entries that a table may have without an index */
#define FIRST_ENTRIES 2 /* room in tables that are not sections: { prefix = "gpt-" } */

/* A reference is a node's number shifted left, or an entry's with bit 0 set. */
typedef uint32_t index_ref;

struct index_node {
    index_ref child[2];
    uint32_t byte;
    uint32_t mask; /* one bit of key_symbol */
};

struct toml_index {
    struct index_node *node;
    size_t n, cap;
    index_ref root;
};

static index_ref ref_entry(size_t i)
{
    return (index_ref)(i << 1 | 1);
}

/* Nine bits for each byte: bit 8 tells "ab" from "ab\0". */
static unsigned key_symbol(struct str key, uint32_t byte)
{
    return byte < key.n ? 0x100u | (unsigned char)key.p[byte] : 0;
}

static unsigned node_side(const struct index_node *node, struct str key)
{
    return (key_symbol(key, node->byte) & node->mask) != 0;
}

/* The only entry that can have this key. */
static size_t index_find(const struct toml_index *ix, struct str key)
{
    index_ref ref = ix->root;
    while (!(ref & 1)) {
        const struct index_node *node = &ix->node[ref >> 1];
        ref = node->child[node_side(node, key)];
    }
    return ref >> 1;
}

/* Adds entry i, whose key is not in the index yet; there is at least one. */
static bool index_add(struct arena *ar, struct toml_index *ix, const struct toml *table, size_t i)
{
    if (!ARENA_GROW(ar, ix->node, ix->n, ix->cap))
        return false;
    struct str key = table->entry[i].key;
    struct str near = table->entry[index_find(ix, key)].key;
    uint32_t byte = 0;
    while (key_symbol(key, byte) == key_symbol(near, byte))
        byte++;
    unsigned differ = key_symbol(key, byte) ^ key_symbol(near, byte), mask = 0x100;
    while (!(differ & mask))
        mask >>= 1;

    index_ref *link = &ix->root;
    while (!(*link & 1)) {
        struct index_node *node = &ix->node[*link >> 1];
        if (node->byte > byte || (node->byte == byte && node->mask < mask))
            break;
        link = &node->child[node_side(node, key)];
    }
    struct index_node *node = &ix->node[ix->n];
    *node = (struct index_node){.byte = byte, .mask = mask};
    unsigned side = node_side(node, key);
    node->child[side] = ref_entry(i);
    node->child[1 - side] = *link;
    *link = (index_ref)(ix->n++ << 1);
    return true;
}

static bool index_build(struct arena *ar, struct toml *table)
{
    struct toml_index *ix = arena_alloc(ar, sizeof *ix);
    if (!ix)
        return false;
    ix->root = ref_entry(0);
    for (size_t i = 1; i < table->n; i++)
        if (!index_add(ar, ix, table, i))
            return false;
    table->index = ix;
    return true;
}

struct toml_entry *toml_entry_of(const struct toml *table, struct str key)
{
    if (!table || table->kind != TOML_TABLE)
        return NULL;
    if (table->index) {
        struct toml_entry *e = &table->entry[index_find(table->index, key)];
        return str_eq(e->key, key) ? e : NULL;
    }
    for (size_t i = 0; i < table->n; i++)
        if (str_eq(table->entry[i].key, key))
            return &table->entry[i];
    return NULL;
}

struct toml *toml_get(const struct toml *table, struct str key)
{
    struct toml_entry *e = toml_entry_of(table, key);
    return e ? e->value : NULL;
}

struct toml_entry *toml_put(struct toml_reader *r, struct toml *table, const struct toml_part *part)
{
    struct toml_entry *e = toml_entry_of(table, part->key);
    if (e)
        return e;
    bool ok;
    if (table->cap == 0) {
        table->entry = arena_array(r->ar, FIRST_ENTRIES, sizeof *table->entry);
        table->cap = table->entry ? FIRST_ENTRIES : 0;
        ok = table->entry != NULL;
    } else {
        ok = ARENA_GROW(r->ar, table->entry, table->n, table->cap);
    }
    if (ok) {
        e = &table->entry[table->n++];
        *e = (struct toml_entry){.key = part->key, .at = part->at};
        if (table->index)
            ok = index_add(r->ar, table->index, table, table->n - 1);
        else if (table->n > INDEX_FROM)
            ok = index_build(r->ar, table);
    }
    if (!ok) {
        toml_fail_memory(r);
        return NULL;
    }
    return e;
}

/* The keys of a section come one after the other, so its table can fill the
 * reader's buffer and copy the entries when it is known how many there are.
 * A table that has some already goes on where it is. */
void toml_section(struct toml_reader *r, struct toml *table)
{
    r->table = table;
    r->entries_lent = table->n == 0;
    if (r->entries_lent) {
        table->entry = r->entries;
        table->cap = r->cap_entries;
    }
}

bool toml_section_end(struct toml_reader *r)
{
    struct toml *table = r->table;
    if (!r->entries_lent)
        return true;
    r->entries_lent = false;
    r->entries = table->entry; /* it may have grown */
    r->cap_entries = table->cap;
    table->entry = NULL;
    table->cap = table->n;
    if (table->n &&
        !(table->entry = arena_copy(r->ar, r->entries, table->n * sizeof *table->entry)))
        return toml_fail_memory(r);
    return true;
}

const char *toml_kind_name(enum toml_kind kind)
{
    static const char *const name[] = {
        [TOML_STRING] = "a string",
        [TOML_INTEGER] = "an integer",
        [TOML_FLOAT] = "a float",
        [TOML_BOOLEAN] = "a boolean",
        [TOML_OFFSET_DATETIME] = "an offset date-time",
        [TOML_LOCAL_DATETIME] = "a local date-time",
        [TOML_LOCAL_DATE] = "a local date",
        [TOML_LOCAL_TIME] = "a local time",
        [TOML_ARRAY] = "an array",
        [TOML_TABLE] = "a table",
    };
    return (unsigned)kind < COUNT_OF(name) ? name[kind] : "a value";
}
