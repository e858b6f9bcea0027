"""The two tests of pairs of systems, whose repeats have names of their own."""

from collections.abc import Callable
from typing import Any

from rapidbleu.significance import paired_bootstrap


def repeats(test: Callable[..., Any], n: int) -> dict[str, int]:
    """Return the keyword with the number of resamples or trials."""
    return {"n_resamples" if test is paired_bootstrap else "n_trials": n}
