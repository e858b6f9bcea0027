"""Minimum error rate training: weights that maximise the score of the corpus they choose."""

import math

from rapidbleu._core.tuning.line_search import Landscape, WeightPoint
from rapidbleu.counts import check_count
from rapidbleu.parallel import check_progress, check_threads, in_parts
from rapidbleu.tuning.lists.checks import check_weights
from rapidbleu.tuning.lists.nbest import NBestList
from rapidbleu.tuning.result import TuningResult, normalized
from rapidbleu.tuning.search.ascent import MIN_GAIN, TOGETHER, Ascent, Rules
from rapidbleu.tuning.search.limits import check_bounds, check_fixed, check_number, default_ranges
from rapidbleu.tuning.search.line_search import check_smooth

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

    from rapidbleu.typing import (
        Bounds,
        FloatArray,
        Norm,
        Progress,
        Smoothing,
        StepCallback,
        Weights,
    )

# In percent of BLEU: the step that gains no more is the last one of Moses.
MOSES_MIN_GAIN = 0.01


class MertResult(TuningResult):
    """Weights that `mert` found, and the climbs from all starts.

    Attributes
    ----------
    starts : list of dict
        Of each climb its ``start``, ``weights``, ``score``, ``objective`` and number of ``steps``,
        those from given weights first. Their spread says how far to trust one of them.

    Notes
    -----
    The history has a dict for each step: start, step, direction, x, the score there, and the
    objective, which is what the step was chosen by: the score after smoothing, or minus an error
    rate, less what the step adds to the penalty.
    """

    def __init__(self, *args: "Any", starts: "list[dict[str, Any]]", **kwargs: "Any") -> None:
        super().__init__(*args, **kwargs)
        self.starts = starts


def mert(
    nbest: NBestList,
    weights: "Weights | None" = None,
    *,
    restarts: int = 20,
    axes: bool = True,
    random_directions: int = 0,
    fixed: "Collection[str]" = (),
    bounds: "Bounds | None" = None,
    ranges: "Bounds | None" = None,
    normalize: "Norm | None" = "l1",
    min_gain: "float | None" = None,
    max_steps: int = 1000,
    smooth: "Smoothing | None" = None,
    penalty: float = 0.0,
    seed: int = 0,
    threads: int = 1,
    callback: "StepCallback | None" = None,
    progress: "Progress | None" = None,
    moses_compat: bool = False,
) -> MertResult:
    """Tune weights by exact line searches, for the best score of the corpus they choose.

    From each start, all directions are searched and the best step of all is taken, until none gains
    anything (steepest coordinate ascent, the "powell" of Moses).

    Parameters
    ----------
    nbest : NBestList
        With dense features. `Interpolation` makes one metric of several, `MeanScore` one of given
        segment scores; of a metric like TER the least score is the best.
    weights : float array of shape (n_features,) or (k, n_features), or dict, optional
        The first start, or several; all weights alike by default.
    restarts : int
        Starts at random besides.
    axes : bool
        Search the directions of the single features.
    random_directions : int
        Search so many random directions in each step too, drawn evenly from all directions.
    fixed : collection of str
        Names of features whose weights stay as they are.
    bounds : dict of str to (low, high), or float array of shape (n_features, 2), optional
        Of the weights, infinite where there is none.
    ranges : as `bounds`, optional
        Where random starts are drawn from. By default from -1 to 1, over the standard deviation
        that the feature has within the segments.
    normalize : {"l1", "l2", None}
        Scale the weights to a norm of 1; not done where some are `fixed` or have `bounds`.
    min_gain : float, optional
        A step must gain more than this, in the unit of the metric; 1e-7 by default. With
        `moses_compat` a step that gains less, but something, is still taken and is the last one;
        0.01 by default.
    max_steps : int
        Of one climb.
    smooth : ("mean" or "min", window), optional
        Maximise the mean or the minimum of the scores over so many intervals on either side of a
        point, which generalises better than a peak.
    penalty : float
        Subtract this times the squared distance from the first start.
    seed : int
        Of starts and directions. The result depends on nothing else, not on threads either.
    threads : int
        0 for all cores: over the starts, or over the directions if there is one start.
    callback : callable, optional
        Called with the history entry of each step, one call at a time.
    progress : callable, optional
        Called as ``progress(done, n_starts)`` after each climb.
    moses_compat : bool
        Follow Moses step by step: its choice of points on a line, its single precision, its stop
        after a step that gains 0.01 percent or less, and its choice of the best climb by the
        smoothed score. Random starts and directions are not Moses'.

    Returns
    -------
    MertResult
        After Ctrl-C, the best so far.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as described; before anything is searched.

    References
    ----------
    Och, F. J. 2003. Minimum Error Rate Training in Statistical Machine Translation. ACL.

    Cer, D., Jurafsky, D., Manning, C. D. 2008. Regularization and Search for Minimum Error Rate
    Training. WMT.

    Moore, R. C., Quirk, C. 2008. Random Restarts in Minimum Error Rate Training for Statistical
    Machine Translation. COLING.

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
    import numpy as np

    check_progress(progress)
    if weights is None:
        weights = np.full(nbest.n_features, 1 / nbest.n_features)
    starts = check_weights(weights, nbest.names).reshape(-1, nbest.n_features)
    if not len(starts):
        raise ValueError("weights: expected a start at least, got none")
    n_drawn = check_count("restarts", restarts, 0)
    check_count("seed", seed, 0, math.inf)
    n_threads = check_threads(threads)
    free = check_fixed(fixed, nbest.names)
    limits = check_bounds("bounds", bounds, nbest.names)
    _check_starts(starts, limits, nbest.names)
    smoothing, window = check_smooth(smooth)
    gain = (MOSES_MIN_GAIN if moses_compat else MIN_GAIN) if min_gain is None else min_gain
    rules = Rules(
        nbest, free, limits[:, 0], limits[:, 1], axes,
        check_count("random_directions", random_directions, 0), smoothing, window, moses_compat,
        check_number("penalty", penalty, 0.0), starts[0], check_number("min_gain", gain, 0.0),
        check_count("max_steps", max_steps, 0),
    )  # fmt: skip
    if not axes and not random_directions:
        raise ValueError("axes, random_directions: expected directions to search, got none")
    if normalize not in ("l1", "l2", None):
        raise ValueError(f"normalize: expected 'l1', 'l2' or None, got {normalize!r}")
    scale = normalize if bounds is None and free.all() else None
    drawn = check_bounds("ranges", ranges, nbest.names) if ranges is not None else None
    nbest.columns()  # which refuses sparse features
    source = _Starts(rules, starts, n_drawn, seed, drawn)
    ascents, interrupted = _climb_all(rules, source, n_threads, callback, progress)
    best = max(ascents or [source.ascent(0)], key=lambda ascent: ascent.objective)
    found = normalized(best.weights, scale)
    return MertResult(
        found, nbest.names, float(nbest.evaluate(found)), "mert",
        [entry for ascent in ascents for entry in ascent.steps], interrupted,
        starts=[
            {
                "start": ascent.start,
                "weights": normalized(ascent.weights, scale),
                "score": ascent.score,
                "objective": ascent.objective,
                "steps": len(ascent.steps),
            }
            for ascent in ascents
            if ascent.score is not None
        ],
    )  # fmt: skip


def _check_starts(
    starts: "FloatArray", limits: "FloatArray", names: "Sequence[str]"
) -> None:
    wrong = (starts < limits[:, 0]) | (starts > limits[:, 1])
    if wrong.any():
        i, j = next(zip(*wrong.nonzero(), strict=True))
        low, high = limits[j]
        raise ValueError(
            f"weights: expected {names[j]!r} within its bounds, {low:g} to {high:g}, "
            f"got {starts[i, j]:g}"
        )


class _Starts:
    """Where climbs begin: at given starts, then at random ones, each drawn when it is needed."""

    def __init__(
        self,
        rules: Rules,
        given: "FloatArray",
        n_drawn: int,
        seed: int,
        ranges: "FloatArray | None",
    ) -> None:
        self.rules = rules
        self.given = given
        self.n = len(given) + n_drawn
        self.seed = seed
        self.ranges = default_ranges(rules.nbest) if ranges is None and n_drawn else ranges

    def ascent(self, number: int) -> Ascent:
        """Return the climb from a start, with random numbers of its own."""
        import numpy as np

        # The child that `SeedSequence(seed).spawn` makes as this one of any number of children.
        sequence = np.random.SeedSequence(self.seed, spawn_key=(number,))
        generator = np.random.default_rng(sequence)
        if number < len(self.given):
            start = self.given[number]
        else:
            assert self.ranges is not None
            rules, drawn = self.rules, generator.uniform(self.ranges[:, 0], self.ranges[:, 1])
            start = np.where(rules.free == 1, np.clip(drawn, rules.low, rules.high), self.given[0])
        return Ascent(self.rules, number, start, generator)


def _climb_all(
    rules: Rules,
    starts: _Starts,
    threads: int,
    callback: "StepCallback | None",
    progress: "Progress | None",
) -> "tuple[list[Ascent], bool]":
    """Climb from all starts; return the climbs that began, and whether Ctrl-C ended them."""
    from _thread import allocate_lock

    columns, kernel, stats = rules.nbest.columns(), rules.nbest.metric._kernel, rules.nbest.stats
    over_starts = threads if starts.n > 1 else 1
    over_directions = 1 if over_starts > 1 else min(threads, TOGETHER)
    lock, done = allocate_lock(), 0
    ascents: list[Ascent] = []
    failed: list[bool] = []  # a thread; the others stop, however many climbs they have left
    interrupted = False

    def report(entry: "dict[str, Any]") -> None:
        if callback is not None:
            with lock:
                callback(entry)

    def work(begin: int, end: int, stop: list[BaseException]) -> None:
        nonlocal done
        point = WeightPoint(columns, rules.nbest._counts)
        landscapes = [Landscape(kernel, stats) for _ in range(over_directions)]
        for number in range(begin, end):
            if stop or failed:
                break
            ascents.append(ascent := starts.ascent(number))
            try:
                ascent.climb(landscapes, point, stop, report)
                with lock:
                    done += 1
                    if progress is not None:
                        progress(done, starts.n)
            except BaseException:
                failed.append(True)
                raise

    try:
        in_parts(work, starts.n, over_starts, 1)
    except KeyboardInterrupt:
        interrupted = True
    return sorted(ascents, key=lambda ascent: ascent.number), interrupted
