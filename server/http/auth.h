/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens: who may write, read, administer.
 *
 * The file holds one line per token: NAME SCOPES SHA256, where SCOPES is a comma list of write,
 * read, admin and SHA256 the lower-case hex digest of the token. Empty lines and lines that begin
 * with '#' are skipped. Tokens are random and long, so a fast hash is right and its comparison is
 * constant-time all the same. */
#ifndef BRAZIER_SERVER_HTTP_AUTH_H
#define BRAZIER_SERVER_HTTP_AUTH_H

#include <stdio.h>

#include "proto/base/cleanup.h"
#include "proto/base/error.h"
#include "proto/base/slice.h"

enum auth_scope {
    AUTH_NONE = 0, /* free for everybody */
    AUTH_READ = 1 << 0,
    AUTH_WRITE = 1 << 1,
    AUTH_ADMIN = 1 << 2
};

struct auth;

/* Reads the token file. STATUS_BAD_PARAMETER: unreadable, readable by others than its owner, no
 * token in it, or a malformed line (named by number). */
CHECKED enum status auth_load(const char *path, struct error *err, struct auth **ret_auth);
void auth_free(struct auth *auth);
CLEANUP_DEFINE(auth_cleanup, struct auth *, auth_free)

/* Whether the value of an Authorization header (Bearer TOKEN, or Basic with the token as password;
 * size 0: no header) holds a token with `scope`. STATUS_UNAUTHENTICATED: none, or none of ours;
 * STATUS_FORBIDDEN: a token without that scope. The message never holds the token. */
CHECKED enum status auth_check(const struct auth *auth, struct slice header, enum auth_scope scope,
                               struct error *err);

/* Reads a token from `in` (one line) and writes a line for the token file to `out`.
 * STATUS_BAD_PARAMETER: shorter than 16 characters, or longer than any line of the file. */
CHECKED enum status auth_hash_token(FILE *in, FILE *out, struct error *err);

#endif
