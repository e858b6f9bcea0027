"""What references do to a metric: every set by hand, leaving out, human translations, bad calls."""

import warnings
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, METEOR, TER, MeanScore
from rapidbleu.meta import FIGURES, MetaWarning, SystemScores, correlate
from rapidbleu.meta.effects import ReferenceEffect
from rapidbleu.meta.references import reference_effects
from reference.meta import references as oracle

N = 12
_RNG = Random("references")
_WORDS = [f"w{i}" for i in range(30)]


def edited(text: list[str], share: float) -> list[str]:
    """The text with some of its words replaced."""
    return [_RNG.choice(_WORDS) if _RNG.random() < share else word for word in text]


_TEXTS = [_RNG.choices(_WORDS, k=_RNG.randint(8, 20)) for _ in range(N)]
REFERENCES = {
    name: [edited(text, share) for text in _TEXTS]
    for name, share in (("ref-A", 0.1), ("ref-B", 0.2), ("ref-C", 0.6))
}
SYSTEMS = {
    f"S{i}": [edited(text, 0.1 + 0.05 * i) for text in _TEXTS] for i in range(11)
}
HUMANS = {"ref-B": REFERENCES["ref-B"], "ref-C": REFERENCES["ref-C"]}
SCORES = {name: 5.0 - i + _RNG.random() for i, name in enumerate([*SYSTEMS, *HUMANS])}
MATRIX = {name: [SCORES[name] + _RNG.random() for _ in range(N)] for name in SCORES}


def few(scores: dict[str, Any]) -> dict[str, Any]:
    return {name: scores[name] for name in SYSTEMS}


def test_every_set_by_hand() -> None:
    everyone = {**SYSTEMS, **HUMANS}
    found = reference_effects(everyone, REFERENCES, SCORES)
    expected = oracle.effects(everyone, REFERENCES, SCORES)
    assert [effect.references for effect in found] == list(expected) and len(found) == 7
    for effect in found:
        assert effect.value == pytest.approx(expected[effect.references], abs=1e-12)
        assert list(effect.scores) == [name for name in everyone if name not in effect.references]
        assert list(effect.without) == list(effect.scores)
    assert (found.metric, found.figure, found.by) == ("BLEU", "pearson", "means")


def test_leaving_out() -> None:
    """The value without a system is that of a call without it."""
    found = reference_effects(SYSTEMS, REFERENCES, few(SCORES), sizes=[2])
    for name in ("S0", "S7"):
        others = {other: texts for other, texts in SYSTEMS.items() if other != name}
        human = {other: SCORES[other] for other in others}
        less = reference_effects(others, REFERENCES, human, sizes=[2])
        assert [effect.without[name] for effect in found] == [effect.value for effect in less]
    effect = found["ref-C", "ref-A"]
    assert effect is found.effects[1]
    gaps = {name: abs(value - effect.value) for name, value in effect.without.items()}
    assert effect.outlier == max(gaps, key=lambda name: gaps[name])


def test_an_outlier() -> None:
    """A system that people like and BLEU does not: without it the metric is right."""
    human = few(SCORES) | {"other words": 6.0}
    systems = SYSTEMS | {"other words": [edited(text, 0.9) for text in _TEXTS]}
    found = reference_effects(systems, REFERENCES, human)
    for effect in found:
        assert effect.outlier == "other words"
        assert effect.without["other words"] > effect.value + 0.2
    text = repr(found).splitlines()
    assert text[0] == "BLEU, pearson by means"
    assert text[1] == f"{'references':21}   value"
    effect = found["ref-A"]
    assert text[2] == (
        f"{'ref-A':21}  {effect.value:6.3f}  {effect.without['other words']:6.3f} "
        "without other words"
    )
    assert len(text) == 9


def test_outliers_to_both_sides() -> None:
    scores = {"X": 20.0, "Y": 21.0}
    assert ReferenceEffect(("A",), scores, 0.5, {"X": 0.6, "Y": 0.1}).outlier == "Y"
    assert ReferenceEffect(("A",), scores, 0.5, {"X": 0.6, "Y": 0.45}).outlier == "X"


def test_by_size() -> None:
    found = reference_effects(SYSTEMS, REFERENCES, few(SCORES))
    for size, (low, mean, high) in found.by_size().items():
        values = [effect.value for effect in found if len(effect.references) == size]
        assert (low, high) == (min(values), max(values))
        assert mean == pytest.approx(sum(values) / len(values))
    assert list(found.by_size()) == [1, 2, 3]


@pytest.mark.parametrize("by", ["none", "segment", "system"])
def test_segments(by: str) -> None:
    bleu = BLEU(effective_order=True)
    found = reference_effects(SYSTEMS, REFERENCES, few(MATRIX), bleu, figure="kendall", by=by)
    for names in combinations(REFERENCES, 2):
        given = [REFERENCES[name] for name in names]
        own = {name: bleu.segment_scores(texts, given) for name, texts in SYSTEMS.items()}
        assert found[names].value == correlate(few(MATRIX), own, "kendall", by).value
        expected = bleu.corpus_score(SYSTEMS["S3"], given).score
        assert found[names].scores["S3"] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("figure", FIGURES)
def test_figures(figure: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MetaWarning)
        found = reference_effects(SYSTEMS, REFERENCES, few(MATRIX), figure=figure, sizes=[3])
        given = list(REFERENCES.values())
        own: dict[str, Any] = {}
        for name, texts in SYSTEMS.items():
            own[name] = BLEU().corpus_score(texts, given).score
            if figure == "soft_accuracy":
                own[name] = BLEU().segment_scores(texts, given)
        expected = correlate(few(MATRIX), own, figure, "means").value
    assert found.effects[0].value == pytest.approx(expected, abs=0.0, nan_ok=True)


def test_forms_of_human_scores() -> None:
    expected = reference_effects(SYSTEMS, REFERENCES, few(SCORES), sizes=[1])
    numbers = [SCORES[name] for name in SYSTEMS]
    turned = dict(reversed(few(SCORES).items()))
    column = SystemScores([[number] for number in numbers], list(SYSTEMS))
    for human in (numbers, np.array(numbers), turned, column, np.array(numbers)[:, np.newaxis]):
        found = reference_effects(SYSTEMS, REFERENCES, human, sizes=[1])  # type: ignore[arg-type]
        assert [effect.value for effect in found] == [effect.value for effect in expected]
    pairs = list(SYSTEMS.items())
    found = reference_effects(pairs, REFERENCES, numbers, sizes=[1], threads=2)
    assert [effect.without for effect in found] == [effect.without for effect in expected]


def test_error_rates_are_negated() -> None:
    texts = {name: [" ".join(words) for words in own] for name, own in SYSTEMS.items()}
    given = {name: [" ".join(words) for words in own] for name, own in REFERENCES.items()}
    ter, meteor = TER(), METEOR(modules=["exact"])
    found = reference_effects(texts, given, few(SCORES), ter, sizes=[1])
    assert found["ref-A"].value > 0.8
    scores = {name: ter.corpus_score(own, [given["ref-A"]]).score for name, own in texts.items()}
    assert found["ref-A"].scores == pytest.approx(scores)
    plain = correlate(few(SCORES), scores, by="means").value
    assert found["ref-A"].value == pytest.approx(-plain)
    assert reference_effects(texts, given, few(SCORES), meteor, sizes=[3]).effects[0].value > 0.5


def test_progress_and_sizes() -> None:
    done: list[tuple[int, int]] = []
    found = reference_effects(
        SYSTEMS, REFERENCES, few(SCORES), sizes=[3, 1],
        progress=lambda *counts: done.append(counts),
    )  # fmt: skip
    assert [len(effect.references) for effect in found] == [1, 1, 1, 3]
    assert done == [(1, 4), (2, 4), (3, 4), (4, 4)]
    with pytest.raises(KeyError):
        found["ref-A", "ref-B"]


def test_streams_with_gaps() -> None:
    gaps = {"A": ["a b c d e", None], "B": [None, "f g h i j"]}
    systems = {"X": ["a b c d x", "f g h i j"], "Y": ["a b c d e", "x g h x j"]}
    human = [[1.0, 2.0], [2.0, 1.0]]
    found = reference_effects(systems, gaps, human, sizes=[2], by="none")
    assert found.effects[0].references == ("A", "B")
    with pytest.raises(ValueError, match=r"references 'A': .*segment 1 has no reference"):
        reference_effects(systems, gaps, human, by="none")


def test_few_systems() -> None:
    """A warning once for each set, none for those without a system; nan of one alone."""
    systems = {name: SYSTEMS[name] for name in ("S0", "S5")}
    human = {name: SCORES[name] for name in systems}
    with pytest.warns(MetaWarning, match="2 systems, fewer than 10") as found:
        effects = reference_effects(systems, {"A": REFERENCES["ref-A"]}, human)
    assert len(found) == 1
    assert np.isnan(list(effects.effects[0].without.values())).all()
    assert effects.effects[0].outlier is None
    alone = {"ref-A": REFERENCES["ref-A"], "S0": SYSTEMS["S0"]}
    one = reference_effects(alone, {"ref-A": REFERENCES["ref-A"]}, [1.0, 2.0])
    assert np.isnan(one.effects[0].value) and one.by_size() == {}
    assert "nan" in repr(one)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"references": {}}, ValueError, "references: expected at least one, got none"),
        ({"references": [["a"]]}, TypeError, "references: expected a dict of names and streams"),
        ({"references": {1: ["a"]}}, TypeError, "references: expected names, got int"),
        ({"references": {"A": ["a"]}}, ValueError, "expected 12 segments, as many as hypotheses"),
        ({"references": {"A": "a"}}, TypeError, "references 'A': "),
        ({"systems": {"S0": SYSTEMS["S0"]}}, ValueError, "systems: expected at least two"),
        ({"systems": {**SYSTEMS, "S3": [5] * N}}, TypeError, r"systems\['S3'\]: hypotheses"),
        ({"human": {"S0": 1.0}}, ValueError, "human: expected scores of system 'S1', got none"),
        ({"human": few(SCORES) | {"T": 1.0}}, ValueError, "human: got scores of 'T'"),
        ({"human": [1.0, 2.0]}, ValueError, "human: expected scores of 11 systems, got 2 systems"),
        ({"human": few(SCORES), "by": "segment"}, TypeError, "human"),
        ({"metric": "BLEU"}, TypeError, "metric: expected a metric, got str"),
        ({"metric": MeanScore()}, TypeError, "reads no text"),
        ({"figure": "tau"}, ValueError, "figure: expected one of"),
        ({"by": "mean"}, ValueError, "by: expected one of"),
        ({"sizes": [4]}, ValueError, r"sizes\[0\]: expected at most 3, got 4"),
        ({"sizes": [0]}, ValueError, r"sizes\[0\]: expected at least 1, got 0"),
        ({"sizes": []}, ValueError, "sizes: expected at least one, got none"),
        ({"most": 6}, ValueError, "references: expected at most 6 sets, got 7"),
        ({"most": 0}, ValueError, "most: expected at least 1"),
        ({"threads": -1}, ValueError, "threads"),
    ],
)
def test_bad_calls(change: dict[str, Any], error: type[Exception], message: str) -> None:
    arguments: dict[str, Any] = {
        "systems": SYSTEMS, "references": REFERENCES, "human": few(SCORES), **change
    }  # fmt: skip
    with pytest.raises(error, match=message):
        reference_effects(**arguments)
