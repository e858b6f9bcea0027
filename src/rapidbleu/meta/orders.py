"""How many orders of a hypothesis's words BLEU scores the same or higher: counted by blocks.

BLEU sees order only through n-grams that match. Cut a hypothesis where no reference has the two
words next to each other, and no n-gram that matches is cut; so the blocks, in any order, match at
least as much, and k blocks have k! orders. Callison-Burch et al. cut at every bigram that is not a
clipped match instead. That gives a few blocks more, but an order of those can lose: a bigram that
was clipped away in one place still makes trigrams, and matches where the other copy is torn apart.
"""

from rapidbleu.meta.blocks import CutHypothesis, check_bleu, check_sites

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rapidbleu.metrics import BLEU
    from rapidbleu.typing import Array, Segment, SegmentReferences


class Orders:
    """How many orders a hypothesis has; made by `count_orders`.

    Attributes
    ----------
    blocks : tuple of tuples of str or int
        The words of each block.
    sites : str
        Where it is cut: "exact" or "printed".
    n_words, n_matches : int
        Words, and clipped matches of bigrams: k and b of the paper.
    may_gain : bool
        Whether a reference has the last word of one block next to the first of another. If not, all
        orders of exact blocks have the same score, and `distinct` of them are different strings.
    log10, log10_distinct, log10_printed : float
        Decimal logarithms of `count`, `distinct` and `printed`.
    """

    def __init__(
        self,
        blocks: "Sequence[tuple[Any, ...]]",
        kinds: "Sequence[int]",
        sites: str,
        n_words: int,
        n_matches: int,
        may_gain: bool,
    ) -> None:
        self.blocks = tuple(blocks)
        self.sites = sites
        self.n_words = n_words
        self.n_matches = n_matches
        self.may_gain = may_gain
        self._repeats = repeats(kinds)
        self.log10 = log10_factorial(len(self.blocks))
        self.log10_distinct = self.log10 - sum(map(log10_factorial, self._repeats))
        self.log10_printed = log10_factorial(n_words - n_matches)

    @property
    def n_blocks(self) -> int:
        """How many blocks there are."""
        return len(self.blocks)

    @property
    def count(self) -> int:
        """Orders of the blocks."""
        import math

        return math.factorial(len(self.blocks))

    @property
    def distinct(self) -> int:
        """Orders of the blocks, those that differ only by equal blocks counted once."""
        import math

        return self.count // math.prod(map(math.factorial, self._repeats))

    @property
    def printed(self) -> int:
        """The formula of the paper, (k - b)!."""
        import math

        return math.factorial(self.n_words - self.n_matches)

    def __repr__(self) -> str:
        text = f"{self.n_words} words, {self.n_blocks} blocks: 10^{self.log10:.1f} orders"
        if self._repeats:
            text += f", 10^{self.log10_distinct:.1f} of them distinct"
        return text


def log10_factorial(n: int) -> float:
    """Return the decimal logarithm of n!.

    Examples
    --------
    >>> round(log10_factorial(81), 1)
    120.8
    """
    import math

    return math.lgamma(n + 1) / math.log(10)


def repeats(kinds: "Sequence[int]") -> list[int]:
    """Return how often each kind of block that is repeated is there.

    Examples
    --------
    >>> repeats([0, 1, 0, 3, 1, 0])
    [3, 2]
    """
    counts: dict[int, int] = {}
    for kind in kinds:
        counts[kind] = counts.get(kind, 0) + 1
    return [count for count in counts.values() if count > 1]


def count_orders(
    hypothesis: "Segment",
    references: "SegmentReferences",
    metric: "BLEU | None" = None,
    *,
    sites: str = "exact",
) -> Orders:
    """Count the orders of a hypothesis's words that BLEU scores no lower than the hypothesis.

    Parameters
    ----------
    hypothesis : str, or list of str tokens or integer ids
    references : sequence of the same
        All references of the segment.
    metric : BLEU, optional
        Says how text is tokenized; by default 13a.
    sites : {"exact", "printed"}
        Cut between words that no reference has next to each other: no order has fewer matches. Or
        as the paper says, at all bigrams but the clipped matches: some orders can have fewer.

    Returns
    -------
    Orders

    Raises
    ------
    TypeError, ValueError
        If the metric is not BLEU, or as `Metric.corpus_score`.

    Notes
    -----
    A lower bound: there are orders that tear blocks apart and score the same. With smoothing
    "nltk6", and no other, more matches can score lower. Linear in the text.

    References
    ----------
    Callison-Burch, Osborne and Koehn 2006, "Re-evaluating the Role of BLEU in Machine Translation
    Research", section 3.1.

    Examples
    --------
    >>> found = count_orders("sat the cat on a mat a", ["the cat sat on the mat"])
    >>> found
    7 words, 6 blocks: 10^2.9 orders, 10^2.6 of them distinct
    >>> found.blocks
    (('sat',), ('the', 'cat'), ('on',), ('a',), ('mat',), ('a',))
    >>> found.count, found.distinct, found.printed
    (720, 360, 720)
    """
    bleu = check_bleu(metric)
    cut = CutHypothesis(bleu, hypothesis, references, check_sites(sites))
    n_matches = int(matches_of(bleu, cut.row))
    return Orders(cut.blocks(), cut.kinds(), sites, cut.n_words, n_matches, cut.may_gain())


def matches_of(metric: "BLEU", stats: "Array") -> "Any":
    """Return the clipped matches of bigrams that rows tell; none if the metric counts none."""
    return stats[..., 3].copy() if metric.max_ngram_order > 1 else stats[..., 0] * 0
