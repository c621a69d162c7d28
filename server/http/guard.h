/* SPDX-License-Identifier: Apache-2.0 */
/* What a request must be before anything looks at its meaning: unambiguous and meant for us.
 *
 * Framing: libmicrohttpd takes the first of two Content-Length headers, and Content-Length beside
 * Transfer-Encoding, and knows no "Content-Length " with a space before its colon; a proxy in front
 * may read them the other way, and one request becomes two.
 * Host: a name outside the allow-list means DNS rebinding. Origin: a page of another site may send
 * a POST that needs no reading; browsers say so in Origin and Sec-Fetch-Site. */
#ifndef BRAZIER_SERVER_HTTP_GUARD_H
#define BRAZIER_SERVER_HTTP_GUARD_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/base/slice.h"
#include "server/config.h"

/* Checks framing, Host and, for a request that `writes`, where it comes from.
 * STATUS_BAD_REQUEST, STATUS_MISDIRECTED, STATUS_FORBIDDEN. */
CHECKED enum status guard_request(struct MHD_Connection *connection, const struct config *config,
                                  const char *http_version, bool writes, struct error *err);

/* The announced body size; UINT64_MAX: chunked, no announcement; 0: no body. */
uint64_t guard_content_length(struct MHD_Connection *connection);

/* Whether a header's name is a token (RFC 9110): no white space, no separators. */
bool guard_name_allowed(struct slice name);

/* The host of "HOST", "HOST:PORT" or "[V6]:PORT" is one that this server answers to. */
bool guard_host_allowed(const struct config *config, struct slice host);

#endif
