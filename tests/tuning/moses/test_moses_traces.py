"""Each step of Moses' climbs and epoch of its kbmira, on small lists; see docs/guides/moses.md."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rapidbleu.cli import main
from rapidbleu.tuning import NBestList, mert
from rapidbleu.tuning.moses.score_files import read_stats
from support.places import DATA

FOLDER = DATA / "moses"
TRACES = json.loads((FOLDER / "traces.json").read_text(encoding="utf-8"))
CLIMBS = [trace for trace in TRACES["mert"] if trace["list"] != "sparse"]
SMOOTHINGS = {"min": "min", "average": "mean"}


def files(name: str) -> tuple[Path, Path]:
    return FOLDER / f"{name}.features", FOLDER / f"{name}.scores"


def smoothing(scconfig: str) -> tuple[str, int] | None:
    found = re.match(r"regtype:(\w+),regwin:(\d+)", scconfig)
    return (SMOOTHINGS[found[1]], int(found[2])) if found else None


def check_steps(steps: list[tuple[int, float, float]], trace: dict[str, Any]) -> None:
    """Check for the same directions and floats; scores to Moses' single precision."""
    assert [step[0] for step in steps] == [step[0] for step in trace["steps"]]
    assert [np.float32(step[1]) for step in steps] == [np.float32(s[1]) for s in trace["steps"]]
    assert [step[2] for step in steps] == pytest.approx(
        [step[2] for step in trace["steps"]], abs=3e-7
    )


@pytest.mark.parametrize("trace", CLIMBS, ids=lambda t: f"{t['list']} {t['scconfig']}")
def test_every_step_is_that_of_moses(trace: dict[str, Any]) -> None:
    nbest = read_stats(*files(trace["list"]))
    smooth = smoothing(trace["scconfig"])
    result = mert(nbest, trace["start"], restarts=0, moses_compat=True, smooth=smooth)
    check_steps(
        [
            (nbest.names.index(step["direction"]), step["x"], step["objective"] / 100)
            for step in result.history
        ],
        trace,
    )
    assert result.weights == pytest.approx([float(w) for w in trace["weights"]], rel=1e-5)
    assert result.starts[0]["objective"] / 100 == pytest.approx(float(trace["score"]), abs=1e-6)
    assert result.score == nbest.evaluate(result.weights)


def test_rules_of_moses_end_after_a_small_step_and_ours_before_it(nbest: NBestList) -> None:
    start = next(t["start"] for t in CLIMBS if t["list"] == "long" and len(t["steps"]) > 1)
    taken = mert(nbest, start, restarts=0, moses_compat=True, min_gain=5.0)
    assert len(taken.history) == 1
    assert mert(nbest, start, restarts=0, min_gain=5.0).history == []


@pytest.fixture
def nbest() -> NBestList:
    return read_stats(*files("long"))


STEP = re.compile(r"^(\S+): (\S+) => (\S+)$", re.MULTILINE)
BEST = re.compile(r"Best point: (.*) => (\S+)")


def run_mert(name: str, start: list[float], *options: str) -> None:
    lines = [start, [-1] * len(start), [1] * len(start)]
    Path("init.opt").write_text("".join(" ".join(map(str, line)) + "\n" for line in lines))
    features, scores = map(str, files(name))
    assert main(["mert", "-d", str(len(start)), "-F", features, "-S", scores, *options]) == 0


@pytest.mark.parametrize(
    "trace", TRACES["mert"], ids=lambda trace: f"{trace['list']} {trace['scconfig']}"
)
def test_the_command_climbs_as_moses_and_ends_no_lower(
    trace: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Also on sparse features without -p: Moses tunes the dense ones and ignores the rest."""
    if trace["list"] == "sparse":
        pytest.importorskip("scipy")
    monkeypatch.chdir(tmp_path)
    scconfig = ["--scconfig", trace["scconfig"]] if trace["scconfig"] else []
    run_mert(trace["list"], trace["start"], "-n", "0", "-v", "6", *scconfig)
    log = capsys.readouterr().err
    names = read_stats(*files(trace["list"])).names
    steps = STEP.findall(log.split("Ending point:")[0])
    assert [names.index(step[0]) for step in steps] == [step[0] for step in trace["steps"]]
    for (_, x, score), (_, moses_x, moses_score) in zip(steps, trace["steps"], strict=True):
        assert float(x) == pytest.approx(moses_x, rel=6e-6)
        assert float(score) == pytest.approx(moses_score, abs=1e-6)
    found = BEST.search(log)
    assert found is not None
    assert Path("weights.txt").read_text().split() == found[1].split()
    if trace["list"] != "coarse":  # where Moses reports scores that its weights do not have
        assert float(found[2]) >= float(trace["score"]) - 1e-6
    if trace["scconfig"]:
        weights = [float(word) for word in found[1].split()]
        assert weights == pytest.approx([float(word) for word in trace["weights"]], rel=1e-5)


@pytest.mark.parametrize("name", ["plain", "coarse", "long"])
@pytest.mark.parametrize("seed", range(3))
def test_the_command_ends_no_lower_than_the_library(
    name: str,
    seed: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    start = next(trace["start"] for trace in CLIMBS if trace["list"] == name)
    run_mert(name, start, "-n", "20", "-r", str(seed))
    found = BEST.search(capsys.readouterr().err)
    assert found is not None
    nbest = read_stats(*files(name))
    ranges = [(-1, 1)] * len(start)
    ours = mert(nbest, start, ranges=ranges, seed=seed)
    assert len(ours.starts) == 21
    assert float(found[2]) >= ours.score / 100 - 1e-6


EPOCH = re.compile(r"^([0-9]+)/[0-9]+ updates, avg loss = (\S+), BLEU = (\S+)$", re.MULTILINE)

# Moses' logarithms and exponentials are the C library's, which may round differently elsewhere;
# results that follow from one differ by more than this.
CLOSE = {"rel": 2e-5}


@pytest.mark.parametrize(
    "trace", TRACES["kbmira"], ids=lambda trace: " ".join([trace["list"], *trace["options"]])
)
def test_every_epoch_is_that_of_moses(
    trace: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if trace["list"] == "sparse":
        pytest.importorskip("scipy")
    monkeypatch.chdir(tmp_path)
    for name, text in trace["files"].items():
        Path(name).write_text(text)
    features, scores = map(str, files(trace["list"]))
    pairs = ["-F", features, "-S", scores] * trace["times"]
    options = ["--no-shuffle", "-J", "8", "-o", "out", *trace["options"]]
    assert main(["kbmira", *pairs, *options]) == 0
    log = capsys.readouterr().err
    assert f"Initial BLEU = {trace['initial']}\n" in log
    epochs = EPOCH.findall(log)
    assert [int(epoch[0]) for epoch in epochs] == [epoch[0] for epoch in trace["epochs"]]
    for i in (1, 2):
        ours, theirs = ([float(epoch[i]) for epoch in one] for one in (epochs, trace["epochs"]))
        assert ours == pytest.approx(theirs, **CLOSE)
    assert float(log.split("Best BLEU = ")[1]) == pytest.approx(float(trace["best"]), **CLOSE)
    weights = [line.split() for line in Path("out").read_text().splitlines()]
    expected = [line.split() for line in trace["weights"]]
    assert [name for name, _ in weights] == [name for name, _ in expected]
    assert [float(w) for _, w in weights] == pytest.approx(
        [float(w) for _, w in expected], rel=1e-4, abs=1e-6
    )
