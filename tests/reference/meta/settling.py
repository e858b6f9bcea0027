"""How often parts of a test set rank systems as all of it does, summed segment by segment."""

from collections.abc import Callable, Sequence
from itertools import combinations

Row = Sequence[int]


def curve(
    systems: Sequence[Sequence[Row]],
    score: Callable[[list[int]], float],
    sizes: Sequence[int],
    shuffles: Sequence[Sequence[int]],
) -> tuple[list[float], list[list[list[float]]]]:
    """For each size the share of shuffles that rank all systems, and each two, as the whole."""

    def sign(one: float, other: float) -> int:
        return (one > other) - (one < other)

    def totals(chosen: Sequence[int]) -> list[float]:
        return [score([sum(column) for column in zip(*(rows[i] for i in chosen), strict=True)])
                for rows in systems]  # fmt: skip

    n = len(systems)
    whole = totals(range(len(systems[0])))
    shares, pairs = [], []
    for size in sizes:
        found = [totals(shuffle[:size]) for shuffle in shuffles]
        agree = [
            [[sign(own[i], own[j]) == sign(whole[i], whole[j]) for j in range(n)] for i in range(n)]
            for own in found
        ]
        shares.append(
            sum(all(own[i][j] for i, j in combinations(range(n), 2)) for own in agree) / len(found)
        )
        pairs.append(
            [[sum(own[i][j] for own in agree) / len(found) for j in range(n)] for i in range(n)]
        )
    return shares, pairs
