"""Word and character error rate: edit distance divided by the length of the reference."""

from __future__ import annotations

from rapidbleu._core.edits.rates import EditKernel, trace_edits
from rapidbleu._core.scoring.pairs import EditPairs, Pairs
from rapidbleu.metrics.explaining import align
from rapidbleu.metrics.metric import Metric
from rapidbleu.metrics.options import flag, words
from rapidbleu.score import Score, rate_formula
from rapidbleu.tokenizers.characters import get_character_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable
    from typing import Any, ClassVar

    from rapidbleu._core.text.tokenize import PreparedReferences
    from rapidbleu.metrics.explaining import EditRule
    from rapidbleu.typing import TokenizerName, TokenizerRule

# Hypotheses from which on it saves time to lay references out side by side.
LEAST_FOR_LANES = 4


def trace_words(hyp: array[int], ref: array[int]) -> tuple[list[tuple[int, int, int]], bytes]:
    """Return the steps through numbered texts, and no moves."""
    return [], trace_edits(hyp, ref)


class ErrorRateScore(Score):
    """A word or character error rate and what it was made of.

    Attributes
    ----------
    score : float
        Edits divided by reference length, in percent; the lower, the better.
    hits, substitutions, deletions, insertions : int
        Of the alignments of all segments, each with its closest reference.
    num_edits, sys_len, ref_len : int
        Their sums: edits, and the lengths of hypotheses and references in words or characters.

    Examples
    --------
    >>> print(ErrorRateScore("WER", 50.0, 3, 1, 0, 1))
    WER = 50.00 (S = 1 D = 0 I = 1 ref_len = 4)
    """

    def __init__(
        self, name: str, score: float, hits: int, substitutions: int, deletions: int,
        insertions: int,
    ) -> None:  # fmt: skip
        super().__init__(name, score)
        self.hits = hits
        self.substitutions = substitutions
        self.deletions = deletions
        self.insertions = insertions
        self.num_edits = substitutions + deletions + insertions
        self.sys_len = hits + substitutions + insertions
        self.ref_len = hits + substitutions + deletions

    @property
    def _verbose(self) -> str:
        return (
            f"(S = {self.substitutions:d} D = {self.deletions:d} I = {self.insertions:d} "
            f"ref_len = {self.ref_len:d})"
        )

    @property
    def _formula(self) -> list[str]:
        edits = f"({self.substitutions} + {self.deletions} + {self.insertions})"
        return rate_formula(self, "(S + D + I) / ref_len", edits, self.ref_len)


class EditMetric(Metric[ErrorRateScore]):
    """Base of WER and CER, which differ in their tokens only."""

    _of_characters = False
    _columns = "hits", "substitutions", "deletions", "insertions"

    def _make_kernel(self) -> EditKernel:
        return EditKernel(self._of_characters)

    def _make_pairs(self, hyps: PreparedReferences, refs: PreparedReferences) -> Pairs:
        return EditPairs(self._kernel, hyps, refs, LEAST_FOR_LANES)

    align = align

    def _edit_rule(self) -> EditRule:
        return trace_words, True, None


class WER(EditMetric):
    """Word error rate with fixed options; the lower, the better.

    Parameters
    ----------
    lowercase, tokenize
        As in `Metric`; the tokenizer is none by default: white space separates words.

    Notes
    -----
    A row of statistics is [hits, substitutions, deletions, insertions]. Of several references a
    segment takes the one with the fewest edits, of equals the longest. An empty reference counts
    100 % if the hypothesis has any words, and else 0. Time is 1/64 of the product of both lengths;
    memory is that of one length times the square root of the other.

    References
    ----------
    Levenshtein 1966, "Binary codes capable of correcting deletions, insertions and reversals".
    Hyyro 2003, "A Bit-Vector Algorithm for Computing Levenshtein and Damerau Edit Distances".

    Examples
    --------
    >>> wer = WER()
    >>> hypotheses = ["the cat sat on mat", "it rained"]
    >>> references = [["the cat sat on the mat", "it was raining"]]
    >>> wer.corpus_score(hypotheses, references)
    WER = 33.33 (S = 1 D = 2 I = 0 ref_len = 9)
    >>> wer.segment_stats(hypotheses, references)
    array([[5, 0, 1, 0],
           [1, 1, 1, 0]])
    """

    TOKENIZER_DEFAULT: ClassVar[TokenizerName] = "none"

    lowercase: bool = flag(default=False)
    tokenize: TokenizerName | TokenizerRule | None = words(default=None)

    def _make_score(self, parts: tuple[Any, ...]) -> ErrorRateScore:
        return ErrorRateScore("WER", *parts)


class CER(EditMetric):
    """Character error rate with fixed options; the lower, the better.

    Parameters
    ----------
    lowercase : bool
        Lowercase all text first.
    whitespace : bool
        Count white space as characters.
    strip : bool
        Leave out white space at both ends.

    Notes
    -----
    Segments are str: lists of tokens have no characters to look at. Characters are code points.
    Rows and the choice of a reference are those of `WER`.

    Examples
    --------
    >>> CER().corpus_score(["it rained"], [["it rains"]])
    CER = 25.00 (S = 1 D = 0 I = 1 ref_len = 8)
    """

    _of_characters = True

    lowercase: bool = flag(default=False)
    whitespace: bool = flag(default=True)
    strip: bool = flag(default=True, needs=("whitespace=True", lambda metric: metric.whitespace))

    def _make_score(self, parts: tuple[Any, ...]) -> ErrorRateScore:
        return ErrorRateScore("CER", *parts)

    def _choose_tokenizer(self) -> Callable[[str], Any]:
        return get_character_tokenizer(self.whitespace, self.strip)

    def _describe_reading(self) -> str:
        return f"text:chars|case:{self._case()}|space:{self._space()}"

    def _space(self) -> str:
        """Return which white space is among the characters."""
        if not self.whitespace:
            return "no"
        return "inside" if self.strip else "yes"

    _abbreviations: ClassVar[dict[str, str]] = {"case": "c", "space": "s"}

    def _signed(self) -> dict[str, Any]:
        return {"case": self._case(), "space": self._space()}
