# SPDX-License-Identifier: Apache-2.0
set(INGEST_SOURCES ingest/body.c ingest/digest.c ingest/ingest.c ingest/upload.c)
