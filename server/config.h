/* SPDX-License-Identifier: Apache-2.0 */
/* What the operator chose: defaults, then BRAZIER_* variables, then flags. */
#ifndef BRAZIER_SERVER_CONFIG_H
#define BRAZIER_SERVER_CONFIG_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "proto/base/error.h"
#include "proto/base/log.h"

#define CONFIG_PUBLIC_HOSTS 16 /* --public-host may be given this often */

struct config {
    const char *listen;     /* as given: "127.0.0.1:4040", "[::1]:4040" */
    const char *database;   /* path */
    const char *token_file; /* NULL: none */
    const char *static_dir; /* NULL: the page built into the program */
    const char *public_hosts[CONFIG_PUBLIC_HOSTS];
    unsigned public_host_count;
    uint64_t max_inflated_bytes;
    uint64_t threads;
    enum log_level log_level;

    /* Derived from `listen`. */
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address;
    char host[64]; /* the address without brackets and port */
    uint16_t port;
    bool loopback;
};

/* What the command line asked for besides serving. */
enum config_action { CONFIG_SERVE, CONFIG_PRINT, CONFIG_HASH_TOKEN, CONFIG_HELP, CONFIG_MAX };

/* Reads variables and flags (argv without program and command name). All strings of the result
 * belong to the environment and argv. STATUS_BAD_PARAMETER: an unknown flag, a value out of range,
 * an address that is none; STATUS_FORBIDDEN: a listening address other than loopback without
 * --token-file (the message says what to do). */
CHECKED enum status config_read(int argc, char **argv, struct error *err, struct config *ret_config,
                                enum config_action *ret_action);

/* Writes the help text, made from the same table that config_read uses. */
void config_help(FILE *out);

/* Writes the configuration in force, one `name = value` a line. */
void config_print(const struct config *config, FILE *out);

#endif
