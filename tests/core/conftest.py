"""Test-only extension modules that call the headers of the core directly.

A probe is a ``.pyx`` of this folder, or a text that a test passes. It is compiled once, in a
temporary folder, for all tests of a run and of nested runs, with the sanitizers of the run. Tests
are skipped without a C compiler, Cython and the sources of the core.
"""

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).resolve().parent
CORE = HERE.parents[1] / "src" / "rapidbleu" / "_core"

BUILD = """
import sys
from Cython.Build import cythonize
from setuptools import Extension, setup

name, source, core = (sys.argv.pop() for _ in range(3))
extension = Extension(name, [source], include_dirs=[core])
setup(
    name=name,
    ext_modules=cythonize([extension], include_path=[core + "/../.."], language_level=3),
    script_args=["build_ext", "--inplace"],
)
"""


@pytest.fixture(scope="session")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., ModuleType]:
    """Compile and import a probe by name, from its file or from a text."""
    for tool in ("Cython", "setuptools"):
        if find_spec(tool) is None:
            pytest.skip(f"{tool} is not installed")
    if not CORE.is_dir():
        pytest.skip("the sources of the core are not here")
    own = str(tmp_path_factory.mktemp("probes"))
    probes = Path(os.environ.setdefault("RAPIDBLEU_PROBES", own))  # of this run, or the outer one
    loaded: dict[str, ModuleType] = {}

    def load(name: str, text: str | None = None) -> ModuleType:
        if name not in loaded:
            folder = probes / name
            if not folder.exists():
                folder.mkdir()
                source = folder / f"{name}.pyx"
                source.write_text(text or (HERE / source.name).read_text("utf-8"), "utf-8")
                compile_probe(source)
            loaded[name] = import_probe(name, folder)
        return loaded[name]

    return load


def compile_probe(source: Path) -> None:
    flags = [os.environ.get("CFLAGS", ""), "-O1 -g0"]
    environment = dict(os.environ)
    if "asan" in environment.pop("LD_PRELOAD", ""):  # for the probe, not for its compiler
        flags.append("-fsanitize=address,undefined -fno-omit-frame-pointer")
    environment["CFLAGS"] = " ".join(flags).strip()
    result = subprocess.run(
        [sys.executable, "-c", BUILD, str(CORE), str(source), source.stem],
        cwd=source.parent,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert result.returncode == 0, result.stdout


def import_probe(name: str, folder: Path) -> ModuleType:
    (binary,) = [path for path in folder.iterdir() if path.suffix in (".so", ".pyd")]
    spec = importlib.util.spec_from_file_location(name, binary)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
