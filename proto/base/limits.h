/* SPDX-License-Identifier: Apache-2.0 */
/* Every bound of Brazier, with its unit and the failure it prevents. 0 never means unlimited. */
#ifndef BRAZIER_PROTO_BASE_LIMITS_H
#define BRAZIER_PROTO_BASE_LIMITS_H

#include <stddef.h>
#include <stdint.h>

#define LIMIT_KIB ((size_t)1024)
#define LIMIT_MIB (1024 * LIMIT_KIB)

/* --- bodies ---------------------------------------------------------------------------------- */

/* Compressed body of one upload. The largest real profile we know is 1.2 MB. */
#define LIMIT_BODY_BYTES (32 * LIMIT_MIB)

/* Inflated body, summed over gzip members and both gzip levels; the default of --max-inflated.
 * A 65 KB bomb inflates to this much. */
#define LIMIT_INFLATED_BYTES (64 * LIMIT_MIB)

/* Ratio of inflated to compressed size past LIMIT_RATIO_FROM_BYTES. A bomb reaches 1028:1 and would
 * otherwise cost the whole cap. A million equal samples, 10 to 14 bytes each, compress as well as a
 * bomb does: ratio alone cannot tell them apart, so it only counts past 14 MiB, or past 4 MiB when
 * the gzip trailer itself claims a size beyond both. */
#define LIMIT_INFLATE_RATIO       500
#define LIMIT_RATIO_FROM_BYTES    (14 * LIMIT_MIB)
#define LIMIT_RATIO_CLAIMED_BYTES (4 * LIMIT_MIB)

/* Inflated profile that can be decoded at all: columns count in 32 bits. */
#define LIMIT_PROFILE_BYTES ((size_t)INT32_MAX)

/* --- memory ---------------------------------------------------------------------------------- */

/* Arena of one request: LIMIT_ARENA_FACTOR x inflated + LIMIT_ARENA_BASE_BYTES, at most
 * LIMIT_ARENA_BYTES. Honest profiles need 3-10 x their raw size; 4 MiB of empty messages want 88 x.
 */
#define LIMIT_ARENA_FACTOR     16
#define LIMIT_ARENA_BASE_BYTES (16 * LIMIT_MIB)
#define LIMIT_ARENA_BYTES      (256 * LIMIT_MIB)

/* What arenas, bodies and answers of all requests hold together; who needs more gets 503. */
#define LIMIT_ARENAS_BYTES (1024 * LIMIT_MIB)

/* First block of an arena; most requests need no second one. */
#define LIMIT_ARENA_BLOCK_BYTES (256 * LIMIT_KIB)

/* Blocks double up to this; one large column must not make the next small one as large. */
#define LIMIT_ARENA_BLOCK_MAX_BYTES (4 * LIMIT_MIB)

/* One JSON answer before gzip: a million nodes in two sides need about 60 MB. */
#define LIMIT_ANSWER_BYTES (256 * LIMIT_MIB)

/* --- profiles -------------------------------------------------------------------------------- */

/* Frames of one stack (inlined ones counted). Deeper stacks are refused whole, never cut. */
#define LIMIT_STACK_FRAMES 65535u

/* Samples of one profile; the arena budget usually bites first. */
#define LIMIT_SAMPLES 4000000u

/* Sample types of one profile; .NET writes 6. */
#define LIMIT_SAMPLE_TYPES 64u

/* One name or file after cleaning. A 1 MiB symbol is accepted; past this it cannot be shown. */
#define LIMIT_NAME_BYTES (4 * LIMIT_MIB)

/* drop_frames / keep_frames pattern, and the work PCRE2 may spend on one name. */
#define LIMIT_PRUNE_PATTERN_BYTES (16 * LIMIT_KIB)
#define LIMIT_PRUNE_MATCH_STEPS   100000u
#define LIMIT_PRUNE_TOTAL_MS      200 /* for one profile: a runaway pattern is then ignored */

/* --- uploads --------------------------------------------------------------------------------- */

#define LIMIT_SERVICE_BYTES         255u  /* api.md */
#define LIMIT_VERSION_BYTES         255u  /* as a service: it is shown in a menu */
#define LIMIT_TYPE_BYTES            64u   /* api.md: [a-z0-9_]{1,64} */
#define LIMIT_LABELS                30u   /* api.md, per upload */
#define LIMIT_LABEL_KEY_BYTES       128u  /* threats: cardinality */
#define LIMIT_LABEL_VALUE_BYTES     1024u /* threats: cardinality */
#define LIMIT_WORK_UNIT_BYTES       64u   /* it is shown behind a number */
#define LIMIT_METRIC_BYTES          255u  /* a sample type name; longer ones cannot be asked for */
#define LIMIT_IDEMPOTENCY_KEY_BYTES 255u

/* Profile times outside [LIMIT_TIME_MIN_NS, now + LIMIT_TIME_AHEAD_NS] give way to the time of
 * receipt: 2000-01-01T00:00:00Z, and ten minutes of clock skew. */
#define LIMIT_TIME_MIN_NS   INT64_C(946684800000000000)
#define LIMIT_TIME_AHEAD_NS (INT64_C(600) * 1000000000)

/* Longer durations are epochs written by mistake (Java JFR): stored as 0, unknown. */
#define LIMIT_DURATION_NS (INT64_C(86400) * 1000000000)

/* --- storage --------------------------------------------------------------------------------- */

/* Nodes of one call tree (service, type, month); further paths fold into "(other paths)". A tree
 * of a million nodes costs about 40 MB. */
#define LIMIT_CALLTREE_NODES 1000000u

/* "(other paths)" nodes on top of LIMIT_CALLTREE_NODES. */
#define LIMIT_CALLTREE_OTHER_NODES 65536u

/* Distinct functions of one call tree, and the bytes of their names and files; further ones are
 * the function "(other functions)". */
#define LIMIT_CALLTREE_FUNCTIONS  1000000u
#define LIMIT_CALLTREE_NAME_BYTES (256 * LIMIT_MIB)

/* Sample labels of one profile: a key with more values is left out of the tagsets (a timestamp, a
 * request id); past LIMIT_TAGSETS the rest share one row. */
#define LIMIT_TAG_VALUES 32u
#define LIMIT_TAG_KEYS   64u
#define LIMIT_TAGSETS    64u

/* Metrics of one (service, type); a series that invents names for ever is refused. */
#define LIMIT_SERIES_METRICS 256u

/* Services, versions, types, label sets and tagsets held in memory, of each kind; the next is
 * rate_limited (a tagset folds instead). And the bytes of their text. */
#define LIMIT_REGISTRY_ENTRIES 200000u
#define LIMIT_REGISTRY_BYTES   (64 * LIMIT_MIB)

/* Call trees kept in memory although nobody uses them just now; the longest unused ones go first.
 */
#define LIMIT_CALLTREES_BYTES (512 * LIMIT_MIB)

/* Nodes of one tally over several call trees; further paths fold into "(other paths)". */
#define LIMIT_TALLY_NODES 10000000u

/* Uploads of one commit. The HTTP pool bounds it first. */
#define LIMIT_BATCH_PROFILES 256u

/* --- HTTP ------------------------------------------------------------------------------------ */

#define LIMIT_HTTP_THREADS         16u   /* handlers mostly wait for the commit */
#define LIMIT_CONNECTIONS          4096u /* 4096 x 32 KiB that an attacker can fill = 128 MiB */
#define LIMIT_CONNECTION_BYTES     (32 * LIMIT_KIB)
#define LIMIT_IDLE_SECONDS         60u   /* a kept-alive connection without a request */
#define LIMIT_HEADER_DEADLINE_MS   10000 /* from the connect, later from the request line */
#define LIMIT_BODY_DEADLINE_MS     30000 /* from the end of the headers to the last byte */
#define LIMIT_BODY_BYTES_PER_MS    16    /* each such byte count buys one more millisecond */
#define LIMIT_SEND_DEADLINE_MS     60000 /* from the answer being queued to its last byte */
#define LIMIT_DRAIN_MS             10000 /* SIGTERM: requests at work get this long */
#define LIMIT_GZIP_FROM_BYTES      (1 * LIMIT_KIB)
#define LIMIT_QUERY_PARAMETERS     256u
#define LIMIT_LOG_LINES_PER_SECOND 200u /* the rest are counted, not written */

/* --- views ----------------------------------------------------------------------------------- */

#define LIMIT_VIEW_NODES_DEFAULT     65536u
#define LIMIT_VIEW_NODES             10000000u
#define LIMIT_VIEW_FUNCTIONS_DEFAULT 1000u
#define LIMIT_VIEW_FUNCTIONS         1000000u
#define LIMIT_VIEW_PROFILES_DEFAULT  100u
#define LIMIT_VIEW_PROFILES          1000u
#define LIMIT_SELECTION_VERSIONS     64u /* repeated version= of one side */

/* Callers of one function: nodes of the inverted tree, and steps on the way to it. A tree of n
 * nodes and depth d inverts to up to n x d nodes; what is past this is one "more callers" node. */
#define LIMIT_FOCUS_NODES 1000000u
#define LIMIT_FOCUS_STEPS 100000000u

/* Bytes of names that looking for one node by its path may read, about four seconds' worth. A stack
 * of 65,535 frames with names of 1 MiB, which gzip makes a small upload, would take minutes. */
#define LIMIT_PATH_BYTES (4096 * LIMIT_MIB)

#endif
