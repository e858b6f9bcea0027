"""How to climb: the options of MERT, and what becomes of them on some ground."""

import math

from rapidbleu.counts import check_count, check_flag
from rapidbleu.parallel import check_progress
from rapidbleu.tuning.lists.checks import check_weights
from rapidbleu.tuning.result import TuningResult, normalized
from rapidbleu.tuning.search.ascent import MIN_GAIN, Rules
from rapidbleu.tuning.search.ground import Ground
from rapidbleu.tuning.search.limits import check_bounds, check_fixed, check_number
from rapidbleu.tuning.search.line_search import check_smooth
from rapidbleu.tuning.search.starts import Starts

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


class Plan:
    """The options of `mert`, checked as far as they do not depend on the features.

    For the parameters see there.
    """

    def __init__(
        self,
        *,
        restarts: int,
        axes: bool,
        random_directions: int,
        fixed: "Collection[str]",
        bounds: "Bounds | None",
        ranges: "Bounds | None",
        normalize: "Norm | None",
        min_gain: "float | None",
        max_steps: int,
        smooth: "Smoothing | None",
        penalty: float,
        seed: int,
        callback: "StepCallback | None",
        progress: "Progress | None",
        moses_compat: bool,
    ) -> None:
        check_progress(progress)
        self.n_drawn = check_count("restarts", restarts, 0)
        check_count("seed", seed, 0, math.inf)
        self.smoothing, self.window = check_smooth(smooth)
        self.moses = check_flag("moses_compat", moses_compat)
        self.axes = check_flag("axes", axes)
        gain = (MOSES_MIN_GAIN if moses_compat else MIN_GAIN) if min_gain is None else min_gain
        self.n_random = check_count("random_directions", random_directions, 0)
        self.penalty = check_number("penalty", penalty, 0.0)
        self.min_gain = check_number("min_gain", gain, 0.0)
        self.max_steps = check_count("max_steps", max_steps, 0)
        if not axes and not random_directions:
            raise ValueError("axes, random_directions: expected directions to search, got none")
        if normalize not in ("l1", "l2", None):
            raise ValueError(f"normalize: expected 'l1', 'l2' or None, got {normalize!r}")
        self.fixed = fixed
        self.bounds = bounds
        self.ranges = ranges
        self.normalize = normalize
        self.seed = seed
        self.callback = callback
        self.progress = progress

    def carry_out(self, ground: Ground, weights: "Weights | None") -> MertResult:
        """Climb from all starts, and return the best weights."""
        import numpy as np

        names = ground.names
        if weights is None:
            weights = np.full(len(names), 1 / len(names))
        given = check_weights(weights, names).reshape(-1, len(names))
        if not len(given):
            raise ValueError("weights: expected a start at least, got none")
        free = check_fixed(self.fixed, names)
        limits = check_bounds("bounds", self.bounds, names)
        _check_starts(given, limits, names)
        rules = Rules(
            ground.metric, names, free, limits[:, 0], limits[:, 1], self.axes, self.n_random,
            self.smoothing, self.window, self.moses, self.penalty, given[0], self.min_gain,
            self.max_steps,
        )  # fmt: skip
        ranges = None
        if self.ranges is not None:
            ranges = check_bounds("ranges", self.ranges, names)
        elif self.n_drawn:
            ranges = ground.ranges()
        starts = Starts(rules, given, self.n_drawn, self.seed, ranges)
        ascents, interrupted = ground.climb(starts, self.callback, self.progress)
        best = max(ascents or [starts.ascent(0)], key=lambda ascent: ascent.objective)
        scale = self.normalize if self.bounds is None and free.all() else None
        found = normalized(best.weights, scale)
        return MertResult(
            found, names, ground.evaluate(found), "mert",
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
