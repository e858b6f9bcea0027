"""sacrebleu's `PairedTest`, based on the tests of `rapidbleu.significance`.

Metrics without compiled rows, namely custom ones and TER of fractional lengths, whose rounded sums
decide ties, are summed by NumPy and scored by `_compute_score_from_stats`, one resample at a time.
"""

from __future__ import annotations

import os
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rapidbleu._lib.loader import np
from rapidbleu.sacrebleu.utils import inform
from rapidbleu.significance.paired import paired_bootstrap, paired_randomization
from rapidbleu.significance.resamples import Draws, resampled, seed_of_environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu._types import FloatArray, IntArray
    from rapidbleu.sacrebleu.metrics.fast import Finder
    from rapidbleu.score import RowScoring

__all__ = ["PairedTest", "Result", "estimate_ci"]


@dataclass(eq=False, repr=False)
class Result:
    """Test result of a system: a score, p, and mean and half width of the interval.

    Examples
    --------
    >>> Result(26.6, p_value=0.3)
    score=26.6,p_value=0.3,mean=None,ci=None
    """

    score: float
    p_value: float | None = None
    mean: float | None = None
    ci: float | None = None

    def __repr__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in vars(self).items())


def estimate_ci(scores: Any) -> tuple[Any, Any]:
    """Return the mean of resampled scores and half the width of their 95 % interval.

    Examples
    --------
    >>> estimate_ci(np.arange(101.0)) == (50.0, 48.0)
    True
    """
    ordered = np.sort(scores)
    tail = len(ordered) // 40
    return ordered.mean(), 0.5 * (ordered[len(ordered) - tail - 1] - ordered[tail])


def _compute_p_value(stats: Any, real_difference: float) -> float:
    """Return the share of resampled differences above the real one, which is counted too."""
    return (int(np.count_nonzero(np.asarray(stats) > real_difference)) + 1) / (len(stats) + 1)


class PairedTest:
    """Comparison of systems with the first one.

    Parameters
    ----------
    named_systems : sequence of (str, sequence of str)
        Baseline first.
    metrics : dict of str to Metric
    references : sequence of streams, or None
        None: the references of the metrics.
    test_type : {"ar", "bs"}
        Approximate randomization or paired bootstrap.
    n_samples : int
        Trials or resamples; 0: 10,000 or 1,000.
    n_ar_confidence : int
        Resamples for intervals with "ar"; 0: 1,000, -1: none.
    n_jobs : int
        Threads for resampling; 0: half of the cores, at most one per system.

    Examples
    --------
    >>> from rapidbleu.sacrebleu import CHRF
    >>> systems = [("old", ["a cat", "no dog"]), ("new", ["a cat!", "a dog"])]
    >>> test = PairedTest(systems, {"chrF": CHRF()}, [["a cat", "a dog"]], "bs", n_samples=10)
    >>> signatures, scores = test()
    >>> scores["System"], scores["chrF2"][1].score
    (['old', 'new'], 95.32780708364734)
    """

    _DEFAULT_SAMPLES = types.MappingProxyType({"ar": 10000, "bs": 1000})

    def __init__(
        self,
        named_systems: Sequence[tuple[str, Sequence[str]]],
        metrics: Mapping[str, Any],
        references: Any,
        test_type: str = "ar",
        n_samples: int = 0,
        n_ar_confidence: int = -1,
        n_jobs: int = 1,
    ) -> None:
        if test_type not in self._DEFAULT_SAMPLES:
            raise AssertionError(f"Unknown test type {test_type!r}")
        self.test_type = test_type
        self._seed = seed_of_environment()[1]
        self.references = references
        self.named_systems = named_systems
        self.n_ar_confidence = n_ar_confidence or self._DEFAULT_SAMPLES["bs"]
        self.n_samples = n_samples if n_samples > 0 else self._DEFAULT_SAMPLES[test_type]
        self.n_systems = len(named_systems) - 1
        self.n_jobs = n_jobs or max(1, min((os.cpu_count() or 1) // 2, self.n_systems))
        self._signatures: dict[str, Any] = {}
        self._baseline: dict[str, tuple[Any, float]] = {}
        self.metrics: dict[str, Any] = {}
        for key, metric in metrics.items():
            inform(f"Pre-computing {key} statistics for {named_systems[0][0]!r}")
            stats = metric._extract_corpus_statistics(named_systems[0][1], references)
            score = metric._aggregate_and_compute(stats)
            name = score.name if score.name not in self.metrics else f"{score.name} ({key})"
            self._baseline[name] = stats, score.score
            self.metrics[name] = metric
            signature = metric.get_signature()
            signature.update("seed", str(self._seed).lower())
            signature.update(test_type, self.n_samples)
            if self.n_ar_confidence > 0:
                signature.update("bs", self.n_ar_confidence)
            self._signatures[name] = signature

    def __call__(self) -> tuple[dict[str, Any], dict[str, list[Any]]]:
        """Run the test; return the signature by metric, and a dict of lists.

        The lists are ``System``, the names, and a `Result` per system for each metric.
        """
        if self.n_jobs > 1:
            inform(f"Launching {self.n_jobs} parallel workers.")
        judged = {name: [baseline] for name, baseline in self._baseline.items()}
        for system, hypotheses in self.named_systems[1:]:
            for name, metric in self.metrics.items():
                judged[name].append(self._judge(name, metric, system, hypotheses))
        scores: dict[str, list[Any]] = {"System": [name for name, _ in self.named_systems]}
        for name, metric in self.metrics.items():
            stats = [own for own, _ in judged[name]]
            tested = self._test_rows(metric, stats) or self._test_stats(metric, judged[name])
            scores[name] = [
                Result(score, *numbers)
                for (_, score), numbers in zip(judged[name], tested, strict=True)
            ]
        return self._signatures, scores

    def _judge(self, name: str, metric: Any, system: str, hypotheses: Any) -> tuple[Any, float]:
        stats, score = judge(metric, name, system, hypotheses, self.references)
        n_segments = len(self._baseline[name][0])
        if len(stats) != n_segments:
            raise ValueError(
                f"system {system!r}: expected {n_segments} segments, as many as the baseline has; "
                f"got {len(stats)}"
            )
        inform_of_test(self.test_type, self.n_samples)
        if self.test_type == "ar" and self.n_ar_confidence > 0:
            inform_of_test("ci", self.n_ar_confidence)
        return stats, score

    def _test_rows(self, metric: Any, stats: list[Any]) -> list[Any]:
        """Return p, mean and half width of each system, if the metric has compiled rows."""
        found: Any = [compiled(metric, own) for own in stats]
        if None in found or not self.n_systems:
            return []
        rows = {str(i): own for i, (_, own) in enumerate(found)}
        metrics = {"": found[0][0]}
        options: Any = {"seed": self._seed, "ties": False, "threads": self.n_jobs}
        if self.test_type == "bs":
            options["n_resamples"] = self.n_samples
            tested = paired_bootstrap(rows, None, metrics, **options)
        else:
            options |= {"n_trials": self.n_samples, "n_resamples": max(self.n_ar_confidence, 0)}
            tested = paired_randomization(rows, None, metrics, **options)
        return [(own.p_value, own.mean, own.half_width) for own in tested[""].values()]

    def _test_stats(self, metric: Any, judged: list[tuple[Any, float]]) -> list[Any]:
        """Return p, mean and half width of each system, by the metric's own methods."""
        base_stats, base = judged[0]
        draws = Draws(self._seed, len(base_stats))
        n = self.n_samples
        after = 0
        if self.test_type == "ar":
            n = self.n_ar_confidence
            after = self.n_samples
        tested: list[Any] = []
        base_samples: Any = None
        for stats, score in judged:
            samples = _resample(metric, stats, draws, n, after if tested else 0) if n > 0 else None
            p = None
            if not tested:
                base_samples = samples
            elif self.test_type == "ar":
                differences = _shuffle(metric, base_stats, stats, self._seed, self.n_samples)
                p = _compute_p_value(differences, abs(base - score))
            else:
                differences = np.abs(samples - base_samples)
                p = _compute_p_value(differences - differences.mean(), abs(base - score))
            tested.append((p, *((None, None) if samples is None else estimate_ci(samples))))
        return tested


def judge(
    metric: Any, name: str, system: str, hypotheses: Any, references: Any
) -> tuple[Any, float]:
    """Return the rows of a system and its score."""
    inform(f"Computing {name} for {system!r} and extracting sufficient statistics")
    stats = metric._extract_corpus_statistics(hypotheses, references)
    return stats, metric._aggregate_and_compute(stats).score


def inform_of_test(kind: str, n: int) -> None:
    """Log the start of a test, or of the resampling after it."""
    what = {
        "ar": "approximate randomization test (# trials:",
        "bs": "paired bootstrap resampling test (# resamples:",
        "ci": "bootstrap resampling for confidence interval (# resamples:",
    }
    inform(f" > Performing {what[kind]} {n})")


def compiled(
    metric: Any, stats: Any, finder: Finder | None = None
) -> tuple[RowScoring, IntArray] | None:
    """Return the compiled form of a metric and its rows, if both exist."""
    if finder is None:
        finder = getattr(metric, "_FINDER", None)
    fast: Any = None if finder is None else finder.scores(metric)
    rows = None if fast is None else fast.integer_rows(stats)
    return None if rows is None else (fast.native, rows)


def _numbers(stats: Any) -> Any:
    rows = np.array(stats)
    return rows if rows.dtype.kind == "i" else rows.astype(np.float64)


def _resample(metric: Any, stats: Any, draws: Draws, n: int, after: int = 0) -> FloatArray:
    """Return the scores of n resamples, drawn after `after` trials of coins."""
    rows = _numbers(stats)
    scores = [
        metric._compute_score_from_stats(rows[indices].sum(0)).score
        for indices in draws.all_indices(n, after)
    ]
    return np.array(scores)


def _shuffle(metric: Any, one: Any, other: Any, seed: int | None, n: int) -> FloatArray:
    heads = np.random.default_rng(seed).integers(2, size=(n, len(one)), dtype=bool)
    a = _numbers(one)
    b = _numbers(other)
    # Sums of fractions depend on their order: these products, and thus the ties, are sacrebleu's.
    first, second = (
        [metric._aggregate_and_compute(sums).score for sums in (heads @ x + ~heads @ y)[:, None]]
        for x, y in ((a, b), (b, a))
    )
    differences: FloatArray = np.abs(np.array(first) - np.array(second))
    return differences


def bootstrap_resample(stats: Any, metric: Any, n_samples: int = 1000) -> tuple[str, list[Result]]:
    """Return the seed as text, and the scores of resampled rows of statistics."""
    text, seed = seed_of_environment()
    rows = compiled(metric, stats)
    if rows is not None:
        scores = resampled(*rows, n_samples, seed, 1)[1]
    else:
        scores = _resample(metric, stats, Draws(seed, len(stats)), n_samples)
    return text, [Result(score) for score in scores]
