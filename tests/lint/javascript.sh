#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Types of the page and of the tests, and eslint over both.
set -eu
cd "$(dirname "$0")/.."
npm run --silent types
node_modules/.bin/tsc --project tsconfig.tools.json
npm run --silent lint -- --max-warnings 0
