"""Extended edit distance (Stanchev et al. 2019): edits of characters, and jumps between words."""

from rapidbleu._core.edits.rates import ExtendedKernel
from rapidbleu.metrics.contract.base import Metric
from rapidbleu.metrics.contract.options import choice, flag, given_references, number
from rapidbleu.metrics.contract.scores import SegmentMeanScore
from rapidbleu.signature import Signature
from rapidbleu.tokenizers.eed import LANGUAGES, get_eed_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rapidbleu.metrics.contract.options import GivenReferences
    from rapidbleu.typing import EEDLanguage


class EEDScore(SegmentMeanScore):
    """An extended edit distance.

    Attributes
    ----------
    score : float
        The mean of the segments, in percent; the lower, the better.
    n_segments : int

    Examples
    --------
    >>> print(EEDScore(25.0, 3))
    EED = 25.00
    """

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
    references : sequence of streams or References, optional
        Used by calls that give none.

    Attributes
    ----------
    num_refs : int
        References of each segment scored last, -1 if it varied.

    Raises
    ------
    TypeError, ValueError
        If an option has no such value.

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
    language: "EEDLanguage" = choice(default="en", among=LANGUAGES)
    alpha: float = number(default=2.0, least=0, most=100)
    rho: float = number(default=0.3, least=0, most=100)
    deletion: float = number(default=0.2, least=0, most=100)
    insertion: float = number(default=1.0, least=0, most=100)
    references: "GivenReferences" = given_references(default=None)

    def _choose_tokenizer(self) -> "Callable[[str], Any]":
        return get_eed_tokenizer(self.language)

    def _describe_reading(self) -> str:
        return f"text:eed-{self.language}|case:{'lc' if self.lowercase else 'mixed'}"

    _columns = "score_units", "score_rest", "segments"

    def _make_kernel(self) -> ExtendedKernel:
        return ExtendedKernel(self.alpha, self.rho, self.deletion, self.insertion)

    def _make_score(self, parts: "tuple[Any, ...]") -> EEDScore:
        score, _, n_segments = parts
        return EEDScore(score, n_segments)

    def get_signature(self) -> Signature:
        """Return the signature of the scores that this thread computed last.

        Raises
        ------
        ValueError
            If nothing was scored yet.

        Examples
        --------
        >>> eed = EED(references=[["The cat sat on the mat."]])
        >>> eed.get_signature()  # doctest: +ELLIPSIS
        nrefs:1|lang:en|case:mixed|alpha:2|rho:0.3|del:0.2|ins:1|version:2.6.0+rapidbleu...
        """
        options = {
            **self._resampling_entries(),
            "case": "lc" if self.lowercase else "mixed",
            "lang": self.language,
            "alpha": f"{self.alpha:g}",
            "rho": f"{self.rho:g}",
            "del": f"{self.deletion:g}",
            "ins": f"{self.insertion:g}",
        }
        short = {"case": "c", "lang": "l", "alpha": "a", "rho": "r", "del": "d", "ins": "i"}
        return Signature(self.num_refs, options, short)
