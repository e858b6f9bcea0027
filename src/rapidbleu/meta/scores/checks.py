"""Matrices of scores and names, as callers give them, checked."""

from rapidbleu.sequences import items_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from rapidbleu.typing import Array, FloatArray


def shape_of(values: "Array") -> str:
    """Return how many systems and segments a matrix has, in words."""
    return f"{counted(values.shape[0], 'system')} x {counted(values.shape[1], 'segment')}"


def counted(n: int, what: str) -> str:
    """Return a number and a noun."""
    return f"{n} {what}{'s' * (n != 1)}"


def matrix_of(values: "Any") -> "FloatArray":
    """Return scores[system, segment] as a read-only matrix, with nan for what is missing."""
    import numpy as np

    if isinstance(values, np.ndarray) and values.dtype != object:
        found = filled(values)
    else:
        rows = [row_of(row, f"[{i}]") for i, row in enumerate(items_of(values, "values", "rows"))]
        found = equally_long(rows, [f"[{i}]" for i in range(len(rows))])
    if found.ndim != 2:
        raise ValueError(f"expected scores[system, segment], got {found.ndim} dimensions")
    if found.dtype.kind not in "iuf":
        raise TypeError(f"expected numbers, got {found.dtype}")
    if not found.size:
        raise ValueError(f"expected at least one score, got {shape_of(found)}")
    matrix: FloatArray = np.array(found, np.float64, order="C")
    endless = np.argwhere(np.isinf(matrix))
    if len(endless):
        i, j = endless[0].tolist()
        raise ValueError(f"[{i}][{j}]: expected a finite number or nan, got {matrix[i, j]}")
    matrix.setflags(write=False)
    return matrix


def filled(values: "Array") -> "Array":
    """Return an array with nan where items are masked."""
    import sys

    masks = sys.modules.get("numpy.ma")  # without it nothing is masked
    if masks is None or values.dtype.kind not in "iuf" or not masks.is_masked(values):
        return values
    found: Array = values.astype(float).filled(float("nan"))  # type: ignore[attr-defined]
    return found


def row_of(source: "Any", where: str) -> "FloatArray":
    """Return a system's scores as float64, with nan for what is missing."""
    import numpy as np

    if isinstance(source, np.ndarray) and source.dtype.kind in "iuf" and source.ndim == 1:
        return np.asarray(filled(source), np.float64).copy()
    row = np.empty(len(items := items_of(source, where, "scores")), np.float64)
    for j, item in enumerate(items):
        if item is None:
            row[j] = np.nan
        elif isinstance(item, str | bytes | bool) or not hasattr(item, "__float__"):
            raise TypeError(f"{where}[{j}]: expected a number or None, got {type(item).__name__}")
        else:
            row[j] = item
    return row


def equally_long(rows: "list[FloatArray]", names: "list[str]") -> "FloatArray":
    """Return rows as a matrix; `names` says in errors which row is meant."""
    import numpy as np

    for name, row in zip(names, rows, strict=True):
        if len(row) != len(rows[0]):
            raise ValueError(
                f"{name}: expected {counted(len(rows[0]), 'score')}, as {names[0]} has, "
                f"got {len(row)}"
            )
    return np.array(rows, np.float64) if rows else np.empty((0, 0))


def names_of(names: "Iterable[str] | None", n: int, what: str) -> "tuple[str, ...] | None":
    """Return n names, or None if there are none."""
    if names is None:
        return None
    found = checked_names(names, what)
    if len(found) != n:
        raise ValueError(f"{what}: expected {n}, as many as the matrix has, got {len(found)}")
    return found


def checked_names(names: "Iterable[str]", what: str) -> "tuple[str, ...]":
    """Return names, no two of which are the same."""
    found = tuple(items_of(names if not hasattr(names, "keys") else list(names), what, "names"))
    seen = set()
    for i, name in enumerate(found):
        if not isinstance(name, str):
            raise TypeError(f"{what}[{i}]: expected str, got {type(name).__name__}")
        if name in seen:
            raise ValueError(f"{what}[{i}]: expected a name of its own, got {name!r} again")
        seen.add(name)
    return found
