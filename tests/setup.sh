#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian 12 packages that a part of this repository needs and that are missing.
#
#   tests/setup.sh PART...      PART: build agent test browser go
#   tests/setup.sh --list PART...    print what is missing, one a line, and install nothing
#
# Runs apt-get as root, or through sudo, and only when something is missing. It never upgrades a
# package that is there, and takes a node, npm, go or chromium from any other source as it is.
set -eu

# A word is PACKAGE, or PACKAGE:COMMAND where the command counts as well as the package: whoever
# has nodejs from another source must not get a second one.
build='gcc:gcc cmake:cmake make:make pkg-config:pkg-config libc6-dev libmicrohttpd-dev
    libprotobuf-c-dev protobuf-c-compiler:protoc-c zlib1g-dev libcjson-dev libsqlite3-dev
    libpcre2-dev nettle-dev libxxhash-dev libdeflate-dev'
agent='libdw-dev libcurl4-openssl-dev curl:curl'
test='git:git clang:clang libclang-rt-14-dev clang-format:clang-format clang-tidy:clang-tidy
    cppcheck:cppcheck shellcheck:shellcheck libcmocka-dev nodejs:node sqlite3:sqlite3'
browser='chromium:chromium npm:npm nodejs:node fonts-liberation'
go='golang-go:go'

fail() {
    printf 'setup: %s\n' "$*" >&2
    exit 1
}

installed() { # PACKAGE[:COMMAND]
    case $1 in
    *:*) command -v "${1#*:}" >/dev/null 2>&1 && return 0 ;;
    esac
    # A development package that a different one provides (libcurl4-gnutls-dev) counts too.
    case $1 in
    libcurl4-openssl-dev) pkg-config --exists libcurl 2>/dev/null && return 0 ;;
    libclang-rt-14-dev) clang_runtime && return 0 ;;
    fonts-liberation) fc-list 2>/dev/null | grep -q . && return 0 ;;
    esac
    dpkg-query -W -f '${Status}\n' "${1%%:*}" 2>/dev/null | grep -q '^install ok installed$'
}

clang_runtime() { # clang of another version brings its runtime under another name
    dir=$(clang -print-resource-dir 2>/dev/null) || return 1
    find "$dir/lib" -name 'libclang_rt.asan*' 2>/dev/null | grep -q .
}

missing_of() { # PART...
    for part in "$@"; do
        case $part in
        build) words=$build ;;
        agent) words=$agent ;;
        test) words=$test ;;
        browser) words=$browser ;;
        go) words=$go ;;
        *) fail "unknown part '$part': expected build, agent, test, browser or go" ;;
        esac
        for word in $words; do
            installed "$word" || printf '%s\n' "${word%%:*}"
        done
    done
}

list=false
if [ "${1:-}" = --list ]; then
    list=true
    shift
fi
[ $# -gt 0 ] || fail "name one or more parts: build agent test browser go"

missing=$(missing_of "$@") || exit 1
missing=$(printf '%s\n' "$missing" | sort -u | sed '/^$/d')
if $list; then
    [ -z "$missing" ] || printf '%s\n' "$missing"
    exit 0
fi
[ -n "$missing" ] || exit 0

packages=$(printf '%s' "$missing" | tr '\n' ' ')
command -v apt-get >/dev/null 2>&1 ||
    fail "this system has no apt-get; install what these Debian packages hold: $packages"
if [ "$(id -u)" -eq 0 ]; then
    as_root=
elif command -v sudo >/dev/null 2>&1; then
    as_root=sudo
    [ -t 0 ] || as_root='sudo -n' # nobody is there to type a password
    $as_root true || fail "sudo refuses; run as root: apt-get install $packages"
else
    fail "missing packages and neither root nor sudo; run as root: apt-get install $packages"
fi

printf 'setup: installing %s\n' "$packages" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for step in "update" "install --yes --no-install-recommends --no-upgrade $packages"; do
    # shellcheck disable=SC2086 # the words of both are meant to be split
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=3 \
        -o DPkg::Lock::Timeout=120 $step >"$log" 2>&1 || {
        tail -n 20 "$log" >&2
        fail "apt-get ${step%% *} failed (above)"
    }
done
