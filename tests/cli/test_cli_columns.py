"""``--table``: columns of tables are treated like files of lines in all commands."""

import csv
import io
import json
import os
import re
import tempfile
import threading
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import pytest

from rapidbleu import BLEU, CHRF, TER
from rapidbleu.streams.tables import FORMATS
from support.arrow.files import WRITERS
from support.command_line import Run, Write, failure
from support.corpora import random_corpus
from support.processes import PEAK, linux_only, unsanitized
from support.processes import run as run_program

N = 60
RNG = Random("columns")


def lines(texts: list[str]) -> list[str]:
    return [" ".join(text.split()).strip('"') or "x" for text in texts]


HYPS, STREAMS = random_corpus(RNG, N, kind="mixed", n_refs=2)
HYPS, STREAMS = lines(HYPS), [lines(own) for own in STREAMS]
OTHERS = lines(random_corpus(RNG, N, kind="mixed", n_refs=2)[1][0])
DOMAINS = [("news", "social", "chat")[i % 7 % 3] for i in range(N)]
YEARS = [(9, 10, 2024)[i % 5 % 3] for i in range(N)]
LISTS = [list(several) for several in zip(*STREAMS, strict=True)]
COLUMNS: dict[str, list[Any]] = {
    "mt": HYPS,
    "mt.2": OTHERS,
    "a": STREAMS[0],
    "b": STREAMS[1],
    "domain": DOMAINS,
    "year": YEARS,
    "refs": LISTS,
}
METRICS = ["-m", "bleu", "chrf", "ter", "wordf"]
PER_SYSTEM = ("", "-sl", "-ci -n 50", "-f csv", "-m nist -w 9", "--shard 2/3", "-sl --shard 2/3")


@pytest.fixture(params=WRITERS)
def table(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(WRITERS[request.param](tmp_path / request.param, COLUMNS))


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("mt", "mt.2", "a", "b"):
        Path(f"{name}.txt").write_text("".join(f"{text}\n" for text in COLUMNS[name]), "utf-8")


def ok(run: Run, *args: str) -> str:
    result = run(*args)
    assert (result.status, result.err) == (0, ""), result
    return result.out


def has_lists(table: str) -> bool:
    return not table.endswith((".tsv", ".csv"))


# Equal to lines, and to Python


@pytest.mark.parametrize("options", PER_SYSTEM)
def test_scores_are_those_of_lines(options: str, table: str, files: None, run: Run) -> None:
    words = [*METRICS, *options.split()] if "-m" not in options else options.split()
    names = [] if "csv" not in options else ["--names", "mt"]
    expected = ok(run, "score", "a.txt", "b.txt", "-i", "mt.txt", *names, *words)
    given = ["score", "--table", table, "--hyp", "mt"]
    assert ok(run, *given, "--ref", "a", "b", *words) == expected
    assert ok(run, *given, "--ref", "a", "--ref", "b", *words) == expected
    if has_lists(table):
        assert ok(run, *given, "--ref", "refs", *words) == expected


@pytest.mark.parametrize("options", ["", "-sl", "-ci -n 50", "-pbs -n 50", "-m nist", "-f tsv"])
def test_systems_are_those_of_lines(options: str, table: str, files: None, run: Run) -> None:
    words = options.split()
    expected = ok(
        run, "score", "a.txt", "-i", "mt.txt", "mt.2.txt", "--names", "mt", "mt.2", *words
    )
    given = ["--table", table, "--hyp", "mt", "mt.2", "--ref", "a"]
    assert ok(run, "score", *given, *words) == expected
    named = ok(run, "score", *given, *words, "--names", "A", "B")
    assert ("mt.2" in named or "mt_2" in named) is False


def test_scores_are_those_of_python(table: str, run: Run) -> None:
    for metric, name in ((BLEU(), "bleu"), (CHRF(), "chrf"), (TER(), "ter")):
        found = json.loads(
            ok(
                run,
                "score",
                "--table",
                table,
                "--hyp",
                "mt",
                "--ref",
                "a",
                "b",
                "-m",
                name,
                "-w",
                "12",
            )
        )
        assert found["score"] == round(metric.corpus_score(HYPS, STREAMS).score, 12)


def test_several_tables_follow_each_other(run: Run, tmp_path: Path) -> None:
    paths = []
    for i, name in enumerate(("t.jsonl", "t.csv", "t.tsv")):
        part = {key: own[20 * i : 20 * i + 20] for key, own in COLUMNS.items()}
        paths.append(str(WRITERS[name](tmp_path / name, part)))
    given = ["score", "--table", *paths, "--hyp", "mt", "--ref", "a", "b", "-w", "9"]
    assert json.loads(ok(run, *given))["score"] == round(
        BLEU().corpus_score(HYPS, STREAMS).score, 9
    )


def test_default_columns(run: Run, tmp_path: Path) -> None:
    path = WRITERS["t.csv"](tmp_path / "t.csv", {"ref": STREAMS[0], "hyp": HYPS})
    found = json.loads(ok(run, "score", "--table", str(path), "-w", "9"))
    assert found["score"] == round(BLEU().corpus_score(HYPS, STREAMS[:1]).score, 9)


@pytest.mark.parametrize("options", ["", "-f json --show scores segments examples"])
def test_comparisons_are_those_of_lines(options: str, table: str, files: None, run: Run) -> None:
    names = ["--names", "mt", "mt.2", "-n", "50", *options.split()]
    expected = ok(run, "compare", "mt.txt", "mt.2.txt", "-r", "a.txt", "b.txt", *names)
    given = ["compare", "--table", table, "--hyp", "mt", "mt.2", "-n", "50", *options.split()]
    assert ok(run, *given, "--ref", "a", "b") == expected
    if has_lists(table):
        assert ok(run, *given, "--ref", "refs") == expected


def test_labels_and_sources_are_columns(table: str, files: None, run: Run) -> None:
    Path("domain.txt").write_text("".join(f"{name}\n" for name in DOMAINS), "utf-8")
    shown = ["-f", "json", "--show", "buckets", "examples", "-n", "50"]
    expected = ok(
        run,
        "compare",
        "mt.txt",
        "mt.2.txt",
        "-r",
        "a.txt",
        "--names",
        "mt",
        "mt.2",
        "--labels",
        "domain.txt",
        "--source",
        "b.txt",
        *shown,
    )
    given = ["compare", "--table", table, "--hyp", "mt", "mt.2", "--ref", "a", *shown]
    assert ok(run, *given, "--labels", "domain", "--source", "b") == expected
    message = f"{table}(, line 1)?: expected one column 'x'; got 'mt', "
    assert re.match(message, failure(run(*given, "--labels", "x")))


def test_explanations_are_those_of_lines(table: str, files: None, run: Run) -> None:
    for i in ("1", "17"):
        words = ["--segment", i, "-m", "bleu", "chrf"]
        expected = ok(run, "explain", "mt.txt", "a.txt", "b.txt", *words)
        given = ["explain", "--table", table, "--hyp", "mt", "--ref", "a", "b"]
        assert ok(run, *given, *words) == expected


def test_references_of_any_number(run: Run, write: Write) -> None:
    refs: list[Any] = [["a b c d e"], ["a c", "b c"], ["x y", None, "x"], "a b c"]
    hyps = ["a b c e", "a b c", "x y z", "b c"]
    rows = [{"hyp": hyp, "ref": ref} for hyp, ref in zip(hyps, refs, strict=True)]
    path = write("t.jsonl", "".join(json.dumps(row) + "\n" for row in rows[:3]).encode())
    expected = CHRF().corpus_score(hyps[:3], refs[:3], layout="segment")
    for options in ("", "-sl", "-ci"):
        out = ok(
            run, "score", "--table", path, "-m", "chrf", "-f", "json", "-w", "9", *options.split()
        )
        if not options:
            assert json.loads(out)["score"] == round(expected.score, 9)
            assert json.loads(out)["nrefs"] == "var"
    out = ok(run, "explain", "--table", path, "--segment", "3", "-m", "chrf", "-f", "json")
    assert len(json.loads(out)[0]["references"]) == 2
    path = write("t.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode())
    message = f"{path}, line 4, column 'ref': expected a sequence of references; got a single str"
    for options in ("", "-ci"):
        assert failure(run("score", "--table", path, *options.split())) == message


# Groups


@pytest.mark.parametrize("by", [["domain"], ["year"], ["domain", "year"]])
def test_groups_are_scored_alone(
    by: list[str], table: str, files: None, run: Run, tmp_path: Path
) -> None:
    given = ["score", "--table", table, "--hyp", "mt", "mt.2", "--ref", "a", "b", *METRICS]
    entries = json.loads(ok(run, *given, "--by", *by, "-w", "12", "-f", "json"))
    whole = json.loads(ok(run, *given, "-w", "12", "-f", "json"))
    assert len(entries) == 8
    as_text = table.endswith((".tsv", ".csv"))
    for entry, alone in zip(entries, whole, strict=True):
        groups, macro = entry.pop("groups"), entry.pop("macro")
        assert entry == alone
        assert macro == round(fmean(group["score"] for group in groups), 12)
        keys = [tuple(group["group"].values()) for group in groups]
        assert sum(group["n_segments"] for group in groups) == N
        if as_text:
            keys = [tuple(int(x) if x.isdecimal() else x for x in key) for key in keys]
        assert keys == sorted({*zip(*(COLUMNS[name] for name in by), strict=True)})
    for k, key in enumerate(keys):
        kept = [i for i in range(N) if tuple(COLUMNS[name][i] for name in by) == key]
        for name in ("mt", "mt.2", "a", "b"):
            text = "".join(f"{COLUMNS[name][i]}\n" for i in kept)
            Path(f"{name}.part").write_text(text, "utf-8")
        alone = json.loads(
            ok(run, "score", "a.part", "b.part", "-i", "mt.part", "mt.2.part", *METRICS, "-w", "12")
        )
        found = json.loads(ok(run, *given, "--by", *by, "-w", "12", "-f", "json"))
        assert [own["groups"][k]["score"] for own in found] == [own["score"] for own in alone]
        assert found[0]["groups"][k]["n_segments"] == len(kept)


def test_groups_as_a_table(run: Run, tmp_path: Path) -> None:
    path = str(WRITERS["t.jsonl"](tmp_path / "t.jsonl", COLUMNS))
    given = ["score", "--table", path, "--hyp", "mt", "mt.2", "--ref", "refs", "--by", "domain"]
    rows = list(csv.reader(io.StringIO(ok(run, *given, "-f", "csv", "-m", "chrf", "bleu"))))
    assert rows[0] == ["domain", "n_segments", "mt_bleu", "mt_chrf", "mt_2_bleu", "mt_2_chrf"]
    assert [row[0] for row in rows[1:]] == ["chat", "news", "social", "(macro)", "(micro)"]
    assert rows[4][1] == rows[5][1] == str(N)
    text = ok(run, *given, "-m", "chrf", "bleu").splitlines()
    assert text[0].split() == [
        "domain",
        "n_segments",
        "mt",
        "BLEU",
        "mt",
        "chrF2",
        "mt.2",
        "BLEU",
        "mt.2",
        "chrF2",
    ]
    assert [line.split()[1:] for line in text[1:]] == [row[1:] for row in rows[1:]]
    assert ok(run, *given, "-f", "markdown").startswith("| domain ")
    assert r"\begin{tabular}" in ok(run, *given, "-f", "latex")
    alone = json.loads(ok(run, *given[:5], "--ref", "refs", "--by", "domain", "-f", "json"))
    assert alone["name"] == "BLEU" and len(alone["groups"]) == 3


def test_order_of_groups(run: Run, write: Write) -> None:
    values = ["wmt10", "wmt9", None, "10", "9", "b", "nan", 3, 2.5]
    rows = [{"hyp": "a", "ref": "a", "x": value} for value in values[:7]]
    path = write("t.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode())
    found = json.loads(ok(run, "score", "--table", path, "--by", "x", "-f", "json"))["groups"]
    order = [group["group"]["x"] for group in found]
    assert order == ["9", "10", "b", "nan", "wmt9", "wmt10", None]
    rows = [{"hyp": "a", "ref": "a", "x": value} for value in [*values[7:], None, 1]]
    path = write("t.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode())
    found = json.loads(ok(run, "score", "--table", path, "--by", "x", "-f", "json"))["groups"]
    assert [group["group"]["x"] for group in found] == [1, 2.5, 3, None]


def test_groups_of_statistics_are_those_of_texts(run: Run, tmp_path: Path) -> None:
    path = str(WRITERS["t.jsonl"](tmp_path / "t.jsonl", COLUMNS))
    rows = [str(tmp_path / name) for name in ("mt.npz", "mt.2.npz")]
    for out, hyp in zip(rows, ("mt", "mt.2"), strict=True):
        given = ["--table", path, "--hyp", hyp, "--ref", "refs"]
        ok(run, "stats", *given, "--keep", "domain", "year", "-o", out, "-m", "chrf")
    options = ["--by", "domain", "year", "-f", "tsv", "-w", "9"]
    expected = ok(
        run,
        "score",
        "--table",
        path,
        "--hyp",
        "mt",
        "mt.2",
        "--ref",
        "refs",
        "-m",
        "chrf",
        *options,
    )
    assert ok(run, "score", "--stats", *rows, "--names", "mt", "mt.2", *options) == expected


# From pipes


FORM = {".ipc": "arrow", ".feather": "arrow", ".ndjson": "jsonl"}
PIPED = (
    "score --by domain",
    "compare --show scores -n 9",
    "explain --segment 7 -f json",
    "stats -m chrf -o {}",
)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of temporary files, which commands leave empty."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return tmp_path / "temporary"


@pytest.mark.parametrize("words", PIPED)
def test_tables_from_a_pipe(
    words: str, table: str, files: None, run: Run, tmp_path: Path, temporary: Path
) -> None:
    out, data = tmp_path / "out.npz", Path(table).read_bytes()
    columns = ["--hyp", "mt", "--ref", "a", "b"]
    ending = Path(table.removesuffix(".gz")).suffix
    form = FORM.get(ending, ending[1:])

    def found(*source: str) -> tuple[Any, ...]:
        result = run(*words.format(out).split(), "--table", *source, *columns, stdin=data)
        assert not [*temporary.iterdir()]
        return result, out.exists() and out.read_bytes()

    expected = found(table)
    assert expected[0].status == 0
    assert found("-", "--table-format", form) == expected
    manifest = Path(f"{out}.json")
    if manifest.exists():
        assert json.loads(manifest.read_text("utf-8"))["inputs"] == ["standard input"]


@linux_only
def test_tables_from_a_named_pipe(run: Run, tmp_path: Path) -> None:
    path = WRITERS["t.jsonl"](tmp_path / "t.jsonl", COLUMNS)
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_bytes(path.read_bytes()))
    writer.start()
    options = ["--hyp", "mt", "mt.2", "--ref", "a", "-f", "csv", "-m", "bleu", "chrf"]
    piped = ok(run, "score", "--table", str(tmp_path / "pipe"), "--table-format", "jsonl", *options)
    writer.join()
    assert piped == ok(run, "score", "--table", str(path), *options)


@pytest.mark.parametrize(
    ("words", "data", "message"),
    [
        ("--table -", b"", "--table -: expected the format as well, with --table-format"),
        ("--table t.tsv --table-format tsv", b"", "--table-format: expected - or a pipe as --tab"),
        ("--table - --table-format jsonl", b"{}\n", "standard input, line 1: expected one column"),
        ("--table - --table-format parquet", b"PAR2", "standard input: "),
        ("--table - --table-format tsv", b"hyp\tref\na\n", "standard input, line 2: expected 2 fi"),
    ],
)
def test_tables_that_are_refused_from_a_pipe(
    words: str,
    data: bytes,
    message: str,
    run: Run,
    write: Write,
    temporary: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(Path(write("t.tsv", b"hyp\tref\na\ta\n")).parent)
    assert failure(run("score", *words.split(), stdin=data)).startswith(message)
    assert not [*temporary.iterdir()]
    message = "--table-format: a column of --table"
    found = run("score", write("ref", b"a\n"), "--table-format", "tsv", stdin=b"a\n")
    assert failure(found, 2).startswith(message)


# What is refused


ROWS = [{"hyp": "a b c d e", "ref": "a b c d", "d": "x"}, {"hyp": "a", "ref": "a", "d": "y"}]


def of_rows(*changes: dict[str, Any]) -> bytes:
    rows = [own | change for own, change in zip(ROWS, changes, strict=False)]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.mark.parametrize(
    ("name", "data", "options", "message"),
    [
        (
            "t.jsonl",
            of_rows({}, {"hyp": None}),
            "",
            ", line 2, column 'hyp': expected str; got NoneType",
        ),
        ("t.jsonl", of_rows({}, {"hyp": 5}), "", ", line 2, column 'hyp': expected str; got int"),
        ("t.jsonl", of_rows({}, {"ref": None}), "", ", line 2 has no reference"),
        ("t.jsonl", of_rows({}, {"ref": None}), "-ci", ", line 2 has no reference"),
        (
            "t.jsonl",
            of_rows({"ref": ["a"]}, {"ref": []}),
            "",
            ", line 2, column 'ref' has no reference",
        ),
        (
            "t.jsonl",
            of_rows({}, {}) + b'{"hyp": "a"}\n',
            "",
            ", line 3: expected one column 'ref'; got 'hyp'",
        ),
        (
            "t.jsonl",
            of_rows({}, {"d": ["x"]}),
            "--by d",
            ", line 2, column 'd': expected a number, a str or None; got list",
        ),
        (
            "t.jsonl",
            of_rows({}, {"d": 5}),
            "--by d",
            ", column 'd': expected numbers or texts; got both",
        ),
        (
            "t.jsonl",
            of_rows({}),
            "--by e",
            ", line 1: expected one column 'e'; got 'hyp', 'ref', 'd'",
        ),
        ("t.jsonl", of_rows({}), "--hyp x y", ", line 1: expected one column 'x'; got 'hyp'"),
        ("t.jsonl", of_rows({}) + b"{\n", "", ", line 2: no JSON: "),
        ("t.csv", b"hyp,ref\na b,a\nb\n", "", ", line 3: expected 2 columns; got 1"),
        ("t.csv", b'hyp,ref\n"a\nb",a\nb\n', "", ", line 4: expected 2 columns; got 1"),
        ("t.csv", b'hyp,ref\na,"a\n', "", ", line 2: unexpected end of data"),
        ("t.csv", b'hyp,ref\na,"a" b\n', "", ", line 2: ',' expected after '\"'"),
        ("t.csv", b"hyp;ref\na;b\n", "", ", line 1: expected one column 'hyp'; got 'hyp;ref'"),
        ("t.csv", b"hyp,hyp,ref\na,a,a\n", "", ", line 1: expected one column 'hyp'; got 2 of"),
        ("t.csv", b"hyp,ref\na,b\xff\n", "", ": expected UTF-8 after line 1"),
        ("t.csv", b"", "", ": expected a header; got an empty file"),
        (
            "t.tsv",
            b'hyp\tref\n"a ""b"" c"\ta\n',
            "",
            ", line 2: expected text as it is; got quotes of CSV, which .csv files have",
        ),
        ("t.tsv", b'hyp\tref\n"a\nb"\ta\n', "", ", line 2: expected 2 fields with tabs"),
        ("t.tsv", b"hyp\tref\na\tb\tc\n", "", ", line 2: expected 2 fields with tabs"),
        (
            "t.tsv",
            b'"hyp"\t"ref"\n"a"\t"b"\n',
            "",
            ": expected one column 'hyp'; got '\"hyp\"', '\"ref\"'",
        ),
        ("t.txt", b"hyp\tref\n", "", ": expected a file that ends in one of .parquet, .arrow"),
    ],
)
@pytest.mark.parametrize("command", ["score", "compare"])
def test_bad_tables(
    command: str, name: str, data: bytes, options: str, message: str, run: Run, write: Write
) -> None:
    if command == "compare" and ("--by" in options or "-ci" in options):
        return
    path = write(name, data)
    found = failure(run(command, "--table", path, *options.split()))
    assert found.startswith(path) and message in found


def test_bad_parquet(run: Run, tmp_path: Path) -> None:
    for name in ("none.parquet", "none.arrow", "none.csv", "none.jsonl"):
        pytest.importorskip("pyarrow")
        path = str(tmp_path / name)
        assert failure(run("score", "--table", path)).startswith(f"{path}: ")
    path = str(WRITERS["t.parquet"](tmp_path / "t.parquet", COLUMNS))
    for words, message in (
        ("--hyp x --ref a", ": expected one column 'x'; got 'mt', 'mt.2', 'a', 'b', 'domain'"),
        (
            "--hyp year --ref a",
            ", row group 0, column 'year': expected an Arrow column of strings; got format 'l'",
        ),
        (
            "--hyp mt --ref a --by refs",
            ", row group 0, row 0, column 'refs': expected a number, a str or None; got list",
        ),
    ):
        found = failure(run("score", "--table", path, *words.split()))
        assert found.startswith(path) and message in found
    for words in ("--hyp mt --ref a", "--hyp mt --ref refs"):
        columns = COLUMNS | {"mt": [*HYPS[:33], None, *HYPS[34:]]}
        WRITERS["t.parquet"](tmp_path / "t.parquet", columns)
        found = failure(run("score", "--table", path, *words.split()))
        assert found.startswith(f"{path}, row group 1, row 13, column 'mt': expected ")


@pytest.mark.parametrize("form", ["text", "csv"])
def test_marks_and_ends_of_lines(form: str, run: Run, write: Write) -> None:
    mark, expected = (
        b"\xef\xbb\xbf",
        BLEU().corpus_score(["a b, c d e", "x\ny"], [["a b, c d", "x"]]),
    )
    text = 'hyp,ref\r\n"a b, c d e","a b, c d"\r\n\r\n"x\ny",x\r\n'
    jsonl = b'{"hyp": "a b, c d e", "ref": "a b, c d"}\r\n{"hyp": "x\\ny", "ref": "x"}\r\n'
    for path in (write("t.csv", mark + text.encode()), write("t.jsonl", mark + jsonl)):
        out = ok(run, "score", "--table", path, "-w", "9", "-f", "json")
        assert json.loads(out)["score"] == round(expected.score, 9)
    path = write("t.tsv", mark + b'hyp\tref\r\na "b" c d\ta "b" c d e\r\n"a"\t"a"\r\n')
    out = ok(run, "score", "--table", path, "-w", "9", "-f", "json")
    expected = BLEU().corpus_score(['a "b" c d', '"a"'], [['a "b" c d e', '"a"']])
    assert json.loads(out)["score"] == round(expected.score, 9)


@pytest.mark.parametrize("command", ["score", "compare", "explain", "stats -o o.npz"])
def test_options_that_do_not_go_together(
    command: str, run: Run, write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    write("t.csv", b"hyp,ref\na,b\n")
    name, *rest = command.split()
    table, of_files = ["--table", "t.csv"], "not with --table, whose columns --hyp and --ref name"
    for words, message in (
        ([*table, "-r", "x"], f"-r/--refs: {of_files}"),
        ([*table, "-i", "x"], f"-i/--input: {of_files}"),
        ([*table, "-e", "latin-1"], f"-e/--encoding: {of_files}"),
        (
            ["--hyp", "x", "-i", "t.csv", "-r", "t.csv"],
            "--hyp: a column of --table; files are for -i/--input and -r/--refs",
        ),
        (
            ["--ref", "x", "-i", "t.csv", "-r", "t.csv"],
            "--ref: a column of --table; files are for -i/--input",
        ),
    ):
        result = run(name, *rest, *words)
        assert result.status == 2 and f"rapidbleu: {message}" in result.err, result
    message = {
        "score": "--names: expected each name once; got 'hyp' again",
        "compare": "",
        "explain": "--hyp: expected different columns",
        "stats": "-i/--input: expected one system; got 2",
    }[name]
    result = run(name, *rest, *table, "--hyp", "hyp", "hyp")
    assert result.status and message in result.err
    if name == "score":
        for option, says in (
            ("--stats", "--table: not with --stats"),
            ("-t", "-t/--test-set: not"),
        ):
            assert says in run(name, *table, option, "x").err
        message = "--by: nist: expected rows that add up"
        assert failure(run(name, *table, "--by", "hyp", "-m", "nist")).startswith(message)
        message = "--by: scores only, without -sl, -ci, -par, -pbs and --scores"
        assert failure(run(name, *table, "--by", "hyp", "-sl")) == message


def test_every_format_is_tried() -> None:
    assert {f".{name.split('.')[1]}" for name in WRITERS} == set(FORMATS)


# Memory


BOUNDED = (
    PEAK
    + """
import io, sys
from rapidbleu.cli import main
words = {words!r}.split()
out, sys.stdout = sys.stdout, io.TextIOWrapper(io.BytesIO())
assert main([*words[:2], {small!r}, *words[2:]]) == 0
before = peak()
assert main([*words[:2], {large!r}, *words[2:]]) == 0
print(peak() - before, file=out)
"""
)


@linux_only
@unsanitized
@pytest.mark.slow
@pytest.mark.parametrize("name", ["t.jsonl", "t.csv", "t.parquet", "t.npz"])
def test_memory_does_not_grow(name: str, run: Run, tmp_path: Path) -> None:
    """Statistics of a million segments take 80 MB, and their texts more."""
    rng = Random(0)
    texts = [" ".join(rng.choices([f"w{i}" for i in range(99)], k=9)) for _ in range(20_000)]
    paths = {}
    for size, n in (("small", 2), ("large", 25)):
        columns = {"hyp": texts * n, "ref": texts[::-1] * n, "d": [1, 2, 3, 4] * (5_000 * n)}
        own = "t.jsonl" if name == "t.npz" else name
        paths[size] = str(tmp_path / f"{size}{own}")
        if name == "t.parquet":  # in row groups of usual size
            pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
            pq.write_table(pa.table(columns), paths[size], row_group_size=40_000)
        else:
            WRITERS[own](Path(paths[size]), columns)
        if name == "t.npz":
            rows = str(tmp_path / f"{size}.npz")
            ok(run, "stats", "--table", paths[size], "--keep", "d", "-o", rows)
            paths[size] = rows
    source = "--stats" if name == "t.npz" else "--table"
    for options in ("", "--by d"):
        program = BOUNDED.format(words=f"score {source} {options} -f json", **paths)
        assert float(run_program(program, timeout=300)) < 12
