"""Moses' files of features, statistics and weights: round trips, errors, mutated bytes, metrics."""

import random
import re
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CDER, CER, PER, TER, WER, SegmentScores, WeightedSum
from rapidbleu.tuning import NBestList
from rapidbleu.tuning.moses.nbest_files import gather, read_nbest
from rapidbleu.tuning.moses.score_files import read_stats, write_stats
from rapidbleu.tuning.moses.score_types import (
    SCORE_TYPES,
    Form,
    fraction,
    moses_bleu,
    moses_metric,
)
from rapidbleu.tuning.moses.weights import (
    read_dense_weights,
    read_init_opt,
    read_sparse_weights,
)
from reference.tuning import moses as slow
from support.command_line import Run

FEATURES = """FEATURES_TXT_BEGIN_0 0 2 3 LM_0 LM_1 W_0 
-4.5 -1 2 
-6.25 -2.5e-05 3 
FEATURES_TXT_END_0
FEATURES_TXT_BEGIN_0 7 1 3 LM_0 LM_1 W_0 
0 -0 1e+06 
FEATURES_TXT_END_0
"""
SCORES = """SCORES_TXT_BEGIN_0 0 2 9 BLEU
6 11 4 10 2 9 0 8 10 
5 9 3 8 2 7 1 6 10 
SCORES_TXT_END_0
SCORES_TXT_BEGIN_0 7 1 9 BLEU
1 1 0 0 0 0 0 0 1e+06 
SCORES_TXT_END_0
"""


def write(folder: Path, features: str | bytes = FEATURES, scores: str | bytes = SCORES) -> Any:
    paths = folder / "run1.features.dat", folder / "run1.scores.dat"
    for path, text in zip(paths, (features, scores), strict=True):
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return paths


def made(n_segments: int, n_features: int, seed: int = 0) -> NBestList:
    """Return a list with features of six digits and random statistics."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 40, n_segments)
    n = int(counts.sum())
    features = rng.normal(size=(n, n_features)) * 10.0 ** rng.integers(-6, 6, n_features)
    features = np.array([[float(f"{x:g}") for x in row] for row in features], np.float32)
    stats = rng.integers(0, 60, (n, 10)).astype(np.int32)
    stats[:, 0] = stats[:, 6]  # the length is the number of unigrams
    stats[:, 2:6] = np.minimum(stats[:, 2:6], stats[:, 6:])
    offsets = np.append(0, np.cumsum(counts))
    ids = rng.permutation(n_segments) * 3
    return NBestList(
        features.reshape(n, n_features),
        stats,
        offsets,
        metric=moses_bleu(),
        ids=ids,
        names=[f"LM{i}_0" for i in range(n_features)],
    )


def same(a: NBestList, b: NBestList) -> None:
    assert a.names == b.names
    assert a.ids.tolist() == b.ids.tolist() and a.offsets.tolist() == b.offsets.tolist()
    assert a.stats.dtype == b.stats.dtype and (a.stats == b.stats).all()
    assert a.features.dtype == b.features.dtype
    assert a.features.tobytes() == b.features.tobytes()


def test_a_pair_of_text_files(tmp_path: Path) -> None:
    nbest = read_stats(*write(tmp_path))
    assert nbest.names == ("LM_0", "LM_1", "W_0")
    assert nbest.ids.tolist() == [0, 7] and nbest.offsets.tolist() == [0, 2, 3]
    expected = np.float32([[-4.5, -1, 2], [-6.25, -2.5e-5, 3], [0, -0.0, 1e6]])
    assert nbest.features.tobytes() == expected.tobytes()
    assert nbest.stats.tolist() == [
        [11, 10, 6, 4, 2, 0, 11, 10, 9, 8],
        [9, 10, 5, 3, 2, 1, 9, 8, 7, 6],
        [1, 1000000, 1, 0, 0, 0, 1, 0, 0, 0],
    ]
    assert nbest.stats.dtype == np.int32 and nbest.hypotheses is None


@pytest.mark.parametrize("binary", (False, True))
@pytest.mark.parametrize("end", ("", ".gz", ".bz2", ".xz", ".zst"))
def test_round_trips(tmp_path: Path, end: str, binary: bool) -> None:
    if end == ".zst":
        pytest.importorskip("backports.zstd")
    nbest = made(30, 5)
    paths = tmp_path / f"features{end}", tmp_path / f"scores{end}"
    write_stats(nbest, *paths, binary)
    same(read_stats(*paths), nbest)


@pytest.mark.parametrize("n_features", (1, 2, 40))
def test_text_against_a_slow_reader_and_writer(tmp_path: Path, n_features: int) -> None:
    nbest = made(20, n_features, n_features)
    paths = write(tmp_path, "", "")
    write_stats(nbest, *paths)
    texts = [path.read_text() for path in paths]
    lines: list[list[str]] = [[], []]
    for i, segment in enumerate(nbest.ids):
        own = slice(nbest.offsets[i], nbest.offsets[i + 1])
        n = own.stop - own.start
        names = "".join(f"{name} " for name in nbest.names)
        lines[0].append(f"FEATURES_TXT_BEGIN_0 {segment} {n} {n_features} {names}")
        lines[1].append(f"SCORES_TXT_BEGIN_0 {segment} {n} 9 BLEU")
        lines[0] += ["".join(f"{x:g} " for x in row) for row in nbest.features[own].tolist()]
        lines[1] += ["".join(f"{x} " for x in slow.moses_row(row)) for row in nbest.stats[own]]
        lines[0].append("FEATURES_TXT_END_0")
        lines[1].append("SCORES_TXT_END_0")
    assert texts == ["\n".join([*several, ""]) for several in lines]
    blocks = slow.read_blocks(texts[0])
    assert [segment for segment, _, _ in blocks] == nbest.ids.tolist()
    assert [row for _, _, rows in blocks for row in rows] == nbest.features.tolist()


def test_binary_blocks(tmp_path: Path) -> None:
    nbest = made(3, 2)
    paths = write(tmp_path, b"", b"")
    write_stats(nbest, *paths, True)
    data = paths[0].read_bytes()
    n = nbest.offsets[1]
    header = f"FEATURES_BIN_BEGIN_0 {nbest.ids[0]} {n} 2 LM0_0 LM1_0 \n".encode()
    assert data.startswith(header + nbest.features[:n].tobytes() + b"FEATURES_BIN_END_0\n")


def test_text_and_binary_may_be_mixed(tmp_path: Path) -> None:
    nbest = made(5, 3)
    text, binary = (tmp_path / "f", tmp_path / "s"), (tmp_path / "fb", tmp_path / "sb")
    write_stats(nbest, *text)
    write_stats(nbest, *binary, True)
    same(read_stats(text[0], binary[1]), nbest)
    same(read_stats(binary[0], text[1]), nbest)


def test_several_pairs_are_merged(tmp_path: Path) -> None:
    one, two = made(4, 2), made(4, 2)
    two = NBestList(
        two.features + np.float32(1),
        two.stats,
        two.offsets,
        metric=two.metric,
        names=two.names,
        ids=two.ids,
    )
    paths = [(tmp_path / f"f{i}", tmp_path / f"s{i}") for i in range(3)]
    for nbest, pair in zip((one, two, one), paths, strict=True):
        write_stats(nbest, *pair, True)
    merged = read_stats([f for f, _ in paths], [s for _, s in paths])
    same(merged, one.merge(two, one))
    assert len(merged) == 2 * len(one)


def test_blocks_of_one_segment_are_gathered(tmp_path: Path) -> None:
    features = FEATURES + FEATURES.replace("-4.5", "-5.5")
    nbest = read_stats(*write(tmp_path, features, SCORES + SCORES))
    assert nbest.ids.tolist() == [0, 7]
    assert nbest.features[:, 0].tolist() == [-4.5, -6.25, -5.5, -6.25, 0, 0]


def test_a_large_block(tmp_path: Path) -> None:
    n = 40_000
    nbest = NBestList(
        np.arange(n, dtype=np.float32)[:, None],
        np.full((n, 10), 3, np.int32),
        [0, n],
        metric=moses_bleu(),
    )
    for binary in (False, True):
        paths = write(tmp_path, b"", b"")
        write_stats(nbest, *paths, binary)
        same(read_stats(*paths), nbest)


def test_sparse_features(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    text = FEATURES.replace("-1 2 \n", "-1 2 a_b=1.5 c_d==-2 \n").replace(
        "1e+06 \n", "1e+06 a_b=7 \n"
    )
    paths = write(tmp_path, text)
    nbest = read_stats(*paths)
    assert nbest.names == ("LM_0", "LM_1", "W_0", "a_b", "c_d=")
    expected = [[-4.5, -1, 2, 1.5, -2], [-6.25, -2.5e-5, 3, 0, 0], [0, 0, 1e6, 7, 0]]
    assert nbest.features.toarray().tolist() == np.float32(expected).tolist()
    write_stats(nbest, tmp_path / "again", tmp_path / "scores")
    assert (tmp_path / "again").read_text().replace(" -0 ", " 0 ") == text.replace(" -0 ", " 0 ")
    with pytest.raises(ValueError, match="binary: expected False for sparse features; got True"):
        write_stats(nbest, tmp_path / "again", tmp_path / "scores", binary=True)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    (
        ("-4.5 -1 2", "-4.5 -1", "line 2: expected 3 features; got 2"),
        ("-4.5 -1 2", "-4.5 -1 2 3", "line 2: expected 3 features; got '3' after them"),
        ("-6.25", "nan", "line 3: feature 1 of 3: expected a finite number; got 'nan'"),
        ("-6.25", "x", "line 3: feature 1 of 3: expected a finite number; got 'x'"),
        (
            "-6.25 -2.5e-05 3 \n",
            "",
            "line 3: expected 2 rows in the block that begins in line 1; got 1",
        ),
        (
            "0 -0 1e+06 \n",
            "0 -0 1e+06 \n0 0 0\n",
            "line 7: expected FEATURES_TXT_END_0 after 1 rows; got '0 0 0'",
        ),
        (
            "0 -0 1e+06 \nFEATURES_TXT_END_0\n",
            "0 -0 1e+06 \n",
            "line 6: expected FEATURES_TXT_END_0 after 1 rows; got the end of the file",
        ),
        (
            "7 1 3 LM_0",
            "7 1 3 TM_0",
            "line 5: expected feature 1 to be LM_0 as in the first segment; got TM_0",
        ),
        (
            "7 1 3 LM_0 LM_1 W_0",
            "7 1 2 LM_0 LM_1",
            "line 5: expected 3 features as in the first segment; got 2",
        ),
        ("0 2 3 LM_0", "0 2 4 LM_0", "line 1: expected 4 names; got 3"),
        (
            "FEATURES_TXT_BEGIN_0 0",
            "FEATURES_TXT_BEGIN_1 0",
            "line 1: expected FEATURES_TXT_BEGIN_0 or FEATURES_BIN_BEGIN_0 and three numbers; got "
            "'FEATURES_TXT_BEGIN_1 0 2 3 LM_0 LM_1 W_0 '",
        ),
        (
            "TXT_BEGIN_0 0 2",
            "TXT_BEGIN_0 0 -2",
            "line 1: expected FEATURES_TXT_BEGIN_0 or FEATURES_BIN_BEGIN_0 and three numbers; got "
            "'FEATURES_TXT_BEGIN_0 0 -2 3 LM_0 LM_1 W_0 '",
        ),
        (
            "TXT_BEGIN_0 0 2",
            "TXT_BEGIN_0 0 99999999999999999999",
            "line 1: expected smaller numbers; got [0, 99999999999999999999, 3]",
        ),
        (
            "TXT_BEGIN_0 0 2",
            "TXT_BEGIN_0 0 9999999999",
            "line 4: expected 9999999999 rows in the block that begins in line 1; got 2",
        ),
    ),
)
def test_malformed_features(tmp_path: Path, old: str, new: str, message: str) -> None:
    paths = write(tmp_path, FEATURES.replace(old, new, 1))
    with pytest.raises(ValueError, match=f"^{re.escape(f'{paths[0]}, {message}')}$"):
        read_stats(*paths)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    (
        ("6 11 4", "6 11", "line 2: expected 9 counts; got 8"),
        ("6 11 4", "6 11 4 4", "line 2: expected 9 counts; got 10"),
        ("6 11 4", "6 11 4.5", "line 2: expected a count; got '4.5'"),
        ("6 11 4", "6 11 -4", "line 2: expected a count; got '-4'"),
        ("6 11 4", "6 11 x", "line 2: expected a count; got 'x'"),
        ("6 11 4", "6 11 inf", "line 2: expected a count; got 'inf'"),
        ("6 11 4", "6 11 3000000000", "line 2: expected a count; got '3000000000'"),
        ("9 BLEU", "9 TER", "line 1: expected 9 statistics of BLEU; got 9 of TER"),
        ("9 BLEU", "11 BLEU,WER", "line 1: expected 9 statistics of BLEU; got 11 of BLEU,WER"),
        ("9 BLEU", "9", "line 1: expected 9 statistics of BLEU; got 9 of no metric"),
        ("7 1 9 BLEU", "7 1 5 BLEU", "line 5: expected 9 statistics of BLEU; got 5 of BLEU"),
        (
            "SCORES_TXT_BEGIN_0 0",
            "FEATURES_TXT_BEGIN_0 0",
            "line 1: expected SCORES_TXT_BEGIN_0 or SCORES_BIN_BEGIN_0 and three numbers; got "
            "'FEATURES_TXT_BEGIN_0 0 2 9 BLEU'",
        ),
    ),
)
def test_malformed_statistics(tmp_path: Path, old: str, new: str, message: str) -> None:
    paths = write(tmp_path, FEATURES, SCORES.replace(old, new, 1))
    with pytest.raises(ValueError, match=f"^{re.escape(f'{paths[1]}, {message}')}$"):
        read_stats(*paths)


@pytest.mark.parametrize(
    ("scores", "message"),
    (
        (
            SCORES.replace("5 9 3 8 2 7 1 6 10 \n", "").replace("0 2 9", "0 1 9"),
            "{1}, line 1: expected segment 0 with 2 rows as in {0}, line 1; got segment 0 with 1 "
            "rows",
        ),
        (
            SCORES.replace("_0 7 1", "_0 8 1"),
            "{1}, line 5: expected segment 7 with 1 rows as in {0}, line 5; got segment 8 with 1 "
            "rows",
        ),
        (
            SCORES[: SCORES.index("SCORES_TXT_BEGIN_0 7")],
            "{1}, end of the file: expected segment 7 with 1 rows as in {0}, line 5; got no more "
            "segments",
        ),
        (
            SCORES + SCORES,
            "{1}, line 8: expected no more segments as in {0}, end of the file; got segment 0 with "
            "2 rows",
        ),
    ),
)
def test_files_that_disagree(tmp_path: Path, scores: str, message: str) -> None:
    paths = write(tmp_path, FEATURES, scores)
    with pytest.raises(ValueError, match=f"^{re.escape(message.format(*paths))}$"):
        read_stats(*paths)


def test_binary_errors(tmp_path: Path) -> None:
    nbest = made(2, 2)
    paths = write(tmp_path, b"", b"")
    write_stats(nbest, *paths, True)
    features, scores = (path.read_bytes() for path in paths)
    cut = write(tmp_path, features[:70], scores)
    with pytest.raises(ValueError, match="got the end of the file"):
        read_stats(*cut)
    at = features.index(b"\n") + 1
    bad = features[:at] + np.float32([np.nan]).tobytes() + features[at + 4 :]
    with pytest.raises(
        ValueError, match=r"expected finite numbers in the block .* got nan in row 0"
    ):
        read_stats(*write(tmp_path, bad, scores))
    at = scores.index(b"\n") + 1 + 36
    for value in (0.5, -1, 3e9):
        bad = scores[:at] + np.float32([value]).tobytes() + scores[at + 4 :]
        with pytest.raises(ValueError, match=r"expected counts in the block .* in row 1"):
            read_stats(*write(tmp_path, features, bad))


def test_wrong_calls(tmp_path: Path) -> None:
    paths = write(tmp_path)
    with pytest.raises(ValueError, match="score_files: expected as many as feature_files, 2"):
        read_stats([paths[0]] * 2, [paths[1]])
    with pytest.raises(ValueError, match=r"metric: expected BLEU, PER.*; got SegmentScores"):
        read_stats(*paths, metric=SegmentScores())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected 5 statistics of BLEU; got 9 of BLEU"):
        read_stats(*paths, metric=BLEU(max_ngram_order=2))
    with pytest.raises(FileNotFoundError):
        read_stats(tmp_path / "nothing", paths[1])
    with pytest.raises(ValueError, match="expected hypotheses; got none"):
        read_stats(*write(tmp_path, "", ""))


@pytest.mark.parametrize("binary", (False, True))
@pytest.mark.parametrize("seed", range(5))
def test_mutated_bytes(tmp_path: Path, seed: int, binary: bool) -> None:
    rng = random.Random(seed)
    paths = write(tmp_path, b"", b"")
    write_stats(made(3, 3, seed), *paths, binary)
    originals = [path.read_bytes() for path in paths]
    outcomes = set()
    for _ in range(150):
        files = [bytearray(data) for data in originals]
        for _ in range(rng.randint(1, 3)):
            data = rng.choice(files)
            at = rng.randrange(len(data))
            data[at : at + rng.randrange(3)] = rng.choice(
                [b"", *(bytes([c]) for c in b" \n\0=\xff9-e"), b"99999", rng.randbytes(2)]
            )
        try:
            nbest = read_stats(*write(tmp_path, *map(bytes, files)))
            assert nbest.is_sparse or np.isfinite(nbest.features).all()
            outcomes.add("read")
        except ValueError:
            outcomes.add("refused")
    assert outcomes == {"read", "refused"} or binary


def test_a_name_twice(tmp_path: Path) -> None:
    paths = write(tmp_path, FEATURES.replace("LM_1", "LM_0"))
    message = f"^{paths[0]}: {re.escape('names[1]: expected different names')}"
    with pytest.raises(ValueError, match=message):
        read_stats(*paths)


def test_gathering_against_a_loop() -> None:
    rng = random.Random(5)
    for _ in range(300):
        segments = [rng.randrange(6) for _ in range(rng.randint(1, 12))]
        ids, offsets, order = gather(np.array(segments))
        expected = list(dict.fromkeys(segments))
        assert ids.tolist() == expected
        places = [[i for i, other in enumerate(segments) if other == one] for one in expected]
        assert offsets.tolist() == [sum(map(len, places[:i])) for i in range(len(places) + 1)]
        flat = [i for several in places for i in several]
        assert flat == (list(range(len(segments))) if order is None else order.tolist())


def test_init_opt(tmp_path: Path) -> None:
    path = tmp_path / "init.opt"
    path.write_text("0.3 -1 \n\n0 -1\n1 1e2\nignored\n")
    assert [row.tolist() for row in read_init_opt(path)] == [[0.3, -1], [0, -1], [1, 100]]


def test_files_of_weights(tmp_path: Path) -> None:
    path = tmp_path / "run1.dense"
    path.write_text("LM0= 0.5\nTM0= 0.1\nTM0= -2e-3\n")
    weights = read_dense_weights(path)
    assert weights == {"LM0_0": 0.5, "TM0_0": 0.1, "TM0_1": -0.002}
    path.write_text("a_b 0.25\nc_d -1e-20\n")
    assert read_sparse_weights(path) == {"a_b": 0.25, "c_d": -1e-20}


@pytest.mark.parametrize(
    ("read", "text", "message"),
    (
        (read_init_opt, "1 2\n0 0\n", ": expected three lines, weights, minima and maxima; got 2"),
        (read_init_opt, "", ": expected three lines, weights, minima and maxima; got 0"),
        (read_init_opt, "1 2\n0\n1 1\n", ", line 2: expected 2 numbers; got 1"),
        (read_init_opt, "1 2\n0 x\n1 1\n", ", line 2: expected a finite number; got 'x'"),
        (read_init_opt, "1 2\n0 0\n1 nan\n", ", line 3: expected a finite number; got 'nan'"),
        (read_init_opt, "1 2\n0 3\n1 2\n", ", line 3: expected maximum 2 from 3.0 on; got 2.0"),
        (read_dense_weights, "LM0 0.5\n", ", line 1: expected 'label= weight'; got 'LM0 0.5'"),
        (read_dense_weights, "LM0= 5 1\n", ", line 1: expected 'label= weight'; got 'LM0= 5 1'"),
        (read_dense_weights, "LM0= x\n", ", line 1: expected a finite number; got 'x'"),
        (read_sparse_weights, "a_b\n", ", line 1: expected 'name weight'; got 'a_b'"),
        (read_sparse_weights, "a 1\na 2\n", ", line 2: expected different names; got 'a' again"),
    ),
)
def test_malformed_weights(tmp_path: Path, read: Any, text: str, message: str) -> None:
    path = tmp_path / "weights"
    path.write_text(text)
    with pytest.raises(ValueError, match=f"^{re.escape(f'{path}{message}')}$"):
        read(path)


TYPES = [[name] for name in SCORE_TYPES] + [["BLEU", "TER"], ["PER", "WER", "CDER"]]
WORDS = [f"w{i}" for i in range(12)] + ["a\u00a0b", "X"]


def texts(rng: Random, n: int, least: int = 0) -> list[str]:
    return [" ".join(rng.choices(WORDS, k=rng.randint(least, 12))) for _ in range(n)]


@pytest.fixture
def lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = Random("lists")
    refs = [texts(rng, 8, 3) for _ in range(2)]
    for i, stream in enumerate(refs):
        Path(f"ref{i}").write_text("\n".join(stream) + "\n")
    lines = []
    for segment in range(8):
        for _ in range(10):
            words = refs[0][segment].split()
            for _ in range(rng.randint(0, 4)):
                words[rng.randrange(len(words))] = rng.choice(WORDS)
            numbers = [rng.gauss(0, 1) for _ in range(3)]
            text, values = " ".join(words), " ".join(f"{number:.3f}" for number in numbers)
            lines.append(f"{segment} ||| {text} ||| F= {values} ||| 0")
    Path("nbest").write_text("\n".join(lines) + "\n")
    return tmp_path


@pytest.mark.parametrize("names", TYPES, ids=",".join)
@pytest.mark.parametrize("binary", [False, True])
def test_files_give_back_the_scores(lists: Path, names: list[str], binary: bool) -> None:
    metric = moses_metric(names)
    refs = [Path(f"ref{i}").read_text().splitlines() for i in range(2)]
    nbest = read_nbest("nbest", refs, metric=metric)
    write_stats(nbest, "features", "scores", binary)
    header = Path("scores").read_bytes().split(b"\n", 1)[0].decode()
    form = Form(metric)
    kind = "BIN" if binary else "TXT"
    assert header == f"SCORES_{kind}_BEGIN_0 0 10 {form.n_columns} {','.join(names)}"
    again = read_stats("features", "scores", metric)
    rng = np.random.default_rng(0)
    for weights in rng.normal(size=(20, 3)):
        assert again.evaluate(weights) == pytest.approx(nbest.evaluate(weights), rel=1e-12)
    rows = nbest.stats
    assert form.columns(form.rows(form.columns(rows))).tolist() == form.columns(rows).tolist()


@pytest.mark.parametrize("n_refs", [1, 2, 3, 4, 7])
def test_columns_are_those_of_moses(n_refs: int) -> None:
    rng = Random(f"columns {n_refs}")
    hyps, refs = texts(rng, 200), [texts(rng, 200) for _ in range(n_refs)]
    for name, metric in (("WER", WER()), ("CDER", CDER(tokenize="none")), ("TER", TER())):
        rows = metric.segment_stats(hyps, refs)
        columns = Form(metric).columns(rows)
        for row, column in zip(rows, columns, strict=True):
            parts: Any = metric.score(row)
            if name == "TER":
                mean = parts.ref_len
                rate = 100 * parts.num_edits / mean if mean else 0
                expected = [100 * parts.num_edits, int(100 * mean), int(rate)]
            elif name == "WER":
                edits = parts.substitutions + parts.deletions + parts.insertions
                expected = [edits, parts.matches + parts.substitutions + parts.deletions]
            else:
                expected = row.tolist()
            assert column.tolist() == expected


def test_fractions() -> None:
    hyps, refs = ["a b c d e x"], [["a b c d e f"]]
    for names, expected in (
        (["PER"], 5 / 6),
        (["WER"], 5 / 6),
        (["CDER"], 5 / 6),
        (["TER"], 5 / 6),
    ):
        metric: Any = moses_metric(names)
        score = metric.score(metric.segment_stats(hyps, refs)).score
        assert fraction(metric, score) == pytest.approx(expected)
    mixture: Any = moses_metric(["BLEU", "TER"], [0.6, 0.4])
    score = mixture.score(mixture.segment_stats(hyps, refs)).score
    bleu: Any = moses_metric(["BLEU"])
    own = fraction(bleu, bleu.score(bleu.segment_stats(hyps, refs)).score)
    assert fraction(mixture, score) == pytest.approx(0.6 * own + 0.4 * 5 / 6)


@pytest.mark.parametrize("names", TYPES, ids=",".join)
def test_commands_tune_what_they_extract(lists: Path, names: list[str], run: Run) -> None:
    sctype = ["--sctype", ",".join(names)]
    files = ("-S", "scores", "-F", "features")
    argv = ("extractor", *sctype, "-r", "ref0,ref1", "-n", "nbest", *files)
    assert run(*argv) == (0, "", "")
    Path("init.opt").write_text("0.3 0.3 0.3\n-1 -1 -1\n1 1 1\n")
    argv = (
        "mert",
        "-d",
        "3",
        *sctype,
        "-S",
        "scores",
        "-F",
        "features",
        "-n",
        "4",
        "--ifile",
        "init.opt",
        "-r",
        "1",
    )
    status, _, err = run(*argv)
    assert status == 0
    best = float(err.rsplit("=> ", 1)[1])
    weights = [float(word) for word in Path("weights.txt").read_text().split()]
    metric = moses_metric(names)
    nbest = read_stats("features", "scores", metric)
    assert fraction(metric, float(nbest.evaluate(weights))) == pytest.approx(best, rel=1e-4)
    start = fraction(metric, float(nbest.evaluate([0.3, 0.3, 0.3])))
    assert best > start
    status, out, _ = run("evaluator", *sctype, "-R", "ref0,ref1", "-n", "nbest")
    refs = [Path(f"ref{i}").read_text().splitlines() for i in range(2)]
    first = read_nbest("nbest", refs, metric=metric)
    rows = first.stats[first.offsets[:-1]].astype(np.int64)
    assert out == f"{fraction(metric, metric.score(rows).score):.4f}\n"
    status, _, err = run("kbmira", *sctype, "-S", "scores", "-F", "features", "-J", "3")
    assert status == 0, err
    assert "Best BLEU = " in err


def test_mixtures_by_weights(lists: Path, run: Run) -> None:
    for weights, expected in (("0.6+0.4", [0.6, 0.4]), ("3+1", [0.75, 0.25])):
        config = ["--sctype", "BLEU,WER", "--scconfig", f"case:true,weights:{weights}"]
        status, out, _ = run("evaluator", *config, "-R", "ref0,ref1", "-n", "nbest")
        single = [
            float(run("evaluator", "-s", name, "-R", "ref0,ref1", "-n", "nbest")[1])
            for name in ("BLEU", "WER")
        ]
        assert float(out) == pytest.approx(np.dot(single, expected), abs=2e-4)
    for weights, message in (
        ("1", "weights: expected 2, one for each metric; got 1"),
        ("0+0", "weights: expected numbers of at least 0, not all 0"),
        ("x+1", "could not convert string to float"),
    ):
        argv = ("evaluator", "-s", "BLEU,WER", "--scconfig", f"weights:{weights}", "-R", "ref0")
        status, _, err = run(*argv, "-n", "nbest")
        assert status == 1 and f"--scconfig: {message}" in err


def test_metrics_without_a_form() -> None:
    features, stats = np.zeros((1, 1), np.float32), [[0, 0, 0, 0]]
    for metric in (CER(), PER(), WeightedSum([TER(), CER()])):
        rows = stats if metric._kernel.n_stats == 4 else [stats[0] * 2]
        nbest = NBestList(features, rows, [0, 1], metric=metric)
        with pytest.raises(ValueError, match="metric: expected BLEU, PER"):
            write_stats(nbest, "features", "scores")
    with pytest.raises(ValueError, match="metric: expected BLEU, PER"):
        read_stats("features", "scores", CER())
