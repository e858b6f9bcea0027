"""Architecture and tools; missing tools skip their test, or fail it if CI is set."""

import ast
import doctest
import importlib
import inspect
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib.util import find_spec
from pathlib import Path

import pytest

from support.places import REPO

SRC = REPO / "src"
MAX_LINES = {".py": 800, ".h": 450, ".pxd": 300, ".pyi": 300, ".pyx": 1000}

# A module may import from lower layers and from its own one, never from a higher one.
LAYERS = {
    "_version": 0,
    "_lib": 0,
    "_core": 1,
    "tokenizers": 2,
    "explanation": 3,
    "parallel": 3,
    "references": 3,
    "streams": 3,
    "stats": 3,
    "score": 3,
    "table": 3,
    "_types": 3,
    "typing": 4,
    "running": 3,
    "rows": 4,
    "significance": 4,
    "metrics": 5,
    "alignment": 6,
    "meta": 6,
    "oracle": 6,
    "tuning": 6,
    "adapters": 7,
    "switch": 7,
    "assets": 7,
    "cli": 7,
    "comparison": 7,
    "plots": 7,
    "rewards": 7,
    "scores": 6,
    "nltk": 7,
    "spark": 7,
    "sacrebleu": 8,
    "__init__": 10,
    "__main__": 10,
}

# The rooms of the core, from the ground up: a room uses itself and those before it.
ROOMS = (
    "common",
    "input",
    "text",
    "ngrams",
    "metrics",
    "counting",
    "edits",
    "ter",
    "matching",
    "meteor",
    "ibm1",
    "scoring",
    "resampling",
    "meta",
    "tuning",
    "moses",
    "nltk",
    "switching",
)
# The wings of the upper floors: a wing uses itself and earlier ones. Files outside of wings are "".
WINGS = {
    "metrics": ("", "edits", "counting", "matching"),
    "comparison": ("", "report"),
    "tuning": ("", "moses", "search", "runs"),
    "cli": ("", "score", "moses", "tune"),
}
MOST_MODULES = 35  # of the core
MOST_STEMS = 15  # names of files in a folder, suffixes not counted
CROWDED = {"tokenizers": 18}  # a file for each tokenizer
MOST_TOKENS = 502_500  # of code in all sources: before exceeding it, remove something
MOST_TABLES = 20  # with `fmt: skip`

COMMENTS = {".h": r"/\*[\s\S]*?\*/|//[^\n]*", ".py": r"#[^\n]*"}
TOKEN = (
    r'(?P<long>[rbuf]*"""[\s\S]*?""")'
    r'|(?P<token>[rbuf]*"(?:\\.|[^"\\\n])*"'
    r"|[rbuf]*'(?:\\.|[^'\\\n])*'"
    r"|[A-Za-z_]\w*|\d[\w.]*|[-+*/%&|^<>=!~#]+|[()\[\]{},.:;?@\\])"
)

# Modules that do not load without another library, and the library.
NEEDS = {
    "rapidbleu.adapters.mbrs": "mbrs",
    "rapidbleu.adapters.polars": "polars",
    "rapidbleu.adapters.torchmetrics": "torchmetrics",
    "rapidbleu.comparison.report": "jinja2",
    "rapidbleu.plots.figures": "matplotlib",
}

# Modules whose examples need a library that they import lazily.
SHOWN_WITH = {f"rapidbleu.plots{name}": "matplotlib" for name in ("", ".comparisons", ".tunings")}

# Imports in a line of Cython: `from X cimport a, b`, `from X import (`, `cimport X as y`.
FROM_LINE = re.compile(r"^[ \t]*from[ \t]+([\w.]+)[ \t]+c?import[ \t]+(\([^)]*\)|[^\n#]*)", re.M)
IMPORT_LINE = re.compile(r"^[ \t]*c?import[ \t]+([^\n#]*)", re.M)


def sources(*suffixes: str) -> list[Path]:
    return sorted(
        path
        for path in (SRC / "rapidbleu").rglob("*")
        if path.suffix in suffixes and "__pycache__" not in path.parts
    )


def module_name(path: Path) -> str:
    parts = list(path.relative_to(SRC).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = sorted({module_name(path) for path in sources(".py", ".pyx")})


def is_module(name: str) -> bool:
    base = SRC.joinpath(*name.split("."))
    return base.is_dir() or any(base.with_suffix(s).is_file() for s in (".py", ".pyx", ".pxd"))


def imported_modules(path: Path) -> Iterator[str]:
    """Yield every module of rapidbleu that the file imports or cimports, by absolute name."""
    find = imports_of_python if path.suffix == ".py" else imports_of_cython
    for origin, names in find(path.read_text(encoding="utf-8")):
        target = absolute_name(origin, path)
        if target.split(".")[0] != "rapidbleu":
            continue
        for name in names or [""]:
            submodule = f"{target}.{name}"
            yield submodule if name and is_module(submodule) else target


def imports_of_python(text: str) -> Iterator[tuple[str, list[str]]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, []) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = "." * node.level + (node.module or "")
            yield origin, [alias.name for alias in node.names]
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "load":
            yield from ((arg.value, []) for arg in node.args[:1] if isinstance(arg, ast.Constant))


def imports_of_cython(text: str) -> Iterator[tuple[str, list[str]]]:
    for origin, names in FROM_LINE.findall(text):
        listed = [line.split("#")[0] for line in names.strip("()").splitlines()]
        yield origin, [name.split()[0] for name in " ".join(listed).split(",") if name.strip()]
    for names in IMPORT_LINE.findall(text):
        yield from ((name.split()[0], []) for name in names.split(",") if name.strip())


INCLUDE_LINE = re.compile(r'^\s*(?:#\s*include|cdef extern from)\s+"([^"]+)"', re.M)


def rooms_used(path: Path) -> set[str]:
    """Return the rooms of the core that one of its files imports, cimports or includes from."""
    included = INCLUDE_LINE.findall(path.read_text(encoding="utf-8"))
    found = {header.split("/")[0] for header in included if "/" in header}
    if path.suffix != ".h":
        names = [module.split(".") for module in imported_modules(path)]
        found |= {parts[2] for parts in names if parts[:2] == ["rapidbleu", "_core"] and parts[2:]}
    return found


def absolute_name(origin: str, path: Path) -> str:
    relative = origin.lstrip(".")
    n_dots = len(origin) - len(relative)
    if not n_dots:
        return origin
    package = path.relative_to(SRC).parent.parts
    base = package[: len(package) - n_dots + 1]
    return ".".join([*base, relative] if relative else base)


def layer(module: str) -> int:
    """Return the layer of `rapidbleu.<part>...`; the package itself is the top."""
    part = module.split(".")[1] if "." in module else "__init__"
    return LAYERS[part]


def test_every_module_has_a_layer() -> None:
    parts = {
        path.relative_to(SRC / "rapidbleu").parts[0].split(".")[0]
        for path in sources(".py", ".pyx", ".pxd")
    }
    assert parts <= LAYERS.keys(), "name the layer of the new module in LAYERS"
    assert {"_core", "tokenizers", "metrics", "__init__"} <= parts


def test_imports_point_downward() -> None:
    assert [arrow for arrow in arrows() if layer(arrow[1]) > layer(arrow[0])] == []


def circle_of(arrows: Iterable[tuple[str, str]]) -> list[str]:
    """Return names that form a cycle, the first repeated at the end; [] without one."""
    graph: dict[str, set[str]] = {}
    for name, target in arrows:
        if name != target:
            graph.setdefault(name, set()).add(target)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


@cache
def arrows() -> list[tuple[str, str]]:
    """Return every module with each module it imports, including imports in functions."""
    return [
        (module_name(path), target)
        for path in sources(".py", ".pyx", ".pxd")
        for target in imported_modules(path)
    ]


def package_of(module: str) -> str:
    """Return the part of a module: `rapidbleu.<part>`, or a folder of the core.

    A module directly in rapidbleu or in the core is a part of its own.
    """
    parts = module.split(".")
    return ".".join(parts[: 3 if parts[1:2] == ["_core"] else 2])


def test_imports_form_no_circle() -> None:
    assert circle_of(arrows()) == []
    assert any(arrows())


def test_packages_form_no_circle() -> None:
    assert circle_of((package_of(name), package_of(target)) for name, target in arrows()) == []


def test_circles_are_found() -> None:
    found = [
        ("rapidbleu.metrics.a", "rapidbleu.significance.b"),
        ("rapidbleu.significance.c", "rapidbleu.metrics.d"),
        ("rapidbleu._core.text.e", "rapidbleu._core.input.f"),
        ("rapidbleu._core.input.g", "rapidbleu._core.text.h"),
    ]
    assert circle_of(found) == []
    for both in (found[:2], found[2:]):
        circle = circle_of((package_of(name), package_of(target)) for name, target in both)
        assert set(circle) == {package_of(name) for name, _ in both}
    assert package_of("rapidbleu._core.text.e") == "rapidbleu._core.text"
    assert package_of("rapidbleu.stats") == "rapidbleu.stats"
    assert package_of("rapidbleu") == "rapidbleu"


def core_files() -> list[Path]:
    core = SRC / "rapidbleu" / "_core"
    return [path for path in sources(".h", ".pyx", ".pxd") if core in path.parents]


def test_rooms_of_the_core() -> None:
    assert {path.parent.name for path in core_files()} == {*ROOMS}
    assert sum(path.suffix == ".pyx" for path in core_files()) <= MOST_MODULES


def test_rooms_use_those_before_them() -> None:
    for path in core_files():
        before = ROOMS[: ROOMS.index(path.parent.name) + 1]
        assert rooms_used(path) <= {*before}, path


def wing_of(module: str) -> str:
    """Return the wing of a module, "" outside of wings."""
    parts = module.split(".")
    return parts[2] if len(parts) > 2 and parts[2] in WINGS.get(parts[1], ()) else ""


@pytest.mark.parametrize("floor", WINGS)
def test_wings_use_those_before_them(floor: str) -> None:
    wings = WINGS[floor]
    folders = {path.name for path in (SRC / "rapidbleu" / floor).iterdir() if path.is_dir()}
    assert folders - {"__pycache__"} == {*wings} - {""}
    within = [
        (name, target)
        for name, target in arrows()
        if all(module.startswith(f"rapidbleu.{floor}.") for module in (name, target))
    ]
    wrong = [a for a in within if wings.index(wing_of(a[1])) > wings.index(wing_of(a[0]))]
    assert wrong == []
    assert within


def test_includes_form_no_circle() -> None:
    found = [
        ("/".join(path.parts[-2:]), header)
        for path in core_files()
        if path.suffix == ".h"
        for header in INCLUDE_LINE.findall(path.read_text(encoding="utf-8"))
    ]
    assert circle_of(found) == []
    assert ("text/token_table.h", "common/bits.h") in found


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("metrics/bleu.py", "from ..stats import Stats", {"rapidbleu.stats"}),
        ("metrics/bleu.py", "from .. import stats, nowhere", {"rapidbleu.stats", "rapidbleu"}),
        ("metrics/bleu.py", "def f():\n    import rapidbleu.cli", {"rapidbleu.cli"}),
        ("metrics/bleu.py", "import numpy\nfrom collections import abc", set()),
        ("metrics/bleu.py", "x = load('rapidbleu.cli', 'x')(load(name))", {"rapidbleu.cli"}),
        ("_core/x.pyx", "from rapidbleu._core.y cimport f, g  # why", {"rapidbleu._core.y"}),
        (
            "_core/x.pyx",
            "from ..tokenizers import (\n  a,  # b\n  c)",
            {"rapidbleu.tokenizers"},
        ),
        ("_core/x.pyx", "    cimport rapidbleu.metrics.bleu as b", {"rapidbleu.metrics.bleu"}),
        ("_core/x.pyx", "from libc.stdlib cimport free\ncimport cython", set()),
    ],
)
def test_imports_are_found(
    tmp_path: Path, file: str, text: str, expected: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The finder itself, because the layer test misses imports that it overlooks."""
    monkeypatch.setitem(globals(), "SRC", tmp_path)
    for name in ("stats.py", "metrics/bleu.py", "tokenizers/__init__.py", "cli/__init__.py"):
        path = tmp_path / "rapidbleu" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    path = tmp_path / "rapidbleu" / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    assert set(imported_modules(path)) == expected


def test_files_are_short() -> None:
    lengths = {
        path: len(path.read_text(encoding="utf-8").splitlines()) for path in sources(*MAX_LINES)
    }
    assert {path: n for path, n in lengths.items() if n > MAX_LINES[path.suffix]} == {}


def count_tokens(text: str, comment: str) -> int:
    """Count names, numbers, strings and operators; not comments and docstrings.

    Longer lines do not change this number. A string of several lines that is not a docstring counts
    by its words.
    """
    n_tokens = 0
    for match in re.finditer(rf"{comment}|{TOKEN}", text):
        if match["long"]:
            line_start = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
            n_tokens += len(match["long"].split()) if line_start.strip() else 0
        elif match["token"]:
            n_tokens += 1
    return n_tokens


def test_tokens_are_counted() -> None:
    python = '''def f(x):  # a comment "
    """Do nothing.

    At all."""
    return x[0] >= 'it\\'s # one' + """two
words"""'''
    assert count_tokens(python, COMMENTS[".py"]) == 14 + 2
    assert count_tokens("int a = 10; /* no\ncode */ // none\n a <<= 1;", COMMENTS[".h"]) == 9


def test_the_house_is_small() -> None:
    n_tokens = sum(
        count_tokens(path.read_text(encoding="utf-8"), COMMENTS.get(path.suffix, COMMENTS[".py"]))
        for path in sources(*MAX_LINES)
    )
    assert 100_000 < n_tokens <= MOST_TOKENS


def test_few_tables_have_their_own_format() -> None:
    texts = [path.read_text(encoding="utf-8") for path in sources(".py")]
    assert sum(text.count("fmt: skip") for text in texts) <= MOST_TABLES


def test_folders_have_few_files() -> None:
    folders = Counter(path.parent for path in {p.with_suffix("") for p in sources(*MAX_LINES)})
    crowded = {
        folder.name: n for folder, n in folders.items() if n > CROWDED.get(folder.name, MOST_STEMS)
    }
    assert crowded == {}
    assert len(folders) > 20


def test_late_names_are_no_submodules() -> None:
    """Importing a submodule would replace the object of its name in the package."""
    for package in {path.parent for path in sources(".py") if path.name == "__init__.py"}:
        name = ".".join(package.relative_to(SRC).parts)
        modules = {path.stem if path.is_file() else path.name for path in package.iterdir()}
        names = getattr(importlib.import_module(name), "__all__", ())
        named = [each for each in names if not inspect.ismodule(getattr(sys.modules[name], each))]
        assert modules.isdisjoint(named), name


def require(module: str) -> None:
    """Skip without the tool; in CI, fail."""
    if find_spec(module) is None:
        message = f"{module} is not installed"
        if "CI" in os.environ:
            pytest.fail(message)
        pytest.skip(message)


def run(*command: str | Path, cwd: Path = REPO, **environment: str) -> str:
    result = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert result.returncode == 0, result.stdout
    return result.stdout


def package_root() -> str:
    spec = find_spec("rapidbleu")
    assert spec is not None and spec.origin is not None
    return str(Path(spec.origin).parents[1])


def test_ruff() -> None:
    require("ruff")
    run(sys.executable, "-m", "ruff", "check", ".")
    run(sys.executable, "-m", "ruff", "format", "--check", ".")


@pytest.mark.slow
def test_cython_lint() -> None:
    require("cython_lint")
    tools = str(Path(sys.executable).parent)  # cython-lint starts pycodestyle by its bare name
    path = os.pathsep.join([tools, os.environ.get("PATH", "")])
    run(sys.executable, "-m", "cython_lint.cython_lint", "src", PATH=path)


@pytest.mark.slow
def test_mypy() -> None:
    require("mypy")
    run(sys.executable, "-m", "mypy")


@pytest.mark.slow
def test_stubtest(tmp_path: Path) -> None:
    require("mypy")
    allowed = tmp_path / "allowed"
    # Stubs of the core describe what public names show: bases and results.
    shown = "Column|ReferenceColumns|LateAttributes|RunningTotals|TextScanner|PreparedReferences"
    lines = [rf"rapidbleu\._core\.\w+\.\w+(?!\.({shown})\b).*"]
    # Imported for annotations, from modules without stubs.
    annotating = "BatchColumn|Chooser|Extractor|FeatureColumns|Kernel|LearnerRows|LineReader"
    lines += [rf"rapidbleu\.[a-z.]+\.({annotating})"]
    # Their visible names depend on the library; a package represents its submodules.
    outermost = [name for name in NEEDS if name.rpartition(".")[0] not in NEEDS]
    lines += [rf"{re.escape(name)}(\..*)?" for name in outermost]
    # At run time a class, with brackets that do not need `typing`.
    lines += [r"rapidbleu\.score\.(ScoreT|RowScoring\.__class_getitem__)"]
    lines += [r"rapidbleu\.plots\.drawing\.Plot\.__class_getitem__"]  # of `typing.Generic`
    lines += [r"rapidbleu(\.metrics|\.scores|\.tuning)?\.__all__"]  # generated from tables
    # Attributes of objects and types for checkers: subclasses declare options.
    options = r"references|tokenizer(_signature)?|lowercase|tokenize|information|default|weights"
    lines += [rf"rapidbleu\.metrics\.[\w.]+\.({options})"]
    lines += [r"rapidbleu\.metrics\.[\w.]+Metric\.__init__"]  # one, for the options of all
    lines += [r"rapidbleu\.metrics\.options\.(GivenReferences|Settled|<callable.*)"]
    outputs = "AlignmentChunk|CharacterOutput|WordOutput"
    lines += [rf"rapidbleu\.adapters\.jiwer\.({outputs}).*"]  # subclasses of jiwer's
    literals = "BLEUMean|EEDLanguage|Framework|Layout|Method|Norm|PERForm|RefLen|Rouge.*"
    literals += "|SmoothMethod|TokenizerName"
    lines += [rf"rapidbleu\.(_types|typing)\.({literals})"]  # which stubtest considers unions
    lines += [r"rapidbleu\.[\w.]+Score\.__signature__"]  # of declared attributes
    lines += [r"rapidbleu\.adapters\.nmt\.metric"]  # cached, so checkers see any arguments
    lines += [r"rapidbleu\.spark\.DataFrame"]  # imported for annotations, not inspected
    allowed.write_text("\n".join(lines))
    command = (sys.executable, "-m", "mypy.stubtest", "rapidbleu", "--allowlist", allowed)
    command += ("--mypy-config-file", REPO / "pyproject.toml")
    run(*command, MYPYPATH="src", PYTHONPATH=package_root())


TRANSLATE = """
import runpy, sys
from setuptools.command.build_ext import build_ext

build_ext.build_extension = lambda self, ext: None  # what setup.py calls to compile
sys.argv = ["setup.py", "build_ext"]
runpy.run_path("setup.py", run_name="__main__")
"""


@pytest.mark.slow
def test_cython_gives_no_performance_hints(tmp_path: Path) -> None:
    require("Cython")
    require("setuptools")
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(REPO / name, tmp_path)
    shutil.copytree(SRC, tmp_path / "src", ignore=shutil.ignore_patterns("*.so", "*.pyd", "*.c"))
    output = run(sys.executable, "-c", TRANSLATE, cwd=tmp_path)
    translated = {path.stem for path in tmp_path.rglob("*.c")}
    assert translated == {path.stem for path in sources(".pyx")}
    assert "performance hint" not in output, output
    # Cython 3.3 frees the item twice without memory for it: see `common/__init__.pxd`.
    twice = "__Pyx_ListComp_AppendAndDecref"
    found = [path.stem for path in tmp_path.rglob("*.c") if twice in path.read_text("utf-8")]
    assert not found, "fill lists in loops, not by comprehension"


@pytest.mark.skipif(sys.platform != "linux", reason="for compilers that CC names")
def test_a_build_without_a_compiler_explains_itself(tmp_path: Path) -> None:
    require("Cython")
    require("setuptools")
    folders = ("-b", tmp_path, "-t", tmp_path)
    command = [sys.executable, "setup.py", "-q", "build_ext", *folders]
    done = subprocess.run(
        command, cwd=REPO, env={**os.environ, "CC": "absent"}, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "error: rapidbleu needs a C compiler, but absent was not found. Install" in done.stderr
    assert not list(tmp_path.iterdir())


def test_extensions_are_compiled() -> None:
    for path in sources(".pyx"):
        origin = importlib.import_module(module_name(path)).__file__
        assert origin is not None and origin.endswith((".so", ".pyd"))


@pytest.mark.parametrize("name", [name for name in MODULES if name != "rapidbleu.__main__"])
def test_doctests(name: str) -> None:
    needed = {**NEEDS, **SHOWN_WITH}.get(name)
    if needed is not None and find_spec(needed) is None:
        pytest.skip(f"{needed} is not installed")
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_there_are_doctests() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    names = {*MODULES} - {"rapidbleu.__main__"} - NEEDS.keys()
    modules = [importlib.import_module(name) for name in names]
    assert any(test.examples for module in modules for test in finder.find(module))


HEAVY = (
    "collections",
    "dataclasses",
    "enum",
    "functools",
    "importlib",
    "inspect",
    "json",
    "logging",
    "numpy",
    "re",
    "threading",
    "typing",
)


@pytest.mark.parametrize("heavy", HEAVY)
def test_import_is_light(heavy: str) -> None:
    program = (
        f"import sys; sys.path.insert(0, {package_root()!r}); before = set(sys.modules); "
        "import rapidbleu; print(*sorted(set(sys.modules) - before))"
    )
    loaded = run(sys.executable, "-S", "-c", program).split()
    assert "rapidbleu" in loaded
    assert heavy not in loaded
