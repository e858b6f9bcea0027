"""Minimum error rate training (Och 2003): weights for the best score of the corpus they choose.

A climb searches the lines through its current weights along all directions (`line_search.py`),
takes the best step, and repeats until no step gains enough. The best climb is the result. With
random directions, restarts are an iterated local search instead (`_LocalSearch`). A `WeightPoint`
stores the scores of all hypotheses at the current weights and moves with each step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from rapidbleu._core.tuning.line_search import Landscape, WeightPoint
from rapidbleu._lib.checks import check_count, check_flag, check_type, seed_or_fresh
from rapidbleu._lib.loader import np
from rapidbleu.parallel import check_progress, check_threads, in_parts
from rapidbleu.stats import unmasked
from rapidbleu.tuning.checks import check_number, check_pair, check_weights, places_of
from rapidbleu.tuning.nbest import NBestList, counts_of
from rapidbleu.tuning.search.line_search import best_point, check_smooth
from rapidbleu.tuning.search.shared import TuningResult, normalized

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
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


@dataclass(eq=False, repr=False, kw_only=True)
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

    starts: list[dict[str, Any]]


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
    starts = np.full((1, nbest.n_features), 1 / nbest.n_features)
    if start is not None:
        starts = check_weights(start, nbest.names, "start").reshape(-1, nbest.n_features)
    if not len(starts):
        raise ValueError("start: expected at least one vector; got none")
    free = check_fixed(fixed, nbest.names)
    low, high = check_bounds("bounds", bounds, nbest.names).T
    wrong = (starts < low) | (starts > high)
    if wrong.any():
        i, j = next(zip(*wrong.nonzero(), strict=True))
        raise ValueError(
            f"start: expected {nbest.names[j]!r} within its bounds, {low[j]:g} to {high[j]:g}; "
            f"got {starts[i, j]:g}"
        )
    n_starts = len(starts) + n_drawn
    rounds = [0, n_starts]
    scales = np.empty((0, 2))
    if n_drawn:
        scales = default_ranges(nbest)
        if n_random and not moses:  # the drawn starts come in rounds, near the best ends before
            rounds[1:1] = range(len(starts), n_starts, ROUND)
    drawn_from = scales if ranges is None else check_bounds("ranges", ranges, nbest.names)
    searched = np.flatnonzero(free * axes)
    search = _Search(
        nbest,
        starts,
        drawn_from,
        scales,
        seed,
        searched,
        n_random,
        len(searched) + n_random,
        free,
        low,
        high,
        smoothing,
        window,
        moses,
        penalty,
        min_gain,
        max_steps,
    )
    climbs, interrupted = _climb_all(search, rounds, threads, callback, progress)
    best = max(climbs or [search.begin(0, [])], key=lambda climb: climb.objective)
    norm = normalize if bounds is None and free.all() else None
    weights = normalized(best.weights, norm)
    return MertResult(
        weights,
        nbest.names,
        nbest._score(weights),
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
    """What all climbs have in common."""

    nbest: NBestList
    starts: FloatArray  # given ones
    drawn_from: FloatArray  # ranges of the other starts
    scales: FloatArray  # ranges in which all features have the same influence
    seed: int
    axes: IntArray  # features searched along their own direction
    n_random: int  # random directions per step
    n_directions: int  # of both kinds
    free: FloatArray  # 1 for weights that may change, else 0
    low: FloatArray
    high: FloatArray
    smoothing: str
    window: int
    moses: bool
    penalty: float  # factor of the squared distance from the first start
    min_gain: float
    max_steps: int

    def begin(self, number: int, pool: list[_Climb]) -> _Climb:
        """Return the climb from a start: a given one, a random one, or one near an end in `pool`.

        A climb with a pool is a local search.
        """
        # The child that `SeedSequence(seed).spawn` makes as this one of any number of children.
        sequence = np.random.SeedSequence(self.seed, spawn_key=(number,))
        generator = np.random.default_rng(sequence)
        if number < len(self.starts):
            start = self.starts[number]
        else:
            if pool and generator.random() >= AFAR:
                # At a random distance from an end, with the same influence of all features.
                end = pool[generator.integers(len(pool))].weights
                scales = self.scales[:, 1]
                factor = math.exp(generator.uniform(*np.log(NEAR)))
                length = float(np.linalg.norm(end / scales)) * factor
                step = generator.normal(size=len(end)) * scales
                start = end + length / math.sqrt(len(end)) * step
            else:
                start = generator.uniform(self.drawn_from[:, 0], self.drawn_from[:, 1])
            start = np.where(self.free == 1, np.clip(start, self.low, self.high), self.starts[0])
        kind = _LocalSearch if pool else _Climb
        return kind(self, number, start, generator, pool)

    def directions(
        self, generator: np.random.Generator, begin: int, end: int
    ) -> list[tuple[str, FloatArray]]:
        """Return directions `begin` to `end` with their names: the axes, then random unit vectors.

        At most `TOGETHER` of them.
        """
        directions = []
        for j in self.axes[begin:end]:
            direction = np.zeros(len(self.free))
            direction[j] = 1.0
            directions.append((self.nbest.names[j], direction))
        for _ in range(max(begin, len(self.axes)), end):
            direction = generator.normal(size=len(self.free)) * self.free
            directions.append(("random", direction / np.linalg.norm(direction)))
        return directions


class _Step(NamedTuple):
    name: str
    direction: FloatArray
    x: float
    score: float
    objective: float
    here: float  # objective at x = 0


class _Lines(NamedTuple):
    """The line searches of one thread, or of several for one climb, through the same point."""

    search: _Search
    point: WeightPoint
    landscapes: list[Landscape]  # one for each thread
    stop: list[BaseException]

    def best_steps(
        self, weights: FloatArray, directions: list[tuple[str, FloatArray]]
    ) -> list[_Step | None]:
        """Return the best step along each direction, on all landscapes."""
        steps: list[_Step | None] = [None] * len(directions)
        idle = list(self.landscapes)

        def work(begin: int, end: int, stop: list[BaseException]) -> None:
            landscape = idle.pop()
            for i in range(begin, end):
                steps[i] = self.best_step(weights, *directions[i], landscape, self.stop or stop)
            idle.append(landscape)

        in_parts(work, len(directions), len(idle), 1)
        return steps

    def best_step(
        self,
        weights: FloatArray,
        name: str,
        direction: FloatArray,
        landscape: Landscape,
        stop: list[BaseException],
    ) -> _Step | None:
        """Return the best step along a direction from the point, which is at `weights`.

        None if bounds leave no room.
        """
        search = self.search
        used = direction != 0
        to_low = (search.low[used] - weights[used]) / direction[used]
        to_high = (search.high[used] - weights[used]) / direction[used]
        low = float(np.minimum(to_low, to_high).max(initial=-np.inf))
        high = float(np.maximum(to_low, to_high).min(initial=np.inf))
        if not low < high:
            return None
        slope = 0.0
        curvature = 0.0
        if search.penalty:
            slope = 2 * search.penalty * float(direction @ (weights - search.starts[0]))
            curvature = search.penalty * float(direction @ direction)
        x, score, objective, here, *_ = best_point(
            landscape,
            self.point,
            direction,
            low,
            high,
            search.smoothing,
            search.window,
            search.moses,
            slope,
            curvature,
            stop,
        )
        return _Step(name, direction, x, score, objective, here)


@dataclass(eq=False)
class _Climb:
    """A climb from one start: the best weights so far, and the steps to them.

    Climbs are compared by `objective`: the score, negated if lower is better; with Moses' rules the
    possibly smoothed objective of the last step.
    """

    search: _Search
    number: int
    start: FloatArray
    generator: np.random.Generator  # for random directions
    pool: list[_Climb]
    score: float | None = None
    objective: float = -math.inf

    def __post_init__(self) -> None:
        self.weights = self.start
        self.steps: list[dict[str, Any]] = []

    def ascend(self, lines: _Lines, report: StepCallback) -> None:
        """Take the best step until none gains enough.

        With Moses' rules everything is in single precision, gains are relative to the objective of
        the last step, and the first step that gains too little, but something, is taken before the
        end.
        """
        search = self.search
        sign = -1.0 if search.nbest.metric._kernel.lower_is_better else 1.0
        if search.moses:
            self.weights = self.weights.astype(np.float32).astype(np.float64)
        lines.point.place(self.weights, lines.stop, search.moses)
        self.score = search.nbest._score(self.weights)
        self.objective = sign * self.score
        for number in range(1, search.max_steps + 1):
            step = self.find_step(lines)
            if step is None:
                return
            gain = self.gain(step)
            if gain <= (MIN_GAIN if search.moses else search.min_gain):
                return
            if search.moses:
                change = np.float32(step.x) * step.direction.astype(np.float32)
                weights = (change + self.weights.astype(np.float32)).astype(np.float64)
                self.objective = step.objective
            else:
                weights = self.weights + step.x * step.direction
                self.objective = sign * step.score
            self.weights = np.clip(weights, search.low, search.high)
            self.score = step.score
            entry = {
                "start": self.number,
                "step": number,
                "direction": step.name,
                "x": step.x,
                "score": step.score,
                "objective": step.objective,
            }
            self.steps.append(entry)
            report(entry)
            if gain <= search.min_gain or number == search.max_steps:
                return
            if search.moses:
                lines.point.place(self.weights, lines.stop, True)
            else:
                lines.point.move(step.direction, step.x, lines.stop)

    def gain(self, step: _Step) -> float:
        search = self.search
        is_score = search.penalty == 0.0 and (search.moses or search.smoothing == "none")
        return step.objective - (self.objective if is_score else step.here)

    def find_step(self, lines: _Lines) -> _Step | None:
        """Return the step with the highest objective along any direction; ties go to the first."""
        best: _Step | None = None
        n = self.search.n_directions
        for begin in range(0, n, TOGETHER):
            directions = self.search.directions(self.generator, begin, min(begin + TOGETHER, n))
            for step in lines.best_steps(self.weights, directions):
                if step is not None and (best is None or step.objective > best.objective):
                    best = step
        return best


class _LocalSearch(_Climb):
    """A climb that takes each step that gains, until no direction has one.

    Directions are the axes, half of the random directions, and as many differences between two ends
    of the pool, in random order.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self.queue: list[tuple[str, FloatArray]] = []  # directions to search next, from the end
        self.n_drawn = 0  # directions of this pass that were queued

    def find_step(self, lines: _Lines) -> _Step | None:
        n = self.search.n_directions
        for _ in range(n):
            if not self.queue:
                self.queue = self.draw(self.n_drawn, min(self.n_drawn + TOGETHER, n))
                self.n_drawn = (self.n_drawn + len(self.queue)) % n
            direction = self.queue.pop()
            step = lines.best_step(self.weights, *direction, lines.landscapes[0], lines.stop)
            if step is not None and self.gain(step) > self.search.min_gain:
                return step
        return None

    def draw(self, begin: int, end: int) -> list[tuple[str, FloatArray]]:
        """Return directions `begin` to `end` of a pass, in random order."""
        search = self.search
        generator = self.generator
        directions = search.directions(generator, begin, end)
        for i in range(max(begin, search.n_directions - search.n_random // 2), end):
            first, second = (
                self.pool[k].weights for k in generator.integers(len(self.pool), size=2)
            )
            difference = search.free * (_unit(first) - _unit(second))
            if difference.any():
                directions[i - begin] = ("difference", difference)
        return [directions[i] for i in generator.permutation(end - begin)]


def _climb_all(
    search: _Search,
    rounds: list[int],
    threads: int,
    callback: StepCallback | None,
    progress: Progress | None,
) -> tuple[list[_Climb], bool]:
    """Climb from all starts; return the climbs that began, and whether Ctrl-C ended them.

    `rounds` are the numbers of the first start of each round, and the number of starts. A round
    starts near the best ends of the rounds before. Threads share the starts of a round, or the
    directions of each step if there is one start.
    """
    from _thread import allocate_lock

    n_starts = rounds[-1]
    nbest = search.nbest
    over_starts, over_lines = (threads, 1) if n_starts > 1 else (1, min(threads, TOGETHER))
    lock = allocate_lock()
    n_done = 0
    climbs: list[_Climb] = []
    pool: list[_Climb] = []  # of the best different ends before this round
    failed: list[bool] = []  # set by a failing thread, so that the rest stop early

    def report(entry: dict[str, Any]) -> None:
        if callback is not None:
            with lock:
                callback(entry)

    def work(begin: int, end: int, stop: list[BaseException]) -> None:
        nonlocal n_done
        point = WeightPoint(nbest._feature_columns(), nbest._counts)
        landscapes = [Landscape(nbest.metric._kernel, nbest.stats) for _ in range(over_lines)]
        lines = _Lines(search, point, landscapes, stop)
        for number in range(first + begin, first + end):
            if stop or failed:
                break
            climb = search.begin(number, pool)
            climbs.append(climb)
            try:
                climb.ascend(lines, report)
                with lock:
                    n_done += 1
                    if progress is not None:
                        progress(n_done, n_starts)
            except BaseException:
                failed.append(True)
                raise

    interrupted = False
    try:
        for first, last in pairwise(rounds):
            in_parts(work, last - first, over_starts, 1)
            ended = sorted([*pool, *climbs[first:]], key=lambda climb: -climb.number)
            ends = {climb.objective: climb for climb in ended}
            pool = sorted(ends.values(), key=lambda climb: -climb.objective)[:POOL]
    except KeyboardInterrupt:
        interrupted = True
    return sorted(climbs, key=lambda climb: climb.number), interrupted


def _unit(weights: FloatArray) -> FloatArray:
    return weights / (float(np.linalg.norm(weights)) or 1.0)


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
        indices = places_of(bounds, names, what)
        for i, (name, pair) in zip(indices, bounds.items(), strict=True):
            limits[i] = check_pair(f"{what}[{name!r}]", pair)
    else:
        array = np.asarray(unmasked(bounds, what), np.float64)
        if array.shape != limits.shape:
            raise ValueError(f"{what}: expected shape {limits.shape}; got {array.shape}")
        limits = array
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
    starts = offsets[:-1]
    lengths = np.diff(offsets)
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
