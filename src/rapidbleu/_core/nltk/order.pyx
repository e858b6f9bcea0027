"""The counts behind NLTK's RIBES: aligned words, and pairs of them in the same order."""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memset

from rapidbleu._core.common cimport hash_key
from rapidbleu._core.matching cimport word_order
from rapidbleu._core.metrics cimport ScratchC, scratch_free, scratch_init
from rapidbleu._core.text cimport TokensC, tokens_clear, tokens_close_segment, tokens_free
from rapidbleu._core.text.tokenize cimport push_strings, tokens_open


cdef uint64_t KEY = hash_key()


cdef bint read(text, TokensC* tokens) except -1:
    """Read a list or tuple of strings as the only segment of a table; False: it is another thing.
    """
    if type(text) is not list and type(text) is not tuple:
        return False
    tokens_clear(tokens)
    if push_strings(text, tokens) != len(text):
        return False
    tokens_close_segment(tokens)
    return True


def count_orders(list pairs not None, /):
    """Align the words of hypotheses and references as NLTK does it.

    Parameters
    ----------
    pairs : list of (hypothesis, reference)
        Lists or tuples of str.

    Returns
    -------
    list of (int, int) or None
        Of each pair how many words are aligned, and how many pairs of these come in the same order;
        None if a text is anything else.

    Examples
    --------
    >>> count_orders([(["b", "a", "c"], ["a", "b", "c"])])
    [(3, 2)]
    """
    cdef TokensC hyps, refs
    cdef ScratchC scratch
    cdef int64_t aligned, ascending
    counts = []
    memset(&refs, 0, sizeof(TokensC))
    scratch_init(&scratch, KEY)
    try:
        tokens_open(&hyps)
        tokens_open(&refs)
        for hyp, ref in pairs:
            if not read(hyp, &hyps) or not read(ref, &refs):
                return None
            word_order(&hyps, 0, &refs, 0, True, &aligned, &ascending, &scratch)
            counts.append((aligned, ascending))
        return counts
    finally:
        tokens_free(&hyps)
        tokens_free(&refs)
        scratch_free(&scratch)
