/* SPDX-License-Identifier: Apache-2.0 */
/* Between a zoom link and the tree: which node a hash means.
 *
 * In: 16 hex digits; out: a node. Extends every live node's parent state by its frame until one
 * fits; nothing is looked up by name, and nothing is kept between requests. */
#include "server/view/path.h"

#include "proto/base/limits.h"

#define PATH_PRIME       UINT32_C(0x01000193)
#define PATH_FIRST_BASE  UINT32_C(0x811c9dc5)
#define PATH_SECOND_BASE UINT32_C(0x9747b28c)

struct path path_root(void)
{
    return (struct path){PATH_FIRST_BASE, PATH_SECOND_BASE};
}

/* Feeds the bytes and a NUL, which only multiplies. */
static struct path path_feed(struct path path, struct slice text)
{
    for (size_t i = 0; i < text.size_bytes; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        path.first = (path.first ^ byte) * PATH_PRIME;
        path.second = (path.second ^ byte) * PATH_PRIME;
    }
    return (struct path){path.first * PATH_PRIME, path.second * PATH_PRIME};
}

struct path path_extend(struct path parent, struct slice name, struct slice file)
{
    return path_feed(path_feed(parent, name), file);
}

static uint32_t path_word(const uint8_t bytes[4])
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

enum status path_read(struct slice text, const char *parameter, struct error *err,
                      struct path *ret_path)
{
    uint8_t bytes[8];

    if (!query_hex(text, bytes, sizeof(bytes)))
        return query_refuse(parameter, err, "not the 16 hex digits of a node");
    *ret_path = (struct path){path_word(bytes), path_word(bytes + 4)};
    return STATUS_OK;
}

static bool path_equal(struct path a, struct path b)
{
    return a.first == b.first && a.second == b.second;
}

/* Refuses trees whose names would take too long to read, before reading them. */
static enum status path_check_size(const struct tree *tree, struct error *err)
{
    uint64_t size_bytes = 0;

    for (uint32_t node = 1; node < tree->node_count; node++) {
        if (tree_live(tree, node))
            size_bytes += tree_name(tree, node).size_bytes + tree_file(tree, node).size_bytes;
    }
    if (size_bytes > LIMIT_PATH_BYTES)
        return error_set_at(err, STATUS_TOO_LARGE, "root", ERROR_NONE, (int64_t)LIMIT_PATH_BYTES,
                            "root: the names of all nodes have %llu bytes, at most %zu",
                            (unsigned long long)size_bytes, LIMIT_PATH_BYTES);
    return STATUS_OK;
}

enum status path_find(const struct tree *tree, struct path path, struct arena *arena,
                      struct error *err, uint32_t *ret_node)
{
    if (path_equal(path, path_root())) {
        *ret_node = CALLTREE_ROOT;
        return STATUS_OK;
    }
    enum status status = path_check_size(tree, err);
    if (status != STATUS_OK)
        return status;
    struct path *paths = arena_array(arena, tree->node_count, struct path);
    if (paths == NULL)
        return arena_exhausted(arena, err, "path hashes");
    paths[0] = path_root();
    for (uint32_t node = 1; node < tree->node_count; node++) {
        if (!tree_live(tree, node)) /* and so is everything below it */
            continue;
        paths[node] =
            path_extend(paths[tree->parents[node]], tree_name(tree, node), tree_file(tree, node));
        if (path_equal(paths[node], path)) {
            *ret_node = node;
            return STATUS_OK;
        }
    }
    return error_set(err, STATUS_NOT_FOUND, "root: no such node in this selection");
}
