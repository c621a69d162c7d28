/* SPDX-License-Identifier: Apache-2.0 */
/* Checking tokens against the table of the token file. */
#include "server/http/auth.h"

#include <nettle/base64.h>
#include <nettle/memops.h>
#include <nettle/sha2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>

#define AUTH_TOKENS      256 /* lines of the file */
#define AUTH_LINE_BYTES  512
#define AUTH_TOKEN_BYTES 512 /* longest token that is looked at */
#define AUTH_TOKEN_LEAST 16  /* 16 random base64 characters are 96 bits */

struct token {
    unsigned scopes; /* of enum auth_scope */
    uint8_t digest[SHA256_DIGEST_SIZE];
};

struct auth {
    struct token tokens[AUTH_TOKENS];
    size_t token_count;
};

static void digest_of(struct slice token, uint8_t digest[SHA256_DIGEST_SIZE])
{
    struct sha256_ctx sha;

    sha256_init(&sha);
    sha256_update(&sha, token.size_bytes, (const uint8_t *)token.data);
    sha256_digest(&sha, SHA256_DIGEST_SIZE, digest);
}

static bool parse_digest(const char *hex, uint8_t digest[SHA256_DIGEST_SIZE])
{
    for (size_t i = 0; i < SHA256_DIGEST_SIZE * 2; i++) {
        char c = hex[i];
        unsigned nibble;

        if (c >= '0' && c <= '9')
            nibble = (unsigned)(c - '0');
        else if (c >= 'a' && c <= 'f')
            nibble = (unsigned)(c - 'a') + 10;
        else
            return false;
        digest[i / 2] = (uint8_t)(i % 2 == 0 ? nibble << 4 : digest[i / 2] | nibble);
    }
    return hex[SHA256_DIGEST_SIZE * 2] == '\0';
}

static bool parse_scopes(char *list, unsigned *ret_scopes)
{
    char *rest = list, *word;
    unsigned scopes = 0;

    while ((word = strsep(&rest, ",")) != NULL) {
        if (strcmp(word, "read") == 0)
            scopes |= AUTH_READ;
        else if (strcmp(word, "write") == 0)
            scopes |= AUTH_WRITE;
        else if (strcmp(word, "admin") == 0)
            scopes |= AUTH_ADMIN;
        else
            return false;
    }
    *ret_scopes = scopes;
    return true;
}

/* Reads a line and cuts its end off. False: the file ends. *ret_whole is false when the line is too
 * long, so that its rest is never taken for a line of its own. */
static bool read_line(FILE *file, char line[AUTH_LINE_BYTES], bool *ret_whole)
{
    if (fgets(line, AUTH_LINE_BYTES, file) == NULL)
        return false;
    *ret_whole = strlen(line) < AUTH_LINE_BYTES - 1 || line[AUTH_LINE_BYTES - 2] == '\n';
    line[strcspn(line, "\r\n")] = '\0';
    return true;
}

/* One line without its line feed; false: malformed. Blank lines and comments add nothing. */
static bool auth_add_line(struct auth *auth, char *line)
{
    char *save = NULL;
    char *name = strtok_r(line, " \t", &save);
    char *scopes = strtok_r(NULL, " \t", &save);
    char *digest = strtok_r(NULL, " \t", &save);
    struct token *token = &auth->tokens[auth->token_count];

    if (name == NULL || *name == '#')
        return true;
    if (digest == NULL || strtok_r(NULL, " \t", &save) != NULL ||
        auth->token_count == AUTH_TOKENS || !parse_scopes(scopes, &token->scopes) ||
        !parse_digest(digest, token->digest))
        return false;
    auth->token_count++;
    return true;
}

static void file_cleanup(FILE **file)
{
    if (*file != NULL)
        (void)fclose(*file);
}

enum status auth_load(const char *path, struct error *err, struct auth **ret_auth)
{
    CLEANUP(file_cleanup) FILE *file = fopen(path, "re");
    CLEANUP(auth_cleanup) struct auth *auth = calloc(1, sizeof(*auth));
    char line[AUTH_LINE_BYTES];
    bool whole = true;
    struct stat info;

    if (auth == NULL)
        return error_no_memory(err, "tokens");
    if (file == NULL || fstat(fileno(file), &info) != 0)
        return error_set(err, STATUS_BAD_PARAMETER, "--token-file: cannot read '%s'", path);
    if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        return error_set(err, STATUS_BAD_PARAMETER,
                         "--token-file: others than its owner may read '%s'; chmod 600 it", path);
    for (int number = 1; read_line(file, line, &whole); number++) {
        if (!whole || !auth_add_line(auth, line))
            return error_set(err, STATUS_BAD_PARAMETER,
                             "--token-file: line %d is not NAME SCOPES SHA256 (or there are more "
                             "than %d)",
                             number, AUTH_TOKENS);
    }
    if (auth->token_count == 0)
        return error_set(err, STATUS_BAD_PARAMETER, "--token-file: '%s' holds no token", path);
    *ret_auth = auth;
    auth = NULL;
    return STATUS_OK;
}

void auth_free(struct auth *auth)
{
    free(auth);
}

/* The part behind "SCHEME ", compared without case; false: another scheme. */
static bool take_scheme(struct slice header, const char *scheme, struct slice *ret_rest)
{
    size_t scheme_bytes = strlen(scheme);

    if (header.size_bytes <= scheme_bytes || strncasecmp(header.data, scheme, scheme_bytes) != 0 ||
        header.data[scheme_bytes] != ' ')
        return false;
    while (header.size_bytes > scheme_bytes && header.data[scheme_bytes] == ' ')
        scheme_bytes++;
    *ret_rest = slice_make(header.data + scheme_bytes, header.size_bytes - scheme_bytes);
    return true;
}

/* The token of either scheme, in `room`. */
static bool take_token(struct slice header, uint8_t room[AUTH_TOKEN_BYTES], struct slice *ret_token)
{
    struct base64_decode_ctx base64;
    struct slice rest;
    size_t size_bytes = AUTH_TOKEN_BYTES;
    const uint8_t *colon;

    if (take_scheme(header, "Bearer", ret_token))
        return true;
    if (!take_scheme(header, "Basic", &rest) ||
        BASE64_DECODE_LENGTH(rest.size_bytes) > AUTH_TOKEN_BYTES)
        return false;
    base64_decode_init(&base64);
    if (!base64_decode_update(&base64, &size_bytes, room, rest.size_bytes, rest.data) ||
        !base64_decode_final(&base64))
        return false;
    colon = memchr(room, ':', size_bytes);
    if (colon == NULL)
        return false;
    *ret_token = slice_make(colon + 1, size_bytes - (size_t)(colon + 1 - room));
    return true;
}

enum status auth_check(const struct auth *auth, struct slice header, enum auth_scope scope,
                       struct error *err)
{
    uint8_t room[AUTH_TOKEN_BYTES];
    uint8_t digest[SHA256_DIGEST_SIZE];
    struct slice token;
    unsigned scopes = AUTH_NONE;
    bool known = false;

    if (header.size_bytes == 0)
        return error_set(err, STATUS_UNAUTHENTICATED, "a token is needed: Authorization: Bearer");
    if (!take_token(header, room, &token) || token.size_bytes == 0)
        return error_set(err, STATUS_UNAUTHENTICATED, "the Authorization header holds no token");
    digest_of(token, digest);
    for (size_t i = 0; i < auth->token_count; i++) { /* all of them: time tells nothing */
        if (memeql_sec(digest, auth->tokens[i].digest, sizeof(digest))) {
            known = true;
            scopes |= auth->tokens[i].scopes;
        }
    }
    if (!known)
        return error_set(err, STATUS_UNAUTHENTICATED, "the token is not known");
    if ((scopes & scope) == 0)
        return error_set(err, STATUS_FORBIDDEN, "the token lacks the scope '%s'",
                         scope == AUTH_READ    ? "read"
                         : scope == AUTH_WRITE ? "write"
                                               : "admin");
    return STATUS_OK;
}

enum status auth_hash_token(FILE *in, FILE *out, struct error *err)
{
    char line[AUTH_LINE_BYTES];
    uint8_t digest[SHA256_DIGEST_SIZE];
    bool whole = true;

    if (!read_line(in, line, &whole))
        line[0] = '\0';
    if (!whole)
        return error_set(err, STATUS_BAD_PARAMETER, "the token has more than %d characters",
                         AUTH_LINE_BYTES - 2);
    if (strlen(line) < AUTH_TOKEN_LEAST)
        return error_set(err, STATUS_BAD_PARAMETER,
                         "the token has fewer than %d characters; try: head -c 24 /dev/urandom | "
                         "base64",
                         AUTH_TOKEN_LEAST);
    digest_of(slice_of(line), digest);
    (void)fprintf(out, "NAME read,write ");
    for (size_t i = 0; i < sizeof(digest); i++)
        (void)fprintf(out, "%02x", digest[i]);
    (void)fprintf(out, "\n");
    return STATUS_OK;
}
