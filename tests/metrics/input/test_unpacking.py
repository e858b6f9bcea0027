"""Compressed files: all of their members are read, or they are refused."""

import bz2
import gzip
import io
import lzma
import random
import re
import sys
import zlib
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from rapidbleu import BLEU, scan
from rapidbleu.streams.files import Unpacked, open_packed, open_reader
from rapidbleu.tuning import read_nbest
from support.command_line import Run, Write, failure
from support.peers import need

TEXT = "".join(f"{i} ||| {random.Random(i).random()}\n" for i in range(20_000)).encode()
WHOLE = gzip.compress(TEXT)
CUT = "the compressed file ended before its end was marked"
DAMAGED = "the compressed data is damaged"


@pytest.fixture(autouse=True, params=["isal", "zlib"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run each test with isal and with zlib."""
    if request.param == "isal":
        need("isal.isal_zlib")
    else:
        monkeypatch.setitem(sys.modules, "isal.isal_zlib", None)
    return str(request.param)


def unpacked(data: bytes, size: int = 1 << 20, ending: str = ".gz", chunk: int = 1 << 17) -> bytes:
    """Return the bytes from reads of up to `size` bytes."""
    view, pieces = bytearray(size), []
    with Unpacked(io.BytesIO(data), ending, "f", chunk) as file:
        while n := file.readinto(memoryview(view)):
            pieces.append(bytes(view[:n]))
    return b"".join(pieces)


def zstd() -> Any:
    need("backports.zstd" if sys.version_info < (3, 14) else "compression.zstd")
    return import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


def test_the_library_that_is_asked_for(library: str) -> None:
    member = Unpacked(io.BytesIO(), ".gz", "f").member.member
    assert isinstance(member, type(zlib.decompressobj())) == (library == "zlib")


@pytest.mark.parametrize("size", [1, 255, 1 << 12, 1 << 16, 1 << 20])
@pytest.mark.parametrize("level", [0, 1, 9])
def test_bytes(size: int, level: int) -> None:
    text = TEXT[:5000] if size == 1 else TEXT
    assert unpacked(gzip.compress(text, level), size) == text
    assert unpacked(gzip.compress(b"", level), size) == b""


def test_much_in_little() -> None:
    zeros = bytes(1 << 24)
    assert unpacked(gzip.compress(zeros)) == zeros


@pytest.mark.parametrize("chunk", [1, 2, 7, 1000])
def test_members_and_padding(chunk: int) -> None:
    parts = [gzip.compress(TEXT[i : i + 30]) for i in range(0, 3000, 30)]
    packed = parts[0] + b"".join(bytes(i) + part for i, part in enumerate(parts[1:]))
    for data in (packed, packed + bytes(50), parts[0] + gzip.compress(b"") + packed):
        assert unpacked(data, chunk=chunk) == gzip.decompress(data)


def test_header_with_all_fields() -> None:
    head = b"\x1f\x8b\x08" + bytes([2 | 4 | 8 | 16]) + bytes(6) + b"\x03\0ext" + b"name\0comment\0"
    head += (zlib.crc32(head) & 0xFFFF).to_bytes(2, "little")
    assert unpacked(head + gzip.compress(TEXT)[10:]) == TEXT


def test_ways_to_read(tmp_path: Path) -> None:
    path = tmp_path / "text.gz"
    path.write_bytes(WHOLE)
    with open_packed(path, ".gz") as file:
        assert file.read(7) + file.read() == TEXT
    with open_packed(path, ".gz") as file:
        assert list(file) == TEXT.splitlines(keepends=True)
    with open_reader(path) as reader:
        lines = iter(reader.read_line, None)
        assert [line + b"\n" for line in lines if line is not None] == TEXT.splitlines(True)


@pytest.mark.parametrize("at", [1, 5, 9, 10, 17, 1000, len(WHOLE) - 9, len(WHOLE) - 1])
def test_cut(at: int) -> None:
    for data in (WHOLE[:at], WHOLE + WHOLE[:at]):
        with pytest.raises(ValueError, match=f"^f: {CUT}$"):
            unpacked(data)


def test_damage() -> None:
    rng = random.Random(7)
    places = [2, -8, -1, *(rng.randrange(10, len(WHOLE)) for _ in range(50))]
    for place in places:
        data = bytearray(WHOLE)
        data[place] ^= 1 << rng.randrange(8)
        with pytest.raises(ValueError, match=f"^f: ({DAMAGED}|{CUT})$") as caught:
            unpacked(data)
        assert DAMAGED in str(caught.value) or place > 9  # the end itself may be lost


@pytest.mark.parametrize("rest", [b"a", b"abc\x1f\x8b", b"\0\0abc", b"\x1f\x8c"])
def test_what_is_no_member(rest: bytes) -> None:
    found = rest.lstrip(b"\0")[:2]
    with pytest.raises(ValueError, match=re.escape(f"f: expected .gz data; got {found!r}")):
        unpacked(WHOLE + rest)
    with pytest.raises(ValueError, match=r"f: expected \.gz data; got "):
        unpacked(rest)


def test_files_are_closed() -> None:
    for data in (WHOLE, WHOLE[:-1], b"plain"):
        inner = io.BytesIO(data)
        with Unpacked(inner, ".gz", "f") as file, suppress(ValueError):
            file.read()
        assert inner.closed and file.closed


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (WHOLE[: len(WHOLE) // 2], CUT),
        (WHOLE[:-8] + bytes(8), DAMAGED),
        (WHOLE + b"rest", "expected .gz data; got b're'"),
    ],
)
def test_errors_name_the_file(data: bytes, message: str, run: Run, write: Write) -> None:
    path, plain = write("text.gz", data), write("plain", b"a\n")
    expected = f"{path}: {message}"
    with pytest.raises(ValueError, match=f"^{re.escape(expected)}$"), open_reader(path) as reader:
        reader.skip_lines()
    assert failure(run(plain, "-i", path)) == expected
    assert failure(run(plain, "-i", path, "-sl")) == expected


PACK: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: bytes(zstd().compress(data)),
}


@pytest.mark.parametrize("ending", PACK)
@pytest.mark.parametrize("chunk", [1, 5, 1000, 1 << 17])
def test_members(ending: str, chunk: int) -> None:
    text = TEXT[:3000]
    parts = [PACK[ending](part) for part in (text[:1000], b"", text[1000:])]
    for size in (7, 1 << 16):
        assert unpacked(b"".join(parts), size, ending, chunk) == text
    assert unpacked(PACK[ending](bytes(1 << 20)), 1 << 16, ending) == bytes(1 << 20)


@pytest.mark.parametrize("ending", PACK)
@pytest.mark.parametrize("chunk", [1, 1 << 17])
def test_damage_after_a_member(ending: str, chunk: int) -> None:
    """CPython's bzip2 and xz readers mistake it for the end of the file."""
    member = PACK[ending](TEXT[:2000])
    for at in range(16):
        second = bytearray(member)
        second[at] ^= 0xFF
        if ending == ".gz" and 4 <= at < 10:  # the time and the system, which are ignored
            continue
        with pytest.raises(ValueError, match=r"^f: "):
            unpacked(member + bytes(second), ending=ending, chunk=chunk)
    for rest in (b"x", b"some text", b"PK\3\4", member[:1], member[:5], member[:-1]):
        with pytest.raises(ValueError, match=r"^f: "):
            unpacked(member + rest, ending=ending, chunk=chunk)
    for empty in (b"", b"\0\0\0\0"):
        with pytest.raises(ValueError, match=r"^f: "):
            unpacked(empty, ending=ending, chunk=chunk)


@pytest.mark.parametrize("ending", PACK)
@pytest.mark.parametrize("chunk", [1, 3, 1 << 17])
def test_padding(ending: str, chunk: int) -> None:
    """xz allows padding of multiples of four zeros, gzip's program any."""
    member = PACK[ending](b"a\n")
    for n in (1, 2, 3, 4, 6, 8, 512):
        is_right = ending == ".gz" or (ending == ".xz" and n % 4 == 0)
        for data, expected in (
            (member + bytes(n), b"a\n"),
            (member + bytes(n) + member, b"a\na\n"),
        ):
            if is_right:
                assert unpacked(data, ending=ending, chunk=chunk) == expected
            else:
                with pytest.raises(ValueError, match=r"^f: "):
                    unpacked(data, ending=ending, chunk=chunk)


def test_skippable_frames_of_zstd() -> None:
    """Such as pzstd writes before each frame."""
    frame = b"\x50\x2a\x4d\x18" + (4).to_bytes(4, "little") + b"size"
    member = PACK[".zst"](b"a\n")
    assert unpacked(frame + member + frame + member + frame, ending=".zst") == b"a\na\n"


@pytest.mark.parametrize("ending", PACK)
def test_no_reader_loses_the_second_member(ending: str, run: Run, write: Write) -> None:
    def damaged(lines: list[str], name: str) -> str:
        first, second = (PACK[ending]("".join(half).encode()) for half in (lines[:5], lines[5:]))
        return write(f"{name}{ending}", first + b"?" + second[1:])

    plain = write("plain", b"a b c d\n" * 5)
    texts, numbers = damaged(["a b c d\n"] * 10, "text"), damaged(["1\n"] * 10, "scores")
    table = damaged(["hyp\tref\n", *["a b c d\ta b c d\n"] * 9], "pairs.tsv")
    lists = damaged([f"{i} ||| a b c d ||| F= 1\n" for i in range(10)], "nbest")
    calls: list[Callable[[], object]] = [
        lambda: BLEU().corpus_score(scan(table, "hyp", "ref")),
        lambda: BLEU().corpus_score(Path(texts), [["a b c d"] * 5]),
        lambda: read_nbest(lists, [["a b c d"] * 5]),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=re.escape(ending) + ": "):
            call()
    for command in (
        [plain, "-i", texts],
        [texts, "-i", plain],
        [plain, "-i", texts, "-sl"],
        [plain, "-i", plain, "--scores", f"Q={numbers}"],
        ["mbr", texts, "--n-best", "5"],
        ["compare", texts, plain, "-r", plain],
        ["explain", plain, texts],
        ["tune", lists, "-r", plain],
        ["evaluator", "-R", plain, "-n", lists],
    ):
        assert ending + ": " in failure(run(*command))
