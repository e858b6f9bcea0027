"""Hypotheses of n-best lists: outputs of several systems, crossovers between them, edited words.

Words are numbers, given to the words of the systems first: those that only references have come
behind them, so that no number of a hypothesis depends on a reference.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from random import Random
from typing import Any, NamedTuple

import numpy as np

from bench.harness.corpora import Corpora
from bench.harness.language import german
from rapidbleu.tokenizers import get_tokenizer

END = 0  # of each text
_MOST_PARTS = 6
# Made systems: common translations, and how many words these and each system's own edits change.
_N_COMMON, _COMMON_RATE, _RATE, _RATE_STEP = 3, 0.45, 0.06, 0.02


class Words:
    """Reference and outputs of all segments, tokenized, as numbers of words.

    Attributes
    ----------
    words : list of str
        By number; that of `END` is empty.
    n_known : int
        The words of the outputs are those before.
    references : list of list of int
        By segment.
    outputs : list of list of list of int
        By system and segment.
    """

    def __init__(self, references: list[str], systems: list[list[str]]) -> None:
        tokenize, numbers = get_tokenizer("13a"), {"": END}

        def numbered(texts: list[str]) -> list[list[int]]:
            return [[numbers.setdefault(word, len(numbers)) for word in tokenize(text)]
                    for text in texts]  # fmt: skip

        self.outputs = [numbered(texts) for texts in systems]
        self.n_known = len(numbers)
        self.references = numbered(references)
        self.words = list(numbers)

    @classmethod
    def of(cls, corpora: Corpora) -> "Words":
        """The words of the real corpus and of its systems if it is at hand, of made ones if not."""
        if corpora.wmt17 is None:
            [references] = corpora.german.references
            return cls(references, _made_outputs(references, corpora.n_systems))
        systems = corpora.systems
        return cls(systems[0].references[0], [system.hypotheses for system in systems])

    def joined(self, numbers: Sequence[int]) -> str:
        """Words as a text, a space between any two."""
        return " ".join([self.words[i] for i in numbers])


class Texts:
    """Many texts in one array, one after the other, `END` behind each.

    Attributes
    ----------
    words : int64 array
        All texts.
    starts : int64 array
        Where each begins.
    places : int64 array
        How many words of its text are before each word.
    lengths : int64 array
        Of the texts, with `END`.
    segments : int64 array
        The segment of each text.
    """

    def __init__(self, texts: Sequence[Sequence[int]], segments: Any) -> None:
        self.words = _flat(texts, END)
        self.lengths = np.array([len(text) + 1 for text in texts], np.int64)
        self.starts = np.cumsum(self.lengths) - self.lengths
        self.places = np.arange(len(self.words)) - np.repeat(self.starts, self.lengths)
        self.segments = np.asarray(segments, np.int64)

    def sums(self, values: Any) -> Any:
        """The sum of values of words, for each text."""
        return np.add.reduceat(values, self.starts)


class Hypothesis(NamedTuple):
    """Words, the system that each is from, and what made them."""

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
        Which ones.
    n_best : int
        Hypotheses of a segment at most; fewer where no others are found.
    edits : float
        The share of the further hypotheses that has a word edited.
    seed : int

    Attributes
    ----------
    texts : Texts
    owners : int64 array
        The system of each word; that of `END` is -1.
    parts, moves : int64 arrays
        From how many parts each hypothesis is made, and how many of its words were moved.
    offsets : int64 array of shape (n_segments + 1,)
    hypotheses : list of str
    """

    def __init__(
        self, words: Words, segments: Sequence[int], systems: Sequence[int],
        n_best: int, edits: float, seed: int,
    ) -> None:  # fmt: skip
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
    """Edits of a few common translations, so that systems make mistakes together.

    What most of independent systems say would be the reference itself.
    """
    language = german()._replace(edit_rate=_COMMON_RATE)
    common = [[language.edited(Random(f"common {k} {i}"), text)
               for i, text in enumerate(references)] for k in range(_N_COMMON)]  # fmt: skip
    outputs = []
    for k in range(n_systems):
        language = german()._replace(edit_rate=_RATE + k * _RATE_STEP)
        outputs.append([
            language.edited(Random(f"tuned system {k} {i}"), text)
            for i, text in enumerate(common[k % _N_COMMON])
        ])  # fmt: skip
    return outputs


def _flat(lists: Sequence[Sequence[int]], last: int) -> Any:
    behind = (last,)
    return np.fromiter(chain.from_iterable(chain(one, behind) for one in lists), np.int64)


def _hypotheses(
    outputs: list[tuple[int, list[int]]], n_best: int, edits: float, rng: Random
) -> list[Hypothesis]:
    """Different hypotheses of one segment, the outputs first."""
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
    """One hypothesis up to a word that both have, the other from there on."""
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
    """One hypothesis with a word left out, moved, repeated or replaced by one of the other."""
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
    """The outputs of systems for some segments, one system after the other."""
    for system in systems:
        yield Texts([words.outputs[system][segment] for segment in segments], segments)
