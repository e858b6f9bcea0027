"""``--threads`` reaches every call that scores text, in every command and for every metric."""

import sys
from argparse import Namespace
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rapidbleu import BLEU
from rapidbleu.cli.metrics import KINDS
from rapidbleu.cli.score import testsets
from rapidbleu.metrics import corpus, nbest, pairs
from rapidbleu.metrics.edits import ter
from support.command_line import HYP, REF_A, REF_B, N, Run, Write

METRICS = ("bleu", "chrf", "ter")
# Two need a file of weights, and one the source as its first reference.
ALL = [name for name in KINDS if name not in ("weightedbleu", "weightedmatch", "gecgleu")]


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """Numbers of threads with which texts were scored."""
    seen = set()

    def record(function: Any, position: int) -> Any:
        def recording(*args: Any, **options: Any) -> Any:
            seen.add(args[position])
            return function(*args, **options)

        return recording

    for module in (corpus, ter):
        monkeypatch.setattr(module, "extract", record(module.extract, 3))
    monkeypatch.setattr(nbest, "extract_nbest", record(nbest.extract_nbest, 4))
    monkeypatch.setattr(pairs, "in_parts", record(pairs.in_parts, 2))
    return seen


@pytest.mark.parametrize(
    "command",
    [
        f"{REF_A} -i {HYP}",
        f"{REF_A} -i {HYP} {REF_B}",
        f"{REF_A} -i {HYP} -ci -cin 10",
        f"{REF_A} -i {HYP} {REF_B} -pbs -pbsn 10",
        f"{REF_A} -i {HYP} {REF_B} -par -parn 10 --all-pairs",
        f"{REF_A} -i {HYP} -sl -b",
        f"{REF_A} -i {HYP} {REF_B} -sl",
        f"compare {HYP} {REF_B} -r {REF_A} -n 10",
    ],
)
def test_all_metrics(command: str, threads: set[int], run: Run) -> None:
    assert run(*command.split(), "-m", *ALL, "--threads", "3", "-q").status == 0
    assert threads == {3}


@pytest.mark.parametrize("metric", [*METRICS, "nist", "wer"])
def test_one_metric(metric: str, threads: set[int], run: Run, tmp_path: Path) -> None:
    out = str(tmp_path / "rows.npz")
    commands = [f"stats {REF_A} -i {HYP} -o {out}", f"oracle {HYP} {REF_B} -r {REF_A}"]
    if metric != "nist":
        commands.append(f"mbr {HYP} {REF_B}")
    for command in commands:
        threads.clear()
        assert run(*command.split(), "-m", metric, "--threads", "3", "-q").status == 0
        assert threads == {3}, command


def test_correlate(threads: set[int], run: Run, write: Write) -> None:
    systems = {"one": HYP, "two": REF_B}
    lines = [f"{name}\t{i}\t{i % 5}" for name in systems for i in range(1, N + 1)]
    human = write("human.tsv", "\n".join(["system\tsegment\tscore", *lines, ""]).encode())
    args = ["--human", human, "-i", *systems.values(), "--names", *systems, "-r", REF_A, "-n", "2"]
    assert run("correlate", *args, "-m", *ALL, "--threads", "3", "-q").status == 0
    assert threads == {3}


def test_tune(threads: set[int], run: Run, write: Write) -> None:
    lines = [f"{i} ||| {text} ||| a= {i % 3} b= {len(text)} ||| 0\n"
             for i in range(8) for text in ("a b", "a b c d")]  # fmt: skip
    lists = write("nbest", "".join(lines).encode())
    refs = write("ref", b"a b c\n" * 8)
    args = [lists, "-r", refs, "--restarts", "1", "-m", "bleu", "chrf", "--threads", "3", "-q"]
    assert run("tune", *args).status == 0
    assert threads == {3}


def test_details_of_test_sets(threads: set[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """The installed sacrebleu calls the metrics."""

    def print_subset_results(metrics: Any, system: Any, refs: Any, args: Any) -> None:
        for metric in metrics.values():
            metric.corpus_score(system, refs)

    peer = SimpleNamespace(Color=Namespace(), print_subset_results=print_subset_results)
    monkeypatch.setattr(testsets, "_installed", lambda args: nullcontext(peer))
    args = Namespace(
        width=1, test_set="wmt", language_pair="de-en", origlang=None, subset=None, no_color=True,
        threads=3,
    )  # fmt: skip
    testsets.print_details({"bleu": BLEU()}, ["a"], [["a"]], args, sys.stdout)
    assert threads == {3}
