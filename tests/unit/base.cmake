# SPDX-License-Identifier: Apache-2.0
unit_test(arena brazier_base)
unit_test(buf brazier_base)
unit_test(log brazier_base)
unit_test(map brazier_base)
unit_test(timestamp brazier_base)
unit_test(utf8 brazier_base)
unit_test(varint brazier_base)
