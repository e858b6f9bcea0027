"""The README is short and its examples run; set-up commands match CI; files agree on facts."""

import doctest
import os
import re
import shlex
import subprocess
import sys
import tomllib
from typing import Any

import pytest

import rapidbleu
from support.places import REPO

README = (REPO / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_it_is_short() -> None:
    assert len(README.encode()) <= 9_000
    assert README.count("\n| ") - README.count("\n| ---") < 25


def test_python_examples() -> None:
    session = "".join(blocks("python"))
    test = doctest.DocTestParser().get_doctest(session, {}, "README.md", None, 0)
    assert 8 <= len(test.examples) <= 20
    assert doctest.DocTestRunner().run(test).failed == 0


def console_examples() -> list[tuple[str, str]]:
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
        cwd=REPO,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout == output


def test_set_up_commands_are_those_of_ci() -> None:
    commands = [block.strip() for block in blocks("sh")]
    assert len(commands) == 2
    ci = (REPO / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    for command in commands:
        assert command in ci
    assert ci[-1] == commands[1]


def test_promises_have_tests() -> None:
    page = REPO / "docs" / "development" / "promises.md"
    promises = re.findall(r"^- .*", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(promises) > 15
    for promise in promises:
        named = re.findall(r"`((?:tests|\.ci)/[^`:]+)(?:::(\w+))?`", promise)
        assert named, promise
        for path, name in named:
            text = (REPO / path).read_text(encoding="utf-8")
            assert re.search(rf"^def {name}\(", text, re.MULTILINE) or not name, (path, name)


def test_version() -> None:
    assert f"## {rapidbleu.__version__}" in (REPO / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"+rapidbleu.{rapidbleu.__version__} " in README
    assert citation()["version"] == rapidbleu.__version__


def citation() -> dict[str, Any]:
    if "CI" not in os.environ:
        pytest.importorskip("yaml")
    import yaml

    found = yaml.safe_load((REPO / "CITATION.cff").read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def test_citation() -> None:
    found = citation()
    assert found["cff-version"] == "1.2.0" and found["message"] and found["type"] == "software"
    assert found["title"] == PROJECT["name"] and found["license"] == PROJECT["license"]
    assert [author["name"] for author in found["authors"]] == [
        author["name"] for author in PROJECT["authors"]
    ]


def test_hooks_of_pre_commit_are_checks_of_the_house() -> None:
    if "CI" not in os.environ:
        pytest.importorskip("yaml")
    import yaml

    text = (REPO / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    hooks = [hook for repo in yaml.safe_load(text)["repos"] for hook in repo["hooks"]]
    assert [hook["id"] for hook in hooks] == ["ruff", "cython-lint", "mypy"]
    house = (REPO / "tests" / "project" / "test_house.py").read_text(encoding="utf-8")
    for hook in hooks:
        module = re.match(r"python -m (\S+)", hook["entry"])
        assert module and f'"-m", "{module[1]}"' in house, hook["entry"]
