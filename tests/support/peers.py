"""Installed libraries that tests compare with or pass to ours."""

import importlib
import os
from functools import cache
from importlib.util import find_spec
from types import ModuleType

import pytest


@cache
def peer(name: str) -> ModuleType | None:
    return importlib.import_module(name) if find_spec(name) else None


def need(name: str) -> ModuleType:
    """Return the module, or skip the test without it; in CI, fail."""
    return importlib.import_module(name) if "CI" in os.environ else pytest.importorskip(name)
