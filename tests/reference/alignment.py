"""Word alignment: IBM Model 1 in fractions, link errors, symmetrization.

Brown et al. 1993, section 4.1; Och & Ney 2003; Moses' symal for the order in which links grow.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

Word = str | None  # None is NULL
Table = dict[tuple[str, Word], Any]  # (target word, source word)
Pair = tuple[Sequence[str], Sequence[str]]
Link = tuple[int, int]


def candidates(source: Sequence[str], null: bool) -> list[Word]:
    return [None, *source] if null else list(source)


def uniform(pairs: list[Pair], null: bool, one: Any = Fraction(1)) -> Table:
    """Return equal probabilities for all target words that occur together with a source word."""
    p = one / len({word for _, target in pairs for word in target})
    return {(f, e): p for source, target in pairs for f in target for e in candidates(source, null)}


def posteriors(pair: Pair, table: Table, null: bool) -> list[list[Any]]:
    """Return, per source word and then NULL, the probability of generating each target word."""
    source, target = pair
    rows: list[list[Any]] = []
    for e in [*source, None] if null else source:
        rows.append([])
        for f in target:
            total = sum(table.get((f, word), 0) for word in candidates(source, null))
            rows[-1].append(table.get((f, e), 0) / total if total else 0)
    return rows


def expected_counts(pairs: list[Pair], table: Table, null: bool) -> Table:
    """Sum the posteriors of all links of a corpus for each pair of words in the table."""
    counts: Table = dict.fromkeys(table, 0)
    for source, target in pairs:
        words = [*source, None] if null else source
        for e, row in zip(words, posteriors((source, target), table, null), strict=True):
            for f, share in zip(target, row, strict=True):
                if share:
                    counts[f, e] += share
    return counts


def step(pairs: list[Pair], table: Table, null: bool) -> Table:
    """Return the result of one EM step: expected counts, normalized per source word."""
    counts: Table = dict.fromkeys(table, 0)
    for source, target in pairs:
        words = candidates(source, null)
        for f in target:
            total = sum(table[f, e] for e in words)
            for e in words:
                counts[f, e] += table[f, e] / total
    sums: dict[Word, Any] = {}
    for (_, e), count in counts.items():
        sums[e] = sums.get(e, 0) + count
    return {(f, e): count / sums[e] for (f, e), count in counts.items()}


def learned(pairs: list[Pair], iterations: int, null: bool, one: Any = Fraction(1)) -> Table:
    table = uniform(pairs, null, one)
    for _ in range(iterations):
        table = step(pairs, table, null)
    return table


def step_by_alignments(pairs: list[Pair], table: Table) -> Table:
    """Do the same step by enumerating all alignments of each pair, without NULL."""
    counts: Table = dict.fromkeys(table, Fraction(0))
    for source, target in pairs:
        alignments = list(product(range(len(source)), repeat=len(target)))
        weights = [
            prod((table[f, source[i]] for f, i in zip(target, places, strict=True)), start=1)
            for places in alignments
        ]
        for places, weight in zip(alignments, weights, strict=True):
            for f, i in zip(target, places, strict=True):
                counts[f, source[i]] += Fraction(weight) / sum(weights)
    sums: dict[Word, Any] = {}
    for (_, e), count in counts.items():
        sums[e] = sums.get(e, 0) + count
    return {(f, e): count / sums[e] for (f, e), count in counts.items()}


def probability(pair: Pair, table: Table, null: bool, floor: Any = 0) -> Any:
    """Return the probability of a target sentence, given its source and its length."""
    source, target = pair
    words = candidates(source, null)
    if not words:
        return floor ** len(target)
    return prod(
        (sum(max(table.get((f, e), 0), floor) for e in words) / len(words) for f in target),
        start=Fraction(1) if not isinstance(floor, float) else 1.0,
    )


def best_links(pair: Pair, table: Table, null: bool) -> list[Link]:
    """Return the most probable source word of each target word, the first of equal ones."""
    source, target = pair
    links = []
    for j, f in enumerate(target):
        chances = [table.get((f, e), 0) for e in source]
        most = max(chances, default=0)
        if most > 0 and (not null or most >= table.get((f, None), 0)):
            links.append((chances.index(most), j))
    return links


def errors(links: Iterable[Link], sure: Iterable[Link], possible: Iterable[Link]) -> list[Any]:
    """Return precision, recall, F and AER as fractions; all sets must have links."""
    found, right = set(links), set(sure)
    allowed = right | set(possible)
    precision = Fraction(sum(link in allowed for link in found), len(found))
    recall = Fraction(sum(link in right for link in found), len(right))
    hits = sum((link in right) + (link in allowed) for link in found)
    both = precision + recall
    return [
        precision,
        recall,
        2 * precision * recall / both if both else 0,
        1 - Fraction(hits, len(found) + len(right)),
    ]


def symmetrized(forward: Iterable[Link], backward: Iterable[Link], method: str) -> set[Link]:
    """Join the links (source, target) of two directions like Moses' symal, in a matrix."""
    of_target, of_source = set(forward), set(backward)
    union, found = of_target | of_source, of_target & of_source
    if method in ("union", "intersection"):
        return union if method == "union" else found
    size = 1 + max((max(link) for link in union), default=0)
    places = [(i, j) for j in range(size) for i in range(size)]  # by target word

    def is_free(i: int, j: int) -> list[bool]:
        return [all(a != i for a, _ in found), all(b != j for _, b in found)]

    near = [(0, -1), (-1, 0), (0, 1), (1, 0)]
    if "diag" in method:
        near += [(-1, -1), (1, -1), (-1, 1), (1, 1)]
    grown = True
    while grown:
        grown = False
        for i, j in places:
            if (i, j) not in found:
                continue
            for right, down in near:
                link = i + right, j + down
                if link in union and any(is_free(*link)):
                    found.add(link)
                    grown = True
    if "final" in method:
        enough = all if method.endswith("and") else any
        for own in (of_target - of_source, of_source - of_target):
            for link in places:
                if link in own and link not in found and enough(is_free(*link)):
                    found.add(link)
    return found
