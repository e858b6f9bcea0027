"""Significance tests with sacrebleu's classes and random stream, on `rapidbleu.significance`.

Metrics that users wrote have no compiled form: their resamples are summed by NumPy and scored by
their own `_compute_score_from_stats`, one after the other.
"""

import os
import types
from collections.abc import Mapping, Sequence

import numpy as np

from rapidbleu.sacrebleu.logger import sacrelogger
from rapidbleu.sacrebleu.metrics.base import Metric, Score, Signature
from rapidbleu.sacrebleu.resampling import bootstrap_resample as _bootstrap_resample
from rapidbleu.sacrebleu.resampling import compiled_part, resampled, shuffled_differences
from rapidbleu.significance.draws import Draws
from rapidbleu.significance.resampling import extreme_trials
from rapidbleu.significance.seeds import seed_of_environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "IS_WINDOWS",
    "Metric",
    "PairedTest",
    "Result",
    "Score",
    "Signature",
    "_bootstrap_resample",
    "_compute_p_value",
    "_paired_ar_test",
    "_paired_bs_test",
    "estimate_ci",
    "sacrelogger",
]

IS_WINDOWS = os.name == "nt"


class Result:
    """What a test says of a system.

    Parameters
    ----------
    score : float
    p_value : float, optional
        How likely so large a difference from the baseline is by chance.
    mean, ci : float, optional
        Mean of the resampled scores and half the width of their 95 % interval.

    Examples
    --------
    >>> Result(26.6, p_value=0.3)
    score=26.6,p_value=0.3,mean=None,ci=None
    """

    def __init__(
        self,
        score: float,
        p_value: "float | None" = None,
        mean: "float | None" = None,
        ci: "float | None" = None,
    ) -> None:
        self.score = score
        self.p_value = p_value
        self.mean = mean
        self.ci = ci

    def __repr__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in vars(self).items())


def estimate_ci(scores: "Any") -> "tuple[Any, Any]":
    """Return the mean of resampled scores and half the width of their 95 % interval.

    Examples
    --------
    >>> estimate_ci(np.arange(101.0)) == (50.0, 48.0)
    True
    """
    ordered = np.sort(scores)
    tail = len(ordered) // 40
    return ordered.mean(), 0.5 * (ordered[len(ordered) - tail - 1] - ordered[tail])


def _compute_p_value(stats: "Any", real_difference: float) -> float:
    """Return the share of resampled differences that exceed the real one, counting that one in."""
    return (int(np.count_nonzero(np.asarray(stats) > real_difference)) + 1) / (len(stats) + 1)


def _judge(
    name: str, metric: "Any", system: str, hypotheses: "Any", references: "Any", n_segments: int
) -> "tuple[Any, float]":
    """Return the rows of a system, which must be as many as the baseline has, and its score."""
    sacrelogger.info(f"Computing {name} for {system!r} and extracting sufficient statistics")
    stats = metric._extract_corpus_statistics(hypotheses, references)
    if len(stats) != n_segments:
        raise ValueError(
            f"system {system!r}: expected {n_segments} segments, as many as the baseline has, "
            f"got {len(stats)}"
        )
    return stats, metric._aggregate_and_compute(stats).score


def _paired_ar_test(
    baseline_info: "dict[str, Any]",
    sys_name: str,
    hypotheses: "Sequence[str]",
    references: "Any",
    metrics: "Mapping[str, Any]",
    n_samples: int = 10000,
    n_ar_confidence: int = -1,
    seed: "int | None" = None,
    threads: int = 1,
) -> "tuple[str, dict[str, Result]]":
    """Compare a system with the baseline by approximate randomization.

    Parameters
    ----------
    baseline_info : dict of str to (rows, Result)
    sys_name : str
    hypotheses, references
        As in `Metric.corpus_score`.
    metrics : dict of str to Metric
    n_samples : int
        Trials.
    n_ar_confidence : int
        Resamples for intervals, if above 0.
    seed : int, optional
    threads : int
        The results do not depend on it.

    Returns
    -------
    str
        The name of the system.
    dict of str to Result
    """
    results = {}
    for name, metric in metrics.items():
        base_stats, base = baseline_info[name]
        stats, score = _judge(name, metric, sys_name, hypotheses, references, len(base_stats))
        sacrelogger.info(f" > Performing approximate randomization test (# trials: {n_samples})")
        real = abs(base.score - score)
        draws = Draws(seed, len(stats))
        parts = [compiled_part(metric, base_stats), compiled_part(metric, stats)]
        if None not in parts:
            found = extreme_trials(
                draws, [parts], [(0, 1)], np.array([[real]]), n_samples,  # type: ignore[list-item]
                threads=threads,
            )  # fmt: skip
            p = (int(found[0, 0]) + 1) / (n_samples + 1)
        else:
            differences = shuffled_differences(metric, base_stats, stats, seed, n_samples)
            p = _compute_p_value(differences, real)
        results[name] = Result(score, p)
        if n_ar_confidence > 0:
            sacrelogger.info(
                " > Performing bootstrap resampling for confidence interval "
                f"(# resamples: {n_ar_confidence})"
            )
            samples = resampled(metric, stats, draws, n_ar_confidence, n_samples, threads)
            results[name].mean, results[name].ci = estimate_ci(samples)
    return sys_name, results


def _paired_bs_test(
    baseline_info: "dict[str, Any]",
    sys_name: str,
    hypotheses: "Sequence[str]",
    references: "Any",
    metrics: "Mapping[str, Any]",
    n_samples: int = 1000,
    n_ar_confidence: int = -1,
    seed: "int | None" = None,
    threads: int = 1,
) -> "tuple[str, dict[str, Result]]":
    """Compare a system with the baseline by the paired bootstrap; see `_paired_ar_test`."""
    results = {}
    for name, metric in metrics.items():
        base_stats, base = baseline_info[name]
        stats, score = _judge(name, metric, sys_name, hypotheses, references, len(base_stats))
        sacrelogger.info(
            f" > Performing paired bootstrap resampling test (# resamples: {n_samples})"
        )
        draws = Draws(seed, len(stats))
        samples = resampled(metric, stats, draws, n_samples, threads=threads)
        base_samples = resampled(metric, base_stats, draws, n_samples, threads=threads)
        differences = np.abs(samples - base_samples)
        p = _compute_p_value(differences - differences.mean(), abs(base.score - score))
        results[name] = Result(score, p, *estimate_ci(samples))
    return sys_name, results


class PairedTest:
    """Compare systems with the first one.

    Parameters
    ----------
    named_systems : sequence of (str, sequence of str)
        The baseline first.
    metrics : dict of str to Metric
    references : sequence of streams, or None
        None: those the metrics were made with.
    test_type : {"ar", "bs"}
        Approximate randomization or paired bootstrap.
    n_samples : int
        Trials or resamples; 0: 10,000 or 1,000.
    n_ar_confidence : int
        Resamples for intervals with "ar"; 0: 1,000, -1: none.
    n_jobs : int
        Threads that resample; 0: half of the cores, but not more than systems.

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
        named_systems: "Sequence[tuple[str, Sequence[str]]]",
        metrics: "Mapping[str, Any]",
        references: "Any",
        test_type: str = "ar",
        n_samples: int = 0,
        n_ar_confidence: int = -1,
        n_jobs: int = 1,
    ) -> None:
        if test_type not in self._DEFAULT_SAMPLES:
            raise AssertionError(f"Unknown test type {test_type!r}")
        self.test_type = test_type
        self._fn = _paired_ar_test if test_type == "ar" else _paired_bs_test
        self._seed, self.references = seed_of_environment()[1], references
        self.named_systems = named_systems
        self.n_ar_confidence = n_ar_confidence or self._DEFAULT_SAMPLES["bs"]
        self.n_samples = n_samples if n_samples > 0 else self._DEFAULT_SAMPLES[test_type]
        self.n_systems = len(named_systems) - 1
        self.n_jobs = n_jobs or max(1, min((os.cpu_count() or 1) // 2, self.n_systems))
        self._signatures: dict[str, Any] = {}
        self._baseline_info: dict[str, tuple[Any, Result]] = {}
        self.metrics: dict[str, Any] = {}
        n_resamples = self.n_samples if test_type == "bs" else self.n_ar_confidence
        for key, metric in metrics.items():
            sacrelogger.info(f"Pre-computing {key} statistics for {named_systems[0][0]!r}")
            stats = metric._extract_corpus_statistics(named_systems[0][1], references)
            score = metric._aggregate_and_compute(stats)
            result = Result(score.score)
            if n_resamples > 0:
                draws = Draws(self._seed, len(stats))
                samples = resampled(metric, stats, draws, n_resamples)
                result.mean, result.ci = estimate_ci(samples)
            name = score.name if score.name not in self.metrics else f"{score.name} ({key})"
            self._baseline_info[name] = stats, result
            self.metrics[name] = metric
            signature = metric.get_signature()
            signature.update("seed", str(self._seed).lower())
            signature.update(test_type, self.n_samples)
            if self.n_ar_confidence > 0:
                signature.update("bs", self.n_ar_confidence)
            self._signatures[name] = signature

    def __call__(self) -> "tuple[dict[str, Any], dict[str, list[Any]]]":
        """Run the test.

        Returns
        -------
        dict of str to Signature
            For each metric.
        dict of str to list
            ``System``: the names; for each metric a `Result` of each system.
        """

        if self.n_jobs > 1:
            sacrelogger.info(f"Launching {self.n_jobs} parallel workers.")
        results = [
            self._fn(
                self._baseline_info, name, hypotheses, self.references, self.metrics,
                self.n_samples, self.n_ar_confidence, self._seed, self.n_jobs,
            )
            for name, hypotheses in self.named_systems[1:]
        ]  # fmt: skip
        scores: dict[str, list[Any]] = {"System": [name for name, _ in self.named_systems]}
        for metric, (_, baseline) in self._baseline_info.items():
            scores[metric] = [baseline, *(found[metric] for _, found in results)]
        return self._signatures, scores
