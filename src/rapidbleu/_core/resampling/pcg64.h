/* PCG64 (O'Neill 2014, XSL-RR 128/64) and Lemire's bounded integers (2019), as in NumPy's
 * Generator. A stream is the sequence of 32-bit words of its generator, the low half of each output
 * first, so a position is one number, reached in as many steps as it has bits. 128-bit numbers are
 * two words. A stream stores its state and the next 512 words. With a single state each output
 * would wait for the previous multiplication; two states alternate, each two steps ahead of the
 * other, so that their multiplications overlap. Bounded integers are computed from all words at
 * once, eight by eight; if a word is refused (rarely), one by one. An integer takes 0.7 ns. */
#ifndef RAPIDBLEU_RESAMPLING_PCG64_H
#define RAPIDBLEU_RESAMPLING_PCG64_H

#include "common/cpu.h"
#include <stdint.h>
#include <string.h>

#if defined(_MSC_VER) && defined(_M_X64)
#include <intrin.h>
#endif

#define RB_PCG_WORDS 512 /* of 32 bits, generated together */

typedef struct {
    uint64_t high, low;
} rb_wide;

typedef struct {
    rb_wide state, increment; /* of a generator before its first draw */
} rb_pcg;

/* A position in a stream. words[next] is the next word; `end` is the position after the last. */
typedef struct {
    rb_wide state[2]; /* of the next two outputs */
    rb_wide multiplier, increment; /* of two steps */
    int64_t end;
    int next;
    uint32_t words[RB_PCG_WORDS];
} rb_stream;

static const rb_wide rb_pcg_multiplier = {UINT64_C(0x2360ed051fc65da4),
                                          UINT64_C(0x4385df649fccf645)};

RB_INLINE rb_wide rb_wide_multiply(rb_wide a, rb_wide b) {
    rb_wide c;
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 rb_u128;
    rb_u128 product = (rb_u128)a.low * b.low;
    c.low = (uint64_t)product;
    c.high = (uint64_t)(product >> 64);
#elif defined(_MSC_VER) && defined(_M_X64)
    c.low = _umul128(a.low, b.low, &c.high);
#else
    uint64_t al = (uint32_t)a.low, ah = a.low >> 32, bl = (uint32_t)b.low, bh = b.low >> 32;
    uint64_t ll = al * bl, lh = al * bh, hl = ah * bl;
    uint64_t middle = (ll >> 32) + (uint32_t)lh + (uint32_t)hl;
    c.low = a.low * b.low;
    c.high = ah * bh + (lh >> 32) + (hl >> 32) + (middle >> 32);
#endif
    c.high += a.high * b.low + a.low * b.high;
    return c;
}

RB_INLINE rb_wide rb_wide_add(rb_wide a, rb_wide b) {
    rb_wide c;
    c.low = a.low + b.low;
    c.high = a.high + b.high + (c.low < a.low);
    return c;
}

RB_INLINE rb_wide rb_pcg_step(rb_wide state, rb_wide multiplier, rb_wide increment) {
    return rb_wide_add(rb_wide_multiply(state, multiplier), increment);
}

RB_INLINE uint64_t rb_pcg_output(rb_wide state) {
    uint64_t folded = state.high ^ state.low;
    int turn = (int)(state.high >> 58);
    return folded >> turn | folded << (-turn & 63);
}

/* The state after n more steps (Brown 1994). */
static inline rb_wide rb_pcg_jump(rb_wide state, rb_wide increment, uint64_t n) {
    rb_wide multiplier = rb_pcg_multiplier;
    const rb_wide one = {0, 1};
    for (; n; n >>= 1) {
        if (n & 1) state = rb_pcg_step(state, multiplier, increment);
        increment = rb_wide_multiply(increment, rb_wide_add(multiplier, one));
        multiplier = rb_wide_multiply(multiplier, multiplier);
    }
    return state;
}

static inline void rb_stream_fill(rb_stream *stream) {
    rb_wide a = stream->state[0], b = stream->state[1];
    int i;
    for (i = 0; i < RB_PCG_WORDS; i += 4) {
        uint64_t first = rb_pcg_output(a), second = rb_pcg_output(b);
        stream->words[i] = (uint32_t)first;
        stream->words[i + 1] = (uint32_t)(first >> 32);
        stream->words[i + 2] = (uint32_t)second;
        stream->words[i + 3] = (uint32_t)(second >> 32);
        a = rb_pcg_step(a, stream->multiplier, stream->increment);
        b = rb_pcg_step(b, stream->multiplier, stream->increment);
    }
    stream->state[0] = a;
    stream->state[1] = b;
    stream->next = 0;
    stream->end += RB_PCG_WORDS;
}

/* Move to a position of a stream. */
static inline void rb_stream_open(rb_stream *stream, const rb_pcg *pcg, int64_t place) {
    const rb_wide one = {0, 1};
    rb_wide state = rb_pcg_jump(pcg->state, pcg->increment, (uint64_t)place / 2 + 1);
    stream->state[0] = state;
    stream->state[1] = rb_pcg_step(state, rb_pcg_multiplier, pcg->increment);
    stream->multiplier = rb_wide_multiply(rb_pcg_multiplier, rb_pcg_multiplier);
    stream->increment = rb_wide_multiply(pcg->increment, rb_wide_add(rb_pcg_multiplier, one));
    stream->end = place - place % 2;
    rb_stream_fill(stream);
    stream->next = (int)(place % 2);
}

static inline void rb_stream_copy(rb_stream *stream, int64_t n, uint32_t *out) {
    while (n) {
        int64_t m;
        if (stream->next == RB_PCG_WORDS) rb_stream_fill(stream);
        m = RB_PCG_WORDS - stream->next < n ? RB_PCG_WORDS - stream->next : n;
        memcpy(out, stream->words + stream->next, (size_t)m * sizeof *out);
        stream->next += (int)m;
        out += m;
        n -= m;
    }
}

static inline int64_t rb_stream_place(const rb_stream *stream) {
    return stream->end - RB_PCG_WORDS + stream->next;
}

/* Turn n words into integers below `bound`; nonzero if a product's low half is below `least`. */
RB_INLINE uint32_t rb_bound_words(const uint32_t *words, int64_t n, uint32_t bound,
                                  uint32_t least, int32_t *out) {
    uint32_t refused = 0;
    int64_t i;
    for (i = 0; i < n; i++) {
        uint64_t product = (uint64_t)words[i] * bound;
        out[i] = (int32_t)(product >> 32);
        refused |= (uint32_t)product < least;
    }
    return refused;
}

#if RB_HAVE_V3
RB_V3 static uint32_t rb_bound_words_v3(const uint32_t *words, int64_t n, uint32_t bound,
                                        uint32_t least, int32_t *out) {
    const __m256i bounds = _mm256_set1_epi32((int)bound), leasts = _mm256_set1_epi32((int)least);
    __m256i accepted = _mm256_set1_epi32(-1);
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        __m256i eight = _mm256_loadu_si256((const __m256i *)(words + i));
        __m256i even = _mm256_srli_epi64(_mm256_mul_epu32(eight, bounds), 32);
        __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(eight, 32), bounds);
        __m256i low = _mm256_mullo_epi32(eight, bounds);
        accepted = _mm256_and_si256(accepted,
                                    _mm256_cmpeq_epi32(_mm256_max_epu32(low, leasts), low));
        _mm256_storeu_si256((__m256i *)(out + i), _mm256_blend_epi32(even, odd, 0xaa));
    }
    return (_mm256_movemask_epi8(accepted) != -1)
         | rb_bound_words(words + i, n - i, bound, least, out + i);
}
#endif

/* Draw n integers below `bound`, 1 <= bound < 2**31, to `out`; `simd`: may AVX2 be used? */
static inline void rb_stream_draw(rb_stream *stream, uint32_t bound, int64_t n, int32_t *out,
                                  int simd) {
    const uint32_t least = (uint32_t)(UINT64_C(0x100000000) % bound);
    if (bound == 1) {
        memset(out, 0, (size_t)n * sizeof *out); /* consumes no word */
        return;
    }
    while (n) {
        int64_t m;
        const uint32_t *words;
        uint32_t refused;
        if (stream->next == RB_PCG_WORDS) rb_stream_fill(stream);
        words = stream->words + stream->next;
        m = RB_PCG_WORDS - stream->next < n ? RB_PCG_WORDS - stream->next : n;
        stream->next += (int)m;
#if RB_HAVE_V3
        if (simd)
            refused = rb_bound_words_v3(words, m, bound, least, out);
        else
#endif
            refused = rb_bound_words(words, m, bound, least, out);
        if (refused) {
            int64_t i, kept = 0;
            for (i = 0; i < m; i++) {
                uint64_t product = (uint64_t)words[i] * bound;
                out[kept] = (int32_t)(product >> 32);
                kept += (uint32_t)product >= least;
            }
            m = kept;
        }
        out += m;
        n -= m;
    }
    (void)simd;
}

#endif
