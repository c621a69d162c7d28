# SPDX-License-Identifier: Apache-2.0
unit_test(calltree brazier_storage)
