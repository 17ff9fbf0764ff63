#define _DEFAULT_SOURCE
#include "signed.h"

#include "base/file.h"
#include "base/instant.h"
#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const role_words[] = {"root", "catalog", "audit"}; /* as ROLE_WORDS */
const char *const kind_words[] = {"root", "catalog", "head"};

unsigned role_find(struct str name)
{
    size_t i = words_find(ROLE_WORDS, name);
    return i < ROLES ? (unsigned)i : ROLES;
}

bool role_has(const struct role *r, const unsigned char key[ED25519_KEY])
{
    for (unsigned i = 0; i < r->n; i++)
        if (memcmp(r->key[i], key, ED25519_KEY) == 0)
            return true;
    return false;
}

/* -- one line -- */

static cando_status bad(cando_error *err, const char *what)
{
    return error_set(err, CANDO_BAD_INPUT, CODE_signed_file, "%s", what);
}

static struct str text_of(const cando_json *v, const char *key)
{
    cando_json m = cando_json_get(v, key);
    return m.kind == CANDO_JSON_STRING ? STR_IN(m.text) : STR_NONE;
}

/* A whole number from 1 to the largest that JSON readers agree on. */
static bool number_of(const cando_json *v, const char *key, uint64_t *out)
{
    cando_json m = cando_json_get(v, key);
    if (m.kind != CANDO_JSON_NUMBER || str_number(STR_IN(m.bytes), 16, out) < m.bytes.n)
        return false;
    return *out > 0 && *out <= LIMIT_NUMBER;
}

static bool time_of(const cando_json *v, const char *key, uint64_t *out)
{
    struct instant t;
    return instant_parse(text_of(v, key), &t) && instant_to_ms(&t, out);
}

static cando_status read_keys(const cando_json *keys, struct role *out, cando_error *err)
{
    for (size_t i = 0; i < keys->n; i++) {
        cando_bytes none;
        cando_json k = cando_json_item(keys, i, &none);
        if (out->n == SIGNED_KEYS)
            return bad(err, "a role of the root has more keys than one may have");
        if (k.kind != CANDO_JSON_STRING || !sha256_parse(STR_IN(k.text), out->key[out->n]))
            return bad(err, "a key of the root is not 64 hexadecimal digits");
        if (role_has(out, out->key[out->n]))
            return bad(err, "a role of the root has the same key twice");
        out->n++;
    }
    return CANDO_OK;
}

static cando_status read_role(const cando_json *v, struct role *out, cando_error *err)
{
    uint64_t threshold;
    cando_json keys = cando_json_get(v, "keys");
    if (v->kind == CANDO_JSON_NONE)
        return CANDO_OK;
    if (v->kind != CANDO_JSON_OBJECT || keys.kind != CANDO_JSON_LIST ||
        !number_of(v, "threshold", &threshold))
        return bad(err, "a role of the root has no keys or no threshold");
    cando_status st = read_keys(&keys, out, err);
    if (st != CANDO_OK)
        return st;
    if (threshold > out->n)
        return bad(err, "a role of the root wants more signatures than it has keys");
    out->threshold = (unsigned)threshold;
    return CANDO_OK;
}

static cando_status read_roles(const cando_json *v, struct document *out, cando_error *err)
{
    for (unsigned i = 0; i < ROLES; i++) {
        cando_json role = cando_json_get(v, role_words[i]);
        cando_status st = read_role(&role, &out->role[i], err);
        if (st != CANDO_OK)
            return st;
    }
    return out->role[SIGNED_ROOT].threshold ? CANDO_OK : bad(err, "a root has no keys of its own");
}

static bool read_kind(const cando_json *v, enum signed_kind *out)
{
    for (unsigned i = 0; i < ROLES; i++)
        if (str_is(text_of(v, "cando"), kind_words[i])) {
            *out = (enum signed_kind)i;
            return true;
        }
    return false;
}

static cando_status read_document(const cando_json *v, struct document *out, cando_error *err)
{
    if (!read_kind(v, &out->kind))
        return bad(err, "\"cando\" is none of \"root\", \"catalog\", \"head\"");
    bool head = out->kind == SIGNED_HEAD;
    if (!number_of(v, "version", &out->version))
        return bad(err, "a document has no \"version\", which is a number from 1 on");
    if (!time_of(v, head ? "time" : "expires", &out->expires))
        return bad(err, head ? "a head has no \"time\"" : "a document has no \"expires\"");
    if (out->kind == SIGNED_ROOT)
        return read_roles(v, out, err);
    if (!head && !number_of(v, "bytes", &out->bytes))
        return bad(err, "a manifest has no \"bytes\"");
    if (!sha256_parse(text_of(v, head ? "hash" : "sha256"), out->hash))
        return bad(err, head ? "a head has no \"hash\"" : "a manifest has no \"sha256\"");
    return CANDO_OK;
}

static cando_status read_signature(const cando_json *v, struct signature *out, cando_error *err)
{
    struct str s = text_of(v, "signature");
    if (!sha256_parse(text_of(v, "key"), out->key))
        return bad(err, "a line has neither \"cando\" nor a \"key\" of 64 hexadecimal digits");
    if (s.n != 2 * 64 || !sha256_parse(str_head(s, 64), out->bytes) ||
        !sha256_parse(str_from(s, 64), out->bytes + SHA256_BYTES))
        return bad(err, "a signature is not 128 hexadecimal digits");
    return CANDO_OK;
}

/* -- all lines -- */

static cando_status add_signature(struct document *d, const struct signature *s, struct arena *ar,
                                  cando_error *err)
{
    if (d->n == SIGNED_SIGNATURES)
        return bad(err, "a document has more signatures than one may have");
    if (!ARENA_GROW(ar, d->signature, d->n, d->cap))
        return error_memory(err);
    d->signature[d->n++] = *s;
    return CANDO_OK;
}

static cando_status add_line(struct str line, cando_room *room, struct arena *ar,
                             struct signed_file *f, cando_error *err)
{
    cando_json v;
    struct signature s;
    if (line.n > SIGNED_LINE_BYTES)
        return bad(err, "a line is longer than one may be");
    cando_room_clear(room);
    cando_status st = cando_json_read(line.p, line.n, room, &v, err);
    if (st != CANDO_OK)
        return error_set(err, CANDO_BAD_INPUT, CODE_signed_file, "it is not JSON: %.100s",
                         str_dup(ar, str_of(err->message)).p);
    if (v.kind != CANDO_JSON_OBJECT)
        return bad(err, "a line is no JSON object");
    if (cando_json_get(&v, "cando").kind != CANDO_JSON_NONE) {
        if (!ARENA_GROW(ar, f->document, f->n, f->cap))
            return error_memory(err);
        f->document[f->n] = (struct document){.line = line};
        return read_document(&v, &f->document[f->n++], err);
    }
    st = read_signature(&v, &s, err);
    if (st == CANDO_OK && !f->n)
        return bad(err, "a signature stands before the first document");
    return st == CANDO_OK ? add_signature(&f->document[f->n - 1], &s, ar, err) : st;
}

static cando_status parse_lines(struct str text, cando_room *room, struct arena *ar,
                                struct signed_file *out, cando_error *err)
{
    uint32_t number = 0;
    while (text.n) {
        struct str line = str_head(text, str_find_char(text, '\n'));
        text = str_from(text, line.n + 1);
        number++;
        cando_status st = add_line(line, room, ar, out, err);
        if (st != CANDO_OK) {
            error_at(err, str_of(out->path), number, 1);
            return st;
        }
    }
    return CANDO_OK;
}

cando_status signed_parse(struct str text, const char *path, struct arena *ar,
                          struct signed_file *out, cando_error *err)
{
    *out = (struct signed_file){.path = path};
    cando_room *room = cando_room_new(NULL, err);
    if (!room)
        return error_memory(err);
    cando_status st = parse_lines(text, room, ar, out, err);
    cando_room_free(room);
    return st;
}

cando_status signed_read(const char *path, bool may_lack, struct arena *ar, struct signed_file *out,
                         cando_error *err)
{
    char *text;
    size_t len;
    *out = (struct signed_file){.path = path};
    if (may_lack && access(path, F_OK) != 0 && errno == ENOENT)
        return CANDO_OK;
    cando_status st = file_read(path, SIGNED_BYTES, NULL, &text, &len, err);
    if (st != CANDO_OK)
        return st;
    char *own = arena_copy(ar, text, len);
    mem_free(NULL, text, len + 1);
    return own ? signed_parse(str_make(own, len), path, ar, out, err) : error_memory(err);
}

void signed_write(struct buf *out, const struct document *d)
{
    char key[SHA256_HEX], low[SHA256_HEX], high[SHA256_HEX];
    buf_puts(out, d->line);
    buf_putc(out, '\n');
    for (size_t i = 0; i < d->n; i++) {
        const struct signature *s = &d->signature[i];
        sha256_hex(s->key, key);
        sha256_hex(s->bytes, low);
        sha256_hex(s->bytes + SHA256_BYTES, high);
        buf_printf(out, "{\"key\":\"%s\",\"signature\":\"%s%s\"}\n", key, low, high);
    }
}

cando_status signed_save(const struct signed_file *f, cando_error *err)
{
    struct buf b;
    cando_status st = CANDO_OK;
    buf_init(&b, NULL, SIGNED_BYTES);
    for (size_t i = 0; i < f->n; i++)
        signed_write(&b, &f->document[i]);
    if (b.failed) {
        st = error_set(err, CANDO_BAD_INPUT, CODE_too_long, "%s would be too long", f->path);
        error_hint(err, "move it away, keep it, and begin a new one");
    } else {
        st = file_replace(f->path, b.p ? b.p : "", b.n, NULL, err);
    }
    buf_free(&b);
    return st;
}

cando_status signed_make(struct str line, struct arena *ar, struct document *out, cando_error *err)
{
    struct signed_file f;
    cando_status st = signed_parse(line, "a new document", ar, &f, err);
    if (st == CANDO_OK)
        *out = f.document[0];
    return st;
}

/* -- signatures -- */

struct signed_text {
    char p[sizeof SIGNED_PREFIX + SIGNED_LINE_BYTES];
};

static struct str what_is_signed(const struct document *d, struct signed_text *room)
{
    size_t n = sizeof SIGNED_PREFIX - 1;
    memcpy(room->p, SIGNED_PREFIX, n);
    memcpy(room->p + n, d->line.p, d->line.n);
    return str_make(room->p, n + d->line.n);
}

cando_status signed_sign(struct document *d, const unsigned char secret[ED25519_KEY],
                         struct arena *ar, cando_error *err)
{
    struct signed_text room;
    struct signature s;
    cando_status st = ed25519_public(secret, s.key, err);
    if (st != CANDO_OK)
        return st;
    for (size_t i = 0; i < d->n; i++)
        if (memcmp(d->signature[i].key, s.key, sizeof s.key) == 0)
            return CANDO_OK;
    st = ed25519_sign(secret, what_is_signed(d, &room), s.bytes, err);
    return st == CANDO_OK ? add_signature(d, &s, ar, err) : st;
}

cando_status signed_sign_by(struct document *d, const char *const *path, size_t n, struct arena *ar,
                            cando_error *err)
{
    unsigned char secret[ED25519_KEY];
    cando_status st = CANDO_OK;
    for (size_t i = 0; st == CANDO_OK && i < n; i++) {
        st = key_read_secret(path[i], secret, err);
        if (st == CANDO_OK)
            st = signed_sign(d, secret, ar, err);
        key_wipe(secret, sizeof secret);
    }
    return st;
}

const char *signed_expires(uint64_t now, uint64_t days, char text[])
{
    struct instant t = {0};
    days = days < SIGNED_DAYS ? days : SIGNED_DAYS;
    instant_from_unix(now / 1000 + days * 86400, &t);
    return instant_seconds(&t, text).p;
}

cando_status signed_count(const struct document *d, const struct role *r, unsigned *out,
                          cando_error *err)
{
    struct signed_text room;
    bool counted[SIGNED_KEYS] = {false}, good;
    *out = 0;
    for (size_t i = 0; i < d->n; i++) {
        const struct signature *s = &d->signature[i];
        for (unsigned k = 0; k < r->n; k++) {
            if (counted[k] || memcmp(r->key[k], s->key, ED25519_KEY) != 0)
                continue;
            cando_status st =
                ed25519_verify(s->key, what_is_signed(d, &room), s->bytes, &good, err);
            if (st != CANDO_OK)
                return st;
            counted[k] = good;
            *out += good;
        }
    }
    return CANDO_OK;
}

/* -- files of keys -- */

static const char secret_word[] = "cando-ed25519-secret ", public_word[] = "cando-ed25519-public ";

void key_wipe(void *secret, size_t n)
{
    volatile unsigned char *p = secret;
    while (n--)
        *p++ = 0;
}

static cando_status read_key(const char *path, const char *word, unsigned char key[ED25519_KEY],
                             cando_error *err)
{
    char *text;
    size_t len, n = strlen(word);
    cando_status st = file_read(path, 4096, NULL, &text, &len, err);
    if (st != CANDO_OK)
        return st;
    struct str s = str_head(str_make(text, len), str_find_char(str_make(text, len), '\n'));
    bool ok = str_starts(s, str_of(word)) && sha256_parse(str_from(s, n), key);
    key_wipe(text, len);
    mem_free(NULL, text, len + 1);
    if (ok)
        return CANDO_OK;
    error_set(err, CANDO_BAD_INPUT, CODE_key_file, "%s is no %s key of cando's", path,
              word == secret_word ? "secret" : "public");
    error_hint(err, "'cando key new FILE' makes a pair: FILE is secret, FILE.pub is public");
    return CANDO_BAD_INPUT;
}

cando_status key_read_secret(const char *path, unsigned char secret[ED25519_KEY], cando_error *err)
{
    struct stat st;
    if (stat(path, &st) == 0 && (st.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        error_set(err, CANDO_BAD_INPUT, CODE_key_file, "%s can be read by others: it is not taken",
                  path);
        error_hint(err, "chmod 600 %s; if somebody may have seen it, make a new one", path);
        return CANDO_BAD_INPUT;
    }
    return read_key(path, secret_word, secret, err);
}

cando_status key_read_public(const char *path, unsigned char key[ED25519_KEY], cando_error *err)
{
    return read_key(path, public_word, key, err);
}

/* A file that was not there before, with this line, on the disk. */
static cando_status write_new(const char *path, mode_t mode, const char *line, cando_error *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    size_t n = strlen(line);
    bool ok = fd >= 0 && write(fd, line, n) == (ssize_t)n && fsync(fd) == 0;
    int why = errno;
    if (fd >= 0 && close(fd) != 0)
        ok = false;
    if (ok)
        return CANDO_OK;
    if (fd >= 0)
        unlink(path);
    return error_set(err, CANDO_BAD_INPUT, CODE_io, "cannot make %s: %s", path, strerror(why));
}

static cando_status write_pair(const char *path, const unsigned char secret[ED25519_KEY],
                               const unsigned char key[ED25519_KEY], cando_error *err)
{
    char line[sizeof secret_word + SHA256_HEX + 1], hex[SHA256_HEX], public_path[PATH_MAX];
    if (snprintf(public_path, sizeof public_path, "%s.pub", path) >= (int)sizeof public_path)
        return error_set(err, CANDO_BAD_INPUT, CODE_too_long, "%s is too long", path);
    sha256_hex(key, hex);
    snprintf(line, sizeof line, "%s%s\n", public_word, hex);
    cando_status st = write_new(public_path, 0644, line, err);
    if (st != CANDO_OK)
        return st;
    sha256_hex(secret, hex);
    snprintf(line, sizeof line, "%s%s\n", secret_word, hex);
    st = write_new(path, 0600, line, err);
    if (st != CANDO_OK)
        unlink(public_path);
    key_wipe(line, sizeof line);
    key_wipe(hex, sizeof hex);
    file_sync_folder(path);
    return st;
}

cando_status key_make(const char *path, unsigned char key[ED25519_KEY], cando_error *err)
{
    unsigned char secret[ED25519_KEY];
    cando_status st = ed25519_new(secret, err);
    if (st == CANDO_OK)
        st = ed25519_public(secret, key, err);
    if (st == CANDO_OK)
        st = write_pair(path, secret, key, err);
    key_wipe(secret, sizeof secret);
    return st;
}
