"""``rapidbleu vectors`` with programs that are right, wrong, and no programs at all."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import wrong_metrics

from rapidbleu.cli.vectors import Outcome, diagnosis, read_vectors
from support.command_line import Run, failure
from support.places import REPO

JUDGE = f"""
import json, sys
sys.path.insert(0, {str(REPO / "tests" / "vectors")!r})
from wrong_metrics import METRICS
for vector in map(json.loads, sys.stdin):
    score = METRICS.get(vector["metric"])
    print(json.dumps(score(vector, sys.argv[1]) if score else None))
"""


@pytest.fixture
def judge(tmp_path: Path) -> list[str]:
    """A program that scores by the papers, with the mistake in its argument."""
    path = tmp_path / "judge.py"
    path.write_text(JUDGE, encoding="utf-8")
    return [sys.executable, str(path)]


def test_the_package_has_all_vectors(tmp_path: Path, run: Run) -> None:
    assert run("vectors", "--export", str(tmp_path / "new")).status == 0
    written = {path.name: path.read_bytes() for path in (tmp_path / "new").iterdir()}
    stored = {path.name: path.read_bytes() for path in (REPO / "vectors").glob("*.jsonl")}
    assert written == stored
    assert sum(path.stat().st_size for path in REPO.glob("src/rapidbleu/cli/*.gz")) < 120_000


def test_a_right_program(judge: list[str], run: Run) -> None:
    result = run("vectors", "--core", "--only", "bleu,wer", *judge, "")
    assert result.status == 0
    assert result.out == (
        "vectors  passed  failed  not answered\n"
        "bleu         47       0             0\n"
        "wer          25       0             0\n"
    )


def test_a_wrong_program(judge: list[str], run: Run) -> None:
    result = run("vectors", "--core", "--only", "bleu", *judge, "the sum of references clips")
    assert result.status == 3
    assert "bleu-010: expected 72.597952911547" in result.out
    assert "not as often as in all of them together.\n" in result.out
    assert result.out.endswith(
        "bleu: only vectors about clipping and references have wrong scores\n"
    )


def test_data(judge: list[str], run: Run) -> None:
    command = ("vectors", "--core", "--only", "rouge,ter", "-f", "json", *judge)
    result = run(*command, "ROUGE of sums")
    assert result.status == 3
    data = json.loads(result.out)
    assert list(data) == ["ter", "rouge"] and len(data["ter"]["not_answered"]) == 27
    failed = data["rouge"]["failed"]
    assert failed[0]["tags"] == ["mean"] and "mean of its segments" in failed[0]["reason"]
    assert len(data["rouge"]["passed"]) + len(failed) == 24
    assert failed[0]["expected"] != failed[0]["score"]
    assert data["rouge"]["diagnosis"] == [
        "only vectors about mean have wrong scores",
        "all 3 vectors about mean have wrong scores",
    ]


@pytest.mark.parametrize("name", wrong_metrics.METRICS)
def test_many_mistakes_have_a_diagnosis(name: str) -> None:
    vectors = read_vectors(name, core=True)
    n_told = 0
    for mistake in wrong_metrics.MUTANTS[name]:
        score_of = wrong_metrics.METRICS[name]
        known = [v for v in vectors if name != "wer" or v["options"]["measure"] == "wer"]
        n_told += bool(diagnosis([Outcome(v, score_of(v, mistake)) for v in known]))
    assert n_told > len(wrong_metrics.MUTANTS[name]) / 4
    right = [Outcome(vector, float(vector["score"])) for vector in vectors]
    assert diagnosis(right) == []
    assert diagnosis([Outcome(vector, -1.0) for vector in vectors]) == ["all scores are wrong"]


@pytest.mark.parametrize(
    ("code", "status", "message"),
    [
        ("print(1)", 1, "expected 30 lines, one per vector; got 1"),
        ("import sys; print('null\\n' * 30)", 1, "expected 30 lines, one per vector; got 31"),
        ("print('null\\n' * 29 + 'null')", 1, "expected at least one score; got only null"),
        ("print('1\\n' * 29 + 'x')", 1, "output, line 30: expected a number or null; got 'x'"),
        ("print('NaN\\n' * 29 + '1')", 1, "output, line 1: expected a number or null; got 'NaN'"),
        ("print('true\\n' * 29 + '1')", 1, "output, line 1: expected a number or null; got 'true'"),
        ("raise SystemExit(9)", 1, "expected exit status 0; got 9"),
        ("import sys; sys.stdout.buffer.write(b'\\xff')", 1, "expected output in UTF-8"),
    ],
)
def test_programs_that_fail(code: str, status: int, message: str, run: Run) -> None:
    result = run("vectors", "--only", "cer", sys.executable, "-c", code)
    assert failure(result, status) == f"{sys.executable}: {message}"


def test_wrong_use(tmp_path: Path, run: Run) -> None:
    assert run("vectors").status == 2
    assert run("vectors", "--export", str(tmp_path), "x").status == 2
    result = run("vectors", "--only", "blue", "x")
    assert result.status == 2 and "--only: expected some of bleu, chrf, ter, " in result.err
    assert run("vectors", "/nowhere/x").status == 127
    (tmp_path / "x").touch()
    result = run("vectors", str(tmp_path / "x"))
    assert result.status == 126 and "it is not executable" in result.err


@pytest.mark.skipif(not shutil.which("node"), reason="no node")
def test_the_example_in_javascript(run: Run) -> None:
    program = str(REPO / "examples/vectors/bleu.js")
    result = run("vectors", "--only", "bleu", "-f", "json", "node", program)
    assert result.status == 0
    assert len(json.loads(result.out)["bleu"]["passed"]) == 47


@pytest.mark.skipif(not shutil.which("cc"), reason="no compiler")
def test_the_example_in_c(tmp_path: Path, run: Run) -> None:
    program = tmp_path / "wer"
    subprocess.run(
        ["cc", "-Wall", "-Werror", "-o", program, REPO / "examples/vectors/wer.c"], check=True
    )
    result = run("vectors", "--only", "wer", "-f", "json", str(program))
    assert result.status == 0
    assert len(json.loads(result.out)["wer"]["passed"]) == 25
