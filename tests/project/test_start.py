"""Count the modules that a start loads; times vary, and a module takes 0.2 ms."""

import json
import logging
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import pytest

from rapidbleu._lib import logs
from rapidbleu._lib.frozen import NamedTuple
from rapidbleu.cli.messages import library_messages
from rapidbleu.cli.options import Parser
from rapidbleu.score import Score

COMMAND = "import sys\nfrom rapidbleu.cli import main\nsys.argv[1:] = {}\nstatus = main()\n"
LISTED = "print(*sys.modules, file=sys.stderr)"
LONG = {  # modules of Python that take a millisecond or more, often by loading others
    "csv",
    "html",
    "json",
    "logging",
    "pathlib",
    "shutil",
    "signal",
    "textwrap",
    "threading",
    "traceback",
    "typing",
    "urllib",
}


def loaded(program: str) -> set[str]:
    """Return the modules that a program loads and an empty one does not."""
    bare, own = (
        set(
            subprocess.run(
                [sys.executable, "-c", f"import sys\n{code}\n{LISTED}"],
                capture_output=True,
                encoding="utf-8",
                check=True,
            ).stderr.split()
        )
        for code in ("", program)
    )
    return own - bare


def test_import_loads_nothing_but_names() -> None:
    modules = loaded("import rapidbleu")
    assert "rapidbleu._lib.loader" in modules
    assert len(modules) <= 6, sorted(modules)


def test_bleu_loads_only_its_own() -> None:
    modules = loaded("import rapidbleu; rapidbleu.corpus_bleu(['a b c d'], [['a b c d']])")
    assert len(modules) <= 51, sorted(modules)
    assert not LONG & modules


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_scoring_command_loads_only_its_own(tmp_path: Path, form: str) -> None:
    path = tmp_path / "text"
    path.write_text("It rains.\nIt rained, at last.\nA cat sat on the mat.\n")
    modules = loaded(COMMAND.format([str(path), "-i", str(path), "-f", form]))
    own = {name for name in modules if name.startswith("rapidbleu")}
    assert "rapidbleu.cli.score.command" in own
    assert len(own) <= 64, sorted(own)
    assert len(modules - own) <= 40, sorted(modules - own)
    assert not LONG & modules


def test_records_are_named_tuples() -> None:
    class Pair(NamedTuple):
        """A pair."""

        first: int
        second: str = "b"

        @property
        def both(self) -> str:
            return f"{self.first}{self.second}"

    oracle = namedtuple("Pair", ["first", "second"], defaults=["b"])
    pair = Pair(1)
    assert pair == oracle(1) == (1, "b") and pair.both == "1b" and Pair.__doc__ == "A pair."
    assert repr(pair).endswith(repr(oracle(1))) and pair._asdict() == oracle(1)._asdict()
    assert pair._replace(first=2).both == "2b" and Pair._fields == oracle._fields
    assert not hasattr(pair, "__dict__")
    with pytest.raises(AttributeError):
        pair.first = 2  # type: ignore[misc]
    with pytest.raises(TypeError, match="second"):
        Pair(1, "c", second="d")  # type: ignore[misc]


def test_messages_before_and_after_logging_is_loaded(tmp_path: Path) -> None:
    """The first message loads logging, and is printed like any other."""
    text = tmp_path / "tokenized"
    text.write_text("It rains .\n" * 100)
    command = COMMAND.format([str(text), "-i", str(text)])
    for first, expected in (("", "not in"), ("import logging", "in")):
        code = f"import sys\n{first}\nassert 'logging' {expected} sys.modules\n{command}"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert done.stderr.startswith("rapidbleu: ") and done.stderr.count("\n") == 1


def test_no_message_leaves_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "logging")
    before = [*logs.begin]
    with library_messages(quiet=False):
        assert len(logs.begin) == len(before) + 1
        with library_messages(quiet=True):
            pass
    assert logs.begin == before
    monkeypatch.undo()
    own = logging.getLogger("rapidbleu")
    level = own.level
    with library_messages(quiet=False):
        assert own.level == logging.INFO and len(own.handlers) == 1
    assert own.level == level and own.handlers == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a b",
        "BLEU",
        'say "a"',
        "a\\b",
        "tab\t",
        "\x00",
        "\x7f",
        "ä—„",
        "\u2028",
        "\u00a0",
        "\u200b",
        "\ud800",
        "😀",
        "\u202e",
        "é",
    ],
)
@pytest.mark.parametrize("number", [0.0, -0.0, 26.6, 1e-7, 1e300, float("nan"), float("inf")])
def test_scores_are_json(text: str, number: float) -> None:
    written = Score(text, number).format(3, signature=f"{text}:{text}|b:c", is_json=True)
    entries = {"name": text, "score": float(f"{number:.3f}"), "signature": f"{text}:{text}|b:c"}
    for part in entries["signature"].split("|"):
        key, _, value = part.partition(":")
        entries[key] = value
    assert written == json.dumps(entries, indent=1, ensure_ascii=False)


def test_options_are_those_of_argparse() -> None:
    """The help of options and their order do not depend on the way they are added."""
    from argparse import ArgumentParser

    def fill(parser: ArgumentParser, add: object) -> str:
        add(parser, "words", nargs="*")
        add(parser, "-x", "--ex", type=int, default=3, help="a number")
        add(parser, "--flag", action="store_true")
        parser.add_argument_group("others").add_argument("-o", metavar="O")
        add(parser, "-V", action="version", version="1")
        return parser.format_help() + str([action.dest for action in parser._actions])

    own, plain = Parser(prog="p"), Parser(prog="p")
    assert fill(own, Parser.add_argument) == fill(plain, ArgumentParser.add_argument)
