/* SPDX-License-Identifier: Apache-2.0 */
/* A growing list of named things with numbers: services, versions, metrics ...
 *
 * An entry is known by its text within a parent entry (of another registry; 0 where there is no
 * parent). Numbers count from 0 in order of arrival and never change; nothing is removed. Calls may
 * come from any thread; entries below a count read before never change and never move, and their
 * slices live until registry_free. */
#ifndef BRAZIER_STORAGE_SQLITE_REGISTRY_H
#define BRAZIER_STORAGE_SQLITE_REGISTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/cleanup.h"
#include "proto/base/error.h"
#include "proto/base/slice.h"

/* registry_find: no such entry. */
#define REGISTRY_ABSENT UINT32_MAX

struct registry_entry {
    uint32_t parent;
    struct slice text;
    struct slice detail; /* what else is known of it; not part of its identity */
};

struct registry;

/* An empty registry; `what` (static text) names its entries in messages: "services".
 * STATUS_UNAVAILABLE: no memory. */
CHECKED enum status registry_new(const char *what, struct error *err,
                                 struct registry **ret_registry);
void registry_free(struct registry *registry);
CLEANUP_DEFINE(registry_cleanup, struct registry *, registry_free)

/* The number of an entry, or REGISTRY_ABSENT. */
uint32_t registry_find(struct registry *registry, uint32_t parent, struct slice text);

/* The number of (parent, text), added with a copy of `detail` if new. STATUS_RATE_LIMITED:
 * LIMIT_REGISTRY_ENTRIES or LIMIT_REGISTRY_BYTES; STATUS_UNAVAILABLE: no memory. */
CHECKED enum status registry_add(struct registry *registry, uint32_t parent, struct slice text,
                                 struct slice detail, struct error *err, uint32_t *ret_number);

uint32_t registry_count(const struct registry *registry);

/* An entry below a count read before. */
struct registry_entry registry_get(const struct registry *registry, uint32_t number);

/* The next entry of `parent` from number `from` on; REGISTRY_ABSENT: none. */
uint32_t registry_next(const struct registry *registry, uint32_t parent, uint32_t from);

#endif
