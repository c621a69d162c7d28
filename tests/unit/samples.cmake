# SPDX-License-Identifier: Apache-2.0
# The agent's tests see its inside. Thread sanitizer delivers signals late, away from the code they
# interrupted, so profiles mean nothing under it.
if(NOT SANITIZE STREQUAL "thread")
  unit_test(agent brazier_agent_objects)
  target_sources(agent_test PRIVATE agent_profile.c)
  target_compile_options(agent_test PRIVATE -g -fno-optimize-sibling-calls)
endif()
