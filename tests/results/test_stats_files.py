"""Tables of rows in files: round trips, and refusal of files that do not match."""

import gc
import json
import os
import random
import re
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CHRF, METEOR, NIST, TER, WER, SegmentScores, StatsTable, WeightedBLEU
from rapidbleu.rows.files import format_manifest, stats_writer
from support.command_line import ENVIRONMENT
from support.corpora import random_corpus
from support.family import METRICS
from support.processes import posix_only

HYPS, REFS = random_corpus(Random("files of tables"), 40, kind="mixed", n_refs=2)
KEPT: dict[str, Any] = {
    "lang": [("de", "ü\0|x", None, "")[i % 4] for i in range(40)],
    "year": range(40),
    "human": [None if i % 4 == 0 else i / 7 for i in range(40)],
    "none": [None] * 40,
}
ENDINGS = ("npz", "parquet", "arrow", "ipc", "feather")


def table_of(metric: Any, **options: Any) -> StatsTable:
    table: StatsTable = metric.stats_table(HYPS, REFS, **options)
    return table


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def assert_same(one: StatsTable, other: StatsTable) -> None:
    assert one.rows.tobytes() == other.rows.tobytes()
    assert one.types == other.types and one.table == other.table
    for name in ("signature", "numbered", "shard", "first", "inputs", "merged"):
        assert getattr(one, name) == getattr(other, name)
    assert one.score() == other.score()
    assert one.rows.flags.c_contiguous


# Round trips


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_comes_back(tmp_path: Path, name: str) -> None:
    metric, path = METRICS[name], tmp_path / "stats.npz"
    table = table_of(metric, keep=KEPT, shard=(3, 3), first=80, inputs=["hyp", "ref.\udc80"])
    table.save(path)
    assert files(tmp_path).keys() == {"stats.npz", "stats.npz.json"}
    assert_same(StatsTable.load(path, metric=metric), table)
    if json.loads(path.with_name("stats.npz.json").read_text("utf-8"))["metric"]["given"]:
        with pytest.raises(ValueError, match=r"stats\.npz\.json: expected metric=, a \w+ with the"):
            StatsTable.load(path)
        assert name in ("NIST", "CIDEr-D", "METEOR", "METEOR of 2005")
    elif name.startswith("counts of"):
        with pytest.raises(ValueError, match="a ROUGECounts, which is no metric of"):
            StatsTable.load(path)
    else:
        again = StatsTable.load(path)
        assert_same(again, table)
        assert repr(again.metric) == repr(metric)
        hyps, refs = HYPS[::-1], [own[::-1] for own in REFS]
        assert again.metric.corpus_score(hyps, refs) == metric.corpus_score(hyps, refs)


@pytest.mark.parametrize("ending", ENDINGS[1:])
def test_formats(tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    table = table_of(CHRF(word_order=2), keep=KEPT, ids=[f"s{i}ü" for i in range(40)])
    path = tmp_path / f"stats.{ending}"
    table.save(path)
    assert_same(StatsTable.load(path), table)
    before = files(tmp_path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for call in (table.save, StatsTable.load):
        with pytest.raises(ImportError, match=r"need pyarrow: pip install 'rapidbleu\[parquet\]'"):
            call(path)
    assert files(tmp_path) == before


@pytest.mark.parametrize("ending", ENDINGS[1:])
def test_other_programs_read_the_files(tmp_path: Path, ending: str) -> None:
    polars, pandas = pytest.importorskip("polars"), pytest.importorskip("pandas")
    table = table_of(BLEU(), keep=KEPT)
    table.save(path := tmp_path / f"stats.{ending}")
    read = polars.read_parquet if ending == "parquet" else polars.read_ipc
    frame = read(path)
    assert frame.to_dict(as_series=False) == table.table.to_dict()
    assert BLEU().score(frame.select(polars.col(table.statistics).sum()).row(0)) == table.score()
    if ending == "parquet":
        assert pandas.read_parquet(path)["total_1"].sum() == table.sum()[6]


def test_numpy_reads_the_files(tmp_path: Path) -> None:
    table = table_of(BLEU(), keep=KEPT)
    table.save(tmp_path / "stats.npz")
    with np.load(tmp_path / "stats.npz") as arrays:
        assert arrays["0/rows"].tolist() == table.rows.tolist()
        for name in ("id", "year"):
            assert arrays[f"0/{name}/column"].tolist() == table[name].tolist()
        texts = bytes(arrays["0/lang/column"]).split(b"\xff")
        assert texts[:2] == [b"de", "ü\0|x".encode()]


@pytest.mark.parametrize("keep", [{}, {"x": []}])
@pytest.mark.parametrize("ending", ENDINGS[:3])
def test_files_without_rows(tmp_path: Path, ending: str, keep: Any) -> None:
    if ending != "npz":
        pytest.importorskip("pyarrow")
    table = table_of(TER())
    empty = StatsTable(TER(), table.rows[:0], table.signature, keep=keep)
    empty.save(tmp_path / f"stats.{ending}")
    again = StatsTable.load(tmp_path / f"stats.{ending}")
    assert len(again) == 0 and again.types == empty.types and again.sum().tolist() == [0] * 4
    assert len(StatsTable.merge([again, empty])) == 0


def test_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table = table_of(BLEU())
    for path in ("a.NPZ", Path("b.npz"), b"c.npz"):
        table.save(path)  # type: ignore[arg-type]
        assert_same(StatsTable.load(path), table)  # type: ignore[arg-type]
    assert files(tmp_path).keys() == {
        f"{n}{e}" for n in ("a.NPZ", "b.npz", "c.npz") for e in ("", ".json")
    }
    for path in ("stats", "stats.csv", "npz", ".npz", "stats.npz.json"):
        for call in (table.save, StatsTable.load):
            with pytest.raises(ValueError, match=r"expected a name with the ending \.npz, \."):
                call(path)
    for wrong in (None, 5, 1.5):
        for call in (table.save, StatsTable.load):
            with pytest.raises(TypeError, match=r"os\.PathLike"):
                call(wrong)  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError) as caught:
        StatsTable.load("nowhere.npz")
    assert caught.value.filename == "nowhere.npz"


def test_halves_of_surrogate_pairs(tmp_path: Path) -> None:
    ids = [f"s{i}" for i in range(39)] + ["\ud800"]
    table = table_of(BLEU(), ids=ids)
    table.save(tmp_path / "stats.npz")
    assert StatsTable.load(tmp_path / "stats.npz")["id"] == ids
    before = files(tmp_path)
    pytest.importorskip("pyarrow")
    with pytest.raises(ValueError, match=r"stats\.parquet: id\[39\]: expected text that UTF-8 can"):
        table.save(tmp_path / "stats.parquet")
    assert files(tmp_path) == before


def test_names_that_could_clash_in_archives(tmp_path: Path) -> None:
    names = ("lang/ends", "lang", "rows", "0/rows", "columns", "x.npy", "x")
    table = table_of(BLEU(), keep={name: [name] * 40 for name in names})
    table.save(tmp_path / "stats.npz")
    assert_same(StatsTable.load(tmp_path / "stats.npz"), table)


# Metrics


def test_options_are_written_down(tmp_path: Path) -> None:
    metrics = [
        BLEU(smooth_method="floor", smooth_value=0.01, weights=(0.5, 0.3, 0.1, 0.1)),
        BLEU(trg_lang="zh", lowercase=True),
        CHRF(beta=1, word_order=2, references=REFS),
        WeightedBLEU({"the": 0.25, "ü\ud800": 3.0}, default=1.0),
        METEOR(modules=["exact"], function_words=["the", "a"]),
    ]
    for metric in metrics:
        path = tmp_path / "stats.npz"
        table_of(metric).save(path)
        again = StatsTable.load(path).metric
        assert again._changed_options() == metric._changed_options()
        assert StatsTable.load(path, metric=metric).metric is metric


class Mine(BLEU):
    """A metric without a name for files."""


def test_metrics_that_must_be_given(tmp_path: Path) -> None:
    path = tmp_path / "stats.npz"
    cases: list[tuple[Any, Any, str]] = [
        (BLEU(tokenize=str.split), BLEU(tokenize=str.split), "a BLEU with the same tokenize"),
        (BLEU(tokenize=lambda text: text.split()), None, "a BLEU with the same tokenize"),
        (NIST(information=REFS), NIST(information=REFS), "a NIST with the same information"),
        (WeightedBLEU({1: 2.0}), WeightedBLEU({1: 2.0}), "a WeightedBLEU with the same weights"),
        (Mine(), BLEU(), r"a [\w.]*test_stats_files\.Mine, which is no metric of rapidbleu.met"),
        (METEOR(stem=str.upper), METEOR(stem=str.upper), "a METEOR with the same stem"),
    ]
    for metric, same, message in cases:
        table = metric.stats_table([[1]], [[[1]]]) if "weights" in message else table_of(metric)
        table.save(path)
        with pytest.raises(ValueError, match=rf"json: expected metric=, {message}"):
            StatsTable.load(path)
        for own in (metric, same):
            if own is not None:
                assert StatsTable.load(path, metric=own).metric is own


def test_other_metrics_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "stats.npz"
    cases: list[tuple[Any, Any, str]] = [
        (BLEU(), BLEU(lowercase=True), r"signature: expected options of BLEU\|case:lc.*case:mixed"),
        (BLEU(), BLEU(max_ngram_order=2), "metric: expected max_ngram_order=4; got .*=2"),
        (CHRF(), CHRF(beta=3), "metric: score: expected chrF3, as of the metric; got chrF2"),
        (WER(), METRICS["CharacTER"], "metric: score: expected CharacTER, .*; got WER"),
        (NIST(information=REFS), NIST(information=REFS[:1]), "expected the same information; got"),
        (NIST(), NIST(information=REFS[:1]), "metric: expected the same information; got other"),
    ]
    for metric, other, message in cases:
        table_of(metric).save(path)
        with pytest.raises(ValueError, match=rf"stats\.npz\.json: .*{message}"):
            StatsTable.load(path, metric=other)
    for wrong in (5, SegmentScores(), "BLEU"):
        with pytest.raises(TypeError, match="metric: expected a metric of text; got"):
            StatsTable.load(path, metric=wrong)


def test_the_options_that_signatures_do_not_show_are_compared(tmp_path: Path) -> None:
    path = tmp_path / "stats.npz"
    table_of(BLEU(smooth_method="floor")).save(path)
    for value in (None, 0.1):
        metric = BLEU(smooth_method="floor", smooth_value=value)
        assert StatsTable.load(path, metric=metric).metric is metric
    other = BLEU(smooth_method="floor", smooth_value=0.101)
    with pytest.raises(ValueError, match=r"metric: expected smooth_value=0\.1; got .*=0\.101"):
        StatsTable.load(path, metric=other)
    for function, name in ((str.split, "str.split"), (textwrap.wrap, "textwrap.wrap")):
        table_of(BLEU(tokenize=function)).save(path)
        assert manifest_of(path)["metric"]["given"] == {"tokenize": name}
        for wrong in (BLEU(tokenize=str.title), BLEU(tokenize=lambda text: [text])):  # type: ignore[arg-type]
            with pytest.raises(ValueError, match=rf"metric: expected tokenize={name}; got tok"):
                StatsTable.load(path, metric=wrong)
    entries = manifest_of(path)
    entries["metric"]["given"] = {"tokenize": "wrap"}  # as 0.9.0 wrote
    rewrite(path, entries)
    assert StatsTable.load(path, metric=BLEU(tokenize=textwrap.wrap)).score()


def test_signatures_of_other_versions_may_have_other_forms(tmp_path: Path) -> None:
    """Version 0.9.0 wrote ``info:given``."""
    path = tmp_path / "stats.npz"
    metric = NIST(information=REFS)
    table = table_of(metric)
    table.save(path)
    entries = manifest_of(path)
    signature = re.sub(r"info:\d+-\w+", "info:given", entries["signature"])
    assert signature != entries["signature"]
    rewrite(path, entries | {"signature": signature})
    with pytest.raises(
        ValueError, match=r"signature: expected options of NIST.*; got .*info:given"
    ):
        StatsTable.load(path, metric=metric)
    rewrite(path, entries | {"signature": signature, "library": "0.8.0"})
    assert StatsTable.load(path, metric=metric).signature == table.signature


def test_other_versions_of_the_library(tmp_path: Path) -> None:
    """Their rows are read with the version that wrote them."""
    table = table_of(BLEU())
    table.save(path := tmp_path / "stats.npz")
    entries = manifest_of(path)
    entries["signature"] = entries["signature"].rpartition(".rapid")[0] or entries["signature"]
    head, _, version = entries["signature"].rpartition("|version:")
    entries["signature"] = f"{head}|version:{version}.9"
    rewrite(path, entries)
    again = StatsTable.load(path)
    assert again.signature.endswith(".9") and again.score() == table.score()
    with pytest.raises(ValueError, match=r"tables\[1\]: expected rows of version"):
        StatsTable.merge([table, again])


# Lies


def manifest_of(path: Path) -> dict[str, Any]:
    entries: dict[str, Any] = json.loads(Path(f"{path}.json").read_text("utf-8"))
    return entries


def rewrite(path: Path, entries: dict[str, Any]) -> None:
    """Write a manifest with a correct checksum."""
    kept = {k: v for k, v in entries.items() if k not in ("rapidbleu_stats", "checksum")}
    Path(f"{path}.json").write_bytes(format_manifest(kept))


def saved(tmp_path: Path, ending: str = "npz", **options: Any) -> Path:
    path = tmp_path / f"stats.{ending}"
    table_of(BLEU(), **{"keep": KEPT, "shard": (2, 3), "inputs": ["hyp"], **options}).save(path)
    return path


def leaves(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Yield the positions of values in nested dicts and lists, and of these themselves."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found = [place] if place else []
    if isinstance(value, dict | list):
        for key, item in items:
            found += (
                leaves(item, (*place, key)) if isinstance(item, dict | list) else [(*place, key)]
            )
    return found


def other_than(value: Any) -> list[Any]:
    """Return values that differ from this one."""
    if isinstance(value, str):
        return [value + "0", value[:-1], value.swapcase(), None, 5]
    if isinstance(value, bool) or value is None:
        return [1, "x", not value, [0, 2]]
    if isinstance(value, int):
        return [value + 1, -1, float(value), str(value), None, bool(value)]
    if isinstance(value, dict):
        return [{}, {**value, "more": 1}, dict(reversed(value.items())), list(value), None]
    return [[], [*value, value], None, "x"]


def changed(entries: dict[str, Any], place: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """Return a copy with another value at a position."""
    copied: dict[str, Any] = json.loads(json.dumps(entries))
    inner: Any = copied
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return copied


def test_any_other_entry_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path)
    entries, refused = manifest_of(path), 0
    for place in leaves(entries):
        value: Any = entries
        for key in place:
            value = value[key]
        for other in other_than(value):
            if json.dumps(other, sort_keys=True) == json.dumps(value, sort_keys=True):
                continue
            text = json.dumps(changed(entries, place, other))
            Path(f"{path}.json").write_text(text, "utf-8")
            with pytest.raises(ValueError, match=r"stats\.npz\.json: "):
                StatsTable.load(path)
            refused += 1
    assert refused > 200
    for name in entries:
        for kept in ({k: v for k, v in entries.items() if k != name}, {**entries, f"{name}2": 1}):
            Path(f"{path}.json").write_text(json.dumps(kept), "utf-8")
            with pytest.raises(ValueError, match=r"stats\.npz\.json: expected a manifest of rows"):
                StatsTable.load(path)
    Path(f"{path}.json").write_text(json.dumps(entries), "utf-8")
    assert len(StatsTable.load(path)) == 40


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "Expecting value"),
        (b"[]", "expected an entry rapidbleu_stats"),
        (b'{"rapidbleu_stats": 2}', "rapidbleu_stats: expected format 1; got 2"),
        (b'{"rapidbleu_stats": true}', "rapidbleu_stats: expected format 1; got True"),
        (b'{"rapidbleu_stats": 1}', "checksum of the other entries: expected .*; got None"),
        (b"\xff", "can't decode byte 0xff"),
        (b"[" * 100_000, "recursion"),
    ],
)
def test_what_is_no_manifest(tmp_path: Path, text: bytes, message: str) -> None:
    path = saved(tmp_path)
    Path(f"{path}.json").write_bytes(text)
    with pytest.raises(ValueError, match=rf"stats\.npz\.json: expected a manifest .*{message}"):
        StatsTable.load(path)
    Path(f"{path}.json").unlink()
    with pytest.raises(ValueError, match=r"stats\.npz\.json: expected a manifest beside .*, which"):
        StatsTable.load(path)


@pytest.mark.parametrize("ending", ENDINGS[:3])
def test_damaged_data_is_refused(tmp_path: Path, ending: str) -> None:
    if ending != "npz":
        pytest.importorskip("pyarrow")
    path = saved(tmp_path, ending)
    data = path.read_bytes()
    for cut in (0, 1, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:cut])
        with pytest.raises(ValueError, match=rf"size: expected {cut}, that of .*; got {len(data)}"):
            StatsTable.load(path)
    path.write_bytes(data + b"\0")
    with pytest.raises(ValueError, match="size: expected"):
        StatsTable.load(path)
    for at in range(0, len(data), 97):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(ValueError, match=r"json: sha256: expected"):
            StatsTable.load(path)


# Writing


def test_batches_are_one_table(tmp_path: Path) -> None:
    for ending in ENDINGS[:3]:
        if ending != "npz":
            pytest.importorskip("pyarrow")
        bleu, path = BLEU(), tmp_path / f"stats.{ending}"
        with stats_writer(path) as writer:
            for begin in range(0, 40, 7):
                cut = slice(begin, begin + 7)
                writer.write(
                    bleu.stats_table(
                        HYPS[cut],
                        [own[cut] for own in REFS],
                        first=begin,
                        shard=(1, 2),
                        keep={"lang": KEPT["lang"][cut], "year": range(40)[cut]},
                        inputs=["hyp"],
                    )
                )
            assert writer.n_rows == 40
        keep = {"lang": KEPT["lang"], "year": range(40)}
        whole = table_of(bleu, first=0, shard=(1, 2), keep=keep, inputs=["hyp"])
        assert_same(StatsTable.load(path), whole)


def test_batches_make_groups(tmp_path: Path) -> None:
    """A group contains whole batches, and at least the requested number of rows."""
    parquet = pytest.importorskip("pyarrow.parquet")
    path, table = tmp_path / "stats.parquet", table_of(BLEU(), ids=None)
    with stats_writer(path, group=100) as writer:
        for k in range(8):
            writer.write(StatsTable(BLEU(), table.rows, table.signature, first=40 * k))
    groups = parquet.ParquetFile(path).metadata
    lengths = [groups.row_group(k).num_rows for k in range(groups.num_row_groups)]
    assert lengths == [120, 120, 80]
    assert StatsTable.load(path).rows.tolist() == table.rows.tolist() * 8


def test_batches_of_columns_that_differ(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    for ending in ENDINGS[1:3]:
        path = tmp_path / f"stats.{ending}"
        table = table_of(BLEU(), ids=[f"s{i}" for i in range(40)])
        with stats_writer(path) as writer:
            writer.write(table)
            other = StatsTable(
                BLEU(), table.rows, table.signature.replace("nrefs:2", "nrefs:var"), ids=range(40)
            )
            with pytest.raises(ValueError, match=r"^id: expected text as in the batches"):
                writer.write(other)
            more = StatsTable(
                BLEU(),
                table.rows,
                table.signature.replace("nrefs:2", "nrefs:var"),
                ids=[f"t{i}" for i in range(40)],
            )
            writer.write(more)
        again = StatsTable.load(path)
        assert again.signature.startswith("nrefs:var|") and len(again) == 80
        assert again["id"][::40] == ["s0", "t0"]


def test_sums_of_batches_are_bounded(tmp_path: Path) -> None:
    bleu = BLEU()
    signature = table_of(bleu).signature
    half = [[2**59] + [0] * 9] * 1
    with stats_writer(tmp_path / "stats.npz") as writer:
        for first in (0, 1):
            writer.write(StatsTable(bleu, half, signature, first=first))
        with pytest.raises(ValueError, match=r"hyp_len: expected a sum of at most 2\*\*60"):
            writer.write(StatsTable(bleu, half, signature, first=2))
    assert StatsTable.load(tmp_path / "stats.npz").sum()[0] == 2**60


@pytest.mark.parametrize("ending", ENDINGS[:3])
def test_errors_leave_what_was_there(tmp_path: Path, ending: str) -> None:
    if ending != "npz":
        pytest.importorskip("pyarrow")
    path = saved(tmp_path, ending)
    before = files(tmp_path)
    for error in (ZeroDivisionError, KeyboardInterrupt):
        with pytest.raises(error), stats_writer(path) as writer:
            writer.write(table_of(BLEU()))
            raise error
    with pytest.raises(FileNotFoundError, match="other"), stats_writer(path) as writer:
        writer.write(table_of(BLEU()))
        os.stat("other")
    assert files(tmp_path) == before


@pytest.mark.parametrize("ending", ENDINGS[:3])
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_a_full_device_is_named(tmp_path: Path, ending: str) -> None:
    if ending != "npz":
        pytest.importorskip("pyarrow")
    target = str(tmp_path / f"full.{ending}")
    os.symlink("/dev/full", target)
    with pytest.raises(OSError, match="No space left on device") as caught:
        table_of(BLEU()).save(target)
    assert caught.value.filename == target
    assert files_there(tmp_path) == {f"full.{ending}"}
    os.unlink(target)
    os.symlink("/dev/full", f"{target}.json")
    with pytest.raises(OSError, match="No space left on device") as caught:
        table_of(BLEU()).save(target)
    assert caught.value.filename == f"{target}.json"
    assert files_there(tmp_path) == {f"full.{ending}.json"}


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@pytest.mark.parametrize("ending", ENDINGS[:3])
def test_nothing_is_written_after_an_error(
    tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even by library objects that finish their files when they are freed."""
    if ending != "npz":
        pytest.importorskip("pyarrow")
    late: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", late.append)
    os.symlink("/dev/full", tmp_path / f"full.{ending}")
    rng = Random(1)
    ids = [rng.randbytes(30).hex() for _ in range(60_000)]
    signature = table_of(BLEU()).signature
    table = StatsTable(BLEU(), np.zeros((60_000, 10), np.int64), signature, ids=ids)
    with pytest.raises(OSError, match="No space left on device"):
        table.save(tmp_path / f"full.{ending}")
    gc.collect()
    assert late == []


def files_there(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


REPEATED = """
import sys
import textwrap
from rapidbleu import BLEU, StatsTable
bleu, path = BLEU(), sys.argv[1]
few = bleu.stats_table(["a b c d"] * 20, [["a b c e"] * 20], ids=range(5, 25))
many = bleu.stats_table(["a b c d e"] * 20000, [["a b c e"] * 20000])
print("ready", flush=True)
while True:
    many.save(path)
    few.save(path)
"""


@posix_only
@pytest.mark.parametrize("how", ["TERM", pytest.param("KILL", marks=pytest.mark.slow)])
@pytest.mark.parametrize("ending", ["npz", pytest.param("parquet", marks=pytest.mark.slow)])
def test_killed_processes_leave_no_wrong_sum(tmp_path: Path, ending: str, how: str) -> None:
    """The result is one of the two tables, or data that does not match its manifest."""
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    rng, path, outcomes = random.Random(f"{ending} {how}"), tmp_path / f"stats.{ending}", []
    with subprocess.Popen(
        [sys.executable, "-c", REPEATED, str(path)],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline() == b"ready\n", process.stderr.read()
        deadline = time.monotonic() + 60
        while not Path(f"{path}.json").exists():
            assert time.monotonic() < deadline
        for _ in range(40):  # while they are replaced
            try:
                outcomes.append(StatsTable.load(path).sum().tolist())
            except (ValueError, FileNotFoundError):
                outcomes.append("refused")
            time.sleep(rng.random() / 200)
        process.send_signal(getattr(signal, f"SIG{how}"))
        process.wait(timeout=60)
    try:
        outcomes.append(StatsTable.load(path).sum().tolist())
    except ValueError as error:
        assert "sha256: expected" in str(error) or "size: expected" in str(error)
    whole = [
        [n * count for count in row]
        for n, row in (
            (20, [4, 4, 3, 2, 1, 0, 4, 3, 2, 1]),
            (20000, [5, 4, 4, 2, 1, 0, 5, 4, 3, 2]),
        )
    ]
    assert [own for own in outcomes if own != "refused" and own not in whole] == []
