"""Links: the format, counts, precision, recall, F and AER; Moses' symmetrization."""

import math
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu.alignment import (
    LinkScore,
    count_links,
    format_links,
    parse_gold,
    parse_links,
    read_links,
    score_links,
    swap_links,
    symmetrize,
    write_links,
)
from rapidbleu.alignment.links import METHODS
from reference import alignment as oracle


def made_links(rng: Random, n: int = 8, size: int = 5) -> list[tuple[int, int]]:
    return [(rng.randrange(size), rng.randrange(size)) for _ in range(rng.randint(1, n))]


def test_lines() -> None:
    assert parse_links("0-0 1-2  10-3\n") == [(0, 0), (1, 2), (10, 3)]
    assert parse_links("") == [] == parse_links(" \n")
    assert parse_links("1-1 2-3", first=1) == [(0, 0), (1, 2)]
    assert format_links([(0, 0), (1, 2)]) == "0-0 1-2"
    assert format_links({(1, 2), (0, 0)}) == "0-0 1-2"
    assert format_links(np.array([[3, 4]])) == "3-4"
    assert format_links([]) == ""
    assert swap_links([(0, 0), (1, 2)]) == [(0, 0), (2, 1)]
    assert parse_gold("0-0 1?2 3p4") == ([(0, 0)], [(0, 0), (1, 2), (3, 4)])


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("0-0 1", 1),
        ("0-", 0),
        ("-1-2", 0),
        ("a-b", 0),
        ("0-0 1-2-3", 1),
        ("0-0 ²-1", 1),
        ("0-0 1?2", 1),
        ("1_0-2", 0),
        ("0:1", 0),
    ],
)
def test_bad_lines(line: str, place: int) -> None:
    with pytest.raises(ValueError, match=rf"^links\[{place}\]: expected a link such as 0-0; got"):
        parse_links(line)


def test_places_below_the_first() -> None:
    with pytest.raises(ValueError, match=r"^links\[1\]: expected places from 1 on; got '0-1'"):
        parse_links("1-1 0-1", first=1)
    with pytest.raises(ValueError, match=r"^links\[0\]: expected places from 1 on; got '1\?0'"):
        parse_gold("1?0", first=1)
    with pytest.raises(TypeError, match=r"^links: expected str; got list"):
        parse_links([(0, 0)])  # type: ignore[arg-type]


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "links"
    alignments = [[(0, 0), (1, 2)], [], [(5, 0)]]
    write_links(alignments, path)
    assert path.read_bytes() == b"0-0 1-2\n\n5-0\n"
    assert read_links(path) == alignments
    path.write_text("1-1\n1-x\n")
    with pytest.raises(ValueError, match=r"links, line 2: links\[0\]: expected a link such as 1-1"):
        read_links(path, first=1)
    with pytest.raises(TypeError, match=r"links\[0\]: expected a pair of int"):
        write_links([[(0,)]], path)  # type: ignore[list-item]
    assert path.read_text() == "1-1\n1-x\n"


def test_the_numbers_of_the_lecture() -> None:
    """The lecture: 6 of 7 links are among a human's 10."""
    right = [(i, i) for i in range(10)]
    found = [*right[:6], (0, 9)]
    score = score_links([found], [right])
    assert (score.precision, score.recall) == (6 / 7, 6 / 10)
    assert score.f == pytest.approx(12 / 17, rel=1e-15)
    assert score.aer == pytest.approx(5 / 17, rel=1e-15)
    assert (score.hits_sure, score.hits_possible, score.n_links, score.n_sure) == (6, 6, 7, 10)
    assert repr(score) == "LinkScore(P = 0.8571 R = 0.6000 F = 0.7059 AER = 0.2941)"


def test_scores_are_those_of_fractions() -> None:
    rng = Random("links")
    for _ in range(300):
        found, sure, possible = (made_links(rng) for _ in range(3))
        score = score_links([found], [sure], [possible])
        expected = oracle.errors(found, sure, possible)
        for ours, exact in zip(
            (score.precision, score.recall, score.f, score.aer), expected, strict=True
        ):
            assert ours == pytest.approx(float(exact), rel=1e-14, abs=1e-15)


def test_error_rates_are_those_of_nltk() -> None:
    metrics = pytest.importorskip("nltk.translate.metrics")
    translate = pytest.importorskip("nltk.translate")
    rng = Random("nltk links")
    for _ in range(100):
        found, sure, other = (made_links(rng) for _ in range(3))
        possible = translate.Alignment(sure + other)
        theirs = metrics.alignment_error_rate(
            translate.Alignment(sure), translate.Alignment(found), possible
        )
        assert score_links([found], [sure], [other]).aer == pytest.approx(theirs, abs=1e-15)


def test_rows_are_added() -> None:
    rng = Random("rows")
    found, sure, possible = ([made_links(rng) for _ in range(20)] for _ in range(3))
    rows = count_links(found, sure, possible)
    assert (rows.dtype, rows.shape) == (np.int64, (20, 4))
    whole = score_links(found, sure, possible)
    assert vars(LinkScore(rows)) == vars(LinkScore(rows.sum(0))) == vars(whole)
    halves = [count_links(found[k::2], sure[k::2], possible[k::2]).sum(0) for k in range(2)]
    assert vars(LinkScore(np.array(halves))) == vars(whole)


def test_sure_links_are_possible() -> None:
    assert count_links([[(0, 0)]], [[(0, 0)]], [[]]).tolist() == [[1, 1, 1, 1]]
    assert count_links([{(0, 0)}], [((0, 0), (0, 0))]).tolist() == [[1, 1, 1, 1]]


def test_scores_of_nothing() -> None:
    nothing = score_links([], [])
    assert all(map(math.isnan, (nothing.precision, nothing.recall, nothing.f, nothing.aer)))
    missed = score_links([[]], [[(0, 0)]])
    assert math.isnan(missed.precision) and math.isnan(missed.f)
    assert (missed.recall, missed.aer) == (0.0, 1.0)
    wrong = score_links([[(0, 1)]], [[(0, 0)]])
    assert (wrong.precision, wrong.recall, wrong.f, wrong.aer) == (0.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((5, []), TypeError, "alignments: expected a sequence of lists of links; got int"),
        (([], [[]]), ValueError, "sure: expected 0 lists of links, as many as alignments; got 1"),
        (([[]], [[]], []), ValueError, "possible: expected 1 lists of links"),
        (([[], ["0-0"]], [[], []]), TypeError, r"alignments\[1\]\[0\]: expected a pair of int"),
        (([[]], [[(0, 1), (0, 1.0)]]), TypeError, r"sure\[0\]\[1\]: expected a pair of int"),
        (([[(0, -1)]], [[]]), ValueError, r"alignments\[0\]\[0\]: expected places from 0 on"),
    ],
)
def test_bad_links(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        count_links(*arguments)


@pytest.mark.parametrize(
    "stats",
    [
        [1, 2, 3],
        [[1, 2, 3]],
        [1.0, 1.0, 1.0, 1.0],
        [2, 1, 3, 3],
        [1, 4, 3, 3],
        [2, 2, 3, 1],
        [-1, 0, 0, 0],
    ],
)
def test_bad_stats(stats: Any) -> None:
    with pytest.raises(ValueError, match=r"^stats: expected"):
        LinkScore(stats)


# Output of symal (mosesdecoder, symal/symal.cpp) for synthetic alignments, in our order. Each is
# (forward, backward, links by method).
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
]


def made(rng: Random) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Draw at most one link per target word, and per source word; some near a diagonal."""
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


def of_any_kind(rng: Random) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Draw several links per word in both directions, as no model of this kind returns."""
    return made_links(rng, 12), made_links(rng, 12)


@pytest.mark.parametrize(("links", "n"), [(made, 1500), (of_any_kind, 500)])
@pytest.mark.parametrize("method", METHODS)
def test_the_oracle(method: str, links: Any, n: int) -> None:
    rng = Random(method)
    for _ in range(n):
        forward, backward = links(rng)
        expected = in_order(oracle.symmetrized(forward, backward, method))
        assert symmetrize(forward, backward, method) == expected, (forward, backward)


@pytest.mark.parametrize("method", METHODS)
def test_results_of_moses(method: str) -> None:
    for forward, backward, results in MOSES:
        found = symmetrize(forward, backward, method)
        assert format_links(found) == results[method]


def test_methods_grow() -> None:
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


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([], [], "grow-final"), ValueError, "method: expected one of intersection, .* got 'gr"),
        (([], [], None), ValueError, "method: expected one of intersection, .* got None"),
        ((["0-0"], []), TypeError, r"forward\[0\]: expected a pair of int; got '0-0'"),
        (([], [(0, 0), (1, -1)]), ValueError, r"backward\[1\]: expected places from 0 on"),
        (("0-0", []), TypeError, "forward: expected a sequence of links; got a single str"),
    ],
)
def test_bad_symmetrization(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        symmetrize(*arguments)
