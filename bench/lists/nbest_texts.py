"""Hypotheses of n-best lists: outputs of several systems, crossovers between them, edited words.

Words are indices. Words of the systems come first and words found only in references last, so that
no index in a hypothesis depends on a reference.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from random import Random
from typing import Any, NamedTuple

import numpy as np

from bench.harness.corpora import Corpora
from bench.lists.language import german
from rapidbleu.tokenizers import get_tokenizer

END = 0  # of every text
_MOST_PARTS = 6
# Synthetic systems edit common translations: their number, and both rates of changed words.
_N_COMMON, _COMMON_RATE, _RATE, _RATE_STEP = 3, 0.45, 0.06, 0.02


class Words:
    """Reference and outputs of all segments, tokenized, as word indices.

    Attributes
    ----------
    words : list of str
        Words by index; the word of `END` is empty.
    n_known : int
        Words of the outputs have lower indices.
    references : list of list of int
        By segment.
    outputs : list of list of list of int
        By system and segment.
    """

    def __init__(self, references: list[str], systems: list[list[str]]) -> None:
        tokenize, numbers = get_tokenizer("13a"), {"": END}

        def numbered(texts: list[str]) -> list[list[int]]:
            return [
                [numbers.setdefault(word, len(numbers)) for word in tokenize(text)]
                for text in texts
            ]

        self.outputs = [numbered(texts) for texts in systems]
        self.n_known = len(numbers)
        self.references = numbered(references)
        self.words = list(numbers)

    @classmethod
    def of(cls, corpora: Corpora) -> "Words":
        """Return words of the real corpus and its systems if available, else of synthetic ones."""
        if corpora.wmt17 is None:
            [references] = corpora.german.references
            return cls(references, _made_outputs(references, corpora.n_systems))
        systems = corpora.systems
        return cls(systems[0].references[0], [system.hypotheses for system in systems])

    def joined(self, numbers: Sequence[int]) -> str:
        return " ".join([self.words[i] for i in numbers])


class Texts:
    """Many texts in one array, each followed by `END`.

    Attributes
    ----------
    words : ndarray of int64
        All texts.
    starts : ndarray of int64
        First index of each text.
    places : ndarray of int64
        Position of each word in its text.
    lengths : ndarray of int64
        Lengths of the texts, with `END`.
    segments : ndarray of int64
        The segment of each text.
    """

    def __init__(self, texts: Sequence[Sequence[int]], segments: Any) -> None:
        self.words = _flat(texts, END)
        self.lengths = np.array([len(text) + 1 for text in texts], np.int64)
        self.starts = np.cumsum(self.lengths) - self.lengths
        self.places = np.arange(len(self.words)) - np.repeat(self.starts, self.lengths)
        self.segments = np.asarray(segments, np.int64)

    def sums(self, values: Any) -> Any:
        """Sum values of words for each text."""
        return np.add.reduceat(values, self.starts)


class Hypothesis(NamedTuple):
    """Words, the system of each, and their history."""

    words: list[int]
    owners: list[int]
    parts: int
    moves: int


class Drawn:
    """The hypotheses of all segments, drawn at random.

    Parameters
    ----------
    words : Words
    segments, systems : sequence of int
    n_best : int
        Maximum number of hypotheses of a segment; fewer if no more are found.
    edits : float
        Fraction of the further hypotheses with an edited word.
    seed : int

    Attributes
    ----------
    texts : Texts
    owners : ndarray of int64
        The system of each word; -1 for `END`.
    parts, moves : ndarray of int64
        Number of parts of each hypothesis, and of its moved words.
    offsets : (n_segments + 1,) ndarray of int64
    hypotheses : list of str
    """

    def __init__(
        self,
        words: Words,
        segments: Sequence[int],
        systems: Sequence[int],
        n_best: int,
        edits: float,
        seed: int,
    ) -> None:
        rng = Random(seed)
        found: list[Hypothesis] = []
        offsets = [0]
        for segment in segments:
            outputs = [(system, words.outputs[system][segment]) for system in systems]
            found += _hypotheses(outputs, n_best, edits, rng)
            offsets.append(len(found))
        self.offsets = np.array(offsets, np.int64)
        self.texts = Texts([one.words for one in found], np.repeat(segments, np.diff(offsets)))
        self.owners = _flat([one.owners for one in found], -1)
        self.parts = np.array([one.parts for one in found])
        self.moves = np.array([one.moves for one in found])
        self.hypotheses = [words.joined(one.words) for one in found]


def _made_outputs(references: list[str], n_systems: int) -> list[list[str]]:
    """Edit a few common translations, so that systems make mistakes together.

    A majority of independent systems would agree on the reference itself.
    """
    language = german()._replace(edit_rate=_COMMON_RATE)
    common = [
        [language.edited(Random(f"common {k} {i}"), text) for i, text in enumerate(references)]
        for k in range(_N_COMMON)
    ]
    outputs = []
    for k in range(n_systems):
        language = german()._replace(edit_rate=_RATE + k * _RATE_STEP)
        outputs.append(
            [
                language.edited(Random(f"tuned system {k} {i}"), text)
                for i, text in enumerate(common[k % _N_COMMON])
            ]
        )
    return outputs


def _flat(lists: Sequence[Sequence[int]], last: int) -> Any:
    behind = (last,)
    return np.fromiter(chain.from_iterable(chain(one, behind) for one in lists), np.int64)


def _hypotheses(
    outputs: list[tuple[int, list[int]]], n_best: int, edits: float, rng: Random
) -> list[Hypothesis]:
    """Return different hypotheses of one segment, the outputs first."""
    kept: dict[tuple[int, ...], Hypothesis] = {}
    for system, words in outputs:
        kept.setdefault(tuple(words), Hypothesis(words, [system] * len(words), 1, 0))
    found = list(kept.values())[:n_best]
    bases = list(found)
    for _ in range(4 * n_best):
        if len(found) == n_best:
            break
        new = found[int(len(found) * rng.random() ** 2)]
        other = bases[int(len(bases) * rng.random())]
        if new.parts < _MOST_PARTS:
            new = _crossed(new, other, rng)
        if rng.random() < edits:
            new = _edited(new, other, rng)
        if (key := tuple(new.words)) not in kept:
            kept[key] = new
            found.append(new)
    return found


def _crossed(one: Hypothesis, other: Hypothesis, rng: Random) -> Hypothesis:
    """Join one hypothesis up to a shared word with the rest of the other."""
    if not one.words:
        return one
    i = int(len(one.words) * rng.random())
    place = i * len(other.words) / len(one.words)
    same = [j for j, word in enumerate(other.words) if word == one.words[i]]
    if not same:
        return one
    j = min(same, key=lambda j: abs(j - place))
    return Hypothesis(
        one.words[:i] + other.words[j:], one.owners[:i] + other.owners[j:], one.parts + 1, one.moves
    )


def _edited(one: Hypothesis, other: Hypothesis, rng: Random) -> Hypothesis:
    """Drop, move, repeat or replace a word of one hypothesis, by a word of the other."""
    if len(one.words) < 2 or not other.words:
        return one
    words, owners, moves = list(one.words), list(one.owners), one.moves
    i, kind = int((len(words) - 1) * rng.random()), rng.random()
    if kind < 0.3:
        del words[i], owners[i]
    elif kind < 0.5:
        words.insert(i + 1, words.pop(i))
        owners.insert(i + 1, owners.pop(i))
        moves += 1
    elif kind < 0.6:
        words.insert(i, words[i])
        owners.insert(i, owners[i])
    else:
        j = i * len(other.words) // len(words)
        words[i], owners[i] = other.words[j], other.owners[j]
    return Hypothesis(words, owners, one.parts, moves)


def outputs_of(words: Words, segments: Sequence[int], systems: Sequence[int]) -> Iterator[Texts]:
    """Yield the outputs of systems for some segments, system by system."""
    for system in systems:
        yield Texts([words.outputs[system][segment] for segment in segments], segments)
