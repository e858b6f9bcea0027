"""Resampled and shuffled scores of the drop-in's metrics: compiled, or by the protocol."""

import numpy as np

from rapidbleu.sacrebleu.metrics.score import Score
from rapidbleu.significance.draws import Draws
from rapidbleu.significance.resampling import resampled_scores
from rapidbleu.significance.seeds import seed_of_environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu._core.metrics.kernel import Kernel
    from rapidbleu.typing import FloatArray


def compiled_part(metric: "Any", stats: "Any") -> "tuple[Kernel, Any] | None":
    """Return the kernel of a metric and its rows, if it has a compiled form."""
    fast = metric._fast_score() if hasattr(metric, "_fast_score") else None
    rows = None if fast is None else fast.integer_rows(stats)
    return None if fast is None or rows is None else (fast.kernel, rows)


def number_rows(stats: "Any") -> "Any":
    """Return rows as an array of int64, or of float64 if not all are integers."""
    rows = np.array(stats)
    return rows if rows.dtype.kind == "i" else rows.astype(np.float64)


def resampled(
    metric: "Any", stats: "Any", draws: Draws, n: int, after: int = 0, threads: int = 1
) -> "FloatArray":
    """Return the scores of n resamples, drawn after so many trials of coins."""
    part = compiled_part(metric, stats)
    if part is not None:
        scores: FloatArray = resampled_scores(draws, [part], n, after=after, threads=threads)[0]
        return scores
    rows = number_rows(stats)
    return np.array(
        [
            metric._compute_score_from_stats(rows[indices].sum(0)).score
            for indices in draws.all_indices(n, after)
        ]
    )


def shuffled_differences(
    metric: "Any", one: "Any", other: "Any", seed: "int | None", n: int
) -> "FloatArray":
    """Return the absolute differences of two systems whose segments were swapped at random."""
    heads = np.random.default_rng(seed).integers(2, size=(n, len(one)), dtype=bool)
    a, b = number_rows(one), number_rows(other)
    # Sums of fractions depend on their order: these are sacrebleu's products, and so are the ties.
    first, second = (
        [metric._aggregate_and_compute(sums).score for sums in (heads @ x + ~heads @ y)[:, None]]
        for x, y in ((a, b), (b, a))
    )
    differences: FloatArray = np.abs(np.array(first) - np.array(second))
    return differences


def bootstrap_resample(
    stats: "Any", metric: "Any", n_samples: int = 1000
) -> "tuple[str, list[Any]]":
    """Return the seed as text, and the scores of resampled corpora.

    Parameters
    ----------
    stats : list of rows of statistics
    metric : Metric
    n_samples : int

    Returns
    -------
    str
    list of Score
    """
    text, seed = seed_of_environment()
    draws = Draws(seed, len(stats))
    if compiled_part(metric, stats) is not None:
        return text, [Score("", score) for score in resampled(metric, stats, draws, n_samples)]
    rows = number_rows(stats)
    indices = draws.all_indices(n_samples)
    return text, [metric._compute_score_from_stats(rows[drawn].sum(0)) for drawn in indices]
