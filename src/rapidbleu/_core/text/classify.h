/* Classes of characters for tokenizer rules: of 64 bytes at a time, as bit planes, or of one
 * character. Three tables, from the common to the rare. ASCII has one byte per character. Most
 * other characters are letters, recognized by the first byte of their UTF-8: no character with such
 * a first byte has a class. Only the rest is decoded and looked up in two stages, code point >> 8
 * to a page of 256 classes; pages of a single class are shared, so the ideographs take 256 bytes
 * and a table about 10 kB.
 *
 * Blocks: bit i of plane k is class bit k of byte i. Bytes from 0x80 on have one class, RB_LEAD, if
 * they may start a character with a class, which the scanner then looks up. Portable form: a table
 * of 256 words with class bit k at bit 8k; eight characters, shifted by their index and or-ed
 * together, yield one byte of each plane. AVX2 form: for each class bit, a shuffle by the low half
 * of the character yields the rows (high halves) whose column has the bit; a second shuffle, shared
 * by all classes, yields the character's row. AVX-512 form: two permutations look up a table of 256
 * bytes. NEON form: three look up the nonempty quarters. */
#ifndef RAPIDBLEU_TEXT_CLASSIFY_H
#define RAPIDBLEU_TEXT_CLASSIFY_H

#include "Python.h"
#include <stdint.h>
#include <string.h>

#include "common/bits.h"
#include "common/cpu.h"
#include "common/memory.h"
#include "common/utf8.h"

enum { /* class bits; plane numbers are their exponents */
    RB_OTHER = 0,   /* a letter */
    RB_SPACE = 1,   /* separates tokens */
    RB_SYMBOL = 2,  /* always a token of its own */
    RB_DIGIT = 4,   /* see the rule of the scanner */
    RB_POINT = 8,   /* a token unless between digits */
    RB_DASH = 16,   /* a token after a digit */
    RB_RARE = 32,   /* requires a closer look at the segment */
    RB_LEAD = 64    /* a non-ASCII byte that may start a character with a class */
};

enum {
    RB_P_SPACE,
    RB_P_SYMBOL,
    RB_P_DIGIT,
    RB_P_POINT,
    RB_P_DASH,
    RB_P_RARE,
    RB_P_LEAD,
    RB_PLANES
};

#define RB_MAX_PAGES 256 /* including page 0 */

typedef struct {
    uint8_t of_byte[256];          /* class bits of ASCII characters; RB_LEAD for other bytes */
    uint64_t spread[256];          /* the same, class bit k at bit 8k */
    uint8_t columns[RB_PLANES][16]; /* bit r: byte 16 r + column has the class bit; of RB_LEAD the
                                       byte 16 (r + 8) + column */
    uint8_t page_of[0x1100];       /* code point >> 8 -> page of classes; page 0 is empty */
    uint8_t page_of_class[256];    /* page of a single class; 0: none yet */
    uint8_t *pages;                /* [n_pages][256], owned */
    int n_pages;
    int64_t page_capacity;
} rb_class_table;

typedef void (*rb_classify_fn)(const rb_class_table *, const uint8_t *, uint64_t *);

static inline void rb_class_table_set(rb_class_table *table, int byte, uint8_t kind) {
    int k;
    table->of_byte[byte] = kind;
    for (k = 0; k < RB_PLANES; k++)
        if (kind >> k & 1) {
            table->spread[byte] |= UINT64_C(1) << (8 * k);
            table->columns[k][byte & 15] |= (uint8_t)(1 << (byte >> 4 & 7));
        }
}

/* Set up a table of 128 ASCII classes only, to be freed in any case. 0, or -1: MemoryError set. */
static inline int rb_class_table_init(rb_class_table *table, const uint8_t *ascii) {
    int c;
    memset(table, 0, sizeof *table);
    for (c = 0; c < 128; c++) rb_class_table_set(table, c, ascii[c] & (RB_LEAD - 1));
    if (rb_grow((void **)&table->pages, &table->page_capacity, 1, 256) < 0) return -1;
    memset(table->pages, 0, 256);
    table->n_pages = 1;
    return 0;
}

static inline void rb_class_table_free(rb_class_table *table) {
    PyMem_RawFree(table->pages);
    table->pages = NULL;
}

/* Append a page of a single class: its number, or -1 with an exception set. Needs the GIL. */
static inline int rb_class_table_new_page(rb_class_table *table, uint8_t kind) {
    if (table->n_pages == RB_MAX_PAGES) {
        PyErr_SetString(PyExc_ValueError, "wide_classes: expected up to 255 different pages");
        return -1;
    }
    if (table->n_pages == table->page_capacity
        && rb_grow((void **)&table->pages, &table->page_capacity, table->n_pages + 1, 256) < 0)
        return -1;
    memset(table->pages + 256 * table->n_pages, kind, 256);
    return table->n_pages++;
}

static inline int rb_lead_byte(uint32_t code_point) {
    uint8_t bytes[4];
    rb_encode(code_point, bytes);
    return bytes[0];
}

/* Set the class of characters first, ..., last, from 0x80 on; ranges must not overlap. 0, or -1
 * with an exception set. Needs the GIL. */
static inline int rb_class_table_add(rb_class_table *table, uint32_t first, uint32_t last,
                                     uint8_t kind) {
    uint32_t page;
    int lead, number;
    for (page = first >> 8; page <= last >> 8; page++) {
        const uint32_t begin = first > 256 * page ? first - 256 * page : 0;
        const uint32_t end = last < 256 * page + 255 ? last - 256 * page : 255;
        const int whole = end - begin == 255;
        number = whole ? table->page_of_class[kind] : table->page_of[page];
        if (number == 0 && (number = rb_class_table_new_page(table, whole ? kind : 0)) < 0)
            return -1;
        if (whole)
            table->page_of_class[kind] = (uint8_t)number;
        else
            memset(table->pages + 256 * number + begin, kind, end - begin + 1);
        table->page_of[page] = (uint8_t)number;
    }
    for (lead = rb_lead_byte(first); lead <= rb_lead_byte(last); lead++)
        rb_class_table_set(table, lead, RB_LEAD);
    return 0;
}

static inline uint8_t rb_wide_class(const rb_class_table *table, uint32_t code_point) {
    return table->pages[256 * table->page_of[code_point >> 8] + (code_point & 0xff)];
}

/* The class of the character at p, and its length in bytes. */
RB_INLINE uint8_t rb_class_at(const rb_class_table *table, const uint8_t *p, int *length) {
    uint32_t code_point;
    if (p[0] < 0x80) {
        *length = 1;
        return table->of_byte[p[0]];
    }
    *length = rb_decode(p, &code_point);
    return rb_wide_class(table, code_point);
}

/* End of text[begin:end] (padded) without trailing white space, which is overwritten by spaces. */
static inline int64_t rb_strip_end(const rb_class_table *table, uint8_t *text, int64_t begin,
                                   int64_t end) {
    const int64_t old_end = end;
    int length;
    while (end - begin >= 8 && rb_load64(text + end - 8) == UINT64_C(0x2020202020202020)) end -= 8;
    while (end > begin) {
        int64_t last = end - 1;
        while (last > begin && end - last < 4 && rb_is_continuation(text[last])) last--;
        if (!(rb_class_at(table, text + last, &length) & RB_SPACE) || last + length != end) break;
        end = last;
    }
    if (end < old_end) memset(text + end, 0x20, (size_t)(old_end - end));
    return end;
}

static inline int64_t rb_strip_begin(const rb_class_table *table, const uint8_t *text,
                                     int64_t begin, int64_t end) {
    int length;
    while (begin < end && rb_class_at(table, text + begin, &length) & RB_SPACE) begin += length;
    return begin;
}


RB_INLINE void rb_classify_portable(const rb_class_table *table, const uint8_t *text,
                                    uint64_t *planes) {
    const uint64_t *spread = table->spread;
    uint64_t words[8];
    int j;
    for (j = 0; j < 8; j++) {
        const uint8_t *c = text + 8 * j;
        words[j] = spread[c[0]] | spread[c[1]] << 1 | spread[c[2]] << 2 | spread[c[3]] << 3
                 | spread[c[4]] << 4 | spread[c[5]] << 5 | spread[c[6]] << 6 | spread[c[7]] << 7;
    }
    rb_seven_planes(words, planes);
}

#if RB_HAVE_V3
/* In which of 32 bytes is a class bit unset? `row` has each byte's row as a bit. */
RB_V3 RB_INLINE uint32_t rb_plane_v3(const uint8_t *column, __m256i low_half, __m256i row) {
    const __m256i columns = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)column));
    const __m256i found = _mm256_and_si256(_mm256_shuffle_epi8(columns, low_half), row);
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(found, _mm256_setzero_si256()));
}

RB_V3 RB_INLINE void rb_classify_v3(const rb_class_table *table, const uint8_t *text,
                                    uint64_t *planes) {
    const __m256i row_bits = _mm256_setr_epi8(1, 2, 4, 8, 16, 32, 64, (char)128, 0, 0, 0, 0, 0, 0, 0,
                                              0, 1, 2, 4, 8, 16, 32, 64, (char)128, 0, 0, 0, 0, 0,
                                              0, 0, 0);
    const __m256i wide_bits = _mm256_permute4x64_epi64(row_bits, 0xb1); /* rows from 8 on */
    const __m256i half = _mm256_set1_epi8(15);
    const __m256i a = _mm256_loadu_si256((const __m256i *)text);
    const __m256i b = _mm256_loadu_si256((const __m256i *)(text + 32));
    const __m256i low_a = _mm256_and_si256(a, half), low_b = _mm256_and_si256(b, half);
    const __m256i high_a = _mm256_and_si256(_mm256_srli_epi16(a, 4), half);
    const __m256i high_b = _mm256_and_si256(_mm256_srli_epi16(b, 4), half);
    const __m256i row_a = _mm256_shuffle_epi8(row_bits, high_a);
    const __m256i row_b = _mm256_shuffle_epi8(row_bits, high_b);
    int k;
    for (k = 0; k < RB_P_LEAD; k++)
        planes[k] = ~(rb_plane_v3(table->columns[k], low_a, row_a)
                      | (uint64_t)rb_plane_v3(table->columns[k], low_b, row_b) << 32);
    planes[k] = ~(rb_plane_v3(table->columns[k], low_a, _mm256_shuffle_epi8(wide_bits, high_a))
                  | (uint64_t)rb_plane_v3(table->columns[k], low_b,
                                          _mm256_shuffle_epi8(wide_bits, high_b)) << 32);
}

RB_AVX512 RB_INLINE void rb_classify_avx512(const rb_class_table *table, const uint8_t *text,
                                            uint64_t *planes) {
    const uint8_t *kinds = table->of_byte;
    const __m512i block = _mm512_loadu_si512(text);
    const __m512i narrow = _mm512_permutex2var_epi8(_mm512_loadu_si512(kinds), block,
                                                    _mm512_loadu_si512(kinds + 64));
    const __m512i wide = _mm512_permutex2var_epi8(_mm512_loadu_si512(kinds + 128), block,
                                                  _mm512_loadu_si512(kinds + 192));
    const __m512i kind = _mm512_mask_blend_epi8(_mm512_movepi8_mask(block), narrow, wide);
    int k;
    for (k = 0; k < RB_PLANES; k++)
        planes[k] = _mm512_movepi8_mask(_mm512_slli_epi16(kind, 7 - k));
}
#endif

#if RB_HAVE_NEON
RB_INLINE uint8x16x4_t rb_quarter_neon(const uint8_t *kinds) {
    uint8x16x4_t quarter;
    int j;
    for (j = 0; j < 4; j++) quarter.val[j] = vld1q_u8(kinds + 16 * j);
    return quarter;
}

/* Look-ups outside a quarter yield 0 or the last result. No lead byte is in the third quarter. */
RB_INLINE void rb_classify_neon(const rb_class_table *table, const uint8_t *text,
                                uint64_t *planes) {
    const uint8x16x4_t first = rb_quarter_neon(table->of_byte);
    const uint8x16x4_t second = rb_quarter_neon(table->of_byte + 64);
    const uint8x16x4_t fourth = rb_quarter_neon(table->of_byte + 192);
    uint8x16x4_t block = vld4q_u8(text);
    int j;
    for (j = 0; j < 4; j++) {
        const uint8x16_t c = block.val[j];
        uint8x16_t kind = vqtbl4q_u8(first, c);
        kind = vqtbx4q_u8(kind, second, veorq_u8(c, vdupq_n_u8(0x40)));
        block.val[j] = vqtbx4q_u8(kind, fourth, veorq_u8(c, vdupq_n_u8(0xc0)));
    }
    rb_seven_planes_neon(block, planes);
}
#endif

static inline rb_classify_fn rb_classify_select(void) {
#if RB_HAVE_V3
    const rb_level level = rb_simd_level();
    if (level == RB_LEVEL_AVX512) return rb_classify_avx512;
    if (level == RB_LEVEL_AVX2) return rb_classify_v3;
#elif RB_HAVE_NEON
    if (rb_simd_level() == RB_LEVEL_NEON) return rb_classify_neon;
#endif
    return rb_classify_portable;
}

#endif
