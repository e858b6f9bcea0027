/* Character classes of 64 bytes at a time, as bit planes.
 *
 * A scanner gives each ASCII character a class byte; plane k has bit i set when byte i of the block
 * has class bit k.  Bytes of 0x80 and above have no class here: they are reported in plane 7, and
 * the scanner looks at them one by one.
 *
 * Portable form: a table of 256 words with class bit k at bit 8k; eight characters, shifted by their
 * place and or-ed together, leave one byte of each of the eight planes.  AVX2 form: the class byte
 * of 32 characters by one 16-entry shuffle for each row of the ASCII table, then one sign-bit
 * extraction for each plane. */
#ifndef RAPIDBLEU_CLASSIFY_H
#define RAPIDBLEU_CLASSIFY_H

#include <stdint.h>
#include "cpu.h"

#define RB_PLANES 8
#define RB_WIDE 7 /* the plane of bytes that are not ASCII */

typedef struct {
    uint8_t ascii[128];   /* class byte of each ASCII character; bit 7 is unused */
    uint64_t spread[256]; /* the same, class bit k at bit 8k; 0x80 and above: only plane 7 */
} rb_class_table;

typedef void (*rb_classify_fn)(const rb_class_table *, const uint8_t *, uint64_t *);

static inline void rb_class_table_fill(rb_class_table *table) {
    int c, k;
    for (c = 0; c < 256; c++) {
        table->spread[c] = c < 128 ? 0 : UINT64_C(1) << (8 * RB_WIDE);
        if (c < 128)
            for (k = 0; k < RB_WIDE; k++)
                table->spread[c] |= (uint64_t)((table->ascii[c] >> k) & 1) << (8 * k);
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

#if RB_HAVE_AVX2_CODE
RB_AVX2 static inline __m256i rb_class_bytes(const rb_class_table *table, __m256i text) {
    __m256i classes = _mm256_setzero_si256();
    int row;
    for (row = 0; row < 8; row++) {
        __m256i entries = _mm256_broadcastsi128_si256(
            _mm_loadu_si128((const __m128i *)(table->ascii + 16 * row)));
        /* 0x70..0x7f in this row; 0x80 and above elsewhere, where the shuffle gives zero */
        __m256i index = _mm256_adds_epu8(
            _mm256_xor_si256(text, _mm256_set1_epi8((char)(16 * row))), _mm256_set1_epi8(0x70));
        classes = _mm256_or_si256(classes, _mm256_shuffle_epi8(entries, index));
    }
    return classes;
}

RB_AVX2 static void rb_classify_avx2(const rb_class_table *table, const uint8_t *text,
                                     uint64_t *planes) {
    __m256i text_a = _mm256_loadu_si256((const __m256i *)text);
    __m256i text_b = _mm256_loadu_si256((const __m256i *)(text + 32));
    __m256i a = rb_class_bytes(table, text_a), b = rb_class_bytes(table, text_b);
    int k;
    planes[RB_WIDE] = (uint32_t)_mm256_movemask_epi8(text_a)
                    | (uint64_t)(uint32_t)_mm256_movemask_epi8(text_b) << 32;
    for (k = RB_WIDE - 1; k >= 0; k--) {
        a = _mm256_add_epi8(a, a);
        b = _mm256_add_epi8(b, b);
        planes[k] = (uint32_t)_mm256_movemask_epi8(a)
                  | (uint64_t)(uint32_t)_mm256_movemask_epi8(b) << 32;
    }
}
#endif

static inline rb_classify_fn rb_classify_select(int use_simd) {
#if RB_HAVE_AVX2_CODE
    if (use_simd && rb_cpu_has_avx2()) return rb_classify_avx2;
#endif
    (void)use_simd;
    return rb_classify_portable;
}

#endif
