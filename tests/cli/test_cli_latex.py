"""LaTeX output of all commands, compiled by pdfLaTeX in a paper."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from rapidbleu import BLEU, CHRF, TER, compare
from rapidbleu.significance import paired_randomization
from rapidbleu.table import Table
from support.command_line import HYP, REF_A, REF_B, N, Run, Write

pytestmark = pytest.mark.slow
PDFLATEX = shutil.which("pdflatex")
# Debian's texlive-latex-base lacks booktabs.
PREAMBLE = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\IfFileExists{booktabs.sty}{\usepackage{booktabs}}{%
  \let\toprule\hline\let\midrule\hline\let\bottomrule\hline}
"""
NAMES = [
    r"a_b",
    "50% & #1",
    "${x}^2~\\",
    "[0.1ex]",
    "*",
    "<b> | \"q\" ``q'' --",
    "Müller Łódź ß þ ŋ",
]


def compiled(tables: list[str], folder: Path, preamble: str = PREAMBLE) -> str:
    """Compile a paper that includes these tables by ``\\input``; return the log."""
    if PDFLATEX is None:
        pytest.skip("pdflatex is not installed")
    lines = [preamble, r"\begin{document}"]
    for i, table in enumerate(tables):
        (folder / f"table{i}.tex").write_text(table + "\n", encoding="utf-8")
        lines.append(rf"\begin{{table}}[p]\input{{table{i}}}\end{{table}}\clearpage")
    (folder / "paper.tex").write_text("\n".join([*lines, r"\end{document}"]), encoding="utf-8")
    done = subprocess.run(
        [PDFLATEX, "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    log = (folder / "paper.log").read_text(encoding="latin-1")
    assert done.returncode == 0, re.findall(r"^! .*\n.*\n.*", log, re.MULTILINE)
    assert f"({len(tables)} page" in log.replace("\n", "") and "Missing character" not in log
    return log


def systems() -> dict[str, list[str]]:
    return {
        name: [f"the cat {name} sat {i}" if i % (k + 2) else "it rained" for i in range(30)]
        for k, name in enumerate(NAMES)
    }


def test_tables(tmp_path: Path) -> None:
    references = [["the cat sat on the mat"] * 15 + ["it rained"] * 15]
    found = compare(
        systems(),
        references,
        [BLEU(), TER()],
        labels=NAMES * 4 + NAMES[:2],
        baseline="[0.1ex]",
        n_resamples=99,
    )
    tables = [
        found.scores,
        found.tests,
        found.words,
        found.segments,
        found.ngrams(*NAMES[:2]),
        found.examples(*NAMES[3:5], n=3),
        *(found.side_by_side(name, "segments") for name in found.buckets),
        paired_randomization(systems(), references, CHRF(), n_trials=99).table(),
        Table({"x": []}),
        Table({"[x": [-1.5, None], "*y": ["", None]}),
    ]
    compiled([table.format("latex") for table in tables], tmp_path)


def test_all_letters(tmp_path: Path) -> None:
    """ASCII and European letters compile; characters listed in comments really fail."""
    letters = [chr(i) for i in (*range(0x20, 0x7F), *range(0xA0, 0x180))] + list("–—‘’‚“”„…•€™")
    pages = [Table({"x": letters[i : i + 40]}).format("latex") for i in range(0, len(letters), 40)]
    foreign = {c for page in pages for c in (re.findall(r"lacks (\w+)", page) or [""])[0]}
    assert foreign == set("ĦħĸĿŀŉŦŧſ")
    known = [c for c in letters if c not in foreign]
    rows = [known[i : i + 40] for i in range(0, len(known), 40)]
    compiled([Table({"x": [*row, "".join(row)]}).format("latex") for row in rows], tmp_path)
    for letter in [*sorted(foreign), "系", "Ω"]:
        with pytest.raises(AssertionError):
            compiled([Table({"x": [letter]}).format("latex")], tmp_path)


@pytest.mark.parametrize(
    "options",
    [
        "-f latex",
        "-f latex -m bleu ter chrf -ci -cin 50",
        "-f latex -sl",
        "-f latex -m bleu ter -pbs -pbsn 50",
        "-f latex -par -parn 50 --all-pairs",
        "-f latex -pbs -pbsn 50 -b",
    ],
)
def test_scores(options: str, tmp_path: Path, run: Run, write: Write) -> None:
    worse = write("worse.txt", b"The government.\n" * N)
    args = [REF_A, "-i", HYP, worse, REF_B, HYP, "--names", *NAMES[:4], *options.split()]
    tables = [run(*args).out]
    if "-p" not in options:
        tables.append(run(REF_A, "-i", HYP, *options.split()).out)
    compiled(tables, tmp_path)


@pytest.mark.parametrize("babel", [False, True])
def test_comparisons(babel: bool, tmp_path: Path, run: Run) -> None:
    args = ["compare", "-i", HYP, REF_B, "-r", REF_A, "--names", "a\nb", '50% "a', "-f", "latex"]
    german = PREAMBLE + r"\IfFileExists{ngerman.ldf}{\usepackage[ngerman]{babel}}{}"
    sections = ["scores", "tests", "buckets", "words", "ngrams", "examples", "segments"]
    out = run(*args, "--show", *sections).out
    compiled([out], tmp_path, german if babel else PREAMBLE)
