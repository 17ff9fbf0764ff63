#include "learn.h"

#include "catalog/api.h"
#include "redact.h"

enum { MESSAGE_BYTES = 8192, NEST = 4, WALK_DEPTH = 24 };

/* -- a message in its plainest form ----------------------------------------------------- */

/* Folded, white space as one space, quotes straight, n't as " not". `from[i]` is where
 * byte i came from, so that the evidence can be quoted as it was. */
struct plain {
    struct str text, original;
    uint32_t *from;
};

static void plain_put(struct plain *p, char *out, const char *z, size_t n, size_t from)
{
    for (size_t i = 0; i < n; i++) {
        p->from[p->text.n] = (uint32_t)from;
        out[p->text.n++] = z[i];
    }
}

/* The length of a quote of any kind at `at`; 0: there is none. */
static size_t quote_at(struct str s, size_t at)
{
    unsigned char c = (unsigned char)s.p[at];
    if (c == '\'' || c == '`' || c == '"')
        return 1;
    if (c != 0xe2 || s.n - at < 3 || s.p[at + 1] != (char)0x80)
        return 0;
    unsigned char kind = (unsigned char)s.p[at + 2]; /* the typographic ones */
    return kind == 0x98 || kind == 0x99 || kind == 0x9c || kind == 0x9d ? 3 : 0;
}

static bool plain_make(struct plain *p, struct arena *ar, struct str s)
{
    s = str_head(s, MESSAGE_BYTES);
    char *out = arena_alloc(ar, 2 * s.n + 8);
    *p = (struct plain){str_make(out, 0), s, arena_array(ar, 2 * s.n + 8, sizeof *p->from)};
    if (!out || !p->from)
        return false;
    for (size_t i = 0; i < s.n;) {
        unsigned char c = (unsigned char)s.p[i];
        size_t n = p->text.n, quote = quote_at(s, i);
        if (quote && n > 1 && out[n - 1] == 'n' && char_is_alpha(out[n - 2]) && i + quote < s.n &&
            char_fold(s.p[i + quote]) == 't') {
            p->text.n--; /* does|n't */
            plain_put(p, out, " not", 4, i);
            i += quote + 1;
        } else if (quote) {
            plain_put(p, out, "'", 1, i);
            i += quote;
        } else {
            char folded = char_fold((char)c);
            bool space = c <= ' ' || c == 0x7f;
            if (!space || (n && out[n - 1] != ' '))
                plain_put(p, out, space ? " " : &folded, 1, i);
            i++;
        }
    }
    return true;
}

/* -- patterns with holes ------------------------------------------------------------------ */

#define NUMBERS 2

struct match {
    struct str text, model;
    struct str param, words;
    unsigned param_field, cap_field; /* FIELD_COUNT: none */
    uint64_t number[NUMBERS];
    size_t n_numbers;
    bool param_seen;
};

static bool is_name_char(char c)
{
    return char_is_name(c) || c == '[' || c == ']';
}

static bool is_boundary(struct str s, size_t at)
{
    return at == 0 || at >= s.n || !(char_is_alpha(s.p[at - 1]) || char_is_digit(s.p[at - 1])) ||
           !(char_is_alpha(s.p[at]) || char_is_digit(s.p[at]));
}

static bool same_param(struct str a, const char *b)
{
    size_t i = 0;
    for (; *b; b++) {
        if (*b == '_' || *b == '-')
            continue;
        while (i < a.n && (a.p[i] == '_' || a.p[i] == '-'))
            i++;
        if (i >= a.n || char_fold(a.p[i]) != *b)
            return false;
        i++;
    }
    while (i < a.n && (a.p[i] == '_' || a.p[i] == '-'))
        i++;
    return i == a.n;
}

static unsigned find_param(struct str name)
{
    for (size_t i = 0; i < refusals.n_params; i++)
        if (same_param(name, refusals.params[i].text.p))
            return refusals.params[i].field;
    return FIELD_COUNT;
}

/* A word in quotes or not; the end of it, or 0. */
static size_t take_name(struct str s, size_t at, struct str *name, bool only_quoted)
{
    bool quoted = at < s.n && s.p[at] == '\'';
    if (only_quoted && !quoted)
        return 0;
    size_t from = at + quoted, end = from;
    while (end < s.n && end - from < 96 &&
           (quoted ? s.p[end] != '\'' && s.p[end] != ' ' : is_name_char(s.p[end])))
        end++;
    if (end == from || (quoted && (end >= s.n || s.p[end] != '\'')))
        return 0;
    if (!quoted && s.p[end - 1] == '.' && end - from > 1) /* the end of a sentence */
        end--;
    *name = str_make(s.p + from, end - from);
    return end + quoted;
}

static size_t take_param(struct match *m, size_t at)
{
    struct str name;
    size_t end = is_boundary(m->text, at) ? take_name(m->text, at, &name, false) : 0;
    if (!end)
        return 0;
    m->param = name;
    m->param_field = find_param(name);
    m->param_seen = true;
    return end;
}

/* Words for a capability do not end within a name: reasoning_effort is no reasoning. */
static bool is_in_name(struct str s, size_t at)
{
    return (at > 0 && s.p[at - 1] == '_') || (at < s.n && s.p[at] == '_');
}

static size_t take_cap(struct match *m, size_t at)
{
    struct str s = m->text;
    size_t best = 0, quoted = at < s.n && s.p[at] == '\'';
    if (!is_boundary(s, at) || is_in_name(s, at))
        return 0;
    for (size_t i = 0; i < refusals.n_capabilities; i++) {
        struct str words = refusals.capabilities[i].text;
        size_t end = at + quoted + words.n;
        if (words.n <= best || end > s.n || memcmp(s.p + at + quoted, words.p, words.n) != 0 ||
            !is_boundary(s, end) || is_in_name(s, end))
            continue;
        if (quoted && (end >= s.n || s.p[end] != '\''))
            continue;
        best = words.n;
        m->cap_field = refusals.capabilities[i].field;
    }
    return best ? at + best + 2 * quoted : 0;
}

static size_t take_literal(struct str s, size_t at, const char *z)
{
    size_t n = strlen(z);
    return at + n <= s.n && memcmp(s.p + at, z, n) == 0 ? at + n : 0;
}

static size_t take_word_of(struct str s, size_t at, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t end = take_literal(s, at, words[i]);
        if (end && is_boundary(s, end))
            return end;
    }
    return 0;
}

/* The run of bytes up to a space, without a full stop or comma at its end. */
static size_t take_run(struct str s, size_t at)
{
    size_t end = at;
    while (end < s.n && s.p[end] != ' ')
        end++;
    while (end > at && (s.p[end - 1] == '.' || s.p[end - 1] == ',' || s.p[end - 1] == ';'))
        end--;
    return end > at ? end : 0;
}

static size_t take_model(struct match *m, size_t at)
{
    struct str s = m->text;
    size_t end = take_run(s, at);
    if (!end || (at && s.p[at - 1] != ' ' && s.p[at - 1] != ':'))
        return 0;
    for (size_t i = at; i < end; i++)
        if (char_is_digit(s.p[i]) || strchr("-/:'", s.p[i]))
            return end;
    return 0;
}

static size_t take_this(struct match *m, size_t at)
{
    static const char *const names[] = {
        "this model",          "the model",         "the selected model", "the specified model",
        "the requested model", "the current model", "the provided model", "this deployment",
        "the chosen model",    "your model",
    };
    struct str s = m->text, name;
    size_t end, next;
    if (!is_boundary(s, at))
        return 0;
    if ((end = take_literal(s, at, "models/")))
        return take_run(s, end);
    if ((end = take_literal(s, at, "model ")) || (end = take_literal(s, at, "the model ")))
        if (take_model(m, end))
            return take_run(s, end);
    if ((end = take_word_of(s, at, names, COUNT_OF(names))))
        return end;
    if ((end = take_literal(s, at, "the ")) && (next = take_name(s, end, &name, false)) &&
        take_literal(s, next, " model"))
        return next + 6;
    bool quoted = at < s.n && s.p[at] == '\'';
    if (m->model.n && s.n - at >= m->model.n + quoted &&
        str_eq_fold(str_make(s.p + at + quoted, m->model.n), m->model)) {
        end = at + quoted + m->model.n;
        if (quoted && end < s.n && s.p[end] == '\'')
            end++;
        return is_boundary(s, end) ? end : 0;
    }
    return 0;
}

static size_t take_number(struct match *m, size_t at)
{
    uint64_t n = 0;
    size_t end = at;
    struct str s = m->text;
    for (; end < s.n; end++) {
        char c = s.p[end];
        if (c == ',' && end > at && end + 1 < s.n && char_is_digit(s.p[end + 1]))
            continue;
        if (!char_is_digit(c))
            break;
        n = n * 10 + (uint64_t)(c - '0');
        if (n > LIMIT_NUMBER)
            return 0;
    }
    if (end == at || m->n_numbers == NUMBERS)
        return 0;
    m->number[m->n_numbers++] = n;
    return end;
}

/* 'low', 'medium', and 'high' */
static size_t take_words(struct match *m, size_t at)
{
    struct str s = m->text, name;
    size_t end = 0;
    for (size_t next = at; (next = take_name(s, next, &name, false));) {
        end = next;
        size_t mark = next;
        while (next < s.n && (s.p[next] == ',' || s.p[next] == ' '))
            next++;
        if (next == mark)
            break;
        size_t word = take_literal(s, next, "and ");
        if (!word)
            word = take_literal(s, next, "or ");
        if (word)
            next = word;
        else if (s.p[mark] != ',')
            break;
    }
    if (end)
        m->words = str_make(s.p + at, end - at);
    return end;
}

static size_t take_value(struct match *m, size_t at)
{
    struct str name;
    size_t end = take_name(m->text, at, &name, true);
    return end ? end : take_run(m->text, at);
}

static size_t take_hole(struct match *m, struct str hole, size_t at)
{
    static const char *const with[] = {"with", "by", "for", "on", "in", "using", "to"};
    static const char *const the[] = {"the ", "an ", "a "};
    struct str name;
    if (str_is(hole, "param"))
        return take_param(m, at);
    if (str_is(hole, "cap"))
        return take_cap(m, at);
    if (str_is(hole, "this"))
        return take_this(m, at);
    if (str_is(hole, "model"))
        return take_model(m, at);
    if (str_is(hole, "with"))
        return take_word_of(m->text, at, with, COUNT_OF(with));
    if (str_is(hole, "n"))
        return take_number(m, at);
    if (str_is(hole, "words"))
        return take_words(m, at);
    if (str_is(hole, "value"))
        return take_value(m, at);
    if (str_is(hole, "quoted")) {
        size_t end = take_name(m->text, at, &name, true);
        if (end)
            m->cap_field = find_param(name);
        return end;
    }
    for (size_t i = 0; i < COUNT_OF(the); i++) { /* {the} */
        size_t end = take_literal(m->text, at, the[i]);
        if (end)
            return end;
    }
    return at;
}

/* The end of a match of `p` that begins at `at`; 0: none. A hole has one reading. */
static size_t match_at(struct match *m, const char *p, size_t at)
{
    while (*p) {
        if (*p != '{') {
            if (at >= m->text.n || m->text.p[at] != *p)
                return 0;
            at++;
            p++;
            continue;
        }
        const char *close = strchr(p, '}');
        struct str hole = str_make(p + 1, (size_t)(close - p) - 1);
        p = close + 1;
        size_t end = take_hole(m, hole, at);
        if (!end && !(str_is(hole, "the") && at == 0))
            return 0;
        at = end;
    }
    return at;
}

/* Is every piece of plain text of the pattern there at all? Mostly it is not, and the
 * search is over before it began. */
static bool has_pieces(struct str text, const char *pattern)
{
    while (*pattern) {
        size_t n = strcspn(pattern, "{");
        if (n > 1 && str_find(text, str_make(pattern, n)) == SIZE_MAX)
            return false;
        pattern += n;
        pattern += *pattern ? strcspn(pattern, "}") + 1 : 0;
    }
    return true;
}

static bool match_find(struct match *m, const char *pattern, size_t *from, size_t *to)
{
    struct match fresh = *m;
    bool word = char_is_alpha(pattern[0]);
    for (size_t at = *from; at < m->text.n; at++) {
        if (*pattern != '{' && m->text.p[at] != *pattern)
            continue;
        if (word && !is_boundary(m->text, at))
            continue;
        *m = fresh;
        size_t end = match_at(m, pattern, at);
        if (end && is_boundary(m->text, end)) {
            *from = at;
            *to = end;
            return true;
        }
    }
    return false;
}

/* -- from a match to a field ---------------------------------------------------------------- */

struct str learn_line(struct arena *ar, struct str text)
{
    struct buf b;
    struct str out = STR_NONE;
    buf_init(&b, ar->a, 8 * MESSAGE_BYTES);
    redact_text(&b, str_head(text, MESSAGE_BYTES), STR(""));
    struct str s = STR_IN(b);
    char *line = b.failed ? NULL : arena_alloc(ar, LIMIT_EVIDENCE_BYTES + 1);
    if (line) {
        size_t n = 0;
        for (size_t i = 0; i < s.n;) {
            unsigned step = utf8_step(s.p + i, s.n - i);
            unsigned char c = (unsigned char)s.p[i];
            if (n + (step ? step : 1) > LIMIT_EVIDENCE_BYTES)
                break;
            if (!step || c < 0x20 || c == 0x7f)
                line[n++] = step ? ' ' : '?';
            else
                memcpy(line + n, s.p + i, step), n += step;
            i += step ? step : 1;
        }
        out = str_make(line, n);
    }
    buf_free(&b);
    return out;
}

/* The sentence around [from, to) of the plain text, as it was written. What a client put
 * before it ("calling the operation: ...") does not belong to it. */
static struct str sentence(const struct plain *p, size_t from, size_t to, struct str *plain)
{
    struct str s = p->text;
    while (from > 0 &&
           !(s.p[from - 1] == ' ' && from > 1 && (s.p[from - 2] == '.' || s.p[from - 2] == ':')))
        from--;
    while (to < s.n && !(s.p[to - 1] == '.' && (s.p[to] == ' ' || s.p[to] == '\'')))
        to++;
    *plain = str_make(s.p + from, to - from);
    size_t end = to < s.n ? p->from[to] : p->original.n;
    return str_make(p->original.p + p->from[from], end - p->from[from]);
}

/* Is `z` in the text, as if that had a space at either end? */
static bool has_words(struct str s, const char *z)
{
    size_t n = strlen(z);
    for (size_t from = 0; from + n <= s.n + 2; from++) {
        size_t i = 0;
        while (i < n && z[i] == (from + i == 0 || from + i == s.n + 1 ? ' ' : s.p[from + i - 1]))
            i++;
        if (i == n)
            return true;
    }
    return false;
}

static const char *guard_of(struct str sentence)
{
    for (size_t i = 0; i < refusals.n_guards; i++)
        if (has_words(sentence, refusals.guards[i].text.p))
            return refusals.guards[i].why.p;
    return NULL;
}

static unsigned field_of(const struct api_refusal *s, const struct match *m)
{
    if (str_is(s->field, "{param}"))
        return m->param_field;
    if (str_is(s->field, "{cap}"))
        return m->cap_field;
    return vocab_find(VOCAB_CANDO, s->field);
}

/* Words of the field's own list, separated by spaces; empty if there is another. */
static struct str words_of(struct arena *ar, unsigned field, struct str list)
{
    char *out = arena_alloc(ar, list.n + 1);
    size_t n = 0, at = 0;
    while (out && at < list.n) {
        size_t from = at;
        while (at < list.n && is_name_char(list.p[at]))
            at++;
        struct str word = str_make(list.p + from, at - from);
        at += at == from;
        if (!word.n || str_is(word, "and") || str_is(word, "or"))
            continue;
        if (!vocab_word(field, word))
            return STR("");
        if (n)
            out[n++] = ' ';
        memcpy(out + n, word.p, word.n);
        n += word.n;
    }
    return str_make(out, out ? n : 0);
}

/* The number that stands before the match: "100000 > 64000, which is ...". */
static bool number_before(struct match *m, size_t from)
{
    size_t end = from;
    while (end > 0 && !char_is_digit(m->text.p[end - 1]) && from - end < 4)
        end--;
    size_t at = end;
    while (at > 0 && char_is_digit(m->text.p[at - 1]))
        at--;
    m->n_numbers = 0;
    return at < end && take_number(m, at);
}

/* p is NULL if there was no memory, n is 0 if the value makes no sense. */
static struct str value_of(struct arena *ar, const struct api_refusal *s, struct match *m,
                           unsigned field, size_t from)
{
    if (str_is(s->value, "{words}"))
        return words_of(ar, field, m->words);
    bool number = str_is(s->value, "{n}"), less = str_is(s->value, "{n-1}");
    if (str_is(s->value, "{before}"))
        number = number_before(m, from);
    if (!number && !less)
        return str_starts(s->value, STR("{")) ? STR("") : str_dup(ar, s->value);
    uint64_t n = m->n_numbers ? m->number[m->n_numbers - 1] : 0;
    if (n <= less)
        return STR("");
    return str_printf(ar, "%ju", (uintmax_t)(n - less));
}

static bool already(const struct learning *l, unsigned field)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->item[i].field == field)
            return true;
    return false;
}

/* What of a message has been understood: "adaptive thinking is not supported" says
 * nothing of thinking as such. */
struct spans {
    struct {
        size_t from, to;
    } item[LIMIT_LEARNT];
    size_t n;
};

static bool is_taken(const struct spans *t, size_t from, size_t to)
{
    for (size_t i = 0; i < t->n; i++)
        if (from < t->item[i].to && to > t->item[i].from &&
            (from != t->item[i].from || to != t->item[i].to))
            return true;
    return false;
}

static bool take_shape(struct learning *l, const struct plain *p, const struct api_refusal *s,
                       struct match *m, size_t from, size_t to)
{
    struct str plain, quote = sentence(p, from, to, &plain);
    const char *guard = guard_of(plain);
    unsigned field = field_of(s, m);
    if (guard) {
        l->why_not = str_of(guard);
        return true;
    }
    if (field >= FIELD_COUNT) {
        if (m->param_seen && !l->why_not.n)
            l->why_not = STR("it names a parameter that the vocabulary does not have");
        return true;
    }
    /* the name of a limit is no capability: "use max_completion_tokens" has decided it */
    if (already(l, field) || (field == F_max_tokens && already(l, F_token_limit_param)) ||
        l->n == LIMIT_LEARNT)
        return true;
    struct str value = value_of(l->ar, s, m, field, from), evidence = learn_line(l->ar, quote);
    if (!value.p || !evidence.p)
        return false;
    if (value.n)
        l->item[l->n++] = (struct learnt){field, value, evidence};
    return true;
}

/* All that a message says by this sentence. */
static bool read_refusal(struct learning *l, const struct plain *p, const struct api_refusal *s,
                         struct spans *taken)
{
    for (size_t from = 0, to; from < p->text.n; from = to) {
        struct match m = {.text = p->text,
                          .model = l->model,
                          .param_field = FIELD_COUNT,
                          .cap_field = FIELD_COUNT};
        if (!match_find(&m, s->pattern.p, &from, &to))
            break;
        if (is_taken(taken, from, to))
            continue;
        if (!take_shape(l, p, s, &m, from, to))
            return false;
        if (taken->n < LIMIT_LEARNT) {
            taken->item[taken->n].from = from;
            taken->item[taken->n++].to = to;
        }
    }
    return true;
}

static bool read_refusals(struct learning *l, const struct plain *p, const struct api_refusal *s,
                          size_t n, struct str param, struct spans *taken)
{
    for (size_t i = 0; i < n; i++, s++) {
        if (s->param.n && !same_param(param, s->param.p))
            continue;
        if (has_pieces(p->text, s->pattern.p) && !read_refusal(l, p, s, taken))
            return false;
    }
    return true;
}

/* `param` is what the reply names as the culprit, or empty. */
static bool read_message(struct learning *l, struct str message, struct str param)
{
    struct plain p;
    struct spans taken = {.n = 0};
    if (!plain_make(&p, l->ar, message))
        return false;
    for (const struct api *a = apis; a < apis + API_COUNT; a++)
        if (!read_refusals(l, &p, a->refusals, a->n_refusals, param, &taken))
            return false;
    return read_refusals(l, &p, refusals.refusals, refusals.n_refusals, param, &taken);
}

/* -- the reply -------------------------------------------------------------------------------- */

static bool is_message_key(struct str key)
{
    static const char *const keys[] = {"message",           "msg", "error",  "detail", "details",
                                       "error_description", "raw", "reason", "title"};
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        if (str_eq_fold(key, str_of(keys[i])))
            return true;
    return false;
}

static bool read_text(struct learning *l, struct str text, struct str param, unsigned nest);

/* {"type":"extra_forbidden","loc":["body","reasoning_effort"],"msg":..}: the server does
 * not know the member. */
static bool read_forbidden(struct learning *l, const struct json *v)
{
    const struct json *type = json_get(v, "type"), *loc = json_get(v, "loc");
    if (!type || type->kind != JSON_STRING || !str_is(type->text, "extra_forbidden") || !loc ||
        loc->kind != JSON_ARRAY || !loc->n)
        return true;
    const struct json *last = &loc->item[loc->n - 1];
    if (last->kind != JSON_STRING)
        return true;
    unsigned field = find_param(last->text);
    if (field >= FIELD_COUNT || already(l, field) || l->n == LIMIT_LEARNT)
        return true;
    struct str quote = str_printf(l->ar, "%.*s: extra inputs are not permitted",
                                  STR_ARG(str_head(last->text, 64)));
    struct str evidence = quote.p ? learn_line(l->ar, quote) : quote;
    if (!evidence.p)
        return false;
    l->item[l->n++] = (struct learnt){field, STR("unsupported"), evidence};
    return true;
}

static bool read_json(struct learning *l, const struct json *v, struct str param, unsigned depth,
                      unsigned nest)
{
    if (depth > WALK_DEPTH || (v->kind != JSON_OBJECT && v->kind != JSON_ARRAY))
        return true;
    if (v->kind == JSON_OBJECT) {
        const struct json *named = json_get(v, "param");
        if (named && named->kind == JSON_STRING)
            param = named->text;
        if (!read_forbidden(l, v))
            return false;
    }
    for (size_t i = 0; i < v->n; i++) {
        const struct json *item = &v->item[i];
        if (item->kind == JSON_STRING && v->kind == JSON_OBJECT && is_message_key(v->key[i].text)) {
            if (!read_text(l, item->text, param, nest + 1))
                return false;
        } else if (!read_json(l, item, param, depth + 1, nest)) {
            return false;
        }
    }
    return true;
}

/* Routers pack the reply of the upstream into a string of their own. */
static bool read_text(struct learning *l, struct str text, struct str param, unsigned nest)
{
    size_t at = 0;
    while (at < text.n && char_is_space(text.p[at]))
        at++;
    if (at < text.n && (text.p[at] == '{' || text.p[at] == '[') && nest < NEST) {
        struct json_error bad;
        const struct json *v = json_parse(l->ar, text, &bad);
        if (v)
            return read_json(l, v, param, 0, nest);
        if (bad.code == CODE_memory)
            return false;
    }
    return read_message(l, text, param);
}

bool learn_from(struct learning *l, struct str reply)
{
    l->why_not = STR("");
    return read_text(l, reply, STR(""), 0);
}
