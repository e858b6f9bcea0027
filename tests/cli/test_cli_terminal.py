"""Control characters in texts and names, which never reach a terminal, and advice."""

import csv
import io
import json
import re
import shutil
import sys
import unicodedata
from pathlib import Path

import pytest

from rapidbleu import CHRF, compare
from rapidbleu._lib.colors import harmless, paint
from rapidbleu.cli import COMMANDS, main, messages
from rapidbleu.cli.messages import Terminal as Filter
from rapidbleu.cli.messages import progress_bar
from rapidbleu.cli.score.command import FORMATS, TABLES
from support.command_line import HYP, REF_A, REF_B, Run, Terminal, Write, failure

# Control characters of texts and names, which no command sends to a terminal.


# The title of a window, the clipboard, the cursor, the bell, backspaces, 8-bit controls.
EVIL = (
    "a\x1b]0;owned\x07b \x1b]52;c;ZWNobw==\x07 c\x1b[2J\x1b[Hd\b\b\b e\x9b31mf \x9dg\x7f\x00 "
    "h\x1b[8mi"
)
NAME = "s\x1b]0;name\x07\x9b2J"
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
COLORS = re.compile(r"\x1b\[(0|38;5;(196|28|130|30|243))m")


def raw(text: str) -> list[str]:
    """Return the control characters of a text that do not belong to rapidbleu's colors."""
    return CONTROLS.findall(COLORS.sub("", text))


def on_a_terminal(monkeypatch: pytest.MonkeyPatch, *args: str) -> tuple[str, str]:
    out, err = Terminal(), Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    try:
        main(list(args))
    except SystemExit:  # the command lacks the form
        assert "invalid choice" in err.getvalue()
    finally:
        monkeypatch.undo()
    return out.getvalue(), err.getvalue()


@pytest.fixture
def files(tmp_path: Path, write: Write) -> dict[str, str]:
    lines = [EVIL, "a b c d e", f"x {EVIL}", "plain words of one line"]
    other = ["a b c", "a b c d e f", "x y", "plain words of a line"]
    found = {}
    for name, texts in ("hyp", lines), ("other", other), ("ref", lines[::-1]), ("label", lines):
        found[name] = write(name, "".join(f"{text}\n" for text in texts).encode())
    found["evil"] = write(NAME, "".join(f"{text}\n" for text in lines).encode())
    return found


SHOWN = {
    "compare": "compare {hyp} {other} -r {ref} --labels {label} --source {evil} --names {name} B",
    "mbr": "mbr {hyp} {other} {evil}",
    "oracle": "oracle {hyp} {other} {evil} -r {ref}",
    "explain": "explain {hyp} {ref}",
    "score": "{ref} -i {evil} {other}",
    "score, names": "{ref} -i {evil} {other} --names {name} B -pbs --all-pairs",
    "segments": "{ref} -i {evil} {other} -sl",
    "scores": "{ref} -i {other} --scores {name}={numbers} -f text",
}
FORMS = ["text", "markdown", "latex", "json", "csv", "tsv", "html"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("command", SHOWN)
def test_terminals_get_no_control_characters(
    command: str, form: str, files: dict[str, str], monkeypatch: pytest.MonkeyPatch, write: Write
) -> None:
    places = {**files, "name": NAME, "numbers": write("numbers", b"1\n2\n3\n4\n")}
    words = [word.format(**places) for word in SHOWN[command].split()]
    out, err = on_a_terminal(monkeypatch, *words, "-f", form)
    assert out or err
    assert not raw(out) and not raw(err)
    if command in ("compare", "mbr") and form == "text":
        assert "\\x1b]0;owned\\x07" in out


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_text_of_compare_is_harmless_in_pipes_too(
    form: str, files: dict[str, str], run: Run
) -> None:
    words = SHOWN["compare"].format(**files, name=NAME).split()
    out = run(*words, "-f", form, "--show", "scores", "tests", "examples", "buckets").out
    assert not raw(out)
    assert "\\x1b]0;name\\x07" in out.replace("\\textbackslash{}", "\\")


def test_data_stay_exact(files: dict[str, str], run: Run, tmp_path: Path) -> None:
    """In pipes and in files."""
    places = [files["evil"], files["evil"], files["other"]]
    evil = Path(files["evil"]).read_text("utf-8")
    assert run("mbr", *places).out == evil
    assert run("mbr", *places, "-o", str(tmp_path / "o")).status == 0
    assert (tmp_path / "o").read_text("utf-8") == evil
    texts = [row["text"] for row in json.loads(run("mbr", *places, "-f", "json").out)]
    assert "".join(f"{text}\n" for text in texts) == evil
    words = SHOWN["compare"].format(**files, name=NAME).split()
    assert json.loads(run(*words, "-f", "json").out)["systems"] == [NAME, "B"]
    del words[words.index("--labels") : words.index("--names")]  # of no effect on scores
    for form, separator in (("csv", ","), ("tsv", "\t")):
        out = run(*words, "-f", form).out
        rows = list(csv.reader(io.StringIO(out, newline=""), delimiter=separator))
        assert rows[1][0] == NAME


def test_messages_are_harmless(run: Run, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    for words in (
        ["compare", NAME, "-r", REF_A],
        [NAME, "-i", HYP],
        ["mbr", NAME],
        [REF_A, "-i", HYP, f"--{NAME}"],
        ["compare", HYP, "-r", REF_A, "--baseline", NAME],
        ["explain", NAME, NAME],
        ["stats", REF_A, "-i", HYP, "-o", NAME],
        [REF_A, "-i", HYP, "-m", NAME],
    ):
        found = run(*words)
        assert found.status != 0
        assert "\\x1b]0;name" in found.err or "\\\\x1b]0;name" in found.err
        assert not raw(found.err)


def test_labels_of_bars_are_harmless(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tqdm")
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setattr(messages, "DELAY", 0.0)
    with progress_bar(NAME, 2, False) as bar:
        assert bar is not None
        bar.update(1)
        assert harmless(NAME) in shown.getvalue()
    assert not raw(shown.getvalue().replace("\r", ""))


def test_python_shows_tables_without_control_characters() -> None:
    found = compare({NAME: [EVIL, "a"], "B": ["b", "a b"]}, [["a b c", "a b"]], CHRF())
    for shown in (
        repr(found),
        repr(found.scores),
        repr(found.examples("B", NAME)),
        found.scores.format("markdown"),
        repr(found.ngrams("B", NAME)),
    ):
        assert not raw(shown)
    assert found.systems[0] == NAME
    assert found.scores["system"][0] == NAME


def test_control_characters_only() -> None:
    text = "".join(chr(i) for i in range(sys.maxunicode + 1) if not 0xD800 <= i < 0xE000)
    controls = [own for own in text if unicodedata.category(own) == "Cc" and own not in "\t\n"]
    expected = text.translate({ord(own): f"\\x{ord(own):02x}" for own in controls})
    assert harmless(text) == expected
    assert harmless(paint("x", "red"), colored=True) == paint("x", "red")
    for text in ("\x1b[8m", "\x1b[31m", "\x1b[38;5;1m", "\x1b[38;5;28", "\x1b[2J", "\x1b["):
        assert harmless(text, colored=True) == text.replace("\x1b", "\\x1b")
    assert harmless("\x1b[31mx") == "\\x1b[31mx"


def test_colors_pass_the_filter() -> None:
    for color in ("red", "cyan", "yellow", "green", "gray"):
        out = io.StringIO()
        Filter(out).writelines([paint("x\x07", color)])
        assert out.getvalue() == paint("x\\x07", color)


# Mistaken options get an answer that says what there is.


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
    """Things that messages mention exist."""
    for form in FORMATS + TABLES:
        assert f"-f {form} " in failure(run(REF_A, "-i", HYP, f"--{form}"), 2)
        assert run(REF_A, "-i", HYP, "-f", form).status == 0
    for metric in ("chrf:word_order=2", "chrf:word_order=1", "rougeL"):
        assert run(REF_A, "-i", HYP, "-m", *metric.split()).status == 0


def test_a_language_may_follow_o(run: Run) -> None:
    """As in sacrebleu, where -o is short for -ol."""
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
    """Standard input from a terminal."""

    def isatty(self) -> bool:
        return True


def test_waiting_for_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither pipes nor quiet commands show the message."""

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
