"""Speeding up installed metrics of other libraries in place, for `patch` and `rapidbleu run`.

A switched function is the same object with another code, so names imported from its module earlier
are served as well, and its signature, source and pickles do not change. The new code asks our
function, and the library's own code if ours hands the call back. Everything that this needs is
loaded at the first call of a function of a module; until then only codes are exchanged.
"""

from __future__ import annotations

import os
import sys
from _thread import RLock
from importlib import import_module
from types import BuiltinFunctionType, FunctionType, TracebackType

from rapidbleu._core.switching.served import Served
from rapidbleu._lib.handing import HandBack, is_called, is_ours, switched_codes
from rapidbleu._lib.loader import load, undisturbed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import CodeType, ModuleType
    from typing import Any

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "assets")
# Environment variables
NAMES, VERBOSE, REPORT = "RAPIDBLEU_RUN", "RAPIDBLEU_RUN_VERBOSE", "RAPIDBLEU_RUN_REPORT"


class Library:
    """A module with metrics that can be switched.

    `functions` are their names in the module. `files` of the package contain the code; `known`
    lists SHA-256 prefixes of code with our results, or versions if there are no files.
    """

    def __init__(
        self, functions: tuple[str, ...], files: tuple[str, ...], known: tuple[str, ...]
    ) -> None:
        self.functions, self.files, self.known = functions, files, known
        self._digests: dict[str, str] = {}  # by origin

    def is_known(self, package: str) -> bool:
        """Return whether the installed code was compared with ours."""
        origin = _origin(package)
        if not self.files:
            return version(package) in self.known
        if origin not in self._digests:
            digest = load("hashlib").sha256()
            for name in self.files:
                with open(os.path.join(os.path.dirname(origin), *name.split("/")), "rb") as file:
                    digest.update(file.read())
            self._digests[origin] = digest.hexdigest()
        return any(map(self._digests[origin].startswith, self.known))


_SACREBLEU_FILES = (
    "metrics/base.py",
    "metrics/bleu.py",
    "metrics/chrf.py",
    "metrics/ter.py",
    "metrics/helpers.py",
    "metrics/lib_ter.py",
    "significance.py",
)
_SACREBLEU_KNOWN = (
    "6684928f",
    "a18526bc",
    "126df926",
    "185dae04",
    "a969e952",
    "758734f0",
    "8f681eaf",
)

MODULES = {
    "sacrebleu.metrics.base": Library(
        ("Metric._extract_corpus_statistics", "Metric._cache_references"), _SACREBLEU_FILES,
        _SACREBLEU_KNOWN,
    ),
    "sacrebleu.significance": Library(
        ("_bootstrap_resample", "_paired_ar_test", "_paired_bs_test"), _SACREBLEU_FILES,
        _SACREBLEU_KNOWN,
    ),
    "nltk.translate.bleu_score": Library(
        ("sentence_bleu", "corpus_bleu"), ("translate/bleu_score.py",),
        ("a2c523c2", "d25c06a6", "8f9c3258", "02e7d737"),
    ),
    "nltk.translate.chrf_score": Library(
        ("sentence_chrf", "corpus_chrf"), ("translate/chrf_score.py",), ("47d7f5e3",)
    ),
    "nltk.translate.gleu_score": Library(
        ("sentence_gleu", "corpus_gleu"), ("translate/gleu_score.py",),
        ("bc64c299", "983ca792", "a866750f", "ccafb279"),
    ),
    "nltk.translate.nist_score": Library(
        ("sentence_nist", "corpus_nist"), ("translate/nist_score.py",),
        ("14a6ace9", "b85adf40", "0c49cc24"),
    ),
    "nltk.translate.meteor_score": Library(
        ("single_meteor_score", "meteor_score"), ("translate/meteor_score.py",), ("63309e4c",)
    ),
    "nltk.translate.ribes_score": Library(
        ("sentence_ribes", "corpus_ribes"), ("translate/ribes_score.py",), ("09319d51",)
    ),
    "rouge_score.rouge_scorer": Library(
        ("RougeScorer.score", "_score_lcs"), ("rouge_scorer.py", "tokenize.py", "tokenizers.py"),
        ("4c0b8eb3",),
    ),
    "jiwer.measures": Library(
        ("wer", "mer", "wil", "wip", "cer"),
        ("measures.py", "process.py", "transforms.py", "transformations.py"), ("79f728a2",),
    ),
    "fastchrf": Library(("pairwise_chrf", "aggregate_chrf"), (), ("0.2.1",)),
    "torchmetrics.functional.text.bleu": Library(
        ("_bleu_score_update",), ("functional/text/bleu.py",), ("3f617615", "0320c9f4")
    ),
    "torchmetrics.functional.text.helper": Library(
        ("_edit_distance",), ("functional/text/helper.py",), ("d80506f7", "fc10606e")
    ),
    "torchmetrics.functional.text.rouge": Library(
        ("_lcs",), ("functional/text/rouge.py",), ("84c07f91", "b70aff49", "7d93c688")
    ),
}  # fmt: skip
PEERS = tuple(dict.fromkeys(name.partition(".")[0] for name in MODULES))


def version(package: str) -> str:
    """Return the installed version of a package."""
    found: str = load("importlib.metadata").version(package)
    return found


def _origin(package: str) -> str:
    """Return the file of a package without importing it."""
    spec = load("importlib.util").find_spec(package)
    if spec is None or spec.origin is None:
        raise ImportError(f"{package} is not installed", name=package)
    file: str = spec.origin
    return file


# The code of a switched function. Strings stand for constants. They are assigned first, because
# comparing with a literal causes a warning.
_TEMPLATE = """
def template({parameters}):
    served, original = "served", "original"
    try:
        result = served.serve({parameters})
        if result is served:
            result = original({parameters})
        return result
    except BaseException as error:
        served.trim(error)
        raise
"""


class Switched(Served):  # type: ignore[misc]
    """A function with two codes, its own and one that asks ours first."""

    def __init__(self, function: FunctionType, group: Group) -> None:
        self.function, self.prepare, self.sort_error = function, group.prepare, _reason_of
        self.name = function.__qualname__
        self.code = function.__code__
        names = function.__globals__, function.__name__
        self.original: Any = FunctionType(self.code, *names, None, function.__closure__)
        parameters = self.code.co_varnames[: self.code.co_argcount]
        self.switched = self._make_code(", ".join(parameters), self.code.co_filename)

    def _make_code(self, parameters: str, file: str) -> CodeType:
        names: dict[str, Any] = {}
        exec(_TEMPLATE.format(parameters=parameters), names)
        template: CodeType = names["template"].__code__
        pair = self, self.original
        code = template.replace(
            co_consts=tuple(
                pair if each == ("served", "original") else each for each in template.co_consts
            ),
            co_filename=file,
            co_firstlineno=self.code.co_firstlineno,
            co_name=self.code.co_name,
            co_qualname=self.code.co_qualname,
        )
        switched_codes.add(code)
        return code

    def put(self, active: bool) -> None:
        """Give the function its switched code or its own; leave a third one alone."""
        old, new = (self.code, self.switched) if active else (self.switched, self.code)
        if self.function.__code__ is old:
            self.function.__code__ = new

    def trim(self, error: BaseException) -> None:
        """Remove our frames from a traceback, and our exceptions from those before it."""
        own = error.__traceback__
        rest = _without_ours(own and own.tb_next)
        if own is None or (rest is not None and rest.tb_frame.f_code is self.code):
            error.__traceback__ = rest  # the frame of the original stands for this one
        else:
            line = self.code.co_firstlineno
            error.__traceback__ = TracebackType(rest, own.tb_frame, own.tb_lasti, line)
        before = error.__context__
        while before is not None and before.__traceback__ and _is_ours(before.__traceback__):
            before = before.__context__
        error.__context__ = before


class SwitchedBuiltin(Switched):
    """The same for a compiled function, which is replaced in all modules instead."""

    def __init__(self, function: Any, group: Group) -> None:
        self.function, self.prepare, self.sort_error = function, group.prepare, _reason_of
        self.name, self.original, self.code = function.__name__, function, _stand_in.__code__
        template = self._make_code("*args, **options", f"<{function.__module__}>")
        self._new: Any = FunctionType(template, {"__name__": function.__module__}, self.name)
        for attribute in ("__module__", "__qualname__", "__doc__"):
            setattr(self._new, attribute, getattr(function, attribute))
        vars(self._new)["__wrapped__"] = function

    def put(self, active: bool) -> None:
        """Replace a function wherever a module refers to it."""
        home = sys.modules.get(self.function.__module__.partition(".")[0])
        if getattr(home, self.name, None) is (self._new if active else self.function):
            return
        old, new = (self.function, self._new) if active else (self._new, self.function)
        for module in list(sys.modules.values()):
            for name, value in list(vars(module).items()) if module is not None else ():
                if value is old:
                    setattr(module, name, new)

    def trim(self, error: BaseException) -> None:
        """Remove our frames from a traceback; a compiled function has none."""
        super().trim(error)
        own = error.__traceback__
        error.__traceback__ = own and own.tb_next


def _stand_in() -> None:
    """Lend its line and name to codes of compiled functions."""


def _without_ours(trace: TracebackType | None) -> TracebackType | None:
    """Return a traceback without the frames that a served call adds at its start."""
    rest = trace
    while trace is not None and is_called(trace):
        if _is_ours(trace):
            rest = trace.tb_next
        trace = trace.tb_next
    return rest


def _is_ours(trace: TracebackType) -> bool:
    return str(trace.tb_frame.f_globals.get("__name__")).partition(".")[0] == "rapidbleu"


def _reason_of(error: BaseException) -> str | None:
    """Return why to hand back a call, or None for exceptions that are the program's."""
    if isinstance(error, HandBack):
        return str(error)
    return type(error).__name__ if is_ours(error) else None


class Group:
    """The switched functions of a module, by name."""

    def __init__(self, module: ModuleType, found: dict[str, Any]) -> None:
        self.module = module
        self.functions = {
            path: (Switched if isinstance(function, FunctionType) else SwitchedBuiltin)(
                function, self
            )
            for path, function in found.items()
        }

    def prepare(self) -> str | None:
        """Load what answers calls; return the reason if this leaves the functions alone."""
        return undisturbed(self._prepare, self.module.__name__)

    def _prepare(self) -> str | None:
        if all(function.answer is not None for function in self.functions.values()):
            return None  # by another thread, for which this one waited
        name = self.module.__name__
        package = name.partition(".")[0]
        if not MODULES[name].is_known(package):
            return self._retire(f"the code of {package} {version(package)} is not known")
        make = import_module("rapidbleu.switch.answers").MAKERS[name]
        try:
            answers = dict(zip(MODULES[name].functions, make(self.module), strict=True))
        except Exception as error:
            if not is_ours(error):
                raise
            return self._retire(repr(error))
        for path, function in self.functions.items():
            function.set_up(*answers[path])
        return None

    def _retire(self, reason: str) -> str:
        """Restore the functions for ever."""
        with _lock:
            for function in self.functions.values():
                function.put(False)
            self.functions = {}
        _say(f"{self.module.__name__}: left alone, {reason}")
        return reason


_lock = RLock()
_groups: dict[str, Group] = {}  # by module
_run_names: frozenset[str] = frozenset()  # modules that `rapidbleu run` switches in this process
_switches: list[Switch] = []  # active ones
_finder: Any = None


def codes_of(function: FunctionType) -> tuple[CodeType, CodeType | None]:
    """Return a library's own code of a function, and the code that this module gives it."""
    code = function.__code__
    for group in list(_groups.values()):
        for own in list(group.functions.values()):
            if own.function is function and code in (own.code, own.switched):
                return own.code, own.switched
    return code, None


def _find_functions(module: ModuleType) -> dict[str, Any]:
    """Return the functions of a module that can be switched; not what replaces them."""
    found: dict[str, Any] = {}
    for path in MODULES[module.__name__].functions:
        value: Any = module
        for name in path.split("."):
            value = vars(value).get(name, value)
        if isinstance(value, FunctionType):
            code = value.__code__
            fits = value.__globals__ is vars(module) and not code.co_kwonlyargcount
            variable = 0x04 | 0x08  # flags of *args and **options
            if fits and not code.co_flags & variable:
                found[path] = value
        elif isinstance(value, BuiltinFunctionType):
            found[path] = value
    return found


def _add(module: ModuleType) -> None:
    """Add the group of a module, or a new one if the module has new functions."""
    name = module.__name__
    found = _find_functions(module)
    with _lock:
        old = _groups.get(name)
        if old is not None:
            known = {id(own.function) for own in old.functions.values()}
            if old.module is module and known.issuperset(map(id, found.values())):
                return
            for function in old.functions.values():
                function.put(False)
        group = _groups[name] = Group(module, found)
    if folder := os.environ.get(REPORT):
        load("rapidbleu.switch.report").watch(folder, name, list(group.functions.values()))
    _say(f"{name}: switched")


def _settle() -> None:
    """Give each function the code that the active switches ask for.

    A signal handler may call this within itself, so it repeats until nothing has changed. It
    imports nothing, because another thread may import while it waits for the lock.
    """
    with _lock:
        settled = None
        while settled != (wanted := _run_names.union(*(own.modules for own in _switches))):
            for name, group in list(_groups.items()):
                for function in list(group.functions.values()):
                    function.put(name in wanted)
            settled = wanted
        if not _switches and _finder in sys.meta_path:
            sys.meta_path.remove(_finder)
        elif _switches and _finder not in sys.meta_path:
            sys.meta_path.insert(0, _finder)


def _import_finder() -> Any:
    return import_module("rapidbleu.assets.sitecustomize").Finder


def _imported(module: ModuleType) -> None:
    _add(module)
    _settle()


def switch_module(module: ModuleType) -> None:
    """Switch the functions of a module that was executed in a process of `rapidbleu run`."""
    global _run_names
    _run_names = frozenset(os.environ.get(NAMES, "").split()) & MODULES.keys()
    _imported(module)


def _say(text: str) -> None:
    """Print a message on stderr if `rapidbleu run -v` asks for it."""
    if os.environ.get(VERBOSE):
        print(f"rapidbleu, process {os.getpid()}: {text}", file=sys.stderr)


def _say_counts() -> None:
    for name, group in _groups.items():
        for own in group.functions.values():
            if own.n_served or own.n_handed_back:
                _say(f"{name}.{own.name}: {own.n_served} served, {own.n_handed_back} handed back")


def _after_fork() -> None:
    """Free the lock, which another thread may hold for ever in this child."""
    global _lock
    _lock = RLock()
    _settle()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
if os.environ.get(VERBOSE):
    load("atexit").register(_say_counts)


class Switch:
    """Fast metrics in installed libraries, until you call this or its ``with`` block ends."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.modules = frozenset(modules_of(names))
        for package in names:
            there = getattr(sys.modules.get(package), "__name__", package) == package
            known = [MODULES[name] for name in modules_of([package]) if there]
            if there and not any(module.is_known(package) for module in known):
                raise RuntimeError(
                    f"{package}: expected a version whose code is known; got {version(package)}"
                )
        global _finder
        make_finder = undisturbed(_import_finder, "rapidbleu")
        with _lock:
            _finder = _finder or make_finder(MODULES, _imported)
        try:
            _switches.append(self)
            for name in modules_of(names):
                self._add(name)
            _settle()
        except BaseException:
            self()
            raise

    def _add(self, name: str) -> None:
        module = sys.modules.get(name)
        if getattr(getattr(module, "__spec__", None), "_initializing", False):
            try:
                module = import_module(name)  # waits for another thread
            except ImportError:
                return
        if module is not None and module.__name__ == name:
            _add(module)

    def __call__(self) -> None:
        """Restore the functions' own code."""
        if self in _switches:
            _switches.remove(self)
        try:
            _settle()
        except BaseException:  # a signal handler's
            _settle()
            raise

    def __enter__(self) -> Switch:
        return self

    def __exit__(self, *error: object) -> None:
        self()


def is_active(name: str) -> bool:
    """Return whether a module's functions are switched in this process, now or on import."""
    finders: list[Any] = [own for own in sys.meta_path if hasattr(own, "is_rapidbleus")]
    watched = any(name in finder.names for finder in finders if finder is not _finder)
    return watched or any(name in own.modules for own in _switches)


def modules_of(names: Iterable[str]) -> Iterator[str]:
    """Yield the modules of the named libraries, without names of all known ones."""
    wanted = tuple(names)
    for name in wanted:
        if name not in PEERS:
            raise ValueError(f"names: expected some of {', '.join(PEERS)}; got {name!r}")
    for module in MODULES:
        if not wanted or module.partition(".")[0] in wanted:
            yield module


def patch(*names: str) -> Switch:
    """Speed up metrics of installed libraries, in place, for the whole process.

    Threads may enter and leave ``with patch()`` in any order; the libraries' own code is back when
    the last one has left.

    Parameters
    ----------
    *names : {"sacrebleu", "nltk", "rouge_score", "jiwer", "fastchrf", "torchmetrics"}
        Libraries, by default all. A library that is not imported yet is switched on import.

    Returns
    -------
    Switch
        Call it to undo this, or use it in a ``with`` statement.

    Raises
    ------
    ImportError, RuntimeError
        If a named library is not installed, or its code is not known.

    Notes
    -----
    Functions keep their identity, so names imported from their modules earlier are served as well.
    Results are equal to the last bit. The library's own code answers where rapidbleu would refuse
    or warn, and where the program has changed the library. Without names, libraries of unknown
    versions are left alone.

    Examples
    --------
    >>> from nltk.translate.bleu_score import sentence_bleu
    >>> with patch("nltk"):
    ...     round(sentence_bleu([["a", "b", "c", "d"]], ["a", "b", "c", "d", "e"]), 6)
    0.66874
    """
    return Switch(names)
