"""Check the archives in a folder: one sdist and any number of wheels.

The sdist contains sources, tests, docs and examples; wheels contain none of them. No archive
contains generated C. Wheels are below 3 MB, and their libraries link only to the platform's C
library.
"""

import struct
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILES = ("setup.py", "LICENSE", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "CITATION.cff")
FOLDERS = ("bench", "docs", "examples", "tests")  # with all their files
MOST_BYTES = 3_000_000
SOURCES = (".pyx", ".pxd", ".h")
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


def files_of(root: Path) -> list[str]:
    """Return the tracked files of `FOLDERS`, without bytecode."""
    return [
        path.relative_to(root).as_posix()
        for folder in FOLDERS
        for path in sorted(root.joinpath(folder).rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    ]


def is_generated(name: str) -> bool:
    return name.endswith((".c", ".cpp")) and not name.startswith("tests/")


def check_sdist(path: Path) -> list[str]:
    """Return the problems of a source archive."""
    with tarfile.open(path) as archive:
        names = archive.getnames()
    wanted = (*SOURCES, ".pyi", "py.typed")
    missing = [ending for ending in wanted if not any(name.endswith(ending) for name in names)]
    there = {name.partition("/")[2] for name in names}
    missing += [name for name in (*FILES, *files_of(ROOT)) if name not in there]
    return [
        *(f"no {ending}" for ending in missing),
        *(f"{name}: generated C" for name in there if is_generated(name)),
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


def main(folder: Path) -> int:
    sdists, wheels = sorted(folder.glob("*.tar.gz")), sorted(folder.glob("*.whl"))
    if len(sdists) != 1 or not wheels:
        print(f"{folder}: expected one sdist and wheels; got {len(sdists)} and {len(wheels)}")
        return 1
    found = {path: check_sdist(path) for path in sdists}
    found |= {path: check_wheel(path) for path in wheels}
    for path, problems in found.items():
        print(f"{path.name}: {path.stat().st_size} bytes", *problems, sep="\n  ")
    return int(any(found.values()))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
