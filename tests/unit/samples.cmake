# SPDX-License-Identifier: Apache-2.0
# The agent's tests see its inside.
unit_test(agent_ring brazier_agent_objects)
unit_test(agent_config brazier_agent_objects)

# Thread sanitizer delivers signals late, away from the code they interrupted, so profiles mean
# nothing under it.
if(NOT SANITIZE STREQUAL "thread")
  unit_test(agent brazier_agent_objects)
  target_sources(agent_test PRIVATE agent_profile.c)
  target_compile_options(agent_test PRIVATE -g -fno-optimize-sibling-calls)

  unit_test(agent_upload brazier_agent_objects)
  target_sources(agent_upload_test PRIVATE agent_profile.c agent_server.c)
  target_compile_options(agent_upload_test PRIVATE -g)

  unit_test(agent_static brazier_agent_static brazier_proto)
  target_sources(agent_static_test PRIVATE agent_profile.c)

  # The sample itself, with the shared library: counts, speed, and what its profile says.
  unit_test(shakesapp brazier_proto)
  target_sources(shakesapp_test PRIVATE agent_profile.c)
  target_compile_definitions(shakesapp_test PRIVATE SHAKESAPP_PATH="$<TARGET_FILE:shakesapp>")
  add_dependencies(shakesapp_test shakesapp)
  set_tests_properties(agent agent_upload shakesapp PROPERTIES TIMEOUT 300 RUN_SERIAL TRUE)
endif()
