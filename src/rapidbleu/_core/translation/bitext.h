/* A bitext, with the target words in an order of their own: all occurrences of the first word, then
 * all of the second, and so on.
 *
 * Sentences are arrays of words' numbers, one sentence behind the other, as they were read.  What
 * is sorted is 8 bytes for each target token: its pair and its place in the sentence.  A counting
 * sort keeps occurrences of a word in the order of the text, so source sentences are read from
 * front to back again and again, once for each target word that has something to do with them.
 *
 * Work is divided by target words into RB_UNITS parts with about as many tokens each.  The parts
 * are those of the bitext and not of the threads; what is added up by parts is therefore the same
 * for any number of threads. */
#ifndef RAPIDBLEU_TRANSLATION_BITEXT_H
#define RAPIDBLEU_TRANSLATION_BITEXT_H

#include "Python.h"
#include "common/bits.h"
#include "common/memory.h"
#include "common/signals.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define RB_UNITS 32

typedef struct {
    int32_t pair;
    int32_t place;
} rb_occurrence;

typedef struct {
    const int32_t *source, *target;               /* borrowed: [tokens], numbers of words */
    const int64_t *source_starts, *target_starts; /* borrowed: [n_pairs + 1] */
    int64_t n_pairs, n_source, n_target;          /* words; source word 0 is the empty word, NULL */
    bool null;                                    /* may NULL be translated? */
    int64_t *starts;                              /* [n_target + 1], of a word's occurrences */
    rb_occurrence *occurrences;                   /* [target tokens] */
    int64_t units[RB_UNITS + 1];                  /* the first target word of each part */
} rb_bitext;

static inline int64_t rb_source_len(const rb_bitext *b, int64_t pair) {
    return b->source_starts[pair + 1] - b->source_starts[pair];
}

static inline void rb_bitext_free(rb_bitext *b) {
    PyMem_RawFree(b->starts);
    PyMem_RawFree(b->occurrences);
    b->starts = NULL;
    b->occurrences = NULL;
}

/* Poll after so much work; -1 with an exception set. */
static inline int rb_work(int64_t *worked, int64_t more, PyObject *stop) {
    *worked += more + 1;
    if (*worked < RB_POLL_TOKENS) return 0;
    *worked = 0;
    return rb_poll_without_gil(stop);
}

/* The first word of each part: the one that holds the token where the part should begin. */
static inline void rb_bitext_divide(rb_bitext *b) {
    const double n_tokens = (double)b->starts[b->n_target];
    int64_t word = 0;
    int unit;
    for (unit = 0; unit < RB_UNITS; unit++) {
        b->units[unit] = word;
        while (word < b->n_target
               && (double)b->starts[word + 1] <= n_tokens * (unit + 1) / RB_UNITS)
            word++;
    }
    b->units[RB_UNITS] = b->n_target;
}

/* Sort the target tokens by word; -1 with an exception set.  Numbers of words are below n_target,
 * and sentences shorter than 2**31. */
static inline int rb_bitext_sort(rb_bitext *b) {
    const int64_t n_tokens = b->target_starts[b->n_pairs];
    int64_t i, k, pair;
    b->starts = PyMem_RawCalloc((size_t)b->n_target + 2, sizeof *b->starts);
    b->occurrences = PyMem_RawMalloc(rb_bytes_of(n_tokens + 1, sizeof *b->occurrences));
    if (b->starts == NULL || b->occurrences == NULL) return rb_no_memory();
    for (i = 0; i < n_tokens; i++) {
        b->starts[b->target[i] + 2]++;
        if (rb_poll_due(i, RB_POLL_TOKENS) && rb_poll_without_gil(NULL) < 0) return -1;
    }
    for (i = 2; i <= b->n_target; i++) b->starts[i] += b->starts[i - 1];
    /* starts[w + 1] is where the next occurrence of w goes, and in the end where those of w end */
    for (pair = 0; pair < b->n_pairs; pair++) {
        const int64_t begin = b->target_starts[pair], end = b->target_starts[pair + 1];
        for (k = begin; k < end; k++) {
            rb_occurrence *o = &b->occurrences[b->starts[b->target[k] + 1]++];
            o->pair = (int32_t)pair;
            o->place = (int32_t)(k - begin);
            if (rb_poll_due(k, RB_POLL_TOKENS) && rb_poll_without_gil(NULL) < 0) return -1;
        }
    }
    rb_bitext_divide(b);
    return 0;
}

/* The pairs of words that occur together: all that a table of translations has to hold.
 *
 * The table is kept by columns, one for each target word: the numbers of the source words that
 * stand opposite it somewhere, ascending, and a double for each of them.  12 bytes a pair of words;
 * other pairs have no probability and no memory.  A hundred thousand sentence pairs of 17 words
 * have about 18 million of them; a matrix of their vocabularies would have 12 billion.
 *
 * A column is found by a set of bits, one for each source word: whatever stands opposite the target
 * word sets its bit, often the same bit many times, and reading the bits gives each word once and
 * in order, so nothing is sorted.  Over 64 words of bits lies one of a second level, which says
 * where there are any: rare words have few.  Columns are gone through twice, to count and to write,
 * so the table is as large as it has to be.
 *
 * Time is linear in the products of the sentences' lengths, plus 1/4096 of that of the
 * vocabularies. */

typedef struct {
    uint64_t *bits; /* of source words; all clear between columns */
    uint64_t *any;  /* of words of `bits` */
    int64_t n_any;
} rb_word_set;

static inline int rb_word_set_init(rb_word_set *set, int64_t n_words) {
    set->n_any = n_words / 4096 + 1;
    set->bits = PyMem_RawCalloc((size_t)set->n_any * 64, sizeof *set->bits);
    set->any = PyMem_RawCalloc((size_t)set->n_any, sizeof *set->any);
    return set->bits == NULL || set->any == NULL ? rb_no_memory() : 0;
}

static inline void rb_word_set_free(rb_word_set *set) {
    PyMem_RawFree(set->bits);
    PyMem_RawFree(set->any);
}

static inline void rb_word_set_add(rb_word_set *set, int32_t word) {
    const uint32_t place = (uint32_t)word >> 6;
    set->bits[place] |= UINT64_C(1) << (word & 63);
    set->any[place >> 6] |= UINT64_C(1) << (place & 63);
}

/* Empty the set: how many words it had.  Those for which there is room are written. */
static inline int64_t rb_word_set_take(rb_word_set *set, int32_t *words, int64_t room) {
    int64_t i, n = 0;
    for (i = 0; i < set->n_any; i++) {
        uint64_t any = set->any[i];
        for (; any != 0; any &= any - 1) {
            const int64_t place = 64 * i + rb_ctz(any);
            uint64_t bits = set->bits[place];
            set->bits[place] = 0;
            if (words == NULL) {
                n += rb_popcount(bits);
                continue;
            }
            for (; bits != 0; bits &= bits - 1, n++)
                if (n < room) words[n] = (int32_t)(64 * place + rb_ctz(bits));
        }
        set->any[i] = 0;
    }
    return n;
}

/* Go through the columns of some parts.  Without `words`, write to starts[w + 1] how many cells
 * column w has; with them, write the source words of column w to words + starts[w], for which there
 * is room up to starts[w + 1]. -1 with an exception set. */
static inline int rb_cells_find(const rb_bitext *b, int64_t unit, int64_t end_unit, int64_t *starts,
                                int32_t *words, PyObject *stop) {
    rb_word_set set;
    int64_t w, k, i, worked = 0;
    int status = rb_word_set_init(&set, b->n_source);
    for (w = b->units[unit]; status == 0 && w < b->units[end_unit]; w++) {
        if (b->null && b->starts[w] < b->starts[w + 1]) rb_word_set_add(&set, 0);
        for (k = b->starts[w]; status == 0 && k < b->starts[w + 1]; k++) {
            const int64_t pair = b->occurrences[k].pair;
            for (i = b->source_starts[pair]; i < b->source_starts[pair + 1]; i++)
                rb_word_set_add(&set, b->source[i]);
            status = rb_work(&worked, rb_source_len(b, pair), stop);
        }
        if (words == NULL)
            starts[w + 1] = rb_word_set_take(&set, NULL, 0);
        else
            rb_word_set_take(&set, words + starts[w], starts[w + 1] - starts[w]);
        if (status == 0) status = rb_work(&worked, set.n_any, stop);
    }
    rb_word_set_free(&set);
    return status;
}

#endif
