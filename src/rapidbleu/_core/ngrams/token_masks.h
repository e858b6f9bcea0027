/* Where each token of a text occurs in another of up to 64 tokens, as one word of bits a token. */
#ifndef RAPIDBLEU_NGRAMS_TOKEN_MASKS_H
#define RAPIDBLEU_NGRAMS_TOKEN_MASKS_H

#include "ngrams/match.h"
#include "text/token_table.h"

/* Clear the bits of long tokens whose bytes are not those of the reference's token.
 *
 * Which of the reference's long tokens is at a position is the number of those before it.  Half of
 * the hypothesis's long tokens are found, and which ones cannot be predicted: they are listed without
 * a branch first, in `found`. */
static inline void rb_verify_longs(const rb_tokens *hyps, int64_t hyp, const rb_tokens *refs,
                                   int64_t ref, uint64_t *masks, uint64_t *found) {
    const rb_long_token *ref_longs = refs->longs + refs->first_long[ref];
    uint64_t long_bits = 0;
    int64_t k, n_found = 0;
    for (k = refs->first_long[ref]; k < refs->first_long[ref + 1]; k++)
        long_bits |= UINT64_C(1) << refs->longs[k].index;
    for (k = hyps->first_long[hyp]; k < hyps->first_long[hyp + 1]; k++) {
        found[n_found] = (uint64_t)k;
        n_found += masks[hyps->longs[k].index] != 0;
    }
    for (k = 0; k < n_found; k++) {
        const rb_long_token *a = &hyps->longs[found[k]];
        uint64_t mask = masks[a->index], rest = mask;
        while (rest) {
            const uint64_t bit = rest & (0 - rest);
            rest ^= bit;
            if (!rb_same_long(hyps, a, refs, &ref_longs[rb_popcount(long_bits & (bit - 1))]))
                mask ^= bit;
        }
        masks[a->index] = mask;
    }
}

/* Fill masks[n] for the n tokens of hypothesis `hyp`; `found` is scratch of as many words. */
static inline void rb_token_masks(const rb_matcher *matcher, const rb_tokens *hyps, int64_t hyp,
                                  const rb_tokens *refs, int64_t ref, uint64_t *masks,
                                  uint64_t *found) {
    const int64_t h = hyps->first_token[hyp], r = refs->first_token[ref];
    matcher->masks(hyps->lo + h, hyps->hi + h, (ptrdiff_t)rb_segment_length(hyps, hyp),
                   refs->lo + r, refs->hi + r, (ptrdiff_t)rb_segment_length(refs, ref), masks);
    rb_verify_longs(hyps, hyp, refs, ref, masks, found);
}

#endif
