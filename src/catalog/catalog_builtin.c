/*
 * catalog_builtin.c - the catalog that is linked into the library.
 *
 * Its bytes come from our own build, so that opening it is finding its sections
 * and nothing more; the tests check it like any other snapshot. The handle is
 * the library's one static object: it is made by whoever asks first and never
 * changes again, and those who come meanwhile wait for the few microseconds.
 */
#include "snapshot.h"

#include <stdatomic.h>

#if defined(__wasm__) /* there the snapshot is a file of its own: who has read it sets these */
extern const unsigned char *cando_builtin_start, *cando_builtin_end;
const unsigned char *cando_builtin_start, *cando_builtin_end;
#else
extern const unsigned char cando_builtin_start[], cando_builtin_end[];
#endif

/* What the program that builds the catalog is linked with: no rules at all. */
static void open_nothing(struct snapshot *s)
{
    static const uint32_t strings[] = {0, 0}, postings[] = {0}, stages[] = {0};
    static const struct snap_scope scope = {
        .trie = {SNAP_NONE, SNAP_NONE},
        .automaton = {SNAP_NONE, SNAP_NONE},
    };
    memset(s, 0, sizeof *s);
    s->data = (const unsigned char *)strings;
    for (unsigned id = 1; id < SEC_END; id++)
        s->sec[id] = (struct snap_view){s->data, 0, snapshot_record_size((enum snap_section)id)};
    s->sec[SEC_STRINGS].n = SNAP_EMPTY + 1;
    s->sec[SEC_POSTINGS] = (struct snap_view){(const unsigned char *)postings, 1, 4};
    s->sec[SEC_SCOPES] = (struct snap_view){(const unsigned char *)&scope, 1, sizeof scope};
    s->sec[SEC_STAGES] = (struct snap_view){(const unsigned char *)stages, 1, 1};
    for (unsigned f = 0; f < CANDO_MAX_FIELDS; f++) {
        s->field[f] = FIELD_COUNT;
        s->file_field[f] = CANDO_MAX_FIELDS;
    }
}

enum { BUILTIN_UNOPENED, BUILTIN_OPENING, BUILTIN_OPEN };

const cando_catalog *cando_catalog_builtin(void)
{
    static struct cando_catalog handle;
    static atomic_int state = BUILTIN_UNOPENED;
    if (atomic_load_explicit(&state, memory_order_acquire) == BUILTIN_OPEN)
        return &handle;
    int expected = BUILTIN_UNOPENED;
    if (atomic_compare_exchange_strong(&state, &expected, BUILTIN_OPENING)) {
        atomic_init(&handle.refs, UINT32_MAX);
        size_t size = (size_t)(cando_builtin_end - cando_builtin_start);
        if (snapshot_open(&handle.snap, cando_builtin_start, size, NULL) != CANDO_OK)
            open_nothing(&handle.snap);
        atomic_store_explicit(&state, BUILTIN_OPEN, memory_order_release);
    }
    while (atomic_load_explicit(&state, memory_order_acquire) != BUILTIN_OPEN) {
    }
    return &handle;
}
