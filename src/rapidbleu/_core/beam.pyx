"""Edit distance of two texts within a beam around the diagonal, and of variants of one of them.

Row i has the distances of the hypothesis's first i tokens to the first j of the reference, for the
j that lie at most `width` from i times the ratio of the lengths; all else is out of reach.  The
width is 25, or more where the reference is so much longer that rows would not meet.  That is what
sacrebleu's TER explores; where texts differ by more than the beam, its distance is not the one of
Levenshtein, and neither is this.  All edits cost the same; of equally good ways to a cell,
alignment prefers the diagonal, then a token of the hypothesis left out, then one of the reference.

A search asks for the distances of many variants which differ from the text in one stretch of tokens
each.  So there are two tables: from the beginning to each cell, and from each cell to the end.  A
variant needs the rows of its stretch only, then the best sum over the row where it ends.  The
distance within a beam is a shortest way through its cells, so the sum is exact.  Starting again at
the first token that differs, as a cache of prefixes does, would take the whole rest of the text for
each variant.

A table has up to 53 cells of 4 bytes a token of the hypothesis, plus as many in all as the
reference has tokens; time is a nanosecond a cell.  Signals are looked at every few milliseconds.
"""

from libc.math cimport ceil, floor
from libc.stdint cimport int32_t, int64_t

from rapidbleu._core.clipping cimport ClippingC
from rapidbleu._core.common cimport POLL_CELLS, poll_without_gil


cdef enum:
    LEAST_WIDTH = 25
    FAR = 1 << 29            # out of reach

cdef inline int64_t beam_width(double ratio) noexcept nogil:
    if LEAST_WIDTH < ratio / 2:
        return <int64_t> ceil(ratio / 2 + LEAST_WIDTH)
    return LEAST_WIDTH


cdef inline double ratio_of(int64_t n_hyp, int64_t n_ref) noexcept nogil:
    return <double> n_ref / <double> n_hyp if n_hyp > 0 else 1.0


cdef inline int64_t stride_of(int64_t n_ref, int64_t width) noexcept nogil:
    """Cells of the widest row and one out of reach on either side."""
    return 2 + (n_ref + 1 if n_ref + 1 < 2 * width + 1 else 2 * width + 1)


cdef int64_t beam_memory(int64_t n_hyp, int64_t n_ref) noexcept nogil:
    """Bytes that `beam_init` needs."""
    cdef int64_t stride = stride_of(n_ref, beam_width(ratio_of(n_hyp, n_ref)))
    return <int64_t> sizeof(int32_t) * (
        2 * n_hyp + 4 * n_ref + 2 + (n_ref + 3) + (2 * n_hyp + 2) * stride
    )


cdef void beam_init(
    BeamC* b, void* memory, int64_t n_hyp, int64_t n_ref, ClippingC* scratch
) noexcept nogil:
    """Lay out the tables in `memory`; the tokens are still to be filled in."""
    cdef int64_t j
    b.n_hyp, b.n_ref, b.scratch = n_hyp, n_ref, scratch
    b.ratio = ratio_of(n_hyp, n_ref)
    b.width = beam_width(b.ratio)
    b.stride = stride_of(n_ref, b.width)
    b.hyp = <int32_t*> memory
    b.ref = b.hyp + n_hyp
    b.align = b.ref + n_ref
    b.hyp_errors = b.align + n_ref
    b.ref_errors = b.hyp_errors + n_hyp + 1
    b.first_row = b.ref_errors + n_ref + 1
    b.forward = b.first_row + n_ref + 3
    b.backward = b.forward + n_hyp * b.stride
    b.spare = b.backward + n_hyp * b.stride
    b.first_row[0] = b.first_row[n_ref + 2] = FAR
    for j in range(n_ref + 1):
        b.first_row[j + 1] = <int32_t> j


cdef inline int64_t row_begin(const BeamC* b, int64_t i) noexcept nogil:
    """The first cell of row i that is within the beam; row 0 is whole."""
    cdef int64_t j = <int64_t> floor(<double> i * b.ratio) - b.width
    return j if i > 0 and j > 0 else 0


cdef inline int64_t row_end(const BeamC* b, int64_t i) noexcept nogil:
    """Where the cells of row i end; the last row is whole to the right."""
    cdef int64_t j = <int64_t> floor(<double> i * b.ratio) + b.width
    return j if 0 < i < b.n_hyp and j < b.n_ref + 1 else b.n_ref + 1


cdef inline int32_t* forward_row(const BeamC* b, int64_t i) noexcept nogil:
    """The distances of row i, whose cell j is at [j - row_begin(i) + 1]."""
    return b.forward + (i - 1) * b.stride if i > 0 else b.first_row


cdef int beam_worked(BeamC* b, int64_t cells) except -1 nogil:
    """Count work; look at signals every so often."""
    b.scratch.work += cells
    if b.scratch.work >= POLL_CELLS:
        b.scratch.work = 0
        poll_without_gil(b.scratch.stop)
    return 0


cdef void next_row(
    const BeamC* b, int64_t i, int32_t word, const int32_t* above, int32_t* row
) noexcept nogil:
    """Row i of a hypothesis whose token there is `word`, from the row above."""
    cdef int64_t begin = row_begin(b, i), end = row_end(b, i), j = begin
    cdef int64_t above_begin = row_begin(b, i - 1), above_end = row_end(b, i - 1)
    cdef int64_t both = end if end < above_end + 1 else above_end + 1
    cdef const int32_t* up = above + 1 - above_begin   # up[j] is cell j of the row above
    cdef int32_t* cell = row + 1 - begin
    cdef int32_t left = FAR, best, other
    row[0] = FAR
    if j == 0:
        left = cell[0] = up[0] + 1
        j = 1
    while j < both:
        best = up[j - 1] + (word != b.ref[j - 1])
        other = up[j] + 1
        best = other if other < best else best
        left += 1
        left = best if best < left else left
        cell[j] = left
        j += 1
    while j < end:
        left += 1
        cell[j] = left
        j += 1
    cell[end] = FAR


cdef int64_t beam_forward(BeamC* b) except -1 nogil:
    """Fill the table from the beginning; returns the distance."""
    cdef int64_t i
    for i in range(1, b.n_hyp + 1):
        next_row(b, i, b.hyp[i - 1], forward_row(b, i - 1), forward_row(b, i))
        beam_worked(b, b.stride)
    return forward_row(b, b.n_hyp)[b.n_ref - row_begin(b, b.n_hyp) + 1]


cdef int beam_backward(BeamC* b) except -1 nogil:
    """Fill the table to the end, from the last row on."""
    cdef int64_t i = b.n_hyp, j, begin, end, below_begin, both
    cdef int32_t* cell
    cdef const int32_t* down
    cdef int32_t right, best, other, word
    cdef int32_t* row = b.backward + (i - 1) * b.stride
    begin, end = row_begin(b, i), row_end(b, i)
    row[0] = row[end - begin + 1] = FAR
    for j in range(begin, end):
        row[j - begin + 1] = <int32_t> (b.n_ref - j)
    for i in range(b.n_hyp - 1, 0, -1):
        below_begin, word = begin, b.hyp[i]
        begin, end = row_begin(b, i), row_end(b, i)
        down = row + 1 - below_begin   # down[j] is cell j of the row below
        row -= b.stride
        cell = row + 1 - begin
        both = begin if begin > below_begin - 1 else below_begin - 1
        cell[end] = right = FAR
        j = end - 1
        if j == b.n_ref:
            right = cell[j] = down[j] + 1
            j -= 1
        while j >= both:
            best = down[j + 1] + (word != b.ref[j])
            other = down[j] + 1
            best = other if other < best else best
            right += 1
            right = best if best < right else right
            cell[j] = right
            j -= 1
        while j >= begin:
            right += 1
            cell[j] = right
            j -= 1
        row[0] = FAR
        beam_worked(b, b.stride)
    return 0


cdef inline int32_t forward_cell(const BeamC* b, int64_t i, int64_t j) noexcept nogil:
    if row_begin(b, i) <= j < row_end(b, i):
        return forward_row(b, i)[j - row_begin(b, i) + 1]
    return FAR


cdef int beam_align(BeamC* b) except -1 nogil:
    """Follow the best way through the forward table back: fill in `align` and the errors."""
    cdef int64_t i = b.n_hyp, j = b.n_ref
    cdef int32_t here, above
    cdef bint differ
    b.hyp_errors[0] = b.ref_errors[0] = 0
    while i > 0 or j > 0:
        here = forward_cell(b, i, j)
        differ = True
        if i > 0 and j > 0:
            differ = b.hyp[i - 1] != b.ref[j - 1]
            above = forward_cell(b, i - 1, j - 1)
            if here == above + differ:
                b.align[j - 1] = <int32_t> (i - 1)
                b.hyp_errors[i] = b.ref_errors[j] = differ
                i -= 1
                j -= 1
                continue
        if i > 0 and (j == 0 or here == forward_cell(b, i - 1, j) + 1):
            b.hyp_errors[i] = 1
            i -= 1
        else:
            b.align[j - 1] = <int32_t> (i - 1)
            b.ref_errors[j] = 1
            j -= 1
    for i in range(b.n_hyp):
        b.hyp_errors[i + 1] += b.hyp_errors[i]
    for j in range(b.n_ref):
        b.ref_errors[j + 1] += b.ref_errors[j]
    return beam_worked(b, b.n_hyp + b.n_ref)


cdef int64_t beam_replaced(
    BeamC* b, const int32_t* words, int64_t begin, int64_t end
) except -1 nogil:
    """Distance of the hypothesis with `words` in the place of its tokens [begin, end)."""
    cdef const int32_t* above = forward_row(b, begin)
    cdef const int32_t* rest
    cdef int32_t* row
    cdef int64_t i, k, n
    cdef int32_t best = FAR, through
    for i in range(begin + 1, end + 1):
        row = b.spare + (i & 1) * b.stride
        next_row(b, i, words[i - 1 - begin], above, row)
        above = row
    rest = b.backward + (end - 1) * b.stride + 1
    n = row_end(b, end) - row_begin(b, end)
    for k in range(n):
        through = above[k + 1] + rest[k]
        best = through if through < best else best
    beam_worked(b, (end - begin + 1) * b.stride)
    return best
