/* Levenshtein's alignment of two texts by bit-parallel rows (Myers 1999, Hyyro 2003). The table of
 * distances has a row for each token of the hypothesis and a column for each token of the
 * reference. Neighbors differ by at most one, so 64 cells of a row are two words: where the next
 * cell is one more (vp) and where it is one less (vn). A row follows from the row above in some
 * fifteen operations; a stripe of up to four such blocks passes the changes of its last column from
 * row to row to the next stripe (distance_rows.h).
 *
 * Hits are found on the way back from the last cell, through the words of all rows. Among paths of
 * the same distance it follows RapidFuzz, and so jiwer: at each cell deletion comes first, then
 * insertion if the cell above came from the left, then the diagonal; common prefixes and suffixes
 * are hits from the start. Only insertions are counted on the way, because the lengths and the
 * distance determine the other counts.
 *
 * RapidFuzz splits texts whose table would take a megabyte (Hirschberg 1975): the hypothesis in the
 * middle, the reference at the first position where the distances of both parts have the minimum
 * sum. Each part is then aligned in the same way, using only the columns of its table that its
 * distance can reach. Since this may lead to another path of the same distance, it is done here as
 * well. The distance of the whole is first sought close to the diagonal. If it is larger, what was
 * found there is the length of a path, so a second search goes as far as that; the distances of
 * parts are known. So similar texts take time proportional to a length times the distance, and
 * memory is linear beyond the megabyte. */
#ifndef RAPIDBLEU_EDITS_LEVENSHTEIN_H
#define RAPIDBLEU_EDITS_LEVENSHTEIN_H

#include "edits/distance_rows.h"

#define RB_LARGE_TABLE (INT64_C(1) << 20) /* bytes from which on texts are split */
#define RB_FIRST_REACH 32                 /* the first search reaches this part of both lengths */

enum { RB_HITS, RB_SUBSTITUTIONS, RB_DELETIONS, RB_INSERTIONS, RB_EDIT_COUNTS };

typedef struct {
    int64_t *counts;     /* [RB_EDIT_COUNTS] */
    char *steps;         /* letters of the following steps, "=SDI"; NULL if not recorded */
    uint64_t *memory;
    int64_t n_words;     /* of memory */
    int64_t large;       /* bytes of a table from which on texts are split */
    rb_scratch *scratch;
} rb_alignment;

/* Prepend n steps, if recorded. */
static inline void rb_alignment_record(rb_alignment *t, char step, int64_t n) {
    if (t->steps == NULL) return;
    t->steps -= n;
    memset(t->steps, step, (size_t)n);
}

/* Go back from a cell, in row `*row` and column `*column`, until it leaves the stripe of rows after
 * `from` and columns after `begin`. `rows` has the words of a row above it first. Returns the
 * insertions. */
RB_INLINE int64_t rb_levenshtein_back(int n_blocks, const uint64_t *rows, const rb_equal *e,
                                      int64_t from, int64_t begin, int64_t *row, int64_t *column,
                                      char **steps) {
    int64_t i = *row - from, j = *column - begin, insertions = 0;
    while (i > 0 && j > 0) {
        const int64_t block = (j - 1) / RB_BLOCK;
        const uint64_t *own = rows + 2 * (i * n_blocks + block), *top = rows + 2 * block;
        uint64_t bit = UINT64_C(1) << (j - 1) % RB_BLOCK;
        while (bit != 0 && own > top) {
            char step;
            if (own[0] & bit) {
                step = 'D';
                bit >>= 1;
            } else if (own[1 - 2 * n_blocks] & bit) {
                step = 'I';
                own -= 2 * n_blocks;
                insertions++;
            } else {
                own -= 2 * n_blocks;
                step = steps != NULL
                            && rb_equal_at(e, from + (own - top) / (2 * n_blocks),
                                           begin + block * RB_BLOCK + rb_ctz(bit)) ? '=' : 'S';
                bit >>= 1;
            }
            if (steps != NULL) *--*steps = step;
        }
        i = (own - top) / (2 * n_blocks);
        j = block * RB_BLOCK + (bit != 0 ? rb_ctz(bit) + 1 : 0);
    }
    *row = from + i;
    *column = begin + j;
    return insertions;
}

/* Words of the rows of all stripes, each with one above them. */
static inline int64_t rb_levenshtein_words(const rb_reach *reach) {
    const int n_blocks = rb_stripe_blocks(reach->m);
    int64_t n_words = 2 * rb_row_words(reach->n), begin, from, to;
    for (begin = 0; begin < reach->m; begin += RB_BLOCK * n_blocks) {
        rb_reach_rows(reach, begin, begin + RB_BLOCK * n_blocks, &from, &to);
        n_words += 2 * n_blocks * (to - from + 1);
    }
    return n_words;
}

/* Compute the rows of columns [begin, end), which `rows` receives, and their last one. After
 * the last ones of all, the table need not be cleared. */
static inline void rb_levenshtein_rows(const rb_equal *e, const rb_reach *reach, int64_t begin,
                                       int64_t end, int is_last, uint64_t *across, uint64_t *rows,
                                       uint64_t *last) {
    const int n_blocks = rb_stripe_blocks(e->m);
    int64_t from, to;
    if (e->of_number == NULL) {
        rb_distance_stripe(1, e->masks, NULL, e->n, NULL, NULL, last, rows);
        return;
    }
    rb_distance_enter(e->of_number, e->b_numbers, begin, end, n_blocks);
    if (e->m > RB_BLOCK * RB_STRIPE) {
        rb_reach_rows(reach, begin, end, &from, &to);
        across += from / 64;
        rb_distance_stripe(RB_STRIPE, e->of_number, e->a_numbers + from, to - from, across,
                           across + rb_row_words(e->n), last, rows);
    } else
        RB_BY_BLOCKS(n_blocks, rb_distance_stripe, e->of_number, e->a_numbers, e->n, NULL, NULL,
                     last, rows)
    if (!is_last) rb_distance_clear(e->of_number, e->b_numbers, begin, end, n_blocks);
}

/* Align two texts, `most` edits apart unless that is -1, without splitting. 0 or -1. */
static inline int rb_levenshtein_align(const rb_equal *e, int64_t most, rb_alignment *t) {
    const rb_reach reach = rb_reach_of(e->n, e->m, most);
    const int n_blocks = rb_stripe_blocks(e->m), width = RB_BLOCK * n_blocks;
    const int64_t n_words = rb_levenshtein_words(&reach);
    int64_t row = e->n, column = e->m, distance = e->n, insertions = 0, begin, from, to;
    uint64_t *own = NULL, *across = t->memory, *rows;
    if (n_words > t->n_words) {
        across = own = (uint64_t *)rb_allocate(n_words, sizeof *own);
        if (own == NULL) return -1;
    }
    rows = across + 2 * rb_row_words(e->n);
    if (e->m > width) rb_across_open(across, e->n);
    for (begin = 0; begin < e->m; begin += width) {
        const int64_t end = begin + width < e->m ? begin + width : e->m;
        uint64_t last[2 * RB_STRIPE];
        rb_reach_rows(&reach, begin, begin + width, &from, &to);
        memset(rows, 0, (size_t)(2 * n_blocks) * sizeof *rows);
        rb_levenshtein_rows(e, &reach, begin, end, most < 0 && end == e->m, across,
                            rows + 2 * n_blocks, last);
        rows += 2 * n_blocks * (to - from + 1);
        distance += rb_row_sum(last, end - begin);
        if (rb_scratch_worked(t->scratch, (to - from) * n_blocks) < 0) {
            PyMem_RawFree(own);
            return -1;
        }
    }
    while (row > 0 && column > 0) {
        begin -= width;
        rb_reach_rows(&reach, begin, begin + width, &from, &to);
        rows -= 2 * n_blocks * (to - from + 1);
        if (t->steps != NULL)
            insertions += rb_levenshtein_back(n_blocks, rows, e, from, begin, &row, &column, &t->steps);
        else
            insertions += rb_levenshtein_back(n_blocks, rows, e, from, begin, &row, &column, NULL);
    }
    PyMem_RawFree(own);
    rb_alignment_record(t, 'D', column);
    rb_alignment_record(t, 'I', row);
    insertions += row;
    if (most >= 0) distance = most;
    t->counts[RB_INSERTIONS] += insertions;
    t->counts[RB_DELETIONS] += insertions + e->m - e->n;
    t->counts[RB_SUBSTITUTIONS] += distance - 2 * insertions + e->n - e->m;
    t->counts[RB_HITS] += e->m - distance + insertions;
    return 0;
}

static inline int64_t rb_cut_words(int64_t n, int64_t m) {
    return 2 * rb_row_words(n) + 4 * (rb_row_words(m) + RB_STRIPE) + (n + m + 1) / 2;
}

/* Split of the reference for a hypothesis split in the middle, and both distances: exact if their
 * sum is at most `most`, else the lengths of some path. 0 or -1. */
static inline int rb_levenshtein_cut(const rb_equal *e, int64_t most, const rb_alignment *t,
                                     int64_t *place, int64_t *before, int64_t *behind) {
    const int64_t middle = e->n / 2, rest = e->n - middle, m = e->m;
    rb_reach reach = rb_reach_of(e->n, m, most);
    rb_distance_rows rows = {e->of_number, t->memory};
    uint64_t *down = t->memory + 2 * rb_row_words(e->n);
    uint64_t *up = down + 2 * (rb_row_words(m) + RB_STRIPE);
    int32_t *a = (int32_t *)(up + 2 * (rb_row_words(m) + RB_STRIPE)), *b = a + rest;
    int64_t first, last, left, right, j;
    for (j = 0; j < rest; j++) a[j] = e->a_numbers[e->n - 1 - j];
    for (j = 0; j < m; j++) b[j] = e->b_numbers[m - 1 - j];
    reach.n = middle;
    if (rb_distance_within(&rows, e->a_numbers, e->b_numbers, &reach, down, &first, &left,
                           t->scratch) < 0)
        return -1;
    reach.n = rest;
    right = rb_distance_within(&rows, a, b, &reach, up, &last, before, t->scratch);
    if (right < 0) return -1;
    *place = -1;
    for (j = 0; j <= m - last; j++) {
        const uint64_t *own = down + (j - 1) / 64 * 2, *other = up + (m - j) / 64 * 2;
        if (j > 0)
            right -= (int64_t)(other[0] >> ((m - j) % 64) & 1) - (int64_t)(other[1] >> ((m - j) % 64) & 1);
        if (j > first)
            left += (int64_t)(own[0] >> ((j - 1) % 64) & 1) - (int64_t)(own[1] >> ((j - 1) % 64) & 1);
        if (j >= first && (*place < 0 || left + right < *before + *behind)) {
            *place = j;
            *before = left;
            *behind = right;
        }
    }
    return rb_scratch_worked(t->scratch, 4 * m);
}

/* Align two texts, `most` edits apart unless that is -1. 0 or -1. */
static inline int rb_levenshtein_part(rb_equal e, int64_t most, rb_alignment *t) {
    int64_t front, place = 0, before = 0, behind = 0, reach;
    const int64_t both = rb_equal_strip(&e, &front);
    t->counts[RB_HITS] += both;
    rb_alignment_record(t, '=', both - front);
    reach = most < 0 || 2 * most + 1 > e.m ? e.m : 2 * most + 1;
    if (2 * reach * e.n / 8 < t->large || e.m <= RB_BLOCK || e.n < 10) {
        if (rb_levenshtein_align(&e, most, t) < 0) return -1;
    } else {
        rb_equal part = e;
        if (most < 0) most = (e.n < e.m ? e.m - e.n : e.n - e.m) + (e.n + e.m) / RB_FIRST_REACH;
        for (;; most = before + behind) {
            if (rb_levenshtein_cut(&e, most, t, &place, &before, &behind) < 0) return -1;
            if (before + behind <= most) break;
        }
        part.n = e.n - e.n / 2;
        part.m = e.m - place;
        part.a_numbers += e.n / 2;
        part.b_numbers += place;
        if (rb_levenshtein_part(part, behind, t) < 0) return -1;
        e.n /= 2;
        e.m = place;
        if (rb_levenshtein_part(e, before, t) < 0) return -1;
    }
    rb_alignment_record(t, '=', front);
    return 0;
}

/* Place an alignment of up to n and m tokens after the first n_equal words of scratch memory, which
 * it returns; or NULL. What a table of large texts needs beyond that depends on their parts. */
static inline uint64_t *rb_alignment_place(rb_alignment *t, int64_t n, int64_t m, int64_t n_equal) {
    const rb_reach all = rb_reach_of(n, m, -1);
    uint64_t *memory;
    t->n_words = n * m / 4 < t->large ? rb_levenshtein_words(&all) : rb_cut_words(n, m);
    memory = rb_scratch_words(t->scratch, n_equal + t->n_words);
    t->memory = memory + n_equal;
    return memory;
}

static inline int rb_edit_counts(const rb_tokens *hyps, int64_t hyp, const rb_tokens *refs, int64_t ref,
                                 rb_scratch *scratch, int64_t *counts) {
    const int64_t n = rb_segment_length(hyps, hyp), m = rb_segment_length(refs, ref);
    rb_alignment t = {counts, NULL, NULL, 0, RB_LARGE_TABLE, scratch};
    uint64_t *memory = rb_alignment_place(&t, n, m, rb_equal_words(n, m));
    rb_equal e;
    memset(counts, 0, RB_EDIT_COUNTS * sizeof *counts);
    if (memory == NULL || rb_equal_open(&e, memory, scratch, hyps, hyp, refs, ref) < 0) return -1;
    return rb_levenshtein_part(e, -1, &t);
}

/* Align numbered texts: tokens of `b` from 1 to m, tokens of `a` that are not in `b` 0. Writes a
 * letter for each step before `end` and returns their number, or -1. */
static inline int64_t rb_edit_steps(const int32_t *a, int64_t n, const int32_t *b, int64_t m,
                                    int64_t large, char *end, rb_scratch *scratch) {
    int64_t counts[RB_EDIT_COUNTS] = {0};
    rb_alignment t = {counts, end, NULL, 0, large, scratch};
    uint64_t *memory = rb_alignment_place(&t, n, m, (m + 1) * rb_stripe_blocks(m));
    rb_equal e;
    if (memory == NULL) return -1;
    rb_equal_of_numbers(&e, memory, m + 1, a, n, b, m);
    return rb_levenshtein_part(e, -1, &t) < 0 ? -1 : end - t.steps;
}

#endif
