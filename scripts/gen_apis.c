/*
 * gen_apis.c - makes C of catalog/apis/: gen_apis FOLDER FILE.toml...
 *
 * Writes FOLDER/apis.c (the table that src/catalog/api.h declares) and FOLDER/api_words.h
 * (lists of names, for messages and options). src/catalog/api.def says which keys there are
 * and what each becomes; a key that it does not have is an error with its place. Words that
 * become constants are left to the compiler, which knows them.
 */
#include "base/buf.h"
#include "base/file.h"
#include "base/limits.h"
#include "text/toml.h"

#include <stdio.h>
#include <stdlib.h>

enum kind {
    END_OF_RECORD,
    K_TEXT,
    K_WORDS,
    K_FLAG,
    K_NUMBER,
    K_ENUM,
    K_SET,
    K_SIGNS,
    K_PATHS,
    K_ROWS,
    K_API
};

struct column {
    enum kind kind;
    const char *key, *prefix, *none;
    const struct record *record;
};

struct record {
    const char *name;
    const struct column *column;
};

/* clang-format off */
#define API_RECORD(type) static const struct column type##_columns[] = {
#define API_TEXT(name) {.kind = K_TEXT, .key = #name},
#define API_WORDS(name) {.kind = K_WORDS, .key = #name},
#define API_FLAG(name) {.kind = K_FLAG, .key = #name},
#define API_NUMBER(name) {.kind = K_NUMBER, .key = #name},
#define API_ENUM(name, of, no) {.kind = K_ENUM, .key = #name, .prefix = #of, .none = #no},
#define API_SET(name, of) {.kind = K_SET, .key = #name, .prefix = #of},
#define API_SIGNS(name) {.kind = K_SIGNS, .key = #name},
#define API_PATHS(name) {.kind = K_PATHS, .key = #name},
#define API_ROWS(name, type) {.kind = K_ROWS, .key = #name, .record = &type##_record},
#define API_OF(name) {.kind = K_API, .key = #name},
#define API_END(type) {0}}; static const struct record type##_record = {#type, type##_columns};
/* clang-format on */
#include "catalog/api.def"

struct file {
    const char *path;
    struct toml *root;
    struct str name; /* of an API */
    int64_t order;   /* and its place; the other files come behind them */
    const struct record *record;
};

/* The other files: a struct each, by its schema. */
static const struct {
    const char *schema;
    const struct record *record;
} others[] = {
    {"cando/refusals@1", &refusals_record},
    {"cando/nika@1", &nika_names_record},
    {"cando/prices@1", &price_names_record},
    {"cando/secrets@1", &secrets_record},
};

static struct arena ar;
static struct file *files, *now;
static size_t n_files, n_all; /* the files of APIs come first */
static struct buf out;        /* the tables; what a row points to stands before it */
static unsigned tables;

/* -- helpers ------------------------------------------------------------------------------ */

static void fail(struct toml_pos at, const char *what, struct str name)
{
    fprintf(stderr, "%s:%u:%u: error: %s '%.*s'\n", now->path, (unsigned)at.line,
            (unsigned)at.column, what, STR_ARG(name));
    exit(1);
}

static void want(const struct toml *v, enum toml_kind kind, struct str name)
{
    char what[100];
    if (v->kind == kind)
        return;
    snprintf(what, sizeof what, "this is %s, expected %s:", toml_kind_name(v->kind),
             toml_kind_name(kind));
    fail(v->at, what, name);
}

static void put_quoted(struct buf *b, struct str s)
{
    buf_putc(b, '"');
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c == '"' || c == '\\')
            buf_printf(b, "\\%c", c);
        else if (c < ' ' || c > '~')
            buf_printf(b, "\\%03o", c);
        else
            buf_putc(b, (char)c);
    }
    buf_putc(b, '"');
}

static void put_str(struct buf *b, struct str s)
{
    buf_putc(b, '{');
    put_quoted(b, s);
    buf_printf(b, ", %zu}", s.n);
}

/* Fields and units are written as they are, all other constants in capitals. */
static void put_constant(struct buf *b, const char *prefix, struct str word)
{
    bool lower = strcmp(prefix, "F") == 0 || strcmp(prefix, "UNIT") == 0;
    buf_printf(b, "%s_", prefix);
    for (size_t i = 0; i < word.n; i++) {
        char c = word.p[i];
        buf_putc(b, lower || c < 'a' || c > 'z' ? c : (char)(c - 'a' + 'A'));
    }
}

static struct str take(struct str *rest, const char *ends)
{
    size_t n = 0;
    while (n < rest->n && !strchr(ends, rest->p[n]))
        n++;
    struct str head = str_head(*rest, n);
    *rest = str_from(*rest, n);
    return head;
}

/* -- signs and paths: api.h says how they are written --------------------------------------- */

static void put_sign(struct buf *b, struct str s, bool more, struct toml_pos at)
{
    static const char *const kinds[] = {"string", "array", "object", "number"};
    static const char *const names[] = {"JSON_STRING", "JSON_ARRAY", "JSON_OBJECT", "JSON_NUMBER"};
    struct str rest = s;
    unsigned each = 0, n = 0;
    const char *test = "SIGN_THERE", *kind = "0";
    bool no = s.n && s.p[0] == '!';
    rest = str_from(rest, no);
    buf_putz(b, "    {.step = {");
    for (;; n++) {
        struct str step = take(&rest, "/=^:?");
        if (str_ends(step, STR("[]"))) {
            each |= 1u << n;
            step.n -= 2;
        }
        if (!step.n || n == 3)
            fail(at, "no sign:", s);
        put_str(b, step);
        buf_putz(b, ", ");
        if (!str_starts(rest, STR("/")))
            break;
        rest = str_from(rest, 1);
    }
    buf_printf(b, "}, .n_steps = %u, .each = %u, .words = ", n + 1, each);
    struct str words = STR("");
    if (str_starts(rest, STR(":"))) {
        test = "SIGN_KIND";
        for (size_t i = 0; i < 4; i++)
            if (str_is(str_from(rest, 1), kinds[i]))
                kind = names[i];
        if (kind[0] == '0')
            fail(at, "no kind:", s);
    } else if (str_is(rest, "?")) {
        test = "SIGN_EXISTS";
    } else if (rest.n) {
        bool starts = rest.p[0] == '^';
        test = starts ? "SIGN_STARTS" : "SIGN_IS";
        words = str_dup(&ar, str_from(rest, 1u + starts));
    }
    for (size_t i = 0; i < words.n; i++)
        if (words.p[i] == '|')
            ((char *)words.p)[i] = ' ';
    put_quoted(b, words);
    buf_printf(b, ", .test = %s, .kind = %s, .no = %d, .more = %d},\n", test, kind, no, more);
}

static size_t put_signs(struct buf *b, const struct toml *v)
{
    size_t n = 0;
    for (size_t i = 0; i < v->n; i++) {
        want(v->item[i], TOML_STRING, STR("signs"));
        const char *cursor = v->item[i]->text.p;
        struct str word, next;
        bool more = words_next(&cursor, &next);
        while (more) {
            word = next;
            more = words_next(&cursor, &next);
            put_sign(b, word, more, v->item[i]->at);
            n++;
        }
    }
    return n;
}

static size_t put_paths(struct buf *b, const struct toml *v)
{
    for (size_t i = 0; i < v->n; i++) {
        want(v->item[i], TOML_STRING, STR("counts"));
        struct str rest = v->item[i]->text, unit = take(&rest, " ");
        bool add = str_starts(rest, STR(" += "));
        if (!add && !str_starts(rest, STR(" = ")))
            fail(v->item[i]->at, "no count:", v->item[i]->text);
        rest = str_from(rest, add ? 4 : 3);
        buf_putz(b, "    {.unit = ");
        put_constant(b, "UNIT", unit);
        buf_printf(b, ", .add = %d, .text = ", add);
        put_quoted(b, rest);
        buf_putz(b, ", .first = ");
        put_str(b, take(&rest, "[/"));
        if (str_starts(rest, STR("["))) {
            rest = str_from(rest, 1);
            buf_putz(b, ", .filter = ");
            put_str(b, take(&rest, "="));
            rest = str_from(rest, 1);
            buf_putz(b, ", .word = ");
            put_str(b, take(&rest, "]"));
            rest = str_from(rest, 1);
        }
        buf_putz(b, ", .step = {");
        while (str_starts(rest, STR("/"))) {
            rest = str_from(rest, 1);
            put_str(b, take(&rest, "/"));
            buf_putz(b, ", ");
        }
        if (rest.n)
            fail(v->item[i]->at, "no count:", v->item[i]->text);
        buf_putz(b, "}},\n");
    }
    return v->n;
}

/* -- records -------------------------------------------------------------------------------- */

static void put_row(struct buf *b, const struct record *record, const struct toml *v);

/* A table of its own before the row, and in the row where it is and how long. */
static void put_table(struct buf *row, const struct column *c, const struct toml *v)
{
    struct buf b;
    const char *type = c->kind == K_SIGNS   ? "api_sign"
                       : c->kind == K_PATHS ? "api_path"
                                            : c->record->name;
    size_t n = v->n;
    buf_init(&b, NULL, LIMIT_JSON_BYTES);
    want(v, TOML_ARRAY, str_of(c->key));
    if (c->kind == K_SIGNS)
        n = put_signs(&b, v);
    else if (c->kind == K_PATHS)
        n = put_paths(&b, v);
    else
        for (size_t i = 0; i < v->n; i++)
            put_row(&b, c->record, v->item[i]);
    unsigned id = tables++;
    buf_printf(&out, "static const struct %s t%u[] = {\n", type, id);
    buf_put(&out, b.p, b.n);
    buf_putz(&out, "};\n");
    buf_printf(row, " .%s = t%u, .n_%s = %zu,", c->key, id, c->key, n);
    buf_free(&b);
}

static void put_words(struct buf *b, const struct column *c, const struct toml *v)
{
    struct buf words;
    buf_init(&words, NULL, LIMIT_JSON_BYTES);
    want(v, TOML_ARRAY, str_of(c->key));
    for (size_t i = 0; i < v->n; i++) {
        want(v->item[i], TOML_STRING, str_of(c->key));
        if (str_find_char(v->item[i]->text, ' ') < v->item[i]->text.n)
            fail(v->item[i]->at, "a word has no spaces:", v->item[i]->text);
        if (i)
            buf_putz(&words, c->kind == K_SET ? " | " : " ");
        if (c->kind == K_SET) {
            buf_putz(&words, "1u << ");
            put_constant(&words, c->prefix, v->item[i]->text);
        } else {
            buf_puts(&words, v->item[i]->text);
        }
    }
    struct str s = str_make(words.p, words.n);
    if (c->kind == K_SET)
        buf_puts(b, s);
    else
        put_quoted(b, s);
    buf_free(&words);
}

static void put_api(struct buf *b, const struct toml *v)
{
    want(v, TOML_STRING, STR("the name of an API"));
    for (size_t i = 0; i < n_files; i++)
        if (str_eq(files[i].name, v->text)) {
            buf_printf(b, "&apis[%zu]", i);
            return;
        }
    fail(v->at, "no API", v->text);
}

/* v: NULL if the file does not say it. */
static void put_value(struct buf *b, const struct column *c, const struct toml *v)
{
    bool tables_kind = c->kind == K_SIGNS || c->kind == K_PATHS || c->kind == K_ROWS;
    if (tables_kind && v && v->n)
        put_table(b, c, v);
    if (tables_kind || (!v && c->kind != K_TEXT && c->kind != K_WORDS && c->kind != K_ENUM))
        return;
    buf_printf(b, " .%s = ", c->key);
    switch (c->kind) {
    case K_TEXT:
        if (v)
            want(v, TOML_STRING, str_of(c->key));
        put_str(b, v ? v->text : STR(""));
        break;
    case K_ENUM:
        if (v)
            want(v, TOML_STRING, str_of(c->key));
        if (v)
            put_constant(b, c->prefix, v->text);
        else
            buf_putz(b, c->none);
        break;
    case K_FLAG:
        want(v, TOML_BOOLEAN, str_of(c->key));
        buf_puts(b, v->text);
        break;
    case K_NUMBER:
        want(v, TOML_INTEGER, str_of(c->key));
        buf_puts(b, v->text);
        break;
    case K_API:
        put_api(b, v);
        break;
    default:
        if (v)
            put_words(b, c, v);
        else
            buf_putz(b, "\"\"");
    }
    buf_putc(b, ',');
}

static const struct column *column_of(const struct record *record, struct str key)
{
    for (const struct column *c = record->column; c->kind != END_OF_RECORD; c++)
        if (str_is(key, c->key))
            return c;
    return NULL;
}

static void put_row(struct buf *b, const struct record *record, const struct toml *v)
{
    for (size_t i = 0; v->kind == TOML_TABLE && i < v->n; i++)
        if (!column_of(record, v->entry[i].key) && !str_is(v->entry[i].key, "schema"))
            fail(v->entry[i].at, "src/catalog/api.def has no", v->entry[i].key);
    buf_putz(b, "    {");
    size_t at = 0;
    for (const struct column *c = record->column; c->kind != END_OF_RECORD; c++, at++) {
        const struct toml *x = v->kind == TOML_TABLE ? toml_get(v, str_of(c->key)) : NULL;
        if (v->kind == TOML_ARRAY && at < v->n)
            x = v->item[at];
        if (v->kind == TOML_STRING && at == 0)
            x = v;
        put_value(b, c, x);
    }
    if (v->kind == TOML_ARRAY ? v->n > at : v->kind != TOML_TABLE && v->kind != TOML_STRING)
        fail(v->at, "no row of", str_of(record->name));
    buf_putz(b, "},\n");
}

static void put_struct(const struct record *record, const char *name, const struct toml *v)
{
    struct buf row;
    buf_init(&row, NULL, LIMIT_JSON_BYTES);
    put_row(&row, record, v);
    buf_printf(&out, "const struct %s %s =\n", record->name, name);
    buf_put(&out, row.p, row.n - 2); /* without the comma behind it */
    buf_putz(&out, ";\n");
    buf_free(&row);
}

/* -- what is read of a reply ----------------------------------------------------------------- */

/* Members that a reply's signs and places begin with, each once; how much of it is wanted
 * grows: that it is there, a member of each of its items, the same members as of a reply, all. */
enum pick { PICK_HAS, PICK_LIST, PICK_SAME, PICK_ALL };

struct picks {
    struct str key[100];
    enum pick how[100];
    size_t n;
};

static void pick(struct picks *to, struct str key, enum pick how)
{
    for (size_t i = 0; i < to->n; i++)
        if (str_eq(to->key[i], key)) {
            to->how[i] = how > to->how[i] ? how : to->how[i];
            return;
        }
    if (to->n == sizeof to->key / sizeof *to->key)
        fail((struct toml_pos){1, 1, 1}, "too many members are looked at; the last is", key);
    to->key[to->n] = key;
    to->how[to->n++] = how;
}

/* All signs of a list; of a place all is wanted. */
static void pick_signs(struct picks *all, struct picks *inner, const struct toml *v, bool place)
{
    for (size_t i = 0; v && i < v->n; i++) {
        const char *cursor = v->item[i]->text.p;
        struct str word;
        while (words_next(&cursor, &word)) {
            word = str_from(word, word.p[0] == '!');
            struct str first = take(&word, "/=^:?"), second = str_from(word, 1);
            bool deep = str_starts(word, STR("/")), list = str_ends(first, STR("[]"));
            first.n -= list ? 2 : 0;
            second = take(&second, "/=^:?");
            if (list)
                pick(inner, second, PICK_ALL);
            else if (deep && !place)
                pick(all, second, PICK_ALL);
            bool value =
                word.n && word.p[0] != ':' && word.p[0] != '?' && !deep && !str_is(word, "=[]");
            pick(all, first,
                 place || value ? PICK_ALL
                 : list         ? PICK_LIST
                 : deep         ? PICK_SAME
                                : PICK_HAS);
        }
    }
}

static void pick_form(struct picks *all, struct picks *inner, const struct toml *form)
{
    const struct toml *told = toml_get(form, STR("told")), *answer = toml_get(form, STR("answer"));
    static const char *const lists[] = {"reply_signs", "sums", "begins"};
    pick_signs(all, inner, toml_get(form, STR("at")), true);
    for (size_t i = 0; i < 3; i++)
        pick_signs(all, inner, toml_get(form, str_of(lists[i])), false);
    if (toml_get(form, STR("in_reply"))) {
        const struct toml *counts = toml_get(form, STR("counts"));
        for (size_t i = 0; counts && i < counts->n; i++) {
            struct str rest = counts->item[i]->text;
            take(&rest, "=");
            pick(all, str_from(rest, 2), PICK_ALL);
        }
    }
    const struct toml *called = toml_get(form, STR("called"));
    for (size_t i = 0; called && i < called->n; i++) {
        const struct toml *row = called->item[i];
        if (row->kind != TOML_ARRAY || row->n < 3)
            fail(row->at, "no row of called: [unit, list, signs]", STR(""));
        pick(all, row->item[1]->text, PICK_LIST);
        pick_signs(inner, inner, row->item[2], true);
    }
    for (size_t i = 0; told && i < told->n; i++)
        if (told->item[i]->kind == TOML_ARRAY && told->item[i]->n > 1)
            pick_signs(all, inner, told->item[i]->item[1], false);
    if (answer)
        pick(all, answer->text, PICK_HAS);
}

static void put_picks(struct buf *b)
{
    static const char *const how[] = {"HAS", "LIST", "SAME", "ALL"};
    static const char *const frequent[] = {"usage", "model", "id", "object", "type", "created"},
                             *const about[] = {"reply_model", "created"};
    static struct picks all, inner;
    for (size_t i = 0; i < sizeof frequent / sizeof *frequent; i++)
        pick(&all, str_of(frequent[i]), PICK_ALL);
    for (now = files; now < files + n_files; now++) {
        const struct toml *forms = toml_get(now->root, STR("usage"));
        pick_signs(&all, &inner, toml_get(now->root, STR("ends")), false);
        for (size_t i = 0; i < 2; i++)
            pick_signs(&all, &inner, toml_get(now->root, str_of(about[i])), true);
        for (size_t i = 0; forms && i < forms->n; i++)
            pick_form(&all, &inner, forms->item[i]);
    }
    buf_printf(b, "#define API_PICK_COUNT %zu\n#define API_PICKS", all.n);
    for (size_t i = 0; i < all.n; i++)
        buf_printf(b, " %s(\"%.*s\"),", how[all.how[i]], STR_ARG(all.key[i]));
    buf_putz(b, "\n#define API_ITEM_PICKS");
    for (size_t i = 0; i < inner.n; i++)
        buf_printf(b, " %s(\"%.*s\"),", how[PICK_ALL], STR_ARG(inner.key[i]));
    buf_putc(b, '\n');
}

/* -- lists of names ------------------------------------------------------------------------- */

static bool says(const struct file *f, const char *key)
{
    const struct toml *v = toml_get(f->root, str_of(key));
    return v && (v->kind != TOML_BOOLEAN || v->boolean);
}

static bool is_spoken(struct str name)
{
    for (size_t i = 0; i < n_files; i++)
        if (str_eq(files[i].name, name) && says(&files[i], "spoken"))
            return true;
    return false;
}

/* The names of those who say one of two things: as words, and for a sentence. */
static void put_names(struct buf *b, const char *macro, const char *one, const char *other)
{
    static const char *const end[] = {"WORDS", "LIST"}, *const comma[] = {" ", ", "};
    for (unsigned form = 0; form < 2; form++) {
        const char *between = "";
        buf_printf(b, "#define API_%s_%s \"", macro, end[form]);
        for (size_t i = 0; i < n_files; i++) {
            if (one && !says(&files[i], one) && !says(&files[i], other))
                continue;
            buf_printf(b, "%s%.*s", between, STR_ARG(files[i].name));
            between = comma[form];
        }
        buf_putz(b, "\"\n");
    }
}

static void put_name(struct buf *b, const char *macro, const char *key)
{
    size_t found = 0;
    for (size_t i = 0; i < n_files; i++) {
        if (!says(&files[i], key))
            continue;
        buf_printf(b, "#define %s \"%.*s\"\n", macro, STR_ARG(files[i].name));
        found++;
    }
    if (found == 1)
        return;
    fprintf(stderr, "catalog/apis: '%s' is said by %zu files, expected one\n", key, found);
    exit(1);
}

/* What any of them has under this key, each once: as a list of WORD(..). */
static void put_any(struct buf *b, const char *macro, const char *key)
{
    struct picks all = {.n = 0};
    for (now = files; now < files + n_files; now++) {
        const struct toml *v = toml_get(now->root, str_of(key));
        if (v && v->kind == TOML_STRING)
            pick(&all, v->text, PICK_ALL);
        for (size_t i = 0; v && i < v->n; i++)
            pick(&all, v->item[i]->text, PICK_ALL);
    }
    buf_printf(b, "#define %s", macro);
    for (size_t i = 0; i < all.n; i++)
        buf_printf(b, " WORD(\"%.*s\")", STR_ARG(all.key[i]));
    buf_putc(b, '\n');
}

/* What a provider may be said to speak: what is spoken, and Nika's names. */
static void put_provider_words(struct buf *b)
{
    for (const struct file *f = files + n_files; f < files + n_all; f++) {
        const struct toml *apis = toml_get(f->root, STR("apis"));
        if (!apis)
            continue;
        buf_putz(b, "#define NIKA_API_WORDS \"");
        for (size_t i = 0; i < apis->n; i++)
            buf_printf(b, "%s%s", i ? " " : "", apis->item[i]->text.p);
        buf_putz(b, "\"\n#define API_PROVIDER_WORDS API_SPOKEN_WORDS");
        for (size_t i = 0; i < apis->n; i++)
            if (!is_spoken(apis->item[i]->text))
                buf_printf(b, " \" %s\"", apis->item[i]->text.p);
        buf_putc(b, '\n');
    }
}

static void put_header(struct buf *b)
{
    buf_printf(b, "/* Made of catalog/apis by scripts/gen_apis.c. */\n#define API_COUNT %zu\n",
               n_files);
    put_names(b, "ALL", NULL, NULL);
    put_names(b, "REQUEST", "requests", "requests");
    put_names(b, "REPLY", "usage", "like");
    put_names(b, "HISTORY", "turns", "turns");
    put_names(b, "SPOKEN", "spoken", "spoken");
    put_name(b, "API_PLAIN", "plain");
    put_name(b, "API_NEUTRAL", "neutral");
    put_picks(b);
    put_any(b, "API_MODEL_PATHS", "model");
    put_any(b, "API_TIER_PATHS", "tier");
    put_any(b, "API_REPLY_MODELS", "reply_model");
    put_any(b, "API_REPLY_TIMES", "created");
    put_any(b, "API_BETA_HEADERS", "beta_header");
    put_provider_words(b);
}

/* -- files ---------------------------------------------------------------------------------- */

static void read_file(struct file *f, const char *path)
{
    char *text, message[200];
    size_t len;
    cando_error err;
    enum code code;
    struct toml_pos at = {1, 1, 1};
    now = f;
    f->path = path;
    if (file_read(path, LIMIT_JSON_BYTES, NULL, &text, &len, &err) != CANDO_OK)
        fail(at, err.message, str_of(path));
    f->root = toml_parse(&ar, str_make(text, len), &code, &at, message, sizeof message);
    if (!f->root)
        fail(at, message, str_of(path));
    const struct toml *name = toml_get(f->root, STR("name")),
                      *order = toml_get(f->root, STR("order")),
                      *schema = toml_get(f->root, STR("schema"));
    f->record = &api_record;
    f->order = INT64_MAX;
    for (size_t i = 0; schema && i < sizeof others / sizeof *others; i++)
        if (str_is(schema->text, others[i].schema))
            f->record = others[i].record;
    if (f->record != &api_record)
        return;
    if (!name || name->kind != TOML_STRING || !order || order->kind != TOML_INTEGER)
        fail(f->root->at, "it has no", STR("name and order"));
    f->name = name->text;
    f->order = order->integer;
}

static int by_order(const void *a, const void *b)
{
    const struct file *x = a, *y = b;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Names that are the same already are left alone, so that not all is built again. */
static bool is_written(const char *folder, const char *name, const struct buf *b)
{
    char path[4096], *text;
    size_t len;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (file_read(path, LIMIT_JSON_BYTES, NULL, &text, &len, NULL) != CANDO_OK)
        return false;
    bool same = str_eq(str_make(text, len), str_make(b->p, b->n));
    mem_free(NULL, text, len + 1);
    return same;
}

static void write_file(const char *folder, const char *name, const struct buf *b)
{
    char path[4096];
    cando_error err = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!b->failed && file_replace(path, b->p, b->n, NULL, &err) == CANDO_OK)
        return;
    fprintf(stderr, "%s: %s\n", path, err.message);
    exit(1);
}

int main(int argc, char **argv)
{
    struct buf rows, header;
    if (argc < 3) {
        fprintf(stderr, "usage: gen_apis FOLDER FILE.toml...\n");
        return 2;
    }
    arena_init(&ar, NULL);
    n_files = (size_t)argc - 2;
    files = calloc(n_files, sizeof *files);
    if (!files)
        return 1;
    for (size_t i = 0; i < n_files; i++)
        read_file(&files[i], argv[i + 2]);
    qsort(files, n_files, sizeof *files, by_order);
    n_all = n_files;
    while (files[n_files - 1].record != &api_record)
        n_files--;
    buf_init(&out, NULL, LIMIT_JSON_BYTES);
    buf_init(&rows, NULL, LIMIT_JSON_BYTES);
    buf_init(&header, NULL, LIMIT_JSON_BYTES);
    buf_putz(&out,
             "/* Made of catalog/apis by scripts/gen_apis.c. */\n#include \"catalog/api.h\"\n");
    for (now = files; now < files + n_files; now++)
        put_row(&rows, &api_record, now->root);
    buf_putz(&out, "const struct api apis[API_COUNT] = {\n");
    buf_put(&out, rows.p, rows.n);
    buf_putz(&out, "};\n");
    put_struct(&api_record, "api_none", &(struct toml){.kind = TOML_TABLE});
    for (; now < files + n_all; now++)
        put_struct(now->record, now->record->name, now->root);
    put_header(&header);
    if (!is_written(argv[1], "api_words.h", &header))
        write_file(argv[1], "api_words.h", &header);
    write_file(argv[1], "apis.c", &out);
    return 0;
}
