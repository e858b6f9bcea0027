"""jiwer's word and character error rates, its other measures and alignments.

jiwer is not required. If it is installed, results are instances of its classes, and its remaining
names, such as its transformations and `visualize_alignment`, are available here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from importlib import import_module
from itertools import groupby
from typing import Any, NamedTuple

from rapidbleu._core.edits.rates import has_only_blanks
from rapidbleu.adapters import check_texts
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
        Ranges in the reference and the hypothesis.
    """

    type: str
    ref_start_idx: int
    ref_end_idx: int
    hyp_start_idx: int
    hyp_end_idx: int


# jiwer's functions check for instances of its classes.
_jiwer: Any = None
_Words: Any = object
_Characters: Any = object
try:
    _jiwer = import_module("jiwer")
except ImportError:
    pass
else:
    AlignmentChunk = _jiwer.AlignmentChunk  # type: ignore[misc]
    _Words = _jiwer.WordOutput
    _Characters = _jiwer.CharacterOutput


def _chunks(edits: tuple[Edit, ...]) -> Iterator[AlignmentChunk]:
    ref = hyp = 0
    for kind, run in groupby(edits, lambda edit: edit.kind):
        n = len(list(run))
        ref_end = ref + n * (kind != "insert")
        hyp_end = hyp + n * (kind != "delete")
        yield AlignmentChunk(kind, ref, ref_end, hyp, hyp_end)
        ref = ref_end
        hyp = hyp_end


class _Output:
    def __init__(self, counts: list[int], references: Any, hypotheses: Any, split: Any) -> None:
        self.hits, self.substitutions, self.deletions, self.insertions = counts
        self._split = split
        self._references = references
        self._hypotheses = hypotheses

    @cached_property
    def references(self) -> list[list[str]]:
        """Words or characters of each reference."""
        return [self._split(segment) for segment in self._references]

    @cached_property
    def hypotheses(self) -> list[list[str]]:
        """Words or characters of each hypothesis."""
        return [self._split(segment) for segment in self._hypotheses]

    @cached_property
    def alignments(self) -> list[list[AlignmentChunk]]:
        """Steps through each reference and its hypothesis."""
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
        """Edits divided by the reference length; if that is 0 the number of edits, as in jiwer."""
        return self._num_edits / self._ref_len if self._ref_len else self.insertions

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
        Word error rate, match error rate, word information lost and preserved; from 0 to 1, except
        `wer`, which can exceed 1. Without reference words, `wer` is the number of insertions.
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
        """Edits divided by words of the references."""
        return self._rate

    @property
    def mer(self) -> float:
        """Edits divided by edits and hits."""
        if not self._ref_len:
            return min(self.insertions, 1)  # an integer, as in jiwer
        return self._num_edits / (self.hits + self._num_edits)

    @property
    def wip(self) -> float:
        """Hits per reference word times hits per hypothesis word."""
        hyp_len = self.hits + self.substitutions + self.insertions
        if not self._ref_len or not hyp_len:
            return 1 if self._ref_len == hyp_len else 0  # integers, as in jiwer
        return (self.hits / self._ref_len) * (self.hits / hyp_len)

    @property
    def wil(self) -> float:
        """1 - `wip`."""
        return 1 - self.wip


class CharacterOutput(_Output, _Characters):  # type: ignore[misc]
    """Measures of characters; remaining attributes are as in `WordOutput`.

    Attributes
    ----------
    cer : float
        Character error rate, at least 0; without reference characters, the number of insertions.

    Examples
    --------
    >>> process_characters("it rained", "it reigned").cer
    0.2222222222222222
    """

    @property
    def cer(self) -> float:
        """Edits divided by characters of the references."""
        return self._rate


def __getattr__(name: str) -> Any:
    if name.startswith("_") or not hasattr(_jiwer, name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_jiwer, name)


def process_words(
    reference: Any,
    hypothesis: Any,
    reference_transform: Any = None,
    hypothesis_transform: Any = None,
) -> WordOutput:
    """Compare words of references and hypotheses.

    Takes as long as `WER`; `references` and `hypotheses` are split into lists on demand.

    Parameters
    ----------
    reference, hypothesis : str or list of str
        One segment, or equally many of each.
    reference_transform, hypothesis_transform : callable, optional
        Function from the input to a list of words per segment, such as jiwer's ``Compose``. By
        default, as in jiwer's ``wer_default``, spaces and runs of white space separate words.

    Examples
    --------
    >>> output = process_words("the cat sat", "a cat sat")
    >>> output.hits, output.substitutions
    (2, 1)
    """
    references = _segments(reference, reference_transform, "reference", _clean)
    hypotheses = _segments(hypothesis, hypothesis_transform, "hypothesis", _clean)
    if references and hypotheses and type(references[0]) is not type(hypotheses[0]):
        references = _all_words(references)
        hypotheses = _all_words(hypotheses)
    counts = _count(_WER, references, hypotheses)
    return WordOutput(counts, references, hypotheses, _words)


def process_characters(
    reference: Any,
    hypothesis: Any,
    reference_transform: Any = None,
    hypothesis_transform: Any = None,
) -> CharacterOutput:
    """Compare characters of references and hypotheses; parameters are as in `process_words`.

    By default, as in jiwer's ``cer_default``, white space at both ends of a text is removed.

    Examples
    --------
    >>> process_characters("cat", "cut").substitutions
    1
    """
    references = _segments(reference, reference_transform, "reference", _stripped)
    hypotheses = _segments(hypothesis, hypothesis_transform, "hypothesis", _stripped)
    if reference_transform is None and hypothesis_transform is None:
        counts = _count(_CER, references, hypotheses)
    else:  # units of any length
        references, hypotheses = ([list(own) for own in each] for each in (references, hypotheses))
        counts = _count(_WER, references, hypotheses)
    return CharacterOutput(counts, references, hypotheses, list)


def _measure(process: Any, name: str, meaning: str) -> Callable[..., float]:
    """Return a function that computes one measure of the output of `process`."""

    def measure(
        reference: Any,
        hypothesis: Any,
        reference_transform: Any = None,
        hypothesis_transform: Any = None,
    ) -> float:
        output = process(reference, hypothesis, reference_transform, hypothesis_transform)
        result: float = getattr(output, name)
        return result

    measure.__name__ = measure.__qualname__ = name
    measure.__doc__ = f"""Return the {meaning}; parameters are those of `{process.__name__}`.

    Examples
    --------
    >>> 0 < {name}("the cat sat", "a cat sat") < 1
    True
    """
    return measure


wer = _measure(process_words, "wer", "word error rate")
mer = _measure(process_words, "mer", "match error rate")
wil = _measure(process_words, "wil", "word information lost")
wip = _measure(process_words, "wip", "word information preserved")
cer = _measure(process_characters, "cer", "character error rate")


def _segments(source: Any, transform: Any, where: str, prepare: Any) -> list[Any]:
    texts = [source] if isinstance(source, str) else source
    if transform is not None:
        return _checked(transform(texts), where)
    if not isinstance(texts, list | tuple):
        raise ValueError(f"{where}: expected a str or a list of str; got {type(source).__name__}")
    prepared: list[Any] = prepare(texts, where)
    return prepared or [""]  # as in jiwer


def _checked(segments: Any, where: str) -> list[list[str]]:
    expected = f"{where}_transform: expected it to return a list of lists of str"
    if not isinstance(segments, list):
        raise ValueError(f"{expected}; got {type(segments).__name__}")
    for i, segment in enumerate(segments):
        if not isinstance(segment, list) or not all(isinstance(unit, str) for unit in segment):
            raise ValueError(f"{expected}; [{i}] is not one")
    return segments


def _clean(texts: Any, where: str) -> list[Any]:
    """Return texts that our tokenizer splits like jiwer's, or else the words of all."""
    if has_only_blanks(texts):
        return list(texts)
    clean = [
        text if has_only_blanks([text]) else _RUNS_OF_SPACE(" ", text)
        for text in _stripped(texts, where)
    ]
    return clean if has_only_blanks(clean) else _all_words(clean)


def _stripped(texts: Any, where: str) -> list[str]:
    try:
        return [str.strip(text) for text in texts]
    except TypeError:
        check_texts(texts, where)
        raise


def _words(segment: Any) -> list[str]:
    """Return the words of a text; single white space except a space is part of a word."""
    if not isinstance(segment, str):
        return list(segment)
    text = _RUNS_OF_SPACE(" ", segment).strip()
    return [word for word in text.split(" ") if word]


def _all_words(segments: list[Any]) -> list[list[str]]:
    return [_words(segment) for segment in segments]


def _count(metric: Any, references: list[Any], hypotheses: list[Any]) -> list[int]:
    if len(references) != len(hypotheses):
        raise ValueError(
            f"hypothesis: expected {len(references)} segments, as many as reference; "
            f"got {len(hypotheses)}"
        )
    if not references:
        return [0, 0, 0, 0]
    if len(references) == 1:
        score = metric.sentence_score(hypotheses[0], references)
        return [score.matches, score.substitutions, score.deletions, score.insertions]
    counts: list[int] = metric.corpus_stats(hypotheses, [references]).tolist()
    return counts
