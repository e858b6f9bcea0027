"""Run a target of `fuzz_targets` under atheris, which generates input guided by coverage.

    PYTHONPATH=tests python tests/support/programs/fuzzing.py NAME [SECONDS [FOLDER]]

starts with the target's seeds and the folder's contents, and ends after a minute or at the first
finding. It needs ``pip install -e ".[dev]" --group fuzz``, and covers only the package's Python
code unless the core is instrumented by Clang, which adds the sanitizers:

    CC=clang LDSHARED="clang -shared" CFLAGS=-fsanitize=fuzzer-no-link RAPIDBLEU_SANITIZE=1 \\
        python setup.py build_ext --inplace

Such a core runs with the sanitizer runtime of atheris:

    LD_PRELOAD="$(python -c 'import atheris; print(atheris.path())')/asan_with_fuzzer.so" \\
        ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 PYTHONPATH=tests \\
        python tests/support/programs/fuzzing.py NAME
"""

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["rapidbleu"]):
    from support.fuzz_targets import TARGETS, seeds


def main(name: str, seconds: str = "60", folder: str | None = None) -> None:
    with tempfile.TemporaryDirectory() as made:
        corpus = Path(folder or made)
        corpus.mkdir(parents=True, exist_ok=True)
        for i, data in enumerate(seeds(name)):
            corpus.joinpath(f"seed{i}").write_bytes(data)
        limits = [f"-max_total_time={seconds}", "-max_len=8000", "-timeout=60"]
        atheris.Setup(
            [sys.argv[0], *limits, f"-artifact_prefix={corpus}/", str(corpus)], TARGETS[name]
        )
        atheris.Fuzz()


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        sys.exit(f"usage: fuzzing.py {{{','.join(TARGETS)}}} [SECONDS [FOLDER]]")
    main(*sys.argv[1:])
