"""NumPy, loaded when one of its names is first used.

Until then ``from rapidbleu._lib.lazy import np`` costs nothing; type checkers see NumPy itself.
NumPy takes longer to load than all of rapidbleu, which scores most corpora without it.
"""

from __future__ import annotations

from rapidbleu._lib.loader import load

__all__ = ["np"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Lazy:
    """A module that is loaded on first use; used names become attributes."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        value = getattr(load(self._module), name)
        setattr(self, name, value)
        return value


if TYPE_CHECKING:
    import numpy as np
else:
    np = Lazy("numpy")
