"""Fixtures for tests of the command line, and tests that need the repository."""

import gc
import io
import os
import signal
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from rapidbleu.cli import main
from support.command_line import Result, Run, Write
from support.peers import IS_COMPLETE
from support.places import REPO

# Before NumPy is loaded, because idle BLAS threads each occupy a processor.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

try:
    from hypothesis import HealthCheck, settings
except ImportError:
    pass
else:  # CI runners and emulators stall at times
    settings.register_profile(
        "patient", deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
    settings.load_profile("patient")

# A shell without job control ignores Ctrl-C in background jobs, and so would all children.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Wheels are tested with only the tests and the package present, and without the libraries that
# `patch` serves.
collect_ignore = (
    [] if (REPO / "src").is_dir() else ["project", "vectors", "dropin/test_dropin_differences.py"]
)
if not IS_COMPLETE and not all(map(find_spec, ("jiwer", "nltk", "rouge_score", "sacrebleu"))):
    collect_ignore += ["switch", "dropin/test_top_level_names.py"]


def pytest_collection() -> None:
    """Disable garbage collection during collection."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Freeze the tests themselves, which stay until the end."""
    gc.enable()
    if hasattr(gc, "freeze"):
        gc.freeze()


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Run:
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
    def write(name: str, data: bytes) -> str:
        (tmp_path / name).write_bytes(data)
        return str(tmp_path / name)

    return write
