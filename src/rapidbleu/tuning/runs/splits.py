"""Which segments are tuned on, and which are tested on: random halves, folds, documents."""

from __future__ import annotations

from rapidbleu._lib.checks import check_count, check_seed
from rapidbleu._lib.lazy import np
from rapidbleu.sequences import items_of
from rapidbleu.tuning.nbest import FEWEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import Any

    from rapidbleu.typing import IntArray, Items

    _Split = tuple[IntArray, IntArray]


def random_halves(n_segments: int, n: int = 10, *, seed: int | None = 0) -> list[_Split]:
    """Divide segments into two halves at random, several times.

    Parameters
    ----------
    n_segments : int
        At least 10.
    n : int
        Splits.
    seed : int or None
        None: others each time.

    Returns
    -------
    list of (int64 array, int64 array)
        Segments to tune on and to test on, ascending; of an odd number one more to test on.

    Examples
    --------
    >>> [(train, test)] = random_halves(10, 1)
    >>> train, test
    (array([2, 3, 4, 6, 7]), array([0, 1, 5, 8, 9]))
    """
    check_count("n_segments", n_segments, FEWEST)
    check_count("n", n, 1)
    generator = np.random.default_rng(check_seed(seed))
    splits = []
    for _ in range(n):
        order = generator.permutation(n_segments)
        middle = n_segments // 2
        splits.append((np.sort(order[:middle]), np.sort(order[middle:])))
    return splits


def k_folds(n_segments: int, k: int = 10, *, seed: int | None = 0) -> list[_Split]:
    """Divide segments into k parts at random, and test on each of them.

    Parameters
    ----------
    n_segments : int
        At least 10, and k.
    k : int
        At least 2.
    seed : int or None
        None: others each time.

    Returns
    -------
    list of (int64 array, int64 array)
        Segments to tune on and to test on, ascending; each segment is tested on once.

    Examples
    --------
    >>> [test.tolist() for _, test in k_folds(11, 3)]
    [[2, 4, 5, 8], [0, 1, 6, 10], [3, 7, 9]]
    """
    check_count("n_segments", n_segments, FEWEST)
    check_count("k", k, 2, n_segments)
    return document_folds(range(n_segments), k, seed=seed)


def document_folds(
    documents: Items[Hashable], k: int = 10, *, seed: int | None = 0
) -> list[_Split]:
    """Divide documents into k parts at random, and test on each of them.

    Parameters
    ----------
    documents : sequence
        The document of each segment, of which there are at least 10.
    k : int
        From 2 to the number of documents.
    seed : int or None
        None: others each time.

    Returns
    -------
    list of (int64 array, int64 array)
        Segments to tune on and to test on, ascending. Segments of a document stay together, and
        parts have as many documents, or one more.

    Examples
    --------
    >>> documents = ["a", "a", "b", "c", "c", "c", "b", "d", "d", "d"]
    >>> [test.tolist() for _, test in document_folds(documents, 2)]
    [[2, 3, 4, 5, 6], [0, 1, 7, 8, 9]]
    """
    places: dict[Hashable, int] = {}
    codes = [
        places.setdefault(name, len(places))
        for name in items_of(documents, "documents", "documents of segments")
    ]
    if len(codes) < FEWEST:
        raise ValueError(f"documents: expected those of {FEWEST} segments, got {len(codes)}")
    check_count("k", k, 2, len(places))
    order = np.random.default_rng(check_seed(seed)).permutation(len(places))
    part = np.empty(len(places), np.int64)
    part[order] = np.arange(len(places)) % k
    of_segments = part[codes]
    return [(np.flatnonzero(of_segments != i), np.flatnonzero(of_segments == i)) for i in range(k)]


def check_splits(splits: Any, n_segments: int, seed: int | None) -> list[_Split]:
    """Return splits, checked: given ones, or as many random halves as a number says."""
    if hasattr(splits, "__index__") and not isinstance(splits, bool):
        return random_halves(n_segments, check_count("splits", splits, 1), seed=seed)
    found = []
    for i, split in enumerate(items_of(splits, "splits", "splits")):
        if not isinstance(split, tuple | list) or len(split) != 2:
            raise TypeError(f"splits[{i}]: expected segments to tune on and to test on")
        train, test = (
            _checked(part, f"splits[{i}][{j}]", n_segments) for j, part in enumerate(split)
        )
        both = set(train.tolist()) & set(test.tolist())
        if both:
            raise ValueError(
                f"splits[{i}]: expected segments to tune on or to test on, got {min(both)} twice"
            )
        found.append((train, test))
    if not found:
        raise ValueError("splits: expected at least one, got none")
    return found


def _checked(part: Any, where: str, n_segments: int) -> IntArray:
    """Return places of segments, each of which is there once."""
    items = items_of(part, where, "places of segments")
    if not items:
        raise ValueError(f"{where}: expected at least one segment, got none")
    places: IntArray = np.array(items)
    if places.dtype.kind not in "iu" or places.ndim != 1:
        raise TypeError(f"{where}: expected places of segments, got {places.dtype}")
    wrong = places[(places < 0) | (places >= n_segments)]
    if len(wrong):
        raise ValueError(f"{where}: expected places below {n_segments}, got {wrong[0]}")
    if len(np.unique(places)) < len(places):
        raise ValueError(f"{where}: expected each segment once")
    return places.astype(np.int64)
