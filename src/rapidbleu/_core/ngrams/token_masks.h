/* Positions of each token of a text in another of up to 64 tokens, as one word per token: masks[i]
 * has bit j set if token i of the first text equals token j of the second. Identities of 64 bits
 * are stored as two arrays of halves, so that vector instructions compare many tokens at once. Both
 * arrays of the second text must be readable up to the next multiple of sixteen tokens, with any
 * contents. The bytes of long tokens are compared afterwards. */
#ifndef RAPIDBLEU_NGRAMS_TOKEN_MASKS_H
#define RAPIDBLEU_NGRAMS_TOKEN_MASKS_H

#include "common/cpu.h"
#include "common/probing_table.h"
#include "text/token_table.h"
#include <stddef.h>

typedef void (*rb_masks_fn)(const uint32_t *lo, const uint32_t *hi, ptrdiff_t n,
                            const uint32_t *other_lo, const uint32_t *other_hi, ptrdiff_t m,
                            uint64_t *masks);

static inline void rb_masks_one_by_one(const uint32_t *lo, const uint32_t *hi, ptrdiff_t n,
                                       const uint32_t *other_lo, const uint32_t *other_hi,
                                       ptrdiff_t m, uint64_t *masks) {
    ptrdiff_t i, j;
    for (i = 0; i < n; i++) {
        uint64_t mask = 0;
        for (j = 0; j < m; j++)
            mask |= (uint64_t)((other_lo[j] == lo[i]) & (other_hi[j] == hi[i])) << j;
        masks[i] = mask;
    }
}

/* The body of a function that fills the masks through `fill`, by blocks of sixteen tokens of the
 * second text: a constant number of blocks lets the compiler unroll the loops over them. */
#define RB_MASKS_BY_BLOCKS(fill)                                                                   \
    if (m == 0)                                                                                    \
        memset(masks, 0, (size_t)n * sizeof *masks);                                               \
    else if (m <= 16)                                                                              \
        fill(lo, hi, n, other_lo, other_hi, m, 1, masks);                                          \
    else if (m <= 32)                                                                              \
        fill(lo, hi, n, other_lo, other_hi, m, 2, masks);                                          \
    else if (m <= 48)                                                                              \
        fill(lo, hi, n, other_lo, other_hi, m, 3, masks);                                          \
    else                                                                                           \
        fill(lo, hi, n, other_lo, other_hi, m, 4, masks);

#if RB_HAVE_SSE2
/* Which of four tokens are equal, as lanes of 32 bits. */
RB_INLINE __m128i rb_same_four(const uint32_t *lo, const uint32_t *hi, __m128i x, __m128i y) {
    return _mm_and_si128(_mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)lo), x),
                         _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)hi), y));
}

static void rb_masks_portable(const uint32_t *lo, const uint32_t *hi, ptrdiff_t n,
                              const uint32_t *other_lo, const uint32_t *other_hi, ptrdiff_t m,
                              uint64_t *masks) {
    const uint64_t inside = m >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << m) - 1;
    ptrdiff_t i, j;
    for (i = 0; i < n; i++) {
        const __m128i x = _mm_set1_epi32((int)lo[i]), y = _mm_set1_epi32((int)hi[i]);
        uint64_t mask = 0;
        for (j = 0; j < m; j += 16) {
            const uint32_t *l = other_lo + j, *h = other_hi + j;
            const __m128i a = _mm_packs_epi32(rb_same_four(l, h, x, y),
                                              rb_same_four(l + 4, h + 4, x, y));
            const __m128i b = _mm_packs_epi32(rb_same_four(l + 8, h + 8, x, y),
                                              rb_same_four(l + 12, h + 12, x, y));
            mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_packs_epi16(a, b)) << j;
        }
        masks[i] = mask & inside;
    }
}
#else
#define rb_masks_portable rb_masks_one_by_one
#endif

#if RB_HAVE_V3
/* Which of 16 or 32 tokens, with halves in two or four vectors, are equal; as bits. */
RB_V3 RB_INLINE uint32_t rb_same_tokens_v3(const __m256i *low, const __m256i *high, int n_vectors,
                                           __m256i x, __m256i y) {
    const __m256i lanes = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    __m256i same[4], low_half, high_half;
    int k;
    for (k = 0; k < n_vectors; k++)
        same[k] = _mm256_and_si256(_mm256_cmpeq_epi32(low[k], x), _mm256_cmpeq_epi32(high[k], y));
    low_half = _mm256_packs_epi32(same[0], same[1]);
    high_half = n_vectors < 4 ? low_half : _mm256_packs_epi32(same[2], same[3]);
    return (uint32_t)_mm256_movemask_epi8(
        _mm256_permutevar8x32_epi32(_mm256_packs_epi16(low_half, high_half), lanes));
}

/* Masks for n_blocks blocks of sixteen tokens, a constant; two blocks stay in registers. */
RB_V3 RB_INLINE void rb_masks_blocks_v3(const uint32_t *lo, const uint32_t *hi, ptrdiff_t n,
                                        const uint32_t *other_lo, const uint32_t *other_hi,
                                        ptrdiff_t m, int n_blocks, uint64_t *masks) {
    const uint64_t inside = ~UINT64_C(0) >> (64 - m);
    const int n_vectors = 2 * n_blocks;
    __m256i low[8], high[8];
    ptrdiff_t i;
    int k;
    for (k = 0; k < n_vectors; k++) {
        low[k] = _mm256_loadu_si256((const __m256i *)(other_lo + 8 * k));
        high[k] = _mm256_loadu_si256((const __m256i *)(other_hi + 8 * k));
    }
    for (i = 0; i < n; i++) {
        const __m256i x = _mm256_set1_epi32((int)lo[i]), y = _mm256_set1_epi32((int)hi[i]);
        uint64_t mask = rb_same_tokens_v3(low, high, n_vectors < 4 ? 2 : 4, x, y);
        if (n_vectors > 4)
            mask |= (uint64_t)rb_same_tokens_v3(low + 4, high + 4, n_vectors - 4, x, y) << 32;
        masks[i] = mask & inside;
    }
}

RB_V3 static void rb_masks_v3(const uint32_t *lo, const uint32_t *hi, ptrdiff_t n,
                              const uint32_t *other_lo, const uint32_t *other_hi, ptrdiff_t m,
                              uint64_t *masks) {
    RB_MASKS_BY_BLOCKS(rb_masks_blocks_v3)
}

/* Masks for n_blocks vectors, a constant, which stay in registers. */
RB_AVX512 RB_INLINE void rb_masks_blocks(const uint32_t *lo, const uint32_t *hi, ptrdiff_t n,
                                         const uint32_t *other_lo, const uint32_t *other_hi,
                                         ptrdiff_t m, int n_blocks, uint64_t *masks) {
    const __mmask16 inside = (__mmask16)(UINT32_C(0xffff) >> (16 * n_blocks - m));
    __m512i low[4], high[4];
    ptrdiff_t i;
    int k;
    for (k = 0; k < n_blocks; k++) {
        low[k] = _mm512_loadu_si512(other_lo + 16 * k);
        high[k] = _mm512_loadu_si512(other_hi + 16 * k);
    }
    for (i = 0; i < n; i++) {
        const __m512i x = _mm512_set1_epi32((int)lo[i]), y = _mm512_set1_epi32((int)hi[i]);
        uint64_t mask = 0;
        for (k = 0; k < n_blocks; k++) {
            const __mmask16 among = k + 1 < n_blocks ? (__mmask16)0xffff : inside;
            const __mmask16 same = _mm512_mask_cmpeq_epi32_mask(
                _mm512_mask_cmpeq_epi32_mask(among, x, low[k]), y, high[k]);
            mask |= (uint64_t)same << 16 * k;
        }
        masks[i] = mask;
    }
}

RB_AVX512 static void rb_masks_avx512(const uint32_t *lo, const uint32_t *hi, ptrdiff_t n,
                                      const uint32_t *other_lo, const uint32_t *other_hi,
                                      ptrdiff_t m, uint64_t *masks) {
    RB_MASKS_BY_BLOCKS(rb_masks_blocks)
}
#endif

#if RB_HAVE_NEON
/* Which of sixteen tokens, given as vectors of four, equal (x, y): bytes of ones or zeros. */
RB_INLINE uint8x16_t rb_same_sixteen(const uint32x4_t *low, const uint32x4_t *high, uint32x4_t x,
                                     uint32x4_t y) {
    uint16x8_t same[4];
    int k;
    for (k = 0; k < 4; k++)
        same[k] = vreinterpretq_u16_u32(vandq_u32(vceqq_u32(low[k], x), vceqq_u32(high[k], y)));
    return vuzp1q_u8(vreinterpretq_u8_u16(vuzp1q_u16(same[0], same[1])),
                     vreinterpretq_u8_u16(vuzp1q_u16(same[2], same[3])));
}

RB_INLINE void rb_masks_blocks(const uint32_t *lo, const uint32_t *hi, ptrdiff_t n,
                               const uint32_t *other_lo, const uint32_t *other_hi, ptrdiff_t m,
                               int n_blocks, uint64_t *masks) {
    static const uint8_t bit_of_byte[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t bits = vld1q_u8(bit_of_byte);
    const uint64_t inside = UINT64_MAX >> (64 - m);
    uint32x4_t low[16], high[16];
    ptrdiff_t i;
    int k;
    for (k = 0; k < 4 * n_blocks; k++) {
        low[k] = vld1q_u32(other_lo + 4 * k);
        high[k] = vld1q_u32(other_hi + 4 * k);
    }
    for (i = 0; i < n; i++) {
        const uint32x4_t x = vdupq_n_u32(lo[i]), y = vdupq_n_u32(hi[i]);
        uint8x16_t same[4] = {vdupq_n_u8(0), vdupq_n_u8(0), vdupq_n_u8(0), vdupq_n_u8(0)};
        for (k = 0; k < n_blocks; k++)
            same[k] = vandq_u8(rb_same_sixteen(low + 4 * k, high + 4 * k, x, y), bits);
        same[0] = vpaddq_u8(vpaddq_u8(same[0], same[1]), vpaddq_u8(same[2], same[3]));
        same[0] = vpaddq_u8(same[0], same[0]);
        masks[i] = vgetq_lane_u64(vreinterpretq_u64_u8(same[0]), 0) & inside;
    }
}

static void rb_masks_neon(const uint32_t *lo, const uint32_t *hi, ptrdiff_t n,
                          const uint32_t *other_lo, const uint32_t *other_hi, ptrdiff_t m,
                          uint64_t *masks) {
    RB_MASKS_BY_BLOCKS(rb_masks_blocks)
}
#endif

/* Clear the bits of long tokens whose bytes differ from the reference's token. The index of a long
 * token of the reference is the number of long tokens before it. Half of the hypothesis's long
 * tokens are found, unpredictably, so they are first listed in `found` without a branch. */
static inline void rb_verify_longs(const rb_tokens *hyps, int64_t hyp, const rb_tokens *refs,
                                   int64_t ref, uint64_t *masks, uint64_t *found) {
    const rb_long_token *ref_longs = refs->longs + refs->first_long[ref];
    uint64_t long_bits = 0;
    int64_t k, n_found = 0;
    for (k = refs->first_long[ref]; k < refs->first_long[ref + 1]; k++)
        long_bits |= UINT64_C(1) << refs->longs[k].index;
    for (k = hyps->first_long[hyp]; k < hyps->first_long[hyp + 1]; k++) {
        found[n_found] = (uint64_t)k;
        n_found += masks[hyps->longs[k].index] != 0;
    }
    for (k = 0; k < n_found; k++) {
        const rb_long_token *a = &hyps->longs[found[k]];
        uint64_t mask = masks[a->index], rest = mask;
        while (rest) {
            const uint64_t bit = rest & (0 - rest);
            rest ^= bit;
            if (!rb_same_long(hyps, a, refs, &ref_longs[rb_popcount(long_bits & (bit - 1))]))
                mask ^= bit;
        }
        masks[a->index] = mask;
    }
}

/* Fill masks[n] for the n tokens of hypothesis `hyp`; `found` is scratch of as many words. */
static inline void rb_token_masks(rb_masks_fn masks_of, const rb_tokens *hyps, int64_t hyp,
                                  const rb_tokens *refs, int64_t ref, uint64_t *masks,
                                  uint64_t *found) {
    const int64_t h = hyps->first_token[hyp], r = refs->first_token[ref];
    masks_of(hyps->lo + h, hyps->hi + h, (ptrdiff_t)rb_segment_length(hyps, hyp), refs->lo + r,
             refs->hi + r, (ptrdiff_t)rb_segment_length(refs, ref), masks);
    rb_verify_longs(hyps, hyp, refs, ref, masks, found);
}

/* Positions of each token of a reference as rows of bits, for references of several words. Up to 64
 * tokens it is cheapest to compare every token of the hypothesis with the whole reference, eight at
 * a time. Beyond that, the reference's distinct tokens enter a small open-addressing table with a
 * row of position bits each, and a hypothesis token finds its row with one probe. The table is
 * built in the caller's memory for one pair of texts, at most two thirds full. Long tokens are
 * compared by bytes when entered and when looked up, so colliding ones get separate rows. */
typedef struct {
    uint64_t key;       /* odd and secret */
    int64_t n_rows;     /* distinct tokens and row 0, which has no bit set */
    int64_t n_slots;    /* a power of two */
    uint64_t *bits;     /* [n_rows][words of a row] positions of each token */
    uint64_t *identity; /* [n_rows] */
    int32_t *record;    /* [n_rows] index of a long token of the reference; -1 if short */
    uint32_t *slots;    /* [n_slots] row of the token that hashes there; 0 if free */
} rb_positions;

static inline int64_t rb_positions_slots(int64_t n_tokens) {
    int64_t n_slots = 64;
    while (2 * n_slots < 3 * n_tokens) n_slots *= 2;
    return n_slots;
}

static inline int64_t rb_positions_words(int64_t n_tokens, int64_t n_words) {
    return (n_tokens + 1) * (n_words + 2) + rb_positions_slots(n_tokens) / 2;
}

/* Does a row contain the token with this identity and, unless `record` is -1, these bytes? */
static inline int rb_positions_same(const rb_positions *table, uint32_t row, const rb_tokens *refs,
                                    int64_t ref, uint64_t identity, const rb_tokens *texts,
                                    int64_t record) {
    return table->identity[row] == identity
        && (record < 0
            || rb_same_long(texts, &texts->longs[record], refs,
                            &refs->longs[refs->first_long[ref] + table->record[row]]));
}

/* Slot of a token's identity. Characters are their own identity, and letters of one alphabet mostly
 * differ in the lowest byte, which puts them into separate slots with gaps in between. Otherwise
 * frequent letters share a slot in some processes, and chrF takes a third longer. */
static inline uint64_t rb_positions_slot(const rb_positions *table, uint64_t identity) {
    return identity * 77 ^ rb_hash_word(identity >> 8, table->key);
}

/* Row of a token, or 0 with the slot for it; `record` is -1 if it is short. */
static inline uint32_t rb_positions_find(const rb_positions *table, const rb_tokens *refs,
                                         int64_t ref, uint64_t identity, const rb_tokens *texts,
                                         int64_t record, int64_t *slot) {
    uint64_t place = rb_positions_slot(table, identity);
    RB_PROBE(place, table->n_slots,
             table->slots[place] == 0
                 || rb_positions_same(table, table->slots[place], refs, ref, identity, texts, record));
    *slot = (int64_t)place;
    return table->slots[place];
}

/* Build the table of a reference in `memory`, of rb_positions_words, with rows of n_words. */
static inline void rb_positions_fill(rb_positions *table, uint64_t key, uint64_t *memory,
                                     const rb_tokens *refs, int64_t ref, int64_t n_words) {
    const int64_t n = rb_segment_length(refs, ref), token = refs->first_token[ref];
    const int64_t first_long = refs->first_long[ref], end_long = refs->first_long[ref + 1];
    int64_t record = first_long, i, slot;
    table->key = key;
    table->n_slots = rb_positions_slots(n);
    table->identity = memory;
    table->bits = table->identity + n + 1;
    table->record = (int32_t *)(table->bits + (n + 1) * n_words);
    table->slots = (uint32_t *)(table->record + 2 * (n + 1));
    memset(table->slots, 0, (size_t)table->n_slots * sizeof(uint32_t));
    memset(table->bits, 0, (size_t)n_words * sizeof(uint64_t));
    table->n_rows = 1;
    for (i = 0; i < n; i++) {
        const uint64_t identity = rb_token_identity(refs, token + i);
        const int is_long = record < end_long && refs->longs[record].index == i;
        uint32_t row = rb_positions_find(table, refs, ref, identity, refs, is_long ? record : -1,
                                         &slot);
        if (row == 0) {
            row = (uint32_t)table->n_rows++;
            table->slots[slot] = row;
            table->identity[row] = identity;
            table->record[row] = is_long ? (int32_t)(record - first_long) : -1;
            memset(table->bits + row * n_words, 0, (size_t)n_words * sizeof(uint64_t));
        }
        table->bits[row * n_words + (i >> 6)] |= UINT64_C(1) << (i & 63);
        record += is_long;
    }
}

static inline void rb_positions_rows(const rb_positions *table, const rb_tokens *refs, int64_t ref,
                                     const rb_tokens *hyps, int64_t hyp, uint32_t *rows) {
    const int64_t n = rb_segment_length(hyps, hyp), token = hyps->first_token[hyp];
    const int64_t end_long = hyps->first_long[hyp + 1];
    int64_t record = hyps->first_long[hyp], i, slot;
    for (i = 0; i < n; i++) {
        const int is_long = record < end_long && hyps->longs[record].index == i;
        rows[i] = rb_positions_find(table, refs, ref, rb_token_identity(hyps, token + i), hyps,
                                    is_long ? record : -1, &slot);
        record += is_long;
    }
}

#endif
