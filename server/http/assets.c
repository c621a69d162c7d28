/* SPDX-License-Identifier: Apache-2.0 */
/* Looking up the page's files, built in or on disk. */
#include "server/http/assets.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "server/http/mime.h"

static const char *asset_name(const char *path)
{
    return strcmp(path, "/") == 0 ? "/index.html" : path;
}

const struct asset *asset_find(const char *path)
{
    size_t low = 0, high = ASSET_COUNT;

    path = asset_name(path);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(path, ASSETS[middle].path);

        if (order == 0)
            return &ASSETS[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const char *asset_mime(const char *path)
{
    return mime_of(asset_name(path));
}

static void close_cleanup(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
}

enum status asset_read(const char *dir, const char *path, struct error *err, struct buf *out)
{
    struct open_how how = {.flags = O_RDONLY | O_CLOEXEC,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};
    CLEANUP(close_cleanup) int dir_fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    CLEANUP(close_cleanup) int fd = -1;
    struct stat info;

    if (dir_fd >= 0)
        fd = (int)syscall(SYS_openat2, dir_fd, asset_name(path) + 1, &how, sizeof(how));
    if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        return error_set(err, STATUS_NOT_FOUND, "no such page: %.100s", path);
    for (;;) {
        char *at = buf_reserve(out, 65536);
        ssize_t got_bytes;

        if (at == NULL)
            return buf_status(out, err, "page");
        got_bytes = read(fd, at, 65536);
        if (got_bytes < 0)
            return error_set(err, STATUS_UNAVAILABLE, "cannot read %.100s", path);
        if (got_bytes == 0)
            return STATUS_OK;
        buf_advance(out, (size_t)got_bytes);
    }
}
