"""``rapidbleu merge`` against `StatsTable.merge`, and its errors."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rapidbleu import BLEU, CHRF, CIDErD, StatsTable
from rapidbleu.rows import stats_table
from rapidbleu.rows.files import read_head
from support.command_line import Run, failure
from support.corpora import random_corpus

N = 20
HYPS, REFS = random_corpus(Random("merging files"), N, kind="ascii", n_refs=2)
KEPT: dict[str, Any] = {
    "lang": [("de", "cs", None)[i % 3] for i in range(N)],
    "n": list(range(N)),
    "human": [i if i < 10 else i / 7 for i in range(N)],
}


def part(
    begin: int, end: int, *, metric: Any = None, ids: bool = False, **about: Any
) -> StatsTable:
    cut = slice(begin, end)
    keep = {name: column[cut] for name, column in KEPT.items()}
    own = CHRF() if metric is None else metric
    table: StatsTable = own.stats_table(
        HYPS[cut],
        [refs[cut] for refs in REFS],
        keep=keep,
        ids=[f"s{i}" for i in range(N)][cut] if ids else None,
        **about,
    )
    return table


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def contents(table: StatsTable) -> tuple[Any, ...]:
    about = table.signature, table.numbered, table.shard, table.first, table.inputs, table.merged
    return (table.table.to_dict(), table.types, *about)


@settings(max_examples=60, deadline=None)
@given(
    cuts=st.lists(st.integers(1, N - 1), unique=True, max_size=5).map(sorted),
    shuffled=st.randoms(use_true_random=False),
    with_ids=st.booleans(),
    sharded=st.booleans(),
    placed=st.booleans(),
)
def test_files_are_merged_as_tables(
    cuts: list[int], shuffled: Any, with_ids: bool, sharded: bool, placed: bool
) -> None:
    ends = [*cuts, N]
    tables = [
        part(
            begin,
            end,
            ids=with_ids,
            first=begin if placed else None,
            shard=(i + 1, len(ends)) if sharded else None,
            inputs=["hyp", f"ref{i}"],
        )
        for i, (begin, end) in enumerate(zip([0, *cuts], ends, strict=True))
    ]
    if sharded:
        shuffled.shuffle(tables)
    paths = [f"{i}.npz" for i in range(len(tables))]
    for path, table in zip(paths, tables, strict=True):
        table.save(path)
    told: list[Any] = []
    assert stats_table.join_files(paths, "all.npz", lambda *numbers: told.append(numbers)) == N
    assert contents(StatsTable.load("all.npz")) == contents(StatsTable.merge(tables))
    assert told[-1] == (N, N) and sorted(told) == told and len(told) == len(tables)


@pytest.mark.parametrize("ending", ["npz", "parquet", "arrow"])
def test_formats_may_differ(ending: str, run: Run) -> None:
    if ending != "npz":
        pytest.importorskip("pyarrow")
    part(0, 9, shard=(1, 2)).save("1.npz")
    part(9, N, shard=(2, 2), first=9).save(f"2.{ending}")
    assert run("merge", f"2.{ending}", "1.npz", "-o", f"all.{ending}") == (0, "", "")
    merged = StatsTable.load(f"all.{ending}")
    assert merged.table == part(0, N).table and merged.types == part(0, N).types


def test_parts_that_know_less(run: Run) -> None:
    """Empty shards without types and number of references; integers that are floats elsewhere."""
    bleu, nothing = BLEU(), np.empty((0, 10), np.int64)
    signature = part(0, 9, metric=bleu).signature
    unknown = signature.replace("nrefs:2", "nrefs:var")
    empty = {name: [] for name in KEPT}
    part(0, 9, metric=bleu, shard=(1, 3)).save("1.npz")
    StatsTable(bleu, nothing, unknown, keep=empty, shard=(2, 3), first=9).save("2.npz")
    part(9, N, metric=bleu, shard=(3, 3)).save("3.npz")
    assert run("merge", "1.npz", "2.npz", "3.npz", "-o", "all.npz") == (0, "", "")
    whole = StatsTable.load("all.npz")
    assert whole.table == part(0, N, metric=bleu).table and whole.signature == signature
    assert whole.merged == ((1, 3), (2, 3), (3, 3))
    merged = StatsTable.merge([StatsTable.load(f"{i}.npz") for i in (3, 2, 1)])
    assert contents(merged) == contents(whole)
    StatsTable(bleu, nothing, unknown, keep=empty, shard=(1, 2), first=0).save("1.npz")
    StatsTable(bleu, nothing, unknown, keep=empty, shard=(2, 2), first=0).save("2.npz")
    assert run("merge", "1.npz", "2.npz", "-o", "all.npz") == (0, "", "")
    assert len(StatsTable.load("all.npz")) == 0


# What is refused

REFUSED: dict[str, tuple[list[Callable[[], StatsTable]], str]] = {
    "a missing shard": (
        [lambda: part(0, 9, shard=(1, 3)), lambda: part(9, N, shard=(3, 3))],
        "parts: expected all 3 shards; got none for shard 2",
    ),
    "a shard twice": (
        [lambda: part(0, 9, shard=(1, 2)), lambda: part(9, N, shard=(1, 2))],
        "2.npz: expected another shard than 1.npz; got shard 1 again",
    ),
    "another place": (
        [lambda: part(0, 9, first=0), lambda: part(10, N, first=10)],
        "2.npz: expected row 9 of the corpus first; got row 10",
    ),
    "another metric": (
        [lambda: part(0, 9), lambda: part(9, N, metric=CHRF(word_order=2))],
        "2.npz: expected chrF2|case:mixed|eff:yes|nc:6|nw:0|space:no; got "
        "chrF2++|case:mixed|eff:yes|nc:6|nw:2|space:no",
    ),
    "another number of references": (
        [
            lambda: CHRF().stats_table(["a"], [["a"]]),
            lambda: CHRF().stats_table(["a"], [["a"], ["b"]]),
        ],
        "2.npz: expected nrefs:1; got nrefs:2",
    ),
    "ids that come again": (
        [lambda: part(0, 9, ids=True), lambda: part(8, N, ids=True)],
        "2.npz, row 0: expected an id of its own; got 's8' again",
    ),
    "rows that do not add up": (
        [lambda: part(0, 9, metric=CIDErD()), lambda: part(9, N, metric=CIDErD())],
        "2.npz: expected rows that add up; got some of CIDEr-D",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_parts_that_are_no_corpus(kind: str, run: Run) -> None:
    tables, message = REFUSED[kind]
    for i, make in enumerate(tables, 1):
        make().save(f"{i}.npz")
    Path("all.npz").write_bytes(b"what was there")
    assert failure(run("merge", "1.npz", "2.npz", "-o", "all.npz")).startswith(message)
    assert Path("all.npz").read_bytes() == b"what was there"
    assert not os.path.exists("all.npz.json") and len(os.listdir()) == 5


def test_parts_against_one_that_knows(run: Run) -> None:
    """A part without rows may come first."""
    chrf, nothing = CHRF(), np.empty((0, 18), np.int64)
    signature = chrf.stats_table(["a"], [["a"]]).signature.replace("nrefs:1", "nrefs:var")
    StatsTable(chrf, nothing, signature, shard=(1, 3)).save("1.npz")
    chrf.stats_table(["a"], [["a"]], shard=(2, 3)).save("2.npz")
    chrf.stats_table(["a"], [["a"], ["b"]], shard=(3, 3)).save("3.npz")
    message = "3.npz: expected nrefs:1; got nrefs:2"
    assert failure(run("merge", "1.npz", "2.npz", "3.npz", "-o", "all.npz")) == message


def test_files_that_are_no_parts(run: Run) -> None:
    for i, (begin, end) in enumerate([(0, 9), (9, N)], 1):
        part(begin, end, shard=(i, 2), first=begin).save(f"{i}.npz")
    os.symlink("2.npz", "link.npz")
    for names, output, message in (
        (["1.npz", "2.npz"], "2.npz", "2.npz: expected another file than the part 2.npz"),
        (["1.npz", "2.npz"], "link.npz", "link.npz: expected another file than the part 2.npz"),
        (["1.npz", "1.npz"], "all.npz", "1.npz: expected each part once; got it again"),
        (["1.npz", "3.npz"], "all.npz", "3.npz: No such file or directory"),
        (["1.npz", "3.npz"], "all", "all: expected a name with the ending"),
        (["1.npz.json"], "all.npz", "1.npz.json: expected a name with the ending"),
    ):
        assert failure(run("merge", *names, "-o", output)).startswith(message)
    Path("2.npz.json").rename("away")
    message = "2.npz.json: expected a manifest beside 2.npz, which says whose rows they are; "
    assert failure(run("merge", "1.npz", "2.npz", "-o", "all.npz")) == f"{message}found none"
    Path("away").rename("2.npz.json")
    Path("2.npz").write_bytes(Path("2.npz").read_bytes()[:-1])
    message = failure(run("merge", "1.npz", "2.npz", "-o", "all.npz"))
    assert message.startswith("2.npz.json: size: expected ")
    with pytest.raises(ValueError, match=r"^2\.npz\.json: size: expected "):
        read_head("2.npz", StatsTable)
    assert not os.path.exists("all.npz")


def test_a_manifest_that_was_changed(run: Run) -> None:
    part(0, 9, shard=(1, 2)).save("1.npz")
    part(9, N, shard=(2, 2)).save("2.npz")
    entries = json.loads(Path("1.npz.json").read_text(encoding="utf-8"))
    Path("1.npz.json").write_text(json.dumps(entries | {"shard": [2, 2]}), encoding="utf-8")
    before = sorted(os.listdir())
    message = "1.npz.json: expected a manifest of rows: checksum of the other entries: expected "
    for args in (["merge", "1.npz", "2.npz", "-o", "all.npz"], ["score", "--stats", "1.npz"]):
        assert failure(run(*args)).startswith(message)
    assert sorted(os.listdir()) == before


def test_a_part_that_is_replaced_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    part(0, 9, shard=(1, 2), first=0).save("1.npz")
    part(9, N, shard=(2, 2), first=9).save("2.npz")

    def replaced(path: str, make: Any) -> Any:
        found = read_head(path, make)
        if path == "2.npz":
            part(9, N, shard=(2, 2), first=9, ids=True).save("2.npz")
        return found

    monkeypatch.setattr(stats_table, "read_head", replaced)
    with pytest.raises(ValueError, match=r"^2\.npz\.json: sha256: expected "):
        stats_table.join_files(["1.npz", "2.npz"], "all.npz")
    assert not os.path.exists("all.npz")
    with pytest.raises(ValueError, match="parts: expected at least one; got none"):
        stats_table.join_files([], "all.npz")
