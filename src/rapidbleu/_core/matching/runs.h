/* Runs of equal tokens of two texts: pairs of positions at which both texts have the same tokens. A
 * text's tokens are numbered and the positions of each number linked, so that all pairs of
 * positions with equal tokens are visited row by row, in order: time is the number of such pairs,
 * memory is linear. The run that ends at a pair is one longer than the run at the preceding pair.
 * Greedy runs (GTM: Melamed et al. 2003, Turian et al. 2003): repeatedly take the longest run of
 * free tokens, among equals the first in the hypothesis, then in the reference. One walk finds the
 * maximum length, a second takes all runs of this length. */
#ifndef RAPIDBLEU_MATCHING_RUNS_H
#define RAPIDBLEU_MATCHING_RUNS_H

#include "metrics/rows.h"
#include "ngrams/hash_tables.h"
#include <math.h>

/* A text `b` as token numbers, and a text `a` in the same numbers. */
typedef struct {
    int64_t n, m, longer; /* lengths and their maximum, which bounds the numbers */
    int32_t *a, *b;  /* [n], [m] numbers; 0: a token of a that is not in b */
    int32_t *next;   /* [m] next position of the same token, or -1 */
    int32_t *first;  /* [longer + 1] first position of each number */
    int32_t *before; /* [m + 1] lengths of runs that end in the previous row, by position + 1 */
    int32_t *here;   /* [m + 1] and in this row */
} rb_runs;

static inline int64_t rb_runs_words(int64_t n, int64_t m) {
    return (n + 2 * m + 2 * (m + 1) + (n > m ? n : m) + 1 + 1) / 2;
}

static inline void rb_runs_link(rb_runs *r) {
    int64_t j;
    memset(r->first, 0xff, (size_t)(r->longer + 1) * sizeof *r->first);
    for (j = r->m - 1; j >= 0; j--) {
        r->next[j] = r->first[r->b[j]];
        r->first[r->b[j]] = (int32_t)j;
    }
    r->first[0] = -1;
}

static inline void rb_runs_place(rb_runs *r, uint64_t *memory, int64_t n, int64_t m) {
    r->n = n;
    r->m = m;
    r->longer = n > m ? n : m;
    r->before = (int32_t *)memory;
    r->here = r->before + m + 1;
    r->first = r->here + m + 1;
    r->next = r->first + r->longer + 1;
    r->b = r->next + m;
    r->a = r->b + m;
}

static inline void rb_runs_next_row(rb_runs *r) {
    int32_t *here = r->here;
    r->here = r->before;
    r->before = here;
}

/* Clear the lengths of the row before the previous one, for its token. */
static inline void rb_runs_forget(rb_runs *r, int32_t number) {
    int32_t j;
    for (j = r->first[number]; j >= 0; j = r->next[j]) r->here[j + 1] = 0;
}

typedef struct {
    rb_runs runs;
    uint8_t *used_a, *used_b; /* [n], [m] is the token in a run? */
} rb_greedy;

static inline int64_t rb_greedy_words(int64_t n, int64_t m) {
    return rb_runs_words(n, m) + (n + m + 7) / 8;
}

/* Visit all runs of free tokens. With length 0 return the maximum length; otherwise take all runs
 * of that (maximum) length and return their number; -1 after an error. */
static inline int64_t rb_greedy_walk(rb_greedy *g, int32_t length, rb_scratch *s) {
    rb_runs *r = &g->runs;
    int64_t found = 0, i, n_pairs;
    int32_t j, k, older = 0, old = 0; /* numbers of the two previous tokens */
    memset(r->before, 0, (size_t)(r->m + 1) * sizeof *r->before);
    memset(r->here, 0, (size_t)(r->m + 1) * sizeof *r->here);
    for (i = 0; i < r->n; i++) {
        const int32_t number = g->used_a[i] ? 0 : r->a[i];
        rb_runs_next_row(r);
        rb_runs_forget(r, older);
        older = old;
        old = number;
        for (j = r->first[number], n_pairs = 1; j >= 0; j = r->next[j], n_pairs++) {
            const int32_t run = g->used_b[j] ? 0 : r->before[j] + 1;
            r->here[j + 1] = run;
            if (length == 0) {
                found = run > found ? run : found;
                continue;
            }
            if (run != length) continue;
            for (k = 0; k < length && !g->used_a[i - k] && !g->used_b[j - k]; k++) continue;
            if (k < length) continue; /* overlaps a run taken meanwhile */
            memset(g->used_a + i + 1 - length, 1, (size_t)length);
            memset(g->used_b + j + 1 - length, 1, (size_t)length);
            found++;
        }
        if (rb_scratch_worked(s, n_pairs) < 0) return -1;
    }
    return found;
}

/* Sum of length**exponent of the greedy runs of hypothesis and reference; -1 after an error. */
static inline double rb_greedy_runs(const rb_tokens *hyps, int64_t hyp, const rb_tokens *refs,
                                    int64_t ref, double exponent, rb_scratch *s) {
    const int64_t n = rb_segment_length(hyps, hyp), m = rb_segment_length(refs, ref);
    uint64_t *memory = rb_scratch_words(s, rb_greedy_words(n, m));
    rb_greedy g;
    double sum = 0.0;
    int64_t length, count;
    if (memory == NULL) return -1.0;
    rb_runs_place(&g.runs, memory, n, m);
    g.used_a = (uint8_t *)(memory + rb_runs_words(n, m));
    g.used_b = g.used_a + n;
    memset(g.used_a, 0, (size_t)(n + m));
    if (rb_number_both(&s->tokens, hyps, hyp, g.runs.a, refs, ref, g.runs.b) < 0) return -1.0;
    rb_runs_link(&g.runs);
    for (;;) {
        length = rb_greedy_walk(&g, 0, s);
        if (length <= 0) return length < 0 ? -1.0 : sum;
        count = rb_greedy_walk(&g, (int32_t)length, s);
        if (count < 0) return -1.0;
        sum += (double)count * pow((double)length, exponent);
        if (length == 1) return sum;
    }
}

/* Word alignment and word order (RIBES: Isozaki et al. 2010).
 *
 * A word that both texts contain once is aligned. Any other word needs the shortest context that
 * makes it unique in both: the n words before it, or the n words after it. The longest run of equal
 * tokens that ends at a word and a position of the reference shows for which n the context occurs,
 * and the second longest for which it occurs twice, so contexts are never counted. One walk over
 * the pairs of positions with equal tokens finds the minimum n for all words, another over the
 * reversed texts the contexts after words. Texts of up to 64 words need no runs: words of bits show
 * at which positions a word and its context occur. */

/* The context of a word on one side: its length and the word's position; n < 0: none. */
typedef struct {
    int32_t n, place;
} rb_context;

/* For each token i of a: the longest run that ends there, its position in b, and the second
 * longest; `own` excludes position i itself. */
static inline int rb_longest_runs(rb_runs *r, int own, int32_t *longest, int32_t *place,
                                  int32_t *second, rb_scratch *s) {
    int64_t i, n_pairs;
    int32_t j, older = 0, old = 0;
    memset(r->before, 0, (size_t)(r->m + 1) * sizeof *r->before);
    memset(r->here, 0, (size_t)(r->m + 1) * sizeof *r->here);
    for (i = 0; i < r->n; i++) {
        rb_runs_next_row(r);
        rb_runs_forget(r, older);
        older = old;
        old = r->a[i];
        longest[i] = second[i] = 0;
        place[i] = -1;
        for (j = r->first[r->a[i]], n_pairs = 1; j >= 0; j = r->next[j], n_pairs++) {
            const int32_t run = r->before[j] + 1;
            r->here[j + 1] = run;
            if (own && j == i) continue;
            if (run > longest[i]) {
                second[i] = longest[i];
                longest[i] = run;
                place[i] = j;
            } else if (run > second[i])
                second[i] = run;
        }
        if (rb_scratch_worked(s, n_pairs) < 0) return -1;
    }
    return 0;
}

static inline int64_t rb_order_words(int64_t n, int64_t m) {
    return rb_runs_words(n, n) + rb_runs_words(n, m) + 2 * n + (4 * n + m + 2) / 2;
}

static inline void rb_reverse(int32_t *numbers, int64_t n) {
    int64_t i;
    for (i = 0; i < n / 2; i++) {
        const int32_t kept = numbers[i];
        numbers[i] = numbers[n - 1 - i];
        numbers[n - 1 - i] = kept;
    }
}

/* The contexts before each word, or after it if the texts are reversed. */
static inline int rb_contexts(rb_runs *in_hyp, rb_runs *in_ref, int32_t *work, rb_context *contexts,
                              rb_scratch *s) {
    const int64_t n = in_hyp->n;
    int32_t *longest = work, *place = work + n, *second = work + 2 * n, *others = work + 3 * n;
    int64_t i;
    if (rb_longest_runs(in_hyp, 1, others, place, second, s) < 0) return -1;
    if (rb_longest_runs(in_ref, 0, longest, place, second, s) < 0) return -1;
    for (i = 0; i < n; i++) {
        const int32_t least = second[i] > others[i] ? second[i] : others[i];
        contexts[i].n = least < longest[i] ? least : -1;
        contexts[i].place = place[i];
    }
    return 0;
}

/* Number of pairs of aligned words in the same order: pairs (i, j), i before j, with ascending
 * positions. `sums` has room for m + 1. */
static inline int64_t rb_ascending_pairs(const int32_t *places, int64_t n, int64_t m, int32_t *sums) {
    int64_t pairs = 0, i, k;
    memset(sums, 0, (size_t)(m + 1) * sizeof *sums);
    for (i = 0; i < n; i++) {
        if (places[i] < 0) continue;
        for (k = places[i]; k > 0; k &= k - 1) pairs += sums[k]; /* all positions before */
        for (k = places[i] + 1; k <= m; k += k & -k) sums[k]++;
    }
    return pairs;
}

/* Position of word i of n in a reference of m, from its contexts; -1 if none. */
static inline int32_t rb_place_of(rb_context left, rb_context right, int64_t i, int64_t n, int64_t m,
                                  int as_nltk) {
    if (as_nltk) {
        int64_t end = i > n - i + 1 ? i : n - i + 1;
        if (end > m) end = m;
        if (left.n > 0 && left.n >= end) left.n = -1;
        if (right.n > 0 && right.n >= end) right.n = -1;
    }
    if (left.n >= 0 && (right.n < 0 || (as_nltk ? left.n < right.n : left.n <= right.n)))
        return left.place;
    return right.n < 0 ? -1 : right.place;
}

/* The context of word i before it (`step` -1) or after it (1), from the positions of each word of
 * the hypothesis in either text. Each further word shifts one position, and leaves fewer. */
static inline rb_context rb_context_of_bits(const uint64_t *in_hyp, const uint64_t *in_ref, int64_t n,
                                            int64_t i, int step) {
    uint64_t hyp = in_hyp[i], ref = in_ref[i];
    int64_t k = i;
    rb_context found = {0, -1};
    while (ref != 0 && ((hyp & (hyp - 1)) != 0 || (ref & (ref - 1)) != 0)) {
        k += step;
        if (k < 0 || k >= n) return (rb_context){-1, -1};
        found.n++;
        hyp &= step < 0 ? in_hyp[k] << found.n : in_hyp[k] >> found.n;
        ref &= step < 0 ? in_ref[k] << found.n : in_ref[k] >> found.n;
    }
    if (ref == 0) return (rb_context){-1, -1};
    found.place = rb_ctz(ref);
    return found;
}

/* rb_word_order of texts of up to 64 words. At most two words are aligned with the same position,
 * by one context before and one after. */
static inline int rb_order_of_bits(const rb_tokens *hyps, int64_t hyp, const rb_tokens *refs,
                                   int64_t ref, int as_nltk, int64_t *aligned, int64_t *ascending,
                                   rb_scratch *s) {
    const rb_masks_fn masks_of = s->clipping.matcher.masks;
    const int64_t n = rb_segment_length(hyps, hyp), m = rb_segment_length(refs, ref);
    uint64_t *in_hyp = rb_scratch_words(s, 3 * n), *in_ref;
    uint64_t once = 0, twice = 0; /* positions aligned */
    int64_t i;
    if (in_hyp == NULL) return -1;
    in_ref = in_hyp + n;
    rb_token_masks(masks_of, hyps, hyp, hyps, hyp, in_hyp, in_ref + n);
    rb_token_masks(masks_of, hyps, hyp, refs, ref, in_ref, in_ref + n);
    for (i = 0; i < n; i++) {
        rb_context context;
        uint64_t bit;
        if (in_ref[i] == 0) continue;
        context = rb_context_of_bits(in_hyp, in_ref, n, i, -1);
        if (context.n != 0)
            context.place = rb_place_of(context, rb_context_of_bits(in_hyp, in_ref, n, i, 1), i, n, m,
                                        as_nltk);
        if (context.place < 0) continue;
        bit = UINT64_C(1) << context.place;
        ++*aligned;
        *ascending += rb_popcount(once & (bit - 1));
        if (twice != 0) *ascending += rb_popcount(twice & (bit - 1));
        twice |= once & bit;
        once |= bit;
    }
    return rb_scratch_worked(s, n);
}

/* Align the words of a hypothesis and one reference, and count aligned words and ascending pairs.
 * NLTK tries contexts after the word first, and fewer of them. */
static inline int rb_word_order(const rb_tokens *hyps, int64_t hyp, const rb_tokens *refs, int64_t ref,
                                int as_nltk, int64_t *aligned, int64_t *ascending, rb_scratch *s) {
    const int64_t n = rb_segment_length(hyps, hyp), m = rb_segment_length(refs, ref);
    uint64_t *memory;
    rb_runs in_hyp, in_ref;
    rb_context *before, *behind;
    int32_t *work, *places;
    int64_t i;
    *aligned = *ascending = 0;
    if (n <= 64 && m <= 64)
        return rb_order_of_bits(hyps, hyp, refs, ref, as_nltk, aligned, ascending, s);
    memory = rb_scratch_words(s, rb_order_words(n, m));
    if (memory == NULL) return -1;
    rb_runs_place(&in_hyp, memory, n, n);
    rb_runs_place(&in_ref, memory + rb_runs_words(n, n), n, m);
    before = (rb_context *)(memory + rb_runs_words(n, n) + rb_runs_words(n, m));
    behind = before + n;
    work = (int32_t *)(behind + n);
    places = work; /* free when they are written */
    if (rb_number_both(&s->tokens, refs, ref, in_ref.b, hyps, hyp, in_hyp.b) < 0) return -1;
    rb_runs_link(&in_hyp);
    rb_runs_link(&in_ref);
    memcpy(in_hyp.a, in_hyp.b, (size_t)n * sizeof *in_hyp.a);
    memcpy(in_ref.a, in_hyp.b, (size_t)n * sizeof *in_ref.a);
    if (rb_contexts(&in_hyp, &in_ref, work, before, s) < 0) return -1;
    rb_reverse(in_hyp.a, n);
    rb_reverse(in_hyp.b, n);
    rb_reverse(in_ref.a, n);
    rb_reverse(in_ref.b, m);
    rb_runs_link(&in_hyp);
    rb_runs_link(&in_ref);
    if (rb_contexts(&in_hyp, &in_ref, work, behind, s) < 0) return -1;
    for (i = 0; i < n; i++) {
        rb_context right = behind[n - 1 - i];
        right.place = (int32_t)(m - 1 - right.place);
        places[i] = rb_place_of(before[i], right, i, n, m, as_nltk);
    }
    for (i = 0; i < n; i++) *aligned += places[i] >= 0;
    *ascending = rb_ascending_pairs(places, n, m, work + 4 * n);
    return 0;
}

#endif
