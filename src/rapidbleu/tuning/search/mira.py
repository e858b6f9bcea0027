"""Batch MIRA (Cherry & Foster 2012): large-margin updates towards hope and away from fear."""

from __future__ import annotations

from rapidbleu._core.metrics.bleu import BleuKernel
from rapidbleu._core.tuning.mira import Mira
from rapidbleu._lib.checks import check_count, check_flag, seed_or_fresh
from rapidbleu._lib.loader import np
from rapidbleu.parallel import check_progress
from rapidbleu.tuning.checks import check_number
from rapidbleu.tuning.moses.nbest_files import count_dense
from rapidbleu.tuning.nbest import (
    NBestList,
    copies_of,
    counts_of,
    repeated,
    spread,
    summed,
    without_duplicates,
)
from rapidbleu.tuning.search.shared import TuningResult, make_learner_rows, start_weights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rapidbleu._core.tuning.mira import LearnerRows
    from rapidbleu._types import FloatArray, IntArray, Progress, StepCallback, Vector

# Parts of a count in the pseudo-corpus; not a power of two, because of the cache of scores.
FINEST_UNIT = 8191
LARGEST_TOTAL = 2**62
USUAL_RANGE = 8.0  # tokens over which the costs of a segment range when BLEU is tuned on news


def mira(
    nbest: NBestList,
    start: Vector | None = None,
    *,
    max_step: float = 0.01,
    decay: float = 0.999,
    epochs: int = 60,
    shuffle: bool = True,
    safe_hope: bool = False,
    model_background: bool = False,
    scale: float | None = None,
    seed: int | None = 12345,
    callback: StepCallback | None = None,
    progress: Progress | None = None,
    moses_compat: bool = False,
) -> TuningResult:
    """Tune weights with k-best batch MIRA.

    For each segment, hope is the hypothesis with the highest model score + cost, and fear the one
    with the highest model score - cost. The cost is the metric of the hypothesis together with a
    decaying pseudo-corpus of earlier hopes, times the length of both. The weights take the smallest
    step, limited by `max_step`, after which hope beats fear by the difference of their costs. After
    each epoch, the list is scored with the mean weights of all steps; the best are returned.

    The history has a dict per epoch: epoch, score, updates, loss (mean shortfall of the hopes per
    segment) and weights. After Ctrl-C, returns the best epoch so far, or the start.

    Parameters
    ----------
    nbest : NBestList
        Dense or sparse features, any metric.
    start : float array of shape (n_features,), or dict of names to numbers, optional
        Start (default: zeros).
    max_step : float
        Maximum step, above 0; smaller values regularize more.
    decay : float
        Decay of the pseudo-corpus per segment, from 0 to 1.
    epochs : int
        Number of passes over the segments.
    shuffle : bool
        Use a new random order of segments in each epoch.
    safe_hope : bool
        Where a hope's model score exceeds 5 times its cost, scale scores down to that and rechoose.
    model_background : bool
        Build the pseudo-corpus from the hypotheses with the best model scores, not from hopes.
    scale : float, optional
        Factor of costs, above 0. Default: for BLEU 0.01, so that a cost is BLEU as a fraction times
        tokens; for other metrics, whose lengths are in segments, such that the costs of a segment
        range over 8 on average, as is usual with BLEU.
    seed : int or None
        Seed of the order; None draws one, which the result reports.
    callback : callable, optional
        Called with the history entry of each epoch.
    progress : callable, optional
        Called as ``progress(done, epochs)`` after each epoch.
    moses_compat : bool
        Compute what Moses' kbmira does, in single precision: the same updates, losses and weights
        without `shuffle`, whose order differs. BLEU only, without `scale`.

    Notes
    -----
    The pseudo-corpus starts as one perfect hypothesis of ``max_ngram_order`` tokens for BLEU, as an
    average hypothesis for other metrics, and adds a hypothesis of each segment. It is in fixed
    point, 8,191 parts of a count, so that integer metrics can score it; constants added by
    smoothing hardly matter there. No hypothesis is skipped. Runs without the GIL; an epoch is
    linear in the list, which is not copied.

    Moses' pseudo-corpus starts with ones and adds a hypothesis only if hope has the higher cost.
    Its mean is over updates, with the start counted once more, and hypotheses that repeat the
    features of an earlier one of their segment are skipped. It is not the default because it tunes
    worse: on random halves of five lists (4 to 6 halves each) BLEU was 29.96, 30.81, 29.21, 30.77
    and 63.21 instead of 30.41, 30.92, 29.34, 31.01 and 63.56, and on the other halves 28.94, 28.49,
    29.41, 29.76 and 63.20 instead of 29.08, 28.86, 29.48, 30.02 and 62.43.

    References
    ----------
    Colin Cherry and George Foster. 2012. Batch Tuning Strategies for Statistical Machine
    Translation. NAACL, algorithm 1. David Chiang, Yuval Marton and Philip Resnik. 2008. Online
    Large-Margin Training of Syntactic and Structural Translation Features. EMNLP (the cost).

    Examples
    --------
    >>> from rapidbleu import BLEU
    >>> from rapidbleu.tuning import NBestList
    >>> hypotheses = [["a b c x", "a b c d e"], ["f g h", "e f g h"]]
    >>> features = [[-1.0, 4], [-2.0, 5], [-1.0, 3], [-1.5, 4]]
    >>> nbest = NBestList.from_lists(hypotheses, features, [["a b c d e", "e f g h"]])
    >>> result = mira(nbest, [1.0, 0.0], epochs=50)
    >>> nbest.evaluate([1.0, 0.0]) < result.score
    True
    """
    check_progress(progress)
    check_progress(callback, "callback")
    step_limit = check_number("max_step", max_step, 0.0, above=True)
    decay = check_number("decay", decay, 0.0, 1.0)
    n_epochs = check_count("epochs", epochs, 1)
    flags = {"shuffle": shuffle, "safe_hope": safe_hope, "model_background": model_background}
    for name, flag in {**flags, "moses_compat": moses_compat}.items():
        check_flag(name, flag)
    seed = seed_or_fresh(seed)
    current = start_weights(nbest, start)
    metric = nbest.metric
    options = (step_limit, decay, safe_hope, model_background)
    random = np.random.Generator(np.random.PCG64(seed))
    if moses_compat:
        if scale is not None:
            raise ValueError(f"scale: expected None with moses_compat; got {scale!r}")
        if nbest._counts is not None:
            nbest = repeated(nbest, nbest._counts)
        learner, score_of = _moses_learner(nbest, current, options)
    else:
        if scale is not None:
            scale = check_number("scale", scale, 0.0, above=True)
        learner, score_of = _learner(nbest, current, scale, n_epochs, options)
    order = segments = copies_of(nbest)
    best = current.copy()
    best_score = score_of(current)
    history: list[dict[str, Any]] = []
    interrupted = False
    try:
        for epoch in range(1, n_epochs + 1):
            if shuffle:
                order = segments[random.permutation(len(segments))]
            updates, loss = learner.epoch(order)
            learner.average(mean := np.empty_like(current))
            score = score_of(mean)
            if not history or metric._gain(score) > metric._gain(best_score):
                best = mean
                best_score = score
            history.append(
                {"epoch": epoch, "score": score, "updates": updates, "loss": loss, "weights": mean}
            )
            if callback is not None:
                callback(history[-1])
            if progress is not None:
                progress(epoch, n_epochs)
    except KeyboardInterrupt:
        interrupted = True
    if moses_compat:
        best_score = float(nbest.evaluate(best))
    return TuningResult(best, nbest.names, best_score, "mira", history, interrupted, seed)


def _learner(
    nbest: NBestList,
    weights: FloatArray,
    scale: float | None,
    epochs: int,
    options: tuple[float, float, bool, bool],
) -> tuple[Mira, Callable[[FloatArray], float]]:
    """Return a learner of the list, and a function that scores its mean weights."""
    kernel = nbest.metric._kernel
    rows = make_learner_rows(nbest)
    length_column = -1
    unit = _unit(nbest, int(counts_of(nbest).sum()), options[1], epochs)
    if isinstance(kernel, BleuKernel):
        factor = (0.01 if scale is None else scale) / unit
        length_column = 1
        n = kernel.max_order
        perfect = [n, n, *range(n, 0, -1), *range(n, 0, -1)]
        background = np.array(perfect, np.int64) * unit
    else:
        factor = _usual_factor(nbest) if scale is None else scale
        background = _average_row(nbest, unit)
    if not nbest.metric.higher_is_better:
        factor = -factor
    learner = Mira(kernel, rows, weights, background, unit, length_column, factor, *options)
    return learner, lambda mean: _score(nbest, rows, mean)


def _score(nbest: NBestList, rows: LearnerRows, weights: FloatArray) -> float:
    rows.choose(weights, chosen := np.zeros(nbest.n_segments, np.int64), nbest._counts)
    return float(nbest.metric.score_rows(summed(nbest.stats[chosen], nbest._counts))[0])


def _unit(nbest: NBestList, n_segments: int, decay: float, epochs: int) -> int:
    """Return the number of parts of a count that do not overflow."""
    n_rows = n_segments * epochs + 2.0
    if decay < 1.0:
        n_rows = min(n_rows, 1 / (1 - decay) + 2.0)
    highest = _highest(nbest)
    total = max(highest, 1) * int(n_rows + 1)
    if total > LARGEST_TOTAL:
        raise ValueError(
            f"stats: expected counts whose pseudo-corpus stays below 2**62; got up to "
            f"{highest}; less decay makes it smaller"
        )
    unit = min(FINEST_UNIT, LARGEST_TOTAL // total)
    return unit - 1 + unit % 2


def _highest(nbest: NBestList) -> int:
    """Return the maximum statistic of the segments that count."""
    if nbest._counts is None:
        return int(nbest.stats.max())
    used = spread(nbest._counts > 0, nbest.offsets)
    return int(nbest.stats.max(where=used[:, None], initial=0))


def _average_row(nbest: NBestList, times: int) -> IntArray:
    """Return the mean row of statistics, multiplied by `times` and rounded down."""
    counts = counts_of(nbest)
    starts = nbest.offsets[:-1].astype(np.intp)
    n = int(counts @ np.diff(nbest.offsets))
    kind: Any = np.int64 if _highest(nbest) * n < 2**63 else object  # objects cannot overflow
    totals = counts.astype(kind) @ np.add.reduceat(nbest.stats, starts, axis=0, dtype=kind)
    return np.array([int(total) * times // n for total in totals], np.int64)


def _usual_factor(nbest: NBestList) -> float:
    """Return the factor for which costs, in segments, range over `USUAL_RANGE` on average."""
    counts = counts_of(nbest)
    offsets = nbest.offsets
    n = int(counts.sum())
    background = _average_row(nbest, n)
    ranges = 0.0
    for i in np.flatnonzero(counts):
        scores = nbest.metric.score_rows(background + nbest.stats[offsets[i] : offsets[i + 1]])
        extent = float(np.ptp(scores))
        for _ in range(counts[i]):  # rounded like a sum over copies
            ranges += extent
    mean = ranges / n * (n + 1)
    return USUAL_RANGE / mean if mean > 0.0 else 1.0


def _moses_learner(
    nbest: NBestList, weights: FloatArray, options: tuple[float, float, bool, bool]
) -> tuple[Mira, Callable[[FloatArray], float]]:
    """Return a learner that follows Moses' kbmira, and a function that scores its mean weights."""
    if not isinstance(nbest.metric._kernel, BleuKernel):
        raise ValueError(
            f"nbest: expected BLEU with moses_compat; got {type(nbest.metric).__name__}"
        )
    fewer = _without_equal_features(nbest)
    kernel = nbest.metric._kernel
    rows = make_learner_rows(fewer)
    n_dense = count_dense(fewer)
    start = weights.astype(np.float32).astype(float)
    background = np.ones(kernel.n_stats)
    learner = Mira(kernel, rows, start, background, 1, 1, 1.0, *options, n_dense)
    return learner, lambda mean: 100 * learner.score(mean)


def _without_equal_features(nbest: NBestList) -> NBestList:
    """Return the list in single precision, without repeated features within a segment."""
    features = nbest.features.astype(np.float32, copy=False)
    stats = np.asarray(nbest.stats)
    segments = spread(np.arange(nbest.n_segments), nbest.offsets)
    kept = without_duplicates(segments, features, np.zeros((len(stats), 1), np.int64))
    if len(kept) == len(stats) and nbest.features.dtype == np.float32:
        return nbest
    offsets = np.searchsorted(segments[kept], np.arange(nbest.n_segments + 1))
    return NBestList(features[kept], stats[kept], offsets, metric=nbest.metric, names=nbest.names)
