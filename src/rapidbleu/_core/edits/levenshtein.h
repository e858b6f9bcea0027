/* Levenshtein's alignment of two texts by bit-parallel columns (Myers 1999, Hyyro 2003). The table
 * of distances has a row for each token of the hypothesis and a column for each token of the
 * reference. Neighbors differ by at most one, so 64 cells of a row are two words: where the next
 * cell is one more (vp) and where it is one less (vn). A row follows from the row above in some
 * fifteen operations; a block of 64 columns passes the changes of its last column from row to row
 * to the next block (two bits a row).
 *
 * Hits are found on the way back from the last cell. Among paths of the same distance it follows
 * RapidFuzz, and so jiwer: at each cell deletion comes first, then insertion if the cell above came
 * from the left, then the diagonal; common prefixes and suffixes are hits from the start.
 *
 * RapidFuzz splits texts whose table would take a megabyte (Hirschberg 1975): the hypothesis in the
 * middle, the reference at the first position where the distances of both parts (distance_rows.h)
 * have the minimum sum. Each part is then aligned in the same way, using only the columns of its
 * table that its distance can reach. Since this may lead to another path of the same distance, it
 * is done here as well.
 *
 * The way back needs the words of every row and block. They are stored for one band of blocks at a
 * time, the last band first; earlier bands are recomputed from two bits a row stored at the start
 * of each. So time is at most twice that for the distance, and memory grows with n * sqrt(m). */
#ifndef RAPIDBLEU_EDITS_LEVENSHTEIN_H
#define RAPIDBLEU_EDITS_LEVENSHTEIN_H

#include "edits/distance_rows.h"

#define RB_SMALL_BAND (INT64_C(1) << 17) /* words of a band that are always worth their memory */
#define RB_LARGE_TABLE (INT64_C(1) << 20) /* bytes from which on texts are split */

enum { RB_HITS, RB_SUBSTITUTIONS, RB_DELETIONS, RB_INSERTIONS, RB_EDIT_COUNTS };

typedef struct {
    int64_t *counts;     /* [RB_EDIT_COUNTS] */
    char *steps;         /* letters of the following steps, "=SDI"; NULL if not recorded */
    uint64_t *memory;
    int64_t band;        /* blocks whose words are stored at a time */
    int64_t large;       /* bytes of a table from which on texts are split */
    int64_t n_numbers;   /* of tokens */
    rb_scratch *scratch;
} rb_alignment;

/* Prepend n steps of a kind. */
static inline void rb_alignment_add(rb_alignment *t, int kind, int64_t n) {
    t->counts[kind] += n;
    if (t->steps != NULL) {
        t->steps -= n;
        memset(t->steps, "=SDI"[kind], (size_t)n);
    }
}

/* Blocks of a band, at least one. */
static inline int64_t rb_band_blocks(int64_t n, int64_t n_blocks) {
    int64_t k = RB_SMALL_BAND / (2 * n + 1);
    if (k > n_blocks) k = n_blocks;
    if (k < 1) k = 1;
    while (64 * k * k < n_blocks) k++; /* as much for the band as for the begins of all */
    return k;
}

static inline int64_t rb_levenshtein_words(int64_t n, int64_t n_blocks, int64_t k) {
    return 2 * rb_row_words(n) * (1 + (n_blocks + k - 1) / k) + 2 * n * k;
}

/* One block of `width` columns: `across` contains for each row whether its first cell is one more
 * than its left neighbor, followed by whether it is one less; on return, the same for the cell
 * after the last. The words of each row go to `rows`, unless NULL. */
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
        if (rows == NULL) /* a constant for the optimizer */
            rb_levenshtein_block(masks, n, width, across, NULL);
        else
            rb_levenshtein_block(masks, n, width, across, rows + 2 * n * (block - begin));
        if (rb_scratch_worked(scratch, n) < 0) return -1;
    }
    return 0;
}

/* Align two texts without splitting. 0 or -1. */
static inline int rb_levenshtein_align(rb_equal *e, rb_alignment *t) {
    rb_scratch *scratch = t->scratch;
    const int64_t n = e->n, m = e->m, n_blocks = rb_equal_blocks(e), n_across = 2 * rb_row_words(n);
    int64_t k = t->band < n_blocks ? t->band : n_blocks, row = n, column = m, band;
    uint64_t *across, *begins, *rows;
    if (n == 0 || m == 0) {
        rb_alignment_add(t, RB_DELETIONS, m);
        rb_alignment_add(t, RB_INSERTIONS, n);
        return 0;
    }
    across = t->memory;
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
            rb_alignment_add(t, RB_DELETIONS, 1);
            column--;
        } else if (row > 1 && own[2 * (row - 2) + 1] >> bit & 1) {
            rb_alignment_add(t, RB_INSERTIONS, 1);
            row--;
        } else {
            row--;
            column--;
            rb_alignment_add(t, rb_equal_at(e, row, column) ? RB_HITS : RB_SUBSTITUTIONS, 1);
        }
    }
    rb_alignment_add(t, RB_DELETIONS, column);
    rb_alignment_add(t, RB_INSERTIONS, row);
    return 0;
}

static inline int64_t rb_cut_words(int64_t n, int64_t m, int64_t n_numbers) {
    return rb_distance_words(n, n_numbers) + 4 * (rb_row_words(m) + RB_STRIPE) + (n + m + 1) / 2;
}

/* Split of the reference for a hypothesis split in the middle, and both distances. 0 or -1. */
static inline int rb_levenshtein_cut(const rb_equal *e, const rb_alignment *t, int64_t *place,
                                     int64_t *before, int64_t *behind) {
    const int64_t middle = e->n / 2, rest = e->n - middle, m = e->m;
    uint64_t *down = t->memory + rb_distance_words(e->n, t->n_numbers);
    uint64_t *up = down + 2 * (rb_row_words(m) + RB_STRIPE);
    int32_t *a = (int32_t *)(up + 2 * (rb_row_words(m) + RB_STRIPE)), *b = a + rest;
    rb_distance_rows rows;
    int64_t left = middle, right, j;
    for (j = 0; j < rest; j++) a[j] = e->a_numbers[e->n - 1 - j];
    for (j = 0; j < m; j++) b[j] = e->b_numbers[m - 1 - j];
    rb_distance_place(&rows, t->memory, t->n_numbers);
    if (rb_distance(&rows, e->a_numbers, middle, e->b_numbers, m, down, t->scratch) < 0) return -1;
    right = rb_distance(&rows, a, rest, b, m, up, t->scratch);
    if (right < 0) return -1;
    *place = 0;
    *before = left;
    *behind = right;
    for (j = 1; j <= m; j++) {
        const uint64_t *own = down + (j - 1) / 64 * 2, *other = up + (m - j) / 64 * 2;
        left += (int64_t)(own[0] >> ((j - 1) % 64) & 1) - (int64_t)(own[1] >> ((j - 1) % 64) & 1);
        right -= (int64_t)(other[0] >> ((m - j) % 64) & 1) - (int64_t)(other[1] >> ((m - j) % 64) & 1);
        if (left + right < *before + *behind) {
            *place = j;
            *before = left;
            *behind = right;
        }
    }
    return rb_scratch_worked(t->scratch, 4 * m);
}

/* Align two texts, at most `most` edits apart unless that is -1. 0 or -1. */
static inline int rb_levenshtein_part(rb_equal e, int64_t most, rb_alignment *t) {
    int64_t front, place, before, behind, reach;
    const int64_t both = rb_equal_strip(&e, &front);
    rb_alignment_add(t, RB_HITS, both - front);
    reach = most < 0 || 2 * most + 1 > e.m ? e.m : 2 * most + 1;
    if (2 * reach * e.n / 8 < t->large || e.m <= RB_BLOCK || e.n < 10) {
        if (rb_levenshtein_align(&e, t) < 0) return -1;
    } else {
        rb_equal part = e;
        if (rb_levenshtein_cut(&e, t, &place, &before, &behind) < 0) return -1;
        part.n = e.n - e.n / 2;
        part.m = e.m - place;
        part.a_numbers += e.n / 2;
        part.b_numbers += place;
        if (rb_levenshtein_part(part, behind, t) < 0) return -1;
        e.n /= 2;
        e.m = place;
        if (rb_levenshtein_part(e, before, t) < 0) return -1;
    }
    rb_alignment_add(t, RB_HITS, front);
    return 0;
}

static inline int64_t rb_alignment_words(const rb_alignment *t, int64_t n, int64_t m) {
    const int64_t whole = rb_levenshtein_words(n, rb_row_words(m), t->band);
    const int64_t cut = n * m / 4 < t->large ? 0 : rb_cut_words(n, m, m);
    return whole > cut ? whole : cut;
}

static inline int rb_edit_counts(const rb_tokens *hyps, int64_t hyp, const rb_tokens *refs, int64_t ref,
                                 rb_scratch *scratch, int64_t *counts) {
    const int64_t n = rb_segment_length(hyps, hyp), m = rb_segment_length(refs, ref);
    const int64_t n_equal = rb_equal_words(n, m);
    rb_alignment t = {counts, NULL, NULL, 0, RB_LARGE_TABLE, m, scratch};
    uint64_t *memory;
    rb_equal e;
    t.band = rb_band_blocks(n, rb_row_words(m));
    memory = rb_scratch_words(scratch, n_equal + rb_alignment_words(&t, n, m));
    memset(counts, 0, RB_EDIT_COUNTS * sizeof *counts);
    if (memory == NULL || rb_equal_open(&e, memory, scratch, hyps, hyp, refs, ref) < 0) return -1;
    t.memory = memory + n_equal;
    return rb_levenshtein_part(e, -1, &t);
}

/* Align numbered texts: tokens of `b` from 1 to m, tokens of `a` that are not in `b` 0. Writes a
 * letter for each step before `end` and returns their number, or -1. */
static inline int64_t rb_edit_steps(const int32_t *a, int64_t n, const int32_t *b, int64_t m,
                                    int64_t large, char *end, rb_scratch *scratch) {
    int64_t counts[RB_EDIT_COUNTS] = {0};
    rb_alignment t = {counts, end, NULL, 0, large, m, scratch};
    rb_equal e;
    uint64_t *memory;
    t.band = rb_band_blocks(n, rb_row_words(m));
    memory = rb_scratch_words(scratch, n + m + 1 + rb_alignment_words(&t, n, m));
    if (memory == NULL) return -1;
    rb_equal_of_numbers(&e, memory, a, n, b, m);
    t.memory = memory + n + m + 1;
    return rb_levenshtein_part(e, -1, &t) < 0 ? -1 : end - t.steps;
}

#endif
