"""Candidates in tables: n-best lists, minimum Bayes risk and oracles as with lists of lines."""

import gzip
import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CHRF
from rapidbleu.tuning import NBestList, read_nbest
from support.command_line import Run, Write, failure
from support.corpora import perturb, random_segments

RNG = Random("candidates")
REFS = [" ".join(text.split()) or "x" for text in random_segments(RNG, 25, kind="mixed")]
TEXTS = [
    [" ".join(perturb(RNG, ref).replace("|", "").split()) or "x" for _ in range(6)] for ref in REFS
]
FEATURES = [
    [{"lm": -RNG.randrange(64) / 8, "length": len(text.split())} for text in own] for own in TEXTS
]
DICTS: list[dict[str, Any]] = [
    {"id": i, "hyp": text, "features": named}
    for i, (own, several) in enumerate(zip(TEXTS, FEATURES, strict=True))
    for text, named in zip(own, several, strict=True)
]
LISTS: list[dict[str, Any]] = [
    {"features": named, "id": f"segment {i}", "hyp": own, "more": 1}
    for i, (own, named) in enumerate(zip(TEXTS, FEATURES, strict=True))
]
MOSES = "".join(
    f"{row['id']} ||| {row['hyp']} ||| lm= {row['features']['lm']} length= "
    f"{row['features']['length']} ||| 0\n"
    for row in DICTS
)


def json_lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def written(form: str, folder: Path) -> str:
    path = folder / form
    if form.endswith("parquet"):
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        # Old versions sort the names of structs that they infer.
        features = pa.struct([("lm", pa.float64()), ("length", pa.int64())])
        kinds = {"id": pa.int64(), "hyp": pa.string(), "features": features}
        if "list" in form:
            kinds = {name: pa.list_(kind) for name, kind in kinds.items()} | {"id": pa.string()}
        rows = LISTS if "list" in form else DICTS
        pq.write_table(pa.Table.from_pylist(rows, pa.schema(kinds.items())), path)
    elif form.endswith("csv"):
        rows = ['"{}","{}"\n'.format(row["id"], row["hyp"].replace('"', '""')) for row in DICTS]
        path.write_text("id,hyp\n" + "".join(rows), "utf-8")
    else:
        data = json_lines(LISTS if "list" in form else DICTS)
        path.write_bytes(gzip.compress(data) if form.endswith("gz") else data)
    return str(path)


FORMS = ("t.jsonl", "list.jsonl", "list.jsonl.gz", "t.parquet", "list.parquet")


def same(found: NBestList, expected: NBestList) -> None:
    assert found.names == expected.names and found.hypotheses == expected.hypotheses
    for name in ("features", "stats", "offsets", "ids"):
        assert np.array_equal(getattr(found, name), getattr(expected, name))
    assert found.features.dtype == expected.features.dtype == np.float64


@pytest.mark.parametrize("form", FORMS)
def test_lists_are_those_of_python(form: str, tmp_path: Path) -> None:
    rows = [[[*named.values()] for named in own] for own in FEATURES]
    flat = [row for own in rows for row in own]
    expected = NBestList.from_lists(TEXTS, flat, [REFS], metric=CHRF(), names=["lm", "length"])
    path = written(form, tmp_path)
    same(read_nbest(path, [REFS], metric=CHRF()), expected)
    same(NBestList.from_lists(TEXTS, FEATURES, [REFS], metric=CHRF()), expected)
    dicts = [
        dict(reversed(named.items())) if i else named
        for i, named in enumerate(named for own in FEATURES for named in own)
    ]
    offsets = range(0, 6 * 25 + 1, 6)
    texts = [text for own in TEXTS for text in own]
    same(NBestList.from_lists(TEXTS, dicts, [REFS], metric=CHRF()), expected)
    same(NBestList.from_lists(texts, dicts, [REFS], offsets=[*offsets], metric=CHRF()), expected)
    assert read_nbest(path, [REFS], metric=CHRF(), texts=False).hypotheses is None
    moses = tmp_path / "moses"
    moses.write_text(MOSES, "utf-8")
    lines = read_nbest(moses, [REFS], metric=CHRF())
    assert np.array_equal(lines.features, expected.features)
    assert np.array_equal(lines.stats, expected.stats) and lines.hypotheses == expected.hypotheses


def test_tables_in_any_order_and_several(tmp_path: Path) -> None:
    rows = DICTS[::-1]
    (tmp_path / "t.jsonl").write_bytes(json_lines(rows))
    found = read_nbest(tmp_path / "t.jsonl", [REFS])
    assert found.ids.tolist() == [*range(24, -1, -1)]
    assert found.hypotheses == [row["hyp"] for row in rows]
    first = read_nbest(written("t.jsonl", tmp_path), [REFS])
    mixed = [row | {"id": str(row["id"])} for k in (1, 0, 2, 3, 4, 5) for row in DICTS[k::6]]
    (tmp_path / "mixed.jsonl").write_bytes(json_lines(mixed[:25][::-1] + mixed[25:]))
    found = read_nbest(tmp_path / "mixed.jsonl", [REFS])
    assert found.ids.tolist() == [*range(24, -1, -1)]  # of digits, too
    order = [6 * i + k for i in range(24, -1, -1) for k in (1, 0, 2, 3, 4, 5)]
    assert found.hypotheses == [DICTS[i]["hyp"] for i in order]
    assert np.array_equal(found.features, first.features[order])
    assert np.array_equal(found.stats, first.stats[order])
    both = [written("t.jsonl", tmp_path), written("list.parquet", tmp_path)]
    assert read_nbest(both, [REFS]).hypotheses == first.merge(first).hypotheses


def test_lines_in_a_file_that_is_called_as_a_table(tmp_path: Path) -> None:
    for name in ("t.jsonl", "t.csv", "t.tsv"):
        (tmp_path / name).write_text(MOSES, "utf-8")
        found = read_nbest(tmp_path / name, [REFS])
        assert found.names == ("lm_0", "length_0") and len(found) == 150


@pytest.mark.parametrize("form", [*FORMS, "t.csv"])
def test_choices_are_those_of_lines(form: str, run: Run, write: Write, tmp_path: Path) -> None:
    path, lines = written(form, tmp_path), write("moses", MOSES.encode())
    refs = write("refs", "".join(f"{ref}\n" for ref in REFS).encode())
    commands = ["mbr {} -m chrf -f json", "mbr {} -m bleu --shard 2/3", "oracle {} -r {} -f tsv"]
    if form != "t.csv":
        commands.append("tune {} -r {} -q --method mert --restarts 1")
    for command in commands:
        expected, found = (run(*command.format(own, refs).split()) for own in (lines, path))
        assert found.status == 0 and found.err == expected.err, found
        assert (
            found.out.replace("length  ", "length_0").split("\n")[-2:]
            == (expected.out.split("\n")[-2:])
        )
        if "tune" not in command:
            assert found.out == expected.out


def test_texts_of_several_lines(run: Run, write: Write) -> None:
    texts = ["a b\nc d", "a b\nc", "x"]
    path = write("t.jsonl", json_lines([{"id": 0, "hyp": texts}]))
    assert json.loads(run("mbr", path, "-m", "chrf", "-f", "json").out)[0]["text"] == texts[0]
    found = run("mbr", path, "-m", "chrf", "-f", "tsv").out
    assert found.endswith('"a b\nc d"\n')
    message = "segment 1: several lines; use -f json"
    assert failure(run("mbr", path, "-m", "chrf")) == message
    nbest = NBestList.from_lists([texts], [[{"x": 1}, {"x": 2}, {"x": 3}]], [["a b c d"]])
    assert nbest.hypotheses == texts


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"hyp": ["a"], "features": [{"x": 1}]}], "line 1: expected one column 'id'; got 'hyp'"),
        ([{"id": 0, "text": "a"}], "line 1: expected one column 'hyp'; got 'id', 'text'"),
        ([{"id": 0, "hyp": "a"}], "line 1: expected one column 'features'; got 'id', 'hyp'"),
        ([DICTS[0], {"id": 0, "hyp": "a"}], "line 2: expected one column 'features'; got 'id', 'h"),
        ([LISTS[0], LISTS[0]], "line 2, column 'id': expected an index or a text, once for a list"),
        ([LISTS[0], DICTS[0]], "line 2, column 'id': expected an index or a text, once for a list"),
        ([DICTS[0] | {"id": None}], "line 1, column 'id': expected an index or a text, .* None"),
        ([DICTS[0] | {"id": 1.5}], "line 1, column 'id': expected an index or a text, .* 1.5"),
        ([DICTS[0] | {"id": -1}], "line 1: expected a segment below 25; got -1"),
        ([DICTS[0] | {"id": 25}], "line 1: expected a segment below 25; got 25"),
        ([DICTS[0] | {"id": 2**70}], "line 1: expected a segment below 25; got 118059"),
        ([DICTS[0] | {"hyp": None}], "line 1: expected text, or a list of texts, .*; got None, {"),
        ([DICTS[0] | {"hyp": ["a", 5]}], "line 1: expected text, or a list of texts, .*; got "),
        ([LISTS[0] | {"hyp": []}], "line 1: expected text, or a list of texts, .*; got "),
        ([LISTS[0] | {"features": [{"x": 1}]}], "line 1: expected text, .* as many features; got "),
        (
            [DICTS[0], DICTS[1] | {"features": {"lm": 1}}],
            "line 2: expected feature 'length', as in the first row; got none",
        ),
        (
            [DICTS[0], DICTS[1] | {"features": {"lm": 1, "length": None}}],
            "line 2: expected a finite number as feature 'length'; got None",
        ),
        (
            [DICTS[0], DICTS[1] | {"features": {"lm": 1, "length": "3"}}],
            "line 2: expected a finite number as feature 'length'; got '3'",
        ),
        (
            [DICTS[0], DICTS[1] | {"features": {"lm": 1, "length": float("nan")}}],
            "line 2: expected a finite number as feature 'length'; got nan",
        ),
        ([DICTS[0] | {"features": [1, 2]}], r"line 1: expected finite numbers by name; got \[1"),
        ([DICTS[0]], "expected hypotheses for each of 25 references; got none for segments 1, 2"),
    ],
)
def test_what_is_refused(rows: list[Any], message: str, tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_bytes(json_lines(rows))
    with pytest.raises(ValueError, match=rf"t\.jsonl(, |: ){message}"):
        read_nbest(tmp_path / "t.jsonl", [REFS])


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ([[{"x": 1}], [{"x": 1}, {"x": 2}, {"x": 3}]], "features: expected one for each"),
        ([[{"x": 1}, {"x": 2}], [{"x": 3}]], "features: expected one for each hypothesis"),
        (
            [[{"x": 1}, {"y": 2}], [{"x": 3}, {"x": 4}]],
            r"features\[1\]: expected feature 'x', as in the first row; got none",
        ),
        ([{"x": 1}, {"x": 2}, {"x": 3}, 5], r"features\[3\]: expected finite numbers by name"),
    ],
)
def test_features_by_name_that_are_refused(features: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        NBestList.from_lists([["a", "b"], ["c", "d"]], features, [["a", "c"]])


def test_a_segment_that_comes_again(run: Run, write: Write) -> None:
    rows = [{"id": own, "hyp": "a"} for own in (0, 0, 1, 0)]
    path = write("t.jsonl", json_lines(rows))
    message = f"{path}, line 4: expected segment 1 or 2, as candidates are sorted by segment"
    assert failure(run("mbr", path, "-m", "chrf")).startswith(message)
    refs = write("refs", b"a\nb\n")
    path = write("t.jsonl", json_lines([{"id": 1, "hyp": "a"}]))
    message = f"{path}, line 1: expected segment 0, as candidates are sorted by segment"
    assert failure(run("oracle", path, "-r", refs)).startswith(message)
    assert "not with an n-best list" in failure(run("mbr", path, "--n-best", "2"))
    assert "an n-best list is read alone" in failure(run("mbr", path, refs))


def test_nothing(tmp_path: Path) -> None:
    for name in ("t.jsonl", "t.csv"):
        (tmp_path / name).write_bytes(b"id,hyp,features\n" if name == "t.csv" else b"")
        with pytest.raises(ValueError, match=f"{name}: expected hypotheses; got none"):
            read_nbest(tmp_path / name, [["a"]], metric=BLEU())
