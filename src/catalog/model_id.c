/*
 * model_id.c - takes a model's spelling apart and finds the model behind it.
 *
 *     us.anthropic.claude-opus-4-6-v1:0
 *     ^^ ^^^^^^^^^ ^^^^^^^^^^^^^^^ ^^^^
 *     region  vendor     base     suffix
 *
 * The text is folded once into `room` and then only cut: prefixes from the
 * left (paths, regions, vendors), tags, packaging words and dates from the
 * right. Cutting is cheap and always possible. Knowing is another matter: which
 * of the cuts is part of the name (mistral-large-2411) and which is not
 * (claude-opus-4-6-20260205) no rule can say, so the tables decide. Before each
 * cut the text as it stands is looked up, most literal spelling first, then in
 * the other ways to write its version; the first that a table knows is the
 * model, and from there on only a date is still taken off for `base`.
 *
 * Nothing is guessed beyond that: words that change the model (-mini, -turbo,
 * -preview, a size) are never cut, and what no table knows has no canonical id.
 */
#include "model_id.h"

#include "version.h"

#define LABS 3

struct parse {
    const struct id_tables *t;
    struct model_id *out;
    struct str provider;  /* canonical if a table knows it, else folded */
    struct str text;      /* what is left of the id, in out->room       */
    struct str vendor;    /* a lab that the spelling names              */
    struct str lab[LABS]; /* where to look the model up, in order      */
    size_t n_labs;
    bool on_bedrock; /* -v1 is a revision there                         */
    bool opaque;     /* a name that somebody gave: no model in it       */
    bool by_alias;   /* the canonical id came from a lab's spellings    */
};

static void add_step(struct parse *p, const char *step)
{
    struct model_id *out = p->out;
    if (out->n_steps && out->step[out->n_steps - 1] == step)
        return;
    if (out->n_steps < ID_STEPS)
        out->step[out->n_steps++] = step;
}

static bool look(const struct parse *p, enum id_table table, struct str key, struct str *value)
{
    return p->t && p->t->find && key.n && p->t->find(p->t->ctx, table, key, value);
}

/* `n` bytes of out->room, NULL if it is full. */
static char *room_take(struct model_id *out, size_t n)
{
    if (n > sizeof out->room - out->used)
        return NULL;
    char *at = out->room + out->used;
    out->used += n;
    return at;
}

static struct str room_fold(struct model_id *out, struct str s)
{
    char *at = room_take(out, s.n);
    if (!at)
        return STR_NONE;
    for (size_t i = 0; i < s.n; i++)
        at[i] = char_fold(s.p[i]);
    return str_make(at, s.n);
}

static struct str room_join(struct model_id *out, struct str a, char sep, struct str b)
{
    char *at = room_take(out, a.n + 1 + b.n);
    if (!at)
        return STR_NONE;
    if (a.n)
        memcpy(at, a.p, a.n);
    at[a.n] = sep;
    if (b.n)
        memcpy(at + a.n + 1, b.p, b.n);
    return str_make(at, a.n + 1 + b.n);
}

static size_t find_last(struct str s, char c)
{
    for (size_t i = s.n; i-- > 0;)
        if (s.p[i] == c)
            return i;
    return s.n;
}

static size_t count_digits(struct str s)
{
    size_t n = 0;
    while (n < s.n && char_is_digit(s.p[n]))
        n++;
    return n;
}

static bool all_digits(struct str s)
{
    return s.n && count_digits(s) == s.n;
}

static bool all_letters(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!char_is_alpha(s.p[i]))
            return false;
    return s.n > 0;
}

static bool in_words(struct str s, const struct str *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (s.n == words[i].n && s.p[0] == words[i].p[0] && str_eq(s, words[i]))
            return true;
    return false;
}

#define IN(s, words) in_words((s), (words), sizeof(words) / sizeof *(words))

static bool take_canonical(struct parse *p, struct str canonical)
{
    p->out->canonical = canonical;
    return canonical.n > 0;
}

/* What this provider, and nobody else, means by the id. */
static void look_spelling(struct parse *p, struct str id)
{
    char key[2 * LIMIT_NAME_BYTES + 1];
    struct str value;
    size_t n = p->provider.n;
    if (n == 0 || n > LIMIT_NAME_BYTES || id.n == 0 || id.n > LIMIT_NAME_BYTES)
        return;
    memcpy(key, p->provider.p, n);
    key[n] = ':';
    memcpy(key + n + 1, id.p, id.n);
    if (!look(p, ID_SPELLING, str_make(key, n + 1 + id.n), &value))
        return;
    add_step(p, "alias table");
    p->out->canonical = value;
}

/* ---- regions ---------------------------------------------------------- */

/* us-east-1, us-gov-west-1, europe-west4, us-central1, asia-northeast1 */
static bool is_cloud_region(struct str s)
{
    static const struct str compass[] = {
        STR("east"),      STR("west"),      STR("north"),     STR("south"),     STR("central"),
        STR("northeast"), STR("northwest"), STR("southeast"), STR("southwest"),
    };
    size_t n = s.n;
    while (n && char_is_digit(s.p[n - 1]))
        n--;
    if (n == s.n || n < 4)
        return false;
    struct str head = str_head(s, s.p[n - 1] == '-' ? n - 1 : n);
    size_t dash = find_last(head, '-');
    return dash < head.n && dash > 0 && char_is_alpha(head.p[0]) &&
           IN(str_from(head, dash + 1), compass);
}

static bool is_geography(struct str s)
{
    static const struct str names[] = {
        STR("us"), STR("eu"), STR("global"), STR("apac"), STR("au"),     STR("jp"), STR("us-gov"),
        STR("ap"), STR("ca"), STR("sa"),     STR("me"),   STR("af"),     STR("uk"), STR("il"),
        STR("mx"), STR("in"), STR("kr"),     STR("sg"),   STR("us-iso"),
    };
    return IN(s, names);
}

/* ---- prefixes --------------------------------------------------------- */

static void set_vendor(struct parse *p, struct str lab)
{
    p->vendor = lab;
    add_step(p, "vendor prefix");
}

/* A provider that the spelling names counts if the caller named none. */
static void take_provider(struct parse *p, struct str provider)
{
    if (p->provider.n == 0)
        p->out->provider = p->provider = provider;
    add_step(p, "provider prefix");
}

/* Is the first word of `s` the name of a family? Tries "llama3" of
 * "llama3-70b", then "llama", then "open-mistral" of "open-mistral-7b". */
static bool family_of(const struct parse *p, struct str s, struct str *lab)
{
    size_t n = 0, letters = 0;
    while (n < s.n && (char_is_alpha(s.p[n]) || char_is_digit(s.p[n])))
        n++;
    while (letters < n && char_is_alpha(s.p[letters]))
        letters++;
    if (look(p, ID_FAMILY, str_head(s, n), lab))
        return true;
    if (letters < n && letters > 0 && look(p, ID_FAMILY, str_head(s, letters), lab))
        return true;
    if (n == 0 || n >= s.n || s.p[n] != '-')
        return false;
    for (n++; n < s.n && (char_is_alpha(s.p[n]) || char_is_digit(s.p[n]));)
        n++;
    return look(p, ID_FAMILY, str_head(s, n), lab);
}

/* Words of paths that say how a model is reached and not which one. */
static bool is_route(struct str s)
{
    static const struct str words[] = {
        STR("models"),       STR("invoke"),
        STR("converse"),     STR("converse_like"),
        STR("async_invoke"), STR("route"),
        STR("chat"),         STR("responses"),
        STR("messages"),     STR("chat-completion"),
        STR("completions"),  STR("batch"),
        STR("priority"),     STR("flex"),
        STR("mantle"),
    };
    return IN(s, words);
}

static bool is_host_word(struct str s)
{
    static const struct str words[] = {STR("@cf"), STR("@hf"), STR("tee"), STR("stealth")};
    return IN(s, words);
}

/* Keys of price lists and names that a user gave: no model is in them. */
static bool is_opaque_word(struct str s)
{
    static const struct str words[] = {
        STR("low"),  STR("medium"), STR("high"),      STR("hd"),          STR("standard"),
        STR("auto"), STR("preset"), STR("endpoints"), STR("tunedmodels"), STR("deployments"),
    };
    if (IN(s, words))
        return true;
    size_t n = count_digits(s);
    return n && (str_starts(str_from(s, n), STR("-x-")) || str_eq(str_from(s, n), STR("-steps")));
}

/* A part of a path whose name is free: accounts/<who>/, projects/<what>/ */
static void read_owned(struct parse *p, struct str kind, struct str name)
{
    struct str lab;
    if (str_eq(kind, STR("locations"))) {
        p->out->region = name;
        add_step(p, "region prefix");
    } else if (look(p, ID_LAB, name, &lab)) {
        set_vendor(p, lab);
    } else {
        add_step(p, "path prefix");
    }
}

static void read_segment(struct parse *p, struct str s)
{
    struct str value = STR_NONE, lab;
    if (is_host_word(s)) {
        add_step(p, "host prefix");
    } else if (is_route(s) || str_eq(s, STR("*"))) {
        add_step(p, "path prefix");
    } else if (is_opaque_word(s)) {
        p->opaque = true;
    } else if (is_geography(s) || is_cloud_region(s)) {
        p->out->region = s;
        add_step(p, "region prefix");
    } else if (str_eq(s, STR("global-standard")) || str_eq(s, STR("data-zone-standard"))) {
        p->out->region = str_head(s, s.p[0] == 'g' ? 6 : 9);
        add_step(p, "deployment type");
    } else if (str_ends(s, STR("-month-commitment"))) {
        add_step(p, "commitment");
    } else if (look(p, ID_PROVIDER, s, &value) || str_eq(s, p->provider)) {
        if (look(p, ID_LAB, s, &lab))
            set_vendor(p, lab);
        else
            take_provider(p, value);
    } else if (look(p, ID_LAB, s, &lab)) {
        set_vendor(p, lab);
    } else {
        add_step(p, "organisation prefix");
    }
}

static bool is_owned(struct str s)
{
    static const struct str words[] = {STR("accounts"), STR("publishers"), STR("projects"),
                                       STR("locations")};
    return IN(s, words);
}

static void cut_path(struct parse *p)
{
    for (;;) {
        size_t n = str_find_char(p->text, '/');
        if (n == p->text.n)
            return;
        struct str s = str_head(p->text, n);
        p->text = str_from(p->text, n + 1);
        if (is_owned(s)) {
            n = str_find_char(p->text, '/');
            if (n == p->text.n)
                return;
            read_owned(p, s, str_head(p->text, n));
            p->text = str_from(p->text, n + 1);
        } else {
            if (str_starts(s, STR("~")))
                s = str_from(s, 1);
            if (s.n)
                read_segment(p, s);
        }
        if (p->out->canonical.n == 0)
            look_spelling(p, p->text);
    }
}

/* arn:partition:service:region:account:kind/name. Only two kinds name a model;
 * the others are names that an account gave. */
static bool arn_read(struct str s, struct str *region, struct str *name)
{
    for (int i = 0; i < 5; i++) {
        size_t n = str_find_char(s, ':');
        if (n == s.n)
            return false;
        if (i == 3)
            *region = str_head(s, n);
        s = str_from(s, n + 1);
    }
    *name = s;
    return true;
}

static bool arn_cut_kind(struct str *name)
{
    size_t n = str_find_char(*name, '/');
    struct str kind = str_head(*name, n);
    if (n == name->n)
        return false;
    *name = str_from(*name, n + 1);
    return str_eq(kind, STR("inference-profile")) || str_eq(kind, STR("foundation-model"));
}

struct str model_id_in_arn(struct str id)
{
    struct str region, name;
    if (!str_starts(id, STR("arn:")) || !arn_read(id, &region, &name) || !arn_cut_kind(&name))
        return STR_NONE;
    return name;
}

static void cut_arn(struct parse *p)
{
    struct str region, name;
    if (!arn_read(p->text, &region, &name))
        return;
    p->opaque = !arn_cut_kind(&name);
    p->out->region = region;
    p->text = name;
    add_step(p, "ARN");
}

/* us.anthropic.claude-...: a geography, then a vendor. A letter must follow
 * the dot, so that no version is taken for one. */
static void cut_dots(struct parse *p)
{
    for (int i = 0; i < 3; i++) {
        size_t n = str_find_char(p->text, '.');
        if (n == 0 || n + 1 >= p->text.n || !char_is_alpha(p->text.p[n + 1]))
            return;
        struct str s = str_head(p->text, n), lab;
        bool plain = str_find_char(s, '-') == s.n && str_find_char(s, '_') == s.n;
        if (is_geography(s)) {
            p->out->region = s;
            add_step(p, "region prefix");
        } else if (look(p, ID_LAB, s, &lab)) {
            set_vendor(p, lab);
        } else if (plain && char_is_alpha(s.p[0]) && (!p->t || p->on_bedrock || p->out->region.n)) {
            add_step(p, "vendor prefix");
        } else {
            return;
        }
        p->on_bedrock = true;
        p->text = str_from(p->text, n + 1);
    }
}

static void cut_double_dash(struct parse *p)
{
    size_t n = str_find(p->text, STR("--"));
    if (n == SIZE_MAX || n == 0 || n + 2 >= p->text.n)
        return;
    struct str s = str_head(p->text, n), lab;
    if (look(p, ID_LAB, s, &lab))
        set_vendor(p, lab);
    else if (!p->t && all_letters(s))
        add_step(p, "vendor prefix");
    else
        return;
    p->text = str_from(p->text, n + 2);
}

/* google_gemma-3-27b-it-q4_k_m: a lab in a file's name. */
static void cut_underscore(struct parse *p)
{
    size_t n = str_find_char(p->text, '_');
    struct str lab;
    if (n == 0 || n + 1 >= p->text.n || !look(p, ID_LAB, str_head(p->text, n), &lab))
        return;
    set_vendor(p, lab);
    p->text = str_from(p->text, n + 1);
}

/* openai-gpt-5, zai-org-glm-4.6, databricks-claude-...: a vendor or provider
 * with a dash. Only where a family's name follows, the vendor's own if it is a
 * vendor: in "mistral-nemotron" nothing is cut. */
static void cut_dash(struct parse *p)
{
    struct str family, lab, value = STR_NONE;
    size_t n = 0;
    for (int i = 0; i < 3; i++) {
        n += str_find_char(str_from(p->text, n), '-');
        if (n == 0 || n + 1 >= p->text.n)
            return;
        struct str s = str_head(p->text, n), rest = str_from(p->text, n + 1);
        n++;
        bool is_lab = look(p, ID_LAB, s, &lab);
        bool is_provider = look(p, ID_PROVIDER, s, &value) || str_eq(s, p->provider);
        if ((!is_lab && !is_provider) || !family_of(p, rest, &family))
            continue;
        if (is_lab && str_eq(lab, family))
            set_vendor(p, lab);
        else if (is_provider && !(i == 0 && family_of(p, p->text, &lab)))
            take_provider(p, value);
        else
            continue;
        p->text = rest;
        return;
    }
}

/* ---- looking a model up ----------------------------------------------- */

/* One candidate: an id that is put together, with room for a lab before it. */
struct candidate {
    char text[2 * LIMIT_NAME_BYTES + 16];
    size_t n;
};

static void put(struct candidate *c, struct str s)
{
    size_t at = LIMIT_NAME_BYTES + 1 + c->n;
    if (s.n && s.n <= sizeof c->text - at) {
        memcpy(c->text + at, s.p, s.n);
        c->n += s.n;
    }
}

static bool try_candidate(struct parse *p, struct candidate *c)
{
    for (size_t i = 0; i < p->n_labs; i++) {
        struct str lab = p->lab[i], value;
        char *at = c->text + LIMIT_NAME_BYTES - lab.n;
        memcpy(at, lab.p, lab.n);
        at[lab.n] = '/';
        struct str key = str_make(at, lab.n + 1 + c->n);
        if (look(p, ID_MODEL, key, &value))
            return take_canonical(p, room_join(p->out, lab, '/', value));
        if (look(p, ID_SPELLING, key, &value))
            return p->by_alias = take_canonical(p, value);
    }
    return false;
}

static bool try_pieces(struct parse *p, const struct str *piece, size_t n)
{
    struct candidate c;
    c.n = 0;
    for (size_t i = 0; i < n; i++)
        put(&c, piece[i]);
    return try_candidate(p, &c);
}

static bool try_text(struct parse *p, struct str s)
{
    return try_pieces(p, &s, 1);
}

/* claude-4.6-opus and claude-opus-4-6 are one: the word and the version trade
 * places. Only Claude ids have had both orders. */
static bool try_swapped(struct parse *p, const struct version_span *v, struct str dot)
{
    const struct str claude = STR("claude-"), dash = STR("-");
    struct str word, rest;
    if (v->head.n == claude.n - 1 && v->tail.n > 1 && v->tail.p[0] == '-') {
        word = str_from(v->tail, 1);
        size_t n = str_find_char(word, '-');
        rest = str_from(word, n);
        word = str_head(word, n);
        if (!all_letters(word))
            return false;
        return try_pieces(p, (struct str[]){claude, word, dash, v->major, dot, v->minor, rest}, 7);
    }
    word = str_from(v->head, claude.n);
    if (v->head.n <= claude.n || !all_letters(word))
        return false;
    return try_pieces(p, (struct str[]){claude, v->major, dot, v->minor, dash, word, v->tail}, 7);
}

/* The version in every house's spelling: llama3-3, llama-v3.3, llama-3.3. */
static bool try_version(struct parse *p, const struct version_span *v)
{
    const struct str joins[] = {v->join, STR("-"), STR(""), STR("-v")};
    const struct str dots[] = {STR("."), STR("-")};
    const size_t n_dots = v->minor.n ? 2 : 1;
    const bool claude =
        str_starts(v->head, STR("claude")) && (v->head.n == 6 || v->head.p[6] == '-');
    for (size_t j = 0; j < 4; j++) {
        if (j && str_eq(joins[j], v->join))
            continue;
        for (size_t d = 0; d < n_dots; d++) {
            struct str dot = v->minor.n ? dots[d] : STR_NONE;
            if (try_pieces(p, (struct str[]){v->head, joins[j], v->major, dot, v->minor, v->tail},
                           6)) {
                add_step(p, j   ? "version joined differently"
                            : d ? "dots to dashes"
                                : "dashes to dots");
                return true;
            }
            if (j == 0 && claude && try_swapped(p, v, dot)) {
                add_step(p, "version before name");
                return true;
            }
        }
    }
    return false;
}

/* 3_3 and v3p3: a dot that was not allowed. Other underscores and spaces are
 * dashes. Returns whether anything changed. */
static bool write_dots(struct str s, char *to)
{
    bool changed = false;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c == '_' || c == 'p' || c == ' ') {
            bool between =
                i && i + 1 < s.n && char_is_digit(s.p[i - 1]) && char_is_digit(s.p[i + 1]);
            if (between)
                c = '.';
            else if (c != 'p')
                c = '-';
        }
        changed |= c != s.p[i];
        to[i] = c;
    }
    return changed;
}

/* All spellings of the text as it stands. */
static bool try_every(struct parse *p, struct str s)
{
    char dotted[LIMIT_NAME_BYTES];
    struct version_span v;
    if (p->n_labs == 0 || s.n == 0 || s.n > sizeof dotted)
        return false;
    if (try_text(p, s))
        return true;
    if (write_dots(s, dotted)) {
        s = str_make(dotted, s.n);
        if (try_text(p, s)) {
            add_step(p, "underscores to dots");
            return true;
        }
    }
    if (!version_find(s, &v))
        return false;
    if (try_version(p, &v))
        return true;
    if (v.minor.n || v.major.n != 2)
        return false;
    v.minor = str_from(v.major, 1); /* gpt-35, opus-41 */
    v.major = str_head(v.major, 1);
    size_t n_steps = p->out->n_steps;
    if (!try_version(p, &v))
        return false;
    p->out->n_steps = n_steps; /* this says more than the way that it took */
    add_step(p, "version split");
    return true;
}

static bool try_spellings(struct parse *p, struct str s)
{
    bool known = try_every(p, s);
    if (known && p->by_alias)
        add_step(p, "alias table");
    return known;
}

/* ---- what stands behind the name -------------------------------------- */

static void add_suffix(struct parse *p, struct str s)
{
    struct model_id *out = p->out;
    if (s.n == 0)
        return;
    if (out->suffix.n == 0)
        out->suffix = s;
    else if (s.p + s.n + 1 == out->suffix.p) /* still side by side in the text */
        out->suffix = str_make(s.p, s.n + 1 + out->suffix.n);
    else {
        struct str both = room_join(out, s, ':', out->suffix);
        if (both.n)
            out->suffix = both;
    }
}

/* 120b, 1.5b, 8x7b, e4b: what a local server writes behind the colon. */
static bool is_size(struct str s)
{
    size_t i = s.n && s.p[0] == 'e' ? 1 : 0, digits = 0;
    for (; i < s.n && (char_is_digit(s.p[i]) || s.p[i] == '.' || s.p[i] == 'x'); i++)
        digits += char_is_digit(s.p[i]);
    char next = i + 1 < s.n ? s.p[i + 1] : '-';
    return digits && i < s.n && (s.p[i] == 'b' || s.p[i] == 'm') && !char_is_alpha(next) &&
           !char_is_digit(next);
}

/* Can a revision stand behind this? In claude-v2 the v2 is the version. */
static bool has_revisions(struct str before)
{
    for (size_t i = 0; i < before.n; i++)
        if (before.p[i] == '-' || char_is_digit(before.p[i]))
            return true;
    return false;
}

/* "-v1" or "-1" at the end: where it starts, or s.n. */
static size_t revision_at(struct str s)
{
    size_t dash = find_last(s, '-');
    struct str word = str_from(s, dash + 1);
    if (word.n && word.p[0] == 'v')
        word = str_from(word, 1);
    return dash < s.n && word.n <= 2 && all_digits(word) && has_revisions(str_head(s, dash)) ? dash
                                                                                             : s.n;
}

/* model@tag, model:tag. A version behind the @ is part of the name, a size
 * behind the colon too; the rest says how the model is served. */
static void cut_tags(struct parse *p, char *text)
{
    size_t at = str_find_char(p->text, '@');
    if (at && at < p->text.n) {
        struct str tag = str_from(p->text, at + 1);
        size_t n = count_digits(tag);
        if (n && (n == tag.n || tag.p[n] == ':')) {
            text[p->text.p - text + (ptrdiff_t)at] = '-';
            add_step(p, "@ to dash");
        } else {
            p->text = str_head(p->text, at);
            add_suffix(p, tag);
            add_step(p, "tag taken off");
        }
    }
    at = str_find_char(p->text, ':');
    if (at < p->text.n && is_size(str_from(p->text, at + 1))) {
        text[p->text.p - text + (ptrdiff_t)at] = '-';
        add_step(p, "size tag");
        at = str_find_char(p->text, ':');
    }
    if (at == p->text.n)
        return;
    struct str tag = str_from(p->text, at + 1);
    p->text = str_head(p->text, at);
    size_t n = count_digits(tag);
    size_t revision = revision_at(p->text);
    if (n && (n == tag.n || tag.p[n] == ':') && revision < p->text.n) {
        tag =
            str_make(p->text.p + revision + 1, (size_t)(tag.p + tag.n - p->text.p) - revision - 1);
        p->text = str_head(p->text, revision);
        add_step(p, "revision taken off");
    } else {
        add_step(p, "tag taken off");
    }
    add_suffix(p, tag);
}

static unsigned two(const char *at)
{
    return (unsigned)(at[0] - '0') * 10 + (unsigned)(at[1] - '0');
}

static bool is_month(unsigned m)
{
    return m >= 1 && m <= 12;
}

static bool is_month_day(const char *at)
{
    return is_month(two(at)) && two(at + 2) >= 1 && two(at + 2) <= 31;
}

/* Do these digits name a day or a month? 20250929, 250929, 0613, 2411 */
static bool is_date(struct str s)
{
    if (!all_digits(s))
        return false;
    if (s.n == 8)
        return two(s.p) == 20 && is_month_day(s.p + 4);
    if (s.n == 6)
        return two(s.p) >= 20 && two(s.p) < 40 && is_month_day(s.p + 2);
    if (s.n == 4)
        return is_month_day(s.p) || (two(s.p) >= 20 && two(s.p) < 40 && is_month(two(s.p + 2)));
    return false;
}

/* Where the date at the end starts (its dash), or s.n: -20250929, -2024-08-06,
 * -08-2024, and -05-20 behind a preview. */
static size_t date_at(struct str s)
{
    size_t a = find_last(s, '-');
    if (a == s.n || a == 0)
        return s.n;
    struct str last = str_from(s, a + 1);
    if (!all_digits(last))
        return s.n;
    size_t b = find_last(str_head(s, a), '-');
    struct str middle = b < a ? str_make(s.p + b + 1, a - b - 1) : STR_NONE;
    bool month = middle.n == 2 && all_digits(middle) && is_month(two(middle.p));
    if (month && b > 0) {
        if (last.n == 4 && two(last.p) == 20)
            return b;
        size_t c = find_last(str_head(s, b), '-');
        struct str first = c < b ? str_make(s.p + c + 1, b - c - 1) : STR_NONE;
        if (last.n == 2 && c > 0 && first.n == 4 && all_digits(first) && two(first.p) == 20)
            return c;
        if (last.n == 2 && (str_eq(first, STR("preview")) || str_eq(first, STR("exp"))))
            return b;
    }
    return is_date(last) ? a : s.n;
}

/* Words that say how weights are packed, served or billed. */
static bool is_packaging(const struct parse *p, struct str word, struct str before)
{
    static const struct str words[] = {
        STR("fast"),
        STR("free"),
        STR("fp8"),
        STR("maas"),
        STR("tee"),
        STR("latest"),
        STR("think"),
        STR("bf16"),
        STR("fp4"),
        STR("fp16"),
        STR("nvfp4"),
        STR("mxfp4"),
        STR("int4"),
        STR("int8"),
        STR("awq"),
        STR("gptq"),
        STR("gguf"),
        STR("mlx"),
        STR("4bit"),
        STR("6bit"),
        STR("8bit"),
        STR("hf"),
        STR("cs"),
        STR("cloud"),
        STR("qat"),
        STR("ud"),
        STR("bnb"),
        STR("f16"),
        STR("f32"),
        STR("fp32"),
        STR("gs128"),
        STR("w4a16"),
        STR("w8a8"),
        STR("w8a16"),
        STR("quantized.w4a16"),
        STR("quantized.w8a8"),
        STR("quantized.w8a16"),
        STR("batch"),
        STR("highspeed"),
        STR("ultraspeed"),
        STR("contributor"),
        STR("prime"),
    };
    if (IN(word, words))
        return true;
    if (str_eq(word, STR("dynamic")))
        return str_ends(before, STR("-fp8"));
    if (str_eq(word, STR("thinking"))) /* a mode of Claude models; elsewhere other weights */
        return str_starts(before, STR("claude-"));
    if (word.n == 2 && word.p[0] == 'v' && char_is_digit(word.p[1]))
        return p->on_bedrock && has_revisions(before);
    if (word.n == 3 && word.p[0] == '0' && word.p[1] == '0' && char_is_digit(word.p[2]))
        return true; /* -001 */
    size_t q = word.n && word.p[0] == 'i' ? 1 : 0;
    return word.n >= q + 2 && word.p[q] == 'q' && char_is_digit(word.p[q + 1]) &&
           (word.n == q + 2 || word.p[q + 2] == '_');
}

/* A preview of some day is the model of that name, if there is one. */
static bool try_undated(struct parse *p)
{
    if (try_spellings(p, p->text))
        return true;
    static const struct str words[] = {STR("-preview"), STR("-exp")};
    for (size_t i = 0; i < 2; i++)
        if (str_ends(p->text, words[i]) &&
            try_spellings(p, str_head(p->text, p->text.n - words[i].n)))
            return true;
    return false;
}

static bool cut_date(struct parse *p)
{
    size_t at = p->out->date.n ? p->text.n : date_at(p->text);
    if (at == p->text.n)
        return false;
    p->out->date = str_from(p->text, at + 1);
    p->text = str_head(p->text, at);
    add_step(p, "date taken off");
    return true;
}

/* Weights in a file: its extension, and "-00001-of-00003" of one in pieces. */
static void cut_file(struct parse *p)
{
    static const struct str extensions[] = {STR(".gguf"), STR(".safetensors")};
    for (size_t i = 0; i < 2; i++) {
        struct str s = p->text;
        if (s.n <= extensions[i].n || !str_ends(s, extensions[i]))
            continue;
        s.n -= extensions[i].n;
        size_t of = str_find(s, STR("-of-"));
        if (of != SIZE_MAX && of > 6 && all_digits(str_from(s, of + 4)) &&
            all_digits(str_make(s.p + of - 5, 5)) && s.p[of - 6] == '-')
            s.n = of - 6;
        p->text = s;
        add_step(p, "file name");
    }
}

/* From the right: cut, look up, cut. */
static void cut_endings(struct parse *p, bool known)
{
    while (!known) {
        if (cut_date(p)) {
            known = try_undated(p);
            continue;
        }
        size_t dash = find_last(p->text, '-');
        if (dash == p->text.n || dash == 0)
            return;
        struct str word = str_from(p->text, dash + 1), before = str_head(p->text, dash);
        if (!is_packaging(p, word, before))
            return;
        p->text = before;
        add_suffix(p, word);
        add_step(p, "suffix taken off");
        known = try_spellings(p, p->text);
    }
    cut_date(p);
}

/* ---- the whole -------------------------------------------------------- */

static void read_provider(struct parse *p, struct str given)
{
    struct str value;
    p->out->provider = given;
    if (given.n == 0)
        return;
    p->provider = room_fold(p->out, given);
    if (look(p, ID_PROVIDER, p->provider, &value))
        p->out->provider = p->provider = value;
    p->on_bedrock = str_find(p->provider, STR("bedrock")) != SIZE_MAX;
}

static void add_lab(struct parse *p, struct str lab)
{
    for (size_t i = 0; i < p->n_labs; i++)
        if (str_eq(p->lab[i], lab))
            return;
    if (lab.n && lab.n <= LIMIT_NAME_BYTES && p->n_labs < LABS)
        p->lab[p->n_labs++] = lab;
}

/* Everything that can stand before the name. */
static void cut_prefixes(struct parse *p)
{
    if (str_starts(p->text, STR("~"))) {
        p->text = str_from(p->text, 1);
        add_step(p, "router mark");
    }
    if (str_starts(p->text, STR("arn:")))
        cut_arn(p);
    if (str_starts(p->text, STR("ft:"))) {
        struct str mark = str_head(p->text, 2);
        p->text = str_from(p->text, 3);
        p->text = str_head(p->text, str_find_char(p->text, ':'));
        add_suffix(p, mark);
        add_step(p, "fine-tune of");
    }
    if (str_starts(p->text, STR("hf:"))) {
        p->text = str_from(p->text, 3);
        add_step(p, "host prefix");
    }
    if (!p->opaque)
        cut_path(p);
    if (p->opaque)
        return;
    cut_dots(p);
    cut_double_dash(p);
}

/* The labs in whose tables the name may stand: whom the spelling names, and
 * whose family it is. */
static void find_labs(struct parse *p)
{
    struct str family;
    p->n_labs = 0;
    add_lab(p, p->vendor);
    if (family_of(p, p->text, &family))
        add_lab(p, family);
    p->out->vendor = p->n_labs ? p->lab[0] : STR_NONE;
}

/* The name itself, with what stands behind it. */
static void read_name(struct parse *p)
{
    struct str own;
    cut_file(p);
    cut_underscore(p);
    cut_tags(p, p->out->room + (p->text.p - p->out->room));
    add_lab(p, p->vendor);
    bool known = p->out->canonical.n > 0;
    if (!known && p->n_labs && try_text(p, p->text)) {
        known = true;
        if (p->by_alias)
            add_step(p, "alias table");
    }
    if (!known) {
        find_labs(p);
        known = try_spellings(p, p->text);
    }
    if (!known) {
        size_t n = p->text.n;
        cut_dash(p);
        if (p->text.n != n)
            find_labs(p);
        if (look(p, ID_LAB, p->provider, &own)) /* a lab's own API needs no vendor */
            add_lab(p, own);
        known = try_spellings(p, p->text);
    }
    cut_endings(p, known);
}

bool model_id_parse(const struct id_tables *t, struct str provider, struct str model,
                    struct model_id *out)
{
    out->provider = out->vendor = out->base = out->date = out->region = out->suffix =
        out->canonical = STR_NONE;
    out->has_version = false;
    out->major = out->minor = 0;
    out->n_steps = out->used = 0;
    if (provider.n > LIMIT_NAME_BYTES || model.n > LIMIT_NAME_BYTES)
        return false;

    struct parse p = {.t = t, .out = out};
    read_provider(&p, provider);
    p.text = room_fold(out, model);
    look_spelling(&p, p.text);
    cut_prefixes(&p);
    if (p.opaque)
        add_step(&p, "not a model's name");
    else
        read_name(&p);

    out->base = p.text;
    struct str named = p.opaque ? STR_NONE : out->base;
    if (out->canonical.n) {
        size_t n = str_find_char(out->canonical, '/');
        out->vendor = str_head(out->canonical, n);
        named = str_from(out->canonical, n + 1);
    }
    out->has_version = model_version(named, SCHEME_ANY, &out->major, &out->minor);
    return true;
}
