"""Groups of rows that follow each other in columns of Arrow."""

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def begins(column: "Any") -> "Any":
    """Return where other values begin in a column, which has one at least; each null is another."""
    import numpy as np

    compute = import_module("pyarrow.compute")
    same = compute.equal(column.slice(1), column.slice(0, len(column) - 1))
    changes = compute.invert(compute.fill_null(same, False))
    return np.append(0, np.flatnonzero(changes.to_numpy(zero_copy_only=False)) + 1)


def first_repeated(column: "Any", groups: "Any") -> "int | None":
    """Return the place of the first value that is that before it, in the same group.

    Parameters
    ----------
    column : pyarrow.Array
        Without nulls, sorted within each group.
    groups : int64 array
        Where groups begin.
    """
    import numpy as np

    others = np.union1d(groups, begins(column))
    if len(others) == len(column):
        return None
    return int(np.setdiff1d(np.arange(len(column)), others)[0])
