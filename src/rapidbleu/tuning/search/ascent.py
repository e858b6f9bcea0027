"""Climbing from one start: the best step along any direction, again and again."""

from itertools import islice

from rapidbleu.tuning.search.asking import Ask, Line, Trail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from typing import Any

    import numpy as np

    from rapidbleu.scoring import RowScoring
    from rapidbleu.typing import FloatArray, StepCallback

# Directions that are searched together: memory does not follow the number of random ones.
TOGETHER = 256

# In percent: below it, rounding is all that was gained.
MIN_GAIN = 1e-7


class Rules:
    """What all climbs of a tuning have in common.

    Parameters
    ----------
    metric : metric
    names : tuple of str
        Of the features.
    free : float64 array of shape (n_features,)
        1 for features whose weights may change, 0 for the others.
    low, high : float64 array of shape (n_features,)
        Bounds of the weights.
    axes : bool
        Whether the directions of single features are searched.
    n_random : int
        Random directions in each step.
    smoothing, window, moses
        As in `Landscape.best_interval`.
    penalty : float
        Of the squared distance from `prior`.
    prior : float64 array of shape (n_features,)
    min_gain : float
        A step that gains no more is not taken and ends the climb; with `moses` it is taken first,
        if it gains anything.
    max_steps : int
    """

    def __init__(
        self,
        metric: "RowScoring",
        names: tuple[str, ...],
        free: "FloatArray",
        low: "FloatArray",
        high: "FloatArray",
        axes: bool,
        n_random: int,
        smoothing: str,
        window: int,
        moses: bool,
        penalty: float,
        prior: "FloatArray",
        min_gain: float,
        max_steps: int,
    ) -> None:
        self.metric = metric
        self.names = names
        self.free = free
        self.low = low
        self.high = high
        self.axes = axes
        self.n_random = n_random
        self.smoothing = smoothing
        self.window = window
        self.moses = moses
        self.penalty = penalty
        self.prior = prior
        self.min_gain = min_gain
        self.max_steps = max_steps

    def directions(self, generator: "np.random.Generator") -> "Iterator[tuple[str, FloatArray]]":
        """Yield the directions of a step and their names; random ones are unit vectors."""
        import numpy as np

        for j in np.flatnonzero(self.free) if self.axes else ():
            direction = np.zeros(len(self.free))
            direction[j] = 1.0
            yield self.names[j], direction
        for _ in range(self.n_random):
            direction = generator.normal(size=len(self.free)) * self.free
            yield "random", direction / np.linalg.norm(direction)

    def line(self, weights: "FloatArray", direction: "FloatArray") -> Line:
        """Return the line along a direction, as far as bounds let it, with its penalty."""
        return Line(
            direction, *self.room(weights, direction),
            2 * self.penalty * float(direction @ (weights - self.prior)),
            self.penalty * float(direction @ direction),
        )  # fmt: skip

    def room(self, weights: "FloatArray", direction: "FloatArray") -> tuple[float, float]:
        """Return how far a direction may be followed either way."""
        import numpy as np

        used = direction != 0
        to_low = (self.low[used] - weights[used]) / direction[used]
        to_high = (self.high[used] - weights[used]) / direction[used]
        return (
            float(np.minimum(to_low, to_high).max(initial=-np.inf)),
            float(np.maximum(to_low, to_high).min(initial=np.inf)),
        )


def _objective(step: "Step") -> float:
    return step.objective


class Step:
    """The best step along one direction."""

    def __init__(self, name: str, direction: "FloatArray", found: "tuple[float, ...]") -> None:
        self.name = name
        self.direction = direction
        self.x, self.score, self.objective, self.here = found[:4]

    def moved(self, weights: "FloatArray", single: bool) -> "FloatArray":
        """Return the weights after this step, in single precision or not."""
        import numpy as np

        if single:
            step = np.float32(self.x) * self.direction.astype(np.float32)
            return (step + weights.astype(np.float32)).astype(np.float64)
        return weights + self.x * self.direction


class Ascent:
    """A climb; its attributes are those of the best place so far.

    `objective` is what the best start is chosen by: the score, negated if lower is better; by
    Moses' rules what the last step promised, which is smoothed.

    Parameters
    ----------
    rules : Rules
    number : int
        Which start it is.
    start : float64 array of shape (n_features,)
    generator : numpy.random.Generator
        Of the random directions.
    """

    def __init__(
        self, rules: Rules, number: int, start: "FloatArray", generator: "np.random.Generator"
    ) -> None:
        self.rules = rules
        self.number = number
        self.start = start
        self.generator = generator
        self.weights = start
        self.score: float | None = None
        self.objective = -float("inf")
        self.steps: list[dict[str, Any]] = []

    def climb(self, callback: "StepCallback") -> "Generator[Ask, Any, None]":
        """Climb until no step gains enough: yield what is to be asked, to be sent the answer.

        The answer to an ask without lines is a score; to others the best point of each line, as
        `Ask.best_point` returns it.
        """
        import numpy as np

        rules, gain_of = self.rules, self.rules.metric._gain
        if rules.moses:
            self.weights = self.weights.astype(np.float32).astype(np.float64)
        trail = Trail(self.weights, rules.moses)
        self.score = yield Ask(trail)
        self.objective = gain_of(self.score)
        as_scores = rules.penalty == 0.0 and (rules.moses or rules.smoothing == "none")
        while len(self.steps) < rules.max_steps:
            best = yield from self._best_step(trail)
            if best is None:
                return
            gain = best.objective - (self.objective if as_scores else best.here)
            if gain <= (MIN_GAIN if rules.moses else rules.min_gain):
                return
            self.weights = np.clip(best.moved(self.weights, rules.moses), rules.low, rules.high)
            if rules.moses:
                trail = Trail(self.weights, True)
            else:
                trail.steps.append((best.direction, best.x))
            self.score = best.score
            self.objective = best.objective if rules.moses else gain_of(best.score)
            entry = {
                "start": self.number,
                "step": len(self.steps) + 1,
                "direction": best.name,
                "x": best.x,
                "score": best.score,
                "objective": best.objective,
            }
            self.steps.append(entry)
            callback(entry)
            if gain <= rules.min_gain:
                return

    def _best_step(self, trail: Trail) -> "Generator[Ask, Any, Step | None]":
        """Return the step with the highest objective, of equal ones the first."""
        rules = self.rules
        directions = rules.directions(self.generator)
        best = None
        while some := list(islice(directions, TOGETHER)):
            lines = [(name, rules.line(self.weights, direction)) for name, direction in some]
            lines = [(name, line) for name, line in lines if line.low < line.high]
            found = yield Ask(trail, [line for _, line in lines], rules.smoothing, rules.window)
            steps = [
                Step(name, line.direction, point)
                for (name, line), point in zip(lines, found, strict=True)
            ]
            best = max([step for step in (best, *steps) if step], key=_objective, default=None)
        return best
