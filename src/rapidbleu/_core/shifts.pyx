"""Edits of a hypothesis when blocks of its tokens may move at the cost of one edit each.

The best sequence of moves is hard to find, so Snover et al. (2006) take the best move again and
again while it lowers the edit distance.  What may move, and where to, follows tercom as sacrebleu
has it:

- a block is up to 10 tokens that stand in the reference too, at most 50 positions away;
- something in it must be edited now, and something in the reference's block as well;
- the reference's block must not be aligned into the block itself;
- it goes behind the token aligned to the one before the reference's block, or to one in it.

The move that lowers the distance most wins; of equal ones the longest block, then the first block,
then the first target.  After 1,000 candidates in all the search ends, without the move of the round
in which that happens.

A candidate takes the rows of the tokens it moves across, a few hundred cells.  A round whose
distance is as small as any order of these tokens allows is the last, so nothing is searched.
"""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

from rapidbleu._core.beam cimport (
    BeamC, beam_align, beam_backward, beam_forward, beam_replaced, beam_worked,
)


cdef enum:
    LONGEST_BLOCK = 10
    LONGEST_WAY = 50
    MOST_CANDIDATES = 1000


cdef struct MoveC:
    int64_t distance     # of the hypothesis after it
    int64_t length       # of the block
    int64_t start
    int64_t target


cdef struct SearchC:
    BeamC* beam
    int32_t* spare       # [n_hyp] tokens of the stretch that a move changes
    MoveC best
    int64_t n_candidates


cdef int64_t shifted_distance(BeamC* beam, int32_t* spare, int64_t least) except -1 nogil:
    """Edits and moves that make the hypothesis, which is changed, the reference.

    `spare` has room for the hypothesis; no order of its tokens has a distance below `least`.
    """
    cdef SearchC s
    cdef int64_t distance, n_moves = 0, begin, end
    s.beam, s.spare, s.n_candidates = beam, spare, 0
    while True:
        distance = beam_forward(beam)
        if distance <= least:
            break
        s.best.distance = distance
        s.best.length = s.best.start = s.best.target = 0
        find_move(&s)
        if s.best.length == 0 or s.n_candidates >= MOST_CANDIDATES:
            break
        move(&s, &s.best, &begin, &end)
        memcpy(beam.hyp + begin, spare, <size_t> (end - begin) * sizeof(int32_t))
        n_moves += 1
    return n_moves + distance


cdef int find_move(SearchC* s) except -1 nogil:
    """Find the best move among all blocks that hypothesis and reference share."""
    cdef BeamC* b = s.beam
    cdef int64_t start, ref, ref_end, length, n_before = s.n_candidates
    beam_align(b)
    for start in range(b.n_hyp):
        ref = start - LONGEST_WAY if start > LONGEST_WAY else 0
        ref_end = start + LONGEST_WAY + 1 if start + LONGEST_WAY < b.n_ref else b.n_ref
        if b.hyp[start] == 0 or ref >= ref_end:
            continue
        beam_worked(b, 4 * (ref_end - ref))
        while ref < ref_end:
            length = 0
            while (
                length < LONGEST_BLOCK and start + length < b.n_hyp and ref + length < b.n_ref
                and b.hyp[start + length] == b.ref[ref + length]
            ):
                length += 1
                if not may_move(b, start, ref, length):
                    continue
                if s.n_candidates == n_before:
                    beam_backward(b)
                try_targets(s, start, ref, length)
                if s.n_candidates >= MOST_CANDIDATES:
                    return 0
            ref += 1
    return 0


cdef inline bint may_move(
    const BeamC* b, int64_t start, int64_t ref, int64_t length
) noexcept nogil:
    """Is a block, which stands at `ref` in the reference, in the wrong place?"""
    return (
        b.hyp_errors[start + length] != b.hyp_errors[start]
        and b.ref_errors[ref + length] != b.ref_errors[ref]
        and not start <= b.align[ref] < start + length
    )


cdef int try_targets(SearchC* s, int64_t start, int64_t ref, int64_t length) except -1 nogil:
    """Try to move a block to each place where the reference might want it."""
    cdef int64_t k, target, last = -1
    for k in range(ref - 1, ref + length):
        target = 0 if k < 0 else s.beam.align[k] + 1
        if target != last:
            try_move(s, start, length, target)
            s.n_candidates += 1
        last = target
    return 0


cdef int try_move(SearchC* s, int64_t start, int64_t length, int64_t target) except -1 nogil:
    """Keep the move if it is the best so far."""
    cdef MoveC candidate
    cdef int64_t begin, end
    candidate.length, candidate.start, candidate.target = length, start, target
    if target == start:
        return 0
    move(s, &candidate, &begin, &end)
    candidate.distance = beam_replaced(s.beam, s.spare, begin, end)
    if is_better(&candidate, &s.best):
        s.best = candidate
    return 0


cdef inline bint is_better(const MoveC* a, const MoveC* b) noexcept nogil:
    if a.distance != b.distance:
        return a.distance < b.distance
    if b.length == 0:  # no move at all
        return False
    if a.length != b.length:
        return a.length > b.length
    if a.start != b.start:
        return a.start < b.start
    return a.target < b.target


cdef void move(SearchC* s, const MoveC* m, int64_t* begin, int64_t* end) noexcept nogil:
    """Write what a move makes of the tokens [begin, end) to `spare`; no others change.

    A target within the block, or just behind it, is as many tokens further on from the start.
    """
    cdef const int32_t* hyp = s.beam.hyp
    cdef int64_t behind = m.start + m.length, n_passed
    if m.target < m.start:
        begin[0], end[0], n_passed = m.target, behind, m.start - m.target
        memcpy(s.spare, hyp + m.start, <size_t> m.length * sizeof(int32_t))
        memcpy(s.spare + m.length, hyp + m.target, <size_t> n_passed * sizeof(int32_t))
        return
    begin[0] = m.start
    end[0] = m.target if m.target > behind else m.target + m.length
    end[0] = end[0] if end[0] < s.beam.n_hyp else s.beam.n_hyp
    n_passed = end[0] - behind
    memcpy(s.spare, hyp + behind, <size_t> n_passed * sizeof(int32_t))
    memcpy(s.spare + n_passed, hyp + m.start, <size_t> m.length * sizeof(int32_t))
