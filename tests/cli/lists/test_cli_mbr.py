"""``rapidbleu mbr``: the choices of `Metric.mbr`, from all forms of files, in blocks."""

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import rapidbleu
from rapidbleu import BLEU, CHRF, TER
from rapidbleu.cli import candidates
from support.command_line import ENVIRONMENT, Run, Write, candidate_files, failure
from support.corpora import perturb, random_segments

N_EACH = 7
RNG = Random("mbr")
GROUPS = [
    [perturb(RNG, text).strip() for _ in range(N_EACH)]
    for text in random_segments(RNG, 30, kind="mixed")
]
SEGMENT = BLEU(effective_order=True)


def chosen(metric: Any, groups: list[list[str]]) -> list[tuple[int, int, float, str]]:
    """Return segment, candidate (both from 1), expected score and text, group by group."""
    found = []
    for segment, group in enumerate(groups, 1):
        scores = metric.mbr(group)
        best = int(scores.argmax() if metric.higher_is_better else scores.argmin())
        assert best == metric.select(group)
        found.append((segment, best + 1, float(scores[best]), group[best]))
    return found


def lines_of(groups: list[list[str]], metric: Any = SEGMENT) -> str:
    return "".join(f"{text}\n" for *_, text in chosen(metric, groups))


def entries(out: str) -> list[tuple[Any, ...]]:
    return [tuple(entry.values()) for entry in json.loads(out)]


OPTIONS: list[tuple[str, Any]] = [
    ("", SEGMENT),
    (
        "-lc -m bleu:tokenize=char,max_ngram_order=2,smooth_method=floor",
        BLEU(True, tokenize="char", max_ngram_order=2, smooth_method="floor", effective_order=True),
    ),
    ("-l en-zh", BLEU(trg_lang="zh", effective_order=True)),
    ("-m chrf", CHRF()),
    ("-m ter:normalized=yes", TER(normalized=True)),
    ("-m rougeL -q", rapidbleu.ROUGE("L")),
]


@pytest.mark.parametrize(("options", "metric"), OPTIONS, ids=[words for words, _ in OPTIONS])
def test_metrics_and_options(options: str, metric: Any, run: Run, write: Write) -> None:
    paths = candidate_files(write, GROUPS)["list"]
    status, out, err = run("mbr", *paths, *options.split(), "-f", "json")
    assert (status, err) == (0, "")
    assert entries(out) == chosen(metric, GROUPS)


@pytest.mark.parametrize("form", ["list", "lines", "files"])
def test_forms_of_input(form: str, run: Run, write: Write) -> None:
    assert run("mbr", *candidate_files(write, GROUPS)[form]) == (0, lines_of(GROUPS), "")


def test_several_files_of_several_lines(run: Run, write: Write) -> None:
    """The candidates of a segment come from the first file, then the second, and so on."""
    a = write("a", b"a b c\nx y\nb b c\nx z\n")
    b = write("b", b"a b d\nx\nx y z\nx y z\n")
    groups = [["a b c", "x y", "a b d", "x"], ["b b c", "x z", "x y z", "x y z"]]
    _, out, _ = run("mbr", a, b, "--n-best", "2", "-f", "json")
    assert entries(out) == chosen(SEGMENT, groups)


def test_lists_of_all_kinds(run: Run, write: Write) -> None:
    """Groups of any size, with and without features, with empty texts, in Marian's format."""
    nbest = write(
        "nbest",
        b"10180 ||| a b ||| F0= -3.1 ||| -3.1\n10180|||a c|||F0= -3.1\n"
        b"10181 ||| \n 10181 ||| |||\n\n10181 |||  ||| F0= 1 ||| 0\n10182 ||| a  b \t\n"
        b"0010183 ||| \xc3\xa9 \xe7\x8c\xab\r\n10183 ||| a\0b\r \t ||| x ||| y ||| z",
    )
    groups = [["a b", "a c"], ["", "", ""], ["a  b"], ["é 猫", "a\0b"]]
    status, out, err = run("mbr", nbest, "-f", "json", "-m", "chrf")
    assert (status, err) == (0, "")
    assert entries(out) == chosen(CHRF(), groups)


def test_lines_end_without_white_space(run: Run, write: Write) -> None:
    path = write("lines", b" \ta\rb\xc2\x85c \t\r\n \n \ta\rb\xc2\x85c")
    assert run("mbr", path, "--n-best", "3").out == " \ta\rb\x85c\n"


def test_table(run: Run, write: Write) -> None:
    groups = [["a b c", "a b c", "x"], ['say "b"\tc', 'say "b"\tc', "y"], ["", "", "z"]]
    _, out, _ = run("mbr", *candidate_files(write, groups)["lines"], "-f", "tsv")
    header, *rows = csv.reader(io.StringIO(out, newline=""), delimiter="\t")
    assert header == ["segment", "candidate", "score", "text"]
    assert rows == [[str(cell) for cell in choice] for choice in chosen(SEGMENT, groups)]


@pytest.mark.parametrize("limit", [("CANDIDATES", 20), ("PAIRS", 50)])
def test_blocks_change_nothing(
    limit: tuple[str, int], run: Run, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, *limit)
    paths = candidate_files(write, GROUPS)["files"]
    _, out, _ = run("mbr", *paths, "--threads", "3", "-f", "json")
    assert entries(out) == chosen(SEGMENT, GROUPS)


# Files


@pytest.mark.parametrize(("end", "module"), [("gz", gzip), ("bz2", bz2), ("xz", lzma)])
def test_compressed_files(end: str, module: Any, run: Run, write: Write) -> None:
    path = candidate_files(write, GROUPS)["list"][0]
    packed = write(f"nbest.{end}", module.compress(Path(path).read_bytes()))
    assert run("mbr", packed) == (0, lines_of(GROUPS), "")
    broken = write(f"broken.{end}", Path(packed).read_bytes()[:-20])
    assert failure(run("mbr", broken)).startswith(f"{broken}: ")
    wrong = write(f"wrong.{end}", b"0 ||| a")
    assert failure(run("mbr", wrong)).startswith(f"{wrong}: ")


@pytest.mark.parametrize("form", ["list", "lines"])
def test_standard_input(form: str, run: Run, write: Write) -> None:
    path, *options = candidate_files(write, GROUPS)[form]
    data = Path(path).read_bytes()
    assert run("mbr", "-", *options, stdin=data) == (0, lines_of(GROUPS), "")
    assert not sys.stdin.closed


def test_one_of_several_is_standard_input(
    run: Run, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = candidate_files(write, GROUPS)["files"]
    data = Path(paths[2]).read_bytes()
    paths[2] = "-"
    assert run("mbr", *paths, stdin=data) == (0, lines_of(GROUPS), "")
    monkeypatch.chdir(tmp_path)
    write("-", data)
    assert run("mbr", *paths) == (0, lines_of(GROUPS), "")


def test_encodings(run: Run, write: Write) -> None:
    path = write("nbest", "0 ||| é\n0 ||| é\n1 ||| ü\n".encode("utf-16"))
    assert run("mbr", path, "-e", "utf-16") == (0, "é\nü\n", "")


def test_output(run: Run, write: Write, tmp_path: Path) -> None:
    path = write("out", b"before")
    for form in ("text", "tsv", "json"):
        args = ["mbr", *candidate_files(write, GROUPS)["list"], "-f", form]
        assert run(*args, "-o", path) == (0, "", "")
        assert Path(path).read_text(encoding="utf-8") == run(*args).out


# What is wrong


def test_what_is_missing_is_named(run: Run, write: Write) -> None:
    a, b, c = write("a", b"x\ny\nz\n"), write("b", b"x\ny\n"), write("c", b"")
    d, blank = write("d", b"1\n2\n3\n4\n5\n6\n"), write("blank", b"\n\n")
    nbest = write("nbest", b"0 ||| a\n0 ||| b\n")
    lines = "expected 'segment ||| text ||| ...'"
    for args, message in [
        ([a, b], f"numbers of segments differ: {a} has 3, {b} has 2"),
        ([b, c], f"numbers of segments differ: {b} has 2, {c} has 0"),
        ([a, "--n-best", "2"], f"--n-best: expected 2 lines for each segment, but {a} has 3 lines"),
        ([a, d, "--n-best", "3"], f"numbers of segments differ: {a} has 1, {d} has 2"),
        ([c], f"{c}: no candidates"),
        ([c, "--n-best", "3"], f"{c}: no candidates"),
        ([c, c], f"{c}: no candidates"),
        ([blank], f"{blank}: no candidates"),
        (["-"], "standard input: no candidates"),
        ([a], f"{a}, line 1: {lines} (or --n-best, or several files); got 'x'"),
        ([nbest, "--n-best", "2"], f"--n-best: not with an n-best list such as {nbest}"),
        ([a, nbest], f"{nbest}: an n-best list is read alone; got 2 files"),
        (["/nowhere"], "/nowhere: No such file or directory"),
        (["/nowhere", "--shard", "1/2"], "/nowhere: No such file or directory"),
        ([a, "/nowhere"], "/nowhere: No such file or directory"),
        (["a\0b"], "a\\x00b: embedded null byte"),
        ([a, "-e", "klingon"], f"{a}: cannot decode as klingon: unknown encoding: klingon"),
        ([nbest, "-m", "nist"], "-m nist: it weighs n-grams by all references, and there are none"),
        (
            [nbest, "-m", "ciderd"],
            "-m ciderd: it weighs n-grams by all references, and there are none",
        ),
        ([nbest, "-m", "gecgleu"], "-m gecgleu: it compares with the source, too"),
        ([nbest, "-m", "bleu", "ter"], "-m/--metrics: expected one metric; got bleu, ter"),
        ([nbest, "-m", "rouge"], "-m/--metrics: expected one metric; got rouge1, rouge2, rougeL"),
    ]:
        assert failure(run("mbr", *args)) == message


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["0 ||| a", "b"], "line 2: expected 'segment ||| text ||| ...'; got 'b'"),
        (["0 ||| a", "", "x ||| b"], "line 3: expected 'segment ||| text ||| ...'; got 'x ||| b'"),
        (["0 ||| a", "-1 ||| b"], "line 2: expected 'segment ||| text ||| ...'; got '-1 ||| b'"),
        (
            ["0 ||| a", f"{10**20} ||| b"],
            f"line 2: expected 'segment ||| text ||| ...'; got '{10**20} ||| b'",
        ),
        (
            ["0 ||| a", "1 ||| b", "0 ||| c"],
            "line 3: expected segment 1 or 2, as candidates are sorted by segment and none lacks "
            "them; got 0",
        ),
        (
            ["7 ||| a", "9 ||| b"],
            "line 2: expected segment 7 or 8, as candidates are sorted by segment and none lacks "
            "them; got 9",
        ),
    ],
)
def test_lists_that_are_none(lines: list[str], message: str, run: Run, write: Write) -> None:
    path = write("nbest", "\n".join(lines).encode())
    assert failure(run("mbr", path)) == f"{path}, {message}"


def test_bytes_that_are_no_text(run: Run, write: Write) -> None:
    """The error names the line, even after the first part of the file."""
    before = b"0 ||| \xc3\xa9 a b c\n" * 3000
    path = write("nbest", before + b"1 ||| a\xff\n" + before)
    expected = f"{path}, line 3001: cannot decode byte 0xff as utf-8: invalid start byte"
    assert failure(run("mbr", path)) == expected


def test_errors_leave_the_output(run: Run, write: Write, tmp_path: Path) -> None:
    path = write("out", b"before")
    bad = b"0 ||| a\n1 ||| b\n0 ||| c\n"
    failure(run("mbr", write("nbest", bad), "-o", path))
    failure(run("mbr", "-", "-o", path, stdin=bad))
    assert failure(run("mbr", write("nbest", b"0 ||| a"), "-o", "/nowhere/x")) == (
        "/nowhere/x: No such file or directory"
    )
    assert sorted(os.listdir(tmp_path)) == ["nbest", "out"]
    assert Path(path).read_bytes() == b"before"


# As a process


def started(*args: str, **options: Any) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "rapidbleu", "mbr", *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        **options,
    )


def test_results_come_before_the_input_ends() -> None:
    with started("-", "--n-best", "2") as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(b"a\nb\n" * candidates.CANDIDATES)  # two blocks
        process.stdin.flush()
        assert process.stdout.readline() == b"a\n"
        process.stdin.close()
        assert process.stdout.read() == b"a\n" * (candidates.CANDIDATES - 1)
        assert process.wait() == 0


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(run: Run, write: Write) -> None:
    peaks = []
    for n in (40_000, 160_000):
        path = write("lines", b"a b c d e f g h i j k l m n o p q r s t\n" * n)
        target = write("out", b"")
        tracemalloc.start()
        assert run("mbr", path, "--n-best", "4", "-o", target).status == 0
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert np.ptp(peaks) < 0.1 * peaks[0]
