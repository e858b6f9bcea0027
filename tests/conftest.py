"""Fixtures for tests of the command line, and which tests need the repository around them."""

import gc
import io
import os
import signal
import sys
from pathlib import Path

import pytest

from rapidbleu.cli import main
from support.command_line import Result, Run, Write
from support.places import REPO

# Before NumPy is loaded: threads that wait for the next of many small calls use a processor each.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

try:
    from hypothesis import settings
except ImportError:
    pass
else:  # runners of CI, and emulators, stall now and then
    settings.register_profile("patient", deadline=None)
    settings.load_profile("patient")

# A shell without job control ignores Ctrl-C in what it starts with `&`, and so would all children.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Wheels are tested where there are the tests and the package only.
collect_ignore = [] if (REPO / "src").is_dir() else ["project", "dropin/test_dropin_differences.py"]


def pytest_collection() -> None:
    """Look for no garbage before all tests are there."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Let garbage collections pass over the tests themselves, which stay until the end."""
    gc.enable()
    if hasattr(gc, "freeze"):
        gc.freeze()


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command line in this process."""
    for name in ("SACREBLEU_FORMAT", "SACREBLEU_SEED", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)

    def run(*args: str, stdin: bytes = b"") -> Result:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        try:
            status = main(args)
        except SystemExit as end:
            assert isinstance(end.code, int)
            status = end.code
        out, err = capsysbinary.readouterr()
        return Result(status, out.decode("utf-8"), err.decode("utf-8"))

    return run


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file and return its path."""

    def write(name: str, data: bytes) -> str:
        (tmp_path / name).write_bytes(data)
        return str(tmp_path / name)

    return write
