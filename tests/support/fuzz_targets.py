"""Targets for fuzzing: each accepts bytes, and raises AssertionError if we and an oracle differ.

Documented errors pass; every other one is a finding, as is a crash. `fuzzing.py` runs a target
under atheris, `test_fuzzing.py` all of them on their seeds; as a program this prints their names.
"""

import importlib
import io
import math
import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from rapidbleu import BLEU, CHRF, TER, scan
from rapidbleu._core.input.arrow import TextColumn, import_column
from rapidbleu._core.input.lines import LineReader
from rapidbleu._core.moses.files import NBestLines
from rapidbleu.rows.labels import named_arrays, read_labels
from rapidbleu.streams.tables import arrow_rows
from rapidbleu.tuning import NBestList, mira
from rapidbleu.tuning.moses.nbest_files import read_nbest, write_nbest
from rapidbleu.tuning.moses.score_files import read_stats, write_stats
from rapidbleu.tuning.moses.score_types import moses_bleu
from rapidbleu.tuning.moses.weights import read_dense_weights, read_init_opt, read_sparse_weights
from reference import bleu as oracle
from reference.tuning import moses as slow
from support.agreement import (
    CHRF_OPTIONS,
    RULED,
    TER_OPTIONS,
    same_bleu,
    same_chrf,
    same_ter,
    same_tokens,
)
from support.arrow.producers import ArrayProducer, StreamProducer, unreleased
from support.arrow.structures import make_structure, make_table
from support.corpora import malformed, nasty

Target = Callable[[bytes], None]

CUT = b"\xfe"  # between texts: a byte that UTF-8 never has
TARGETS: dict[str, Target] = {}


def target(function: Target) -> Target:
    TARGETS[function.__name__] = function
    return function


def decoded(data: bytes) -> str:
    """Decode UTF-8; malformed bytes become lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


def split(data: bytes, n_at_least: int, longest: int) -> tuple[int, list[str]]:
    """Split into a number that selects options, and texts."""
    texts = [decoded(part)[:longest] for part in data[1:].split(CUT)]
    return data[0] if data else 0, [*texts, *texts[:1] * (n_at_least - len(texts))]


@cache
def folder() -> Path:
    """Return a folder for this process, never removed before its end."""
    made = tempfile.TemporaryDirectory()
    folders.append(made)
    return Path(made.name)


folders: list[Any] = []


def file(data: bytes, name: str = "file") -> Path:
    path = folder() / name
    path.write_bytes(data)
    return path


def is_plain(data: bytes) -> bool:
    """Return whether the slow readers of files handle it: visible ASCII, spaces and line feeds."""
    return not data.translate(None, bytes(range(32, 127)) + b"\n")


@target
def tokens(data: bytes) -> None:
    """Run all tokenizers of rules, called and compiled."""
    text = decoded(data)
    same_tokens(text)
    half = len(text) // 2
    for tokenize in RULED:
        same_bleu([text], [[text[half:] + text[:half]]], tokenize)


@target
def bleu(data: bytes) -> None:
    choice, (hyp, *refs) = split(data, 2, 400)
    hyps, streams = [hyp, refs[0]], [[ref, hyp] for ref in refs]
    same_bleu(hyps, streams, RULED[choice % 5], bool(choice & 64))


@target
def chrf(data: bytes) -> None:
    choice, (hyp, *refs) = split(data, 2, 200)
    hyps, streams = [hyp, refs[0]], [[ref, hyp] for ref in refs]
    same_chrf(hyps, streams, **CHRF_OPTIONS[choice % 4])


@target
def ter(data: bytes) -> None:
    choice, (hyp, *refs) = split(data, 2, 60)
    refs = refs[:42]  # their mean length is exact
    same_ter([hyp, refs[0]], [[ref, hyp] for ref in refs], **TER_OPTIONS[choice % 16])


@target
def columns(data: bytes) -> None:
    """Score Arrow bytes like strings if they are UTF-8; expect refusal otherwise."""
    pyarrow = importlib.import_module("pyarrow")
    choice, parts = data[0] if data else 0, data[1:].split(CUT)
    column = pyarrow.array(parts, pyarrow.binary()).view(pyarrow.string())
    options = {"lowercase": bool(choice & 64)}
    metric = (BLEU(tokenize=RULED[choice % 5], **options), CHRF(**options), TER())[choice // 5 % 3]
    try:
        texts = [part.decode() for part in parts]
    except UnicodeDecodeError:
        try:
            metric.segment_stats(column, [column])
        except ValueError as error:
            assert str(error).startswith("hypotheses["), error
        else:
            raise AssertionError(parts) from None
    else:
        rows = metric.segment_stats(column, [column[::-1]]).tolist()
        assert rows == metric.segment_stats(texts, [texts[::-1]]).tolist()


@target
def arrow_structures(data: bytes) -> None:
    """Read arrays and streams that may lie: the slow reader's result, or an error; no crash."""
    producer, expected, lies = make_structure(data)
    try:
        column = import_column(producer, "column")
    except (TypeError, ValueError) as error:
        assert str(error).startswith(("column: ", "column[")), error
        assert expected is None or lies, (error, expected)
    else:
        n = len(column)
        found = [column[i] for i in range(n)] if n < 1000 else [column[0], column[n - 1]]
        assert lies or found == expected, (found, expected)
        del column
    unreleased.clear()


@target
def record_batches(data: bytes) -> None:
    """Read tables with a column of any type that may lie: accepted or refused by name; no crash."""
    rows, lies = make_table(data[1:])
    producer = StreamProducer(rows, rows) if data[:1] > b"\x7f" else ArrayProducer(rows)
    try:
        use_table(producer)
    except (TypeError, ValueError) as error:
        assert str(error).startswith("table"), error
        assert lies or ", " in str(error), error
    unreleased.clear()


def use_table(producer: Any) -> None:
    for part in arrow_rows(producer, ("a", "c"), "table"):
        read_labels([part], None, ["a", "c"])
        named_arrays([part], None, ["c"])


@target
def arrow_files(data: bytes) -> None:
    """Change bytes of Arrow files and streams: everything that full validation refuses is refused.

    A byte selects the file, then four specify each change: where (two), how, and what.
    """
    pyarrow = importlib.import_module("pyarrow")
    choice = data[0] if data else 0
    is_stream, content = arrow_bytes()[choice % len(arrow_bytes())]
    changed = bytearray(content)
    for low, high, size, new in zip(*[iter(data[1:])] * 4, strict=False):
        at = (low + 256 * high) % len(changed)
        value = (new, 0, -1, -(2**31), 2**30, 2**31 - 1)[min(new % 16, 5)]
        wrong = value.to_bytes(8, "little", signed=True)[: (1, 4, 8)[size % 3]]
        changed[at : at + len(wrong)] = wrong
    path = file(bytes(changed), "t.arrow")
    good = True
    try:
        opened = (pyarrow.ipc.open_stream if is_stream else pyarrow.ipc.open_file)(bytes(changed))
        table = opened.read_all()
        for name in ("hyp", "ref", "kept"):
            table[name].validate(full=True)
    except Exception as error:  # of any kind
        good = "null_count" in str(error)  # which nothing relies on
    try:
        BLEU(force=True).stats_table(scan(path, keep="kept"))
        assert good
    except (TypeError, ValueError) as error:
        places = str(path), "hypotheses: expected at least one segment"
        assert str(error).startswith(places), error


@cache
def arrow_bytes() -> list[tuple[bool, bytes]]:
    """Return Arrow files and streams with columns of several types."""
    pyarrow = importlib.import_module("pyarrow")
    texts, made = ["the cat sat on a mat", "", "größer", "x" * 20], []
    kinds = [pyarrow.string(), pyarrow.large_string(), pyarrow.dictionary("int8", "string")]
    for is_stream in (False, True):
        for i, kind in enumerate(kinds):
            lists = pyarrow.array([texts[:2], [], ["b"], texts])
            kept = pyarrow.array(texts if i else [1.5, 2, None, 3])
            own = pyarrow.array(texts).cast(kind)
            columns = pyarrow.table({"hyp": own, "ref": lists if i == 1 else own, "kept": kept})
            sink = pyarrow.BufferOutputStream()
            make = pyarrow.ipc.new_stream if is_stream else pyarrow.ipc.new_file
            with make(sink, columns.schema) as writer:
                writer.write_table(columns, max_chunksize=3)
            made.append((is_stream, sink.getvalue().to_pybytes()))
    return made


@target
def pairs(data: bytes) -> None:
    """Compare all pairs, and lists of hypotheses, with one hypothesis after the other."""
    choice, texts = split(data, 3, 300)
    metric: Any = [BLEU(effective_order=True), CHRF(word_order=choice // 4), TER()][choice % 3]
    texts = [text[:60] for text in texts[:9]] if choice % 3 == 2 else texts[:40]
    scores = [[metric.sentence_score(hyp, [ref]).score for ref in texts] for hyp in texts]
    assert metric.pairwise(texts).tolist() == scores
    assert metric.pairwise(texts[:-1], texts).tolist() == scores[:-1]
    repeated = [texts + texts[:2], texts[::-1]]
    references = [texts[0], texts[-1]]
    expected = [
        scores[texts.index(hyp)][texts.index(ref)]
        for several, ref in zip(repeated, references, strict=True)
        for hyp in several
    ]
    assert metric.nbest_scores(repeated, [references]).tolist() == expected


PALETTES: list[list[Any]] = [
    list("abcdefgh"),
    ["a", "a\0", "\0", "\0\0", "", "ab", "abcdefg\0", "abcdefgh", "abcdefghi", "abcdefghj"],
    ["é", "日本", "日", "\ud800", "\udfff", "😀😀", "😀", "x" * 15, "x" * 16, "x" * 17],
    [0, 1, -1, 2**32, 2**32 + 1, 2**63 - 1, -(2**63), 255, 256, 2**61 - 1],
    [2**64 - 1, 2**63, 0, 1, 7, 2**32],
]


@target
def token_lists(data: bytes) -> None:
    """Use strings and integers as tokens; one kind per segment."""
    choice, *rest = data or b"\0"
    palette = PALETTES[choice % 5]
    lists: list[list[Any]] = [[]]
    for byte in rest:
        if byte == CUT[0]:
            lists.append([])
        else:
            lists[-1].append(palette[byte % len(palette)] if byte < 192 else palette[0])
    hyp, *refs = lists if len(lists) > 1 else lists * 2
    order = 1 + choice // 5 % 8
    row = BLEU(max_ngram_order=order).segment_stats([hyp], [refs], layout="segment")[0]
    assert row.tolist() == oracle.segment_stats(hyp, refs, order)
    if order == 4 and all(type(token) is int for token in palette):
        arrays = [np.array(tokens, np.uint64 if choice % 5 == 4 else np.int64) for tokens in lists]
        of_arrays = BLEU().segment_stats(arrays[:1], [arrays[1:] or arrays], layout="segment")[0]
        assert of_arrays.tolist() == row.tolist()


@target
def nltk(data: bytes) -> None:
    """Call NLTK's functions on words, objects and text."""
    from support.nltk_agreement import WEIGHTS, same, same_smoothed

    choice, (hyp, *refs) = split(data, 2, 120)
    lists: list[list[Any]] = [text.split() for text in (hyp, *refs)]
    if choice & 1:
        lists = [[len(word) if word.isascii() else (word,) for word in one] for one in lists]
    same("bleu_score", "sentence_bleu", lists[1:], lists[0], WEIGHTS[choice % 9])
    same("gleu_score", "sentence_gleu", lists[1:], lists[0])
    same("nist_score", "sentence_nist", lists[1:], lists[0], 1 + choice % 5)
    same("chrf_score", "sentence_chrf", refs[0], hyp)
    same_smoothed(choice % 8, [lists[1:]], [lists[0]])


@target
def nbest_lines(data: bytes) -> None:
    """Read lines of an n-best list, also in small blocks."""
    choice, text = data[0] if data else 0, data[1:]
    size = (1 << 20, 1, 7, 64)[choice % 4]
    lines = NBestLines(LineReader(io.BytesIO(text), "file", size), 3)
    found: list[Any] = []
    try:
        names = lines.read_names()
        if names is None:
            assert not text.translate(None, bytes(range(33)))
            return
        numbers = np.empty(2, np.int64)
        values = np.empty((2, len(names.names)), np.float32)
        while n := lines.read(numbers, values, column := TextColumn()):
            rows = numbers[:n].tolist(), column.to_list(), values[:n].tolist()
            found += [(*row, {}) for row in zip(*rows, strict=True)]
    except ValueError as error:
        assert str(error).startswith("file, line "), error
        return
    assert lines.features is not None
    for row, feature, value in zip(*lines.features.sparse(), strict=True):
        found[row][3][names.sparse_names[feature]] = value
    if is_plain(text):
        assert found == slow.read_nbest(text.decode())
        assert list(names.names) == slow.read_names(text.decode())
    assert all(math.isfinite(value) for row in found for value in (*row[2], *row[3].values()))


@target
def nbest(data: bytes) -> None:
    """Read files of n-best lists, compressed or not, and write and read the result again."""
    path = file(data, "nbest")
    metric = BLEU(tokenize="none")
    references = [["the cat", "a dog", ""]]
    try:
        read = read_nbest(path, references, metric=metric, complete=False)
    except ValueError as error:
        assert str(error).startswith(f"{path}"), error
        return
    assert len(read) == read.offsets[-1] == len(read.hypotheses or ())
    try:
        write_nbest(read, again := folder() / "again")
    except ValueError as error:
        assert str(error).startswith(("names[", "hypotheses[")), error
        return
    other = read_nbest(again, references, metric=metric, complete=False)
    assert other.hypotheses == read.hypotheses and other.stats.tolist() == read.stats.tolist()


@target
def moses_stats(data: bytes) -> None:
    """Read files of features and of statistics."""
    features, _, scores = data.partition(CUT)
    paths = file(features, "features"), file(scores, "scores")
    try:
        read = read_stats(*paths)
    except ValueError as error:
        assert str(error).startswith(str(folder())), error
        return
    again = folder() / "features again", folder() / "scores again"
    try:
        write_stats(read, *again, binary=not read.is_sparse)
    except ValueError as error:
        assert str(error).startswith(("names[", "stats[")), error
        return
    other = read_stats(*again)
    assert other.ids.tolist() == read.ids.tolist()
    if read.is_sparse:  # names without a hypothesis are lost, the rest keep the order of occurrence
        assert {*other.names} <= {*read.names}
    else:
        assert other.names == read.names
    assert other.stats.tolist() == read.stats.tolist()
    if not read.is_sparse:
        assert np.isfinite(read.features).all()
        assert other.features.tolist() == read.features.tolist()
        if b"_BIN_" not in data and is_plain(features):
            blocks = slow.read_blocks(features.decode())
            assert {segment for segment, _, _ in blocks} == set(read.ids.tolist())


@target
def saved_lists(data: bytes) -> None:
    """Load files of `NBestList.save`."""
    mmap = bool(data[:1] > b"\x7f")
    path = file(data[1:], "list.npz")
    try:
        read = NBestList.load(path, metric=moses_bleu(), mmap=mmap)
    except ValueError as error:
        assert str(path) in str(error), error
        return
    assert read.offsets[-1] == len(read)
    del read


ARRAY_TYPES = ("u1", "i1", "<i4", ">i4", "<i8", "<u8", "f2", "<f4", ">f8", "c8", "S1", "M8[s]")


@target
def saved_arrays(data: bytes) -> None:
    """Load `NBestList.save` files, dense and sparse, whose arrays lie under correct checksums.

    A byte selects the list, then four specify each change: which array, where (two), and what.
    """
    choice = data[0] if data else 0
    arrays = dict(saved_parts(bool(choice & 1)))
    for kind, low, high, new in zip(*[iter(data[1:])] * 4, strict=False):
        name, at = list(arrays)[kind % len(arrays)], low + 256 * high
        array = arrays[name]
        if kind < 192:
            raw = bytearray(array.tobytes())
            if raw:
                raw[at % len(raw)] = new
            arrays[name] = np.frombuffer(bytes(raw), array.dtype).reshape(array.shape)
        elif kind < 224:
            arrays[name] = array.ravel()[: at % (array.size + 1)]
        elif array.size * array.itemsize % np.dtype(ARRAY_TYPES[new % 12]).itemsize == 0:
            arrays[name] = array.ravel().view(ARRAY_TYPES[new % 12])
    np.savez(path := folder() / "arrays.npz", **arrays)
    try:
        read = NBestList.load(path, metric=moses_bleu(), mmap=bool(choice & 2))
    except ValueError as error:
        assert str(error).startswith(str(path)), error
        return
    use_list(read)


@cache
def saved_parts(sparse: bool) -> dict[str, Any]:
    features: Any = np.array([[1.0, 0, 2], [0, 0.5, 0], [0, 0, 0], [3, 1, 0]], np.float32)
    if sparse:
        features = importlib.import_module("scipy.sparse").csr_matrix(features)
    stats = [[9, 9, 5 + i, 3, 2, 1, 9, 8, 7, 6] for i in range(4)]
    names, texts = ["lm", "b_c", "d_e"], ["a b", "", "c", "d"]
    nbest = NBestList(
        features, stats, [0, 2, 4], metric=moses_bleu(), names=names, hypotheses=texts
    )
    nbest.save(path := folder() / "parts.npz")
    with np.load(path) as arrays:
        return dict(arrays)


def use_list(nbest: NBestList) -> None:
    """Run every reader of a list's features; impossible values are refused."""
    vector = np.linspace(-1, 1, nbest.n_features)
    with suppress(ValueError), np.errstate(all="ignore"):
        nbest.best(vector)
        nbest.evaluate([vector, -vector])
        assert len(nbest.merge(nbest)) <= len(nbest)
        mira(nbest, epochs=1)
    paths = folder() / "used features", folder() / "used scores"
    with suppress(ValueError):
        write_stats(nbest, *paths)
        read_stats(*paths)


@target
def sparse_lists(data: bytes) -> None:
    """Compare lists from arbitrary arrays of CSR matrices with a check item by item."""
    sparse = importlib.import_module("scipy.sparse")
    columns, _, pointers = data[1:].partition(CUT)
    indices = np.frombuffer(columns[:60], np.int8).astype(np.int32)
    indptr = np.append(0, np.frombuffer(pointers[:8], np.int8)).astype(np.int32)
    n, width = len(indptr) - 1, 1 + (data[0] if data else 0) % 8
    matrix = sparse.csr_matrix((max(n, 1), width))
    matrix.data, matrix.indices, matrix.indptr = np.arange(1.0, len(indices) + 1), indices, indptr
    good = n > 0 and all(0 <= column < width for column in indices[: max(indptr[-1], 0)])
    good = good and all(a <= b <= len(indices) for a, b in pairwise(indptr))
    try:
        read = NBestList(matrix, [[1] * 10] * n, [0, n], metric=moses_bleu())
    except ValueError as error:
        assert not good, error
        return
    assert good
    expected = np.zeros((n, width))
    for row in range(n):
        for i in range(indptr[row], indptr[row + 1]):
            expected[row, indices[i]] += i + 1
    assert read.features.toarray().tolist() == expected.tolist()
    use_list(read)


@target
def weights(data: bytes) -> None:
    path = file(data, "weights")
    for read in (read_dense_weights, read_sparse_weights, read_init_opt):
        try:
            read(path)
        except ValueError as error:
            assert str(error).startswith(str(path)), error


NBEST = b"""0 ||| the cat ||| LM= -4.5 -1 W= 2 w_a= 1.5 ||| -8 ||| 0-0
2 |||  ||| w_b= 4 LM= 0 1e-3 W= .5 w_a= 6
"""
FEATURES = b"""FEATURES_TXT_BEGIN_0 0 2 3 LM_0 LM_1 W_0 
-4.5 -1 2 
-6.25 -2.5e-05 3 w_a=0.5 
FEATURES_TXT_END_0
"""
SCORES = b"""SCORES_TXT_BEGIN_0 0 2 9 BLEU
6 11 4 10 2 9 0 8 10 
5 9 3 8 2 7 1 6 10 
SCORES_TXT_END_0
"""


def seeds(name: str) -> list[bytes]:
    """Return seeds for fuzzing: the nasty strings, alone and two together, and good files."""
    texts = [text.encode("utf-8", "surrogatepass") for text in nasty().values()]
    texts += [data.replace(CUT, b"\xff") for data in malformed().values()]
    texts = [text[:400] for text in texts]
    rng = random.Random(name)
    made = {
        "tokens": lambda: texts,
        "arrow_structures": lambda: [rng.randbytes(rng.randrange(10, 150)) for _ in range(150)],
        "record_batches": lambda: [rng.randbytes(rng.randrange(10, 200)) for _ in range(300)],
        "arrow_files": lambda: [
            bytes([k]) + rng.randbytes(4 * rng.choice((0, 1, 1, 1, 2, 4)))
            for k in range(6)
            for _ in range(60)
        ],
        "nbest_lines": lambda: [bytes([k]) + data for k in range(4) for data in _nbests(texts)],
        "nbest": lambda: _compressed(NBEST, NBEST.replace(b"_", b"")) + _nbests(texts),
        "moses_stats": lambda: [
            FEATURES + CUT + SCORES,
            FEATURES.replace(b" w_a=0.5", b"") + CUT + SCORES,
            *(file + CUT + SCORES for file in _compressed(FEATURES)),
            *(FEATURES.replace(b"LM_0", text) + CUT + SCORES for text in texts[::4]),
            CUT.join(_binary()),
        ],
        "saved_lists": lambda: [k + data for k in (b"\0", b"\xff") for data in _saved()],
        "saved_arrays": lambda: [
            bytes([k, kind, low, 0, new])
            for k in range(4)
            for kind in range(0, 256, 5)
            for low in (0, 9)
            for new in (0, 1, 255)
        ],
        "sparse_lists": lambda: [
            bytes([2, *columns, CUT[0], *pointers])
            for columns in ((0, 2, 1, 2), (2, 0, 1, 1), (0, 3), (0, 255), ())
            for pointers in ((2, 3, 4), (0, 2, 2), (4, 2), (1, 255), (0,))
        ],
        "weights": lambda: [
            b"0.3 -1\n0 -1\n1 1e2\n",
            b"LM0= 0.5\nTM0= 0.1\nTM0= -2e-3\n",
            b"a_b 0.5\nc_d -1e-20\n",
            *(text + b" 1\n" for text in texts[::4]),
        ],
    }
    if name in made:
        return made[name]()
    return [
        bytes([rng.randrange(256)]) + CUT.join([text, *rng.choices(texts, k=rng.randint(0, 2))])
        for text in texts
    ]


def _nbests(texts: list[bytes]) -> list[bytes]:
    lines = [b"1 ||| " + text.replace(b"\n", b" ") + b" ||| LM= 1 2 W= 3" for text in texts[::2]]
    names = [b"0 ||| a ||| " + text.replace(b"\n", b" ") + b"= 1" for text in texts[1::2]]
    return [NBEST, *lines, *names]


def _compressed(*files: bytes) -> list[bytes]:
    import bz2
    import gzip
    import lzma

    packers: list[Any] = [gzip.compress, bz2.compress, lzma.compress]
    if find_spec("backports") and find_spec("backports.zstd"):
        packers.append(__import__("backports.zstd").zstd.compress)
    return [pack(data) for pack in packers for data in files]


def _binary() -> Iterator[bytes]:
    paths = file(FEATURES.replace(b" w_a=0.5", b""), "features"), file(SCORES, "scores")
    again = folder() / "features again", folder() / "scores again"
    write_stats(read_stats(*paths), *again, binary=True)
    return (path.read_bytes() for path in again)


def _saved() -> Iterator[bytes]:
    sparse = NBEST.replace(b"|||  |||", b"||| a |||")
    for data in (sparse, sparse.replace(b"w_a= 1.5", b"").replace(b"w_b= 4", b"")):
        path = file(data.replace(b" w_a= 6", b""), "nbest")
        read = read_nbest(path, [["a"] * 3], metric=BLEU(tokenize="none"), complete=False)
        read.save(saved := folder() / "saved.npz")
        yield saved.read_bytes()


if __name__ == "__main__":
    print(*TARGETS)
