"""METEOR as in the program of release 1.5 (Denkowski and Lavie 2014), on lists of tokens.

All candidates are listed, and all paths of the search are kept whole.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

Tokens = Sequence[str]
BEAM = 40


class Match(NamedTuple):
    """A match of a reference phrase with a hypothesis phrase, and its module."""

    ref_start: int
    ref_len: int
    hyp_start: int
    hyp_len: int
    module: int

    @property
    def ref_words(self) -> range:
        return range(self.ref_start, self.ref_start + self.ref_len)

    @property
    def hyp_words(self) -> range:
        return range(self.hyp_start, self.hyp_start + self.hyp_len)

    @property
    def distance(self) -> int:
        return abs(self.ref_start - self.hyp_start)


class Module(NamedTuple):
    """A matcher: spans (ref_start, ref_len, hyp_start, hyp_len), and the credit of a word."""

    find: Callable[[Tokens, Tokens], list[tuple[int, int, int, int]]]
    credit: float


def words(same: Callable[[str, str], bool], credit: float) -> Module:
    def find(hyp: Tokens, ref: Tokens) -> list[tuple[int, int, int, int]]:
        pairs = [(j, i) for j in range(len(ref)) for i in range(len(hyp)) if same(hyp[i], ref[j])]
        return [(j, 1, i, 1) for j, i in pairs]

    return Module(find, credit)


def exact() -> Module:
    return words(str.__eq__, 1.0)


def stem(stem_of: Callable[[str], str]) -> Module:
    return words(lambda a, b: a != b and stem_of(a) == stem_of(b), 0.5)


def synonym(sets_of: Callable[[str], Collection[int]]) -> Module:
    return words(lambda a, b: a != b and bool(set(sets_of(a)) & set(sets_of(b))), 0.5)


def paraphrase(table: Mapping[str, Sequence[str]]) -> Module:
    """Match phrases listed as paraphrases of each other, ref's own entries first."""
    longest = max(len(phrase.split()) for phrase in table)

    def listed(own: Tokens, other: Tokens) -> list[tuple[int, int, int, int]]:
        return [
            (start, n, place, len(phrase.split()))
            for start in range(len(own))
            for n in range(1, min(longest, len(own) - start) + 1)
            for phrase in table.get(" ".join(own[start : start + n]), ())
            for place in range(len(other))
            if list(other[place : place + len(phrase.split())]) == phrase.split()
        ]

    def find(hyp: Tokens, ref: Tokens) -> list[tuple[int, int, int, int]]:
        return listed(ref, hyp) + [(j, m, i, n) for i, n, j, m in listed(hyp, ref)]

    return Module(find, 0.5)


def candidates(hyp: Tokens, ref: Tokens, modules: Sequence[Module]) -> list[list[Match]]:
    """Return the matches that start at each reference word, one module for equal texts."""
    found: list[list[Match]] = [[] for _ in ref]
    for number, module in enumerate(modules[:1] if list(hyp) == list(ref) else modules):
        for place in module.find(hyp, ref):
            found[place[0]].append(Match(*place, number))
    return found


def definite_matches(found: list[list[Match]]) -> dict[int, Match]:
    """Return, by start, the matches that share no words with other matches."""
    matches = [match for several in found for match in several]
    ref_cover = Counter(j for match in matches for j in match.ref_words)
    hyp_cover = Counter(i for match in matches for i in match.hyp_words)
    return {
        match.ref_start: match
        for match in matches
        if all(ref_cover[j] == 1 for j in match.ref_words)
        and all(hyp_cover[i] == 1 for i in match.hyp_words)
    }


class Path(NamedTuple):
    """Decisions for the reference words before `next_word`."""

    used: frozenset[int]
    matches: tuple[Match, ...] = ()
    credit: int = 0
    chunks: int = 0
    distance: int = 0
    next_word: int = 0
    hyp_end: int | None = None

    @property
    def rank(self) -> tuple[int, int, int]:
        return -self.credit, self.chunks, self.distance

    def take(self, match: Match, credit: float, distance: int) -> "Path":
        new_chunk = self.hyp_end is not None and self.hyp_end != match.hyp_start
        return Path(
            self.used.union(match.hyp_words),
            (*self.matches, match),
            self.credit + int(match.hyp_len * credit) + int(match.ref_len * credit),
            self.chunks + new_chunk,
            self.distance + distance,
            match.ref_words.stop,
            match.hyp_words.stop,
        )

    def close(self) -> "Path":
        return self._replace(chunks=self.chunks + (self.hyp_end is not None), hyp_end=None)

    def leave(self, distance: int) -> "Path":
        closed = self.close()
        return closed._replace(distance=self.distance + distance, next_word=self.next_word + 1)


def align(hyp: Tokens, ref: Tokens, modules: Sequence[Module]) -> tuple[Match, ...]:
    """Return the matches of the best path.

    The distance of a match is charged to the paths after the one that contains it.
    """
    found = candidates(hyp, ref, modules)
    definite = definite_matches(found)
    definite_ref = {j for match in definite.values() for j in match.ref_words}
    definite_hyp = {i for match in definite.values() for i in match.hyp_words}

    def continued(path: Path, word: int) -> list[Path]:
        if path.next_word > word:
            return [path]
        if word in definite:
            match = definite[word]
            return [path.take(match, modules[match.module].credit, match.distance)]
        paths, distance = [], 0
        for match in found[word]:
            if definite_ref.isdisjoint(match.ref_words) and path.used.isdisjoint(match.hyp_words):
                paths.append(path.take(match, modules[match.module].credit, distance))
                distance += match.distance
        return [*paths, path.leave(distance)]

    def best(paths: list[Path]) -> list[Path]:
        return sorted(paths, key=lambda path: path.rank)[:BEAM]

    paths = [Path(frozenset(definite_hyp))]
    for word in range(len(ref)):
        paths = [more for path in best(paths) for more in continued(path, word)]
    return best([path.close() for path in best(paths)])[0].matches


def statistics(
    hyp: Tokens, ref: Tokens, modules: Sequence[Module], function_words: Collection[str] = ()
) -> list[int]:
    """Return the program's 23 statistics."""
    matches = align(hyp, ref, modules)

    def count(tokens: Tokens, function: bool) -> int:
        return sum((token.lower() in function_words) == function for token in tokens)

    row = [len(hyp), len(ref), count(hyp, True), count(ref, True)]
    for module in range(4):
        own = [match for match in matches if match.module == module]
        hyp_words = [hyp[i] for match in own for i in match.hyp_words]
        ref_words = [ref[j] for match in own for j in match.ref_words]
        row += [count(side, kind) for kind in (False, True) for side in (hyp_words, ref_words)]
    row.append(
        len(matches)
        - sum(
            a.ref_words.stop == b.ref_words.start and a.hyp_words.stop == b.hyp_words.start
            for a, b in pairwise(matches)
        )
    )
    row += [sum(match.hyp_len for match in matches), sum(match.ref_len for match in matches)]
    return row


def is_perfect(row: Sequence[int]) -> bool:
    return row[21] == row[0] and row[22] == row[1] and row[20] == 1


def score(row: Sequence[int], parameters: Sequence[float], weights: Sequence[float]) -> float:
    """Return the score of a row or of a sum of rows, from 0 to 1."""
    alpha, beta, gamma, delta = parameters
    parts = []
    for side in range(2):
        total = 0.0
        for k, weight in enumerate(weights):
            total += row[4 + 4 * k + side] * weight * delta
        for k, weight in enumerate(weights):
            total += row[6 + 4 * k + side] * weight * (1.0 - delta)
        length = delta * (row[side] - row[2 + side]) + (1.0 - delta) * row[2 + side]
        parts.append(total / length if length else 0.0)
    precision, recall = parts
    if not precision or not recall:
        return 0.0
    f_mean = 1.0 / ((1.0 - alpha) / precision + alpha / recall)
    chunks = 0 if is_perfect(row) else row[20]
    penalty: float = gamma * (chunks / ((row[21] + row[22]) / 2)) ** beta
    return max(0.0, f_mean * (1.0 - penalty))


def score_2005(hyp: Tokens, ref: Tokens, modules: Sequence[Module]) -> float:
    """Return Banerjee and Lavie's score of the alignment of release 1.5."""
    row = statistics(hyp, ref, modules)
    if not row[21]:
        return 0.0
    precision, recall = row[21] / len(hyp), row[21] / len(ref)
    f_mean = 10 * precision * recall / (recall + 9 * precision)
    return f_mean * (1 - 0.5 * (row[20] / row[21]) ** 3)
