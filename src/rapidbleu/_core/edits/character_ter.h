/* CharacTER (Wang et al. 2016): words are moved, characters are edited. First the words of the
 * hypothesis move as long as that saves word edits. Then the characters of both texts are compared,
 * and the moves cost the mean length of the moved words, found by comparing the hypothesis before
 * and after. Memory is linear; time goes into the moves and one distance of characters. */
#ifndef RAPIDBLEU_EDITS_CHARACTER_TER_H
#define RAPIDBLEU_EDITS_CHARACTER_TER_H

#include "common/utf8.h"
#include "edits/distance_rows.h"
#include "metrics/rows.h"
#include "ngrams/hash_tables.h"
#include "text/token_table.h"

/* Moves of words in CharacTER (Wang et al. 2016). A move takes a run of words common to hypothesis
 * and reference to its position in the reference. From each pair of equal words in different
 * positions the run extends as far as possible. The move that leaves the fewest word edits is made,
 * among equals the one whose words come last in code point order, and so on while edits decrease.
 *
 * Distances are Levenshtein's, bit-parallel (distance_rows.h), one per move that is tried; bounds
 * avoid most of them. Any order of the words needs at least as many edits as words without a
 * partner; at that point the search ends. A move of k words across l words gains at most 2 * min(k,
 * l). In longer texts, distances of their parts, computed once a round, bound the gain of a move,
 * and a move that cannot gain more than the best so far is tried only if its words come later.
 *
 * Memory is linear, plus tables of parts of at most 16 MB. Each round takes one pass over two rows
 * of the tables per pair of equal words, and a distance of words per pair that the bounds admit.
 * Texts with few different words still take more than quadratic time. */

/* The tokens of a text as code points. */
typedef struct {
    int64_t n;
    int64_t *begin;  /* [n + 1] of each token */
    uint32_t *chars; /* of one token after the other */
} rb_spelling;

/* Upper bound of the bytes of a text's tokens. */
static inline int64_t rb_spelling_bytes(const rb_tokens *texts, int64_t text) {
    int64_t bytes = rb_segment_length(texts, text) * RB_SHORT_TOKEN, k;
    for (k = texts->first_long[text]; k < texts->first_long[text + 1]; k++)
        bytes += texts->longs[k].length;
    return bytes;
}

static inline void rb_spell(rb_spelling *s, const rb_tokens *texts, int64_t text) {
    int64_t k = texts->first_long[text], i, n_chars = 0;
    s->n = rb_segment_length(texts, text);
    for (i = 0; i < s->n; i++) {
        const int is_long = k < texts->first_long[text + 1] && texts->longs[k].index == i;
        uint8_t own[RB_SHORT_TOKEN + 8] = {0};
        const uint8_t *p = own, *end = own;
        s->begin[i] = n_chars;
        if (is_long) {
            p = texts->text + texts->longs[k].position;
            end = p + texts->longs[k++].length;
        } else {
            uint64_t word = rb_token_identity(texts, texts->first_token[text] + i);
            for (; word != 0; word >>= 8) own[end++ - own] = (uint8_t)word;
        }
        while (p < end) p += rb_decode(p, &s->chars[n_chars++]);
    }
    s->begin[s->n] = n_chars;
}

/* Distances of all prefixes of two texts, and of all suffixes: bounds for modified texts. A text
 * that begins with the first i tokens of `a` and ends with the tokens from k on passes through a
 * cell of row i of the first table and one of row k of the second. With `free` arbitrary tokens in
 * between, the minimum sum of two cells `free` columns apart is a lower bound: rows change by at
 * most 1 from cell to cell, so other cells are not better. A bound takes one pass over two rows of
 * 16-bit numbers, which compilers vectorize. Time and memory are the product of both lengths, four
 * bytes a cell, so only texts up to a size get tables. */
#define RB_MOST_CELLS (1 << 22) /* of a table */
#define RB_LONGEST_SIDE 16000   /* so that sums of two distances fit 16 bits */

typedef struct {
    int64_t width;  /* cells of a row */
    int16_t *front; /* [n + 1, m + 1] of the first i tokens of a and the first j of b */
    int16_t *back;  /* [n + 1, m + 1] of the tokens from i and from j on */
} rb_part_distances;

/* Words of memory; 0 if such texts get no tables. */
static inline int64_t rb_part_words(int64_t n, int64_t m) {
    if (n > RB_LONGEST_SIDE || m > RB_LONGEST_SIDE || (n + 1) * (m + 1) > RB_MOST_CELLS) return 0;
    return ((n + 1) * (m + 1) + 1) / 2;
}

static inline void rb_part_place(rb_part_distances *p, uint64_t *memory, int64_t n, int64_t m) {
    p->width = m + 1;
    p->front = (int16_t *)memory;
    p->back = p->front + (n + 1) * (m + 1);
}

/* The m cells of a row as far as they depend on the previous row, all at once; neighbors within the
 * row are applied later. `diagonal` and `above` are cells of the previous row. */
static inline void rb_part_row(int16_t *row, const int16_t *diagonal, const int16_t *above, int32_t a,
                               const int32_t *b, int64_t m) {
    int64_t j;
    for (j = 0; j < m; j++) {
        const int16_t one = (int16_t)(diagonal[j] + (a != b[j])), other = (int16_t)(above[j] + 1);
        row[j] = one < other ? one : other;
    }
}

static inline int rb_part_fill(rb_part_distances *p, const int32_t *a, int64_t n, const int32_t *b,
                               int64_t m, rb_scratch *scratch) {
    int16_t *row = p->front, *last;
    int64_t i, j;
    for (j = 0; j <= m; j++) row[j] = (int16_t)j;
    for (i = 0; i < n; i++) {
        last = row;
        row += p->width;
        rb_part_row(row + 1, last, last + 1, a[i], b, m);
        row[0] = (int16_t)(i + 1);
        for (j = 1; j <= m; j++)
            if (row[j] > row[j - 1] + 1) row[j] = (int16_t)(row[j - 1] + 1);
    }
    row = p->back + n * p->width;
    for (j = 0; j <= m; j++) row[j] = (int16_t)(m - j);
    for (i = n - 1; i >= 0; i--) {
        last = row;
        row -= p->width;
        rb_part_row(row, last + 1, last, a[i], b, m);
        row[m] = (int16_t)(n - i);
        for (j = m - 1; j >= 0; j--)
            if (row[j] > row[j + 1] + 1) row[j] = (int16_t)(row[j + 1] + 1);
    }
    return rb_scratch_worked(scratch, n * m);
}

/* Lower bound of the distance of texts that begin with the first i tokens of `a`, continue with
 * `free` arbitrary ones, and end with the tokens from k on. */
static inline int64_t rb_part_bound(const rb_part_distances *p, int64_t i, int64_t k, int64_t free) {
    const int16_t *front = p->front + i * p->width, *back = p->back + k * p->width + free;
    const int64_t n = p->width - free;
    int16_t least = INT16_MAX;
    int64_t j;
    if (n <= 0) return 0;
    for (j = 0; j < n; j++) {
        const int16_t sum = (int16_t)(front[j] + back[j]);
        least = sum < least ? sum : least;
    }
    return least;
}

typedef struct {
    int64_t n, m;
    int32_t *hyp;        /* [n] numbers of the words, in the order after the moves so far */
    int32_t *before;     /* [n] before any move */
    int32_t *ref;        /* [m] 0: a word not in the hypothesis */
    int32_t *moved;      /* [n] the hypothesis after the move being tried */
    int32_t *best;       /* [n] and after the best */
    int32_t *first;      /* [n + 1] by number: its first position in a text */
    int32_t *next;       /* [max(n, m)] next position of the same word, or -1 */
    int32_t *word;       /* [n + 1] by number: a position in `before` */
    rb_spelling hyp_words, ref_words;
    int32_t *a, *b;      /* numbers of the characters of both texts */
    uint32_t *slots;     /* [n_slots] of the characters' hash table: code point + 1 */
    int32_t *numbers;    /* [n_slots] */
    int64_t n_slots;     /* a power of two */
    rb_distance_rows rows;
    rb_part_distances parts; /* of `hyp` and `ref`; without rows if there are none */
    rb_scratch *scratch;
} rb_character_ter;

/* Number the words of both texts, and link the positions of the reference. */
static inline int rb_character_words(rb_character_ter *c, const rb_tokens *hyps, int64_t hyp,
                                     const rb_tokens *refs, int64_t ref) {
    int64_t i;
    if (rb_number_both(&c->scratch->tokens, refs, ref, c->ref, hyps, hyp, c->hyp) < 0) return -1;
    memcpy(c->before, c->hyp, (size_t)c->n * sizeof *c->hyp);
    memset(c->first, 0xff, (size_t)(c->n + 1) * sizeof *c->first);
    for (i = c->m - 1; i >= 0; i--) {
        c->next[i] = c->first[c->ref[i]];
        c->first[c->ref[i]] = (int32_t)i;
    }
    for (i = 0; i < c->n; i++) c->word[c->hyp[i]] = (int32_t)i;
    return 0;
}

/* Word edits needed for any order of the hypothesis. */
static inline int64_t rb_least_edits(const rb_character_ter *c) {
    uint64_t *counts = c->rows.of_number;
    int64_t common = 0, i;
    for (i = 0; i < c->m; i++) counts[c->ref[i]]++;
    counts[0] = 0;
    for (i = 0; i < c->n; i++)
        if (counts[c->hyp[i]] > 0) {
            counts[c->hyp[i]]--;
            common++;
        }
    for (i = 0; i < c->m; i++) counts[c->ref[i]] = 0;
    return (c->n > c->m ? c->n : c->m) - common;
}

/* Do the words `a` come after as many words `b` in code point order? */
static inline int rb_words_behind(const rb_character_ter *c, const int32_t *a, const int32_t *b) {
    const rb_spelling *s = &c->hyp_words;
    int64_t i = 0, k, one, other, n_one, n_other;
    while (i < c->n && a[i] == b[i]) i++;
    if (i == c->n) return 0;
    one = s->begin[c->word[a[i]]];
    other = s->begin[c->word[b[i]]];
    n_one = s->begin[c->word[a[i]] + 1] - one;
    n_other = s->begin[c->word[b[i]] + 1] - other;
    for (k = 0; k < n_one && k < n_other; k++)
        if (s->chars[one + k] != s->chars[other + k])
            return s->chars[one + k] > s->chars[other + k];
    return n_one > n_other;
}

static inline void rb_move_run(const rb_character_ter *c, int64_t start, int64_t length,
                               int64_t place) {
    const size_t size = sizeof *c->hyp;
    const int64_t behind = c->n - start - length;
    if (place <= start) {
        memcpy(c->moved, c->hyp, (size_t)place * size);
        memcpy(c->moved + place + length, c->hyp + place, (size_t)(start - place) * size);
        memcpy(c->moved + start + length, c->hyp + start + length, (size_t)behind * size);
    } else {
        memcpy(c->moved, c->hyp, (size_t)start * size);
        memcpy(c->moved + start, c->hyp + start + length, (size_t)(place - start) * size);
        memcpy(c->moved + place + length, c->hyp + place + length,
               (size_t)(c->n - place - length) * size);
    }
    memcpy(c->moved + place, c->hyp + start, (size_t)length * size);
}

typedef struct {
    int64_t start, length, place;
} rb_run_move;

/* Can a move save this many edits? At most twice the words that change positions. */
static inline int rb_may_differ(const rb_run_move *move, int64_t wanted) {
    const int64_t across = move->place > move->start ? move->place - move->start
                                                     : move->start - move->place;
    return 2 * (across < move->length ? across : move->length) >= wanted;
}

/* Can a move save this many of these edits? Removing the words saves at most their number more than
 * the move, inserting them likewise, and everything between both positions may become right. */
static inline int rb_may_save(const rb_character_ter *c, int64_t edits, int64_t wanted,
                              const rb_run_move *move) {
    const int64_t start = move->start, length = move->length, place = move->place;
    const int64_t into = place < start ? place : place + length;
    const int64_t first = place < start ? place : start;
    const int64_t end = place < start ? start + length : place + length;
    const rb_part_distances *p = &c->parts;
    return p->width == 0
        || (edits - rb_part_bound(p, start, start + length, 0) + length >= wanted
            && edits - rb_part_bound(p, into, into, length) + length >= wanted
            && edits - rb_part_bound(p, first, end, end - first) >= wanted);
}

/* Adopt a move that saves more edits than the best so far, or as many with later words. 0 or -1. */
static inline int rb_try_move(rb_character_ter *c, int64_t edits, const rb_run_move *move,
                              int64_t *gain) {
    int32_t *moved = c->moved;
    int64_t found, wanted = *gain > 0 ? *gain : 1;
    if (!rb_may_differ(move, wanted)) return 0;
    rb_move_run(c, move->start, move->length, move->place);
    wanted += *gain > 0 && !rb_words_behind(c, moved, c->best);
    if (!rb_may_save(c, edits, wanted, move)) return 0;
    found = rb_distance(&c->rows, moved, c->n, c->ref, c->m, NULL, c->scratch);
    if (found < 0) return -1;
    if (edits - found < wanted) return 0;
    *gain = edits - found;
    c->moved = c->best;
    c->best = moved;
    return 0;
}

/* Make the best move and return the word edits it saves; or -1. */
static inline int64_t rb_best_move(rb_character_ter *c, int64_t edits) {
    int64_t gain = 0, t;
    rb_run_move move;
    if (c->parts.width > 0
        && rb_part_fill(&c->parts, c->hyp, c->n, c->ref, c->m, c->scratch) < 0)
        return -1;
    for (move.start = 0; move.start < c->n; move.start++) {
        for (t = c->first[c->hyp[move.start]]; t >= 0; t = c->next[t]) {
            if (t == move.start) continue;
            move.length = 1;
            while (move.start + move.length < c->n && t + move.length < c->m
                   && c->hyp[move.start + move.length] == c->ref[t + move.length])
                move.length++;
            move.place = t + move.length < c->n ? t : c->n - move.length;
            if (rb_scratch_worked(c->scratch, move.length + c->parts.width / 8) < 0) return -1;
            if (rb_try_move(c, edits, &move, &gain) < 0) return -1;
        }
    }
    if (gain > 0) memcpy(c->hyp, c->best, (size_t)c->n * sizeof *c->hyp);
    return gain;
}

/* The number of a character; missing ones are added with `add`, and otherwise get 0. */
static inline int32_t rb_character_number(rb_character_ter *c, uint32_t code, int add,
                                          int32_t *n_numbers) {
    uint64_t slot = rb_hash_word(code, c->scratch->tokens.key);
    RB_PROBE(slot, c->n_slots, c->slots[slot] == 0 || c->slots[slot] == code + 1);
    if (c->slots[slot] != 0) return c->numbers[slot];
    if (!add) return 0;
    c->slots[slot] = code + 1;
    return c->numbers[slot] = ++*n_numbers;
}

/* Cost of the moves: the mean word length of each run that is now later. */
static inline double rb_cost_of_moves(const rb_character_ter *c) {
    const int64_t *begin = c->hyp_words.begin;
    double cost = 0.0;
    int64_t i, k;
    memset(c->first, 0xff, (size_t)(c->n + 1) * sizeof *c->first);
    for (i = c->n - 1; i >= 0; i--) {
        c->next[i] = c->first[c->hyp[i]];
        c->first[c->hyp[i]] = (int32_t)i;
    }
    for (i = 0; i < c->n;) {
        int32_t *first = &c->first[c->before[i]];
        int64_t length = 1;
        while (*first >= 0 && *first <= i) *first = c->next[*first];
        k = *first;
        if (c->before[i] == c->hyp[i] || k < 0) {
            i++;
            continue;
        }
        while (k + length < c->n && c->before[i + length] == c->hyp[k + length]) length++;
        cost += (double)(begin[i + length] - begin[i]) / (double)length;
        i += length;
    }
    return cost;
}

/* Edits of the characters of both texts, with words joined by spaces; or -1. */
static inline int64_t rb_character_edits(rb_character_ter *c) {
    const rb_spelling *h = &c->hyp_words, *r = &c->ref_words;
    int64_t n = 0, m = 0, front = 0, i, k;
    int32_t n_numbers = 0;
    memset(c->slots, 0, (size_t)c->n_slots * sizeof *c->slots);
    for (i = 0; i < c->m; i++) {
        if (i > 0) c->b[m++] = rb_character_number(c, ' ', 1, &n_numbers);
        for (k = r->begin[i]; k < r->begin[i + 1]; k++)
            c->b[m++] = rb_character_number(c, r->chars[k], 1, &n_numbers);
    }
    for (i = 0; i < c->n; i++) {
        const int64_t word = c->word[c->hyp[i]];
        if (i > 0) c->a[n++] = rb_character_number(c, ' ', 0, &n_numbers);
        for (k = h->begin[word]; k < h->begin[word + 1]; k++)
            c->a[n++] = rb_character_number(c, h->chars[k], 0, &n_numbers);
    }
    while (front < n && front < m && c->a[front] == c->b[front]) front++;
    while (n > front && m > front && c->a[n - 1] == c->b[m - 1]) n--, m--;
    return rb_distance(&c->rows, c->a + front, n - front, c->b + front, m - front, NULL,
                       c->scratch);
}

/* Lay everything out in scratch memory, and read both texts; -1 if memory runs out. */
static inline int rb_character_open(rb_character_ter *c, const rb_tokens *hyps, int64_t hyp,
                                    const rb_tokens *refs, int64_t ref, rb_scratch *scratch) {
    const int64_t n = rb_segment_length(hyps, hyp), m = rb_segment_length(refs, ref);
    const int64_t longer = n > m ? n : m;
    const int64_t n_chars = rb_spelling_bytes(hyps, hyp) + n;
    const int64_t m_chars = rb_spelling_bytes(refs, ref) + m;
    const int64_t most = n_chars > m_chars ? n_chars : m_chars;
    const int64_t n_numbers = n > m_chars ? n : m_chars; /* of words, or of characters */
    const int64_t part_words = m > RB_BLOCK ? rb_part_words(n, m) : 0;
    int64_t n_slots = 2, n_words; /* twice the number of code points suffices */
    uint64_t *memory;
    int32_t *ints;
    while (n_slots < 2 * m_chars && n_slots < 1 << 22) n_slots *= 2;
    n_words = rb_distance_words(most, n_numbers) + part_words + (n + 1) + (m + 1)
            + (4 * n + m + 2 * (n + 1) + longer + 2 * (n_chars + m_chars) + 2 * n_slots + 1) / 2;
    memory = rb_scratch_words(scratch, n_words);
    if (memory == NULL) return -1;
    c->scratch = scratch;
    c->n_slots = n_slots;
    c->n = n;
    c->m = m;
    rb_distance_place(&c->rows, memory, n_numbers);
    memory += rb_distance_words(most, n_numbers);
    c->parts.width = 0;
    if (part_words > 0) rb_part_place(&c->parts, memory, n, m);
    c->hyp_words.begin = (int64_t *)(memory + part_words);
    c->ref_words.begin = c->hyp_words.begin + n + 1;
    ints = (int32_t *)(c->ref_words.begin + m + 1);
    c->hyp = ints;
    c->before = c->hyp + n;
    c->moved = c->before + n;
    c->best = c->moved + n;
    c->ref = c->best + n;
    c->first = c->ref + m;
    c->word = c->first + n + 1;
    c->next = c->word + n + 1;
    c->a = c->next + longer;
    c->b = c->a + n_chars;
    c->numbers = c->b + m_chars;
    c->slots = (uint32_t *)(c->numbers + n_slots);
    c->hyp_words.chars = c->slots + n_slots;
    c->ref_words.chars = c->hyp_words.chars + n_chars;
    rb_spell(&c->hyp_words, hyps, hyp);
    rb_spell(&c->ref_words, refs, ref);
    return rb_character_words(c, hyps, hyp, refs, ref);
}

/* Score of a hypothesis and one reference, from 0 to 1; or -1. */
static inline double rb_character_score(const rb_tokens *hyps, int64_t hyp, const rb_tokens *refs,
                                        int64_t ref, rb_scratch *scratch) {
    rb_character_ter c;
    int64_t edits, least, gain, length;
    double cost;
    if (rb_segment_length(hyps, hyp) == 0) return 1.0;
    if (rb_character_open(&c, hyps, hyp, refs, ref, scratch) < 0) return -1.0;
    length = c.hyp_words.begin[c.n] + c.n - 1; /* with spaces between words */
    edits = rb_distance(&c.rows, c.hyp, c.n, c.ref, c.m, NULL, scratch);
    if (edits <= 0) return (double)edits;
    least = rb_least_edits(&c);
    for (gain = 1; gain > 0 && edits > least; edits -= gain) {
        gain = rb_best_move(&c, edits);
        if (gain < 0) return -1.0;
    }
    cost = rb_cost_of_moves(&c);
    edits = rb_character_edits(&c);
    if (edits < 0) return -1.0;
    cost += (double)edits;
    return length > 0 && cost < (double)length ? cost / (double)length : 1.0;
}

#endif
