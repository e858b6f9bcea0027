"""Moses' metrics beside BLEU: their statistics in files, their fractions, mixtures, commands."""

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import CDER, CER, PER, TER, WER, Interpolation
from rapidbleu.tuning import NBestList, mert
from rapidbleu.tuning.moses.nbest_files import read_nbest
from rapidbleu.tuning.moses.score_files import read_stats, write_stats
from rapidbleu.tuning.moses.score_types import SCORE_TYPES, Form, fraction, moses_metric
from support.command_line import Run

TYPES = [[name] for name in SCORE_TYPES] + [["BLEU", "TER"], ["PER", "WER", "CDER"]]
WORDS = [f"w{i}" for i in range(12)] + ["a\u00a0b", "X"]


def texts(rng: Random, n: int, least: int = 0) -> list[str]:
    return [" ".join(rng.choices(WORDS, k=rng.randint(least, 12))) for _ in range(n)]


@pytest.fixture
def lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = Random("lists")
    refs = [texts(rng, 8, 3) for _ in range(2)]
    for i, stream in enumerate(refs):
        Path(f"ref{i}").write_text("\n".join(stream) + "\n")
    lines = []
    for segment in range(8):
        for _ in range(10):
            words = refs[0][segment].split()
            for _ in range(rng.randint(0, 4)):
                words[rng.randrange(len(words))] = rng.choice(WORDS)
            numbers = [rng.gauss(0, 1) for _ in range(3)]
            text, values = " ".join(words), " ".join(f"{number:.3f}" for number in numbers)
            lines.append(f"{segment} ||| {text} ||| F= {values} ||| 0")
    Path("nbest").write_text("\n".join(lines) + "\n")
    return tmp_path


@pytest.mark.parametrize("names", TYPES, ids=",".join)
@pytest.mark.parametrize("binary", [False, True])
def test_files_give_back_the_scores(lists: Path, names: list[str], binary: bool) -> None:
    metric = moses_metric(names)
    refs = [Path(f"ref{i}").read_text().splitlines() for i in range(2)]
    nbest = read_nbest("nbest", refs, metric=metric)
    write_stats(nbest, "features", "scores", binary)
    header = Path("scores").read_bytes().split(b"\n", 1)[0].decode()
    form = Form(metric)
    kind = "BIN" if binary else "TXT"
    assert header == f"SCORES_{kind}_BEGIN_0 0 10 {form.n_columns} {','.join(names)}"
    again = read_stats("features", "scores", metric)
    rng = np.random.default_rng(0)
    for weights in rng.normal(size=(20, 3)):
        assert again.evaluate(weights) == pytest.approx(nbest.evaluate(weights), rel=1e-12)
    rows = nbest.stats
    assert form.columns(form.rows(form.columns(rows))).tolist() == form.columns(rows).tolist()


@pytest.mark.parametrize("n_refs", [1, 2, 3, 4, 7])
def test_columns_are_those_of_moses(n_refs: int) -> None:
    rng = Random(f"columns {n_refs}")
    hyps, refs = texts(rng, 200), [texts(rng, 200) for _ in range(n_refs)]
    for name, metric in (("WER", WER()), ("CDER", CDER(tokenize="none")), ("TER", TER())):
        rows = metric.segment_stats(hyps, refs)
        columns = Form(metric).columns(rows)
        for row, column in zip(rows, columns, strict=True):
            parts: Any = metric.score(row)
            if name == "TER":
                mean = parts.ref_length
                rate = 100 * parts.num_edits / mean if mean else 0
                expected = [100 * parts.num_edits, int(100 * mean), int(rate)]
            elif name == "WER":
                edits = parts.substitutions + parts.deletions + parts.insertions
                expected = [edits, parts.hits + parts.substitutions + parts.deletions]
            else:
                expected = row.tolist()
            assert column.tolist() == expected


def test_the_columns_of_an_example() -> None:
    hyp = ["the cat sat on a mat"]
    refs = [["the cat is on the mat"], ["there is a cat on the mat"], ["a mat"]]
    streams: list[tuple[str, list[int]]] = [("WER", [2, 6]), ("TER", [200, 500, 40])]
    for name, expected in streams:
        metric: Any = moses_metric([name])
        assert Form(metric).columns(metric.segment_stats(hyp, refs)).tolist() == [expected]
    per: Any = moses_metric(["PER"])
    assert Form(per).columns(per.segment_stats(hyp, refs[:1])).tolist() == [[4, 6, 6]]


def test_fractions() -> None:
    hyps, refs = ["a b c d e x"], [["a b c d e f"]]
    for names, expected in (
        (["PER"], 5 / 6), (["WER"], 5 / 6), (["CDER"], 5 / 6), (["TER"], 5 / 6),
    ):  # fmt: skip
        metric: Any = moses_metric(names)
        score = metric.score(metric.segment_stats(hyps, refs)).score
        assert fraction(metric, score) == pytest.approx(expected)
    mixture: Any = moses_metric(["BLEU", "TER"], [0.6, 0.4])
    score = mixture.score(mixture.segment_stats(hyps, refs)).score
    bleu: Any = moses_metric(["BLEU"])
    own = fraction(bleu, bleu.score(bleu.segment_stats(hyps, refs)).score)
    assert fraction(mixture, score) == pytest.approx(0.6 * own + 0.4 * 5 / 6)


@pytest.mark.parametrize("names", TYPES, ids=",".join)
def test_commands_tune_what_they_extract(lists: Path, names: list[str], run: Run) -> None:
    sctype = ["--sctype", ",".join(names)]
    files = ("-S", "scores", "-F", "features")
    argv = ("extractor", *sctype, "-r", "ref0,ref1", "-n", "nbest", *files)
    assert run(*argv) == (0, "", "")
    Path("init.opt").write_text("0.3 0.3 0.3\n-1 -1 -1\n1 1 1\n")
    argv = ("mert", "-d", "3", *sctype, "-S", "scores", "-F", "features", "-n", "4", "--ifile",
            "init.opt", "-r", "1")  # fmt: skip
    status, _, err = run(*argv)
    assert status == 0
    best = float(err.rsplit("=> ", 1)[1])
    weights = [float(word) for word in Path("weights.txt").read_text().split()]
    metric = moses_metric(names)
    nbest = read_stats("features", "scores", metric)
    assert fraction(metric, float(nbest.evaluate(weights))) == pytest.approx(best, rel=1e-4)
    start = fraction(metric, float(nbest.evaluate([0.3, 0.3, 0.3])))
    assert best > start
    status, out, _ = run("evaluator", *sctype, "-R", "ref0,ref1", "-n", "nbest")
    refs = [Path(f"ref{i}").read_text().splitlines() for i in range(2)]
    first = read_nbest("nbest", refs, metric=metric)
    rows = first.stats[first.offsets[:-1]].astype(np.int64)
    assert out == f"{fraction(metric, metric.score(rows).score):.4f}\n"
    status, _, err = run("kbmira", *sctype, "-S", "scores", "-F", "features", "-J", "3")
    assert status == 0, err
    assert "Best BLEU = " in err


def test_mixtures_by_weights(lists: Path, run: Run) -> None:
    for weights, expected in (("0.6+0.4", [0.6, 0.4]), ("3+1", [0.75, 0.25])):
        config = ["--sctype", "BLEU,WER", "--scconfig", f"case:true,weights:{weights}"]
        status, out, _ = run("evaluator", *config, "-R", "ref0,ref1", "-n", "nbest")
        single = [
            float(run("evaluator", "-s", name, "-R", "ref0,ref1", "-n", "nbest")[1])
            for name in ("BLEU", "WER")
        ]
        assert float(out) == pytest.approx(np.dot(single, expected), abs=2e-4)
    for weights, message in (
        ("1", "weights: expected 2, one for each metric, got 1"),
        ("0+0", "weights: expected numbers of at least 0, not all 0"),
        ("x+1", "could not convert string to float"),
    ):
        argv = ("evaluator", "-s", "BLEU,WER", "--scconfig", f"weights:{weights}", "-R", "ref0")
        status, _, err = run(*argv, "-n", "nbest")
        assert status == 1 and f"--scconfig: {message}" in err


def test_metrics_without_a_form() -> None:
    features, stats = np.zeros((1, 1), np.float32), [[0, 0, 0, 0]]
    for metric in (CER(), PER(), Interpolation([TER(), CER()])):
        rows = stats if metric._kernel.n_stats == 4 else [stats[0] * 2]
        nbest = NBestList(features, rows, [0, 1], metric=metric)
        with pytest.raises(ValueError, match="metric: expected BLEU, PER"):
            write_stats(nbest, "features", "scores")
    with pytest.raises(ValueError, match="metric: expected BLEU, PER"):
        read_stats("features", "scores", CER())


def test_mert_finds_the_least_errors(lists: Path) -> None:
    refs = [Path(f"ref{i}").read_text().splitlines() for i in range(2)]
    nbest = read_nbest("nbest", refs, metric=moses_metric(["TER"]))
    found = mert(nbest, [0.3, 0.3, 0.3], restarts=5)
    rng = np.random.default_rng(1)
    assert found.score <= nbest.evaluate(rng.normal(size=(300, 3))).min() + 1e-9
