# SPDX-License-Identifier: Apache-2.0
unit_test(auth brazier_http)
unit_test(config brazier_http)
unit_test(deadline brazier_http)
unit_test(guard brazier_http)
unit_test(router brazier_http)
