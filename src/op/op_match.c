/*
 * op_match.c - match: does a backend satisfy this work order?
 */
#include "decide.h"

#include "decide/match.h"

static const struct op_arg args[] = {
    {"work_order", false, "{\"requirements\":{\"required\":[{\"capability\":..,\"min_support\":..}]}}"},
    {"required", false, "[{\"capability\":..,\"min_support\":\"native|emulated|any\"}]"},
    {"manifest", false, "{\"tool_read\":\"native\"|\"emulated\"|\"unsupported\"|{\"restricted\":{\"reason\":..}},..}"},
    {"backend", false, "an agent backend of the catalog: \"claude\""},
    {"target", false, "\"provider/model\""},
    {"rank", false, "true: every backend of the catalog, the best first"},
    {"rules", false, "rules to use instead of the catalog: {\"dialect\":..,\"text\":..} or a list"},
    {"overlay", false, "rules on top, in the same shape"},
    {0},
};

static void write_buckets(struct json_writer *w, const struct need_list *order, const struct match_result *m)
{
    static const char *const names[] = {"native", "emulated", "unsupported"};
    jw_keyz(w, "satisfied");
    jw_bool(w, m->satisfied);
    for (unsigned b = 0; b < 3; b++) {
        jw_keyz(w, names[b]);
        jw_array(w);
        for (size_t i = 0; i < order->n; i++) {
            const struct match_item *item = &m->item[i];
            if (item->bucket != b)
                continue;
            if (b == BUCKET_NATIVE) {
                jw_str(w, order->need[i].name);
                continue;
            }
            jw_object(w);
            jw_keyz(w, "capability");
            jw_str(w, order->need[i].name);
            if (item->strategy) {
                jw_keyz(w, "strategy");
                jw_strz(w, item->strategy);
            }
            if (item->reason.n) {
                jw_keyz(w, "reason");
                jw_str(w, item->reason);
            }
            jw_object_end(w);
        }
        jw_array_end(w);
    }
}

static bool run_rank(struct op_call *c, struct reading *r, const cando_catalog *cat, const struct need_list *order)
{
    struct ranked_backend *list;
    size_t n;
    if (!match_rank(r, cat, order, &list, &n))
        return op_fail_need(c, r);
    jw_object(c->w);
    jw_keyz(c->w, "ranking");
    jw_array(c->w);
    for (size_t i = 0; i < n; i++) {
        jw_object(c->w);
        jw_keyz(c->w, "backend");
        jw_str(c->w, list[i].backend->id);
        jw_keyz(c->w, "target");
        write_target(c->w, true, list[i].backend->provider, list[i].backend->id);
        write_buckets(c->w, order, &list[i].result);
        jw_object_end(c->w);
    }
    jw_array_end(c->w);
    jw_object_end(c->w);
    return true;
}

/* The planes of whatever the order is held against. */
static bool find_side(struct op_call *c, struct reading *r, const cando_catalog *cat, struct backend *room, cando_planes *out)
{
    const struct json *manifest = json_get(c->args, "manifest");
    struct str name, provider, model;
    cando_error err = {0};
    if (manifest)
        return claims_read(r, FORM_MANIFEST, manifest, STR("/manifest"), out) || op_fail_need(c, r);
    if (json_get(c->args, "backend")) {
        if (!arg_text(c, "backend", &name))
            return false;
        if (!match_backend(r, cat, name, STR("/backend"), room))
            return op_fail_need(c, r);
        *out = room->planes;
        return true;
    }
    if (!arg_target(c, "target", &provider, &model))
        return false;
    if (cando_resolve_parts(cat, provider.p, provider.n, model.p, model.n, CANDO_AS_WRITTEN, &room->profile, &err) != CANDO_OK)
        return op_fail_error(c, STR("/target"), &err);
    cando_profile_pack(&room->profile, out);
    return true;
}

static bool run_with(struct op_call *c, const cando_catalog *cat, const struct need_list *order, bool rank)
{
    struct reading r = {.ar = c->ar};
    struct backend *room = arena_alloc(c->ar, sizeof *room);
    struct match_result m;
    cando_planes planes;
    if (!room)
        return op_memory(c);
    if (rank)
        return run_rank(c, &r, cat, order);
    if (!find_side(c, &r, cat, room, &planes))
        return false;
    if (!match_run(&r, order, &planes, &m))
        return op_fail_need(c, &r);
    jw_object(c->w);
    write_buckets(c->w, order, &m);
    jw_object_end(c->w);
    return true;
}

static bool run(struct op_call *c)
{
    static const char *const sides[] = {"manifest", "backend", "target"};
    const struct json *rank = json_get(c->args, "rank");
    struct need_list order;
    unsigned given = rank && rank->kind == JSON_TRUE;
    if (rank && rank->kind != JSON_TRUE && rank->kind != JSON_FALSE)
        return op_fail(c, CODE_bad_argument, STR("/rank"), "'rank' is true or false");
    for (unsigned i = 0; i < 3; i++)
        given += json_get(c->args, sides[i]) != NULL;
    const cando_catalog *cat = arg_catalog(c);
    if (!cat)
        return false;
    bool ok = arg_needs(c, cat, true, &order);
    if (!ok && c->error.code == CODE_missing_argument && !c->error.hint.n)
        op_hint(c, "give 'work_order' or 'required'");
    if (ok && given != 1) {
        op_fail(c, given ? CODE_bad_argument : CODE_missing_argument, STR(""), "an order is held against one thing");
        ok = op_hint(c, "give one of 'manifest', 'backend', 'target', or \"rank\":true");
    }
    ok = ok && run_with(c, cat, &order, rank && rank->kind == JSON_TRUE);
    cando_catalog_release(cat);
    return ok;
}

const struct op op_match = {.name = "match", .doc = "does a backend satisfy this work order?", .arg = args, .run = run};
