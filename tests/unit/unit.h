/* SPDX-License-Identifier: Apache-2.0 */
/* What every unit test includes: cmocka and the headers that it wants before itself. */
#ifndef BRAZIER_TESTS_UNIT_UNIT_H
#define BRAZIER_TESTS_UNIT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "proto/base/slice.h"

/* Defined in a build with AddressSanitizer, for the few tests that its runtime cannot bear. */
#if defined(__SANITIZE_ADDRESS__)
#define UNIT_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNIT_ADDRESS_SANITIZER 1
#endif
#endif

/* Both statuses by name when they differ. */
#define assert_status(actual, expected)                                                            \
    assert_string_equal(status_code(actual), status_code(expected))

#define assert_slice_equal(actual, expected)                                                       \
    do {                                                                                           \
        struct slice actual_ = (actual), expected_ = (expected);                                   \
        assert_int_equal(actual_.size_bytes, expected_.size_bytes);                                \
        if (expected_.size_bytes > 0)                                                              \
            assert_memory_equal(actual_.data, expected_.data, expected_.size_bytes);               \
    } while (0)

/* A small deterministic generator, so that a failing test fails again. */
static inline uint64_t unit_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

#endif
