"""Identity of values: checksums, names of functions, and comparison across processes."""

from __future__ import annotations

import sys

from rapidbleu._lib.loader import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def checksum(value: object) -> str:
    """Return the checksum of the text of a value, which must not depend on the process.

    >>> checksum([("the", 2.0)])
    'b49adb0e'
    """
    crc32 = load("zlib", "crc32")
    return f"{crc32(repr(value).encode()):08x}"


def importable_name(value: Any) -> str:
    """Return the name by which every program imports a function or class; "" if there is none.

    Lambdas, functions of functions, instances, and functions of the program itself have none.

    >>> import shlex
    >>> importable_name(shlex.split), importable_name(str.split), importable_name(lambda text: [])
    ('shlex.split', 'str.split', '')
    """
    home = getattr(value, "__objclass__", value)  # of a method, such as str.split
    module = str(getattr(home, "__module__", None))
    name = str(getattr(value, "__qualname__", ""))
    found = None if module == "__main__" else sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is not value:
        return ""
    return name if module == "builtins" else f"{module}.{name}"


def shown_name(value: Any) -> str:
    """Return the name of a function to show: the importable one, or else its own or its type's.

    >>> shown_name(lambda text: text.split())
    '<lambda>'
    """
    return importable_name(value) or str(getattr(value, "__name__", type(value).__name__))


def are_same(a: Any, b: Any) -> bool:
    """Return whether values are equal, or copies of one value that went through pickle.

    Functions without an importable name are the same only if they are one object.

    >>> are_same(str.split, str.split), are_same(lambda: 1, lambda: 1)
    (True, False)
    """
    if a is b:
        return True
    dumps = load("pickle", "dumps")
    try:
        return bool(a == b) or dumps(a) == dumps(b)
    except Exception:  # a function without a name, or an error of a method of the values
        return False
