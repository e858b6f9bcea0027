"""``rapidbleu explain``: what it writes, in which form, and what it refuses."""

import json
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from rapidbleu import BLEU, CHRF, NIST, ROUGE, TER, WER
from rapidbleu.cli import main
from support.command_line import Run, Terminal

HYPS = ["the the the", "the cat sat on a mat .", ""]
REFS = [["the cat", "the cat sat on the mat .", "x"], ["a the", "a cat was on a mat .", "y"]]
SEGMENT = BLEU(effective_order=True, force=True)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    paths = []
    for name, lines in zip(("hyp", "ref1", "ref2"), (HYPS, *REFS), strict=True):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        paths.append(str(tmp_path / name))
    return paths


def test_the_first_segment_by_default(run: Run, files: list[str]) -> None:
    status, out, err = run("explain", *files)
    assert (status, err) == (0, "")
    assert out == f"{SEGMENT.explain(HYPS[0], [ref[0] for ref in REFS])}\n"


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("option", ["-n", "--segment"])
def test_a_segment_by_its_line(run: Run, files: list[str], number: int, option: str) -> None:
    status, out, err = run("explain", *files, option, str(number))
    refs = [ref[number - 1] for ref in REFS]
    assert (status, err) == (0, "")
    assert out == f"{SEGMENT.explain(HYPS[number - 1], refs)}\n"


def test_texts(run: Run) -> None:
    status, out, _ = run("explain", "--text", "a b", "a c", "b", "-m", "ter")
    assert status == 0
    assert out == f"{TER().explain('a b', ['a c', 'b'])}\n"


OPTIONS: list[tuple[list[str], list[Any]]] = [
    (["-m", "bleu:max_ngram_order=2,smooth_method=floor", "-lc"],
     [BLEU(lowercase=True, max_ngram_order=2, smooth_method="floor", effective_order=True)]),
    (["-m", "chrf:word_order=2", "ter:normalized=yes"],
     [CHRF(word_order=2), TER(normalized=True)]),
    (["-m", "rouge1", "rougeL"], [ROUGE("1"), ROUGE("L")]),
    (["-l", "en-zh"], [BLEU(trg_lang="zh", effective_order=True)]),
    (["-m", "nist"], [NIST(information=REFS)]),
]  # fmt: skip


@pytest.mark.parametrize(("options", "metrics"), OPTIONS, ids=range(len(OPTIONS)))
def test_metrics_and_their_options(
    run: Run, files: list[str], options: list[str], metrics: list[Any]
) -> None:
    refs = [ref[1] for ref in REFS]
    expected = [metric.explain(HYPS[1], refs) for metric in metrics]
    status, out, _ = run("explain", *files, "-n", "2", *options)
    assert status == 0
    assert out == "\n\n\n".join(map(str, expected)) + "\n"
    status, out, _ = run("explain", *files, "-n", "2", *options, "-f", "json")
    assert json.loads(out) == [json.loads(json.dumps(own.to_dict())) for own in expected]


def test_html_is_a_page(run: Run, files: list[str], tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    status, out, _ = run("explain", *files, "-m", "bleu", "wer", "-f", "html", "-o", str(target))
    page = target.read_text(encoding="utf-8")
    assert (status, out) == (0, "")
    assert page.startswith("<!doctype html>")
    for metric in (SEGMENT, WER()):
        assert metric.explain(HYPS[0], [ref[0] for ref in REFS])._repr_html_() in page
    HTMLParser().feed(page)


def test_colors_only_on_terminals(
    files: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def shown(*options: str, **variables: str) -> str:
        for name in ("NO_COLOR", *variables):
            monkeypatch.delenv(name, raising=False)
            if name in variables:
                monkeypatch.setenv(name, variables[name])
        monkeypatch.setattr(sys, "stdout", terminal := Terminal())
        assert main(["explain", *files, *options]) == 0
        return terminal.getvalue()

    assert "\x1b[32m[the]\x1b[0m" in shown()
    assert "\x1b" not in shown("-nc") + shown("--no-color") + shown(NO_COLOR="1")
    assert "\x1b" not in shown("-f", "json") + shown("-f", "html")
    shown("-o", str(tmp_path / "out"))
    assert "\x1b" not in (tmp_path / "out").read_text(encoding="utf-8")


def test_other_languages_in_json(run: Run) -> None:
    assert '"mat\u00e9"' in run("explain", "--text", "mat\u00e9", "\u732b", "-f", "json").out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "explain: expected files of a hypothesis and of at least one reference, got 0"),
        (["{0}"], "explain: expected files of a hypothesis and of at least one reference, got 1"),
        (["--text", "a"],
         "--text: expected texts of a hypothesis and of at least one reference, got 1"),
        (["{0}", "--text", "a", "b"], "--text: expected no files with it, got {0}"),
        (["--text", "a", "b", "-n", "2"], "-n/--segment: only with files"),
        (["{0}", "{1}", "-n", "4"], "-n/--segment: expected at most 3, got 4"),
        (["{0}", "/nowhere"], "/nowhere: No such file or directory"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(
    run: Run, files: list[str], words: list[str], message: str
) -> None:
    result = run("explain", *[word.format(*files) for word in words])
    assert (result.status, result.out) == (1, "")
    assert result.err == f"rapidbleu: {message.format(*files)}\n"
