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


# In CI the dev extra, of which ruff is a part, has all libraries. Wheels are tested without it.
IS_COMPLETE = "CI" in os.environ and find_spec("ruff") is not None


def makes_views(pyarrow: ModuleType) -> bool:
    """Do its casts make views of strings? They do from version 18 on."""
    return int(pyarrow.__version__.split(".")[0]) >= 18


def need(name: str) -> ModuleType:
    """Return the module, or skip the test without it; in CI with the dev extra, fail."""
    return importlib.import_module(name) if IS_COMPLETE else pytest.importorskip(name)
