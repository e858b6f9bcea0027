"""Tables and byte order marks where each line of a file is to be a segment."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from rapidbleu import BLEU
from support.command_line import HYP, REF_A, Run, Write, failure
from support.peers import need

MARK = b"\xef\xbb\xbf"
TEXT = b"A cat sat on the mat.\nIt rained, at last.\n"
ROWS = [{"hyp": "A cat sat.", "ref": "The cat sat."}, {"hyp": "It rained.", "ref": "It rains."}]
JSON_LINES = "".join(f"{json.dumps(row)}\n" for row in ROWS).encode()
TSV = b"hyp\tref\nA cat sat.\tThe cat sat.\n"
TABLES = {
    "t.jsonl": (JSON_LINES, "JSON lines"),
    "t.JSONL.gz": (gzip.compress(JSON_LINES), "JSON lines"),
    "t.ndjson": (JSON_LINES, "JSON lines"),
    "t.json": (json.dumps(ROWS, indent=1).encode(), "JSON"),
    "t.tsv": (TSV, "tab-separated values"),
    "t.csv": (TSV.replace(b"\t", b","), "comma-separated values"),
    "t.parquet": (b"PAR1" + bytes(99), "Parquet"),
    "t.arrow": (b"ARROW1\0\0" + bytes(99), "Arrow"),
    "t.ipc": (b"\xff\xff\xff\xff" + bytes(99), "Arrow"),
}
COMMANDS = {
    "compare": "compare {t} {hyp} -r {ref}",
    "compare, references": "compare {hyp} -r {t}",
    "compare, labels": "compare {hyp} -r {ref} --labels {t}",
    "compare, source": "compare {hyp} -r {ref} --source {t}",
    "mbr": "mbr {t}",
    "mbr, several files": "mbr {hyp} {t}",
    "oracle": "oracle {t} -r {ref}",
    "oracle, references": "oracle {hyp} -n 1 -r {t}",
    "explain": "explain {t} {ref}",
    "explain, references": "explain {hyp} {t}",
    "correlate": "correlate --human {human} -r {ref} -i {t} {hyp}",
    "correlate, references": "correlate --human {human} -r {t} -i {hyp} {ref}",
    "stats": "stats {ref} -i {t} -o {folder}/o.npz",
    "stats, references": "stats {t} -i {hyp} -o {folder}/o.npz",
    "stats, read at once": "stats {t} -i {hyp} -o {folder}/o.npz -m nist",
    "tune": "tune {hyp} -r {t}",
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("command", COMMANDS)
def test_tables_are_refused(
    command: str, name: str, run: Run, write: Write, tmp_path: Path
) -> None:
    data, what = TABLES[name]
    path = write(name, data)
    places = {"t": path, "hyp": HYP, "ref": REF_A, "folder": tmp_path}
    rows = "".join(f"{system}\t1\t{i}\n" for i, system in enumerate(("hyp.en", "ref.en", "t")))
    places["human"] = write("human.tsv", f"system\tsegment\tscore\n{rows}".encode())
    message = failure(run(*COMMANDS[command].format(**places).split()))
    assert message.startswith(f"{path}: expected a segment on each line, got {what}")
    assert ("with --ref COLUMN" in message) == (name[2:] not in ("json", "csv", "ndjson"))
    assert not (tmp_path / "o.npz").exists()


@pytest.mark.parametrize("name", [name for name in TABLES if not name.endswith(("t", "w", "c"))])
@pytest.mark.parametrize("options", ["", "-sl", "-m nist"])
def test_score_reads_tables_as_sacrebleu_does_and_warns(
    options: str, name: str, run: Run, write: Write
) -> None:
    data, what = TABLES[name]
    path, other = write(name, data), write("same.gz" if name.endswith("gz") else "same", data)
    found = run(path, "-i", path, *options.split())
    assert found.status == 0
    [line] = found.err.splitlines()
    assert line.startswith(f"rapidbleu: {path}: expected a segment on each line, got {what}")
    assert line.endswith("; its lines are scored as they are")
    assert run(path, "-i", path, "-q", *options.split()) == (0, found.out, "")
    assert run(other, "-i", other, *options.split()) == (0, found.out, "")


@pytest.mark.parametrize("name", ["text.jsonl", "text.tsv", "text.json", "text.arrow", "text"])
def test_text_may_be_called_anything(name: str, run: Run, write: Write) -> None:
    path = write(name, TEXT)
    for command in ("compare {t} -r {t}", "mbr {t} -n 1", "explain {t} {t}", "{t} -i {t}"):
        found = run(*command.format(t=path).split())
        assert (found.status, found.err) == (0, "")


def test_references_in_columns_are_tab_separated(run: Run, write: Write) -> None:
    refs = write("refs.tsv", b"a b c d\ta b c\nx y z w\tx\n")
    hyp = write("hyp", b"a b c d\nx y z w\n")
    for words in (["compare", hyp, "-r", refs, "-nr", "2"], [refs, "-i", hyp, "-nr", "2"]):
        found = run(*words)
        assert (found.status, found.err) == (0, "")


def test_the_way_that_messages_name(run: Run, write: Write, tmp_path: Path) -> None:
    rows = str(tmp_path / "rows.npz")
    for name in ("t.jsonl", "t.tsv"):
        path = write(name, TABLES[name][0])
        assert run("stats", path, "--hyp", "hyp", "--ref", "ref", "-o", rows).status == 0
        assert json.loads(run("--stats", rows).out)["name"] == "BLEU"


def test_real_tables_are_refused(run: Run, tmp_path: Path) -> None:
    pyarrow: Any = need("pyarrow")
    from pyarrow import feather, parquet

    table = pyarrow.table({"hyp": ["a"], "ref": ["a"]})
    parquet.write_table(table, tmp_path / "t.parquet")
    feather.write_feather(table, tmp_path / "t.feather")
    for name in ("t.parquet", "t.feather"):
        path = str(tmp_path / name)
        assert "got " in failure(run("compare", path, "-r", REF_A))
        assert "with --ref COLUMN" in failure(run("mbr", path))


# Byte order marks


@pytest.mark.parametrize("command", [
    "{ref} -i {t}", "{t} -i {ref}", "{ref} -i {t} -sl", "{ref} -i {t} -m bleu nist",
    "compare {t} -r {ref}", "compare {ref} -r {t}", "mbr {t} -n 1", "oracle {t} -n 1 -r {ref}",
    "explain {t} {ref}", "stats {ref} -i {t} -o {o}.npz", "stats {t} -i {ref} -o {o}.npz",
])  # fmt: skip
def test_a_byte_order_mark_is_warned_of(
    command: str, run: Run, write: Write, tmp_path: Path
) -> None:
    places = {"t": write("t", MARK + TEXT), "ref": write("ref", TEXT), "o": tmp_path / "o"}
    words = command.format(**places).split()
    found = run(*words)
    assert found.status == 0
    assert found.err.startswith(
        f"rapidbleu: {places['t']}: begins with a byte order mark, which is scored as a character; "
        "-e utf-8-sig reads files without it\n"
    )
    assert found.err.count("byte order mark") == 1
    assert run(*words, "-q") == (0, found.out, "")
    assert "byte order mark" not in run(*words, "-e", "utf-8-sig").err


def test_the_score_of_a_marked_file_is_sacrebleus(run: Run, write: Write) -> None:
    marked, ref = write("t", MARK + TEXT), write("ref", TEXT)
    text, reference = (data.decode().splitlines() for data in (MARK + TEXT, TEXT))
    expected = BLEU().corpus_score(text, [reference]).score
    assert expected < 100
    with open(marked, "rb") as file:
        piped = run(ref, "-b", "-w", "8", stdin=file.read())
    assert float(run(ref, "-i", marked, "-b", "-w", "8").out) == float(piped.out)
    assert float(piped.out) == pytest.approx(expected, abs=1e-8)
    assert piped.err.startswith("rapidbleu: standard input: begins with a byte order mark")
    assert len(piped.err.splitlines()) == 1
