"""Lists for judging tuning methods: seeds only, no leaks, correct descriptions."""

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, TER
from rapidbleu.tuning import mira
from support.places import REPO
from support.selection import few

pytest.importorskip("scipy")
pytestmark = pytest.mark.skipif(not (REPO / "bench").is_dir(), reason="bench is not shipped here")


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    monkeypatch.syspath_prepend(REPO)
    monkeypatch.setenv("RAPIDBLEU_DATA", str(REPO / "no data"))
    return lambda name: importlib.import_module(f"bench.{name}")


@pytest.fixture
def texts(bench) -> tuple[list[str], list[list[str]]]:
    systems = bench("harness.corpora").Corpora(30, n_systems=4).systems
    return systems[0].references[0], [system.hypotheses for system in systems]


@pytest.fixture
def make(bench, texts) -> Callable[..., Any]:
    lists, words = bench("lists.tuning_lists"), bench("lists.nbest_texts").Words
    recipes = {recipe.name: recipe for recipe in lists.RECIPES}

    def made(name: str, references: list[str] = texts[0]) -> Any:
        return lists.make(recipes[name], words(references, texts[1]))

    return made


def dense(matrix: Any) -> Any:
    return matrix.toarray() if hasattr(matrix, "toarray") else matrix


NAMES = (
    "small",
    "usual",
    "outputs only",
    "deep",
    "good systems",
    "bad systems",
    "many features",
    "sparse",
    "chrF",
    "TER",
)


@pytest.mark.parametrize("name", NAMES)
def test_lists_depend_on_their_seeds_only(make, name: str) -> None:
    first, again = make(name), make(name)
    np.testing.assert_array_equal(dense(first.nbest.features), dense(again.nbest.features))
    np.testing.assert_array_equal(first.nbest.stats, again.nbest.stats)
    np.testing.assert_array_equal(first.nbest.offsets, again.nbest.offsets)
    np.testing.assert_array_equal(first.start, again.start)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("segment", [0, 29])
def test_features_know_nothing_of_the_reference(make, texts, name: str, segment: int) -> None:
    """Features of the other half change, because their language models use the reference."""
    references = list(texts[0])
    references[segment] = "Xyzzy " + " ".join(reversed(references[segment].split()))
    before, after = make(name).nbest, make(name, references).nbest
    own = slice(*before.offsets[segment : segment + 2])
    other = slice(0, before.offsets[15]) if segment >= 15 else slice(before.offsets[15], None)
    assert (before.stats[own] != after.stats[own]).any()
    old, new = dense(before.features), dense(after.features)
    np.testing.assert_array_equal(old[own], new[own])
    assert (old[other] != new[other]).any()
    changed = {before.names[i] for i in np.flatnonzero((old != new).any(axis=0))}
    assert changed and all(name.startswith("lm") for name in changed)


def test_hypotheses_of_a_segment_differ(bench, texts) -> None:
    module = bench("lists.nbest_texts")
    words = module.Words(*texts)
    drawn = module.Drawn(words, range(30), [0, 2], 25, 0.5, seed=3)
    assert drawn.offsets.tolist() == list(range(0, 751, 25))
    for segment, start in enumerate(drawn.offsets[:-1]):
        hypotheses = drawn.hypotheses[start : start + 25]
        assert len(set(hypotheses)) == 25
        outputs = [words.joined(words.outputs[system][segment]) for system in (0, 2)]
        assert hypotheses[:2] == outputs


def test_made_systems_make_mistakes_together(bench) -> None:
    corpora, module = bench("harness.corpora"), bench("lists.nbest_texts")
    words, again = (module.Words.of(corpora.Corpora(40, n_systems=4)) for _ in range(2))
    assert words.outputs == again.outputs
    outputs = [[words.joined(text) for text in texts] for texts in words.outputs]
    references = [words.joined(text) for text in words.references]
    metric = BLEU(tokenize="none", force=True)
    same, other = (metric.corpus_score(outputs[3], [outputs[k]]).score for k in (0, 1))
    assert same > 2 * other
    assert other > metric.corpus_score(outputs[3], [references[::-1]]).score + 5


def test_ngram_models_give_probabilities(bench) -> None:
    texts, features = bench("lists.nbest_texts").Texts, bench("lists.nbest_features")
    model = features._NgramModel(texts([[1, 2, 3], [1, 3, 1]], [0, 0]), 2)
    total = sum(
        np.exp(model.logs(texts([[1, word] if word else [1]], [0]))[1][1]) for word in range(5)
    )
    assert total == pytest.approx(1)  # the end, three known words, an unknown one


def test_lists_differ(bench) -> None:
    recipes = bench("lists.tuning_lists").RECIPES
    assert tuple(recipe.name for recipe in recipes) == NAMES
    assert len({recipe.seed for recipe in recipes}) == len(recipes)
    for of, least, most in (("n_segments", 100, 3000), ("n_best", 16, 1000), ("n_sparse", 0, 1000)):
        values = [getattr(recipe, of) for recipe in recipes]
        assert (min(values), max(values)) == (least, most)


@pytest.fixture
def list_case(bench, make) -> Callable[[str, str], Any]:
    def made(topic: str, name: str) -> Any:
        one, module = make(name), bench(f"topics.tuning.{topic}")
        methods = module.methods(one), module.checked(one)
        return bench("lists.held_out").ListCase(topic, one, *methods, 6, {})

    return made


@pytest.mark.parametrize(
    ("topic", "method"), [("generalisation", "start"), ("cures", "mean of ends")]
)
def test_scores_that_numpy_does_not_find_are_a_difference(
    bench, list_case, monkeypatch, topic: str, method: str
) -> None:
    case = list_case(topic, "small")
    assert case.check() == 8
    monkeypatch.setattr(bench("lists.held_out"), "numpy_score", lambda *_: 0.0)
    expected = f"{topic}, small, {method}: rapidbleu scores"
    with pytest.raises(bench("harness.measure").Difference, match=expected):
        case.check()


@pytest.mark.parametrize("topic", few(["generalisation", "cures"], ["generalisation"]))
@pytest.mark.parametrize("name", few(["small", "sparse", "TER"], ["small"]))
def test_gains_are_above_0_where_a_method_is_better(
    bench, list_case, monkeypatch, topic: str, name: str
) -> None:
    quick = bench("harness.measure").QUICK
    monkeypatch.setattr(bench("topics.tuning.generalisation"), "_OTHERS", {"mira": mira})
    case = list_case(topic, name)
    records = case.measure(quick)
    base = records[0].scores["test"]
    sign = -1 if isinstance(case.one.nbest.metric, TER) else 1
    for record in records:
        assert record.topic == topic
        assert record.scores["gain"] == pytest.approx(sign * (record.scores["test"] - base))
        assert record.turns == 2 and not record.headline
    means = bench("lists.held_out").MeanCase(topic, case.gains).measure(quick)
    assert [record.scores["gain"] for record in means] == [
        record.scores["gain"] for record in records
    ]
    assert means[1].scores["least gain"] == records[1].scores["gain"]
    gains = [record.scores["gain"] for record in records]
    assert means[0].scores["from best rival"] == -max(gains[1:])
    [first, *_] = (
        bench("lists.held_out")
        .MeanCase(topic, case.gains, [records[0].job, records[1].job])
        .measure(quick)
    )
    assert first.scores["from best rival"] == -gains[1]
