"""A point in the space of weights: the scores of all hypotheses there, where lines begin.

The scores are kept in double precision and moved along with each step, so a search never
multiplies all features by the weights again.  Beside them are the same in single precision, less
the highest of the segment, as the sweeps want them: near the top, where it matters, little is lost
to rounding.  12 bytes a hypothesis.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int64_t

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc

from rapidbleu._core.buffers cimport Buffer
from rapidbleu._core.common cimport POLL_TOKENS, poll
from rapidbleu._core.tuning cimport FeatureColumnsC, columns_weigh, columns_weigh_single


cdef int read_direction(DirectionC* direction, const double* weights, int64_t n) noexcept:
    """Fill in a direction; 0 if all its weights are 0."""
    cdef int64_t j, used = 0
    direction.weights = weights
    direction.axis = -1
    for j in range(n):
        if weights[j] != 0.0:
            used += 1
            direction.axis = j
    if used != 1 or weights[direction.axis] != 1.0:
        direction.axis = -1
    return used != 0


cdef class WeightPoint:
    """Scores of hypotheses under weights that move.

    Parameters
    ----------
    columns : FeatureColumns

    Notes
    -----
    Of one search at a time; searches that do not move it may share it.
    """

    def __cinit__(self, FeatureColumns columns not None):
        self.columns = columns
        self.exact = <double*> PyMem_RawMalloc(columns.data.n_padded * sizeof(double))
        self.rounded = <float*> PyMem_RawMalloc(columns.data.n_padded * sizeof(float))
        self.depths = <float*> PyMem_RawMalloc(columns.data.n_segments * sizeof(float))
        if self.exact == NULL or self.rounded == NULL or self.depths == NULL:
            raise MemoryError

    def __dealloc__(self):
        PyMem_RawFree(self.exact)
        PyMem_RawFree(self.rounded)
        PyMem_RawFree(self.depths)

    def place(self, weights, stop=None, bint single=False):
        """Compute the scores under these weights.

        Parameters
        ----------
        weights : float64 array of shape (n_features,)
        stop : list, optional
            No longer empty once the work is to end.
        single : bool
            In single precision, as Moses does.

        Raises
        ------
        ValueError
            If a score is not finite.
        """
        self.change(weights, 0.0, False, stop, single)

    def move(self, direction, double x, stop=None):
        """Go a step, as far as x times a direction.

        Parameters
        ----------
        direction : float64 array of shape (n_features,)
        x : float
        stop : list, optional
            As in `place`.

        Raises
        ------
        ValueError
            If a score is not finite.
        """
        self.change(direction, x, True, stop, False)

    def change(self, weights, double x, bint move, stop, bint single):
        """Set the scores, or move them."""
        cdef Buffer vector = Buffer(weights, "weights")
        cdef const FeatureColumnsC* columns = &self.columns.data
        cdef const double* weight = <const double*> vector.data
        cdef double* scores
        cdef double* slopes = <double*> PyMem_RawMalloc(columns.longest * sizeof(double))
        cdef int64_t segment = 0, worked, i, n
        cdef bint finite = True
        if slopes == NULL:
            raise MemoryError
        try:
            vector.require(c"f", sizeof(double), columns.n_features, "weights")
            while segment < columns.n_segments and finite:
                poll(stop)
                with nogil:
                    worked = 0
                    while segment < columns.n_segments and worked < POLL_TOKENS and finite:
                        scores = self.exact + columns.begins[segment]
                        n = columns.begins[segment + 1] - columns.begins[segment]
                        if move:
                            columns_weigh(columns, segment, weight, slopes)
                            for i in range(n):
                                scores[i] += x * slopes[i]
                        elif single:
                            columns_weigh_single(columns, segment, weight, scores)
                        else:
                            columns_weigh(columns, segment, weight, scores)
                        finite = self.shift(segment)
                        worked += n * columns.n_features
                        segment += 1
        finally:
            PyMem_RawFree(slopes)
        if not finite:
            raise ValueError(
                f"weights: expected finite sums of weighted features, got others in segment "
                f"{segment - 1}"
            )

    cdef int shift(self, int64_t segment) noexcept nogil:
        """Round the scores of a segment; 0 if one is not finite."""
        cdef const FeatureColumnsC* columns = &self.columns.data
        cdef int64_t i, begin = columns.begins[segment]
        cdef int64_t n = columns.begins[segment + 1] - begin
        cdef const double* scores = self.exact + begin
        cdef float* rounded = self.rounded + begin
        cdef double top = scores[0], bottom = scores[0], sum = 0.0
        for i in range(n):
            top = scores[i] if scores[i] > top else top
            bottom = scores[i] if scores[i] < bottom else bottom
            sum += 0.0 * scores[i]
        for i in range(n):
            rounded[i] = <float> (scores[i] - top)
        self.depths[segment] = <float> (bottom - top)
        return sum == 0.0 and top - bottom < INFINITY

    cdef void lines(
        self, int64_t segment, const DirectionC* direction, double* slopes, float* rounded,
        LinesC* lines,
    ) noexcept nogil:
        """Describe the lines of a segment; there is room for its slopes, should they be new."""
        cdef const FeatureColumnsC* columns = &self.columns.data
        cdef int64_t i, begin = columns.begins[segment]
        lines.n = columns.offsets[segment + 1] - columns.offsets[segment]
        lines.n_padded = columns.begins[segment + 1] - begin
        lines.intercepts = self.rounded + begin
        lines.exact_intercepts = self.exact + begin
        lines.depth = self.depths[segment]
        lines.exact_slopes = NULL
        if direction.axis >= 0:
            begin += direction.axis * columns.n_padded
            lines.slopes = columns.rounded + begin
            if columns.exact != NULL:
                lines.exact_slopes = columns.exact + begin
            return
        columns_weigh(columns, segment, direction.weights, slopes)
        for i in range(lines.n_padded):
            rounded[i] = <float> slopes[i]
        lines.slopes = rounded
        lines.exact_slopes = slopes
