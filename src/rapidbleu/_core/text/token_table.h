/* Token tables: segments as rows of 64-bit token identities.
 *
 * Counting n-grams only requires knowing which tokens are equal, so a token becomes 64 bits as soon
 * as it is found, and never a Python object. A token of up to eight bytes without NUL *is* its
 * bytes, zero-padded. Any other token is *long*: its identity is a hash of its bytes whose lowest
 * byte, where short tokens have their first character, is zero, so the two kinds never meet.
 * Because hashes may collide, the bytes of long tokens are stored alongside the table, and code
 * that finds two long identities equal compares them. In real text a fifth of the tokens is long;
 * hashing and comparing them takes three nanoseconds per token of a text, less than looking up
 * every token in one dictionary, which exceeds the caches.
 *
 * The hash has secret keys, so no text can be crafted whose tokens collide. Tables compared with
 * each other share the keys; no result depends on them. Memory: two arrays of 32-bit halves (eight
 * are compared at a time), the offset of each segment, and (position, length, index) of each long
 * token. Arrays double when full and belong to the caller of `rb_tokens_init`. */
#ifndef RAPIDBLEU_TEXT_TOKEN_TABLE_H
#define RAPIDBLEU_TEXT_TOKEN_TABLE_H

#include "common/bits.h"
#include "common/cpu.h"
#include "common/memory.h"
#include <stdint.h>

/* From bits of token starts and ends in a block to token identities */

#define RB_SHORT_TOKEN 8 /* bytes of the longest token that is its own identity */

typedef struct {
    int64_t position; /* of its first byte in the text */
    int32_t length;   /* in bytes */
    int32_t index;    /* in its segment */
} rb_long_token;

typedef struct {
    uint32_t *lo;
    uint32_t *hi;
    rb_long_token *longs;
    int32_t index;
} rb_cursor;

/* Up to eight bytes, zero-padded, as a word; meaningless for other lengths. */
static inline uint64_t rb_short_identity(const uint8_t *text, int64_t length) {
    int shift = (int)(-8 * length) & 63;
    return rb_load64(text) << shift >> shift;
}

/* Emit a token at `text`. Its record is always written but only kept if the token is long, which
 * avoids a branch. The word of a long token is replaced by its hash later. */
RB_INLINE void rb_emit_word(uint64_t word, int64_t position, int32_t length, rb_cursor *c) {
    *c->lo++ = (uint32_t)word;
    *c->hi++ = (uint32_t)(word >> 32);
    c->longs->position = position;
    c->longs->length = length;
    c->longs->index = c->index++;
    c->longs += length > RB_SHORT_TOKEN;
}

RB_INLINE void rb_emit_token(const uint8_t *text, int64_t position, int32_t length, rb_cursor *c) {
    rb_emit_word(rb_short_identity(text, length), position, length, c);
}

/* The functions below emit the tokens of a block, pairing starts with ends in order, and return the
 * unpaired last start as a bit. `text` is the block, `base` its position; `characters` means that
 * every token is a single one. They may write RB_MOST_EMITTED tokens and records. */
#define RB_MOST_EMITTED 66 /* 64 tokens of a block, and open ones before and after it */

/* For tokenizers of single characters, which are never long. */
RB_INLINE uint64_t rb_emit_characters(const uint8_t *text, uint64_t starts, uint64_t ends,
                                      rb_cursor *cursor) {
    uint32_t *lo = cursor->lo, *hi = cursor->hi;
    while (ends) {
        const int start = rb_ctz(starts);
        *lo++ = (uint32_t)rb_short_identity(text + start, rb_ctz(ends) - start);
        *hi++ = 0;
        starts &= starts - 1;
        ends &= ends - 1;
    }
    cursor->index += (int32_t)(lo - cursor->lo);
    cursor->lo = lo;
    cursor->hi = hi;
    return starts;
}

RB_INLINE uint64_t rb_emit_portable(const uint8_t *text, int64_t base, uint64_t starts,
                                    uint64_t ends, int characters, rb_cursor *cursor) {
    rb_cursor c = *cursor;
    if (characters) return rb_emit_characters(text, starts, ends, cursor);
    while (ends) {
        const int start = rb_ctz(starts), end = rb_ctz(ends);
        rb_emit_token(text + start, base + start, end - start, &c);
        starts &= starts - 1;
        ends &= ends - 1;
    }
    *cursor = c;
    return starts;
}

#if RB_HAVE_V3
/* Four at a time, because the number of tokens in a block is unpredictable: those beyond the last
 * are empty and lie after the block, in the padding. Eight at a time mispredict less but waste more
 * writes. */
RB_V3 RB_INLINE uint64_t rb_emit_v3(const uint8_t *text, int64_t base, uint64_t starts,
                                    uint64_t ends, int characters, rb_cursor *cursor) {
    const int n = rb_popcount_v3(ends);
    uint64_t left = 0;
    rb_cursor c = *cursor;
    int i, k;
    if (characters) return rb_emit_characters(text, starts, ends, cursor);
    if (rb_popcount_v3(starts) > n) {
        left = rb_highest_bit(starts);
        starts ^= left;
    }
    for (i = 0; i < n; i += 4)
        for (k = 0; k < 4; k++) {
            const int start = (int)_tzcnt_u64(starts), length = (int)_tzcnt_u64(ends) - start;
            rb_emit_word(_bzhi_u64(rb_load64(text + start), 8 * length), base + start, length, &c);
            starts &= starts - 1;
            ends &= ends - 1;
        }
    cursor->lo += n;
    cursor->hi += n;
    cursor->index += n;
    cursor->longs = c.longs;
    return left;
}

RB_AVX512 RB_INLINE __m512i rb_places_avx512(void) {
    return _mm512_set_epi64(0x3f3e3d3c3b3a3938, 0x3736353433323130, 0x2f2e2d2c2b2a2928,
                            0x2726252423222120, 0x1f1e1d1c1b1a1918, 0x1716151413121110,
                            0x0f0e0d0c0b0a0908, 0x0706050403020100);
}

/* Identities of eight tokens: byte k of lane i is byte k of the token, or 0 after its end. */
RB_AVX512 RB_INLINE void rb_emit_eight_avx512(__m512i block, __m512i behind, __m512i starts,
                                              __m512i lengths, __m512i which, uint32_t *lo,
                                              uint32_t *hi) {
    const __m512i places = _mm512_set1_epi64(0x0706050403020100);
    const __mmask64 inside =
        _mm512_cmpgt_epu8_mask(_mm512_permutexvar_epi8(which, lengths), places);
    const __m512i from = _mm512_add_epi8(_mm512_permutexvar_epi8(which, starts), places);
    const __m512i words = _mm512_maskz_permutex2var_epi8(inside, block, from, behind);
    _mm256_storeu_si256((__m256i *)lo, _mm512_cvtepi64_epi32(words));
    _mm256_storeu_si256((__m256i *)hi, _mm512_cvtepi64_epi32(_mm512_srli_epi64(words, 32)));
}

/* Records of up to eight long tokens, the most that a block has room for. */
RB_AVX512 RB_INLINE void rb_emit_longs_avx512(__mmask64 which, __m512i places, __m512i starts,
                                              __m512i lengths, int64_t base, int32_t index,
                                              rb_long_token *longs) {
    const __m512i low = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0);
    const __m512i high = _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4);
    const __m128i start = _mm512_castsi512_si128(_mm512_maskz_compress_epi8(which, starts));
    const __m128i length = _mm512_castsi512_si128(_mm512_maskz_compress_epi8(which, lengths));
    const __m128i place = _mm512_castsi512_si128(_mm512_maskz_compress_epi8(which, places));
    const __m512i position = _mm512_add_epi64(_mm512_cvtepu8_epi64(start), _mm512_set1_epi64(base));
    const __m512i number = _mm512_add_epi64(_mm512_cvtepu8_epi64(place), _mm512_set1_epi64(index));
    const __m512i rest =
        _mm512_or_si512(_mm512_cvtepu8_epi64(length), _mm512_slli_epi64(number, 32));
    _mm512_storeu_si512(longs, _mm512_permutex2var_epi64(position, low, rest));
    _mm512_storeu_si512(longs + 4, _mm512_permutex2var_epi64(position, high, rest));
}

RB_AVX512 RB_INLINE uint64_t rb_emit_avx512(const uint8_t *text, int64_t base, uint64_t starts,
                                            uint64_t ends, int characters, rb_cursor *cursor) {
    const __m512i places = rb_places_avx512();
    const __m512i each = _mm512_set_epi64(0x0707070707070707, 0x0606060606060606,
                                          0x0505050505050505, 0x0404040404040404,
                                          0x0303030303030303, 0x0202020202020202,
                                          0x0101010101010101, 0);
    const __m512i block = _mm512_loadu_si512(text);
    const __m512i behind = _mm512_castsi128_si512(_mm_loadl_epi64((const __m128i *)(text + 64)));
    const int n = rb_popcount_v3(ends); /* below 64: the first character ends none of them */
    const __m512i start = _mm512_maskz_compress_epi8(starts, places);
    const __m512i length = _mm512_sub_epi8(_mm512_maskz_compress_epi8(ends, places), start);
    const __mmask64 is_long = _mm512_mask_cmpgt_epu8_mask((UINT64_C(1) << n) - 1, length,
                                                          _mm512_set1_epi8(RB_SHORT_TOKEN));
    __m512i which = each;
    int i = 0;
    do { /* most blocks have fewer than sixteen tokens */
        rb_emit_eight_avx512(block, behind, start, length, which, cursor->lo + i, cursor->hi + i);
        which = _mm512_add_epi8(which, _mm512_set1_epi8(8));
        rb_emit_eight_avx512(block, behind, start, length, which, cursor->lo + i + 8,
                             cursor->hi + i + 8);
        which = _mm512_add_epi8(which, _mm512_set1_epi8(8));
        i += 16;
    } while (i < n);
    rb_emit_longs_avx512(is_long, places, start, length, base, cursor->index, cursor->longs);
    cursor->lo += n;
    cursor->hi += n;
    cursor->index += n;
    cursor->longs += rb_popcount_v3(is_long);
    return _pdep_u64(~UINT64_C(0) << n, starts);
}
#endif

#define rb_emit_neon rb_emit_portable /* empty tokens cost as much as one misprediction per block */

#define RB_PADDING 72      /* readable bytes after every text: a block of the scanner and a word */
#define RB_SPARE_TOKENS 64 /* readable identities after the last token: a mask of the matcher */
#define RB_TOKEN_KEYS 4    /* secret keys of the hash of long tokens */

typedef struct {
    uint32_t *lo; /* lower and upper half of each token's identity */
    uint32_t *hi;
    int64_t n_tokens;
    int64_t token_capacity;
    int64_t *first_token; /* [n_segments + 1] */
    int64_t *first_long;  /* [n_segments + 1], into longs */
    int64_t n_segments;
    int64_t segment_capacity;
    rb_long_token *longs; /* tokens whose identity is a hash, in order */
    int64_t n_longs;
    int64_t long_capacity;
    uint8_t *text; /* contains the bytes of long tokens */
    int64_t text_length;
    int64_t text_capacity;
    const uint64_t *keys; /* [RB_TOKEN_KEYS], not owned */
} rb_tokens;

/* Keyed hash of any number of bytes, with zero in the lowest byte. Reads up to 8 bytes beyond. */
static inline void rb_long_identity(const rb_tokens *t, const uint8_t *text, int64_t length,
                                    uint32_t *lo, uint32_t *hi) {
    const uint64_t *keys = t->keys;
    uint64_t h = keys[0] ^ (uint64_t)length;
    int64_t i = 0;
    if (length <= RB_SHORT_TOKEN) {
        h = rb_fold(rb_low_bytes(rb_load64(text), (int)length) ^ keys[1], h);
    } else {
        for (; length - i > 16; i += 16)
            h = rb_fold(rb_load64(text + i) ^ keys[2], rb_load64(text + i + 8) ^ h);
        /* the last sixteen bytes, some of which the loop may have hashed */
        i = length > 16 ? length - 16 : 0;
        h = rb_fold(rb_load64(text + i) ^ keys[3], rb_load64(text + length - 8) ^ h);
    }
    *lo = (uint32_t)h & UINT32_C(0xffffff00);
    *hi = (uint32_t)(h >> 32);
}

/* Do long token x of table a and y of table b have the same bytes? */
static inline int rb_same_long(const rb_tokens *a, const rb_long_token *x, const rb_tokens *b,
                               const rb_long_token *y) {
    return x->length == y->length
        && rb_same_bytes(a->text + x->position, b->text + y->position, x->length);
}

static inline uint64_t rb_token_identity(const rb_tokens *t, int64_t token) {
    return t->lo[token] | (uint64_t)t->hi[token] << 32;
}

static inline int64_t rb_segment_length(const rb_tokens *t, int64_t segment) {
    return t->first_token[segment + 1] - t->first_token[segment];
}

static inline int64_t rb_text_tokens(const rb_tokens *t, int64_t text, int n_sequences) {
    return t->first_token[n_sequences * (text + 1)] - t->first_token[n_sequences * text];
}

/* Memory: functions that allocate return 0, or -1 with MemoryError set. */

static inline int rb_tokens_grow(rb_tokens *t, int64_t n) {
    /* Both halves share one capacity, written back only after both have grown. */
    int64_t lo_capacity = t->token_capacity, hi_capacity = t->token_capacity;
    const int64_t needed = t->n_tokens + n + RB_SPARE_TOKENS;
    if (rb_grow((void **)&t->lo, &lo_capacity, needed, sizeof(uint32_t)) < 0) return -1;
    if (rb_grow((void **)&t->hi, &hi_capacity, needed, sizeof(uint32_t)) < 0) return -1;
    t->token_capacity = lo_capacity - RB_SPARE_TOKENS;
    return 0;
}

static inline int rb_longs_grow(rb_tokens *t, int64_t n) {
    return rb_grow((void **)&t->longs, &t->long_capacity, t->n_longs + n, sizeof(rb_long_token));
}

static inline int rb_text_grow(rb_tokens *t, int64_t n) {
    return rb_grow((void **)&t->text, &t->text_capacity, t->text_length + n + RB_PADDING, 1);
}

static inline int rb_segments_grow(rb_tokens *t, int64_t n) {
    int64_t token_capacity = t->segment_capacity, long_capacity = t->segment_capacity;
    const int64_t needed = t->n_segments + n + 1;
    if (rb_grow((void **)&t->first_token, &token_capacity, needed, sizeof(int64_t)) < 0) return -1;
    if (rb_grow((void **)&t->first_long, &long_capacity, needed, sizeof(int64_t)) < 0) return -1;
    t->segment_capacity = token_capacity;
    return 0;
}

static inline int rb_tokens_reserve(rb_tokens *t, int64_t n) {
    if (t->n_tokens + n > t->token_capacity && rb_tokens_grow(t, n) < 0) return -1;
    return t->n_longs + n > t->long_capacity ? rb_longs_grow(t, n) : 0;
}

static inline int rb_text_reserve(rb_tokens *t, int64_t n) {
    return t->text_length + n + RB_PADDING > t->text_capacity ? rb_text_grow(t, n) : 0;
}

static inline void rb_tokens_clear(rb_tokens *t) {
    t->n_tokens = t->n_longs = t->n_segments = t->text_length = 0;
    t->first_token[0] = t->first_long[0] = 0;
}

/* Initialize an empty table, which must be freed even after an error. */
static inline int rb_tokens_init(rb_tokens *t, const uint64_t *keys) {
    memset(t, 0, sizeof *t);
    t->keys = keys;
    if (rb_tokens_grow(t, 256) < 0 || rb_longs_grow(t, 64) < 0 || rb_text_grow(t, 1024) < 0
        || rb_segments_grow(t, 16) < 0)
        return -1;
    rb_tokens_clear(t);
    return 0;
}

static inline void rb_tokens_free(rb_tokens *t) {
    PyMem_RawFree(t->lo);
    PyMem_RawFree(t->hi);
    PyMem_RawFree(t->first_token);
    PyMem_RawFree(t->first_long);
    PyMem_RawFree(t->longs);
    PyMem_RawFree(t->text);
    memset(t, 0, sizeof *t);
}

static inline int64_t rb_tokens_memory(const rb_tokens *t) {
    return t->text_capacity + 8 * t->token_capacity + 16 * t->segment_capacity
         + (int64_t)sizeof(rb_long_token) * t->long_capacity;
}

static inline int rb_tokens_close_segment(rb_tokens *t) {
    if (t->n_segments + 2 > t->segment_capacity && rb_segments_grow(t, 1) < 0) return -1;
    t->n_segments++;
    t->first_token[t->n_segments] = t->n_tokens;
    t->first_long[t->n_segments] = t->n_longs;
    return 0;
}

/* Append the token of `length` bytes at `position` of the text (padded). */
static inline int rb_tokens_push(rb_tokens *t, int64_t position, int64_t length) {
    const uint8_t *text = t->text + position;
    if (rb_tokens_reserve(t, 1) < 0) return -1;
    if (length > 0 && length <= RB_SHORT_TOKEN && memchr(text, 0, (size_t)length) == NULL) {
        const uint64_t word = rb_short_identity(text, length);
        t->lo[t->n_tokens] = (uint32_t)word;
        t->hi[t->n_tokens] = (uint32_t)(word >> 32);
    } else {
        rb_long_token *record = &t->longs[t->n_longs++];
        rb_long_identity(t, text, length, &t->lo[t->n_tokens], &t->hi[t->n_tokens]);
        record->position = position;
        record->length = (int32_t)length;
        record->index = (int32_t)(t->n_tokens - t->first_token[t->n_segments]);
    }
    t->n_tokens++;
    return 0;
}

static inline int rb_tokens_push_id(rb_tokens *t, uint64_t identity) {
    if (rb_tokens_reserve(t, 1) < 0) return -1;
    t->lo[t->n_tokens] = (uint32_t)identity;
    t->hi[t->n_tokens] = (uint32_t)(identity >> 32);
    t->n_tokens++;
    return 0;
}

static inline int rb_tokens_append(rb_tokens *t, const rb_tokens *source, int64_t segment) {
    const int64_t first = source->first_token[segment], n = rb_segment_length(source, segment);
    int64_t k;
    if (rb_tokens_reserve(t, n) < 0) return -1;
    memcpy(t->lo + t->n_tokens, source->lo + first, (size_t)n * sizeof(uint32_t));
    memcpy(t->hi + t->n_tokens, source->hi + first, (size_t)n * sizeof(uint32_t));
    for (k = source->first_long[segment]; k < source->first_long[segment + 1]; k++) {
        rb_long_token record = source->longs[k];
        if (rb_text_reserve(t, record.length) < 0) return -1;
        memcpy(t->text + t->text_length, source->text + record.position, (size_t)record.length);
        record.position = t->text_length;
        t->text_length += record.length;
        t->longs[t->n_longs++] = record;
    }
    t->n_tokens += n;
    return rb_tokens_close_segment(t);
}

/* Compute the identities of the long tokens of the open segment. */
static inline void rb_hash_longs(rb_tokens *t) {
    int64_t k;
    for (k = t->first_long[t->n_segments]; k < t->n_longs; k++) {
        const int64_t token = t->first_token[t->n_segments] + t->longs[k].index;
        rb_long_identity(t, t->text + t->longs[k].position, t->longs[k].length, &t->lo[token],
                         &t->hi[token]);
    }
}

/* Move text to a lower address, without a call if it has 8 to 16 bytes, like most long tokens. */
static inline void rb_move_text(uint8_t *to, const uint8_t *from, int32_t length) {
    uint8_t first[8], last[8];
    if (length < 8 || length > 16) {
        memmove(to, from, (size_t)length);
        return;
    }
    memcpy(first, from, 8);
    memcpy(last, from + length - 8, 8);
    memcpy(to, first, 8);
    memcpy(to + length - 8, last, 8);
}

/* Keep only the bytes of long tokens of the last segment's text. */
static inline void rb_drop_short_text(rb_tokens *t, int64_t segment) {
    int64_t k = t->first_long[segment], kept = 0;
    if (k > 0) kept = t->longs[k - 1].position + t->longs[k - 1].length;
    for (; k < t->n_longs; k++) {
        rb_long_token *record = &t->longs[k];
        rb_move_text(t->text + kept, t->text + record->position, record->length);
        record->position = kept;
        kept += record->length;
    }
    t->text_length = kept;
}

#endif
