#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Rooms, sizes, banned calls, licence lines: the rules in layout.js.
exec node "$(dirname "$0")/layout.js"
