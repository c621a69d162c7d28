#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every C file is as clang-format would write it.
set -eu
cd "$(dirname "$0")/../.."
git ls-files -z --cached --others --exclude-standard -- '*.c' '*.h' |
    xargs -0 -r clang-format --dry-run --Werror --ferror-limit=3
