"""The metrics of the command line beyond those of sacrebleu."""

import json
from pathlib import Path
from typing import Any

import pytest

from rapidbleu import (
    CDER,
    CER,
    EED,
    GECGLEU,
    GLEU,
    GTM,
    METEOR,
    NIST,
    PER,
    RIBES,
    ROUGE,
    WER,
    CharacTER,
    CIDErD,
    SkipNgramF,
    WeightedBLEU,
    WeightedMatch,
    WordF,
)
from support.command_line import Run

HYPS = ["The cat sat on a mat.", "It rained.", "a b c"]
REFS = ["The cat sat on the mat.", "It was raining.", "a c b"]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "hyp").write_text("\n".join(HYPS) + "\n")
    (tmp_path / "ref").write_text("\n".join(REFS) + "\n")
    return [str(tmp_path / "ref"), "-i", str(tmp_path / "hyp"), "-w", "6"]


OPTIONS: list[tuple[list[str], list[Any]]] = [
    (["wer"], [WER()]),
    (["wer", "--wer-lowercase", "--wer-tokenize", "char"], [WER(True, "char")]),
    (["cer"], [CER()]),
    (["cer", "--cer-lowercase", "--cer-no-whitespace"], [CER(True, False)]),
    (["per", "--per-form", "corpus"], [PER(form="corpus")]),
    (["cder", "gleu"], [CDER(), GLEU()]),
    (["character"], [CharacTER()]),
    (["character", "--character-lowercase", "--character-tokenize", "13a"],
     [CharacTER(True, "13a")]),
    (["eed"], [EED()]),
    (["eed", "--eed-lowercase", "--eed-language", "ja"], [EED(True, "ja")]),
    (["gleu", "--gleu-max-order", "2"], [GLEU(max_order=2)]),
    (["wordf", "--wordf-beta", "3"], [WordF(beta=3)]),
    (["meteor", "--meteor-modules", "exact"], [METEOR(modules=["exact"])]),
    (["meteor", "--meteor-variant", "2007", "--meteor-language", "de", "--meteor-modules", "exact",
      "--meteor-lowercase", "--meteor-tokenize", "13a"],
     [METEOR("2007", "de", ["exact"], lowercase=True, tokenize="13a")]),
    (["nist"], [NIST()]),
    (["nist", "--nist-max-order", "3", "--nist-perl-zero"], [NIST(False, None, 3, True)]),
    (["ciderd", "--ciderd-sigma", "2"], [CIDErD(sigma=2)]),
    (["gtm", "--gtm-exponent", "2"], [GTM(exponent=2)]),
    (["ribes", "--ribes-alpha", "0.5"], [RIBES(alpha=0.5)]),
    (["skipngramf", "--skipngramf-max-order", "2"], [SkipNgramF(max_order=2)]),
    (["rouge"], [ROUGE("1"), ROUGE("2"), ROUGE("L")]),
    (["rouge", "--rouge-types", "SU4", "--rouge-measure", "recall", "--rouge-perl-compat"],
     [ROUGE("SU4", measure="recall", perl_compat=True)]),
    (["rouge", "--rouge-types", "Lsum", "--rouge-multiple", "pooled"],
     [ROUGE("Lsum", multiple="pooled")]),
]  # fmt: skip


@pytest.mark.parametrize(("options", "metrics"), OPTIONS, ids=lambda part: " ".join(map(str, part)))
def test_scores(files: list[str], options: list[str], metrics: list[Any], run: Run) -> None:
    result = run(*files, "-m", *options)
    assert result.status == 0, result.err
    found = json.loads(result.out)
    found = found if isinstance(found, list) else [found]
    expected = [metric.corpus_score(HYPS, [REFS]) for metric in metrics]
    assert [entry["name"] for entry in found] == [score.name for score in expected]
    assert [entry["score"] for entry in found] == [round(score.score, 6) for score in expected]


def test_weights_of_tokens(files: list[str], tmp_path: Path, run: Run) -> None:
    path = tmp_path / "weights"
    path.write_text("The\t0.5\ncat\t3\n")
    options = [*files, "-b", "-m", "weightedbleu", "weightedmatch"]
    given = [f"--weighted{name}-weights={path}" for name in ("bleu", "match")]
    result = run(*options, *given, "--weightedbleu-default", "1")
    weights = {"The": 0.5, "cat": 3.0}
    metrics: list[Any] = [WeightedBLEU(weights, 1), WeightedMatch(weights)]
    expected = [metric.corpus_score(HYPS, [REFS]).score for metric in metrics]
    assert json.loads(result.out) == [round(score, 6) for score in expected]
    result = run(*options)
    assert result.status == 1
    assert "-m weightedbleu: expected --weightedbleu-weights FILE" in result.err
    path.write_text("The\t0.5\ncat 3\n")
    result = run(*options, *given)
    assert result.status == 1
    assert "line 2: expected a token, a tab and a number, got 'cat 3'" in result.err


def test_data_of_meteor(files: list[str], run: Run) -> None:
    result = run(*files, "-m", "meteor", "--meteor-data", "nowhere.jar")
    assert result.status == 1
    assert "data: expected the jar of METEOR 1.5, or a folder with it, at nowhere.jar" in result.err
    result = run(*files, "-m", "meteor", "--meteor-language", "xx")
    assert result.status == 1
    assert "language: expected one of en, " in result.err


def test_corrections(files: list[str], run: Run) -> None:
    result = run(files[0], *files, "-b", "-m", "gecgleu")
    expected = GECGLEU().corpus_score(HYPS, [REFS, REFS])
    assert result.out.strip() == f"{expected.score:.6f}"
    result = run(*files, "-m", "gecgleu")
    assert result.status == 1
    assert "expected a source and at least one reference" in result.err


def test_segments_of_nist_are_weighed_by_the_corpus(files: list[str], run: Run) -> None:
    result = run(*files, "-m", "nist", "-sl", "-b")
    scores = NIST().segment_scores(HYPS, [REFS])
    assert result.out.split() == [f"{score:.6f}" for score in scores]


def test_several_systems_and_tests(files: list[str], run: Run) -> None:
    systems = [*files[:2], files[2], files[0], "-f", "text"]
    result = run(*systems, "-m", "rouge", "wer", "nist")
    assert result.status == 0, result.err
    assert all(name in result.out for name in ("ROUGE-1", "ROUGE-2", "ROUGE-L", "WER", "NIST"))
    result = run(*systems, "-m", "wer", "nist", "-par")
    assert result.status == 0, result.err
    assert "p = " in result.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-m", "rouge", "--rouge-types", "X"], "expected 1 to 64, L, Lsum, W, S, SU"),
        (["-m", "nist", "--nist-max-order", "0"], "expected an integer from 1 to 16, got '0'"),
        (["-m", "wordf", "--wordf-beta", "-1"], "expected a number of at least 0, got '-1'"),
        (["-m", "wer", "--wer-tokenize", "x"], "invalid choice: 'x'"),
        (["-m", "meteorite"], "invalid choice: 'meteorite'"),
    ],
)
def test_wrong_options(files: list[str], options: list[str], message: str, run: Run) -> None:
    result = run(*files, *options)
    assert result.status == 2
    assert message in result.err


def test_text_without_tokens_is_warned_of_in_one_line(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "text"
    path.write_text("\u041e\u043d \u0434\u043e\u043c\u0430.\n" * 3, encoding="utf-8")
    result = run(str(path), "-i", str(path), "-m", "rouge", "bleu", "-b", "--threads", "2")
    (line,) = result.err.splitlines()
    assert "A text has no tokens, which scores 0: the tokenizer of ROUGE keeps ASCII" in line
    assert run(str(path), "-i", str(path), "-m", "rouge", "-q").err == ""
