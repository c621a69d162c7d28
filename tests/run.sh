#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests; does all set-up itself. From any directory:
#
#   tests/run.sh               everything, as continuous integration does (about 30 min on 2 cores)
#   tests/run.sh PART...       only these parts:
#     unit     C unit tests: gcc, gcc ASan+UBSan, clang ASan+UBSan with the fuzz regressions
#     api      every endpoint against the real binary, release and ASan+UBSan
#     accept   the acceptance runner over ../shared/corpus, where that folder exists
#     ui       the page: pure modules, then a real browser
#     diff     numbers against `go tool pprof`
#     faults   kill -9, slow clients, bombs, smuggled requests
#     tsan     unit tests and ingest-and-query-at-once under ThreadSanitizer
#     lint     layout rules, formats, clang-tidy, cppcheck, eslint, types
#
# Each step writes a log; a failing one shows its end, and all steps run in any case. Exit status 0
# only when every step passed. Environment: BRAZIER_BUILD_ROOT (where build/ and the build-*/
# folders go; default the repository), BRAZIER_CORPUS, JOBS (default: number of cores).
set -uo pipefail

repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build_root=${BRAZIER_BUILD_ROOT:-$repo}
corpus=${BRAZIER_CORPUS:-$repo/../shared/corpus}
jobs=${JOBS:-$(nproc)}
logs=$build_root/build-logs
failed=()
passed=0

export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-second_deadlock_stack=1}
export CTEST_OUTPUT_ON_FAILURE=1
[ ! -d "$corpus" ] || { corpus=$(cd "$corpus" && pwd) && export BRAZIER_CORPUS=$corpus; }

# ---------------------------------------------------------------- steps

# step NAME CLOSING COMMAND...: runs the command with its output in a log, then prints one line and
# those of the last lines that match CLOSING, which are the runner's own verdict.
step() {
    local name=$1 closing=$2 log start status
    shift 2
    log=$logs/${name//[^A-Za-z0-9.-]/_}.log
    start=$SECONDS
    "$@" >"$log" 2>&1 </dev/null
    status=$?
    if [ $status -eq 0 ]; then
        passed=$((passed + 1))
        printf 'ok      %-34s %4d s\n' "$name" $((SECONDS - start))
        [ -z "$closing" ] || tail -n 60 "$log" | grep -E "$closing" | sed 's/^/        /'
        return 0
    fi
    failed+=("$name")
    printf 'FAILED  %-34s %4d s  (status %d, %s)\n' "$name" $((SECONDS - start)) $status "$log"
    grep -E '^not ok|^ *✖ |^FAIL|Failed *\*\*\*|\*\*\*Failed|ERROR: |error:' "$log" | head -n 40 | sed 's/^/    | /'
    tail -n 40 "$log" | sed 's/^/    | /'
    return 1
}

skipped() {
    printf 'skipped %-34s %s\n' "$1" "$2"
}

# Closing lines of ctest and of node --test.
ctest_closing='tests passed|tests failed|Total Test time'
node_closing='^(#|ℹ) (tests|pass|fail|skipped|todo) '

packages() { # PART... of setup.sh
    step "packages $*" '' "$repo/tests/setup.sh" "$@"
}

node_modules() {
    local done=$repo/tests/node_modules/.package-lock.json
    [ "$done" -nt "$repo/tests/package-lock.json" ] && return 0
    step 'npm ci' '' npm --prefix "$repo/tests" ci --ignore-scripts --no-audit --no-fund || return 1
    touch "$done"
}

# node_test NAME BINARY FILE...: node --test, one file after the other is a file's own business.
node_test() {
    local name=$1 binary=$2
    shift 2
    [ -e "$1" ] || { step "$name" '' sh -c "echo 'no test files: $1'; false"; return 1; }
    step "$name" "$node_closing" env BRAZIER="$binary" node --test --test-reporter=spec "$@"
}

# ---------------------------------------------------------------- builds

# build FOLDER COMPILER CMAKE-ARGUMENT...: configures once and builds; does it once a run.
declare -A built
build() {
    local folder=$1 compiler=$2
    shift 2
    [ -z "${built[$folder]:-}" ] || return "$((built[$folder] - 1))"
    built[$folder]=2
    packages build agent test || return 1
    step "build $folder" '' build_quietly "$build_root/$folder" "$compiler" "$@" || return 1
    built[$folder]=1
}

build_quietly() {
    local folder=$1 compiler=$2
    shift 2
    cmake -S "$repo" -B "$folder" -DCMAKE_C_COMPILER="$compiler" "$@" &&
        cmake --build "$folder" -j "$jobs"
}

build_release() { build build gcc; }
build_asan_gcc() { build build-asan-gcc gcc -DSANITIZE=address; }
build_asan_clang() { build build-asan-clang clang -DSANITIZE=address -DFUZZ=ON; }
build_tsan() { build build-tsan gcc -DSANITIZE=thread; }

# ThreadSanitizer of gcc 12 wants its shadow where newer kernels randomise mappings to.
without_aslr() {
    if setarch -R true 2>/dev/null; then setarch -R "$@"; else "$@"; fi
}

ctest_in() { # FOLDER ARGUMENT...
    local folder=$1
    shift
    ctest --test-dir "$build_root/$folder" --no-tests=error -j "$jobs" --timeout 300 "$@"
}

# ---------------------------------------------------------------- parts

part_unit() {
    build_release && step 'ctest gcc' "$ctest_closing" ctest_in build
    build_asan_gcc && step 'ctest gcc asan+ubsan' "$ctest_closing" ctest_in build-asan-gcc
    build_asan_clang && step 'ctest clang asan+ubsan' "$ctest_closing" ctest_in build-asan-clang &&
        fuzz_a_little
}

# Half a minute for each fuzz target: enough to notice what a change broke, not a search.
fuzz_a_little() {
    local target name
    for target in "$build_root"/build-asan-clang/fuzz/*_fuzz; do
        [ -x "$target" ] || { step 'fuzz' '' sh -c 'echo no fuzz targets; false'; return; }
        name=$(basename "$target" _fuzz)
        mkdir -p "$target-corpus" # the first folder is also where libFuzzer writes
        step "fuzz $name" '^Done [0-9]+ runs' "$target" -max_total_time="${FUZZ_SECONDS:-30}" \
            -rss_limit_mb=2048 -timeout=10 -artifact_prefix="$logs/$name-" \
            "$target-corpus" "$repo/tests/fuzz/regressions/$name"
    done
}

part_api() {
    build_release &&
        node_test 'api' "$build_root/build/brazier" "$repo"/tests/api/*.test.js
    build_asan_gcc &&
        node_test 'api asan+ubsan' "$build_root/build-asan-gcc/brazier" "$repo"/tests/api/*.test.js
}

part_accept() {
    if [ ! -f "$corpus/accept.mjs" ]; then
        skipped accept "no corpus at $corpus: real and malformed profiles were NOT checked"
        return
    fi
    local folder
    build_release && build_asan_clang || return
    for folder in build build-asan-clang; do
        step "accept $folder" '[0-9]+ passed, [0-9]+ failed' env \
            BRAZIER="$build_root/$folder/brazier" node "$repo/tests/api/accept.js"
    done
}

part_ui() {
    packages test browser && node_modules || return
    node_test 'ui modules' '' "$repo"/tests/ui/unit/*.test.js
    build_release &&
        node_test 'ui page' "$build_root/build/brazier" "$repo"/tests/ui/page/*.test.js
}

part_diff() {
    packages go || return
    build_release && node_test 'diff' "$build_root/build/brazier" "$repo"/tests/diff/*.test.js
}

part_faults() {
    build_release && node_test 'faults' "$build_root/build/brazier" "$repo"/tests/faults/*.test.js
}

part_tsan() {
    build_tsan || return
    step 'ctest tsan' "$ctest_closing" without_aslr ctest --test-dir "$build_root/build-tsan" \
        --no-tests=error -j "$jobs" --timeout 600 -E "^(flamegraph|fuzz_.*)\$" # one thread, slow
    step 'ingest and query at once, tsan' "$node_closing" without_aslr env \
        BRAZIER="$build_root/build-tsan/brazier" \
        node --test --test-reporter=spec "$repo/tests/faults/race.test.js"
}

part_lint() {
    packages build agent test browser && node_modules || return
    build_release || return
    local check
    for check in "$repo"/tests/lint/*.sh; do
        step "lint $(basename "$check" .sh)" '' "$check" "$build_root/build"
    done
}

# ---------------------------------------------------------------- main

parts=("$@")
all=(lint unit api accept ui diff faults tsan)
if [ ${#parts[@]} -eq 0 ] || [ "${parts[*]}" = all ]; then parts=("${all[@]}"); fi
for part in "${parts[@]}"; do
    case " ${all[*]} " in
    *" $part "*) ;;
    *)
        printf 'run: unknown part "%s": expected %s or all\n' "$part" "${all[*]}" >&2
        exit 2
        ;;
    esac
done

mkdir -p "$logs"
for part in "${parts[@]}"; do
    printf -- '---- %s\n' "$part"
    "part_$part"
done

printf -- '---- %d s\n' "$SECONDS"
[ ${#failed[@]} -eq 0 ] || printf 'failed: %s\n' "${failed[@]}"
printf '%d passed, %d failed\n' "$passed" "${#failed[@]}"
[ ${#failed[@]} -eq 0 ] && [ "$passed" -gt 0 ]
