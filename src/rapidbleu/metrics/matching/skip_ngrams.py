"""All common skip n-grams, after BLANC (Lita et al. 2005): a reconstruction."""

from __future__ import annotations

from rapidbleu._core.matching.order import SkipKernel
from rapidbleu.metrics.explaining import in_fixed_point
from rapidbleu.metrics.metric import Metric
from rapidbleu.metrics.options import count, flag, number, words
from rapidbleu.score import Score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu.typing import TokenizerName, TokenizerRule

MOST_ORDERS = 16


class SkipNgramFScore(Score):
    """A score of skip n-grams.

    Attributes
    ----------
    score : float
        The mean F of the segments, in percent.
    precision, recall : float
        Their means; they may pass 100, as nothing is clipped.
    n_segments : int

    Examples
    --------
    >>> print(SkipNgramFScore(40.0, 50.0, 30.0, 3))
    skipF = 40.00 (P = 50.0 R = 30.0)
    """

    name = "skipF"

    def __init__(self, score: float, precision: float, recall: float, n_segments: int) -> None:
        self.score = score
        self.precision = precision
        self.recall = recall
        self.n_segments = n_segments

    @property
    def _verbose(self) -> str:
        return f"(P = {self.precision:.1f} R = {self.recall:.1f})"


class SkipNgramF(Metric[SkipNgramFScore]):
    """F of all skip n-grams, weighted by their gaps; the score of a corpus is its segments' mean.

    A skip n-gram is any n words of a text in order. K of two texts adds up, over all pairs of
    occurrences of the same skip n-gram, ``decay`` to the power of the number of words left out in
    both. F of an order is ``2 K(h, r) / (K(h, h) + K(r, r))``, and the score is the mean over the
    orders that one of the texts has.

    This is a reconstruction of the idea of BLANC, whose exact form was not at hand: do not compare
    its scores with published ones.

    Parameters
    ----------
    lowercase, tokenize
        As in `Metric`; the tokenizer is 13a by default.
    max_order : int
        Highest order, up to 16.
    decay : float
        From 0 to 1. 0: n-grams in a row only; 1: gaps do not matter.

    Notes
    -----
    A row of statistics has F, precision and recall of the segment, as fractions in two columns
    each, whole units of 2**-20 and the rest in units of 2**-50, and a 1. Of several references a
    segment takes the one with the greatest F. Time is the number of orders times the squares
    and the product of both lengths.

    References
    ----------
    Lita, Rogati and Lavie 2005, "BLANC: Learning Evaluation Metrics for MT".
    Lodhi et al. 2002, "Text Classification using String Kernels", section 3.

    Examples
    --------
    >>> SkipNgramF().corpus_score(["the cat sat on the mat"], [["the cat is on the mat"]])
    skipF = 47.87 (P = 47.9 R = 47.9)
    """

    lowercase: bool = flag(default=False)
    tokenize: TokenizerName | TokenizerRule | None = words(default=None)
    max_order: int = count(default=4, least=1, most=MOST_ORDERS)
    decay: float = number(
        default=0.5, least=0, most=1,
        needs=("max_order of at least 2", lambda metric: metric.max_order > 1),
    )  # fmt: skip

    _columns = *in_fixed_point("f", "precision", "recall"), "segments"

    def _make_kernel(self) -> SkipKernel:
        return SkipKernel(self.max_order, self.decay)

    def _make_score(self, parts: tuple[Any, ...]) -> SkipNgramFScore:
        score, (_, precision, recall), n_segments = parts
        return SkipNgramFScore(score, precision, recall, n_segments)

    def _options(self) -> dict[str, Any]:
        return {"n": self.max_order, "decay": f"{self.decay:g}"}
