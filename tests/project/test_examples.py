"""The examples are run as a user would run them."""

import os
import re
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

import rapidbleu
from support.places import REPO

EXAMPLES = REPO / "examples"


def run(name: str, *arguments: str) -> str:
    """What an example prints; it must not say anything on stderr."""
    program = EXAMPLES / name
    if not program.is_file():
        pytest.skip("the examples are not here")
    result = subprocess.run(
        [sys.executable, "-W", "error", str(program), *arguments],
        env={**os.environ, "PYTHONPATH": str(Path(rapidbleu.__file__).parents[1])},
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


def scores_of(output: str) -> tuple[float, float, float]:
    before, after, best = (
        float(re.search(rf"^{what} +([0-9.]+)$", output, re.MULTILINE)[1])  # type: ignore[index]
        for what in ("Test BLEU before", "Test BLEU after", "The best hypotheses would have")
    )
    return before, after, best


@pytest.mark.slow
def test_rerank_made_lists() -> None:
    output = run("rerank.py")
    before, after, best = scores_of(output)
    assert before + 2 < after < best
    assert "difference on test: +" in output
    assert run("rerank.py") == output


def test_rerank_files(tmp_path: Path) -> None:
    random = Random(1)
    lines, references = [], []
    for i in range(20):
        reference = [random.choice("abcdefgh") for _ in range(9)]
        references.append(" ".join(reference))
        for _ in range(8):
            words = [word if random.random() < 0.8 else "x" for word in reference]
            right = sum(a == b for a, b in zip(words, reference, strict=True))
            features = f"lm= {right + random.gauss(0, 2):.3f} tm= {random.gauss(0, 1):.3f}"
            lines.append(f"{i} ||| {' '.join(words)} ||| {features} ||| 0")
    (tmp_path / "nbest").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "ref").write_text("\n".join(references), encoding="utf-8")
    output = run("rerank.py", str(tmp_path / "nbest"), str(tmp_path / "ref"))
    names = [line.split()[0] for line in output.splitlines()[1:5]]
    assert names == ["lm_0", "tm_0", "length", "expected"]
    _, after, best = scores_of(output)
    assert after <= best
