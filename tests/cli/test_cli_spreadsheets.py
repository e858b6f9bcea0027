"""Cells of CSV and TSV, none of which a spreadsheet takes for a formula."""

import csv
import io
from pathlib import Path

import pytest

from rapidbleu.table import Table
from support.command_line import HYP, REF_A, N, Run, Write

FORMULAS_BEGIN = ("=", "+", "-", "@", "\t", "\r")
FORMULAS = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "- a", "＝1",
            "'=1"]  # fmt: skip


def lines(number: float) -> bytes:
    return f"{number}\n".encode() * N


@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_cells_are_no_formulas(form: str) -> None:
    harmless_cells = ["a=b", "1-2", "'a", "", " =1", "a"]
    texts = [*FORMULAS, *harmless_cells, None]
    numbers = [-0.5, -1e-300, float("nan"), 3.0, -12345.678, 1e300, -0.0, -1.0] + [-2.5] * 9
    table = Table({"=x": texts, "score": numbers, "n": [-i for i in range(len(texts))]})
    out = table.format(form)  # type: ignore[arg-type]
    header, *rows = csv.reader(
        io.StringIO(out, newline=""), delimiter="," if form == "csv" else "\t"
    )
    assert header == ["'=x", "score", "n"]
    assert [row[0] for row in rows] == [f"'{text}" for text in FORMULAS] + [*harmless_cells, ""]
    for row, number in zip(rows, numbers, strict=True):
        assert row[1] == ("" if number != number else repr(number))
    assert [int(row[2]) for row in rows] == table["n"].tolist()
    for cell in (cell for row in [header, *rows] for cell in row):
        assert cell[:1] not in set("=+-@\t\r\n＝") or float(cell) <= 0
    assert table["=x"] == texts, "the table itself has them as they are"


@pytest.mark.parametrize("form", ["csv", "tsv"])
@pytest.mark.parametrize("words", [
    "compare {hyp} {other} -r {ref}", "compare {hyp} {other} -r {ref} --show tests",
    "compare {hyp} {other} -r {ref} --show segments --labels {label}", "{ref} -i {hyp} {other}",
    "{ref} -i {hyp} {other} -sl", "{ref} -i {hyp} {other} -pbs -pbsn 20",
    "{ref} -i {hyp} {other} -par -parn 99 --all-pairs",
])  # fmt: skip
def test_names_are_no_formulas(words: str, form: str, run: Run, write: Write) -> None:
    places = {"hyp": HYP, "ref": REF_A, "other": write("other", Path(REF_A).read_bytes())}
    places["label"] = write("label", b"@x\n" * N)
    scores = ["--scores", f"+C={write('a', lines(-0.5))}", write("b", lines(0.5))]
    names = ["--names", "=HYPERLINK(0)", "@cmd"]
    out = run(*words.format(**places).split(), *names, *scores, "-f", form).out
    rows = list(csv.reader(io.StringIO(out), delimiter="," if form == "csv" else "\t"))
    cells = [cell for row in rows for cell in row]
    assert any(cell.startswith(("'=HYPERLINK", "'+C")) for cell in cells)
    assert any(cell.startswith("-0.5") for cell in cells) or "tests" in words or "par" in words
    for cell in cells:
        if cell[:1] in FORMULAS_BEGIN:
            float(cell)


def test_chosen_texts_are_exact_in_tsv(run: Run, write: Write) -> None:
    """They are data for other programs, and a dash begins many lines of subtitles."""
    path = write("c", b"- Yes.\n=1\n")
    out = run("mbr", path, "-n", "1", "-f", "tsv").out
    rows = list(csv.DictReader(io.StringIO(out), delimiter="\t"))
    assert [row["text"] for row in rows] == ["- Yes.", "=1"]
