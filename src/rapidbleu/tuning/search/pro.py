"""Pairwise ranked optimization (Hopkins & May 2011): tuning as classification of pairs."""

from __future__ import annotations

from rapidbleu._core.metrics.bleu import BleuKernel
from rapidbleu._core.tuning.gradients import LogisticLoss, draw_pairs, subtract
from rapidbleu._lib.checks import check_count, check_flag, seed_or_fresh
from rapidbleu._lib.lazy import np
from rapidbleu.parallel import STEPS, check_progress
from rapidbleu.score import RowScoring, check_metric
from rapidbleu.tuning.checks import check_number
from rapidbleu.tuning.nbest import copies_of
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

ITERATIONS = 1000  # of the solver, which takes less than a hundred

# Rows scored together, so that their copies with smoothed lengths stay small.
ROWS = 1 << 16


def pro(
    nbest: NBestList,
    start: Vector | None = None,
    *,
    candidates: int = 5000,
    samples: int = 50,
    min_difference: float = 5.0,
    sentence_metric: RowScoring | None = None,
    smooth_length: bool = False,
    penalty: float = 1.0,
    interpolation: float = 1.0,
    seed: int | None = 12345,
    callback: StepCallback | None = None,
    progress: Progress | None = None,
) -> TuningResult:
    """Tune weights with pairwise ranked optimization.

    Pairs of hypotheses of the same segment are drawn at random and those with the largest
    difference of sentence scores kept; a logistic regression on the differences of their features,
    both ways round, learns which one is better, and its weights are those of the model.

    Parameters
    ----------
    nbest : NBestList
        With dense or sparse features; the metric may be any.
    start : float array of shape (n_features,), or dict of names to numbers, optional
        Where the regression starts, and what its weights are interpolated with; zeros by default.
    candidates : int
        Pairs drawn for each segment (Gamma).
    samples : int
        Pairs kept of these (Xi).
    min_difference : float
        Least difference of the sentence scores of a pair, in the unit of the metric: the published
        0.05 is 5 percent points of BLEU.
    sentence_metric : metric, optional
        What scores a hypothesis, from the same statistics; by default the metric of the list, and
        BLEU+1 where that is BLEU.
    smooth_length : bool
        Add 1 to the reference lengths of BLEU as well, since BLEU+1 alone favours translations that
        are too short (Nakov et al. 2012).
    penalty : float
        Half of it times the squared length of the weights is added to the loss, above 0.
    interpolation : float
        Share of the new weights in the result (Psi), the rest being `start`, from 0 to 1. The
        paper has 0.1; 1 leaves `start` out.
    seed : int or None
        Of the draws; the result depends on nothing else, threads included. None draws one, which
        the result reports.
    callback : callable, optional
        Called with the entry of the history after each iteration of the regression.
    progress : callable, optional
        Called as ``progress(done, n_segments)`` while pairs are drawn.

    Returns
    -------
    TuningResult
        With a history of one dict for each iteration of the regression: iteration and loss. After
        Ctrl-C the weights of the last iteration, or the start.

    Raises
    ------
    ImportError
        If SciPy is not installed.
    ValueError
        If no pair differs enough; for other errors see `mira`.

    Notes
    -----
    Linear in segments times candidates, and in pairs times iterations. Keeps the differences, 12
    bytes for each value.

    References
    ----------
    Mark Hopkins and Jonathan May. 2011. Tuning as Ranking. EMNLP. Preslav Nakov, Francisco
    Guzman and Stephan Vogel. 2012. Optimizing for Sentence-Level BLEU+1 Yields Short Translations.
    COLING.

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
    min_difference = check_number("min_difference", min_difference, 0.0)
    seed = seed_or_fresh(seed)
    start = start_weights(nbest, start)
    history: list[dict[str, Any]] = []
    learned, interrupted = start, False

    def after_iteration(iterate: FloatArray, loss: float) -> None:
        nonlocal learned
        learned = iterate
        history.append({"iteration": len(history) + 1, "loss": loss})
        if callback is not None:
            callback(history[-1])

    try:
        pairs = sample_pairs(
            nbest, sentence_scores(nbest, sentence_metric, smooth_length), candidates=candidates,
            samples=samples, min_difference=min_difference, seed=seed, progress=progress,
        )  # fmt: skip
        if not len(pairs):
            raise ValueError(
                f"min_difference: expected pairs of hypotheses that differ by {min_difference:g}; "
                f"got none in {nbest.n_segments} segments"
            )
        learned = _regression(solve, nbest, pairs, penalty, start, after_iteration)
    except KeyboardInterrupt:
        interrupted = True
    found = share * learned + (1.0 - share) * start
    return TuningResult(
        found, nbest.names, nbest.evaluate(found), "pro", history, interrupted, seed
    )


def sentence_scores(
    nbest: NBestList, metric: RowScoring | None = None, smooth_length: bool = False
) -> FloatArray:
    """Score each hypothesis alone, as pairwise ranking does; more is better: float64[n].

    `metric` has the same statistics as that of the list. By default it is the list's own, or for
    BLEU, of which single segments often have none, BLEU+1 (Lin & Och 2004): correct and total
    n-grams of each order above 1 are one more. `smooth_length` adds 1 to the reference lengths of
    BLEU (Nakov et al. 2012).
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
        is_bleu, kernel = isinstance(metric._kernel, BleuKernel), metric._kernel
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

    Returns row numbers, the better hypothesis first: int64[m, 2], segment by segment, and within
    one the largest differences of the `scores` first, of equal ones those drawn first. The other
    parameters are those of `pro`.

    Notes
    -----
    The draws of a segment are 64 random bits of PCG64 each, upper half first, a half h choosing
    hypothesis ``h * n >> 32`` of n. Linear in segments times candidates.
    """
    random = np.random.PCG64(seed)
    pairs, differences = np.empty((samples, 2), np.int64), np.empty(samples)
    kept = []
    offsets = nbest.offsets.tolist()
    segments = copies_of(nbest).tolist()
    step = max(1, -(-len(segments) // STEPS))
    for done, i in enumerate(segments, 1):
        bits = random.random_raw(candidates)
        n = draw_pairs(
            scores, offsets[i], offsets[i + 1], bits, min_difference, pairs, differences
        )  # fmt: skip
        kept.append(pairs[:n].copy())
        if progress is not None and (done % step == 0 or done == len(segments)):
            progress(done, len(segments))
    return np.concatenate(kept)


def pair_differences(nbest: NBestList, pairs: IntArray) -> tuple[Array, Array, Array]:
    """Return the features of the first hypotheses of pairs less those of the second, without zeros.

    They are a sparse matrix in rows: float64 values, int32 columns, int64 starts of rows.
    """
    room = 2 * nbest.n_features * len(pairs)
    if nbest.is_sparse:
        room = int(np.diff(nbest.features.indptr)[pairs].sum())
    values, columns = np.empty(room), np.empty(room, np.int32)
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

    The solver sees each weight in units of the square root of its curvature at zero, or features of
    very different sizes take it twice as long.
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
        loss_and_gradient, start * units, method="L-BFGS-B", jac=True,
        callback=lambda scaled: after_iteration(scaled / units, last),
        options={"maxiter": ITERATIONS},
    )  # fmt: skip
    weights: FloatArray = solved.x / units
    return weights
