"""The side of a part: what it answers, for its segments, to what climbs ask."""

from rapidbleu._core.tuning.line_search import Landscape, WeightPoint
from rapidbleu.tuning.lists.nbest import NBestList
from rapidbleu.tuning.lists.taking import taken
from rapidbleu.tuning.parts.events import Events
from rapidbleu.tuning.search.asking import Ask, Follower, Trail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


def answers_to(
    asks: "Iterable[Ask]", nbest: NBestList, name_of: "Callable[[int], object]"
) -> "Iterator[Events]":
    """Yield the events of each line that is asked for; for an ask without lines the sums there.

    Parameters
    ----------
    asks : iterable of Ask
    nbest : NBestList
        Of the segments of a part.
    name_of : callable
        Returns what a segment is called in errors.

    Raises
    ------
    ValueError
        If the score of a hypothesis is not finite at the end of a trail; names the segment.
    """
    follower = Follower(WeightPoint(nbest.columns()))
    landscape = Landscape(nbest.metric._kernel, nbest.stats)
    for ask in asks:
        trail = ask.trail
        try:
            follower.follow(trail)
        except ValueError:
            raise ValueError(
                f"weights: expected finite sums of weighted features, got others in segment "
                f"{name_of(_failing(nbest, trail))!r}"
            ) from None
        if ask.lines is None:
            yield Events(nbest._totals(trail.weights[None], 1)[0])
        for line in ask.lines or ():
            n = landscape.collect(
                follower.point, line.direction, line.low, line.high, trail.closest
            )
            yield Events.of(landscape, n, nbest.stats.shape[1])


def _failing(nbest: NBestList, trail: Trail) -> int:
    """Return the first segment whose scores are not finite at the end of a trail."""
    import numpy as np

    for i in range(nbest.n_segments):
        one = taken(nbest, np.array([i]))
        try:
            Follower(WeightPoint(one.columns())).follow(trail)
        except ValueError:
            return i
    raise AssertionError("a segment fails only together with others")
