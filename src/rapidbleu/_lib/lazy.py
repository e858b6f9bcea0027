"""NumPy, loaded at the first use of one of its names.

``from rapidbleu._lib.lazy import np`` costs nothing until then, and type checkers see NumPy itself.
NumPy takes longer to load than all of rapidbleu, which scores most corpora without it.
"""

from __future__ import annotations

from rapidbleu._lib.loader import load

__all__ = ["np"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Lazy:
    """A module that is loaded when it is used; the names that were used are its attributes."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        found = getattr(load(self._module), name)
        setattr(self, name, found)
        return found


if TYPE_CHECKING:
    import numpy as np
else:
    np = Lazy("numpy")
