/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles into files instead of to a server. In: a finished pprof. Out: one file, replaced in a
 * single step. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "samples/agent/bounds.h"
#include "samples/agent/complain.h"
#include "samples/agent/upload.h"

#define SUFFIX_BYTES 32 /* ".N" and ".part" */

static bool write_all(int fd, struct slice bytes)
{
    size_t written_bytes = 0;

    while (written_bytes < bytes.size_bytes) {
        ssize_t count = write(fd, bytes.data + written_bytes, bytes.size_bytes - written_bytes);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        written_bytes += (size_t)count;
    }
    return true;
}

void upload_to_file(const struct config *config, const struct period *period, struct slice bytes)
{
    char path[AGENT_PATH_BYTES + SUFFIX_BYTES];
    char part[AGENT_PATH_BYTES + 2 * SUFFIX_BYTES];

    if (config->period_ns == INT64_MAX)
        snprintf(path, sizeof(path), "%s", config->file);
    else
        snprintf(path, sizeof(path), "%s.%" PRIu64, config->file, period->number);
    snprintf(part, sizeof(part), "%s.part", path);
    int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0) {
        complain(COMPLAINT_FILE, "%s cannot be written: %s", part, strerror(errno));
        return;
    }
    bool written = write_all(fd, bytes);
    int write_errno = errno;
    if (close(fd) != 0 && written) {
        written = false;
        write_errno = errno;
    }
    if (written && rename(part, path) == 0)
        return;
    complain(COMPLAINT_FILE, "%s cannot be written: %s", path,
             strerror(written ? errno : write_errno));
    unlink(part);
}
