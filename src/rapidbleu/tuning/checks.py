"""Checks of n-best lists, of dense or sparse features, and of weights.

SciPy trusts the indices of its matrices, so a wrong index or pointer would access foreign memory.
Sparse matrices are therefore checked before SciPy's compiled code or the core reads them.
"""

from __future__ import annotations

from collections.abc import Mapping

from rapidbleu._lib.checks import check_type, is_ordered, items_of
from rapidbleu._lib.frozen import frozen, read_only
from rapidbleu._lib.loader import load, np
from rapidbleu.metrics.nbest import check_filled
from rapidbleu.stats import in_order, to_integers, unmasked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from rapidbleu._core.metrics.kernel import Kernel
    from rapidbleu._types import (
        Array,
        Features,
        FloatArray,
        IntArray,
        Integers,
        Items,
        Vector,
        Weights,
    )

ROWS = 1 << 16  # checked at a time, because a memory-mapped array may exceed the memory
MAX_TOTAL = 2**60


# Lists


def named_features(
    rows: Sequence[Any], place: Callable[[int], str]
) -> tuple[FloatArray, tuple[str, ...]]:
    """Return features by name as rows in the order of the first one, and the names."""
    names = tuple(rows[0]) if isinstance(rows[0], dict) else ()
    for i, row in enumerate(rows):
        values = np.array(
            [*row.values()] if isinstance(row, dict) and row.keys() == {*names} else ""
        )
        if values.dtype.kind not in "fiu" or not np.isfinite(values).all():
            raise ValueError(f"{place(i)}: {_wrong_feature(row, names)}")
    return np.array([[row[name] for name in names] for row in rows], np.float64), names


def _wrong_feature(row: Any, names: tuple[str, ...]) -> str:
    """Return the error of features that are not finite numbers called `names`.

    >>> _wrong_feature({"lm": 1.5, "length": None}, ("lm", "length"))
    "expected a finite number as feature 'length'; got None"
    """
    if not isinstance(row, dict):
        return f"expected finite numbers by name; got {row!r}"
    for name in names:
        if name not in row:
            return f"expected feature {name!r}, as in the first row; got none"
    for name, value in row.items():
        if name not in names:
            return f"expected the features of the first row; got {name!r} as well"
        number = np.asarray(value)
        if number.dtype.kind not in "fiu" or not np.isfinite(number).all():
            return f"expected a finite number as feature {name!r}; got {value!r}"
    return f"expected finite numbers of one type; got {row!r}"


def check_features(features: Features) -> tuple[Any, bool]:
    """Return features as a C-contiguous float array or CSR matrix, and whether they are sparse.

    >>> check_features([[1, 2], [3, 4]])
    (array([[1., 2.],
           [3., 4.]]), False)
    """
    if hasattr(features, "tocsr"):
        matrix = check_csr(features)
        wrong = np.flatnonzero(~np.isfinite(matrix.data))
        if len(wrong):
            row = int(np.searchsorted(matrix.indptr, wrong[0], "right")) - 1
            where = f"features[{row}][{matrix.indices[wrong[0]]}]"
            raise ValueError(f"{where}: expected a finite number; got {matrix.data[wrong[0]]}")
        return matrix, True
    array = _as_array(features, "features")
    _check_kind(array, "features")
    if array.dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
        array = array.astype(np.float64)
    dense = in_order(array)
    for begin in range(0, len(dense), ROWS):
        finite = np.isfinite(dense[begin : begin + ROWS])
        if not finite.all():
            i, j = (int(k) for k in np.argwhere(~finite)[0])
            raise ValueError(
                f"features[{begin + i}][{j}]: expected a finite number; got {dense[begin + i, j]}"
            )
    return read_only(dense), False


def _check_kind(features: Any, where: str) -> None:
    """Raise unless features are numbers with at least one column."""
    if len(features.shape) != 2 or features.shape[1] == 0:
        raise ValueError(
            f"{where}: expected shape (n, n_features), one feature at least; got {features.shape}"
        )
    if features.dtype.kind not in "iufb":
        raise TypeError(f"{where}: expected numbers; got {features.dtype}")


def check_stats(stats: Items[Integers], n: int, kernel: Kernel, offsets: IntArray) -> Array:
    """Return statistics as C-contiguous int32 or int64 rows, at least one per segment."""
    check_filled(offsets)
    rows = _as_array(stats, "stats")
    if rows.shape != (n, kernel.n_stats):
        raise ValueError(f"stats: expected shape ({n}, {kernel.n_stats}); got {rows.shape}")
    if rows.dtype.kind not in "iu":
        raise TypeError(f"stats: expected integers; got {rows.dtype}")
    if rows.dtype == np.uint64:
        rows = to_integers(rows, "stats")
    elif rows.dtype not in (np.dtype(np.int32), np.dtype(np.int64)):
        rows = rows.astype(np.int64)
    rows = in_order(rows)
    check_sums(rows, offsets, kernel.check_rows(rows, "stats"))
    return rows


def check_sums(
    rows: Array, offsets: IntArray, highest: int, counts: IntArray | None = None
) -> None:
    """Raise ValueError if statistics could add up to more than 2**60.

    `highest` is the maximum statistic, `counts` how often each segment counts (default: once).
    """
    times = [1] * (len(offsets) - 1) if counts is None else counts.tolist()
    if highest * sum(times) > MAX_TOTAL:
        tops = np.maximum.reduceat(rows.max(axis=1), offsets[:-1].astype(np.intp)).tolist()
        if sum(top * n for top, n in zip(tops, times, strict=True)) > MAX_TOTAL:
            raise ValueError("stats: expected sums of at most 2**60 over all segments; got more")


def check_counts(counts: Array, stats: Array, offsets: IntArray) -> IntArray:
    """Return how often each segment counts, as an immutable array."""
    _check_each_segment("counts", counts, len(offsets) - 1)
    if counts.min() < 0:
        i = int(counts.argmin())
        raise ValueError(f"counts[{i}]: expected 0 or more; got {counts[i]}")
    if not counts.any():
        raise ValueError("counts: expected at least one above 0; got none")
    checked = frozen(in_order(counts, np.int64))
    check_sums(stats, offsets, int(stats.max()), checked)
    return checked


def check_names(names: Sequence[str] | None, n_features: int) -> tuple[str, ...]:
    """Return the names of features, by default F0, F1, ..."""
    if names is None:
        return tuple(f"F{i}" for i in range(n_features))
    checked = tuple(items_of(names, "names", "names"))
    if len(checked) != n_features:
        raise ValueError(f"names: expected {n_features}, one for each feature; got {len(checked)}")
    seen: set[str] = set()
    for i, name in enumerate(checked):
        check_type(f"names[{i}]", name, str)
        if name in seen:
            raise ValueError(f"names[{i}]: expected different names; got {name!r} again")
        seen.add(name)
    return checked


def check_ids(ids: Integers | None, n_segments: int) -> IntArray:
    """Return the numbers of segments, by default 0, 1, ..."""
    if ids is None:
        return np.arange(n_segments, dtype=np.int64)
    numbers = _as_array(ids, "ids")
    _check_each_segment("ids", numbers, n_segments)
    if numbers.dtype == np.uint64 and n_segments and numbers.max() > np.iinfo(np.int64).max:
        i = int(numbers.argmax())
        raise ValueError(f"ids[{i}]: expected a number below 2**63; got {numbers[i]}")
    values, counts = np.unique(numbers, return_counts=True)
    if len(values) != n_segments:
        raise ValueError(f"ids: expected different numbers; got {values[counts > 1][0]} again")
    return numbers.astype(np.int64)


def _check_each_segment(name: str, numbers: Array, n_segments: int) -> None:
    if numbers.shape != (n_segments,):
        raise ValueError(
            f"{name}: expected {n_segments}, one for each segment; got {numbers.shape}"
        )
    if numbers.dtype.kind not in "iu":
        raise TypeError(f"{name}: expected integers; got {numbers.dtype}")


def places_of(wanted: Iterable[str], names: Sequence[str], where: str) -> list[int]:
    """Return the indices of the features with these names, in linear time.

    >>> places_of(["length"], ["lm", "length"], "fixed")
    [1]
    """
    known = {name: i for i, name in enumerate(names)}
    indices = []
    for name in wanted:
        if not isinstance(name, str) or name not in known:
            raise ValueError(f"{where}: expected names of features; got {name!r}")
        indices.append(known[name])
    return indices


def check_weights(weights: Weights, names: Sequence[str], where: str = "weights") -> FloatArray:
    """Return weights as a float64 array of shape (n_features,) or (m, n_features).

    A mapping of names to numbers is one vector and must contain every name.

    >>> check_weights({"b": 2, "a": 1}, ["a", "b"])
    array([1., 2.])
    """
    if isinstance(weights, Mapping):
        places_of(weights, names, where)
        for name in names:
            if name not in weights:
                raise ValueError(f"{where}: expected one for each feature; got none for {name!r}")
        weights = [weights[name] for name in names]
    array = _as_array(weights, where)
    if array.dtype.kind not in "iufb":
        raise TypeError(f"{where}: expected numbers; got {array.dtype}")
    if array.ndim not in (1, 2) or array.shape[-1] != len(names):
        raise ValueError(
            f"{where}: expected {len(names)}, one for each feature; got shape {array.shape}"
        )
    array = in_order(array, np.float64)
    wrong = np.argwhere(~np.isfinite(array))
    if len(wrong):
        index = "".join(f"[{k}]" for k in wrong[0])
        raise ValueError(f"{where}{index}: expected a finite number; got {array[tuple(wrong[0])]}")
    return array


def check_vector(weights: Vector, names: Sequence[str], where: str = "weights") -> FloatArray:
    """Return a copy of one vector of weights, checked by `check_weights`."""
    vector = check_weights(weights, names, where)
    if vector.ndim != 1:
        raise ValueError(f"{where}: expected one vector; got shape {vector.shape}")
    return vector.copy()


def check_number(
    name: str, value: float, least: float, most: float = float("inf"), *, above: bool = False
) -> float:
    """Return a finite float from `least` to `most`; `above` excludes `least`.

    >>> check_number("decay", 1, 0, 1)
    1.0
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected a number; got {type(value).__name__}") from None
    except OverflowError:  # an integer beyond all floats
        number = float("inf") if value > 0 else -float("inf")
    if abs(number) < float("inf") and least <= number <= most and (number > least or not above):
        return number
    wanted = f"above {least:g}" if above else f"of at least {least:g}"
    if most < float("inf"):
        wanted += f", at most {most:g}"
    raise ValueError(f"{name}: expected a number {wanted}; got {number:g}")


def check_pair(name: str, pair: Items[float]) -> tuple[float, float]:
    numbers = items_of(pair, name, "numbers") if is_ordered(pair) else []
    if len(numbers) == 2 and all(hasattr(number, "__float__") for number in numbers):
        return float(numbers[0]), float(numbers[1])
    raise TypeError(f"{name}: expected a pair of numbers; got {pair!r}")


def _as_array(source: object, where: str) -> Array:
    unmasked(source, where)
    try:
        return np.asanyarray(source)
    except ValueError:  # rows of different lengths
        raise ValueError(f"{where}: expected rows of equal length; got different ones") from None


def check_csr(matrix: Any, where: str = "features") -> Any:
    """Return a SciPy sparse matrix of any format as CSR with sorted, unique columns.

    Duplicate entries are added up, as in SciPy. The matrix passed does not change: its values are
    used in place if they are in order, its indices are copied. `where` names it in errors.

    >>> from scipy.sparse import csr_matrix
    >>> matrix = csr_matrix(([1.0, 2.0, 3.0], [1, 0, 1], [0, 2, 3]), shape=(2, 2))
    >>> check_csr(matrix).indices
    array([0, 1, 1], dtype=int32)
    >>> matrix.indices[2] = 7
    >>> check_csr(matrix)
    Traceback (most recent call last):
    ...
    ValueError: features.indices[2]: expected 0 to 1; got 7
    """
    _check_kind(matrix, where)
    if matrix.format in ("csc", "bsr"):
        lengths = _blocks(matrix, where) if matrix.format == "bsr" else matrix.shape[::-1]
        _check_length(matrix.data, matrix.indices, where)
        _check_pointers(matrix.indptr, lengths[0], len(matrix.indices), f"{where}.indptr")
        _check_indices(matrix.indices, lengths[1], f"{where}.indices")
    elif matrix.format == "coo":
        for name, length in zip(("row", "col"), matrix.shape, strict=True):
            _check_indices(getattr(matrix, name), length, f"{where}.{name}")
    if matrix.format != "csr":
        matrix = matrix.tocsr()
    return make_csr(matrix.data, matrix.indices, matrix.indptr, matrix.shape, where)


def make_csr(data: Array, indices: Any, indptr: Any, shape: tuple[int, ...], where: str) -> Any:
    """Return the CSR matrix of SciPy's three arrays, as `check_csr` does, ignoring extra values."""
    csr_matrix = load("scipy.sparse", "csr_matrix")
    _check_length(data, indices, where)
    if data.ndim != 1:
        raise ValueError(f"{where}.data: expected one dimension; got shape {data.shape}")
    if data.dtype.kind not in "iufb":
        raise TypeError(f"{where}.data: expected numbers; got {data.dtype}")
    if data.dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
        data = data.astype(np.float64)
    _check_pointers(indptr, shape[0], len(indices), f"{where}.indptr")
    n = int(indptr[-1])
    data = data[:n]
    indices = indices[:n]
    _check_indices(indices, shape[1], f"{where}.indices")
    wide = max(n, *shape) > np.iinfo(np.int32).max
    kind = np.int64 if wide or indices.dtype == indptr.dtype == np.int64 else np.int32
    columns: Any = np.ascontiguousarray(indices, kind)
    pointers: Any = np.ascontiguousarray(indptr, kind)
    matrix = csr_matrix((data, columns, pointers), shape=shape)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    parts = read_only(matrix.data), frozen(matrix.indices), frozen(matrix.indptr)
    matrix = csr_matrix(parts, shape=shape)
    matrix.has_canonical_format = True
    return matrix


def _blocks(matrix: Any, where: str) -> tuple[int, int]:
    """Return the numbers of block rows and block columns of a BSR matrix."""
    if matrix.data.ndim != 3 or 0 in matrix.data.shape[1:]:
        raise ValueError(f"{where}.data: expected blocks; got shape {matrix.data.shape}")
    (rows, row_rest), (columns, column_rest) = map(divmod, matrix.shape, matrix.data.shape[1:])
    if row_rest or column_rest:
        raise ValueError(
            f"{where}.data: expected blocks that divide {matrix.shape}; got {matrix.data.shape[1:]}"
        )
    return rows, columns


def _check_length(data: Array, indices: Array, where: str) -> None:
    if len(data) != len(indices):
        raise ValueError(
            f"{where}.data: expected {len(indices)}, as many as indices; got {len(data)}"
        )


def _check_indices(indices: Any, n: int, where: str) -> None:
    _check_integers(indices, where)
    wrong = (indices < 0) | (indices >= n)
    if wrong.any():
        i = int(wrong.argmax())
        raise ValueError(f"{where}[{i}]: expected 0 to {n - 1}; got {indices[i]}")


def _check_pointers(pointers: Any, n: int, most: int, where: str) -> None:
    """Raise unless pointers divide an array of length `most` into `n` parts."""
    _check_integers(pointers, where)
    if len(pointers) != n + 1:
        raise ValueError(f"{where}: expected {n + 1} items; got {len(pointers)}")
    if pointers[0] != 0:
        raise ValueError(f"{where}[0]: expected 0; got {pointers[0]}")
    wrong = (pointers[1:] < pointers[:-1]) | (pointers[1:] > most)
    if wrong.any():
        i = int(wrong.argmax()) + 1
        raise ValueError(f"{where}[{i}]: expected {pointers[i - 1]} to {most}; got {pointers[i]}")


def _check_integers(array: Array, where: str) -> None:
    if array.ndim != 1:
        raise ValueError(f"{where}: expected one dimension; got shape {array.shape}")
    if array.dtype.kind not in "iu":
        raise TypeError(f"{where}: expected integers; got {array.dtype}")
