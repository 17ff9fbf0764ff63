/*
 * api.h - the wire APIs: what each is called, how its requests, replies and conversations
 * are known and read, and what is peculiar to it.
 *
 *     catalog/apis/<api>.toml --scripts/gen_apis.c--> apis[], and api_words.h with the lists
 *
 * One file describes one API; api.def lists what it can say. It is compiled into the
 * library and not into the snapshot, since replies are read without any catalog. Nothing
 * here is named in C: code asks what an API does. Files beside them go the same way:
 * catalog/refusals.toml, catalog/prices.toml, catalog/nika.toml and catalog/secrets.toml.
 */
#ifndef CANDO_API_H
#define CANDO_API_H

#include "api_words.h"
#include "price.h"
#include "text/json.h"
#include "vocab.h"

/* -- what tells something ------------------------------------------------------------------ */

/*
 * A sign is written as words, all of which must hold:
 *
 *     delta/stop_reason          the value is there, and not null, "" or []
 *     choices[]/finish_reason    of any item of the list
 *     prompt_tokens?             the member is there, whatever it is
 *     type=message|message_stop  a string that is one of these; true, [] and numbers are themselves
 *     id^=msg_|gen-              a string that begins so
 *     thinking:array             a value of that kind
 *     !type                      any of these, and it must not hold
 */
enum api_test { SIGN_THERE, SIGN_EXISTS, SIGN_IS, SIGN_STARTS, SIGN_KIND };
#define SIGN_STEPS 3

struct api_sign {
    struct str step[SIGN_STEPS];
    const char *words;                 /* of SIGN_IS and SIGN_STARTS */
    uint8_t n_steps, each, test, kind; /* each: a bit for each step that is a list */
    bool no, more;                     /* more: the next one must hold as well */
};

/* Where the steps of the sign lead; NULL: nowhere. */
const struct json *api_at(const struct api_sign *sign, const struct json *v);
/* Does any of n signs hold of the value? */
bool api_signs(const struct api_sign *sign, size_t n, const struct json *v);

/* -- counts -------------------------------------------------------------------------------- */

/*
 * A count is written with the unit that it is for:
 *
 *     input_tokens += prompt_tokens                        it is added to the unit
 *     cache_read_tokens = prompt_tokens_details/cached     the first that is there counts
 *     input_text_tokens += details[modality=TEXT]/count    of each item of a list that says so
 */
struct api_path {
    uint8_t unit;
    bool add;
    const char *text;        /* as it is written */
    struct str first;        /* a member of the usage object */
    struct str filter, word; /* it is a list: items count whose member is that word */
    struct str step[2];      /* from there: a member, and a member of that; empty: no further */
};

/* -- conversations ------------------------------------------------------------------------- */

enum part_kind {
    PART_IMAGE,
    PART_AUDIO,
    PART_VIDEO,
    PART_PDF,
    PART_CALL,
    PART_RESULT,
    PART_REASONING,
    PART_HOSTED,
    PART_STATE, /* refers to what a provider keeps */
    PART_OTHER, /* of a type that nobody knows */
    /* only while it is read */
    PART_PASSED, /* no part of its own; its text and data are counted */
    PART_TEXT,
    PART_MEDIA, /* the MIME type says of which kind; plain text is none */
    PART_FILE,  /* the same, but by the name, and a PDF if nothing tells */
    PART_PARTS, /* a list of parts */
};

enum reasoning_kind {
    REASON_SIGNED,  /* thinking with its signature */
    REASON_PLAIN,   /* thinking as text */
    REASON_FIELD,   /* reasoning_content beside an answer */
    REASON_DETAILS, /* reasoning_details of a router */
    REASON_ITEM,    /* an item that the provider keeps */
    REASON_SEALED,  /* the same, encrypted */
    REASON_THOUGHT, /* a signature beside any part */
};

enum turn_role {
    ROLE_USER,
    ROLE_ASSISTANT,
    ROLE_SYSTEM,
    ROLE_DEVELOPER,
    ROLE_TOOL,
    ROLE_FUNCTION,
    ROLE_OTHER
};

/* How images are charged. */
enum image_rule {
    IMAGES_UNKNOWN,
    IMAGES_TILES,       /* squares of 512 pixels */
    IMAGES_PATCHES,     /* squares of 32 pixels */
    IMAGES_AREA,        /* by their pixels */
    IMAGES_LARGE_TILES, /* squares of 768 pixels */
    IMAGE_RULES
};

/* How the events of a stream are written. */
enum stream_frame {
    FRAME_OWN,       /* as the API says */
    FRAME_SSE,       /* server-sent events */
    FRAME_LINES,     /* JSON lines */
    FRAME_ARRAY,     /* the items of a JSON array */
    FRAME_AWS,       /* messages of AWS's event stream, */
    FRAME_AWS_BYTES, /* with the event in base64 */
};

/* What a form is repeated for. */
enum said_each {
    EACH_ONCE,
    EACH_CHOICE, /* answers */
    EACH_PIECE,  /* pieces of an answer's text, or of a call's arguments */
    EACH_MODEL,  /* models of a list */
};

/* -- the APIs ------------------------------------------------------------------------------ */

#define API_RECORD(type) struct type {
#define API_TEXT(name) struct str name;
#define API_WORDS(name) const char *name;
#define API_FLAG(name) bool name;
#define API_NUMBER(name) uint32_t name;
#define API_ENUM(name, prefix, none) uint16_t name;
#define API_SET(name, prefix) uint32_t name;
#define API_SIGNS(name)                                                                            \
    const struct api_sign *name;                                                                   \
    size_t n_##name;
#define API_PATHS(name)                                                                            \
    const struct api_path *name;                                                                   \
    size_t n_##name;
#define API_ROWS(name, type)                                                                       \
    const struct type *name;                                                                       \
    size_t n_##name;
#define API_OF(name) const struct api *name;
#define API_END(type)                                                                              \
    }                                                                                              \
    ;
#include "api.def"

extern const struct api apis[API_COUNT];
extern const struct api api_none; /* one of which nothing is known */
extern const struct refusals refusals;
extern const struct nika_names nika_names;
extern const struct price_names price_names;
extern const struct secrets secrets;

const struct api *api_find(struct str name); /* NULL: there is none */
/* Is the provider among the words? The case does not count, and "*" is any. */
bool api_lists_provider(const char *words, struct str name);
/* The value that the first of the paths leads to which leads to any but null; NULL: none does.
 * *path is that path, if it is wanted. */
const struct json *api_value(const struct json *v, const char *paths, struct str *path);
/* The first string that is not empty; else "". */
struct str api_text(const struct json *v, const char *paths);
/* The unit and the conditions that LiteLLM's name of a rate stands for, in a record of that
 * mode; false: it is none. `list`: in a price list that was given with a question. */
bool price_key_litellm(struct str name, struct str mode, bool list, struct price_key *out);
/* How pictures are charged by a model of that lab. */
enum image_rule api_images(struct str lab, struct str model);

#endif
