#include "insert.h"

#include "base/limits.h"
#include "catalog/vocab.h"
#include "text/toml.h"

struct inserter {
    struct arena *ar;
    const struct toml *rules; /* the array of [[rules]], or NULL */
    const char *newline;
};

static cando_status refuse(cando_error *err, const char *why, const char *hint)
{
    error_set(err, CANDO_BAD_INPUT, CODE_learn_refused, "%s", why);
    error_hint(err, "%s", hint);
    return CANDO_BAD_INPUT;
}

static bool is_blank(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] != ' ' && s.p[i] != '\t' && s.p[i] != '\r' && s.p[i] != '\n')
            return false;
    return true;
}

/* -- what is there already ------------------------------------------------------------- */

static const struct toml *rule_named(const struct inserter *in, struct str name)
{
    for (size_t i = 0; in->rules && i < in->rules->n; i++) {
        const struct toml *v = in->rules->item[i]->kind == TOML_TABLE
                                   ? toml_get(in->rules->item[i], STR("name"))
                                   : NULL;
        if (v && v->kind == TOML_STRING && str_eq(v->text, name))
            return in->rules->item[i];
    }
    return NULL;
}

static bool same_value(const struct toml *a, const struct toml *b)
{
    if (a->kind != b->kind || a->n != b->n)
        return false;
    if (a->kind == TOML_TABLE) {
        for (size_t i = 0; i < a->n; i++) {
            const struct toml *other = toml_get(b, a->entry[i].key);
            if (!other || !same_value(a->entry[i].value, other))
                return false;
        }
        return true;
    }
    if (a->kind == TOML_ARRAY) {
        for (size_t i = 0; i < a->n; i++)
            if (!same_value(a->item[i], b->item[i]))
                return false;
        return true;
    }
    return a->kind == TOML_INTEGER ? a->integer == b->integer : str_eq(a->text, b->text);
}

/* Does the rule set what the observation would? *failed: no memory to know. */
static bool says_the_same(struct inserter *in, const struct toml *rule, const struct observation *o,
                          bool *failed)
{
    struct buf b;
    enum code code;
    struct toml_pos at;
    char message[160];
    struct toml_writer w;
    buf_init(&b, in->ar->a, LIMIT_EVENT_BYTES);
    tw_init(&w, &b, "\n");
    tw_key(&w, str_of(vocab_row(o->field)->name));
    observe_value(&w, o->field, o->value);
    const struct toml *want =
        b.failed ? NULL : toml_parse(in->ar, STR_IN(b), &code, &at, message, sizeof message);
    buf_free(&b);
    *failed = !want;
    const struct toml *set = toml_get(rule, STR("set"));
    return want && set && same_value(set, want);
}

/* The observation's name, or the first of name-2, name-3, .. that is free. *present: the
 * rule is there, and says so. p is NULL if there was no memory. */
static struct str free_name(struct inserter *in, const struct observation *o, bool *present)
{
    struct str base = observe_name(in->ar, o), name = base;
    bool failed = false;
    *present = false;
    for (unsigned i = 2; name.p; i++) {
        const struct toml *rule = rule_named(in, name);
        if (!rule)
            return name;
        /* only the newest of them counts in the end */
        struct str next = str_printf(in->ar, "%.*s-%u", STR_ARG(base), i);
        if (next.p && !rule_named(in, next)) {
            *present = says_the_same(in, rule, o, &failed);
            return failed ? STR_NONE : next;
        }
        name = next;
    }
    return STR_NONE;
}

/* -- where it goes ------------------------------------------------------------------------ */

/* The byte at which line `line` (1-based) begins. */
static size_t line_start(struct str s, uint32_t line)
{
    size_t at = 0;
    for (uint32_t i = 1; i < line && at < s.n; i++) {
        size_t end = str_find_char(str_from(s, at), '\n');
        at = at + end < s.n ? at + end + 1 : s.n;
    }
    return at;
}

/* Above the comment that belongs to the first rule. */
static size_t before_first(const struct inserter *in, struct str s)
{
    uint32_t line = in->rules->item[0]->at.line;
    while (line > 1) {
        struct str above = str_from(s, line_start(s, line - 1));
        while (above.n && (above.p[0] == ' ' || above.p[0] == '\t'))
            above = str_from(above, 1);
        if (!above.n || above.p[0] != '#')
            break;
        line--;
    }
    return line_start(s, line);
}

static bool first_match(const struct toml *root)
{
    const struct toml *v = toml_get(root, STR("resolution"));
    return v && v->kind == TOML_STRING && str_is(v->text, "first-match");
}

static cando_status check_file(const struct toml *root, struct inserter *in, cando_error *err)
{
    const struct toml *schema = toml_get(root, STR("schema"));
    in->rules = toml_get(root, STR("rules"));
    if (!schema || schema->kind != TOML_STRING || !str_is(schema->text, "cando/rules@1"))
        return refuse(err, "the file is not one of cando's own rule files",
                      "its first line should be schema = \"cando/rules@1\"");
    if (in->rules && (in->rules->kind != TOML_ARRAY || !in->rules->of_tables))
        return refuse(err, "the file has its rules in one list, to which nothing can be added",
                      "write them as [[rules]] tables");
    return CANDO_OK;
}

/* -- all of it ----------------------------------------------------------------------------- */

static cando_status write_rules(struct inserter *in, struct buf *rules,
                                const struct cando_observations *o, uint64_t now,
                                struct insert_result *result, cando_error *err)
{
    for (size_t i = 0; i < o->n; i++) {
        bool present;
        if (o->item[i].expires && o->item[i].expires <= now)
            continue;
        struct str name = free_name(in, &o->item[i], &present);
        if (!name.p)
            return error_memory(err);
        if (present) {
            result->present++;
            continue;
        }
        if (result->added++)
            buf_putz(rules, in->newline);
        observe_rule(rules, &o->item[i], name, in->newline);
    }
    return rules->failed ? error_memory(err) : CANDO_OK;
}

static void splice(struct buf *out, struct str file, const struct inserter *in, struct str rules,
                   bool on_top)
{
    if (!rules.n) {
        buf_puts(out, file);
        return;
    }
    if (on_top) {
        size_t at = before_first(in, file);
        buf_puts(out, str_head(file, at));
        buf_puts(out, rules);
        buf_putz(out, in->newline);
        buf_puts(out, str_from(file, at));
        return;
    }
    buf_puts(out, file);
    if (file.n && file.p[file.n - 1] != '\n')
        buf_putz(out, in->newline);
    buf_putz(out, in->newline);
    buf_puts(out, rules);
}

static cando_status count_errors(const cando_allocator *a, struct str text, size_t *out,
                                 cando_error *err)
{
    cando_sources *s = cando_sources_new(a, err);
    if (!s)
        return CANDO_INTERNAL;
    cando_status st =
        cando_sources_add(s, "", text.p, text.n, CANDO_SYNTAX_CANDO, CANDO_LAYER_PROJECT, err);
    *out = cando_sources_count(s, CANDO_ERROR);
    cando_sources_free(s);
    return st;
}

static cando_status read_back(const cando_allocator *a, struct str before, struct str after,
                              cando_error *err)
{
    size_t old = 0, fresh = 0;
    cando_status st = is_blank(before) ? CANDO_OK : count_errors(a, before, &old, err);
    if (st == CANDO_OK)
        st = count_errors(a, after, &fresh, err);
    if (st == CANDO_OK && fresh > old)
        return refuse(err, "the file would not be read without errors any more",
                      "add the rule by hand");
    return st;
}

static cando_status insert_into(struct buf *out, struct str file, struct inserter *in,
                                const struct cando_observations *o, uint64_t now,
                                struct insert_result *result, cando_error *err)
{
    enum code code;
    struct toml_pos at;
    char message[160];
    bool on_top = false;
    cando_status st;
    if (!is_blank(file)) {
        const struct toml *root = toml_parse(in->ar, file, &code, &at, message, sizeof message);
        if (!root && code == CODE_memory)
            return error_memory(err);
        if (!root) {
            error_set(err, CANDO_BAD_INPUT, code, "line %u, column %u: %s", at.line, at.column,
                      message);
            error_hint(err, "the file was left as it was");
            return CANDO_BAD_INPUT;
        }
        if ((st = check_file(root, in, err)) != CANDO_OK)
            return st;
        on_top = in->rules && in->rules->n && first_match(root);
    }
    struct buf rules;
    buf_init(&rules, in->ar->a, LIMIT_TOML_BYTES);
    st = write_rules(in, &rules, o, now, result, err);
    if (st == CANDO_OK && is_blank(file) && rules.n)
        splice(out, STR(OBSERVE_SCHEMA), in, STR_IN(rules), false);
    else if (st == CANDO_OK)
        splice(out, file, in, STR_IN(rules), on_top);
    buf_free(&rules);
    if (st == CANDO_OK && !buf_cstr(out))
        st = error_memory(err);
    return st == CANDO_OK && result->added ? read_back(in->ar->a, file, STR_IN(*out), err) : st;
}

cando_status insert_rules(struct buf *out, struct str file, const struct cando_observations *o,
                          uint64_t now, struct insert_result *result, cando_error *err)
{
    struct arena ar;
    arena_init(&ar, o->a);
    size_t line = str_find_char(file, '\n');
    struct inserter in = {
        .ar = &ar, .newline = line && line < file.n && file.p[line - 1] == '\r' ? "\r\n" : "\n"};
    *result = (struct insert_result){0};
    cando_status st = insert_into(out, file, &in, o, now, result, err);
    arena_free(&ar);
    return st;
}
