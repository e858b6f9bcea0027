/* The characters of tokens: what a text is made of, from its identities. */
#ifndef RAPIDBLEU_TEXT_SPELLING_H
#define RAPIDBLEU_TEXT_SPELLING_H

#include "common/utf8.h"
#include "text/token_table.h"

/* The tokens of a text as code points. */
typedef struct {
    int64_t n;
    int64_t *begin;  /* [n + 1] of each token */
    uint32_t *chars; /* of one token after the other */
} rb_spelling;

/* Bytes of the tokens of a text, or more. */
static inline int64_t rb_spelling_bytes(const rb_tokens *texts, int64_t text) {
    int64_t bytes = rb_segment_length(texts, text) * RB_SHORT_TOKEN, k;
    for (k = texts->first_long[text]; k < texts->first_long[text + 1]; k++)
        bytes += texts->longs[k].length;
    return bytes;
}

/* Decode the tokens of a text; both arrays have room. */
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

#endif
