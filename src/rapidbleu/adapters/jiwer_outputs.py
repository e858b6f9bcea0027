"""Results with the attributes of jiwer's; if jiwer is installed, objects of its classes."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from itertools import groupby
from typing import Any

from rapidbleu.explanation.alignment import Edit
from rapidbleu.metrics import WER

_WER = WER()


@dataclass
class AlignmentChunk:
    """A run of steps of one kind through both texts.

    Attributes
    ----------
    type : {"equal", "substitute", "insert", "delete"}
    ref_start_idx, ref_end_idx, hyp_start_idx, hyp_end_idx : int
        The part of the reference, and of the hypothesis.
    """

    type: str
    ref_start_idx: int
    ref_end_idx: int
    hyp_start_idx: int
    hyp_end_idx: int


# jiwer's functions ask whether a result is of jiwer's classes.
_Words: Any = object
_Characters: Any = object
try:
    _jiwer: Any = import_module("jiwer")
except ImportError:
    pass
else:
    AlignmentChunk = _jiwer.AlignmentChunk  # type: ignore[misc]
    _Words, _Characters = _jiwer.WordOutput, _jiwer.CharacterOutput


def _chunks(edits: tuple[Edit, ...]) -> Iterator[AlignmentChunk]:
    ref = hyp = 0
    for kind, run in groupby(edits, lambda edit: edit.kind):
        n = len(list(run))
        ref_end, hyp_end = ref + n * (kind != "insert"), hyp + n * (kind != "delete")
        yield AlignmentChunk(kind, ref, ref_end, hyp, hyp_end)
        ref, hyp = ref_end, hyp_end


class _Output:
    """Counts of edits, and the segments that they are of."""

    def __init__(self, counts: list[int], references: Any, hypotheses: Any, split: Any) -> None:
        self.hits, self.substitutions, self.deletions, self.insertions = counts
        self._split = split
        self._references = references
        self._hypotheses = hypotheses

    @cached_property
    def references(self) -> list[list[str]]:
        """The words or characters of each reference."""
        return [self._split(segment) for segment in self._references]

    @cached_property
    def hypotheses(self) -> list[list[str]]:
        """The words or characters of each hypothesis."""
        return [self._split(segment) for segment in self._hypotheses]

    @cached_property
    def alignments(self) -> list[list[AlignmentChunk]]:
        """The steps through each reference and its hypothesis."""
        pairs = zip(self.references, self.hypotheses, strict=True)
        return [list(_chunks(_WER.align(hyp, [ref]).edits)) for ref, hyp in pairs]

    @property
    def _num_edits(self) -> int:
        return self.substitutions + self.deletions + self.insertions

    @property
    def _ref_len(self) -> int:
        return self.hits + self.substitutions + self.deletions

    @property
    def _rate(self) -> float:
        """Edits by length of the references; the number of edits if there is no length."""
        return self._num_edits / self._ref_len if self._ref_len else float(self.insertions)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(hits={self.hits}, substitutions={self.substitutions}, "
            f"deletions={self.deletions}, insertions={self.insertions})"
        )


class WordOutput(_Output, _Words):  # type: ignore[misc]
    """Measures of words.

    Attributes
    ----------
    wer, mer, wil, wip : float
        Word error rate, match error rate, word information lost and preserved; from 0 to 1, but
        `wer` may be more. With no word in the references `wer` is the number of insertions.
    hits, substitutions, deletions, insertions : int
    references, hypotheses : list of list of str
        Words of each segment.
    alignments : list of list of AlignmentChunk
        Computed on demand.

    Examples
    --------
    >>> from rapidbleu.adapters.jiwer import process_words
    >>> output = process_words(["the cat sat", "it rained"], ["the cat", "it reigned"])
    >>> output
    WordOutput(hits=3, substitutions=1, deletions=1, insertions=0)
    >>> output.wer, output.mer, output.wip
    (0.4, 0.4, 0.44999999999999996)
    """

    @property
    def wer(self) -> float:
        """Edits by words of the references."""
        return self._rate

    @property
    def mer(self) -> float:
        """Edits by edits and hits."""
        whole = self.hits + self._num_edits
        return self._num_edits / whole if whole else 0.0

    @property
    def wip(self) -> float:
        """Hits by words of the references times hits by words of the hypotheses."""
        hyp_len = self.hits + self.substitutions + self.insertions
        if not self._ref_len and not hyp_len:
            return 1.0
        if not self._ref_len or not hyp_len:
            return 0.0
        return (self.hits / self._ref_len) * (self.hits / hyp_len)

    @property
    def wil(self) -> float:
        """1 less `wip`."""
        return 1 - self.wip


class CharacterOutput(_Output, _Characters):  # type: ignore[misc]
    """Measures of characters; the other attributes are those of `WordOutput`.

    Attributes
    ----------
    cer : float
        Character error rate, from 0 on; with no character in the references the insertions.

    Examples
    --------
    >>> from rapidbleu.adapters.jiwer import process_characters
    >>> process_characters("it rained", "it reigned").cer
    0.2222222222222222
    """

    @property
    def cer(self) -> float:
        """Edits by characters of the references."""
        return self._rate
