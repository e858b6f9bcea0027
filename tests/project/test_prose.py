"""Constructions of docs, docstrings, comments, help and commit subjects that read as translated.

A budget is a number of hits in 1,000 words. It only falls: who writes better lowers it.
"""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from rapidbleu.cli import COMMANDS, module_of
from support.places import REPO

PATTERNS = {
    "pronoun for a noun": r"\b(that|those) of\b(?! course)",
    "clause as a noun": r"\b(of|by|in|to|from|with|for|is|has|than|all|say|says|see|know) what\b",
    "thing that speaks": r"\b(says?|said|tells?|told)\b",
    "genitive in front": r"(?m)(?:^|(?<=[.;:] ))Of (a|all|an?other|each|equal|its|one|segments|"
    r"several|systems|the|these|those|two|what|which)\b",
    "as X has it": r"\bas [^.;,]{2,30} (has|have|had) (it|them)\b",
    "behind for after": r"\bbehind\b",
    "beside": r"\bbesides?\b",
    "is no X": r"\b(is|are|was|were) no [a-z]+",
    "is there": r"\b(is|are) (not )?there\b(?! (is|are|a|an|any))",
    "asked for": r"\b(asked for|as (it|they) (is|are) needed)\b",
    "blanks": r"\bblanks?\b",
    "others": r"\b(an)?other than\b|\bothers\b",
    "too after a comma": r", too\b",
    "pronouns for anybody": r"\b(whatever|whoever|somebody|nobody)\b",
}
# False friends: the text and the reason.
ALLOWED = {
    "there is no": "says that something is missing",
    "there are no": "says that things are missing",
    "too many": "an excess, not an addition",
}
BUDGETS = {  # hits in 1,000 words
    "docstrings": 0.3,
    "comments": 0.2,
    "help": 0.1,
    "docstrings of tests": 0.5,
    "docs": 1.0,
}
VERBS = {
    "Add",
    "Document",
    "Fix",
    "Merge",
    "Move",
    "Remove",
    "Rename",
    "Replace",
    "Revert",
    "Simplify",
    "Speed",
    "Store",
    "Test",
    "Update",
}
MOST = 72  # characters of a subject


def docstrings(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*.py*")):
        if path.suffix == ".py":
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                kinds = ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef
                if isinstance(node, kinds) and (text := ast.get_docstring(node)):
                    yield text
        elif path.suffix in (".pyx", ".pxd", ".pyi"):
            yield from re.findall(r'"""(.*?)"""', path.read_text(encoding="utf-8"), re.S)


def comments(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".py", ".pyx", ".pxd", ".pyi"):
            lines = path.read_text(encoding="utf-8").splitlines()
            yield "\n".join(line.split("# ", 1)[1] for line in lines if "# " in line)
        elif path.suffix == ".h":
            text = path.read_text(encoding="utf-8")
            yield "\n".join(re.findall(r"/\*(.*?)\*/", text, re.S) + re.findall("//(.*)", text))


def helps() -> Iterator[str]:
    for command in COMMANDS:
        parser = module_of(command).make_parser()
        yield parser.description or ""
        for action in parser._actions:
            if isinstance(action.help, str):
                yield action.help


def pages() -> Iterator[str]:
    yield from (path.read_text(encoding="utf-8") for path in sorted((REPO / "docs").rglob("*.md")))
    for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"):
        yield (REPO / name).read_text(encoding="utf-8")


TEXTS = {
    "docstrings": lambda: docstrings(REPO / "src"),
    "comments": lambda: comments(REPO / "src"),
    "help": helps,
    "docstrings of tests": lambda: docstrings(REPO / "tests"),
    "docs": pages,
}


def prose(text: str) -> str:
    """Return a text without code, examples and allowed constructions."""
    for allowed in ALLOWED:
        text = text.replace(allowed, "X")
    text = re.sub(r"```.*?```", " ", text, flags=re.S)
    text = re.sub(r"^ *(>>>|\.\.\.).*$", " ", text, flags=re.M)
    return re.sub(r"`[^`\n]*`", "X", text)


@pytest.mark.parametrize("kind", BUDGETS)
def test_constructions_that_read_as_translated(kind: str) -> None:
    n_words, hits = 0, []
    for text in map(prose, TEXTS[kind]()):
        n_words += len(re.findall(r"[A-Za-z][A-Za-z'-]*", text))
        for name, pattern in PATTERNS.items():
            flags = 0 if name == "genitive in front" else re.I
            for match in re.finditer(pattern, text, flags):
                around = text[max(match.start() - 40, 0) : match.end() + 40]
                hits.append(f"{name}: ...{' '.join(around.split())}...")
    rate = 1000 * len(hits) / max(n_words, 1)
    assert rate <= BUDGETS[kind], f"{rate:.2f} hits in 1,000 words\n" + "\n".join(hits)


def test_the_list_of_false_friends_is_short() -> None:
    texts = "".join(text for kind in TEXTS for text in TEXTS[kind]())
    assert len(ALLOWED) <= 20
    assert [friend for friend in ALLOWED if friend not in texts] == []


def is_subject(text: str) -> bool:
    return len(text) <= MOST and text.split()[0] in VERBS


def test_subjects_of_commits() -> None:
    """Subjects of the commits after this test was added."""
    git = ["git", "-C", str(REPO), "log", "--format=%H"]
    try:
        added = subprocess.run(
            [*git, "--diff-filter=A", "--", "tests/project/test_prose.py"],
            capture_output=True,
            encoding="utf-8",
            check=True,
        ).stdout.split()
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    if not added:
        pytest.skip("the history does not contain this test")
    subjects = subprocess.run(
        [*git[:-1], "--no-merges", "--format=%s", f"{added[-1]}..HEAD"],
        capture_output=True,
        encoding="utf-8",
        check=True,
    ).stdout.splitlines()
    assert [subject for subject in subjects if not is_subject(subject)] == []


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("Add ids of tensors", True),
        ("Let segments be tensors", False),
        ("Speed up the scanner of 13a: 1.12 times", True),
        ("Fix " + 70 * "x", False),
    ],
)
def test_what_a_subject_is(subject: str, expected: bool) -> None:
    assert is_subject(subject) == expected
