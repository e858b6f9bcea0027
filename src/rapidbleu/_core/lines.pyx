"""Features of n-best lists in columns: weights turned into scores, and directions into lines.

Moving the weights along a direction moves the score of each hypothesis along a line.  Its slope is
the weighted sum of features with the direction as weights, which for the direction of one feature
is that feature's column.  So features are turned from rows to columns once (feature_columns.h).

Columns are kept in single precision, for sweeps that only rule lines out.  What they leave is
settled in double precision, from the same columns where the features are float32 themselves, else
from a second copy.  4 bytes a feature, or 12.
"""

from libc.stdint cimport int64_t

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc

from rapidbleu._core.common cimport POLL_TOKENS, poll_signals
from rapidbleu._core.tuning cimport LANES


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
        cdef FeatureColumnsC* columns = &self.data
        cdef Buffer ends = Buffer(offsets, "offsets")
        cdef Buffer rows = Buffer(features, "features")
        cdef Buffer out = Buffer(rounded, "rounded", writable=True)
        cdef Buffer out_exact = None
        cdef int64_t i, n, n_hyps
        ends.require(c"i", sizeof(int64_t), ends.n_items, "offsets")
        columns.n_segments = ends.n_items - 1
        columns.offsets = <int64_t*> PyMem_RawMalloc(2 * ends.n_items * sizeof(int64_t))
        if columns.offsets == NULL:
            raise MemoryError
        columns.begins = columns.offsets + ends.n_items
        columns.begins[0] = 0
        for i in range(ends.n_items):
            columns.offsets[i] = (<const int64_t*> ends.data)[i]
        for i in range(columns.n_segments):
            n = round_up(columns.offsets[i + 1] - columns.offsets[i])
            columns.begins[i + 1] = columns.begins[i] + n
            columns.longest = max(columns.longest, n)
        n_hyps = columns.offsets[columns.n_segments]
        columns.n_padded = columns.begins[columns.n_segments]
        columns.n_features = rows.n_items // n_hyps
        rows.require(
            c"f", sizeof(double) if exact is not None else sizeof(float),
            n_hyps * columns.n_features, "features",
        )
        out.require(c"f", sizeof(float), columns.n_features * columns.n_padded, "rounded")
        columns.rounded = <const float*> out.data
        self.owners = [out]
        if exact is not None:
            out_exact = Buffer(exact, "exact", writable=True)
            out_exact.require(c"f", sizeof(double), columns.n_features * columns.n_padded, "exact")
            columns.exact = <const double*> out_exact.data
            self.owners.append(out_exact)
        self.fill(rows)

    def __dealloc__(self):
        PyMem_RawFree(self.data.offsets)

    @property
    def n_segments(self):
        """How many segments there are."""
        return self.data.n_segments

    @property
    def n_features(self):
        """How many features a hypothesis has."""
        return self.data.n_features

    cdef int fill(self, Buffer rows) except -1:
        cdef const FeatureColumnsC* columns = &self.data
        cdef int64_t segment = 0, worked, length, first, place, i, j, source
        cdef float* rounded = <float*> columns.rounded
        cdef double* exact = <double*> columns.exact
        while segment < columns.n_segments:
            poll_signals()
            with nogil:
                worked = 0
                while segment < columns.n_segments and worked < POLL_TOKENS:
                    first = columns.offsets[segment]
                    length = columns.offsets[segment + 1] - first
                    for i in range(columns.begins[segment + 1] - columns.begins[segment]):
                        place = columns.begins[segment] + i
                        source = (first + (i if i < length else 0)) * columns.n_features
                        for j in range(columns.n_features):
                            if exact != NULL:
                                exact[j * columns.n_padded + place] = (
                                    (<const double*> rows.data)[source + j]
                                )
                                rounded[j * columns.n_padded + place] = (
                                    <float> (<const double*> rows.data)[source + j]
                                )
                            else:
                                rounded[j * columns.n_padded + place] = (
                                    (<const float*> rows.data)[source + j]
                                )
                    worked += (length + LANES) * columns.n_features
                    segment += 1
        return 0
