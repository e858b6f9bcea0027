"""The README's examples run, its set-up commands are those of CI, and promises name their tests."""

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import rapidbleu

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_python_examples() -> None:
    """The Python blocks, one after the other as one session."""
    session = "".join(blocks("python"))
    test = doctest.DocTestParser().get_doctest(session, {}, "README.md", None, 0)
    assert len(test.examples) > 8
    assert doctest.DocTestRunner().run(test).failed == 0


def console_examples() -> list[tuple[str, str]]:
    """(command, output) of the console blocks."""
    examples = []
    for block in blocks("console"):
        for example in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = example.partition("\n")
            examples.append((command, output))
    return examples


@pytest.mark.parametrize(("command", "output"), console_examples())
def test_console_examples(command: str, output: str) -> None:
    program, *arguments = shlex.split(command)
    assert program == "rapidbleu"
    done = subprocess.run(
        [sys.executable, "-m", "rapidbleu", *arguments],
        cwd=ROOT, capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip
    assert done.stdout == output


def test_set_up_commands_are_those_of_ci() -> None:
    commands = [block.strip() for block in blocks("sh")]
    assert len(commands) == 2
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    for command in commands:
        assert command in ci
    assert ci[-1] == commands[1]


def test_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert targets
    for target in targets:
        assert (ROOT / target).exists(), target


def test_promises_have_tests() -> None:
    promises = re.findall(
        r"^- .*", (ROOT / "docs" / "promises.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(promises) > 15
    for promise in promises:
        named = re.findall(r"`((?:tests|\.ci)/[^`:]+)(?:::(\w+))?`", promise)
        assert named, promise
        for path, name in named:
            text = (ROOT / path).read_text(encoding="utf-8")
            assert re.search(rf"^def {name}\(", text, re.MULTILINE) or not name, (path, name)


def test_version() -> None:
    """The changelog and the examples speak of this version."""
    assert f"## {rapidbleu.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"+rapidbleu.{rapidbleu.__version__} " in README
