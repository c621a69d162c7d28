# SPDX-License-Identifier: Apache-2.0
# What the tests of views share: a store that answers what the test put in.
add_library(view_test_support STATIC ${CMAKE_CURRENT_LIST_DIR}/support/view_fixture.c)
target_link_libraries(view_test_support PUBLIC brazier_server brazier_flags PkgConfig::CJSON
  PkgConfig::CMOCKA)

unit_test(json brazier_server PkgConfig::CJSON)
unit_test(query view_test_support)
unit_test(selection view_test_support)
unit_test(cut view_test_support)
unit_test(focus view_test_support)
unit_test(functions view_test_support)
unit_test(flamegraph view_test_support)
unit_test(views view_test_support)

# What the tests of uploads share.
add_library(ingest_test_support STATIC ${CMAKE_CURRENT_LIST_DIR}/support/keeper.c)
target_link_libraries(ingest_test_support PUBLIC brazier_server brazier_flags PkgConfig::CJSON
  PkgConfig::CMOCKA)

unit_test(ingest ingest_test_support)
unit_test(upload ingest_test_support)
