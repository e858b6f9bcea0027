"""jiwer's word and character error rates, its other measures and alignments.

jiwer is not needed. If it is installed, results are objects of its classes, and its other names,
such as its transformations and `visualize_alignment`, are here, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from importlib import import_module
from itertools import groupby
from typing import Any, NamedTuple

from rapidbleu.adapters import check_texts, has_only_blanks
from rapidbleu.explanation.alignment import Edit
from rapidbleu.metrics import CER, WER

__all__ = [
    "AlignmentChunk",
    "CharacterOutput",
    "WordOutput",
    "cer",
    "mer",
    "process_characters",
    "process_words",
    "wer",
    "wil",
    "wip",
]

_WER = WER()
_CER = CER()
_RUNS_OF_SPACE = re.compile(r"\s\s+").sub


class AlignmentChunk(NamedTuple):
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
_jiwer: Any = None
_Words: Any = object
_Characters: Any = object
try:
    _jiwer = import_module("jiwer")
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
    >>> process_characters("it rained", "it reigned").cer
    0.2222222222222222
    """

    @property
    def cer(self) -> float:
        """Edits by characters of the references."""
        return self._rate


def __getattr__(name: str) -> Any:
    """Return another name of jiwer."""
    if name.startswith("_") or not hasattr(_jiwer, name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_jiwer, name)


def process_words(
    reference: Any, hypothesis: Any, reference_transform: Any = None,
    hypothesis_transform: Any = None,
) -> WordOutput:  # fmt: skip
    """Compare words of references and hypotheses.

    Parameters
    ----------
    reference, hypothesis : str or list of str
        One segment, or as many of each.
    reference_transform, hypothesis_transform : callable, optional
        From what is given to a list of a list of words for each segment, such as jiwer's
        ``Compose``. Without, blanks and runs of other white space separate words, as by jiwer's
        ``wer_default``.

    Returns
    -------
    WordOutput

    Notes
    -----
    Time is that of `WER`. Words become lists when `references` or `hypotheses` is read.
    """
    references = _segments(reference, reference_transform, "reference", _clean)
    hypotheses = _segments(hypothesis, hypothesis_transform, "hypothesis", _clean)
    if references and hypotheses and type(references[0]) is not type(hypotheses[0]):
        references, hypotheses = _all_words(references), _all_words(hypotheses)
    counts = _count(_WER, references, hypotheses)
    return WordOutput(counts, references, hypotheses, _words)


def process_characters(
    reference: Any, hypothesis: Any, reference_transform: Any = None,
    hypothesis_transform: Any = None,
) -> CharacterOutput:  # fmt: skip
    """Compare characters of references and hypotheses; the parameters are as of `process_words`.

    Without transformations the characters are those of the text but white space at its ends, as by
    jiwer's ``cer_default``.
    """
    references = _segments(reference, reference_transform, "reference", _stripped)
    hypotheses = _segments(hypothesis, hypothesis_transform, "hypothesis", _stripped)
    if reference_transform is None and hypothesis_transform is None:
        counts = _count(_CER, references, hypotheses)
    else:  # units may be of any length
        references, hypotheses = ([list(own) for own in each] for each in (references, hypotheses))
        counts = _count(_WER, references, hypotheses)
    return CharacterOutput(counts, references, hypotheses, list)


def _measure(process: Any, name: str, meaning: str) -> Callable[..., float]:
    """Return the function that computes one measure of what `process` counts."""

    def measure(
        reference: Any, hypothesis: Any, reference_transform: Any = None,
        hypothesis_transform: Any = None,
    ) -> float:  # fmt: skip
        output = process(reference, hypothesis, reference_transform, hypothesis_transform)
        result: float = getattr(output, name)
        return result

    measure.__name__ = measure.__qualname__ = name
    measure.__doc__ = f"Return the {meaning}; parameters are those of `{process.__name__}`."
    return measure


wer = _measure(process_words, "wer", "word error rate")
mer = _measure(process_words, "mer", "match error rate")
wil = _measure(process_words, "wil", "word information lost")
wip = _measure(process_words, "wip", "word information preserved")
cer = _measure(process_characters, "cer", "character error rate")


def _segments(source: Any, transform: Any, where: str, prepare: Any) -> list[Any]:
    """Return segments: transformed, or prepared for our metrics."""
    texts = [source] if isinstance(source, str) else source
    if transform is not None:
        return _checked(transform(texts), where)
    if not isinstance(texts, list | tuple):
        raise ValueError(f"{where}: expected a str or a list of str; got {type(source).__name__}")
    prepared: list[Any] = prepare(texts, where)
    return prepared or [""]  # as jiwer does


def _checked(segments: Any, where: str) -> list[list[str]]:
    """Return what a transformation made if it is a list of lists of str."""
    expected = f"{where}_transform: expected it to return a list of lists of str"
    if not isinstance(segments, list):
        raise ValueError(f"{expected}; got {type(segments).__name__}")
    for i, segment in enumerate(segments):
        if not isinstance(segment, list) or not all(isinstance(unit, str) for unit in segment):
            raise ValueError(f"{expected}; [{i}] is not one")
    return segments


def _clean(texts: Any, where: str) -> list[Any]:
    """Return texts that our tokenizer splits as jiwer does, or else the words of all."""
    clean = _stripped(texts, where)
    if has_only_blanks(" ".join(clean)):
        return clean
    clean = [text if has_only_blanks(text) else _RUNS_OF_SPACE(" ", text) for text in clean]
    return clean if has_only_blanks(" ".join(clean)) else _all_words(clean)


def _stripped(texts: Any, where: str) -> list[str]:
    """Return texts without white space at both ends."""
    try:
        return [str.strip(text) for text in texts]
    except TypeError:
        check_texts(texts, where)
        raise


def _words(segment: Any) -> list[str]:
    """Return the words of a text: one other white space between two words is part of a word."""
    if not isinstance(segment, str):
        return list(segment)
    text = _RUNS_OF_SPACE(" ", segment).strip()
    return [word for word in text.split(" ") if word]


def _all_words(segments: list[Any]) -> list[list[str]]:
    return [_words(segment) for segment in segments]


def _count(metric: Any, references: list[Any], hypotheses: list[Any]) -> list[int]:
    """Return hits, substitutions, deletions and insertions of all segments."""
    if len(references) != len(hypotheses):
        raise ValueError(
            f"hypothesis: expected {len(references)} segments, as many as reference; "
            f"got {len(hypotheses)}"
        )
    if not references:
        return [0, 0, 0, 0]
    if len(references) == 1:
        one = metric.sentence_score(hypotheses[0], references)
        return [one.matches, one.substitutions, one.deletions, one.insertions]
    counts: list[int] = metric.corpus_stats(hypotheses, [references]).tolist()
    return counts
