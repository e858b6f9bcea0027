"""NLTK's METEOR: words of two texts paired from the last to the first, and NLTK's Porter stems."""

from libc.stdint cimport int32_t, uint32_t
from libc.string cimport strcmp, strlen

from cpython.mem cimport PyMem_Free, PyMem_Malloc

from rapidbleu._core.common cimport POLL_OBJECTS, poll_due, poll_signals


cdef extern from "Python.h":
    uint32_t* PyUnicode_AsUCS4(str text, uint32_t* buffer, Py_ssize_t n, bint copy_null) except NULL
    str PyUnicode_FromKindAndData(int kind, const void* buffer, Py_ssize_t n)


# --------------------------------------------------------------------------------------------------
# Pairs of words

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
        Returns two mappings, of words to stems and of stems to sets of synonyms; called if words of
        the hypothesis are left over when equal words are paired.

    Returns
    -------
    tuple of int
        Pairs, and runs of pairs that are next to each other in both texts.

    Notes
    -----
    Linear in the number of words and synonyms.
    """
    cdef PairingC p
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
            stems, synonyms = find_words()
            for i in range(p.n):
                if p.pairs[i] < 0:
                    hyp[i] = stems[hyp[i]]
            for i in range(p.m):
                if not p.taken[i]:
                    ref[i] = stems[ref[i]]
            pair_synonyms(&p, hyp, pair_equal(&p, hyp, ref), synonyms)
        return p.n - p.n_left, count_chunks(&p)
    finally:
        PyMem_Free(p.pairs)


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


cdef int pair_synonyms(PairingC* p, list hyp, dict numbers, sets) except -1:
    """Pair free stems with the last free one that is a synonym."""
    cdef frozenset synonyms
    cdef Py_ssize_t i, number, best
    for i in range(p.n - 1, -1, -1):
        if p.pairs[i] >= 0:
            continue
        if poll_due(i, POLL_OBJECTS):
            poll_signals()
        synonyms = sets[hyp[i]]
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


# --------------------------------------------------------------------------------------------------
# Porter's stems (1980) with NLTK's changes: a word is an array that only gets shorter.

cdef dict IRREGULAR = {
    "sky": "sky", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news",
    "innings": "inning", "inning": "inning", "outings": "outing", "outing": "outing",
    "cannings": "canning", "canning": "canning", "howe": "howe", "proceed": "proceed",
    "exceed": "exceed", "succeed": "succeed",
}

ctypedef const char* Ending

# Endings, and what takes their places.
cdef Ending[42] STEP_2 = [
    b"ational", b"ate", b"tional", b"tion", b"enci", b"ence", b"anci", b"ance", b"izer", b"ize",
    b"bli", b"ble", b"alli", b"al", b"entli", b"ent", b"eli", b"e", b"ousli", b"ous",
    b"ization", b"ize", b"ation", b"ate", b"ator", b"ate", b"alism", b"al", b"iveness", b"ive",
    b"fulness", b"ful", b"ousness", b"ous", b"aliti", b"al", b"iviti", b"ive", b"biliti", b"ble",
    b"fulli", b"ful",
]
cdef Ending[14] STEP_3 = [
    b"icate", b"ic", b"ative", b"", b"alize", b"al", b"iciti", b"ic", b"ical", b"ic", b"ful", b"",
    b"ness", b"",
]
cdef Ending[38] STEP_4 = [
    b"al", b"", b"ance", b"", b"ence", b"", b"er", b"", b"ic", b"", b"able", b"", b"ible", b"",
    b"ant", b"", b"ement", b"", b"ment", b"", b"ent", b"", b"ion", b"", b"ou", b"", b"ism", b"",
    b"ate", b"", b"iti", b"", b"ous", b"", b"ive", b"", b"ize", b"",
]


cdef struct WordC:
    uint32_t* characters
    Py_ssize_t n


# Which of the first characters of a word are consonants: not a, e, i, o, u, nor y behind one.
cdef struct ShapeC:
    Py_ssize_t measure    # how often a vowel is followed by a consonant
    bint has_vowel
    bint[3] is_consonant  # the last, the last but one, the one before; False: not there


cdef ShapeC shape_of(const WordC* word, Py_ssize_t n) noexcept:
    cdef ShapeC shape
    cdef uint32_t c
    cdef Py_ssize_t i
    cdef bint consonant
    shape.measure = 0
    shape.has_vowel = False
    shape.is_consonant[0] = shape.is_consonant[1] = shape.is_consonant[2] = False
    for i in range(n):
        c = word.characters[i]
        consonant = not (
            c == c"a" or c == c"e" or c == c"i" or c == c"o" or c == c"u"
            or (c == c"y" and shape.is_consonant[0])
        )
        shape.measure += consonant and i > 0 and not shape.is_consonant[0]
        shape.has_vowel |= not consonant
        shape.is_consonant[2] = shape.is_consonant[1]
        shape.is_consonant[1] = shape.is_consonant[0]
        shape.is_consonant[0] = consonant
    return shape


cdef Py_ssize_t measure(const WordC* word, Py_ssize_t n) noexcept:
    return shape_of(word, n).measure


cdef bint ends_short(const WordC* word, Py_ssize_t n) noexcept:
    """Consonant, vowel, consonant other than w, x, y at the end; or just vowel, consonant."""
    cdef ShapeC shape = shape_of(word, n)
    cdef uint32_t c
    if n < 2 or not shape.is_consonant[0] or shape.is_consonant[1]:
        return False
    c = word.characters[n - 1]
    return n == 2 or (
        shape.is_consonant[2] and c != c"w" and c != c"x" and c != c"y"
    )


cdef bint ends(const WordC* word, Py_ssize_t n, Ending ending) noexcept:
    """Have the first n characters this ending?"""
    cdef Py_ssize_t length = strlen(ending), i
    if length > n:
        return False
    for i in range(length):
        if word.characters[n - length + i] != <uint32_t> ending[i]:
            return False
    return True


cdef void append(WordC* word, Ending ending) noexcept:
    cdef Py_ssize_t i
    for i in range(<Py_ssize_t> strlen(ending)):
        word.characters[word.n] = <uint32_t> ending[i]
        word.n += 1


cdef void step_1(WordC* word) noexcept:
    """Plurals, -ed, -ing, and y."""
    if ends(word, word.n, b"ies"):
        word.n -= 1 if word.n == 4 else 2
    elif ends(word, word.n, b"sses"):
        word.n -= 2
    elif ends(word, word.n, b"s") and not ends(word, word.n, b"ss"):
        word.n -= 1
    past_and_gerund(word)
    if ends(word, word.n, b"y") and word.n > 2 and shape_of(word, word.n).is_consonant[1]:
        word.characters[word.n - 1] = c"i"


cdef void past_and_gerund(WordC* word) noexcept:
    """Drop -ed or -ing."""
    cdef Py_ssize_t n
    cdef uint32_t c
    cdef ShapeC shape
    if ends(word, word.n, b"ied"):
        word.n -= 1 if word.n == 4 else 2
        return
    if ends(word, word.n, b"eed"):
        word.n -= measure(word, word.n - 3) > 0
        return
    n = word.n
    n -= 2 if ends(word, n, b"ed") else 3 if ends(word, n, b"ing") else 0
    shape = shape_of(word, n)
    if n == word.n or not shape.has_vowel:
        return
    word.n = n
    c = word.characters[n - 1]
    if ends(word, n, b"at") or ends(word, n, b"bl") or ends(word, n, b"iz"):
        append(word, b"e")
    elif n > 1 and c == word.characters[n - 2] and shape.is_consonant[0]:
        word.n -= c != c"l" and c != c"s" and c != c"z"
    elif shape.measure == 1 and ends_short(word, n):
        append(word, b"e")


cdef void replace(WordC* word, const Ending* endings, int n, Py_ssize_t least) noexcept:
    """Replace the first of the endings that the word has, if the measure before it is enough.

    Before -ion there has to be an s or a t.
    """
    cdef Py_ssize_t base
    cdef int k
    for k in range(0, n, 2):
        if ends(word, word.n, endings[k]):
            base = word.n - <Py_ssize_t> strlen(endings[k])
            if measure(word, base) >= least and (
                strcmp(endings[k], b"ion") != 0 or ends(word, base, b"s") or ends(word, base, b"t")
            ):
                word.n = base
                append(word, endings[k + 1])
            return


cdef void step_2(WordC* word) noexcept:
    """Double endings become single ones."""
    if ends(word, word.n, b"alli") and measure(word, word.n - 4) > 0:
        word.n -= 2
    if ends(word, word.n, b"logi"):
        word.n -= measure(word, word.n - 3) > 0
    else:
        replace(word, STEP_2, 42, 1)


cdef void step_5(WordC* word) noexcept:
    """A final e, and a final double l."""
    cdef Py_ssize_t size
    if ends(word, word.n, b"e"):
        size = measure(word, word.n - 1)
        word.n -= size > 1 or (size == 1 and not ends_short(word, word.n - 1))
    word.n -= ends(word, word.n, b"ll") and measure(word, word.n - 1) > 1


def porter_stem(str word not None, /):
    """Return the stem that NLTK's PorterStemmer has by default.

    Parameters
    ----------
    word : str

    Returns
    -------
    str
        In lower case.

    Examples
    --------
    >>> [porter_stem(word) for word in ("flies", "Generalization", "skies")]
    ['fli', 'gener', 'sky']
    """
    cdef str lower = word.lower()
    cdef WordC own
    if lower in IRREGULAR:
        return IRREGULAR[lower]
    if len(word) <= 2:
        return lower
    own.n = len(lower)
    own.characters = <uint32_t*> PyMem_Malloc(own.n * sizeof(uint32_t))
    if own.characters == NULL:
        raise MemoryError
    try:
        PyUnicode_AsUCS4(lower, own.characters, own.n, False)
        step_1(&own)
        step_2(&own)
        replace(&own, STEP_3, 14, 1)
        replace(&own, STEP_4, 38, 2)
        step_5(&own)
        return PyUnicode_FromKindAndData(4, own.characters, own.n)
    finally:
        PyMem_Free(own.characters)
