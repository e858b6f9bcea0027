"""Operations of `rapidbleu.meta`, once each: for failing memory, leaks and threads."""

import io
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rapidbleu._core.meta.figures import Gold
from rapidbleu.meta import (
    Judgments,
    SystemScores,
    bootstrap_test,
    compare_metrics,
    correlate,
    count_orders,
    enumerate_orders,
    estimate_interval,
    fit_metric,
    permutation_test,
    rank_metrics,
    read_folder,
    read_mqm,
    read_table,
    sample_reorderings,
)
from support.judged_scores import judged

Calls = dict[str, Callable[[], Any]]

N_SYSTEMS, N_SEGMENTS = 12, 30
NAMES = [f"system {i}" for i in range(N_SYSTEMS)]
STATISTICS = (
    "pearson",
    "spearman",
    "kendall",
    "kendall_c",
    "kendall_like",
    "accuracy",
    "accuracy_eq",
)


def least(statistic: str) -> dict[str, Any]:
    """Return the option of a statistic that has one."""
    return {"min_difference": 2} if statistic == "kendall_like" else {}


def of_agreement() -> Calls:
    """Compute statistics in the core, of few scores and of many."""
    return {
        f"core's {what}, {size} scores": partial(call, *(side[0] for side in judged(5, 1, n)))
        for size, n in (("few", 15), ("many", 700))
        for what, call in {
            **{statistic: partial(_figures, statistic) for statistic in STATISTICS[:-1]},
            "swapped statistics": _swapped,
            "best threshold": lambda human, metric: _gold(human, "accuracy").best_epsilon(metric),
        }.items()
    }


def _gold(human: Any, statistic: str) -> Gold:
    return Gold(human, np.array([0, len(human) // 3, len(human)]), statistic, 2.0)


def _figures(statistic: str, human: Any, metric: Any) -> Any:
    up, down = np.empty(2), np.empty(2)
    _gold(human, statistic).figures(metric, up, down)
    return up, down


def _swapped(human: Any, metric: Any) -> Any:
    left, right = np.empty(3), np.empty(3)
    units, coins = np.arange(len(human), dtype=np.int32), np.arange(70, dtype=np.uint32)
    _gold(human, "kendall").swapped(metric, human, units, len(units), None, coins, left, right)
    return left, right


def of_meta(folder: Path) -> Calls:
    human, one = judged(1, N_SYSTEMS, N_SEGMENTS, gaps=0.1)
    other = judged(2, N_SYSTEMS, N_SEGMENTS)[1]
    whole = judged(3, N_SYSTEMS, N_SEGMENTS)[0]
    long_human, long_metric = judged(4, 1, 700)
    named = SystemScores(human, NAMES)
    judges, values = ["a"] * 12 + ["b"] * 12, [*range(12), *range(24, 0, -2)]
    judgments = Judgments(NAMES * 2, [0] * 24, judges, values)
    (folder / "table.csv").write_text("system,segment,score\nA,1,2.5\nB,1,3\n")
    text, references = "a b c d a b", ["a b d", "c d a b"]
    documents = [i // 3 for i in range(N_SEGMENTS)]
    calls: Calls = {
        f"statistic, {statistic}": lambda f=statistic: repr(
            [correlate(human, one, f, by, **least(f)).value for by in ("none", "segment")]
        )
        for statistic in STATISTICS
    }
    return calls | {
        "statistic of many scores": lambda: [
            correlate(long_human, long_metric, f).value for f in ("spearman", "kendall_c")
        ],
        "statistic of means": lambda: correlate(
            named, dict(zip(NAMES, one, strict=True)), by="means"
        ),
        "soft accuracy": lambda: correlate(whole, other, "soft_accuracy", "means").value,
        "swapped scores": lambda: (
            permutation_test(
                human, one, other, "kendall", "segment", n_trials=70, threads=2
            ).differences
        ),
        "swapped means": lambda: (
            permutation_test(human, one, other, by="means", n_trials=40).p_value
        ),
        "swapped thresholds": lambda: (
            permutation_test(human, one, other, "accuracy_eq", "segment", n_trials=5).p_value
        ),
        "swapped verdicts": lambda: (
            permutation_test(
                human, one, other, "accuracy", "segment", swap="pairs", n_trials=5
            ).p_value
        ),
        "resampled statistics": lambda: (
            bootstrap_test(human, one, other, "spearman", n_resamples=10).interval
        ),
        "interval of a statistic": lambda: (
            estimate_interval(human, one, "accuracy", "segment", n_resamples=9).samples
        ),
        "ranked metrics": lambda: repr(rank_metrics(human, {"a": one, "b": other}, n_trials=9)),
        "study": lambda: repr(
            compare_metrics(named, {"a": one, "b": other}, [("pearson", "means")], n_resamples=9)
        ),
        "judgments": lambda: judgments.standardized().scores().values,
        "table of scores": lambda: read_table(folder / "table.csv").values,
        "fitted metric": lambda: repr(
            fit_metric(human, {"a": one, "b": other}, documents=documents)
        ),
        "orders": lambda: repr(
            [
                count_orders(text, references),
                enumerate_orders(text, references),
                sample_reorderings(text, references, n=2),
            ]
        ),
    }


def bad_judging(folder: Path) -> Calls:
    """Return refused calls."""
    human, metric = judged(1, 3, 4)
    floats, ends = np.arange(4.0), np.array([0, 4])
    gold = Gold(floats, ends, "kendall")
    units, coins = np.arange(4, dtype=np.int32), np.zeros(1, np.uint32)
    (folder / "bad table.csv").write_text("system,segment,score\nA,1,x\n")
    calls: Calls = {
        f"scores, {name}": lambda j=junk: correlate(j, metric)
        for name, junk in {
            "number": 5,
            "text": "ab",
            "None": None,
            "texts": [["a"]],
            "uneven": [[1], [1, 2]],
            "nothing": [],
            "infinite": [[float("inf")]],
            "named": {"A": 5},
            "file": io.StringIO(),
        }.items()
    }
    return calls | {
        "scores, names": lambda: SystemScores(human, ["A", "A", "B"]),
        "scores, shape": lambda: correlate(human, metric[:, 1:]),
        "scores, statistic": lambda: correlate(human, metric, "tau"),
        "scores, swap": lambda: permutation_test(human, metric, metric, swap="all"),
        "scores, progress": lambda: permutation_test(
            human, metric, metric, n_trials=9, progress=_fail
        ),
        "scores, resample": lambda: estimate_interval(human, metric, resample="none"),
        "scores, ranked": lambda: rank_metrics(human, {"A": metric, "B": 5}),
        "scores, studied": lambda: compare_metrics(human, {"A": metric}, ["pearson"]),
        "gold, offsets": lambda: Gold(floats, np.array([0, 5]), "kendall"),
        "gold, statistic": lambda: Gold(floats, ends, "tau"),
        "gold, metric": lambda: gold.figures(floats[1:], floats[:1], floats[:1]),
        "gold, output": lambda: gold.figures(floats, floats, floats),
        "gold, stopped": lambda: gold.best_epsilon(coins, []),
        "gold, units": lambda: gold.swapped(
            floats, floats, units, 2, None, coins, floats[:1].copy(), floats[:1].copy()
        ),
        "gold, coins": lambda: gold.swapped(
            floats, floats, units, 400, None, coins, floats[:1].copy(), floats[:1].copy()
        ),
        "judgments, columns": lambda: Judgments(["A"], [1, 2], ["x"], [1]),
        "judgments, scores": lambda: Judgments(["A"], [1], ["x"], ["y"]),
        "table, number": lambda: read_table(folder / "bad table.csv"),
        "table, no file": lambda: read_table(folder / "nowhere"),
        "MQM": lambda: read_mqm(folder / "bad table.csv"),
        "folder of scores": lambda: read_folder(folder / "nowhere", "en-de"),
        "orders, references": lambda: count_orders("a b", []),
        "orders, too many": lambda: enumerate_orders("a b c d", ["x"], max_orders=3),
    }


def _fail(*_: Any) -> None:
    raise OSError("no terminal")
