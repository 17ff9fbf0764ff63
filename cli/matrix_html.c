/*
 * matrix_html.c - the matrix as a page: one file, no script from elsewhere.
 *
 * The first column and the headings stay in sight, the colours follow the
 * reader's light or dark setting, and every colour has its sign, so that the
 * page can be printed and read without them. The few lines of script only hide
 * rows; without script everything is there.
 */
#include "matrix.h"

#include "base/limits.h"

static const char *const signs[LEVELS] = {"?", "\xe2\x80\x93", "\xe2\x97\x94", "\xe2\x97\x90",
                                          "\xe2\x9c\x93"};
static const char *const classes[LEVELS] = {"u", "n", "r", "e", "y"};

static const char head[] =
    "<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<style>\n"
    ":root{--bg:#fcfcfd;--fg:#1c2024;--dim:#80838d;--line:#e4e6ea;--head:#fcfcfdf2;--row:#f3f5f8;"
    "--y:#d9f2e1;--yf:#17643a;--e:#fdf0cd;--ef:#7a5600;--r:#fde3cf;--rf:#8f4310;--n:#f8dcdc;"
    "--nf:#9b2c2c;--u:transparent;--uf:#a9adb6}\n"
    "@media(prefers-color-scheme:dark){:root{--bg:#15171a;--fg:#e8eaed;--dim:#8b909a;"
    "--line:#2a2e34;--head:#15171af2;--row:#1d2025;"
    "--y:#17402a;--yf:#7fd8a3;--e:#453711;--ef:#efc95c;--r:#4a2c17;--rf:#f2a772;--n:#472023;"
    "--nf:#f09a9a;--u:transparent;--uf:#565b65}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;height:100vh;display:flex;flex-direction:column;background:var(--bg);"
    "color:var(--fg);"
    "font:14px/1.45 system-ui,-apple-system,\"Segoe UI\",Roboto,sans-serif}\n"
    "header{padding:28px 28px 14px}\n"
    "h1{font-size:22px;font-weight:650;margin:0 0 4px;letter-spacing:-.01em}\n"
    "header p{margin:0;color:var(--dim)}\n"
    ".bar{display:flex;flex-wrap:wrap;gap:10px 22px;align-items:center;margin-top:16px}\n"
    ".bar input{font:inherit;color:inherit;background:var(--row);border:1px solid var(--line);"
    "border-radius:8px;padding:7px 12px;"
    "width:260px}\n"
    ".bar input:focus{outline:2px solid var(--yf);outline-offset:-1px}\n"
    ".key{display:flex;flex-wrap:wrap;gap:6px 16px;color:var(--dim);font-size:13px}\n"
    ".key span{display:inline-flex;align-items:center;gap:6px}\n"
    ".key b{display:inline-block;width:26px;height:20px;line-height:20px;border-radius:5px;"
    "text-align:center;font-weight:600}\n"
    ".wrap{overflow:auto;flex:1;min-height:300px;border-top:1px solid var(--line)}\n"
    "table{border-collapse:separate;border-spacing:0;min-width:100%}\n"
    "thead th{position:sticky;top:0;z-index:2;background:var(--head);backdrop-filter:blur(6px);"
    "height:150px;vertical-align:bottom;"
    "padding:0 0 10px;border-bottom:1px solid var(--line);font-weight:500}\n"
    "thead th div{writing-mode:vertical-rl;transform:rotate(180deg);margin:0 auto;"
    "white-space:nowrap;font-size:12.5px;text-align:left}\n"
    "thead th:first-child{left:0;z-index:3;text-align:left;padding-left:28px;color:var(--dim)}\n"
    "tbody th{position:sticky;left:0;z-index:1;background:var(--bg);text-align:left;"
    "font-weight:500;white-space:nowrap;"
    "padding:5px 22px 5px 28px;border-bottom:1px solid var(--line);"
    "border-right:1px solid var(--line)}\n"
    "tbody th small{color:var(--dim);font-weight:400;font-size:12px;margin-left:8px}\n"
    "tbody th i{color:var(--dim);font-style:normal;font-weight:400}\n"
    "td{padding:3px;border-bottom:1px solid var(--line);min-width:38px}\n"
    "td b{display:block;text-align:center;border-radius:6px;padding:2px 4px;font-weight:600;"
    "font-size:13px;"
    "font-variant-numeric:tabular-nums}\n"
    "tbody tr:hover th,tbody tr:hover td{background:var(--row)}\n"
    ".y{background:var(--y);color:var(--yf)}.e{background:var(--e);color:var(--ef)}.r{"
    "background:var(--r);color:var(--rf)}"
    ".n{background:var(--n);color:var(--nf)}.u{background:var(--u);color:var(--uf)}\n"
    ".none{padding:28px;color:var(--dim)}\n"
    "@media print{.bar input{display:none}body{height:auto}.wrap{overflow:visible}}\n"
    "</style>\n";

static const char script[] =
    "<script>\n"
    "const q=document.querySelector('input'),rows=[...document.querySelectorAll('tbody "
    "tr')],none=document.querySelector('.none');\n"
    "q.oninput=()=>{const w=q.value.toLowerCase().split(/\\s+/).filter(Boolean);let n=0;\n"
    "for(const r of rows){const "
    "t=r.firstElementChild.textContent.toLowerCase(),s=w.every(x=>t.includes(x));r.hidden=!s;"
    "n+=s}\n"
    "none.hidden=n>0};\n"
    "</script>\n";

/* "tool_calling" as "tool calling" */
static void put_field(const char *name)
{
    for (; *name; name++)
        putchar(*name == '_' ? ' ' : *name);
}

static void put_key(const struct matrix *m)
{
    html("<div class='key'>");
    if (m->counts)
        fputs("<span>" MATRIX_SHARES "</span>", stdout);
    for (unsigned l = m->counts ? 0 : LEVELS; l-- > 0;)
        html("<span><b class='%s'>%s</b>%s</span>", classes[l], signs[l], matrix_words[l]);
    html("</div>\n");
}

static void put_cell(const struct matrix *m, const struct matrix_row *row, size_t c)
{
    const struct matrix_cell *x = &row->cell[c];
    bool shares = m->counts && x->known;
    unsigned share = matrix_percent(x);
    html("<td><b class='%s' title='", !shares       ? classes[x->level]
                                      : share >= 75 ? "y"
                                      : share >= 40 ? "e"
                                      : share > 0   ? "r"
                                                    : "n");
    put_field(m->column[c]);
    if (shares)
        html(": %u of %u models", x->can, x->known);
    else
        html(": %s", matrix_words[x->level]);
    if (x->reason && *x->reason)
        html(": %s", x->reason);
    if (shares)
        html("'>%u</b></td>", share);
    else
        html("'>%s</b></td>", signs[x->level]);
}

static void put_row(const struct matrix *m, const struct matrix_row *row)
{
    const char *slash = m->counts ? NULL : strchr(row->name.p, '/');
    html("<tr><th scope='row'>");
    if (slash) {
        char provider[LIMIT_NAME_BYTES + 2];
        snprintf(provider, sizeof provider, "%.*s", (int)(slash - row->name.p) + 1, row->name.p);
        html("<i>%s</i>%s", provider, slash + 1);
    } else {
        html("%s", row->name.p);
    }
    if (m->counts)
        html("<small>%u model%s</small>", row->models, row->models == 1 ? "" : "s");
    html("</th>");
    for (size_t c = 0; c < m->columns; c++)
        put_cell(m, row, c);
    html("</tr>\n");
}

void matrix_html(const struct matrix *m)
{
    html("<!doctype html>\n<html lang='en'>\n<title>%s</title>\n", m->title);
    fputs(head, stdout);
    html("<header><h1>%s</h1><p>%zu %s, %zu capabilities. What nobody knows is shown as unknown, "
         "which is neither yes nor no.</p>\n"
         "<div class='bar'><input type='search' placeholder='filter by name' "
         "aria-label='filter by name'>",
         m->title, m->n, m->counts ? "providers" : "models", m->columns);
    put_key(m);
    html("</div></header>\n<div class='wrap'><table>\n<thead><tr><th scope='col'>%s</th>",
         m->counts ? "provider, percent of its models" : "model");
    for (size_t c = 0; c < m->columns; c++) {
        html("<th scope='col'><div>");
        put_field(m->column[c]);
        html("</div></th>");
    }
    html("</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < m->n; i++)
        put_row(m, &m->row[i]);
    html("</tbody></table><p class='none' hidden>no name fits</p></div>\n");
    fputs(script, stdout);
    html("</html>\n");
}
