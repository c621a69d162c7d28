/* SPDX-License-Identifier: Apache-2.0 */
/* gzip both ways, hostile on the way in.
 *
 * Input: an upload's compressed body. Output: its bytes in the request's arena, in one block of
 * exactly their size. A body whose trailer tells its true size, which is nearly every one, is
 * inflated in one call. Anything else - several members, a lying size, damage, a bomb - is first
 * inflated into a small window that is overwritten again and again: that finds the exact fault or
 * the exact size, and stops a bomb before it has cost memory. The trailer is never trusted. */
#include "proto/gzip.h"

#define ZLIB_CONST /* next_in points to const */
#include <zlib.h>
#ifdef BRAZIER_LIBDEFLATE
#include <libdeflate.h>
#endif

#include "proto/base/limits.h"

#define GZIP_HEADER_BYTES  10        /* without optional fields */
#define GZIP_TRAILER_BYTES 8         /* CRC-32 and size mod 2^32 */
#define GZIP_WINDOW_BITS   (15 + 16) /* zlib: 32 KiB window, gzip header and trailer */

/* What measuring inflates into: zlib's 32 KiB window twice. */
#define GZIP_SCRATCH_BYTES (64 * LIMIT_KIB)

/* zlib counts in unsigned int: feed and drain it in pieces below that. */
#define GZIP_PIECE_BYTES (256 * LIMIT_MIB)

bool gzip_detect(struct slice bytes)
{
    return bytes.size_bytes >= 2 && (unsigned char)bytes.data[0] == 0x1f &&
           (unsigned char)bytes.data[1] == 0x8b;
}

/* The last member's size by its own trailer; 0 when there is no room for one. */
static size_t claimed_bytes(struct slice compressed)
{
    const unsigned char *end;

    if (compressed.size_bytes < GZIP_HEADER_BYTES + GZIP_TRAILER_BYTES)
        return 0;
    end = (const unsigned char *)compressed.data + compressed.size_bytes;
    return (size_t)end[-4] | (size_t)end[-3] << 8 | (size_t)end[-2] << 16 | (size_t)end[-1] << 24;
}

/* `from_bytes`: the output that is allowed at any ratio. */
static bool past_ratio(size_t inflated_bytes, size_t compressed_bytes, size_t from_bytes)
{
    return inflated_bytes > from_bytes && inflated_bytes / LIMIT_INFLATE_RATIO > compressed_bytes;
}

/* zlib under way through all members. */
struct inflate {
    z_stream stream;
    struct slice in;
    struct error *err;
    char *out;           /* where output goes */
    size_t out_capacity; /* its room */
    bool overwrite;      /* measuring: every piece goes to the beginning of `out` */
    size_t in_bytes;     /* consumed */
    size_t out_bytes;    /* produced */
    size_t max_bytes;
    size_t ratio_from_bytes;
};

static void inflate_cleanup(struct inflate *inflate)
{
    inflateEnd(&inflate->stream);
}

static enum status fail_gzip(struct inflate *i, const char *why)
{
    return error_set_at(i->err, STATUS_BAD_GZIP, NULL, ERROR_NONE, ERROR_NONE,
                        "gzip: %s after %zu of %zu bytes", why, i->in_bytes, i->in.size_bytes);
}

/* Output so far against the caps. */
static enum status check_size(struct inflate *i)
{
    if (i->out_bytes > i->max_bytes)
        return error_set_at(i->err, STATUS_TOO_LARGE, NULL, ERROR_NONE, (int64_t)i->max_bytes,
                            "gzip: the body inflates to more than %zu bytes", i->max_bytes);
    if (past_ratio(i->out_bytes, i->in_bytes, i->ratio_from_bytes))
        return error_set_at(i->err, STATUS_TOO_LARGE, NULL, ERROR_NONE, LIMIT_INFLATE_RATIO,
                            "gzip: %zu bytes inflate to more than %zu, past the ratio of %d:1",
                            i->in_bytes, i->out_bytes, LIMIT_INFLATE_RATIO);
    return STATUS_OK;
}

/* One call of zlib over what there is of input and room. */
static int inflate_piece(struct inflate *i)
{
    size_t in = i->in.size_bytes - i->in_bytes;
    size_t kept = i->overwrite ? 0 : i->out_bytes;
    size_t room = i->out_capacity - kept;
    int result;

    in = in < GZIP_PIECE_BYTES ? in : GZIP_PIECE_BYTES;
    room = room < GZIP_PIECE_BYTES ? room : GZIP_PIECE_BYTES;
    i->stream.next_in = (const Bytef *)i->in.data + i->in_bytes;
    i->stream.avail_in = (uInt)in;
    i->stream.next_out = (Bytef *)i->out + kept;
    i->stream.avail_out = (uInt)room;
    result = inflate(&i->stream, Z_NO_FLUSH);
    i->in_bytes += in - i->stream.avail_in;
    i->out_bytes += room - i->stream.avail_out;
    return result;
}

/* Inflates one member to its end. */
static enum status inflate_member(struct inflate *i)
{
    for (;;) {
        size_t in_before = i->in_bytes;
        size_t out_before = i->out_bytes;
        int result = inflate_piece(i);
        enum status status = check_size(i);

        if (status != STATUS_OK || result == Z_STREAM_END)
            return status;
        if (result == Z_MEM_ERROR)
            return error_no_memory(i->err, "inflating");
        if (result != Z_OK && result != Z_BUF_ERROR)
            return fail_gzip(i, i->stream.msg ? i->stream.msg : "damaged data");
        if (i->in_bytes == in_before && i->out_bytes == out_before)
            return fail_gzip(i, i->in_bytes == i->in.size_bytes ? "the stream ends early,"
                                                                : "a wrong size is claimed,");
    }
}

/* Inflates every member; `i` says where to. */
static enum status inflate_members(struct inflate *i)
{
    if (inflateInit2(&i->stream, GZIP_WINDOW_BITS) != Z_OK)
        return error_no_memory(i->err, "inflating");
    do {
        enum status status;

        if (!gzip_detect(slice_make(i->in.data + i->in_bytes, i->in.size_bytes - i->in_bytes)))
            return fail_gzip(i, i->in_bytes == 0 ? "no gzip header" : "bytes behind the end");
        if (inflateReset(&i->stream) != Z_OK)
            return error_set(i->err, STATUS_INTERNAL, "zlib cannot be reset");
        status = inflate_member(i);
        if (status != STATUS_OK)
            return status;
    } while (i->in_bytes < i->in.size_bytes);
    return STATUS_OK;
}

/* The size that `in` inflates to, or why it does not. */
static enum status measure(struct slice in, size_t max_bytes, size_t ratio_from_bytes,
                           struct arena *arena, struct error *err, size_t *ret_size_bytes)
{
    CLEANUP(inflate_cleanup)
    struct inflate i = {.in = in,
                        .err = err,
                        .out = arena_alloc(arena, GZIP_SCRATCH_BYTES, 1),
                        .out_capacity = GZIP_SCRATCH_BYTES,
                        .overwrite = true,
                        .max_bytes = max_bytes,
                        .ratio_from_bytes = ratio_from_bytes};
    enum status status;

    if (!i.out)
        return arena_exhausted(arena, err, "inflating");
    status = inflate_members(&i);
    if (status != STATUS_OK)
        return status;
    *ret_size_bytes = i.out_bytes;
    return STATUS_OK;
}

/* Inflates `in` into exactly `size_bytes` at `out`. */
static enum status inflate_exactly(struct slice in, char *out, size_t size_bytes, struct error *err)
{
    CLEANUP(inflate_cleanup)
    struct inflate i = {.in = in,
                        .err = err,
                        .out = out,
                        .out_capacity = size_bytes,
                        .max_bytes = size_bytes,
                        .ratio_from_bytes = SIZE_MAX};
    enum status status = inflate_members(&i);

    if (status == STATUS_OK && i.out_bytes != size_bytes)
        return fail_gzip(&i, "a wrong size is claimed,");
    return status;
}

/* True when all of `in` is gzip of exactly `size_bytes`, now at `out`. False says nothing more. */
static bool inflate_at_once(struct slice in, char *out, size_t size_bytes)
{
#ifdef BRAZIER_LIBDEFLATE
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    size_t in_bytes = 0;
    enum libdeflate_result result;

    if (!decompressor)
        return false;
    result = libdeflate_gzip_decompress_ex(decompressor, in.data, in.size_bytes, out, size_bytes,
                                           &in_bytes, NULL);
    libdeflate_free_decompressor(decompressor);
    return result == LIBDEFLATE_SUCCESS && in_bytes == in.size_bytes;
#else
    return inflate_exactly(in, out, size_bytes, NULL) == STATUS_OK;
#endif
}

enum status gzip_inflate(struct slice compressed, size_t max_bytes, struct arena *arena,
                         struct error *err, struct slice *ret_bytes)
{
    size_t claimed = claimed_bytes(compressed);
    bool bomb_by_own_claim = past_ratio(claimed, compressed.size_bytes, LIMIT_RATIO_FROM_BYTES);
    char *out = NULL;
    size_t size_bytes = claimed;
    enum status status;

    if (claimed <= max_bytes && !bomb_by_own_claim) {
        out = arena_alloc(arena, claimed, 1);
        if (!out)
            return arena_exhausted(arena, err, "the inflated body");
        if (inflate_at_once(compressed, out, claimed)) {
            *ret_bytes = slice_make(out, claimed);
            return STATUS_OK;
        }
    }
    status = measure(compressed, max_bytes,
                     bomb_by_own_claim ? LIMIT_RATIO_CLAIMED_BYTES : LIMIT_RATIO_FROM_BYTES, arena,
                     err, &size_bytes);
    if (status != STATUS_OK)
        return status;
    if (!out || size_bytes > claimed)
        out = arena_alloc(arena, size_bytes, 1);
    if (!out)
        return arena_exhausted(arena, err, "the inflated body");
    status = inflate_exactly(compressed, out, size_bytes, err);
    if (status != STATUS_OK)
        return status;
    *ret_bytes = slice_make(out, size_bytes);
    return STATUS_OK;
}

#ifdef BRAZIER_LIBDEFLATE

static void compressor_cleanup(struct libdeflate_compressor **compressor)
{
    libdeflate_free_compressor(*compressor);
}

enum status gzip_deflate(struct slice bytes, int level, struct error *err, struct buf *out)
{
    CLEANUP(compressor_cleanup)
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(level);
    size_t room = out->failed ? 0 : out->max_bytes - out->size_bytes;
    size_t bound;
    size_t size_bytes;
    char *at;

    if (!compressor)
        return error_no_memory(err, "a gzip compressor");
    bound = libdeflate_gzip_compress_bound(compressor, bytes.size_bytes);
    room = bound < room ? bound : room; /* the bound may be past the maximum, the result within */
    at = buf_reserve(out, room);
    if (!at)
        return buf_status(out, err, "the gzip output");
    size_bytes = libdeflate_gzip_compress(compressor, bytes.data, bytes.size_bytes, at, room);
    if (size_bytes == 0)
        return error_set_at(err, STATUS_TOO_LARGE, NULL, ERROR_NONE, (int64_t)out->max_bytes,
                            "the gzip output passes %zu bytes", out->max_bytes);
    buf_advance(out, size_bytes);
    return STATUS_OK;
}

#else

static void deflate_cleanup(z_stream *stream)
{
    deflateEnd(stream);
}

enum status gzip_deflate(struct slice bytes, int level, struct error *err, struct buf *out)
{
    CLEANUP(deflate_cleanup)
    z_stream stream = {.next_in = (const Bytef *)bytes.data};
    size_t left = bytes.size_bytes;
    int result;

    if (deflateInit2(&stream, level, Z_DEFLATED, GZIP_WINDOW_BITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return error_no_memory(err, "a gzip compressor");
    do {
        size_t room = out->failed ? 0 : out->max_bytes - out->size_bytes;
        char *at;

        room = room < GZIP_SCRATCH_BYTES ? room : GZIP_SCRATCH_BYTES;
        if (room == 0 && !out->failed)
            return error_set_at(err, STATUS_TOO_LARGE, NULL, ERROR_NONE, (int64_t)out->max_bytes,
                                "the gzip output passes %zu bytes", out->max_bytes);
        at = buf_reserve(out, room);
        if (!at)
            return buf_status(out, err, "the gzip output");
        if (stream.avail_in == 0) {
            stream.avail_in = (uInt)(left < GZIP_PIECE_BYTES ? left : GZIP_PIECE_BYTES);
            left -= stream.avail_in;
        }
        stream.next_out = (Bytef *)at;
        stream.avail_out = (uInt)room;
        result = deflate(&stream, left > 0 ? Z_NO_FLUSH : Z_FINISH);
        buf_advance(out, room - stream.avail_out);
    } while (result == Z_OK || result == Z_BUF_ERROR);
    if (result != Z_STREAM_END)
        return error_set(err, STATUS_INTERNAL, "zlib cannot deflate");
    return STATUS_OK;
}

#endif
