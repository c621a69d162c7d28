/* SPDX-License-Identifier: Apache-2.0 */
/* File endings and the media types they go with; shared by the server and the embedding tool. */
#ifndef BRAZIER_SERVER_HTTP_MIME_H
#define BRAZIER_SERVER_HTTP_MIME_H

#include <string.h>

static inline const char *mime_of(const char *path)
{
    static const struct {
        const char *ending, *mime;
    } types[] = {
        {".html", "text/html; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".json", "application/json; charset=utf-8"},
        {".svg", "image/svg+xml"},
        {".png", "image/png"},
        {".ico", "image/x-icon"},
        {".txt", "text/plain; charset=utf-8"},
    };
    size_t path_bytes = strlen(path);

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        size_t ending_bytes = strlen(types[i].ending);
        if (path_bytes >= ending_bytes &&
            strcmp(path + path_bytes - ending_bytes, types[i].ending) == 0)
            return types[i].mime;
    }
    return "application/octet-stream";
}

#endif
