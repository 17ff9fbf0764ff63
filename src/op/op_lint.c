/*
 * op_lint.c - lint: what is wrong with these rules?
 */
#include "op.h"

#include "base/file.h"
#include "base/limits.h"
#include "rules/rule.h"

static const struct op_arg args[] = {
    {"text", false, "the rules as TOML"},
    {"path", false, "a rule file, or a folder of them"},
    {"dialect", false, "'cando', 'nika' or 'harn'; found by the file itself if it is not given"},
    {0},
};

static void write_finding(struct json_writer *w, const cando_finding *f)
{
    jw_object(w);
    jw_keyz(w, "code");
    jw_strz(w, f->code);
    jw_keyz(w, "severity");
    jw_strz(w, severity_name(f->severity));
    if (f->file[0]) {
        jw_keyz(w, "file");
        jw_strz(w, f->file);
    }
    jw_keyz(w, "line");
    jw_uint(w, f->line);
    jw_keyz(w, "column");
    jw_uint(w, f->column);
    jw_keyz(w, "message");
    jw_strz(w, f->message);
    jw_keyz(w, "hint");
    jw_strz(w, f->hint[0] ? f->hint : NULL);
    jw_object_end(w);
}

/* The counts are of what is listed: the list has a limit, and says so itself. */
static void write_result(struct op_call *c, const cando_sources *s)
{
    struct json_writer *w = c->w;
    uint64_t count[3] = {0};
    jw_object(w);
    jw_keyz(w, "findings");
    jw_array(w);
    for (size_t i = 0; i < cando_sources_findings(s); i++) {
        cando_finding f = cando_sources_finding(s, i);
        write_finding(w, &f);
        count[f.severity]++;
    }
    jw_array_end(w);
    jw_keyz(w, "errors");
    jw_uint(w, count[CANDO_ERROR]);
    jw_keyz(w, "warnings");
    jw_uint(w, count[CANDO_WARNING]);
    jw_keyz(w, "notes");
    jw_uint(w, count[CANDO_NOTE]);
    jw_object_end(w);
}

static bool add_input(struct op_call *c, cando_sources *s, cando_syntax syntax)
{
    const struct json *text = json_get(c->args, "text"), *path = json_get(c->args, "path");
    struct str value;
    cando_error err = {0};
    if (!text == !path) {
        op_fail(c, text ? CODE_bad_argument : CODE_missing_argument, STR("/text"), "'lint' takes either 'text' or 'path'");
        return false;
    }
    if (!arg_text(c, text ? "text" : "path", &value))
        return false;
    cando_status st;
    if (text) {
        st = cando_sources_add(s, "", value.p, value.n, syntax, CANDO_LAYER_FAMILY, &err);
    } else {
        struct str own = str_dup(c->ar, value);
        if (!own.p)
            return op_memory(c);
        if (strlen(own.p) != own.n)
            return op_fail(c, CODE_bad_argument, STR("/path"), "a path has no NUL byte");
        st = cando_sources_add_path(s, own.p, syntax, CANDO_LAYER_FAMILY, &err);
    }
    return st == CANDO_OK || op_fail_error(c, text ? STR("/text") : STR("/path"), &err);
}

static bool run(struct op_call *c)
{
    struct str name;
    cando_syntax syntax = CANDO_SYNTAX_AUTO;
    if (!arg_text(c, "dialect", &name))
        return false;
    if (name.n && !syntax_by_name(name, &syntax)) {
        op_fail(c, CODE_bad_argument, STR("/dialect"), "there is no rule dialect '%.*s'", STR_ARG(str_head(name, 80)));
        return op_hint(c, "known: 'cando', 'nika', 'harn'");
    }
    cando_error err = {0};
    cando_sources *s = cando_sources_new(c->a, &err);
    if (!s)
        return op_memory(c);
    bool ok = add_input(c, s, syntax);
    if (ok && cando_sources_lint(s, &err) != CANDO_OK)
        ok = op_fail_error(c, STR(""), &err);
    if (ok)
        write_result(c, s);
    cando_sources_free(s);
    return ok;
}

const struct op op_lint = {.name = "lint", .doc = "what is wrong with these rules", .arg = args, .run = run};
