"""Build the Cython core: one extension module for each ``.pyx`` below ``rapidbleu._core``.

Everything else is declared in ``pyproject.toml``, except that package indexes get the README with
addresses instead of paths, once ``project.urls`` names the repository.  Four environment switches
change the build:

``RAPIDBLEU_DEBUG=1``     bounds checks, C asserts and no optimisation
``RAPIDBLEU_SANITIZE=1``  AddressSanitizer and UndefinedBehaviorSanitizer; ``thread`` for that one
``RAPIDBLEU_TRACE=1``     line tracing for coverage of the Cython code (very slow)
``RAPIDBLEU_WERROR=1``    warnings of the C compiler are errors

Wheels are made for one version of CPython each.  The stable ABI of 3.11 lacks ``PyMem_Raw*``, the
characters of a ``str`` (``PyUnicode_KIND``, ``_DATA``, ``_IS_ASCII``) and the items of a list
(``PySequence_Fast_ITEMS``).  With stand-ins for them, ``PyUnicode_AsUTF8AndSize`` among these, a
build for it took 3 % longer for a corpus of ASCII, 30 % for one of Latin-1 seen for the first time,
after which every string keeps its UTF-8 as long as it lives, 27 % for lists of tokens, 30 % for a
replaced row and 7 % for a single sentence.

The core declares that it is safe without the interpreter's lock (_core/common/threads.h), so
free-threaded Python leaves the lock off.
"""

import os
import re
import shutil
import sys
import sysconfig
import tomllib
from pathlib import Path
from threading import Lock

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.errors import PlatformError

CORE = Path("src", "rapidbleu", "_core")
DEBUG, TRACE, WERROR = (
    os.environ.get(f"RAPIDBLEU_{name}", "0") == "1" for name in ("DEBUG", "TRACE", "WERROR")
)
SANITIZERS = {"0": "", "1": "address,undefined", "thread": "thread"}
SANITIZE = SANITIZERS[os.environ.get("RAPIDBLEU_SANITIZE", "0")]

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": DEBUG,
    "wraparound": False,
    "initializedcheck": DEBUG,
    "cdivision": True,
    # Functions of Cython's own type cost a tenth of the machine code.  The modules whose classes
    # are public ask for them, because `inspect.signature` needs them.
    "binding": False,
    "embedsignature": False,
    "auto_pickle": False,
    "autotestdict": False,
    "freethreading_compatible": True,
    "linetrace": TRACE,
}

if sys.platform == "win32":
    COMPILE = ["/Od" if DEBUG else "/O2", "/fp:precise"] + ["/WX"] * WERROR
    LINK = []
else:
    # No contraction to fused multiply-add: scores must be the same bits on every machine.
    # Sanitized code takes minutes to compile at -O3.
    OPTIMIZE = "-O0" if DEBUG else "-O1" if SANITIZE else "-O3"
    COMPILE = [OPTIMIZE, "-ffp-contract=off", "-fno-math-errno"]
    # Many interpreters pass -g on to extensions, which makes wheels four times as large.
    COMPILE += ["-g", "-UNDEBUG"] if DEBUG or SANITIZE else ["-g0"]
    COMPILE += ["-Wall", "-Wextra", "-Werror"] * WERROR
    # Of the code that Cython makes: methods do not use all arguments, types not all slots.
    COMPILE += ["-Wno-unused-parameter", "-Wno-missing-field-initializers"] * WERROR
    if sysconfig.get_platform() in ("linux-i386", "linux-i686"):
        COMPILE += ["-msse2", "-mfpmath=sse"]  # x87 rounds to 64 bits of precision
    LINK = ["-lm"]
    if sys.platform.startswith("linux") and not (DEBUG or SANITIZE):
        LINK += ["-Wl,--strip-all"]  # a tenth of a wheel is symbols
    if SANITIZE:
        COMPILE += [f"-fsanitize={SANITIZE}", "-fno-omit-frame-pointer"]
        LINK += [f"-fsanitize={SANITIZE}"]


class BuildCore(build_ext):
    """Translate and compile the modules of the core, several at a time.

    Cython runs in one thread, and compilers of modules that it has translated run beside it.
    """

    lock = Lock()
    n_begun = 0

    def initialize_options(self):
        """Use all processors unless told otherwise."""
        super().initialize_options()
        self.parallel = os.cpu_count() or 1

    def build_extensions(self):
        """Build all modules, if there is a compiler."""
        (program, *_) = getattr(self.compiler, "compiler_so", None) or [None]  # None: MSVC
        if program and not shutil.which(program):
            raise PlatformError(
                f"rapidbleu needs a C compiler, but {program} was not found. "
                "Install one (on Debian: gcc and python3-dev), or install a wheel."
            )
        super().build_extensions()

    def build_extension(self, ext):
        """Build one module."""
        with self.lock:
            self.n_begun += 1
            print(f"[{self.n_begun}/{len(self.extensions)}] {ext.name}", flush=True)
            (translated,) = cythonize(
                [ext],
                # Generated C stays out of the source tree; coverage looks beside the .pyx.
                build_dir=None if TRACE else "build/cython",
                compiler_directives=DIRECTIVES,
                show_all_warnings=DEBUG,
                quiet=True,
            )
        ext.sources = translated.sources
        super().build_extension(ext)


class BuildWithoutSources(build_py):
    """Leave what extensions are made of to the source archive."""

    def build_package_data(self):
        """Copy the data files of packages."""
        self.data_files = [
            (*where, [name for name in names if not name.endswith((".pyx", ".pxd", ".h"))])
            for *where, names in self.data_files
        ]
        super().build_package_data()


def make_description():
    """Return the README, with links that work outside the repository if its address is known."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = Path("README.md").read_text(encoding="utf-8")
    if source := project.get("urls", {}).get("Source"):
        text = re.sub(r'(!\[[^]]*\]\(|src(?:set)?=")(?!https:)', rf"\1{source}/raw/main/", text)
        text = re.sub(r"(\]\()(?!https:|#)", rf"\1{source}/blob/main/", text)
    return text


HEADERS = [path.as_posix() for path in sorted(CORE.rglob("*")) if path.suffix in (".h", ".pxd")]

setup(
    long_description=make_description(),
    long_description_content_type="text/markdown",
    cmdclass={"build_ext": BuildCore, "build_py": BuildWithoutSources},
    ext_modules=[
        Extension(
            ".".join(source.relative_to("src").with_suffix("").parts),
            [source.as_posix()],
            include_dirs=[CORE.as_posix()],
            depends=HEADERS,
            define_macros=[("CYTHON_TRACE_NOGIL", "1")] if TRACE else [],
            extra_compile_args=COMPILE,
            extra_link_args=LINK,
        )
        # The longest modules first, so that no processor is left with one of them in the end.
        for source in sorted(CORE.rglob("*.pyx"), key=lambda path: -path.stat().st_size)
    ],
)
