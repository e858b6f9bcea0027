"""N-best lists of Moses: numbers, lines, compressions, errors, and meaningless bytes."""

import bz2
import gzip
import io
import lzma
import math
import random
import re
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rapidbleu import BLEU
from rapidbleu._core.input.arrow import TextColumn
from rapidbleu._core.input.lines import LineReader, read_texts
from rapidbleu._core.moses.files import (
    FeatureNames,
    NBestLines,
    format_rows,
    parse_number,
)
from rapidbleu.tokenizers.mteval import MosesTokenizer
from rapidbleu.tuning import NBestList
from rapidbleu.tuning.moses.nbest_files import read_nbest, write_nbest
from reference.tuning import moses as slow
from support.corpora import malformed

METRIC = BLEU(tokenize="none", force=True)
REFERENCES = [["das Haus ist klein", "ja", "ein Buch"]]
LINES = (
    "0 ||| das Haus ||| LM= -4.5 -1 W= 2 ||| -8 ||| 0-0",
    "0 ||| das Haus ist ||| LM= -6.25 -2 W= 3 ||| -9",
    "1 |||  ||| LM= 0 -0 W= 0",
    "2|||ein  Buch |||LM= 1e-3 7e+2 W= .5|||1",
)


def write(folder: Path, *lines: str, name: str = "nbest") -> Path:
    path = folder / name
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())
    return path


def as_float(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if value - value == 0 and "_" not in text and text.isascii() else None


HARD = (
    "0",
    "-0",
    "-0.0",
    ".5",
    "5.",
    "-.5",
    "+1",
    "1e5",
    "1E-5",
    "1e+05",
    "00012",
    "0.0000001",
    "12345678",
    "123456789",
    "-1234567.8",
    "9007199254740993",
    "9007199254740992.5",
    "1e22",
    "1e23",
    "123456789012345678901234567890",
    "0.1234567890123456789012345",
    "1e-400",
    "4.9e-324",
    "2.2250738585072011e-308",
    "1.7976931348623157e308",
    "3.4028235677973366e38",
    "4.35",
    "1e0005",
    "",
    "-",
    ".",
    "-.",
    "e5",
    "1e",
    "1e+",
    "--1",
    "1.2.3",
    "1-2",
    "nan",
    "inf",
    "-inf",
    "1e999",
    "0x10",
    "1_0",
    "1,5",
    "1 2",
    "1\x00",
    "\u0663",
)


@pytest.mark.parametrize("text", HARD)
def test_hard_numbers(text: str) -> None:
    assert repr(parse_number(text.encode())) == repr(as_float(text))


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 20))
def test_numbers_of_all_forms(value: float, digits: int) -> None:
    for text in (repr(value), f"{value:.{digits}g}", f"{value:.{digits}e}", f"{value:.{digits}f}"):
        assert repr(parse_number(text.encode())) == repr(as_float(text))


@given(st.text("0123456789.-+eE", max_size=12))
def test_texts_that_may_be_numbers(text: str) -> None:
    assert repr(parse_number(text.encode())) == repr(as_float(text))


@pytest.mark.parametrize("n", range(1, 11))
def test_short_numbers_with_a_wrong_byte(n: int) -> None:
    for point in range(-1, n):
        text = bytearray(b"9081726354"[:n])
        if point >= 0:
            text[point] = ord(".")
        assert repr(parse_number(bytes(text))) == repr(as_float(text.decode()))
        for i in range(n):
            for wrong in b"/:*;p\x7f\x80\xb0\xb9\xba\xbe\xc0\xff":
                changed = bytes([*text[:i], wrong, *text[i + 1 :]])
                assert parse_number(changed) is None


def test_short_numbers_next_to_others(tmp_path: Path) -> None:
    """Words of eight bytes contain parts of the next number, or more than one."""
    rng = random.Random("short")
    rows = []
    for _ in range(2000):
        numbers = [f"{rng.randrange(10 ** rng.randint(1, 9))}" for _ in range(9)]
        rows.append(
            [
                f"{text[:k]}.{text[k:]}" if (k := rng.randint(-1, 8)) >= 0 else text
                for text in numbers
            ]
        )
    path = tmp_path / "nbest"
    path.write_text("".join(f"0 ||| a ||| F= {' '.join(row)} ||| 1\n" for row in rows))
    found = read_nbest(path, [["a"]], metric=METRIC)
    assert (found.features == np.array(rows, np.float64).astype(np.float32)).all()


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_numbers_are_written_as_c_does(value: float) -> None:
    assert format_rows(np.float32([value]), 1) == b"%g \n" % value
    assert format_rows(np.array([value]), 1) == b"%g \n" % value


def test_few_digits_halves_and_borders_are_written_as_c_does() -> None:
    digits = (1, 9, 10, 25, 99, 101, 999, 1001, 12005, 99999, 100001, 120000, 999999)
    values = [float(f"{n}e{power}") for n in digits for power in range(-45, 40)]
    values += [math.nextafter(value, side) for value in values for side in (0, math.inf)]
    values += [0.0, -0.0, 1e300, 5e-324]
    values += [999999.5, 999999.4, 1234565, 1234575, 123456.5, 99999.95, 9.999995, 9.999985]
    values += [-value for value in values]
    expected = b"".join(b"%g \n" % value for value in values)
    assert format_rows(np.array(values), 1) == expected


@pytest.mark.parametrize("dtype", ("float32", "float64", "int32", "int64"))
def test_some_rows_and_columns_are_written(dtype: str) -> None:
    values = np.arange(7 * 5).reshape(7, 5).astype(dtype)
    for rows in ([0, 1, 2, 3, 4, 5, 6], [6, 0, 6], []):
        for columns in ([0, 1, 2, 3, 4], [4, 0], [2], []):
            expected = "".join(
                "".join(f"{5 * i + j} " for j in columns) + "\n" for i in rows
            ).encode()
            assert format_rows(values, 5, np.array(rows, int), np.array(columns, int)) == expected
    assert format_rows(values, 5, None, np.array([3])) == b"3 \n8 \n13 \n18 \n23 \n28 \n33 \n"
    assert format_rows(values, 5, np.array([1])) == b"5 6 7 8 9 \n"
    many = np.arange(1 << 17) % 7  # written in several parts
    assert format_rows(values, 5, many, np.array([0])) == b"".join(b"%d \n" % (5 * i) for i in many)


@pytest.mark.parametrize("place", (-1, 3))
def test_rows_and_columns_are_checked(place: int) -> None:
    places, values = np.array([0, place]), np.zeros((3, 3))
    with pytest.raises(ValueError, match=rf"^rows\[1\]: expected 0 to 2; got {place}$"):
        format_rows(values, 3, places)
    with pytest.raises(ValueError, match=rf"^columns\[1\]: expected 0 to 2; got {place}$"):
        format_rows(values, 3, None, places)
    with pytest.raises(ValueError, match=r"^rows: expected 2 items of kind i64"):
        format_rows(values, 3, np.zeros(2, np.int32))


def test_integers_are_written_as_c_does_or_with_all_digits() -> None:
    values = [0, 7, 123456, 10**6, 1234560, 2**24 + 1, 2**31 - 1, -1, -(10**9), -(2**31)]
    for dtype in ("int32", "int64"):
        text = format_rows(np.array(values, dtype), 1).decode()
        assert text.split() == [
            "0",
            "7",
            "123456",
            "1e+06",
            "1.23456e+06",
            "16777217",
            "2147483647",
            "-1",
            "-1e+09",
            "-2147483648",
        ]
    widest = np.full(1 << 17, -(2**63))
    assert format_rows(widest, 1) == b"-9223372036854775808 \n" * len(widest)


def test_a_file_that_reads_little_at_a_time() -> None:
    class Slow(io.RawIOBase):
        left = b"".join(b"line %d\n" % i for i in range(100))

        def readinto(self, view: memoryview) -> int:  # type: ignore[override]
            n = min(3, len(view), len(self.left))
            view[:n], self.left = self.left[:n], self.left[n:]
            return n

    texts = read_texts(LineReader(Slow(), "slow", 16))
    assert texts.to_list() == [f"line {i}" for i in range(100)]


def test_a_list_is_read(tmp_path: Path) -> None:
    nbest = read_nbest(write(tmp_path, *LINES), REFERENCES, metric=METRIC)
    assert nbest.names == ("LM_0", "LM_1", "W_0")
    assert nbest.hypotheses == ["das Haus", "das Haus ist", "", "ein  Buch"]
    assert nbest.offsets.tolist() == [0, 2, 3, 4]
    expected = np.float32([[-4.5, -1, 2], [-6.25, -2, 3], [0, -0.0, 0], [1e-3, 700, 0.5]])
    assert nbest.features.dtype == np.float32
    assert nbest.features.tobytes() == expected.tobytes()
    rows = METRIC.nbest_stats(nbest.hypotheses, REFERENCES, segments=[0, 0, 1, 2])
    assert nbest.stats.tolist() == rows.tolist()


LABELS = st.sampled_from(["LM0=", "lm:", "TM=", "Wörter=", ""])
NUMBERS = st.floats(-1e5, 1e5).map(lambda x: f"{x:.6g}") | st.floats(-1e5, 1e5).map(repr)


@st.composite
def lists(draw: st.DrawFn) -> str:
    shape = draw(
        st.lists(
            st.tuples(LABELS, st.integers(1, 3)), min_size=1, max_size=4, unique_by=lambda x: x[0]
        )
    )
    shape.sort(key=lambda x: x[0] != "")  # values without a label come first
    lines = []
    for _ in range(draw(st.integers(1, 8))):
        features = ""
        for label, n in shape:
            features += f" {label} " + " ".join(draw(NUMBERS) for _ in range(n))
            for name in draw(st.lists(st.sampled_from(["a_b", "a_c", "x_"]), max_size=1)):
                if f" {name}= " not in features:
                    features += f" {name}= {draw(NUMBERS)}"
        hypothesis = draw(st.text("ab |ü\u3000\x85", max_size=12)).strip("|")
        hypothesis = re.sub(r"\|{3,}", "||", hypothesis)
        lines.append(f"{draw(st.integers(0, 2))} ||| {hypothesis} |||{features}")
        if draw(st.booleans()):
            lines[-1] += " ||| -3.5 ||| 0-1"
    return draw(st.sampled_from(["\n", "\n\n", " \n"])).join(lines)


@pytest.mark.slow
@settings(deadline=None, max_examples=300)
@given(lists(), st.sampled_from([1, 3, 64, 1 << 20]), st.integers(1, 5))
def test_lines_against_a_slow_reader(text: str, size: int, batch: int) -> None:
    lines = NBestLines(LineReader(io.BytesIO(text.encode()), "file", size), 3)
    names = lines.read_names()
    assert names is not None and list(names.names) == slow.read_names(text)
    found = []
    segments = np.empty(batch, np.int64)
    values = np.empty((batch, len(names.names)), np.float32)
    while n := lines.read(segments, values, column := TextColumn()):
        rows = (segments[:n].tolist(), column.to_list(), values[:n].tolist())
        found += [(*row, {}) for row in zip(*rows, strict=True)]
    assert lines.features is not None
    for row, feature, value in zip(*lines.features.sparse(), strict=True):
        found[row][3][names.sparse_names[feature]] = value
    assert found == slow.read_nbest(text)


@pytest.mark.slow
def test_very_many_features(tmp_path: Path) -> None:
    tracemalloc.start()
    n = 300_000
    numbers = [f"{i} " * n for i in range(30)]
    path = write(tmp_path, *(f"{i % 3} ||| a ||| F= {text}" for i, text in enumerate(numbers)))
    try:
        nbest = read_nbest(path, REFERENCES, metric=METRIC)
        assert tracemalloc.get_traced_memory()[1] < 500_000_000
    finally:
        tracemalloc.stop()
    expected = [i for segment in range(3) for i in range(segment, 30, 3)]
    assert (nbest.features == np.array(expected)[:, None]).all()


def test_segments_in_any_order(tmp_path: Path) -> None:
    lines = [
        f"{i} ||| {text} ||| {k}"
        for k, (i, text) in enumerate([(2, "ein"), (0, "das"), (2, "Buch"), (1, "ja"), (0, "Haus")])
    ]
    nbest = read_nbest(write(tmp_path, *lines), REFERENCES, metric=METRIC)
    assert nbest.ids.tolist() == [2, 0, 1]
    assert nbest.offsets.tolist() == [0, 2, 4, 5]
    assert nbest.hypotheses == ["ein", "Buch", "das", "Haus", "ja"]
    assert nbest.features.ravel().tolist() == [0, 2, 1, 4, 3]
    rows = METRIC.nbest_stats(nbest.hypotheses, REFERENCES, segments=[2, 2, 0, 0, 1])
    assert nbest.stats.tolist() == rows.tolist()
    assert nbest.names == ("_0",)


def test_several_lists_are_merged(tmp_path: Path) -> None:
    one = write(tmp_path, *LINES)
    two = write(tmp_path, LINES[1], LINES[3].replace(".5", ".75"), name="other")
    nbest = read_nbest([one, two], REFERENCES, metric=METRIC)
    assert nbest.offsets.tolist() == [0, 2, 3, 5]
    assert nbest.features[:, 2].tolist() == [2, 3, 0, 0.5, 0.75]


def test_sparse_features(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    lines = (
        "0 ||| a ||| LM= -1 w_a= 2 W= 3",
        "0 ||| b ||| w_b= 4.5 LM= -2 W= 5 w_a= 6",
        "0 ||| c ||| LM= -3 W= 7",
    )
    nbest = read_nbest(write(tmp_path, *lines), [["a"]], metric=METRIC)
    assert nbest.is_sparse
    assert nbest.names == ("LM_0", "W_0", "w_a", "w_b")
    assert nbest.features.toarray().tolist() == [[-1, 3, 2, 0], [-2, 5, 6, 4.5], [-3, 7, 0, 0]]


def test_threads_and_texts_change_nothing(tmp_path: Path) -> None:
    lines = [f"{i % 3} ||| das Haus ist {i % 7} ||| {i} {-i / 3:g}" for i in range(9000)]
    path = write(tmp_path, *lines)
    one = read_nbest(path, REFERENCES, metric=METRIC)
    two = read_nbest(path, METRIC.prepare(REFERENCES), metric=METRIC, texts=False, threads=2)
    assert two.hypotheses is None
    assert (one.stats == two.stats).all() and (one.features == two.features).all()


def zstd(data: bytes) -> bytes:
    return bytes(pytest.importorskip("backports.zstd").compress(data))


PACK = {"plain": bytes, "gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": zstd}


@pytest.mark.parametrize("name", ("nbest", "nbest.gz"))
@pytest.mark.parametrize("kind", PACK)
def test_compressions_are_told_by_their_first_bytes(tmp_path: Path, kind: str, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(PACK[kind]("\n".join(LINES).encode()))
    nbest = read_nbest(path, REFERENCES, metric=METRIC)
    assert nbest.hypotheses == ["das Haus", "das Haus ist", "", "ein  Buch"]


@pytest.mark.parametrize(
    ("line", "message"),
    (
        ("2 | ein Buch", "expected 'segment ||| hypothesis ||| features'; got 1 of these fields"),
        ("2 ||| ein Buch", "expected 'segment ||| hypothesis ||| features'; got 2 of these fields"),
        ("x ||| ein ||| LM= 1 2 W= 3", "expected the number of a segment; got 'x'"),
        ("-1 ||| ein ||| LM= 1 2 W= 3", "expected the number of a segment; got '-1'"),
        (" ||| ein ||| LM= 1 2 W= 3", "expected the number of a segment; got ''"),
        (
            "3 ||| ein ||| LM= 1 2 W= 3",
            "expected a segment below 3, the number of references; got 3",
        ),
        (
            "99999999999999999999 ||| ein ||| LM= 1 2 W= 3",
            "expected the number of a segment; got '99999999999999999999'",
        ),
        ("2 ||| ein ||| LM= 1 2", "expected 3 features; got 2"),
        ("2 ||| ein ||| LM= 1 2 W=", "expected 3 features; got 2"),
        ("2 ||| ein ||| LM= 1 2 3 W= 3", "expected W= as in the first line; got '3'"),
        ("2 ||| ein ||| LM= 1 2 W= 3 4", "expected 3 features; got '4' after them"),
        ("2 ||| ein ||| LM= 1 2 X= 3", "expected W= as in the first line; got 'X='"),
        ("2 ||| ein ||| 1 2 3", "expected LM= as in the first line; got '1'"),
        ("2 ||| ein ||| LM= 1 nan W= 3", "feature 2 of 3: expected a finite number; got 'nan'"),
        ("2 ||| ein ||| LM= 1 2 W= -inf", "feature 3 of 3: expected a finite number; got '-inf'"),
        ("2 ||| ein ||| LM= 1e39 2 W= 3", "feature 1 of 3: expected a finite number; got '1e39'"),
        ("2 ||| ein ||| LM= 1 zwei W= 3", "feature 2 of 3: expected a finite number; got 'zwei'"),
        ("2 ||| ein ||| LM= 1 2 W= 3 a_b=", "feature of a_b: expected a finite number; got ''"),
        ("2 ||| ein ||| LM= 1 2 W= 3 a_b= x", "feature of a_b: expected a finite number; got 'x'"),
    ),
)
def test_malformed_lines(tmp_path: Path, line: str, message: str) -> None:
    path = write(tmp_path, *LINES[:2], "", line, LINES[3])
    with pytest.raises(ValueError, match=f"^{re.escape(f'{path}, line 4: {message}')}$"):
        read_nbest(path, REFERENCES, metric=METRIC)


REFUSED = [
    (b"0 ||| a ||| 1\n0 ||| \xe4 ||| 2\n", ", line 2: expected text in UTF-8; got byte 0xe4"),
    (b"0 ||| a ||| 1\n0 ||| b ||| 2 \xe4_= 1\n", ", line 2: expected a name in UTF-8; got b'"),
    (b"\n  \n", ": expected hypotheses; got none$"),
    (b"0 ||| a |||\n0 ||| b ||| LM=\n", ", line 2: "),
    (b"0 ||| a |||\n0 ||| b ||| ||| 1\n", ": features: expected .* one feature at least"),
    (b"0 ||| a ||| LM= 1 LM_0= 2\n", r": names\[1\]: expected different names"),
    (b"0 ||| a ||| 1\n0 ||| b ||| 2 a_b= 1 a_b= 2\n", ": hypothesis 2 has feature a_b more than"),
]


@pytest.mark.parametrize(("data", "message"), REFUSED)
def test_lists_that_are_refused(tmp_path: Path, data: bytes, message: str) -> None:
    pytest.importorskip("scipy")
    path = tmp_path / "nbest"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))}{message}"):
        read_nbest(path, [["a"]], metric=METRIC)
    with pytest.raises(ValueError, match="paths: expected at least one file; got none"):
        read_nbest([], REFERENCES, metric=METRIC)


@pytest.mark.parametrize("data", malformed().values(), ids=list(malformed()))
def test_bytes_that_are_not_utf8(data: bytes) -> None:
    with pytest.raises(ValueError, match="file, line 1: expected text in UTF-8"):
        read_texts(LineReader(io.BytesIO(b"12345678ab" + data), "file"))


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r")))
def test_all_of_utf8(text: str) -> None:
    assert read_texts(LineReader(io.BytesIO(text.encode() + b"\n"), "file")).to_list() == [text]


def test_references_without_hypotheses(tmp_path: Path) -> None:
    path = write(tmp_path, LINES[3])
    message = "expected hypotheses for each of 3 references; got none for segments 0, 1"
    with pytest.raises(ValueError, match=message):
        read_nbest(path, REFERENCES, metric=METRIC)
    nbest = read_nbest(path, REFERENCES, metric=METRIC, complete=False)
    assert nbest.ids.tolist() == [2]


def test_no_references(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="references: expected references; got None"):
        read_nbest(write(tmp_path, *LINES), metric=METRIC)
    metric = BLEU(tokenize="none", references=REFERENCES)
    assert len(read_nbest(write(tmp_path, *LINES), metric=metric)) == 4


def test_arrays_that_do_not_fit() -> None:
    lines = NBestLines(LineReader(io.BytesIO(b"0 ||| a ||| 1 2\n"), "file"), 1)
    with pytest.raises(ValueError, match="features: expected 6 items"):
        lines.read(np.empty(3, np.int64), np.empty((2, 2), np.float32), TextColumn())
    with pytest.raises(ValueError, match="n_columns: expected a divisor of 3; got 2"):
        format_rows(np.empty(3), 2)
    with pytest.raises(TypeError, match="values: expected float32"):
        format_rows(np.zeros(2, np.uint32), 1)
    assert FeatureNames(["a", "b"]).names == ("a", "b")


@pytest.mark.parametrize("seed", range(20))
def test_mutated_bytes(seed: int) -> None:
    rng = random.Random(seed)
    original = "\n".join(LINES).encode() * 3
    outcomes = set()
    for _ in range(200):
        data = bytearray(original)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(data))
            data[at : at + rng.randrange(3)] = rng.choice(
                (
                    b"",
                    b" ",
                    b"|",
                    b"\n",
                    b"\0",
                    b"=",
                    b"_=",
                    b"\xff",
                    b"9" * 30,
                    b"-",
                    b"e",
                    b".",
                    rng.randbytes(2),
                )
            )
        lines = NBestLines(LineReader(io.BytesIO(data), "file", rng.choice((1, 50, 1 << 20))), 3)
        try:
            names = lines.read_names()
            n = len(names.names) if names else 0
            segments, values = np.empty(50, np.int64), np.empty((50, n), np.float32)
            while n := lines.read(segments, values, TextColumn()):
                assert np.isfinite(values[:n]).all() and segments[:n].max() < 3
            outcomes.add("read")
        except ValueError as error:
            assert str(error).startswith("file, line ")
            outcomes.add("refused")
    assert outcomes == {"read", "refused"}


@pytest.mark.parametrize("end", ("", ".gz", ".bz2", ".xz", ".zst"))
def test_round_trip(tmp_path: Path, end: str) -> None:
    if end == ".zst":
        pytest.importorskip("backports.zstd")
    rng = np.random.default_rng(1)
    features = rng.normal(size=(4, 3)).astype(np.float32)
    names = ("LM0_0", "LM0_1", "W_0")
    texts = ["das Haus", "", "a | b", "ü"]
    stats = METRIC.nbest_stats(texts, REFERENCES, segments=[0, 0, 1, 2])
    nbest = NBestList(features, stats, [0, 2, 3, 4], metric=METRIC, names=names, hypotheses=texts)
    path = tmp_path / f"nbest{end}"
    write_nbest(nbest, path, weights=[1, 2, 3])
    again = read_nbest(path, REFERENCES, metric=METRIC)
    assert again.names == names and again.hypotheses == texts
    assert again.features.tobytes() == features.tobytes()
    assert again.stats.tolist() == stats.tolist() and again.offsets.tolist() == [0, 2, 3, 4]


@pytest.mark.parametrize(
    ("names", "texts", "message"),
    (
        (("a_b",), ["a"], r"names\[0\]: expected a name without '_'"),
        (("a b",), ["a"], r"names\[0\]: expected a name without white space"),
        (("LM",), ["a ||| b"], r"hypotheses\[0\]: expected text without '\|\|\|'"),
        (("LM",), ["a\nb"], r"hypotheses\[0\]: expected text without '\|\|\|'"),
        (("LM",), None, "nbest: expected a list with hypotheses"),
    ),
)
def test_what_cannot_be_written(
    tmp_path: Path, names: tuple[str], texts: list[str] | None, message: str
) -> None:
    stats = METRIC.nbest_stats(["a"], [["a"]], segments=[0])
    nbest = NBestList([[1.0]], stats, [0, 1], metric=METRIC, names=names, hypotheses=texts)
    with pytest.raises(ValueError, match=message):
        write_nbest(nbest, tmp_path / "nbest")


@given(st.lists(st.text("aÄB \t\xa0\u3000", max_size=8), min_size=1, max_size=3))
@pytest.mark.parametrize("lowercase", (False, True))
def test_tokenizer(lowercase: bool, texts: list[str]) -> None:
    tokenizer = MosesTokenizer(lowercase)
    metric = BLEU(tokenize=tokenizer)
    tokens = [tokenizer(text) for text in texts]
    references = [["a Ä b B"] * len(texts)]
    expected = BLEU().segment_stats(tokens, [[tokenizer(text) for text in references[0]]])
    assert metric.segment_stats(texts, references).tolist() == expected.tolist()
    column = TextColumn()
    assert len(column) == 0 and column.to_list() == []
    column = read_texts(LineReader(io.BytesIO("\n".join([*texts, ""]).encode()), "file"))
    assert metric.segment_stats(column, references).tolist() == expected.tolist()


def test_columns_are_arrow_columns() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    column = read_texts(LineReader(io.BytesIO("a\nüb\n\nc".encode()), "file"))
    array = pyarrow.array(column)
    del column
    assert array.to_pylist() == ["a", "üb", "", "c"]


def test_looks_at_tokenized_text_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "nbest"
    path.write_text("".join(f"0 ||| a b {i} . ||| LM= {i} ||| 0\n" for i in range(9000)))
    read_nbest(path, [["a b c ."]])
    assert sum("tokenized period" in record.message for record in caplog.records) == 1
