/* The operations of expected_rows.h for AVX2, to the same bits: eight lanes are two vectors.
 *
 * Compilers vectorize neither sums in lanes nor the exponential; by hand they take a third of the
 * time. */
#ifndef RAPIDBLEU_LEARNING_EXPECTED_ROWS_V3_H
#define RAPIDBLEU_LEARNING_EXPECTED_ROWS_V3_H

/* Four items as doubles. */
RB_V3 static inline __m256d rb_four_shorts(const uint16_t *p) {
    return _mm256_cvtepi32_pd(_mm_cvtepu16_epi32(_mm_loadl_epi64((const __m128i *)p)));
}
RB_V3 static inline __m256d rb_four_floats(const float *p) {
    return _mm256_cvtps_pd(_mm_loadu_ps(p));
}
RB_V3 static inline __m256d rb_four_doubles(const double *p) { return _mm256_loadu_pd(p); }

RB_V3 static inline double rb_vectors_sum(__m256d low, __m256d high) {
    double lanes[RB_COLUMN_LANES];
    _mm256_storeu_pd(lanes, low);
    _mm256_storeu_pd(lanes + 4, high);
    return rb_lanes_sum(lanes);
}

#define RB_COLUMNS_V3(items, type)                                                                 \
    RB_V3 static void rb_weigh_##items##_v3(const void *columns, int64_t begin, int64_t stride,    \
                                            int64_t n_columns, const double *weights,              \
                                            double *sums, int64_t n) {                             \
        int64_t i, j;                                                                              \
        for (i = 0; i < n; i += RB_COLUMN_LANES) {                                                 \
            const type *column = (const type *)columns + begin + i;                                \
            __m256d low = _mm256_setzero_pd(), high = low;                                         \
            for (j = 0; j < n_columns; j++, column += stride) {                                    \
                const __m256d weight = _mm256_set1_pd(weights[j]);                                 \
                low = _mm256_add_pd(low, _mm256_mul_pd(weight, rb_four_##items(column)));          \
                high = _mm256_add_pd(high, _mm256_mul_pd(weight, rb_four_##items(column + 4)));    \
            }                                                                                      \
            _mm256_storeu_pd(sums + i, low);                                                       \
            _mm256_storeu_pd(sums + i + 4, high);                                                  \
        }                                                                                          \
    }                                                                                              \
    RB_V3 static void rb_gather_##items##_v3(const void *columns, int64_t begin, int64_t stride,   \
                                             int64_t n_columns, const double *shares,              \
                                             double *sums, int64_t n) {                            \
        int64_t i, j;                                                                              \
        for (j = 0; j < n_columns; j += 2) {                                                       \
            const type *a = (const type *)columns + begin + j * stride;                            \
            const type *b = j + 1 < n_columns ? a + stride : a;                                    \
            __m256d low_a = _mm256_setzero_pd(), high_a = low_a, low_b = low_a, high_b = low_a;    \
            for (i = 0; i < n; i += RB_COLUMN_LANES) {                                             \
                const __m256d low = _mm256_loadu_pd(shares + i);                                   \
                const __m256d high = _mm256_loadu_pd(shares + i + 4);                              \
                low_a = _mm256_add_pd(low_a, _mm256_mul_pd(low, rb_four_##items(a + i)));          \
                high_a = _mm256_add_pd(high_a, _mm256_mul_pd(high, rb_four_##items(a + i + 4)));   \
                low_b = _mm256_add_pd(low_b, _mm256_mul_pd(low, rb_four_##items(b + i)));          \
                high_b = _mm256_add_pd(high_b, _mm256_mul_pd(high, rb_four_##items(b + i + 4)));   \
            }                                                                                      \
            sums[j] += rb_vectors_sum(low_a, high_a);                                              \
            if (j + 1 < n_columns) sums[j + 1] += rb_vectors_sum(low_b, high_b);                   \
        }                                                                                          \
    }

RB_COLUMNS_V3(shorts, uint16_t)
RB_COLUMNS_V3(floats, float)
RB_COLUMNS_V3(doubles, double)

RB_V3 static inline __m256d rb_exp_negative_v3(__m256d x) {
    const __m256d shift = _mm256_set1_pd(RB_EXP_SHIFT);
    __m256d whole, rest, power = _mm256_set1_pd(rb_exp_terms[0]);
    __m256i bits;
    int i;
    x = _mm256_max_pd(_mm256_set1_pd(RB_EXP_LEAST), x); /* NaN stays */
    whole = _mm256_add_pd(_mm256_mul_pd(x, _mm256_set1_pd(RB_LOG2_E)), shift);
    bits = _mm256_castpd_si256(whole);
    whole = _mm256_sub_pd(whole, shift);
    rest = _mm256_sub_pd(x, _mm256_mul_pd(whole, _mm256_set1_pd(RB_LN2_HIGH)));
    rest = _mm256_sub_pd(rest, _mm256_mul_pd(whole, _mm256_set1_pd(RB_LN2_LOW)));
    for (i = 1; i < 14; i++)
        power = _mm256_add_pd(_mm256_mul_pd(power, rest), _mm256_set1_pd(rb_exp_terms[i]));
    bits = _mm256_slli_epi64(_mm256_add_epi64(bits, _mm256_set1_epi64x(1023)), 52);
    return _mm256_mul_pd(power, _mm256_castsi256_pd(bits));
}

RB_V3 static int rb_share_v3(double *scores, double count, int64_t n_hyps, int64_t n) {
    __m256d top = _mm256_loadu_pd(scores), highest, low, high, factor;
    double lanes[4], most, each;
    int64_t i;
    int k;
    for (i = 4; i < n; i += 4) top = _mm256_max_pd(_mm256_loadu_pd(scores + i), top);
    _mm256_storeu_pd(lanes, top);
    for (most = lanes[0], k = 1; k < 4; k++) most = lanes[k] > most ? lanes[k] : most;
    highest = _mm256_set1_pd(most);
    low = high = _mm256_setzero_pd();
    for (i = 0; i + RB_COLUMN_LANES <= n_hyps; i += RB_COLUMN_LANES) {
        const __m256d x = _mm256_sub_pd(_mm256_loadu_pd(scores + i), highest);
        const __m256d y = _mm256_sub_pd(_mm256_loadu_pd(scores + i + 4), highest);
        const __m256d of_x = rb_exp_negative_v3(x), of_y = rb_exp_negative_v3(y);
        low = _mm256_add_pd(low, of_x);
        high = _mm256_add_pd(high, of_y);
        _mm256_storeu_pd(scores + i, of_x);
        _mm256_storeu_pd(scores + i + 4, of_y);
    }
    if (i < n) {
        for (k = 0; k < RB_COLUMN_LANES; k++)
            scores[i + k] = i + k < n_hyps ? rb_exp_negative(scores[i + k] - most) : 0.0;
        low = _mm256_add_pd(low, _mm256_loadu_pd(scores + i));
        high = _mm256_add_pd(high, _mm256_loadu_pd(scores + i + 4));
    }
    each = count / rb_vectors_sum(low, high);
    factor = _mm256_set1_pd(each);
    for (i = 0; i < n; i += 4)
        _mm256_storeu_pd(scores + i, _mm256_mul_pd(_mm256_loadu_pd(scores + i), factor));
    return most < INFINITY && each == each;
}

static const rb_expecter rb_expecter_v3 = {
    {rb_weigh_shorts_v3, rb_weigh_floats_v3, rb_weigh_doubles_v3},
    {rb_gather_shorts_v3, rb_gather_floats_v3, rb_gather_doubles_v3},
    rb_share_v3,
    rb_center,
};

#endif
