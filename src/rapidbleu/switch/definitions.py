"""Whether libraries are still what their module files define.

A function is its code, its defaults, and every name of its library that it reads, directly or
through other functions. `Definitions` walks from functions and classes along these names twice:
through the present modules, and through fresh copies of them, whose files are executed again in
private modules. Each walk writes what it meets on a tape. Without a change the tapes are equal.
Names that a module imports from its library are looked up in the copy of the module that defines
them. Other libraries and Python are compared by identity.
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
        names = self.namespace(module)
        origin, imported = self._imports[module].get(name, ("", ""))
        if origin:
            submodule = f"{origin}.{imported}"
            if not self.has(origin):
                return getattr(sys.modules.get(origin), imported, names.get(name, _MISSING))
            if submodule in sys.modules:
                return sys.modules[submodule]
            if origin in sys.modules:  # else an alternative that was not imported
                return self.definition(origin, imported)
        if not names:
            return getattr(sys.modules[module], name, _MISSING)
        return self.home(names.get(name, _MISSING))

    def is_instance(self, value: Any) -> bool:
        """Return whether a value is an object of a class of the libraries, with attributes.

        Corpora of NLTK are not: they change when they load their data.
        """
        home = type(value).__module__
        return self.has(home) and not home.startswith("nltk.corpus") and hasattr(value, "__dict__")

    def home(self, value: Any) -> Any:
        """Return the fresh copy of a function, class or object of the libraries."""
        if isinstance(value, (FunctionType, type)):
            return self._definition_of(value) if self.has(value.__module__) else value
        if self.is_instance(value) and self._definition_of(type(value)) is not type(value):
            return self._copy_of(value)  # imported by the copy of another module
        return value

    def _copy_of(self, value: Any) -> Any:
        """Return the fresh copy of an object that a module of the libraries has under a name."""
        for module in list(sys.modules):
            if self.has(module):
                for name, item in list(vars(sys.modules[module]).items()):
                    fresh = self.definition(module, name) if item is value else value
                    if fresh is not value:
                        return fresh
        return value

    def _definition_of(self, value: Any) -> Any:
        names = value.__qualname__.split(".")
        fresh = self.namespace(value.__module__).get(names[0], value)
        for name in names[1:]:
            fresh = getattr(fresh, name, value)
        # A name may refer to a wrapper of the function.
        return fresh if isinstance(fresh, (FunctionType, type)) else value


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
        modules = [(sys.modules[name], names, False) for name, names in walk.names.items()]
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
        copies = _Copies(self.libraries)
        walk = Walk(copies, self._code_of, self.roots, is_fresh=False)
        fresh = Walk(copies, self._code_of, self.roots, is_fresh=True)
        walk.holds = walk.tape == fresh.tape
        return walk


class Walk:
    """A walk through the present modules, or through their copies if `is_fresh`.

    It collects names by module, classes, functions and objects, which `State` compares later.
    """

    holds = False  # whether everything is as defined

    def __init__(
        self, copies: _Copies, code_of: Callable[..., Any], roots: list[Any], is_fresh: bool
    ) -> None:
        self._copies, self._code_of, self._is_fresh = copies, code_of, is_fresh
        self._numbers: dict[int, int] = {}  # of functions, classes and objects, by identity
        self._kept: list[Any] = []  # these, so that no other object gets their identity
        self._read: set[tuple[str, tuple[str, ...]]] = set()  # modules, and names read of them
        self.tape: list[Any] = []
        self.names: dict[str, dict[str, Any]] = {}
        self.classes: list[tuple[Any, dict[str, Any], bool]] = []  # True: all of its names
        self.functions: dict[int, tuple[Any, ...]] = {}
        self.objects: list[tuple[Any, Any]] = []
        for root in roots:
            self._walk_root(root)

    def _walk_root(self, root: Any) -> None:
        owner, name = root if isinstance(root, tuple) else (root, "")
        for cls in owner.__mro__ if name else ():
            if self._copies.has(cls.__module__):
                self.classes.append((cls, {name: vars(cls).get(name, _MISSING)}, False))
        home = self._copies.home(owner)
        self.tape.append(home is owner and self._is_fresh)  # there is no copy
        if self._is_fresh:
            owner = home
        self._walk(getattr(owner, name) if name else owner)

    def _names_of(self, module: str) -> dict[str, Any]:
        return (self._is_fresh and self._copies.namespace(module)) or vars(sys.modules[module])

    def _walk_names(self, module: str, names: tuple[str, ...]) -> None:
        """Walk to what code reads of a module by these names, also as attributes of modules."""
        if (module, names) in self._read:
            return
        self._read.add((module, names))
        seen = self.names.setdefault(module, {})
        there = self._names_of(module)
        for name in names:
            if name not in there:
                seen.setdefault(name, _MISSING)
                continue
            value = seen[name] = there[name]
            if self._is_fresh:
                value = self._copies.definition(module, name)
            self.tape.append(name)
            self._walk(value)
            home = getattr(value, "__name__", "") if isinstance(value, ModuleType) else ""
            if self._copies.has(home) and sys.modules.get(home) is value:
                self._walk_names(home, names)

    def _walk(self, value: Any) -> None:
        """Walk to a value, or to its fresh copy."""
        self._write(self._copies.home(value) if self._is_fresh else value)

    def _write(self, value: Any) -> None:
        """Write a value, and all that it reads or contains, on the tape."""
        kind = type(value)
        if isinstance(value, (list, tuple, dict)):
            self.tape.append(kind)
            self._write_items(value)
            return
        if isinstance(value, _CONSTANTS):
            self.tape.append((kind, value))
            if isinstance(value, set):
                self.objects.append((value, len(value)))
            return
        number = self._numbers.setdefault(id(value), len(self._kept))
        if number < len(self._kept):
            self.tape.append(number)
            return
        self._kept.append(value)
        if isinstance(value, FunctionType):
            self._write_function(value)
        elif isinstance(value, type) and self._copies.has(value.__module__):
            self._write_class(value)
        elif kind in _WRAPPERS:
            self.tape.append(kind)
            for name in _WRAPPERS[kind]:
                self._walk(getattr(value, name))
        elif self._copies.is_instance(value):
            self._walk(kind)
            self._write_items(vars(value))
        elif isinstance(value, _FIELD):
            self.tape.append(value.__reduce__())
        elif isinstance(value, _NAMED):
            self.tape.append((kind, value.__name__))
        elif kind is object or kind.__module__.partition(".")[0] not in sys.stdlib_module_names:
            self.tape.append(kind)  # in place of a missing argument, or of another library
        else:
            self.tape.append(id(value))

    def _write_items(self, items: Any) -> None:
        if not isinstance(items, tuple):
            self.objects.append((items, items.copy()))
        self.tape.append(len(items))
        for item in items:
            if isinstance(items, dict):
                self.tape.append((type(item), item))
                item = items[item]
            self._walk(item)

    def _write_class(self, cls: type) -> None:
        attributes = dict(vars(cls))
        self.classes.append((cls, attributes, True))
        names = sorted(attributes.keys() - _IGNORED)
        self.tape += [cls.__qualname__, len(cls.__bases__), *names]
        for name in names:
            self._walk(attributes[name])
        for base in cls.__bases__:
            # The base that `namedtuple` makes has the name of the class.
            is_made = (base.__module__, base.__qualname__) == (cls.__module__, cls.__qualname__)
            (self._write if is_made else self._walk)(base)

    def _write_function(self, function: FunctionType) -> None:
        module = function.__module__
        if not self._copies.has(module):
            self.tape.append(_content(function.__code__))
            return
        code, switched = self._code_of(function)
        self.functions[id(function)] = (
            function,
            code,
            switched,
            function.__defaults__,
            function.__kwdefaults__,
        )
        self.tape += [module, _content(code)]
        self._walk(function.__defaults__)
        self._walk(function.__kwdefaults__)
        for cell in function.__closure__ or ():
            self._walk(cell.cell_contents)
        # Methods of a fresh data class have the globals of the present module.
        homes = self._names_of(module), vars(sys.modules[module])
        if any(function.__globals__ is home for home in homes):
            self._walk_names(module, _names(code))
        else:
            self.tape.append(id(function.__globals__))  # of a wrapper of Python's


def _content(code: CodeType) -> list[Any]:
    """Return what makes two codes equal."""
    content = [getattr(code, field, None) for field in _CODE]
    for constant in code.co_consts:
        nested = _content(constant) if isinstance(constant, CodeType) else constant
        content.append((type(constant), nested))
    return content


def _names(code: CodeType) -> tuple[str, ...]:
    """Return the names that code reads, with those of its inner functions."""
    names = dict.fromkeys(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names.update(dict.fromkeys(_names(constant)))
    return tuple(names)
