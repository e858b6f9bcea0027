"""Types as users see them: mypy and, if installed, pyright on the programs in typing/."""

import json
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from support.places import REPO

FOLDER = REPO / "tests" / "project" / "typing"
SRC = REPO / "src"

WRONG = """
from typing import assert_type

from rapidbleu import BLEU, CHRF, CHRFScore

assert_type(BLEU().corpus_score(["a"], [["a"]]), CHRFScore)
CHRF().corpus_score(["a"], [["a"]])  # type: ignore[arg-type]
BLEU(smooth_method="expp")
"""


def check(tool: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    if find_spec(tool) is None:
        if "CI" in os.environ and tool == "mypy":
            pytest.fail("mypy is not installed")
        pytest.skip(f"{tool} is not installed")
    return subprocess.run(
        [sys.executable, "-m", tool, *map(str, words)],
        cwd=REPO,
        env={**os.environ, "MYPYPATH": str(SRC)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def run_pyright(project: Path) -> subprocess.CompletedProcess[str]:
    """Run pyright in a folder with a configuration."""
    options = {
        "extraPaths": [str(SRC)],
        "pythonVersion": "3.11",
        "reportUnnecessaryTypeIgnoreComment": "error",
    }
    (project / "pyrightconfig.json").write_text(json.dumps(options), "utf-8")
    return check("pyright", "--project", project, "--pythonpath", sys.executable)


def test_there_are_errors_to_be_found() -> None:
    texts = [path.read_text("utf-8") for path in FOLDER.glob("*.py")]
    assert sum(len(re.findall(r"# type: ignore\[[\w-]+\]$", text, re.M)) for text in texts) > 30
    assert sum(text.count("assert_type(") for text in texts) > 30


@pytest.mark.slow
def test_mypy() -> None:
    done = check("mypy", "--config-file", REPO / "pyproject.toml", FOLDER)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_mypy_finds_errors(tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(WRONG, "utf-8")
    done = check("mypy", "--config-file", REPO / "pyproject.toml", path)
    found = re.findall(r"wrong\.py:(\d+): error: .*\[([\w-]+)\]$", done.stdout, re.M)
    assert found == [("6", "assert-type"), ("7", "unused-ignore"), ("8", "arg-type")], done.stdout


def test_pyright(tmp_path: Path) -> None:
    done = run_pyright(Path(shutil.copytree(FOLDER, tmp_path / "typing")))
    assert done.returncode == 0, done.stdout + done.stderr


def test_pyright_finds_errors(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(WRONG, "utf-8")
    done = run_pyright(tmp_path)
    found = re.findall(r"wrong\.py:(\d+):\d+ - error", done.stdout)
    assert found == ["6", "7", "8"], done.stdout
