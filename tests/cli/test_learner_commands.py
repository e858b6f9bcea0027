"""`rapidbleu pro` and `rapidbleu kbmira`: Moses' flags and files."""

from collections.abc import Callable
from pathlib import Path

import pytest

from rapidbleu.tuning import NBestList
from rapidbleu.tuning.moses.score_files import read_stats, write_stats
from rapidbleu.tuning.search.mira import mira
from rapidbleu.tuning.search.pro import pair_differences, sample_pairs, sentence_scores
from support.command_line import Run
from support.tuning_lists import made, sparse

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
    """Two pairs of files, the second one binary, as arguments."""
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
        "kbmira", "-J", "7", "--dense-init", start, "-r", "3", *files, "-o", out, "-C", "0.02",
        "--safe-hope",
    )  # fmt: skip
    assert stdout == ""
    nbest = read_stats(*paths(files))
    result = mira(
        nbest, [0.5, -0.25, 0, 0.125, 1], epochs=7, seed=3, C=0.02, safe_hope=True,
        moses_compat=True,
    )  # fmt: skip
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
    result = mira(nbest, [0.5, 0.5, -1, 0, 0.25], epochs=2, moses_compat=True)
    found = weights_of(stdout)
    assert list(found) == ["F0", "F1", "F2", "tb_b~c", "tb_gone", "tb_a"]
    assert found.pop("tb_gone") > 3
    ours = dict(zip([*list(found)[:3], *nbest.names[3:]], result.weights, strict=True))
    assert found == pytest.approx(ours, rel=1e-5)


# What is refused


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--type", "hypergraph"], "--type: expected nbest, got hypergraph"),
        (["--sparse-init", "x"], "--sparse-init: expected --dense-init too"),
        (["--dense-init", "short"], "short: expected 5 weights, one for each dense feature, got 2"),
        (["--dense-init", "gone"], "gone: No such file"),
        (["-F", "gone", "-S", "gone"], "gone: No such file"),
        (["-o", "gone/out", "-J", "1"], "gone/out: No such file"),
    ],
)
def test_kbmira_refuses(
    files: list[str | Path], tmp_path: Path, arguments: list[str], message: str,
    monkeypatch: pytest.MonkeyPatch, rapidbleu: Rapidbleu,
) -> None:  # fmt: skip
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
    assert "other, line 2: expected a finite number, got 'x'" in stderr
