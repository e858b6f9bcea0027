/* Which vector instructions this processor has, asked once when a module is imported.
 * RB_HAVE_AVX2_CODE says that the compiler can make AVX2 code at all; the code itself sits in
 * functions marked RB_AVX2, so that no other function of the library needs more than the baseline. */
#ifndef RAPIDBLEU_CPU_H
#define RAPIDBLEU_CPU_H

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#define RB_HAVE_AVX2_CODE 1
#define RB_AVX2 __attribute__((target("avx2")))
#include <immintrin.h>
static inline int rb_cpu_has_avx2(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2");
}
#elif defined(_MSC_VER) && defined(_M_X64)
#define RB_HAVE_AVX2_CODE 1
#define RB_AVX2
#include <immintrin.h>
#include <intrin.h>
static inline int rb_cpu_has_avx2(void) {
    int regs[4];
    __cpuid(regs, 0);
    if (regs[0] < 7) return 0;
    __cpuid(regs, 1);
    if (!(regs[2] & (1 << 27)) || (_xgetbv(0) & 6) != 6) return 0; /* the system saves YMM */
    __cpuidex(regs, 7, 0);
    return (regs[1] >> 5) & 1;
}
#else
#define RB_HAVE_AVX2_CODE 0
static inline int rb_cpu_has_avx2(void) { return 0; }
#endif

#endif
