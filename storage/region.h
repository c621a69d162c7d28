/* SPDX-License-Identifier: Apache-2.0 */
/* Address space that is reserved at once and takes memory only where it is touched.
 *
 * A column in a region grows without ever moving, so readers of its settled part need no lock. The
 * bytes read as zero until written. The caller owns the region until region_release. */
#ifndef BRAZIER_STORAGE_REGION_H
#define BRAZIER_STORAGE_REGION_H

#include <stddef.h>
#include <sys/mman.h>

/* NULL: the system refuses the address space. `size_bytes` > 0. */
static inline void *region_reserve(size_t size_bytes)
{
    void *at = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return at == MAP_FAILED ? NULL : at;
}

static inline void region_release(void *region, size_t size_bytes)
{
    if (region != NULL)
        (void)munmap(region, size_bytes);
}

#endif
