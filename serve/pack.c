#include "pack.h"

#include <zlib.h>

enum { LEVEL = 4, WINDOW_GZIP = 15 + 16, MEMORY = 8 };

/* Is its weight nothing but zeros: "0", "0.0"? */
static bool is_zero(struct str weight)
{
    bool digits = false;
    for (size_t i = 0; i < weight.n; i++) {
        if (weight.p[i] != '0' && weight.p[i] != '.' && weight.p[i] != ' ')
            return false;
        digits |= weight.p[i] == '0';
    }
    return digits;
}

bool pack_is_accepted(struct str accept)
{
    bool any = false;
    while (accept.n) {
        struct str item = str_head(accept, str_find_char(accept, ','));
        accept = str_from(accept, item.n + 1);
        struct str name = str_trim(str_head(item, str_find_char(item, ';')));
        size_t at = str_find(item, STR("q="));
        bool zero = at != SIZE_MAX && is_zero(str_trim(str_from(item, at + 2)));
        if (str_eq_fold(name, STR("gzip")))
            return !zero;
        any |= str_eq(name, STR("*")) && !zero;
    }
    return any;
}

struct str pack_gzip(struct str text, struct arena *ar)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)text.p, .avail_in = (uInt)text.n};
    if (text.n > UINT32_MAX / 2 ||
        deflateInit2(&z, LEVEL, Z_DEFLATED, WINDOW_GZIP, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
        return STR_NONE;
    size_t room = deflateBound(&z, (uLong)text.n);
    char *out = arena_alloc_raw(ar, room);
    z.next_out = (Bytef *)out;
    z.avail_out = (uInt)room;
    int code = out ? deflate(&z, Z_FINISH) : Z_MEM_ERROR;
    size_t n = z.total_out;
    deflateEnd(&z);
    return code == Z_STREAM_END ? str_make(out, n) : STR_NONE;
}

struct str pack_open(struct str packed, size_t size, struct arena *ar)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)packed.p, .avail_in = (uInt)packed.n};
    if (inflateInit2(&z, WINDOW_GZIP) != Z_OK)
        return STR_NONE;
    char *out = arena_alloc_raw(ar, size + 1);
    z.next_out = (Bytef *)out;
    z.avail_out = (uInt)size;
    int code = out ? inflate(&z, Z_FINISH) : Z_MEM_ERROR;
    bool whole = code == Z_STREAM_END && z.total_out == size;
    inflateEnd(&z);
    return whole ? str_make(out, size) : STR_NONE;
}
