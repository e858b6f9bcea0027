"""F of words: precision, recall and their means, whatever the order (Melamed et al. 2003)."""

from rapidbleu._core.counting.overlap import WordFKernel
from rapidbleu.metrics.contract.options import flag, given_references, number, words
from rapidbleu.metrics.contract.scores import OverlapScore
from rapidbleu.metrics.contract.words import WordMetric

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rapidbleu.metrics.contract.options import GivenReferences
    from rapidbleu.typing import TokenizerName, TokenizerRule


class WordFScore(OverlapScore):
    """An F of words and what it was made of.

    Attributes
    ----------
    score, precision, recall : float
        In percent.
    matches, sys_len, ref_len : int
        Words in common with the best reference of each segment, and the lengths of hypotheses and
        of these references in words.

    Examples
    --------
    >>> print(WordFScore("wordF1", 60.0, 75.0, 50.0, 3, 4, 6))
    wordF1 = 60.00 (P = 75.0 R = 50.0 hyp_len = 4 ref_len = 6)
    """

    def __init__(
        self,
        name: str,
        score: float,
        precision: float,
        recall: float,
        matches: int,
        sys_len: int,
        ref_len: int,
    ) -> None:
        super().__init__(name, score, precision, recall, sys_len, ref_len)
        self.matches = matches


class WordF(WordMetric[WordFScore]):
    """Precision, recall and F of single words with fixed options.

    Parameters
    ----------
    lowercase : bool
        Lowercase all text first.
    tokenize : str or callable, optional
        One of `WordF.TOKENIZERS`, or any function from str to a list of str; 13a by default.
    beta : float
        How many times more recall counts than precision: 1 for F1; 3 for the mean
        10 P R / (R + 9 P) of METEOR; 0 for precision and ``math.inf`` for recall alone.
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
    tokenize: "TokenizerName | TokenizerRule | None" = words(default=None)
    beta: float = number(default=1.0, least=0, most=float("inf"))
    references: "GivenReferences" = given_references(default=None)

    _columns = "matches", "hyp_len", "ref_len"

    def _counted_orders(self) -> "Sequence[int]":
        return (1,)

    def _formula(self, score: "Any", row: list[int], reference: "int | None") -> list[str]:
        lines: list[str] = score.shares("matches", str(score.matches), self.beta)
        return lines

    def _make_kernel(self) -> WordFKernel:
        return WordFKernel(self.beta)

    def _make_score(self, parts: "tuple[Any, ...]") -> WordFScore:
        return WordFScore(f"wordF{self.beta:g}", *parts)

    def _options(self) -> "dict[str, Any]":
        return {"beta": f"{self.beta:g}"}
