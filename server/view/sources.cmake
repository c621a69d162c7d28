# SPDX-License-Identifier: Apache-2.0
set(VIEW_SOURCES
  view/answer.c view/cut.c view/flamegraph.c view/focus.c view/focus_callees.c
  view/focus_callers.c view/focus_target.c view/function_sums.c view/functions.c view/graft.c
  view/heaviest.c view/json.c view/names.c view/nodes.c view/path.c view/preorder.c
  view/profile_json.c view/profiles.c view/query.c view/raw.c view/selection.c view/services.c
  view/tree.c)
