#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every shell script is clean under its linter.
set -eu
cd "$(dirname "$0")/../.."
git ls-files -z --cached --others --exclude-standard -- '*.sh' .ci/run | xargs -0 -r shellcheck
