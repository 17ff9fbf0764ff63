/*
 * redact.c - the shapes of secrets.
 *
 * A shape is a prefix that begins at a word boundary and a run of characters behind
 * it, of a least length. Boundaries are those of regular expressions (\b): between a
 * letter, digit or underscore and anything else. So "task-abc" is no "sk-abc".
 *
 *     prefix | characters | least
 *
 * Beside the table there are forms that need a little more: private key blocks,
 * JSON Web Tokens, "Bearer ..." and "Basic ...", passwords in URLs, and AWS secrets,
 * which have no prefix and are known by their key's name or their neighbour.
 */
#include "redact.h"

#include "base/limits.h"
#include "catalog/engine.h"
#include "text/reading.h"

#include <math.h>

enum charset {
    CHARS_WORD,  /* A-Z a-z 0-9 _ */
    CHARS_DASH,  /* and - */
    CHARS_TOKEN, /* and . ~ + / = : what stands in headers and base64 */
    CHARS_UPPER, /* A-Z 0-9 */
};

struct shape {
    const char *prefix;
    uint8_t chars;
    uint8_t least;
};

static const struct shape shapes[] = {
    {"sk-", CHARS_DASH, 1}, /* OpenAI, Anthropic, OpenRouter, DeepSeek, ... */
    {"pk-", CHARS_DASH, 1}, /* Langfuse and others */
    {"rk-", CHARS_DASH, 16},
    {"ghp_", CHARS_WORD, 1}, /* GitHub: personal, OAuth, user, server, refresh */
    {"gho_", CHARS_WORD, 1},
    {"ghu_", CHARS_WORD, 1},
    {"ghs_", CHARS_WORD, 1},
    {"ghr_", CHARS_WORD, 1},
    {"github_pat_", CHARS_WORD, 1},
    {"glpat-", CHARS_DASH, 10}, /* GitLab */
    {"AIza", CHARS_DASH, 20},   /* Google API keys */
    {"ya29.", CHARS_TOKEN, 1},  /* Google OAuth */
    {"GOCSPX-", CHARS_DASH, 10},
    {"AKIA", CHARS_UPPER, 16}, /* AWS key ids */
    {"ASIA", CHARS_UPPER, 16},
    {"ABSK", CHARS_TOKEN, 20}, /* Bedrock API keys */
    {"xoxb-", CHARS_DASH, 1},  /* Slack */
    {"xoxp-", CHARS_DASH, 1},
    {"xoxa-", CHARS_DASH, 1},
    {"xoxr-", CHARS_DASH, 1},
    {"xoxs-", CHARS_DASH, 1},
    {"xoxe.", CHARS_TOKEN, 1},
    {"xapp-", CHARS_DASH, 1},
    {"sk_live_", CHARS_WORD, 1}, /* Stripe */
    {"sk_test_", CHARS_WORD, 1},
    {"rk_live_", CHARS_WORD, 1},
    {"rk_test_", CHARS_WORD, 1},
    {"pk_live_", CHARS_WORD, 1},
    {"pk_test_", CHARS_WORD, 1},
    {"whsec_", CHARS_TOKEN, 8},
    {"npm_", CHARS_WORD, 20},
    {"pypi-", CHARS_DASH, 20},
    {"hf_", CHARS_WORD, 16},  /* Hugging Face */
    {"gsk_", CHARS_WORD, 16}, /* Groq */
    {"xai-", CHARS_DASH, 20},
    {"r8_", CHARS_WORD, 16},     /* Replicate */
    {"pplx-", CHARS_DASH, 16},   /* Perplexity */
    {"nvapi-", CHARS_DASH, 16},  /* NVIDIA */
    {"fw_", CHARS_WORD, 20},     /* Fireworks */
    {"csk-", CHARS_DASH, 16},    /* Cerebras */
    {"tgp_v1_", CHARS_DASH, 16}, /* Together */
    {"dop_v1_", CHARS_WORD, 16}, /* DigitalOcean */
    {"SG.", CHARS_TOKEN, 20},    /* SendGrid */
    {"shpat_", CHARS_WORD, 16},
    {"lin_api_", CHARS_WORD, 16},
    {"AGE-SECRET-KEY-1", CHARS_UPPER, 16},
};

static bool is_word(char c)
{
    return char_is_alpha(c) || char_is_digit(c) || c == '_';
}

static bool in_set(char c, unsigned set)
{
    switch (set) {
    case CHARS_UPPER:
        return (c >= 'A' && c <= 'Z') || char_is_digit(c);
    case CHARS_WORD:
        return is_word(c);
    case CHARS_DASH:
        return is_word(c) || c == '-';
    default:
        return is_word(c) || (c && strchr("-.~+/=", c));
    }
}

static size_t run_of(struct str s, size_t at, unsigned set)
{
    size_t n = at;
    while (n < s.n && in_set(s.p[n], set))
        n++;
    return n - at;
}

static bool boundary(struct str s, size_t at)
{
    bool before = at > 0 && is_word(s.p[at - 1]), after = at < s.n && is_word(s.p[at]);
    return before != after;
}

/* -- single forms ---------------------------------------------------------------------------- */

static bool starts_fold(struct str s, size_t at, const char *word)
{
    size_t n = strlen(word);
    return s.n - at >= n && str_eq_fold(str_make(s.p + at, n), str_make(word, n));
}

/* A block from -----BEGIN ... PRIVATE KEY to the end of its END line; without one, to
 * the end of the text. */
static size_t private_key(struct str s, size_t at)
{
    struct str rest = str_from(s, at);
    if (!str_starts(rest, STR("-----BEGIN ")))
        return 0;
    size_t head = str_find(str_from(rest, 11), STR("-----"));
    if (head == SIZE_MAX || head > 64)
        return 0;
    struct str title = str_make(rest.p + 11, head);
    if (str_find(title, STR("PRIVATE KEY")) == SIZE_MAX)
        return 0;
    size_t body = 11 + head + 5, end = str_find(str_from(rest, body), STR("-----END "));
    if (end == SIZE_MAX)
        return rest.n;
    size_t close = str_find(str_from(rest, body + end + 9), STR("-----"));
    return close == SIZE_MAX ? rest.n : body + end + 9 + close + 5;
}

/* Three parts of base64url with dots between, the first an object: "eyJ". */
static size_t web_token(struct str s, size_t at)
{
    if (!str_starts(str_from(s, at), STR("eyJ")))
        return 0;
    size_t n = run_of(s, at, CHARS_DASH);
    unsigned parts = 1;
    while (parts < 5 && at + n < s.n && s.p[at + n] == '.') {
        size_t more = run_of(s, at + n + 1, CHARS_DASH);
        if (more == 0 && parts < 2)
            return 0;
        n += 1 + more;
        parts++;
    }
    return parts >= 3 || (parts == 1 && n >= 40) || (parts == 2 && n >= 20) ? n : 0;
}

/* What stands behind "Bearer " and the like; `*keep` is the part before it. */
static size_t credentials(struct str s, size_t at, size_t *keep)
{
    static const char *const words[] = {"bearer", "basic", "token"};
    for (unsigned i = 0; i < 3; i++) {
        if (!starts_fold(s, at, words[i]))
            continue;
        size_t n = strlen(words[i]), space = n;
        while (at + space < s.n && (s.p[at + space] == ' ' || s.p[at + space] == '\t'))
            space++;
        if (space == n)
            continue;
        size_t run = run_of(s, at + space, CHARS_TOKEN);
        /* prose goes on in short plain words */
        bool random = false;
        for (size_t k = 0; k < run; k++)
            random |= char_is_digit(s.p[at + space + k]);
        if (run >= (random ? 8u : 20u)) {
            *keep = space;
            return run;
        }
    }
    return 0;
}

/* scheme://user:password@host: the password. */
static size_t url_password(struct str s, size_t at, size_t *keep)
{
    if (!str_starts(str_from(s, at), STR("://")))
        return 0;
    size_t colon = 0;
    for (size_t i = at + 3; i < s.n && i < at + 512; i++) {
        char c = s.p[i];
        if (c == '@' && colon && i > colon + 1) {
            *keep = colon + 1 - at;
            return i - colon - 1;
        }
        if (c == ':' && !colon)
            colon = i;
        if (c == '/' || c == '?' || c == '#' || c == ' ' || c == '"')
            return 0;
    }
    return 0;
}

/* -- long random texts ------------------------------------------------------------------------ */

/* Does the name tell of a secret? "max_tokens" and "token_count" do not. */
static bool suspicious_key(struct str key)
{
    static const char *const tells[] = {
        "secret",     "password",    "passwd",        "passphrase",   "apikey",
        "accesskey",  "privatekey",  "authorization", "credential",   "bearer",
        "authtoken",  "accesstoken", "refreshtoken",  "idtoken",      "sessiontoken",
        "signingkey", "clientkey",   "cookie",        "encryptionkey"};
    char plain[128];
    size_t n = 0;
    for (size_t i = 0; i < key.n && n < sizeof plain; i++)
        if (is_word(key.p[i]) && key.p[i] != '_')
            plain[n++] = char_fold(key.p[i]);
    struct str k = str_make(plain, n);
    for (size_t i = 0; i < sizeof tells / sizeof tells[0]; i++)
        if (str_find(k, str_of(tells[i])) != SIZE_MAX)
            return true;
    return str_is(k, "token") || str_is(k, "key") || str_is(k, "auth") || str_is(k, "pwd") ||
           str_is(k, "pat") || str_ends(k, STR("token"));
}

/* Bits a character, by the frequencies in the run itself. */
static double entropy(struct str s)
{
    unsigned count[256] = {0};
    double bits = 0;
    for (size_t i = 0; i < s.n; i++)
        count[(unsigned char)s.p[i]]++;
    for (unsigned i = 0; i < 256; i++)
        if (count[i])
            bits -= count[i] * log2((double)count[i] / (double)s.n);
    return bits / (double)s.n;
}

#define RANDOM_LEAST 16 /* characters */
#define RANDOM_BITS 3.0 /* a character; English words have less in so short a run */

static bool looks_random(struct str s)
{
    bool digit = false, lower = false, upper = false;
    for (size_t i = 0; i < s.n; i++) {
        digit |= char_is_digit(s.p[i]);
        lower |= s.p[i] >= 'a' && s.p[i] <= 'z';
        upper |= s.p[i] >= 'A' && s.p[i] <= 'Z';
    }
    return s.n >= RANDOM_LEAST && (digit || (lower && upper)) && entropy(s) >= RANDOM_BITS;
}

/* Under a telling name; or a 40 character AWS secret behind the word "secret". */
static size_t random_run(struct str s, size_t at, bool suspicious)
{
    if (at > 0 && in_set(s.p[at - 1], CHARS_TOKEN))
        return 0;
    size_t n = run_of(s, at, CHARS_TOKEN);
    return suspicious && looks_random(str_make(s.p + at, n)) ? n : 0;
}

/* "aws_secret_access_key = ...", "api_key=...", "password: ..." inside of a text. */
static size_t assignment(struct str s, size_t at, size_t *keep)
{
    size_t name = at;
    while (name < s.n && (is_word(s.p[name]) || s.p[name] == '-'))
        name++;
    if (name == at || name - at > 64)
        return 0;
    size_t value = name;
    while (value < s.n && value < name + 4 && strchr(" \"'", s.p[value]) && s.p[value])
        value++;
    if (value >= s.n || (s.p[value] != '=' && s.p[value] != ':'))
        return 0;
    value++;
    for (size_t i = 0; i < 4 && value < s.n && s.p[value] && strchr(" \"'", s.p[value]); i++)
        value++;
    if (!suspicious_key(str_make(s.p + at, name - at)))
        return 0;
    size_t n = run_of(s, value, CHARS_TOKEN);
    bool password = str_find(str_make(s.p + at, name - at), STR("assword")) != SIZE_MAX;
    if (!(password ? n >= 6 : looks_random(str_make(s.p + value, n))))
        return 0;
    *keep = value - at;
    return n;
}

/* -- all of it
 * ------------------------------------------------------------------------------------- */

static size_t shape_at(struct str s, size_t at)
{
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        size_t n = strlen(shapes[i].prefix);
        if (s.p[at] != shapes[i].prefix[0] || s.n - at < n ||
            memcmp(s.p + at, shapes[i].prefix, n) != 0)
            continue;
        size_t run = run_of(s, at + n, shapes[i].chars);
        while (run && !is_word(s.p[at + n + run - 1])) /* it ends at a word boundary, too */
            run--;
        if (run >= shapes[i].least && (at + n + run == s.n || !is_word(s.p[at + n + run])))
            return n + run;
    }
    return 0;
}

/* How long the secret at `at` is; 0: there is none. `*keep` bytes of it stay. */
static size_t secret_at(struct str s, size_t at, bool suspicious, size_t *keep)
{
    *keep = 0;
    size_t n = 0;
    if (s.p[at] == '-')
        return private_key(s, at);
    if (s.p[at] == ':' && (n = url_password(s, at, keep)))
        return n;
    if (boundary(s, at) && is_word(s.p[at])) {
        if ((n = shape_at(s, at)) || (n = web_token(s, at)) || (n = credentials(s, at, keep)) ||
            (n = assignment(s, at, keep)))
            return n;
    }
    return random_run(s, at, suspicious);
}

size_t redact_text(struct buf *out, struct str text, struct str key)
{
    bool suspicious = suspicious_key(key);
    size_t found = 0, from = 0;
    for (size_t at = 0; at < text.n;) {
        size_t keep, n = secret_at(text, at, suspicious, &keep);
        if (n == 0) {
            at++;
            continue;
        }
        buf_put(out, text.p + from, at + keep - from);
        buf_putz(out, REDACTED);
        at += keep + n;
        from = at;
        found++;
    }
    buf_put(out, text.p + from, text.n - from);
    return found;
}

static void put_string(struct buf *out, struct str s)
{
    struct json_writer one;
    jw_init(&one, out, false);
    jw_str(&one, s);
}

/* Text, not a writer's calls: a value may be nested deeper than a writer goes. */
static size_t redact_json(struct buf *out, const struct json *v, struct str key,
                          struct buf *scratch)
{
    size_t found = 0;
    bool object = v->kind == JSON_OBJECT;
    if (v->kind == JSON_STRING) {
        buf_clear(scratch);
        found = redact_text(scratch, v->text, key);
        out->failed |= scratch->failed;
        put_string(out, str_make(scratch->p, scratch->n));
        return found;
    }
    if (!object && v->kind != JSON_ARRAY) {
        struct json_writer one;
        jw_init(&one, out, false);
        jw_value(&one, v);
        return 0;
    }
    buf_putc(out, object ? '{' : '[');
    for (size_t i = 0; i < v->n; i++) {
        if (i)
            buf_putc(out, ',');
        if (object) {
            put_string(out, v->key[i].text);
            buf_putc(out, ':');
        }
        found += redact_json(out, &v->item[i], object ? v->key[i].text : key, scratch);
    }
    buf_putc(out, object ? '}' : ']');
    return found;
}

size_t redact_value(struct json_writer *w, const struct json *v, struct str key,
                    const cando_allocator *a)
{
    struct buf text, scratch;
    buf_init(&text, a, LIMIT_JSON_BYTES);
    buf_init(&scratch, a, LIMIT_JSON_BYTES);
    size_t found = redact_json(&text, v, key, &scratch);
    if (text.failed)
        w->out->failed = true;
    else
        jw_raw(w, str_make(text.p, text.n));
    buf_free(&text);
    buf_free(&scratch);
    return found;
}

/* -- the question ------------------------------------------------------------------------------ */

const cando_redact_answer *cando_ask_redact(const cando *c, const cando_redact_question *q,
                                            cando_room *room, cando_error *err)
{
    (void)c;
    struct reading r = {.ar = &room->ar};
    struct buf out;
    struct json_writer w;
    const struct json *v = reading_json(&r, q->value, STR("/value"));
    if (!v) {
        reading_end(&r, err);
        return NULL;
    }
    cando_redact_answer *a = arena_alloc(&room->ar, sizeof *a);
    buf_init(&out, room->a, LIMIT_JSON_BYTES);
    jw_init(&w, &out, false);
    size_t n = redact_value(&w, v, STR(""), room->a);
    struct str own = out.failed ? STR_NONE : str_dup(&room->ar, str_make(out.p, out.n));
    buf_free(&out);
    if (!a || !own.p) {
        error_memory(err);
        return NULL;
    }
    *a = (cando_redact_answer){{own.p, own.n}, n};
    return a;
}
