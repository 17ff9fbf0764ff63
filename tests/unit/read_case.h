/*
 * read_case.h - what the tests of the rule readers share: a set to read into,
 * findings to look up, memory that runs out.
 */
#ifndef READ_CASE_H
#define READ_CASE_H

#include "test.h"

#include "rules/read.h"
#include "text/glob.h"

struct set {
    struct arena ar;
    struct ruleset rs;
};

static inline void set_open(struct set *s)
{
    arena_init(&s->ar, NULL);
    ruleset_init(&s->rs, &s->ar);
}

static inline void set_close(struct set *s)
{
    arena_free(&s->ar);
}

static inline void set_read_in(struct set *s, const char *name, const char *text, cando_syntax syntax,
                               cando_layer layer)
{
    ruleset_read(&s->rs, str_of(name), str_of(text), syntax, layer);
    assert_false(s->rs.failed);
}

static inline void set_read(struct set *s, const char *text, cando_syntax syntax)
{
    set_read_in(s, "a.toml", text, syntax, CANDO_LAYER_PROJECT);
}

/* For what must not be there at all. */
static inline void show_findings(const struct ruleset *rs)
{
    for (size_t i = 0; i < rs->diag.n; i++) {
        const struct finding *f = &rs->diag.item[i];
        print_message("%u:%u %s %.*s [%.*s]\n", f->at.line, f->at.column, code_name(f->code), STR_ARG(f->message),
                      STR_ARG(f->hint));
    }
}

static inline void assert_clean(const struct ruleset *rs)
{
    if (rs->diag.count[CANDO_ERROR] || rs->diag.count[CANDO_WARNING] || rs->fatal)
        show_findings(rs);
    assert_int_equal(rs->diag.count[CANDO_ERROR], 0);
    assert_int_equal(rs->diag.count[CANDO_WARNING], 0);
    assert_int_equal(rs->fatal, 0);
}

static inline void assert_place(struct place at, unsigned line, unsigned column, unsigned width)
{
    assert_int_equal(at.line, line);
    assert_int_equal(at.column, column);
    assert_int_equal(at.width, width);
}

static inline bool str_has(struct str s, const char *z)
{
    return str_find(s, str_of(z)) != SIZE_MAX;
}

static inline const struct assign *assign_for(const struct rule *rule, unsigned field)
{
    for (size_t i = 0; i < rule->n_assigns; i++)
        if (rule->assign[i].field == field)
            return &rule->assign[i];
    return NULL;
}

/* One mistake: the text has exactly one finding above a note, this one. */
struct mistake {
    const char *text;
    enum code code;
    unsigned line, column;
    bool fatal;
    const char *message, *hint; /* parts of them, or NULL; a hint of "": there is none */
};

static inline void check_mistake(const struct mistake *m, const char *before, cando_syntax syntax)
{
    char text[8192];
    int n = snprintf(text, sizeof text, "%s%s", before, m->text);
    assert_in_range(n, 0, sizeof text - 1);
    struct set s;
    set_open(&s);
    set_read(&s, text, syntax);
    ruleset_check_scopes(&s.rs);
    ruleset_check_shapes(&s.rs);
    size_t found = 0;
    const struct finding *f = NULL;
    for (size_t i = 0; i < s.rs.diag.n; i++)
        if (s.rs.diag.item[i].severity != CANDO_NOTE) {
            f = &s.rs.diag.item[i];
            found++;
        }
    bool right = found == 1 && f->code == m->code && f->at.line == m->line && f->at.column == m->column &&
                 (s.rs.fatal == 1) == m->fatal && (!m->message || str_has(f->message, m->message)) &&
                 (!m->hint || (m->hint[0] ? str_has(f->hint, m->hint) : f->hint.n == 0));
    if (!right) {
        print_message("---\n%s\n--- expected %u:%u %s, fatal %d\n", text, m->line, m->column, code_name(m->code),
                      m->fatal);
        show_findings(&s.rs);
        print_message("fatal %zu\n", s.rs.fatal);
    }
    assert_true(right);
    set_close(&s);
}

#define CHECK_MISTAKES(list, before, syntax)                                                                          \
    for (size_t i_ = 0; i_ < sizeof(list) / sizeof *(list); i_++)                                                      \
    check_mistake(&(list)[i_], before, syntax)

/* -- memory that runs out -------------------------------------------------------- */

/* Reads with 0, 1, 2, ... allocations until all of them are enough. */
static inline void check_memory(const char *text, cando_syntax syntax)
{
    for (size_t n = 0;; n++) {
        struct failing scarce = failing_after(n);
        cando_allocator a = {failing_resize, &scarce};
        struct arena ar;
        struct ruleset rs;
        arena_init(&ar, &a);
        ruleset_init(&rs, &ar);
        ruleset_read(&rs, STR("a.toml"), str_of(text), syntax, CANDO_LAYER_PROJECT);
        if (!rs.failed)
            ruleset_check_scopes(&rs);
        bool enough = scarce.calls <= n;
        assert_true(rs.failed == !enough);
        arena_free(&ar);
        assert_int_equal(scarce.live, 0);
        if (enough)
            return;
    }
}

/* -- long texts -------------------------------------------------------------------- */

struct text {
    char *p;
    size_t n, cap;
};

static inline void text_add(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static inline void text_add(struct text *t, const char *fmt, ...)
{
    if (t->cap - t->n < 4096) {
        t->cap = t->cap ? t->cap * 2 : 1 << 16;
        t->p = realloc(t->p, t->cap);
        assert_non_null(t->p);
    }
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(t->p + t->n, t->cap - t->n, fmt, ap);
    va_end(ap);
    assert_in_range(n, 0, t->cap - t->n - 1);
    t->n += (size_t)n;
}

/* `n` times the letter a. */
static inline const char *letters(size_t n)
{
    static char text[2048];
    assert_in_range(n, 0, sizeof text - 1);
    memset(text, 'a', n);
    text[n] = '\0';
    return text;
}

/* The only finding of a long text is `too-long`. */
static inline void check_too_long(struct text *t, cando_syntax syntax, bool expected)
{
    struct set s;
    set_open(&s);
    ruleset_read(&s.rs, STR("a.toml"), str_make(t->p, t->n), syntax, CANDO_LAYER_PROJECT);
    assert_false(s.rs.failed);
    size_t found = 0;
    for (size_t i = 0; i < s.rs.diag.n; i++)
        found += s.rs.diag.item[i].code == CODE_too_long;
    if (found != expected || s.rs.diag.count[CANDO_ERROR] != found)
        show_findings(&s.rs);
    assert_int_equal(found, expected);
    assert_int_equal(s.rs.diag.count[CANDO_ERROR], found);
    assert_int_equal(s.rs.fatal, found);
    set_close(&s);
    free(t->p);
    *t = (struct text){0};
}

#endif
