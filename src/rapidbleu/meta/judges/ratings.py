"""Ratings of items by judges, for measures of agreement."""

from rapidbleu.meta.judges.judgments import Judgments
from rapidbleu.meta.scores.checks import filled
from rapidbleu.sequences import items_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu.typing import Array, FloatArray, IntArray, Items

    _RatingSource = Judgments | Array | Items[Items[float | None] | Items[str | None] | Array]


class Ratings:
    """What judges said of items: one rating at most by each judge of each item.

    Attributes
    ----------
    judge, item : int64 arrays of shape (n_ratings,)
        Sorted by item, then by judge.
    category : int64 array of shape (n_ratings,)
        The place of the rating among the different ones, which are sorted.
    values : float64 array of shape (n_categories,), or None
        The numbers that the categories are; None for labels.
    n_judges, n_items : int
    """

    def __init__(
        self, judge: "IntArray", item: "IntArray", rating: "Array", shape: "tuple[int, int]"
    ) -> None:
        import numpy as np

        self.n_judges, self.n_items = shape
        order = np.lexsort((judge, item))
        self.judge, self.item = judge[order], item[order]
        names, category = np.unique(rating[order], return_inverse=True)
        self.category: IntArray = category.reshape(-1).astype(np.int64)
        self.values: FloatArray | None = names if names.dtype.kind == "f" else None
        self.n_categories = len(names)

    def numbers(self, what: str) -> "FloatArray":
        """Return the number of each rating.

        Raises
        ------
        TypeError
            If ratings are labels; `what` needs numbers.
        """
        if self.values is None:
            raise TypeError(f"ratings: expected numbers for {what}, got labels")
        return self.values[self.category]

    def of_items_with(self, least: int) -> "Ratings":
        """Return the ratings of items that have at least so many."""
        import numpy as np

        counts = np.bincount(self.item, minlength=self.n_items)
        there = counts[self.item] >= least
        rating = self.category if self.values is None else self.values[self.category]
        shape = (self.n_judges, self.n_items)
        return Ratings(self.judge[there], self.item[there], rating[there], shape)


def ratings_of(source: "_RatingSource") -> Ratings:
    """Return ratings.

    Parameters
    ----------
    source : Judgments, or a matrix [judge, item] of numbers or of labels
        nan or None: not judged. Of Judgments an item is a system's output for a segment, and a
        judge's first judgment of it counts.

    Raises
    ------
    TypeError, ValueError
        If it is neither, rows differ in length, or numbers are not finite.
    """
    import numpy as np

    if isinstance(source, Judgments):
        n_segments = len(source.segment.names)
        pair = source.system.codes * n_segments + source.segment.codes
        _, item = np.unique(pair, return_inverse=True)
        item = item.reshape(-1)
        n_items = int(item.max()) + 1
        _, first = np.unique(item * len(source.judge.names) + source.judge.codes, return_index=True)
        shape = (len(source.judge.names), n_items)
        return Ratings(source.judge.codes[first], item[first], source.values[first], shape)
    matrix = _matrix(source)
    judge, item = np.nonzero(matrix == matrix if matrix.dtype.kind == "f" else matrix != "")
    return Ratings(judge, item, matrix[judge, item], matrix.shape)


def _matrix(source: "Any") -> "Array":
    """Return a matrix [judge, item], of float64 with nan or of labels with empty ones."""
    import numpy as np

    if isinstance(source, np.ndarray) and source.dtype.kind in "iuf":
        matrix = np.asarray(filled(source), np.float64).copy()
    else:
        rows = [
            items_of(row, f"ratings[{i}]", "ratings")
            for i, row in enumerate(items_of(source, "ratings", "judges"))
        ]
        for i, row in enumerate(rows):
            if len(row) != len(rows[0]):
                raise ValueError(f"ratings[{i}]: expected {len(rows[0])} ratings, got {len(row)}")
        labels = any(isinstance(cell, str) for row in rows for cell in row)
        read = _label if labels else _number
        cells = [
            [read(cell, f"ratings[{i}][{j}]") for j, cell in enumerate(row)]
            for i, row in enumerate(rows)
        ]
        matrix = np.array(cells, np.str_ if labels else np.float64)
    if matrix.ndim != 2 or not matrix.size:
        raise ValueError(f"ratings: expected a matrix [judge, item], got shape {matrix.shape}")
    if matrix.dtype.kind == "f" and np.isinf(matrix).any():
        i, j = np.argwhere(np.isinf(matrix))[0].tolist()
        raise ValueError(f"ratings[{i}][{j}]: expected a finite number or nan, got {matrix[i, j]}")
    return matrix


def _label(cell: object, where: str) -> str:
    if cell is None:
        return ""
    if not isinstance(cell, str):
        raise TypeError(f"{where}: expected a label, as there are others, got {cell!r}")
    if not cell:
        raise ValueError(f"{where}: expected a label or None, got an empty str")
    return cell


def _number(cell: "Any", where: str) -> float:
    if cell is None:
        return float("nan")
    if isinstance(cell, bytes | bool) or not hasattr(cell, "__float__"):
        raise TypeError(f"{where}: expected a number, a label or None, got {type(cell).__name__}")
    return float(cell)
