"""RIBES (Isozaki et al. 2010): the order of words that both texts have."""

from __future__ import annotations

from rapidbleu._core.matching.order import RibesKernel
from rapidbleu.metrics.metric import Metric
from rapidbleu.metrics.options import flag, number, words
from rapidbleu.score import SegmentMeanScore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu.typing import TokenizerName, TokenizerRule


class RIBESScore(SegmentMeanScore):
    """The mean RIBES of segments, in percent."""

    name = "RIBES"


class RIBES(Metric[RIBESScore]):
    """RIBES with fixed options; the score of a corpus is the mean of its segments.

    A word of the hypothesis is aligned with the same word of the reference if both texts have it
    once, or else once together with the fewest words before it, or after it, that make it unique.
    The share of pairs of aligned words in the same order is multiplied by powers of the share of
    aligned words and of the brevity penalty of BLEU.

    Parameters
    ----------
    lowercase, tokenize
        As in `Metric`; the tokenizer is 13a by default.
    alpha, beta : float
        Exponents of the share of aligned words, and of the brevity penalty.

    Notes
    -----
    A row of statistics is the score of the segment in two columns, whole units of 2**-20 and the
    rest in units of 2**-50, and a 1. Of several references a segment takes the greatest score.
    Empty texts score 0, and so does a hypothesis with one aligned word, unless that is the whole
    reference. Time is that of the pairs of places with equal words.

    References
    ----------
    Isozaki et al. 2010, "Automatic Evaluation of Translation Quality for Distant Language Pairs".

    Examples
    --------
    >>> hypotheses = ["he read the book because he was interested in world history"]
    >>> references = [["he was interested in world history because he read the book"]]
    >>> RIBES().corpus_score(hypotheses, references)
    RIBES = 30.91
    """

    lowercase: bool = flag(default=False)
    tokenize: TokenizerName | TokenizerRule | None = words(default=None)
    alpha: float = number(default=0.25, least=0, most=100)
    beta: float = number(default=0.1, least=0, most=100)

    _columns = "score_units", "score_rest", "segments"

    def _make_kernel(self) -> RibesKernel:
        return RibesKernel(self.alpha, self.beta)

    def _make_score(self, parts: tuple[Any, ...]) -> RIBESScore:
        score, _, n_segments = parts
        return RIBESScore(score, n_segments)

    def _options(self) -> dict[str, Any]:
        return {"alpha": f"{self.alpha:g}", "beta": f"{self.beta:g}"}
