"""fastchrf's functions compared with fastchrf, and aggregates with counts by hand."""

from collections import Counter
from random import Random
from typing import Any

import pytest

from rapidbleu import CHRF
from rapidbleu.adapters import fastchrf as ours
from rapidbleu.adapters.fastchrf import aggregate_chrf, pairwise_chrf
from support.corpora import random_segments
from support.typed import assert_identical

RNG = Random("fastchrf")
OPTIONS: list[dict[str, Any]] = [
    {},
    {"eps_smoothing": True},
    {"remove_whitespace": False},
    {"char_order": 1, "beta": 0.0},
    {"char_order": 3, "beta": 0.7, "eps_smoothing": True},
    {"char_order": 40, "beta": 3},
    {"beta": 0, "eps_smoothing": True, "remove_whitespace": False},
]


def text() -> str:
    """Draw few letters, often too few for an order."""
    letters = RNG.choice(["ab", "abcd \u00e9\u3000", "\U0001f600\u4e00 \n"])
    return "".join(RNG.choices(letters, k=RNG.choice([0, 1, 2, 3, 5, 20, 90])))


BATCHES = [
    tuple([[text() for _ in range(RNG.randint(1, 5))] for _ in range(3)] for _ in range(2))
    for _ in range(60)
]
LONG = [[[*random_segments(RNG, 12, kind="german")] for _ in range(2)] for _ in range(2)]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("name", ours.__all__)
def test_scores_are_those_of_fastchrf(name: str, options: dict[str, Any]) -> None:
    peer = getattr(pytest.importorskip("fastchrf"), name)
    for hypotheses, references in (*BATCHES, LONG):
        found = getattr(ours, name)(hypotheses, references, **options)
        assert_identical(found, peer(hypotheses, references, **options))
        in_order = {"char_order": 6, "beta": 2.0, "remove_whitespace": True, "eps_smoothing": False}
        values = (in_order | options).values()
        assert getattr(ours, name)(hypotheses, references, *values) == found


def test_aggregates_are_scores_of_added_counts() -> None:
    metric = CHRF(char_order=4)
    for hypotheses, references in BATCHES:
        expected = []
        for hyps, refs in zip(hypotheses, references, strict=True):
            rows = []
            for hyp in hyps:
                row: list[int] = []
                for n in range(1, 5):
                    sides = []
                    for own in ([hyp] * len(refs), refs):
                        letters = ["".join(each.split()) for each in own]
                        grams = [each[i : i + n] for each in letters for i in range(len(each))]
                        sides.append(Counter(gram for gram in grams if len(gram) == n))
                    ours, theirs = sides
                    n_hyp = ours.total() if theirs else 0
                    row += [n_hyp, theirs.total(), (ours & theirs).total()]
                rows.append(row)
            expected.append([metric.score(row).score for row in rows])
        assert aggregate_chrf(hypotheses, references, 4) == expected


def test_the_example_of_the_paper_s_program() -> None:
    hyps = ["The cat sat on the mat.", "The cat sat on the hat."]
    refs = ["The cat sat on the mat.", "The fat cat sat on the mat.", "A cat sat on a mat."]
    assert [round(score, 2) for score in aggregate_chrf([hyps], [refs])[0]] == [78.56, 63.37]
    means = CHRF().mbr(hyps, refs).tolist()
    assert [round(score, 2) for score in means] == [76.80, 62.51]
    pairs = pairwise_chrf([hyps], [refs])[0]
    assert [sum(scores) / 3 for scores in pairs] == pytest.approx(means, rel=1e-14)


@pytest.mark.parametrize("name", ours.__all__)
@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (([], []), {}, ValueError, "hypotheses: expected lists of at least one text; got none"),
        (([["a"]], [[]]), {}, ValueError, "references: expected lists of at least one text"),
        (([["a"]], [["a"], ["b"]]), {}, ValueError, "references: expected 1, as many as hyp"),
        ((["a"], ["a"]), {}, TypeError, r"hypotheses\[0\]: expected a sequence .* single str"),
        (("a", ["a"]), {}, TypeError, r"hypotheses: expected a sequence .* single str"),
        (([["a"]], [["a", None]]), {}, TypeError, r"references\[0\]\[1\]: expected str; got None"),
        (([["a"]], [["a"]]), {"char_order": 0}, ValueError, "char_order, .*: expected one of them"),
        (([["a"]], [["a"]]), {"beta": "2"}, TypeError, "beta: expected a number; got str"),
        (([["a"]], [["a"]]), {"remove_whitespace": "no"}, TypeError, "remove_whitespace: expected"),
        (([["a"]], [["a"]]), {"eps_smoothing": "no"}, TypeError, "eps_smoothing: expected"),
    ],
)
def test_wrong_input_is_refused(
    name: str, arguments: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        getattr(ours, name)(*arguments, **options)
