# SPDX-License-Identifier: Apache-2.0
# What several tests of proto share: the protobuf-c oracle, the profile generator, the corpus.
add_library(proto_test_support STATIC support/oracle.c)
target_link_libraries(proto_test_support PUBLIC brazier_proto brazier_proto_generated brazier_flags)

# Not a test: `cmake --build DIR --target decode_bench && DIR/decode_bench FILE...`
add_executable(decode_bench EXCLUDE_FROM_ALL ../bench/decode_bench.c)
target_link_libraries(decode_bench PRIVATE brazier_proto brazier_proto_generated brazier_flags)
