/*
 * pack_page.c - the files of the page, packed into one for the daemon: pack_page FOLDER OUT.
 *
 *     "cando page 1\n\0\0\0"  magic, 16 bytes
 *     u32 n, u32 size of the head
 *     n times struct page_file: where name, type and bytes are; sizes; the ETag
 *     names, types, bytes
 *
 * Each file is kept as gzip, and goes out as it is kept to all clients that take that; a file that
 * does not shrink is kept as it is. Numbers are of the machine that builds, as the daemon is. The
 * same files give the same bytes.
 */
#include "base/buf.h"
#include "base/file.h"
#include "base/sha256.h"
#include "serve/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

enum { MOST = 512u << 20 };

static void die(const char *what, const char *path)
{
    fprintf(stderr, "pack_page: %s %s\n", what, path);
    exit(1);
}

static const char *type_of(struct str path)
{
    static const struct {
        const char *end, *type;
    } known[] = {
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".mjs", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".json", "application/json"},
        {".webmanifest", "application/manifest+json"},
        {".svg", "image/svg+xml"},
        {".png", "image/png"},
        {".ico", "image/x-icon"},
        {".wasm", "application/wasm"},
        {".txt", "text/plain; charset=utf-8"},
        {".md", "text/plain; charset=utf-8"},
        {".xml", "application/xml"},
        {".woff2", "font/woff2"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (str_ends(path, str_of(known[i].end)))
            return known[i].type;
    return "application/octet-stream";
}

static void pack(struct buf *out, struct page_file *f, const char *text, size_t n)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)text, .avail_in = (uInt)n};
    size_t start = out->n;
    f->size = (uint32_t)n;
    if (deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        die("no memory for", "gzip");
    size_t room = deflateBound(&z, n);
    if (!buf_reserve(out, room))
        die("no memory for", "a file");
    z.next_out = (Bytef *)out->p + start;
    z.avail_out = (uInt)room;
    if (deflate(&z, Z_FINISH) != Z_STREAM_END)
        die("cannot pack", "a file");
    f->packed = z.total_out < n;
    f->bytes = f->packed ? (uint32_t)z.total_out : (uint32_t)n;
    deflateEnd(&z);
    if (!f->packed)
        memcpy(out->p + start, text, n);
    out->n += f->bytes;
}

static void add_file(struct buf *data, struct page_file *f, const char *path, size_t folder)
{
    unsigned char hash[SHA256_BYTES];
    char hex[SHA256_HEX], *text;
    struct sha256 h;
    size_t n;
    if (file_read(path, MOST, NULL, &text, &n, NULL) != CANDO_OK)
        die("cannot read", path);
    sha256_init(&h);
    sha256_put(&h, text, n);
    sha256_end(&h, hash);
    sha256_hex(hash, hex);
    snprintf(f->tag, sizeof f->tag, "W/\"%.20s\"", hex);
    f->name = (uint32_t)data->n;
    buf_put(data, path + folder + 1, strlen(path + folder + 1) + 1);
    f->type = (uint32_t)data->n;
    const char *type = type_of(str_of(path));
    buf_put(data, type, strlen(type) + 1);
    f->at = (uint32_t)data->n;
    pack(data, f, text, n);
    mem_free(NULL, text, n + 1);
}

int main(int argc, char **argv)
{
    struct arena ar;
    struct str *path = NULL;
    struct buf data, out;
    size_t n = 0;
    cando_error err;
    if (argc != 3)
        die("usage: pack_page FOLDER", "OUT");
    arena_init(&ar, NULL);
    if (file_list(argv[1], "", &ar, &path, &n, &err) != CANDO_OK)
        die(err.message, "");
    struct page_file *file = arena_array(&ar, n + 1, sizeof *file);
    buf_init(&data, NULL, MOST);
    for (size_t i = 0; i < n; i++)
        add_file(&data, &file[i], path[i].p, strlen(argv[1]));
    buf_init(&out, NULL, MOST);
    struct page_head head = {.magic = PAGE_MAGIC, .n = (uint32_t)n};
    buf_put(&out, &head, sizeof head);
    buf_put(&out, file, n * sizeof *file);
    buf_put(&out, data.p, data.n);
    if (out.failed || file_replace(argv[2], out.p, out.n, NULL, &err) != CANDO_OK)
        die("cannot write", argv[2]);
    buf_free(&data);
    buf_free(&out);
    arena_free(&ar);
    return 0;
}
