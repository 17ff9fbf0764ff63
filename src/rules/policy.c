/*
 * policy.c - allow and deny lists, asked.
 *
 * In this order: a list that could not be read denies everything; deny denies;
 * a file with an allow list denies what is not in it. Several files with allow
 * lists must all agree, so that a project cannot open what its user closed.
 *
 * Deny is asked of all that an id leads to: itself, what it is another spelling of, the model
 * without its date, region and suffix, and the model that an alias names, there and here.
 */
#include "policy.h"

#include "base/limits.h"
#include "catalog/model_id.h"
#include "rule.h"
#include "text/glob.h"

struct asked {
    uint32_t provider;
    struct str name, id, canonical; /* folded; canonical may be empty */
    struct model_id parts;          /* base: the id without its date and the like */
    char room[3][LIMIT_NAME_BYTES];
};

/* What stands at an end of a name and is taken off on the way to a server, or seen by nobody: its
 * length, or 0. U+00A0, 200B to 200F, 2028, 2029, 202F, 2060, 3000 and FEFF besides white space. */
static size_t blank_at(struct str s, bool end)
{
    static const char blanks[][4] = {"\xc2\xa0",     "\xe2\x80\x8b", "\xe2\x80\x8c",
                                     "\xe2\x80\x8d", "\xe2\x80\x8e", "\xe2\x80\x8f",
                                     "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaf",
                                     "\xe2\x81\xa0", "\xe3\x80\x80", "\xef\xbb\xbf"};
    char edge = s.n ? s.p[end ? s.n - 1 : 0] : 'a';
    if ((unsigned char)edge <= ' ' || edge == '/' || edge == 0x7f)
        return 1;
    for (size_t i = 0; (unsigned char)edge >= 0x80 && i < COUNT_OF(blanks); i++)
        if (end ? str_ends(s, str_of(blanks[i])) : str_starts(s, str_of(blanks[i])))
            return strlen(blanks[i]);
    return 0;
}

static struct str trim(struct str s)
{
    size_t n;
    while ((n = blank_at(s, false)) > 0)
        s = str_from(s, n);
    while ((n = blank_at(s, true)) > 0)
        s.n -= n;
    return s;
}

static bool fold_into(char *room, struct str s, struct str *out)
{
    if (s.n > LIMIT_NAME_BYTES)
        return false;
    for (size_t i = 0; i < s.n; i++)
        room[i] = char_fold(s.p[i]);
    *out = str_make(room, s.n);
    return true;
}

static bool pattern_fits(const struct snapshot *s, const struct snap_policy *p,
                         const struct asked *q, bool spellings)
{
    struct str model = snap_str(s, p->model_glob);
    if (p->provider != SNAP_NONE ? p->provider != q->provider
                                 : !glob_run(snap_str(s, p->provider_glob), q->name))
        return false;
    if (glob_run(model, q->id))
        return true;
    if (!spellings)
        return false;
    return (q->canonical.n && glob_run(model, q->canonical)) ||
           (q->parts.base.n && glob_run(model, q->parts.base));
}

static cando_policy denied(const struct snapshot *s, const struct snap_policy *p, const char *list)
{
    struct str pattern = snap_str(s, p->text);
    return (cando_policy){
        .allowed = false,
        .list = list,
        .pattern = pattern.n ? pattern.p : NULL,
        .file = snap_str(s, snap_file(s, p->file).name).p,
        .line = p->line,
    };
}

/* Is it in the allow list whose head is record `list`? */
static bool in_list(const struct snapshot *s, const struct snap_policy *list, const struct asked *q)
{
    for (size_t i = 0; i < s->sec[SEC_POLICY].n; i++) {
        struct snap_policy p = snap_policy(s, i);
        if (p.kind == POLICY_ALLOW && p.file == list->file && pattern_fits(s, &p, q, false))
            return true;
    }
    return false;
}

static cando_policy check_one(const struct snapshot *s, uint32_t provider, struct str name,
                              struct str id, const char *canonical)
{
    static const enum policy_kind order[] = {POLICY_CLOSED, POLICY_DENY, POLICY_ALLOW_LIST};
    struct asked q = {.provider = provider};
    cando_policy none = {.allowed = true};
    if (!policy_any(s))
        return none;
    if (provider != SNAP_NONE)
        name = snap_str(s, snap_provider(s, provider).id);
    id = trim(id);
    struct id_tables tables = snapshot_ids(s);
    if (!model_id_parse(&tables, name, id, &q.parts) || !fold_into(q.room[0], name, &q.name) ||
        !fold_into(q.room[1], id, &q.id) ||
        !fold_into(q.room[2], str_of(canonical ? canonical : ""), &q.canonical)) {
        none.allowed = false; /* no list can speak of a name that is too long */
        none.list = "closed";
        return none;
    }
    for (unsigned k = 0; k < COUNT_OF(order); k++)
        for (size_t i = 0; i < s->sec[SEC_POLICY].n; i++) {
            struct snap_policy p = snap_policy(s, i);
            if (p.kind != (uint32_t)order[k])
                continue;
            if (p.kind == POLICY_CLOSED)
                return denied(s, &p, "closed");
            if (p.kind == POLICY_DENY && pattern_fits(s, &p, &q, true))
                return denied(s, &p, "deny");
            if (p.kind == POLICY_ALLOW_LIST && !in_list(s, &p, &q))
                return denied(s, &p, "allow");
        }
    return none;
}

cando_policy policy_check(const struct snapshot *s, uint32_t provider, struct str name,
                          struct str id, const char *canonical)
{
    cando_policy own = check_one(s, provider, name, id, canonical);
    const char *alias = own.allowed && policy_any(s) ? snapshot_alias(s, provider, trim(id)) : NULL;
    if (!alias)
        return own;
    /* what another name stands for must not be denied; that it is allowed is said of the name */
    struct str target = str_of(alias);
    size_t cut = str_find_char(target, '/');
    struct str there = str_head(target, cut);
    cando_policy of =
        check_one(s, snapshot_provider(s, there), there, str_from(target, cut + 1), NULL);
    return !of.allowed && strcmp(of.list, "deny") == 0 ? of : own;
}

cando_policy cando_catalog_policy(const cando_catalog *c, const char *provider, size_t provider_len,
                                  const char *model, size_t model_len)
{
    cando_profile p;
    const struct snapshot *s = &c->snap;
    struct str name = trim(str_make(provider, provider_len)), id = trim(str_make(model, model_len));
    bool resolved = policy_any(s) && cando_resolve_parts(c, name.p, name.n, id.p, id.n,
                                                         CANDO_AS_WRITTEN, &p, NULL) == CANDO_OK;
    bool spelling = resolved && p.canonical && !snapshot_alias(s, p.provider, id);
    return policy_check(s, snapshot_provider(s, name), name, id, spelling ? p.canonical : NULL);
}

size_t cando_catalog_keys(const cando_catalog *c, const char **out, size_t max)
{
    const struct snapshot *s = &c->snap;
    uint32_t file = SNAP_NONE, text = SNAP_NONE;
    size_t n = 0;
    for (size_t i = 0; i < s->sec[SEC_POLICY].n; i++) {
        struct snap_policy p = snap_policy(s, i);
        if (p.kind != POLICY_KEYS)
            continue;
        n = p.file == file ? n : 0; /* the last file that has such a list */
        bool again = p.file == file && p.text == text;
        if (!again && n < max)
            out[n++] = snap_str(s, p.text).p;
        file = p.file;
        text = p.text;
    }
    return n;
}
