"""Tables: contents, formats, and use in other libraries."""

import csv
import gc
import io
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rapidbleu import BLEU, compare
from rapidbleu.significance import paired_bootstrap
from rapidbleu.table import FORMULAS, MOST_ROWS, Table
from support.peers import need
from support.processes import PEAK, linux_only, run, unsanitized

COLUMNS: dict[str, Any] = {
    "system": ["A", None, "Ü|x", 'a,"b"\tc\n'],
    "BLEU": [1.5, None, -0.25, 1e300],
    "n": [1, 2, 3, 2**62],
}


def test_columns() -> None:
    table = Table(COLUMNS)
    assert table.names == ("system", "BLEU", "n")
    assert len(table) == 4
    assert table["system"] == COLUMNS["system"]
    assert table["BLEU"].dtype == np.float64
    assert np.isnan(table["BLEU"][1])
    assert table["n"].dtype == np.int64
    assert table.to_dict() == COLUMNS
    assert json.loads(json.dumps(table.to_dict())) == COLUMNS
    assert list(table.rows()) == list(zip(*COLUMNS.values(), strict=True))
    assert table == Table(COLUMNS)
    assert table != Table({**COLUMNS, "n": [1, 2, 3, 4]})
    assert table != Table(dict(reversed(COLUMNS.items())))
    with pytest.raises(ValueError, match="read-only"):
        table["n"][0] = 5


def test_a_table_keeps_its_own_numbers() -> None:
    numbers = np.array([1.0, 2.0])
    table = Table({"x": numbers})
    numbers[0] = 9
    assert table.to_dict() == {"x": [1.0, 2.0]}


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (range(3), np.int64),
        (np.arange(3, dtype=np.int8), np.int64),
        (np.arange(3, dtype=np.uint64), np.int64),
        (np.arange(3, dtype=np.float32), np.float64),
        ([1, np.float32(2.5), None], np.float64),
        ((1, np.int32(2), 3), np.int64),
    ],
)
def test_kinds_of_numbers(values: Any, kind: Any) -> None:
    column = Table({"x": values})["x"]
    assert column.dtype == kind
    assert [x for x in column.tolist() if x == x] == [x for x in values if x is not None]


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({"x": "abc"}, TypeError, "columns['x']: expected a sequence of numbers or texts; got a"),
        ({"x": {1, 2}}, TypeError, "columns['x']: expected a sequence of numbers or texts; got s"),
        ({"x": [1, b"a"]}, TypeError, "columns['x'][1]: expected a number, a str or None; got b"),
        ({"x": [1.5, False]}, TypeError, "columns['x'][1]: expected a number, a str or None; got"),
        ({"x": ["a", 1]}, TypeError, "columns['x']: expected numbers or texts; got both"),
        ({"x": [2**63]}, ValueError, "columns['x']: expected numbers of 64 bits with a sign"),
        ({"x": np.array([2**63], np.uint64)}, ValueError, "columns['x']: expected numbers of 64"),
        ({3: [1]}, TypeError, "columns: expected names; got int"),
        ({"x": [1], "y": []}, ValueError, "columns['y']: expected 1 items, as many as in 'x'; g"),
    ],
)
def test_bad_columns(columns: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        Table(columns)
    assert str(caught.value).startswith(message)


def test_forms() -> None:
    table = Table({"system": ["A", "B"], "BLEU": [26.5958, None], "n": [1, 20]}, {"BLEU": 3})
    assert table.format() == "system    BLEU   n\nA       26.596   1\nB               20"
    assert table.format(digits=1).splitlines()[1] == "A       26.6   1"
    assert table.format("markdown").splitlines()[2] == "| A      | 26.596 |  1 |"
    assert table.format("csv") == "system,BLEU,n\nA,26.5958,1\nB,,20\n"
    assert table.format("csv", 1).splitlines()[1] == "A,26.6,1"
    assert table.format("tsv").splitlines()[1] == "A\t26.5958\t1"
    assert r"A      & 26.596 &  1 \\" in table.format("latex")
    assert '<td style="text-align: right">26.596</td>' in table.format("html")
    with pytest.raises(ValueError, match=r"form: expected one of text, .*; got 'xml'"):
        table.format("xml")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a_b 5% & #1 $x$ {y}", r"a\_b 5\% \& \#1 \$x\$ \{y\}"),
        ("~^\\", r"\textasciitilde{}\textasciicircum{}\textbackslash{}"),
        ("<a|b>", r"\ensuremath{<}a\textbar{}b\ensuremath{>}"),
        ("μ ± µ ≤ ≥ −", r"$\mu$ $\pm$ $\mu$ $\leq$ $\geq$ $-$"),
        ("-1.5 (-2 ± 1) x-1", r"$-$1.5 ($-$2 $\pm$ 1) x-1"),
        ("---''", "-{}-{}-'{}'"),
        ('``"', r"{`}{`}\symbol{34}"),
        ("[base] *", "{[}base] *"),
        ("* x", "{*} x"),
        ("a\nb\r\nc\td", "a b c\td"),
        ("a\x1b[0m", r"a\textbackslash{}x1b[0m"),
        ("Müller “Łódź” – …€", "Müller “Łódź” – …€"),
    ],
)
def test_latex_is_escaped(text: str, written: str) -> None:
    assert Table({text: [text]}).format("latex").splitlines() == [
        r"\begin{tabular}{l}",
        r"\toprule",
        rf"{written} \\",
        r"\midrule",
        rf"{written} \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_letters_that_pdflatex_lacks_are_named() -> None:
    table = Table({"x": ["统一", "Ωmega", "Müller"], "系": [1, 2, 3]}).format("latex")
    assert table.splitlines()[0] == "% for XeLaTeX or LuaLaTeX: pdfLaTeX lacks Ω一系统"
    assert table.splitlines()[1] == r"\begin{tabular}{lr}" and "统一" in table


def test_significant_values_have_stars_in_latex() -> None:
    systems = {"A": ["a b c d"] * 9, "B\nC": ["a b c d"] * 8 + ["a b x d"], "D": ["x y z"] * 9}
    for baseline, other in (("A", "D"), ("D", "A")):
        found = compare(systems, [["a b c d"] * 9], BLEU(), baseline=baseline, correction="none")
        starred = {row[2] for row in found.tests.rows() if row[7] <= 0.05}
        lines = found.scores.format("latex").splitlines()
        assert lines[-1] == f"% *: p <= 0.05, compared with {baseline}"
        marked = {line.split(" & ")[0].strip() for line in lines if r"\rlap{*}" in line}
        assert other in starred and marked == {name.replace("\n", " ") for name in starred}
        lines = found.tests.format("latex").splitlines()
        assert sum(r"\rlap{*} & " in line for line in lines) == len(starred)
        assert lines[-1] == "% *: p <= 0.05"
    pairs = compare(systems, [["a b c d"] * 9], BLEU())
    assert "rlap" not in pairs.scores.format("latex")
    assert pairs.tests.format("latex").endswith("\n% *: p <= 0.05, corrected (holm)")
    assert "rlap" in paired_bootstrap(systems, [["a b c d"] * 9], BLEU()).table().format("latex")
    for form in ("text", "markdown", "csv", "html"):
        assert "*:" not in pairs.tests.format(form) and "rlap" not in pairs.tests.format(form)


def test_the_best_are_bold() -> None:
    columns = {"system": ["A", "B", "C"], "BLEU": [1.0, 2.0, 2.0], "TER": [3.0, None, 1.0]}
    table = Table(columns, best={"BLEU": "max", "TER": "min"})
    assert [line.count("**") // 2 for line in table.format("markdown").splitlines()] == [
        0,
        0,
        0,
        1,
        2,
    ]
    assert table.format("latex").count(r"\textbf{2.00}") == 2
    assert table.format("latex").count(r"\textbf{1.00}") == 1
    assert table.format("html").count("<strong>2.00</strong>") == 2
    assert table.format("text") == Table(columns).format("text")
    assert "**" not in Table({"x": [1.0, None]}, best={"x": "max"}).format("markdown")
    long = Table({"x": range(MOST_ROWS + 5)}, best={"x": "max"})
    assert "<strong>" not in long._repr_html_()


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1))
def test_csv_gives_texts_back(texts: list[str]) -> None:
    written = Table({"x": texts, "n": range(len(texts))}).format("csv")
    read = list(csv.reader(io.StringIO(written, newline="")))
    cells = [row[0] for row in read[1:]]
    without = [
        cell[1:] if cell[:1] == "'" and cell.lstrip("'")[:1] in FORMULAS else cell for cell in cells
    ]
    assert without == texts


def test_text_of_users_is_no_html() -> None:
    table = Table({"<b>": ["<script>alert(1)</script>"]})
    assert "<script" not in table._repr_html_()
    assert "&lt;script&gt;" in table._repr_html_()
    assert "<b>" not in table._repr_html_()


def test_long_tables_are_cut_where_they_are_shown() -> None:
    table = Table({"x": range(MOST_ROWS + 2)})
    assert repr(table).splitlines()[-2:] == [f"{MOST_ROWS - 1:>2}", "... 2 more rows"]
    assert table._repr_html_().count("<tr>") == MOST_ROWS + 1
    assert len(table.format().splitlines()) == MOST_ROWS + 3
    assert "more" not in repr(Table({"x": range(MOST_ROWS)}))


def test_lines_of_text_have_one_row_each() -> None:
    assert repr(Table({"x": ["a\nb\r\nc", "d"]})) == "x\na b c\nd"


def test_tables_without_rows_or_columns() -> None:
    assert repr(Table({"x": [], "y": []})) == "x  y"
    assert repr(Table({})) == ""
    assert list(Table({"x": []}).rows()) == []


# Other libraries


def test_pandas() -> None:
    pytest.importorskip("pandas")
    frame = Table(COLUMNS).to_pandas()
    assert list(frame.columns) == list(COLUMNS)
    assert frame["n"].tolist() == COLUMNS["n"]
    assert frame["BLEU"].isna().tolist() == [False, True, False, False]


def test_polars() -> None:
    pytest.importorskip("polars")
    frame = Table(COLUMNS).to_polars()
    assert frame.to_dict(as_series=False) == COLUMNS


def test_pyarrow() -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table(Table(COLUMNS))
    table.validate(full=True)
    assert table.to_pydict() == COLUMNS
    assert [str(kind) for kind in table.schema.types] == ["large_string", "double", "int64"]
    assert table.column("BLEU").null_count == 1


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 1000])
def test_nulls_of_any_number_of_rows(n: int) -> None:
    pa = pytest.importorskip("pyarrow")
    columns = {
        "text": [None if i % 3 == 0 else "ü" * (i % 5) for i in range(n)] or [],
        "number": [None if i % 2 else i / 7 for i in range(n)],
    }
    table = pa.table(Table(columns))
    table.validate(full=True)
    assert table.to_pydict() == columns


def test_a_stream_is_read_once() -> None:
    pa = pytest.importorskip("pyarrow")
    reader = pa.RecordBatchReader.from_stream(Table(COLUMNS))
    assert sum(batch.num_rows for batch in reader) == 4
    assert list(reader) == []


def test_columns_outlive_their_table() -> None:
    pa = pytest.importorskip("pyarrow")
    column = pa.table(Table({"x": np.arange(10_000.0), "y": ["text"] * 10_000})).column("x")
    gc.collect()
    assert column.to_pylist() == list(range(10_000))


def test_streams_that_are_not_read() -> None:
    need("pyarrow")
    table = Table(COLUMNS)
    for _ in range(3):
        table.__arrow_c_stream__()
    gc.collect()
    assert table.to_dict() == COLUMNS


LEAKS = (
    PEAK
    + """
import pyarrow as pa
from rapidbleu.table import Table

table = Table({"x": range(100_000), "y": ["some text"] * 100_000})

def peak_of_some():
    for _ in range(4):
        column = pa.table(table).column("y")
        reader = pa.RecordBatchReader.from_stream(table)
        table.__arrow_c_stream__()
    return peak()

first = peak_of_some()
for _ in range(4):
    last = peak_of_some()
print(last - first)
"""
)


@linux_only
@unsanitized
def test_exported_tables_are_given_back() -> None:
    pytest.importorskip("pyarrow")
    assert float(run(LEAKS)) < 4


def test_halves_of_surrogate_pairs() -> None:
    pa = pytest.importorskip("pyarrow")
    table = Table({"x": ["a\ud800b"], "\udfff": [1]})
    assert pa.table(table).to_pydict() == {"x": ["a?b"], "?": [1]}


def test_unknown_names_are_answered_with_those_there_are() -> None:
    rows = BLEU().segment_stats(["a b", "c"], [["a b", "d"]])
    tested = paired_bootstrap({"A": rows, "B": rows}, None, BLEU(), n_resamples=9)
    found = compare({"A": ["a b"], "B": ["a c"]}, [["a b"]], n_resamples=9)
    for look, expected in (
        (lambda: Table({"x": [1], "y": [2]})["z"], "x, y; got 'z'"),
        (lambda: BLEU().stats_table(["a"], [["a"]])["z"], "id, hyp_len, .*; got 'z'"),
        (lambda: tested["z"], "BLEU; got 'z'"),
        (lambda: tested["BLEU"]["z"], "A, B; got 'z'"),
        (lambda: tested.p_value("BLEU", "A", "z"), "A, B; got 'z'"),
        (lambda: tested.p_value("z", "A", "B"), "BLEU; got 'z'"),
        (lambda: found.buckets["z"], "length, length_difference, bleu_score, .*; got 'z'"),
        (lambda: found.segment_scores["z"], "BLEU, chrF2; got 'z'"),
        (lambda: found.segment_scores["BLEU"]["z"], "A, B; got 'z'"),
    ):
        with pytest.raises(KeyError, match=f"^.expected one of {expected}.$"):
            look()
