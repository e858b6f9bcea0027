"""Which of many cases the default run of the tests takes; the others are marked as slow."""

from collections.abc import Container, Iterable
from typing import Any

import pytest


def few(cases: Iterable[Any], chosen: Container[Any]) -> list[Any]:
    """All cases, of which those that were not chosen are marked as slow."""
    return [
        case if case in chosen else pytest.param(case, marks=pytest.mark.slow) for case in cases
    ]
