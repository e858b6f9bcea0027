"""Access to an installed sacrebleu for features that only it has: test sets, some methods.

It is loaded under a different name, so that ``import sacrebleu`` never finds it by accident, even
while that name refers to this package.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_NAME = "rapidbleu._installed"


def find_peer() -> ModuleSpec | None:
    """Return the spec of an installed sacrebleu, None if there is none."""
    spec = PathFinder.find_spec("sacrebleu", None)
    return spec if spec is not None and spec.origin is not None else None


def import_peer(submodule: str = "") -> ModuleType:
    """Return the installed sacrebleu or one of its modules; ImportError if not installed."""
    if _NAME not in sys.modules:
        spec = find_peer()
        if spec is None:
            is_test_set = submodule.partition(".")[0] in ("", "dataset", "utils")
            what = "test sets are" if is_test_set else f"sacrebleu.{submodule} is"
            raise ImportError(
                f"{what} sacrebleu's business, and it is not installed: pip install sacrebleu",
                name="sacrebleu",
            )
        renamed = spec_from_file_location(
            _NAME, spec.origin, submodule_search_locations=spec.submodule_search_locations
        )
        if renamed is None or renamed.loader is None:
            raise ImportError(f"{spec.origin}: cannot be imported", name="sacrebleu")
        module = module_from_spec(renamed)
        sys.modules[_NAME] = module
        try:
            renamed.loader.exec_module(module)
        except BaseException:
            del sys.modules[_NAME]
            raise
    return import_module(f"{_NAME}.{submodule}" if submodule else _NAME)


def attributes_of(submodule: str) -> Callable[[str], Any]:
    """Return a ``__getattr__`` that looks names up in a module of the installed sacrebleu."""

    def __getattr__(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(
                f"module 'rapidbleu.sacrebleu.{submodule}' has no attribute {name!r}"
            )
        return getattr(import_peer(submodule), name)

    return __getattr__


def module_of(submodule: str, **own: Any) -> ModuleType:
    """Return a new importable module ``rapidbleu.sacrebleu.SUBMODULE``.

    It contains `own`, and takes everything else from the installed sacrebleu.
    """
    name = f"rapidbleu.sacrebleu.{submodule}"
    module = ModuleType(name, f"``sacrebleu.{submodule}`` of an installed sacrebleu.")
    module.__spec__ = ModuleSpec(name, None)
    vars(module).update(own, __getattr__=attributes_of(submodule))
    sys.modules[name] = module
    return module


def function_of(submodule: str, name: str) -> Callable[..., Any]:
    """Return a function that looks up and calls the installed sacrebleu's function."""

    def function(*args: Any, **kwargs: Any) -> Any:
        return getattr(import_peer(submodule), name)(*args, **kwargs)

    function.__name__ = name
    function.__doc__ = f"``sacrebleu.{submodule}.{name}`` of an installed sacrebleu."
    return function


def method_of(submodule: str, cls: str, name: str) -> Callable[..., Any]:
    """Return a method that looks up and calls the installed sacrebleu's method."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            function = vars(getattr(import_peer(submodule), cls))[name]
        except ImportError as error:
            raise ImportError(
                f"{type(self).__name__}.{name}: only sacrebleu has this method, which subclasses, "
                f"replaced methods and unusual options need: pip install sacrebleu, and call "
                f"rapidbleu.patch(), which makes its classes fast",
                name="sacrebleu",
            ) from error
        return function.__get__(self, type(self))(*args, **kwargs)

    method.__name__ = name
    return method
