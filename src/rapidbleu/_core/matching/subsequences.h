/* Length of the longest common subsequence of two texts, bit by bit (Hyyro 2004). A cell of the
 * table of lengths equals its left neighbor or exceeds it by one: one bit. A row of 64 columns
 * follows from the row above by an addition, with one bit carried to the next block. */
#ifndef RAPIDBLEU_MATCHING_SUBSEQUENCES_H
#define RAPIDBLEU_MATCHING_SUBSEQUENCES_H

#include "common/memory.h"
#include "edits/distance_rows.h"
#include "metrics/rows.h"
#include "ngrams/hash_tables.h"
#include <math.h>

static inline int64_t rb_subsequence_words(int64_t n) { return (n + 63) / 64; }

/* All rows of one block: in the end, the length grows at columns whose bit is 0. */
RB_INLINE uint64_t rb_subsequence_block(const uint64_t *masks, int64_t n, uint64_t *carries) {
    uint64_t same = UINT64_MAX;
    int64_t i, k;
    for (i = 0; i < n; i += 64) {
        const int64_t end = n - i < 64 ? n - i : 64;
        uint64_t in = carries[i / 64], out = 0;
        for (k = 0; k < end; k++) {
            const uint64_t taken = same & masks[i + k];
            const uint64_t sum = same + taken, with_carry = sum + (in & 1);
            out |= (uint64_t)((sum < same) | (with_carry < sum)) << k;
            same = with_carry | (same - taken);
            in >>= 1;
        }
        carries[i / 64] = out;
    }
    return same;
}

static inline int64_t rb_common_subsequence(rb_equal *e, uint64_t *memory, rb_scratch *scratch) {
    int64_t block, length = 0;
    memset(memory, 0, (size_t)rb_subsequence_words(e->n) * sizeof *memory);
    for (block = 0; block < rb_equal_blocks(e); block++) {
        length += rb_popcount(~rb_subsequence_block(rb_equal_block(e, block), e->n, memory));
        if (rb_scratch_worked(scratch, e->n) < 0) return -1;
    }
    return length;
}

/* The length for a hypothesis and one reference; -1 after an error. */
static inline int64_t rb_subsequence_length(const rb_tokens *hyps, int64_t hyp, const rb_tokens *refs,
                                            int64_t ref, rb_scratch *scratch) {
    const int64_t n = rb_segment_length(hyps, hyp), m = rb_segment_length(refs, ref);
    const int64_t n_equal = rb_equal_words(n, m);
    uint64_t *memory = rb_scratch_words(scratch, n_equal + rb_subsequence_words(n));
    rb_equal e;
    int64_t both, front;
    if (memory == NULL || rb_equal_open(&e, memory, scratch, hyps, hyp, refs, ref) < 0) return -1;
    both = rb_equal_strip(&e, &front);
    if (e.n > 0 && e.m > 0) {
        const int64_t length = rb_common_subsequence(&e, memory + n_equal, scratch);
        return length < 0 ? -1 : both + length;
    }
    return both;
}

/* Scores of a text with n texts from the lengths of common subsequences, as rows keep them
 * (metrics/rows.h): F for a square of beta above 0, precision for 0 and recall for infinity. One
 * length of 0 has no hits, so any other divisor will do; without branches, and with numbers of 32
 * bits, compilers use vectors. */
static inline void rb_subsequence_scores(const int64_t *hits, int64_t n_hyp, const int *n_refs,
                                         int64_t n, double square, double scale, double *scores) {
    const double hyp = n_hyp > 0 ? (double)n_hyp : 1.0;
    const int has_f = square > 0.0 && square < INFINITY;
    int64_t i;
    for (i = 0; i < n; i++) {
        const double h = (double)(int32_t)hits[i];
        const double precision = h / hyp, recall = h / (double)(n_refs[i] > 0 ? n_refs[i] : 1);
        const double below = has_f ? square * precision + recall : 1.0;
        const double f = (1.0 + square) * precision * recall / (below > 0.0 ? below : 1.0);
        const double units = RB_UNITS * (has_f ? f : square > 0.0 ? recall : precision);
        const int32_t whole = (int32_t)units;
        const int32_t rest = (int32_t)((units - (double)whole) * RB_PARTS + 0.5);
        scores[i] = scale * (((double)whole + (double)rest / RB_PARTS) / RB_UNITS);
    }
}

/* The weighted longest common subsequence (ROUGE-W, Lin 2004, section 4): a run of k tokens weighs
 * k**weight. As in the paper, two equal tokens are always matched, extending the run before them;
 * otherwise the table keeps the best neighbor. Time is quadratic, memory linear. */
static inline int64_t rb_weighted_words(int64_t n, int64_t m) {
    const int64_t shorter = n < m ? n : m;
    return (n + 1) + (shorter + 2) + (n + 1 + n + m + 1) / 2;
}

/* Compute the gain of one more token by the length of the run before it. */
static inline void rb_run_gains(double *gains, int64_t n, double weight) {
    int64_t k;
    for (k = 0; k <= n; k++) gains[k] = pow((double)(k + 1), weight) - pow((double)k, weight);
}

static inline double rb_weighted_subsequence(const rb_tokens *hyps, int64_t hyp,
                                             const rb_tokens *refs, int64_t ref, double weight,
                                             rb_scratch *s) {
    const int64_t n = rb_segment_length(hyps, hyp), m = rb_segment_length(refs, ref);
    const int64_t shorter = n < m ? n : m;
    uint64_t *memory = rb_scratch_words(s, rb_weighted_words(n, m));
    double *row = (double *)memory, *gains;
    int32_t *runs, *hyp_numbers, *ref_numbers;
    int64_t i, j;
    if (memory == NULL) return -1.0;
    gains = row + n + 1;
    runs = (int32_t *)(gains + shorter + 2);
    hyp_numbers = runs + n + 1;
    ref_numbers = hyp_numbers + n;
    if (rb_number_both(&s->tokens, refs, ref, ref_numbers, hyps, hyp, hyp_numbers) < 0) return -1.0;
    rb_run_gains(gains, shorter + 1, weight);
    memset(runs, 0, (size_t)(n + 1) * sizeof *runs);
    for (j = 0; j <= n; j++) row[j] = 0.0;
    for (i = 0; i < m; i++) {
        double diagonal = 0.0;
        int32_t run = 0; /* that ends at the diagonal */
        for (j = 1; j <= n; j++) {
            const double above = row[j];
            const int32_t run_above = runs[j];
            if (hyp_numbers[j - 1] == ref_numbers[i]) {
                row[j] = diagonal + gains[run];
                runs[j] = run + 1;
            } else {
                row[j] = above > row[j - 1] ? above : row[j - 1];
                runs[j] = 0;
            }
            diagonal = above;
            run = run_above;
        }
        if (rb_scratch_worked(s, n) < 0) return -1.0;
    }
    return row[n];
}

/* Reference tokens in a common subsequence of their sentence and some sentence of the hypothesis:
 * ROUGE-Lsum, and ROUGE-W as computed by ROUGE-1.5.5.pl. A line feed token ends a sentence. For
 * each sentence of the reference, the positions of one longest common subsequence with each
 * sentence of the hypothesis are united. Which subsequence is decided on the way back from the last
 * cell of the table: equal tokens are matched, otherwise a reference token is skipped where that
 * costs nothing. A position then counts unless its token is used up, clipped to its number in
 * either text.
 *
 * Rows of lengths are bits, set for each token of the hypothesis's sentence that does not extend
 * the subsequence. Weighted lengths are doubles. */
#define RB_LINE_FEED UINT64_C(10) /* identity of the token: a short one is its bytes */

typedef struct {
    int32_t *hyp, *ref; /* numbers of tokens; -1: the end of a sentence; 0: not in the other text */
    int64_t n_hyp, n_ref;
    uint8_t *taken;     /* [n_ref] is the position in the union? */
    uint64_t *words;    /* sets of positions in a sentence by number, and rows of the table */
    int64_t capacity;
    double *cells;      /* the table of weighted lengths */
    int32_t *runs;
    int64_t n_cells, n_runs;
} rb_union;

/* Is the text one sentence? Then its subsequence needs no union. A long token may look like an end. */
static inline int rb_is_sentence(const rb_tokens *texts, int64_t text) {
    int64_t i, ends = 0;
    for (i = texts->first_token[text]; i < texts->first_token[text + 1]; i++)
        ends += rb_token_identity(texts, i) == RB_LINE_FEED;
    return ends == 0;
}

static inline void rb_union_init(rb_union *u) { memset(u, 0, sizeof *u); }

static inline void rb_union_free(rb_union *u) {
    PyMem_RawFree(u->hyp);
    PyMem_RawFree(u->words);
    PyMem_RawFree(u->cells);
    PyMem_RawFree(u->runs);
    memset(u, 0, sizeof *u);
}

static inline int rb_union_read(const rb_tokens *texts, int64_t text, int add, int32_t *numbers,
                                rb_scratch *s) {
    const int64_t n = rb_segment_length(texts, text), first = texts->first_token[text];
    int64_t k = texts->first_long[text], i;
    if (rb_token_numbers(&s->tokens, texts, text, add, numbers) < 0) return -1;
    for (i = 0; i < n; i++) {
        const int is_long = k < texts->first_long[text + 1] && texts->longs[k].index == i;
        if (!is_long && rb_token_identity(texts, first + i) == RB_LINE_FEED) numbers[i] = -1;
        k += is_long;
    }
    return 0;
}

static inline int rb_union_open(rb_union *u, const rb_tokens *hyps, int64_t hyp,
                                const rb_tokens *refs, int64_t ref, rb_scratch *s) {
    const int64_t n = rb_segment_length(hyps, hyp), m = rb_segment_length(refs, ref);
    PyMem_RawFree(u->hyp);
    u->hyp = (int32_t *)PyMem_RawMalloc(rb_bytes_of(n + m, sizeof *u->hyp) + (size_t)m + 1);
    if (u->hyp == NULL) return rb_no_memory();
    u->ref = u->hyp + n;
    u->taken = (uint8_t *)(u->ref + m);
    u->n_hyp = n;
    u->n_ref = m;
    memset(u->taken, 0, (size_t)m);
    if (rb_token_table_clear(&s->tokens, refs, m) < 0) return -1;
    if (rb_union_read(refs, ref, 1, u->ref, s) < 0) return -1;
    return rb_union_read(hyps, hyp, 0, u->hyp, s);
}

static inline int64_t rb_sentence_end(const int32_t *numbers, int64_t begin, int64_t n) {
    while (begin < n && numbers[begin] >= 0) begin++;
    return begin;
}

static inline int64_t rb_union_tokens(const int32_t *numbers, int64_t n) {
    int64_t i, count = 0;
    for (i = 0; i < n; i++) count += numbers[i] >= 0;
    return count;
}

/* Length of the subsequence at column j of a row of bits. */
static inline int64_t rb_union_length(const uint64_t *row, int64_t j) {
    int64_t length = 0, w;
    for (w = 0; w < j / 64; w++) length += 64 - rb_popcount(row[w]);
    if (j % 64 != 0) length += rb_popcount(~row[w] << (64 - j % 64));
    return length;
}

/* Unite the positions of a common subsequence of sentences ref[begin:end] and hyp[first:last];
 * `sets` contains the positions of each number in the latter. */
static inline int rb_union_sentences(rb_union *u, int64_t begin, int64_t end, int64_t first,
                                     int64_t last, const uint64_t *sets, uint64_t *rows,
                                     rb_scratch *s) {
    const int64_t n = last - first, n_words = (n + 63) / 64;
    int64_t i, j = n, w;
    memset(rows, 0xff, (size_t)n_words * sizeof *rows);
    for (i = begin; i < end; i++) {
        const uint64_t *above = rows + (i - begin) * n_words, *set = sets + u->ref[i] * n_words;
        uint64_t *row = rows + (i - begin + 1) * n_words, carry = 0;
        for (w = 0; w < n_words; w++) {
            const uint64_t taken = above[w] & set[w], sum = above[w] + taken, with = sum + carry;
            carry = (uint64_t)((sum < taken) | (with < sum));
            row[w] = with | (above[w] - taken);
        }
        if (rb_scratch_worked(s, n_words) < 0) return -1;
    }
    for (i = end; i > begin && j > 0;) {
        const uint64_t *above = rows + (i - begin - 1) * n_words;
        if (u->ref[i - 1] == u->hyp[first + j - 1]) {
            u->taken[--i] = 1;
            j--;
        } else if (rb_union_length(above, j) >= rb_union_length(above + n_words, j - 1))
            i--;
        else
            j--;
    }
    return 0;
}

static inline int rb_union_take(rb_union *u, int64_t n_numbers, rb_scratch *s) {
    int64_t first, last, begin, end, longest = 0, i;
    for (begin = 0; begin <= u->n_ref; begin = end + 1) {
        end = rb_sentence_end(u->ref, begin, u->n_ref);
        if (end - begin > longest) longest = end - begin;
    }
    for (first = 0; first <= u->n_hyp; first = last + 1) {
        int64_t n_words;
        uint64_t *rows;
        last = rb_sentence_end(u->hyp, first, u->n_hyp);
        n_words = (last - first + 63) / 64;
        if (n_words == 0) continue;
        if (rb_room((void **)&u->words, &u->capacity, (n_numbers + longest + 1) * n_words,
                    sizeof *u->words) < 0)
            return -1;
        memset(u->words, 0, (size_t)(n_numbers * n_words) * sizeof *u->words);
        rows = u->words + n_numbers * n_words;
        for (i = first; i < last; i++)
            u->words[u->hyp[i] * n_words + (i - first) / 64] |= UINT64_C(1) << (i - first) % 64;
        memset(u->words, 0, (size_t)n_words * sizeof *u->words); /* tokens not in the reference */
        for (begin = 0; begin <= u->n_ref; begin = end + 1) {
            end = rb_sentence_end(u->ref, begin, u->n_ref);
            if (end > begin
                && rb_union_sentences(u, begin, end, first, last, u->words, rows, s) < 0)
                return -1;
        }
    }
    return 0;
}

static inline int rb_union_take_weighted(rb_union *u, double weight, rb_scratch *s) {
    int64_t first, last, begin, end, i, j;
    for (first = 0; first <= u->n_hyp; first = last + 1) {
        last = rb_sentence_end(u->hyp, first, u->n_hyp);
        for (begin = 0; begin <= u->n_ref; begin = end + 1) {
            const int64_t n = last - first, wide = n + 1;
            double *gains;
            end = rb_sentence_end(u->ref, begin, u->n_ref);
            if (n == 0 || end == begin) continue;
            if (rb_room((void **)&u->cells, &u->n_cells, (end - begin + 1) * wide + n + 1,
                        sizeof *u->cells) < 0
                || rb_room((void **)&u->runs, &u->n_runs, 2 * wide, sizeof *u->runs) < 0)
                return -1;
            gains = u->cells + (end - begin + 1) * wide;
            rb_run_gains(gains, n, weight);
            memset(u->runs, 0, (size_t)(2 * wide) * sizeof *u->runs);
            for (j = 0; j <= n; j++) u->cells[j] = 0.0;
            for (i = 1; i <= end - begin; i++) {
                const double *above = u->cells + (i - 1) * wide;
                const int32_t *runs_above = u->runs + (i - 1) % 2 * wide;
                int32_t *runs = u->runs + i % 2 * wide;
                double *row = u->cells + i * wide;
                row[0] = 0.0;
                for (j = 1; j <= n; j++) {
                    const int equal = u->ref[begin + i - 1] == u->hyp[first + j - 1];
                    runs[j] = equal ? runs_above[j - 1] + 1 : 0;
                    if (equal)
                        row[j] = above[j - 1] + gains[runs_above[j - 1]];
                    else
                        row[j] = above[j] > row[j - 1] ? above[j] : row[j - 1];
                }
                if (rb_scratch_worked(s, n) < 0) return -1;
            }
            for (i = end - begin, j = n; i > 0 && j > 0;) {
                if (u->ref[begin + i - 1] == u->hyp[first + j - 1]) {
                    u->taken[begin + --i] = 1;
                    j--;
                } else if (u->cells[(i - 1) * wide + j] >= u->cells[i * wide + j - 1])
                    i--;
                else
                    j--;
            }
        }
    }
    return 0;
}

/* Sum of the united positions, with each token clipped to both texts: one each, or k**weight for k
 * in a row if weight is not 0. Used-up tokens neither extend a row nor end it. -1: error. */
static inline double rb_union_hits(rb_union *u, int64_t n_numbers, double weight) {
    int32_t *left = (int32_t *)rb_allocate(2 * n_numbers, sizeof *left);
    int32_t *in_hyp;
    double hits = 0.0;
    int64_t i, run = 0;
    if (left == NULL) return -1;
    in_hyp = left + n_numbers;
    memset(left, 0, (size_t)(2 * n_numbers) * sizeof *left);
    for (i = 0; i < u->n_hyp; i++)
        if (u->hyp[i] > 0) in_hyp[u->hyp[i]]++;
    for (i = 0; i < u->n_ref; i++)
        if (u->ref[i] > 0 && left[u->ref[i]] < in_hyp[u->ref[i]]) left[u->ref[i]]++;
    for (i = 0; i < u->n_ref; i++) {
        if (u->ref[i] < 0) run = 0;
        if (!u->taken[i] || left[u->ref[i]] == 0) continue;
        left[u->ref[i]]--;
        run++;
        if (weight == 0.0)
            hits += 1.0;
        else if (i + 1 == u->n_ref || u->ref[i + 1] < 0 || !u->taken[i + 1]) {
            hits += pow((double)run, weight);
            run = 0;
        }
    }
    PyMem_RawFree(left);
    return hits;
}

#endif
