"""Rows that remain when Moses removes duplicates."""

from random import Random

import numpy as np
import pytest

from rapidbleu._core.moses.files import unique_rows


def left(rows: list[tuple[float, int, int]]) -> list[int]:
    """Return the indices that Moses keeps: the last row replaces a duplicate of an earlier one."""
    places, k = list(range(len(rows))), 0
    while k < len(places):
        if rows[places[k]] in [rows[place] for place in places[:k]]:
            places[k] = places[-1]
            places.pop()
        else:
            k += 1
    return places


@pytest.mark.parametrize("tagged", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_rows_that_are_left(seed: int, tagged: bool) -> None:
    rng = Random(seed)
    lengths = [0, 1, 2, 300, 5, 0, 40, *rng.choices(range(60), k=20)]
    offsets = np.cumsum([0, *lengths], dtype=np.int64)
    n, kinds = int(offsets[-1]), rng.choice((2, 30))
    features = [rng.choice((0.0, -0.0, 1.0, float(rng.randrange(kinds)))) for _ in range(n)]
    stats = [rng.randrange(3) for _ in range(n)]
    tags = [rng.randrange(2) if tagged else 0 for _ in range(n)]
    order, counts = np.zeros(n, np.int64), np.zeros(len(lengths), np.int64)
    unique_rows(
        np.array(features, np.float32)[:, None],
        np.array(stats, np.int32)[:, None],
        offsets,
        order,
        counts,
        np.array(tags, np.int64) if tagged else None,
    )
    rows = list(zip(features, stats, tags, strict=True))
    for i, begin in enumerate(offsets[:-1].tolist()):
        expected = [begin + k for k in left(rows[begin : offsets[i + 1]])]
        assert order[begin : begin + counts[i]].tolist() == expected
