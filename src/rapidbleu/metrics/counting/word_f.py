"""F of words: precision, recall and their means, whatever the order (Melamed et al. 2003)."""

from __future__ import annotations

from rapidbleu._core.counting.overlap import WordFKernel
from rapidbleu.metrics.metric import Metric
from rapidbleu.metrics.options import flag, number, words
from rapidbleu.score import Score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rapidbleu.typing import TokenizerName, TokenizerRule


class OverlapScore(Score):
    """F of the words that hypotheses and references have in common.

    Attributes
    ----------
    score, precision, recall : float
        In percent; the score is F.
    sys_len, ref_len : int
        Lengths of the hypotheses and of the best reference of each segment in words.
    """

    def __init__(
        self, name: str, score: float, precision: float, recall: float, sys_len: int, ref_len: int
    ) -> None:
        super().__init__(name, score)
        self.precision = precision
        self.recall = recall
        self.sys_len = sys_len
        self.ref_len = ref_len

    def shares(self, name: str, common: str, beta: float) -> list[str]:
        """Return the formula: precision and recall of what texts have in common, and F.

        Examples
        --------
        >>> score = OverlapScore("F1", 60.0, 75.0, 50.0, 4, 6)
        >>> score.shares("matches", "3", 1)[:2]
        ['P = 100 * matches / hyp_len = 100 * 3 / 4 = 75.00', \
'R = 100 * matches / ref_len = 100 * 3 / 6 = 50.00']
        """
        from rapidbleu.explanation.formulas import f_formula

        sides = ("P", self.precision, "hyp", self.sys_len), ("R", self.recall, "ref", self.ref_len)
        lines = [
            f"{letter} = 100 * {name} / {side}_len = 100 * {common} / {length} = {share:.2f}"
            if length else f"{letter} = 0.00  (of an empty text)"
            for letter, share, side, length in sides
        ]  # fmt: skip
        return [*lines, f_formula(self.name, self.precision, self.recall, beta, self.score)]

    @property
    def _verbose(self) -> str:
        return (
            f"(P = {self.precision:.1f} R = {self.recall:.1f} hyp_len = {self.sys_len:d} "
            f"ref_len = {self.ref_len:d})"
        )


class WordFScore(OverlapScore):
    """An F of words and what it was made of; see `OverlapScore`.

    Attributes
    ----------
    matches : int
        Words in common with the best reference of each segment.

    Examples
    --------
    >>> print(WordFScore("wordF1", 60.0, 75.0, 50.0, 3, 4, 6))
    wordF1 = 60.00 (P = 75.0 R = 50.0 hyp_len = 4 ref_len = 6)
    """

    def __init__(
        self, name: str, score: float, precision: float, recall: float, matches: int, sys_len: int,
        ref_len: int,
    ) -> None:  # fmt: skip
        super().__init__(name, score, precision, recall, sys_len, ref_len)
        self.matches = matches


class WordF(Metric[WordFScore]):
    """Precision, recall and F of single words with fixed options.

    Parameters
    ----------
    lowercase, tokenize
        As in `Metric`; the tokenizer is 13a by default.
    beta : float
        How many times more recall counts than precision: 1 for F1; 3 for the mean
        10 P R / (R + 9 P) of METEOR; 0 for precision and ``math.inf`` for recall alone.

    Notes
    -----
    A row of statistics is [matches, length of the hypothesis, of the reference]. Of several
    references a segment takes the first with the greatest score.

    References
    ----------
    Melamed, Green and Turian 2003, "Precision and Recall of Machine Translation".
    Lavie, Sagae and Jayaraman 2004, "The Significance of Recall in Automatic Metrics for MT
    Evaluation".

    Examples
    --------
    >>> hypotheses = ["in two weeks the army will give weapons"]
    >>> references = [["the army is to give its weapons back within two weeks"]]
    >>> WordF().corpus_score(hypotheses, references)
    wordF1 = 63.16 (P = 75.0 R = 54.5 hyp_len = 8 ref_len = 11)
    >>> WordF(beta=3).segment_scores(hypotheses, references).round(2)
    array([56.07])
    """

    lowercase: bool = flag(default=False)
    tokenize: TokenizerName | TokenizerRule | None = words(default=None)
    beta: float = number(default=1.0, least=0, most=float("inf"))

    _columns = "matches", "hyp_len", "ref_len"

    def _counted_orders(self) -> Sequence[int]:
        return (1,)

    def _formula(self, score: Any, row: list[int], reference: int | None) -> list[str]:
        lines: list[str] = score.shares("matches", str(score.matches), self.beta)
        return lines

    def _make_kernel(self) -> WordFKernel:
        return WordFKernel(self.beta)

    def _make_score(self, parts: tuple[Any, ...]) -> WordFScore:
        return WordFScore(f"wordF{self.beta:g}", *parts)

    def _options(self) -> dict[str, Any]:
        return {"beta": f"{self.beta:g}"}
