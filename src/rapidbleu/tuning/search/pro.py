"""Pairwise ranked optimization (Hopkins & May 2011): tuning as classification of pairs."""

from __future__ import annotations

from rapidbleu._core.metrics.bleu import BleuKernel
from rapidbleu._core.tuning.gradients import LogisticLoss, draw_pairs, subtract
from rapidbleu._lib.checks import check_count, check_flag, seed_or_fresh
from rapidbleu._lib.loader import np
from rapidbleu.parallel import STEPS, check_progress
from rapidbleu.score import RowScoring, check_metric
from rapidbleu.tuning.checks import check_number
from rapidbleu.tuning.nbest import copies_of, counts_of, spread
from rapidbleu.tuning.search.shared import (
    TuningResult,
    find_solver,
    make_learner_rows,
    start_weights,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rapidbleu._types import Array, FloatArray, IntArray, Progress, StepCallback, Vector
    from rapidbleu.tuning.nbest import NBestList

ITERATIONS = 1000  # limit of the solver, which takes less than a hundred
ROWS = 1 << 16  # rows scored at a time, to keep their copies with smoothed lengths small


def pro(
    nbest: NBestList,
    start: Vector | None = None,
    *,
    candidates: int = 5000,
    samples: int = 50,
    min_difference: float | None = None,
    sentence_metric: RowScoring | None = None,
    smooth_length: bool = False,
    penalty: float = 1.0,
    interpolation: float = 1.0,
    seed: int | None = 12345,
    callback: StepCallback | None = None,
    progress: Progress | None = None,
) -> TuningResult:
    """Tune weights with pairwise ranked optimization.

    Random pairs of hypotheses of each segment are drawn, and the pairs with the largest difference
    of sentence scores kept. A logistic regression on the differences of their features, in both
    directions, learns which one is better; its weights are the model's. Takes time linear in
    segments times candidates, and in pairs times iterations; 12 bytes per nonzero difference.

    The history has a dict per iteration of the regression: iteration and loss. After Ctrl-C,
    returns the weights of the last iteration, or the start. Raises ValueError if no pair differs
    enough, ImportError without SciPy.

    Parameters
    ----------
    nbest : NBestList
        Dense or sparse features, any metric.
    start : float array of shape (n_features,), or dict of names to numbers, optional
        Start of the regression, and weights to interpolate with (default: zeros).
    candidates : int
        Pairs drawn per segment (Gamma).
    samples : int
        Pairs kept per segment (Xi).
    min_difference : float, optional
        Minimum difference of a pair's sentence scores (default: for BLEU the published 5 percentage
        points; otherwise 0.6 standard deviations within segments, which BLEU's 5 points are, too).
    sentence_metric : metric, optional
        Metric of single hypotheses, from the same statistics (default: the list's, or BLEU+1).
    smooth_length : bool
        Add 1 to reference lengths, because BLEU+1 favors short translations (Nakov et al. 2012).
    penalty : float
        Above 0; the loss includes half of it times the squared length of the weights.
    interpolation : float
        Share (Psi) of the new weights in the result, 0 to 1; the rest is `start`. Paper: 0.1.
    seed : int or None
        Seed of the draws; None draws one, which the result reports.
    callback : callable, optional
        Called with the history entry of each iteration of the regression.
    progress : callable, optional
        Called as ``progress(done, n_segments)`` while pairs are drawn.

    References
    ----------
    Mark Hopkins and Jonathan May. 2011. Tuning as Ranking. EMNLP. Preslav Nakov, Francisco Guzman
    and Stephan Vogel. 2012. Optimizing for Sentence-Level BLEU+1 Yields Short Translations. COLING.

    Examples
    --------
    >>> from rapidbleu import BLEU
    >>> from rapidbleu.tuning import NBestList
    >>> hypotheses = [["a b c x", "a b c d e"], ["f g h", "e f g h"]]
    >>> features = [[-1.0, 4], [-2.0, 5], [-1.0, 3], [-1.5, 4]]
    >>> nbest = NBestList.from_lists(hypotheses, features, [["a b c d e", "e f g h"]])
    >>> round(pro(nbest).score, 2)
    100.0
    """
    check_progress(progress)
    check_progress(callback, "callback")
    solve = find_solver("pro")
    penalty = check_number("penalty", penalty, 0.0, above=True)
    share = check_number("interpolation", interpolation, 0.0, 1.0)
    candidates = check_count("candidates", candidates, 1)
    samples = check_count("samples", samples, 1)
    check_flag("smooth_length", smooth_length)
    least = None if min_difference is None else check_number("min_difference", min_difference, 0.0)
    seed = seed_or_fresh(seed)
    start = start_weights(nbest, start)
    history: list[dict[str, Any]] = []
    learned = start
    interrupted = False

    def after_iteration(iterate: FloatArray, loss: float) -> None:
        nonlocal learned
        learned = iterate
        history.append({"iteration": len(history) + 1, "loss": loss})
        if callback is not None:
            callback(history[-1])

    try:
        scores = sentence_scores(nbest, sentence_metric, smooth_length)
        if least is None:
            is_bleu = isinstance((sentence_metric or nbest.metric)._kernel, BleuKernel)
            least = 5.0 if is_bleu else 0.6 * deviation(nbest, scores)
        pairs = sample_pairs(
            nbest,
            scores,
            candidates=candidates,
            samples=samples,
            min_difference=least,
            seed=seed,
            progress=progress,
        )
        if not len(pairs):
            raise ValueError(
                f"min_difference: expected pairs of hypotheses that differ by {least:g}; "
                f"got none in {nbest.n_segments} segments"
            )
        learned = _regression(solve, nbest, pairs, penalty, start, after_iteration)
    except KeyboardInterrupt:
        interrupted = True
    weights = share * learned + (1.0 - share) * start
    score = nbest.evaluate(weights)
    return TuningResult(weights, nbest.names, score, "pro", history, interrupted, seed)


def sentence_scores(
    nbest: NBestList, metric: RowScoring | None = None, smooth_length: bool = False
) -> FloatArray:
    """Return float64[n], a score of each hypothesis alone; higher is better.

    `metric` must have the statistics of the list's metric, the default. For BLEU, often 0 on single
    segments, the default is BLEU+1 (Lin & Och 2004), with 1 more correct and total n-gram of each
    order above 1. `smooth_length` adds 1 to BLEU's reference lengths (Nakov et al. 2012).
    """
    kernel = nbest.metric._kernel
    is_bleu = isinstance(kernel, BleuKernel)
    if metric is not None:
        check_metric(metric, "sentence_metric")
        if metric._kernel.n_stats != kernel.n_stats:
            raise ValueError(
                f"sentence_metric: expected a metric of {kernel.n_stats} statistics, as in nbest; "
                f"got one of {metric._kernel.n_stats}"
            )
        is_bleu = isinstance(metric._kernel, BleuKernel)
        kernel = metric._kernel
    elif isinstance(kernel, BleuKernel):
        kernel = BleuKernel(kernel.max_order, "closest", "add-k", 1.0, False, None)
    if smooth_length and not is_bleu:
        name = type(nbest.metric if metric is None else metric).__name__
        raise ValueError(f"smooth_length: expected BLEU as the metric of nbest; got {name}")
    scores = np.empty(len(nbest), np.float64)
    for begin in range(0, len(nbest), ROWS):
        rows = np.array(nbest.stats[begin : begin + ROWS], np.int64)
        rows[:, 1] += bool(smooth_length)
        kernel.score_rows(rows, scores[begin : begin + ROWS])
    return -scores if kernel.lower_is_better else scores


def deviation(nbest: NBestList, scores: FloatArray) -> float:
    """Return the standard deviation of scores from the mean of their segment."""
    sums = np.add.reduceat(scores, nbest.offsets[:-1].astype(np.intp))
    means = spread(sums / np.diff(nbest.offsets), nbest.offsets)
    counts = spread(counts_of(nbest), nbest.offsets)
    return float(np.sqrt(np.average((scores - means) ** 2, weights=counts)))


def sample_pairs(
    nbest: NBestList,
    scores: FloatArray,
    *,
    candidates: int = 5000,
    samples: int = 50,
    min_difference: float = 5.0,
    seed: int = 12345,
    progress: Progress | None = None,
) -> IntArray:
    """Draw pairs of each segment's hypotheses and keep the most different ones.

    Returns row indices, the better hypothesis first: int64[m, 2], segment by segment, sorted by
    descending difference of the `scores`, ties in the order drawn. Parameters are as in `pro`.

    A draw is 64 random bits of PCG64, upper half first; a half h chooses hypothesis ``h * n >> 32``
    of n. Takes time linear in segments times candidates.
    """
    random = np.random.PCG64(seed)
    pairs = np.empty((samples, 2), np.int64)
    differences = np.empty(samples)
    kept = []
    offsets = nbest.offsets.tolist()
    segments = copies_of(nbest).tolist()
    step = max(1, -(-len(segments) // STEPS))
    for done, i in enumerate(segments, 1):
        bits = random.random_raw(candidates)
        n = draw_pairs(scores, offsets[i], offsets[i + 1], bits, min_difference, pairs, differences)
        kept.append(pairs[:n].copy())
        if progress is not None and (done % step == 0 or done == len(segments)):
            progress(done, len(segments))
    return np.concatenate(kept)


def pair_differences(nbest: NBestList, pairs: IntArray) -> tuple[Array, Array, Array]:
    """Return the nonzero feature differences of pairs, first minus second hypothesis.

    They form a sparse matrix by rows: float64 values, int32 columns, int64 starts of rows.
    """
    room = 2 * nbest.n_features * len(pairs)
    if nbest.is_sparse:
        room = int(np.diff(nbest.features.indptr)[pairs].sum())
    values = np.empty(room)
    columns = np.empty(room, np.int32)
    starts = np.empty(len(pairs) + 1, np.int64)
    n = subtract(make_learner_rows(nbest), pairs, values, columns, starts)
    return values[:n].copy(), columns[:n].copy(), starts


def _regression(
    solve: Callable[..., Any],
    nbest: NBestList,
    pairs: IntArray,
    penalty: float,
    start: FloatArray,
    after_iteration: Callable[[FloatArray, float], None],
) -> FloatArray:
    """Return the weights with the lowest loss.

    The solver sees each weight in units of the square root of its curvature at zero, because
    features of very different sizes would take it twice as long.
    """
    values, columns, starts = pair_differences(nbest, pairs)
    loss = LogisticLoss(values, columns, starts, nbest.n_features, penalty)
    curvature = np.bincount(columns, values * values, minlength=nbest.n_features)
    units = np.sqrt(0.5 * curvature + penalty)
    last = 0.0

    def loss_and_gradient(scaled: FloatArray) -> tuple[float, FloatArray]:
        nonlocal last
        gradient = np.empty_like(scaled)
        last = loss(scaled / units, gradient)
        return last, gradient / units

    solved = solve(
        loss_and_gradient,
        start * units,
        method="L-BFGS-B",
        jac=True,
        callback=lambda scaled: after_iteration(scaled / units, last),
        options={"maxiter": ITERATIONS},
    )
    weights: FloatArray = solved.x / units
    return weights
