/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens: files that are taken or refused, headers that open or do not. */
#include "server/http/auth.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/unit.h"

#define TOKEN "0123456789abcdef"
/* echo -n 0123456789abcdef | sha256sum */
#define TOKEN_SHA256 "9f9f5111f7b27a781f1f1ddde5ebc2dd2b796bfc7365c9c28b548e564176929f"

/* A token file with this text and mode; its path in `path`. */
static void write_file(const char *text, mode_t mode, char path[32])
{
    int fd;

    memcpy(path, "/tmp/brazier-auth-XXXXXX", sizeof("/tmp/brazier-auth-XXXXXX"));
    fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
    (void)close(fd);
}

static enum status load(const char *text, mode_t mode, struct error *err, struct auth **ret_auth)
{
    char path[32];
    enum status status;

    write_file(text, mode, path);
    status = auth_load(path, err, ret_auth);
    (void)unlink(path);
    return status;
}

static void test_headers(void **state)
{
    static const struct {
        const char *header;
        enum auth_scope scope;
        enum status expected;
    } cases[] = {
        {"", AUTH_READ, STATUS_UNAUTHENTICATED},
        {"Bearer " TOKEN, AUTH_READ, STATUS_OK},
        {"bearer   " TOKEN, AUTH_WRITE, STATUS_OK},
        {"Bearer " TOKEN, AUTH_ADMIN, STATUS_FORBIDDEN},
        {"Bearer " TOKEN "x", AUTH_READ, STATUS_UNAUTHENTICATED},
        {"Bearer ", AUTH_READ, STATUS_UNAUTHENTICATED},
        {"Bearer", AUTH_READ, STATUS_UNAUTHENTICATED},
        {"Digest " TOKEN, AUTH_READ, STATUS_UNAUTHENTICATED},
        {"Basic eDowMTIzNDU2Nzg5YWJjZGVm", AUTH_READ, STATUS_OK},              /* x:TOKEN */
        {"Basic MDEyMzQ1Njc4OWFiY2RlZg==", AUTH_READ, STATUS_UNAUTHENTICATED}, /* no colon */
        {"Basic ????", AUTH_READ, STATUS_UNAUTHENTICATED},
    };
    CLEANUP(auth_cleanup) struct auth *auth = NULL;
    struct error err;

    (void)state;
    assert_status(load("# tokens\n\nci read,write " TOKEN_SHA256 "\n", 0600, &err, &auth),
                  STATUS_OK);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        enum status status = auth_check(auth, slice_of(cases[i].header), cases[i].scope, &err);
        assert_status(status, cases[i].expected);
        if (status != STATUS_OK)
            assert_null(strstr(err.text, TOKEN)); /* never in a message */
    }
}

static void test_long_basic_header(void **state)
{
    CLEANUP(auth_cleanup) struct auth *auth = NULL;
    char header[4096] = "Basic ";
    struct error err;

    (void)state;
    assert_status(load("ci read " TOKEN_SHA256 "\n", 0600, &err, &auth), STATUS_OK);
    memset(header + 6, 'A', sizeof(header) - 7);
    header[sizeof(header) - 1] = '\0';
    assert_status(auth_check(auth, slice_of(header), AUTH_READ, &err), STATUS_UNAUTHENTICATED);
}

static void test_files_refused(void **state)
{
    static const struct {
        const char *text;
        mode_t mode;
    } cases[] = {
        {"ci read " TOKEN_SHA256 "\n", 0644}, /* others may read it */
        {"", 0600},
        {"# only a comment\n", 0600},
        {"ci read\n", 0600},
        {"ci read zz\n", 0600},
        {"ci fly " TOKEN_SHA256 "\n", 0600},
        {"ci read " TOKEN_SHA256 " more\n", 0600},
        {"ci read " TOKEN_SHA256 "0\n", 0600},
    };
    struct auth *auth = NULL;
    struct error err;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_status(load(cases[i].text, cases[i].mode, &err, &auth), STATUS_BAD_PARAMETER);
    assert_status(auth_load("/nonexistent/tokens", &err, &auth), STATUS_BAD_PARAMETER);
    assert_null(auth);
}

/* The rest of a comment that is too long is not a token. */
static void test_long_lines_are_refused(void **state)
{
    struct auth *auth = NULL;
    char text[1024];
    struct error err;
    FILE *in;

    (void)state;
    memset(text, '#', 511);
    memcpy(text + 511, "ci admin " TOKEN_SHA256 "\n", sizeof("ci admin " TOKEN_SHA256 "\n"));
    assert_status(load(text, 0600, &err, &auth), STATUS_BAD_PARAMETER);
    assert_null(auth);
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    in = fmemopen(text, strlen(text), "r");
    assert_status(auth_hash_token(in, stderr, &err), STATUS_BAD_PARAMETER);
    (void)fclose(in);
}

static void test_hash_token_makes_a_line(void **state)
{
    char text[] = TOKEN "\n", short_text[] = "short\n";
    char *line = NULL;
    size_t line_bytes = 0;
    FILE *in = fmemopen(text, strlen(text), "r");
    FILE *out = open_memstream(&line, &line_bytes);
    struct error err;

    (void)state;
    assert_status(auth_hash_token(in, out, &err), STATUS_OK);
    (void)fclose(in);
    (void)fclose(out);
    assert_string_equal(line, "NAME read,write " TOKEN_SHA256 "\n");
    free(line);
    in = fmemopen(short_text, strlen(short_text), "r");
    assert_status(auth_hash_token(in, stderr, &err), STATUS_BAD_PARAMETER);
    (void)fclose(in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_long_basic_header),
        cmocka_unit_test(test_files_refused),
        cmocka_unit_test(test_long_lines_are_refused),
        cmocka_unit_test(test_hash_token_makes_a_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
