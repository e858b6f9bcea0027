/* What this processor can do and is allowed to do, asked once when a module is imported.
 *
 * Hot loops are written once as RB_INLINE bodies and compiled twice where the compiler can: for the
 * baseline, and in functions marked RB_V3 for x86-64-v3 (AVX2 and the bit-manipulation instructions,
 * every x86 processor since 2015).  No other function of the library needs more than the baseline. */
#ifndef RAPIDBLEU_CPU_H
#define RAPIDBLEU_CPU_H

#include <stdlib.h>
#include <string.h>

#if defined(_MSC_VER)
#define RB_INLINE static __forceinline
#elif defined(__GNUC__) || defined(__clang__)
#define RB_INLINE static inline __attribute__((always_inline))
#else
#define RB_INLINE static inline
#endif

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#define RB_HAVE_V3 1
#define RB_V3 __attribute__((target("avx2,bmi,bmi2")))
#define RB_XSAVE __attribute__((target("xsave")))
#include <cpuid.h>
#include <immintrin.h>
#elif defined(_MSC_VER) && defined(_M_X64)
#define RB_HAVE_V3 1
#define RB_V3
#define RB_XSAVE
#include <immintrin.h>
#include <intrin.h>
#else
#define RB_HAVE_V3 0
#endif

/* Asked by instructions, as what compilers offer for it is in a library of theirs. */
#if RB_HAVE_V3
static inline void rb_cpuid(int leaf, unsigned *regs) {
#if defined(__GNUC__) || defined(__clang__)
    __cpuid_count(leaf, 0, regs[0], regs[1], regs[2], regs[3]);
#else
    __cpuidex((int *)regs, leaf, 0);
#endif
}

RB_XSAVE static inline int rb_cpu_has_v3(void) {
    const unsigned v3 = 1u << 3 | 1u << 5 | 1u << 8; /* BMI, AVX2, BMI2 */
    unsigned regs[4];
    rb_cpuid(0, regs);
    if (regs[0] < 7) return 0;
    rb_cpuid(1, regs);
    if (!(regs[2] & 1u << 27) || (_xgetbv(0) & 6) != 6) return 0; /* the system saves YMM */
    rb_cpuid(7, regs);
    return (regs[1] & v3) == v3;
}
#endif

/* May vector code be used?  Setting RAPIDBLEU_SIMD=0 forbids it, to see what other processors do. */
static inline int rb_use_v3(void) {
#if RB_HAVE_V3
    const char *allowed = getenv("RAPIDBLEU_SIMD");
    return rb_cpu_has_v3() && (allowed == NULL || strcmp(allowed, "0") != 0);
#else
    return 0;
#endif
}

#endif
