"""Sparse matrices, checked before SciPy's compiled code or the core reads them.

SciPy trusts the indices of its matrices: an index beyond the columns, or a pointer that falls, is
read as it is, from memory that belongs to others.
"""

from __future__ import annotations

from rapidbleu._lib.frozen import frozen, read_only
from rapidbleu._lib.lazy import np
from rapidbleu._lib.loader import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu.typing import Array


def check_csr(matrix: Any, where: str = "features") -> Any:
    """Return a sparse matrix as a CSR matrix whose rows have sorted, different columns.

    Values that stand at the same place are added up, as SciPy does. The given matrix stays as it
    is; its values are used in place if they are in order, its indices are copied.

    Parameters
    ----------
    matrix : SciPy sparse matrix or array
        Of any format.
    where : str
        What errors call it.

    Raises
    ------
    TypeError, ValueError
        If an index or a pointer leads out of the matrix, or something has the wrong form.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> matrix = csr_matrix(([1.0, 2.0, 3.0], [1, 0, 1], [0, 2, 3]), shape=(2, 2))
    >>> check_csr(matrix).indices
    array([0, 1, 1], dtype=int32)
    >>> matrix.indices[2] = 7
    >>> check_csr(matrix)
    Traceback (most recent call last):
    ...
    ValueError: features.indices[2]: expected 0 to 1, got 7
    """
    if len(matrix.shape) != 2 or matrix.shape[1] == 0:
        raise ValueError(
            f"{where}: expected shape (n, n_features), one feature at least, got {matrix.shape}"
        )
    if matrix.dtype.kind not in "iufb":
        raise TypeError(f"{where}: expected numbers, got {matrix.dtype}")
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
    """Return the CSR matrix of three arrays, as `check_csr` does.

    Parameters
    ----------
    data, indices, indptr : array
        As SciPy's; what is behind the last pointer is left out.
    shape : tuple of int
    where : str
    """
    load("scipy.sparse")
    from scipy.sparse import csr_matrix

    _check_length(data, indices, where)
    if data.ndim != 1:
        raise ValueError(f"{where}.data: expected one dimension, got shape {data.shape}")
    if data.dtype.kind not in "iufb":
        raise TypeError(f"{where}.data: expected numbers, got {data.dtype}")
    if data.dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
        data = data.astype(np.float64)
    _check_pointers(indptr, shape[0], len(indices), f"{where}.indptr")
    n = int(indptr[-1])
    data, indices = data[:n], indices[:n]
    _check_indices(indices, shape[1], f"{where}.indices")
    wide = max(n, *shape) > np.iinfo(np.int32).max
    kind = np.int64 if wide or indices.dtype == indptr.dtype == np.int64 else np.int32
    columns: Any = np.ascontiguousarray(indices, kind)
    pointers: Any = np.ascontiguousarray(indptr, kind)
    rises = columns[1:] > columns[:-1]
    begins = pointers[1:-1][(pointers[1:-1] > 0) & (pointers[1:-1] < n)]
    rises[begins - 1] = True
    if not rises.all():
        added = csr_matrix((data.copy(), columns.copy(), pointers.copy()), shape=shape)
        added.sum_duplicates()
        data, columns, pointers = added.data, added.indices, added.indptr
    matrix = csr_matrix((read_only(data), frozen(columns), frozen(pointers)), shape=shape)
    matrix.has_canonical_format = True
    return matrix


def _blocks(matrix: Any, where: str) -> tuple[int, int]:
    """Return how many rows and columns of blocks a BSR matrix has."""
    if matrix.data.ndim != 3 or 0 in matrix.data.shape[1:]:
        raise ValueError(f"{where}.data: expected blocks, got shape {matrix.data.shape}")
    (rows, row_rest), (columns, column_rest) = map(divmod, matrix.shape, matrix.data.shape[1:])
    if row_rest or column_rest:
        raise ValueError(
            f"{where}.data: expected blocks that divide {matrix.shape}, got {matrix.data.shape[1:]}"
        )
    return rows, columns


def _check_length(data: Array, indices: Array, where: str) -> None:
    if len(data) != len(indices):
        raise ValueError(
            f"{where}.data: expected {len(indices)}, as many as indices, got {len(data)}"
        )


def _check_indices(indices: Any, n: int, where: str) -> None:
    _check_integers(indices, where)
    wrong = (indices < 0) | (indices >= n)
    if wrong.any():
        i = int(wrong.argmax())
        raise ValueError(f"{where}[{i}]: expected 0 to {n - 1}, got {indices[i]}")


def _check_pointers(pointers: Any, n: int, most: int, where: str) -> None:
    """Refuse pointers that do not divide an array of length `most` into `n` parts.

    Examples
    --------
    >>> import numpy as np
    >>> _check_pointers(np.array([0, 2, 1]), 2, 3, "ends")
    Traceback (most recent call last):
    ...
    ValueError: ends[2]: expected 2 to 3, got 1
    """
    _check_integers(pointers, where)
    if len(pointers) != n + 1:
        raise ValueError(f"{where}: expected {n + 1} items, got {len(pointers)}")
    if pointers[0] != 0:
        raise ValueError(f"{where}[0]: expected 0, got {pointers[0]}")
    wrong = (pointers[1:] < pointers[:-1]) | (pointers[1:] > most)
    if wrong.any():
        i = int(wrong.argmax()) + 1
        raise ValueError(f"{where}[{i}]: expected {pointers[i - 1]} to {most}, got {pointers[i]}")


def _check_integers(array: Array, where: str) -> None:
    """Refuse anything but a column of integers.

    Examples
    --------
    >>> import numpy as np
    >>> _check_integers(np.array([0.5]), "ends")
    Traceback (most recent call last):
    ...
    TypeError: ends: expected integers, got float64
    """
    if array.ndim != 1:
        raise ValueError(f"{where}: expected one dimension, got shape {array.shape}")
    if array.dtype.kind not in "iu":
        raise TypeError(f"{where}: expected integers, got {array.dtype}")
