"""Malformed text files of scores, judgments, links and weights: errors name them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rapidbleu.alignment import read_links
from rapidbleu.meta import (
    read_direct_assessment,
    read_folder,
    read_judge_norms,
    read_judgments,
    read_mqm,
    read_mqm_scores,
    read_segment_scores,
    read_system_scores,
    read_table,
)
from rapidbleu.tuning import read_nbest, read_stats
from rapidbleu.tuning.moses.weights import read_dense_weights, read_init_opt, read_sparse_weights
from support.command_line import HYP, REF_A, Run, failure
from support.peers import peer

LONG = b"x" * 200_000  # beyond csv's limit for a field
HEADER = b"system\tsegment\tjudge\tscore\tseg_id\tdoc\tdoc_id\trater\tcategory\tseverity"
CROWD = b"HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time"
BAD: dict[str, bytes] = {
    "latin-1": b"caf\xe9\t1\n",
    "latin-1 in a table": HEADER + b"\nA\t1\tcaf\xe9\t1\t1\td\t1\tr\tc\tmajor\n",
    "latin-1 in assessments": CROWD + b"\n3IK M0013 cs en ad 4 caf\xe9 10 SYSTEM 177 81 931.0\n",
    "a long field": HEADER + b"\nA\t1\t" + LONG + b"\t1\t1\td\t1\tr\tc\tmajor\n",
    "a long quoted field": b'"' + LONG + b'",1,2\n',
    "a long word": CROWD + b"\n3IK " + LONG + b" cs en ad 4 Online-A.5 10 SYSTEM 177 81 931.0\n",
    "a long column": b"[1] " + LONG + b"\n[1] 5\n[1] 3\n",
    "a quote without end": HEADER + b'\nA\t1\t"ab\t1\t1\td\t1\tr\tc\tmajor\n',
    "carriage returns": b"a,b\rc,d\re,f\n",
    "zeros": b"\0\0\0\0",
    "UTF-16": "system\tsegment\tscore\n".encode("utf-16"),
    "deep JSON": b"[" * 100_000,
    "deep objects": b'{"a":' * 100_000,
    "Parquet": b"PAR1 and more that is none",
    "gzip": b"\x1f\x8b and more that is none",
    "nothing": b"",
    "only a line feed": b"\n",
}
READERS: dict[str, Callable[[Path], Any]] = {
    "read_table": read_table,
    "read_judgments": read_judgments,
    "read_mqm": read_mqm,
    "read_mqm_scores": read_mqm_scores,
    "read_direct_assessment": read_direct_assessment,
    "read_judge_norms": read_judge_norms,
    "read_segment_scores": read_segment_scores,
    "read_system_scores": read_system_scores,
    "read_links": read_links,
    "read_dense_weights": read_dense_weights,
    "read_sparse_weights": read_sparse_weights,
    "read_init_opt": read_init_opt,
    "read_nbest": lambda path: read_nbest(path, [["a"]]),
    "read_stats": lambda path: read_stats(path, path),
    "commas": lambda path: read_table(path, delimiter=","),
}
PARQUET = [".parquet"] if peer("pyarrow") else []
ENDINGS = (".tsv", ".csv", *PARQUET, ".tsv.gz")
EMPTY = ("nothing", "only a line feed")
FINE = {
    "read_links": EMPTY,
    "read_sparse_weights": EMPTY,
    "read_dense_weights": EMPTY,
    "read_mqm": ("a long field", "a quote without end"),  # has no quotes
}


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("name", READERS)
def test_errors_of_readers_name_the_file(name: str, kind: str, tmp_path: Path) -> None:
    for ending in ENDINGS:
        path = tmp_path / f"bad{ending}"
        path.write_bytes(BAD[kind])
        try:
            READERS[name](path)
        except ValueError as error:
            assert not isinstance(error, UnicodeError)
            assert str(error).startswith(str(path)), error
        else:
            assert kind in FINE.get(name, ())


@pytest.mark.parametrize("kind", BAD)
def test_errors_of_commands_name_the_file(kind: str, run: Run, tmp_path: Path) -> None:
    for ending in (".tsv", ".csv", ".json", *PARQUET):
        path = tmp_path / f"bad{ending}"
        path.write_bytes(BAD[kind])
        for command in (
            [REF_A, "-i", HYP, "--scores", f"Q={path}"],
            ["compare", HYP, REF_A, "-r", REF_A, "--scores", f"Q={path}"],
            ["correlate", "-r", REF_A, "-i", HYP, "--human", str(path)],
            ["correlate", "--scores", f"Q={path}", "--human", str(path)],
        ):
            assert failure(run(*command)).startswith(f"{path}"), command


def test_folders_of_evaluation_sets(tmp_path: Path) -> None:
    for folder in ("sources", "references", "system-outputs/en-de", "human-scores", "documents"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "system-outputs" / "en-de" / "A.txt").write_bytes(b"a\n")
    (tmp_path / "sources" / "en-de.txt").write_bytes(b"caf\xe9\n")
    with pytest.raises(ValueError, match=r"en-de\.txt: expected UTF-8 after line 0"):
        read_folder(tmp_path, "en-de")


def test_files_without_segments(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.write_bytes(b"")
    expected = f"{path}: no segments"
    assert failure(run("explain", str(path), str(path))) == expected
    assert failure(run("explain", str(path), str(path), "--segment", "2")) == expected
