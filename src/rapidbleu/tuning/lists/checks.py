"""Checks of n-best lists, of weights, and of other arguments of tuning."""

from __future__ import annotations

from rapidbleu._lib.frozen import frozen, read_only
from rapidbleu._lib.lazy import np
from rapidbleu.sequences import is_ordered, items_of
from rapidbleu.stats import in_order, to_integers, unmasked
from rapidbleu.tuning.lists.sparse import check_csr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from rapidbleu._core.metrics.kernel import Kernel
    from rapidbleu.typing import (
        Array,
        Features,
        FloatArray,
        IntArray,
        Integers,
        Items,
        Vector,
        Weights,
    )

# Rows that are looked at together, so that checking a memory-mapped array does not load it.
ROWS = 1 << 16
MAX_TOTAL = 2**60


def check_features(features: Features) -> tuple[Any, bool]:
    """Return features as a C-contiguous float array or a CSR matrix, and whether it is the latter.

    Examples
    --------
    >>> check_features([[1, 2], [3, 4]])
    (array([[1., 2.],
           [3., 4.]]), False)
    """
    sparse = hasattr(features, "tocsr")
    matrix: Any = check_csr(features) if sparse else _as_array(features, "features")
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise ValueError(
            f"features: expected shape (n, n_features), one feature at least, got {matrix.shape}"
        )
    if matrix.dtype.kind not in "iufb":
        raise TypeError(f"features: expected numbers, got {matrix.dtype}")
    if matrix.dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
        matrix = matrix.astype(np.float64)
    if sparse:
        wrong = np.flatnonzero(~np.isfinite(matrix.data))
        if len(wrong):
            row = int(np.searchsorted(matrix.indptr, wrong[0], "right")) - 1
            place = f"features[{row}][{matrix.indices[wrong[0]]}]"
            raise ValueError(f"{place}: expected a finite number, got {matrix.data[wrong[0]]}")
        return matrix, True
    dense: Array = in_order(matrix)
    for begin in range(0, len(dense), ROWS):
        finite = np.isfinite(dense[begin : begin + ROWS])
        if not finite.all():
            i, j = (int(k) for k in np.argwhere(~finite)[0])
            raise ValueError(
                f"features[{begin + i}][{j}]: expected a finite number, got {dense[begin + i, j]}"
            )
    return read_only(dense), False


def check_stats(stats: Items[Integers], n: int, kernel: Kernel, offsets: IntArray) -> Array:
    """Return statistics as C-contiguous int32 or int64 rows; every segment has one at least."""
    empty = np.flatnonzero(np.diff(offsets) == 0)
    if len(empty):
        raise ValueError(f"offsets: segment {empty[0]} has no hypotheses, expected one at least")
    rows = _as_array(stats, "stats")
    if rows.shape != (n, kernel.n_stats):
        raise ValueError(f"stats: expected shape ({n}, {kernel.n_stats}), got {rows.shape}")
    if rows.dtype.kind not in "iu":
        raise TypeError(f"stats: expected integers, got {rows.dtype}")
    if rows.dtype == np.uint64:
        rows = to_integers(rows, "stats")
    elif rows.dtype not in (np.dtype(np.int32), np.dtype(np.int64)):
        rows = rows.astype(np.int64)
    rows = in_order(rows)
    highest = kernel.check_rows(rows, "stats")
    check_sums(rows, offsets, highest)
    return rows


def check_sums(
    rows: Array, offsets: IntArray, highest: int, counts: IntArray | None = None
) -> None:
    """Refuse statistics that could add up to more than 2**60.

    Parameters
    ----------
    rows : int64 or int32 array of shape (n, n_stats)
    offsets : int64 array of shape (n_segments + 1,)
    highest : int
        A number that no statistic exceeds.
    counts : int64 array of shape (n_segments,), optional
        How often each segment counts; once by default.
    """
    times = [1] * (len(offsets) - 1) if counts is None else counts.tolist()
    if highest * sum(times) > MAX_TOTAL:
        tops = np.maximum.reduceat(rows.max(axis=1), offsets[:-1].astype(np.intp)).tolist()
        if sum(top * n for top, n in zip(tops, times, strict=True)) > MAX_TOTAL:
            raise ValueError("stats: expected sums of at most 2**60 over all segments, got more")


def check_counts(counts: Array, stats: Array, offsets: IntArray) -> IntArray:
    """Return how often each segment counts, as an array that cannot be changed.

    Examples
    --------
    >>> import numpy as np
    >>> check_counts(np.array([3, 1]), np.array([[5], [6]]), np.array([0, 1, 2]))
    array([3, 1])
    """
    if counts.shape != (len(offsets) - 1,):
        raise ValueError(
            f"counts: expected {len(offsets) - 1}, one for each segment, got {counts.shape}"
        )
    if counts.dtype.kind not in "iu":
        raise TypeError(f"counts: expected integers, got {counts.dtype}")
    if counts.min() < 0:
        i = int(counts.argmin())
        raise ValueError(f"counts[{i}]: expected 0 or more, got {counts[i]}")
    if not counts.any():
        raise ValueError("counts: expected one at least above 0, got none")
    own = frozen(in_order(counts, np.int64))
    check_sums(stats, offsets, int(stats.max()), own)
    return own


def check_hypotheses(hypotheses: Sequence[str] | None, n: int) -> Sequence[str] | None:
    """Return the texts of hypotheses.

    Examples
    --------
    >>> check_hypotheses(["a b", "a c"], 2)
    ['a b', 'a c']
    """
    if hypotheses is not None and len(hypotheses) != n:
        got = len(hypotheses)
        raise ValueError(f"hypotheses: expected {n}, as many as features, got {got}")
    return hypotheses


def check_names(names: Sequence[str] | None, n_features: int) -> tuple[str, ...]:
    """Return the names of features.

    Examples
    --------
    >>> check_names(None, 2)
    ('F0', 'F1')
    """
    if names is None:
        return tuple(f"F{i}" for i in range(n_features))
    own = tuple(items_of(names, "names", "names"))
    if len(own) != n_features:
        raise ValueError(f"names: expected {n_features}, one for each feature, got {len(own)}")
    seen: set[str] = set()
    for i, name in enumerate(own):
        if not isinstance(name, str):
            raise TypeError(f"names[{i}]: expected str, got {type(name).__name__}")
        if name in seen:
            raise ValueError(f"names[{i}]: expected different names, got {name!r} again")
        seen.add(name)
    return own


def places_of(given: Iterable[str], names: Sequence[str], where: str) -> list[int]:
    """Return which features are meant by names; takes time linear in both.

    Examples
    --------
    >>> places_of(["length"], ["lm", "length"], "fixed")
    [1]
    """
    places = {name: i for i, name in enumerate(names)}
    found = []
    for name in given:
        if not isinstance(name, str) or name not in places:
            raise ValueError(f"{where}: expected names of features, got {name!r}")
        found.append(places[name])
    return found


def check_ids(ids: Integers | None, n_segments: int) -> IntArray:
    """Return the numbers of segments.

    Examples
    --------
    >>> check_ids(None, 3)
    array([0, 1, 2])
    """
    if ids is None:
        return np.arange(n_segments, dtype=np.int64)
    own = _as_array(ids, "ids")
    if own.shape != (n_segments,):
        raise ValueError(f"ids: expected {n_segments}, one for each segment, got {own.shape}")
    if own.dtype.kind not in "iu":
        raise TypeError(f"ids: expected integers, got {own.dtype}")
    if own.dtype == np.uint64 and n_segments and own.max() > np.iinfo(np.int64).max:
        i = int(own.argmax())
        raise ValueError(f"ids[{i}]: expected a number below 2**63, got {own[i]}")
    values, counts = np.unique(own, return_counts=True)
    if len(values) != n_segments:
        raise ValueError(f"ids: expected different numbers, got {values[counts > 1][0]} again")
    return own.astype(np.int64)


def check_weights(weights: Weights, names: Sequence[str], where: str = "weights") -> FloatArray:
    """Return weights as a float64 array of shape (n_features,) or (m, n_features).

    A mapping of names to numbers is one vector; it must have them all.

    Examples
    --------
    >>> check_weights({"b": 2, "a": 1}, ["a", "b"])
    array([1., 2.])
    """
    from collections.abc import Mapping

    if isinstance(weights, Mapping):
        places_of(weights, names, where)
        for name in names:
            if name not in weights:
                raise ValueError(f"{where}: expected one for each feature, got none for {name!r}")
        weights = [weights[name] for name in names]
    array = _as_array(weights, where)
    if array.dtype.kind not in "iufb":
        raise TypeError(f"{where}: expected numbers, got {array.dtype}")
    if array.ndim not in (1, 2) or array.shape[-1] != len(names):
        raise ValueError(
            f"{where}: expected {len(names)}, one for each feature, got shape {array.shape}"
        )
    array = in_order(array, np.float64)
    wrong = np.argwhere(~np.isfinite(array))
    if len(wrong):
        place = "".join(f"[{k}]" for k in wrong[0])
        raise ValueError(f"{where}{place}: expected a finite number, got {array[tuple(wrong[0])]}")
    return array


def check_vector(weights: Vector, names: Sequence[str], where: str = "weights") -> FloatArray:
    """Return one weight for each feature, after `check_weights`, as an array of its own.

    Examples
    --------
    >>> check_vector([1, 2], ["a", "b"])
    array([1., 2.])
    """
    vector = check_weights(weights, names, where)
    if vector.ndim != 1:
        raise ValueError(f"{where}: expected one vector, got shape {vector.shape}")
    return vector.copy()


def check_number(
    name: str, value: float, least: float, most: float = float("inf"), *, above: bool = False
) -> float:
    """Return a finite float between two limits; with `above`, above the lower one.

    Examples
    --------
    >>> check_number("decay", 1, 0, 1)
    1.0
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected a number, got {type(value).__name__}") from None
    except OverflowError:  # an integer that no float is as large as
        number = float("inf") if value > 0 else -float("inf")
    if abs(number) < float("inf") and least <= number <= most and (number > least or not above):
        return number
    wanted = f"above {least:g}" if above else f"of at least {least:g}"
    if most < float("inf"):
        wanted += f", at most {most:g}"
    raise ValueError(f"{name}: expected a number {wanted}, got {number:g}")


def check_pair(name: str, pair: Items[float]) -> tuple[float, float]:
    """Return a pair of numbers.

    Examples
    --------
    >>> check_pair("bounds", [0, 1])
    (0.0, 1.0)
    """
    numbers = items_of(pair, name, "numbers") if is_ordered(pair) else []
    if len(numbers) == 2 and all(hasattr(number, "__float__") for number in numbers):
        return float(numbers[0]), float(numbers[1])
    raise TypeError(f"{name}: expected a pair of numbers, got {pair!r}")


def _as_array(source: object, where: str) -> Array:
    unmasked(source, where)
    try:
        return np.asanyarray(source)
    except ValueError:  # rows of different lengths
        raise ValueError(f"{where}: expected rows of the same length") from None
