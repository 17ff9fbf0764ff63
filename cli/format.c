#include "format.h"

static const char *const levels[] = {"note", "warning", "error"}; /* by severity */

/* -- SARIF ---------------------------------------------------------------------------------------
 */

/* A path as a URI reference, in quotes. */
static void put_uri(const char *path)
{
    static const char plain[] = "-._~/!$&()*+,;=@";
    fputs(*path == '/' ? "\"file://" : "\"", stdout);
    if (strcmp(path, "<stdin>") == 0)
        path = "stdin";
    for (const char *p = path; *p; p++) {
        unsigned char ch = (unsigned char)*p;
        bool letter = (ch | 32) >= 'a' && (ch | 32) <= 'z';
        if (letter || char_is_digit(*p) || strchr(plain, ch))
            putchar(ch);
        else
            printf("%%%02X", ch);
    }
    putchar('"');
}

/* What counts as an error is told as one. */
static cando_severity told(const struct formatter *o, const cando_finding *x)
{
    return o->strict && x->severity == CANDO_WARNING ? CANDO_ERROR : x->severity;
}

static unsigned rule_of(struct formatter *o, enum code code)
{
    unsigned i = 0;
    while (i < o->n_codes && o->code[i] != code)
        i++;
    if (i == o->n_codes)
        o->code[o->n_codes++] = code;
    return i;
}

static void put_sarif(struct formatter *o, const struct request_file *f, const cando_finding *x)
{
    char text[2000]; /* viewers show nothing but the message */
    enum code code = code_find(str_of(x->code));
    snprintf(text, sizeof text, x->hint ? "%s; %s" : "%s", x->message, x->hint);
    fputs(o->any ? ",\n" : "\n", stdout);
    json("{'ruleId':%s,'level':%s,", x->code, levels[told(o, x)]);
    if (code < CODE_COUNT)
        json("'ruleIndex':%u,", rule_of(o, code));
    json("'message':{'text':%s},", text);
    json("'locations':[{'physicalLocation':{'artifactLocation':{'uri':");
    put_uri(f->path);
    json("},'region':{'startLine':%u,'startColumn':%u,'endColumn':%u}}", x->line, x->column,
         x->column + x->width);
    if (x->path)
        json(",'logicalLocations':[{'fullyQualifiedName':%s,'kind':'member'}]",
             *x->path ? x->path : "/");
    json("}]}");
}

static void end_sarif(const struct formatter *o)
{
    json("\n],'tool':{'driver':{'name':'cando','version':%s,'rules':[", CANDO_VERSION);
    for (unsigned i = 0; i < o->n_codes; i++) {
        enum code code = o->code[i];
        fputs(i ? ",\n" : "\n", stdout);
        json("{'id':%s,'shortDescription':{'text':%s},'fullDescription':{'text':%s}}",
             code_name(code), code_text(code), code_explanation(code));
    }
    json("\n]}}}]}\n");
}

/* -- GitHub --------------------------------------------------------------------------------------
 */

/* Text of a workflow command; in a property commas and colons mean something, too. */
static void put_command_text(const char *text, bool property)
{
    for (; *text; text++)
        if (strchr("%\r\n", *text) || (property && strchr(":,", *text)))
            printf("%%%02X", (unsigned char)*text);
        else
            putchar(*text);
}

static void put_github(const struct formatter *o, const struct request_file *f,
                       const cando_finding *x)
{
    static const char *const commands[] = {"notice", "warning", "error"};
    printf("::%s file=", commands[told(o, x)]);
    put_command_text(f->path, true);
    printf(",line=%u,col=%u,endColumn=%u,title=", x->line, x->column, x->column + x->width);
    put_command_text(x->code, true);
    fputs("::", stdout);
    put_command_text(x->message, false);
    if (x->path) {
        fputs(", at ", stdout);
        put_command_text(*x->path ? x->path : "the request itself", false);
    }
    if (x->hint) {
        fputs("; ", stdout);
        put_command_text(x->hint, false);
    }
    putchar('\n');
}

/* -- JSON ----------------------------------------------------------------------------------------
 */

static void put_json(const struct formatter *o, const cando_finding *x)
{
    static const char *const fixes[] = {NULL, "advice", "safe", "lossy"}; /* as in the operation */
    json(o->any ? ",{" : "{");
    json("'code':%s,'severity':%s,'message':%s,'hint':%s,'fix_kind':%s,", x->code,
         levels[x->severity], x->message, x->hint, fixes[x->fix]);
    json("'path':%s,'line':%u,'column':%u,'width':%u,'rule':%s,'source':%s}", x->path, x->line,
         x->column, x->width, x->rule, x->source);
}

/* -- all of them ---------------------------------------------------------------------------------
 */

static void put(struct formatter *o, const struct request_file *f, const cando_finding *x)
{
    if (x->severity < o->least)
        return;
    if (o->format == FORMAT_SARIF)
        put_sarif(o, f, x);
    else if (o->format == FORMAT_GITHUB)
        put_github(o, f, x);
    else
        put_json(o, x);
    o->any = true;
}

void format_begin(struct formatter *o)
{
    if (o->format == FORMAT_SARIF)
        json("{'$schema':'https://json.schemastore.org/sarif-2.1.0.json','version':'2.1.0','runs':["
             "{'columnKind':'unicodeCodePoints','results':[");
}

/* `a` is NULL: there is no verdict. */
static void begin_request(struct formatter *o, const struct request_file *f,
                          const cando_preflight_answer *a)
{
    static const char *const verdicts[] = {"ok", "ok", "rewrite", "reject"};
    if (o->format != FORMAT_JSON)
        return;
    o->any = false;
    json("{'file':%s,'line':%u,", f->path, f->line);
    if (a)
        json("'verdict':%s,'dialect':%s,'target':%s,'findings':[", verdicts[a->verdict], a->api,
             a->target);
    else
        json("'verdict':null,'dialect':null,'target':null,'findings':[");
}

static void end_request(const struct formatter *o)
{
    if (o->format == FORMAT_JSON)
        json("]}\n");
}

void format_answer(struct formatter *o, const struct request_file *f,
                   const cando_preflight_answer *a)
{
    begin_request(o, f, a);
    for (size_t i = 0; i < a->n_findings; i++) {
        cando_finding x = a->findings[i];
        struct request_place p = request_place(f, &x);
        x.line = p.line;
        x.column = p.column;
        x.width = p.width;
        put(o, f, &x);
    }
    end_request(o);
}

void format_failure(struct formatter *o, const struct request_file *f, const cando_error *err)
{
    const cando_finding x = {
        .code = err->code,
        .severity = CANDO_ERROR,
        .message = err->message,
        .hint = *err->hint ? err->hint : NULL,
        .line = err->line ? err->line : f->line,
        .column = err->column ? err->column : 1,
        .width = 1,
    };
    begin_request(o, f, NULL);
    put(o, f, &x);
    end_request(o);
}

void format_end(struct formatter *o)
{
    if (o->format == FORMAT_SARIF)
        end_sarif(o);
}
