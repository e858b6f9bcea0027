/* IBM Model 1: probabilities of translations by EM, one target word at a time. In the model, each
 * word f of a target sentence is the translation of one word e of the source sentence, or of the
 * empty word NULL, all l + 1 equally likely:
 *
 *     P(f at a place) = z / (l + 1),    z = sum over e of t(f | e)
 *
 * A step of EM distributes each target token over the words of the source sentence in proportion to
 * t(f | e), adds the shares up as counts c(f, e), and normalizes them: t(f | e) = c(f, e) / sum
 * over all f' of c(f', e). The first shares are equal, because t is uniform. No step lowers the
 * likelihood, and all its maxima are equally high.
 *
 * Memory. All terms of z of a token f belong to one column of the table (see below). So the work
 * goes by target words: the column of f is expanded to `spread`, an array over source words with
 * probability and count next to each other; then every token of f is distributed in two passes over
 * its source sentence; then the counts overwrite the column's probabilities. Nothing is looked up
 * in hash tables, searches or lists of positions, which for a hundred thousand sentence pairs would
 * take a quarter of a gigabyte. `spread` has 16 bytes a source word, and frequent words stay in the
 * nearest cache. The division by a source word's sum waits until the column is expanded again, so a
 * step goes through the table once.
 *
 * Order. A column belongs to one part of the work, so its sums have one order: NULL, then the
 * source sentence from first to last word; tokens as in the text. Sums of a source word over
 * columns are stored for each of RB_UNITS parts and added in order, so results do not depend on
 * threads. A step takes 4 ns for each pair of tokens: a quarter of a second for a hundred thousand
 * sentence pairs of 25 words. Going by source words would require storing z of each token, written
 * as many times as the source sentence has words.
 *
 * Scores and links work alike, except that binary search finds the cells for few tokens. Reference:
 * Brown, Della Pietra, Della Pietra & Mercer 1993, The Mathematics of Statistical Machine
 * Translation: Parameter Estimation, section 4.1. */
#ifndef RAPIDBLEU_IBM1_MODEL1_H
#define RAPIDBLEU_IBM1_MODEL1_H

#include "Python.h"
#include "common/bits.h"
#include "common/memory.h"
#include "common/signals.h"
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A bitext with its target tokens sorted by word. Sentences are concatenated arrays of word
 * numbers. The sorted occurrences are 8 bytes per target token: its pair and its position in the
 * sentence. A counting sort keeps the occurrences of a word in text order, so source sentences are
 * read from front to back, once for each target word that needs them. Work is divided by target
 * words into RB_UNITS parts of about equally many tokens. The parts depend on the bitext and not on
 * the threads, and so do sums over parts. */
#define RB_UNITS 32

typedef struct {
    int32_t pair;
    int32_t place;
} rb_occurrence;

typedef struct {
    const int32_t *source, *target;               /* borrowed: [tokens], numbers of words */
    const int64_t *source_starts, *target_starts; /* borrowed: [n_pairs + 1] */
    int64_t n_pairs, n_source, n_target;          /* words; source word 0 is NULL, the empty word */
    bool null;                                    /* may NULL be translated? */
    int64_t *starts;                              /* [n_target + 1], of a word's occurrences */
    rb_occurrence *occurrences;                   /* [target tokens] */
    int64_t units[RB_UNITS + 1];                  /* first target word of each part */
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

/* Count work and poll now and then; -1 with an exception set. */
static inline int rb_work(int64_t *worked, int64_t more, PyObject *stop) {
    *worked += more + 1;
    if (*worked < RB_POLL_TOKENS) return 0;
    *worked = 0;
    return rb_poll_without_gil(stop);
}

/* Find the first word of each part: the one with the token at which the part should begin. */
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

/* Sort target tokens, below n_target, by word; sentences below 2**31. -1: exception set. */
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
    /* starts[w + 1] is the index of the next occurrence of w, and in the end the end of w's */
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

/* The pairs of words that occur together: the cells of a translation table. The table is stored by
 * columns, one for each target word: the source words that occur opposite it, ascending, and a
 * double for each. 12 bytes a pair of words; other pairs take no memory. A hundred thousand
 * sentence pairs of 17 words have about 18 million of them; a matrix of their vocabularies would
 * have 12 billion.
 *
 * A bit set over source words collects a column: every word opposite the target word sets its bit,
 * often repeatedly, and reading the bits yields each word once and in order, without sorting. Each
 * word of 64 bits has a bit in a second level, set if any of them is: rare words have few. Columns
 * are processed twice, to count and to write, so the table has its exact size. Time is linear in
 * the products of the sentences' lengths, plus 1/4096 of the product of the vocabularies. */
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

/* Empty the set and return its size, writing as many words as there is room for. */
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

/* Process the columns of some parts. Without `words`, write the cells of column w to starts[w + 1];
 * with `words`, write the source words of column w to words + starts[w], which has room up to
 * starts[w + 1]. -1 with an exception set. */
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

typedef struct {
    const int64_t *starts; /* [n_target + 1] starts of columns */
    const int32_t *words;  /* [cells] source words, ascending in a column */
    double *values;        /* [cells] counts during training, then probabilities */
} rb_table;

typedef struct {
    double p;
    double count;
} rb_spread;

/* The log of a product of many numbers, multiplied and now and then added to a sum of logs. */
typedef struct {
    double sum;
    double product;
} rb_log_product;

static inline void rb_log_flush(rb_log_product *l) {
    l->sum += log(l->product);
    l->product = 1.0;
}

/* Multiply by p, from 1e-100 to 1e100 except as the first factor. */
static inline void rb_log_multiply(rb_log_product *l, double p) {
    if (!(p > 1e-100)) {
        l->sum += log(p);
        return;
    }
    l->product *= p;
    if (!(l->product > 1e-150 && l->product < 1e150)) rb_log_flush(l);
}

/* One step of EM for the columns of a part. In: `values` are counts of the previous step, `totals`
 * their sums [n_source]. Out: `values` are new counts, `own_totals` (zero before) their sums over
 * these columns, `likelihood` the log probability by the old table. -1: exception set. */
static inline int rb_model1_step(const rb_bitext *b, const rb_table *t, int64_t unit,
                                 const double *totals, double *own_totals, double *likelihood,
                                 rb_spread *spread, int64_t *worked, PyObject *stop) {
    rb_log_product all = {0.0, 1.0};
    int64_t w, k, c, i;
    for (w = b->units[unit]; w < b->units[unit + 1]; w++) {
        for (c = t->starts[w]; c < t->starts[w + 1]; c++)
            spread[t->words[c]].p = t->values[c] / totals[t->words[c]];
        for (k = b->starts[w]; k < b->starts[w + 1]; k++) {
            const int64_t pair = b->occurrences[k].pair, len = rb_source_len(b, pair);
            const int32_t *source = b->source + b->source_starts[pair];
            double z = b->null ? spread[0].p : 0.0, share;
            for (i = 0; i < len; i++) z += spread[source[i]].p;
            if (!(z >= DBL_MIN)) continue; /* not a translation of anything */
            share = 1.0 / z;
            if (b->null) spread[0].count += spread[0].p * share;
            for (i = 0; i < len; i++) spread[source[i]].count += spread[source[i]].p * share;
            rb_log_multiply(&all, z / (double)(len + b->null));
            if (rb_work(worked, len, stop) < 0) return -1;
        }
        for (c = t->starts[w]; c < t->starts[w + 1]; c++) {
            rb_spread *cell = &spread[t->words[c]];
            t->values[c] = cell->count;
            own_totals[t->words[c]] += cell->count;
            cell->p = cell->count = 0.0;
        }
        if (rb_work(worked, t->starts[w + 1] - t->starts[w], stop) < 0) return -1;
    }
    rb_log_flush(&all);
    *likelihood = all.sum;
    return 0;
}

static inline double rb_table_look_up(const rb_table *t, int64_t column, int32_t word) {
    int64_t low = t->starts[column], high = t->starts[column + 1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (t->words[middle] < word)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->starts[column + 1] && t->words[low] == word ? t->values[low] : 0.0;
}

/* A query for each target token: its probability, or the source word that it is linked to. */
typedef struct {
    const int32_t *columns; /* [n_target] of each target word of the bitext */
    double floor;           /* minimum probability of a pair of words */
    double *sums;           /* written unless NULL: z / (l + 1) of each token */
    int32_t *best;          /* written unless NULL: position of the word, or -1 */
} rb_question;

/* Answer for one token; `spread` is the expanded column or NULL. */
static inline void rb_model1_answer(const rb_bitext *b, const rb_table *t, int64_t column,
                                    const rb_occurrence *o, const rb_spread *spread,
                                    const rb_question *q) {
    const int64_t len = rb_source_len(b, o->pair), out = b->target_starts[o->pair] + o->place;
    const int32_t *source = b->source + b->source_starts[o->pair];
    double z = 0.0, most = 0.0;
    int64_t i;
    int32_t best = -1;
    for (i = b->null ? -1 : 0; i < len; i++) {
        const int32_t word = i < 0 ? 0 : source[i];
        const double p = spread != NULL ? spread[word].p : rb_table_look_up(t, column, word);
        z += p > q->floor ? p : q->floor;
        /* the first of equal words, and any word rather than NULL */
        if (p > most || (p == most && best < 0 && i >= 0 && p > 0.0)) {
            most = p;
            best = (int32_t)i;
        }
    }
    if (q->sums != NULL)
        q->sums[out] = len + b->null > 0 ? z / (double)(len + b->null) : q->floor;
    if (q->best != NULL) q->best[out] = best;
}

/* Answer for all tokens of some parts; -1 with an exception set. */
static inline int rb_model1_ask(const rb_bitext *b, const rb_table *t, int64_t unit,
                                int64_t end_unit, const rb_question *q, PyObject *stop) {
    rb_spread *spread = NULL;
    int64_t w, k, c, worked = 0;
    int status = 0;
    for (w = b->units[unit]; status == 0 && w < b->units[end_unit]; w++) {
        const int64_t column = q->columns[w];
        const int64_t cell = t->starts[column], end_cell = t->starts[column + 1];
        bool dense = false;
        int64_t uses = 0;
        for (k = b->starts[w]; k < b->starts[w + 1] && 8 * uses < end_cell - cell; k++)
            uses += rb_source_len(b, b->occurrences[k].pair);
        if (8 * uses >= end_cell - cell && end_cell - cell > 8) {
            if (spread == NULL) spread = rb_allocate_zeros(b->n_source, sizeof *spread);
            if (spread == NULL) return -1;
            for (c = cell; c < end_cell; c++) spread[t->words[c]].p = t->values[c];
            dense = true;
        }
        for (k = b->starts[w]; status == 0 && k < b->starts[w + 1]; k++) {
            rb_model1_answer(b, t, column, &b->occurrences[k], dense ? spread : NULL, q);
            status = rb_work(&worked, rb_source_len(b, b->occurrences[k].pair), stop);
        }
        if (dense) {
            for (c = cell; c < end_cell; c++) spread[t->words[c]].p = 0.0;
            if (status == 0) status = rb_work(&worked, end_cell - cell, stop);
        }
    }
    PyMem_RawFree(spread);
    return status;
}

#endif
