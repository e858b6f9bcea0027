"""Kappa and alpha: published examples, the definitions, NLTK, and bad ratings."""

import importlib
import random
from typing import Any

import numpy as np
import pytest

from rapidbleu.meta.judges.alpha import krippendorff_alpha
from rapidbleu.meta.judges.judgments import Judgments
from rapidbleu.meta.judges.kappa import cohen_kappa, fleiss_kappa
from rapidbleu.meta.scores.warning import MetaWarning
from reference.meta import judges as oracle
from support.peers import need

SCALES = ("nominal", "ordinal", "interval", "ratio")
WEIGHTS = ("none", "linear", "quadratic")

# Krippendorff 2011: twelve units, four observers.
KRIPPENDORFF = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]

# Fleiss' kappa in Wikipedia: how many of 14 raters put each of 10 items into each of 5 categories.
FOURTEEN_RATERS = [
    (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
]  # fmt: skip


def random_ratings(seed: int, n_judges: int, gaps: float, least: int = 0) -> list[list[Any]]:
    draw = random.Random(seed)
    n_items = draw.randint(10, 40)
    # Not every category occurs, and not at even distances.
    categories = draw.sample(range(least, 12), draw.randint(2, 6))
    return [
        [None if draw.random() < gaps else draw.choice(categories) for _ in range(n_items)]
        for _ in range(n_judges)
    ]


@pytest.mark.parametrize(
    ("scale", "expected"),
    [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)],
)
def test_alpha_of_krippendorff(scale: Any, expected: float) -> None:
    assert krippendorff_alpha(KRIPPENDORFF, scale=scale) == pytest.approx(expected, abs=5e-4)


def test_fleiss_of_fourteen_raters() -> None:
    items = [[c for c, n in enumerate(row) for _ in range(n)] for row in FOURTEEN_RATERS]
    ratings = np.array(items).T
    assert ratings.shape == (14, 10)
    assert fleiss_kappa(ratings) == pytest.approx(0.210, abs=5e-4)
    shuffled = np.array([random.Random(i).sample(item, 14) for i, item in enumerate(items)]).T
    assert fleiss_kappa(shuffled) == fleiss_kappa(ratings)


def test_cohen_of_two_readers() -> None:
    """The grant proposals of Wikipedia's Cohen's kappa: 20, 5, 10 and 15 of 50."""
    one = ["yes"] * 25 + ["no"] * 25
    other = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    assert cohen_kappa([one, other]) == pytest.approx(0.4, abs=1e-15)


@pytest.mark.parametrize("seed", range(40))
def test_definitions(seed: int) -> None:
    gaps = (0.0, 0.3)[seed % 2]
    ratings = random_ratings(seed, 2 + seed % 5, gaps)
    for scale in SCALES:
        expected = float(oracle.krippendorff(ratings, scale))
        assert krippendorff_alpha(ratings, scale=scale) == pytest.approx(expected, abs=1e-12)
    assert fleiss_kappa(ratings) == pytest.approx(float(oracle.fleiss(ratings)), abs=1e-12)
    for power, weights in enumerate(WEIGHTS):
        expected = float(oracle.cohen(ratings[0], ratings[1], power))
        assert cohen_kappa(ratings[:2], weights=weights) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_nltk(seed: int) -> None:
    need("nltk")
    module = importlib.import_module("nltk.metrics.agreement")
    distances = importlib.import_module("nltk.metrics.distance")

    def task(ratings: list[list[Any]], distance: Any = distances.binary_distance) -> Any:
        triples = [
            (f"judge {j}", f"item {i}", rating)
            for j, row in enumerate(ratings)
            for i, rating in enumerate(row)
            if rating is not None
        ]
        return module.AnnotationTask(triples, distance=distance)

    whole = random_ratings(seed, 2, 0.0)
    assert cohen_kappa(whole) == pytest.approx(task(whole).kappa(), abs=1e-12)
    assert cohen_kappa(whole) == pytest.approx(task(whole).multi_kappa(), abs=1e-12)
    for weights, distance in (
        ("linear", lambda a, b: abs(a - b)),
        ("quadratic", lambda a, b: (a - b) ** 2),
    ):
        expected = task(whole, distance).weighted_kappa()
        assert cohen_kappa(whole, weights=weights) == pytest.approx(expected, abs=1e-12)
    several = random_ratings(seed + 100, 4, 0.0)
    assert fleiss_kappa(several) == pytest.approx(task(several).pi(), abs=1e-12)
    pairs = [cohen_kappa([a, b]) for i, a in enumerate(several) for b in several[:i]]
    assert np.mean(pairs) == pytest.approx(task(several).kappa(), abs=1e-12)
    gappy = random_ratings(seed + 200, 4, 0.3)
    for scale, distance in (
        ("nominal", distances.binary_distance),
        ("interval", distances.interval_distance),
    ):
        expected = task(gappy, distance).alpha()
        assert krippendorff_alpha(gappy, scale=scale) == pytest.approx(expected, abs=1e-12)


def test_labels_are_categories() -> None:
    names = {1: "bad", 2: "so so", 3: "good", 4: "best", 5: "?", None: None}
    named = [[names[r] for r in row] for row in KRIPPENDORFF]
    assert krippendorff_alpha(named, scale="nominal") == krippendorff_alpha(
        KRIPPENDORFF, scale="nominal"
    )
    assert fleiss_kappa(named) == fleiss_kappa(KRIPPENDORFF)
    with pytest.raises(TypeError, match="expected numbers for the ordinal scale, got labels"):
        krippendorff_alpha(named, scale="ordinal")
    with pytest.raises(TypeError, match="expected numbers for weights, got labels"):
        cohen_kappa(named[:2], weights="linear")


@pytest.mark.parametrize("scale", SCALES)
def test_judgments_are_ratings(scale: Any) -> None:
    """Each item is a system's output for a segment; the first judgment counts."""
    rows = [
        (f"system {i % 3}", i // 3, f"judge {j}", rating)
        for j, row in enumerate(KRIPPENDORFF)
        for i, rating in enumerate(row)
        if rating is not None
    ]
    random.Random(7).shuffle(rows)
    rows += [(*rows[0][:3], 5), (*rows[9][:3], 4)]  # again
    judgments = Judgments(*zip(*rows, strict=True))
    expected = krippendorff_alpha(KRIPPENDORFF, scale=scale)
    assert krippendorff_alpha(judgments, scale=scale) == pytest.approx(expected, abs=1e-14)
    assert fleiss_kappa(judgments) == pytest.approx(fleiss_kappa(KRIPPENDORFF), abs=1e-14)
    two = judgments.select(judges=["judge 1", "judge 3"])
    expected = cohen_kappa([KRIPPENDORFF[1], KRIPPENDORFF[3]])
    assert cohen_kappa(two) == pytest.approx(expected, abs=1e-14)


def test_alpha_of_many_values() -> None:
    """More different values than one block of pairs holds; large numbers lose nothing."""
    draw = np.random.default_rng(5)
    ratings = draw.random((3, 2000)) + 1
    for scale in ("ordinal", "interval", "ratio"):
        alpha = krippendorff_alpha(ratings, scale=scale)
        assert abs(alpha) < 0.05
        assert krippendorff_alpha(ratings[::-1], scale=scale) == pytest.approx(alpha, abs=1e-12)
    same = krippendorff_alpha(np.round(ratings * 1024) / 1024 + 2.0**20, scale="interval")
    close = krippendorff_alpha(np.round(ratings * 1024) / 1024, scale="interval")
    assert same == pytest.approx(close, abs=1e-9)
    assert krippendorff_alpha([[0, 0, 3], [0, 1, 3]], scale="ratio") == pytest.approx(
        float(oracle.krippendorff([[0, 0, 3], [0, 1, 3]], "ratio")), abs=1e-14
    )


@pytest.mark.parametrize(
    ("ratings", "why"),
    [
        ([[1, 1], [1, 1]], "all ratings are the same"),
        ([[1, None], [None, 2]], "no item is judged"),
    ],
)
def test_undefined_figures_warn(ratings: list[list[Any]], why: str) -> None:
    for figure in (cohen_kappa, fleiss_kappa, krippendorff_alpha):
        with pytest.warns(MetaWarning, match=why):
            assert np.isnan(figure(ratings))


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: cohen_kappa([[1], [1], [2]]), ValueError, "expected two judges, got 3"),
        (lambda: cohen_kappa([[1], [1]], weights="cubic"), ValueError, "weights: expected one of"),
        (lambda: krippendorff_alpha([[1], [1]], scale="rank"), ValueError, "scale: expected one"),
        (lambda: fleiss_kappa([[1, 2], [1]]), ValueError, r"ratings\[1\]: expected 2 ratings"),
        (lambda: fleiss_kappa([[1, "a"]]), TypeError, r"ratings\[0\]\[0\]: expected a label"),
        (lambda: fleiss_kappa([["", "a"]]), ValueError, r"ratings\[0\]\[0\]: .* got an empty str"),
        (lambda: fleiss_kappa([[1, True]]), TypeError, r"ratings\[0\]\[1\]: expected a number"),
        (lambda: fleiss_kappa([[1, float("inf")]]), ValueError, r"\[0\]\[1\]: expected a finite"),
        (lambda: fleiss_kappa([1, 2]), TypeError, r"ratings\[0\]: expected a sequence"),
        (lambda: fleiss_kappa([]), ValueError, r"expected a matrix \[judge, item\]"),
        (lambda: fleiss_kappa(np.ones(3)), ValueError, r"expected a matrix \[judge, item\]"),
        (
            lambda: krippendorff_alpha([[-1, 2], [1, 2]], scale="ratio"),
            ValueError,
            "expected no number below 0, got -1",
        ),
    ],
)
def test_bad_ratings(call: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        call()
