/* From the bits that say where tokens start and end in a block of text to their identities. */
#ifndef RAPIDBLEU_EMIT_TOKENS_H
#define RAPIDBLEU_EMIT_TOKENS_H

#include <stdint.h>
#include "common/bits.h"
#include "common/cpu.h"

#define RB_SHORT_TOKEN 8 /* tokens of up to so many bytes are their own identity */

typedef struct {
    int64_t position; /* first byte of its text */
    int32_t length;   /* in bytes */
    int32_t index;    /* which token of its segment it is */
} rb_long_token;

/* Where the next token goes. */
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

/* A token at `text`; its record is always written and kept only if the token is long, so that there
 * is no branch to mispredict.  The word of a long token is replaced by its hash later. */
RB_INLINE void rb_emit_token(const uint8_t *text, int64_t position, int32_t length, rb_cursor *c) {
    uint64_t word = rb_short_identity(text, length);
    *c->lo++ = (uint32_t)word;
    *c->hi++ = (uint32_t)(word >> 32);
    c->longs->position = position;
    c->longs->length = length;
    c->longs->index = c->index++;
    c->longs += length > RB_SHORT_TOKEN;
}

/* The functions below take the tokens of a block that start and end in it, the first start with the
 * first end, and return the start that is left over, as a bit.  `text` is where the block begins,
 * `base` its position; `characters` says that every token is a single one.  They may write
 * RB_MOST_EMITTED tokens and records, whatever is kept of them. */
#define RB_MOST_EMITTED 66 /* a block has up to 64 tokens, one may be open before it and one after */

/* For tokenizers whose tokens are single characters: none of them is long. */
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
/* Four at a time, as how many tokens a block has cannot be predicted: those beyond the last one are
 * empty and lie behind the block, where the text is padded.  Eight at a time mispredicts less, but
 * writes more that is not kept than that saves. */
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
            const int start = (int)_tzcnt_u64(starts), end = (int)_tzcnt_u64(ends);
            rb_emit_token(text + start, base + start, end - start, &c);
            starts &= starts - 1;
            ends &= ends - 1;
        }
    cursor->lo += n;
    cursor->hi += n;
    cursor->index += n;
    cursor->longs = c.longs;
    return left;
}

/* 0, 1, ..., 63. */
RB_AVX512 RB_INLINE __m512i rb_places_avx512(void) {
    return _mm512_set_epi64(0x3f3e3d3c3b3a3938, 0x3736353433323130, 0x2f2e2d2c2b2a2928,
                            0x2726252423222120, 0x1f1e1d1c1b1a1918, 0x1716151413121110,
                            0x0f0e0d0c0b0a0908, 0x0706050403020100);
}

/* Identities of eight tokens: byte k of lane i is byte k of the token, or 0 behind its end. */
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

/* The records of up to eight long tokens, which are all that a block has room for. */
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

#define rb_emit_neon rb_emit_portable /* empty tokens cost as much as a wrong guess for each block */

#endif
