"""NEON and portable code return the same bits, compiled for aarch64 and emulated elsewhere."""

import os
import platform
import shutil
import subprocess
from pathlib import Path

import pytest

from support.places import REPO, TESTS

CORE = REPO / "src" / "rapidbleu" / "_core"
HERE = TESTS / "core" / "emulated"
IS_NATIVE = os.name == "posix" and platform.machine() in ("aarch64", "arm64")
COMPILER = "cc" if IS_NATIVE else "aarch64-linux-gnu-gcc"
EMULATORS = "qemu-aarch64-static", "qemu-aarch64"
BASELINE = "cortex-a53"  # a processor without later instructions
FLAGS = (
    "-std=c11",
    "-O3",
    "-ffp-contract=off",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-unused-parameter",
    "-fsanitize=undefined",
    "-fsanitize-undefined-trap-on-error",
)


def find_tool(*names: str) -> str:
    for name in names:
        if path := shutil.which(name):
            return path
    pytest.skip(f"{' or '.join(names)} is not installed")


def run(*command: str) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    result = subprocess.run(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert result.returncode == 0, result.stdout
    return result.stdout


def test_neon_code_equals_portable_code(tmp_path: Path) -> None:
    if not CORE.is_dir():
        pytest.skip("the sources of the core are not here")
    compiler = find_tool(COMPILER)
    emulator = [] if IS_NATIVE else [find_tool(*EMULATORS), "-cpu", BASELINE]
    program = str(tmp_path / "compare_neon")
    linked = [] if IS_NATIVE else ["-static"]
    source = str(HERE / "compare_neon.c")
    run(compiler, *FLAGS, *linked, "-I", str(CORE), "-I", str(HERE), source, "-o", program)
    assert "rounds are equal" in run(*emulator, program)
