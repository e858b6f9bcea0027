"""Records, arrays and attributes that cannot change after they were checked: kernels trust them.

Kernels index memory by offsets without checking each. A NumPy array that is merely marked read-only
can be made writeable again; an array over bytes cannot.
"""

from __future__ import annotations

from rapidbleu._lib.loader import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar
    from typing import NamedTuple as NamedTuple

    import numpy.typing as npt

    _Array = npt.NDArray[Any]
else:  # every command loads this, and loading `typing` takes longer than making ten classes
    from collections import namedtuple

    class _Record(type):
        """Makes a tuple with names of a class with annotations."""

        def __new__(cls, name, bases, body):
            if not bases:  # NamedTuple itself
                return super().__new__(cls, name, bases, body)
            fields = body["__annotations__"]
            defaults = [body.pop(field) for field in fields if field in body]
            base = namedtuple(name, fields, defaults=defaults, module=body["__module__"])
            return type(name, (base,), body | {"__slots__": ()})

    class NamedTuple(metaclass=_Record):
        """The base class."""


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
