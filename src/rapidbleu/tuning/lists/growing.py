"""Arrays that grow while a file is read: one block of memory, moved by the system if at all."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu.typing import Array, Items


class GrowingRows:
    """Rows of numbers, some more at a time.

    Parameters
    ----------
    n_columns : int or None
        None: the array has one dimension.
    dtype : dtype

    Examples
    --------
    >>> rows = GrowingRows(2, "int64")
    >>> rows.append([[1, 2], [3, 4]])
    >>> rows.take()
    array([[1, 2],
           [3, 4]])
    """

    def __init__(self, n_columns: "int | None", dtype: "Any") -> None:
        import numpy as np

        self.width = () if n_columns is None else (n_columns,)
        self.rows: Array = np.empty((0, *self.width), dtype)
        self.n = 0

    def more(self, n: int) -> "Array":
        """Return the next `n` rows, to be written before anything else is asked for."""
        needed = self.n + n
        if needed > len(self.rows):
            # No view of the rows is alive, so they may move.
            self.rows.resize((max(needed, len(self.rows) * 3 // 2), *self.width), refcheck=False)
        self.n = needed
        return self.rows[needed - n : needed]

    def append(self, rows: "Items[Any]") -> None:
        """Copy rows behind those that are there."""
        self.more(len(rows))[:] = rows

    def take(self) -> "Array":
        """Return the rows, whose memory they give back as far as it is unused."""
        self.rows.resize((self.n, *self.width), refcheck=False)
        return self.rows
