"""CDER (Leusch et al. 2006): edits, and jumps within the hypothesis for one edit each."""

from __future__ import annotations

from rapidbleu._core.edits.rates import JumpKernel
from rapidbleu.metrics.metric import Metric
from rapidbleu.metrics.options import flag, words
from rapidbleu.score import Score, rate_formula

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu.typing import TokenizerName, TokenizerRule


class CDERScore(Score):
    """A CDER and what it was made of.

    Attributes
    ----------
    score : float
        Edits divided by reference length, in percent; the lower, the better.
    num_edits : int
        Edits and jumps, for each segment against its closest reference.
    ref_len : int
        Length of these references in words.

    Examples
    --------
    >>> print(CDERScore(25.0, 1, 4))
    CDER = 25.00
    """

    name = "CDER"

    def __init__(self, score: float, num_edits: int, ref_len: int) -> None:
        self.score = score
        self.num_edits = num_edits
        self.ref_len = ref_len

    @property
    def _formula(self) -> list[str]:
        return rate_formula(self, "edits / ref_len", self.num_edits, self.ref_len)


class CDER(Metric[CDERScore]):
    """Cover disjoint error rate with fixed options; the lower, the better.

    Each word of the reference is covered once and in order, by edits for one each. Within the
    hypothesis the path may jump to any other place, for one edit, so a block that was moved costs
    little, words may be used twice, and words that are left out cost a jump.

    Parameters
    ----------
    lowercase, tokenize
        As in `Metric`; the tokenizer is 13a by default.

    Notes
    -----
    A row of statistics is [edits, length of the reference]. Of several references a segment takes
    the one with the fewest edits, of equals the longest. Time is 1/64 of the product of both
    lengths; memory is linear.

    References
    ----------
    Leusch et al. 2006, "CDER: Efficient MT Evaluation Using Block Movements", section 4.

    Examples
    --------
    >>> cder = CDER()
    >>> cder.corpus_score(["on the mat the cat sat"], [["the cat sat on the mat"]])
    CDER = 50.00
    >>> cder.segment_stats(["on the mat the cat sat"], [["the cat sat on the mat"]])
    array([[3, 6]])
    """

    lowercase: bool = flag(default=False)
    tokenize: TokenizerName | TokenizerRule | None = words(default=None)

    _columns = "edits", "ref_len"

    def _make_kernel(self) -> JumpKernel:
        return JumpKernel()

    def _make_score(self, parts: tuple[Any, ...]) -> CDERScore:
        return CDERScore(*parts)
