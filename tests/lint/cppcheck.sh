#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cppcheck over our own C. Warnings are errors, but for what it cannot know:
#   memleak, resourceLeak   it does not see the cleanup attribute; LeakSanitizer does
#   varFuncNullUB           NULL is a pointer in every C library that the server runs on
#   shiftTooManyBitsSigned  gcc and clang shift signed numbers arithmetically
#   missingIncludeSystem    system headers are not needed for these checks
set -eu
cd "$(dirname "$0")/../.."
exec cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
    --suppress=memleak --suppress=resourceLeak --suppress=varFuncNullUB --suppress=shiftTooManyBitsSigned \
    --suppress=missingIncludeSystem --error-exitcode=1 -j "${JOBS:-$(nproc)}" \
    -I . -D__GNUC__ -D__x86_64__ -D_GNU_SOURCE '-D__attribute__(x)=' proto storage server samples
