"""GLEU (Wu et al. 2016): n-grams of all orders together, the lesser of precision and recall."""

from __future__ import annotations

from rapidbleu._core.counting.overlap import GleuKernel
from rapidbleu._lib.checks import check_count
from rapidbleu.metrics.metric import Metric
from rapidbleu.metrics.options import count, flag, words
from rapidbleu.score import Score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rapidbleu.typing import TokenizerName, TokenizerRule

MOST_ORDERS = 64


class GLEUScore(Score):
    """A GLEU and what it was made of.

    Attributes
    ----------
    score : float
        In percent.
    matches, total : int
        N-grams in common with the best reference of each segment, and those of the hypothesis or
        of the reference, whichever has more.

    Examples
    --------
    >>> print(GLEUScore(40.0, 4, 10))
    GLEU = 40.00
    """

    name = "GLEU"

    def __init__(self, score: float, matches: int, total: int) -> None:
        self.score = score
        self.matches = matches
        self.total = total

    @property
    def _formula(self) -> list[str]:
        if not self.total:
            return [f"GLEU = {self.score:.2f}  (no n-grams)"]
        return [
            f"GLEU = 100 * matches / n-grams = 100 * {self.matches} / {self.total} "
            f"= {self.score:.2f}"
        ]


class GLEU(Metric[GLEUScore]):
    """Google's BLEU for segments, with fixed options.

    Parameters
    ----------
    lowercase, tokenize
        As in `Metric`; the tokenizer is 13a by default.
    min_order, max_order : int
        Lowest and highest order of n-grams.

    Notes
    -----
    A row of statistics is [matches, n-grams]. Of several references a segment takes the first with
    the greatest share. Numbers are those of NLTK's ``corpus_gleu`` and ``sentence_gleu``, in
    percent.

    References
    ----------
    Wu et al. 2016, "Google's Neural Machine Translation System", section 5.2.

    Examples
    --------
    >>> gleu = GLEU()
    >>> gleu.corpus_score(["the cat sat", "it rained"], [["the cat slept", "it rained"]])
    GLEU = 66.67
    >>> gleu.segment_stats(["the cat sat", "it rained"], [["the cat slept", "it rained"]])
    array([[3, 6],
           [3, 3]])
    """

    lowercase: bool = flag(default=False)
    tokenize: TokenizerName | TokenizerRule | None = words(default=None)
    min_order: int = count(default=1, least=1, most=MOST_ORDERS)
    max_order: int = count(default=4, least=1, most=MOST_ORDERS)

    def _settle(self) -> None:
        super()._settle()
        check_count("max_order", self.max_order, self.min_order)

    _columns = "matches", "n-grams"

    def _counted_orders(self) -> Sequence[int]:
        return range(self.min_order, self.max_order + 1)

    def _make_kernel(self) -> GleuKernel:
        return GleuKernel(self.min_order, self.max_order)

    def _make_score(self, parts: tuple[Any, ...]) -> GLEUScore:
        return GLEUScore(*parts)

    def _options(self) -> dict[str, Any]:
        return {"n": f"{self.min_order}-{self.max_order}"}
