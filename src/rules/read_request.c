/*
 * read_request.c - files of request rules, schema "cando/requests@1".
 *
 *     schema = "cando/requests@1"
 *     dialect = "openai-chat"
 *
 *     [[rules]]
 *     name = "temperature-range"
 *     kind = "range"
 *     when = { path = "temperature", outside = [0, 2] }
 *     message = "temperature is from 0 to 2"
 *     fix = { clamp = [0, 2] }
 *     source = "https://..."
 *     confidence = "spec"
 *
 * The scope (providers, match, on, version_min, version_max) is that of every
 * other rule. What a rule does not say follows from its kind and confidence.
 */
#include "request.h"

#include "catalog/evidence.h"
#include "text/json.h"

struct kind_row {
    const char *name, *code;
    cando_severity severity;
};

static const struct kind_row kind_rows[] = {
    {"demand", "capability-unsupported", CANDO_ERROR},
    {"forbid", "parameter-unsupported", CANDO_ERROR},
    {"range", "value-out-of-range", CANDO_ERROR},
    {"enum", "value-unsupported", CANDO_ERROR},
    {"limit", "limit-exceeded", CANDO_ERROR},
    {"relation", "relation-broken", CANDO_ERROR},
    {"conflict", "parameters-conflict", CANDO_ERROR},
    {"require", "parameter-required", CANDO_ERROR},
    {"rename", "parameter-renamed", CANDO_ERROR},
    {"role", "role-unsupported", CANDO_ERROR},
    {"structure", "structure-invalid", CANDO_ERROR},
    {"silent", "silently-ignored", CANDO_WARNING},
    {"cost", "costs-more", CANDO_NOTE},
    {"note", "request-note", CANDO_NOTE},
};
#define KINDS                                                                                      \
    "demand forbid range enum limit relation conflict require rename role structure silent cost "  \
    "note"

/* -- the keys of a rule ------------------------------------------------------------------- */

static void key_conds(struct reader *r, const struct toml_entry *e, void *to)
{
    struct req_rule *q = to;
    const struct {
        const char *key;
        struct req_conds *list;
    } rows[] = {{"when", &q->all},          {"none", &q->none},
                {"any", &q->any},           {"each", &q->each},
                {"prev", &q->prev},         {"prev_none", &q->prev_none},
                {"next", &q->next},         {"next_none", &q->next_none},
                {"unless_later", &q->next}, {"unless_later_any", &q->next_none}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (str_is(e->key, rows[i].key))
            req_conds(r, e, rows[i].list);
    if (str_starts(e->key, STR("unless_later")))
        q->flags |= REQF_LATER;
}

static void key_known(struct reader *r, const struct toml_entry *e, void *to)
{
    struct req_rule *q = to;
    req_words(r, e, &q->known, &q->n_known);
}

static void key_at(struct reader *r, const struct toml_entry *e, void *to)
{
    struct req_rule *q = to;
    struct str s;
    if (!read_text(r, e->key, e->value, &s))
        return;
    if (str_ends(s, STR("[0]")) || str_ends(s, STR("[-1]"))) {
        q->flags |= str_ends(s, STR("[0]")) ? REQF_FIRST : REQF_LAST;
        struct str array = str_head(s, s.n - (q->flags & REQF_FIRST ? 3 : 4));
        s = str_printf(r->rs->ar, "%.*s[]", STR_ARG(array));
        if (!s.p) {
            read_no_memory(r);
            return;
        }
    }
    if (req_path_ok(r, s, e->value->at))
        q->subject = s;
}

static void key_kind(struct reader *r, const struct toml_entry *e, void *to)
{
    struct req_rule *q = to;
    struct str word;
    if (!read_word(r, e->key, e->value, KINDS, CODE_unknown_word, &word))
        return;
    for (size_t i = 0; i < COUNT_OF(kind_rows); i++)
        if (str_is(word, kind_rows[i].name)) {
            if (q->code.n == 0)
                q->code = str_of(kind_rows[i].code);
            if (!q->severity_said)
                q->severity = kind_rows[i].severity;
        }
}

static void key_code(struct reader *r, const struct toml_entry *e, void *to)
{
    struct req_rule *q = to;
    struct str name;
    if (!read_text(r, e->key, e->value, &name))
        return;
    enum code code = code_find(name);
    if (code == CODE_COUNT)
        READ_FATAL(r, CODE_unknown_word, e->value->at, "there is no code '%.*s'", STR_ARG(name));
    else
        q->code = str_of(code_name(code));
}

bool req_severity(struct reader *r, const struct toml_entry *e, cando_severity *out)
{
    struct str word;
    if (!read_word(r, e->key, e->value, "note warning error", CODE_unknown_word, &word))
        return false;
    *out = str_is(word, "note")      ? CANDO_NOTE
           : str_is(word, "warning") ? CANDO_WARNING
                                     : CANDO_ERROR;
    return true;
}

bool req_confidence(struct reader *r, const struct toml_entry *e, struct str *out)
{
    return read_word(r, e->key, e->value, EVIDENCE_OF_RULES, CODE_unknown_word, out);
}

static void key_severity(struct reader *r, const struct toml_entry *e, void *to)
{
    struct req_rule *q = to;
    if (req_severity(r, e, &q->severity))
        q->severity_said = true;
}

/* Which members use which capability: each makes a demand of its own. */
static void key_uses(struct reader *r, const struct toml_entry *e, void *to)
{
    struct req_rule *q = to;
    if (!read_is_table(r, e))
        return;
    for (size_t i = 0; i < e->value->n; i++) {
        const struct toml_entry *use = &e->value->entry[i];
        unsigned field = vocab_find(VOCAB_CANDO, use->key);
        size_t from = q->each.n;
        if (field == FIELD_COUNT || vocab_row(field)->type != CANDO_SUPPORT)
            READ_FATAL(r, CODE_unknown_word, use->at, "there is no capability '%.*s'",
                       STR_ARG(use->key));
        else if (req_conds(r, use, &q->each))
            while (from < q->each.n)
                q->each.item[from++].uses = field;
    }
    if (q->effect == REQ_FINDING)
        q->effect = REQ_NEEDS;
}

static void key_needs(struct reader *r, const struct toml_entry *e, void *to)
{
    struct req_rule *q = to;
    if (req_field(r, e, CANDO_SUPPORT, &q->field) && q->effect == REQ_FINDING)
        q->effect = REQ_NEEDS;
}

/* The capability that a finding is about, without making it a demand. */
static void key_capability(struct reader *r, const struct toml_entry *e, void *to)
{
    struct req_rule *q = to;
    struct str name;
    if (!read_text(r, e->key, e->value, &name))
        return;
    q->field = vocab_find(VOCAB_CANDO, name);
    if (q->field == FIELD_COUNT)
        READ_FATAL(r, CODE_unknown_word, e->value->at, "there is no field '%.*s'", STR_ARG(name));
}

static void key_check(struct reader *r, const struct toml_entry *e, void *to)
{
    static const char words[] =
        "pairs-follow pairs-next pairs-any counts-next cache-count cache-order json-word not-less "
        "pairs-servers server-answers unique required-covers required-known refs-resolve "
        "schema-fits answers-once calls-once chosen-known answers-run listed not-listed says "
        "refs-acyclic grammar-fits schema-short one-loaded";
    struct req_rule *q = to;
    struct str word;
    if (!read_word(r, e->key, e->value, words, CODE_unknown_word, &word))
        return;
    size_t i = CHECK_NONE + 1 + words_find(words, word);
    q->check = (enum req_check)(i + (i >= CHECK_OFF));
}

static void key_event(struct reader *r, const struct toml_entry *e, void *to)
{
    static const char words[] = "call answer cache-tools cache-system cache-messages server "
                                "toolset server-call server-answer name cut chosen deferred";
    struct req_rule *q = to;
    struct str word;
    if (!read_word(r, e->key, e->value, words, CODE_unknown_word, &word))
        return;
    q->event = (enum req_event)(EVENT_NONE + 1 + words_find(words, word));
    q->effect = REQ_EVENT;
}

/* A dialect, or "messages" for what several of them may be. */
static void key_shape(struct reader *r, const struct toml_entry *e, void *to)
{
    struct req_rule *q = to;
    if (read_word(r, e->key, e->value, REQUEST_APIS " messages", CODE_unknown_api, &q->message))
        q->effect = REQ_SHAPE;
}

/* An API that there are no rules for, in words: such a request is not checked. */
static void key_other_api(struct reader *r, const struct toml_entry *e, void *to)
{
    struct req_rule *q = to;
    if (read_text(r, e->key, e->value, &q->message))
        q->effect = REQ_SHAPE;
}

static void key_silent(struct reader *r, const struct toml_entry *e, void *to)
{
    struct req_rule *q = to;
    bool silent = false;
    if (read_bool(r, e, &silent) && silent)
        q->effect = REQ_SILENT;
}

static void key_flag(struct reader *r, const struct toml_entry *e, void *to)
{
    struct req_rule *q = to;
    bool on = false;
    if (read_bool(r, e, &on) && on)
        q->flags |= str_is(e->key, "others") ? REQF_OTHERS : REQF_FINALIZE;
}

/* profile = { temperature = "unsupported", reasoning_efforts = { lacks = "none" },
 * requires_streaming = true } */
static void key_profile(struct reader *r, const struct toml_entry *e, void *to)
{
    struct req_rule *q = to;
    if (!read_is_table(r, e))
        return;
    for (size_t i = 0; i < e->value->n; i++) {
        const struct toml_entry *f = &e->value->entry[i];
        struct req_fact_cond c = {
            .field = vocab_find(VOCAB_CANDO, f->key), .fact = FACT_IS, .text = STR("")};
        if (c.field == FIELD_COUNT) {
            READ_FATAL(r, CODE_unknown_key, f->at, "there is no field '%.*s'", STR_ARG(f->key));
            return;
        }
        const struct toml *v = f->value;
        if (v->kind == TOML_TABLE && v->n == 1 &&
            (str_is(v->entry[0].key, "has") || str_is(v->entry[0].key, "lacks"))) {
            c.fact = str_is(v->entry[0].key, "has") ? FACT_HAS : FACT_LACKS;
            v = v->entry[0].value;
        }
        if (v->kind == TOML_BOOLEAN)
            c.text = v->boolean ? STR("true") : STR("false");
        else if (!read_text(r, f->key, v, &c.text))
            return;
        if (str_is(c.text, "known"))
            c.fact = FACT_KNOWN;
        if (str_is(c.text, "unknown"))
            c.fact = FACT_UNKNOWN;
        if (!ARENA_GROW(r->rs->ar, q->fact, q->n_facts, q->cap_facts)) {
            read_no_memory(r);
            return;
        }
        q->fact[q->n_facts++] = c;
    }
}

/* -- fixes ----------------------------------------------------------------------------------- */

static bool json_ok(struct reader *r, struct str text, struct toml_pos at)
{
    struct json_error bad;
    if (json_parse(r->rs->ar, text, &bad))
        return true;
    if (bad.code == CODE_memory)
        return read_no_memory(r);
    return READ_FATAL(r, CODE_wrong_type, at, "the value is not JSON: %s", bad.message);
}

static bool fix_map(struct reader *r, struct req_rule *q, const struct toml_entry *e)
{
    if (!read_is_table(r, e))
        return false;
    q->fix = FIX_MAP;
    q->n_fix_pairs = e->value->n;
    q->fix_pair = arena_array(r->rs->ar, e->value->n * 2, sizeof *q->fix_pair);
    if (!q->fix_pair)
        return read_no_memory(r);
    for (size_t i = 0; i < e->value->n; i++) {
        q->fix_pair[2 * i] = e->value->entry[i].key;
        if (!read_text(r, e->value->entry[i].key, e->value->entry[i].value,
                       &q->fix_pair[2 * i + 1]))
            return false;
    }
    return true;
}

/* JSON, or "@field": a list of the profile. */
static bool fix_value(struct reader *r, struct req_rule *q, struct str text, struct toml_pos at)
{
    if (!str_starts(text, STR("@")))
        return json_ok(r, text, at);
    q->fix_field = vocab_find(VOCAB_CANDO, str_from(text, 1));
    if (q->fix_field < FIELD_COUNT && vocab_row(q->fix_field)->type == CANDO_LIST)
        return true;
    return READ_FATAL(r, CODE_unknown_word, at, "'%.*s' is no list of the profile", STR_ARG(text));
}

static bool fix_add(struct reader *r, struct req_rule *q, const struct toml_entry *e)
{
    if (e->value->kind != TOML_TABLE || e->value->n != 1)
        return read_wrong_type(r, e->key, e->value, "a table of one member: { name = \"JSON\" }");
    q->fix = FIX_ADD;
    q->n_fix_pairs = 1;
    q->fix_pair = arena_array(r->rs->ar, 2, sizeof *q->fix_pair);
    if (!q->fix_pair)
        return read_no_memory(r);
    q->fix_pair[0] = e->value->entry[0].key;
    return read_text(r, e->value->entry[0].key, e->value->entry[0].value, &q->fix_pair[1]) &&
           fix_value(r, q, q->fix_pair[1], e->value->entry[0].value->at);
}

static void key_fix(struct reader *r, const struct toml_entry *e, void *to)
{
    struct req_rule *q = to;
    if (!read_is_table(r, e))
        return;
    for (size_t i = 0; i < e->value->n; i++) {
        const struct toml_entry *f = &e->value->entry[i];
        bool flag = false, ok = true;
        if (str_is(f->key, "rename")) {
            q->fix = FIX_RENAME;
            ok = read_name(r, f->key, f->value, &q->fix_text) &&
                 req_path_ok(r, q->fix_text, f->value->at);
        } else if (str_is(f->key, "drop")) {
            q->fix = FIX_DROP;
            ok = read_bool(r, f, &flag);
        } else if (str_is(f->key, "set")) {
            q->fix = FIX_SET;
            ok = read_text(r, f->key, f->value, &q->fix_text) &&
                 fix_value(r, q, q->fix_text, f->value->at);
        } else if (str_is(f->key, "add")) {
            ok = fix_add(r, q, f);
        } else if (str_is(f->key, "map")) {
            ok = fix_map(r, q, f);
        } else if (str_is(f->key, "clamp") && f->value->kind == TOML_STRING) {
            q->fix = FIX_CLAMP;
            ok = req_field(r, f, CANDO_NUMBER, &q->fix_field);
        } else if (str_is(f->key, "clamp")) {
            q->fix = FIX_CLAMP;
            ok = req_range(r, f, &q->fix_lo, &q->fix_hi);
        } else if (str_is(f->key, "lossy")) {
            ok = read_bool(r, f, &flag);
            q->flags |= flag ? REQF_LOSSY : 0;
        } else {
            READ_FATAL(r, CODE_unknown_key, f->at, "a fix has no key '%.*s'", STR_ARG(f->key));
            READ_HINT(r, "known here: rename, drop, set, add, map, clamp, lossy");
            return;
        }
        if (!ok)
            return;
    }
    /* what drops or clamps says less than was said */
    if (q->fix == FIX_DROP || q->fix == FIX_CLAMP)
        q->flags |= REQF_LOSSY;
}

/* -- the scope --------------------------------------------------------------------------------- */

static bool read_match(struct reader *r, const struct toml_entry *e, struct rule_draft *d)
{
    static const struct {
        const char *key;
        enum match_kind kind;
    } keys[] = {{"glob", MATCH_GLOB},
                {"exact", MATCH_EXACT},
                {"prefix", MATCH_PREFIX},
                {"contains", MATCH_CONTAINS}};
    if (e->value->kind == TOML_STRING || e->value->kind == TOML_ARRAY)
        return draft_patterns(r, d, e, MATCH_GLOB, true);
    if (e->value->kind != TOML_TABLE)
        return read_wrong_type(r, e->key, e->value, "a pattern, a list of patterns, or a table");
    for (size_t i = 0; i < e->value->n; i++) {
        const struct toml_entry *f = &e->value->entry[i];
        size_t k = 0;
        while (k < 4 && !str_is(f->key, keys[k].key))
            k++;
        if (k == 4) {
            READ_FATAL(r, CODE_unknown_key, f->at, "'%.*s' has no key '%.*s'", STR_ARG(e->key),
                       STR_ARG(f->key));
            READ_HINT(r, "known here: glob, exact, prefix, contains");
            return false;
        }
        if (!draft_patterns(r, d, f, keys[k].kind, true))
            return false;
    }
    return true;
}

static void key_match(struct reader *r, const struct toml_entry *e, void *to)
{
    read_match(r, e, &((struct req_rule *)to)->scope);
}

static void key_except(struct reader *r, const struct toml_entry *e, void *to)
{
    read_match(r, e, &((struct req_rule *)to)->except);
}

/* -- the file ------------------------------------------------------------------------------------
 */

/* The scope stands first in the rule, as the rows that fill a rule_draft want it. */
#define S struct req_rule
#define KEY_PROVIDERS                                                                              \
    KEY_NAMES("providers", scope.rule.provider, scope.rule.n_providers, .flags = READ_ALONE)
#define SCOPE_KEYS                                                                                 \
    READ_KEY("profile", key_profile), KEY_PROVIDERS, READ_KEY("others", key_flag),                 \
        READ_KEY("match", key_match), READ_KEY("except", key_except),                              \
        READ_KEY("on", read_rule_on), KEY_VERSION("version_min", scope.rule.min),                  \
        KEY_VERSION("version_max", scope.rule.max), KEY_TEXT("source", scope.rule.origin),         \
        KEY_WORD("confidence", confidence, EVIDENCE_OF_RULES, CODE_unknown_word)
_Static_assert(offsetof(S, scope) == 0, "a rule is a draft");

static const struct read_key rule_key[] = {
    KEY_NAME("name", scope.rule.name),
    READ_KEY("kind", key_kind),
    READ_KEY("at", key_at),
    READ_KEY("when", key_conds),
    READ_KEY("none", key_conds),
    READ_KEY("any", key_conds),
    READ_KEY("prev", key_conds),
    READ_KEY("prev_none", key_conds),
    READ_KEY("next", key_conds),
    READ_KEY("next_none", key_conds),
    READ_KEY("unless_later", key_conds),
    READ_KEY("unless_later_any", key_conds),
    READ_KEY("each", key_conds),
    READ_KEY("known", key_known),
    READ_KEY("needs", key_needs),
    READ_KEY("uses", key_uses),
    READ_KEY("capability", key_capability),
    READ_KEY("code", key_code),
    KEY_TEXT("message", message),
    KEY_TEXT("advice", advice),
    /* the member that is missing: the finding is about it, and not about what lacks it */
    KEY_NAME("member", fix_text),
    READ_KEY("fix", key_fix),
    READ_KEY("check", key_check),
    READ_KEY("event", key_event),
    READ_KEY("shape", key_shape),
    READ_KEY("other_api", key_other_api),
    READ_KEY("silent", key_silent),
    READ_KEY("finalize", key_flag),
    SCOPE_KEYS,
    READ_KEY("severity", key_severity),
};
static const struct read_keys rule_keys = READ_KEYS("[[rules]]", rule_key, NULL);

static bool add_rule(struct reader *r, const struct req_rule *q)
{
    struct ruleset_requests *all = r->rs->requests;
    if (r->full || read_full(r, all->n, LIMIT_REQUEST_RULES, "request rules", q->scope.rule.at))
        return false;
    if (!ARENA_GROW(r->rs->ar, all->rule, all->n, all->cap))
        return read_no_memory(r);
    all->rule[all->n++] = *q;
    return true;
}

/* `*` in a text stands for what the rule is made for. */
static bool put_star(struct reader *r, struct str *text, struct str what, bool dashes)
{
    size_t star = str_find_char(*text, '*');
    if (star == text->n)
        return true;
    struct str made = str_printf(r->rs->ar, "%.*s%.*s%.*s", (int)star, text->p, STR_ARG(what),
                                 STR_ARG(str_from(*text, star + 1)));
    if (!made.p)
        return read_no_memory(r);
    for (size_t i = star; dashes && i < star + what.n; i++)
        if (made.p[i] == '_')
            ((char *)made.p)[i] = '-'; /* it was made here */
    *text = made;
    return true;
}

/* The rule for one of `uses`, by its condition. */
static bool set_use(struct reader *r, struct req_rule *one, const struct req_cond *c)
{
    if (c->uses == FIELD_COUNT)
        return true;
    one->field = c->uses;
    one->flags |= REQF_GENERAL;
    return put_star(r, &one->scope.rule.name, str_of(vocab_row(c->uses)->name), true) &&
           put_star(r, &one->message, c->path, false);
}

/* A rule about each of several paths is so many rules, each with its own place. */
static void add_each(struct reader *r, const struct req_rule *q)
{
    if (q->each.n == 0) {
        add_rule(r, q);
        return;
    }
    for (size_t i = 0; i < q->each.n; i++) {
        struct req_rule one = *q;
        one.all = (struct req_conds){
            .item = arena_array(r->rs->ar, q->all.n + 1, sizeof *one.all.item), .n = q->all.n + 1};
        if (!one.all.item) {
            read_no_memory(r);
            return;
        }
        one.all.item[0] = q->each.item[i];
        one.all.item[0].point = true;
        if (q->all.n)
            memcpy(one.all.item + 1, q->all.item, q->all.n * sizeof *one.all.item);
        if (!set_use(r, &one, &q->each.item[i]) || !add_rule(r, &one))
            return;
    }
}

static void settle(struct reader *r, struct req_rule *q, const struct toml *t)
{
    if (!evidence_rejects(q->confidence) && q->severity == CANDO_ERROR) {
        if (q->severity_said) {
            READ_ERROR(r, CODE_likely_rejects, t->at, "the rule is %.*s and rejects",
                       STR_ARG(q->confidence));
            READ_HINT(r, "leave 'severity' out, or find better evidence");
        }
        q->severity = CANDO_WARNING;
    }
    if (q->scope.rule.origin.n == 0 && q->effect != REQ_EVENT && q->effect != REQ_SHAPE &&
        q->effect != REQ_SILENT)
        READ_ERROR(r, CODE_no_source, t->at, "the rule does not say where it comes from");
    if (q->code.n == 0 && (q->effect == REQ_FINDING || q->effect == REQ_NEEDS)) {
        READ_FATAL(r, CODE_missing_key, t->at, "the rule has no 'kind'");
        READ_HINT(r, "one of: " KINDS);
    }
    if (q->message.n == 0 && q->effect == REQ_FINDING)
        READ_FATAL(r, CODE_missing_key, t->at, "the rule has no 'message'");
    if ((q->next.n || q->next_none.n || q->prev_none.n) && q->subject.n == 0)
        READ_FATAL(r, CODE_missing_key, t->at, "only items of 'at' have neighbours");
    if (q->all.n + q->any.n + q->none.n + q->each.n == 0)
        READ_FATAL(r, CODE_missing_key, t->at,
                   "the rule has no condition: 'when', 'each', 'any' or 'none'");
    if ((q->flags & REQF_LAST) &&
        (q->subject.n < 2 || str_find_char(q->subject, '[') != q->subject.n - 2))
        READ_FATAL(r, CODE_bad_path, t->at, "'[-1]' stands behind a key of the request itself");
}

static struct req_rule new_rule(struct reader *r, const struct toml *t, const struct req_file *f)
{
    struct req_rule q = {
        .api = f->api,
        .subject = STR(""),
        .code = STR(""),
        .message = STR(""),
        .advice = STR(""),
        .confidence = STR("spec"),
        .severity = CANDO_ERROR,
        .field = FIELD_COUNT,
        .fix_text = STR(""),
        .fix_field = FIELD_COUNT,
    };
    draft_begin(r, &q.scope, RULE_MATCH, t->at);
    draft_begin(r, &q.except, RULE_MATCH, t->at);
    q.scope.rule.on_base = q.except.rule.on_base = true;
    return q;
}

/* A rule that names no provider is for those of its file. */
static void settle_providers(struct req_rule *q, const struct req_file *f)
{
    struct rule *rule = &q->scope.rule;
    if (rule->n_providers == 0) {
        rule->provider = f->provider;
        rule->n_providers = f->n_providers;
    } else if (rule->n_providers == 1 && str_is(rule->provider[0].name, "*")) {
        rule->n_providers = 0;
    }
}

/* Conditions of an item's rule that are about the request, or about the item around, go to lists
 * of their own: they are judged when these end. */
static bool split_conds(struct reader *r, struct req_conds *from, struct req_conds *out, bool outer)
{
    size_t kept = 0;
    for (size_t i = 0; i < from->n; i++) {
        if (outer ? !from->item[i].outer : !from->item[i].absolute) {
            from->item[kept++] = from->item[i];
            continue;
        }
        if (!ARENA_GROW(r->rs->ar, out->item, out->n, out->cap))
            return read_no_memory(r);
        out->item[out->n++] = from->item[i];
    }
    from->n = kept;
    return true;
}

static void split_rule(struct reader *r, struct req_rule *q, const struct toml *t)
{
    const struct req_conds *only[] = {&q->prev, &q->prev_none, &q->next, &q->next_none, &q->each};
    size_t any = q->any.n;
    if (q->subject.n == 0)
        return;
    for (size_t k = 0; k < COUNT_OF(only); k++)
        for (size_t i = 0; i < only[k]->n; i++)
            if (only[k]->item[i].absolute || only[k]->item[i].outer)
                READ_FATAL(r, CODE_bad_path, t->at,
                           "the path of the request stands in 'when', 'none' or 'any'");
    if (!split_conds(r, &q->all, &q->root_all, false) ||
        !split_conds(r, &q->none, &q->root_none, false) ||
        !split_conds(r, &q->any, &q->root_any, false) ||
        !split_conds(r, &q->all, &q->outer_all, true) ||
        !split_conds(r, &q->none, &q->outer_none, true))
        return;
    for (size_t i = 0; i < q->any.n; i++)
        if (q->any.item[i].outer)
            READ_FATAL(r, CODE_bad_path, t->at, "'any' is not about the item around");
    if (q->outer_all.n + q->outer_none.n && req_around(q->subject).n == 0)
        READ_FATAL(r, CODE_bad_path, t->at, "there is no item around '%.*s'", STR_ARG(q->subject));
    if (q->root_any.n && q->root_any.n != any)
        READ_FATAL(r, CODE_bad_path, t->at,
                   "'any' is about the item or about the request, not about both");
    if (q->root_all.n + q->root_none.n + q->root_any.n + q->outer_all.n + q->outer_none.n &&
        ((q->check && !req_reads_schema(q->check)) || q->effect == REQ_EVENT))
        READ_FATAL(r, CODE_bad_path, t->at, "a check or an event is about its item alone");
}

/* The same rule for the others of the file: those who hand requests on to its vendor. */
static void add_also(struct reader *r, struct req_rule *q, const struct req_rule *also)
{
    struct rule *rule = &q->scope.rule;
    const struct rule *of = &also->scope.rule;
    rule->provider = of->provider;
    rule->n_providers = of->n_providers;
    rule->pattern = of->pattern;
    rule->n_patterns = of->n_patterns;
    rule->on_base = of->on_base;
    q->scope.cap_patterns = also->scope.cap_patterns;
    add_each(r, q);
}

static void read_rule(struct reader *r, const struct toml *t, void *to)
{
    const struct req_file *f = to;
    struct req_rule q = new_rule(r, t, f);
    size_t fatal = r->rs->fatal;
    read_table(r, t, &rule_keys, &q);
    read_wants(r, t, "the rule", STR("name"), true);
    if (r->rs->fatal != fatal || r->rs->failed)
        return;
    settle(r, &q, t);
    split_rule(r, &q, t);
    settle_providers(&q, f);
    if (r->rs->fatal != fatal)
        return;
    add_each(r, &q);
    if (f->also && q.scope.rule.n_patterns == 0 && !(q.flags & REQF_OTHERS))
        add_also(r, &q, f->also);
}

/* -- adjustments ------------------------------------------------------------------------------ */

static void key_of(struct reader *r, const struct toml_entry *e, void *to)
{
    struct req_rule *q = to;
    req_words(r, e, &q->adjust, &q->n_adjusts);
}

static void key_what(struct reader *r, const struct toml_entry *e, void *to)
{
    struct req_rule *q = to;
    struct read_items items;
    q->wrongs = 0;
    if (!read_items(r, e, true, 16, &items))
        return;
    for (size_t i = 0; i < items.n; i++) {
        struct str word;
        if (!read_word(r, e->key, items.item[i], WRONG_WORDS, CODE_unknown_word, &word))
            return;
        q->wrongs |= 1u << (WRONG_NOTHING + 1 + words_find(WRONG_WORDS, word));
    }
}

/* "off" makes the rule a silent one: what it is about is not said at all. */
static void key_adjusted(struct reader *r, const struct toml_entry *e, void *to)
{
    struct req_rule *q = to;
    if (e->value->kind == TOML_STRING && str_is(e->value->text, "off"))
        q->check = CHECK_OFF;
    else
        req_severity(r, e, &q->severity);
}

static const struct read_key adjust_key[] = {
    KEY_NAME("name", scope.rule.name),
    READ_KEY("of", key_of),
    READ_KEY("what", key_what),
    READ_KEY("severity", key_adjusted),
    SCOPE_KEYS,
};
static const struct read_keys adjust_keys = READ_KEYS("[[adjust]]", adjust_key, NULL);

static void read_adjust(struct reader *r, const struct toml *t, void *to)
{
    const struct req_file *f = to;
    struct req_rule q = new_rule(r, t, f);
    size_t fatal = r->rs->fatal;
    q.effect = REQ_ADJUST;
    q.wrongs = (1u << WRONG_COUNT) - 1;
    read_table(r, t, &adjust_keys, &q);
    read_wants(r, t, "the adjustment", STR("name"), true);
    read_wants(r, t, "the adjustment", STR("of"), true);
    read_wants(r, t, "the adjustment", STR("severity"), true);
    if (r->rs->fatal != fatal || r->rs->failed)
        return;
    if (q.scope.rule.origin.n == 0)
        READ_ERROR(r, CODE_no_source, t->at, "the adjustment does not say where it comes from");
    settle_providers(&q, f);
    add_rule(r, &q);
}

static void read_measures(struct reader *r, const struct toml_entry *e, struct str api)
{
    static const char words[] = "text json image media output turn";
    if (!read_is_table(r, e))
        return;
    for (size_t i = 0; i < e->value->n; i++) {
        const struct toml_entry *m = &e->value->entry[i];
        size_t which = words_find(words, m->key);
        if (which == SIZE_MAX) {
            READ_FATAL(r, CODE_unknown_key, m->at, "'measure' has no key '%.*s'", STR_ARG(m->key));
            READ_HINT(r, "known here: %s", words);
            return;
        }
        struct req_conds conds = {0};
        if (!req_conds(r, m, &conds))
            return;
        for (size_t k = 0; k < conds.n; k++) {
            struct ruleset_requests *all = r->rs->requests;
            conds.item[k].test = TEST_MEASURE;
            conds.item[k].measure = (enum req_measure)which;
            if (!ARENA_GROW(r->rs->ar, all->measure, all->n_measures, all->cap_measures)) {
                read_no_memory(r);
                return;
            }
            all->measure[all->n_measures++] = (struct req_measure_path){api, conds.item[k]};
        }
    }
}

static const struct read_key also_key[] = {
    KEY_PROVIDERS,
    READ_KEY("match", key_match),
    READ_KEY("on", read_rule_on),
};
#undef S
static const struct read_keys also_keys = READ_KEYS("[also]", also_key, NULL);

static bool read_also(struct reader *r, const struct toml_entry *e, struct req_file *f)
{
    struct req_rule *q = arena_alloc(r->rs->ar, sizeof *q);
    if (!q)
        return read_no_memory(r);
    if (!read_is_table(r, e))
        return false;
    *q = new_rule(r, e->value, f);
    size_t fatal = r->rs->fatal;
    read_table(r, e->value, &also_keys, q);
    read_wants(r, e->value, "[also]", STR("providers"), true);
    f->also = q;
    return r->rs->fatal == fatal;
}

#define HEAD_WORDS                                                                                 \
    "schema, dialect, vendor, providers, source, checked, confidence, root, closed, nulls, "       \
    "also, also_snake"

static bool is_head(struct str key)
{
    return words_have("schema dialect vendor providers source checked confidence root closed nulls "
                      "also also_snake",
                      key);
}

static bool head_flag(struct reader *r, const char *key, bool *out)
{
    const struct toml_entry *e = toml_entry_of(r->root, str_of(key));
    return !e || read_bool(r, e, out);
}

/* What the file says for all of its rules and shapes. */
static bool read_head(struct reader *r, struct req_file *f, bool *snake)
{
    const struct toml *t = r->root;
    const struct toml_entry *e = toml_entry_of(t, STR("dialect"));
    if (!read_wants(r, t, "the file", STR("dialect"), true) ||
        !read_word(r, e->key, e->value, REQUEST_APIS, CODE_unknown_api, &f->api))
        return false;
    e = toml_entry_of(t, STR("vendor"));
    if (e && !read_name_fold(r, e->key, e->value, &f->vendor))
        return false;
    e = toml_entry_of(t, STR("providers"));
    if (e && !read_names(r, e, true, NULL, CODE_unknown_provider, &f->provider, &f->n_providers))
        return false;
    e = toml_entry_of(t, STR("root"));
    if (e && !read_name(r, e->key, e->value, &f->root))
        return false;
    e = toml_entry_of(t, STR("source"));
    if (e && !read_text(r, e->key, e->value, &f->said.source))
        return false;
    e = toml_entry_of(t, STR("confidence"));
    if (e && !req_confidence(r, e, &f->said.confidence))
        return false;
    e = toml_entry_of(t, STR("checked"));
    if (e && !req_day(r, e, &f->said.checked))
        return false;
    e = toml_entry_of(t, STR("also"));
    if (e && !read_also(r, e, f))
        return false;
    return head_flag(r, "closed", &f->closed) && head_flag(r, "nulls", &f->nulls) &&
           head_flag(r, "also_snake", snake);
}

/* The text as a snapshot keeps it: line for line, so that whoever reads it again finds everything
 * where it stood, but without lines of comment. A text of several lines may have a # for itself: a
 * file with one stays as it is. */
static struct str uncommented(struct ruleset *rs, struct str text)
{
    struct buf out;
    if (!str_starts(text, STR("#")) && str_find(text, STR("\n#")) == SIZE_MAX)
        return text;
    if (str_find(text, STR("\"\"\"")) != SIZE_MAX || str_find(text, STR("'''")) != SIZE_MAX)
        return text;
    buf_init_arena(&out, rs->ar, text.n + 1);
    for (struct str left = text; left.n;) {
        struct str line = str_head(left, str_find_char(left, '\n'));
        if (line.n && line.p[0] == '#')
            line.n = 0;
        buf_puts(&out, line);
        left = str_from(left, str_find_char(left, '\n'));
        if (left.n)
            buf_putc(&out, '\n');
        left = str_from(left, 1);
    }
    rs->failed |= out.failed;
    return STR_IN(out);
}

void read_requests(struct reader *r, struct str text)
{
    struct ruleset *rs = r->rs;
    bool snake = false;
    struct req_file f = {.api = STR(""),
                         .vendor = STR(""),
                         .root = STR(""),
                         .said = {.source = STR(""), .confidence = STR("spec")},
                         .at = read_place(r, (struct toml_pos){1, 1, 1})};
    if (!rs->requests && !(rs->requests = arena_alloc(rs->ar, sizeof *rs->requests))) {
        rs->failed = true;
        return;
    }
    if (!read_head(r, &f, &snake))
        return;
    for (size_t i = 0; i < r->root->n && !rs->failed && !r->full; i++) {
        const struct toml_entry *e = &r->root->entry[i];
        if (is_head(e->key))
            continue;
        if (str_is(e->key, "measure"))
            read_measures(r, e, f.api);
        else if (str_is(e->key, "rules"))
            read_each(r, e, "[[rules]]", read_rule, &f);
        else if (str_is(e->key, "adjust"))
            read_each(r, e, "[[adjust]]", read_adjust, &f);
        else if (str_is(e->key, "shape"))
            read_shapes(r, e, &f);
        else {
            READ_FATAL(r, CODE_unknown_key, e->at, "a file of request rules has no key '%.*s'",
                       STR_ARG(e->key));
            READ_HINT(r, "known here: " HEAD_WORDS ", measure, rules, shape, adjust");
        }
    }
    struct ruleset_requests *all = rs->requests;
    if (!ARENA_GROW(rs->ar, all->text, all->n_texts, all->cap_texts)) {
        rs->failed = true;
        return;
    }
    all->text[all->n_texts++] =
        (struct req_text){r->source, uncommented(rs, text), f.api, f.vendor, snake};
}

void ruleset_read_requests(struct ruleset *rs, uint32_t source, struct str text)
{
    struct reader r = {.rs = rs,
                       .source = source,
                       .file = rs->source[source].file,
                       .syntax = CANDO_SYNTAX_CANDO,
                       .vocab = VOCAB_CANDO};
    if (read_root(&r, text)) /* else the snapshot is damaged: it was read before */
        read_requests(&r, text);
}
