"""Fixtures for tests of the command line."""

import io
import sys
from pathlib import Path

import pytest

from command_line import Result, Run, Write
from rapidbleu.cli import main


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
