"""Tables of scores: text files, Parquet, dicts of columns, Arrow data of several libraries."""

import gzip
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rapidbleu.meta import Judgments, SystemScores, read_judgments, read_table
from support.peers import need

nan = np.nan
COLUMNS: dict[str, list[Any]] = {
    "system": ["A", "A", "B", "B"],
    "segment": [1, 2, 1, 3],
    "judge": ["r1", "r2", "r1", "r1"],
    "score": [80.5, 70.0, None, -3.25],
    "text": ["x", None, "y", "z"],
}
SCORES = SystemScores([[80.5, 70, nan], [nan, nan, -3.25]], ["A", "B"], ["1", "2", "3"])
JUDGED = Judgments(["A", "A", "B"], [1, 2, 3], ["r1", "r2", "r1"], [80.5, 70, -3.25])


class Exported:
    """What has nothing but the Arrow C stream interface, like a relation of DuckDB."""

    def __init__(self, table: Any) -> None:
        self.table = table
        self.columns = "not to be read"

    def __arrow_c_stream__(self, requested_schema: Any = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


def pyarrow_table() -> Any:
    return need("pyarrow").table(COLUMNS)


def polars_table() -> Any:
    return need("polars").DataFrame(COLUMNS)


def pandas_table() -> Any:
    return need("pandas").DataFrame(COLUMNS)


def reader() -> Any:
    return pyarrow_table().to_reader()


def exported() -> Any:
    return Exported(pyarrow_table())


TABLES = [lambda: COLUMNS, pyarrow_table, polars_table, pandas_table, reader, exported]


@pytest.mark.parametrize("make", TABLES)
def test_tables_in_memory(make: Any) -> None:
    assert read_table(make()) == SCORES
    assert read_judgments(make()) == JUDGED
    message = r"source: expected (one|a) column 'human', (got|there are) 'system', 'seg"
    with pytest.raises(ValueError, match=message):
        read_table(make(), score="human")


@pytest.mark.parametrize("missing", ["pyarrow", "pyarrow and polars"])
def test_without_pyarrow(missing: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    table, path = polars_table(), tmp_path / "scores.parquet"
    table.write_parquet(path)
    sources = [table, Exported(table), path]
    for name in missing.split(" and "):
        monkeypatch.setitem(sys.modules, name, None)
    for source in sources:
        if missing == "pyarrow":
            assert read_table(source) == SCORES
            with pytest.raises(ValueError, match=r"expected (one|a) column 'human'"):
                read_table(source, score="human")
        else:
            with pytest.raises(ImportError, match="needs pyarrow: pip install pyarrow, or polars"):
                read_table(source)


def test_parquet(tmp_path: Path) -> None:
    need("pyarrow")
    path = tmp_path / "scores.parquet"
    parquet = need("pyarrow.parquet")
    parquet.write_table(pyarrow_table(), path)
    assert read_table(path) == SCORES
    assert read_judgments(str(path)) == JUDGED
    with pytest.raises(ValueError, match=r"scores.parquet: expected one column 'human', got 'syst"):
        read_table(path, score="human")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        read_table(tmp_path / "nowhere.parquet")


@pytest.mark.parametrize(
    ("name", "between"), [("a.csv", ","), ("a.tsv", "\t"), ("a.txt", "\t"), ("a.csv.gz", ",")]
)
def test_text_files(tmp_path: Path, name: str, between: str) -> None:
    rows = [["text", "segment", "system", "score", "judge"]]
    rows += [['"two\nlines"', "1", "A", "80.5", "r1"], ["", "2", "A", "7e1", "r2"]]
    rows += [["x", "1", "B", "NA", "r1"], [f'"x{between}"', "3", '"B"', "-3.25", "r1"]]
    data = "\ufeff" + "\r\n".join(map(between.join, rows)) + "\r\n\r\n"
    path = tmp_path / name
    path.write_bytes(gzip.compress(data.encode()) if name.endswith(".gz") else data.encode())
    assert read_table(path) == SCORES
    assert read_judgments(path) == JUDGED
    with pytest.raises(ValueError, match="line 4: expected a name in column 'text', got none"):
        read_judgments(path, document="text")


def test_names_of_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("mt;s;r;da;d;k\nA;1;r1;80.5;d1;x\nA;2;r2;70;d1;y\nB;3;r1;-3.25;d2;x\n")
    scores = read_table(path, system="mt", segment="s", score="da", delimiter=";")
    assert scores == SCORES
    judged = read_judgments(
        path, system="mt", segment="s", judge="r", score="da", document="d", kind="k", delimiter=";"
    )
    assert judged.document is not None and judged.document.names == ("d1", "d2")
    assert judged.kind is not None and judged.kind.names == ("x", "y")
    assert judged.values.tolist() == [80.5, 70, -3.25]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a.csv: expected a header, got an empty file"),
        ("system,segment\n", "a.csv, line 1: expected one column 'score', got 'system', 'segment'"),
        ("system,segment,score\n", "a.csv: expected at least one score, got none"),
        ("system,segment,score,score\nA,1,2,3\n", "line 1: expected one column 'score', got 2 of"),
        ("system,segment,score\nA,1\n", "a.csv, line 2: expected 3 columns, got 2"),
        ("system,segment,score\n\nA,1,two\n", "line 3, column 'score': expected a number, got 'tw"),
        ("system,segment,score\nA,1,1e999\n", "line 2, column 'score': expected a number"),
        ("system,segment,score\nA,,2\n", "line 2: expected a name in column 'segment', got none"),
        ("system,segment,score\nA,1,2\nA,1,2\n", "line 3: expected one score of system 'A' for s"),
        ('system,segment,score\n"A"s,1,2\n', "a.csv, line 2: "),
    ],
)
def test_bad_text_files(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(ValueError, match=message):
        read_table(tmp_path / "a.csv")


@pytest.mark.parametrize(
    ("changes", "kind", "message"),
    [
        ({"system": ["A", None, "B", "B"]}, ValueError, "row 2: expected a name in column 'sys"),
        ({"segment": [1, 2.5, 1, 3]}, TypeError, "row 2: expected str or int in column 'segment'"),
        ({"score": [1, 2, True, 3]}, TypeError, "row 3, column 'score': expected a number, got"),
        ({"score": [1, 2, 3, "x"]}, ValueError, "row 4, column 'score': expected a number, got"),
        ({"score": [1, 2, 3, np.inf]}, ValueError, "row 4, column 'score': expected a number"),
        ({"score": [1]}, ValueError, "score: expected 4 cells, as 'system' has, got 1"),
        ({"score": "abcd"}, TypeError, "score: expected a sequence of cells, got a single str"),
        ({"segment": [1, 1, 1, 3]}, ValueError, "source, row 2: expected one score of system 'A'"),
    ],
)
def test_bad_cells(changes: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        read_table({**COLUMNS, **changes})


def test_no_table() -> None:
    with pytest.raises(TypeError, match="source: expected a path, a dict of columns or a table"):
        read_table([1, 2])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="source: expected at least one score, got none"):
        read_judgments({**COLUMNS, "score": [None] * 4})
