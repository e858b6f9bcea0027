"""Libraries that tests compare with or hand to ours, wherever they are installed."""

import importlib
import os
from functools import cache
from importlib.util import find_spec
from types import ModuleType

import pytest


@cache
def peer(name: str) -> ModuleType | None:
    """An installed library, or None."""
    return importlib.import_module(name) if find_spec(name) else None


def need(name: str) -> ModuleType:
    """The module; without it the test is skipped, and in CI it fails."""
    return importlib.import_module(name) if "CI" in os.environ else pytest.importorskip(name)
