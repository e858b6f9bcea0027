"""Printed results against sacrebleu's, which has tabulate draw its tables."""

from argparse import Namespace
from typing import Any

import pytest

from rapidbleu.sacrebleu.significance import Result
from support.dropin import PACKAGES


def printed(capsys: pytest.CaptureFixture[str], function: str, make: Any) -> tuple[str, str]:
    texts = []
    for package in PACKAGES.values():
        getattr(package.utils, function)(*make())
        texts.append(capsys.readouterr().out)
    return texts[0], texts[1]


def options(form: str, width: int = 1, **more: Any) -> Namespace:
    values = {"format": form, "width": width, "paired_bs": False, "paired_ar": False,
              "paired_bs_n": 1000, "paired_ar_n": 10000}  # fmt: skip
    return Namespace(**{**values, **more})


SIGNATURES = {"BLEU": "nrefs:1|version:2.6.0", "chrF2": "nrefs:1|nc:6"}


def scores(width: int = 1) -> dict[str, Any]:
    return {
        "System": ["a.txt", "a_much_longer & name.txt", "x"],
        "BLEU": [f"{26.6:.{width}f}", f"{100:.{width}f}", f"{3.14159:.{width}f}"],
        "chrF2": [f"{52.5:.{width}f}"] * 3,
    }


def results(mean: bool, baseline: str = "Baseline: base_1") -> dict[str, Any]:
    extra: dict[str, Any] = {"mean": 26.61, "ci": 0.65} if mean else {}
    return {
        "System": [baseline, "other", "third system"],
        "BLEU": [Result(26.6, **extra), Result(28.35, 0.0312, **extra), Result(7.1, 0.5, **extra)],
        "chrF2": [Result(52.5, **extra), Result(100.0, 0.05, **extra), Result(7.1, 0.9, **extra)],
    }


@pytest.mark.parametrize("colors", [False, True])
@pytest.mark.parametrize("width", [0, 1, 2, 4])
@pytest.mark.parametrize("form", ["text", "latex", "json"])
def test_systems(
    form: str, width: int, colors: bool, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    for package in PACKAGES.values():
        monkeypatch.setattr(package.utils.Color, "ENABLE_COLORS", colors)
    theirs, own = printed(
        capsys, "print_results_table", lambda: (scores(width), SIGNATURES, options(form, width))
    )
    assert own == theirs


@pytest.mark.parametrize("colors", [False, True])
@pytest.mark.parametrize("test", ["paired_bs", "paired_ar"])
@pytest.mark.parametrize("form", ["text", "latex", "json"])
def test_paired(
    form: str, test: str, colors: bool, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """All but the words of the explanation, which are our own."""
    for package in PACKAGES.values():
        monkeypatch.setattr(package.utils.Color, "ENABLE_COLORS", colors)
    for mean in (False, True):
        theirs, own = printed(
            capsys,
            "print_results_table",
            lambda mean=mean: (results(mean), SIGNATURES, options(form, **{test: True})),
        )
        if form == "json":
            assert own == theirs
            continue
        parts = [text.split("\n\n")[0] for text in (theirs, own)]
        assert parts[0] == parts[1]
        parts = [text[text.index("-----------------\nMetric") :] for text in (theirs, own)]
        assert parts[0] == parts[1]
        assert theirs.split("\n\n")[1].split("\n")[:3] == own.split("\n\n")[1].split("\n")[:3]


def test_score_lines() -> None:
    for multiline in (False, True):
        for mean in (False, True):
            theirs, own = (
                package.utils._format_score_lines(results(mean), 3, multiline)
                for package in PACKAGES.values()
            )
            assert own == theirs


SINGLE = [
    ["BLEU = 26.6 x"],
    ["BLEU|a:b = 26.6 (μ = 26.6 ± 0.6) 5/4", "chrF2++|a = 52.5 (μ = 52.5 ± 0.4)"],
    ["26.6", "52.5"],
    ["26.6 (μ = 26.6 ± 0.6)"],
    ['{"a": 1}', '{"b": 2}'],
]


@pytest.mark.parametrize("lines", SINGLE, ids=range(len(SINGLE)))
@pytest.mark.parametrize("form", ["text", "json"])
def test_single(lines: list[str], form: str, capsys: pytest.CaptureFixture[str]) -> None:
    theirs, own = printed(capsys, "print_single_results", lambda: (list(lines), options(form)))
    assert own == theirs
