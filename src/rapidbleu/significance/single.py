"""The bootstrap of one system."""

from __future__ import annotations

from rapidbleu._lib.checks import check_count, check_level, check_seed
from rapidbleu.parallel import check_progress, check_threads, teller
from rapidbleu.scoring import check_metric
from rapidbleu.significance.draws import Draws
from rapidbleu.significance.resampling import resampled_scores
from rapidbleu.significance.result import ResampledScore
from rapidbleu.significance.systems import rows_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.scoring import RowScoring, ScoreT
    from rapidbleu.typing import (
        FloatArray,
        Hypotheses,
        IntArray,
        Layout,
        Progress,
        ReferenceStreams,
        RowTable,
    )


def resampled(
    metric: RowScoring[ScoreT],
    rows: IntArray,
    n: int,
    seed: int | None,
    threads: int,
    progress: Progress | None = None,
) -> tuple[ScoreT, FloatArray]:
    """Return the score of rows of statistics, and those of n resamples of them."""
    draws = Draws(seed, len(rows))
    [samples] = resampled_scores(
        draws, [(metric._kernel, rows)], n, threads=threads, tell=teller(progress, n)
    )
    return metric.score(rows), samples


def bootstrap(
    metric: RowScoring,
    hypotheses: Hypotheses | IntArray | RowTable,
    references: ReferenceStreams | None = None,
    *,
    n: int = 1000,
    seed: int | None = 12345,
    level: float = 0.95,
    layout: Layout = "stream",
    threads: int = 1,
    progress: Progress | None = None,
) -> ResampledScore:
    """Estimate an interval of a score by resampling the segments.

    Parameters
    ----------
    metric : metric
        Any, also `MeanScore` and `Interpolation`.
    hypotheses : sequence of segments, int array of shape (n_segments, n_stats), or StatsTable
        As in `Metric.corpus_score`; or, without references, the metric's rows of statistics.
    references : sequence of streams, References or None
        As in `Metric.corpus_score`.
    n : int
        Resamples.
    seed : int or None
        Resamples are those of sacrebleu with this seed; None: others each time.
    level : float
        Share of the resamples' scores that lie in the interval.
    layout : {"stream", "segment"}
        Of the references.
    threads : int
        0: all cores. The result is the same.
    progress : callable, optional
        Called with the resamples done and all of them.

    Returns
    -------
    ResampledScore

    Raises
    ------
    TypeError, ValueError
        Before anything is computed, if an argument is wrong.

    Notes
    -----
    Sums are exact, so scores of resamples are those of `metric.score` to the last bit. 1 ns a draw
    of up to 16 columns; memory of 2 bytes a number. Ctrl-C ends it.

    References
    ----------
    Koehn 2004, Statistical Significance Tests for Machine Translation Evaluation, section 3.

    Examples
    --------
    >>> from rapidbleu import MeanScore
    >>> comet = MeanScore("COMET")
    >>> found = bootstrap(comet, comet.rows([0.81, 0.75, 0.66, 0.92, 0.87, 0.79]))
    >>> found
    COMET = 0.8000 (μ = 0.7995 ± 0.0708)
    >>> [round(end, 3) for end in found.interval]
    [0.73, 0.872]
    """
    check_progress(progress)
    check_metric(metric)
    check_count("n", n, 1)
    check_level(level)
    n_threads = check_threads(threads)
    check_seed(seed)
    rows = rows_of(metric, hypotheses, references, layout, n_threads)
    score, samples = resampled(metric, rows, n, seed, n_threads, progress)
    return ResampledScore(score.name, score.score, samples, level)
