/*
 * fuzz_rules.c - libFuzzer target for the readers of rule files.
 *
 * The first byte chooses the API, the rest is the text of one source. What
 * was read must hold whatever the text was: places inside of it, patterns that
 * run, fields of the vocabulary, names within their limits. A `#` line of two
 * dashes ("#--") starts a second source, so that the tables that sources share
 * are reached as well.
 */
#include "fuzz.h"

#include "rules/read.h"
#include "text/glob.h"

#define HOLDS(x) ((x) ? (void)0 : abort())

/* Line 0 is nowhere; column n + 1 is the line's end. */
static void check_place(const struct ruleset *rs, struct place at)
{
    HOLDS(at.file < rs->diag.n_files);
    if (at.line == 0)
        return;
    struct str text = rs->diag.file[at.file].text;
    uint32_t lines = 1;
    for (size_t i = 0; i < text.n; i++)
        lines += text.p[i] == '\n';
    HOLDS(at.line <= lines);
    struct str line = diag_line(&rs->diag, at.file, at.line);
    HOLDS(at.column >= 1 && at.column <= line.n + 2);
    HOLDS(at.width <= line.n + 2);
}

static void check_folded(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        HOLDS(s.p[i] == char_fold(s.p[i]) && s.p[i]);
}

static void check_pattern(const struct ruleset *rs, const struct pattern *p)
{
    check_place(rs, p->at);
    check_folded(p->text);
    HOLDS((p->kind == MATCH_ANY) == (p->text.n == 0));
    HOLDS(p->text.n <= LIMIT_PATTERN_BYTES);
    HOLDS((p->kind == MATCH_GLOB) == (p->n_programs > 0));
    for (size_t i = 0; i < p->n_programs; i++)
        HOLDS(glob_valid(p->program[i]));
}

static void check_assign(const struct ruleset *rs, const struct assign *a)
{
    check_place(rs, a->at);
    HOLDS(a->field < FIELD_COUNT);
    cando_type type = vocab_row(a->field)->type;
    HOLDS(type == CANDO_SUPPORT || a->value.support == CANDO_UNKNOWN);
    HOLDS(type != CANDO_SUPPORT || a->value.cleared == (a->value.support == CANDO_UNKNOWN));
    HOLDS(a->value.number <= LIMIT_NUMBER);
    HOLDS(a->value.n <= LIMIT_LIST_ITEMS);
    HOLDS(a->value.n == 0 || type == CANDO_LIST || type == CANDO_MAP);
    for (size_t i = 0; type == CANDO_MAP && i < a->value.n; i++)
        HOLDS(str_find_char(a->value.item[i], '=') < a->value.item[i].n);
}

static void check_scope(const struct ruleset *rs, const struct scope_name *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        check_place(rs, s[i].at);
        check_folded(s[i].name);
        HOLDS(s[i].name.n > 0 && s[i].name.n <= LIMIT_NAME_BYTES);
    }
}

static void check_rule(const struct ruleset *rs, const struct rule *r)
{
    HOLDS(r->source < rs->n_sources);
    check_place(rs, r->at);
    check_scope(rs, r->provider, r->n_providers);
    check_scope(rs, r->api, r->n_apis);
    HOLDS(r->n_patterns > 0 && r->n_patterns <= LIMIT_PATTERNS_PER_RULE);
    HOLDS(r->kind != RULE_FACT || (r->n_providers == 1 && r->n_patterns == 1 && r->name.n > 0));
    HOLDS(r->kind != RULE_PROVIDER_DEFAULT || r->n_providers == 1);
    for (size_t i = 0; i < r->n_patterns; i++)
        check_pattern(rs, &r->pattern[i]);
    for (size_t i = 0; i < r->n_assigns; i++) {
        check_assign(rs, &r->assign[i]);
        for (size_t k = 0; k < i; k++)
            HOLDS(r->assign[k].field != r->assign[i].field);
    }
}

static void check_set(const struct ruleset *rs)
{
    for (size_t i = 0; i < rs->n_rules; i++) {
        const struct rule *r = &rs->rule[i], *before = i ? r - 1 : r;
        check_rule(rs, r);
        HOLDS(before->source < r->source ||
              (before->source == r->source && before->at.line <= r->at.line));
    }
    for (size_t i = 0; i < rs->n_providers; i++) {
        const struct provider *p = &rs->provider[i];
        HOLDS(p->source < rs->n_sources && p->id.n > 0);
        check_place(rs, p->at);
        check_folded(p->id);
        check_scope(rs, p->alias, p->n_aliases);
    }
    for (size_t i = 0; i < rs->n_families; i++) {
        HOLDS(rs->family[i].source < rs->n_sources);
        check_place(rs, rs->family[i].at);
        check_folded(rs->family[i].child);
        check_folded(rs->family[i].parent);
    }
    for (size_t i = 0; i < rs->n_ids; i++) {
        HOLDS(rs->id[i].table <= ID_SPELLING && rs->id[i].value.n > 0);
        check_place(rs, rs->id[i].at);
        check_folded(rs->id[i].key);
    }
    for (size_t i = 0; i < rs->diag.n; i++)
        check_place(rs, rs->diag.item[i].at);
    HOLDS(rs->fatal <= rs->diag.count[CANDO_ERROR]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    cando_syntax syntax = (cando_syntax)(data[0] % 4);
    struct str text = {(const char *)data + 1, size - 1}, second = STR("");
    size_t cut = str_find(text, STR("\n#--\n"));
    if (cut != SIZE_MAX) {
        second = str_from(text, cut + 5);
        text = str_head(text, cut + 1);
    }
    struct arena ar;
    struct ruleset rs;
    arena_init(&ar, NULL);
    ruleset_init(&rs, &ar);
    ruleset_read(&rs, STR("first.toml"), text, syntax, CANDO_LAYER_FAMILY);
    if (cut != SIZE_MAX)
        ruleset_read(&rs, STR("second.toml"), second, CANDO_SYNTAX_AUTO,
                     data[0] & 4 ? CANDO_LAYER_PROJECT : CANDO_LAYER_FAMILY);
    HOLDS(!rs.failed);
    ruleset_check_scopes(&rs);
    check_set(&rs);
    arena_free(&ar);
    return 0;
}
