"""One alignment from two directions: intersection, union, and what grows between them."""

from __future__ import annotations

from bisect import bisect_left

from rapidbleu.alignment.links import checked_links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from rapidbleu.alignment.links import _Links

    _Points = set[tuple[int, int]]

SIDES = ((-1, 0), (0, -1), (1, 0), (0, 1))
CORNERS = ((-1, -1), (-1, 1), (1, -1), (1, 1))
METHODS = (
    "intersection", "union", "grow", "grow-diag", "grow-diag-final", "grow-diag-final-and",
)  # fmt: skip


def symmetrize(
    forward: Iterable[tuple[int, int]],
    backward: Iterable[tuple[int, int]],
    method: str = "grow-diag-final-and",
) -> _Links:
    """Return one alignment of a sentence pair from two.

    Parameters
    ----------
    forward : sequence or set of (int, int)
        Links (source place, target place) of the model of target words, given source words: a
        target word has one or none.
    backward : sequence or set of (int, int)
        The same pairs, source place first, of the model of source words, given target words: a
        source word has one or none. `swap_links` turns what that model gives.
    method : {"intersection", "union", "grow", "grow-diag", "grow-diag-final", \
"grow-diag-final-and"}
        ``grow`` starts from the intersection and adds links of the union that lie beside one, as
        long as one of their two words has none yet; with ``diag`` also those at its corners.
        ``final`` then adds links of `forward`, and after them of `backward`, one of whose words has
        none yet; ``final-and`` only where neither has one.

    Returns
    -------
    list of (int, int)
        By target word, then by source word.

    Raises
    ------
    TypeError, ValueError
        If links are no pairs of places, or the method is another.

    Notes
    -----
    The links are those of Moses' program ``symal``, where `forward` has the links of target words
    and `backward` those of source words. A link that has been added counts for those that are
    looked at after it: the order, by target word and then by source word, is part of the result.

    References
    ----------
    Och & Ney 2003, A Systematic Comparison of Various Statistical Alignment Models, section 5;
    Koehn, Och & Marcu 2003, Statistical Phrase-Based Translation, section 4.5.

    Examples
    --------
    >>> forward, backward = [(0, 0), (1, 1), (1, 2)], [(0, 0), (1, 1), (2, 1)]
    >>> symmetrize(forward, backward, "intersection")
    [(0, 0), (1, 1)]
    >>> symmetrize(forward, backward, "grow-diag")
    [(0, 0), (1, 1), (2, 1), (1, 2)]
    """
    if method not in METHODS:
        raise ValueError(f"method: expected one of {', '.join(METHODS)}, got {method!r}")
    # Places of target words come first, so that the order of the points is that of Moses.
    of_target = {(j, i) for i, j in checked_links(forward, "forward")}
    of_source = {(j, i) for i, j in checked_links(backward, "backward")}
    if method == "union":
        found = of_target | of_source
    else:
        found = of_target & of_source
        if method != "intersection":
            near = SIDES + CORNERS if "diag" in method else SIDES
            _grow(found, of_target, of_source, near, method.partition("final")[1:])
    return [(i, j) for j, i in sorted(found)]


def _grow(
    found: _Points,
    of_target: _Points,
    of_source: _Points,
    near: tuple[tuple[int, int], ...],
    final: tuple[str, str],
) -> None:
    """Add links to those of the intersection."""
    targets, sources = {j for j, _ in found}, {i for _, i in found}

    def add(point: tuple[int, int]) -> None:
        found.add(point)
        targets.add(point[0])
        sources.add(point[1])

    rest = (of_target | of_source) - found
    points = sorted(found)
    added = True
    while added and rest:
        added = False
        k = 0
        while k < len(points):
            j, i = points[k]
            for down, right in near:
                point = (j + down, i + right)
                if point in rest and not (point[0] in targets and point[1] in sources):
                    rest.discard(point)
                    add(point)
                    place = bisect_left(points, point)
                    points.insert(place, point)
                    k += place <= k  # the point at hand has moved on
                    added = True
            k += 1
    if final[0]:
        for own, other in ((of_target, of_source), (of_source, of_target)):
            for j, i in sorted(own - other - found):
                free = (j not in targets) + (i not in sources)
                if free == 2 or (free == 1 and not final[1]):
                    add((j, i))
