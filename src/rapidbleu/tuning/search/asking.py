"""What a climb asks of n-best lists, wherever they are: scores at points, and searches of lines."""

from rapidbleu._core.tuning.line_search import Landscape, WeightPoint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.typing import FloatArray

# Moses drops a boundary of a segment if the next one of that segment is nearer than this.
MOSES_CLOSEST = 1e-4


class Trail:
    """The way to a point: where it was placed, and the steps since then.

    The scores of hypotheses are moved along with each step, and rounded each time. Points that
    follow the same trail have the same scores, to the last bit.

    Parameters
    ----------
    weights : float64 array of shape (n_features,)
    moses : bool
        Whether points and boundaries are in single precision, as those of Moses.

    Attributes
    ----------
    closest : float
        As in `Landscape.survey`.
    steps : list of (direction, x)
        Each x times a direction.
    """

    def __init__(self, weights: "FloatArray", moses: bool) -> None:
        self.weights = weights
        self.moses = moses
        self.closest = MOSES_CLOSEST if moses else 0.0
        self.steps: list[tuple[FloatArray, float]] = []


class Line:
    """A line through the point to which a trail leads.

    Parameters
    ----------
    direction : float64 array of shape (n_features,)
    low, high : float
        How far it is followed either way.
    slope, curvature : float
        Of a penalty of slope * x + curvature * x**2.
    """

    def __init__(
        self,
        direction: "FloatArray",
        low: float,
        high: float,
        slope: float = 0.0,
        curvature: float = 0.0,
    ) -> None:
        self.direction = direction
        self.low = low
        self.high = high
        self.slope = slope
        self.curvature = curvature


class Ask:
    """A question of a climb, and how its answer is made of a landscape.

    Parameters
    ----------
    trail : Trail
    lines : list of Line, optional
        Those whose best points are asked for; without any, the score where the trail begins.
    smoothing, window
        As in `Landscape.best_interval`.
    """

    def __init__(
        self, trail: Trail, lines: "list[Line] | None" = None, smoothing: str = "none",
        window: int = 0,
    ) -> None:  # fmt: skip
        self.trail = trail
        self.lines = lines
        self.smoothing = smoothing
        self.window = window

    def best_point(
        self, landscape: Landscape, line: Line, stop: "list[BaseException] | None" = None
    ) -> tuple[float, ...]:
        """Return what `Landscape.best_interval` finds on a line that was swept."""
        return landscape.best_interval(
            line.low, line.high, self.smoothing, self.window, line.slope, line.curvature,
            self.trail.moses, stop,
        )  # fmt: skip


class Follower:
    """A point that follows a trail, and goes on from where it is if that is on the trail.

    Parameters
    ----------
    point : WeightPoint
    """

    def __init__(self, point: WeightPoint) -> None:
        self.point = point
        self._trail: Trail | None = None
        self._n_steps = 0

    def follow(self, trail: Trail, stop: "list[BaseException] | None" = None) -> None:
        """Go to the end of a trail.

        Raises
        ------
        ValueError
            If the score of a hypothesis is not finite there.
        """
        if trail is not self._trail:
            self.point.place(trail.weights, stop, trail.moses)
            self._trail, self._n_steps = trail, 0
        for direction, x in trail.steps[self._n_steps :]:
            self.point.move(direction, x, stop)
            self._n_steps += 1
