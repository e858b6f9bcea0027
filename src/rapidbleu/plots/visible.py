"""Which part of a landscape is worth seeing: weights near the tuned one, and high scores."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.typing import FloatArray

SHOWN = 0.5  # of the boundaries: those that are nearest to the tuned weight
HIDDEN = 0.15  # of the landscapes' length: the parts with the worst scores
MARGIN = 0.05  # of the width or of the height, beyond


def visible_range(
    boundaries: "list[FloatArray]", weight: float, marked: list[float]
) -> tuple[float, float]:
    """Return between which weights a landscape is worth seeing, with the tuned one in the middle.

    As far as the nearest half of the boundaries of all lists, and what is marked: some boundaries
    are so far away that the rest would vanish.

    Examples
    --------
    >>> import numpy as np
    >>> visible_range([np.array([-20.0, 10.0]), np.array([25.0, 700.0])], 15.0, [20.0])
    (4.0, 26.0)
    """
    import numpy as np

    radius = max((abs(other - weight) for other in marked), default=0.0)
    distances = np.abs(np.concatenate(boundaries) - weight)
    if len(distances):
        radius = max(radius, float(np.quantile(distances, SHOWN, method="lower")))
    radius += 2.0 * MARGIN * radius or 1.0
    return weight - radius, weight + radius


def visible_part(
    boundaries: "FloatArray", scores: "FloatArray", low: float, high: float
) -> "tuple[FloatArray, FloatArray]":
    """Return the ends of the intervals between two weights, and their scores.

    Examples
    --------
    >>> import numpy as np
    >>> visible_part(np.array([1.0, 2.0]), np.array([5.0, 6.0, 7.0]), 1.5, 3.0)
    (array([1.5, 2. , 3. ]), array([6., 7.]))
    """
    import numpy as np

    begin, end = np.searchsorted(boundaries, [low, high])
    edges: FloatArray = np.concatenate([[low], boundaries[begin:end], [high]])
    return edges, scores[begin : end + 1]


def visible_heights(
    parts: "list[tuple[FloatArray, FloatArray]]", higher_is_better: bool
) -> tuple[float, float]:
    """Return the heights at the bottom and at the top of panels that have these parts.

    The best height is at the top. The worst are hidden: beside a steep slope the rest would seem
    flat. If all of the rest is flat, nothing is hidden.

    Parameters
    ----------
    parts : list of (edges, heights)
        As `visible_part` returns them.
    higher_is_better : bool

    Examples
    --------
    >>> import numpy as np
    >>> edges, heights = np.array([0.0, 0.1, 0.5, 1.0]), np.array([-30.0, 0.0, -2.0])
    >>> visible_heights([(edges, heights)], True), visible_heights([(edges, -heights)], False)
    ((-2.1, 0.1), (2.1, -0.1))
    """
    import numpy as np

    sign = 1.0 if higher_is_better else -1.0
    heights = sign * np.concatenate([own for _, own in parts])
    lengths = np.concatenate([np.diff(edges) / (edges[-1] - edges[0]) for edges, _ in parts])
    order = heights.argsort()
    covered = np.cumsum(lengths[order])
    low = float(heights[order][np.searchsorted(covered, HIDDEN * covered[-1])])
    high = float(heights.max())
    if low == high:
        low = float(heights.min())
    margin = MARGIN * (high - low) or 1.0
    return sign * (low - margin), sign * (high + margin)
