"""Check the archives in a folder: one sdist and wheels.

    python .ci/check_archives.py FOLDER [--complete]

The sdist contains the files of the repository; wheels contain neither sources nor tests. No archive
contains generated C. Wheels are below 3 MB, and their libraries link only to the platform's C
library. A complete folder contains each wheel that docs/development/platforms.md promises, and no
other; these are also the builds that cibuildwheel printed on its runners, in ``*.identifiers``.
"""

import re
import struct
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MOST_BYTES = 3_000_000
SOURCES = (".pyx", ".pxd", ".h")
GENERATED = ("PKG-INFO", "setup.cfg", "src/rapidbleu.egg-info/")  # by setuptools, in the sdist
FOREIGN = ("libstdc++", "libgomp", "libgcc", "libomp", "libc++")


def needed_libraries(library: bytes) -> list[str]:
    """Return the DT_NEEDED names of a 64-bit ELF file, [] for other files."""
    if library[:5] != b"\x7fELF\x02":
        return []
    order = "<" if library[5] == 1 else ">"

    def numbers(form: str, at: int) -> tuple[int, ...]:
        return struct.unpack_from(order + form, library, at)

    (table,) = numbers("Q", 32)
    size, count = numbers("HH", 54)
    segments = [numbers("IIQQQQ", table + i * size) for i in range(count)]
    names, strings = [], 0
    for kind, _, offset, _, _, length in segments:
        if kind != 2:  # PT_DYNAMIC
            continue
        for at in range(offset, offset + length, 16):
            tag, value = numbers("qQ", at)
            if tag == 0:  # DT_NULL
                break
            if tag == 1:  # DT_NEEDED
                names.append(value)
            elif tag == 5:  # DT_STRTAB, an address
                strings = next(o + value - a for k, _, o, a, _, n in segments if k == 1
                               and a <= value < a + n)  # fmt: skip
    ends = [library.index(b"\0", strings + name) for name in names]
    return [library[strings + name : end].decode() for name, end in zip(names, ends, strict=True)]


def tracked_files(root: Path) -> set[str]:
    """Return the files of the repository, which `git archive` contains too."""
    git = ["git", "-C", str(root), "ls-files", "-z"]
    listed = subprocess.run(git, capture_output=True, check=True, encoding="utf-8").stdout
    return {name for name in listed.split("\0") if name}


def check_sdist(path: Path) -> list[str]:
    """Return the problems of a source archive."""
    with tarfile.open(path) as archive:
        names = {info.name.partition("/")[2] for info in archive if info.isfile()}
    there, wanted = {name for name in names if not name.startswith(GENERATED)}, tracked_files(ROOT)
    return [
        *(f"no {name}" for name in sorted(wanted - there)),
        *(f"{name}: not in the repository" for name in sorted(there - wanted)),
    ]


def check_wheel(path: Path) -> list[str]:
    """Return the problems of a wheel."""
    problems = []
    if path.stat().st_size >= MOST_BYTES:
        problems.append(f"{path.stat().st_size} bytes, not less than {MOST_BYTES}")
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        libraries = [name for name in names if name.endswith((".so", ".pyd"))]
        for name in libraries:
            for library in needed_libraries(archive.read(name)):
                if library.startswith(FOREIGN):
                    problems.append(f"{name}: needs {library}")
    if not libraries:
        problems.append("no compiled module")
    for ending in (".pyi", "py.typed", "LICENSE"):
        if not any(name.endswith(ending) for name in names):
            problems.append(f"no {ending}")
    for name in names:
        if name.endswith((".c", ".cpp", *SOURCES)):
            problems.append(f"{name}: a source")
        elif ".libs/" in name:
            problems.append(f"{name}: a bundled library of another project")
    return problems


# The tags in the names of a system's wheels, and which of its processors PyPy is released for.
TAGS = {"linux": ("manylinux", "musllinux"), "macos": ("macosx",), "windows": ("win",)}
PYPY = {"manylinux_x86_64", "manylinux_aarch64", "macosx_x86_64", "macosx_arm64", "win_amd64"}


def promised_platforms(page: str) -> set[tuple[str, str]]:
    """Return the systems and processors in the table of platforms.md."""
    rows = re.findall(r"^\| (Linux|macOS|Windows)\b[^|]*\|([^|]*)\|$", page, re.MULTILINE)
    return {(system.lower(), cpu.strip()) for system, cpus in rows for cpu in cpus.split(",")}


def promised_versions(page: str) -> list[str]:
    """Return the interpreters in platforms.md, such as cp311, cp314t and pp311."""
    oldest, newest = re.findall(r"CPython\s3\.(\d+)\sto\s3\.(\d+)", page)[0]
    threaded = re.findall(r"free-threaded\sCPython\s3\.(\d+)\sand\s3\.(\d+)", page)[0]
    return [
        *(f"cp3{minor}" for minor in range(int(oldest), int(newest) + 1)),
        *(f"cp3{minor}t" for minor in threaded),
        *(f"pp3{minor}" for minor in re.findall(r"PyPy\s3\.(\d+)", page)),
    ]


def promised_builds(page: str) -> list[str]:
    """Return the identifiers of the wheels that platforms.md promises."""
    platforms = {f"{tag}_{cpu}" for system, cpu in promised_platforms(page) for tag in TAGS[system]}
    return [
        f"{version}-{platform}"
        for platform in sorted(platforms)
        for version in promised_versions(page)
        if not version.startswith("pp") or platform in PYPY
    ]


def build_of(wheel: str) -> str:
    """Return cibuildwheel's identifier of a wheel's build, such as cp314t-manylinux_x86_64."""
    python, abi, platforms = wheel.removesuffix(".whl").split("-")[-3:]
    platform = re.sub(r"^([a-z]+?)(_?\d+)*_(?=[a-z])", r"\1_", platforms.split(".")[0])
    return f"{python}{'t' * abi.endswith('t')}-{platform}"


def check_set(builds: list[str], printed: list[str], page: str) -> list[str]:
    """Return the problems of a set of wheels, compared with the printed and promised builds."""
    promised = promised_builds(page)
    return [
        f"{build}: {builds.count(build)} wheels, printed {printed.count(build)} times, "
        f"{'' if build in promised else 'not '}promised"
        for build in sorted({*builds, *printed, *promised})
        if not builds.count(build) == printed.count(build) == promised.count(build) == 1
    ]


def main(folder: Path, complete: bool) -> int:
    sdists, wheels = sorted(folder.glob("*.tar.gz")), sorted(folder.glob("*.whl"))
    if len(sdists) != 1 or not wheels:
        print(f"{folder}: expected one sdist and wheels; got {len(sdists)} and {len(wheels)}")
        return 1
    found = {path: check_sdist(path) for path in sdists}
    found |= {path: check_wheel(path) for path in wheels}
    for path, problems in found.items():
        print(f"{path.name}: {path.stat().st_size} bytes", *problems, sep="\n  ")
    if complete:
        page = (ROOT / "docs" / "development" / "platforms.md").read_text(encoding="utf-8")
        lists = sorted(folder.glob("*.identifiers"))
        printed = [build for path in lists for build in path.read_text(encoding="utf-8").split()]
        found[folder] = check_set([build_of(path.name) for path in wheels], printed, page)
        print(f"{len(wheels)} wheels", *found[folder], sep="\n  ")
    return int(any(found.values()))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), "--complete" in sys.argv[2:]))
