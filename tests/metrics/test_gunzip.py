"""Files compressed by gzip: isal and zlib give the same bytes, and the same errors."""

import gzip
import io
import random
import re
import sys
import zlib
from contextlib import suppress
from pathlib import Path

import pytest

from rapidbleu.streams import gunzip
from rapidbleu.streams.files import open_reader
from rapidbleu.streams.gunzip import Gunzip, open_gzip
from support.command_line import Run, Write, failure
from support.peers import need

TEXT = "".join(f"{i} ||| {random.Random(i).random()}\n" for i in range(20_000)).encode()
WHOLE = gzip.compress(TEXT)
CUT = "the compressed file ended before its end was marked"
DAMAGED = "the compressed data is damaged"


@pytest.fixture(autouse=True, params=["isal", "zlib"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Have one of both decompress, whichever are installed."""
    if request.param == "isal":
        need("isal.isal_zlib")
    else:
        monkeypatch.setitem(sys.modules, "isal.isal_zlib", None)
    assert Gunzip(io.BytesIO()).library.__name__ in ("isal.isal_zlib", "zlib")
    return str(request.param)


def unpacked(data: bytes, size: int = 1 << 20) -> bytes:
    """What some reads of up to `size` bytes give."""
    view, pieces = bytearray(size), []
    with Gunzip(io.BytesIO(data)) as file:
        while n := file.readinto(memoryview(view)):
            pieces.append(bytes(view[:n]))
    return b"".join(pieces)


def test_the_library_that_is_asked_for(library: str) -> None:
    member = Gunzip(io.BytesIO()).library.decompressobj(31)
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
def test_members_and_padding(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gunzip, "_CHUNK", chunk)
    parts = [gzip.compress(TEXT[i : i + 30]) for i in range(0, 3000, 30)]
    packed = parts[0] + b"".join(bytes(i) + part for i, part in enumerate(parts[1:]))
    for data in (packed, packed + bytes(50), parts[0] + gzip.compress(b"") + packed):
        assert unpacked(data) == gzip.decompress(data)


def test_header_with_all_fields() -> None:
    head = b"\x1f\x8b\x08" + bytes([2 | 4 | 8 | 16]) + bytes(6) + b"\x03\0ext" + b"name\0comment\0"
    head += (zlib.crc32(head) & 0xFFFF).to_bytes(2, "little")
    assert unpacked(head + gzip.compress(TEXT)[10:]) == TEXT


def test_ways_to_read(tmp_path: Path) -> None:
    path = tmp_path / "text.gz"
    path.write_bytes(WHOLE)
    with open_gzip(path) as file:
        assert file.read(7) + file.read() == TEXT
    with open_gzip(path) as file:
        assert list(file) == TEXT.splitlines(keepends=True)
    with open_reader(path) as reader:
        lines = iter(reader.read_line, None)
        assert [line + b"\n" for line in lines if line is not None] == TEXT.splitlines(True)


@pytest.mark.parametrize("at", [1, 5, 9, 10, 17, 1000, len(WHOLE) - 9, len(WHOLE) - 1])
def test_cut(at: int) -> None:
    for data in (WHOLE[:at], WHOLE + WHOLE[:at]):
        with pytest.raises(EOFError, match=f"^{CUT}$"):
            unpacked(data)


def test_damage() -> None:
    rng = random.Random(7)
    places = [2, -8, -1, *(rng.randrange(10, len(WHOLE)) for _ in range(50))]
    for place in places:
        data = bytearray(WHOLE)
        data[place] ^= 1 << rng.randrange(8)
        with pytest.raises((gzip.BadGzipFile, EOFError), match=f"^{DAMAGED}$|^{CUT}$") as caught:
            unpacked(data)
        assert caught.type is gzip.BadGzipFile or place > 9  # the end itself may be lost


@pytest.mark.parametrize("rest", [b"a", b"abc\x1f\x8b", b"\0\0abc", b"\x1f\x8c"])
def test_what_is_no_member(rest: bytes) -> None:
    found = rest.lstrip(b"\0")[:2]
    with pytest.raises(gzip.BadGzipFile, match=re.escape(f"Not a gzipped file ({found!r})")):
        unpacked(WHOLE + rest)
    with pytest.raises(gzip.BadGzipFile, match="Not a gzipped file"):
        unpacked(rest)


def test_files_are_closed() -> None:
    for data in (WHOLE, WHOLE[:-1], b"plain"):
        inner = io.BytesIO(data)
        with Gunzip(inner) as file, suppress(EOFError, OSError):
            file.read()
        assert inner.closed and file.closed


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (WHOLE[: len(WHOLE) // 2], CUT),
        (WHOLE[:-8] + bytes(8), DAMAGED),
        (WHOLE + b"rest", "Not a gzipped file (b're')"),
    ],
)
def test_errors_name_the_file(data: bytes, message: str, run: Run, write: Write) -> None:
    path, plain = write("text.gz", data), write("plain", b"a\n")
    expected = f"{path}: {message}"
    with pytest.raises(ValueError, match=f"^{re.escape(expected)}$"), open_reader(path) as reader:
        reader.skip_lines()
    assert failure(run(plain, "-i", path)) == expected
    assert failure(run(plain, "-i", path, "-sl")) == expected
