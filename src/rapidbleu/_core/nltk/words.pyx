"""NLTK's METEOR: words of two texts paired from the last to the first."""

from libc.stdint cimport int32_t

from cpython.mem cimport PyMem_Free, PyMem_Malloc

from rapidbleu._core.common cimport POLL_OBJECTS, poll_due, poll_signals


cdef struct PairingC:
    int32_t* pairs     # [n] place in the reference of each word of the hypothesis; -1: none yet
    int32_t* previous  # [m] the free place before with an equal word; -1: none
    int32_t* last      # [m] by number of word: the last free place; -1: none
    int32_t* taken     # [m] is a place in a pair?
    Py_ssize_t n, m, n_left


def count_pairs(list hyp not None, list ref not None, find_words, /):
    """Pair equal words, then words with equal stems, then synonyms.

    Parameters
    ----------
    hyp, ref : list of tokens
    find_words : callable
        Returns an object with the functions ``stem`` of a word and ``synonyms`` of a stem, and the
        dictionaries ``stems`` and ``sets`` of what they have returned; asked for if words of the
        hypothesis are left over when equal words are paired.

    Returns
    -------
    tuple of int
        Pairs, and runs of pairs that are next to each other in both texts.

    Notes
    -----
    Linear in the number of words and synonyms.
    """
    cdef PairingC p
    cdef dict stems
    cdef Py_ssize_t i
    p.n, p.m = len(hyp), len(ref)
    p.n_left = p.n
    p.pairs = <int32_t*> PyMem_Malloc((p.n + 3 * p.m + 1) * sizeof(int32_t))
    if p.pairs == NULL:
        raise MemoryError
    p.previous, p.last, p.taken = p.pairs + p.n, p.pairs + p.n + p.m, p.pairs + p.n + 2 * p.m
    try:
        for i in range(p.n):
            p.pairs[i] = -1
        for i in range(p.m):
            p.taken[i] = False
        pair_equal(&p, hyp, ref)
        if p.n_left > 0:
            words = find_words()
            stems = words.stems
            for i in range(p.n):
                if p.pairs[i] < 0:
                    hyp[i] = look_up(stems, words.stem, hyp[i])
            for i in range(p.m):
                if not p.taken[i]:
                    ref[i] = look_up(stems, words.stem, ref[i])
            pair_synonyms(&p, hyp, pair_equal(&p, hyp, ref), words)
        return p.n - p.n_left, count_chunks(&p)
    finally:
        PyMem_Free(p.pairs)


cdef look_up(dict known, ask, key):
    found = known.get(key)
    return ask(key) if found is None else found


cdef inline void take(PairingC* p, Py_ssize_t i, Py_ssize_t number) noexcept:
    """Pair word i of the hypothesis with the last free place of a word of the reference."""
    cdef int32_t place = p.last[number]
    p.pairs[i] = place
    p.taken[place] = True
    p.last[number] = p.previous[place]
    p.n_left -= 1


cdef dict pair_equal(PairingC* p, list hyp, list ref):
    """Pair free equal words from the last to the first; returns numbers of the reference's."""
    cdef dict numbers = {}
    cdef Py_ssize_t i, number
    for i in range(p.m):
        if poll_due(i, POLL_OBJECTS):
            poll_signals()
        if p.taken[i]:
            continue
        found = numbers.get(ref[i])
        if found is None:
            number = len(numbers)
            numbers[ref[i]] = number
            p.last[number] = -1
        else:
            number = found
        p.previous[i] = p.last[number]
        p.last[number] = <int32_t> i
    for i in range(p.n - 1, -1, -1):
        if poll_due(i, POLL_OBJECTS):
            poll_signals()
        if p.pairs[i] < 0:
            found = numbers.get(hyp[i])
            if found is not None and p.last[<Py_ssize_t> found] >= 0:
                take(p, i, found)
    return numbers


cdef int pair_synonyms(PairingC* p, list hyp, dict numbers, words) except -1:
    """Pair free stems with the last free one that is a synonym."""
    cdef dict sets = words.sets
    cdef frozenset synonyms
    cdef Py_ssize_t i, number, best
    for i in range(p.n - 1, -1, -1):
        if p.pairs[i] >= 0:
            continue
        if poll_due(i, POLL_OBJECTS):
            poll_signals()
        synonyms = look_up(sets, words.synonyms, hyp[i])
        best = -1
        for stem in synonyms if len(synonyms) < len(numbers) else numbers:
            found = numbers.get(stem) if stem in synonyms else None
            if found is not None:
                number = found
                if p.last[number] >= 0 and (best < 0 or p.last[number] > p.last[best]):
                    best = number
        if best >= 0:
            take(p, i, best)
    return 0


cdef Py_ssize_t count_chunks(const PairingC* p) noexcept:
    cdef Py_ssize_t chunks = 0, i
    cdef int32_t expected = -1
    for i in range(p.n):
        chunks += p.pairs[i] >= 0 and p.pairs[i] != expected
        expected = p.pairs[i] + 1 if p.pairs[i] >= 0 else -1
    return chunks
