/* SPDX-License-Identifier: Apache-2.0 */
/* The plain in-memory profile: one pprof as columns.
 *
 * Decoding fills it, validation turns ids into column indices, pruning edits it, storage reads it,
 * encoding writes it back. All arrays live in the request's arena; all slices of `strings` point
 * into the inflated body, which must therefore outlive the profile.
 *
 * Variable-length parts use offset columns: the locations of sample i are
 * sample_locations[sample_location_first[i] .. sample_location_first[i + 1]), so each `*_first`
 * column has count + 1 entries. Stacks are leaf first, and the lines of a location innermost
 * first, as in the format (pprof profile.proto, perftools.profiles).
 *
 * String columns hold indices into `strings`, checked to be in range by the decoder. */
#ifndef BRAZIER_PROTO_PROFILE_H
#define BRAZIER_PROTO_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/slice.h"

/* No mapping (legal), or an id that nothing declares (only before validation). */
#define PROFILE_NONE UINT32_MAX

struct profile_label {
    uint32_t key;   /* string */
    uint32_t text;  /* string; 0: a numeric label */
    int64_t number; /* when text == 0 */
    uint32_t unit;  /* string: unit of `number`, 0: none given */
};

struct profile {
    uint32_t string_count;
    const struct slice *strings; /* [0] is "" */

    uint32_t type_count;       /* sample types = values per sample */
    const uint32_t *type_name; /* string: "cpu", "inuse_space" ... */
    const uint32_t *type_unit; /* string: "nanoseconds" ... */

    uint32_t sample_count;
    uint32_t *sample_location_first; /* count + 1 */
    uint32_t *sample_locations;      /* location indices, leaf first */
    int64_t *sample_values;          /* [sample * type_count + type] */
    uint32_t *sample_label_first;    /* count + 1 */
    struct profile_label *sample_labels;

    uint32_t mapping_count;
    uint64_t *mapping_id;
    uint64_t *mapping_start;
    uint64_t *mapping_limit;
    uint64_t *mapping_offset;
    uint32_t *mapping_file;     /* string: path of the binary */
    uint32_t *mapping_build_id; /* string */

    uint32_t location_count;
    uint64_t *location_id;
    uint32_t *location_mapping; /* mapping index or PROFILE_NONE */
    uint64_t *location_address;
    uint32_t *location_line_first; /* count + 1 */
    uint32_t *line_function;       /* function index */
    int64_t *line_number;

    uint32_t function_count;
    uint64_t *function_id;
    uint32_t *function_name;        /* string */
    uint32_t *function_system_name; /* string */
    uint32_t *function_file;        /* string */
    int64_t *function_start_line;

    int64_t time_ns;           /* 0: none given */
    int64_t duration_ns;       /* as written, not judged */
    uint32_t period_type_name; /* string, 0: none */
    uint32_t period_type_unit; /* string */
    int64_t period;
    uint32_t default_type; /* string that names a sample type; 0: none */
    uint32_t drop_frames;  /* string: regular expression; 0: none */
    uint32_t keep_frames;  /* string */
    uint32_t doc_url;      /* string */
    uint32_t comment_count;
    const uint32_t *comments; /* strings */
};

/* The index of the sample type shown by default: the one `default_type` names, else the last.
 * The profile must have a sample type. */
uint32_t profile_default_type(const struct profile *profile);

#endif
