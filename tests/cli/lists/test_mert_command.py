"""``rapidbleu mert``, ``kbmira`` and ``pro``: Moses' tuning programs."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rapidbleu.cli import main
from rapidbleu.tuning import NBestList, mert
from rapidbleu.tuning.moses.score_files import read_stats, write_stats
from rapidbleu.tuning.moses.score_types import moses_bleu
from rapidbleu.tuning.search.mira import mira
from rapidbleu.tuning.search.pro import pair_differences, sample_pairs, sentence_scores
from support.command_line import Run
from support.tuning_lists import made, sparse

# ``rapidbleu mert`` with Moses' flags and files: what mert-moses.pl reads back.


# How mert-moses.pl finds the result in mert's log.
BEST_POINT = re.compile(r"Best point:\s*([\s\d.\-e]+?)\s*=> ([\-\d.]+)")
NAMES = ["LM0_0", "WordPenalty0_0", "TM_0", "TM_1"]


def random_lists(seed: int, n: int = 90) -> NBestList:
    random = np.random.default_rng(seed)
    features = random.normal(size=(n, 4)).round(3).astype(np.float32)
    quality = features @ [0.5, -0.3, 1.0, 0.2] + random.normal(size=n)
    totals = random.integers(9, 15, n)
    matches = np.clip(totals * (0.4 + quality / 8), 2, totals).astype(int)
    orders = np.arange(4)
    rows = np.hstack(
        [
            totals[:, None],
            totals[:, None] + 1,
            matches[:, None] // 2**orders,
            totals[:, None] - orders,
        ]
    )
    return NBestList(features, rows, range(0, n + 1, 9), metric=moses_bleu(), names=NAMES)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a working directory with the files of two runs."""
    monkeypatch.chdir(tmp_path)
    write_stats(random_lists(1), "f1", "s1")
    write_stats(random_lists(2), "f2.bin", "s2.bin", binary=True)
    Path("init.opt").write_text("0.3 -1 0.2 0.2\n0 -1 0 0\n1 0 1 1\n")
    Path("other.opt").write_text("0.1 0.1 0.1 0.1\n0 0 0 0\n1 1 1 1\n")
    return tmp_path


def run(*argv: str, capsys: Any) -> tuple[list[float], float, str]:
    """Return weights and score as mert-moses.pl reads them, and the log."""
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
        "-d",
        "4",
        "--sctype",
        "BLEU",
        "--scconfig",
        "case:true",
        "--ffile",
        "f1",
        "--scfile",
        "s1",
        "--ifile",
        "init.opt",
        "-n",
        "0",
        capsys=capsys,
    )
    nbest = random_lists(1)
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
    both = random_lists(1).merge(random_lists(2))
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
        assert score == pytest.approx(random_lists(1).evaluate(weights) / 100, rel=1e-4)
    assert score >= random_lists(1).evaluate([0.3, -1, 0.2, 0.2]) / 100 - 0.05


def test_sparse_features_become_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    dense = random_lists(1)
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
    """Moses writes zero weights then, and its driver continues with them."""
    nbest = random_lists(1)
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
        (["-d", "5"], "-d/--pdim: expected 4, the number of features; got 5"),
        (["--ifile", "short.opt"], "short.opt: expected 4 weights, as many as features; got 2"),
        (["--ifile", "none.opt"], "none.opt: No such file or directory"),
        (["-F", "nowhere"], "nowhere: No such file or directory"),
        (["-S", "f1"], "f1, line 1: expected"),
        (["-F", "f1,f2.bin"], "score_files: expected as many as feature_files"),
        (["-o", "LM0_0,LM1_0"], "-o: expected names of features; got LM1_0"),
        (["-o", "4"], "-o: expected names of features; got 4"),
        (["-P", "WordPenalty0_0"], "start: expected 'WordPenalty0_0' within its bounds, 0 to"),
        (["--shard-count", "4"], "--shard-count: not supported"),
        (
            ["--sctype", "CHRF"],
            "--sctype: expected BLEU, PER, WER, CDER, TER or several of them; got CHRF",
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


# `rapidbleu pro` and `rapidbleu kbmira`: Moses' flags and files.


pytest.importorskip("scipy")

SIZES = [12, 1, 30, 9, 20]


Rapidbleu = Callable[..., tuple[str, str]]


@pytest.fixture
def rapidbleu(run: Run) -> Rapidbleu:
    def command(*argv: str | Path, status: int = 0) -> tuple[str, str]:
        result = run(*map(str, argv))
        assert result.status == status, result.err
        return result.out, result.err

    return command


def with_names(nbest: NBestList, names: list[str]) -> NBestList:
    return NBestList(nbest.features, nbest.stats, nbest.offsets, metric=nbest.metric, names=names)


@pytest.fixture
def files(tmp_path: Path) -> list[str | Path]:
    """Return arguments for two pairs of files, the second one binary."""
    arguments: list[str | Path] = []
    for seed, binary in ((1, False), (2, True)):
        features, scores = tmp_path / f"f{seed}", tmp_path / f"s{seed}"
        write_stats(made(seed, sizes=SIZES), features, scores, binary=binary)
        arguments += ["--ffile", features, "--scfile", scores]
    return arguments


@pytest.fixture
def sparse_files(tmp_path: Path) -> list[str | Path]:
    nbest = with_names(sparse(made(1, sizes=SIZES)), ["LM0_0", "LM0_1", "W0_0", "tb_a", "tb_b~c"])
    write_stats(nbest, tmp_path / "f", tmp_path / "s")
    return ["-F", tmp_path / "f", "-S", tmp_path / "s"]


def paths(arguments: list[str | Path]) -> tuple[list[Path], list[Path]]:
    return [Path(p) for p in arguments[1::4]], [Path(p) for p in arguments[3::4]]


# pro


def parsed(line: str) -> tuple[str, dict[str, float]]:
    label, *rest = line.split()
    return label, {name: float(v) for name, v in zip(rest[::2], rest[1::2], strict=True)}


@pytest.mark.parametrize("smooth", [False, True])
def test_pro_writes_the_pairs_both_ways_round(
    files: list[str | Path], tmp_path: Path, smooth: bool, rapidbleu: Rapidbleu
) -> None:
    out = tmp_path / "run1.pro.data"
    stdout, stderr = rapidbleu("pro", "-r", "7", *files, "-o", out, *["-b"] * smooth)
    assert stdout == "" and "random seed to 7" in stderr
    nbest = read_stats(*paths(files))
    pairs = sample_pairs(nbest, sentence_scores(nbest, smooth_length=smooth), seed=7)
    lines = out.read_text().splitlines()
    assert len(lines) == 2 * len(pairs) > 100
    values, columns, starts = pair_differences(nbest, pairs)
    for i in range(len(pairs)):
        part = slice(starts[i], starts[i + 1])
        expected = {
            f"F{column}": value
            for column, value in zip(columns[part].tolist(), values[part].tolist(), strict=True)
            if abs(value) >= 1e-5
        }
        for line, sign in zip(lines[2 * i : 2 * i + 2], (1, -1), strict=True):
            label, found = parsed(line)
            assert label == ("1" if sign > 0 else "0")
            assert list(found) == list(expected)
            mirrored = [sign * value for value in expected.values()]
            assert list(found.values()) == pytest.approx(mirrored, rel=1e-5)


def test_pro_names_sparse_features(sparse_files: list[str | Path], rapidbleu: Rapidbleu) -> None:
    stdout, _ = rapidbleu("pro", *sparse_files)
    names = {name for line in stdout.splitlines() for name in parsed(line)[1]}
    assert names == {"F0", "F1", "F2", "tb_a", "tb_b~c"}


# kbmira


def weights_of(text: str) -> dict[str, float]:
    return {name: float(value) for name, value in (line.split() for line in text.splitlines())}


def test_kbmira_writes_the_weights_of_the_best_epoch(
    files: list[str | Path], tmp_path: Path, rapidbleu: Rapidbleu
) -> None:
    start, out = tmp_path / "run1.dense", tmp_path / "mert.out"
    start.write_text("LM0= 0.5\nLM0= -0.25\nW0= 0\nW1= 0.125\nW2= 1\n")
    stdout, stderr = rapidbleu(
        "kbmira",
        "-J",
        "7",
        "--dense-init",
        start,
        "-r",
        "3",
        *files,
        "-o",
        out,
        "-C",
        "0.02",
        "--safe-hope",
    )
    assert stdout == ""
    nbest = read_stats(*paths(files))
    result = mira(
        nbest,
        [0.5, -0.25, 0, 0.125, 1],
        epochs=7,
        seed=3,
        max_step=0.02,
        safe_hope=True,
        moses_compat=True,
    )
    found = weights_of(out.read_text())
    assert list(found) == ["F0", "F1", "F2", "F3", "F4"]
    assert list(found.values()) == pytest.approx(result.weights, rel=1e-8)
    assert stderr.splitlines()[-1] == f"Best BLEU = {result.score / 100:g}"
    assert stderr.count("updates, avg loss = ") == 7


@pytest.mark.parametrize("flag", ["--no-shuffle", "--streaming"])
def test_kbmira_without_shuffling(files: list[str | Path], flag: str, rapidbleu: Rapidbleu) -> None:
    stdout, _ = rapidbleu("kbmira", *files, flag, "-J", "2", "--model-bg", "-D", "0.9")
    nbest = read_stats(*paths(files))
    result = mira(
        nbest, epochs=2, shuffle=False, model_background=True, decay=0.9, moses_compat=True
    )
    assert list(weights_of(stdout).values()) == pytest.approx(result.weights, rel=1e-8)


def test_kbmira_with_sparse_features(
    sparse_files: list[str | Path], tmp_path: Path, rapidbleu: Rapidbleu
) -> None:
    dense, other = tmp_path / "run1.dense", tmp_path / "run1.sparse-weights"
    dense.write_text("LM0= 0.5\nLM0= 0.5\nW0= -1\n")
    other.write_text("tb_b~c 0.25\ntb_gone 3\n")
    stdout, _ = rapidbleu(
        "kbmira", *sparse_files, "-J", "2", "--dense-init", dense, "--sparse-init", other
    )
    nbest = read_stats(sparse_files[1], sparse_files[3])
    result = mira(nbest, [0.5, 0.5, -1, 0, 0.25], epochs=2, moses_compat=True, seed=0)
    found = weights_of(stdout)
    assert list(found) == ["F0", "F1", "F2", "tb_b~c", "tb_gone", "tb_a"]
    assert found.pop("tb_gone") > 3
    ours = dict(zip([*list(found)[:3], *nbest.names[3:]], result.weights, strict=True))
    assert found == pytest.approx(ours, rel=1e-5)


# What is refused


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--type", "hypergraph"], "--type: expected nbest; got hypergraph"),
        (["--sparse-init", "x"], "--sparse-init: expected --dense-init too"),
        (["--dense-init", "short"], "short: expected 5 weights, one for each dense feature; got 2"),
        (["--dense-init", "gone"], "gone: No such file"),
        (["-F", "gone", "-S", "gone"], "gone: No such file"),
        (["-o", "gone/out", "-J", "1"], "gone/out: No such file"),
    ],
)
def test_kbmira_refuses(
    files: list[str | Path],
    tmp_path: Path,
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    rapidbleu: Rapidbleu,
) -> None:
    (tmp_path / "short").write_text("LM0= 1\nLM0= 2\n")
    monkeypatch.chdir(tmp_path)
    _, stderr = rapidbleu("kbmira", *files, *arguments, status=1)
    assert message in stderr


def test_sparse_weights_that_are_none(
    sparse_files: list[str | Path], tmp_path: Path, rapidbleu: Rapidbleu
) -> None:
    dense, other = tmp_path / "dense", tmp_path / "other"
    dense.write_text("LM0= 0.5\nLM0= 0.5\nW0= -1\n")
    other.write_text("tb_a 1\ntb_b~c x\n")
    _, stderr = rapidbleu(
        "kbmira", *sparse_files, "--dense-init", dense, "--sparse-init", other, status=1
    )
    assert "other, line 2: expected a finite number; got 'x'" in stderr
