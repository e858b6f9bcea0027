/* Where the tokens of one text occur among up to 64 tokens of another.
 *
 * A token's identity is 64 bits, kept as two arrays of halves, `lo` and `hi`, so that eight tokens
 * are compared by two vector instructions.  masks[i * stride] gets bit j set when token i of the
 * first text equals token j of the second.  Both arrays of the second text must be readable up to
 * the next multiple of 8 tokens; what lies there does not matter. */
#ifndef RAPIDBLEU_KEYMASK_H
#define RAPIDBLEU_KEYMASK_H

#include <stddef.h>
#include <stdint.h>
#include "cpu.h"

typedef void (*rb_keymask_fn)(const uint32_t *lo, const uint32_t *hi, ptrdiff_t n,
                              const uint32_t *other_lo, const uint32_t *other_hi, ptrdiff_t m,
                              uint64_t *masks, ptrdiff_t stride);

static void rb_keymask_portable(const uint32_t *lo, const uint32_t *hi, ptrdiff_t n,
                                const uint32_t *other_lo, const uint32_t *other_hi, ptrdiff_t m,
                                uint64_t *masks, ptrdiff_t stride) {
    ptrdiff_t i, j;
    for (i = 0; i < n; i++) {
        uint64_t mask = 0;
        for (j = 0; j < m; j++)
            mask |= (uint64_t)((other_lo[j] == lo[i]) & (other_hi[j] == hi[i])) << j;
        masks[i * stride] = mask;
    }
}

#if RB_HAVE_AVX2_CODE
RB_AVX2 static void rb_keymask_avx2(const uint32_t *lo, const uint32_t *hi, ptrdiff_t n,
                                    const uint32_t *other_lo, const uint32_t *other_hi,
                                    ptrdiff_t m, uint64_t *masks, ptrdiff_t stride) {
    uint64_t inside = m >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << m) - 1;
    ptrdiff_t i, j;
    for (i = 0; i < n; i++) {
        __m256i x = _mm256_set1_epi32((int)lo[i]), y = _mm256_set1_epi32((int)hi[i]);
        uint64_t mask = 0;
        for (j = 0; j < m; j += 8) {
            __m256i a = _mm256_loadu_si256((const __m256i *)(other_lo + j));
            __m256i b = _mm256_loadu_si256((const __m256i *)(other_hi + j));
            __m256i same = _mm256_and_si256(_mm256_cmpeq_epi32(a, x), _mm256_cmpeq_epi32(b, y));
            mask |= (uint64_t)(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(same)) << j;
        }
        masks[i * stride] = mask & inside;
    }
}
#endif

static inline rb_keymask_fn rb_keymask_select(int use_simd) {
#if RB_HAVE_AVX2_CODE
    if (use_simd && rb_cpu_has_avx2()) return rb_keymask_avx2;
#endif
    (void)use_simd;
    return rb_keymask_portable;
}

#endif
