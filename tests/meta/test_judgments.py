"""Judgments: means, z-scores, equalized distributions, scales, adequacy with fluency."""

import random
import warnings
from typing import Any

import numpy as np
import pytest

from rapidbleu.meta import Judgments, MetaWarning, SystemScores, average_judgments
from reference.meta import judges as oracle


def many(seed: int, n: int = 200) -> tuple[list[str], list[str], list[str], list[float]]:
    draw = random.Random(seed)
    columns = [
        [f"{what}{draw.randrange(k)}" for _ in range(n)]
        for what, k in (("system ", 5), ("segment ", 17), ("judge ", 6))
    ]
    return (*columns, [draw.uniform(0, 100) for _ in range(n)])


SMALL = {
    "systems": ["B", "A", "B", "A"],
    "segments": ["2", "2", "1", "1"],
    "judges": ["Ann", "Ann", "Bob", "Bob"],
    "scores": [1.0, 2.0, 3.0, 5.0],
}


@pytest.mark.parametrize("seed", range(5))
def test_scores_are_means(seed: int) -> None:
    systems, segments, judges, scores = many(seed, 100)
    found = Judgments(systems, segments, judges, scores).scores()
    assert found.systems == tuple(dict.fromkeys(systems))
    assert found.segments == tuple(dict.fromkeys(segments))
    expected = oracle.cell_means(systems, segments, scores)
    assert 0 < np.isnan(found.values).sum() == found.values.size - len(expected)
    for (system, segment), mean in expected.items():
        cell = found.values[found.systems.index(system), found.segments.index(segment)]
        assert cell == pytest.approx(mean, abs=1e-12)


def test_scores_in_an_order() -> None:
    judgments = Judgments(**SMALL)
    found = judgments.scores(systems=["A", "C", "B"], segments=["1", "3", "2"])
    nan = np.nan
    values = [[5, nan, 2], [nan, nan, nan], [3, nan, 1]]
    assert found == SystemScores(values, ["A", "C", "B"], ["1", "3", "2"])
    assert judgments.scores(segments=range(1, 2)) == SystemScores([[3], [5]], ["B", "A"], ["1"])
    assert judgments.scores(systems=["A"]) == SystemScores([[2, 5]], ["A"], ["2", "1"])
    with pytest.raises(TypeError, match=r"segments\[1\]: expected str or int; got float"):
        judgments.scores(segments=[1, 2.5])
    with pytest.raises(ValueError, match=r"systems\[1\]: .* got 'A' again"):
        judgments.scores(systems=["A", "A"])


@pytest.mark.parametrize("seed", range(5))
def test_z_scores(seed: int) -> None:
    systems, segments, judges, scores = many(seed)
    judgments = Judgments(systems, segments, judges, scores)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = judgments.standardized()
    assert found.values == pytest.approx(oracle.z_scores(judges, scores), abs=1e-12)
    assert found.judge == judgments.judge and found.system == judgments.system
    given = judgments.standardized(judgments.norms())
    assert given == found
    for mean, deviation in found.norms().values():
        assert (mean, deviation) == (pytest.approx(0, abs=1e-14), pytest.approx(1))
    wide = judgments.norms(ddof=0)
    for judge, (mean, deviation) in judgments.norms().items():
        n = judges.count(judge)
        assert wide[judge] == (mean, pytest.approx(deviation * ((n - 1) / n) ** 0.5))
    assert judgments.standardized(ddof=0).norms(ddof=0)[judges[0]][1] == pytest.approx(1)


def test_given_norms() -> None:
    judgments = Judgments(**SMALL)
    found = judgments.standardized({"Bob": (3, 2.0), "Ann": [1.0, 0.5], "Cid": (0, 0)})
    assert found.values.tolist() == [0.0, 2.0, 0.0, 1.0]


@pytest.mark.parametrize("constant", [[0.1] * 3, [7.0]])
def test_judges_whose_scores_do_not_differ(constant: list[float]) -> None:
    n = len(constant)
    judgments = Judgments(
        ["A", "B", "C"] + ["A"] * n,
        [1, 1, 2] + [3] * n,
        ["Ann"] * 3 + ["Bob"] * n,
        [1, 2, 3, *constant],
        kinds=["x"] * 3 + ["y"] * n,
        documents=["d"] * 3 + ["e"] * n,
    )
    with pytest.warns(MetaWarning, match="left out the judgments of 'Bob'"):
        found = judgments.standardized()
    assert found.values.tolist() == [-1, 0, 1]
    assert found.judge.names == ("Ann",) and found.segment.names == ("1", "2")
    assert found.kind is not None and found.kind.names == ("x",)
    assert found.document is not None and found.document.names == ("d",)
    with pytest.warns(MetaWarning, match="left out the judgments of 'Ann'"):
        judgments.standardized({"Ann": (0, 0), "Bob": (0, 1)})
    assert judgments.norms()["Ann"] == (2, 1)
    assert judgments.norms()["Bob"][1] == 0 or n == 1


def test_judges_that_do_not_suffice() -> None:
    with pytest.warns(MetaWarning, match="'Ann' is the only judge"):
        Judgments(["A", "B"], [1, 1], ["Ann", "Ann"], [1, 3]).standardized()
    with pytest.raises(ValueError, match="expected a judge whose scores differ; got none"):
        Judgments(["A", "B"], [1, 1], ["Ann", "Bob"], [1, 3]).standardized()
    with pytest.raises(ValueError, match="ddof: expected at least 0"):
        Judgments(**SMALL).norms(ddof=-1)
    with pytest.raises(TypeError, match="ddof: expected int"):
        Judgments(**SMALL).standardized(ddof=1.5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("norms", "kind", "message"),
    [
        ({"Ann": (0, 1)}, ValueError, "expected a mean and a deviation of judge 'Bob'"),
        ({"Ann": 3, "Bob": (0, 1)}, TypeError, r"norms\['Ann'\]: expected a mean and"),
        ({"Ann": (0, -1), "Bob": (0, 1)}, ValueError, r"norms\['Ann'\]: .* got \(0, -1\)"),
        ({"Ann": (0, 1), "Bob": (np.nan, 1)}, ValueError, r"norms\['Bob'\]"),
        ([(0, 1)], TypeError, "norms: expected a dict of judges; got list"),
    ],
)
def test_bad_norms(norms: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        Judgments(**SMALL).standardized(norms)


def test_leveled_judges_have_one_distribution() -> None:
    systems, segments, judges, scores = many(3, 3000)
    shifted = [s / 5 - 3 * ord(j[-1]) for s, j in zip(scores, judges, strict=True)]
    judgments = Judgments(systems, segments, judges, shifted)
    quantile_normalized = judgments.quantile_normalized()
    everything = np.sort(judgments.values)
    for code in range(len(judgments.judge.names)):
        own, before = (
            j.values[judgments.judge.codes == code] for j in (quantile_normalized, judgments)
        )
        assert (np.argsort(own) == np.argsort(before)).all()
        for share in (0.1, 0.5, 0.9):
            assert np.quantile(own, share) == pytest.approx(np.quantile(everything, share), abs=0.1)
    again = quantile_normalized.quantile_normalized()
    assert again.values == pytest.approx(quantile_normalized.values, abs=0.1)


def test_leveled_scores_of_one_judge_stay() -> None:
    values = [3, 1, 1, 2, 5, 5, 5, 0.5]
    one = Judgments(["A"] * 8, list(range(8)), ["Ann"] * 8, values)
    assert one.quantile_normalized().values == pytest.approx(values, abs=1e-12)


def test_scales() -> None:
    judgments = Judgments(["A"] * 5, range(5), ["Ann"] * 5, [1, 2, 3, 4, 5])
    assert judgments.scaled().values.tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert judgments.scaled(0, 10).values.tolist() == [0.1, 0.2, 0.3, 0.4, 0.5]
    with pytest.raises(ValueError, match=r"scores\[0\]: expected a number from 2 to 5; got 1.0"):
        judgments.scaled(2, 5)
    with pytest.raises(ValueError, match=r"low: expected less than high, 1; got 1"):
        judgments.scaled(1, 1)


def test_adequacy_and_fluency() -> None:
    adequacy = Judgments(**SMALL, documents=["e", "e", "d", "d"])
    rows = [3, 0, 2, 1, 1]  # reordered, with one twice
    fluency = Judgments(
        *([SMALL[name][i] for i in rows] for name in ("systems", "segments", "judges")),
        [1.0, 2.0, 3.0, 4.0, 5.0],
    )
    both = average_judgments(adequacy, fluency)
    assert both.values.tolist() == [1.5, 3.25, 3.0, 3.0]
    assert both.system == adequacy.system and both.document == adequacy.document
    assert average_judgments(fluency, adequacy).values.tolist() == [3.0, 1.5, 3.0, 3.25]
    fewer = adequacy.select(judges=["Ann"])
    with pytest.raises(ValueError, match="fluency: expected a score of system 'B', segment '1'"):
        average_judgments(adequacy, fewer)
    with pytest.raises(ValueError, match=r"adequacy: expected a score of .* by judge 'Bob'"):
        average_judgments(fewer, fluency)


def test_selections() -> None:
    judgments = Judgments(**SMALL, kinds=["SYSTEM", "REF", "SYSTEM", "SYSTEM"])
    found = judgments.select(kinds=["SYSTEM"], systems=["A", "B"], judges=["Bob"])
    assert found == Judgments(["B", "A"], [1, 1], ["Bob", "Bob"], [3, 5], kinds=["SYSTEM"] * 2)
    assert judgments.select(segments=[2]).values.tolist() == [1, 2]
    later = Judgments(["A", "B", "A"], [1, 1, 2], ["Ann", "Bob", "Bob"], [1, 2, 3])
    assert later.select(judges=["Bob"]) == Judgments(["B", "A"], [1, 2], ["Bob"] * 2, [2, 3])
    for names, message in (
        ({"kinds": ["BAD"]}, r"kinds\[0\]: expected one of 'SYSTEM', 'REF'; got 'BAD'"),
        ({"documents": ["d"]}, "documents: the judgments have none"),
        ({"kinds": ["REF"], "judges": ["Bob"]}, "expected judgments that have these names"),
    ):
        with pytest.raises(ValueError, match=message):
            judgments.select(**names)


def test_judgments_are_compared_and_shown() -> None:
    judgments = Judgments(**SMALL)
    assert judgments == Judgments(**{**SMALL, "segments": np.array([2, 2, 1, 1])})
    for name, other in (
        ("scores", [1, 2, 3, 4]),
        ("judges", list("abcd")),
        ("systems", list("BABC")),
    ):
        assert judgments != Judgments(**{**SMALL, name: other})
    assert judgments != Judgments(**SMALL, kinds=["x"] * 4)
    assert judgments != judgments.select(judges=["Ann"]) and judgments != 3
    assert repr(judgments) == "Judgments(4 scores, 2 systems, 2 segments, 2 judges)"
    with pytest.raises(ValueError, match="read-only"):
        judgments.values[0] = 3
    with pytest.raises(ValueError, match="read-only"):
        judgments.scaled().values[0] = 3
    with pytest.raises(ValueError, match="read-only"):
        judgments.select(judges=["Ann"]).judge.codes[0] = 1


@pytest.mark.parametrize(
    ("changes", "kind", "message"),
    [
        ({"scores": []}, ValueError, "scores: expected at least one judgment"),
        ({"scores": [1, 2, 3, np.nan]}, ValueError, r"scores\[3\]: expected a finite number"),
        ({"scores": [1, "2", 3, 4]}, TypeError, r"scores\[1\]: expected a number; got str"),
        ({"scores": [1, None, 3, 4]}, TypeError, r"scores\[1\]: expected a number; got NoneType"),
        ({"systems": ["A"]}, ValueError, "systems: expected 4 names, one for each score; got 1"),
        ({"systems": "ABAB"}, TypeError, "systems: expected a sequence of names; got a single"),
        ({"judges": ["a", "", "b", "c"]}, ValueError, r"judges\[1\]: expected a name; got none"),
        ({"judges": ["a", 1.5, "b", "c"]}, TypeError, r"judges\[1\]: expected str or int; got flo"),
        ({"segments": [1, 2, True, 4]}, TypeError, r"segments\[2\]: expected str or int; got bool"),
        (
            {"documents": ["d", "d", "d", "e"]},
            ValueError,
            r"documents\[3\]: expected 'd', as segment '1' has before; got 'e'",
        ),
    ],
)
def test_bad_columns(changes: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        Judgments(**{**SMALL, **changes})
