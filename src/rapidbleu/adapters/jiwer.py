"""jiwer's word and character error rates, its other measures and alignments.

jiwer is not needed. If it is installed, results are objects of its classes, and its other names,
such as its transformations and `visualize_alignment`, are here, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

from rapidbleu.adapters.layout import check_texts, has_only_blanks
from rapidbleu.metrics import CER, WER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.adapters.jiwer_outputs import AlignmentChunk, CharacterOutput, WordOutput

__all__ = [
    "AlignmentChunk", "CharacterOutput", "WordOutput", "cer", "mer", "process_characters",
    "process_words", "wer", "wil", "wip",
]  # fmt: skip

_WER = WER()
_CER = CER()
_RUNS_OF_SPACE = re.compile(r"\s\s+").sub


def __getattr__(name: str) -> Any:
    """Return a class of results, which loads jiwer, or another name of jiwer."""
    try:
        if name in ("AlignmentChunk", "CharacterOutput", "WordOutput"):
            return getattr(import_module("rapidbleu.adapters.jiwer_outputs"), name)
        if not name.startswith("_"):
            return getattr(import_module("jiwer"), name)
    except ImportError:
        pass
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


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

    Raises
    ------
    TypeError, ValueError
        If an element is no str, a transformation returns anything else, or the numbers of segments
        differ.

    Notes
    -----
    Time is that of `WER`. Words are lists only if `references` or `hypotheses` is asked for.
    """
    from rapidbleu.adapters.jiwer_outputs import WordOutput

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
    """Compare characters of references and hypotheses.

    Parameters
    ----------
    reference, hypothesis : str or list of str
        One segment, or as many of each.
    reference_transform, hypothesis_transform : callable, optional
        From what is given to a list of a list of characters for each segment. Without, they are
        those of the text but white space at its ends, as by jiwer's ``cer_default``.

    Returns
    -------
    CharacterOutput
    """
    from rapidbleu.adapters.jiwer_outputs import CharacterOutput

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
        raise ValueError(f"{where}: expected a str or a list of str, got {type(source).__name__}")
    prepared: list[Any] = prepare(texts, where)
    return prepared or [""]  # as jiwer does


def _checked(segments: Any, where: str) -> list[list[str]]:
    """Return what a transformation made if it is a list of lists of str."""
    expected = f"{where}_transform: expected it to return a list of lists of str"
    if not isinstance(segments, list):
        raise ValueError(f"{expected}, got {type(segments).__name__}")
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
            f"hypothesis: expected {len(references)} segments, as many as reference, "
            f"got {len(hypotheses)}"
        )
    if not references:
        return [0, 0, 0, 0]
    if len(references) == 1:
        one = metric.sentence_score(hypotheses[0], references)
        return [one.hits, one.substitutions, one.deletions, one.insertions]
    counts: list[int] = metric.corpus_stats(hypotheses, [references]).tolist()
    return counts
