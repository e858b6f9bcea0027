"""Where the names of points go in a picture: beside them, over as little as possible.

Points are taken one after the other, those in a crowd last; each takes the free place nearest to
it, of eight directions and a few distances. Where none is free a name is left out, unless it must
be there. Time O(n^2).
"""

from typing import NamedTuple

DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
DISTANCES = (6.0, 11.0, 17.0)
RADIUS = 3.0  # of a point


class Box(NamedTuple):
    """A rectangle."""

    left: float
    bottom: float
    right: float
    top: float

    def overlap(self, other: "Box") -> float:
        """Return the area that two rectangles have in common."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.top, other.top) - max(self.bottom, other.bottom)
        return max(width, 0.0) * max(height, 0.0)

    @property
    def area(self) -> float:
        """Return the area."""
        return (self.right - self.left) * (self.top - self.bottom)


def place_labels(
    points: list[tuple[float, float]],
    sizes: list[tuple[float, float]],
    frame: Box,
    needed: list[bool],
) -> list[tuple[float, float] | None]:
    """Return the left lower corner of each name, relative to its point; None to leave it out.

    Parameters
    ----------
    points : list of (x, y)
        In the unit of all lengths, points of print.
    sizes : list of (width, height)
        Of the names.
    frame : Box
        What names stay within.
    needed : list of bool
        Which names are not left out.

    Examples
    --------
    >>> place_labels([(10, 10), (12, 10)], [(20, 6)] * 2, Box(0, 0, 40, 40), [True, True])
    [(6.0, -3.0), (-10.0, 6.0)]
    """
    dots = [Box(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS) for x, y in points]
    taken: list[Box] = []
    found: list[tuple[float, float] | None] = [None] * len(points)

    def crowd(i: int) -> int:
        x, y = points[i]
        return sum(abs(x - a) < sizes[i][0] and abs(y - b) < 12 for a, b in points)

    for i in sorted(range(len(points)), key=lambda i: (not needed[i], crowd(i), i)):
        places = [(_cost(box, dots, taken, frame), corner, box)
                  for corner, box in _places(points[i], sizes[i])]  # fmt: skip
        cost, corner, box = min(places, key=lambda place: place[0])
        if needed[i] or cost == 0.0:
            found[i] = corner
            taken.append(box)
    return found


def _places(
    point: tuple[float, float], size: tuple[float, float]
) -> list[tuple[tuple[float, float], Box]]:
    """Return where a name may be, the best place first."""
    (x, y), (width, height) = point, size
    places = []
    for distance in DISTANCES:
        for right, up in DIRECTIONS:
            reach = distance * (0.75 if right and up else 1.0)
            dx = reach * right - width * (0.5 - 0.5 * right)
            dy = reach * up - height * (0.5 - 0.5 * up)
            left, bottom = x + dx, y + dy
            places.append(((dx, dy), Box(left, bottom, left + width, bottom + height)))
    return places


def _cost(box: Box, dots: list[Box], taken: list[Box], frame: Box) -> float:
    """Return how much a name covers, and sticks out."""
    covered = sum(map(box.overlap, dots)) + 3.0 * sum(map(box.overlap, taken))
    return covered + 9.0 * (box.area - box.overlap(frame))
