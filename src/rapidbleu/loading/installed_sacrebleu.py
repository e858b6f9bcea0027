"""An installed sacrebleu, for the one thing it alone can do: fetch the test sets.

It is loaded under a name of its own, so that ``import sacrebleu`` never finds it by accident,
not even while that name leads here.
"""

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import module_from_spec, spec_from_file_location

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

_NAME = "rapidbleu._installed"


def find_peer() -> "ModuleSpec | None":
    """Return where sacrebleu is installed, if it is."""
    spec = PathFinder.find_spec("sacrebleu", None)
    return spec if spec is not None and spec.origin is not None else None


def import_peer(submodule: str = "") -> "ModuleType":
    """Return the installed sacrebleu, or a module of it.

    Parameters
    ----------
    submodule : str
        Its name within sacrebleu; "" for the package.

    Raises
    ------
    ImportError
        If sacrebleu is not installed.
    """
    if _NAME not in sys.modules:
        spec = find_peer()
        if spec is None:
            raise ImportError(
                "test sets are sacrebleu's business, and it is not installed: "
                "pip install sacrebleu",
                name="sacrebleu",
            )
        own = spec_from_file_location(
            _NAME, spec.origin, submodule_search_locations=spec.submodule_search_locations
        )
        if own is None or own.loader is None:
            raise ImportError(f"{spec.origin}: cannot be imported", name="sacrebleu")
        module = module_from_spec(own)
        sys.modules[_NAME] = module
        try:
            own.loader.exec_module(module)
        except BaseException:
            del sys.modules[_NAME]
            raise
    return import_module(f"{_NAME}.{submodule}" if submodule else _NAME)


def attributes_of(submodule: str) -> "Callable[[str], Any]":
    """Return the ``__getattr__`` of a module that has what one of the installed sacrebleu has.

    Parameters
    ----------
    submodule : str
        Its name within sacrebleu; ours has the same.
    """

    def __getattr__(name: str) -> "Any":
        if name.startswith("__"):
            raise AttributeError(
                f"module 'rapidbleu.sacrebleu.{submodule}' has no attribute {name!r}"
            )
        return getattr(import_peer(submodule), name)

    return __getattr__
