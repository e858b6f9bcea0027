"""The General Text Matcher (Melamed et al. 2003, Turian et al. 2003): words, and runs of them."""

from __future__ import annotations

from rapidbleu._core.matching.order import GtmKernel
from rapidbleu.metrics.counting.word_f import OverlapScore
from rapidbleu.metrics.explaining import in_fixed_point
from rapidbleu.metrics.metric import Metric
from rapidbleu.metrics.options import flag, number, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu.typing import TokenizerName, TokenizerRule


class GTMScore(OverlapScore):
    """A GTM score and what it was made of; see `OverlapScore`.

    Attributes
    ----------
    size : float
        The size of the matchings of all segments, in words.

    Examples
    --------
    >>> print(GTMScore("GTM-2", 60.0, 75.0, 50.0, 3.0, 4, 6))
    GTM-2 = 60.00 (P = 75.0 R = 50.0 hyp_len = 4 ref_len = 6)
    """

    def __init__(
        self, name: str, score: float, precision: float, recall: float, size: float, sys_len: int,
        ref_len: int,
    ) -> None:  # fmt: skip
        super().__init__(name, score, precision, recall, sys_len, ref_len)
        self.size = size


class GTM(Metric[GTMScore]):
    """F of a matching of words, in which words in a row may count more.

    Parameters
    ----------
    lowercase, tokenize
        As in `Metric`; the tokenizer is 13a by default.
    exponent : float
        e, from 1 to 100: a run of k words counts k^e, and the size of a matching is the e-th root
        of the sum over its runs. With 1, runs do not matter.

    Notes
    -----
    Runs are chosen greedily: the longest run of words that are in no other run yet, of equals the
    one that begins first in the hypothesis, then in the reference. That is nearly always the
    greatest matching, which would be hard to find. Of several references a segment takes the one
    with the greatest F, of equals the longest; powers are compared as rounded.

    A row of statistics is the size in two columns, whole units of 2**-20 and the rest in units of
    2**-50, and the lengths of hypothesis and reference. Time is that of the pairs of places with
    equal words, for each length of runs.

    References
    ----------
    Melamed, Green and Turian 2003, "Precision and Recall of Machine Translation".
    Turian, Shen and Melamed 2003, "Evaluation of Machine Translation and its Evaluation".

    Examples
    --------
    >>> hypotheses, references = ["on the mat the cat sat"], [["the cat sat on the mat"]]
    >>> GTM().corpus_score(hypotheses, references)
    GTM-1 = 100.00 (P = 100.0 R = 100.0 hyp_len = 6 ref_len = 6)
    >>> GTM(exponent=2).corpus_score(hypotheses, references)
    GTM-2 = 70.71 (P = 70.7 R = 70.7 hyp_len = 6 ref_len = 6)
    """

    lowercase: bool = flag(default=False)
    tokenize: TokenizerName | TokenizerRule | None = words(default=None)
    exponent: float = number(default=1.0, least=1, most=100)

    _columns = *in_fixed_point("size"), "hyp_len", "ref_len"

    def _formula(self, score: Any, row: list[int], reference: int | None) -> list[str]:
        lines: list[str] = score.shares("size", f"{score.size:.6g}", 1)
        return lines

    def _make_kernel(self) -> GtmKernel:
        return GtmKernel(self.exponent)

    def _make_score(self, parts: tuple[Any, ...]) -> GTMScore:
        return GTMScore(f"GTM-{self.exponent:g}", *parts)

    def _options(self) -> dict[str, Any]:
        return {"e": f"{self.exponent:g}"}
