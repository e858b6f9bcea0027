"""Build the Cython core: one extension module for each ``.pyx`` of ``rapidbleu._core``.

Everything else is declared in ``pyproject.toml``. Four environment switches change the build:

``RAPIDBLEU_DEBUG=1``     bounds checks, C asserts and no optimisation
``RAPIDBLEU_SANITIZE=1``  AddressSanitizer and UndefinedBehaviorSanitizer
``RAPIDBLEU_TRACE=1``     line tracing for coverage of the Cython code (very slow)
``RAPIDBLEU_WERROR=1``    warnings of the C compiler are errors
"""

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_py import build_py

CORE = Path("src", "rapidbleu", "_core")
DEBUG, SANITIZE, TRACE, WERROR = (
    os.environ.get(f"RAPIDBLEU_{name}", "0") == "1"
    for name in ("DEBUG", "SANITIZE", "TRACE", "WERROR")
)

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": DEBUG,
    "wraparound": False,
    "initializedcheck": DEBUG,
    "cdivision": True,
    "binding": True,
    "embedsignature": False,
    "auto_pickle": False,
    "autotestdict": False,
    "linetrace": TRACE,
}

if sys.platform == "win32":
    COMPILE = ["/Od" if DEBUG else "/O2", "/fp:precise"] + ["/WX"] * WERROR
    LINK = []
else:
    # No contraction to fused multiply-add: scores must be the same bits on every machine.
    COMPILE = ["-O0" if DEBUG else "-O3", "-ffp-contract=off", "-fno-math-errno"]
    # Many interpreters pass -g on to extensions, which makes wheels four times as large.
    COMPILE += ["-g", "-UNDEBUG"] if DEBUG or SANITIZE else ["-g0"]
    COMPILE += ["-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror"] * WERROR
    LINK = ["-lm"]
    if sys.platform.startswith("linux") and not (DEBUG or SANITIZE):
        LINK += ["-Wl,--strip-all"]  # a tenth of a wheel is symbols
    if SANITIZE:
        COMPILE += ["-fsanitize=address,undefined", "-fno-omit-frame-pointer"]
        LINK += ["-fsanitize=address,undefined"]



class BuildWithoutSources(build_py):
    """Leave what extensions are made of to the source archive."""

    def build_package_data(self):
        """Copy the data files of packages."""
        self.data_files = [
            (*where, [name for name in names if not name.endswith((".pyx", ".pxd", ".h"))])
            for *where, names in self.data_files
        ]
        super().build_package_data()


extensions = [
    Extension(
        f"rapidbleu._core.{source.stem}",
        [source.as_posix()],
        include_dirs=[CORE.as_posix()],
        depends=[path.as_posix() for path in sorted(CORE.glob("*.[ph]*"))],
        define_macros=[("CYTHON_TRACE_NOGIL", "1")] if TRACE else [],
        extra_compile_args=COMPILE,
        extra_link_args=LINK,
    )
    for source in sorted(CORE.glob("*.pyx"))
]

setup(
    cmdclass={"build_py": BuildWithoutSources},
    ext_modules=cythonize(
        extensions,
        build_dir="build/cython",  # generated C stays out of the source tree and the archives
        compiler_directives=DIRECTIVES,
        show_all_warnings=DEBUG,
    )
)
