# SPDX-License-Identifier: Apache-2.0
# What several tests of proto share: the protobuf-c oracle, the profile generator, the corpus,
# profiles as text.
add_library(proto_test_support STATIC
  support/corpus.c support/oracle.c support/profile_gen.c support/stacks.c)
target_link_libraries(proto_test_support
  PUBLIC brazier_proto brazier_proto_generated brazier_flags PkgConfig::CMOCKA)
target_compile_definitions(proto_test_support
  PRIVATE BRAZIER_CORPUS_DEFAULT="${CMAKE_SOURCE_DIR}/../shared/corpus")

unit_test(decode proto_test_support)
unit_test(decode_oracle proto_test_support)
unit_test(encode proto_test_support)
unit_test(gzip brazier_proto)
unit_test(metrics brazier_proto)
unit_test(prune proto_test_support)
unit_test(proto_corpus proto_test_support PkgConfig::CJSON)
unit_test(re2_syntax brazier_proto)
unit_test(validate brazier_proto)
unit_test(wire brazier_proto)

# Not a test: `cmake --build DIR --target decode_bench && DIR/decode_bench FILE...`
add_executable(decode_bench EXCLUDE_FROM_ALL ../bench/decode_bench.c)
target_link_libraries(decode_bench PRIVATE brazier_proto brazier_proto_generated brazier_flags)
