"""``rapidbleu compare`` and ``rapidbleu explain``: contents, formats and errors."""

import csv
import io
import json
import os
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from random import Random
from typing import Any

import pytest

from rapidbleu import BLEU, CHRF, NIST, ROUGE, TER, WER, Comparison, compare
from rapidbleu._lib.colors import paint
from rapidbleu.cli import main
from rapidbleu.table import Table
from support.command_line import Run, Terminal
from support.corpora import random_corpus

# ``rapidbleu compare``: what it shows, in which form, and what it refuses.


N = 40
A, REFS = random_corpus(Random("compare a"), N, kind="german", n_refs=2)
B = [text.partition(" ")[2] if i % 2 else text for i, text in enumerate(A)]
B[::5] = REFS[0][::5]
LABELS = ["news" if i % 3 else "talk" for i in range(N)]
METRICS = [BLEU(effective_order=True), CHRF()]


def clean(lines: list[str]) -> list[str]:
    """Return lines as the command reads them."""
    return [line.rstrip() for line in lines]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    texts = {
        "a.en": A,
        "b.en": B,
        "ref0": REFS[0],
        "ref1": REFS[1],
        "labels": LABELS,
        "source": [f"Quelle {i}" for i in range(N)],
        "comet.a": [str(i / N) for i in range(N)],
        "comet.b": [str(1 - i / N) for i in range(N)],
    }
    for name, lines in texts.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return {name: str(tmp_path / name) for name in texts}


def expected(**options: Any) -> Comparison:
    systems = {"a": clean(A), "b": clean(B)}
    references = [clean(stream) for stream in REFS]
    metrics = options.pop("metrics", METRICS)
    return compare(systems, references, metrics, **{"sort": "score"} | options)


def from_1(table: Table) -> Table:
    """Return a table with segments numbered from 1, as in the command."""
    columns = {name: table[name] for name in table.names}
    columns |= {"segment": table["segment"] + 1} if "segment" in columns else {}
    return Table(columns, table._digits, titles=table._titles)


def command(files: dict[str, str], *options: str) -> list[str]:
    return [
        "compare",
        files["a.en"],
        files["b.en"],
        "-r",
        files["ref0"],
        files["ref1"],
        *options,
    ]


def test_text_has_all_sections(files: dict[str, str], run: Run) -> None:
    status, out, err = run(*command(files))
    found = expected()
    assert (status, err) == (0, "")
    for title, table in (
        ("Scores", found.scores),
        ("Paired bootstrap of all pairs, 1000 resamples, corrected (holm)", found.tests),
        ("BLEU by length", found.side_by_side("length", "BLEU")),
        ("segments by chrF2 score", found.side_by_side("chrf2_score", "segments")),
        ("recall of words by their frequency", found.side_by_side("words", "recall")),
        ("N-grams that b has right more often than a", found.ngrams("b", "a", 10)),
    ):
        assert f"== {title}\n\n{table.format()}\n\n" in out
    examples = found.examples("b", "a", n=5)
    assert out.count("\nsegment ") == len(examples) + len(found.examples("a", "b", n=5))
    shown = out.split("== Segments in which b is better than a by most (BLEU)\n\n")[1]
    first = dict(zip(examples.names, next(examples.rows()), strict=True))
    shown = shown.translate({ord("["): None, ord("]"): None}).replace("~", "")
    assert shown.startswith(
        "...: two words or more in a row that a reference has\n\n"
        f"segment {first['segment'] + 1}: {first['score_a']:.2f} and {first['score_b']:.2f}\n"
        f"  reference  {first['reference']}\n"
        f"  b          {first['output_a']}\n"
        f"  a          {first['output_b']}\n"
    )


def test_markdown_and_latex(files: dict[str, str], run: Run) -> None:
    found = expected()
    _, out, _ = run(*command(files, "-f", "markdown", "-w", "1"))
    assert out.startswith(f"## Scores\n\n{found.scores.format('markdown', 1)}\n\n## Ranks ")
    assert "**" in out.split("## Ranks")[0]
    assert from_1(found.examples("a", "b", n=5)).format("markdown", 1) in out
    _, out, _ = run(*command(files, "-f", "latex"))
    assert out.count(r"\begin{tabular}") == 3
    assert r"\textbf{" in out


@pytest.mark.parametrize("form", ["csv", "tsv"])
@pytest.mark.parametrize("section", ["scores", "tests", "segments"])
def test_one_table(files: dict[str, str], run: Run, form: str, section: str) -> None:
    status, out, _ = run(*command(files, "-f", form, "--show", section))
    table = from_1(getattr(expected(), section))
    assert status == 0
    header, *rows = csv.reader(io.StringIO(out), delimiter="," if form == "csv" else "\t")
    assert tuple(header) == table.names
    assert rows == [["" if cell is None else str(cell) for cell in row] for row in table.rows()]


def test_segments_are_counted_from_1_in_every_form(files: dict[str, str], run: Run) -> None:
    """Numbers are lines of the files, as in `rapidbleu explain -n`."""
    few = ["--examples", "1", "--baseline", "a"]
    outputs = {"a": clean(A), "b": clean(B)}
    shown = json.loads(run(*command(files, *few, "-f", "json")).out)["examples"]
    for entry in shown:
        better, table = entry["a"], entry["table"]
        title = f"Segments in which {better} is better than {entry['b']} by most (BLEU)"
        [number] = table["segment"]
        assert table["output_a"] == [outputs[better][number - 1]]
        for form in ("text", "markdown"):
            _, out, _ = run(*command(files, *few, "-f", form))
            part = out.split(title)[1].split("==" if form == "text" else "##")[0]
            assert re.search(rf"segment {number}:" if form == "text" else rf"\| +{number} \|", part)
        explained = [files[f"{better}.en"], files["ref0"], files["ref1"], "--segment", str(number)]
        [entry] = json.loads(run("explain", *explained, "-f", "json").out)
        assert entry["score"] == pytest.approx(table["score_a"][0])
    for form in ("csv", "tsv", "markdown", "latex", "text", "json"):
        _, out, _ = run(*command(files, "-f", form, "--show", "segments"))
        if form == "json":
            assert json.loads(out)["segments"]["segment"] == list(range(1, N + 1))
        else:
            first = [re.match(r"[|\s]*(\d+)\b", line) for line in out.splitlines()]
            assert [int(found[1]) for found in first if found] == list(range(1, N + 1))


def test_json(files: dict[str, str], run: Run) -> None:
    _, out, _ = run(*command(files, "-f", "json"))
    found, everything = json.loads(out), expected().to_dict()
    assert set(everything) - set(found) == {"segments"}
    assert {name: found[name] for name in found if name in everything} == {
        name: value for name, value in everything.items() if name in found
    }
    assert len(found["ngrams"]) == len(found["examples"]) == 2
    _, out, _ = run(*command(files, "-f", "json", "--show", "segments"))
    assert json.loads(out)["segments"] == from_1(expected().segments).to_dict()
    assert not {"scores", "tests", "buckets", "words", "ngrams", "examples"} & set(json.loads(out))


def test_options(files: dict[str, str], run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", "8")
    _, out, _ = run(
        *command(
            files,
            "-f",
            "json",
            "-m",
            "ter",
            "--names",
            "x",
            "y",
            "-n",
            "33",
            "--baseline",
            "y",
            "--correction",
            "none",
            "--labels",
            files["labels"],
            "--source",
            files["source"],
            "--scores",
            f"COMET={files['comet.a']}",
            files["comet.b"],
            "--threads",
            "2",
            "--examples",
            "2",
            "--ngrams",
            "3",
            "--seed",
            "7",
        )
    )
    found = json.loads(out)
    same = expected(
        metrics=[TER()],
        n_resamples=33,
        seed=7,
        baseline=1,
        correction="none",
        labels=LABELS,
        scores={"COMET": {"a": [i / N for i in range(N)], "b": [1 - i / N for i in range(N)]}},
    ).to_dict()
    assert found["systems"] == ["x", "y"]
    assert found["baseline"] == "y"
    assert [own["name"] for own in found["metrics"]] == ["TER", "COMET"]
    for section in ("scores", "tests"):
        names = dict(same[section], system=["x", "y"], a=["y", "y"], b=["x", "x"])
        assert found[section] == {key: names[key] for key in same[section]}
    assert found["buckets"]["label"]["segments"] == same["buckets"]["label"]["segments"]
    for table in (own["table"] for own in found["examples"]):
        assert len(table["segment"]) == 2
        assert table["source"] == [f"Quelle {i - 1}" for i in table["segment"]]
    assert all(len(own["table"]["ngram"]) == 3 for own in found["ngrams"])


def test_names_of_files(files: dict[str, str], tmp_path: Path, run: Run) -> None:
    """Files with the same name are named by their paths."""
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / "a.en"
    os.replace(files["b.en"], other)
    _, out, _ = run(
        "compare", files["a.en"], str(other), "-r", files["ref0"], "--show", "scores", "-f", "csv"
    )
    assert [row[0] for row in csv.reader(io.StringIO(out))][1:] == [str(other), files["a.en"]]


def test_one_system(files: dict[str, str], run: Run) -> None:
    status, out, _ = run("compare", files["a.en"], "-r", files["ref0"])
    assert status == 0
    assert "Paired" not in out and "N-grams" not in out
    assert "== BLEU by length" in out


def test_identical_systems(files: dict[str, str], run: Run) -> None:
    _, out, _ = run(
        "compare", files["a.en"], files["a.en"], "--names", "x", "y", "-r", files["ref0"]
    )
    assert out.count(" outputs\n") == 2
    assert "1.0000" in out


def test_report(files: dict[str, str], tmp_path: Path, run: Run) -> None:
    report = pytest.importorskip("jinja2") and tmp_path / "out.html"
    status, out, err = run(*command(files, "--html", str(report), "--title", "A & B"))
    assert (status, err) == (0, "")
    assert out == f"{report}: 2 systems, 40 segments\n"
    page = report.read_text("utf-8")
    assert "<title>A &amp; B</title>" in page
    report.unlink()
    for options, begin in (("-f text", "== Scores"), ("--show words -f json", "{")):
        out = run(*command(files, "--html", str(report), *options.split())).out
        assert out.startswith(begin) and len(out.splitlines()) > 20
        assert report.read_text("utf-8") == page.replace("A &amp; B", "Comparison of systems")
    target = tmp_path / "out.txt"
    assert run(*command(files, "--html", str(report), "-o", str(target))).out == ""
    assert target.read_text("utf-8").startswith("== Scores")


def test_a_report_of_one(files: dict[str, str], tmp_path: Path, run: Run) -> None:
    report = pytest.importorskip("jinja2") and tmp_path / "out.html"
    text = tmp_path / "text.txt"
    text.write_text("one segment\n")
    _, out, _ = run("compare", str(text), "-r", str(text), "--html", str(report))
    assert out == f"{report}: 1 system, 1 segment\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--names", "x"], "--names: expected 2, as many as systems; got 1"),
        (["--baseline", "c"], "--baseline: expected one of a, b; got c"),
        (["--labels", "{ref0}x"], "{ref0}x: No such file or directory"),
        (["--labels", "{short}"], "{short}: expected 40 lines, one for each segment; got 1"),
        (["--source", "{short}"], "{short}: expected 40 lines, one for each segment; got 1"),
        (["--scores", "COMET={short}", "{short}"], "{short}: expected 40 scores of a, one for"),
        (["-f", "csv", "--show", "scores", "tests"], "-f csv writes one table, and --show scores"),
        (["-f", "tsv", "--show", "words"], "-f tsv writes one table, and --show words has 3: F1"),
        (["--show", "scores", "figures"], "argument --show: invalid choice: 'figures'"),
        (["-n", "1"], "argument -n/--n-resamples: expected"),
        (["--html", "{missing}/x.html"], "{missing}/x.html: No such file or directory"),
    ],
)
def test_mistakes(
    files: dict[str, str], tmp_path: Path, run: Run, options: list[str], message: str
) -> None:
    if "--html" in options:
        pytest.importorskip("jinja2")
    (tmp_path / "short").write_text("1\n")
    known = {**files, "short": str(tmp_path / "short"), "missing": str(tmp_path / "missing")}
    status, out, err = run(*command(files, *(word.format(**known) for word in options)))
    assert status in (1, 2) and out == ""
    assert err.startswith(f"rapidbleu: {message.format(**known)}")


# ``rapidbleu explain``: what it writes, in which form, and what it refuses.


OUTPUTS = ["the the the", "the cat sat on a mat .", ""]
STREAMS = [["the cat", "the cat sat on the mat .", "x"], ["a the", "a cat was on a mat .", "y"]]
SEGMENT = BLEU(effective_order=True, force=True)


@pytest.fixture
def texts(tmp_path: Path) -> list[str]:
    paths = []
    for name, lines in zip(("hyp", "ref1", "ref2"), (OUTPUTS, *STREAMS), strict=True):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        paths.append(str(tmp_path / name))
    return paths


def test_the_first_segment_by_default(run: Run, texts: list[str]) -> None:
    status, out, err = run("explain", *texts)
    assert (status, err) == (0, "")
    assert out == f"{SEGMENT.explain(OUTPUTS[0], [ref[0] for ref in STREAMS])}\n"


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("option", ["--segment"])
def test_a_segment_by_its_line(run: Run, texts: list[str], number: int, option: str) -> None:
    status, out, err = run("explain", *texts, option, str(number))
    refs = [ref[number - 1] for ref in STREAMS]
    assert (status, err) == (0, "")
    assert out == f"{SEGMENT.explain(OUTPUTS[number - 1], refs)}\n"


def test_texts(run: Run) -> None:
    status, out, _ = run("explain", "--text", "a b", "a c", "b", "-m", "ter")
    assert status == 0
    assert out == f"{TER().explain('a b', ['a c', 'b'])}\n"


OPTIONS: list[tuple[list[str], list[Any]]] = [
    (
        ["-m", "bleu:max_ngram_order=2,smooth_method=floor", "-lc"],
        [BLEU(lowercase=True, max_ngram_order=2, smooth_method="floor", effective_order=True)],
    ),
    (["-m", "chrf:word_order=2", "ter:normalized=yes"], [CHRF(word_order=2), TER(normalized=True)]),
    (["-m", "rouge1", "rougeL"], [ROUGE("1"), ROUGE("L")]),
    (["-l", "en-zh"], [BLEU(trg_lang="zh", effective_order=True)]),
    (["-m", "nist"], [NIST(information=STREAMS)]),
]


@pytest.mark.parametrize(("options", "metrics"), OPTIONS, ids=range(len(OPTIONS)))
def test_metrics_and_their_options(
    run: Run, texts: list[str], options: list[str], metrics: list[Any]
) -> None:
    refs = [ref[1] for ref in STREAMS]
    expected = [metric.explain(OUTPUTS[1], refs) for metric in metrics]
    status, out, _ = run("explain", *texts, "--segment", "2", *options)
    assert status == 0
    assert out == "\n\n\n".join(map(str, expected)) + "\n"
    status, out, _ = run("explain", *texts, "--segment", "2", *options, "-f", "json")
    assert json.loads(out) == [json.loads(json.dumps(own.to_dict())) for own in expected]


def test_html_is_a_page(run: Run, texts: list[str], tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    status, out, _ = run("explain", *texts, "-m", "bleu", "wer", "-f", "html", "-o", str(target))
    page = target.read_text(encoding="utf-8")
    assert (status, out) == (0, "")
    assert page.startswith("<!doctype html>")
    for metric in (SEGMENT, WER()):
        assert metric.explain(OUTPUTS[0], [ref[0] for ref in STREAMS])._repr_html_() in page
    HTMLParser().feed(page)


def test_colors_only_on_terminals(
    texts: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def shown(*options: str, **variables: str) -> str:
        for name in ("NO_COLOR", "FORCE_COLOR", *variables):
            monkeypatch.delenv(name, raising=False)
            if name in variables:
                monkeypatch.setenv(name, variables[name])
        monkeypatch.setattr(sys, "stdout", terminal := Terminal())
        assert main(["explain", *texts, *options]) == 0
        return terminal.getvalue()

    assert paint("[the]", "green") in shown()
    assert "\x1b" not in shown("-nc") + shown("--no-color") + shown(NO_COLOR="1")
    assert "\x1b" not in shown("-f", "json") + shown("-f", "html")
    shown("-o", str(tmp_path / "out"))
    assert "\x1b" not in (tmp_path / "out").read_text(encoding="utf-8")


def test_other_languages_in_json(run: Run) -> None:
    assert '"mat\u00e9"' in run("explain", "--text", "mat\u00e9", "\u732b", "-f", "json").out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "explain: expected files of a hypothesis and of at least one reference; got 0"),
        (["{0}"], "explain: expected files of a hypothesis and of at least one reference; got 1"),
        (
            ["--text", "a"],
            "--text: expected texts of a hypothesis and of at least one reference; got 1",
        ),
        (["{0}", "--text", "a", "b"], "--text: expected no files with it; got {0}"),
        (["{0}", "{1}", "--segment", "4"], "--segment: expected at most 3; got 4"),
        (["{0}", "/nowhere"], "/nowhere: No such file or directory"),
    ],
)
def test_what_does_not_fit_is_refused(
    run: Run, texts: list[str], words: list[str], message: str
) -> None:
    result = run("explain", *[word.format(*texts) for word in words])
    assert (result.status, result.out) == (1, "")
    assert result.err == f"rapidbleu: {message.format(*texts)}\n"
