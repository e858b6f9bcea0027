"""Readers of weights: Moses' ``init.opt``, ``run1.dense`` and ``name value`` lines."""

from __future__ import annotations

from rapidbleu._core.moses.files import parse_number
from rapidbleu._lib.loader import np
from rapidbleu.streams.files import open_reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from rapidbleu._types import FloatArray, Path


def read_init_opt(path: Path) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Read a start point with its bounds.

    The file has three lines with a number per feature: weights, minima, maxima. Raises ValueError
    with file and line if it is malformed.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "init.opt")
    ...     with open(path, "w") as file:
    ...         print("0.3 -1", "0 -1", "1 1", sep="\\n", file=file)
    ...     start, low, high = read_init_opt(path)
    >>> start, low, high
    (array([ 0.3, -1. ]), array([ 0., -1.]), array([1., 1.]))
    """
    rows: list[list[float]] = []
    name = ""
    for where, fields in _lines(path):
        name = where.rpartition(", ")[0]
        rows.append([_number(field, where) for field in fields])
        if len(rows[-1]) != len(rows[0]):
            raise ValueError(f"{where}: expected {len(rows[0])} numbers; got {len(rows[-1])}")
        if len(rows) == 3:
            for i, (low, high) in enumerate(zip(*rows[1:], strict=True), 1):
                if low > high:
                    raise ValueError(f"{where}: expected maximum {i} from {low} on; got {high}")
            start, lows, highs = (np.array(row) for row in rows)
            return start, lows, highs
    raise ValueError(
        f"{name or path}: expected three lines, weights, minima and maxima; got {len(rows)}"
    )


def read_dense_weights(path: Path) -> dict[str, float]:
    """Read weights of dense features.

    The file has lines ``LM0= 0.5``, one per value of a feature. In the old format, still accepted
    by Moses, the first line has all weights without names, as in ``init.opt``, and the rest is
    ignored. Names are as in n-best lists: ``LM0_0``, ``LM0_1``; ``_0``, ``_1`` for weights without
    names. Raises ValueError with file and line if a line is malformed.
    """
    weights: dict[str, float] = {}
    counts: dict[str, int] = {}
    for where, fields in _lines(path):
        if not weights and parse_number(fields[0].encode()) is not None:
            return {f"_{i}": _number(field, where) for i, field in enumerate(fields)}
        if len(fields) != 2 or not fields[0].endswith("="):
            raise ValueError(f"{where}: expected 'label= weight'; got {' '.join(fields)!r}")
        label = fields[0][:-1]
        n = counts.get(label, 0)
        counts[label] = n + 1
        weights[f"{label}_{n}"] = _number(fields[1], where)
    return weights


def read_sparse_weights(path: Path) -> dict[str, float]:
    """Read lines ``name weight``; raise ValueError as `read_dense_weights` does."""
    weights: dict[str, float] = {}
    for where, fields in _lines(path):
        if len(fields) != 2:
            raise ValueError(f"{where}: expected 'name weight'; got {' '.join(fields)!r}")
        if fields[0] in weights:
            raise ValueError(f"{where}: expected different names; got {fields[0]!r} again")
        weights[fields[0]] = _number(fields[1], where)
    return weights


def _lines(path: Path) -> Iterator[tuple[str, list[str]]]:
    with open_reader(path) as reader:
        while (line := reader.read_line()) is not None:
            where = f"{reader.name}, line {reader.line}"
            try:
                fields = line.decode("utf-8").split()
            except UnicodeDecodeError:
                raise ValueError(f"{where}: expected text in UTF-8") from None
            if fields:
                yield where, fields


def _number(text: str, where: str) -> float:
    number = parse_number(text.encode())
    if number is None:
        raise ValueError(f"{where}: expected a finite number; got {text!r}")
    return number
