/* Levenshtein's alignment of two texts by bit-parallel columns (Myers 1999, Hyyro 2003).
 *
 * The table of distances has a row for each token of the hypothesis and a column for each of the
 * reference.  Neighbours differ by at most one, so 64 cells of a row are two words: where the next
 * cell is one more (vp) and where it is one less (vn).  A row follows from the one above in some
 * fifteen operations; a block of 64 columns hands to the next what its last column did from row to
 * row (two bits a row).
 *
 * Which tokens are hits is found on the way back from the last cell.  Of several ways with the same
 * distance it is the one of RapidFuzz, and so of jiwer: at each cell deletion comes first, then
 * insertion if the cell above has come from the left, then the diagonal; common beginnings and ends
 * are hits from the start.
 *
 * The way back needs the words of every row and block.  They are kept for one band of blocks at a
 * time, the last one first; the others are computed again from the two bits a row that are kept at
 * the beginning of each band.  So time is at most twice that of the distance, and memory grows with
 * n * sqrt(m). */
#ifndef RAPIDBLEU_EDITS_LEVENSHTEIN_H
#define RAPIDBLEU_EDITS_LEVENSHTEIN_H

#include "edits/equal_positions.h"

#define RB_SMALL_BAND (INT64_C(1) << 17) /* words of a band that are always worth their memory */

enum { RB_HITS, RB_SUBSTITUTIONS, RB_DELETIONS, RB_INSERTIONS, RB_EDIT_COUNTS };

/* Words for the bits of n rows. */
static inline int64_t rb_row_words(int64_t n) { return (n + 63) / 64; }

/* Blocks of a band, at least one. */
static inline int64_t rb_band_blocks(int64_t n, int64_t n_blocks) {
    int64_t k = RB_SMALL_BAND / (2 * n + 1);
    if (k > n_blocks) k = n_blocks;
    if (k < 1) k = 1;
    while (64 * k * k < n_blocks) k++; /* as much for the band as for the beginnings of all */
    return k;
}

/* Words of memory for the alignment of texts of n tokens and of n_blocks, in bands of k blocks. */
static inline int64_t rb_levenshtein_words(int64_t n, int64_t n_blocks, int64_t k) {
    return 2 * rb_row_words(n) * (1 + (n_blocks + k - 1) / k) + 2 * n * k;
}

/* One block of `width` columns: `across` holds for each row whether its first cell is one more than
 * the cell on its left, and behind that whether it is one less; they become those of the last cell.
 * The words of each row go to `rows`, unless it is NULL. */
RB_INLINE void rb_levenshtein_block(const uint64_t *masks, int64_t n, int width, uint64_t *across,
                                    uint64_t *rows) {
    uint64_t *more = across, *less = across + rb_row_words(n);
    uint64_t vp = UINT64_MAX, vn = 0;
    int64_t i, k;
    for (i = 0; i < n; i += 64) {
        const int64_t end = n - i < 64 ? n - i : 64;
        uint64_t in_more = more[i / 64], in_less = less[i / 64], out_more = 0, out_less = 0;
        for (k = 0; k < end; k++) {
            const uint64_t x = masks[i + k] | (in_less & 1);
            const uint64_t d0 = (((x & vp) + vp) ^ vp) | x | vn;
            uint64_t hp = vn | ~(d0 | vp), hn = vp & d0;
            out_more |= (hp >> (width - 1) & 1) << k;
            out_less |= (hn >> (width - 1) & 1) << k;
            hp = hp << 1 | (in_more & 1);
            hn = hn << 1 | (in_less & 1);
            vp = hn | ~(d0 | hp);
            vn = hp & d0;
            in_more >>= 1;
            in_less >>= 1;
            if (rows != NULL) {
                rows[2 * (i + k)] = vp;
                rows[2 * (i + k) + 1] = vn;
            }
        }
        more[i / 64] = out_more;
        less[i / 64] = out_less;
    }
}

/* Blocks [begin, end) of all rows; `rows` is NULL or has room for all words of each. */
static inline int rb_levenshtein_blocks(rb_equal *e, int64_t begin, int64_t end, uint64_t *across,
                                        uint64_t *rows, rb_scratch *scratch) {
    const int64_t n = e->n;
    int64_t block;
    for (block = begin; block < end; block++) {
        const int64_t left = e->m - block * RB_BLOCK;
        const int width = left < RB_BLOCK ? (int)left : RB_BLOCK;
        const uint64_t *masks = rb_equal_block(e, block);
        if (rows == NULL) /* a constant for the compiler */
            rb_levenshtein_block(masks, n, width, across, NULL);
        else
            rb_levenshtein_block(masks, n, width, across, rows + 2 * n * (block - begin));
        if (rb_scratch_worked(scratch, n) < 0) return -1;
    }
    return 0;
}

/* Add what the alignment of two texts is made of to counts[RB_EDIT_COUNTS], in bands of up to k
 * blocks; `memory` is for texts at least as long, and for that k. */
static inline int rb_levenshtein_align(rb_equal *e, int64_t k, uint64_t *memory, rb_scratch *scratch,
                                       int64_t *counts) {
    const int64_t n = e->n, m = e->m, n_blocks = rb_equal_blocks(e), n_across = 2 * rb_row_words(n);
    int64_t row = n, column = m, band;
    uint64_t *across, *begins, *rows;
    if (n == 0 || m == 0) {
        counts[RB_DELETIONS] += m;
        counts[RB_INSERTIONS] += n;
        return 0;
    }
    if (k > n_blocks) k = n_blocks;
    across = memory;
    begins = across + n_across;
    rows = begins + (n_blocks + k - 1) / k * n_across;
    memset(across, 0xff, (size_t)(n_across / 2) * sizeof *across);
    memset(across + n_across / 2, 0, (size_t)(n_across / 2) * sizeof *across);
    for (band = 0; band * k < n_blocks; band++) {
        const int64_t end = (band + 1) * k < n_blocks ? (band + 1) * k : n_blocks;
        memcpy(begins + band * n_across, across, (size_t)n_across * sizeof *across);
        if (rb_levenshtein_blocks(e, band * k, end, across, end == n_blocks ? rows : NULL, scratch) < 0)
            return -1;
    }
    band--;
    while (row > 0 && column > 0) {
        const int64_t block = (column - 1) / RB_BLOCK, bit = (column - 1) % RB_BLOCK;
        const uint64_t *own;
        if (block < band * k) {
            band--;
            memcpy(across, begins + band * n_across, (size_t)n_across * sizeof *across);
            if (rb_levenshtein_blocks(e, band * k, (band + 1) * k, across, rows, scratch) < 0)
                return -1;
        }
        own = rows + 2 * n * (block - band * k);
        if (own[2 * (row - 1)] >> bit & 1) {
            counts[RB_DELETIONS]++;
            column--;
        } else if (row > 1 && own[2 * (row - 2) + 1] >> bit & 1) {
            counts[RB_INSERTIONS]++;
            row--;
        } else {
            row--;
            column--;
            counts[rb_equal_at(e, row, column) ? RB_HITS : RB_SUBSTITUTIONS]++;
        }
    }
    counts[RB_DELETIONS] += column;
    counts[RB_INSERTIONS] += row;
    return 0;
}

/* What the alignment of a hypothesis with one reference is made of. */
static inline int rb_edit_counts(const rb_tokens *hyps, int64_t hyp, const rb_tokens *refs, int64_t ref,
                                 rb_scratch *scratch, int64_t *counts) {
    const int64_t n = rb_segment_length(hyps, hyp), m = rb_segment_length(refs, ref);
    const int64_t n_equal = rb_equal_words(n, m), n_blocks = (m + RB_BLOCK - 1) / RB_BLOCK;
    const int64_t k = rb_band_blocks(n, n_blocks);
    uint64_t *memory = rb_scratch_words(scratch, n_equal + rb_levenshtein_words(n, n_blocks, k));
    rb_equal e;
    memset(counts, 0, RB_EDIT_COUNTS * sizeof *counts);
    if (memory == NULL || rb_equal_open(&e, memory, scratch, hyps, hyp, refs, ref) < 0) return -1;
    counts[RB_HITS] = rb_equal_strip(&e);
    return rb_levenshtein_align(&e, k, memory + n_equal, scratch, counts);
}

/* Distances of texts whose tokens are numbered, without an alignment. */
typedef struct {
    uint64_t *of_number; /* [numbers + 1] positions of a block; all 0 between two distances */
    uint64_t *rows;      /* [rows] */
    uint64_t *across;    /* [2, words of so many rows] */
} rb_number_masks;

/* Words of memory for texts of up to n tokens, compared with texts of up to n_numbers different. */
static inline int64_t rb_number_masks_words(int64_t n, int64_t n_numbers) {
    return n_numbers + 1 + n + 2 * rb_row_words(n);
}

static inline void rb_number_masks_place(rb_number_masks *s, uint64_t *memory, int64_t n,
                                         int64_t n_numbers) {
    s->of_number = memory;
    s->rows = s->of_number + n_numbers + 1;
    s->across = s->rows + n;
    memset(s->of_number, 0, (size_t)(n_numbers + 1) * sizeof *s->of_number);
}

/* The distance of two texts, or -1; a token of `a` that has number 0 is none of `b`. */
static inline int64_t rb_numbers_distance(rb_number_masks *s, const int32_t *a, int64_t n,
                                          const int32_t *b, int64_t m, rb_scratch *scratch) {
    const int64_t n_words = rb_row_words(n);
    int64_t distance = m, block, i;
    if (n == 0 || m == 0) return n + m;
    memset(s->across, 0xff, (size_t)n_words * sizeof *s->across);
    memset(s->across + n_words, 0, (size_t)n_words * sizeof *s->across);
    for (block = 0; block < m; block += RB_BLOCK) {
        const int64_t end = block + RB_BLOCK < m ? block + RB_BLOCK : m;
        for (i = block; i < end; i++) s->of_number[b[i]] |= UINT64_C(1) << (i - block);
        s->of_number[0] = 0;
        for (i = 0; i < n; i++) s->rows[i] = s->of_number[a[i]];
        for (i = block; i < end; i++) s->of_number[b[i]] = 0;
        rb_levenshtein_block(s->rows, n, (int)(end - block), s->across, NULL);
        if (rb_scratch_worked(scratch, n) < 0) return -1;
    }
    for (i = 0; i < n_words; i++)
        distance += rb_popcount(s->across[i]) - rb_popcount(s->across[n_words + i]);
    return distance;
}

#endif
