"""N-best lists: construction, merging, and files."""

import itertools
import random
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, SegmentScores
from rapidbleu._core.moses.files import format_rows
from rapidbleu._core.tuning.line_search import Chooser
from rapidbleu.tuning import NBestList, mert
from rapidbleu.tuning.nbest import without_duplicates
from reference.tuning import chooser as oracle
from reference.tuning.merging import Segment, merge
from support.processes import repeat_at_lower_levels
from support.selection import few

HYPOTHESES = [["a b c x", "a b c d e"], ["e f g h", "f g h", "e f g"]]
REFERENCES = [["a b c d e", "e f g h"]]
FEATURES = [[-1.0, 4.0], [-2.0, 5.0], [-1.5, 4.0], [-1.0, 3.0], [-0.5, 3.0]]
OFFSETS = [0, 2, 5]
STATS = BLEU().nbest_stats(HYPOTHESES, REFERENCES)
TEXTS = [text for several in HYPOTHESES for text in several]


def small(**changes: Any) -> NBestList:
    parts: dict[str, Any] = {"features": FEATURES, "stats": STATS, "offsets": OFFSETS, **changes}
    return NBestList(parts.pop("features"), parts.pop("stats"), parts.pop("offsets"), **parts)


def content(nbest: NBestList) -> dict[int, Segment]:
    features = nbest.features.toarray() if nbest.is_sparse else nbest.features
    texts = nbest.hypotheses or [None] * len(nbest)
    rows = [
        (tuple(one), tuple(own), text)
        for one, own, text in zip(features.tolist(), nbest.stats.tolist(), texts, strict=True)
    ]
    parts = itertools.pairwise(nbest.offsets.tolist())
    return {
        number: rows[begin:end]
        for number, (begin, end) in zip(nbest.ids.tolist(), parts, strict=True)
    }


def assert_same(ours: NBestList, theirs: NBestList) -> None:
    assert content(ours) == content(theirs)
    assert (ours.names, ours.hypotheses) == (theirs.names, theirs.hypotheses)
    assert ours.features.dtype == theirs.features.dtype
    assert ours.stats.dtype == theirs.stats.dtype
    assert ours.is_sparse == theirs.is_sparse


def test_parts() -> None:
    nbest = small(names=["lm", "length"], hypotheses=TEXTS, ids=[7, 3])
    assert (len(nbest), nbest.n_segments, nbest.n_features, nbest.is_sparse) == (5, 2, 2, False)
    assert repr(nbest) == "<NBestList of 2 segments, 5 hypotheses, 2 features>"
    assert nbest.features.tolist() == FEATURES
    assert nbest.stats.tolist() == STATS.tolist()
    assert nbest.offsets.tolist() == OFFSETS
    assert nbest.ids.tolist() == [7, 3]
    assert nbest.names == ("lm", "length")
    assert nbest.hypotheses == TEXTS
    assert isinstance(nbest.metric, BLEU)
    assert (small().names, small().ids.tolist(), small().hypotheses) == (("F0", "F1"), [0, 1], None)


def test_from_lists() -> None:
    nbest = NBestList.from_lists(HYPOTHESES, FEATURES, REFERENCES)
    assert_same(nbest, small(hypotheses=TEXTS))
    flat = NBestList.from_lists(TEXTS, FEATURES, REFERENCES, offsets=OFFSETS)
    assert_same(flat, nbest)
    lower = BLEU(lowercase=True)
    upper = [[text.upper() for text in several] for several in HYPOTHESES]
    assert NBestList.from_lists(upper, FEATURES, REFERENCES, metric=lower).metric is lower


@pytest.mark.parametrize("convert", [np.asfortranarray, lambda x: np.repeat(x, 2, 0)[::2]])
def test_other_layouts_are_copied(convert: Any) -> None:
    nbest = small(features=convert(np.array(FEATURES)), stats=convert(STATS))
    assert nbest.features.flags.c_contiguous and nbest.stats.flags.c_contiguous
    assert_same(nbest, small())


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint16, np.float16, np.longdouble, bool])
def test_other_numbers_become_doubles(dtype: Any) -> None:
    features = np.abs(FEATURES).astype(dtype)
    nbest = small(features=features)
    assert nbest.features.dtype == np.float64
    doubles = features.astype(float)
    assert nbest.features.tolist() == doubles.tolist()
    weights = np.linspace(-1, 1, doubles.shape[1]).astype(np.longdouble)
    assert nbest.best(weights).tolist() == small(features=doubles).best(weights.tolist()).tolist()


def changed(source: Any, place: Any, value: Any, dtype: Any = None) -> Any:
    array = np.array(source, dtype)
    array[place] = value
    return array


ERRORS = [
    ({"features": [1.0, 2.0]}, ValueError, r"features: expected shape \(n, n_.* got \(2,\)"),
    ({"features": np.empty((5, 0))}, ValueError, r"one feature at least; got \(5, 0\)"),
    ({"features": [[1, 2], [3]]}, ValueError, "features: expected rows of equal length"),
    ({"features": [["a"]] * 5}, TypeError, "features: expected numbers; got .U1"),
    ({"features": changed(FEATURES, (3, 1), np.nan)}, ValueError, r"es\[3\]\[1\]: .* got nan"),
    ({"features": changed(FEATURES, (4, 0), -np.inf)}, ValueError, r"es\[4\]\[0\]: .* got -inf"),
    ({"stats": STATS[:4]}, ValueError, r"stats: expected shape \(5, 10\); got \(4, 10\)"),
    ({"stats": STATS[:, :9]}, ValueError, r"stats: expected shape \(5, 10\); got \(5, 9\)"),
    ({"stats": STATS / 2}, TypeError, "stats: expected integers; got float64"),
    ({"stats": changed(STATS, (2, 9), -1)}, ValueError, r"stats\[2\]\[9\]: .* a count; got -1"),
    ({"stats": changed(STATS, (..., 0), 2**60)}, ValueError, r"stats: .* at most 2\*\*60 over all"),
    ({"offsets": [0, 2]}, ValueError, "offsets"),
    ({"offsets": [0, 5, 5]}, ValueError, r"^offsets\[2\]: expected at least one hypothesis"),
    ({"offsets": [0, 3, 2, 5]}, ValueError, "offsets"),
    ({"metric": "bleu"}, TypeError, "metric: expected a metric; got str"),
    ({"names": "ab"}, TypeError, "names: expected a sequence of names; got a single str"),
    ({"names": ["a"]}, ValueError, "names: expected 2, one for each feature; got 1"),
    ({"names": ["a", 1]}, TypeError, r"names\[1\]: expected str; got int"),
    ({"names": ["a", "a"]}, ValueError, r"names\[1\]: expected different names; got 'a' again"),
    ({"hypotheses": "a b c"}, TypeError, "hypotheses: expected a sequence of str; got str"),
    ({"hypotheses": 5}, TypeError, "hypotheses: expected a sequence of str; got int"),
    ({"hypotheses": TEXTS[:4]}, ValueError, "hypotheses: expected 5, as many as features; got 4"),
    ({"ids": [0]}, ValueError, r"ids: expected 2, one for each segment; got \(1,\)"),
    ({"ids": [4, 4]}, ValueError, "ids: expected different numbers; got 4 again"),
    ({"ids": [0.5, 1]}, TypeError, "ids: expected integers; got float64"),
]


@pytest.mark.parametrize(("changes", "error", "message"), ERRORS)
def test_wrong_parts_are_refused(changes: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        small(**changes)


def test_wrong_features_far_behind_are_found() -> None:
    n = 2 * (1 << 16) + 5
    features = np.zeros((n, 1))
    features[n - 2] = np.nan
    with pytest.raises(ValueError, match=rf"features\[{n - 2}\]\[0\]"):
        NBestList(features, np.zeros((n, 5), np.int64), [0, n], metric=SegmentScores())


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ([1.0], ValueError, r"weights: expected 2, one for each feature; got shape \(1,\)"),
        ([[1.0, 2.0, 3.0]], ValueError, r"weights: expected 2, .* got shape \(1, 3\)"),
        ([[[1.0, 2.0]]], ValueError, r"weights: expected 2, .* got shape \(1, 1, 2\)"),
        ([1.0, np.nan], ValueError, r"weights\[1\]: expected a finite number; got nan"),
        ([[0, 1], [np.inf, 1]], ValueError, r"weights\[1\]\[0\]: expected a finite number"),
        (["1", "2"], TypeError, "weights: expected numbers; got .U1"),
        ({"lm": 1.0}, ValueError, "weights: .* got none for 'length'"),
        ({"lm": 1.0, "length": 1, "tm": 2}, ValueError, "weights: expected names of .*; got 'tm'"),
    ],
)
def test_wrong_weights_are_refused(weights: Any, error: Any, message: str) -> None:
    nbest = small(names=["lm", "length"])
    for use in (nbest.best, nbest.evaluate, nbest.score):
        with pytest.raises(error, match=message):
            use(weights)
    with pytest.raises(ValueError, match=r"weights: expected one vector; got shape \(1, 2\)"):
        nbest.best([[1, 2]])


def test_score_is_that_of_the_chosen_texts() -> None:
    nbest = small(hypotheses=TEXTS)
    for weights in ([1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]):
        chosen = [TEXTS[row] for row in nbest.best(weights)]
        expected = BLEU().corpus_score(chosen, REFERENCES)
        assert nbest.score(weights).score == nbest.evaluate(weights) == expected.score
        assert str(nbest.score(weights)) == str(expected)
    scores = nbest.evaluate([[1.0, 0.0], [0.0, 1.0]])
    assert scores.tolist() == [nbest.evaluate([1.0, 0.0]), nbest.evaluate([0.0, 1.0])]


def test_sparse_features_choose_the_same() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(3)
    features = rng.integers(-2, 3, size=(60, 8)) * (rng.random((60, 8)) < 0.3)
    metric = SegmentScores()
    parts = metric.stats(rng.normal(size=60)), np.arange(0, 61, 6)
    dense = NBestList(features, *parts, metric=metric)
    weights = rng.normal(size=(9, 8))
    for make in (sparse.csr_matrix, sparse.coo_matrix, sparse.csr_array):
        nbest = NBestList(make(features.astype(np.float64)), *parts, metric=metric)
        assert nbest.is_sparse
        assert nbest.best(weights[0]).tolist() == dense.best(weights[0]).tolist()
        assert nbest.evaluate(weights).tolist() == dense.evaluate(weights).tolist()
        with pytest.raises(TypeError, match=r"^nbest.features: expected a dense array"):
            nbest._feature_columns()


def random_list(rng: random.Random, sparse: bool = False, dtype: Any = np.float64) -> NBestList:
    ids = rng.sample(range(6), rng.randint(1, 5))
    lengths = [rng.randint(1, 12) for _ in ids]
    n = sum(lengths)
    rows: Any = np.array(
        [[rng.choice((-0.0, 0.0, 1.5)) for _ in range(3)] for _ in range(n)], dtype
    )
    if sparse:
        from scipy.sparse import csr_matrix

        rows = csr_matrix(rows)
    stats = SegmentScores().stats([rng.choice((-1, 0, 1)) for _ in range(n)])
    texts = [f"{rng.random()}" for _ in range(n)]
    offsets = [0, *itertools.accumulate(lengths)]
    return NBestList(rows, stats, offsets, metric=SegmentScores(), hypotheses=texts, ids=ids)


@pytest.mark.parametrize("kind", few(["float32", "float64", "sparse"], ["float32", "sparse"]))
def test_merging(kind: str) -> None:
    if kind == "sparse":
        pytest.importorskip("scipy.sparse")
    rng = random.Random(4)
    for _ in range(30):
        lists = [
            random_list(rng, kind == "sparse", "float64" if kind == "sparse" else kind)
            for _ in range(rng.randint(1, 3))
        ]
        merged = lists[0].merge(*lists[1:])
        expected = merge([content(one) for one in lists])
        assert content(merged) == expected
        assert merged.ids.tolist() == list(expected)
        assert merged.names == lists[0].names
        if kind != "sparse":
            assert merged.features.dtype == kind


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_duplicates_are_found_in_blocks_of_any_size(kind: str) -> None:
    rng = np.random.default_rng(4)
    segments = rng.integers(0, 5, 200)
    features: Any = rng.choice([-0.0, 0.0, 1.5], (200, 2))
    stats = rng.integers(0, 2, (200, 2))
    rows = zip(segments.tolist(), features.tolist(), stats.tolist(), strict=True)
    first: dict[Any, int] = {}
    for i, (segment, values, counts) in enumerate(rows):
        first.setdefault((segment, *values, *counts), i)
    expected = sorted(first.values(), key=lambda i: (segments[i], i))
    if kind == "sparse":
        matrix = pytest.importorskip("scipy.sparse").csr_matrix
        cells = np.repeat(np.arange(200), 2), np.tile([1, 0], 200)
        features = matrix((features[:, [1, 0]].ravel(), cells), features.shape)  # with zeros
    for values in (1, 12, 100, 1 << 19):
        assert without_duplicates(segments, features, stats, values).tolist() == expected


def test_merging_keeps_texts_only_if_all_have_them() -> None:
    with_texts, without = small(hypotheses=TEXTS), small()
    assert with_texts.merge(with_texts).hypotheses == TEXTS
    assert with_texts.merge(without).hypotheses is None


def test_merging_of_both_widths() -> None:
    narrow = small(features=np.array(FEATURES, np.float32), stats=STATS.astype(np.int32))
    assert_same(small().merge(narrow), small())
    assert_same(narrow.merge(small()), small())


def test_different_lists_are_not_merged() -> None:
    first = small(names=["a", "b"])
    for other, message in (
        (small(names=["a", "c"]), r"others\[1\].names\[1\]: expected 'b'; got 'c'"),
        (
            small(features=np.ones((5, 3)), names=["a", "b", "c"]),
            r"others\[1\]: expected 2 features; got 3",
        ),
        (
            small(stats=np.ones((5, 5), np.int64), metric=SegmentScores(), names=["a", "b"]),
            r"others\[1\]: expected rows of 10 counts; got 5",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            first.merge(first, other)
    with pytest.raises(TypeError, match=r"others\[1\]: expected NBestList; got list"):
        first.merge(first, [])  # type: ignore[arg-type]


def test_sparse_lists_may_have_other_features() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    metric = SegmentScores()

    def make(features: Any, names: list[str]) -> NBestList:
        rows = metric.stats([0.25] * len(features))
        matrix = sparse.csr_matrix(np.array(features, np.float32))
        return NBestList(matrix, rows, [0, len(features)], metric=metric, names=names)

    one = make([[1, 0, 2], [0, 0, 3]], ["a", "b", "c"])
    two = make([[3, 0], [2, 1], [3, 5]], ["c", "a"])
    both = one.merge(two)
    assert both.names == ("a", "b", "c")
    assert both.features.toarray().tolist() == [[1, 0, 2], [0, 0, 3], [5, 0, 3]]


def test_sparse_and_dense_lists_are_not_merged() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    other = small(features=sparse.csr_matrix(FEATURES))
    with pytest.raises(ValueError, match=r"others\[0\]: expected dense features; got sparse ones"):
        small().merge(other)
    with pytest.raises(ValueError, match=r"others\[0\]: expected sparse features; got dense ones"):
        other.merge(small())


@pytest.mark.parametrize("mmap", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("stats_dtype", [np.int32, np.int64])
def test_saved_lists_are_read_back(
    tmp_path: Path, mmap: bool, dtype: Any, stats_dtype: Any
) -> None:
    names, texts = ["lm", "längen"], [*TEXTS[:3], "", "\ud800 ein\nZeichen"]
    nbest = small(
        features=np.array(FEATURES, dtype),
        stats=STATS.astype(stats_dtype),
        names=names,
        hypotheses=texts,
        ids=[9, 2],
    )
    nbest.save(tmp_path / "list")  # no suffix is added
    loaded = NBestList.load(tmp_path / "list", mmap=mmap)
    assert_same(loaded, nbest)
    assert isinstance(loaded.features, np.memmap) == mmap
    assert isinstance(loaded.stats, np.memmap) == mmap
    assert loaded.features.flags.aligned and loaded.stats.flags.aligned
    assert loaded.evaluate([[1, 1], [0, -1]]).tolist() == nbest.evaluate([[1, 1], [0, -1]]).tolist()
    assert_same(loaded.merge(nbest), nbest)
    assert_same(nbest.merge(loaded), nbest)


def test_arrays_may_lie_anywhere() -> None:
    """No read that the processor could refuse as unaligned."""

    def moved(array: Any) -> Any:
        memory = np.frombuffer(bytearray(b"." + array.tobytes()), np.uint8)
        return memory[1:].view(array.dtype).reshape(array.shape)

    nbest = small()
    other = small(
        features=moved(nbest.features), stats=moved(nbest.stats), offsets=moved(nbest.offsets)
    )
    assert_same(other, nbest)
    assert other.features.flags.aligned and other.stats.flags.aligned
    weights = np.array([[1.0, 1], [0, -1]])
    assert other.evaluate(moved(weights)).tolist() == nbest.evaluate(weights).tolist()
    assert nbest.metric.score(moved(nbest.stats)).score == nbest.metric.score(nbest.stats).score
    with pytest.raises(TypeError, match="values: expected an aligned array"):
        format_rows(moved(weights), 2)


def test_the_metric_is_given_again(tmp_path: Path) -> None:
    metric = SegmentScores("COMET")
    small(stats=metric.stats([1, 2, 3, 4, 5]), metric=metric).save(tmp_path / "list.npz")
    loaded = NBestList.load(tmp_path / "list.npz", metric=metric)
    assert str(loaded.score([1, 0])) == "COMET = 3.00"
    with pytest.raises(ValueError, match=r"list.npz: stats: expected shape \(5, 10\)"):
        NBestList.load(tmp_path / "list.npz")


def test_other_files_are_refused(tmp_path: Path) -> None:
    text, other, compressed = tmp_path / "text", tmp_path / "other.npz", tmp_path / "small.npz"
    text.write_text("0 ||| a ||| 1 ||| 2")
    np.savez(other, a=np.ones(3))
    with pytest.raises(ValueError, match="text: expected a saved n-best list: File is not a zip"):
        NBestList.load(text)
    with pytest.raises(ValueError, match=r"other.npz: expected a saved n-best list, found no"):
        NBestList.load(other)
    small().save(compressed)
    with np.load(compressed) as arrays:
        np.savez_compressed(tmp_path / "compressed.npz", **arrays)
    assert_same(NBestList.load(tmp_path / "compressed.npz"), small())
    with pytest.raises(ValueError, match=r"compressed.npz: .* in compressed form"):
        NBestList.load(tmp_path / "compressed.npz", mmap=True)
    with pytest.raises(FileNotFoundError):
        NBestList.load(tmp_path / "nowhere.npz")


def test_pickled_objects_are_refused(tmp_path: Path) -> None:
    small().save(tmp_path / "list.npz")
    with np.load(tmp_path / "list.npz") as arrays:
        parts = dict(arrays)
    np.savez(tmp_path / "evil.npz", **{**parts, "ids": np.array([{}, {}], object)})
    with pytest.raises(ValueError, match=r"evil\.npz: .*: ids\.npy of Python objects"):
        NBestList.load(tmp_path / "evil.npz")


@pytest.mark.parametrize("cut", [0, 1, 100, -1, -40])
def test_cut_files_are_refused(tmp_path: Path, cut: int) -> None:
    small().save(tmp_path / "list.npz")
    data = (tmp_path / "list.npz").read_bytes()
    (tmp_path / "cut.npz").write_bytes(data[:cut])
    for mmap in (False, True):
        with pytest.raises(ValueError, match=r"cut\.npz: expected a saved n-best list"):
            NBestList.load(tmp_path / "cut.npz", mmap=mmap)


def test_weights_may_be_any_mapping() -> None:
    nbest = NBestList([[1.0, 0.0], [0.0, 1.0]], [[1] * 10, [2] * 10], [0, 2], names=["a", "b"])
    by_name = MappingProxyType({"b": 1, "a": 0})
    assert nbest.evaluate(by_name) == nbest.evaluate({"a": 0, "b": 1}) == nbest.evaluate([0, 1])
    assert nbest.best(by_name).tolist() == [1]
    limits = MappingProxyType({"a": (0.0, 1.0)})
    assert mert(nbest, by_name, bounds=limits, restarts=0).names == ("a", "b")


N_FEATURES = (1, 2, 3, 4, 5, 8, 15, 33)
LENGTHS = (1, 2, 7, 8, 9, 15, 16, 17, 31, 40, 100)


def mean_list(features: Any, offsets: Any) -> NBestList:
    metric = SegmentScores()
    return NBestList(features, metric.stats(np.arange(len(features))), offsets, metric=metric)


def ordinary(rng: Any, n: int, d: int) -> Any:
    return rng.normal(-10, 5, size=(n, d))


def nearly_equal(rng: Any, n: int, d: int) -> Any:
    """Sums that differ only in bits beyond single precision."""
    return rng.normal(size=d) * 100 + rng.integers(-2, 3, size=(n, d)) * 2.0**-40


def integers(rng: Any, n: int, d: int) -> Any:
    """Many equal sums."""
    return rng.integers(-2, 3, size=(n, d)).astype(float)


def repeated(rng: Any, n: int, d: int) -> Any:
    return rng.normal(size=(3, d))[rng.integers(0, 3, size=n)]


def huge(rng: Any, n: int, d: int) -> Any:
    return rng.uniform(-3, 3, size=(n, d)) * 10.0 ** rng.choice([0, 30, 37, 38], size=d)


def tiny(rng: Any, n: int, d: int) -> Any:
    return rng.normal(size=(n, d)) * 10.0 ** rng.choice([-46, -44, -38, -30, -1], size=d)


def subnormal(rng: Any, n: int, d: int) -> Any:
    return rng.normal(size=(n, d)) * 1e-44


def cancelling(rng: Any, n: int, d: int) -> Any:
    """Large terms that cancel to a small sum."""
    features = rng.normal(size=(n, d))
    features[:, 0] += 1e6
    features[:, d // 2] -= 1e6
    return features


KINDS = (ordinary, nearly_equal, integers, repeated, huge, tiny, subnormal, cancelling)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", KINDS)
def test_choices_are_those_of_exact_sums(kind: Any, dtype: Any) -> None:
    rng = np.random.default_rng(1)
    offsets = np.cumsum([0, *LENGTHS])
    for d in N_FEATURES:
        features = kind(rng, offsets[-1], d).astype(dtype)
        weights = rng.normal(size=(7, d))
        weights[1:3] = rng.integers(-1, 2, size=(2, d))
        weights[3] *= 10.0 ** rng.choice([-50, -30, 0, 30, 50], size=d)
        nbest = mean_list(features, offsets)
        expected = [oracle.choose(own, features.tolist(), offsets) for own in weights.tolist()]
        assert [nbest.best(own).tolist() for own in weights] == expected
        scores = [nbest.metric.score(nbest.stats[rows]).score for rows in expected]
        assert nbest.evaluate(weights).tolist() == scores
        assert [nbest.evaluate(own) for own in weights] == scores


@pytest.mark.parametrize("n_vectors", [0, 1, 3, 4, 5, 8, 9])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_any_number_of_vectors(n_vectors: int, dtype: Any) -> None:
    rng = np.random.default_rng(n_vectors)
    offsets = np.cumsum([0, *LENGTHS])
    features = rng.normal(size=(offsets[-1], 5))
    stats = rng.integers(0, 100, size=(offsets[-1], 10)).astype(dtype)
    stats[:, 6:] += 100
    nbest = NBestList(features, stats, offsets)
    weights = rng.normal(size=(n_vectors, 5))
    scores = [
        BLEU().score(stats[oracle.choose(own, features.tolist(), offsets)]).score
        for own in weights.tolist()
    ]
    for threads in (1, 2, 0):
        assert nbest.evaluate(weights, threads=threads).tolist() == scores


def test_sums_beyond_double_precision() -> None:
    """Infinite sums are equal, so the first hypothesis is selected."""
    features = np.array([[1.0, 1.0], [1e30, 2.0], [2e30, 1.0], [0.0, 5.0]])
    nbest = mean_list(features, [0, 4])
    assert nbest.best([1e300, 1.0]).tolist() == [1]
    assert nbest.best([-1e300, 1.0]).tolist() == [3]
    assert nbest.best([0.0, 1e300]).tolist() == [3]


def test_zero_weights_choose_the_first() -> None:
    offsets = np.cumsum([0, *LENGTHS])
    nbest = mean_list(np.random.default_rng(2).normal(size=(offsets[-1], 3)) * 1e35, offsets)
    assert nbest.best([0, 0, 0]).tolist() == offsets[:-1].tolist()
    assert nbest.best([-0.0, 0, -0.0]).tolist() == offsets[:-1].tolist()


@pytest.mark.slow
def test_the_portable_code_chooses_the_same() -> None:
    repeat_at_lower_levels(__file__, "exact_sums or any_number or beyond")


def test_wrong_arrays_are_refused() -> None:
    nbest = mean_list(np.ones((3, 2)), [0, 1, 3])
    chooser = Chooser(nbest._feature_columns())
    weights, chosen = np.ones((4, 2)), np.zeros((4, 2), np.int64)
    for begin, end in ((-1, 2), (0, 3), (2, 1)):
        with pytest.raises(IndexError, match="begin, end: expected a part of 2 segments"):
            chooser.choose(weights, chosen, begin, end)
    with pytest.raises(ValueError, match="weights: expected 8 items"):
        chooser.choose(weights[:3], chosen, 0, 2)
    with pytest.raises(ValueError, match="chosen: expected 8 items"):
        chooser.choose(weights, chosen.astype(np.int32), 0, 2)
    with pytest.raises(TypeError, match="stats: expected integers in C order"):
        chooser.add_up(weights, nbest.stats.astype(float), np.zeros((4, 5), np.int64), 0, 2)
    with pytest.raises(ValueError, match="stats: expected 3 rows, as many as features; got 2"):
        chooser.add_up(weights, nbest.stats[:2], np.zeros((4, 5), np.int64), 0, 2)
    with pytest.raises(ValueError, match="weights: expected 2 items"):
        chooser.add_up(weights, nbest.stats, np.zeros(5, np.int64), 0, 2)
    with pytest.raises(TypeError, match="Argument 'columns' has incorrect type"):
        Chooser(None)  # type: ignore[arg-type]
