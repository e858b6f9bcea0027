"""The readers of `_core/input/arrow.h`, called directly."""

from collections.abc import Callable
from struct import pack
from types import ModuleType
from typing import Any

import pytest

Probe = Callable[[str], ModuleType]
TEXT = b"The cat sat"
OFFSETS = [0, 3, 3, 4, 11]
CODES = {"u": "i", "U": "q", "l": "i", "L": "q", "p": "i", "P": "q"}
CODES |= {"c": "b", "C": "B", "s": "h", "S": "H", "i": "i", "I": "I"}


def packed(kind: str, *numbers: int) -> bytes:
    return pack(f"={len(numbers)}{CODES[kind]}", *numbers)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["u", "U"])
def test_strings_with_offsets(probe: Probe, kind: str) -> None:
    tool = probe("probe_input")
    strings = tool.Layer(kind, packed(kind, *OFFSETS), 4, side=TEXT)
    assert [tool.read_string(strings, i) for i in range(4)] == [b"The", b"", b" ", b"cat sat"]
    sliced = tool.Layer(kind, packed(kind, *OFFSETS), 3, side=TEXT, offset=1, valid=b"\x0b")
    assert [tool.read_string(sliced, i) for i in range(3)] == [b"", None, b"cat sat"]
    for bad in ((-1, 3), (3, 2)):
        strings = tool.Layer(kind, packed(kind, *bad), 1, side=TEXT)
        assert tool.read_string(strings, 0) == "bad string"
    assert tool.read_string(tool.Layer(kind, packed(kind, 0, 1), 1), 0) == "bad string"
    assert tool.read_string(tool.Layer(kind, packed(kind, 5, 5), 1), 0) == b""


def test_strings_of_more_bytes_than_there_are(probe: Probe) -> None:
    tool = probe("probe_input")
    strings = tool.Layer("U", packed("U", 0, (1 << 56) + 1), 1, side=TEXT)
    assert tool.read_string(strings, 0) == "bad string"


@pytest.mark.parametrize(
    ("size", "text", "begin", "expected"),
    [
        (13, 0, 0, b"a" * 13),
        (20, 1, 10, b"b" * 20),
        (20, 1, 11, "bad string"),
        (-1, 0, 0, "bad string"),
        (13, 3, 0, "bad string"),
        (13, -1, 0, "bad string"),
        (13, 2, 0, "bad string"),
        (13, 0, -1, "bad string"),
        (0x7FFFFFFF, 0, 0x7FFFFFFF, "bad string"),
    ],
)
def test_views(probe: Probe, size: int, text: int, begin: int, expected: Any) -> None:
    tool, texts = probe("probe_input"), (b"a" * 30, b"b" * 30, None)
    sizes = pack("=3q", 30, 30, 30)
    inline = [pack("=i12s", n, b"0123456789ab") for n in (0, 1, 12)]
    start = b"bbbb" if text == 1 else b"aaaa"
    slots = b"".join([*inline, pack("=i4s2i", size, start, text, begin)])
    strings = tool.Layer("v", slots, 4, side=sizes, texts=texts)
    found = [tool.read_string(strings, i) for i in range(4)]
    assert found == [b"", b"0", b"0123456789ab", expected]


@pytest.mark.parametrize("kind", "cCsSiIlL")
def test_indices(probe: Probe, kind: str) -> None:
    tool = probe("probe_input")
    code = {"l": "q", "L": "Q"}.get(kind) or CODES[kind]
    low = -1 if kind.islower() else (1 << 8 * len(pack(f"={code}", 0))) - 1
    slots = pack(f"=5{code}", 3, 0, low, 4, 2)
    indices = tool.Layer(kind, slots, 5, valid=b"\x0f")
    strings = tool.Layer("u", packed("u", *OFFSETS), 4, side=TEXT, valid=b"\x0e")
    found = [tool.read_string(strings, i, indices) for i in range(5)]
    assert found == [b"cat sat", None, "bad index", "bad index", None]


@pytest.mark.parametrize("kind", ["l", "L", "p", "P", "w"])
def test_lists(probe: Probe, kind: str) -> None:
    tool = probe("probe_input")

    def layer(*bounds: tuple[int, int], width: int = 2) -> Any:
        if kind == "w":
            return tool.Layer(kind, b"", 4, width=width, offset=1, valid=b"\x17")
        begins, sizes = [b for b, _ in bounds], [n for _, n in bounds]
        if kind in "pP":
            return tool.Layer(kind, packed(kind, *begins), 4, side=packed(kind, *sizes))
        return tool.Layer(kind, packed(kind, *begins, begins[-1] + sizes[-1]), 4)

    lists = layer((0, 2), (2, 0), (2, 3), (5, 1))
    found = [tool.read_list(lists, 6, i) for i in range(4)]
    if kind == "w":
        assert found == [(2, 4), (4, 6), None, "bad list"]
        assert tool.read_list(layer(width=0), 0, 0) == (0, 0)
        return
    assert found == [(0, 2), (2, 2), (2, 5), (5, 6)]
    assert tool.read_list(lists, 5, 3) == "bad list"
    for bad in ((-1, 2), (0, -1), (7, 0), (0, 7), (6, 1)):
        assert tool.read_list(layer(bad), 6, 0) == "bad list"
