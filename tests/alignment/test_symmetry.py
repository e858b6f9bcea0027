"""Symmetrization: an oracle that follows Moses' symal, and Moses' own results."""

from random import Random
from typing import Any

import pytest

from rapidbleu.alignment import format_links, symmetrize
from rapidbleu.alignment.links import METHODS
from reference import alignment as oracle

# What symal (mosesdecoder, symal/symal.cpp) printed for made alignments, in our order.
# Each is (forward, backward, links by method).
MOSES = [
    (
        [(0, 0), (2, 2), (4, 3), (2, 4), (3, 5)],
        [(0, 2), (1, 3), (3, 5), (4, 5)],
        {
            "intersection": "3-5",
            "union": "0-0 0-2 2-2 1-3 4-3 2-4 3-5 4-5",
            "grow": "3-5 4-5",
            "grow-diag": "0-2 1-3 2-4 3-5 4-5",
            "grow-diag-final": "0-0 0-2 1-3 2-4 3-5 4-5",
            "grow-diag-final-and": "0-2 1-3 2-4 3-5 4-5",
        },
    ),
    (
        [(0, 0), (3, 1), (2, 3), (4, 4)],
        [(0, 0), (1, 3), (2, 0), (3, 4), (4, 4)],
        {
            "intersection": "0-0 4-4",
            "union": "0-0 2-0 3-1 1-3 2-3 3-4 4-4",
            "grow": "0-0 3-4 4-4",
            "grow-diag": "0-0 1-3 2-3 3-4 4-4",
            "grow-diag-final": "0-0 3-1 1-3 2-3 3-4 4-4",
            "grow-diag-final-and": "0-0 1-3 2-3 3-4 4-4",
        },
    ),
    (
        [(0, 0), (0, 1), (1, 2), (2, 3), (4, 4), (5, 6)],
        [(0, 0), (1, 0), (2, 0), (4, 3), (5, 6)],
        {
            "intersection": "0-0 5-6",
            "union": "0-0 1-0 2-0 0-1 1-2 2-3 4-3 4-4 5-6",
            "grow": "0-0 1-0 2-0 0-1 5-6",
            "grow-diag": "0-0 1-0 2-0 0-1 1-2 2-3 5-6",
            "grow-diag-final": "0-0 1-0 2-0 0-1 1-2 2-3 4-4 5-6",
            "grow-diag-final-and": "0-0 1-0 2-0 0-1 1-2 2-3 4-4 5-6",
        },
    ),
    (
        [(0, 0), (0, 1), (3, 2), (1, 3), (5, 4)],
        [(0, 0), (1, 0), (2, 2), (4, 5), (5, 3), (6, 5)],
        {
            "intersection": "0-0",
            "union": "0-0 1-0 0-1 2-2 3-2 1-3 5-3 5-4 4-5 6-5",
            "grow": "0-0 1-0 0-1",
            "grow-diag": "0-0 1-0 0-1",
            "grow-diag-final": "0-0 1-0 0-1 2-2 3-2 1-3 5-4 4-5 6-5",
            "grow-diag-final-and": "0-0 1-0 0-1 3-2 5-4 4-5",
        },
    ),
    (
        [(0, 0), (0, 1), (1, 2), (3, 3), (4, 4)],
        [(0, 2), (1, 1), (4, 4)],
        {
            "intersection": "4-4",
            "union": "0-0 0-1 1-1 0-2 1-2 3-3 4-4",
            "grow": "4-4",
            "grow-diag": "3-3 4-4",
            "grow-diag-final": "0-0 0-1 1-2 3-3 4-4",
            "grow-diag-final-and": "0-0 1-2 3-3 4-4",
        },
    ),
    (
        [(1, 1), (1, 2), (4, 3), (4, 4), (3, 5)],
        [(0, 0), (2, 4), (3, 5), (4, 5)],
        {
            "intersection": "3-5",
            "union": "0-0 1-1 1-2 4-3 2-4 4-4 3-5 4-5",
            "grow": "4-3 4-4 3-5 4-5",
            "grow-diag": "2-4 3-5 4-5",
            "grow-diag-final": "0-0 1-1 1-2 4-3 2-4 3-5 4-5",
            "grow-diag-final-and": "0-0 1-1 2-4 3-5 4-5",
        },
    ),
]  # fmt: skip


def made(rng: Random) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """A link or none for each target word, and for each source word; some near a diagonal."""
    n, m, near = rng.randint(1, 9), rng.randint(1, 9), rng.random()

    def place(k: int, size: int, other: int) -> int:
        if rng.random() < near:
            return min(size - 1, max(0, k * size // other + rng.randint(-1, 1)))
        return rng.randrange(size)

    forward = [(place(j, m, n), j) for j in range(n) if rng.random() < 0.8]
    backward = [(i, place(i, n, m)) for i in range(m) if rng.random() < 0.8]
    return forward, backward


def in_order(links: Any) -> list[tuple[int, int]]:
    return sorted(links, key=lambda link: link[::-1])


@pytest.mark.parametrize("method", METHODS)
def test_the_oracle(method: str) -> None:
    rng = Random(method)
    for _ in range(1500):
        forward, backward = made(rng)
        expected = in_order(oracle.symmetrized(forward, backward, method))
        assert symmetrize(forward, backward, method) == expected, (forward, backward)


@pytest.mark.parametrize("method", METHODS)
def test_results_of_moses(method: str) -> None:
    for forward, backward, results in MOSES:
        found = symmetrize(forward, backward, method)
        assert format_links(found) == results[method]


def test_methods_grow() -> None:
    """From the intersection, and not beyond the union; in the last step as well."""
    rng = Random("grow")
    for _ in range(300):
        forward, backward = made(rng)
        found = {method: set(symmetrize(forward, backward, method)) for method in METHODS}
        for method in METHODS:
            assert found["intersection"] <= found[method] <= found["union"]
        assert found["grow-diag"] <= found["grow-diag-final"] & found["grow-diag-final-and"]
        assert symmetrize(set(forward), tuple(backward)) == symmetrize(forward, backward)
        for method in METHODS:
            assert symmetrize(forward, forward, method) == in_order(forward)


def test_links_of_any_kind() -> None:
    """Words with several links in both directions, which no model of this kind gives."""
    rng = Random("any")
    for _ in range(500):
        forward, backward = (
            [(rng.randrange(5), rng.randrange(5)) for _ in range(rng.randint(0, 12))]
            for _ in range(2)
        )
        for method in METHODS:
            expected = in_order(oracle.symmetrized(forward, backward, method))
            assert symmetrize(forward, backward, method) == expected


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([], [], "grow-final"), ValueError, "method: expected one of intersection, .* got 'gr"),
        (([], [], None), ValueError, "method: expected one of intersection, .* got None"),
        ((["0-0"], []), TypeError, r"forward\[0\]: expected a pair of int, got '0-0'"),
        (([], [(0, 0), (1, -1)]), ValueError, r"backward\[1\]: expected places from 0 on"),
        (("0-0", []), TypeError, "forward: expected a sequence of links, got a single str"),
    ],
)
def test_bad_arguments(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        symmetrize(*arguments)
