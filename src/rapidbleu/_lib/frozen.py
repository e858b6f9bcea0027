"""Arrays and attributes that stay as they were when they were checked, so that kernels trust them.

A kernel indexes memory by offsets without a check of each. An array of NumPy's that is only marked
as read-only can be made writeable again; one over bytes cannot.
"""

from __future__ import annotations

from rapidbleu._lib.lazy import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

    import numpy.typing as npt

    _Array = npt.NDArray[Any]


def frozen(array: _Array) -> _Array:
    """Return an array that cannot be made writeable: the given one if it is like that, else a copy.

    Examples
    --------
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
    """Return a view of an array through which it cannot be changed; its memory is shared."""
    view = array.view()
    view.flags.writeable = False
    return view


class Unchangeable:
    """A base of classes whose attributes are set once, when an object is made.

    `_fixed` has their names, and `_remedy` what errors advise.
    """

    _fixed: ClassVar[frozenset[str]] = frozenset()
    _remedy: ClassVar[str] = ""

    def __setattr__(self, name: str, value: object) -> None:
        if name in self._fixed and hasattr(self, name):
            raise AttributeError(f"{name}: {self._remedy}")
        super().__setattr__(name, value)
