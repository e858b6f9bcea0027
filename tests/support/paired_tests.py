"""The two tests of pairs of systems, which name their repeats differently."""

from collections.abc import Callable
from typing import Any

from rapidbleu.significance import paired_bootstrap


def repeats(test: Callable[..., Any], n: int) -> dict[str, int]:
    return {"n_resamples" if test is paired_bootstrap else "n_trials": n}
