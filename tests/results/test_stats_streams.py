"""Rows of statistics of streamed input: tables, files and batches of them."""

import itertools
import os
import pickle
import sys
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import rapidbleu
from rapidbleu import BLEU, CHRF, NIST, StatsTable
from support.arrow.files import WRITERS, json_lines
from support.corpora import random_corpus
from support.family import METRICS
from support.peers import need
from support.processes import PEAK, linux_only, run, unsanitized

N = 50
HYPS, STREAMS = random_corpus(Random("rows of streams"), N, kind="ascii", n_refs=2)
IDS = [f"s{i}" for i in range(N)]
LANGS = [("de", "cs")[i % 2] for i in range(N)]
NUMBERS = [i * i for i in range(N)]
COLUMNS: dict[str, Any] = {
    "hyp": HYPS,
    "a": STREAMS[0],
    "b": STREAMS[1],
    "name": IDS,
    "lang": LANGS,
    "number": NUMBERS,
}
READ = {"refs": ["a", "b"], "id_column": "name", "keep": ["lang", "number"]}


def scan(*args: Any, **options: Any) -> Any:
    """Return a scan that reads a few rows at a time."""
    table = rapidbleu.scan(*args, **options)
    table.most = 7
    return table


SCAN: Callable[..., Any] = partial(scan, **READ)  # type: ignore[arg-type]


def contents(table: StatsTable) -> tuple[Any, ...]:
    columns = {name: np.asarray(table[name]).tolist() for name in table.names}
    return columns, table.signature, table.numbered, table.shard, table.first, table.inputs


def expected(metric: Any, kept: "dict[str, Any] | None" = None, **about: Any) -> StatsTable:
    keep = {"lang": LANGS, "number": NUMBERS} if kept is None else kept
    table: StatsTable = metric.stats_table(HYPS, STREAMS, ids=IDS, keep=keep, **about)
    return table


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", WRITERS)
def test_labels_of_files(name: str, threads: int, tmp_path: Path) -> None:
    path = WRITERS[name](tmp_path / name, COLUMNS)
    kept = (
        {"lang": LANGS, "number": list(map(str, NUMBERS))}
        if name.endswith((".tsv", ".csv"))
        else None
    )
    whole = contents(expected(BLEU(), kept))
    assert contents(BLEU().stats_table(SCAN(path), threads=threads)) == whole
    out = tmp_path / "stats.npz"
    assert BLEU().save_stats(out, SCAN(path), threads=threads) == N
    assert contents(StatsTable.load(out))[:3] == whole[:3]


@pytest.mark.parametrize("library", ["pyarrow.table", "polars.DataFrame", "pandas.DataFrame"])
def test_labels_of_frames(library: str) -> None:
    package, _, name = library.partition(".")
    frame = getattr(pytest.importorskip(package), name)(COLUMNS)
    pytest.importorskip("pyarrow")
    assert contents(BLEU().stats_table(SCAN(frame))) == contents(expected(BLEU()))
    if package == "polars":
        assert contents(BLEU().stats_table(SCAN(frame.lazy()))) == contents(expected(BLEU()))
    columns = {column: frame[column] for column in COLUMNS}
    assert contents(BLEU().stats_table(SCAN([columns]))) == contents(expected(BLEU()))


def test_frames_of_polars_need_no_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pytest.importorskip("polars").DataFrame({**COLUMNS, "n": [None, *NUMBERS[1:]]})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert contents(BLEU().stats_table(SCAN(frame))) == contents(expected(BLEU()))
    table = BLEU().stats_table(scan(frame, refs="a", keep="n"))
    assert table.to_polars()["n"].to_list() == frame["n"].to_list()
    assert type(frame)(table).to_dict(as_series=False) == table.table.to_dict()


@pytest.mark.parametrize("begin", [0, 3, 8, 21])
@pytest.mark.parametrize(
    "kind",
    [
        "int8",
        "uint8",
        "int16",
        "uint16",
        "int32",
        "uint32",
        "int64",
        "uint64",
        "float16",
        "float32",
        "float64",
        "null",
    ],
)
def test_numbers_of_arrow(kind: str, begin: int) -> None:
    """With and without nulls, of any width, from any offset, against pyarrow."""
    pa = pytest.importorskip("pyarrow")
    for gaps in (False, True):
        items = [None if kind == "null" or (gaps and i % 3 == 0) else i % 100 for i in range(N)]
        if "float" in kind:
            number = np.float16 if kind == "float16" else float  # as old versions expect
            items = [None if item is None else number(item / 4) for item in items]
        column = pa.array(items, getattr(pa, kind)())
        table = pa.table({"hyp": HYPS, "a": STREAMS[0], "n": column}).slice(begin, 17)
        kept = BLEU().stats_table(scan(table, refs="a", keep="n"))["n"]
        expected = table["n"].to_pylist()
        is_whole = "int" in kind and None not in expected
        assert kept.dtype == (np.int64 if is_whole else np.float64)
        assert [None if item != item else item for item in kept.tolist()] == expected


def test_other_types_are_not_kept() -> None:
    pa = pytest.importorskip("pyarrow")
    for column in ([date(2026, 11, 1)] * N, [True] * N, [[1]] * N, [b"a"] * N):
        table = pa.table({"hyp": HYPS, "a": STREAMS[0], "n": column})
        with pytest.raises(TypeError, match=r"^table, column 'n': expected an Arrow column of str"):
            BLEU().stats_table(scan(table, refs="a", keep="n"))


@pytest.mark.parametrize("name", METRICS)
def test_every_metric(name: str, tmp_path: Path) -> None:
    metric = METRICS[name]
    table = metric.stats_table(SCAN([COLUMNS]))
    assert contents(table) == contents(expected(metric))
    path = tmp_path / "stats.npz"
    assert metric.save_stats(path, SCAN([COLUMNS]), shard=(2, 3), first=7, inputs=["a"]) == N
    saved = StatsTable.load(path, metric=metric)
    assert contents(saved) == contents(expected(metric, shard=(2, 3), first=7, inputs=["a"]))


def test_what_is_no_scan(tmp_path: Path) -> None:
    """Ids are numbers that continue from batch to batch."""
    hyps, refs = tmp_path / "hyp.txt", tmp_path / "ref.txt"
    hyps.write_text("".join(f"{text}\n" for text in HYPS), encoding="utf-8")
    refs.write_text("".join(f"{text}\n" for text in STREAMS[0]), encoding="utf-8")
    chrf, out = CHRF(), tmp_path / "stats.npz"
    for inputs in (hyps, [refs]), (iter(HYPS), [iter(STREAMS[0])]), (HYPS, STREAMS[:1]):
        assert chrf.save_stats(out, *inputs, first=5, shard=(1, 2), threads=2) == N
        whole = chrf.stats_table(HYPS, STREAMS[:1], first=5, shard=(1, 2))
        assert contents(StatsTable.load(out)) == contents(whole)
    whole = chrf.stats_table(iter(HYPS), [iter(STREAMS[0])])
    assert contents(whole) == contents(chrf.stats_table(HYPS, STREAMS[:1]))


def test_numbers_of_references_that_vary(tmp_path: Path) -> None:
    batches = [{"hyp": ["a b"], "ref": [["a", "b"][:n]]} for n in (1, 2, 2, 1)]
    BLEU().save_stats(tmp_path / "stats.npz", scan(batches))
    assert StatsTable.load(tmp_path / "stats.npz").signature.startswith("nrefs:var|")
    assert BLEU().stats_table(scan(batches)).signature.startswith("nrefs:var|")


def test_labels_beside_labels() -> None:
    for about in {"ids": IDS}, {"keep": {"other": LANGS}}:
        with pytest.raises(TypeError, match="expected None beside a scan with labels of its own"):
            BLEU().stats_table(SCAN([COLUMNS]), **about)
    own = BLEU().stats_table(scan([COLUMNS], refs=["a", "b"]), ids=IDS, keep={"x": LANGS})
    assert own["id"] == IDS and own["x"] == LANGS


@pytest.mark.parametrize(
    ("about", "error", "message"),
    [
        ({"id_column": 1}, TypeError, "^id_column: expected the name of a column; got int$"),
        ({"keep": ["a", 1]}, TypeError, r"^keep\[1\]: expected the name of a column; got int$"),
        ({"keep": 1}, TypeError, "^keep: expected a sequence of names; got int$"),
        ({"keep": "id"}, ValueError, "^keep: expected other names than id and the statistics"),
        ({"keep": "hyp_len"}, ValueError, "^keep: expected other names than id and the stat"),
        ({"keep": ["a", "a"]}, ValueError, "^keep: expected each name once; got 'a' again$"),
        ({"keep": ["x"]}, ValueError, "column 'x'"),
        ({"id_column": "x"}, ValueError, "column 'x'"),
    ],
)
def test_names_that_are_wrong(about: Any, error: type[Exception], message: str) -> None:
    pytest.importorskip("pyarrow")
    for call in (
        lambda: BLEU().stats_table(scan([COLUMNS], refs="a", **about)),
        lambda: list(BLEU().map_stats([COLUMNS], refs="a", **about)),
    ):
        with pytest.raises(error, match=message):
            call()


def test_items_that_are_wrong(tmp_path: Path) -> None:
    """The message contains file and column, and nothing is written."""
    pytest.importorskip("pyarrow")
    out = tmp_path / "out.npz"
    for column, wrong, message in (
        ("lang", [1], "expected a number, a str or None; got list"),
        ("name", [1], "expected a number, a str or None; got list"),
        ("name", None, "expected a text or an integer; got None"),
        ("name", "s47", r"expected an id of its own; got 's47' again, as \S*t\.jsonl, line 48, "),
    ):
        other = {**COLUMNS, column: [*COLUMNS[column][:48], wrong, COLUMNS[column][49]]}
        path = json_lines(tmp_path / "t.jsonl", other)
        place = rf"t\.jsonl, line 49, column '{column}': {message}"
        for call in BLEU().stats_table, partial(BLEU().save_stats, out):
            with pytest.raises((TypeError, ValueError), match=place):
                call(SCAN(path))
    halves = {**COLUMNS, "lang": [*LANGS[:-1], "\ud800"]}
    path = json_lines(tmp_path / "t.jsonl", halves)
    with pytest.raises(ValueError, match=r"out\.parquet: lang\[49\]: expected text that UTF-8 can"):
        BLEU().save_stats(tmp_path / "out.parquet", SCAN(path))
    numbers = [*NUMBERS[:-1], None]
    with pytest.raises(TypeError, match=r"^table, row 49, column 'number': .* integer; got None$"):
        BLEU().save_stats(
            out, SCAN(batches_of(20, {**COLUMNS, "number": numbers}), id_column="number")
        )
    batches = [{**COLUMNS, "number": NUMBERS}, {**COLUMNS, "number": LANGS}]
    message = r"^from table, row 50 on: number: expected int64 as in the batches bef.*; got text; "
    with pytest.raises(ValueError, match=message):
        BLEU().save_stats(out, SCAN(batches))
    twice = iter([COLUMNS, COLUMNS])
    with pytest.raises(ValueError, match=r"^ids\[50\]: expected an id of its own; got 's0' again"):
        BLEU().stats_table(SCAN(twice))
    with pytest.raises(ValueError, match=r"^hypotheses: expected at least one segment; got none$"):
        BLEU().save_stats(out, SCAN([]))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.jsonl"]


BIG = 2**60 + 1
GAPS: dict[str, list[Any]] = {
    "none at the end": [*NUMBERS[:-1], None],
    "none at the beginning": [None, *NUMBERS[1:]],
    "none in the first batches": [None] * 20 + NUMBERS[20:],
    "none in a whole batch": [*NUMBERS[:14], *[None] * 14, *NUMBERS[28:]],
    "floats at the end": [*NUMBERS[:-2], 7.0, None],
    "large ones": [None, *[BIG] * (N - 1)],
}


@pytest.mark.parametrize("ending", ["npz", "parquet", "arrow"])
@pytest.mark.parametrize("name", GAPS)
def test_integers_with_gaps(name: str, ending: str, tmp_path: Path) -> None:
    """Gaps make them floats with nan; in Parquet and Arrow integers may remain."""
    if ending != "npz":
        need("pyarrow")
    path = tmp_path / "t.jsonl"
    columns = {**COLUMNS, "number": GAPS[name]}
    if name == "none in the first batches":  # which JSON takes for texts
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        path = path.with_suffix(".parquet")
        pq.write_table(pa.table(columns), path, row_group_size=7)
    else:
        json_lines(path, columns)
    out = tmp_path / f"stats.{ending}"
    table = BLEU().stats_table(SCAN(path))
    assert table.types["number"] == "float64"
    BLEU().save_stats(out, SCAN(path))
    loaded = StatsTable.load(out)
    assert loaded.types == table.types
    for own in table.names:
        np.testing.assert_array_equal(loaded[own], table[own])


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_integers_stay_integers(ending: str, tmp_path: Path) -> None:
    """A file is only written if libraries read back its values."""
    pl = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    out = tmp_path / f"stats.{ending}"
    kept = [*NUMBERS[:-1], None]
    BLEU().save_stats(out, SCAN(json_lines(tmp_path / "t.jsonl", {**COLUMNS, "number": kept})))
    frame = (pl.read_parquet if ending == "parquet" else pl.read_ipc)(out)
    assert frame["number"].dtype == pl.Int64 and frame["number"].to_list() == kept
    for wrong in [None, 1.5], [None, BIG], [0.5, 1], [None, float("inf")]:
        path = json_lines(tmp_path / "t.jsonl", {**COLUMNS, "number": [*NUMBERS[:-3], *wrong, 7]})
        message = r"^from .*t\.jsonl, line 43 on: number: expected integers up to 2\*\*53 or nul"
        with pytest.raises(ValueError, match=message):
            BLEU().save_stats(tmp_path / f"other.{ending}", SCAN(path))
    assert sorted(os.listdir(tmp_path)) == [f"stats.{ending}", f"stats.{ending}.json", "t.jsonl"]


@pytest.mark.parametrize("ids", [[*NUMBERS[:-1], None], [*IDS[:-1], None]])
@pytest.mark.parametrize("name", ["t.jsonl", "t.parquet", "t.arrow"])
def test_ids_that_are_missing(name: str, ids: list[Any], tmp_path: Path) -> None:
    path = WRITERS[name](tmp_path / name, {**COLUMNS, "name": ids})
    where = "line 50" if "json" in name else r".*row \d+"
    message = rf"{name}, {where}, column 'name': expected a text or an integer; got None$"
    for call in (
        lambda: BLEU().stats_table(SCAN(path)),
        lambda: BLEU().save_stats(tmp_path / "out.npz", SCAN(path)),
    ):
        with pytest.raises(TypeError, match=message):
            call()
    path = WRITERS[name](tmp_path / name, {**COLUMNS, "name": [i / 2 for i in range(N)]})
    with pytest.raises(TypeError, match=r"column 'name': expected texts or integers; got float64$"):
        BLEU().stats_table(SCAN(path))


def test_an_id_that_comes_twice_is_found_later(tmp_path: Path) -> None:
    BLEU().save_stats(tmp_path / "out.npz", SCAN([COLUMNS, COLUMNS]))
    with pytest.raises(ValueError, match=r"ids\[50\]: expected an id of its own"):
        StatsTable.load(tmp_path / "out.npz")


# Batches for engines


def batches_of(size: int, columns: dict[str, Any] = COLUMNS) -> Any:
    return iter(pytest.importorskip("pyarrow").table(columns).to_batches(max_chunksize=size))


@pytest.mark.parametrize("size", [1, 7, N])
@pytest.mark.parametrize("name", METRICS)
def test_map_stats(name: str, size: int) -> None:
    pa = pytest.importorskip("pyarrow")
    metric = METRICS[name]
    found = list(metric.map_stats(batches_of(size), **READ))
    assert [batch.num_rows for batch in found] == [
        min(size, N - begin) for begin in range(0, N, size)
    ]
    table = pa.Table.from_batches(found)
    whole = pa.table(expected(metric))
    assert table.column_names == whole.column_names
    assert table.to_pydict() == whole.to_pydict()
    for field in table.schema:
        text = field.name in ("id", "lang")
        assert str(field.type) == ("string" if text else "int64")


def test_columns_of_any_type_are_kept() -> None:
    pa = pytest.importorskip("pyarrow")
    days = [date(2026, 11, 1 + i % 9) if i % 3 else None for i in range(N)]
    lists = [[float(i)] * (i % 4) for i in range(N)]
    columns = {
        **COLUMNS,
        "day": days,
        "scores": lists,
        "lang": pa.array(LANGS).dictionary_encode(),
        "flag": [i % 2 == 0 for i in range(N)],
    }
    keep = ["day", "scores", "lang", "flag"]
    for source in batches_of(7, columns), pa.table(columns), pa.table(columns).slice(3, 20):
        begin, end = (3, 23) if getattr(source, "num_rows", N) == 20 else (0, N)
        found = pa.Table.from_batches(BLEU().map_stats(source, refs="a", keep=keep))
        assert found.schema.field("day").type == pa.date32()
        assert found.schema.field("scores").type == pa.list_(pa.float64())
        for name, values in ("day", days), ("scores", lists), ("lang", LANGS):
            assert found[name].to_pylist() == values[begin:end]


def test_nothing_in_nothing_out() -> None:
    pa = pytest.importorskip("pyarrow")
    assert list(BLEU().map_stats(iter([]))) == []
    empty = pa.table({"hyp": pa.array([], "string"), "ref": pa.array([], "string")})
    assert list(BLEU().map_stats(empty)) == []
    assert list(BLEU().map_stats(iter([empty, empty]))) == []
    one = pa.table({"hyp": ["a"], "ref": ["a"]})
    assert [batch.num_rows for batch in BLEU().map_stats(iter([empty, one, empty, one]))] == [1, 1]


def test_parts_in_any_order_and_again() -> None:
    """Rows of a batch depend only on that batch."""
    pytest.importorskip("pyarrow")
    run_once = partial(BLEU().map_stats, **READ)  # type: ignore[arg-type]
    again = pickle.loads(pickle.dumps(run_once))
    parts = list(batches_of(7))
    Random(1).shuffle(parts)
    found = [batch for part in parts for batch in again(iter([part]))]
    rows = sorted(
        itertools.chain.from_iterable(batch.to_pylist() for batch in found),
        key=lambda row: IDS.index(row["id"]),
    )
    assert rows == [dict(row) for batch in run_once(batches_of(N)) for row in batch.to_pylist()]


def test_map_stats_is_refused() -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(ValueError, match="expected rows that add up; got some of NIST"):
        NIST().map_stats(iter([]))
    informed = NIST(information=NIST().prepare(STREAMS))
    rows = [batch.num_rows for batch in informed.map_stats(batches_of(7), refs=["a", "b"])]
    assert sum(rows) == N
    for column, message in ("hyp", ", column 'hyp': expected str; got null"), ("a", " has no ref"):
        holes = {**COLUMNS, column: [*COLUMNS[column][:-1], None]}
        found = BLEU().map_stats(batches_of(20, holes), refs="a")
        next(found), next(found)
        with pytest.raises((TypeError, ValueError), match=rf"^table, row 49{message}"):
            next(found)
    mixed = [{**COLUMNS, "lang": [*LANGS[:-1], 3]}]
    with pytest.raises((TypeError, ValueError), match=r"^table, row 0, column 'lang', or later: "):
        list(BLEU().map_stats(mixed, refs="a", keep="lang"))
    with pytest.raises(TypeError, match=r"^threads: "):
        BLEU().map_stats(iter([]), threads="2")  # type: ignore[arg-type]


BOUNDED = (
    PEAK
    + """
import numpy, pyarrow.parquet
from rapidbleu import BLEU, scan
before = peak()
BLEU(force=True).save_stats({out!r}, scan({path!r}, id_column="id"), threads=2)
print(peak() - before)
"""
)


@linux_only
@unsanitized
@pytest.mark.slow
@pytest.mark.parametrize("out", ["stats.parquet", "stats.arrow", "stats.npz"])
def test_memory_is_that_of_a_batch(out: str, tmp_path: Path) -> None:
    """The texts take 150 MB, the rows 110 MB."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    texts = [f"the cat sat on the mat and looked at {i} dogs that ran" for i in range(50_000)]
    path = str(tmp_path / "t.parquet")
    with pq.ParquetWriter(path, pa.schema({"hyp": "string", "ref": "string", "id": "int64"})) as w:
        for k in range(25):
            ids = range(50_000 * k, 50_000 * (k + 1))
            w.write_table(pa.table({"hyp": texts, "ref": texts[::-1], "id": ids}))
    assert float(run(BOUNDED.format(path=path, out=str(tmp_path / out)))) < 120


@pytest.mark.parametrize("numbers", [[3, 5, 3], [3, None, 5], [1.5, 2.0, None]])
def test_dictionaries_of_numbers_are_kept_as_numbers(numbers: list[float | None]) -> None:
    pa = pytest.importorskip("pyarrow")
    texts = pa.array(["a b", "c d", "e"])
    column = pa.array(numbers)
    tables = [
        pa.table({"hyp": texts, "ref": texts, "k": array})
        for array in (column, column.dictionary_encode())
    ]
    kept = [BLEU().stats_table(rapidbleu.scan(table, keep=["k"]))["k"] for table in tables]
    plain, encoded = kept
    assert encoded.dtype == plain.dtype
    assert np.array_equal(encoded, plain, equal_nan=True)
