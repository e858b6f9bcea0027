"""Interrupted processes of ``rapidbleu stats`` and ``merge``, and their memory."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from rapidbleu import BLEU, StatsTable
from rapidbleu.cli import main
from support.command_line import ENVIRONMENT, run_module
from support.processes import PEAK, RETURNED, linux_only, posix_only, run, unsanitized

N = 30_000


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with corpora of three sizes."""
    monkeypatch.chdir(tmp_path)
    for name, n in (("few", 50), ("some", 3000), ("many", N)):
        text = "".join(f"{'a ' * (i * 7919 % 211)}{i}\n" for i in range(n))
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def command(name: str, output: str, corpus: str = "many") -> list[str]:
    if name == "stats":
        return ["stats", corpus, "-i", corpus, "-o", output, "-q"]
    return ["merge", "1.npz", "2.npz", "-o", output, "-q"]


def make_parts(corpus: str = "many") -> None:
    for i in (1, 2):
        assert main([*command("stats", f"{i}.npz", corpus), "--shard", f"{i}/2"]) == 0


@pytest.mark.slow
@posix_only
@pytest.mark.parametrize("how", ["INT", "TERM", "KILL"])
@pytest.mark.parametrize("name", ["stats", "merge"])
def test_signals_leave_what_was_there(name: str, how: str, inputs: Path) -> None:
    """At random moments: old rows, new rows, or two files that `load` refuses."""
    rng = random.Random(f"{name} {how}")
    if name == "merge":
        make_parts()
    folder = inputs / "target"
    folder.mkdir()
    old = folder / "out.npz"
    program = [sys.executable, "-m", "rapidbleu"]
    started = time.monotonic()
    whole = inputs / "whole.npz"
    assert subprocess.run([*program, *command(name, str(whole))], env=ENVIRONMENT).returncode == 0
    longest = time.monotonic() - started
    ended = 0
    for there in (True, False) * 4:
        for path in folder.iterdir():
            path.unlink()
        if there:
            args = ["stats", "few", "-i", "few", "-o", str(old)]
            assert run_module("rapidbleu", *args) == (0, "", "")
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        with subprocess.Popen(
            [*program, *command(name, str(old))], env=ENVIRONMENT, stderr=subprocess.PIPE
        ) as process:
            time.sleep(rng.uniform(0.3, 1.0) * longest)
            process.send_signal(getattr(signal, f"SIG{how}"))
            process.communicate(timeout=60)
        after = {path.name: path.read_bytes() for path in folder.iterdir()}
        if how == "KILL":
            after = {own: data for own, data in after.items() if not own.endswith(".tmp")}
        ended += process.returncode != 0
        if after == before:
            continue
        if "out.npz.json" in after and after["out.npz.json"] != before.get("out.npz.json"):
            assert StatsTable.load(old).rows.tobytes() == StatsTable.load(whole).rows.tobytes()
        else:
            with pytest.raises(ValueError, match=r"out\.npz\.json: "):
                StatsTable.load(old)
    assert ended


@posix_only
@pytest.mark.parametrize(("how", "status"), [("INT", 130), ("TERM", 143)])
def test_signals_in_the_middle_of_a_segment(
    how: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A single pair takes a minute of native code, and no part of its file remains."""
    monkeypatch.chdir(tmp_path)
    for name, step in ("hyp", 7919), ("ref", 104_729):
        Path(name).write_text(" ".join(str(i * step % 5003) for i in range(500_000)))
    args = ["stats", "ref", "-i", "hyp", "-o", "out.npz", "-m", "wer", "-q"]
    with subprocess.Popen(
        [sys.executable, "-m", "rapidbleu", *args], env=ENVIRONMENT, stderr=subprocess.PIPE
    ) as process:
        while not list(tmp_path.glob(".rapidbleu-*.tmp")):
            time.sleep(0.01)
        time.sleep(0.5)
        assert process.poll() is None
        begin = time.monotonic()
        process.send_signal(getattr(signal, f"SIG{how}"))
        assert process.communicate(timeout=60) == (None, b"")
        assert time.monotonic() - begin < 3
    assert process.returncode == status
    assert sorted(os.listdir()) == ["hyp", "ref"]


@posix_only
@pytest.mark.parametrize("ending", ["npz", "parquet", "arrow"])
@pytest.mark.parametrize("name", ["stats", "merge"])
def test_no_room_leaves_what_was_there(
    name: str, ending: str, inputs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files are limited to 20 kB, which the rows of one column reach."""
    resource = pytest.importorskip("resource")
    if ending != "npz":
        pytest.importorskip("pyarrow")
    if name == "merge":
        make_parts("some")
    output = f"out.{ending}"
    before = sorted(os.listdir())
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limits[1]))
    try:
        status = main(command(name, output, "some"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (status, capsys.readouterr().err) == (1, f"rapidbleu: {output}: File too large\n")
    assert sorted(os.listdir()) == before


# Memory

BATCHES = (
    PEAK
    + """
from rapidbleu.cli import main
def peak_of(n):
    with open("lines", "w") as file:
        for i in range(n):
            file.write(f"the cat sat on {{i % 997}} mats and looked at {{i}} dogs for hours\\n")
    assert main({words}) == 0
    return peak()
print(*map(peak_of, (1_000, 300_000, 1_200_000)))
"""
)
COMMANDS = {
    "stats to npz": ["stats", "lines", "-i", "lines", "-o", "out.npz"],
    "stats of a shard": ["stats", "lines", "-i", "lines", "-o", "out.npz", "--shard", "2/2"],
    "stats to parquet": ["stats", "lines", "-i", "lines", "-o", "out.parquet"],
    "scores": ["lines", "-i", "lines", "-f", "text", "-b"],
    "scores of a shard": ["lines", "-i", "lines", "-f", "text", "-b", "--shard", "2/2"],
}


@linux_only
@unsanitized
@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_memory_is_that_of_batches(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four times as many segments need no more memory, and less than 50 MB over few segments."""
    if "parquet" in name:
        pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    output = run(BATCHES.format(words=COMMANDS[name]), timeout=300, **RETURNED)
    few, many, most = map(float, output.splitlines()[-1].split())
    assert many - few < 50 and most - few < 50
    assert most - many < 8


SCORED = (
    PEAK
    + """
from rapidbleu.cli import main
def peak_of(name):
    files = [f"{{name}}-{{i}}.{ending}" for i in range({n_systems})]
    assert main(["score", "--stats", *files, "-b"]) == 0
    return peak()
print(*map(peak_of, ("few", "many")))
"""
)


@linux_only
@unsanitized
@pytest.mark.parametrize(
    ("ending", "n_systems", "most"),
    [
        pytest.param("npz", 1, 200, marks=pytest.mark.slow),
        ("parquet", 1, 250),
        ("npz", 2, 290),
    ],
)
def test_memory_of_scores_of_rows(
    ending: str, n_systems: int, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table takes 88 bytes per segment, the same again for reading, and no Python list."""
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    metric, n = BLEU(), 400_000
    table = metric.stats_table(["a b c d e"], [["a b c d f"]])
    for name, n_rows in ("few", 1000), ("many", n):
        whole = StatsTable(metric, np.repeat(table.rows, n_rows, axis=0), table.signature)
        for i in range(n_systems):
            whole.save(f"{name}-{i}.{ending}")
    output = run(SCORED.format(ending=ending, n_systems=n_systems))
    few, many = map(float, output.splitlines()[-1].split())
    assert (many - few) * 2**20 / n < most
