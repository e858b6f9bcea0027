"""Extended edit distance (Stanchev et al. 2019): edits of characters, and jumps between words."""

from __future__ import annotations

from rapidbleu._core.edits.rates import ExtendedKernel
from rapidbleu.metrics.metric import Metric
from rapidbleu.metrics.options import choice, flag, number
from rapidbleu.score import SegmentMeanScore
from rapidbleu.tokenizers.eed import LANGUAGES, get_eed_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar

    from rapidbleu.typing import EEDLanguage


class EEDScore(SegmentMeanScore):
    """The mean extended edit distance of segments, in percent; the lower, the better."""

    name = "EED"


class EED(Metric[EEDScore]):
    """Extended edit distance with fixed options; the lower, the better.

    The characters of the reference are covered one after the other by edits. After a space the
    path may jump to any place of the hypothesis. Coverage counts the places of the hypothesis that
    were never the cheapest, and each further time that a place was the cheapest.

    Parameters
    ----------
    lowercase : bool
        Lowercase all text first.
    language : {"en", "ja"}
        How texts are prepared: with spaces before marks of punctuation and at both ends; or in the
        normal form NFKC, for texts without spaces.
    alpha, rho : float
        The cost of a jump, and the weight of the coverage.
    deletion, insertion : float
        The cost of a character that only the hypothesis has, and of one that only the reference
        has. A substitution costs 1.

    Notes
    -----
    Segments are str: lists of tokens have no characters to look at. A row of statistics is the
    score of the segment in two columns, whole units of 2**-20 and the rest in units of 2**-50, and
    a 1. Of several references a segment takes the lowest score. A text does not score 0 against
    itself, as the place before it is never visited. Time is the product of both lengths;
    memory is linear.

    References
    ----------
    Stanchev et al. 2019, "EED: Extended Edit Distance Measure for Machine Translation".

    Examples
    --------
    >>> EED().corpus_score(["the cat sat on the mat"], [["the cat is on the mat"]])
    EED = 10.74
    """

    lowercase: bool = flag(default=False)
    language: EEDLanguage = choice(default="en", among=LANGUAGES)
    alpha: float = number(default=2.0, least=0, most=100)
    rho: float = number(default=0.3, least=0, most=100)
    deletion: float = number(default=0.2, least=0, most=100)
    insertion: float = number(default=1.0, least=0, most=100)

    def _choose_tokenizer(self) -> Callable[[str], Any]:
        return get_eed_tokenizer(self.language)

    def _describe_reading(self) -> str:
        return f"text:eed-{self.language}|case:{self._case()}"

    _columns = "score_units", "score_rest", "segments"

    def _make_kernel(self) -> ExtendedKernel:
        return ExtendedKernel(self.alpha, self.rho, self.deletion, self.insertion)

    def _make_score(self, parts: tuple[Any, ...]) -> EEDScore:
        score, _, n_segments = parts
        return EEDScore(score, n_segments)

    _abbreviations: ClassVar[dict[str, str]] = {
        "case": "c", "lang": "l", "alpha": "a", "rho": "r", "del": "d", "ins": "i",
    }  # fmt: skip

    def _signed(self) -> dict[str, Any]:
        return {
            "case": self._case(),
            "lang": self.language,
            "alpha": f"{self.alpha:g}",
            "rho": f"{self.rho:g}",
            "del": f"{self.deletion:g}",
            "ins": f"{self.insertion:g}",
        }
