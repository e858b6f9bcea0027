"""Settings selected on one half of the segments: halves, choices, documents, bad calls."""

import math
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU
from rapidbleu.meta import MetaWarning, correlate, fit_metric
from support.judged_scores import judged


@pytest.fixture(autouse=True)
def no_cautions() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MetaWarning)
        yield


def settings(seed: int, gaps: float = 0.0) -> tuple[Any, dict[str, Any]]:
    """Return human scores of 6 systems and 21 segments, and four settings with different noise."""
    human, _ = judged(seed, 6, 21, gaps=gaps)
    rng = np.random.default_rng(seed)
    noise = {"a": 3.0, "b": 0.3, "c": 1.0, "b again": 0.3}
    scores = {name: human + size * rng.normal(size=human.shape) for name, size in noise.items()}
    scores["b again"] = scores["b"]
    return human, scores


@pytest.mark.parametrize(
    ("statistic", "by", "options"),
    [
        ("pearson", "none", {}),
        ("kendall", "segment", {"epsilon": 0.1}),
        ("spearman", "means", {}),
        ("accuracy_eq", "system", {}),
        ("soft_accuracy", "means", {}),
        ("kendall_like", "segment", {"min_difference": 0.5}),
    ],
)
def test_the_best_of_one_half_is_tested_on_the_other(
    statistic: str, by: str, options: dict[str, float]
) -> None:
    human, metrics = settings(3, gaps=0.0 if statistic == "soft_accuracy" else 0.1)
    found = fit_metric(human, metrics, statistic, by, seed=5, **options)
    train, test = found.train_segments, found.test_segments
    assert (len(train), len(test)) == (10, 11)
    assert sorted([*train, *test]) == list(range(21))
    for name, scores in metrics.items():
        own = correlate(human[:, train], scores[:, train], statistic, by, **options)
        assert found.values[name] == own.value
    assert found.name == max(metrics, key=lambda name: found.values[name]) != "b again"
    expected = correlate(human[:, test], metrics[found.name][:, test], statistic, by, **options)
    assert found.test.value == expected.value
    assert found.train.value == found.values[found.name]
    assert (found.statistic, found.by, found.seed) == (statistic, by, 5)
    assert f"{found.name}: " in repr(found) and "on 11 segments, chosen from 4" in repr(found)


def test_seeds_and_progress() -> None:
    human, metrics = settings(4)
    seen: list[tuple[int, int]] = []
    first = fit_metric(human, metrics, progress=lambda *done: seen.append(done))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert first.seed == 12345
    assert first.train_segments.tolist() == fit_metric(human, metrics).train_segments.tolist()
    drawn = fit_metric(human, metrics, seed=None)
    again = fit_metric(human, metrics, seed=drawn.seed)
    assert again.train_segments.tolist() == drawn.train_segments.tolist()
    assert drawn.seed != fit_metric(human, metrics, seed=None).seed


def test_documents_stay_together() -> None:
    human, metrics = settings(5)
    documents = [f"d{i // 3}" for i in range(21)]
    found = fit_metric(human, metrics, documents=documents)
    halves = [{documents[i] for i in own} for own in (found.train_segments, found.test_segments)]
    assert not halves[0] & halves[1]
    assert [len(own) for own in halves] == [3, 4]
    numbers = fit_metric(human, metrics, documents=[i // 3 for i in range(21)])
    assert numbers.train_segments.tolist() == found.train_segments.tolist()


def test_segments_without_a_human_score_are_in_no_half() -> None:
    human, metrics = settings(6)
    human[:, 4:15] = math.nan
    found = fit_metric(human, metrics)
    both = [*found.train_segments.tolist(), *found.test_segments.tolist()]
    assert sorted(both) == [0, 1, 2, 3, *range(15, 21)]


def test_scores_of_systems_are_computed_for_each_half() -> None:
    rng = np.random.default_rng(1)
    words = np.array([*"abcdefgh"])
    references = [" ".join(words[rng.integers(8, size=9)]) for _ in range(20)]
    outputs = {
        name: [" ".join(words[rng.integers(8, size=9)]) for _ in references] for name in "ABCDE"
    }
    human = {name: rng.normal(size=20) for name in outputs}
    metrics = {f"n={n}": BLEU(max_ngram_order=n, smooth_method="add-k") for n in (1, 2, 3)}

    def corpus_scores(metric: BLEU, segments: Any) -> dict[str, float]:
        chosen = [references[i] for i in segments]
        return {
            name: metric.corpus_score([texts[i] for i in segments], [chosen]).score
            for name, texts in outputs.items()
        }

    given = {
        name: lambda segments, metric=metric: corpus_scores(metric, segments)
        for name, metric in metrics.items()
    }
    found = fit_metric(human, given, by="means")
    for half, own in ((found.train_segments, found.train), (found.test_segments, found.test)):
        people = {name: scores[half] for name, scores in human.items()}
        scores = corpus_scores(metrics[found.name], half)
        assert own.value == correlate(people, scores, by="means").value
    with pytest.raises(TypeError, match=r"^metrics\['n=1'\]: expected scores of segments; got a"):
        fit_metric(human, given, by="segment")


def test_settings_without_a_value_are_never_chosen() -> None:
    human, metrics = settings(8)
    flat = np.zeros_like(human)
    assert fit_metric(human, {"flat": flat, "a": metrics["a"]}).name == "a"
    with pytest.raises(ValueError, match=r"^metrics: expected one with a value of 'pearson'; got"):
        fit_metric(human, {"flat": flat})


BAD: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"metrics": {}}, ValueError, "^metrics: expected at least one; got none$"),
    ({"metrics": [[1, 2]]}, TypeError, "^metrics: expected a mapping; got list$"),
    ({"metrics": {"a": [[1, 2, 3]]}}, ValueError, r"^metrics\['a'\]: expected 2 systems x 2 seg"),
    ({"metrics": {"a": [1, 2]}, "by": "means"}, TypeError, r"^metrics\['a'\]: expected scores of"),
    ({"statistic": "r"}, ValueError, "^statistic: expected one of pearson, r2, .*; got 'r'$"),
    ({"by": "mean"}, ValueError, "^by: expected one of none, segment, .*; got 'mean'$"),
    ({"seed": -1}, ValueError, "^seed: expected at least 0; got -1$"),
    ({"seed": 1.5}, TypeError, "^seed: expected int; got float$"),
    ({"documents": ["d"]}, ValueError, "^documents: expected 2, one for each segment; got 1$"),
    ({"documents": ["d", "d"]}, ValueError, "^documents: expected at least two judged documents; "),
    ({"documents": "dd"}, TypeError, "^documents: expected a sequence of names; got a single str$"),
    ({"documents": [1.5, 2]}, TypeError, r"^documents\[0\]: expected str or int; got float$"),
    ({"human": [[1], [2]]}, ValueError, "^human: expected at least two judged segments; got 1$"),
    ({"human": [[None, None], [None, None]]}, ValueError, "^human: .* judged segments; got 0$"),
    ({"progress": 1}, TypeError, "^progress: "),
]


@pytest.mark.parametrize(("changed", "error", "message"), BAD)
def test_bad_calls(changed: dict[str, Any], error: type[Exception], message: str) -> None:
    scores = [[1.0, 2.0], [3.0, 5.0]]
    given: dict[str, Any] = {"human": scores, "metrics": {"a": scores}} | changed
    with pytest.raises(error, match=message):
        fit_metric(**given)
