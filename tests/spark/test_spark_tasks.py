"""Task code and argument checks of `rapidbleu.spark`, without Java."""

from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CHRF, GECGLEU, NIST, TER, SegmentScores, StatsTable
from rapidbleu.significance import sum_resamples
from rapidbleu.spark import (
    begins,
    check_comparing,
    check_other_names,
    chosen,
    first_repeated,
    mbr,
    poisson_bootstrap,
    resampled_sums,
    score,
    stats,
)
from support.corpora import random_corpus
from support.family import METRICS

pa = pytest.importorskip("pyarrow")

N = 60
HYPS, STREAMS = random_corpus(Random("spark"), N, kind="ascii", n_refs=2)
COLUMNS: dict[str, Any] = {
    "hyp": HYPS,
    "a": STREAMS[0],
    "b": STREAMS[1],
    "both": [list(refs) for refs in zip(*STREAMS, strict=True)],
    "seg": [f"s{i}" for i in range(N)],
    "lang": [("de", "cs", None)[i % 3] for i in range(N)],
    "number": [0.5 * i for i in range(N)],
    "dotted.`name": [i * i for i in range(N)],
}


class Frame:
    """An in-memory DataFrame with the methods that `rapidbleu.spark` calls before aggregation."""

    def __init__(self, table: Any, schema: Any = None) -> None:
        types = pytest.importorskip("pyspark.sql.pandas.types")
        self.table = table
        self.schema = schema or types.from_arrow_schema(table.schema)
        self.columns = self.schema.names

    def select(self, *expressions: str) -> "Frame":
        assert all(text[0] == text[-1] == "`" for text in expressions)
        names = [text[1:-1].replace("``", "`") for text in expressions]
        types = pytest.importorskip("pyspark.sql.types")
        schema = types.StructType([self.schema[name] for name in names])
        return Frame(self.table.select(names), schema)

    def repartition(self, *_: str) -> "Frame":
        return self

    def sortWithinPartitions(self, *expressions: str) -> "Frame":
        names = [text[1:-1] for text in expressions]
        return Frame(self.table.sort_by([(name, "ascending") for name in names]), self.schema)

    def mapInArrow(self, run: Callable[..., Iterator[Any]], schema: Any) -> "Frame":
        found = list(run(iter(self.table.to_batches(max_chunksize=7))))
        assert all(batch.schema.names == schema.names for batch in found)
        return Frame(pa.Table.from_batches(found), schema)

    def withMetadata(self, name: str, metadata: dict[str, Any]) -> "Frame":
        self.schema[name].metadata = metadata
        return self


@pytest.fixture
def frame() -> Frame:
    return Frame(pa.table(COLUMNS))


@pytest.mark.parametrize("metric", [None, CHRF(), METRICS["NIST"]], ids=repr)
@pytest.mark.parametrize("refs", ["a", ("a", "b"), ["both"]])
def test_stats(frame: Frame, metric: Any, refs: Any) -> None:
    found = stats(frame, metric, refs=refs, id_column="seg", keep=["lang", "dotted.`name"])  # type: ignore[arg-type]
    own = metric or BLEU()
    streams = STREAMS[:1] if refs == "a" else STREAMS
    keep = {name: COLUMNS[name] for name in ("lang", "dotted.`name")}
    table = own.stats_table(HYPS, streams, ids=COLUMNS["seg"], keep=keep)
    assert found.table.to_pydict() == pa.table(table).to_pydict()  # type: ignore[attr-defined]
    for field in found.schema[3:]:
        assert field.dataType.simpleString() == "bigint" and not field.nullable
        assert field.metadata["rapidbleu"]["score"] == table.score().name
    assert all(not field.metadata for field in found.schema[:3])


def test_an_id_keeps_its_type(frame: Frame) -> None:
    found = stats(frame, TER(), refs="a", id_column="dotted.`name", keep="seg")  # type: ignore[arg-type]
    assert found.schema["id"].dataType.simpleString() == "bigint"
    assert found.columns[:2] == ["id", "seg"] and found.schema["id"].nullable
    assert stats(frame, TER(), refs="a").columns == TER()._stat_names()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("about", "error", "message"),
    [
        ({}, ValueError, "^refs: expected one column 'ref', there are 'hyp', 'a', 'b', 'both', "),
        ({"hyp": "x"}, ValueError, "^hyp: expected one column 'x', there are 'hyp'"),
        ({"hyp": "both"}, TypeError, "^hyp: expected a column of strings; got 'both' of array<str"),
        ({"hyp": 1}, TypeError, "^hyp: expected the name of a column; got int$"),
        ({"refs": []}, ValueError, "^refs: expected at least one name"),
        ({"refs": ["a", "both"]}, TypeError, "^refs: expected a column of strings; got 'both' of"),
        ({"refs": "number"}, TypeError, "^refs: expected a column of strings or arrays of strings"),
        (
            {"id_column": "number"},
            TypeError,
            "^id_column: expected a column of strings or integers; got 'number",
        ),
        ({"id_column": "x"}, ValueError, "^id_column: expected one column 'x'"),
        ({"keep": "x"}, ValueError, "^keep: expected one column 'x'"),
        ({"keep": "id"}, ValueError, "^keep: expected other names than id and the statistics"),
        ({"keep": "hyp_len"}, ValueError, "^keep: expected other names than id and the stat"),
        ({"keep": ["a", "a"]}, ValueError, "^keep: expected each name once; got 'a' again$"),
        ({"metric": NIST()}, ValueError, "expected rows that add up; got some of NIST"),
        (
            {"metric": SegmentScores()},
            TypeError,
            "^metric: expected a metric of text; got SegmentScores$",
        ),
        ({"metric": "BLEU"}, TypeError, "^metric: expected a metric of text; got str$"),
    ],
)
def test_stats_is_refused(
    frame: Frame, about: dict[str, Any], error: type[Exception], message: str
) -> None:
    frame.mapInArrow = None  # type: ignore[assignment, method-assign]
    with pytest.raises(error, match=message):
        stats(frame, **({"refs": "a"} if about else {}) | about)  # type: ignore[arg-type]


def test_names_that_differ_in_case() -> None:
    frame = Frame(pa.table({"hyp": ["a"], "ref": ["a"], "ID": [1], "Hyp_Len": [1], "Lang": [1]}))
    for keep in "ID", "Hyp_Len":
        with pytest.raises(ValueError, match=r"^keep: expected names that differ in more than"):
            stats(frame, id_column="ID", keep=keep)  # type: ignore[arg-type]
    assert "Lang" in stats(frame, id_column="ID", keep="Lang").columns  # type: ignore[arg-type]
    check_other_names([], "keep")


def test_columns_that_are_there_twice() -> None:
    schema = Frame(pa.table({"hyp": ["a"], "ref": ["a"]})).schema
    twice = Frame(pa.table([["a"], ["a"], ["b"]], names=["hyp", "ref", "ref"]), schema)
    twice.columns = ["hyp", "ref", "ref"]
    with pytest.raises(ValueError, match=r"^refs: expected one column 'ref', there are 'hyp',"):
        stats(twice)  # type: ignore[arg-type]


@pytest.mark.parametrize("call", [stats, mbr])
def test_what_is_no_frame(call: Any) -> None:
    with pytest.raises(TypeError, match=r"^df: expected a Spark DataFrame; got Table$"):
        call(pa.table(COLUMNS))


@pytest.fixture
def rows(frame: Frame) -> Frame:
    return stats(frame, TER(), refs="a", id_column="seg", keep=["lang", "number", "both"])  # type: ignore


@pytest.mark.parametrize(
    ("by", "error", "message"),
    [
        ("x", ValueError, "^by: expected one column 'x', there are 'id', 'lang', "),
        ("edits", ValueError, "^by: expected a column other than statistics; got 'edits'$"),
        ("number", TypeError, "^by: expected a column of strings, integers, booleans or dates"),
        ("both", TypeError, r"^by: expected a column of strings, .* got 'both' of array<string>$"),
        (3, TypeError, "^by: expected the name of a column; got int$"),
    ],
)
def test_score_is_refused(rows: Any, by: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        score(rows, by=by)


@pytest.mark.parametrize(
    ("about", "error", "message"),
    [
        ({"n_resamples": 0}, ValueError, "^n_resamples: expected at least 1; got 0$"),
        ({"n_resamples": 2**31}, ValueError, "^n_resamples: expected at most 2147483647"),
        ({"seed": -1}, ValueError, "^seed: expected at least 0"),
        ({"seed": 2**64}, ValueError, "^seed: expected at most 18446744073709551615"),
        ({"seed": None}, TypeError, "^seed: expected int"),
        ({"level": 1.0}, ValueError, "^level: expected a number between 0 and 1"),
        ({"metric": BLEU()}, ValueError, "^metric: expected TER"),
    ],
)
def test_bootstrap_is_refused(
    rows: Any, about: dict[str, Any], error: type[Exception], message: str
) -> None:
    rows.mapInArrow = None
    with pytest.raises(error, match=message):
        poisson_bootstrap(rows, **about)


def test_bootstrap_needs_ids(frame: Any) -> None:
    with pytest.raises(ValueError, match=r"^st: expected one column 'id', there are 'edits'"):
        poisson_bootstrap(stats(frame, TER(), refs="a"))
    with pytest.raises(TypeError, match=r"^st: expected .*; got 'id' of double$"):
        table = pa.table(TER().stats_table(HYPS, STREAMS)).set_column(0, "id", [COLUMNS["number"]])
        poisson_bootstrap(Frame(table), metric=TER())  # type: ignore[arg-type]


def as_batches(table: StatsTable, size: int) -> Any:
    return pa.table(table).to_batches(max_chunksize=size)


@pytest.mark.parametrize("ids", ["texts", "int64", "int32"])
@pytest.mark.parametrize("size", [1, 7, N])
def test_resampled_sums(size: int, ids: str) -> None:
    given = COLUMNS["seg"] if ids == "texts" else [3 * i - 50 for i in range(N)]
    table = TER().stats_table(HYPS, STREAMS, ids=given)
    batches = as_batches(table, size)
    if ids == "int32":
        batches = [b.set_column(0, "id", b["id"].cast("int32")) for b in batches]
    run = partial(resampled_sums, statistics=table.statistics, n=20, seed=7)
    [found] = run(iter([batches[0].slice(0, 0), *batches]))
    sums = np.column_stack([found[name].to_numpy() for name in table.statistics])
    assert found["resample"].to_pylist() == list(range(21))
    assert [str(field.type) for field in found.schema] == ["int32"] + ["int64"] * 4
    assert sums[0].tolist() == table.sum().tolist()
    assert (sums[1:] == table.sum_resamples(20, seed=7)).all()
    parts = [next(run([batch])) for batch in batches]
    for name in table.statistics:
        added = sum(part[name].to_numpy() for part in parts)
        assert added.tolist() == found[name].to_pylist()
    assert list(run([])) == list(run([batches[0].slice(0, 0)])) == []


@pytest.mark.parametrize(("name", "row"), [("id", 9), ("edits", 14)])
def test_nulls_among_rows(name: str, row: int) -> None:
    table = pa.table(TER().stats_table(HYPS, STREAMS, ids=COLUMNS["seg"]))
    values = table[name].to_pylist()
    values[row] = None
    batches = table.set_column(table.column_names.index(name), name, [values]).to_batches(7)
    run = resampled_sums(batches, tuple(TER()._stat_names()), 3, 1)
    with pytest.raises(TypeError, match=f"^part of st, row {row}, column '{name}': expected a val"):
        list(run)


def test_sums_that_are_too_large() -> None:
    batch = pa.record_batch({"id": [5], "x": [2**59]})
    assert sum_resamples([[1]], [5], 1, 1) == 1
    for times, fits in (2, True), (3, False):
        run = resampled_sums([batch] * times, ("x",), 1, 1)
        if fits:
            assert max(next(run)["x"].to_pylist()) == 2**60
        else:
            with pytest.raises(ValueError, match=r"^rows: expected sums of at most 2\*\*60; got"):
                next(run)
    with pytest.raises(ValueError, match="rows"):
        list(resampled_sums([pa.record_batch({"id": [5], "x": [-1]})], ("x",), 4, 1))


def candidates(n_groups: int) -> dict[str, list[Any]]:
    """Return groups of one to nine candidates, sorted, with duplicate texts and ties."""
    rng = Random("candidates")
    rows = []
    for group in range(n_groups):
        texts = rng.choices(["a b c d", "a b c", "x y", "a b d c", "s t"], k=1 + group % 9)
        rows += [(group, text, rank, 10 * rank) for rank, text in enumerate(texts)]
    names = "segment", "hyp", "rank", "extra"
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
@pytest.mark.parametrize("name", ["BLEU of segments", "TER", "CIDEr-D"])
def test_chosen(name: str, size: int) -> None:
    metric, columns = METRICS[name], candidates(30)
    batches = pa.table(columns).to_batches(max_chunksize=size)
    found = pa.Table.from_batches(
        chosen([batches[0].slice(0, 0), *batches], metric, "segment", "hyp", ("extra",), "rank")
    ).to_pylist()
    texts: dict[int, list[str]] = {}
    for segment, text in zip(columns["segment"], columns["hyp"], strict=True):
        texts.setdefault(segment, []).append(text)
    assert len(found) == len(texts) == 30
    for row, (segment, group) in zip(found, texts.items(), strict=True):
        best = metric.select(group)
        assert row == {
            "segment": segment,
            "hyp": group[best],
            "extra": 10 * best,
            "score": metric.mbr(group)[best],
            "candidates": len(group),
        }


def test_mbr_orders_candidates() -> None:
    columns = candidates(30)
    order = list(range(len(columns["hyp"])))
    Random(5).shuffle(order)
    frame = Frame(pa.table(columns).take(order))
    ter = TER()
    by_text = mbr(frame, metric=ter).table.to_pylist()  # type: ignore
    by_rank = mbr(frame, metric=ter, order="rank", keep="rank").table.to_pylist()  # type: ignore
    assert [row["segment"] for row in by_rank] == list(range(30))
    for segment, (one, other) in enumerate(zip(by_text, by_rank, strict=True)):
        places = [i for i, own in enumerate(columns["segment"]) if own == segment]
        texts = [columns["hyp"][i] for i in places]
        assert other["rank"] == ter.select(texts) and other["hyp"] == texts[other["rank"]]
        assert one["hyp"] == sorted(texts)[ter.select(sorted(texts))]
        assert one["score"] == ter.mbr(sorted(texts)).min()
    assert [row["hyp"] for row in by_text] != [row["hyp"] for row in by_rank]


def test_default_metric_of_mbr() -> None:
    frame = Frame(pa.table({"segment": [1, 1, 1], "hyp": ["a b", "a c", "a d e f g"]}))
    [row] = mbr(frame).table.to_pylist()  # type: ignore
    texts = ["a b", "a c", "a d e f g"]
    assert row["score"] == BLEU(effective_order=True).mbr(texts)[0] != BLEU().mbr(texts)[0]


@pytest.mark.parametrize(
    ("about", "error", "message"),
    [
        ({"by": "x"}, ValueError, "^by: expected one column 'x'"),
        ({"by": "number"}, TypeError, "^by: expected a column of strings, integers, bool"),
        ({"hyp": "rank"}, TypeError, "^hyp: expected a column of strings; got 'rank' of bigint$"),
        ({"order": "number"}, TypeError, "^order: expected a column of strings, integers, bool"),
        ({"order": "x"}, ValueError, "^order: expected one column 'x'"),
        ({"keep": "extra"}, ValueError, "^order: expected a column, since others are kept; got no"),
        ({"keep": "x", "order": "rank"}, ValueError, "^keep: expected one column 'x'"),
        ({"keep": 3, "order": "rank"}, TypeError, "^keep: expected a sequence of names; got int$"),
        ({"keep": "hyp", "order": "rank"}, ValueError, "^keep: expected names that differ in more"),
        ({"keep": "score", "order": "rank"}, ValueError, "^keep: expected names that differ in m"),
        ({"by": "hyp"}, ValueError, "^keep: expected names that differ in more"),
        ({"metric": NIST()}, ValueError, "^metric: expected information, without which NIST"),
        ({"metric": GECGLEU()}, ValueError, r"^metric: expected one that compares cand.*; got"),
        (
            {"metric": SegmentScores()},
            TypeError,
            "^metric: expected a metric of text; got SegmentScores$",
        ),
    ],
)
def test_mbr_is_refused(about: dict[str, Any], error: type[Exception], message: str) -> None:
    columns = candidates(3)
    columns["number"] = columns["score"] = [0.5] * len(columns["hyp"])
    frame = Frame(pa.table(columns))
    frame.repartition = None  # type: ignore[assignment, method-assign]
    with pytest.raises(error, match=message):
        mbr(frame, **about)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("segment", None, "^column 'segment': expected a value for each candidate; got null$"),
        ("hyp", None, "^segment 2, column 'hyp': expected a value; got null$"),
        ("rank", None, "^segment 2, column 'rank': expected a value; got null$"),
        ("rank", 0, r"^segment 2, column 'rank': expected a value of its own .*; got 0 again$"),
    ],
)
@pytest.mark.parametrize("size", [1, 4, 100])
def test_candidates_that_are_wrong(size: int, column: str, value: Any, message: str) -> None:
    columns = candidates(4)
    assert columns["rank"][4] == 1 and columns["segment"][4] == 2
    columns[column][4] = value
    run = chosen(pa.table(columns).to_batches(size), TER(), "segment", "hyp", (), "rank")
    with pytest.raises((TypeError, ValueError), match=message):
        list(run)


def test_candidates_without_an_order_may_be_equal() -> None:
    batch = pa.record_batch({"segment": [1, 1, 1], "hyp": ["a", "a", "b"]})
    [found] = chosen([batch], TER(), "segment", "hyp", (), None)
    assert found.to_pylist()[0]["hyp"] == "a"
    with pytest.raises(ValueError, match=r"^segment 1, column 'hyp': expected a value of its o"):
        list(chosen([batch], TER(), "segment", "hyp", (), "hyp"))


@pytest.mark.parametrize("values", [[True, False], [date(2026, 1, 2), date(2025, 1, 2)]])
def test_segments_of_any_type(values: list[Any]) -> None:
    frame = Frame(pa.table({"segment": [values[i % 2] for i in range(6)], "hyp": list("abcdef")}))
    found = mbr(frame, metric=TER()).table.to_pylist()  # type: ignore[attr-defined, arg-type]
    rows = [(row["segment"], row["hyp"], row["candidates"]) for row in found]
    assert rows == [(values[1], "b", 3), (values[0], "a", 3)]


def test_no_more_is_held_than_a_segment() -> None:
    columns = {"segment": [i // 5 for i in range(50)], "hyp": ["a"] * 50}
    batches = iter(pa.table(columns).to_batches(5))
    found = chosen(batches, TER(), "segment", "hyp", (), None)
    assert next(found).num_rows == 1 and len(list(batches)) == 8


def test_begins() -> None:
    for values in [1], [1, 1], [1, 2, 2, 3], ["a", "b"], [None, None, 1], [True, False, False]:
        expected = [0] + [
            i for i in range(1, len(values)) if values[i] is None or values[i] != values[i - 1]
        ]
        assert begins(pa.array(values)).tolist() == expected


def test_first_repeated() -> None:
    for values, groups, expected in (
        ([1, 2, 2, 3], [0], 2),
        ([1, 2, 2, 3], [0, 2], None),
        ([1, 1, 1], [0, 1], 2),
        ([1], [0], None),
        ([3, 3, 4, 4], [0, 2], 1),
        ([1, 2, 1, 2], [0], None),
    ):
        assert first_repeated(pa.array(values), np.array(groups)) == expected


def test_informed_metrics_compare_candidates() -> None:
    check_comparing(METRICS["NIST"])
