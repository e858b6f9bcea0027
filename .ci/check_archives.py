"""Check what the archives in a folder hold: sources in the sdist, no generated C anywhere."""

import sys
import tarfile
import zipfile
from pathlib import Path

folder = Path(sys.argv[1])
(sdist,) = folder.glob("*.tar.gz")
(wheel,) = folder.glob("*.whl")
with tarfile.open(sdist) as archive:
    sources = archive.getnames()
with zipfile.ZipFile(wheel) as archive:
    installed = archive.namelist()

problems = [f"{name}: generated C" for name in sources + installed if name.endswith(".c")]
for ending in (".pyx", ".pxd", ".h", ".pyi", "py.typed", "setup.py", "LICENSE"):
    if not any(name.endswith(ending) for name in sources):
        problems.append(f"{sdist.name}: no {ending}")
for ending in (".so" if sys.platform != "win32" else ".pyd", ".pyi", "py.typed", "LICENSE"):
    if not any(name.endswith(ending) for name in installed):
        problems.append(f"{wheel.name}: no {ending}")
if wheel.stat().st_size > 2_000_000:
    problems.append(f"{wheel.name}: {wheel.stat().st_size} bytes, more than 2 MB")
if problems:
    sys.exit("\n".join(problems))
print(f"{sdist.name}: {len(sources)} files; {wheel.name}: {wheel.stat().st_size} bytes")
