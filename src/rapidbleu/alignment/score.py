"""How right links are: precision, recall, F, and the alignment error rate."""

from rapidbleu.alignment.links import N_STATS, link_stats
from rapidbleu.stats import unmasked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from rapidbleu.typing import IntRows


class LinkScore:
    """Precision, recall, F and alignment error rate of counted links.

    Parameters
    ----------
    stats : integer array of shape (4,) or (n, 4)
        A row of `link_stats`, or rows, which are added.

    Attributes
    ----------
    hits_sure, hits_possible, n_links, n_sure : int
    precision, recall, f, aer : float
        Fractions. Precision is that of possible links and nan without links; recall is that of sure
        links and nan without sure ones; F is their harmonic mean; the error rate is 1 less the hits
        of both kinds over the links of both, and nan without any.

    Raises
    ------
    ValueError
        If there are more hits than links, or another number of columns.

    References
    ----------
    Och & Ney 2003, A Systematic Comparison of Various Statistical Alignment Models, section 6;
    Fraser & Marcu 2007, Measuring Word Alignment Quality for Statistical Machine Translation.

    Examples
    --------
    >>> score = LinkScore([6, 6, 7, 10])
    >>> score
    LinkScore(P = 0.8571 R = 0.6000 F = 0.7059 AER = 0.2941)
    """

    def __init__(self, stats: "IntRows") -> None:
        import numpy as np

        rows = np.asarray(unmasked(stats, "stats"))
        if rows.dtype.kind not in "iu" or rows.ndim not in (1, 2) or rows.shape[-1] != N_STATS:
            raise ValueError(
                f"stats: expected integers of shape (4,) or (n, 4), "
                f"got {rows.dtype} of {rows.shape}"
            )
        hits, possible, n_links, n_sure = rows.reshape(-1, N_STATS).sum(axis=0).tolist()
        if not 0 <= hits <= possible <= n_links or hits > n_sure:
            raise ValueError(
                f"stats: expected no more hits than links, got {[hits, possible, n_links, n_sure]}"
            )
        self.hits_sure, self.hits_possible = hits, possible
        self.n_links, self.n_sure = n_links, n_sure
        nan = float("nan")
        self.precision = possible / n_links if n_links else nan
        self.recall = hits / n_sure if n_sure else nan
        both = self.precision + self.recall
        self.f = 2 * self.precision * self.recall / both if both else 0.0 * both
        self.aer = 1 - (hits + possible) / (n_links + n_sure) if n_links + n_sure else nan

    def __repr__(self) -> str:
        return (
            f"LinkScore(P = {self.precision:.4f} R = {self.recall:.4f} F = {self.f:.4f} "
            f"AER = {self.aer:.4f})"
        )


def score_links(
    alignments: "Iterable[Iterable[tuple[int, int]]]",
    sure: "Iterable[Iterable[tuple[int, int]]]",
    possible: "Iterable[Iterable[tuple[int, int]]] | None" = None,
) -> LinkScore:
    """Return how right the links of a corpus are; the arguments are those of `link_stats`.

    Examples
    --------
    >>> score_links([[(0, 0), (1, 2)]], [[(0, 0), (1, 1)]], [[(1, 2)]]).aer
    0.25
    """
    return LinkScore(link_stats(alignments, sure, possible))
