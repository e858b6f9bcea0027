"""The counts behind ROUGE, from which precision, recall and F follow to the last bit."""

from rapidbleu._core.matching.rouge import OverlapKernel
from rapidbleu._core.scoring.pairs import Pairs
from rapidbleu.metrics.matching.rouge import ROUGE
from rapidbleu.score import Score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu._core.text.tokenize import PreparedReferences


class ROUGECountsScore(Score):
    """What texts have in common, counted.

    Attributes
    ----------
    score : float
        ROUGE of the counts, in percent.
    matches, sys_units, ref_units : int
        Units in common, of the hypotheses and of the references: n-grams, words or pairs of words.

    Examples
    --------
    >>> print(ROUGECountsScore("ROUGE-L", 60.0, 3, 6, 4))
    ROUGE-L = 60.00 (matches = 3 hyp_units = 6 ref_units = 4)
    """

    def __init__(
        self, name: str, score: float, matches: int, sys_units: int, ref_units: int
    ) -> None:
        super().__init__(name, score)
        self.matches = matches
        self.sys_units = sys_units
        self.ref_units = ref_units

    @property
    def _verbose(self) -> str:
        return (
            f"(matches = {self.matches:d} hyp_units = {self.sys_units:d} "
            f"ref_units = {self.ref_units:d})"
        )


class ROUGECounts(ROUGE):
    """ROUGE whose rows are counts, and whose score of a corpus is that of its counts added up.

    Options are those of `ROUGE`; any variant but W, whose matches are no whole numbers.

    Raises
    ------
    TypeError, ValueError
        If an option has no such value.

    Notes
    -----
    A row of statistics is [matches, units of the hypothesis, units of the reference], of the
    reference that counts. Rows of `ROUGE` have precision, recall and F in fixed point, and the
    score of a corpus there is the mean of its segments. Here, long segments count more.

    Examples
    --------
    >>> hypotheses = ["the gunman police killed", "police ended the gunman"]
    >>> references = [["police killed the gunman", "police killed the gunman"]]
    >>> ROUGECounts("2").segment_stats(hypotheses, references)
    array([[2, 3, 3],
           [1, 3, 3]])
    """

    _columns = "matches", "hyp_units", "ref_units"

    def _make_kernel(self) -> "Any":
        return OverlapKernel(super()._make_kernel())

    def _make_pairs(self, hyps: "PreparedReferences", refs: "PreparedReferences") -> Pairs:
        return Pairs(self._kernel, hyps, refs)

    def _make_score(self, parts: "tuple[Any, ...]") -> "Any":
        return ROUGECountsScore(f"ROUGE-{self.variant}", *parts)

    def _options(self) -> "dict[str, Any]":
        return {**super()._options(), "average": "counts"}
