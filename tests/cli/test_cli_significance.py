"""Intervals and paired tests on the command line: sacrebleu's numbers, from its resamples."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from rapidbleu.cli import main
from support.command_line import (
    ENVIRONMENT,
    HYP,
    REF_A,
    REF_B,
    N,
    Run,
    Terminal,
    Write,
    as_peer,
    call_peer,
    failure,
    peer,
)

METRICS = ("bleu", "chrf", "ter")


@pytest.mark.parametrize(
    "options",
    [
        "",
        "-f text -w 2",
        "-sh -cin 77",
        "-b",
        "-m chrf -cw 2 -cin 200 -w 2",
        "-m ter -cin 200 -f text",
        "-m ter bleu chrf -cin 100",
        "-m ter bleu chrf -cin 100 -f text -w 2 -sh",
        "-m chrf ter -cin 100 -f latex -b",
    ],
)
@pytest.mark.parametrize("refs", [[REF_A], [REF_A, REF_B, HYP]], ids=["one", "three"])
def test_intervals_equal_sacrebleus(options: str, refs: list[str], run: Run) -> None:
    args = [*refs, "-i", REF_B, "-ci", *options.split()]
    ours = run(*args)
    assert (ours.status, ours.err) == (0, "")
    assert as_peer(ours.out) == peer(*args)


@pytest.mark.parametrize("seed", ["1", "0", "007", "99999999999"])
def test_seeds(seed: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    args = [REF_A, "-i", HYP, "-ci", "-cin", "100", "-w", "2"]
    usual, expected = run(*args).out, peer(*args, SACREBLEU_SEED=seed)
    monkeypatch.setenv("SACREBLEU_SEED", seed)
    assert as_peer(run(*args).out) == expected
    assert expected != as_peer(usual)


def test_no_seed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", "None")
    args = [REF_A, "-i", HYP, "-ci", "-w", "9"]
    results = [json.loads(run(*args).out) for _ in range(2)]
    assert results[0]["seed"] == "none"
    assert results[0]["confidence"] != results[1]["confidence"]


# Paired tests


def parts(text: str) -> list[str]:
    """A table and the title of the test; and the signatures. The words between are our own."""
    end = re.search(r"\n-+\n(?= - )", text)
    assert end is not None
    return [text[: end.end()], text[text.index("-----------------\nMetric signatures") :]]


@pytest.mark.parametrize("form", ["text", "latex"])
@pytest.mark.parametrize(
    "options",
    [
        "-pbs",
        "--paired-bs -pbsn 150 -m ter chrf bleu -w 2",
        "-par -parn 150 -m chrf ter",
        "--paired-ar --paired-ar-n 99 --short -w 0",
        "-pbs -pbsn 60 -m ter -j 1 --ter-no-punct -d",
    ],
)
def test_tables_equal_sacrebleus(options: str, form: str, run: Run, write: Write) -> None:
    worse = write("worse.txt", b"The government.\n" * N)
    args = [REF_A, REF_B, "-i", HYP, worse, REF_B, REF_A, *options.split(), "-f", form]
    ours = run(*args)
    assert (ours.status, ours.err) == (0, "")
    assert parts(as_peer(ours.out)) == parts(peer(*args))
    assert f"compared to Baseline: {HYP}." in ours.out


@pytest.mark.parametrize(
    ("options", "refs"),
    [("-pbs", [REF_A, REF_B]), ("-pbs -s floor", [REF_A]), ("-par -parn 300 -m chrf ter bleu",
     [REF_A, REF_B, HYP])],
)  # fmt: skip
@pytest.mark.parametrize("seed", ["12345", "5"])
def test_numbers_equal_sacrebleus(
    options: str, refs: list[str], seed: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In JSON, which has all digits; the signatures are what sacrebleu's lacks."""
    args = [*refs, "-i", HYP, REF_B, REF_A, *options.split()]
    expected = json.loads(peer(*args, SACREBLEU_SEED=seed))
    monkeypatch.setenv("SACREBLEU_SEED", seed)
    found = json.loads(run(*args).out)
    assert [list(entry) for entry in found] == [list(entry) for entry in expected]
    for own, theirs in zip(found, expected, strict=True):
        assert own.pop("system") == theirs.pop("system")
        for metric, numbers in theirs.items():
            assert f"|seed:{seed}|" in own[metric].pop("signature")
            if metric == "TER" and HYP in refs and theirs is not expected[0]:
                assert own[metric].pop("identical") == "statistics"  # all are references: no edits
            assert list(own[metric]) == list(numbers)
            for name, value in numbers.items():
                if name in ("mean", "ci") and value is not None:
                    value = pytest.approx(value, rel=1e-5)
                assert own[metric][name] == value


# Identical outputs


@pytest.mark.parametrize("test", ["-pbs", "-par -parn 99"])
def test_identical_outputs_have_no_star(test: str, run: Run, write: Write) -> None:
    """Their p is sacrebleu's, which is the least there is as ties do not count."""
    with open(HYP, "rb") as file:
        twin = write("twin.txt", file.read())
    args = [REF_A, "-i", HYP, twin, REF_B, "-m", "bleu", "ter", *test.split()]
    least = json.loads(peer(*args[:5], *test.split()))[1]["BLEU"]["p_value"]
    assert least == (1 / 1001 if test == "-pbs" else 1 / 100)
    _, same, other = json.loads(run(*args).out)
    for metric in ("BLEU", "TER"):
        assert same[metric]["p_value"] == least
        assert same[metric]["identical"] == "outputs"
        assert "identical" not in other[metric]
    text = run(*args, "-f", "text").out
    cells = re.findall(r"\(p = [0-9.]+\)\*?", text)
    assert cells[:2] == [f"(p = {least:.4f})"] * 2
    assert len(cells) == 4
    lines = text.splitlines()
    row = next(i for i, line in enumerate(lines) if f"(p = {least:.4f})" in line)
    assert lines[row + 1].count("identical outputs") == 2
    assert " - Systems that are identical" in text
    latex = run(*args, "-f", "latex").out
    assert latex.count(f"(p = {least:.4f}) identical outputs &") == 1
    assert latex.count(f"(p = {least:.4f}) identical outputs \\\\") == 1
    terminal = run(REF_A, "-i", HYP, REF_B, *test.split(), "-f", "text").out
    assert "dentical" not in terminal


def test_statistics_of_other_outputs_may_be_identical(run: Run, write: Write) -> None:
    """Case makes a difference to BLEU and none to TER: no star, but outputs are not identical."""
    with open(HYP, "rb") as file:
        lower = write("lower.txt", file.read().lower())
    _, found = json.loads(run(REF_A, "-i", HYP, lower, "-m", "bleu", "ter", "-pbs").out)
    assert "identical" not in found["BLEU"]
    assert found["TER"]["identical"] == "statistics"
    text = run(REF_A, "-i", HYP, lower, "-m", "ter", "-pbs", "-f", "text").out
    assert "(p = 0.0010) " in text and "identical statistics" in text


def test_the_explanation_says_what_is_counted(run: Run) -> None:
    args = [REF_A, "-i", HYP, REF_B, "-f", "text"]
    for test, counted in (
        ("-pbs -pbsn 50", "(c + 1) / 51 for c resamples in which it exceeds the mean of all"),
        ("-par -parn 60", "(c + 1) / 61 for c trials in which it is larger"),
    ):
        text = " ".join(run(*args, *test.split()).out.split())
        assert "a difference larger than the one seen" in text
        assert counted in text
        assert "Equal differences do not count." in text
        assert "or larger" not in text


def test_the_baseline_may_be_given_again(run: Run) -> None:
    expected = run(REF_A, "-i", HYP, REF_B, "-pbs").out
    again = run(REF_A, "-i", HYP, REF_B, HYP, HYP, "-pbs")
    assert again.out == expected
    assert again.err.startswith(f"rapidbleu: {HYP}: ") and again.err.count("\n") == 1
    assert run(REF_A, "-i", HYP, REF_B, HYP, "-pbs", "-q").err == ""
    for extra in ([REF_B], [REF_B, HYP]):
        assert "given twice" in failure(run(REF_A, "-i", HYP, REF_B, *extra, "-par", "-q"))
    assert "given twice" in failure(run(REF_A, "-i", HYP, REF_B, HYP))


def test_zero_is_the_default(run: Run) -> None:
    args = [REF_A, "-i", HYP, REF_B, "-f", "text"]
    assert run(*args, "-pbs", "-pbsn", "0").out == run(*args, "-pbs").out
    assert run(*args, "-par", "-parn", "0").out == run(*args, "-par").out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([REF_A, "-i", HYP, REF_B, "-ci", "-pbs"], "choose one"),
        ([REF_A, "-i", HYP, "-pbs"], "-i/--input"),
        ([REF_A, "-par"], "-i/--input"),
        ([REF_A, "-i", HYP, HYP, "-par", "-q"], "-i/--input"),
        ([REF_A, "-i", HYP, "-sl", "-ci"], "segments"),
        ([REF_A, "-i", HYP, "-sl", "-pbs"], "segments"),
    ],
)
def test_what_cannot_be_tested(options: list[str], message: str, run: Run) -> None:
    assert message in failure(run(*options))
    assert call_peer(*options).status == 1


@pytest.mark.parametrize("seed", ["-1", "abc", ""])
def test_wrong_seeds(seed: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", seed)
    expected = f"SACREBLEU_SEED: expected an integer from 0 on, or none, got {seed!r}"
    for options in (["-ci"], [REF_B, "-pbs"]):
        assert failure(run(REF_A, "-i", HYP, *options)) == expected
    assert run(REF_A, "-i", HYP).status == 0


# Terminals


def test_colors(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are sacrebleu's."""
    monkeypatch.delenv("NO_COLOR", raising=False)

    def on_terminal(*args: str) -> str:
        terminal = Terminal()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", terminal)
            assert main(args) == 0
        return terminal.getvalue()

    single = on_terminal(REF_A, "-i", HYP, "-ci", "-f", "text", "-b", "-m", "ter", "bleu")
    assert single.count("\x1b[36m(μ") == 2
    table = on_terminal(REF_A, "-i", HYP, REF_B, REF_A, "-pbs", "-f", "text")
    assert f"\x1b[33mBaseline: {HYP}\x1b[0m" in table and "\x1b[36mBLEU (μ" in table
    plain = re.sub(r"\x1b\[[0-9]+m", "", table)
    assert plain == run(REF_A, "-i", HYP, REF_B, REF_A, "-pbs", "-f", "text").out


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("test", [["-pbs", "-pbsn"], ["-par", "-parn"], ["-ci", "-cin"]])
def test_interrupt(test: list[str]) -> None:
    """Ctrl-C in the midst of the resamples."""
    systems = [HYP] if "-ci" in test else [HYP, REF_B]
    args = [REF_A, "-i", *systems, *test, "10000000", "-j", "2"]
    program = f"from rapidbleu.cli import *; print('on', flush=True); sys.exit(main({args!r}))"
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        process.stdout.readline()
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)  # it resamples
        process.send_signal(signal.SIGINT)
        sent = time.monotonic()
        assert process.communicate() == (b"", b"")
        assert process.returncode == 130
        assert time.monotonic() - sent < 2  # half of it for a busy machine
