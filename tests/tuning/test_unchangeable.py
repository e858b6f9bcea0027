"""Arrays that kernels trust cannot be changed: of n-best lists, and of translation tables."""

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rapidbleu import SegmentScores
from rapidbleu.alignment import IBMModel1
from rapidbleu.metrics import WER
from rapidbleu.tuning import NBestList, line_search
from rapidbleu.tuning.nbest import counted, taken
from support.peers import need

METRIC = SegmentScores()
FEATURES = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 3.0], [2.0, 2.0]])
ROWS = METRIC.stats([0.2, 0.8, 0.5, 0.1, 0.9])
OFFSETS = [0, 2, 5]
WEIGHTS = [1.0, 0.5]
ATTRIBUTES = (
    "features",
    "stats",
    "offsets",
    "metric",
    "names",
    "hypotheses",
    "ids",
    "is_sparse",
    "n_features",
)


def dense() -> NBestList:
    return NBestList(FEATURES.copy(), ROWS.copy(), OFFSETS, metric=METRIC)


def sparse() -> NBestList:
    matrix = need("scipy.sparse").csr_matrix(FEATURES)
    return NBestList(matrix, ROWS.copy(), OFFSETS, metric=METRIC)


def loaded(mmap: bool) -> Callable[[Path], NBestList]:
    def make(folder: Path) -> NBestList:
        dense().save(folder / "list.npz")
        return NBestList.load(folder / "list.npz", metric=METRIC, mmap=mmap)

    return make


LISTS: dict[str, Callable[[Path], NBestList]] = {
    "dense": lambda _: dense(),
    "sparse": lambda _: sparse(),
    "taken": lambda _: taken(dense(), np.array([1, 0])),
    "merged": lambda _: dense().merge(dense()),
    "merged sparse": lambda _: sparse().merge(sparse()),
    "counted": lambda _: counted(dense(), np.array([2, 1])),
    "counted sparse": lambda _: counted(sparse(), np.array([2, 1])),
    "pickled": lambda _: pickle.loads(pickle.dumps(dense())),
    "pickled sparse": lambda _: pickle.loads(pickle.dumps(sparse())),
    "pickled counted": lambda _: pickle.loads(pickle.dumps(counted(dense(), np.array([2, 1])))),
    "copied": lambda _: copy.deepcopy(dense()),
    "loaded": loaded(mmap=False),
    "mapped": loaded(mmap=True),
}


def arrays_of(nbest: NBestList) -> dict[str, Any]:
    """Return the arrays that Python reaches, and that kernels or SciPy index by."""
    found = {"offsets": nbest.offsets, "ids": nbest.ids, "stats": nbest.stats}
    if nbest._counts is not None:
        found["counts"] = nbest._counts
    if nbest.is_sparse:
        return found | {"indices": nbest.features.indices, "indptr": nbest.features.indptr}
    return found | {"features": nbest.features}


@pytest.mark.parametrize("kind", LISTS)
def test_arrays_cannot_be_changed(kind: str, tmp_path: Path) -> None:
    nbest = LISTS[kind](tmp_path)
    expected = nbest.evaluate(WEIGHTS)
    for name, array in arrays_of(nbest).items():
        with pytest.raises(ValueError, match="read-only"):
            array[(0,) * array.ndim] = 7
        if name not in ("stats", "features"):  # whose wrong numbers only make wrong scores
            with pytest.raises(ValueError, match="WRITEABLE"):
                array.setflags(write=True)
    assert nbest.evaluate(WEIGHTS) == expected


@pytest.mark.parametrize("kind", LISTS)
def test_attributes_cannot_be_set(kind: str, tmp_path: Path) -> None:
    nbest = LISTS[kind](tmp_path)
    expected = nbest.evaluate(WEIGHTS)
    for name in ATTRIBUTES:
        message = f"^{name}: a list cannot be changed; make a new one with NBestList\\("
        with pytest.raises(AttributeError, match=message):
            setattr(nbest, name, getattr(nbest, name))
    assert nbest.evaluate(WEIGHTS) == expected


def test_arguments_may_change_afterwards() -> None:
    offsets, ids = np.array(OFFSETS), np.array([4, 2])
    nbest = NBestList(FEATURES, ROWS, offsets, metric=METRIC, ids=ids)
    offsets[:], ids[:] = -5_000_000, 9
    assert nbest.offsets.tolist() == OFFSETS and nbest.ids.tolist() == [4, 2]
    matrix = need("scipy.sparse").csr_matrix(FEATURES)
    nbest = NBestList(matrix, ROWS, OFFSETS, metric=METRIC)
    expected = nbest.evaluate(WEIGHTS), nbest.best(WEIGHTS).tolist()
    matrix.indices[:], matrix.indptr[:] = 1 << 30, 1 << 30
    nbest.features.indices = nbest.features.indptr = np.array([1 << 30])
    assert (nbest.evaluate(WEIGHTS), nbest.best(WEIGHTS).tolist()) == expected


def test_memory_of_large_arrays_is_shared(tmp_path: Path) -> None:
    nbest = NBestList(FEATURES, ROWS, OFFSETS, metric=METRIC)
    assert np.shares_memory(nbest.features, FEATURES) and np.shares_memory(nbest.stats, ROWS)
    mapped = LISTS["mapped"](tmp_path)
    assert isinstance(mapped.features, np.memmap) and isinstance(mapped.stats, np.memmap)
    matrix = need("scipy.sparse").csr_matrix(FEATURES)
    assert np.shares_memory(
        NBestList(matrix, ROWS, OFFSETS, metric=METRIC).features.data, matrix.data
    )
    once = sparse()
    again = NBestList(once.features, once.stats, once.offsets, metric=METRIC)
    assert np.shares_memory(once.features.indices, again.features.indices)


def changed(nbest: NBestList, **changes: Any) -> bytes:
    wrong = object.__new__(NBestList)
    vars(wrong).update(vars(nbest))
    vars(wrong).update(changes)
    return pickle.dumps(wrong)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"offsets": np.array([0, -5_000_000, 5])}, r"offsets\[1\]: expected at least 0; got -5"),
        ({"offsets": np.array([0, 2, 50])}, r"offsets\[2\]: expected 5, the number of hyp"),
        ({"stats": ROWS[:3]}, r"stats: expected shape \(5, 5\); got \(3, 5\)"),
        ({"stats": -ROWS}, r"stats\[0\]\[0\]: expected a count; got -"),
        ({"metric": WER()}, r"stats: expected shape \(5, 4\); got \(5, 5\)"),
        ({"_features": FEATURES * np.nan}, r"features\[0\]\[0\]: expected a finite number"),
        ({"names": ("a",)}, "names: expected 2, one for each feature; got 1"),
        ({"_counts": np.array([1])}, r"counts: expected 2, one for each segment; got \(1,\)"),
        ({"_counts": np.array([0, 0])}, "counts: expected at least one above 0; got none"),
        ({"_counts": np.array([1, -1])}, r"counts\[1\]: expected 0 or more; got -1"),
        ({"_counts": np.array([1.0, 1.0])}, "counts: expected integers; got float64"),
        ({"_chooser": 5, "_columns": 5}, ""),
    ],
)
def test_pickles_are_checked(changes: dict[str, Any], message: str) -> None:
    data = changed(dense(), **changes)
    if message:
        with pytest.raises((TypeError, ValueError), match=f"^{message}"):
            pickle.loads(data)
    else:
        assert pickle.loads(data).evaluate(WEIGHTS) == dense().evaluate(WEIGHTS)


def test_pickled_sparse_lists_are_checked() -> None:
    features = sparse().features
    features.indices = np.full_like(features.indices, 1 << 30)
    with pytest.raises(ValueError, match=r"features.indices\[0\]: expected 0 to 1; got 1073741824"):
        pickle.loads(changed(sparse(), _features=features))


class Named(NBestList):
    def __init__(self, *args: Any, label: str = "", **options: Any) -> None:
        super().__init__(*args, **options)
        self._label = label


def test_subclasses_are_pickled_with_their_attributes() -> None:
    nbest = Named(FEATURES, ROWS, OFFSETS, metric=METRIC, label="run 1")
    again = pickle.loads(pickle.dumps(nbest))
    assert type(again) is Named and again._label == "run 1"
    assert again.evaluate(WEIGHTS) == nbest.evaluate(WEIGHTS)


def test_the_core_checks_offsets() -> None:
    """The compiled core checks them too, for callers that bypass Python."""
    nbest = dense()
    for offsets in ([0, -5_000_000, 5], [0, 5, 5], [0, 9, 5], [1, 2, 5], [0, 2, 50], [5]):
        vars(nbest).update(offsets=np.array(offsets), _columns=None, _chooser=None)
        for call in (lambda: nbest.evaluate(WEIGHTS), lambda: line_search(nbest, WEIGHTS, [1, 0])):
            with pytest.raises(ValueError, match=r"offsets|features|expected|negative"):
                call()


def model() -> IBMModel1:
    return IBMModel1.fit(["green house", "the house"], ["casa verde", "la casa"])


@pytest.mark.parametrize("make", [model, lambda: pickle.loads(pickle.dumps(model()))])
def test_tables_cannot_be_changed(make: Callable[[], IBMModel1]) -> None:
    table = make()
    expected = table.scores(["the house"], ["la casa"]).tolist()
    for name in ("starts", "words", "probabilities"):
        array = getattr(table, name)
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.setflags(write=True)
    for name in ("starts", "words", "probabilities", "source_words", "target_words", "null"):
        with pytest.raises(AttributeError, match=f"^{name}: a table cannot be changed"):
            setattr(table, name, getattr(table, name))
    assert table.scores(["the house"], ["la casa"]).tolist() == expected


def test_arguments_of_tables_may_change_afterwards() -> None:
    words = np.array([0, 1], np.int32)
    view = words.view()
    view.setflags(write=False)
    table = IBMModel1(["dog"], ["chien"], [0, 2], view, [0.25, 1.0])
    words[:] = 1 << 30
    assert table.words.tolist() == [0, 1]
