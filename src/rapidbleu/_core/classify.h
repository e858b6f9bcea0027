/* Character classes of 64 bytes at a time, as bit planes.
 *
 * A scanner gives each ASCII character a class byte; plane k has bit i set when byte i of the block
 * has class bit k.  Bytes of 0x80 and above have no class here: they are reported in plane RB_WIDE,
 * and the scanner looks at them one by one.
 *
 * Portable form: a table of 256 words with class bit k at bit 8k; eight characters, shifted by their
 * place and or-ed together, leave one byte of each of the planes.  AVX2 form: for each class bit a
 * shuffle by the low half of the character gives the rows (high halves) in which that column has the
 * bit; another, made once, gives the character's own row. */
#ifndef RAPIDBLEU_CLASSIFY_H
#define RAPIDBLEU_CLASSIFY_H

#include <stdint.h>
#include <string.h>
#include "common/cpu.h"

#define RB_CLASSES 6
#define RB_WIDE 6 /* the plane of bytes that are not ASCII */
#define RB_PLANES 7

typedef struct {
    uint8_t ascii[128];               /* class bits of each ASCII character */
    uint64_t spread[256];             /* the same, class bit k at bit 8k, and the wide bytes */
    uint8_t columns[RB_CLASSES][16];  /* bit r: character 16 r + column has the class bit */
} rb_class_table;

typedef void (*rb_classify_fn)(const rb_class_table *, const uint8_t *, uint64_t *);

static inline void rb_class_table_fill(rb_class_table *table) {
    int c, k;
    memset(table->columns, 0, sizeof table->columns);
    for (c = 0; c < 256; c++) table->spread[c] = c < 128 ? 0 : UINT64_C(1) << (8 * RB_WIDE);
    for (c = 0; c < 128; c++)
        for (k = 0; k < RB_CLASSES; k++)
            if (table->ascii[c] >> k & 1) {
                table->spread[c] |= UINT64_C(1) << (8 * k);
                table->columns[k][c & 15] |= (uint8_t)(1 << (c >> 4));
            }
}

static void rb_classify_portable(const rb_class_table *table, const uint8_t *text,
                                 uint64_t *planes) {
    const uint64_t *spread = table->spread;
    uint64_t p[RB_PLANES] = {0};
    int j, k;
    for (j = 0; j < 64; j += 8) {
        const uint8_t *c = text + j;
        uint64_t word = spread[c[0]] | spread[c[1]] << 1 | spread[c[2]] << 2 | spread[c[3]] << 3
                      | spread[c[4]] << 4 | spread[c[5]] << 5 | spread[c[6]] << 6
                      | spread[c[7]] << 7;
        for (k = 0; k < RB_PLANES; k++) p[k] |= ((word >> (8 * k)) & 0xff) << j;
    }
    for (k = 0; k < RB_PLANES; k++) planes[k] = p[k];
}

#if RB_HAVE_V3
RB_V3 static void rb_classify_avx2(const rb_class_table *table, const uint8_t *text,
                                     uint64_t *planes) {
    const __m256i row_bits = _mm256_setr_epi8(1, 2, 4, 8, 16, 32, 64, (char)128, 0, 0, 0, 0, 0, 0, 0,
                                              0, 1, 2, 4, 8, 16, 32, 64, (char)128, 0, 0, 0, 0, 0,
                                              0, 0, 0);
    const __m256i half = _mm256_set1_epi8(15), zero = _mm256_setzero_si256();
    __m256i a = _mm256_loadu_si256((const __m256i *)text);
    __m256i b = _mm256_loadu_si256((const __m256i *)(text + 32));
    __m256i row_a = _mm256_shuffle_epi8(row_bits, _mm256_and_si256(_mm256_srli_epi16(a, 4), half));
    __m256i row_b = _mm256_shuffle_epi8(row_bits, _mm256_and_si256(_mm256_srli_epi16(b, 4), half));
    int k;
    planes[RB_WIDE] = (uint32_t)_mm256_movemask_epi8(a)
                    | (uint64_t)(uint32_t)_mm256_movemask_epi8(b) << 32;
    for (k = 0; k < RB_CLASSES; k++) {
        __m256i column = _mm256_broadcastsi128_si256(
            _mm_loadu_si128((const __m128i *)table->columns[k]));
        /* a byte of 0x80 and above shuffles to zero, so it is in no row of any class */
        __m256i in_a = _mm256_and_si256(_mm256_shuffle_epi8(column, a), row_a);
        __m256i in_b = _mm256_and_si256(_mm256_shuffle_epi8(column, b), row_b);
        planes[k] = ~((uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(in_a, zero))
                    | (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(in_b, zero)) << 32);
    }
}
#endif

static inline rb_classify_fn rb_classify_select(void) {
#if RB_HAVE_V3
    if (rb_use_v3()) return rb_classify_avx2;
#endif
    return rb_classify_portable;
}

#endif
