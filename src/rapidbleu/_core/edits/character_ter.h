/* CharacTER (Wang et al. 2016): words are moved, characters are edited. First the words of the
 * hypothesis move as long as that saves word edits. Then the characters of both texts are compared,
 * and the moves cost the mean length of the moved words, found by comparing the hypothesis before
 * and after. Memory is linear; time goes into the moves and one distance of characters. */
#ifndef RAPIDBLEU_EDITS_CHARACTER_TER_H
#define RAPIDBLEU_EDITS_CHARACTER_TER_H

#include "common/utf8.h"
#include "edits/distance_rows.h"
#include "edits/part_distances.h"
#include "metrics/rows.h"
#include "ngrams/hash_tables.h"
#include "text/token_table.h"

/* Moves of words in CharacTER (Wang et al. 2016). A move takes a run of words common to hypothesis
 * and reference to its position in the reference. From each pair of equal words in different
 * positions the run extends as far as possible. The move that leaves the fewest word edits is made,
 * among equals the one whose words come last in code point order, and so on while edits decrease.
 *
 * Distances are Levenshtein's, bit-parallel (distance_rows.h), one per move that is tried; bounds
 * avoid most of them. If the reference has up to 64 words, only the rows from the first moved word on
 * are computed, because the rows before are those of the hypothesis. Any order of the words needs at least as many edits as words without a
 * partner; at that point the search ends. A move of k words across l words gains at most 2 * min(k,
 * l). In longer texts, distances of their parts, computed once a round, bound the gain of a move,
 * and a move that cannot gain more than the best so far is tried only if its words come later.
 *
 * Memory is linear, plus tables of parts of at most 16 MB. Each round takes one pass over two rows
 * of the tables per pair of equal words, and a distance of words per pair that the bounds admit.
 * Texts with few different words still take more than quadratic time. */

/* The tokens of a text as characters, code points plus 1; a space follows each token. */
typedef struct {
    int64_t n;
    int64_t *begin; /* [n + 1] of each token */
    int32_t *chars;
} rb_spelling;

/* Upper bound of the bytes of a text's tokens. */
static inline int64_t rb_spelling_bytes(const rb_tokens *texts, int64_t text) {
    int64_t bytes = rb_segment_length(texts, text) * RB_SHORT_TOKEN, k;
    for (k = texts->first_long[text]; k < texts->first_long[text + 1]; k++)
        bytes += texts->longs[k].length;
    return bytes;
}

/* Returns an upper bound of all characters. */
static inline int32_t rb_spell(rb_spelling *s, const rb_tokens *texts, int64_t text) {
    int64_t k = texts->first_long[text], i, n_chars = 0;
    uint32_t bits = ' ', code;
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
        while (p < end) {
            p += rb_decode(p, &code);
            s->chars[n_chars++] = (int32_t)code + 1;
            bits |= code;
        }
        s->chars[n_chars++] = ' ' + 1;
    }
    s->begin[s->n] = n_chars;
    return (int32_t)bits + 1;
}

#define RB_LATIN 256

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
    uint64_t *equal;     /* [n + 1] by number: its positions in a reference of up to 64 words */
    uint64_t *states;    /* [n + 1, 2] and the words of the row after i words of `hyp` */
    rb_spelling hyp_words, ref_words;
    int32_t *a;          /* characters of the hypothesis after the moves */
    int32_t most;        /* upper bound of the characters; up to RB_LATIN they are numbers */
    int32_t *slots;      /* [n_slots] of the hash table of others */
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
    if (c->m > RB_BLOCK) return 0;
    memset(c->equal, 0, (size_t)(c->n + 1) * sizeof *c->equal);
    for (i = 0; i < c->m; i++) c->equal[c->ref[i]] |= UINT64_C(1) << i;
    c->equal[0] = 0;
    c->states[0] = UINT64_MAX;
    c->states[1] = 0;
    return 0;
}

/* Word edits of the hypothesis, or of `moved`, which equals it in the first words; or -1. */
static inline int64_t rb_word_edits(rb_character_ter *c, const int32_t *words, int64_t first) {
    const uint64_t cells = UINT64_MAX >> (RB_BLOCK - c->m) % RB_BLOCK;
    uint64_t vp, vn;
    int64_t i;
    if (c->m > RB_BLOCK) return rb_distance(&c->rows, words, c->n, c->ref, c->m, NULL, c->scratch);
    if (c->m == 0) return c->n;
    vp = c->states[2 * first];
    vn = c->states[2 * first + 1];
    for (i = first; i < c->n; i++) { /* as in rb_distance_stripe */
        const uint64_t x = c->equal[words[i]], d0 = (((x & vp) + vp) ^ vp) | x | vn;
        const uint64_t hp = (vn | ~(d0 | vp)) << 1 | 1, hn = (vp & d0) << 1;
        vp = hn | ~(d0 | hp);
        vn = hp & d0;
        if (words == c->hyp) {
            c->states[2 * i + 2] = vp;
            c->states[2 * i + 3] = vn;
        }
    }
    if (rb_scratch_worked(c->scratch, c->n - first) < 0) return -1;
    return c->n + rb_popcount(vp & cells) - rb_popcount(vn & cells);
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
    n_one = s->begin[c->word[a[i]] + 1] - one - 1;
    n_other = s->begin[c->word[b[i]] + 1] - other - 1;
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
    found = rb_word_edits(c, moved, move->place < move->start ? move->place : move->start);
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
    if (gain > 0) {
        memcpy(c->hyp, c->best, (size_t)c->n * sizeof *c->hyp);
        if (c->m <= RB_BLOCK && rb_word_edits(c, c->hyp, 0) < 0) return -1;
    }
    return gain;
}

/* The number of a character; missing ones are added with `add`, and otherwise get 0. */
static inline int32_t rb_character_number(rb_character_ter *c, int32_t character, int add,
                                          int32_t *n_numbers) {
    uint64_t slot = rb_hash_word((uint64_t)character, c->scratch->tokens.key);
    RB_PROBE(slot, c->n_slots, c->slots[slot] == 0 || c->slots[slot] == character);
    if (c->slots[slot] != 0) return c->numbers[slot];
    if (!add) return 0;
    c->slots[slot] = character;
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
        cost += (double)(begin[i + length] - begin[i] - length) / (double)length;
        i += length;
    }
    return cost;
}

/* Edits of the characters of both texts, with words joined by spaces; or -1. */
static inline int64_t rb_character_edits(rb_character_ter *c) {
    const rb_spelling *h = &c->hyp_words;
    int32_t *a = c->a, *b = c->ref_words.chars, n_numbers = c->most;
    int64_t n = 0, m = c->ref_words.begin[c->m], front = 0, i;
    for (i = 0; i < c->n; i++) {
        const int64_t word = c->word[c->hyp[i]], length = h->begin[word + 1] - h->begin[word];
        memcpy(a + n, h->chars + h->begin[word], (size_t)length * sizeof *a);
        n += length;
    }
    n -= n > 0; /* the last space */
    m -= m > 0;
    if (n_numbers > RB_LATIN) {
        n_numbers = 0;
        memset(c->slots, 0, (size_t)c->n_slots * sizeof *c->slots);
        for (i = 0; i < m; i++) b[i] = rb_character_number(c, b[i], 1, &n_numbers);
        for (i = 0; i < n; i++) a[i] = rb_character_number(c, a[i], 0, &n_numbers);
    }
    rb_distance_place(&c->rows, c->rows.of_number, n_numbers);
    while (front < n && front < m && a[front] == b[front]) front++;
    while (n > front && m > front && a[n - 1] == b[m - 1]) n--, m--;
    return rb_distance(&c->rows, a + front, n - front, b + front, m - front, NULL, c->scratch);
}

/* Lay everything out in scratch memory, and read both texts; -1 if memory runs out. */
static inline int rb_character_open(rb_character_ter *c, const rb_tokens *hyps, int64_t hyp,
                                    const rb_tokens *refs, int64_t ref, rb_scratch *scratch) {
    const int64_t n = rb_segment_length(hyps, hyp), m = rb_segment_length(refs, ref);
    const int64_t longer = n > m ? n : m;
    const int64_t n_chars = rb_spelling_bytes(hyps, hyp) + n;
    const int64_t m_chars = rb_spelling_bytes(refs, ref) + m;
    const int64_t most = n_chars > m_chars ? n_chars : m_chars;
    const int64_t n_different = n > m_chars ? n : m_chars; /* of words, or of characters */
    const int64_t n_numbers = n_different > RB_LATIN ? n_different : RB_LATIN;
    const int64_t part_words = m > RB_BLOCK ? rb_part_words(n, m) : 0;
    int64_t n_slots = 2, n_words; /* twice the number of code points suffices */
    uint64_t *memory;
    int32_t *ints, most_of_ref;
    while (n_slots < 2 * m_chars && n_slots < 1 << 22) n_slots *= 2;
    n_words = rb_distance_words(most, n_numbers) + part_words + 4 * (n + 1) + (m + 1)
            + (4 * n + m + 2 * (n + 1) + longer + 2 * n_chars + m_chars + 2 * n_slots + 1) / 2;
    memory = rb_scratch_words(scratch, n_words);
    if (memory == NULL) return -1;
    c->scratch = scratch;
    c->n_slots = n_slots;
    c->n = n;
    c->m = m;
    rb_distance_place(&c->rows, memory, n);
    memory += rb_distance_words(most, n_numbers);
    c->parts.width = 0;
    if (part_words > 0) rb_part_place(&c->parts, memory, n, m);
    c->hyp_words.begin = (int64_t *)(memory + part_words);
    c->ref_words.begin = c->hyp_words.begin + n + 1;
    c->equal = (uint64_t *)(c->ref_words.begin + m + 1);
    c->states = c->equal + n + 1;
    ints = (int32_t *)(c->states + 2 * (n + 1));
    c->hyp = ints;
    c->before = c->hyp + n;
    c->moved = c->before + n;
    c->best = c->moved + n;
    c->ref = c->best + n;
    c->first = c->ref + m;
    c->word = c->first + n + 1;
    c->next = c->word + n + 1;
    c->a = c->next + longer;
    c->numbers = c->a + n_chars;
    c->slots = c->numbers + n_slots;
    c->hyp_words.chars = c->slots + n_slots;
    c->ref_words.chars = c->hyp_words.chars + n_chars;
    c->most = rb_spell(&c->hyp_words, hyps, hyp);
    most_of_ref = rb_spell(&c->ref_words, refs, ref);
    if (c->most < most_of_ref) c->most = most_of_ref;
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
    length = c.hyp_words.begin[c.n] - 1; /* with spaces between words */
    edits = rb_word_edits(&c, c.hyp, 0);
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
