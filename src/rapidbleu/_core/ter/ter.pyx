"""TER and HTER (Snover et al. 2006): rows of segments and scores of rows.

A segment has the minimum edits over its references and their mean length, a fraction with several
references: 31 tokens in 3 references are 10 1/3. In HTER the first references of a segment are
targeted: edits are to the closest targeted one, lengths are of the untargeted ones, if any.

Rows are integers so that sums are exact: [edits, tokens, parts, fine parts], that is, the whole
tokens of the mean, the rest in parts of a token, and the remainder in fine parts of a part. Both
units have so many divisors that means over up to 42 references are exact, and over any other number
accurate to 2**-62 of a token. With one reference the last two columns are 0; they are always below
2**31.

The length of a row is the double nearest to tokens + (parts + fine / FINE) / PARTS. For a segment
it equals sacrebleu's quotient to the last bit: no mean of at least one token over fewer than 700
references is close enough to the middle between two doubles. Over several segments sacrebleu adds
doubles in sequence, which is exact if the numbers of references are powers of two; otherwise its
sum depends on the order and may differ in the last digits, so `describe_in_order` repeats it.

Memory is linear in the lengths (ter/shifts.h), and freed or reused per segment.
"""

from libc.math cimport ldexp
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_RawFree
from cpython.object cimport PyObject

from rapidbleu._core.common cimport allocate
from rapidbleu._core.edits.rates cimport check_lengths, check_numbers, rate
from rapidbleu._core.input.columns cimport Buffer
from rapidbleu._core.metrics cimport ScratchC, scratch_words
from rapidbleu._core.metrics.kernel cimport Kernel
from rapidbleu._core.text cimport TokensC, segment_length


cdef extern from "ter/beam_distance.h" nogil:
    ctypedef struct BeamRowC "rb_beam_row_fn":
        pass
    BeamRowC beam_row_select "rb_beam_row_select" () noexcept


cdef extern from "ter/numbered_pair.h" nogil:
    ctypedef struct PairC "rb_pair":
        int32_t* hyp
        int32_t* ref


cdef extern from "ter/shifts.h" nogil:
    enum:
        MOST_MOVES "RB_MOVE_MAX_CANDIDATES"
    ctypedef struct MoveC "rb_move":
        int64_t length
        int64_t start
        int64_t target
    ctypedef struct ShiftsC "rb_shifts":
        PairC pair
    int64_t shifts_words "rb_shifts_words" (int64_t n_hyp, int64_t n_ref) noexcept
    void shifts_init "rb_shifts_init" (
        ShiftsC* s, uint64_t* memory, int64_t n_hyp, int64_t n_ref, PyObject* stop, int64_t* work,
        BeamRowC fill
    ) noexcept
    int shifts_number "rb_shifts_number" (
        ShiftsC* s, ScratchC* scratch, const TokensC* hyps, int64_t hyp, const TokensC* refs,
        int64_t ref
    ) except -1
    int64_t shifts_least "rb_shifts_least" (ShiftsC* s) noexcept
    int64_t shifted_distance "rb_shifted_distance" (ShiftsC* s, int64_t least) except -1
    int64_t shifted_steps "rb_shifted_steps" (
        ShiftsC* s, int64_t least, MoveC* moves, int64_t* n_moves, char* end
    ) except -1


cdef enum:
    EDITS, TOKENS, PARTS_COLUMN, FINE_COLUMN, N_STATS

cdef int64_t PARTS = 1862340480   # 8 * lcm(1, ..., 22)
cdef int64_t FINE = 1882020540    # 4 * 3 * 5 * 23 * 29 * 31 * 37 * 41


cdef BeamRowC FILL_ROW = beam_row_select()


cdef class TerKernel(Kernel):
    """Compiled HTER with the first `n_targeted` references targeted; 0: TER, which uses all."""

    cdef int64_t n_targeted

    def __cinit__(self, int64_t n_targeted=0, /):
        self.state(("edits", "ref_length", "ref_length_parts", "ref_length_fine_parts"))
        self.lower_is_better = True
        self.n_targeted = n_targeted

    cdef int segment(
        self, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
        int64_t ref_end, int64_t* row, ScratchC* scratch,
    ) except -1 nogil:
        cdef int64_t ref, edits, total = 0, n_refs, rest
        cdef int64_t end = ref_end      # of the references for edits
        cdef int64_t begin = ref_begin  # of the references for the length
        if 0 < self.n_targeted < ref_end - ref_begin:
            end = begin = ref_begin + self.n_targeted
        row[EDITS] = -1
        for ref in range(ref_begin, end):
            edits = least_edits(hyps, hyp, refs, ref, scratch)
            if row[EDITS] < 0 or edits < row[EDITS]:
                row[EDITS] = edits
        for ref in range(begin, ref_end):
            total += segment_length(refs, ref)
        n_refs = ref_end - begin
        row[TOKENS] = total // n_refs
        rest = total % n_refs * PARTS
        row[PARTS_COLUMN] = rest // n_refs
        row[FINE_COLUMN] = (2 * (rest % n_refs * FINE) + n_refs) // (2 * n_refs)
        return 0

    cdef double score_row(self, const int64_t* row) noexcept nogil:
        return rate(row[EDITS], mean_length(row))

    cdef describe_row(self, const int64_t* row):
        return self.score_row(row), row[EDITS], mean_length(row)

    def describe_in_order(self, rows, int64_t edits=0, double length=0.0, /):
        """Describe rows with lengths added as doubles in order.

        `rows` is an int64 array of shape (n, 4) in C order, or one row as a list; `edits` and
        `length` are sums over previous rows. Returns score, edits and reference length.
        """
        cdef int64_t one[N_STATS]
        cdef const int64_t* row = one
        cdef Py_ssize_t n = 1, j, _
        cdef Buffer stats
        if isinstance(rows, list):
            for j in range(N_STATS):
                one[j] = rows[j]
        else:
            stats = Buffer(rows, "rows")
            n = stats.n_items // N_STATS
            stats.require(c"i", sizeof(int64_t), n * N_STATS, "rows")
            row = <const int64_t*> stats.data
        with nogil:
            for _ in range(n):
                edits += row[EDITS]
                length += mean_length(row)
                row += N_STATS
        return rate(edits, length), edits, length


cdef double mean_length(const int64_t* row) noexcept nogil:
    """Return the double nearest to the exact length, by long division, one bit at a time."""
    cdef uint64_t whole = <uint64_t> row[TOKENS], fine = <uint64_t> row[FINE_COLUMN]
    cdef uint64_t parts = <uint64_t> row[PARTS_COLUMN], rest, one
    cdef int shift = 0
    if parts == 0 and fine == 0:
        return <double> row[TOKENS]
    parts += fine // <uint64_t> FINE
    whole += parts // <uint64_t> PARTS
    rest = parts % <uint64_t> PARTS * <uint64_t> FINE + fine % <uint64_t> FINE
    one = <uint64_t> (PARTS * FINE)
    while rest and whole >> 62 == 0:
        rest <<= 1
        whole <<= 1
        shift += 1
        if rest >= one:
            rest -= one
            whole |= 1
    # The remainder only breaks ties: the last of 63 bits is far below the 53 of a double.
    return ldexp(<double> <int64_t> (whole | (rest != 0)), -shift)


cdef int64_t least_edits(
    const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref, ScratchC* scratch
) except -1 nogil:
    """Return edits and block moves between a hypothesis and one reference."""
    cdef int64_t n_hyp = segment_length(hyps, hyp), n_ref = segment_length(refs, ref)
    cdef int64_t longer = n_hyp if n_hyp > n_ref else n_ref
    cdef ShiftsC shifts
    if n_hyp == 0 or n_ref == 0:
        return longer
    check_lengths(hyps, hyp, hyp + 1)
    check_lengths(refs, ref, ref + 1)
    shifts_init(
        &shifts, scratch_words(scratch, shifts_words(n_hyp, n_ref)), n_hyp, n_ref, scratch.stop,
        &scratch.work, FILL_ROW,
    )
    shifts_number(&shifts, scratch, hyps, hyp, refs, ref)
    return shifted_distance(&shifts, shifts_least(&shifts))


def trace_moves(hyp, ref, /):
    """Return the block moves, and the edits after them.

    Tokens and edits are as in `trace_edits`. A move (begin, end, place) removes the block [begin,
    end) from the hypothesis and reinserts it so that it begins at `place`.
    """
    cdef Buffer hyp_array = Buffer(hyp, "hyp")
    cdef Buffer ref_array = Buffer(ref, "ref")
    cdef int64_t n = hyp_array.n_items, m = ref_array.n_items
    cdef int64_t n_moves = 0, n_steps = 0, n_words, work = 0, i
    cdef uint64_t* memory
    cdef MoveC* moves
    cdef char* end
    cdef ShiftsC shifts
    check_numbers(hyp_array, 0, m, "hyp")
    check_numbers(ref_array, 1, m, "ref")
    if n == 0 or m == 0:
        return [], b"I" * n + b"D" * m
    n_words = shifts_words(n, m)
    memory = <uint64_t*> allocate(
        n_words * sizeof(uint64_t) + MOST_MOVES * sizeof(MoveC) + n + m, 1
    )
    try:
        moves = <MoveC*> (memory + n_words)
        end = <char*> (moves + <int64_t> MOST_MOVES) + n + m
        shifts_init(&shifts, memory, n, m, NULL, &work, FILL_ROW)
        memcpy(shifts.pair.hyp, hyp_array.data, <size_t> n * sizeof(int32_t))
        memcpy(shifts.pair.ref, ref_array.data, <size_t> m * sizeof(int32_t))
        with nogil:
            n_steps = shifted_steps(&shifts, shifts_least(&shifts), moves, &n_moves, end)
        found = []
        for i in range(n_moves):
            found.append((moves[i].start, moves[i].start + moves[i].length, moves[i].target))
        return found, PyBytes_FromStringAndSize(end - n_steps, n_steps)
    finally:
        PyMem_RawFree(memory)
