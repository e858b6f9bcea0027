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
from libc.math cimport INFINITY, fabs, fmax
from libc.stdlib cimport qsort


cdef enum:
    FEW = 12    # candidates that are sorted without being thinned first
    SMALL = 48  # candidates that insertion sorts sooner than qsort


cdef int64_t upper_envelope(
    const LinesC* lines, const SweeperC* sweeper, uint32_t* kept, VertexC* vertices
) noexcept nogil:
    """Write the lines of the envelope from left to right and return their number.

    There is room for n_padded in `kept` and in `vertices`.
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
    sort(vertices, n)
    return stack(vertices, n)


cdef inline bint comes_before(const VertexC* a, const VertexC* b) noexcept nogil:
    """In the order of slopes; of parallel lines the highest first, of equal ones the first."""
    if a.slope != b.slope:
        return a.slope < b.slope
    if a.intercept != b.intercept:
        return a.intercept > b.intercept
    return a.line < b.line


cdef int compare(const void* a, const void* b) noexcept nogil:
    return -1 if comes_before(<const VertexC*> a, <const VertexC*> b) else 1


cdef void sort(VertexC* vertices, int64_t n) noexcept nogil:
    cdef VertexC moved
    cdef int64_t i, j
    if n > SMALL:
        qsort(vertices, n, sizeof(VertexC), compare)
        return
    for i in range(1, n):
        moved = vertices[i]
        j = i
        while j > 0 and comes_before(&moved, vertices + j - 1):
            vertices[j] = vertices[j - 1]
            j -= 1
        vertices[j] = moved


cdef inline double cross(const VertexC* a, const VertexC* b) noexcept nogil:
    """Where two lines cross, or 0 if they are parallel."""
    return (a.intercept - b.intercept) / (b.slope - a.slope) if a.slope != b.slope else 0.0


cdef int64_t stack(VertexC* vertices, int64_t n) noexcept nogil:
    """Keep the envelope of sorted lines."""
    cdef VertexC new
    cdef double x = 0.0
    cdef int64_t i, height = 0
    for i in range(n):
        new = vertices[i]
        if height > 0 and vertices[height - 1].slope == new.slope:
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


cdef inline int64_t highest_at(const VertexC* vertices, int64_t n, double x) noexcept nogil:
    cdef int64_t i, best = 0
    cdef double y, top = -INFINITY
    for i in range(n):
        y = vertices[i].intercept + vertices[i].slope * x
        if y > top:
            best, top = i, y
    return best


cdef int64_t thin(VertexC* vertices, int64_t n) noexcept nogil:
    """Keep the lines that reach five good ones at one of the points where neighbours cross.

    The five are the first and the last of the envelope, the one that is highest at 0, and between
    them those that are highest where these cross.
    """
    cdef int64_t[5] good
    cdef double[4] x, y
    cdef double widest = 0.0, deepest = 0.0, value
    cdef int64_t i, k, first = 0, last = 0, middle = 0, m = 0
    cdef bint reaches
    for i in range(1, n):
        if comes_before(vertices + i, vertices + first):
            first = i
        if vertices[i].slope > vertices[last].slope or (
            vertices[i].slope == vertices[last].slope
            and vertices[i].intercept > vertices[last].intercept
        ):
            last = i
        if vertices[i].intercept > vertices[middle].intercept:
            middle = i
    for i in range(n):
        widest = fmax(widest, fabs(vertices[i].slope))
        deepest = fmax(deepest, fabs(vertices[i].intercept))
    good[0], good[2], good[4] = first, middle, last
    good[1] = highest_at(vertices, n, cross(vertices + first, vertices + middle))
    good[3] = highest_at(vertices, n, cross(vertices + middle, vertices + last))
    for k in range(4):
        x[k] = cross(vertices + good[k], vertices + good[k + 1])
        y[k] = fmax(
            vertices[good[k]].intercept + vertices[good[k]].slope * x[k],
            vertices[good[k + 1]].intercept + vertices[good[k + 1]].slope * x[k],
        ) - 64 * DBL_EPSILON * (widest * fabs(x[k]) + deepest)
    for i in range(n):
        reaches = False
        for k in range(4):
            value = vertices[i].intercept + vertices[i].slope * x[k]
            reaches |= not value < y[k]
        if reaches:
            vertices[m] = vertices[i]
            m += 1
    return m
