"""Replacements of Moses' tools: output and errors."""

import gzip
import os
import random
import subprocess
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from rapidbleu import BLEU
from rapidbleu.cli import main
from rapidbleu.cli.messages import CommandError
from rapidbleu.cli.moses import executables, integer, make_metric, parse_scconfig, scoring
from rapidbleu.tuning.moses import plain_text, score_files
from rapidbleu.tuning.moses.nbest_files import read_nbest
from rapidbleu.tuning.moses.score_files import read_stats
from rapidbleu.tuning.moses.score_types import moses_bleu
from reference import bleu as slow_bleu
from reference.tuning import moses as slow
from support.places import PYTHONPATH, SHARED_DATA

REFERENCES = (["das Haus ist klein", "Ja ja ja ja"], ["das Haus ist sehr klein", "ja Ja ja"])
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in a folder with references and an n-best list."""
    monkeypatch.chdir(tmp_path)
    for i, stream in enumerate(REFERENCES):
        Path(f"ref{i}").write_text("".join(f"{line}\n" for line in stream), encoding="utf-8")
    write("nbest", *lines(40))

    def command(*argv: str) -> tuple[int, str, str]:
        status = main(list(argv))
        captured = capfd.readouterr()
        return status, captured.out, captured.err

    return command


def write(name: str, *lines: str) -> None:
    Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def lines(n: int, seed: int = 0, sparse: bool = False) -> list[str]:
    rng = random.Random(seed)
    found = []
    for _ in range(n):
        text = " ".join(
            rng.choices(["das", "Haus", "ist", "klein", "ja", "Ja"], k=rng.randint(0, 7))
        )
        values = [f"{rng.choice([-1.5, 0.25, 1 / 3]):.6g}" for _ in range(2)]
        features = f"LM0= {values[0]} {values[1]} W= {-len(text.split())}"
        if sparse and rng.random() < 0.5:
            features += f" x_y= {rng.choice([1, 2.5])}"
        found.append(f"{rng.randrange(2)} ||| {text}  ||| {features} ||| -1.25")
    return found


def row(text: str, segment: int, lowercase: bool = False) -> list[int]:
    """Return statistics in Moses' order, from the slow oracle."""
    texts = [text, *(stream[segment] for stream in REFERENCES)]
    hyp, *refs = [(text.lower() if lowercase else text).split() for text in texts]
    stats = slow_bleu.segment_stats(hyp, refs)
    return slow.moses_row(stats)


def expected_files(text: str, lowercase: bool = False, keep: bool = False) -> tuple[str, str]:
    """Return the expected files of Moses' extractor, computed slowly."""
    names = "".join(f"{name} " for name in slow.read_names(text))
    by_segment: dict[int, list[object]] = {}
    for segment, hypothesis, dense, sparse in slow.read_nbest(text):
        scores = row(hypothesis, segment, lowercase)
        by_segment.setdefault(segment, []).append((dense, sparse, scores))
    features, statistics = "", ""
    for segment, rows in by_segment.items():
        own: list[object] = rows if keep else slow.without_duplicates(rows)
        n, dim = len(own), len(names.split())
        features += f"FEATURES_TXT_BEGIN_0 {segment} {n} {dim} {names}\n"
        statistics += f"SCORES_TXT_BEGIN_0 {segment} {n} 9 BLEU\n"
        for dense, sparse, scores in own:  # type: ignore[misc]
            features += "".join(f"{value:g} " for value in dense)
            features += "".join(f"{name}={value:g} " for name, value in sparse.items()) + "\n"
            statistics += "".join(f"{count} " for count in scores) + "\n"
        features += "FEATURES_TXT_END_0\n"
        statistics += "SCORES_TXT_END_0\n"
    return features, statistics


EXTRACT = (
    "extractor",
    "--sctype",
    "BLEU",
    "--scconfig",
    "case:true",
    "--scfile",
    "scores",
    "--ffile",
    "features",
    "-r",
    "ref0,ref1",
)


def written() -> tuple[str, str]:
    return Path("features").read_text(encoding="utf-8"), Path("scores").read_text(encoding="utf-8")


@pytest.mark.parametrize("keep", (False, True))
@pytest.mark.parametrize("lowercase", (False, True))
def test_extractor_against_a_slow_one(run: Run, lowercase: bool, keep: bool) -> None:
    config = ["--scconfig", "reflen:closest,case:false"] if lowercase else []
    assert run(*EXTRACT, *config, "-n", "nbest", *["-d"] * keep) == (0, "", "")
    text = Path("nbest").read_text(encoding="utf-8")
    assert written() == expected_files(text, lowercase, keep)
    assert len(written()[0]) < len(expected_files(text, lowercase, True)[0]) or keep


@pytest.mark.parametrize("keep", (False, True))
@pytest.mark.parametrize("cores", (1, 2))
@pytest.mark.parametrize("batch", (1, 7, 4096))
def test_segments_one_after_the_other(
    run: Run, batch: int, cores: int, keep: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Normal lists are written without NumPy arrays, for any size of blocks."""
    monkeypatch.setattr(plain_text, "BATCH", batch)
    monkeypatch.setattr(plain_text, "check_threads", lambda _: cores)
    monkeypatch.setattr(scoring, "write_pair", None)
    text = "".join(f"{line}\n" for line in sorted(lines(60), reverse=True))
    write("sorted", text.rstrip("\n"))
    Path("sorted.gz").write_bytes(gzip.compress(text.encode()))
    for name in ("sorted", "sorted.gz"):
        assert run(*EXTRACT, "-n", name, *["-d"] * keep) == (0, "", "")
        assert written() == expected_files(text, keep=keep)


@pytest.mark.parametrize("batch", (1, 3, 4096))
def test_lists_that_are_not_usual(run: Run, batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Irregularities after the first segments make the extractor read the list again."""
    monkeypatch.setattr(plain_text, "BATCH", batch)
    rows = sorted(lines(40))
    lists = [[*rows, rows[0]], [*rows, rows[20], rows[0]], [rows[-1], *rows], rows[::-1] + rows]
    for own in lists:
        write("scattered", *own)
        assert run(*EXTRACT, "-n", "scattered") == (0, "", "")
        assert written() == expected_files("".join(f"{line}\n" for line in own))
    if find_spec("scipy"):
        write("sparse", *rows, "1 ||| a b ||| LM0= 1 2 W= 3 x_y= 1 ||| 1")
        assert run(*EXTRACT, "-n", "sparse") == (0, "", "")
        assert "x_y=1" in written()[0]


def test_counts_that_are_too_high_for_a_file(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_text, "MOST_IN_TEXT", 3)
    monkeypatch.setattr(score_files, "MOST_IN_TEXT", 3)
    write("high", "0 ||| a b c d ||| LM= 1", "1 ||| a ||| LM= 1")
    message = "rapidbleu: stats[0]: expected at most 3 in such a file; got 4\n"
    assert run(*EXTRACT, "-n", "high") == (1, "", message)
    assert not Path("features").exists()


@pytest.mark.parametrize("cores", (1, 2))
def test_errors_behind_whole_segments(
    run: Run, cores: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain_text, "BATCH", 3)
    monkeypatch.setattr(plain_text, "check_threads", lambda _: cores)
    write("wrong", *sorted(lines(40)), "1 ||| a b")
    expected = (
        "wrong, line 41: expected 'segment ||| hypothesis ||| features'; got 2 of these fields"
    )
    assert run(*EXTRACT, "-n", "wrong") == (1, "", f"rapidbleu: {expected}\n")
    whole = gzip.compress(Path("nbest").read_bytes())
    Path("cut.gz").write_bytes(whole[:-20])
    status, _, err = run(*EXTRACT, "-n", "cut.gz")
    assert status == 1 and err.startswith("rapidbleu: cut.gz: ")
    assert not Path("features").exists() and not Path("scores").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_list_from_a_pipe(run: Run) -> None:
    """Pipes cannot be read again, so they are read at once."""
    os.mkfifo("pipe")
    text = Path("nbest").read_bytes()
    writer = Thread(target=Path("pipe").write_bytes, args=(text,))
    writer.start()
    assert run(*EXTRACT, "-n", "pipe") == (0, "", "")
    writer.join()
    assert written() == expected_files(text.decode())


def test_the_usual_list_does_without_numpy(run: Run) -> None:
    write("sorted", *sorted(lines(40)))
    code = (
        "import sys; from rapidbleu.cli import main; status = main(sys.argv[1:]); "
        "sys.exit(status or 2 * ('numpy' in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code, *EXTRACT, "-n", "sorted"]).returncode == 0
    assert written() == expected_files(Path("sorted").read_text(encoding="utf-8"))


def test_sparse_features_are_written(run: Run) -> None:
    pytest.importorskip("scipy")
    write("nbest", *lines(60, sparse=True))
    assert run(*EXTRACT, "-n", "nbest") == (0, "", "")
    assert written() == expected_files(Path("nbest").read_text(encoding="utf-8"))
    status, _, err = run(*EXTRACT, "-n", "nbest", "-b")
    assert status == 1 and "binary: expected False for sparse features" in err


def test_several_lists_and_earlier_files(run: Run) -> None:
    write("more", *lines(30, 1))
    both = Path("nbest").read_text(encoding="utf-8") + Path("more").read_text(encoding="utf-8")
    assert run(*EXTRACT, "-d", "-n", "nbest,more") == (0, "", "")
    assert written() == expected_files(both, keep=True)
    assert run(*EXTRACT, "-n", "nbest", "--binary", "-d") == (0, "", "")
    for name in ("features", "scores"):
        os.replace(name, f"earlier.{name}")
    earlier = ("--prev-ffile", "earlier.features", "--prev-scfile", "earlier.scores")
    assert run(*EXTRACT, "-n", "more", *earlier) == (0, "", "")
    assert written() == expected_files(both)


def test_lists_with_and_without_sparse_features(run: Run) -> None:
    pytest.importorskip("scipy")
    write("more", *lines(30, 1, sparse=True))
    both = Path("nbest").read_text(encoding="utf-8") + Path("more").read_text(encoding="utf-8")
    assert run(*EXTRACT, "-n", "nbest,more") == (0, "", "")
    assert written() == expected_files(both)


@pytest.mark.parametrize("binary", (False, True))
def test_what_is_written_is_read(run: Run, binary: bool) -> None:
    with gzip.open("nbest.gz", "wb") as file:
        file.write(Path("nbest").read_bytes())
    assert run(*EXTRACT, "-d", "-n", "nbest.gz", *["-b"] * binary) == (0, "", "")
    nbest = read_stats("features", "scores")
    metric = moses_bleu()
    again = read_nbest("nbest", REFERENCES, metric=metric)
    assert (nbest.stats == again.stats).all() and nbest.ids.tolist() == again.ids.tolist()
    assert np.allclose(nbest.features, again.features, rtol=1e-5)
    assert nbest.evaluate([1, 0.5, 2]) == again.evaluate([1, 0.5, 2])


def test_bytes_that_are_not_utf8_are_tokens(run: Run) -> None:
    Path("ref0").write_bytes(b"\xe4 b c d e\n")
    Path("nbest").write_bytes(b"0 ||| \xe4 b c d \xf6 ||| 1\n0 ||| \xe5 b c d e ||| 2\n")
    assert run("extractor", "-r", "ref0", "-n", "nbest") == (0, "", "")
    assert Path("statscore.data").read_text(encoding="utf-8").splitlines()[1:3] == [
        "4 5 3 4 2 3 1 2 5 ",
        "4 5 3 4 2 3 1 2 5 ",
    ]
    assert Path("features.data").exists()


@pytest.mark.parametrize(
    ("argv", "message"),
    (
        (["extractor", "-n", "nbest"], "no references: name their files with -r/--reference"),
        (["extractor", "-r", "ref0"], "no n-best lists: name their files with -n/--nbest"),
        (["extractor", "-r", "ref0", "-n", "none"], "none: No such file or directory"),
        (["extractor", "-r", "none", "-n", "nbest"], "none: No such file or directory"),
        (
            ["extractor", "-r", "ref0,nbest", "-n", "nbest"],
            "nbest: expected 2 lines as in ref0; got 40",
        ),
        (
            ["extractor", "-r", "ref0", "-n", "nbest", "-s", "CHRF"],
            "--sctype: expected BLEU, PER, WER, CDER, TER or several of them; got CHRF; other "
            "metrics are not supported",
        ),
        (
            ["extractor", "-r", "ref0", "-n", "nbest", "--scconfig", "case:maybe"],
            "--scconfig: expected case:true|false; got case:maybe",
        ),
        (
            ["extractor", "-r", "ref0", "-n", "nbest", "--scconfig", "size:1"],
            "--scconfig: expected name:value with one of case, reflen, regtype, regwin, weights; "
            "got 'size:1'",
        ),
        (
            ["extractor", "-r", "ref0", "-n", "nbest", "-f", "0|2"],
            "--factors: not supported; prepare the files beforehand",
        ),
        (
            ["extractor", "-r", "ref0", "-n", "nbest", "-R", "x"],
            "--prev-scfile: expected as many files as --prev-ffile, 0; got 1",
        ),
        (["evaluator", "-R", "ref0"], "expected files of either -C/--candidate or -n/--nbest"),
        (
            ["evaluator", "-R", "ref0", "-C", "nbest"],
            "nbest: expected 2 lines, as many as references; got 40",
        ),
        (
            ["evaluator", "-R", "ref0", "-n", "one"],
            "one: expected hypotheses for each of 2 references; got none for segment 1",
        ),
        (
            ["extractor", "-r", "ref0", "-n", "three"],
            "three, line 2: expected a segment below 2, the number of references; got 2",
        ),
        (
            ["extractor", "-r", "empty", "-n", "nbest"],
            "empty: expected references; got an empty file",
        ),
    ),
)
def test_errors(run: Run, argv: list[str], message: str) -> None:
    write("one", "0 ||| das ||| 1")
    write("three", "0 ||| das ||| 1", "2 ||| das ||| 1")
    write("empty")
    assert run(*argv) == (1, "", f"rapidbleu: {message}\n")


def test_old_labels(run: Run) -> None:
    """Moses reads `lm:` as a feature with value 0, and names the values `_0` and on."""
    write("old", *(line.replace("LM0=", "lm:").replace("W=", "w:") for line in lines(40)))
    write("new", *(line.replace("LM0=", "lm=").replace("W=", "w=") for line in lines(40)))
    for name in ("old", "new"):
        assert run(
            "extractor", "-r", "ref0", "-n", name, "-S", f"{name}.sc", "-F", f"{name}.ft"
        ) == (0, "", "")
    features = Path("old.ft").read_text()
    assert features.startswith("FEATURES_TXT_BEGIN_0 ") and " lm_0 lm_1 w_0 \n" in features
    assert features == Path("new.ft").read_text()
    assert Path("old.sc").read_text() == Path("new.sc").read_text()


def test_segments_without_hypotheses(run: Run) -> None:
    """As in Moses, segments without hypotheses are skipped."""
    write("ref", *("a b c d" for _ in range(20)))
    write("first", "3 ||| a b ||| LM= 1", "0 ||| a ||| LM= 2")
    write("second", *(f"{i} ||| a c ||| LM= 3" for i in range(20) if i not in (5, 7)))
    extract = ("extractor", "-r", "ref", "-S", "scores", "-F", "features", "-n")
    left_out = "segments 1, 2, 4, 5, 6, 7, 8, 9, 10, 11 and 8 more"
    message = f"rapidbleu: first: no hypotheses for {left_out} of 20; the files go without them\n"
    assert run(*extract, "first") == (0, "", message)
    assert read_stats("features", "scores").ids.tolist() == [3, 0]
    message = "first, second: no hypotheses for segments 5, 7 of 20; the files go without them\n"
    assert run(*extract, "first,second") == (0, "", f"rapidbleu: {message}")
    write("third", "5 ||| a ||| LM= 1")
    assert run(*extract, "third", "-R", "scores", "-E", "features") == (
        0,
        "",
        "rapidbleu: third: no hypotheses for segment 7 of 20; the files go without them\n",
    )
    write("fourth", "5 ||| a ||| LM= 1", "7 ||| b ||| LM= 2")
    run(*extract, "first,second")
    assert run(*extract, "fourth", "-R", "scores", "-E", "features") == (0, "", "")


# Evaluator


def test_evaluator(run: Run) -> None:
    write("one", "das Haus ist klein", "ja ja ja")
    write("two", "das Haus", "Ja")
    texts = {name: Path(name).read_text().splitlines() for name in ("one", "two")}
    metric = BLEU(tokenize="none", smooth_method="none", force=True)
    scores = {
        name: metric.corpus_score(text, REFERENCES).score / 100 for name, text in texts.items()
    }
    assert scores["one"] > 0 == scores["two"]
    refs = ("--reference", "ref0,ref1", "--sctype", "BLEU", "--scconfig", "case:true")
    assert run("evaluator", *refs, "--candidate", "one") == (0, f"{scores['one']:.4f}\n", "")
    both = f"one\t{scores['one']:.4f}\ntwo\t0.0000\n"
    assert run("evaluator", *refs, "-C", "one,two") == (0, both, "")
    write(
        "first", *(f"{i} ||| {text} ||| 1" for i, text in enumerate(texts["one"])), "0 ||| x ||| 1"
    )
    assert run("evaluator", *refs, "--nbest", "first") == (0, f"{scores['one']:.4f}\n", "")


def test_bootstrap(run: Run) -> None:
    write("one", "das Haus ist klein", "ja ja ja")
    argv = ("evaluator", "-R", "ref0,ref1", "-C", "one", "-b", "50", "-r", "7")
    status, out, _ = run(*argv)
    assert run(*argv) == (status, out, "") and status == 0
    mean, interval = out.rstrip("\n").split("\t")
    low, high = map(float, interval.strip("[]").split(","))
    assert low <= float(mean) <= high and interval == f"[{low:.4f},{high:.4f}]"


@pytest.mark.parametrize(("policy", "length"), (("closest", 4), ("shortest", 3), ("average", 5)))
def test_reference_lengths(run: Run, policy: str, length: int) -> None:
    for i, n in enumerate((3, 4, 10)):
        write(f"ref{i}", " ".join("abcdefghijklm"[:n]))
    write("nbest", "0 ||| a b c d ||| 1")
    run("extractor", "-r", "ref0,ref1,ref2", "-n", "nbest", "--scconfig", f"reflen:{policy}")
    assert Path("statscore.data").read_text().split()[-2] == str(length)


# Options


def test_integers_with_something_behind() -> None:
    texts = {"20": 20, "20--sctype": 20, " -3x": -3, "+4": 4, "007": 7}
    assert {text: integer(text) for text in texts} == texts
    for text in ("", "x", "--sctype", "-"):
        with pytest.raises(ArgumentTypeError):
            integer(text)


def test_metrics() -> None:
    metric = make_metric("bleu", "case:false,reflen:average,regtype:average,regwin:2")
    assert metric.ref_len == "average" and metric.smooth_method == "none"
    assert metric.corpus_score(["A B C D Ä"], [["a b c d ä"]]).counts == [4, 3, 2, 1]
    assert parse_scconfig("") == {}
    with pytest.raises(CommandError, match="expected name:value"):
        parse_scconfig("case")


# The folder of executables


@pytest.mark.skipif(os.name == "nt", reason="scripts of a POSIX shell")
def test_executables(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "a folder" / "bin"
    assert run("moses-bin", str(folder)) == (0, "", "")
    assert sorted(path.name for path in folder.iterdir()) == sorted(executables.TOOLS)
    assert all(os.access(path, os.X_OK) for path in folder.iterdir())
    write("one", "das Haus ist klein", "ja ja ja")
    result = subprocess.run(
        [folder / "evaluator", "-R", "ref0,ref1", "-C", "one"],
        env={**os.environ, "PYTHONPATH": PYTHONPATH},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert result.stdout == run("evaluator", "-R", "ref0,ref1", "-C", "one")[1]


def test_executables_of_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", r"C:\Some Python\python.exe")
    executables.write_tools(str(tmp_path), windows=True)
    assert (tmp_path / "mert.cmd").read_bytes() == (
        b'@"C:\\Some Python\\python.exe" -P -m rapidbleu mert %*\r\n'
    )
    assert (tmp_path / "mert").read_bytes() == (
        b"#!/bin/sh\nexec 'C:/Some Python/python.exe' -P -m rapidbleu mert \"$@\"\n"
    )


def test_a_folder_that_cannot_be_made(run: Run) -> None:
    status, _, err = run("moses-bin", "nbest/x")
    assert status == 1 and err.startswith("rapidbleu: nbest")


# Shared data


def shared(name: str) -> Path:
    path = SHARED_DATA / "nbest" / name
    if not path.is_file():
        pytest.skip("the shared n-best data is not here")
    return path


@pytest.mark.slow
def test_a_real_list_against_token_lists_and_float() -> None:
    references = shared("ref.0").read_text(encoding="utf-8").split("\n")[:-1]
    metric = moses_bleu()
    nbest = read_nbest(shared("nbest.gz"), [references], metric=metric)
    with gzip.open(shared("nbest.gz"), "rt", encoding="utf-8", newline="\n") as file:
        found = slow.read_nbest(file.read())
    assert nbest.features.tolist() == [dense for _, _, dense, _ in found]
    assert nbest.hypotheses == [text for _, text, _, _ in found]
    tokens = [text.split() for _, text, _, _ in found]
    segments = [segment for segment, _, _, _ in found]
    rows = BLEU().nbest_stats(tokens, [[ref.split() for ref in references]], segments=segments)
    assert nbest.stats.tolist() == rows.tolist()
