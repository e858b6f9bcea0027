"""Features of n-best lists in columns: weights turned into scores, and directions into lines.

Moving the weights along a direction moves the score of each hypothesis along a line.  Its slope is
the weighted sum of features with the direction as weights, which for the direction of one feature
is that feature's column.  So features are turned from rows to columns once, the lines of a segment
behind each other, and each segment begins at a multiple of a vector's width.  The places between
repeat the segment's first hypothesis: a line that is there twice changes no envelope and no
maximum.

Columns are kept in single precision, for sweeps that only rule lines out.  What they leave is
settled in double precision, from the same columns where the features are float32 themselves, else
from a second copy.  4 bytes a feature, or 12.
"""

from libc.stdint cimport int64_t

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc

from rapidbleu._core.common cimport POLL_TOKENS, poll


ctypedef fused feature_t:
    float
    double


cdef inline int64_t round_up(int64_t n) noexcept nogil:
    return (n + LANES - 1) // LANES * LANES


def padded(offsets):
    """Return how many places the hypotheses of all segments take in a column.

    Parameters
    ----------
    offsets : int64 array of shape (n_segments + 1,)
    """
    cdef Buffer ends = Buffer(offsets, "offsets")
    cdef const int64_t* end = <const int64_t*> ends.data
    cdef int64_t i, n = 0
    ends.require(c"i", sizeof(int64_t), ends.n_items, "offsets")
    for i in range(ends.n_items - 1):
        n += round_up(end[i + 1] - end[i])
    return n


cdef void weigh_columns(
    const feature_t* columns, int64_t stride, int64_t n_features, const double* weights,
    double* scores, int64_t n,
) noexcept nogil:
    """Add up weighted columns, LANES places at a time, whose sums stay in registers."""
    cdef double[LANES] sums
    cdef const feature_t* column
    cdef int64_t i = 0, j
    cdef int k
    while i < n:
        for k in range(LANES):
            sums[k] = 0.0
        column = columns + i
        for j in range(n_features):
            if weights[j] != 0.0:
                for k in range(LANES):
                    sums[k] += weights[j] * <double> column[k]
            column += stride
        for k in range(LANES):
            scores[i + k] = sums[k]
        i += LANES


cdef class FeatureColumns:
    """Features by column.

    Parameters
    ----------
    features : float32 or float64 array of shape (n, n_features)
    offsets : int64 array of shape (n_segments + 1,)
        First hypothesis of each segment, which has at least one.
    rounded : float32 array of shape (n_features, padded(offsets))
        Written.
    exact : float64 array of the same shape, or None
        Written, for features in float64.

    Notes
    -----
    Immutable once made; safe to share between threads.
    """

    def __cinit__(self, features, offsets, rounded, exact):
        cdef Buffer ends = Buffer(offsets, "offsets")
        cdef Buffer rows = Buffer(features, "features")
        cdef Buffer out = Buffer(rounded, "rounded", writable=True)
        cdef Buffer out_exact = None
        cdef int64_t i, n, n_hyps
        ends.require(c"i", sizeof(int64_t), ends.n_items, "offsets")
        self.n_segments = ends.n_items - 1
        self.offsets = <int64_t*> PyMem_RawMalloc(2 * ends.n_items * sizeof(int64_t))
        if self.offsets == NULL:
            raise MemoryError
        self.begins = self.offsets + ends.n_items
        self.begins[0] = 0
        for i in range(ends.n_items):
            self.offsets[i] = (<const int64_t*> ends.data)[i]
        for i in range(self.n_segments):
            n = round_up(self.offsets[i + 1] - self.offsets[i])
            self.begins[i + 1] = self.begins[i] + n
            self.longest = max(self.longest, n)
        n_hyps = self.offsets[self.n_segments]
        self.n_padded = self.begins[self.n_segments]
        self.n_features = rows.n_items // n_hyps
        rows.require(
            c"f", sizeof(double) if exact is not None else sizeof(float),
            n_hyps * self.n_features, "features",
        )
        out.require(c"f", sizeof(float), self.n_features * self.n_padded, "rounded")
        self.rounded = <const float*> out.data
        self.owners = [out]
        if exact is not None:
            out_exact = Buffer(exact, "exact", writable=True)
            out_exact.require(c"f", sizeof(double), self.n_features * self.n_padded, "exact")
            self.exact = <const double*> out_exact.data
            self.owners.append(out_exact)
        self.fill(rows)

    def __dealloc__(self):
        PyMem_RawFree(self.offsets)

    cdef int fill(self, Buffer rows) except -1:
        cdef int64_t segment = 0, worked, length, first, place, i, j, source
        cdef float* rounded = <float*> self.rounded
        cdef double* exact = <double*> self.exact
        while segment < self.n_segments:
            poll(None)
            with nogil:
                worked = 0
                while segment < self.n_segments and worked < POLL_TOKENS:
                    first = self.offsets[segment]
                    length = self.offsets[segment + 1] - first
                    for i in range(self.begins[segment + 1] - self.begins[segment]):
                        place = self.begins[segment] + i
                        source = (first + (i if i < length else 0)) * self.n_features
                        for j in range(self.n_features):
                            if exact != NULL:
                                exact[j * self.n_padded + place] = (
                                    (<const double*> rows.data)[source + j]
                                )
                                rounded[j * self.n_padded + place] = (
                                    <float> (<const double*> rows.data)[source + j]
                                )
                            else:
                                rounded[j * self.n_padded + place] = (
                                    (<const float*> rows.data)[source + j]
                                )
                    worked += (length + LANES) * self.n_features
                    segment += 1
        return 0

    cdef void weigh(
        self, int64_t segment, const double* weights, double* scores
    ) noexcept nogil:
        """Write the weighted sums of features of a segment's places, added from the first on."""
        cdef int64_t begin = self.begins[segment], n = self.begins[segment + 1] - begin
        if self.exact != NULL:
            weigh_columns(
                self.exact + begin, self.n_padded, self.n_features, weights, scores, n
            )
        else:
            weigh_columns(
                self.rounded + begin, self.n_padded, self.n_features, weights, scores, n
            )

    cdef void weigh_single(
        self, int64_t segment, const double* weights, double* scores
    ) noexcept nogil:
        """As `weigh`, with products and results in single precision, as Moses has them."""
        cdef int64_t begin = self.begins[segment], n = self.begins[segment + 1] - begin, i, j
        cdef const float* column = self.rounded + begin
        cdef float weight
        for i in range(n):
            scores[i] = 0.0
        for j in range(self.n_features):
            weight = <float> weights[j]
            for i in range(n):
                scores[i] += <double> <float> (weight * column[i])
            column += self.n_padded
        for i in range(n):
            scores[i] = <float> scores[i]

    cdef double weigh_one(
        self, int64_t segment, const double* weights, int64_t place
    ) noexcept nogil:
        """The weighted sum of features of one place of a segment, the same as from `weigh`."""
        cdef int64_t j
        cdef double score = 0.0
        place += self.begins[segment]
        for j in range(self.n_features):
            if weights[j] == 0.0:
                continue
            if self.exact != NULL:
                score += weights[j] * self.exact[j * self.n_padded + place]
            else:
                score += weights[j] * <double> self.rounded[j * self.n_padded + place]
        return score
