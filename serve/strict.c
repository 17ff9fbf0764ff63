#include "strict.h"

enum {
    AT_START, /* between requests */
    AT_METHOD,
    AT_TARGET,
    AT_VERSION,
    AT_LINE_LF, /* the line's LF */
    AT_LINE,    /* where a header, or the end of the head, begins */
    AT_NAME,
    AT_BLANK, /* before a value */
    AT_VALUE,
    AT_END_LF, /* the LF that ends the head */
    AT_BODY,
    AT_SIZE, /* of a chunk */
    AT_SIZE_LF,
    AT_CHUNK,
    AT_CHUNK_CR,
    AT_CHUNK_LF,
    AT_LAST_CR, /* behind the last chunk */
    AT_LAST_LF,
};

/* Headers that are no lists: two of them are two opinions. */
enum { FIELD_HOST, FIELD_LENGTH, FIELD_CODING };
static const char *const single[] = {
    [FIELD_HOST] = "host",
    [FIELD_LENGTH] = "content-length",
    [FIELD_CODING] = "transfer-encoding",
    "authorization",
    "content-encoding",
    "content-type",
    "date",
    "expect",
    "from",
    "if-modified-since",
    "last-event-id",
    "max-forwards",
    "mcp-protocol-version",
    "mcp-session-id",
    "origin",
    "proxy-authorization",
    "range",
    "referer",
    "x-api-key",
    "x-goog-api-key",
};
enum { N_SINGLE = sizeof single / sizeof *single };

/* Which bytes may stand in a token, in a target and in a value; none above ASCII is plain. */
enum { TOKEN = 1, TARGET = 2, VALUE = 4 };
static const uint8_t fits[256] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    4, 7, 4, 5, 7, 7, 7, 7, 6, 6, 7, 7, 6, 7, 7, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 6, 6, 4, 6, 4, 6,
    6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 6, 4, 6, 7, 7,
    7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 6, 7, 6, 7, 0,
};

static bool is_in(unsigned part, unsigned char c)
{
    return fits[c] & part;
}

static void begin(struct strict *s)
{
    *s = (struct strict){.state = AT_START, .field = -1};
}

void strict_init(struct strict *s)
{
    begin(s);
}

bool strict_is_inside(const struct strict *s)
{
    return s->state != AT_START;
}

static bool refuse(struct strict *s, unsigned status, const char *why)
{
    s->status = status;
    s->why = why;
    return false;
}

static bool go(struct strict *s, unsigned state)
{
    s->state = (uint8_t)state;
    s->at = 0;
    return true;
}

/* -- the head ---------------------------------------------------------------------------------- */

static bool in_method(struct strict *s, unsigned char c)
{
    if (c == ' ' && s->at)
        return go(s, AT_TARGET);
    if (!is_in(TOKEN, c))
        return refuse(s, 400, "the request line does not begin with a method");
    if (++s->at > STRICT_METHOD_BYTES)
        return refuse(s, 400, "the method is too long");
    return true;
}

static bool in_target(struct strict *s, unsigned char c)
{
    if (c == ' ' && s->at)
        return go(s, AT_VERSION);
    if (!is_in(TARGET, c))
        return refuse(s, 400, "the address has a character that it may not have");
    if (s->at == 0 && c != '/')
        return refuse(s, 400, "the address does not begin with a slash");
    if (++s->at > STRICT_TARGET_BYTES)
        return refuse(s, 414, "the address is too long");
    return true;
}

static bool in_version(struct strict *s, unsigned char c)
{
    static const char version[] = "HTTP/1.";
    enum { N = sizeof version - 1 };
    if (s->at < N && c == (unsigned char)version[s->at]) {
        s->at++;
        return true;
    }
    if (s->at == N && (c == '0' || c == '1')) {
        s->old = c == '0';
        s->at++;
        return true;
    }
    if (s->at == N + 1 && c == '\r')
        return go(s, AT_LINE_LF);
    if (s->at >= sizeof "HTTP/" - 1 && s->at <= N && char_is_digit((char)c))
        return refuse(s, 505, "this is HTTP/1.1 alone");
    return refuse(s, 400, "the request line does not end in HTTP/1.1");
}

/* The name is complete. */
static bool begin_value(struct strict *s)
{
    struct str name = {s->word, s->at};
    s->field = -1;
    for (int i = 0; s->at <= sizeof s->word && i < N_SINGLE; i++) {
        if (single[i][0] != name.p[0] || !str_is(name, single[i]))
            continue;
        if (s->seen & 1u << i)
            return refuse(s, 400, "a header that may stand there once stands there twice");
        s->seen |= 1u << i;
        s->field = i;
        break;
    }
    return go(s, AT_BLANK);
}

static bool in_name(struct strict *s, unsigned char c)
{
    if (c == ':' && s->at)
        return begin_value(s);
    if (!is_in(TOKEN, c))
        return refuse(s, 400, "a header has no name, or a space before its colon");
    if (s->at < sizeof s->word)
        s->word[s->at] = char_fold((char)c);
    if (++s->at > STRICT_LINE_BYTES)
        return refuse(s, 431, "a header is too long");
    return true;
}

/* The value is complete. */
static bool end_value(struct strict *s)
{
    struct str word = {s->word, s->at < sizeof s->word ? s->at : 0}; /* of those that are read */
    while (word.n && (word.p[word.n - 1] == ' ' || word.p[word.n - 1] == '\t'))
        word.n--;
    if (s->field == FIELD_HOST && !s->at)
        return refuse(s, 400, "Host is empty");
    if (s->field == FIELD_LENGTH) {
        if (!word.n)
            return refuse(s, 400, "Content-Length is no number");
        s->has_length = true;
    }
    if (s->field == FIELD_CODING) {
        if (!str_eq(word, STR("chunked")))
            return refuse(s, 501, "the one transfer coding is chunked");
        s->chunked = true;
    }
    return go(s, AT_LINE_LF);
}

static bool in_value(struct strict *s, unsigned char c)
{
    if (c == '\r')
        return end_value(s);
    if (c < 0x80 && !is_in(VALUE, c))
        return refuse(s, 400, "a header has a control character, or ends in a bare line feed");
    if (s->field == FIELD_LENGTH) {
        if (!char_is_digit((char)c))
            return refuse(s, 400, "Content-Length is no number");
        if (s->at >= 18)
            return refuse(s, 413, "the body is too large");
        s->left = s->left * 10 + (uint64_t)(c - '0');
    }
    if (s->at < sizeof s->word)
        s->word[s->at] = char_fold((char)c);
    if (++s->at > STRICT_LINE_BYTES)
        return refuse(s, 431, "a header is too long");
    return true;
}

/* What the head says is one thing, and where the request ends is known. */
static bool end_head(struct strict *s)
{
    uint64_t left = s->left;
    if (!(s->seen & 1u << FIELD_HOST))
        return refuse(s, 400, "there is no Host");
    if (s->chunked && s->has_length)
        return refuse(s, 400, "there is a Content-Length, and a Transfer-Encoding too");
    if (s->chunked && s->old)
        return refuse(s, 400, "HTTP/1.0 has no Transfer-Encoding");
    if (s->chunked)
        return go(s, AT_SIZE);
    begin(s);
    if (left) {
        s->left = left;
        s->state = AT_BODY;
    }
    return true;
}

static bool in_line(struct strict *s, unsigned char c)
{
    if (c == '\r')
        return go(s, AT_END_LF);
    if (++s->headers > STRICT_HEADERS)
        return refuse(s, 431, "there are too many headers");
    if (c == ' ' || c == '\t')
        return refuse(s, 400, "a header goes on in the next line");
    s->state = AT_NAME;
    return in_name(s, c);
}

/* The bytes that make up the part that it is in, if there is nothing more to be known of each;
 * 0: they are looked at one by one. */
static unsigned plain_bytes(const struct strict *s)
{
    if (s->state == AT_NAME || s->state == AT_METHOD)
        return TOKEN;
    if (s->state == AT_TARGET && s->at)
        return TARGET;
    bool read = s->field == FIELD_LENGTH || s->field == FIELD_CODING;
    return s->state == AT_VALUE && !read ? VALUE : 0;
}

static size_t most_bytes(const struct strict *s)
{
    return s->state == AT_METHOD   ? STRICT_METHOD_BYTES
           : s->state == AT_TARGET ? STRICT_TARGET_BYTES
                                   : STRICT_LINE_BYTES;
}

/* How many of the bytes are blanks before a value, which begins behind them. */
static size_t blank_run(struct strict *s, const char *p, size_t n)
{
    size_t k = 0, most = STRICT_HEAD_BYTES - s->head < n ? STRICT_HEAD_BYTES - s->head : n;
    if (s->state != AT_BLANK)
        return 0;
    while (k < most && (p[k] == ' ' || p[k] == '\t'))
        k++;
    s->head += (uint32_t)k;
    if (k < most)
        s->state = AT_VALUE;
    return k;
}

/* How many of the bytes are more of the part that it is in, below its limits. */
static size_t plain_run(struct strict *s, const char *p, size_t n)
{
    unsigned part = plain_bytes(s);
    if (!part)
        return 0;
    size_t most = most_bytes(s) - s->at, k = 0;
    most = most < n ? most : n;
    most = STRICT_HEAD_BYTES - s->head < most ? STRICT_HEAD_BYTES - s->head : most;
    while (k < most && is_in(part, (unsigned char)p[k]))
        k++;
    for (size_t i = 0; s->state == AT_NAME && i < k && s->at + i < sizeof s->word; i++)
        s->word[s->at + i] = char_fold(p[i]);
    s->at += (uint32_t)k;
    s->head += (uint32_t)k;
    return k;
}

/* The end of a line as nearly all end, if it is here as a whole: a version, a value. */
static size_t plain_end(struct strict *s, const char *p, size_t n)
{
    struct str end = s->state == AT_VERSION && !s->at ? STR("HTTP/1.1\r\n") : STR("\r\n");
    if (s->state != AT_VALUE && end.n == 2)
        return 0;
    if (n < end.n || memcmp(p, end.p, end.n) != 0 || s->head + end.n > STRICT_HEAD_BYTES)
        return 0;
    if (s->state == AT_VALUE && !end_value(s))
        return 0; /* the carriage return is refused, and says why */
    s->head += (uint32_t)end.n;
    go(s, AT_LINE);
    return end.n;
}

static bool head_byte(struct strict *s, unsigned char c)
{
    if (++s->head > STRICT_HEAD_BYTES)
        return refuse(s, 431, "the headers are too long");
    switch (s->state) {
    case AT_START:
        s->state = AT_METHOD; /* fallthrough */
    case AT_METHOD:
        return in_method(s, c);
    case AT_TARGET:
        return in_target(s, c);
    case AT_VERSION:
        return in_version(s, c);
    case AT_LINE_LF:
        return c == '\n' ? go(s, AT_LINE) : refuse(s, 400, "a line ends in a bare carriage return");
    case AT_LINE:
        return in_line(s, c);
    case AT_NAME:
        return in_name(s, c);
    case AT_BLANK:
        if (c == ' ' || c == '\t')
            return true;
        s->state = AT_VALUE; /* fallthrough */
    case AT_VALUE:
        return in_value(s, c);
    default: /* AT_END_LF */
        return c == '\n' ? end_head(s) : refuse(s, 400, "the head ends in a bare carriage return");
    }
}

/* -- the body ---------------------------------------------------------------------------------- */

static int hex_of(unsigned char c)
{
    char f = char_fold((char)c);
    return char_is_digit(f) ? f - '0' : f >= 'a' && f <= 'f' ? f - 'a' + 10 : -1;
}

static bool in_size(struct strict *s, unsigned char c)
{
    int digit = hex_of(c);
    if (c == '\r' && s->at)
        return go(s, AT_SIZE_LF);
    if (digit < 0)
        return refuse(s, 400, "the size of a chunk is no number");
    if (++s->at > 8)
        return refuse(s, 413, "a chunk is too large");
    s->left = s->at == 1 ? (uint64_t)digit : s->left * 16 + (uint64_t)digit;
    return true;
}

static bool body_byte(struct strict *s, unsigned char c)
{
    switch (s->state) {
    case AT_SIZE:
        return in_size(s, c);
    case AT_SIZE_LF:
        return c == '\n' ? go(s, s->left ? AT_CHUNK : AT_LAST_CR)
                         : refuse(s, 400, "the size of a chunk ends in no line end");
    case AT_CHUNK_CR:
        return c == '\r' ? go(s, AT_CHUNK_LF) : refuse(s, 400, "a chunk is longer than its size");
    case AT_CHUNK_LF:
        return c == '\n' ? go(s, AT_SIZE) : refuse(s, 400, "a chunk ends in no line end");
    case AT_LAST_CR:
        return c == '\r' ? go(s, AT_LAST_LF) : refuse(s, 400, "trailers are not taken");
    default: /* AT_LAST_LF */
        if (c != '\n')
            return refuse(s, 400, "the last chunk ends in no line end");
        begin(s);
        return true;
    }
}

/* Bytes that are nobody's to judge. */
static size_t skip(struct strict *s, size_t n)
{
    size_t k = n < s->left ? n : (size_t)s->left;
    s->left -= k;
    if (s->left)
        return k;
    if (s->state == AT_BODY)
        begin(s);
    else
        s->state = AT_CHUNK_CR;
    return k;
}

size_t strict_feed(struct strict *s, const char *p, size_t n)
{
    size_t i = 0;
    if (s->status)
        return 0;
    while (i < n) {
        if (s->state == AT_BODY || s->state == AT_CHUNK) {
            i += skip(s, n - i);
            continue;
        }
        i += blank_run(s, p + i, n - i);
        i += plain_run(s, p + i, n - i);
        i += plain_end(s, p + i, n - i);
        if (i == n)
            break;
        unsigned char c = (unsigned char)p[i];
        if (!(s->state < AT_BODY ? head_byte(s, c) : body_byte(s, c)))
            return i;
        i++;
    }
    return n;
}
