"""Whether libraries are still what their module files define.

A function is its code, its defaults, and every name of its library that it reads, directly or
through other functions. `Definitions` walks from functions and classes along these names and
compares the values with fresh copies of the modules, whose files are executed again in private
modules. Names that a module imports from its library are looked up in the copy of
the module that defines them. Other libraries and Python are compared by identity.
"""

from __future__ import annotations

import ast
import functools
import importlib.util
import re
import sys
from collections import namedtuple
from types import (
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    ModuleType,
)
from typing import TypeVar

from rapidbleu._core.switching.served import State
from rapidbleu._lib.loader import undisturbed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

_MISSING = ast.Pass()  # in place of a value; no module has this node
# Entries of classes that Python itself adds or that do not matter to calls.
_IGNORED = {
    "__abstractmethods__", "__annotate__", "__annotate_func__", "__annotations__",
    "__annotations_cache__", "__dataclass_fields__", "__dataclass_params__", "__dict__", "__doc__",
    "__firstlineno__", "__module__", "__slotnames__", "__static_attributes__", "__weakref__",
    "_abc_impl",
}  # fmt: skip
# What makes two codes equal. Python's own comparison fails for codes that ran often (CPython 3.11).
_CODE = (
    "co_name", "co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_flags", "co_code",
    "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_exceptiontable",
    "co_firstlineno",
)  # fmt: skip
# Descriptors of named tuples and of slots, and type variables
_FIELD = type(vars(namedtuple("_Named", "x"))["x"])
_NAMED: tuple[Any, ...] = (MemberDescriptorType, GetSetDescriptorType, TypeVar)
_CONSTANTS = (type(None), bool, int, float, complex, str, bytes, re.Pattern, set, frozenset)
# Wrappers of functions, and the attributes that contain these
_WRAPPERS: dict[type, tuple[str, ...]] = {
    staticmethod: ("__func__",),
    classmethod: ("__func__",),
    property: ("fget", "fset", "fdel"),
    functools.cached_property: ("func",),
    type(functools.lru_cache(ast.parse)): ("__wrapped__",),
}


class _Copies:
    """Fresh copies of the modules of some libraries, executed on demand."""

    def __init__(self, libraries: Iterable[str]) -> None:
        self._libraries = frozenset(libraries)
        self._namespaces: dict[str, dict[str, Any]] = {}
        self._imports: dict[str, dict[str, tuple[str, str]]] = {}

    def has(self, module: Any) -> bool:
        """Return whether a module's name belongs to the libraries."""
        return isinstance(module, str) and module.partition(".")[0] in self._libraries

    def namespace(self, module: str) -> dict[str, Any]:
        """Return the names that a module's file defines; none if it is not Python code."""
        if module not in self._namespaces:
            self._namespaces[module] = self._execute(module)
        return self._namespaces[module]

    def _execute(self, name: str) -> dict[str, Any]:
        """Execute the file of a module; import loaders would catch a handler's OSError."""
        current = sys.modules[name]
        path = getattr(current, "__file__", None) or ""
        self._imports[name] = {}
        if not path.endswith(".py"):
            return {}
        with open(path, "rb") as file:
            source = file.read()
        self._imports[name] = dict(self._imports_of(current, ast.parse(source)))
        copy = ModuleType(name)
        for key in ("__file__", "__loader__", "__package__", "__path__", "__spec__"):
            if hasattr(current, key):
                setattr(copy, key, getattr(current, key))
        exec(compile(source, path, "exec", dont_inherit=True), vars(copy))
        return vars(copy)

    def _imports_of(self, module: ModuleType, tree: ast.AST) -> Iterator[tuple[str, Any]]:
        """Yield names that a module imports, each with its origin and its name there."""
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                relative = "." * node.level + (node.module or "")
                origin = importlib.util.resolve_name(relative, module.__package__)
                for alias in node.names:
                    yield alias.asname or alias.name, (origin, alias.name)

    def definition(self, module: str, name: str) -> Any:
        """Return what a name of a module is defined to be."""
        own = self.namespace(module)
        origin, there = self._imports[module].get(name, ("", ""))
        if origin:
            submodule = f"{origin}.{there}"
            if not self.has(origin):
                return getattr(sys.modules.get(origin), there, own.get(name, _MISSING))
            if submodule in sys.modules:
                return sys.modules[submodule]
            if origin in sys.modules:  # else an alternative that was not imported
                return self.definition(origin, there)
        if not own:
            return getattr(sys.modules[module], name, _MISSING)
        return self.home(own.get(name, _MISSING))

    def is_instance(self, value: Any) -> bool:
        """Return whether a value is an object of a class of the libraries, with attributes.

        Corpora of NLTK are not: they change when they load their data.
        """
        home = type(value).__module__
        return self.has(home) and not home.startswith("nltk.corpus") and hasattr(value, "__dict__")

    def instance(self, value: Any) -> Any:
        """Return the fresh copy of an object that a module of the libraries has under a name."""
        for module in list(sys.modules):
            if self.has(module):
                for name, own in list(vars(sys.modules[module]).items()):
                    fresh = self.definition(module, name) if own is value else value
                    if fresh is not value:
                        return fresh
        return value

    def home(self, value: Any) -> Any:
        """Return the fresh copy of a function or class of the libraries."""
        if not isinstance(value, (FunctionType, type)) or not self.has(value.__module__):
            return value
        names = value.__qualname__.split(".")
        found = self.namespace(value.__module__).get(names[0], value)
        for name in names[1:]:
            found = getattr(found, name, value)
        # A name may refer to a wrapper of the function.
        return found if isinstance(found, (FunctionType, type)) else value


class Definitions:
    """What some functions of libraries read, compared with its definitions by calling this.

    `roots` are functions, or pairs of a class and the name of an attribute. `code_of` returns the
    library's own code of a function, and the code that a switch gives it, or None.
    """

    def __init__(
        self,
        roots: Iterable[Any],
        libraries: Iterable[str],
        code_of: Callable[[FunctionType], tuple[CodeType, CodeType | None]],
    ) -> None:
        self.roots = list(roots)
        self.libraries = list(libraries)
        self._code_of = code_of
        self._last: State | None = None

    def __call__(self) -> State:
        """Return the present state of everything that the roots read."""
        return undisturbed(self._look, self.libraries[0])

    def _look(self) -> State:
        last = self._last
        if last is not None and last.is_current():
            return last  # of another thread, for which this one waited
        walk = self.walk()
        modules = [(sys.modules[name], own, False) for name, own in walk.names.items()]
        self._last = State(
            walk.holds,
            modules + walk.classes,
            list(walk.functions.values()),
            walk.objects,
            _MISSING,
            _IGNORED,
        )
        return self._last

    def walk(self) -> Walk:
        """Walk from the roots to everything that they read."""
        return Walk(self.roots, _Copies(self.libraries), self._code_of)


class Walk:
    """One walk, which collects what it compares: names by module, classes, functions, objects."""

    def __init__(self, roots: list[Any], copies: _Copies, code_of: Callable[..., Any]) -> None:
        self._copies, self._code_of = copies, code_of
        self._seen: dict[tuple[int, int], Any] = {}
        self.names: dict[str, dict[str, Any]] = {}
        self.classes: list[tuple[Any, dict[str, Any], bool]] = []  # True: all of its names
        self.functions: dict[int, tuple[Any, ...]] = {}
        self.objects: list[tuple[Any, Any]] = []
        self._read: set[tuple[str, tuple[str, ...]]] = set()  # modules, and names read of them
        self.holds = all([self._compare_root(root) for root in roots])

    def _compare_root(self, root: Any) -> bool:
        if isinstance(root, tuple):
            owner, name = root
            for cls in (cls for cls in owner.__mro__ if self._copies.has(cls.__module__)):
                self.classes.append((cls, {name: vars(cls).get(name, _MISSING)}, False))
            fresh = self._copies.home(owner)
            return fresh is not owner and self._compare(getattr(owner, name), getattr(fresh, name))
        fresh = self._copies.home(root)
        return fresh is not root and self._compare(root, fresh)

    def _compare_name(self, module: str, name: str, readers: tuple[str, ...] = ()) -> bool:
        """Compare a name of a module; `readers` are names that its reader reads of a module."""
        current = vars(sys.modules[module]).get(name, _MISSING)
        fresh = self._copies.definition(module, name)
        self.names.setdefault(module, {})[name] = current
        if isinstance(fresh, ModuleType):
            same = current is fresh
            if same and self._copies.has(fresh.__name__) and fresh.__name__ != module:
                same = self._compare_names(fresh.__name__, readers)
            return same
        return self._compare(current, fresh)

    def _compare_names(self, module: str, names: tuple[str, ...]) -> bool:
        if (module, names) in self._read:
            return True
        self._read.add((module, names))
        done = self.names.setdefault(module, {})
        current = vars(sys.modules[module])
        defined = self._copies.namespace(module) or current
        same = True
        for name in names:
            if isinstance(current.get(name), ModuleType) or (
                name not in done and (name in defined or name in current)
            ):
                same = self._compare_name(module, name, names) and same
            else:
                done.setdefault(name, _MISSING)
        return same

    def _compare(self, current: Any, fresh: Any) -> bool:
        """Return whether a value is as defined."""
        return self._compare_own(current, self._copies.home(fresh))

    def _compare_own(self, current: Any, fresh: Any) -> bool:
        key = id(current), id(fresh)
        if key in self._seen:
            return True
        self._seen[key] = current, fresh  # which stay alive, with their identity
        if isinstance(fresh, FunctionType):
            if not isinstance(current, FunctionType):
                return False
            if not self._copies.has(fresh.__module__):
                return current is fresh or _are_equal(current.__code__, fresh.__code__)
            return self._compare_function(current, fresh)
        if isinstance(fresh, type):
            if not self._copies.has(fresh.__module__):
                return current is fresh
            return isinstance(current, type) and self._compare_class(current, fresh)
        if isinstance(fresh, (list, tuple, dict)):
            return type(current) is type(fresh) and self._compare_items(current, fresh)
        if isinstance(fresh, _CONSTANTS):
            if isinstance(fresh, set):
                self.objects.append((current, len(fresh)))
            return type(current) is type(fresh) and bool(current == fresh)
        if current is fresh and self._copies.is_instance(fresh):
            fresh = self._copies.instance(fresh)  # imported by the copy of another module
        if current is fresh or fresh is _MISSING:
            return current is fresh
        if type(fresh) in _WRAPPERS:
            return type(current) is type(fresh) and all(
                [
                    self._compare(getattr(current, name), getattr(fresh, name))
                    for name in _WRAPPERS[type(fresh)]
                ]
            )
        if self._copies.is_instance(fresh):
            return self._compare(type(current), type(fresh)) and self._compare_items(
                vars(current), vars(fresh)
            )
        kind = type(fresh)
        if type(current) is not kind:
            return False
        if kind is object or kind.__module__.partition(".")[0] not in sys.stdlib_module_names:
            return True  # in place of a missing argument, or of another library
        if isinstance(fresh, _FIELD):
            return bool(current.__reduce__() == fresh.__reduce__())
        return isinstance(fresh, _NAMED) and current.__name__ == fresh.__name__

    def _compare_items(self, current: Any, fresh: Any) -> bool:
        if not isinstance(current, tuple):
            self.objects.append((current, current.copy()))
        if isinstance(fresh, dict):
            if current.keys() != fresh.keys():
                return False
            return all([self._compare(current[key], fresh[key]) for key in fresh])
        if len(current) != len(fresh):
            return False
        return all([self._compare(*pair) for pair in zip(current, fresh, strict=True)])

    def _compare_class(self, current: type, fresh: type) -> bool:
        own, defined = dict(vars(current)), dict(vars(fresh))
        names = (own.keys() | defined.keys()) - _IGNORED
        self.classes.append((current, own, True))
        same = current.__qualname__ == fresh.__qualname__ and len(current.__bases__) == len(
            fresh.__bases__
        )
        for name in names:
            if not self._compare(own.get(name, _MISSING), defined.get(name, _MISSING)):
                same = False
        for own_base, base in zip(current.__bases__, fresh.__bases__, strict=False):
            home = self._copies.home(base)
            # The base that `namedtuple` makes has the name of the class.
            same = self._compare_own(own_base, base if home is fresh else home) and same
        return same

    def _compare_function(self, current: FunctionType, fresh: FunctionType) -> bool:
        code, switched = self._code_of(current)
        self.functions[id(current)] = (
            current,
            code,
            switched,
            current.__defaults__,
            current.__kwdefaults__,
        )
        if not _are_equal(code, fresh.__code__) or current.__module__ != fresh.__module__:
            return False
        same = self._compare(current.__defaults__, fresh.__defaults__)
        same = self._compare(current.__kwdefaults__, fresh.__kwdefaults__) and same
        for own, defined in zip(current.__closure__ or (), fresh.__closure__ or (), strict=True):
            same = self._compare(own.cell_contents, defined.cell_contents) and same
        if current.__globals__ is fresh.__globals__:
            return same  # a wrapper of Python's
        if current.__globals__ is not vars(sys.modules[fresh.__module__]):
            return False
        return self._compare_names(fresh.__module__, _names(code)) and same


def _are_equal(code: CodeType, other: CodeType) -> bool:
    if any(getattr(code, field, None) != getattr(other, field, None) for field in _CODE):
        return False
    constants = code.co_consts, other.co_consts
    return len(constants[0]) == len(constants[1]) and all(
        _are_equal(own, defined)
        if isinstance(own, CodeType) and isinstance(defined, CodeType)
        else type(own) is type(defined) and own == defined
        for own, defined in zip(*constants, strict=True)
    )


def _names(code: CodeType) -> tuple[str, ...]:
    """Return the names that code reads, with those of its inner functions."""
    names = dict.fromkeys(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names.update(dict.fromkeys(_names(constant)))
    return tuple(names)
