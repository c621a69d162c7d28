/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the host's wishes and the operator's environment into checked settings. In: struct
 * brazier_config and BRAZIER_* variables. Out: struct config. Reads the environment once, at the
 * start; never keeps a pointer to what it was given. */
#include "samples/agent/config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "proto/base/utf8.h"
#include "samples/agent/bounds.h"

#define SECOND_NS INT64_C(1000000000)

/* The variable's text when it is set and not empty, else what the host gave. */
static const char *choose(const char *variable, const char *given)
{
    const char *text = getenv(variable);

    return text && *text ? text : given;
}

static enum status copy_text(const char *variable, const char *given, const char *fallback,
                             size_t max_bytes, struct error *err, char **ret_text)
{
    const char *text = choose(variable, given);

    if (!text)
        text = fallback;
    if (!text)
        return STATUS_OK;
    if (strlen(text) > max_bytes || !utf8_valid(slice_of(text)))
        return error_set_at(err, STATUS_BAD_PARAMETER, variable, ERROR_NONE, (int64_t)max_bytes,
                            "%s (or its config member) must be UTF-8 of at most %zu bytes",
                            variable, max_bytes);
    *ret_text = strdup(text);
    return *ret_text ? STATUS_OK : error_no_memory(err, "agent settings");
}

static enum status copy_number(const char *variable, unsigned given, unsigned fallback,
                               unsigned max, struct error *err, unsigned *ret_number)
{
    const char *text = getenv(variable);
    unsigned long number = given;

    if (text && *text) {
        char *end = NULL;
        errno = 0;
        number = strtoul(text, &end, 10);
        if (errno != 0 || *end != '\0' || strspn(text, "0123456789") == 0)
            number = (unsigned long)max + 1;
    }
    if (number > max)
        return error_set_at(err, STATUS_BAD_PARAMETER, variable, ERROR_NONE, max,
                            "%s (or its config member) must be a number from 0 to %u", variable,
                            max);
    *ret_number = number == 0 ? fallback : (unsigned)number;
    return STATUS_OK;
}

static enum status check_label(const char *label, struct error *err)
{
    const char *colon = strchr(label, ':');

    if (!colon || colon == label || (size_t)(colon - label) > LIMIT_LABEL_KEY_BYTES ||
        strlen(colon + 1) > LIMIT_LABEL_VALUE_BYTES)
        return error_set(err, STATUS_BAD_PARAMETER,
                         "BRAZIER_LABELS (or its config member): \"%.40s\" is not key:value with a "
                         "key of 1 to %u and a value of at most %u bytes",
                         label, LIMIT_LABEL_KEY_BYTES, LIMIT_LABEL_VALUE_BYTES);
    return STATUS_OK;
}

/* Splits "key:value,key:value" at the commas. */
static enum status split_labels(char *text, struct config *config, struct error *err)
{
    char *rest = text;

    config->labels = calloc(LIMIT_LABELS, sizeof(*config->labels));
    if (!config->labels)
        return error_no_memory(err, "agent settings");
    for (char *label = strsep(&rest, ","); label; label = strsep(&rest, ",")) {
        if (*label == '\0')
            continue;
        enum status status = check_label(label, err);
        if (status != STATUS_OK)
            return status;
        if (config->label_count == LIMIT_LABELS)
            return error_set_at(err, STATUS_BAD_PARAMETER, "BRAZIER_LABELS", ERROR_NONE,
                                LIMIT_LABELS, "more than %u labels", LIMIT_LABELS);
        char *copy = strdup(label);
        if (!copy)
            return error_no_memory(err, "agent settings");
        config->labels[config->label_count++] = copy;
    }
    return STATUS_OK;
}

static enum status resolve_labels(const char *given, struct config *config, struct error *err)
{
    char *text = NULL;
    enum status status = copy_text("BRAZIER_LABELS", given, "", AGENT_LABELS_BYTES, err, &text);

    if (status == STATUS_OK)
        status = split_labels(text, config, err);
    free(text);
    return status;
}

static enum status resolve_numbers(const struct brazier_config *given, struct config *config,
                                   struct error *err)
{
    unsigned period_fallback = config->file ? 0 : AGENT_PERIOD_DEFAULT_S;
    unsigned period = 0;
    unsigned hz = 0;
    enum status status = copy_number("BRAZIER_PERIOD_SECONDS", given->period_seconds,
                                     period_fallback, AGENT_PERIOD_MAX_S, err, &period);

    if (status == STATUS_OK)
        status = copy_number("BRAZIER_HZ", given->hz, AGENT_HZ_DEFAULT, AGENT_HZ_MAX, err, &hz);
    if (status != STATUS_OK)
        return status;
    config->period_ns = period == 0 ? INT64_MAX : (int64_t)period * SECOND_NS;
    config->interval_ns = SECOND_NS / hz;
    return STATUS_OK;
}

static enum status check_url(struct config *config, struct error *err)
{
    size_t size_bytes = strlen(config->server_url);

    if (strncasecmp(config->server_url, "http://", 7) != 0 &&
        strncasecmp(config->server_url, "https://", 8) != 0)
        return error_set(err, STATUS_BAD_PARAMETER,
                         "BRAZIER_SERVER (or server_url) must begin with http:// or https://");
    while (config->server_url[size_bytes - 1] == '/')
        config->server_url[--size_bytes] = '\0';
    return STATUS_OK;
}

static enum status fill(const struct brazier_config *given, struct config *config,
                        struct error *err)
{
    const struct {
        const char *variable, *given, *fallback;
        size_t max_bytes;
        char **ret_text;
    } texts[] = {
        {"BRAZIER_SERVER", given->server_url, "http://127.0.0.1:4040", AGENT_URL_BYTES,
         &config->server_url},
        {"BRAZIER_TOKEN", given->token, NULL, AGENT_TOKEN_BYTES, &config->token},
        {"BRAZIER_FILE", given->file, NULL, AGENT_PATH_BYTES, &config->file},
        {"BRAZIER_SERVICE", given->service, program_invocation_short_name, LIMIT_SERVICE_BYTES,
         &config->service},
        {"BRAZIER_VERSION", given->version, "", LIMIT_VERSION_BYTES, &config->version},
        {"BRAZIER_WORK_UNIT", given->work_unit, "", LIMIT_WORK_UNIT_BYTES, &config->work_unit},
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        enum status status = copy_text(texts[i].variable, texts[i].given, texts[i].fallback,
                                       texts[i].max_bytes, err, texts[i].ret_text);
        if (status != STATUS_OK)
            return status;
    }
    if (*config->service == '\0')
        return error_set(err, STATUS_BAD_PARAMETER, "the service has no name");
    enum status status = check_url(config, err);
    if (status == STATUS_OK)
        status = resolve_labels(given->labels, config, err);
    if (status == STATUS_OK)
        status = resolve_numbers(given, config, err);
    return status;
}

enum status config_resolve(const struct brazier_config *given, struct error *err,
                           struct config **ret_config)
{
    static const struct brazier_config nothing;
    CLEANUP(config_cleanup) struct config *config = calloc(1, sizeof(*config));

    if (!config)
        return error_no_memory(err, "agent settings");
    enum status status = fill(given ? given : &nothing, config, err);
    if (status != STATUS_OK)
        return status;
    *ret_config = config;
    config = NULL;
    return STATUS_OK;
}

void config_free(struct config *config)
{
    if (!config)
        return;
    for (uint32_t i = 0; i < config->label_count; i++)
        free(config->labels[i]);
    free(config->labels);
    free(config->server_url);
    free(config->token);
    free(config->file);
    free(config->service);
    free(config->version);
    free(config->work_unit);
    free(config);
}
