"""The upper envelope of the lines of one segment: which hypothesis is the best, and from where on.

Of a thousand lines about seven are on the envelope.  Two sweeps in single precision (sweeps.h)
leave some forty candidates.  They are thinned once more in double precision, by the points where
the best of them cross, sorted by slope, and the envelope is what a stack holds in the end: a line
goes when the next one overtakes it before it has overtaken the one below.

Everything that decides is in double precision.  Of parallel lines the highest counts, of equal
ones the first.  Of three lines through one point the one in the middle has no interval and is left
out, and so is a line that in floating point would overtake the others only at infinity.

The usual scan, from each line to the first that crosses it, takes as many passes over all lines as
the envelope has, with a division for each line; sorting all lines takes fifty times as long as
sweeping.  Linear in the lines as a rule; n log n where most of them are on the envelope.
"""

from libc.float cimport DBL_EPSILON
from libc.math cimport INFINITY, fabs
from libc.string cimport memcpy

from rapidbleu._core.common cimport POLL_TOKENS, poll_due, poll_without_gil


cdef enum:
    FEW = 12    # candidates that are sorted without being thinned first
    SMALL = 48  # candidates that are sorted by insertion


cdef int64_t upper_envelope(
    const LinesC* lines, const SweeperC* sweeper, uint32_t* kept, VertexC* vertices, bint moses,
    PyObject* stop,
) except -1 nogil:
    """Write the lines of the envelope from left to right and return their number.

    There is room for n_padded in `kept`, and for twice as many in `vertices`.  Of equal lines the
    first is taken; with `moses` the last, but on the left-most interval.
    """
    cdef ExtremesC extremes
    cdef SieveC sieve
    cdef int64_t i, k, n = 0, m
    sweeper.extremes(lines.intercepts, lines.slopes, lines.n_padded, &extremes)
    rb_sieve_make(&extremes, lines.depth, lines.exact_slopes != NULL, &sieve)
    m = sweeper.sift(lines.intercepts, lines.slopes, lines.n_padded, &sieve, kept)
    for i in range(m):
        k = kept[i]
        if k < lines.n:
            vertices[n].line = k
            vertices[n].intercept = lines.exact_intercepts[k]
            vertices[n].slope = (
                lines.exact_slopes[k] if lines.exact_slopes != NULL else <double> lines.slopes[k]
            )
            n += 1
    if n > FEW:
        n = thin(vertices, n)
    if n <= SMALL:
        sort_few(vertices, n)
    else:
        sort_many(vertices, vertices + n, n, stop)
    return stack(vertices, n, moses)


cdef inline bint comes_before(const VertexC* a, const VertexC* b) noexcept nogil:
    """In the order of slopes; of parallel lines the highest first, of equal ones the first."""
    if a.slope != b.slope:
        return a.slope < b.slope
    if a.intercept != b.intercept:
        return a.intercept > b.intercept
    return a.line < b.line


cdef void sort_few(VertexC* vertices, int64_t n) noexcept nogil:
    """Sort by insertion."""
    cdef VertexC moved
    cdef int64_t i, j
    for i in range(1, n):
        moved = vertices[i]
        j = i
        while j > 0 and comes_before(&moved, vertices + j - 1):
            vertices[j] = vertices[j - 1]
            j -= 1
        vertices[j] = moved


cdef int sort_many(VertexC* vertices, VertexC* spare, int64_t n, PyObject* stop) except -1 nogil:
    """Sort by merging runs, of which the first are sorted by insertion."""
    cdef VertexC* source = vertices
    cdef VertexC* target = spare
    cdef int64_t run = SMALL, begin = 0, n_moved = 0
    while begin < n:
        sort_few(vertices + begin, min(<int64_t> SMALL, n - begin))
        begin += SMALL
    while run < n:
        begin = 0
        while begin < n:
            merge_runs(
                source + begin, target + begin, min(run, n - begin), min(2 * run, n - begin), stop
            )
            begin += 2 * run
            n_moved += 2 * run
            if n_moved >= POLL_TOKENS:
                n_moved = 0
                poll_without_gil(stop)
        source, target = target, source
        run *= 2
    if source != vertices:
        memcpy(vertices, source, <size_t> n * sizeof(VertexC))
    return 0


cdef int merge_runs(
    const VertexC* source, VertexC* target, int64_t middle, int64_t n, PyObject* stop
) except -1 nogil:
    """Merge sorted lines [0, middle) and [middle, n)."""
    cdef int64_t i = 0, j = middle, k
    for k in range(n):
        if poll_due(k, POLL_TOKENS):
            poll_without_gil(stop)
        if i < middle and (j == n or comes_before(source + i, source + j)):
            target[k] = source[i]
            i += 1
        else:
            target[k] = source[j]
            j += 1
    return 0


cdef inline double cross(const VertexC* a, const VertexC* b) noexcept nogil:
    """Where two lines cross, or 0 if they are parallel."""
    return (a.intercept - b.intercept) / (b.slope - a.slope) if a.slope != b.slope else 0.0


cdef int64_t stack(VertexC* vertices, int64_t n, bint moses) noexcept nogil:
    """Keep the envelope of sorted lines."""
    cdef VertexC* top
    cdef VertexC new
    cdef double x = 0.0
    cdef int64_t i, height = 0
    for i in range(n):
        new = vertices[i]
        top = vertices + height - 1
        if height > 0 and top.slope == new.slope:
            if moses and top.intercept == new.intercept and top.begin > -INFINITY:
                top.line = new.line
            continue
        while height > 0:
            x = cross(vertices + height - 1, &new)
            if x > vertices[height - 1].begin:
                break
            height -= 1
        if height == 0:
            x = -INFINITY
        if x < INFINITY:
            new.begin = x
            vertices[height] = new
            height += 1
    return height


cdef int64_t thin(VertexC* vertices, int64_t n) noexcept nogil:
    """Keep the lines that may be on the envelope, given five good ones.

    The five are the one that is highest at 0, the first and the last, and those that are highest
    where these cross.  On either side of the middle, a line of the envelope reaches the two
    neighbours that its slope is between where these cross.  NaN keeps a line.
    """
    cdef int64_t first = 0, middle = 0, last = 0, i, m = 0
    cdef int64_t[2] best
    cdef double[2] x, top
    cdef double[2] x_out, y_out, x_in, y_in  # of the outer and the inner crossing on either side
    cdef double widest, deepest = 0.0, at_out, at_in, slope
    cdef int side
    for i in range(1, n):
        if vertices[i].slope < vertices[first].slope:
            first = i
        if vertices[i].slope > vertices[last].slope:
            last = i
        if vertices[i].intercept > vertices[middle].intercept:
            middle = i
    for i in range(n):
        deepest += fabs(vertices[i].intercept)
    slope = vertices[middle].slope
    widest = fabs(vertices[first].slope) + fabs(vertices[last].slope)
    x[0] = cross(vertices + first, vertices + middle)
    x[1] = cross(vertices + middle, vertices + last)
    best[0] = best[1] = middle
    top[0] = top[1] = -INFINITY
    for i in range(n):
        side = vertices[i].slope > slope
        at_in = vertices[i].intercept + vertices[i].slope * x[side]
        if at_in > top[side]:
            top[side], best[side] = at_in, i
    for side in range(2):
        x_out[side] = cross(vertices + (last if side else first), vertices + best[side])
        x_in[side] = cross(vertices + best[side], vertices + middle)
        y_out[side] = reach(vertices + best[side], x_out[side], widest, deepest)
        y_in[side] = reach(vertices + best[side], x_in[side], widest, deepest)
    for i in range(n):
        side = vertices[i].slope > slope
        at_out = vertices[i].intercept + vertices[i].slope * x_out[side]
        at_in = vertices[i].intercept + vertices[i].slope * x_in[side]
        vertices[m] = vertices[i]
        m += not at_out < y_out[side] or not at_in < y_in[side]
    return m


cdef inline double reach(
    const VertexC* good, double x, double widest, double deepest
) noexcept nogil:
    """What a line that equals a good one at x comes to there at least, after rounding."""
    return good.intercept + good.slope * x - 64 * DBL_EPSILON * (widest * fabs(x) + deepest)
