"""Oracle selection, and searches for the minimum score: TER selects like -TER."""

import itertools
import random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CHRF, TER, RunningScore, SegmentScores, WeightedSum, select_oracle
from rapidbleu.oracle import select_by_stats, select_greedily
from rapidbleu.score import RowScoring
from rapidbleu.tuning import NBestList, line_search, mert, mira, pro, tune_repeatedly

BLEUS = [BLEU(), BLEU(smooth_method="none", max_ngram_order=2), BLEU(effective_order=True)]


def lists(seed: int, n_segments: int, most: int) -> tuple[list[list[str]], list[list[str]]]:
    rng = random.Random(seed)

    def text() -> str:
        return " ".join(rng.choice("abcd") for _ in range(rng.randint(1, 9)))

    nbest = [[text() for _ in range(rng.randint(1, most))] for _ in range(n_segments)]
    return nbest, [[text() for _ in nbest]]


def offsets_of(nbest: list[list[str]]) -> list[int]:
    return list(itertools.accumulate(map(len, nbest), initial=0))


def best_of_all(metric: BLEU, nbest: list[list[str]], references: list[list[str]]) -> float:
    return max(metric.corpus_score(hyps, references).score for hyps in itertools.product(*nbest))


@pytest.mark.parametrize("metric", BLEUS, ids=range(len(BLEUS)))
@pytest.mark.parametrize("seed", range(12))
def test_finds_the_best_of_small_corpora(metric: BLEU, seed: int) -> None:
    nbest, references = lists(seed, 4, 4)
    oracle = select_oracle(nbest, references, metric=metric, restarts=30)
    assert oracle.score.score == best_of_all(metric, nbest, references)


@pytest.mark.parametrize("metric", BLEUS, ids=range(len(BLEUS)))
def test_result_is_a_local_optimum(metric: BLEU) -> None:
    nbest, references = lists(7, 60, 12)
    rows, offsets = metric.nbest_stats(nbest, references), offsets_of(nbest)
    oracle = select_by_stats(metric, rows, offsets, restarts=2)
    chosen = [several[k] for several, k in zip(nbest, oracle.choices, strict=True)]
    running = metric.running(references, chosen)
    assert oracle.score.score == running.score == metric.corpus_score(chosen, references).score
    assert running.score_if_all(rows, offsets).max() <= running.score
    first = metric.corpus_score([several[0] for several in nbest], references).score
    assert oracle.score.score >= max(first, select_greedily(metric, rows, offsets).score.score)


def test_greedy_selection_takes_the_best_so_far() -> None:
    metric = BLEU()
    nbest, references = lists(3, 20, 6)
    rows, offsets = metric.nbest_stats(nbest, references), offsets_of(nbest)
    total = np.zeros(rows.shape[1], np.int64)
    choices = []
    for begin, end in itertools.pairwise(offsets):
        scores = [metric.score(total + row).score for row in rows[begin:end]]
        choices.append(scores.index(max(scores)))
        total += rows[begin + choices[-1]]
    oracle = select_greedily(metric, rows, offsets)
    assert oracle.choices.tolist() == choices
    assert oracle.score.score == metric.score(total).score


def test_seed_decides_alone() -> None:
    nbest, references = lists(11, 40, 8)
    found = {
        seed: [
            tuple(select_oracle(nbest, references, restarts=3, seed=seed).choices) for _ in range(2)
        ]
        for seed in (0, 1)
    }
    assert all(one == two for one, two in found.values())
    flat = [hyp for several in nbest for hyp in several]
    same = select_oracle(flat, references, offsets=offsets_of(nbest), restarts=3, seed=0, threads=2)
    assert tuple(same.choices) == found[0][0]
    drawn = select_oracle(nbest, references, restarts=3, seed=None)
    again = select_oracle(nbest, references, restarts=3, seed=drawn.seed)
    assert drawn.seed is not None and drawn.choices.tolist() == again.choices.tolist()
    assert "40 segments" in repr(same)


@pytest.mark.parametrize(
    ("offsets", "error", "message"),
    [
        ([0], ValueError, "expected 2 items"),
        ([], ValueError, "expected 2 items"),
        ([[0, 3]], ValueError, "one dimension"),
        ([0.0, 3.0], TypeError, "expected integers"),
        ([0, 2], ValueError, "expected 3, the number of hypotheses"),
        ([1, 3], ValueError, r"offsets\[0\]: expected 0"),
        ([0, 3, 3], ValueError, r"offsets\[2\]: expected at least one hypothesis of segment 1"),
        ([0, 2, 1, 3], ValueError, r"offsets\[2\]: expected at least 2"),
    ],
)
def test_bad_offsets(offsets: list[int], error: type[Exception], message: str) -> None:
    rows = BLEU().nbest_stats([["a", "b", "c"]], [["a"]])
    for select in (select_by_stats, select_greedily):
        with pytest.raises(error, match=message):
            select(BLEU(), rows, offsets)


def test_other_bad_input() -> None:
    rows = BLEU().nbest_stats([["a", "b", "c"]], [["a"]])
    for select in (select_by_stats, select_greedily):
        with pytest.raises(ValueError, match="expected shape"):
            select(BLEU(), rows[:, :9], [0, 3])
        with pytest.raises(TypeError, match="expected integers"):
            select(BLEU(), rows * 0.5, [0, 3])
        with pytest.raises(ValueError, match="expected a count"):
            select(BLEU(), -rows, [0, 3])
    with pytest.raises(ValueError, match="restarts: expected at least 0; got -1"):
        select_by_stats(BLEU(), rows, [0, 3], restarts=-1)
    with pytest.raises(TypeError, match="restarts: expected int; got str"):
        select_by_stats(BLEU(), rows, [0, 3], restarts="2")  # type: ignore[arg-type]


def test_empty_list_of_a_segment() -> None:
    with pytest.raises(ValueError, match=r"^hypotheses\[1\]: expected at least one"):
        select_oracle([["a"], []], [["a", "b"]])


# Metrics whose lowest score is best: every search of TER selects like a search of -TER.
TURNED = WeightedSum([TER()], [-1])


def made_list(metric: RowScoring) -> NBestList:
    """Return a list of sentences with various errors, and features that correlate with them."""
    random = np.random.default_rng(7)
    words = list("abcdefghij")
    references = [" ".join(random.choice(words, 8)) for _ in range(12)]
    hypotheses, features = [], []
    for reference in references:
        own = []
        for _ in range(6):
            tokens = reference.split()
            wrong = int(random.integers(0, 5))
            for place in random.choice(8, wrong, replace=False):
                tokens[place] = "x"
            own.append(" ".join(tokens))
            features.append([wrong + random.normal(), random.normal(), float(len(set(tokens)))])
        hypotheses.append(own)
    rows = TER().nbest_stats(hypotheses, [references])
    return NBestList(features, rows, np.arange(0, 73, 6), metric=metric)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [(BLEU(), True), (CHRF(), True), (TER(), False), (SegmentScores(), True), (TURNED, True)],
)
def test_metrics_say_which_score_is_better(metric: RowScoring, expected: bool) -> None:
    assert metric.higher_is_better is expected


def test_best_of() -> None:
    nbest = made_list(TER())
    running = RunningScore(TER(), nbest.stats[nbest.offsets[:-1]])
    for i, (begin, end) in enumerate(itertools.pairwise(nbest.offsets)):
        rows = nbest.stats[begin:end]
        scores = running.score_if(i, rows)
        assert running.best_of(i, rows) == (int(scores.argmin()), scores.min())


def test_oracles() -> None:
    nbest = made_list(TER())
    for select in (select_by_stats, select_greedily):
        found = select(TER(), nbest.stats, nbest.offsets)
        turned = select(TURNED, nbest.stats, nbest.offsets)
        assert found.choices.tolist() == turned.choices.tolist()
        assert found.score.score == -turned.score.score < TER().score(nbest.stats).score


def test_oracle_of_text() -> None:
    found = select_oracle([["a b", "a x"], ["c x", "c d"]], [["a b", "c d"]], metric=TER())
    assert (found.choices.tolist(), found.score.score) == ([0, 1], 0.0)


@pytest.mark.parametrize(
    "options", [{}, {"smooth": ("mean", 2)}, {"smooth": ("min", 1)}, {"moses_compat": True}]
)
def test_line_search(options: Any) -> None:
    found, turned = (
        line_search(made_list(metric), [1.0, 0.2, 0.1], [1.0, 0, 0], **options)
        for metric in (TER(), TURNED)
    )
    assert (found.x, found.interval, found.score) == (turned.x, turned.interval, -turned.score)
    assert found.boundaries.tolist() == turned.boundaries.tolist()
    assert found.scores.tolist() == (-turned.scores).tolist()
    assert options or found.score == found.scores.min()


def call_pro(nbest: NBestList, **_: Any) -> Any:
    pytest.importorskip("scipy")
    return pro(nbest, [1.0, 0.2, 0.1], min_difference=1.0, seed=3)


@pytest.mark.parametrize(
    ("method", "options"),
    [
        (mert, {"restarts": 4}),
        (mert, {"restarts": 0, "smooth": ("mean", 1), "penalty": 0.01}),
        (mira, {"epochs": 5}),
        (call_pro, {}),
    ],
)
def test_tuning(method: Any, options: Any) -> None:
    start = [1.0, 0.2, 0.1]
    nbest = made_list(TER())
    found, turned = (method(made_list(m), start=start, **options) for m in (TER(), TURNED))
    assert found.weights.tolist() == turned.weights.tolist()
    assert found.score == -turned.score == nbest.evaluate(found.weights) < nbest.evaluate(start)
    for ours, theirs in zip(found.history, turned.history, strict=True):
        assert ours.get("score", 0.0) == -theirs.get("score", 0.0)
    if method is mert:
        assert [s["score"] for s in found.starts] == [-s["score"] for s in turned.starts]


def test_the_best_run() -> None:
    def method(nbest: NBestList, seed: int) -> list[float]:
        return [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]][seed]

    many = tune_repeatedly(made_list(TER()), method, n_runs=3, n_resamples=0, seed=0)
    assert many.best is many.results[1]
    assert many.best.score == min(many.tune.scores) < max(many.tune.scores)
