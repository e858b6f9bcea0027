"""Reference-free features of hypotheses: model scores, lengths, agreement.

Each segment is scored by language models trained on the other half of the references, so that no
feature of a hypothesis depends on the reference of its own segment.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bench.lists.nbest_texts import Drawn, Texts, Words, outputs_of

_TRUST = 3.0  # occurrences at which a history counts as much as a shorter one
_FACTORS = np.random.default_rng(0).integers(1 << 62, size=5, dtype=np.uint64) * 2 + 1  # of keys
_LEXICON = 4  # systems used by a lexical feature
_DOUBT = 0.4  # standard deviation of opinions, whose unit is a log-probability


class Features:
    """Features of drawn hypotheses, by family.

    Parameters
    ----------
    words : Words
    drawn : Drawn
    segments, systems : sequence of int
        Segments and systems of the list.
    seed : int
    """

    def __init__(
        self, words: Words, drawn: Drawn, segments: Sequence[int], systems: Sequence[int], seed: int
    ) -> None:
        self.words = words
        self.texts = drawn.texts
        self.drawn = drawn
        self.systems = systems
        self.outputs = list(outputs_of(words, segments, systems))
        self.rng = np.random.default_rng(seed)

    def dense(self, families: dict[str, int]) -> tuple[Any, list[str]]:
        """Return float32 columns, as many of each family as requested, and their names."""
        columns: list[Any] = []
        names: list[str] = []
        for family, n in families.items():
            make: Callable[[int], list[Any]] = getattr(self, f"_{family}")
            made = make(n)
            columns += made
            names += [f"{family}{i}" for i in range(len(made))]
        return np.stack(columns, axis=1).astype(np.float32), names

    def sparse(self, n: int) -> tuple[Any, list[str]]:
        """Count the `n` most frequent words and pairs of the outputs in each hypothesis.

        Three in five are words.
        """
        from scipy.sparse import csr_matrix

        n_words = 3 * n // 5
        columns: list[Any] = []
        names: list[str] = []
        for order, most in ((1, n_words), (2, n - n_words)):
            seen = np.concatenate([_grams(text, order) for text in self.outputs])
            keys, counts = np.unique(seen, return_counts=True)
            chosen = np.sort(keys[np.argsort(-counts, kind="stable")[:most]])
            own = _grams(self.texts, order)
            at = np.searchsorted(chosen, own).clip(max=len(chosen) - 1)
            columns.append(np.where(chosen[at] == own, len(names) + at, -1))
            names += [f"{order}-gram_{i}" for i in range(len(chosen))]
        rows = np.repeat(np.arange(len(self.texts.starts)), self.texts.lengths)
        row, column = np.concatenate([rows, rows]), np.concatenate(columns)
        known = column >= 0
        shape = len(self.texts.starts), len(names)
        ones = np.ones(int(known.sum()), np.float32)
        return csr_matrix((ones, (row[known], column[known])), shape=shape), names

    def _words(self, n: int) -> list[Any]:
        return [1.0 - self.texts.lengths] * n

    def _characters(self, n: int) -> list[Any]:
        """Return minus the number of characters, in units of five."""
        sizes = np.array([len(word) for word in self.words.words]) / -5
        return [self.texts.sums(sizes[self.texts.words])] * n

    def _length(self, n: int) -> list[Any]:
        """Return minus the distance of the length from the mean of the outputs."""
        mean = np.mean([texts.lengths for texts in self.outputs], axis=0)
        own = np.repeat(mean, np.diff(self.drawn.offsets))
        return [-np.abs(self.texts.lengths - own)] * n

    def _parts(self, n: int) -> list[Any]:
        """Return minus the number of parts, as a decoder counts its phrases."""
        return [-self.drawn.parts] * n

    def _moves(self, n: int) -> list[Any]:
        return [-self.drawn.moves] * n

    def _lm(self, n: int) -> list[Any]:
        """Log-probabilities of models of 1 to n words, trained on references of the other half."""
        return self._in_halves([self.words.references], n)

    def _style(self, n: int) -> list[Any]:
        """The same for models trained on the systems' outputs of the other half."""
        return self._in_halves([self.words.outputs[system] for system in self.systems], n)

    def _in_halves(self, corpora: list[list[list[int]]], n: int) -> list[Any]:
        middle = len(self.words.references) // 2
        scores = np.empty((n, len(self.texts.starts)))
        for half in (slice(0, middle), slice(middle, None)):
            known = [text for corpus in corpora for text in corpus[half]]
            model = _NgramModel(Texts(known, [0] * len(known)), n)
            other = (self.texts.segments < middle) == (half.start != 0)
            for order, logs in enumerate(model.logs(self.texts)):
                scores[order, other] = self.texts.sums(logs)[other]
        return list(scores)

    def _votes(self, n: int) -> list[Any]:
        """Logs of the fraction of systems that have the n-grams of 1 to n words."""
        return [self._support(self.outputs, order) for order in range(1, n + 1)]

    def _lexical(self, n: int) -> list[Any]:
        """The same for a few systems only, plus a wrong opinion of each word; orders 1 and 2."""
        found = []
        for i in range(n):
            few = self.rng.permutation(len(self.outputs))[:_LEXICON]
            found.append(self._support([self.outputs[k] for k in few], 1 + i % 2) + self._opinion())
        return found

    def _noise(self, n: int) -> list[Any]:
        """Word opinions of pure noise."""
        return [self._opinion() for _ in range(n)]

    def _owners(self, _: int) -> list[Any]:
        """Number of words from each system, blurred."""
        return [
            self.texts.sums((self.drawn.owners == system).astype(np.float64))
            + self.rng.normal(size=len(self.texts.starts))
            for system in self.systems
        ]

    def _support(self, outputs: list[Texts], order: int) -> Any:
        """Sum the logs of the fraction of outputs of the same segment that contain each n-gram."""
        seen = _Counts(np.concatenate([np.unique(_local(texts, order)) for texts in outputs]))
        votes = seen.of(_local(self.texts, order))
        return self.texts.sums(np.log((votes + 0.3) / (len(outputs) + 0.6)))

    def _opinion(self) -> Any:
        opinions = self.rng.normal(scale=_DOUBT, size=self.words.n_known)
        return self.texts.sums(opinions[self.texts.words])


class _Counts:
    def __init__(self, keys: Any) -> None:
        self.keys, self.counts = np.unique(keys, return_counts=True)

    def of(self, keys: Any) -> Any:
        at = np.searchsorted(self.keys, keys).clip(max=len(self.keys) - 1)
        return np.where(self.keys[at] == keys, self.counts[at], 0)


class _NgramModel:
    """Word probabilities given a history, with Dirichlet priors from the order below."""

    def __init__(self, texts: Texts, order: int) -> None:
        self.n_words = len(np.unique(texts.words)) + 1
        self.grams = [_Counts(_grams(texts, n)) for n in range(1, order + 1)]
        self.histories = [_Counts(_grams(texts, n, first=1)) for n in range(1, order + 1)]

    def logs(self, texts: Texts) -> list[Any]:
        """Return the log-probabilities of all words for each order."""
        probability, found = np.full(len(texts.words), 1 / self.n_words), []
        for n, (grams, histories) in enumerate(zip(self.grams, self.histories, strict=True), 1):
            counts, totals = grams.of(_grams(texts, n)), histories.of(_grams(texts, n, first=1))
            probability = (counts + _TRUST * probability) / (totals + _TRUST)
            found.append(np.log(probability))
        return found


def _grams(texts: Texts, order: int, *, first: int = 0) -> Any:
    """Return keys of each word and its history up to `order`; `first=1` excludes the word."""
    keys = np.zeros(len(texts.words), np.uint64)
    for k in range(first, order):
        earlier = np.roll(texts.words, k) + 1
        keys += np.where(texts.places >= k, earlier, 0).astype(np.uint64) * _FACTORS[k]
    return keys


def _local(texts: Texts, order: int) -> Any:
    """Return keys of n-grams that differ between segments."""
    segments = np.repeat(texts.segments + 1, texts.lengths).astype(np.uint64)
    return _grams(texts, order) + segments * _FACTORS[-1]
