"""A hypothesis cut into blocks that BLEU lets move freely, and any order of its words scored.

Words become numbers, those of the hypothesis and those of its references from one table, so that
orders are index arithmetic in NumPy and a batch of them is one call.
"""

from itertools import pairwise

from rapidbleu.metrics import BLEU
from rapidbleu.sequences import items_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from rapidbleu.typing import FloatArray, IntArray, Segment, SegmentReferences

SITES = ("exact", "printed")


def check_bleu(metric: "BLEU | None") -> BLEU:
    """Return the metric, which must be BLEU; one that is right for segments if there is none.

    Examples
    --------
    >>> check_bleu(None)
    BLEU(effective_order=True)
    """
    if metric is None:
        return BLEU(effective_order=True)
    if not isinstance(metric, BLEU):
        raise TypeError(f"metric: expected BLEU, got {type(metric).__name__}")
    return metric


def of_numbers(metric: BLEU) -> BLEU:
    """Return the same BLEU for words that are numbers, which have no case.

    Examples
    --------
    >>> of_numbers(BLEU(lowercase=True, max_ngram_order=2))
    BLEU(max_ngram_order=2)
    """
    return BLEU(
        smooth_method=metric.smooth_method, smooth_value=metric.smooth_value,
        max_ngram_order=metric.max_ngram_order, effective_order=metric.effective_order,
        ref_len=metric.ref_len, weights=metric.weights, mean=metric.mean,
    )  # fmt: skip


def check_sites(sites: str) -> str:
    """Return where hypotheses are cut, if that is one of the ways.

    Examples
    --------
    >>> check_sites("exact")
    'exact'
    """
    if not isinstance(sites, str) or sites not in SITES:
        raise ValueError(f"sites: expected one of {', '.join(SITES)}; got {sites!r}")
    return sites


def words_of(metric: BLEU, segment: "Segment") -> "tuple[list[Any], list[Any]]":
    """Return the words of a segment as they are written, and as they are compared.

    Examples
    --------
    >>> words_of(BLEU(lowercase=True), "To Miami, Florida.")
    (['To', 'Miami', ',', 'Florida', '.'], ['to', 'miami', ',', 'florida', '.'])
    """
    if isinstance(segment, str):
        written = list(metric.tokenizer(segment.rstrip()))
        if not metric.lowercase:
            return written, written
        compared = list(metric.tokenizer(segment.lower().rstrip()))
        return (written if len(written) == len(compared) else compared), compared
    written = list(segment)
    if all(isinstance(word, str) for word in written):
        return written, [word.lower() for word in written] if metric.lowercase else written
    return written, [int(word) % 2**64 for word in written]


def cut_sites(
    words: "Sequence[Any]", references: "Iterable[Sequence[Any]]", sites: str
) -> "list[int]":
    """Return where blocks begin.

    Parameters
    ----------
    words : sequence
        Of the hypothesis.
    references : iterable of the same
    sites : {"exact", "printed"}
        Cut between two words that no reference has next to each other; or at each pair that is not
        a clipped match, the first of equal pairs being those that match.

    Notes
    -----
    Linear in all texts.

    Examples
    --------
    >>> reference = ["a", "b", "c"]
    >>> cut_sites(["a", "b", "x", "a", "b"], [reference], "exact")
    [0, 2, 3]
    >>> cut_sites(["a", "b", "x", "a", "b"], [reference], "printed")
    [0, 2, 3, 4]
    """
    left: dict[tuple[Any, Any], int] = {}
    for reference in references:
        own: dict[tuple[Any, Any], int] = {}
        for pair in pairwise(reference):
            own[pair] = own.get(pair, 0) + 1
        for pair, count in own.items():
            left[pair] = max(left.get(pair, 0), count)
    starts = [0] if words else []
    for i, pair in enumerate(pairwise(words), 1):
        if not left.get(pair):
            starts.append(i)
        elif sites == "printed":
            left[pair] -= 1
    return starts


class CutHypothesis:
    """A hypothesis, cut; and what any words instead of its own would score.

    Parameters
    ----------
    metric : BLEU
    hypothesis : str, or list of str tokens or integer ids
    references : sequence of the same
    sites : {"exact", "printed"}

    Attributes
    ----------
    metric : BLEU
    texts : list
        The references.
    row : int64 array of shape (n_stats,)
        The statistics of the hypothesis.
    written : list of str or int
        The words of the hypothesis and, from `n_words` on, those of its references.
    numbers : int64 array of shape (len(written),)
        Equal words have the same.
    n_words : int
        Of the hypothesis.
    references : list of range
        Where in `written` each reference is.
    starts, lengths : int64 arrays of shape (n_blocks,)
        Of the blocks.

    Raises
    ------
    TypeError, ValueError
        If the segments are none.

    Examples
    --------
    >>> cut = CutHypothesis(BLEU(), "the cat the sat", ["the cat sat"], "exact")
    >>> cut.blocks()
    [('the', 'cat'), ('the',), ('sat',)]
    """

    def __init__(
        self, metric: BLEU, hypothesis: "Segment", references: "SegmentReferences", sites: str
    ) -> None:
        import numpy as np

        self.texts = texts = items_of(references, "references", "references")
        self.metric = metric
        self.row: IntArray = metric.segment_stats([hypothesis], [texts], layout="segment")[0]
        own, words = words_of(metric, hypothesis)
        self.written = own.copy()
        self.n_words = len(words)
        self.references: list[range] = []
        for reference in texts:
            if reference is None:
                continue
            written, compared = words_of(metric, reference)
            self.references.append(range(len(words), len(words) + len(compared)))
            self.written += written
            words = words + compared
        table: dict[Any, int] = {}
        numbers = [table.setdefault(word, len(table)) for word in words]
        self.numbers: IntArray = np.array(numbers, np.int64)
        self._own = numbers[: self.n_words]
        self._others = [numbers[place.start : place.stop] for place in self.references]
        pairs = self._others if metric.max_ngram_order > 1 else []
        self.starts: IntArray = np.array(cut_sites(self._own, pairs, sites), np.int64)
        self.lengths: IntArray = np.diff(self.starts, append=self.n_words)
        self._scoring = of_numbers(metric)
        self._prepared = self._scoring.prepare([self._others], layout="segment")

    def blocks(self) -> "list[tuple[Any, ...]]":
        """Return the words of each block, as they are written."""
        pairs = zip(self.starts.tolist(), self.lengths.tolist(), strict=True)
        return [tuple(self.written[start : start + length]) for start, length in pairs]

    def kinds(self) -> list[int]:
        """Return for each block the first one with the same words."""
        table: dict[tuple[int, ...], int] = {}
        pairs = zip(self.starts.tolist(), self.lengths.tolist(), strict=True)
        own = [tuple(self._own[start : start + length]) for start, length in pairs]
        return [table.setdefault(block, i) for i, block in enumerate(own)]

    def may_gain(self) -> bool:
        """Return whether a reference has the end of one block next to the start of another."""
        if self.metric.max_ngram_order < 2:
            return False
        starts, own = self.starts.tolist(), self._own
        firsts: dict[int, set[int]] = {}
        lasts: dict[int, set[int]] = {}
        for i, (start, length) in enumerate(zip(starts, self.lengths.tolist(), strict=True)):
            firsts.setdefault(own[start], set()).add(i)
            lasts.setdefault(own[start + length - 1], set()).add(i)
        for pair in {pair for other in self._others for pair in pairwise(other)}:
            ends, begins = lasts.get(pair[0], set()), firsts.get(pair[1], set())
            if ends and begins and len(ends | begins) > 1:
                return True
        return False

    def places(self, orders: "IntArray") -> "IntArray":
        """Return where in `written` the words of orders of the blocks are.

        Parameters
        ----------
        orders : int array of shape (n, n_blocks)
            Numbers of blocks; of equal ones any.

        Returns
        -------
        int64 array of shape (n, n_words)
        """
        import numpy as np

        lengths = self.lengths[orders]
        begins = lengths.cumsum(axis=1) - lengths
        shifts = np.repeat((self.starts[orders] - begins).ravel(), lengths.ravel())
        places: IntArray = shifts.reshape(len(orders), self.n_words) + np.arange(self.n_words)
        return places

    def stats(self, places: "IntArray", threads: int = 1) -> "IntArray":
        """Return the statistics of words, given by where in `written` they are.

        Parameters
        ----------
        places : int array of shape (n, n_words)
        threads : int

        Returns
        -------
        int64 array of shape (n, n_stats)
        """
        import numpy as np

        if not self.n_words:
            return np.repeat(self.row[np.newaxis], len(places), axis=0)
        rows: IntArray = self._scoring.nbest_stats(
            list(self.numbers[places]), self._prepared, segments=np.zeros(len(places), np.int64),
            threads=threads,
        )  # fmt: skip
        return rows

    def scores(self, rows: "IntArray") -> "FloatArray":
        """Return the scores of statistics by the metric itself."""
        import numpy as np

        self.metric._kernel.score_rows(rows, scores := np.empty(len(rows), np.float64))
        return scores
