#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# clang-tidy with the checks of .clang-tidy over every source file that the build folder compiles.
# Usage: tidy.sh BUILD-FOLDER
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
git ls-files -z -- 'proto/*.c' 'storage/*.c' 'server/*.c' 'samples/*.c' |
    xargs -0 -r -n 4 -P "${JOBS:-$(nproc)}" clang-tidy -p "$build" --quiet \
        --extra-arg=-Wno-unknown-warning-option
