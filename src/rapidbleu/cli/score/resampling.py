"""Intervals of scores, and tests of systems against the first one or against all others."""

from argparse import Namespace
from typing import TYPE_CHECKING, Any, NamedTuple

from rapidbleu.cli.progress import progress_callback
from rapidbleu.cli.score.corpus import Corpus
from rapidbleu.cli.score.statistics import AnyMetric, signature_of, system_rows
from rapidbleu.significance import (
    PairedResult,
    bootstrap,
    paired_bootstrap,
    paired_randomization,
)
from rapidbleu.significance.seeds import seed_of_environment

if TYPE_CHECKING:
    from rapidbleu.score import Score
    from rapidbleu.signature import Signature
    from rapidbleu.typing import IntArray


def scores_with_intervals(
    name: str, metric: AnyMetric, corpus: Corpus, args: Namespace
) -> "tuple[list[Score], Signature | None]":
    """Score systems and estimate the intervals of their scores, each from the same resamples."""
    text, seed = seed_of_environment()
    n: int = args.confidence_n
    scores = []
    for rows in system_rows(name, metric, corpus, args):
        with progress_callback("resamples", args.quiet) as progress:
            found = bootstrap(metric, rows, n=n, seed=seed, threads=args.threads, progress=progress)
        samples: Any = found.samples
        score = metric.score(rows)
        score.estimate_ci(samples.tolist())
        scores.append(score)
    signature = signature_of(metric)
    if signature is not None:
        signature.update("bs", n)
        signature.update("seed", text)
    return scores, signature


class Compared(NamedTuple):
    """What a paired test found, and the rows of statistics that it compared.

    Attributes
    ----------
    found : PairedResult
    rows : dict of str to list of int64 arrays of shape (n_segments, n_stats)
        For each metric, by the name of its score, those of the systems.
    """

    found: PairedResult
    rows: "dict[str, list[IntArray]]"

    def identical(self, metric: str, corpus: Corpus, i: int, j: int) -> str | None:
        """Return what of two systems is the same in every segment, outputs or statistics."""
        import numpy as np

        one, other = corpus.systems[i], corpus.systems[j]
        if not np.array_equal(self.rows[metric][i], self.rows[metric][j]):
            return None
        with_texts = bool(corpus.references)
        return "outputs" if with_texts and one.segments == other.segments else "statistics"


def compare(metrics: dict[str, AnyMetric], corpus: Corpus, args: Namespace) -> Compared:
    """Compare systems: with the first one as sacrebleu does, or all with all.

    Ties do not count in sacrebleu's p-values; they do in those of all pairs.
    """
    test: Any = paired_bootstrap if args.paired_bs else paired_randomization
    unit = "resamples" if args.paired_bs else "trials"
    rows = [system_rows(name, metric, corpus, args) for name, metric in metrics.items()]
    systems = {
        system.name: dict(enumerate(own))
        for system, *own in zip(corpus.systems, *rows, strict=True)
    }
    with progress_callback(unit, args.quiet) as progress:
        found = test(
            systems,
            None,
            list(metrics.values()),
            n=(args.paired_bs_n if args.paired_bs else args.paired_ar_n) or None,
            seed=seed_of_environment()[1],
            baseline=None if args.all_pairs else 0,
            ties=args.all_pairs,
            threads=args.threads if args.paired_jobs is None else args.paired_jobs,
            progress=progress,
        )
    return Compared(found, dict(zip(found.metrics, rows, strict=True)))
