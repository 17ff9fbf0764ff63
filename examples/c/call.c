/*
 * call.c - JSON in, JSON out: the questions of `cando batch` without a process.
 *
 * For programs that have JSON at hand anyway, and for bindings of other languages.
 * docs/ops.md has every operation; ask.c is the same without JSON.
 */
#include <cando.h>
#include <stdio.h>
#include <string.h>

/* One question: the answer is malloc'ed and given back. */
static int once(const cando *c, const char *question)
{
    char *answer;
    size_t len;
    if (cando_call(c, question, strlen(question), &answer, &len) != CANDO_OK) {
        fprintf(stderr, "no memory\n");
        return 1;
    }
    printf("%.*s\n", (int)len, answer);
    cando_free_text(c, answer, len);
    return 0;
}

/* Many questions: answers live in a room. It keeps its memory when it is cleared, so that
 * from the second round on nothing is allocated. */
static int often(const cando *c, const char *const *questions, size_t n)
{
    cando_error err;
    cando_room *room = cando_room_new(NULL, &err);
    if (!room) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    int failed = 0;
    for (size_t i = 0; i < n && !failed; i++) {
        cando_bytes answer;
        if (cando_call_in(c, questions[i], strlen(questions[i]), room, &answer) == CANDO_OK)
            printf("%.*s\n", (int)answer.n, answer.p);
        else
            failed = 1;
        cando_room_clear(room); /* `answer` ends here */
    }
    cando_room_free(room);
    return failed;
}

int main(void)
{
    /* What is wrong with a question is an answer, too: "ok" is false, and "error" has a code,
     * a message, and the place in the question. The second one is such. */
    static const char *const questions[] = {
        "{\"op\":\"model_id\",\"id\":1,\"model\":\"us.anthropic.claude-opus-4-5-20251101-v1:0\"}",
        "{\"op\":\"model_id\",\"id\":2,\"modle\":\"gpt-4o\"}",
        "{\"op\":\"redact\",\"id\":3,\"value\":\"the key is sk-abcdefghijklmnopqrstuvwx\"}",
        "{\"op\":\"cost\",\"id\":4,\"usage\":{\"input_tokens\":1200},"
        "\"pricing\":{\"input_tokens\":\"2.5\"}}",
    };
    cando_error err;
    cando *c = cando_new(NULL, NULL, &err); /* the built-in catalog, malloc */
    if (!c) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    int failed = once(c, questions[0]);
    if (!failed)
        failed = often(c, questions + 1, 3);
    cando_free(c);
    return failed;
}
