"""Position-independent error rate (Tillmann et al. 1997): words without a partner."""

from __future__ import annotations

from rapidbleu._core.edits.rates import PositionKernel
from rapidbleu.metrics.metric import Metric
from rapidbleu.metrics.options import choice, flag, words
from rapidbleu.score import Score, rate_formula

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rapidbleu.typing import PERForm, TokenizerName, TokenizerRule

FORMS = ("segments", "corpus")


class PERScore(Score):
    """A position-independent error rate and what it was made of.

    Attributes
    ----------
    score : float
        Edits divided by reference length, in percent; the lower, the better.
    matches : int
        Words of hypotheses with a partner in the closest reference.
    num_edits, sys_len, ref_len : int
        Edits, and the lengths of hypotheses and references in words.

    Examples
    --------
    >>> print(PERScore(25.0, 3, 4, 4, 1))
    PER = 25.00
    """

    name = "PER"

    def __init__(
        self, score: float, matches: int, sys_len: int, ref_len: int, num_edits: int
    ) -> None:
        self.score = score
        self.matches = matches
        self.sys_len = sys_len
        self.ref_len = ref_len
        self.num_edits = num_edits

    @property
    def _formula(self) -> list[str]:
        edits = f"(max({self.sys_len}, {self.ref_len}) - {self.matches})"
        return rate_formula(self, "(longer - matches) / ref_len", edits, self.ref_len)


class PER(Metric[PERScore]):
    """Position-independent error rate with fixed options; the lower, the better.

    The edits of a segment are the words that the longer of hypothesis and reference has beyond
    their common words, whatever the order.

    Parameters
    ----------
    lowercase, tokenize
        As in `Metric`; the tokenizer is 13a by default.
    form : {"segments", "corpus"}
        Add the edits of segments; or compare the length of all hypotheses with that of all
        references, as Moses does, so that a segment that is too long makes up for one that is too
        short.

    Notes
    -----
    A row of statistics is [matches, length of the hypothesis, of the reference, of the longer of
    both]. Of several references a segment takes the one with the fewest edits, of equals the
    longest.

    References
    ----------
    Tillmann et al. 1997, "Accelerated DP Based Search for Statistical Translation".

    Examples
    --------
    >>> per = PER()
    >>> hypotheses = ["on the mat sat the cat", "it rained again"]
    >>> references = [["the cat sat on the mat", "it was raining all day"]]
    >>> per.corpus_score(hypotheses, references)
    PER = 36.36
    >>> per.segment_stats(hypotheses, references)
    array([[6, 6, 6, 6],
           [1, 3, 5, 5]])
    """

    lowercase: bool = flag(default=False)
    tokenize: TokenizerName | TokenizerRule | None = words(default=None)
    form: PERForm = choice(default="segments", among=FORMS)

    _columns = "matches", "hyp_len", "ref_len", "longer_len"

    def _counted_orders(self) -> Sequence[int]:
        return (1,)

    def _make_kernel(self) -> PositionKernel:
        return PositionKernel(self.form == "corpus")

    def _make_score(self, parts: tuple[Any, ...]) -> PERScore:
        score, matches, sys_len, ref_len, longer = parts
        if self.form == "corpus":
            longer = max(sys_len, ref_len)
        return PERScore(score, matches, sys_len, ref_len, longer - matches)

    def _options(self) -> dict[str, Any]:
        return {"form": self.form}
