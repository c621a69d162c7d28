#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# From a fresh clone to a comparison in the browser: installs what is missing, builds, starts a
# server on a fresh database, runs shakesapp version 1 and 2 under the agent, and prints the URL of
# their comparison. The server runs until Ctrl-C.
#
#   samples/demo.sh [--no-wait] [--seconds N] [--port N]
#
#   --no-wait    end at once after the URL has been printed (for tests)
#   --seconds N  run each version for N seconds (12)
#   --port N     listen there (4040, or the next free one)
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
build=$root/build
wait_for_user=true
seconds=12
port=4040
last_port=4079
server=
workload=
work=

fail() {
    printf 'demo: %s\n' "$*" >&2
    exit 1
}

say() {
    printf '\n==> %s\n' "$*"
}

stop() { # PID
    kill "$1" 2>/dev/null || return 0
    wait "$1" 2>/dev/null || true
}

clean_up() {
    trap - EXIT INT TERM
    [ -z "$workload" ] || stop "$workload"
    [ -z "$server" ] || stop "$server"
    [ -z "$work" ] || rm -rf "$work"
}
trap clean_up EXIT
trap 'printf "\n"; exit 130' INT
trap 'exit 143' TERM

number() { # NAME VALUE
    case $2 in
    '' | *[!0-9]* | ??????*) fail "$1 needs a number, not '$2'" ;;
    esac
    [ "$2" -gt 0 ] || fail "$1 must be at least 1"
}

while [ $# -gt 0 ]; do
    case $1 in
    --no-wait) wait_for_user=false ;;
    --seconds | --port)
        [ $# -gt 1 ] || fail "$1 needs a number"
        number "$1" "$2"
        if [ "$1" = --seconds ]; then
            seconds=$2
        else
            port=$2
            last_port=$2
        fi
        shift
        ;;
    -h | --help)
        sed -n '3,11s/^# \{0,1\}//p' "$0"
        exit 0
        ;;
    *) fail "unknown argument '$1'; --help lists them" ;;
    esac
    shift
done

install_packages() {
    say "Looking for missing packages"
    [ -x "$root/tests/setup.sh" ] || fail "$root/tests/setup.sh is missing: is the clone complete?"
    "$root/tests/setup.sh" build agent || fail "packages could not be installed (see above)"
}

build_all() {
    say "Building into $build"
    cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=RelWithDebInfo >"$work/cmake.log" 2>&1 || {
        tail -n 20 "$work/cmake.log" >&2
        fail "cmake failed (above)"
    }
    cmake --build "$build" --target brazier shakesapp -j "$(nproc)" >"$work/build.log" 2>&1 || {
        grep -E 'error|Error|undefined' "$work/build.log" | head -n 20 >&2
        fail "the build failed (above)"
    }
}

is_ready() {
    curl --silent --fail --noproxy '*' --max-time 2 --output /dev/null \
        "http://127.0.0.1:$port/readyz"
}

# Starts the server at $port and waits until it answers. 1: it ended, most likely because the port
# is taken.
start_server() {
    rm -f "$work"/brazier.db*
    "$build/brazier" serve --listen "127.0.0.1:$port" --db "$work/brazier.db" \
        >"$work/server.log" 2>&1 &
    server=$!
    tries=0
    while [ $tries -lt 100 ]; do
        if ! kill -0 "$server" 2>/dev/null; then
            wait "$server" 2>/dev/null || true
            server=
            return 1
        fi
        # Whoever else listens at this port answers too; ours ends within the first moments then.
        if [ $tries -ge 3 ] && is_ready; then
            return 0
        fi
        tries=$((tries + 1))
        sleep 0.1
    done
    tail -n 5 "$work/server.log" >&2
    fail "the server does not become ready (its last lines above)"
}

find_port() {
    say "Starting the server"
    until start_server; do
        if [ "$port" -ge "$last_port" ] || ! grep -qi 'in use' "$work/server.log"; then
            tail -n 5 "$work/server.log" >&2
            fail "the server does not start on 127.0.0.1:$port (its last lines above)"
        fi
        port=$((port + 1))
    done
    printf '    %s\n' "http://127.0.0.1:$port"
}

run_version() { # VERSION WHAT
    say "shakesapp version $1 for $seconds seconds: $2"
    BRAZIER_SERVER="http://127.0.0.1:$port" BRAZIER_PERIOD_SECONDS=1 BRAZIER_HZ=250 \
        BRAZIER_FILE='' BRAZIER_TOKEN='' BRAZIER_SERVICE=shakesapp BRAZIER_VERSION="$1" \
        no_proxy=127.0.0.1 \
        "$build/shakesapp" --version "$1" --num_requests "$3" >"$work/shakesapp.log" 2>&1 &
    workload=$!
    elapsed=0
    while [ "$elapsed" -lt "$seconds" ]; do
        sleep 1
        elapsed=$((elapsed + 1))
        kill -0 "$workload" 2>/dev/null || break
    done
    status=0
    kill -TERM "$workload" 2>/dev/null || true
    wait "$workload" || status=$?
    workload=
    [ "$status" -eq 0 ] || {
        tail -n 5 "$work/shakesapp.log" >&2
        fail "shakesapp version $1 ended with status $status (its last lines above)"
    }
    grep Simulated "$work/shakesapp.log" | tail -n 3 | sed 's/^/    /'
    if grep -q '^brazier:' "$work/shakesapp.log"; then
        grep '^brazier:' "$work/shakesapp.log" >&2
        fail "the agent could not deliver its profiles (above)"
    fi
}

work=$(mktemp -d "${TMPDIR:-/tmp}/brazier-demo-XXXXXX")
install_packages
build_all
find_port
run_version 1 "compiles the query as a regular expression for every line" 5
run_version 2 "searches the query as a substring" 40

say "Open this: CPU time per request of version 2, compared with version 1"
printf '    %s\n\n' \
    "http://127.0.0.1:$port/?service=shakesapp&type=cpu&version=2&base_version=1&basis=work"
if $wait_for_user; then
    printf 'The server keeps running. Ctrl-C ends it and removes its database.\n'
    wait "$server" || fail "the server has ended: $(tail -n 1 "$work/server.log")"
fi
