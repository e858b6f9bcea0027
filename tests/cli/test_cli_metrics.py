"""chrF, TER, several metrics, several systems on the command line: sacrebleu's, byte for byte."""

import json
from itertools import chain

import pytest

from rapidbleu.signature import VERSION
from support.command_line import HYP, REF_A, REF_B, N, Run, Write, as_peer, failure, peer

METRICS = ("bleu", "chrf", "ter")


@pytest.mark.parametrize(
    "options",
    [
        "-m chrf",
        "-m chrf -cw 2 -f text",
        "-m chrf -cc 4 -cw 1 --chrf-beta 3 --chrf-lowercase -sh",
        "-m chrf --chrf-char-order 0 --chrf-word-order 2 --chrf-eps-smoothing -w 5 -f text",
        "-m chrf --chrf-whitespace --chrf-beta 0 -b -w 7",
        "-m ter",
        "-m ter --ter-case-sensitive --ter-no-punct -f text -w 4",
        "-m ter --ter-normalized --ter-asian-support -f text -sh",
        "-m ter --ter-normalized --ter-no-punct --ter-asian-support -b -w 7",
        "-m bleu chrf ter",
        "-m ter chrf bleu -cw 2 -f text",
        "-m chrf ter -b",
        "-m ter bleu -b -f text -w 4",
        "-m chrf chrf -f latex -w 3",
        "-m bleu chrf -lc -tok char -cc 2 -sh -f text -q",
        "-m ter chrf -d",
        "-m ter chrf -d -b -f json",
        "-sl -m chrf",
        "-sl -m chrf -cw 2 --chrf-eps-smoothing -b -w 5",
        "-sl -m ter -sh",
        "-sl -m ter --ter-no-punct -b -w 5 -f text",
        "-sl -m ter -f latex -d",
    ],
)
@pytest.mark.parametrize("refs", [[REF_A], [REF_A, REF_B, HYP]], ids=["one", "three"])
def test_equals_sacrebleu(options: str, refs: list[str], run: Run) -> None:
    args = [*refs, "-i", REF_B, *options.split()]
    ours = run(*args)
    assert (ours.status, ours.err) == (0, "")
    assert as_peer(ours.out) == peer(*args)


@pytest.mark.parametrize(
    "options",
    [
        "-f text",
        "-f latex",
        "-f text -m chrf -w 3",
        "-f text -m ter bleu chrf -cw 2 -sh",
        "-f latex -m ter chrf -w 0",
        "-m bleu ter -d",
        "-m bleu ter -d -f json -b",
    ],
)
def test_tables_of_systems_equal_sacrebleu(options: str, run: Run, write: Write) -> None:
    odd = write("100% & _x.txt", b"The government.\n" * N)
    args = [REF_A, HYP, "-i", REF_B, odd, REF_A, *options.split()]
    ours = run(*args)
    assert (ours.status, ours.err) == (0, "")
    assert as_peer(ours.out) == peer(*args)


def test_latex_of_a_name_of_two_lines(run: Run, write: Write) -> None:
    table = run(REF_A, "-i", HYP, write("one\ntwo", b"x\n" * N), "-f", "latex").out
    assert "one two &" in table


def test_json_has_one_shape(run: Run) -> None:
    """A score is an object; several are a list; those of several systems have its name too."""
    alone = {
        (system, metric): json.loads(run(REF_A, "-i", system, "-w", "3", "-m", metric).out)
        for system in (HYP, REF_B)
        for metric in METRICS
    }
    assert all(entry["version"] == VERSION and "signature" in entry for entry in alone.values())
    several = json.loads(run(REF_A, "-i", HYP, "-w", "3", "-m", "ter", "bleu", "chrf").out)
    assert several == [alone[HYP, metric] for metric in METRICS]
    systems = json.loads(run(REF_A, "-i", HYP, REF_B, "-w", "3", "-m", "chrf", "bleu", "ter").out)
    assert systems == [{"system": name, **entry} for (name, _), entry in alone.items()]
    assert [entry["name"] for entry in systems[:3]] == ["BLEU", "chrF2", "TER"]


@pytest.mark.parametrize("options", [[], ["-b", "-w", "5"], ["-sh"]])
def test_segments_of_several_metrics(options: list[str], run: Run) -> None:
    """For each segment a line for each metric, by name."""
    args = [REF_A, REF_B, "-i", HYP, "-sl", *options]
    alone = [run(*args, "-m", metric).out.splitlines() for metric in METRICS]
    together = run(*args, "-m", "ter", "bleu", "chrf").out.splitlines()
    assert together == list(chain(*zip(*alone, strict=True))) and len(together) == 3 * N
    entries = json.loads(run(*args, "-m", "ter", "bleu", "chrf", "-f", "json").out)
    expected = [json.loads(run(*args, "-m", metric, "-f", "json").out) for metric in METRICS]
    assert entries == list(chain(*zip(*expected, strict=True)))


def test_threads(run: Run, write: Write) -> None:
    with open(HYP, "rb") as hyp, open(REF_A, "rb") as ref:
        files = [write("ref", ref.read() * 60), "-i", write("hyp", hyp.read() * 60)]
    args = [*files, "-m", *METRICS, "-w", "9"]
    assert run(*args).out == run(*args, "--threads", "3").out == run(*args, "--threads", "0").out


def test_orders_that_make_no_sense(run: Run) -> None:
    message = failure(run(REF_A, "-i", HYP, "-m", "chrf", "-cc", "0"))
    assert message == (
        "-m chrf: -cc/--chrf-char-order, word_order: expected one of them above 0, got 0 and 0"
    )
    message = failure(run(REF_A, "-i", HYP, "-m", "chrf", "-cc", "9999999"), 2)
    assert message.startswith("argument -cc/--chrf-char-order: expected an integer from 0 to 10000")
