"""Tables of pairs: p-values with stars, and their note."""

import pytest

from rapidbleu._lib.colors import paint
from rapidbleu.cli.score.output import Results, notes_of, score_cells


def cell(p_value: float, p_corrected: float, difference: float = 1.0, width: int = 1) -> str:
    pair = {"difference": difference, "p_value": p_value, "p_corrected": p_corrected}
    return score_cells({"BLEU": [pair]}, lambda name: width, False, paint)["BLEU"][0]


def test_stars_are_of_corrected_values() -> None:
    assert cell(0.01, 0.05) == "+1.0 (p = 0.0100, Holm 0.0500)*"
    assert cell(0.01, 0.06) == f"+1.0 {paint('(p = 0.0100, Holm 0.0600)', 'red')}"


@pytest.mark.parametrize(
    ("difference", "text"), [(-0.04, "+0.0"), (0.0, "+0.0"), (-0.06, "-0.1"), (12.34, "+12.3")]
)
def test_differences_have_a_sign(difference: float, text: str) -> None:
    assert cell(0.5, 0.5, difference).startswith(f"{text} ")


@pytest.mark.parametrize("test", ["bs", "ar"])
def test_nothing_is_red_without_colors(test: str) -> None:
    systems = {"BLEU": [{"score": 30.0}, {"score": 31.0, "p_value": 0.01}]}
    for pairs in (None, {"System": ["B"], "Compared with": ["A"]}):
        results = Results(["A", "B"], (test, 100))
        results.systems, results.pairs = systems, pairs
        for colors in (False, True):
            text = " ".join(notes_of(results, "A", colors))
            assert ("are red" in text) == colors
            assert "(c + 1) / 101" in text
            assert ("resamples" in text) == (test == "bs")
