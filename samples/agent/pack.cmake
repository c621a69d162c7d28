# SPDX-License-Identifier: Apache-2.0
# Makes the static library: every object the agent needs in one relocatable object, in which only
# the public names stay visible. A host may then have an arena_new of its own.
#
#   cmake -D LINKER= -D OBJCOPY= -D AR= -D OBJECTS= -D ARCHIVES= -D OUTPUT= -P pack.cmake
set(whole ${OUTPUT}.o)
separate_arguments(objects UNIX_COMMAND "${OBJECTS}")
separate_arguments(archives UNIX_COMMAND "${ARCHIVES}")

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${ARGV}: ${failed}")
  endif()
endfunction()

file(REMOVE ${OUTPUT})
run(${LINKER} -r -o ${whole} ${objects} --start-group ${archives} --end-group)
run(${OBJCOPY} --keep-global-symbol=brazier_start --keep-global-symbol=brazier_stop
    --keep-global-symbol=brazier_work --keep-global-symbol=brazier_thread ${whole})
run(${AR} qcs ${OUTPUT} ${whole})
file(REMOVE ${whole})
