/*
 * generate.c - see generate.h. Every writer below puts the same thing down
 * twice, once into the text of a source and once into the reference's structs;
 * what they have in common is only the random numbers.
 */
#include "generate.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t rng_next(struct rng *r)
{
    r->s += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = r->s;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)((z ^ (z >> 31)) >> 16);
}

uint32_t rng_below(struct rng *r, uint32_t n)
{
    return rng_next(r) % n;
}

bool rng_chance(struct rng *r, uint32_t percent)
{
    return rng_below(r, 100) < percent;
}

const struct gen_field gen_fields[GEN_FIELDS] = {
    {"tool_calling", "tool_calling", "native_tools", GEN_SUPPORT},
    {"streaming", "streaming", NULL, GEN_SUPPORT},
    {"tokenizer", "tokenizer", NULL, GEN_WORD},
    {"max_output", "max_output_tokens", NULL, GEN_NUMBER},
    {"max_tools", NULL, "max_tools", GEN_NUMBER},
    {"server_parser", NULL, "server_parser", GEN_TEXT},
    {"tool_search", NULL, "tool_search", GEN_LIST},
    {"preserve_thinking", NULL, "preserve_thinking", GEN_FLAG},
    {"auto_reasoning_overrides", NULL, "auto_reasoning_overrides", GEN_MAP},
    {"web_fetch", NULL, NULL, GEN_SUPPORT},
};

/* `mock` has parents that nobody wrote as soon as there is a Harn file. */
static const char *const providers[GEN_PROVIDERS] = {"p", "q", "r", "anthropic", "openai", "mock"};
static const char *const aliases[GEN_PROVIDERS][2] = {
    {"pa", "pb"}, {"qa", "qb"}, {"ra", "rb"}, {"claude", "xanth"}, {"oa", "ob"}, {"ma", "mb"},
};
static const char *const apis[] = {"openai-chat", "gemini", "anthropic"};
#define N_APIS 3

static const char *const versioned[] = {
    "claude-opus-4",      "claude-opus-4-5",    "claude-opus-4-5-20250929", "claude-opus-4-20250514", "claude-3-5-sonnet",
    "a/claude-sonnet-4-1", "us.anthropic.claude-opus-4-5-v1:0", "claude-opus", "gpt-4",              "gpt-4o",
    "gpt-4.1",            "gpt-4-0613",         "gpt-5-mini",               "gpt-5.2-a",              "openai/gpt-5",
    "Claude-Opus-4-6@default", "a-gpt-5:free",
};
static const char *const versioned_globs[] = {
    "claude-*", "claude-opus-4*", "*claude*", "gpt-*", "gpt-[45]*", "gpt-{4,5}*", "*gpt*", "claude-{opus,sonnet}-*", "gpt-?o", "*4*",
};
#define LENGTH(a) ((uint32_t)(sizeof(a) / sizeof *(a)))

/* -- memory and text -------------------------------------------------------------------- */

static void *keep(struct gen *g, size_t n)
{
    if (g->n_memory == g->cap_memory) {
        g->cap_memory = g->cap_memory ? g->cap_memory * 2 : 64;
        g->memory = realloc(g->memory, g->cap_memory * sizeof *g->memory);
    }
    void *p = calloc(1, n ? n : 1);
    if (!p || !g->memory)
        abort();
    return g->memory[g->n_memory++] = p;
}

static const char *keep_text(struct gen *g, const char *text)
{
    return strcpy(keep(g, strlen(text) + 1), text);
}

static void put(struct gen_source *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(struct gen_source *s, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    size_t n = (size_t)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (s->len + n + 1 > s->cap) {
        s->cap = (s->len + n + 1) * 2;
        s->text = realloc(s->text, s->cap);
        if (!s->text)
            abort();
    }
    memcpy(s->text + s->len, text, n + 1);
    s->len += n;
    for (size_t i = 0; i < n; i++)
        s->line += text[i] == '\n';
}

/* -- names, ids, patterns ------------------------------------------------------------------ */

static void random_case(struct rng *r, char *text)
{
    if (rng_chance(r, 12))
        for (; *text; text++)
            if (*text >= 'a' && *text <= 'z' && rng_chance(r, 50))
                *text = (char)(*text - 'a' + 'A');
}

static void random_plain(struct rng *r, char *out, uint32_t max)
{
    uint32_t n = 1 + rng_below(r, max);
    for (uint32_t i = 0; i < n; i++)
        out[i] = "aaabbb--/._"[rng_below(r, 11)];
    out[n] = '\0';
}

static const char *random_provider(struct gen *g)
{
    char text[16];
    uint32_t i = rng_below(&g->rng, GEN_PROVIDERS);
    strcpy(text, rng_chance(&g->rng, 20) ? aliases[i][rng_below(&g->rng, 2)] : providers[i]);
    random_case(&g->rng, text);
    return keep_text(g, text);
}

static const char *random_glob(struct gen *g)
{
    static const char *const piece[] = {"a", "b", "-", "/", "*", "*", "?", "[ab]", "[!a]", "[a-c]", "{a,b}", "{a,b*}", "{,b}", "ab", "{a{b,-},}", "{,a*}", "{,*}"};
    static const char *const broken[] = {"[a", "{a,b*", "a}*", "*[a", "a*[", "b[b-a]*", "*a{*"};
    static const char *const nested[] = {"*a*", "*aa*", "*aaa*", "*baaa*", "*a", "?aa*", "*b*a*"}; /* each text ends another */
    char text[64] = "";
    if (rng_chance(&g->rng, 6))
        return broken[rng_below(&g->rng, LENGTH(broken))];
    if (rng_chance(&g->rng, 15))
        return versioned_globs[rng_below(&g->rng, LENGTH(versioned_globs))];
    if (rng_chance(&g->rng, 15))
        return nested[rng_below(&g->rng, LENGTH(nested))];
    for (uint32_t n = 1 + rng_below(&g->rng, 4); n > 0; n--)
        strcat(text, piece[rng_below(&g->rng, LENGTH(piece))]);
    random_case(&g->rng, text);
    return keep_text(g, text);
}

static const char *random_pattern(struct gen *g, enum ref_match kind)
{
    char text[64];
    if (kind == REF_GLOB)
        return random_glob(g);
    if (rng_chance(&g->rng, 15))
        return versioned[rng_below(&g->rng, LENGTH(versioned))];
    random_plain(&g->rng, text, kind == REF_EXACT ? 4 : 3);
    random_case(&g->rng, text);
    return keep_text(g, text);
}

/* A text that a pattern is likely to match. */
static void expand(struct rng *r, const char *p, char *out, size_t size)
{
    size_t n = 0;
    unsigned depth = 0;
    for (; *p && n + 4 < size; p++) {
        if (*p == '*') {
            for (uint32_t k = rng_below(r, 3); k > 0; k--)
                out[n++] = "ab-"[rng_below(r, 3)];
        } else if (*p == '?') {
            out[n++] = "ab4"[rng_below(r, 3)];
        } else if (*p == '[') {
            out[n++] = "abc4"[rng_below(r, 4)];
            while (p[1] && *p != ']')
                p++;
        } else if (*p == '{') {
            depth++;
        } else if (*p == '}') {
            depth--;
        } else if (*p == ',' && depth) {
            while (p[1] && p[1] != '}')
                p++;
        } else {
            out[n++] = *p;
        }
    }
    out[n] = '\0';
}

/* -- values ----------------------------------------------------------------------------------- */

/* The value as the reference keeps it and, in `toml`, as a file writes it. */
static const char *random_value(struct gen *g, unsigned syntax, enum gen_type type, char *toml, size_t size)
{
    struct rng *r = &g->rng;
    char text[64];
    bool own = syntax == GEN_CANDO;
    uint32_t k = rng_below(r, 3);
    if (own && rng_chance(r, 10)) {
        snprintf(toml, size, "\"unknown\"");
        return "";
    }
    switch (type) {
    case GEN_SUPPORT:
        if (own && rng_chance(r, 20)) {
            snprintf(toml, size, "{ restricted = \"why %u\" }", k);
            snprintf(text, sizeof text, "restricted: why %u", k);
        } else if (own && rng_chance(r, 40)) {
            snprintf(text, sizeof text, "%s", k == 0 ? "native" : k == 1 ? "emulated" : "unsupported");
            snprintf(toml, size, "\"%s\"", text);
        } else {
            snprintf(toml, size, "%s", k ? "true" : "false");
            snprintf(text, sizeof text, "%s", k ? "native" : "unsupported");
        }
        break;
    case GEN_FLAG:
        snprintf(text, sizeof text, "%s", k ? "true" : "false");
        snprintf(toml, size, "%s", text);
        break;
    case GEN_NUMBER:
        snprintf(text, sizeof text, "%s", k == 0 ? "1" : k == 1 ? "200000" : "9007199254740991");
        snprintf(toml, size, "%s", text);
        break;
    case GEN_WORD:
        snprintf(text, sizeof text, "%s", k == 0 ? "o200k" : k == 1 ? "qwen" : "gemini");
        snprintf(toml, size, "\"%s\"", text);
        break;
    case GEN_TEXT:
        snprintf(text, sizeof text, "text %u", k);
        snprintf(toml, size, "\"%s\"", text);
        break;
    case GEN_LIST:
        snprintf(text, sizeof text, "%s", k == 0 ? "[]" : k == 1 ? "[x]" : "[y,x]");
        snprintf(toml, size, "%s", k == 0 ? "[]" : k == 1 ? "[\"x\"]" : "[\"y\", \"x\"]");
        break;
    case GEN_MAP:
        snprintf(text, sizeof text, "%s", k == 0 ? "[agent=off]" : k == 1 ? "[agent=low,code=high]" : "[chat=off]");
        snprintf(toml, size, "%s", k == 0 ? "{ agent = \"off\" }" : k == 1 ? "{ agent = \"low\", code = \"high\" }" : "{ chat = \"off\" }");
        break;
    }
    return keep_text(g, text);
}

static const char *field_name(unsigned syntax, unsigned f)
{
    const struct gen_field *row = &gen_fields[f];
    return syntax == GEN_NIKA ? row->nika : syntax == GEN_HARN ? row->harn : row->cando;
}

/* Some fields; each is written with `before` and `behind` it. */
static void put_fields(struct gen *g, struct gen_source *s, struct ref_rule *r, const char *before, const char *behind, uint32_t most)
{
    struct ref_assign *a = keep(g, GEN_FIELDS * sizeof *a);
    bool used[GEN_FIELDS] = {0};
    for (uint32_t n = 1 + rng_below(&g->rng, most); n > 0;) {
        unsigned f = rng_below(&g->rng, GEN_FIELDS);
        const char *name = field_name(s->syntax, f);
        if (!name)
            continue;
        n--;
        if (used[f])
            continue;
        used[f] = true;
        char toml[96];
        a[r->n_assigns].field = f;
        a[r->n_assigns++].value = random_value(g, s->syntax, gen_fields[f].type, toml, sizeof toml);
        put(s, "%s%s = %s%s", r->n_assigns > 1 || before[0] != ',' ? before : "", name, toml, behind);
    }
    r->assign = a;
}

/* -- rules --------------------------------------------------------------------------------------- */

static struct ref_rule *new_rule(struct gen *g, size_t source, enum ref_kind kind)
{
    if (g->n_rules == GEN_RULES)
        return NULL;
    struct gen_source *s = &g->source[source];
    if (rng_chance(&g->rng, 20))
        put(s, rng_chance(&g->rng, 50) ? "\n" : "# aside\n");
    struct ref_rule *r = &g->rule[g->n_rules++];
    *r = (struct ref_rule){.kind = kind, .source = (unsigned)source, .line = s->line, .name = ""};
    return r;
}

static void put_list(struct gen_source *s, const char *const *item, size_t n, bool always_list)
{
    if (n == 1 && !always_list) {
        put(s, "\"%s\"", item[0]);
        return;
    }
    put(s, "[");
    for (size_t i = 0; i < n; i++)
        put(s, "%s\"%s\"", i ? ", " : "", item[i]);
    put(s, "]");
}

/* n patterns of one kind, added to those that the rule has. */
static const char *const *add_patterns(struct gen *g, struct ref_rule *r, enum ref_match kind, size_t n)
{
    struct ref_pattern *all = keep(g, (r->n_patterns + n) * sizeof *all);
    const char **text = keep(g, n * sizeof *text);
    if (r->n_patterns)
        memcpy(all, r->pattern, r->n_patterns * sizeof *all);
    for (size_t i = 0; i < n; i++) {
        text[i] = random_pattern(g, kind);
        all[r->n_patterns++] = (struct ref_pattern){kind, text[i]};
    }
    r->pattern = all;
    return text;
}

static void put_any(struct gen *g, struct ref_rule *r)
{
    struct ref_pattern *p = keep(g, (r->n_patterns + 1) * sizeof *p);
    if (r->n_patterns)
        memcpy(p, r->pattern, r->n_patterns * sizeof *p);
    p[r->n_patterns++] = (struct ref_pattern){REF_ANY, ""};
    r->pattern = p;
}

static void random_providers(struct gen *g, struct ref_rule *r)
{
    r->n_providers = 1 + rng_below(&g->rng, 2);
    const char **list = keep(g, r->n_providers * sizeof *list);
    for (size_t i = 0; i < r->n_providers; i++)
        list[i] = random_provider(g);
    r->provider = list;
}

static void random_apis(struct gen *g, struct ref_rule *r)
{
    r->n_apis = 1 + rng_below(&g->rng, 2);
    const char **list = keep(g, r->n_apis * sizeof *list);
    for (size_t i = 0; i < r->n_apis; i++)
        list[i] = apis[rng_below(&g->rng, N_APIS)];
    r->syntax = list;
}

static void one_provider(struct gen *g, struct ref_rule *r)
{
    const char **list = keep(g, sizeof *list);
    list[0] = random_provider(g);
    r->provider = list;
    r->n_providers = 1;
}

static void put_name(struct gen *g, struct gen_source *s, struct ref_rule *r, uint32_t percent)
{
    char text[16];
    if (!rng_chance(&g->rng, percent))
        return;
    snprintf(text, sizeof text, "rule-%u", g->names++);
    r->name = keep_text(g, text);
    put(s, "name = \"%s\"\n", text);
}

static void put_version(struct gen *g, struct gen_source *s, struct ref_rule *r, bool max)
{
    unsigned *v = max ? r->max : r->min;
    if (rng_chance(&g->rng, 8)) {
        r->never = true;
        put(s, "version_%s = [4]\n", max ? "max" : "min");
        return;
    }
    v[0] = 3 + rng_below(&g->rng, 3);
    v[1] = rng_below(&g->rng, 7);
    *(max ? &r->has_max : &r->has_min) = true;
    put(s, "version_%s = [%u, %u]\n", max ? "max" : "min", v[0], v[1]);
}

static void put_own_match(struct gen *g, struct gen_source *s, struct ref_rule *r)
{
    static const struct {
        const char *key;
        enum ref_match kind;
    } forms[] = {{"glob", REF_GLOB}, {"exact", REF_EXACT}, {"prefix", REF_PREFIX}, {"contains", REF_CONTAINS}};
    struct rng *rng = &g->rng;
    put(s, "match = ");
    if (rng_chance(rng, 50)) {
        size_t n = 1 + rng_below(rng, 3);
        put_list(s, add_patterns(g, r, REF_GLOB, n), n, rng_chance(rng, 30));
        put(s, "\n");
        return;
    }
    put(s, "{ ");
    bool any = rng_chance(rng, 10), more = false;
    for (unsigned i = 0; i < LENGTH(forms); i++) {
        if (!rng_chance(rng, 40) && !(i == 3 && !more && !any))
            continue;
        size_t n = 1 + rng_below(rng, 2);
        put(s, "%s%s = ", more ? ", " : "", forms[i].key);
        put_list(s, add_patterns(g, r, forms[i].kind, n), n, rng_chance(rng, 30));
        more = true;
    }
    if (any) {
        put(s, "%sany = true", more ? ", " : "");
        put_any(g, r);
    }
    put(s, " }\n");
}

static void own_rule(struct gen *g, size_t source)
{
    struct gen_source *s = &g->source[source];
    struct rng *rng = &g->rng;
    struct ref_rule *r = new_rule(g, source, REF_RULE);
    if (!r)
        return;
    put(s, "[[rules]]\n");
    put_name(g, s, r, 40);
    if (rng_chance(rng, 60)) {
        random_providers(g, r);
        put(s, "providers = ");
        put_list(s, r->provider, r->n_providers, false);
        put(s, "\n");
    }
    if (rng_chance(rng, 20)) {
        random_apis(g, r);
        put(s, "dialects = ");
        put_list(s, r->syntax, r->n_apis, false);
        put(s, "\n");
    }
    put_own_match(g, s, r);
    r->on_base = true;
    if (rng_chance(rng, 70)) {
        r->on_base = rng_chance(rng, 20);
        put(s, "on = \"%s\"\n", r->on_base ? "base" : "id");
    }
    if (rng_chance(rng, 15))
        put_version(g, s, r, false);
    if (rng_chance(rng, 10))
        put_version(g, s, r, true);
    g->own_bounds |= r->has_min || r->has_max;
    if (rng_chance(rng, 30)) {
        r->extends = rng_chance(rng, 80);
        put(s, "extends = %s\n", r->extends ? "true" : "false");
    }
    put(s, "set = { ");
    put_fields(g, s, r, ", ", "", 4);
    put(s, " }\n");
}

static void own_fact(struct gen *g, size_t source)
{
    struct gen_source *s = &g->source[source];
    struct ref_rule *r = new_rule(g, source, REF_FACT);
    if (!r)
        return;
    put(s, "[[models]]\n");
    put_name(g, s, r, 20);
    one_provider(g, r);
    const char *const *id = add_patterns(g, r, REF_EXACT, 1);
    put(s, "provider = \"%s\"\nid = \"%s\"\n", r->provider[0], id[0]);
    if (!*r->name) { /* named after what it is about */
        char text[96];
        snprintf(text, sizeof text, "%s/%s", r->provider[0], id[0]);
        for (char *c = text; *c; c++)
            *c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
        r->name = keep_text(g, text);
    }
    if (rng_chance(&g->rng, 85)) {
        put(s, "set = { ");
        put_fields(g, s, r, ", ", "", 4);
        put(s, " }\n");
    }
}

static void put_defaults(struct gen *g, size_t source, const char *header)
{
    struct ref_rule *r = new_rule(g, source, REF_DEFAULT);
    if (!r)
        return;
    put(&g->source[source], "[%s]\n", header);
    put_fields(g, &g->source[source], r, "", "\n", 4);
}

/* Each provider at most once in a file, whatever it is called there. */
static void put_provider_defaults(struct gen *g, size_t source)
{
    bool used[GEN_PROVIDERS] = {0};
    for (uint32_t n = rng_below(&g->rng, 4); n > 0; n--) {
        uint32_t i = rng_below(&g->rng, GEN_PROVIDERS);
        if (used[i])
            continue;
        used[i] = true;
        struct ref_rule *r = new_rule(g, source, REF_PROVIDER_DEFAULT);
        if (!r)
            return;
        const char **list = keep(g, sizeof *list);
        list[0] = rng_chance(&g->rng, 20) ? aliases[i][0] : providers[i];
        r->provider = list;
        r->n_providers = 1;
        put(&g->source[source], "[provider_defaults.%s]\n", list[0]);
        put_fields(g, &g->source[source], r, "", "\n", 3);
    }
}

static void nika_rule(struct gen *g, size_t source)
{
    struct gen_source *s = &g->source[source];
    struct rng *rng = &g->rng;
    struct ref_rule *r = new_rule(g, source, REF_RULE);
    if (!r)
        return;
    put(s, "[[rules]]\n");
    put_name(g, s, r, 80);
    if (rng_chance(rng, 60)) {
        random_providers(g, r);
        put(s, "scope.providers = ");
        put_list(s, r->provider, r->n_providers, true);
        put(s, "\n");
    }
    if (rng_chance(rng, 20)) {
        random_apis(g, r);
        put(s, "scope.api_dialect = ");
        put_list(s, r->syntax, r->n_apis, rng_chance(rng, 50));
        put(s, "\n");
    }
    if (rng_chance(rng, 5)) {
        r->never = true;
        put(s, "scope.region = [\"eu\"]\n");
    }
    size_t n = 1 + rng_below(rng, 3);
    switch (rng_below(rng, 5)) {
    case 0:
        put(s, "match = { kind = \"any\" }\n");
        put_any(g, r);
        break;
    case 1:
        put(s, "match = { kind = \"exact\", model = \"%s\" }\n", add_patterns(g, r, REF_EXACT, 1)[0]);
        break;
    default: {
        static const char *const kind[] = {"exact_any", "prefix_any", "contains_any"};
        static const char *const key[] = {"models", "prefixes", "patterns"};
        static const enum ref_match match[] = {REF_EXACT, REF_PREFIX, REF_CONTAINS};
        uint32_t k = rng_below(rng, 3);
        put(s, "match = { kind = \"%s\", %s = ", kind[k], key[k]);
        put_list(s, add_patterns(g, r, match[k], n), n, true);
        put(s, " }\n");
    }
    }
    put_fields(g, s, r, "caps.", "\n", 3);
}

static void harn_rule(struct gen *g, size_t source)
{
    struct gen_source *s = &g->source[source];
    struct rng *rng = &g->rng;
    struct ref_rule *r = new_rule(g, source, REF_RULE);
    if (!r)
        return;
    one_provider(g, r);
    size_t n = 1 + rng_below(rng, 2);
    put(s, "[[provider.%s]]\nmodel_match = ", r->provider[0]);
    put_list(s, add_patterns(g, r, REF_GLOB, n), n, false);
    put(s, "\n");
    if (rng_chance(rng, 20))
        put_version(g, s, r, false);
    if (rng_chance(rng, 30)) {
        r->extends = true;
        put(s, "extends = true\n");
    }
    put_fields(g, s, r, "", "\n", 4);
}

/* Does it lie over rules that are layered, and does not extend them? */
static bool is_alone(const struct gen *g, const struct ref_rule *r)
{
    const struct ref_source *own = &g->ref_source[r->source];
    if (!own->harn || r->kind != REF_RULE || r->extends)
        return false;
    for (size_t i = 0; i < g->n_rules; i++) {
        const struct ref_rule *x = &g->rule[i];
        const struct ref_source *s = &g->ref_source[x->source];
        bool below = s->layer < own->layer || (s->layer == own->layer && x->source < r->source);
        if (below && !s->first_match && (x->kind == REF_RULE || x->kind == REF_FACT))
            return true;
    }
    return false;
}

/* All that Harn has a word for and the rule does not say is said to be unknown. */
static void leave_open(struct gen *g, struct ref_rule *r)
{
    struct ref_assign *a = keep(g, 2 * GEN_FIELDS * sizeof *a);
    bool said[GEN_FIELDS] = {0};
    for (size_t i = 0; i < r->n_assigns; i++) {
        a[i] = r->assign[i];
        said[a[i].field] = true;
    }
    for (unsigned f = 0; f < GEN_FIELDS; f++)
        if (gen_fields[f].harn && !said[f])
            a[r->n_assigns++] = (struct ref_assign){f, ""};
    r->assign = a;
}

/* -- providers and families -------------------------------------------------------------------------- */

/* What a higher layer says stands; another declaration fills its gaps. */
static void put_provider(struct gen *g, size_t source, uint32_t i)
{
    struct gen_source *s = &g->source[source];
    struct ref_provider *p = &g->provider[i];
    bool higher = g->declared[i] == 0 || s->layer > g->declared_layer[i];
    if (g->declared[i] >= 2 || (g->declared[i] && s->layer == g->declared_layer[i]))
        return;
    put(s, "[[providers]]\nid = \"%s\"\n", providers[i]);
    if (rng_chance(&g->rng, 75)) {
        const char *syntax = apis[rng_below(&g->rng, N_APIS)];
        put(s, "dialect = \"%s\"\n", syntax);
        if (higher || !*p->syntax)
            p->syntax = syntax;
    }
    const char **all = keep(g, 2 * sizeof *all), *mine[2];
    size_t n = 0, n_mine = 0;
    for (unsigned k = 0; k < 2; k++) {
        bool have = false, now = rng_chance(&g->rng, 60);
        for (size_t j = 0; j < p->n_aliases; j++)
            have |= p->alias[j] == aliases[i][k];
        if (now)
            mine[n_mine++] = aliases[i][k];
        if (now || have)
            all[n++] = aliases[i][k];
    }
    if (n_mine) {
        put(s, "aliases = ");
        put_list(s, mine, n_mine, true);
        put(s, "\n");
    }
    p->id = providers[i];
    p->alias = all;
    p->n_aliases = n;
    if (higher)
        g->declared_layer[i] = s->layer;
    g->declared[i]++;
}

static void put_families(struct gen *g, size_t source, const char *header)
{
    struct gen_source *s = &g->source[source];
    put(s, "[%s]\n", header);
    for (uint32_t i = 0; i < GEN_PROVIDERS; i++) {
        if (!rng_chance(&g->rng, 35))
            continue;
        size_t n = s->syntax == GEN_CANDO ? 1 + rng_below(&g->rng, 3) : 1;
        const char **parent = keep(g, n * sizeof *parent);
        for (size_t k = 0; k < n; k++)
            parent[k] = random_provider(g);
        put(s, "%s = ", providers[i]);
        put_list(s, parent, n, false);
        put(s, "\n");
        int old = g->family_source[i];
        if (old >= 0 && g->source[old].layer > s->layer)
            continue;
        g->family_source[i] = (int)source;
        g->family[i] = (struct ref_family){providers[i], parent, n};
    }
}

/* -- sources --------------------------------------------------------------------------------------------- */

static void put_source(struct gen *g, size_t source)
{
    struct gen_source *s = &g->source[source];
    struct rng *rng = &g->rng;
    bool first = s->syntax == GEN_HARN;
    if (s->syntax != GEN_HARN) {
        put(s, "schema = \"%s\"\n", s->syntax == GEN_NIKA ? "nika/model-capabilities@1.0" : "cando/rules@1");
        if (rng_chance(rng, 50)) {
            first = rng_chance(rng, 60);
            put(s, "resolution = \"%s\"\n", first ? "first-match" : "layered");
        }
    }
    g->ref_source[source] = (struct ref_source){s->layer, first, s->syntax == GEN_HARN};
    if (s->syntax != GEN_HARN && rng_chance(rng, 40))
        put_defaults(g, source, "defaults");
    if (s->syntax != GEN_NIKA && rng_chance(rng, 40))
        put_provider_defaults(g, source);
    if (s->syntax != GEN_NIKA && rng_chance(rng, 50))
        put_families(g, source, s->syntax == GEN_HARN ? "provider_family" : "families");
    if (s->syntax == GEN_CANDO)
        for (uint32_t i = 0; i < GEN_PROVIDERS; i++)
            if (rng_chance(rng, source == 0 ? 70 : 20))
                put_provider(g, source, i);
    for (uint32_t n = rng_below(rng, 14); n > 0; n--) {
        if (s->syntax == GEN_NIKA)
            nika_rule(g, source);
        else if (s->syntax == GEN_HARN)
            harn_rule(g, source);
        else if (rng_chance(rng, 25))
            own_fact(g, source);
        else
            own_rule(g, source);
    }
    if (s->len == 0)
        put(s, "# nothing\n");
}

void gen_make(struct gen *g, uint64_t seed)
{
    memset(g, 0, sizeof *g);
    g->rng.s = seed * UINT64_C(0x2545F4914F6CDD1D) + 1;
    g->n_sources = 1 + rng_below(&g->rng, 4);
    for (uint32_t i = 0; i < GEN_PROVIDERS; i++) {
        g->family_source[i] = -1;
        g->provider[i] = (struct ref_provider){.id = providers[i], .syntax = ""};
    }
    for (size_t i = 0; i < g->n_sources; i++) {
        struct gen_source *s = &g->source[i];
        uint32_t k = rng_below(&g->rng, 10);
        snprintf(s->name, sizeof s->name, "s%zu.toml", i);
        s->syntax = i == 0 || k < 5 ? GEN_CANDO : k < 7 ? GEN_NIKA : GEN_HARN;
        s->layer = rng_below(&g->rng, REF_LAYERS);
        s->line = 1;
        g->has_harn |= s->syntax == GEN_HARN;
        put_source(g, i);
    }
    for (size_t i = 0; i < g->n_rules; i++)
        if (is_alone(g, &g->rule[i]))
            leave_open(g, &g->rule[i]);
    static const char *const mock_parents[] = {"anthropic", "openai"};
    size_t mock = GEN_PROVIDERS - 1;
    if (g->has_harn && g->family_source[mock] < 0)
        g->family[mock] = (struct ref_family){providers[mock], mock_parents, 2};
    for (uint32_t i = 0; i < GEN_PROVIDERS; i++)
        if (!g->family[i].child)
            g->family[i].child = providers[i];
    g->set = (struct ref_set){
        .source = g->ref_source,
        .n_sources = g->n_sources,
        .rule = g->rule,
        .n_rules = g->n_rules,
        .provider = g->provider,
        .n_providers = GEN_PROVIDERS,
        .family = g->family,
        .n_families = GEN_PROVIDERS,
    };
}

void gen_free(struct gen *g)
{
    for (size_t i = 0; i < g->n_memory; i++)
        free(g->memory[i]);
    free(g->memory);
    for (size_t i = 0; i < g->n_sources; i++)
        free(g->source[i].text);
}

/* -- questions ---------------------------------------------------------------------------------------------- */

const char *gen_ask_provider(struct gen *g)
{
    static const char *const odd[] = {"", "zz", "P", "MOCK"};
    return rng_chance(&g->rng, 10) ? odd[rng_below(&g->rng, LENGTH(odd))] : random_provider(g);
}

/* Rules of our own dialect read versions in more families than the reference
 * does, so there are no other numbers in ids where such a rule could look. */
static void drop_odd_numbers(const struct gen *g, char *text)
{
    unsigned major, minor;
    if (g->own_bounds && !ref_version(text, &major, &minor))
        for (; *text; text++)
            if (*text >= '0' && *text <= '9')
                *text = 'b';
}

const char *gen_ask_id(struct gen *g)
{
    char text[96] = "";
    uint32_t k = rng_below(&g->rng, 100);
    const struct ref_rule *r = g->n_rules ? &g->rule[rng_below(&g->rng, (uint32_t)g->n_rules)] : NULL;
    if (k < 3)
        return "";
    if (k < 18) {
        strcpy(text, versioned[rng_below(&g->rng, LENGTH(versioned))]);
    } else if (k < 70 && r && r->n_patterns) {
        expand(&g->rng, r->pattern[rng_below(&g->rng, (uint32_t)r->n_patterns)].text, text, sizeof text - 2);
        if (rng_chance(&g->rng, 15))
            strcat(text, "-a");
    } else {
        random_plain(&g->rng, text, 5);
    }
    drop_odd_numbers(g, text);
    return keep_text(g, text);
}
