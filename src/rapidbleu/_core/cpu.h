/* What this processor can do, asked once when a module is imported.
 *
 * Hot loops are written once as RB_INLINE bodies and compiled twice where the compiler can: for the
 * baseline, and in functions marked RB_V3 for x86-64-v3 (AVX2 and the bit-manipulation instructions,
 * every x86 processor since 2015).  No other function of the library needs more than the baseline. */
#ifndef RAPIDBLEU_CPU_H
#define RAPIDBLEU_CPU_H

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
#include <immintrin.h>
static inline int rb_cpu_has_v3(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")
        && __builtin_cpu_supports("bmi2");
}
#elif defined(_MSC_VER) && defined(_M_X64)
#define RB_HAVE_V3 1
#define RB_V3
#include <immintrin.h>
#include <intrin.h>
static inline int rb_cpu_has_v3(void) {
    int regs[4];
    __cpuid(regs, 0);
    if (regs[0] < 7) return 0;
    __cpuid(regs, 1);
    if (!(regs[2] & (1 << 27)) || (_xgetbv(0) & 6) != 6) return 0; /* the system saves YMM */
    __cpuidex(regs, 7, 0);
    return (regs[1] & (1 << 5 | 1 << 3 | 1 << 8)) == (1 << 5 | 1 << 3 | 1 << 8);
}
#else
#define RB_HAVE_V3 0
static inline int rb_cpu_has_v3(void) { return 0; }
#endif

#endif
