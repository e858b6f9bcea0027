"""Arrays and attributes that cannot change after they were checked, so that kernels trust them.

Kernels index memory by offsets without checking each. A NumPy array that is merely marked read-only
can be made writeable again; an array over bytes cannot.
"""

from __future__ import annotations

from rapidbleu._lib.lazy import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

    import numpy.typing as npt

    _Array = npt.NDArray[Any]


def frozen(array: _Array) -> _Array:
    """Return an array that cannot be made writeable: the given one if possible, else a copy.

    >>> import numpy as np
    >>> offsets = frozen(np.array([0, 2]))
    >>> offsets.setflags(write=True)
    Traceback (most recent call last):
    ...
    ValueError: cannot set WRITEABLE flag to True of this array
    """
    owner: object = array
    while isinstance(owner, np.ndarray):
        owner = owner.base
    if isinstance(owner, bytes) and array.flags.c_contiguous and array.flags.aligned:
        return array
    return np.ndarray(array.shape, array.dtype, array.tobytes())


def read_only(array: _Array) -> _Array:
    """Return a read-only view of an array, which shares its memory."""
    view = array.view()
    view.flags.writeable = False
    return view


class Unchangeable:
    """Base of classes whose public attributes are set once, when an object is created.

    `_remedy` is the advice in errors.
    """

    _remedy: ClassVar[str] = ""

    def __setattr__(self, name: str, value: object) -> None:
        if hasattr(self, name) and not name.startswith("_"):
            raise AttributeError(f"{name}: {self._remedy}")
        super().__setattr__(name, value)
