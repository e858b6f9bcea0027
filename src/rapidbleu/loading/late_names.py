"""Names of a package that are loaded when they are asked for."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def late_names(
    package: "dict[str, Any]", modules: "Mapping[str, str]"
) -> "tuple[Callable[[str], Any], Callable[[], list[str]]]":
    """Return ``__getattr__`` and ``__dir__`` of a package, given its globals.

    `modules` has the module of each name, as it is called within the package.

    Examples
    --------
    >>> package = {"__name__": "rapidbleu"}
    >>> load, names = late_names(package, {"compare": "comparison"})
    >>> load("compare").__module__, "compare" in package, names()
    ('rapidbleu.comparison.compare', True, ['__name__', 'compare'])
    >>> load("comparf")
    Traceback (most recent call last):
    AttributeError: module 'rapidbleu' has no attribute 'comparf'
    """

    def load(name: str) -> "Any":
        if name not in modules:
            raise AttributeError(f"module {package['__name__']!r} has no attribute {name!r}")
        module = __import__(f"{package['__name__']}.{modules[name]}", fromlist=[name])
        return package.setdefault(name, getattr(module, name))

    return load, lambda: sorted({*package, *modules})
