"""Headers of `_core/moses/`: decimal numbers, and which rows Moses leaves, called directly."""

import math
from collections.abc import Callable
from random import Random
from struct import pack, unpack
from types import ModuleType

import numpy as np
import pytest

from rapidbleu._core.moses.files import unique_rows

Probe = Callable[[str], ModuleType]


def texts(rng: Random) -> list[str]:
    """Numbers of all lengths, with points and exponents anywhere."""
    found = ["0", "-0", "0.", ".5", "-.5", "1e22", "1e23", "-1e-22", "9007199254740993", "1E+5"]
    for _ in range(3000):
        digits = "".join(rng.choices("0123456789", k=rng.randint(1, 20)))
        point = rng.randint(0, len(digits))
        text = rng.choice(("", "-")) + digits[:point] + rng.choice(("", ".")) + digits[point:]
        found.append(text + rng.choice(("", "", f"e{rng.randint(-30, 30)}")))
    return found


@pytest.mark.slow
def test_what_is_read_at_once_is_rounded_correctly(probe: Probe) -> None:
    tool, n_read = probe("probe_moses"), 0
    for text in texts(Random(1)):
        value, length = tool.read_number(text.encode())
        assert length == len(text)
        if value is not None:
            n_read += 1
            assert pack("d", value) == pack("d", float(text)), text
        assert tool.read_slowly(text.encode()) == float(text)
    assert n_read > 1000
    assert tool.read_number(b"-123.456")[0] == -123.456


@pytest.mark.parametrize(
    "text",
    [
        "", "-", ".", "-.", "e5", "1e", "1e+", "1.2.3", "1-2", "12a", "nan", "inf", "1_0", "0x1",
        "1e5.0", "--1", "\xb2", "1\0",
    ],
)  # fmt: skip
def test_what_is_no_number(probe: Probe, text: str) -> None:
    tool, token = probe("probe_moses"), text.encode()
    if token and b"\0" not in token:
        assert tool.read_number(token)[0] is None
    assert tool.read_slowly(token) is None


def test_what_only_the_slow_way_reads(probe: Probe) -> None:
    tool = probe("probe_moses")
    for text in ("+1", "1e400", "-1e400", "-1", "1" * 400, "1e-400", "0." + "3" * 40):
        value = tool.read_slowly(text.encode())
        assert value == float(text) or math.isinf(value)


def test_counts(probe: Probe) -> None:
    count = probe("probe_moses").read_count
    for n in [0, 1, 9, 10, 99, 999999, 1234567, 9999999]:
        assert count(b"%d" % n) == n
    for token in (b"10000000", b"-1", b"1.0", b"1e3", b"x", b"12345678901234567890"):
        assert count(token) == -1


def test_doubles_are_written_as_by_percent_g(probe: Probe) -> None:
    write, rng = probe("probe_moses").format_number, Random(2)
    values = [0.0, -0.0, 1.0, 999999.5, 9999995e-1, 999999.4999, 0.0001, 0.00001, 1e-300, 5e-324]
    values += [1.7976931348623157e308, 1e29, 1e-29, 123456.5, 1234565.0, 2.5e-5, 100000.0]
    values += [rng.uniform(-1, 1) * 10.0 ** rng.randint(-40, 40) for _ in range(5000)]
    values += [float(rng.randint(0, 10**7)) / 2 for _ in range(1000)]
    values += unpack("2000d", rng.randbytes(16000))
    for value in values:
        if math.isfinite(value):
            assert write(value) == b"%g" % value


def test_integers_are_written_whole(probe: Probe) -> None:
    write, rng = probe("probe_moses").format_integer, Random(3)
    edges = [0, 1, 999999, 1000000, 1000001, 123456 * 10**6, 10**18, 2**63 - 1, -(2**63), -(2**53)]
    edges += [10**k + d for k in range(1, 7) for d in (-1, 0, 1)]
    for n in edges + [rng.randint(-(2**63), 2**63 - 1) >> rng.randint(0, 63) for _ in range(1000)]:
        exact = abs(int(str(n).rstrip("0") or "0")) < 10**6
        assert write(n) == (b"%g" % n if exact else b"%d" % n)


def left(rows: list[tuple[float, int, int]]) -> list[int]:
    """The places of the rows that Moses leaves: an earlier one's twin makes way for the last."""
    places, k = list(range(len(rows))), 0
    while k < len(places):
        if rows[places[k]] in [rows[place] for place in places[:k]]:
            places[k] = places[-1]
            places.pop()
        else:
            k += 1
    return places


@pytest.mark.parametrize("tagged", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_rows_that_are_left(seed: int, tagged: bool) -> None:
    """Segments of all lengths, of which one table after the other is made."""
    rng = Random(seed)
    lengths = [0, 1, 2, 300, 5, 0, 40, *rng.choices(range(60), k=20)]
    offsets = np.cumsum([0, *lengths])
    n, kinds = int(offsets[-1]), rng.choice((2, 30))
    features = [rng.choice((0.0, -0.0, 1.0, float(rng.randrange(kinds)))) for _ in range(n)]
    stats = [rng.randrange(3) for _ in range(n)]
    tags = [rng.randrange(2) if tagged else 0 for _ in range(n)]
    order, counts = np.zeros(n, np.int64), np.zeros(len(lengths), np.int64)
    unique_rows(
        np.array(features, np.float32)[:, None], np.array(stats, np.int32)[:, None],
        offsets, order, counts, np.array(tags) if tagged else None,
    )  # fmt: skip
    rows = list(zip(features, stats, tags, strict=True))
    for i, begin in enumerate(offsets[:-1].tolist()):
        expected = [begin + k for k in left(rows[begin : offsets[i + 1]])]
        assert order[begin : begin + counts[i]].tolist() == expected
