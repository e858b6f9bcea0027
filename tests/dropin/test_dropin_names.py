"""Every name of sacrebleu's modules and classes is in the stand-in, with what it takes and is."""

import importlib
import inspect
import pickle
import pkgutil
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from support.dropin import ours, peer

# Names that are not there, or stand for something else, and why.
ABSENT = {
    "sacrebleu.SIGPIPE": "importing a module changes no handler of signals",
    "sacrebleu.SIG_DFL": "the same",
    "version.TYPE_CHECKING": "of the program that wrote the file",
    "version.VERSION_TUPLE": "a type of that program",
    "version.COMMIT_ID": "a type of that program",
}
OTHER_VALUES = {
    "__description__": "it is another package",
    "tokenizers.tokenizer_ja_mecab.FAIL_MESSAGE": "says how to install rapidbleu's libraries",
    "tokenizers.tokenizer_ko_mecab.FAIL_MESSAGE": "the same",
}
# Attributes that Python gives to modules.
UNNAMED = {"__name__", "__doc__", "__package__", "__loader__", "__spec__", "__file__"}
UNNAMED |= {"__path__", "__cached__", "__builtins__", "__annotations__", "__all__"}
SPECIAL = ("__init__", "__call__", "__str__", "__repr__")  # methods of classes that count

MODULES = [
    "",
    *(
        name.removeprefix("sacrebleu.")
        for _, name, _ in pkgutil.walk_packages(peer.__path__, "sacrebleu.")
        if not name.endswith("__main__")
    ),
]


def both(module: str) -> tuple[ModuleType, ModuleType]:
    theirs, own = (
        importlib.import_module(f"{package.__name__}.{module}" if module else package.__name__)
        for package in (peer, ours)
    )
    return theirs, own


def is_borrowed(value: Any) -> bool:
    """Is it a module, or of another library: what a module imports for itself?"""
    home = value if inspect.isclass(value) or inspect.isroutine(value) else type(value)
    named = value if getattr(value, "__module__", None) == "typing" else home
    origin = getattr(named, "__module__", None) or "builtins"
    is_plain = not callable(value) and origin in ("builtins", "logging", "signal")
    return inspect.ismodule(value) or not (is_plain or origin.startswith("sacrebleu"))


def parameters(function: Any) -> list[tuple[str, Any, Any]]:
    return [
        (each.name, each.kind, each.default)
        for each in inspect.signature(function).parameters.values()
    ]


def check_signature(own: Any, theirs: Any, name: str) -> None:
    """Whatever calls theirs can call ours: more arguments of ours come last, with defaults."""
    expected, got = parameters(theirs), parameters(own)
    plain = [(argument, default) for argument, _, default in expected]
    assert [(argument, default) for argument, _, default in got[: len(plain)]] == plain, name
    assert all(default is not inspect.Parameter.empty for _, _, default in got[len(plain) :]), name


def check_value(own: Any, theirs: Any, name: str) -> None:
    if isinstance(theirs, (str, int, float, tuple, list)):
        assert own == theirs, name
    elif isinstance(theirs, dict):
        assert list(own) == list(theirs), name
        if not any(map(inspect.isclass, theirs.values())):
            assert dict(own).keys() == theirs.keys(), name


def members(item: type) -> Iterator[tuple[str, Any]]:
    for name, value in vars(item).items():
        if name in SPECIAL or (not name.startswith("__") and name != "_abc_impl"):
            yield name, value


@pytest.mark.parametrize("module", MODULES)
def test_names(module: str) -> None:
    theirs, own = both(module)
    assert set(getattr(theirs, "__all__", ())) <= set(dir(own))
    for name, item in list(vars(theirs).items()):
        path = f"{module}.{name}" if module else name
        dunder = name.startswith("__") and module not in ("", "version")
        if path in ABSENT or is_borrowed(item) or dunder or name in UNNAMED:
            continue
        assert hasattr(own, name), path
        mine = getattr(own, name)
        if inspect.isclass(item):
            check_class(mine, item, path)
        elif callable(item):
            check_signature(mine, item, path)
        elif path not in OTHER_VALUES:
            check_value(mine, item, path)


def check_class(own: Any, theirs: Any, path: str) -> None:
    assert inspect.isclass(own), path
    for name, member in members(theirs):
        where = f"{path}.{name}"
        assert hasattr(own, name), where
        if isinstance(member, property):
            assert isinstance(inspect.getattr_static(own, name), property), where
        elif callable(getattr(theirs, name)) and not inspect.isclass(getattr(theirs, name)):
            if name != "__init__" or "__init__" in vars(own):
                check_signature(getattr(own, name), getattr(theirs, name), where)
            else:
                own()  # nothing to be told
        else:
            check_value(getattr(own, name), getattr(theirs, name), where)


ARGUMENTS: tuple[list[str], ...] = (
    [],
    ["ref", "other", "-i", "a", "b", "-m", "ter", "chrf", "-w", "3", "-b", "-sh", "-nc", "-q"],
    ["-t", "wmt19,wmt20", "-l", "en-zh", "-ol", "en", "--subset", "x", "-d", "--echo", "src"],
    ["ref", "-s", "floor", "-sv", "0.5", "-tok", "zh", "-lc", "--force", "-nr", "3"],
    ["ref", "-sl", "-cc", "4", "-cw", "2", "--chrf-beta", "3", "--chrf-whitespace", "-ci"],
    ["ref", "--chrf-lowercase", "--chrf-eps-smoothing", "--ter-normalized", "--ter-no-punct"],
    ["ref", "--ter-case-sensitive", "--ter-asian-support", "-par", "-parn", "9", "-j", "2"],
    ["ref", "-pbs", "-pbsn", "7", "-cin", "50", "-f", "latex", "--list", "--cite"],
    ["--download", "wmt19", "-e", "latin1"],
)


@pytest.mark.parametrize("form", ["", "TEXT", "none of them"])
@pytest.mark.parametrize("words", ARGUMENTS, ids=" ".join)
def test_parse_args(words: list[str], form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["sacrebleu", *words])
    monkeypatch.setenv("SACREBLEU_FORMAT", form)
    theirs, own = (vars(module.parse_args()) for module in both("sacrebleu"))
    assert own == theirs


def test_version_of_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    theirs, own = both("sacrebleu")
    assert own.VERSION == theirs.VERSION == "2.6.0"
    with pytest.raises(SystemExit, match=r"^0$"):
        own.main(["--version"])
    assert capsys.readouterr().out == "sacrebleu 2.6.0\n"


@pytest.mark.parametrize("path", [*ABSENT, *OTHER_VALUES])
def test_exceptions_are_still_exceptions(path: str) -> None:
    module, _, name = path.rpartition(".")
    theirs, own = both(module)
    if path in ABSENT:
        assert hasattr(theirs, name) and not hasattr(own, name)
    else:
        assert getattr(theirs, name) != getattr(own, name)


@pytest.mark.parametrize("name", ["corpus_bleu", "raw_corpus_bleu", "sentence_bleu", "corpus_chrf",
                                  "sentence_chrf", "corpus_ter", "sentence_ter"])  # fmt: skip
def test_functions_tell_their_parameters(name: str) -> None:
    """Their docstrings are those of rapidbleu's functions, which take more."""
    theirs, own = (getattr(module, name) for module in both("compat"))
    assert parameters(own) == parameters(theirs)
    assert pickle.loads(pickle.dumps(own)) is own is getattr(ours, name)
    assert own.__qualname__ == name and own.__module__ == "rapidbleu.sacrebleu.compat"
    assert own.__doc__ is not None
    listed = own.__doc__.partition("----------\n")[2].partition("\n\n")[0]
    heads = re.findall(r"^ {4}(\w[\w, ]*?)(?: : .*)?$", listed, re.M)
    assert {*", ".join(heads).split(", ")} == {*inspect.signature(own).parameters}
