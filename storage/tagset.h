/* SPDX-License-Identifier: Apache-2.0 */
/* The label sets of a profile's samples, kept small enough to be rows.
 *
 * A tagset is the set of (key, text) and (key, number, unit) labels that samples share. Labels that
 * would make a row of every sample (a timestamp, a request id) are left out, and what is still too
 * varied folds into one group, so that sums stay exact whatever the labels are. */
#ifndef BRAZIER_STORAGE_TAGSET_H
#define BRAZIER_STORAGE_TAGSET_H

#include "proto/base/arena.h"
#include "proto/profile.h"

#define TAGSET_NONE   0u /* samples without labels, or whose labels were all left out */
#define TAGSET_FOLDED 1u /* samples of the tagsets past LIMIT_TAGSETS */

struct tagsets {
    uint32_t count; /* >= 2 */
    /* [count]: canonical bytes of a set, equal for equal sets of any profile; "" for the first two.
     * Per label, in order: key size | key | 0 | text size | text, or
     * key size | key | 1 | zigzag(number) | unit size | unit; sizes and numbers are varints, text
     * valid UTF-8. */
    const struct slice *texts;
    const uint32_t *sample_tagset; /* [sample_count]; NULL: all TAGSET_NONE */
    uint32_t keys_left_out;        /* over LIMIT_TAG_VALUES values, too long, past LIMIT_TAG_KEYS */
    uint32_t folded;               /* how many sets share TAGSET_FOLDED */
};

/* Groups the samples of `profile` by their labels; the result lives in `arena`.
 * STATUS_TOO_LARGE: arena. */
CHECKED enum status tagset_group(const struct profile *profile, struct arena *arena,
                                 struct error *err, struct tagsets *ret_tagsets);

#endif
