"""``rapidbleu mert`` with Moses' flags and files: what mert-moses.pl reads back."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rapidbleu.cli import main
from rapidbleu.tuning import NBestList, mert
from rapidbleu.tuning.moses.score_files import write_stats
from rapidbleu.tuning.moses.score_types import moses_bleu

# How mert-moses.pl finds the result in mert's log.
BEST_POINT = re.compile(r"Best point:\s*([\s\d.\-e]+?)\s*=> ([\-\d.]+)")
NAMES = ["LM0_0", "WordPenalty0_0", "TM_0", "TM_1"]


def made(seed: int, n: int = 90) -> NBestList:
    random = np.random.default_rng(seed)
    features = random.normal(size=(n, 4)).round(3).astype(np.float32)
    quality = features @ [0.5, -0.3, 1.0, 0.2] + random.normal(size=n)
    totals = random.integers(9, 15, n)
    matches = np.clip(totals * (0.4 + quality / 8), 2, totals).astype(int)
    orders = np.arange(4)
    rows = np.hstack(
        [totals[:, None], totals[:, None] + 1, matches[:, None] // 2**orders,
         totals[:, None] - orders]
    )  # fmt: skip
    return NBestList(features, rows, range(0, n + 1, 9), metric=moses_bleu(), names=NAMES)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the files of two runs."""
    monkeypatch.chdir(tmp_path)
    write_stats(made(1), "f1", "s1")
    write_stats(made(2), "f2.bin", "s2.bin", binary=True)
    Path("init.opt").write_text("0.3 -1 0.2 0.2\n0 -1 0 0\n1 0 1 1\n")
    Path("other.opt").write_text("0.1 0.1 0.1 0.1\n0 0 0 0\n1 1 1 1\n")
    return tmp_path


def run(*argv: str, capsys: Any) -> tuple[list[float], float, str]:
    """Weights and score as mert-moses.pl reads them, and the whole log."""
    assert main(["mert", *argv]) == 0
    output = capsys.readouterr()
    assert output.out == ""
    found = BEST_POINT.search(output.err)
    assert found is not None, output.err
    weights = [float(word) for word in found[1].split()]
    text = Path("weights.txt").read_text()
    assert re.fullmatch(r"(\S+ ){4}\n", text)
    assert [float(word) for word in text.split()] == weights
    return weights, float(found[2]), output.err


def test_one_start(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    weights, score, log = run(
        "-d", "4", "--sctype", "BLEU", "--scconfig", "case:true", "--ffile", "f1", "--scfile", "s1",
        "--ifile", "init.opt", "-n", "0", capsys=capsys,
    )  # fmt: skip
    nbest = made(1)
    ends = [mert(nbest, [0.3, -1, 0.2, 0.2], restarts=0, moses_compat=m) for m in (True, False)]
    expected = max(ends, key=lambda end: end.score)
    assert weights == pytest.approx(expected.weights, rel=1e-5)
    assert sum(map(abs, weights)) == pytest.approx(1, rel=1e-5)
    assert score == pytest.approx(expected.score / 100, rel=1e-5)
    assert score == pytest.approx(nbest.evaluate(weights) / 100, rel=1e-5)
    assert log.splitlines()[:-1] == [
        "shard_size = 0 shard_count = 0",
        "Seeding random numbers with 1000",
        "Data::m_score_type BLEU",
        "Loading Data from: s1 and f1",
        "Creating a pool of 1 threads",
    ]


def test_several_runs_and_starts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = ["--ffile", "f1,f2.bin", "--scfile", "s1,s2.bin", "--ifile", "init.opt,other.opt"]
    first = run(*common, "-n", "5", "-r", "3", "-v", "6", capsys=capsys)
    assert first == run(*common, "-n", "5", "-r", "3", "-v", "6", capsys=capsys)
    assert first[2].count("Starting point: ") == first[2].count("Ending point: ") == 9
    again = run(*common, "-n", "5", "-r", "3", "--threads", "2", capsys=capsys)
    assert again[:2] == first[:2]
    assert first[1] >= run(*common, "-n", "0", capsys=capsys)[1]
    both = made(1).merge(made(2))
    assert len(both) == 180
    assert first[1] == pytest.approx(both.evaluate(first[0]) / 100, rel=1e-4)


@pytest.mark.parametrize("tuned", ["LM0_0,TM_1", "0,3"])
def test_some_features(folder: Path, capsys: pytest.CaptureFixture[str], tuned: str) -> None:
    weights, _, _ = run("-F", "f1", "-S", "s1", "-n", "3", "-o", tuned, capsys=capsys)
    assert weights[1:3] == [-1, 0.2]
    assert weights[0] != 0.3 or weights[3] != 0.2


def test_weights_that_are_not_tuned_are_those_of_the_first_start(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    starts = ["--ifile", "other.opt,init.opt"]
    weights, _, _ = run(
        "-F", "f1", "-S", "s1", *starts, "-n", "2", "-o", "LM0_0,TM_1", capsys=capsys
    )
    assert weights[1:3] == [0.1, 0.1]


def test_hypotheses_that_are_there_twice_change_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    once, twice = (
        run("-F", "f1" + more[0], "-S", "s1" + more[1], "-n", "2", capsys=capsys)[:2]
        for more in (("", ""), (",f1", ",s1"))
    )
    assert once == twice


def test_positive_weights(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("init.opt").write_text("0.3 0.1 0.2 0.2\n0 0 0 0\n1 1 1 1\n")
    arguments = ["-F", "f1", "-S", "s1", "-n", "3"]
    assert min(run(*arguments, "-P", ",".join(NAMES), capsys=capsys)[0]) >= 0


@pytest.mark.parametrize(
    "options",
    [
        ["-t", "random-direction", "-m", "20"],
        ["-m", "20--sctype", "BLEU"],  # as the driver writes it
        ["-t", "random", "-n", "50"],
        ["--scconfig", "case:true,regtype:average,regwin:2"],
        ["--scconfig", "regtype:min,regwin:1"],
    ],
)
def test_kinds_of_search(
    folder: Path, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    weights, score, _ = run("-F", "f1", "-S", "s1", *options, capsys=capsys)
    if "reg" not in options[-1]:  # else it is smoothed, as that of Moses
        assert score == pytest.approx(made(1).evaluate(weights) / 100, rel=1e-4)
    assert score >= made(1).evaluate([0.3, -1, 0.2, 0.2]) / 100 - 0.05


def test_sparse_features_become_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    dense = made(1)
    extra = sparse.random(90, 3, 0.3, random_state=0, format="csr", dtype=np.float32)
    features = sparse.hstack([dense.features, extra], format="csr")
    names = [*NAMES, "wt_a", "wt_b", "wt_c"]
    nbest = NBestList(features, dense.stats, dense.offsets, metric=dense.metric, names=names)
    write_stats(nbest, "f3", "s3")
    Path("sparse").write_text("wt_a 0.5\nwt_c -2\nwt_unseen 7\n")
    Path("init.opt").write_text("0.3 -1 0.2 0.2 1\n0 -1 0 0 0\n1 0 1 1 1\n")
    assert main(["mert", "-F", "f3", "-S", "s3", "-p", "sparse", "-n", "0", "-d", "5"]) == 0
    weights = [float(word) for word in Path("weights.txt").read_text().split()]
    column = (extra @ [0.5, 0.0, -2.0]).round(6)
    joined = np.hstack([dense.features, column[:, None]])
    merged = NBestList(joined, dense.stats, dense.offsets, metric=dense.metric)
    found = BEST_POINT.search(capsys.readouterr().err)
    assert found is not None
    assert float(found[2]) == pytest.approx(merged.evaluate(weights) / 100, rel=1e-3)


def test_score_of_zero_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Moses writes weights of zero then, and its driver goes on with them."""
    nbest = made(1)
    rows = nbest.stats.copy()
    rows[:, 5] = 0
    write_stats(NBestList(nbest.features, rows, nbest.offsets, metric=nbest.metric), "f0", "s0")
    assert main(["mert", "-F", "f0", "-S", "s0", "-n", "2"]) == 0
    assert "rapidbleu: no weights that were tried" in capsys.readouterr().err
    weights = [float(word) for word in Path("weights.txt").read_text().split()]
    assert weights == pytest.approx(np.array([0.3, -1, 0.2, 0.2]) / 1.7, rel=1e-5)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["-d", "5"], "-d/--pdim: expected 4, the number of features, got 5"),
        (["--ifile", "short.opt"], "short.opt: expected 4 weights, as many as features, got 2"),
        (["--ifile", "none.opt"], "none.opt: No such file or directory"),
        (["-F", "nowhere"], "nowhere: No such file or directory"),
        (["-S", "f1"], "f1, line 1: expected"),
        (["-F", "f1,f2.bin"], "score_files: expected as many as feature_files"),
        (["-o", "LM0_0,LM1_0"], "-o: expected names of features, got LM1_0"),
        (["-o", "4"], "-o: expected names of features, got 4"),
        (["-P", "WordPenalty0_0"], "weights: expected 'WordPenalty0_0' within its bounds, 0 to"),
        (["--shard-count", "4"], "--shard-count: not supported"),
        (
            ["--sctype", "CHRF"],
            "--sctype: expected BLEU, PER, WER, CDER, TER or several of them, got CHRF",
        ),
    ],
)
def test_errors(
    folder: Path, capsys: pytest.CaptureFixture[str], argv: list[str], message: str
) -> None:
    Path("short.opt").write_text("1 1\n0 0\n1 1\n")
    assert main(["mert", "-F", "f1", "-S", "s1", *argv]) == 1
    assert message in capsys.readouterr().err
    assert not Path("weights.txt").exists()
