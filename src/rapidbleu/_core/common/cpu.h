/* Selection of the level of vector code: what this processor supports and what is allowed. Hot
 * loops are written once as RB_INLINE bodies and, where the compiler can, compiled again for the
 * levels below in functions marked RB_V3 and RB_AVX512. No other function of the library needs more
 * than the baseline of its platform. NEON is the baseline of aarch64 but still a level, so that it
 * can be compared with compiled plain C.
 *
 *     portable   the baseline
 *     avx2       x86-64-v3: AVX2 and the bit-manipulation instructions (from 2013 on)
 *     avx512     AVX-512 with VBMI2, which compresses bytes (Intel from 2019, AMD from 2022 on)
 *     neon       aarch64 in little-endian order
 *
 * The environment variable RAPIDBLEU_SIMD names the highest level that is used. */
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
#define RB_V3 __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define RB_AVX512                                                                                  \
    __attribute__((target("avx2,bmi,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl,"         \
                          "avx512vbmi,avx512vbmi2")))
#define RB_XSAVE __attribute__((target("xsave")))
#include <cpuid.h>
#include <immintrin.h>
#elif defined(_MSC_VER) && defined(_M_X64)
#define RB_HAVE_V3 1
#define RB_V3
#define RB_AVX512
#define RB_XSAVE
#include <immintrin.h>
#include <intrin.h>
#else
#define RB_HAVE_V3 0
#endif

#if defined(__SSE2__) || defined(_M_X64) /* the baseline of x86-64 */
#define RB_HAVE_SSE2 1
#include <emmintrin.h>
#else
#define RB_HAVE_SSE2 0
#endif

#if defined(__AARCH64EL__) && defined(__ARM_NEON)
#define RB_HAVE_NEON 1
#include <arm_neon.h>
#elif defined(_MSC_VER) && defined(_M_ARM64)
#define RB_HAVE_NEON 1
#include <arm64_neon.h>
#else
#define RB_HAVE_NEON 0
#endif

typedef enum { RB_LEVEL_PORTABLE, RB_LEVEL_AVX2, RB_LEVEL_AVX512, RB_LEVEL_NEON } rb_level;

/* Features of the processor. Queried by instructions, because compilers' functions for it need a
 * library of their own; and only once, because each takes microseconds on a virtual machine. */
#if RB_HAVE_V3
static inline void rb_cpuid(int leaf, unsigned *regs) {
#if defined(__GNUC__) || defined(__clang__)
    __cpuid_count(leaf, 0, regs[0], regs[1], regs[2], regs[3]);
#else
    __cpuidex((int *)regs, leaf, 0);
#endif
}

RB_XSAVE static inline rb_level rb_ask_processor(void) {
    const unsigned old = 1u << 23 | 1u << 27;                          /* POPCNT, OSXSAVE */
    const unsigned v3 = 1u << 3 | 1u << 5 | 1u << 8;                   /* BMI, AVX2, BMI2 */
    const unsigned avx512 = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31; /* F, DQ, BW, VL */
    const unsigned bytes = 1u << 1 | 1u << 6;                          /* VBMI, VBMI2 */
    unsigned regs[4], saved;
    rb_cpuid(0, regs);
    if (regs[0] < 7) return RB_LEVEL_PORTABLE;
    rb_cpuid(1, regs);
    if ((regs[2] & old) != old) return RB_LEVEL_PORTABLE;
    saved = (unsigned)_xgetbv(0); /* registers that the system saves: 6: YMM, e6: also ZMM */
    rb_cpuid(7, regs);
    if ((saved & 6) != 6 || (regs[1] & v3) != v3) return RB_LEVEL_PORTABLE;
    if ((saved & 0xe6) != 0xe6 || (regs[1] & avx512) != avx512 || (regs[2] & bytes) != bytes)
        return RB_LEVEL_AVX2;
    return RB_LEVEL_AVX512;
}

static inline rb_level rb_processor_level(void) {
    static volatile int known = -1; /* racing threads write the same value */
    if (known < 0) known = (int)rb_ask_processor();
    return (rb_level)known;
}
#elif RB_HAVE_NEON
static inline rb_level rb_processor_level(void) { return RB_LEVEL_NEON; }
#else
static inline rb_level rb_processor_level(void) { return RB_LEVEL_PORTABLE; }
#endif

/* The level in use: the processor's, unless RAPIDBLEU_SIMD names a lower one. */
static inline rb_level rb_simd_level(void) {
    const rb_level most = rb_processor_level();
    const char *allowed = getenv("RAPIDBLEU_SIMD");
    if (allowed == NULL) return most;
    if (strcmp(allowed, "portable") == 0) return RB_LEVEL_PORTABLE;
    if (strcmp(allowed, "avx2") == 0 && most == RB_LEVEL_AVX512) return RB_LEVEL_AVX2;
    return most;
}

/* May code marked RB_V3 be used? */
static inline int rb_use_v3(void) {
    const rb_level level = rb_simd_level();
    return level == RB_LEVEL_AVX2 || level == RB_LEVEL_AVX512;
}

#endif
