#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The server-level benchmark in one command: ingest and flame graph of a real server on a fresh
# database, against `go tool pprof` merging the same files in the same run. Prints a table against
# its targets and writes bench.json into the build folder. A missed target is shown, not an error:
# machines differ; --strict makes it one.
#
#   tests/bench/run.sh [--strict] [--posts N] [--queries N]
set -euo pipefail
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${BRAZIER_BUILD_ROOT:-$repo}/build
mkdir -p "$(dirname "$build")"
strict=false
if [ "${1:-}" = --strict ]; then
    strict=true
    shift
fi

"$repo/tests/setup.sh" build agent test go
{
    cmake -S "$repo" -B "$build" -DCMAKE_C_COMPILER=gcc
    cmake --build "$build" -j "$(nproc)"
    gcc -std=gnu17 -O2 -Wall -Wextra -Werror -pthread -o "$build/bench-load" \
        "$repo/tests/bench/load.c"
} >"$build-bench.log" 2>&1 || {
    tail -n 30 "$build-bench.log" >&2
    exit 1
}
rm -f "$build-bench.log"
BRAZIER="$build/brazier" node "$repo/tests/bench/bench.js" "$build/bench-load" \
    "$build/bench.json" "$@"
if $strict; then
    grep -q '"met": true' "$build/bench.json"
fi
