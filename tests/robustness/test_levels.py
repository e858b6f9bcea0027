"""Comparisons with peers and oracles, at every level of vector code."""

import os
import subprocess
import sys

import pytest

from support.places import TESTS
from support.processes import LEVEL, LOWER_LEVELS, repeat_at_level

COMPARED = (
    "metrics/test_differential.py",
    "metrics/test_pairs.py",
    "metrics/test_tokenizers.py",
    "metrics/test_chrf.py",
    "metrics/test_ter.py",
    "core/test_text.py",
    "robustness/test_extremes.py",
)
SLOW = "robustness/test_fuzzing.py", "robustness/test_extremes.py"
# Valgrind does not support AVX-512: without a level, it counts the code for AVX2.
COUNTED = "twice_as_much"


@pytest.mark.slow
@pytest.mark.parametrize("level", LOWER_LEVELS)
def test_comparisons_at_lower_levels(level: str) -> None:
    repeat_at_level(level, [TESTS / file for file in COMPARED], "not lower_levels")


@pytest.mark.slow
@pytest.mark.parametrize("level", LOWER_LEVELS)
def test_slow_comparisons_at_lower_levels(level: str) -> None:
    selection = f"not lower_levels and not {COUNTED}" if level == "avx2" else "not lower_levels"
    repeat_at_level(level, [TESTS / file for file in SLOW], selection, marked="slow")


@pytest.mark.parametrize("level", [*LOWER_LEVELS, LEVEL])
def test_levels_are_chosen_by_name(level: str) -> None:
    assert chosen_by(level) == level


def test_the_highest_level_of_other_processors_changes_nothing() -> None:
    assert chosen_by("neon") == chosen_by("avx512")


def chosen_by(name: str) -> str:
    """Return the level of vector code of a process given a name."""
    program = "from rapidbleu._core.text.tokenize import simd_level; print(simd_level())"
    printed = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        encoding="utf-8",
        check=True,
        env={**os.environ, "RAPIDBLEU_SIMD": name},
    ).stdout
    return printed.strip()


def test_a_level_that_is_none() -> None:
    result = subprocess.run(
        [sys.executable, "-c", "from rapidbleu import BLEU"],
        capture_output=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, "RAPIDBLEU_SIMD": "sse9"},
    )
    expected = "expected one of portable, avx2, avx512, neon; got 'sse9'"
    assert result.stderr.strip().endswith(f"ValueError: RAPIDBLEU_SIMD: {expected}")
