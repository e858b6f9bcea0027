"""Clipped n-gram counts in linear time, for segments of any length and n-grams of any order.

All tokens, the hypothesis first and then each reference, are laid out in one sequence of positions
with a gap behind each text.  Positions are grouped by the n-gram that starts there; order 1 groups
by token.  From order n to n + 1 each group is split by the token that follows: walk the positions p
in order of their token and drop p - n into the bucket of its group.  Every bucket is then sorted by
the following token, and equal neighbours are one group of order n + 1.  That is a single counting
sort an order, with no n-gram hashed or stored.  A group found only in the hypothesis or only in
references can match at no higher order either, so its positions are dropped: real text shrinks to a
few per cent within two orders, and one word repeated a million times stays linear.

The sort is stable, so within a group positions ascend: first the hypothesis's, then each
reference's in turn, and its clipped count is min(run of the hypothesis, longest run of a
reference).

Only order 1 needs a hash table, from token identities to numbers: open addressing, a keyed hash,
long tokens compared byte by byte.  It is gone before the lists are filled and shares their memory.
A position takes 20 to 32 bytes, a slot 12.
"""

from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from cpython.object cimport PyObject

from rapidbleu._core.common cimport (
    POLL_TOKENS, bytes_of, hash_key, poll_due, poll_without_gil, rb_fold,
)
from rapidbleu._core.text cimport TokensC, same_long, segment_length


cdef uint64_t KEY = hash_key()

cdef enum:
    DROPPED = -1


cdef struct PositionsC:
    int64_t length        # of the sequence, gaps included
    int32_t hyp_end       # positions before it belong to the hypothesis
    int32_t n_refs
    int64_t n_by_token
    int64_t n_listed
    int32_t n_groups
    int32_t* token        # [length] number of the token at each position
    int32_t* group        # [length] number of the n-gram that starts there, or DROPPED
    int32_t* start        # [groups] where each group's positions begin in `listed`
    int32_t* next_start   # the same for the next order
    int32_t* cursor       # [groups] where the next position of each goes
    int32_t* ref_end      # [n_refs] position of the gap behind each reference
    int32_t* by_token     # [n_by_token] live positions in order of their token
    int32_t* listed       # [n_listed] live positions in order of their n-gram
    int32_t* spare        # the list being made for the next order
    uint64_t* slot_identity
    int32_t* slot_number
    uint64_t n_slots      # a power of two
    PyObject* stop
    int64_t work          # positions grouped since signals were looked at


cdef void refinement_init(RefinementC* c) noexcept nogil:
    c.memory = NULL
    c.capacity = 0


cdef void refinement_free(RefinementC* c) noexcept nogil:
    PyMem_RawFree(c.memory)
    refinement_init(c)


cdef int64_t refinement_memory(const RefinementC* c) noexcept nogil:
    return c.capacity


cdef int refined_counts(
    const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin, int64_t ref_end,
    int max_order, int64_t* correct, RefinementC* c, PyObject* stop,
) except -1 nogil:
    """Fill correct[0..max_order-1] for hypothesis `hyp` against references [ref_begin, ref_end)."""
    cdef PositionsC s
    cdef int order
    s.stop, s.work = stop, 0
    lay_out(&s, hyps, hyp, refs, ref_begin, ref_end, c)
    number_tokens(&s, hyps, hyp, refs, ref_begin, ref_end)
    group_by_token(&s)
    correct[0] = keep_matched(&s, 0)
    s.n_by_token = s.n_listed
    memcpy(s.by_token, s.listed, <size_t> s.n_listed * sizeof(int32_t))
    for order in range(1, max_order):
        if s.n_groups == 0:
            break
        extend(&s, order)
        correct[order] = keep_matched(&s, order)
    return 0


cdef int lay_out(
    PositionsC* s, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
    int64_t ref_end, RefinementC* c,
) except -1 nogil:
    """Divide one block of memory; the hash table lies where the lists will be."""
    cdef int64_t n_ref_tokens = refs.first_token[ref_end] - refs.first_token[ref_begin]
    cdef int64_t arrays, lists, table, needed
    cdef uint8_t* memory
    s.length = segment_length(hyps, hyp) + 1 + n_ref_tokens + (ref_end - ref_begin)
    if s.length > INT32_MAX:
        with gil:
            raise ValueError(
                f"a segment and its references have {s.length} tokens, more than {INT32_MAX}"
            )
    s.hyp_end = <int32_t> segment_length(hyps, hyp)
    s.n_refs = <int32_t> (ref_end - ref_begin)
    s.n_slots = 16
    while <int64_t> s.n_slots < n_ref_tokens + n_ref_tokens // 2:
        s.n_slots *= 2
    arrays = (5 * s.length + s.n_refs) * <int64_t> sizeof(int32_t)
    lists = 3 * s.length * <int64_t> sizeof(int32_t)
    table = <int64_t> s.n_slots * <int64_t> (sizeof(uint64_t) + sizeof(int32_t))
    needed = 8 + arrays + (lists if lists > table else table)
    if needed > c.capacity:
        refinement_free(c)
        c.memory = PyMem_RawMalloc(bytes_of(needed, 1))
        if c.memory == NULL:
            with gil:
                raise MemoryError
        c.capacity = needed
    memory = <uint8_t*> c.memory
    s.token = <int32_t*> memory
    s.group = s.token + s.length
    s.start = s.group + s.length
    s.next_start = s.start + s.length
    s.cursor = s.next_start + s.length
    s.ref_end = s.cursor + s.length
    s.by_token = s.ref_end + s.n_refs
    s.listed = s.by_token + s.length
    s.spare = s.listed + s.length
    s.slot_identity = <uint64_t*> (memory + (arrays + 7) // 8 * 8)
    s.slot_number = <int32_t*> (s.slot_identity + s.n_slots)
    return 0


cdef int number_tokens(
    PositionsC* s, const TokensC* hyps, int64_t hyp, const TokensC* refs, int64_t ref_begin,
    int64_t ref_end,
) except -1 nogil:
    """Number the references' tokens; the hypothesis's get the same numbers or DROPPED."""
    cdef int64_t position = <int64_t> s.hyp_end + 1, ref
    cdef int32_t* first_record = s.start  # the long record of each number; free until grouping
    memset(s.slot_number, 0xFF, <size_t> s.n_slots * sizeof(int32_t))
    s.n_groups = 0
    for ref in range(ref_begin, ref_end):
        number_text(s, refs, ref, refs, refs.first_long[ref_begin], position, True, first_record)
        position += segment_length(refs, ref) + 1
        s.ref_end[ref - ref_begin] = <int32_t> (position - 1)
    return number_text(s, hyps, hyp, refs, refs.first_long[ref_begin], 0, False, first_record)


cdef int number_text(
    PositionsC* s, const TokensC* texts, int64_t text, const TokensC* refs, int64_t first_long,
    int64_t position, bint insert, int32_t* first_record,
) except -1 nogil:
    """Number the tokens of a text at its positions; unknown ones only if `insert`."""
    cdef int64_t token = texts.first_token[text], n = segment_length(texts, text), i
    cdef int64_t record = texts.first_long[text], end_long = texts.first_long[text + 1]
    cdef uint64_t identity, slot, inside = s.n_slots - 1
    cdef int32_t number
    cdef bint is_long
    for i in range(n):
        if poll_due(i, POLL_TOKENS):
            poll_without_gil(s.stop)
        identity = texts.lo[token + i] | <uint64_t> texts.hi[token + i] << 32
        is_long = record < end_long and texts.longs[record].index == i
        slot = rb_fold(identity ^ KEY, 0x9E3779B97F4A7C15) & inside
        while True:
            number = s.slot_number[slot]
            if number == DROPPED:
                if insert:
                    number = s.n_groups
                    s.n_groups += 1
                    s.slot_number[slot] = number
                    s.slot_identity[slot] = identity
                    if is_long:
                        first_record[number] = <int32_t> (record - first_long)
                break
            if s.slot_identity[slot] == identity and (not is_long or same_long(
                texts, &texts.longs[record], refs, &refs.longs[first_long + first_record[number]]
            )):
                break
            slot = (slot + 1) & inside
        s.token[position + i] = number
        record += is_long
    s.token[position + n] = DROPPED
    return 0


cdef int group_by_token(PositionsC* s) except -1 nogil:
    """Order 1: a counting sort of the positions by token."""
    cdef int64_t p, total = 0
    cdef int32_t number
    memset(s.cursor, 0, <size_t> s.n_groups * sizeof(int32_t))
    for p in range(s.length):
        if poll_due(p, POLL_TOKENS):
            poll_without_gil(s.stop)
        s.group[p] = DROPPED
        if s.token[p] != DROPPED:
            s.cursor[s.token[p]] += 1
    for number in range(s.n_groups):
        s.start[number] = <int32_t> total
        total += s.cursor[number]
        s.cursor[number] = s.start[number]
    for p in range(s.length):
        if poll_due(p, POLL_TOKENS):
            poll_without_gil(s.stop)
        number = s.token[p]
        if number != DROPPED:
            s.spare[s.cursor[number]] = <int32_t> p
            s.cursor[number] += 1
    s.n_listed = 0
    return 0


cdef int extend(PositionsC* s, int order) except -1 nogil:
    """Put the live positions into `spare` by group, in order of the token `order` places on."""
    cdef int64_t k
    cdef int32_t p, number
    for number in range(s.n_groups):
        s.cursor[number] = s.start[number]
    for k in range(s.n_by_token):
        if poll_due(k, POLL_TOKENS):
            poll_without_gil(s.stop)
        p = s.by_token[k] - order
        if p >= 0 and s.group[p] != DROPPED:
            number = s.group[p]
            s.spare[s.cursor[number]] = p
            s.cursor[number] += 1
    for k in range(s.n_listed):
        if poll_due(k, POLL_TOKENS):
            poll_without_gil(s.stop)
        s.group[s.listed[k]] = DROPPED
    return 0


cdef inline int32_t end_of_ref(const PositionsC* s, int32_t position) noexcept nogil:
    """The gap behind the reference that holds a position."""
    cdef int32_t low = 0, high = s.n_refs - 1, middle
    while low < high:
        middle = low + (high - low) // 2
        if s.ref_end[middle] < position:
            low = middle + 1
        else:
            high = middle
    return s.ref_end[low]


cdef int64_t keep_matched(PositionsC* s, int order) except -1 nogil:
    """Split the buckets in `spare` into groups; number and list those found on both sides.

    Returns the sum of their clipped counts.
    """
    cdef int64_t clipped = 0, n_listed = 0, n_buckets = s.n_groups, bucket, k
    cdef int32_t n_groups = 0, token, begin, end, last, count, in_refs, in_ref, p, text_end
    for bucket in range(n_buckets):
        begin, last = s.start[bucket], s.cursor[bucket]
        s.work += 1 + last - begin
        if s.work > POLL_TOKENS:
            s.work = 0
            poll_without_gil(s.stop)
        while begin < last:
            end = begin
            count = in_refs = in_ref = 0
            text_end = s.hyp_end
            token = s.token[s.spare[begin] + order]
            while end < last and s.token[s.spare[end] + order] == token:
                p = s.spare[end]
                if p < s.hyp_end:
                    count += 1
                else:
                    if p > text_end:
                        in_ref = 0
                        text_end = end_of_ref(s, p)
                    in_ref += 1
                    in_refs = in_ref if in_ref > in_refs else in_refs
                end += 1
            if count and in_refs:
                clipped += count if count < in_refs else in_refs
                s.next_start[n_groups] = <int32_t> n_listed
                for k in range(begin, end):
                    p = s.spare[k]
                    s.group[p] = n_groups
                    s.listed[n_listed] = p
                    n_listed += 1
                n_groups += 1
            begin = end
    s.start, s.next_start = s.next_start, s.start
    s.n_listed = n_listed
    s.n_groups = n_groups
    return clipped
