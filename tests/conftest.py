"""Fixtures for tests of the command line, and which tests need the repository around them."""

import io
import sys
from pathlib import Path

import pytest

from command_line import Result, Run, Write
from rapidbleu.cli import main

try:
    from hypothesis import settings
except ImportError:
    pass
else:  # runners of CI, and emulators, stall now and then
    settings.register_profile("patient", deadline=None)
    settings.load_profile("patient")

ABOUT_THE_REPOSITORY = [
    "test_bench.py", "test_dropin_differences.py", "test_examples.py", "test_house.py",
    "test_readme.py", "test_workflows.py",
]  # fmt: skip

# Wheels are tested where there are the tests and the package only.
collect_ignore = [] if Path(__file__).parents[1].joinpath("src").is_dir() else ABOUT_THE_REPOSITORY


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command line in this process."""
    for name in ("SACREBLEU_FORMAT", "SACREBLEU_SEED"):
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
