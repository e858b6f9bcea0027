"""Mistaken options get an answer that says what there is."""

import io
import shutil
import sys
from pathlib import Path

import pytest

from rapidbleu.cli import COMMANDS, main
from rapidbleu.cli.metrics import KINDS
from rapidbleu.cli.score.command import FORMATS, TABLES
from support.command_line import HYP, REF_A, REF_B, Run, failure

OUTPUT = "redirect them with > FILE"
REPORT = "`rapidbleu compare` writes reports in HTML"


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("-o out.txt", [OUTPUT]),
        ("-o out.html", [OUTPUT, REPORT]),
        ("-o results/out", [OUTPUT]),
        ("--output x", [OUTPUT]),
        ("--output x.html", [OUTPUT, REPORT]),
        ("--output=x.html", [OUTPUT, REPORT]),
        ("--out x", [OUTPUT]),
        ("-out x", [OUTPUT]),
        ("--html", [REPORT]),
        ("--html=x", [REPORT]),
        ("-f html", [REPORT, "choose from json, text"]),
        ("-f md", ["did you mean markdown?"]),
        ("-f jsno", ["did you mean json?"]),
        ("--csv", ["forms are chosen with -f csv"]),
        ("-m BLEU", ["invalid choice: 'BLEU'; did you mean bleu?"]),
        ("-m blue chrf", ["did you mean bleu?"]),
        ("-m chrf++", ["that is -m chrf:word_order=2"]),
        ("-m COMET", ["read with --scores NAME=FILE"]),
        ("-m ROUGE-L", ["did you mean rougeL?"]),
        ("-m qqq", ["invalid choice: 'qqq' (choose from bleu, chrf, ter"]),
        ("-tok 13b", ["did you mean 13a?"]),
        ("--tokeniser 13a", ["did you mean --tokenize?"]),
        ("--nonsense-of-all-kinds", ["unrecognized arguments: --nonsense-of-all-kinds (see"]),
    ],
)
def test_what_there_is_instead(words: str, parts: list[str], run: Run) -> None:
    message = failure(run(REF_A, "-i", HYP, *words.split()), 2)
    for part in parts:
        assert part in message
    assert (REPORT in message) == (REPORT in parts)
    assert (OUTPUT in message) == (OUTPUT in parts)
    assert message.endswith("(see rapidbleu --help)")


def test_advice_leads_somewhere(run: Run) -> None:
    """What messages name is there."""
    for form in FORMATS + TABLES:
        assert f"-f {form} " in failure(run(REF_A, "-i", HYP, f"--{form}"), 2)
        assert run(REF_A, "-i", HYP, "-f", form).status == 0
    for metric in ("chrf:word_order=2", "chrf:word_order=1", "rougeL"):
        assert run(REF_A, "-i", HYP, "-m", *metric.split()).status == 0


def test_a_language_may_follow_o(run: Run) -> None:
    """As in sacrebleu, where it is short for -ol."""
    assert "give -t and -l" in failure(run(REF_A, "-i", HYP, "-o", "en"))


@pytest.mark.parametrize(
    ("word", "meant"), [("corelate", "correlate"), ("Tune", "tune"), ("kb-mira", "kbmira")]
)
def test_misspelled_commands(word: str, meant: str, run: Run) -> None:
    message = failure(run(word, "-i", HYP))
    assert message == f"{word}: neither a file nor a command; did you mean rapidbleu {meant}?"
    assert meant in COMMANDS


def test_files_are_no_misspelled_commands(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("reference", "tune.txt"):
        assert failure(run(name, "-i", HYP)) == f"{name}: No such file or directory"
    monkeypatch.chdir(tmp_path)
    shutil.copy(REF_A, "corelate")
    assert run("corelate", "-i", HYP, "-b").out == "57.6\n"


class Typing(io.TextIOWrapper):
    """Standard input that is a terminal."""

    def isatty(self) -> bool:
        return True


def test_waiting_for_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe is told nothing, and neither is who wants to hear nothing."""

    def said(kind: type[io.TextIOWrapper], *args: str) -> str:
        error = io.StringIO()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", kind(io.BytesIO(Path(HYP).read_bytes())))
            patch.setattr(sys, "stderr", error)
            assert main([REF_A, "-b", *args]) == 0
        return error.getvalue()

    message = "reading a system from standard input; to read it from a file, name that behind -i"
    assert said(Typing) == f"rapidbleu: {message}\n"
    for kind, *args in ((Typing, "-q"), (Typing, "-i", REF_B), (io.TextIOWrapper,)):
        assert said(kind, *args) == ""


def test_choices_of_other_commands(run: Run) -> None:
    message = failure(run("correlate", "-m", "blue"), 2)
    assert "did you mean bleu?" in message
    assert all(name in message for name in KINDS)
