/* SPDX-License-Identifier: Apache-2.0 */
/* The contract suite from inside: its tests by name, and what they share. */
#ifndef BRAZIER_TESTS_UNIT_STORE_SUITE_TESTS_H
#define BRAZIER_TESTS_UNIT_STORE_SUITE_TESTS_H

#include "tests/unit/store_fixture.h"

#define STORE_SUITE_TESTS(X)                                                                       \
    X(empty_store_knows_nothing)                                                                   \
    X(stored_profile_is_described_and_given_back)                                                  \
    X(equal_ids_are_one_upload)                                                                    \
    X(tally_adds_exactly)                                                                          \
    X(nothing_matching_is_an_empty_side)                                                           \
    X(ranges_are_half_open)                                                                        \
    X(first_and_last_months_are_found)                                                             \
    X(versions_are_compared_over_one_tree)                                                         \
    X(several_months_become_one_tree)                                                              \
    X(two_services_are_compared)                                                                   \
    X(labels_are_joined_by_and)                                                                    \
    X(having_leaves_profiles_out)                                                                  \
    X(unlike_units_of_work_do_not_add)                                                             \
    X(one_profile_can_be_asked_for)                                                                \
    X(type_and_metric_are_found_when_left_out)                                                     \
    X(overflowing_sums_are_refused)                                                                \
    X(unit_conflict_makes_another_metric)                                                          \
    X(too_many_metrics_are_refused)                                                                \
    X(failed_puts_store_nothing)                                                                   \
    X(sample_labels_do_not_change_sums)                                                            \
    X(sample_labels_that_cleaning_makes_equal_add_up)                                              \
    X(profile_without_samples_counts)                                                              \
    X(list_pages_through_everything_once)                                                          \
    X(catalog_lists_what_can_be_chosen)                                                            \
    X(reopening_changes_no_answer)                                                                 \
    X(tally_outlives_later_uploads)                                                                \
    X(putters_and_readers_together)

#define STORE_SUITE_PROTOTYPE(name) void name(void **state);
STORE_SUITE_TESTS(STORE_SUITE_PROTOTYPE)
#undef STORE_SUITE_PROTOTYPE

/* The `*state` of every test: an empty store at first. */
struct suite {
    struct store *store;
    struct arena *arena;
    struct error err;
};

/* Tallies, which must succeed; the caller releases. */
struct store_tally suite_tally(struct suite *suite, const struct store_selection *sides,
                               uint32_t side_count);

/* Only how a tally ends, which must not be well. */
enum status suite_tally_status(struct suite *suite, const struct store_selection *sides,
                               uint32_t side_count);

/* Puts, which must succeed. */
struct store_receipt suite_put(struct suite *suite, const struct fixture_put *what);

/* Closes the store and opens it again. */
void suite_reopen(struct suite *suite);

void suite_assert_slice(struct slice have, const char *expected);

/* Two stacks, one of them twice, and a sample without locations: cpu 50, 10, 7. */
extern const struct handmade_sample suite_two_paths[4];

#endif
