/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about a whole profile that need no more than its columns. */
#include "proto/profile.h"

uint32_t profile_default_type(const struct profile *profile)
{
    struct slice wanted = profile->strings[profile->default_type];

    for (uint32_t i = 0; wanted.size_bytes > 0 && i < profile->type_count; i++)
        if (slice_equal(profile->strings[profile->type_name[i]], wanted))
            return i;
    return profile->type_count - 1;
}
