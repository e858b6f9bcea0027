/* From the bits that say where tokens start and end in a block of text to their identities. */
#ifndef RAPIDBLEU_EMIT_TOKENS_H
#define RAPIDBLEU_EMIT_TOKENS_H

#include <stdint.h>
#include "common/bits.h"
#include "common/cpu.h"

#define RB_SHORT_TOKEN 8 /* tokens of up to so many bytes are their own identity */

typedef struct {
    int64_t position; /* first byte of its text */
    int32_t length;   /* in bytes */
    int32_t index;    /* which token of its segment it is */
} rb_long_token;

/* Where the next token goes. */
typedef struct {
    uint32_t *lo;
    uint32_t *hi;
    rb_long_token *longs;
    int32_t index;
} rb_cursor;

/* Up to eight bytes, zero-padded, as a word; meaningless for other lengths. */
static inline uint64_t rb_short_identity(const uint8_t *text, int64_t length) {
    int shift = (int)(-8 * length) & 63;
    return rb_load64(text) << shift >> shift;
}

/* A token at `text`; its record is always written and kept only if the token is long, so that there
 * is no branch to mispredict.  The word of a long token is replaced by its hash later. */
RB_INLINE void rb_emit_token(const uint8_t *text, int64_t position, int32_t length, rb_cursor *c) {
    uint64_t word = rb_short_identity(text, length);
    *c->lo++ = (uint32_t)word;
    *c->hi++ = (uint32_t)(word >> 32);
    c->longs->position = position;
    c->longs->length = length;
    c->longs->index = c->index++;
    c->longs += length > RB_SHORT_TOKEN;
}

typedef uint64_t (*rb_emit_fn)(const uint8_t *, int64_t, uint64_t, uint64_t, rb_cursor *);

/* The tokens of a block that start and end in it: the first start goes with the first end.  Returns
 * the start that is left over, as a bit. */
RB_INLINE uint64_t rb_emit_body(const uint8_t *text, int64_t base, uint64_t starts, uint64_t ends,
                                rb_cursor *cursor) {
    rb_cursor c = *cursor;
    while (ends) {
        int start = rb_ctz(starts), end = rb_ctz(ends);
        rb_emit_token(text + base + start, base + start, end - start, &c);
        starts &= starts - 1;
        ends &= ends - 1;
    }
    *cursor = c;
    return starts;
}

/* The same for tokenizers whose tokens are single characters: none of them is long. */
RB_INLINE uint64_t rb_emit_characters_body(const uint8_t *text, int64_t base, uint64_t starts,
                                           uint64_t ends, rb_cursor *cursor) {
    uint32_t *lo = cursor->lo, *hi = cursor->hi;
    while (ends) {
        int start = rb_ctz(starts);
        *lo++ = (uint32_t)rb_short_identity(text + base + start, rb_ctz(ends) - start);
        *hi++ = 0;
        starts &= starts - 1;
        ends &= ends - 1;
    }
    cursor->index += (int32_t)(lo - cursor->lo);
    cursor->lo = lo;
    cursor->hi = hi;
    return starts;
}

#define RB_EMIT_FUNCTIONS(mark, suffix)                                                            \
    mark static uint64_t rb_emit_##suffix(const uint8_t *text, int64_t base, uint64_t starts,      \
                                          uint64_t ends, rb_cursor *cursor) {                      \
        return rb_emit_body(text, base, starts, ends, cursor);                                     \
    }                                                                                              \
    mark static uint64_t rb_emit_characters_##suffix(                                              \
        const uint8_t *text, int64_t base, uint64_t starts, uint64_t ends, rb_cursor *cursor) {    \
        return rb_emit_characters_body(text, base, starts, ends, cursor);                          \
    }

RB_EMIT_FUNCTIONS(, portable)
#if RB_HAVE_V3
RB_EMIT_FUNCTIONS(RB_V3, v3)
#endif

static inline rb_emit_fn rb_emit_select(int characters) {
#if RB_HAVE_V3
    if (rb_use_v3()) return characters ? rb_emit_characters_v3 : rb_emit_v3;
#endif
    return characters ? rb_emit_characters_portable : rb_emit_portable;
}

#endif
