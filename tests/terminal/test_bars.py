"""Bars at a terminal: they appear after a second, only on stderr, and disappear."""

import io
import json
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from random import Random

import pytest

from rapidbleu.cli import messages
from rapidbleu.cli.messages import say
from support.command_line import Run, Terminal
from support.corpora import perturb, random_segments
from support.processes import posix_only

if os.name == "posix":
    import pty
    import termios

ERASED = "\r"  # how the last thing that a bar writes ends: on an empty line
N = 4000


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a long corpus and n-best lists."""
    folder = tmp_path_factory.mktemp("long")
    rng = Random("bars")
    refs = random_segments(rng, N, kind="ascii")
    hyps = [perturb(rng, text) for text in refs]
    (folder / "ref").write_text("\n".join(refs) + "\n", encoding="utf-8")
    (folder / "hyp").write_text("\n".join(hyps) + "\n", encoding="utf-8")
    lines = [
        f"{i} ||| {perturb(rng, refs[i])} ||| LM= {rng.gauss(0, 1):.3f} W= {rng.gauss(0, 1):.3f}"
        for i in range(100)
        for _ in range(20)
    ]
    (folder / "nbest").write_text("\n".join(lines) + "\n", encoding="utf-8")
    scores = [f"{name}\t{i}\t{i % 7}" for name in ("hyp", "ref") for i in range(1, N + 1)]
    table = "\n".join(["system\tsegment\tscore", *scores, ""])
    (folder / "human").write_text(table, encoding="utf-8")
    rows = [
        {"hyp": hyp, "ref": ref, "half": i % 2}
        for i, (hyp, ref) in enumerate(zip(hyps, refs, strict=True))
    ]
    (folder / "t.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    (folder / "nref").write_text("\n".join(refs[:100]) + "\n", encoding="utf-8")
    return folder


PROGRAM = """
import sys
from rapidbleu.cli import main, messages
messages.DELAY = {delay}
sys.exit(main(sys.argv[1:]))
"""


def at_terminal(folder: Path, *args: str, delay: float = 0.0) -> tuple[int, str, str]:
    """Return status, stdout, and the screen of a terminal on stderr."""
    leader, follower = pty.openpty()
    termios.tcsetwinsize(follower, (24, 100))
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(delay=delay), *args],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=follower,
        cwd=folder,
    ) as process:
        os.close(follower)
        shown: list[bytes] = []

        def read() -> None:
            try:
                while part := os.read(leader, 65536):
                    shown.append(part)
            except OSError:  # Linux, at the end
                pass

        reader = threading.Thread(target=read)
        reader.start()
        assert process.stdout is not None
        out = process.stdout.read()
        status = process.wait()
        reader.join()
    os.close(leader)
    return status, out.decode(), b"".join(shown).decode().replace("\r\n", "\n")


SCORING = ["ref", "-i", "hyp", "--force"]
TABLE = ["--table", "t.jsonl", "-m", "bleu:force=yes"]
# A call, and what is to be seen at the terminal.
BARS = {
    "bleu": (SCORING, ["bleu:", "segments"]),
    "metrics": ([*SCORING, "-m", "bleu", "eed", "ter"], ["bleu:", "eed:", "ter:"]),
    "systems": (["ref", "--force", "-i", "hyp", "ref"], ["files read", "bleu:", "8.00k"]),
    "segments": ([*SCORING, "-sl"], ["segments:"]),
    "interval": ([*SCORING, "-ci"], ["resamples"]),
    "bootstrap": (["ref", "--force", "-i", "hyp", "ref", "-pbs"], ["resamples"]),
    "randomization": (["ref", "--force", "-i", "hyp", "ref", "-par"], ["trials"]),
    "tune": (
        ["tune", "nbest", "-r", "nref", "-m", "bleu:force=yes", "--restarts", "2"],
        ["reading:", "steps"],
    ),
    "runs": (
        [
            "tune",
            "nbest",
            "-r",
            "nref",
            "-m",
            "bleu:force=yes",
            "--method",
            "mira",
            "--n-runs",
            "2",
        ],
        ["steps"],
    ),
    "streamed": (["ref", "--force", "-i", "hyp", "-m", "ter"], ["ter:", "/4.00k ["]),
    "table": (["score", *TABLE, "--hyp", "hyp"], ["bleu:", "/4.00k ["]),
    "systems of a table": (["score", *TABLE, "--hyp", "hyp", "ref"], ["bleu:", "/8.00k ["]),
    "shard of a table": (["score", *TABLE, "--shard", "1/2"], ["bleu:", "/2.00k ["]),
    "groups": (
        ["score", *TABLE, "--hyp", "hyp", "ref", "--by", "half"],
        ["bleu:", "/8.00k ["],
    ),
    "rows": (["stats", *TABLE, "-o", "t.npz"], ["bleu:", "/4.00k ["]),
    "fit": (
        [
            "correlate",
            "--human",
            "human",
            "-r",
            "ref",
            "-i",
            "hyp",
            "ref",
            "--fit",
            "-m",
            "bleu:force=yes",
            "bleu:force=yes,max_ngram_order=2",
            "--statistics",
            "pearson:none",
        ],
        ["settings"],
    ),
    "compare": (
        ["compare", "-r", "ref", "-i", "hyp", "ref", "-m", "bleu:force=yes"],
        ["resamples"],
    ),
    "mbr": (["mbr", "nbest", "-m", "ter"], ["reading:", "ter:", "/100 [", "segments"]),
    "oracle": (
        ["oracle", "nbest", "-r", "nref", "-m", "bleu:force=yes", "-f", "json"],
        ["reading:", "candidates"],
    ),
    "correlate": (
        [
            "correlate",
            "--human",
            "human",
            "-r",
            "ref",
            "-i",
            "hyp",
            "ref",
            "-n",
            "2",
            "-m",
            "bleu:force=yes",
            "--statistics",
            "pearson:means",
        ],
        ["files read", "BLEU:", "tests"],
    ),
    "extractor": (["extractor", "-r", "nref", "-n", "nbest"], ["reading:"]),
    "evaluator": (["evaluator", "-R", "nref", "-n", "nbest", "-b", "300", "-r", "1"], ["samples"]),
}


@pytest.mark.parametrize("name", BARS)
def test_bars_are_shown(name: str, files: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tqdm")
    monkeypatch.chdir(files)
    args, parts = BARS[name]
    expected = run(*args)
    shown = terminal(monkeypatch)
    assert run(*args)[:2] == expected[:2]
    assert expected.status == 0
    assert [part for part in parts if part not in shown.getvalue()] == []
    states = [state for state in re.split("[\r\n]", shown.getvalue()) if state.strip()]
    states = [state for state in states if not state.startswith("rapidbleu: ")]
    assert states  # each has an end, and an estimate unless nothing is done
    assert [state for state in states if not re.search(r"%\|.*\[0\d:\d\d<(\?|\d)", state)] == []


@posix_only
def test_bars_are_erased(files: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tqdm")
    monkeypatch.chdir(files)
    args, parts = BARS["systems"]
    status, out, shown = at_terminal(files, *args)
    assert (status, out) == run(*args)[:2]
    assert all(part in shown for part in parts)
    assert shown.endswith(ERASED) and "\n" not in shown


def test_bars_of_moses_programs(files: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bars appear between Moses' lines, which do not change."""
    pytest.importorskip("tqdm")
    monkeypatch.chdir(files)
    assert run("extractor", "-r", "nref", "-n", "nbest").status == 0
    (files / "init.opt").write_text("0 0\n-1 -1\n1 1\n")
    given = ["-F", "features.data", "-S", "statscore.data"]
    for args, part in (
        (["mert", *given, "-n", "2"], "climbs"),
        (["pro", *given, "-o", "pairs"], "pairs of:"),
        (["kbmira", *given, "-J", "2", "-o", "w"], "reading:"),
    ):
        expected = run(*args).err.splitlines()
        with monkeypatch.context() as patch:
            shown = terminal(patch)
            assert run(*args).status == 0
        assert part in shown.getvalue()
        lines = [line.rpartition("\r")[2] for line in shown.getvalue().split("\n")]
        assert [line for line in lines if line] == expected


@posix_only
def test_bars_that_are_not_wanted(files: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(files)
    expected = run(*SCORING)
    assert at_terminal(files, *SCORING, delay=60.0) == expected  # it is over before
    assert at_terminal(files, *SCORING, "-q") == expected


def test_a_bar_comes_after_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a second of the command; bars of later work appear at once."""
    pytest.importorskip("tqdm")
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    messages.begin()
    with messages.progress_bar("early", 10, False) as bar:
        assert bar is not None
        bar.update(3)
    assert shown.getvalue() == ""
    monkeypatch.setattr(messages, "_begun", time.monotonic() - messages.DELAY)
    with messages.progress_bar("work", 10, False) as bar:
        assert bar is not None
        bar.update(3)
    assert "work:  30%" in shown.getvalue() and "3.00/10.0" in shown.getvalue()


def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Return a terminal on stderr with immediate bars."""
    found = Terminal()
    monkeypatch.setattr(sys, "stderr", found)
    monkeypatch.setattr(messages, "DELAY", 0.0)
    return found


def test_messages_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """A message during a bar begins on a cleared line."""
    pytest.importorskip("tqdm")
    shown = terminal(monkeypatch)
    with messages.progress_callback("things", False) as bar:
        assert bar is not None
        bar(3, 10)
        assert "3/10" in shown.getvalue()
        say("a message")
    before, _, after = shown.getvalue().partition("rapidbleu: a message")
    assert before.endswith("\r") and after.startswith("\n")
    assert before.rstrip("\r").endswith(" ")


def test_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = terminal(monkeypatch)
    for stream in (io.StringIO(), None):
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stderr", stream)
            with messages.reading_bar(False) as bar:
                assert bar is None
    with messages.reading_bar(True) as bar:
        assert bar is None
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "tqdm", None)
        with messages.reading_bar(False) as bar:
            assert bar is not None
            bar(1, 2)
    assert shown.getvalue() == ""


def test_a_bar_ends_with_what_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tqdm")
    shown = terminal(monkeypatch)
    with pytest.raises(KeyboardInterrupt), messages.progress_callback("things", False) as bar:
        assert bar is not None
        bar(1, 2)
        raise KeyboardInterrupt
    assert shown.getvalue().endswith("\r")
