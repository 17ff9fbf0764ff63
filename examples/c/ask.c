/*
 * ask.c - typed questions: a struct in, a struct out, no JSON between.
 *
 * Each operation is a function cando_ask_<name>. Zero the question, set what you ask; the
 * answer and all that it points to live in the room until that is cleared or freed.
 */
#include <cando.h>
#include <stdio.h>
#include <string.h>

static int failed(const cando_error *err)
{
    fprintf(stderr, "%s: %s%s%s\n", err->code, err->message, err->at[0] ? " at " : "", err->at);
    return 1;
}

/* What does a model do? */
static int resolve(const cando *c, cando_room *room)
{
    cando_error err;
    const cando_name name = {.provider = "openai", .model = "gpt-4o"};
    const cando_resolve_question q = {.target = &name};
    const cando_resolve_answer *a = cando_ask_resolve(c, &q, room, &err);
    if (!a)
        return failed(&err);
    cando_value window = cando_profile_get(a->profile, cando_field_find("context_window"));
    if (window.known)
        printf("%s/%s has a window of %llu tokens\n", a->provider, a->model,
               (unsigned long long)window.number);
    return 0;
}

/* Which model would do, the cheapest first? */
static int pick(const cando *c, cando_room *room)
{
    cando_error err;
    static const char *const provider = "openai", *const match[] = {"gpt-4o", "gpt-4o-mini"};
    static const cando_wanted tools = {.capability = "tool_calling"};
    const cando_select_question q = {
        .providers = &provider, .n_providers = 1, .match = match, .n_match = 2,
        .require = &tools, .n_require = 1, .sort = CANDO_SORT_PRICE,
    };
    const cando_select_answer *a = cando_ask_select(c, &q, room, &err);
    if (!a)
        return failed(&err);
    for (size_t i = 0; i < a->n_matches; i++)
        printf("%zu. %s\n", i + 1, a->matches[i].target);
    return 0;
}

/* What did a reply cost? Amounts are decimal texts, to the last digit; NULL is "not known". */
static int cost(const cando *c, cando_room *room)
{
    static const char reply[] =
        "{\"object\":\"chat.completion\",\"model\":\"gpt-4o-2024-08-06\","
        "\"usage\":{\"prompt_tokens\":1200,\"completion_tokens\":300}}";
    cando_error err;
    const cando_cost_question q = {.response = {reply, strlen(reply)}, .provider = "openai"};
    const cando_cost_answer *a = cando_ask_cost(c, &q, room, &err);
    if (!a)
        return failed(&err);
    printf("%s: %s %s\n", a->target, a->total_cost ? a->total_cost : "unknown", a->currency);
    for (size_t i = 0; i < a->n_items; i++)
        printf("  %s %s at %s for %llu\n", a->items[i].quantity, a->items[i].unit, a->items[i].rate,
               (unsigned long long)a->items[i].per);
    return 0;
}

int main(void)
{
    cando_error err;
    cando_set_today("2026-01-15", NULL); /* what has ended since then is still there */
    cando *c = cando_new(NULL, NULL, &err);
    cando_room *room = c ? cando_room_new(NULL, &err) : NULL;
    int code = room ? resolve(c, room) : failed(&err);
    if (!code)
        code = pick(c, room);
    if (!code)
        code = cost(c, room);
    cando_room_free(room);
    cando_free(c);
    return code;
}
