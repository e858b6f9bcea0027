"""Files of tables in each format that `scan` reads."""

import csv
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def parquet(path: Path, columns: dict[str, Any]) -> Path:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table(columns), path, row_group_size=20)
    return path


def ipc(path: Path, columns: dict[str, Any]) -> Path:
    pa = pytest.importorskip("pyarrow")
    table = pa.table(columns)
    make = pa.ipc.new_stream if path.suffix == ".ipc" else pa.ipc.new_file
    with make(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=9)
    return path


def tsv(path: Path, columns: dict[str, Any]) -> Path:
    own = {name: column for name, column in columns.items() if isinstance(column[0], str | int)}
    rows = [list(own), *zip(*own.values(), strict=True)]
    path.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
    return path


def comma_separated(path: Path, columns: dict[str, Any]) -> Path:
    own = {name: column for name, column in columns.items() if isinstance(column[0], str | int)}
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([list(own), *zip(*own.values(), strict=True)])
    return path


def json_lines(path: Path, columns: dict[str, Any]) -> Path:
    rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    text = "".join(json.dumps(row) + "\n" for row in rows)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return path


WRITERS: dict[str, Callable[..., Path]] = {
    "t.parquet": parquet,
    "t.arrow": ipc,
    "t.feather": ipc,
    "t.ipc": ipc,
    "t.tsv": tsv,
    "t.csv": comma_separated,
    "t.jsonl": json_lines,
    "t.ndjson": json_lines,
    "t.jsonl.gz": json_lines,
}
