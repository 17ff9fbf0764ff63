/*
 * signed.h - documents and who signed them.
 *
 * A signed file is lines of JSON: a document, then a line for each signature of it.
 *
 *     {"cando":"root","version":1,"expires":"2027-11-17T00:00:00Z",
 *      "root":{"threshold":1,"keys":["<hex>"]},"catalog":{...},"audit":{...}}
 *     {"key":"<hex>","signature":"<hex>"}
 *     {"cando":"catalog","version":7,"expires":"...","bytes":4712345,"sha256":"<hex>"}
 *     {"key":"<hex>","signature":"<hex>"}
 *     {"cando":"head","version":12,"hash":"<hex>","time":"..."}
 *
 * What is signed are the bytes of the document's line behind SIGNED_PREFIX, as they stand: there
 * is no canonical form to get wrong, and a key that signs here signs nothing else by it.
 *
 * A *root* says whose keys count for what, and how many of them must have signed: its own kind
 * (root), manifests of catalogs, heads of audit trails. Several roots in a row, each signed by
 * the one before, are how keys are changed (trust.h).
 */
#ifndef CANDO_CLI_SIGNED_H
#define CANDO_CLI_SIGNED_H

#include "base/buf.h"
#include "base/sha256.h"
#include "ed25519.h"

#define SIGNED_PREFIX "cando signed line 1\n"
#define SIGNED_BYTES (16u << 20) /* one file                */
#define SIGNED_LINE_BYTES 16384u /* one line of it          */
#define SIGNED_KEYS 16           /* of one role             */
#define SIGNED_SIGNATURES 32     /* of one document         */

enum signed_kind { SIGNED_ROOT, SIGNED_CATALOG, SIGNED_HEAD };
/* Of the same order: the keys that count for each kind. */
#define ROLE_WORDS "root catalog audit"
enum { ROLES = 3 };

struct role {
    unsigned threshold; /* 0: nobody has it */
    unsigned n;
    unsigned char key[SIGNED_KEYS][ED25519_KEY];
};

struct signature {
    unsigned char key[ED25519_KEY], bytes[ED25519_SIGNATURE];
};

struct document {
    enum signed_kind kind;
    uint64_t version;                 /* of a head: the number of its record */
    uint64_t expires;                 /* milliseconds since 1970; of a head: when it was signed */
    uint64_t bytes;                   /* of a snapshot */
    unsigned char hash[SHA256_BYTES]; /* of a snapshot, or of a record */
    struct role role[ROLES];          /* of a root */
    struct str line;                  /* what is signed */
    struct signature *signature;
    size_t n, cap;
};

struct signed_file {
    const char *path; /* for messages */
    struct document *document;
    size_t n, cap;
};

/* Reads the text, which must stay; all else lies in the arena. An empty text is no document. */
cando_status signed_parse(struct str text, const char *path, struct arena *ar,
                          struct signed_file *out, cando_error *err);
/* The same from a file; one that is not there is empty where it may be. */
cando_status signed_read(const char *path, bool may_lack, struct arena *ar, struct signed_file *out,
                         cando_error *err);
void signed_write(struct buf *out, const struct document *d);
/* Replaces the file of `f->path` by its documents. */
cando_status signed_save(const struct signed_file *f, cando_error *err);

/* A new document, without signatures, from its line. */
cando_status signed_make(struct str line, struct arena *ar, struct document *out, cando_error *err);
/* Signs it with this key; a second time changes nothing. */
cando_status signed_sign(struct document *d, const unsigned char secret[ED25519_KEY],
                         struct arena *ar, cando_error *err);
/* The same with the keys of n files. */
cando_status signed_sign_by(struct document *d, const char *const *path, size_t n, struct arena *ar,
                            cando_error *err);
/* How many different keys of the role have signed it. */
cando_status signed_count(const struct document *d, const struct role *r, unsigned *out,
                          cando_error *err);

/* So many days from now, as a document says it: "2027-11-17T16:30:05Z". */
#define SIGNED_DAYS 36500 /* at most */
const char *signed_expires(uint64_t now, uint64_t days, char text[]);

/* The index of a role's name, or ROLES. */
unsigned role_find(struct str name);
extern const char *const role_words[], *const kind_words[]; /* by enum signed_kind */
bool role_has(const struct role *r, const unsigned char key[ED25519_KEY]);

/* -- the files of keys: one line each, a word and the key in hex -- */

/* A secret key's file must be its owner's alone. */
cando_status key_read_secret(const char *path, unsigned char secret[ED25519_KEY], cando_error *err);
cando_status key_read_public(const char *path, unsigned char key[ED25519_KEY], cando_error *err);
/* Makes `path` and `path`.pub, neither of which may be there. */
cando_status key_make(const char *path, unsigned char key[ED25519_KEY], cando_error *err);
/* Forgets a secret, whatever the compiler thinks of it. */
void key_wipe(void *secret, size_t n);

#endif
