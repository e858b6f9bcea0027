"""Parts of a corpus: which of how many, and whether all are there."""

from itertools import islice

from rapidbleu.counts import check_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    _Shard = tuple[int, int]

SHOWN = 10  # of those that are missing


def check_shard(shard: "Any") -> "_Shard | None":
    """Return the number of a shard, from 1 on, and of how many it is; None of a whole corpus.

    Examples
    --------
    >>> check_shard((3, 4))
    (3, 4)
    >>> check_shard((5, 4))
    Traceback (most recent call last):
    ...
    ValueError: shard[0]: expected at most 4, got 5
    """
    if shard is None:
        return None
    if not isinstance(shard, tuple | list) or len(shard) != 2:
        raise TypeError(f"shard: expected its number and how many there are, got {shard!r}")
    of = check_count("shard[1]", shard[1], 1)
    return check_count("shard[0]", shard[0], 1, of), of


def order_of_shards(
    shards: "Sequence[_Shard | None]", names: "Sequence[str] | None" = None, whole: str = "tables"
) -> list[int]:
    """Return the places of all shards in their order; refuse missing and repeated ones.

    Parameters
    ----------
    shards : sequence of (int, int) or None
        None: a table that is no shard.
    names : sequence of str, optional
        What messages call each of them.
    whole : str
        What messages call all of them.

    Examples
    --------
    >>> order_of_shards([(2, 2), (1, 2)]), order_of_shards([None, None])
    ([1, 0], [0, 1])
    >>> order_of_shards([(2, 3), (1, 3)])
    Traceback (most recent call last):
    ...
    ValueError: tables: expected all 3 shards, got none for shard 3
    """
    if all(shard is None for shard in shards):
        return list(range(len(shards)))
    if names is None:
        names = [f"tables[{i}]" for i in range(len(shards))]
    places: dict[int, int] = {}
    most = 0
    for i, shard in enumerate(shards):
        if shard is None:
            raise ValueError(f"{names[i]}: expected a shard, as others are, got a whole table")
        number, of = shard
        most = most or of
        if of != most:
            raise ValueError(f"{names[i]}: expected a shard of {most}, got one of {of}")
        if number in places:
            raise ValueError(
                f"{names[i]}: expected another shard than {names[places[number]]}, "
                f"got shard {number} again"
            )
        places[number] = i
    n_missing = most - len(places)
    if n_missing:
        missing = islice((number for number in range(1, most + 1) if number not in places), SHOWN)
        listed = ", ".join(map(str, missing)) + ", ..." * (n_missing > SHOWN)
        what = "shard" if n_missing == 1 else "shards"
        raise ValueError(f"{whole}: expected all {most} shards, got none for {what} {listed}")
    return [places[number] for number in range(1, most + 1)]
