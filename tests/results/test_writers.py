"""Tables for other programs, whose readers restore the cells."""

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rapidbleu._lib.colors import columns as columns_of
from rapidbleu._lib.colors import harmless
from rapidbleu.table import delimited, guarded, markdown_table

CHARACTERS = st.characters(codec="utf-8", exclude_characters="\x00")
TEXTS = st.text(st.one_of(st.sampled_from("|\\,\t\n\r\"'*_`<&a "), CHARACTERS), max_size=8)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    n_columns, n_rows = draw(st.integers(1, 4)), draw(st.integers(0, 4))
    headers = draw(st.lists(TEXTS, min_size=n_columns, max_size=n_columns))
    columns = [draw(st.lists(TEXTS, min_size=n_rows, max_size=n_rows)) for _ in range(n_columns)]
    return headers, columns


def rows_of(headers: list[str], columns: list[list[str]]) -> list[list[str]]:
    return [headers, *map(list, zip(*columns, strict=True))]


@given(tables(), st.sampled_from(",\t"))
def test_csv_is_read_back(table: tuple[list[str], list[list[str]]], separator: str) -> None:
    for exact in (True, False):
        text = delimited(*table, separator, exact=exact)
        assert text.endswith("\n")
        found = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
        shown = (lambda cell: cell) if exact else guarded
        assert found == [[shown(cell) for cell in row] for row in rows_of(*table)]


def test_csv_quotes_no_more_than_it_must() -> None:
    columns = [["a b", "c,d", "e\tf", "g\rh", 'i"j', "k\nl", "", "'"], ["1"] * 8]
    expected = 'x,y\na b,1\n"c,d",1\ne\tf,1\n"g\rh",1\n"i""j",1\n"k\nl",1\n,1\n\',1\n'
    assert delimited(["x", "y"], columns, ",") == expected
    expected = expected.replace(",y", "\ty").replace(",1", "\t1")
    expected = expected.replace('"c,d"', "c,d").replace("e\tf", '"e\tf"')
    assert delimited(["x", "y"], columns, "\t") == expected


def test_csv_of_no_rows() -> None:
    assert delimited(["a", "b"], [[], []], ",") == "a,b\n"


def cells(line: str) -> list[str]:
    """Return the cells of a Markdown line, split like GitHub at bars without backslashes."""
    assert line.startswith("|") and line.endswith("|")
    found = re.findall(r"((?:\\.|[^\\|])*)\|", line[1:], re.DOTALL)
    assert sum(len(cell) + 1 for cell in found) == len(line) - 1
    return [re.sub(r"\\(.)", r"\1", cell, flags=re.DOTALL) for cell in found]


def on_one_line(cell: str) -> str:
    return harmless(re.sub(r"\r\n?", "\n", cell)).replace("\n", "<br>")


@given(tables(), st.data())
def test_markdown_is_read_back(
    table: tuple[list[str], list[list[str]]], data: st.DataObject
) -> None:
    headers, columns = table
    right = data.draw(st.lists(st.booleans(), min_size=len(headers), max_size=len(headers)))
    lines = re.split(r"\r\n?|\n", markdown_table(headers, columns, right))
    expected = rows_of(headers, columns)
    assert len(lines) == len(expected) + 1
    assert len({columns_of(line) for line in lines}) == 1
    found = [cells(line) for line in [lines[0], *lines[2:]]]
    assert [[cell.strip() for cell in row] for row in found] == [
        [on_one_line(cell).strip() for cell in row] for row in expected
    ]
    for cell, to_right in zip(cells(lines[1]), right, strict=True):
        assert re.fullmatch("-+:" if to_right else ":-+", cell)


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("a|b", r"a\|b"),
        ("a\\|b", r"a\\\|b"),
        ("*a* `b` <c> &amp; ~d~", r"\*a\* \`b\` \<c> \&amp; \~d\~"),
        ("[a](b)", r"[a\](b)"),
        ("26.6 [25.1, 27.9]", "26.6 [25.1, 27.9]"),
        ("out_en.de.txt", "out_en.de.txt"),
        ("_a_ __b", r"\_a\_ \_\_b"),
        ("a\nb\r\nc\rd", "a<br>b<br>c<br>d"),
    ],
)
def test_markdown_escapes_what_it_would_read(cell: str, shown: str) -> None:
    table = markdown_table(["x"], [[cell]], [False])
    assert table.splitlines()[2].strip("| ") == shown.strip("| ")
    assert f"| {shown} |" in table


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        markdown_table(["a", "b"], [["1"], []], [True, True])
    with pytest.raises(ValueError, match="zip"):
        delimited(["a", "b"], [["1"], []], ",")
