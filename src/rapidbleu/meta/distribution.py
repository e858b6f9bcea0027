"""How many orders the hypotheses of a corpus have: the distribution that the paper draws."""

from rapidbleu.meta.blocks import check_bleu, cut_sites, words_of
from rapidbleu.meta.orders import log10_factorial, matches_of
from rapidbleu.parallel import STEPS, check_progress, check_threads
from rapidbleu.references import check_layout
from rapidbleu.sequences import items_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu.metrics import BLEU
    from rapidbleu.typing import FloatArray, IntArray, Layout, Progress, ReferenceStreams, Texts


class CorpusOrders:
    """How many orders the hypotheses of a corpus have; made by `corpus_orders`.

    Attributes
    ----------
    n_words, n_matches, n_blocks : int64 arrays of shape (n_segments,)
        Words, clipped matches of bigrams, and blocks of each hypothesis.
    log10, log10_distinct, log10_printed : float64 arrays of shape (n_segments,)
        As in `Orders`, of blocks cut at exact sites.
    """

    def __init__(
        self, n_words: "IntArray", n_matches: "IntArray", n_blocks: "IntArray",
        repeated: "FloatArray",
    ) -> None:  # fmt: skip
        import numpy as np

        self.n_words = n_words
        self.n_matches = n_matches
        self.n_blocks = n_blocks
        table = np.array([log10_factorial(n) for n in range(int(n_words.max()) + 1)])
        self.log10: FloatArray = table[n_blocks]
        self.log10_distinct: FloatArray = self.log10 - repeated
        self.log10_printed: FloatArray = table[n_words - n_matches]

    def quantiles(self, q: "Any" = (0.0, 0.25, 0.5, 0.75, 1.0)) -> "FloatArray":
        """Return quantiles of `log10`.

        Parameters
        ----------
        q : float array of shape (n,)
            Between 0 and 1.

        Returns
        -------
        float64 array of shape (n,)
        """
        import numpy as np

        found: FloatArray = np.quantile(self.log10, q)
        return found

    @property
    def median(self) -> float:
        """The median of `log10`."""
        return float(self.quantiles([0.5])[0])

    @property
    def max(self) -> float:
        """The greatest of `log10`."""
        return float(self.log10.max())

    def __len__(self) -> int:
        return len(self.n_words)

    def __repr__(self) -> str:
        return (
            f"{len(self)} segments: median 10^{self.median:.1f} orders, "
            f"most 10^{self.max:.1f}"
        )


def corpus_orders(
    hypotheses: "Texts",
    references: "ReferenceStreams",
    metric: "BLEU | None" = None,
    *,
    layout: "Layout" = "stream",
    threads: int = 1,
    progress: "Progress | None" = None,
) -> CorpusOrders:
    """Count the orders of each hypothesis of a corpus.

    Parameters
    ----------
    hypotheses, references, layout
        As in `Metric.corpus_score`, not prepared.
    metric : BLEU, optional
        As in `count_orders`.
    threads : int
        0: all cores. The result is the same.
    progress : callable, optional
        Called with the segments done and all of them.

    Returns
    -------
    CorpusOrders

    Raises
    ------
    TypeError, ValueError
        As `count_orders`.

    Notes
    -----
    Linear in the text: two seconds for a million words.

    Examples
    --------
    >>> hypotheses = ["the cat sat on a mat", "rained it"]
    >>> found = corpus_orders(hypotheses, [["the cat sat on the mat", "it rained"]])
    >>> found
    2 segments: median 10^0.5 orders, most 10^0.8
    >>> found.n_blocks
    array([3, 2])
    """
    import numpy as np

    bleu = check_bleu(metric)
    check_progress(progress)
    check_layout(layout)
    texts = items_of(hypotheses, "hypotheses", "segments")
    what = "streams" if layout == "stream" else "references of segments"
    rows = items_of(references, "references", what)
    each = [items_of(row, f"references[{i}]", "references") for i, row in enumerate(rows)]
    stats = bleu.segment_stats(texts, each, layout=layout, threads=check_threads(threads))
    groups: Any = each if layout == "segment" else zip(*each, strict=True)
    n_blocks, repeated = np.zeros(len(texts), np.int64), np.zeros(len(texts))
    step = max(1, -(-len(texts) // STEPS))
    for i, (text, own) in enumerate(zip(texts, groups, strict=True)):
        words = words_of(bleu, text)[1]
        others = [words_of(bleu, reference)[1] for reference in own if reference is not None]
        starts = cut_sites(words, others if bleu.max_ngram_order > 1 else [], "exact")
        ends = [*starts[1:], len(words)][: len(starts)]
        kinds: dict[tuple[Any, ...], int] = {}
        for start, end in zip(starts, ends, strict=True):
            block = tuple(words[start:end])
            kinds[block] = kinds.get(block, 0) + 1
        n_blocks[i] = len(starts)
        repeated[i] = sum(log10_factorial(count) for count in kinds.values())
        if progress is not None and ((i + 1) % step == 0 or i + 1 == len(texts)):
            progress(i + 1, len(texts))
    return CorpusOrders(stats[:, 0].copy(), matches_of(bleu, stats), n_blocks, repeated)
