#define _POSIX_C_SOURCE 200809L
#include "fetch.h"

#include "dynamic.h"
#include "out.h"

#if defined(__has_include) && !defined(__wasm__) && !defined(CANDO_STATIC)
#if __has_include(<curl/curl.h>)
#define HAVE_CURL 1
#endif
#endif

static bool has_scheme(const char *text, const char *scheme)
{
    for (; *scheme; text++, scheme++)
        if (char_fold(*text) != *scheme)
            return false;
    return true;
}

bool fetch_is_url(const char *text)
{
    return has_scheme(text, "https://") || has_scheme(text, "http://");
}

/* http://localhost, http://127.0.0.1 and http://[::1], with or without a port. */
bool fetch_is_local(const char *url)
{
    static const char *const hosts[] = {"localhost", "127.0.0.1", "[::1]"};
    const char *host = url + sizeof "http://" - 1;
    for (size_t i = 0; i < COUNT_OF(hosts); i++) {
        size_t n = strlen(hosts[i]);
        if (has_scheme(host, hosts[i]) && (host[n] == '\0' || host[n] == '/' || host[n] == ':'))
            return !strchr(host, '@');
    }
    return false;
}

#ifdef HAVE_CURL

/* the checks of the header are macros around calls by name, and ours go through pointers */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

struct curl_calls {
    CURL *(*init)(void);
    CURLcode (*set)(CURL *, CURLoption, ...);
    CURLcode (*run)(CURL *);
    CURLcode (*info)(CURL *, CURLINFO, ...);
    void (*done)(CURL *);
    const char *(*words)(CURLcode);
};

static bool load(struct curl_calls *c)
{
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.so", NULL};
    static const char *const symbols[] = {
        "curl_easy_init",    "curl_easy_setopt",  "curl_easy_perform",
        "curl_easy_getinfo", "curl_easy_cleanup", "curl_easy_strerror",
    };
    void **const slots[] = {(void **)&c->init, (void **)&c->set,  (void **)&c->run,
                            (void **)&c->info, (void **)&c->done, (void **)&c->words};
    return dynamic_load(names, symbols, slots, COUNT_OF(slots)); /* stays for the next file */
}

struct transfer {
    struct buf *out;
    size_t before;
    bool too_large;
    fetch_progress *progress;
    void *ctx;
    const char *body; /* to be sent, or NULL */
};

static size_t take(char *data, size_t size, size_t n, void *user)
{
    struct transfer *t = user;
    if (t->out->n - t->before + size * n > FETCH_BYTES) {
        t->too_large = true;
        return 0;
    }
    buf_put(t->out, data, size * n);
    return t->out->failed ? 0 : size * n;
}

static int tell(void *user, curl_off_t total, curl_off_t now, curl_off_t up_total,
                curl_off_t up_now)
{
    struct transfer *t = user;
    (void)up_total;
    (void)up_now;
    t->progress(t->ctx, now > 0 ? (uint64_t)now : 0, total > 0 ? (uint64_t)total : 0);
    return 0;
}

static bool set_options(const struct curl_calls *c, CURL *h, const char *url, struct transfer *t,
                        char *words)
{
    static const struct {
        CURLoption option;
        long value;
    } numbers[] = {
        {CURLOPT_FOLLOWLOCATION, 1},
        {CURLOPT_MAXREDIRS, FETCH_REDIRECTS},
        {CURLOPT_SSL_VERIFYPEER, 1},
        {CURLOPT_SSL_VERIFYHOST, 2},
        {CURLOPT_CONNECTTIMEOUT, FETCH_CONNECT_SECONDS},
        {CURLOPT_TIMEOUT, FETCH_SECONDS},
        {CURLOPT_LOW_SPEED_LIMIT, 100},
        {CURLOPT_LOW_SPEED_TIME, FETCH_STALLED_SECONDS},
        {CURLOPT_FAILONERROR, 1},
        {CURLOPT_NOSIGNAL, 1},
        {CURLOPT_NOPROGRESS, 0},
        {CURLOPT_MAXFILESIZE, FETCH_BYTES},
    };
    const struct {
        CURLoption option;
        const void *value;
    } pointers[] = {
        {CURLOPT_URL, url},
        {t->body ? CURLOPT_POSTFIELDS : CURLOPT_URL, t->body ? t->body : url},
        {CURLOPT_PROTOCOLS_STR, has_scheme(url, "https://") ? "https" : "http"},
        {CURLOPT_REDIR_PROTOCOLS_STR, "https"},
        {CURLOPT_USERAGENT, "cando/" CANDO_VERSION},
        {CURLOPT_ERRORBUFFER, words},
        {CURLOPT_WRITEDATA, t},
        {CURLOPT_XFERINFODATA, t},
    };
    bool ok = c->set(h, CURLOPT_WRITEFUNCTION, take) == CURLE_OK;
    ok &= c->set(h, CURLOPT_XFERINFOFUNCTION, tell) == CURLE_OK;
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        ok &= c->set(h, numbers[i].option, numbers[i].value) == CURLE_OK;
    for (size_t i = 0; i < COUNT_OF(pointers); i++)
        ok &= c->set(h, pointers[i].option, pointers[i].value) == CURLE_OK;
    c->set(h, CURLOPT_ACCEPT_ENCODING, ""); /* compressed where it can be; else as it is */
    return ok;
}

static cando_status transfer(const char *url, struct transfer *t, cando_error *err)
{
    struct curl_calls c = {0};
    char words[CURL_ERROR_SIZE] = "";
    if (!load(&c)) {
        error_set(err, CANDO_INTERNAL, CODE_io, "cannot fetch %s: libcurl is not installed", url);
        error_hint(
            err,
            "install it (Debian: apt-get install libcurl4), or give files: --source NAME=FILE");
        return CANDO_INTERNAL;
    }
    CURL *h = c.init();
    if (!h)
        return error_memory(err);
    CURLcode code = set_options(&c, h, url, t, words) ? c.run(h) : CURLE_BAD_FUNCTION_ARGUMENT;
    long answer = 0;
    c.info(h, CURLINFO_RESPONSE_CODE, &answer);
    c.done(h);
    if (code == CURLE_OK)
        return CANDO_OK;
    if (t->out->failed)
        return error_memory(err);
    if (t->too_large || code == CURLE_FILESIZE_EXCEEDED)
        return error_set(err, CANDO_BAD_INPUT, CODE_too_long, "%s is larger than %u MB", url,
                         FETCH_BYTES >> 20);
    if (code == CURLE_HTTP_RETURNED_ERROR)
        return error_set(err, CANDO_BAD_INPUT, CODE_io, "cannot fetch %s: the server answered %ld",
                         url, answer);
    return error_set(err, CANDO_BAD_INPUT, CODE_io, "cannot fetch %s: %s", url,
                     words[0] ? words : c.words(code));
}

#else

struct transfer {
    struct buf *out;
    size_t before;
    fetch_progress *progress;
    void *ctx;
    const char *body; /* to be sent, or NULL */
};

static cando_status transfer(const char *url, struct transfer *t, cando_error *err)
{
    (void)t;
    error_set(err, CANDO_INTERNAL, CODE_io,
              "cannot fetch %s: this program was built without libcurl", url);
    error_hint(err, "give files instead: --source NAME=FILE");
    return CANDO_INTERNAL;
}

#endif

static void tell_nobody(void *ctx, uint64_t bytes, uint64_t total)
{
    (void)ctx;
    (void)bytes;
    (void)total;
}

cando_status fetch_url(const char *url, const char *body, struct buf *out, fetch_progress *progress,
                       void *ctx, cando_error *err)
{
    struct transfer t = {.out = out,
                         .before = out->n,
                         .progress = progress ? progress : tell_nobody,
                         .ctx = ctx,
                         .body = body};
    if (!has_scheme(url, "https://") && !fetch_is_local(url)) {
        error_set(err, CANDO_BAD_QUESTION, CODE_bad_option, "%s is not fetched: it is not https",
                  url);
        error_hint(err, "plain http is for this machine only");
        return CANDO_BAD_QUESTION;
    }
    return transfer(url, &t, err);
}
