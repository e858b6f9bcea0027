"""CIDEr-D (Vedantam et al. 2015): how alike texts are by their rare n-grams."""

from __future__ import annotations

from rapidbleu._core.counting.information import CiderKernel
from rapidbleu.metrics.counting.informed import InformedMetric
from rapidbleu.metrics.options import count, flag, given_references, number, words
from rapidbleu.score import SegmentMeanScore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

    from rapidbleu._core.text.tokenize import PreparedReferences
    from rapidbleu.metrics.options import GivenReferences
    from rapidbleu.typing import TokenizerName, TokenizerRule

MOST_ORDERS = 16


class CIDErDScore(SegmentMeanScore):
    """The mean CIDEr-D of segments, from 0 to 10."""

    name = "CIDEr-D"


class CIDErD(InformedMetric[CIDErDScore]):
    """CIDEr-D with fixed options; the score of a corpus is the mean of its segments.

    Parameters
    ----------
    lowercase, tokenize
        As in `Metric`; the tokenizer is none by default.
    max_ngram_order : int
        Highest order of n-grams, up to 16.
    sigma : float
        Width of the penalty of a difference in length.
    information : sequence of streams or References, optional
        References in which n-grams are frequent or rare, in every call; by default those that a
        call compares with.

    Notes
    -----
    A row of statistics is the score of the segment in two columns, whole units of 2**-20 and the
    rest in units of 2**-50, and a 1. An n-gram weighs the logarithm of the number of segments
    divided by that of segments with it in any reference, so n-grams that all segments have weigh
    nothing, and a corpus of one segment scores 0. Scores of segments are within 2**-49 of
    pycocoevalcap's.

    References
    ----------
    Vedantam, Zitnick and Parikh 2015, "CIDEr: Consensus-based Image Description Evaluation",
    sections 3 and 6.

    Examples
    --------
    >>> hypotheses = ["a cat on a mat", "a dog in the rain"]
    >>> references = [["a cat on the mat", "the dog in the rain"]]
    >>> CIDErD().corpus_score(hypotheses, references)
    CIDEr-D = 5.46
    """

    TOKENIZER_DEFAULT: ClassVar[TokenizerName] = "none"

    lowercase: bool = flag(default=False)
    tokenize: TokenizerName | TokenizerRule | None = words(default=None)
    max_ngram_order: int = count(default=4, least=1, most=MOST_ORDERS)
    sigma: float = number(default=6.0, least=1e-3, most=1e6)
    information: GivenReferences = given_references(default=None)

    _columns = "score_units", "score_rest", "segments"
    _counts_together = True
    _full_score = 10.0

    def _kernel_for(self, refs: PreparedReferences | None) -> CiderKernel:
        counts = None if refs is None else self._counts(refs, self.max_ngram_order, "rarity")
        return CiderKernel(self.max_ngram_order, self.sigma, counts)

    def _make_score(self, parts: tuple[Any, ...]) -> CIDErDScore:
        score, _, n_segments = parts
        return CIDErDScore(score, n_segments)

    def _options(self) -> dict[str, Any]:
        return {"n": self.max_ngram_order, "sigma": f"{self.sigma:g}", **super()._options()}
