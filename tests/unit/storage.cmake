# SPDX-License-Identifier: Apache-2.0
unit_test(calltree brazier_storage)

# Hand-made profiles and the contract suite, which knows no engine.
add_library(storage_fixtures STATIC handmade.c store_fixture.c sqlite_fixture.c
  store_suite.c store_suite_keep.c store_suite_list.c store_suite_put.c store_suite_select.c
  store_suite_tally.c)
target_link_libraries(storage_fixtures PUBLIC brazier_storage PkgConfig::CMOCKA Threads::Threads)

unit_test(store_contract storage_fixtures)
unit_test(vector brazier_storage)
unit_test(intern storage_fixtures)
unit_test(sqlite_store storage_fixtures PkgConfig::SQLITE3)
unit_test(sqlite_damage storage_fixtures PkgConfig::SQLITE3)
unit_test(sqlite_faults storage_fixtures PkgConfig::SQLITE3)

# Not a test: `cmake --build DIR --target storage_bench && DIR/storage_bench PROFILES FILE...`
add_executable(storage_bench EXCLUDE_FROM_ALL ../bench/storage_bench.c)
target_link_libraries(storage_bench PRIVATE brazier_storage brazier_proto brazier_flags)
