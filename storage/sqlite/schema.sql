-- SPDX-License-Identifier: Apache-2.0
-- Version 1 of Brazier's database. Times are nanoseconds since 1970 UTC. Checksums are XXH3 of what
-- a row means, so that a flipped bit is an error and not an answer. Later versions are steps in
-- database.c; this file is the first step and never changes once released.

-- Everything that has a number. kind 0 service, 1 version, 2 series (parent: service, text: type),
-- 3 metric (parent: series, detail: kind digit and unit), 4 dictionary (parent: series, text: month
-- as YYYY-MM), 5 label set, 6 tagset (both: binary, see numbering.c and tagset.h), 7 work unit.
CREATE TABLE name (
    kind     INTEGER NOT NULL,
    number   INTEGER NOT NULL,
    parent   INTEGER NOT NULL,
    text     ANY     NOT NULL,
    detail   ANY     NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (kind, number)
) STRICT, WITHOUT ROWID;

-- The call tree of a dictionary, in the pieces in which it grew (see tree_chunk.h).
CREATE TABLE tree_chunk (
    dictionary INTEGER NOT NULL,
    first_node INTEGER NOT NULL,
    first_function INTEGER NOT NULL,
    body       BLOB NOT NULL
) STRICT;
CREATE INDEX tree_chunk_order ON tree_chunk (dictionary, first_node, first_function);

-- One row per stored profile; `totals` holds its metrics (see profile_row.h).
CREATE TABLE profile (
    sequence       INTEGER PRIMARY KEY,
    id             BLOB    NOT NULL UNIQUE,
    series         INTEGER NOT NULL,
    dictionary     INTEGER NOT NULL,
    version        INTEGER NOT NULL,
    labelset       INTEGER NOT NULL,
    start_ns       INTEGER NOT NULL,
    duration_ns    INTEGER NOT NULL,
    received_ns    INTEGER NOT NULL,
    work           INTEGER NOT NULL,
    work_unit      INTEGER NOT NULL,
    sample_count   INTEGER NOT NULL,
    body_bytes     INTEGER NOT NULL,
    default_metric INTEGER NOT NULL,
    totals         BLOB    NOT NULL,
    checksum       INTEGER NOT NULL
) STRICT;
CREATE INDEX profile_by_start ON profile (series, start_ns, sequence, version, labelset);

-- What tallies read: a vector (see vector.h) per profile and tagset, in the order of the question
-- "this version, from then until then".
CREATE TABLE vector (
    dictionary INTEGER NOT NULL,
    version    INTEGER NOT NULL,
    start_ns   INTEGER NOT NULL,
    sequence   INTEGER NOT NULL,
    tagset     INTEGER NOT NULL,
    labelset   INTEGER NOT NULL,
    body       BLOB    NOT NULL,
    PRIMARY KEY (dictionary, version, start_ns, sequence, tagset)
) STRICT, WITHOUT ROWID;

-- The bodies as they were sent, apart so that no scan touches them.
CREATE TABLE raw (
    sequence INTEGER PRIMARY KEY,
    checksum INTEGER NOT NULL,
    body     BLOB    NOT NULL
) STRICT;

-- What exists, for menus and for choosing what to scan.
CREATE TABLE usage (
    dictionary INTEGER NOT NULL,
    version    INTEGER NOT NULL,
    labelset   INTEGER NOT NULL,
    profiles   INTEGER NOT NULL,
    first_ns   INTEGER NOT NULL,
    last_ns    INTEGER NOT NULL,
    PRIMARY KEY (dictionary, version, labelset)
) STRICT, WITHOUT ROWID;
