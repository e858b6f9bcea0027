"""``rapidbleu tune``: output, and errors before any search."""

import gzip
import json
import os
import random
import subprocess
import sys
from argparse import Namespace
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CHRF, GLEU, NIST, ROUGE, TER, WER, SegmentScores, WeightedSum
from rapidbleu.cli import main
from rapidbleu.cli.tune import command
from rapidbleu.cli.tune.command import METHODS, methods_of
from rapidbleu.tuning import (
    NBestList,
    cross_validate,
    mert,
    split_documents,
    tune,
)
from rapidbleu.tuning.moses.nbest_files import read_nbest
from support.tuning_lists import sparse

N_SEGMENTS, N_EACH = 12, 9


def write_lists(folder: Path, name: str, seed: int) -> tuple[str, str]:
    """Write n-best lists with a feature that counts correct words, and their references."""
    rng = random.Random(seed)
    lines, references = [], []
    for i in range(N_SEGMENTS):
        reference = [rng.choice("abcdefgh") for _ in range(rng.randint(5, 9))]
        references.append(" ".join(reference))
        for _ in range(N_EACH):
            words = [word if rng.random() < 0.7 else rng.choice("xyz") for word in reference]
            right = sum(a == b for a, b in zip(words, reference, strict=True))
            values = right + rng.gauss(0, 1), rng.gauss(0, 1), len(words)
            numbers = "lm= {:.4f} noise= {:.4f} length= {}".format(*values)
            lines.append(f"{i} ||| {' '.join(words)} ||| {numbers} ||| 0")
    nbest, refs = folder / f"{name}.gz", folder / f"{name}.ref"
    with gzip.open(nbest, "wt", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)
    refs.write_text("".join(f"{line}\n" for line in references), encoding="utf-8")
    return str(nbest), str(refs)


@pytest.fixture
def lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str, str, str]:
    """Return files of tuned and tested lists, with references."""
    monkeypatch.chdir(tmp_path)
    return *write_lists(tmp_path, "tune", 1), *write_lists(tmp_path, "test", 2)


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    def run(*args: str) -> tuple[int, str, str]:
        status = main(["tune", *args])
        return status, *capfd.readouterr()

    return run


def content(path: str = "weights.json") -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    return parsed


def read(nbest: str, refs: str, **options: Any) -> NBestList:
    references = [Path(refs).read_text(encoding="utf-8").splitlines()]
    return read_nbest(nbest, references, metric=BLEU(**options))


def test_weights_and_scores(lists: tuple[str, ...], run: Run) -> None:
    nbest, refs, test, test_refs = lists
    status, out, err = run(
        nbest,
        "--refs",
        refs,
        "--test",
        test,
        "--test-refs",
        test_refs,
        "-o",
        "weights.json",
        "--restarts",
        "2",
    )
    assert (status, err) == (0, "")
    ours, tested = read(nbest, refs), read(test, test_refs)
    start = [1 / 3] * 3
    expected = mert(ours, start, restarts=2)
    found = content()
    assert found == {
        "weights": expected.to_dict()["weights"],
        "metric": "BLEU",
        "score": expected.score,
        "start_score": ours.evaluate(start),
        "test_score": tested.evaluate(expected.weights),
        "start_test_score": tested.evaluate(start),
        "method": "mert",
        "seed": 12345,
        "interrupted": False,
    }
    assert list(found["weights"]) == ["lm_0", "noise_0", "length_0"]
    assert found["score"] > found["start_score"]
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["start", "tuned"]
    assert lines[1] == ["lm_0", "0.3333", f"{found['weights']['lm_0']:.4g}"]
    scores = [f"{found[key]:.2f}" for key in ("start_score", "score")]
    assert lines[4] == ["BLEU", "tune", *scores]
    tested_scores = [f"{found[key]:.2f}" for key in ("start_test_score", "test_score")]
    assert lines[5] == ["BLEU", "test", *tested_scores]


@pytest.mark.parametrize("method", METHODS)
def test_methods(lists: tuple[str, ...], run: Run, method: str) -> None:
    if method not in ("mert", "mira"):
        pytest.importorskip("scipy")
    status, _, err = run(lists[0], "--refs", lists[1], "--method", method, "-o", "weights.json")
    assert (status, err) == (0, "")
    found = content()
    assert found["method"] == method
    assert found["score"] == read(*lists[:2]).evaluate(found["weights"])
    assert found["score"] > found["start_score"]


@pytest.mark.parametrize(
    ("options", "metric"),
    [
        (["chrf:word_order=2"], CHRF(word_order=2)),
        (["ter"], TER()),
        (["wer:lowercase=yes"], WER(lowercase=True)),
        (["rougeL"], ROUGE("L")),
        (["gleu"], GLEU()),
        (["bleu:max_ngram_order=2", "-tok", "char"], BLEU(tokenize="char", max_ngram_order=2)),
    ],
    ids=lambda part: part[0] if isinstance(part, list) else "",
)
def test_other_metrics(lists: tuple[str, ...], run: Run, options: list[str], metric: Any) -> None:
    nbest, refs, test, test_refs = lists
    argv = [nbest, "--refs", refs, "-t", test, "-tr", test_refs, "-o", "weights.json"]
    status, out, err = run(*argv, "--restarts", "1", "-m", *options)
    assert (status, err) == (0, "")
    ours = read_nbest(nbest, [Path(refs).read_text(encoding="utf-8").splitlines()], metric=metric)
    expected = mert(ours, [1 / 3] * 3, restarts=1)
    found = content()
    assert found["weights"] == expected.to_dict()["weights"]
    assert found["score"] == expected.score
    assert (found["score"] > found["start_score"]) == metric.higher_is_better
    assert f"{found['metric']} test" in out


def test_nist_weighs_by_the_references_of_each_set(lists: tuple[str, ...], run: Run) -> None:
    nbest, refs, test, test_refs = lists
    argv = [nbest, "--refs", refs, "-t", test, "-tr", test_refs, "-o", "weights.json"]
    assert run(*argv, "--restarts", "0", "-m", "nist")[0] == 0
    found = content()
    for paths, key in ((lists[:2], "start_score"), (lists[2:], "start_test_score")):
        streams = [Path(paths[1]).read_text(encoding="utf-8").splitlines()]
        own = read_nbest(paths[0], streams, metric=NIST().with_information(streams))
        assert found[key] == own.evaluate([1 / 3] * 3)


def test_mixtures(lists: tuple[str, ...], run: Run) -> None:
    streams = [Path(lists[1]).read_text(encoding="utf-8").splitlines()]
    argv = [lists[0], "--refs", lists[1], "-o", "weights.json", "--restarts", "1"]
    for weights, expected in (([], [0.5, -0.5]), (["--mixture", "0.7", "-0.3"], [0.7, -0.3])):
        assert run(*argv, "-m", "bleu", "ter", *weights)[0] == 0
        mixture = WeightedSum([BLEU(), TER()], expected)
        own = read_nbest(lists[0], streams, metric=mixture)
        assert content()["score"] == own.evaluate(content()["weights"])
        assert content()["score"] == mert(own, [1 / 3] * 3, restarts=1).score
    status, _, err = run(*argv, "-m", "bleu", "ter", "--mixture", "1")
    assert status == 1 and "--mixture: expected 2 weights, one for each metric; got 1" in err


def test_several_lists_are_merged(lists: tuple[str, ...], run: Run) -> None:
    with gzip.open(lists[0], "rt", encoding="utf-8") as file:
        lines = file.readlines()
    Path("a").write_text("".join(lines[: 2 * N_EACH + 3]), encoding="utf-8")
    Path("b").write_text("".join(lines[2 * N_EACH :]), encoding="utf-8")
    for files, output in ((["a", "b"], "ab.json"), ([lists[0]], "one.json")):
        assert run(*files, "--refs", lists[1], "-o", output, "--restarts", "1")[0] == 0
    assert content("ab.json") == content("one.json")


def test_saved_lists(lists: tuple[str, ...], run: Run) -> None:
    read(*lists[:2]).save("tune.npz")
    run(lists[0], "--refs", lists[1], "-o", "text.json", "--restarts", "1")
    for files in (["tune.npz"], ["tune.npz", "tune.npz"]):
        assert run(*files, "-o", "saved.json", "--restarts", "1")[0] == 0
        assert content("saved.json") == content("text.json")


def test_start_and_fixed_weights(lists: tuple[str, ...], run: Run) -> None:
    start = {"length_0": 0.25, "lm_0": -0.5, "noise_0": 0.125}
    Path("start.json").write_text(json.dumps(start), encoding="utf-8")
    args = lists[0], "--refs", lists[1], "--fixed", "length_0", "-o", "weights.json"
    assert run(*args, "--start", "start.json")[0] == 0
    found = content()
    assert found["start_score"] == read(*lists[:2]).evaluate(start)
    assert found["weights"]["length_0"] == 0.25
    assert run(*args, "--start", "weights.json")[0] == 0  # what it wrote itself
    assert content()["start_score"] == found["score"]


def test_several_runs(lists: tuple[str, ...], run: Run) -> None:
    nbest, refs, test, test_refs = lists
    status, out, _ = run(
        nbest,
        "-r",
        refs,
        "-t",
        test,
        "-tr",
        test_refs,
        "--n-runs",
        "3",
        "--seed",
        "5",
        "--method",
        "mira",
        "-o",
        "weights.json",
    )
    assert status == 0
    found, ours, tested = content(), read(nbest, refs), read(test, test_refs)
    assert [one["seed"] for one in found["runs"]] == [5, 6, 7]
    for one in found["runs"]:
        assert one["score"] == ours.evaluate(one["weights"])
        assert one["test_score"] == tested.evaluate(one["weights"])
    assert found["score"] == max(one["score"] for one in found["runs"])
    assert 0 < found["p_value"] <= 1
    assert out.startswith("mira: 3 runs\n")
    assert f"difference on test: {found['difference']:+.2f}" in out


def test_bags(lists: tuple[str, ...], run: Run) -> None:
    """All three scores exist: tuned list, out of bag, test list."""
    pytest.importorskip("scipy")
    nbest, refs, test, test_refs = lists
    argv = [nbest, "-r", refs, "-t", test, "-tr", test_refs, "-o", "weights.json", "--seed", "3"]
    status, out, err = run(*argv, "--method", "tune")
    assert (status, err) == (0, "")
    ours, tested, start = read(nbest, refs), read(test, test_refs), [1 / 3] * 3
    expected = tune(ours, start, seed=3)
    found = content()
    assert found == {
        "weights": expected.to_dict()["weights"],
        "metric": "BLEU",
        "score": expected.score,
        "start_score": ours.evaluate(start),
        "out_of_bag_score": expected.out_of_bag,
        "test_score": tested.evaluate(expected.weights),
        "start_test_score": tested.evaluate(start),
        "method": "tune",
        "seed": 3,
        "interrupted": False,
    }
    lines = [line.split() for line in out.splitlines()]
    assert [line[:2] for line in lines[4:]] == [["BLEU", "tune"], ["BLEU", "out"], ["BLEU", "test"]]
    assert lines[5] == ["BLEU", "out", "of", "bag", f"{expected.out_of_bag:.2f}"]
    ends = [line.rindex(".") for line in out.splitlines()[4:]]
    assert len(set(ends)) == 1  # the score is in the column of tuned ones


@pytest.mark.parametrize("n", [2, 12])
def test_several_runs_of_bags(
    lists: tuple[str, ...], run: Run, monkeypatch: pytest.MonkeyPatch, n: int
) -> None:
    monkeypatch.setattr(command, "method_of", lambda _: (partial(tune, method="mert", bags=n), {}))
    argv = [lists[0], "-r", lists[1], "--method", "tune", "--n-runs", "2", "-o", "weights.json"]
    status, out, _ = run(*argv)
    assert status == 0
    ours, found = read(*lists[:2]), content()
    expected = [tune(ours, [1 / 3] * 3, method="mert", bags=n, seed=12345 + i) for i in range(2)]
    scores = [None if own.out_of_bag != own.out_of_bag else own.out_of_bag for own in expected]
    assert None not in scores
    for own, one, score in zip(expected, found["runs"], scores, strict=True):
        assert (one["weights"], one["score"]) == (own.to_dict()["weights"], own.score)
        assert (one["out_of_bag_score"], one["test_score"]) == (score, None)
    best = max(expected, key=lambda own: own.score)
    assert found["out_of_bag_score"] == scores[expected.index(best)]
    [line] = [line for line in out.splitlines() if line.startswith("  out of bag")]
    cells = ["-" if score is None else f"{score:.2f}" for score in scores]
    assert line.split()[-2:] == cells
    assert "NaN" not in Path("weights.json").read_text(encoding="utf-8")


def test_runs_without_bags_have_no_such_score(lists: tuple[str, ...], run: Run) -> None:
    argv = [lists[0], "-r", lists[1], "--n-runs", "2", "--restarts", "0", "-o", "weights.json"]
    assert "out of bag" not in run(*argv)[1]
    assert not any("out_of_bag_score" in one for one in [content(), *content()["runs"]])


def test_the_default_method(lists: tuple[str, ...], run: Run) -> None:
    """Bags; mert if an option of mert is given."""
    pytest.importorskip("scipy")
    argv = [lists[0], "-r", lists[1], "-o", "weights.json"]
    for options, method in (
        ([], "tune"),
        (["--restarts", "1"], "mert"),
        (["--restarts", "0"], "mert"),
        (["--fixed", "lm_0"], "mert"),
        (["--method", "risk"], "risk"),
    ):
        assert run(*argv, *options)[0] == 0
        assert content()["method"] == method


def test_the_default_without_scipy(
    lists: tuple[str, ...], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    status, _, err = run(lists[0], "-r", lists[1])
    assert status == 1 and 'pip install "rapidbleu[tuning]"' in err


BLAS = """
import os, sys
{first}
from rapidbleu.cli import main
main(["tune", "nowhere", "-r", "nowhere"])
print(os.environ.get("OPENBLAS_NUM_THREADS"))
"""


@pytest.mark.parametrize(
    ("first", "given", "expected"),
    [("", None, "1"), ("", "3", "3"), ("import numpy", None, "None")],
    ids=["alone", "as the caller says", "loaded already"],
)
def test_blas_has_one_thread(first: str, given: str | None, expected: str) -> None:
    env = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    env |= {"PYTHONPATH": os.pathsep.join(sys.path)}
    env |= {} if given is None else {"OPENBLAS_NUM_THREADS": given}
    program = [sys.executable, "-c", BLAS.format(first=first)]
    found = subprocess.run(program, env=env, check=True, capture_output=True, text=True)
    assert found.stdout.splitlines()[-1] == expected


def test_long_tables_are_cut(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    n = command.SHOWN + 7
    rng = np.random.default_rng(1)
    stats = BLEU().nbest_stats([["a b c", "a b"], ["d e f g", "d"]], [["a b c d", "d e f g"]])
    NBestList(rng.normal(size=(4, n)), stats, [0, 2, 4]).save("wide.npz")
    out = run("wide.npz", "--restarts", "0")[1].splitlines()
    assert len(out) == 1 + command.SHOWN + 2
    assert out[-2] == "... and 7 more"
    assert run("wide.npz", "--restarts", "0", "--method", "mert")[1].splitlines() == out


def test_interrupted_tuning_is_written(
    lists: tuple[str, ...], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    tune_repeatedly = command.tune_repeatedly

    def interrupted(*args: Any, **options: Any) -> Any:
        found = tune_repeatedly(*args, **options)
        found.interrupted = True
        return found

    monkeypatch.setattr(command, "tune_repeatedly", interrupted)
    status, _, _ = run(lists[0], "--refs", lists[1], "-o", "weights.json", "--restarts", "0")
    assert status == 130
    assert content()["interrupted"]


@pytest.mark.parametrize("opening", ["[", '{"weights": '])
def test_weights_that_are_nested_deeply(lists: tuple[str, ...], run: Run, opening: str) -> None:
    Path("deep.json").write_text(opening * 200_000, encoding="utf-8")
    status, out, err = run(lists[0], "--refs", lists[1], "--start", "deep.json")
    assert (status, out) == (1, "")
    assert (
        err.startswith("rapidbleu: deep.json: expected a JSON object of weights: ")
        and err.count("\n") == 1
    )


# Pictures


@pytest.mark.slow
@pytest.mark.parametrize(("name", "magic"), [("a.png", b"\x89PNG"), ("b.PDF", b"%PDF")])
def test_plot(lists: tuple[str, ...], run: Run, name: str, magic: bytes) -> None:
    pytest.importorskip("matplotlib")
    status, _, err = run(lists[0], "--refs", lists[1], "--plot", name, "--restarts", "0")
    assert (status, err) == (0, "")
    assert Path(name).read_bytes().startswith(magic)


@pytest.mark.parametrize(("method", "with_test"), [("mert", True), ("tune", False)])
def test_what_is_drawn_by_the_command(
    lists: tuple[str, ...], run: Run, monkeypatch: pytest.MonkeyPatch, method: str, with_test: bool
) -> None:
    """Landscapes of the given lists, and the spread of bags."""
    pytest.importorskip("matplotlib")
    pytest.importorskip("scipy")
    figures: list[Any] = []
    monkeypatch.setattr(command, "save_picture", lambda figure, path: figures.append(figure))
    nbest, refs, test, test_refs = lists
    argv = [nbest, "-r", refs, "--plot", "a.png", "-o", "weights.json", "--method", method]
    argv += ["-t", test, "-tr", test_refs] if with_test else []
    assert run(*argv)[0] == 0
    found = content()
    expected = [f"tuned on (BLEU {found['score']:.2f})"]
    expected += [f"held out (BLEU {found['test_score']:.2f})"] if with_test else []
    expected += ["middle half of the bags", "median of the bags"] if method == "tune" else []
    [legend] = figures[0].legends
    assert {text.get_text() for text in legend.get_texts()} == {*expected, "tuned weight"}
    names = [panel.get_title(loc="left") for panel in figures[0].axes if panel.axison]
    assert names == list(found["weights"])


def test_plot_of_a_sparse_test_list(lists: tuple[str, ...], run: Run) -> None:
    pytest.importorskip("matplotlib")
    sparse(read(*lists[2:])).save("test.npz")
    read(*lists[:2]).save("tune.npz")
    status, out, err = run("tune.npz", "-t", "test.npz", "--plot", "a.png")
    assert (status, out) == (1, "")
    assert err == "rapidbleu: sparse features: --plot draws the weights of dense ones only\n"
    assert run("tune.npz", "-t", "test.npz", "--restarts", "0")[0] == 0


# Refusals


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["N"], "N: no references: name their files with --refs"),
        (["N", "-r", "R", "-t", "T"], "T: no references: name their files with --test-refs"),
        (["N", "-r", "R", "-tr", "R"], "--test-refs: expected n-best lists too, with -t/--test"),
        (["nowhere", "-r", "R"], "nowhere: No such file or directory"),
        (["N", "-r", "nowhere"], "nowhere: No such file or directory"),
        (["nowhere.npz"], "nowhere.npz: No such file or directory"),
        (["a.npz", "N", "-r", "R"], "a.npz: saved lists go with others alone"),
        (["R", "-r", "R"], "R, line 1: "),
        (["N", "-r", "short"], "N, line 19: "),
        (["N", "-r", "R", "short"], "numbers of segments differ: R has 12, short has 2"),
        (["N", "-r", "R", "-t", "other", "-tr", "short"], "other: names[0]: expected 'lm_0'; got"),
        (["N", "-r", "R", "-o", "no/w.json"], "no/w.json: there is no folder no"),
        (["N", "-r", "R", "--plot", "no/l.png"], "no/l.png: there is no folder no"),
        (["nowhere", "-r", "R", "--plot", "w.json"], "--plot: expected a file name that ends in"),
        (["N", "-r", "R", "--method", "mira", "--restarts", "2"], "--restarts: an option of mert"),
        (["N", "-r", "R", "--method", "tune", "--fixed", "x"], "--fixed: an option of mert, not"),
        (["short.n", "-r", "short", "--method", "tune"], "expected at least 10 segments; got 2"),
        (["N", "-r", "R", "--fixed", "tm"], "fixed: expected names of features; got 'tm'"),
        (["N", "-r", "R", "--start", "nowhere"], "nowhere: No such file or directory"),
        (["N", "-r", "R", "--start", "short"], "short, line 1: expected a finite number; got 'b'"),
        (
            ["N", "-r", "R", "--start", "list.json"],
            "list.json: expected a JSON object of weights: ",
        ),
        (
            ["N", "-r", "R", "--start", "tm.json"],
            "tm.json: expected a weight of feature 'lm_0'; got 'tm'",
        ),
        (["N", "-r", "R", "--start", "text.json"], "text.json: weights: expected "),
        (["sparse", "-r", "short", "--method", "mert"], "sparse features: mert takes dense ones"),
        (["sparse", "-r", "short", "--method", "mira", "--plot", "l.png"], "--plot draws"),
    ],
)
def test_refusals(lists: tuple[str, ...], run: Run, args: list[str], message: str) -> None:
    if args[0] == "sparse":
        pytest.importorskip("scipy")
    if "--plot" in args:
        pytest.importorskip("matplotlib")
    for name, path in (("N", lists[0]), ("T", lists[2])):
        Path(name).write_bytes(gzip.decompress(Path(path).read_bytes()))
    Path("R").write_bytes(Path(lists[1]).read_bytes())
    Path("short").write_text("a b\nc d\n", encoding="utf-8")
    Path("other").write_text("0 ||| a ||| x= 1 y= 2\n1 ||| b ||| x= 2 y= 1\n", encoding="utf-8")
    Path("short.n").write_text("0 ||| a ||| x= 1\n1 ||| b ||| x= 2\n", encoding="utf-8")
    Path("sparse").write_text("0 ||| a ||| x= 1 s_a= 2\n1 ||| b ||| x= 2\n", encoding="utf-8")
    Path("list.json").write_text("[1, 2]", encoding="utf-8")
    Path("tm.json").write_text('{"tm": 1}', encoding="utf-8")
    values = {"lm_0": "a", "noise_0": 1, "length_0": 2}
    Path("text.json").write_text(json.dumps(values), encoding="utf-8")
    before = sorted(Path().iterdir())
    status, out, err = run(*args)
    assert (status, out) == (1, "")
    assert err.startswith("rapidbleu: ") and message in err
    assert sorted(Path().iterdir()) == before


@pytest.mark.parametrize("args", [[], ["N", "--method", "merd"], ["N", "--n-runs", "0"]])
def test_wrong_options(run: Run, args: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(*args)
    assert ended.value.code == 2


# Cross-validation


def test_methods_are_compared_on_halves(lists: tuple[str, str, str, str], run: Run) -> None:
    pytest.importorskip("scipy")
    nbest, refs, *_ = lists
    argv = [nbest, "-r", refs, "-o", "found.json", "--restarts", "2", "--seed", "3"]
    status, out, _ = run(*argv, "--cross-validate", "3")
    assert status == 0
    found = json.loads(Path("found.json").read_text(encoding="utf-8"))
    own = read_nbest([nbest], [Path(refs).read_text(encoding="utf-8").splitlines()])
    start = np.full(3, 1 / 3)
    methods: dict[str, Any] = {
        "start": start,
        "mert, 2 restarts": partial(mert, restarts=2),
        "mert, 0 restarts": partial(mert, restarts=0),
        "mira": "mira",
        "pro": "pro",
        "risk": "risk",
    }
    expected = cross_validate(own, methods, splits=3, start=start, seed=3)
    assert [method["name"] for method in found["methods"]] == list(methods)
    for i, method in enumerate(found["methods"]):
        assert method["train"] == expected.train[i].tolist()
        assert method["test"] == expected.test[i].tolist()
        difference = expected.difference(method["name"], "start")
        assert method["difference"] == difference.mean
        assert method["standard_error"] == difference.standard_error or not i
        assert method["p_value"] == difference.p_value
    assert all(map(str.isidentifier, [*found, *found["methods"][0]]))
    assert (found["metric"], found["best"]) == ("BLEU", expected.best)
    assert out.splitlines()[0] == "BLEU, 3 splits"
    assert [line.split("  ")[1] for line in out.splitlines()[2:]] == list(methods)


def test_documents_stay_together(lists: tuple[str, str, str, str], run: Run) -> None:
    nbest, refs, *_ = lists
    names = [f"document {i // 3}" for i in range(N_SEGMENTS)]
    Path("documents").write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
    argv = [nbest, "-r", refs, "--restarts", "0", "-o", "found.json", "--cross-validate", "4"]
    argv += ["--seed", "2"]
    assert run(*argv, "--documents", "documents")[0] == 0
    found = json.loads(Path("found.json").read_text(encoding="utf-8"))["methods"]
    own = read_nbest([nbest], [Path(refs).read_text(encoding="utf-8").splitlines()])
    expected = cross_validate(
        own, {"start": np.full(3, 1 / 3)}, splits=split_documents(names, 4, seed=2)
    )
    assert found[0]["test"] == expected.test[0].tolist()
    Path("documents").write_text("a\n", encoding="utf-8")
    status, _, err = run(*argv, "--documents", "documents")
    assert status == 1
    assert "documents: expected 12 lines or more, the document of each segment; got 1" in err


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--cross-validate", "-t", "x"], "--test: not with --cross-validate"),
        (["--cross-validate", "--n-runs", "2"], "--n-runs: not with --cross-validate"),
        (["--cross-validate", "--plot", "x.png"], "--plot: not with --cross-validate"),
    ],
)
def test_cross_validation_refuses_options(
    lists: tuple[str, str, str, str], run: Run, argv: list[str], message: str
) -> None:
    status, out, err = run(lists[0], "-r", lists[1], *argv)
    assert (status, out) == (1, "")
    assert message in err


@pytest.mark.parametrize(("n", "has_bags"), [(19, False), (20, True)])
def test_bags_are_compared_where_halves_are_large_enough(n: int, has_bags: bool) -> None:
    nbest = NBestList(
        np.ones((n, 2)), SegmentScores().stats(np.ones(n)), np.arange(n + 1), metric=SegmentScores()
    )
    args = Namespace(fixed=["F1"], restarts=5)
    methods = methods_of(nbest, args, np.ones(2))
    assert ("20 bags of mert" in methods) == has_bags
    assert ("20 bags of risk" in methods) == (has_bags and find_spec("scipy") is not None)
    if has_bags:
        assert methods["20 bags of mert"].keywords == {
            "method": "mert",
            "bags": 20,
            "fixed": ["F1"],
        }
    assert methods["mert, 5 restarts"].keywords == {"restarts": 5, "fixed": ["F1"]}
