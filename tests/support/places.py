"""Paths of the tests, their data, the repository and shared data."""

import os
from pathlib import Path

import rapidbleu

TESTS = Path(__file__).resolve().parents[1]
DATA = TESTS / "data"
REPO = TESTS.parent
SHARED_DATA = Path(os.environ.get("RAPIDBLEU_DATA") or REPO.parent / "shared" / "data")
PACKAGE = Path(rapidbleu.__file__).resolve().parent

# For child processes: they import the package under test, and shared test code.
PYTHONPATH = os.pathsep.join([str(PACKAGE.parent), str(TESTS)])
