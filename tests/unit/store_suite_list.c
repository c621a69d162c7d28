/* SPDX-License-Identifier: Apache-2.0 */
/* Store contract: pages of profiles, and the catalog. */
#include "tests/unit/store_suite_tests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void list_pages_through_everything_once(void **state)
{
    struct suite *suite = *state;
    struct store_selection all = fixture_all();
    struct store_cursor cursor;
    struct store_page page = {.more = true};
    unsigned seen = 0;
    int64_t before = INT64_MAX;

    for (unsigned i = 1; i <= 25; i++) /* pairs of equal starts, two types, two months */
        fixture_put_stack(suite->store,
                          &(struct fixture_put){.id = i,
                                                .type = i % 3 ? "cpu" : "heap",
                                                .start_ns = (i % 4 ? NOVEMBER : OCTOBER) + i / 2},
                          "main", i);
    all.type = slice_of("");
    while (page.more) {
        assert_int_equal(store_list(suite->store, &all, 4, seen == 0 ? NULL : &cursor, suite->arena,
                                    &suite->err, &page),
                         STATUS_OK);
        for (uint32_t i = 0; i < page.profile_count; i++, seen++) {
            assert_true(page.profiles[i].start_ns <= before);
            before = page.profiles[i].start_ns;
        }
        cursor = page.next;
    }
    assert_int_equal(seen, 25);
    all.type = slice_of("heap");
    all.metric = slice_of("absent"); /* does not restrict */
    assert_int_equal(store_list(suite->store, &all, 100, NULL, suite->arena, &suite->err, &page),
                     STATUS_OK);
    assert_int_equal(page.profile_count, 8);
    assert_false(page.more);
}

void catalog_lists_what_can_be_chosen(void **state)
{
    struct suite *suite = *state;
    struct store_catalog catalog;
    const struct store_catalog_service *shop;

    fixture_put_stack(suite->store,
                      &(struct fixture_put){.id = 1, .version = "2", .labels = "zone=us"}, "a", 1);
    fixture_put_stack(suite->store,
                      &(struct fixture_put){
                          .id = 2, .version = "1", .labels = "zone=eu", .start_ns = NOVEMBER + 7},
                      "a", 1);
    fixture_put_stack(suite->store,
                      &(struct fixture_put){.id = 3,
                                            .type = "alloc",
                                            .metric = "space",
                                            .unit = "bytes",
                                            .start_ns = OCTOBER,
                                            .version = "2",
                                            .labels = "host=h;zone=us"},
                      "a", 1);
    fixture_put_stack(suite->store, &(struct fixture_put){.id = 4, .service = "bank"}, "a", 1);
    assert_int_equal(store_catalog(suite->store, suite->arena, &suite->err, &catalog), STATUS_OK);
    assert_int_equal(catalog.service_count, 2);
    suite_assert_slice(catalog.services[0].service, "bank");
    assert_int_equal(catalog.services[0].label_count, 0);
    shop = &catalog.services[1];
    suite_assert_slice(shop->service, "shop");
    assert_int_equal(shop->profile_count, 3);
    assert_int_equal(shop->first_ns, OCTOBER);
    assert_int_equal(shop->last_ns, NOVEMBER + 7);
    assert_int_equal(shop->version_count, 2);
    suite_assert_slice(shop->versions[0].version, "2");
    assert_int_equal(shop->versions[0].profile_count, 2);
    assert_int_equal(shop->versions[0].first_ns, OCTOBER);
    suite_assert_slice(shop->versions[1].version, "1");
    assert_int_equal(shop->type_count, 2);
    suite_assert_slice(shop->types[0].type, "alloc");
    suite_assert_slice(shop->types[0].default_metric, "space");
    assert_int_equal(shop->types[0].metric_count, 2);
    suite_assert_slice(shop->types[0].metrics[1].unit, "bytes");
    assert_int_equal(shop->types[1].profile_count, 2);
    assert_int_equal(shop->label_count, 2);
    suite_assert_slice(shop->labels[0].key, "host");
    suite_assert_slice(shop->labels[1].key, "zone");
    assert_int_equal(shop->labels[1].value_count, 2);
    suite_assert_slice(shop->labels[1].values[0], "eu");
    suite_assert_slice(shop->labels[1].values[1], "us");
}
