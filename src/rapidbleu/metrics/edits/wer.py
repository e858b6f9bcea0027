"""Word and character error rate: edit distance divided by the length of the reference."""

from rapidbleu._core.edits.rates import EditKernel, trace_edits
from rapidbleu._core.scoring.pairs import EditPairs, Pairs
from rapidbleu.loading.loader import load
from rapidbleu.metrics.contract.base import Metric
from rapidbleu.metrics.contract.options import flag, given_references, words
from rapidbleu.metrics.contract.scores import rate_formula
from rapidbleu.metrics.contract.words import WordMetric
from rapidbleu.score import Score
from rapidbleu.signature import Signature
from rapidbleu.tokenizers.characters import get_character_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable
    from typing import Any, ClassVar

    from rapidbleu._core.text.tokenize import PreparedReferences
    from rapidbleu.explanation.alignment import Alignment
    from rapidbleu.metrics.contract.options import GivenReferences
    from rapidbleu.typing import (
        Segment,
        SegmentReferences,
        TokenizerName,
        TokenizerRule,
    )

# Hypotheses from which on it saves time to lay references out side by side.
LEAST_FOR_LANES = 4


def _trace(hyp: "array[int]", ref: "array[int]") -> "tuple[list[tuple[int, int, int]], bytes]":
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
        self,
        name: str,
        score: float,
        hits: int,
        substitutions: int,
        deletions: int,
        insertions: int,
    ) -> None:
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


class WER(WordMetric[ErrorRateScore]):
    """Word error rate with fixed options; the lower, the better.

    Parameters
    ----------
    lowercase : bool
        Lowercase all text first.
    tokenize : str or callable, optional
        One of `WER.TOKENIZERS`, or any function from str to a list of str. The default is none:
        words are what white space separates.
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

    TOKENIZER_DEFAULT: "ClassVar[TokenizerName]" = "none"

    lowercase: bool = flag(default=False)
    tokenize: "TokenizerName | TokenizerRule | None" = words(default=None)
    references: "GivenReferences" = given_references(default=None)

    _columns = "hits", "substitutions", "deletions", "insertions"

    def _make_kernel(self) -> EditKernel:
        return EditKernel(False)

    def _make_pairs(self, hyps: "PreparedReferences", refs: "PreparedReferences") -> Pairs:
        return EditPairs(self._kernel, hyps, refs, LEAST_FOR_LANES)

    def _make_score(self, parts: "tuple[Any, ...]") -> ErrorRateScore:
        return ErrorRateScore("WER", *parts)

    def align(self, hypothesis: "Segment", references: "SegmentReferences") -> "Alignment":
        """Return the edits of one segment.

        Parameters
        ----------
        hypothesis : str, or list of str tokens or integer ids
        references : sequence of the same
            All references of the segment.

        Returns
        -------
        Alignment
            With the reference that the score is of, and as many edits.

        Raises
        ------
        TypeError, ValueError
            As `sentence_score`.

        Notes
        -----
        Of several alignments with as few edits, it is the one that jiwer gives.

        Examples
        --------
        >>> print(WER().align("the big cat sat on mat", ["the cat sat on the mat"]))
        REF: the *** cat sat on the mat
        HYP: the big cat sat on *** mat
                 I              D
        """
        align = load("rapidbleu.metrics.alignment", "align_segment")
        alignment: Alignment = align(self, hypothesis, references, _trace, longest=True)
        return alignment


class CER(Metric[ErrorRateScore]):
    """Character error rate with fixed options; the lower, the better.

    Parameters
    ----------
    lowercase : bool
        Lowercase all text first.
    whitespace : bool
        Count white space as characters.
    strip : bool
        Leave out white space at both ends.
    references : sequence of streams or References, optional
        Used by calls that give none.

    Attributes
    ----------
    num_refs : int
        References of each segment scored last, -1 if it varied.

    Notes
    -----
    Segments are str: lists of tokens have no characters to look at. Characters are code points.
    Rows and the choice of a reference are those of `WER`.

    Examples
    --------
    >>> CER().corpus_score(["it rained"], [["it rains"]])
    CER = 25.00 (S = 1 D = 0 I = 1 ref_len = 8)
    """

    lowercase: bool = flag(default=False)
    whitespace: bool = flag(default=True)
    strip: bool = flag(
        default=True, needs=("whitespace=True", lambda metric: metric.whitespace)
    )
    references: "GivenReferences" = given_references(default=None)

    def _choose_tokenizer(self) -> "Callable[[str], Any]":
        return get_character_tokenizer(self.whitespace, self.strip)

    def _describe_reading(self) -> str:
        return f"text:chars|case:{'lc' if self.lowercase else 'mixed'}|space:{self._space()}"

    def _space(self) -> str:
        """Return which white space is among the characters."""
        if not self.whitespace:
            return "no"
        return "inside" if self.strip else "yes"

    _columns = WER._columns

    def _make_kernel(self) -> EditKernel:
        return EditKernel(True)

    def _make_pairs(self, hyps: "PreparedReferences", refs: "PreparedReferences") -> Pairs:
        return EditPairs(self._kernel, hyps, refs, LEAST_FOR_LANES)

    def _make_score(self, parts: "tuple[Any, ...]") -> ErrorRateScore:
        return ErrorRateScore("CER", *parts)

    def align(self, hypothesis: str, references: "SegmentReferences") -> "Alignment":
        """Return the edits of one segment, character by character: see `WER.align`.

        Examples
        --------
        >>> CER().align("ab", ["b"]).edits[0]
        Edit(kind='insert', hypothesis=0, reference=None)
        """
        align = load("rapidbleu.metrics.alignment", "align_segment")
        alignment: Alignment = align(self, hypothesis, references, _trace, longest=True)
        return alignment

    def get_signature(self) -> Signature:
        """Return the signature of the scores that this thread computed last.

        Raises
        ------
        ValueError
            If nothing was scored yet.

        Examples
        --------
        >>> cer = CER(references=[["The cat sat on the mat."]])
        >>> cer.get_signature()  # doctest: +ELLIPSIS
        nrefs:1|case:mixed|space:inside|version:2.6.0+rapidbleu...
        """
        return Signature(
            self.num_refs,
            {
                **self._resampling_entries(),
                "case": "lc" if self.lowercase else "mixed",
                "space": self._space(),
            },
            {"case": "c", "space": "s"},
        )
