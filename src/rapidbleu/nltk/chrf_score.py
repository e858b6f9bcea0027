"""Drop-in for `nltk.translate.chrf_score`: chrF as NLTK has it (Popovic 2015).

The F-scores of all orders of all segments are averaged, with one reference and a beta of 3, which
is not what sacrebleu's chrF does.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

from rapidbleu._core.nltk.sums import chrf_sums
from rapidbleu.nltk.grams import COUNTER, grams, is_order

__all__ = ["chrf_precision_recall_fscore_support", "corpus_chrf", "sentence_chrf"]

Text = str | Iterable[str]

_SPACES = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
_NO_SPACES = dict.fromkeys(map(ord, _SPACES))


def sentence_chrf(
    reference: Text, hypothesis: Text, min_len: int = 1, max_len: int = 6, beta: float = 3.0,
    ignore_whitespace: bool = True,
) -> float:  # fmt: skip
    """chrF of one segment.

    Parameters
    ----------
    reference, hypothesis : str or iterable of str
        Tokens are joined by spaces.
    min_len, max_len : int
        Lowest and highest order of character n-grams.
    beta : float
        How many times recall outweighs precision.
    ignore_whitespace : bool
        Leave white space out.

    Returns
    -------
    float
        From 0 to 1.

    Notes
    -----
    Linear in the number of characters; safe to call from several threads.

    Examples
    --------
    >>> round(sentence_chrf("the cat sat", "the cat sits"), 6)
    0.675977
    """
    return corpus_chrf(
        [reference], [hypothesis], min_len, max_len, beta=beta, ignore_whitespace=ignore_whitespace
    )


def chrf_precision_recall_fscore_support(
    reference: Sequence[Hashable],
    hypothesis: Sequence[Hashable],
    n: int,
    beta: float = 3.0,
    epsilon: float = 1e-16,
) -> tuple[float, float, float, int]:
    """Precision, recall, F-score and number of matches of the n-grams of one order.

    Parameters
    ----------
    reference, hypothesis : iterable of hashable tokens
        The characters of a str.
    n : int
        Order of the n-grams.
    beta : float
        How many times recall outweighs precision.
    epsilon : float
        All three scores if one of them would divide by zero.

    Returns
    -------
    tuple of float, float, float and int

    Examples
    --------
    >>> chrf_precision_recall_fscore_support("abc", "abd", 2)
    (0.5, 0.5, 0.5, 1)
    """
    counts = None
    if is_order(n):
        counts = COUNTER.bleu(((reference,),), (hypothesis,), n)
    if counts is not None:
        matches = counts[2][n - 1]
        n_hypothesis = max(0, len(hypothesis) - n + 1)
        n_reference = max(0, len(reference) - n + 1)
    else:
        of_reference = Counter(grams(reference, n))
        of_hypothesis = Counter(grams(hypothesis, n))
        matches = sum((of_reference & of_hypothesis).values())
        n_hypothesis, n_reference = sum(of_hypothesis.values()), sum(of_reference.values())
    try:
        precision, recall = matches / n_hypothesis, matches / n_reference
        factor = beta**2
        score = (1 + factor) * (precision * recall) / (factor * precision + recall)
    except ZeroDivisionError:
        precision = recall = score = epsilon
    return precision, recall, score, matches


def corpus_chrf(
    references: Sequence[Text], hypotheses: Sequence[Text], min_len: int = 1, max_len: int = 6,
    beta: float = 3.0, ignore_whitespace: bool = True,
) -> float:  # fmt: skip
    """chrF of a corpus: the mean over orders and segments of the F-scores of each.

    Parameters
    ----------
    references, hypotheses : sequence of str or of iterables of str
        One reference for each hypothesis; tokens are joined by spaces.
    min_len, max_len : int
        Lowest and highest order of character n-grams.
    beta : float
        How many times recall outweighs precision.
    ignore_whitespace : bool
        Leave white space out.

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    AssertionError
        If there are not as many references as hypotheses.
    ZeroDivisionError
        If there are no segments or no orders.

    Notes
    -----
    Linear in the number of characters; safe to call from several threads.

    Examples
    --------
    >>> round(corpus_chrf(["the cat sat", "it rained"], ["the cat sits", "it rains"]), 6)
    0.640655
    """
    if len(references) != len(hypotheses):
        raise AssertionError("The number of hypotheses and their references should be the same")
    totals = None
    factors = _factors(beta)
    if factors and is_order(min_len) and is_order(max_len):
        options = (min_len, max_len, *factors, bool(ignore_whitespace))
        totals = chrf_sums(references, hypotheses, *options)
        if totals is None:
            pairs = zip(references, hypotheses, strict=False)
            texts = [(_joined(reference), _joined(hypothesis)) for reference, hypothesis in pairs]
            references, hypotheses = [ref for ref, _ in texts], [hyp for _, hyp in texts]
            totals = chrf_sums(references, hypotheses, *options)
    if totals is None:
        totals = _sums(references, hypotheses, min_len, max_len, beta, ignore_whitespace)
    return (sum(totals) / len(totals)) / len(hypotheses)


def _joined(text: Text) -> str:
    return text if type(text) is str else " ".join(text)


def _factors(beta: object) -> tuple[float, float] | None:
    """beta squared, and one more, if they are numbers that C has."""
    if type(beta) is not int and type(beta) is not float:
        return None
    try:
        return float(beta**2), float(1 + beta**2)
    except OverflowError:
        return None


def _sums(
    references: Sequence[Text], hypotheses: Sequence[Text], min_len: int, max_len: int,
    beta: float, ignore_whitespace: bool,
) -> list[float]:  # fmt: skip
    """What the core adds up, for options that it does not know."""
    scores: dict[int, list[float]] = {}
    for reference, hypothesis in zip(references, hypotheses, strict=False):
        reference, hypothesis = _joined(reference), _joined(hypothesis)
        if ignore_whitespace:
            reference = reference.translate(_NO_SPACES)
            hypothesis = hypothesis.translate(_NO_SPACES)
        for n in range(min_len, max_len + 1):
            score = chrf_precision_recall_fscore_support(reference, hypothesis, n, beta=beta)[2]
            scores.setdefault(n, []).append(score)
    return [sum(of_order) for of_order in scores.values()]
