/*
 * route.c - whose endpoint is this? Provider, API and model of an HTTP request, by its address
 * and body.
 *
 *     https://NAME.openai.azure.com/openai/deployments/prod/chat/completions?api-version=..
 *             `------ host -------'                    `-- route: the API, and the model --'
 *             base_urls: the provider
 *
 * The begin of an address tells the provider (`base_urls` of its row in the catalog), the end of
 * its path the API (`routes` of catalog/apis). What stands between is nobody's matter: versions,
 * projects, regions. Addresses come from anywhere: what is not plainly one of a provider's is
 * nobody's, since a wrong judgement costs more than none.
 */
#include "base/limits.h"
#include "catalog/api.h"
#include "preflight.h"

#define HOST_BYTES 264u
#define PATH_STEPS 32u

_Static_assert(sizeof((cando_route *)0)->model == LIMIT_NAME_BYTES + 1, "one limit");

static const char no_address[] = "this is no address of a server";
static const char no_provider[] = "no provider has this address";
static const char no_route[] = "nothing is known of this endpoint";
static const char no_prefix[] = "no provider is called as the path begins";

struct address {
    struct str host; /* in lower case, with its port if that is not the usual one */
    char host_room[HOST_BYTES];
    struct str step[PATH_STEPS]; /* of the path, without its escapes */
    size_t n_steps;
    char path_room[LIMIT_URL_BYTES];
};

/* -- the address ------------------------------------------------------------------------------ */

static size_t find_any(struct str s, const char *marks)
{
    size_t at = s.n;
    for (; *marks; marks++)
        at = str_find_char(str_head(s, at), *marks);
    return at;
}

/* Printable ASCII; readers of addresses do not agree on what a backslash is. */
static bool is_plain(struct str url)
{
    for (size_t i = 0; i < url.n; i++)
        if (url.p[i] <= ' ' || url.p[i] > '~' || url.p[i] == '\\')
            return false;
    return true;
}

/* Where the port of "host:port" begins, with its colon; an IPv6 address has colons of its own. */
static size_t port_at(struct str host)
{
    size_t at = host.n;
    while (at && char_is_digit(host.p[at - 1]))
        at--;
    return at && host.p[at - 1] == ':' ? at - 1 : host.n;
}

static bool read_host(struct address *a, struct str authority, struct str usual)
{
    struct str host = str_from(authority, str_behind_last(authority, '@')); /* user:password@ */
    size_t cut = port_at(host);
    struct str port = str_from(host, cut);
    struct str name = str_head(host, cut);
    if (str_ends(name, STR(".")))
        name.n--;
    if (port.n <= 1 || str_eq(port, usual))
        port.n = 0;
    if (!name.n || name.n + port.n > HOST_BYTES)
        return false;
    for (size_t i = 0; i < name.n; i++)
        a->host_room[i] = char_fold(name.p[i]);
    memcpy(a->host_room + name.n, port.p, port.n);
    a->host = str_make(a->host_room, name.n + port.n);
    return true;
}

/* A step without its escapes, into `out`; SIZE_MAX: one is broken, or stands for no text. */
static size_t unescape(struct str step, char *out)
{
    size_t n = str_find_char(step, '%');
    memcpy(out, step.p, n);
    if (n == step.n)
        return n; /* the address is ASCII */
    for (size_t i = n; i < step.n; i++) {
        char c = step.p[i];
        if (c == '%') {
            int high = i + 2 < step.n ? char_hex(step.p[i + 1]) : -1;
            int low = i + 2 < step.n ? char_hex(step.p[i + 2]) : -1;
            if (high < 0 || low < 0 || high < 2)
                return SIZE_MAX;
            c = (char)(high << 4 | low);
            i += 2;
        }
        out[n++] = c;
    }
    return utf8_check(str_make(out, n)) == n ? n : SIZE_MAX;
}

/* "." and "..", escaped or not, lead where they lead for whoever sends the request: "." nowhere,
 * ".." one step back, and never behind the host. An empty step is one to go back over. */
static bool read_step(struct address *a, struct str step, char **room)
{
    size_t n = unescape(step, *room);
    if (n == SIZE_MAX)
        return false;
    struct str text = str_make(*room, n);
    *room += n;
    if (str_is(text, "."))
        return true;
    if (str_is(text, "..")) {
        a->n_steps -= a->n_steps > 0;
        return true;
    }
    if (a->n_steps == PATH_STEPS)
        return false;
    a->step[a->n_steps++] = text;
    return true;
}

/* `path` is empty or begins with a slash. Empty steps do not count in the end. */
static bool read_path(struct address *a, struct str path)
{
    char *room = a->path_room;
    while (path.n) {
        path = str_from(path, 1);
        struct str step = str_head(path, str_find_char(path, '/'));
        path = str_from(path, step.n);
        if (!read_step(a, step, &room))
            return false;
    }
    size_t n = 0;
    for (size_t i = 0; i < a->n_steps; i++)
        if (a->step[i].n)
            a->step[n++] = a->step[i];
    a->n_steps = n;
    return true;
}

static bool read_address(struct address *a, struct str url)
{
    bool plain = str_eq_fold(str_head(url, 7), STR("http://"));
    a->n_steps = 0;
    if (url.n > LIMIT_URL_BYTES || !is_plain(url))
        return false;
    if (!plain && !str_eq_fold(str_head(url, 8), STR("https://")))
        return false;
    struct str rest = str_from(url, plain ? 7 : 8);
    struct str authority = str_head(rest, find_any(rest, "/?#"));
    rest = str_from(rest, authority.n);
    if (!read_host(a, authority, plain ? STR(":80") : STR(":443")))
        return false;
    return read_path(a, str_head(rest, find_any(rest, "?#")));
}

/* -- the provider ------------------------------------------------------------------------------ */

/* Does a host with one `*` stand for this one? It is some text without a dot. */
static bool fits_host(struct str pattern, struct str host)
{
    size_t star = str_find_char(pattern, '*');
    struct str head = str_head(pattern, star), tail = str_from(pattern, star + 1);
    if (host.n <= head.n + tail.n || !str_starts(host, head) || !str_ends(host, tail))
        return false;
    struct str middle = str_make(host.p + head.n, host.n - head.n - tail.n);
    return str_find_char(middle, '.') == middle.n;
}

static bool begins_path(const struct address *a, struct str path)
{
    size_t at = 0;
    while (path.n) {
        path = str_from(path, 1);
        struct str step = str_head(path, str_find_char(path, '/'));
        path = str_from(path, step.n);
        if (at == a->n_steps)
            return false;
        if (!str_is(step, "*") && !str_eq_fold(step, a->step[at]))
            return false;
        at++;
    }
    return true;
}

/* The first row from `from` on of a host that is no pattern. */
static size_t first_of_host(const struct snapshot *s, size_t from, struct str host)
{
    size_t low = from, high = s->sec[SEC_BASES].n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (str_cmp(snap_str(s, snap_base(s, middle).host), host) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* SNAP_NONE: nobody's. A host that is named whole comes before a pattern. */
static uint32_t find_provider(const struct snapshot *s, const struct address *a)
{
    uint32_t found = SNAP_NONE;
    size_t n = s->sec[SEC_BASES].n, plain = 0;
    for (; plain < n; plain++) {
        struct snap_base b = snap_base(s, plain);
        struct str host = snap_str(s, b.host);
        if (str_find_char(host, '*') == host.n)
            break;
        if (found == SNAP_NONE && fits_host(host, a->host) && begins_path(a, snap_str(s, b.path)))
            found = b.provider;
    }
    for (size_t i = first_of_host(s, plain, a->host); i < n; i++) {
        struct snap_base b = snap_base(s, i);
        if (!str_eq(snap_str(s, b.host), a->host))
            break;
        if (begins_path(a, snap_str(s, b.path)))
            return b.provider;
    }
    return found;
}

/* -- the API ------------------------------------------------------------------------------- */

struct match {
    const struct api *api;
    const struct api_route *route;
    struct str model; /* in the path; empty: it is not there */
    size_t steps;
};

/* One step of a route from its end, and one of the path. */
static bool fits_step(struct str pattern, struct str step, struct str *model)
{
    struct str name = STR("{model}");
    if (!str_starts(pattern, name))
        return str_eq_fold(pattern, step);
    struct str tail = str_from(pattern, name.n);
    if (step.n <= tail.n || !str_eq_fold(str_from(step, step.n - tail.n), tail))
        return false;
    *model = str_head(step, step.n - tail.n);
    return true;
}

/* One look: most routes end in another letter than the path does. */
static bool ends_alike(struct str route, char last)
{
    char end = route.n ? route.p[route.n - 1] : '\0';
    return end == '}' || end == last;
}

/* The letter that the path ends in; a path of no steps has none, and no route ends in it. */
static char last_letter(const struct address *a)
{
    if (!a->n_steps)
        return '/';
    struct str last = a->step[a->n_steps - 1];
    return char_fold(last.p[last.n - 1]);
}

static bool fits_route(const struct api_route *r, const struct address *a, struct match *out)
{
    struct str rest = r->path;
    out->model = STR("");
    for (out->steps = 0; rest.n; out->steps++) {
        size_t cut = str_behind_last(rest, '/');
        if (out->steps == a->n_steps)
            return false;
        if (!fits_step(str_from(rest, cut), a->step[a->n_steps - 1 - out->steps], &out->model))
            return false;
        rest = str_head(rest, cut ? cut - 1 : 0);
    }
    return !r->model_has.n || str_find(out->model, r->model_has) != SIZE_MAX;
}

static bool has_header(const struct json *headers, struct str name)
{
    for (size_t i = 0; headers->kind == JSON_OBJECT && i < headers->n; i++)
        if (str_eq_fold(headers->key[i].text, name))
            return true;
    return false;
}

/* The longest route; of two that are as long that of the provider's own API, or the one that a
 * header tells. `get`: something is to be read, with these headers. */
static struct match find_route(const struct address *a, struct str own, const struct json *get)
{
    struct match best = {0};
    char last = last_letter(a);
    for (const struct api *api = apis; api < apis + API_COUNT; api++)
        for (size_t i = 0; i < api->n_routes; i++) {
            const struct api_route *r = &api->routes[i];
            if (r->lists != (get != NULL) || !ends_alike(r->path, last))
                continue;
            struct match m = {.api = api, .route = r};
            if (!fits_route(r, a, &m))
                continue;
            if (m.route->header.n && !has_header(get, m.route->header))
                continue;
            bool better = m.steps == best.steps && (str_eq(api->name, own) || m.route->header.n);
            if (m.steps > best.steps || better)
                best = m;
        }
    return best;
}

/* -- the request ------------------------------------------------------------------------------ */

/* Of a name that is an ARN the part that is the model's. */
static struct str plain_model(const struct api *api, struct str model)
{
    const char *words = api->model_behind;
    struct str mark;
    while (words_next(&words, &mark)) {
        size_t at = str_find(model, mark);
        if (at != SIZE_MAX)
            return str_from(model, at + mark.n);
    }
    return model;
}

static void put_model(cando_route *out, struct str model)
{
    if (model.n > LIMIT_NAME_BYTES)
        return;
    memcpy(out->model, model.p, model.n);
    out->model[model.n] = '\0';
}

static void see_stream(cando_route *out, char first)
{
    out->stream = first == 't' || (first == 'n' && out->stream);
}

static void see_model(cando_route *out, struct str body, struct scan_place v)
{
    if (request_text(body, v, out->model, sizeof out->model) > LIMIT_NAME_BYTES)
        out->model[0] = '\0';
}

/* One pass over the members of the body, for the model and for `stream`. */
static void read_members(cando_route *out, struct str body, bool wants_model)
{
    size_t at = locate_space(body, 0) + 1;
    struct str key;
    struct scan_place v;
    if (body.n > LIMIT_JSON_BYTES || at > body.n || body.p[at - 1] != '{')
        return;
    while (locate_next(body, &at, &key, &v)) {
        if (str_is(key, "stream"))
            see_stream(out, body.p[v.at]);
        else if (wants_model && str_is(key, "model"))
            see_model(out, body, v);
    }
}

static bool begins(struct str text, size_t at, struct str word)
{
    return text.n - at >= word.n && text.p[at + 1] == word.p[1] &&
           memcmp(text.p + at, word.p, word.n) == 0;
}

/* The same from mark to mark, if the body is an object: a key is at every other one that stands in
 * no container but that. */
static void read_marked(cando_route *out, struct str body, const struct scan_index *x,
                        bool wants_model)
{
    const uint32_t *const last = x->pos + x->n_pos - SCAN_ENDS;
    const uint32_t *mark = x->pos;
    if (mark == last || body.p[*mark++] != '{')
        return;
    while (mark + 1 < last && body.p[*mark] == '"') {
        size_t key = *mark++, at = *mark;
        size_t depth = 0;
        if (begins(body, key, STR("\"stream\"")))
            see_stream(out, body.p[at]);
        else if (wants_model && begins(body, key, STR("\"model\"")))
            see_model(out, body, (struct scan_place){(uint32_t)at, (uint32_t)locate_end(body, at)});
        do { /* over the value */
            char c = (char)(body.p[*mark++] | 0x20);
            depth += c == '{';
            depth -= c == '}';
        } while (depth && mark < last);
    }
}

static void read_body(cando_route *out, struct str body, bool wants_model, cando_report *work)
{
    size_t end = locate_back(body, body.n); /* as preflight takes it */
    const struct scan_index *x = NULL;
    if (work && end != SIZE_MAX)
        x = report_mark(work, str_head(body, end + 1));
    if (x)
        read_marked(out, body, x, wants_model);
    else
        read_members(out, body, wants_model);
}

/* Of the provider its number, SNAP_NONE: it is none of the catalog's, and its own API. */
static struct str own_api(const struct snapshot *s, uint32_t number, cando_route *out)
{
    if (number == SNAP_NONE)
        return STR("");
    struct snap_provider p = snap_provider(s, number);
    out->provider = snap_str(s, p.id).p;
    return p.api == SNAP_NONE ? STR("") : snap_str(s, snap_api(s, p.api).name);
}

static void fill(cando_route *out, const struct match *m, struct str body, cando_report *work)
{
    out->api = m->api->name.p;
    out->judged = m->api->requests;
    out->stream = m->route->streams || m->api->streams;
    put_model(out, plain_model(m->api, m->model));
    if (body.p && !m->route->streams)
        read_body(out, body, !m->model.n, work);
}

/* The model has room for long ones, which is not cleared. */
static void begin_route(cando_route *out)
{
    out->provider = out->api = NULL;
    out->model[0] = '\0';
    out->stream = out->judged = false;
}

/* The last address, and where it led for a provider of this API: a caller mostly has one. Nothing
 * in it is of a catalog. */
struct route_kept {
    size_t url_n; /* 0: there is none */
    struct address a;
    struct match match; /* its api is NULL: not known */
    size_t own_n;
    char own[LIMIT_NAME_BYTES];
    char url[LIMIT_URL_BYTES];
};

size_t route_kept_size(void)
{
    return sizeof(struct route_kept);
}

static bool keep_address(struct route_kept *k, struct str url)
{
    if (k->url_n && str_eq(url, str_make(k->url, k->url_n)))
        return true;
    k->url_n = 0;
    k->match.api = NULL;
    if (!read_address(&k->a, url))
        return false;
    memcpy(k->url, url.p, url.n);
    k->url_n = url.n;
    return true;
}

static void keep_route(struct route_kept *k, struct str own)
{
    if (k->match.api && str_eq(own, str_make(k->own, k->own_n)))
        return;
    k->match = find_route(&k->a, own, NULL);
    k->own_n = own.n < sizeof k->own ? own.n : 0;
    memcpy(k->own, own.p, k->own_n);
}

const char *route_find(struct route_kept *k, const cando_catalog *catalog, struct str url,
                       const char *provider, struct str body, cando_report *work, cando_route *out)
{
    const struct snapshot *s = &catalog->snap;
    begin_route(out);
    if (!keep_address(k, url))
        return no_address;
    uint32_t number = provider ? snapshot_provider(s, str_of(provider)) : find_provider(s, &k->a);
    if (number == SNAP_NONE && !provider)
        return no_provider;
    out->provider = provider;
    keep_route(k, own_api(s, number, out));
    if (!k->match.api)
        return no_route;
    fill(out, &k->match, body, work);
    return NULL;
}

const char *cando_route_find(const cando_catalog *catalog, const char *url, size_t url_len,
                             const char *provider, const char *body, size_t len, cando_route *out)
{
    struct route_kept k;
    k.url_n = 0;
    return route_find(&k, catalog, str_make(url, url_len), provider, str_make(body, len), NULL,
                      out);
}

/* -- at an address where somebody stands in ------------------------------------------------- */

/* "v1", "v1beta" */
static bool is_version(struct str step)
{
    return step.n > 1 && char_fold(step.p[0]) == 'v' && char_is_digit(step.p[1]);
}

const char *route_stand_in(const cando_catalog *catalog, struct str url, const char *provider,
                           struct str body, const struct json *get, cando_route *out,
                           const struct api_route **row)
{
    const struct snapshot *s = &catalog->snap;
    struct address a;
    begin_route(out);
    if (!read_address(&a, url))
        return no_address;
    uint32_t number = provider ? snapshot_provider(s, str_of(provider)) : find_provider(s, &a);
    if (number == SNAP_NONE && !provider && a.n_steps > 1)
        number = snapshot_provider(s, a.step[0]);
    out->provider = provider;
    struct match m = find_route(&a, own_api(s, number, out), get);
    if (!m.api)
        return no_route;
    if (!out->provider && a.n_steps > m.steps && !is_version(a.step[0]))
        return no_prefix;
    if (!out->provider)
        out->provider = m.api->vendor.p;
    fill(out, &m, body, NULL);
    *row = m.route;
    return NULL;
}
