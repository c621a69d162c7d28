/* SPDX-License-Identifier: Apache-2.0 */
/* One text of the corpus in memory. The struct owns its bytes until text_free. */
#ifndef BRAZIER_SAMPLES_SHAKESAPP_TEXT_H
#define BRAZIER_SAMPLES_SHAKESAPP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct text {
    char *bytes;
    size_t size_bytes;
};

/* Inflates the gzip file at `path`. False: it cannot be read, or no memory; `text` is then as it
 * was. */
bool text_read(const char *path, struct text *text);

/* Frees the bytes; a zeroed struct is allowed. */
void text_free(struct text *text);

#endif
