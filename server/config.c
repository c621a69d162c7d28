/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration: one table of options gives parsing, environment variables and --help. */
#include "server/config.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/limits.h"

#define DEFAULT_LISTEN   "127.0.0.1:4040"
#define DEFAULT_DATABASE "brazier.db"

/* The request's arena has to hold the inflated profile and its columns. */
#define MAX_INFLATED_MOST_BYTES (LIMIT_ARENA_BYTES / 2)

enum option_id {
    OPTION_LISTEN,
    OPTION_DB,
    OPTION_TOKEN_FILE,
    OPTION_PUBLIC_HOST,
    OPTION_STATIC_DIR,
    OPTION_MAX_INFLATED,
    OPTION_THREADS,
    OPTION_LOG_LEVEL,
    OPTION_MAX
};

struct option {
    const char *flag;
    const char *variable;
    const char *argument; /* name of the value in --help */
    const char *help;
};

static const struct option OPTIONS[OPTION_MAX] = {
    [OPTION_LISTEN] = {"--listen", "BRAZIER_LISTEN", "ADDRESS:PORT",
                       "where to listen; an address other than loopback needs --token-file "
                       "(default " DEFAULT_LISTEN ")"},
    [OPTION_DB] = {"--db", "BRAZIER_DB", "FILE",
                   "the SQLite database, created when absent (default " DEFAULT_DATABASE ")"},
    [OPTION_TOKEN_FILE] =
        {"--token-file", "BRAZIER_TOKEN_FILE", "FILE",
         "require a token: lines of NAME SCOPES SHA256, scopes of write,read,admin "
         "joined by commas; --hash-token makes a line"},
    [OPTION_PUBLIC_HOST] = {"--public-host", "BRAZIER_PUBLIC_HOST", "NAME",
                            "a host name that clients may use besides the listening address and "
                            "localhost; may be repeated"},
    [OPTION_STATIC_DIR] = {"--static-dir", "BRAZIER_STATIC_DIR", "DIR",
                           "serve the page from this folder instead of the built-in copy, for work "
                           "on the page"},
    [OPTION_MAX_INFLATED] = {"--max-inflated", "BRAZIER_MAX_INFLATED", "BYTES",
                             "largest profile after gunzip (default 67108864)"},
    [OPTION_THREADS] = {"--threads", "BRAZIER_THREADS", "N",
                        "HTTP threads, 1 to 64; they mostly wait for commits (default 16)"},
    [OPTION_LOG_LEVEL] = {"--log-level", "BRAZIER_LOG_LEVEL", "LEVEL",
                          "debug, info, warn or error (default info)"},
};

static const char *const LOG_LEVELS[LOG_LEVEL_MAX] = {"debug", "info", "warn", "error"};

void config_help(FILE *out)
{
    (void)fprintf(out, "usage: brazier serve [flags]\n"
                       "       brazier --help | --version\n\n"
                       "Keeps pprof profiles and shows them as flame graphs in a browser.\n\n"
                       "flags of serve (each also as the environment variable named behind it):\n");
    for (size_t i = 0; i < OPTION_MAX; i++) {
        const struct option *option = &OPTIONS[i];
        (void)fprintf(out, "  %s %s  [%s]\n      %s\n", option->flag, option->argument,
                      option->variable, option->help);
    }
    (void)fprintf(out, "  --print-config\n      print the configuration in force and exit\n"
                       "  --hash-token\n      read a token from standard input, print its line for "
                       "--token-file and exit\n");
}

static enum status parse_number(const struct option *option, const char *value, uint64_t least,
                                uint64_t most, struct error *err, uint64_t *ret_number)
{
    char *end;
    unsigned long long number = strtoull(value, &end, 10);

    if (*value < '0' || *value > '9' || *end != '\0' || number < least || number > most)
        return error_set(err, STATUS_BAD_PARAMETER, "%s: '%s' is not a number from %llu to %llu",
                         option->flag, value, (unsigned long long)least, (unsigned long long)most);
    *ret_number = number;
    return STATUS_OK;
}

static enum status parse_log_level(const char *value, struct error *err, enum log_level *ret_level)
{
    for (int i = 0; i < LOG_LEVEL_MAX; i++) {
        if (strcmp(value, LOG_LEVELS[i]) == 0) {
            *ret_level = (enum log_level)i;
            return STATUS_OK;
        }
    }
    return error_set(err, STATUS_BAD_PARAMETER,
                     "--log-level: '%s' is none of debug, info, warn, error", value);
}

static enum status config_set(struct config *config, enum option_id id, const char *value,
                              struct error *err)
{
    const struct option *option = &OPTIONS[id];

    if (*value == '\0')
        return error_set(err, STATUS_BAD_PARAMETER, "%s: the value is empty", option->flag);
    switch (id) {
    case OPTION_LISTEN:
        config->listen = value;
        return STATUS_OK;
    case OPTION_DB:
        config->database = value;
        return STATUS_OK;
    case OPTION_TOKEN_FILE:
        config->token_file = value;
        return STATUS_OK;
    case OPTION_STATIC_DIR:
        config->static_dir = value;
        return STATUS_OK;
    case OPTION_PUBLIC_HOST:
        if (config->public_host_count == CONFIG_PUBLIC_HOSTS)
            return error_set(err, STATUS_BAD_PARAMETER, "--public-host: given more than %d times",
                             CONFIG_PUBLIC_HOSTS);
        config->public_hosts[config->public_host_count++] = value;
        return STATUS_OK;
    case OPTION_MAX_INFLATED:
        return parse_number(option, value, LIMIT_KIB, MAX_INFLATED_MOST_BYTES, err,
                            &config->max_inflated_bytes);
    case OPTION_THREADS:
        return parse_number(option, value, 1, 64, err, &config->threads);
    case OPTION_LOG_LEVEL:
        return parse_log_level(value, err, &config->log_level);
    case OPTION_MAX:
        break;
    }
    return error_set(err, STATUS_INTERNAL, "option %d has no meaning", (int)id);
}

/* Splits "ADDRESS:PORT" or "[ADDRESS]:PORT" and fills the derived members. */
static enum status config_resolve(struct config *config, struct error *err)
{
    const char *text = config->listen;
    const char *colon = strrchr(text, ':');
    size_t host_bytes;
    uint64_t port;
    enum status status;

    if (colon == NULL)
        return error_set(err, STATUS_BAD_PARAMETER, "--listen: '%s' is not ADDRESS:PORT", text);
    status = parse_number(&OPTIONS[OPTION_LISTEN], colon + 1, 0, 65535, err, &port);
    if (status != STATUS_OK)
        return status;
    host_bytes = (size_t)(colon - text);
    if (host_bytes >= 2 && text[0] == '[' && text[host_bytes - 1] == ']') {
        text++;
        host_bytes -= 2;
    }
    if (host_bytes >= sizeof(config->host))
        return error_set(err, STATUS_BAD_PARAMETER, "--listen: '%s' is no IP address", text);
    memcpy(config->host, text, host_bytes);
    config->host[host_bytes] = '\0';
    if (strcmp(config->host, "localhost") == 0)
        memcpy(config->host, "127.0.0.1", sizeof("127.0.0.1"));
    config->port = (uint16_t)port;
    memset(&config->address, 0, sizeof(config->address));
    if (inet_pton(AF_INET, config->host, &config->address.v4.sin_addr) == 1) {
        config->address.v4.sin_family = AF_INET;
        config->address.v4.sin_port = htons(config->port);
        config->loopback = (ntohl(config->address.v4.sin_addr.s_addr) >> 24) == 127;
        return STATUS_OK;
    }
    if (inet_pton(AF_INET6, config->host, &config->address.v6.sin6_addr) == 1) {
        config->address.v6.sin6_family = AF_INET6;
        config->address.v6.sin6_port = htons(config->port);
        config->loopback = IN6_IS_ADDR_LOOPBACK(&config->address.v6.sin6_addr);
        return STATUS_OK;
    }
    return error_set(err, STATUS_BAD_PARAMETER, "--listen: '%s' is no IPv4 or IPv6 address",
                     config->host);
}

static enum status config_read_variables(struct config *config, struct error *err)
{
    for (size_t i = 0; i < OPTION_MAX; i++) {
        const char *value = getenv(OPTIONS[i].variable);
        enum status status;

        if (value == NULL)
            continue;
        status = config_set(config, (enum option_id)i, value, err);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* The option of `argument`, which may be "--flag" or "--flag=value"; OPTION_MAX: none. */
static enum option_id option_find(const char *argument, const char **ret_inline_value)
{
    for (size_t i = 0; i < OPTION_MAX; i++) {
        size_t flag_bytes = strlen(OPTIONS[i].flag);

        if (strncmp(argument, OPTIONS[i].flag, flag_bytes) != 0)
            continue;
        if (argument[flag_bytes] == '\0' || argument[flag_bytes] == '=') {
            *ret_inline_value = argument[flag_bytes] == '=' ? argument + flag_bytes + 1 : NULL;
            return (enum option_id)i;
        }
    }
    return OPTION_MAX;
}

static enum status config_read_flags(int argc, char **argv, struct config *config,
                                     struct error *err, enum config_action *ret_action)
{
    for (int i = 0; i < argc; i++) {
        const char *value = NULL;
        enum option_id id;
        enum status status;

        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            *ret_action = CONFIG_HELP;
            continue;
        }
        if (strcmp(argv[i], "--print-config") == 0) {
            *ret_action = CONFIG_PRINT;
            continue;
        }
        if (strcmp(argv[i], "--hash-token") == 0) {
            *ret_action = CONFIG_HASH_TOKEN;
            continue;
        }
        id = option_find(argv[i], &value);
        if (id == OPTION_MAX)
            return error_set(err, STATUS_BAD_PARAMETER,
                             "unknown flag '%s'; 'brazier --help' lists them", argv[i]);
        if (value == NULL && ++i < argc)
            value = argv[i];
        if (value == NULL)
            return error_set(err, STATUS_BAD_PARAMETER, "%s needs a value", OPTIONS[id].flag);
        if (id == OPTION_PUBLIC_HOST && config->public_host_count == 1 &&
            config->public_hosts[0] == getenv(OPTIONS[id].variable))
            config->public_host_count = 0; /* flags replace the variable */
        status = config_set(config, id, value, err);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

enum status config_read(int argc, char **argv, struct error *err, struct config *ret_config,
                        enum config_action *ret_action)
{
    enum config_action action = CONFIG_SERVE;
    struct config config = {
        .listen = DEFAULT_LISTEN,
        .database = DEFAULT_DATABASE,
        .max_inflated_bytes = LIMIT_INFLATED_BYTES,
        .threads = LIMIT_HTTP_THREADS,
        .log_level = LOG_LEVEL_INFO,
    };
    enum status status = config_read_variables(&config, err);

    if (status == STATUS_OK)
        status = config_read_flags(argc, argv, &config, err, &action);
    if (status == STATUS_OK)
        status = config_resolve(&config, err);
    if (status != STATUS_OK)
        return status;
    if (!config.loopback && config.token_file == NULL && action == CONFIG_SERVE)
        return error_set(err, STATUS_FORBIDDEN,
                         "refusing to listen on %s without authentication: anybody who reaches it "
                         "could read and write. Listen on 127.0.0.1, or give --token-file FILE "
                         "(make its lines with: brazier serve --hash-token)",
                         config.host);
    *ret_config = config;
    *ret_action = action;
    return STATUS_OK;
}

void config_print(const struct config *config, FILE *out)
{
    (void)fprintf(out,
                  "listen = %s\ndb = %s\ntoken-file = %s\nstatic-dir = %s\n"
                  "max-inflated = %llu\nthreads = %llu\nlog-level = %s\n",
                  config->listen, config->database,
                  config->token_file == NULL ? "" : config->token_file,
                  config->static_dir == NULL ? "" : config->static_dir,
                  (unsigned long long)config->max_inflated_bytes,
                  (unsigned long long)config->threads, LOG_LEVELS[config->log_level]);
    for (unsigned i = 0; i < config->public_host_count; i++)
        (void)fprintf(out, "public-host = %s\n", config->public_hosts[i]);
}
