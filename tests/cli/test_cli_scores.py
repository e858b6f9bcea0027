"""External scores on the command line: ``--scores NAME=FILE ...``."""

import csv
import gzip
import io
import json
import re
from random import Random
from typing import Any

import pytest

from rapidbleu import SegmentScores
from rapidbleu.significance import bootstrap, paired_bootstrap, paired_randomization
from support.command_line import HYP, REF_A, REF_B, N, Run, Write, failure
from support.peers import need

_RNG = Random("scores")
A, B = ([round(_RNG.uniform(-1, 0.4), 4) for _ in range(N)] for _ in range(2))
SYSTEMS = [REF_A, "-i", HYP, REF_B, "--names", "A", "B"]
FAR = ["-w", "12"]


def lines(numbers: list[float]) -> bytes:
    return "".join(f"{number}\n" for number in numbers).encode()


def comet(systems: dict[str, list[float]], name: str = "COMET") -> bytes:
    """Return JSON in the format of COMET's command line."""
    data = {
        path: [{"src": "s", "mt": "m", "ref": "é", name: number} for number in numbers]
        for path, numbers in systems.items()
    }
    return json.dumps(data, ensure_ascii=False, indent=4).encode()


def table(header: list[str], separator: str = "\t") -> bytes:
    rows = [[str(i), str(a), str(b)] for i, (a, b) in enumerate(zip(A, B, strict=True))]
    return "".join(f"{separator.join(row)}\n" for row in [header, *rows]).encode()


def files(kind: str, write: Write) -> list[str]:
    """Return files with the same scores in different formats."""
    if kind == "plain":
        return [f"COMET={write('a.txt', lines(A))}", write("b.txt", lines(B))]
    if kind == "compressed":
        return [f"COMET={write('a.gz', gzip.compress(lines(A)))}", write("b=b.txt", lines(B))]
    if kind == "windows":
        marked = b"\xef\xbb\xbf" + lines(A).replace(b"\n", b"\r\n")
        return [f"COMET={write('a', marked)}", write("b.scores", lines(B)[:-1])]
    if kind == "names":
        return [f"COMET={write('t.tsv', table(['segment', 'A', 'B']))}"]
    if kind == "files":
        return [f"COMET={write('t.csv', table(['', 'hyp.en', REF_B], ','))}"]
    if kind == "tables":
        own = [b"B\n" + lines(B), b"other\tA\n" + b"".join(b"0\t%r\n" % number for number in A)]
        return [f"COMET={write('a.tsv', own[1])}", write("b.tsv", own[0])]
    if kind == "json":
        return [f"COMET={write('c.json', comet({REF_B: B, 'other': A, HYP: A}))}"]
    assert kind == "jsons"
    return [
        f"COMET={write('c.json', comet({'elsewhere': A}, 'COMET'))}",
        write("d.json.gz", gzip.compress(comet({"elsewhere": B}))),
    ]


KINDS = ["plain", "compressed", "windows", "names", "files", "tables", "json", "jsons"]


@pytest.mark.parametrize("kind", KINDS)
def test_files(kind: str, run: Run, write: Write) -> None:
    result = run(*SYSTEMS, "-f", "csv", "-b", *FAR, "--scores", *files(kind, write))
    assert (result.status, result.err) == (0, "")
    comets = [float(row["comet"]) for row in csv.DictReader(io.StringIO(result.out))]
    assert comets == pytest.approx([sum(A) / N, sum(B) / N], abs=1e-11)


def test_every_command(run: Run, write: Write) -> None:
    """Against the library, which does not read such files."""
    given = ["--scores", *files("plain", write)]
    metric = SegmentScores("COMET")
    rows = {"A": metric.stats(A), "B": metric.stats(B)}
    found = json.loads(run(*SYSTEMS, *given, *FAR).out)
    assert [(entry["system"], entry["name"]) for entry in found] == [
        ("A", "BLEU"),
        ("A", "COMET"),
        ("B", "BLEU"),
        ("B", "COMET"),
    ]
    assert found[1]["signature"] == ""
    segments = run(*SYSTEMS, *given, "-sl", "-b", *FAR).out.splitlines()
    assert [list(map(float, line.split()[2:])) for line in segments] == [
        pytest.approx([a, b], abs=1e-12) for a, b in zip(A, B, strict=True)
    ]
    intervals = json.loads(run(*SYSTEMS, *given, "-ci", *FAR).out)
    for entry, own in zip(intervals[1::2], rows.values(), strict=True):
        expected: Any = bootstrap(own, None, metric)
        assert expected.mean < 0
        assert entry["confidence_mean"] == pytest.approx(expected.mean, abs=1e-12)
        assert entry["confidence_var"] == pytest.approx(expected.half_width, abs=1e-12)
    for option, test in (("-pbs", paired_bootstrap), ("-par", paired_randomization)):
        tested = json.loads(run(*SYSTEMS, *given, option).out)[1]["COMET"]
        paired: Any = test
        own = paired(rows, None, metric, ties=False)["COMET"]["B"]
        assert (tested["score"], tested["p_value"]) == (own.score, own.p_value)
        assert tested["ci"] == own.half_width
        pairs = json.loads(run(*SYSTEMS, *given, option, "--all-pairs").out)["pairs"]
        assert pairs[0]["comet"]["p_value"] == paired(rows, None, metric)["COMET"]["B"].p_value


@pytest.mark.parametrize("kind", ["plain", "json", "table"])
def test_one_system(kind: str, run: Run, write: Write) -> None:
    path = {
        "plain": lambda: write("a", lines(A)),
        "json": lambda: write("a.json", comet({"x": A})),
        "table": lambda: write("a.tsv", table(["n", "hyp.en", "else"])),
    }[kind]()
    args = [REF_A, "-i", HYP, "-m", "ter", "bleu", "--scores", f"COMET={path}"]
    text = run(*args, "-f", "text", "-w", "4").out.splitlines()
    assert [line.split("|")[0].split()[0] for line in text] == ["BLEU", "TER", "COMET"]
    assert text[2].strip() == f"COMET = {sum(A) / N:.4f}"
    interval = run(*args, "-f", "text", "-ci").out.splitlines()[2]
    assert "(μ = -" in interval
    entries = json.loads(run(*args, "-sl", "-f", "json", "-w", "4").out)
    assert [entry["score"] for entry in entries[2::3]] == A
    bare = run(*args, "-sl", "-b", "-w", "4").out.split()
    assert list(map(float, bare[2::3])) == A


def test_standard_input(run: Run, write: Write) -> None:
    with open(HYP, "rb") as file:
        out = run(
            REF_A,
            "-b",
            "-f",
            "csv",
            "--scores",
            f"M={write('a', lines(A))}",
            "--names",
            "x",
            stdin=file.read(),
        ).out
    assert out == f"system,bleu,m\nx,57.6,{sum(A) / N:.4f}\n"


# Digits


def test_digits_by_scale(run: Run, write: Write) -> None:
    """Scores within [-1, 1] have four unless -w is given; BLEU has sacrebleu's digits."""
    better = [number + 0.0031 for number in A]
    mean, more = (f"{sum(own) / N:.4f}" for own in (A, better))
    given = ["--scores", f"COMET={write('a', lines(A))}", write("b", lines(better))]
    assert mean != more
    alone = run(*SYSTEMS[:3], "-f", "text", "--scores", given[1]).out
    assert alone.splitlines()[1].strip() == f"COMET = {mean}"
    assert " = 57.6 " in alone
    single = json.loads(run(*SYSTEMS[:3], "--scores", given[1]).out)
    assert [entry["score"] for entry in single] == [57.6, float(mean)]
    for form in ("csv", "tsv", "markdown", "latex", "text"):
        for test in ([], ["-ci", "-cin", "50"], ["-pbs", "-pbsn", "50"]):
            out = run(*SYSTEMS, *given, "-f", form, *test).out.replace("$-$", "-")
            assert mean in out and more in out and "57.6" in out
            fixed = run(*SYSTEMS, *given, "-f", form, *test, "-w", "1").out.replace("$-$", "-")
            assert mean not in fixed and f"{sum(A) / N:.1f}" in fixed
        pairs = run(*SYSTEMS, *given, "-f", form, "-pbs", "--all-pairs").out
        assert "0.0031" in pairs
        segments = run(*SYSTEMS, *given, "-f", form, "-sl").out.replace("$-$", "-")
        assert all(f"{number:.4f}" in segments for number in A)
    one = run(*SYSTEMS[:3], "-sl", "--scores", given[1]).out
    assert all(f"COMET = {number:.4f}\n" in one for number in A)
    large = ["--scores", f"X={write('x', lines([50.25] * N))}"]
    assert "X = 50.2\n" in run(*SYSTEMS[:3], "-f", "text", *large).out


def test_digits_of_compare(run: Run, write: Write, tmp_path: Any) -> None:
    need("jinja2")
    better = [number + 0.0031 for number in A]
    mean, more = (f"{sum(own) / N:.4f}" for own in (A, better))
    given = ["--scores", f"COMET={write('a', lines(A))}", write("b", lines(better))]
    args = ["compare", HYP, REF_B, "-r", REF_A, *given, "-m", "bleu"]
    out = run(*args, "-f", "text", "--html", str(tmp_path / "x.html")).out
    page = (tmp_path / "x.html").read_text("utf-8")
    for text in (out, page, run(*args, "-f", "markdown").out, run(*args, "-f", "latex").out):
        text = text.replace("\u2212", "-").replace("$-$", "-")
        assert mean in text and more in text
        assert "0.0031" in text
        assert re.search(r"\b57\.\d\d\b", text), "BLEU keeps its two"
    assert mean not in run(*args, "-w", "2").out
    segments = run(*args, "--show", "segments").out
    assert all(f" {number:.4f}" in segments for number in A)


def test_several_metrics(run: Run, write: Write) -> None:
    one, other = write("a", lines(A)), write("b", lines(B))
    options = [["--scores", f"X={one}", other, f"Y={other}", one]]
    options += [["--scores", f"X={one}", other, "--scores", f"Y={other}", one]]
    for words in options:
        out = run(*SYSTEMS, *words, "-f", "csv", "-b", "-w", "4").out
        a, b = f"{sum(A) / N:.4f}", f"{sum(B) / N:.4f}"
        assert [line.split(",")[2:] for line in out.splitlines()] == [["x", "y"], [a, b], [b, a]]


def test_equal_scores_are_identical_statistics(run: Run, write: Write) -> None:
    path = write("a", lines(A))
    found = json.loads(run(*SYSTEMS, "--scores", f"X={path}", path, "-pbs").out)[1]
    assert found["X"]["identical"] == "statistics" and "identical" not in found["BLEU"]


WRONG: list[tuple[bytes, str]] = [
    (lines(A[:-1]) + b"nan\n", f"line {N}: expected a number from -2**20 to 2**20; got 'nan'"),
    (b"0.5\n\n" + lines(A[2:]), "line 2: expected a number; got ''"),
    (b"inf\n" + lines(A[1:]), "line 1: expected a number from -2**20 to 2**20; got 'inf'"),
    (b"0,5\n" + lines(A[1:]), "line 1: expected a number; got '0,5'"),
    (lines(A[:-1]), f"expected {N} scores of A, one for each segment; got {N - 1}"),
    (lines(A) + b"mean: 0.5\n", f"line {N + 1}: expected a number; got 'mean: 0.5'"),
    (b"", f"expected {N} scores of A, one for each segment; got 0"),
]


@pytest.mark.parametrize(("data", "message"), WRONG)
def test_wrong_numbers(data: bytes, message: str, run: Run, write: Write) -> None:
    path = write("wrong", data)
    found = failure(run(*SYSTEMS, "--scores", f"X={path}", write("b", lines(B))))
    assert found.startswith(f"{path}") and found.endswith(message)


TABLES: list[tuple[str, bytes, str]] = [
    ("t", lines(A), "expected a column for system 'A'; got '"),
    ("t", table(["n", "A", "C"]), "expected a column for system 'B'; got 'n', 'A', 'C'"),
    ("t", table(["n", "A", "A"]), "expected a column for system 'A'; got 'n', 'A', 'A'"),
    ("t", b"", "expected a column for system 'A'; got none"),
    ("t", b"A\tB\n1\t2\n3\t\n", "line 3, B: expected a number; got ''"),
    ("t.csv", b"A,B\n1,2\n3,x\n", "line 3, B: expected a number; got 'x'"),
    ("t", b"A\tB\n1\t2\n", f"expected {N} scores of A, one for each segment; got 1"),
    ("t.json", b'{"A": [\n1,}', "line 2: expected JSON: "),
    ("t.json", b"[]", "expected lists of segments by system, as COMET writes them"),
    ("t.json", comet({"A": A}), "expected system 'B'; got 'A'"),
    ("t.json", comet({"A": A, "B": [*B[:3], float("nan")]}), "B, segment 4: expected a number"),
    ("t.json", comet({"A": A, "B": B}, "else"), "A, segment 1: expected a number; got ''"),
    ("t.json", b'{"A": [{"X": "0.5"}, {"X": null}], "B": []}', "A, segment 2: expected a number"),
    ("t.json", b'{"A": 3, "B": 4}', "A: expected a list of segments"),
]


@pytest.mark.parametrize(("name", "data", "message"), TABLES)
def test_wrong_tables(name: str, data: bytes, message: str, run: Run, write: Write) -> None:
    path = write(name, data)
    found = failure(run(*SYSTEMS, "--scores", f"X={path}"))
    assert found.startswith(path) and message in found


def test_a_column_is_of_one_system(run: Run, write: Write, tmp_path: Any) -> None:
    (tmp_path / "one").mkdir()
    with open(HYP, "rb") as file:
        paths = [write("out.txt", text := file.read()), write("one/out.txt", text)]
    given = write("t", table(["n", "out", "more"]))
    found = failure(run(REF_A, "-i", *paths, "--scores", f"X={given}"))
    assert found == f"{given}: 'out' may be two systems; tell them apart with --names"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["x"], "--scores: expected NAME=FILE; got 'x'"),
        (["=x"], "--scores: expected the name of a metric before '='; got ''"),
        (["System=x"], "--scores: expected the name of a metric before '='; got 'System'"),
        (["X="], "--scores: expected a file behind 'X='"),
        (["X=a", "b", "X=c"], "--scores: expected each name once; got 'X' again"),
        (
            ["X=a", "b", "c"],
            "--scores X: expected 2 files, one for each system, or one for all; got 3",
        ),
        (["BLEU=a"], "--scores: 'BLEU' is what a metric of -m is called"),
        (["bleu=a"], "--scores: 'bleu' is what a metric of -m is called"),
        (["chrF2=a"], "--scores: 'chrF2' is what a metric of -m is called"),
        (["X=gone"], "gone: No such file or directory"),
    ],
)
def test_wrong_options(words: list[str], message: str, run: Run) -> None:
    assert failure(run(*SYSTEMS, "-m", "bleu", "chrf", "--scores", *words)) == message
