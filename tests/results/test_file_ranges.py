"""Ranges of files against slices of their contents, and numbers of segments."""

import gzip
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rapidbleu
from rapidbleu import BLEU, NIST
from rapidbleu._core.input.lines import LineReader
from rapidbleu.streams import tables
from rapidbleu.streams.batches import NO_LIMIT, FileRange, open_source, ranges_of
from rapidbleu.streams.tables import count_lines, count_rows
from support.arrow.files import WRITERS, json_lines, parquet, tsv

N = 50
HYPS = [f"the cat {i} sat on {i % 7} mats" for i in range(N)]
REFS = [f"a cat {i} sat on {i % 5} mats" for i in range(N)]
COLUMNS: dict[str, list[Any]] = {"hyp": HYPS, "n": list(range(N)), "ref": REFS}
RANGES = [(0, N), (0, 1), (0, 20), (19, 21), (20, 40), (23, 37), (N - 1, N), (13, NO_LIMIT)]


def scan(*args: Any, **options: Any) -> Any:
    """Return a scan that reads a few rows at a time."""
    table = rapidbleu.scan(*args, **options)
    table.most = 7
    return table


TABLES = {name: write for name, write in WRITERS.items() if name not in ("t.ndjson", "t.feather")}
WITH_PLACES = {
    "t.parquet": "row group 2, row 3, column 'hyp'",
    "t.arrow": "row 43, column 'hyp'",
    "t.ipc": "row 43, column 'hyp'",
    "t.tsv": "line 45: expected text in UTF-8",
    "t.jsonl": "line 44, column 'hyp'",
    "t.jsonl.gz": "line 44, column 'hyp'",
}
STATS = BLEU().segment_stats(HYPS, [REFS]).tolist()


@pytest.mark.parametrize("name", TABLES)
def test_ranges_of_tables(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    TABLES[name](path, COLUMNS)
    assert count_rows(path) == count_rows(str(path)) == N
    for begin, end in RANGES:
        found = BLEU().segment_stats(scan([FileRange(path, begin, end)]))
        assert found.tolist() == STATS[begin:end], (begin, end)
    with pytest.raises(ValueError, match="expected at least one segment; got none"):
        BLEU().segment_stats(scan([FileRange(path, 7, 7)]))


@pytest.mark.parametrize("name", [name for name in TABLES if name not in ("t.tsv", "t.csv")])
def test_places_are_those_of_the_file(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    TABLES[name](path, COLUMNS | {"hyp": [*HYPS[:43], None, *HYPS[44:]]})
    with pytest.raises((TypeError, ValueError), match=WITH_PLACES[name]) as whole:
        BLEU().segment_stats(scan(path))
    with pytest.raises((TypeError, ValueError), match=WITH_PLACES[name]) as part:
        BLEU().segment_stats(scan([FileRange(path, 41, 48)]))
    assert str(part.value) == str(whole.value)


def test_places_of_fields(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    tsv(path, COLUMNS)
    data = path.read_bytes().replace(b"cat 43", b"\xff 43")
    path.write_bytes(data)
    assert BLEU().segment_stats(scan([FileRange(path, 5, 43)])).tolist() == STATS[5:43]
    with pytest.raises(ValueError, match=WITH_PLACES["t.tsv"]):
        BLEU().segment_stats(scan([FileRange(path, 41, 48)]))


def test_row_groups_outside_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    parquet(tmp_path / "t.parquet", COLUMNS)
    asked, read = [], pq.ParquetFile.iter_batches

    def iter_batches(self: Any, *args: Any, row_groups: list[int], **options: Any) -> Any:
        asked.append(row_groups)
        return read(self, *args, row_groups=row_groups, **options)

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", iter_batches)
    found = BLEU().segment_stats(scan([FileRange(tmp_path / "t.parquet", 20, 40)]))
    assert (found.tolist(), asked) == (STATS[20:40], [[1]])


def test_ranges_of_lines(tmp_path: Path) -> None:
    hyp, ref = tmp_path / "hyp", tmp_path / "ref.gz"
    hyp.write_text("\n".join(HYPS), encoding="utf-8")
    ref.write_bytes(gzip.compress("".join(f"{line} \n" for line in REFS).encode()))
    assert count_lines(hyp) == count_lines(ref) == N
    for begin, end in RANGES:
        own, other = FileRange(hyp, begin, end), FileRange(ref, begin, end)
        assert BLEU().segment_stats(own, [other]).tolist() == STATS[begin:end]
        assert BLEU().segment_stats(own, [REFS[begin:end]]).tolist() == STATS[begin:end]
        expected = NIST().segment_stats(HYPS[begin:end], [REFS[begin:end]])
        assert NIST().segment_stats(own, [other]).tolist() == expected.tolist()
    with pytest.raises(ValueError, match=rf"{hyp.name} has 3, \S+{ref.name} has 4$"):
        BLEU().corpus_score(FileRange(hyp, 5, 8), [FileRange(ref, 5, 9)])
    with pytest.raises(ValueError, match=f"{hyp.name}: expected at least one segment; got none"):
        BLEU().corpus_score(FileRange(hyp, N, N + 3), [FileRange(ref, N, N + 3)])
    hyp.write_bytes(b"a\nb\n\xff\n")
    with pytest.raises(ValueError, match="hyp, line 3: expected text in UTF-8"):
        BLEU().corpus_score(FileRange(hyp, 1, 3), [FileRange(ref, 1, 3)])


def test_a_file_that_is_cut_off_is_not_counted(tmp_path: Path) -> None:
    path = json_lines(tmp_path / "t.jsonl.gz", COLUMNS)
    path.write_bytes(path.read_bytes()[:-9])
    for count in (count_lines, count_rows):
        with pytest.raises(ValueError, match=r"t\.jsonl\.gz: .*ended before"):
            count(path)
    with pytest.raises(ValueError, match=r"t\.xls: expected a file that ends in"):
        count_rows("t.xls")
    (tmp_path / "t.tsv").write_bytes(b"")
    assert count_rows(tmp_path / "t.tsv") == 0
    for name in ("t.parquet", "t.arrow"):
        TABLES[name](tmp_path / name, COLUMNS)
        (tmp_path / name).write_bytes((tmp_path / name).read_bytes()[:-9])
        with pytest.raises(ValueError, match=f"^{tmp_path / name}: "):
            count_rows(tmp_path / name)


def test_what_comes_behind_is_not_read() -> None:
    pa = pytest.importorskip("pyarrow")

    def batches() -> Any:
        for i in range(4):
            yield pa.record_batch({"n": range(5 * i, 5 * i + 5)})
        raise AssertionError("too far")

    found = [(first, batch["n"].to_pylist()) for first, batch in tables._cut(batches(), 8, 20)]
    assert found == [(8, [8, 9]), (10, [*range(10, 15)]), (15, [*range(15, 20)])]


def test_lines_have_the_numbers_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "hyp").write_text("a\nb\nc\n", encoding="utf-8")
    lines = open_source(FileRange(tmp_path / "hyp", 1, 3), "hypotheses")
    assert lines.take(9, NO_LIMIT).to_list() == ["b", "c"]
    assert lines.place(1) == f"{tmp_path / 'hyp'}, line 3"
    lines.close()


@given(st.lists(st.integers(0, 5), max_size=6), st.integers(0, 32), st.integers(0, 32))
def test_ranges_over_files(lengths: list[int], begin: int, end: int) -> None:
    rows = [(str(k), i) for k, n in enumerate(lengths) for i in range(n)]
    found = ranges_of([str(k) for k in range(len(lengths))], lengths, begin, end)
    assert all(own.begin < own.end for own in found)
    assert [(own.path, i) for own in found for i in range(own.begin, own.end)] == rows[begin:end]


@given(
    st.lists(st.binary(max_size=5).map(lambda line: line.replace(b"\n", b""))),
    st.integers(0, 12),
    st.integers(1, 9),
    st.booleans(),
)
def test_lines_are_passed_over(lines: list[bytes], most: int, size: int, ends: bool) -> None:
    data = b"".join(line + b"\n" for line in lines)
    if not ends and lines and lines[-1]:
        data = data[:-1]
    reader = LineReader(io.BytesIO(data), "file", size)
    skipped = reader.skip_lines(most)
    assert skipped == reader.line == min(most, len(lines))
    assert [reader.read_line() for _ in lines[skipped:]] == lines[skipped:]
    assert reader.read_line() is None and reader.skip_lines() == 0
