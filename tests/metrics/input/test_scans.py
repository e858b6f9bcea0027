"""Tables of hypotheses and references, read batch by batch."""

import io
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

import rapidbleu
from rapidbleu import BLEU, NIST
from rapidbleu._core.input.arrow import BatchReader, import_column
from rapidbleu._core.input.lines import LineReader, read_objects
from rapidbleu.streams.tables import count_rows
from support.arrow.files import WRITERS, ipc, json_lines, parquet, tsv
from support.corpora import random_corpus
from support.peers import makes_views
from support.processes import PEAK, linux_only, run, unsanitized

N = 50
HYPS, STREAMS = random_corpus(Random("scans"), N, kind="mixed", n_refs=2)
HYPS, STREAMS = (
    [text.replace("\t", " ").replace("\n", " ").rstrip() for text in HYPS],
    [[text.replace("\t", " ").replace("\n", " ").rstrip() for text in own] for own in STREAMS],
)
LISTS = [list(several) for several in zip(*STREAMS, strict=True)]
COLUMNS: dict[str, list[Any]] = {
    "id": list(range(N)),
    "hyp": HYPS,
    "a": STREAMS[0],
    "b": STREAMS[1],
    "refs": LISTS,
}
STATS = BLEU().segment_stats(HYPS, STREAMS).tolist()


def scan(*args: Any, **options: Any) -> Any:
    table = rapidbleu.scan(*args, **options)
    table.most = 7
    return table


def same(source: Callable[[], Any], lists: bool = True) -> None:
    for refs in (["a", "b"], "refs") if lists else (["a", "b"],):
        for threads in (1, 2):
            found = BLEU().segment_stats(scan(source(), refs=refs), threads=threads)
            assert found.tolist() == STATS
    expected = BLEU().corpus_score(HYPS, STREAMS[:1])
    assert BLEU().corpus_score(scan(source(), refs="a")) == expected
    nist = NIST()
    assert nist.corpus_score(scan(source(), refs=["a", "b"])) == nist.corpus_score(HYPS, STREAMS)
    if lists:
        assert nist.corpus_score(scan(source(), refs="refs")) == nist.corpus_score(HYPS, STREAMS)


@pytest.mark.parametrize("name", WRITERS)
def test_files(name: str, tmp_path: Path) -> None:
    path = WRITERS[name](tmp_path / name, COLUMNS)
    same(lambda: path, lists=name not in ("t.tsv", "t.csv"))
    same(lambda: str(path), lists=name not in ("t.tsv", "t.csv"))
    own = scan(path, refs=["a", "b"])
    assert BLEU().corpus_score(own) == BLEU().corpus_score(own)
    twice = BLEU().segment_stats(scan([path, str(path)], refs=["a", "b"]))
    assert twice.tolist() == STATS + STATS


def test_no_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for name in ("t.parquet", "t.arrow"):
        with pytest.raises(ImportError, match=r'pip install "rapidbleu\[parquet\]"'):
            BLEU().corpus_score(scan(tmp_path / name))


def test_pyarrow() -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table(COLUMNS)
    kinds = [pa.large_string(), pa.dictionary(pa.int32(), pa.string())]
    for kind in [*kinds, pa.string_view()] if makes_views(pa) else kinds:
        own = {name: table[name].cast(kind) for name in ("hyp", "a", "b")}
        cast = pa.table({"refs": table["refs"], **own})
        same(lambda cast=cast: cast)  # type: ignore[misc]
    fixed = pa.array(LISTS, pa.list_(pa.string(), 2))
    same(lambda: pa.table(COLUMNS | {"refs": fixed}))
    same(lambda: pa.RecordBatchReader.from_batches(table.schema, table.to_batches(8)))
    same(lambda: table.to_batches()[0])
    same(lambda: iter(table.to_batches(6)))
    same(lambda: (table.slice(i, 6) for i in range(0, N, 6)))
    padded = pa.concat_tables([table, table, table])
    same(lambda: padded.combine_chunks().slice(N, N))


def test_frames() -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(COLUMNS)
    same(lambda: frame)
    same(lambda: frame.lazy())
    same(lambda: frame.lazy().filter(pl.col("id") >= 0))
    same(lambda: frame.iter_slices(9))
    pd = pytest.importorskip("pandas")
    same(lambda: pd.DataFrame(COLUMNS))


def test_duckdb() -> None:
    duckdb, pa = pytest.importorskip("duckdb"), pytest.importorskip("pyarrow")
    table = pa.table(COLUMNS)
    same(lambda: duckdb.from_arrow(table).order("id"))


def test_data_sets_of_hugging_face() -> None:
    datasets = pytest.importorskip("datasets")
    data = datasets.Dataset.from_dict(COLUMNS)
    before = data.format
    same(lambda: data)
    assert data.format == before
    same(lambda: data.to_iterable_dataset())
    same(lambda: data.to_iterable_dataset().map(lambda row: {"a": row["a"]}))
    same(lambda: data.with_format("numpy", columns=["hyp"]))
    reverse = list(range(N))[::-1]
    same(lambda: data.select(reverse).select(reverse))
    scores = BLEU().segment_stats(scan(data.select(reverse), refs=["a", "b"])).tolist()
    assert scores == STATS[::-1]
    copied = data.with_transform(lambda batch: batch | {"a": batch["hyp"]})
    assert BLEU().corpus_score(scan(copied, refs="a")) == BLEU().corpus_score(HYPS, [HYPS])
    refused(data, ValueError, "^table: expected one column 'c'; got 'id', 'hyp'", refs="c")
    holes = COLUMNS | {"hyp": [None if i == 33 else text for i, text in enumerate(HYPS)]}
    bad = datasets.Dataset.from_dict(holes)
    for own in bad, bad.to_iterable_dataset():
        refused(own, TypeError, "^table, row 33, column 'hyp': expected str; got null$", refs="a")


def test_data_sets_of_pyarrow(tmp_path: Path) -> None:
    dataset = pytest.importorskip("pyarrow.dataset")
    paths = [str(parquet(tmp_path / f"{i}.parquet", COLUMNS)) for i in range(3)]
    same(lambda: dataset.dataset(paths[0]))
    found = BLEU().segment_stats(scan(dataset.dataset(paths), refs="refs")).tolist()
    assert found == STATS * 3
    message = "^table: expected one column 'c'; got 'id', 'hyp'"
    refused(dataset.dataset(paths), ValueError, message, refs="c")


def test_plain_batches() -> None:
    def mappings() -> Iterator[dict[str, Any]]:
        for i in range(0, N, 8):
            yield {name: column[i : i + 8] for name, column in COLUMNS.items()}

    same(mappings)
    for i in (1, N):
        same(
            lambda step=i: [
                {k: c[j : j + step] for k, c in COLUMNS.items()}  # type: ignore[misc]
                for j in range(0, N, step)
            ]
        )
    tuples = [(HYPS[:30], STREAMS[0][:30]), (HYPS[30:], STREAMS[0][30:])]
    expected = BLEU().corpus_score(HYPS, STREAMS[:1])
    assert BLEU().corpus_score(scan(tuples)) == expected
    pairs = [(HYPS[:30], LISTS[:30]), (HYPS[30:], LISTS[30:])]
    assert BLEU().segment_stats(scan(iter(pairs))).tolist() == STATS


def test_empty_batches_and_missing_references() -> None:
    batches: list[Any] = [
        {"hyp": [], "ref": []},
        {"hyp": ["a b", "c"], "ref": [["a", "a b"], ["c"]]},
        {"hyp": [], "ref": []},
        {"hyp": ["d e"], "ref": [["d", None]]},
    ]
    found = BLEU(force=True).segment_stats(scan(batches))
    expected = BLEU(force=True).segment_stats(
        ["a b", "c", "d e"], [["a", "a b"], ["c"], ["d"]], layout="segment"
    )
    assert found.tolist() == expected.tolist()
    streams = [{"hyp": ["a", "b"], "x": ["a", "c"], "y": [None, "b"]}]
    bleu = BLEU(force=True)
    found = bleu.segment_stats(scan(streams, refs=["x", "y"]))
    assert found.tolist() == bleu.segment_stats(["a", "b"], [["a", "c"], [None, "b"]]).tolist()
    with pytest.raises(ValueError, match="expected at least one segment; got none"):
        BLEU().corpus_score(scan(batches[:1]))


@pytest.mark.parametrize("name", ["t.tsv", "t.jsonl"])
def test_batches_of_long_lines_are_small(name: str, tmp_path: Path) -> None:
    path = WRITERS[name](tmp_path / name, {"hyp": ["a" * 2_000_000] * 5, "ref": ["b"] * 5})
    assert [len(rows) for rows in scan(path).rows()] == [3, 2]


def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path: Path) -> None:
    path = tsv(tmp_path / "t.tsv", {"hyp": HYPS, "ref": STREAMS[0]})
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert BLEU().corpus_score(scan(path)) == BLEU().corpus_score(HYPS, STREAMS[:1])


def refused(source: Any, error: Any, message: str, **options: Any) -> None:
    with pytest.raises(error, match=message):
        BLEU().corpus_score(scan(source, **options))


def test_a_null_hypothesis_is_named(tmp_path: Path) -> None:
    holes = COLUMNS | {"hyp": [None if i == 33 else text for i, text in enumerate(HYPS)]}
    refused(
        parquet(tmp_path / "t.parquet", holes),
        TypeError,
        refs="a",
        message=r"t\.parquet, row group 1, row 13, column 'hyp': expected str; got null$",
    )
    refused(
        json_lines(tmp_path / "t.jsonl", holes),
        TypeError,
        refs="a",
        message=r"t\.jsonl, line 34, column 'hyp': expected str; got NoneType$",
    )
    refused(
        ipc(tmp_path / "t.arrow", holes),
        TypeError,
        refs="a",
        message=r"t\.arrow, row 33, column 'hyp': expected str; got null$",
    )
    pa = pytest.importorskip("pyarrow")
    for table in (pa.table(holes), pa.table(holes).to_batches(9)):
        message = r"^table, row 33, column 'hyp': expected str; got null$"
        refused(table, TypeError, message, refs="a")


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("t.parquet", r"t\.parquet, row group 1, row 13"),
        ("t.arrow", r"t\.arrow, row 33"),
        ("t.ipc", r"t\.ipc, row 33"),
        ("t.jsonl", r"t\.jsonl, line 34"),
    ],
)
def test_wrong_references_are_named(name: str, place: str, tmp_path: Path) -> None:
    def changed(column: str, wrong: Any) -> Path:
        items = [*COLUMNS[column][:33], wrong, *COLUMNS[column][34:]]
        return WRITERS[name](tmp_path / name, COLUMNS | {column: items})

    for wrong in None, [], [None, None]:
        message = rf"{place}, column 'refs' has no reference$"
        if wrong is None and "json" in name:
            message = rf"{place}, column 'refs': expected a sequence of references; got NoneType$"
        path = changed("refs", wrong)
        refused(path, (TypeError, ValueError), message, refs="refs")
    path = changed("a", None)
    refused(path, ValueError, f"{place} has no reference$", refs="a")
    refused([path, path], ValueError, f"{place} has no reference$", refs=["a", "a"])
    if "json" in name:
        text = rf"{place}, column 'a': expected str; got int$"
        refused(changed("a", 3), TypeError, text, refs=["a", "b"])
        text = rf"{place}, column 'refs'\[1\]: expected str; got int$"
        refused(changed("refs", [None, 3]), TypeError, text, refs="refs")


def test_text_that_is_not_utf8_is_named() -> None:
    pa = pytest.importorskip("pyarrow")
    texts = pa.array([b"a"] * 33 + [b"\xff", b"a"], pa.binary())
    wrong = pa.Array.from_buffers(pa.string(), len(texts), texts.buffers())
    lists = pa.ListArray.from_arrays(pa.array(range(len(texts) + 1), pa.int32()), wrong)
    good = pa.array(["a"] * len(texts))
    for hyp, ref, place in (
        (wrong, good, "'hyp'"),
        (good, wrong, "'ref'"),
        (good, lists, r"'ref'\[0\]"),
    ):
        batches = pa.table({"hyp": hyp, "ref": ref}).to_batches(9)
        message = rf"^table, row 33, column {place}: expected text in UTF-8; got 0xff as byte 0$"
        refused(batches, ValueError, message)
        with pytest.raises(ValueError, match=message):
            NIST().corpus_score(scan(batches))


def test_a_column_that_is_no_text_is_named(tmp_path: Path) -> None:
    path = parquet(tmp_path / "t.parquet", COLUMNS)
    number = r"row group 0, column 'id': expected an Arrow .*; got format 'l' \(int64\)$"
    refused(path, TypeError, number, hyp="id", refs="a")
    refused(path, TypeError, number, refs="id")
    lists = "row group 0, column 'refs': expected an Arrow column of strings; got one of lists$"
    refused(path, TypeError, lists, hyp="refs", refs="a")
    refused(path, TypeError, lists, refs=["a", "refs"])
    refused([{"hyp": [1], "ref": ["a"]}], TypeError, r"row 0, column 'hyp': expected str; got int")


def test_missing_columns(tmp_path: Path) -> None:
    for name, writer in WRITERS.items():
        message = rf"{name}.*: expected one column 'nowhere'"
        refused(writer(tmp_path / name, COLUMNS), ValueError, message, refs="nowhere")
    refused([{"hyp": ["a"]}], ValueError, "^batch 0: expected one column 'ref'; got 'hyp'$")
    pa = pytest.importorskip("pyarrow")
    double = pa.table([["a"], ["b"], ["c"]], names=["hyp", "ref", "ref"])
    refused(double, ValueError, "^table: expected one column 'ref'; got 2 of them$")


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.ipc", "t.jsonl.gz"])
@pytest.mark.parametrize("threads", [1, 2])
def test_truncated_files(name: str, threads: int, tmp_path: Path) -> None:
    path = WRITERS[name](tmp_path / name, COLUMNS)
    data = path.read_bytes()
    for part in (0.02, 0.5, 0.95):
        path.write_bytes(data[: int(len(data) * part)])
        with pytest.raises(ValueError, match=name):
            BLEU().corpus_score(scan(path, refs="a"), threads=threads)


def test_arrow_streams_without_an_end(tmp_path: Path) -> None:
    """pyarrow mistakes a stream cut between two batches for a shorter one."""
    pa, polars = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    batches, path = pa.table(COLUMNS).to_batches(9), tmp_path / "t.arrow"
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, batches[0].schema) as writer:
        cuts = []
        for batch in batches:
            cuts.append(file.tell())
            writer.write_batch(batch)
    data = path.read_bytes()
    empty = pa.table({"hyp": ["a"], "ref": ["a"]})
    polars.from_arrow(empty).write_ipc_stream(tmp_path / "polars.arrow")
    legacy = pa.ipc.IpcWriteOptions(use_legacy_format=True)
    with pa.ipc.new_stream(tmp_path / "old.arrow", empty.schema, options=legacy) as writer:
        writer.write_table(empty)
    for name in "polars.arrow", "old.arrow":
        assert BLEU(force=True).corpus_score(scan(tmp_path / name)).sys_len == 1
    for cut in (*cuts, len(data) - 1, 7, 0):
        path.write_bytes(data[:cut])
        message = r"^\S*t\.arrow: expected an Arrow file, or an Arrow stream up to the mark"
        for threads in 1, 2:
            with pytest.raises(ValueError, match=message):
                BLEU().corpus_score(scan(path, refs="a"), threads=threads)
        with pytest.raises(ValueError, match=message):
            count_rows(path)


def test_arrow_streams_behind_each_other(tmp_path: Path) -> None:
    """pyarrow reads the first one."""
    path = ipc(tmp_path / "t.ipc", COLUMNS)
    path.write_bytes(path.read_bytes() * 2)
    refused(path, ValueError, r"t\.ipc: expected one Arrow stream; got more data", refs="a")


def test_damaged_pages(tmp_path: Path) -> None:
    """pyarrow raises OSError without a number."""
    path = parquet(tmp_path / "t.parquet", COLUMNS)
    data = bytearray(path.read_bytes())
    data[40:100] = b"\xff" * 60
    path.write_bytes(data)
    refused(path, ValueError, r"^\S*t\.parquet: .", hyp="id", refs="a")
    refused(path, ValueError, r"^\S*t\.parquet: .", id_column="id", refs="a")


@pytest.mark.parametrize("name", ["t.tsv.gz", "t.jsonl.xz"])
def test_files_that_are_not_compressed_as_they_say(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text("hyp\tref\na\tb\n")
    refused(path, ValueError, rf"{name}: expected a file compressed as {path.suffix}; got another")


def test_lines_of_json(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    lines = [
        b'\xef\xbb\xbf{"hyp": "a", "ref": "a"}',
        b' {"hyp": "b", "ref": "\\ud800"}\t\r',
        b'{"hyp": "\xed\xa0\x80", "ref": "c", "x": [{}]}',
        b'{"ref":"\\u00e4","hyp":"\xc3\xa4"}',
    ]
    path.write_bytes(b"\n".join(lines))
    [rows] = scan(path).rows()
    assert rows.columns == {"hyp": ["a", "b", "\ud800", "ä"], "ref": ["a", "\ud800", "c", "ä"]}
    for wrong in (b'{"hyp": "a", "ref": "b"} x', b'{"hyp": "a", "ref": "b"}{}', b"", b"\xff"):
        path.write_bytes(b"\n".join([*lines, wrong, lines[-1]]))
        refused(path, ValueError, r"t\.jsonl, line 5: no JSON: ")


VALUES = [
    *("a", "", " ", "ä€", "\U0001f600", "\\", '"', "\x7f", "/", "\n\t\r\b\f", "\0", "x" * 70),
    *("\ud800", "\udc00\ud800", 0, -1, 10**5, 10**310, 1.5, -1e-7, 1e300, True, False, None),
    *([], ["a"], {}, {"hyp": "b"}),
]
PIECES = [
    *('"', "\\", "{", "}", ",", ":", " ", "\t", "\r", "\x01", "\0", "\xa0", "0", "01", "-", "+"),
    *(".", "e", "E5", ".5", "u", "\\u12", "\\ud83d", "\\ude00", "\\u00E4", "\\/", "\\x", "NaN"),
    *(
        "nul",
        "true",
        "[1]",
        "\x1f",
        '"x":01,',
        '"x":1.,',
        '"x":1e,',
        '"x":-,',
        '"hyp":"c",',
        '"x":-0.5e+3,',
        '"ref":"b"',
        '"r\\u0065f":"d"',
        "\ufeff",
    ),
]


def objects(lines: list[bytes], size: int = 1 << 16) -> tuple[list[Any], list[bytes]]:
    """Return the values of `hyp` and `ref` in each line, and the lines left to json."""
    left: list[bytes] = []

    def parse(line: bytes) -> list[Any]:
        left.append(line)
        entries = json.loads(line)
        return [entries["hyp"], entries["ref"]]

    reader = LineReader(io.BytesIO(b"\n".join(lines)), "file", size)
    columns = read_objects(reader, [b"hyp", b"ref"], parse)
    found = [x if isinstance(x, list) else x.to_list() for x in columns]
    return [*zip(*found, strict=True)], left


def test_objects_are_those_of_json() -> None:
    rng, simple = Random("objects"), 0
    for trial in range(6000):
        keys = rng.sample(["hyp", "ref", "x", "hyp2", ""], k=5)
        values = dict(zip(keys, rng.choices(VALUES, [30] * 12 + [1] * 16, k=5), strict=True))
        form = {"separators": (",", ":")} if trial % 2 else {"indent": None}
        text = json.dumps(values, ensure_ascii=trial % 3 > 0, **form)  # type: ignore[arg-type]
        for _ in range(rng.choice([0, 0, 1, 2])):
            at = rng.randrange(len(text) + 1)
            text = text[:at] + rng.choice(PIECES) + text[at + rng.randrange(3) :]
        line = text.encode("utf-8", "surrogatepass")
        try:
            expected = json.loads(line)
            row = expected["hyp"], expected["ref"]
        except (ValueError, KeyError, TypeError) as error:
            with pytest.raises(type(error)):
                objects([line])
        else:
            found, left = objects([line])
            assert found == [row], line
            simple += not left
    assert simple > 2500


@pytest.mark.parametrize("size", [1, 100, 1 << 16])
def test_which_objects_are_left_to_json(size: int) -> None:
    simple = [
        b'{"hyp": "a \\u00e4\\ud83d\\ude00", "ref": "b\\n"}',
        b' {"n":-1.5E+7 ,"ref":"","hyp":"\xc3\xa4"}\r',
        b'{"hyp":"' + b"a" * 100 + b'","ok":true,"ref":"b","no":null, "not": false}',
    ]
    rows = [("a ä\U0001f600", "b\n"), ("ä", ""), ("a" * 100, "b")]
    assert objects(simple, size) == (rows, [])
    for line, row in (
        (b'{"hyp":"a","x":{},"ref":"b"}', ("a", "b")),
        (b'{"hyp":"a","ref":["b"]}', ("a", ["b"])),
        (b'{"hyp":"a","hyp":"c","ref":"b"}', ("c", "b")),
        (b'{"hyp":"\\udc00","ref":""}', ("\udc00", "")),
    ):
        found = objects([*simple, line, *simple], size)
        assert found == ([*rows, row, *rows], [line, *simple])


def test_kept_texts_of_json_have_one_type(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    columns: dict[str, list[Any]] = {"hyp": ["a"] * 9, "ref": ["b"] * 9, "x": ["c"] * 8 + [None]}
    own = scan(json_lines(tmp_path / "t.jsonl", columns), keep="x")
    assert [str(rows.array("x").type) for rows in own.rows()] == ["string", "string"]


def test_damaged_lines(tmp_path: Path) -> None:
    path = json_lines(tmp_path / "t.jsonl", COLUMNS)
    data = path.read_bytes().split(b"\n")
    for wrong, message in ((b"{", "no JSON: "), (b"[1]", "expected an object; got list")):
        path.write_bytes(b"\n".join([*data[:20], wrong, *data[20:]]))
        refused(path, ValueError, rf"t\.jsonl, line 21: {message}", refs="a")
    path.write_bytes(b"\n".join([*data[:20], b'{"hyp":' + b"[" * 100_000, *data[20:]]))
    refused(path, ValueError, r"t\.jsonl, line 21: expected JSON of few levels$", refs="a")
    path = tsv(tmp_path / "t.tsv", COLUMNS)
    path.write_bytes(path.read_bytes() + b"a\tb\n")
    refused(path, ValueError, r"t\.tsv, line 52: expected 4 fields .* got 2$", refs="a")


def test_what_is_no_table(tmp_path: Path) -> None:
    refused(5, TypeError, "^source: expected paths, an Arrow table or an iterable .*; got int$")
    refused({"hyp": ["a"], "ref": ["a"]}, TypeError, "^source: .* got dict$")
    refused([["a"]], TypeError, "^batch 0: expected an Arrow table, a mapping .* got list$")
    refused([("a",)], TypeError, "^batch 0: .* a tuple of 2 columns; got 1 items$")
    refused(
        [{"hyp": ["a", "b"], "ref": ["a"]}],
        ValueError,
        "^batch 0: numbers of rows differ: 'hyp' has 2, 'ref' has 1$",
    )
    refused([{"hyp": "ab", "ref": "ab"}], TypeError, r"^batch 0\['hyp'\]: expected a sequence")
    refused(tmp_path / "t.xls", ValueError, r"t\.xls: expected a file that ends in one of ")
    for name in WRITERS:
        if name.startswith(("t.parquet", "t.arrow")):
            pytest.importorskip("pyarrow")
        refused(tmp_path / f"none{name[1:]}", FileNotFoundError, "none")
    pa = pytest.importorskip("pyarrow")
    refused(pa.array(["a"]), TypeError, "^table: expected an Arrow table; got one column of format")


def test_arguments() -> None:
    for options, error in (
        ({"hyp": 3}, TypeError),
        ({"refs": 3}, TypeError),
        ({"refs": []}, ValueError),
        ({"refs": ["a", 3]}, TypeError),
    ):
        with pytest.raises(error, match=r"^(hyp|refs)"):
            scan([], **options)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^references: expected None beside a scan"):
        BLEU().corpus_score(scan([]), [["a"]])
    with pytest.raises(TypeError, match=r"^references: expected None beside a scan"):
        NIST().corpus_score(scan([]), [["a"]])
    assert repr(scan([], "mt", ["x", "y"])) == "<Scan of 'mt' against 'x', 'y'>"


def test_columns_of_any_type_pass_through() -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table(
        {
            "n": [1, None, 3, 4],
            "text": ["a", "b", None, "d"],
            "lists": [["x"], [], None, ["y", "z"]],
            "coded": pa.array(list("abba")).dictionary_encode(),
            "struct": [{"u": i} for i in range(4)],
            "coded lists": pa.array([["x"], ["y", "x"], [], None]).cast(
                pa.list_(pa.dictionary(pa.int8(), pa.string()))
            ),
            "nothing": pa.nulls(4),
            "bits": [True, None, False, True],
        }
    )
    for source in (table, table.slice(1, 2), table.slice(4), *table.to_batches(3)):
        found = []
        reader = BatchReader(source, "table")
        assert list(reader.names) == table.column_names
        for batch in reader:
            columns = [batch.column(i) for i in range(len(reader.names))]
            assert {len(column) for column in columns} == {len(batch)}
            found.append(pa.record_batch([pa.array(c) for c in columns], names=reader.names))
            found[-1].validate(full=True)
            with pytest.raises(IndexError):
                batch.column(len(columns))
        rows = [row for part in found for row in part.to_pylist()]
        assert rows == source.to_pylist()


def test_columns_outlive_their_table() -> None:
    pa = pytest.importorskip("pyarrow")
    before = pa.total_allocated_bytes()
    reader = BatchReader(pa.table({"text": ["a" * 1000] * 1000}), "table")
    column = next(reader).column(0)
    del reader
    strings = import_column(column, "text")
    again = pa.array(column)
    del column
    assert strings[999] == again[0].as_py() == "a" * 1000
    assert pa.total_allocated_bytes() > before
    del strings, again
    assert pa.total_allocated_bytes() == before


def test_rows_that_are_null_are_refused() -> None:
    pa = pytest.importorskip("pyarrow")
    rows = pa.array([{"hyp": "a", "ref": "a"}, None, {"hyp": "b", "ref": "b"}])
    refused(rows, TypeError, "^table: expected rows; got one that is null as a whole$")
    assert [len(batch) for batch in BatchReader(rows.slice(2), "table")] == [1]


def test_streams_that_fail_or_were_read() -> None:
    pa = pytest.importorskip("pyarrow")
    schema = pa.schema({"hyp": pa.string(), "ref": pa.string()})

    def batches() -> Iterator[Any]:
        yield pa.record_batch([["a"], ["a"]], schema)
        raise ValueError("the line went dead")

    refused(
        pa.RecordBatchReader.from_batches(schema, batches()),
        ValueError,
        "^table: the Arrow stream failed: .*the line went dead",
    )
    reader = pa.RecordBatchReader.from_batches(schema, [])
    capsule = reader.__arrow_c_stream__()

    class Once:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            return capsule

    assert list(BatchReader(Once(), "table")) == []
    refused(Once(), ValueError, "^table: the Arrow stream has been consumed already$")


BOUNDED = (
    PEAK
    + """
import numpy
from rapidbleu import BLEU, scan
if {path!r}.endswith("parquet"):
    import pyarrow.parquet
bleu = BLEU()
before = peak()
score = bleu.corpus_score(scan([{path!r}] * {n}), threads=2)
print(peak() - before, score.sys_len)
"""
)


@linux_only
@unsanitized
@pytest.mark.slow
@pytest.mark.parametrize(("name", "n"), [("t.parquet", 80), ("t.tsv", 60), ("t.jsonl", 15)])
def test_memory_is_that_of_a_batch(name: str, n: int, tmp_path: Path) -> None:
    """Four million segments from a repeatedly read Parquet file: in memory, 1 GB."""
    rng, words = Random(0), [f"w{i}" for i in range(20_000)]
    texts = [" ".join(rng.choices(words, k=21)) for _ in range(50_000)]
    columns = {"hyp": texts, "ref": texts[::-1]}
    if name == "t.parquet":
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        pq.write_table(pa.table(columns), tmp_path / name)
    else:
        WRITERS[name](tmp_path / name, columns)
    program = BOUNDED.format(path=str(tmp_path / name), n=n)
    megabytes, size = map(float, run(program, timeout=300).split())
    assert size == 21 * 50_000 * n
    assert megabytes < 50


def damaged(stream: bool, columns: dict[str, Any], old: bytes, new: bytes) -> bytes:
    """Replace bytes that occur once in an Arrow file or stream."""
    pa = pytest.importorskip("pyarrow")
    table, sink = pa.table(columns), pa.BufferOutputStream()
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(sink, table.schema) as writer:
        writer.write_table(table)
    data = sink.getvalue().to_pybytes()
    assert data.count(old) == 1 and len(old) == len(new)
    return bytes(data.replace(old, new))


def numbers(*values: int) -> bytes:
    return b"".join(value.to_bytes(4, "little", signed=True) for value in values)


GOOD = ["aa bb", "cc dd ee", "ff"]
LONG = ["the cat sat on a mat", "and then it rained", "for forty days more"]
BAD_OFFSETS = [
    (0, 5, 13, 60),
    (0, 5, 13, 2**30),
    (0, 2**30, 13, 15),
    (0, -5, 13, 15),
    (-1, 5, 13, 15),
    (0, 5, 13, -1),
    (0, 14, 13, 15),
]
DAMAGES: dict[str, tuple[str, bytes, bytes]] = {
    **{
        f"offsets {offsets}": ("string", numbers(0, 5, 13, 15), numbers(*offsets))
        for offsets in BAD_OFFSETS
    },
    **{
        f"index {index}": ("dictionary", numbers(2, 0, 1), numbers(2, index, 1))
        for index in (-(2**31), -1, 3, 2**31 - 1)
    },
    "offsets of a dictionary": ("dictionary", numbers(0, 5, 13, 15), numbers(0, 14, 13, 15)),
    "length of a view": ("view", numbers(18) + b"and ", numbers(2**30) + b"and "),
    "longer view": ("view", numbers(18) + b"and ", numbers(40) + b"and "),
    "buffer of a view": ("view", b"and " + numbers(0, 20), b"and " + numbers(5, 20)),
    "offset of a view": ("view", b"and " + numbers(0, 20), b"and " + numbers(0, 2**30)),
    "small offset of a view": ("view", b"and " + numbers(0, 20), b"and " + numbers(0, 21)),
    "negative offset of a view": ("view", b"and " + numbers(0, 20), b"and " + numbers(0, -20)),
}


@pytest.mark.parametrize("column", ["hyp", "ref", "seg", "lang"])
@pytest.mark.parametrize("name", DAMAGES)
def test_damaged_texts(name: str, column: str, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    kind, old, new = DAMAGES[name]
    texts: Any = pa.array(GOOD)
    if kind == "dictionary":
        texts = pa.DictionaryArray.from_arrays(pa.array([2, 0, 1], pa.int32()), texts)
    elif kind == "view":
        texts = pa.array(LONG, pa.string_view())
    columns = {own: ["x", "y", "z"] for own in ("hyp", "ref", "seg", "lang")} | {column: texts}
    for stream in (False, True):
        data = damaged(stream, columns, old, new)
        path = tmp_path / ("t.arrow" if stream else "t.feather")
        path.write_bytes(data)
        opened = (pa.ipc.open_stream if stream else pa.ipc.open_file)(data)
        table = opened.read_all()
        with pytest.raises((pa.ArrowInvalid, pa.ArrowIndexError)):
            table.validate(full=True)
        sources = [path, table, iter(table.to_batches()), table.to_batches()[0], table.to_reader()]
        if stream:
            sources.append(pa.ipc.open_stream(data))
        for source in sources:
            place = rf"\S*{path.name}" if source is path else "table"
            with pytest.raises(ValueError, match=rf"^{place}\S* .*malformed Arrow data: "):
                BLEU(force=True).stats_table(scan(source, id_column="seg", keep="lang"))
        with pytest.raises(ValueError, match=r"^table.* malformed Arrow data: "):
            list(BLEU(force=True).map_stats(table.to_batches(), id_column="seg", keep="lang"))
        if column in ("hyp", "ref"):
            with pytest.raises(ValueError, match=r"malformed Arrow data: "):
                BLEU(force=True).corpus_score(table["hyp"], [table["ref"]])
        elif column == "seg":
            with pytest.raises(ValueError, match=r"malformed Arrow data: "):
                BLEU(force=True).stats_table(["x"] * 3, [["x"] * 3], ids=table["seg"])


def test_any_damage_is_refused_as_by_full_validation(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    kinds = [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())]
    found = {True: 0, False: 0}
    for seed in range(300):
        rng = Random(f"damage {seed}")
        columns = {name: pa.array(rng.choices(HYPS, k=5)).cast(rng.choice(kinds)) for name in "hrk"}
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, pa.table(columns).schema) as writer:
            writer.write_table(pa.table(columns))
        data = bytearray(sink.getvalue().to_pybytes())
        at = rng.randrange(8, len(data) - 8)
        data[at : at + 4] = numbers(rng.choice((-1, -(2**31), 2**30, 60, 5, 0)))
        path = tmp_path / f"{seed}.arrow"
        path.write_bytes(data)
        try:
            with pa.ipc.open_file(path) as file:
                for batch in map(file.get_batch, range(file.num_record_batches)):
                    for name in "hrk":
                        batch.column(name).validate(full=True)
        except Exception:
            with pytest.raises((TypeError, ValueError), match=rf"{seed}\.arrow"):
                BLEU(force=True).stats_table(scan(path, "h", "r", keep="k"))
            found[False] += 1
        else:
            with suppress(TypeError):  # a null hypothesis
                BLEU(force=True).stats_table(scan(path, "h", "r", keep="k"))
            found[True] += 1
    assert min(found.values()) > 30
