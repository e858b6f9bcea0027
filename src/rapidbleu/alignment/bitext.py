"""Sentence pairs, checked, and their words as numbers."""

from __future__ import annotations

from array import array
from collections import defaultdict
from itertools import chain, count

from rapidbleu._lib.lazy import np
from rapidbleu.sequences import items_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from rapidbleu.typing import Array

    _Sentence = str | Sequence[str]

CHUNK = 1024  # sentences between two looks at signals


def checked_pairs(
    sources: Iterable[_Sentence], targets: Iterable[_Sentence]
) -> tuple[list[Any], list[Any]]:
    """Return as many sentences of both sides, each a str or a list or tuple of tokens.

    Values that pandas or Arrow lack are no sentences. Tokens are checked by `numbers_of`, which
    sees each word once.

    Examples
    --------
    >>> checked_pairs(["the house"], [["la", "casa"]])
    (['the house'], [['la', 'casa']])
    """
    source, target = checked_sentences(sources, "sources"), checked_sentences(targets, "targets")
    if len(source) != len(target):
        raise ValueError(
            f"targets: expected {len(source)} sentences, as many as sources, got {len(target)}"
        )
    return source, target


def checked_sentences(sentences: Iterable[_Sentence], where: str) -> list[Any]:
    """Return sentences as a list; `where` names it in errors."""
    found = items_of(sentences, where, "sentences")
    for i, sentence in enumerate(found):
        if not isinstance(sentence, str | list | tuple):
            if not hasattr(sentence, "__iter__") or isinstance(sentence, bytes | bytearray):
                got = type(sentence).__name__
                raise TypeError(f"{where}[{i}]: expected str or tokens, got {got}")
            found[i] = items_of(sentence, f"{where}[{i}]", "tokens")
    return found


def new_vocabulary() -> dict[str, int]:
    """Return a dict that gives each new word the next number.

    Examples
    --------
    >>> vocabulary = new_vocabulary()
    >>> [vocabulary[word] for word in "a rose is a rose".split()]
    [0, 1, 2, 0, 1]
    """
    return defaultdict(count().__next__)


def numbers_of(sentences: list[Any], vocabulary: dict[str, int], where: str) -> tuple[Array, Array]:
    """Return the words of sentences as numbers, and where each sentence begins.

    Parameters
    ----------
    sentences : list of str, which are split at whitespace, or of lists of str
    vocabulary : dict
        Of `new_vocabulary`; new words are added.
    where : str
        Names the sentences in errors.

    Returns
    -------
    int32 array of all words, int64 array of shape (n_sentences + 1,)

    Raises
    ------
    TypeError
        If a token is no str.

    Notes
    -----
    Linear in the words, 0.15 microseconds each, which is what finding a str in memory takes.

    Examples
    --------
    >>> numbers_of(["a rose", [], ["is"]], new_vocabulary(), "sentences")
    (array([0, 1, 2], dtype=int32), array([0, 2, 2, 3]))
    >>> numbers_of([["la", 5]], new_vocabulary(), "sentences")
    Traceback (most recent call last):
        ...
    TypeError: sentences[0][1]: expected str, got int
    """
    words = array("i")
    lengths = array("q", [0])
    try:
        for begin in range(0, len(sentences), CHUNK):
            chunk = sentences[begin : begin + CHUNK]
            if not set(map(type, chunk)) <= {list, tuple}:
                chunk = [text.split() if isinstance(text, str) else text for text in chunk]
            words.extend(list(map(vocabulary.__getitem__, chain.from_iterable(chunk))))
            lengths.extend(map(len, chunk))
    except TypeError:  # no hash
        refuse_tokens(sentences, where)
        raise
    if not set(map(type, vocabulary)) <= {str}:  # or a class below it
        refuse_tokens(sentences, where)
    return np.array(words, np.int32), np.cumsum(lengths, dtype=np.int64)


def refuse_tokens(sentences: list[Any], where: str) -> None:
    """Raise TypeError for the first token that is no str, if there is one."""
    for i, sentence in enumerate(sentences):
        for k, token in enumerate(() if isinstance(sentence, str) else sentence):
            if not isinstance(token, str):
                raise TypeError(f"{where}[{i}][{k}]: expected str, got {type(token).__name__}")
