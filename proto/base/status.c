/* SPDX-License-Identifier: Apache-2.0 */
/* The status table spelt out as look-ups. */
#include "proto/base/status.h"

const char *status_code(enum status status)
{
    switch (status) {
#define STATUS_CASE(name, code, http)                                                              \
    case STATUS_##name:                                                                            \
        return code;
        STATUS_TABLE(STATUS_CASE)
#undef STATUS_CASE
    case STATUS_MAX:
        break;
    }
    return "internal";
}

int status_http(enum status status)
{
    switch (status) {
#define STATUS_CASE(name, code, http)                                                              \
    case STATUS_##name:                                                                            \
        return http;
        STATUS_TABLE(STATUS_CASE)
#undef STATUS_CASE
    case STATUS_MAX:
        break;
    }
    return 500;
}
