"""`typing.NamedTuple` for what every command loads: `typing` takes longer than ten classes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
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
