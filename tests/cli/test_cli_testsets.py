"""sacrebleu's test sets on the command line, replaced by synthetic ones in its folder.

Both programs run in a separate process, because sacrebleu determines its folder on import.
"""

import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import rapidbleu._lib.installed_sacrebleu as installed
from support.command_line import (
    ENVIRONMENT,
    HYP,
    REF_A,
    REF_B,
    N,
    Result,
    Run,
    as_peer,
    failure,
    run_module,
)
from support.dropin import peer

DATASETS: Any = peer.DATASETS
PAIR = "de-en"
LINES = [
    [f"{line} é" for line in Path(path).read_text("utf-8").splitlines()]
    for path in (HYP, REF_A, REF_B)
]
# Documents that sacrebleu knows annotations of, their original languages, and how many segments.
DOCUMENTS = [("rt.com.68098", "de", 5), ("guardian.181611", "en", 4), ("bbc.310963", "de", 3)]


def write_lines(path: Path, lines: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8", newline="\n")


def write_text(folder: Path, name: str, fields: dict[str, list[str]], pair: str = PAIR) -> None:
    for field, lines in fields.items():
        write_lines(folder / name / f"{name.replace('/', '_')}.{pair}.{field}", lines)


def write_sgml(folder: Path, name: str, references: dict[str, list[str]]) -> None:
    """Write a downloaded test set: texts, and the source with its documents."""
    of_segments = [(name, "news", lang) for name, lang, n in DOCUMENTS for _ in range(n)]
    columns = zip(*of_segments, strict=True)
    meta = {
        key: list(values)
        for key, values in zip(("docid", "genre", "origlang"), columns, strict=True)
    }
    write_text(folder, name, {"src": LINES[0], **references, **meta})
    raw = []
    for document, lang, n in DOCUMENTS:
        raw.append(f'<doc docid="{document}" genre="news" origlang="{lang}">')
        raw += ['<seg id="1">text</seg>'] * n
    write_lines(folder / name / "raw" / DATASETS[name].langpairs[PAIR][0], raw)


def write_xml(folder: Path, name: str) -> None:
    """Write a recent test set: one XML file, unpacked from a download."""
    test_set = DATASETS[name]
    xml, first = ["<dataset>"], 0
    for (document, lang, n), domain in zip(DOCUMENTS, ("news", "social", "news"), strict=True):
        xml.append(f'<doc id="{document}" origlang="{lang}" domain="{domain}">')
        for tag, rest, lines in (
            ("src", 'lang="de"', LINES[0]),
            ("ref", 'lang="en" translator="refA"', LINES[1]),
            ("ref", 'lang="en" translator="refB"', LINES[2]),
        ):
            xml.append(f"<{tag} {rest}>")
            own = lines[first : first + n]
            xml += [f'<seg id="{i}">{line}</seg>' for i, line in enumerate(own)]
            xml.append(f"</{tag}>")
        xml.append("</doc>")
        first += n
    raw = folder / name / "raw"
    write_lines(raw / test_set.langpairs[PAIR][0], [*xml, "</dataset>"])
    write_lines(raw / test_set._get_tarball_filename(test_set.data[0]), ["downloaded"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("testsets")
    for name in ("wmt17", "wmt18"):
        write_sgml(folder, name, {"ref": LINES[1]})
    write_sgml(folder, "wmt20/tworefs", {"ref-0": LINES[1], "ref-1": LINES[2]})
    write_xml(folder, "wmt23")
    write_text(folder, "multi30k/2016", {"src": LINES[0], "ref": LINES[1]}, "en-de")
    for name, encoding in (("hyp", "utf-8"), ("wide", "utf-16")):
        (folder / name).write_text("".join(f"{line}\n" for line in LINES[0]), encoding)
    write_lines(folder / "twice", LINES[0] * 2)
    write_lines(folder / "numbers", map(str, range(N)))
    write_lines(folder / "other", LINES[2])
    return folder


SETS = ("wmt17", "wmt18", "wmt20/tworefs", "wmt23")
EQUAL = [
    f"-t {name} -l {PAIR} {options}"
    for name in SETS
    for options in (
        "-i hyp",
        "-i hyp -m bleu chrf ter -d",
        "-i hyp -f text -sh -d -w 3",
        "-i hyp -m chrf -ol non-de",
        "-i hyp other -f text -ol de",
        "-sl -m chrf -ol en -i hyp",
        "--echo ref",
        "--echo all",
        "--echo docid src ref -ol de",
        "--list",
    )
] + [
    f"-t wmt18 -l {PAIR} -i hyp --subset politics -m chrf -d",
    f"-t wmt18 -l {PAIR} -i hyp --subset country:GB -ol de",
    f"-t wmt23 -l {PAIR} -i hyp --subset news -w 3",
    f"-t wmt23 -l {PAIR} -i hyp -tok none -ci -cin 50",
    f"-t wmt17,wmt18 -l {PAIR} -i twice -m bleu chrf",
    f"-t wmt17,wmt18 -l {PAIR} --echo ref src",
    "-t multi30k/2016 -l en-de -i hyp -d",
    "-t multi30k/2016 -l en-de --echo src",
    f"--download wmt17 -l {PAIR}",
    "--list",
    "--list -l zh-en",
    "-t wmt17 --list",
]
ERRORS = [
    (f"-t wmt77 -l {PAIR} -i hyp", "wmt77: sacrebleu has no such test set"),
    (f"-t wmt17,wmt77 -l {PAIR} -i hyp", "wmt77: sacrebleu has no such test set"),
    ("--download wmt77", "wmt77: sacrebleu has no such test set"),
    ("-t wmt17 -i hyp", "-l"),
    ("-t wmt17 -l fr-en -i hyp", "wmt17: has cs-en, "),
    ("-t wmt17 --echo ref", "-l"),
    ("--echo ref", "-t"),
    (f"--echo ref -l {PAIR}", "-t"),
    ("--citation", "-t"),
    ("--citation -t wmt20/tworefs", "no citation"),
    (f"-t wmt17 -l {PAIR} -i twice", f"numbers of segments differ: twice has {2 * N}, wmt17 has"),
    (f"-t wmt17,wmt18 -l {PAIR} -i hyp", f"hyp has {N}, wmt17,wmt18 has {2 * N}"),
    (f"-t wmt17,wmt20/tworefs -l {PAIR} -i twice", "wmt20/tworefs has 2 references"),
    (f"-t wmt17 -l {PAIR} -ol fr -i hyp", "no segment has --origlang fr"),
    (f"-t wmt18 -l {PAIR} -ol de --subset x -i hyp", "has --origlang de --subset x"),
    (f"-t wmt17 -l {PAIR} --subset politics -i hyp", "No subset annotation"),
    ("-t multi30k/2016 -l en-de -ol de -i hyp", "--origlang and --subset supports only"),
    (f"-t wmt17 -l {PAIR} -nr 2 -i hyp", "-nr/--num-refs"),
    (f"hyp -t wmt17 -l {PAIR} -i hyp", "two kinds of references"),
    ("hyp -i hyp -ol de", "-t and -l"),
    (f"hyp -i hyp --subset x -l {PAIR}", "-t and -l"),
]
OURS = {
    "given": f"-t wmt18 -l {PAIR} -i hyp -ol en -sl -b --scores number=numbers",
    "citations": "-t wmt17,wmt18 --citation",
    "details": f"-t wmt18 -l {PAIR} -i hyp -ol en -d -w 3",
    "languages of several": f"-t wmt17,wmt18 -l {PAIR} --list",
    "wide": f"-t wmt17 -l {PAIR} -i wide -e utf-16",
    "utf-8": f"-t wmt17 -l {PAIR} -i hyp",
    "JSON": f"-t wmt17 -l {PAIR} -i hyp other -m bleu ter",
    "tokenized": f"-t wmt17 -l {PAIR} -i hyp -tok none",
    "tokenized, quiet": f"-t wmt17 -l {PAIR} -i hyp -tok none -q",
    "no field": f"-t wmt17 -l {PAIR} --echo nonsense",
    "no field, quiet": f"-t wmt17 -l {PAIR} --echo nonsense -q",
}


@pytest.fixture(scope="module")
def results(folder: Path) -> dict[str, list[Result]]:
    """Return results of both programs for each command."""
    commands = [*EQUAL, *(command for command, _ in ERRORS), *OURS.values()]
    ran = run_module(
        "support.command_line",
        stdin=json.dumps([str(folder), [command.split() for command in commands]]).encode(),
        SACREBLEU=str(folder),
    )
    assert ran.status == 0, ran.err
    both = [[Result(*result) for result in pair] for pair in json.loads(ran.out)]
    return dict(zip(commands, both, strict=True))


Results = dict[str, list[Result]]


@pytest.mark.parametrize("command", EQUAL)
def test_equals_sacrebleu(command: str, results: Results) -> None:
    ours, theirs = results[command]
    assert theirs.status == 0
    assert as_peer(ours.out) == theirs.out
    assert ours.status == 0 and bool(ours.err) == ("-tok none" in command)
    assert bool(ours.out) == ("--download" not in command)


@pytest.mark.parametrize(("command", "message"), ERRORS)
def test_errors(command: str, message: str, results: Results) -> None:
    ours, theirs = results[command]
    assert message in failure(ours)
    assert theirs.status != 0


def test_what_crashes_in_sacrebleu(results: Results) -> None:
    """See the numbered differences."""
    for what in ("citations", "details", "languages of several"):
        ours, theirs = results[OURS[what]]
        assert ours.status == 0 and theirs.status == "crash"
    citations = results[OURS["citations"]][0].out
    assert citations.startswith("@InProceedings{bojar-EtAl:2017") and "2018-findings" in citations
    score, whole, *parts = results[OURS["details"]][0].out.splitlines()
    assert len(parts) == 2
    number = whole.removeprefix("origlang=en domain=ALL      : sentences=4      BLEU = ")
    assert f" = {number} " in score
    assert results[OURS["languages of several"]][0].out.count(f"{PAIR}: src, ref, docid") == 2


def test_references_are_utf_8(results: Results) -> None:
    """Regardless of the encoding of the systems."""
    utf, wide = results[OURS["utf-8"]], results[OURS["wide"]]
    assert as_peer(wide[0].out) == as_peer(utf[0].out) == utf[1].out != wide[1].out


def test_systems_as_json(results: Results) -> None:
    entries = json.loads(results[OURS["JSON"]][0].out)
    assert [(entry["system"], entry["name"]) for entry in entries] == [
        ("hyp", "BLEU"),
        ("hyp", "TER"),
        ("other", "BLEU"),
        ("other", "TER"),
    ]


def test_given_scores_of_a_part(results: Results) -> None:
    scores = results[OURS["given"]][0].out.split()
    assert scores[1::2] == ["5.0", "6.0", "7.0", "8.0"]
    assert scores[::2] != scores[1::2] and len(scores) == 8


def test_messages(results: Results) -> None:
    assert results[OURS["tokenized"]][0].err.startswith("rapidbleu: -tok none: ")
    assert results[OURS["tokenized, quiet"]][0].err == ""
    for what in ("no field", "no field, quiet"):  # these are sacrebleu's
        ours, theirs = results[OURS[what]]
        assert ours.status == theirs.status == 1
        lines = [f"rapidbleu: {line}" for line in theirs.err.splitlines()]
        assert ours.err.splitlines() == lines and lines


@pytest.mark.slow
def test_downloads_that_fail(tmp_path: Path) -> None:
    program = (
        "import sys, urllib.request\n"
        "def urlopen(url): raise OSError('no net')\n"
        "urllib.request.urlopen = urlopen\n"
        "from rapidbleu.cli import main\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    (tmp_path / "offline.py").write_text(program)
    pair = ["-l", PAIR]
    for words in (["--download"], [*pair, "--download"], [*pair, "-i", HYP, "-t"]):
        for quiet in ([], ["-q"]):
            result = run_module(
                "offline",
                *words,
                "wmt14",
                *quiet,
                SACREBLEU=str(tmp_path / "sets"),
                PYTHONPATH=f"{tmp_path}{os.pathsep}{ENVIRONMENT['PYTHONPATH']}",
            )
            assert result.status == 1 and result.out == ""
            *messages, error = result.err.splitlines()
            assert error == "rapidbleu: wmt14: sacrebleu: OSError: no net"
            assert len(messages) == (not quiet)
            assert all(message.startswith("rapidbleu: Downloading ") for message in messages)


@pytest.mark.parametrize(
    "command",
    [
        "-t wmt17 -l en-de",
        "-t wmt17 -l en-de --echo ref",
        "--list",
        "--download wmt17",
        "-t wmt17 --citation",
    ],
)
def test_without_sacrebleu(command: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, installed._NAME, raising=False)
    monkeypatch.setattr(installed, "find_peer", lambda: None)
    assert failure(run(*command.split())) == (
        "test sets are sacrebleu's business, and it is not installed: pip install sacrebleu"
    )
