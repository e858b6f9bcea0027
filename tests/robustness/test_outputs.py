"""Outputs replace files as a whole or not at all, even if writing is interrupted."""

import ast
import gzip
import io
import os
import random
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import rapidbleu
from rapidbleu._lib.files import replacing, replacing_text
from rapidbleu.tuning import NBestList, read_nbest, write_nbest, write_stats
from rapidbleu.tuning.moses.score_types import moses_bleu
from support.command_line import ENVIRONMENT, Run
from support.processes import posix_only
from support.selection import few
from support.writers import STATS, WRITERS, small

SRC = Path(rapidbleu.__file__).parent
OLD = b"what was there before"


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("name", WRITERS)
def test_writers_replace_what_was_there(tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    target.write_bytes(OLD)
    WRITERS[name](small(), str(target))
    first = files(tmp_path)
    assert first[name] != OLD and not any(name.endswith(".tmp") for name in first)
    WRITERS[name](small(), str(target))
    assert files(tmp_path).keys() == first.keys()


def test_the_target_is_untouched_until_the_end(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_bytes(OLD)
    with replacing(target) as (file,):
        file.write(b"new")
        file.flush()
        assert target.read_bytes() == OLD
    assert files(tmp_path) == {"file": b"new"}


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, MemoryError])
@pytest.mark.parametrize("old", [OLD, None])
def test_errors_leave_what_was_there(
    tmp_path: Path, error: type[BaseException], old: bytes | None
) -> None:
    before = {} if old is None else {"file": old}
    for name, data in before.items():
        (tmp_path / name).write_bytes(data)
    with pytest.raises(error), replacing(tmp_path / "file") as (file,):
        file.write(b"new")
        raise error
    with pytest.raises(error), replacing_text(tmp_path / "file") as text:
        text.write("new")
        raise error
    assert files(tmp_path) == before


def test_files_that_belong_together_are_replaced_together(tmp_path: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    a.write_bytes(OLD)
    with pytest.raises(FileNotFoundError, match=r"nowhere.b"), replacing(a, "nowhere/b"):
        pass
    with pytest.raises(ZeroDivisionError), replacing(a, b) as both:
        for file in both:
            file.write(b"new")
        1 / 0  # noqa: B018
    assert files(tmp_path) == {"a": OLD}
    with replacing(a, b) as both:
        for file in both:
            file.write(b"new")
    assert files(tmp_path) == {"a": b"new", "b": b"new"}


@pytest.mark.parametrize("end", ["gz", "bz2", "xz"])
def test_compressed_files_are_as_before(tmp_path: Path, end: str) -> None:
    nbest, path = small(), tmp_path / f"list.{end}"
    write_nbest(nbest, path)
    again = read_nbest(path, [["a b c d"]], metric=moses_bleu())
    assert again.features.tolist() == nbest.features.tolist()
    if end == "gz":
        assert b"list\0" in path.read_bytes()[:32], "a header names the file, without its end"
        assert gzip.decompress(path.read_bytes()).startswith(b"0 ||| a b c d |||")


@pytest.mark.parametrize("path", [7, True, None, b"bytes", io.BytesIO()])
def test_what_is_no_path_is_refused(path: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    if isinstance(path, bytes):
        small().save(path)  # type: ignore[arg-type]
        assert (tmp_path / "bytes").exists()
    else:
        with pytest.raises(TypeError, match=r"expected str, bytes or os\.PathLike"):
            small().save(path)


def test_mapped_lists_are_saved_in_place(tmp_path: Path) -> None:
    path = tmp_path / "list.npz"
    small(1000).save(path)
    data = path.read_bytes()
    nbest = NBestList.load(path, metric=moses_bleu(), mmap=True)
    expected = nbest.features.tolist()
    if sys.platform == "win32":
        with pytest.raises(PermissionError) as caught:
            nbest.save(path)
        assert caught.value.filename == str(path)
    else:
        nbest.save(path)
        nbest.save(path)
    assert path.read_bytes() == data and files(tmp_path).keys() == {"list.npz"}
    assert nbest.features.tolist() == expected


@posix_only
def test_other_processes_keep_what_they_map(tmp_path: Path) -> None:
    path = tmp_path / "list.npz"
    small(50_000).save(path)
    program = (
        "import sys; from rapidbleu.tuning import NBestList; "
        "nbest = NBestList.load(sys.argv[1], mmap=True); print(flush=True); input(); "
        "print(float(nbest.features.sum()), int(nbest.stats.sum()))"
    )
    with started("-c", program, str(path), stdin=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        small(4).save(path)
        out, err = process.communicate(b"\n")
    big = small(50_000)
    assert out.split() == [str(float(big.features.sum())).encode(), b"1400000"], err


@posix_only
def test_links_stay(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "file").write_bytes(OLD)
    os.symlink("folder/file", tmp_path / "first")
    os.symlink(tmp_path / "first", tmp_path / "second")
    os.symlink("folder/later", tmp_path / "third")
    for link, name in (("second", "file"), ("third", "later")):
        with replacing(tmp_path / link) as (file,):
            file.write(b"new")
        assert (tmp_path / link).is_symlink() and (folder / name).read_bytes() == b"new"
    assert files(folder).keys() == {"file", "later"}
    os.symlink("circle", tmp_path / "circle")
    with pytest.raises(OSError, match="circle") as caught, replacing(tmp_path / "circle"):
        pass
    assert caught.value.filename == str(tmp_path / "circle")


@posix_only
def test_modes_are_kept(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with replacing(tmp_path / "file"):
            pass
        assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640
        (tmp_path / "file").chmod(0o755)
        with replacing(tmp_path / "file"):
            pass
        assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o755
    finally:
        os.umask(before)


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is forbidden to root"
)
def test_what_is_read_only_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(OLD)
    (tmp_path / "file").chmod(0o444)
    with pytest.raises(PermissionError, match="file"), replacing(tmp_path / "file"):
        pass
    (tmp_path / "file").chmod(0o644)
    tmp_path.chmod(0o555)
    try:
        with pytest.raises(PermissionError) as caught, replacing(tmp_path / "file"):
            pass
        assert caught.value.filename == str(tmp_path / "file")
    finally:
        tmp_path.chmod(0o755)
    assert files(tmp_path) == {"file": OLD}


@pytest.mark.parametrize("name", WRITERS)
def test_folders_are_not_made(tmp_path: Path, name: str) -> None:
    target = str(tmp_path / "nowhere" / name)
    with pytest.raises(FileNotFoundError) as caught:
        WRITERS[name](small(), target)
    assert caught.value.filename == target
    (tmp_path / name).mkdir()
    with pytest.raises((IsADirectoryError, PermissionError)) as caught_too:
        WRITERS[name](small(), str(tmp_path / name))
    assert caught_too.value.filename == str(tmp_path / name)
    assert files(tmp_path) == files(tmp_path / name) == {}


@posix_only
def test_pipes_are_written_directly(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    write_nbest(small(2, 1), tmp_path / "pipe")
    reader.join()
    assert read[0].startswith(b"0 ||| a b c d ||| F0= 0.0") and read[0].count(b"\n") == 2
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


@posix_only
def test_standard_output_is_written_directly(tmp_path: Path) -> None:
    """Also where the shell redirects it to a file, or a link leads to it."""
    program = (
        "import sys\nfrom rapidbleu.streams.files import open_outputs\n"
        "with open_outputs(sys.argv[1]) as (file,):\n    file.write(b'a 1.0\\n')"
    )
    os.symlink("/dev/stdout", tmp_path / "link")
    for path in ("/dev/stdout", str(tmp_path / "link"), "/dev/fd/1"):
        with open(tmp_path / "out", "wb") as out:
            with started("-c", program, path, stdout=out) as process:
                assert process.wait() == 0
            assert os.fstat(out.fileno()).st_nlink == 1
        assert (tmp_path / "out").read_bytes() == b"a 1.0\n"
    assert files(tmp_path).keys() == {"out", "link"}


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@pytest.mark.parametrize("name", WRITERS)
def test_a_full_device_is_named(name: str, tmp_path: Path) -> None:
    end = name.partition(".")[2]
    target = str(tmp_path / f"full.{end}") if end else "/dev/full"
    if end:
        os.symlink("/dev/full", target)
    with pytest.raises(OSError, match="No space left on device") as caught:
        if name == "write_stats":
            write_stats(small(), target, tmp_path / "scores")
        else:
            WRITERS[name](small(), target)
    assert caught.value.filename == target
    assert os.path.exists("/dev/full") and not (tmp_path / "scores").exists()


@contextmanager
def little_room(folder: Path) -> Iterator[None]:
    """Limit space to some kilobytes: a small disk if mountable, else a file size limit."""
    mounted = (
        sys.platform == "linux"
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)],
            capture_output=True,
            check=False,
        ).returncode
    )
    try:
        if mounted:
            yield
        else:
            resource = pytest.importorskip("resource")
            before = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, before[1]))
            try:
                yield
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, before)
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)


@posix_only
@pytest.mark.parametrize("name", few(WRITERS, ("save", "write_nbest", "write_nbest.gz")))
def test_a_full_disk_leaves_what_was_there(tmp_path: Path, name: str) -> None:
    rng = np.random.default_rng(1)
    n = 3000
    big = NBestList(
        rng.normal(size=(n, 20)),
        [STATS] * n,
        [0, n],
        metric=moses_bleu(),
        hypotheses=[rng.bytes(20).hex() for _ in range(n)],
    )
    folder = tmp_path / "disk"
    folder.mkdir()
    with little_room(folder):
        target = folder / name
        target.write_bytes(OLD)
        before = files(folder)
        with pytest.raises(OSError, match=r"No space left|File too large") as caught:
            WRITERS[name](big, str(target))
        assert str(caught.value.filename).startswith(str(target))
        assert files(folder) == before


@contextmanager
def started(*args: str, **options: Any) -> Iterator["subprocess.Popen[bytes]"]:
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    with subprocess.Popen([sys.executable, *args], env=ENVIRONMENT, **options) as process:
        try:
            yield process
        finally:
            process.kill()


REPEATED = """
import signal, sys
from support import writers
if sys.argv[3] == "exit":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))
name, path = sys.argv[1:3]
few, many = writers.small(20), writers.small(2000)
writers.WRITERS[name](few, path)  # imports modules of the library, where Ctrl-C is a RuntimeError
try:
    print("ready", flush=True)
    while True:
        writers.WRITERS[name](many, path)
        writers.WRITERS[name](few, path)
except KeyboardInterrupt:
    sys.exit(4)
"""


@pytest.mark.slow
@posix_only
@pytest.mark.parametrize("how", ["INT", "TERM", "TERM exit", "KILL"])
@pytest.mark.parametrize("name", ["save", "save_rows.npz", "write_nbest.gz", "write_stats"])
def test_signals_leave_one_whole_file(tmp_path: Path, name: str, how: str) -> None:
    rng = random.Random(f"{name} {how}")
    whole = []
    for n in (20, 2000):
        folder = tmp_path / f"{n}"
        folder.mkdir()
        WRITERS[name](small(n), str(folder / name))
        whole.append(files(folder))
    folder = tmp_path / "target"
    folder.mkdir()
    own, _, handled = how.partition(" ")
    number = getattr(signal, f"SIG{own}")
    for _ in range(4):
        args = ("-c", REPEATED, name, str(folder / name), handled or "default")
        with started(*args) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            time.sleep(rng.random() / 5)
            process.send_signal(number)
            try:
                _, errors = process.communicate(timeout=60)
            except subprocess.TimeoutExpired as error:
                assert b"ZipFile.__del__" in (error.stderr or b"")  # which drops exceptions
                process.send_signal(number)
                _, errors = process.communicate(timeout=60)
        assert process.returncode == {"INT": 4, "TERM exit": 3}.get(how, -number), errors
        # A destructor also prints an error if the signal came during the constructor.
        assert not errors or b"ZipFile.__del__" in errors
        left = files(folder)
        stray = [name for name in left if name.endswith(".tmp")]
        if own == "INT" or handled:
            assert not stray
        for name_of_file in stray:
            (folder / name_of_file).unlink()
            del left[name_of_file]
        for name_of_file, data in left.items():
            contents = [one[name_of_file] for one in whole]
            if name_of_file.endswith(".gz"):
                data, contents = gzip.decompress(data), [gzip.decompress(c) for c in contents]
            assert data in contents


def interrupted(call: Callable[[], Any], step: int, place: str = str(SRC)) -> bool | None:
    """Return whether Ctrl-C at the n-th line ends a call; None if the call has fewer lines."""
    n = 0

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal n
        if event == "line" and frame.f_code.co_filename.startswith(place):
            n += 1
            if n == step:
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return None if n < step else False


@pytest.mark.slow
@pytest.mark.filterwarnings(
    "ignore::ResourceWarning",  # of an open file not yet in a variable
    "ignore:Exception ignored in. .*ZipFile.__del__:pytest.PytestUnraisableExceptionWarning",
)
@pytest.mark.parametrize("name", [name for name in WRITERS if name != "join_files.npz"])
def test_signals_at_any_line_are_kept(tmp_path: Path, name: str) -> None:
    """Including methods that C code calls, whose errors it partly ignores.

    Files are joined by the writer of rows, because interrupting its reads would take a minute.
    """
    nbest, path = small(), str(tmp_path / name)
    calls: list[Callable[[], Any]] = [lambda: WRITERS[name](nbest, path)]
    if name.startswith("write_nbest"):
        calls.append(lambda: read_nbest(path, [["a b c d"]], metric=moses_bleu()))
    for call in calls:
        call()
        ends = list(iter(map(partial(interrupted, call), count(1)).__next__, None))
        assert all(ends), f"lost at line {ends.index(False) + 1}"
        assert len(ends) > 50


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with an n-best list, references and output of Moses' extractor."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "in"
    folder.mkdir()
    texts = ["a b c d", "a b x d e", "a b c d e f"]
    nbest = NBestList.from_lists(
        [texts], [[1.0, 2], [2, -1], [0, 1]], [["a b c d e"]], metric=moses_bleu()
    )
    write_nbest(nbest, folder / "nbest")
    write_stats(nbest, folder / "features", folder / "scores")
    (folder / "ref").write_text("a b c d e\n")
    (folder / "init.opt").write_text("1 1\n-1 -1\n1 1\n")
    return folder


COMMANDS = {
    "tune": "tune in/nbest -r in/ref --restarts 1 -q -o {}",
    "compare": "compare in/ref -r in/ref --html {}",
    "explain": "explain in/ref in/ref -o {}",
    "mbr": "mbr in/nbest -o {}",
    "oracle": "oracle in/nbest -r in/ref -o {}",
    "extractor": "extractor -n in/nbest -r in/ref -F {} -S other",
    "pro": "pro -F in/features -S in/scores -o {}",
    "kbmira": "kbmira -F in/features -S in/scores -J 2 -o {}",
    "mert": "mert -F in/features -S in/scores --ifile in/init.opt",
}


@pytest.mark.usefixtures("inputs")
@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_commands_name_a_full_device(name: str, run: Run) -> None:
    """The previous test implies that they replace files as a whole."""
    if name == "compare":
        pytest.importorskip("jinja2")
    path = "/dev/full"
    if name == "mert":
        os.symlink(path, path := "weights.txt")
    result = run(*COMMANDS[name].format(path).split())
    assert result.status == 1
    last = result.err.splitlines()[-1]
    assert last == f"rapidbleu: {path}: No space left on device"


WRITING = ("write_text", "write_bytes", "tofile", "savez", "savez_compressed", "memmap")

# Files opened for writing that are not outputs.
OTHER = {
    "_lib/files.py": "the one place",
    "streams/files.py": "compression within an output",
    "tuning/nbest.py": "a temporary file that has no name",
    "rows/archives.py": "members of an archive within an output",
    "cli/files.py": "a temporary file with a table from a pipe",
    "assets/sitecustomize.py": "a file for the report of a run",
    "switch/report.py": "a file for the report of a run",
}


def opened_for_writing(text: str) -> list[int]:
    """Return lines with a call that opens a file for writing, as far as the text shows."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        name = node.func.id if isinstance(node.func, ast.Name) else name
        values = [*node.args, *(keyword.value for keyword in node.keywords)]
        modes = [str(v.value) for v in values if isinstance(v, ast.Constant)]
        writes = any(
            0 < len(m) < 4 and set(m) <= set("rwaxbt+") and set(m) & set("wax+") for m in modes
        )
        opens = name.lower().endswith(("open", "file", "zipfile", "fileio"))
        if name in WRITING or (opens and writes):
            found.append(node.lineno)
    return found


def test_all_outputs_go_one_way() -> None:
    found = {
        path.relative_to(SRC).as_posix(): lines
        for path in sorted(SRC.rglob("*.py"))
        if (lines := opened_for_writing(path.read_text(encoding="utf-8")))
    }
    assert found.keys() == OTHER.keys(), "write through rapidbleu._lib.files"
    for text in (
        "open(p, 'w')",
        "p.open(mode='ab')",
        "gzip.open(p, 'wb')",
        "ZipFile(p, 'w')",
        "p.write_text('')",
        "open(p, 'r+b')",
    ):
        assert opened_for_writing(text)
    assert not opened_for_writing("open(p); open(p, 'rb'); file.write(b'w')")
