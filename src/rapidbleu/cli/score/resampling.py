"""Intervals of one system's scores, and tests of several systems against the first one."""

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from rapidbleu.cli.options import N_RESAMPLES, N_TRIALS
from rapidbleu.cli.progress import progress_callback
from rapidbleu.cli.score.corpus import Corpus
from rapidbleu.cli.score.statistics import system_rows
from rapidbleu.significance import (
    PairedResult,
    bootstrap,
    paired_bootstrap,
    paired_randomization,
)
from rapidbleu.significance.seeds import seed_of_environment

if TYPE_CHECKING:
    from rapidbleu.metrics.contract.base import Metric
    from rapidbleu.score import Score
    from rapidbleu.signature import Signature

# Draws of segments, of resamples or trials, from which on a bar is shown.
LONG = 100_000_000


def score_with_interval(
    name: str, metric: "Metric", corpus: Corpus, args: Namespace
) -> "tuple[Score, Signature]":
    """Score a system and estimate the interval of its score."""
    text, seed = seed_of_environment()
    n: int = args.confidence_n
    [rows] = system_rows(name, metric, corpus, args.quiet)
    with progress_callback("resamples", args.quiet or n * len(rows) < LONG) as progress:
        found = bootstrap(metric, rows, n=n, seed=seed, threads=args.threads, progress=progress)
    samples: Any = found.samples
    score = metric.score(rows)
    score.estimate_ci(samples.tolist())
    signature = metric.get_signature()
    signature.update("bs", n)
    signature.update("seed", text)
    return score, signature


def compare(
    metrics: "dict[str, Metric]", corpus: Corpus, args: Namespace
) -> "tuple[PairedResult, dict[str, list[str | None]]]":
    """Compare systems with the first one.

    Returns
    -------
    PairedResult
        With sacrebleu's p-values: ties do not count.
    dict of str to list of {"outputs", "statistics", None}
        For each metric, what of each system is the same as the first one's in every segment.
    """
    import numpy as np

    if args.paired_bs:
        test, unit, n = paired_bootstrap, "resamples", args.paired_bs_n or N_RESAMPLES
    else:
        test, unit, n = paired_randomization, "trials", args.paired_ar_n or N_TRIALS
    rows = [system_rows(name, metric, corpus, args.quiet) for name, metric in metrics.items()]
    systems = {
        system.name: dict(enumerate(own))
        for system, *own in zip(corpus.systems, *rows, strict=True)
    }
    n_draws = n * sum(len(own) for several in rows for own in several)
    with progress_callback(unit, args.quiet or n_draws < LONG) as progress:
        found = test(
            systems,
            None,
            list(metrics.values()),
            n=n,
            seed=seed_of_environment()[1],
            ties=False,
            threads=args.threads if args.paired_jobs is None else args.paired_jobs,
            progress=progress,
        )
    first = corpus.systems[0]
    identical: dict[str, list[str | None]] = {}
    for metric_name, own in zip(found.metrics, rows, strict=True):
        identical[metric_name] = [None]
        for system, theirs in zip(corpus.systems[1:], own[1:], strict=True):
            what = None
            if np.array_equal(theirs, own[0]):
                what = "outputs" if system.segments == first.segments else "statistics"
            identical[metric_name].append(what)
    return found, identical
