"""Minimum error rate training (Och 2003): weights for the best score of the corpus they choose.

A climb searches the lines through its current weights along all directions (`line_search.py`),
takes the best step, and repeats until no step gains enough. The best climb is the result. With
random directions, restarts are an iterated local search instead (`_next_step`). A `WeightPoint`
stores the scores of all hypotheses at the current weights and moves with each step.
"""

from __future__ import annotations

import math
from itertools import chain, pairwise
from typing import NamedTuple

from rapidbleu._core.tuning.line_search import Landscape, WeightPoint
from rapidbleu._lib.checks import check_count, check_flag, check_type, seed_or_fresh
from rapidbleu._lib.lazy import np
from rapidbleu.parallel import check_progress, check_threads, in_parts
from rapidbleu.stats import unmasked
from rapidbleu.tuning.checks import check_number, check_pair, check_weights, places_of
from rapidbleu.tuning.nbest import NBestList, counts_of
from rapidbleu.tuning.search.line_search import best_point, check_smooth
from rapidbleu.tuning.search.shared import TuningResult, normalized

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import Any

    from rapidbleu._types import (
        Bounds,
        FloatArray,
        IntArray,
        Norm,
        Progress,
        Smoothing,
        StepCallback,
        Weights,
    )

MIN_GAIN = 1e-7  # percent; smaller gains are rounding errors
MOSES_MIN_GAIN = 0.01  # percent of BLEU; Moses stops after a step that gains no more
TOGETHER = 256  # directions drawn at a time, so memory does not grow with the random ones
ROUND = 8  # climbs that start from the same pool, so that threads can share them
POOL = 20  # best ends of climbs near which the next ones start
AFAR = 0.25  # share of starts that are drawn from the whole ranges
NEAR = (0.05, 0.5)  # lengths of the steps from an end to the next start, relative to its weights


class MertResult(TuningResult):
    """Weights found by `mert`, and the climbs from all starts.

    The history has a dict per step: start, step, direction, x, score, and the objective that
    selected the step: the smoothed score (negated for an error rate) minus the added penalty.

    Attributes
    ----------
    starts : list of dict
        ``start``, ``weights``, ``score``, ``objective`` and number of ``steps`` of each climb,
        those from given weights first. A wide spread means that a single climb is unreliable.

    Examples
    --------
    >>> from rapidbleu.tuning import NBestList, mert
    >>> nbest = NBestList.from_lists([["a b c d", "a b c e"]], [[0, 1], [1, 0]], [["a b c e"]])
    >>> found = mert(nbest, [0, 1])
    >>> round(found.score, 2), found.starts[0]["start"]
    (100.0, array([0., 1.]))
    """

    def __init__(self, *args: Any, starts: list[dict[str, Any]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.starts = starts


def mert(
    nbest: NBestList,
    start: Weights | None = None,
    *,
    restarts: int = 20,
    axes: bool = True,
    random_directions: int = 0,
    fixed: Collection[str] = (),
    bounds: Bounds | None = None,
    ranges: Bounds | None = None,
    normalize: Norm | None = "l1",
    min_gain: float | None = None,
    max_steps: int = 1000,
    smooth: Smoothing | None = None,
    penalty: float = 0.0,
    seed: int | None = 12345,
    threads: int = 1,
    callback: StepCallback | None = None,
    progress: Progress | None = None,
    moses_compat: bool = False,
) -> MertResult:
    """Tune weights by exact line searches, for the best score of the corpus they choose.

    From each start, the best step along any direction is taken until none gains enough (steepest
    coordinate ascent, the "powell" of Moses). After Ctrl-C, returns the best so far.

    Parameters
    ----------
    nbest : NBestList
        Dense features. Use `WeightedSum` to combine metrics and `SegmentScores` for given segment
        scores; error rates such as TER are minimized.
    start : float array of shape (n_features,) or (k, n_features), or dict, optional
        One or more starts (default: equal weights).
    restarts : int
        Number of additional random starts.
    axes : bool
        Search along each feature.
    random_directions : int
        Number of random directions, uniform on the sphere, also searched in each step. With them,
        restarts begin near the best weights found so far, except for one in four; half of their
        random directions connect two of these weights; and they take each step that gains at
        once. This finds higher scores in less time, but not with `moses_compat`.
    fixed : collection of str
        Names of features whose weights do not change.
    bounds : dict of str to (low, high), or float array of shape (n_features, 2), optional
        Limits of the weights, infinite where missing.
    ranges : as `bounds`, optional
        Ranges of random starts (default: ±1 / the feature's standard deviation within segments).
    normalize : {"l1", "l2", None}
        Norm to scale the weights to; ignored with `fixed` or `bounds`.
    min_gain : float, optional
        Gain, in the unit of the metric, that a step must exceed (default: 1e-7). `moses_compat`
        (default: 0.01) still takes the first step that gains less, but something.
    max_steps : int
        Maximum number of steps per climb.
    smooth : ("mean" or "min", window), optional
        Maximize the mean or the minimum of the scores over this many intervals on either side,
        which generalizes better than a peak.
    penalty : float
        Factor of the squared distance from the first start, which is subtracted.
    seed : int or None
        Seed for starts and directions, independent of `threads`; None draws one and reports it.
    threads : int
        Number of threads, 0 for all cores; over starts, or over directions if there is one start.
    callback : callable, optional
        Called with the history entry of each step, one call at a time.
    progress : callable, optional
        Called as ``progress(done, n_starts)`` after each climb.
    moses_compat : bool
        Follow Moses step by step: its choice of points on a line, single precision, stop after a
        step that gains at most 0.01 percent, and choice of the best climb by the smoothed score.
        Random starts and directions differ from Moses'.

    References
    ----------
    Och, F. J. 2003. Minimum Error Rate Training in Statistical Machine Translation. ACL. Cer, D.,
    Jurafsky, D., Manning, C. D. 2008. Regularization and Search for Minimum Error Rate Training.
    WMT. Moore, R. C., Quirk, C. 2008. Random Restarts in Minimum Error Rate Training for
    Statistical Machine Translation. COLING.

    Examples
    --------
    >>> hypotheses = [["a b c x", "a b c d e"], ["e f g h", "f g h"]]
    >>> features = [[-1.0, 4], [-2.0, 5], [-1.5, 4], [-1.0, 3]]
    >>> references = [["a b c d e", "e f g h"]]
    >>> nbest = NBestList.from_lists(hypotheses, features, references, names=["lm", "length"])
    >>> mert(nbest, {"lm": 1, "length": 0}, fixed=["lm"])
    mert: 100.0000
      lm      1
      length  1.1
    """
    check_progress(progress)
    check_progress(callback, "callback")
    n_drawn = check_count("restarts", restarts, 0)
    seed = seed_or_fresh(seed)
    smoothing, window = check_smooth(smooth)
    moses = check_flag("moses_compat", moses_compat)
    axes = check_flag("axes", axes)
    if min_gain is None:
        min_gain = MOSES_MIN_GAIN if moses else MIN_GAIN
    n_random = check_count("random_directions", random_directions, 0)
    penalty = check_number("penalty", penalty, 0.0)
    min_gain = check_number("min_gain", min_gain, 0.0)
    max_steps = check_count("max_steps", max_steps, 0)
    if not axes and not n_random:
        raise ValueError("axes, random_directions: expected directions to search; got none")
    if normalize not in ("l1", "l2", None):
        raise ValueError(f"normalize: expected 'l1', 'l2' or None; got {normalize!r}")
    threads = check_threads(threads)
    check_type("nbest", nbest, NBestList)
    nbest._feature_columns()  # which refuses sparse features
    given = np.full((1, nbest.n_features), 1 / nbest.n_features)
    if start is not None:
        given = check_weights(start, nbest.names, "start").reshape(-1, nbest.n_features)
    if not len(given):
        raise ValueError("start: expected at least one vector; got none")
    free = check_fixed(fixed, nbest.names)
    low, high = check_bounds("bounds", bounds, nbest.names).T
    _check_starts(given, low, high, nbest.names)
    pooled = bool(n_drawn and n_random and not moses)
    drawn_from = scales = np.empty((0, 2))
    if n_drawn:
        drawn_from = scales = default_ranges(nbest)
    if ranges is not None:
        drawn_from = check_bounds("ranges", ranges, nbest.names)

    def begin(number: int, pool: list[_Climb]) -> _Climb:
        # The child that `SeedSequence(seed).spawn` makes as this one of any number of children.
        sequence = np.random.SeedSequence(seed, spawn_key=(number,))
        generator = np.random.default_rng(sequence)
        if number < len(given):
            return _Climb(number, given[number], generator)
        if pool and generator.random() >= AFAR:
            drawn = _near(pool[generator.integers(len(pool))].weights, scales[:, 1], generator)
        else:
            drawn = generator.uniform(drawn_from[:, 0], drawn_from[:, 1])
        drawn = np.clip(drawn, low, high)
        return _Climb(number, np.where(free == 1, drawn, given[0]), generator, pool)

    search = _Search(
        nbest,
        np.flatnonzero(free * axes),
        n_random,
        free,
        low,
        high,
        smoothing,
        window,
        moses,
        penalty,
        given[0],
        min_gain,
        max_steps,
    )
    climbs, interrupted = _climb_all(
        search, begin, len(given), n_drawn, pooled, threads, callback, progress
    )
    best = max(climbs or [begin(0, [])], key=lambda climb: climb.objective)
    norm = normalize if bounds is None and free.all() else None
    found = normalized(best.weights, norm)
    return MertResult(
        found,
        nbest.names,
        nbest._score(found),
        "mert",
        [entry for climb in climbs for entry in climb.steps],
        interrupted,
        seed,
        starts=[
            {
                "start": climb.start,
                "weights": normalized(climb.weights, norm),
                "score": climb.score,
                "objective": climb.objective,
                "steps": len(climb.steps),
            }
            for climb in climbs
            if climb.score is not None
        ],
    )


class _Search(NamedTuple):
    nbest: NBestList
    axes: IntArray  # features searched along their own direction
    n_random: int  # random directions per step
    free: FloatArray  # 1 for weights that may change, else 0
    low: FloatArray
    high: FloatArray
    smoothing: str
    window: int
    moses: bool
    penalty: float  # factor of the squared distance from `prior`
    prior: FloatArray
    min_gain: float
    max_steps: int


class _Climb:
    """A climb from one start: the best weights so far, and the steps to them.

    Climbs are compared by `objective`: the score, negated if lower is better; with Moses' rules the
    possibly smoothed objective of the last step.
    """

    def __init__(
        self,
        number: int,
        start: FloatArray,
        generator: np.random.Generator,
        pool: Sequence[_Climb] = (),
    ) -> None:
        self.number = number
        self.start = start
        self.generator = generator  # for random directions
        self.pool = pool  # climbs near whose ends it starts; if any, it takes each step that gains
        self.queue: list[tuple[str, FloatArray]] = []  # directions to search next, from the end
        self.drawn = 0  # directions of this pass that were queued
        self.weights = start
        self.score: float | None = None
        self.objective = -math.inf
        self.steps: list[dict[str, Any]] = []


class _Step(NamedTuple):
    name: str
    direction: FloatArray
    x: float
    score: float
    objective: float
    here: float  # objective at x = 0


def _climb_all(
    search: _Search,
    begin: Callable[[int, list[_Climb]], _Climb],
    n_given: int,
    n_drawn: int,
    pooled: bool,
    threads: int,
    callback: StepCallback | None,
    progress: Progress | None,
) -> tuple[list[_Climb], bool]:
    """Climb from all starts; return the climbs that began, and whether Ctrl-C ended them.

    Threads share the starts, or the directions of each step if there is one start. If `pooled`,
    the drawn starts come in rounds, which start near the best ends of the rounds before.
    """
    from _thread import allocate_lock

    n_starts = n_given + n_drawn
    rounds = chain([0], range(n_given, n_starts, ROUND) if pooled else (), [n_starts])
    nbest, kernel = search.nbest, search.nbest.metric._kernel
    over_starts, over_lines = (threads, 1) if n_starts > 1 else (1, min(threads, TOGETHER))
    lock, done = allocate_lock(), 0
    climbs: list[_Climb] = []
    pool: list[_Climb] = []  # of the best different ends before this round
    failed: list[bool] = []  # set by a failing thread, so that the rest stop early

    def report(entry: dict[str, Any]) -> None:
        if callback is not None:
            with lock:
                callback(entry)

    def work(first: int, last: int, stop: list[BaseException]) -> None:
        nonlocal done
        point = WeightPoint(nbest._feature_columns(), nbest._counts)
        landscapes = [Landscape(kernel, nbest.stats) for _ in range(over_lines)]
        for number in range(first, last):
            if stop or failed:
                break
            climbs.append(climb := begin(number + before, pool))
            try:
                _ascend(search, climb, point, landscapes, report, stop)
                with lock:
                    done += 1
                    if progress is not None:
                        progress(done, n_starts)
            except BaseException:
                failed.append(True)
                raise

    interrupted = False
    try:
        for before, after in pairwise(rounds):
            in_parts(work, after - before, over_starts, 1)
            ended = sorted([*pool, *climbs[before:]], key=lambda climb: -climb.number)
            ends = {climb.objective: climb for climb in ended}
            pool = sorted(ends.values(), key=lambda climb: -climb.objective)[:POOL]
    except KeyboardInterrupt:
        interrupted = True
    return sorted(climbs, key=lambda climb: climb.number), interrupted


def _ascend(
    search: _Search,
    climb: _Climb,
    point: WeightPoint,
    landscapes: list[Landscape],
    report: StepCallback,
    stop: list[BaseException],
) -> None:
    """Take the best step until none gains enough.

    With Moses' rules everything is in single precision, gains are relative to the objective of the
    last step, and the first step that gains too little, but something, is taken before the end.
    """
    moses, lower_is_better = search.moses, search.nbest.metric._kernel.lower_is_better
    if moses:
        climb.weights = climb.weights.astype(np.float32).astype(np.float64)
    point.place(climb.weights, stop, moses)
    climb.score = search.nbest._score(climb.weights)
    climb.objective = -climb.score if lower_is_better else climb.score
    find = _next_step if climb.pool else _best_step
    for number in range(1, search.max_steps + 1):
        best = find(search, climb, point, landscapes, stop)
        if best is None:
            return
        gain = _gain(search, climb, best)
        if gain <= (MIN_GAIN if moses else search.min_gain):
            return
        if moses:
            step = np.float32(best.x) * best.direction.astype(np.float32)
            weights = (step + climb.weights.astype(np.float32)).astype(np.float64)
            climb.objective = best.objective
        else:
            weights = climb.weights + best.x * best.direction
            climb.objective = -best.score if lower_is_better else best.score
        climb.weights = np.clip(weights, search.low, search.high)
        climb.score = best.score
        entry = {
            "start": climb.number,
            "step": number,
            "direction": best.name,
            "x": best.x,
            "score": best.score,
            "objective": best.objective,
        }
        climb.steps.append(entry)
        report(entry)
        if gain <= search.min_gain or number == search.max_steps:
            return
        if moses:
            point.place(climb.weights, stop, True)
        else:
            point.move(best.direction, best.x, stop)


def _gain(search: _Search, climb: _Climb, step: _Step) -> float:
    is_score = search.penalty == 0.0 and (search.moses or search.smoothing == "none")
    return step.objective - (climb.objective if is_score else step.here)


def _near(weights: FloatArray, scales: FloatArray, generator: np.random.Generator) -> FloatArray:
    """Return weights at a random distance, in which all features have the same influence."""
    length = float(np.linalg.norm(weights / scales)) * math.exp(generator.uniform(*np.log(NEAR)))
    step: FloatArray = generator.normal(size=len(weights)) * scales
    return weights + length / math.sqrt(len(weights)) * step


def _unit(weights: FloatArray) -> FloatArray:
    return weights / (float(np.linalg.norm(weights)) or 1.0)


def _next_step(
    search: _Search,
    climb: _Climb,
    point: WeightPoint,
    landscapes: list[Landscape],
    stop: list[BaseException],
) -> _Step | None:
    """Return the next step that gains enough, None if all directions have none.

    They are the axes, half of the random directions, and as many differences between two ends of
    the pool, in random order.
    """
    n = len(search.axes) + search.n_random
    generator, pool = climb.generator, climb.pool
    for _ in range(n):
        if not climb.queue:
            begin, end = climb.drawn, min(climb.drawn + TOGETHER, n)
            directions = _directions(search, generator, begin, end)
            for i in range(max(begin, n - search.n_random // 2), end):
                ends = [pool[k].weights for k in generator.integers(len(pool), size=2)]
                along = search.free * (_unit(ends[0]) - _unit(ends[1]))
                if along.any():
                    directions[i - begin] = ("difference", along)
            climb.queue = [directions[i] for i in generator.permutation(end - begin)]
            climb.drawn = end % n
        (step,) = _search_lines(search, climb, [climb.queue.pop()], point, landscapes, stop)
        if step is not None and _gain(search, climb, step) > search.min_gain:
            return step
    return None


def _best_step(
    search: _Search,
    climb: _Climb,
    point: WeightPoint,
    landscapes: list[Landscape],
    stop: list[BaseException],
) -> _Step | None:
    """Return the step with the highest objective along any direction; ties go to the first."""
    best: _Step | None = None
    n = len(search.axes) + search.n_random
    for begin in range(0, n, TOGETHER):
        directions = _directions(search, climb.generator, begin, min(begin + TOGETHER, n))
        for step in _search_lines(search, climb, directions, point, landscapes, stop):
            if step is not None and (best is None or step.objective > best.objective):
                best = step
    return best


def _directions(
    search: _Search, generator: np.random.Generator, begin: int, end: int
) -> list[tuple[str, FloatArray]]:
    """Return directions `begin` to `end` with their names: the axes, then random unit vectors."""
    directions = []
    for j in search.axes[begin:end]:
        direction = np.zeros(len(search.free))
        direction[j] = 1.0
        directions.append((search.nbest.names[j], direction))
    for _ in range(max(begin, len(search.axes)), end):
        direction = generator.normal(size=len(search.free)) * search.free
        directions.append(("random", direction / np.linalg.norm(direction)))
    return directions


def _search_lines(
    search: _Search,
    climb: _Climb,
    directions: list[tuple[str, FloatArray]],
    point: WeightPoint,
    landscapes: list[Landscape],
    stop: list[BaseException],
) -> list[_Step | None]:
    """Return the best step along each direction, None if bounds leave no room."""
    steps: list[_Step | None] = [None] * len(directions)
    idle, penalty = list(landscapes), search.penalty

    def work(begin: int, end: int, own_stop: list[BaseException]) -> None:
        landscape = idle.pop()
        for i in range(begin, end):
            name, direction = directions[i]
            low, high = _room(search, climb.weights, direction)
            if low < high:
                slope = 2 * penalty * float(direction @ (climb.weights - search.prior))
                x, score, objective, here, *_ = best_point(
                    landscape,
                    point,
                    direction,
                    low,
                    high,
                    search.smoothing,
                    search.window,
                    search.moses,
                    slope,
                    penalty * float(direction @ direction),
                    stop or own_stop,
                )
                steps[i] = _Step(name, direction, x, score, objective, here)
        idle.append(landscape)

    in_parts(work, len(directions), len(landscapes), 1)
    return steps


def _room(search: _Search, weights: FloatArray, direction: FloatArray) -> tuple[float, float]:
    used = direction != 0
    to_low = (search.low[used] - weights[used]) / direction[used]
    to_high = (search.high[used] - weights[used]) / direction[used]
    return (
        float(np.minimum(to_low, to_high).max(initial=-np.inf)),
        float(np.maximum(to_low, to_high).min(initial=np.inf)),
    )


def _check_starts(
    starts: FloatArray, low: FloatArray, high: FloatArray, names: Sequence[str]
) -> None:
    wrong = (starts < low) | (starts > high)
    if wrong.any():
        i, j = next(zip(*wrong.nonzero(), strict=True))
        raise ValueError(
            f"start: expected {names[j]!r} within its bounds, {low[j]:g} to {high[j]:g}; "
            f"got {starts[i, j]:g}"
        )


def check_fixed(fixed: Collection[str], names: Sequence[str]) -> FloatArray:
    """Return 1 for each feature whose weight may change, else 0."""
    if isinstance(fixed, str) or not hasattr(fixed, "__iter__"):
        got = "a single str" if isinstance(fixed, str) else type(fixed).__name__
        raise TypeError(f"fixed: expected a collection of names; got {got}")
    free = np.ones(len(names))
    free[places_of(fixed, names, "fixed")] = 0
    if not free.any():
        raise ValueError("fixed: expected to leave at least one feature; got all of them")
    return free


def check_bounds(what: str, bounds: Bounds | None, names: Sequence[str]) -> FloatArray:
    """Return the lower and upper bound of each weight, in two columns.

    >>> check_bounds("bounds", {"lm": (0, 1)}, ["lm", "length"])
    array([[  0.,   1.],
           [-inf,  inf]])
    """
    from collections.abc import Mapping

    limits = np.tile([-np.inf, np.inf], (len(names), 1))
    if bounds is None:
        return limits
    if isinstance(bounds, Mapping):
        places = places_of(bounds, names, what)
        for i, (name, pair) in zip(places, bounds.items(), strict=True):
            limits[i] = check_pair(f"{what}[{name!r}]", pair)
    else:
        given = np.asarray(unmasked(bounds, what), np.float64)
        if given.shape != limits.shape:
            raise ValueError(f"{what}: expected shape {limits.shape}; got {given.shape}")
        limits = given
    for name, (low, high) in zip(names, limits, strict=True):
        if not low <= high:
            raise ValueError(f"{what}: expected low <= high for {name!r}; got {low:g} and {high:g}")
        if what == "ranges" and not high - low < np.inf:
            raise ValueError(f"{what}: expected finite ones; got {low:g} to {high:g} for {name!r}")
    return limits


def default_ranges(nbest: NBestList) -> FloatArray:
    """Return ranges of weights in which all features have the same influence.

    They are -1 to 1, divided by the feature's standard deviation within segments.
    """
    offsets = nbest.offsets.astype(np.intp)
    starts, lengths = offsets[:-1], np.diff(offsets)
    copies = counts_of(nbest).astype(np.intp)
    scales = np.ones(nbest.n_features)
    for j, column in enumerate(nbest.features.T):
        values = column.astype(np.float64)
        means = np.add.reduceat(values, starts) / lengths
        squares = np.add.reduceat((values - np.repeat(means, lengths)) ** 2, starts)
        deviation = np.sqrt(np.repeat(squares / lengths, copies).mean())
        if deviation > 0:
            scales[j] = 1 / deviation
    return np.outer(scales, [-1.0, 1.0])
