"""``rapidbleu oracle``: the choices of `select_oracle`, from all forms of files."""

import csv
import io
import json
import os
from pathlib import Path
from random import Random
from typing import Any

import pytest

from rapidbleu import BLEU, CHRF, NIST, ROUGE, TER, WER, select_oracle
from rapidbleu.oracle import Oracle
from support.command_line import Run, Write, candidate_files, failure
from support.corpora import perturb, random_segments

N_EACH = 6
RNG = Random("oracle")
TEXTS = random_segments(RNG, 25, kind="mixed")
GROUPS = [[perturb(RNG, text).strip() for _ in range(N_EACH)] for text in TEXTS]
STREAMS = [[perturb(RNG, text).rstrip() for text in TEXTS] for _ in range(2)]


@pytest.fixture
def refs(write: Write) -> list[str]:
    return [
        write(f"ref{i}", "".join(f"{line}\n" for line in stream).encode())
        for i, stream in enumerate(STREAMS)
    ]


@pytest.fixture
def nbest(write: Write) -> str:
    return candidate_files(write, GROUPS)["list"][0]


def choices_of(found: Oracle) -> list[tuple[int, int, str]]:
    return [
        (i, k + 1, group[k])
        for i, (k, group) in enumerate(zip(found.choices.tolist(), GROUPS, strict=True), 1)
    ]


OPTIONS: list[tuple[str, Any]] = [
    ("", BLEU()),
    ("-lc -tok char -m bleu:max_ngram_order=2", BLEU(True, tokenize="char", max_ngram_order=2)),
    ("-l en-zh", BLEU(trg_lang="zh")),
    ("-m chrf:word_order=2", CHRF(word_order=2)),
    ("-m ter", TER()),
    ("-m wer", WER()),
    ("-m rouge2 -q", ROUGE("2")),
    ("-m nist", NIST(information=STREAMS)),
]


@pytest.mark.parametrize(("options", "metric"), OPTIONS, ids=[words for words, _ in OPTIONS])
def test_metrics(options: str, metric: Any, run: Run, nbest: str, refs: list[str]) -> None:
    found = select_oracle(GROUPS, STREAMS, metric=metric)
    status, out, err = run("oracle", nbest, "-r", *refs, *options.split(), "-f", "json")
    assert (status, err) == (0, "")
    content = json.loads(out)
    assert [tuple(entry.values()) for entry in content.pop("segments")] == choices_of(found)
    assert content == {
        "name": found.score.name,
        "score": found.score.score,
        "signature": str(metric.get_signature()),
    }
    assert "nrefs:2" in content["signature"]


def test_text(run: Run, nbest: str, refs: list[str]) -> None:
    """Scoring the text yields the reported score."""
    found = select_oracle(GROUPS, STREAMS)
    status, out, err = run("oracle", nbest, "-r", *refs)
    assert status == 0
    assert out == "".join(f"{text}\n" for *_, text in choices_of(found))
    told = err.removeprefix("rapidbleu: ")
    assert told == run(*refs, "-f", "text", "-w", "2", stdin=out.encode()).out
    assert f"{found.score.score:.2f}" in told
    assert run("oracle", nbest, "-r", *refs, "-q") == (0, out, "")


def test_table(run: Run, nbest: str, refs: list[str]) -> None:
    _, out, err = run("oracle", nbest, "-r", *refs, "-f", "tsv")
    header, *rows = csv.reader(io.StringIO(out, newline=""), delimiter="\t")
    assert header == ["segment", "candidate", "text"]
    expected = choices_of(select_oracle(GROUPS, STREAMS))
    assert rows == [[str(cell) for cell in choice] for choice in expected]
    assert err.startswith("rapidbleu: BLEU|nrefs:2|")


@pytest.mark.parametrize("form", ["list", "lines", "files"])
def test_forms_of_input(form: str, run: Run, write: Write, nbest: str, refs: list[str]) -> None:
    args = candidate_files(write, GROUPS)[form]
    expected = run("oracle", nbest, "-r", *refs)
    assert run("oracle", *args, "-r", *refs, "--threads", "2") == expected
    if form != "files":
        data = Path(args[0]).read_bytes()
        assert run("oracle", "-", *args[1:], "-r", *refs, stdin=data) == expected


def test_search(run: Run, write: Write) -> None:
    """Seed and number of restarts affect the result for these lists."""
    rng = Random(1)
    groups = [[soup(rng) for _ in range(8)] for _ in range(20)]
    references = [soup(rng) for _ in range(20)]
    ref = write("ref", "".join(f"{line}\n" for line in references).encode())
    args = ["oracle", *candidate_files(write, groups)["list"], "-r", ref, "-f", "json"]
    scores = []
    for restarts, seed in ((0, 0), (0, 1), (2, 1)):
        out = run(*args, "--restarts", str(restarts), "--seed", str(seed)).out
        found = select_oracle(groups, [references], restarts=restarts, seed=seed)
        scores.append(json.loads(out)["score"])
        assert scores[-1] == found.score.score
    assert scores[0] > scores[1] < scores[2]
    assert run(*args).out == run(*args, "--restarts", "8", "--seed", "0").out


def soup(rng: Random) -> str:
    return " ".join(rng.choices("abcdef", k=rng.randint(3, 9)))


def test_output(run: Run, nbest: str, refs: list[str], write: Write) -> None:
    path = write("out", b"before")
    for form in ("text", "tsv", "json"):
        args = ["oracle", nbest, "-r", *refs, "-f", form, "-q"]
        assert run(*args, "-o", path) == (0, "", "")
        assert Path(path).read_text(encoding="utf-8") == run(*args).out


def test_what_does_not_fit_is_refused(run: Run, write: Write, tmp_path: Path) -> None:
    two, three = write("two", b"a\nb\n"), write("three", b"a\nb\nc\n")
    nbest, later = write("nbest", b"0 ||| a\n1 ||| b\n"), write("later", b"1 ||| a\n2 ||| b\n")
    sorted_by = "as candidates are sorted by segment and none lacks them"
    path = write("out", b"before")
    for args, message in [
        ([nbest, "-r", three], f"numbers of segments differ: {nbest} has 2, {three} has 3"),
        (
            ["-", "--n-best", "1", "-r", two],
            f"numbers of segments differ: standard input has 1, {two} has 2",
        ),
        ([nbest, "-r", two, three], f"numbers of segments differ: {two} has 2, {three} has 3"),
        ([later, "-r", two], f"{later}, line 1: expected segment 0, {sorted_by}; got 1"),
        ([nbest, "-r", "/nowhere"], "/nowhere: No such file or directory"),
        (
            [nbest, "-r", two, "-m", "bleu", "ter"],
            "-m/--metrics: expected one metric; got bleu, ter",
        ),
        ([write("empty", b""), "-r", two], f"{tmp_path / 'empty'}: no candidates"),
    ]:
        assert failure(run("oracle", *args, "-o", path, stdin=b"x\n")) == message
    assert Path(path).read_bytes() == b"before"
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".tmp")]
