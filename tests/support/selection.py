"""Selection of the cases that run by default; the rest are marked as slow."""

from collections.abc import Container, Iterable
from typing import Any

import pytest


def few(cases: Iterable[Any], chosen: Container[Any]) -> list[Any]:
    """Return all cases, marking the ones not chosen as slow."""
    return [
        case if case in chosen else pytest.param(case, marks=pytest.mark.slow) for case in cases
    ]
